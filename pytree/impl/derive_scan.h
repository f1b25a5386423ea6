/* pytree/impl/derive_scan.h: the operations scan and while, whose derivatives are scans. */
#ifndef PYTREE_IMPL_DERIVE_SCAN_H
#define PYTREE_IMPL_DERIVE_SCAN_H

#include "derive_loops.h"

/* ---- scan ------------------------------------------------------------------------------------------------------------
 *
 * Operands: constants, the first carry, xs with a first axis of n, and with `counted` the number of steps, at most n, as int64.
 * The program: (constants, carry, x) -> (carry, y). Results: the last carry, ys. A counted scan does the first steps, in
 * reverse order if `reverse`; ys of the others are zero.
 */
struct pytree__scan {
    const pytree_program *body;
    size_t n, n_const, n_carry;
    bool reverse, counted;
};
struct pytree__scan_run {
    struct pytree__plan *plan;
    void **spare;                         /* the carry that is not the result */
    size_t *step;                         /* of operands, then of results, in bytes; 0: constants and carries */
};

static pytree_status pytree__scan_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__scan *p = (const struct pytree__scan *)c->params;
    size_t k;
    for (k = 0; k < c->n_out; k++) {
        *c->out[k] = *p->body->out_views[k];
        if (k >= p->n_carry && pytree__ad_stacked(c->out[k], p->body->out_views[k], p->n,
                                                  err) != PYTREE_OK) { return err->status; }
    }
    return PYTREE_OK;
}
static pytree_status pytree__scan_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    const struct pytree__scan *p = (const struct pytree__scan *)c->params;
    struct pytree__scan_run *run = (struct pytree__scan_run *)pytree__fn_take(arena, 1, sizeof *run);
    const size_t n_in = p->body->n_in;
    size_t k;
    if (run == NULL) { return PYTREE_NO_MEMORY; }
    c->memory = run;
    run->plan = pytree__plan_new(p->body, arena);
    run->spare = (void **)pytree__fn_take(arena, p->n_carry, sizeof *run->spare);
    run->step = (size_t *)pytree__fn_take(arena, n_in + c->n_out, sizeof *run->step);
    if (arena->err.status != PYTREE_OK) { return arena->err.status; }
    for (k = 0; k < p->n_carry; k++) { run->spare[k] = pytree__pg_memory(arena, pytree_leaf_bytes(c->out[k])); }
    for (k = p->n_const + p->n_carry; k < n_in; k++) { run->step[k] = pytree_leaf_bytes(p->body->values[k + 1]); }
    for (k = p->n_carry; k < c->n_out; k++) { run->step[n_in + k] = pytree_leaf_bytes(p->body->out_views[k]); }
    return arena->err.status;
}

/* Begins at element `first`: constants, the first carry, elements of xs and ys. */
static void pytree__scan_begin(const pytree_op_call *c, size_t first, bool to_spare)
{
    const struct pytree__scan *p = (const struct pytree__scan *)c->params;
    const struct pytree__scan_run *run = (const struct pytree__scan_run *)c->memory;
    struct pytree__plan *plan = run->plan;
    const size_t n_in = p->body->n_in;
    size_t k;
    for (k = 0; k < n_in; k++) { plan->values[k + 1].data = (char *)c->in[k]->data + first * run->step[k]; }
    for (k = 0; k < c->n_out; k++) {
        plan->out[k] = k < p->n_carry && to_spare ? run->spare[k] : (char *)c->out[k]->data + first * run->step[n_in + k];
    }
}
static pytree_status pytree__scan_op_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__scan *p = (const struct pytree__scan *)c->params;
    const struct pytree__scan_run *run = (const struct pytree__scan_run *)c->memory;
    const size_t n_in = p->body->n_in, n = p->counted ? (size_t)((const int64_t *)c->in[n_in]->data)[0] : p->n;
    struct pytree__plan *plan = run->plan;
    bool to_spare = n % 2 == 0;           /* the last step writes the result */
    pytree_status status;
    size_t i, k;
    for (k = p->n_carry; n < p->n && k < c->n_out; k++) { pytree__fn_zero(c->out[k]); }
    for (k = 0; n == 0 && k < p->n_carry; k++) { memcpy(c->out[k]->data, c->in[p->n_const + k]->data,
                                                        pytree_leaf_bytes(c->out[k])); }
    pytree__scan_begin(c, p->reverse && n != 0 ? n - 1 : 0, to_spare);
    for (i = 0; i < n; i++) {
        status = pytree__plan_run(plan, err);
        if (status != PYTREE_OK) { return status; }
        to_spare = !to_spare;
        for (k = 0; k < p->n_carry; k++) {
            plan->values[p->n_const + k + 1].data = plan->out[k];
            plan->out[k] = to_spare ? run->spare[k] : c->out[k]->data;
        }
        for (k = p->n_const + p->n_carry; k < n_in; k++) {
            char *at = (char *)plan->values[k + 1].data;
            plan->values[k + 1].data = p->reverse ? at - run->step[k] : at + run->step[k];
        }
        for (k = p->n_carry; k < c->n_out; k++) {
            char *at = (char *)plan->out[k];
            plan->out[k] = p->reverse ? at - run->step[n_in + k] : at + run->step[n_in + k];
        }
    }
    return PYTREE_OK;
}

