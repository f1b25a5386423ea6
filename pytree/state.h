/* pytree/state.h: the state of a model: its values by role, taken out and put back.
 *
 *     pytree_def *graphdef = NULL;
 *     pytree_flat states[2];
 *     pytree_split(PYTREE(&model), PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), &graphdef, states, NULL, &err);
 *     pytree_print(stdout, PYTREE(&states[0]), NULL, &err);         // ['layers'][0]['kernel'].value  f32[784,128] ...
 *     pytree grads = pytree_clone(PYTREE(&states[0]), NULL, &err);  // a state is a tree like any other
 *
 * A state is a tree of dicts: a struct is a dict with the names of its fields as keys, a list a dict with the keys 0, 1, ….
 * Values with a role are nodes of that role with one child `.value`; values without one are leaves. Dicts are visited by sorted
 * key. What is None, or holds nothing, is left out. The leaves are views of the model's own memory: nothing is copied, and
 * writing through them writes into the model. So a training loop splits once, before the loop.
 *
 * Every function here takes any tree for a model and for a state: structs, containers, literals, trees from text, states, and
 * mixtures. Where a state is read, a value may stand with or without its role. Options apply to the model; filters see places
 * (pytree/filter.h). Results of type pytree_flat are one block, freed with pytree_flat_free; their views borrow from the trees
 * that they were made from. On failure their `def` is NULL. The rules of pytree.h hold. Nothing recurses.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "algebra.h"                      /* pytree_flat_free */
#include "filter.h"
#include "graph.h"

#ifndef PYTREE_STATE_H
#define PYTREE_STATE_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Take states --------------------------------------------------------------------------------------------------- */

/* Split a tree into its structure and n states: nnx.split. Returns PYTREE_OK, *graphdef (NULL: not wanted) to be freed with
 * pytree_def_free, and states[0 … n-1]. A place goes to the first filter that matches; one that none takes is PYTREE_FILTER
 * with its path, as is PYTREE_REST before another filter. A custom node that has one key twice is PYTREE_STRUCTURE. With n = 0,
 * states[0] gets everything. On failure all results are empty. O(places), and the names of their paths. */
pytree_status pytree_split(pytree t, size_t n, const pytree_filter *filters, pytree_def **graphdef, pytree_flat *states,
                           const pytree_options *opt, pytree_error *err);

/* Take n states, like pytree_split, but leave out places that no filter takes: nnx.state(model, a, b). */
pytree_status pytree_states(pytree t, size_t n, const pytree_filter *filters, pytree_flat *states, const pytree_options *opt,
                            pytree_error *err);

/* Take the state that one filter chooses: nnx.state(model, filter), statelib.filter_state. */
pytree_flat pytree_state(pytree t, pytree_filter filter, const pytree_options *opt, pytree_error *err);

/* Take the values without their roles: nnx.to_pure_dict, nnx.as_pure. Back: pytree_update(model, 1, &pure, …). */
pytree_flat pytree_pure(pytree state, const pytree_options *opt, pytree_error *err);

/* ---- Put states back ----------------------------------------------------------------------------------------------- */

/* Build a new model from its structure and n states: nnx.merge. Returns it, to be freed with pytree_free; its data is NULL on
 * error. As with pytree_unflatten, pointers refer to the arrays of the states, which must outlive it, and values in place are
 * copied. The states may come in any order. A leaf that is in none of them is PYTREE_TOO_FEW_LEAVES with its path, one that the
 * structure lacks, or that is in two states, PYTREE_TOO_MANY_LEAVES; another type or shape is an error, too. */
pytree pytree_merge(const pytree_def *graphdef, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err);

