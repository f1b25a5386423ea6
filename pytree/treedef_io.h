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

/* The treedef that pytree_def_text wrote. `types` are the n structs and custom types that may occur, PYTREE_TYPE(Linear) and
 * so on (NULL among them is passed over); of each it takes the registration in the text's namespace. JAX's text of a namedtuple
 * does not have its field names: what stands in `types` for it says them (PYTREE_NAMEDTUPLE_TYPE). Nor does a text have all of
 * a custom node whose type prints its metadata or has keys: that is PYTREE_TYPE. Space and newlines are free between the words;
 * dict keys may come in any order, which is remembered. optree's notation is read too: PyTreeSpec(…), OrderedDict({…}),
 * defaultdict(<class 'int'>, {…}), Point(x=*), CustomTreeNode(Linear[(('din', 2), ('dout', 3))], [*, *]). Anything else is
 * PYTREE_SYNTAX, and the message gives line, column, what was expected and what is there. A struct that is not in `types` is
 * PYTREE_NOT_FOUND. Any text is safe; memory is bounded by its length. opt->none_is_leaf and opt->space are not looked at: the
 * text says them. */
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
 *     "pytreedf", u32 version (2), u32 flags (1: None is a leaf, 2: a namespace, 4: orders), u32 nodes, the namespace if there
 *     is one, then the nodes in post-order, then the orders if there are any. A node is u8 kind, and then, by kind:
 *
 *     0 leaf, 1 None               nothing
 *     2 list, 3 tuple              u32 children
 *     4 dict, 5 odict              u32 children, their keys
 *     6 namedtuple                 name, u32 children, their names
 *     9 defaultdict                factory, u32 children, their keys
 *     10 deque                     u32 children, u64 maximum length (2^64 - 1: none)
 *     8 node of a new type         name of the type, its rows as text (NULL: a custom type), then as 7
 *     7 ... of a type that was     u32 which of the types so far (not in 8); of a struct its static values in order; of a
 *                                  custom node u32 children, u32 bytes of metadata, the metadata, u8 1 if it has keys, and
 *                                  then for each child u8 pytree_entry_kind, key
 *     a key                        text, or u32 2^32 - 1 and the number in 64 bits
 *     the orders                   u32 how many; of each dict whose pairs were not put in as they are sorted: u32 node, u32
 *                                  place of each child
 *
 * Integers are little-endian. Numbers among the static values have their size in C (`long` that of the machine that wrote it),
 * long doubles 24 bytes. Texts are u32 length + 1 (0 for NULL) and the bytes. An address means nothing elsewhere: one that is
 * not NULL is PYTREE_TYPE. Metadata of custom nodes is what their callbacks make it: for files, the same on every machine.
 * Writes at most `capacity` bytes and returns how many there are (more than that: what was written is of no use); SIZE_MAX on
 * error. O(nodes); allocates (and frees) a table if there are structs, another if there are orders. */
size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err);

