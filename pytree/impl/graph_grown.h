/* pytree/impl/graph_grown.h: flatten of objects that own all they have, in one pass. */
#ifndef PYTREE_IMPL_GRAPH_GROWN_H
#define PYTREE_IMPL_GRAPH_GROWN_H

#include "graph_walk.h"

/* A container owns a value once, and what it owns leads nowhere else: so nothing in a tree of objects is shared unless an
 * object refers to a value that it does not own. Such a tree, and one with any other node in it, is left to the cursor. */

/* An open object. */
struct pytree__grown_frame {
    const pytree_type *type;
    const void *self;
    size_t next, count;
    size_t nodes, leaves, keys;           /* how many there were when it was opened; bytes of keys */
};

struct pytree__grown_pass {
    pytree__td_maker nodes;
    struct pytree__vector frames, leaves; /* of pytree__grown_frame; of pytree: what is held */
    pytree__td_bytes keys;                /* of the children of open objects, packed */
    unsigned char plain[24];              /* what a variable without metadata packs: `.value` is its key */
    size_t plain_bytes;
    const pytree_options *opt;
    pytree_error *err;
    bool fits;                            /* all so far is owned */
};

/* Make room for three times as much as there is: objects come in hundreds, and what grows little by little is copied often. */
static PYTREE__NOINLINE bool pytree__grown_room(struct pytree__grown_pass *g)
{
    const size_t bytes = 3 * g->nodes.statics.n;
    if (!pytree__td_reserve(&g->nodes, 3 * g->nodes.n_nodes + 1)) { return false; }
    if (pytree__td_room(&g->nodes.statics, bytes, g->opt, g->err) == NULL) { return false; }
    g->nodes.statics.n -= bytes;
    return true;
}

/* Append a node with n children, which began at node `first` and leaf `leaf`. */
PYTREE__INLINE bool pytree__grown_push(struct pytree__grown_pass *g, const pytree_type *type, size_t n, size_t first,
                                       size_t leaf, size_t meta)
{
    pytree_node *node;
    if (g->nodes.n_nodes == g->nodes.max_nodes && !pytree__grown_room(g)) { return false; }
    node = &g->nodes.nodes[g->nodes.n_nodes++];
    node->type = type;
    node->arity = (uint32_t)n;
    node->leaves = (uint32_t)(g->leaves.count - leaf);
    node->nodes = (uint32_t)(g->nodes.n_nodes - first);
    node->meta = (uint32_t)meta;
    return true;
}

/* Append the metadata of a custom node: bytes with their length, and whether its children have keys. */
static bool pytree__grown_metadata(struct pytree__grown_pass *g, const void *from, size_t n, bool keyed)
{
    const uint32_t bytes = (uint32_t)n;
    unsigned char *const to = pytree__td_room(&g->nodes.statics, sizeof bytes + n + 1, g->opt, g->err);
    if (to == NULL) { return false; }
    memcpy(to, &bytes, sizeof bytes);
    if (n != 0) { memcpy(to + sizeof bytes, from, n); }
    to[sizeof bytes + n] = keyed;
    return true;
}

/* Append a key to bytes. */
static bool pytree__grown_key(struct pytree__grown_pass *g, pytree__td_bytes *to, const char *name, size_t i)
{
    const int64_t number = (int64_t)i;
    const size_t n = name == NULL ? sizeof number : strlen(name) + 1;
    const uint32_t size = name == NULL ? PYTREE__NUMBER_KEY : (uint32_t)n;
    unsigned char *const at = pytree__td_room(to, 1 + sizeof size + n, g->opt, g->err);
    if (at == NULL) { return false; }
    *at = name == NULL ? PYTREE_INDEX : PYTREE_ATTRIBUTE;
    memcpy(at + 1, &size, sizeof size);
    memcpy(at + 1 + sizeof size, name == NULL ? (const char *)&number : name, n);
    return true;
}

