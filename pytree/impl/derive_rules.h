/* pytree/impl/derive_rules.h: programs from programs: copies, pushforward, pullback. */
#ifndef PYTREE_IMPL_DERIVE_RULES_H
#define PYTREE_IMPL_DERIVE_RULES_H

#include "internal.h"
#include "../derive.h"
#include "ops_matmul.h"
#include "transform_batch.h"

/* ---- Copies -------------------------------------------------------------------------------------------------------- */

/* Adds p's constants to what is recorded; map[id] is where a value of p is. */
static void pytree__pg_constants(pytree_trace *tr, const pytree_program *p, pytree_value *map)
{
    size_t v;
    for (v = 1; v <= p->n_values; v++) {
        if (p->values[v]->data != NULL) { map[v] = pytree__pg_value(tr, p->values[v]); }
    }
}

/* A call of p with operands and results in what is recorded. The results are still to come; NULL if memory runs out. */
static pytree_value *pytree__pg_mapped(pytree_trace *tr, const pytree_eqn *of, const pytree_value *map, pytree_eqn *e)
{
    pytree_value *ids = (pytree_value *)pytree__fn_take(tr->recorder->arena, of->n_in + of->n_out, sizeof *ids);
    size_t k;
    *e = *of;
    if (ids == NULL) { return NULL; }
    for (k = 0; k < of->n_in; k++) { ids[k] = map[of->in[k].id]; }
    e->in = ids;
    e->out = ids + of->n_in;
    return ids + of->n_in;
}

/* Copies a call of p into what is recorded; *e is the copy. In a rule one call may do what it and another did; *e and what it
 * refers to are as if there were two. */
static bool pytree__pg_copy(pytree_trace *tr, const pytree_program *p, const pytree_eqn *of, pytree_value *map, pytree_eqn *e)
{
    pytree_value *out = pytree__pg_mapped(tr, of, map, e), shorter;
    const pytree_leaf **views = (const pytree_leaf **)pytree__fn_take(tr->recorder->arena, of->n_out, sizeof *views);
    size_t k;
    if (out == NULL || views == NULL) { return false; }
    shorter = pytree__op_shorter(tr, e);
    if (shorter.id != 0) {
        map[of->out[0].id] = out[0] = shorter;
        return true;
    }
    for (k = 0; k < of->n_out; k++) { views[k] = p->values[of->out[k].id]; }
    if (!pytree__pg_append(tr, of->op, of->params, of->n_in, e->in, of->n_out, views, out)) { return false; }
    for (k = 0; k < of->n_out; k++) { map[of->out[k].id] = out[k]; }
    return true;
}

/* Records p's calls on these inputs. Returns p's results; NULL on failure. */
static pytree_value *pytree__pg_inline(pytree_trace *tr, const pytree_program *p, const pytree_value *in)
{
    pytree_value *map = (pytree_value *)pytree__fn_take(tr->recorder->arena, p->n_values + 1 + p->n_out, sizeof *map);
    pytree_eqn e;
    size_t k;
    if (map == NULL) { return NULL; }
    for (k = 0; k < p->n_in; k++) { map[k + 1] = in[k]; }
    pytree__pg_constants(tr, p, map);
    for (k = 0; k < p->n_eqns; k++) {
        if (!pytree__pg_copy(tr, p, &p->eqns[k], map, &e)) { return NULL; }
    }
    for (k = 0; k < p->n_out; k++) { map[p->n_values + 1 + k] = map[p->out[k].id]; }
    return map + p->n_values + 1;
}

/* Does a derivative flow into values of that type? Not into integers and bool, which come first. */
static bool pytree__pg_smooth(const pytree_leaf *v) { return v->type->dtype > PYTREE_U64; }

/* ---- Pushforward --------------------------------------------------------------------------------------------------- */

