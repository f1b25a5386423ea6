/* pytree/impl/literal_number.h: parsing literals: numbers. */
#ifndef PYTREE_IMPL_LITERAL_NUMBER_H
#define PYTREE_IMPL_LITERAL_NUMBER_H

#include "literal_tape.h"

/* ---- Parse: numbers ------------------------------------------------------------------------------------------------ */

/* A number as it is written, digits × 10^exponent: from start, with its sign before it, to end. */
typedef struct pytree__lit_number {
    const char *start, *end;
    uint64_t digits;                      /* as many as 64 bits hold */
    int64_t exponent, written;            /* of `digits`; the one after the e */
    bool minus, integer;
    bool whole;                           /* `digits` are all there are */
    char word;                            /* 'i'nf, 'n'an; or 0 */
} pytree__lit_number;

PYTREE__INLINE const char *pytree__lit_digits(pytree__lit_number *x, const char *at, const char *end, int kept, int dropped)
{
    for (; at < end && pytree__lit_digit(*at); at++) {
        const unsigned digit = (unsigned)(*at - '0');
        if (PYTREE__LIKELY(x->whole && (x->digits < UINT64_MAX / 10 || (x->digits == UINT64_MAX / 10 && digit <= 5)))) {
            x->digits = 10 * x->digits + digit;
            x->exponent += kept;
        } else {
            x->whole = false;
            x->exponent += dropped;
        }
    }
    return at;
}

/* Scan inf, nan or the spellings of JSON dialects. */
static bool pytree__lit_scan_word(pytree__lit_number *x, const char *at, const char *end)
{
    static const char *const words[] = { "inf", "nan", "Infinity", "NaN" };
    size_t i, n, left = pytree__word(at, (size_t)(end - at));
    for (i = 0; i < 4; i++) {
        n = strlen(words[i]);
        if (left >= n && memcmp(at, words[i], n) == 0 && (left == n || (left == n + 1 && at[n] == 'j'))) {
            x->word = i % 2 == 0 ? 'i' : 'n';
            x->end = at + n;
            return true;
        }
    }
    return false;
}

/* Scan a number. If there is none, x->end is where the error is. `digits` is exact up to 2^64 - 1. */
static bool pytree__lit_scan(pytree__lit_number *x, const char *at, const char *end)
{
    const char *whole;
    size_t n;
    x->minus = at < end && *at == '-';
    at += x->minus;
    x->start = at;
    x->digits = 0;
    x->exponent = x->written = 0;
    x->integer = x->whole = true;
    x->word = 0;
    if (at < end && pytree__lit_letter(*at)) {
        x->end = at;
        return pytree__lit_scan_word(x, at, end);
    }
    at = whole = pytree__lit_digits(x, at, end, 0, 1);
    n = (size_t)(at - x->start);
    if (at < end && *at == '.') {
        x->integer = false;
        whole = at + 1;
        at = pytree__lit_digits(x, whole, end, -1, 0);
        n += (size_t)(at - whole);
    }
    x->end = at;
    if (n == 0 || (x->integer && n > 1 && *x->start == '0')) {
        x->end = x->start;
        return false;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        bool minus = at + 1 < end && at[1] == '-';
        const char *first = at + 1 + (at + 1 < end && (at[1] == '-' || at[1] == '+'));
        for (at = first; at < end && pytree__lit_digit(*at); at++) {
            if (x->written < 1000000000) { x->written = 10 * x->written + (*at - '0'); }
        }
        x->integer = false;
        x->end = at;
        if (at == first) { return false; }
        if (minus) { x->written = -x->written; }
        x->exponent += x->written;
    }
    return true;
}

/* Convert a number with strtod. It gets digits and an exponent without a decimal point, so that the locale has no influence;
 * digits beyond all precision are replaced by a single 1, which shows that they are not zero. errno is left as it was. */
static long double pytree__lit_convert(const pytree__lit_number *x, pytree_dtype dtype)
{
    enum { MOST = 800 };
    char text[MOST + 32];
    size_t n = 0;
    int64_t exponent = x->written;
    bool point = false, rest = false;
    int before = errno;
    long double v;
    const char *c;
    for (c = x->start; c < x->end && *c != 'e' && *c != 'E'; c++) {
        if (*c == '.') {
            point = true;
        } else if (n == 0 && *c == '0') {
            exponent -= point;
        } else if (n < MOST) {
            text[n++] = *c;
            exponent -= point;
        } else {
            rest = rest || *c != '0';
            exponent += !point;
        }
    }
    if (rest) {
        text[n++] = '1';
        exponent--;
    }
    if (n == 0) { text[n++] = '0'; }
    exponent = exponent > 99999 ? 99999 : exponent < -99999 ? -99999 : exponent;
    (void)snprintf(text + n, sizeof text - n, "e%d", (int)exponent);
    v = dtype == PYTREE_F32 ? (long double)strtof(text, NULL)
        : dtype == PYTREE_FLONG ? strtold(text, NULL) : (long double)strtod(text, NULL);
    errno = before;
    return v;
}