/* The treedef that pytree_def_save wrote, with the n structs and custom types of `types` for those named in it, as they are
 * registered in its namespace. A struct must have the rows that it had: PYTREE_TYPE names the one that changed;
 * PYTREE_NOT_FOUND if it is not among them. All other faults are PYTREE_SYNTAX and give the offset. Any bytes are safe; memory
 * is bounded by 64 times their number, and the addresses among the static values. Metadata of custom nodes is not looked into
 * here: a rebuild hands it to their callbacks as it stands in the bytes. */
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
        const bool fits = type == NULL ? false : namedtuple ? type->kind == PYTREE_KIND_NAMEDTUPLE
            : (type->kind == PYTREE_KIND_STRUCT && type->flatten != NULL) || type->kind == PYTREE_KIND_CUSTOM;
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
    const pytree_kind kind = o->type->kind;
    if (o->wanted != SIZE_MAX && o->count != o->wanted) {
        char expected[64];
        (void)snprintf(expected, sizeof expected, "%zu children, after %zu", o->wanted, o->count);
        return pytree__td_expected(p, at, PYTREE_SYNTAX, expected);
    }
    if (n > 0 && !pytree__td_add(&p->m.statics, p->held.at + o->held, n, p->m.opt, p->m.err)) { return false; }
    p->held.n = o->held;
    if (!pytree__keyed(o->type)) { return pytree__td_push(&p->m, o->type, o->count, meta); }
    if (kind == PYTREE_KIND_NAMEDTUPLE || kind == PYTREE_KIND_DEFAULTDICT) {
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
    const bool tuple = o->type->kind == PYTREE_KIND_TUPLE, first = o->count == 0, comma = !first && pytree__td_skip(p, ",");
    char expected[24];
    pytree__td_space(p);
    if (*p->at == o->close && (first || !comma || (tuple && o->count == 1)) && (comma || !tuple || o->count != 1)) {
        const char *at = p->at++;
        const bool deque = o->type->kind == PYTREE_KIND_DEQUE;
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
    p->at += n;
    if (!pytree__td_need(p, "(")) { return false; }
    if (n == 5 && memcmp(name, "deque", n) == 0) {
        o = pytree__td_parse_open(p, &pytree_types[PYTREE__T_deque], ']');
        if (o == NULL || !pytree__td_hold(p, &unbounded, sizeof unbounded)) { return false; }
        if (pytree__td_skip(p, "[")) { return true; }
        pytree__td_space(p);              /* deque(), deque(maxlen=3) */
        return (*p->at == ')' || pytree__td_parse_maxlen(p, o)) && pytree__td_need(p, ")") && pytree__td_parse_close(p, p->at);
    }
    if (n == 11 && (memcmp(name, "OrderedDict", n) == 0 || memcmp(name, "defaultdict", n) == 0)) {
        const int id = *name == 'O' ? PYTREE__T_odict : PYTREE__T_defaultdict;
        if (*name == 'O' && pytree__td_skip(p, ")")) { return pytree__td_push(&p->m, &pytree_types[id], 0, p->m.statics.n); }
        o = pytree__td_parse_open(p, &pytree_types[id], '}');
        if (o == NULL) { return false; }
        o->wrapped = true;
        return (*name == 'O' || pytree__td_parse_factory(p)) && pytree__td_need(p, "{");
    }
    return pytree__td_parse_open(p, &pytree_types[PYTREE__T_namedtuple], ')') != NULL
        && pytree__td_add_text(&p->held, name, n, p->m.opt, p->m.err);
}

/* A leaf or None, or the beginning of a node. */
static bool pytree__td_parse_value(pytree__td_parser *p)
{
    const pytree_type *type;
    size_t n;
    pytree__td_space(p);
    if (pytree__td_skip(p, "CustomNode(")) { return pytree__td_parse_custom(p, PYTREE__TD_VALUES); }
    if (pytree__td_skip(p, "CustomTreeNode(")) { return pytree__td_parse_custom(p, PYTREE__TD_PAIRS); }
    if (*p->at == '[' || *p->at == '(' || *p->at == '{') {
        char c = *p->at++;
        type = &pytree_types[c == '[' ? PYTREE__T_list : c == '(' ? PYTREE__T_tuple : PYTREE__T_dict];
        return pytree__td_parse_open(p, type, c == '[' ? ']' : c == '(' ? ')' : '}') != NULL;
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

/* ---- Bytes (bodies) ------------------------------------------------------------------------------------------------ */

/* A value that means nothing elsewhere: of a function pointer, or of a type that nothing here looks into. */
static bool pytree__td_is_address(const pytree_type *type)
{
    return type == NULL || type->dtype == PYTREE_NO_DTYPE || type->dtype == PYTREE_OPAQUE;
}

enum {
    PYTREE__TD_VERSION = 2,
    PYTREE__TD_NONE_IS_LEAF = 1, PYTREE__TD_SPACE = 2, PYTREE__TD_ORDERS = 4,         /* flags */
    PYTREE__TD_KNOWN = 7, PYTREE__TD_NEW = 8                                           /* kinds of nodes: of a type */
};

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
        } else if (pytree__td_is_address(type)) {
            good = fn(context, NULL, row->size);
        } else {
            good = fn(context, type, row->size / type->size);
        }
    }
    return good;
}

