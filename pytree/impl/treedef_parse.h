/* pytree/impl/treedef_parse.h: treedefs from text. */
#ifndef PYTREE_IMPL_TREEDEF_PARSE_H
#define PYTREE_IMPL_TREEDEF_PARSE_H

#include "internal.h"
#include "../treedef_io.h"
#include "treedef_nodes.h"

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>


/* A type that was declared before it was defined stands for its definition. */
static const pytree_type *pytree__td_type(const pytree_type *type) { return type == NULL ? NULL : pytree__origin(type); }

/* ---- Numbers ------------------------------------------------------------------------------------------------------- */

/* Turns the order of bytes between the machine's and little-endian. */
static void pytree__td_little(unsigned char *p, size_t n)
{
    size_t i;
    for (i = 0; i < n / 2 && !pytree__little_endian(); i++) {
        unsigned char b = p[i];
        p[i] = p[n - 1 - i];
        p[n - 1 - i] = b;
    }
}

static void pytree__td_number(unsigned char *p, uint64_t v, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { p[i] = (unsigned char)(v >> 8 * i); }
}

/* Bytes of a long double that mean something. */
#define PYTREE__TD_WIDE (LDBL_MANT_DIG == 64 && sizeof(long double) > 10 ? 10 : sizeof(long double))

/* ---- Text (bodies) ------------------------------------------------------------------------------------------------- */

typedef struct pytree__td_opened {        /* a node whose children are being read */
    const pytree_type *type;
    size_t held;                          /* where its statics begin, in pytree__td_parser.held */
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
    const char *space;                    /* the namespace, which the text says at its end; NULL: none */
    pytree__td_bytes held;                /* statics of the open nodes, which come after those of their children */
    pytree__td_opened *open;
    size_t n, max;
} pytree__td_parser;

/* Fails at a place in the text. */
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

/* 'text' or "text", held packed. */
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
        length = pytree__read_escape(p->at, 10, bytes, &n);         /* none is longer; a NUL ends them all */
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
    pytree__td_number(bytes, minus ? 0 - v : v, type->size);
    pytree__td_little(bytes, type->size);
    return pytree__td_hold(p, bytes, type->size);
}

/* The 16-bit float whose value this is; false if none is. */
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

/* A float as Python writes it. strtod wants the decimal point of the locale, which is what printf makes of 0.5; errno is
 * left alone. */
static bool pytree__td_parse_float(pytree__td_parser *p, const pytree_type *type)
{
    char number[400], point[16], expected[48];
    const char *at = p->at + (*p->at == '-');
    bool word = strncmp(at, "inf", 3) == 0 || strncmp(at, "nan", 3) == 0, good = true;
    unsigned char bytes[sizeof(long double)];
    size_t n = word ? 3 : strspn(at, "0123456789"), i, length = 0;
    int before = errno;
    double v = 0;
    good = n > 0;
    if (!word && good && at[n] == '.') {
        size_t digits = strspn(at + n + 1, "0123456789");
        good = digits > 0;
        n += 1 + digits;
    }
    if (!word && good && (at[n] == 'e' || at[n] == 'E')) {
        size_t digits;
        n += at[n + 1] == '-' || at[n + 1] == '+' ? 2 : 1;
        digits = strspn(at + n, "0123456789");
        good = digits > 0;
        n += digits;
    }
    n += (size_t)(at - p->at);
    if (!good || n > sizeof number - sizeof point) { return pytree__td_unexpected(p, "a number"); }
    (void)snprintf(point, sizeof point, "%.1f", 0.5);
    point[strlen(point) - 1] = '\0';
    for (i = 0; i < n; i++) {
        if (p->at[i] == '.') {
            memcpy(number + length, point + 1, strlen(point + 1));
            length += strlen(point + 1);
        } else {
            number[length++] = p->at[i];
        }
    }
    number[length] = '\0';
    memset(bytes, 0, sizeof bytes);
    if (type->dtype == PYTREE_F32 || type->dtype == PYTREE_F16 || type->dtype == PYTREE_BF16) {     /* written as float is */
        float f = strtof(number, NULL);
        v = (double)f;
        memcpy(bytes, &f, sizeof f);
    } else if (type->dtype == PYTREE_FLONG) {
        long double wide = strtold(number, NULL);
        v = wide > LDBL_MAX || wide < -LDBL_MAX ? (double)wide : 0;
        memcpy(bytes, &wide, PYTREE__TD_WIDE);
    } else {
        v = strtod(number, NULL);
        memcpy(bytes, &v, sizeof v);
    }
    errno = before;
    good = word || (v <= DBL_MAX && v >= -DBL_MAX);
    if (type->dtype == PYTREE_F16 || type->dtype == PYTREE_BF16) {
        uint16_t half = 0;
        good = good && pytree__td_half(type, v, &half);
        memcpy(bytes, &half, sizeof half);
    }
    if (!good) {
        (void)snprintf(expected, sizeof expected, "a number that %s has", pytree_dtype_name(type));
        return pytree__td_unexpected(p, expected);
    }
    p->at += n;
    return pytree__td_hold(p, bytes, type->size);
}

