/* pytree/typed.h: leaves and trees as C types that are checked.
 *
 *     pytree_floats, pytree_ints, …  get the elements of a leaf as an array of a built-in type, or NULL and an error
 *     pytree_elements                the same of any type, such as one of PYTREE_LEAF_TYPE
 *     pytree_iter_elements           the same in a loop or callback; the error has the key path of the leaf
 *     PYTREE_CAST                    get the data of a tree as a pointer to a struct
 *
 *     size_t n;
 *     const float *w = pytree_floats(&leaf, &n, &err);               NULL, and "expected f32, got f64[3]", if it holds doubles
 *     Linear *layer = PYTREE_CAST(Linear, tree, &err);               NULL, and "expected Linear, got MLP", if it is another
 *
 * They take the place of casts of `data`, which no compiler checks. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_TYPED_H
#define PYTREE_TYPED_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Leaves -------------------------------------------------------------------------------------------------------- */

/* Get the elements of a leaf, whose type must be `type`: a built-in type with the same representation (of long and long long,
 * for example, which have the same size), or the same registered one. Returns the first element, borrowed from the tree, and
 * their number in *n, which may be NULL. A leaf that is None, a subtree or of another type gives NULL, 0 and PYTREE_TYPE.
 * O(1). */
void *pytree_elements(const pytree_leaf *leaf, const pytree_type *type, size_t *n, pytree_error *err);

/* Get the elements of the current leaf in tree k of an iteration: pytree_elements(at->leaf[k], …). An error has the key path of
 * the leaf and goes to the error object that was given to the iteration or map. */
void *pytree_iter_elements(const pytree_iter *at, size_t k, const pytree_type *type, size_t *n);

/* Get the elements of a leaf as an array of a built-in type. The arguments and errors are those of pytree_elements:
 *
 *     float *pytree_floats(const pytree_leaf *leaf, size_t *n, pytree_error *err);          and so on
 *
 * Booleans, strings (char **) and the types for storage have names of their own; others have the name of the type. */
#define pytree_bools(leaf, n, err) PYTREE__ELEMENTS_AS(bool, bool_, leaf, n, err)
#define pytree_chars(leaf, n, err) PYTREE__ELEMENTS_AS(char, char_, leaf, n, err)
#define pytree_schars(leaf, n, err) PYTREE__ELEMENTS_AS(signed char, schar, leaf, n, err)
#define pytree_uchars(leaf, n, err) PYTREE__ELEMENTS_AS(unsigned char, uchar, leaf, n, err)
#define pytree_shorts(leaf, n, err) PYTREE__ELEMENTS_AS(short, short_, leaf, n, err)
#define pytree_ushorts(leaf, n, err) PYTREE__ELEMENTS_AS(unsigned short, ushort, leaf, n, err)
#define pytree_ints(leaf, n, err) PYTREE__ELEMENTS_AS(int, int_, leaf, n, err)
#define pytree_uints(leaf, n, err) PYTREE__ELEMENTS_AS(unsigned, uint, leaf, n, err)
#define pytree_longs(leaf, n, err) PYTREE__ELEMENTS_AS(long, long_, leaf, n, err)
#define pytree_ulongs(leaf, n, err) PYTREE__ELEMENTS_AS(unsigned long, ulong, leaf, n, err)
#define pytree_llongs(leaf, n, err) PYTREE__ELEMENTS_AS(long long, llong, leaf, n, err)
#define pytree_ullongs(leaf, n, err) PYTREE__ELEMENTS_AS(unsigned long long, ullong, leaf, n, err)
#define pytree_floats(leaf, n, err) PYTREE__ELEMENTS_AS(float, float_, leaf, n, err)
#define pytree_doubles(leaf, n, err) PYTREE__ELEMENTS_AS(double, double_, leaf, n, err)
#define pytree_ldoubles(leaf, n, err) PYTREE__ELEMENTS_AS(long double, ldouble, leaf, n, err)
#define pytree_f16s(leaf, n, err) PYTREE__ELEMENTS_AS(pytree_f16, f16, leaf, n, err)
#define pytree_bf16s(leaf, n, err) PYTREE__ELEMENTS_AS(pytree_bf16, bf16, leaf, n, err)
#define pytree_strings(leaf, n, err) PYTREE__ELEMENTS_AS(char *, string, leaf, n, err)
#define PYTREE__ELEMENTS_AS(T, id, leaf, n, err) ((T *)pytree_elements(leaf, &pytree_types[PYTREE__T_##id], n, err))

/* ---- Trees --------------------------------------------------------------------------------------------------------- */

/* Get the data of a tree whose type must be `type`, as compared by pytree_type_equal, or of a reference (a pytree held in a
 * tree) to such. Returns the pointer, borrowed; NULL and PYTREE_TYPE for another type, PYTREE_ARGUMENT for a tree without a
 * type. O(1), or O(rows) for a struct that is registered in several files. */
void *pytree_cast(pytree t, const pytree_type *type, pytree_error *err);

/* Get the data of a tree as a T *, where T is a registered struct or a built-in type: pytree_cast with the type checked. */
#define PYTREE_CAST(T, tree, err) ((T *)pytree_cast(tree, PYTREE_TYPE(T), err))

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/typed.h"
#endif
