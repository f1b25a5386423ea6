/* pytree/impl/derive_loops.h: operations that contain programs: map over elements, choice of a branch. Their rules record
 * operations of the same kind on programs made of theirs, so derivatives of any order close up. */
#ifndef PYTREE_IMPL_DERIVE_LOOPS_H
#define PYTREE_IMPL_DERIVE_LOOPS_H

#include "derive_rules.h"

/* Takes n zeroed elements from the arena that is recorded into. */
static void *pytree__ad_take(pytree_trace *tr, size_t n, size_t size) { return pytree__fn_take(tr->recorder->arena, n, size); }

/* A list of values that is filled one by one. */
struct pytree__ad_list {
    pytree_value *at;
    size_t n;
};
static bool pytree__ad_list_init(pytree_trace *tr, struct pytree__ad_list *list, size_t most)
{
    list->at = (pytree_value *)pytree__ad_take(tr, most, sizeof *list->at);
    list->n = 0;
    return list->at != NULL;
}
static void pytree__ad_add(struct pytree__ad_list *list, pytree_value v) { list->at[list->n++] = v; }

/* ---- map: one run of a program for each element -------------------------------------------------------------------- */

/* Operands are those of the program, mapped ones with a first axis of n elements. So are the results, but for those that are
 * added up over all elements. */
struct pytree__map {
    const pytree_program *body;
    size_t n;
    const bool *mapped, *summed;
};
struct pytree__map_run {
    struct pytree__plan *plan;
    size_t *in_step, *out_step;           /* bytes; 0: not mapped, summed */
    void **sum, **spare;                  /* memory for the terms of sums, and for new sums of what is no number */
};

/* Puts a first axis of n elements into a view. */
static pytree_status pytree__ad_stacked(pytree_leaf *to, const pytree_leaf *element, size_t n, pytree_error *err)
{
    int i;
    *to = *element;
    if (element->ndim == PYTREE_MAX_DIMS) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected at most %d dimensions (PYTREE_MAX_DIMS), got %d", PYTREE_MAX_DIMS,
                           PYTREE_MAX_DIMS + 1);
    }
    for (i = to->ndim++; i > 0; i--) { to->shape[i] = to->shape[i - 1]; }
    to->shape[0] = n;
    return PYTREE_OK;
}

static pytree_status pytree__map_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__map *p = (const struct pytree__map *)c->params;
    size_t k;
    for (k = 0; k < c->n_out; k++) {
        const pytree_leaf *view = p->body->out_views[k];
        *c->out[k] = *view;
        if (p->summed[k] && !pytree__is_float(view) && p->body->plus == NULL) {
            return pytree_fail(err, PYTREE_TYPE, NULL, "expected f32 or f64, or an operation that adds derivatives "
                               "(pytree_traced_of.plus), got %s", pytree_dtype_name(view->type));
        }
        if (!p->summed[k] && pytree__ad_stacked(c->out[k], view, p->n, err) != PYTREE_OK) { return err->status; }
    }
    return PYTREE_OK;
}
static pytree_status pytree__map_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    const struct pytree__map *p = (const struct pytree__map *)c->params;
    struct pytree__map_run *run = (struct pytree__map_run *)pytree__fn_take(arena, 1, sizeof *run);
    size_t k;
    if (run == NULL) { return PYTREE_NO_MEMORY; }
    c->memory = run;
    run->plan = pytree__plan_new(p->body, arena);
    run->in_step = (size_t *)pytree__fn_take(arena, c->n_in, sizeof *run->in_step);
    run->out_step = (size_t *)pytree__fn_take(arena, c->n_out, sizeof *run->out_step);
    run->sum = (void **)pytree__fn_take(arena, c->n_out, sizeof *run->sum);
    run->spare = (void **)pytree__fn_take(arena, c->n_out, sizeof *run->spare);
    if (arena->err.status != PYTREE_OK) { return arena->err.status; }
    for (k = 0; k < c->n_in; k++) { run->in_step[k] = p->mapped[k] ? pytree_leaf_bytes(p->body->values[k + 1]) : 0; }
    for (k = 0; k < c->n_out; k++) {
        const size_t bytes = pytree_leaf_bytes(p->body->out_views[k]);
        if (!p->summed[k]) { run->out_step[k] = bytes; continue; }
        run->sum[k] = pytree__pg_memory(arena, bytes);
        if (!pytree__is_float(c->out[k])) { run->spare[k] = pytree__pg_memory(arena, bytes); }
    }
    return arena->err.status;
}