/* The rows of a struct as text, for files: "static din i32; static rates f32[4]; data w f32". */
static void pytree__td_put_rows(struct pytree__text *to, const pytree_type *owner, const char *between)
{
    unsigned i;
    bool first = true;
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        const bool nested = type != NULL && type->kind == PYTREE_KIND_STRUCT;
        if (row->row == PYTREE_ROW_DROP) { continue; }
        if (!first) { pytree__put_text(to, between); }
        first = false;
        pytree__put_text(to, row->row == PYTREE_ROW_STATIC ? "static " : "data ");
        pytree__put_text(to, row->name);
        pytree__put_text(to, " ");
        if (row->row != PYTREE_ROW_STATIC) {
            pytree__put_text(to, row->form == PYTREE_FORM_LEAF ? pytree_dtype_name(type) : nested ? type->name : "tree");
            continue;
        }
        pytree__put_text(to, nested ? type->name : pytree__td_is_address(type) ? "address" : pytree_dtype_name(type));
        if (nested) {                     /* structs that are static values hold each other by value: C ends the recursion */
            pytree__put_text(to, "{");
            pytree__td_put_rows(to, type, ", ");
            pytree__put_text(to, "}");
        }
        if (row->ndim != 0) {
            pytree__put_text(to, "[");
            pytree__put_number(to, row->size / (type == NULL || type->size == 0 ? row->size : type->size));
            pytree__put_text(to, "]");
        }
    }
}

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
    uint32_t what = (uint32_t)pytree__number_at(from, 4);
    int64_t e = (int64_t)pytree__number_at(from + 4, 4);
    long double v;
    if (e > INT32_MAX) { e -= INT64_C(4294967296); }
    if (e > 1 << 20 || e < -(1 << 20)) { return false; }
    v = ldexpl((long double)pytree__number_at(from + 8, 8), (int)e - 64)
        + ldexpl((long double)pytree__number_at(from + 16, 8), (int)e - 128);
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
    size_t n = (size_t)(pytree__skip_strings(s->packed, 1) - s->packed) - sizeof(uint32_t);
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
    if (type == NULL) {                   /* NULL, which nothing needs to say */
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

/* Structs and custom types that were met, each once. */
typedef struct pytree__td_table {
    const pytree_type **types;
    size_t n, max;
} pytree__td_table;

static bool pytree__td_table_add(pytree__td_table *t, const pytree_type *type, const pytree_options *opt, pytree_error *err)
{
    void *grown = pytree__array_grow((void *)t->types, &t->max, t->n + 1, sizeof *t->types, pytree__allocator(opt), err);
    if (grown == NULL) { return false; }
    t->types = (const pytree_type **)grown;
    t->types[t->n++] = type;
    return true;
}

/* A key: a text, or a mark and a number. */
static void pytree__td_save_key(pytree__td_saver *s)
{
    uint32_t size;
    int64_t number;
    memcpy(&size, s->packed, sizeof size);
    if (size != PYTREE__NUMBER_KEY) {
        pytree__td_save_text(s);
        return;
    }
    memcpy(&number, s->packed + sizeof size, sizeof number);
    pytree__td_save_number(s, size, 4);
    pytree__td_save_number(s, (uint64_t)number, 8);
    s->packed += sizeof size + sizeof number;
}

/* Whose the node is: announced if it is new, otherwise its number among those that were. */
static bool pytree__td_save_type(pytree__td_saver *s, const pytree_type *type, pytree__td_table *table,
                                 const pytree_options *opt)
{
    struct pytree__text rows = { NULL, 0, 0, NULL };
    size_t k = table->n;
    while (k > 0 && table->types[k - 1] != type) { k--; }
    for (k = k > 0 ? k : table->n; k > 0 && !pytree_type_equal(table->types[k - 1], type); k--) {}
    pytree__td_save_number(s, k == 0 ? PYTREE__TD_NEW : PYTREE__TD_KNOWN, 1);
    if (k > 0) {
        pytree__td_save_number(s, k - 1, 4);
        return true;
    }
    pytree__td_save_number(s, strlen(type->name) + 1, 4);
    pytree__td_save_bytes(s, type->name, strlen(type->name));
    if (type->kind == PYTREE_KIND_STRUCT) { pytree__td_put_rows(&rows, type, "; "); }
    pytree__td_save_number(s, type->kind == PYTREE_KIND_STRUCT ? rows.length + 1 : 0, 4);
    if (rows.length > 0 && s->n <= s->room && rows.length <= s->room - s->n) {
        struct pytree__text to = { (char *)s->to + s->n, rows.length, 0, NULL };
        pytree__td_put_rows(&to, type, "; ");
    }
    s->n += rows.length;
    return pytree__td_table_add(table, type, opt, s->err);
}

/* Number, metadata, keys of a custom node. */
static void pytree__td_save_custom(pytree__td_saver *s, const pytree_node *node)
{
    uint32_t size, i;
    unsigned char keyed;
    memcpy(&size, s->packed, sizeof size);
    pytree__td_save_number(s, node->arity, 4);
    pytree__td_save_number(s, size, 4);
    pytree__td_save_bytes(s, s->packed + sizeof size, size);
    s->packed += sizeof size + size;
    keyed = *s->packed++;
    pytree__td_save_number(s, keyed, 1);
    for (i = 0; keyed != 0 && i < node->arity; i++) {
        pytree__td_save_bytes(s, s->packed++, 1);
        pytree__td_save_key(s);
    }
}

static bool pytree__td_save_node(pytree__td_saver *s, const pytree_def *def, size_t i, pytree__td_table *table,
                                 const pytree_options *opt)
{
    static const unsigned char codes[] = { 0, 1, PYTREE__TD_KNOWN, 2, 3, 4, 5, 6, 9, 10, PYTREE__TD_KNOWN };  /* by kind */
    const pytree_node *node = &def->nodes[i];
    const pytree_kind kind = pytree__td_kind(node);
    size_t k;
    s->packed = def->statics + node->meta;
    if (kind == PYTREE_KIND_STRUCT || kind == PYTREE_KIND_CUSTOM) {
        s->owner = node->type->name;
        if (!pytree__td_save_type(s, node->type, table, opt)) { return false; }
        if (kind == PYTREE_KIND_STRUCT) { return pytree__td_values(node->type, pytree__td_save_value, s); }
        pytree__td_save_custom(s, node);
        return true;
    }
    pytree__td_save_number(s, codes[kind], 1);
    if (kind == PYTREE_KIND_NAMEDTUPLE || kind == PYTREE_KIND_DEFAULTDICT) { pytree__td_save_text(s); }
    if (kind != PYTREE_KIND_LEAF && kind != PYTREE_KIND_NONE) { pytree__td_save_number(s, node->arity, 4); }
    if (kind == PYTREE_KIND_DEQUE) {
        uint64_t maxlen;
        memcpy(&maxlen, s->packed, sizeof maxlen);
        pytree__td_save_number(s, maxlen, 8);
    }
    for (k = 0; k < node->arity && node->type != NULL && pytree__keyed(node->type); k++) { pytree__td_save_key(s); }
    return true;
}

/* The orders of dicts: how many there are, then for each the dict's number and the places of its children. */
static bool pytree__td_save_orders(pytree__td_saver *s, const pytree_def *def, const pytree_options *opt)
{
    pytree__td_orders orders;
    size_t i, k, n = 0;
    if (!pytree__td_orders_begin(&orders, def, opt, s->err)) { return false; }
    for (i = 0; i < def->n_nodes; i++) { n += pytree__td_order(&orders, i) != NULL; }
    pytree__td_save_number(s, n, 4);
    for (i = 0; i < def->n_nodes; i++) {
        const uint32_t *order = pytree__td_order(&orders, i);
        if (order == NULL) { continue; }
        pytree__td_save_number(s, i, 4);
        for (k = 0; k < def->nodes[i].arity; k++) { pytree__td_save_number(s, order[k], 4); }
    }
    pytree__td_orders_end(&orders, opt);
    return true;
}

size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err)
{
    if (def == NULL) { (void)pytree__no_def(err); return SIZE_MAX; }
    pytree__td_saver s;
    pytree__td_table table;
    unsigned flags = 0;
    size_t i;
    bool good = true;
    memset(&s, 0, sizeof s);
    memset(&table, 0, sizeof table);
    s.to = (unsigned char *)bytes;
    s.room = bytes == NULL ? 0 : capacity;
    s.err = err;
    pytree__td_save_bytes(&s, "pytreedf", 8);
    pytree__td_save_number(&s, PYTREE__TD_VERSION, 4);
    if (def->none_is_leaf) { flags |= PYTREE__TD_NONE_IS_LEAF; }
    if (def->space != NULL) { flags |= PYTREE__TD_SPACE; }
    if (def->n_orders != 0) { flags |= PYTREE__TD_ORDERS; }
    pytree__td_save_number(&s, flags, 4);
    pytree__td_save_number(&s, def->n_nodes, 4);
    if (def->space != NULL) {
        pytree__td_save_number(&s, strlen(def->space) + 1, 4);
        pytree__td_save_bytes(&s, def->space, strlen(def->space));
    }
    for (i = 0; i < def->n_nodes && good; i++) { good = pytree__td_save_node(&s, def, i, &table, opt); }
    pytree__array_free((void *)table.types, table.max, sizeof *table.types, pytree__allocator(opt));
    if (good && def->n_orders != 0) { good = pytree__td_save_orders(&s, def, opt); }
    return good ? s.n : SIZE_MAX;
}

