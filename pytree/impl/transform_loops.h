/* pytree/impl/transform_loops.h: PYTREE_SCAN, PYTREE_WHILE, PYTREE_FORI: a tree that is carried from call to call. */
#ifndef PYTREE_IMPL_TRANSFORM_LOOPS_H
#define PYTREE_IMPL_TRANSFORM_LOOPS_H

#include "transform_vmap.h"

/* ---- The carry -------------------------------------------------------------------------------------------------------
 *
 * The body reads a carry and writes the next one. The first is the argument, which stays as it is; then two sets of memory take
 * turns, the result and a spare one. In place there is only the result.
 */
struct pytree__tf_carry {
    size_t n;
    const pytree_leaf *init;              /* the argument's leaves, */
    const pytree_leaf *result;            /* and the result's */
    pytree_leaf *in, *out;                /* the body's */
    pytree_leaf *spare;
    bool in_place;
};

static pytree_status pytree__tf_carry_init(struct pytree__fn_plan *plan, struct pytree__tf_carry *c)
{
    pytree_status status = PYTREE_OK;
    size_t i;
    c->spare = (pytree_leaf *)pytree__fn_take(plan, c->n, sizeof *c->spare);
    if (c->spare == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; i < c->n && status == PYTREE_OK && !c->in_place; i++) {
        c->spare[i] = c->result[i];
        status = pytree__fn_data(plan, &c->spare[i]);
    }
    return status;
}

static void pytree__tf_carry_copy(size_t n, const pytree_leaf *to, const pytree_leaf *from)
{
    size_t i;
    for (i = 0; i < n; i++) {
        const size_t bytes = pytree_leaf_bytes(&to[i]);
        if (bytes != 0 && to[i].data != from[i].data) { memcpy(to[i].data, from[i].data, bytes); }
    }
}

/* Begins a loop. `spare_first`: the first carry that is written lies in the spare memory. */
static void pytree__tf_carry_begin(const struct pytree__tf_carry *c, bool spare_first)
{
    const pytree_leaf *to = spare_first && !c->in_place ? c->spare : c->result;
    size_t i;
    if (c->in_place) { pytree__tf_carry_copy(c->n, c->result, c->init); }
    for (i = 0; i < c->n; i++) {
        c->in[i].data = c->in_place ? c->result[i].data : c->init[i].data;
        c->out[i].data = to[i].data;
    }
}

/* After a step: what was written is what is read next. */
PYTREE__INLINE void pytree__tf_carry_turn(const struct pytree__tf_carry *c, bool first, bool to_spare)
{
    size_t i;
    if (c->in_place) { return; }
    if (PYTREE__UNLIKELY(first)) {
        for (i = 0; i < c->n; i++) {
            c->in[i].data = c->out[i].data;
            c->out[i].data = to_spare ? c->spare[i].data : c->result[i].data;
        }
    } else {
        for (i = 0; i < c->n; i++) {
            void *data = c->in[i].data;
            c->in[i].data = c->out[i].data;
            c->out[i].data = data;
        }
    }
}

/* Passes the caller's struct on to a body that changes it in place: the argument and the result are one. */
static pytree_status pytree__tf_in_place(const struct pytree__fn_bound *b, struct pytree__fn_bound *body, size_t arg)
{
    const pytree_leaf **own = (const pytree_leaf **)pytree__fn_take(b->plan, 1, sizeof *own);
    if (own == NULL) { return PYTREE_NO_MEMORY; }
    if (b->own_res != NULL) { own[0] = b->own_res[0]; }
    body->own_res = own;
    body->n_own_res = 1;
    body->in_place = arg + 1;
    return PYTREE_OK;
}

/* Fails because neither the function nor the caller says what the result is. */
static pytree_status pytree__tf_unknown(const struct pytree__fn_bound *b, const pytree_fn *f)
{
    return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a function that says what it gives (shape), got %s",
                           f == NULL ? "NULL" : pytree__fn_name(f));
}

static pytree_status pytree__tf_count_args(const struct pytree__fn_bound *b, size_t n, const char *names)
{
    if (b->n_args == n) { return PYTREE_OK; }
    return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected %zu argument%s (%s), got %zu", n, n == 1 ? "" : "s", names,
                           b->n_args);
}

/* ---- scan ---------------------------------------------------------------------------------------------------------- */

