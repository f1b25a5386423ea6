/* Trees taken apart and compared: pytree_partition, _combine, _replace_none, _diff. */
#include "algebra_parts_shared.h"

/* ---- Parts ------------------------------------------------------------------------------------------------------------- */

static bool above(void *context, const pytree_iter *at) { return number_of(at->leaf[0]) > *(const int64_t *)context; }

static bool is_weight(void *context, const pytree_iter *at)
{
    char path[64];
    size_t n = pytree_iter_path_text(at, path, sizeof path);
    (void)context;
    return n > 2 && strcmp(path + n - 2, ".w") == 0;
}

static void trees_are_parted_and_put_together(void **state)
{
    int64_t ten = 10;
    pytree_error error = { 0 };
    pytree t = PYTREE_DICT({ "x", PYTREE_INT(7) }, { "y", PYTREE_TUPLE(PYTREE_INT(42), PYTREE_INT(64)) }, { "z", PYTREE_NONE });
    pytree_flat passing, failing, all;
    pytree_def *def;
    (void)state;
    assert_ok(pytree_partition(t, above, &ten, PYTREE_NONE, &passing, &failing, NULL, &error), &error);
    ASSERT_FLAT(&passing, "PyTreeDef({'x': *, 'y': (*, *), 'z': None})", -1, 42, 64);
    ASSERT_FLAT(&failing, "PyTreeDef({'x': *, 'y': (*, *), 'z': None})", 7, -1, -1);
    def = structure(PYTREE(&failing), NULL);                   /* walked again, None is a node */
    assert_int_equal(def->n_leaves, 1);
    pytree_def_free(def);
    all = pytree_combine(2, (pytree[2]){ PYTREE(&passing), PYTREE(&failing) }, NULL, &error);
    ASSERT_FLAT(&all, "PyTreeDef({'x': *, 'y': (*, *), 'z': None})", 7, 42, 64);
    pytree_flat_free(&all);
    all = pytree_combine(2, (pytree[2]){ PYTREE(&passing), PYTREE(&failing) }, &nones_are_leaves, &error);
    ASSERT_FLAT(&all, "PyTreeDef({'x': *, 'y': (*, *), 'z': *}, NoneIsLeaf)", 7, 42, 64, -1);
    pytree_flat_free(&all);
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
    assert_ok(pytree_partition(t, above, &ten, PYTREE_INT(0), &passing, NULL, NULL, &error), &error);
    ASSERT_FLAT(&passing, "PyTreeDef({'x': *, 'y': (*, *), 'z': None})", 0, 42, 64);
    pytree_flat_free(&passing);
    assert_ok(pytree_partition(t, above, &ten, PYTREE_INT(0), NULL, &failing, &nones_are_leaves, &error), &error);
    ASSERT_FLAT(&failing, "PyTreeDef({'x': *, 'y': (*, *), 'z': *}, NoneIsLeaf)", 7, 0, 0, -1);
    pytree_flat_free(&failing);
}

static void structs_are_parted(void **state)
{
    MLP model = mlp_make(2, false);
    pytree_error error = { 0 };
    pytree_flat weights, others, all;
    (void)state;
    assert_ok(pytree_partition(PYTREE(&model), is_weight, NULL, PYTREE_NONE, &weights, &others, NULL, &error), &error);
    assert_int_equal(pytree_num_leaves(PYTREE(&weights), NULL, &error), 2);
    assert_int_equal(pytree_num_leaves(PYTREE(&others), NULL, &error), 3);
    assert_ptr_equal(weights.leaves[2].data, model.layers[1].w);
    all = pytree_combine(2, (pytree[2]){ PYTREE(&weights), PYTREE(&others) }, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&all), PYTREE(&model), NULL, NULL, &error));
    pytree_flat_free(&all);
    pytree_flat_free(&weights);
    pytree_flat_free(&others);
    mlp_clear(&model);
}