/* Records the tangents of one call of p, whose operands are known, and a copy of it. */
static bool pytree__pg_push(pytree_trace *tr, const pytree_program *p, const pytree_eqn *of, pytree_value *map, pytree_value *t)
{
    struct pytree__fn_plan *arena = tr->recorder->arena;
    pytree_value *in_t = (pytree_value *)pytree__fn_take(arena, of->n_in + of->n_out, sizeof *in_t), *out_t;
    pytree_eqn e;
    bool any = false;
    size_t k;
    if (in_t == NULL) { return false; }
    out_t = in_t + of->n_in;
    for (k = 0; k < of->n_in; k++) {
        in_t[k] = t[of->in[k].id];
        any = any || in_t[k].id != 0;
    }
    if (any && of->op->hooks != NULL && of->op->hooks->jvp != NULL) {
        pytree_value *out = pytree__pg_mapped(tr, of, map, &e);
        if (out == NULL) { return false; }
        of->op->hooks->jvp(tr, &e, in_t, out, out_t);
        for (k = 0; k < of->n_out; k++) { map[of->out[k].id] = out[k]; }
    } else {
        if (!pytree__pg_copy(tr, p, of, map, &e)) { return false; }
        tr->recorder->in_rule = true;
        if (any && of->op->jvp != NULL) { of->op->jvp(tr, &e, in_t, out_t); }
        tr->recorder->in_rule = false;
    }
    for (k = 0; k < of->n_out; k++) { t[of->out[k].id] = out_t[k]; }
    return tr->err->status == PYTREE_OK;
}

/* (inputs, tangents of inputs that are active) -> (results, tangents of results that are active). `out_active` is read if
 * `forced`, and otherwise set: the results that have a tangent. NULL on failure. Like all programs that are made of p it lies
 * in the arena given, not in p's: p may be a program of the user's. */
static pytree_program *pytree__pg_pushforward(struct pytree__fn_plan *arena, const pytree_program *p, const bool *active,
                                              bool *out_active, bool forced)
{
    pytree_value *map = (pytree_value *)pytree__fn_take(arena, p->n_values + 1, sizeof *map);
    pytree_value *t = (pytree_value *)pytree__fn_take(arena, p->n_values + 1, sizeof *t);
    pytree_value *out = (pytree_value *)pytree__fn_take(arena, p->n_out, 2 * sizeof *out);
    const pytree_leaf **views = (const pytree_leaf **)pytree__fn_take(arena, p->n_out, 2 * sizeof *views);
    struct pytree__recorder r;
    pytree_program *q;
    pytree_trace tr;
    size_t k, n = 0;
    if (map == NULL || t == NULL || out == NULL || views == NULL) { return NULL; }
    pytree__pg_begin(&tr, &r, arena, p->name, p->plus);
    for (k = 0; k < p->n_in; k++) { map[k + 1] = pytree__pg_input(&tr, p->values[k + 1]); }
    for (k = 0; k < p->n_in; k++) {
        if (active[k]) { t[k + 1] = pytree__pg_input(&tr, p->values[k + 1]); }
        if (!pytree__pg_smooth(p->values[k + 1])) { t[k + 1].id = 0; }
    }
    pytree__pg_constants(&tr, p, map);
    for (k = 0; k < p->n_eqns; k++) {
        if (!pytree__pg_push(&tr, p, &p->eqns[k], map, t)) { return NULL; }
    }
    for (k = 0; k < p->n_out; k++, n++) {
        out[n] = map[p->out[k].id];
        views[n] = p->out_views[k];
    }
    for (k = 0; k < p->n_out; k++) {
        const pytree_value d = t[p->out[k].id];
        if (!forced) { out_active[k] = d.id != 0; }
        if (!out_active[k]) { continue; }
        out[n] = d;
        views[n++] = p->out_views[k];
    }
    q = pytree__pg_end(&tr, n, out, views);
    return q != NULL && pytree__pg_prune(q) ? q : NULL;
}

/* ---- Pullback ------------------------------------------------------------------------------------------------------ */

/* What a pullback is made of: the copies of p's calls, and the cotangents of its values. */
struct pytree__pull {
    const pytree_program *p;
    pytree_trace *tr;
    pytree_eqn *copies;
    pytree_value *map, *ct;
    bool *active;                         /* by value: a wanted cotangent depends on its own */
    pytree_value *known;                  /* by value: an input that holds it already, or 0 */
};

/* Uses what is known in the place of results of a call, which is left out then if nothing else needs it. */
static void pytree__pull_known(struct pytree__pull *pull, const pytree_eqn *of, pytree_eqn *copy)
{
    pytree_value *out = (pytree_value *)(uintptr_t)copy->out;  /* ids of the copy's own */
    size_t k;
    for (k = 0; k < of->n_out; k++) {
        const pytree_value known = pull->known[of->out[k].id];
        if (known.id != 0) { pull->map[of->out[k].id] = out[k] = known; }
    }
}


