/* pytree/impl/ops_elementwise.h: operations on one element, and on two that broadcast; comparison, choice, conversion. */
#ifndef PYTREE_IMPL_OPS_ELEMENTWISE_H
#define PYTREE_IMPL_OPS_ELEMENTWISE_H

#include "ops_index.h"

static pytree_value pytree__op_1(pytree_trace *tr, const pytree_op *op, pytree_value x)
{
    return pytree_record(tr, op, NULL, 1, &x, NULL);
}
static bool pytree__op_alike(const pytree_trace *tr, pytree_value a, pytree_value b)
{
    const pytree_leaf *x = pytree__op_look(tr, a), *y = pytree__op_look(tr, b);
    return x->ndim == y->ndim && pytree__other_extents(x, y) == 0;
}
/* In a rule: the operand of a broadcast in its place, where the other operand has the extents that it repeats. */
static pytree_value pytree__op_narrow(const pytree_trace *tr, pytree_value a, pytree_value other)
{
    const pytree_eqn *e = pytree__pg_maker(tr->recorder, &pytree__op_broadcast, a);
    const pytree_leaf *wide = pytree__op_look(tr, a), *by = pytree__op_look(tr, other), *narrow;
    int i;
    if (e == NULL) { return a; }
    narrow = pytree__op_look(tr, e->in[0]);
    for (i = 1; i <= wide->ndim; i++) {
        const bool repeats = i > narrow->ndim || narrow->shape[narrow->ndim - i] != wide->shape[wide->ndim - i];
        if (repeats && (i > by->ndim || by->shape[by->ndim - i] != wide->shape[wide->ndim - i])) { return a; }
    }
    return e->in[0];
}
static pytree_value pytree__op_2(pytree_trace *tr, const pytree_op *op, pytree_value a, pytree_value b)
{
    pytree_value in[2];
    in[0] = pytree__op_narrow(tr, a, b);
    in[1] = pytree__op_narrow(tr, b, in[0]);
    return pytree_record(tr, op, NULL, 2, in, NULL);
}

/* ---- Shapes and loops ---------------------------------------------------------------------------------------------- */

static pytree_status pytree__op_unary_shape(const pytree_op_call *c, pytree_error *err)
{
    *c->out[0] = *c->in[0];
    return pytree__op_floats(c, err);
}
static pytree_status pytree__op_binary_shape(const pytree_op_call *c, pytree_error *err)
{
    if (pytree__op_floats(c, err) != PYTREE_OK) { return err->status; }
    return pytree__op_common(c, 0, c->out[0], err);
}

/* Runs a loop over a result and its operands, of which the last has numbers. */
static pytree_status pytree__op_rows(const pytree_op_call *c, pytree__row_fn *f32, pytree__row_fn *f64)
{
    pytree__walk_call(c, c->in[c->n_in - 1]->type->dtype == PYTREE_F64 ? f64 : f32);
    return PYTREE_OK;
}

/* pytree__op_NAME_run from an expression of x, for both element types; of x and y; the result of type R. */
#define PYTREE__UNARY(NAME, f32, f64)                                                                                   \
    static pytree_status pytree__op_##NAME##_run(const pytree_op_call *c, pytree_error *err)                            \
    {                                                                                                                   \
        const size_t n = pytree_leaf_count(c->in[0]);                                                                   \
        size_t i;                                                                                                       \
        (void)err;                                                                                                      \
        if (c->in[0]->type->dtype == PYTREE_F64) {                                                                      \
            const double *a = (const double *)c->in[0]->data;                                                           \
            double *PYTREE__RESTRICT o = (double *)c->out[0]->data;                                                     \
            for (i = 0; i < n; i++) { const double x = a[i]; o[i] = f64; }                                              \
        } else {                                                                                                        \
            const float *a = (const float *)c->in[0]->data;                                                             \
            float *PYTREE__RESTRICT o = (float *)c->out[0]->data;                                                       \
            for (i = 0; i < n; i++) { const float x = a[i]; o[i] = f32; }                                               \
        }                                                                                                               \
        return PYTREE_OK;                                                                                               \
    }
