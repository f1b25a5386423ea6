/* tensors_numbers.h: the elements of a tensor as doubles, and the statistics of a tensor. */
#ifndef TENSORS_NUMBERS_H
#define TENSORS_NUMBERS_H

#include "tensors_file.h"

enum { CHUNK = 2048, LANES = 8 };         /* numbers in a chunk, which fits the first-level cache; numbers in a vector */

static float widen_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* Convert through the fraction and exponent of a float that is too small by 2^-112; 2^16 or more is infinity or NaN. */
static float widen_f16(uint16_t bits)
{
    uint32_t wide = (uint32_t)(bits & 0x7FFF) << 13;
    float x;
    memcpy(&x, &wide, sizeof x);
    x *= 0x1p112f;
    memcpy(&wide, &x, sizeof wide);
    wide |= (bits & 0x7C00) == 0x7C00 ? 0x7F800000u : 0u;
    wide |= (uint32_t)(bits & 0x8000) << 16;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* Return how many real numbers an element has: 2 if it is complex. */
static unsigned parts_of(pytree_dtype dtype) { return dtype == PYTREE_C64 || dtype == PYTREE_C128 ? 2 : 1; }

/* Convert numbers `first` to `first` + n of a tensor to doubles, at any alignment. A bool may be any byte: 0 or not. */
static void widen(const pytree_tensor *t, uint64_t first, size_t n, double *to)
{
#define WIDEN(T, expression)                                                                                            \
    for (size_t i = 0; i < n; i++) {                                                                                    \
        T v;                                                                                                            \
        memcpy(&v, (const char *)t->data + (size_t)first * sizeof v + i * sizeof v, sizeof v);                          \
        to[i] = (double)(expression);                                                                                   \
    }                                                                                                                   \
    break
    switch (t->type->dtype) {
    case PYTREE_BOOL8: WIDEN(unsigned char, v != 0);
    case PYTREE_I8: WIDEN(int8_t, v);
    case PYTREE_I16: WIDEN(int16_t, v);
    case PYTREE_I32: WIDEN(int32_t, v);
    case PYTREE_I64: WIDEN(int64_t, v);
    case PYTREE_U8: WIDEN(uint8_t, v);
    case PYTREE_U16: WIDEN(uint16_t, v);
    case PYTREE_U32: WIDEN(uint32_t, v);
    case PYTREE_U64: WIDEN(uint64_t, v);
    case PYTREE_F16: WIDEN(uint16_t, widen_f16(v));
    case PYTREE_BF16: WIDEN(uint16_t, widen_bf16(v));
    case PYTREE_F32:
    case PYTREE_C64: WIDEN(float, v);
    default: WIDEN(double, v);
    }
#undef WIDEN
}

/* Statistics of the finite numbers. */
typedef struct Statistics {
    uint64_t count, finite, infinite;
    double mean, squares, low, high;      /* squares: the sum of the squared deviations from the mean */
} Statistics;

/* Add n numbers, a multiple of LANES. Chunks are merged by count, mean and squares, so long arrays lose no accuracy. */
static void take_chunk(Statistics *s, const double *x, size_t n)
{
    double sum[LANES] = { 0 }, finite[LANES] = { 0 }, infinite[LANES] = { 0 }, squares[LANES] = { 0 }, low[LANES], high[LANES];
    double mean = 0, members = 0, all;
    for (int j = 0; j < LANES; j++) { low[j] = s->low, high[j] = s->high; }
    for (size_t i = 0; i < n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            double v = x[i + (size_t)j];
            bool good = v - v == 0;
            sum[j] += good ? v : 0;
            finite[j] += good ? 1 : 0;
            infinite[j] += !good && v == v ? 1 : 0;
            low[j] = good && v < low[j] ? v : low[j];
            high[j] = good && v > high[j] ? v : high[j];
        }
    }
    for (int j = 0; j < LANES; j++) {
        mean += sum[j];
        members += finite[j];
        s->infinite += (uint64_t)infinite[j];
        s->low = low[j] < s->low ? low[j] : s->low;
        s->high = high[j] > s->high ? high[j] : s->high;
    }
    if (members == 0) { return; }
    mean /= members;
    for (size_t i = 0; i < n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            double d = x[i + (size_t)j] - mean;
            squares[j] += d - d == 0 ? d * d : 0;
        }
    }
    for (int j = 0; j < LANES; j++) { s->squares += squares[j]; }
    all = (double)s->finite + members;
    s->squares += (mean - s->mean) * (mean - s->mean) * ((double)s->finite * members / all);
    s->mean += (mean - s->mean) * (members / all);
    s->finite += (uint64_t)members;
}

/* Return the statistics of a tensor. A complex number counts as its absolute value. */
static Statistics statistics_of(const pytree_tensor *t)
{
    Statistics s = { .count = elements_of(t), .low = INFINITY, .high = -INFINITY };
    unsigned parts = parts_of(t->type->dtype);
    double x[2 * CHUNK];
    for (uint64_t at = 0; at < s.count; at += CHUNK) {
        size_t n = s.count - at < CHUNK ? (size_t)(s.count - at) : CHUNK;
        widen(t, at * parts, n * parts, x);
        for (size_t i = 0; i < n && parts == 2; i++) { x[i] = hypot(x[2 * i], x[2 * i + 1]); }
        for (; n % LANES != 0; n++) { x[n] = NAN; }            /* not counted */
        take_chunk(&s, x, n);
    }
    return s;
}

static uint64_t nans_of(const Statistics *s) { return s->count - s->finite - s->infinite; }
static double deviation_of(const Statistics *s) { return sqrt(s->squares / (double)s->finite); }

#endif
