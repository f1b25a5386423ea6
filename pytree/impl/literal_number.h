/* pytree/impl/literal_number.h: parsing literals: numbers. */
#ifndef PYTREE_IMPL_LITERAL_NUMBER_H
#define PYTREE_IMPL_LITERAL_NUMBER_H

#include "literal_parser.h"

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

typedef struct pytree__lit_short {        /* digits / 10^places, of at most 18 digits */
    uint64_t digits;
    int places, written;                  /* the exponent after the e */
    bool minus, integer;
} pytree__lit_short;

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

/* Read the exponent of a short number. */
static PYTREE__NOINLINE const char *pytree__lit_read_exponent(pytree__lit_short *x, const char *at, const char *end)
{
    const bool minus = at < end && *at == '-';
    const char *first;
    int n = 0;
    if (at < end && (*at == '-' || *at == '+')) { at++; }
    for (first = at; at < end && pytree__lit_digit(*at); at++) {
        if (at - first == 2) { return NULL; }
        n = 10 * n + (*at - '0');
    }
    if (at == first) { return NULL; }
    x->written = minus ? -n : n;
    x->places -= x->written;
    x->integer = false;
    return at;
}

/* Read a number of at most 18 digits and an exponent below 100, as most are. Return its end; NULL for any other. */
PYTREE__INLINE const char *pytree__lit_read_short(pytree__lit_short *x, const char *at, const char *end)
{
    const char *first, *point = NULL;
    uint64_t v = 0;
    ptrdiff_t n;
    unsigned digit;
    x->minus = at < end && *at == '-';
    at += x->minus;
    for (first = at; at < end && (digit = (unsigned)*at - '0') <= 9; at++) { v = 10 * v + digit; }
    n = at - first;
    x->places = x->written = 0;
    if (at < end && *at == '.') {
        for (point = at++; at < end && (digit = (unsigned)*at - '0') <= 9; at++) { v = 10 * v + digit; }
        n = at - first - 1;
        x->places = (int)(at - point) - 1;
    }
    x->digits = v;
    x->integer = point == NULL;
    if (n == 0 || n > 18 || (point == NULL && n > 1 && *first == '0')) { return NULL; }
    return at < end && (*at == 'e' || *at == 'E') ? pytree__lit_read_exponent(x, at + 1, end) : at;
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

/* Convert a short number that ends there. It rounds once if it is a product or quotient. */
PYTREE__INLINE double pytree__lit_short_double(const pytree__lit_short *x, const char *start, const char *end)
{
    double v = (double)x->digits;
    if (PYTREE__LIKELY(PYTREE__ROUNDS_ONCE && x->digits <= UINT64_C(1) << 53 && x->places >= -22 && x->places <= 22)) {
        v = x->places < 0 ? v * pytree__tens[-x->places] : v / pytree__tens[x->places];
    } else {
        pytree__lit_number y;
        y.start = start + x->minus;
        y.end = end;
        y.written = x->written;
        v = (double)pytree__lit_convert(&y, PYTREE_F64);
    }
    return x->minus ? -v : v;
}

/* Tell whether the nearest double of a number rounds to the nearest float of it: unless it lies midway between two floats. */
static bool pytree__lit_rounds_again(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return (bits & 0x1FFFFFFF) != 0x10000000 && (v == 0 || fabs(v) > (double)FLT_MIN);
}

static float pytree__lit_float(const pytree__lit_number *x)
{
    const double v = pytree__lit_double(x);
    float f;
    if (x->word != 0 || pytree__lit_rounds_again(v)) { return (float)v; }
    f = (float)pytree__lit_convert(x, PYTREE_F32);
    return x->minus ? -f : f;
}

/* Parse a short number of a type into `to`, in the second pass. Return false, where it was, if it needs more care. */
PYTREE__INLINE bool pytree__lit_short_real(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    pytree__lit_short x;
    const char *end = pytree__lit_read_short(&x, p->at, p->end);
    if (end == NULL) { return false; }
    if (p->pass == PYTREE__LIT_MAKE) {
        const double v = pytree__lit_short_double(&x, p->at, end);
        if (type->dtype == PYTREE_F32) {
            float f;
            if (!pytree__lit_rounds_again(v) || fabs(v) > (double)FLT_MAX) { return false; }
            f = (float)v;
            memcpy(to, &f, sizeof f);
        } else if (type->dtype == PYTREE_F64) {
            memcpy(to, &v, sizeof v);
        } else {
            const bool f16 = type->dtype == PYTREE_F16;
            const uint16_t half = pytree__to_half(v, f16 ? 10 : 7);
            if (type->size != sizeof half || (half & 0x7FFF) >= (f16 ? 0x7C00 : 0x7F80)) { return false; }
            memcpy(to, &half, sizeof half);
        }
    }
    p->at = end;
    return true;
}

/* Parse a real number of a type into `to`, in the second pass. A number that is finite in the text must be finite in the
 * type. */
static bool pytree__lit_real(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    pytree__lit_number x;
    bool finite = true;
    char expected[48];
    const char *start = p->at;
    if (pytree__lit_short_real(p, type, to)) { return true; }
    if (!pytree__lit_scan(&x, p->at, p->end)) { return pytree__lit_expected(p, x.end, "a number"); }
    if (p->pass != PYTREE__LIT_MAKE) {
        p->at = x.end;
        return true;
    }
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

/* Write an integer in the machine's byte order. */
PYTREE__INLINE void pytree__lit_write_integer(void *to, size_t size, uint64_t v)
{
    switch (size) {
    case 1: { uint8_t n = (uint8_t)v; memcpy(to, &n, sizeof n); break; }
    case 2: { uint16_t n = (uint16_t)v; memcpy(to, &n, sizeof n); break; }
    case 4: { uint32_t n = (uint32_t)v; memcpy(to, &n, sizeof n); break; }
    default: memcpy(to, &v, sizeof v);
    }
}

/* Return the largest magnitude of an integer type. */
PYTREE__INLINE uint64_t pytree__lit_most(const pytree_type *type, bool minus)
{
    const bool is_signed = type->dtype <= PYTREE_I64;
    const uint64_t most = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * type->size);
    return !minus ? most : is_signed ? most + 1 : 0;
}

/* Parse a short integer of a type into `to`. Return false, where it was, if there is none that fits. */
PYTREE__INLINE bool pytree__lit_short_integer(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    pytree__lit_short x;
    const char *end = pytree__lit_read_short(&x, p->at, p->end);
    if (end == NULL || !x.integer || x.digits > pytree__lit_most(type, x.minus)) { return false; }
    pytree__lit_write_integer(to, type->size, x.minus ? 0 - x.digits : x.digits);
    p->at = end;
    return true;
}

/* Parse an integer of a type into `to`. */
static bool pytree__lit_integer(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    pytree__lit_number x;
    char expected[48];
    if (pytree__lit_short_integer(p, type, to)) { return true; }
    if (!pytree__lit_scan(&x, p->at, p->end) || x.word != 0) {
        return pytree__lit_expected(p, x.word != 0 ? p->at : x.end, "an integer");
    }
    if (!x.integer || !x.whole || x.digits > pytree__lit_most(type, x.minus)) {
        (void)snprintf(expected, sizeof expected, "an integer that %s has", pytree__lit_type_name(type));
        return pytree__lit_expected(p, p->at, expected);
    }
    pytree__lit_write_integer(to, type->size, x.minus ? 0 - x.digits : x.digits);
    p->at = x.end;
    return true;
}

/* The same for a key. */
PYTREE__INLINE bool pytree__lit_int64(pytree__lit_parser *p, int64_t *n)
{
    pytree__lit_short x;
    const char *end = pytree__lit_read_short(&x, p->at, p->end);
    if (end == NULL || !x.integer) { return pytree__lit_integer(p, &pytree_types[PYTREE__T_INT64], n); }
    *n = x.minus ? -(int64_t)x.digits : (int64_t)x.digits;
    p->at = end;
    return true;
}

/* Align the end of the arrays. */
static void pytree__lit_align(pytree__lit_parser *p, size_t align)
{
    const size_t aligned = pytree__round(p->n_arrays, align);
    if (p->pass == PYTREE__LIT_MAKE) { memset(p->arrays + p->n_arrays, 0, aligned - p->n_arrays); }
    p->n_arrays = aligned;
}

/* Make room for n bytes at the end of the arrays. */
static char *pytree__lit_array_room(pytree__lit_parser *p, size_t n)
{
    char *at = p->pass == PYTREE__LIT_MAKE ? p->arrays + p->n_arrays : p->unused;
    p->n_arrays = pytree__plus(p->n_arrays, n);
    return at;
}

/* Make a number that is too large for a cell. Return where its value goes. */
static char *pytree__lit_wide(pytree__lit_parser *p, int type)
{
    pytree__lit_align(p, 16);
    p->slot->type = &pytree_types[type];
    p->slot->data = pytree__lit_array_room(p, pytree_types[type].size);
    return (char *)p->slot->data;
}

/* Tell the parenthesis of a complex number from that of a tuple. */
static bool pytree__lit_is_complex(const pytree__lit_parser *p)
{
    const char *const at = p->at + 1;
    pytree__lit_short x;
    pytree__lit_number y;
    const char *end = pytree__lit_read_short(&x, at, p->end);
    if (end == NULL && pytree__lit_scan(&y, at, p->end)) { end = y.end; }
    return end != NULL && end < p->end && (*end == '+' || *end == '-');
}

/* Parse a complex number without a type. */
static bool pytree__lit_plain_complex(pytree__lit_parser *p)
{
    return pytree__lit_complex(p, &pytree_types[PYTREE__T_cdouble], pytree__lit_wide(p, PYTREE__T_cdouble));
}

/* Parse a number without a type: int64_t, uint64_t, double or complex. */
static PYTREE__NOINLINE bool pytree__lit_long_number(pytree__lit_parser *p)
{
    pytree__lit_number x;
    if (!pytree__lit_scan(&x, p->at, p->end)) {
        return pytree__lit_expected(p, x.end, x.end == x.start ? "a number without leading zeros" : "a number");
    }
    if (x.end < p->end && *x.end == 'j') { return pytree__lit_plain_complex(p); }
    if (x.integer && x.word == 0) {
        const uint64_t v = x.minus ? 0 - x.digits : x.digits;
        if (!x.whole || (x.digits > (uint64_t)INT64_MAX + x.minus && x.minus)) {
            return pytree__lit_expected(p, p->at, "an integer of 64 bits");
        }
        pytree__lit_cell(p, x.digits > (uint64_t)INT64_MAX && !x.minus ? PYTREE__T_UINT64 : PYTREE__T_INT64, &v, sizeof v);
    } else {
        const double v = p->pass == PYTREE__LIT_MAKE ? pytree__lit_double(&x) : 0;
        if (x.word == 0 && (v > DBL_MAX || v < -DBL_MAX)) {
            return pytree__lit_expected(p, p->at, "a number that f64 has");
        }
        pytree__lit_cell(p, PYTREE__T_double_, &v, sizeof v);
    }
    p->at = x.end;
    return true;
}

/* The same for numbers that are short. */
PYTREE__INLINE bool pytree__lit_plain_number(pytree__lit_parser *p)
{
    pytree__lit_short x;
    const char *end = pytree__lit_read_short(&x, p->at, p->end);
    double v = 0;
    if (end == NULL || (end < p->end && *end == 'j')) { return pytree__lit_long_number(p); }
    if (x.integer) {
        const int64_t n = x.minus ? -(int64_t)x.digits : (int64_t)x.digits;
        pytree__lit_cell(p, PYTREE__T_INT64, &n, sizeof n);
    } else {
        if (p->pass == PYTREE__LIT_MAKE) { v = pytree__lit_short_double(&x, p->at, end); }
        pytree__lit_cell(p, PYTREE__T_double_, &v, sizeof v);
    }
    p->at = end;
    return true;
}

/* Parse a number, and those that follow it in a list with a comma and at most a space between them. */
static bool pytree__lit_numbers(pytree__lit_parser *p)
{
    pytree__lit_open *o = p->open.n == 0 ? NULL : pytree__lit_top(p);
    if (o == NULL || o->form != PYTREE__LIT_ITEMS) { return pytree__lit_plain_number(p); }
    while (pytree__lit_plain_number(p)) {
        const char *at = p->at;
        if (p->end - at < 3 || *at != ',') { return true; }
        at += 1 + (at[1] == ' ');
        if (!pytree__lit_digit(*at) && *at != '-') { return true; }
        p->at = at;
        pytree__lit_next_item(p, o);
    }
    return false;
}

#include "literal_leaf.h"
#endif
