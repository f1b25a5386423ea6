/* pytree/impl/program_record.h: the recorder: values, calls, constants, and the program that they make. */
#ifndef PYTREE_IMPL_PROGRAM_RECORD_H
#define PYTREE_IMPL_PROGRAM_RECORD_H

#include "internal.h"
#include "../program.h"
#include "match.h"
#include "function_call.h"
#include "type.h"

const pytree_type pytree_value_type = PYTREE__BUILTIN("value", sizeof(pytree_value), sizeof(uint32_t), PYTREE_KIND_LEAF,
                                                      PYTREE_OPAQUE);

static pytree_value pytree__value(uint32_t id)
{
    pytree_value v;
    v.id = id;
    return v;
}

/* Hooks of operations that contain programs.
 *   plan   prepares the call for runs: sets c->memory; the others may be NULL
 *   jvp    records result and tangent in one call, instead of a copy of the call and the rule
 *   keep   records the call so that it keeps what its vjp rule needs; changes *e to what was recorded, whose first results are
 *          those of the call
 *   sub    the i-th program in the parameters; NULL behind the last one */
struct pytree__op_hooks {
    pytree_status (*plan)(pytree_op_call *c, struct pytree__fn_plan *arena);
    void (*jvp)(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out, pytree_value *out_t);
    void (*keep)(pytree_trace *tr, pytree_eqn *e);
    const pytree_program *(*sub)(const void *params, size_t i);
};

enum { PYTREE__PG_LOOK = 16 };            /* calls that a rule looks back for what it can use */

/* A leaf of a body's arguments, by address. */
struct pytree__address {
    const void *at;
    uint32_t id;
};

struct pytree__recorder {
    struct pytree__fn_plan *arena;
    const char *name;                     /* of the function, in messages */
    const pytree_leaf **values;           /* by id; values[0] is not used */
    size_t n_values, max_values;
    pytree_eqn *eqns;
    size_t n_eqns, max_eqns;
    size_t n_in;
    const pytree_op *plus;                /* NULL: add */
    bool memoize;
    bool in_rule;                         /* 0 is a zero derivative */
    const bool *wanted;                   /* in a vjp rule: the operands whose cotangents are wanted */
    const struct pytree__address *addresses;       /* in a body: sorted */
    size_t n_addresses;
    const pytree_def *const *defs;        /* of the body's arguments */
    const pytree_def *out_def;            /* set by pytree_return */
    const pytree_value *out;
};

/* An array in the arena that can hold one more element. Returns where it is now, with all that was in it. */
static void *pytree__pg_grow(struct pytree__fn_plan *arena, void *old, size_t n, size_t *max, size_t size)
{
    size_t wanted;
    void *p;
    if (n < *max) { return old; }
    wanted = *max == 0 ? 32 : pytree__times(*max, 2);
    p = pytree__fn_take(arena, wanted, size);
    if (p != NULL) {
        if (old != NULL) { memcpy(p, old, n * size); }
        *max = wanted;
    }
    return p;
}

/* A new value with that view, which lives as long as the arena. Returns 0 on failure. */
static pytree_value pytree__pg_value(pytree_trace *tr, const pytree_leaf *view)
{
    struct pytree__recorder *r = tr->recorder;
    const pytree_leaf **values = NULL;
    if (r->n_values < UINT32_MAX - 1) {
        values = (const pytree_leaf **)pytree__pg_grow(r->arena, (void *)r->values, r->n_values + 1, &r->max_values,
                                                       sizeof *values);
    }
    if (values == NULL) { return pytree__value(0); }
    r->values = values;
    values[++r->n_values] = view;
    return pytree__value((uint32_t)r->n_values);
}

/* A copy of a view without its data. */
static pytree_leaf *pytree__pg_view(struct pytree__fn_plan *arena, const pytree_leaf *like)
{
    pytree_leaf *v = (pytree_leaf *)pytree__fn_take(arena, 1, sizeof *v);
    if (v != NULL) {
        *v = *like;
        v->data = NULL;
    }
    return v;
}

/* The next input of a program that is being recorded. */
static pytree_value pytree__pg_input(pytree_trace *tr, const pytree_leaf *like)
{
    const pytree_leaf *v = pytree__pg_view(tr->recorder->arena, like);
    pytree_value id = { 0 };
    if (v != NULL) {
        id = pytree__pg_value(tr, v);
        tr->recorder->n_in++;
    }
    return id;
}

