/* Iterators and maps over trees that do not fit: all the ways in which trees can differ, and callbacks that stop. */
#include "iterate_shared.h"

/* ---- Later trees that are deeper --------------------------------------------------------------------------------------- */

typedef struct Deeper {
    size_t calls;
    double sums[16];
    size_t leaves[16];
    bool is_leaf[16];
    char names[16][24];
} Deeper;

static pytree_status look_deeper(void *context, const pytree_iter *at)
{
    Deeper *deeper = context;
    const pytree_leaf *view = at->leaf[1];
    pytree_error error = { 0 };
    pytree_leaf copy = *view;             /* a view may be kept */
    pytree_def *def = def_of(pytree_of_view(&copy));
    double sum = 0.0;
    assert_true(deeper->calls < 16);
    assert_ok(pytree_sum(pytree_of_view(view), &sum, NULL, &error), &error);
    deeper->sums[deeper->calls] = sum;
    deeper->leaves[deeper->calls] = pytree_def_num_leaves(def);
    deeper->is_leaf[deeper->calls] = pytree_is_leaf(view);
    snprintf(deeper->names[deeper->calls], sizeof deeper->names[0], "%s", pytree_def_type_name(def));
    pytree_def_free(def);
    deeper->calls++;
    return PYTREE_OK;
}

