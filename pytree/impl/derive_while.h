/* pytree/impl/derive_while.h: the operation while; backwards it is a counted scan over the carries that it kept. */
#ifndef PYTREE_IMPL_DERIVE_WHILE_H
#define PYTREE_IMPL_DERIVE_WHILE_H

#include "derive_scan.h"

/* Operands: the first carry. Results: the last one; with `keep` also the carries before each step, with a first axis of `most`,
 * zero where there was no step, and the number of steps as int64. */
struct pytree__while {
    const pytree_program *cond, *body;
    size_t most;                          /* steps; 0: no limit */
    bool keep;
};
struct pytree__while_run {
    struct pytree__plan *cond, *body;
    void **spare;
    bool on;                              /* what cond says */
};

static pytree_status pytree__while_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__while *p = (const struct pytree__while *)c->params;
    size_t k;
    for (k = 0; k < c->n_in; k++) {
        *c->out[k] = *p->body->out_views[k];
        if (!p->keep) { continue; }
        if (pytree__ad_stacked(c->out[c->n_in + k], p->body->out_views[k], p->most, err) != PYTREE_OK) { return err->status; }
    }
    if (p->keep) { c->out[2 * c->n_in]->type = &pytree_types[PYTREE__T_INT64]; }
    return PYTREE_OK;
}
static pytree_status pytree__while_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    const struct pytree__while *p = (const struct pytree__while *)c->params;
    struct pytree__while_run *run = (struct pytree__while_run *)pytree__fn_take(arena, 1, sizeof *run);
    size_t k;
    if (run == NULL) { return PYTREE_NO_MEMORY; }
    c->memory = run;
    run->cond = pytree__plan_new(p->cond, arena);
    run->body = pytree__plan_new(p->body, arena);
    run->spare = (void **)pytree__fn_take(arena, c->n_in, sizeof *run->spare);
    if (arena->err.status != PYTREE_OK) { return arena->err.status; }
    run->cond->out[0] = &run->on;
    for (k = 0; k < c->n_in; k++) { run->spare[k] = pytree__pg_memory(arena, pytree_leaf_bytes(c->out[k])); }
    return arena->err.status;
}
static pytree_status pytree__while_op_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__while *p = (const struct pytree__while *)c->params;
    struct pytree__while_run *run = (struct pytree__while_run *)c->memory;
    pytree_leaf *now = run->body->values + 1;
    pytree_status status;
    size_t i, k;
    for (k = 0; k < c->n_in; k++) { now[k].data = c->in[k]->data; }
    for (i = 0; p->most == 0 || i < p->most; i++) {
        for (k = 0; k < c->n_in; k++) { run->cond->values[k + 1].data = now[k].data; }
        status = pytree__plan_run(run->cond, err);
        if (status != PYTREE_OK) { return status; }
        if (!run->on) { break; }
        for (k = 0; k < c->n_in; k++) {
            const size_t bytes = pytree_leaf_bytes(c->out[k]);
            if (p->keep) { memcpy((char *)c->out[c->n_in + k]->data + i * bytes, now[k].data, bytes); }
            run->body->out[k] = now[k].data == c->out[k]->data ? run->spare[k] : c->out[k]->data;
        }
        status = pytree__plan_run(run->body, err);
        if (status != PYTREE_OK) { return status; }
        for (k = 0; k < c->n_in; k++) { now[k].data = run->body->out[k]; }
    }
    for (k = 0; k < c->n_in; k++) {
        const size_t bytes = pytree_leaf_bytes(c->out[k]);
        if (now[k].data != c->out[k]->data) { memcpy(c->out[k]->data, now[k].data, bytes); }
        if (p->keep) { memset((char *)c->out[c->n_in + k]->data + i * bytes, 0, (p->most - i) * bytes); }
    }
    if (p->keep) { *(int64_t *)c->out[2 * c->n_in]->data = (int64_t)i; }
    return PYTREE_OK;
}

static bool pytree__while_record(pytree_trace *tr, const pytree_program *cond, const pytree_program *body, size_t most,
                                 bool keep,
                                 const struct pytree__ad_list *in, pytree_value *out);