/* Adds the term of sum k to it: numbers in place, others by the operation that adds derivatives. */
static pytree_status pytree__ad_accumulate(const pytree_op_call *c, size_t k, pytree_error *err)
{
    static const size_t one[2] = { 1, 1 };
    const struct pytree__map_run *run = (const struct pytree__map_run *)c->memory;
    const pytree_op *plus = ((const struct pytree__map *)c->params)->body->plus;
    const pytree_leaf *to = c->out[k];
    void *at[2];
    at[0] = to->data;
    at[1] = run->sum[k];
    if (!pytree__is_float(to)) {
        const size_t bytes = pytree_leaf_bytes(to);
        pytree_leaf sum = *to, term = *to, made = *to, *out = &made;
        const pytree_leaf *in[2];
        pytree_op_call call = *c;
        pytree_status status;
        term.data = run->sum[k];
        made.data = run->spare[k];
        in[0] = &sum;
        in[1] = &term;
        call.in = in;
        call.out = &out;
        call.n_in = 2;
        call.n_out = 1;
        call.params = call.memory = NULL;
        status = plus->run(&call, err);
        if (status == PYTREE_OK && bytes != 0) { memcpy(to->data, made.data, bytes); }
        return status;
    }
    if (to->type->dtype == PYTREE_F64) { pytree__sum_row_double(at, pytree_leaf_count(to), one); }
    else { pytree__sum_row_float(at, pytree_leaf_count(to), one); }
    return PYTREE_OK;
}
static pytree_status pytree__map_op_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__map *p = (const struct pytree__map *)c->params;
    const struct pytree__map_run *run = (const struct pytree__map_run *)c->memory;
    struct pytree__plan *plan = run->plan;
    pytree_status status;
    size_t i, k;
    for (k = 0; k < c->n_in; k++) { plan->values[k + 1].data = c->in[k]->data; }
    for (k = 0; k < c->n_out; k++) {
        plan->out[k] = c->out[k]->data;
        if (p->n == 0) { pytree__fn_zero(c->out[k]); }
    }
    for (i = 0; i < p->n; i++) {
        status = pytree__plan_run(plan, err);
        if (status != PYTREE_OK) { return status; }
        for (k = 0; k < c->n_in; k++) { plan->values[k + 1].data = (char *)plan->values[k + 1].data + run->in_step[k]; }
        for (k = 0; k < c->n_out; k++) {
            if (!p->summed[k]) { plan->out[k] = (char *)plan->out[k] + run->out_step[k]; continue; }
            status = i == 0 ? PYTREE_OK : pytree__ad_accumulate(c, k, err);
            if (status != PYTREE_OK) { return status; }
            plan->out[k] = run->sum[k];
        }
    }
    return PYTREE_OK;
}

/* Records a map; `out` gets the results. */
static bool pytree__map_record(pytree_trace *tr, const pytree_program *body, size_t n, const bool *mapped, const bool *summed,
                               const struct pytree__ad_list *in, pytree_value *out);