static void assert_deeper(pytree shallow, pytree deep, size_t n, const char *const *names, const size_t *leaves,
                          const double *sums)
{
    Deeper deeper;
    pytree trees[2];
    pytree_error error = { 0 };
    size_t i;
    memset(&deeper, 0, sizeof deeper);
    trees[0] = shallow;
    trees[1] = deep;
    assert_ok(pytree_map(look_deeper, &deeper, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(deeper.calls, n);
    for (i = 0; i < n; i++) {
        assert_string_equal(deeper.names[i], names[i]);
        assert_int_equal(deeper.leaves[i], leaves[i]);
        assert_int_equal(deeper.is_leaf[i], strcmp(names[i], "*") == 0);
        assert_true(deeper.sums[i] == sums[i]);
    }
}

static void deeper_trees_come_as_subtrees(void **state)
{
    static const char *const names[] = { "*", "Linear", "None", "list", "dict", "Shelf", "tuple", "OrderedDict" };
    static const size_t leaves[] = { 1, 2, 0, 2, 1, SHELF_LEAVES, 4, 2 };
    static const char *const shelf_names[] = { "list", "list", "dict", "dict" };
    static const size_t shelf_leaves[] = { 3, 4, 3, 4 };
    static const double shelf_sums[] = { 9.0, 11.0, 1.5, 32.0 };
    MLP model = mlp_make(2, true);
    Shelf shelf = shelf_make();
    Point points[2] = { { 1.0f, 2.0f }, { 3.0f, 4.0f } };
    double sums[8];
    int x = 5;
    pytree a = PYTREE(&x);
    pytree shallow = PYTREE_LIST(a, a, a, a, a, a, a, a);
    pytree deep = PYTREE_LIST(a, PYTREE(model.head), PYTREE_NONE, PYTREE_LIST(a, a), PYTREE_DICT({ "k", a }), PYTREE(&shelf),
                              PYTREE_TUPLE(PYTREE(&points[0]), PYTREE(&points[1])), PYTREE_ODICT({ "z", a }, { "y", a }));
    pytree_def *def;
    pytree_leaf *views = NULL;
    pytree_flat flat;
    pytree_error error = { 0 };
    (void)state;
    sums[0] = 5.0;
    sums[1] = sum_of(PYTREE(model.head));
    sums[2] = 0.0;
    sums[3] = 10.0;
    sums[4] = 5.0;
    sums[5] = 53.5;
    sums[6] = 10.0;
    sums[7] = 10.0;
    assert_deeper(shallow, deep, 8, names, leaves, sums);
    /* the same from a treedef and leaves: subtrees of it can be walked just so */
    assert_ok(pytree_flatten(deep, &views, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = views;
    assert_deeper(shallow, PYTREE(&flat), 8, names, leaves, sums);
    pytree_def_free(def);
    assert_deeper(PYTREE(&shelf), PYTREE(&shelf), SHELF_LEAVES,
                  (const char *const[SHELF_LEAVES]){ "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*", "*" },
                  (const size_t[SHELF_LEAVES]){ 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 },
                  (const double[SHELF_LEAVES]){ 1.5, 3.0, 4.5, 0.0, 0.0, 1.0, 10.0, 0.5, 0.75, 0.25, 8.0, 9.0, 7.0, 8.0 });
    assert_ok(pytree_flatten(PYTREE_LIST(PYTREE(&shelf), PYTREE(&shelf)), (views = NULL, &views), 0, &def, NULL, &error),
              &error);
    flat.def = def;
    flat.leaves = views;
    assert_deeper(PYTREE_LIST(a, a), PYTREE(&flat), 2, (const char *const[2]){ "Shelf", "Shelf" },
                  (const size_t[2]){ SHELF_LEAVES, SHELF_LEAVES }, (const double[2]){ 53.5, 53.5 });
    pytree_def_free(def);
    /* children of a struct that are containers of the program */
    {
        pytree_leaf children[4];
        size_t n, i;
        assert_ok(pytree_children(PYTREE(&shelf), children, NULL, 4, &n, NULL, &error), &error);
        for (i = 0; i < 4; i++) {
            assert_deeper(PYTREE_TUPLE(a), PYTREE_TUPLE(pytree_of_view(&children[i])), 1, &shelf_names[i], &shelf_leaves[i],
                          &shelf_sums[i]);
        }
    }
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static bool stops_at_struct_members(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 1;
}

static pytree_status look_at_both(void *context, const pytree_iter *at)
{
    size_t *calls = context;
    assert_int_equal(at->leaf[0]->form, at->leaf[1]->form);
    assert_true(sum_of(pytree_of_view(at->leaf[0])) == sum_of(pytree_of_view(at->leaf[1])));
    ++*calls;
    return PYTREE_OK;
}

static void a_predicate_stops_at_subtrees(void **state)
{
    MLP a = mlp_make(2, false), b = mlp_make(2, false);
    Shelf c = shelf_make(), d = shelf_make();
    pytree trees[2];
    pytree_options opt = { .is_leaf = stops_at_struct_members };
    pytree_error error = { 0 };
    size_t calls = 0;
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_ok(pytree_map(look_at_both, &calls, NULL, 2, trees, &opt, &error), &error);
    assert_int_equal(calls, 3);           /* layers, head (None), scale */
    trees[0] = PYTREE(&c);
    trees[1] = PYTREE(&d);
    calls = 0;
    assert_ok(pytree_map(look_at_both, &calls, NULL, 2, trees, &opt, &error), &error);
    assert_int_equal(calls, 4);
    mlp_clear(&a);
    mlp_clear(&b);
    shelf_clear(&c);
    shelf_clear(&d);
}

static pytree_status count_none(void *context, const pytree_iter *at)
{
    size_t *nones = context;
    *nones += at->leaf[0]->form == PYTREE_FORM_NONE;
    if (at->n > 1) {
        nones[1] += at->leaf[1]->form == PYTREE_FORM_NONE;
    }
    return PYTREE_OK;
}

static void none_as_a_leaf(void **state)
{
    MLP a = mlp_make(2, false), b = mlp_make(2, true);
    pytree trees[2];
    pytree_options opt = { .none_is_leaf = true };
    pytree_error error = { 0 };
    size_t nones[2] = { 0, 0 };
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_ok(pytree_map(count_none, nones, NULL, 2, trees, &opt, &error), &error);      /* b's head is a subtree there */
    assert_int_equal(nones[0], 1);
    assert_int_equal(nones[1], 0);
    assert_error(pytree_map(count_none, nones, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, ".head", &error);
    memset(&error, 0, sizeof error);
    trees[0] = PYTREE(&b);
    trees[1] = PYTREE(&a);
    assert_error(pytree_map(count_none, nones, NULL, 2, trees, &opt, &error), PYTREE_STRUCTURE, ".head", &error);
    assert_int_equal(nones[0], 1);
    mlp_clear(&a);
    mlp_clear(&b);
}

/* ---- Trees that do not fit --------------------------------------------------------------------------------------------- */

/* A count of trees that no memory holds, also where the output makes it wrap. */
static void absurd_counts_of_trees(void **state)
{
    int x = 1;
    pytree tree = PYTREE(&x);
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_map(count_leaves, &count, NULL, SIZE_MAX, &tree, NULL, &error), PYTREE_NO_MEMORY, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, &tree, SIZE_MAX, &tree, NULL, &error), PYTREE_NO_MEMORY, "", &error);
    assert_int_equal(count.calls, 0);
}

static void structures_that_differ(void **state)
{
    int x = 1;
    float f = 2.0f;
    pytree a = PYTREE(&x), b = PYTREE(&f);
    Point point = { 1.0f, 2.0f };
    Linear linear = linear_make(2, 2, 0.0f);
    Node node = { 1.0, NULL };
    (void)state;
    assert_unlike(PYTREE_LIST(a, a), PYTREE_LIST(a, a, a), "", "2 children", "3");
    assert_unlike(PYTREE_LIST(a, a), PYTREE_LIST(a), "", "2 children", "1");
    assert_unlike(PYTREE_LIST(), PYTREE_LIST(a), "", "0 children", "1");
    assert_unlike(PYTREE_LIST(a), PYTREE_LIST(), "", "1 children", "0");
    assert_unlike(PYTREE_LIST(a, PYTREE_TUPLE(a)), PYTREE_LIST(a, PYTREE_TUPLE(a, a)), "[1]", "1 children", "2");
    assert_unlike(PYTREE_LIST(a), PYTREE_TUPLE(a), "", "list", "tuple");
    assert_unlike(PYTREE_TUPLE(a), PYTREE_LIST(a), "", "tuple", "list");
    assert_unlike(PYTREE_LIST(a), a, "", "list", "i32");
    assert_unlike(PYTREE_LIST(b), PYTREE_NONE, "", "list", "None");
    assert_unlike(PYTREE_NONE, PYTREE_LIST(), "", "None", "list");
    assert_unlike(PYTREE_LIST(b, PYTREE_NONE), PYTREE_LIST(a, b), "[1]", "None", "f32");
    assert_unlike(PYTREE_DICT({ "a", a }), PYTREE_ODICT({ "a", a }), "", "dict", "OrderedDict");
    assert_unlike(PYTREE_DICT({ "a", a }, { "b", a }), PYTREE_DICT({ "c", a }, { "a", a }), "", "key 'b'", "'c'");
    assert_unlike(PYTREE_DICT({ "a", a }), PYTREE_DICT({ "a", a }, { "b", a }), "", "1 children", "2");
    assert_unlike(PYTREE_ODICT({ "a", a }, { "b", a }), PYTREE_ODICT({ "b", a }, { "a", a }), "", "key 'a'", "'b'");
    assert_unlike(PYTREE_NAMEDTUPLE("P", { "x", a }), PYTREE_NAMEDTUPLE("P", { "y", a }), "", "key 'x'", "'y'");
    assert_unlike(PYTREE_NAMEDTUPLE("P", { "x", a }), PYTREE_NAMEDTUPLE("Q", { "x", a }), "", "P", "Q");
    assert_unlike(PYTREE_NAMEDTUPLE("P"), PYTREE_NAMEDTUPLE("Q"), "", "P", "Q");
    assert_unlike(PYTREE_NAMEDTUPLE("P", { "x", a }), PYTREE_TUPLE(a), "", "", "tuple");
    assert_unlike(PYTREE(&point), PYTREE(&linear), "", "Point", "Linear");
    assert_unlike(PYTREE(&point), PYTREE_NAMEDTUPLE("Point", { "x", a }, { "y", a }), "", "Point", "");
    assert_unlike(PYTREE(&node), PYTREE_NONE, "", "Node", "None");
    linear_clear(&linear);
}

static void structs_that_differ(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    Everything c = everything_make(true), d = everything_make(true);
    Shelf e = shelf_make(), f = shelf_make();
    Linear *head = b.head;
    (void)state;
    b.layers[1].din = 9;
    b.layers[1].dout = 1;
    assert_unlike(PYTREE(&a), PYTREE(&b), ".layers[1]", "Linear with din=3 ", "9 in");
    b.layers[1].din = 3;
    b.layers[1].dout = 2;
    b.n_layers = 1;
    assert_unlike(PYTREE(&a), PYTREE(&b), "", "MLP with n_layers=2 ", "1 in");
    b.n_layers = 2;
    b.head = NULL;
    assert_unlike(PYTREE(&a), PYTREE(&b), ".head", "Linear", "None");
    assert_unlike(PYTREE(&b), PYTREE(&a), ".head", "None", "Linear");
    b.head = head;
    d.kind = "another kind";
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything with kind='a kind' ", "'another kind' in");
    d.kind = "a kind";
    d.config.rates[1] = 0.02;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything with config=Config(width=64, activation='relu', rates=(0.1, 0.01)) ",
                  "Config(width=64, activation='relu', rates=(0.1, 0.02)) in");
    d.config.rates[1] = 0.01;
    d.config.activation = NULL;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything with config=Config(width=64, activation='relu', ",
                  "Config(width=64, activation=None, ");
    assert_unlike(PYTREE(&d), PYTREE(&c), "", "Everything with config=Config(width=64, activation=None, ",
                  "Config(width=64, activation='relu', ");
    d.config.activation = "relu";
    d.epsilon = 0.25L;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything with epsilon=0.0009765625 ", "0.25 in");
    d.epsilon = c.epsilon;
    d.function = NULL;
    assert_unlike(PYTREE(&c), PYTREE(&d), "", "Everything with function=<address 0x", "<address 0x0> in");
    stbds_arrput(f.heights, 1.0f);
    assert_unlike(PYTREE(&e), PYTREE(&f), ".heights", "3 children", "4");
    (void)stbds_arrpop(f.heights);
    (void)stbds_shdel(f.prices, "fig");
    assert_unlike(PYTREE(&e), PYTREE(&f), ".prices", "3 children", "2");
    stbds_shput(f.prices, "kiwi", 1.0);
    assert_unlike(PYTREE(&e), PYTREE(&f), ".prices", "key 'fig'", "'kiwi'");
    mlp_clear(&a);
    mlp_clear(&b);
    everything_clear(&c);
    everything_clear(&d);
    shelf_clear(&e);
    shelf_clear(&f);
}

/* The message on static values says which values they are, of both sides. */
static void static_values_are_named(void **state)
{
    Linear a = linear_make(4, 3, 0.0f), b = linear_make(4, 2, 0.0f);
    pytree trees[2];
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_error(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected Linear with dout=3 as in the first tree, got 2 in tree 1");
    linear_clear(&a);
    linear_clear(&b);
}

static void scratch_fields_and_paddings_do_not_count(void **state)
{
    Everything a = everything_make(true), b = everything_make(true);
    char title[] = "a title", kind[] = "a kind";
    pytree trees[2];
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    b.scratch = &b;
    b.title = title;
    b.kind = kind;
    trees[0] = PYTREE(&a);
    trees[1] = PYTREE(&b);
    assert_ok(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), &error);
    assert_int_equal(count.calls, EVERYTHING_LEAVES);
    everything_clear(&a);
    everything_clear(&b);
}

/* Nothing is called although only the last tree differs, at its last node. */
static void all_is_checked_before_the_first_call(void **state)
{
    MLP models[6];
    pytree trees[6], lists[6];
    Count count = { 0, 0 };
    size_t n, k;
    (void)state;
    for (k = 0; k < 6; k++) {
        models[k] = mlp_make(2, true);
        trees[k] = PYTREE(&models[k]);
    }
    for (n = 2; n <= 6; n++) {
        pytree_error error = { 0 };
        pytree_items items[6];
        pytree elements[6][2];
        for (k = 0; k < n; k++) {
            memset(&items[k], 0, sizeof items[k]);
            items[k].count = 2;
            items[k].items = elements[k];
            elements[k][0] = trees[k];
            elements[k][1] = k == n - 1 ? PYTREE_NONE : PYTREE_TUPLE();
            lists[k].type = &pytree_types[PYTREE__T_list];
            lists[k].data = &items[k];
        }
        assert_error(pytree_map(count_leaves, &count, NULL, n, lists, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
        assert_int_equal(count.calls, 0);
    }
    for (k = 0; k < 6; k++) {
        mlp_clear(&models[k]);
    }
}

static void outputs_that_do_not_fit(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x), list = PYTREE_LIST(a, a), deep = PYTREE_LIST(a, PYTREE_LIST(a)), other = PYTREE_TUPLE(a, a);
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    pytree_options none = { .none_is_leaf = true };
    (void)state;
    assert_error(pytree_map(count_leaves, &count, &deep, 1, &list, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, &other, 1, &list, NULL, &error), PYTREE_STRUCTURE, "", &error);
    memset(&error, 0, sizeof error);
    deep = PYTREE_LIST(a, PYTREE_NONE);
    assert_error(pytree_map(count_leaves, &count, &deep, 1, &list, NULL, &error), PYTREE_STRUCTURE, "[1]", &error);
    assert_int_equal(pytree_map(count_leaves, &count, &deep, 1, &list, NULL, NULL), PYTREE_STRUCTURE);
    assert_int_equal(count.calls, 0);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_map(count_leaves, &count, &deep, 1, &deep, &none, &error), &error);
    assert_int_equal(count.calls, 2);
}

static void maps_that_cannot_begin(void **state)
{
    int x = 1;
    pytree a = PYTREE(&x), untyped = { NULL, NULL };
    Point *nowhere = NULL;
    pytree missing = PYTREE_LIST(a, PYTREE(nowhere));
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_map(NULL, NULL, NULL, 1, &a, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 0, &a, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 1, NULL, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 1, &untyped, NULL, NULL), PYTREE_ARGUMENT);
    assert_int_equal(pytree_map(count_leaves, &count, &untyped, 1, &a, NULL, NULL), PYTREE_ARGUMENT);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, NULL, 1, &missing, NULL, &error), PYTREE_NULL_POINTER, "[1]", &error);
    assert_int_equal(count.calls, 0);
}

