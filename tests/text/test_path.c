/* Key paths as values: pytree/path.h. */
#include "support.h"
#include "pytree/path.h"

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

#define ATTRIBUTE(name) { PYTREE_ATTRIBUTE, name, 0 }
#define INDEX(i) { PYTREE_INDEX, NULL, i }
#define KEY(name) { PYTREE_KEY, name, 0 }
#define FLAT_INDEX(i) { PYTREE_FLAT_INDEX, NULL, i }
#define INT_KEY(n) { PYTREE_INT_KEY, NULL, (size_t)(int64_t)(n) }

static pytree_entry attribute(const char *name) { return (pytree_entry)ATTRIBUTE(name); }
static pytree_entry key(const char *name) { return (pytree_entry)KEY(name); }
static pytree_entry at_index(size_t i) { return (pytree_entry)INDEX(i); }
static pytree_entry flat_index(size_t i) { return (pytree_entry)FLAT_INDEX(i); }

/* A node of the user's own; with `keyed`, one whose children have names, numbers and keys, the numbers not in a row. */
typedef struct Box { pytree items[4]; } Box;
static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    static const pytree_entry all[] = { INDEX(1), INDEX(0), ATTRIBUTE("w"), INT_KEY(-4) };
    if (children != NULL) { memcpy(children, ((const Box *)self)->items, sizeof(((const Box *)self)->items)); }
    if (keys != NULL) { memcpy(keys, all, sizeof(all)); }
    return 4;
}
static const pytree_custom box_callbacks = { box_children, false, NULL, NULL, NULL, NULL };
#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef struct KeyedBox { Box box; } KeyedBox;
static const pytree_custom keyed_callbacks = { box_children, true, NULL, NULL, NULL, NULL };
#define PYTREE_STRUCT KeyedBox
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

typedef struct Cell { int a, b; } Cell;   /* a leaf, but in one namespace */
#define PYTREE_LEAF_TYPE Cell
#include "pytree_registry.h"
#define PYTREE_STRUCT Cell
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

static pytree_path *parsed(const char *text)
{
    pytree_error error = { 0 };
    pytree_path *path = pytree_path_parse(text, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(path);
    return path;
}

/* The path's text from the heap, and both ways of asking for its length agree. */
static char *text_of(const pytree_path *path, const char *separator)
{
    size_t n = pytree_path_simple_text(path, separator, NULL, 0);
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(pytree_path_simple_text(path, separator, text, n + 1), n);
    assert_int_equal(strlen(text), n);
    return text;
}

static void assert_text(const pytree_path *path, const char *expected)
{
    char *text = text_of(path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static uint64_t random_state;
static size_t random_below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)((random_state >> 11) % n);
}

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static void text_of_each_kind(void **state)
{
    pytree_entry entries[] = { ATTRIBUTE("layers"), INDEX(0), KEY("k"), FLAT_INDEX(12), INDEX(SIZE_MAX) };
    pytree_path path = { 5, entries }, root = { 0, NULL };
    char expected[128], *text;
    (void)state;
    snprintf(expected, sizeof(expected), ".layers[0]['k'][<flat index 12>][%zu]", SIZE_MAX);
    assert_text(&path, expected);
    assert_text(&root, "");
    assert_text(NULL, "");
    snprintf(expected, sizeof(expected), "layers::0::k::12::%zu", SIZE_MAX);
    text = text_of(&path, "::");
    assert_string_equal(text, expected);
    free(text);
    path.n = 1;
    text = text_of(&path, "/");
    assert_string_equal(text, "layers");
    free(text);
}

static void text_into_any_room(void **state)
{
    pytree_entry entries[] = { ATTRIBUTE("a"), KEY("it's \n \xC3\xA9"), INDEX(42) };
    const pytree_path path = { 3, entries };
    const char *expected = ".a[\"it's \\n \xC3\xA9\"][42]";
    size_t length = strlen(expected), n;
    char text[64];
    (void)state;
    for (n = 0; n < sizeof(text); n++) {
        memset(text, '#', sizeof(text));
        assert_int_equal(pytree_path_text(&path, text, n), length);
        if (n > 0) {
            size_t kept = n - 1 < length ? n - 1 : length;
            assert_memory_equal(text, expected, kept);
            assert_int_equal(text[kept], '\0');
            if (kept + 1 < sizeof(text)) { assert_int_equal(text[kept + 1], '#'); }
        } else {
            assert_int_equal(text[0], '#');
        }
    }
}

static void text_into_a_file(void **state)
{
    pytree_entry entries[] = { ATTRIBUTE("a"), KEY("b\tc") };
    const pytree_path path = { 2, entries };
    pytree_error error = { 0 };
    char line[64] = { 0 };
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    assert_ok(pytree_path_print(file, &path, &error), &error);
    rewind(file);
    assert_non_null(fgets(line, sizeof(line), file));
    assert_string_equal(line, ".a['b\\tc']");
    fclose(file);
    file = fopen("/dev/full", "w");
    if (file == NULL) { skip(); }         /* a system without that device */
    setvbuf(file, NULL, _IONBF, 0);
    assert_error(pytree_path_print(file, &path, &error), PYTREE_IO, NULL, &error);
    fclose(file);
}

/* Texts as Python 3.13 writes them. */
static const struct { const char *name, *text; } quoted[] = {
    { "", "['']" },
    { "a b", "['a b']" },
    { "'", "[\"'\"]" },
    { "\"", "['\"']" },
    { "'\"", "['\\'\"']" },
    { "\\", "['\\\\']" },
    { "\\n", "['\\\\n']" },
    { "\n\r\t", "['\\n\\r\\t']" },
    { "\x01\x1F\x7F\x07\v\f\b", "['\\x01\\x1f\\x7f\\x07\\x0b\\x0c\\x08']" },
    { "\xC2\x80\xC2\xA0\xC2\xAD\xC2\xA1\xC3\xBF", "['\\x80\\xa0\\xad\xC2\xA1\xC3\xBF']" },
    { "\xE2\x80\x8B\xE2\x80\xA8\xE3\x80\x80", "['\\u200b\\u2028\\u3000']" },
    { "\xEE\x80\x80\xEF\xBF\xBF\xEF\xBF\xBD", "['\\ue000\\uffff\xEF\xBF\xBD']" },
    { "\xF0\x9F\x98\x80\xF0\x9F\xBF\xBF\xF4\x8F\xBF\xBF", "['\xF0\x9F\x98\x80\\U0001ffff\\U0010ffff']" },
    { "\xF3\xA0\x84\x80\xF3\xA0\x87\xAF\xF3\xA0\x87\xB0", "['\xF3\xA0\x84\x80\xF3\xA0\x87\xAF\\U000e01f0']" },
    { "\xE4\xB8\x96\xE7\x95\x8C", "['\xE4\xB8\x96\xE7\x95\x8C']" },
    /* no UTF-8: a stray byte, cut short, overlong, a surrogate, beyond the last character */
    { "a\xFFz\x80", "['a\\udcffz\\udc80']" },
    { "\xE4\xB8", "['\\udce4\\udcb8']" },
    { "\xF0\x9F\x98", "['\\udcf0\\udc9f\\udc98']" },
    { "\xC0\xAF\xE0\x80\xAF", "['\\udcc0\\udcaf\\udce0\\udc80\\udcaf']" },
    { "\xED\xA0\x80", "['\\udced\\udca0\\udc80']" },
    { "\xF4\x90\x80\x80\xF5", "['\\udcf4\\udc90\\udc80\\udc80\\udcf5']" },
};

static void keys_are_quoted_like_python(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(quoted); i++) {
        pytree_entry entry = key(quoted[i].name);
        const pytree_path path = { 1, &entry };
        pytree_path *back;
        assert_text(&path, quoted[i].text);
        back = parsed(quoted[i].text);
        assert_int_equal(back->n, 1);
        assert_int_equal(back->entries[0].kind, PYTREE_KEY);
        assert_string_equal(back->entries[0].name, quoted[i].name);
        pytree_path_free(back);
    }
}

/* Every character of the first three planes, some of the others, and every pair of bytes comes back from its text. */
static void every_character_comes_back(void **state)
{
    uint32_t c, step;
    (void)state;
    for (c = 1; c < 0x110000 + 0x10000; c += step) {
        char name[5] = { 0 }, text[32];
        pytree_entry entry = key(name);
        const pytree_path path = { 1, &entry };
        pytree_path *back;
        step = under_valgrind() ? 197 : c >= 0x30000 && c < 0x110000 ? 61 : 1;
        if (c >= 0x110000) {
            name[0] = (char)(unsigned char)(c & 0xFF);
            name[1] = (char)(unsigned char)(c >> 8 & 0xFF);
        } else if (c < 0x80) {
            name[0] = (char)c;
        } else if (c < 0x800) {
            name[0] = (char)(unsigned char)(0xC0 | c >> 6);
            name[1] = (char)(unsigned char)(0x80 | (c & 0x3F));
        } else if (c < 0x10000) {         /* surrogates too, which are no UTF-8 */
            name[0] = (char)(unsigned char)(0xE0 | c >> 12);
            name[1] = (char)(unsigned char)(0x80 | (c >> 6 & 0x3F));
            name[2] = (char)(unsigned char)(0x80 | (c & 0x3F));
        } else {
            name[0] = (char)(unsigned char)(0xF0 | c >> 18);
            name[1] = (char)(unsigned char)(0x80 | (c >> 12 & 0x3F));
            name[2] = (char)(unsigned char)(0x80 | (c >> 6 & 0x3F));
            name[3] = (char)(unsigned char)(0x80 | (c & 0x3F));
        }
        assert_true(pytree_path_text(&path, text, sizeof(text)) < sizeof(text));
        back = pytree_path_parse(text, NULL, NULL, NULL);
        if (back == NULL || !pytree_path_equal(back, &path)) { fail_msg("U+%04lX: %s", (unsigned long)c, text); }
        pytree_path_free(back);
    }
}

