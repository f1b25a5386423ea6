/* pytree/treedef.h: treedefs without a value: build, compose and compare them.
 *
 * A treedef (pytree_def) is the structure of a tree. pytree.h makes one from a value; this header also makes them
 *
 *     from parts            pytree_def_leaf, _none, _list, _tuple, _deque, _dict, _idict, _odict, _defaultdict, _namedtuple,
 *                           _struct
 *     from treedefs         pytree_def_compose, _transform, _common_suffix
 *     from text and bytes   see pytree/treedef_io.h
 *
 * and answers questions about them: pytree_def_is_prefix, _is_suffix, _differences, _paths, _leaf_path.
 *
 *     const pytree_def *layers[] = { linear, linear };
 *     pytree_def *model = pytree_def_list(2, layers, NULL, &err);          // PyTreeDef([CustomNode(Linear[…, [*, *]), …])
 *
 * The rules of pytree.h hold. Every returned treedef is one block, independent of the arguments, and is freed with
 * pytree_def_free. Functions that return a treedef return NULL on failure. A treedef argument that is NULL is
 * PYTREE_ARGUMENT, so that the error can be checked once after a sequence of calls. Two treedefs can be combined only if None
 * is a leaf in both or in neither (`none_is_leaf`), and if both belong to the same namespace or one of them to none;
 * otherwise the error is PYTREE_ARGUMENT. So it is if a type has another registration in the namespace of the result. A
 * treedef has fewer than 2^32 nodes and bytes of static values (PYTREE_OVERFLOW). Nothing recurses: only memory bounds the
 * depth.
 *
 * A treedef remembers the order in which the pairs of its dicts were inserted, so that a rebuilt dict has it again; treedefs
 * made from parts or from treedefs do so too. That order is not part of the structure and is not compared.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_TREEDEF_H
#define PYTREE_TREEDEF_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- From parts ---------------------------------------------------------------------------------------------------- */