static void the_first_that_is_not_none(void **state)
{
    pytree_error error = { 0 };
    pytree_flat all = pytree_combine(3, (pytree[3]){ PYTREE_LIST(PYTREE_NONE, PYTREE_INT(1), PYTREE_NONE, PYTREE_NONE),
                                                    PYTREE_LIST(PYTREE_NONE, PYTREE_INT(2),
                                                                PYTREE_TUPLE(PYTREE_INT(3), PYTREE_INT(4)), PYTREE_NONE),
                                                    PYTREE_LIST(PYTREE_INT(5), PYTREE_INT(6), PYTREE_INT(7), PYTREE_NONE) },
                                                        NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    ASSERT_FLAT(&all, "PyTreeDef([*, *, (*, *), None])", 5, 1, 3, 4);
    pytree_flat_free(&all);
    all = pytree_combine(2, (pytree[2]){ PYTREE_LIST(PYTREE_NONE), PYTREE_LIST() }, NULL, &error);
    assert_null(all.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    error.status = PYTREE_OK;
    all = pytree_combine(0, NULL, NULL, &error);
    assert_null(all.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
}

static void nones_are_replaced(void **state)
{
    Everything all = everything_make(false);
    pytree_error error = { 0 };
    pytree_flat flat = pytree_replace_none(PYTREE_DICT({ "a", PYTREE_INT(1) }, { "b", PYTREE_NONE },
                                                       { "c", PYTREE_TUPLE(PYTREE_INT(2), PYTREE_NONE) }), PYTREE_INT(0), NULL,
                                                           &error);
    (void)state;
    assert_ok(error.status, &error);
    ASSERT_FLAT(&flat, "PyTreeDef({'a': *, 'b': *, 'c': (*, *)})", 1, 0, 2, 0);
    pytree_flat_free(&flat);
    flat = pytree_replace_none(PYTREE_NONE, PYTREE_INT(0), NULL, &error);
    ASSERT_FLAT(&flat, "PyTreeDef(*)", 0);
    pytree_flat_free(&flat);
    flat = pytree_replace_none(PYTREE_LIST(PYTREE_NONE), PYTREE_TUPLE(PYTREE_INT(3), PYTREE_INT(4)), NULL, &error);
    ASSERT_FLAT(&flat, "PyTreeDef([(*, *)])", 3, 4);
    pytree_flat_free(&flat);
    flat = pytree_replace_none(PYTREE(&all), PYTREE_INT(8), NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(flat.def->n_leaves, pytree_num_leaves(PYTREE(&all), &nones_are_leaves, &error));
    assert_int_equal(number_of(&flat.leaves[20]), 8);
    pytree_flat_free(&flat);
    flat = pytree_replace_none(PYTREE_NONE, (pytree){ 0 }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    everything_clear(&all);
}

static bool is_none_or_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_NONE || value->type == &pytree_types[PYTREE__T_list];
}

static void predicates_hold_in_parts(void **state)
{
    const pytree_options opt = { .is_leaf = is_none_or_list };
    int64_t ten = 10;
    pytree_error error = { 0 };
    pytree_flat passing, failing, all;
    (void)state;
    assert_ok(pytree_partition(PYTREE_TUPLE(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), PYTREE_INT(30), PYTREE_NONE), above,
                               &ten, PYTREE_NONE,
                               &passing, &failing, &opt, &error), &error);
    ASSERT_FLAT(&passing, "PyTreeDef((*, *, *))", -1, 30, -1);
    ASSERT_FLAT(&failing, "PyTreeDef((*, *, *))", -2, -1, -1);
    all = pytree_combine(2, (pytree[2]){ PYTREE(&passing), PYTREE(&failing) }, NULL, &error);
    ASSERT_FLAT(&all, "PyTreeDef(([*, *], *, None))", 1, 2, 30);
    pytree_flat_free(&all);
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
}

typedef struct Growing {
    pytree_items *grows;
    size_t calls;
} Growing;

/* Whoever chooses must not change the tree. Leaves that come to it all the same belong to no part. */
static bool grow(void *context, const pytree_iter *at)
{
    Growing *const growing = context;
    growing->grows->count = 3;
    growing->calls++;
    return number_of(at->leaf[0]) > 1;
}

static void a_tree_that_grows_while_it_is_parted(void **state)
{
    int64_t numbers[4] = { 1, 2, 3, 4 };
    pytree three[3] = { PYTREE(&numbers[1]), PYTREE(&numbers[2]), PYTREE(&numbers[3]) };
    pytree_items inner = { .count = 1, .items = three };
    pytree list = { &pytree_types[PYTREE__T_list], &inner };
    Growing growing = { &inner, 0 };
    pytree_flat passing, failing;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_partition(PYTREE_TUPLE(PYTREE(&numbers[0]), list), grow, &growing, PYTREE_NONE, &passing, &failing, NULL,
                               &error), &error);
    assert_int_equal(growing.calls, 2);
    ASSERT_FLAT(&passing, "PyTreeDef((*, [*]))", -1, 2);
    ASSERT_FLAT(&failing, "PyTreeDef((*, [*]))", 1, -1);
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
}

static bool is_flat(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_FLAT;
}

/* A predicate is asked of the caller's flats, and not of those that are made on the way. */
static void flats_may_be_leaves_of_parts(void **state)
{
    const pytree_options opt = { .is_leaf = is_flat };
    pytree_error error = { 0 };
    pytree_flat two = pytree_replace_none(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), PYTREE_NONE, NULL, &error);
    pytree_flat all = pytree_combine(2, (pytree[2]){ PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(9)),
                                                    PYTREE_TUPLE(PYTREE(&two), PYTREE_INT(8)) }, &opt, &error);
    (void)state;
    assert_ok(error.status, &error);
    ASSERT_FLAT(&all, "PyTreeDef((*, *))", -2, 9);
    assert_int_equal(all.leaves[0].form, PYTREE_FORM_FLAT);
    assert_ptr_equal(all.leaves[0].data, &two);
    pytree_flat_free(&all);
    all = pytree_combine(2, (pytree[2]){ PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(9)),
                                         PYTREE_TUPLE(PYTREE(&two), PYTREE_INT(8)) }, NULL, &error);
    assert_ok(error.status, &error);
    ASSERT_FLAT(&all, "PyTreeDef(([*, *], *))", 1, 2, 9);
    pytree_flat_free(&all);
    pytree_flat_free(&two);
}

