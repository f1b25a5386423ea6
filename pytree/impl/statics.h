/* pytree/impl/statics.h: static values: packing them into a treedef, comparing, printing. */
#ifndef PYTREE_IMPL_STATICS_H
#define PYTREE_IMPL_STATICS_H

#include "internal.h"

static const unsigned char *pytree__put_row(struct pytree__text_writer *to, const pytree_field *row, const unsigned char *at);

/* Copies a few bytes, faster than a call of memcpy. */
PYTREE__INLINE void pytree__copy_few(void *to, const void *from, size_t n)
{
    char *x = (char *)to;
    const char *y = (const char *)from;
    size_t i;
    if (n >= sizeof(uint64_t)) {
        PYTREE__FEW_STEPS
        for (i = 0; i < n - sizeof(uint64_t); i += sizeof(uint64_t)) { memcpy(x + i, y + i, sizeof(uint64_t)); }
        memcpy(x + n - sizeof(uint64_t), y + n - sizeof(uint64_t), sizeof(uint64_t));
    } else if (n == sizeof(uint32_t)) {
        memcpy(x, y, sizeof(uint32_t));
    } else {
        PYTREE__FEW_STEPS
        for (i = 0; i < n; i++) { x[i] = y[i]; }
    }
}

static void pytree__pack_bytes(pytree__statics *to, const void *p, size_t n)
{
    if (n != 0 && to->length + n <= to->room) {
        if (n <= 32) { pytree__copy_few(to->at + to->length, p, n); } else { memcpy(to->at + to->length, p, n); }
    }
    to->length += n;
}

static void pytree__pack_string(pytree__statics *to, const char *s)
{
    size_t n = s == NULL ? 0 : strlen(s) + 1;
    uint32_t size = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
    pytree__pack_bytes(to, &size, sizeof size);
    if (n != 0) { pytree__pack_bytes(to, s, n); }
}

/* ---- Visiting --------------------------------------------------------------------------------------------------------
 *
 * Whatever goes over the static values of a struct does so piece by piece: a row of bytes, a long double, a string. The pieces
 * of a struct that is itself a static value come in its place. Structs lie in one another by value, so the depth of the
 * recursion is bounded by the program's types.
 */
static bool pytree__visit_nested(const pytree_type *type, size_t at, pytree__static_fn *fn, void *context);

PYTREE__INLINE bool pytree__visit_row(const pytree_field *row, size_t at, pytree__static_fn *fn, void *context)
{
    const unsigned pack = row->form;
    size_t k, step;
    if (PYTREE__LIKELY(pack == PYTREE__PACK_BYTES || (PYTREE__MORE_ROWS && pack >= PYTREE__PACK_CHARS))) {
        return fn(context, row, at, row->size);
    }
    step = pack == PYTREE__PACK_TEXT ? sizeof(char *) : pack == PYTREE__PACK_WIDE ? sizeof(long double) : row->type->size;
    for (k = 0; k < row->size; k += step) {
        if (!(pack == PYTREE__PACK_STRUCT ? pytree__visit_nested(row->type, at + k, fn, context)
                                          : fn(context, row, at + k, step))) {
            return false;
        }
    }
    return true;
}

PYTREE__INLINE bool pytree__visit_statics(const pytree_type *type, size_t at, pytree__static_fn *fn, void *context)
{
    const pytree_field *row = pytree__origin(type)->fields;
    unsigned left = pytree__origin(type)->n_fields - pytree__origin(type)->n_children;     /* rows that are no children */
    for (; left != 0; row++) {
        left -= row->row != PYTREE_ROW_DATA;
        if (row->row == PYTREE_ROW_STATIC && !pytree__visit_row(row, at + row->offset, fn, context)) { return false; }
    }
    return true;
}

static bool pytree__visit_nested(const pytree_type *type, size_t at, pytree__static_fn *fn, void *context)
{
    return pytree__visit_statics(type, at, fn, context);
}

