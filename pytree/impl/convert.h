/* pytree/impl/convert.h: converting elements between types. */
#ifndef PYTREE_IMPL_CONVERT_H
#define PYTREE_IMPL_CONVERT_H

#include "promote.h"

/* ---- Conversion -------------------------------------------------------------------------------------------------------
 *
 * A block of numbers is read into the widest type of its sort and written from there as any other type: one loop for each
 * type and sort, not for each pair of types. Numbers are moved with memcpy, so that they may be misaligned.
 */
typedef struct pytree__rv_wide {
    int sort;                             /* PYTREE__RV_SIGNED, … */
    union {
        int64_t i[PYTREE__RV_BLOCK];
        uint64_t u[PYTREE__RV_BLOCK];
        double d[PYTREE__RV_BLOCK];
        long double l[PYTREE__RV_BLOCK];
    } as;
} pytree__rv_wide;

static size_t pytree__rv_least(size_t a, size_t b) { return a < b ? a : b; }

static double pytree__rv_of_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t pytree__rv_bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* Convert to double, rounding to odd: a set last bit shows that digits were cut off, so that a second rounding to a shorter
 * type is exact. */
static double pytree__rv_cut_whole(uint64_t n)
{
    if (n >> 53 != 0) { n = (n & ~UINT64_C(2047)) | ((n & 2047) != 0 ? UINT64_C(2048) : 0); }
    return (double)n;
}

static double pytree__rv_cut_signed(int64_t n)
{
    return n < 0 ? -pytree__rv_cut_whole(0 - (uint64_t)n) : pytree__rv_cut_whole((uint64_t)n);
}

static double pytree__rv_cut_long(long double v)
{
    const double d = (double)v;
    uint64_t bits = pytree__rv_bits_of(d);
    if ((long double)d == v || v != v || d - d != 0) { return d; }
    if ((d < 0 ? -(long double)d : (long double)d) > (v < 0 ? -v : v)) { bits--; }
    return pytree__rv_of_bits(bits | 1);
}

/* Integer types and their ranges. */
#define PYTREE__RV_WHOLE_TYPES(X)                                                                                       \
    X(I8, int8_t, i, INT8_MIN, INT8_MAX) X(I16, int16_t, i, INT16_MIN, INT16_MAX)                                       \
    X(I32, int32_t, i, INT32_MIN, INT32_MAX) X(I64, int64_t, i, INT64_MIN, INT64_MAX)                                   \
    X(U8, uint8_t, u, 0, UINT8_MAX) X(U16, uint16_t, u, 0, UINT16_MAX)                                                  \
    X(U32, uint32_t, u, 0, UINT32_MAX) X(U64, uint64_t, u, 0, UINT64_MAX)

#define PYTREE__RV_READ(T, member, value)                                                                               \
    for (i = 0; i < n; i++) {                                                                                           \
        T v;                                                                                                            \
        memcpy(&v, at + i * step * sizeof v, sizeof v);                                                                 \
        to->as.member[i] = (value);                                                                                     \
    }                                                                                                                   \
    break
#define PYTREE__RV_WRITE(T, member, W, value)                                                                           \
    for (i = 0; i < n; i++) {                                                                                           \
        const W v = from->as.member[i];                                                                                 \
        const T w = (value);                                                                                            \
        memcpy(at + i * step * sizeof w, &w, sizeof w);                                                                 \
    }                                                                                                                   \
    break

/* Read n real numbers (at most a block), every step-th from `at` on. */
static void pytree__rv_read(pytree__rv_wide *to, pytree_dtype dtype, const char *at, size_t step, size_t n)
{
    size_t i;
    to->sort = pytree__rv_numbers[dtype].wide;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_READ(unsigned char, u, v != 0);
#define PYTREE__X(name, T, member, least, most) case PYTREE_##name: PYTREE__RV_READ(T, member, v);
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16: PYTREE__RV_READ(uint16_t, d, pytree__of_f16(v));
    case PYTREE_BF16: PYTREE__RV_READ(uint16_t, d, pytree__of_bf16(v));
    case PYTREE_F32: PYTREE__RV_READ(float, d, (double)v);
    case PYTREE_F64: PYTREE__RV_READ(double, d, v);
    case PYTREE_FLONG: PYTREE__RV_READ(long double, l, v);
    default: break;
    }
}

