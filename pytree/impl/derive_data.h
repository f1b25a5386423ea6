/* pytree/impl/derive_data.h: programs as data: made of functions, made functions again, differentiated, pruned. */
#ifndef PYTREE_IMPL_DERIVE_DATA_H
#define PYTREE_IMPL_DERIVE_DATA_H

#include "derive_apply.h"

/* ---- Lifetime --------------------------------------------------------------------------------------------------------
 *
 * A program is the arena of a plan. A program that is made of another refers to it (constants, parameters of calls, treedefs)
 * and is one of its users; the last user ends the arena.
 */

/* Lets a program's plan stay as long as another plan that is a program, too. Others borrow it. */
static bool pytree__pg_hold(struct pytree__fn_plan *plan, struct pytree__fn_plan *other)
{
    struct pytree__fn_held *held;
    if (!plan->holds) { return true; }
    held = (struct pytree__fn_held *)pytree__fn_take(plan, 1, sizeof *held);
    if (held == NULL) { return false; }
    held->plan = other;
    held->before = plan->held;
    plan->held = held;
    other->users++;
    return true;
}

/* Takes a user from a plan; the last one puts it into the list of those that end. */
static void pytree__pg_let_go(struct pytree__fn_plan *plan, struct pytree__fn_plan **ending)
{
    if (--plan->users != 0) { return; }
    plan->below = *ending;
    *ending = plan;
}

static void pytree__pg_free(struct pytree__fn_plan *plan)
{
    struct pytree__fn_plan *ending = NULL;
    pytree__pg_let_go(plan, &ending);
    while (ending != NULL) {
        struct pytree__fn_plan *ends = ending;
        const pytree_allocator *allocator = ends->user.allocator;
        struct pytree__fn_held *held;
        ending = ends->below;
        for (held = ends->held; held != NULL; held = held->before) { pytree__pg_let_go(held->plan, &ending); }
        pytree__fn_plan_end(ends);
        pytree__array_free(ends, 1, sizeof *ends, allocator);
    }
}

void pytree_program_free(pytree_program *p)
{
    if (p != NULL) { pytree__pg_free(p->arena); }
}

/* A plan for a program. NULL on failure. */
static struct pytree__fn_plan *pytree__pg_plan(const pytree_fn_options *opt, pytree_error *err)
{
    struct pytree__fn_plan *plan = (struct pytree__fn_plan *)pytree__array_new(1, sizeof *plan,
                                                                               opt == NULL ? NULL : opt->tree.allocator, err);
    if (plan == NULL) { return NULL; }
    pytree__fn_plan_begin(plan, NULL, opt);
    plan->shapes_only = plan->holds = true;
    plan->users = 1;
    return plan;
}

/* Hands a program over, or (NULL) the error of its plan. */
static pytree_program *pytree__pg_done(struct pytree__fn_plan *plan, pytree_program *p, pytree_error *err)
{
    if (p != NULL && plan->err.status == PYTREE_OK) { return p; }
    (void)pytree__fn_verdict(plan, err);
    pytree__pg_free(plan);
    return NULL;
}

/* ---- Functions and programs ---------------------------------------------------------------------------------------- */

pytree_program *pytree_program_new(const pytree_fn *f, size_t n, const pytree *args, const pytree_fn_options *opt,
                                   pytree_error *err)
{
    struct pytree__fn_plan *plan = pytree__pg_plan(opt, err);
    const pytree_program *p = NULL;
    struct pytree__fn_frame frame;
    pytree_program *result;
    if (plan == NULL) { return NULL; }
    if (pytree__fn_begin(plan, &frame, f, n, args, NULL) == PYTREE_OK) { p = pytree__pg_recorded(frame.top); }
    result = p == NULL ? NULL : (pytree_program *)pytree__fn_take(plan, 1, sizeof *result);
    if (result != NULL) {
        *result = *p;
        result->in_def = pytree_def_tuple(n, frame.top->defs, &plan->tree, &plan->err);
        result->out_def = frame.top->def;
    }
    return pytree__pg_done(plan, result, err);
}

