/* pytree/algebra.h: trees against trees: prefixes, transposition, stacks, parts, differences.
 *
 *     prefixes       pytree_broadcast_prefix, _broadcast_leaves, _flatten_up_to, _prefix_errors
 *     two or more    pytree_broadcast_common, _broadcast_map
 *     turned over    pytree_transpose, _transpose_map, _stack, _index
 *     parts          pytree_partition, _combine, _replace_none
 *     differences    pytree_diff
 *
 * A prefix is a tree whose leaves may stand for whole subtrees of another. That other tree, the full one, is given by its
 * treedef: one treedef serves many prefixes, and `opt` then speaks of the prefix alone, as is_leaf does in JAX. A tree of
 * axes, in which None is an entry of its own:
 *
 *     pytree_options axes_options = { .none_is_leaf = true };
 *     pytree_def *full = pytree_structure(argument, NULL, &err);
 *     pytree_broadcast_leaves(axes, full, entries, 16, "in_axes", &axes_options, &err);        // jax.vmap's in_axes
 *
 * What has other leaves than a struct could hold comes as a pytree_flat: a treedef and an array of views, in one block. It is a
 * tree like any other, PYTREE(&flat), and can be mapped, printed, compared, used as a prefix, taken apart again. Its views
 * borrow from the trees it was made of, which must outlive it, unless its function says that it has data of its own. On
 * failure its `def` is NULL and there is nothing to free; pytree_flat_free of it is fine.
 *
 * Nodes match as in JAX: the same type, number of children, keys, static values, and for an ordered dict the order of its keys.
 * pytree_broadcast_common and pytree_broadcast_map, which come from optree, also match dicts, ordered dicts and default dicts
 * with the same keys. Rules of pytree.h hold here too. A treedef of NULL is PYTREE_ARGUMENT, but where a function says
 * what it means. Nothing recurses.
 *
 * The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in the same file.
 */
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#elif !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED))
#include "../pytree.h"                    /* not there? include pytree.h first */
#endif
#include "treedef.h"                      /* compose, common suffix, the kinds of mismatch */

#ifndef PYTREE_ALGEBRA_H
#define PYTREE_ALGEBRA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Frees what a function below returned or filled in, and empties it. NULL and empty ones are fine. */
void pytree_flat_free(pytree_flat *flat);

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

/* A tree of full's structure in which each leaf is the prefix's that stands for it: jax.tree.broadcast,
 * optree.tree_broadcast_prefix. `label` is what messages call the prefix (NULL: "prefix"). Where it does not fit:
 * PYTREE_STRUCTURE with the path of the first mismatch, the nodes of both sides in words, and how many more there are.
 * Full's own None switch holds for full, opt's for the prefix. Two allocations, one of which is the result. O(nodes). */
pytree_flat pytree_broadcast_prefix(pytree prefix, const pytree_def *full, const char *label,
                                    const pytree_options *opt, pytree_error *err);

/* The same as one view for each leaf of full, in order: JAX's broadcast_prefix and flatten_axes. `leaves` is the caller's
 * array of `capacity` views (too small: PYTREE_TOO_MANY_LEAVES with both counts); it is left alone on failure. Where
 * opt->none_is_leaf is set a None of the prefix is an entry too, whose form is PYTREE_FORM_NONE. One allocation. */
pytree_status pytree_broadcast_leaves(pytree prefix, const pytree_def *full, pytree_leaf *leaves, size_t capacity,
                                      const char *label, const pytree_options *opt, pytree_error *err);

/* What stands in a tree where a treedef has leaves: PyTreeDef.flatten_up_to. subtrees[i] is a view of what is at leaf i, a
 * leaf or a whole subtree (pytree_of_view makes a tree of it again). `capacity` is the array's; there are def's number of
 * leaves. The treedef says whether None is a leaf and, unless opt does, which namespace holds; of opt only space and
 * allocator count. The first mismatch is a PYTREE_STRUCTURE error with its path; `subtrees` then holds nothing of use.
 * Below 256 nodes and 24 levels no allocation, otherwise one and the walker's. O(nodes of the treedef). */
pytree_status pytree_flatten_up_to(const pytree_def *def, pytree t, pytree_leaf *subtrees, size_t capacity,
                                   const pytree_options *opt, pytree_error *err);

/* One place where a prefix does not fit. */
typedef struct pytree_prefix_error {
    pytree_mismatch kind;
    const char *path;                     /* key path of the two nodes, empty for the roots */
    const char *prefix, *full;            /* what is there: "list of length 2", "Linear[(784, 128)]", "leaf" */
    size_t n_missing, n_extra;            /* keys of two dicts that only the prefix has, that only the full tree has */
    const pytree_entry *missing, *extra;  /* sorted */
    const char *message;                  /* "in_axes[1]: different keys: expected …, got … (missing 'k3'; extra 'k2')" */
} pytree_prefix_error;

typedef struct pytree_prefix_error_list {
    size_t n;                             /* 0: it is a prefix */
    const pytree_prefix_error *errors;    /* in visiting order */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_prefix_error_list;

/* Every mismatch: jax.tree_util's prefix_errors. Below a node that does not match nothing more is reported. Messages begin with
 * `label` (NULL: "prefix") and the path; of many keys they name eight and count the rest, and never show what is below a node.
 * NULL if memory ran out or the prefix cannot be walked. One block, freed with pytree_prefix_errors_free (NULL is fine).
 * O(nodes + length of what it says). */
pytree_prefix_error_list *pytree_prefix_errors(pytree prefix, const pytree_def *full, const char *label,
                                               const pytree_options *opt, pytree_error *err);
void pytree_prefix_errors_free(pytree_prefix_error_list *list);

/* The messages, one on each line: like snprintf, or to a file. Nothing for NULL. */
size_t pytree_prefix_errors_text(const pytree_prefix_error_list *list, char *text, size_t n);
pytree_status pytree_prefix_errors_print(FILE *file, const pytree_prefix_error_list *list, pytree_error *err);

/* ---- Two or more trees --------------------------------------------------------------------------------------------- */

/* Both trees brought to the smallest structure that both are prefixes of: optree.tree_broadcast_common. Where one has a
 * leaf it gets the other's subtree, filled with that leaf. Where one has a dict and the other an ordered dict with the same
 * keys each keeps its own. Trees that do not match: PYTREE_STRUCTURE with the path. Two results, each one block. */
pytree_status pytree_broadcast_common(pytree a, pytree b, pytree_flat *out_a, pytree_flat *out_b,
                                      const pytree_options *opt, pytree_error *err);

/* pytree_map over n trees that are first brought to their common structure, which has the dicts of the first:
 * optree.tree_broadcast_map. `out` (may be NULL) has that structure. */
pytree_status pytree_broadcast_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                                   const pytree_options *opt, pytree_error *err);

/* ---- Turned over --------------------------------------------------------------------------------------------------- */

/* A tree of outer's structure with trees of inner's structure at its leaves becomes one of inner's structure with trees of
 * outer's at its leaves: jax.tree.transpose. `inner` NULL: the structure of what stands at outer's first leaf. As in JAX
 * only the numbers of leaves are compared: PYTREE_STRUCTURE if the tree has not outer's times inner's,
 * PYTREE_TOO_FEW_LEAVES if outer has none and inner has some, PYTREE_EMPTY if outer has none and inner is to be inferred. */
pytree_flat pytree_transpose(const pytree_def *outer, const pytree_def *inner, pytree t,
                             const pytree_options *opt, pytree_error *err);

/* Called for each leaf, as by pytree_map; gives a tree back by `return pytree_give(to, result)`, once. Containers in it may be
 * literals, down to where the inner structure has its leaves; what those refer to must live as long as what
 * pytree_transpose_map returns. */
typedef struct pytree_taker pytree_taker;
typedef pytree_status pytree_give_fn(void *context, const pytree_iter *at, pytree_taker *to);
pytree_status pytree_give(pytree_taker *to, pytree result);

/* Maps a function that gives a tree for each leaf, and transposes: a tree of those trees' structure with trees of trees[0]'s
 * structure at its leaves. optree.tree_transpose_map. `inner`: their structure, of which each may be deeper; NULL: the first
 * one's. PYTREE_EMPTY without leaves outside or inside. */
pytree_flat pytree_transpose_map(pytree_give_fn *fn, void *context, const pytree_def *inner, size_t n, const pytree *trees,
                                 const pytree_options *opt, pytree_error *err);

/* n trees of equal structure, element types and shapes become one, each leaf with a new first axis of length n: an array of
 * structs as a struct of arrays. The data are copied into the result's one block, each array aligned (opt->alignment); only
 * strings and what opaque leaves refer to are shared. With none_is_leaf None stays None. Errors: PYTREE_STRUCTURE, _TYPE,
 * _SHAPE with the path and the number of the tree; PYTREE_ARGUMENT for n of 0. */
pytree_flat pytree_stack(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);

/* Slice i (negative: from the end) along the first axis of each leaf, as views into the tree: no data are copied.
 * PYTREE_SHAPE for a leaf without axes, PYTREE_ARGUMENT where there is no such slice, with the path. One allocation. */
pytree_flat pytree_index(pytree t, ptrdiff_t i, const pytree_options *opt, pytree_error *err);

/* ---- Parts --------------------------------------------------------------------------------------------------------- */

/* Does this leaf belong to the first part? at->leaf[0] is its view, at->index its number, pytree_iter_path_text its path. */
typedef bool pytree_filter_fn(void *context, const pytree_iter *at);

/* Two trees of t's structure: leaves that pass in one, all others in the other; where a leaf is missing `fill` stands,
 * PYTREE_NONE for equinox.partition and what optree.tree_partition does. `passing` or `failing` may be NULL. Each is one
 * block. */
pytree_status pytree_partition(pytree t, pytree_filter_fn *pass, void *context, pytree fill, pytree_flat *passing,
                               pytree_flat *failing, const pytree_options *opt, pytree_error *err);

/* At each leaf the first of n trees that has not None there: equinox.combine, the inverse of pytree_partition. None counts
 * as a leaf of the first tree, which gives the structure; where it has None others may have subtrees. */
pytree_flat pytree_combine(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);

/* `with` in the place of each None: optree.tree_replace_nones. It may be a leaf or a whole tree. */
pytree_flat pytree_replace_none(pytree t, pytree with, const pytree_options *opt, pytree_error *err);

/* ---- Differences --------------------------------------------------------------------------------------------------- */

typedef enum pytree_change { PYTREE_REMOVED, PYTREE_ADDED, PYTREE_CHANGED } pytree_change;

typedef struct pytree_difference {
    pytree_change kind;
    const char *path;                     /* key path of a leaf or of a whole subtree; empty: the root */
    const char *a, *b;                    /* what is there: "f32[3]", "list of length 2", "0.5 at element 3"; NULL: nothing */
} pytree_difference;

