/* pytree/impl/derive_programs.h: the programs of functions: transforms and callbacks as one call. */
#ifndef PYTREE_IMPL_DERIVE_PROGRAMS_H
#define PYTREE_IMPL_DERIVE_PROGRAMS_H

#include "derive_while.h"

static const pytree_program *pytree__pg_of(struct pytree__fn_bound *b);

/* Binds a function to structures and shapes alone. `def` (may be NULL): what its result is. NULL on failure. */
static struct pytree__fn_bound *pytree__ad_bind(const struct pytree__fn_bound *above, const pytree_fn *f, size_t n,
                                                const pytree_def *const *defs, const pytree_leaf *in, const pytree_def *def,
                                                const pytree_leaf *out)
{
    struct pytree__fn_plan *plan = above->plan;
    const bool before = plan->shapes_only;
    struct pytree__fn_bound *b = pytree__fn_child(above, f, n, defs, f == NULL || pytree__fn_says(f) ? NULL : def);
    pytree_status status;
    size_t k;
    if (b == NULL) { return NULL; }
    for (k = 0; k < b->n_in; k++) {
        b->in[k] = in[k];
        b->in[k].data = NULL;
    }
    for (k = 0; b->def != NULL && k < b->n_out; k++) {
        b->out[k] = out[k];
        b->out[k].data = NULL;
    }
    plan->shapes_only = true;
    status = pytree__fn_bind(b);
    plan->shapes_only = before;
    return status == PYTREE_OK ? b : NULL;
}

/* Begins the program of a bound function: an input for each of its leaves. NULL on failure. */
static pytree_value *pytree__ad_begin(pytree_trace *tr, struct pytree__recorder *r, const struct pytree__fn_bound *b)
{
    pytree_value *in = (pytree_value *)pytree__fn_take(b->plan, b->n_in, sizeof *in);
    size_t k;
    pytree__pg_begin(tr, r, b->plan, pytree__fn_name(b->fn), NULL);
    for (k = 0; in != NULL && k < b->n_in; k++) { in[k] = pytree__pg_input(tr, &b->in[k]); }
    return in;
}

/* Ends it with b's results. */
static const pytree_program *pytree__ad_end(pytree_trace *tr, const struct pytree__fn_bound *b, const pytree_value *out)
{
    const pytree_leaf **views = (const pytree_leaf **)pytree__fn_take(b->plan, b->n_out, sizeof *views);
    pytree_program *p;
    size_t k;
    for (k = 0; views != NULL && k < b->n_out; k++) { views[k] = &b->out[k]; }
    p = views == NULL ? NULL : pytree__pg_end(tr, b->n_out, out, views);
    if (p == NULL || !pytree__pg_prune(p)) { return NULL; }
    p->out_def = b->def;
    return p;
}

/* ---- Callbacks ----------------------------------------------------------------------------------------------------- */

/* A call of a function that is no program: a callback, or one with rules of its own. */
struct pytree__callback {
    const struct pytree__fn_bound *bound; /* to shapes */
    const bool *wanted;                   /* of a vjp rule */
};
static pytree_status pytree__callback_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__callback *p = (const struct pytree__callback *)c->params;
    size_t k;
    (void)err;
    for (k = 0; k < c->n_out; k++) { *c->out[k] = p->bound->out[k]; }
    return PYTREE_OK;
}
/* A bound function as one of another plan, for what is bound below it: programs may have been made in a plan of their own. */
static struct pytree__fn_bound pytree__ad_in(const struct pytree__fn_bound *b, struct pytree__fn_plan *plan)
{
    struct pytree__fn_bound here = *b;
    here.plan = plan;
    here.err = &plan->err;
    return here;
}

/* Binds a function again, to be run: with an error of its own, for tasks of an executor may run it at the same time. NULL on
 * failure. */
