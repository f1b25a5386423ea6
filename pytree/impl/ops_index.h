/* pytree/impl/ops_index.h: slice, pad, concat; take, put, one_hot. */
#ifndef PYTREE_IMPL_OPS_INDEX_H
#define PYTREE_IMPL_OPS_INDEX_H

#include "ops_shape.h"

/* ---- Slice and pad: each is the other's transpose ------------------------------------------------------------------ */

struct pytree__part {
    size_t axis, from, to, whole;         /* elements from … to-1 of `whole` along an axis */
};

/* Elements before the axis, and bytes of one element along it. */
static size_t pytree__op_outer(const pytree_leaf *v, size_t axis)
{
    size_t n = 1, i;
    for (i = 0; i < axis; i++) { n *= v->shape[i]; }
    return n;
}
static size_t pytree__op_inner(const pytree_leaf *v, size_t axis)
{
    size_t n = v->type->size, i;
    for (i = axis + 1; i < (size_t)v->ndim; i++) { n *= v->shape[i]; }
    return n;
}

static pytree_status pytree__op_slice_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__part *p = (const struct pytree__part *)c->params;
    *c->out[0] = *c->in[0];
    if (p->from > p->to || p->to > c->in[0]->shape[p->axis]) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a part of 0 to %zu, got %zu to %zu", c->in[0]->shape[p->axis],
                           p->from, p->to);
    }
    c->out[0]->shape[p->axis] = p->to - p->from;
    return PYTREE_OK;
}
static pytree_status pytree__op_slice_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__part *p = (const struct pytree__part *)c->params;
    const size_t outer = pytree__op_outer(c->in[0], p->axis), inner = pytree__op_inner(c->in[0], p->axis);
    const size_t bytes = (p->to - p->from) * inner, stride = c->in[0]->shape[p->axis] * inner;
    const char *from = (const char *)c->in[0]->data;
    char *to = (char *)c->out[0]->data;
    size_t i;
    (void)err;
    for (i = 0; i < outer && bytes != 0; i++) { memcpy(to + i * bytes, from + i * stride + p->from * inner, bytes); }
    return PYTREE_OK;
}
static pytree_status pytree__op_pad_shape(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__part *p = (const struct pytree__part *)c->params;
    (void)err;
    *c->out[0] = *c->in[0];
    c->out[0]->shape[p->axis] = p->whole;
    return PYTREE_OK;
}
static pytree_status pytree__op_pad_run(const pytree_op_call *c, pytree_error *err)
{
    const struct pytree__part *p = (const struct pytree__part *)c->params;
    const size_t outer = pytree__op_outer(c->in[0], p->axis), inner = pytree__op_inner(c->in[0], p->axis);
    const size_t bytes = (p->to - p->from) * inner, stride = p->whole * inner;
    const char *from = (const char *)c->in[0]->data;
    char *to = (char *)c->out[0]->data;
    size_t i;
    (void)err;
    memset(to, 0, outer * stride);
    for (i = 0; i < outer && bytes != 0; i++) { memcpy(to + i * stride + p->from * inner, from + i * bytes, bytes); }
    return PYTREE_OK;
}
static void pytree__op_same_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree_record(tr, e->op, e->params, 1, t, NULL);
}
static void pytree__op_slice_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct);
static void pytree__op_pad_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct);
static const pytree_op pytree__op_slice = { "slice", sizeof(struct pytree__part), 1, pytree__op_slice_shape,
                                            pytree__op_slice_run, pytree__op_same_rule, pytree__op_slice_vjp, NULL, false };
static const pytree_op pytree__op_pad = { "pad", sizeof(struct pytree__part), 1, pytree__op_pad_shape, pytree__op_pad_run,
                                          pytree__op_same_rule, pytree__op_pad_vjp, NULL, false };