static bool pytree__scan_record(pytree_trace *tr, const struct pytree__scan *like, const pytree_program *body, size_t n_const,
                                size_t n_carry, bool reverse, const struct pytree__ad_list *in, pytree_value *out);

/* Finds which carries have a tangent, given which operands have: until nothing changes. Returns the pushforward of the body,
 * whose active carries stay active. NULL on failure. */
static const pytree_program *pytree__scan_push(pytree_trace *tr, const pytree_program *body, size_t n_const, size_t n_carry,
                                               bool *active, bool *out_active)
{
    for (;;) {
        bool changed = false, missing = false;
        const pytree_program *q = pytree__pg_pushforward(tr->recorder->arena, body, active, out_active, false);
        size_t k;
        for (k = 0; q != NULL && k < n_carry; k++) {
            changed = changed || (out_active[k] && !active[n_const + k]);
            active[n_const + k] = active[n_const + k] || out_active[k];
            missing = missing || active[n_const + k] != out_active[k];
        }
        if (q == NULL || (!changed && !missing)) { return q; }
        if (changed) { continue; }
        for (k = 0; k < n_carry; k++) { out_active[k] = active[n_const + k]; }
        return pytree__pg_pushforward(tr->recorder->arena, body, active, out_active, true);
    }
}

/* Where the parts of a pushforward go, so that it is the program of a loop again: each operand followed by its group's
 * tangents. */
static size_t pytree__scan_places(size_t *place, size_t n, const size_t *ends, size_t n_groups, const bool *active)
{
    size_t group, k, at = 0, from = 0, tangent = n;
    for (group = 0; group < n_groups; from = ends[group++]) {
        for (k = from; k < ends[group]; k++) { place[at++] = k; }
        for (k = from; k < ends[group]; k++) {
            if (active[k]) { place[at++] = tangent++; }
        }
    }
    return at;
}

