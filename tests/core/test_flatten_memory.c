/* Flatten and memory: trees held as treedef and leaves, how many allocations are made, and each of them failing. */
#include "flatten_shared.h"

/* ---- Trees held as treedef and leaves ---------------------------------------------------------------------------------- */

static void a_flat_tree_is_a_tree_like_any_other(void **state)
{
    MLP model = mlp_make(2, false);
    int masks[5] = { 1, 2, 3, 4, 5 };
    pytree_leaf views[5], leaves[5];
    pytree_flat flat = { NULL, NULL };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, &error), *again;
    size_t i, n;
    (void)state;
    assert_ok(error.status, &error);
    memset(views, 0, sizeof views);
    for (i = 0; i < 5; i++) {
        views[i].data = &masks[i];
        views[i].type = PYTREE_TYPE(int);
    }
    flat.def = def;
    flat.leaves = views;
    assert_ok(pytree_leaves(PYTREE(&flat), leaves, 5, &n, NULL, &error), &error);
    assert_int_equal(n, 5);
    for (i = 0; i < 5; i++) {
        assert_true(leaves[i].data == &masks[i]);
    }
    again = pytree_structure(PYTREE(&flat), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, again));
    assert_paths(PYTREE(&flat), ".layers[0].w .layers[0].b .layers[1].w .layers[1].b .scale", NULL);
    pytree_def_free(again);
    pytree_def_free(def);

    /* containers with their keys, and None */
    {
        pytree tree = PYTREE_DICT({ "b", PYTREE_NONE },
                                  { "a", PYTREE_ODICT({ "z", PYTREE(&masks[0]) }, { "y", PYTREE_TUPLE(PYTREE(&masks[1])) }) },
                                  { "c", PYTREE_NAMEDTUPLE("N", { "n", PYTREE(&masks[2]) }) });
        def = pytree_structure(tree, NULL, &error);
        assert_ok(error.status, &error);
        flat.def = def;
        again = pytree_structure(PYTREE(&flat), NULL, &error);
        assert_ok(error.status, &error);
        assert_true(pytree_def_equal(def, again));
        assert_paths(PYTREE(&flat), "['a']['z'] ['a']['y'][0] ['c'].n", NULL);
        pytree_def_free(again);
        pytree_def_free(def);
    }
    mlp_clear(&model);
}

/* ---- Allocations ------------------------------------------------------------------------------------------------------- */

static void how_many_allocations_are_made(void **state)
{
    Everything all = everything_make(true);
    MLP model = mlp_make(3, true);
    Shelf shelf = shelf_make();
    Node *chain = chain_make(23);
    pytree trees[4];
    pytree_leaf room[EVERYTHING_LEAVES], *given = room;
    size_t i;
    (void)state;
    trees[0] = PYTREE(&all);
    trees[1] = PYTREE(&model);
    trees[2] = PYTREE(&shelf);
    trees[3] = PYTREE(chain);             /* 24 levels need none */
    for (i = 0; i < COUNT_OF(trees); i++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        assert_ok(pytree_leaves(trees[i], room, COUNT_OF(room), NULL, &opt, &error), &error);
        assert_true(pytree_num_leaves(trees[i], &opt, &error) > 0);
        assert_int_equal(heap.calls, 0);
        def = pytree_structure(trees[i], &opt, &error);
        assert_ok(error.status, &error);
        assert_int_equal(heap.calls, 1);
        assert_int_equal(heap.blocks, 1);
        pytree_def_free(def);
        assert_ok(pytree_flatten(trees[i], &leaves, 0, &def, &opt, &error), &error);
        assert_int_equal(heap.calls, 2);
        pytree_def_free(def);
        assert_ok(pytree_flatten(trees[i], &given, COUNT_OF(room), &def, &opt, &error), &error);
        assert_int_equal(heap.calls, 3);
        pytree_def_free(def);
        assert_heap_clean(&heap);
    }
    free(chain);
    shelf_clear(&shelf);
    mlp_clear(&model);
    everything_clear(&all);
}

static pytree_status make_structure(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def = pytree_structure(*(const pytree *)context, opt, err);
    assert_true((def == NULL) == (err->status != PYTREE_OK));
    pytree_def_free(def);
    return err->status;
}

static pytree_status make_both(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_status status = pytree_flatten(*(const pytree *)context, &leaves, 0, &def, opt, err);
    assert_true((def == NULL) == (status != PYTREE_OK));
    assert_true((leaves == NULL) == (status != PYTREE_OK));
    pytree_def_free(def);
    return status;
}

static pytree_status make_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf room[500];
    return pytree_leaves(*(const pytree *)context, room, COUNT_OF(room), NULL, opt, err);
}

static pytree_status count_leaves(void *context, const pytree_options *opt, pytree_error *err)
{
    return pytree_num_leaves(*(const pytree *)context, opt, err) == SIZE_MAX ? err->status : PYTREE_OK;
}