#define PYTREE__BINARY_ROW(NAME, T, R, expression)                                                                      \
    static void pytree__row_##NAME##_##T(void *const *at, size_t n, const size_t *step)                                 \
    {                                                                                                                   \
        R *PYTREE__RESTRICT o = (R *)at[0];                                                                             \
        const T *a = (const T *)at[1], *b = (const T *)at[2];                                                           \
        const size_t so = step[0], sa = step[1], sb = step[2];                                                          \
        size_t i;                                                                                                       \
        if (so != 1) {                                                                                                  \
            for (i = 0; i < n; i++) { const T x = a[i * sa], y = b[i * sb]; o[i * so] = expression; }                   \
        } else if (sa == 0) {                 /* along the last axis of the result operands go by 1 or stay, not both */\
            const T x = *a;                                                                                             \
            for (i = 0; i < n; i++) { const T y = b[i]; o[i] = expression; }                                            \
        } else if (sb == 0) {                                                                                           \
            const T y = *b;                                                                                             \
            for (i = 0; i < n; i++) { const T x = a[i]; o[i] = expression; }                                            \
        } else {                                                                                                        \
            for (i = 0; i < n; i++) { const T x = a[i], y = b[i]; o[i] = expression; }                                  \
        }                                                                                                               \
    }
#define PYTREE__BINARY_RUN(NAME)                                                                                        \
    static pytree_status pytree__op_##NAME##_run(const pytree_op_call *c, pytree_error *err)                            \
    {                                                                                                                   \
        (void)err;                                                                                                      \
        return pytree__op_rows(c, pytree__row_##NAME##_float, pytree__row_##NAME##_double);                           \
    }
#define PYTREE__BINARY(NAME, expression)                                                                                \
    PYTREE__BINARY_ROW(NAME, float, float, expression)                                                                  \
    PYTREE__BINARY_ROW(NAME, double, double, expression)                                                                \
    PYTREE__BINARY_RUN(NAME)

/* An operation and the function that records it. */
#define PYTREE__OP_DEFINE(NAME, N, shape, jvp, vjp)                                                                     \
    static const pytree_op pytree__op_##NAME = { #NAME, 0, 1, shape, pytree__op_##NAME##_run, jvp, vjp,                 \
                                                 (N) == 2 ? &pytree__walk_hooks : NULL, false };
#define PYTREE__OP_1(NAME, rule)                                                                                        \
    PYTREE__OP_DEFINE(NAME, 1, pytree__op_unary_shape, rule, rule)                                                      \
    pytree_value pytree_op_##NAME(pytree_trace *tr, pytree_value x) { return pytree__op_1(tr, &pytree__op_##NAME, x); }