/* Not the same answer before and after None is replaced. */
static bool has_two_leaves(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    return path->n > 0 && value->form != PYTREE_FORM_LEAF && value->form != PYTREE_FORM_NONE
        && pytree_num_leaves(pytree_of_view(value), NULL, NULL) == 2;
}

static void views_of_what_is_freed_do_not_get_out(void **state)
{
    const pytree_options opt = { .is_leaf = has_two_leaves };
    pytree_error error = { 0 };
    pytree_flat flat = pytree_replace_none(PYTREE_LIST(PYTREE_TUPLE(PYTREE_NONE, PYTREE_NONE), PYTREE_INT(20)), PYTREE_INT(4),
                                           &opt,
                                           &error);
    (void)state;
    assert_ok(error.status, &error);
    ASSERT_FLAT(&flat, "PyTreeDef([(*, *), *])", 4, 4, 20);
    pytree_flat_free(&flat);
    flat = pytree_combine(2, (pytree[2]){ PYTREE_LIST(PYTREE_TUPLE(PYTREE_NONE, PYTREE_NONE), PYTREE_NONE),
                                          PYTREE_LIST(PYTREE_TUPLE(PYTREE_INT(1), PYTREE_INT(2)), PYTREE_INT(3)) }, &opt,
                                              &error);
    assert_ok(error.status, &error);
    ASSERT_FLAT(&flat, "PyTreeDef([(*, *), *])", 1, 2, 3);
    pytree_flat_free(&flat);
}

/* ---- Differences ------------------------------------------------------------------------------------------------------- */