/* Return the treedef of one leaf, or of None: optree.treespec_leaf, treespec_none. With opt->none_is_leaf, None is a leaf. */
pytree_def *pytree_def_leaf(const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_none(const pytree_options *opt, pytree_error *err);

/* Build a container of n children: optree.treespec_list and so on, jax.tree_util.treedef_tuple. opt->none_is_leaf must be the
 * same as that of the children, opt->space the namespace of those that have one. Keys and names are copied. A dict's keys may
 * come in any order and are sorted together with their children; a repeated key is PYTREE_ARGUMENT. A deque's maxlen may be
 * PYTREE_UNBOUNDED; too many children for it are PYTREE_BAD_COUNT. The factory of a default dict is its name, "int"; NULL:
 * None. O(nodes). */
pytree_def *pytree_def_list(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_tuple(size_t n, const pytree_def *const *children, const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_deque(size_t maxlen, size_t n, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_dict(size_t n, const char *const *keys, const pytree_def *const *children,
                            const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_idict(size_t n, const int64_t *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_odict(size_t n, const char *const *keys, const pytree_def *const *children,
                             const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_defaultdict(const char *factory, size_t n, const char *const *keys, const pytree_def *const *children,
                                   const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_namedtuple(const char *name, size_t n, const char *const *fields, const pytree_def *const *children,
                                  const pytree_options *opt, pytree_error *err);

/* Build the node of a registered struct from the treedefs of its DATA fields. Type and static values are those of *self, of
 * which only the STATIC fields are read: pytree_def_struct(PYTREE((&(Linear){ .din = 2, .dout = 3 })), 2, children, NULL,
 * &err). For a custom node its callbacks give metadata, keys and the number of children. The registration is that of
 * opt->space. */
pytree_def *pytree_def_struct(pytree self, size_t n, const pytree_def *const *children,
                              const pytree_options *opt, pytree_error *err);

/* ---- From treedefs ------------------------------------------------------------------------------------------------- */

/* Compose two treedefs: returns `outer` with `inner` in the place of each leaf. PyTreeDef.compose. */
pytree_def *pytree_def_compose(const pytree_def *outer, const pytree_def *inner, const pytree_options *opt, pytree_error *err);

/* Replace a part of a treedef: a leaf, or a node whose children are all leaves. *result is NULL at the call; leave it so to
 * keep the part, or set it to a new treedef, which pytree_def_transform frees with pytree_def_free. A status other than
 * PYTREE_OK stops the transformation and becomes the status of the error. `err` takes a message. */
typedef pytree_status pytree_def_transform_fn(void *context, const pytree_def *part, pytree_def **result, pytree_error *err);

/* Transform a treedef: replaces each node and each leaf by the result of a callback, children before parents.
 * optree.treespec_transform. `node` must return a single node with as many leaves as the part has children; `leaf` may return
 * any treedef. A callback that is NULL changes nothing. */
pytree_def *pytree_def_transform(const pytree_def *def, pytree_def_transform_fn *node, pytree_def_transform_fn *leaf,
                                 void *context, const pytree_options *opt, pytree_error *err);

/* Return the smallest treedef of which both are prefixes: optree's broadcast_to_common_suffix. Where one has a leaf, the
 * result has the other's subtree. Dicts of different kinds with the same keys match, and so do deques of different maximum
 * lengths; the result has the kind, order and length of `a`. A mismatch is PYTREE_STRUCTURE with the path. */
pytree_def *pytree_def_common_suffix(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err);

/* ---- Comparison ---------------------------------------------------------------------------------------------------- */

/* Tell whether `prefix` is a prefix of `def`, so that its leaves may stand for whole subtrees there; with `strict`, at least
 * one leaf must stand for a node. optree.treespec_is_prefix, treespec_is_suffix. Dicts, ordered dicts and default dicts with
 * the same keys match in any order, deques whatever their maximum lengths; a namespace matches itself and none. If the answer
 * is no, the error says where and why; false with PYTREE_NO_MEMORY if memory runs out. O(nodes), one allocation for each of
 * the two treedefs. */
bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);
bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);

/* Kinds of differences between two nodes. */
typedef enum pytree_mismatch {
    PYTREE_DIFFERENT_TYPES,               /* another container, struct or namedtuple; leaf or None against a node */
    PYTREE_DIFFERENT_LENGTHS,             /* list, tuple, deque or custom node with another number of children */
    PYTREE_DIFFERENT_KEYS,                /* dict with another set of keys */
    PYTREE_DIFFERENT_METADATA             /* static values, order of an ordered dict, factory, maxlen, None switch, namespace */
} pytree_mismatch;

/* One difference between two treedefs, described for people. */
typedef struct pytree_def_error {
    pytree_mismatch kind;
    const char *path;                     /* key path of the two nodes, empty for the roots */
    const char *a, *b;                    /* "list of length 2", "Linear[(784, 128)]", "dict with keys 'b', 'w'" */
    const char *missing, *extra;          /* of two dicts: keys only in a, only in b: "'b', 'w'", "-3, 7"; otherwise empty */
} pytree_def_error;

typedef struct pytree_def_error_list {
    size_t n;                             /* 0: the treedefs are equal */
    const pytree_def_error *errors;       /* in visiting order */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_def_error_list;

/* List all differences between two treedefs: jax.tree_util.equality_errors_pytreedef. Nothing is listed below a node that
 * differs. Returns one block, freed with pytree_def_errors_free (NULL is fine), or NULL if memory runs out. */
pytree_def_error_list *pytree_def_differences(const pytree_def *a, const pytree_def *b, const pytree_options *opt,
                                              pytree_error *err);
#define pytree_def_errors pytree_def_differences     /* its name before 0.2; gone after it */
void pytree_def_errors_free(pytree_def_error_list *list);

/* Return the name of a kind of difference: "different types", "different lengths", … */
const char *pytree_mismatch_name(pytree_mismatch kind);

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* Return the key paths of all leaves as strings: optree.treespec_paths, treespec_accessors. Like pytree_paths: one block of
 * *count strings, `separator` NULL for .layers[0].w or given for layers/0/w; freed with pytree_paths_free. NULL on error. */
const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count,
                              const pytree_options *opt, pytree_error *err);

/* Write the key path of one leaf as entries, borrowed from the treedef: at most `capacity` of them. Returns the length of
 * the path, or SIZE_MAX if there is no such leaf. No allocation. O(depth × children). */
size_t pytree_def_leaf_path(const pytree_def *def, size_t leaf, pytree_entry *entries, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/treedef_nodes.h"    /* the first of its rooms; each includes the next */
#endif