#define PYTREE__OP_2(NAME)                                                                                              \
    PYTREE__OP_DEFINE(NAME, 2, pytree__op_binary_shape, pytree__op_##NAME##_jvp, pytree__op_##NAME##_vjp)               \
    pytree_value pytree_op_##NAME(pytree_trace *tr, pytree_value a, pytree_value b)                                     \
    {                                                                                                                   \
        return pytree__op_2(tr, &pytree__op_##NAME, a, b);                                                              \
    }

/* Rules are written as one macro line: `d` is the tangent of the operand or the cotangent of the result, x the operand, y the
 * result. An elementwise operation is its own transpose, so one rule serves both ways. */
#define PYTREE__RULE_1(NAME, value)                                                                                     \
    static void pytree__op_##NAME##_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out) \
    {                                                                                                                   \
        const pytree_value d = t[0], x = e->in[0], y = e->out[0];                                                       \
        (void)tr; (void)x; (void)y;                                                                                     \
        out[0] = value;                                                                                                 \
    }

/* ---- add, sub, mul, div, max --------------------------------------------------------------------------------------- */

PYTREE__BINARY(add, x + y)
PYTREE__BINARY(sub, x - y)
PYTREE__BINARY(mul, x * y)
PYTREE__BINARY(div, x / y)
PYTREE__BINARY(max, x > y ? x : x != x ? x : y)

/* The rules of an operation with two operands from those with respect to each of them: da(d), db(d). */
#define PYTREE__RULE_2(NAME, da, db)                                                                                    \
    static pytree_value pytree__op_##NAME##_da(pytree_trace *tr, const pytree_eqn *e, pytree_value d)                   \
    {                                                                                                                   \
        const pytree_value a = e->in[0], b = e->in[1], y = e->out[0];                                                   \
        (void)tr; (void)d; (void)a; (void)b; (void)y;                                                                   \
        return da;                                                                                                      \
    }                                                                                                                   \
    static pytree_value pytree__op_##NAME##_db(pytree_trace *tr, const pytree_eqn *e, pytree_value d)                   \
    {                                                                                                                   \
        const pytree_value a = e->in[0], b = e->in[1], y = e->out[0];                                                   \
        (void)tr; (void)d; (void)a; (void)b; (void)y;                                                                   \
        return db;                                                                                                      \
    }                                                                                                                   \
    static void pytree__op_##NAME##_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out) \
    {                                                                                                                   \
        const pytree_value da_t = t[0].id != 0 ? pytree__op_##NAME##_da(tr, e, t[0]) : t[0];                            \
        const pytree_value db_t = t[1].id != 0 ? pytree__op_##NAME##_db(tr, e, t[1]) : t[1];                            \
        out[0] = pytree__op_broadcast_like(tr, pytree_op_plus(tr, da_t, db_t), e->out[0]);                              \
    }                                                                                                                   \
    static void pytree__op_##NAME##_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct) \
    {                                                                                                                   \
        if (pytree__op_wanted(tr, 0)) {                                                                                 \
            in_ct[0] = pytree__op_sum_like(tr, pytree__op_##NAME##_da(tr, e, ct[0]), e->in[0]);                         \
        }                                                                                                               \
        if (pytree__op_wanted(tr, 1)) {                                                                                 \
            in_ct[1] = pytree__op_sum_like(tr, pytree__op_##NAME##_db(tr, e, ct[0]), e->in[1]);                         \
        }                                                                                                               \
    }
static bool pytree__op_wanted(const pytree_trace *tr, size_t k)
{
    return tr->recorder->wanted == NULL || tr->recorder->wanted[k];
}

/* Which of two operands is greater: 1 a, 1/2 equal, 0 b. */
static pytree_value pytree__op_share(pytree_trace *tr, pytree_value a, pytree_value b)
{
    const pytree_dtype to = pytree__op_look(tr, a)->type->dtype;
    const pytree_value more = pytree_op_convert(tr, pytree_op_greater(tr, a, b), to);
    const pytree_value less = pytree_op_convert(tr, pytree_op_greater(tr, b, a), to);
    return pytree_op_shift(tr, pytree_op_scale(tr, pytree_op_sub(tr, more, less), 0.5), 0.5);
}

/* The derivative of x y with respect to x, or of x x. */
static pytree_value pytree__op_product_d(pytree_trace *tr, pytree_value d, pytree_value y, pytree_value x)
{
    const pytree_value slope = pytree_op_mul(tr, d, y);
    return x.id == y.id ? pytree_op_scale(tr, slope, 2) : slope;
}

PYTREE__RULE_2(add, d, d)
PYTREE__RULE_2(sub, d, pytree_op_neg(tr, d))
PYTREE__RULE_2(mul, pytree__op_product_d(tr, d, b, a), a.id == b.id ? pytree__value(0) : pytree_op_mul(tr, d, a))
PYTREE__RULE_2(div, pytree_op_div(tr, d, b), pytree_op_neg(tr, pytree_op_mul(tr, pytree_op_div(tr, d, b), y)))
PYTREE__RULE_2(max, pytree_op_mul(tr, d, pytree__op_share(tr, a, b)), pytree_op_mul(tr, d, pytree__op_share(tr, b, a)))
PYTREE__OP_2(add)
PYTREE__OP_2(sub)
PYTREE__OP_2(mul)
PYTREE__OP_2(div)
PYTREE__OP_2(max)

/* ---- One operand --------------------------------------------------------------------------------------------------- */

PYTREE__UNARY(neg, -x, -x)
PYTREE__UNARY(exp, expf(x), exp(x))
PYTREE__UNARY(log, logf(x), log(x))
PYTREE__UNARY(sqrt, sqrtf(x), sqrt(x))
PYTREE__UNARY(tanh, tanhf(x), tanh(x))
PYTREE__UNARY(sin, sinf(x), sin(x))
PYTREE__UNARY(cos, cosf(x), cos(x))
PYTREE__UNARY(abs, fabsf(x), fabs(x))
PYTREE__UNARY(relu, x > 0 ? x : 0 * x * (float)(x != x), x > 0 ? x : 0 * x * (double)(x != x))

/* d where x > 0, otherwise 0: what relu does to a derivative. */
PYTREE__BINARY(gate, y > 0 ? x : 0)
static pytree_value pytree__op_gate_of(pytree_trace *tr, pytree_value d, pytree_value x);
PYTREE__RULE_2(gate, pytree__op_gate_of(tr, d, b), pytree__value(0))
PYTREE__OP_DEFINE(gate, 2, pytree__op_binary_shape, pytree__op_gate_jvp, pytree__op_gate_vjp)
static pytree_value pytree__op_gate_of(pytree_trace *tr, pytree_value d, pytree_value x)
{
    return pytree__op_2(tr, &pytree__op_gate, d, x);
}

static pytree_value pytree__op_sign(pytree_trace *tr, pytree_value x)
{
    const pytree_value half = pytree__op_share(tr, x, pytree_op_number(tr, x, 0));
    return pytree_op_shift(tr, pytree_op_scale(tr, half, 2), -1);
}

PYTREE__RULE_1(neg, pytree_op_neg(tr, d))
PYTREE__RULE_1(exp, pytree_op_mul(tr, d, y))
PYTREE__RULE_1(log, pytree_op_div(tr, d, x))
PYTREE__RULE_1(sqrt, pytree_op_scale(tr, pytree_op_div(tr, d, y), 0.5))
PYTREE__RULE_1(tanh, pytree_op_sub(tr, d, pytree_op_mul(tr, d, pytree_op_mul(tr, y, y))))
PYTREE__RULE_1(sin, pytree_op_mul(tr, d, pytree_op_cos(tr, x)))
PYTREE__RULE_1(cos, pytree_op_neg(tr, pytree_op_mul(tr, d, pytree_op_sin(tr, x))))
PYTREE__RULE_1(abs, pytree_op_mul(tr, d, pytree__op_sign(tr, x)))
PYTREE__RULE_1(relu, pytree__op_gate_of(tr, d, x))
PYTREE__OP_1(neg, pytree__op_neg_rule)
static pytree_value pytree__op_negated(const pytree_trace *tr, pytree_value v)
{
    const pytree_eqn *e = pytree__pg_maker(tr->recorder, &pytree__op_neg, v);
    return e == NULL ? pytree__value(0) : e->in[0];
}
PYTREE__OP_1(exp, pytree__op_exp_rule)
PYTREE__OP_1(log, pytree__op_log_rule)
PYTREE__OP_1(sqrt, pytree__op_sqrt_rule)
PYTREE__OP_1(tanh, pytree__op_tanh_rule)
PYTREE__OP_1(sin, pytree__op_sin_rule)
PYTREE__OP_1(cos, pytree__op_cos_rule)
PYTREE__OP_1(abs, pytree__op_abs_rule)
PYTREE__OP_1(relu, pytree__op_relu_rule)

/* ---- With a number ------------------------------------------------------------------------------------------------- */

PYTREE__UNARY(scale, (float)*(const double *)c->params * x, *(const double *)c->params * x)
PYTREE__UNARY(shift, (float)*(const double *)c->params + x, *(const double *)c->params + x)

static double pytree__power(double x, int n)
{
    double y = 1;
    unsigned i = n < 0 ? 0U - (unsigned)n : (unsigned)n;
    for (; i != 0; i >>= 1, x *= x) { y = (i & 1) != 0 ? y * x : y; }
    return n < 0 ? 1 / y : y;
}
PYTREE__UNARY(power, (float)pytree__power((double)x, *(const int *)c->params), pytree__power(x, *(const int *)c->params))

PYTREE__RULE_1(scale, pytree_op_scale(tr, d, *(const double *)e->params))
PYTREE__RULE_1(shift, d)
static void pytree__op_power_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    const int n = *(const int *)e->params;
    if (n == 2) { out[0] = pytree_op_scale(tr, pytree_op_mul(tr, t[0], e->in[0]), 2); }
    else if (n != 0) { out[0] = pytree_op_scale(tr, pytree_op_mul(tr, t[0], pytree_op_power(tr, e->in[0], n - 1)), n); }
}
#define PYTREE__OP_NUMBER(NAME, T)                                                                                      \
    static const pytree_op pytree__op_##NAME = { #NAME, sizeof(T), 1, pytree__op_unary_shape, pytree__op_##NAME##_run,  \
                                                 pytree__op_##NAME##_rule, pytree__op_##NAME##_rule, NULL, false };            \
    pytree_value pytree_op_##NAME(pytree_trace *tr, pytree_value x, T by)                                               \
    {                                                                                                                   \
        return pytree_record(tr, &pytree__op_##NAME, &by, 1, &x, NULL);                                                 \
    }
PYTREE__OP_NUMBER(scale, double)
PYTREE__OP_NUMBER(shift, double)
PYTREE__OP_NUMBER(power, int)

/* ---- Sums of derivatives ------------------------------------------------------------------------------------------------
 *
 * Where a value is used several times its derivatives are added, and most of them are products. So a product and the addition
 * after it are one call, x + c y or x + y z, and no memory is needed for the product.
 */
static pytree_status pytree__op_add_scaled_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t n = pytree_leaf_count(c->out[0]);
    const double by = *(const double *)c->params;
    size_t i;
    (void)err;
    if (c->out[0]->type->dtype == PYTREE_F64) {
        const double *x = (const double *)c->in[0]->data, *y = (const double *)c->in[1]->data;
        double *PYTREE__RESTRICT o = (double *)c->out[0]->data;
        for (i = 0; i < n; i++) { o[i] = x[i] + by * y[i]; }
    } else {
        const float *x = (const float *)c->in[0]->data, *y = (const float *)c->in[1]->data, single = (float)by;
        float *PYTREE__RESTRICT o = (float *)c->out[0]->data;
        for (i = 0; i < n; i++) { o[i] = x[i] + single * y[i]; }
    }
    return PYTREE_OK;
}
static void pytree__op_add_scaled_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree_op_plus(tr, t[0], pytree_op_scale(tr, t[1], *(const double *)e->params));
}
static void pytree__op_add_scaled_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = ct[0];
    in_ct[1] = pytree_op_scale(tr, ct[0], *(const double *)e->params);
}
static const pytree_op pytree__op_add_scaled = { "add_scaled", sizeof(double), 1, pytree__op_unary_shape,
                                                 pytree__op_add_scaled_run, pytree__op_add_scaled_jvp,
                                                 pytree__op_add_scaled_vjp, NULL, false };

#define PYTREE__ADD_PRODUCT_ROW(T)                                                                                      \
    static void pytree__add_product_row_##T(void *const *at, size_t n, const size_t *step)                              \
    {                                                                                                                   \
        T *PYTREE__RESTRICT o = (T *)at[0];                                                                             \
        const T *x = (const T *)at[1], *y = (const T *)at[2], *z = (const T *)at[3];                                    \
        const size_t s = step[0], sy = step[2], sz = step[3];                                                           \
        size_t i;                                                                                                       \
        if (s != 1 || sz != 1) {                                                                                        \
            for (i = 0; i < n; i++) { o[i * s] = x[i * s] + y[i * sy] * z[i * sz]; }                                    \
        } else if (sy == 1) {                                                                                           \
            for (i = 0; i < n; i++) { o[i] = x[i] + y[i] * z[i]; }                                                      \
        } else {                                                                                                        \
            for (i = 0; i < n; i++) { o[i] = x[i] + *y * z[i]; }                                                        \
        }                                                                                                               \
    }
PYTREE__ADD_PRODUCT_ROW(float)
PYTREE__ADD_PRODUCT_ROW(double)
static pytree_status pytree__op_add_product_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    return pytree__op_rows(c, pytree__add_product_row_float, pytree__add_product_row_double);
}
static void pytree__op_add_product_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    const pytree_value y = pytree_op_mul(tr, t[1], e->in[2]), z = pytree_op_mul(tr, e->in[1], t[2]);
    out[0] = pytree__op_broadcast_like(tr, pytree_op_plus(tr, t[0], pytree_op_plus(tr, y, z)), e->out[0]);
}
static void pytree__op_add_product_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = ct[0];
    in_ct[1] = pytree__op_sum_like(tr, pytree_op_mul(tr, ct[0], e->in[2]), e->in[1]);
    in_ct[2] = pytree__op_sum_like(tr, pytree_op_mul(tr, ct[0], e->in[1]), e->in[2]);
}
static const pytree_op pytree__op_add_product = { "add_product", 0, 1, pytree__op_unary_shape, pytree__op_add_product_run,
                                                  pytree__op_add_product_jvp, pytree__op_add_product_vjp,
                                                  &pytree__walk_hooks, false };