/* ---- Callbacks that stop ----------------------------------------------------------------------------------------------- */

static pytree_status fails_in_words(void *context, const pytree_iter *at)
{
    pytree_error *error = context;
    return at->index == 3 ? pytree_fail(error, PYTREE_SHAPE, "own path", "expected this, got that") : PYTREE_OK;
}

static pytree_status fails_with(void *context, const pytree_iter *at)
{
    (void)at;
    return *(const pytree_status *)context;
}

static void callbacks_stop_a_map(void **state)
{
    static const char *const paths[] = { ".layers[0].w", ".layers[0].b", ".layers[1].w", ".layers[1].b", ".head.w", ".head.b",
                                         ".scale" };
    MLP model = mlp_make(2, true);
    pytree tree = PYTREE(&model);
    size_t i;
    pytree_status status;
    pytree_error error = { 0 };
    (void)state;
    for (i = 1; i <= 7; i++) {
        Count count = { 0, 0 };
        count.stop_at = i;
        memset(&error, 0, sizeof error);
        assert_error(pytree_map(count_leaves, &count, NULL, 1, &tree, NULL, &error), PYTREE_STOPPED, paths[i - 1], &error);
        assert_int_equal(count.calls, i);
        count.calls = 0;
        assert_int_equal(pytree_map(count_leaves, &count, NULL, 1, &tree, NULL, NULL), PYTREE_STOPPED);
        assert_int_equal(count.calls, i);
    }
    for (status = PYTREE_NO_MEMORY; status <= PYTREE_STOPPED; status++) {
        memset(&error, 0, sizeof error);
        assert_error(pytree_map(fails_with, &status, NULL, 1, &tree, NULL, &error), status, ".layers[0].w", &error);
    }
    memset(&error, 0, sizeof error);      /* the callback's own words stay */
    assert_error(pytree_map(fails_in_words, &error, NULL, 1, &tree, NULL, &error), PYTREE_SHAPE, "own path", &error);
    assert_string_equal(error.message, "expected this, got that");
    mlp_clear(&model);
}

