/* pytree/impl/arithmetic.h: arithmetic on whole trees. */
#ifndef PYTREE_IMPL_ARITHMETIC_H
#define PYTREE_IMPL_ARITHMETIC_H

#include "spans.h"

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

/* A compensated sum (Neumaier): the sum and its rounding errors. */
typedef struct pytree__rv_long_sum {
    double sum, rest;
} pytree__rv_long_sum;

static void pytree__rv_add_to(pytree__rv_long_sum *s, double v)
{
    const double sum = s->sum + v;
    s->rest += fabs(s->sum) >= fabs(v) ? (s->sum - sum) + v : (v - sum) + s->sum;
    s->sum = sum;
}

/* Return the sum. If it is infinite or NaN, the compensation is NaN and is ignored. */
static double pytree__rv_whole_sum(const pytree__rv_long_sum *s) { return s->sum - s->sum == 0 ? s->sum + s->rest : s->sum; }

/* Read real numbers of any float type as doubles, times `scale`. */
static void pytree__rv_read_doubles(double *to, pytree_dtype dtype, const char *at, size_t step, size_t n, double scale)
{
    pytree__rv_wide wide;
    size_t i;
    if (dtype == PYTREE_F64 || dtype == PYTREE_F32) {
        for (i = 0; i < n; i++) {
            float f;
            if (dtype == PYTREE_F64) {
                memcpy(&to[i], at + i * step * sizeof *to, sizeof *to);
            } else {
                memcpy(&f, at + i * step * sizeof f, sizeof f);
                to[i] = (double)f;
            }
            to[i] *= scale;
        }
        return;
    }
    pytree__rv_read(&wide, dtype, at, step, n);
    for (i = 0; i < n; i++) { to[i] = scale * (wide.sort == PYTREE__RV_DOUBLE ? wide.as.d[i] : (double)wide.as.l[i]); }
}

/* Sum n products (at most a block) in eight partial sums, with loops of constant length, which compilers vectorize. */
#define PYTREE__RV_SUM_PRODUCTS(name, T)                                                                                \
    static double name(const T *x, const T *y, size_t n)                                                                \
    {                                                                                                                   \
        double sums[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };                                                                    \
        size_t i, k;                                                                                                    \
        for (i = 0; i + 8 <= n; i += 8) {                                                                               \
            for (k = 0; k < 8; k++) { sums[k] += (double)x[i + k] * (double)y[i + k]; }                                 \
        }                                                                                                               \
        for (k = 0; i + k < n; k++) { sums[k] += (double)x[i + k] * (double)y[i + k]; }                                 \
        return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));               \
    }
PYTREE__RV_SUM_PRODUCTS(pytree__rv_sum_float, float)
PYTREE__RV_SUM_PRODUCTS(pytree__rv_sum_double, double)

/* Are both float, or both double, at addresses for them? */
static bool pytree__rv_are_both(pytree_dtype part, const pytree__rv_span *s)
{
    return pytree__rv_numbers[s->x_type].part == part && pytree__rv_numbers[s->y_type].part == part
        && ((uintptr_t)s->x | (uintptr_t)s->y | s->stride) % (part == PYTREE_F32 ? sizeof(float) : sizeof(double)) == 0;
}

/* Products that wait to be summed, and the sum of those before. */
typedef struct pytree__rv_products {
    pytree__rv_long_sum sum;
    size_t n;
    double at[PYTREE__RV_BLOCK];
} pytree__rv_products;

static void pytree__rv_flush(pytree__rv_products *p)
{
    double sums[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };
    size_t i, k;
    for (i = 0; i + 8 <= p->n; i += 8) {
        for (k = 0; k < 8; k++) { sums[k] += p->at[i + k]; }
    }
    for (k = 0; i + k < p->n; k++) { sums[k] += p->at[i + k]; }
    pytree__rv_add_to(&p->sum, ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7])));
    p->n = 0;
}

