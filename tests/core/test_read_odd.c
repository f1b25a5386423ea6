/* Trees that are read at the edges: structs with more pointers, static values or pointers to outside than there are places,
 * walks that stop in a run that does not fit into the views at hand, memory that runs out, paths that are too long. */
#include "support.h"

#include "pytree/containers.h"
#include "pytree/path.h"

typedef struct Few { float x; } Few;

#define PYTREE_STRUCT Few
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* ---- More than there is room for ------------------------------------------------------------------------------------ */

/* More pointers than suffixes of paths remember. */
#define LINK(name) PYTREE_FIELD(DATA, name, OPTIONAL)
#define NULLS Few *a0, *a1, *a2, *a3, *a4, *a5, *a6, *a7, *a8, *a9, *b0, *b1, *b2, *b3, *b4, *b5, *b6, *b7, *b8, *b9;
#define NULL_ROWS                                                                                                       \
    LINK(a0) LINK(a1) LINK(a2) LINK(a3) LINK(a4) LINK(a5) LINK(a6) LINK(a7) LINK(a8) LINK(a9) LINK(b0) LINK(b1)         \
    LINK(b2) LINK(b3) LINK(b4) LINK(b5) LINK(b6) LINK(b7) LINK(b8) LINK(b9)
typedef struct Links { NULLS } Links;

#define PYTREE_STRUCT Links
#define PYTREE_FIELDS NULL_ROWS
#include "pytree_registry.h"

