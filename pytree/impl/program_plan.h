/* pytree/impl/program_plan.h: memory for the values of a program, and runs of it. */
#ifndef PYTREE_IMPL_PROGRAM_PLAN_H
#define PYTREE_IMPL_PROGRAM_PLAN_H

#include "program_record.h"

/* A result that is not computed in its place: copied after the calls; `from` NULL: zeros. */
struct pytree__plan_copy {
    const pytree_leaf *from;
    size_t at, bytes;
};
/* A result that is computed in its place. */
struct pytree__plan_direct {
    pytree_leaf *value;
    size_t at;
};

/* A program with memory. The caller sets the data of values[1 … n_in] and out[0 … n_out-1] before a run. */
struct pytree__plan {
    const pytree_program *program;
    pytree_leaf *values;                  /* by id */
    void **out;
    pytree_op_call *calls;
    const pytree_op **ops;
    size_t n_calls, n_copies, n_direct;
    struct pytree__plan_copy *copies;
    struct pytree__plan_direct *direct;
    struct pytree__fn_strings strings;
};

/* Memory of a value, which another one may have when this one is not needed any more. */
struct pytree__plan_slot {
    void *data;
    size_t bytes, free_from;              /* free from this call on */
};
struct pytree__plan_slots {
    struct pytree__plan_slot *slot;
    size_t n, max;
};
enum { PYTREE__PLAN_LOOK = 64 };          /* slots that are looked at for a value: planning stays linear */

/* Memory for a value, aligned for vectors. */
static void *pytree__pg_memory(struct pytree__fn_plan *arena, size_t bytes)
{
    enum { ALIGN = 64 };
    char *p = (char *)pytree__fn_take(arena, pytree__plus(bytes, ALIGN), 1);
    return p == NULL ? NULL : p + (ALIGN - (uintptr_t)p % ALIGN) % ALIGN;
}

/* The smallest slot that is free at a call and large enough, or a new one. */
static struct pytree__plan_slot *pytree__plan_take(struct pytree__plan_slots *s, struct pytree__fn_plan *arena, size_t call,
                                                   size_t bytes)
{
    struct pytree__plan_slot *best = NULL, *slots;
    size_t k, from = s->n > PYTREE__PLAN_LOOK ? s->n - PYTREE__PLAN_LOOK : 0;
    for (k = from; k < s->n; k++) {
        struct pytree__plan_slot *at = &s->slot[k];
        if (at->free_from <= call && at->bytes >= bytes && (best == NULL || at->bytes < best->bytes)) { best = at; }
    }
    if (best != NULL) { return best; }
    slots = (struct pytree__plan_slot *)pytree__pg_grow(arena, s->slot, s->n, &s->max, sizeof *slots);
    if (slots == NULL) { return NULL; }
    s->slot = slots;
    best = &slots[s->n];
    best->data = pytree__pg_memory(arena, bytes);
    best->bytes = bytes;
    if (best->data == NULL) { return NULL; }
    s->n++;
    return best;
}

/* For each value the call that uses it last; n_eqns for results that are copied. SIZE_MAX: is computed where the result goes.
 * */
static size_t *pytree__plan_uses(struct pytree__plan *plan, struct pytree__fn_plan *arena)
{
    const pytree_program *p = plan->program;
    size_t *last = (size_t *)pytree__fn_take(arena, p->n_values + 1, sizeof *last), i, k;
    bool *made = (bool *)pytree__fn_take(arena, p->n_values + 1, sizeof *made);
    if (last == NULL || made == NULL) { return NULL; }
    for (i = 0; i < p->n_eqns; i++) {
        const pytree_eqn *e = &p->eqns[i];
        for (k = 0; k < e->n_in; k++) { last[e->in[k].id] = i; }
        for (k = 0; k < e->n_out; k++) {
            made[e->out[k].id] = true;
            last[e->out[k].id] = i;
        }
    }
    for (k = 0; k < p->n_out; k++) {
        const uint32_t v = p->out[k].id;
        if (v != 0 && made[v]) {
            plan->direct[plan->n_direct].value = &plan->values[v];
            plan->direct[plan->n_direct++].at = k;
            made[v] = false;
            last[v] = SIZE_MAX;
        } else {
            struct pytree__plan_copy *c = &plan->copies[plan->n_copies++];
            c->from = v != 0 ? &plan->values[v] : NULL;
            c->at = k;
            c->bytes = pytree_leaf_bytes(p->out_views[k]);
        }
    }
    return last;
}

/* Gives the results of call i memory, and the call its operands. */
static bool pytree__plan_call(struct pytree__plan *plan, size_t i, const size_t *last, struct pytree__plan_slots *slots,
                              struct pytree__fn_plan *arena)
{
    const pytree_eqn *e = &plan->program->eqns[i];
    const pytree_leaf **in = (const pytree_leaf **)pytree__fn_take(arena, e->n_in, sizeof *in);
    pytree_leaf **out = (pytree_leaf **)pytree__fn_take(arena, e->n_out, sizeof *out);
    pytree_op_call *c = &plan->calls[i];
    size_t k;
    if (in == NULL || out == NULL) { return false; }
    for (k = 0; k < e->n_in; k++) { in[k] = &plan->values[e->in[k].id]; }
    for (k = 0; k < e->n_out; k++) {
        const uint32_t v = e->out[k].id;
        out[k] = &plan->values[v];
        if (last[v] != SIZE_MAX) {
            struct pytree__plan_slot *slot = pytree__plan_take(slots, arena, i, pytree_leaf_bytes(out[k]));
            if (slot == NULL) { return false; }
            out[k]->data = slot->data;
            slot->free_from = last[v] + 1;
        }
    }
    c->in = in;
    c->out = out;
    c->n_in = e->n_in;
    c->n_out = e->n_out;
    c->params = e->params;
    c->strings = &plan->strings;
    plan->ops[i] = e->op;
    return e->op->hooks == NULL || e->op->hooks->plan(c, arena) == PYTREE_OK;
}

