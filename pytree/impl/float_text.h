/* pytree/impl/float_text.h: the shortest decimal digits of a floating-point number. */
#ifndef PYTREE_IMPL_FLOAT_TEXT_H
#define PYTREE_IMPL_FLOAT_TEXT_H

#include "internal.h"

/* The shortest digits that read back as the same number (Steele and White, "How to Print Floating-Point Numbers Accurately",
 * PLDI 1990), as Python's repr has them. Three ways, the usual first: short decimals by one exact division or product, the
 * doubles of 16 and 17 digits in integers of 128 bits, all others by the C library, with more digits until they read back.
 */

/* Do these digits, d.ddde+x, read back as v? */
static bool pytree__reads_back(const char *text, long double v, int kind)
{
    return kind == 'h'   ? pytree__to_half(strtod(text, NULL), 10) == pytree__to_half((double)v, 10)
           : kind == 'f' ? strtof(text, NULL) == (float)v
           : kind == 'd' ? strtod(text, NULL) == (double)v
                         : strtold(text, NULL) == v;
}

/* Powers of ten that a double holds exactly. The product or quotient of two exact numbers is rounded once, so it is the number
 * nearest to the true one (Clinger, "How to Read Floating Point Numbers Accurately", PLDI 1990). */
static const double pytree__tens[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                       1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22 };

#if (defined(__TINYC__) && defined(__x86_64__)) || (defined(FLT_EVAL_METHOD) && FLT_EVAL_METHOD == 0)
#define PYTREE__ROUNDS_ONCE 1
#else
#define PYTREE__ROUNDS_ONCE 0
#endif

/* Puts digits with a point before the last `decimals` of them. */
static PYTREE__APART_CLANG void pytree__put_decimal(struct pytree__text_writer *to, uint64_t digits, int decimals)
{
    char text[40];
    size_t at = sizeof text;
    int i;
    if (decimals == 0) {
        text[--at] = '0';
        text[--at] = '.';
    }
    for (i = 0; digits != 0 || i <= decimals; i++) {
        if (i == decimals && i != 0) { text[--at] = '.'; }
        text[--at] = (char)('0' + digits % 10);
        digits /= 10;
    }
    pytree__text_put(to, text + at, sizeof text - at);
}

/* Puts v as digits / 10^decimals with as few decimals as will do, without trying what reads back: the digits are few enough
 * that no other number of that length is as near. (No quotient is rounded to the middle of two floats: each of them was tried.)
 * Returns false if v is not such a number. */
static PYTREE__APART_CLANG bool pytree__put_short(struct pytree__text_writer *to, double v, bool is_float)
{
    const double most = is_float ? 1e9 : 1e15;
    int decimals;
    if (v == 0) { pytree__text_put(to, "0.0", 3); return true; }
    if (!PYTREE__ROUNDS_ONCE || !(v < (is_float ? 16777216.0 : most)) || v < 1e-4) { return false; }
    for (decimals = 0; decimals <= (is_float ? 12 : 18); decimals++) {
        const double scaled = v * pytree__tens[decimals];        /* exact if it was a float */
        uint64_t digits = (uint64_t)scaled, bits;
        double left = scaled - (double)digits, near;
        if (!(scaled < most)) { return false; }
        digits += left > 0.5;
        near = (double)digits / pytree__tens[decimals];
        if (is_float && digits >= 1000000) {
            /* two of that length may read back: of equal distance, or where floats stand closer below a power of two */
            memcpy(&bits, &v, sizeof bits);
            if (left == 0.5 || bits << 12 == 0) { return false; }
        }
        if (is_float ? (double)(float)near == v : near == v) {
            pytree__put_decimal(to, digits, decimals);
            return true;
        }
    }
    return false;
}

/* Puts a double of the same size that needs 16 or 17 digits: v * 10^decimals is P / 2^shift, where P = mantissa * 5^decimals
 * has less than 128 bits, and the next double lies 5^decimals from P. Returns false for a power of two, below which doubles
 * stand closer. */