struct pytree__tf_step {                  /* a leaf of x or y, and the bytes to the next one */
    pytree_leaf *leaf;
    const pytree_leaf *whole;
    ptrdiff_t bytes;
};

struct pytree__tf_scan {
    struct pytree__fn_bound *body;
    struct pytree__tf_carry carry;
    struct pytree__tf_step *steps;        /* of x, then of y */
    size_t n, n_steps;
    bool reverse;
};

static const pytree_fn *pytree__tf_scan_inner(const pytree_fn *f) { return ((const pytree_scan_of *)f->context)->f; }
static bool pytree__tf_scan_says(const pytree_fn *f) { return pytree__fn_says(pytree__tf_scan_inner(f)); }

/* Finds the number of steps. */
static pytree_status pytree__tf_scan_length(const struct pytree__fn_bound *b, size_t length, size_t *n)
{
    const pytree_def *xs = b->defs[1];
    const size_t first = b->in_first[1];
    pytree_status status = PYTREE_OK;
    size_t i;
    if (xs->n_leaves == 0 && length == 0) {
        return pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected xs with leaves or a length, got neither");
    }
    *n = length;
    for (i = 0; i < xs->n_leaves; i++) {
        const pytree_leaf *leaf = &b->in[first + i];
        const size_t node = pytree__fn_node_of(xs, i);
        char text[PYTREE__SIDE];
        pytree__leaf_text(text, sizeof text, leaf);
        if (leaf->ndim == 0) {
            status = pytree__fn_fail(b, PYTREE_SHAPE, xs, node, "xs: expected a first axis, got %s", text);
        } else if (i == 0 && length == 0) {
            *n = leaf->shape[0];
        } else if (leaf->shape[0] != *n) {
            status = pytree__fn_fail(b, PYTREE_SHAPE, xs, node, "xs: expected %s%zu along axis 0, got %zu (%s)",
                                     length != 0 ? "length " : "", *n, leaf->shape[0], text);
        }
    }
    return status;
}

/* Checks that a result is a pair. */
static pytree_status pytree__tf_pair(const struct pytree__fn_bound *b, const pytree_def *def, const pytree_leaf *leaves)
{
    char got[PYTREE__SIDE];
    if (pytree_def_kind(def) == PYTREE_KIND_TUPLE && pytree_def_num_children(def) == 2) { return PYTREE_OK; }
    pytree__fn_node_text(got, sizeof got, def, leaves, def->n_nodes - 1);
    return pytree__fn_fail(b, PYTREE_STRUCTURE, NULL, 0, "expected a result (carry, y), got %s", got);
}

/* Finds out the result from the body, or tells the body from the caller's tree. */
static pytree_status pytree__tf_scan_result(struct pytree__fn_bound *b, struct pytree__tf_scan *s)
{
    struct pytree__fn_bound *body = s->body;
    const bool says = pytree__fn_says(body->fn);
    const pytree_def *const *parts;
    const pytree_def *def;
    pytree_leaf *views;
    size_t i, n_carry, *first = NULL;
    pytree_status status = PYTREE_OK;
    if (says) {
        status = pytree__fn_bind(body);
        if (status != PYTREE_OK) { return status; }
    }
    def = says ? body->def : b->def;
    status = pytree__tf_pair(b, def, says ? body->out : b->out);
    if (status != PYTREE_OK) { return status; }
    parts = pytree__fn_split(b->plan, def, &first);
    views = (pytree_leaf *)pytree__fn_take(b->plan, def->n_leaves, sizeof *views);
    if (parts == NULL || views == NULL) { return PYTREE_NO_MEMORY; }
    n_carry = first[1];
    status = pytree__fn_compare(b, "carry", b->defs[0], b->in, parts[0], says ? body->out : b->out);
    for (i = 0; i < def->n_leaves && status == PYTREE_OK; i++) {
        pytree_leaf *view = &views[i];
        *view = says ? body->out[i] : b->out[i];
        if (i < n_carry) {
        } else if (says && view->ndim == PYTREE_MAX_DIMS) {
            status = pytree__fn_fail(b, PYTREE_SHAPE, parts[1], pytree__fn_node_of(parts[1], i - n_carry),
                                     "expected at most %d dimensions (PYTREE_MAX_DIMS), got %d", PYTREE_MAX_DIMS,
                                     PYTREE_MAX_DIMS + 1);
        } else if (says) {
            pytree__tf_add_axis(view, 0, s->n);
        } else if (view->ndim == 0 || view->shape[0] != s->n) {
            char text[PYTREE__SIDE];
            pytree__leaf_text(text, sizeof text, view);
            status = pytree__fn_fail(b, PYTREE_SHAPE, def, pytree__fn_node_of(def, i),
                                     "result: expected %zu along axis 0, got %s", s->n, text);
        } else {
            pytree__tf_drop_axis(view, 0);
        }
        if (!says) {
            body->out[i] = *view;
            body->out[i].data = NULL;
        }
    }
    if (status != PYTREE_OK) { return status; }
    return says ? pytree__fn_result(b, def, views) : pytree__fn_bind(body);
}