typedef struct pytree_difference_list {
    size_t n;                             /* 0: the trees are equal */
    const pytree_difference *differences; /* in visiting order, dicts by key; what only b has behind its siblings in lists */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_difference_list;

/* What makes b of a: paths that only a has are removed, those that only b has added, and changed is where both have
 * something that is not equal: leaves of another type, shape or value, nodes of another type, of other static values, keys
 * in another order. Children match by their keys: of two lists, those at the same index. Below a removed, an added or
 * another type of node nothing more is listed. NULL if memory ran out or a tree cannot be walked. One block, freed with
 * pytree_diff_free (NULL is fine). */
pytree_difference_list *pytree_diff(pytree a, pytree b, const pytree_tolerance *tolerance,
                                    const pytree_options *opt, pytree_error *err);
void pytree_diff_free(pytree_difference_list *list);

/* One on each line, "- .w: f32[3]", "+ .b: f32[2]", "! .scale: 0.5 at element 3 -> 0.25 at element 3": like snprintf, or
 * to a file. Nothing for NULL. */
size_t pytree_diff_text(const pytree_difference_list *list, char *text, size_t n);
pytree_status pytree_diff_print(FILE *file, const pytree_difference_list *list, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__ALGEBRA_BODIES)
#define PYTREE__ALGEBRA_BODIES

#ifdef __cplusplus
extern "C" {
#endif

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

/* The whole of a view as far as it says something: three extents stand in the smallest piece. */
PYTREE__INLINE void pytree__alg_copy_view(pytree_leaf *to, const pytree_leaf *from)
{
    memcpy(to, from, offsetof(pytree_leaf, shape) + 3 * sizeof from->shape[0]);
    if (from->ndim > 3) { memcpy(to->shape + 3, from->shape + 3, ((size_t)from->ndim - 3) * sizeof from->shape[0]); }
}

/* The same view n times. */
static void pytree__alg_fill(pytree_leaf *to, size_t n, const pytree_leaf *from)
{
    size_t i;
    if (from->ndim == 0 && from->form <= PYTREE_FORM_NONE) {               /* an axis, a flag: no extents */
        for (i = 0; i < n; i++) { memcpy(&to[i], from, offsetof(pytree_leaf, shape)); }
    } else {
        for (i = 0; i < n; i++) { pytree__alg_copy_view(&to[i], from); }
    }
}

/* A copy of a treedef with room for its leaves, and for `more` bytes behind them, in one block. */
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
    *leaves = pytree__def_leaves(copy);
    return copy;
}

/* The options with None as a leaf or not. */
static pytree_options pytree__alg_options(const pytree_options *opt, bool none_is_leaf)
{
    pytree_options mine;
    memset(&mine, 0, sizeof mine);
    if (opt != NULL) { mine = *opt; }
    mine.none_is_leaf = none_is_leaf;
    return mine;
}

static pytree_kind pytree__alg_kind(const pytree_node *node)
{
    return node->type == NULL ? PYTREE_KIND_LEAF : node->type->kind;
}

/* Is a tree a pytree_flat that is what flattening it would give? Then it has its leaves where its treedef says, and None
 * only as the options have it. */
static bool pytree__alg_is_flat(pytree t, const pytree_options *opt)
{
    const pytree_flat *flat = (const pytree_flat *)t.data;
    const bool none_is_leaf = opt != NULL && opt->none_is_leaf;
    size_t i;
    if (t.type != &pytree_types[PYTREE__T_flat] || flat == NULL || flat->def == NULL || flat->leaves == NULL
        || flat->def->space != NULL || (opt != NULL && (opt->is_leaf != NULL || opt->space != NULL))) {
        return false;
    }
    for (i = 0; none_is_leaf && !flat->def->none_is_leaf && i < flat->def->n_nodes; i++) {
        if (pytree__alg_kind(&flat->def->nodes[i]) == PYTREE_KIND_NONE) { return false; }
    }
    for (i = 0; i < flat->def->n_leaves; i++) {
        const unsigned form = flat->leaves[i].form;
        if (form != PYTREE_FORM_LEAF && (form != PYTREE_FORM_NONE || !none_is_leaf)) { return false; }
    }
    return true;
}

/* A tree flattened, its leaves in the treedef's block. */
static pytree_flat pytree__alg_flatten(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    if (pytree__alg_is_flat(t, opt)) {
        const pytree_flat *flat = (const pytree_flat *)t.data;
        size_t i;
        def = pytree__alg_copy(flat->def, 0, &leaves, opt, err);
        if (def != NULL) { def->none_is_leaf = opt != NULL && opt->none_is_leaf; }
        for (i = 0; def != NULL && i < def->n_leaves; i++) { pytree__alg_copy_view(&leaves[i], &flat->leaves[i]); }
    } else {
        (void)pytree_flatten(t, &leaves, 0, &def, opt, err);
    }
    return pytree__alg_flat(def, leaves);
}

/* Where flats that were just made are walked, is_leaf is asked about what stands at their leaves alone: it was asked about
 * their nodes, and views of those must not get into a result. */
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

/* The options for that walk. */
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

/* Treedef and leaves that may be None or whole subtrees as they are when walked with `opt`; what they were is freed. */
static pytree_flat pytree__alg_settle(pytree_flat flat, const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_asked asked;
    const pytree_options mine = pytree__alg_asking(&asked, 1, &flat, opt);
    pytree t;
    pytree_flat settled;
    if (flat.def == NULL) { return flat; }
    t.type = &pytree_types[PYTREE__T_flat];
    t.data = &flat;
    settled = pytree__alg_flatten(t, &mine, err);
    pytree_flat_free(&flat);
    return settled;
}

static pytree_status pytree__alg_argument(const char *what, pytree_error *err)
{
    return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %s, got NULL", what);
}

/* ---- Nodes of treedefs --------------------------------------------------------------------------------------------- */

static bool pytree__alg_keyed(const pytree_node *node)
{
    pytree_kind kind = pytree__alg_kind(node);
    return kind == PYTREE_KIND_DICT || kind == PYTREE_KIND_ODICT || kind == PYTREE_KIND_DEFAULTDICT;
}

/* Does node j of b have all that node i of a has, their children aside? The types are equal. A deque's maximum length plays no
 * role where one tree is a prefix of another, as for optree. */
static bool pytree__alg_same_statics(const pytree_def *a, size_t i, const pytree_def *b, size_t j)
{
    const pytree_node *x = &a->nodes[i], *y = &b->nodes[j];
    size_t n;
    switch (x->type->kind) {
    case PYTREE_KIND_NONE: case PYTREE_KIND_LIST: case PYTREE_KIND_TUPLE: case PYTREE_KIND_DEQUE: return true;
    default: break;
    }
    n = pytree__statics_size(a, i);
    return n == pytree__statics_size(b, j) && (n == 0 || memcmp(a->statics + x->meta, b->statics + y->meta, n) == 0);
}

/* The same for what is no key: static values, names, limits, metadata. */
static bool pytree__alg_same_own(const pytree_def *a, size_t i, const pytree_def *b, size_t j)
{
    const unsigned char *p = a->statics + a->nodes[i].meta, *q = b->statics + b->nodes[j].meta;
    size_t n = (size_t)(pytree__keys_of(a, i) - p);
    if (a->nodes[i].type->kind == PYTREE_KIND_STRUCT) { return pytree__alg_same_statics(a, i, b, j); }
    return n == (size_t)(pytree__keys_of(b, j) - q) && (n == 0 || memcmp(p, q, n) == 0);
}

/* A child of a node: its key if the node is a dict, where its root is, and its last leaf's number and one. */
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

/* The children of a node up to whose end there are `leaf` leaves, in visiting order. */
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

/* The same as an array of their own, a dict's by sorted keys. */
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

/* From child *i of a on, the first whose key b has not; *j keeps up in b. False: there is none. */
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

/* ---- Words --------------------------------------------------------------------------------------------------------- */

enum { PYTREE__ALG_KEYS = 8, PYTREE__ALG_WORDS = 120, PYTREE__ALG_ENTRIES = 40 };

/* Of a node's children the one that has a certain node below it, or is it; and its number. */
static size_t pytree__alg_towards(const pytree_def *def, size_t at, size_t node, size_t *number)
{
    size_t child = at - 1;
    *number = def->nodes[at].arity - 1;
    while (node + def->nodes[child].nodes <= child) {
        child -= def->nodes[child].nodes;
        --*number;
    }
    return child;
}

/* Key path of a treedef's node; of a long one, its beginning and its end. Without memory: it is for errors. */
static void pytree__alg_put_path(struct pytree__text *text, const pytree_def *def, size_t node)
{
    const size_t most = PYTREE__ALG_ENTRIES;
    size_t at, depth = 0, i = 0, number;
    for (at = def->n_nodes - 1; at != node; at = pytree__alg_towards(def, at, node, &number)) { depth++; }
    for (at = def->n_nodes - 1; at != node; i++) {
        size_t child = pytree__alg_towards(def, at, node, &number);
        if (i < most || i >= depth - most) {
            pytree_entry entry;
            pytree__def_entry_at(def, at, number, &entry);
            pytree__put_entry(text, &entry, NULL, i == 0);
        } else if (i == most) {
            pytree__put(text, "...", 3);
        }
        at = child;
    }
}

/* The same for many nodes of one treedef, from each to the next: nodes above both stay open, with their children at hand,
 * so that a report takes as long as its paths are, not as the nodes are wide. */
struct pytree__alg_step {                 /* an open node; where its children begin, and at which of them it is */
    size_t node, first, at;
};
struct pytree__alg_trail {
    const pytree_def *def;
    const pytree_options *opt;
    pytree_error *err;
    struct pytree__alg_step *steps;
    struct pytree__alg_child *children;
    size_t n_steps, max_steps, n_children, max_children;
};

static void pytree__alg_trail_begin(struct pytree__alg_trail *t, const pytree_def *def, const pytree_options *opt,
                                    pytree_error *err)
{
    memset(t, 0, sizeof *t);
    t->def = def;
    t->opt = opt;
    t->err = err;
}

static void pytree__alg_trail_end(struct pytree__alg_trail *t)
{
    pytree__array_free(t->steps, t->max_steps, sizeof *t->steps, pytree__allocator(t->opt));
    pytree__array_free(t->children, t->max_children, sizeof *t->children, pytree__allocator(t->opt));
}

static bool pytree__alg_step_into(struct pytree__alg_trail *t, size_t node)
{
    const size_t n = t->def->nodes[node].arity;
    void *grown = pytree__array_grow(t->steps, &t->max_steps, t->n_steps + 1, sizeof *t->steps, pytree__allocator(t->opt),
                                     t->err);
    if (grown == NULL) { return false; }
    t->steps = (struct pytree__alg_step *)grown;
    grown = pytree__array_grow(t->children, &t->max_children, t->n_children + n, sizeof *t->children,
                               pytree__allocator(t->opt), t->err);
    if (grown == NULL) { return false; }
    t->children = (struct pytree__alg_child *)grown;
    pytree__alg_list(t->def, node, t->def->nodes[node].leaves, t->children + t->n_children);
    t->steps[t->n_steps].node = node;
    t->steps[t->n_steps++].first = t->n_children;
    t->n_children += n;
    return true;
}

/* Opens all nodes above this one. False: no memory. */
static bool pytree__alg_go_to(struct pytree__alg_trail *t, size_t node)
{
    size_t at = t->def->n_nodes - 1;
    while (t->n_steps != 0) {             /* back to a node that has it below */
        const struct pytree__alg_step *last = &t->steps[t->n_steps - 1];
        if (node < last->node && last->node < node + t->def->nodes[last->node].nodes) { break; }
        t->n_children = last->first;
        t->n_steps--;
    }
    if (t->n_steps == 0 && at != node && !pytree__alg_step_into(t, at)) { return false; }
    while (at != node) {
        struct pytree__alg_step *last = &t->steps[t->n_steps - 1];
        size_t low = 0, high = t->def->nodes[last->node].arity - 1;
        while (low < high) {              /* the first child that does not end before it */
            const size_t middle = low + (high - low) / 2;
            if (t->children[last->first + middle].node < node) { low = middle + 1; } else { high = middle; }
        }
        last->at = low;
        at = t->children[last->first + low].node;
        if (at != node && !pytree__alg_step_into(t, at)) { return false; }
    }
    return true;
}

static void pytree__alg_put_trail(struct pytree__text *text, const struct pytree__alg_trail *t, size_t most)
{
    size_t i;
    for (i = 0; i < t->n_steps; i++) {
        const struct pytree__alg_step *step = &t->steps[i];
        pytree_entry entry = t->children[step->first + step->at].key;
        if (t->n_steps > 2 * most && i == most) {
            pytree__put(text, "...", 3);
            i = t->n_steps - most - 1;
            continue;
        }
        if (!pytree__alg_keyed(&t->def->nodes[step->node])) { pytree__def_entry_at(t->def, step->node, step->at, &entry); }
        pytree__put_entry(text, &entry, NULL, i == 0);
    }
}

/* A key of a dict among others, 'a', 'b' and 12 more. */
static void pytree__alg_put_key(struct pytree__text *text, const pytree_entry *key, size_t i)
{
    if (i < PYTREE__ALG_KEYS) {
        if (i != 0) { pytree__put(text, ", ", 2); }
        pytree__put_key(text, key, key->kind == PYTREE_KEY ? strlen(key->name) : 0);
    }
}
static void pytree__alg_put_more(struct pytree__text *text, size_t n)
{
    if (n > PYTREE__ALG_KEYS) {
        pytree__put_text(text, " and ");
        pytree__put_number(text, n - PYTREE__ALG_KEYS);
        pytree__put_text(text, " more");
    }
}

static void pytree__alg_put_keys(struct pytree__text *text, const pytree_def *def, size_t node)
{
    const unsigned char *at = pytree__keys_of(def, node);
    size_t i, n = def->nodes[node].arity;
    pytree__put_text(text, n == 0 ? " without keys" : " with keys ");
    for (i = 0; i < n && i < PYTREE__ALG_KEYS; i++) {
        pytree_entry key;
        at = pytree__key_at(at, &key, NULL);
        pytree__alg_put_key(text, &key, i);
    }
    pytree__alg_put_more(text, n);
}

/* What text is long is cut in its middle. */
static void pytree__alg_put_cut(struct pytree__text *text, const char *words)
{
    char cut[PYTREE__ALG_WORDS];
    pytree__cut(cut, sizeof cut, words);
    pytree__put_text(text, cut);
}

/* A node in words, without what is below it. */
static void pytree__alg_put_node(struct pytree__text *text, const pytree_def *def, size_t i)
{
    const pytree_node *node = &def->nodes[i];
    char words[1000];
    struct pytree__text to = pytree__text_to(words, sizeof words, NULL);
    pytree_entry entry;
    uint32_t k;
    switch (pytree__alg_kind(node)) {
    case PYTREE_KIND_LEAF: pytree__put_text(text, "leaf"); return;
    case PYTREE_KIND_NONE: pytree__put_text(text, "None"); return;
    case PYTREE_KIND_STRUCT:
        pytree__put_text(&to, pytree__origin(node->type)->name);
        pytree__put(&to, "[", 1);
        pytree__put_statics(&to, def, i);
        pytree__put(&to, "]", 1);
        break;
    case PYTREE_KIND_NAMEDTUPLE:
        pytree__put_text(&to, pytree__string_at(def->statics + node->meta, 0, NULL));
        pytree__put(&to, "(", 1);
        for (k = 0; k < node->arity && k < PYTREE__ALG_KEYS; k++) {
            pytree__def_entry_at(def, i, k, &entry);
            if (k != 0) { pytree__put(&to, ", ", 2); }
            pytree__put_text(&to, entry.name);
        }
        pytree__alg_put_more(&to, node->arity);
        pytree__put(&to, ")", 1);
        break;
    case PYTREE_KIND_DICT: case PYTREE_KIND_ODICT: case PYTREE_KIND_DEFAULTDICT:
        pytree__put_text(text, node->type->name);
        if (node->type->kind == PYTREE_KIND_DEFAULTDICT) {
            pytree__put(text, "(", 1);
            pytree__put_factory(text, def, i);
            pytree__put(text, ")", 1);
        }
        pytree__alg_put_keys(text, def, i);
        return;
    default:
        pytree__put_text(&to, pytree__origin(node->type)->name);
        if (node->type->kind == PYTREE_KIND_CUSTOM) {
            pytree__put(&to, "[", 1);
            pytree__put_metadata(&to, def, i);
            pytree__put(&to, "]", 1);
        }
        pytree__put_text(&to, " of length ");
        pytree__put_number(&to, node->arity);
        if (node->type->kind == PYTREE_KIND_DEQUE && pytree__maxlen(def->statics + node->meta) != PYTREE_UNBOUNDED) {
            pytree__put_text(&to, ", at most ");
            pytree__put_number(&to, pytree__maxlen(def->statics + node->meta));
        }
    }
    pytree__end_text(&to, sizeof words);
    pytree__alg_put_cut(text, words);
}

/* ---- Matching -------------------------------------------------------------------------------------------------------
 *
 * Two treedefs side by side, from the root, that is the last node, to the first. Post-order read backwards is a walk from
 * parents to children, so as long as nodes match the two positions keep in step by themselves; where the prefix has a leaf, or
 * where nodes differ, the other one's subtree is passed over. Only where children stand in another order on the two sides
 * (`loose`) must anything be remembered.
 */
struct pytree__alg_task {                 /* a part of the prefix from `p` back to `stop`, beside what ends at `f` */
    size_t p, f, stop;
    size_t leaf_p, leaf_f;                /* leaves up to there */
};

struct pytree__alg_wrong {
    pytree_mismatch kind;
    size_t p, f;                          /* the two nodes */
};

struct pytree__alg_match {
    const pytree_def *prefix, *full;
    const pytree_leaf *from;              /* the prefix's leaves */
    pytree_leaf *to;                      /* one for each leaf of full; NULL: only looks */
    const pytree_flat *flat;              /* full with its leaves, if what stands at the prefix's leaves is wanted */
    pytree_leaf *subtrees;                /* then: one for each leaf of the prefix */
    size_t orders;                        /* of flat's treedef, up to the node at hand */
    bool loose;                           /* dicts of any kind match, in any order of their keys */
    const pytree_options *opt;
    pytree_error *err;
    struct pytree__alg_wrong *wrong;      /* mismatches, in visiting order */
    size_t n_wrong, max_wrong;
    struct pytree__alg_task *tasks;
    size_t n_tasks, max_tasks;
};

enum { PYTREE__ALG_SAME = -1, PYTREE__ALG_MOVED = -2, PYTREE__ALG_FAILED = -3 };

static void pytree__alg_match_init(struct pytree__alg_match *m, const pytree_def *prefix, const pytree_def *full,
                                   const pytree_options *opt, pytree_error *err)
{
    memset(m, 0, sizeof *m);
    m->prefix = prefix;
    m->full = full;
    m->opt = opt;
    m->err = err;
}

static void pytree__alg_match_end(struct pytree__alg_match *m)
{
    pytree__array_free(m->wrong, m->max_wrong, sizeof *m->wrong, pytree__allocator(m->opt));
    pytree__array_free(m->tasks, m->max_tasks, sizeof *m->tasks, pytree__allocator(m->opt));
}

/* How two nodes differ that are not the same at a glance: a pytree_mismatch, or one of the above. */
static int pytree__alg_differ(const struct pytree__alg_match *m, size_t i, size_t j)
{
    const pytree_def *a = m->prefix, *b = m->full;
    const pytree_node *x = &a->nodes[i], *y = &b->nodes[j];
    struct pytree__alg_both both;
    bool same;
    if (x->type == NULL || y->type == NULL) { return PYTREE_DIFFERENT_TYPES; }
    if (!pytree_type_equal(x->type, y->type)) {
        if (!m->loose || !pytree__alg_keyed(x) || !pytree__alg_keyed(y)) { return PYTREE_DIFFERENT_TYPES; }
    } else if (x->arity == y->arity && pytree__alg_same_statics(a, i, b, j)) {
        return PYTREE__ALG_SAME;
    }
    switch (x->type->kind) {
    case PYTREE_KIND_STRUCT: return PYTREE_DIFFERENT_METADATA;
    case PYTREE_KIND_NAMEDTUPLE: return PYTREE_DIFFERENT_TYPES;
    case PYTREE_KIND_DICT: case PYTREE_KIND_ODICT: case PYTREE_KIND_DEFAULTDICT: break;
    default: return x->arity != y->arity ? PYTREE_DIFFERENT_LENGTHS : PYTREE_DIFFERENT_METADATA;
    }
    if (!pytree__alg_both_children(&both, a, i, x->leaves, b, j, y->leaves, m->opt, m->err)) { return PYTREE__ALG_FAILED; }
    same = pytree__alg_same_keys(&both);
    pytree__alg_both_free(&both, m->opt);
    return !same ? (int)PYTREE_DIFFERENT_KEYS : m->loose ? (int)PYTREE__ALG_MOVED : (int)PYTREE_DIFFERENT_METADATA;
}

static bool pytree__alg_note(struct pytree__alg_match *m, int kind, size_t p, size_t f)
{
    void *grown = pytree__array_grow(m->wrong, &m->max_wrong, m->n_wrong + 1, sizeof *m->wrong, pytree__allocator(m->opt),
                                     m->err);
    if (grown == NULL) { return false; }
    m->wrong = (struct pytree__alg_wrong *)grown;
    m->wrong[m->n_wrong].kind = (pytree_mismatch)kind;
    m->wrong[m->n_wrong].p = p;
    m->wrong[m->n_wrong++].f = f;
    return true;
}

/* Two dicts with the same keys in different orders: each child is a task, and so is what comes behind them. */
static bool pytree__alg_split(struct pytree__alg_match *m, struct pytree__alg_task *t)
{
    const pytree_node *x = &m->prefix->nodes[t->p - 1], *y = &m->full->nodes[t->f - 1];
    struct pytree__alg_both both;
    size_t i;
    void *grown = pytree__array_grow(m->tasks, &m->max_tasks, m->n_tasks + x->arity + 1, sizeof *m->tasks,
                                     pytree__allocator(m->opt), m->err);
    if (grown == NULL) { return false; }
    m->tasks = (struct pytree__alg_task *)grown;
    if (!pytree__alg_both_children(&both, m->prefix, t->p - 1, t->leaf_p, m->full, t->f - 1, t->leaf_f, m->opt, m->err)) {
        return false;
    }
    for (i = 0; i < both.n_a; i++) {
        struct pytree__alg_task *child = &m->tasks[m->n_tasks++];
        child->p = both.a[i].node + 1;
        child->f = both.b[i].node + 1;
        child->stop = child->p - m->prefix->nodes[both.a[i].node].nodes;
        child->leaf_p = both.a[i].leaf;
        child->leaf_f = both.b[i].leaf;
    }
    pytree__alg_both_free(&both, m->opt);
    t->p -= x->nodes;
    t->f -= y->nodes;
    t->leaf_p -= x->leaves;
    t->leaf_f -= y->leaves;
    return true;
}

/* A node of the pytree_flat as a view; `leaf`: the first one below it. Nodes come from the last to the first, and so do the
 * orders of the dicts, of which a view says where those of its own end. */
static void pytree__alg_part(struct pytree__alg_match *m, pytree_leaf *to, size_t node, size_t leaf)
{
    const pytree_def *def = m->flat->def;
    const pytree_type *type = def->nodes[node].type;
    while (m->orders != 0 && def->orders[m->orders - 1] > node) {
        m->orders -= 1 + (size_t)def->nodes[def->orders[m->orders - 1]].arity;
    }
    if (type == NULL) {
        pytree__alg_copy_view(to, &m->flat->leaves[leaf]);
    } else if (type->kind == PYTREE_KIND_NONE) {
        pytree__none_view(to);
    } else {
        to->data = (void *)(uintptr_t)m->flat;
        to->type = type;
        to->ndim = 0;
        to->form = PYTREE_FORM_FLAT;
        to->shape[0] = node;
        to->shape[1] = leaf;
        to->shape[2] = m->orders;
    }
}

/* Goes over both. False if memory ran out; whether they match is whether there are mismatches. */
static bool pytree__alg_go_over(struct pytree__alg_match *m)
{
    const pytree_node *const p = m->prefix->nodes, *const f = m->full->nodes;
    struct pytree__alg_task t;
    size_t i;
    if (!m->loose && m->flat == NULL && pytree_def_equal(m->prefix, m->full)) {
        for (i = 0; m->to != NULL && i < m->full->n_leaves; i++) { pytree__alg_copy_view(&m->to[i], &m->from[i]); }
        return true;
    }
    t.p = m->prefix->n_nodes;
    t.f = m->full->n_nodes;
    t.stop = 0;
    t.leaf_p = m->prefix->n_leaves;
    t.leaf_f = m->full->n_leaves;
    for (;;) {
        while (t.p > t.stop) {
            const pytree_node *x = &p[t.p - 1], *y = &f[t.f - 1];
            int differ;
            if (x->type == NULL) {
                t.leaf_p--;
                t.leaf_f -= y->leaves;
                if (m->flat != NULL) { pytree__alg_part(m, &m->subtrees[t.leaf_p], t.f - 1, t.leaf_f); }
                if (m->to != NULL) { pytree__alg_fill(m->to + t.leaf_f, y->leaves, &m->from[t.leaf_p]); }
                t.p--;
                t.f -= y->nodes;
                continue;
            }
            if (x->type == y->type && x->arity == y->arity
                && pytree__alg_same_statics(m->prefix, t.p - 1, m->full, t.f - 1)) {
                t.p--;
                t.f--;
                continue;
            }
            differ = pytree__alg_differ(m, t.p - 1, t.f - 1);
            if (differ == PYTREE__ALG_FAILED) { return false; }
            if (differ == PYTREE__ALG_SAME) {
                t.p--;
                t.f--;
            } else if (differ == PYTREE__ALG_MOVED) {
                if (!pytree__alg_split(m, &t)) { return false; }
            } else {
                if (!pytree__alg_note(m, differ, t.p - 1, t.f - 1)) { return false; }
                t.leaf_p -= x->leaves;
                t.leaf_f -= y->leaves;
                t.p -= x->nodes;
                t.f -= y->nodes;
            }
        }
        if (m->n_tasks == 0) { break; }
        t = m->tasks[--m->n_tasks];
    }
    for (i = 0; i < m->n_wrong / 2; i++) {                     /* found from the last to the first */
        struct pytree__alg_wrong first = m->wrong[i];
        m->wrong[i] = m->wrong[m->n_wrong - 1 - i];
        m->wrong[m->n_wrong - 1 - i] = first;
    }
    return true;
}

/* The first mismatch as an error, or PYTREE_OK. */
static pytree_status pytree__alg_verdict(const struct pytree__alg_match *m, const char *label)
{
    char sides[2][1000], cut[2][PYTREE__ALG_WORDS], path[1000], more[48];
    struct pytree__text text;
    const struct pytree__alg_wrong *wrong = m->wrong;
    int k;
    if (m->n_wrong == 0) { return PYTREE_OK; }
    if (m->err == NULL) { return PYTREE_STRUCTURE; }
    for (k = 0; k < 2; k++) {
        text = pytree__text_to(sides[k], sizeof sides[k], NULL);
        pytree__alg_put_node(&text, k == 0 ? m->prefix : m->full, k == 0 ? wrong->p : wrong->f);
        pytree__end_text(&text, sizeof sides[k]);
        pytree__cut(cut[k], k == 0 ? 80 : 90, sides[k]);
    }
    text = pytree__text_to(path, sizeof path, NULL);
    pytree__alg_put_path(&text, m->prefix, wrong->p);
    pytree__end_text(&text, sizeof path);
    more[0] = '\0';
    if (m->n_wrong > 1) { snprintf(more, sizeof more, " (and %zu more mismatches)", m->n_wrong - 1); }
    return pytree_fail(m->err, PYTREE_STRUCTURE, path, "%.30s%s%s: expected %s, got %s%s", label == NULL ? "" : label,
                       label == NULL ? "" : ": ", pytree_mismatch_name(wrong->kind), cut[0], cut[1], more);
}

/* The status of a function that failed with this error, where nobody may want it. */
static pytree_status pytree__alg_status(const pytree_error *own, pytree_error *err)
{
    if (own->status != PYTREE_OK && err != NULL && err->status == PYTREE_OK) { *err = *own; }
    return own->status;
}

/* ---- Prefixes (bodies) --------------------------------------------------------------------------------------------- */

pytree_flat pytree_broadcast_prefix(pytree prefix, const pytree_def *full, const char *label, const pytree_options *opt,
                                    pytree_error *err)
{
    if (full == NULL) { return pytree__alg_flat((pytree_def *)pytree__no_def(err), NULL); }
    pytree_flat small = pytree__alg_flatten(prefix, opt, err), flat = pytree__alg_flat(NULL, NULL);
    struct pytree__alg_match m;
    pytree_def *def;
    if (small.def == NULL) { return flat; }
    pytree__alg_match_init(&m, small.def, full, opt, err);
    m.from = small.leaves;
    def = pytree__alg_copy(full, 0, &m.to, opt, err);
    if (def != NULL) {
        if (pytree__alg_go_over(&m) && pytree__alg_verdict(&m, label == NULL ? "prefix" : label) == PYTREE_OK) {
            flat = pytree__alg_flat(def, m.to);
        } else {
            pytree_def_free(def);
        }
        pytree__alg_match_end(&m);
    }
    pytree_flat_free(&small);
    return flat;
}

/* Has the caller's array room for a treedef's leaves? */
static pytree_status pytree__alg_room(const pytree_def *def, const pytree_leaf *leaves, size_t capacity, pytree_error *err)
{
    if (def->n_leaves != 0 && leaves == NULL) { return pytree__alg_argument("an array for the leaves", err); }
    if (def->n_leaves <= capacity) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves (the array's capacity), got %zu",
                       capacity,
                       def->n_leaves);
}

pytree_status pytree_broadcast_leaves(pytree prefix, const pytree_def *full, pytree_leaf *leaves, size_t capacity,
                                      const char *label, const pytree_options *opt, pytree_error *err)
{
    if (full == NULL) { (void)pytree__no_def(err); return PYTREE_ARGUMENT; }
    pytree_status status = pytree__alg_room(full, leaves, capacity, err);
    pytree_error own;
    pytree_flat small;
    struct pytree__alg_match m;
    if (status != PYTREE_OK) { return status; }
    own.status = PYTREE_OK;
    small = pytree__alg_flatten(prefix, opt, &own);
    if (small.def == NULL) { return pytree__alg_status(&own, err); }
    pytree__alg_match_init(&m, small.def, full, opt, &own);
    m.from = small.leaves;
    if (pytree__alg_go_over(&m) && pytree__alg_verdict(&m, label == NULL ? "prefix" : label) == PYTREE_OK) {
        m.to = leaves;                    /* now that all is known to fit; nothing is left that could fail */
        (void)pytree__alg_go_over(&m);
    }
    pytree__alg_match_end(&m);
    pytree_flat_free(&small);
    return pytree__alg_status(&own, err);
}

/* What stands where a treedef has a leaf. */
PYTREE__INLINE void pytree__alg_subtree(pytree_leaf *to, const pytree_leaf *value)
{
    if (PYTREE__UNLIKELY(value->form == PYTREE_FORM_NONE)) {
        pytree__none_view(to);
    } else {
        pytree__alg_copy_view(to, value);
    }
}

/* A struct that is seen deep where the treedef has all of it so, too, without opening it. False: the long way, and for the
 * error. */
PYTREE__INLINE bool pytree__alg_closed(pytree__cursor *c, pytree__plans *plans, const pytree_leaf *value, const pytree_def *def,
                                       size_t j, pytree_leaf *to, size_t room)
{
    const pytree_type *const type = value->type;
    const pytree_node *const node = &def->nodes[j];
    const bool none_is_leaf = c->opt->none_is_leaf;
    const pytree__plan *plan;
    size_t odd;
    if (type != node->type || !type->closed || c->opt->space != NULL || node->leaves > room) { return false; }
    plan = pytree__plan_for(plans, type, value->data, none_is_leaf);
    if (plan == NULL || plan->n_nodes != node->nodes
        || !pytree__plan_matches(plans, plan, (const char *)value->data, def, node + 1 - plan->n_nodes)) {
        return false;
    }
    odd = type->flatten(value->data, to, to + room, none_is_leaf ? PYTREE__DEEP : PYTREE__DEEP | PYTREE__DROP_NONE).odd;
    return (odd & (PYTREE__ODD | PYTREE__HAS_NODE)) == 0;
}

/* The walk. PYTREE_STRUCTURE, not reported yet, where a node does not match; other errors are. */
static pytree_status pytree__alg_up_to(pytree__cursor *c, const pytree_def *def, uint32_t *stack, pytree t,
                                       pytree_leaf *subtrees, size_t room)
{
    pytree__plans plans;
    size_t n = 1, leaf = 0, i;
    const pytree_leaf *value = &c->root;
    pytree_status status = pytree__cursor_root(c, t);
    pytree__plans_init(&plans);
    stack[0] = (uint32_t)(def->n_nodes - 1);
    while (status == PYTREE_OK) {
        const size_t j = stack[--n];
        const pytree_node *node = &def->nodes[j];
        if (PYTREE__UNLIKELY(c->opt->space != NULL)) { pytree__respace(c, (pytree_leaf *)(uintptr_t)value); }
        if (node->type == NULL) {
            pytree__alg_subtree(&subtrees[leaf++], value);
        } else if (value->form == PYTREE_FORM_STRUCT
                   && pytree__alg_closed(c, &plans, value, def, j, subtrees + leaf, room - leaf)) {
            leaf += node->leaves;
        } else if (node->type->kind == PYTREE_KIND_NONE || value->form == PYTREE_FORM_LEAF || value->form == PYTREE_FORM_NONE) {
            if (node->type->kind != PYTREE_KIND_NONE || value->form != PYTREE_FORM_NONE) { return PYTREE_STRUCTURE; }
        } else {
            const pytree__frame *f;
            size_t child = j - 1;
            if (!pytree_type_equal(pytree__node_type(value), node->type)) { return PYTREE_STRUCTURE; }
            status = pytree__open(c, value);
            if (status != PYTREE_OK) { return status; }
            f = &c->frames[c->n_frames - 1];
            if (f->count != node->arity || (node->type->kind != PYTREE_KIND_DEQUE && !pytree__same_meta(c, f, def, j))) {
                return PYTREE_STRUCTURE;
            }
            for (i = 0; i < node->arity; i++) {                /* the first comes to lie on top */
                stack[n++] = (uint32_t)child;
                child -= def->nodes[child].nodes;
            }
        }
        while (c->n_frames != 0 && c->frames[c->n_frames - 1].next == c->frames[c->n_frames - 1].count) { pytree__close(c); }
        if (n == 0) { break; }
        status = pytree__take(c, &value);
    }
    return status;
}

/* The same for a pytree_flat: treedef beside treedef. */
static pytree_status pytree__alg_flat_up_to(const pytree_def *def, const pytree_flat *flat, pytree_leaf *subtrees,
                                            const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_match m;
    pytree_status status;
    pytree__alg_match_init(&m, def, flat->def, opt, err);
    m.flat = flat;
    m.subtrees = subtrees;
    m.orders = flat->def->n_orders;
    status = !pytree__alg_go_over(&m) ? PYTREE_NO_MEMORY : pytree__alg_verdict(&m, NULL);
    pytree__alg_match_end(&m);
    return status;
}

/* Why a tree has not the structure that a treedef begins: found again in its own treedef, for the words. */
static pytree_status pytree__alg_explain(const pytree_def *def, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_match m;
    pytree_error own;
    pytree_def *full;
    own.status = PYTREE_OK;
    full = pytree_structure(t, opt, &own);
    if (full != NULL) {
        pytree__alg_match_init(&m, def, full, opt, &own);
        if (pytree__alg_go_over(&m)) { (void)pytree__alg_verdict(&m, NULL); }
        pytree__alg_match_end(&m);
        pytree_def_free(full);
        pytree_fail(&own, PYTREE_STRUCTURE, NULL, "expected the treedef's nodes, got others");
    }
    return pytree__alg_status(&own, err);
}

pytree_status pytree_flatten_up_to(const pytree_def *def, pytree t, pytree_leaf *subtrees, size_t capacity,
                                   const pytree_options *opt, pytree_error *err)
{
    if (def == NULL) { (void)pytree__no_def(err); return PYTREE_ARGUMENT; }
    pytree_options mine = pytree__alg_options(opt, def->none_is_leaf);
    uint32_t few[256], *stack = few;
    pytree__cursor c;
    pytree_status status = pytree__alg_room(def, subtrees, capacity, err);
    mine.is_leaf = NULL;
    if (mine.space == NULL) { mine.space = def->space; }
    if (status != PYTREE_OK) { return status; }
    if (pytree__alg_is_flat(t, &mine)) {
        return pytree__alg_flat_up_to(def, (const pytree_flat *)t.data, subtrees, &mine, err);
    }
    if (def->n_nodes > 256) {
        stack = (uint32_t *)pytree__array_new(def->n_nodes, sizeof *stack, pytree__allocator(opt), err);
        if (stack == NULL) { return PYTREE_NO_MEMORY; }
    }
    pytree__cursor_init(&c, &mine, err);
    status = pytree__alg_up_to(&c, def, stack, t, subtrees, def->n_leaves);
    pytree__cursor_end(&c);
    if (stack != few) { pytree__array_free(stack, def->n_nodes, sizeof *stack, pytree__allocator(opt)); }
    return status == PYTREE_STRUCTURE ? pytree__alg_explain(def, t, &mine, err) : status;
}

/* ---- Reports ------------------------------------------------------------------------------------------------------- */

/* Where the parts of a report go that have no length of their own: counted first, then written into its block. */
struct pytree__alg_sink {
    struct pytree__text text;
    pytree_entry *entries;
    size_t n_entries;
};

static const char *pytree__alg_begin(const struct pytree__alg_sink *sink)
{
    return sink->text.at == NULL ? NULL : sink->text.at + sink->text.length;
}

static void pytree__alg_finish(struct pytree__alg_sink *sink) { pytree__put(&sink->text, "", 1); }

/* The keys that only a has, as entries with names of their own; how many. */
static size_t pytree__alg_put_only(struct pytree__alg_sink *sink, const struct pytree__alg_child *a, size_t n_a,
                                   const struct pytree__alg_child *b, size_t n_b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; pytree__alg_only(a, n_a, b, n_b, &i, &j); i++, n++) {
        if (sink->entries != NULL) {
            sink->entries[sink->n_entries] = a[i].key;
            if (a[i].key.kind == PYTREE_KEY) { sink->entries[sink->n_entries].name = pytree__alg_begin(sink); }
        }
        sink->n_entries++;
        if (a[i].key.kind == PYTREE_KEY) { pytree__put(&sink->text, a[i].key.name, strlen(a[i].key.name) + 1); }
    }
    return n;
}

