/* Every kind of function through every call: derivatives beside differences, and results that share memory with arguments. */
#include "derive_every_shared.h"

/* ---- Derivatives ------------------------------------------------------------------------------------------------------ */

static void check_derivatives(const Every *e)
{
    if (!e->first_only) { assert_grads(e->f, e->n, e->args); }
}

static void derivatives_agree_with_differences(void **state)
{
    (void)state;
    every_function(check_derivatives);
}

/* ---- Shared memory ---------------------------------------------------------------------------------------------------- */

/* A result of which leaf k lies where an argument or another leaf does is refused by each call that writes results. */
static void refused_at(const pytree_fn *f, size_t n, const pytree *args, const pytree_flat *out, size_t k, void *where)
{
    const size_t n_out = pytree_def_num_leaves(out->def);
    pytree_leaf leaves[16];
    const pytree_flat shared = { out->def, leaves };
    pytree_error error = { 0 };
    pytree_prepared *p = pytree_prepare(f, n, args, PYTREE(out), NULL, &error);
    pytree_jit *jit = pytree_jit_new(f, 0, NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_jit_call(jit, n, args, PYTREE(out), &error), &error);
    assert_in_range(n_out, k + 1, 16);
    memcpy(leaves, out->leaves, n_out * sizeof *leaves);
    leaves[k].data = where;
    assert_error(pytree_apply(f, n, args, PYTREE(&shared), NULL, &error), PYTREE_SHARED, NULL, &error);
    assert_non_null(strstr(error.message, "expected memory of its own, got that of "));
    memset(&error, 0, sizeof error);
    assert_error(pytree_run_on(p, n, args, PYTREE(&shared), &error), PYTREE_SHARED, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_jit_call(jit, n, args, PYTREE(&shared), &error), PYTREE_SHARED, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_prepare(f, n, args, PYTREE(&shared), NULL, &error));
    assert_int_equal(error.status, PYTREE_SHARED);
    pytree_prepared_free(p);
    pytree_jit_free(jit);
}

static void check_shared(const Every *e)
{
    pytree_items items;
    pytree_leaf in[8];
    size_t n_in = 0;
    pytree_flat out = result_of(e);
    const size_t n_out = pytree_def_num_leaves(out.def);
    assert_int_equal(pytree_leaves(tuple_of(e, &items), in, 8, &n_in, NULL, NULL), PYTREE_OK);
    for (size_t k = 0; k < n_out; k++) {
        for (size_t i = 0; i < n_in; i++) {
            if (in[i].type == PYTREE_TYPE(double)) { refused_at(e->f, e->n, e->args, &out, k, in[i].data); }
        }
        if (k != 0) { refused_at(e->f, e->n, e->args, &out, k, out.leaves[k - 1].data); }
    }
    pytree_flat_free(&out);
}

static void shared_memory_is_refused(void **state)
{
    (void)state;
    every_function(check_shared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_agree_with_differences), cmocka_unit_test(shared_memory_is_refused)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
