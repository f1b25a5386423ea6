/* pytree/algebra.h: operations on several trees: prefixes, transposition, stacks, partitions, differences.
 *
 *     prefixes               pytree_broadcast_prefix, _broadcast_leaves, _flatten_up_to, _prefix_errors
 *     two or more trees      pytree_broadcast_common, _broadcast_map
 *     transpose and stack    pytree_transpose, _transpose_map, _stack, _slice
 *     partition              pytree_partition, _combine, _replace_none
 *     differences            pytree_diff
 *
 * A prefix is a tree whose leaves may stand for whole subtrees of another tree. That other tree, the full one, is given by
 * its treedef: one treedef serves many prefixes, and `opt` applies to the prefix only, as is_leaf does in JAX. A tree of
 * axes, in which None is an entry of its own:
 *
 *     pytree_options axes_options = { .none_is_leaf = true };
 *     pytree_def *full = pytree_structure(argument, NULL, &err);
 *     pytree_broadcast_leaves(axes, full, entries, 16, "in_axes", &axes_options, &err);        // jax.vmap's in_axes
 *
 * A result whose leaves no struct could hold is a pytree_flat: a treedef and an array of views, in one block. It is a tree
 * like any other, PYTREE(&flat): it can be mapped, printed, compared, used as a prefix, and flattened. Its views borrow from
 * the trees it was made from, which must outlive it, unless its function says that it has data of its own. On failure its
 * `def` is NULL and nothing needs to be freed; pytree_flat_free accepts it all the same.
 *
 * Nodes match as in JAX: same type, number of children, keys and static values, and for an ordered dict the same order of
 * keys. pytree_broadcast_common and pytree_broadcast_map, which come from optree, also match dicts, ordered dicts and default
 * dicts that have the same keys. The rules of pytree.h hold. A treedef of NULL is PYTREE_ARGUMENT unless a function says what
 * NULL means. Nothing recurses.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "treedef.h"                      /* compose, common suffix, the kinds of mismatch */

#ifndef PYTREE_ALGEBRA_H
#define PYTREE_ALGEBRA_H

