/* pytree/impl/treedef_nodes.h: building blocks of treedefs: growing bytes, nodes, keys. */
#ifndef PYTREE_IMPL_TREEDEF_NODES_H
#define PYTREE_IMPL_TREEDEF_NODES_H

#include "internal.h"
#include "../treedef.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

/* A vector of bytes: at most 2^32 - 1 of them, from the allocator of the call. */
typedef struct pytree__td_bytes {
    unsigned char *at;
    size_t n, max;
} pytree__td_bytes;

/* A treedef under construction. Nodes come in post-order with their counts, their static values and orders in the same
 * sequence. */
typedef struct pytree__td_maker {
    const pytree_options *opt;
    pytree_error *err;
    pytree_node *nodes;
    size_t n_nodes, max_nodes;
    pytree__td_bytes statics;
    pytree__td_bytes orders;              /* of dicts: see pytree_def */
    pytree__td_bytes space;               /* the namespace with its NUL; empty: none so far */
    bool shares;                          /* some nodes may be pytree_same */
} pytree__td_maker;

/* For each node number i up to n_nodes, where the orders of nodes from i on begin in def->orders. `at` is NULL if there are
 * none. */
typedef struct pytree__td_orders {
    const pytree_def *def;
    size_t *at;
} pytree__td_orders;

/* Append bytes, or a string as static values hold it. Return false, with the error set, if memory or the limit runs out. */
static bool pytree__td_add(pytree__td_bytes *b, const void *from, size_t n, const pytree_options *opt, pytree_error *err);
static bool pytree__td_add_text(pytree__td_bytes *b, const char *text, size_t length, const pytree_options *opt,
                                pytree_error *err);

/* Make a treedef: begin, push nodes in post-order, finish. Finish in any case: it frees the maker. */
static void pytree__td_begin(pytree__td_maker *m, const pytree_options *opt, pytree_error *err);
static bool pytree__td_use_space(pytree__td_maker *m, const char *space);
static bool pytree__td_reserve(pytree__td_maker *m, size_t n);
static bool pytree__td_push(pytree__td_maker *m, const pytree_type *type, size_t arity, size_t meta);
static pytree_status pytree__td_push_named(pytree__td_maker *m, const pytree_type *type, size_t n, size_t meta, size_t names,
                                           const unsigned char **twice);
static pytree_def *pytree__td_finish(pytree__td_maker *m, bool none_is_leaf, bool good);
static pytree_def *pytree__td_finish_with(pytree__td_maker *m, bool none_is_leaf, size_t leaves, bool good);

/* Find the order of each dict's pairs in a treedef. */
static bool pytree__td_orders_begin(pytree__td_orders *o, const pytree_def *def, const pytree_options *opt, pytree_error *err);
static const uint32_t *pytree__td_order(const pytree__td_orders *o, size_t node);
static void pytree__td_orders_end(pytree__td_orders *o, const pytree_options *opt);

/* Write the namespace of a treedef or a type: "namespace 'train'". */
static const char *pytree__td_space_text(const char *space, char *to, size_t n);
/* Tell apart two texts of n bytes that nodes of these types have: if they are the same, put the namespaces of the types behind
 * them. */
static void pytree__td_tell_apart(char *a, const pytree_type *x, char *b, const pytree_type *y, size_t n);

/* ---- Growing bytes ------------------------------------------------------------------------------------------------- */

/* Append n bytes, which the caller fills in. Return where they begin; NULL with an error. */
PYTREE__INLINE unsigned char *pytree__td_room(pytree__td_bytes *b, size_t n, const pytree_options *opt, pytree_error *err)
{
    unsigned char *to;
    if (PYTREE__UNLIKELY(n > UINT32_MAX - b->n)) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected fewer than 2^32 bytes of keys and static values, got more");
        return NULL;
    }
    if (PYTREE__UNLIKELY(b->at == NULL || n > b->max - b->n)) {
        void *const grown = pytree__array_grow(b->at, &b->max, b->n + n, 1, pytree__allocator(opt), err);
        if (grown == NULL) { return NULL; }
        b->at = (unsigned char *)grown;
    }
    to = b->at + b->n;
    b->n += n;
    return to;
}