static void pytree__scan_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out,
                             pytree_value *out_t)
{
    const struct pytree__scan *p = (const struct pytree__scan *)e->params;
    const size_t n = p->body->n_in;
    bool *active = (bool *)pytree__ad_take(tr, n, 1), *out_active = (bool *)pytree__ad_take(tr, e->n_out, 1);
    size_t *place = (size_t *)pytree__ad_take(tr, n, 2 * sizeof *place), *out_place = (size_t *)pytree__ad_take(tr, e->n_out,
            2 * sizeof *place);
    pytree_value *all = (pytree_value *)pytree__ad_take(tr, e->n_out, 2 * sizeof *all);
    size_t ends[3], n_in, n_out, k, at, tangent, n_const = p->n_const, n_carry = p->n_carry;
    struct pytree__ad_list in;
    const pytree_program *body;
    if (active == NULL || out_active == NULL || place == NULL || out_place == NULL || all == NULL
        || !pytree__ad_list_init(tr, &in, 2 * n + 1)) {
        return;
    }
    for (k = 0; k < n; k++) { active[k] = t[k].id != 0; }
    body = pytree__scan_push(tr, p->body, p->n_const, p->n_carry, active, out_active);
    if (body == NULL) { return; }
    ends[0] = p->n_const;
    ends[1] = p->n_const + p->n_carry;
    ends[2] = n;
    n_in = pytree__scan_places(place, n, ends, 3, active);
    ends[0] = p->n_carry;
    ends[1] = e->n_out;
    n_out = pytree__scan_places(out_place, e->n_out, ends, 2, out_active);
    body = pytree__pg_reorder(tr->recorder->arena, body, n_in, place, n_out, out_place, false);
    for (k = 0; k < p->n_const; k++) { n_const += active[k]; }
    for (k = 0; k < p->n_carry; k++) { n_carry += active[p->n_const + k]; }
    for (k = 0; k < n_in; k++) {
        const size_t from = place[k];
        size_t i;
        if (from < n) { pytree__ad_add(&in, e->in[from]); continue; }
        for (i = 0, tangent = n; !active[i] || tangent++ != from; i++) {}
        pytree__ad_add(&in, t[i].id != 0 ? t[i] : pytree_op_zeros_like(tr, e->in[i]));
    }
    if (p->counted) { pytree__ad_add(&in, e->in[n]); }
    if (!pytree__scan_record(tr, p, body, n_const, n_carry, p->reverse, &in, all)) { return; }
    for (k = 0; k < n_out; k++) {
        const size_t from = out_place[k];
        if (from < e->n_out) { out[from] = all[k]; continue; }
        for (at = 0, tangent = e->n_out; !out_active[at] || tangent++ != from; at++) {}
        out_t[at] = all[k];
    }
}

/* The program of a loop that also gives each carry as it was before the step. */
static const pytree_program *pytree__scan_keeping(pytree_trace *tr, const pytree_program *body, size_t n_const, size_t n_carry)
{
    size_t *in = (size_t *)pytree__ad_take(tr, body->n_in, sizeof *in);
    size_t *out = (size_t *)pytree__ad_take(tr, body->n_out + n_carry, sizeof *out), k;
    if (in == NULL || out == NULL) { return NULL; }
    for (k = 0; k < body->n_in; k++) { in[k] = k; }
    for (k = 0; k < body->n_out; k++) { out[k] = k; }
    for (k = 0; k < n_carry; k++) { out[body->n_out + k] = body->n_out + n_const + k; }
    return pytree__pg_reorder(tr->recorder->arena, body, body->n_in, in, body->n_out + n_carry, out, true);
}
static void pytree__scan_keep(pytree_trace *tr, pytree_eqn *e)
{
    const struct pytree__scan *p = (const struct pytree__scan *)e->params;
    const pytree_program *body = pytree__scan_keeping(tr, p->body, p->n_const, p->n_carry);
    pytree_value *out = (pytree_value *)pytree__ad_take(tr, e->n_out + p->n_carry, sizeof *out);
    struct pytree__ad_list in;
    in.at = (pytree_value *)(uintptr_t)e->in;
    in.n = e->n_in;
    if (out == NULL || !pytree__scan_record(tr, p, body, p->n_const, p->n_carry, p->reverse, &in, out)) { return; }
    e->params = tr->recorder->eqns[tr->recorder->n_eqns - 1].params;
    e->out = out;
    e->n_out += p->n_carry;
}

/* Finds which results depend on inputs, numbers that a derivative flows into, through calls that have one. */
static bool pytree__pg_reaches(struct pytree__fn_plan *arena, const pytree_program *p, const bool *in, bool *out)
{
    bool *active = (bool *)pytree__fn_take(arena, p->n_values + 1, 1), any;
    size_t i, k;
    if (active == NULL) { return false; }
    for (k = 0; k < p->n_in; k++) { active[k + 1] = in[k]; }
    for (i = 0; i < p->n_eqns; i++) {
        const pytree_eqn *e = &p->eqns[i];
        any = false;
        for (k = 0; k < e->n_in && e->op->vjp != NULL; k++) { any = any || active[e->in[k].id]; }
        for (k = 0; k < e->n_out; k++) { active[e->out[k].id] = any && pytree__pg_smooth(p->values[e->out[k].id]); }
    }
    for (k = 0; k < p->n_out; k++) { out[k] = active[p->out[k].id]; }
    return true;
}

