/* pytree/impl/sundials_ops.h: the operations on vectors. They compute as nvector_serial does, in its order: the same bits. */
#ifndef PYTREE_IMPL_SUNDIALS_OPS_H
#define PYTREE_IMPL_SUNDIALS_OPS_H

#include "sundials_walk.h"

/* ---- Element by element -------------------------------------------------------------------------------------------- */

/* A loop over a block of x, y and z that sets each z to a value of a, b and the elements x and y. */
typedef void pytree__sun_loop(const struct pytree__sun_block *block, sunrealtype a, sunrealtype b);

/* Define such a loop. Elements are read before they are written, four at a time, so that compilers vectorize although z may be
 * x or y.
 *
 *     PYTREE__SUN_EACH(pytree__sun_product, x0 * y0)   =>   …  z[k] = x[k] * y[k];  … */
#define PYTREE__SUN_EACH(name, value)                                                                                   \
    static inline sunrealtype name##_of(sunrealtype a, sunrealtype b, sunrealtype x0, sunrealtype y0)                   \
    {                                                                                                                   \
        (void)a, (void)b, (void)x0, (void)y0;                                                                           \
        return value;                                                                                                   \
    }                                                                                                                   \
    static void name(const struct pytree__sun_block *block, sunrealtype a, sunrealtype b)                               \
    {                                                                                                                   \
        const size_t n = block->n;                                                                                      \
        size_t i, k;                                                                                                    \
        for (i = 0; i < block->count; i++) {                                                                            \
            const sunrealtype *const x = pytree__sun_at(block, 0, i), *const y = pytree__sun_at(block, 1, i);           \
            sunrealtype *const z = pytree__sun_at(block, 2, i);                                                         \
            for (k = 0; k + 4 <= n; k += 4) {                                                                           \
                const sunrealtype v0 = name##_of(a, b, x[k], y[k]), v1 = name##_of(a, b, x[k + 1], y[k + 1]);           \
                const sunrealtype v2 = name##_of(a, b, x[k + 2], y[k + 2]), v3 = name##_of(a, b, x[k + 3], y[k + 3]);   \
                z[k] = v0;                                                                                              \
                z[k + 1] = v1;                                                                                          \
                z[k + 2] = v2;                                                                                          \
                z[k + 3] = v3;                                                                                          \
            }                                                                                                           \
            for (; k < n; k++) { z[k] = name##_of(a, b, x[k], y[k]); }                                                  \
        }                                                                                                               \
    }
PYTREE__SUN_EACH(pytree__sun_sum, a * x0 + b * y0)
PYTREE__SUN_EACH(pytree__sun_scaled_sum, a * (x0 + y0))
PYTREE__SUN_EACH(pytree__sun_scaled_difference, a * (x0 - y0))
PYTREE__SUN_EACH(pytree__sun_constant, a)
PYTREE__SUN_EACH(pytree__sun_product, x0 * y0)
PYTREE__SUN_EACH(pytree__sun_quotient, x0 / y0)
PYTREE__SUN_EACH(pytree__sun_multiple, a * x0)
PYTREE__SUN_EACH(pytree__sun_absolute, SUNRabs(x0))
PYTREE__SUN_EACH(pytree__sun_reciprocal, 1 / x0)
PYTREE__SUN_EACH(pytree__sun_shifted, x0 + a)
PYTREE__SUN_EACH(pytree__sun_reaches, SUNRabs(x0) >= a ? 1 : 0)

static void pytree__sun_each(pytree__sun_loop *loop, sunrealtype a, N_Vector x, sunrealtype b, N_Vector y, N_Vector z)
{
    const N_Vector vectors[3] = { x, y, z };
    struct pytree__sun_walk walk;
    struct pytree__sun_block block;
    pytree__sun_begin(&walk, 3, vectors);
    while (pytree__sun_next(&walk, 3, &block)) { loop(&block, a, b); }
}

/* nvector_serial computes a x + a y as a (x + y), which is rounded otherwise, but for factors of 1 and -1. */
static void pytree__sun_linear_sum(sunrealtype a, N_Vector x, sunrealtype b, N_Vector y, N_Vector z)
{
    const bool plain = SUNRabs(a) == 1 || SUNRabs(b) == 1;
    pytree__sun_loop *loop = pytree__sun_sum;
    if (!plain && a == b) { loop = pytree__sun_scaled_sum; }
    if (!plain && a == -b) { loop = pytree__sun_scaled_difference; }
    pytree__sun_each(loop, a, x, b, y, z);
}
static void pytree__sun_const(sunrealtype c, N_Vector z) { pytree__sun_each(pytree__sun_constant, c, z, 0, z, z); }
static void pytree__sun_prod(N_Vector x, N_Vector y, N_Vector z) { pytree__sun_each(pytree__sun_product, 0, x, 0, y, z); }
static void pytree__sun_div(N_Vector x, N_Vector y, N_Vector z) { pytree__sun_each(pytree__sun_quotient, 0, x, 0, y, z); }
static void pytree__sun_scale(sunrealtype c, N_Vector x, N_Vector z) { pytree__sun_each(pytree__sun_multiple, c, x, 0, x, z); }
static void pytree__sun_abs(N_Vector x, N_Vector z) { pytree__sun_each(pytree__sun_absolute, 0, x, 0, x, z); }
static void pytree__sun_inv(N_Vector x, N_Vector z) { pytree__sun_each(pytree__sun_reciprocal, 0, x, 0, x, z); }
static void pytree__sun_shift(N_Vector x, sunrealtype c, N_Vector z) { pytree__sun_each(pytree__sun_shifted, c, x, 0, x, z); }
static void pytree__sun_compare(sunrealtype c, N_Vector x, N_Vector z) { pytree__sun_each(pytree__sun_reaches, c, x, 0, x, z); }

/* ---- Reductions ---------------------------------------------------------------------------------------------------- */

/* A loop over a block of x, y and z that folds their elements into `s`, one after the other; it may write to z. */
typedef sunrealtype pytree__sun_fold(const struct pytree__sun_block *block, sunrealtype s);

/* Define such a loop by what s becomes at the elements x[k], y[k] and z[k].
 *
 *     PYTREE__SUN_FOLD(pytree__sun_dot, s + x[k] * y[k])   =>   …  s = s + x[k] * y[k];  … */
#define PYTREE__SUN_FOLD(name, value)                                                                                   \
    static sunrealtype name(const struct pytree__sun_block *block, sunrealtype s)                                       \
    {                                                                                                                   \
        const size_t n = block->n;                                                                                      \
        size_t i, k;                                                                                                    \
        for (i = 0; i < block->count; i++) {                                                                            \
            const sunrealtype *const x = pytree__sun_at(block, 0, i), *const y = pytree__sun_at(block, 1, i);           \
            sunrealtype *const z = pytree__sun_at(block, 2, i);                                                         \
            (void)x, (void)y, (void)z;                                                                                  \
            for (k = 0; k < n; k++) { s = value; }                                                                      \
        }                                                                                                               \
        return s;                                                                                                       \
    }
PYTREE__SUN_FOLD(pytree__sun_dot, s + x[k] * y[k])
PYTREE__SUN_FOLD(pytree__sun_squares, s + SUNSQR(x[k] * y[k]))
PYTREE__SUN_FOLD(pytree__sun_masked_squares, z[k] > 0 ? s + SUNSQR(x[k] * y[k]) : s)
PYTREE__SUN_FOLD(pytree__sun_largest, SUNRabs(x[k]) > s ? SUNRabs(x[k]) : s)
PYTREE__SUN_FOLD(pytree__sun_least, x[k] < s ? x[k] : s)
PYTREE__SUN_FOLD(pytree__sun_absolutes, s + SUNRabs(x[k]))
PYTREE__SUN_FOLD(pytree__sun_least_quotient, y[k] == 0 || s < x[k] / y[k] ? s : x[k] / y[k])
PYTREE__SUN_FOLD(pytree__sun_any_nonzero, y[k] == 0 ? s : 1)
/* They write what they find, too: reciprocals of all but zeros; 1 where a constraint does not hold. */
PYTREE__SUN_FOLD(pytree__sun_invertible, x[k] == 0 ? 0 : ((z[k] = 1 / x[k]), s))
PYTREE__SUN_FOLD(pytree__sun_satisfied, (z[k] = (SUNRabs(x[k]) > SUN_RCONST(1.5) && y[k] * x[k] <= 0)
                                             || (SUNRabs(x[k]) > SUN_RCONST(0.5) && y[k] * x[k] < 0)) != 0 ? 0 : s)

static sunrealtype pytree__sun_reduce(pytree__sun_fold *fold, sunrealtype s, N_Vector x, N_Vector y, N_Vector z)
{
    const N_Vector vectors[3] = { x, y, z };
    struct pytree__sun_walk walk;
    struct pytree__sun_block block;
    pytree__sun_begin(&walk, 3, vectors);
    while (pytree__sun_next(&walk, 3, &block)) { s = fold(&block, s); }
    return s;
}

static sunrealtype pytree__sun_dot_prod(N_Vector x, N_Vector y) { return pytree__sun_reduce(pytree__sun_dot, 0, x, y, y); }
static sunrealtype pytree__sun_max_norm(N_Vector x) { return pytree__sun_reduce(pytree__sun_largest, 0, x, x, x); }
static sunrealtype pytree__sun_l1_norm(N_Vector x) { return pytree__sun_reduce(pytree__sun_absolutes, 0, x, x, x); }
static sunrealtype pytree__sun_sqr_sum(N_Vector x, N_Vector w) { return pytree__sun_reduce(pytree__sun_squares, 0, x, w, w); }
static sunrealtype pytree__sun_sqr_sum_mask(N_Vector x, N_Vector w, N_Vector id)
{
    return pytree__sun_reduce(pytree__sun_masked_squares, 0, x, w, id);
}
static sunrealtype pytree__sun_mean_root(sunrealtype sum, N_Vector x)
{
    return SUNRsqrt(sum / (sunrealtype)pytree__sun_content_of(x)->length);
}
static sunrealtype pytree__sun_wrms_norm(N_Vector x, N_Vector w) { return pytree__sun_mean_root(pytree__sun_sqr_sum(x, w), x); }
static sunrealtype pytree__sun_wrms_norm_mask(N_Vector x, N_Vector w, N_Vector id)
{
    return pytree__sun_mean_root(pytree__sun_sqr_sum_mask(x, w, id), x);
}
static sunrealtype pytree__sun_wl2_norm(N_Vector x, N_Vector w) { return SUNRsqrt(pytree__sun_sqr_sum(x, w)); }

static sunrealtype pytree__sun_min(N_Vector x)
{
    const struct pytree__vector *const runs = &pytree__sun_content_of(x)->runs;
    if (runs->count == 0) { return SUN_BIG_REAL; }
    return pytree__sun_reduce(pytree__sun_least, *(sunrealtype *)(void *)((struct pytree__sun_run *)runs->data)->at, x, x, x);
}

static sunrealtype pytree__sun_min_quotient(N_Vector num, N_Vector denom)
{
    if (pytree__sun_reduce(pytree__sun_any_nonzero, 0, num, denom, denom) == 0) { return SUN_BIG_REAL; }
    return pytree__sun_reduce(pytree__sun_least_quotient, (sunrealtype)INFINITY, num, denom, denom);
}

static sunbooleantype pytree__sun_inv_test(N_Vector x, N_Vector z)
{
    return pytree__sun_reduce(pytree__sun_invertible, 1, x, x, z) == 0 ? SUNFALSE : SUNTRUE;
}

static sunbooleantype pytree__sun_constr_mask(N_Vector c, N_Vector x, N_Vector m)
{
    return pytree__sun_reduce(pytree__sun_satisfied, 1, c, x, m) == 0 ? SUNFALSE : SUNTRUE;
}

/* ---- Fused --------------------------------------------------------------------------------------------------------- */

/* Set the elements of vector k of a block to the sum of c[j] times those of vector j, for all j below k. */
static void pytree__sun_combine(const struct pytree__sun_block *b, size_t k, const sunrealtype *c)
{
    const sunrealtype *x[PYTREE__SUN_MOST];
    size_t i, j, e;
    for (i = 0; i < b->count; i++) {
        sunrealtype *const z = pytree__sun_at(b, k, i);
        for (j = 0; j < k; j++) { x[j] = pytree__sun_at(b, j, i); }
        for (e = 0; e + 4 <= b->n; e += 4) {
            sunrealtype s0 = c[0] * x[0][e], s1 = c[0] * x[0][e + 1], s2 = c[0] * x[0][e + 2], s3 = c[0] * x[0][e + 3];
            for (j = 1; j < k; j++) {
                s0 += c[j] * x[j][e];
                s1 += c[j] * x[j][e + 1];
                s2 += c[j] * x[j][e + 2];
                s3 += c[j] * x[j][e + 3];
            }
            z[e] = s0;
            z[e + 1] = s1;
            z[e + 2] = s2;
            z[e + 3] = s3;
        }
        for (; e < b->n; e++) {
            sunrealtype s = c[0] * x[0][e];
            for (j = 1; j < k; j++) { s += c[j] * x[j][e]; }
            z[e] = s;
        }
    }
}

/* Compute z = c[0] X[0] + c[1] X[1] + …, a group of vectors at a time: of later groups z itself is the first summand. */
static int pytree__sun_linear_combination(int n, sunrealtype *c, N_Vector *x, N_Vector z)
{
    N_Vector vectors[PYTREE__SUN_MOST];
    sunrealtype factors[PYTREE__SUN_MOST];
    struct pytree__sun_walk walk;
    struct pytree__sun_block block;
    int from = 0;
    if (n < 1) { return -1; }
    if (n == 2) { pytree__sun_linear_sum(c[0], x[0], c[1], x[1], z); return 0; }
    while (from < n) {
        size_t k = 0;
        if (from != 0) {
            factors[k] = 1;
            vectors[k++] = z;
        }
        for (; from < n && k + 1 < PYTREE__SUN_MOST; from++, k++) {
            factors[k] = c[from];
            vectors[k] = x[from];
        }
        vectors[k] = z;
        pytree__sun_begin(&walk, k + 1, vectors);
        while (pytree__sun_next(&walk, k + 1, &block)) { pytree__sun_combine(&block, k, factors); }
    }
    return 0;
}

/* Set Z[j] = a[j] x + Y[j] in a block of x, m vectors Y and m vectors Z. */
static void pytree__sun_add_scaled(const struct pytree__sun_block *b, size_t m, const sunrealtype *a)
{
    size_t i, j, e;
    for (i = 0; i < b->count; i++) {
        const sunrealtype *const x = pytree__sun_at(b, 0, i);
        for (e = 0; e + 4 <= b->n; e += 4) {
            const sunrealtype x0 = x[e], x1 = x[e + 1], x2 = x[e + 2], x3 = x[e + 3];
            for (j = 0; j < m; j++) {
                const sunrealtype *const y = pytree__sun_at(b, 1 + j, i) + e;
                sunrealtype *const z = pytree__sun_at(b, 1 + m + j, i) + e;
                const sunrealtype v0 = a[j] * x0 + y[0], v1 = a[j] * x1 + y[1];
                const sunrealtype v2 = a[j] * x2 + y[2], v3 = a[j] * x3 + y[3];
                z[0] = v0;
                z[1] = v1;
                z[2] = v2;
                z[3] = v3;
            }
        }
        for (; e < b->n; e++) {
            const sunrealtype value = x[e];
            for (j = 0; j < m; j++) {
                pytree__sun_at(b, 1 + m + j, i)[e] = a[j] * value + pytree__sun_at(b, 1 + j, i)[e];
            }
        }
    }
}

static int pytree__sun_scale_add_multi(int n, sunrealtype *a, N_Vector x, N_Vector *y, N_Vector *z)
{
    N_Vector vectors[PYTREE__SUN_MOST];
    struct pytree__sun_walk walk;
    struct pytree__sun_block block;
    int from = 0, m, j;
    if (n < 1) { return -1; }
    for (; from < n; from += m) {
        m = n - from < PYTREE__SUN_GROUP ? n - from : PYTREE__SUN_GROUP;
        vectors[0] = x;
        for (j = 0; j < m; j++) {
            vectors[1 + j] = y[from + j];
            vectors[1 + m + j] = z[from + j];
        }
        pytree__sun_begin(&walk, (size_t)(1 + 2 * m), vectors);
        while (pytree__sun_next(&walk, (size_t)(1 + 2 * m), &block)) { pytree__sun_add_scaled(&block, (size_t)m, a + from); }
    }
    return 0;
}

/* Add the products of x with each of four vectors, whose sums do not wait for each other. */
static void pytree__sun_dot_four(const struct pytree__sun_block *b, sunrealtype *s)
{
    sunrealtype s0 = s[0], s1 = s[1], s2 = s[2], s3 = s[3];
    size_t i, k;
    for (i = 0; i < b->count; i++) {
        const sunrealtype *const x = pytree__sun_at(b, 0, i);
        const sunrealtype *const y0 = pytree__sun_at(b, 1, i), *const y1 = pytree__sun_at(b, 2, i);
        const sunrealtype *const y2 = pytree__sun_at(b, 3, i), *const y3 = pytree__sun_at(b, 4, i);
        for (k = 0; k < b->n; k++) {
            s0 += x[k] * y0[k];
            s1 += x[k] * y1[k];
            s2 += x[k] * y2[k];
            s3 += x[k] * y3[k];
        }
    }
    s[0] = s0;
    s[1] = s1;
    s[2] = s2;
    s[3] = s3;
}

static int pytree__sun_dot_prod_multi(int n, N_Vector x, N_Vector *y, sunrealtype *products)
{
    N_Vector vectors[1 + PYTREE__SUN_GROUP];
    struct pytree__sun_walk walk;
    struct pytree__sun_block block;
    int from = 0, j;
    if (n < 1) { return -1; }
    for (; from + PYTREE__SUN_GROUP <= n; from += PYTREE__SUN_GROUP) {
        vectors[0] = x;
        for (j = 0; j < PYTREE__SUN_GROUP; j++) {
            vectors[1 + j] = y[from + j];
            products[from + j] = 0;
        }
        pytree__sun_begin(&walk, 1 + PYTREE__SUN_GROUP, vectors);
        while (pytree__sun_next(&walk, 1 + PYTREE__SUN_GROUP, &block)) { pytree__sun_dot_four(&block, products + from); }
    }
    for (; from < n; from++) { products[from] = pytree__sun_dot_prod(x, y[from]); }
    return 0;
}

/* ---- One buffer ---------------------------------------------------------------------------------------------------- */

/* Copy the elements to a buffer, or back. */
static void pytree__sun_move(N_Vector x, char *buffer, bool pack)
{
    const struct pytree__vector *const runs = &pytree__sun_content_of(x)->runs;
    size_t i, k;
    for (i = 0; i < runs->count; i++) {
        const struct pytree__sun_run *const run = (const struct pytree__sun_run *)runs->data + i;
        const size_t bytes = run->n * sizeof(sunrealtype);
        for (k = 0; k < run->count; k++, buffer += bytes) {
            char *const at = run->at + k * run->stride;
            memcpy(pack ? buffer : at, pack ? at : buffer, bytes);
        }
    }
}

static int pytree__sun_buffer_size(N_Vector x, sunindextype *size)
{
    *size = pytree__sun_content_of(x)->length * (sunindextype)sizeof(sunrealtype);
    return 0;
}

static int pytree__sun_buffer_pack(N_Vector x, void *buffer)
{
    if (buffer == NULL) { return -1; }
    pytree__sun_move(x, (char *)buffer, true);
    return 0;
}

static int pytree__sun_buffer_unpack(N_Vector x, void *buffer)
{
    if (buffer == NULL) { return -1; }
    pytree__sun_move(x, (char *)buffer, false);
    return 0;
}

#include "sundials.h"
#endif
