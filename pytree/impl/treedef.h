/* pytree/impl/treedef.h: treedefs: blocks, equality, hash, children, entries. */
#ifndef PYTREE_IMPL_TREEDEF_H
#define PYTREE_IMPL_TREEDEF_H

#include "internal.h"

/* Puts what a message calls a node: "list of 3", "Linear". Without a treedef a namedtuple is called that. */
static PYTREE__APART_CLANG void pytree__node_text(struct pytree__text_writer *to, const pytree_def *def,
                                                  const pytree_node *node)
{
    if (node->type == NULL) { pytree__put_text(to, "a leaf"); return; }
    if (pytree__traits(node->type)->meta == PYTREE__META_NAME && def != NULL) {
        size_t n;
        const char *name = pytree__string_at(def->statics + node->meta, &n);
        pytree__text_put(to, name, n);
    } else {
        pytree__put_text(to, pytree__origin(node->type)->name);
    }
    if (node->type->kind != PYTREE_KIND_STRUCT && node->type->kind != PYTREE_KIND_NONE) {
        pytree__put_text(to, " of ");
        pytree__put_number(to, node->arity);
    }
}

static bool pytree__same_node(const pytree_node *a, const pytree_node *b)
{
    return a->arity == b->arity
           && (a->type == b->type || (a->type != NULL && b->type != NULL && pytree_type_equal(a->type, b->type)));
}

pytree_def *pytree__def_block(size_t n_nodes, size_t n_statics, size_t n_orders, const char *space, size_t n_leaves,
                              const pytree_options *opt, pytree_error *err)
{
    const size_t name = space == NULL || *space == '\0' ? 0 : strlen(space) + 1;
    const size_t line = PYTREE__LAYOUTS ? 64 - 16 : 0;         /* so that nodes begin with a cache line */
    size_t head = pytree__round(sizeof(pytree_def), 16);
    size_t orders = pytree__plus(head, pytree__times(n_nodes, sizeof(pytree_node)));
    size_t names = pytree__plus(orders, pytree__times(n_orders, sizeof(uint32_t))), at = pytree__plus(names, name);
    size_t leaves = pytree__round(pytree__plus(at, n_statics), 16),
           bytes = pytree__plus(pytree__plus(leaves, pytree__times(n_leaves, sizeof(pytree_leaf))), line);
    char *block;
    pytree_def *def;
    if (n_nodes > UINT32_MAX || n_statics > UINT32_MAX) {
        pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected at most %lu nodes and bytes of static values, got %zu and %zu",
                    (unsigned long)UINT32_MAX, n_nodes, n_statics);
        return NULL;
    }
    block = bytes == SIZE_MAX ? NULL : (char *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (block == NULL) { pytree__no_memory(err, bytes); return NULL; }
    def = (pytree_def *)(void *)block;
    block += (0 - (uintptr_t)block - head) & line;
    def->n_nodes = n_nodes;
    def->n_statics = n_statics;
    def->n_orders = n_orders;
    def->n_leaves = 0;
    def->nodes = (const pytree_node *)(const void *)(block + head);
    def->orders = (const uint32_t *)(const void *)(block + orders);
    def->space = NULL;
    if (name != 0) {
        memcpy(block + names, space, name);
        def->space = block + names;
    }
    def->statics = (const unsigned char *)block + at;
    def->none_is_leaf = opt != NULL && opt->none_is_leaf;
    def->of_flat = def->shares = def->by_rows = false;
    def->allocator = pytree__allocator(opt);
    def->bytes = bytes;
    if (PYTREE__MORE_ROWS) { def->given = NULL; }
    return def;
}

/* Returns the leaves that follow a treedef in its block. */
static pytree_leaf *pytree__def_leaves(const pytree_def *def)
{
    return (
        pytree_leaf *)(void *)((char *)(uintptr_t)def
                               + pytree__round((size_t)((const char *)def->statics - (const char *)def) + def->n_statics, 16));
}

PYTREE__APART_CLANG void pytree_def_free(pytree_def *def)
{
    if (def == NULL) { return; }
    if (PYTREE__MORE_ROWS && PYTREE__UNLIKELY(def->given != NULL)) { pytree__given_free(def->given, def->allocator); }
    pytree__resize(def->allocator, def, def->bytes, 0);
}

static void *pytree__no_def(pytree_error *err)
{
    pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef, got NULL");
    return NULL;
}