static PYTREE__APART_CLANG bool pytree__put_long(struct pytree__text_writer *to, double v)
{
    uint64_t bits, mantissa, five, high, low, digits, rest, ten = UINT64_C(1000000000000000);
    int n, decimals, shift, whole = -4, i;
    memcpy(&bits, &v, sizeof bits);
    if (bits << 12 == 0 || !(v < 1e15) || !(v >= 1e-4)) { return false; }
    mantissa = (bits & ((UINT64_C(1) << 52) - 1)) | UINT64_C(1) << 52;
    while (whole < 14 && v >= (whole < -1 ? 1 / pytree__tens[-whole - 1] : pytree__tens[whole + 1])) { whole++; }
    for (n = 16; ; n++, ten *= 10) {
        decimals = n - 1 - whole;         /* 1 to 20 */
        shift = 1075 - (int)(bits >> 52) - decimals;         /* 1 to 47 */
        for (five = 1, i = 0; i < decimals; i++) { five *= 5; }
        low = (mantissa & UINT32_MAX) * (five & UINT32_MAX);
        high = (mantissa >> 32) * (five & UINT32_MAX) + (low >> 32);
        rest = (mantissa & UINT32_MAX) * (five >> 32) + (high & UINT32_MAX);
        low = rest << 32 | (low & UINT32_MAX);
        high = (mantissa >> 32) * (five >> 32) + (high >> 32) + (rest >> 32);
        digits = high << (64 - shift) | low >> shift;
        rest = low & ((UINT64_C(1) << shift) - 1);
        if (rest >> (shift - 1) != 0) {
            if (rest == UINT64_C(1) << (shift - 1)) { return false; }
            digits++;
            rest = (UINT64_C(1) << shift) - rest;
        }
        if (digits < ten || digits >= 10 * ten) { return false; }     /* so near to a power of ten that `whole` is wrong */
        if (n == 17 || 2 * rest < five) {                      /* 17 digits tell every double from the next */
            pytree__put_decimal(to, digits, decimals);
            return true;
        }
    }
}

/* Finds the shortest digits of v > 0, without trailing zeros, by asking the C library for more until they read back. Returns
 * how many there are, and sets the exponent of the first. `kind`: as below, or 'h' for half precision. */
static PYTREE__APART_CLANG size_t pytree__find_digits(char digit[48], int *exponent, long double v, int kind)
{
    const int wide = LDBL_MANT_DIG == 64 ? 21 : LDBL_MANT_DIG == 113 ? 36 : 17;
    const int most = kind == 'h' ? 5 : kind == 'f' ? 9 : kind == 'd' ? 17 : wide;
    const long double normal = kind == 'f' ? (long double)FLT_MIN : kind == 'd' ? (long double)DBL_MIN : LDBL_MIN;
    const long double small = kind == 'h' ? 1.0L / 16384 : normal;
    const int before = PYTREE__GET_ERRNO();             /* numbers below `small` set it as they are read */
    char text[80];
    size_t n = 0, i;
    int digits = v < small ? 1 : kind == 'h' ? 3 : kind == 'f' ? FLT_DIG : kind == 'd' ? DBL_DIG : LDBL_DIG;
    for (;; digits++) {
        snprintf(text, sizeof text, "%.*Le", digits - 1, v);
        if (digits >= most || pytree__reads_back(text, v, kind)) { break; }
        if (digits == most - 1) {         /* below a power of two the next digit may read back where the nearest does not */
            char *last = strchr(text, 'e') - 1;
            if (*last < '9') {
                ++*last;
                if (pytree__reads_back(text, v, kind)) { break; }
            }
        }
    }
    *exponent = (int)strtol(strchr(text, 'e') + 1, NULL, 10);
    PYTREE__SET_ERRNO(before);
    for (i = 0; text[i] != 'e'; i++) {    /* without what the locale has in place of a point */
        if ((unsigned)(text[i] - '0') < 10) { digit[n++] = text[i]; }
    }
    while (n > 1 && digit[n - 1] == '0') { n--; }
    return n;
}

/* Puts a float as Python's repr does. `kind`: 'f'loat, 'd'ouble, 'l'ong double. */
static void pytree__put_float(struct pytree__text_writer *to, long double v, int kind)
{
    char digit[48];
    int exponent;
    size_t n, i;
    if (v != v) { pytree__text_put(to, "nan", 3); return; }
    if (signbit(v) != 0) { pytree__text_put(to, "-", 1); v = -v; }
    if (v > (kind == 'l' ? LDBL_MAX : kind == 'f' ? (long double)FLT_MAX : (long double)DBL_MAX)) {
        pytree__text_put(to, "inf", 3);
        return;
    }
    if (kind != 'l' && pytree__put_short(to, (double)v, kind == 'f')) { return; }
    if (kind == 'd' && PYTREE__ROUNDS_ONCE && pytree__put_long(to, (double)v)) { return; }     /* not a short one */
    n = pytree__find_digits(digit, &exponent, v, kind);
    if (exponent < -4 || exponent >= 16) {
        pytree__text_put(to, digit, 1);
        if (n > 1) { pytree__text_put(to, ".", 1); pytree__text_put(to, digit + 1, n - 1); }
        pytree__text_put(to, exponent < 0 ? "e-" : "e+", 2);
        if (exponent > -10 && exponent < 10) { pytree__text_put(to, "0", 1); }
        pytree__put_number(to, (uint64_t)(exponent < 0 ? -exponent : exponent));
    } else if (exponent < 0) {
        pytree__text_put(to, "0.000", (size_t)(1 - exponent));
        pytree__text_put(to, digit, n);
    } else {
        for (i = 0; i <= (size_t)exponent || i < n; i++) {
            if (i == (size_t)exponent + 1) { pytree__text_put(to, ".", 1); }
            pytree__text_put(to, i < n ? &digit[i] : "0", 1);
        }
        if (n <= (size_t)exponent + 1) { pytree__text_put(to, ".0", 2); }
    }
}
#endif
