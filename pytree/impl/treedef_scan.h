/* pytree/impl/treedef_scan.h: scanning the text of a treedef: words, numbers, strings, static values. */
#ifndef PYTREE_IMPL_TREEDEF_SCAN_H
#define PYTREE_IMPL_TREEDEF_SCAN_H

#include "internal.h"
#include "../treedef_io.h"
#include "treedef_nodes.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>


/* Return the definition of a type that was declared before it was defined. */
static const pytree_type *pytree__td_type(const pytree_type *type) { return type == NULL ? NULL : pytree__origin(type); }

/* ---- Byte order ---------------------------------------------------------------------------------------------------- */

/* Convert between the byte order of the machine and little-endian. */
static void pytree__td_little(unsigned char *p, size_t n)
{
    if (!pytree__little_endian()) { pytree__swap(p, n, 1); }
}

static void pytree__td_number(unsigned char *p, uint64_t v, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { p[i] = (unsigned char)(v >> 8 * i); }
}

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

typedef struct pytree__td_opened {        /* a node whose children are being read */
    const pytree_type *type;
    size_t held;                          /* where its static values begin in pytree__td_parser.held */
    size_t count, wanted;                 /* children so far; SIZE_MAX: any number */
    size_t keys;                          /* so far */
    bool numbered;                        /* they are numbers */
    char close;
    bool wrapped;                         /* CustomNode(… [*]): one parenthesis more */
} pytree__td_opened;

typedef struct pytree__td_parser {
    pytree__td_maker m;
    const char *text, *at;
    const char *none;                     /* the first None */
    const pytree_type *const *types;
    size_t n_types;
    const char *space;                    /* the namespace, which stands at the end of the text; NULL: none */
    pytree__td_bytes held;                /* statics of the open nodes, which come after those of their children */
    pytree__td_opened *open;
    size_t n, max;
} pytree__td_parser;