/* Copy the values of n states to where their paths lead in a tree: nnx.update. Returns PYTREE_OK. A later state wins; places
 * that are in no state stay. Types and shapes must be those of the tree. A path that the tree lacks is PYTREE_NOT_FOUND, one
 * that leads to a node PYTREE_STRUCTURE. All is checked before the first value is written. What a predicate would make a leaf
 * is opened all the same. Values that are in place already, as those of a state of this tree are, cost only the check. The
 * others are copied one by one: a state must not refer to memory of the tree at another path than its own. */
pytree_status pytree_update(pytree t, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err);

/* ---- Places --------------------------------------------------------------------------------------------------------- */

/* The places of a tree, one after the other: the keys of a flat state. */
typedef struct pytree_place_list {
    size_t n;
    const pytree_place *places;           /* sorted by path; views borrow from the tree */
    /* private */
    pytree_flat flat;
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_place_list;

/* List the places that a filter chooses: nnx.to_flat_state, nnx.variables. Returns the list, to be freed with
 * pytree_places_free, or NULL on error. Their values are at->view: a leaf, or a value with a role that is a node. */
pytree_place_list *pytree_places(pytree t, pytree_filter filter, const pytree_options *opt, pytree_error *err);
void pytree_places_free(pytree_place_list *list);         /* NULL is allowed */

/* Make a state of n places, in any order: nnx.from_flat_state. A view must be a leaf, or come from a place list that still is;
 * anything else is PYTREE_TYPE. One path twice, or a path through a value, is PYTREE_STRUCTURE. */
pytree_flat pytree_of_places(size_t n, const pytree_place *places, const pytree_options *opt, pytree_error *err);

/* ---- By filter ----------------------------------------------------------------------------------------------------- */

/* Make a tree of the same structure as t, with the value of the first filter that matches for each leaf: nnx.prefix,
 * nnx.StateAxes. values[i], a leaf or None, belongs to filters[i]; None of t stays None. As axes of pytree/transform.h:
 *
 *     pytree values[2] = { PYTREE_INT(0), PYTREE_NONE };                     // parameters along axis 0, the rest whole
 *     pytree_flat axes = pytree_prefix(PYTREE(&model), PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), values, "model", NULL,
 *                                      &err);
 *
 * A place that no filter takes is PYTREE_FILTER; memory that several paths lead to, with different values, PYTREE_SHARED.
 * `label` begins the messages (NULL: none). The result's views borrow from the values. None is a leaf in it. */
pytree_flat pytree_prefix(pytree t, size_t n, const pytree_filter *filters, const pytree *values, const char *label,
                          const pytree_options *opt, pytree_error *err);

/* Set a STATIC number or string of every struct that has one of that name and that the filter chooses: set_attributes, train,
 * eval. Returns PYTREE_OK, and in *found how many there are. None is PYTREE_NOT_FOUND, unless `found` is given. A number must
 * be one that the member can hold (PYTREE_VALUE), a string stays the caller's and must outlive the struct. All is checked
 * before the first value is written. The counts of arrays are static numbers, too: they must go on to be true. */
pytree_status pytree_set_attributes(pytree t, pytree_filter nodes, const char *name, pytree value, size_t *found,
                                    const pytree_options *opt, pytree_error *err);

/* ---- States from states -------------------------------------------------------------------------------------------- */

/* Make a state of the same structure over zeroed arrays of its own, in one block: gradients, moments. Its leaves lie in the
 * order of the state, each aligned (options). Strings are PYTREE_TYPE. */
pytree_flat pytree_state_zeros_like(pytree state, const pytree_options *opt, pytree_error *err);

/* Join n states: nnx.merge_state. Where several have a place, the last one's value is taken. A path that is a value in one and
 * a node in another is PYTREE_STRUCTURE. */
pytree_flat pytree_state_merge(size_t n, const pytree *states, const pytree_options *opt, pytree_error *err);

/* Take from state a the places that b lacks: a - b, statelib.diff. */
pytree_flat pytree_state_minus(pytree a, pytree b, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_STATE_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/places.h"       /* the first of its rooms; each includes the next */
#endif