static struct pytree__fn_bound *pytree__callback_bind(const struct pytree__fn_bound *shapes, struct pytree__fn_plan *arena,
                                                      const bool *wanted)
{
    struct pytree__fn_bound above = pytree__ad_in(shapes, arena), *b;
    pytree_error *own = (pytree_error *)pytree__fn_take(arena, 1, sizeof *own);
    size_t k;
    if (own == NULL) { return NULL; }
    above.err = own;
    b = pytree__fn_child(&above, shapes->fn, shapes->n_args, shapes->defs, shapes->def);
    if (b == NULL) { return NULL; }
    for (k = 0; k < b->n_in; k++) { b->in[k] = shapes->in[k]; }
    for (k = 0; k < b->n_out; k++) {
        b->out[k] = shapes->out[k];
        b->out[k].data = NULL;
    }
    b->at.wanted = wanted;
    if (pytree__fn_bind(b) == PYTREE_OK) { return b; }
    if (arena->err.status == PYTREE_OK) { arena->err = *own; }
    return NULL;
}
static pytree_status pytree__callback_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    const struct pytree__callback *p = (const struct pytree__callback *)c->params;
    c->memory = pytree__callback_bind(p->bound, arena, p->wanted);
    return c->memory != NULL ? PYTREE_OK : arena->err.status;
}
/* Runs a bound function, whose operands and results are set. */
static pytree_status pytree__callback_call(struct pytree__fn_bound *b, pytree_error *err)
{
    const pytree_status status = pytree__fn_run(b);
    if (status != PYTREE_OK) {
        *err = *b->err;
        memset(b->err, 0, sizeof *b->err);
    }
    return status;
}
static pytree_status pytree__callback_run(const pytree_op_call *c, pytree_error *err)
{
    struct pytree__fn_bound *b = (struct pytree__fn_bound *)c->memory;
    size_t k;
    for (k = 0; k < c->n_in; k++) { b->in[k].data = c->in[k]->data; }
    for (k = 0; k < c->n_out; k++) { b->out[k].data = c->out[k]->data; }
    return pytree__callback_call(b, err);
}

/* Records a rule, a function of (arguments …, result, more …). Returns its results; NULL on failure. `more`: values with the
 * structures of `more_defs`; 0 is zeros. */
static pytree_value *pytree__callback_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_fn *rule, const char *name,
                                           size_t n_more, const pytree_def *const *more_defs, const pytree_value *more,
                                           const pytree_leaf *more_views, const bool *wanted)
{
    const struct pytree__fn_bound *b = ((const struct pytree__callback *)e->params)->bound;
    const struct pytree__fn_bound above = pytree__ad_in(b, tr->recorder->arena);
    const size_t n_args = b->n_args + 1 + n_more, n_known = b->n_in + b->n_out;
    const pytree_def **defs = (const pytree_def **)pytree__ad_take(tr, n_args, sizeof *defs);
    pytree_leaf *in;
    pytree_value *ids;
    struct pytree__fn_bound *bound;
    const pytree_program *p;
    size_t k, n = n_known;
    if (rule == NULL) {
        (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s of %s: expected a rule (pytree_fn.%s) or PYTREE_NUMERIC, got "
                          "neither", name, pytree__fn_name(b->fn), name);
    }
    if (rule == NULL || defs == NULL) { return NULL; }
    for (k = 0; k < b->n_args; k++) { defs[k] = b->defs[k]; }
    defs[b->n_args] = b->def;
    for (k = 0; k < n_more; k++) {
        defs[b->n_args + 1 + k] = more_defs[k];
        n += more_defs[k]->n_leaves;
    }
    in = (pytree_leaf *)pytree__ad_take(tr, n, sizeof *in);
    ids = (pytree_value *)pytree__ad_take(tr, n, sizeof *ids);
    if (in == NULL || ids == NULL) { return NULL; }
    for (k = 0; k < n; k++) {
        in[k] = k < b->n_in ? b->in[k] : k < n_known ? b->out[k - b->n_in] : more_views[k - n_known];
        in[k].data = NULL;
        ids[k] = k < b->n_in ? e->in[k] : k < n_known ? e->out[k - b->n_in] : more[k - n_known];
        if (ids[k].id == 0) { ids[k] = pytree_op_constant(tr, &in[k]); }
    }
    bound = pytree__ad_bind(&above, rule, n_args, defs, in, NULL, NULL);
    if (bound == NULL) { return NULL; }
    bound->at.wanted = wanted;
    p = pytree__pg_of(bound);
    return p == NULL ? NULL : pytree__pg_inline(tr, p, ids);
}
static void pytree__callback_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t)
{
    const struct pytree__fn_bound *b = ((const struct pytree__callback *)e->params)->bound;
    const pytree_value *out = pytree__callback_rule(tr, e, b->fn->jvp, "jvp", b->n_args, b->defs, t, b->in, NULL);
    size_t k;
    for (k = 0; out != NULL && k < b->n_out; k++) {
        if (pytree__pg_smooth(&b->out[k])) { out_t[k] = out[k]; }
    }
}
static void pytree__callback_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const struct pytree__fn_bound *b = ((const struct pytree__callback *)e->params)->bound;
    const bool *wanted = tr->recorder->wanted;
    const pytree_value *out = pytree__callback_rule(tr, e, b->fn->vjp, "vjp", 1, &b->def, ct, b->out, wanted);
    size_t k;
    for (k = 0; out != NULL && k < b->n_in; k++) {
        if (wanted[k]) { in_ct[k] = out[k]; }
    }
}
static const struct pytree__op_hooks pytree__callback_hooks = { pytree__callback_plan, NULL, NULL, NULL };
static const pytree_op pytree__op_callback = { "call", sizeof(struct pytree__callback), 1, pytree__callback_shape,
                                               pytree__callback_run, pytree__callback_jvp, pytree__callback_vjp,
                                               &pytree__callback_hooks, false };

