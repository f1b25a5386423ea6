/* pytree/impl/ops_strided.h: loops over arrays that broadcast or are permuted, and checks that operations share. */
#ifndef PYTREE_IMPL_OPS_STRIDED_H
#define PYTREE_IMPL_OPS_STRIDED_H

#include "internal.h"
#include "../ops.h"
#include "program_trace.h"

enum { PYTREE__WALK_OPERANDS = 4 };

/* A loop nest over extents, with the steps in elements of each operand. Dimensions that are one run for all operands are one.
 * */
struct pytree__walk {
    int ndim;                             /* at least 1 */
    size_t n;                             /* operands */
    size_t bytes[PYTREE__WALK_OPERANDS];  /* of an element of each */
    size_t extent[PYTREE_MAX_DIMS], step[PYTREE__WALK_OPERANDS][PYTREE_MAX_DIMS];
};

/* Handles the innermost dimension: n elements, and the steps of the operands. */
typedef void pytree__row_fn(void *const *at, size_t n, const size_t *step);

/* Steps of a row-major array whose dimensions are aligned at the end with `ndim` extents; 0 where it repeats. */
static void pytree__walk_steps(size_t *step, int ndim, const pytree_leaf *v)
{
    size_t run = 1;
    int i;
    for (i = 1; i <= ndim; i++) {
        const size_t extent = i <= v->ndim ? v->shape[v->ndim - i] : 1;
        step[ndim - i] = extent == 1 ? 0 : run;
        run *= extent;
    }
}

/* Makes a short innermost dimension change places with the longest one: a row costs more than its elements then. */
static void pytree__walk_lengthen(struct pytree__walk *w)
{
    enum { SHORT = 8 };
    const int last = w->ndim - 1;
    int longest = last, i;
    size_t k, extent;
    if (w->extent[last] >= SHORT) { return; }
    for (i = 0; i < last; i++) {
        if (w->extent[i] > w->extent[longest]) { longest = i; }
    }
    extent = w->extent[last];
    w->extent[last] = w->extent[longest];
    w->extent[longest] = extent;
    for (k = 0; k < w->n; k++) {
        const size_t step = w->step[k][last];
        w->step[k][last] = w->step[k][longest];
        w->step[k][longest] = step;
    }
}

/* Leaves out dimensions of one element, and joins those that are one run for all operands. */
static void pytree__walk_join(struct pytree__walk *w)
{
    int from, to = -1;
    size_t k;
    for (from = 0; from < w->ndim; from++) {
        bool joins = to >= 0;
        if (w->extent[from] == 1) { continue; }
        for (k = 0; k < w->n && joins; k++) { joins = w->step[k][to] == w->step[k][from] * w->extent[from]; }
        if (joins) { w->extent[to] *= w->extent[from]; } else { w->extent[++to] = w->extent[from]; }
        for (k = 0; k < w->n; k++) { w->step[k][to] = w->step[k][from]; }
    }
    if (to < 0) {
        w->extent[++to] = 1;
        for (k = 0; k < w->n; k++) { w->step[k][0] = 0; }
    }
    w->ndim = to + 1;
    pytree__walk_lengthen(w);
}

/* One run, if each operand has the whole shape or one element. */
static bool pytree__walk_whole(struct pytree__walk *w, const pytree_leaf *shape, size_t n, const pytree_leaf *const *operands)
{
    size_t k;
    for (k = 0; k < n; k++) { w->bytes[k] = operands[k]->type->size; }
    for (k = 0; k < n; k++) {
        const pytree_leaf *v = operands[k];
        const bool same = v->ndim == shape->ndim && pytree__other_extents(v, shape) == 0;
        if (!same && v->ndim != 0) { return false; }
        w->step[k][0] = same && v->ndim != 0;
    }
    w->ndim = 1;
    w->n = n;
    w->extent[0] = pytree_leaf_count(shape);
    return true;
}

/* The loop over `shape` of operands that broadcast to it. */
static void pytree__walk_broadcast(struct pytree__walk *w, const pytree_leaf *shape, size_t n,
                                   const pytree_leaf *const *operands)
{
    size_t k;
    if (pytree__walk_whole(w, shape, n, operands)) { return; }
    w->ndim = shape->ndim;
    w->n = n;
    memcpy(w->extent, shape->shape, sizeof w->extent);
    for (k = 0; k < n; k++) { pytree__walk_steps(w->step[k], shape->ndim, operands[k]); }
    pytree__walk_join(w);
}