/* ---- Packing ----------------------------------------------------------------------------------------------------------- */

struct pytree__packing { pytree__statics *to; const char *self; };

/* Returns how long the string in n characters is; n where it does not end. */
static PYTREE__APART size_t pytree__text_length(const char *s, size_t n)
{
    const char *end = (const char *)memchr(s, '\0', n);
    return end == NULL ? n : (size_t)(end - s);
}

/* Are two strings, each in n characters, equal up to their ends? */
static PYTREE__APART_CLANG bool pytree__same_text(const char *a, const char *b, size_t n)
{
    const size_t length = pytree__text_length(a, n);
    return length == pytree__text_length(b, n) && memcmp(a, b, length) == 0;
}

/* Packs the string in n characters, with zeros behind it. */
static PYTREE__APART_CLANG void pytree__pack_chars(pytree__statics *to, const char *s, size_t n)
{
    const size_t length = pytree__text_length(s, n);
    if (to->length + n <= to->room) {
        memcpy(to->at + to->length, s, length);
        memset(to->at + to->length + length, 0, n - length);
    }
    to->length += n;
}

static bool pytree__pack_piece(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    const struct pytree__packing *p = (const struct pytree__packing *)context;
    const char *const piece = p->self + at;
    unsigned char wide[sizeof(long double)] = { 0 };
    const char *s;
    int64_t number;
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_CHARS) {
        pytree__pack_chars(p->to, piece, bytes);
        return true;
    }
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_BITS) {
        number = row->functions->read(piece);
        pytree__pack_bytes(p->to, &number, sizeof number);
        return true;
    }
    switch (row->form) {
    case PYTREE__PACK_BYTES: pytree__pack_bytes(p->to, piece, bytes); break;
    case PYTREE__PACK_TEXT:
        memcpy(&s, piece, sizeof s);
        pytree__pack_string(p->to, s);
        break;
    default:
        memcpy(wide, piece, PYTREE__WIDE);
        pytree__pack_bytes(p->to, wide, sizeof wide);
        break;
    }
    return true;
}

/* Packs one row, whose value lies at `at`. */
static void pytree__pack(pytree__statics *to, const pytree_field *row, const void *at)
{
    struct pytree__packing p;
    p.to = to;
    p.self = (const char *)at;
    (void)pytree__visit_row(row, 0, pytree__pack_piece, &p);
}

/* Values of plain bytes that lie side by side are packed at once. */
void pytree__pack_struct(pytree__statics *to, const pytree_type *type, const void *self)
{
    const pytree_field *row = pytree__origin(type)->fields;
    unsigned left = pytree__origin(type)->n_fields - pytree__origin(type)->n_children;     /* rows that are no children */
    const char *from = (const char *)self, *end = from;       /* bytes that are still to be packed */
    if (!PYTREE__LAYOUTS) {               /* in a small program: piece by piece */
        struct pytree__packing p;
        p.to = to;
        p.self = from;
        (void)pytree__visit_statics(type, 0, pytree__pack_piece, &p);
        return;
    }
    for (; left != 0; row++) {
        const char *const at = (const char *)self + row->offset;
        if (row->row != PYTREE_ROW_STATIC) { left -= row->row != PYTREE_ROW_DATA; continue; }
        left--;
        if (end != at || row->form != PYTREE__PACK_BYTES) {
            pytree__pack_bytes(to, from, (size_t)(end - from));
            from = end = at;
        }
        if (row->form == PYTREE__PACK_BYTES) { end += row->size; } else { pytree__pack(to, row, at); }
    }
    pytree__pack_bytes(to, from, (size_t)(end - from));
}

static uint32_t pytree__u32(const unsigned char *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return n;
}

PYTREE__APART_CLANG const char *pytree__string_at(const unsigned char *statics, size_t *length)
{
    const uint32_t n = pytree__u32(statics);
    if (length != NULL) { *length = n == 0 ? 0 : n - 1; }
    return n == 0 ? NULL : (const char *)statics + sizeof n;
}