/* ---- What messages say of keys and lengths ------------------------------------------------------------------------------- */

static void deques_of_other_lengths(void **state)
{
    int x = 1;
    pytree trees[2];
    pytree_iter it;
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    (void)state;
    trees[0] = PYTREE_DEQUE(5, PYTREE(&x));
    trees[1] = PYTREE_DEQUE(5, PYTREE(&x));
    assert_ok(pytree_iter_begin(&it, 2, trees, NULL, &error), &error);
    assert_true(pytree_iter_next(&it));
    assert_false(pytree_iter_next(&it));
    assert_ok(it.status, &error);
    pytree_iter_end(&it);
    trees[1] = PYTREE_DEQUE(6, PYTREE(&x));
    assert_ok(pytree_iter_begin(&it, 2, trees, NULL, &error), &error);
    assert_false(pytree_iter_next(&it));
    assert_error(it.status, PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected deque with maxlen=5 as in the first tree, got 6 in tree 1");
    pytree_iter_end(&it);
    memset(&error, 0, sizeof error);
    trees[0] = PYTREE_DEQUE(PYTREE_UNBOUNDED, PYTREE(&x));
    assert_ok(pytree_iter_begin(&it, 2, trees, NULL, &error), &error);
    assert_false(pytree_iter_next(&it));
    assert_string_equal(error.message, "expected deque with maxlen=None as in the first tree, got 6 in tree 1");
    pytree_iter_end(&it);
    assert_int_equal(pytree_iter_begin(&it, 2, trees, NULL, NULL), PYTREE_OK);
    assert_false(pytree_iter_next(&it));
    assert_int_equal(it.status, PYTREE_STRUCTURE);
    pytree_iter_end(&it);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), &error);    /* a map asks for the items only */
}