static void pytree__alg_put_only_text(struct pytree__text *text, const char *lead, const struct pytree__alg_child *a,
                                      size_t n_a, const struct pytree__alg_child *b, size_t n_b)
{
    size_t i, j = 0, n = 0;
    for (i = 0; pytree__alg_only(a, n_a, b, n_b, &i, &j); i++, n++) {
        if (n == 0) { pytree__put_text(text, lead); }
        pytree__alg_put_key(text, &a[i].key, n);
    }
    pytree__alg_put_more(text, n);
}

/* One mismatch with all its texts. False: no memory. */
static bool pytree__alg_put_error(struct pytree__alg_sink *sink, const struct pytree__alg_match *m,
                                  struct pytree__alg_trail *trail, const char *label, const struct pytree__alg_wrong *wrong,
                                  pytree_prefix_error *error)
{
    struct pytree__alg_both both;
    const bool keys = wrong->kind == PYTREE_DIFFERENT_KEYS;
    memset(&both, 0, sizeof both);
    if (!pytree__alg_go_to(trail, wrong->p)) { return false; }
    if (keys && !pytree__alg_both_children(&both, m->prefix, wrong->p, m->prefix->nodes[wrong->p].leaves, m->full, wrong->f,
                                           m->full->nodes[wrong->f].leaves, m->opt, m->err)) {
        return false;
    }
    error->kind = wrong->kind;
    error->path = pytree__alg_begin(sink);
    pytree__alg_put_trail(&sink->text, trail, SIZE_MAX / 2);
    pytree__alg_finish(sink);
    error->prefix = pytree__alg_begin(sink);
    pytree__alg_put_node(&sink->text, m->prefix, wrong->p);
    pytree__alg_finish(sink);
    error->full = pytree__alg_begin(sink);
    pytree__alg_put_node(&sink->text, m->full, wrong->f);
    pytree__alg_finish(sink);
    error->missing = sink->entries == NULL ? NULL : sink->entries + sink->n_entries;
    error->n_missing = pytree__alg_put_only(sink, both.a, both.n_a, both.b, both.n_b);
    error->extra = sink->entries == NULL ? NULL : sink->entries + sink->n_entries;
    error->n_extra = pytree__alg_put_only(sink, both.b, both.n_b, both.a, both.n_a);
    error->message = pytree__alg_begin(sink);
    pytree__put_text(&sink->text, label);
    pytree__alg_put_trail(&sink->text, trail, PYTREE__ALG_ENTRIES);
    pytree__put_text(&sink->text, ": ");
    pytree__put_text(&sink->text, pytree_mismatch_name(wrong->kind));
    pytree__put_text(&sink->text, ": expected ");
    pytree__alg_put_node(&sink->text, m->prefix, wrong->p);
    pytree__put_text(&sink->text, ", got ");
    pytree__alg_put_node(&sink->text, m->full, wrong->f);
    if (keys) {
        pytree__put_text(&sink->text, " (");
        pytree__alg_put_only_text(&sink->text, "missing ", both.a, both.n_a, both.b, both.n_b);
        if (error->n_missing != 0 && error->n_extra != 0) { pytree__put_text(&sink->text, "; "); }
        pytree__alg_put_only_text(&sink->text, "extra ", both.b, both.n_b, both.a, both.n_a);
        pytree__put_text(&sink->text, ")");
    }
    pytree__alg_finish(sink);
    pytree__alg_both_free(&both, m->opt);
    return true;
}