/* Make the view of a leaf that is held as a pytree. */
static void pytree__grown_view(pytree held, pytree_leaf *to)
{
    if (held.type->kind == PYTREE_KIND_VIEW) { pytree__copy_view(to, (const pytree_leaf *)held.data); }
    else { pytree__view(to, pytree__origin(held.type), held.data); }
}

/* Append a leaf that is held as a pytree. Returns whether it is one that needs no check. */
static bool pytree__grown_leaf(struct pytree__grown_pass *g, pytree held)
{
    const pytree_leaf *const view = (const pytree_leaf *)held.data;
    pytree *to;
    if ((held.type->kind != PYTREE_KIND_LEAF || held.type->dtype == PYTREE_STRING || held.data == NULL)
        && (held.type->kind != PYTREE_KIND_VIEW || view == NULL || view->form != PYTREE_FORM_LEAF || view->type == NULL
            || view->type->kind != PYTREE_KIND_LEAF || !pytree__view_is_valid(view))) {
        g->fits = false;
        return false;
    }
    to = (pytree *)pytree__vector_add(&g->leaves, 1, g->err);
    if (to == NULL) { return false; }
    *to = held;
    return pytree__grown_push(g, NULL, 0, g->nodes.n_nodes, g->leaves.count - 1, 0);
}

/* Append a static value: its literal is its metadata. */
static bool pytree__grown_static(struct pytree__grown_pass *g, const struct pytree__grown *child)
{
    const pytree_custom *const custom = child->value.type->custom;
    const size_t meta = g->nodes.statics.n;
    char few[64];
    size_t n = child->bytes;
    if (n == 0) {
        n = custom->metadata(child->value.data, NULL);
        if (n <= sizeof few) { n = custom->metadata(child->value.data, few); }
        if (n - 1 >= sizeof few) { g->fits = false; return false; }            /* also where there was no memory (0) */
    }
    return pytree__grown_metadata(g, child->bytes == 0 ? few : child->literal, n, false)
        && pytree__grown_push(g, child->value.type, 0, g->nodes.n_nodes, g->leaves.count, meta);
}

/* Append a list or tuple of leaves. */
static bool pytree__grown_items(struct pytree__grown_pass *g, const struct pytree__grown *child)
{
    const size_t first = g->nodes.n_nodes, leaf = g->leaves.count;
    size_t i;
    for (i = 0; i < child->n && pytree__grown_leaf(g, child->items[i]); i++) {}
    return i == child->n && pytree__grown_push(g, child->held.type, i, first, leaf, g->nodes.statics.n);
}

/* Append what a variable packs. */
static bool pytree__grown_described(struct pytree__grown_pass *g, const char *metadata)
{
    return pytree__grown_metadata(g, metadata, metadata == NULL ? 0 : strlen(metadata) + 1, true)
        && pytree__grown_key(g, &g->nodes.statics, "value", 0);
}

/* Prepare what most variables pack. */
static bool pytree__grown_plain(struct pytree__grown_pass *g)
{
    if (!pytree__grown_described(g, NULL)) { return false; }
    g->plain_bytes = g->nodes.statics.n;
    memcpy(g->plain, g->nodes.statics.at, g->plain_bytes);
    g->nodes.statics.n = 0;
    return true;
}

static bool pytree__grown_variable(struct pytree__grown_pass *g, const struct pytree__grown *child)
{
    const size_t first = g->nodes.n_nodes, leaf = g->leaves.count;
    size_t meta;
    if (!(child->items != NULL ? pytree__grown_items(g, child) : pytree__grown_leaf(g, child->held))) { return false; }
    meta = g->nodes.statics.n;
    return (child->metadata != NULL ? pytree__grown_described(g, child->metadata)
                                    : pytree__td_add(&g->nodes.statics, g->plain, g->plain_bytes, g->opt, g->err))
        && pytree__grown_push(g, pytree__origin(child->value.type), 1, first, leaf, meta);
}

