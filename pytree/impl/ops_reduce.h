/* pytree/impl/ops_reduce.h: sums and maxima over axes, and what is composed of operations: mean, softmax, cross entropy, … */
#ifndef PYTREE_IMPL_OPS_REDUCE_H
#define PYTREE_IMPL_OPS_REDUCE_H

#include "ops_elementwise.h"

/* The shape of x with extents of 1 along axes (n 0: all), and without them. */
static bool pytree__op_reduced(pytree_trace *tr, const char *op, pytree_value x, size_t n, const int *axes,
                               struct pytree__op_shape *ones, struct pytree__op_shape *without)
{
    const pytree_leaf *v = pytree__op_look(tr, x);
    bool reduced[PYTREE_MAX_DIMS] = { false };
    size_t k;
    int i;
    if (x.id == 0) { return false; }
    for (k = 0; k < n; k++) {
        if (!pytree__op_axis(tr, op, v, axes[k], &i)) { return false; }
        reduced[i] = true;
    }
    *ones = pytree__op_shape_of(v->ndim, v->shape);
    *without = pytree__op_shape_of(0, NULL);
    for (i = 0; i < v->ndim; i++) {
        if (n == 0 || reduced[i]) { ones->shape[i] = 1; } else { without->shape[without->ndim++] = v->shape[i]; }
    }
    return true;
}

pytree_value pytree_op_sum(pytree_trace *tr, pytree_value x, size_t n_axes, const int *axes)
{
    struct pytree__op_shape ones, without;
    pytree_value sum;
    if (!pytree__op_reduced(tr, "sum", x, n_axes, axes, &ones, &without)) { return pytree__value(0); }
    sum = pytree__op_to_shape(tr, &pytree__op_sum_to, x, (int)ones.ndim, ones.shape);
    return pytree__op_to_shape(tr, &pytree__op_reshape, sum, (int)without.ndim, without.shape);
}

/* ---- Maxima -------------------------------------------------------------------------------------------------------- */

#define PYTREE__MAX_ROW(T)                                                                                              \
    static void pytree__max_row_##T(void *const *at, size_t n, const size_t *step)                                      \
    {                                                                                                                   \
        T *to = (T *)at[0];                                                                                             \
        const T *from = (const T *)at[1];                                                                               \
        size_t i;                                                                                                       \
        for (i = 0; i < n; i++) {                                                                                       \
            const T x = from[i * step[1]];                                                                              \
            if (!(x <= to[i * step[0]])) { to[i * step[0]] = x; }                                                       \
        }                                                                                                               \
    }
PYTREE__MAX_ROW(float)
PYTREE__MAX_ROW(double)
static pytree_status pytree__op_max_of_shape(const pytree_op_call *c, pytree_error *err)
{
    pytree__op_take_extents(c);
    return pytree__op_floats(c, err);
}
static pytree_status pytree__op_max_of_run(const pytree_op_call *c, pytree_error *err)
{
    const bool wide = c->in[0]->type->dtype == PYTREE_F64;
    const size_t n = pytree_leaf_count(c->out[0]);
    size_t i;
    (void)err;
    for (i = 0; i < n; i++) {
        if (wide) { ((double *)c->out[0]->data)[i] = -HUGE_VAL; } else { ((float *)c->out[0]->data)[i] = -HUGE_VALF; }
    }
    pytree__walk_call(c, wide ? pytree__max_row_double : pytree__max_row_float);
    return PYTREE_OK;
}
/* 1 / n where one of n elements that are the maximum is, 0 elsewhere. */
static pytree_value pytree__op_max_shares(pytree_trace *tr, const pytree_eqn *e)
{
    const pytree_value x = e->in[0], y = e->out[0];
    const pytree_value less = pytree_op_convert(tr, pytree_op_greater(tr, y, x), pytree__op_look(tr, x)->type->dtype);
    const pytree_value is_max = pytree_op_shift(tr, pytree_op_neg(tr, less), 1);
    return pytree_op_div(tr, is_max, pytree__op_sum_like(tr, is_max, y));
}
static void pytree__op_max_of_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree__op_sum_like(tr, pytree_op_mul(tr, t[0], pytree__op_max_shares(tr, e)), e->out[0]);
}
static void pytree__op_max_of_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree_op_mul(tr, pytree__op_max_shares(tr, e), ct[0]);
}
static const pytree_op pytree__op_max_of = { "max_of", sizeof(struct pytree__op_shape), 1, pytree__op_max_of_shape,
                                             pytree__op_max_of_run, pytree__op_max_of_jvp, pytree__op_max_of_vjp,
                                             &pytree__walk_hooks, false };

