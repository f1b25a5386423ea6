/* pytree/literal.h: trees as text in the notation of Python and JSON.
 *
 *     pytree_parse            an owned tree from a literal
 *     pytree_literal_text     the literal of a tree, so that it parses back
 *     pytree_literal_print
 *
 *     pytree axes = pytree_parse("(None, {'k1': None, 'k2': 0})", NULL, &err);
 *     pytree_literal_print(stdout, axes, NULL, &err);            // (None, {'k1': None, 'k2': 0})
 *     pytree_free(axes);
 *
 * For axes, filters, configuration, tests; any JSON text is one too. docs/literal.md has the notation with examples:
 *
 *     value       None | null | True | true | False | false | number | text | [ value, … ] | ( value, … ) | { key: value, … }
 *               | OrderedDict({ key: value, … }) | OrderedDict([ (key, value), … ]) | deque([ value, … ], maxlen=3)
 *               | defaultdict(<class 'int'>, { key: value, … }) | Name(field=value, …) | type(element) | type([ element, … ])
 *     key         text | integer: all of a dict are one or the other
 *     number      12 (int64_t; uint64_t where it does not fit), 1.5 1e-07 inf -inf nan Infinity NaN (double), 2j (1+2j)
 *     text        'it' or "it" with \\ \' \" \/ \a \b \f \n \r \t \v \x41 \u1234 \U0001F600, and pairs \ud83d\ude00
 *     type        bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 longdouble c64 c128 clongdouble str
 *     arrays      f32([[1.0, 2.0], [3.0, 4.0]]); where there is no element to show the shape: f32([], shape=(0, 3))
 *
 * Space and newlines are free between the words, a comma may follow the last item, a tuple of one needs it. No comments.
 * Rules of pytree.h hold here too. The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in that file.
 */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#elif !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED))
#include "../pytree.h"                    /* not there? include pytree.h first */
#endif

#ifndef PYTREE_LITERAL_H
#define PYTREE_LITERAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parse --------------------------------------------------------------------------------------------------------- */

/* The tree that a literal describes, in one block that is independent of the text; free with pytree_free. ast.literal_eval,
 * json.loads. Dicts keep the order of the text (and are visited by sorted key, as every dict). Name(…) is a namedtuple. Data
 * NULL on error. PYTREE_SYNTAX says "line 3, column 7: expected ',' or ']', got '}'"; a key that comes twice, keys of both
 * kinds and a number that its type does not have are such errors too.
 *
 * Any text is safe: nothing recurses, memory is bounded by the text's length, the locale has no say. opt: allocator,
 * alignment (of arrays). O(length); memory for the work is taken and given back. */
pytree pytree_parse(const char *text, const pytree_options *opt, pytree_error *err);

/* The same of n bytes that need no NUL behind them; a NUL among them is an error. `text` may be NULL if n is 0. */
pytree pytree_parse_n(const char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* ---- Print --------------------------------------------------------------------------------------------------------- */

/* The literal of a tree, on one line: what Python's repr gives, save that numbers of other types than int64_t and double say
 * theirs, and arrays too. pytree_parse gives an equal tree, type for type and bit for bit (of NaN: that it is one). What a
 * text cannot show comes back as what is nearest: a struct as a namedtuple with its static values in front, an array or map of
 * stb_ds as a list or dict. Dicts are written in the order in which they hold their pairs.
 *
 * Custom nodes, opaque leaves, addresses among static values, and names that are no identifiers or the notation's own have no
 * literal: PYTREE_TYPE with the path. opt: namespace, allocator; neither is_leaf nor none_is_leaf has a say.
 *
 * _print checks all of it before it writes, and adds a newline. _text is like snprintf: at most n bytes with the NUL, returns
 * the length needed without it; SIZE_MAX on error. O(elements); allocates for deep trees and for structs with static values. */
pytree_status pytree_literal_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);
size_t pytree_literal_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__LITERAL_BODIES)
#define PYTREE__LITERAL_BODIES

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Words --------------------------------------------------------------------------------------------------------- */

/* What a number without a type is. */
#if defined(__cplusplus)
#define PYTREE__LIT_I64 (sizeof(long) == 8 ? PYTREE__T_long_ : PYTREE__T_llong)
#define PYTREE__LIT_U64 (sizeof(long) == 8 ? PYTREE__T_ulong : PYTREE__T_ullong)
#else
#define PYTREE__LIT_I64 _Generic((int64_t)0, long: PYTREE__T_long_, default: PYTREE__T_llong)
#define PYTREE__LIT_U64 _Generic((uint64_t)0, unsigned long: PYTREE__T_ulong, default: PYTREE__T_ullong)
#endif

/* Type by type, in the order of pytree_dtype. */
static const unsigned char pytree__lit_types[] = {
    PYTREE__T_none, PYTREE__T_bool_, PYTREE__T_schar, PYTREE__T_short_, PYTREE__T_int_, PYTREE__LIT_I64, PYTREE__T_uchar,
    PYTREE__T_ushort, PYTREE__T_uint, PYTREE__LIT_U64, PYTREE__T_f16, PYTREE__T_bf16, PYTREE__T_float_, PYTREE__T_double_,
    PYTREE__T_ldouble, PYTREE__T_cfloat, PYTREE__T_cdouble, PYTREE__T_cldouble, PYTREE__T_string
};

static const char *pytree__lit_type_name(const pytree_type *type)
{
    return type->dtype == PYTREE_FLONG ? "longdouble" : type->dtype == PYTREE_CLONG ? "clongdouble" : pytree_dtype_name(type);
}

static bool pytree__lit_same(const char *word, size_t n, const char *other)
{
    return strlen(other) == n && memcmp(word, other, n) == 0;
}

static bool pytree__lit_is(const char *word, size_t n, const char *python, const char *json)
{
    return pytree__lit_same(word, n, python) || pytree__lit_same(word, n, json);
}

/* The element type of that name: its place in pytree_types, or 0. */
static int pytree__lit_type_of(const char *word, size_t n)
{
    size_t i;
    for (i = 1; i < sizeof pytree__lit_types; i++) {
        const int id = pytree__lit_types[i];
        if (pytree__lit_same(word, n, pytree__lit_type_name(&pytree_types[id]))) { return id; }
    }
    return 0;
}

static bool pytree__lit_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
static bool pytree__lit_digit(char c) { return c >= '0' && c <= '9'; }

/* ---- Parse: the tape -------------------------------------------------------------------------------------------------
 *
 * A text is read once, onto a tape: a token for each value and each key, a container before what it holds. Texts, arrays and
 * what there is to say of a container lie beside it. When all is known to be well, and how large the tree will be, the tape is
 * read once more and the tree put into its block:
 *
 *     {'a': [1, 2.0]}   =>   dict #0, 'a', list #1, 1, 2.0        texts: a        containers: {1 pair}, {2 items}
 *
 *     [containers] [pairs, items, orders, numbers] [views of arrays] [texts] [pytree__block] [arrays]
 */

typedef struct pytree__lit_token {
    uint32_t type;                        /* place in pytree_types; a key: PYTREE__T_none */
    uint32_t wide;                        /* a number that lies among the arrays */
    uint64_t value;                       /* its bytes; where a text or a wide number is; number of a container, of an array */
} pytree__lit_token;

typedef struct pytree__lit_container {
    size_t count, maxlen;
    size_t name;                          /* where it is, of a namedtuple or default dict; PYTREE__LIT_NONE */
    size_t order;                         /* of a dict: where it begins, among the orders; PYTREE__LIT_NONE: as they come */
    bool numbered;
} pytree__lit_container;
#define PYTREE__LIT_NONE SIZE_MAX

typedef struct pytree__lit_key {
    const char *at;                       /* in the text */
    size_t name;                          /* among the texts */
    int64_t number;
} pytree__lit_key;

enum { PYTREE__LIT_ITEMS, PYTREE__LIT_BRACES, PYTREE__LIT_PAIRS, PYTREE__LIT_FIELDS };

typedef struct pytree__lit_open {         /* a container that is being read */
    size_t container, count;
    size_t keys;                          /* where its keys begin, among those of all that are open; in bytes */
    uint32_t type;
    char close;
    unsigned char form;
    bool wrapped;                         /* one parenthesis more follows */
} pytree__lit_open;

typedef struct pytree__lit_bytes {
    char *at;
    size_t n, max;
} pytree__lit_bytes;

typedef struct pytree__lit_parser {
    const char *text, *at, *end;
    const pytree_options *opt;
    pytree_error *err;
    pytree__lit_bytes tape, texts, containers, orders, views, arrays;
    pytree__lit_bytes open, keys, sorting;
    size_t n_cells, n_items, n_pairs;     /* numbers; items and pairs of containers */
    size_t n_places;                      /* of orders, for each dict an even number */
    size_t most_open;                     /* of `open`, in bytes */
    size_t align;
} pytree__lit_parser;