typedef struct pytree__td_loader {
    pytree__td_maker m;
    const unsigned char *start, *at, *end;
    const pytree_type *const *types;
    size_t n_types;
    const char *space;
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
    if (p != NULL) { *v = pytree__number_at(p, n); }
    return p != NULL;
}

/* A text of `n` bytes with its NUL, which is added to `to`. */
static bool pytree__td_load_bytes(pytree__td_loader *l, pytree__td_bytes *to, size_t n)
{
    const unsigned char *p = pytree__td_take(l, n - 1, "the bytes of a text");
    if (p == NULL) { return false; }
    if (memchr(p, 0, n - 1) != NULL) { return pytree__td_bad(l, p, "a text without NUL"); }
    return pytree__td_add_text(to, (const char *)p, n - 1, l->m.opt, l->m.err);
}

static bool pytree__td_load_text(pytree__td_loader *l, bool or_null)
{
    const unsigned char *p = l->at;
    uint64_t n;
    if (!pytree__td_load_number(l, 4, &n, "the length of a text")) { return false; }
    if (n == 0) {
        return or_null ? pytree__td_add_text(&l->m.statics, NULL, 0, l->m.opt, l->m.err) : pytree__td_bad(l, p, "a text");
    }
    return pytree__td_load_bytes(l, &l->m.statics, (size_t)n);
}

