/* Maps over trees that are nearly alike: keys of every kind against each other, metadata and static values that are longer,
 * types that are described twice. */
#include "support.h"

/* ---- Keys and metadata ------------------------------------------------------------------------------------------------- */

typedef struct Keyed {
    pytree child;
    pytree_entry key;
    const char *metadata;
} Keyed;

static size_t keyed_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Keyed *const k = (const Keyed *)self;
    if (children != NULL) {
        children[0] = k->child;
        keys[0] = k->key;
    }
    return 1;
}

static size_t keyed_metadata(const void *self, void *to)
{
    const char *const text = ((const Keyed *)self)->metadata;
    if (to != NULL) { memcpy(to, text, strlen(text)); }
    return strlen(text);
}

static const pytree_custom keyed_callbacks = { .children = keyed_children, .keyed = true, .metadata = keyed_metadata };

#define PYTREE_STRUCT Keyed
#define PYTREE_CUSTOM keyed_callbacks
#include "pytree_registry.h"

static pytree_status count(void *context, const pytree_iter *it)
{
    (void)it;
    ++*(size_t *)context;
    return PYTREE_OK;
}

/* A map over both stops at that path, and says that (NULL: it goes through). */
static void assert_map(pytree a, pytree b, const char *path, const char *message)
{
    const pytree both[2] = { a, b };
    pytree_error error = { 0 };
    size_t n = 0;
    const pytree_status status = pytree_map(count, &n, NULL, 2, both, NULL, &error);
    if (message == NULL) {
        assert_ok(status, &error);
        assert_true(n != 0);
        return;
    }
    assert_error(status, PYTREE_STRUCTURE, path, &error);
    assert_string_equal(error.message, message);
    assert_int_equal(n, 0);
}

static void keys_of_other_kinds(void **state)
{
    static const struct { pytree_entry_kind kind; const char *text; } kinds[] = {
        { PYTREE_ATTRIBUTE, "'k'" }, { PYTREE_INDEX, "[7]" }, { PYTREE_KEY, "'k'" }, { PYTREE_INT_KEY, "7" },
        { PYTREE_FLAT_INDEX, "[<flat index 7>]" },
    };
    static float x = 1;
    Keyed a = { PYTREE(&x), { 0 }, "" }, b = a;
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(kinds); i++) {
        a.key.kind = kinds[i].kind;
        a.key.name = a.key.kind == PYTREE_ATTRIBUTE || a.key.kind == PYTREE_KEY ? "k" : NULL;
        a.key.index = 7;
        for (k = 0; k < COUNT_OF(kinds); k++) {
            char words[100];
            b.key.kind = kinds[k].kind;
            b.key.name = b.key.kind == PYTREE_ATTRIBUTE || b.key.kind == PYTREE_KEY ? "k" : NULL;
            b.key.index = 7;
            snprintf(words, sizeof words, "expected key %s as in the first tree, got %s in tree 1", kinds[i].text,
                     kinds[k].text);
            assert_map(PYTREE(&a), PYTREE(&b), "", i == k ? NULL : words);
        }
    }
}

static pytree_status into(Keyed *from, Keyed *to, pytree_error *error)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_status status = pytree_flatten(PYTREE(from), &leaves, 0, &def, NULL, error);
    if (status != PYTREE_OK) { return status; }
    status = pytree_unflatten_into(def, 1, leaves, PYTREE(to), NULL, error);
    pytree_def_free(def);
    return status;
}

static void metadata_that_is_longer(void **state)
{
    static const char words[] = "expected Keyed with the static values of the first tree, got others in tree 1";
    static float x = 1, y = 2;
    Keyed a = { PYTREE(&x), { .kind = PYTREE_INT_KEY, .index = 1 }, "ab" }, b = a;
    pytree_error error = { 0 };
    (void)state;
    b.child = PYTREE(&y);
    assert_map(PYTREE(&a), PYTREE(&b), "", NULL);
    assert_ok(into(&a, &b, &error), &error);
    assert_true(y == 1);
    y = 2;
    b.metadata = "abc";
    assert_map(PYTREE(&a), PYTREE(&b), "", words);
    assert_error(into(&a, &b, &error), PYTREE_STRUCTURE, "", &error);
    memset(&error, 0, sizeof error);
    b.metadata = "ac";
    assert_map(PYTREE(&a), PYTREE(&b), "", words);
    assert_error(into(&a, &b, &error), PYTREE_STRUCTURE, "", &error);
    assert_true(y == 2);
}

/* ---- Static values and types ----------------------------------------------------------------------------------------- */

typedef struct Titled { const char *title; float x; } Titled;