static void assert_diff(pytree a, pytree b, const char *expected)
{
    pytree_error error = { 0 };
    pytree_difference_list *list = pytree_diff(a, b, NULL, NULL, &error);
    char text[1024];
    assert_ok(error.status, &error);
    assert_non_null(list);
    assert_true(pytree_diff_text(list, text, sizeof text) < sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(list->n == 0, expected[0] == '\0');
    pytree_diff_free(list);
}

static void differences_by_path(void **state)
{
    float x[3] = { 0, 1, 2 }, y[3] = { 0, 1, 2.5f };
    (void)state;
    assert_diff(PYTREE_INT(1), PYTREE_INT(1), "");
    assert_diff(PYTREE_INT(1), PYTREE_INT(2), "! : 1 -> 2\n");
    assert_diff(PYTREE_INT(1), PYTREE_FLOAT(1), "! : i64 -> f64\n");
    assert_diff(PYTREE_LIST(), PYTREE_NONE, "! : list of length 0 -> None\n");
    assert_diff(PYTREE_LIST(PYTREE_ARRAY(x, 3)), PYTREE_LIST(PYTREE_ARRAY(y, 3)),
                "! [0]: 2.0 at element 2 -> 2.5 at element 2\n");
    assert_diff(PYTREE_LIST(PYTREE_ARRAY(x, 3)), PYTREE_LIST(PYTREE_ARRAY(y, 2)), "! [0]: f32[3] -> f32[2]\n");
    assert_diff(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2), PYTREE_LIST()), PYTREE_LIST(PYTREE_INT(1)),
                "- [1]: i64\n- [2]: list of length 0\n");
    assert_diff(PYTREE_LIST(PYTREE_INT(1)), PYTREE_LIST(PYTREE_INT(1), PYTREE_TUPLE()), "+ [1]: tuple of length 0\n");
    assert_diff(PYTREE_DICT({ "b", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }, { "d", PYTREE_LIST(PYTREE_INT(1)) }),
                PYTREE_DICT({ "d", PYTREE_LIST(PYTREE_INT(3)) }, { "c", PYTREE_INT(4) }, { "b", PYTREE_INT(1) }),
                "- ['a']: i64\n+ ['c']: i64\n! ['d'][0]: 1 -> 3\n");
    assert_diff(PYTREE_ODICT({ "b", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }),
                PYTREE_ODICT({ "a", PYTREE_INT(2) }, { "b", PYTREE_INT(3) }),
                "! : OrderedDict with keys 'b', 'a' -> OrderedDict with keys 'a', 'b'\n! ['b']: 1 -> 3\n");
    assert_diff(PYTREE_NAMEDTUPLE("P", { "x", PYTREE_INT(1) }), PYTREE_NAMEDTUPLE("P", { "y", PYTREE_INT(1) }),
                "! : P(x) -> P(y)\n");
    assert_diff(PYTREE_LIST(PYTREE_STR("it's"), PYTREE_NONE), PYTREE_LIST(PYTREE_STR("is"), PYTREE_INT(1)),
                "! [0]: \"it's\" -> 'is'\n! [1]: None -> i64\n");
    assert_diff(PYTREE_IDICT({ 3, PYTREE_INT(1) }, { -3, PYTREE_INT(1) }),
                PYTREE_IDICT({ 3, PYTREE_INT(2) }, { 5, PYTREE_INT(1) }),
                "- [-3]: i64\n! [3]: 1 -> 2\n+ [5]: i64\n");
}

static bool is_inner_list(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    return path->n != 0 && value->form == PYTREE_FORM_ITEMS;
}

/* Ordered dicts differ by the order of their keys, beside what differs below them. */
static void differences_of_ordered_dicts(void **state)
{
    const pytree one = PYTREE_INT(1), two = PYTREE_INT(2), none = PYTREE_NONE;
    (void)state;
    assert_diff(PYTREE_ODICT({ "a", one }, { "b", PYTREE_LIST() }), PYTREE_ODICT({ "a", two }, { "b", PYTREE_TUPLE() }),
                "! ['a']: 1 -> 2\n! ['b']: list of length 0 -> tuple of length 0\n");
    assert_diff(PYTREE_ODICT({ "a", one }, { "b", two }), PYTREE_ODICT({ "a", one }), "- ['b']: i64\n");
    assert_diff(PYTREE_ODICT({ "a", one }, { "b", two }), PYTREE_ODICT({ "b", two }, { "a", one }),
                "! : OrderedDict with keys 'a', 'b' -> OrderedDict with keys 'b', 'a'\n");
    for (int i = 0; i < 2; i++) {         /* None and subtrees that are leaves */
        const pytree_options opt = { .none_is_leaf = true, .is_leaf = i == 0 ? NULL : is_inner_list };
        pytree_error error = { 0 };
        pytree_difference_list *list = pytree_diff(PYTREE_LIST(i == 0 ? none : PYTREE_LIST(one)), PYTREE_LIST(one), NULL, &opt,
                                                   &error);
        char text[200];
        assert_ok(error.status, &error);
        assert_true(pytree_diff_text(list, text, sizeof text) < sizeof text);
        assert_string_equal(text, i == 0 ? "! [0]: None -> i64\n" : "! [0]: list -> i64\n");
        pytree_diff_free(list);
    }
}