static bool pytree__lit_grow(pytree__lit_parser *p, pytree__lit_bytes *b, size_t n)
{
    const size_t need = pytree__plus(b->n, n);
    char *grown = (char *)pytree__array_grow(b->at, &b->max, need < 512 ? 512 : need, 1, pytree__allocator(p->opt), p->err);
    if (grown == NULL) { return false; }
    b->at = grown;
    return true;
}

/* n more bytes; NULL and an error if there is no memory. */
PYTREE__INLINE void *pytree__lit_more(pytree__lit_parser *p, pytree__lit_bytes *b, size_t n)
{
    if (PYTREE__UNLIKELY(n > b->max - b->n) && !pytree__lit_grow(p, b, n)) { return NULL; }
    b->n += n;
    return b->at + b->n - n;
}

PYTREE__INLINE bool pytree__lit_push(pytree__lit_parser *p, int type, uint64_t value)
{
    pytree__lit_token *token = (pytree__lit_token *)pytree__lit_more(p, &p->tape, sizeof *token);
    if (token == NULL) { return false; }
    token->type = (uint32_t)type;
    token->wide = 0;
    token->value = value;
    return true;
}

static pytree__lit_container *pytree__lit_container_at(const pytree__lit_parser *p, size_t i)
{
    return (pytree__lit_container *)(void *)p->containers.at + i;
}

/* The innermost container that is open. */
PYTREE__INLINE pytree__lit_open *pytree__lit_top(const pytree__lit_parser *p)
{
    return (pytree__lit_open *)(void *)(p->open.at + p->open.n) - 1;
}

/* ---- Parse: errors and space ----------------------------------------------------------------------------------------- */

/* What stands at a place, for a message: a word, a text, a character. */
static void pytree__lit_got(const pytree__lit_parser *p, const char *at, char *got, size_t room)
{
    size_t n = 1, left = (size_t)(p->end - at);
    if (at == p->end) {
        (void)snprintf(got, room, "the end");
    } else if (*at < ' ' || *at > '~') {
        (void)snprintf(got, room, "byte 0x%02x", (unsigned)(unsigned char)*at);
    } else if (*at == '\'' || *at == '"') {
        while (n < left && n < 24 && at[n] >= ' ' && at[n] <= '~' && at[n] != *at) { n++; }
        (void)snprintf(got, room, n < left && at[n] == *at ? "%.*s%c" : "%.*s...", (int)n, at, *at);
    } else {
        if (*at == '-' || pytree__lit_letter(*at) || pytree__lit_digit(*at)) {
            while (n < left && n < 24 && (pytree__lit_letter(at[n]) || pytree__lit_digit(at[n]) || at[n] == '.')) { n++; }
        }
        (void)snprintf(got, room, n == 24 ? "'%.*s...'" : "'%.*s'", (int)n, at);
    }
}

/* Fails at a place in the text. Lines and columns count from 1, characters and not bytes. */
static bool pytree__lit_expected(const pytree__lit_parser *p, const char *at, const char *expected)
{
    char got[40];
    pytree__lit_got(p, at, got, sizeof got);
    (void)pytree__fail_in(p->err, PYTREE_SYNTAX, p->text, at, expected, got);
    return false;
}

/* Past the space; the character there, NUL at the end. */
PYTREE__INLINE char pytree__lit_peek(pytree__lit_parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\n' || *p->at == '\t' || *p->at == '\r')) { p->at++; }
    return p->at < p->end ? *p->at : '\0';
}

static bool pytree__lit_skip(pytree__lit_parser *p, char c)
{
    if (p->at == p->end || pytree__lit_peek(p) != c) { return false; }
    p->at++;
    return true;
}

static bool pytree__lit_need(pytree__lit_parser *p, char c)
{
    char expected[4] = { '\'', '\0', '\'', '\0' };
    expected[1] = c;
    return pytree__lit_skip(p, c) || pytree__lit_expected(p, p->at, expected);
}

/* A word that stands alone: `None`, and not `Nonesuch`. */
static bool pytree__lit_skip_word(pytree__lit_parser *p, const char *word)
{
    size_t n = strlen(word);
    (void)pytree__lit_peek(p);
    if (pytree__word(p->at, (size_t)(p->end - p->at)) != n || memcmp(p->at, word, n) != 0) { return false; }
    p->at += n;
    return true;
}

/* ---- Parse: numbers -------------------------------------------------------------------------------------------------- */

