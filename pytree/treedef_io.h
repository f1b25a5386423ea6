/* pytree/treedef_io.h: treedefs as text and as bytes.
 *
 *     pytree_def_parse    the treedef that pytree_def_text (or JAX) wrote
 *     pytree_def_save     a treedef as bytes for a file, the same on every machine
 *     pytree_def_load     and back
 *
 *     const pytree_type *types[] = { PYTREE_TYPE(MLP), PYTREE_TYPE(Linear) };
 *     pytree_def *def = pytree_def_parse("PyTreeDef([CustomNode(Linear[(2, 3)], [*, *])])", types, 2, NULL, &err);
 *
 * There is no register of all types: what may occur is given. Any input is safe: sizes are checked before memory is asked for,
 * nothing recurses, memory is bounded by the input's length.
 *
 * Rules as in pytree/treedef.h, which it includes. The bodies stand where PYTREE_IMPLEMENTATION is defined.
 */
#include "treedef.h"

#ifndef PYTREE_TREEDEF_IO_H
#define PYTREE_TREEDEF_IO_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* The treedef that pytree_def_text wrote. `types` are the n structs that may occur, PYTREE_TYPE(Linear) and so on. JAX's
 * text of a namedtuple does not have its field names: what stands in `types` for it says them (PYTREE_NAMEDTUPLE_TYPE).
 * Space and newlines are free between the words; dict keys may come in any order. Anything else is PYTREE_SYNTAX, and the
 * message gives line, column, what was expected and what is there. A struct that is not in `types` is PYTREE_NOT_FOUND.
 * Any text is safe; memory is bounded by its length. opt->none_is_leaf is not looked at: the text says it. */
pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err);

/* PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" }): for pytree_def_parse, a type that lives as long as
 * the block. */
#define PYTREE_NAMEDTUPLE_TYPE(type_name, ...)                                                                          \
    (&(const pytree_type){ .name = (type_name), .kind = PYTREE_KIND_NAMEDTUPLE,                                         \
                           .n_fields = sizeof((const pytree_field[]){ __VA_ARGS__ }) / sizeof(pytree_field),            \
                           .fields = (const pytree_field[]){ __VA_ARGS__ } })

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* A treedef as bytes for a file: the same on every machine.
 *
 *     "pytreedf", u32 version (1), u32 flags (1: None is a leaf), u32 nodes, then the nodes in post-order:
 *     u8 kind: 0 leaf, 1 None, 2 list, 3 tuple, 4 dict, 5 odict, 6 namedtuple, 7 struct, 8 struct of a new type
 *     list, tuple: u32 children;  dict, odict: u32 children, their keys;  namedtuple: name, u32 children, their names
 *     8: name of the type, u64 hash of its rows;  7: u32 which of the types so far;  both: static values in order
 *
 * Integers are little-endian. Numbers among the static values have their size in C (`long` that of the machine that wrote it),
 * long doubles 24 bytes. Texts are u32 length + 1 (0 for NULL) and the bytes. An address means nothing elsewhere: one that is
 * not NULL is PYTREE_TYPE. Writes at most `capacity` bytes and returns how many there are (more than that: what was written
 * is of no use); SIZE_MAX on error. O(nodes); allocates (and frees) a table if there are structs. */
size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err);

/* The treedef that pytree_def_save wrote, with the n structs of `types` for those named in it. Static values are checked
 * against the struct's rows by the hash: PYTREE_TYPE if the struct has changed, PYTREE_NOT_FOUND if it is not among them.
 * All other faults are PYTREE_SYNTAX and give the offset. Any bytes are safe; memory is bounded by 64 times their number. */
pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__TREEDEF_IO_BODIES)
#define PYTREE__TREEDEF_IO_BODIES

#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Numbers ------------------------------------------------------------------------------------------------------- */