static double pytree__lit_double(const pytree__lit_number *x)
{
    double v;
    if (PYTREE__UNLIKELY(x->word != 0)) {
        v = x->word == 'i' ? HUGE_VAL : HUGE_VAL - HUGE_VAL;
    } else if (PYTREE__LIKELY(PYTREE__ROUNDS_ONCE && x->whole && x->digits <= UINT64_C(1) << 53 && x->exponent >= -22
                              && x->exponent <= 22)) {
        v = (double)x->digits;
        v = x->exponent < 0 ? v / pytree__tens[-x->exponent] : v * pytree__tens[x->exponent];
    } else {
        v = (double)pytree__lit_convert(x, PYTREE_F64);
    }
    return x->minus ? -v : v;
}

/* Convert to float. A correctly rounded double rounds correctly to float, unless it lies midway between two floats. */
static float pytree__lit_float(const pytree__lit_number *x)
{
    double v = pytree__lit_double(x);
    uint64_t bits;
    float f;
    memcpy(&bits, &v, sizeof bits);
    if (x->word != 0 || ((bits & 0x1FFFFFFF) != 0x10000000 && (v == 0 || fabs(v) > (double)FLT_MIN))) { return (float)v; }
    f = (float)pytree__lit_convert(x, PYTREE_F32);
    return x->minus ? -f : f;
}

/* Parse a real number of a type into `to`. A number that is finite in the text must be finite in the type. */
static bool pytree__lit_real(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    pytree__lit_number x;
    bool finite = true;
    char expected[48];
    const char *start = p->at;
    if (!pytree__lit_scan(&x, p->at, p->end)) { return pytree__lit_expected(p, x.end, "a number"); }
    switch (type->dtype) {
    case PYTREE_F16:
    case PYTREE_BF16: {
        const bool f16 = type->dtype == PYTREE_F16;
        uint16_t half = pytree__to_half(pytree__lit_double(&x), f16 ? 10 : 7);
        if (x.word == 'n') { half &= 0x7FFF; }
        finite = (half & 0x7FFF) < (f16 ? 0x7C00 : 0x7F80);
        memcpy(to, &half, sizeof half);
        break;
    }
    case PYTREE_F32: {
        float v = pytree__lit_float(&x);
        finite = v <= FLT_MAX && v >= -FLT_MAX;
        memcpy(to, &v, sizeof v);
        break;
    }
    case PYTREE_F64: {
        double v = pytree__lit_double(&x);
        finite = v <= DBL_MAX && v >= -DBL_MAX;
        memcpy(to, &v, sizeof v);
        break;
    }
    default: {
        long double v = x.word == 'i' ? HUGE_VALL : HUGE_VALL - HUGE_VALL;
        if (x.word == 0) { v = pytree__lit_convert(&x, PYTREE_FLONG); }
        finite = v <= LDBL_MAX;
        if (x.minus) { v = -v; }
        memset(to, 0, sizeof v);
        memcpy(to, &v, LDBL_MANT_DIG == 64 && sizeof v > 10 ? 10 : sizeof v);
    }
    }
    p->at = x.end;
    if (finite || x.word != 0) { return true; }
    (void)snprintf(expected, sizeof expected, "a number that %s has", pytree__lit_type_name(type));
    return pytree__lit_expected(p, start, expected);
}

static const pytree_type *pytree__lit_part(const pytree_type *type)
{
    return &pytree_types[type->dtype == PYTREE_C64 ? PYTREE__T_float_ : type->dtype == PYTREE_C128 ? PYTREE__T_double_
                                                                                                   : PYTREE__T_ldouble];
}

/* Parse a complex number: (1+2j), 1+2j, 2j. */
static bool pytree__lit_complex(pytree__lit_parser *p, const pytree_type *type, char *to)
{
    const pytree_type *part = pytree__lit_part(type);
    bool closed = pytree__lit_skip(p, '(');
    (void)pytree__lit_peek(p);
    memset(to, 0, type->size);
    if (!pytree__lit_real(p, part, to)) { return false; }
    if (!closed && p->at < p->end && *p->at == 'j') {
        memcpy(to + part->size, to, part->size);
        memset(to, 0, part->size);
    } else {
        char sign = pytree__lit_peek(p);
        if (sign == '+') {
            p->at++;
        } else if (sign != '-') {
            return pytree__lit_expected(p, p->at, closed ? "'+' or '-'" : "'j', '+' or '-'");
        }
        if (!pytree__lit_real(p, part, to + part->size)) { return false; }
        if (p->at == p->end || *p->at != 'j') { return pytree__lit_expected(p, p->at, "'j'"); }
    }
    p->at++;
    return !closed || pytree__lit_need(p, ')');
}