static void more_pointers_than_suffixes(void **state)
{
    static const char letters[] = "ab";
    Few few = { 1 };
    Links links;
    Few *const to = &few;
    pytree_error error = { 0 };
    size_t n, i;
    const char **paths;
    (void)state;
    for (i = 0; i < sizeof links / sizeof to; i++) { memcpy((char *)&links + i * sizeof to, &to, sizeof to); }
    paths = pytree_paths(PYTREE_LIST(PYTREE(&few), PYTREE(&links)), NULL, &n, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(n, 21);
    for (i = 0; i < 20; i++) {
        char expected[20];
        snprintf(expected, sizeof expected, "[1].%c%d.x", letters[i / 10], (int)(i % 10));
        assert_string_equal(paths[i + 1], expected);
    }
    pytree_paths_free(paths);
}

/* More static values, each by itself, than layouts have spans. */
#define APART(f) int f##0; float f##1; int f##2; float f##3; int f##4; float f##5; int f##6; float f##7;
#define APART_ROWS(f)                                                                                                   \
    PYTREE_FIELD(STATIC, f##0) PYTREE_FIELD(DATA, f##1) PYTREE_FIELD(STATIC, f##2) PYTREE_FIELD(DATA, f##3)             \
    PYTREE_FIELD(STATIC, f##4) PYTREE_FIELD(DATA, f##5) PYTREE_FIELD(STATIC, f##6) PYTREE_FIELD(DATA, f##7)
typedef struct Apart {
    APART(a) APART(b) APART(c) APART(d) APART(e) APART(f) APART(g) APART(h) APART(i) APART(j) APART(k) APART(l)
} Apart;

#define PYTREE_STRUCT Apart
#define PYTREE_FIELDS                                                                                                   \
    APART_ROWS(a) APART_ROWS(b) APART_ROWS(c) APART_ROWS(d) APART_ROWS(e) APART_ROWS(f) APART_ROWS(g) APART_ROWS(h)     \
    APART_ROWS(i) APART_ROWS(j) APART_ROWS(k) APART_ROWS(l)
#include "pytree_registry.h"

static pytree_status nothing(void *context, const pytree_iter *it)
{
    (void)context;
    (void)it;
    return PYTREE_OK;
}

static void more_statics_than_spans(void **state)
{
    static Apart first[2], second[2];
    const pytree trees[2] = { PYTREE_LIST(PYTREE(&first[0]), PYTREE(&first[1])),
                              PYTREE_LIST(PYTREE(&second[0]), PYTREE(&second[1])) };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    first[1].l6 = second[1].l6 = 7;
    assert_ok(pytree_map(nothing, NULL, NULL, 2, trees, NULL, &error), &error);
    copy = pytree_clone(trees[0], NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(copy, trees[0], NULL, NULL, &error));
    pytree_free(copy);
    second[1].l6 = 8;
    assert_error(pytree_map(nothing, NULL, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
}

/* ---- Stopped in a run ----------------------------------------------------------------------------------------------- */

/* The pointers are NULL: no leaves, but children of open nodes, for which there are not so many views. */
typedef struct Wide { Few few; NULLS } Wide;
typedef struct Wider { Wide wide; NULLS } Wider;
typedef struct Widest { Wider wider; NULLS } Widest;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS PYTREE_FIELD(DATA, few) NULL_ROWS
#include "pytree_registry.h"

#define PYTREE_STRUCT Wider
#define PYTREE_FIELDS PYTREE_FIELD(DATA, wide) NULL_ROWS
#include "pytree_registry.h"

#define PYTREE_STRUCT Widest
#define PYTREE_FIELDS PYTREE_FIELD(DATA, wider) NULL_ROWS
#include "pytree_registry.h"

static int stop_at(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)path;
    return value->data == context && pytree_is_leaf(value) ? PYTREE_VALUE : PYTREE_WALK_ON;
}

static pytree_status walk_and_stop(void *context, const pytree_options *opt, pytree_error *err)
{
    Widest *const w = (Widest *)context;
    const pytree_visitor visitor = { .enter = stop_at, .context = &w->wider.wide.few.x };
    const pytree_status status = pytree_walk(PYTREE_LIST(PYTREE(w)), &visitor, opt, err);
    if (status == PYTREE_VALUE) {
        assert_string_equal(err->path, "[0].wider.wide.few.x");
        *err = (pytree_error){ 0 };
        return PYTREE_OK;
    }
    return status;
}

static void stopped_where_views_run_out(void **state)
{
    static Widest w;
    (void)state;
    assert_true(sweep_allocations(walk_and_stop, &w) != 0);
}

/* ---- Memory that runs out ------------------------------------------------------------------------------------------- */

enum { MANY = 8000 };

static pytree_status read_what_is_left(void *context, const pytree_options *opt, pytree_error *err)
{
    static pytree_leaf leaves[MANY];
    size_t n;
    const pytree_status status = pytree_leaves(*(const pytree *)context, leaves, MANY, &n, opt, err);
    if (status == PYTREE_OK) { assert_int_equal(n, MANY - 1); }
    return status;
}

/* A list so long that it lies in chunks, one of which has a gap. */
static void growing_list_with_a_gap(void **state)
{
    pytree_error error = { 0 };
    const pytree list = pytree_new_list(NULL, &error);
    int i;
    (void)state;
    assert_ok(error.status, &error);
    for (i = 0; i < MANY; i++) { assert_ok(pytree_list_append_copy(list, PYTREE_INT(i), &error), &error); }
    assert_ok(pytree_list_remove(list, MANY / 2, &error), &error);
    assert_true(sweep_allocations(read_what_is_left, (void *)(uintptr_t)&list) != 0);
    pytree_free(list);
}

static bool no_leaf(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n > 1000;
}

static pytree_status paths_of(void *context, const pytree_options *opt, pytree_error *err)
{
    size_t n;
    const char **const paths = pytree_paths(*(const pytree *)context, NULL, &n, opt, err);
    if (err->status == PYTREE_OK) { assert_int_equal(n, 1); }
    pytree_paths_free(paths);
    return err->status;
}

/* A predicate is given the path of each value, for which it takes memory here. */
static void deep_tree_with_a_predicate(void **state)
{
    static pytree_items lists[100];
    static pytree trees[101];
    pytree_options opt = { .is_leaf = no_leaf };
    size_t i;
    (void)state;
    trees[100] = PYTREE_INT(1);
    for (i = 100; i-- != 0;) {
        lists[i].items = &trees[i + 1];
        lists[i].count = 1;
        trees[i] = (pytree){ &pytree_types[PYTREE__T_list], &lists[i] };
    }
    assert_true(sweep_allocations_with(&opt, paths_of, &trees[0]) != 0);
}

static pytree_status check_all(void *context, const pytree_options *opt, pytree_error *err)
{
    return pytree_check(*(const pytree *)context, NULL, NULL, opt, err);
}

/* Structs whose arrays lie elsewhere: as many extents of memory as leaves. */
static void many_arrays_are_compared(void **state)
{
    enum { LAYERS = 300 };
    static float numbers[LAYERS * 2];
    static Linear layers[LAYERS];
    static pytree items[LAYERS];
    pytree_items list = { 0 };
    pytree t = { &pytree_types[PYTREE__T_list], &list };
    size_t i;
    (void)state;
    for (i = 0; i < LAYERS; i++) {
        layers[i] = (Linear){ 1, 1, &numbers[2 * i], &numbers[2 * i + 1] };
        items[i] = PYTREE(&layers[i]);
    }
    list.items = items;
    list.count = LAYERS;
    assert_true(sweep_allocations(check_all, &t) != 0);
}

/* ---- Sizes ---------------------------------------------------------------------------------------------------------- */

typedef struct Doubles { size_t n; double *a, *b; } Doubles;

#define PYTREE_STRUCT Doubles
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, a, ARRAY(self->n)) PYTREE_FIELD(DATA, b, ARRAY(self->n))
#include "pytree_registry.h"

/* One array that is too large, and two that only together are. */
static void arrays_that_no_memory_holds(void **state)
{
    static const struct { size_t n; pytree_status status; const char *path; } sizes[] = {
        { SIZE_MAX / 8, PYTREE_OVERFLOW, ".a" }, { SIZE_MAX / 16 + 1, PYTREE_OVERFLOW, ".a" },
        { SIZE_MAX / 16, PYTREE_NO_MEMORY, "" }, { SIZE_MAX / 16 - 5, PYTREE_NO_MEMORY, "" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(sizes); i++) {
        Doubles doubles = { sizes[i].n, NULL, NULL };
        pytree_error error = { 0 };
        assert_error(pytree_allocate(PYTREE(&doubles), NULL, &error), sizes[i].status, sizes[i].path, &error);
        assert_true(doubles.a == NULL && doubles.b == NULL);
    }
}

/* ---- Extents that are read in a leaf -------------------------------------------------------------------------------- */

typedef struct Meta { int n; } Meta;
typedef struct Measured { Few *few; Meta meta; float *x; } Measured;

#define PYTREE_LEAF_TYPE Meta
#include "pytree_registry.h"

#define PYTREE_STRUCT Measured
#define PYTREE_FIELDS PYTREE_FIELD(DATA, few) PYTREE_FIELD(DATA, meta) PYTREE_FIELD(DATA, x, ARRAY(self->meta.n))
#include "pytree_registry.h"

static void extents_in_a_leaf(void **state)
{
    Few few = { 1 };
    float x[3] = { 1, 2, 3 };
    Measured measured = { &few, { 3 }, x };
    pytree_error error = { 0 };
    pytree copy;
    (void)state;
    copy = pytree_clone(PYTREE(&measured), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(((Measured *)copy.data)->x[2] == 3.0f);
    pytree_free(copy);
    measured.few = NULL;
    assert_int_equal(pytree_num_leaves(PYTREE(&measured), NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, ".few", &error);
}

/* ---- Values that are no trees --------------------------------------------------------------------------------------- */

static void values_without_a_type(void **state)
{
    const pytree missing = { NULL, NULL }, none = PYTREE_NONE;
    const pytree list = PYTREE_LIST(PYTREE_INT(1), missing);
    pytree_options opt = { .none_is_leaf = true };
    pytree_error error = { 0 };
    size_t n = 9;
    (void)state;
    pytree_at(list, "[1]", NULL, &error);
    assert_error(error.status, PYTREE_NULL_POINTER, "[1]", &error);
    error = (pytree_error){ 0 };
    assert_error(pytree_children(none, NULL, NULL, 0, &n, &opt, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a node, got a leaf (None)");
    assert_int_equal(n, 0);
}

/* A leaf whose print function fails has no text, but the rest has. */
typedef struct Mute { int n; } Mute;
static int mute_print(FILE *file, const void *value)
{
    (void)file;
    return *(const int *)value;
}
#define PYTREE_LEAF_TYPE Mute
#define PYTREE_PRINT mute_print
#include "pytree_registry.h"

static void print_function_that_fails(void **state)
{
    Mute mute = { -1 };
    char text[100] = "";
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    assert_ok(pytree_print(file, PYTREE_LIST(PYTREE(&mute), PYTREE_INT(3)), NULL, &error), &error);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) != 0);
    fclose(file);
    assert_non_null(strstr(text, "[0]"));
    assert_non_null(strstr(text, " 3"));
}

/* A character that stands by itself is a string if it is the end of one. */
static void a_character_by_itself(void **state)
{
    char zero[] = "", other[] = "", letter[] = "b";
    pytree_leaf x = { .data = zero, .type = &pytree_types[PYTREE__T_text] }, y = x;
    pytree_error error = { 0 };
    bool all = true;
    (void)state;
    y.data = other;
    assert_true(pytree_equal(PYTREE(&x), PYTREE(&y), NULL, NULL, &error));
    assert_ok(error.status, &error);
    assert_ok(pytree_all(PYTREE(&x), &all, NULL, &error), &error);
    assert_false(all);
    y.data = letter;
    assert_false(pytree_equal(PYTREE(&x), PYTREE(&y), NULL, NULL, &error));
    assert_string_equal(error.message, "expected a string that ends within its 1 bytes, got one without end");
}

/* A node that has memory of its own is not the library's to free. */
typedef struct Own { int n; } Own;
static size_t own_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return 0;
}
static const pytree_custom own_callbacks = { .children = own_children };
#define PYTREE_STRUCT Own
#define PYTREE_CUSTOM own_callbacks
#include "pytree_registry.h"

static void node_that_nobody_made(void **state)
{
    Own own = { 5 };
    (void)state;
    pytree_free(PYTREE(&own));
    assert_int_equal(own.n, 5);
}

/* ---- Paths that are too long ---------------------------------------------------------------------------------------- */

static void shared_at_paths_that_are_too_long(void **state)
{
    enum { KEY = 200, LEVELS = 5 };
    static char keys[LEVELS][KEY + 1];
    static pytree_pair pairs[LEVELS][2];
    static pytree_items dicts[LEVELS];
    static double x;
    pytree t = PYTREE(&x);
    pytree_error error = { 0 };
    int i;
    (void)state;
    for (i = LEVELS - 1; i >= 0; i--) {
        memset(keys[i], 'a' + i, KEY);
        pairs[i][0].key = keys[i];
        pairs[i][0].value = t;
        dicts[i].pairs = pairs[i];
        dicts[i].count = 1;
        t = (pytree){ &pytree_types[PYTREE__T_dict], &dicts[i] };
    }
    assert_error(pytree_check(PYTREE_LIST(t, PYTREE(&x)), NULL, NULL, NULL, &error), PYTREE_SHARED, "[1]", &error);
    assert_non_null(strstr(error.message, "aaaa"));
    assert_null(strstr(error.message, "eeee"));
    error = (pytree_error){ 0 };
    assert_error(pytree_check(PYTREE_LIST(PYTREE(&x), t), NULL, NULL, NULL, &error), PYTREE_SHARED, NULL, &error);
    assert_non_null(strstr(error.path, "aaaa"));
    assert_null(strstr(error.path, "eeee"));
    assert_string_equal(error.message, "expected memory of its own, got that of [0]");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_pointers_than_suffixes),
        cmocka_unit_test(more_statics_than_spans),
        cmocka_unit_test(stopped_where_views_run_out),
        cmocka_unit_test(growing_list_with_a_gap),
        cmocka_unit_test(deep_tree_with_a_predicate),
        cmocka_unit_test(many_arrays_are_compared),
        cmocka_unit_test(arrays_that_no_memory_holds),
        cmocka_unit_test(extents_in_a_leaf),
        cmocka_unit_test(values_without_a_type),
        cmocka_unit_test(print_function_that_fails),
        cmocka_unit_test(a_character_by_itself),
        cmocka_unit_test(node_that_nobody_made),
        cmocka_unit_test(shared_at_paths_that_are_too_long),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
