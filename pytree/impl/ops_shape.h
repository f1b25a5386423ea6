/* pytree/impl/ops_shape.h: constants, and operations that move elements: broadcast, reshape, transpose, slice, pad, concat,
 * take, put; and the sum to a shape, which is the transpose of broadcasting. */
#ifndef PYTREE_IMPL_OPS_SHAPE_H
#define PYTREE_IMPL_OPS_SHAPE_H

#include "ops_strided.h"

/* ---- Constants ----------------------------------------------------------------------------------------------------- */

pytree_value pytree_op_constant(pytree_trace *tr, const pytree_leaf *leaf)
{
    if (tr->err->status != PYTREE_OK) { return pytree__value(0); }
    if (leaf->type == NULL || pytree_leaf_bytes(leaf) == SIZE_MAX) {
        (void)pytree_fail(tr->err, PYTREE_OVERFLOW, NULL,
                          "%s: constant: expected an array that fits into memory, got a larger one",
                          tr->recorder->name);
        return pytree__value(0);
    }
    return pytree__pg_constant(tr, leaf);
}

pytree_value pytree_op_number(pytree_trace *tr, pytree_value like, double x)
{
    pytree_leaf v = *pytree__op_look(tr, like);
    float single = (float)x;
    v.ndim = 0;
    v.data = v.type->dtype == PYTREE_F64 ? (void *)&x : (void *)&single;
    if (like.id == 0) { return like; }
    if (!pytree__is_float(&v)) {
        (void)pytree_fail(tr->err, PYTREE_TYPE, NULL, "%s: number: expected f32 or f64, got %s", tr->recorder->name,
                          pytree_dtype_name(v.type));
        return pytree__value(0);
    }
    return pytree_op_constant(tr, &v);
}

pytree_value pytree_op_zeros_like(pytree_trace *tr, pytree_value like)
{
    pytree_leaf v = *pytree__op_look(tr, like);
    v.data = NULL;
    return like.id == 0 ? like : pytree_op_constant(tr, &v);
}

/* ---- Broadcast, and the sum to a shape ------------------------------------------------------------------------------ */

static pytree_value pytree__op_broadcast_like(pytree_trace *tr, pytree_value x, pytree_value like);
static pytree_value pytree__op_sum_like(pytree_trace *tr, pytree_value x, pytree_value like);
static pytree_value pytree__op_negated(const pytree_trace *tr, pytree_value v);    /* x if v is -x, in a rule; otherwise 0 */

static pytree_value pytree__op_to_shape(pytree_trace *tr, const pytree_op *op, pytree_value x, int ndim, const size_t *shape)
{
    const struct pytree__op_shape p = pytree__op_shape_of(ndim, shape);
    const pytree_leaf *v = pytree__op_look(tr, x);
    if (x.id != 0 && v->ndim == ndim && memcmp(v->shape, shape, (size_t)ndim * sizeof *shape) == 0) { return x; }
    return pytree_record(tr, op, &p, 1, &x, NULL);
}

static void pytree__op_take_extents(const pytree_op_call *c)
{
    const struct pytree__op_shape *p = (const struct pytree__op_shape *)c->params;
    *c->out[0] = *c->in[0];
    c->out[0]->ndim = (int)p->ndim;
    memcpy(c->out[0]->shape, p->shape, sizeof p->shape);
}

/* Does `small` broadcast to `large`? */
static pytree_status pytree__op_spreads(const pytree_leaf *small, const pytree_leaf *large, pytree_error *err)
{
    int i;
    bool fits = small->ndim <= large->ndim;
    for (i = 1; i <= small->ndim && fits; i++) {
        const size_t extent = small->shape[small->ndim - i];
        fits = extent == 1 || extent == large->shape[large->ndim - i];
    }
    if (!fits) {
        char a[96], b[96];
        pytree__leaf_text(a, sizeof a, large);
        pytree__leaf_text(b, sizeof b, small);
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a shape that broadcasts to %s, got %s", a, b);
    }
    return PYTREE_OK;
}

static pytree_status pytree__op_broadcast_shape(const pytree_op_call *c, pytree_error *err)
{
    pytree__op_take_extents(c);
    return pytree__op_movable(c, err) != PYTREE_OK ? err->status : pytree__op_spreads(c->in[0], c->out[0], err);
}
static pytree_status pytree__op_broadcast_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    pytree__walk_call(c, pytree__copy_row(c->in[0]->type->size));
    return PYTREE_OK;
}
static void pytree__op_broadcast_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree__op_broadcast_like(tr, t[0], e->out[0]);
}
static void pytree__op_broadcast_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree__op_sum_like(tr, ct[0], e->in[0]);
}
static const pytree_op pytree__op_broadcast = { "broadcast", sizeof(struct pytree__op_shape), 1, pytree__op_broadcast_shape,
                                                pytree__op_broadcast_run, pytree__op_broadcast_jvp, pytree__op_broadcast_vjp,
                                                &pytree__walk_hooks, false };
