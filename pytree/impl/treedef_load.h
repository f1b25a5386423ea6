/* pytree/impl/treedef_load.h: treedefs as bytes: loading. */
#ifndef PYTREE_IMPL_TREEDEF_LOAD_H
#define PYTREE_IMPL_TREEDEF_LOAD_H

#include "treedef_save.h"

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

/* Take the next n bytes. Return NULL with an error if there are fewer. */
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

/* Append a string of n bytes, NUL included, to `to`. */
static bool pytree__td_load_bytes(pytree__td_loader *l, pytree__td_bytes *to, size_t n)
{
    const unsigned char *p = pytree__td_take(l, n - 1, "the bytes of a string");
    if (p == NULL) { return false; }
    if (memchr(p, 0, n - 1) != NULL) { return pytree__td_bad(l, p, "a string without NUL"); }
    return pytree__td_add_text(to, (const char *)p, n - 1, l->m.opt, l->m.err);
}

static bool pytree__td_load_text(pytree__td_loader *l, bool or_null)
{
    const unsigned char *p = l->at;
    uint64_t n;
    if (!pytree__td_load_number(l, 4, &n, "the length of a string")) { return false; }
    if (n == 0) {
        return or_null ? pytree__td_add_text(&l->m.statics, NULL, 0, l->m.opt, l->m.err) : pytree__td_bad(l, p, "a string");
    }
    return pytree__td_load_bytes(l, &l->m.statics, (size_t)n);
}

/* Read a key: a number if `number`, otherwise a string. */
static bool pytree__td_load_key(pytree__td_loader *l, bool number)
{
    const unsigned char *p = l->at;
    const uint32_t mark = PYTREE__NUMBER_KEY;
    uint64_t n, v;
    int64_t key;
    if (!pytree__td_load_number(l, 4, &n, "the length of a string")) { return false; }
    if ((n == mark) != number) { return pytree__td_bad(l, p, number ? "a number for a key" : "a string for a key"); }
    if (!number) { return n == 0 ? pytree__td_bad(l, p, "a string") : pytree__td_load_bytes(l, &l->m.statics, (size_t)n); }
    if (!pytree__td_load_number(l, 8, &v, "a number for a key")) { return false; }
    key = (int64_t)v;
    return pytree__td_add(&l->m.statics, &mark, sizeof mark, l->m.opt, l->m.err)
        && pytree__td_add(&l->m.statics, &key, sizeof key, l->m.opt, l->m.err);
}

/* Read a string that lies in n characters, with zeros behind it. */
static bool pytree__td_load_chars(pytree__td_loader *l, size_t n)
{
    const unsigned char *const p = pytree__td_take(l, n, "a static value");
    size_t i;
    if (p == NULL) { return false; }
    for (i = pytree__text_length((const char *)p, n); i < n && p[i] == 0; i++) {}
    if (i < n || p[n - 1] != 0) { return pytree__td_bad(l, p, "a string with zeros behind it"); }
    return pytree__td_add(&l->m.statics, p, n, l->m.opt, l->m.err);
}

static bool pytree__td_load_value(void *context, const pytree_type *type, size_t n)
{
    pytree__td_loader *l = (pytree__td_loader *)context;
    unsigned char b[sizeof(long double) > 8 ? sizeof(long double) : 8];
    size_t i, width = type == NULL ? 1 : pytree__td_width(type);
    bool good = true, wide = type != NULL && (type->dtype == PYTREE_FLONG || type->dtype == PYTREE_CLONG);
    memset(b, 0, sizeof b);
    if (type == NULL) {
        for (i = 0; i < n; i++) {
            if (!pytree__td_add(&l->m.statics, b, 1, l->m.opt, l->m.err)) { return false; }
        }
        return true;
    }
    for (i = 0; i < n && type->dtype == PYTREE_STRING && good; i++) { good = pytree__td_load_text(l, true); }
    if (type->dtype == PYTREE_STRING) { return good; }
    if (type->dtype == PYTREE_TEXT) { return pytree__td_load_chars(l, n); }
    for (i = 0; i < n * (type->size / width); i++) {
        const unsigned char *p = pytree__td_take(l, wide ? 24 : width, "a static value");
        if (p == NULL) { return false; }
        if (wide) {
            if (!pytree__td_wide_load(b, p)) { return pytree__td_bad(l, p, "a long double that this machine has"); }
        } else {
            memcpy(b, p, width);
            pytree__td_little(b, width);
        }
        if (type->dtype == PYTREE_BOOL8 && *p > 1) { return pytree__td_bad(l, p, "a truth value of 0 or 1"); }
        if (!pytree__td_add(&l->m.statics, b, width, l->m.opt, l->m.err)) { return false; }
    }
    return true;
}