static void pytree__op_slice_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree_record(tr, &pytree__op_pad, e->params, 1, ct, NULL);
}
static void pytree__op_pad_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree_record(tr, &pytree__op_slice, e->params, 1, ct, NULL);
}
static pytree_value pytree__op_part(pytree_trace *tr, pytree_value x, size_t axis, size_t from, size_t to)
{
    struct pytree__part p;
    p.axis = axis;
    p.from = from;
    p.to = to;
    p.whole = pytree__op_look(tr, x)->shape[axis];
    return pytree_record(tr, &pytree__op_slice, &p, 1, &x, NULL);
}
pytree_value pytree_op_slice(pytree_trace *tr, pytree_value x, int axis, size_t from, size_t to)
{
    int i;
    if (x.id == 0 || !pytree__op_axis(tr, "slice", pytree__op_look(tr, x), axis, &i)) { return pytree__value(0); }
    return pytree__op_part(tr, x, (size_t)i, from, to);
}

/* ---- Concat -------------------------------------------------------------------------------------------------------- */

static pytree_status pytree__op_concat_shape(const pytree_op_call *c, pytree_error *err)
{
    const size_t axis = *(const size_t *)c->params;
    size_t k, total = 0;
    int i;
    for (k = 0; k < c->n_in; k++) {
        bool fits = c->in[k]->ndim == c->in[0]->ndim && c->in[k]->type->dtype == c->in[0]->type->dtype;
        for (i = 0; i < c->in[0]->ndim && fits; i++) {
            fits = (size_t)i == axis || c->in[k]->shape[i] == c->in[0]->shape[i];
        }
        if (!fits) {
            char a[96], b[96];
            pytree__leaf_text(a, sizeof a, c->in[0]);
            pytree__leaf_text(b, sizeof b, c->in[k]);
            return pytree_fail(err, PYTREE_SHAPE, NULL, "expected arrays that differ along axis %zu only, got %s and %s",
                               axis, a,
                               b);
        }
        total = pytree__plus(total, c->in[k]->shape[axis]);
    }
    *c->out[0] = *c->in[0];
    c->out[0]->shape[axis] = total;
    return PYTREE_OK;
}
static pytree_status pytree__op_concat_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t axis = *(const size_t *)c->params;
    const size_t outer = pytree__op_outer(c->out[0], axis), inner = pytree__op_inner(c->out[0], axis);
    const size_t stride = c->out[0]->shape[axis] * inner;
    size_t k, i, at = 0;
    (void)err;
    for (k = 0; k < c->n_in; k++) {
        const size_t bytes = c->in[k]->shape[axis] * inner;
        const char *from = (const char *)c->in[k]->data;
        char *to = (char *)c->out[0]->data + at;
        for (i = 0; i < outer && bytes != 0; i++) { memcpy(to + i * stride, from + i * bytes, bytes); }
        at += bytes;
    }
    return PYTREE_OK;
}
static void pytree__op_concat_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    pytree_value *all = (pytree_value *)pytree__fn_take(tr->recorder->arena, e->n_in, sizeof *all);
    size_t k;
    for (k = 0; all != NULL && k < e->n_in; k++) { all[k] = t[k].id != 0 ? t[k] : pytree_op_zeros_like(tr, e->in[k]); }
    if (all != NULL) { out[0] = pytree_record(tr, e->op, e->params, e->n_in, all, NULL); }
}
static void pytree__op_concat_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    const size_t axis = *(const size_t *)e->params;
    size_t k, at = 0;
    for (k = 0; k < e->n_in; k++) {
        const size_t n = pytree__op_look(tr, e->in[k])->shape[axis];
        in_ct[k] = pytree__op_part(tr, ct[0], axis, at, at + n);
        at += n;
    }
}
static const pytree_op pytree__op_concat = { "concat", sizeof(size_t), 1, pytree__op_concat_shape, pytree__op_concat_run,
                                             pytree__op_concat_jvp, pytree__op_concat_vjp, NULL, false };