static PYTREE__APART const unsigned char *pytree__skip_strings(const unsigned char *at, size_t n)
{
    while (n-- != 0) { at += sizeof(uint32_t) + pytree__u32(at); }
    return at;
}

static PYTREE__APART_CLANG void pytree__pack_number(pytree__statics *to, int64_t number)
{
    const uint32_t mark = PYTREE__NUMBER_KEY;
    pytree__pack_bytes(to, &mark, sizeof mark);
    pytree__pack_bytes(to, &number, sizeof number);
}

const unsigned char *pytree__key_at(const unsigned char *at, pytree_entry *key, size_t *length)
{
    uint32_t n = pytree__u32(at);
    if (n == PYTREE__NUMBER_KEY) {
        int64_t number;
        memcpy(&number, at + sizeof n, sizeof number);
        key->name = NULL;
        key->kind = PYTREE_INT_KEY;
        key->index = (pytree_key_index)number;
        return at + sizeof n + sizeof number;
    }
    key->kind = PYTREE_KEY;
    key->name = (const char *)at + sizeof n;
    if (length != NULL) { *length = n - 1; }
    return at + sizeof n + n;
}

static PYTREE__APART const unsigned char *pytree__skip_keys(const unsigned char *at, size_t n)
{
    while (n-- != 0) {
        uint32_t size = pytree__u32(at);
        at += sizeof size + (size == PYTREE__NUMBER_KEY ? sizeof(int64_t) : size);
    }
    return at;
}

/* Skips the keys of a custom node: whether there are any, then of each its kind and what other keys have, a number where it has
 * no name. */
static PYTREE__APART const unsigned char *pytree__skip_custom_keys(const unsigned char *at, size_t n)
{
    if (*at++ != 0) {
        while (n-- != 0) { at = pytree__skip_keys(at + 1, 1); }
    }
    return at;
}

static size_t pytree__maxlen(const unsigned char *at)
{
    uint64_t maxlen;
    memcpy(&maxlen, at, sizeof maxlen);
    return maxlen > SIZE_MAX ? SIZE_MAX : (size_t)maxlen;
}

void pytree__pack_meta(pytree__statics *to, const pytree_type *type, const char *name, size_t maxlen)
{
    const uint64_t most = maxlen == PYTREE_UNBOUNDED ? UINT64_MAX : maxlen;
    if (pytree__is_named(type)) { pytree__pack_string(to, pytree__name_of(type, name)); }
    if (pytree__traits(type)->meta == PYTREE__META_MAXLEN) { pytree__pack_bytes(to, &most, sizeof most); }
}

static const unsigned char *pytree__unpack_meta(const pytree_type *type, const unsigned char *at, pytree_items *items)
{
    if (pytree__is_named(type)) {
        items->name = pytree__string_at(at, NULL);
        return pytree__skip_strings(at, 1);
    }
    if (pytree__traits(type)->meta == PYTREE__META_MAXLEN) {
        items->maxlen = pytree__maxlen(at);
        return at + sizeof(uint64_t);
    }
    return at;
}

static bool pytree__match_meta(const pytree_type *type, const char *name, size_t maxlen, const unsigned char *at)
{
    if (pytree__is_named(type)) { return pytree__same_string(pytree__name_of(type, name), pytree__string_at(at, NULL)); }
    return pytree__traits(type)->meta != PYTREE__META_MAXLEN || pytree__maxlen(at) == maxlen;
}

static bool pytree__skip_piece(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    const unsigned char **packed = (const unsigned char **)context;
    (void)at;
    *packed = row->form == PYTREE__PACK_TEXT ? pytree__skip_strings(*packed, 1) : *packed + bytes;
    return true;
}