/* The condition on a carry that has tangents behind it. */
static const pytree_program *pytree__while_cond(pytree_trace *outer, const pytree_program *cond, const pytree_program *body)
{
    pytree_value *in = (pytree_value *)pytree__ad_take(outer, body->n_in, sizeof *in), *out;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k;
    if (in == NULL) { return NULL; }
    pytree__pg_begin(&tr, &r, outer->recorder->arena, cond->name, cond->plus);
    for (k = 0; k < body->n_in; k++) { in[k] = pytree__pg_input(&tr, body->values[k + 1]); }
    out = pytree__pg_inline(&tr, cond, in);
    return out == NULL ? NULL : pytree__pg_end(&tr, 1, out, cond->out_views);
}
static void pytree__while_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out,
                              pytree_value *out_t)
{
    const struct pytree__while *p = (const struct pytree__while *)e->params;
    const size_t n = e->n_in;
    bool *active = (bool *)pytree__ad_take(tr, n, 1), *out_active = (bool *)pytree__ad_take(tr, n, 1);
    pytree_value *all = (pytree_value *)pytree__ad_take(tr, 4 * n + 1, sizeof *all);
    struct pytree__ad_list in;
    const pytree_program *body;
    size_t k, at;
    if (active == NULL || out_active == NULL || all == NULL || !pytree__ad_list_init(tr, &in, 2 * n)) { return; }
    for (k = 0; k < n; k++) { active[k] = t[k].id != 0; }
    body = pytree__scan_push(tr, p->body, 0, n, active, out_active);
    if (body == NULL) { return; }
    for (k = 0; k < n; k++) { pytree__ad_add(&in, e->in[k]); }
    for (k = 0; k < n; k++) {
        if (active[k]) { pytree__ad_add(&in, t[k].id != 0 ? t[k] : pytree_op_zeros_like(tr, e->in[k])); }
    }
    if (!pytree__while_record(tr, pytree__while_cond(tr, p->cond, body), body, p->most, p->keep, &in, all)) { return; }
    for (k = 0, at = n; k < n; k++) {
        out[k] = all[k];
        if (p->keep) { out[n + k] = all[in.n + k]; }
        if (!active[k]) { continue; }
        out_t[k] = all[at];
        if (p->keep) { out_t[n + k] = all[in.n + at]; }
        at++;
    }
    if (p->keep) { out[2 * n] = all[2 * in.n]; }
}
static void pytree__while_keep(pytree_trace *tr, pytree_eqn *e)
{
    const struct pytree__while *p = (const struct pytree__while *)e->params;
    pytree_value *out = (pytree_value *)pytree__ad_take(tr, 2 * e->n_in + 1, sizeof *out);
    struct pytree__ad_list in;
    in.at = (pytree_value *)(uintptr_t)e->in;
    in.n = e->n_in;
    if (p->most == 0) {
        (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL,
                          "vjp of %s: expected max_iters for a reverse derivative, got no limit of iterations",
                          tr->recorder->name);
    }
    if (out == NULL || p->most == 0 || !pytree__while_record(tr, p->cond, p->body, p->most, true, &in, out)) { return; }
    e->params = tr->recorder->eqns[tr->recorder->n_eqns - 1].params;
    e->out = out;
    e->n_out = 2 * e->n_in + 1;
}
static void pytree__while_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const struct pytree__while *p = (const struct pytree__while *)e->params;
    struct pytree__back b;
    memset(&b, 0, sizeof b);
    b.body = pytree__scan_keeping(tr, p->body, 0, e->n_in);
    if (b.body == NULL) { return; }
    b.loop.n = p->most;
    b.loop.n_carry = e->n_in;
    b.loop.counted = true;
    b.in = e->in;
    b.out = e->out;
    b.kept = e->out + e->n_in;
    b.ct = ct;
    b.count = e->out[2 * e->n_in];
    pytree__back_record(tr, &b, tr->recorder->wanted, in_ct);
}
static const pytree_program *pytree__while_sub(const void *params, size_t i)
{
    const struct pytree__while *p = (const struct pytree__while *)params;
    return i == 0 ? p->cond : i == 1 ? p->body : NULL;
}
static const struct pytree__op_hooks pytree__while_hooks = { pytree__while_plan, pytree__while_jvp, pytree__while_keep,
                                                             pytree__while_sub };
static const pytree_op pytree__op_while = { "while", sizeof(struct pytree__while), 1, pytree__while_shape,
                                            pytree__while_op_run, NULL, pytree__while_vjp, &pytree__while_hooks, false };
static bool pytree__while_record(pytree_trace *tr, const pytree_program *cond, const pytree_program *body, size_t most,
                                 bool keep,
                                 const struct pytree__ad_list *in, pytree_value *out)
{
    struct pytree__while p;
    memset(&p, 0, sizeof p);
    p.cond = cond;
    p.body = body;
    p.most = most;
    p.keep = keep;
    return cond != NULL && pytree__pg_record(tr, &pytree__op_while, &p, in->n, in->at, keep ? 2 * in->n + 1 : in->n, out);
}

#include "derive_programs.h"
#endif