/* Add the products of pieces of n numbers, which are few, of one element type. */
#define PYTREE__RV_DOT_PIECES(name, T)                                                                                  \
    static void name(pytree__rv_products *p, const pytree__rv_span *s, const size_t n)                                  \
    {                                                                                                                   \
        size_t i = 0, j, end;                                                                                           \
        while (i < s->count) {                                                                                          \
            double *to = p->at + p->n;                                                                                  \
            end = pytree__rv_least(s->count, i + (PYTREE__RV_BLOCK - p->n) / n);                                        \
            p->n += (end - i) * n;                                                                                      \
            for (; i < end; i++, to += n) {                                                                             \
                const T *const x = (const T *)(const void *)(s->x + i * s->stride);                                     \
                const T *const y = (const T *)(const void *)(s->y + i * s->stride);                                     \
                to[0] = (double)x[0] * (double)y[0];                                                                    \
                for (j = 1; j < n; j++) { to[j] = (double)x[j] * (double)y[j]; }                                        \
            }                                                                                                           \
            if (i < s->count) { pytree__rv_flush(p); }                                                                  \
        }                                                                                                               \
    }
PYTREE__RV_DOT_PIECES(pytree__rv_dot_floats, float)
PYTREE__RV_DOT_PIECES(pytree__rv_dot_doubles, double)

/* Add the products of n numbers that lie side by side. */
static void pytree__rv_dot_direct(pytree__rv_long_sum *sum, pytree_dtype part, const char *x, const char *y, size_t n)
{
    const size_t size = pytree__rv_number_size(part);
    const void *p, *q;
    size_t k;
    for (; n > 0; n -= k, x += k * size, y += k * size) {
        p = x;
        q = y;
        k = pytree__rv_least(n, PYTREE__RV_BLOCK);
        pytree__rv_add_to(sum, part == PYTREE_F32 ? pytree__rv_sum_float((const float *)p, (const float *)q, k)
                                                  : pytree__rv_sum_double((const double *)p, (const double *)q, k));
    }
}

/* Add the products of a span; if only one side is complex, of its real parts. */
static void pytree__rv_dot_span(pytree__rv_products *p, const pytree__rv_span *s, double scale)
{
    const pytree__rv_number *a = &pytree__rv_numbers[s->x_type], *b = &pytree__rv_numbers[s->y_type];
    const bool both = a->parts == b->parts;
    const size_t n = s->n * (both ? a->parts : (size_t)1);
    const size_t x_step = both ? (size_t)1 : a->parts, y_step = both ? (size_t)1 : b->parts;
    const size_t x_size = pytree__rv_number_size(a->part) * x_step, y_size = pytree__rv_number_size(b->part) * y_step;
    const bool floats = both && scale == 1 && pytree__rv_are_both(PYTREE_F32, s);
    const bool doubles = both && scale == 1 && pytree__rv_are_both(PYTREE_F64, s);
    double v[PYTREE__RV_BLOCK];
    size_t i, left, k, j;
    if (s->count == 1 && (floats || doubles)) {
        pytree__rv_dot_direct(&p->sum, a->part, s->x, s->y, n);
        return;
    }
    if (n < PYTREE__RV_BLOCK / 4 && (floats || doubles)) {
        if (floats) { pytree__rv_dot_floats(p, s, n); } else { pytree__rv_dot_doubles(p, s, n); }
        pytree__rv_flush(p);
        return;
    }
    for (i = 0; i < s->count; i++) {
        const char *x = s->x + i * s->stride, *y = s->y + i * s->stride;
        for (left = n; left > 0; left -= k, x += k * x_size, y += k * y_size) {
            k = pytree__rv_least(left, PYTREE__RV_BLOCK - p->n);
            pytree__rv_read_doubles(p->at + p->n, a->part, x, x_step, k, scale);
            pytree__rv_read_doubles(v, b->part, y, y_step, k, scale);
            for (j = 0; j < k; j++) { p->at[p->n + j] *= v[j]; }
            p->n += k;
            if (p->n == PYTREE__RV_BLOCK) { pytree__rv_flush(p); }
        }
    }
    pytree__rv_flush(p);
}

/* Its blocks are not on the stack while an iterator reports an error; nor are those of the other functions here. */
static PYTREE__NOINLINE double pytree__rv_dot(const pytree__rv_spans *spans, double scale)
{
    pytree__rv_products p;
    size_t i;
    p.sum.sum = p.sum.rest = 0;
    p.n = 0;
    for (i = 0; i < spans->n; i++) { pytree__rv_dot_span(&p, &spans->at[i], scale); }
    return pytree__rv_whole_sum(&p.sum);
}