static const pytree_program *pytree__callback_program(struct pytree__fn_bound *b)
{
    struct pytree__callback p;
    struct pytree__recorder r;
    pytree_trace tr;
    pytree_value *in = pytree__ad_begin(&tr, &r, b);
    pytree_value *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out, sizeof *out);
    memset(&p, 0, sizeof p);
    p.bound = b;
    p.wanted = b->at.wanted;
    if (in == NULL || out == NULL || !pytree__pg_record(&tr, &pytree__op_callback, &p, b->n_in, in, b->n_out,
                                                        out)) { return NULL; }
    return pytree__ad_end(&tr, b, out);
}

/* ---- vmap ---------------------------------------------------------------------------------------------------------- */

/* Moves an axis of a value to the front, or back. */
static pytree_value pytree__ad_move_axis(pytree_trace *tr, pytree_value v, int from, int to)
{
    const int ndim = pytree__op_look(tr, v)->ndim;
    int axes[PYTREE_MAX_DIMS], i, at = 0;
    if (from == to || v.id == 0) { return v; }
    for (i = 0; i < ndim; i++) {
        if (at == from) { at++; }
        axes[i] = i == to ? from : at++;
    }
    return pytree_op_transpose(tr, v, axes);
}

static const pytree_program *pytree__vmap_program(struct pytree__fn_bound *b)
{
    struct pytree__tf_vmap *s = (struct pytree__tf_vmap *)b->state;
    struct pytree__fn_bound *child = s->tasks[0].child;
    bool *mapped = (bool *)pytree__fn_take(b->plan, b->n_in, 1), *summed = (bool *)pytree__fn_take(b->plan, b->n_out, 1);
    pytree_value *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out, sizeof *out), *in;
    const pytree_program *body;
    struct pytree__ad_list list;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k;
    if (s->batch) {                       /* derivatives are those of the function itself */
        const bool before = b->plan->shapes_only;
        child = pytree__tf_vmap_child(b, s, false, NULL);
        b->plan->shapes_only = true;
        if (child != NULL && pytree__fn_bind(child) != PYTREE_OK) { child = NULL; }
        b->plan->shapes_only = before;
    }
    body = child == NULL ? NULL : pytree__pg_of(child);
    in = pytree__ad_begin(&tr, &r, b);
    if (body == NULL || in == NULL || mapped == NULL || summed == NULL || out == NULL) { return NULL; }
    r.plus = body->plus;
    for (k = 0; k < b->n_in; k++) {
        mapped[k] = s->in_axes[k] != PYTREE__TF_NOT_MAPPED;
        if (mapped[k]) { in[k] = pytree__ad_move_axis(&tr, in[k], s->in_axes[k], 0); }
    }
    list.at = in;
    list.n = b->n_in;
    if (!pytree__map_record(&tr, body, s->n, mapped, summed, &list, out)) { return NULL; }
    for (k = 0; k < b->n_out; k++) {
        if (s->out_axes[k] != PYTREE__TF_NOT_MAPPED) {
            out[k] = pytree__ad_move_axis(&tr, out[k], 0, s->out_axes[k]);
        } else {                          /* one for all: the first */
            out[k] = pytree__op_to_shape(&tr, &pytree__op_reshape, pytree_op_slice(&tr, out[k], 0, 0, 1), b->out[k].ndim,
                                         b->out[k].shape);
        }
    }
    return pytree__ad_end(&tr, b, out);
}

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

