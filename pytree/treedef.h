/* pytree/treedef.h: treedefs without a value: built by hand, composed, compared.
 *
 * A treedef (pytree_def) is the structure of a tree. pytree.h makes one from a value; here it is also made
 *
 *     from parts      pytree_def_leaf, _none, _list, _tuple, _deque, _dict, _idict, _odict, _defaultdict, _namedtuple, _struct
 *     from treedefs   pytree_def_compose, _transform, _common_suffix
 *     from text and bytes                  see pytree/treedef_io.h
 *
 * and asked without a value: pytree_def_is_prefix, _is_suffix, _errors, _paths, _leaf_path.
 *
 *     const pytree_def *layers[] = { linear, linear };
 *     pytree_def *model = pytree_def_list(2, layers, NULL, &err);          // PyTreeDef([CustomNode(Linear[…, [*, *]), …])
 *
 * Rules of pytree.h hold here too. Every treedef that is returned is one block, independent of its arguments, and is freed
 * with pytree_def_free. Functions that return one return NULL on failure. A treedef that is NULL is PYTREE_ARGUMENT, so that a
 * row of calls can be checked at its end. Two treedefs can only be combined if None is a leaf in both or in neither
 * (`none_is_leaf`), and if they are of one namespace or one of them of none; otherwise the error is PYTREE_ARGUMENT, as it is
 * where a type has another registration in the namespace that comes out. A treedef has less than 2^32 nodes and bytes of
 * static values: PYTREE_OVERFLOW. Nothing recurses: depth is bounded by memory.
 *
 * A treedef remembers in which order the pairs of its dicts were put in, for a rebuild: what is made of parts or of treedefs
 * does so too. That order is no part of the structure: it is not compared.
 *
 * The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in the same file.
 */
#include "../pytree.h"

#ifndef PYTREE_TREEDEF_H
#define PYTREE_TREEDEF_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- By hand ------------------------------------------------------------------------------------------------------- */

/* One leaf, None: optree.treespec_leaf, treespec_none. Where opt->none_is_leaf is set, None is a leaf. */
pytree_def *pytree_def_leaf(const pytree_options *opt, pytree_error *err);
pytree_def *pytree_def_none(const pytree_options *opt, pytree_error *err);

/* A container of n children: optree.treespec_list and so on, jax.tree_util.treedef_tuple. opt->none_is_leaf must be what
 * the children have, opt->space that of those that have one. Keys and names are copied. A dict's keys may come in any order and
 * are sorted together with their children; a key that comes twice is PYTREE_ARGUMENT. A deque's maxlen may be PYTREE_UNBOUNDED;
 * more children than that are PYTREE_BAD_COUNT. A default dict's factory is its name, "int"; NULL: None. O(nodes). */
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

/* A registered struct: type and static values are those of *self (only its STATIC fields are read), the children are given,
 * one for each DATA field. pytree_def_struct(PYTREE((&(Linear){ .din = 2, .dout = 3 })), 2, children, NULL, &err). Or a custom
 * node: its callbacks give metadata and keys, and as many children as they count. The registration is that of opt->space. */
pytree_def *pytree_def_struct(pytree self, size_t n, const pytree_def *const *children,
                              const pytree_options *opt, pytree_error *err);

/* ---- From treedefs ------------------------------------------------------------------------------------------------- */

/* `outer` with `inner` in the place of each leaf: PyTreeDef.compose. */
pytree_def *pytree_def_compose(const pytree_def *outer, const pytree_def *inner, const pytree_options *opt, pytree_error *err);

/* What pytree_def_transform calls with a part of a treedef: a leaf, or a node whose children are all leaves. *result is
 * NULL at the call; leave it so to keep the part, or set it to a new treedef, which pytree_def_transform frees (with
 * pytree_def_free). Any return but PYTREE_OK stops, and becomes the status of the error. `err` is for a message. */
typedef pytree_status pytree_def_transform_fn(void *context, const pytree_def *part, pytree_def **result, pytree_error *err);

