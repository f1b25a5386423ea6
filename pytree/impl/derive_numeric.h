/* pytree/impl/derive_numeric.h: derivatives by differences and by a complex step, as operations. */
#ifndef PYTREE_IMPL_DERIVE_NUMERIC_H
#define PYTREE_IMPL_DERIVE_NUMERIC_H

#include "derive_data.h"

/* A function, and what its derivatives are computed with: itself, or its twin over complex numbers. `call` comes first: the
 * function is called as a callback is. */
struct pytree__approx {
    struct pytree__callback call;
    const struct pytree__fn_bound *twin;  /* NULL: differences */
    double step;                          /* 0: the default */
    const bool *wanted;                   /* operands whose cotangents are computed */
};
struct pytree__approx_run {
    struct pytree__fn_bound *b;           /* what is called */
    pytree_leaf *in, *plus, *minus;       /* its operands, and results on both sides */
    double step;
};

static void pytree__ad_set(const pytree_leaf *v, size_t i, double x)
{
    if (v->type->dtype == PYTREE_F64) { ((double *)v->data)[i] = x; } else { ((float *)v->data)[i] = (float)x; }
}

static pytree_leaf *pytree__approx_copies(struct pytree__fn_plan *arena, const pytree_leaf *like, size_t n)
{
    pytree_leaf *v = (pytree_leaf *)pytree__fn_take(arena, n, sizeof *v);
    size_t k;
    for (k = 0; v != NULL && k < n; k++) {
        v[k] = like[k];
        v[k].data = pytree__pg_memory(arena, pytree_leaf_bytes(&like[k]));
        if (v[k].data == NULL) { return NULL; }
    }
    return v;
}
static pytree_status pytree__approx_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    const struct pytree__approx *p = (const struct pytree__approx *)c->params;
    const struct pytree__fn_bound *of = p->twin != NULL ? p->twin : p->call.bound;
    struct pytree__approx_run *run = (struct pytree__approx_run *)pytree__fn_take(arena, 1, sizeof *run);
    bool single = false;
    size_t k;
    if (run == NULL) { return PYTREE_NO_MEMORY; }
    c->memory = run;
    for (k = 0; k < of->n_in; k++) { single = single || of->in[k].type->dtype == PYTREE_F32; }
    run->step = p->step != 0 ? p->step : single ? 4.9215666e-3 : 6.055454452393343e-6;
    run->b = pytree__callback_bind(of, arena, NULL);
    run->in = pytree__approx_copies(arena, of->in, of->n_in);
    run->plus = pytree__approx_copies(arena, of->out, of->n_out);
    run->minus = pytree__approx_copies(arena, of->out, of->n_out);
    return arena->err.status;
}

/* Calls the function; the results go to `out`. */
static pytree_status pytree__approx_call(const struct pytree__approx_run *run, const pytree_leaf *out, pytree_error *err)
{
    size_t k;
    for (k = 0; k < run->b->n_in; k++) { run->b->in[k].data = run->in[k].data; }
    for (k = 0; k < run->b->n_out; k++) { run->b->out[k].data = out[k].data; }
    return pytree__callback_call(run->b, err);
}

/* Sets operand k to x + h t, or to the complex number x + i h t; `t` NULL: to x. */
static void pytree__approx_set(const struct pytree__approx_run *run, size_t k, const pytree_leaf *x, const pytree_leaf *t,
                               double h)
{
    const size_t n = pytree_leaf_count(x);
    size_t i;
    if (!pytree__is_float(x) || (t == NULL && run->in[k].type == x->type)) {
        memcpy(run->in[k].data, x->data, pytree_leaf_bytes(x));
        return;
    }
    for (i = 0; i < n; i++) {
        const double d = t == NULL ? 0 : h * pytree_leaf_get(t, i), at = pytree_leaf_get(x, i);
        if (run->in[k].type->dtype == PYTREE_C128) {
            ((double *)run->in[k].data)[2 * i] = at;
            ((double *)run->in[k].data)[2 * i + 1] = d;
        } else {
            pytree__ad_set(&run->in[k], i, at + d);
        }
    }
}

