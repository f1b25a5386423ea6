/* pytree/impl/arithmetic.h: arithmetic on whole trees. */
#ifndef PYTREE_IMPL_ARITHMETIC_H
#define PYTREE_IMPL_ARITHMETIC_H

#include "summary.h"

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

/* Check that both trees consist of floats and have equal structure and shapes. */
static pytree_status pytree__rv_check_pair(pytree x, pytree y, bool writes, pytree__rv_census *census,
                                           const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    pytree_iter it;
    both[0] = x;
    both[1] = y;
    memset(census, 0, sizeof *census);
    if (pytree_iter_begin(&it, 2, both, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
            const pytree_leaf *a = it.leaf[0], *b = it.leaf[1];
            char expected[200], got[200];
            it.status = pytree__rv_want_number(&it, a, "floats or complex numbers");
            if (it.status == PYTREE_OK) { it.status = pytree__rv_want_number(&it, b, "floats or complex numbers"); }
            if (it.status != PYTREE_OK) { break; }
            census->leaves++;
            census->n += pytree_leaf_count(a) + pytree_leaf_count(b);
            pytree__leaf_text(expected, sizeof expected, a);
            pytree__leaf_text(got, sizeof got, b);
            if (a->ndim != b->ndim || (a->ndim != 0 && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0)) {
                it.status = pytree__fail_at(&it.cursors[0], PYTREE_SHAPE, "expected the shape of %s, got %s", expected, got);
            } else if (writes && pytree__rv_numbers[a->type->dtype].parts > pytree__rv_numbers[b->type->dtype].parts) {
                it.status = pytree__fail_at(&it.cursors[0], PYTREE_TYPE, "expected complex numbers to add %s to, got %s",
                                            expected, got);
            }
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

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

static bool pytree__rv_are_floats(const pytree__rv_number *a, const pytree__rv_number *b, const void *x, const void *y)
{
    return a->part == PYTREE_F32 && b->part == PYTREE_F32 && ((uintptr_t)x | (uintptr_t)y) % sizeof(float) == 0;
}

/* Sum the products of two leaves' elements; if only one leaf is complex, of its real parts. Its blocks are not on the stack
 * while an iterator reports an error. */
static PYTREE__NOINLINE void pytree__rv_dot_leaf(pytree__rv_long_sum *sum, const pytree_leaf *x, const pytree_leaf *y,
                                                 double scale)
{
    const pytree__rv_number *a = &pytree__rv_numbers[x->type->dtype], *b = &pytree__rv_numbers[y->type->dtype];
    const bool both = a->parts == b->parts;
    const size_t n = pytree_leaf_count(x) * (both ? a->parts : (size_t)1);
    const size_t x_step = both ? (size_t)1 : a->parts, y_step = both ? (size_t)1 : b->parts;
    const size_t x_size = pytree__rv_number_size(a->part) * x_step, y_size = pytree__rv_number_size(b->part) * y_step;
    const bool direct = both && scale == 1 && pytree__rv_are_floats(a, b, x->data, y->data);
    const char *p = (const char *)x->data, *q = (const char *)y->data;
    double v[PYTREE__RV_BLOCK], w[PYTREE__RV_BLOCK];
    size_t left, k;
    for (left = n; left > 0; left -= k, p += k * x_size, q += k * y_size) {
        k = pytree__rv_least(left, PYTREE__RV_BLOCK);
        if (direct) {
            pytree__rv_add_to(sum, pytree__rv_sum_float((const float *)(const void *)p, (const float *)(const void *)q, k));
        } else {
            pytree__rv_read_doubles(v, a->part, p, x_step, k, scale);
            pytree__rv_read_doubles(w, b->part, q, y_step, k, scale);
            pytree__rv_add_to(sum, pytree__rv_sum_double(v, w, k));
        }
    }
}

static pytree_status pytree__rv_dot(pytree x, pytree y, double scale, double *result, const pytree_options *opt,
                                    pytree_error *err)
{
    pytree__rv_long_sum sum = { 0, 0 };
    pytree both[2];
    pytree_iter it;
    both[0] = x;
    both[1] = y;
    if (pytree_iter_begin(&it, 2, both, opt, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) { pytree__rv_dot_leaf(&sum, it.leaf[0], it.leaf[1], scale); }
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK) { *result = pytree__rv_whole_sum(&sum); }
    return it.status;
}

pytree_status pytree_dot(pytree x, pytree y, double *result, const pytree_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    const pytree_status status = pytree__rv_check_pair(x, y, false, &census, opt, err);
    return status != PYTREE_OK ? status : pytree__rv_dot(x, y, 1, result, opt, err);
}

/* Find the largest absolute value; NaN is ignored. */
static pytree_status pytree__rv_largest(pytree t, double *largest, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    *largest = 0;
    if (pytree_iter_begin(&it, 1, &t, opt, err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const pytree__rv_number *a = &pytree__rv_numbers[it.leaf[0]->type->dtype];
            const size_t n = a->parts * pytree_leaf_count(it.leaf[0]), size = pytree__rv_number_size(a->part);
            double p[PYTREE__RV_BLOCK];
            size_t i, k, j;
            for (i = 0; i < n; i += k) {
                k = pytree__rv_least(n - i, PYTREE__RV_BLOCK);
                pytree__rv_read_doubles(p, a->part, (const char *)it.leaf[0]->data + i * size, 1, k, 1);
                for (j = 0; j < k; j++) {
                    if (fabs(p[j]) > *largest) { *largest = fabs(p[j]); }
                }
            }
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

pytree_status pytree_norm(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    double squares = 0, largest;
    pytree__rv_census census;
    pytree_status status = pytree__rv_check_pair(t, t, false, &census, opt, err);
    if (status == PYTREE_OK) { status = pytree__rv_dot(t, t, 1, &squares, opt, err); }
    if (status == PYTREE_OK && !(squares > 1e-280 && squares <= DBL_MAX)) {    /* some squares may have left the range */
        status = pytree__rv_largest(t, &largest, opt, err);
        if (status != PYTREE_OK) { return status; }
        if (largest > 0 && largest <= DBL_MAX) {
            int exponent;
            frexp(largest, &exponent);
            exponent = exponent < -1000 ? -1000 : exponent;
            status = pytree__rv_dot(t, t, ldexp(1, -exponent), &squares, opt, err);
            if (status == PYTREE_OK) { *result = ldexp(sqrt(squares), exponent); }
            return status;
        }
        squares = squares != squares ? squares : largest;
    }
    if (status == PYTREE_OK) { *result = sqrt(squares); }
    return status;
}

/* Compute y += a x for real numbers, at most a block. */
static void pytree__rv_axpy_block(double a, const char *x, pytree_dtype x_type, char *y, pytree_dtype y_type, size_t y_step,
                               size_t n)
{
    pytree__rv_wide p, q, sum;
    size_t i;
    pytree__rv_read(&p, x_type, x, 1, n);
    pytree__rv_read(&q, y_type, y, y_step, n);
    sum.sort = p.sort > q.sort ? p.sort : q.sort;
    for (i = 0; i < n; i++) {
        if (sum.sort == PYTREE__RV_DOUBLE) {
            sum.as.d[i] = q.as.d[i] + a * p.as.d[i];
        } else {                          /* one call at a time: tcc keeps no long double across another */
            const long double v = pytree__rv_wide_real(&p, i);
            const long double w = pytree__rv_wide_real(&q, i);
            sum.as.l[i] = w + (long double)a * v;
        }
    }
    pytree__rv_write(&sum, y_type, y, y_step, n);
}

static void pytree__rv_axpy_floats(double a, const float *x, float *y, size_t n)
{
    size_t i, k;
    for (i = 0; i + 8 <= n; i += 8) {
        float sums[8];
        for (k = 0; k < 8; k++) { sums[k] = (float)((double)y[i + k] + a * (double)x[i + k]); }
        memcpy(y + i, sums, sizeof sums);
    }
    for (; i < n; i++) { y[i] = (float)((double)y[i] + a * (double)x[i]); }
}

static PYTREE__NOINLINE void pytree__rv_axpy_part(double a, const pytree__rv_part *x, const pytree__rv_part *y)
{
    const pytree__rv_number *from = &pytree__rv_numbers[x->dtype], *to = &pytree__rv_numbers[y->dtype];
    const size_t step = from->parts == to->parts ? 1 : 2, n = x->n * from->parts;
    const size_t x_size = pytree__rv_number_size(from->part), y_size = pytree__rv_number_size(to->part) * step;
    const char *p = x->data;
    char *q = y->data;
    size_t left, k;
    if (step == 1 && pytree__rv_are_floats(from, to, p, q)) {
        pytree__rv_axpy_floats(a, (const float *)(const void *)p, (float *)(void *)q, n);
        return;
    }
    for (left = n; left > 0; left -= k, p += k * x_size, q += k * y_size) {
        k = pytree__rv_least(left, PYTREE__RV_BLOCK);
        pytree__rv_axpy_block(a, p, from->part, q, to->part, step, k);
    }
}

pytree_status pytree_axpy(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    pytree__rv_list list;
    pytree both[2];
    size_t i;
    pytree_status status = pytree__rv_check_pair(x, y, true, &census, opt, err);
    if (status != PYTREE_OK) { return status; }
    both[0] = x;
    both[1] = y;
    status = pytree__rv_list_leaves(&list, &census, 2, both, opt, err);
    for (i = 0; status == PYTREE_OK && i < list.n; i += 2) {
        pytree__rv_axpy_part(a, &list.parts[i], &list.parts[i + 1]);
    }
    pytree__rv_end_list(&list);
    return status;
}

#endif