/* digits × 10^exponent as it is written: start … end, the sign before it. */
typedef struct pytree__lit_number {
    const char *start, *end;
    uint64_t digits;                      /* those that 64 bits hold */
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

/* inf, nan or what JSON's relatives call them. */
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

/* Reads a number; if there is none x->end is where it goes wrong. `digits` is exact up to 2^64 - 1. */
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

/* What strtod makes of it. It gets digits and an exponent alone, so that the locale's decimal point is none of our business;
 * digits that no number needs are stood for by one that says that they are not zero. errno is left alone. */
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

/* A double that is right is right for float too, unless it lies in the middle between two of them. */
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

/* A real number of that type to `to`. What is finite in the text must be so in the type. */
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

/* (1+2j), 1+2j, 2j. */
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

/* An integer of that type to `to`. */
static bool pytree__lit_integer(pytree__lit_parser *p, const pytree_type *type, void *to)
{
    const bool is_signed = type->dtype <= PYTREE_I64;
    const uint64_t most = (is_signed ? (uint64_t)INT64_MAX : UINT64_MAX) >> (64 - 8 * type->size);
    pytree__lit_number x;
    char expected[48];
    uint64_t v;
    if (!pytree__lit_scan(&x, p->at, p->end) || x.word != 0) {
        return pytree__lit_expected(p, x.word != 0 ? p->at : x.end, "an integer");
    }
    if (!x.integer || !x.whole || x.digits > most + (x.minus && is_signed) || (x.minus && !is_signed && x.digits != 0)) {
        (void)snprintf(expected, sizeof expected, "an integer that %s has", pytree__lit_type_name(type));
        return pytree__lit_expected(p, p->at, expected);
    }
    v = x.minus ? 0 - x.digits : x.digits;
    switch (type->size) {                 /* in the machine's order of bytes */
    case 1: { uint8_t n = (uint8_t)v; memcpy(to, &n, sizeof n); break; }
    case 2: { uint16_t n = (uint16_t)v; memcpy(to, &n, sizeof n); break; }
    case 4: { uint32_t n = (uint32_t)v; memcpy(to, &n, sizeof n); break; }
    default: memcpy(to, &v, sizeof v);
    }
    p->at = x.end;
    return true;
}

/* The next place among the arrays that is aligned so. */
static bool pytree__lit_align(pytree__lit_parser *p, size_t align)
{
    size_t gap = (align - p->arrays.n % align) % align;
    char *at = gap == 0 ? NULL : (char *)pytree__lit_more(p, &p->arrays, gap);
    if (at != NULL) { memset(at, 0, gap); }
    return gap == 0 || at != NULL;
}

/* Room for a number that is too large for a token. */
static char *pytree__lit_wide(pytree__lit_parser *p, int type)
{
    return pytree__lit_align(p, 16) ? (char *)pytree__lit_more(p, &p->arrays, pytree_types[type].size) : NULL;
}

static bool pytree__lit_push_wide(pytree__lit_parser *p, int type)
{
    size_t at = p->arrays.n - pytree_types[type].size;
    if (!pytree__lit_push(p, type, at)) { return false; }
    ((pytree__lit_token *)(void *)(p->tape.at + p->tape.n) - 1)->wide = 1;
    return true;
}

/* A complex number of Python's. */
static bool pytree__lit_plain_complex(pytree__lit_parser *p)
{
    char *at = pytree__lit_wide(p, PYTREE__T_cdouble);
    return at != NULL && pytree__lit_complex(p, &pytree_types[PYTREE__T_cdouble], at)
        && pytree__lit_push_wide(p, PYTREE__T_cdouble);
}

/* A number without a type: int64_t, uint64_t, double or complex. */
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
        return pytree__lit_push(p, x.digits > (uint64_t)INT64_MAX && !x.minus ? PYTREE__LIT_U64 : PYTREE__LIT_I64,
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

/* ---- Parse: texts ---------------------------------------------------------------------------------------------------- */

/* The n hexadecimal digits at `at`; false if there are not as many. */
static bool pytree__lit_hex(const pytree__lit_parser *p, const char *at, int n, uint32_t *value)
{
    for (*value = 0; n > 0; n--, at++) {
        char c = at < p->end ? *at : '\0';
        int digit = c - '0';
        if (!pytree__lit_digit(c)) {
            c = (char)(c | ('a' ^ 'A'));
            if (c < 'a' || c > 'f') { return false; }
            digit = c - 'a' + 10;
        }
        *value = *value << 4 | (uint32_t)digit;
    }
    return true;
}

/* What a backslash begins: its bytes and how many; 0 and an error if it is nothing. */
static size_t pytree__lit_escape(pytree__lit_parser *p, char *out)
{
    static const char plain[] = "\\'\"/abfnrtv", meant[] = "\\'\"/\a\b\f\n\r\t\v";
    const char c = p->at + 1 < p->end ? p->at[1] : '\0', *found = c == '\0' ? NULL : strchr(plain, c);
    int digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    uint32_t code = 0, second = 0;
    if (found != NULL) {
        out[0] = meant[found - plain];
        p->at += 2;
        return 1;
    }
    if (digits == 0 || !pytree__lit_hex(p, p->at + 2, digits, &code) || code > 0x10FFFF) {
        (void)pytree__lit_expected(p, p->at, c == '0' ? "an escape other than NUL" : "an escape such as \\n, \\x1b or \\u200b");
        return 0;
    }
    if (code == 0) {
        (void)pytree__lit_expected(p, p->at, "an escape other than NUL");
        return 0;
    }
    if (code >= 0xD800 && code <= 0xDBFF && digits == 4 && p->end - p->at >= 12 && p->at[6] == '\\' && p->at[7] == 'u'
        && pytree__lit_hex(p, p->at + 8, 4, &second) && second >= 0xDC00 && second <= 0xDFFF) {
        code = 0x10000 + ((code - 0xD800) << 10) + (second - 0xDC00);          /* two halves, as JSON has it */
        p->at += 6;
    }
    if (code >= 0xD800 && code <= 0xDFFF && (code < 0xDC80 || code > 0xDCFF)) {
        (void)pytree__lit_expected(p, p->at, "a character, or both halves of one");
        return 0;
    }
    p->at += 2 + digits;
    if (code >= 0xDC80 && code <= 0xDCFF) {          /* a byte that is not UTF-8 */
        out[0] = (char)(code - 0xDC00);
        return 1;
    }
    return pytree__to_utf8(out, code);
}

/* 'text' or "text" to the texts; *where it begins. */
static bool pytree__lit_string(pytree__lit_parser *p, size_t *where)
{
    const char quote = *p->at++, *from = p->at;
    char *to;
    *where = p->texts.n;
    for (;;) {
        const char *at = from, *end = p->end;
        size_t n;
        while (at < end && *at != quote && *at != '\\' && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x80) { at++; }
        n = (size_t)(at - from);
        to = (char *)pytree__lit_more(p, &p->texts, n + 5);      /* an escape or a character, or the NUL */
        if (to == NULL) { return false; }
        memcpy(to, from, n);
        to += n;
        p->texts.n -= 5;
        p->at = at;
        if (at < end && *at == quote) { break; }
        if (at < end && *at == '\\') {
            n = pytree__lit_escape(p, to);
            if (n == 0) { return false; }
        } else if (at == end || *at == '\n' || *at == '\r' || *at == '\0') {
            return pytree__lit_expected(p, at, quote == '"' ? "the closing \"" : "the closing '");
        } else {
            uint32_t c;
            n = pytree__utf8(at, (size_t)(end - at), &c);
            if (n == 0) { return pytree__lit_expected(p, at, "UTF-8"); }
            memcpy(to, at, n);
            p->at += n;
        }
        p->texts.n += n;
        from = p->at;
    }
    *to = '\0';
    p->texts.n++;
    p->at++;
    return true;
}

static bool pytree__lit_is_quote(char c) { return c == '\'' || c == '"'; }

/* An identifier to the texts. */
static bool pytree__lit_name(pytree__lit_parser *p, const char *name, size_t n, size_t *where)
{
    char *to = (char *)pytree__lit_more(p, &p->texts, n + 1);
    if (to == NULL) { return false; }
    memcpy(to, name, n);
    to[n] = '\0';
    *where = p->texts.n - n - 1;
    return true;
}

/* ---- Parse: numbers and arrays with a type --------------------------------------------------------------------------- */

/* One element to `to`. A string's is where it lies among the texts, plus 1; 0 for None. */
static bool pytree__lit_element(pytree__lit_parser *p, int id, char *to)
{
    const pytree_type *type = &pytree_types[id];
    char c = pytree__lit_peek(p);
    size_t where = 0;
    switch (type->dtype) {
    case PYTREE_BOOL8:
        *to = (char)(pytree__lit_skip_word(p, "True") || pytree__lit_skip_word(p, "true"));
        return *to != 0 || pytree__lit_skip_word(p, "False") || pytree__lit_skip_word(p, "false")
            || pytree__lit_expected(p, p->at, "True or False");
    case PYTREE_STRING:
        if (pytree__lit_is_quote(c)) {
            /* `to` may lie in a block that moves: texts are another one */
            if (!pytree__lit_string(p, &where)) { return false; }
            where++;
        } else if (!pytree__lit_skip_word(p, "None") && !pytree__lit_skip_word(p, "null")) {
            return pytree__lit_expected(p, p->at, "a text in quotes or None");
        }
        memcpy(to, &where, sizeof where);
        return true;
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64: case PYTREE_FLONG:
        return pytree__lit_real(p, type, to);
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG:
        return pytree__lit_complex(p, type, to);
    default: return pytree__lit_integer(p, type, to);
    }
}

/* [[1.0, 2.0], [3.0, 4.0]] to the arrays, its shape to the view. */
static bool pytree__lit_elements(pytree__lit_parser *p, int id, pytree_leaf *view)
{
    const size_t size = pytree_types[id].size;
    size_t count[PYTREE_MAX_DIMS] = { 0 };
    bool known[PYTREE_MAX_DIMS] = { false };
    int level = 0, ndim = 0;              /* 0: not known yet */
    char expected[64], c;
    for (;;) {
        c = pytree__lit_peek(p);
        if (c == '[' && p->at < p->end) {
            if (ndim != 0 && level == ndim) { return pytree__lit_expected(p, p->at, "an element"); }
            if (level == PYTREE_MAX_DIMS) {
                (void)snprintf(expected, sizeof expected, "at most %d dimensions", PYTREE_MAX_DIMS);
                return pytree__lit_expected(p, p->at, expected);
            }
            p->at++;
            count[level++] = 0;
            continue;
        }
        if (c != ']') {
            char *to;
            if (ndim != 0 && level != ndim) { return pytree__lit_expected(p, p->at, "'['"); }
            ndim = level;
            to = (char *)pytree__lit_more(p, &p->arrays, size);
            if (to == NULL || !pytree__lit_element(p, id, to)) { return false; }
            count[level - 1]++;
        }
        for (;;) {                        /* behind an element, or at the end of what has none */
            bool comma = count[level - 1] != 0 && pytree__lit_skip(p, ',');
            if (comma && pytree__lit_peek(p) != ']') { break; }
            if (pytree__lit_peek(p) != ']') {
                return pytree__lit_expected(p, p->at, count[level - 1] == 0 ? "an element or ']'" : "',' or ']'");
            }
            if (ndim == 0) { ndim = level; }
            if (known[level - 1] && count[level - 1] != view->shape[level - 1]) {
                (void)snprintf(expected, sizeof expected, "%zu items as in the list before, after %zu",
                               view->shape[level - 1], count[level - 1]);
                return pytree__lit_expected(p, p->at, expected);
            }
            known[level - 1] = true;
            view->shape[level - 1] = count[level - 1];
            p->at++;
            if (--level == 0) {
                view->ndim = ndim;
                return true;
            }
            count[level - 1]++;
        }
    }
}

/* , shape=(0, 3): for elements in one row. */
static bool pytree__lit_shape(pytree__lit_parser *p, pytree_leaf *view)
{
    const char *start = p->at;
    const size_t count = view->shape[0];
    uint64_t extent;
    if (view->ndim != 1) { return pytree__lit_expected(p, start, "')' (the shape is that of the lists)"); }
    if (!pytree__lit_skip_word(p, "shape")) { return pytree__lit_expected(p, p->at, "shape= or ')'"); }
    if (!pytree__lit_need(p, '=') || !pytree__lit_need(p, '(')) { return false; }
    view->ndim = 0;
    do {
        if (pytree__lit_peek(p) == ')' && view->ndim > 0) { break; }
        if (view->ndim == PYTREE_MAX_DIMS) { return pytree__lit_expected(p, p->at, "')' (no more dimensions)"); }
        if (!pytree__lit_integer(p, &pytree_types[PYTREE__LIT_U64], &extent)) { return false; }
        if (extent > PTRDIFF_MAX) { return pytree__lit_expected(p, start, "extents that fit memory"); }
        view->shape[view->ndim++] = (size_t)extent;
    } while (pytree__lit_skip(p, ','));
    if (!pytree__lit_need(p, ')')) { return false; }
    return pytree_leaf_count(view) == count || pytree__lit_expected(p, start, "a shape of as many elements as there are");
}

static bool pytree__lit_array(pytree__lit_parser *p, int id)
{
    pytree_leaf *view;
    size_t where, number = p->views.n / sizeof *view;
    if (!pytree__lit_align(p, p->align)) { return false; }
    where = p->arrays.n;
    view = (pytree_leaf *)pytree__lit_more(p, &p->views, sizeof *view);
    if (view == NULL) { return false; }
    memset(view, 0, sizeof *view);
    view->type = &pytree_types[id];
    if (!pytree__lit_elements(p, id, view)) { return false; }
    if (pytree__lit_skip(p, ',') && pytree__lit_peek(p) != ')') {
        if (!pytree__lit_shape(p, view)) { return false; }
        (void)pytree__lit_skip(p, ',');
    }
    view->data = (void *)(uintptr_t)where;
    return pytree__lit_need(p, ')') && pytree__lit_push(p, PYTREE__T_view, number);
}

/* Behind f32( and the like. */
static bool pytree__lit_typed(pytree__lit_parser *p, int id)
{
    char cell[8] = { 0 }, *at = cell;
    uint64_t value;
    if (pytree__lit_peek(p) == '[') { return pytree__lit_array(p, id); }
    if (id == PYTREE__T_string && !pytree__lit_is_quote(pytree__lit_peek(p))) {
        return pytree__lit_expected(p, p->at, "a text in quotes or '['");
    }
    if (pytree_types[id].size > sizeof cell) { at = pytree__lit_wide(p, id); }
    if (at == NULL || !pytree__lit_element(p, id, at)) { return false; }
    (void)pytree__lit_skip(p, ',');
    if (!pytree__lit_need(p, ')')) { return false; }
    if (at != cell) { return pytree__lit_push_wide(p, id); }
    memcpy(&value, cell, sizeof value);
    if (id == PYTREE__T_string) {
        size_t where;
        memcpy(&where, cell, sizeof where);
        value = where - 1;
    }
    p->n_cells++;
    return pytree__lit_push(p, id, value);
}

/* ---- Parse: containers ----------------------------------------------------------------------------------------------- */

static pytree__lit_container *pytree__lit_begin(pytree__lit_parser *p, int type, unsigned form, char close, bool wrapped)
{
    pytree__lit_open *o = (pytree__lit_open *)pytree__lit_more(p, &p->open, sizeof *o);
    pytree__lit_container *c =
        o == NULL ? NULL : (pytree__lit_container *)pytree__lit_more(p, &p->containers, sizeof *c);
    if (c == NULL) { return NULL; }
    o->container = p->containers.n / sizeof *c - 1;
    o->count = 0;
    o->keys = p->keys.n;
    o->type = (uint32_t)type;
    o->close = close;
    o->form = (unsigned char)form;
    o->wrapped = wrapped;
    if (p->open.n > p->most_open) { p->most_open = p->open.n; }
    c->count = 0;
    c->maxlen = type == PYTREE__T_deque ? PYTREE_UNBOUNDED : 0;
    c->name = c->order = PYTREE__LIT_NONE;
    c->numbered = false;
    return pytree__lit_push(p, type, o->container) ? c : NULL;
}

/* Are the keys of the container that is being closed all different, and a dict's in order? Otherwise that order is noted. */
static bool pytree__lit_order(pytree__lit_parser *p, const pytree__lit_open *o, pytree__lit_container *c)
{
    const pytree__lit_key *keys;
    struct pytree__sorting *sorting;
    size_t i, n = o->count;
    uint32_t *order;
    if (n < 2) { return true; }
    keys = (const pytree__lit_key *)(const void *)(p->keys.at + o->keys);
    for (i = 1; i < n; i++) {
        if (c->numbered ? keys[i - 1].number >= keys[i].number
            : strcmp(p->texts.at + keys[i - 1].name, p->texts.at + keys[i].name) >= 0) { break; }
    }
    if (i >= n) { return true; }
    if (n > UINT32_MAX / 2) { return pytree__lit_expected(p, keys[n - 1].at, "fewer keys"); }
    p->sorting.n = 0;
    sorting = (struct pytree__sorting *)pytree__lit_more(p, &p->sorting, pytree__times(n, sizeof *sorting));
    if (sorting == NULL) { return false; }
    for (i = 0; i < n; i++) {
        sorting[i].key = c->numbered ? NULL : p->texts.at + keys[i].name;
        sorting[i].rank = c->numbered ? (uint64_t)keys[i].number ^ UINT64_C(1) << 63 : pytree__rank(sorting[i].key);
        sorting[i].at = (uint32_t)i;
    }
    pytree__sort_keys(sorting, n);
    for (i = 1; i < n; i++) {
        const uint32_t a = sorting[i - 1].at, b = sorting[i].at;
        if (pytree__by_key(&sorting[i - 1], &sorting[i]) == 0) {
            return pytree__lit_expected(p, keys[a > b ? a : b].at, o->form == PYTREE__LIT_FIELDS ? "each field once"
                                                                                                  : "each key once");
        }
    }
    if (o->type == PYTREE__T_odict || o->type == PYTREE__T_namedtuple) { return true; }
    c->order = p->orders.n / sizeof *order;
    order = (uint32_t *)pytree__lit_more(p, &p->orders, n * sizeof *order);
    if (order == NULL) { return false; }
    for (i = 0; i < n; i++) { order[i] = sorting[i].at; }
    return true;
}

/* , maxlen=3 */
static bool pytree__lit_maxlen(pytree__lit_parser *p, pytree__lit_container *c)
{
    const char *start;
    uint64_t maxlen;
    char expected[64];
    if (!pytree__lit_skip(p, ',') || pytree__lit_peek(p) == ')') { return true; }
    if (!pytree__lit_skip_word(p, "maxlen")) { return pytree__lit_expected(p, p->at, "maxlen="); }
    if (!pytree__lit_need(p, '=')) { return false; }
    if (pytree__lit_skip_word(p, "None")) {
        (void)pytree__lit_skip(p, ',');
        return true;
    }
    start = p->at;
    if (!pytree__lit_integer(p, &pytree_types[PYTREE__LIT_U64], &maxlen)) { return false; }
    (void)snprintf(expected, sizeof expected, "a maxlen of at least %zu, as many as there are", c->count);
    if (maxlen < c->count) { return pytree__lit_expected(p, start, expected); }
    if (maxlen >= SIZE_MAX) { return pytree__lit_expected(p, start, "a maxlen that fits"); }
    c->maxlen = (size_t)maxlen;
    (void)pytree__lit_skip(p, ',');
    return true;
}

/* The innermost container has ended. */
static bool pytree__lit_close(pytree__lit_parser *p)
{
    const pytree__lit_open *o = pytree__lit_top(p);
    pytree__lit_container *c = pytree__lit_container_at(p, o->container);
    c->count = o->count;
    if (o->form == PYTREE__LIT_ITEMS) {
        p->n_items += o->count;
    } else {
        p->n_pairs += o->count;
        if (o->type == PYTREE__T_dict || o->type == PYTREE__T_defaultdict) { p->n_places += o->count + o->count % 2; }
        if (!pytree__lit_order(p, o, c)) { return false; }
        p->keys.n = o->keys;
    }
    if (PYTREE__UNLIKELY(o->wrapped)) {
        if (o->type == PYTREE__T_deque && !pytree__lit_maxlen(p, c)) { return false; }
        if (o->type != PYTREE__T_deque) { (void)pytree__lit_skip(p, ','); }
        if (!pytree__lit_need(p, ')')) { return false; }
    }
    p->open.n -= sizeof *o;
    return true;
}

static bool pytree__lit_note_key(pytree__lit_parser *p, const char *at, size_t name, int64_t number)
{
    pytree__lit_key *key = (pytree__lit_key *)pytree__lit_more(p, &p->keys, sizeof *key);
    if (key == NULL) { return false; }
    key->at = at;
    key->name = name;
    key->number = number;
    return pytree__lit_push(p, PYTREE__T_none, name == PYTREE__LIT_NONE ? (uint64_t)number : name);
}

/* 'k': or 3: or, between parentheses, 'k', and of a namedtuple x= */
static bool pytree__lit_key_of(pytree__lit_parser *p, pytree__lit_open *o)
{
    pytree__lit_container *c = pytree__lit_container_at(p, o->container);
    size_t name = PYTREE__LIT_NONE;
    int64_t number = 0;
    const char *at;
    char first;
    if (o->form == PYTREE__LIT_PAIRS && !pytree__lit_need(p, '(')) { return false; }
    first = pytree__lit_peek(p);
    at = p->at;
    if (o->form == PYTREE__LIT_FIELDS) {
        size_t n = pytree__word(at, (size_t)(p->end - at));
        if (n == 0) {
            return pytree__lit_expected(p, at, o->count == 0 ? "')' or the name of a field" : "the name of a field");
        }
        p->at += n;
        return pytree__lit_name(p, at, n, &name) && pytree__lit_note_key(p, at, name, 0) && pytree__lit_need(p, '=');
    }
    if (pytree__lit_is_quote(first)) {
        if (o->count != 0 && c->numbered) { return pytree__lit_expected(p, at, "an integer, as the keys before"); }
        if (!pytree__lit_string(p, &name)) { return false; }
    } else if (pytree__lit_digit(first) || first == '-') {
        if (o->count != 0 && !c->numbered) { return pytree__lit_expected(p, at, "a text in quotes, as the keys before"); }
        c->numbered = true;
        if (!pytree__lit_integer(p, &pytree_types[PYTREE__LIT_I64], &number)) { return false; }
    } else {
        return pytree__lit_expected(p, at, o->count == 0 && o->form == PYTREE__LIT_BRACES
                                               ? "'}' or a key (a text in quotes or an integer)"
                                               : "a key (a text in quotes or an integer)");
    }
    return pytree__lit_note_key(p, at, name, number) && pytree__lit_need(p, o->form == PYTREE__LIT_PAIRS ? ',' : ':');
}

enum { PYTREE__LIT_WRONG, PYTREE__LIT_VALUE, PYTREE__LIT_DONE };

/* Between the items of the innermost container: a value comes next, or it has ended. */
PYTREE__INLINE int pytree__lit_between(pytree__lit_parser *p)
{
    pytree__lit_open *o = pytree__lit_top(p);
    char c = pytree__lit_peek(p), expected[12];
    bool comma = false;
    if (o->count != 0) {
        if (o->form == PYTREE__LIT_PAIRS) {
            (void)pytree__lit_skip(p, ',');
            if (!pytree__lit_need(p, ')')) { return PYTREE__LIT_WRONG; }
            c = pytree__lit_peek(p);
        }
        comma = c == ',';
        if (comma) {
            p->at++;
            c = pytree__lit_peek(p);
        }
    }
    if (c == o->close) {
        if (o->type == PYTREE__T_tuple && o->count == 1 && !comma) {
            (void)pytree__lit_expected(p, p->at, "',' (a tuple of one is written (1,))");
            return PYTREE__LIT_WRONG;
        }
        p->at++;
        return pytree__lit_close(p) ? PYTREE__LIT_DONE : PYTREE__LIT_WRONG;
    }
    if (PYTREE__UNLIKELY(o->count != 0 && !comma)) {
        (void)snprintf(expected, sizeof expected, "',' or '%c'", o->close);
        (void)pytree__lit_expected(p, p->at, expected);
        return PYTREE__LIT_WRONG;
    }
    if (o->form != PYTREE__LIT_ITEMS && !pytree__lit_key_of(p, o)) { return PYTREE__LIT_WRONG; }
    o->count++;
    return PYTREE__LIT_VALUE;
}

/* ---- Parse: values --------------------------------------------------------------------------------------------------- */

/* Behind OrderedDict( or deque(: the container, which may be left out if it is empty. */
static bool pytree__lit_wrapped(pytree__lit_parser *p, int type)
{
    char c = pytree__lit_peek(p);
    const bool deque = type == PYTREE__T_deque;
    const unsigned form = deque ? PYTREE__LIT_ITEMS : c == '[' ? PYTREE__LIT_PAIRS : PYTREE__LIT_BRACES;
    if (c == ')') {
        p->at++;
        return pytree__lit_begin(p, type, form, c, false) != NULL && pytree__lit_close(p);
    }
    if (c != '[' && (deque || c != '{')) { return pytree__lit_expected(p, p->at, deque ? "'[' or ')'" : "'{', '[' or ')'"); }
    p->at++;
    return pytree__lit_begin(p, type, form, c == '{' ? '}' : ']', true) != NULL;
}

/* Behind defaultdict(: the factory and the dict. */
static bool pytree__lit_default(pytree__lit_parser *p)
{
    size_t name = PYTREE__LIT_NONE;
    pytree__lit_container *c;
    if (pytree__lit_skip(p, '<')) {
        if (!pytree__lit_skip_word(p, "class")) { return pytree__lit_expected(p, p->at, "class"); }
        if (!pytree__lit_is_quote(pytree__lit_peek(p))) {
            return pytree__lit_expected(p, p->at, "the name of the factory in quotes");
        }
        if (!pytree__lit_string(p, &name) || !pytree__lit_need(p, '>')) { return false; }
    } else if (!pytree__lit_skip_word(p, "None") && !pytree__lit_skip_word(p, "null")) {
        return pytree__lit_expected(p, p->at, "<class '...'> or None");
    }
    if (!pytree__lit_need(p, ',') || !pytree__lit_need(p, '{')) { return false; }
    c = pytree__lit_begin(p, PYTREE__T_defaultdict, PYTREE__LIT_BRACES, '}', true);
    if (c == NULL) { return false; }
    c->name = name;
    return true;
}

static bool pytree__lit_push_bool(pytree__lit_parser *p, bool truth)
{
    uint64_t value = 0;
    memcpy(&value, &truth, sizeof truth);
    p->n_cells++;
    return pytree__lit_push(p, PYTREE__T_bool_, value);
}

/* What begins with a letter: a constant, or a name and what stands in its parentheses. */
static bool pytree__lit_named(pytree__lit_parser *p)
{
    const char *word = p->at;
    size_t n = pytree__word(word, (size_t)(p->end - word)), name;
    pytree__lit_container *c;
    pytree__lit_number x;
    int type;
    if (n == 0) { return pytree__lit_expected(p, word, "a value"); }
    p->at += n;
    if (!pytree__lit_skip(p, '(')) {
        p->at = word + n;
        if (pytree__lit_is(word, n, "None", "null")) { return pytree__lit_push(p, PYTREE__T_none, 0); }
        if (pytree__lit_is(word, n, "True", "true")) { return pytree__lit_push_bool(p, true); }
        if (pytree__lit_is(word, n, "False", "false")) { return pytree__lit_push_bool(p, false); }
        p->at = word;
        return pytree__lit_scan_word(&x, word, p->end) ? pytree__lit_plain_number(p)
            : pytree__lit_expected(p, word, "a value (texts stand in quotes)");
    }
    if (pytree__lit_same(word, n, "OrderedDict")) { return pytree__lit_wrapped(p, PYTREE__T_odict); }
    if (pytree__lit_same(word, n, "deque")) { return pytree__lit_wrapped(p, PYTREE__T_deque); }
    if (pytree__lit_same(word, n, "defaultdict")) { return pytree__lit_default(p); }
    type = pytree__lit_type_of(word, n);
    if (type != 0) { return pytree__lit_typed(p, type); }
    if (!pytree__lit_name(p, word, n, &name)) { return false; }
    c = pytree__lit_begin(p, PYTREE__T_namedtuple, PYTREE__LIT_FIELDS, ')', false);
    if (c == NULL) { return false; }
    c->name = name;
    return true;
}

/* A leaf or None, or the beginning of a container. */
PYTREE__INLINE bool pytree__lit_value(pytree__lit_parser *p)
{
    char c = pytree__lit_peek(p);
    pytree__lit_number x;
    size_t where;
    if (pytree__lit_digit(c)) { return pytree__lit_plain_number(p); }
    switch (c) {
    case '\'':
    case '"':
        p->n_cells++;
        return pytree__lit_string(p, &where) && pytree__lit_push(p, PYTREE__T_string, where);
    case '-':
    case '.': return pytree__lit_plain_number(p);
    case '[': p->at++; return pytree__lit_begin(p, PYTREE__T_list, PYTREE__LIT_ITEMS, ']', false) != NULL;
    case '{': p->at++; return pytree__lit_begin(p, PYTREE__T_dict, PYTREE__LIT_BRACES, '}', false) != NULL;
    case '(':
        if (pytree__lit_scan(&x, p->at + 1, p->end) && x.end < p->end && (*x.end == '+' || *x.end == '-')) {
            return pytree__lit_plain_complex(p);
        }
        p->at++;
        return pytree__lit_begin(p, PYTREE__T_tuple, PYTREE__LIT_ITEMS, ')', false) != NULL;
    default: return pytree__lit_named(p);
    }
}

static bool pytree__lit_all(pytree__lit_parser *p)
{
    int next = PYTREE__LIT_VALUE;
    while (next == PYTREE__LIT_VALUE) {
        if (!pytree__lit_value(p)) { return false; }
        for (next = PYTREE__LIT_DONE; p->open.n != 0 && next == PYTREE__LIT_DONE;) { next = pytree__lit_between(p); }
        if (next == PYTREE__LIT_WRONG) { return false; }
    }
    (void)pytree__lit_peek(p);
    return p->at == p->end || pytree__lit_expected(p, p->at, "the end");
}

/* ---- Parse: the tree ------------------------------------------------------------------------------------------------- */

typedef struct pytree__lit_hole {         /* values that are still to come, side by side */
    char *at;
    size_t step, left, offset;            /* `offset`: of the value behind its key; 0: there is none */
    bool numbered;
} pytree__lit_hole;

typedef struct pytree__lit_maker {        /* where the next of each kind goes */
    pytree_items *items;
    char *pieces;
    pytree_leaf *views;
    char *texts, *arrays;
} pytree__lit_maker;

/* A container and the holes for what it holds. */
static void pytree__lit_make_container(const pytree__lit_parser *p, pytree__lit_maker *m, const pytree__lit_token *token,
                                       pytree *t, pytree__lit_hole *hole)
{
    const pytree__lit_container *c = pytree__lit_container_at(p, (size_t)token->value);
    pytree_items *items = m->items++;
    const bool dict = token->type == PYTREE__T_dict || token->type == PYTREE__T_defaultdict;
    size_t i;
    memset(items, 0, sizeof *items);
    items->count = c->count;
    items->maxlen = c->maxlen;
    items->name = c->name == PYTREE__LIT_NONE ? NULL : m->texts + c->name;
    t->type = &pytree_types[token->type];
    t->data = items;
    hole->at = m->pieces;
    hole->left = c->count;
    hole->numbered = c->numbered;
    if (!pytree__keyed(t->type)) {
        items->items = (const pytree *)(const void *)m->pieces;
        hole->step = sizeof(pytree);
        hole->offset = 0;
    } else if (c->numbered) {
        items->int_pairs = (const pytree_int_pair *)(const void *)m->pieces;
        hole->step = sizeof(pytree_int_pair);
        hole->offset = offsetof(pytree_int_pair, value);
    } else {
        items->pairs = (const pytree_pair *)(const void *)m->pieces;
        hole->step = sizeof(pytree_pair);
        hole->offset = offsetof(pytree_pair, value);
    }
    m->pieces += c->count * hole->step;
    if (dict) {
        uint32_t *order = (uint32_t *)(void *)m->pieces;
        m->pieces += (c->count + c->count % 2) * sizeof *order;
        items->order = order;
        items->sorted = true;
        if (c->order != PYTREE__LIT_NONE) {
            memcpy(order, (const uint32_t *)(const void *)p->orders.at + c->order, c->count * sizeof *order);
        } else {
            for (i = 0; i < c->count; i++) { order[i] = (uint32_t)i; }
        }
    }
}

static void pytree__lit_make_array(const pytree__lit_parser *p, pytree__lit_maker *m, const pytree__lit_token *token, pytree *t)
{
    pytree_leaf *view = m->views + token->value;
    size_t i, n;
    memcpy(view, p->views.at + token->value * sizeof *view, sizeof *view);
    view->data = m->arrays + (size_t)(uintptr_t)view->data;
    t->type = &pytree_types[PYTREE__T_view];
    t->data = view;
    n = view->type->dtype == PYTREE_STRING ? pytree_leaf_count(view) : 0;
    for (i = 0; i < n; i++) {
        char *at = (char *)view->data + i * sizeof(char *);
        const char *s;
        size_t where;
        memcpy(&where, at, sizeof where);
        s = where == 0 ? NULL : m->texts + where - 1;
        memcpy(at, &s, sizeof s);
    }
}

/* Reads the tape into the block. `holes` has room for as many as were open. */
static pytree pytree__lit_make(const pytree__lit_parser *p, pytree__lit_maker *m, pytree__lit_hole *holes)
{
    const pytree__lit_token *token = (const pytree__lit_token *)(const void *)p->tape.at;
    const pytree__lit_token *end = (const pytree__lit_token *)(const void *)(p->tape.at + p->tape.n);
    pytree__lit_hole *top = holes;        /* the next free one */
    pytree root = { NULL, NULL };
    for (; token < end; token++) {
        pytree *t = &root;
        if (top != holes) {
            pytree__lit_hole *hole = top - 1;
            char *at = hole->at;
            if (hole->offset != 0) {
                if (hole->numbered) {
                    int64_t number = (int64_t)token->value;
                    memcpy(at, &number, sizeof number);
                } else {
                    const char *key = m->texts + token->value;
                    memcpy(at, &key, sizeof key);
                }
                at += hole->offset;
                token++;
            }
            t = (pytree *)(void *)at;
            hole->at += hole->step;
            if (--hole->left == 0) { top--; }
        }
        t->type = &pytree_types[token->type];
        if (token->type == PYTREE__T_none) {
            t->data = NULL;
        } else if (token->type == PYTREE__T_view) {
            pytree__lit_make_array(p, m, token, t);
        } else if (token->type >= PYTREE__T_list) {
            pytree__lit_make_container(p, m, token, t, top);
            if (top->left != 0) { top++; }
        } else if (token->wide) {
            t->data = m->arrays + token->value;
        } else {
            t->data = m->pieces;
            if (token->type == PYTREE__T_string) {
                const char *s = m->texts + token->value;
                memcpy(m->pieces, &s, sizeof s);
            } else {
                memcpy(m->pieces, &token->value, sizeof token->value);
            }
            m->pieces += sizeof token->value;
        }
    }
    return root;
}

/* The tree in its block, as pytree.h has it for those that it makes. */
static pytree pytree__lit_finish(pytree__lit_parser *p)
{
    const size_t n_views = p->views.n / sizeof(pytree_leaf), n_containers = p->containers.n / sizeof(pytree__lit_container);
    size_t pieces = pytree__times(n_containers, sizeof(pytree_items)), views, texts, head, bytes;
    struct pytree__block *block;
    pytree t = { NULL, NULL };
    pytree__lit_hole *holes;
    pytree__lit_maker m;
    char *base, *at;
    views = pytree__plus(pytree__plus(pieces, pytree__times(p->n_cells, sizeof(uint64_t))),
                         pytree__plus(pytree__plus(pytree__times(p->n_items, sizeof(pytree)),
                                                   pytree__times(p->n_pairs, sizeof(pytree_int_pair))),
                                      pytree__times(p->n_places, sizeof(uint32_t))));
    texts = pytree__plus(views, pytree__times(n_views, sizeof(pytree_leaf)));
    head = pytree__round(pytree__plus(pytree__plus(texts, p->texts.n), sizeof *block + 16), p->align);
    bytes = pytree__plus(pytree__plus(head, p->arrays.n), p->align);
    p->sorting.n = 0;
    holes = (pytree__lit_hole *)pytree__lit_more(p, &p->sorting,
                                                 pytree__times(p->most_open / sizeof(pytree__lit_open) + 1, sizeof *holes));
    if (holes == NULL) { return t; }
    base = bytes > PTRDIFF_MAX ? NULL : (char *)pytree__resize(pytree__allocator(p->opt), NULL, 0, bytes);
    if (base == NULL) {
        (void)pytree__no_memory(p->err, bytes);
        return t;
    }
    at = (char *)(((uintptr_t)base + p->align - 1) & ~(uintptr_t)(p->align - 1));
    m.items = (pytree_items *)(void *)at;
    m.pieces = at + pieces;
    m.views = (pytree_leaf *)(void *)(at + views);
    m.texts = at + texts;
    m.arrays = at + head;
    if (p->texts.n != 0) { memcpy(m.texts, p->texts.at, p->texts.n); }
    if (p->arrays.n != 0) { memcpy(m.arrays, p->arrays.at, p->arrays.n); }
    t = pytree__lit_make(p, &m, holes);
    block = (struct pytree__block *)(void *)m.arrays - 1;
    memset(block, 0, sizeof *block);
    block->magic = PYTREE__MAGIC;
    block->base = base;
    block->bytes = bytes;
    block->allocator = pytree__allocator(p->opt);
    block->root = t.data;
    block->type = *t.type;
    block->type.origin = t.type;
    t.type = &block->type;
    if (t.data == NULL) { t.data = block; }          /* None: still a block to be freed */
    return t;
}

pytree pytree_parse_n(const char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    pytree__lit_parser p;
    pytree__lit_bytes *all[9];
    pytree t = { NULL, NULL };
    size_t i;
    memset(&p, 0, sizeof p);
    p.align = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment;
    if (text == NULL && n != 0) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a text, got NULL");
        return t;
    }
    if ((p.align & (p.align - 1)) != 0) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", p.align);
        return t;
    }
    if (p.align < 16) { p.align = 16; }
    p.text = p.at = text == NULL ? "" : text;
    p.end = p.text + n;
    p.opt = opt;
    p.err = err;
    if (pytree__lit_all(&p)) { t = pytree__lit_finish(&p); }
    all[0] = &p.tape;
    all[1] = &p.texts;
    all[2] = &p.containers;
    all[3] = &p.orders;
    all[4] = &p.views;
    all[5] = &p.arrays;
    all[6] = &p.open;
    all[7] = &p.keys;
    all[8] = &p.sorting;
    for (i = 0; i < 9; i++) {
        if (all[i]->at != NULL) { (void)pytree__resize(pytree__allocator(opt), all[i]->at, all[i]->max, 0); }
    }
    return t;
}