static void pytree__map_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out,
                            pytree_value *out_t)
{
    const struct pytree__map *p = (const struct pytree__map *)e->params;
    bool *active = (bool *)pytree__ad_take(tr, 2 * e->n_in + e->n_out, 1), *out_active, *mapped;
    bool *summed = (bool *)pytree__ad_take(tr, e->n_out, 2);
    pytree_value *all = (pytree_value *)pytree__ad_take(tr, e->n_out, 2 * sizeof *all);
    struct pytree__ad_list in;
    const pytree_program *body;
    size_t k, n = e->n_out;
    if (active == NULL || summed == NULL || all == NULL || !pytree__ad_list_init(tr, &in, 2 * e->n_in)) { return; }
    out_active = active + e->n_in;
    mapped = (bool *)pytree__ad_take(tr, e->n_in, 2);
    if (mapped == NULL) { return; }
    for (k = 0; k < e->n_in; k++) {
        active[k] = t[k].id != 0;
        mapped[in.n] = p->mapped[k];
        pytree__ad_add(&in, e->in[k]);
    }
    body = pytree__pg_pushforward(tr->recorder->arena, p->body, active, out_active, false);
    for (k = 0; k < e->n_in; k++) {
        if (!active[k]) { continue; }
        mapped[in.n] = p->mapped[k];
        pytree__ad_add(&in, t[k]);
    }
    for (k = 0; k < e->n_out; k++) { summed[k] = p->summed[k]; }
    for (k = 0; k < e->n_out; k++) {
        if (out_active[k]) { summed[n++] = p->summed[k]; }
    }
    if (!pytree__map_record(tr, body, p->n, mapped, summed, &in, all)) { return; }
    for (k = 0, n = e->n_out; k < e->n_out; k++) {
        out[k] = all[k];
        if (out_active[k]) { out_t[k] = all[n++]; }
    }
}
static void pytree__map_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const struct pytree__map *p = (const struct pytree__map *)e->params;
    const bool *wanted = tr->recorder->wanted;
    bool *given = (bool *)pytree__ad_take(tr, e->n_out, 1), *mapped = (bool *)pytree__ad_take(tr, e->n_in + e->n_out, 1);
    bool *summed = (bool *)pytree__ad_take(tr, e->n_in, 1);
    pytree_value *out = (pytree_value *)pytree__ad_take(tr, e->n_in, sizeof *out);
    struct pytree__ad_list in;
    const pytree_program *body;
    size_t k, n = 0;
    if (given == NULL || mapped == NULL || summed == NULL || out == NULL || !pytree__ad_list_init(tr, &in,
            e->n_in + e->n_out)) {
        return;
    }
    for (k = 0; k < e->n_in; k++) {
        mapped[in.n] = p->mapped[k];
        pytree__ad_add(&in, e->in[k]);
        if (wanted[k]) { summed[n++] = !p->mapped[k]; }
    }
    for (k = 0; k < e->n_out; k++) {
        given[k] = ct[k].id != 0;
        if (!given[k]) { continue; }
        mapped[in.n] = !p->summed[k];
        pytree__ad_add(&in, ct[k]);
    }
    body = pytree__pg_pullback(tr->recorder->arena, p->body, given, wanted, NULL, false);
    if (!pytree__map_record(tr, body, p->n, mapped, summed, &in, out)) { return; }
    for (k = n = 0; k < e->n_in; k++) {
        if (wanted[k]) { in_ct[k] = out[n++]; }
    }
}
static const pytree_program *pytree__map_sub(const void *params, size_t i)
{
    return i == 0 ? ((const struct pytree__map *)params)->body : NULL;
}
static const struct pytree__op_hooks pytree__map_hooks = { pytree__map_plan, pytree__map_jvp, NULL, pytree__map_sub };
static const pytree_op pytree__op_map = { "vmap", sizeof(struct pytree__map), 1, pytree__map_shape, pytree__map_op_run, NULL,
                                          pytree__map_vjp, &pytree__map_hooks, false };
static bool pytree__map_record(pytree_trace *tr, const pytree_program *body, size_t n, const bool *mapped, const bool *summed,
                               const struct pytree__ad_list *in, pytree_value *out)
{
    struct pytree__map p;
    memset(&p, 0, sizeof p);
    p.body = body;
    p.n = n;
    p.mapped = mapped;
    p.summed = summed;
    return body != NULL && pytree__pg_record(tr, &pytree__op_map, &p, in->n, in->at, body->n_out, out);
}

/* ---- switch: one of several programs ------------------------------------------------------------------------------- */

/* The first operand is the number of the program, the others are those of each program. */
struct pytree__branches {
    const pytree_program *const *bodies;
    size_t n;
};
static pytree_status pytree__branches_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__branches *p = (const struct pytree__branches *)c->params;
    size_t k;
    (void)err;
    for (k = 0; k < c->n_out; k++) { *c->out[k] = *p->bodies[0]->out_views[k]; }
    return PYTREE_OK;
}
static pytree_status pytree__branches_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    const struct pytree__branches *p = (const struct pytree__branches *)c->params;
    struct pytree__plan **plans = (struct pytree__plan **)pytree__fn_take(arena, p->n, sizeof *plans);
    size_t k;
    c->memory = plans;
    for (k = 0; plans != NULL && k < p->n; k++) {
        plans[k] = pytree__plan_new(p->bodies[k], arena);
        if (plans[k] == NULL) { break; }
    }
    return arena->err.status;
}
static pytree_status pytree__branches_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__branches *p = (const struct pytree__branches *)c->params;
    const double value = pytree_leaf_get(c->in[0], 0);
    const size_t which = !(value > 0) ? 0 : value > (double)(p->n - 1) ? p->n - 1 : (size_t)value;
    struct pytree__plan *plan = ((struct pytree__plan **)c->memory)[which];
    size_t k;
    for (k = 1; k < c->n_in; k++) { plan->values[k].data = c->in[k]->data; }
    for (k = 0; k < c->n_out; k++) { plan->out[k] = c->out[k]->data; }
    return pytree__plan_run(plan, err);
}
static bool pytree__branches_record(pytree_trace *tr, const pytree_program *const *bodies, size_t n,
                                    const struct pytree__ad_list *in, size_t n_out, pytree_value *out);