const unsigned char *pytree__keys_of(const pytree_def *def, size_t node)
{
    const pytree_type *type = def->nodes[node].type;
    const unsigned char *at = def->statics + def->nodes[node].meta;
    switch (pytree__traits(type)->meta) {
    case PYTREE__META_STATICS: (void)pytree__visit_statics(type, 0, pytree__skip_piece, &at); return at;
    case PYTREE__META_NAME:
    case PYTREE__META_FACTORY: return pytree__skip_strings(at, 1);
    case PYTREE__META_MAXLEN: return at + sizeof(uint64_t);
    case PYTREE__META_BYTES: return at + sizeof(uint32_t) + pytree__u32(at);
    default: return at;
    }
}

PYTREE__APART size_t pytree__statics_size(const pytree_def *def, size_t node)
{
    const pytree_node *n = &def->nodes[node];
    const unsigned char *at = pytree__keys_of(def, node);
    switch (pytree__traits(n->type)->keys) {
    case PYTREE__KEYS_PACKED: at = pytree__skip_keys(at, n->arity); break;
    case PYTREE__KEYS_CUSTOM: at = pytree__skip_custom_keys(at, n->arity); break;
    default: break;
    }
    return (size_t)(at - (def->statics + n->meta));
}

/* Puts one packed element as Python prints it. */
static void pytree__put_packed(struct pytree__text_writer *to, const pytree_type *type, const unsigned char *at)
{
    union { int8_t i8; int16_t i16; int32_t i32; int64_t i64; uint8_t u8; uint16_t u16; uint32_t u32; uint64_t u64;
            float f; double d; long double l; uintptr_t p; } v;
    memset(&v, 0, sizeof v);
    memcpy(&v, at, type->size < sizeof v ? type->size : sizeof v);
    switch (type->dtype) {
    case PYTREE_BOOL8: pytree__put_text(to, v.u8 != 0 ? "True" : "False"); break;
    case PYTREE_I8: pytree__put_integer(to, v.i8); break;
    case PYTREE_I16: pytree__put_integer(to, v.i16); break;
    case PYTREE_I32: pytree__put_integer(to, v.i32); break;
    case PYTREE_I64: pytree__put_integer(to, v.i64); break;
    case PYTREE_U8: pytree__put_number(to, v.u8); break;
    case PYTREE_U16: pytree__put_number(to, v.u16); break;
    case PYTREE_U32: pytree__put_number(to, v.u32); break;
    case PYTREE_U64: pytree__put_number(to, v.u64); break;
    case PYTREE_F32: pytree__put_float(to, (long double)v.f, 'f'); break;
    case PYTREE_F64: pytree__put_float(to, (long double)v.d, 'd'); break;
    case PYTREE_FLONG: pytree__put_float(to, v.l, 'l'); break;
    case PYTREE_F16:
    case PYTREE_BF16: {
        pytree_leaf leaf;
        memset(&leaf, 0, sizeof leaf);
        leaf.data = &v;
        leaf.type = type;
        pytree__put_float(to, (long double)pytree_leaf_get(&leaf, 0), 'f');
        break;
    }
    case PYTREE_C64:
    case PYTREE_C128:
    case PYTREE_CLONG: {                  /* as Python: (1+2j) */
        const pytree_type *part = &pytree_types[type->dtype == PYTREE_C64 ? PYTREE__T_float_ : type->dtype == PYTREE_C128
                                                ? PYTREE__T_double_ : PYTREE__T_ldouble];
        char texts[2][64];
        size_t k;
        for (k = 0; k < 2; k++) {         /* without the ".0" that a float has */
            struct pytree__text_writer one = pytree__text_to(texts[k], sizeof texts[k], NULL);
            pytree__put_packed(&one, part, at + k * part->size);
            pytree__end_text(&one, sizeof texts[k]);           /* at least three characters */
            if (strcmp(texts[k] + one.length - 2, ".0") == 0) { texts[k][one.length - 2] = '\0'; }
        }
        if (strcmp(texts[0], "0") != 0) {
            pytree__text_put(to, "(", 1);
            pytree__put_text(to, texts[0]);
            if (texts[1][0] != '-') { pytree__text_put(to, "+", 1); }
        }
        pytree__put_text(to, texts[1]);
        pytree__put_text(to, strcmp(texts[0], "0") != 0 ? "j)" : "j");
        break;
    }
    default: {
        char text[32];
        snprintf(text, sizeof text, "<address 0x%llx>", (unsigned long long)v.p);
        pytree__put_text(to, text);
    }
    }
}