/* All mismatches in one block: the list, its errors, their entries, their texts. */
static pytree_prefix_error_list *pytree__alg_errors(const struct pytree__alg_match *m, const char *label)
{
    struct pytree__alg_sink sink;
    struct pytree__alg_trail trail;
    pytree_prefix_error_list *list = NULL;
    pytree_prefix_error one, *errors = NULL;
    size_t i, pass, bytes = 0;
    bool good = true;
    memset(&sink, 0, sizeof sink);
    pytree__alg_trail_begin(&trail, m->prefix, m->opt, m->err);
    for (pass = 0; pass < 2 && good; pass++) {
        for (i = 0; i < m->n_wrong && good; i++) {
            good = pytree__alg_put_error(&sink, m, &trail, label, &m->wrong[i], pass == 0 ? &one : &errors[i]);
        }
        if (pass != 0 || !good) { break; }
        bytes = sizeof *list + m->n_wrong * sizeof *errors + sink.n_entries * sizeof *sink.entries + sink.text.length;
        list = (pytree_prefix_error_list *)pytree__array_new(bytes, 1, pytree__allocator(m->opt), m->err);
        good = list != NULL;
        if (good) {
            errors = (pytree_prefix_error *)(void *)(list + 1);
            list->n = m->n_wrong;
            list->errors = errors;
            list->allocator = pytree__allocator(m->opt);
            list->bytes = bytes;
            sink.entries = (pytree_entry *)(void *)(errors + m->n_wrong);
            sink.text.at = (char *)(sink.entries + sink.n_entries);
            sink.text.room = sink.text.length;
            sink.n_entries = sink.text.length = 0;
        }
    }
    pytree__alg_trail_end(&trail);
    if (!good) {
        pytree_prefix_errors_free(list);
        list = NULL;
    }
    return list;
}