/* Write a block of integers as any type. Their low bits are kept: signed and unsigned ones are written as unsigned. */
static void pytree__rv_write_whole(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    const bool with_sign = from->sort == PYTREE__RV_SIGNED;
    size_t i;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_WRITE(unsigned char, u, uint64_t, v != 0);
#define PYTREE__X(name, T, member, least, most) case PYTREE_##name: PYTREE__RV_WRITE(T, u, uint64_t, (T)v);
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16:
        PYTREE__RV_WRITE(uint16_t, u, uint64_t,
                      pytree__to_half(with_sign ? pytree__rv_cut_signed((int64_t)v) : pytree__rv_cut_whole(v), 10));
    case PYTREE_BF16:
        PYTREE__RV_WRITE(uint16_t, u, uint64_t,
                      pytree__to_half(with_sign ? pytree__rv_cut_signed((int64_t)v) : pytree__rv_cut_whole(v), 7));
    case PYTREE_F32: PYTREE__RV_WRITE(float, u, uint64_t, with_sign ? (float)(int64_t)v : (float)v);
    case PYTREE_F64: PYTREE__RV_WRITE(double, u, uint64_t, with_sign ? (double)(int64_t)v : (double)v);
    case PYTREE_FLONG: PYTREE__RV_WRITE(long double, u, uint64_t, with_sign ? (long double)(int64_t)v : (long double)v);
    default: break;
    }
}

static void pytree__rv_write_double(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    size_t i;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_WRITE(unsigned char, d, double, v != 0);
#define PYTREE__X(name, T, member, least, most)                                                                         \
    case PYTREE_##name: PYTREE__RV_WRITE(T, d, double, PYTREE__CLAMPED(v, T, least, most));
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16: PYTREE__RV_WRITE(uint16_t, d, double, pytree__to_half(v, 10));
    case PYTREE_BF16: PYTREE__RV_WRITE(uint16_t, d, double, pytree__to_half(v, 7));
    case PYTREE_F32: PYTREE__RV_WRITE(float, d, double, (float)v);
    case PYTREE_F64: PYTREE__RV_WRITE(double, d, double, v);
    case PYTREE_FLONG: PYTREE__RV_WRITE(long double, d, double, (long double)v);
    default: break;
    }
}

static void pytree__rv_write_long(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    size_t i;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_WRITE(unsigned char, l, long double, v != 0);
#define PYTREE__X(name, T, member, least, most)                                                                         \
    case PYTREE_##name: PYTREE__RV_WRITE(T, l, long double, PYTREE__CLAMPED(v, T, least, most));
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16: PYTREE__RV_WRITE(uint16_t, l, long double, pytree__to_half(pytree__rv_cut_long(v), 10));
    case PYTREE_BF16: PYTREE__RV_WRITE(uint16_t, l, long double, pytree__to_half(pytree__rv_cut_long(v), 7));
    case PYTREE_F32: PYTREE__RV_WRITE(float, l, long double, (float)v);
    case PYTREE_F64: PYTREE__RV_WRITE(double, l, long double, (double)v);
    case PYTREE_FLONG: PYTREE__RV_WRITE(long double, l, long double, v);
    default: break;
    }
}

static void pytree__rv_write(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    if (from->sort == PYTREE__RV_DOUBLE) { pytree__rv_write_double(from, dtype, at, step, n); }
    else if (from->sort == PYTREE__RV_LONG_DOUBLE) { pytree__rv_write_long(from, dtype, at, step, n); }
    else { pytree__rv_write_whole(from, dtype, at, step, n); }
}

static size_t pytree__rv_number_size(pytree_dtype dtype)
{
    static const unsigned char sizes[] = {
        0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, sizeof(float), sizeof(double), sizeof(long double),
        2 * sizeof(float), 2 * sizeof(double), 2 * sizeof(long double)
    };
    return sizes[dtype];
}

/* Convert at most half a block of numbers, real or complex, between two types. */
static void pytree__rv_convert_block(char *to, pytree_dtype to_type, const char *from, pytree_dtype from_type, size_t n)
{
    const pytree__rv_number *a = &pytree__rv_numbers[from_type], *b = &pytree__rv_numbers[to_type];
    pytree__rv_wide wide;
    size_t i;
    if (a->parts == b->parts) {
        pytree__rv_read(&wide, a->part, from, 1, n * a->parts);
        pytree__rv_write(&wide, b->part, to, 1, n * b->parts);
        return;
    }
    pytree__rv_read(&wide, a->part, from, a->parts, n);
    if (b->parts == 2) { memset(to, 0, n * pytree__rv_number_size(to_type)); }
    pytree__rv_write(&wide, b->part, to, b->parts, n);
    if (b->part == PYTREE_BOOL8) {        /* a complex number is true if either part is */
        char other[PYTREE__RV_BLOCK];
        pytree__rv_read(&wide, a->part, from + pytree__rv_number_size(a->part), 2, n);
        pytree__rv_write(&wide, PYTREE_BOOL8, other, 1, n);
        for (i = 0; i < n; i++) { to[i] = (char)(to[i] | other[i]); }
    }
}