pytree_value pytree_op_concat(pytree_trace *tr, int axis, size_t n, const pytree_value *x)
{
    size_t at;
    int i;
    if (n == 0 && tr->err->status == PYTREE_OK) {
        (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s: concat: expected an array, got none", tr->recorder->name);
    }
    if (n == 0 || x[0].id == 0 || !pytree__op_axis(tr, "concat", pytree__op_look(tr, x[0]), axis, &i)) {
        return pytree__value(0);
    }
    at = (size_t)i;
    return pytree_record(tr, &pytree__op_concat, &at, n, x, NULL);
}

/* ---- Take and put: each is the other's transpose -------------------------------------------------------------------- */

static int64_t pytree__op_whole(const pytree_leaf *v, size_t i)
{
    switch (v->type->dtype) {
    case PYTREE_I8: return ((const int8_t *)v->data)[i];
    case PYTREE_I16: return ((const int16_t *)v->data)[i];
    case PYTREE_I32: return ((const int32_t *)v->data)[i];
    case PYTREE_I64: return ((const int64_t *)v->data)[i];
    case PYTREE_U8: return ((const uint8_t *)v->data)[i];
    case PYTREE_U16: return ((const uint16_t *)v->data)[i];
    case PYTREE_U32: return ((const uint32_t *)v->data)[i];
    default: return ((const uint64_t *)v->data)[i] > INT64_MAX ? INT64_MAX : (int64_t)((const uint64_t *)v->data)[i];
    }
}
static pytree_status pytree__op_wholes(const pytree_leaf *at, pytree_error *err)
{
    if (pytree__is_whole(at)) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected integers, got %s", pytree_dtype_name(at->type));
}
static pytree_status pytree__op_row(const pytree_leaf *at, size_t i, size_t rows, size_t *row, pytree_error *err)
{
    const int64_t n = pytree__op_whole(at, i);
    if (n < 0 || (uint64_t)n >= rows) {
        return pytree_fail(err, PYTREE_VALUE, NULL, "expected a row below %zu, got %lld at element %zu", rows,
                           (long long)n,
                           i);
    }
    *row = (size_t)n;
    return PYTREE_OK;
}
/* Puts the extents of `first`, then those of `v` from axis `from` on, into *out. */
static pytree_status pytree__op_joined(pytree_leaf *out, const pytree_leaf *first, const pytree_leaf *v, int from,
                                       pytree_error *err)
{
    int i;
    *out = *v;
    if (first->ndim + v->ndim - from > PYTREE_MAX_DIMS) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected at most %d dimensions (PYTREE_MAX_DIMS), got %d", PYTREE_MAX_DIMS,
                           first->ndim + v->ndim - from);
    }
    for (i = 0; i < first->ndim; i++) { out->shape[i] = first->shape[i]; }
    for (i = from; i < v->ndim; i++) { out->shape[first->ndim + i - from] = v->shape[i]; }
    out->ndim = first->ndim + v->ndim - from;
    return PYTREE_OK;
}

static pytree_status pytree__op_take_shape(const pytree_op_call *c, pytree_error *err)
{
    if (pytree__op_wholes(c->in[1], err) != PYTREE_OK) { return err->status; }
    if (c->in[0]->ndim == 0) { return pytree_fail(err, PYTREE_SHAPE, NULL, "expected rows, got a scalar"); }
    return pytree__op_joined(c->out[0], c->in[1], c->in[0], 1, err);
}
static pytree_status pytree__op_take_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t n = pytree_leaf_count(c->in[1]), bytes = pytree__op_inner(c->in[0], 0);
    size_t i, row = 0;
    for (i = 0; i < n; i++) {
        if (pytree__op_row(c->in[1], i, c->in[0]->shape[0], &row, err) != PYTREE_OK) { return PYTREE_VALUE; }
        if (bytes != 0) { memcpy((char *)c->out[0]->data + i * bytes, (const char *)c->in[0]->data + row * bytes, bytes); }
    }
    return PYTREE_OK;
}
static pytree_status pytree__op_put_shape(const pytree_op_call *c, pytree_error *err)
{
    const int ndim = c->in[1]->ndim;
    pytree_leaf rows = *c->in[0];
    bool fits = rows.ndim >= ndim && pytree__is_float(&rows);
    int i;
    if (pytree__op_wholes(c->in[1], err) != PYTREE_OK) { return err->status; }
    for (i = 0; i < ndim && fits; i++) { fits = rows.shape[i] == c->in[1]->shape[i]; }
    if (!fits) {
        char a[96], b[96];
        pytree__leaf_text(a, sizeof a, c->in[0]);
        pytree__leaf_text(b, sizeof b, c->in[1]);
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected f32 or f64 rows, one for each number, got %s and %s", a, b);
    }
    rows.ndim = 1;
    rows.shape[0] = *(const size_t *)c->params;
    return pytree__op_joined(c->out[0], &rows, c->in[0], ndim, err);
}
static pytree_status pytree__op_put_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t n = pytree_leaf_count(c->in[1]), bytes = pytree__op_inner(c->out[0], 0);
    const bool wide = c->in[0]->type->dtype == PYTREE_F64;
    static const size_t one[2] = { 1, 1 };
    size_t i, row = 0;
    memset(c->out[0]->data, 0, pytree_leaf_bytes(c->out[0]));
    for (i = 0; i < n; i++) {
        void *at[2];
        if (pytree__op_row(c->in[1], i, c->out[0]->shape[0], &row, err) != PYTREE_OK) { return PYTREE_VALUE; }
        at[0] = (char *)c->out[0]->data + row * bytes;
        at[1] = (char *)c->in[0]->data + i * bytes;
        if (wide) { pytree__sum_row_double(at, bytes / 8, one); } else { pytree__sum_row_float(at, bytes / 4, one); }
    }
    return PYTREE_OK;
}
static void pytree__op_take_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    pytree_value in[2];
    in[0] = t[0];
    in[1] = e->in[1];
    out[0] = pytree_record(tr, e->op, e->params, 2, in, NULL);
}
static void pytree__op_take_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree_op_put(tr, ct[0], e->in[1], pytree__op_look(tr, e->in[0])->shape[0]);
}
static void pytree__op_put_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    in_ct[0] = pytree_op_take(tr, ct[0], e->in[1]);
}
static const pytree_op pytree__op_take = { "take", 0, 1, pytree__op_take_shape, pytree__op_take_run, pytree__op_take_jvp,
                                           pytree__op_take_vjp, NULL, false };