/* A loop to be run backwards. The program gives (carry, ys) and has operands (constants, carry, x); `kept` are the carries as
 * they were before each step, `ct` the cotangents of the results. What a step gave is known, too: the carry is that before the
 * next step, so it goes along as a carry of the loop backwards, and y is there. So nothing is computed again for it. */
struct pytree__back {
    struct pytree__scan loop;             /* n, n_const, n_carry, reverse, counted */
    const pytree_program *body;
    const pytree_value *in, *kept, *ct, *out;      /* out: results */
    pytree_value count;
    bool *wanted, *given, *known;         /* operands whose cotangents are needed; results that have one; that are used */
    const pytree_program *pulled;         /* the program's pullback */
};

/* Finds which carries take part. */
static bool pytree__back_active(pytree_trace *tr, struct pytree__back *b, const bool *wanted)
{
    bool *reached = (bool *)pytree__ad_take(tr, b->body->n_out, 1), changed = true;
    size_t k;
    b->wanted = (bool *)pytree__ad_take(tr, b->body->n_in, 1);
    b->given = (bool *)pytree__ad_take(tr, b->body->n_out, 1);
    if (reached == NULL || b->wanted == NULL || b->given == NULL) { return false; }
    for (k = 0; k < b->body->n_in; k++) { b->wanted[k] = wanted[k]; }
    while (changed) {
        changed = false;
        if (!pytree__pg_reaches(tr->recorder->arena, b->body, b->wanted, reached)) { return false; }
        for (k = 0; k < b->loop.n_carry; k++) {
            changed = changed || (reached[k] && !b->wanted[b->loop.n_const + k]);
            b->wanted[b->loop.n_const + k] = b->wanted[b->loop.n_const + k] || reached[k];
        }
    }
    for (k = 0; k < b->body->n_out; k++) {
        b->given[k] = k < b->loop.n_carry ? b->wanted[b->loop.n_const + k] : b->ct[k].id != 0;
    }
    return true;
}

/* Is a value read by a call of a program, or a result of it? */
static bool pytree__pg_reads(const pytree_program *p, uint32_t id)
{
    size_t i, k;
    for (k = 0; k < p->n_out; k++) {
        if (p->out[k].id == id) { return true; }
    }
    for (i = 0; i < p->n_eqns; i++) {
        for (k = 0; k < p->eqns[i].n_in; k++) {
            if (p->eqns[i].in[k].id == id) { return true; }
        }
    }
    return false;
}

/* Makes the program's pullback, which takes from the results that are known what it needs. */
static bool pytree__back_pull(pytree_trace *tr, struct pytree__back *b)
{
    const pytree_program *body = b->body;
    size_t k, i, last;
    b->known = (bool *)pytree__ad_take(tr, body->n_out, 1);
    if (b->known == NULL) { return false; }
    for (k = 0; k < body->n_out; k++) {   /* results of calls, each once, preferably as y */
        bool again = body->out[k].id <= body->n_in;
        for (i = k + 1; i < body->n_out; i++) { again = again || body->out[i].id == body->out[k].id; }
        b->known[k] = !again;
    }
    b->pulled = pytree__pg_pullback(tr->recorder->arena, body, b->given, b->wanted, b->known, false);
    if (b->pulled == NULL) { return false; }
    for (last = b->pulled->n_in, k = body->n_out; k-- != 0;) {
        if (b->known[k]) { b->known[k] = pytree__pg_reads(b->pulled, (uint32_t)last--); }
    }
    b->pulled = pytree__pg_pullback(tr->recorder->arena, body, b->given, b->wanted, b->known, false);
    return b->pulled != NULL;
}

/* Records the inputs of the program of the loop backwards, and puts those of the pullback in its order into `in`: constants,
 * carries (cotangents, sums, results), xs (carries before the step, xs, cotangents, ys). */
