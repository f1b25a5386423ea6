/* pytree/record.h: values that a model records while it runs: sown, perturbed, captured, and popped.
 *
 *     pytree_sow(module, &pytree_role_Intermediate, "mean", PYTREE_SCALAR(&mean), NULL, &err);     // inside the model
 *     …
 *     pytree taken;                                                                                 // outside
 *     pytree_pop(model, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &err);
 *     pytree_print(stdout, taken, NULL, &err);                       // ['blocks'][0]['mean'].value[0]  f32 0.25
 *     pytree_container_free(taken);
 *
 * In an object (pytree/object.h) a recorded value is an attribute that comes to be: a variable of the role. A struct declares
 * a member for it, which is PYTREE_NONE until something is recorded:
 *
 *     typedef struct Block { Linear linear; pytree mean; } Block;
 *     PYTREE_FIELD(DATA, linear) PYTREE_FIELD(DATA, mean, ROLE(Intermediate))
 *
 * Values are copied when they are recorded and stay until they are popped: so states, prints and gradients have them, too.
 * What a member of a struct holds belongs to the program: popping it moves it to the result. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "object.h"
#include "state.h"

#ifndef PYTREE_RECORD_H
#define PYTREE_RECORD_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Record -------------------------------------------------------------------------------------------------------- */

/* How values of one name are put together. `init` returns what stands there before the first one, a tree that is copied;
 * `reduce` writes into that copy what becomes of it and a value. */
typedef struct pytree_sow_rule {
    pytree (*init)(void *context);
    pytree_status (*reduce)(void *context, pytree so_far, pytree value);
    void *context;
} pytree_sow_rule;

/* Record a value under a name, in an object or in a member of a struct: Module.sow. Without a rule (NULL) a tuple of all
 * values grows. Returns PYTREE_OK; PYTREE_TYPE if the name is something else already, PYTREE_NOT_FOUND if the struct has no
 * such member. After an error nothing is recorded, unless `reduce` has failed. */
pytree_status pytree_sow(pytree module, const pytree_type *role, const char *name, pytree value, const pytree_sow_rule *rule,
                         pytree_error *err);

/* Add what is stored under a name to an array, in place: Module.perturb. The first call stores zeros of its type and shape,
 * with the role Perturbation, whose gradient is the gradient of the array. Arrays of f32, f64 and their complex types. Another
 * type or shape later is PYTREE_TYPE or PYTREE_SHAPE. */
pytree_status pytree_perturb(pytree module, const char *name, const pytree_leaf *x, pytree_error *err);

/* ---- Put states back ----------------------------------------------------------------------------------------------- */

/* Copy the values of n states to where their paths lead in a tree with objects: nnx.update. As pytree_update, but variables
 * and attributes take values of other types and shapes, and objects and growing containers new names; an index beyond the end
 * of a list appends. A variable keeps its role, and gets the metadata of the state's. Values that fit are written to the
 * memory that is there. Returns PYTREE_OK; PYTREE_STRUCTURE for a value where a node is, PYTREE_STATIC for one of a static
 * attribute, PYTREE_ARGUMENT for a text key into a list. After an error the tree is unchanged. */
pytree_status pytree_object_update(pytree t, size_t n, const pytree *states, const pytree_options *opt, pytree_error *err);

/* ---- By filter ------------------------------------------------------------------------------------------------------ */

/* Set an attribute of every object and struct that has one of that name and that the filter chooses: set_attributes, train,
 * eval. As pytree_set_attributes, for trees with objects: an attribute gets a copy of the value, and keeps its status as in
 * pytree_object_put. Returns PYTREE_OK, and in *found how many there are. None is PYTREE_NOT_FOUND, unless `found` is given.
 * PYTREE_STATIC for data in a static attribute, PYTREE_FROZEN at another level. After an error the tree is unchanged. */
pytree_status pytree_object_set_attributes(pytree t, pytree_filter nodes, const char *name, pytree value, size_t *found,
                                           const pytree_options *opt, pytree_error *err);

/* Put metadata of every variable that the filter chooses: nnx.set_metadata. As pytree_variable_put_metadata; the variables are
 * those of objects and growing containers, because structs have no metadata. Returns PYTREE_OK, and in *found how many there
 * are. None is PYTREE_NOT_FOUND, unless `found` is given. After an error the tree is unchanged. O(length of all metadata). */
pytree_status pytree_set_metadata(pytree t, pytree_filter only, const char *name, pytree value, size_t *found,
                                  const pytree_options *opt, pytree_error *err);

/* ---- Take what was recorded ---------------------------------------------------------------------------------------- */

/* Take variables out of a tree: nnx.pop. taken[i] becomes what filter i is the first to choose: a growing dict of dicts by
 * path, as a state, which owns what the tree owned; free it with pytree_container_free. Places are taken out of objects,
 * growing lists and dicts, and members of type pytree, where PYTREE_NONE stays. Returns PYTREE_OK; PYTREE_FILTER without a
 * filter, PYTREE_TYPE for a chosen place that cannot be taken out. After an error nothing is taken, and all results are empty.
 * Of a shared variable the first path that is chosen is taken, and the others stay. O(places). */
pytree_status pytree_pop(pytree t, size_t n, const pytree_filter *filters, pytree *taken, const pytree_options *opt,
                         pytree_error *err);

/* Run a model for pytree_capture. */
typedef pytree_status pytree_capture_fn(void *context, pytree t, pytree_error *err);

/* Call a function, and take what it has recorded: nnx.capture. A state `init` (type NULL: none) is put into the tree before,
 * as by pytree_object_update, and what the filters choose is popped from it afterwards, also if the function fails; the
 * results are then empty. */
pytree_status pytree_capture(pytree t, size_t n, const pytree_filter *filters, pytree init, pytree_capture_fn *fn,
                             void *context, pytree *captured, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_RECORD_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/record.h"       /* the first of its rooms; each includes the next */
#endif