/* ---- Reading ------------------------------------------------------------------------------------------------------- */

static void reads_each_kind(void **state)
{
    pytree_entry entries[] = { ATTRIBUTE("w_1"), INDEX(0), KEY("a.b[0]"), FLAT_INDEX(3), KEY("x"), ATTRIBUTE("\xC3\xA9") };
    const pytree_path expected = { 6, entries };
    pytree_path *path = parsed(".w_1[0]['a.b[0]'][<flat index 3>][\"x\"].\xC3\xA9");
    (void)state;
    assert_true(pytree_path_equal(path, &expected));
    pytree_path_free(path);
    path = parsed("");
    assert_int_equal(path->n, 0);
    pytree_path_free(path);
    path = parsed("['\\a\\b\\f\\v\\x41\\u00e9\\U0001f600\\\"\\'\t']");
    assert_string_equal(path->entries[0].name, "\a\b\f\vA\xC3\xA9\xF0\x9F\x98\x80\"'\t");
    pytree_path_free(path);
    pytree_path_free(NULL);
}

static void says_what_was_expected_where(void **state)
{
    static const struct { const char *text, *message; } cases[] = {
        { "w", "expected '.', '[' or the end at byte 0, got 'w'" },
        { ".", "expected a name at byte 1, got the end" },
        { ".a..b", "expected a name at byte 3, got '.'" },
        { ".a b", "expected '.', '[' or the end at byte 2, got ' '" },
        { ".a\n", "expected '.', '[' or the end at byte 2, got '\\n'" },
        { ".a\x7F", "expected '.', '[' or the end at byte 2, got '\\x7f'" },
        { ".a*", "expected '.', '[' or the end at byte 2, got '*'" },
        { ".*", "expected a name at byte 1, got '*'" },
        { ".a\xFF", "expected UTF-8 at byte 2, got '\\udcff'" },
        { "[", "expected an index that fits size_t or a quoted key at byte 1, got the end" },
        { "[]", "expected an index that fits size_t or a quoted key at byte 1, got ']'" },
        { "[-]", "expected the digits of a key from -9223372036854775808 to -1 at byte 2, got ']'" },
        { "[-0]", "expected the digits of a key from -9223372036854775808 to -1 at byte 2, got '0'" },
        { "[-01]", "expected the digits of a key from -9223372036854775808 to -1 at byte 2, got '0'" },
        { "[-9223372036854775809]", "expected the digits of a key from -9223372036854775808 to -1 at byte 2, got '9'" },
        { "[--1]", "expected the digits of a key from -9223372036854775808 to -1 at byte 2, got '-'" },
        { "[-1", "expected ']' at byte 3, got the end" },
        { "[*]", "expected an index that fits size_t or a quoted key at byte 1, got '*'" },
        { "[a]", "expected an index that fits size_t or a quoted key at byte 1, got 'a'" },
        { "[ 1]", "expected an index that fits size_t or a quoted key at byte 1, got ' '" },
        { "[99999999999999999999999]", "expected an index that fits size_t or a quoted key at byte 1, got '9'" },
        { "[1", "expected ']' at byte 2, got the end" },
        { "[1.5]", "expected ']' at byte 2, got '.'" },
        { "[00]", "expected ']' at byte 2, got '0'" },
        { "[01]", "expected ']' at byte 2, got '1'" },
        { "[<flat 1>]", "expected an index that fits size_t or a quoted key at byte 1, got '<'" },
        { "[<flat index >]", "expected an index that fits size_t at byte 13, got '>'" },
        { "[<flat index 1]", "expected '>' at byte 14, got ']'" },
        { "[<flat index 1>", "expected ']' at byte 15, got the end" },
        { "['a", "expected a closing ' at byte 3, got the end" },
        { "[\"a'", "expected a closing \" at byte 4, got the end" },
        { "['a'", "expected ']' at byte 4, got the end" },
        { "['a'b]", "expected ']' at byte 4, got 'b'" },
        { "['\xE4\xB8", "expected UTF-8 at byte 2, got '\\udce4'" },
        { "['\xED\xA0\x80']", "expected UTF-8 at byte 2, got '\\udced'" },
        { "['a\nb']", "expected \\n or \\r for a line end at byte 3, got '\\n'" },
    };
    static const char *const escapes[] = {
        "\\", "\\q", "\\x", "\\x4", "\\xg0", "\\u12", "\\u123g", "\\U0011000", "\\U00110000", "\\UFFFFFFFF", "\\u0000", "\\x00",
        "\\ud800", "\\udfff", "\\udc7f", "\\0", "\\N{DASH}",
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        assert_null(pytree_path_parse(cases[i].text, NULL, NULL, &error));
        assert_error(error.status, PYTREE_SYNTAX, cases[i].text, &error);
        assert_string_equal(error.message, cases[i].message);
        assert_null(pytree_path_parse(cases[i].text, NULL, NULL, NULL));
    }
    for (i = 0; i < COUNT_OF(escapes); i++) {
        pytree_error error = { 0 };
        char text[64];
        snprintf(text, sizeof(text), "['ab%s']", escapes[i]);
        assert_null(pytree_path_parse(text, NULL, NULL, &error));
        assert_error(error.status, PYTREE_SYNTAX, text, &error);
        if (escapes[i][1] == '\0') { continue; }                                   /* that one escapes the quote */
        assert_string_equal(error.message,
                            "expected an escape such as \\n, \\' or \\x41 (no NUL, no surrogate) at byte 4, got '\\\\'");
    }
}

static void the_first_error_stays(void **state)
{
    pytree_error error = { 0 }, before;
    (void)state;
    assert_null(pytree_path_parse("[", NULL, NULL, &error));
    before = error;
    assert_null(pytree_path_parse("w", NULL, NULL, &error));
    assert_memory_equal(&before, &error, sizeof(error));
}

/* What can be read is written as text that reads back to the same path and is written the same way. */
static bool reads_consistently(const char *text)
{
    pytree_error error = { 0 };
    pytree_path *path = pytree_path_parse(text, NULL, NULL, &error), *again;
    char *first, *second;
    if (path == NULL) {
        assert_int_equal(error.status, PYTREE_SYNTAX);
        assert_non_null(strstr(error.message, "at byte "));
        return false;
    }
    first = text_of(path, NULL);
    again = parsed(first);
    assert_true(pytree_path_equal(path, again));
    second = text_of(again, NULL);
    assert_string_equal(first, second);
    free(first);
    free(second);
    pytree_path_free(again);
    pytree_path_free(path);
    return true;
}

/* Each text in a block of its exact size, so that a sanitizer sees a read behind its end. */
static bool reads_exactly(const char *text, size_t n)
{
    char *copy = malloc(n + 1);
    bool read;
    assert_non_null(copy);
    memcpy(copy, text, n);
    copy[n] = '\0';
    read = reads_consistently(copy);
    pytree_path_match(NULL, copy, NULL);
    free(copy);
    return read;
}

static void texts_cut_at_any_byte(void **state)
{
    static const char text[] = ".layers[10]['it\\'s \\x41\\u00e9\\U0001f600\xF0\x9F\x98\x80']"
                               "[<flat index 3>].\xC3\xA9[\"k\\\"\"][0]";
    static const size_t whole[] = { 0, 2, 3, 4, 5, 6, 7, 11 };                     /* "", ".l" … ".layers", ".layers[10]" */
    size_t n, next = 0, read = 0;
    (void)state;
    for (n = 0; n < sizeof(text); n++) {
        bool good = reads_exactly(text, n);
        read += good;
        if (n <= 11) {
            bool expected = next < COUNT_OF(whole) && whole[next] == n;
            assert_int_equal(good, expected);
            next += expected;
        }
    }
    assert_int_equal(read, COUNT_OF(whole) + 5);
}

static void hostile_texts(void **state)
{
    static const char *const parts[] = {
        ".", "[", "]", "'", "\"", "\\", "a", "0", "9", "18446744073709551615", "18446744073709551616", "[0]", ".w", "['k']",
        "[\"k\"]", "<flat index ", ">", "[<flat index 7>]", "*", "**", "\\x", "\\u", "\\U", "\\udc80", "\\ud83d", "00", "ff",
        "\xFF", "\xC3", "\xA9", "\xF0\x9F\x98\x80", " ", "\n", "\x01", "\\n", "\\'",
    };
    size_t round, rounds = under_valgrind() ? 2000 : 60000, read = 0;
    (void)state;
    random_state = 20240229;
    for (round = 0; round < rounds; round++) {
        char text[256];
        size_t n = 0, k, pieces = random_below(9);
        for (k = 0; k < pieces; k++) {
            const char *part = parts[random_below(COUNT_OF(parts))];
            memcpy(text + n, part, strlen(part));
            n += strlen(part);
        }
        if (n > 0 && random_below(4) == 0) { text[random_below(n)] = (char)(unsigned char)(1 + random_below(255)); }
        read += reads_exactly(text, n);
    }
    assert_in_range(read, rounds / 100, rounds / 2);
}