static pytree_status pytree__tf_scan_bind(struct pytree__fn_bound *b)
{
    const pytree_scan_of *of = (const pytree_scan_of *)b->fn->context;
    struct pytree__tf_scan *s = (struct pytree__tf_scan *)pytree__fn_take(b->plan, 1, sizeof *s);
    pytree_status status = pytree__tf_count_args(b, 2, "carry, xs");
    struct pytree__fn_bound *body;
    size_t i, n_carry;
    if (status == PYTREE_OK) { status = s == NULL ? PYTREE_NO_MEMORY : pytree__tf_scan_length(b, of->length, &s->n); }
    if (status == PYTREE_OK && !pytree__fn_says(of->f) && b->def == NULL) { status = pytree__tf_unknown(b, of->f); }
    if (status != PYTREE_OK) { return status; }
    b->state = s;
    s->reverse = of->reverse;
    n_carry = b->in_first[1];
    body = pytree__fn_child(b, of->f, 2, b->defs, pytree__fn_says(of->f) ? NULL : b->def);
    if (body == NULL) { return pytree__fn_trouble(b); }
    s->body = body;
    for (i = 0; i < b->n_in; i++) {
        body->in[i] = b->in[i];
        body->in[i].data = NULL;
        if (i >= n_carry) { pytree__tf_drop_axis(&body->in[i], 0); }
    }
    if (of->in_place) { status = pytree__tf_in_place(b, body, 0); }
    if (status == PYTREE_OK) { status = pytree__tf_scan_result(b, s); }
    if (status != PYTREE_OK) { return status; }
    s->carry.n = n_carry;
    s->carry.init = b->in;
    s->carry.result = b->out;
    s->carry.in = body->in;
    s->carry.out = body->out;
    s->carry.in_place = of->in_place;
    s->steps = (struct pytree__tf_step *)pytree__fn_take(b->plan, b->n_in + b->n_out, sizeof *s->steps);
    if (s->steps == NULL) { return PYTREE_NO_MEMORY; }
    for (i = n_carry; i < b->n_in; i++) {
        s->steps[s->n_steps].leaf = &body->in[i];
        s->steps[s->n_steps++].whole = &b->in[i];
    }
    for (i = n_carry; i < b->n_out; i++) {
        s->steps[s->n_steps].leaf = &body->out[i];
        s->steps[s->n_steps++].whole = &b->out[i];
    }
    for (i = 0; i < s->n_steps; i++) {
        const ptrdiff_t bytes = (ptrdiff_t)pytree_leaf_bytes(s->steps[i].leaf);
        s->steps[i].bytes = of->reverse ? -bytes : bytes;
    }
    return pytree__tf_carry_init(b->plan, &s->carry);
}

static pytree_status pytree__tf_scan_run(struct pytree__fn_bound *b)
{
    struct pytree__tf_scan *s = (struct pytree__tf_scan *)b->state;
    struct pytree__fn_bound *body = s->body;
    const struct pytree__tf_step *const end = s->steps + s->n_steps;
    struct pytree__tf_step *step;
    pytree_status status = PYTREE_OK;
    bool to_spare = s->n % 2 == 0;        /* so that the last one is written into the result */
    size_t i;
    if (s->n == 0) {
        pytree__tf_carry_copy(s->carry.n, s->carry.result, s->carry.init);
        return PYTREE_OK;
    }
    pytree__tf_carry_begin(&s->carry, to_spare);
    for (step = s->steps; step != end; step++) {
        step->leaf->data = (char *)step->whole->data + (s->reverse ? (ptrdiff_t)(s->n - 1) * -step->bytes : 0);
    }
    for (i = 0;;) {
        body->at.index = s->reverse ? s->n - 1 - i : i;
        status = pytree__fn_run(body);
        if (++i == s->n || PYTREE__UNLIKELY(status != PYTREE_OK)) { break; }
        pytree__tf_carry_turn(&s->carry, i == 1, !to_spare);
        for (step = s->steps; step != end; step++) { step->leaf->data = (char *)step->leaf->data + step->bytes; }
    }
    return status;
}