pytree pytree_parse(const char *text, const pytree_options *opt, pytree_error *err)
{
    if (text == NULL) { return pytree_parse_n(NULL, 1, opt, err); }
    return pytree_parse_n(text, strlen(text), opt, err);
}

/* ---- Print (bodies) -------------------------------------------------------------------------------------------------- */

typedef struct pytree__lit_writer {
    struct pytree__text to;               /* the caller's buffer, or `buffer` */
    struct pytree__text direct;           /* the file, for what is longer than `buffer` */
    bool dry;                             /* nothing is written, all is checked */
    unsigned char *packed;                /* static values of the struct at hand */
    size_t max_packed;
    pytree__cursor cursor;
    char buffer[4096];
} pytree__lit_writer;

static void pytree__lit_flush(pytree__lit_writer *w)
{
    if (w->direct.file != NULL && w->to.length != 0) {
        (void)fwrite(w->buffer, 1, w->to.length, w->direct.file);
        w->to.length = 0;
    }
}

/* Where the next text of at most n bytes goes. */
PYTREE__INLINE struct pytree__text *pytree__lit_to(pytree__lit_writer *w, size_t n)
{
    if (w->direct.file == NULL || n <= w->to.room - w->to.length) { return &w->to; }
    pytree__lit_flush(w);
    return n <= w->to.room ? &w->to : &w->direct;
}