static void simple_form(void **state)
{
    static const struct { const char *text, *separator, *as_text; } cases[] = {
        { "", "/", "" },
        { "layers/0/w", "/", ".layers[0].w" },
        { "layers.0.w", ".", ".layers[0].w" },
        { "a::b:c", "::", ".a['b:c']" },
        { "/", "/", "['']['']" },
        { "a/", "/", ".a['']" },
        { "0x/07/-1/7/a b/x_1", "/", "['0x']['07']['-1'][7]['a b'].x_1" },
        { "0/18446744073709551616", "/", "[0]['18446744073709551616']" },
        { "\xC3\xA9/\xFF/it's", "/", ".\xC3\xA9.\xFF[\"it's\"]" },
    };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_path *path = pytree_path_parse(cases[i].text, cases[i].separator, NULL, &error);
        char *text;
        assert_ok(error.status, &error);
        assert_text(path, cases[i].as_text);
        text = text_of(path, cases[i].separator);
        assert_string_equal(text, cases[i].text);
        free(text);
        pytree_path_free(path);
    }
    assert_null(pytree_path_parse("a", "", NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------- */

static void order_of_paths(void **state)
{
    static const char *const texts[] = {  /* in ascending order */
        "", ".a", ".a.b", ".a[0]", ".a['a']", ".aa", ".b", ".\xC3\xA9", ".\xF0\x9F\x98\x80",
        "[0]", "[0].a", "[2]", "[10]", "[18446744073709551615]",
        "['']", "['a']", "['a'][0]", "['b']", "['\\udcff']",
        "[<flat index 0>]", "[<flat index 1>]",
    };
    size_t i, j;
    (void)state;
    for (i = 0; i < COUNT_OF(texts); i++) {
        pytree_path *a = parsed(texts[i]);
        for (j = 0; j < COUNT_OF(texts); j++) {
            pytree_path *b = parsed(texts[j]);
            assert_int_equal(pytree_path_compare(a, b), i < j ? -1 : i > j);
            assert_int_equal(pytree_path_equal(a, b), i == j);
            assert_int_equal(pytree_path_hash(a) == pytree_path_hash(b), i == j);
            pytree_path_free(b);
        }
        pytree_path_free(a);
    }
    assert_true(pytree_path_equal(NULL, NULL));
    assert_int_equal(pytree_path_compare(NULL, NULL), 0);
}

/* Few names and numbers, so that equal paths and prefixes are frequent. */
static size_t random_path(pytree_entry *entries, size_t capacity)
{
    static const char *const names[] = { "", "a", "b", "ab" };
    size_t n = random_below(capacity + 1), i;
    for (i = 0; i < n; i++) {
        switch (random_below(4)) {
        case 0: entries[i] = attribute(names[1 + random_below(3)]); break;
        case 1: entries[i] = at_index(random_below(3)); break;
        case 2: entries[i] = key(names[random_below(4)]); break;
        default: entries[i] = flat_index(random_below(3)); break;
        }
    }
    return n;
}

static void order_is_total(void **state)
{
    size_t round, equal = 0, prefixes = 0;
    (void)state;
    random_state = 7;
    for (round = 0; round < 20000; round++) {
        pytree_entry entries[3][4];
        pytree_path p[3];
        size_t i;
        int ab, bc, ac;
        for (i = 0; i < 3; i++) {
            p[i].entries = entries[i];
            p[i].n = random_path(entries[i], 4);
        }
        ab = pytree_path_compare(&p[0], &p[1]);
        bc = pytree_path_compare(&p[1], &p[2]);
        ac = pytree_path_compare(&p[0], &p[2]);
        assert_int_equal(pytree_path_compare(&p[1], &p[0]), -ab);
        if (ab <= 0 && bc <= 0) { assert_int_equal(ac, ab < 0 || bc < 0 ? -1 : 0); }
        assert_int_equal(ab == 0, pytree_path_equal(&p[0], &p[1]));
        if (ab == 0) { assert_true(pytree_path_hash(&p[0]) == pytree_path_hash(&p[1])); }
        if (pytree_path_starts_with(&p[1], &p[0])) {
            assert_true(ab <= 0);
            assert_true(p[0].n <= p[1].n);
            prefixes++;
            equal += ab == 0;
        }
    }
    assert_true(equal > 100 && prefixes > equal);
}

static void beginnings(void **state)
{
    static const struct { const char *path, *prefix; bool starts; } cases[] = {
        { ".a[0].b", "", true }, { ".a[0].b", ".a", true }, { ".a[0].b", ".a[0]", true }, { ".a[0].b", ".a[0].b", true },
        { ".a[0].b", ".a[0].b.c", false }, { ".a[0].b", ".a[1]", false }, { ".ab", ".a", false }, { ".a", "['a']", false },
        { "[0]", "[<flat index 0>]", false }, { "", "", true }, { "", ".a", false }, { "[10]", "[1]", false },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_path *path = parsed(cases[i].path), *prefix = parsed(cases[i].prefix);
        assert_int_equal(pytree_path_starts_with(path, prefix), cases[i].starts);
        assert_true(pytree_path_starts_with(path, NULL));
        pytree_path_free(path);
        pytree_path_free(prefix);
    }
}

static void joining(void **state)
{
    char name[] = "will change";
    pytree_entry entries[] = { ATTRIBUTE(name), INDEX(3), FLAT_INDEX(9) };
    const pytree_path first = { 3, entries };
    pytree_path *second = parsed("['k'].x"), *both, *copy;
    Heap heap;
    pytree_options opt = { 0 };
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    both = pytree_path_join(&first, second, &opt, NULL);
    copy = pytree_path_join(&first, NULL, &opt, NULL);
    assert_int_equal(heap.calls, 2);
    pytree_path_free(second);
    memset(name, '#', sizeof(name) - 1);
    assert_text(both, ".will change[3][<flat index 9>]['k'].x");
    assert_text(copy, ".will change[3][<flat index 9>]");
    assert_true(pytree_path_starts_with(both, copy));
    pytree_path_free(both);
    pytree_path_free(copy);
    both = pytree_path_join(NULL, NULL, &opt, NULL);
    assert_int_equal(both->n, 0);
    pytree_path_free(both);
    assert_heap_clean(&heap);
}

/* ---- Matching ------------------------------------------------------------------------------------------------------ */

static void matching(void **state)
{
    static const struct { const char *pattern, *path; bool fits; } cases[] = {
        { "", "", true }, { "", ".a", false }, { ".a", "", false }, { ".layers[*].w", ".layers[0].w", true },
        { ".layers[*].w", ".layers[17].w", true }, { ".layers[*].w", ".layers[0].b", false },
        { ".layers[*].w", ".layers['x'].w", true }, { ".layers[*].w", ".layers[<flat index 1>].w", true },
        { ".layers[*].w", ".layers.x.w", false }, { ".layers[*].w", ".layers[0][1].w", false },
        { ".layers[*].w", ".layers.w", false }, { "**.b", ".b", true }, { "**.b", ".a[0].b", true },
        { "**.b", ".b.a", false }, { "**.b", "['b']", false }, { "**.b", "", false }, { "**", "", true },
        { "**", ".a[0]['k']", true }, { ".a**", ".a", true }, { ".a**", ".a.b.c", true }, { ".a**", ".ab", false },
        { ".a**", ".b.a", false }, { "*", ".a", true }, { "*", "[0]", true }, { "*", "['k']", true }, { "*", "", false },
        { "*", ".a.b", false }, { "**", ".x", true }, { "***", "", false }, { "***", ".a", true },
        { "***", ".a.b.c", true }, { ".*", ".a", true }, { ".*", "[0]", false }, { ".*[*]", ".a[0]", true },
        { ".*[*]", ".a.b", false }, { ".*.*", ".a.b", true }, { "[*]*", "[0].a", true }, { "[*]*[*]", "[0].a[1]", true },
        { "*.b", "[7].b", true }, { "**.a**.b**", ".x.a.y.b.z", true }, { "**.a**.b**", ".b.a", false },
        { "**.a**.b", ".a.b.c", false }, { "**.a**.b", ".a.a.b.b", true }, { ".a**.a", ".a", false },
        { ".a**.a", ".a.a", true }, { "**.a.b**.c", ".a.a.b.c", true }, { "**.a.b**.c", ".a.b.a.c", true },
        { "**[*].w", ".layers[0][1].w", true }, { "**['it\\'s']", ".a[\"it's\"]", true }, { "['\\x61']", "['a']", true },
        { "['\\x61b']", "['a']", false }, { "['\\x61']", "['ab']", false },
        { "['\\U0001f600']", "['\xF0\x9F\x98\x80']", true }, { "[<flat index 1>]", "[<flat index 1>]", true },
        { "[1]", "[<flat index 1>]", false }, { "[1]", "['1']", false }, { ".a", "['a']", false },
    };
    static const struct { const char *pattern, *message; } bad[] = {
        { ".w*", "expected '.', '[' or the end at byte 2, got '*'" },
        { ".**", "expected '.', '[' or the end at byte 2, got '*'" },
        { ".*b", "expected '.', '[', '*' or the end at byte 2, got 'b'" },
        { "**.b.", "expected a name at byte 5, got the end" },
        { "[**]", "expected ']' at byte 2, got '*'" },
        { "[", "expected an index that fits size_t, a quoted key or * at byte 1, got the end" },
        { "w", "expected '.', '[', '*' or the end at byte 0, got 'w'" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        pytree_path *path = parsed(cases[i].path);
        if (pytree_path_match(path, cases[i].pattern, &error) != cases[i].fits) {
            fail_msg("pattern %s, path %s: not %d", cases[i].pattern, cases[i].path, cases[i].fits);
        }
        assert_ok(error.status, &error);
        pytree_path_free(path);
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        pytree_error error = { 0 };
        assert_false(pytree_path_match(NULL, bad[i].pattern, &error));
        assert_error(error.status, PYTREE_SYNTAX, bad[i].pattern, &error);
        assert_string_equal(error.message, bad[i].message);
        assert_false(pytree_path_match(NULL, bad[i].pattern, NULL));
    }
}

/* Another way to match: fits[i] says whether what was read of the pattern fits the first i entries. */
static bool matches_by_table(const pytree_entry *entries, size_t n, const char *const *pattern, size_t m)
{
    bool fits[16] = { true };
    size_t i, k;
    for (k = 0; k < m; k++) {
        bool next[16] = { false };
        for (i = 0; i <= n; i++) {
            if (strcmp(pattern[k], "**") == 0) {
                next[i] = fits[i] || (i > 0 && next[i - 1]);
            } else if (i > 0 && fits[i - 1]) {
                const pytree_entry *e = &entries[i - 1];
                const pytree_path one = { 1, e };
                char text[32];
                pytree_path_text(&one, text, sizeof(text));
                next[i] = strcmp(pattern[k], "*") == 0 || (strcmp(pattern[k], ".*") == 0 && e->kind == PYTREE_ATTRIBUTE) ||
                          (strcmp(pattern[k], "[*]") == 0 && e->kind != PYTREE_ATTRIBUTE) || strcmp(pattern[k], text) == 0;
            }
        }
        memcpy(fits, next, sizeof(fits));
    }
    return fits[n];
}

static void matching_agrees_with_a_table(void **state)
{
    static const char *const parts[] = { "**", "**", "**", "*", ".*", "[*]", ".a", ".b", "[0]", "['a']" };
    size_t round, rounds = under_valgrind() ? 5000 : 50000, fitting = 0, read = 0;
    (void)state;
    random_state = 99;
    for (round = 0; round < rounds; round++) {
        const char *pattern[6];
        char text[64] = "";
        pytree_entry entries[8];
        pytree_path path = { random_below(8), entries };
        pytree_error error = { 0 };
        size_t i, m = random_below(7);
        size_t singles = 0;
        bool fits, joined = false;
        for (i = 0; i < path.n; i++) {
            size_t kind = random_below(4);
            entries[i] = kind == 0 ? attribute("a") : kind == 1 ? attribute("b") : kind == 2 ? at_index(0) : key("a");
        }
        for (i = 0; i < m; i++) {
            const char *part = parts[random_below(COUNT_OF(parts))];
            /* Stars in a row are read in pairs: a second "*" among them would be lost. Behind a name "*" is refused, behind
             * ".*" both are. */
            singles = part[0] != '*' ? 0 : singles + (part[1] == '\0');
            joined |= singles > 1;
            if (i > 0 && part[0] == '*') {
                joined |= strcmp(pattern[i - 1], ".*") == 0 || (pattern[i - 1][0] == '.' && part[1] == '\0');
            }
            pattern[i] = part;
            strcat(text, part);
        }
        if (joined) { continue; }
        fits = pytree_path_match(&path, text, &error);
        assert_ok(error.status, &error);
        if (fits != matches_by_table(entries, path.n, pattern, m)) {
            char *shown = text_of(&path, NULL);
            fail_msg("pattern %s, path %s: not %d", text, shown, fits);
        }
        fitting += fits;
        read++;
    }
    assert_true(read > rounds / 4);
    assert_true(fitting > read / 20 && fitting < read);
}

/* Patterns that take a matcher with naive backtracking longer than anyone waits. */
static void many_stars(void **state)
{
    enum { N = 3000, STARS = 40 };
    pytree_entry *entries = malloc(N * sizeof(*entries));
    pytree_path path = { N, entries };
    char pattern[8 * STARS + 8] = "";
    size_t i;
    (void)state;
    assert_non_null(entries);
    for (i = 0; i < N; i++) { entries[i] = attribute("a"); }
    for (i = 0; i < STARS; i++) { strcat(pattern, "**.a"); }
    assert_true(pytree_path_match(&path, pattern, NULL));
    strcat(pattern, "**.b");
    assert_false(pytree_path_match(&path, pattern, NULL));
    entries[N - 1] = attribute("b");
    assert_true(pytree_path_match(&path, pattern, NULL));
    strcat(pattern, "**");
    assert_true(pytree_path_match(&path, pattern, NULL));
    free(entries);
}

static pytree_status count_biases(void *context, const pytree_iter *at)
{
    pytree_error error = { 0 };
    size_t *counts = context;
    counts[0] += pytree_iter_path_match(at, "**.b", &error);
    counts[1] += pytree_iter_path_match(at, ".layers[*].w", &error);
    counts[2] += pytree_iter_path_match(at, "**", &error);
    counts[3] += pytree_iter_path_match(at, ".scale", &error);
    return error.status;
}

static void matching_while_mapping(void **state)
{
    MLP model = mlp_make(3, true);
    pytree t = PYTREE(&model);
    pytree_error error = { 0 };
    size_t counts[4] = { 0 };
    (void)state;
    assert_ok(pytree_map(count_biases, counts, NULL, 1, &t, NULL, &error), &error);
    assert_int_equal(counts[0], 4);
    assert_int_equal(counts[1], 3);
    assert_int_equal(counts[2], 9);
    assert_int_equal(counts[3], 1);
    mlp_clear(&model);
}

/* ---- Get ----------------------------------------------------------------------------------------------------------- */

static void every_leaf_is_at_its_path(void **state)
{
    Everything all = everything_make(true);
    MLP model = mlp_make(3, true);
    Shelf shelf = shelf_make();
    int answer = 42;
    pytree trees[4];
    size_t k, leaves = 0;
    (void)state;
    trees[0] = PYTREE(&all);
    trees[1] = PYTREE(&model);
    trees[2] = PYTREE(&shelf);
    trees[3] = PYTREE_LIST(PYTREE(&answer),
                           PYTREE_DICT({ "b", PYTREE(&model) }, { "a'", PYTREE_TUPLE(PYTREE(&answer), PYTREE_STR("x")) }),
                           PYTREE_NAMEDTUPLE("Pair", { "first", PYTREE(&shelf) },
                                                     { "second", PYTREE_ODICT({ "z", PYTREE_INT(1) }) }));
    for (k = 0; k < 4; k++) {
        pytree_error error = { 0 };
        pytree_iter it;
        assert_ok(pytree_iter_begin(&it, 1, &trees[k], NULL, &error), &error);
        while (pytree_iter_next(&it)) {
            pytree_entry entries[16];
            const pytree_path path = { pytree_iter_path(&it, entries, 16), entries };
            char text[256], simple[256];
            pytree_leaf by_path, by_text, by_simple;
            pytree_path *loose;
            assert_true(pytree_iter_path_text(&it, text, sizeof(text)) < sizeof(text));
            by_path = pytree_get(trees[k], &path, NULL, &error);
            by_text = pytree_at(trees[k], text, NULL, &error);
            pytree_path_simple_text(&path, "/", simple, sizeof(simple));
            loose = pytree_path_parse(simple, "/", NULL, &error);
            by_simple = pytree_get(trees[k], loose, NULL, &error);
            assert_ok(error.status, &error);
            assert_true(pytree_is_leaf(&by_path) && pytree_is_leaf(&by_text) && pytree_is_leaf(&by_simple));
            assert_ptr_equal(by_path.data, it.leaf[0]->data);
            assert_ptr_equal(by_text.data, it.leaf[0]->data);
            assert_ptr_equal(by_simple.data, it.leaf[0]->data);
            assert_ptr_equal(by_path.type, it.leaf[0]->type);
            assert_int_equal(by_path.ndim, it.leaf[0]->ndim);
            assert_memory_equal(by_path.shape, it.leaf[0]->shape, (size_t)by_path.ndim * sizeof(size_t));
            pytree_path_free(loose);
            leaves++;
        }
        pytree_iter_end(&it);
        assert_ok(it.status, &error);
    }
    assert_true(leaves > 2 * (EVERYTHING_LEAVES / 2 + SHELF_LEAVES));
    everything_clear(&all);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static void nodes_are_reached_too(void **state)
{
    MLP model = mlp_make(2, true);
    pytree t = PYTREE(&model);
    pytree_error error = { 0 };
    pytree_leaf view;
    (void)state;
    view = pytree_at(t, "", NULL, &error);
    assert_def_text(pytree_of_view(&view), MLP_2_HEAD_TEXT, NULL);
    view = pytree_get(t, NULL, NULL, &error);
    assert_def_text(pytree_of_view(&view), MLP_2_HEAD_TEXT, NULL);
    view = pytree_at(t, ".layers", NULL, &error);
    assert_false(pytree_is_leaf(&view));
    assert_def_text(pytree_of_view(&view),
                    "PyTreeDef([CustomNode(Linear[(4, 3)], [*, *]), CustomNode(Linear[(3, 2)], [*, *])])", NULL);
    view = pytree_at(t, ".layers[1]", NULL, &error);
    assert_ptr_equal(view.data, &model.layers[1]);
    assert_string_equal(view.type->name, "Linear");
    view = pytree_at(t, ".head", NULL, &error);
    assert_ptr_equal(view.data, model.head);
    assert_ok(error.status, &error);
    view = pytree_at(pytree_of_view(&view), ".b", NULL, &error);
    assert_ptr_equal(view.data, model.head->b);
    assert_ok(error.status, &error);
    linear_clear(model.head);
    free(model.head);
    model.head = NULL;
    view = pytree_at(t, ".head", NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(view.type);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    mlp_clear(&model);
}

static void a_leaf_alone_and_views(void **state)
{
    float x[6] = { 0 };
    double d = 1.5;
    pytree_leaf leaf = { .data = x, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 3 } }, view;
    pytree inner = PYTREE(&leaf), outer = PYTREE(&inner), list = PYTREE_LIST(outer, PYTREE_NONE);
    pytree_error error = { 0 };
    (void)state;
    view = pytree_at(PYTREE(&d), "", NULL, &error);
    assert_ptr_equal(view.data, &d);
    assert_int_equal(view.ndim, 0);
    view = pytree_at(outer, "", NULL, &error);                                     /* a reference to a reference to a view */
    assert_true(pytree_is_leaf(&view));
    assert_ptr_equal(view.data, x);
    assert_int_equal(view.ndim, 2);
    view = pytree_at(list, "[0]", NULL, &error);
    assert_ptr_equal(view.data, x);
    view = pytree_at(PYTREE_NONE, "", NULL, &error);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    view = pytree_at(list, "[1]", NULL, &error);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    assert_ok(error.status, &error);
}

static void in_a_flat_tree(void **state)
{
    MLP model = mlp_make(2, false);
    double numbers[5] = { 0, 1, 2, 3, 4 };
    pytree_leaf leaves[5], view;
    pytree_flat flat = { NULL, leaves };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, &error);
    size_t i;
    (void)state;
    assert_non_null(def);
    memset(leaves, 0, sizeof(leaves));
    for (i = 0; i < 5; i++) {
        leaves[i].data = &numbers[i];
        leaves[i].type = PYTREE_TYPE(double);
    }
    flat.def = def;
    view = pytree_at(PYTREE(&flat), ".layers[1].b", NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, &numbers[3]);
    view = pytree_at(PYTREE(&flat), ".scale", NULL, &error);
    assert_ptr_equal(view.data, &numbers[4]);
    view = pytree_at(PYTREE(&flat), ".layers[1]", NULL, &error);
    assert_ok(error.status, &error);
    view = pytree_at(pytree_of_view(&view), ".w", NULL, &error);
    assert_ptr_equal(view.data, &numbers[2]);
    view = pytree_at(PYTREE(&flat), ".layers[1].c", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, ".layers[1]", &error);
    assert_string_equal(error.message, "expected .c, got a Linear with .w, .b");
    assert_null(view.type);
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(&flat), ".x", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected .x, got a MLP with .layers, .head, .scale");
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(&flat), ".head.w", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, ".head", &error);
    pytree_def_free(def);
    mlp_clear(&model);
}

static void says_what_is_there_instead(void **state)
{
    MLP model = mlp_make(2, false);
    Shelf shelf = shelf_make(), empty = { 0 };
    Config config = { 0 };
    int number = 3;
    const pytree box = PYTREE_TUPLE(PYTREE(&model), PYTREE(&shelf), PYTREE(&empty), PYTREE(&config), PYTREE(&number),
                                    PYTREE_LIST(), PYTREE_DICT(), PYTREE_NAMEDTUPLE("Origin", { "x", PYTREE_INT(1) }),
                                    PYTREE_ODICT({ "it's", PYTREE_INT(1) }, { "b", PYTREE_INT(2) }), PYTREE_STR("text"));
    static const struct { const char *text, *path, *message; } cases[] = {
        { ".x", "", "expected .x, got a tuple of 10" },
        { "[10]", "", "expected [10], got a tuple of 10" },
        { "['a'].b", "", "expected ['a'], got a tuple of 10" },
        { "[0].layers[0].wx", "[0].layers[0]", "expected .wx, got a Linear with .w, .b" },
        { "[0].layers[0]['w']", "[0].layers[0]", "expected ['w'], got a Linear with .w, .b" },
        { "[0].layers[0][0].x", "[0].layers[0]", "expected [0], got a Linear with .w, .b" },
        { "[0].layers[0].din", "[0].layers[0]", "expected .din, got a Linear with .w, .b" },
        { "[0].layers[2].w", "[0].layers", "expected [2], got a list of 2" },
        { "[0].layers.w", "[0].layers", "expected .w, got a list of 2" },
        { "[0].head.w", "[0].head", "expected .w, got None" },
        { "[0].scale[0]", "[0].scale", "expected [0], got a leaf f32[2,3]" },
        { "[1].heights[3]", "[1].heights", "expected [3], got a list of 3" },
        { "[1].prices['plum']", "[1].prices", "expected ['plum'], got a dict with ['apple'], ['fig'], ['pear']" },
        { "[1].prices.pear", "[1].prices", "expected .pear, got a dict with ['apple'], ['fig'], ['pear']" },
        { "[2].heights[0]", "[2].heights", "expected [0], got an empty list" },
        { "[2].prices['a']", "[2].prices", "expected ['a'], got an empty dict" },
        { "[3].width", "[3]", "expected .width, got an empty Config" },
        { "[4].x", "[4]", "expected .x, got a leaf i32" },
        { "[5][0]", "[5]", "expected [0], got an empty list" },
        { "[6]['k']", "[6]", "expected ['k'], got an empty dict" },
        { "[7].y", "[7]", "expected .y, got an Origin with .x" },
        { "[8]['c']", "[8]", "expected ['c'], got an OrderedDict with [\"it's\"], ['b']" },
        { "[9][0]", "[9]", "expected [0], got a leaf str" },
        { "[<flat index 0>]", "", "expected [<flat index 0>], got a tuple of 10" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        pytree_leaf view = pytree_at(box, cases[i].text, NULL, &error);
        assert_null(view.type);
        assert_null(view.data);
        assert_error(error.status, PYTREE_NOT_FOUND, cases[i].path, &error);
        assert_string_equal(error.message, cases[i].message);
        view = pytree_at(box, cases[i].text, NULL, NULL);
        assert_null(view.type);
    }
    {
        pytree_error error = { 0 };
        pytree_leaf view = pytree_at(box, "[0].layers[", NULL, &error);
        assert_null(view.type);
        assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
    }
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static void long_errors_are_cut(void **state)
{
    enum { N = 60, LONG = 5000 };
    pytree_pair pairs[N];
    pytree_items items = { .count = N, .pairs = pairs };
    pytree t = { &pytree_types[PYTREE__T_dict], &items };
    char names[N][16], *text = malloc(LONG + 16);
    double value = 0;
    pytree_error error = { 0 };
    pytree_leaf view;
    Node *chain = chain_make(300);
    size_t i;
    (void)state;
    assert_non_null(text);
    for (i = 0; i < N; i++) {
        snprintf(names[i], sizeof(names[i]), "key%02zu", i);
        pairs[i].key = names[i];
        pairs[i].value = PYTREE(&value);
    }
    view = pytree_at(t, "['none']", NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_non_null(strstr(error.message, "expected ['none'], got a dict with ['key00'], ['key01'], "));
    assert_non_null(strstr(error.message, "... (60 in all)"));
    assert_true(strlen(error.message) < sizeof(error.message) - 1);

    memset(text, 'x', LONG);
    text[0] = '.';
    text[LONG] = '\0';
    memset(&error, 0, sizeof(error));
    view = pytree_at(t, text, NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_non_null(strstr(error.message, "expected .xxxx"));
    assert_non_null(strstr(error.message, "..., got a dict with ['key00']"));

    /* a long entry before the one that is missing: what stands before it is kept, as is as much of it as there is room for */
    for (i = 0; i < LONG; i += 2) { memcpy(text + i, "\xC3\xA9", 2); }
    pairs[1].key = text;
    memset(&error, 0, sizeof(error));
    {
        pytree_entry entries[] = { INDEX(0), KEY(text), ATTRIBUTE("x"), ATTRIBUTE("y") };
        const pytree_path path = { 4, entries };
        pytree point = PYTREE_NAMEDTUPLE("Point", { "x", t });
        items.count = 2;
        pairs[1].value = point;
        view = pytree_get(PYTREE_LIST(t), &path, NULL, &error);
        assert_null(view.type);
        assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
        assert_memory_equal(error.message, "expected .y, got a dict with ['key00'], ... (2 in all)", 54);
        assert_memory_equal(error.path, "[0]['\xC3\xA9", 7);
        assert_string_equal(error.path + strlen(error.path) - 6, "\xA9....x");
        assert_int_equal(strlen(error.path) % 2, 0);                               /* no half characters */
        assert_true(strlen(error.path) > 100);
    }

    text[0] = '\0';
    for (i = 0; i < 299; i++) { strcat(text, ".next"); }
    strcat(text, ".valu");
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(chain), text, NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
    assert_string_equal(error.message, "expected .valu, got a Node with .value, .next");
    assert_memory_equal(error.path, ".next.next", 10);
    assert_non_null(strstr(error.path, "...."));
    assert_string_equal(error.path + strlen(error.path) - 10, ".next.next");
    assert_true(strlen(error.path) > 200);
    free(text);
    free(chain);
}

static bool stops_everywhere(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return true;
}

static void predicates_are_not_asked(void **state)
{
    MLP model = mlp_make(1, false);
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf view;
    (void)state;
    opt.is_leaf = stops_everywhere;
    view = pytree_at(PYTREE(&model), ".layers[0].b", &opt, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, model.layers[0].b);
    opt.is_leaf = NULL;
    opt.none_is_leaf = true;
    view = pytree_at(PYTREE(&model), ".head", &opt, &error);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    view = pytree_at(PYTREE(&model), ".head.w", &opt, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, ".head", &error);
    assert_string_equal(error.message, "expected .w, got None");
    mlp_clear(&model);
}

static void broken_nodes_on_the_way(void **state)
{
    MLP model = mlp_make(2, false);
    float *b = model.layers[1].b;
    pytree_error error = { 0 };
    pytree_leaf view;
    (void)state;
    model.layers[1].b = NULL;
    view = pytree_at(PYTREE(&model), ".layers[1].w", NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NULL_POINTER, ".layers[1].b", &error);
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(&model), ".layers[0].w", NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, model.layers[0].w);
    model.layers[1].b = b;
    mlp_clear(&model);
}

/* ---- Set ----------------------------------------------------------------------------------------------------------- */

static void setting_a_leaf(void **state)
{
    MLP model = mlp_make(2, false);
    pytree t = PYTREE(&model);
    float b[3] = { 7, 8, 9 };
    pytree_leaf value = { .data = b, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
    pytree_entry entries[] = { ATTRIBUTE("layers"), INDEX(0), ATTRIBUTE("b") };
    const pytree_path path = { 3, entries };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_set(t, &path, &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    b[1] = -1;
    assert_ok(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    value = pytree_at(t, ".layers[0].b", NULL, &error);
    assert_ok(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), &error);     /* onto itself */
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    b[2] = 0.5f;
    value = (pytree_leaf){ .data = &(pytree_leaf){ .data = b, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } },
                           .type = PYTREE_TYPE(pytree_leaf) };                     /* a value that holds a view */
    assert_ok(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    mlp_clear(&model);
}

static void setting_checks_first(void **state)
{
    MLP model = mlp_make(2, true);
    pytree t = PYTREE(&model);
    float before[12], numbers[12] = { 0 };
    double doubles[12] = { 0 };
    pytree_leaf value = { .data = numbers, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 3, 4 } };
    pytree_error error = { 0 };
    (void)state;
    memcpy(before, model.layers[0].w, sizeof(before));
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_SHAPE, ".layers[0].w", &error);
    assert_string_equal(error.message, "expected f32[4,3], got f32[3,4]");
    memset(&error, 0, sizeof(error));
    value.ndim = 1;
    value.shape[0] = 12;
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_SHAPE, ".layers[0].w", &error);
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = numbers, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 3, 1 } };
    assert_error(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), PYTREE_SHAPE, ".layers[0].b", &error);
    assert_string_equal(error.message, "expected f32[3], got f32[3,1]");
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = doubles, .type = PYTREE_TYPE(double), .ndim = 2, .shape = { 4, 3 } };
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_TYPE, ".layers[0].w", &error);
    assert_string_equal(error.message, "expected f32[4,3], got f64[4,3]");
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = NULL, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 4, 3 } };
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_NULL_POINTER, ".layers[0].w", &error);
    memset(&error, 0, sizeof(error));
    value.data = numbers;
    assert_error(pytree_set_at(t, ".layers[0].x", &value, NULL, &error), PYTREE_NOT_FOUND, ".layers[0]", &error);
    memset(&error, 0, sizeof(error));
    assert_error(pytree_set_at(t, ".layers[0].", &value, NULL, &error), PYTREE_SYNTAX, NULL, &error);
    memset(&error, 0, sizeof(error));
    assert_error(pytree_set_at(t, ".layers", &value, NULL, &error), PYTREE_STRUCTURE, ".layers", &error);
    assert_int_equal(pytree_set_at(t, ".layers", &value, NULL, NULL), PYTREE_STRUCTURE);
    assert_memory_equal(model.layers[0].w, before, sizeof(before));
    mlp_clear(&model);
}