/* Fail at a place in the text. */
static bool pytree__td_expected(const pytree__td_parser *p, const char *at, pytree_status status, const char *expected)
{
    char got[32];
    if (*at == '\0') {
        (void)snprintf(got, sizeof got, "the end");
    } else if (*at >= ' ' && *at <= '~') {
        size_t n = strspn(at, "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        (void)snprintf(got, sizeof got, n > 20 ? "'%.*s...'" : "'%.*s'", n > 20 ? 20 : n > 0 ? (int)n : 1, at);
    } else {
        (void)snprintf(got, sizeof got, "byte 0x%02x", (unsigned)(unsigned char)*at);
    }
    (void)pytree__fail_in(p->m.err, status, p->text, at, expected, got);
    return false;
}

static bool pytree__td_unexpected(const pytree__td_parser *p, const char *expected)
{
    return pytree__td_expected(p, p->at, PYTREE_SYNTAX, expected);
}

static void pytree__td_space(pytree__td_parser *p)
{
    while (*p->at == ' ' || *p->at == '\t' || *p->at == '\r' || *p->at == '\n') { p->at++; }
}

static bool pytree__td_skip(pytree__td_parser *p, const char *word)
{
    size_t n = strlen(word);
    pytree__td_space(p);
    if (strncmp(p->at, word, n) != 0) { return false; }
    p->at += n;
    return true;
}

static bool pytree__td_need(pytree__td_parser *p, const char *word)
{
    char expected[32];
    if (pytree__td_skip(p, word)) { return true; }
    (void)snprintf(expected, sizeof expected, "'%s'", word);
    return pytree__td_unexpected(p, expected);
}

static bool pytree__td_hold(pytree__td_parser *p, const void *bytes, size_t n)
{
    return pytree__td_add(&p->held, bytes, n, p->m.opt, p->m.err);
}

/* Parse 'text' or "text" and pack it into `held`. */
static bool pytree__td_parse_string(pytree__td_parser *p, const char *expected)
{
    size_t start = p->held.n;
    uint32_t size = 0;
    char quote[4], bytes[4];
    pytree__td_space(p);
    if (*p->at != '\'' && *p->at != '"') { return pytree__td_unexpected(p, expected); }
    if (!pytree__td_hold(p, &size, sizeof size)) { return false; }
    quote[0] = *p->at++;
    memcpy(quote + 1, "\\\n", 3);
    for (;;) {
        size_t n = strcspn(p->at, quote), length;
        if (n > 0 && !pytree__td_hold(p, p->at, n)) { return false; }
        p->at += n;
        if (*p->at == quote[0]) { break; }
        if (*p->at != '\\') { return pytree__td_unexpected(p, quote[0] == '"' ? "the closing \"" : "the closing '"); }
        length = pytree__read_escape(p->at, 10, bytes, &n);         /* 10: the longest escape; a NUL ends the text earlier */
        if (length == 0) { return pytree__td_unexpected(p, "an escape such as \\n, \\x1b or \\u200b, and not NUL"); }
        p->at += length;
        if (!pytree__td_hold(p, bytes, n)) { return false; }
    }
    p->at++;
    if (!pytree__td_hold(p, "", 1)) { return false; }
    size = (uint32_t)(p->held.n - start - sizeof size);
    memcpy(p->held.at + start, &size, sizeof size);
    return true;
}

static bool pytree__td_parse_integer(pytree__td_parser *p, const pytree_type *type)
{
    const char *start = p->at;
    bool is_signed = type->dtype <= PYTREE_I64, minus = *start == '-', fits = true;
    uint64_t v = 0, most = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * type->size);
    unsigned char bytes[8];
    char expected[48];
    const char *at = start + minus;
    if (minus && is_signed) { most++; }
    for (; *at >= '0' && *at <= '9'; at++) {
        unsigned digit = (unsigned)(*at - '0');
        fits = fits && v <= UINT64_MAX / 10 && v * 10 <= UINT64_MAX - digit && v * 10 + digit <= most;
        v = v * 10 + digit;
    }
    fits = fits && (!minus || is_signed || v == 0);
    if (at == start + minus) { return pytree__td_unexpected(p, "an integer"); }
    if (!fits) {
        (void)snprintf(expected, sizeof expected, "an integer that fits %s", pytree_dtype_name(type));
        return pytree__td_unexpected(p, expected);
    }
    p->at = at;
    pytree__td_number(bytes, minus ? 0 - v : v, sizeof bytes);
    pytree__td_little(bytes, type->size);
    return pytree__td_hold(p, bytes, type->size);
}

/* Convert a number to the 16-bit float that equals it. Return false if there is none. */
static bool pytree__td_half(const pytree_type *type, double v, uint16_t *bits)
{
    const bool f16 = type->dtype == PYTREE_F16;
    if (v != v) {
        *bits = f16 ? 0x7E00 : 0x7FC0;
        return true;
    }
    *bits = pytree__to_half(v, f16 ? 10 : 7);
    return (f16 ? pytree__of_f16(*bits) : pytree__of_bf16(*bits)) == v;
}

/* Return the length of a float in Python's notation; 0 if there is none. *word: it is inf or nan, which has no sign there. */
static size_t pytree__td_float_length(const char *at, bool *word)
{
    const char *digits = at + (*at == '-'), *begin = at;
    size_t n;
    *word = strncmp(digits, "inf", 3) == 0 || strncmp(at, "nan", 3) == 0;
    if (*word) { return (size_t)(digits + 3 - begin); }
    n = strspn(digits, "0123456789");
    if (n == 0) { return 0; }
    at = digits + n;
    if (*at == '.') {
        n = strspn(at + 1, "0123456789");
        if (n == 0) { return 0; }
        at += 1 + n;
    }
    if (*at == 'e' || *at == 'E') {
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        n = strspn(at, "0123456789");
        if (n == 0) { return 0; }
        at += n;
    }
    return (size_t)(at - begin);
}