static const pytree_op pytree__op_put = { "put", sizeof(size_t), 1, pytree__op_put_shape, pytree__op_put_run,
                                          pytree__op_take_jvp, pytree__op_put_vjp, NULL, false };
pytree_value pytree_op_take(pytree_trace *tr, pytree_value x, pytree_value at)
{
    pytree_value in[2];
    in[0] = x;
    in[1] = at;
    return pytree_record(tr, &pytree__op_take, NULL, 2, in, NULL);
}
pytree_value pytree_op_put(pytree_trace *tr, pytree_value x, pytree_value at, size_t n)
{
    pytree_value in[2];
    in[0] = x;
    in[1] = at;
    return pytree_record(tr, &pytree__op_put, &n, 2, in, NULL);
}

/* ---- One-hot ------------------------------------------------------------------------------------------------------- */

static pytree_status pytree__op_one_hot_shape(const pytree_op_call *c, pytree_error *err)
{
    pytree_leaf row = *c->in[1];
    row.ndim = 1;
    row.shape[0] = *(const size_t *)c->params;
    if (pytree__op_wholes(c->in[0], err) != PYTREE_OK) { return err->status; }
    if (!pytree__is_float(&row)) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected f32 or f64, got %s", pytree_dtype_name(row.type));
    }
    return pytree__op_joined(c->out[0], c->in[0], &row, 0, err);
}
static pytree_status pytree__op_one_hot_run(const pytree_op_call *c, pytree_error *err)
{
    const size_t n = pytree_leaf_count(c->in[0]), width = *(const size_t *)c->params;
    size_t i;
    (void)err;
    memset(c->out[0]->data, 0, pytree_leaf_bytes(c->out[0]));
    for (i = 0; i < n; i++) {
        const int64_t at = pytree__op_whole(c->in[0], i);
        if (at < 0 || (uint64_t)at >= width) { continue; }
        if (c->out[0]->type->dtype == PYTREE_F64) { ((double *)c->out[0]->data)[i * width + (size_t)at] = 1; }
        else { ((float *)c->out[0]->data)[i * width + (size_t)at] = 1; }
    }
    return PYTREE_OK;
}
static const pytree_op pytree__op_one_hot = { "one_hot", sizeof(size_t), 1, pytree__op_one_hot_shape, pytree__op_one_hot_run,
                                              NULL, NULL, NULL, false };
pytree_value pytree_op_one_hot(pytree_trace *tr, pytree_value at, size_t n, pytree_value like)
{
    pytree_value in[2];
    in[0] = at;
    in[1] = like;
    return pytree_record(tr, &pytree__op_one_hot, &n, 2, in, NULL);
}

#include "ops_elementwise.h"
#endif
