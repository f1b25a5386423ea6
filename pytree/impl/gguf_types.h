/* pytree/impl/gguf_types.h: element types and quantised blocks of GGUF files. */
#ifndef PYTREE_IMPL_GGUF_TYPES_H
#define PYTREE_IMPL_GGUF_TYPES_H

#include "internal.h"
#include "../gguf.h"
#include "checkpoint_file.h"

/* ---- Blocks -------------------------------------------------------------------------------------------------------- */

/* Products and sums are separate statements in the order of the reference: d * q + m, each rounded to float. */

static float pytree__gguf_half(const unsigned char *at)
{
    return (float)pytree__of_f16((uint16_t)pytree__number_at(at, 2));
}

/* 32 numbers of 8 bits: a scale, numbers. */
static void pytree__gguf_q8_0(const unsigned char *b, float *to)
{
    const float d = pytree__gguf_half(b);
    int i;
    for (i = 0; i < 32; i++) { to[i] = d * (float)(b[2 + i] < 128 ? b[2 + i] : b[2 + i] - 256); }
}

/* 32 numbers of 4 or 5 bits around 0: a scale, the fifth bits if there are any, pairs of numbers 16 apart. */
static void pytree__gguf_around_zero(const unsigned char *b, const unsigned char *q, uint32_t high, int middle, float *to)
{
    const float d = pytree__gguf_half(b);
    int i;
    for (i = 0; i < 16; i++) {
        to[i] = d * (float)((int)((q[i] & 15) | (high >> i & 1) << 4) - middle);
        to[i + 16] = d * (float)((int)(q[i] >> 4 | (high >> (i + 16) & 1) << 4) - middle);
    }
}

static void pytree__gguf_q4_0(const unsigned char *b, float *to) { pytree__gguf_around_zero(b, b + 2, 0, 8, to); }

static void pytree__gguf_q5_0(const unsigned char *b, float *to)
{
    pytree__gguf_around_zero(b, b + 6, (uint32_t)pytree__number_at(b + 2, 4), 16, to);
}

/* 32 numbers of 4 or 5 bits from a minimum on: a scale, the minimum, then as above. */
static void pytree__gguf_from_least(const unsigned char *b, const unsigned char *q, uint32_t high, float *to)
{
    const float d = pytree__gguf_half(b), least = pytree__gguf_half(b + 2);
    int i;
    for (i = 0; i < 16; i++) {
        const float low = d * (float)((q[i] & 15) | (high >> i & 1) << 4);
        const float top = d * (float)(q[i] >> 4 | (high >> (i + 16) & 1) << 4);
        to[i] = low + least;
        to[i + 16] = top + least;
    }
}

static void pytree__gguf_q4_1(const unsigned char *b, float *to) { pytree__gguf_from_least(b, b + 4, 0, to); }

static void pytree__gguf_q5_1(const unsigned char *b, float *to)
{
    pytree__gguf_from_least(b, b + 8, (uint32_t)pytree__number_at(b + 4, 4), to);
}

/* 256 numbers of 4 or 5 bits in 8 parts: scales of the block, a scale and a minimum of 6 bits for each part in 12 bytes, the
 * fifth bits (NULL: none), pairs of numbers 32 apart. */
static void pytree__gguf_parts(const unsigned char *b, const unsigned char *high, const unsigned char *q, float *to)
{
    const float d = pytree__gguf_half(b), least = pytree__gguf_half(b + 2);
    const unsigned char *s = b + 4;
    int part, i;
    for (part = 0; part < 8; part++, to += 32) {
        const int scale = part < 4 ? s[part] & 63 : (s[part + 4] & 15) | (s[part - 4] >> 6) << 4;
        const int minimum = part < 4 ? s[part + 4] & 63 : s[part + 4] >> 4 | (s[part] >> 6) << 4;
        const float step = d * (float)scale, from = least * (float)minimum;
        for (i = 0; i < 32; i++) {
            const int low = q[part / 2 * 32 + i] >> part % 2 * 4 & 15;
            const float up = step * (float)(high == NULL ? low : low | (high[i] >> part & 1) << 4);
            to[i] = up - from;
        }
    }
}

static void pytree__gguf_q4_k(const unsigned char *b, float *to) { pytree__gguf_parts(b, NULL, b + 16, to); }
static void pytree__gguf_q5_k(const unsigned char *b, float *to) { pytree__gguf_parts(b, b + 16, b + 48, to); }

