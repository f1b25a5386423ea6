/* pytree/impl/flat.h: flats: a treedef and views in one block, and the nodes of treedefs. */
#ifndef PYTREE_IMPL_FLAT_H
#define PYTREE_IMPL_FLAT_H

#include "internal.h"
#include "../algebra.h"
#include "treedef_nodes.h"

/* ---- Flats --------------------------------------------------------------------------------------------------------- */

void pytree_flat_free(pytree_flat *flat)
{
    if (flat == NULL) { return; }
    pytree_def_free((pytree_def *)(uintptr_t)flat->def);       /* the leaves are in its block */
    flat->def = NULL;
    flat->leaves = NULL;
}

static pytree_flat pytree__alg_flat(const pytree_def *def, const pytree_leaf *leaves)
{
    pytree_flat flat;
    flat.def = def;
    flat.leaves = def == NULL ? NULL : leaves;
    return flat;
}

/* Write the same view n times. */
static void pytree__alg_fill(pytree_leaf *to, size_t n, const pytree_leaf *from)
{
    size_t i;
    if (from->ndim == 0 && from->form <= PYTREE_FORM_NONE) {               /* an axis, a flag: no extents */
        for (i = 0; i < n; i++) { memcpy(&to[i], from, offsetof(pytree_leaf, shape)); }
    } else {
        for (i = 0; i < n; i++) { pytree__copy_view(&to[i], from); }
    }
}

/* Copy a treedef into a block that also has room for its leaves, and for `more` bytes after them. */
static pytree_def *pytree__alg_copy(const pytree_def *def, size_t more, pytree_leaf **leaves, const pytree_options *opt,
                                    pytree_error *err)
{
    size_t room = pytree__plus(def->n_leaves, more / sizeof **leaves + (more != 0));
    pytree_def *copy = pytree__def_block(def->n_nodes, def->n_statics, def->n_orders, def->space, room, opt, err);
    if (copy == NULL) { return NULL; }
    memcpy((void *)(uintptr_t)copy->nodes, def->nodes, def->n_nodes * sizeof *def->nodes);
    if (def->n_statics != 0) { memcpy((void *)(uintptr_t)copy->statics, def->statics, def->n_statics); }
    if (def->n_orders != 0) { memcpy((void *)(uintptr_t)copy->orders, def->orders, def->n_orders * sizeof *def->orders); }
    copy->n_leaves = def->n_leaves;
    copy->none_is_leaf = def->none_is_leaf;
    copy->shares = def->shares;
    *leaves = pytree__def_leaves(copy);
    return copy;
}

/* Return the options with another none_is_leaf. */
static pytree_options pytree__alg_options(const pytree_options *opt, bool none_is_leaf)
{
    pytree_options mine;
    memset(&mine, 0, sizeof mine);
    if (opt != NULL) { mine = *opt; }
    mine.none_is_leaf = none_is_leaf;
    return mine;
}

/* Compare subtrees, which a predicate has made leaves. Returns PYTREE_OK if they are equal, PYTREE_VALUE if not; fails if
 * memory runs out. */
static pytree_status pytree__alg_compare_subtrees(const pytree_leaf *x, const pytree_leaf *y, const pytree_tolerance *tolerance,
                                                  const pytree_options *opt, pytree_error *err)
{
    pytree_options plain = pytree__alg_options(opt, false);
    pytree_error why;
    plain.is_leaf = NULL;
    why.status = PYTREE_OK;
    if (pytree_equal(pytree_of_view(x), pytree_of_view(y), tolerance, &plain, &why)) { return PYTREE_OK; }
    if (why.status != PYTREE_NO_MEMORY) { return PYTREE_VALUE; }
    return pytree_fail(err, PYTREE_NO_MEMORY, NULL, "%s", why.message);
}

static pytree_kind pytree__alg_kind(const pytree_node *node)
{
    return node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
}

/* Number of None nodes that become leaves, and of None leaves that become nodes, when a flat is flattened. */
struct pytree__alg_nones {
    size_t added, removed;
};