static bool pytree__td_add(pytree__td_bytes *b, const void *from, size_t n, const pytree_options *opt, pytree_error *err)
{
    unsigned char *const to = pytree__td_room(b, n, opt, err);
    if (to == NULL) { return false; }
    if (n > 0) { memcpy(to, from, n); }
    return true;
}

/* Append a string in the form of static values: length + 1, bytes, NUL; a length of 0 for NULL. */
static bool pytree__td_add_text(pytree__td_bytes *b, const char *text, size_t length, const pytree_options *opt,
                                pytree_error *err)
{
    unsigned char *to;
    uint32_t size = 0;
    if (text == NULL) { return pytree__td_add(b, &size, sizeof size, opt, err); }
    if (length >= UINT32_MAX) { length = UINT32_MAX - 1; }      /* more than can be added */
    size = (uint32_t)length + 1;
    to = pytree__td_room(b, sizeof size + size, opt, err);
    if (to == NULL) { return false; }
    memcpy(to, &size, sizeof size);
    memcpy(to + sizeof size, text, length);
    to[sizeof size + length] = '\0';
    return true;
}

/* ---- Nodes --------------------------------------------------------------------------------------------------------- */

/* Tell whether a node is a leaf or None: it has no static values, and its `meta` is 0. */
static bool pytree__td_plain(const pytree_node *node) { return node->type == NULL || node->type->kind == PYTREE_KIND_NONE; }

static bool pytree__td_same_none(const pytree_def *a, bool none_is_leaf, pytree_error *err)
{
    if (a->none_is_leaf == none_is_leaf) { return true; }
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef in which None is a %s, got one in which it is a %s",
                none_is_leaf ? "leaf" : "node", none_is_leaf ? "node" : "leaf");
    return false;
}

static void pytree__td_begin(pytree__td_maker *m, const pytree_options *opt, pytree_error *err)
{
    memset(m, 0, sizeof *m);
    m->opt = opt;
    m->err = err;
}

/* Take the namespace of a part (NULL: none): all parts must agree. */
static bool pytree__td_use_space(pytree__td_maker *m, const char *space)
{
    if (space == NULL || *space == '\0') { return true; }
    if (m->space.n == 0) { return pytree__td_add(&m->space, space, strlen(space) + 1, m->opt, m->err); }
    if (strcmp((const char *)m->space.at, space) == 0) { return true; }
    pytree_fail(m->err, PYTREE_ARGUMENT, NULL, "expected treedefs of one namespace, got '%.60s' and '%.60s'",
                (const char *)m->space.at, space);
    return false;
}

static bool pytree__td_reserve(pytree__td_maker *m, size_t n)
{
    void *grown = m->nodes;
    if (n > UINT32_MAX - m->n_nodes) {
        pytree_fail(m->err, PYTREE_OVERFLOW, NULL, "expected fewer than 2^32 nodes, got more");
        return false;
    }
    if (grown == NULL || n > m->max_nodes - m->n_nodes) {
        grown = pytree__array_grow(m->nodes, &m->max_nodes, m->n_nodes + n, sizeof *m->nodes, pytree__allocator(m->opt),
                                   m->err);
    }
    if (grown == NULL) { return false; }
    m->nodes = (pytree_node *)grown;
    return true;
}

