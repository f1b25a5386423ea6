/* pytree/impl/derive_check.h: pytree_check_grads: derivatives by rules against differences. */
#ifndef PYTREE_IMPL_DERIVE_CHECK_H
#define PYTREE_IMPL_DERIVE_CHECK_H

#include "derive_numeric.h"

/* Programs over the leaves of the arguments: what the rules say, and what differences say. */
struct pytree__check {
    const struct pytree__fn_bound *b;
    struct pytree__fn_plan *plan;
    const pytree_check_grads_options *opt;
    struct pytree__plan *forward, *slopes, *reverse, *gradient;
    pytree_leaf *t, *ct, *by_rule, *by_slope, *in_ct, *in_slope;   /* tangents, cotangents, and what comes out */
    pytree_leaf *primal;
    uint64_t random;
};

/* A number from -1 to 1. splitmix64. */
static double pytree__check_random(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) / 4503599627370496.0 - 1;
}
static void pytree__check_fill(struct pytree__check *c, const pytree_leaf *v, size_t n)
{
    size_t k, i;
    for (k = 0; k < n; k++) {
        for (i = 0; pytree__is_float(&v[k]) && i < pytree_leaf_count(&v[k]); i++) {
            pytree__ad_set(&v[k], i, pytree__check_random(&c->random));
        }
    }
}

static bool pytree__check_near(const struct pytree__check *c, const pytree_leaf *v, double got, double expected)
{
    pytree_tolerance own = c->opt->tolerance;
    if (own.relative <= 0 && own.absolute <= 0) {
        own.relative = own.absolute = v->type->dtype == PYTREE_F64 ? 1e-5 : 1e-2;
    }
    return fabs(got - expected) <= own.absolute + own.relative * fabs(expected) || got == expected;
}

/* Compares leaves; fails at the worst element of the first leaf that differs. `arguments`: the path begins with the argument.
 * */
static pytree_status pytree__check_leaves(const struct pytree__check *c, const char *what, const pytree_leaf *rule,
                                          const pytree_leaf *slope, size_t n, bool arguments)
{
    const struct pytree__fn_bound *b = c->b;
    size_t k, i;
    for (k = 0; k < n; k++) {
        size_t worst = SIZE_MAX;
        double most = -1;
        for (i = 0; pytree__is_float(&rule[k]) && i < pytree_leaf_count(&rule[k]); i++) {
            const double x = pytree_leaf_get(&rule[k], i), y = pytree_leaf_get(&slope[k], i), apart = fabs(x - y);
            if (!pytree__check_near(c, &rule[k], x, y) && !(apart <= most)) {
                worst = i;
                most = apart;
            }
        }
        if (worst != SIZE_MAX) {
            char path[PYTREE__PATH];
            size_t arg = 0, at = 0;
            path[0] = '\0';
            while (arguments && b->in_first[arg + 1] <= k) { arg++; }
            if (arguments) { at = (size_t)snprintf(path, sizeof path, "[%zu]", arg); }
            pytree__node_path(arguments ? b->defs[arg] : b->def,
                              arguments ? pytree__fn_node_of(b->defs[arg], k - b->in_first[arg]) : pytree__fn_node_of(b->def,
                                      k),
                              path + at, sizeof path - at);
            return pytree_fail(&c->plan->err, PYTREE_VALUE, path, "%s: expected %.7g (differences), got %.7g at element %zu",
                               what,
                               pytree_leaf_get(&slope[k], worst), pytree_leaf_get(&rule[k], worst), worst);
        }
    }
    return PYTREE_OK;
}

static double pytree__check_dot(const pytree_leaf *x, const pytree_leaf *y, size_t n)
{
    double sum = 0;
    size_t k, i;
    for (k = 0; k < n; k++) {
        for (i = 0; pytree__is_float(&x[k]) && i < pytree_leaf_count(&x[k]); i++) {
            sum += pytree_leaf_get(&x[k], i) * pytree_leaf_get(&y[k], i);
        }
    }
    return sum;
}

