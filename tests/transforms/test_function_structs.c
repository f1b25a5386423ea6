/* Results that callbacks are given as structs: values in place may be written through the struct, its leaves or the tree, or
 * not at all, wherever the result lies. */
#include "transforms_shared.h"

static pytree_status through_the_struct(void *context, const pytree_call *at)
{
    const Dense *from = at->arg[0];
    Dense *to = at->res[0];
    (void)context;
    memcpy(to->w, from->w, sizeof(float) * 2);
    to->b[0] = from->b[0];
    to->scale = from->scale;
    memcpy(to->shift, from->shift, sizeof to->shift);
    return PYTREE_OK;
}

static pytree_status through_the_leaves(void *context, const pytree_call *at)
{
    (void)context;
    for (size_t i = 0; i < at->n_out; i++) { memcpy(at->out[i].data, at->in[i].data, pytree_leaf_bytes(&at->in[i])); }
    return PYTREE_OK;
}

/* The struct and its leaves are the same memory during the call. */
static pytree_status through_both(void *context, const pytree_call *at)
{
    Dense *to = at->res[0];
    (void)through_the_leaves(context, at);
    assert_ptr_equal(at->out[2].data, &to->scale);
    assert_ptr_equal(at->out[3].data, to->shift);
    to->scale += 1;
    *(float *)at->out[2].data -= 1;
    return PYTREE_OK;
}

static const pytree_fn copies[] = {
    { .name = "struct", .call = through_the_struct, .shape = pytree_result_first },
    { .name = "leaves", .call = through_the_leaves, .shape = pytree_result_first },
    { .name = "both", .call = through_both, .shape = pytree_result_first },
    { .name = "tree", .call = first_call, .shape = pytree_result_first },
};

typedef struct Filled { float w[2], b[1]; Dense dense; } Filled;

static pytree fill(Filled *f, float by)
{
    *f = (Filled){ { by, 2 * by }, { 3 * by }, { 2, 1, NULL, NULL, 4 * by, { 5 * by, 6 * by } } };
    f->dense.w = f->w;
    f->dense.b = f->b;
    return PYTREE(&f->dense);
}

static void results_are_written_in_every_way(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(copies); i++) {
        const pytree_fn *const f = &copies[i];
        Filled one, two, three, four;
        const pytree t = fill(&one, 1), zeros = fill(&two, 0), other = fill(&three, 0);
        const pytree both[2] = { zeros, t };
        pytree_error error = { 0 };
        pytree_flat made = pytree_apply_new(f, 1, &t, NULL, &error), stack, slice;
        pytree_jit *jit = pytree_jit_new(f, 0, NULL, &error);
        pytree_prepared *prepared;
        assert_ok(error.status, &error);
        assert_true(pytree_equal(PYTREE(&made), t, NULL, NULL, NULL));
        assert_ok(pytree_apply(f, 1, &t, zeros, NULL, &error), &error);
        assert_true(pytree_equal(zeros, t, NULL, NULL, NULL));
        assert_ok(pytree_jit_call(jit, 1, &t, other, &error), &error);
        assert_true(pytree_equal(other, t, NULL, NULL, NULL));
        pytree_jit_free(jit);
        prepared = pytree_prepare(f, 1, &t, PYTREE(&made), NULL, &error);
        (void)fill(&one, 7);
        assert_ok(pytree_run(prepared, &error), &error);
        assert_true(pytree_equal(PYTREE(&made), t, NULL, NULL, NULL));
        pytree_prepared_free(prepared);
        pytree_flat_free(&made);
        (void)fill(&two, 3);
        stack = pytree_stack(2, both, NULL, &error);
        made = pytree_apply_new(PYTREE_VMAP(f), 1, (pytree[1]){ PYTREE(&stack) }, NULL, &error);
        assert_ok(error.status, &error);
        for (int k = 0; k < 2; k++) {
            slice = pytree_slice(PYTREE(&made), k, NULL, &error);
            assert_true(pytree_equal(PYTREE(&slice), fill(&four, k == 0 ? 3 : 7), NULL, NULL, NULL));
            pytree_flat_free(&slice);
        }
        pytree_flat_free(&made);
        pytree_flat_free(&stack);
    }
}

/* Writes the arrays only, and fails if it is told to. */
static pytree_status arrays_only(void *context, const pytree_call *at)
{
    const Dense *from = at->arg[0];
    Dense *to = at->res[0];
    memcpy(to->w, from->w, sizeof(float) * 2);
    return *(const pytree_status *)context;
}

static void what_is_not_written_stays(void **state)
{
    pytree_status told = PYTREE_OK;
    const pytree_fn f = { .name = "arrays", .call = arrays_only, .context = &told, .shape = pytree_result_first };
    Filled one, two, three;
    const pytree t = fill(&one, 1), before = fill(&two, 9);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_flat out;
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        pytree_def *def;
        told = fails ? PYTREE_VALUE : PYTREE_OK;
        assert_ok(pytree_flatten(before, &leaves, 0, &def, NULL, &error), &error);
        out = (pytree_flat){ def, leaves };
        assert_int_equal(pytree_apply(&f, 1, &t, PYTREE(&out), NULL, NULL), told);
        (void)fill(&three, 9);
        three.w[0] = 1;
        three.w[1] = 2;
        assert_true(pytree_equal(before, PYTREE(&three.dense), NULL, NULL, NULL));
        pytree_def_free(def);
        leaves = NULL;
        (void)fill(&two, 9);
    }
}

/* (carry, x) -> (carry, y), both structs: the carry grows by x, y is what it was. */
static pytree_status grow_by(void *context, const pytree_call *at)
{
    Dense *carry = at->arg[0];
    (void)context;
    assert_ptr_equal(at->res[0], carry);
    assert_ptr_equal(at->in[2].data, &carry->scale);           /* an argument that is the result has its leaves, too */
    assert_ptr_equal(at->out[2].data, &carry->scale);
    *(float *)at->out[4 + 2].data = *(const float *)at->in[2].data;
    *(float *)at->out[2].data += *(const float *)at->in[4].data;
    return PYTREE_OK;
}

static pytree_status carry_twice(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], at->args[0]));
}

static void carries_in_place_are_one_struct(void **state)
{
    const pytree_fn f = { .name = "grow", .call = grow_by, .shape = carry_twice };
    Filled one;
    float xs[3] = { 10, 20, 30 };
    const pytree args[2] = { fill(&one, 1), PYTREE_ARRAY(xs, 3) };
    pytree_error error = { 0 };
    pytree_flat made = pytree_apply_new(PYTREE_SCAN(&f, .in_place = true), 2, args, NULL, &error);
    const float *ys;
    (void)state;
    assert_ok(error.status, &error);
    assert_true(*(const float *)made.leaves[2].data == 64);
    ys = made.leaves[4 + 2].data;
    assert_true(ys[0] == 4 && ys[1] == 14 && ys[2] == 34);
    assert_true(one.dense.scale == 4);
    pytree_flat_free(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_written_in_every_way), cmocka_unit_test(what_is_not_written_stays),
        cmocka_unit_test(carries_in_place_are_one_struct)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