/* Copies p's calls, those on active values so that they keep what their rules need. */
static bool pytree__pull_forward(struct pytree__pull *pull)
{
    const pytree_program *p = pull->p;
    size_t i, k;
    for (i = 0; i < p->n_eqns; i++) {
        const pytree_eqn *e = &p->eqns[i];
        bool any = false;
        for (k = 0; k < e->n_in; k++) { any = any || pull->active[e->in[k].id]; }
        any = any && e->op->vjp != NULL;
        for (k = 0; k < e->n_out; k++) {
            pull->active[e->out[k].id] = any && pytree__pg_smooth(p->values[e->out[k].id]);
        }
        if (any && e->op->hooks != NULL && e->op->hooks->keep != NULL) {
            if (pytree__pg_mapped(pull->tr, e, pull->map, &pull->copies[i]) == NULL) { return false; }
            e->op->hooks->keep(pull->tr, &pull->copies[i]);
            if (pull->tr->err->status != PYTREE_OK) { return false; }
            for (k = 0; k < e->n_out; k++) { pull->map[e->out[k].id] = pull->copies[i].out[k]; }
        } else {
            pull->tr->recorder->in_rule = true;
            if (!pytree__pg_copy(pull->tr, p, e, pull->map, &pull->copies[i])) { return false; }
            pull->tr->recorder->in_rule = false;
        }
        pytree__pull_known(pull, e, &pull->copies[i]);
    }
    return true;
}

/* Records the cotangents of the operands of call i. */
static bool pytree__pull_back(struct pytree__pull *pull, size_t i)
{
    const pytree_eqn *of = &pull->p->eqns[i], *e = &pull->copies[i];
    struct pytree__recorder *r = pull->tr->recorder;
    pytree_value *ct = (pytree_value *)pytree__fn_take(r->arena, e->n_out + e->n_in, sizeof *ct), *in_ct;
    bool *wanted = (bool *)pytree__fn_take(r->arena, e->n_in, sizeof *wanted), any = false;
    size_t k;
    if (ct == NULL || wanted == NULL) { return false; }
    in_ct = ct + e->n_out;
    for (k = 0; k < of->n_out; k++) {
        if (pull->active[of->out[k].id]) { ct[k] = pull->ct[of->out[k].id]; }
        any = any || ct[k].id != 0;
    }
    if (!any) { return true; }
    for (k = 0; k < of->n_in; k++) { wanted[k] = pull->active[of->in[k].id]; }
    r->wanted = wanted;
    r->in_rule = true;
    e->op->vjp(pull->tr, e, ct, in_ct);
    for (k = 0; k < of->n_in; k++) {
        pytree_value *to = &pull->ct[of->in[k].id];
        if (wanted[k]) { *to = pytree_op_plus(pull->tr, *to, in_ct[k]); }
    }
    r->in_rule = false;
    r->wanted = NULL;
    return pull->tr->err->status == PYTREE_OK;
}

/* Begins a pullback: inputs, cotangents of results where given, results where known. */
static bool pytree__pull_begin(struct pytree__pull *pull, const bool *given, const bool *wanted, const bool *known)
{
    const pytree_program *p = pull->p;
    struct pytree__fn_plan *arena = pull->tr->recorder->arena;
    pytree_value *d = (pytree_value *)pytree__fn_take(arena, p->n_out, sizeof *d);
    size_t k;
    pull->copies = (pytree_eqn *)pytree__fn_take(arena, p->n_eqns, sizeof *pull->copies);
    pull->map = (pytree_value *)pytree__fn_take(arena, p->n_values + 1, sizeof *pull->map);
    pull->ct = (pytree_value *)pytree__fn_take(arena, p->n_values + 1, sizeof *pull->ct);
    pull->active = (bool *)pytree__fn_take(arena, p->n_values + 1, sizeof *pull->active);
    pull->known = (pytree_value *)pytree__fn_take(arena, p->n_values + 1, sizeof *pull->known);
    if (d == NULL || pull->copies == NULL || pull->map == NULL || pull->ct == NULL || pull->active == NULL
        || pull->known == NULL) { return false; }
    for (k = 0; k < p->n_in; k++) {
        pull->map[k + 1] = pytree__pg_input(pull->tr, p->values[k + 1]);
        pull->active[k + 1] = wanted[k] && pytree__pg_smooth(p->values[k + 1]);
    }
    for (k = 0; k < p->n_out; k++) {      /* inputs come first */
        if (given[k]) { d[k] = pytree__pg_input(pull->tr, p->out_views[k]); }
    }
    for (k = 0; known != NULL && k < p->n_out; k++) {
        if (known[k]) { pull->known[p->out[k].id] = pytree__pg_input(pull->tr, p->out_views[k]); }
    }
    pytree__pg_constants(pull->tr, p, pull->map);
    pull->tr->recorder->in_rule = true;
    for (k = 0; k < p->n_out; k++) {
        const uint32_t v = p->out[k].id;
        if (v != 0 && pytree__pg_smooth(p->out_views[k])) { pull->ct[v] = pytree_op_plus(pull->tr, pull->ct[v], d[k]); }
    }
    pull->tr->recorder->in_rule = false;
    return pull->tr->err->status == PYTREE_OK;
}