/* Calls `row` for each run of the innermost dimension: the loop over the next one, and around it those over the others. */
static void pytree__walk_run(const struct pytree__walk *w, void *const *data, pytree__row_fn *row)
{
    const int last = w->ndim - 1;
    const size_t n = w->n, count = last == 0 ? 1 : w->extent[last - 1];
    size_t index[PYTREE_MAX_DIMS] = { 0 }, step[PYTREE__WALK_OPERANDS], next[PYTREE__WALK_OPERANDS], j, k;
    void *at[PYTREE__WALK_OPERANDS];
    int i;
    for (i = 0; i <= last; i++) {
        if (w->extent[i] == 0) { return; }
    }
    for (k = 0; k < n; k++) {
        at[k] = data[k];
        step[k] = w->step[k][last];
        next[k] = last == 0 ? 0 : w->step[k][last - 1] * w->bytes[k];
    }
    for (;;) {
        for (j = 0; j < count; j++) {
            row(at, w->extent[last], step);
            for (k = 0; k < n; k++) { at[k] = (char *)at[k] + next[k]; }
        }
        for (k = 0; k < n; k++) { at[k] = (char *)at[k] - count * next[k]; }
        for (i = last - 2; i >= 0; i--) {
            for (k = 0; k < n; k++) { at[k] = (char *)at[k] + w->step[k][i] * w->bytes[k]; }
            if (++index[i] < w->extent[i]) { break; }
            for (k = 0; k < n; k++) { at[k] = (char *)at[k] - w->extent[i] * w->step[k][i] * w->bytes[k]; }
            index[i] = 0;
        }
        if (i < 0) { return; }
    }
}

/* The loop of a call over the shape that its result and its operands broadcast to. */
static void pytree__walk_of(struct pytree__walk *w, const pytree_op_call *c)
{
    const pytree_leaf *operands[PYTREE__WALK_OPERANDS];
    pytree_leaf shape = *c->out[0];
    size_t k;
    int i;
    operands[0] = c->out[0];
    for (k = 0; k < c->n_in; k++) {
        operands[k + 1] = c->in[k];
        if (c->in[k]->ndim > shape.ndim) { shape = *c->in[k]; }
    }
    for (k = 0; k <= c->n_in; k++) {
        const pytree_leaf *v = operands[k];
        for (i = 1; i <= v->ndim; i++) {
            const size_t extent = v->shape[v->ndim - i];
            if (extent != 1) { shape.shape[shape.ndim - i] = extent; }
        }
    }
    pytree__walk_broadcast(w, &shape, c->n_in + 1, operands);
}

/* Makes that loop when the call is planned. */
static pytree_status pytree__walk_plan(pytree_op_call *c, struct pytree__fn_plan *arena)
{
    struct pytree__walk *w = (struct pytree__walk *)pytree__fn_take(arena, 1, sizeof *w);
    if (w == NULL) { return PYTREE_NO_MEMORY; }
    pytree__walk_of(w, c);
    c->memory = w;
    return PYTREE_OK;
}
static const struct pytree__op_hooks pytree__walk_hooks = { pytree__walk_plan, NULL, NULL, NULL };

/* Runs it; a call that was not planned makes it now. */
static void pytree__walk_call(const pytree_op_call *c, pytree__row_fn *row)
{
    const struct pytree__walk *w = (const struct pytree__walk *)c->memory;
    struct pytree__walk now;
    void *data[PYTREE__WALK_OPERANDS];
    size_t step[PYTREE__WALK_OPERANDS], k;
    if (w == NULL) {
        pytree__walk_of(&now, c);
        w = &now;
    }
    data[0] = c->out[0]->data;
    step[0] = w->step[0][0];
    for (k = 0; k < c->n_in; k++) {
        data[k + 1] = c->in[k]->data;
        step[k + 1] = w->step[k + 1][0];
    }
    if (w->ndim != 1) { pytree__walk_run(w, data, row); } else if (w->extent[0] != 0) { row(data, w->extent[0], step); }
}

/* ---- Copies of elements of any size -------------------------------------------------------------------------------- */

#define PYTREE__COPY_ROW(T)                                                                                             \
    static void pytree__copy_row_##T(void *const *at, size_t n, const size_t *step)                                     \
    {                                                                                                                   \
        T *to = (T *)at[0];                                                                                             \
        const T *from = (const T *)at[1];                                                                               \
        size_t i;                                                                                                       \
        if (step[0] == 1 && step[1] == 1) { memcpy(to, from, n * sizeof *to); return; }                                 \
        for (i = 0; i < n; i++) { to[i * step[0]] = from[i * step[1]]; }                                                \
    }
PYTREE__COPY_ROW(uint8_t)
PYTREE__COPY_ROW(uint16_t)
PYTREE__COPY_ROW(uint32_t)
PYTREE__COPY_ROW(uint64_t)

