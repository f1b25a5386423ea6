/* Trees turned over, taken apart and compared: pytree_transpose, _transpose_map, _stack, _index, _partition, _combine,
 * _replace_none, _diff. Prefixes are in test_algebra.c. */
#include "support.h"
#include "pytree/algebra.h"

static const pytree_options nones_are_leaves = { .none_is_leaf = true };

#define AN_INT PYTREE_INT(1)              /* a literal: tcc 0.9.27 takes no variables in lists of trees */

static int64_t number_of(const pytree_leaf *leaf)
{
    int64_t n;
    if (leaf->form == PYTREE_FORM_NONE) { return -1; }
    if (leaf->form != PYTREE_FORM_LEAF || leaf->type != PYTREE_TYPE(int64_t)) { return -2; }
    memcpy(&n, leaf->data, sizeof n);
    return n;
}

static void assert_flat(const pytree_flat *flat, const char *structure, size_t n, const int64_t *numbers)
{
    char text[512];
    size_t i;
    assert_non_null(flat->def);
    assert_true(pytree_def_text(flat->def, text, sizeof text) < sizeof text);
    assert_string_equal(text, structure);
    assert_int_equal(flat->def->n_leaves, n);
    for (i = 0; i < n; i++) { assert_int_equal(number_of(&flat->leaves[i]), numbers[i]); }
}
#define ASSERT_FLAT(flat, structure, ...)                                                                               \
    assert_flat(flat, structure, COUNT_OF(((const int64_t[]){ __VA_ARGS__ })), (const int64_t[]){ __VA_ARGS__ })

static pytree_def *structure(pytree t, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, opt, &error);
    assert_ok(error.status, &error);
    return def;
}

/* ---- Transpose -------------------------------------------------------------------------------------------------------- */

static void outer_and_inner_change_places(void **state)
{
    pytree_error error = { 0 };
    pytree_def *outer = structure(PYTREE_TUPLE(AN_INT, AN_INT), NULL),
        *inner = structure(PYTREE_LIST(AN_INT, AN_INT, AN_INT), NULL);
    pytree t = PYTREE_TUPLE(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2), PYTREE_INT(3)),
                            PYTREE_LIST(PYTREE_INT(4), PYTREE_INT(5), PYTREE_INT(6)));
    pytree_flat flat = pytree_transpose(outer, inner, t, NULL, &error), back;
    (void)state;
    ASSERT_FLAT(&flat, "PyTreeDef([(*, *), (*, *), (*, *)])", 1, 4, 2, 5, 3, 6);
    back = pytree_transpose(inner, outer, PYTREE(&flat), NULL, &error);
    ASSERT_FLAT(&back, "PyTreeDef(([*, *, *], [*, *, *]))", 1, 2, 3, 4, 5, 6);
    pytree_flat_free(&back);
    pytree_flat_free(&flat);
    flat = pytree_transpose(outer, NULL, t, NULL, &error);     /* inner is what stands at the first leaf */
    ASSERT_FLAT(&flat, "PyTreeDef([(*, *), (*, *), (*, *)])", 1, 4, 2, 5, 3, 6);
    pytree_flat_free(&flat);
    assert_ok(error.status, &error);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

static void structs_are_transposed(void **state)
{
    Linear a = linear_make(2, 1, 1.0f), b = linear_make(2, 1, 5.0f);
    pytree_error error = { 0 };
    pytree t = PYTREE_DICT({ "second", PYTREE(&b) }, { "first", PYTREE(&a) });
    pytree_def *outer = structure(PYTREE_DICT({ "first", PYTREE_INT(0) }, { "second", PYTREE_INT(0) }), NULL);
    pytree_flat flat = pytree_transpose(outer, NULL, t, NULL, &error);
    char text[128];
    (void)state;
    assert_ok(error.status, &error);
    pytree_def_text(flat.def, text, sizeof text);
    assert_string_equal(text, "PyTreeDef(CustomNode(Linear[(2, 1)], [{'first': *, 'second': *}, {'first': *, 'second': *}]))");
    assert_ptr_equal(flat.leaves[0].data, a.w);
    assert_ptr_equal(flat.leaves[1].data, b.w);
    assert_ptr_equal(flat.leaves[3].data, b.b);
    pytree_flat_free(&flat);
    pytree_def_free(outer);
    linear_clear(&a);
    linear_clear(&b);
}