/* Append a node whose children are the last ones appended; its static values begin at `meta`. */
static bool pytree__td_push(pytree__td_maker *m, const pytree_type *type, size_t arity, size_t meta)
{
    size_t i, child = m->n_nodes, leaves = type == NULL;
    pytree_node *node;
    if (PYTREE__UNLIKELY(m->n_nodes == m->max_nodes) && !pytree__td_reserve(m, 1)) { return false; }
    for (i = 0; i < arity; i++) {
        leaves += m->nodes[child - 1].leaves;
        child -= m->nodes[child - 1].nodes;
    }
    node = &m->nodes[m->n_nodes++];
    node->type = type;
    node->arity = (uint32_t)arity;
    node->leaves = (uint32_t)leaves;
    node->nodes = (uint32_t)(m->n_nodes - child);
    node->meta = pytree__td_plain(node) ? 0 : (uint32_t)meta;
    m->shares = m->shares || type == &pytree_same;
    return true;
}

static bool pytree__td_orders_begin(pytree__td_orders *o, const pytree_def *def, const pytree_options *opt, pytree_error *err)
{
    size_t i = def->n_nodes, end = def->n_orders;
    o->def = def;
    o->at = NULL;
    if (end == 0) { return true; }
    o->at = (size_t *)pytree__array_new(i + 1, sizeof *o->at, pytree__allocator(opt), err);
    if (o->at == NULL) { return false; }
    o->at[i] = end;
    while (i-- != 0) {
        if (end != 0 && def->orders[end - 1] == i) { end -= 1 + (size_t)def->nodes[i].arity; }
        o->at[i] = end;
    }
    return true;
}

static void pytree__td_orders_end(pytree__td_orders *o, const pytree_options *opt)
{
    if (o->at != NULL) { pytree__array_free(o->at, o->def->n_nodes + 1, sizeof *o->at, pytree__allocator(opt)); }
}

/* Return the order of a node's children; NULL if they were inserted in visiting order. */
static const uint32_t *pytree__td_order(const pytree__td_orders *o, size_t node)
{
    return o->at == NULL || o->at[node] == o->at[node + 1] ? NULL : o->def->orders + o->at[node];
}

/* Append the order of the next node. NULL: none. */
static bool pytree__td_add_order(pytree__td_maker *m, const uint32_t *order, size_t arity)
{
    const uint32_t node = (uint32_t)m->n_nodes;
    return order == NULL || (pytree__td_add(&m->orders, order, arity * sizeof *order, m->opt, m->err)
                             && pytree__td_add(&m->orders, &node, sizeof node, m->opt, m->err));
}

/* Append a copy of a node of another treedef, whose children were appended before. `order`: of its pairs, or NULL. */
static bool pytree__td_push_like(pytree__td_maker *m, const pytree_def *def, size_t node, const uint32_t *order)
{
    const pytree_node *from = &def->nodes[node];
    size_t meta = m->statics.n, n = pytree__statics_size(def, node);
    return (n == 0 || pytree__td_add(&m->statics, def->statics + from->meta, n, m->opt, m->err))
        && pytree__td_add_order(m, order, from->arity) && pytree__td_push(m, from->type, from->arity, meta);
}

/* Append a copy of a subtree of another treedef, where its nodes, static values and orders are contiguous. */
static bool pytree__td_copy(pytree__td_maker *m, const pytree_def *def, size_t root, const pytree__td_orders *table)
{
    const size_t first = root + 1 - def->nodes[root].nodes, made = m->n_nodes;
    size_t i = first, begin = first, end, n_orders = 0;
    uint32_t to = (uint32_t)m->statics.n;
    const uint32_t *orders = def->orders;
    if (!pytree__td_reserve(m, def->nodes[root].nodes)) { return false; }
    m->shares = m->shares || def->shares;
    while (begin < root && pytree__td_plain(&def->nodes[begin])) { begin++; }
    begin = def->nodes[begin].meta;       /* of the first node that may have static values */
    end = pytree__td_plain(&def->nodes[root]) ? begin : def->nodes[root].meta + pytree__statics_size(def, root);
    for (; i <= root; i++) {
        pytree_node *node = &m->nodes[m->n_nodes++];
        *node = def->nodes[i];
        node->meta = pytree__td_plain(node) ? 0 : (uint32_t)(node->meta - begin + to);
    }
    if (root + 1 == def->n_nodes) {
        n_orders = def->n_orders;
    } else if (table->at != NULL) {
        orders += table->at[first];
        n_orders = table->at[root + 1] - table->at[first];
    }
    if (n_orders != 0) {
        const size_t bytes = n_orders * sizeof *orders;
        void *grown = pytree__array_grow(m->orders.at, &m->orders.max, m->orders.n + bytes, 1, pytree__allocator(m->opt),
                                         m->err);
        if (grown == NULL) { return false; }
        m->orders.at = (unsigned char *)grown;
        pytree__move_orders((uint32_t *)(void *)(m->orders.at + m->orders.n), m->nodes, orders, n_orders,
                            (uint32_t)(first - made));
        m->orders.n += bytes;
    }
    return end == begin || pytree__td_add(&m->statics, def->statics + begin, end - begin, m->opt, m->err);
}