static void pytree__rv_convert(void *to, pytree_dtype to_type, const void *from, pytree_dtype from_type, size_t n)
{
    const size_t to_size = pytree__rv_number_size(to_type), from_size = pytree__rv_number_size(from_type);
    size_t i, k;
    if (to_type == from_type) {
        if (n != 0) { memcpy(to, from, n * to_size); }
        return;
    }
    for (i = 0; i < n; i += k) {
        k = pytree__rv_least(n - i, PYTREE__RV_BLOCK / 2);
        pytree__rv_convert_block((char *)to + i * to_size, to_type, (const char *)from + i * from_size, from_type, k);
    }
}

/* Tell whether an integer (its bits as unsigned) equals a real number. */
static bool pytree__rv_whole_is(uint64_t whole, bool with_sign, long double real)
{
    const long double end = 9223372036854775808.0L;            /* 2^63 */
    if (with_sign) {
        return real >= -end && real < end && (long double)(int64_t)real == real && (uint64_t)(int64_t)real == whole;
    }
    return real >= 0 && real < 2 * end && (long double)(uint64_t)real == real && (uint64_t)real == whole;
}

static long double pytree__rv_wide_real(const pytree__rv_wide *w, size_t i)
{
    return w->sort == PYTREE__RV_DOUBLE ? (long double)w->as.d[i] : w->as.l[i];
}

/* Tell whether two numbers of any sorts are equal. NaN equals NaN. */
static bool pytree__rv_same_wide(const pytree__rv_wide *a, const pytree__rv_wide *b, size_t i)
{
    const bool a_whole = a->sort <= PYTREE__RV_UNSIGNED, b_whole = b->sort <= PYTREE__RV_UNSIGNED;
    if (a_whole && b_whole) { return a->as.u[i] == b->as.u[i] && (a->sort == b->sort || a->as.u[i] <= INT64_MAX); }
    if (a_whole) { return pytree__rv_whole_is(a->as.u[i], a->sort == PYTREE__RV_SIGNED, pytree__rv_wide_real(b, i)); }
    if (b_whole) { return pytree__rv_whole_is(b->as.u[i], b->sort == PYTREE__RV_SIGNED, pytree__rv_wide_real(a, i)); }
    {
        const long double v = pytree__rv_wide_real(a, i), w = pytree__rv_wide_real(b, i);
        return v == w || v != v;          /* NaN stays NaN in every type that has it */
    }
}

/* Find the first of n numbers that another type cannot hold. Return n if there is none. */
static size_t pytree__rv_first_lost(pytree_dtype to_type, const void *from, pytree_dtype from_type, size_t n)
{
    const pytree__rv_number *a = &pytree__rv_numbers[from_type], *b = &pytree__rv_numbers[to_type];
    const size_t size = pytree__rv_number_size(from_type), part = pytree__rv_number_size(a->part);
    char converted[PYTREE__RV_BLOCK * sizeof(long double)];
    pytree__rv_wide before, after;
    size_t i, j, k, p;
    for (i = 0; i < n; i += k) {
        const char *at = (const char *)from + i * size;
        k = pytree__rv_least(n - i, PYTREE__RV_BLOCK / 2);
        pytree__rv_convert_block(converted, to_type, at, from_type, k);
        for (p = 0; p < a->parts; p++) {
            pytree__rv_read(&before, a->part, at + p * part, a->parts, k);
            if (p < b->parts) {
                pytree__rv_read(&after, b->part, converted + p * pytree__rv_number_size(b->part), b->parts, k);
            } else {                      /* the imaginary part is dropped */
                memset(&after, 0, sizeof after);
                after.sort = PYTREE__RV_SIGNED;
            }
            for (j = 0; j < k; j++) {
                if (!pytree__rv_same_wide(&before, &after, j)) { return i + j; }
            }
        }
    }
    return n;
}

#include "ravel.h"
#endif