static bool never(void *context, const pytree_leaf *value, const pytree_path *path)
{
    size_t *deepest = context;
    (void)value;
    if (path->n > *deepest) {
        *deepest = path->n;
    }
    return false;
}

/* Deep, wide, keyed: what makes the walker borrow memory. */
static void out_of_memory_at_every_allocation(void **state)
{
    enum { WIDE = 100 };
    static pytree_pair pairs[WIDE];
    static char names[WIDE][8];
    static pytree_items items;
    Node *chain = chain_make(200), *shorter = chain_make(75);
    MLP model = mlp_make(3, true);
    double number = 1.0;
    pytree trees[4], asked[2];
    size_t i, deepest = 0;
    pytree_options asking = { 0 };
    (void)state;
    for (i = 0; i < WIDE; i++) {
        snprintf(names[i], sizeof names[i], "%u", (unsigned)(WIDE - i));
        pairs[i].key = names[i];
        pairs[i].value = PYTREE(&number);
    }
    items.count = WIDE;
    items.pairs = pairs;
    trees[0] = PYTREE(&model);
    trees[1] = PYTREE(chain);
    trees[2].type = PYTREE_DICT().type;
    trees[2].data = &items;
    trees[3] = PYTREE_LIST(trees[2], trees[1], PYTREE_TUPLE(trees[2]), trees[0]);
    for (i = 0; i < COUNT_OF(trees); i++) {
        assert_true(sweep_allocations(make_structure, &trees[i]) >= 1);
        assert_true(sweep_allocations(make_both, &trees[i]) >= 1);
        assert_true((sweep_allocations(make_leaves, &trees[i]) > 0) == (i > 0));
        assert_true((sweep_allocations(count_leaves, &trees[i]) > 0) == (i > 0));
    }
    assert_int_equal(sweep_allocations(make_structure, &trees[0]), 1);
    asking.is_leaf = never;               /* the path that it gets takes memory when it is long */
    asking.is_leaf_context = &deepest;
    asked[0] = PYTREE(shorter);
    asked[1] = PYTREE_LIST(trees[2], asked[0], trees[0]);
    assert_true(sweep_allocations_with(&asking, make_structure, &asked[0]) > 1);
    assert_int_equal(deepest, 75);
    assert_true(sweep_allocations_with(&asking, make_leaves, &asked[1]) > 1);
    assert_int_equal(deepest, 76);
    free(shorter);
    free(chain);
    mlp_clear(&model);
}

static bool no_leaf(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return false;
}

/* A tree of containers that the library made is flattened in one run; with a predicate that never says yes it goes the long
 * way. Both must give the same, also where somebody has changed the containers since. */
static void assert_flattens_as_the_long_way(pytree tree)
{
    const pytree_options slow = { .is_leaf = no_leaf };
    pytree_leaf *leaves[2] = { NULL, NULL };
    pytree_def *defs[2];
    pytree_error errors[2] = { { 0 }, { 0 } };
    size_t i;
    for (i = 0; i < 2; i++) {
        pytree_flatten(tree, &leaves[i], 0, &defs[i], i == 0 ? NULL : &slow, &errors[i]);
    }
    assert_int_equal(errors[0].status, errors[1].status);
    assert_string_equal(errors[0].path, errors[1].path);
    if (errors[0].status != PYTREE_OK) {
        assert_null(defs[0]);
        return;
    }
    assert_true(pytree_def_equal(defs[0], defs[1]));
    assert_int_equal(defs[0]->n_orders, defs[1]->n_orders);
    if (defs[0]->n_orders != 0) {
        assert_memory_equal(defs[0]->orders, defs[1]->orders, defs[0]->n_orders * sizeof *defs[0]->orders);
    }
    for (i = 0; i < defs[0]->n_leaves; i++) {
        assert_ptr_equal(leaves[0][i].data, leaves[1][i].data);
        assert_ptr_equal(leaves[0][i].type, leaves[1][i].type);
        assert_int_equal(leaves[0][i].ndim, leaves[1][i].ndim);
        assert_int_equal(leaves[0][i].form, leaves[1][i].form);
    }
    pytree_def_free(defs[0]);
    pytree_def_free(defs[1]);
}