/* The products of two arrays, of which the first has the whole shape, added up to a shape. */
#define PYTREE__SUM_PRODUCT_ROW(T)                                                                                      \
    static void pytree__sum_product_row_##T(void *const *at, size_t n, const size_t *step)                              \
    {                                                                                                                   \
        T *PYTREE__RESTRICT to = (T *)at[0];                                                                            \
        const T *x = (const T *)at[1], *y = (const T *)at[2];                                                           \
        const size_t s = step[0], sx = step[1], sy = step[2];                                                           \
        size_t i;                                                                                                       \
        if (s == 1 && sy == 1) {              /* then x, which has the whole shape, goes by 1, too */                   \
            for (i = 0; i < n; i++) { to[i] += x[i] * y[i]; }                                                           \
        } else if (s == 0 && sx == 1 && sy == 1) {                                                                      \
            PYTREE__SUM_EIGHT(T, x[i] * y[i]);                                                                          \
        } else if (s == 0) {                                                                                            \
            PYTREE__SUM_EIGHT(T, x[i * sx] * y[i * sy]);                                                                \
        } else {                                                                                                        \
            for (i = 0; i < n; i++) { to[i * s] += x[i * sx] * y[i * sy]; }                                             \
        }                                                                                                               \
    }
PYTREE__SUM_PRODUCT_ROW(float)
PYTREE__SUM_PRODUCT_ROW(double)
static pytree_status pytree__op_sum_product_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    memset(c->out[0]->data, 0, pytree_leaf_bytes(c->out[0]));
    return pytree__op_rows(c, pytree__sum_product_row_float, pytree__sum_product_row_double);
}
static void pytree__op_sum_product_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    const pytree_value x = pytree_op_mul(tr, t[0], e->in[1]), y = pytree_op_mul(tr, e->in[0], t[1]);
    out[0] = pytree__op_sum_like(tr, pytree_op_plus(tr, x, y), e->out[0]);
}
static void pytree__op_sum_product_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const pytree_value d = pytree__op_broadcast_like(tr, ct[0], e->in[0]);
    in_ct[0] = pytree_op_mul(tr, d, e->in[1]);
    in_ct[1] = pytree__op_sum_like(tr, pytree_op_mul(tr, d, e->in[0]), e->in[1]);
}
static const pytree_op pytree__op_sum_product = { "sum_product", sizeof(struct pytree__op_shape), 1, pytree__op_sum_to_shape,
                                                  pytree__op_sum_product_run, pytree__op_sum_product_jvp,
                                                  pytree__op_sum_product_vjp, &pytree__walk_hooks, false };