/* Copies the characters of a constant's strings. */
static bool pytree__pg_copy_strings(struct pytree__fn_plan *arena, const pytree_leaf *v)
{
    const size_t n = v->type->dtype == PYTREE_STRING ? pytree_leaf_count(v) : 0;
    char **strings = (char **)v->data;
    size_t k;
    for (k = 0; k < n; k++) {
        const size_t bytes = strings[k] == NULL ? 0 : strlen(strings[k]) + 1;
        char *copy = bytes == 0 ? NULL : (char *)pytree__fn_take(arena, bytes, 1);
        if (bytes != 0 && copy == NULL) { return false; }
        if (bytes != 0) { strings[k] = (char *)memcpy(copy, strings[k], bytes); }
    }
    return true;
}

/* The same constant, if there is one already: only with `memoize`. */
static pytree_value pytree__pg_same_constant(const struct pytree__recorder *r, const pytree_leaf *v)
{
    const size_t n = pytree_leaf_count(v), bytes = pytree_leaf_bytes(v);
    const char *const *strings = (const char *const *)v->data;
    size_t id = r->memoize ? r->n_values : 0, k;
    for (; id != 0; id--) {
        const pytree_leaf *old = r->values[id];
        const char *const *olds = (const char *const *)old->data;
        if (old->data == NULL || pytree__fits(old, v) != PYTREE_OK) { continue; }
        if (v->type->dtype != PYTREE_STRING) {
            if (bytes == 0 || memcmp(old->data, v->data, bytes) == 0) { break; }
            continue;
        }
        for (k = 0; k < n && olds[k] != NULL && strings[k] != NULL && strcmp(olds[k], strings[k]) == 0; k++) {}
        if (k == n) { break; }
    }
    return pytree__value((uint32_t)id);
}

/* A constant: a copy of the leaf's elements; NULL data: zeros. */
static inline pytree_value pytree__pg_constant(pytree_trace *tr, const pytree_leaf *leaf)
{
    const size_t bytes = pytree_leaf_bytes(leaf);
    pytree_leaf *v = pytree__pg_view(tr->recorder->arena, leaf);
    pytree_value same;
    if (v == NULL) { return pytree__value(0); }
    v->data = pytree__fn_take(tr->recorder->arena, bytes + 1, 1);
    if (v->data == NULL) { return pytree__value(0); }
    if (leaf->data == NULL) { pytree__fn_zero(v); } else if (bytes != 0) { memcpy(v->data, leaf->data, bytes); }
    if (!pytree__pg_copy_strings(tr->recorder->arena, v)) { return pytree__value(0); }
    same = pytree__pg_same_constant(tr->recorder, v);
    return same.id != 0 ? same : pytree__pg_value(tr, v);
}

/* Adds a call whose results have these views. Returns false on failure; `out` is set in any case. */
static bool pytree__pg_append(pytree_trace *tr, const pytree_op *op, const void *params, size_t n_in, const pytree_value *in,
                              size_t n_out, const pytree_leaf *const *views, pytree_value *out)
{
    struct pytree__recorder *r = tr->recorder;
    pytree_value *ids = (pytree_value *)pytree__fn_take(r->arena, n_in + n_out, sizeof *ids);
    pytree_eqn *eqns = (pytree_eqn *)pytree__pg_grow(r->arena, r->eqns, r->n_eqns, &r->max_eqns, sizeof *eqns), *e;
    size_t k;
    for (k = 0; k < n_out; k++) { out[k].id = 0; }
    if (ids == NULL || eqns == NULL) { return false; }
    r->eqns = eqns;
    for (k = 0; k < n_in; k++) { ids[k] = in[k]; }
    for (k = 0; k < n_out; k++) {
        ids[n_in + k] = pytree__pg_value(tr, views[k]);
        if (ids[n_in + k].id == 0) { return false; }
    }
    for (k = 0; k < n_out; k++) { out[k] = ids[n_in + k]; }
    e = &eqns[r->n_eqns++];
    e->op = op;
    e->params = params;
    e->n_in = n_in;
    e->n_out = n_out;
    e->in = ids;
    e->out = ids + n_in;
    return true;
}

/* The call with these operands and parameters, if there is one already: among all with `memoize`, among the last in a rule,
 * whose parts often need the same. */
static const pytree_eqn *pytree__pg_again(const struct pytree__recorder *r, const pytree_op *op, const void *params,
                                          size_t n_in, const pytree_value *in)
{
    const size_t look = r->memoize ? r->n_eqns : r->in_rule ? PYTREE__PG_LOOK : 0;
    size_t i = r->n_eqns;
    const size_t least = op->effect ? i : i > look ? i - look : 0;
    while (i-- != least) {
        const pytree_eqn *e = &r->eqns[i];
        if (e->op == op && e->n_in == n_in && (n_in == 0 || memcmp(e->in, in, n_in * sizeof *in) == 0)
            && (op->params == 0 || memcmp(e->params, params, op->params) == 0)) {
            return e;
        }
    }
    return NULL;
}