/* Return the pytree_flat of a tree, if it can be flattened without a walk: its leaves are leaves or None, and neither is_leaf
 * nor a namespace applies. Otherwise return NULL. *nones says whether None changes between leaf and node; if so, every view
 * must be valid, because the walk that would check it is skipped. */
static const pytree_flat *pytree__alg_as_flat(pytree t, const pytree_options *opt, struct pytree__alg_nones *nones)
{
    const pytree_flat *flat = (const pytree_flat *)t.data;
    const bool none_is_leaf = opt != NULL && opt->none_is_leaf;
    size_t i;
    nones->added = nones->removed = 0;
    if (t.type != &pytree_types[PYTREE__T_flat] || flat == NULL || flat->def == NULL || flat->leaves == NULL
        || flat->def->space != NULL || !pytree__plain_walk(opt)) {
        return NULL;
    }
    for (i = 0; none_is_leaf && !flat->def->none_is_leaf && i < flat->def->n_nodes; i++) {
        nones->added += pytree__alg_kind(&flat->def->nodes[i]) == PYTREE_KIND_NONE;
    }
    for (i = 0; i < flat->def->n_leaves; i++) {
        if (flat->leaves[i].form == PYTREE_FORM_LEAF) { continue; }
        if (flat->leaves[i].form != PYTREE_FORM_NONE) { return NULL; }
        nones->removed += !none_is_leaf;
    }
    for (i = 0; nones->added + nones->removed != 0 && i < flat->def->n_leaves; i++) {
        const pytree_leaf *view = &flat->leaves[i];
        if (view->form == PYTREE_FORM_LEAF && (view->type == NULL || !pytree__view_is_valid(view))) { return NULL; }
    }
    return flat;
}

/* Make None a leaf or a node throughout a treedef. `from` holds its leaves; `to` receives the new ones: an array with room
 * for them, or `from` itself if no leaf is added. */
static void pytree__alg_change_nones(pytree_def *def, const pytree_leaf *from, pytree_leaf *to, bool none_is_leaf)
{
    const pytree_node leaf = { NULL, 0, 1, 1, 0 }, none = { &pytree_types[PYTREE__T_none], 0, 0, 1, 0 };
    pytree_node *nodes = (pytree_node *)(uintptr_t)def->nodes;
    size_t i, n = 0;
    for (i = 0; i < def->n_nodes; i++) {
        pytree_node *node = &nodes[i];
        if (node->type == NULL) {
            if (from->form == PYTREE_FORM_NONE && !none_is_leaf) {
                *node = none;
            } else {
                if (&to[n] != from) { pytree__copy_view(&to[n], from); }
                n++;
            }
            from++;
        } else if (node->type->kind == PYTREE_KIND_NONE) {
            if (!none_is_leaf) { continue; }
            *node = leaf;
            pytree__none_view(&to[n++]);
        } else {
            size_t child = i, k;
            node->leaves = 0;
            for (k = node->arity; k != 0; k--) {
                node->leaves += nodes[child - 1].leaves;
                child -= nodes[child - 1].nodes;
            }
        }
    }
    def->n_leaves = n;
    def->none_is_leaf = none_is_leaf;
}

/* Flatten a tree into one block: treedef, then leaves. */
static pytree_flat pytree__alg_flatten(pytree t, const pytree_options *opt, pytree_error *err)
{
    const bool none_is_leaf = opt != NULL && opt->none_is_leaf;
    struct pytree__alg_nones nones;
    const pytree_flat *flat = pytree__alg_as_flat(t, opt, &nones);
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    size_t i;
    if (flat == NULL) {
        (void)pytree_flatten(t, &leaves, 0, &def, opt, err);
        return pytree__alg_flat(def, leaves);
    }
    def = pytree__alg_copy(flat->def, nones.added * sizeof *leaves, &leaves, opt, err);
    if (def == NULL) {
    } else if (nones.added + nones.removed != 0) {
        pytree__alg_change_nones(def, flat->leaves, leaves, none_is_leaf);
    } else {
        def->none_is_leaf = none_is_leaf;
        for (i = 0; i < def->n_leaves; i++) { pytree__copy_view(&leaves[i], &flat->leaves[i]); }
    }
    return pytree__alg_flat(def, leaves);
}