/* Open an object. */
static bool pytree__grown_open(struct pytree__grown_pass *g, pytree t)
{
    struct pytree__grown_frame *f;
    const pytree_type *const type = pytree__origin(t.type);
    const struct pytree__growing *const growing = type->custom == NULL ? NULL : type->custom->growing;
    const size_t n = growing == NULL || growing->count == NULL || t.data == NULL ? SIZE_MAX : growing->count(t.data);
    if (n >= UINT32_MAX) { g->fits = false; return false; }
    f = (struct pytree__grown_frame *)pytree__vector_add(&g->frames, 1, g->err);
    if (f == NULL) { return false; }
    f->type = type;
    f->self = t.data;
    f->next = 0;
    f->count = n;
    f->nodes = g->nodes.n_nodes;
    f->leaves = g->leaves.count;
    f->keys = g->keys.n;
    return true;
}

/* Append the object on top, whose children are done. */
static bool pytree__grown_close(struct pytree__grown_pass *g)
{
    const struct pytree__grown_frame *const f = (const struct pytree__grown_frame *)g->frames.data + --g->frames.count;
    const size_t meta = g->nodes.statics.n, bytes = g->keys.n - f->keys;
    g->keys.n = f->keys;
    return pytree__grown_metadata(g, NULL, 0, true)
        && (bytes == 0 || pytree__td_add(&g->nodes.statics, g->keys.at + f->keys, bytes, g->opt, g->err))
        && pytree__grown_push(g, f->type, f->count, f->nodes, f->leaves, meta);
}

/* Go one step on. Returns false on an error, or if the tree is left to the cursor. */
static bool pytree__grown_step(struct pytree__grown_pass *g)
{
    struct pytree__grown_frame *const f = (struct pytree__grown_frame *)g->frames.data + (g->frames.count - 1);
    struct pytree__grown child;
    size_t i = f->next;
    if (i == f->count) { return pytree__grown_close(g); }
    f->next++;
    f->type->custom->growing->child(f->self, i, &child);
    if (!pytree__grown_key(g, &g->keys, child.name, i)) { return false; }
    switch (child.what) {
    case PYTREE__GROWN_STATIC: return pytree__grown_static(g, &child);
    case PYTREE__GROWN_NODE: return pytree__grown_open(g, child.value);
    case PYTREE__GROWN_LEAF: return pytree__grown_leaf(g, child.value);
    case PYTREE__GROWN_VARIABLE: return pytree__grown_variable(g, &child);
    default: g->fits = false; return false;
    }
}

/* Flatten a tree into one block, if it is an object that owns all it has. Otherwise *fits becomes false, without an error. */
static pytree_flat pytree__grown_flat(pytree t, bool *fits, const pytree_options *opt, pytree_error *err)
{
    struct pytree__grown_pass g;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    size_t i;
    bool good;
    g.frames = pytree__vector_of(sizeof(struct pytree__grown_frame), pytree__allocator(opt));
    g.leaves = pytree__vector_of(sizeof(pytree), pytree__allocator(opt));
    memset(&g.keys, 0, sizeof g.keys);
    g.opt = opt;
    g.err = err;
    g.fits = t.type != NULL && pytree__plain_walk(opt) && (opt == NULL || !opt->none_is_leaf);
    pytree__td_begin(&g.nodes, opt, err);
    good = g.fits && pytree__grown_open(&g, t) && pytree__grown_plain(&g);
    while (good && g.frames.count != 0) { good = pytree__grown_step(&g); }
    def = pytree__td_finish_with(&g.nodes, false, g.leaves.count, good);
    if (def != NULL) { leaves = pytree__def_leaves(def); }
    for (i = 0; def != NULL && i < g.leaves.count; i++) { pytree__grown_view(((const pytree *)g.leaves.data)[i], &leaves[i]); }
    pytree__vector_free(&g.frames);
    pytree__vector_free(&g.leaves);
    pytree__array_free(g.keys.at, g.keys.max, 1, pytree__allocator(opt));
    *fits = g.fits;
    return pytree__alg_flat(def, leaves);
}

#include "graph.h"
#endif