pytree_prefix_error_list *pytree_prefix_errors(pytree prefix, const pytree_def *full, const char *label,
                                               const pytree_options *opt, pytree_error *err)
{
    if (full == NULL) { return (pytree_prefix_error_list *)pytree__no_def(err); }
    pytree_prefix_error_list *list = NULL;
    struct pytree__alg_match m;
    pytree_def *small = pytree_structure(prefix, opt, err);
    if (small == NULL) { return NULL; }
    pytree__alg_match_init(&m, small, full, opt, err);
    if (pytree__alg_go_over(&m)) { list = pytree__alg_errors(&m, label == NULL ? "prefix" : label); }
    pytree__alg_match_end(&m);
    pytree_def_free(small);
    return list;
}

void pytree_prefix_errors_free(pytree_prefix_error_list *list)
{
    if (list != NULL) { (void)pytree__resize(list->allocator, list, list->bytes, 0); }
}

static void pytree__alg_put_errors(struct pytree__text *text, const pytree_prefix_error_list *list)
{
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {
        pytree__put_text(text, list->errors[i].message);
        pytree__put(text, "\n", 1);
    }
}

size_t pytree_prefix_errors_text(const pytree_prefix_error_list *list, char *text, size_t n)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    pytree__alg_put_errors(&to, list);
    return pytree__end_text(&to, n);
}

pytree_status pytree_prefix_errors_print(FILE *file, const pytree_prefix_error_list *list, pytree_error *err)
{
    struct pytree__text to = pytree__text_to(NULL, 0, file);
    pytree__alg_put_errors(&to, list);
    return pytree__written(file, err);
}

/* ---- Two or more trees (bodies) ------------------------------------------------------------------------------------ */

/* A flattened tree spread over a structure that it is a prefix of. */
static pytree_flat pytree__alg_spread(const pytree_flat *small, const pytree_def *full, bool loose, const pytree_options *opt,
                                      pytree_error *err)
{
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    struct pytree__alg_match m;
    pytree_def *def;
    pytree__alg_match_init(&m, small->def, full, opt, err);
    m.from = small->leaves;
    m.loose = loose;
    def = pytree__alg_copy(full, 0, &m.to, opt, err);
    if (def == NULL) { return flat; }
    if (pytree__alg_go_over(&m) && pytree__alg_verdict(&m, NULL) == PYTREE_OK) {
        flat = pytree__alg_flat(def, m.to);
    } else {
        pytree_def_free(def);
    }
    pytree__alg_match_end(&m);
    return flat;
}

/* a spread over the structure that it has in common with b. */
static pytree_flat pytree__alg_towards_common(const pytree_flat *a, const pytree_flat *b, const pytree_options *opt,
                                              pytree_error *err)
{
    pytree_flat flat = pytree__alg_flat(NULL, NULL);
    pytree_def *common = pytree_def_common_suffix(a->def, b->def, opt, err);
    if (common != NULL) { flat = pytree__alg_spread(a, common, false, opt, err); }
    pytree_def_free(common);
    return flat;
}

pytree_status pytree_broadcast_common(pytree a, pytree b, pytree_flat *out_a, pytree_flat *out_b, const pytree_options *opt,
                                      pytree_error *err)
{
    pytree_flat x = pytree__alg_flat(NULL, NULL), y = x, to_a = x, to_b = x;
    pytree_error own;
    own.status = PYTREE_OK;
    if (out_a == NULL || out_b == NULL) { return pytree__alg_argument("a place for both results", err); }
    x = pytree__alg_flatten(a, opt, &own);
    if (x.def != NULL) { y = pytree__alg_flatten(b, opt, &own); }
    if (y.def != NULL) { to_a = pytree__alg_towards_common(&x, &y, opt, &own); }
    if (to_a.def != NULL) { to_b = pytree__alg_towards_common(&y, &x, opt, &own); }
    pytree_flat_free(&x);
    pytree_flat_free(&y);
    if (to_b.def == NULL) { pytree_flat_free(&to_a); }
    *out_a = to_a;
    *out_b = to_b;
    return pytree__alg_status(&own, err);
}