/* Finish: return the treedef, or NULL if `good` is false or memory runs out. Its block has room for that many leaves behind it.
 * The maker is freed in any case. */
static pytree_def *pytree__td_finish_with(pytree__td_maker *m, bool none_is_leaf, size_t leaves, bool good)
{
    const char *space = m->space.n == 0 ? NULL : (const char *)m->space.at, *used = NULL;
    pytree_def *def = NULL;
    size_t i;
    for (i = 0; i < m->n_nodes && space != NULL && good; i++) {      /* it is kept only where it could matter */
        const pytree_type *type = m->nodes[i].type;
        if (!pytree__namespaced(&m->nodes[i])) { continue; }
        used = space;
        if (!pytree_type_equal(pytree__in_space(type, space), type)) {
            pytree_fail(m->err, PYTREE_ARGUMENT, NULL,
                        "expected %.60s as it is registered in namespace '%.60s', got another registration", type->name, space);
            good = false;
        }
    }
    if (good) {
        def = pytree__def_block(m->n_nodes, m->statics.n, m->orders.n / sizeof(uint32_t), used, leaves, m->opt, m->err);
    }
    if (def != NULL) {
        memcpy((void *)(uintptr_t)def->nodes, m->nodes, m->n_nodes * sizeof *m->nodes);
        if (m->statics.n > 0) { memcpy((void *)(uintptr_t)def->statics, m->statics.at, m->statics.n); }
        if (m->orders.n > 0) { memcpy((void *)(uintptr_t)def->orders, m->orders.at, m->orders.n); }
        def->n_leaves = m->nodes[m->n_nodes - 1].leaves;
        def->none_is_leaf = none_is_leaf;
        def->shares = m->shares;
    }
    pytree__array_free(m->nodes, m->max_nodes, sizeof *m->nodes, pytree__allocator(m->opt));
    pytree__array_free(m->statics.at, m->statics.max, 1, pytree__allocator(m->opt));
    pytree__array_free(m->orders.at, m->orders.max, 1, pytree__allocator(m->opt));
    pytree__array_free(m->space.at, m->space.max, 1, pytree__allocator(m->opt));
    return def;
}

