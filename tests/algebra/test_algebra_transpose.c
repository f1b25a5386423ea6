/* Trees turned over: pytree_transpose, _transpose_map, _stack, _slice. */
#include "algebra_parts_shared.h"

#define AN_INT PYTREE_INT(1)              /* a literal: tcc 0.9.27 takes no variables in lists of trees */

/* ---- Transpose --------------------------------------------------------------------------------------------------------- */

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
    assert_string_equal(error.message, "expected a treedef in which None is a node, got one in which it is a leaf");
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
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1)), PYTREE_INT(2)),
                                       PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1)), PYTREE_NONE) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_TYPE, "[1]", &error);
    assert_string_equal(error.message, "expected i64 as in the first tree, got None in tree 1");
    error.status = PYTREE_OK;
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_INT(1)), PYTREE_TUPLE(PYTREE_INT(1)) }, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    error.status = PYTREE_OK;
    flat = pytree_stack(2, (pytree[2]){ PYTREE_LIST(PYTREE_STR("a")), PYTREE_TUPLE(PYTREE_STR("b")) }, NULL, &error);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(outer_and_inner_change_places), cmocka_unit_test(structs_are_transposed),
        cmocka_unit_test(transposes_refuse), cmocka_unit_test(trees_from_leaves_are_transposed),
        cmocka_unit_test(structs_become_arrays_and_back), cmocka_unit_test(stacks_of_other_leaves),
        cmocka_unit_test(empty_arrays_are_stacked), cmocka_unit_test(stacks_refuse)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