static void keys_of_every_kind_in_messages(void **state)
{
    static const char *const said[] = { "expected key 3 ", "got 4 in tree 1", "expected key 'x'", "got 'y' in tree 1",
                                        "got 4 in tree 1" };
    int x = 1;
    pytree trees[2];
    Count count = { 0, 0 };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(said); i++) {
        pytree_error error = { 0 };
        trees[0] = i < 2 ? PYTREE_IDICT({ 3, PYTREE(&x) }) : i < 4 ? PYTREE_NAMEDTUPLE("P", { "x", PYTREE(&x) })
            : PYTREE_DICT({ "x", PYTREE(&x) });
        trees[1] = i < 2 ? PYTREE_IDICT({ 4, PYTREE(&x) }) : i < 4 ? PYTREE_NAMEDTUPLE("P", { "y", PYTREE(&x) })
            : PYTREE_IDICT({ 4, PYTREE(&x) });
        assert_error(pytree_map(count_leaves, &count, NULL, 2, trees, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
        assert_error_says(&error, said[i]);
    }
}

/* ---- Structs of a list, which are taken together ----------------------------------------------------------------------- */

typedef struct Cell {
    int kind;
    float x, *more, *last;
} Cell;

#define PYTREE_STRUCT Cell
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, more, ARRAY(1), OPTIONAL)                       \
    PYTREE_FIELD(DATA, last, ARRAY(1), OPTIONAL)