const pytree_fn_kind pytree_scan_kind = { "scan", pytree__tf_scan_inner, pytree__tf_scan_says, pytree__tf_scan_bind,
                                          pytree__tf_scan_run, NULL };

/* ---- while and fori ------------------------------------------------------------------------------------------------ */

struct pytree__tf_loop {
    struct pytree__fn_bound *cond, *body;
    struct pytree__tf_carry carry;
    bool on;                              /* what cond says */
    int64_t i;                            /* of fori */
};

static const pytree_fn *pytree__tf_while_inner(const pytree_fn *f) { return ((const pytree_while_of *)f->context)->body; }
static const pytree_fn *pytree__tf_fori_inner(const pytree_fn *f) { return ((const pytree_fori_of *)f->context)->body; }
static bool pytree__tf_loop_says(const pytree_fn *f) { (void)f; return true; }

/* Binds the body of a loop, whose argument `at` is the carry of the loop `b`, and checks that it gives the same again. */
static pytree_status pytree__tf_loop_body(struct pytree__fn_bound *b, struct pytree__tf_loop *s, const pytree_fn *f, size_t n,
                                          const pytree_def *const *defs, bool in_place)
{
    const bool says = pytree__fn_says(f);
    struct pytree__fn_bound *body = pytree__fn_child(b, f, n, defs, says ? NULL : b->defs[0]);
    const size_t first = body == NULL ? 0 : body->in_first[n - 1];
    pytree_status status = pytree__fn_result(b, b->defs[0], b->in);
    size_t i;
    if (body == NULL) { return pytree__fn_trouble(b); }
    s->body = body;
    for (i = 0; i < b->n_in; i++) {
        body->in[first + i] = b->in[i];
        body->in[first + i].data = NULL;
        if (!says) { body->out[i] = body->in[first + i]; }
    }
    if (n == 2) {
        body->in[0].type = &pytree_types[PYTREE__T_INT64];
        body->in[0].data = &s->i;
    }
    if (status == PYTREE_OK && in_place) { status = pytree__tf_in_place(b, body, n - 1); }
    if (status == PYTREE_OK) { status = pytree__fn_bind(body); }
    if (status == PYTREE_OK && says) {
        status = pytree__fn_compare(b, "carry", b->defs[0], b->in, body->def, body->out);
    }
    if (status != PYTREE_OK) { return status; }
    s->carry.n = b->n_in;
    s->carry.init = b->in;
    s->carry.result = b->out;
    s->carry.in = body->in + first;
    s->carry.out = body->out;
    s->carry.in_place = in_place;
    return pytree__tf_carry_init(b->plan, &s->carry);
}

/* Binds the condition of a loop: it gives one bool. */
static pytree_status pytree__tf_loop_cond(struct pytree__fn_bound *b, struct pytree__tf_loop *s, const pytree_fn *f)
{
    const bool says = pytree__fn_says(f);
    struct pytree__fn_bound *cond = pytree__fn_child(b, f, 1, b->defs, says ? NULL : &pytree_leaf_def);
    char got[PYTREE__SIDE];
    pytree_status status;
    size_t i;
    if (cond == NULL) { return pytree__fn_trouble(b); }
    s->cond = cond;
    for (i = 0; i < b->n_in; i++) {
        cond->in[i] = b->in[i];
        cond->in[i].data = NULL;
    }
    if (!says) { cond->out[0].type = &pytree_types[PYTREE__T_bool_]; }
    status = pytree__fn_bind(cond);
    if (status != PYTREE_OK) { return status; }
    if (cond->n_out == 1) { cond->out[0].data = &s->on; }
    if (pytree_def_is_leaf(cond->def) && cond->out[0].ndim == 0 && cond->out[0].type->dtype == PYTREE_BOOL8) {
        return PYTREE_OK;
    }
    pytree__fn_node_text(got, sizeof got, cond->def, cond->out, cond->def->n_nodes - 1);
    return pytree__fn_fail_at(b, !pytree_def_is_leaf(cond->def) ? PYTREE_STRUCTURE : cond->out[0].ndim != 0 ? PYTREE_SHAPE
                              : PYTREE_TYPE, NULL, "condition: expected one bool, got %s", got);
}