#define PYTREE_STRUCT Titled
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, title) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* Treedefs with leaves, of structs whose static values have as many bytes or not. */
static void static_values_of_flats(void **state)
{
    static const char *const titles[4] = { "one", "one", "two", "three" };
    pytree_flat flats[4];
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    for (i = 0; i < 4; i++) {
        static Titled titled[4];
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        titled[i].title = titles[i];
        assert_ok(pytree_flatten(PYTREE(&titled[i]), &leaves, 0, &def, NULL, &error), &error);
        flats[i].def = def;
        flats[i].leaves = leaves;
    }
    assert_map(PYTREE(&flats[0]), PYTREE(&flats[1]), "", NULL);
    assert_map(PYTREE(&flats[0]), PYTREE(&flats[2]), "",
               "expected Titled with title='one' as in the first tree, got 'two' in tree 1");
    assert_map(PYTREE(&flats[0]), PYTREE(&flats[3]), "",
               "expected Titled with title='one' as in the first tree, got 'three' in tree 1");
    for (i = 0; i < 4; i++) { pytree_def_free((pytree_def *)(uintptr_t)flats[i].def); }
}

/* A namedtuple that is the treedef of one is called by its own name. */
static void flat_namedtuple_beside_a_list(void **state)
{
    int x = 1;
    const pytree list = PYTREE_LIST(PYTREE(&x));
    pytree_flat flat;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_flatten(PYTREE_NAMEDTUPLE("Pair", { "x", PYTREE(&x) }), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_map(PYTREE(&flat), list, "", "expected Pair as in the first tree, got list in tree 1");
    assert_map(list, PYTREE(&flat), "", "expected list as in the first tree, got Pair in tree 1");
    pytree_def_free(def);
}

typedef struct CaptionedByStringsThatAreLong { const char *caption; float x; int n; } CaptionedByStringsThatAreLong;

#define PYTREE_STRUCT CaptionedByStringsThatAreLong
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, caption) PYTREE_FIELD(DATA, x) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

typedef struct Tagged { const char *tags[2]; float x; } Tagged;

#define PYTREE_STRUCT Tagged
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, tags) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

#define CAPTIONED "expected CaptionedByStringsThatAreLong with "
enum { LONG = 400 };

/* Maps over a struct and another one, and their treedefs, stop with this message (NULL: go through); the treedef of the other
 * one does not go into the struct. */
static void assert_statics(pytree a, pytree b, const char *message, const char *into_message)
{
    const pytree structs[2] = { a, b };
    pytree_flat flats[2];
    pytree_error error = { 0 };
    size_t i;
    for (i = 0; i < 2; i++) {
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        assert_ok(pytree_flatten(structs[i], &leaves, 0, &def, NULL, &error), &error);
        flats[i].def = def;
        flats[i].leaves = leaves;
    }
    assert_map(a, b, "", message);
    assert_map(PYTREE(&flats[0]), b, "", message);
    assert_map(a, PYTREE(&flats[1]), "", message);
    assert_map(PYTREE(&flats[0]), PYTREE(&flats[1]), "", message);
    for (i = 0; i < 2 && message != NULL; i++) {
        const pytree to = i == 0 ? a : PYTREE(&flats[0]);
        memset(&error, 0, sizeof error);
        assert_error(pytree_unflatten_into(flats[1].def, 1, flats[1].leaves, to, NULL, &error), PYTREE_STRUCTURE, "", &error);
        assert_string_equal(error.message, into_message);
        assert_int_equal(pytree_unflatten_into(flats[1].def, 1, flats[1].leaves, to, NULL, NULL), PYTREE_STRUCTURE);
    }
    for (i = 0; i < 2; i++) { pytree_def_free((pytree_def *)(uintptr_t)flats[i].def); }
}

/* The value that differs is named, of structs and of treedefs. */
static void static_values_that_differ(void **state)
{
    static char one[LONG];
    CaptionedByStringsThatAreLong a = { one, 1, 1 }, b = { one, 1, 2 }, c = { "x", 1, 1 }, e = { NULL, 1, 1 };
    Tagged f = { { "p", "q" }, 1 }, g = { { "p", NULL }, 1 }, h = { { "p", one }, 1 };
    (void)state;
    memset(one, 'a', LONG - 1);
    assert_statics(PYTREE(&a), PYTREE(&a), NULL, NULL);
    assert_statics(PYTREE(&a), PYTREE(&b), CAPTIONED "n=1 as in the first tree, got 2 in tree 1",
                   CAPTIONED "n=2, got 1");
    assert_statics(PYTREE(&c), PYTREE(&e), CAPTIONED "caption='x' as in the first tree, got None in tree 1",
                   CAPTIONED "caption=None, got 'x'");
    assert_statics(PYTREE(&f), PYTREE(&g),
                   "expected Tagged with tags=('p', 'q') as in the first tree, got ('p', None) in tree 1",
                   "expected Tagged with tags=('p', None), got ('p', 'q')");
    assert_map(PYTREE(&f), PYTREE(&h), "",
               "expected Tagged with tags=('p', 'q') as in the first tree, got a long value in tree 1");
}