static bool pytree__program_says(const pytree_fn *f)
{
    (void)f;
    return true;
}
static pytree_status pytree__program_bind(struct pytree__fn_bound *b)
{
    const pytree_program *p = ((const pytree_program_of *)b->fn->context)->p;
    pytree_program *here = (pytree_program *)pytree__fn_take(b->plan, 1, sizeof *here);
    pytree_leaf *views = p == NULL ? NULL : (pytree_leaf *)pytree__fn_take(b->plan, p->n_in, sizeof *views);
    const pytree_def *given = pytree_def_tuple(b->n_args, b->defs, &b->plan->tree, &b->plan->err);
    pytree_status status;
    size_t k;
    if (p == NULL) { return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a program, got NULL"); }
    if (here == NULL || views == NULL || given == NULL) { return pytree__fn_trouble(b); }
    for (k = 0; k < p->n_in; k++) { views[k] = *p->values[k + 1]; }
    status = pytree__fn_compare(b, "arguments", p->in_def, views, given, b->in);
    if (status != PYTREE_OK) { return status; }
    *here = *p;
    here->arena = b->plan;
    return pytree__pg_hold(b->plan, p->arena) ? pytree__pg_bind(b, here) : PYTREE_NO_MEMORY;
}
const pytree_fn_kind pytree_program_kind = { "program", NULL, pytree__program_says, pytree__program_bind,
                                             pytree__pg_run, NULL };

/* ---- Derivatives --------------------------------------------------------------------------------------------------- */

/* Traces a derivative of a program: (arguments as a tuple, what has the structure and the shapes of `second`). */
static pytree_program *pytree__pg_derived(const pytree_program *p, const pytree_fn_kind *kind, const pytree_def *second,
                                          const pytree_leaf *const *views, pytree_error *err)
{
    const pytree_allocator *allocator = p->arena->user.allocator;
    const size_t n = pytree__plus(p->n_in, second->n_leaves);
    pytree_leaf *leaves = (pytree_leaf *)pytree__array_new(n, sizeof *leaves, allocator, err);
    pytree_program_of of;
    pytree_derivative_of derivative;
    pytree_fn inner, outer;
    pytree_fn_options opt;
    pytree_flat flats[2];
    pytree args[2];
    pytree_program *q;
    size_t k;
    if (leaves == NULL) { return NULL; }
    for (k = 0; k < n; k++) {
        leaves[k] = k < p->n_in ? *p->values[k + 1] : *views[k - p->n_in];
        leaves[k].data = NULL;
    }
    flats[0] = pytree__alg_flat(p->in_def, leaves);
    flats[1] = pytree__alg_flat(second, leaves + p->n_in);
    for (k = 0; k < 2; k++) {
        args[k].type = &pytree_types[PYTREE__T_flat];
        args[k].data = &flats[k];
    }
    memset(&inner, 0, sizeof inner);
    memset(&outer, 0, sizeof outer);
    memset(&opt, 0, sizeof opt);
    of.p = p;
    inner.name = p->name;
    inner.kind = &pytree_program_kind;
    inner.context = &of;
    derivative.f = &inner;
    outer.kind = kind;
    outer.context = &derivative;
    opt.tree = p->arena->user;
    q = pytree_program_new(&outer, 2, args, &opt, err);
    pytree__array_free(leaves, n, sizeof *leaves, allocator);
    return q;
}

/* Fails if there is no program. */
static bool pytree__pg_given(const pytree_program *p, pytree_error *err)
{
    if (p == NULL) { (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a program, got NULL"); }
    return p != NULL;
}

pytree_program *pytree_pushforward(const pytree_program *p, pytree_error *err)
{
    return pytree__pg_given(p, err) ? pytree__pg_derived(p, &pytree_jvp_kind, p->in_def, p->values + 1, err) : NULL;
}

pytree_program *pytree_pullback(const pytree_program *p, pytree_error *err)
{
    return pytree__pg_given(p, err) ? pytree__pg_derived(p, &pytree_vjp_kind, p->out_def, p->out_views, err) : NULL;
}

/* ---- Dead code ----------------------------------------------------------------------------------------------------- */

/* The results that are wanted: kept[0 ... n-1]. The treedef of the result with None for the others; NULL on failure. */
static const pytree_def *pytree__dce_results(struct pytree__fn_plan *plan, const pytree_program *p, pytree out_used,
                                             size_t *kept, size_t *n)
{
    pytree_options none_is_all = plan->tree;
    pytree_leaf *used = (pytree_leaf *)pytree__fn_take(plan, p->n_out, sizeof *used);
    pytree_leaf *results = (pytree_leaf *)pytree__fn_take(plan, p->n_out, sizeof *results);
    pytree_flat flat;
    pytree t;
    size_t k;
    none_is_all.none_is_leaf = true;
    if (used == NULL || results == NULL
        || pytree_broadcast_leaves(out_used, p->out_def, used, p->n_out, "out_used", &none_is_all, &plan->err) != PYTREE_OK) {
        return NULL;
    }
    for (k = 0; k < p->n_out; k++) {
        const bool all = used[k].form == PYTREE_FORM_NONE;
        if (!all && (used[k].type->dtype != PYTREE_BOOL8 || used[k].ndim != 0)) {
            char path[PYTREE__PATH], got[96];
            pytree__node_path(p->out_def, pytree__fn_node_of(p->out_def, k), path, sizeof path);
            pytree__leaf_text(got, sizeof got, &used[k]);
            (void)pytree_fail(&plan->err, PYTREE_TYPE, path, "out_used: expected a bool or None, got %s", got);
            return NULL;
        }
        if (all || *(const bool *)used[k].data || (p->out[k].id != 0 && p->out[k].id <= p->n_in)) {
            results[k] = *p->out_views[k];
            kept[(*n)++] = k;
        } else {
            results[k].form = PYTREE_FORM_NONE;
        }
    }
    flat = pytree__alg_flat(p->out_def, results);
    t.type = &pytree_types[PYTREE__T_flat];
    t.data = &flat;
    return pytree_structure(t, &plan->tree, &plan->err);
}

pytree_program *pytree_dce(const pytree_program *p, pytree out_used, pytree_error *err)
{
    pytree_fn_options opt;
    struct pytree__fn_plan *plan;
    const pytree_def *def = NULL;
    pytree_program *q = NULL;
    size_t *kept, *in, n = 0, k;
    if (!pytree__pg_given(p, err)) { return NULL; }
    memset(&opt, 0, sizeof opt);
    opt.tree = p->arena->user;
    plan = pytree__pg_plan(&opt, err);
    if (plan == NULL) { return NULL; }
    kept = (size_t *)pytree__fn_take(plan, p->n_out, sizeof *kept);
    in = (size_t *)pytree__fn_take(plan, p->n_in, sizeof *in);
    if (kept != NULL && in != NULL && pytree__pg_hold(plan, p->arena)) {
        for (k = 0; k < p->n_in; k++) { in[k] = k; }
        def = pytree__dce_results(plan, p, out_used, kept, &n);
        q = def == NULL ? NULL : pytree__pg_reorder(plan, p, p->n_in, in, n, kept, false);
    }
    if (q != NULL) {
        q->in_def = p->in_def;
        q->out_def = def;
    }
    return pytree__pg_done(plan, q, err);
}

#include "derive_numeric.h"
#endif