/* The derivative of element i of result k, after calls on both sides of width h, or of one call. */
static double pytree__approx_slope(const struct pytree__approx_run *run, size_t k, size_t i, double h)
{
    if (run->plus[k].type->dtype == PYTREE_C128) { return ((const double *)run->plus[k].data)[2 * i + 1] / h; }
    return (pytree_leaf_get(&run->plus[k], i) - pytree_leaf_get(&run->minus[k], i)) / (2 * h);
}

/* The width of a step: relative to the largest |x|, at least 1, along a direction whose largest number is 1. */
static double pytree__approx_width(const struct pytree__approx *p, const struct pytree__approx_run *run,
                                   const pytree_op_call *c)
{
    const struct pytree__fn_bound *b = p->call.bound;
    double x = 1, t = 0;
    size_t k, i, at = b->n_in;
    if (p->twin != NULL) { return 1e-100; }
    for (k = 0; k < b->n_in; k++) {
        if (!pytree__is_float(&b->in[k])) { continue; }
        for (i = 0; i < pytree_leaf_count(&b->in[k]); i++) {
            x = fmax(x, fabs(pytree_leaf_get(c->in[k], i)));
            t = fmax(t, fabs(pytree_leaf_get(c->in[at], i)));
        }
        at++;
    }
    return t > 0 ? run->step * x / t : run->step;
}

/* Operands: those of the function, then a tangent for each that is f32 or f64. Results: tangents of all results. */
static pytree_status pytree__tangent_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__approx *p = (const struct pytree__approx *)c->params;
    const struct pytree__approx_run *run = (const struct pytree__approx_run *)c->memory;
    const struct pytree__fn_bound *b = p->call.bound;
    const double h = pytree__approx_width(p, run, c);
    pytree_status status = PYTREE_OK;
    size_t k, i, at;
    int side;
    for (side = 0; side < (p->twin != NULL ? 1 : 2) && status == PYTREE_OK; side++) {
        for (k = 0, at = b->n_in; k < b->n_in; k++) {
            const pytree_leaf *t = pytree__is_float(&b->in[k]) ? c->in[at++] : NULL;
            pytree__approx_set(run, k, c->in[k], t, side == 0 ? h : -h);
        }
        status = pytree__approx_call(run, side == 0 ? run->plus : run->minus, err);
    }
    for (k = 0; k < c->n_out && status == PYTREE_OK; k++) {
        memset(c->out[k]->data, 0, pytree_leaf_bytes(c->out[k]));
        if (!pytree__is_float(c->out[k])) { continue; }
        for (i = 0; i < pytree_leaf_count(c->out[k]); i++) { pytree__ad_set(c->out[k], i, pytree__approx_slope(run, k, i, h)); }
    }
    return status;
}

/* The product of the cotangents with the derivatives by one number: element i of operand k. */
static pytree_status pytree__cotangent_one(const pytree_op_call *c, size_t k, size_t i, double *sum, pytree_error *err)
{
    const struct pytree__approx *p = (const struct pytree__approx *)c->params;
    const struct pytree__approx_run *run = (const struct pytree__approx_run *)c->memory;
    const struct pytree__fn_bound *b = p->call.bound;
    const double x = pytree_leaf_get(c->in[k], i);
    double h = p->twin != NULL ? 1e-100 : run->step * fmax(1, fabs(x));
    pytree_status status;
    size_t j, e, at = b->n_in;
    if (p->twin != NULL) {
        ((double *)run->in[k].data)[2 * i + 1] = h;
        status = pytree__approx_call(run, run->plus, err);
        ((double *)run->in[k].data)[2 * i + 1] = 0;
    } else {
        double high, low;
        pytree__ad_set(&run->in[k], i, x - h);
        low = pytree_leaf_get(&run->in[k], i);
        status = pytree__approx_call(run, run->minus, err);
        pytree__ad_set(&run->in[k], i, x + h);
        high = pytree_leaf_get(&run->in[k], i);
        if (status == PYTREE_OK) { status = pytree__approx_call(run, run->plus, err); }
        pytree__ad_set(&run->in[k], i, x);
        h = (high - low) / 2;             /* as it was rounded */
    }
    *sum = 0;
    for (j = 0; j < b->n_out && status == PYTREE_OK; j++) {
        if (!pytree__is_float(&b->out[j])) { continue; }
        for (e = 0; e < pytree_leaf_count(&b->out[j]); e++) {
            *sum += pytree_leaf_get(c->in[at], e) * pytree__approx_slope(run, j, e, h);
        }
        at++;
    }
    return status;
}
/* Operands: those of the function, then a cotangent for each result that is f32 or f64. Results: cotangents that are wanted. */
static pytree_status pytree__cotangent_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__approx *p = (const struct pytree__approx *)c->params;
    const struct pytree__approx_run *run = (const struct pytree__approx_run *)c->memory;
    const struct pytree__fn_bound *b = p->call.bound;
    pytree_status status = PYTREE_OK;
    size_t k, i, at = 0;
    for (k = 0; k < b->n_in; k++) { pytree__approx_set(run, k, c->in[k], NULL, 0); }
    for (k = 0; k < b->n_in; k++) {
        if (!p->wanted[k]) { continue; }
        for (i = 0; i < pytree_leaf_count(&b->in[k]) && status == PYTREE_OK; i++) {
            double sum;
            status = pytree__cotangent_one(c, k, i, &sum, err);
            if (status == PYTREE_OK) { pytree__ad_set(c->out[at], i, sum); }
        }
        at++;
    }
    return status;
}
static pytree_status pytree__cotangent_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__approx *p = (const struct pytree__approx *)c->params;
    size_t k, at = 0;
    (void)err;
    for (k = 0; k < p->call.bound->n_in; k++) {
        if (p->wanted[k]) { *c->out[at++] = p->call.bound->in[k]; }
    }
    return PYTREE_OK;
}