pytree_status pytree_dot(pytree x, pytree y, double *result, const pytree_options *opt, pytree_error *err)
{
    pytree__rv_spans spans;
    pytree both[2];
    pytree_status status;
    both[0] = x;
    both[1] = y;
    spans.accepts = NULL;
    spans.writes = false;
    status = pytree__rv_list_spans(&spans, 2, both, opt, err);
    if (status == PYTREE_OK) { *result = pytree__rv_dot(&spans, 1); }
    pytree__rv_end_spans(&spans);
    return status;
}

/* Find the largest absolute value; NaN is ignored. */
static PYTREE__NOINLINE double pytree__rv_largest(const pytree__rv_spans *spans)
{
    double largest = 0, p[PYTREE__RV_BLOCK];
    size_t i, at, k, j, piece;
    for (i = 0; i < spans->n; i++) {
        const pytree__rv_span *const s = &spans->at[i];
        const pytree__rv_number *a = &pytree__rv_numbers[s->x_type];
        const size_t n = a->parts * s->n, size = pytree__rv_number_size(a->part);
        for (piece = 0; piece < s->count; piece++) {
            for (at = 0; at < n; at += k) {
                k = pytree__rv_least(n - at, PYTREE__RV_BLOCK);
                pytree__rv_read_doubles(p, a->part, s->x + piece * s->stride + at * size, 1, k, 1);
                for (j = 0; j < k; j++) { largest = fabs(p[j]) > largest ? fabs(p[j]) : largest; }
            }
        }
    }
    return largest;
}

static double pytree__rv_norm(const pytree__rv_spans *spans)
{
    double squares = pytree__rv_dot(spans, 1), largest;
    int exponent;
    if (squares > 1e-280 && squares <= DBL_MAX) { return sqrt(squares); }
    largest = pytree__rv_largest(spans);                       /* some squares may have left the range */
    if (!(largest > 0 && largest <= DBL_MAX)) { return sqrt(squares != squares ? squares : largest); }
    frexp(largest, &exponent);
    exponent = exponent < -1000 ? -1000 : exponent;
    return ldexp(sqrt(pytree__rv_dot(spans, ldexp(1, -exponent))), exponent);
}

pytree_status pytree_norm(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    pytree__rv_spans spans;
    pytree_status status;
    spans.accepts = NULL;
    spans.writes = false;
    status = pytree__rv_list_spans(&spans, 1, &t, opt, err);
    if (status == PYTREE_OK) { *result = pytree__rv_norm(&spans); }
    pytree__rv_end_spans(&spans);
    return status;
}

/* ---- In place ---------------------------------------------------------------------------------------------------------- */

/* The operations that write y: y + a x, y + a (x - y), a y, a. */
enum { PYTREE__RV_AXPY, PYTREE__RV_LERP, PYTREE__RV_SCALE, PYTREE__RV_FILL };
#define PYTREE__RV_RESULT(op, a, x, y)                                                                                  \
    ((op) == PYTREE__RV_AXPY ? (y) + (a) * (x) : (op) == PYTREE__RV_LERP ? (y) + (a) * ((x) - (y))                      \
     : (op) == PYTREE__RV_SCALE ? (a) * (y) : (a))

/* Compute real numbers of any types, at most a block. */
static void pytree__rv_block(int op, double a, const char *x, pytree_dtype x_type, char *y, pytree_dtype y_type, size_t y_step,
                             size_t n)
{
    pytree__rv_wide p, q, r;
    size_t i;
    pytree__rv_read(&p, x_type, x, 1, n);
    pytree__rv_read(&q, y_type, y, y_step, n);
    r.sort = p.sort > q.sort ? p.sort : q.sort;
    for (i = 0; i < n; i++) {
        if (r.sort == PYTREE__RV_DOUBLE) {
            r.as.d[i] = PYTREE__RV_RESULT(op, a, p.as.d[i], q.as.d[i]);
        } else {                          /* one call at a time: tcc keeps no long double across another */
            const long double v = pytree__rv_wide_real(&p, i);
            const long double w = pytree__rv_wide_real(&q, i);
            r.as.l[i] = PYTREE__RV_RESULT(op, (long double)a, v, w);
        }
    }
    pytree__rv_write(&r, y_type, y, y_step, n);
}