pytree_def *pytree_def_copy(const pytree_def *def, const pytree_options *opt, pytree_error *err)
{
    pytree_def *copy;
    if (def == NULL) { return (pytree_def *)pytree__no_def(err); }
    copy = pytree__def_block(def->n_nodes, def->n_statics, def->n_orders, def->space, 0, opt, err);
    if (copy != NULL) {
        memcpy((void *)(uintptr_t)copy->orders, def->orders, def->n_orders * sizeof *def->orders);
        memcpy((void *)(uintptr_t)copy->nodes, def->nodes, def->n_nodes * sizeof *def->nodes);
        memcpy((void *)(uintptr_t)copy->statics, def->statics, def->n_statics);
        copy->n_leaves = def->n_leaves;
        copy->none_is_leaf = def->none_is_leaf;
        copy->shares = def->shares;
        copy->by_rows = def->by_rows;
    }
    return copy;
}

bool pytree_def_equal(const pytree_def *a, const pytree_def *b)
{
    size_t i;
    if (a == b) { return true; }
    if (a->n_nodes != b->n_nodes || a->n_leaves != b->n_leaves || a->n_statics != b->n_statics
        || a->none_is_leaf != b->none_is_leaf || !pytree__same_string(a->space, b->space)
        || memcmp(a->statics, b->statics, a->n_statics) != 0) {
        return false;
    }
    if (memcmp(a->nodes, b->nodes, a->n_nodes * sizeof *a->nodes) == 0) { return true; }
    for (i = 0; i < a->n_nodes; i++) {    /* the types may be descriptors of two files */
        const pytree_node *m = &a->nodes[i], *n = &b->nodes[i];
        if (m->leaves != n->leaves || m->nodes != n->nodes || !pytree__same_node(m, n)) { return false; }
    }
    return true;
}

static uint64_t pytree__mix(uint64_t h, uint64_t v)
{
    h = (h ^ v) * UINT64_C(0x9E3779B97F4A7C15);
    return h ^ h >> 32;
}

static uint64_t pytree__hash_bytes(uint64_t h, const void *p, size_t n)
{
    const unsigned char *at = (const unsigned char *)p;
    uint64_t word, words[4], lanes[4] = { h, 1, 2, 3 };
    size_t i;
    if (n >= sizeof words) {              /* in four lanes: a multiplication need not wait for the one before it */
        for (; n >= sizeof words; n -= sizeof words, at += sizeof words) {
            memcpy(words, at, sizeof words);
            for (i = 0; i < 4; i++) { lanes[i] = pytree__mix(lanes[i], words[i]); }
        }
        for (h = lanes[0], i = 1; i < 4; i++) { h = pytree__mix(h, lanes[i]); }
    }
    for (; n >= sizeof word; n -= sizeof word, at += sizeof word) {
        memcpy(&word, at, sizeof word);
        h = pytree__mix(h, word);
    }
    word = 0;
    if (n != 0) { memcpy(&word, at, n); }
    return pytree__mix(h, word ^ (uint64_t)n << 56);
}

uint64_t pytree_def_hash(const pytree_def *def)
{
    uint64_t h = pytree__hash_bytes(def->none_is_leaf, def->statics, def->n_statics);
    struct { const pytree_type *type; uint64_t name; } known[PYTREE__TYPE_SLOTS]; /* hashed already */
    uint64_t leaves = 0;
    size_t i;
    pytree__clear(known, sizeof known);
    for (i = 0; i < def->n_nodes; i++) {
        const pytree_node *node = &def->nodes[i];
        size_t at, probes;
        if (node->type == NULL) { leaves++; continue; }
        at = pytree__type_slot(node->type);
        for (probes = 0; known[at].type != node->type && known[at].type != NULL && probes < PYTREE__TYPE_SLOTS; probes++) {
            at = (at + 1) % PYTREE__TYPE_SLOTS;
        }
        if (known[at].type != node->type) {                    /* by name: each file has its own descriptor */
            const char *s = pytree__origin(node->type)->name;
            known[at].type = node->type;
            known[at].name = pytree__hash_bytes(node->type->kind, s, strlen(s));
        }
        h = pytree__mix(h, known[at].name + (leaves << 32) + node->arity);
        leaves = 0;
    }
    return pytree__mix(h, leaves);
}

static size_t pytree__child_at(const pytree_def *def, size_t node, size_t i)
{
    size_t at = node - 1, k = def->nodes[node].arity;
    while (--k > i) { at -= def->nodes[at].nodes; }
    return at;
}

/* Turns the number of a child, negative from the end, into its index. Returns false with an error if there is none. */
static PYTREE__APART_CLANG bool pytree__check_child_index(const pytree_def *def, ptrdiff_t *i, pytree_error *err)
{
    ptrdiff_t n, at;
    if (def == NULL) { return pytree__no_def(err) != NULL; }
    n = (ptrdiff_t)pytree_def_num_children(def);
    at = *i < 0 ? *i + n : *i;
    if (at < 0 || at >= n) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the number of one of %lld children, got %lld", (long long)n,
                    (long long)*i);
        return false;
    }
    *i = at;
    return true;
}