/* Runs a program of (arguments, more) -> (results, derivatives). `b_more`: views of the second half, those of floats. */
static pytree_status pytree__check_run(const struct pytree__check *c, struct pytree__plan *plan, const pytree_leaf *more,
                                       size_t n_more,
                                       const pytree_leaf *derivatives, size_t n)
{
    size_t k, at = c->b->n_in;
    for (k = 0; k < c->b->n_in; k++) { plan->values[k + 1].data = c->b->in[k].data; }
    for (k = 0; k < n_more; k++) {
        if (pytree__is_float(&more[k])) { plan->values[++at].data = more[k].data; }
    }
    for (k = 0; k < c->b->n_out; k++) { plan->out[k] = c->primal[k].data; }
    for (k = 0, at = c->b->n_out; k < n; k++) {
        if (pytree__is_float(&derivatives[k])) { plan->out[at++] = derivatives[k].data; }
    }
    return pytree__plan_run(plan, &c->plan->err);
}

/* A program with memory for both derivatives of p. */
static bool pytree__check_plans(struct pytree__check *c, const pytree_program *p, struct pytree__plan **forward,
                                struct pytree__plan **reverse)
{
    bool *in = (bool *)pytree__fn_take(c->plan, p->n_in, 1), *out = (bool *)pytree__fn_take(c->plan, p->n_out, 1);
    const pytree_program *q;
    size_t k;
    if (in == NULL || out == NULL) { return false; }
    for (k = 0; k < p->n_in; k++) { in[k] = pytree__is_float(p->values[k + 1]); }
    for (k = 0; k < p->n_out; k++) { out[k] = pytree__is_float(p->out_views[k]); }
    if (forward != NULL) {
        q = pytree__pg_pushforward(c->plan, p, in, out, true);
        *forward = q == NULL ? NULL : pytree__plan_new(q, c->plan);
        if (*forward == NULL) { return false; }
    }
    if (reverse != NULL) {
        q = pytree__pg_pullback(c->plan, p, out, in, NULL, true);
        *reverse = q == NULL ? NULL : pytree__plan_new(q, c->plan);
        if (*reverse == NULL) { return false; }
    }
    return true;
}

/* Prepares all programs: of f, and of f by differences. */
static bool pytree__check_prepare(struct pytree__check *c, struct pytree__fn_bound *f, struct pytree__fn_bound *numeric,
                                  unsigned modes)
{
    const pytree_program *p = pytree__pg_of(f), *q = p == NULL ? NULL : pytree__pg_of(numeric);
    if (q == NULL) { return false; }
    c->t = pytree__approx_copies(c->plan, f->in, f->n_in);
    c->in_ct = pytree__approx_copies(c->plan, f->in, f->n_in);
    c->in_slope = pytree__approx_copies(c->plan, f->in, f->n_in);
    c->ct = pytree__approx_copies(c->plan, f->out, f->n_out);
    c->by_rule = pytree__approx_copies(c->plan, f->out, f->n_out);
    c->by_slope = pytree__approx_copies(c->plan, f->out, f->n_out);
    c->primal = pytree__approx_copies(c->plan, f->out, f->n_out);
    return c->plan->err.status == PYTREE_OK
        && pytree__check_plans(c, p, (modes & PYTREE_FORWARD) != 0 ? &c->forward : NULL,
                               (modes & PYTREE_REVERSE) != 0 ? &c->reverse : NULL)
        && pytree__check_plans(c, q, &c->slopes, (modes & PYTREE_REVERSE) != 0 ? &c->gradient : NULL);
}