/* One static value of a type that is no struct; `size` bytes if it is an address. */
static bool pytree__td_parse_element(pytree__td_parser *p, const pytree_type *type, size_t size)
{
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
        return pytree__td_parse_string(p, "a text in quotes or None");
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64: case PYTREE_FLONG:
        return pytree__td_parse_float(p, type);
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG: {
        const pytree_type *part = &pytree_types[type->dtype == PYTREE_C64 ? PYTREE__T_float_
                                                : type->dtype == PYTREE_C128 ? PYTREE__T_double_ : PYTREE__T_ldouble];
        static const unsigned char zero[sizeof(long double)] = { 0 };
        if (*p->at != '(') {              /* 1j: no real part */
            return pytree__td_hold(p, zero, part->size) && pytree__td_parse_float(p, part) && pytree__td_need(p, "j");
        }
        return pytree__td_need(p, "(") && pytree__td_parse_float(p, part) && (*p->at == '-' || pytree__td_need(p, "+"))
            && pytree__td_parse_float(p, part) && pytree__td_need(p, "j)");
    }
    case PYTREE_NO_DTYPE: case PYTREE_OPAQUE:
        for (truth = 0; size > 0 && pytree__td_hold(p, &truth, 1); size--) {}
        return size == 0 && (pytree__td_skip(p, "<address 0x0>")
                             || pytree__td_unexpected(p, "<address 0x0> (no other address can be read back)"));
    default: return pytree__td_parse_integer(p, type);
    }
}

/* The name of a row, in quotes. */
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
    return same || pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
}

/* (1, 'a') or, for a struct within a struct, Config(rate=0.5, name='a'), or, as optree has it, (('rate', 0.5), ('name', 'a')).
 * The recursion ends with C's declarations. */
enum { PYTREE__TD_VALUES, PYTREE__TD_NAMED, PYTREE__TD_PAIRS };
static bool pytree__td_parse_statics(pytree__td_parser *p, const pytree_type *owner, int form)
{
    const bool named = form == PYTREE__TD_NAMED;
    unsigned i, n = 0;
    if ((named && !pytree__td_need(p, owner->name)) || !pytree__td_need(p, "(")) { return false; }
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        bool nested = type != NULL && type->kind == PYTREE_KIND_STRUCT;
        size_t k, step = type == NULL || type->size == 0 ? row->size : type->size;
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (n++ > 0 && !pytree__td_need(p, ",")) { return false; }
        if (named && (!pytree__td_need(p, row->name) || !pytree__td_need(p, "="))) { return false; }
        if (form == PYTREE__TD_PAIRS
            && (!pytree__td_need(p, "(") || !pytree__td_parse_row(p, row->name) || !pytree__td_need(p, ","))) {
            return false;
        }
        if (row->ndim != 0 && !pytree__td_need(p, "(")) { return false; }
        for (k = 0; k < row->size / step; k++) {
            if (k > 0 && !pytree__td_need(p, ",")) { return false; }
            if (nested ? !pytree__td_parse_statics(p, type, PYTREE__TD_NAMED)
                : !pytree__td_parse_element(p, type == NULL ? &pytree_types[PYTREE__T_none] : type, step)) { return false; }
        }
        if (row->ndim != 0 && !pytree__td_need(p, k == 1 ? ",)" : ")")) { return false; }
        if (form == PYTREE__TD_PAIRS && !pytree__td_need(p, ")")) { return false; }
    }
    return pytree__td_need(p, n == 1 && !named ? ",)" : ")");
}