static void made_containers_in_one_run(void **state)
{
    float x[6] = { 0 };
    pytree deep = PYTREE_NONE, tree, made;
    pytree_items levels[40];
    pytree items[40][1];
    pytree_error error = { 0 };
    pytree *list;
    pytree_pair *pairs;
    pytree kept;
    size_t i;
    (void)state;
    memset(levels, 0, sizeof levels);
    for (i = 0; i < 40; i++) {            /* deeper than the quick way goes */
        items[i][0] = deep;
        levels[i].count = 1;
        levels[i].items = items[i];
        deep.type = PYTREE_TUPLE().type;
        deep.data = &levels[i];
    }
    tree = PYTREE_DICT({ "z", PYTREE_ARRAY(x, 2, 3) }, { "b", PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE, PYTREE_TUPLE()) },
                       { "a", PYTREE_IDICT({ 3, PYTREE_FLOAT(1.5) }, { -3, PYTREE_DICT() }, { 1, PYTREE_ARRAY(x, 1) }) });
    assert_flattens_as_the_long_way(tree);
    made = pytree_clone(tree, NULL, &error);
    assert_ok(error.status, &error);
    assert_flattens_as_the_long_way(made);
    assert_def_text(made, "PyTreeDef({'a': {-3: {}, 1: *, 3: *}, 'b': [*, None, ()], 'z': *})", NULL);
    assert_int_equal(sweep_allocations(make_both, &made), 1);

    /* changed behind the library's back: more, fewer and other nodes, broken ones */
    pairs = (pytree_pair *)(uintptr_t)((const pytree_items *)made.data)->pairs;
    list = (pytree *)(uintptr_t)((const pytree_items *)pairs[1].value.data)->items;
    kept = list[0];
    list[0] = pairs[2].value;
    assert_flattens_as_the_long_way(made);
    list[0] = PYTREE_NONE;
    assert_flattens_as_the_long_way(made);
    list[0] = PYTREE_STR("text");
    assert_flattens_as_the_long_way(made);
    list[0] = PYTREE_ODICT({ "k", PYTREE_INT(1) });
    assert_flattens_as_the_long_way(made);
    list[0].data = NULL;
    assert_flattens_as_the_long_way(made);
    list[0].type = NULL;
    assert_flattens_as_the_long_way(made);
    list[0].type = PYTREE_ARRAY(x, 2).type;
    assert_flattens_as_the_long_way(made);
    list[0] = kept;
    list[1] = kept;
    assert_flattens_as_the_long_way(made);
    list[1] = PYTREE_NONE;
    ((pytree_leaf *)pairs[0].value.data)->shape[0] = SIZE_MAX;
    assert_flattens_as_the_long_way(made);
    ((pytree_leaf *)pairs[0].value.data)->shape[0] = 2;
    assert_flattens_as_the_long_way(made);
    pytree_free(made);

    made = pytree_clone(PYTREE_LIST(deep, PYTREE_STR("text"), deep), NULL, &error);
    assert_ok(error.status, &error);
    assert_flattens_as_the_long_way(made);
    pytree_free(made);
    made = pytree_clone(deep, NULL, &error);
    assert_ok(error.status, &error);
    assert_flattens_as_the_long_way(made);
    pytree_free(made);
}

/* ---- Where a block begins ---------------------------------------------------------------------------------------------- */

typedef struct OnePlace { unsigned char *at; size_t given, freed; } OnePlace;

static void *one_place_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    OnePlace *const place = context;
    if (new_size == 0) {
        assert_ptr_equal(p, place->at);
        place->freed = old_size;
        return NULL;
    }
    assert_null(p);
    place->given = new_size;
    return place->at;
}

/* Wherever the allocator's memory lies, the nodes begin with a cache line, and nothing is written behind the block. */
static void nodes_begin_with_a_cache_line(void **state)
{
    static unsigned char memory[64 + 64 + 1024];
    unsigned char *const line = memory + (0 - (uintptr_t)memory) % 64;
    MLP model = mlp_make(1, false);
    pytree_def *const expected = pytree_structure(PYTREE(&model), NULL, NULL);
    size_t offset, i, begins = 0;
    (void)state;
    for (offset = 0; offset < 64; offset += 8) {
        OnePlace place = { line + offset, 0, 0 };
        const pytree_allocator allocator = { .resize = one_place_resize, .context = &place };
        const pytree_options opt = { .allocator = &allocator };
        pytree_error error = { 0 };
        pytree_leaf *leaves = NULL;
        pytree_def *def;
        memset(memory, 0xA5, sizeof memory);
        assert_ok(pytree_flatten(PYTREE(&model), &leaves, 0, &def, &opt, &error), &error);
        assert_true(offset + place.given < 64 + 1024);
        for (i = offset + place.given; line + i < memory + sizeof memory; i++) { assert_int_equal(line[i], 0xA5); }
        assert_true(pytree_def_equal(def, expected));
        for (i = 0; i < def->n_leaves; i++) { assert_int_equal(leaves[i].form, PYTREE_FORM_LEAF); }
        if (offset % 16 == 0) { begins += (uintptr_t)def->nodes % 64 == 0; }
        pytree_def_free(def);
        assert_int_equal(place.freed, place.given);
    }
    if (PYTREE__LAYOUTS && sizeof(void *) == 8) { assert_int_equal(begins, 4); }
    pytree_def_free(expected);
    mlp_clear(&model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_flat_tree_is_a_tree_like_any_other),
        cmocka_unit_test(how_many_allocations_are_made),
        cmocka_unit_test(made_containers_in_one_run),
        cmocka_unit_test(nodes_begin_with_a_cache_line),
        cmocka_unit_test(out_of_memory_at_every_allocation)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