/* The messages of a map over two structs, and of putting the treedef's leaves of the second one into the first. */
static void messages_of(pytree a, pytree b, char map[300], char into_it[300])
{
    const pytree both[2] = { a, b };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t n = 0;
    assert_ok(pytree_flatten(b, &leaves, 0, &def, NULL, &error), &error);
    assert_int_equal(pytree_map(count, &n, NULL, 2, both, NULL, &error), PYTREE_STRUCTURE);
    strcpy(map, error.message);
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_unflatten_into(def, 1, leaves, a, NULL, &error), PYTREE_STRUCTURE);
    strcpy(into_it, error.message);
    pytree_def_free(def);
}

static void assert_cut(const char *message, const char *begin, const char *middle, const char *end)
{
    if (strncmp(message, begin, strlen(begin)) != 0 || strstr(message, middle) == NULL || strlen(message) < strlen(end)
        || strcmp(message + strlen(message) - strlen(end), end) != 0) {
        fail_msg("no %s, %s, %s in %s", begin, middle, end, message);
    }
}

/* A name of 250 characters. */
#define PASTED(a, b) a##b
#define PASTE(a, b) PASTED(a, b)
#define NAME_50 an_extent_an_extent_an_extent_an_extent_an_extent_
#define NAME_100 PASTE(NAME_50, NAME_50)
#define NAME_250 PASTE(PASTE(NAME_100, NAME_100), NAME_50)

typedef struct Lengthy {
    int NAME_250;
    float x;
} Lengthy;

#define PYTREE_STRUCT Lengthy
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, NAME_250) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* Long values are cut off between characters, so that both are shown, and the number of the tree. */
static void static_values_that_are_long(void **state)
{
    static char one[LONG], other[LONG], map[300], into_it[300];
    CaptionedByStringsThatAreLong a = { one, 1, 1 }, b = { "x", 1, 1 }, c = { other, 1, 1 };
    Lengthy d = { 1, 1 }, e = { 2, 1 };
    size_t i, first;
    (void)state;
    memset(one, 'a', LONG - 1);
    messages_of(PYTREE(&a), PYTREE(&b), map, into_it);
    assert_cut(map, CAPTIONED "caption='aaaa", "a... as in the first tree, got", "got 'x' in tree 1");
    assert_cut(into_it, CAPTIONED "caption='x', got", ", got 'aaaa", "a...");
    for (first = 0; first < 2; first++) { /* characters of two bytes, which begin at an even place and at an odd one */
        memset(one, 'a', first);
        for (i = first; i + 2 < LONG; i += 2) { memcpy(one + i, "\xC3\xA9", 3); }
        memcpy(other, one, sizeof one);
        other[0] = 'b';
        if (first == 0) { other[1] = 'b'; }
        messages_of(PYTREE(&a), PYTREE(&c), map, into_it);
        assert_cut(map, CAPTIONED "caption='", "\xC3\xA9... as in the first tree, got 'b", "\xC3\xA9... in tree 1");
        assert_cut(into_it, CAPTIONED "caption='b", "\xC3\xA9..., got '", "\xC3\xA9...");
    }
    messages_of(PYTREE(&d), PYTREE(&e), map, into_it);         /* a name that leaves no room for values */
    assert_cut(map, "expected Lengthy with an_extent_an_extent_", "_an_extent_", "...");
    assert_cut(into_it, "expected Lengthy with an_extent_an_extent_", "_an_extent_", "...");
}