/* Each node and each leaf replaced by what a callback makes of it, children before parents: optree.treespec_transform.
 * `node` must give a node with as many leaves as children and nothing else, `leaf` may give any treedef; NULL changes
 * nothing. */
pytree_def *pytree_def_transform(const pytree_def *def, pytree_def_transform_fn *node, pytree_def_transform_fn *leaf,
                                 void *context, const pytree_options *opt, pytree_error *err);

/* The smallest treedef that both are prefixes of: optree's broadcast_to_common_suffix. Where one has a leaf the other's
 * subtree stands. Dicts of any kinds with the same keys match, and so do deques of other maximum lengths; the result has kind,
 * order and length that `a` has. Otherwise PYTREE_STRUCTURE with the path. */
pytree_def *pytree_def_common_suffix(const pytree_def *a, const pytree_def *b, const pytree_options *opt, pytree_error *err);

/* ---- Comparison ---------------------------------------------------------------------------------------------------- */

/* Is `prefix` a prefix of `def`, so that its leaves may stand for whole subtrees there? `strict`: and not all of them for
 * leaves. optree.treespec_is_prefix, treespec_is_suffix. Dicts, ordered dicts and default dicts with the same keys match
 * in any order, deques whatever their maximum lengths; a namespace matches itself and none. If not, the error says where and
 * why; false with PYTREE_NO_MEMORY if memory ran out. O(nodes), one allocation for each of the two treedefs. */
bool pytree_def_is_prefix(const pytree_def *prefix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);
bool pytree_def_is_suffix(const pytree_def *suffix, const pytree_def *def, bool strict, const pytree_options *opt,
                          pytree_error *err);

/* In what two nodes differ. */
typedef enum pytree_mismatch {
    PYTREE_DIFFERENT_TYPES,               /* another container, struct or namedtuple; leaf or None against a node */
    PYTREE_DIFFERENT_LENGTHS,             /* list, tuple, deque or custom node with another number of children */
    PYTREE_DIFFERENT_KEYS,                /* dict with another set of keys */
    PYTREE_DIFFERENT_METADATA             /* static values, order of an ordered dict, factory, maxlen, None switch, namespace */
} pytree_mismatch;

/* One difference between two treedefs, in words. */
typedef struct pytree_def_error {
    pytree_mismatch kind;
    const char *path;                     /* key path of the two nodes, empty for the roots */
    const char *a, *b;                    /* "list of length 2", "Linear[(784, 128)]", "dict with keys 'b', 'w'" */
    const char *missing, *extra;          /* keys of two dicts, only in a, only in b: "'b', 'w'", "-3, 7"; otherwise empty */
} pytree_def_error;

typedef struct pytree_def_error_list {
    size_t n;                             /* 0: the treedefs are equal */
    const pytree_def_error *errors;       /* in visiting order */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_def_error_list;

/* Every difference: jax.tree_util.equality_errors_pytreedef. Below a node that differs nothing more is reported. NULL if memory
 * ran out; one block, freed with pytree_def_errors_free (NULL is fine). */
pytree_def_error_list *pytree_def_differences(const pytree_def *a, const pytree_def *b, const pytree_options *opt,
                                              pytree_error *err);
#define pytree_def_errors pytree_def_differences     /* its name before 0.2; gone after it */
void pytree_def_errors_free(pytree_def_error_list *list);

/* "different types", "different lengths", … */
const char *pytree_mismatch_name(pytree_mismatch kind);

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* Key paths of all leaves as text: optree.treespec_paths, treespec_accessors. As pytree_paths in all else: one block of
 * *count texts, `separator` NULL for .layers[0].w or given for layers/0/w. NULL on error. Free with pytree_paths_free. */
const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count,
                              const pytree_options *opt, pytree_error *err);

/* Key path of one leaf as entries, borrowed from the treedef. Writes at most `capacity`, returns how many there are;
 * SIZE_MAX if there is no such leaf. No allocation. O(depth × children). */
size_t pytree_def_leaf_path(const pytree_def *def, size_t leaf, pytree_entry *entries, size_t capacity);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/treedef_nodes.h"                          /* and from there treedef_build.h, treedef_compare.h */
#endif