/* The sum of x to a shape as one call, if x is a product and one factor has its shape; otherwise 0. */
static pytree_value pytree__op_sum_of_product(pytree_trace *tr, pytree_value x, const struct pytree__op_shape *to)
{
    const pytree_eqn *product = pytree__pg_maker(tr->recorder, &pytree__op_mul, x);
    pytree_value in[2];
    if (product == NULL) { return pytree__value(0); }
    in[0] = product->in[0];
    in[1] = product->in[1];
    if (!pytree__op_alike(tr, in[0], x)) {
        in[0] = product->in[1];
        in[1] = product->in[0];
    }
    return pytree__op_alike(tr, in[0], x) ? pytree_record(tr, &pytree__op_sum_product, to, 2, in, NULL) : pytree__value(0);
}
static pytree_value pytree__op_sum_like(pytree_trace *tr, pytree_value x, pytree_value like)
{
    const pytree_leaf *v = pytree__op_look(tr, like);
    const struct pytree__op_shape to = pytree__op_shape_of(v->ndim, v->shape);
    const pytree_value positive = pytree__op_negated(tr, x);
    pytree_value sum;
    if (x.id == 0 || pytree__op_alike(tr, x, like)) { return x; }
    if (positive.id != 0) { x = positive; }
    sum = pytree__op_sum_of_product(tr, x, &to);
    if (sum.id == 0) { sum = pytree_record(tr, &pytree__op_sum_to, &to, 1, &x, NULL); }
    return positive.id != 0 ? pytree_op_neg(tr, sum) : sum;
}