/* The call that made a value, if it is one of that operation and among the last in a rule; otherwise NULL. */
static inline const pytree_eqn *pytree__pg_maker(const struct pytree__recorder *r, const pytree_op *op, pytree_value v)
{
    size_t i = r->in_rule ? r->n_eqns : 0;
    const size_t least = i > PYTREE__PG_LOOK ? i - PYTREE__PG_LOOK : 0;
    while (i-- > least) {
        const pytree_eqn *e = &r->eqns[i];
        if (e->n_out != 0 && e->out[0].id == v.id) { return e->op == op ? e : NULL; }
    }
    return NULL;
}

/* Do all operands exist? 0 makes no error in rules, and none where there was one before. */
static bool pytree__pg_operands(pytree_trace *tr, const pytree_op *op, size_t n_in, const pytree_value *in)
{
    const struct pytree__recorder *r = tr->recorder;
    size_t k;
    if (tr->err->status != PYTREE_OK) { return false; }
    for (k = 0; k < n_in; k++) {
        if (in[k].id == 0 && r->in_rule) { return false; }
        if (in[k].id == 0 || in[k].id > r->n_values) {
            (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s: %s: expected a value as operand %zu, got none", r->name,
                              op->name, k);
            return false;
        }
    }
    return true;
}

/* Asks the operation for the views of its results. Returns NULL on failure. */
static const pytree_leaf *const *pytree__pg_shapes(pytree_trace *tr, const pytree_op *op, const void *params, size_t n_in,
                                                   const pytree_value *in, size_t n_out)
{
    struct pytree__recorder *r = tr->recorder;
    const pytree_leaf **views = (const pytree_leaf **)pytree__fn_take(r->arena, n_in + n_out, sizeof *views);
    pytree_leaf *out = (pytree_leaf *)pytree__fn_take(r->arena, n_out, sizeof *out), **outs;
    pytree_op_call c;
    pytree_error err;
    size_t k;
    if (views == NULL || out == NULL) { return NULL; }
    memset(&err, 0, sizeof err);
    outs = (pytree_leaf **)(void *)(views + n_in);
    for (k = 0; k < n_in; k++) { views[k] = r->values[in[k].id]; }
    for (k = 0; k < n_out; k++) { outs[k] = &out[k]; }
    c.in = views;
    c.out = outs;
    c.n_in = n_in;
    c.n_out = n_out;
    c.params = params;
    c.memory = NULL;
    c.strings = NULL;
    if (op->shape(&c, &err) != PYTREE_OK) {
        const pytree_status status = err.status != PYTREE_OK ? err.status : PYTREE_SHAPE;
        (void)pytree_fail(tr->err, status, err.path, "%s: %s: %s", r->name, op->name,
                          err.message[0] != '\0' ? err.message : "expected operands that fit, got others");
        return NULL;
    }
    for (k = 0; k < n_out; k++) {
        if (out[k].type == NULL || pytree_leaf_bytes(&out[k]) == SIZE_MAX) {
            (void)pytree_fail(tr->err, PYTREE_OVERFLOW, NULL,
                              "%s: %s: expected a result that fits into memory, got a larger one",
                              r->name, op->name);
            return NULL;
        }
        out[k].data = NULL;
    }
    return views + n_in;
}

/* pytree_record with any number of results. Returns false, and results of 0, on failure and for a zero derivative. */
static bool pytree__pg_record(pytree_trace *tr, const pytree_op *op, const void *params, size_t n_in, const pytree_value *in,
                              size_t n_out, pytree_value *out)
{
    const pytree_leaf *const *views;
    const pytree_eqn *again;
    void *copy = NULL;
    size_t k;
    for (k = 0; k < n_out; k++) { out[k].id = 0; }
    if (!pytree__pg_operands(tr, op, n_in, in)) { return false; }
    again = pytree__pg_again(tr->recorder, op, params, n_in, in);
    if (again != NULL) {
        for (k = 0; k < n_out; k++) { out[k] = again->out[k]; }
        return true;
    }
    if (op->params != 0) {
        copy = pytree__fn_take(tr->recorder->arena, op->params, 1);
        if (copy == NULL) { return false; }
        memcpy(copy, params, op->params);
    }
    views = pytree__pg_shapes(tr, op, copy, n_in, in, n_out);
    return views != NULL && pytree__pg_append(tr, op, copy, n_in, in, n_out, views, out);
}

