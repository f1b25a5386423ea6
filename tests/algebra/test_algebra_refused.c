/* What operations on whole trees refuse: no trees, no places for results, structures without leaves, flats that are none; and
 * numbers of trees without any. */
#include "algebra_shared.h"
#include "pytree/optimizer.h"
#include "pytree/ravel.h"
#include "pytree/typed.h"

typedef struct Opaque { int number; } Opaque;

#define PYTREE_LEAF_TYPE Opaque
#include "pytree_registry.h"

#define REFUSED(call, wanted, path, text)                                                                               \
    do {                                                                                                                \
        memset(&error, 0, sizeof error);                                                                                \
        (void)(call);                                                                                                   \
        assert_error(error.status, wanted, path, &error);                                                               \
        assert_string_equal(error.message, text);                                                                       \
    } while (0)

static pytree_status never(void *context, const pytree_iter *at)
{
    (void)context;
    (void)at;
    fail_msg("a function was called");
    return PYTREE_OK;
}
static pytree_status never_gives(void *context, const pytree_iter *at, pytree_taker *to)
{
    (void)to;
    return never(context, at);
}

static void no_trees(void **state)
{
    const pytree one[1] = { PYTREE_INT(1) };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL);
    pytree_flat a;
    pytree_error error = { 0 };
    (void)state;
    REFUSED(pytree_broadcast_common(one[0], one[0], &a, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a place for both results, got NULL");
    REFUSED(pytree_broadcast_common(one[0], one[0], NULL, &a, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a place for both results, got NULL");
    REFUSED(pytree_broadcast_map(NULL, NULL, NULL, 1, one, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and at least one tree, got NULL");
    REFUSED(pytree_broadcast_map(never, NULL, NULL, 0, one, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and at least one tree, got NULL");
    REFUSED(pytree_broadcast_map(never, NULL, NULL, 1, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and at least one tree, got NULL");
    REFUSED(pytree_transpose_map(NULL, NULL, leaf, 1, one, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and at least one tree, got NULL");
    REFUSED(pytree_transpose_map(never_gives, NULL, leaf, 0, one, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and at least one tree, got NULL");
    REFUSED(pytree_transpose_map(never_gives, NULL, leaf, 1, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a function and at least one tree, got NULL");
    REFUSED(pytree_combine(0, one, NULL, &error), PYTREE_ARGUMENT, "", "expected at least one tree, got none");
    REFUSED(pytree_combine(1, NULL, NULL, &error), PYTREE_ARGUMENT, "", "expected at least one tree, got none");
    REFUSED(pytree_stack(0, one, NULL, &error), PYTREE_ARGUMENT, "", "expected at least one tree, got none");
    REFUSED(pytree_stack(1, NULL, NULL, &error), PYTREE_ARGUMENT, "", "expected at least one tree, got none");
    pytree_def_free(leaf);
}

static void structures_without_leaves(void **state)
{
    pytree_error error = { 0 };
    pytree_def *none = structure(PYTREE_LIST(), NULL), *leaf = pytree_def_leaf(NULL, NULL);
    pytree_flat turned = pytree_transpose(none, none, PYTREE_LIST(), NULL, &error);
    char text[60];
    (void)state;
    assert_ok(error.status, &error);
    (void)pytree_def_text(turned.def, text, sizeof text);
    assert_string_equal(text, "PyTreeDef([])");
    pytree_flat_free(&turned);
    REFUSED(pytree_transpose(none, leaf, PYTREE_LIST(), NULL, &error), PYTREE_TOO_FEW_LEAVES, "",
            "expected 1 leaves for the inner structure, got 0: the outer one has none");
    pytree_def_free(none);
    pytree_def_free(leaf);
}

/* A flat without treedef or leaves is no tree, wherever one is expected. */
static void flats_that_are_none(void **state)
{
    pytree_error error = { 0 };
    pytree_def *def = structure(PYTREE_LIST(PYTREE_INT(1)), NULL);
    const pytree_flat empty = { NULL, NULL }, unfilled = { def, NULL };
    const pytree nothing = { &pytree_types[PYTREE__T_flat], NULL };
    float w = 1;
    pytree_optimizer *o = pytree_optimizer_new(PYTREE_LIST(PYTREE(&w)), PYTREE_SGD(.rate = 1), PYTREE_EVERYTHING, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    REFUSED(pytree_slice(nothing, 0, NULL, &error), PYTREE_NULL_POINTER, "", "expected a treedef and leaves, got NULL");
    REFUSED(pytree_slice(PYTREE(&empty), 0, NULL, &error), PYTREE_NULL_POINTER, "", "expected a treedef and leaves, got NULL");
    REFUSED(pytree_slice(PYTREE(&unfilled), 0, NULL, &error), PYTREE_NULL_POINTER, "",
            "expected a treedef and leaves, got NULL");
    REFUSED(pytree_optimizer_update(o, PYTREE(&empty), &error), PYTREE_NULL_POINTER, "",
            "expected a treedef and leaves, got NULL");
    REFUSED(pytree_optimizer_update(o, PYTREE(&unfilled), &error), PYTREE_NULL_POINTER, "",
            "expected a treedef and leaves, got NULL");
    assert_true(w == 1);
    pytree_optimizer_free(o);
    pytree_def_free(def);
}

/* A leaf of a flat that is no leaf: without a type, or a struct, which only a treedef can open. */
static void leaves_of_flats_that_are_none(void **state)
{
    pytree_error error = { 0 };
    Point point = { 1, 2 };
    double sum = 7;
    pytree_def *def = structure(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), NULL);
    const pytree_leaf untyped[2] = { { .form = PYTREE_FORM_NONE }, { .form = PYTREE_FORM_LEAF } },
        structs[2] = { { .data = &point, .type = PYTREE_TYPE(Point) }, { .data = &point, .type = PYTREE_TYPE(Point) } };
    const pytree_flat nothing = { def, untyped }, points = { def, structs };
    (void)state;
    REFUSED(pytree_slice(PYTREE(&nothing), 0, NULL, &error), PYTREE_SHAPE, "[1]",
            "expected a slice 0 along the first axis, got no type");
    REFUSED(pytree_sum(PYTREE(&points), &sum, NULL, &error), PYTREE_TYPE, "[0]", "expected real numbers, got Point");
    assert_true(sum == 7);
    pytree_def_free(def);
}

/* ---- Trees that do not fit ----------------------------------------------------------------------------------------------- */

static bool never_passes(void *context, const pytree_iter *at)
{
    (void)context;
    (void)at;
    return false;
}

/* The second of three trees differs: the third is not looked at. */
static void trees_that_do_not_fit(void **state)
{
    const pytree list = PYTREE_LIST(PYTREE_INT(1)), text = PYTREE_STR("text"), nothing = { NULL, NULL };
    const pytree three[3] = { list, PYTREE_TUPLE(PYTREE_INT(1)), list }, floats[3] = { list, PYTREE_LIST(text), list };
    pytree_flat passing;
    pytree_error error = { 0 };
    (void)state;
    REFUSED(pytree_combine(3, three, NULL, &error), PYTREE_STRUCTURE, "",
            "different types: expected list of length 1, got tuple of length 1");
    REFUSED(pytree_stack(3, three, NULL, &error), PYTREE_STRUCTURE, "",
            "different types: expected list of length 1, got tuple of length 1");
    REFUSED(pytree_stack(3, floats, NULL, &error), PYTREE_TYPE, "[0]", "expected i64 as in the first tree, got str in tree 1");
    REFUSED(pytree_partition(list, never_passes, NULL, nothing, &passing, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a tree, got a pytree without a type");
    assert_null(passing.def);
    error.status = PYTREE_VALUE;              /* an error that is there stays */
    snprintf(error.message, sizeof error.message, "%s", "the first");
    assert_int_equal(pytree_broadcast_common(list, PYTREE_TUPLE(), &passing, &passing, NULL, &error), PYTREE_STRUCTURE);
    assert_int_equal(error.status, PYTREE_VALUE);
    assert_string_equal(error.message, "the first");
    assert_int_equal(pytree_broadcast_common(list, PYTREE_TUPLE(), &passing, &passing, NULL, NULL), PYTREE_STRUCTURE);
}

static bool is_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_ITEMS;
}

/* Subtrees that are leaves have no axis; None has none, and stays. */
static void slices_of_what_is_no_array(void **state)
{
    const pytree_options lists = { .is_leaf = is_list }, nones = { .none_is_leaf = true };
    float x[2] = { 1, 2 };
    pytree_error error = { 0 };
    pytree_flat none = pytree_slice(PYTREE_LIST(PYTREE_NONE, PYTREE_ARRAY(x, 2)), 1, &nones, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(none.leaves[0].form == PYTREE_FORM_NONE && pytree_leaf_get(&none.leaves[1], 0) == 2);
    pytree_flat_free(&none);
    REFUSED(pytree_slice(PYTREE_LIST(PYTREE_INT(1)), 0, &lists, &error), PYTREE_SHAPE, "",
            "expected a slice 0 along the first axis, got a subtree");
}

/* A flat whose leaves are None in part becomes one with nodes in their place, beside those that it has. */
static void nones_that_are_leaves_beside_nones(void **state)
{
    const pytree t = PYTREE_TUPLE(PYTREE_INT(1), PYTREE_NONE, PYTREE_INT(2));
    pytree_flat passing, failing, again;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_partition(t, never_passes, NULL, PYTREE_NONE, &passing, &failing, NULL, &error), &error);
    assert_int_equal(passing.def->n_leaves, 2);
    assert_ok(pytree_partition(PYTREE(&passing), never_passes, NULL, PYTREE_NONE, NULL, &again, NULL, &error), &error);
    assert_int_equal(again.def->n_leaves, 0);
    assert_int_equal(again.def->n_nodes, 4);
    pytree_flat_free(&again);
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
}

/* Names of more fields than a message lists. */
static void long_namedtuples(void **state)
{
    const pytree one = PYTREE_INT(1);
    const pytree many = PYTREE_NAMEDTUPLE("Many", { "a", one }, { "b", one }, { "c", one }, { "d", one }, { "e", one },
                                          { "f", one }, { "g", one }, { "h", one }, { "i", one }, { "j", one });
    pytree_error error = { 0 };
    pytree_def *def = structure(PYTREE_LIST(many), NULL);
    pytree_flat none;
    (void)state;
    memset(&none, 0, sizeof none);
    none = pytree_broadcast_prefix(PYTREE_LIST(PYTREE_NAMEDTUPLE("Many", { "a", one }, { "b", one })), def, NULL, NULL, &error);
    assert_null(none.def);
    assert_error(error.status, PYTREE_STRUCTURE, "[0]", &error);
    assert_string_equal(error.message,
                        "prefix: different types: expected Many(a, b), got Many(a, b, c, d, e, f, g, h and 2 more)");
    pytree_def_free(def);
}

/* A custom node of ten children under keys. */
typedef struct Ten { int64_t numbers[10]; } Ten;

static size_t ten_children(const void *self, pytree *children, pytree_entry *keys)
{
    static const char *const names[10] = { "a", "b", "c", "d", "e", "f", "g", "h", "i", "j" };
    size_t i;
    for (i = 0; children != NULL && i < 10; i++) {
        children[i] = (pytree){ PYTREE_TYPE(int64_t), (void *)(uintptr_t)&((const Ten *)self)->numbers[i] };
        keys[i] = (pytree_entry){ PYTREE_KEY, names[i], (pytree_key_index)-1 };
    }
    return 10;
}
static const pytree_custom ten_callbacks = { .children = ten_children, .keyed = true };

#define PYTREE_STRUCT Ten
#define PYTREE_CUSTOM ten_callbacks
#include "pytree_registry.h"

static void told(pytree prefix, pytree full, const char *path, const char *text)
{
    pytree_error error = { 0 };
    pytree_def *def = structure(full, NULL);
    pytree_flat none = pytree_broadcast_prefix(prefix, def, NULL, NULL, &error);
    assert_null(none.def);
    assert_error(error.status, PYTREE_STRUCTURE, path, &error);
    assert_string_equal(error.message, text);
    pytree_def_free(def);
}

/* What messages say of nodes: keys of custom nodes, the bounds of deques; and which structs differ where others do, too. */
static void nodes_that_are_told(void **state)
{
    Ten ten = { { 0 } };
    Linear small = { .din = 1, .dout = 1 }, large = { .din = 2, .dout = 1 };
    float w[2] = { 0 };
    (void)state;
    small.w = small.b = large.w = large.b = w;
    told(PYTREE_LIST(AN_INT), PYTREE(&ten), "", "prefix: different types: expected list of length 1, got Ten[None] with "
         "['a'], ['b'], ['c'], ['d'], ['e'], ['f'], ['g'], ['h'] and 2 more");
    told(PYTREE_DEQUE(3, AN_INT), PYTREE_LIST(AN_INT), "",
         "prefix: different types: expected deque of length 1, at most 3, got list of length 1");
    told(PYTREE_DEQUE(PYTREE_UNBOUNDED, AN_INT), PYTREE_LIST(AN_INT), "",
         "prefix: different types: expected deque of length 1, got list of length 1");
    told(PYTREE_LIST(AN_INT, PYTREE(&small), PYTREE(&large)), PYTREE_LIST(PYTREE(&small), PYTREE(&large), AN_INT), "[1]",
         "prefix: different metadata: expected Linear[(1, 1)], got Linear[(2, 1)] (and 1 more mismatches)");
}

/* All differences of deep and wide trees, each allocation failing. */
typedef struct Differing { pytree prefix; const pytree_def *full; size_t n; } Differing;

static pytree_status list_errors(void *context, const pytree_options *opt, pytree_error *err)
{
    const Differing *d = context;
    pytree_prefix_error_list *list = pytree_prefix_errors(d->prefix, d->full, "axes", opt, err);
    if (list != NULL) { assert_int_equal(list->n, d->n); }
    pytree_prefix_errors_free(list);
    return err->status;
}

/* Lists of lists, so deep that the way to what differs runs out of room. */
enum { DEEP = 60 };

static pytree nested(pytree last, pytree items[2 * DEEP], pytree_items lists[DEEP])
{
    static double number;
    for (size_t i = 0; i < DEEP; i++) {
        items[2 * i] = last;
        items[2 * i + 1] = (pytree){ PYTREE_TYPE(double), &number };
        lists[i] = (pytree_items){ .count = 2, .items = &items[2 * i] };
        last = (pytree){ &pytree_types[PYTREE__T_list], &lists[i] };
    }
    return last;
}

static void deep_errors_without_memory(void **state)
{
    static pytree items[2][2 * DEEP];
    static pytree_items lists[2][DEEP];
    pytree_def *const full = structure(nested(PYTREE_LIST(AN_INT), items[0], lists[0]), NULL);
    Differing deep = { nested(PYTREE_TUPLE(AN_INT), items[1], lists[1]), full, 1 };
    (void)state;
    assert_true(sweep_allocations(list_errors, &deep) > 4);
    pytree_def_free(full);
}

static void errors_without_memory(void **state)
{
    const pytree one = PYTREE_INT(1), pair = PYTREE_TUPLE(one, one), list = PYTREE_LIST(one);
    const pytree deep = PYTREE_LIST(PYTREE_DICT({ "b", PYTREE_LIST(PYTREE_LIST(pair, list)) }, { "a", PYTREE_LIST(pair) }),
                                    pair);
    const pytree wrong = PYTREE_LIST(PYTREE_DICT({ "b", PYTREE_LIST(PYTREE_LIST(list, pair)) }, { "a", PYTREE_LIST(list) }),
                                     list);
    pytree_def *full = structure(deep, NULL);
    Differing all = { wrong, full, 4 }, root = { PYTREE_DICT({ "a", one }), full, 1 };
    (void)state;
    assert_true(sweep_allocations(list_errors, &all) > 3);
    assert_true(sweep_allocations(list_errors, &root) > 1);
    pytree_def_free(full);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------------ */

static void vectors_that_are_none(void **state)
{
    pytree_error error = { 0 };
    double x[2] = { 1, 2 }, dot = 1;
    pytree_leaf vector = { .data = x, .type = PYTREE_TYPE(double), .ndim = 1, .shape = { 2 } }, bad = vector, leaves[2];
    size_t count = 7;
    (void)state;
    bad.form = PYTREE_FORM_NONE;
    REFUSED(pytree_unravel(&bad, PYTREE_ARRAY(x, 2), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a vector with data and an element type, got none");
    bad = vector;
    bad.data = NULL;
    REFUSED(pytree_unravel(&bad, PYTREE_ARRAY(x, 2), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a vector with data and an element type, got none");
    REFUSED(pytree_unravel(NULL, PYTREE_ARRAY(x, 2), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a vector with data and an element type, got none");
    REFUSED(pytree_unravel_views(&vector, PYTREE_ARRAY(x, 2), NULL, 1, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected an array of 1 leaves, got NULL");
    memset(&error, 0, sizeof error);
    assert_ok(pytree_unravel_views(&vector, PYTREE_LIST(PYTREE(&x[0]), PYTREE(&x[1])), leaves, 2, &count, NULL, &error),
              &error);
    assert_int_equal(count, 2);
    vector.shape[0] = 0;
    assert_ok(pytree_unravel_views(&vector, PYTREE_LIST(), NULL, 0, &count, NULL, &error), &error);
    assert_int_equal(count, 0);
    assert_ok(pytree_dot(PYTREE_ARRAY(x, 0), PYTREE_ARRAY(x, 0), &dot, NULL, &error), &error);
    assert_true(dot == 0);
    assert_ok(pytree_zero(PYTREE_ARRAY(x, 0), NULL, &error), &error);
    assert_true(x[0] == 1);
}

/* A gap between two leaves is padding if it is less than the padding, ends at a multiple of it, and holds whole elements. */
static void gaps_between_leaves(void **state)
{
    static char room[128];
    char *const block = room + (64 - (uintptr_t)room % 64) % 64;       /* gaps end at multiples of up to 16 */
    static const struct { size_t second, padding; bool whole; } all[] = {
        { 12, 0, true }, { 16, 0, false }, { 16, 16, true }, { 32, 16, false }, { 16, 8, true }, { 20, 16, false },
        { 8, 16, false }, { 24, 16, false },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        pytree_error error = { 0 };
        pytree_leaf vector, first = { .data = block, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
        pytree_leaf second = { .data = block + all[i].second, .type = PYTREE_TYPE(float) };
        const pytree both = PYTREE_LIST(PYTREE(&first), PYTREE(&second));
        const bool whole = pytree_contiguous(both, all[i].padding, &vector, NULL, &error);
        assert_int_equal(whole, all[i].whole);
        if (all[i].whole) {
            assert_ptr_equal(vector.data, block);
            assert_int_equal(vector.shape[0], all[i].second / 4 + 1);
        } else {
            assert_error(error.status, PYTREE_VALUE, "[1]", &error);
        }
    }
}

/* Elements are those of another type if both have the same representation, or are one registered type. */
static void elements_of_types(void **state)
{
    pytree_error error = { 0 };
    Opaque opaque = { 3 };
    int number = 4;
    pytree_leaf leaf = { .data = &opaque, .type = PYTREE_TYPE(Opaque) }, other = { .data = &number, .type = PYTREE_TYPE(int) };
    const pytree nowhere = { PYTREE(&(pytree){ NULL, NULL }).type, NULL };
    size_t n = 0;
    (void)state;
    assert_ptr_equal(pytree_elements(&leaf, PYTREE_TYPE(Opaque), &n, &error), &opaque);
    assert_int_equal(n, 1);
    assert_ptr_equal(pytree_elements(&other, PYTREE_TYPE(int), &n, &error), &number);
    assert_ok(error.status, &error);
    REFUSED(pytree_elements(&leaf, PYTREE_TYPE(int), &n, &error), PYTREE_TYPE, "", "expected i32, got Opaque");
    REFUSED(pytree_elements(&leaf, &pytree_types[PYTREE__T_list], &n, &error), PYTREE_TYPE, "", "expected list, got Opaque");
    REFUSED(pytree_cast(nowhere, PYTREE_TYPE(int), &error), PYTREE_TYPE, "", "expected int, got pytree");
}

/* Who does not ask for the words of a mismatch gets none. */
static void prefixes_without_an_error_object(void **state)
{
    static float numbers[2] = { 1, 2 };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE(&numbers[0])), NULL, NULL);
    (void)state;
    assert_null(pytree_broadcast_prefix(PYTREE_LIST(PYTREE(&numbers[0]), PYTREE(&numbers[1])), def, NULL, NULL, NULL).def);
    pytree_def_free(def);
}

/* A stack larger than the address space: rounded up, its bytes would be few. The arrays are not read. */
static void stacks_larger_than_memory(void **state)
{
    static char byte;
    pytree_leaf all = { .data = &byte, .type = PYTREE_TYPE(char), .ndim = 1, .shape = { PTRDIFF_MAX } };
    pytree_error error = { 0 };
    (void)state;
    assert_null(pytree_stack(3, (pytree[3]){ PYTREE(&all), PYTREE(&all), PYTREE(&all) }, NULL, &error).def);
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_trees), cmocka_unit_test(structures_without_leaves), cmocka_unit_test(flats_that_are_none),
        cmocka_unit_test(leaves_of_flats_that_are_none),
        cmocka_unit_test(trees_that_do_not_fit), cmocka_unit_test(long_namedtuples), cmocka_unit_test(nodes_that_are_told),
        cmocka_unit_test(slices_of_what_is_no_array), cmocka_unit_test(nones_that_are_leaves_beside_nones),
        cmocka_unit_test(errors_without_memory), cmocka_unit_test(deep_errors_without_memory),
        cmocka_unit_test(vectors_that_are_none), cmocka_unit_test(gaps_between_leaves), cmocka_unit_test(elements_of_types),
        cmocka_unit_test(prefixes_without_an_error_object), cmocka_unit_test(stacks_larger_than_memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