/* These have no derivatives themselves. */
static void pytree__approx_no_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    (void)t;
    (void)out;
    (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s: expected a first derivative of %s, got a second one",
                      tr->recorder->name,
                      pytree__fn_name(((const struct pytree__approx *)e->params)->call.bound->fn));
}
static const struct pytree__op_hooks pytree__approx_hooks = { pytree__approx_plan, NULL, NULL, NULL };
static const pytree_op pytree__op_tangent = { "differences", sizeof(struct pytree__approx), 1, pytree__callback_shape,
                                              pytree__tangent_run, pytree__approx_no_rule, pytree__approx_no_rule,
                                              &pytree__approx_hooks, false };
static const pytree_op pytree__op_cotangent = { "differences", sizeof(struct pytree__approx), 1, pytree__cotangent_shape,
                                                pytree__cotangent_run, pytree__approx_no_rule, pytree__approx_no_rule,
                                                &pytree__approx_hooks, false };

/* The operands of a derivative: the function's, and t[k] for each view that is f32 or f64, zeros where that is 0. */
static bool pytree__approx_operands(pytree_trace *tr, const pytree_eqn *e, size_t n, const pytree_leaf *views,
                                    const pytree_value *t,
                                    struct pytree__ad_list *in)
{
    size_t k;
    if (!pytree__ad_list_init(tr, in, e->n_in + n)) { return false; }
    for (k = 0; k < e->n_in; k++) { pytree__ad_add(in, e->in[k]); }
    for (k = 0; k < n; k++) {
        pytree_leaf zeros = views[k];
        zeros.data = NULL;
        if (pytree__is_float(&zeros)) { pytree__ad_add(in, t[k].id != 0 ? t[k] : pytree_op_constant(tr, &zeros)); }
    }
    return true;
}
static void pytree__approx_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t)
{
    const struct pytree__fn_bound *b = ((const struct pytree__approx *)e->params)->call.bound;
    struct pytree__ad_list in;
    size_t k;
    if (!pytree__approx_operands(tr, e, b->n_in, b->in, t, &in)) { return; }
    (void)pytree__pg_record(tr, &pytree__op_tangent, e->params, in.n, in.at, e->n_out, out_t);
    for (k = 0; k < b->n_out; k++) {
        if (!pytree__is_float(&b->out[k])) { out_t[k].id = 0; }
    }
}
static void pytree__approx_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    struct pytree__approx p = *(const struct pytree__approx *)e->params;
    const struct pytree__fn_bound *b = p.call.bound;
    pytree_value *out = (pytree_value *)pytree__ad_take(tr, e->n_in, sizeof *out);
    bool *wanted = (bool *)pytree__ad_take(tr, e->n_in, 1);
    struct pytree__ad_list in;
    size_t k, n = 0;
    if (out == NULL || wanted == NULL || !pytree__approx_operands(tr, e, b->n_out, b->out, ct, &in)) { return; }
    for (k = 0; k < e->n_in; k++) {
        wanted[k] = tr->recorder->wanted[k] && pytree__is_float(&b->in[k]);
        n += wanted[k];
    }
    p.wanted = wanted;
    if (!pytree__pg_record(tr, &pytree__op_cotangent, &p, in.n, in.at, n, out)) { return; }
    for (k = n = 0; k < e->n_in; k++) {
        if (wanted[k]) { in_ct[k] = out[n++]; }
    }
}
static const pytree_op pytree__op_approx = { "call", sizeof(struct pytree__approx), 1, pytree__callback_shape,
                                             pytree__callback_run, pytree__approx_jvp, pytree__approx_vjp,
                                             &pytree__callback_hooks, false };