static bool nowhere(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

/* The leaves of treedefs go side by side; a predicate is asked about each. */
static void flats_with_a_predicate(void **state)
{
    const pytree_options opt = { .is_leaf = nowhere };
    Titled titled = { "t", 1 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree_flat flat;
    pytree both[2];
    size_t n = 0;
    (void)state;
    assert_ok(pytree_flatten(PYTREE(&titled), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    both[0] = both[1] = PYTREE(&flat);
    assert_ok(pytree_map(count, &n, NULL, 2, both, &opt, &error), &error);
    assert_ok(pytree_map(count, &n, NULL, 2, both, NULL, &error), &error);
    assert_int_equal(n, 2);
    pytree_def_free(def);
}

/* Each file that registers a struct describes it anew: what says the same is the same type. */
static void types_that_are_described_twice(void **state)
{
    Titled one = { "t", 1 }, two = { "t", 2 };
    pytree_type again = *PYTREE(&one).type;
    pytree same = { &again, &two };
    (void)state;
    assert_map(PYTREE_LIST(PYTREE(&one)), PYTREE_LIST(same), "", NULL);
    again.name = "Other";
    assert_map(PYTREE_LIST(PYTREE(&one)), PYTREE_LIST(same), "[0]",
               "expected Titled as in the first tree, got Other in tree 1");
}

/* ---- Room ------------------------------------------------------------------------------------------------------------ */

#define TEN(f) f##0, f##1, f##2, f##3, f##4, f##5, f##6, f##7, f##8, f##9
#define ROW(f) PYTREE_FIELD(DATA, f)
#define TEN_ROWS(f)                                                                                                     \
    ROW(f##0) ROW(f##1) ROW(f##2) ROW(f##3) ROW(f##4) ROW(f##5) ROW(f##6) ROW(f##7) ROW(f##8) ROW(f##9)

typedef struct Wide { float TEN(a), TEN(b), TEN(c), TEN(d); } Wide;
typedef struct Holder { Wide *list; float TEN(h); } Holder;
typedef struct Broad { Wide *list; float TEN(h), TEN(i), TEN(j); } Broad;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS TEN_ROWS(a) TEN_ROWS(b) TEN_ROWS(c) TEN_ROWS(d)
#include "pytree_registry.h"

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, list, LIST(2)) TEN_ROWS(h)
#include "pytree_registry.h"

#define PYTREE_STRUCT Broad
#define PYTREE_FIELDS PYTREE_FIELD(DATA, list, LIST(2)) TEN_ROWS(h) TEN_ROWS(i) TEN_ROWS(j)
#include "pytree_registry.h"

struct four { pytree trees[4]; size_t n_leaves; };
enum { MOST = PYTREE__FOR_SPEED ? 1 : 4 };                 /* allocations: where structs are runs, one block for all trees */

static pytree_status sweep_map(void *context, const pytree_options *opt, pytree_error *err)
{
    const struct four *const four = (const struct four *)context;
    size_t n = 0;
    const pytree_status status = pytree_map(count, &n, NULL, 4, four->trees, opt, err);
    assert_true(n == four->n_leaves || status != PYTREE_OK);
    return status;
}

/* Structs whose views do not fit beside those of the struct that leads to them: the trees get memory for them. */
static void structs_that_need_room(void **state)
{
    static Wide wide[4][2];
    static Broad broad[4];
    Holder holders[4];
    struct four four;
    size_t k;
    (void)state;
    memset(holders, 0, sizeof holders);
    four.n_leaves = 90;
    for (k = 0; k < 4; k++) {
        holders[k].list = wide[k];
        four.trees[k] = PYTREE(&holders[k]);
    }
    assert_in_range(sweep_allocations(sweep_map, &four), 1, MOST);
    four.n_leaves = 40;                    /* the roots themselves */
    for (k = 0; k < 4; k++) { four.trees[k] = PYTREE(&wide[k][0]); }
    assert_in_range(sweep_allocations(sweep_map, &four), 1, MOST);
    four.n_leaves = 110;                   /* each root got memory for its own views before */
    for (k = 0; k < 4; k++) {
        broad[k].list = wide[k];
        four.trees[k] = PYTREE(&broad[k]);
    }
    assert_in_range(sweep_allocations(sweep_map, &four), 4 + 1, 4 + MOST);
}

/* More trees than cursors fit memory. */
static void more_trees_than_memory_counts(void **state)
{
    static float x = 1;
    const pytree tree = PYTREE(&x);
    pytree_error error = { 0 };
    pytree_iter it;
    (void)state;
    assert_error(pytree_iter_begin(&it, SIZE_MAX, &tree, NULL, &error), PYTREE_NO_MEMORY, "", &error);
    assert_false(pytree_iter_next(&it));
    pytree_iter_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_other_kinds),
        cmocka_unit_test(metadata_that_is_longer),
        cmocka_unit_test(static_values_of_flats),
        cmocka_unit_test(flat_namedtuple_beside_a_list),
        cmocka_unit_test(static_values_that_differ),
        cmocka_unit_test(static_values_that_are_long),
        cmocka_unit_test(flats_with_a_predicate),
        cmocka_unit_test(types_that_are_described_twice),
        cmocka_unit_test(structs_that_need_room),
        cmocka_unit_test(more_trees_than_memory_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
