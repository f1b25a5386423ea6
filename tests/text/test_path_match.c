/* Key paths matched against patterns; keys that are numbers, custom nodes, namespaces. */
#include "path_shared.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

#define INT_KEY(n) { PYTREE_INT_KEY, NULL, (pytree_key_index)(int64_t)(n) }

/* A node of the user's own; with `keyed`, one whose children have names, numbers and keys, the numbers not in a row. */
typedef struct Box { pytree items[4]; } Box;

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    static const pytree_entry all[] = { INDEX(1), INDEX(0), ATTRIBUTE("w"), INT_KEY(-4) };
    if (children != NULL) { memcpy(children, ((const Box *)self)->items, sizeof(((const Box *)self)->items)); }
    if (keys != NULL) { memcpy(keys, all, sizeof(all)); }
    return 4;
}

static const pytree_custom box_callbacks = { .children = box_children };

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef struct KeyedBox { Box box; } KeyedBox;
static const pytree_custom keyed_callbacks = { .children = box_children, .keyed = true };

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

/* ---- Matching ---------------------------------------------------------------------------------------------------------- */

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

static pytree_status match_what_cannot_be_read(void *context, const pytree_iter *at)
{
    *(bool *)context |= pytree_iter_path_match(at, "**.", NULL);
    return PYTREE_OK;
}

/* Without an error object of its own, a match reports to that of the map. */
static void unreadable_patterns_while_mapping(void **state)
{
    int number = 1;
    pytree t = PYTREE_LIST(PYTREE(&number));
    pytree_error error = { 0 };
    bool matched = false;
    (void)state;
    assert_int_equal(pytree_map(match_what_cannot_be_read, &matched, NULL, 1, &t, NULL, &error), PYTREE_OK);
    assert_false(matched);
    assert_int_equal(error.status, PYTREE_SYNTAX);
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

/* ---- Keys that are numbers, nodes of the user's own, namespaces -------------------------------------------------------- */

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matching),
        cmocka_unit_test(matching_agrees_with_a_table),
        cmocka_unit_test(many_stars),
        cmocka_unit_test(matching_while_mapping), cmocka_unit_test(unreadable_patterns_while_mapping),
        cmocka_unit_test(numbers_as_keys),
        cmocka_unit_test(numbers_in_patterns),
        cmocka_unit_test(get_by_numbers),
        cmocka_unit_test(get_in_custom_nodes),
        cmocka_unit_test(get_in_a_namespace)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
