/* pytree/impl/treedef_save.h: treedefs as bytes: saving. */
#ifndef PYTREE_IMPL_TREEDEF_SAVE_H
#define PYTREE_IMPL_TREEDEF_SAVE_H

#include "treedef_parse.h"

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* Tell whether values of a type are meaningless in another process: function pointers and opaque types. */
static bool pytree__td_is_address(const pytree_type *type)
{
    return type->dtype == PYTREE_OPAQUE;
}

enum {
    PYTREE__TD_VERSION = 2,
    PYTREE__TD_NONE_IS_LEAF = 1, PYTREE__TD_SPACE = 2, PYTREE__TD_ORDERS = 4,         /* flags */
    PYTREE__TD_KNOWN = 7, PYTREE__TD_NEW = 8                                           /* kinds of nodes: of a type */
};

/* Call fn for the static values of a struct in packed order, including nested ones: n of a type, or n bytes of addresses
 * (NULL). Static structs are nested by value, so C's declarations bound the recursion. */
typedef bool pytree__td_value_fn(void *context, const pytree_type *type, size_t n);

static bool pytree__td_values(const pytree_type *owner, pytree__td_value_fn *fn, void *context)
{
    unsigned i;
    bool good = true;
    for (i = 0; i < owner->n_fields && good; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        if (row->row != PYTREE_ROW_STATIC) { continue; }
        if (type->kind == PYTREE_KIND_STRUCT) {
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

/* Write the rows of a struct as a string for files: "static din i32; static rates f32[4]; data w f32". */
static void pytree__td_put_rows(struct pytree__text_writer *to, const pytree_type *owner, const char *between)
{
    unsigned i;
    bool first = true;
    for (i = 0; i < owner->n_fields; i++) {
        const pytree_field *row = &owner->fields[i];
        const pytree_type *type = pytree__td_type(row->type);
        bool nested;
        if (row->row == PYTREE_ROW_DROP) { continue; }
        nested = type->kind == PYTREE_KIND_STRUCT;
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
        if (nested) {                     /* nested by value: C's declarations bound the recursion */
            pytree__put_text(to, "{");
            pytree__td_put_rows(to, type, ", ");
            pytree__put_text(to, "}");
        }
        if (row->ndim != 0) {
            pytree__put_text(to, "[");
            pytree__put_number(to, row->size / type->size);
            pytree__put_text(to, "]");
        }
    }
}

/* Return the bytes of the parts of a number whose byte order is the machine's. */
static size_t pytree__td_width(const pytree_type *type)
{
    switch (type->dtype) {
    case PYTREE_C64: case PYTREE_C128: case PYTREE_CLONG: return type->size / 2;
    default: return type->size;
    }
}

/* Encode a long double in 24 bytes: u32 class (0 finite, 1 infinite, 2 not a number; 256: negative), u32 exponent in two's
 * complement, 128 bits of the fraction. */
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

/* Decode a long double, without padding bits. Return false for bytes that are no long double of this machine. */
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
    memcpy(to, &v, PYTREE__WIDE);
    pytree__td_wide_save(again, to);
    return memcmp(again, from, sizeof again) == 0;
}

typedef struct pytree__td_saver {
    unsigned char *to;
    size_t room, n;
    const unsigned char *packed;          /* next static value */
    const char *owner;                    /* the struct they belong to */
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

/* Write a packed string without its NUL. */
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
    if (type == NULL) {                   /* NULL needs no entry */
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

/* The structs and custom types so far, each once. */
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

/* Write a key: a string, or a mark and a number. */
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

/* Write the type of a node: its description if it is new, otherwise its number in the table. */
static bool pytree__td_save_type(pytree__td_saver *s, const pytree_type *type, pytree__td_table *table,
                                 const pytree_options *opt)
{
    struct pytree__text_writer rows = { NULL, 0, 0, NULL };
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
        struct pytree__text_writer to = { (char *)s->to + s->n, rows.length, 0, NULL };
        pytree__td_put_rows(&to, type, "; ");
    }
    s->n += rows.length;
    return pytree__td_table_add(table, type, opt, s->err);
}

/* Write number of children, metadata and keys of a custom node. */
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
    const pytree_node *node = &def->nodes[i];
    const pytree_kind kind = node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
    size_t k;
    s->packed = def->statics + node->meta;
    if (kind == PYTREE_KIND_STRUCT || kind == PYTREE_KIND_CUSTOM) {
        s->owner = node->type->name;
        if (!pytree__td_save_type(s, node->type, table, opt)) { return false; }
        if (kind == PYTREE_KIND_STRUCT) { return pytree__td_values(node->type, pytree__td_save_value, s); }
        pytree__td_save_custom(s, node);
        return true;
    }
    pytree__td_save_number(s, pytree__traits(node->type)->code, 1);
    if (pytree__is_named(node->type)) { pytree__td_save_text(s); }
    if (kind != PYTREE_KIND_LEAF && kind != PYTREE_KIND_NONE) { pytree__td_save_number(s, node->arity, 4); }
    if (pytree__traits(node->type)->meta == PYTREE__META_MAXLEN) {
        uint64_t maxlen;
        memcpy(&maxlen, s->packed, sizeof maxlen);
        pytree__td_save_number(s, maxlen, 8);
    }
    for (k = 0; k < node->arity && pytree__keyed(node->type); k++) { pytree__td_save_key(s); }
    return true;
}

/* Write the orders of dicts: their number, then for each the number of the dict and the places of its children. */
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

#include "treedef_load.h"
#endif