#include "pytree_registry.h"

enum { CELLS = 40, MOST_TREES = 6 };

typedef struct Cells {
    int n;
    Cell *cells;
} Cells;

#define PYTREE_STRUCT Cells
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, cells, LIST(self->n))
#include "pytree_registry.h"

/* Counts leaves, each of which has elements; what stands for None says so. */
static pytree_status count_sound_leaves(void *context, const pytree_iter *at)
{
    size_t k;
    for (k = 0; k < at->n; k++) { assert_true((at->leaf[k]->data == NULL) == (at->leaf[k]->form == PYTREE_FORM_NONE)); }
    return count_leaves(context, at);
}

/* Of two to six lists of structs, one struct of one list differs: in a static value, in a pointer that is NULL there or only
 * there is not. Each is noticed, wherever it is, and nothing is when none differs. None in place of a leaf of the first tree
 * fits, as any subtree does. */
static void one_struct_of_many_differs(void **state)
{
    static Cell cells[MOST_TREES][CELLS];
    static Cells lists[MOST_TREES];
    static float number;
    pytree trees[MOST_TREES];
    Count count = { 0, 0 };
    size_t n, odd, i, k;
    int what, none;
    (void)state;
    for (none = 0; none < 4; none++) {                         /* which of its pointers are NULL */
        for (i = 0; i < MOST_TREES; i++) {
            lists[i] = (Cells){ CELLS, cells[i] };
            trees[i] = PYTREE(&lists[i]);
            for (k = 0; k < CELLS; k++) { cells[i][k] = (Cell){ 7, 1, none % 2 ? NULL : &number, none / 2 ? NULL : &number }; }
        }
        for (n = 2; n <= MOST_TREES; n++) {
            count.calls = 0;
            assert_int_equal(pytree_map(count_sound_leaves, &count, NULL, n, trees, NULL, NULL), PYTREE_OK);
            assert_int_equal(count.calls, (3 - none % 2 - none / 2) * CELLS);
            for (odd = 0; odd < n; odd++) {
                for (what = 0; what < 3; what++) {
                    Cell *const one = &cells[odd][(odd * 13 + n) % CELLS], before = *one;
                    float **const at = what == 1 ? &one->more : &one->last;
                    const bool fits = what != 0 && (*at == NULL) == (odd == 0);  /* a leaf of the first, elsewhere None */
                    if (what == 0) { one->kind++; } else { *at = *at == NULL ? &number : NULL; }
                    assert_int_equal(pytree_map(count_sound_leaves, &count, NULL, n, trees, NULL, NULL),
                                     fits ? PYTREE_OK : PYTREE_STRUCTURE);
                    *one = before;
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(deeper_trees_come_as_subtrees),
        cmocka_unit_test(a_predicate_stops_at_subtrees),
        cmocka_unit_test(none_as_a_leaf),
        cmocka_unit_test(absurd_counts_of_trees),
        cmocka_unit_test(structures_that_differ),
        cmocka_unit_test(structs_that_differ),
        cmocka_unit_test(static_values_are_named),
        cmocka_unit_test(scratch_fields_and_paddings_do_not_count),
        cmocka_unit_test(all_is_checked_before_the_first_call),
        cmocka_unit_test(outputs_that_do_not_fit),
        cmocka_unit_test(maps_that_cannot_begin),
        cmocka_unit_test(callbacks_stop_a_map),
        cmocka_unit_test(deques_of_other_lengths),
        cmocka_unit_test(keys_of_every_kind_in_messages), cmocka_unit_test(one_struct_of_many_differs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