/* Options for walks over flats that were just made: is_leaf is called only for the values at their leaves. It has already
 * answered for their nodes, and views of those must not get into a result. */
struct pytree__alg_asked {
    const pytree_options *opt;
    const pytree_flat *flats;
    size_t n;
};

static bool pytree__alg_ask(void *context, const pytree_leaf *value, const pytree_path *path)
{
    const struct pytree__alg_asked *asked = (const struct pytree__alg_asked *)context;
    size_t i;
    for (i = 0; value->form == PYTREE_FORM_FLAT && i < asked->n; i++) {
        if (value->data == (const void *)&asked->flats[i]) { return false; }
    }
    return asked->opt->is_leaf(asked->opt->is_leaf_context, value, path);
}

/* Return the options for such a walk. */
static pytree_options pytree__alg_asking(struct pytree__alg_asked *asked, size_t n, const pytree_flat *flats,
                                         const pytree_options *opt)
{
    pytree_options mine = pytree__alg_options(opt, opt != NULL && opt->none_is_leaf);
    asked->opt = opt;
    asked->flats = flats;
    asked->n = n;
    if (mine.is_leaf != NULL) {
        mine.is_leaf = pytree__alg_ask;
        mine.is_leaf_context = asked;
    }
    return mine;
}

/* Flatten a flat again whose leaves may be None or whole subtrees, as `opt` asks, and free the old one. Without subtrees it
 * is changed in place. */
static pytree_flat pytree__alg_settle(pytree_flat flat, const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_asked asked;
    struct pytree__alg_nones nones;
    const pytree_options mine = pytree__alg_asking(&asked, 1, &flat, opt);
    pytree t;
    pytree_flat settled;
    if (flat.def == NULL) { return flat; }
    t.type = &pytree_types[PYTREE__T_flat];
    t.data = &flat;
    if (pytree__alg_as_flat(t, &mine, &nones) != NULL && nones.added == 0) {
        pytree_leaf *leaves = (pytree_leaf *)(uintptr_t)flat.leaves;
        pytree__alg_change_nones((pytree_def *)(uintptr_t)flat.def, leaves, leaves, mine.none_is_leaf);
        return flat;
    }
    settled = pytree__alg_flatten(t, &mine, err);
    pytree_flat_free(&flat);
    return settled;
}

static pytree_status pytree__alg_argument(const char *what, pytree_error *err)
{
    return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %s, got NULL", what);
}

/* ---- Nodes of treedefs --------------------------------------------------------------------------------------------- */

static bool pytree__alg_keyed(const pytree_node *node) { return pytree__is_dict(node->type); }

/* Tell whether two nodes of equal type have the same keys and static values. The maximum length of a deque is ignored, as
 * optree does for prefixes. */
static bool pytree__alg_same_statics(const pytree_def *a, size_t i, const pytree_def *b, size_t j)
{
    const pytree_node *x = &a->nodes[i], *y = &b->nodes[j];
    size_t n;
    if (pytree__traits(x->type)->meta == PYTREE__META_MAXLEN) { return true; }
    n = pytree__statics_size(a, i);
    return n == pytree__statics_size(b, j) && (n == 0 || memcmp(a->statics + x->meta, b->statics + y->meta, n) == 0);
}

/* Compare two nodes like pytree__alg_same_statics, but without their keys. */
static bool pytree__alg_same_own(const pytree_def *a, size_t i, const pytree_def *b, size_t j)
{
    const unsigned char *p = a->statics + a->nodes[i].meta, *q = b->statics + b->nodes[j].meta;
    size_t n = (size_t)(pytree__keys_of(a, i) - p);
    return n == (size_t)(pytree__keys_of(b, j) - q) && (n == 0 || memcmp(p, q, n) == 0);
}

/* A child of a node: its key (of a dict) or index, its root node, and the number of leaves up to its end. */
struct pytree__alg_child {
    pytree_entry key;
    size_t node, leaf;
};

