/* pytree/impl/promote.h: the element type that several have in common. */
#ifndef PYTREE_IMPL_PROMOTE_H
#define PYTREE_IMPL_PROMOTE_H

#include "internal.h"
#include "../ravel.h"

#include <float.h>
#include <math.h>


/* ---- Promotion ----------------------------------------------------------------------------------------------------- */

/* The numbers of each type: the sort it is computed as, its number of real parts and their type, and of a part the binary
 * digits and the power of two that bounds its values. */
enum { PYTREE__RV_NO_NUMBER, PYTREE__RV_SIGNED, PYTREE__RV_UNSIGNED, PYTREE__RV_DOUBLE, PYTREE__RV_LONG_DOUBLE };
typedef struct pytree__rv_number {
    unsigned char wide, parts, digits;
    short exponent;
    pytree_dtype part;
} pytree__rv_number;

static const pytree__rv_number pytree__rv_numbers[PYTREE_OPAQUE + 1] = {
    { 0, 0, 0, 0, PYTREE_NO_DTYPE },
    { PYTREE__RV_UNSIGNED, 1, 1, 1, PYTREE_BOOL8 },
    { PYTREE__RV_SIGNED, 1, 7, 7, PYTREE_I8 }, { PYTREE__RV_SIGNED, 1, 15, 15, PYTREE_I16 },
    { PYTREE__RV_SIGNED, 1, 31, 31, PYTREE_I32 }, { PYTREE__RV_SIGNED, 1, 63, 63, PYTREE_I64 },
    { PYTREE__RV_UNSIGNED, 1, 8, 8, PYTREE_U8 }, { PYTREE__RV_UNSIGNED, 1, 16, 16, PYTREE_U16 },
    { PYTREE__RV_UNSIGNED, 1, 32, 32, PYTREE_U32 }, { PYTREE__RV_UNSIGNED, 1, 64, 64, PYTREE_U64 },
    { PYTREE__RV_DOUBLE, 1, 11, 16, PYTREE_F16 }, { PYTREE__RV_DOUBLE, 1, 8, 128, PYTREE_BF16 },
    { PYTREE__RV_DOUBLE, 1, FLT_MANT_DIG, FLT_MAX_EXP, PYTREE_F32 },
    { PYTREE__RV_DOUBLE, 1, DBL_MANT_DIG, DBL_MAX_EXP, PYTREE_F64 },
    { PYTREE__RV_LONG_DOUBLE, 1, LDBL_MANT_DIG, LDBL_MAX_EXP, PYTREE_FLONG },
    { PYTREE__RV_DOUBLE, 2, FLT_MANT_DIG, FLT_MAX_EXP, PYTREE_F32 },
    { PYTREE__RV_DOUBLE, 2, DBL_MANT_DIG, DBL_MAX_EXP, PYTREE_F64 },
    { PYTREE__RV_LONG_DOUBLE, 2, LDBL_MANT_DIG, LDBL_MAX_EXP, PYTREE_FLONG },
    { 0, 0, 0, 0, PYTREE_NO_DTYPE },
    { 0, 0, 0, 0, PYTREE_NO_DTYPE }
};

static bool pytree__rv_is_number(pytree_dtype dtype)
{
    return (unsigned)dtype <= PYTREE_OPAQUE && pytree__rv_numbers[dtype].wide != PYTREE__RV_NO_NUMBER;
}

/* Sets of element types are bit masks; these types are grouped. */
#define PYTREE__RV_BIT(dtype) (UINT32_C(1) << (dtype))
#define PYTREE__RV_ALL_FLOATS                                                                                           \
    (PYTREE__RV_BIT(PYTREE_F16) | PYTREE__RV_BIT(PYTREE_BF16) | PYTREE__RV_BIT(PYTREE_F32) | PYTREE__RV_BIT(PYTREE_F64) \
     | PYTREE__RV_BIT(PYTREE_FLONG))
#define PYTREE__RV_ALL_COMPLEX (PYTREE__RV_BIT(PYTREE_C64) | PYTREE__RV_BIT(PYTREE_C128) | PYTREE__RV_BIT(PYTREE_CLONG))

/* Replace 64-bit types by the 32-bit ones. */
static uint32_t pytree__rv_narrow_types(uint32_t set)
{
    static const pytree_dtype narrow[][2] = {
        { PYTREE_I64, PYTREE_I32 }, { PYTREE_U64, PYTREE_U32 }, { PYTREE_F64, PYTREE_F32 }, { PYTREE_FLONG, PYTREE_F32 },
        { PYTREE_C128, PYTREE_C64 }, { PYTREE_CLONG, PYTREE_C64 }
    };
    size_t i;
    for (i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        if ((set & PYTREE__RV_BIT(narrow[i][0])) != 0) {
            set = (set & ~PYTREE__RV_BIT(narrow[i][0])) | PYTREE__RV_BIT(narrow[i][1]);
        }
    }
    return set;
}

/* Return the largest number of digits of the signed and unsigned integers in a set; 0 if there are none. */
static void pytree__rv_integers(uint32_t set, int *with_sign, int *without)
{
    int dtype;
    *with_sign = *without = 0;
    for (dtype = PYTREE_I8; dtype <= PYTREE_U64; dtype++) {
        if ((set & PYTREE__RV_BIT(dtype)) != 0) {
            *(dtype < PYTREE_U8 ? with_sign : without) = pytree__rv_numbers[dtype].digits;
        }
    }
}

