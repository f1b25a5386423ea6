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
#include "../pytree.h"
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
pytree_flat pytree_slice(pytree t, ptrdiff_t i, const pytree_options *opt, pytree_error *err);
#define pytree_index pytree_slice         /* its name before 0.2; gone after it */

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

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/flat.h"
#endif