static void transposes_refuse(void **state)
{
    pytree_error error = { 0 };
    pytree_def *outer = structure(PYTREE_TUPLE(AN_INT, AN_INT), NULL), *inner = structure(PYTREE_LIST(AN_INT, AN_INT), NULL),
               *empty = structure(PYTREE_TUPLE(), NULL), *nil = structure(PYTREE_LIST(AN_INT, AN_INT), &nones_are_leaves);
    pytree_flat flat = pytree_transpose(outer, inner, PYTREE_LIST(AN_INT, AN_INT, AN_INT), NULL, &error);
    (void)state;
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected 2 times 2 leaves, outer's times inner's, got 3");
    error.status = PYTREE_OK;
    flat = pytree_transpose(empty, inner, PYTREE_LIST(), NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_TOO_FEW_LEAVES, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_transpose(empty, NULL, PYTREE_TUPLE(), NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_EMPTY, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_transpose(outer, NULL, PYTREE_LIST(AN_INT, AN_INT), NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_transpose(outer, nil, PYTREE_TUPLE(PYTREE_LIST(AN_INT, AN_INT), PYTREE_LIST(AN_INT, AN_INT)), NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_transpose(outer, empty, PYTREE_TUPLE(PYTREE_TUPLE(), PYTREE_LIST()), NULL, &error);
    assert_ok(error.status, &error);                           /* inner has no leaves: only its structure is left */
    assert_int_equal(flat.def->n_leaves, 0);
    pytree_flat_free(&flat);
    pytree_def_free(outer);
    pytree_def_free(inner);
    pytree_def_free(empty);
    pytree_def_free(nil);
}

typedef struct Twice {
    int64_t doubles[8];
    pytree_pair pairs[8];                 /* what a leaf of the inner structure refers to must stay */
    pytree_items items[8];
    pytree dicts[8];
    size_t wrong;                         /* the leaf whose result is of another kind */
} Twice;

static pytree_status give_twice(void *context, const pytree_iter *at, pytree_taker *to)
{
    Twice *t = context;
    t->doubles[at->index] = 2 * number_of(at->leaf[0]) + (at->n > 1 ? number_of(at->leaf[1]) : 0);
    if (at->index == t->wrong) { return pytree_give(to, PYTREE_LIST(PYTREE(&t->doubles[at->index]))); }
    t->pairs[at->index] = (pytree_pair){ "k", PYTREE(&t->doubles[at->index]) };
    t->items[at->index] = (pytree_items){ .count = 1, .pairs = &t->pairs[at->index] };
    t->dicts[at->index].type = &pytree_types[PYTREE__T_dict];
    t->dicts[at->index].data = &t->items[at->index];
    return pytree_give(to, PYTREE_TUPLE(PYTREE(at->leaf[0]), PYTREE(&t->dicts[at->index])));
}

static pytree_status give_nothing(void *context, const pytree_iter *at, pytree_taker *to)
{
    (void)context;
    (void)at;
    (void)to;
    return PYTREE_OK;
}

static pytree_status give_two(void *context, const pytree_iter *at, pytree_taker *to)
{
    (void)context;
    (void)pytree_give(to, pytree_of_view(at->leaf[0]));
    return pytree_give(to, pytree_of_view(at->leaf[0]));
}

static pytree_status give_empty(void *context, const pytree_iter *at, pytree_taker *to)
{
    (void)context;
    (void)at;
    return pytree_give(to, PYTREE_LIST());
}

static void trees_from_leaves_are_transposed(void **state)
{
    static const struct { pytree_give_fn *fn; pytree_status status; } refused[] = {
        { give_nothing, PYTREE_ARGUMENT }, { give_two, PYTREE_ARGUMENT }, { give_empty, PYTREE_EMPTY }
    };
    pytree_error error = { 0 };
    Twice twice = { .wrong = SIZE_MAX };
    pytree t = PYTREE_LIST(PYTREE_INT(1), PYTREE_TUPLE(PYTREE_INT(2), PYTREE_INT(3)));
    pytree both[2];
    pytree_def *inner;
    pytree_flat flat = pytree_transpose_map(give_twice, &twice, NULL, 1, &t, NULL, &error);
    size_t i;
    (void)state;
    assert_ok(error.status, &error);
    ASSERT_FLAT(&flat, "PyTreeDef(([*, (*, *)], {'k': [*, (*, *)]}))", 1, 2, 3, 2, 4, 6);
    pytree_flat_free(&flat);
    both[0] = both[1] = t;
    flat = pytree_transpose_map(give_twice, &twice, NULL, 2, both, NULL, &error);
    ASSERT_FLAT(&flat, "PyTreeDef(([*, (*, *)], {'k': [*, (*, *)]}))", 1, 2, 3, 3, 6, 9);
    pytree_flat_free(&flat);

    /* given, it may be less deep than what the function gives: subtrees are then opened where they come to stand */
    inner = structure(PYTREE_TUPLE(PYTREE_INT(0), PYTREE_INT(0)), NULL);
    flat = pytree_transpose_map(give_twice, &twice, inner, 1, &t, NULL, &error);
    ASSERT_FLAT(&flat, "PyTreeDef(([*, (*, *)], [{'k': *}, ({'k': *}, {'k': *})]))", 1, 2, 3, 2, 4, 6);
    pytree_flat_free(&flat);
    pytree_def_free(inner);

    twice.wrong = 1;
    flat = pytree_transpose_map(give_twice, &twice, NULL, 1, &t, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    for (i = 0; i < COUNT_OF(refused); i++) {
        error.status = PYTREE_OK;
        flat = pytree_transpose_map(refused[i].fn, NULL, NULL, 1, &t, NULL, &error);
        assert_null(flat.def);
        assert_error(error.status, refused[i].status, NULL, &error);
        flat = pytree_transpose_map(refused[i].fn, NULL, NULL, 1, &t, NULL, NULL);
        assert_null(flat.def);
    }
    error.status = PYTREE_OK;
    t = PYTREE_NONE;
    flat = pytree_transpose_map(give_twice, &twice, NULL, 1, &t, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_EMPTY, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_transpose_map(NULL, NULL, NULL, 1, &t, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
}

/* ---- Stack and index --------------------------------------------------------------------------------------------------- */

static void structs_become_arrays_and_back(void **state)
{
    MLP models[3];
    pytree trees[3];
    pytree_error error = { 0 };
    pytree_options opt = { .alignment = 256 };
    pytree_flat stack, slice;
    pytree_def *def;
    size_t i, k;
    MLP copy = mlp_make(2, true);
    (void)state;
    for (k = 0; k < 3; k++) {
        models[k] = mlp_make(2, true);
        models[k].layers[1].w[0] = (float)k;
        models[k].scale[1][2] = -(float)k;
        trees[k] = PYTREE(&models[k]);
    }
    stack = pytree_stack(3, trees, &opt, &error);
    assert_ok(error.status, &error);
    def = structure(trees[0], NULL);
    assert_true(pytree_def_equal(stack.def, def));
    assert_int_equal(stack.leaves[2].ndim, 3);
    assert_int_equal(stack.leaves[2].shape[0], 3);
    assert_int_equal(stack.leaves[2].shape[1], 3);
    assert_int_equal(stack.leaves[2].shape[2], 2);
    for (i = 0; i < def->n_leaves; i++) { assert_int_equal((uintptr_t)stack.leaves[i].data % 256, 0); }
    assert_true(((float *)stack.leaves[2].data)[2 * 6] == 2.0f);
    assert_true(((float *)stack.leaves[6].data)[1 * 6 + 5] == -1.0f);

    for (k = 0; k < 3; k++) {             /* its slices are the trees again, as views into it */
        slice = pytree_slice(PYTREE(&stack), k == 2 ? -1 : (ptrdiff_t)k, NULL, &error);
        assert_ok(error.status, &error);
        assert_ptr_equal(slice.leaves[2].data, (float *)stack.leaves[2].data + 6 * k);
        assert_true(pytree_equal(PYTREE(&slice), trees[k], NULL, NULL, &error));
        assert_ok(pytree_copy_into(PYTREE(&copy), PYTREE(&slice), NULL, &error), &error);
        assert_true(pytree_equal(PYTREE(&copy), trees[k], NULL, NULL, &error));
        pytree_flat_free(&slice);
    }
    models[0].layers[1].w[0] = 99.0f;     /* the stack has data of its own */
    assert_true(((float *)stack.leaves[2].data)[0] == 0.0f);
    pytree_flat_free(&stack);
    pytree_def_free(def);
    for (k = 0; k < 3; k++) { mlp_clear(&models[k]); }
    mlp_clear(&copy);
}

static void stacks_of_other_leaves(void **state)
{
    Everything all[2];
    pytree trees[2];
    pytree_error error = { 0 };
    pytree_flat stack, slice;
    (void)state;
    all[0] = everything_make(false);
    all[1] = everything_make(false);
    all[1].u64 = 5;
    all[1].title = "another";
    trees[0] = PYTREE(&all[0]);
    trees[1] = PYTREE(&all[1]);
    stack = pytree_stack(2, trees, &nones_are_leaves, &error);
    assert_ok(error.status, &error);
    assert_int_equal(stack.leaves[20].form, PYTREE_FORM_NONE); /* note */
    assert_int_equal(stack.leaves[19].ndim, 1);
    assert_string_equal(((char **)stack.leaves[19].data)[1], "another");
    slice = pytree_slice(PYTREE(&stack), 1, &nones_are_leaves, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&slice), trees[1], NULL, &nones_are_leaves, &error));
    pytree_flat_free(&slice);
    pytree_flat_free(&stack);
    everything_clear(&all[0]);
    everything_clear(&all[1]);
}

static void empty_arrays_are_stacked(void **state)
{
    Linear layers[2] = { { .din = 0, .dout = 2 }, { .din = 0, .dout = 2 } };
    float b[2] = { 1, 2 };
    pytree trees[2] = { PYTREE(&layers[0]), PYTREE(&layers[1]) };
    pytree_error error = { 0 };
    pytree_flat stack, slice;
    (void)state;
    layers[0].b = layers[1].b = b;
    stack = pytree_stack(2, trees, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(stack.leaves[0].shape[0], 2);
    assert_int_equal(stack.leaves[0].shape[1], 0);
    assert_int_equal(pytree_leaf_count(&stack.leaves[0]), 0);
    slice = pytree_slice(PYTREE(&stack), 1, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(slice.leaves[0].ndim, 2);
    pytree_flat_free(&slice);
    pytree_flat_free(&stack);
}

static void stacks_refuse(void **state)
{
    float numbers[6] = { 0 };
    pytree_error error = { 0 };
    pytree_leaf deep = { .data = numbers, .type = PYTREE_TYPE(float), .ndim = PYTREE_MAX_DIMS };
    pytree_flat flat;
    int k;
    (void)state;
    for (k = 0; k < PYTREE_MAX_DIMS; k++) { deep.shape[k] = 1; }
    flat = pytree_stack(0, NULL, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_ARRAY(numbers, 2)), PYTREE_LIST(PYTREE_ARRAY(numbers, 3)) }, NULL,
                        &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_SHAPE, "[0]", &error);
    assert_string_equal(error.message, "expected f32[2] as in the first tree, got f32[3] in tree 1");
    error.status = PYTREE_OK;
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_INT(1)), PYTREE_LIST(PYTREE_FLOAT(1)) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_TYPE, "[0]", &error);
    error.status = PYTREE_OK;
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_INT(1)), PYTREE_LIST(PYTREE_LIST()) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_TYPE, "[0]", &error);
    assert_string_equal(error.message, "expected i64 as in the first tree, got a subtree in tree 1");
    error.status = PYTREE_OK;
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_INT(1)), PYTREE_TUPLE(PYTREE_INT(1)) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_stack(1, (pytree[1]){ PYTREE_LIST(PYTREE(&deep)) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_SHAPE, "[0]", &error);
    error.status = PYTREE_OK;
    flat = pytree_slice(PYTREE_LIST(PYTREE_ARRAY(numbers, 3, 2), PYTREE_ARRAY(numbers, 2, 3)), 2, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "[1]", &error);
    assert_string_equal(error.message, "expected a slice 2 along the first axis, got f32[2,3]");
    error.status = PYTREE_OK;
    flat = pytree_slice(PYTREE_LIST(PYTREE_ARRAY(numbers, 3, 2)), -4, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_ARGUMENT, "[0]", &error);
    error.status = PYTREE_OK;
    flat = pytree_slice(PYTREE_LIST(PYTREE_INT(1)), 0, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_SHAPE, "[0]", &error);
}

/* ---- Parts --------------------------------------------------------------------------------------------------------------- */

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

/* ---- Differences --------------------------------------------------------------------------------------------------------- */

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

/* ---- Depth and memory ---------------------------------------------------------------------------------------------------- */

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
    assert_int_equal(sweep_allocations(sweep_partition, &s), 3);
    assert_true(sweep_allocations(sweep_diff, &s) > 5);
    assert_int_equal(sweep_allocations(sweep_diff_of_values, &s), 6);
    pytree_def_free(s.outer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outer_and_inner_change_places), cmocka_unit_test(structs_are_transposed),
        cmocka_unit_test(transposes_refuse), cmocka_unit_test(trees_from_leaves_are_transposed),
        cmocka_unit_test(structs_become_arrays_and_back), cmocka_unit_test(stacks_of_other_leaves),
        cmocka_unit_test(empty_arrays_are_stacked), cmocka_unit_test(stacks_refuse),
        cmocka_unit_test(trees_are_parted_and_put_together), cmocka_unit_test(structs_are_parted),
        cmocka_unit_test(the_first_that_is_not_none), cmocka_unit_test(nones_are_replaced),
        cmocka_unit_test(predicates_hold_in_parts), cmocka_unit_test(views_of_what_is_freed_do_not_get_out),
            cmocka_unit_test(differences_by_path),
        cmocka_unit_test(differences_of_structs), cmocka_unit_test(keys_lead_to_their_paths),
            cmocka_unit_test(subtrees_are_not_stacked),
        cmocka_unit_test(subtrees_as_leaves_are_compared),
        cmocka_unit_test(depth_is_bounded_by_memory), cmocka_unit_test(every_allocation_may_fail)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