static pytree__td_opened *pytree__td_parse_open(pytree__td_parser *p, const pytree_type *type, char close)
{
    pytree__td_opened *o;
    void *grown = pytree__array_grow(p->open, &p->max, p->n + 1, sizeof *p->open, pytree__allocator(p->m.opt), p->m.err);
    if (grown == NULL) { return NULL; }
    p->open = (pytree__td_opened *)grown;
    o = &p->open[p->n++];
    o->type = type;
    o->held = p->held.n;
    o->count = 0;
    o->wanted = SIZE_MAX;
    o->keys = 0;
    o->numbered = false;
    o->close = close;
    o->wrapped = false;
    return o;
}

/* The given type of that name, in the namespace at hand, if it is a namedtuple or if it is none; NULL if there is none. */
static const pytree_type *pytree__td_find_type(const pytree_type *const *types, size_t n, const char *space, const char *name,
                                               size_t length, bool namedtuple)
{
    size_t i;
    for (i = 0; i < n && types != NULL; i++) {
        const pytree_type *type = types[i] == NULL ? NULL : pytree__in_space(pytree__origin(types[i]), space);
        const bool fits = type == NULL ? false : namedtuple ? pytree__traits(type)->meta == PYTREE__META_NAME
            : (type->kind == PYTREE_KIND_STRUCT && type->children != NULL) || type->kind == PYTREE_KIND_CUSTOM;
        if (fits && strlen(type->name) == length && memcmp(type->name, name, length) == 0) { return type; }
    }
    return NULL;
}

/* The name of a type, and the type; NULL and an error if there is none. */
static const pytree_type *pytree__td_parse_type(pytree__td_parser *p, bool namedtuple)
{
    const pytree_type *type;
    size_t n;
    pytree__td_space(p);
    n = strcspn(p->at, "[]()'\" \t\r\n");
    if (n == 0) {
        (void)pytree__td_unexpected(p, "the name of a type");
        return NULL;
    }
    type = pytree__td_find_type(p->types, p->n_types, p->space, p->at, n, namedtuple);
    if (type == NULL) {
        (void)pytree__td_expected(p, p->at, PYTREE_NOT_FOUND, namedtuple ? "one of the given namedtuples"
                                  : "OrderedDict, defaultdict, namedtuple or one of the given structs");
    } else {
        p->at += n;
    }
    return type;
}

/* A dict's key, held packed: a text or a number, and all of the same kind. */
static bool pytree__td_parse_key(pytree__td_parser *p, pytree__td_opened *o, const char *expected)
{
    const uint32_t mark = PYTREE__NUMBER_KEY;
    const bool first = o->keys++ == 0;
    pytree__td_space(p);
    if (first) { o->numbered = *p->at == '-' || (*p->at >= '0' && *p->at <= '9'); }
    if (!o->numbered) { return pytree__td_parse_string(p, expected); }
    if (*p->at == '\'' || *p->at == '"') { return pytree__td_unexpected(p, "a number like the keys before"); }
    return pytree__td_hold(p, &mark, sizeof mark) && pytree__td_parse_integer(p, &pytree_types[PYTREE__T_llong]);
}

/* ('b', 'a') */
static bool pytree__td_parse_keys(pytree__td_parser *p, pytree__td_opened *o)
{
    if (!pytree__td_need(p, "(")) { return false; }
    for (o->wanted = 0; !pytree__td_skip(p, ")"); o->wanted++) {
        if (o->wanted > 0 && !pytree__td_need(p, ",")) { return false; }
        if (o->wanted == 1 && pytree__td_skip(p, ")")) { break; }
        if (!pytree__td_parse_key(p, o, "a key in quotes")) { return false; }
    }
    return true;
}

