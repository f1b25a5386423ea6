/* pytree/impl/number.h: half-precision conversions, and a leaf's elements as doubles. */
#ifndef PYTREE_IMPL_NUMBER_H
#define PYTREE_IMPL_NUMBER_H

#include "internal.h"

/* Widen a half-precision number; every one is a double. */
static inline double pytree__of_f16(uint16_t bits)
{
    const uint64_t sign = (uint64_t)(bits >> 15) << 63, exponent = bits >> 10 & 31, fraction = bits & 1023;
    const uint64_t wide = sign | (exponent == 31 ? 2047 : exponent + 1008) << 52 | fraction << 42;
    double v;
    if (exponent == 0) { return (double)((sign != 0 ? -(float)fraction : (float)fraction) * (1.0f / 16777216)); }
    memcpy(&v, &wide, sizeof v);
    return v;
}

static inline double pytree__of_bf16(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float v;
    memcpy(&v, &wide, sizeof v);
    return (double)v;
}

/* Rounds to the nearest half-precision number with `mantissa` bits, 10 or 7, ties to even. Rounds once: by way of a float it
 * would be twice. */
static inline uint16_t pytree__to_half(double value, int mantissa)
{
    uint64_t bits, magnitude, rest, half;
    int most = (1 << (15 - mantissa)) - 1, e, shift = 52 - mantissa;
    uint16_t sign;
    memcpy(&bits, &value, sizeof bits);
    sign = (uint16_t)(bits >> 63 << 15);
    e = (int)(bits >> 52 & 0x7FF);
    bits &= ((uint64_t)1 << 52) - 1;
    if (e == 0x7FF) {                                          /* infinity stays; a NaN becomes quiet */
        uint64_t nan = bits == 0 ? 0 : bits >> shift | (uint64_t)1 << (mantissa - 1);
        return (uint16_t)(sign | (uint64_t)most << mantissa | nan);
    }
    e += most / 2 - 1023;
    if (e >= most) { return (uint16_t)(sign | (uint64_t)most << mantissa); }
    if (e <= 0) {                                              /* subnormal: the hidden bit is explicit */
        if (e < -mantissa) { return sign; }
        bits |= (uint64_t)1 << 52;
        shift += 1 - e;
        e = 0;
    }
    magnitude = ((uint64_t)e << mantissa) + (bits >> shift);
    rest = bits & (((uint64_t)1 << shift) - 1);
    half = (uint64_t)1 << (shift - 1);
    magnitude += rest > half || (rest == half && (magnitude & 1) != 0);      /* may carry into the exponent */
    return (uint16_t)(sign | magnitude);
}

double pytree_leaf_get(const pytree_leaf *leaf, size_t i)
{
    const void *p = leaf->data;
    switch (leaf->type->dtype) {
    case PYTREE_BOOL8: return ((const bool *)p)[i];
    case PYTREE_I8: return ((const int8_t *)p)[i];
    case PYTREE_I16: return ((const int16_t *)p)[i];
    case PYTREE_I32: return ((const int32_t *)p)[i];
    case PYTREE_I64: return (double)((const int64_t *)p)[i];
    case PYTREE_U8: return ((const uint8_t *)p)[i];
    case PYTREE_U16: return ((const uint16_t *)p)[i];
    case PYTREE_U32: return ((const uint32_t *)p)[i];
    case PYTREE_U64: return (double)((const uint64_t *)p)[i];
    case PYTREE_F16: return pytree__of_f16(((const pytree_f16 *)p)[i].bits);
    case PYTREE_BF16: return pytree__of_bf16(((const pytree_bf16 *)p)[i].bits);
    case PYTREE_F32: return (double)((const float *)p)[i];
    case PYTREE_F64: return ((const double *)p)[i];
    case PYTREE_FLONG: return (double)((const long double *)p)[i];
    default: return 0;
    }
}

/* Converts to an integer: toward zero, beyond the range to the nearer end, NaN to 0. */
#define PYTREE__CLAMPED(v, T, least, most)                                                                              \
    (!((v) >= (double)(least)) ? ((v) < 0 ? (T)(least) : (T)0)                                                          \
     : (v) < 2.0 * (double)((most) / 2 + 1) ? (T)(v) : (T)(most))

void pytree_leaf_set(const pytree_leaf *leaf, size_t i, double v)
{
    void *p = leaf->data;
    switch (leaf->type->dtype) {
    case PYTREE_BOOL8: ((bool *)p)[i] = v != 0; break;
    case PYTREE_I8: ((int8_t *)p)[i] = PYTREE__CLAMPED(v, int8_t, INT8_MIN, INT8_MAX); break;
    case PYTREE_I16: ((int16_t *)p)[i] = PYTREE__CLAMPED(v, int16_t, INT16_MIN, INT16_MAX); break;
    case PYTREE_I32: ((int32_t *)p)[i] = PYTREE__CLAMPED(v, int32_t, INT32_MIN, INT32_MAX); break;
    case PYTREE_I64: ((int64_t *)p)[i] = PYTREE__CLAMPED(v, int64_t, INT64_MIN, INT64_MAX); break;
    case PYTREE_U8: ((uint8_t *)p)[i] = PYTREE__CLAMPED(v, uint8_t, 0, UINT8_MAX); break;
    case PYTREE_U16: ((uint16_t *)p)[i] = PYTREE__CLAMPED(v, uint16_t, 0, UINT16_MAX); break;
    case PYTREE_U32: ((uint32_t *)p)[i] = PYTREE__CLAMPED(v, uint32_t, 0, UINT32_MAX); break;
    case PYTREE_U64: ((uint64_t *)p)[i] = PYTREE__CLAMPED(v, uint64_t, 0, UINT64_MAX); break;
    case PYTREE_F16: ((pytree_f16 *)p)[i].bits = pytree__to_half(v, 10); break;
    case PYTREE_BF16: ((pytree_bf16 *)p)[i].bits = pytree__to_half(v, 7); break;
    case PYTREE_F32: ((float *)p)[i] = (float)v; break;
    case PYTREE_F64: ((double *)p)[i] = v; break;
    case PYTREE_FLONG: ((long double *)p)[i] = (long double)v; break;
    default: break;
    }
}

static bool pytree__real(const pytree_type *type) { return type->dtype >= PYTREE_BOOL8 && type->dtype <= PYTREE_FLONG; }
#endif