pytree_value pytree_record(pytree_trace *tr, const pytree_op *op, const void *params, size_t n_in, const pytree_value *in,
                           pytree_value *out)
{
    pytree_value own[4] = { { 0 } };
    const size_t n_out = op->n_out == 0 ? 1 : op->n_out;
    pytree_value *to = out != NULL ? out : own;
    if (out == NULL && n_out > 4) {
        to = (pytree_value *)pytree__fn_take(tr->recorder->arena, n_out, sizeof *to);
        if (to == NULL) { return own[0]; }
    }
    (void)pytree__pg_record(tr, op, params, n_in, in, n_out, to);
    return to[0];
}

const pytree_leaf *pytree_value_shape(const pytree_trace *tr, pytree_value v)
{
    return v.id == 0 || v.id > tr->recorder->n_values ? NULL : tr->recorder->values[v.id];
}

/* ---- Programs ------------------------------------------------------------------------------------------------------ */

/* Begins to record into the arena. */
static void pytree__pg_begin(pytree_trace *tr, struct pytree__recorder *r, struct pytree__fn_plan *arena, const char *name,
                             const pytree_op *plus)
{
    memset(tr, 0, sizeof *tr);
    memset(r, 0, sizeof *r);
    r->arena = arena;
    r->name = name;
    r->plus = plus;
    tr->recorder = r;
    tr->err = &arena->err;
}

/* Does a call, or one of the programs in it, have an effect? */
static bool pytree__pg_effect(const pytree_eqn *e)
{
    const pytree_program *sub;
    bool any = e->op->effect;
    size_t i;
    if (e->op->hooks == NULL || e->op->hooks->sub == NULL) { return any; }
    for (i = 0; !any && (sub = e->op->hooks->sub(e->params, i)) != NULL; i++) { any = sub->effect; }
    return any;
}

/* What was recorded, as a program with these results; 0 is zeros of the shape of `views`. NULL on failure. */
static pytree_program *pytree__pg_end(pytree_trace *tr, size_t n_out, const pytree_value *out, const pytree_leaf *const *views)
{
    const struct pytree__recorder *r = tr->recorder;
    pytree_program *p = tr->err->status != PYTREE_OK ? NULL : (pytree_program *)pytree__fn_take(r->arena, 1, sizeof *p);
    pytree_value *ids = (pytree_value *)pytree__fn_take(r->arena, n_out, sizeof *ids);
    const pytree_leaf **outs = (const pytree_leaf **)pytree__fn_take(r->arena, n_out, sizeof *outs);
    size_t k;
    if (p == NULL || ids == NULL || outs == NULL) { return NULL; }
    for (k = 0; k < n_out; k++) {
        ids[k] = out[k];
        outs[k] = out[k].id != 0 ? r->values[out[k].id] : views[k];
    }
    p->n_in = r->n_in;
    p->n_out = n_out;
    p->n_eqns = r->n_eqns;
    p->eqns = r->eqns;
    p->out = ids;
    p->out_views = outs;
    p->values = r->values;
    p->n_values = r->n_values;
    p->name = r->name;
    p->plus = r->plus;
    p->arena = r->arena;
    for (k = 0; k < p->n_eqns && !p->effect; k++) { p->effect = pytree__pg_effect(&p->eqns[k]); }
    return p;
}

/* Leaves out calls that no result needs. */
static bool pytree__pg_prune(pytree_program *p)
{
    bool *used = (bool *)pytree__fn_take(p->arena, p->n_values + 1, sizeof *used), any;
    pytree_eqn *kept = (pytree_eqn *)pytree__fn_take(p->arena, p->n_eqns, sizeof *kept);
    size_t i, k, n = p->n_eqns;
    if (used == NULL || kept == NULL) { return false; }
    for (k = 0; k < p->n_out; k++) { used[p->out[k].id] = true; }
    for (i = p->n_eqns; i-- != 0;) {
        const pytree_eqn *e = &p->eqns[i];
        any = pytree__pg_effect(e);
        for (k = 0; k < e->n_out; k++) { any = any || used[e->out[k].id]; }
        for (k = 0; any && k < e->n_in; k++) { used[e->in[k].id] = true; }
        if (any) { kept[--n] = *e; }
    }
    p->eqns = kept + n;
    p->n_eqns -= n;
    return true;
}

#include "program_plan.h"
#endif