/* The structure that n flattened trees have in common. */
static pytree_def *pytree__alg_common(size_t n, const pytree_flat *flats, const pytree_options *opt, pytree_error *err)
{
    pytree_def *common = pytree_def_copy(flats[0].def, opt, err);
    size_t k;
    for (k = 1; k < n && common != NULL; k++) {
        pytree_def *next = pytree_def_common_suffix(common, flats[k].def, opt, err);
        pytree_def_free(common);
        common = next;
    }
    return common;
}

pytree_status pytree_broadcast_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                                   const pytree_options *opt, pytree_error *err)
{
    struct pytree__alg_asked asked;
    pytree_options mine;
    pytree_error own;
    pytree_status status;
    pytree_flat *flats;
    pytree *spread;
    pytree_def *common = NULL;
    size_t k, made = 0;
    bool good;
    own.status = PYTREE_OK;
    if (fn == NULL || n == 0 || trees == NULL) { return pytree__alg_argument("a function and at least one tree", err); }
    flats = (pytree_flat *)pytree__array_new(n, sizeof *flats + sizeof *spread, pytree__allocator(opt), &own);
    if (flats == NULL) { return pytree__alg_status(&own, err); }
    spread = (pytree *)(void *)(flats + n);
    for (good = true; made < n && good; made += good) {
        flats[made] = pytree__alg_flatten(trees[made], opt, &own);
        good = flats[made].def != NULL;
    }
    if (good) { common = pytree__alg_common(n, flats, opt, &own); }
    good = common != NULL;
    for (k = 0; k < n && good; k++) {
        pytree_flat wide = pytree__alg_spread(&flats[k], common, true, opt, &own);
        good = wide.def != NULL;
        if (good) {
            pytree_flat_free(&flats[k]);
            flats[k] = wide;
            spread[k].type = &pytree_types[PYTREE__T_flat];
            spread[k].data = &flats[k];
        }
    }
    mine = pytree__alg_asking(&asked, n, flats, opt);
    status = good ? pytree_map(fn, context, out, n, spread, &mine, err) : pytree__alg_status(&own, err);
    pytree_def_free(common);
    for (k = 0; k < made; k++) { pytree_flat_free(&flats[k]); }
    pytree__array_free(flats, n, sizeof *flats + sizeof *spread, pytree__allocator(opt));
    return status;
}

/* ---- Turned over (bodies) ------------------------------------------------------------------------------------------ */

/* Rows of inner's leaves, one for each of outer's, as a tree of inner's structure with outer's at its leaves. */
static pytree_flat pytree__alg_turn(const pytree_def *outer, const pytree_def *inner, const pytree_leaf *rows,
                                    const pytree_options *opt, pytree_error *err)
{
    pytree_def *both = pytree_def_compose(inner, outer, opt, err), *def = NULL;
    pytree_leaf *leaves = NULL;
    size_t i, j;
    if (both != NULL) { def = pytree__alg_copy(both, 0, &leaves, opt, err); }
    for (i = 0; def != NULL && i < inner->n_leaves; i++) {
        for (j = 0; j < outer->n_leaves; j++) {
            pytree__alg_copy_view(&leaves[i * outer->n_leaves + j], &rows[j * inner->n_leaves + i]);
        }
    }
    pytree_def_free(both);
    return pytree__alg_flat(def, leaves);
}

/* The structure of what stands at the first leaf. */
static pytree_def *pytree__alg_infer(const pytree_def *outer, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_options mine = pytree__alg_options(opt, outer->none_is_leaf);
    pytree_leaf *subtrees;
    pytree_def *inner = NULL;
    if (outer->n_leaves == 0) {
        pytree_fail(err, PYTREE_EMPTY, NULL, "expected an outer structure with leaves to find the inner one, got one without");
        return NULL;
    }
    subtrees = (pytree_leaf *)pytree__array_new(outer->n_leaves, sizeof *subtrees, pytree__allocator(opt), err);
    if (subtrees == NULL) { return NULL; }
    if (pytree_flatten_up_to(outer, t, subtrees, outer->n_leaves, opt, err) == PYTREE_OK) {
        inner = pytree_structure(pytree_of_view(&subtrees[0]), &mine, err);
    }
    pytree__array_free(subtrees, outer->n_leaves, sizeof *subtrees, pytree__allocator(opt));
    return inner;
}

pytree_flat pytree_transpose(const pytree_def *outer, const pytree_def *inner, pytree t, const pytree_options *opt,
                             pytree_error *err)
{
    if (outer == NULL) { return pytree__alg_flat((pytree_def *)pytree__no_def(err), NULL); }
    pytree_options mine = pytree__alg_options(opt, outer->none_is_leaf);
    pytree_flat all = pytree__alg_flat(NULL, NULL), turned = all;
    pytree_def *found = NULL;
    if (inner == NULL) { inner = found = pytree__alg_infer(outer, t, opt, err); }
    if (inner != NULL) { all = pytree__alg_flatten(t, &mine, err); }
    if (all.def != NULL) {
        const size_t n = all.def->n_leaves;
        if (n != pytree__times(outer->n_leaves, inner->n_leaves)) {
            pytree_fail(err, PYTREE_STRUCTURE, NULL, "expected %zu times %zu leaves, outer's times inner's, got %zu",
                        outer->n_leaves, inner->n_leaves, n);
        } else if (outer->n_leaves == 0 && inner->n_leaves != 0) {
            pytree_fail(err, PYTREE_TOO_FEW_LEAVES, NULL,
                        "expected %zu leaves for the inner structure, got 0: the outer one has none",
                        inner->n_leaves);
        } else {
            turned = pytree__alg_turn(outer, inner, all.leaves, &mine, err);
        }
    }
    pytree_flat_free(&all);
    pytree_def_free(found);
    return turned;
}

/* Where the callback's trees go: one row of leaves for each leaf of the first tree. */
struct pytree_taker {
    pytree_give_fn *fn;
    void *context;
    const pytree_def *outer, *inner;
    pytree_def *found;                    /* inner, if it was not given */
    pytree_leaf *rows;
    size_t index, given;                  /* the leaf at hand; trees so far */
    bool deeper;                          /* a row has a subtree */
    const pytree_options *opt;
    pytree_error *err;
};

/* The inner structure is known from the first tree on, and with it how many leaves there will be. */
static pytree_status pytree__alg_rows(pytree_taker *to, pytree result)
{
    if (to->inner == NULL) { to->inner = to->found = pytree_structure(result, to->opt, to->err); }
    if (to->inner == NULL) { return PYTREE_NO_MEMORY; }
    if (to->inner->n_leaves == 0) {
        return pytree_fail(to->err, PYTREE_EMPTY, NULL, "expected an inner structure with leaves, got one without");
    }
    to->rows = (pytree_leaf *)pytree__array_new(pytree__times(to->outer->n_leaves, to->inner->n_leaves), sizeof *to->rows,
                                                pytree__allocator(to->opt), to->err);
    return to->rows == NULL ? PYTREE_NO_MEMORY : PYTREE_OK;
}

pytree_status pytree_give(pytree_taker *to, pytree result)
{
    pytree_status status = to->rows == NULL ? pytree__alg_rows(to, result) : PYTREE_OK;
    const size_t n = to->inner == NULL ? 0 : to->inner->n_leaves;
    if (to->given > to->index && status == PYTREE_OK) {
        status = pytree_fail(to->err, PYTREE_ARGUMENT, NULL, "expected one tree for leaf %zu, got a second one", to->index);
    }
    if (status == PYTREE_OK) {
        status = pytree_flatten_up_to(to->inner, result, to->rows + to->index * n, n, to->opt, to->err);
        to->given++;
    }
    return to->err->status == PYTREE_OK ? status : to->err->status;
}

static pytree_status pytree__alg_call(void *context, const pytree_iter *at)
{
    pytree_taker *to = (pytree_taker *)context;
    pytree_status status;
    to->index = at->index;
    status = to->fn(to->context, at, to);
    if (status == PYTREE_OK && to->given == to->index) {
        status = pytree_fail(to->err, PYTREE_ARGUMENT, NULL, "expected a tree for leaf %zu, got none (pytree_give)", to->index);
    }
    return status;
}

pytree_flat pytree_transpose_map(pytree_give_fn *fn, void *context, const pytree_def *inner, size_t n, const pytree *trees,
                                 const pytree_options *opt, pytree_error *err)
{
    pytree_flat turned = pytree__alg_flat(NULL, NULL);
    pytree_error own;
    pytree_taker to;
    pytree_def *outer;
    own.status = PYTREE_OK;
    own.message[0] = own.path[0] = '\0';
    if (fn == NULL || n == 0 || trees == NULL) {
        (void)pytree__alg_argument("a function and at least one tree", err);
        return turned;
    }
    outer = pytree_structure(trees[0], opt, err);
    if (outer == NULL) { return turned; }
    memset(&to, 0, sizeof to);
    to.fn = fn;
    to.context = context;
    to.outer = outer;
    to.inner = inner;
    to.opt = opt;
    to.err = &own;
    if (outer->n_leaves == 0) {
        pytree_fail(&own, PYTREE_EMPTY, NULL, "expected an outer structure with leaves, got one without");
    } else if (pytree_map(pytree__alg_call, &to, NULL, n, trees, opt, &own) == PYTREE_OK) {
        turned = pytree__alg_settle(pytree__alg_turn(outer, to.inner, to.rows, opt, &own), opt, &own);
    }
    if (to.rows != NULL) {
        pytree__array_free(to.rows, outer->n_leaves * to.inner->n_leaves, sizeof *to.rows, pytree__allocator(opt));
    }
    pytree_def_free(to.found);
    pytree_def_free(outer);
    (void)pytree__alg_status(&own, err);
    return turned;
}

/* ---- Stacks (bodies) ----------------------------------------------------------------------------------------------- */

static size_t pytree__alg_alignment(const pytree_options *opt)
{
    return opt == NULL || opt->alignment == 0 ? 64 : opt->alignment;
}

/* An error at a leaf of a treedef. */
static pytree_status pytree__alg_leaf_error(const pytree_def *def, size_t leaf, pytree_error *err, pytree_status status,
                                            const char *message)
{
    char path[1000];
    struct pytree__text text = pytree__text_to(path, sizeof path, NULL);
    size_t node = 0;
    if (err == NULL) { return status; }
    for (; def->nodes[node].type != NULL || leaf-- != 0; node++) {}
    pytree__alg_put_path(&text, def, node);
    pytree__end_text(&text, sizeof path);
    return pytree_fail(err, status, path, "%s", message);
}

/* What a stack's leaves will be, without their data, and the bytes of those: SIZE_MAX if they do not fit. */
static pytree_status pytree__alg_measure(const pytree_flat *first, size_t n, size_t align, size_t *bytes, pytree_error *err)
{
    size_t i;
    *bytes = align;
    for (i = 0; i < first->def->n_leaves; i++) {
        const pytree_leaf *leaf = &first->leaves[i];
        if (leaf->form == PYTREE_FORM_NONE) { continue; }
        if (leaf->form != PYTREE_FORM_LEAF) {
            return pytree__alg_leaf_error(first->def, i, err, PYTREE_TYPE, "expected leaves to stack, got a subtree");
        }
        if (leaf->ndim == PYTREE_MAX_DIMS) {
            return pytree__alg_leaf_error(first->def, i, err, PYTREE_SHAPE,
                                          "expected room for one more dimension, got PYTREE_MAX_DIMS of them");
        }
        *bytes = pytree__plus(*bytes, pytree__round(pytree__times(n, pytree_leaf_bytes(leaf)), align));
    }
    return PYTREE_OK;
}