static void pytree__branches_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out,
                                 pytree_value *out_t)
{
    const struct pytree__branches *p = (const struct pytree__branches *)e->params;
    const pytree_program **bodies = (const pytree_program **)pytree__ad_take(tr, p->n, sizeof *bodies);
    bool *active = (bool *)pytree__ad_take(tr, e->n_in, 1), *one = (bool *)pytree__ad_take(tr, e->n_out, 1);
    bool *any = (bool *)pytree__ad_take(tr, e->n_out, 1);
    pytree_value *all = (pytree_value *)pytree__ad_take(tr, e->n_out, 2 * sizeof *all);
    struct pytree__ad_list in;
    size_t k, i, n = e->n_out;
    if (bodies == NULL || active == NULL || one == NULL || any == NULL || all == NULL || !pytree__ad_list_init(tr, &in,
            2 * e->n_in)) {
        return;
    }
    for (k = 0; k < e->n_in; k++) { pytree__ad_add(&in, e->in[k]); }
    for (k = 1; k < e->n_in; k++) {
        active[k - 1] = t[k].id != 0;
        if (active[k - 1]) { pytree__ad_add(&in, t[k]); }
    }
    for (i = 0; i < p->n; i++) {
        if (pytree__pg_pushforward(tr->recorder->arena, p->bodies[i], active, one, false) == NULL) { return; }
        for (k = 0; k < e->n_out; k++) { any[k] = any[k] || one[k]; }
    }
    for (k = 0; k < e->n_out; k++) { n += any[k]; }
    for (i = 0; i < p->n; i++) {
        bodies[i] = pytree__pg_pushforward(tr->recorder->arena, p->bodies[i], active, any, true);
        if (bodies[i] == NULL) { return; }
    }
    if (!pytree__branches_record(tr, bodies, p->n, &in, n, all)) { return; }
    for (k = 0, n = e->n_out; k < e->n_out; k++) {
        out[k] = all[k];
        if (any[k]) { out_t[k] = all[n++]; }
    }
}
static void pytree__branches_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const struct pytree__branches *p = (const struct pytree__branches *)e->params;
    const bool *wanted = tr->recorder->wanted + 1;
    const pytree_program **bodies = (const pytree_program **)pytree__ad_take(tr, p->n, sizeof *bodies);
    bool *given = (bool *)pytree__ad_take(tr, e->n_out, 1);
    pytree_value *out = (pytree_value *)pytree__ad_take(tr, e->n_in, sizeof *out);
    struct pytree__ad_list in;
    size_t k, i, n = 0;
    if (bodies == NULL || given == NULL || out == NULL || !pytree__ad_list_init(tr, &in, e->n_in + e->n_out)) { return; }
    for (k = 0; k < e->n_in; k++) { pytree__ad_add(&in, e->in[k]); }
    for (k = 0; k < e->n_out; k++) {
        given[k] = ct[k].id != 0;
        if (given[k]) { pytree__ad_add(&in, ct[k]); }
    }
    for (i = 0; i < p->n; i++) {
        bodies[i] = pytree__pg_pullback(tr->recorder->arena, p->bodies[i], given, wanted, NULL, false);
        if (bodies[i] == NULL) { return; }
    }
    for (k = 1; k < e->n_in; k++) { n += wanted[k - 1]; }
    if (!pytree__branches_record(tr, bodies, p->n, &in, n, out)) { return; }
    for (k = 1, n = 0; k < e->n_in; k++) {
        if (wanted[k - 1]) { in_ct[k] = out[n++]; }
    }
}
static const pytree_program *pytree__branches_sub(const void *params, size_t i)
{
    const struct pytree__branches *p = (const struct pytree__branches *)params;
    return i < p->n ? p->bodies[i] : NULL;
}
static const struct pytree__op_hooks pytree__branches_hooks = { pytree__branches_plan, pytree__branches_jvp, NULL,
                                                                pytree__branches_sub };
static const pytree_op pytree__op_branches = { "switch", sizeof(struct pytree__branches), 1, pytree__branches_shape,
                                               pytree__branches_run, NULL, pytree__branches_vjp, &pytree__branches_hooks,
                                               false };
static bool pytree__branches_record(pytree_trace *tr, const pytree_program *const *bodies, size_t n,
                                    const struct pytree__ad_list *in, size_t n_out, pytree_value *out)
{
    struct pytree__branches p;
    memset(&p, 0, sizeof p);
    p.bodies = bodies;
    p.n = n;
    return pytree__pg_record(tr, &pytree__op_branches, &p, in->n, in->at, n_out, out);
}

#include "derive_scan.h"
#endif