static bool pytree__has_meta(const pytree_node *node) { return node->type != NULL && node->type->kind != PYTREE_KIND_NONE; }

/* Could a namespace exchange the node's type? */
static bool pytree__namespaced(const pytree_node *node) { return pytree__traits(node->type)->registered; }

/* Finds the orders of the nodes from `first` to `last`. Returns the first entry; *n is their number. */
static PYTREE__APART_CLANG const uint32_t *pytree__orders_of(const pytree_def *def, size_t first, size_t last, size_t *n)
{
    size_t end = def->n_orders, begin;
    while (end != 0 && def->orders[end - 1] > last) { end -= 1 + def->nodes[def->orders[end - 1]].arity; }
    begin = end;
    while (begin != 0 && def->orders[begin - 1] >= first) { begin -= 1 + def->nodes[def->orders[begin - 1]].arity; }
    *n = end - begin;
    return def->orders + begin;
}

/* Copies orders and renumbers their nodes: node `base` becomes the first of `nodes`. */
static void pytree__move_orders(uint32_t *to, const pytree_node *nodes, const uint32_t *orders, size_t n, uint32_t base)
{
    memcpy(to, orders, n * sizeof *to);
    while (n != 0) {
        to[n - 1] -= base;
        n -= 1 + nodes[to[n - 1]].arity;
    }
}

pytree_def *pytree_def_child(const pytree_def *def, ptrdiff_t i, const pytree_options *opt, pytree_error *err)
{
    pytree_def *child;
    const uint32_t *orders;
    size_t at, first, from, to, k, n_orders;
    if (!pytree__check_child_index(def, &i, err)) { return NULL; }
    at = pytree__child_at(def, def->n_nodes - 1, (size_t)i);
    first = at + 1 - def->nodes[at].nodes;
    for (k = first; k < at && !pytree__has_meta(&def->nodes[k]); k++) {}
    from = pytree__has_meta(&def->nodes[k]) ? def->nodes[k].meta : 0;     /* of the first node that has statics */
    to = pytree__has_meta(&def->nodes[at]) ? def->nodes[at].meta + pytree__statics_size(def, at) : from;
    orders = pytree__orders_of(def, first, at, &n_orders);
    for (k = first; k <= at && !pytree__namespaced(&def->nodes[k]); k++) {}
    child = pytree__def_block(at + 1 - first, to - from, n_orders, k <= at ? def->space : NULL, 0, opt, err);
    if (child != NULL) {
        pytree_node *nodes = (pytree_node *)(uintptr_t)child->nodes;
        memcpy(nodes, def->nodes + first, child->n_nodes * sizeof *nodes);
        pytree__move_orders((uint32_t *)(uintptr_t)child->orders, nodes, orders, n_orders, (uint32_t)first);
        for (k = 0; k < child->n_nodes; k++) {
            if (pytree__has_meta(&nodes[k])) { nodes[k].meta -= (uint32_t)from; }
        }
        memcpy((void *)(uintptr_t)child->statics, def->statics + from, to - from);
        child->n_leaves = def->nodes[at].leaves;
        child->none_is_leaf = def->none_is_leaf;
        child->shares = def->shares;
    }
    return child;
}

/* Gets the entry of child i, whose key is at `at`. Returns where the next key is. */
static PYTREE__APART_CLANG const unsigned char *pytree__next_key(const pytree_node *node, const unsigned char *at, size_t i,
                                                                 pytree_entry *entry)
{
    const struct pytree__kind_traits *const traits = pytree__traits(node->type);
    entry->kind = (pytree_entry_kind)traits->entry;
    entry->name = NULL;
    entry->index = i;
    if (at == NULL) { return NULL; }
    if (traits->keys == PYTREE__KEYS_CUSTOM) {                 /* each with its own kind */
        const pytree_entry_kind kind = (pytree_entry_kind)*at;
        at = pytree__key_at(at + 1, entry, NULL);
        entry->kind = kind;
    } else {
        at = pytree__key_at(at, entry, NULL);
        if (entry->kind == PYTREE_KEY) { entry->kind = (pytree_entry_kind)traits->entry; }
    }
    return at;
}