/* Return the length of the first row. */
static size_t pytree__td_row_length(const char *rows, size_t n)
{
    const char *end = n == 0 ? NULL : (const char *)memchr(rows, ';', n);
    return end == NULL ? n : (size_t)(end - rows);
}

/* Report that rows have changed, with the first that differs. */
static void pytree__td_other_rows(pytree__td_loader *l, const char *name, const char *was, size_t n_was, const char *is,
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
}

/* Check that a struct still has the rows it was saved with. A buffer a little longer than those suffices: longer rows differ
 * anyway. */
static bool pytree__td_same_rows(pytree__td_loader *l, const pytree_type *type, const char *rows, size_t n)
{
    const size_t room = n + 80;
    struct pytree__text_writer to = { NULL, room, 0, NULL };
    bool same;
    to.at = (char *)pytree__array_new(room, 1, pytree__allocator(l->m.opt), l->m.err);
    if (to.at == NULL) { return false; }
    pytree__td_put_rows(&to, type, "; ");
    same = to.length == n && memcmp(to.at, rows, n) == 0;
    if (!same) { pytree__td_other_rows(l, type->name, rows, n, to.at, to.length < room ? to.length : room); }
    pytree__array_free(to.at, room, 1, pytree__allocator(l->m.opt));
    return same;
}

/* Read a new type: find it by name and check its rows. */
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

/* Read metadata and keys of a custom node. Its keys are of any kind. */
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
        bool number;
        p = pytree__td_take(l, 1, "the kind of a key");
        if (p == NULL) { return false; }
        if (*p > PYTREE_INT_KEY) { return pytree__td_bad(l, p, "the kind of a key"); }
        number = *p != PYTREE_ATTRIBUTE && *p != PYTREE_KEY;
        if (!pytree__td_add(&l->m.statics, p, 1, l->m.opt, l->m.err) || !pytree__td_load_key(l, number)) { return false; }
    }
    return true;
}

/* The keys of a dict, the names of a namedtuple: all numbers if the first is one. `meta`, `names`: where what the node has, and
 * where its keys, begin. */
static bool pytree__td_load_keyed(pytree__td_loader *l, const unsigned char *p, const pytree_type *type, size_t n, size_t meta,
                                  size_t names)
{
    const bool numbered = n > 0 && pytree__traits(type)->entry == PYTREE_KEY && (size_t)(l->end - l->at) >= 4
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
    if (l->m.orders.n == orders) { return true; }
    return pytree__td_bad(l, p, "sorted keys");
}

static bool pytree__td_load_maxlen(pytree__td_loader *l, const unsigned char *p, size_t n)
{
    uint64_t maxlen;
    if (!pytree__td_load_number(l, 8, &maxlen, "a maximum length")) { return false; }
    if (maxlen >= SIZE_MAX && maxlen != UINT64_MAX) {
        return pytree__td_bad(l, p, "a maximum length that this machine can count");
    }
    if (maxlen < n) { return pytree__td_bad(l, p, "a deque that is no longer than it may be"); }
    return pytree__td_add(&l->m.statics, &maxlen, sizeof maxlen, l->m.opt, l->m.err);
}