/* Parse an integer of a type into `to`. */
static bool pytree__lit_integer(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    const bool is_signed = type->dtype <= PYTREE_I64;
    uint64_t most = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * type->size);
    pytree__lit_number x;
    char expected[48];
    uint64_t v;
    if (!pytree__lit_scan(&x, p->at, p->end) || x.word != 0) {
        return pytree__lit_expected(p, x.word != 0 ? p->at : x.end, "an integer");
    }
    if (x.minus) { most = is_signed ? most + 1 : 0; }
    if (!x.integer || !x.whole || x.digits > most) {
        (void)snprintf(expected, sizeof expected, "an integer that %s has", pytree__lit_type_name(type));
        return pytree__lit_expected(p, p->at, expected);
    }
    v = x.minus ? 0 - x.digits : x.digits;
    switch (type->size) {                 /* in the machine's byte order */
    case 1: { uint8_t n = (uint8_t)v; memcpy(to, &n, sizeof n); break; }
    case 2: { uint16_t n = (uint16_t)v; memcpy(to, &n, sizeof n); break; }
    case 4: { uint32_t n = (uint32_t)v; memcpy(to, &n, sizeof n); break; }
    default: memcpy(to, &v, sizeof v);
    }
    p->at = x.end;
    return true;
}

/* Align the end of the arrays. */
static bool pytree__lit_align(pytree__lit_parser *p, size_t align)
{
    size_t gap = (align - p->arrays.n % align) % align;
    char *at = gap == 0 ? NULL : (char *)pytree__lit_more(p, &p->arrays, gap);
    if (at != NULL) { memset(at, 0, gap); }
    return gap == 0 || at != NULL;
}

/* Make room for a number that is too large for a token. */
static char *pytree__lit_wide(pytree__lit_parser *p, int type)
{
    return pytree__lit_align(p, 16) ? (char *)pytree__lit_more(p, &p->arrays, pytree_types[type].size) : NULL;
}

static bool pytree__lit_push_wide(pytree__lit_parser *p, int type)
{
    return pytree__lit_push(p, type | PYTREE__LIT_WIDE, p->arrays.n - pytree_types[type].size);
}

/* Parse a complex number without a type. */
static bool pytree__lit_plain_complex(pytree__lit_parser *p)
{
    char *at = pytree__lit_wide(p, PYTREE__T_cdouble);
    return at != NULL && pytree__lit_complex(p, &pytree_types[PYTREE__T_cdouble], at)
        && pytree__lit_push_wide(p, PYTREE__T_cdouble);
}

/* Parse a number without a type: int64_t, uint64_t, double or complex. */
static bool pytree__lit_plain_number(pytree__lit_parser *p)
{
    pytree__lit_number x;
    uint64_t bits;
    double v;
    if (!pytree__lit_scan(&x, p->at, p->end)) {
        return pytree__lit_expected(p, x.end, x.end == x.start ? "a number without leading zeros" : "a number");
    }
    if (PYTREE__UNLIKELY(x.end < p->end && *x.end == 'j')) { return pytree__lit_plain_complex(p); }
    p->n_cells++;
    if (x.integer && x.word == 0) {
        if (PYTREE__UNLIKELY(!x.whole || (x.digits > (uint64_t)INT64_MAX + x.minus && x.minus))) {
            return pytree__lit_expected(p, p->at, "an integer of 64 bits");
        }
        p->at = x.end;
        return pytree__lit_push(p, x.digits > (uint64_t)INT64_MAX && !x.minus ? PYTREE__T_UINT64 : PYTREE__T_INT64,
                                x.minus ? 0 - x.digits : x.digits);
    }
    v = pytree__lit_double(&x);
    if (PYTREE__UNLIKELY(x.word == 0 && (v > DBL_MAX || v < -DBL_MAX))) {
        return pytree__lit_expected(p, p->at, "a number that f64 has");
    }
    p->at = x.end;
    memcpy(&bits, &v, sizeof bits);
    return pytree__lit_push(p, PYTREE__T_double_, bits);
}

#include "literal_leaf.h"
#endif