static void pytree__back_inputs(pytree_trace *tr, const struct pytree__back *b, pytree_value *in, pytree_value *sum)
{
    const pytree_program *body = b->body;
    const size_t n_const = b->loop.n_const, n_carry = b->loop.n_carry, n_in = body->n_in, n_out = body->n_out;
    size_t k, at = n_in, known = n_in;
    for (k = 0; k < n_out; k++) { known += b->given[k]; }
    for (k = 0; k < n_const; k++) { in[k] = pytree__pg_input(tr, body->values[k + 1]); }
    for (k = 0; k < n_carry; k++) {
        if (b->given[k]) { in[at++] = pytree__pg_input(tr, body->out_views[k]); }
    }
    for (k = 0; k < n_const; k++) {
        if (b->wanted[k]) { sum[k] = pytree__pg_input(tr, body->values[k + 1]); }
    }
    for (k = 0; k < n_carry; k++) {
        if (b->known[k]) { in[known++] = pytree__pg_input(tr, body->out_views[k]); }
    }
    for (k = n_const; k < n_in; k++) { in[k] = pytree__pg_input(tr, body->values[k + 1]); }
    for (k = n_carry; k < n_out; k++) {
        if (b->given[k]) { in[at++] = pytree__pg_input(tr, body->out_views[k]); }
    }
    for (k = n_carry; k < n_out; k++) {
        if (b->known[k]) { in[known++] = pytree__pg_input(tr, body->out_views[k]); }
    }
}

/* The program of the loop backwards: (cotangents of carries, sums of those of constants, carries; cotangents of xs). */
static const pytree_program *pytree__back_body(pytree_trace *outer, const struct pytree__back *b)
{
    const pytree_program *body = b->body, *q;
    const size_t n_const = b->loop.n_const, n_carry = b->loop.n_carry, n_in = body->n_in;
    pytree_value *in = (pytree_value *)pytree__ad_take(outer, n_in + 2 * body->n_out, sizeof *in);
    pytree_value *sum = (pytree_value *)pytree__ad_take(outer, n_const, sizeof *sum), *results;
    const pytree_leaf **views = (const pytree_leaf **)pytree__ad_take(outer, n_in + n_carry, sizeof *views);
    struct pytree__ad_list out;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k, at, group;
    if (in == NULL || sum == NULL || views == NULL || !pytree__ad_list_init(outer, &out, n_in + n_carry)) { return NULL; }
    pytree__pg_begin(&tr, &r, outer->recorder->arena, body->name, body->plus);
    pytree__back_inputs(&tr, b, in, sum);
    results = pytree__pg_inline(&tr, b->pulled, in);
    if (results == NULL) { return NULL; }
    r.in_rule = true;
    for (group = 0; group < 3; group++) {                      /* carries, constants, xs */
        for (k = 0; group == 2 && k < n_carry; k++) {
            if (!b->known[k]) { continue; }
            views[out.n] = body->values[n_const + k + 1];
            pytree__ad_add(&out, in[n_const + k]);
        }
        for (k = at = 0; k < n_in; k++) {
            if (!b->wanted[k]) { continue; }
            if (group == (k < n_const ? 1U : k < n_const + n_carry ? 0U : 2U)) {
                views[out.n] = body->values[k + 1];
                pytree__ad_add(&out, group == 1 ? pytree_op_plus(&tr, sum[k], results[at]) : results[at]);
            }
            at++;
        }
    }
    r.in_rule = false;
    q = pytree__pg_end(&tr, out.n, out.at, views);
    return q != NULL && pytree__pg_prune((pytree_program *)(uintptr_t)q) ? q : NULL;
}