static void differences_of_structs(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(3, false);
    const pytree_tolerance loose = { .absolute = 1.0 };
    pytree_error error = { 0 };
    pytree_difference_list *list;
    (void)state;
    b.scale[0][1] = 9.0f;
    assert_diff(PYTREE(&a), PYTREE(&b),
                "! : MLP[(2,)] -> MLP[(3,)]\n+ .layers[2]: Linear[(2, 1)]\n! .head: Linear[(2, 2)] -> None\n"
                "! .scale: 1.5 at element 1 -> 9.0 at element 1\n");
    list = pytree_diff(PYTREE(&a), PYTREE(&b), &loose, NULL, &error);
    assert_non_null(list);
    assert_int_equal(list->n, 4);
    assert_int_equal(list->differences[1].kind, PYTREE_ADDED);
    assert_string_equal(list->differences[1].path, ".layers[2]");
    assert_null(list->differences[1].a);
    assert_string_equal(list->differences[1].b, "Linear[(2, 1)]");
    assert_int_equal(list->differences[3].kind, PYTREE_CHANGED);
    {
        FILE *file = tmpfile();
        char text[512], back[512];
        size_t n;
        assert_non_null(file);
        assert_ok(pytree_diff_print(file, list, &error), &error);
        rewind(file);
        n = fread(back, 1, sizeof back - 1, file);
        back[n] = '\0';
        assert_int_equal(pytree_diff_text(list, text, sizeof text), n);
        assert_string_equal(back, text);
        fclose(file);
    }
    pytree_diff_free(list);
    b.scale[0][1] = 2.25f;                /* 1.5, give or take one */
    list = pytree_diff(PYTREE(&a), PYTREE(&b), &loose, NULL, &error);
    assert_int_equal(list->n, 3);
    pytree_diff_free(list);
    pytree_diff_free(NULL);
    assert_int_equal(pytree_diff_text(NULL, NULL, 0), 0);
    assert_null(pytree_diff((pytree){ 0 }, PYTREE(&b), NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    mlp_clear(&a);
    mlp_clear(&b);
}

typedef struct Named {
    const char *name;
    float x;
} Named;
#define PYTREE_STRUCT Named
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* Static values of another length differ, too, and what is below them is compared all the same. */
static void differences_of_static_strings(void **state)
{
    Named relu = { "relu", 1 }, tanh_ = { "tanh", 1 }, silent = { NULL, 1 }, sigmoid = { "sigmoid", 2 };
    (void)state;
    assert_diff(PYTREE(&relu), PYTREE(&relu), "");
    assert_diff(PYTREE(&relu), PYTREE(&tanh_), "! : Named[('relu',)] -> Named[('tanh',)]\n");
    assert_diff(PYTREE(&relu), PYTREE(&sigmoid), "! : Named[('relu',)] -> Named[('sigmoid',)]\n! .x: 1.0 -> 2.0\n");
    assert_diff(PYTREE(&relu), PYTREE(&silent), "! : Named[('relu',)] -> Named[(None,)]\n");
}

static void keys_lead_to_their_paths(void **state)
{
    (void)state;
    /* in the order of keys, which is not that of an ordered dict */
    assert_diff(PYTREE_ODICT({ "z", PYTREE_LIST(PYTREE_INT(1)) }, { "m", PYTREE_INT(2) }, { "a", PYTREE_TUPLE(PYTREE_INT(3)) }),
                PYTREE_ODICT({ "z", PYTREE_LIST(PYTREE_INT(4)) }, { "b", PYTREE_INT(2) }, { "a", PYTREE_TUPLE(PYTREE_INT(5)) }),
                "! : OrderedDict with keys 'z', 'm', 'a' -> OrderedDict with keys 'z', 'b', 'a'\n"
                "! ['a'][0]: 3 -> 5\n+ ['b']: i64\n- ['m']: i64\n! ['z'][0]: 1 -> 4\n");
    assert_diff(PYTREE_NAMEDTUPLE("P", { "x", PYTREE_LIST(PYTREE_INT(1)) }, { "y", PYTREE_INT(2) }),
                PYTREE_NAMEDTUPLE("P", { "x", PYTREE_LIST(PYTREE_INT(2)) }, { "y", PYTREE_LIST() }),
                "! .x[0]: 1 -> 2\n! .y: i64 -> list of length 0\n");
}

static void subtrees_are_not_stacked(void **state)
{
    const pytree_options opt = { .is_leaf = is_none_or_list };
    pytree_error error = { 0 };
    pytree_flat flat = pytree_stack(1, (pytree[1]){ PYTREE_TUPLE(PYTREE_INT(1), PYTREE_LIST(PYTREE_INT(2))) }, &opt, &error);
    (void)state;
    assert_null(flat.def);
    assert_error(error.status, PYTREE_TYPE, "[1]", &error);
}

static void subtrees_as_leaves_are_compared(void **state)
{
    const pytree_options opt = { .is_leaf = is_none_or_list };
    pytree_error error = { 0 };
    pytree_difference_list *list = pytree_diff(PYTREE_TUPLE(PYTREE_LIST(PYTREE_INT(1)), PYTREE_LIST(PYTREE_INT(2)),
                                                            PYTREE_NONE),
                                               PYTREE_TUPLE(PYTREE_LIST(PYTREE_INT(1)), PYTREE_LIST(PYTREE_INT(3)),
                                                            PYTREE_NONE), NULL, &opt,
                                               &error);
    (void)state;
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_string_equal(list->differences[0].path, "[1]");
    assert_string_equal(list->differences[0].a, "list");
    pytree_diff_free(list);
}

/* ---- Depth and memory -------------------------------------------------------------------------------------------------- */

static void depth_is_bounded_by_memory(void **state)
{
    const size_t n = under_valgrind() ? 500 : 50000;
    Node *a = chain_make(n), *b = chain_make(n);
    pytree trees[2] = { PYTREE(a), PYTREE(b) };
    pytree_error error = { 0 };
    pytree_flat stack = pytree_stack(2, trees, NULL, &error), slice;
    pytree_difference_list *list;
    (void)state;
    assert_ok(error.status, &error);
    slice = pytree_slice(PYTREE(&stack), 1, NULL, &error);
    assert_true(pytree_equal(PYTREE(&slice), trees[1], NULL, NULL, &error));
    pytree_flat_free(&slice);
    pytree_flat_free(&stack);
    b[n - 1].value = -1;
    list = pytree_diff(trees[0], trees[1], NULL, NULL, &error);
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_int_equal(strlen(list->differences[0].path), (n - 1) * strlen(".next") + strlen(".value"));
    pytree_diff_free(list);
    free(a);
    free(b);
}

static pytree sweep_tree(int64_t *numbers, pytree_items *dict, pytree_pair *pairs)
{
    pairs[0].key = "b";
    pairs[0].value = PYTREE(&numbers[0]);
    pairs[1].key = "a";
    pairs[1].value = PYTREE(&numbers[1]);
    memset(dict, 0, sizeof *dict);
    dict->count = 2;
    dict->pairs = pairs;
    return (pytree){ &pytree_types[PYTREE__T_dict], dict };
}

typedef struct Sweep {
    pytree a, b;
    pytree_def *outer;
} Sweep;

static pytree_status given(pytree_flat *flat, pytree_error *err)
{
    pytree_status status = flat->def == NULL ? err->status : PYTREE_OK;
    pytree_flat_free(flat);
    return status;
}

static pytree_status sweep_transpose(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_flat flat = pytree_transpose(s->outer, NULL, PYTREE_LIST(PYTREE(&s->a), PYTREE(&s->b)), opt, err);
    return given(&flat, err);
}

static pytree_status sweep_transpose_map(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    Twice twice = { .wrong = SIZE_MAX };
    pytree_flat flat = pytree_transpose_map(give_twice, &twice, NULL, 1, &s->a, opt, err);
    return given(&flat, err);
}

static pytree_status sweep_stack(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_flat flat = pytree_stack(2, (pytree[2]){ PYTREE(&s->a), PYTREE(&s->b) }, opt, err);
    return given(&flat, err);
}

static pytree_status sweep_combine(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_flat flat = pytree_combine(2, (pytree[2]){ PYTREE_LIST(PYTREE_NONE, PYTREE(&s->b)),
                                                     PYTREE_LIST(PYTREE(&s->a), PYTREE(&s->a)) }, opt, err);
    return given(&flat, err);
}

static pytree_status sweep_replace(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_flat flat = pytree_replace_none(PYTREE_LIST(PYTREE_NONE, PYTREE(&s->b)), s->a, opt, err);
    return given(&flat, err);
}

static pytree_status sweep_partition(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    int64_t one = 1;
    pytree_flat passing, failing;
    pytree_status status = pytree_partition(s->a, above, &one, PYTREE_NONE, &passing, &failing, opt, err);
    if (status != PYTREE_OK) {
        assert_null(passing.def);
        assert_null(failing.def);
    }
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
    return status;
}

static pytree_status sweep_diff(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_difference_list *list = pytree_diff(PYTREE_LIST(PYTREE(&s->a), PYTREE(&s->a)), PYTREE_LIST(PYTREE(&s->b)), NULL, opt,
                                               err);
    pytree_status status = list == NULL ? err->status : PYTREE_OK;
    pytree_diff_free(list);
    return status;
}

static pytree_status sweep_diff_of_values(void *context, const pytree_options *opt, pytree_error *err)
{
    Sweep *s = context;
    pytree_difference_list *list = pytree_diff(s->a, s->b, NULL, opt, err);
    pytree_status status = list == NULL ? err->status : PYTREE_OK;
    pytree_diff_free(list);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    int64_t numbers[] = { 1, 2, 3, 4 };
    pytree_items dicts[2];
    pytree_pair pairs[2][2];
    Sweep s;
    (void)state;
    s.a = sweep_tree(numbers, &dicts[0], pairs[0]);
    s.b = sweep_tree(numbers + 2, &dicts[1], pairs[1]);
    s.outer = structure(PYTREE_LIST(PYTREE_INT(0), PYTREE_INT(0)), NULL);
    assert_true(sweep_allocations(sweep_transpose, &s) > 4);
    assert_true(sweep_allocations(sweep_transpose_map, &s) > 4);
    assert_int_equal(sweep_allocations(sweep_stack, &s), 3);
    assert_int_equal(sweep_allocations(sweep_combine, &s), 3);
    assert_int_equal(sweep_allocations(sweep_replace, &s), 2);
    assert_int_equal(sweep_allocations(sweep_partition, &s), 2);
    assert_true(sweep_allocations(sweep_diff, &s) > 5);
    assert_int_equal(sweep_allocations(sweep_diff_of_values, &s), 6);
    pytree_def_free(s.outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_are_parted_and_put_together), cmocka_unit_test(structs_are_parted),
        cmocka_unit_test(the_first_that_is_not_none), cmocka_unit_test(nones_are_replaced),
        cmocka_unit_test(predicates_hold_in_parts), cmocka_unit_test(views_of_what_is_freed_do_not_get_out),
        cmocka_unit_test(a_tree_that_grows_while_it_is_parted), cmocka_unit_test(flats_may_be_leaves_of_parts),
        cmocka_unit_test(differences_by_path), cmocka_unit_test(differences_of_static_strings),
        cmocka_unit_test(differences_of_ordered_dicts), cmocka_unit_test(differences_of_structs),
        cmocka_unit_test(keys_lead_to_their_paths),
        cmocka_unit_test(subtrees_are_not_stacked),
        cmocka_unit_test(subtrees_as_leaves_are_compared),
        cmocka_unit_test(depth_is_bounded_by_memory), cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