static pytree_def *pytree__td_finish(pytree__td_maker *m, bool none_is_leaf, bool good)
{
    return pytree__td_finish_with(m, none_is_leaf, 0, good);
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------- */

/* Packed keys, sorted: keys[i].at is the number of the i-th key in packed order. */
typedef struct pytree__td_keys {
    struct pytree__sorting *keys;
    size_t n;
} pytree__td_keys;

/* Compare keys of two dicts; numbers come before strings. */
static int pytree__td_compare(const struct pytree__sorting *a, const struct pytree__sorting *b)
{
    return (a->key == NULL) == (b->key == NULL) ? pytree__by_key(a, b) : a->key == NULL ? -1 : 1;
}

static bool pytree__td_sort(pytree__td_keys *k, const unsigned char *packed, size_t n, const pytree_options *opt,
                            pytree_error *err)
{
    pytree_entry key;
    size_t i;
    k->n = n;
    k->keys = (struct pytree__sorting *)pytree__array_new(n, sizeof *k->keys, pytree__allocator(opt), err);
    if (k->keys == NULL) { return false; }
    for (i = 0; i < n; i++) {
        packed = pytree__key_at(packed, &key, NULL);
        k->keys[i].key = key.name;
        k->keys[i].rank = key.name == NULL ? (uint64_t)(int64_t)key.index ^ UINT64_C(1) << 63 : pytree__key_prefix64(key.name);
        k->keys[i].at = (uint32_t)i;
    }
    pytree__sort_keys(k->keys, n);
    return true;
}

static void pytree__td_sort_free(pytree__td_keys *k, const pytree_options *opt)
{
    if (k->keys != NULL) { pytree__array_free(k->keys, k->n, sizeof *k->keys, pytree__allocator(opt)); }
}

/* Where a child, its static values, its orders and its key begin. */
typedef struct pytree__td_place { size_t node, meta, order, key; } pytree__td_place;

/* Find the places of the last n children, and the end of all of them. Static values end at `meta`; the keys are packed from
 * `names` on. */
static void pytree__td_places(const pytree__td_maker *m, size_t meta, size_t names, size_t n, pytree__td_place *places)
{
    const uint32_t *orders = (const uint32_t *)(const void *)m->orders.at;
    size_t i, at;
    places[n].node = m->n_nodes;
    places[n].meta = meta;
    places[n].order = m->orders.n / sizeof *orders;
    places[n].key = m->statics.n;
    for (i = n; i-- > 0;) {
        pytree__td_place *place = &places[i];
        *place = places[i + 1];
        place->node -= m->nodes[place->node - 1].nodes;
        for (at = place->node; at < place[1].node && pytree__td_plain(&m->nodes[at]); at++) {}
        if (at < place[1].node) { place->meta = m->nodes[at].meta; }
        while (place->order != 0 && orders[place->order - 1] >= place->node) {
            place->order -= 1 + (size_t)m->nodes[orders[place->order - 1]].arity;
        }
    }
    for (i = 0, at = names; i < n; i++) {
        places[i].key = at;
        at = (size_t)(pytree__skip_keys(m->statics.at + at, 1) - m->statics.at);
    }
}

/* Move the last children into the order of their keys; `old` has room for a copy of everything that moves. */
static void pytree__td_move(pytree__td_maker *m, const pytree__td_keys *k, const pytree__td_place *places, unsigned char *old)
{
    const pytree__td_place *begin = &places[0], *end = &places[k->n];
    pytree_node *nodes = (pytree_node *)(void *)old;
    uint32_t *orders = (uint32_t *)(void *)(nodes + (end->node - begin->node)), *all = (uint32_t *)(void *)m->orders.at;
    unsigned char *statics = (unsigned char *)(orders + (end->order - begin->order));
    pytree__td_place to = *begin;
    size_t i, node;
    memcpy(nodes, m->nodes + begin->node, (end->node - begin->node) * sizeof *nodes);
    memcpy(statics, m->statics.at + begin->meta, end->key - begin->meta);
    if (end->order != begin->order) { memcpy(orders, all + begin->order, (end->order - begin->order) * sizeof *orders); }
    for (i = 0; i < k->n; i++) {
        const pytree__td_place *from = &places[k->keys[i].at], *next = from + 1;
        const size_t size = next->meta - from->meta, n_orders = next->order - from->order;
        const size_t key = next->key - from->key;
        for (node = from->node; node < next->node; node++) {
            pytree_node *moved = &m->nodes[to.node + (node - from->node)];
            *moved = nodes[node - begin->node];
            if (!pytree__td_plain(moved)) { moved->meta = (uint32_t)(moved->meta - from->meta + to.meta); }
        }
        if (n_orders != 0) {
            pytree__move_orders(all + to.order, m->nodes, orders + (from->order - begin->order), n_orders,
                                (uint32_t)(from->node - to.node));
        }
        memcpy(m->statics.at + to.meta, statics + (from->meta - begin->meta), size);
        memcpy(m->statics.at + to.key, statics + (from->key - begin->meta), key);
        to.node += next->node - from->node;
        to.meta += size;
        to.order += n_orders;
        to.key += key;
    }
}

/* Sort the last n children by their keys, which are packed at the end of the static values from `names` on, and record their
 * original order. */
static bool pytree__td_reorder(pytree__td_maker *m, size_t meta, size_t names, const pytree__td_keys *k)
{
    const size_t n = k->n;
    pytree__td_place *places = (pytree__td_place *)pytree__array_new(n + 1, sizeof *places, pytree__allocator(m->opt), m->err);
    const uint32_t node = (uint32_t)m->n_nodes;
    unsigned char *old = NULL;
    size_t i, size = 0;
    if (places != NULL) {
        pytree__td_places(m, meta, names, n, places);
        size = (places[n].node - places[0].node) * sizeof(pytree_node) + (places[n].order - places[0].order) * sizeof(uint32_t)
            + places[n].key - places[0].meta;
        old = (unsigned char *)pytree__array_new(size, 1, pytree__allocator(m->opt), m->err);
    }
    if (old != NULL) { pytree__td_move(m, k, places, old); }
    if (places != NULL) { pytree__array_free(places, n + 1, sizeof *places, pytree__allocator(m->opt)); }
    if (old == NULL) { return false; }
    pytree__array_free(old, size, 1, pytree__allocator(m->opt));
    for (i = 0; i < n; i++) {
        if (!pytree__td_add(&m->orders, &k->keys[i].at, sizeof k->keys[i].at, m->opt, m->err)) { return false; }
    }
    return pytree__td_add(&m->orders, &node, sizeof node, m->opt, m->err);
}

/* Append a node with keys, which are packed at the end of the static values from `names` on. They must be distinct; those of
 * a dict are sorted. Returns PYTREE_ARGUMENT, not reported yet, for a repeated key: *twice points to it. */
static pytree_status pytree__td_push_named(pytree__td_maker *m, const pytree_type *type, size_t n, size_t meta, size_t names,
                                           const unsigned char **twice)
{
    const unsigned char *at = n == 0 ? NULL : m->statics.at + names, *next;
    pytree_status status = PYTREE_OK;
    pytree_entry last, key;
    size_t i;
    bool sorted = true;
    for (i = 0; i < n && sorted; i++, at = next) {
        next = pytree__key_at(at, &key, NULL);
        sorted = i == 0 || (key.name == NULL ? (int64_t)last.index < (int64_t)key.index : strcmp(last.name, key.name) < 0);
        last = key;
    }
    if (!sorted) {
        pytree__td_keys k;
        if (!pytree__td_sort(&k, m->statics.at + names, n, m->opt, m->err)) { return PYTREE_NO_MEMORY; }
        for (i = 1; i < n && status == PYTREE_OK; i++) {
            if (pytree__by_key(&k.keys[i - 1], &k.keys[i]) == 0) {
                *twice = pytree__skip_keys(m->statics.at + names, k.keys[i].at);
                status = PYTREE_ARGUMENT;
            }
        }
        if (status == PYTREE_OK && pytree__traits(type)->order == PYTREE__ORDER_SORTED
            && !pytree__td_reorder(m, meta, names, &k)) {
            status = PYTREE_NO_MEMORY;
        }
        pytree__td_sort_free(&k, m->opt);
    }
    if (status == PYTREE_OK && !pytree__td_push(m, type, n, meta)) { status = PYTREE_NO_MEMORY; }
    return status;
}

#include "treedef_build.h"
#endif