/* ---- The functions ------------------------------------------------------------------------------------------------- */

/* Views with C128 for f64. NULL on failure. */
static pytree_leaf *pytree__approx_complex(const struct pytree__fn_bound *b, const pytree_leaf *views, size_t n)
{
    pytree_leaf *v = (pytree_leaf *)pytree__fn_take(b->plan, n, sizeof *v);
    size_t k;
    for (k = 0; v != NULL && k < n; k++) {
        v[k] = views[k];
        if (v[k].type->dtype == PYTREE_F64) { v[k].type = &pytree_types[PYTREE__T_cdouble]; }
        if (v[k].type->dtype == PYTREE_F32) {
            (void)pytree__fn_fail(b, PYTREE_TYPE, NULL, 0, "expected f64, got f32");
            return NULL;
        }
    }
    return v;
}

static pytree_status pytree__approx_bind(struct pytree__fn_bound *b)
{
    const bool complex_step = b->fn->kind == &pytree_complex_step_kind;
    struct pytree__fn_bound *c = pytree__ad_bind(b, pytree__ad_inner(b->fn), b->n_args, b->defs, b->in, b->def, b->out);
    const pytree_leaf **views;
    struct pytree__approx p;
    struct pytree__recorder r;
    pytree_trace tr;
    pytree_value *in, *out;
    size_t k;
    if (c == NULL) { return pytree__fn_trouble(b); }
    memset(&p, 0, sizeof p);
    p.call.bound = c;
    if (complex_step) {
        const pytree_fn *twin = ((const pytree_complex_step_of *)b->fn->context)->twin;
        pytree_leaf *args = pytree__approx_complex(b, c->in, c->n_in), *res = pytree__approx_complex(b, c->out, c->n_out);
        p.twin = args == NULL || res == NULL ? NULL : pytree__ad_bind(b, twin, b->n_args, b->defs, args, c->def, res);
        if (p.twin == NULL) { return pytree__fn_trouble(b); }
        if (pytree__fn_compare(b, "twin", c->def, res, p.twin->def, p.twin->out) != PYTREE_OK) { return b->err->status; }
    } else {
        p.step = ((const pytree_numeric_of *)b->fn->context)->step;
    }
    in = pytree__ad_begin(&tr, &r, b);
    out = (pytree_value *)pytree__fn_take(b->plan, c->n_out, sizeof *out);
    views = (const pytree_leaf **)pytree__fn_take(b->plan, c->n_out, sizeof *views);
    if (in == NULL || out == NULL || views == NULL) { return pytree__fn_trouble(b); }
    for (k = 0; k < c->n_out; k++) { views[k] = &c->out[k]; }
    if (!pytree__pg_record(&tr, &pytree__op_approx, &p, b->n_in, in, c->n_out, out)) { return pytree__fn_trouble(b); }
    return pytree__ad_finish(b, &tr, c->def, c->n_out, out, views);
}
const pytree_fn_kind pytree_numeric_kind = { "numeric", pytree__ad_inner, pytree__ad_says, pytree__approx_bind,
                                             pytree__pg_run, NULL };
const pytree_fn_kind pytree_complex_step_kind = { "complex_step", pytree__ad_inner, pytree__ad_says, pytree__approx_bind,
                                                  pytree__pg_run, NULL };

#include "derive_check.h"
#endif