/* Puts the static values of a struct: "(784, 128)", or, of one inside another, "Config(rate=0.5, depth=3)". */
static const unsigned char *pytree__put_struct(struct pytree__text_writer *to, const pytree_type *type, const unsigned char *at,
                                               bool named)
{
    unsigned i, n = 0;
    type = pytree__origin(type);
    if (named) { pytree__put_text(to, type->name); }
    pytree__text_put(to, "(", 1);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (n++ != 0) { pytree__text_put_small(to, ", ", 2); }
        if (named) { pytree__put_text(to, row->name); pytree__text_put(to, "=", 1); }
        at = pytree__put_row(to, row, at);
    }
    pytree__text_put(to, n == 1 && !named ? ",)" : ")", n == 1 && !named ? 2 : 1);
    return at;
}

static PYTREE__APART_CLANG const unsigned char *pytree__put_row(struct pytree__text_writer *to, const pytree_field *row,
                                                                const unsigned char *at)
{
    size_t i, n, step = row->type->size;
    n = row->size / step;
    if (row->form == PYTREE__PACK_CHARS) {
        pytree__put_repr(to, (const char *)at, pytree__text_length((const char *)at, row->size));
        return at + row->size;
    }
    if (row->ndim != 0) { pytree__text_put(to, "(", 1); }
    for (i = 0; i < n; i++) {
        if (i != 0) { pytree__text_put(to, ", ", 2); }
        if (row->form == PYTREE__PACK_STRUCT) {
            at = pytree__put_struct(to, row->type, at, true);
        } else if (row->form == PYTREE__PACK_TEXT) {
            size_t length;
            const char *s = pytree__string_at(at, &length);
            if (s == NULL) { pytree__text_put(to, "None", 4); } else { pytree__put_repr(to, s, length); }
            at = pytree__skip_strings(at, 1);
        } else {
            pytree__put_packed(to, row->type, at);
            at += step;
        }
    }
    if (row->ndim != 0) { pytree__text_put(to, n == 1 ? ",)" : ")", n == 1 ? 2 : 1); }
    return at;
}

PYTREE__APART_CLANG void pytree__put_statics(struct pytree__text_writer *to, const pytree_def *def, size_t node)
{
    pytree__put_struct(to, def->nodes[node].type, def->statics + def->nodes[node].meta, false);
}

/* Compares a few bytes, faster than a call of memcmp. Returns 0 if they are equal. */
PYTREE__INLINE uint64_t pytree__differ(const void *a, const void *b, size_t n)
{
    const char *x = (const char *)a, *y = (const char *)b;
    uint64_t p, q, differ = 0;
    uint32_t u, v;
    size_t i;
    if (n >= sizeof p) {                  /* the last word overlaps the one before it */
        PYTREE__FEW_STEPS
        for (i = 0; i < n - sizeof p; i += sizeof p) {
            memcpy(&p, x + i, sizeof p);
            memcpy(&q, y + i, sizeof q);
            differ |= p ^ q;
        }
        memcpy(&p, x + n - sizeof p, sizeof p);
        memcpy(&q, y + n - sizeof q, sizeof q);
        differ |= p ^ q;
    } else if (n == sizeof u) {
        memcpy(&u, x, sizeof u);
        memcpy(&v, y, sizeof v);
        differ = u ^ v;
    } else {
        PYTREE__FEW_STEPS
        for (i = 0; i < n; i++) { differ |= (uint64_t)(x[i] != y[i]); }
    }
    return differ;
}