/* Copies elements of so many bytes. */
static pytree__row_fn *pytree__copy_row(size_t size)
{
    return size == 8 ? pytree__copy_row_uint64_t : size == 4 ? pytree__copy_row_uint32_t
        : size == 2 ? pytree__copy_row_uint16_t : pytree__copy_row_uint8_t;
}

/* ---- Checks -------------------------------------------------------------------------------------------------------- */

static bool pytree__is_float(const pytree_leaf *v) { return v->type->dtype == PYTREE_F32 || v->type->dtype == PYTREE_F64; }
static bool pytree__is_whole(const pytree_leaf *v)             /* integers that take and one_hot read */
{
    return v->type->dtype >= PYTREE_I8 && v->type->dtype <= PYTREE_U64;
}

/* Elements that pytree__copy_row has a row for. */
static pytree_status pytree__op_movable(const pytree_op_call *c, pytree_error *err)
{
    const size_t size = c->in[0]->type->size;
    if (size == 1 || size == 2 || size == 4 || size == 8) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected elements of 1, 2, 4 or 8 bytes, got %s",
                       pytree_dtype_name(c->in[0]->type));
}

/* All operands f32 or f64, and of one type. */
static pytree_status pytree__op_floats(const pytree_op_call *c, pytree_error *err)
{
    size_t k;
    for (k = 0; k < c->n_in; k++) {
        if (!pytree__is_float(c->in[k])) {
            return pytree_fail(err, PYTREE_TYPE, NULL, "expected f32 or f64, got %s", pytree_dtype_name(c->in[k]->type));
        }
        if (c->in[k]->type->dtype != c->in[0]->type->dtype) {
            return pytree_fail(err, PYTREE_TYPE, NULL, "expected one element type, got %s and %s",
                               pytree_dtype_name(c->in[0]->type), pytree_dtype_name(c->in[k]->type));
        }
    }
    return PYTREE_OK;
}

/* The common shape of operands from … n_in-1, in *out; its type is that of operand `from`. */
static pytree_status pytree__op_common(const pytree_op_call *c, size_t from, pytree_leaf *out, pytree_error *err)
{
    size_t k, j;
    int i;
    *out = *c->in[from];
    for (k = from + 1; k < c->n_in; k++) {
        const pytree_leaf *v = c->in[k];
        pytree_leaf wider = v->ndim > out->ndim ? *v : *out;
        for (i = 1; i <= wider.ndim; i++) {
            const size_t x = i <= out->ndim ? out->shape[out->ndim - i] : 1, y = i <= v->ndim ? v->shape[v->ndim - i] : 1;
            if (x != y && x != 1 && y != 1) {
                char a[96], b[96];
                pytree__leaf_text(a, sizeof a, out);
                pytree__leaf_text(b, sizeof b, v);
                return pytree_fail(err, PYTREE_SHAPE, NULL, "expected shapes that broadcast, got %s and %s", a, b);
            }
            wider.shape[wider.ndim - i] = x == 1 ? y : x;
        }
        for (j = 0; j < (size_t)wider.ndim; j++) { out->shape[j] = wider.shape[j]; }
        out->ndim = wider.ndim;
    }
    return PYTREE_OK;
}

/* A shape as parameters: zero beyond ndim, so that they can be compared by their bytes. */
struct pytree__op_shape {
    size_t ndim, shape[PYTREE_MAX_DIMS];
};
static struct pytree__op_shape pytree__op_shape_of(int ndim, const size_t *shape)
{
    struct pytree__op_shape p;
    int i;
    memset(&p, 0, sizeof p);
    p.ndim = (size_t)ndim;
    for (i = 0; i < ndim; i++) { p.shape[i] = shape[i]; }
    return p;
}

/* The shape of a value; an empty view for the value 0. */
static const pytree_leaf *pytree__op_look(const pytree_trace *tr, pytree_value v)
{
    static const pytree_leaf none = { NULL, &pytree_types[PYTREE__T_float_], 0, 0, { 0 } };
    const pytree_leaf *view = pytree_value_shape(tr, v);
    return view == NULL ? &none : view;
}

/* The axis counted from the front; PYTREE_ARGUMENT if there is none. */
static bool pytree__op_axis(pytree_trace *tr, const char *op, const pytree_leaf *v, int axis, int *from_front)
{
    *from_front = axis < 0 ? axis + v->ndim : axis;
    if (tr->err->status != PYTREE_OK) { return false; }
    if (*from_front >= 0 && *from_front < v->ndim) { return true; }
    (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s: %s: expected an axis from %d to %d, got %d", tr->recorder->name, op,
                      -v->ndim, v->ndim - 1, axis);
    return false;
}

#include "ops_shape.h"
#endif