/* Turns the order of bytes between the machine's and little-endian. */
static void pytree__td_little(unsigned char *p, size_t n)
{
    const uint16_t one = 1;
    unsigned char low;
    size_t i;
    memcpy(&low, &one, 1);
    for (i = 0; i < n / 2 && low == 0; i++) {
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

static uint64_t pytree__td_number_at(const unsigned char *p, size_t n)
{
    uint64_t v = 0;
    while (n-- > 0) { v = v << 8 | p[n]; }
    return v;
}

/* Bytes of a long double that mean something. */
#define PYTREE__TD_WIDE (LDBL_MANT_DIG == 64 && sizeof(long double) > 10 ? 10 : sizeof(long double))

/* ---- Text (bodies) ------------------------------------------------------------------------------------------------- */

typedef struct pytree__td_opened {        /* a node whose children are being read */
    const pytree_type *type;
    size_t held;                          /* where its statics begin, in pytree__td_parser.held */
    size_t count, wanted;                 /* children so far; SIZE_MAX: any number */
    char close;
    bool custom;                          /* CustomNode(… [*]): one parenthesis more */
} pytree__td_opened;

typedef struct pytree__td_parser {
    pytree__td_maker m;
    const char *text, *at;
    const char *none;                     /* the first None */
    const pytree_type *const *types;
    size_t n_types;
    pytree__td_bytes held;                /* statics of the open nodes, which come after those of their children */
    pytree__td_opened *open;
    size_t n, max;
} pytree__td_parser;

/* Fails at a place in the text. */
static bool pytree__td_expected(const pytree__td_parser *p, const char *at, pytree_status status, const char *expected)
{
    size_t line = 1, column = 1;
    char got[32];
    const char *c;
    for (c = p->text; c < at; c++) {
        if (*c == '\n') {
            line++;
            column = 1;
        } else if (((unsigned char)*c & 0xC0) != 0x80) {
            column++;
        }
    }
    if (*at == '\0') {
        (void)snprintf(got, sizeof got, "the end");
    } else if (*at >= ' ' && *at <= '~') {
        size_t n = strspn(at, "0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        (void)snprintf(got, sizeof got, n > 20 ? "'%.*s...'" : "'%.*s'", n > 20 ? 20 : n > 0 ? (int)n : 1, at);
    } else {
        (void)snprintf(got, sizeof got, "byte 0x%02x", (unsigned)(unsigned char)*at);
    }
    pytree_fail(p->m.err, status, NULL, "line %zu, column %zu: expected %s, got %s", line, column, expected, got);
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

/* What follows a backslash: its bytes, and how many; 0 and an error if it is none of Python's. */
static size_t pytree__td_escape(pytree__td_parser *p, char *out)
{
    static const char plain[] = "\\'\"abfnrtv", meant[] = "\\'\"\a\b\f\n\r\t\v", hex[] = "0123456789abcdefABCDEF";
    const char *at = p->at + 1, *found = *at == '\0' ? NULL : strchr(plain, *at);
    int digits = *at == 'x' ? 2 : *at == 'u' ? 4 : *at == 'U' ? 8 : 0, i;
    uint32_t c = 0;
    if (found != NULL) {
        out[0] = meant[found - plain];
        p->at += 2;
        return 1;
    }
    for (i = 1; i <= digits; i++) {
        const char *digit = at[i] == '\0' ? NULL : strchr(hex, at[i]);
        if (digit == NULL) { break; }
        c = c << 4 | (uint32_t)(digit - hex < 16 ? digit - hex : digit - hex - 6);
    }
    if (digits == 0 || i <= digits || c == 0 || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF && (c < 0xDC80 || c > 0xDCFF))) {
        (void)pytree__td_unexpected(p, "an escape such as \\n, \\x1b or \\u200b, and not NUL");
        return 0;
    }
    p->at += 2 + digits;
    if (c >= 0xDC80 && c <= 0xDCFF) { c -= 0xDC00; digits = 0; }      /* a byte that is not UTF-8 */
    if (c < 0x80 || digits == 0) {
        out[0] = (char)c;
        return 1;
    }
    i = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (digits = i - 1; digits > 0; digits--, c >>= 6) { out[digits] = (char)(0x80 | (c & 0x3F)); }
    out[0] = (char)((i == 2 ? 0xC0 : i == 3 ? 0xE0 : 0xF0) | c);
    return (size_t)i;
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
        size_t n = strcspn(p->at, quote);
        if (n > 0 && !pytree__td_hold(p, p->at, n)) { return false; }
        p->at += n;
        if (*p->at == quote[0]) { break; }
        if (*p->at != '\\') { return pytree__td_unexpected(p, quote[0] == '"' ? "the closing \"" : "the closing '"); }
        n = pytree__td_escape(p, bytes);
        if (n == 0 || !pytree__td_hold(p, bytes, n)) { return false; }
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

/* The 16-bit float whose value this is: those that are not negative are ordered as their bits are. */
static bool pytree__td_half(const pytree_type *type, double v, uint16_t *bits)
{
    uint16_t low = 0, high = type->dtype == PYTREE_F16 ? 0x7C00 : 0x7F80, sign = signbit(v) ? 0x8000 : 0;
    uint16_t found;
    pytree_leaf leaf;
    memset(&leaf, 0, sizeof leaf);
    leaf.type = type;
    leaf.data = &found;
    if (v != v) {
        *bits = type->dtype == PYTREE_F16 ? 0x7E00 : 0x7FC0;
        return true;
    }
    v = sign != 0 ? -v : v;
    while (low < high) {
        found = (uint16_t)((low + high) / 2);
        if (pytree_leaf_get(&leaf, 0) < v) { low = (uint16_t)(found + 1); } else { high = found; }
    }
    found = low;
    *bits = (uint16_t)(low | sign);
    return pytree_leaf_get(&leaf, 0) == v;
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

/* (1, 'a') or, for a struct within a struct, Config(rate=0.5, name='a'). The recursion ends with C's declarations. */
static bool pytree__td_parse_statics(pytree__td_parser *p, const pytree_type *owner, bool named)
{
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
        if (row->ndim != 0 && !pytree__td_need(p, "(")) { return false; }
        for (k = 0; k < row->size / step; k++) {
            if (k > 0 && !pytree__td_need(p, ",")) { return false; }
            if (nested ? !pytree__td_parse_statics(p, type, true)
                : !pytree__td_parse_element(p, type == NULL ? &pytree_types[PYTREE__T_none] : type, step)) { return false; }
        }
        if (row->ndim != 0 && !pytree__td_need(p, k == 1 ? ",)" : ")")) { return false; }
    }
    return pytree__td_need(p, n == 1 && !named ? ",)" : ")");
}

static pytree__td_opened *pytree__td_parse_open(pytree__td_parser *p, const pytree_type *type, char close)
{
    pytree__td_opened *o;
    void *grown = pytree__td_grow(p->open, &p->max, p->n + 1, sizeof *p->open, p->m.opt, p->m.err);
    if (grown == NULL) { return NULL; }
    p->open = (pytree__td_opened *)grown;
    o = &p->open[p->n++];
    o->type = type;
    o->held = p->held.n;
    o->count = 0;
    o->wanted = SIZE_MAX;
    o->close = close;
    o->custom = false;
    return o;
}

/* The name of a type, and the type of that kind that has it; NULL and an error if none has. */
static const pytree_type *pytree__td_parse_type(pytree__td_parser *p, pytree_kind kind)
{
    size_t i, n;
    pytree__td_space(p);
    n = strcspn(p->at, "[]()'\" \t\r\n");
    if (n == 0) {
        (void)pytree__td_unexpected(p, "the name of a type");
        return NULL;
    }
    for (i = 0; i < p->n_types; i++) {
        const pytree_type *type = pytree__td_type(p->types[i]);
        if (type->kind == kind && strlen(type->name) == n && memcmp(type->name, p->at, n) == 0) {
            p->at += n;
            return type;
        }
    }
    (void)pytree__td_expected(p, p->at, PYTREE_NOT_FOUND, kind == PYTREE_KIND_STRUCT
                              ? "OrderedDict, namedtuple or one of the given structs"
                              : "one of the given namedtuples");
    return NULL;
}

/* What comes after CustomNode( and before the children: OrderedDict[('b', 'a')], namedtuple[Point], Linear[(2, 3)]. */
static bool pytree__td_parse_custom(pytree__td_parser *p)
{
    pytree__td_opened *o = pytree__td_parse_open(p, NULL, ']');
    const pytree_type *type;
    size_t i;
    if (o == NULL) { return false; }
    o->custom = true;
    if (pytree__td_skip(p, "OrderedDict[")) {
        o->type = &pytree_types[PYTREE__T_odict];
        if (!pytree__td_need(p, "(")) { return false; }
        for (o->wanted = 0; !pytree__td_skip(p, ")"); o->wanted++) {
            if (o->wanted > 0 && !pytree__td_need(p, ",")) { return false; }
            if (o->wanted == 1 && pytree__td_skip(p, ")")) { break; }
            if (!pytree__td_parse_string(p, "a key in quotes")) { return false; }
        }
    } else if (pytree__td_skip(p, "namedtuple[")) {
        o->type = &pytree_types[PYTREE__T_namedtuple];
        type = pytree__td_parse_type(p, PYTREE_KIND_NAMEDTUPLE);
        if (type == NULL || !pytree__td_add_text(&p->held, type->name, strlen(type->name), p->m.opt, p->m.err)) {
            return false;
        }
        o->wanted = type->n_fields;
        for (i = 0; i < o->wanted; i++) {
            const char *name = type->fields[i].name;
            if (!pytree__td_add_text(&p->held, name, strlen(name), p->m.opt, p->m.err)) { return false; }
        }
    } else {
        type = pytree__td_parse_type(p, PYTREE_KIND_STRUCT);
        if (type == NULL) { return false; }
        o->type = type;
        o->wanted = type->n_children;
        if (!pytree__td_need(p, "[") || !pytree__td_parse_statics(p, type, false)) { return false; }
    }
    return pytree__td_need(p, "]") && pytree__td_need(p, ",") && pytree__td_need(p, "[");
}

/* All children are there: the node. `at`: where it ends. */
static bool pytree__td_parse_close(pytree__td_parser *p, const char *at)
{
    const pytree__td_opened *o = &p->open[--p->n];
    size_t meta = p->m.statics.n, names = meta, n = p->held.n - o->held;
    const char *twice = NULL;
    pytree_kind kind = o->type->kind;
    if (o->wanted != SIZE_MAX && o->count != o->wanted) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%zu children, after %zu", o->wanted, o->count);
        return pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
    }
    if (n > 0 && !pytree__td_add(&p->m.statics, p->held.at + o->held, n, p->m.opt, p->m.err)) { return false; }
    p->held.n = o->held;
    if (!pytree__td_keyed(kind) && kind != PYTREE_KIND_NAMEDTUPLE) { return pytree__td_push(&p->m, o->type, o->count, meta); }
    if (kind == PYTREE_KIND_NAMEDTUPLE) { names += pytree__td_text_size(p->m.statics.at + names); }
    if (pytree__td_push_named(&p->m, (int)(o->type - pytree_types), o->count, meta, names, &twice) == PYTREE_OK) {
        return true;
    }
    return twice == NULL ? false : pytree__td_expected(p, at, PYTREE_SYNTAX, "different keys before this");
}

enum { PYTREE__TD_WRONG, PYTREE__TD_VALUE, PYTREE__TD_DONE };

/* Between the children of the innermost open node: a value comes next, or the node has ended. */
static int pytree__td_parse_between(pytree__td_parser *p)
{
    pytree__td_opened *o = &p->open[p->n - 1];
    bool tuple = o->close == ')', first = o->count == 0, comma = !first && pytree__td_skip(p, ",");
    char expected[24];
    pytree__td_space(p);
    if (*p->at == o->close && (first || !comma || (tuple && o->count == 1)) && (comma || !tuple || o->count != 1)) {
        const char *at = p->at++;
        if (o->custom && !pytree__td_need(p, ")")) { return PYTREE__TD_WRONG; }
        return pytree__td_parse_close(p, at) ? PYTREE__TD_DONE : PYTREE__TD_WRONG;
    }
    if (!first && !comma) {
        (void)snprintf(expected, sizeof expected, tuple && o->count == 1 ? "','" : "',' or '%c'", o->close);
        (void)pytree__td_unexpected(p, expected);
        return PYTREE__TD_WRONG;
    }
    if (o->close == '}' && (!pytree__td_parse_string(p, first ? "a key in quotes or '}'" : "a key in quotes")
                            || !pytree__td_need(p, ":"))) {
        return PYTREE__TD_WRONG;
    }
    o->count++;
    return PYTREE__TD_VALUE;
}

/* A leaf or None, or the beginning of a node. */
static bool pytree__td_parse_value(pytree__td_parser *p)
{
    const pytree_type *type;
    pytree__td_space(p);
    if (pytree__td_skip(p, "CustomNode(")) { return pytree__td_parse_custom(p); }
    if (*p->at == '[' || *p->at == '(' || *p->at == '{') {
        char c = *p->at++;
        type = &pytree_types[c == '[' ? PYTREE__T_list : c == '(' ? PYTREE__T_tuple : PYTREE__T_dict];
        return pytree__td_parse_open(p, type, c == '[' ? ']' : c == '(' ? ')' : '}') != NULL;
    }
    if (pytree__td_skip(p, "*")) { return pytree__td_push(&p->m, NULL, 0, 0); }
    if (strncmp(p->at, "None", 4) == 0) {
        if (p->none == NULL) { p->none = p->at; }
        p->at += 4;
        return pytree__td_push(&p->m, &pytree_types[PYTREE__T_none], 0, p->m.statics.n);
    }
    return pytree__td_unexpected(p, "*, None, [, (, { or CustomNode(");
}

static bool pytree__td_parse_all(pytree__td_parser *p, bool *none_is_leaf)
{
    int next = PYTREE__TD_VALUE;
    if (!pytree__td_need(p, "PyTreeDef") || !pytree__td_need(p, "(")) { return false; }
    while (next == PYTREE__TD_VALUE) {
        if (!pytree__td_parse_value(p)) { return false; }
        for (next = PYTREE__TD_DONE; p->n > 0 && next == PYTREE__TD_DONE;) { next = pytree__td_parse_between(p); }
        if (next == PYTREE__TD_WRONG) { return false; }
    }
    if (pytree__td_skip(p, ",")) {
        if (!pytree__td_need(p, "NoneIsLeaf")) { return false; }
        *none_is_leaf = true;
        if (p->none != NULL) { return pytree__td_expected(p, p->none, PYTREE_SYNTAX, "* (with NoneIsLeaf, None is a leaf)"); }
    }
    if (!pytree__td_need(p, ")")) { return false; }
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
    pytree__td_free(opt, p.held.at, p.held.max);
    pytree__td_free(opt, p.open, p.max * sizeof *p.open);
    return pytree__td_finish(&p.m, none_is_leaf, good);
}

/* ---- Bytes (bodies) ------------------------------------------------------------------------------------------------ */

/* Calls fn for the static values of a struct in packed order, nested ones in their place: n of a type, or n bytes of addresses
 * (NULL). Structs that are static values hold each other by value, so the recursion ends with C's declarations. */
typedef bool pytree__td_value_fn(void *context, const pytree_type *type, size_t n);

static bool pytree__td_values(const pytree_type *owner, pytree__td_value_fn *fn, void *context)
{
    unsigned i;
    bool good = true;
    for (i = 0; i < owner->n_fields && good; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (type != NULL && type->kind == PYTREE_KIND_STRUCT) {
            size_t k;
            for (k = 0; k < row->size / type->size && good; k++) { good = pytree__td_values(type, fn, context); }
        } else if (type == NULL || type->dtype == PYTREE_NO_DTYPE || type->dtype == PYTREE_OPAQUE) {
            good = fn(context, NULL, row->size);
        } else {
            good = fn(context, type, row->size / type->size);
        }
    }
    return good;
}

static uint64_t pytree__td_mix(uint64_t h, const char *text)
{
    do { h = (h ^ (unsigned char)*text) * UINT64_C(1099511628211); } while (*text++ != '\0');
    return h;
}

/* Hash of what the static values and children of a struct are: FNV-1a over names, rows and types. */
static uint64_t pytree__td_schema(const pytree_type *owner, uint64_t h)
{
    unsigned i;
    h = pytree__td_mix(h, owner->name);
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        char number[24];
        bool nested = type != NULL && type->kind == PYTREE_KIND_STRUCT;
        if (row->row == PYTREE_ROW_DROP) { continue; }
        h = pytree__td_mix(pytree__td_mix(h, row->name), row->row == PYTREE_ROW_STATIC ? "static" : "data");
        if (row->row != PYTREE_ROW_STATIC) {
            h = pytree__td_mix(h, row->form == PYTREE_FORM_LEAF ? pytree_dtype_name(type) : nested ? type->name : "tree");
            continue;
        }
        (void)snprintf(number, sizeof number, "%zu", type == NULL || type->size == 0 ? row->size : row->size / type->size);
        h = pytree__td_mix(h, number);
        if (nested) {
            h = pytree__td_schema(type, h);
        } else {
            h = pytree__td_mix(h, type == NULL || type->dtype == PYTREE_NO_DTYPE || type->dtype == PYTREE_OPAQUE ? "address"
                               : pytree_dtype_name(type));
        }
    }
    return h;
}
#define PYTREE__TD_SEED UINT64_C(14695981039346656037)

/* Bytes of the numbers that a number consists of: their order is the machine's. */
static size_t pytree__td_width(const pytree_type *type)
{
    switch (type->dtype) {
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG: return type->size / 2;
    default: return type->size;
    }
}

/* A long double as 24 bytes: u32 class (0 finite, 1 infinite, 2 not a number; 256: negative), u32 exponent in two's
 * complement, and 128 bits of the fraction. */
static void pytree__td_wide_save(unsigned char *to, const unsigned char *from)
{
    long double v, m;
    uint64_t high = 0, low = 0;
    uint32_t what;
    int e = 0;
    memcpy(&v, from, sizeof v);
    what = signbit(v) ? 256 : 0;
    if (v != v) {
        what += 2;
    } else if (v > LDBL_MAX || v < -LDBL_MAX) {
        what += 1;
    } else {
        m = ldexpl(frexpl(v < 0 ? -v : v, &e), 64);
        high = (uint64_t)m;
        low = (uint64_t)ldexpl(m - (long double)high, 64);
    }
    pytree__td_number(to, what, 4);
    pytree__td_number(to + 4, (uint32_t)e, 4);
    pytree__td_number(to + 8, high, 8);
    pytree__td_number(to + 16, low, 8);
}

/* The same back, without padding bits; false for bytes that are no long double here. */
static bool pytree__td_wide_load(unsigned char *to, const unsigned char *from)
{
    unsigned char again[24];
    uint32_t what = (uint32_t)pytree__td_number_at(from, 4);
    int64_t e = (int64_t)pytree__td_number_at(from + 4, 4);
    long double v;
    if (e > INT32_MAX) { e -= INT64_C(4294967296); }
    if (e > 1 << 20 || e < -(1 << 20)) { return false; }
    v = ldexpl((long double)pytree__td_number_at(from + 8, 8), (int)e - 64)
        + ldexpl((long double)pytree__td_number_at(from + 16, 8), (int)e - 128);
    if ((what & 255) == 1) { v = HUGE_VALL; }
    if ((what & 255) == 2) { v = HUGE_VALL - HUGE_VALL; }
    v = copysignl(v, what >= 256 ? -1.0L : 1.0L);
    memset(to, 0, sizeof v);
    memcpy(to, &v, PYTREE__TD_WIDE);
    pytree__td_wide_save(again, to);
    return memcmp(again, from, sizeof again) == 0;
}

typedef struct pytree__td_saver {
    unsigned char *to;
    size_t room, n;
    const unsigned char *packed;          /* next static value */
    const char *owner;                    /* whose they are */
    pytree_error *err;
} pytree__td_saver;

static void pytree__td_save_bytes(pytree__td_saver *s, const void *p, size_t n)
{
    if (s->n <= s->room && n <= s->room - s->n && n > 0) { memcpy(s->to + s->n, p, n); }
    s->n += n;
}

static void pytree__td_save_number(pytree__td_saver *s, uint64_t v, size_t n)
{
    unsigned char b[8];
    pytree__td_number(b, v, n);
    pytree__td_save_bytes(s, b, n);
}

/* A packed text; the NUL is left out. */
static void pytree__td_save_text(pytree__td_saver *s)
{
    size_t n = pytree__td_text_size(s->packed) - sizeof(uint32_t);
    pytree__td_save_number(s, n, 4);
    if (n > 0) { pytree__td_save_bytes(s, s->packed + sizeof(uint32_t), n - 1); }
    s->packed += sizeof(uint32_t) + n;
}

static bool pytree__td_save_value(void *context, const pytree_type *type, size_t n)
{
    pytree__td_saver *s = (pytree__td_saver *)context;
    unsigned char b[24];
    size_t i, width;
    for (i = 0; type == NULL && i < n; i++) {
        if (s->packed[i] != 0) {
            pytree_fail(s->err, PYTREE_TYPE, NULL, "expected static values that can be read back, got an address in %s",
                        s->owner);
            return false;
        }
    }
    if (type == NULL) {
        pytree__td_save_bytes(s, s->packed, n);
        s->packed += n;
        return true;
    }
    for (i = 0; i < n && type->dtype == PYTREE_STRING; i++) { pytree__td_save_text(s); }
    if (type->dtype == PYTREE_STRING) { return true; }
    width = pytree__td_width(type);
    for (i = 0; i < n * (type->size / width); i++, s->packed += width) {
        if (type->dtype == PYTREE_FLONG || type->dtype == PYTREE_CLONG) {
            pytree__td_wide_save(b, s->packed);
            pytree__td_save_bytes(s, b, sizeof b);
        } else {
            memcpy(b, s->packed, width);
            pytree__td_little(b, width);
            pytree__td_save_bytes(s, b, width);
        }
    }
    return true;
}

/* Structs that were met, each once. */
typedef struct pytree__td_table {
    const pytree_type **types;
    size_t n, max;
} pytree__td_table;

static bool pytree__td_table_add(pytree__td_table *t, const pytree_type *type, const pytree_options *opt, pytree_error *err)
{
    void *grown = pytree__td_grow((void *)t->types, &t->max, t->n + 1, sizeof *t->types, opt, err);
    if (grown == NULL) { return false; }
    t->types = (const pytree_type **)grown;
    t->types[t->n++] = type;
    return true;
}

/* A node: its number in the format is its kind's, save that an eight announces a new struct. */
static bool pytree__td_save_node(pytree__td_saver *s, const pytree_def *def, size_t i, pytree__td_table *table,
                                 const pytree_options *opt)
{
    static const unsigned char codes[] = { 0, 1, 7, 2, 3, 4, 5, 6 };          /* by pytree_kind */
    const pytree_node *node = &def->nodes[i];
    pytree_kind kind = pytree__td_kind(node);
    size_t k = table->n;
    s->packed = def->statics + node->meta;
    if (kind == PYTREE_KIND_STRUCT) {
        while (k > 0 && table->types[k - 1] != node->type) { k--; }
        for (k = k > 0 ? k : table->n; k > 0 && !pytree_type_equal(table->types[k - 1], node->type); k--) {}
        s->owner = node->type->name;
        pytree__td_save_number(s, k == 0 ? 8 : 7, 1);
        if (k > 0) {
            pytree__td_save_number(s, k - 1, 4);
        } else {
            if (!pytree__td_table_add(table, node->type, opt, s->err)) { return false; }
            pytree__td_save_number(s, strlen(s->owner) + 1, 4);
            pytree__td_save_bytes(s, s->owner, strlen(s->owner));
            pytree__td_save_number(s, pytree__td_schema(node->type, PYTREE__TD_SEED), 8);
        }
        return pytree__td_values(node->type, pytree__td_save_value, s);
    }
    pytree__td_save_number(s, codes[kind], 1);
    if (kind == PYTREE_KIND_NAMEDTUPLE) { pytree__td_save_text(s); }
    if (kind != PYTREE_KIND_LEAF && kind != PYTREE_KIND_NONE) { pytree__td_save_number(s, node->arity, 4); }
    for (k = 0; k < node->arity && (pytree__td_keyed(kind) || kind == PYTREE_KIND_NAMEDTUPLE); k++) { pytree__td_save_text(s); }
    return true;
}

size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err)
{
    pytree__td_saver s;
    pytree__td_table table;
    size_t i;
    bool good = true;
    memset(&s, 0, sizeof s);
    memset(&table, 0, sizeof table);
    s.to = (unsigned char *)bytes;
    s.room = bytes == NULL ? 0 : capacity;
    s.err = err;
    pytree__td_save_bytes(&s, "pytreedf", 8);
    pytree__td_save_number(&s, 1, 4);
    pytree__td_save_number(&s, def->none_is_leaf, 4);
    pytree__td_save_number(&s, def->n_nodes, 4);
    for (i = 0; i < def->n_nodes && good; i++) { good = pytree__td_save_node(&s, def, i, &table, opt); }
    pytree__td_free(opt, (void *)table.types, table.max * sizeof *table.types);
    return good ? s.n : SIZE_MAX;
}

typedef struct pytree__td_loader {
    pytree__td_maker m;
    const unsigned char *start, *at, *end;
    const pytree_type *const *types;
    size_t n_types;
    pytree__td_table table;
} pytree__td_loader;

static bool pytree__td_bad(pytree__td_loader *l, const unsigned char *at, const char *expected)
{
    pytree_fail(l->m.err, PYTREE_SYNTAX, NULL, "byte %zu: expected %s, got %s", (size_t)(at - l->start), expected,
                at >= l->end ? "the end" : "something else");
    return false;
}

/* The next n bytes; NULL and an error if there are not as many. */
static const unsigned char *pytree__td_take(pytree__td_loader *l, size_t n, const char *what)
{
    const unsigned char *p = l->at;
    if ((size_t)(l->end - p) < n) {
        (void)pytree__td_bad(l, l->end, what);
        return NULL;
    }
    l->at += n;
    return p;
}

static bool pytree__td_load_number(pytree__td_loader *l, size_t n, uint64_t *v, const char *what)
{
    const unsigned char *p = pytree__td_take(l, n, what);
    if (p != NULL) { *v = pytree__td_number_at(p, n); }
    return p != NULL;
}

static bool pytree__td_load_text(pytree__td_loader *l, bool or_null)
{
    const unsigned char *p = l->at;
    uint64_t n;
    if (!pytree__td_load_number(l, 4, &n, "the length of a text")) { return false; }
    if (n == 0) {
        return or_null ? pytree__td_add_text(&l->m.statics, NULL, 0, l->m.opt, l->m.err) : pytree__td_bad(l, p, "a text");
    }
    p = pytree__td_take(l, (size_t)n - 1, "the bytes of a text");
    if (p == NULL) { return false; }
    if (memchr(p, 0, (size_t)n - 1) != NULL) { return pytree__td_bad(l, p, "a text without NUL"); }
    return pytree__td_add_text(&l->m.statics, (const char *)p, (size_t)n - 1, l->m.opt, l->m.err);
}

static bool pytree__td_load_value(void *context, const pytree_type *type, size_t n)
{
    pytree__td_loader *l = (pytree__td_loader *)context;
    unsigned char b[sizeof(long double) > 8 ? sizeof(long double) : 8];
    size_t i, width = type == NULL ? 1 : pytree__td_width(type);
    bool good = true, wide = type != NULL && (type->dtype == PYTREE_FLONG || type->dtype == PYTREE_CLONG);
    memset(b, 0, sizeof b);
    for (i = 0; type == NULL && i < n && good; i++) {
        const unsigned char *p = pytree__td_take(l, 1, "an address");
        good = p != NULL && (*p == 0 || pytree__td_bad(l, p, "an address of NULL"))
            && pytree__td_add(&l->m.statics, b, 1, l->m.opt, l->m.err);
    }
    if (type == NULL) { return good; }
    for (i = 0; i < n && type->dtype == PYTREE_STRING && good; i++) { good = pytree__td_load_text(l, true); }
    if (type->dtype == PYTREE_STRING) { return good; }
    for (i = 0; i < n * (type->size / width) && good; i++) {
        const unsigned char *p = pytree__td_take(l, wide ? 24 : width, "a static value");
        if (p == NULL) { return false; }
        if (wide) {
            if (!pytree__td_wide_load(b, p)) { return pytree__td_bad(l, p, "a long double that this machine has"); }
        } else {
            memcpy(b, p, width);
            pytree__td_little(b, width);
        }
        if (type->dtype == PYTREE_BOOL8 && *p > 1) { return pytree__td_bad(l, p, "a truth value of 0 or 1"); }
        good = pytree__td_add(&l->m.statics, b, width, l->m.opt, l->m.err);
    }
    return good;
}

/* A struct that comes for the first time: the one of that name, if its rows are what they were. */
static bool pytree__td_load_type(pytree__td_loader *l)
{
    uint64_t n, hash;
    const unsigned char *name;
    size_t i;
    if (!pytree__td_load_number(l, 4, &n, "the length of a type's name")) { return false; }
    name = pytree__td_take(l, n == 0 ? SIZE_MAX : (size_t)n - 1, "the name of a type");
    if (name == NULL || !pytree__td_load_number(l, 8, &hash, "the hash of a type")) { return false; }
    for (i = 0; i < l->n_types; i++) {
        const pytree_type *type = pytree__td_type(l->types[i]);
        if (type->kind != PYTREE_KIND_STRUCT || strlen(type->name) != n - 1 || memcmp(type->name, name, (size_t)n - 1) != 0) {
            continue;
        }
        if (pytree__td_schema(type, PYTREE__TD_SEED) == hash) {
            return pytree__td_table_add(&l->table, type, l->m.opt, l->m.err);
        }
        pytree_fail(l->m.err, PYTREE_TYPE, NULL, "expected %s with the rows that it had when it was saved, got other rows",
                    type->name);
        return false;
    }
    pytree_fail(l->m.err, PYTREE_NOT_FOUND, NULL, "expected struct %.*s among the %zu given types, got no such type",
                (int)(n - 1 < 100 ? n - 1 : 100), (const char *)name, l->n_types);
    return false;
}

/* One node; *roots: subtrees that are complete and have no parent yet. */
static bool pytree__td_load_node(pytree__td_loader *l, bool none_is_leaf, size_t *roots)
{
    static const int ids[] = { 0, PYTREE__T_none, PYTREE__T_list, PYTREE__T_tuple, PYTREE__T_dict, PYTREE__T_odict,
                               PYTREE__T_namedtuple };
    const unsigned char *p = l->at;
    const pytree_type *type = NULL;
    size_t meta = l->m.statics.n, names, i;
    uint64_t code = 0, n = 0;
    const char *twice = NULL;
    if (!pytree__td_load_number(l, 1, &code, "a node")) { return false; }
    if (code > 8 || (code == 1 && none_is_leaf)) { return pytree__td_bad(l, p, "the kind of a node"); }
    if (code >= 7) {
        n = l->table.n;
        if (code == 7 ? !pytree__td_load_number(l, 4, &n, "the number of a type") : !pytree__td_load_type(l)) { return false; }
        if (n >= l->table.n) { return pytree__td_bad(l, p + 1, "the number of a type that was there"); }
        type = l->table.types[n];
        n = type->n_children;
    } else if (code > 0) {
        type = &pytree_types[ids[code]];
        if (code == 6 && !pytree__td_load_text(l, false)) { return false; }
        if (code > 1 && !pytree__td_load_number(l, 4, &n, "the number of children")) { return false; }
    }
    if (n > *roots) { return pytree__td_bad(l, p, "a node that has as many children as there are"); }
    *roots -= (size_t)n;
    ++*roots;
    names = l->m.statics.n;
    if (code >= 7) {
        return pytree__td_values(type, pytree__td_load_value, l) && pytree__td_push(&l->m, type, (size_t)n, meta);
    }
    if (code < 4) { return pytree__td_push(&l->m, type, (size_t)n, meta); }
    for (i = 0; i < n; i++) {
        if (!pytree__td_load_text(l, false)) { return false; }
    }
    if (pytree__td_push_named(&l->m, ids[code], (size_t)n, meta, names, &twice) == PYTREE_OK) { return true; }
    return twice == NULL ? false : pytree__td_bad(l, p, "different keys");
}

pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err)
{
    pytree__td_loader l;
    const unsigned char *head;
    uint64_t version = 0, flags = 0, nodes = 0, i;
    size_t roots = 0;
    bool good;
    memset(&l, 0, sizeof l);
    pytree__td_begin(&l.m, opt, err);
    l.start = l.at = (const unsigned char *)(bytes == NULL ? "" : bytes);
    size = bytes == NULL ? 0 : size;
    l.end = l.at + size;
    l.types = types;
    l.n_types = n;
    head = pytree__td_take(&l, 8, "a saved treedef");
    good = head != NULL && (memcmp(head, "pytreedf", 8) == 0 || pytree__td_bad(&l, head, "a saved treedef"))
        && pytree__td_load_number(&l, 4, &version, "the version") && (version == 1 || pytree__td_bad(&l, l.at - 4, "version 1"))
        && pytree__td_load_number(&l, 4, &flags, "the flags") && (flags <= 1 || pytree__td_bad(&l, l.at - 4, "known flags"))
        && pytree__td_load_number(&l, 4, &nodes, "the number of nodes")
        && (nodes <= (size_t)(l.end - l.at) || pytree__td_bad(&l, l.end, "as many nodes as it says"))
        && pytree__td_reserve(&l.m, (size_t)nodes);
    for (i = 0; i < nodes && good; i++) { good = pytree__td_load_node(&l, flags == 1, &roots); }
    good = good && (l.at == l.end || pytree__td_bad(&l, l.at, "the end"))
        && (roots == 1 || pytree__td_bad(&l, l.end, "one root"));
    pytree__td_free(opt, (void *)l.table.types, l.table.max * sizeof *l.table.types);
    return pytree__td_finish(&l.m, flags == 1, good);
}

#ifdef __cplusplus
}
#endif
#endif