/* None, <class 'int'>, <function f at 0x1>: what stands before a comma. */
static bool pytree__td_parse_factory(pytree__td_parser *p)
{
    const char *end, *begin;
    if (pytree__td_skip(p, "None")) {
        return pytree__td_add_text(&p->held, NULL, 0, p->m.opt, p->m.err) && pytree__td_need(p, ",");
    }
    if (pytree__td_skip(p, "<class '")) {
        begin = p->at;
        end = *begin == '<' ? NULL : strstr(begin, "'>,");
        p->at = end == NULL ? begin : end + 3;
    } else {
        pytree__td_space(p);
        begin = p->at;
        end = *begin != '<' ? NULL : strstr(begin, ">,");
        if (end != NULL) { p->at = ++end + 1; }
    }
    if (end == NULL) { return pytree__td_unexpected(p, "None, or a factory such as <class 'int'>"); }
    return pytree__td_add_text(&p->held, begin, (size_t)(end - begin), p->m.opt, p->m.err);
}

/* b'\x01\xff': metadata of a custom node, as its text has it where the type does not print it. */
static bool pytree__td_parse_metadata(pytree__td_parser *p, const pytree_type *type, const char *name)
{
    static const char hex[] = "0123456789abcdef";
    const size_t start = p->held.n;
    const unsigned char keyed = 0;
    uint32_t size = 0;
    if (type->custom->print != NULL || type->custom->keyed) {
        return pytree__td_expected(p, name, PYTREE_TYPE, "a type whose text says all of it (one that prints its metadata, "
                                   "or has keys, can only be loaded)");
    }
    if (!pytree__td_hold(p, &size, sizeof size)) { return false; }
    if (type->custom->metadata == NULL) { return pytree__td_need(p, "None") && pytree__td_hold(p, &keyed, 1); }
    if (!pytree__td_need(p, "b'")) { return false; }
    for (; *p->at != '\''; size++) {
        const char *high = p->at[0] == '\\' && p->at[1] == 'x' && p->at[2] != '\0' ? strchr(hex, p->at[2]) : NULL;
        const char *low = high != NULL && p->at[3] != '\0' ? strchr(hex, p->at[3]) : NULL;
        unsigned char byte;
        if (low == NULL) { return pytree__td_unexpected(p, "a byte such as \\x1f, or '"); }
        byte = (unsigned char)((high - hex) << 4 | (low - hex));
        if (!pytree__td_hold(p, &byte, 1)) { return false; }
        p->at += 4;
    }
    p->at++;
    memcpy(p->held.at + start, &size, sizeof size);
    return pytree__td_hold(p, &keyed, 1);
}

/* What comes after CustomNode( and before the children: OrderedDict[('b', 'a')], namedtuple[Point], Linear[(2, 3)]. `form`: of
 * static values. */