/* ---- Comparing --------------------------------------------------------------------------------------------------------- */

/* A struct whose static values are compared with packed ones, or with those of the struct at `other`. */
struct pytree__comparing { const char *self, *other; const unsigned char *packed; };

static bool pytree__match_piece(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    struct pytree__comparing *c = (struct pytree__comparing *)context;
    const char *self = c->self + at, *s;
    const unsigned char *packed = c->packed;
    int64_t number;
    if (row->form == PYTREE__PACK_TEXT) {
        memcpy(&s, self, sizeof s);
        c->packed = pytree__skip_strings(packed, 1);
        return pytree__same_string(s, pytree__string_at(packed, NULL));
    }
    c->packed += bytes;
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_CHARS) { return pytree__same_text(self, (const char *)packed, bytes); }
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_BITS) {
        memcpy(&number, packed, sizeof number);
        return row->functions->read(self) == number;
    }
    switch (row->form) {
    case PYTREE__PACK_BYTES: return pytree__differ(self, packed, bytes) == 0;
    default: return memcmp(self, packed, PYTREE__WIDE) == 0;
    }
}

static PYTREE__APART_CLANG const unsigned char *pytree__match_row(const pytree_field *row, const char *field,
                                                                  const unsigned char *at)
{
    struct pytree__comparing c;
    c.self = field;
    c.packed = at;
    return pytree__visit_row(row, 0, pytree__match_piece, &c) ? c.packed : NULL;
}

static const unsigned char *pytree__match_packed(const pytree_type *type, const char *self, const unsigned char *at)
{
    struct pytree__comparing c;
    c.self = self;
    c.packed = at;
    return pytree__visit_statics(type, 0, pytree__match_piece, &c) ? c.packed : NULL;
}

static bool pytree__same_piece(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    const struct pytree__comparing *c = (const struct pytree__comparing *)context;
    const char *a = c->self + at, *b = c->other + at, *s, *t;
    switch (row->form) {
    case PYTREE__PACK_BYTES: return pytree__differ(a, b, bytes) == 0;
    case PYTREE__PACK_TEXT:
        memcpy(&s, a, sizeof s);
        memcpy(&t, b, sizeof t);
        return pytree__same_string(s, t);
    default: break;
    }
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_CHARS) { return pytree__same_text(a, b, bytes); }
    if (PYTREE__MORE_ROWS && row->form == PYTREE__PACK_BITS) { return row->functions->read(a) == row->functions->read(b); }
    return memcmp(a, b, PYTREE__WIDE) == 0;
}

static PYTREE__APART_CLANG bool pytree__same_row(const pytree_field *row, const char *x, const char *y)
{
    struct pytree__comparing c;
    c.self = x;
    c.other = y;
    return pytree__visit_row(row, 0, pytree__same_piece, &c);
}

static bool pytree__same_statics(const pytree_type *type, const char *a, const char *b)
{
    struct pytree__comparing c;
    c.self = a;
    c.other = b;
    return pytree__visit_statics(type, 0, pytree__same_piece, &c);
}

/* ---- What differs ------------------------------------------------------------------------------------------------------ */

static PYTREE__APART_CLANG struct pytree__static_side pytree__static_side_of(const pytree__frame *f)
{
    struct pytree__static_side side = { NULL, NULL };
    const pytree_flat *const flat = (const pytree_flat *)f->self;
    if (f->form == PYTREE_FORM_STRUCT) { side.self = (const char *)f->self; }
    else { side.packed = flat->def->statics + flat->def->nodes[f->shape[0]].meta; }
    return side;
}