static void pytree__lit_put(pytree__lit_writer *w, const char *s)
{
    size_t n = strlen(s);
    if (!w->dry) { pytree__put(pytree__lit_to(w, n), s, n); }
}

static void pytree__lit_put_repr(pytree__lit_writer *w, const char *s, size_t n)
{
    if (!w->dry) { pytree__put_repr(pytree__lit_to(w, pytree__plus(pytree__times(n, 6), 2)), s, n); }
}

/* An element, without its type. */
static void pytree__lit_put_element(pytree__lit_writer *w, const pytree_leaf *leaf, size_t i)
{
    const char *at = (const char *)leaf->data + i * leaf->type->size;
    if (w->dry) { return; }
    if (leaf->type->dtype == PYTREE_STRING) {
        const char *s;
        memcpy(&s, at, sizeof s);
        if (s == NULL) { pytree__lit_put(w, "None"); } else { pytree__lit_put_repr(w, s, strlen(s)); }
        return;
    }
    pytree__put_packed(pytree__lit_to(w, 200), pytree__origin(leaf->type), (const unsigned char *)at);
}

/* [[1.0, 2.0], [3.0, 4.0]], or [], shape=(0, 3) */
static void pytree__lit_put_array(pytree__lit_writer *w, const pytree_leaf *leaf)
{
    const size_t count = pytree_leaf_count(leaf);
    size_t index[PYTREE_MAX_DIMS] = { 0 }, i;
    int d, open = leaf->ndim;
    if (w->dry) { return; }
    if (count == 0) {
        pytree__lit_put(w, leaf->ndim > 1 ? "[], shape=(" : "[]");
        for (d = 0; leaf->ndim > 1 && d < leaf->ndim; d++) {
            pytree__put_number(pytree__lit_to(w, 20), leaf->shape[d]);
            pytree__lit_put(w, d + 1 < leaf->ndim ? ", " : ")");
        }
        return;
    }
    for (i = 0; i < count; i++) {
        if (i != 0) { pytree__lit_put(w, ", "); }
        for (; open > 0; open--) { pytree__lit_put(w, "["); }
        pytree__lit_put_element(w, leaf, i);
        for (d = leaf->ndim; d > 0 && ++index[d - 1] == leaf->shape[d - 1]; d--) {
            index[d - 1] = 0;
            pytree__lit_put(w, "]");
            open++;
        }
    }
}