/* A key, which must be a number if that is asked for, and a text otherwise. */
static bool pytree__td_load_key(pytree__td_loader *l, bool number)
{
    const unsigned char *p = l->at;
    const uint32_t mark = PYTREE__NUMBER_KEY;
    uint64_t n, v;
    int64_t key;
    if (!pytree__td_load_number(l, 4, &n, "the length of a text")) { return false; }
    if ((n == mark) != number) { return pytree__td_bad(l, p, number ? "a number for a key" : "a text for a key"); }
    if (!number) { return n == 0 ? pytree__td_bad(l, p, "a text") : pytree__td_load_bytes(l, &l->m.statics, (size_t)n); }
    if (!pytree__td_load_number(l, 8, &v, "a number for a key")) { return false; }
    key = (int64_t)v;
    return pytree__td_add(&l->m.statics, &mark, sizeof mark, l->m.opt, l->m.err)
        && pytree__td_add(&l->m.statics, &key, sizeof key, l->m.opt, l->m.err);
}

static bool pytree__td_load_value(void *context, const pytree_type *type, size_t n)
{
    pytree__td_loader *l = (pytree__td_loader *)context;
    unsigned char b[sizeof(long double) > 8 ? sizeof(long double) : 8];
    size_t i, width = type == NULL ? 1 : pytree__td_width(type);
    bool good = true, wide = type != NULL && (type->dtype == PYTREE_FLONG || type->dtype == PYTREE_CLONG);
    memset(b, 0, sizeof b);
    for (i = 0; type == NULL && i < n && good; i++) { good = pytree__td_add(&l->m.statics, b, 1, l->m.opt, l->m.err); }
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

/* Bytes of the first row. */
static size_t pytree__td_row_length(const char *rows, size_t n)
{
    const char *end = n == 0 ? NULL : (const char *)memchr(rows, ';', n);
    return end == NULL ? n : (size_t)(end - rows);
}

/* The error for rows that are not what they were: it names the first that is not. */
static bool pytree__td_other_rows(pytree__td_loader *l, const char *name, const char *was, size_t n_was, const char *is,
                                  size_t n_is)
{
    size_t a, b;
    for (;;) {
        a = pytree__td_row_length(was, n_was);
        b = pytree__td_row_length(is, n_is);
        if (a == 0 || a != b || memcmp(was, is, a) != 0) { break; }
        a = a + 2 < n_was ? a + 2 : n_was;
        b = b + 2 < n_is ? b + 2 : n_is;
        was += a;
        n_was -= a;
        is += b;
        n_is -= b;
    }
    pytree_fail(l->m.err, PYTREE_TYPE, NULL,
                "expected %.60s with the rows that it had when it was saved (%.*s), got other rows (%.*s)", name,
                a == 0 ? 7 : a < 70 ? (int)a : 70, a == 0 ? "no more" : was,
                b == 0 ? 7 : b < 70 ? (int)b : 70, b == 0 ? "no more" : is);
    return false;
}

/* Are the rows of a struct what they were when it was saved? Of more bytes than those had, none matters. */
static bool pytree__td_same_rows(pytree__td_loader *l, const pytree_type *type, const char *rows, size_t n)
{
    const size_t room = n + 80;
    struct pytree__text to = { NULL, room, 0, NULL };
    bool same;
    to.at = (char *)pytree__array_new(room, 1, pytree__allocator(l->m.opt), l->m.err);
    if (to.at == NULL) { return false; }
    pytree__td_put_rows(&to, type, "; ");
    same = (to.length == n && memcmp(to.at, rows, n) == 0)
        || pytree__td_other_rows(l, type->name, rows, n, to.at, to.length < room ? to.length : room);
    pytree__array_free(to.at, room, 1, pytree__allocator(l->m.opt));
    return same;
}

/* A type that comes for the first time: the one of that name, if its rows are what they were. */
static bool pytree__td_load_type(pytree__td_loader *l)
{
    uint64_t n, n_rows;
    const unsigned char *name, *rows;
    const pytree_type *type;
    if (!pytree__td_load_number(l, 4, &n, "the length of a type's name")) { return false; }
    name = pytree__td_take(l, n == 0 ? SIZE_MAX : (size_t)n - 1, "the name of a type");
    if (name == NULL || !pytree__td_load_number(l, 4, &n_rows, "the length of a type's rows")) { return false; }
    rows = pytree__td_take(l, n_rows == 0 ? 0 : (size_t)n_rows - 1, "the rows of a type");
    if (rows == NULL) { return false; }
    type = pytree__td_find_type(l->types, l->n_types, l->space, (const char *)name, (size_t)n - 1, false);
    if (type == NULL) {
        pytree_fail(l->m.err, PYTREE_NOT_FOUND, NULL, "expected struct %.*s among the %zu given types, got no such type",
                    (int)(n - 1 < 100 ? n - 1 : 100), (const char *)name, l->n_types);
        return false;
    }
    if ((type->kind == PYTREE_KIND_CUSTOM) != (n_rows == 0)) {
        pytree_fail(l->m.err, PYTREE_TYPE, NULL, "expected %.60s to be a %s, as when it was saved, got a %s", type->name,
                    n_rows == 0 ? "custom type" : "struct", n_rows == 0 ? "struct" : "custom type");
        return false;
    }
    return (n_rows == 0 || pytree__td_same_rows(l, type, (const char *)rows, (size_t)n_rows - 1))
        && pytree__td_table_add(&l->table, type, l->m.opt, l->m.err);
}

/* What a custom node has besides its children. Its keys are of any kind. */
static bool pytree__td_load_custom(pytree__td_loader *l, const pytree_type *type, size_t n)
{
    const unsigned char keyed = type->custom->keyed;
    const unsigned char *p;
    uint64_t size, with_keys;
    uint32_t packed;
    size_t i;
    if (!pytree__td_load_number(l, 4, &size, "the length of metadata")) { return false; }
    p = pytree__td_take(l, (size_t)size, "metadata");
    if (p == NULL) { return false; }
    packed = (uint32_t)size;
    if (!pytree__td_load_number(l, 1, &with_keys, "whether there are keys")) { return false; }
    if (with_keys != keyed) {
        pytree_fail(l->m.err, PYTREE_TYPE, NULL, "expected %.60s %s keys, as when it was saved, got it %s", type->name,
                    with_keys != 0 ? "with" : "without", keyed != 0 ? "with" : "without");
        return false;
    }
    if (!pytree__td_add(&l->m.statics, &packed, sizeof packed, l->m.opt, l->m.err)
        || !pytree__td_add(&l->m.statics, p, packed, l->m.opt, l->m.err)
        || !pytree__td_add(&l->m.statics, &keyed, 1, l->m.opt, l->m.err)) {
        return false;
    }
    for (i = 0; keyed != 0 && i < n; i++) {
        p = pytree__td_take(l, 1, "the kind of a key");
        if (p == NULL || (*p > PYTREE_INT_KEY && !pytree__td_bad(l, p, "the kind of a key"))
            || !pytree__td_add(&l->m.statics, p, 1, l->m.opt, l->m.err)
            || !pytree__td_load_key(l, *p != PYTREE_ATTRIBUTE && *p != PYTREE_KEY)) {
            return false;
        }
    }
    return true;
}

/* The keys of a dict, the names of a namedtuple: all numbers if the first is one. `meta`, `names`: where what the node has, and
 * where its keys, begin. */
static bool pytree__td_load_keyed(pytree__td_loader *l, const unsigned char *p, const pytree_type *type, size_t n, size_t meta,
                                  size_t names)
{
    const bool numbered = n > 0 && type->kind != PYTREE_KIND_NAMEDTUPLE && (size_t)(l->end - l->at) >= 4
        && pytree__number_at(l->at, 4) == PYTREE__NUMBER_KEY;
    const size_t orders = l->m.orders.n;
    const unsigned char *twice = NULL;
    size_t i;
    for (i = 0; i < n; i++) {
        if (!pytree__td_load_key(l, numbered)) { return false; }
    }
    if (pytree__td_push_named(&l->m, type, n, meta, names, &twice) != PYTREE_OK) {
        return twice == NULL ? false : pytree__td_bad(l, p, "different keys");
    }
    return l->m.orders.n == orders || pytree__td_bad(l, p, "sorted keys");
}

static bool pytree__td_load_maxlen(pytree__td_loader *l, const unsigned char *p, size_t n)
{
    uint64_t maxlen;
    if (!pytree__td_load_number(l, 8, &maxlen, "a maximum length")) { return false; }
    if (maxlen < n) { return pytree__td_bad(l, p, "a deque that is no longer than it may be"); }
    return pytree__td_add(&l->m.statics, &maxlen, sizeof maxlen, l->m.opt, l->m.err);
}

/* The type of a node of that kind; false and an error if there is none. A leaf has none either. */
static bool pytree__td_load_kind(pytree__td_loader *l, uint64_t code, const pytree_type **type)
{
    static const int ids[] = { 0, PYTREE__T_none, PYTREE__T_list, PYTREE__T_tuple, PYTREE__T_dict, PYTREE__T_odict,
                               PYTREE__T_namedtuple, 0, 0, PYTREE__T_defaultdict, PYTREE__T_deque };
    const unsigned char *p = l->at;
    uint64_t n = l->table.n;
    if (code != PYTREE__TD_KNOWN && code != PYTREE__TD_NEW) {
        *type = code == 0 ? NULL : &pytree_types[ids[code]];
        return true;
    }
    if (code == PYTREE__TD_KNOWN ? !pytree__td_load_number(l, 4, &n, "the number of a type") : !pytree__td_load_type(l)) {
        return false;
    }
    if (n >= l->table.n) { return pytree__td_bad(l, p, "the number of a type that was there"); }
    *type = l->table.types[n];
    return true;
}

/* One node; *roots: subtrees that are complete and have no parent yet. */
static bool pytree__td_load_node(pytree__td_loader *l, bool none_is_leaf, size_t *roots)
{
    const unsigned char *p = l->at;
    const pytree_type *type = NULL;
    const size_t meta = l->m.statics.n;
    size_t names;
    pytree_kind kind;
    uint64_t code = 0, n = 0;
    bool good = true;
    if (!pytree__td_load_number(l, 1, &code, "a node")) { return false; }
    if (code > 10 || (code == 1 && none_is_leaf)) { return pytree__td_bad(l, p, "the kind of a node"); }
    if (!pytree__td_load_kind(l, code, &type)) { return false; }
    kind = type == NULL ? PYTREE_KIND_LEAF : type->kind;
    if (kind == PYTREE_KIND_NAMEDTUPLE || kind == PYTREE_KIND_DEFAULTDICT) {
        good = pytree__td_load_text(l, kind == PYTREE_KIND_DEFAULTDICT);
    }
    if (kind == PYTREE_KIND_STRUCT) {
        n = type->n_children;
    } else if (kind != PYTREE_KIND_LEAF && kind != PYTREE_KIND_NONE) {
        good = good && pytree__td_load_number(l, 4, &n, "the number of children");
    }
    if (!good) { return false; }
    if (n > *roots) { return pytree__td_bad(l, p, "a node that has as many children as there are"); }
    *roots -= (size_t)n;
    ++*roots;
    names = l->m.statics.n;
    if (type != NULL && pytree__keyed(type)) { return pytree__td_load_keyed(l, p, type, (size_t)n, meta, names); }
    if (kind == PYTREE_KIND_STRUCT) { good = pytree__td_values(type, pytree__td_load_value, l); }
    if (kind == PYTREE_KIND_CUSTOM) { good = pytree__td_load_custom(l, type, (size_t)n); }
    if (kind == PYTREE_KIND_DEQUE) { good = pytree__td_load_maxlen(l, p, (size_t)n); }
    return good && pytree__td_push(&l->m, type, (size_t)n, meta);
}

/* The places of a dict's children: each of 0 … arity - 1 once. `seen` is scratch. */
static bool pytree__td_load_order(pytree__td_loader *l, const pytree_node *node, pytree__td_bytes *seen)
{
    const unsigned char *p = pytree__td_take(l, pytree__times(node->arity, 4), "an order");
    void *grown;
    uint32_t k;
    if (p == NULL) { return false; }
    grown = pytree__array_grow(seen->at, &seen->max, (size_t)node->arity + 1, 1, pytree__allocator(l->m.opt), l->m.err);
    if (grown == NULL) { return false; }
    seen->at = (unsigned char *)grown;
    memset(seen->at, 0, node->arity);
    for (k = 0; k < node->arity; k++, p += 4) {
        const uint32_t place = (uint32_t)pytree__number_at(p, 4);
        if (place >= node->arity || seen->at[place]++ != 0) { return pytree__td_bad(l, p, "each place in an order once"); }
        if (!pytree__td_add(&l->m.orders, &place, sizeof place, l->m.opt, l->m.err)) { return false; }
    }
    return true;
}

static bool pytree__td_load_orders(pytree__td_loader *l)
{
    pytree__td_bytes seen;
    uint64_t n = 0, i, node = 0, least = 0;
    bool good;
    memset(&seen, 0, sizeof seen);
    good = pytree__td_load_number(l, 4, &n, "the number of orders");
    for (i = 0; i < n && good; i++) {
        good = pytree__td_load_number(l, 4, &node, "the number of a node");
        if (good && (node < least || node >= l->m.n_nodes
                     || (pytree__td_kind(&l->m.nodes[node]) != PYTREE_KIND_DICT
                         && pytree__td_kind(&l->m.nodes[node]) != PYTREE_KIND_DEFAULTDICT))) {
            good = pytree__td_bad(l, l->at - 4, "the number of a later dict");
        }
        if (good) {
            const uint32_t at = (uint32_t)node;
            good = pytree__td_load_order(l, &l->m.nodes[node], &seen)
                && pytree__td_add(&l->m.orders, &at, sizeof at, l->m.opt, l->m.err);
        }
        least = node + 1;
    }
    pytree__array_free(seen.at, seen.max, 1, pytree__allocator(l->m.opt));
    return good;
}

/* The namespace: what comes after the number of nodes. */
static bool pytree__td_load_space(pytree__td_loader *l)
{
    const unsigned char *p = l->at;
    pytree__td_bytes text;
    uint64_t n;
    bool good;
    memset(&text, 0, sizeof text);
    if (!pytree__td_load_number(l, 4, &n, "the length of a text")) { return false; }
    if (n == 0) { return pytree__td_bad(l, p, "a text"); }
    good = pytree__td_load_bytes(l, &text, (size_t)n)
        && pytree__td_use_space(&l->m, (const char *)text.at + sizeof(uint32_t));
    pytree__array_free(text.at, text.max, 1, pytree__allocator(l->m.opt));
    l->space = good ? (const char *)l->m.space.at : NULL;
    return good;
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
        && pytree__td_load_number(&l, 4, &version, "the version")
        && (version == PYTREE__TD_VERSION || pytree__td_bad(&l, l.at - 4, "version 2"))
        && pytree__td_load_number(&l, 4, &flags, "the flags") && (flags <= 7 || pytree__td_bad(&l, l.at - 4, "known flags"))
        && pytree__td_load_number(&l, 4, &nodes, "the number of nodes")
        && (nodes <= (size_t)(l.end - l.at) || pytree__td_bad(&l, l.end, "as many nodes as it says"))
        && pytree__td_reserve(&l.m, (size_t)nodes) && ((flags & PYTREE__TD_SPACE) == 0 || pytree__td_load_space(&l));
    for (i = 0; i < nodes && good; i++) { good = pytree__td_load_node(&l, (flags & PYTREE__TD_NONE_IS_LEAF) != 0, &roots); }
    good = good && ((flags & PYTREE__TD_ORDERS) == 0 || pytree__td_load_orders(&l))
        && (l.at == l.end || pytree__td_bad(&l, l.at, "the end"))
        && (roots == 1 || pytree__td_bad(&l, l.end, "one root"));
    pytree__array_free((void *)l.table.types, l.table.max, sizeof *l.table.types, pytree__allocator(opt));
    return pytree__td_finish(&l.m, (flags & PYTREE__TD_NONE_IS_LEAF) != 0, good);
}

#ifdef __cplusplus
}
#endif
#endif