static pytree_status pytree__tf_while_bind(struct pytree__fn_bound *b)
{
    const pytree_while_of *of = (const pytree_while_of *)b->fn->context;
    struct pytree__tf_loop *s = (struct pytree__tf_loop *)pytree__fn_take(b->plan, 1, sizeof *s);
    pytree_status status;
    if (s == NULL) { return PYTREE_NO_MEMORY; }
    b->state = s;
    status = pytree__tf_count_args(b, 1, "carry");
    if (status == PYTREE_OK) { status = pytree__tf_loop_cond(b, s, of->cond); }
    return status != PYTREE_OK ? status : pytree__tf_loop_body(b, s, of->body, 1, b->defs, of->in_place);
}

static pytree_status pytree__tf_fori_bind(struct pytree__fn_bound *b)
{
    const pytree_fori_of *of = (const pytree_fori_of *)b->fn->context;
    struct pytree__tf_loop *s = (struct pytree__tf_loop *)pytree__fn_take(b->plan, 1, sizeof *s);
    const pytree_def **defs = (const pytree_def **)pytree__fn_take(b->plan, 2, sizeof *defs);
    pytree_status status = pytree__tf_count_args(b, 1, "carry");
    b->state = s;
    if (status != PYTREE_OK) { return status; }
    if (s == NULL || defs == NULL) { return PYTREE_NO_MEMORY; }
    defs[0] = &pytree_leaf_def;
    defs[1] = b->defs[0];
    return pytree__tf_loop_body(b, s, of->body, 2, defs, of->in_place);
}

/* Makes the carry that was written last the result. */
static void pytree__tf_carry_end(const struct pytree__tf_carry *c)
{
    if (!c->in_place) { pytree__tf_carry_copy(c->n, c->result, c->in); }
}

static pytree_status pytree__tf_while_run(struct pytree__fn_bound *b)
{
    struct pytree__tf_loop *s = (struct pytree__tf_loop *)b->state;
    const size_t most = ((const pytree_while_of *)b->fn->context)->max_iters;
    pytree_status status = PYTREE_OK;
    size_t i, k;
    pytree__tf_carry_begin(&s->carry, false);
    for (i = 0; status == PYTREE_OK && (most == 0 || i < most); i++) {
        for (k = 0; k < s->carry.n; k++) { s->cond->in[k].data = s->carry.in[k].data; }
        s->cond->at.index = s->body->at.index = i;
        status = pytree__fn_run(s->cond);
        if (status != PYTREE_OK || !s->on) { break; }
        status = pytree__fn_run(s->body);
        if (status == PYTREE_OK) { pytree__tf_carry_turn(&s->carry, i == 0, true); }
    }
    if (status == PYTREE_OK) { pytree__tf_carry_end(&s->carry); }
    return status;
}

static pytree_status pytree__tf_fori_run(struct pytree__fn_bound *b)
{
    struct pytree__tf_loop *s = (struct pytree__tf_loop *)b->state;
    const pytree_fori_of *of = (const pytree_fori_of *)b->fn->context;
    pytree_status status = PYTREE_OK;
    size_t n = 0;
    pytree__tf_carry_begin(&s->carry, false);
    s->body->in[0].data = &s->i;
    for (s->i = of->from; s->i < of->to && status == PYTREE_OK; s->i++, n++) {
        s->body->at.index = n;
        status = pytree__fn_run(s->body);
        if (status == PYTREE_OK) { pytree__tf_carry_turn(&s->carry, n == 0, true); }
    }
    if (status == PYTREE_OK) { pytree__tf_carry_end(&s->carry); }
    return status;
}

const pytree_fn_kind pytree_while_kind = { "while", pytree__tf_while_inner, pytree__tf_loop_says, pytree__tf_while_bind,
                                           pytree__tf_while_run, NULL };
const pytree_fn_kind pytree_fori_kind = { "fori", pytree__tf_fori_inner, pytree__tf_loop_says, pytree__tf_fori_bind,
                                          pytree__tf_fori_run, NULL };

#include "transform_branches.h"
#endif