/* Return the smallest integer type for both; PYTREE_F64 if only a float would do. */
static pytree_dtype pytree__rv_promote_integers(int with_sign, int without)
{
    int dtype = without > with_sign ? PYTREE_U8 : PYTREE_I8;
    const int digits = without > with_sign ? without : with_sign;
    if (with_sign == 0 && without == 0) { return PYTREE_BOOL8; }
    if (with_sign != 0) { dtype = PYTREE_I8; }
    while (pytree__rv_numbers[dtype].digits < digits) { dtype++; }            /* U64, the last one, has as many as any */
    return with_sign != 0 && dtype > PYTREE_I64 ? PYTREE_F64 : (pytree_dtype)dtype;
}

/* Return the float type for these floats and parts of complex numbers and, under NumPy's rules, the integers with them. */
static pytree_dtype pytree__rv_promote_floats(uint32_t set, pytree_promotion rules)
{
    const uint32_t both_halves = PYTREE__RV_BIT(PYTREE_F16) | PYTREE__RV_BIT(PYTREE_BF16);
    pytree_dtype dtype = (set & (PYTREE__RV_BIT(PYTREE_FLONG) | PYTREE__RV_BIT(PYTREE_CLONG))) != 0 ? PYTREE_FLONG
                         : (set & (PYTREE__RV_BIT(PYTREE_F64) | PYTREE__RV_BIT(PYTREE_C128))) != 0  ? PYTREE_F64
                         : (set & (PYTREE__RV_BIT(PYTREE_F32) | PYTREE__RV_BIT(PYTREE_C64))) != 0   ? PYTREE_F32
                         : (set & both_halves) == both_halves                                 ? PYTREE_F32
                         : (set & PYTREE__RV_BIT(PYTREE_F16)) != 0                               ? PYTREE_F16
                                                                                              : PYTREE_BF16;
    if (rules == PYTREE_PROMOTE_NUMPY) {
        int with_sign, without, digits;
        pytree__rv_integers(set, &with_sign, &without);
        digits = without > with_sign ? without : with_sign;
        if (dtype == PYTREE_BF16 && digits > 8) { return PYTREE_NO_DTYPE; }
        if (dtype == PYTREE_F32 && (set & PYTREE__RV_BIT(PYTREE_F32)) == 0 && (set & both_halves) == both_halves) {
            return PYTREE_NO_DTYPE;
        }
        if (dtype == PYTREE_F16 && digits > 8) { dtype = PYTREE_F32; }
        if (dtype == PYTREE_F32 && digits > 16) { dtype = PYTREE_F64; }
    }
    return dtype;
}

static pytree_dtype pytree__rv_promote(uint32_t set, pytree_promotion rules)
{
    pytree_dtype dtype;
    if (set == 0) { return rules == PYTREE_PROMOTE_NUMPY ? PYTREE_F64 : PYTREE_F32; }
    if (rules == PYTREE_PROMOTE_JAX_X32) { set = pytree__rv_narrow_types(set); }
    if ((set & (PYTREE__RV_ALL_FLOATS | PYTREE__RV_ALL_COMPLEX)) != 0) {
        dtype = pytree__rv_promote_floats(set, rules);
        if ((set & PYTREE__RV_ALL_COMPLEX) != 0) {
            dtype = dtype == PYTREE_FLONG ? PYTREE_CLONG : dtype == PYTREE_F64 ? PYTREE_C128 : PYTREE_C64;
        }
    } else {
        int with_sign, without;
        pytree__rv_integers(set, &with_sign, &without);
        dtype = pytree__rv_promote_integers(with_sign, without);
        if (rules == PYTREE_PROMOTE_JAX_X32 && dtype == PYTREE_I64) { dtype = PYTREE_I32; }
    }
    return dtype;
}

pytree_dtype pytree_promote(size_t n, const pytree_dtype *dtypes, pytree_promotion rules)
{
    uint32_t set = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        if (!pytree__rv_is_number(dtypes[i])) { return PYTREE_NO_DTYPE; }
        set |= PYTREE__RV_BIT(dtypes[i]);
    }
    return pytree__rv_promote(set, rules);
}

const pytree_type *pytree_dtype_type(pytree_dtype dtype)
{
    size_t i;
    for (i = 0; dtype != PYTREE_NO_DTYPE && dtype != PYTREE_OPAQUE && i < PYTREE__T_count; i++) {
        if (pytree_types[i].dtype == dtype) { return &pytree_types[i]; }
    }
    return NULL;
}

/* Tell whether `to` can hold every number of `from`. */
static bool pytree__rv_widens(pytree_dtype from, pytree_dtype to)
{
    const pytree__rv_number *a = &pytree__rv_numbers[from], *b = &pytree__rv_numbers[to];
    const bool whole = a->wide <= PYTREE__RV_UNSIGNED;
    if (a->parts > b->parts) { return false; }
    if (a->part == b->part || a->part == PYTREE_BOOL8) { return true; }
    if (b->part == PYTREE_BOOL8 || a->digits > b->digits) { return false; }
    if (b->wide == PYTREE__RV_SIGNED) { return whole; }
    if (b->wide == PYTREE__RV_UNSIGNED) { return a->wide == PYTREE__RV_UNSIGNED; }
    return whole ? a->exponent < b->exponent : a->exponent <= b->exponent;
}

#include "convert.h"
#endif
