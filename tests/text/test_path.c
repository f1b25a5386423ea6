/* Key paths as text: written, read, compared. */
#include "path_shared.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

#define FLAT_INDEX(i) { PYTREE_FLAT_INDEX, NULL, i }

static pytree_entry flat_index(size_t i) { return (pytree_entry)FLAT_INDEX(i); }

/* ---- Text -------------------------------------------------------------------------------------------------------------- */

static void text_of_each_kind(void **state)
{
    pytree_entry entries[] = { ATTRIBUTE("layers"), INDEX(0), KEY("k"), FLAT_INDEX(12), INDEX(SIZE_MAX) };
    pytree_entry large = { PYTREE_INDEX, NULL, (pytree_key_index)1 << 20 << 20 };   /* also where size_t has 32 bits */
    pytree_path path = { 5, entries }, root = { 0, NULL }, key = { 1, &large };
    char expected[128], *text;
    (void)state;
    snprintf(expected, sizeof(expected), ".layers[0]['k'][<flat index 12>][%zu]", SIZE_MAX);
    assert_text(&path, expected);
    assert_text(&key, "[1099511627776]");
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
        step = under_valgrind() ? 197 : c >= 0x30000 && c < 0x110000 ? 61
            : SANITIZED && c >= 0x1000 && (c < 0xD000 || c >= 0x11000) ? 31 : 1;
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

/* ---- Reading ----------------------------------------------------------------------------------------------------------- */

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
    path = parsed("['\\x4A\\x4a\\xAF']");
    assert_text(path, "['JJ\xC2\xAF']");
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
    pytree_error error = { 0 };
    bool read;
    assert_non_null(copy);
    memcpy(copy, text, n);
    copy[n] = '\0';
    read = reads_consistently(copy);
    pytree_path_match(NULL, copy, &error);
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

/* ---- Comparing --------------------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(joining)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
