/* Every kind of function through every call, each allocation failing once. What a call prepares is taken from the allocator
 * piece by piece here, not in chunks, so that each piece fails. */
#define TEST_WATCHED_BODIES
#include "derive_every_shared.h"

/* ---- Memory that runs out --------------------------------------------------------------------------------------------- */

/* The run that counts coverage fails all of them, the others some: sanitizers and valgrind would take minutes. */
#if defined(__clang__) && !defined(__OPTIMIZE__)
enum { STEP = 1 };
#else
enum { STEP = 7 };
#endif
static void sweep(sweep_body *body, void *context)
{
    (void)sweep_allocations_by(under_valgrind() ? 71 : slow_here() ? 29 : STEP, NULL, body, context);
}

/* One call, with its result where it needs one. */
typedef struct Sweep {
    const pytree_fn *f;
    size_t n;
    const pytree *args;
    pytree out;
} Sweep;

static pytree_status sweep_apply(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    return pytree_apply(s->f, s->n, s->args, s->out, &(pytree_fn_options){ .tree = *opt }, err);
}
static pytree_status sweep_new(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_flat out = pytree_apply_new(s->f, s->n, s->args, &(pytree_fn_options){ .tree = *opt }, err);
    pytree_flat_free(&out);
    return err->status;
}
static pytree_status sweep_shape(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_flat out = pytree_eval_shape(s->f, s->n, s->args, &(pytree_fn_options){ .tree = *opt }, err);
    pytree_flat_free(&out);
    return err->status;
}
static pytree_status sweep_prepare(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_prepared *p = pytree_prepare(s->f, s->n, s->args, s->out, &(pytree_fn_options){ .tree = *opt }, err);
    if (p != NULL && pytree_run(p, err) == PYTREE_OK) { (void)pytree_run_on(p, s->n, s->args, s->out, err); }
    pytree_prepared_free(p);
    return err->status;
}
static pytree_status sweep_jit(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_jit *jit = pytree_jit_new(s->f, 1, &(pytree_fn_options){ .tree = *opt }, err);
    for (int i = 0; jit != NULL && i < 2 && err->status == PYTREE_OK; i++) {
        (void)pytree_jit_call(jit, s->n, s->args, s->out, err);
    }
    pytree_jit_free(jit);
    return err->status;
}
static pytree_status sweep_program(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    const pytree_fn_options options = { .tree = *opt };
    pytree_program *p = pytree_program_new(s->f, s->n, s->args, &options, err), *forward = NULL, *pruned = NULL;
    if (p != NULL) { pruned = pytree_dce(p, PYTREE_NONE, err); }
    if (pruned != NULL) { forward = pytree_pushforward(pruned, err); }
    if (forward != NULL) { (void)pytree_apply(PYTREE_PROGRAM(pruned), s->n, s->args, s->out, &options, err); }
    pytree_program_free(pruned);
    pytree_program_free(forward);
    pytree_program_free(p);
    return err->status;
}
static pytree_status sweep_pullback(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_program *p = pytree_program_new(s->f, s->n, s->args, &(pytree_fn_options){ .tree = *opt }, err), *back = NULL;
    if (p != NULL) { back = pytree_pullback(p, err); }
    pytree_program_free(back);
    pytree_program_free(p);
    return err->status;
}
static pytree_status sweep_check(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    return pytree_check_grads(s->f, s->n, s->args, &(pytree_check_grads_options){ .fn.tree = *opt, .n_directions = 1 }, err);
}

static void check_memory(const Every *e)
{
    pytree_flat out = result_of(e);
    pytree_items items;
    const pytree primals = tuple_of(e, &items), jvp[2] = { primals, primals }, vjp[2] = { primals, PYTREE(&out) };
    Sweep call = { e->f, e->n, e->args, PYTREE(&out) }, forward = { PYTREE_JVP(e->f), 2, jvp, PYTREE_NONE };
    Sweep back = { PYTREE_VJP(e->f), 2, vjp, PYTREE_NONE };
    sweep(sweep_apply, &call);
    sweep(sweep_new, &call);
    sweep(sweep_shape, &call);
    sweep(sweep_prepare, &call);
    sweep(sweep_jit, &call);
    sweep(sweep_program, &call);
    sweep(sweep_new, &forward);
    sweep(sweep_new, &back);
    sweep(sweep_pullback, &call);
    if (!e->first_only) { sweep(sweep_check, &call); }
    pytree_flat_free(&out);
}

static void each_allocation_fails_once(void **state)
{
    (void)state;
    every_function(check_memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(each_allocation_fails_once) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