static void setting_what_is_no_value(void **state)
{
    MLP model = mlp_make(1, false);
    pytree t = PYTREE(&model);
    pytree_error error = { 0 }, ignored = { 0 };
    pytree_leaf value = pytree_at(t, ".nothing", NULL, &ignored);
    float one[3] = { 1, 2, 3 };
    (void)state;
    assert_error(pytree_set_at(t, ".scale", &value, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    assert_non_null(strstr(error.message, ", got no type"));
    memset(&error, 0, sizeof(error));
    assert_error(pytree_set_at(t, ".scale", NULL, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = one, .type = PYTREE_TYPE(float), .ndim = PYTREE_MAX_DIMS + 1 };
    assert_error(pytree_set_at(t, ".scale", &value, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    memset(&error, 0, sizeof(error));
    value.ndim = -1;
    assert_error(pytree_set_at(t, ".scale", &value, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = one, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
    assert_error(pytree_set_at(t, ".head", &value, NULL, &error), PYTREE_STRUCTURE, ".head", &error);   /* None there */
    assert_null(model.head);
    mlp_clear(&model);
}

static void setting_a_subtree(void **state)
{
    MLP model = mlp_make(3, false), other = mlp_make(3, false);
    pytree_error error = { 0 };
    pytree_leaf value;
    size_t i;
    (void)state;
    for (i = 0; i < 12; i++) { other.layers[0].w[i] = -3.0f; }
    value = pytree_at(PYTREE(&other), ".layers[0]", NULL, &error);
    assert_ok(pytree_set_at(PYTREE(&model), ".layers[0]", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].w, other.layers[0].w, 12 * sizeof(float));
    value = (pytree_leaf){ .data = &other.layers[0], .type = PYTREE_TYPE(Linear) };
    model.layers[0].w[0] = 0.0f;
    assert_ok(pytree_set_at(PYTREE(&model), ".layers[0]", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].w, other.layers[0].w, 12 * sizeof(float));
    assert_error(pytree_set_at(PYTREE(&model), ".layers[1]", &value, NULL, &error), PYTREE_STRUCTURE, ".layers[1]", &error);
    mlp_clear(&model);
    mlp_clear(&other);
}

static void setting_strings_and_scalars(void **state)
{
    Everything all = everything_make(true);
    const char *word = "another";
    bool flag = false;
    Point point = { 1.25f, 2.5f };
    pytree_leaf value;
    pytree_error error = { 0 };
    (void)state;
    value = (pytree_leaf){ .data = &word, .type = PYTREE_TYPE(char *) };
    assert_ok(pytree_set_at(PYTREE(&all), ".title", &value, NULL, &error), &error);
    assert_ptr_equal(all.title, word);
    value = (pytree_leaf){ .data = &flag, .type = PYTREE_TYPE(bool) };
    assert_ok(pytree_set_at(PYTREE(&all), ".flag", &value, NULL, &error), &error);
    assert_false(all.flag);
    value = pytree_at(PYTREE(&point), "", NULL, &error);
    assert_ok(pytree_set_at(PYTREE(&all), ".points[2]", &value, NULL, &error), &error);
    assert_true(all.points[2].x == 1.25f && all.points[2].y == 2.5f);
    everything_clear(&all);
}

/* ---- Keys that are numbers, nodes of the user's own, namespaces ------------------------------------------------------ */

static void numbers_as_keys(void **state)
{
    static const struct { pytree_entry entry; const char *text, *simple; } cases[] = {
        { INT_KEY(-3), "[-3]", "-3" }, { INT_KEY(-1), "[-1]", "-1" },
        { INT_KEY(INT64_MIN), "[-9223372036854775808]", "-9223372036854775808" }
    };
    const pytree_entry entries[] = { INT_KEY(INT64_MIN), INT_KEY(-1), INT_KEY(0), INT_KEY(3), INT_KEY(INT64_MAX) };
    pytree_entry index = INDEX(3), from = KEY("x");
    pytree_path a, b;
    size_t i, k;
    (void)state;
    a.n = b.n = 1;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_path *path = parsed(cases[i].text), *joined;
        char *simple;
        a.entries = &cases[i].entry;
        assert_text(&a, cases[i].text);
        assert_true(pytree_path_equal(&a, path));
        assert_int_equal(pytree_path_hash(&a), pytree_path_hash(path));
        simple = text_of(&a, "/");
        assert_string_equal(simple, cases[i].simple);
        free(simple);
        b.entries = &from;
        joined = pytree_path_join(&b, path, NULL, NULL);
        assert_true(pytree_path_starts_with(joined, &b));
        assert_true(pytree_path_equal(&(pytree_path){ 1, joined->entries + 1 }, &a));
        pytree_path_free(joined);
        pytree_path_free(path);
    }
    for (i = 0; i < COUNT_OF(entries); i++) {         /* by their sign */
        for (k = 0; k < COUNT_OF(entries); k++) {
            a.entries = &entries[i];
            b.entries = &entries[k];
            assert_int_equal(pytree_path_compare(&a, &b), i < k ? -1 : i > k);
            assert_int_equal(pytree_path_equal(&a, &b), i == k);
        }
    }
    a.entries = &entries[3];              /* [3] the key is not [3] the index, though their texts are the same */
    b.entries = &index;
    assert_text(&a, "[3]");
    assert_false(pytree_path_equal(&a, &b));
    assert_int_equal(pytree_path_compare(&a, &b), 1);
}

static void numbers_in_patterns(void **state)
{
    static const struct { const char *pattern; int64_t key; bool fits; } cases[] = {
        { "[3]", 3, true }, { "[-3]", -3, true }, { "[3]", -3, false }, { "[-3]", 3, false }, { "[*]", -3, true },
        { "*", 3, true }, { "**[-3]", -3, true }, { ".*", 3, false }, { "['3']", 3, false }, { "[<flat index 3>]", 3, false },
        { "[18446744073709551613]", -3, false }, { "[9223372036854775807]", INT64_MAX, true }
    };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        const pytree_entry entry = INT_KEY(cases[i].key);
        const pytree_path path = { 1, &entry };
        assert_int_equal(pytree_path_match(&path, cases[i].pattern, &error), cases[i].fits);
        assert_ok(error.status, &error);
    }
    {
        const pytree_entry index = INDEX(3);
        const pytree_path path = { 1, &index };
        assert_true(pytree_path_match(&path, "[3]", &error));
        assert_false(pytree_path_match(&path, "[-3]", &error));
    }
}

/* The number at a path; 0 where nothing is, after which the error is as expected (NULL: any). */
static long long number_at(pytree t, const char *text, const pytree_options *opt, const char *expected)
{
    pytree_error error = { 0 };
    pytree_leaf found = pytree_at(t, text, opt, &error);
    int64_t number = 0;
    if (found.type == NULL) {
        assert_int_equal(error.status, PYTREE_NOT_FOUND);
        if (expected != NULL) { assert_string_equal(error.message, expected); }
        return 0;
    }
    assert_ok(error.status, &error);
    assert_int_equal(found.type->size, sizeof number);
    memcpy(&number, found.data, sizeof number);
    return number;
}
#define N(i) PYTREE_INT(i)

static void get_by_numbers(void **state)
{
    pytree_int_pair pairs[2] = { { 5, N(51) }, { -5, N(52) } };
    pytree_items items = { .count = 2, .int_pairs = pairs };
    pytree odict = { &pytree_types[PYTREE__T_odict], &items };
    pytree inner = PYTREE_IDICT({ 3, N(31) }, { 0, N(32) }, { -3, N(33) }, { INT64_MIN, N(34) }, { INT64_MAX, N(35) });
    pytree t = PYTREE_LIST(inner, odict, PYTREE_DEFAULTDICT("int", { "k", N(41) }, { "3", N(42) }),
                           PYTREE_DEQUE(4, N(61), N(62)));
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree trees[2];
    size_t i;
    (void)state;
    assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    trees[0] = t;
    trees[1] = PYTREE(&flat);             /* without the values that it was made of */
    for (i = 0; i < 2; i++) {
        static const struct { const char *simple; long long number; } simple[] = {
            { "0/3", 31 }, { "0/0", 32 }, { "0/-3", 33 }, { "0/-9223372036854775808", 34 }, { "0/9223372036854775807", 35 },
            { "1/-5", 52 }, { "2/k", 41 }, { "2/3", 42 }, { "3/1", 62 }
        };
        size_t k;
        assert_int_equal(number_at(trees[i], "[0][3]", NULL, NULL), 31);
        assert_int_equal(number_at(trees[i], "[0][0]", NULL, NULL), 32);
        assert_int_equal(number_at(trees[i], "[0][-3]", NULL, NULL), 33);
        assert_int_equal(number_at(trees[i], "[0][-9223372036854775808]", NULL, NULL), 34);
        assert_int_equal(number_at(trees[i], "[0][9223372036854775807]", NULL, NULL), 35);
        assert_int_equal(number_at(trees[i], "[0][18446744073709551613]", NULL, NULL), 0);
        assert_int_equal(number_at(trees[i], "[0]['3']", NULL, NULL), 0);
        assert_int_equal(number_at(trees[i], "[0][1]", NULL, "expected [1], got a dict with [-9223372036854775808], [-3], [0], "
                                   "[3], [9223372036854775807]"), 0);
        assert_int_equal(number_at(trees[i], "[1][5]", NULL, NULL), 51);
        assert_int_equal(number_at(trees[i], "[1][-5]", NULL, NULL), 52);
        assert_int_equal(number_at(trees[i], "[2]['k']", NULL, NULL), 41);
        assert_int_equal(number_at(trees[i], "[2]['q']", NULL, "expected ['q'], got a defaultdict with ['3'], ['k']"), 0);
        assert_int_equal(number_at(trees[i], "[3][1]", NULL, NULL), 62);
        assert_int_equal(number_at(trees[i], "[3][2]", NULL, "expected [2], got a deque of 2"), 0);
        assert_int_equal(number_at(trees[i], "[-1]", NULL, "expected [-1], got a list of 4"), 0);
        for (k = 0; k < COUNT_OF(simple); k++) {
            pytree_path *path = pytree_path_parse(simple[k].simple, "/", NULL, &error);
            pytree_leaf found = pytree_get(trees[i], path, NULL, &error);
            assert_ok(error.status, &error);
            assert_int_equal(*(const int64_t *)found.data, simple[k].number);
            pytree_path_free(path);
        }
        {
            const pytree_entry entries[] = { INDEX(0), INT_KEY(3) }, list[] = { INT_KEY(0) };
            const pytree_path path = { 2, entries }, no = { 1, list };
            assert_int_equal(*(const int64_t *)pytree_get(trees[i], &path, NULL, &error).data, 31);
            assert_null(pytree_get(trees[i], &no, NULL, NULL).type);      /* a key does not reach an index */
        }
    }
    {
        int64_t seven = 7;
        pytree_leaf value = { .data = &seven, .type = PYTREE_TYPE(int64_t) };
        assert_ok(pytree_set_at(t, "[0][-3]", &value, NULL, &error), &error);
        assert_int_equal(number_at(t, "[0][-3]", NULL, NULL), 7);
    }
    pytree_def_free(def);
}

static void get_in_custom_nodes(void **state)
{
    Box box = { { { 0 } } };
    KeyedBox keyed = { { { { 0 } } } };
    pytree t = PYTREE_TUPLE(PYTREE(&box), PYTREE(&keyed));
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree trees[2];
    size_t i;
    (void)state;
    for (i = 0; i < 4; i++) { box.items[i] = keyed.box.items[i] = PYTREE_NONE; }
    box.items[1] = N(11);
    box.items[2] = PYTREE_LIST(N(12));
    keyed.box.items[0] = N(21);
    keyed.box.items[1] = N(20);
    keyed.box.items[2] = N(22);
    keyed.box.items[3] = PYTREE(&box);
    assert_ok(pytree_flatten(t, &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    trees[0] = t;
    trees[1] = PYTREE(&flat);
    for (i = 0; i < 2; i++) {
        assert_int_equal(number_at(trees[i], "[0][<flat index 1>]", NULL, NULL), 11);
        assert_int_equal(number_at(trees[i], "[0][<flat index 2>][0]", NULL, NULL), 12);
        assert_int_equal(number_at(trees[i], "[0][1]", NULL, "expected [1], got a Box with [<flat index 0>], [<flat index 1>], "
                                   "[<flat index 2>], [<flat index 3>]"), 0);
        assert_int_equal(number_at(trees[i], "[0][<flat index 4>]", NULL, NULL), 0);
        assert_int_equal(number_at(trees[i], "[1][0]", NULL, NULL), 20);
        assert_int_equal(number_at(trees[i], "[1][1]", NULL, NULL), 21);
        assert_int_equal(number_at(trees[i], "[1].w", NULL, NULL), 22);
        assert_int_equal(number_at(trees[i], "[1][-4][<flat index 1>]", NULL, NULL), 11);
        assert_int_equal(number_at(trees[i], "[1][2]", NULL, "expected [2], got a KeyedBox with [1], [0], .w, [-4]"), 0);
    }
    pytree_def_free(def);
}

static void get_in_a_namespace(void **state)
{
    const pytree_options train = { .space = "train" }, other = { .space = "other" };
    Cell cell = { 7, 8 }, put = { 1, 2 };
    pytree t = PYTREE_LIST(PYTREE(&cell));
    pytree_error error = { 0 };
    int nine = 9;
    pytree_leaf found = pytree_at(t, "[0].b", &train, &error), value = { .data = &nine, .type = PYTREE_TYPE(int) };
    (void)state;
    assert_ok(error.status, &error);
    assert_ptr_equal(found.data, &cell.b);
    found = pytree_at(t, "[0]", &train, &error);
    assert_ok(error.status, &error);
    assert_false(pytree_is_leaf(&found));
    found = pytree_at(t, "[0]", &other, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_is_leaf(&found));
    assert_null(pytree_at(t, "[0].b", &other, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "[0]", &error);
    memset(&error, 0, sizeof(error));
    found = pytree_at(PYTREE(&cell), ".a", &train, &error);       /* the root too */
    assert_ptr_equal(found.data, &cell.a);
    assert_ok(pytree_set_at(t, "[0].a", &value, &train, &error), &error);
    assert_int_equal(cell.a, 9);
    value.data = &put;
    value.type = PYTREE_TYPE(Cell);
    assert_ok(pytree_set_at(t, "[0]", &value, NULL, &error), &error);
    assert_int_equal(cell.b, 2);
}

/* ---- Depth and width ----------------------------------------------------------------------------------------------- */

static void a_million_entries(void **state)
{
    const size_t n = under_valgrind() ? 20000 : 1000000;
    pytree_entry *entries = malloc(n * sizeof(*entries));
    pytree_path path = { n, entries }, shorter = { n - 1, entries }, *back, *joined;
    char *text;
    size_t i;
    (void)state;
    assert_non_null(entries);
    for (i = 0; i < n; i++) { entries[i] = i % 3 == 0 ? attribute("next") : i % 3 == 1 ? at_index(i) : key("k\n"); }
    text = text_of(&path, NULL);
    back = parsed(text);
    assert_true(pytree_path_equal(&path, back));
    assert_true(pytree_path_hash(&path) == pytree_path_hash(back));
    assert_int_equal(pytree_path_compare(&path, &shorter), 1);
    assert_true(pytree_path_starts_with(back, &shorter));
    assert_true(pytree_path_match(back, text, NULL));
    assert_true(pytree_path_match(back, ".next**[1]**['k\\n']**", NULL));
    assert_false(pytree_path_match(back, "**.next**[2]**", NULL));
    joined = pytree_path_join(back, &path, NULL, NULL);
    assert_int_equal(joined->n, 2 * n);
    pytree_path_free(joined);
    pytree_path_free(back);
    free(text);
    free(entries);
}

static void a_million_levels(void **state)
{
    const size_t n = under_valgrind() ? 5000 : 1000000;
    Node *chain = chain_make(n);
    pytree_entry *entries = malloc(n * sizeof(*entries));
    pytree_path path = { n, entries };
    pytree_error error = { 0 };
    pytree_leaf view;
    size_t i;
    (void)state;
    assert_non_null(entries);
    for (i = 0; i + 1 < n; i++) { entries[i] = attribute("next"); }
    entries[n - 1] = attribute("value");
    view = pytree_get(PYTREE(chain), &path, NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, &chain[n - 1].value);
    entries[n - 1] = attribute("val");
    view = pytree_get(PYTREE(chain), &path, NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
    assert_string_equal(error.message, "expected .val, got a Node with .value, .next");
    free(entries);
    free(chain);
}

static void wide_nodes(void **state)
{
    enum { N = 1000 };
    Everything all = everything_make(false);
    Point *points = calloc(N, sizeof(*points));
    pytree items[N];
    double numbers[N];
    pytree_items list = { .count = N, .items = items };
    pytree t = { &pytree_types[PYTREE__T_list], &list };
    pytree_error error = { 0 };
    pytree_leaf view;
    size_t i;
    (void)state;
    assert_non_null(points);
    free(all.points);
    all.points = points;
    all.n_points = N;
    for (i = 0; i < N; i++) { items[i] = PYTREE(&numbers[i]); }
    view = pytree_at(t, "[999]", NULL, &error);
    assert_ptr_equal(view.data, &numbers[999]);
    view = pytree_at(PYTREE(&all), ".points[777].y", NULL, &error);
    assert_ptr_equal(view.data, &points[777].y);
    assert_ok(error.status, &error);
    view = pytree_at(t, "[1000]", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected [1000], got a list of 1000");
    everything_clear(&all);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static pytree_status parse_and_join(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_path *a = pytree_path_parse(".layers[0]['it\\'s']", NULL, opt, err), *b = NULL, *both = NULL;
    (void)context;
    if (a != NULL) { b = pytree_path_parse("x/y/0", "/", opt, err); }
    if (b != NULL) { both = pytree_path_join(a, b, opt, err); }
    pytree_path_free(a);
    pytree_path_free(b);
    pytree_path_free(both);
    return err->status;
}

static pytree_status get_and_set(void *context, const pytree_options *opt, pytree_error *err)
{
    Everything *all = context;
    static const char name[] = "a key that is too long for what is kept on the stack: two hundred bytes and some more, so that "
                               "the text of this path is read into a block from the allocator; without it the sweep would see "
                               "only the views of the node with more than sixteen children fail, and not the path";
    const pytree box = PYTREE_DICT({ name, PYTREE(all) });
    const pytree_entry entry = key(name);
    const pytree_path path = { 1, &entry };
    char text[1024] = "";
    float one = 1.0f;
    pytree_leaf value = { .data = &one, .type = PYTREE_TYPE(float) }, view;
    pytree_path_text(&path, text, sizeof(text));
    strcat(text, ".points[2].x");
    view = pytree_at(box, text, opt, err);
    if (view.type == NULL) {
        assert_null(view.data);
        return err->status;
    }
    return pytree_set_at(box, text, &value, opt, err);
}

static pytree_status get_from_wide_nodes(void *context, const pytree_options *opt, pytree_error *err)
{
    enum { N = 60 };
    pytree_pair pairs[N];
    pytree_items items = { .count = N, .pairs = pairs };
    pytree dict = { &pytree_types[PYTREE__T_dict], &items }, t = PYTREE_LIST(dict);
    char names[N][8];
    pytree_leaf view;
    size_t i;
    for (i = 0; i < N; i++) {
        snprintf(names[i], sizeof(names[i]), "%zu", N - i);
        pairs[i].key = names[i];
        pairs[i].value = PYTREE((float *)context);
    }
    view = pytree_at(t, "[0]['7']", opt, err);
    if (view.type == NULL) {
        assert_string_equal(err->path, "[0]");
        return err->status;
    }
    assert_ptr_equal(view.data, context);
    return err->status;
}

static pytree_status match_deep_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree t = PYTREE((Node *)context);
    pytree_iter it;
    pytree_status status = pytree_iter_begin(&it, 1, &t, opt, err);
    size_t deep = 0, values = 0;
    while (status == PYTREE_OK && pytree_iter_next(&it)) {
        deep += pytree_iter_path_match(&it, "**.next.next.next.next.next.next.next.next**", err);
        values += pytree_iter_path_match(&it, "**.value", err);
        status = err->status;
    }
    if (status == PYTREE_OK) { status = it.status; }
    if (status == PYTREE_OK) {
        assert_int_equal(deep, 40 - 8);
        assert_int_equal(values, 40);
    }
    pytree_iter_end(&it);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    Everything all = everything_make(true);
    Node *chain = chain_make(40);
    float before, number = 1.0f;
    (void)state;
    assert_true(sweep_allocations(get_from_wide_nodes, &number) >= 1);
    assert_int_equal(sweep_allocations(parse_and_join, NULL), 3);
    before = all.points[2].x;
    assert_true(before != 1.0f);
    assert_true(sweep_allocations(get_and_set, &all) >= 2);
    assert_true(all.points[2].x == 1.0f);
    assert_true(sweep_allocations(match_deep_leaves, chain) >= 8);
    free(chain);
    everything_clear(&all);
}

static void short_paths_allocate_nothing(void **state)
{
    MLP model = mlp_make(2, true);
    Heap heap;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf value;
    (void)state;
    heap_init(&heap, 0);
    opt.allocator = &heap.allocator;
    value = pytree_at(PYTREE(&model), ".layers[1].w", &opt, &error);
    assert_ok(pytree_set_at(PYTREE(&model), ".layers[1].w", &value, &opt, &error), &error);
    assert_int_equal(heap.calls, 0);
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_each_kind),
        cmocka_unit_test(text_into_any_room),
        cmocka_unit_test(text_into_a_file),
        cmocka_unit_test(keys_are_quoted_like_python),
        cmocka_unit_test(every_character_comes_back),
        cmocka_unit_test(reads_each_kind),
        cmocka_unit_test(says_what_was_expected_where),
        cmocka_unit_test(the_first_error_stays),
        cmocka_unit_test(texts_cut_at_any_byte),
        cmocka_unit_test(hostile_texts),
        cmocka_unit_test(simple_form),
        cmocka_unit_test(order_of_paths),
        cmocka_unit_test(order_is_total),
        cmocka_unit_test(beginnings),
        cmocka_unit_test(joining),
        cmocka_unit_test(matching),
        cmocka_unit_test(matching_agrees_with_a_table),
        cmocka_unit_test(many_stars),
        cmocka_unit_test(matching_while_mapping),
        cmocka_unit_test(every_leaf_is_at_its_path),
        cmocka_unit_test(nodes_are_reached_too),
        cmocka_unit_test(a_leaf_alone_and_views),
        cmocka_unit_test(in_a_flat_tree),
        cmocka_unit_test(says_what_is_there_instead),
        cmocka_unit_test(long_errors_are_cut),
        cmocka_unit_test(predicates_are_not_asked),
        cmocka_unit_test(broken_nodes_on_the_way),
        cmocka_unit_test(setting_a_leaf),
        cmocka_unit_test(setting_checks_first),
        cmocka_unit_test(setting_what_is_no_value),
        cmocka_unit_test(setting_a_subtree),
        cmocka_unit_test(setting_strings_and_scalars),
        cmocka_unit_test(numbers_as_keys),
        cmocka_unit_test(numbers_in_patterns),
        cmocka_unit_test(get_by_numbers),
        cmocka_unit_test(get_in_custom_nodes),
        cmocka_unit_test(get_in_a_namespace),
        cmocka_unit_test(a_million_entries),
        cmocka_unit_test(a_million_levels),
        cmocka_unit_test(wide_nodes),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(short_paths_allocate_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
