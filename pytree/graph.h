/* pytree/graph.h: graphs: trees in which several paths lead to one value, and cycles.
 *
 *     pytree pair = PYTREE_LIST(PYTREE(&model), PYTREE(&model));
 *     pytree_def *graphdef = pytree_graphdef(pair, NULL, &err);              // [MLP(…), Same]
 *     pytree copy = pytree_graph_clone(pair, NULL, &err);                    // its two items are one MLP, too
 *
 * Plain functions take a graph for a tree: what two paths lead to stands twice, and a cycle is PYTREE_CYCLE. The functions here
 * take each value once, where the first path leads to it, in the order of the tree. A graphdef is an ordinary treedef, with a
 * node pytree_same where a value stood before: pytree_def_equal, _hash, _text, _save, _load and _free take it, and
 * pytree_unflatten makes a graph of it.
 *
 * Two paths lead to one value if both lead to the same address and find the same type there; that is the rule of
 * pytree_find_duplicates, too. The extents and the role must be the same, or it is PYTREE_SHARED with both paths. A value that
 * lies in a struct is where it lies: a pointer to it is what shares. Arrays that overlap in part are two values; pytree_check
 * finds them.
 *
 * The rules of pytree.h hold. Nothing recurses. O(nodes), with one table for the call; none if the tree shares nothing.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "algebra.h"                      /* pytree_flat_free */
#include "filter.h"

#ifndef PYTREE_GRAPH_H
#define PYTREE_GRAPH_H

#ifdef __cplusplus
extern "C" {
#endif

/* Take a graph apart into leaves, each once, and its structure: nnx.graph.flatten. Arguments and results are those of
 * pytree_flatten; the options, too. */
pytree_status pytree_graph_flatten(pytree t, pytree_leaf **leaves, size_t capacity, pytree_def **def,
                                   const pytree_options *opt, pytree_error *err);

/* Make the structure of a graph: nnx.graphdef. Returns it, to be freed with pytree_def_free; NULL on error. */
pytree_def *pytree_graphdef(pytree t, const pytree_options *opt, pytree_error *err);

/* Copy a graph deeply into one block: nnx.clone, copy.deepcopy. What is shared in it, cycles included, is shared in the copy.
 * A HANDLE is cloned once for each struct. Returns it, to be freed with pytree_free; its data is NULL on error. */
pytree pytree_graph_clone(pytree t, const pytree_options *opt, pytree_error *err);

/* Receive a place of a walk, with at->view. PYTREE_OK goes on; any other status ends the walk and becomes its result. */
typedef pytree_status pytree_place_fn(void *context, const pytree_place *at);

/* Call back for each leaf and each node but None, children before their parent, each once: nnx.iter_graph. Returns PYTREE_OK,
 * or the status of the callback that ended the walk. A variable in a state is a place of its own behind its value's. */
pytree_status pytree_graph_walk(pytree t, pytree_place_fn *fn, void *context, const pytree_options *opt, pytree_error *err);

/* Find the values that several paths lead to: nnx.find_duplicates(only=). `only` chooses places; a value with fewer than two of
 * them is left out. Returns the groups in one block, to be freed with pytree_duplicates_free; NULL on error. */
pytree_duplicates *pytree_graph_duplicates(pytree t, pytree_filter only, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_GRAPH_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/graph_walk.h"   /* the first of its rooms; each includes the next */
#endif