/* clang vectorizes a plain loop, once it has looked whether x and y overlap. */
#if defined(__clang__)
enum { PYTREE__RV_BY_FOUR = 0 };
#else
enum { PYTREE__RV_BY_FOUR = 1 };
#endif
/* Compute n numbers of one element type, in that type. They are read before they are written, four at a time, so that
 * compilers vectorize although x may be y. */
#define PYTREE__RV_FOUR(T, op, x, y)                                                                                    \
    do {                                                                                                                \
        const T x0 = (x)[0], x1 = (x)[1], x2 = (x)[2], x3 = (x)[3], y0 = (y)[0], y1 = (y)[1], y2 = (y)[2], y3 = (y)[3]; \
        (void)x0, (void)x1, (void)x2, (void)x3, (void)y0, (void)y1, (void)y2, (void)y3;                                 \
        (y)[0] = PYTREE__RV_RESULT(op, a, x0, y0);                                                                      \
        (y)[1] = PYTREE__RV_RESULT(op, a, x1, y1);                                                                      \
        (y)[2] = PYTREE__RV_RESULT(op, a, x2, y2);                                                                      \
        (y)[3] = PYTREE__RV_RESULT(op, a, x3, y3);                                                                      \
    } while (0)
#define PYTREE__RV_ONE(T, op, x, y, k) (y)[k] = PYTREE__RV_RESULT(op, a, (x)[k], (y)[k])

/* Compute a span. Pieces are at most a few members of a struct, mostly. */
#define PYTREE__RV_PIECES(T, op, body)                                                                                  \
    for (i = 0; i < s->count; i++) {                                                                                    \
        const T *const x = (const T *)(const void *)(s->x + i * s->stride);                                             \
        T *const y = (T *)(void *)(s->y + i * s->stride);                                                               \
        body                                                                                                            \
    }                                                                                                                   \
    return
#define PYTREE__RV_LOOP(T, op)                                                                                          \
    switch (n) {                                                                                                        \
    case 1: PYTREE__RV_PIECES(T, op, PYTREE__RV_ONE(T, op, x, y, 0););                                                  \
    case 2: PYTREE__RV_PIECES(T, op, PYTREE__RV_ONE(T, op, x, y, 0); PYTREE__RV_ONE(T, op, x, y, 1););                  \
    case 3: PYTREE__RV_PIECES(T, op, PYTREE__RV_ONE(T, op, x, y, 0); PYTREE__RV_ONE(T, op, x, y, 1);                    \
                              PYTREE__RV_ONE(T, op, x, y, 2););                                                         \
    case 4: PYTREE__RV_PIECES(T, op, PYTREE__RV_FOUR(T, op, x, y););                                                    \
    default:                                                                                                            \
        PYTREE__RV_PIECES(T, op,                                                                                        \
            for (k = 0; k + 4 <= (PYTREE__RV_BY_FOUR ? n : 0); k += 4) { PYTREE__RV_FOUR(T, op, x + k, y + k); }        \
            for (; k < n; k++) { PYTREE__RV_ONE(T, op, x, y, k); });                                                    \
    }
#define PYTREE__RV_LOOPS(name, T)                                                                                       \
    static void name(int op, const T a, const pytree__rv_span *s, const size_t n)                                       \
    {                                                                                                                   \
        size_t i, k;                                                                                                    \
        if (op == PYTREE__RV_AXPY) { PYTREE__RV_LOOP(T, PYTREE__RV_AXPY) }                                              \
        if (op == PYTREE__RV_LERP) { PYTREE__RV_LOOP(T, PYTREE__RV_LERP) }                                              \
        if (op == PYTREE__RV_SCALE) { PYTREE__RV_LOOP(T, PYTREE__RV_SCALE) }                                            \
        PYTREE__RV_LOOP(T, PYTREE__RV_FILL)                                                                             \
    }
PYTREE__RV_LOOPS(pytree__rv_loop_float, float)
PYTREE__RV_LOOPS(pytree__rv_loop_double, double)