static bool pytree__td_parse_custom(pytree__td_parser *p, int form)
{
    pytree__td_opened *o = pytree__td_parse_open(p, NULL, ']');
    const pytree_type *type;
    const char *name;
    size_t i;
    if (o == NULL) { return false; }
    o->wrapped = true;
    if (pytree__td_skip(p, "OrderedDict[")) {
        o->type = &pytree_types[PYTREE__T_odict];
        if (!pytree__td_parse_keys(p, o)) { return false; }
    } else if (pytree__td_skip(p, "defaultdict[")) {
        o->type = &pytree_types[PYTREE__T_defaultdict];
        if (!pytree__td_need(p, "(") || !pytree__td_parse_factory(p) || !pytree__td_parse_keys(p, o)
            || !pytree__td_need(p, ")")) {
            return false;
        }
    } else if (pytree__td_skip(p, "namedtuple[")) {
        o->type = &pytree_types[PYTREE__T_namedtuple];
        type = pytree__td_parse_type(p, true);
        if (type == NULL || !pytree__td_add_text(&p->held, type->name, strlen(type->name), p->m.opt, p->m.err)) {
            return false;
        }
        o->wanted = type->n_fields;
        for (i = 0; i < o->wanted; i++) {
            const char *field = type->fields[i].name;
            if (!pytree__td_add_text(&p->held, field, strlen(field), p->m.opt, p->m.err)) { return false; }
        }
    } else {
        pytree__td_space(p);
        name = p->at;
        type = pytree__td_parse_type(p, false);
        if (type == NULL || !pytree__td_need(p, "[")) { return false; }
        o->type = type;
        if (type->kind == PYTREE_KIND_STRUCT) { o->wanted = type->n_children; }
        if (type->kind == PYTREE_KIND_STRUCT ? !pytree__td_parse_statics(p, type, form)
            : !pytree__td_parse_metadata(p, type, name)) {
            return false;
        }
    }
    return pytree__td_need(p, "]") && pytree__td_need(p, ",") && pytree__td_need(p, "[");
}

/* maxlen=3, of a deque. */
static bool pytree__td_parse_maxlen(pytree__td_parser *p, const pytree__td_opened *o)
{
    const size_t start = p->held.n;
    const char *at;
    uint64_t maxlen;
    if (!pytree__td_need(p, "maxlen") || !pytree__td_need(p, "=")) { return false; }
    pytree__td_space(p);
    at = p->at;
    if (!pytree__td_parse_integer(p, &pytree_types[PYTREE__T_ullong])) { return false; }
    memcpy(&maxlen, p->held.at + start, sizeof maxlen);
    p->held.n = start;
    memcpy(p->held.at + o->held, &maxlen, sizeof maxlen);
    return (maxlen >= o->count && maxlen != UINT64_MAX)
        || pytree__td_expected(p, at, PYTREE_SYNTAX, "a maximum length that the children do not exceed");
}

/* All children are there: the node. `at`: where it ends. */
static bool pytree__td_parse_close(pytree__td_parser *p, const char *at)
{
    const pytree__td_opened *o = &p->open[--p->n];
    size_t meta = p->m.statics.n, names = meta, n = p->held.n - o->held;
    const unsigned char *twice = NULL;
    if (o->wanted != SIZE_MAX && o->count != o->wanted) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%zu children, after %zu", o->wanted, o->count);
        return pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
    }
    if (n > 0 && !pytree__td_add(&p->m.statics, p->held.at + o->held, n, p->m.opt, p->m.err)) { return false; }
    p->held.n = o->held;
    if (!pytree__keyed(o->type)) { return pytree__td_push(&p->m, o->type, o->count, meta); }
    if (pytree__is_named(o->type)) {
        names = (size_t)(pytree__skip_strings(p->m.statics.at + names, 1) - p->m.statics.at);
    }
    if (pytree__td_push_named(&p->m, o->type, o->count, meta, names, &twice) == PYTREE_OK) { return true; }
    return twice == NULL ? false : pytree__td_expected(p, at, PYTREE_SYNTAX, "different keys before this");
}

/* x= */
static bool pytree__td_parse_field(pytree__td_parser *p)
{
    size_t n;
    pytree__td_space(p);
    n = pytree__word(p->at, SIZE_MAX);
    if (n == 0) { return pytree__td_unexpected(p, "the name of a field"); }
    if (!pytree__td_add_text(&p->held, p->at, n, p->m.opt, p->m.err)) { return false; }
    p->at += n;
    return pytree__td_need(p, "=");
}

enum { PYTREE__TD_WRONG, PYTREE__TD_VALUE, PYTREE__TD_DONE };