/* Compare a static value of two sides. Where they are equal, packed ones are skipped. */
static PYTREE__APART_CLANG bool pytree__same_sides(const pytree_field *row, struct pytree__static_side sides[2])
{
    const char *const a = sides[0].self, *const b = sides[1].self;
    const unsigned char *ends[2];
    size_t k, n;
    if (a != NULL && b != NULL) { return pytree__same_row(row, a + row->offset, b + row->offset); }
    for (k = 0; k < 2; k++) {
        ends[k] = sides[k].packed;
        if (ends[k] == NULL) { continue; }
        (void)pytree__visit_row(row, 0, pytree__skip_piece, &ends[k]);
    }
    if (a != NULL && pytree__match_row(row, a + row->offset, sides[1].packed) == NULL) { return false; }
    if (b != NULL && pytree__match_row(row, b + row->offset, sides[0].packed) == NULL) { return false; }
    if (a == NULL && b == NULL) {
        n = (size_t)(ends[0] - sides[0].packed);
        if (n != (size_t)(ends[1] - sides[1].packed) || memcmp(sides[0].packed, sides[1].packed, n) != 0) { return false; }
    }
    for (k = 0; k < 2; k++) { sides[k].packed = ends[k]; }
    return true;
}

/* Return the row of the first static value that differs, of which there is one. Packed sides are moved to it. */
static PYTREE__NOINLINE const pytree_field *pytree__static_that_differs(const pytree_type *type,
                                                                        struct pytree__static_side sides[2])
{
    const pytree_field *row = pytree__origin(type)->fields, *const last = row + pytree__origin(type)->n_fields - 1;
    while (row != last && (row->row != PYTREE_ROW_STATIC || pytree__same_sides(row, sides))) { row++; }
    return row;
}

/* Put a static value of a struct that has to be packed before. */
static PYTREE__NOINLINE void pytree__put_unpacked(struct pytree__text_writer *to, const pytree_field *row, const char *at)
{
    unsigned char bytes[PYTREE__SIDE];
    pytree__statics packed;
    packed.at = bytes;
    packed.length = 0;
    packed.room = sizeof bytes;
    pytree__pack(&packed, row, at);
    if (packed.length <= sizeof bytes) { (void)pytree__put_row(to, row, bytes); } else { pytree__put_text(to, "a long value"); }
}

/* Put a static value of the first of so many sides that still come; a long one is cut off. */
static PYTREE__NOINLINE void pytree__put_side(struct pytree__text_writer *to, const pytree_field *row,
                                              const struct pytree__static_side *side, size_t sides)
{
    const char *const at = side->self == NULL ? NULL : side->self + row->offset, *s = NULL;
    struct pytree__text_writer part = pytree__part_of(to, sides, PYTREE__MESSAGE_REST);
    if (at == NULL || row->form == PYTREE__PACK_BYTES) {
        (void)pytree__put_row(&part, row, at == NULL ? side->packed : (const unsigned char *)at);
    } else if (row->form == PYTREE__PACK_TEXT && row->ndim == 0) {
        memcpy(&s, at, sizeof s);
        if (s == NULL) { pytree__put_text(&part, "None"); } else { pytree__put_repr(&part, s, strlen(s)); }
    } else {
        pytree__put_unpacked(&part, row, at);
    }
    pytree__put_part(to, &part);
}

static PYTREE__NOINLINE void pytree__put_sides(struct pytree__text_writer *to, const pytree_type *type,
                                               struct pytree__static_side sides[2], const char *between)
{
    const pytree_field *const row = pytree__static_that_differs(type, sides);
    struct pytree__text_writer part = pytree__part_of(to, 3, PYTREE__MESSAGE_REST);
    pytree__put_text(&part, type->name);
    pytree__put_part(to, &part);
    pytree__put_text(to, " with ");
    pytree__put_text(to, row->name);
    pytree__put_text(to, "=");
    pytree__put_side(to, row, &sides[0], 2);
    pytree__put_text(to, between);
    pytree__put_side(to, row, &sides[1], 1);
}
#endif