/* x + y as one call, if one of them is a product and they have one shape; otherwise 0. */
static pytree_value pytree__op_plus_product(pytree_trace *tr, pytree_value x, pytree_value y)
{
    const struct pytree__recorder *r = tr->recorder;
    pytree_value in[3], both[2];
    size_t k;
    both[0] = x;
    both[1] = y;
    for (k = 2; k-- != 0 && pytree__op_alike(tr, x, y);) {
        const pytree_eqn *scaled = pytree__pg_maker(r, &pytree__op_scale, both[k]);
        const pytree_eqn *product = pytree__pg_maker(r, &pytree__op_mul, both[k]);
        in[0] = both[1 - k];
        if (scaled != NULL) {
            in[1] = scaled->in[0];
            return pytree_record(tr, &pytree__op_add_scaled, scaled->params, 2, in, NULL);
        }
        if (product != NULL) {
            in[1] = product->in[0];
            in[2] = product->in[1];
            return pytree_record(tr, &pytree__op_add_product, NULL, 3, in, NULL);
        }
    }
    return pytree__value(0);
}
pytree_value pytree_op_plus(pytree_trace *tr, pytree_value a, pytree_value b)
{
    const pytree_op *plus = tr->recorder->plus;
    pytree_value sum;
    if (a.id == 0 || b.id == 0) { return a.id == 0 ? b : a; }
    if (plus != NULL) { return pytree__op_2(tr, plus, a, b); }
    sum = pytree__op_negated(tr, b);
    if (sum.id != 0) { return pytree_op_sub(tr, a, sum); }
    sum = pytree__op_plus_product(tr, a, b);
    return sum.id != 0 ? sum : pytree_op_add(tr, a, b);
}