/* Compute floats that lie at addresses that are none for floats, at most a block, by the same arithmetic. */
static void pytree__rv_floats_anywhere(int op, float a, const char *x, char *y, size_t n)
{
    float p[PYTREE__RV_BLOCK], q[PYTREE__RV_BLOCK];
    pytree__rv_span s = { NULL, NULL, 0, 1, 0, PYTREE_F32, PYTREE_F32 };
    memcpy(p, x, n * sizeof *p);
    memcpy(q, y, n * sizeof *q);
    s.x = (char *)p;
    s.y = (char *)q;
    pytree__rv_loop_float(op, a, &s, n);
    memcpy(y, q, n * sizeof *q);
}

static PYTREE__NOINLINE void pytree__rv_span_in_place(int op, double a, const pytree__rv_span *s)
{
    const pytree__rv_number *from = &pytree__rv_numbers[s->x_type], *to = &pytree__rv_numbers[s->y_type];
    const bool real = op == PYTREE__RV_FILL && to->parts == 2; /* sets real parts to a, the others to 0 */
    const size_t step = from->parts == to->parts && !real ? 1 : 2, n = s->n * (real ? 1 : from->parts);
    const size_t x_size = pytree__rv_number_size(from->part), y_size = pytree__rv_number_size(to->part) * step;
    size_t i, left, k;
    if (step == 1 && pytree__rv_are_both(PYTREE_F64, s)) { pytree__rv_loop_double(op, a, s, n); return; }
    if (step == 1 && pytree__rv_are_both(PYTREE_F32, s)) { pytree__rv_loop_float(op, (float)a, s, n); return; }
    for (i = 0; i < s->count; i++) {
        const char *x = s->x + i * s->stride;
        char *y = s->y + i * s->stride;
        if (real) { memset(y, 0, n * y_size); }
        for (left = n; left > 0; left -= k, x += k * x_size, y += k * y_size) {
            k = pytree__rv_least(left, PYTREE__RV_BLOCK);
            if (step == 1 && from->part == PYTREE_F32 && to->part == PYTREE_F32) {
                pytree__rv_floats_anywhere(op, (float)a, x, y, k);
            } else {
                pytree__rv_block(op, a, x, from->part, y, to->part, step, k);
            }
        }
    }
}

static pytree_status pytree__rv_in_place(int op, double a, size_t n_trees, const pytree *trees,
                                         bool (*accepts)(pytree_dtype x, pytree_dtype y), const pytree_options *opt,
                                         pytree_error *err)
{
    pytree__rv_spans spans;
    pytree_status status;
    size_t i;
    spans.accepts = accepts;
    spans.writes = true;
    status = pytree__rv_list_spans(&spans, n_trees, trees, opt, err);
    for (i = 0; status == PYTREE_OK && i < spans.n; i++) { pytree__rv_span_in_place(op, a, &spans.at[i]); }
    pytree__rv_end_spans(&spans);
    return status;
}

static bool pytree__rv_holds(pytree_dtype x, pytree_dtype y)
{
    return pytree__rv_numbers[x].parts <= pytree__rv_numbers[y].parts;
}

static bool pytree__rv_same_parts(pytree_dtype x, pytree_dtype y)
{
    return pytree__rv_numbers[x].parts == pytree__rv_numbers[y].parts;
}

pytree_status pytree_axpy(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    both[0] = x;
    both[1] = y;
    return pytree__rv_in_place(PYTREE__RV_AXPY, a, 2, both, pytree__rv_holds, opt, err);
}

pytree_status pytree_lerp(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    both[0] = x;
    both[1] = y;
    return pytree__rv_in_place(PYTREE__RV_LERP, a, 2, both, pytree__rv_same_parts, opt, err);
}

pytree_status pytree_scale(double a, pytree t, const pytree_options *opt, pytree_error *err)
{
    return pytree__rv_in_place(PYTREE__RV_SCALE, a, 1, &t, NULL, opt, err);
}

pytree_status pytree_fill(double a, pytree t, const pytree_options *opt, pytree_error *err)
{
    return pytree__rv_in_place(PYTREE__RV_FILL, a, 1, &t, NULL, opt, err);
}

pytree_status pytree_zero(pytree t, const pytree_options *opt, pytree_error *err) { return pytree_fill(0, t, opt, err); }

#endif