/* Copy a number for strtod, which expects the decimal point of the locale: the one that printf writes in 0.5. */
static void pytree__td_localize(char *to, const char *number, size_t n, const char *point)
{
    for (; n != 0; n--, number++) {
        if (*number == '.') {
            memcpy(to, point, strlen(point));
            to += strlen(point);
        } else {
            *to++ = *number;
        }
    }
    *to = '\0';
}

/* Parse a float in Python's notation and pack it into `held`. errno is left as it was. */
static bool pytree__td_parse_float(pytree__td_parser *p, const pytree_type *type)
{
    const bool half = type->dtype == PYTREE_F16 || type->dtype == PYTREE_BF16;
    char number[400], point[16], expected[48];
    unsigned char bytes[sizeof(long double)];
    bool word, good;
    const size_t n = pytree__td_float_length(p->at, &word);
    const int before = errno;
    double v = 0;
    if (n == 0 || n > sizeof number - sizeof point) { return pytree__td_unexpected(p, "a number"); }
    (void)snprintf(point, sizeof point, "%.1f", 0.5);
    point[strlen(point) - 1] = '\0';
    pytree__td_localize(number, p->at, n, point + 1);
    memset(bytes, 0, sizeof bytes);
    if (half || type->dtype == PYTREE_F32) {                   /* halves are written like floats */
        float f = strtof(number, NULL);
        v = (double)f;
        memcpy(bytes, &f, sizeof f);
    } else if (type->dtype == PYTREE_FLONG) {
        long double wide = strtold(number, NULL);
        v = wide > LDBL_MAX || wide < -LDBL_MAX ? (double)wide : 0;
        memcpy(bytes, &wide, PYTREE__WIDE);
    } else {
        v = strtod(number, NULL);
        memcpy(bytes, &v, sizeof v);
    }
    errno = before;
    good = word || (v <= DBL_MAX && v >= -DBL_MAX);
    if (half) {
        uint16_t bits = 0;
        good = good && pytree__td_half(type, v, &bits);
        memcpy(bytes, &bits, sizeof bits);
    }
    if (!good) {
        (void)snprintf(expected, sizeof expected, "a number that %s has", pytree_dtype_name(type));
        return pytree__td_unexpected(p, expected);
    }
    p->at += n;
    return pytree__td_hold(p, bytes, type->size);
}

/* Parse one static value that is no struct. */
static bool pytree__td_parse_element(pytree__td_parser *p, const pytree_type *type)
{
    size_t size = type->size;
    unsigned char truth;
    pytree__td_space(p);
    switch (type->dtype) {
    case PYTREE_BOOL8:
        truth = pytree__td_skip(p, "True");
        if (truth == 0 && !pytree__td_skip(p, "False")) { return pytree__td_unexpected(p, "True or False"); }
        return pytree__td_hold(p, &truth, 1);
    case PYTREE_STRING:
        if (pytree__td_skip(p, "None")) {
            const uint32_t none = 0;
            return pytree__td_hold(p, &none, sizeof none);
        }
        return pytree__td_parse_string(p, "a string in quotes or None");
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64: case PYTREE_FLONG:
        return pytree__td_parse_float(p, type);
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG: {
        const pytree_type *part = &pytree_types[type->dtype == PYTREE_C64 ? PYTREE__T_float_
                                                : type->dtype == PYTREE_C128 ? PYTREE__T_double_ : PYTREE__T_ldouble];
        static const unsigned char zero[sizeof(long double)] = { 0 };
        if (*p->at != '(') {              /* 1j: no real part */
            return pytree__td_hold(p, zero, part->size) && pytree__td_parse_float(p, part) && pytree__td_need(p, "j");
        }
        p->at++;
        return pytree__td_parse_float(p, part) && (*p->at == '-' || pytree__td_need(p, "+"))
            && pytree__td_parse_float(p, part) && pytree__td_need(p, "j)");
    }
    case PYTREE_OPAQUE:
        for (truth = 0; size > 0; size--) {
            if (!pytree__td_hold(p, &truth, 1)) { return false; }
        }
        if (pytree__td_skip(p, "<address 0x0>")) { return true; }
        return pytree__td_unexpected(p, "<address 0x0> (no other address can be read back)");
    default: return pytree__td_parse_integer(p, type);
    }
}