static int pytree__alg_order(const void *a, const void *b)
{
    const pytree_entry *x = &((const struct pytree__alg_child *)a)->key, *y = &((const struct pytree__alg_child *)b)->key;
    int64_t m = (int64_t)x->index, n = (int64_t)y->index;
    if (x->kind != y->kind) { return x->kind < y->kind ? -1 : 1; }
    return x->kind == PYTREE_KEY ? strcmp(x->name, y->name) : m < n ? -1 : m > n;
}

/* List the children of a node in visiting order. `leaf` is the number of leaves up to the end of the node. */
static void pytree__alg_list(const pytree_def *def, size_t node, size_t leaf, struct pytree__alg_child *children)
{
    size_t n = def->nodes[node].arity, i = n, end = node;
    while (i-- != 0) {
        const pytree_node *child = &def->nodes[end - 1];
        children[i].key.kind = PYTREE_INDEX;
        children[i].key.name = NULL;
        children[i].key.index = i;
        children[i].node = end - 1;
        children[i].leaf = leaf;
        leaf -= child->leaves;
        end -= child->nodes;
    }
    if (pytree__alg_keyed(&def->nodes[node])) {
        const unsigned char *at = pytree__keys_of(def, node);
        for (i = 0; i < n; i++) { at = pytree__key_at(at, &children[i].key, NULL); }
    }
}

/* List the children of a node in a new array, those of a dict sorted by key. */
static struct pytree__alg_child *pytree__alg_children(const pytree_def *def, size_t node, size_t leaf,
                                                      const pytree_options *opt, pytree_error *err)
{
    size_t n = def->nodes[node].arity, i;
    struct pytree__alg_child *children = (struct pytree__alg_child *)pytree__array_new(n, sizeof *children,
                                                                                       pytree__allocator(opt), err);
    if (children == NULL) { return NULL; }
    pytree__alg_list(def, node, leaf, children);
    for (i = 1; i < n && pytree__alg_order(&children[i - 1], &children[i]) < 0; i++) {}
    if (i < n) { qsort(children, n, sizeof *children, pytree__alg_order); }
    return children;
}

/* The children of two nodes. */
struct pytree__alg_both {
    struct pytree__alg_child *a, *b;
    size_t n_a, n_b;
};

static void pytree__alg_both_free(struct pytree__alg_both *both, const pytree_options *opt)
{
    pytree__array_free(both->a, both->n_a, sizeof *both->a, pytree__allocator(opt));
    pytree__array_free(both->b, both->n_b, sizeof *both->b, pytree__allocator(opt));
}

static bool pytree__alg_both_children(struct pytree__alg_both *both, const pytree_def *a, size_t i, size_t leaf_a,
                                      const pytree_def *b, size_t j, size_t leaf_b, const pytree_options *opt,
                                      pytree_error *err)
{
    both->n_a = a->nodes[i].arity;
    both->n_b = b->nodes[j].arity;
    both->b = NULL;
    both->a = pytree__alg_children(a, i, leaf_a, opt, err);
    if (both->a != NULL) { both->b = pytree__alg_children(b, j, leaf_b, opt, err); }
    if (both->b == NULL) { pytree__alg_both_free(both, opt); }
    return both->b != NULL;
}

/* Advance *i to the next child of a whose key b does not have; *j follows in b. Return false if there is none. */
static bool pytree__alg_only(const struct pytree__alg_child *a, size_t n_a, const struct pytree__alg_child *b, size_t n_b,
                             size_t *i, size_t *j)
{
    for (; *i < n_a; ++*i) {
        while (*j < n_b && pytree__alg_order(&b[*j], &a[*i]) < 0) { ++*j; }
        if (*j == n_b || pytree__alg_order(&b[*j], &a[*i]) != 0) { return true; }
    }
    return false;
}

static bool pytree__alg_same_keys(const struct pytree__alg_both *both)
{
    size_t i = 0, j = 0;
    return both->n_a == both->n_b && !pytree__alg_only(both->a, both->n_a, both->b, both->n_b, &i, &j);
}

#include "match.h"
#endif