/* The program of a scan with carries that no step changes as constants. place[k]: where operand k of the loop goes; the results
 * that are constants are not recorded. */
static bool pytree__ad_constants(const pytree_program *body, size_t n_carry, size_t *place, size_t *out_place, size_t *n_const)
{
    size_t k, n = 0, at = 0;
    for (k = 0; k < n_carry; k++) {
        if (body->out[k].id == k + 1) { place[n++] = k; }
    }
    *n_const = n;
    for (k = 0; k < body->n_in; k++) {
        if (k >= n_carry || body->out[k].id != k + 1) { place[n++] = k; }
    }
    for (k = 0; k < body->n_out; k++) {
        if (k >= n_carry || body->out[k].id != k + 1) { out_place[at++] = k; }
    }
    return *n_const != 0;
}

/* Records a scan of a program (carry, x) -> (carry, y); `out` gets all results. */
static bool pytree__ad_scan(pytree_trace *tr, const pytree_program *body, size_t n, size_t n_carry, bool reverse,
                            const pytree_value *in, pytree_value *out)
{
    size_t *place = (size_t *)pytree__ad_take(tr, body->n_in, sizeof *place);
    size_t *out_place = (size_t *)pytree__ad_take(tr, body->n_out, sizeof *out_place);
    pytree_value *some = (pytree_value *)pytree__ad_take(tr, body->n_out, sizeof *some);
    struct pytree__ad_list list;
    struct pytree__scan like;
    const pytree_program *q;
    size_t k, n_const;
    if (place == NULL || out_place == NULL || some == NULL || !pytree__ad_list_init(tr, &list, body->n_in)) { return false; }
    memset(&like, 0, sizeof like);
    like.n = n;
    (void)pytree__ad_constants(body, n_carry, place, out_place, &n_const);
    q = pytree__pg_reorder(tr->recorder->arena, body, body->n_in, place, body->n_out - n_const, out_place, false);
    for (k = 0; k < body->n_in; k++) { pytree__ad_add(&list, in[place[k]]); }
    if (!pytree__scan_record(tr, &like, q, n_const, n_carry - n_const, reverse, &list, some)) { return false; }
    for (k = 0; k < n_carry; k++) { out[k] = in[k]; }
    for (k = 0; k < body->n_out - n_const; k++) { out[out_place[k]] = some[k]; }
    return true;
}

static const pytree_program *pytree__scan_program(struct pytree__fn_bound *b)
{
    const struct pytree__tf_scan *s = (const struct pytree__tf_scan *)b->state;
    const pytree_program *body = pytree__pg_of(s->body);
    struct pytree__recorder r;
    pytree_trace tr;
    pytree_value *in = pytree__ad_begin(&tr, &r, b), *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out, sizeof *out);
    if (body == NULL || in == NULL || out == NULL) { return NULL; }
    r.plus = body->plus;
    if (!pytree__ad_scan(&tr, body, s->n, b->in_first[1], s->reverse, in, out)) { return NULL; }
    return pytree__ad_end(&tr, b, out);
}