/* Tree k's leaves to their places, if they are what the first tree's are. */
static pytree_status pytree__alg_place(const pytree_flat *first, const pytree_leaf *views, size_t k, pytree_leaf *leaves,
                                       pytree_error *err)
{
    size_t i;
    for (i = 0; i < first->def->n_leaves; i++) {
        const pytree_leaf *wanted = &first->leaves[i], *got = &views[i];
        const size_t size = wanted->form == PYTREE_FORM_LEAF ? pytree_leaf_bytes(wanted) : 0;
        pytree_status status = pytree__fits(wanted, got);
        if (PYTREE__UNLIKELY(status != PYTREE_OK)) {
            char a[100], b[100], message[300];
            pytree__leaf_text(a, sizeof a, wanted);
            pytree__leaf_text(b, sizeof b, got);
            snprintf(message, sizeof message, "expected %s as in the first tree, got %s in tree %zu", a,
                     got->form == PYTREE_FORM_LEAF || got->form == PYTREE_FORM_NONE ? b : "a subtree", k);
            return pytree__alg_leaf_error(first->def, i, err, status, message);
        }
        if (size != 0) { memcpy((char *)leaves[i].data + k * size, got->data, size); }
    }
    return PYTREE_OK;
}

/* The stack's leaves, which have their place in the block and nothing in it yet. */
static void pytree__alg_lay_out(const pytree_flat *first, size_t n, size_t align, pytree_leaf *leaves)
{
    size_t i;
    uintptr_t at = (uintptr_t)(leaves + first->def->n_leaves);
    char *data = (char *)(leaves + first->def->n_leaves) + (align - at % align) % align;
    for (i = 0; i < first->def->n_leaves; i++) {
        const pytree_leaf *leaf = &first->leaves[i];
        int k;
        pytree__alg_copy_view(&leaves[i], leaf);
        if (leaf->form == PYTREE_FORM_NONE) { continue; }
        for (k = leaf->ndim; k > 0; k--) { leaves[i].shape[k] = leaf->shape[k - 1]; }
        leaves[i].shape[0] = n;
        leaves[i].ndim++;
        leaves[i].data = data;
        data += pytree__round(n * pytree_leaf_bytes(leaf), align);
    }
}

pytree_flat pytree_stack(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    pytree_flat first = pytree__alg_flat(NULL, NULL), stack = first;
    const size_t align = pytree__alg_alignment(opt);
    pytree_leaf *views = NULL, *leaves = NULL;
    pytree_def *def = NULL;
    size_t bytes, k;
    pytree_status status = PYTREE_OK;
    if (n == 0 || trees == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at least one tree, got none");
        return stack;
    }
    if ((align & (align - 1)) != 0) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", align);
        return stack;
    }
    first = pytree__alg_flatten(trees[0], opt, err);
    if (first.def == NULL || pytree__alg_measure(&first, n, align, &bytes, err) != PYTREE_OK) {
        pytree_flat_free(&first);
        return stack;
    }
    views = (pytree_leaf *)pytree__array_new(first.def->n_leaves, sizeof *views, pytree__allocator(opt), err);
    if (views != NULL) { def = pytree__alg_copy(first.def, bytes, &leaves, opt, err); }
    if (def != NULL) {
        pytree__alg_lay_out(&first, n, align, leaves);
        for (k = 0; k < n && status == PYTREE_OK; k++) {
            status = pytree_flatten_up_to(first.def, trees[k], views, first.def->n_leaves, opt, err);
            if (status == PYTREE_OK) { status = pytree__alg_place(&first, views, k, leaves, err); }
        }
        if (status == PYTREE_OK) {
            stack = pytree__alg_flat(def, leaves);
        } else {
            pytree_def_free(def);
        }
    }
    pytree__array_free(views, first.def->n_leaves, sizeof *views, pytree__allocator(opt));
    pytree_flat_free(&first);
    return stack;
}

/* Makes a leaf its slice: SHAPE if it has no axis, ARGUMENT if the axis is too short. */
static pytree_status pytree__alg_slice(pytree_leaf *leaf, ptrdiff_t i)
{
    size_t at, size;
    int k;
    if (leaf->form == PYTREE_FORM_NONE) { return PYTREE_OK; }
    if (leaf->form != PYTREE_FORM_LEAF || leaf->ndim == 0) { return PYTREE_SHAPE; }
    at = i < 0 ? leaf->shape[0] - (0 - (size_t)i) : (size_t)i;             /* wraps where there is none */
    if (at >= leaf->shape[0]) { return PYTREE_ARGUMENT; }
    size = leaf->type->size;
    for (k = 1; k < leaf->ndim; k++) {
        size *= leaf->shape[k];
        leaf->shape[k - 1] = leaf->shape[k];
    }
    leaf->ndim--;
    if (leaf->data != NULL) { leaf->data = (char *)leaf->data + at * size; }
    return PYTREE_OK;
}

pytree_flat pytree_index(pytree t, ptrdiff_t i, const pytree_options *opt, pytree_error *err)
{
    pytree_flat flat = pytree__alg_flatten(t, opt, err);
    pytree_leaf *leaves = (pytree_leaf *)(uintptr_t)flat.leaves;
    size_t k;
    for (k = 0; flat.def != NULL && k < flat.def->n_leaves; k++) {
        pytree_status status = pytree__alg_slice(&leaves[k], i);
        if (status != PYTREE_OK) {
            char words[100], message[200];
            snprintf(words, sizeof words, "a subtree");
            if (leaves[k].form == PYTREE_FORM_LEAF) { pytree__leaf_text(words, sizeof words, &leaves[k]); }
            snprintf(message, sizeof message, "expected a slice %lld along the first axis, got %s", (long long)i, words);
            (void)pytree__alg_leaf_error(flat.def, k, err, status, message);
            pytree_flat_free(&flat);
        }
    }
    return flat;
}

/* ---- Parts (bodies) ------------------------------------------------------------------------------------------------ */

/* A tree as a view, so that it can stand where a leaf does. */
static pytree_status pytree__alg_view(pytree t, pytree_leaf *view, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree_status status;
    pytree__cursor_init(&c, opt, err);
    status = pytree__cursor_root(&c, t);
    memset(view, 0, sizeof *view);
    if (status == PYTREE_OK) { pytree__alg_subtree(view, &c.root); }
    pytree__cursor_end(&c);
    return status;
}

pytree_status pytree_partition(pytree t, pytree_filter_fn *pass, void *context, pytree fill, pytree_flat *passing,
                               pytree_flat *failing, const pytree_options *opt, pytree_error *err)
{
    pytree_flat all, parts[2];
    pytree_leaf *leaves[2], hole;
    pytree_error own;
    pytree_iter it;
    int k;
    if (pass == NULL) { return pytree__alg_argument("a function that chooses leaves", err); }
    own.status = PYTREE_OK;
    parts[0] = parts[1] = pytree__alg_flat(NULL, NULL);
    all = pytree__alg_flatten(t, opt, &own);
    for (k = 0; k < 2 && own.status == PYTREE_OK; k++) {
        parts[k].def = pytree__alg_copy(all.def, 0, &leaves[k], opt, &own);
        parts[k].leaves = leaves[k];
    }
    if (own.status == PYTREE_OK && pytree__alg_view(fill, &hole, opt, &own) == PYTREE_OK) {
        if (pytree_iter_begin(&it, 1, &t, opt, &own) == PYTREE_OK) {
            while (pytree_next(&it) && it.index < all.def->n_leaves) {
                bool passes = pass(context, &it);
                for (k = 0; k < 2; k++) {
                    pytree__alg_copy_view(&leaves[k][it.index], passes == (k == 0) ? &all.leaves[it.index] : &hole);
                }
            }
        }
        pytree_iter_end(&it);
    }
    pytree_flat_free(&all);
    if (passing == NULL || own.status != PYTREE_OK) { pytree_flat_free(&parts[0]); }
    if (failing == NULL || own.status != PYTREE_OK) { pytree_flat_free(&parts[1]); }
    if (passing != NULL) { *passing = parts[0]; }
    if (failing != NULL) { *failing = parts[1]; }
    return pytree__alg_status(&own, err);
}

pytree_flat pytree_combine(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, true);
    pytree_flat all = pytree__alg_flat(NULL, NULL);
    pytree_leaf *leaves, *views;
    size_t i, k, n_leaves;
    pytree_status status = PYTREE_OK;
    if (n == 0 || trees == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at least one tree, got none");
        return all;
    }
    all = pytree__alg_flatten(trees[0], &mine, err);
    if (all.def == NULL) { return all; }
    leaves = (pytree_leaf *)(uintptr_t)all.leaves;
    n_leaves = all.def->n_leaves;
    views = (pytree_leaf *)pytree__array_new(n_leaves, sizeof *views, pytree__allocator(opt), err);
    for (k = 1; k < n && views != NULL && status == PYTREE_OK; k++) {
        status = pytree_flatten_up_to(all.def, trees[k], views, n_leaves, &mine, err);
        for (i = 0; i < n_leaves && status == PYTREE_OK; i++) {
            if (leaves[i].form == PYTREE_FORM_NONE) { pytree__alg_copy_view(&leaves[i], &views[i]); }
        }
    }
    if (views == NULL || status != PYTREE_OK) { pytree_flat_free(&all); }
    pytree__array_free(views, n_leaves, sizeof *views, pytree__allocator(opt));
    return pytree__alg_settle(all, opt, err);
}

pytree_flat pytree_replace_none(pytree t, pytree with, const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, true);
    pytree_flat all = pytree__alg_flat(NULL, NULL);
    pytree_leaf *leaves, view;
    size_t i;
    if (pytree__alg_view(with, &view, opt, err) == PYTREE_OK) { all = pytree__alg_flatten(t, &mine, err); }
    leaves = (pytree_leaf *)(uintptr_t)all.leaves;
    for (i = 0; all.def != NULL && i < all.def->n_leaves; i++) {
        if (leaves[i].form == PYTREE_FORM_NONE) { pytree__alg_copy_view(&leaves[i], &view); }
    }
    return pytree__alg_settle(all, opt, err);
}

/* ---- Differences (bodies) ------------------------------------------------------------------------------------------ */

/* Two trees flattened, and what was found so far; a stack of pairs of nodes that are still to be compared. */
struct pytree__alg_pair {
    pytree_change kind;                   /* PYTREE_CHANGED: to be compared, or found to differ */
    size_t a, b;                          /* the roots */
    size_t leaf_a, leaf_b;                /* leaves up to their ends */
};

struct pytree__alg_diff {
    pytree_flat a, b;
    const pytree_tolerance *tolerance;
    const pytree_options *opt;
    pytree_error *err;
    struct pytree__alg_pair *found, *open;
    size_t n_found, max_found, n_open, max_open;
    struct pytree__alg_trail trail_a, trail_b;
};

static bool pytree__alg_found(struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    void *grown = pytree__array_grow(d->found, &d->max_found, d->n_found + 1, sizeof *d->found, pytree__allocator(d->opt),
                                     d->err);
    if (grown == NULL) { return false; }
    d->found = (struct pytree__alg_pair *)grown;
    d->found[d->n_found++] = *pair;
    return true;
}

/* Are two leaves equal? If they differ in a value, *element says in which. */
static bool pytree__alg_equal(const struct pytree__alg_diff *d, const pytree_leaf *x, const pytree_leaf *y, size_t *element)
{
    *element = SIZE_MAX;
    if (x->form != y->form) { return false; }
    if (x->form == PYTREE_FORM_NONE) { return true; }
    if (x->form != PYTREE_FORM_LEAF) {
        return pytree_equal(pytree_of_view(x), pytree_of_view(y), d->tolerance, d->opt, NULL);
    }
    if (pytree__fits(x, y) != PYTREE_OK) { return false; }
    *element = pytree__first_difference(x, y, d->tolerance);
    return *element == SIZE_MAX;
}