/* The maxima with extents of 1 along the axes. */
static pytree_value pytree__op_maxima(pytree_trace *tr, pytree_value x, const struct pytree__op_shape *ones)
{
    return pytree_record(tr, &pytree__op_max_of, ones, 1, &x, NULL);
}
pytree_value pytree_op_max_of(pytree_trace *tr, pytree_value x, size_t n_axes, const int *axes)
{
    struct pytree__op_shape ones, without;
    if (!pytree__op_reduced(tr, "max_of", x, n_axes, axes, &ones, &without)) { return pytree__value(0); }
    return pytree__op_to_shape(tr, &pytree__op_reshape, pytree__op_maxima(tr, x, &ones), (int)without.ndim, without.shape);
}

/* ---- Composed ------------------------------------------------------------------------------------------------------ */

pytree_value pytree_op_square(pytree_trace *tr, pytree_value x) { return pytree_op_mul(tr, x, x); }

pytree_value pytree_op_mean(pytree_trace *tr, pytree_value x)
{
    const size_t n = x.id == 0 ? 1 : pytree_leaf_count(pytree__op_look(tr, x));
    return pytree_op_scale(tr, pytree_op_sum(tr, x, 0, NULL), 1 / (double)n);
}

/* 1 / (1 + exp(-x)) as (1 + tanh(x / 2)) / 2, which does not overflow. */
pytree_value pytree_op_sigmoid(pytree_trace *tr, pytree_value x)
{
    return pytree_op_shift(tr, pytree_op_scale(tr, pytree_op_tanh(tr, pytree_op_scale(tr, x, 0.5)), 0.5), 0.5);
}

pytree_value pytree_op_gelu(pytree_trace *tr, pytree_value x)
{
    const pytree_value cubic = pytree_op_add(tr, x, pytree_op_scale(tr, pytree_op_power(tr, x, 3), 0.044715));
    const pytree_value t = pytree_op_tanh(tr, pytree_op_scale(tr, cubic, 0.7978845608028654));
    return pytree_op_mul(tr, x, pytree_op_shift(tr, pytree_op_scale(tr, t, 0.5), 0.5));
}

/* x minus its maximum along the last axis, the exponentials of that, and their sums. */
static bool pytree__op_exponentials(pytree_trace *tr, pytree_value x, pytree_value *centred, pytree_value *powers,
                                    pytree_value *sums)
{
    static const int last[1] = { -1 };
    struct pytree__op_shape ones, without;
    if (!pytree__op_reduced(tr, "softmax", x, 1, last, &ones, &without)) { return false; }
    *centred = pytree_op_sub(tr, x, pytree_op_stop_gradient(tr, pytree__op_maxima(tr, x, &ones)));
    *powers = pytree_op_exp(tr, *centred);
    *sums = pytree__op_to_shape(tr, &pytree__op_sum_to, *powers, (int)ones.ndim, ones.shape);
    return true;
}
pytree_value pytree_op_softmax(pytree_trace *tr, pytree_value x)
{
    pytree_value centred, powers, sums;
    if (!pytree__op_exponentials(tr, x, &centred, &powers, &sums)) { return pytree__value(0); }
    return pytree_op_div(tr, powers, sums);
}
pytree_value pytree_op_log_softmax(pytree_trace *tr, pytree_value x)
{
    pytree_value centred, powers, sums;
    if (!pytree__op_exponentials(tr, x, &centred, &powers, &sums)) { return pytree__value(0); }
    return pytree_op_sub(tr, centred, pytree_op_log(tr, sums));
}

pytree_value pytree_op_cross_entropy(pytree_trace *tr, pytree_value scores, pytree_value labels)
{
    const pytree_leaf *v = pytree__op_look(tr, scores);
    const size_t count = scores.id == 0 ? 1 : pytree_leaf_count(v), width = v->ndim == 0 ? 1 : v->shape[v->ndim - 1];
    pytree_value terms;
    if (labels.id != 0 && pytree__is_whole(pytree__op_look(tr, labels))) {
        labels = pytree_op_one_hot(tr, labels, width, scores);
    }
    terms = pytree_op_mul(tr, labels, pytree_op_log_softmax(tr, scores));
    return pytree_op_scale(tr, pytree_op_sum(tr, terms, 0, NULL), -(double)width / (double)(count == 0 ? 1 : count));
}

pytree_value pytree_op_linear(pytree_trace *tr, pytree_value x, pytree_value w, pytree_value b)
{
    return pytree_op_add(tr, pytree_op_matmul(tr, x, w), b);
}

#include "ops_matmul.h"
#endif
