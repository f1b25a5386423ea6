/* pytree/sundials.h: a tree as a vector of SUNDIALS, so that CVODE, ARKODE, IDA and KINSOL solve for a struct.
 *
 *     N_Vector y = pytree_nvector_new(PYTREE(&reactor), context, NULL, &err);
 *     CVodeInit(solver, rates, 0, y);                                            // the numbers of `reactor`, where they are
 *     …
 *     static int rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
 *     {
 *         const Reactor *now = PYTREE_NVECTOR(Reactor, y);
 *         Reactor *rate = PYTREE_NVECTOR(Reactor, ydot);
 *         rate->temperature = -now->loss * now->temperature;
 *         …
 *
 * The vector's elements are those of the leaves, in the order of pytree_leaves: as pytree_ravel has them. Every operation gives
 * the bits that nvector_serial gives for that vector, unless the compiler may fuse products and sums (-ffp-contract=fast).
 * Loops run over the longest stretches of memory that leaves fill side by side; the arrays of a clone are one such stretch.
 *
 * A leaf that is not of SUNDIALS's type, sunrealtype (double, as Debian builds it), must be excluded, and any other may be: by
 * path, by role, or by any other filter of pytree/filter.h.
 *
 *     const pytree_filter constants = PYTREE_ANY_OF(PYTREE_PATH("**.mesh.*"), PYTREE_OF(Param));
 *     const pytree_nvector_options opt = { .excluded = &constants };
 *
 * This header needs SUNDIALS 6 (libsundials-dev), and no other header of the library needs it. Link with
 * -lsundials_nvecserial, or with any other library of SUNDIALS that has the functions of sundials_nvector.h. The rules of
 * pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "filter.h"                       /* what is excluded */
#include <sundials/sundials_nvector.h>

#ifndef PYTREE_SUNDIALS_H
#define PYTREE_SUNDIALS_H

#ifdef __cplusplus
extern "C" {
#endif

/* Options of pytree_nvector_new. NULL or zero: the defaults. */
typedef struct pytree_nvector_options {
    pytree_options tree;                  /* as everywhere; also for the clones, so that what it refers to must outlive them.
                                             print_values: the most numbers of an array that N_VPrint writes, 0: all */
    const pytree_filter *excluded;        /* leaves that are no elements; NULL: none. It is asked by pytree_nvector_new only */
} pytree_nvector_options;

/* Make a vector of a tree's numbers, which stay where they are: N_VMake_Serial. Returns the vector, to be freed with
 * N_VDestroy; NULL on error: PYTREE_TYPE with the path of a leaf of another type, PYTREE_SHARED with that of a leaf whose
 * elements another one has, too, PYTREE_SYNTAX for a pattern that cannot be read, and those of pytree_flatten and
 * pytree_unflatten. The tree must outlive the vector and its clones, and must keep its structure and shapes.
 *
 * N_VClone, which solvers call, makes a tree of the same structure with numbers of its own, and copies them. Leaves that are
 * excluded are copied where they lie in a struct; where a pointer leads to them, all clones refer to those of the tree given
 * here. DROP fields of clones are zero. So an equation reads constants in `y`, and may write to any field of `ydot` whose leaf
 * is not excluded.
 *
 * There are all standard operations, the fused N_VLinearCombination, N_VScaleAddMulti and N_VDotProdMulti, the local reductions
 * (for ManyVector and MPIPlusX), and those of XBraid; operations on arrays of vectors are SUNDIALS's own, which call these.
 * Vectors that meet in an operation must have the same number of elements; elements beyond the shorter one are left alone.
 * N_VPrint prints paths and values. N_VGetArrayPointer is there if the elements fill one stretch of memory. A clone that gets
 * no memory is NULL, but N_VClone of SUNDIALS 6.4 writes to it all the same, as it does with its own vectors.
 *
 * Two vectors can be used by two threads; one cannot. Cost: two allocations of the library and two of SUNDIALS for a vector,
 * and 32 bytes for each stretch of elements; one to three more for a clone, and temporarily one of 24 bytes a leaf. O(leaves)
 * to make and to clone. */
N_Vector pytree_nvector_new(pytree t, SUNContext context, const pytree_nvector_options *opt, pytree_error *err);

/* Get the tree of a vector: the one it was made of, or that of a clone, which the vector owns. Data is NULL for a vector that
 * is none of this header's, and for one made by N_VCloneEmpty. O(1). */
pytree pytree_nvector_tree(N_Vector v);

/* Get the struct of a vector whose tree is one struct of type T: PYTREE_NVECTOR(Reactor, y) is a Reactor *. NULL if the tree is
 * of another type, or there is none. O(1). */
#define PYTREE_NVECTOR(T, v) ((T *)pytree_nvector_data((v), PYTREE_TYPE(T)))
void *pytree_nvector_data(N_Vector v, const pytree_type *type);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/sundials_walk.h"    /* the first of its rooms; each includes the next */
#endif