/* (inputs, cotangents of results that are given, results that are known) -> (results if `primal`, cotangents of inputs that are
 * wanted). `known` (may be NULL): results of calls that need not be computed again. NULL on failure. */
static pytree_program *pytree__pg_pullback(struct pytree__fn_plan *arena, const pytree_program *p, const bool *given,
                                           const bool *wanted, const bool *known, bool primal)
{
    pytree_value *out = (pytree_value *)pytree__fn_take(arena, p->n_out + p->n_in, sizeof *out);
    const pytree_leaf **views = (const pytree_leaf **)pytree__fn_take(arena, p->n_out + p->n_in, sizeof *views);
    struct pytree__pull pull;
    struct pytree__recorder r;
    pytree_program *q;
    pytree_trace tr;
    size_t i, k, n = 0;
    pytree__pg_begin(&tr, &r, arena, p->name, p->plus);
    pull.p = p;
    pull.tr = &tr;
    if (out == NULL || views == NULL || !pytree__pull_begin(&pull, given, wanted, known)
        || !pytree__pull_forward(&pull)) { return NULL; }
    for (i = p->n_eqns; i-- != 0;) {
        if (!pytree__pull_back(&pull, i)) { return NULL; }
    }
    for (k = 0; primal && k < p->n_out; k++, n++) {
        out[n] = pull.map[p->out[k].id];
        views[n] = p->out_views[k];
    }
    for (k = 0; k < p->n_in; k++) {
        if (!wanted[k]) { continue; }
        if (pull.active[k + 1]) { out[n] = pull.ct[k + 1]; }
        views[n++] = p->values[k + 1];
    }
    q = pytree__pg_end(&tr, n, out, views);
    return q != NULL && pytree__pg_prune(q) ? q : NULL;
}

/* p with inputs and results in another order: input i of the new one is input in[i] of p, result i is result out[i]; those from
 * n_out on are inputs of p. `rule`: it is a part of a derivative, and calls may be put together. */
static pytree_program *pytree__pg_reorder(struct pytree__fn_plan *arena, const pytree_program *p, size_t n_in, const size_t *in,
                                          size_t n_out, const size_t *out, bool rule)
{
    pytree_value *inputs = (pytree_value *)pytree__fn_take(arena, p->n_in, sizeof *inputs), *results;
    pytree_value *chosen = (pytree_value *)pytree__fn_take(arena, n_out, sizeof *chosen);
    const pytree_leaf **views = (const pytree_leaf **)pytree__fn_take(arena, n_out, sizeof *views);
    struct pytree__recorder r;
    pytree_program *q;
    pytree_trace tr;
    size_t k;
    if (inputs == NULL || chosen == NULL || views == NULL) { return NULL; }
    pytree__pg_begin(&tr, &r, arena, p->name, p->plus);
    for (k = 0; k < n_in; k++) { inputs[in[k]] = pytree__pg_input(&tr, p->values[in[k] + 1]); }
    r.in_rule = rule;
    results = pytree__pg_inline(&tr, p, inputs);
    if (results == NULL) { return NULL; }
    for (k = 0; k < n_out; k++) {
        const bool result = out[k] < p->n_out;
        chosen[k] = result ? results[out[k]] : inputs[out[k] - p->n_out];
        views[k] = result ? p->out_views[out[k]] : p->values[out[k] - p->n_out + 1];
    }
    q = pytree__pg_end(&tr, n_out, chosen, views);
    return q != NULL && pytree__pg_prune(q) ? q : NULL;
}

#include "derive_loops.h"
#endif