/* A call in a rule and the one before it as one call; 0 if they are two. */
static inline pytree_value pytree__op_shorter(pytree_trace *tr, const pytree_eqn *e)
{
    if (e->op == &pytree__op_add) { return pytree__op_plus_product(tr, e->in[0], e->in[1]); }
    if (e->op != &pytree__op_sum_to) { return pytree__value(0); }
    return pytree__op_sum_of_product(tr, e->in[0], (const struct pytree__op_shape *)e->params);
}

/* ---- Comparison and choice ----------------------------------------------------------------------------------------- */

PYTREE__BINARY_ROW(greater, float, bool, x > y)
PYTREE__BINARY_ROW(greater, double, bool, x > y)
PYTREE__BINARY_RUN(greater)
static pytree_status pytree__op_greater_shape(const pytree_op_call *c, pytree_error *err)
{
    if (pytree__op_binary_shape(c, err) != PYTREE_OK) { return err->status; }
    c->out[0]->type = &pytree_types[PYTREE__T_bool_];
    return PYTREE_OK;
}
PYTREE__OP_DEFINE(greater, 2, pytree__op_greater_shape, NULL, NULL)
pytree_value pytree_op_greater(pytree_trace *tr, pytree_value a, pytree_value b)
{
    return pytree__op_2(tr, &pytree__op_greater, a, b);
}

#define PYTREE__SELECT_ROW(T)                                                                                           \
    static void pytree__select_row_##T(void *const *at, size_t n, const size_t *step)                                   \
    {                                                                                                                   \
        T *o = (T *)at[0];                                                                                              \
        const bool *which = (const bool *)at[1];                                                                        \
        const T *yes = (const T *)at[2], *no = (const T *)at[3];                                                        \
        size_t i;                                                                                                       \
        for (i = 0; i < n; i++) { o[i * step[0]] = which[i * step[1]] ? yes[i * step[2]] : no[i * step[3]]; }           \
    }
PYTREE__SELECT_ROW(float)
PYTREE__SELECT_ROW(double)
static pytree_status pytree__op_select_shape(const pytree_op_call *c, pytree_error *err)
{
    pytree_op_call rest = *c;
    pytree_leaf which = *c->in[0];
    const pytree_leaf *all[3];
    if (which.type->dtype != PYTREE_BOOL8) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected bool for the choice, got %s", pytree_dtype_name(which.type));
    }
    rest.in = c->in + 1;
    rest.n_in = 2;
    if (pytree__op_floats(&rest, err) != PYTREE_OK) { return err->status; }
    all[0] = c->in[1];
    all[1] = c->in[2];
    all[2] = &which;
    rest.in = all;
    rest.n_in = 3;
    return pytree__op_common(&rest, 0, c->out[0], err);
}
static pytree_status pytree__op_select_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    return pytree__op_rows(c, pytree__select_row_float, pytree__select_row_double);
}
static void pytree__op_select_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    const pytree_value zero = pytree_op_number(tr, e->out[0], 0);
    out[0] = pytree_op_select(tr, e->in[0], t[1].id != 0 ? t[1] : zero, t[2].id != 0 ? t[2] : zero);
    out[0] = pytree__op_broadcast_like(tr, out[0], e->out[0]);
}
static void pytree__op_select_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const pytree_value zero = pytree_op_number(tr, e->out[0], 0);
    if (pytree__op_wanted(tr, 1)) {
        in_ct[1] = pytree__op_sum_like(tr, pytree_op_select(tr, e->in[0], ct[0], zero), e->in[1]);
    }
    if (pytree__op_wanted(tr, 2)) {
        in_ct[2] = pytree__op_sum_like(tr, pytree_op_select(tr, e->in[0], zero, ct[0]), e->in[2]);
    }
}
static const pytree_op pytree__op_select = { "select", 0, 1, pytree__op_select_shape, pytree__op_select_run,
                                             pytree__op_select_jvp, pytree__op_select_vjp, &pytree__walk_hooks,
                                             false };