static pytree_value pytree__op_broadcast_like(pytree_trace *tr, pytree_value x, pytree_value like)
{
    const pytree_leaf *v = pytree__op_look(tr, like);
    return x.id == 0 ? x : pytree__op_to_shape(tr, &pytree__op_broadcast, x, v->ndim, v->shape);
}

static bool pytree__op_extents(pytree_trace *tr, const char *op, int ndim)
{
    if (tr->err->status != PYTREE_OK) { return false; }
    if (ndim >= 0 && ndim <= PYTREE_MAX_DIMS) { return true; }
    (void)pytree_fail(tr->err, PYTREE_SHAPE, NULL, "%s: %s: expected 0 to %d dimensions (PYTREE_MAX_DIMS), got %d",
                      tr->recorder->name, op, PYTREE_MAX_DIMS, ndim);
    return false;
}
pytree_value pytree_op_broadcast(pytree_trace *tr, pytree_value x, int ndim, const size_t *shape)
{
    if (!pytree__op_extents(tr, "broadcast", ndim)) { return pytree__value(0); }
    return pytree__op_to_shape(tr, &pytree__op_broadcast, x, ndim, shape);
}

static pytree_status pytree__op_sum_to_shape(const pytree_op_call *c, pytree_error *err)
{
    pytree__op_take_extents(c);
    return pytree__op_floats(c, err) != PYTREE_OK ? err->status : pytree__op_spreads(c->out[0], c->in[0], err);
}
/* Adds a row to elements of the result, or all of it to one: eight partial sums, which can be a vector. */
#define PYTREE__SUM_ROW(T)                                                                                              \
    static void pytree__sum_row_##T(void *const *at, size_t n, const size_t *step)                                      \
    {                                                                                                                   \
        T *PYTREE__RESTRICT to = (T *)at[0];                                                                            \
        const T *from = (const T *)at[1];                                                                               \
        const size_t s = step[1];                                                                                       \
        size_t i;                                                                                                       \
        if (step[0] == 1 && s == 1) {                                                                                   \
            for (i = 0; i < n; i++) { to[i] += from[i]; }                                                               \
        } else if (step[0] == 0 && s == 1) {                                                                            \
            PYTREE__SUM_EIGHT(T, from[i]);                                                                              \
        } else if (step[0] == 0) {                                                                                      \
            PYTREE__SUM_EIGHT(T, from[i * s]);                                                                          \
        } else {                                                                                                        \
            for (i = 0; i < n; i++) { to[i * step[0]] += from[i * s]; }                                                 \
        }                                                                                                               \
    }
#define PYTREE__SUM_EIGHT(T, term)                                                                                      \
    do {                                                                                                                \
        T sum[8] = { 0 };                                                                                               \
        size_t j, whole;                                                                                                \
        for (whole = 0; whole + 8 <= n; whole += 8) {                                                                   \
            for (j = 0; j < 8; j++) { i = whole + j; sum[j] += term; }                                                  \
        }                                                                                                               \
        for (j = 0, i = whole; i < n; i++, j++) { sum[j] += term; }                                                     \
        *to += ((sum[0] + sum[4]) + (sum[1] + sum[5])) + ((sum[2] + sum[6]) + (sum[3] + sum[7]));                       \
    } while (0)
PYTREE__SUM_ROW(float)
PYTREE__SUM_ROW(double)

static pytree_status pytree__op_sum_to_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    memset(c->out[0]->data, 0, pytree_leaf_bytes(c->out[0]));
    pytree__walk_call(c, c->in[0]->type->dtype == PYTREE_F64 ? pytree__sum_row_double : pytree__sum_row_float);
    return PYTREE_OK;
}
static void pytree__op_sum_to_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree__op_sum_like(tr, t[0], e->out[0]);
}
static void pytree__op_sum_to_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree__op_broadcast_like(tr, ct[0], e->in[0]);
}
static const pytree_op pytree__op_sum_to = { "sum_to", sizeof(struct pytree__op_shape), 1, pytree__op_sum_to_shape,
                                             pytree__op_sum_to_run, pytree__op_sum_to_jvp, pytree__op_sum_to_vjp,
                                             &pytree__walk_hooks, false };

/* ---- Reshape ------------------------------------------------------------------------------------------------------- */