/* The children of two nodes of one type onto the stack, the first on top: pairs with the same key, and those that are alone. */
static bool pytree__alg_open_pair(struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    struct pytree__alg_both both;
    struct pytree__alg_pair *next;
    size_t i = 0, j = 0, k, n;
    void *grown;
    if (!pytree__alg_both_children(&both, d->a.def, pair->a, pair->leaf_a, d->b.def, pair->b, pair->leaf_b, d->opt, d->err)) {
        return false;
    }
    grown = pytree__array_grow(d->open, &d->max_open, d->n_open + both.n_a + both.n_b, sizeof *d->open,
                               pytree__allocator(d->opt), d->err);
    if (grown != NULL) {
        d->open = (struct pytree__alg_pair *)grown;
        next = d->open + d->n_open;
        for (n = 0; i < both.n_a || j < both.n_b; n++) {
            const int order = i == both.n_a ? 1 : j == both.n_b ? -1 : pytree__alg_order(&both.a[i], &both.b[j]);
            next[n].kind = order < 0 ? PYTREE_REMOVED : order > 0 ? PYTREE_ADDED : PYTREE_CHANGED;
            next[n].a = order > 0 ? 0 : both.a[i].node;
            next[n].leaf_a = order > 0 ? 0 : both.a[i].leaf;
            next[n].b = order < 0 ? 0 : both.b[j].node;
            next[n].leaf_b = order < 0 ? 0 : both.b[j].leaf;
            i += order <= 0;
            j += order >= 0;
        }
        for (k = 0; k < n / 2; k++) {
            struct pytree__alg_pair first = next[k];
            next[k] = next[n - 1 - k];
            next[n - 1 - k] = first;
        }
        d->n_open += n;
    }
    pytree__alg_both_free(&both, d->opt);
    return grown != NULL;
}

/* Keys of an ordered dict that both have, but in another order. */
static bool pytree__alg_reordered(const struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    const unsigned char *p = pytree__keys_of(d->a.def, pair->a), *q = pytree__keys_of(d->b.def, pair->b);
    struct pytree__alg_child x, y;
    uint32_t i;
    bool same = true;
    if (d->a.def->nodes[pair->a].type->kind != PYTREE_KIND_ODICT
        || d->a.def->nodes[pair->a].arity != d->b.def->nodes[pair->b].arity) {
        return false;
    }
    for (i = 0; i < d->a.def->nodes[pair->a].arity && same; i++) {
        p = pytree__key_at(p, &x.key, NULL);
        q = pytree__key_at(q, &y.key, NULL);
        same = pytree__alg_order(&x, &y) == 0;
    }
    return !same;
}

/* One pair: found to differ, or not, and its children onto the stack. */
static bool pytree__alg_compare(struct pytree__alg_diff *d, const struct pytree__alg_pair *pair)
{
    const pytree_node *x, *y;
    size_t element;
    if (pair->kind != PYTREE_CHANGED) { return pytree__alg_found(d, pair); }
    x = &d->a.def->nodes[pair->a];
    y = &d->b.def->nodes[pair->b];
    if (x->type == NULL && y->type == NULL) {
        return pytree__alg_equal(d, &d->a.leaves[pair->leaf_a - 1], &d->b.leaves[pair->leaf_b - 1], &element)
            || pytree__alg_found(d, pair);
    }
    if (x->type == NULL || y->type == NULL || !pytree_type_equal(x->type, y->type)) { return pytree__alg_found(d, pair); }
    if (x->type->kind == PYTREE_KIND_NAMEDTUPLE && !pytree__alg_same_statics(d->a.def, pair->a, d->b.def, pair->b)) {
        return pytree__alg_found(d, pair);
    }
    if (!pytree__alg_same_own(d->a.def, pair->a, d->b.def, pair->b) || pytree__alg_reordered(d, pair)) {
        if (!pytree__alg_found(d, pair)) { return false; }
    }
    return pytree__alg_open_pair(d, pair);
}

/* Trees of equal structure: only leaves can differ. */
static bool pytree__alg_compare_leaves(struct pytree__alg_diff *d)
{
    struct pytree__alg_pair pair;
    size_t element;
    pair.kind = PYTREE_CHANGED;
    pair.leaf_a = 0;
    for (pair.a = 0; pair.a < d->a.def->n_nodes; pair.a++) {
        if (d->a.def->nodes[pair.a].type != NULL) { continue; }
        pair.b = pair.a;
        pair.leaf_b = ++pair.leaf_a;
        if (!pytree__alg_equal(d, &d->a.leaves[pair.leaf_a - 1], &d->b.leaves[pair.leaf_a - 1], &element)
            && !pytree__alg_found(d, &pair)) {
            return false;
        }
    }
    return true;
}

/* What one side has there, in words. */
static void pytree__alg_put_side(struct pytree__text *text, const pytree_flat *flat, size_t node, size_t leaf, size_t element)
{
    const pytree_leaf *view = &flat->leaves[leaf - (leaf != 0)];
    char words[200];
    if (flat->def->nodes[node].type != NULL) {
        pytree__alg_put_node(text, flat->def, node);
    } else if (view->form != PYTREE_FORM_LEAF && view->form != PYTREE_FORM_NONE) {
        pytree__put_text(text, pytree__view_name(view));
    } else if (element == SIZE_MAX) {
        pytree__leaf_text(words, sizeof words, view);
        pytree__put_text(text, words);
    } else {
        struct pytree__text to = pytree__text_to(words, sizeof words, NULL);
        pytree__put_value(&to, view, element);
        pytree__end_text(&to, sizeof words);
        pytree__alg_put_cut(text, words);
        if (view->ndim != 0) {
            pytree__put_text(text, " at element ");
            pytree__put_number(text, element);
        }
    }
}

static bool pytree__alg_put_difference(struct pytree__alg_sink *sink, struct pytree__alg_diff *d,
                                       const struct pytree__alg_pair *pair, pytree_difference *difference)
{
    struct pytree__alg_trail *trail = pair->kind == PYTREE_ADDED ? &d->trail_b : &d->trail_a;
    size_t element = SIZE_MAX;
    if (!pytree__alg_go_to(trail, pair->kind == PYTREE_ADDED ? pair->b : pair->a)) { return false; }
    if (pair->kind == PYTREE_CHANGED && d->a.def->nodes[pair->a].type == NULL && d->b.def->nodes[pair->b].type == NULL) {
        (void)pytree__alg_equal(d, &d->a.leaves[pair->leaf_a - 1], &d->b.leaves[pair->leaf_b - 1], &element);
    }
    difference->kind = pair->kind;
    difference->path = pytree__alg_begin(sink);
    pytree__alg_put_trail(&sink->text, trail, SIZE_MAX / 2);
    pytree__alg_finish(sink);
    difference->a = difference->b = NULL;
    if (pair->kind != PYTREE_ADDED) {
        difference->a = pytree__alg_begin(sink);
        pytree__alg_put_side(&sink->text, &d->a, pair->a, pair->leaf_a, element);
        pytree__alg_finish(sink);
    }
    if (pair->kind != PYTREE_REMOVED) {
        difference->b = pytree__alg_begin(sink);
        pytree__alg_put_side(&sink->text, &d->b, pair->b, pair->leaf_b, element);
        pytree__alg_finish(sink);
    }
    return true;
}

/* All differences in one block: the list, what it lists, their texts. */
static pytree_difference_list *pytree__alg_differences(struct pytree__alg_diff *d)
{
    struct pytree__alg_sink sink;
    pytree_difference_list *list = NULL;
    pytree_difference one, *differences;
    size_t i, bytes;
    bool good = true;
    memset(&sink, 0, sizeof sink);
    for (i = 0; i < d->n_found && good; i++) { good = pytree__alg_put_difference(&sink, d, &d->found[i], &one); }
    bytes = sizeof *list + d->n_found * sizeof *differences + sink.text.length;
    if (good) { list = (pytree_difference_list *)pytree__array_new(bytes, 1, pytree__allocator(d->opt), d->err); }
    if (list == NULL) { return NULL; }
    differences = (pytree_difference *)(void *)(list + 1);
    list->n = d->n_found;
    list->differences = differences;
    list->allocator = pytree__allocator(d->opt);
    list->bytes = bytes;
    sink.text.at = (char *)(differences + d->n_found);
    sink.text.room = sink.text.length;
    sink.text.length = 0;
    /* the trails have the room they need by now */
    for (i = 0; i < d->n_found; i++) { (void)pytree__alg_put_difference(&sink, d, &d->found[i], &differences[i]); }
    return list;
}

pytree_difference_list *pytree_diff(pytree a, pytree b, const pytree_tolerance *tolerance, const pytree_options *opt,
                                    pytree_error *err)
{
    pytree_difference_list *list = NULL;
    struct pytree__alg_pair root;
    struct pytree__alg_diff d;
    bool good;
    memset(&d, 0, sizeof d);
    d.tolerance = tolerance;
    d.opt = opt;
    d.err = err;
    d.a = pytree__alg_flatten(a, opt, err);
    if (d.a.def != NULL) { d.b = pytree__alg_flatten(b, opt, err); }
    good = d.b.def != NULL;
    if (good && pytree_def_equal(d.a.def, d.b.def)) {
        good = pytree__alg_compare_leaves(&d);
    } else if (good) {
        root.kind = PYTREE_CHANGED;
        root.a = d.a.def->n_nodes - 1;
        root.b = d.b.def->n_nodes - 1;
        root.leaf_a = d.a.def->n_leaves;
        root.leaf_b = d.b.def->n_leaves;
        good = pytree__alg_compare(&d, &root);
    }
    while (good && d.n_open != 0) {
        struct pytree__alg_pair next = d.open[--d.n_open];
        good = pytree__alg_compare(&d, &next);
    }
    if (good) {
        pytree__alg_trail_begin(&d.trail_a, d.a.def, opt, err);
        pytree__alg_trail_begin(&d.trail_b, d.b.def, opt, err);
        list = pytree__alg_differences(&d);
        pytree__alg_trail_end(&d.trail_a);
        pytree__alg_trail_end(&d.trail_b);
    }
    pytree__array_free(d.found, d.max_found, sizeof *d.found, pytree__allocator(opt));
    pytree__array_free(d.open, d.max_open, sizeof *d.open, pytree__allocator(opt));
    pytree_flat_free(&d.a);
    pytree_flat_free(&d.b);
    return list;
}

void pytree_diff_free(pytree_difference_list *list)
{
    if (list != NULL) { (void)pytree__resize(list->allocator, list, list->bytes, 0); }
}

static void pytree__alg_put_differences(struct pytree__text *text, const pytree_difference_list *list)
{
    static const char marks[] = "-+!";
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {
        const pytree_difference *one = &list->differences[i];
        pytree__put(text, &marks[one->kind], 1);
        pytree__put(text, " ", 1);
        pytree__put_text(text, one->path);
        pytree__put(text, ": ", 2);
        if (one->a != NULL) { pytree__put_text(text, one->a); }
        if (one->a != NULL && one->b != NULL) { pytree__put_text(text, " -> "); }
        if (one->b != NULL) { pytree__put_text(text, one->b); }
        pytree__put(text, "\n", 1);
    }
}

size_t pytree_diff_text(const pytree_difference_list *list, char *text, size_t n)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    pytree__alg_put_differences(&to, list);
    return pytree__end_text(&to, n);
}

pytree_status pytree_diff_print(FILE *file, const pytree_difference_list *list, pytree_error *err)
{
    struct pytree__text to = pytree__text_to(NULL, 0, file);
    pytree__alg_put_differences(&to, list);
    return pytree__written(file, err);
}

#ifdef __cplusplus
}
#endif
#endif