static pytree_status pytree__lit_unwritable(const pytree__lit_writer *w, const char *what, const char *name)
{
    return pytree__problem(&w->cursor, PYTREE_TYPE, "expected what a literal can say, got %s '%s'", what, name);
}

static pytree_status pytree__lit_put_leaf(pytree__lit_writer *w, const pytree_leaf *leaf)
{
    const pytree_type *type = pytree__origin(leaf->type);
    const bool plain = leaf->ndim == 0
        && (type->dtype == PYTREE_BOOL8 || type->dtype == PYTREE_I64 || type->dtype == PYTREE_F64 || type->dtype == PYTREE_C128
            || type->dtype == PYTREE_STRING);
    if (type->dtype == PYTREE_OPAQUE) { return pytree__lit_unwritable(w, "a leaf of the opaque type", type->name); }
    if (!plain) {
        pytree__lit_put(w, pytree__lit_type_name(type));
        pytree__lit_put(w, "(");
    }
    if (leaf->ndim != 0) { pytree__lit_put_array(w, leaf); } else { pytree__lit_put_element(w, leaf, 0); }
    if (!plain) { pytree__lit_put(w, ")"); }
    return PYTREE_OK;
}

/* The packed static values of a struct, each with its name: din=2, size=(3, 4). False for an address. Structs lie in one
 * another by value, so the recursion ends with C's declarations. */