static pytree_status pytree__op_reshape_shape(const pytree_op_call *c, pytree_error *err)
{
    pytree__op_take_extents(c);
    if (pytree_leaf_count(c->out[0]) == pytree_leaf_count(c->in[0])) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a shape of %zu elements, got one of %zu", pytree_leaf_count(c->in[0]),
                       pytree_leaf_count(c->out[0]));
}
static pytree_status pytree__op_copy_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    memcpy(c->out[0]->data, c->in[0]->data, pytree_leaf_bytes(c->out[0]));
    return PYTREE_OK;
}
static pytree_value pytree__op_reshape_like(pytree_trace *tr, pytree_value x, pytree_value like);
static void pytree__op_reshape_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree__op_reshape_like(tr, t[0], e->out[0]);
}
static void pytree__op_reshape_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree__op_reshape_like(tr, ct[0], e->in[0]);
}
static const pytree_op pytree__op_reshape = { "reshape", sizeof(struct pytree__op_shape), 1, pytree__op_reshape_shape,
                                              pytree__op_copy_run, pytree__op_reshape_jvp, pytree__op_reshape_vjp, NULL,
                                              false };
static pytree_value pytree__op_reshape_like(pytree_trace *tr, pytree_value x, pytree_value like)
{
    const pytree_leaf *v = pytree__op_look(tr, like);
    const pytree_value positive = pytree__op_negated(tr, x);
    if (positive.id != 0) {
        return pytree_op_neg(tr, pytree__op_to_shape(tr, &pytree__op_reshape, positive, v->ndim, v->shape));
    }
    return pytree__op_to_shape(tr, &pytree__op_reshape, x, v->ndim, v->shape);
}
pytree_value pytree_op_reshape(pytree_trace *tr, pytree_value x, int ndim, const size_t *shape)
{
    if (!pytree__op_extents(tr, "reshape", ndim)) { return pytree__value(0); }
    return pytree__op_to_shape(tr, &pytree__op_reshape, x, ndim, shape);
}

/* ---- Transpose ----------------------------------------------------------------------------------------------------- */

struct pytree__axes {
    int axis[PYTREE_MAX_DIMS];            /* axis i of the result is axis[i] of the operand; zero beyond */
};
static pytree_status pytree__op_transpose_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__axes *p = (const struct pytree__axes *)c->params;
    unsigned seen = 0;
    int i;
    *c->out[0] = *c->in[0];
    for (i = 0; i < c->in[0]->ndim; i++) {
        const int axis = p->axis[i];
        if (axis < 0 || axis >= c->in[0]->ndim || (seen >> axis & 1) != 0) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a permutation of %d axes, got axis %d", c->in[0]->ndim,
                               axis);
        }
        seen |= 1U << axis;
        c->out[0]->shape[i] = c->in[0]->shape[axis];
    }
    return pytree__op_movable(c, err);
}
static void pytree__op_transpose_walk(struct pytree__walk *w, const pytree_op_call *c)
{
    const struct pytree__axes *p = (const struct pytree__axes *)c->params;
    const pytree_leaf *out = c->out[0];
    size_t step[PYTREE_MAX_DIMS];
    int i;
    w->n = 2;
    w->ndim = out->ndim;
    w->bytes[0] = w->bytes[1] = out->type->size;
    memcpy(w->extent, out->shape, sizeof w->extent);
    pytree__walk_steps(w->step[0], out->ndim, out);
    pytree__walk_steps(step, out->ndim, c->in[0]);
    for (i = 0; i < out->ndim; i++) { w->step[1][i] = step[p->axis[i]]; }
    pytree__walk_join(w);
}
static pytree_status pytree__op_transpose_run(const pytree_op_call *c, pytree_error *err)
{
    struct pytree__walk w;
    void *data[2];
    (void)err;
    pytree__op_transpose_walk(&w, c);
    data[0] = c->out[0]->data;
    data[1] = c->in[0]->data;
    pytree__walk_run(&w, data, pytree__copy_row(c->in[0]->type->size));
    return PYTREE_OK;
}
static void pytree__op_transpose_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree_record(tr, e->op, e->params, 1, t, NULL);
}
static void pytree__op_transpose_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const struct pytree__axes *p = (const struct pytree__axes *)e->params;
    struct pytree__axes back;
    int i;
    memset(&back, 0, sizeof back);
    for (i = 0; i < pytree__op_look(tr, e->in[0])->ndim; i++) { back.axis[p->axis[i]] = i; }
    in_ct[0] = pytree_record(tr, e->op, &back, 1, ct, NULL);
}
static const pytree_op pytree__op_transpose = { "transpose", sizeof(struct pytree__axes), 1, pytree__op_transpose_shape,
                                                pytree__op_transpose_run, pytree__op_transpose_jvp, pytree__op_transpose_vjp,
                                                NULL, false };
pytree_value pytree_op_transpose(pytree_trace *tr, pytree_value x, const int *axes)
{
    const int ndim = pytree__op_look(tr, x)->ndim;
    struct pytree__axes p;
    int i;
    memset(&p, 0, sizeof p);
    for (i = 0; i < ndim; i++) { p.axis[i] = axes == NULL ? ndim - 1 - i : axes[i] < 0 ? axes[i] + ndim : axes[i]; }
    return pytree_record(tr, &pytree__op_transpose, &p, 1, &x, NULL);
}

#include "ops_index.h"
#endif