/* The type of a node of that kind; false and an error if there is none. A leaf has none either. */
static bool pytree__td_load_kind(pytree__td_loader *l, uint64_t code, const pytree_type **type)
{
    const unsigned char *p = l->at;
    uint64_t n = l->table.n;
    *type = NULL;
    if (code == 0) { return true; }
    if (code != PYTREE__TD_KNOWN && code != PYTREE__TD_NEW) {
        *type = pytree__type_of_code(code);
        if (*type != NULL) { return true; }
        return pytree__td_bad(l, p - 1, "the kind of a node");
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
    if (code == 1 && none_is_leaf) { return pytree__td_bad(l, p, "the kind of a node"); }
    if (!pytree__td_load_kind(l, code, &type)) { return false; }
    kind = type == NULL ? PYTREE_KIND_LEAF : type->kind;
    if (pytree__is_named(type)) { good = pytree__td_load_text(l, pytree__traits(type)->meta == PYTREE__META_FACTORY); }
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
    if (pytree__keyed(type)) { return pytree__td_load_keyed(l, p, type, (size_t)n, meta, names); }
    if (kind == PYTREE_KIND_STRUCT) { good = pytree__td_values(type, pytree__td_load_value, l); }
    if (kind == PYTREE_KIND_CUSTOM) { good = pytree__td_load_custom(l, type, (size_t)n); }
    if (pytree__traits(type)->meta == PYTREE__META_MAXLEN) { good = pytree__td_load_maxlen(l, p, (size_t)n); }
    if (!good) { return false; }
    return pytree__td_push(&l->m, type, (size_t)n, meta);
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
                     || pytree__traits(l->m.nodes[node].type)->order != PYTREE__ORDER_SORTED)) {
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
    if (!pytree__td_load_number(l, 4, &n, "the length of a string")) { return false; }
    if (n == 0) { return pytree__td_bad(l, p, "a string"); }
    good = pytree__td_load_bytes(l, &text, (size_t)n)
        && pytree__td_use_space(&l->m, (const char *)text.at + sizeof(uint32_t));
    pytree__array_free(text.at, text.max, 1, pytree__allocator(l->m.opt));
    l->space = good ? (const char *)l->m.space.at : NULL;
    return good;
}

/* What comes before the nodes. */
static bool pytree__td_load_head(pytree__td_loader *l, uint64_t *flags, uint64_t *nodes)
{
    const unsigned char *const head = pytree__td_take(l, 8, "a saved treedef");
    uint64_t version;
    if (head == NULL) { return false; }
    if (memcmp(head, "pytreedf", 8) != 0) { return pytree__td_bad(l, head, "a saved treedef"); }
    if (!pytree__td_load_number(l, 4, &version, "the version")) { return false; }
    if (version != PYTREE__TD_VERSION) { return pytree__td_bad(l, l->at - 4, "version 2"); }
    if (!pytree__td_load_number(l, 4, flags, "the flags")) { return false; }
    if (*flags > 7) { return pytree__td_bad(l, l->at - 4, "known flags"); }
    if (!pytree__td_load_number(l, 4, nodes, "the number of nodes")) { return false; }
    if (*nodes > (size_t)(l->end - l->at)) { return pytree__td_bad(l, l->end, "as many nodes as it says"); }
    return pytree__td_reserve(&l->m, (size_t)*nodes) && ((*flags & PYTREE__TD_SPACE) == 0 || pytree__td_load_space(l));
}

/* What comes behind them. */
static bool pytree__td_load_end(pytree__td_loader *l, uint64_t flags, size_t roots)
{
    if ((flags & PYTREE__TD_ORDERS) != 0 && !pytree__td_load_orders(l)) { return false; }
    if (l->at != l->end) { return pytree__td_bad(l, l->at, "the end"); }
    if (roots != 1) { return pytree__td_bad(l, l->end, "one root"); }
    return true;
}

pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err)
{
    pytree__td_loader l;
    uint64_t flags = 0, nodes = 0, i;
    size_t roots = 0;
    bool good;
    memset(&l, 0, sizeof l);
    pytree__td_begin(&l.m, opt, err);
    l.start = l.at = (const unsigned char *)(bytes == NULL ? "" : bytes);
    size = bytes == NULL ? 0 : size;
    l.end = l.at + size;
    l.types = types;
    l.n_types = n;
    good = pytree__td_load_head(&l, &flags, &nodes);
    for (i = 0; i < nodes && good; i++) { good = pytree__td_load_node(&l, (flags & PYTREE__TD_NONE_IS_LEAF) != 0, &roots); }
    good = good && pytree__td_load_end(&l, flags, roots);
    pytree__array_free((void *)l.table.types, l.table.max, sizeof *l.table.types, pytree__allocator(opt));
    return pytree__td_finish(&l.m, (flags & PYTREE__TD_NONE_IS_LEAF) != 0, good);
}

#endif