/* Between the children of the innermost open node: a value comes next, or the node has ended. */
static int pytree__td_parse_between(pytree__td_parser *p)
{
    pytree__td_opened *o = &p->open[p->n - 1];
    const bool tuple = pytree__treedef_text(o->type)->one != NULL;       /* of one child: (*,) */
    const bool first = o->count == 0, comma = !first && pytree__td_skip(p, ",");
    char expected[24];
    pytree__td_space(p);
    if (*p->at == o->close && (first || !comma || (tuple && o->count == 1)) && (comma || !tuple || o->count != 1)) {
        const char *at = p->at++;
        const bool deque = pytree__traits(o->type)->meta == PYTREE__META_MAXLEN;
        const bool ended = (!deque || !pytree__td_skip(p, ",") || pytree__td_parse_maxlen(p, o))
            && ((!deque && !o->wrapped) || pytree__td_need(p, ")"));
        return ended && pytree__td_parse_close(p, at) ? PYTREE__TD_DONE : PYTREE__TD_WRONG;
    }
    if (!first && !comma) {
        (void)snprintf(expected, sizeof expected, tuple && o->count == 1 ? "','" : "',' or '%c'", o->close);
        (void)pytree__td_unexpected(p, expected);
        return PYTREE__TD_WRONG;
    }
    if (o->close == '}' && (!pytree__td_parse_key(p, o, first ? "a key in quotes or '}'" : "a key in quotes")
                            || !pytree__td_need(p, ":"))) {
        return PYTREE__TD_WRONG;
    }
    if (o->close == ')' && !tuple && !pytree__td_parse_field(p)) { return PYTREE__TD_WRONG; }
    o->count++;
    return PYTREE__TD_VALUE;
}

/* optree's words for containers: OrderedDict({…}), defaultdict(<class 'int'>, {…}), Point(x=…); and deque([…], maxlen=3), which
 * JAX has no word for. The name of a namedtuple is n bytes long. */
static bool pytree__td_parse_word(pytree__td_parser *p, size_t n)
{
    const uint64_t unbounded = UINT64_MAX;
    pytree__td_opened *o;
    const char *name = p->at;
    const pytree_type *type = pytree__type_of_word(name, n);
    p->at += n;
    if (!pytree__td_need(p, "(")) { return false; }
    if (type != NULL && pytree__traits(type)->meta == PYTREE__META_MAXLEN) {
        o = pytree__td_parse_open(p, type, ']');
        if (o == NULL || !pytree__td_hold(p, &unbounded, sizeof unbounded)) { return false; }
        if (pytree__td_skip(p, "[")) { return true; }
        pytree__td_space(p);              /* deque(), deque(maxlen=3) */
        return (*p->at == ')' || pytree__td_parse_maxlen(p, o)) && pytree__td_need(p, ")") && pytree__td_parse_close(p, p->at);
    }
    if (type != NULL) {
        const bool factory = pytree__traits(type)->meta == PYTREE__META_FACTORY;
        if (!factory && pytree__td_skip(p, ")")) { return pytree__td_push(&p->m, type, 0, p->m.statics.n); }
        o = pytree__td_parse_open(p, type, '}');
        if (o == NULL) { return false; }
        o->wrapped = true;
        return (!factory || pytree__td_parse_factory(p)) && pytree__td_need(p, "{");
    }
    return pytree__td_parse_open(p, &pytree_types[PYTREE__T_namedtuple], ')') != NULL
        && pytree__td_add_text(&p->held, name, n, p->m.opt, p->m.err);
}

/* A leaf or None, or the beginning of a node. */
static bool pytree__td_parse_value(pytree__td_parser *p)
{
    const pytree_type *type;
    size_t n;
    char close;
    pytree__td_space(p);
    if (pytree__td_skip(p, "CustomNode(")) { return pytree__td_parse_custom(p, PYTREE__TD_VALUES); }
    if (pytree__td_skip(p, "CustomTreeNode(")) { return pytree__td_parse_custom(p, PYTREE__TD_PAIRS); }
    type = pytree__type_of_bracket(*p->at, &close);
    if (type != NULL) {
        p->at++;
        return pytree__td_parse_open(p, type, close) != NULL;
    }
    if (pytree__td_skip(p, "*")) { return pytree__td_push(&p->m, NULL, 0, 0); }
    n = pytree__word(p->at, SIZE_MAX);
    if (n == 4 && memcmp(p->at, "None", 4) == 0) {
        if (p->none == NULL) { p->none = p->at; }
        p->at += 4;
        return pytree__td_push(&p->m, &pytree_types[PYTREE__T_none], 0, p->m.statics.n);
    }
    if (n > 0 && p->at[n] == '(') { return pytree__td_parse_word(p, n); }
    return pytree__td_unexpected(p, "*, None, [, (, { or CustomNode(");
}