/* Parse a string that must fit n characters, its end included; zeros follow it. */
static bool pytree__td_parse_chars(pytree__td_parser *p, size_t n)
{
    const size_t start = p->held.n;
    const unsigned char zero = 0;
    const char *at;
    size_t length;
    char expected[100];
    pytree__td_space(p);
    at = p->at;
    (void)snprintf(expected, sizeof expected, "a string in quotes of at most %zu bytes", n - 1);
    if (!pytree__td_parse_string(p, expected)) { return false; }
    length = p->held.n - start - sizeof(uint32_t);
    if (length > n) { return pytree__td_expected(p, at, PYTREE_SYNTAX, expected); }
    memmove(p->held.at + start, p->held.at + start + sizeof(uint32_t), length);
    p->held.n = start + length;
    for (; length < n; length++) {
        if (!pytree__td_hold(p, &zero, 1)) { return false; }
    }
    return true;
}

/* Parse the name of a row, in quotes. */
static bool pytree__td_parse_row(pytree__td_parser *p, const char *name)
{
    const size_t start = p->held.n, length = strlen(name);
    const char *at;
    bool same;
    char expected[100];
    pytree__td_space(p);
    at = p->at;
    (void)snprintf(expected, sizeof expected, "'%.80s' in quotes", name);
    if (!pytree__td_parse_string(p, expected)) { return false; }
    same = p->held.n - start == sizeof(uint32_t) + length + 1
        && memcmp(p->held.at + start + sizeof(uint32_t), name, length) == 0;
    p->held.n = start;
    if (same) { return true; }
    return pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
}

/* Parse the static values of a struct: (1, 'a') or, nested, Config(rate=0.5, name='a') or, as optree writes it, (('rate',
 * 0.5), ('name', 'a')). C's declarations bound the recursion. */
enum { PYTREE__TD_VALUES, PYTREE__TD_NAMED, PYTREE__TD_PAIRS };
static bool pytree__td_parse_statics(pytree__td_parser *p, const pytree_type *owner, int form)
{
    const bool named = form == PYTREE__TD_NAMED;
    unsigned i, n = 0;
    if ((named && !pytree__td_need(p, owner->name)) || !pytree__td_need(p, "(")) { return false; }
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        size_t k;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (n++ > 0 && !pytree__td_need(p, ",")) { return false; }
        if (named && (!pytree__td_need(p, row->name) || !pytree__td_need(p, "="))) { return false; }
        if (form == PYTREE__TD_PAIRS
            && (!pytree__td_need(p, "(") || !pytree__td_parse_row(p, row->name) || !pytree__td_need(p, ","))) {
            return false;
        }
        if (row->form == PYTREE__PACK_CHARS) {
            if (!pytree__td_parse_chars(p, row->size) || (form == PYTREE__TD_PAIRS && !pytree__td_need(p, ")"))) {
                return false;
            }
            continue;
        }
        if (row->ndim != 0 && !pytree__td_need(p, "(")) { return false; }
        for (k = 0; k < row->size / type->size; k++) {
            if (k > 0 && !pytree__td_need(p, ",")) { return false; }
            if (type->kind == PYTREE_KIND_STRUCT ? !pytree__td_parse_statics(p, type, PYTREE__TD_NAMED)
                : !pytree__td_parse_element(p, type)) { return false; }
        }
        if (row->ndim != 0 && !pytree__td_need(p, k == 1 ? ",)" : ")")) { return false; }
        if (form == PYTREE__TD_PAIRS && !pytree__td_need(p, ")")) { return false; }
    }
    return pytree__td_need(p, n == 1 && !named ? ",)" : ")");
}

#include "treedef_parse.h"
#endif