/* Returns where pytree__next_key begins; NULL if the node's children have no packed keys. */
static PYTREE__APART_CLANG const unsigned char *pytree__first_key(const pytree_def *def, size_t at)
{
    const unsigned keys = pytree__traits(def->nodes[at].type)->keys;
    const unsigned char *first;
    if (keys != PYTREE__KEYS_PACKED && keys != PYTREE__KEYS_CUSTOM) { return NULL; }
    first = pytree__keys_of(def, at);
    if (keys == PYTREE__KEYS_CUSTOM) { return *first == 0 ? NULL : first + 1; }
    return first;
}

PYTREE__APART_CLANG void pytree__def_entry_at(const pytree_def *def, size_t at, size_t i, pytree_entry *entry)
{
    const pytree_node *node = &def->nodes[at];
    const struct pytree__kind_traits *const traits = pytree__traits(node->type);
    const unsigned char *key = PYTREE__CONTAINERS ? pytree__first_key(def, at) : NULL;
    size_t k;
    for (k = 0; k < i && key != NULL; k++) { key = pytree__skip_keys(key + (traits->keys == PYTREE__KEYS_CUSTOM), 1); }
    pytree__next_key(node, key, i, entry);
    if (traits->keys == PYTREE__KEYS_ROWS) {
        const pytree_field *row = pytree__origin(node->type)->fields;
        for (; row->row != PYTREE_ROW_DATA || i-- != 0; row++) {}
        entry->name = row->name;
    }
}

pytree_status pytree_def_entry(const pytree_def *def, ptrdiff_t i, pytree_entry *entry, pytree_error *err)
{
    if (!pytree__check_child_index(def, &i, err)) { return PYTREE_ARGUMENT; }
    pytree__def_entry_at(def, def->n_nodes - 1, (size_t)i, entry);
    return PYTREE_OK;
}

pytree_kind pytree_def_kind(const pytree_def *def)
{
    const pytree_type *type = def->nodes[def->n_nodes - 1].type;
    return type == NULL ? PYTREE_KIND_LEAF : type->kind;
}

const char *pytree_def_type_name(const pytree_def *def)
{
    const pytree_node *root = &def->nodes[def->n_nodes - 1];
    if (root->type == NULL) { return "*"; }
    if (pytree__traits(root->type)->meta == PYTREE__META_NAME) { return pytree__string_at(def->statics + root->meta, NULL); }
    return pytree__origin(root->type)->name;
}

bool pytree_def_is_leaf(const pytree_def *def) { return def->n_nodes == 1 && def->nodes[0].type == NULL; }

static pytree_status pytree__leaf_counts(const pytree_def *def, size_t n, const pytree_leaf *leaves, pytree_error *err)
{
    if (def == NULL || (leaves == NULL && n != 0)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a treedef and leaves, got NULL");
    }
    if (n == def->n_leaves) { return PYTREE_OK; }
    return pytree_fail(err, n < def->n_leaves ? PYTREE_TOO_FEW_LEAVES : PYTREE_TOO_MANY_LEAVES, NULL,
                       "expected %zu leaves, got %zu", def->n_leaves, n);
}

/* Checks that the caller's leaves are leaves. Called before the first one that pytree__fit has not compared is used. */
static PYTREE__APART_CLANG pytree_status pytree__given_leaves(size_t n, const pytree_leaf *leaves, pytree_error *err)
{
    size_t i;
    for (i = 0; i < n; i++) {
        if (leaves[i].form == PYTREE_FORM_NONE) { continue; }
        if (leaves[i].type == NULL || (unsigned)leaves[i].ndim > PYTREE_MAX_DIMS) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a type and 0 to %d dimensions for leaf %zu, got %s and %d",
                               PYTREE_MAX_DIMS, i, leaves[i].type == NULL ? "no type" : leaves[i].type->name, leaves[i].ndim);
        }
    }
    return PYTREE_OK;
}

static PYTREE__APART_CLANG bool pytree__same_entry(const pytree_entry *a, const pytree_entry *b)
{
    if (a->kind != b->kind) { return false; }
    return a->kind == PYTREE_ATTRIBUTE || a->kind == PYTREE_KEY ? strcmp(a->name, b->name) == 0 : a->index == b->index;
}

/* Writes the key path of a treedef's node: from the root down, each time to the child whose subtree holds it. */
static void pytree__node_path(const pytree_def *def, size_t node, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    size_t at = def->n_nodes - 1;
    bool first = true;
    while (at != node) {
        size_t child = at - 1, i = def->nodes[at].arity - 1;
        pytree_entry entry;
        for (; child - def->nodes[child].nodes >= node && child >= def->nodes[child].nodes; i--) {
            child -= def->nodes[child].nodes;
        }
        pytree__def_entry_at(def, at, i, &entry);
        pytree__put_entry(&to, &entry, NULL, first);
        first = false;
        at = child;
    }
    pytree__end_text(&to, n);
}
#endif