static bool pytree__lit_put_statics(pytree__lit_writer *w, const pytree_type *type, const unsigned char **at, bool *any)
{
    unsigned i;
    size_t k;
    type = pytree__origin(type);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        const bool address = row->type == NULL || row->type->dtype == PYTREE_OPAQUE
            || (row->type->dtype == PYTREE_NO_DTYPE && row->form != PYTREE__PACK_STRUCT);
        const size_t step = address ? 1 : row->type->size;
        pytree_leaf leaf;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (*any) { pytree__lit_put(w, ", "); }
        *any = true;
        pytree__lit_put(w, row->name);
        pytree__lit_put(w, row->ndim != 0 ? "=(" : "=");
        for (k = 0; k < row->size; k += step) {
            if (k != 0 && !address) { pytree__lit_put(w, ", "); }
            if (address) {                /* one that is NULL has nothing to say */
                if (*(*at)++ != 0) { return false; }
                if ((k + 1) % sizeof(void *) == 0) { pytree__lit_put(w, k + 1 == row->size ? "None" : "None, "); }
            } else if (row->form == PYTREE__PACK_STRUCT) {
                bool inner = false;
                pytree__lit_put(w, row->type->name);
                pytree__lit_put(w, "(");
                if (!pytree__lit_put_statics(w, row->type, at, &inner)) { return false; }
                pytree__lit_put(w, ")");
            } else if (row->form == PYTREE__PACK_TEXT) {
                size_t n;
                const char *s = pytree__string_at(*at, 0, &n);
                if (s == NULL) { pytree__lit_put(w, "None"); } else { pytree__lit_put_repr(w, s, n); }
                *at = pytree__skip_strings(*at, 1);
            } else {
                memset(&leaf, 0, sizeof leaf);
                leaf.type = row->type;
                leaf.data = (void *)(uintptr_t)*at;
                pytree__lit_put_element(w, &leaf, 0);
                *at += step;
            }
        }
        if (row->ndim != 0) { pytree__lit_put(w, row->size / (address ? sizeof(void *) : step) == 1 ? ",)" : ")"); }
    }
    return true;
}

/* The packed static values of an open struct; NULL and an error if there is no memory. */
static const unsigned char *pytree__lit_packed(pytree__lit_writer *w, const pytree__frame *f)
{
    static const unsigned char nothing[1] = { 0 };
    pytree__statics statics = { NULL, 0, 0 };
    void *grown;
    if (f->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)f->self;
        return flat->def->statics + flat->def->nodes[f->shape[0]].meta;
    }
    pytree__pack_struct(&statics, f->type, f->self);
    if (statics.length == 0) { return nothing; }
    grown = pytree__array_grow(w->packed, &w->max_packed, statics.length, 1, pytree__allocator(w->cursor.opt), w->cursor.err);
    if (grown == NULL) { return NULL; }
    statics.at = w->packed = (unsigned char *)grown;
    statics.room = statics.length;
    statics.length = 0;
    pytree__pack_struct(&statics, f->type, f->self);
    return w->packed;
}