/* Prepares runs of a program. NULL on failure. */
static struct pytree__plan *pytree__plan_new(const pytree_program *p, struct pytree__fn_plan *arena)
{
    struct pytree__plan *plan = (struct pytree__plan *)pytree__fn_take(arena, 1, sizeof *plan);
    struct pytree__plan_slots slots = { NULL, 0, 0 };
    size_t *last, v, i;
    if (plan == NULL) { return NULL; }
    plan->program = p;
    plan->n_calls = p->n_eqns;
    plan->strings.plan = arena;
    plan->strings.before = arena->strings;
    arena->strings = &plan->strings;
    plan->values = (pytree_leaf *)pytree__fn_take(arena, p->n_values + 1, sizeof *plan->values);
    plan->out = (void **)pytree__fn_take(arena, p->n_out, sizeof *plan->out);
    plan->calls = (pytree_op_call *)pytree__fn_take(arena, p->n_eqns, sizeof *plan->calls);
    plan->ops = (const pytree_op **)pytree__fn_take(arena, p->n_eqns, sizeof *plan->ops);
    plan->copies = (struct pytree__plan_copy *)pytree__fn_take(arena, p->n_out, sizeof *plan->copies);
    plan->direct = (struct pytree__plan_direct *)pytree__fn_take(arena, p->n_out, sizeof *plan->direct);
    if (arena->err.status != PYTREE_OK) { return NULL; }
    for (v = 1; v <= p->n_values; v++) { plan->values[v] = *p->values[v]; }
    last = pytree__plan_uses(plan, arena);
    if (last == NULL) { return NULL; }
    for (i = 0; i < p->n_eqns; i++) {
        if (!pytree__plan_call(plan, i, last, &slots, arena)) { return NULL; }
    }
    return plan;
}

void *pytree_op_memory(const pytree_op_call *c, size_t bytes, pytree_error *err)
{
    struct pytree__fn_strings *s = c->strings;
    void *p = NULL;
    bytes = pytree__round(bytes == 0 ? 1 : bytes, PYTREE__FN_ALIGN);
    if (s == NULL) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the call that an operation's run is given, got another");
        return NULL;
    }
    if (s->run != s->plan->run) {         /* the first in this run: the largest chunk is enough, or will be */
        if (s->chunks != NULL) {
            pytree__fn_free_chunks(s->plan, &s->chunks->before);
            s->chunks->used = PYTREE__FN_HEAD;
        }
        s->run = s->plan->run;
    }
    if (bytes <= SIZE_MAX / 2
        && ((s->chunks != NULL && s->chunks->room - s->chunks->used >= bytes)
            || pytree__fn_add_chunk(s->plan, &s->chunks, bytes) != NULL)) {
        p = (char *)s->chunks + s->chunks->used;
        s->chunks->used += bytes;
    }
    if (p == NULL) { (void)pytree__no_memory(err, bytes); }
    return p;
}

/* Puts the names of the function and the operation before the message of a call that failed; if it has none, that of its
 * status. */
static PYTREE__NOINLINE pytree_status pytree__plan_failed(const struct pytree__plan *plan, size_t call, pytree_status status,
                                                          pytree_error *err)
{
    pytree_error own;
    if (err == NULL) { return status; }
    own = *err;
    memset(err, 0, sizeof *err);
    if (own.status != PYTREE_OK) { status = own.status; }
    return pytree_fail(err, status, own.path, "%s: %s: %s%s", plan->program->name, plan->ops[call]->name,
                       own.message[0] != '\0' ? own.message : "expected success, got ",
                       own.message[0] != '\0' ? "" : pytree_status_name(status));
}

static pytree_status pytree__plan_run(struct pytree__plan *plan, pytree_error *err)
{
    size_t i;
    for (i = 0; i < plan->n_direct; i++) { plan->direct[i].value->data = plan->out[plan->direct[i].at]; }
    for (i = 0; i < plan->n_calls; i++) {
        const pytree_status status = plan->ops[i]->run(&plan->calls[i], err);
        if (status != PYTREE_OK) { return pytree__plan_failed(plan, i, status, err); }
    }
    for (i = 0; i < plan->n_copies; i++) {
        const struct pytree__plan_copy *c = &plan->copies[i];
        if (c->bytes == 0) { continue; }
        if (c->from != NULL) {
            memmove(plan->out[c->at], c->from->data, c->bytes);
        } else {
            pytree_leaf zeros = *plan->program->out_views[c->at];
            zeros.data = plan->out[c->at];
            pytree__fn_zero(&zeros);
        }
    }
    return PYTREE_OK;
}

#include "program_text.h"
#endif