/* namespace='train'), with which the text ends: types are looked up in it, so it must be known before they come. */
static bool pytree__td_parse_space(pytree__td_parser *p)
{
    return pytree__td_need(p, "namespace") && pytree__td_need(p, "=") && pytree__td_parse_string(p, "a namespace in quotes");
}
static bool pytree__td_find_space(pytree__td_parser *p)
{
    pytree_error *const err = p->m.err;
    const char *at = p->text;
    pytree_error problem;
    bool found = false;
    memset(&problem, 0, sizeof problem);
    p->m.err = &problem;                  /* what is no namespace is no error yet */
    while (!found && problem.status != PYTREE_NO_MEMORY && (at = strstr(at, "namespace")) != NULL) {
        p->at = at++;
        p->held.n = 0;
        memset(&problem, 0, sizeof problem);
        found = pytree__td_parse_space(p) && pytree__td_need(p, ")");
        pytree__td_space(p);
        found = found && *p->at == '\0';
    }
    p->m.err = err;
    p->at = p->text;
    if (problem.status == PYTREE_NO_MEMORY) {
        pytree_fail(err, problem.status, NULL, "%s", problem.message);
        return false;
    }
    if (found && !pytree__td_use_space(&p->m, (const char *)p->held.at + sizeof(uint32_t))) { return false; }
    p->space = p->m.space.n == 0 ? NULL : (const char *)p->m.space.at;
    p->held.n = 0;
    return true;
}

static bool pytree__td_parse_all(pytree__td_parser *p, bool *none_is_leaf)
{
    int next = PYTREE__TD_VALUE;
    bool comma;
    if (!pytree__td_find_space(p) || (!pytree__td_skip(p, "PyTreeSpec") && !pytree__td_need(p, "PyTreeDef"))
        || !pytree__td_need(p, "(")) {
        return false;
    }
    while (next == PYTREE__TD_VALUE) {
        if (!pytree__td_parse_value(p)) { return false; }
        for (next = PYTREE__TD_DONE; p->n > 0 && next == PYTREE__TD_DONE;) { next = pytree__td_parse_between(p); }
        if (next == PYTREE__TD_WRONG) { return false; }
    }
    comma = pytree__td_skip(p, ",");
    if (comma && (p->space == NULL || strncmp(p->at + strspn(p->at, " \t\r\n"), "namespace", 9) != 0)) {
        if (!pytree__td_need(p, "NoneIsLeaf")) { return false; }
        *none_is_leaf = true;
        if (p->none != NULL) { return pytree__td_expected(p, p->none, PYTREE_SYNTAX, "* (with NoneIsLeaf, None is a leaf)"); }
        comma = pytree__td_skip(p, ",");
    }
    if ((comma && !pytree__td_parse_space(p)) || !pytree__td_need(p, ")")) { return false; }
    pytree__td_space(p);
    return *p->at == '\0' || pytree__td_unexpected(p, "the end");
}

pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err)
{
    pytree__td_parser p;
    bool good, none_is_leaf = false;
    if (text == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a text, got NULL");
        return NULL;
    }
    memset(&p, 0, sizeof p);
    pytree__td_begin(&p.m, opt, err);
    p.text = p.at = text;
    p.types = types;
    p.n_types = n;
    good = pytree__td_parse_all(&p, &none_is_leaf);
    pytree__array_free(p.held.at, p.held.max, 1, pytree__allocator(opt));
    pytree__array_free(p.open, p.max, sizeof *p.open, pytree__allocator(opt));
    return pytree__td_finish(&p.m, none_is_leaf, good);
}

#include "treedef_save.h"
#endif