/* What an open node is written as. */
static pytree_kind pytree__lit_kind(const pytree__frame *f)
{
    switch (f->form) {
    case PYTREE_FORM_LIST: return PYTREE_KIND_LIST;
    case PYTREE_FORM_TUPLE: return PYTREE_KIND_TUPLE;
    case PYTREE_FORM_MAP: return PYTREE_KIND_DICT;
    default: return pytree__origin(f->type)->kind;
    }
}

static bool pytree__lit_has_statics(const pytree_type *type)
{
    unsigned i;
    for (i = 0; i < type->n_fields && type->fields[i].row != PYTREE_ROW_STATIC; i++) {}
    return i < type->n_fields;
}

/* Point( for a node that has names, if they are such as the notation has. */
static pytree_status pytree__lit_put_name(pytree__lit_writer *w, const char *name)
{
    static const char *const own[] = { "OrderedDict", "defaultdict", "deque" };
    const size_t n = strlen(name);
    size_t i;
    for (i = 0; i < 3 && !pytree__lit_same(name, n, own[i]); i++) {}
    if (i < 3 || n == 0 || pytree__word(name, n) != n || pytree__lit_type_of(name, n) != 0) {
        return pytree__lit_unwritable(w, "a namedtuple or struct with the name", name);
    }
    pytree__lit_put(w, name);
    pytree__lit_put(w, "(");
    return PYTREE_OK;
}

/* What stands before the children of the node that was opened just now. */
static pytree_status pytree__lit_put_begin(pytree__lit_writer *w)
{
    pytree__frame *f = &w->cursor.frames[w->cursor.n_frames - 1];
    const pytree_kind kind = pytree__lit_kind(f);
    const char *name;
    const unsigned char *packed;
    bool any = false;
    if (f->from == PYTREE__FROM_PAIRS) {      /* checked by now: as they lie */
        f->order = NULL;
        f->ordered = false;
    }
    switch (kind) {
    case PYTREE_KIND_LIST: pytree__lit_put(w, "["); break;
    case PYTREE_KIND_TUPLE: pytree__lit_put(w, "("); break;
    case PYTREE_KIND_DICT: pytree__lit_put(w, "{"); break;
    case PYTREE_KIND_ODICT: pytree__lit_put(w, f->count == 0 ? "OrderedDict(" : "OrderedDict({"); break;
    case PYTREE_KIND_DEQUE: pytree__lit_put(w, "deque(["); break;
    case PYTREE_KIND_DEFAULTDICT:
        name = f->name;
        if (f->form == PYTREE_FORM_FLAT) {
            const pytree_flat *flat = (const pytree_flat *)f->self;
            name = pytree__string_at(flat->def->statics + flat->def->nodes[f->shape[0]].meta, 0, NULL);
        }
        if (name != NULL) {
            pytree__lit_put(w, "defaultdict(<class ");
            pytree__lit_put_repr(w, name, strlen(name));
            pytree__lit_put(w, ">, {");
        } else {
            pytree__lit_put(w, "defaultdict(None, {");
        }
        break;
    case PYTREE_KIND_NAMEDTUPLE:
        return pytree__lit_put_name(w, pytree__frame_name(f));
    case PYTREE_KIND_STRUCT: {
        pytree_status status = pytree__lit_put_name(w, f->type->name);
        if (status != PYTREE_OK) { return status; }
        packed = pytree__lit_packed(w, f);
        if (packed == NULL) { return PYTREE_NO_MEMORY; }
        return pytree__lit_put_statics(w, f->type, &packed, &any) ? PYTREE_OK
            : pytree__lit_unwritable(w, "an address among the static values of", f->type->name);
    }
    default: return pytree__lit_unwritable(w, "the custom node", f->type->name);
    }
    return PYTREE_OK;
}

/* And what stands behind them. */
static void pytree__lit_put_end(pytree__lit_writer *w, const pytree__frame *f)
{
    switch (pytree__lit_kind(f)) {
    case PYTREE_KIND_LIST: pytree__lit_put(w, "]"); break;
    case PYTREE_KIND_TUPLE: pytree__lit_put(w, f->count == 1 ? ",)" : ")"); break;
    case PYTREE_KIND_DICT: pytree__lit_put(w, "}"); break;
    case PYTREE_KIND_ODICT: pytree__lit_put(w, f->count == 0 ? ")" : "})"); break;
    case PYTREE_KIND_DEFAULTDICT: pytree__lit_put(w, "})"); break;
    case PYTREE_KIND_DEQUE:
        pytree__lit_put(w, "]");
        if (pytree__frame_maxlen(f) != PYTREE_UNBOUNDED && !w->dry) {
            pytree__lit_put(w, ", maxlen=");
            pytree__put_number(pytree__lit_to(w, 20), pytree__frame_maxlen(f));
        }
        pytree__lit_put(w, ")");
        break;
    default: pytree__lit_put(w, ")");
    }
}

/* What stands before a child: comma, key. */
static pytree_status pytree__lit_put_lead(pytree__lit_writer *w)
{
    const pytree__cursor *c = &w->cursor;
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    pytree_kind kind;
    pytree_entry entry;
    size_t n;
    if (f == NULL) { return PYTREE_OK; }
    kind = pytree__lit_kind(f);
    if (f->next > 1 || (kind == PYTREE_KIND_STRUCT && pytree__lit_has_statics(pytree__origin(f->type)))) {
        pytree__lit_put(w, ", ");
    }
    if (kind == PYTREE_KIND_LIST || kind == PYTREE_KIND_TUPLE || kind == PYTREE_KIND_DEQUE) { return PYTREE_OK; }
    pytree__frame_entry(c, f, f->next - 1, &entry);
    if (kind == PYTREE_KIND_STRUCT || kind == PYTREE_KIND_NAMEDTUPLE) {
        n = strlen(entry.name);
        if (n == 0 || pytree__word(entry.name, n) != n) {
            return pytree__lit_unwritable(w, "a field with the name", entry.name);
        }
        pytree__lit_put(w, entry.name);
        pytree__lit_put(w, "=");
        return PYTREE_OK;
    }
    n = entry.kind == PYTREE_KEY ? strlen(entry.name) : 0;
    if (!w->dry) { pytree__put_key(pytree__lit_to(w, pytree__plus(pytree__times(n, 6), 24)), &entry, n); }
    pytree__lit_put(w, ": ");
    return PYTREE_OK;
}

static pytree_status pytree__lit_write(pytree__lit_writer *w, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_options own;
    const pytree_leaf *value;
    pytree_status status;
    bool begun = false;
    memset(&own, 0, sizeof own);
    own.allocator = pytree__allocator(opt);
    own.space = opt == NULL ? NULL : opt->space;
    w->packed = NULL;
    w->max_packed = 0;
    pytree__cursor_init(&w->cursor, &own, err);
    status = pytree__cursor_root(&w->cursor, t);
    while (status == PYTREE_OK) {
        int at = pytree__step(&w->cursor, &begun, &value, &status);
        if (at == PYTREE__DONE || at == PYTREE__FAILED) { break; }
        if (at == PYTREE__AT_END) {
            pytree__lit_put_end(w, &w->cursor.frames[w->cursor.n_frames - 1]);
            pytree__close(&w->cursor);
            continue;
        }
        status = pytree__lit_put_lead(w);
        if (status != PYTREE_OK) { break; }
        if (at == PYTREE__AT_LEAF) {
            status = pytree__lit_put_leaf(w, value);
        } else if (at == PYTREE__AT_NONE) {
            pytree__lit_put(w, "None");
        } else {
            status = pytree__open(&w->cursor, value);
            if (status == PYTREE_OK) { status = pytree__lit_put_begin(w); }
        }
    }
    if (w->packed != NULL) { (void)pytree__resize(own.allocator, w->packed, w->max_packed, 0); }
    pytree__cursor_end(&w->cursor);
    return status;
}

pytree_status pytree_literal_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree__lit_writer w;
    pytree_status status;
    w.to = pytree__text_to(w.buffer, sizeof w.buffer, NULL);
    w.direct = pytree__text_to(NULL, 0, file);
    w.dry = true;
    status = pytree__lit_write(&w, t, opt, err);
    if (status != PYTREE_OK) { return status; }                 /* and nothing is written */
    w.dry = false;
    status = pytree__lit_write(&w, t, opt, err);
    if (status != PYTREE_OK) { return status; }
    pytree__lit_put(&w, "\n");
    pytree__lit_flush(&w);
    return pytree__written(file, err);
}

size_t pytree_literal_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    pytree__lit_writer w;
    pytree_status status;
    w.to = pytree__text_to(text, n, NULL);
    w.direct = pytree__text_to(NULL, 0, NULL);
    w.dry = false;
    status = pytree__lit_write(&w, t, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : pytree__end_text(&w.to, n);
}

#ifdef __cplusplus
}
#endif
#endif