pytree_value pytree_op_select(pytree_trace *tr, pytree_value which, pytree_value yes, pytree_value no)
{
    pytree_value in[3];
    in[0] = which;
    in[1] = yes;
    in[2] = no;
    return pytree_record(tr, &pytree__op_select, NULL, 3, in, NULL);
}

/* ---- Conversion ---------------------------------------------------------------------------------------------------- */

static pytree_status pytree__op_convert_shape(const pytree_op_call *c, pytree_error *err)
{
    const pytree_dtype to = *(const pytree_dtype *)c->params, from = c->in[0]->type->dtype;
    *c->out[0] = *c->in[0];
    c->out[0]->type = to == PYTREE_F32 ? &pytree_types[PYTREE__T_float_] : to == PYTREE_F64 ? &pytree_types[PYTREE__T_double_]
        : to == PYTREE_BOOL8 ? &pytree_types[PYTREE__T_bool_] : to == PYTREE_I32 ? &pytree_types[PYTREE__T_INT32]
        : to == PYTREE_I64 ? &pytree_types[PYTREE__T_INT64] : NULL;
    if (c->out[0]->type == NULL) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected f32, f64, i32, i64 or bool to convert to, got another type");
    }
    if (from < PYTREE_BOOL8 || from > PYTREE_F64) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected real numbers, got %s", pytree_dtype_name(c->in[0]->type));
    }
    return PYTREE_OK;
}
/* Toward zero; out of range to the nearer end; NaN to 0. */
static int64_t pytree__op_integer(double x, double least, double most)
{
    return x != x ? 0 : x <= least ? (int64_t)least : x >= most ? (most > 3e9 ? INT64_MAX : (int64_t)most) : (int64_t)x;
}
static pytree_status pytree__op_convert_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t n = pytree_leaf_count(c->in[0]);
    const bool whole = pytree__is_whole(c->in[0]);
    void *to = c->out[0]->data;
    size_t i;
    (void)err;
    for (i = 0; i < n; i++) {
        const double x = pytree_leaf_get(c->in[0], i);
        switch (c->out[0]->type->dtype) {
        case PYTREE_F32: ((float *)to)[i] = (float)x; break;
        case PYTREE_F64: ((double *)to)[i] = x; break;
        case PYTREE_BOOL8: ((bool *)to)[i] = x != 0; break;
        case PYTREE_I32:
            ((int32_t *)to)[i] = whole ? (int32_t)(uint32_t)(uint64_t)pytree__op_whole(c->in[0], i)
                : (int32_t)pytree__op_integer(x, -2147483648.0, 2147483647.0);
            break;
        default:
            ((int64_t *)to)[i] = whole ? pytree__op_whole(c->in[0], i)
                : pytree__op_integer(x, -9223372036854775808.0, 9223372036854775807.0);
            break;
        }
    }
    return PYTREE_OK;
}
static void pytree__op_convert_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    if (pytree__is_float(pytree__op_look(tr, e->out[0]))) { out[0] = pytree_record(tr, e->op, e->params, 1, t, NULL); }
}
static void pytree__op_convert_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    if (pytree__is_float(pytree__op_look(tr, e->in[0]))) {     /* the result is, too: a cotangent flows into it */
        in_ct[0] = pytree_op_convert(tr, ct[0], pytree__op_look(tr, e->in[0])->type->dtype);
    }
}
static const pytree_op pytree__op_convert = { "convert", sizeof(pytree_dtype), 1, pytree__op_convert_shape,
                                              pytree__op_convert_run, pytree__op_convert_jvp, pytree__op_convert_vjp, NULL,
                                              false };
pytree_value pytree_op_convert(pytree_trace *tr, pytree_value x, pytree_dtype to)
{
    if (x.id != 0 && pytree__op_look(tr, x)->type->dtype == to) { return x; }
    return pytree_record(tr, &pytree__op_convert, &to, 1, &x, NULL);
}

static pytree_status pytree__op_stop_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static const pytree_op pytree__op_stop = { "stop_gradient", 0, 1, pytree__op_stop_shape, pytree__op_copy_run, NULL, NULL,
                                           NULL, false };
pytree_value pytree_op_stop_gradient(pytree_trace *tr, pytree_value x) { return pytree__op_1(tr, &pytree__op_stop, x); }

#include "ops_reduce.h"
#endif