/* fori: a scan over the numbers, which are a constant. */
static const pytree_program *pytree__fori_program(struct pytree__fn_bound *b)
{
    const pytree_fori_of *of = (const pytree_fori_of *)b->fn->context;
    const struct pytree__tf_loop *s = (const struct pytree__tf_loop *)b->state;
    const size_t n = of->to > of->from ? (size_t)((uint64_t)of->to - (uint64_t)of->from) : 0;
    const pytree_program *body = pytree__pg_of(s->body);
    size_t *place = (size_t *)pytree__fn_take(b->plan, b->n_in + 1, 2 * sizeof *place), k;
    pytree_leaf numbers;
    struct pytree__recorder r;
    pytree_trace tr;
    pytree_value *in = pytree__ad_begin(&tr, &r, b), *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out + 1, sizeof *out);
    pytree_value *all = (pytree_value *)pytree__fn_take(b->plan, b->n_in + 1, sizeof *all), at;
    if (body == NULL || in == NULL || out == NULL || place == NULL || all == NULL) { return NULL; }
    r.plus = body->plus;
    memset(&numbers, 0, sizeof numbers);
    numbers.type = &pytree_types[PYTREE__T_INT64];
    numbers.ndim = 1;
    numbers.shape[0] = n;
    at = pytree_op_constant(&tr, &numbers);
    if (at.id == 0) { return NULL; }
    for (k = 0; k < n; k++) { ((int64_t *)r.values[at.id]->data)[k] = of->from + (int64_t)k; }
    for (k = 0; k < b->n_in; k++) {       /* (i, carry) -> carry becomes (carry, i) -> carry */
        place[k] = k + 1;
        place[b->n_in + 1 + k] = k;
        all[k] = in[k];
    }
    place[b->n_in] = 0;
    all[b->n_in] = at;
    body = pytree__pg_reorder(b->plan, body, b->n_in + 1, place, b->n_in, place + b->n_in + 1, false);
    if (body == NULL || !pytree__ad_scan(&tr, body, n, b->n_in, false, all, out)) { return NULL; }
    return pytree__ad_end(&tr, b, out);
}

static const pytree_program *pytree__while_program(struct pytree__fn_bound *b)
{
    const struct pytree__tf_loop *s = (const struct pytree__tf_loop *)b->state;
    const pytree_program *cond = pytree__pg_of(s->cond), *body = cond == NULL ? NULL : pytree__pg_of(s->body);
    struct pytree__ad_list list;
    struct pytree__recorder r;
    pytree_trace tr;
    pytree_value *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out, sizeof *out);
    list.at = pytree__ad_begin(&tr, &r, b);
    list.n = b->n_in;
    if (body == NULL || list.at == NULL || out == NULL) { return NULL; }
    r.plus = body->plus;
    if (!pytree__while_record(&tr, cond, body, ((const pytree_while_of *)b->fn->context)->max_iters, false, &list, out)) {
        return NULL;
    }
    return pytree__ad_end(&tr, b, out);
}

/* ---- Branches ------------------------------------------------------------------------------------------------------ */

/* The number of the branch of a SELECT that has a name. */
struct pytree__named {
    const pytree_switch_of *of;
};
static pytree_status pytree__named_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    c->out[0]->type = &pytree_types[PYTREE__T_INT64];
    return PYTREE_OK;
}
static pytree_status pytree__named_run(const pytree_op_call *c, pytree_error *err)
{
    const pytree_switch_of *of = ((const struct pytree__named *)c->params)->of;
    char names[PYTREE__SIDE];
    const char *name;
    size_t which;
    memcpy(&name, c->in[0]->data, sizeof name);
    which = pytree__tf_named(of, name);
    *(int64_t *)c->out[0]->data = (int64_t)which;
    if (which < of->n) { return PYTREE_OK; }
    pytree__tf_names(of, names, sizeof names);
    return pytree_fail(err, PYTREE_NOT_FOUND, "[0]", "expected %s, got '%s'", names, name == NULL ? "" : name);
}
static const pytree_op pytree__op_named = { "select", sizeof(struct pytree__named), 1, pytree__named_shape, pytree__named_run,
                                            NULL, NULL, NULL, false };

/* The operand that says which branch, as a number. */
static pytree_value pytree__ad_which(pytree_trace *tr, const struct pytree__fn_bound *b, pytree_value which)
{
    struct pytree__named named;
    if (b->fn->kind == &pytree_cond_kind) { return pytree_op_convert(tr, which, PYTREE_BOOL8); }
    if (b->fn->kind != &pytree_select_kind) { return which; }
    named.of = (const pytree_switch_of *)b->fn->context;
    return pytree_record(tr, &pytree__op_named, &named, 1, &which, NULL);
}