/* One direction. */
static pytree_status pytree__check_direction(struct pytree__check *c)
{
    const size_t n_in = c->b->n_in, n_out = c->b->n_out;
    double expected, got;
    pytree_status status;
    pytree_leaf number = { NULL, &pytree_types[PYTREE__T_double_], 0, 0, { 0 } };
    size_t k;
    pytree__check_fill(c, c->t, n_in);
    pytree__check_fill(c, c->ct, n_out);
    status = pytree__check_run(c, c->slopes, c->t, n_in, c->by_slope, n_out);
    if (status == PYTREE_OK && c->forward != NULL) {
        status = pytree__check_run(c, c->forward, c->t, n_in, c->by_rule, n_out);
        if (status == PYTREE_OK) { status = pytree__check_leaves(c, "jvp", c->by_rule, c->by_slope, n_out, false); }
    }
    if (status != PYTREE_OK || c->reverse == NULL) { return status; }
    status = pytree__check_run(c, c->reverse, c->ct, n_out, c->in_ct, n_in);
    if (status != PYTREE_OK) { return status; }
    expected = pytree__check_dot(c->ct, c->by_slope, n_out);
    got = pytree__check_dot(c->in_ct, c->t, n_in);
    for (k = 0; k < n_in; k++) {
        if (c->b->in[k].type->dtype == PYTREE_F32) { number.type = &pytree_types[PYTREE__T_float_]; }
    }
    if (pytree__check_near(c, &number, got, expected)) { return PYTREE_OK; }
    status = pytree__check_run(c, c->gradient, c->ct, n_out, c->in_slope, n_in);
    if (status == PYTREE_OK) { status = pytree__check_leaves(c, "vjp", c->in_ct, c->in_slope, n_in, true); }
    if (status != PYTREE_OK) { return status; }
    return pytree_fail(&c->plan->err, PYTREE_VALUE, NULL, "vjp: expected %.7g (differences) along a direction, got %.7g",
                       expected,
                       got);
}

pytree_status pytree_check_grads(const pytree_fn *f, size_t n, const pytree *args, const pytree_check_grads_options *opt,
                                 pytree_error *err)
{
    static const pytree_check_grads_options defaults = {
        { { false, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL }, NULL, NULL, NULL }, { 0, 0, false }, 0, 0, 0
    };
    const pytree_check_grads_options *o = opt == NULL ? &defaults : opt;
    const size_t n_directions = o->n_directions == 0 ? 2 : o->n_directions;
    const pytree_numeric_of numeric_of = { f, o->step };
    pytree_fn numeric;
    struct pytree__fn_plan plan;
    struct pytree__fn_frame frame;
    struct pytree__check c;
    pytree_status status;
    size_t k;
    memset(&numeric, 0, sizeof numeric);
    memset(&c, 0, sizeof c);
    numeric.kind = &pytree_numeric_kind;
    numeric.context = (void *)(uintptr_t)&numeric_of;
    pytree__fn_plan_begin(&plan, NULL, &o->fn);
    c.plan = &plan;
    c.opt = o;
    plan.shapes_only = true;
    status = pytree__fn_begin(&plan, &frame, f, n, args, NULL);
    plan.shapes_only = false;
    for (k = 0; status == PYTREE_OK && k < frame.top->n_in; k++) {
        if (frame.top->in[k].data == NULL && pytree_leaf_bytes(&frame.top->in[k]) != 0) {
            status = pytree_fail(&plan.err, PYTREE_NULL_POINTER, NULL, "check_grads: expected data, got a shape");
        }
    }
    if (status == PYTREE_OK) {
        struct pytree__fn_bound *by = pytree__ad_bind(frame.top, &numeric, n, frame.top->defs, frame.top->in, NULL, NULL);
        c.b = frame.top;
        if (by != NULL) { (void)pytree__check_prepare(&c, frame.top, by, o->modes == 0 ? 3 : o->modes); }
        status = plan.err.status;
    }
    for (k = 0; k < n_directions && status == PYTREE_OK; k++) { status = pytree__check_direction(&c); }
    (void)pytree__fn_verdict(&plan, err);
    pytree__fn_plan_end(&plan);
    return status;
}
#endif