#ifdef __cplusplus
extern "C" {
#endif

/* Free the block of a flat that a function below returned or filled in, and empties it. NULL and an empty flat are fine. */
void pytree_flat_free(pytree_flat *flat);

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

/* Spread a prefix over a full structure. Returns a tree of full's structure in which each leaf is the prefix's leaf that
 * stands for it. jax.tree.broadcast, optree.tree_broadcast_prefix. `label` names the prefix in messages (NULL: "prefix"). If
 * it does not fit: PYTREE_STRUCTURE with the path of the first mismatch, both nodes, and the number of further mismatches.
 * Full's own None switch holds for full, opt's for the prefix. Two allocations, one of which is the result. O(nodes). */
pytree_flat pytree_broadcast_prefix(pytree prefix, const pytree_def *full, const char *label,
                                    const pytree_options *opt, pytree_error *err);

/* Spread a prefix over a full structure, like pytree_broadcast_prefix, but writes one view for each leaf of full, in order.
 * JAX's broadcast_prefix and flatten_axes. `leaves` is the caller's array of `capacity` views (too small:
 * PYTREE_TOO_MANY_LEAVES with both counts); a failure leaves it as it was. With opt->none_is_leaf, None in the prefix is an
 * entry too, of form PYTREE_FORM_NONE. One allocation. O(nodes). */
pytree_status pytree_broadcast_leaves(pytree prefix, const pytree_def *full, pytree_leaf *leaves, size_t capacity,
                                      const char *label, const pytree_options *opt, pytree_error *err);

/* Find the subtrees that stand where a treedef has leaves: PyTreeDef.flatten_up_to. Sets subtrees[i] to a view of the value
 * at leaf i, a leaf or a whole subtree (pytree_of_view makes a tree of it again). `capacity` is the size of the array, which
 * needs one view for each leaf of the treedef. The treedef decides whether None is a leaf and, unless opt does, which
 * namespace holds; only the namespace and the allocator of opt are used. A mismatch is PYTREE_STRUCTURE with the path of the
 * first one, and `subtrees` is then unspecified. No allocation for fewer than 256 nodes and 24 levels; beyond that one, and
 * those of the walk. O(nodes of the treedef). */
pytree_status pytree_flatten_up_to(const pytree_def *def, pytree t, pytree_leaf *subtrees, size_t capacity,
                                   const pytree_options *opt, pytree_error *err);

/* One place where a prefix does not fit. */
typedef struct pytree_prefix_error {
    pytree_mismatch kind;
    const char *path;                     /* key path of the two nodes, empty for the roots */
    const char *prefix, *full;            /* the two nodes: "list of length 2", "Linear[(784, 128)]", "leaf" */
    size_t n_missing, n_extra;            /* of two dicts: keys only in the prefix, keys only in the full tree */
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

/* List all mismatches between a prefix and a full structure: jax.tree_util's prefix_errors. Nothing is listed below a node
 * that does not match. Messages begin with `label` (NULL: "prefix") and the path; they name at most eight keys, count the
 * rest, and do not show what is below a node. Returns one block, freed with pytree_prefix_errors_free (NULL is fine), or NULL
 * if memory runs out or the prefix cannot be walked. O(nodes + length of the messages). */
pytree_prefix_error_list *pytree_prefix_errors(pytree prefix, const pytree_def *full, const char *label,
                                               const pytree_options *opt, pytree_error *err);
void pytree_prefix_errors_free(pytree_prefix_error_list *list);

/* Write the messages, one a line: into a buffer like snprintf, or to a file. Writes nothing for NULL. */
size_t pytree_prefix_errors_text(const pytree_prefix_error_list *list, char *text, size_t n);
pytree_status pytree_prefix_errors_print(FILE *file, const pytree_prefix_error_list *list, pytree_error *err);

/* ---- Two or more trees --------------------------------------------------------------------------------------------- */

/* Bring two trees to their common structure, the smallest of which both are prefixes: optree.tree_broadcast_common. Where
 * one tree has a leaf, it gets the other's subtree with that leaf throughout. Where one has a dict and the other an ordered
 * dict with the same keys, each keeps its own kind. Trees that do not match: PYTREE_STRUCTURE with the path. Two results, one
 * block each. */
pytree_status pytree_broadcast_common(pytree a, pytree b, pytree_flat *out_a, pytree_flat *out_b,
                                      const pytree_options *opt, pytree_error *err);

/* Map over n trees that are first brought to their common structure, which takes its kinds of dicts from the first:
 * optree.tree_broadcast_map. `out` (may be NULL) has that structure. */
pytree_status pytree_broadcast_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                                   const pytree_options *opt, pytree_error *err);

/* ---- Transpose and stack ------------------------------------------------------------------------------------------- */

/* Exchange two levels of a tree: a tree of outer's structure with trees of inner's structure at its leaves becomes a tree of
 * inner's structure with trees of outer's structure at its leaves. jax.tree.transpose. `inner` NULL: the structure of the
 * subtree at outer's first leaf. As in JAX only the numbers of leaves are compared: PYTREE_STRUCTURE if the tree does not
 * have outer's times inner's, PYTREE_TOO_FEW_LEAVES if outer has none and inner has some, PYTREE_EMPTY if outer has none and
 * inner has to be inferred. */
pytree_flat pytree_transpose(const pytree_def *outer, const pytree_def *inner, pytree t,
                             const pytree_options *opt, pytree_error *err);

/* Make a tree for one leaf; pytree_transpose_map calls it for each, as pytree_map does. It hands the tree over with `return
 * pytree_give(to, result)`, exactly once. Containers in the result may be literals, down to the leaves of the inner
 * structure; the memory those leaves refer to must outlive the result of pytree_transpose_map. */
typedef struct pytree_taker pytree_taker;
typedef pytree_status pytree_give_fn(void *context, const pytree_iter *at, pytree_taker *to);
pytree_status pytree_give(pytree_taker *to, pytree result);

/* Map a function that makes a tree for each leaf, and transposes the result: returns a tree of those trees' structure with
 * trees of trees[0]'s structure at its leaves. optree.tree_transpose_map. `inner`: their structure, of which each may be
 * deeper; NULL: that of the first one. PYTREE_EMPTY if outer or inner structure has no leaves. */
pytree_flat pytree_transpose_map(pytree_give_fn *fn, void *context, const pytree_def *inner, size_t n, const pytree *trees,
                                 const pytree_options *opt, pytree_error *err);

/* Stack n trees of equal structure, element types and shapes: returns one tree in which each leaf has a new first axis of
 * length n, so an array of structs becomes a struct of arrays. The data are copied into the result's one block, each array
 * aligned (opt->alignment), and so are strings; what opaque leaves refer to is shared. With none_is_leaf, None stays None.
 * Errors: PYTREE_STRUCTURE, _TYPE, _SHAPE with the path and the number of the tree; PYTREE_ARGUMENT if n is 0. */
pytree_flat pytree_stack(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);

/* Take slice i (negative: from the end) along the first axis of each leaf: returns views into the tree, without copying
 * data. PYTREE_SHAPE for a leaf without axes, PYTREE_ARGUMENT if there is no such slice, both with the path. One allocation. */
pytree_flat pytree_slice(pytree t, ptrdiff_t i, const pytree_options *opt, pytree_error *err);
#define pytree_index pytree_slice         /* its name before 0.2; gone after it */

/* ---- Partition ----------------------------------------------------------------------------------------------------- */

/* Decide whether a leaf belongs to the first part. at->leaf[0] is its view, at->index its number, and pytree_iter_path_text
 * gives its path. */
typedef bool pytree_filter_fn(void *context, const pytree_iter *at);

/* Split a tree into two of its structure: leaves that pass are in one, all others in the other, and `fill` takes the place
 * of a leaf that is in the other part: PYTREE_NONE for equinox.partition and optree.tree_partition. `passing` or `failing`
 * may be NULL. Two allocations, one for each part. */
pytree_status pytree_partition(pytree t, pytree_filter_fn *pass, void *context, pytree fill, pytree_flat *passing,
                               pytree_flat *failing, const pytree_options *opt, pytree_error *err);

/* Merge n trees: takes at each leaf the value of the first tree that does not have None there. equinox.combine, the inverse
 * of pytree_partition. None counts as a leaf of the first tree, which gives the structure; where it has None, the others may
 * have subtrees. One block, and a second one during the call; more where subtrees or custom walks (is_leaf, namespaces) are
 * involved. */
pytree_flat pytree_combine(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err);

/* Replace each None by `with`, a leaf or a whole tree: optree.tree_replace_nones. */
pytree_flat pytree_replace_none(pytree t, pytree with, const pytree_options *opt, pytree_error *err);

/* ---- Differences --------------------------------------------------------------------------------------------------- */

typedef enum pytree_change { PYTREE_REMOVED, PYTREE_ADDED, PYTREE_CHANGED } pytree_change;

typedef struct pytree_difference {
    pytree_change kind;
    const char *path;                     /* key path of a leaf or of a whole subtree; empty: the root */
    const char *a, *b;                    /* both sides: "f32[3]", "list of length 2", "0.5 at element 3"; NULL: nothing */
} pytree_difference;

typedef struct pytree_difference_list {
    size_t n;                             /* 0: the trees are equal */
    const pytree_difference *differences; /* in visiting order, dicts by key; in lists, additions follow their siblings */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_difference_list;

/* List the differences between two trees. Returns the paths that only a has (removed), those that only b has (added), and
 * those where both have something that is not equal (changed): leaves of another type, shape or value, nodes of another type
 * or with other static values, keys in another order. Children match by their keys; those of two lists match by their index.
 * Nothing is listed below a node that was removed, was added, or has another type. One block, freed with pytree_diff_free
 * (NULL is fine); NULL if memory runs out or a tree cannot be walked. */
pytree_difference_list *pytree_diff(pytree a, pytree b, const pytree_tolerance *tolerance,
                                    const pytree_options *opt, pytree_error *err);
void pytree_diff_free(pytree_difference_list *list);

/* Write the differences, one a line: "- .w: f32[3]", "+ .b: f32[2]", "! .scale: 0.5 at element 3 -> 0.25 at element 3": into
 * a buffer like snprintf, or to a file. Writes nothing for NULL. */
size_t pytree_diff_text(const pytree_difference_list *list, char *text, size_t n);
pytree_status pytree_diff_print(FILE *file, const pytree_difference_list *list, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/flat.h"    /* the first of its rooms; each includes the next */
#endif