static const pytree_program *pytree__switch_program(struct pytree__fn_bound *b)
{
    const struct pytree__tf_switch *s = (const struct pytree__tf_switch *)b->state;
    const pytree_program **bodies = (const pytree_program **)pytree__fn_take(b->plan, s->n, sizeof *bodies);
    pytree_value *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out, sizeof *out);
    struct pytree__ad_list list;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t k;
    for (k = 0; bodies != NULL && k < s->n; k++) {
        bodies[k] = pytree__pg_of(s->branches[k]);
        if (bodies[k] == NULL) { return NULL; }
    }
    list.at = pytree__ad_begin(&tr, &r, b);
    list.n = b->n_in;
    if (list.at == NULL || bodies == NULL || out == NULL) { return NULL; }
    r.plus = bodies[0]->plus;
    list.at[0] = pytree__ad_which(&tr, b, list.at[0]);
    if (!pytree__branches_record(&tr, bodies, s->n, &list, b->n_out, out)) { return NULL; }
    return pytree__ad_end(&tr, b, out);
}

/* ---- Batches ------------------------------------------------------------------------------------------------------- */

/* The calls for all elements, one after the other. */
static const pytree_program *pytree__batch_program(struct pytree__fn_bound *b)
{
    const struct pytree__tf_batch *s = (const struct pytree__tf_batch *)b->state;
    struct pytree__fn_bound *child = s->child;
    const pytree_program *body = pytree__pg_of(child);
    pytree_value *out = (pytree_value *)pytree__fn_take(b->plan, b->n_out, sizeof *out);
    pytree_value *element = (pytree_value *)pytree__fn_take(b->plan, child->n_in, sizeof *element), *in, *results;
    struct pytree__recorder r;
    pytree_trace tr;
    size_t i, j;
    if (body == NULL || out == NULL || element == NULL) { return NULL; }
    in = pytree__ad_begin(&tr, &r, b);
    r.plus = body->plus;
    for (i = 0; in != NULL && i < s->n; i++) {
        for (j = 0; j < child->n_in; j++) { element[j] = in[s->from[j] + i * s->step[j]]; }
        results = pytree__pg_inline(&tr, body, element);
        if (results == NULL) { return NULL; }
        for (j = 0; j < child->n_out; j++) { out[pytree__tf_batch_place(s, j, i)] = results[j]; }
    }
    return in == NULL ? NULL : pytree__ad_end(&tr, b, out);
}

/* ---- Any function -------------------------------------------------------------------------------------------------- */

static bool pytree__ad_is_program(const struct pytree__fn_kind *kind);     /* is its state a program? */

/* Is the function a program, without rules of its own? */
static bool pytree__ad_recorded(const pytree_fn *f)
{
    return f->kind != NULL && f->jvp == NULL && f->vjp == NULL && pytree__ad_is_program(f->kind);
}

/* The program of a function that is bound to shapes, without calls that no result needs. NULL on failure. */
static const pytree_program *pytree__pg_of(struct pytree__fn_bound *b)
{
    const struct pytree__fn_kind *kind = b->fn->kind;
    if (pytree__ad_recorded(b->fn)) { return ((const struct pytree__pg_bound *)b->state)->program; }
    if (kind == NULL || b->fn->jvp != NULL || b->fn->vjp != NULL) { return pytree__callback_program(b); }
    if (kind == &pytree_vmap_kind) { return pytree__vmap_program(b); }
    if (kind == &pytree_scan_kind) { return pytree__scan_program(b); }
    if (kind == &pytree_fori_kind) { return pytree__fori_program(b); }
    if (kind == &pytree_while_kind) { return pytree__while_program(b); }
    if (kind == &pytree_batch_kind) { return pytree__batch_program(b); }
    return pytree__switch_program(b);     /* of cond, switch or select: all others are recorded */
}

/* The same with all calls that a body recorded. */
static const pytree_program *pytree__pg_recorded(struct pytree__fn_bound *b)
{
    return pytree__ad_recorded(b->fn) ? ((const struct pytree__pg_bound *)b->state)->recorded : pytree__pg_of(b);
}

#include "derive_functions.h"
#endif