/* The operands of the loop backwards, in the order of pytree__back_inputs. Returns the number of carries. */
static size_t pytree__back_operands(pytree_trace *tr, const struct pytree__back *b, struct pytree__ad_list *in)
{
    const size_t n_const = b->loop.n_const, n_carry = b->loop.n_carry, n_out = b->body->n_out;
    size_t k, carries;
    for (k = 0; k < n_const; k++) { pytree__ad_add(in, b->in[k]); }
    for (k = 0; k < n_carry; k++) {
        if (b->given[k]) { pytree__ad_add(in, b->ct[k].id != 0 ? b->ct[k] : pytree_op_zeros_like(tr, b->out[k])); }
    }
    for (k = 0; k < n_const; k++) {
        if (b->wanted[k]) { pytree__ad_add(in, pytree_op_zeros_like(tr, b->in[k])); }
    }
    for (k = 0; k < n_carry; k++) {
        if (b->known[k]) { pytree__ad_add(in, b->out[k]); }
    }
    carries = in->n - n_const;
    for (k = 0; k < n_carry; k++) { pytree__ad_add(in, b->kept[k]); }
    for (k = n_const + n_carry; k < b->body->n_in; k++) { pytree__ad_add(in, b->in[k]); }
    for (k = n_carry; k < n_out; k++) {
        if (b->given[k]) { pytree__ad_add(in, b->ct[k]); }
    }
    for (k = n_carry; k < n_out; k++) {
        if (b->known[k]) { pytree__ad_add(in, b->out[k]); }
    }
    if (b->loop.counted) { pytree__ad_add(in, b->count); }
    return carries;
}

/* Records the loop backwards, and gives the cotangents of the operands. */
static void pytree__back_record(pytree_trace *tr, struct pytree__back *b, const bool *wanted, pytree_value *in_ct)
{
    const pytree_program *q;
    const size_t n_const = b->loop.n_const, n_carry = b->loop.n_carry, n_in = b->body->n_in;
    size_t k, carries, at = 0;
    pytree_value *out;
    struct pytree__ad_list in;
    if (!pytree__back_active(tr, b, wanted) || !pytree__back_pull(tr, b)
        || !pytree__ad_list_init(tr, &in, 4 * n_in + 3 * b->body->n_out + 1)) { return; }
    q = pytree__back_body(tr, b);
    out = (pytree_value *)pytree__ad_take(tr, n_in + n_carry, sizeof *out);
    if (q == NULL || out == NULL) { return; }
    carries = pytree__back_operands(tr, b, &in);
    if (!pytree__scan_record(tr, &b->loop, q, n_const, carries, !b->loop.reverse, &in, out)) { return; }
    for (k = n_const; k < n_const + n_carry; k++) {
        if (b->wanted[k]) { in_ct[k] = out[at++]; }
    }
    for (k = 0; k < n_const; k++) {
        if (b->wanted[k]) { in_ct[k] = out[at++]; }
    }
    for (k = 0; k < n_carry; k++) { at += b->known[k]; }
    for (k = n_const + n_carry; k < n_in; k++) {
        if (b->wanted[k]) { in_ct[k] = out[at++]; }
    }
}

static void pytree__scan_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    struct pytree__back b;
    memset(&b, 0, sizeof b);
    b.loop = *(const struct pytree__scan *)e->params;
    b.body = b.loop.body;
    b.in = e->in;
    b.out = e->out;
    b.kept = e->out + e->n_out - b.loop.n_carry;
    b.ct = ct;
    if (b.loop.counted) { b.count = e->in[b.body->n_in]; }
    pytree__back_record(tr, &b, tr->recorder->wanted, in_ct);
}
static const pytree_program *pytree__scan_sub(const void *params, size_t i)
{
    return i == 0 ? ((const struct pytree__scan *)params)->body : NULL;
}
static const struct pytree__op_hooks pytree__scan_hooks = { pytree__scan_plan, pytree__scan_jvp, pytree__scan_keep,
                                                            pytree__scan_sub };
static const pytree_op pytree__op_scan = { "scan", sizeof(struct pytree__scan), 1, pytree__scan_shape, pytree__scan_op_run,
                                           NULL,
                                           pytree__scan_vjp, &pytree__scan_hooks, false };
static bool pytree__scan_record(pytree_trace *tr, const struct pytree__scan *like, const pytree_program *body, size_t n_const,
                                size_t n_carry, bool reverse, const struct pytree__ad_list *in, pytree_value *out)
{
    struct pytree__scan p;
    memset(&p, 0, sizeof p);
    p.body = body;
    p.n = like->n;
    p.n_const = n_const;
    p.n_carry = n_carry;
    p.reverse = reverse;
    p.counted = like->counted;
    return body != NULL && pytree__pg_record(tr, &pytree__op_scan, &p, in->n, in->at, body->n_out, out);
}

#include "derive_while.h"
#endif