/* 256 numbers of 6 bits in two halves: low bits, high bits, scales of 8 bits for 16 numbers each, a scale of the block. */
static void pytree__gguf_q6_k(const unsigned char *b, float *to)
{
    const float d = pytree__gguf_half(b + 208);
    int half, k, i;
    for (half = 0; half < 2; half++) {
        const unsigned char *low = b + 64 * half, *high = b + 128 + 32 * half, *scales = b + 192 + 8 * half;
        for (k = 0; k < 4; k++) {
            for (i = 0; i < 32; i++, to++) {
                const int s = scales[2 * k + i / 16], q = (low[k % 2 * 32 + i] >> k / 2 * 4 & 15) | (high[i] >> 2 * k & 3) << 4;
                const float step = d * (float)(s < 128 ? s : s - 256);
                *to = step * (float)(q - 32);
            }
        }
    }
}

/* ---- Element types ------------------------------------------------------------------------------------------------- */

/* The types that a tensor may have, with their codes. */
static const struct pytree__gguf_plain {
    const char *name;
    unsigned code, bytes;
    pytree_dtype dtype;
} pytree__gguf_plain[] = {
    { "F32", 0, 4, PYTREE_F32 }, { "F16", 1, 2, PYTREE_F16 }, { "BF16", 30, 2, PYTREE_BF16 }, { "F64", 28, 8, PYTREE_F64 },
    { "I8", 24, 1, PYTREE_I8 },  { "I16", 25, 2, PYTREE_I16 }, { "I32", 26, 4, PYTREE_I32 },  { "I64", 27, 8, PYTREE_I64 }
};
enum { PYTREE__GGUF_PLAIN = sizeof pytree__gguf_plain / sizeof pytree__gguf_plain[0] };

static const pytree_packing pytree__gguf_packings[] = {
    { "Q4_0", 32, 18, 2, pytree__gguf_q4_0 },    { "Q4_1", 32, 20, 3, pytree__gguf_q4_1 },
    { "Q5_0", 32, 22, 6, pytree__gguf_q5_0 },    { "Q5_1", 32, 24, 7, pytree__gguf_q5_1 },
    { "Q8_0", 32, 34, 8, pytree__gguf_q8_0 },    { "Q8_1", 32, 40, 9, NULL },
    { "Q2_K", 256, 84, 10, NULL },               { "Q3_K", 256, 110, 11, NULL },
    { "Q4_K", 256, 144, 12, pytree__gguf_q4_k }, { "Q5_K", 256, 176, 13, pytree__gguf_q5_k },
    { "Q6_K", 256, 210, 14, pytree__gguf_q6_k }, { "Q8_K", 256, 292, 15, NULL },
    { "IQ2_XXS", 256, 66, 16, NULL },            { "IQ2_XS", 256, 74, 17, NULL },
    { "IQ3_XXS", 256, 98, 18, NULL },            { "IQ1_S", 256, 50, 19, NULL },
    { "IQ4_NL", 32, 18, 20, NULL },              { "IQ3_S", 256, 110, 21, NULL },
    { "IQ2_S", 256, 82, 22, NULL },              { "IQ4_XS", 256, 136, 23, NULL },
    { "IQ1_M", 256, 56, 29, NULL },              { "TQ1_0", 256, 54, 34, NULL },
    { "TQ2_0", 256, 66, 35, NULL },              { "MXFP4", 32, 17, 39, NULL }
};
enum { PYTREE__GGUF_PACKINGS = sizeof pytree__gguf_packings / sizeof pytree__gguf_packings[0] };

#define PYTREE__GGUF_HOLDS                                                                                              \
    (1u << PYTREE_F32 | 1u << PYTREE_F16 | 1u << PYTREE_BF16 | 1u << PYTREE_F64 | 1u << PYTREE_I8 | 1u << PYTREE_I16      \
     | 1u << PYTREE_I32 | 1u << PYTREE_I64)

/* Types of metadata, by their codes: numbers, bools, strings. Arrays are 9. */
static const struct pytree__gguf_value {
    pytree_dtype dtype;
    unsigned bytes;                       /* of a number */
} pytree__gguf_values[] = {
    { PYTREE_U8, 1 },    { PYTREE_I8, 1 },     { PYTREE_U16, 2 },      { PYTREE_I16, 2 }, { PYTREE_U32, 4 },
    { PYTREE_I32, 4 },   { PYTREE_F32, 4 },    { PYTREE_BOOL8, 1 },    { PYTREE_STRING, 0 },
    { PYTREE_NO_DTYPE, 0 }, { PYTREE_U64, 8 }, { PYTREE_I64, 8 },      { PYTREE_F64, 8 }
};
enum { PYTREE__GGUF_VALUES = sizeof pytree__gguf_values / sizeof pytree__gguf_values[0] };
enum {
    PYTREE__GGUF_BOOL = 7, PYTREE__GGUF_STRING = 8, PYTREE__GGUF_ARRAY = 9,
    PYTREE__GGUF_ALIGNMENT = 32, PYTREE__GGUF_NAME = 64, PYTREE__GGUF_DIMS = 4
};

#include "gguf.h"
#endif
