/* pytree/ravel.h: the numbers of a tree: as one vector and back, as a table, and in vector arithmetic.
 *
 *     pytree_leaf v = { 0 };                                        // all numbers in one vector, in new memory
 *     pytree_ravel(PYTREE(&model), &v, NULL, &err);
 *     optimize((float *)v.data, v.shape[0]);
 *     pytree_unravel(&v, PYTREE(&model), NULL, &err);               // and back into the structs
 *     pytree_ravel_free(&v);
 *
 *     pytree_leaf w = PYTREE_VECTOR(buffer, room);                  // the same, into the caller's memory
 *     pytree_ravel(PYTREE(&model), &w, NULL, &err);
 *
 *     pytree_summary(stdout, PYTREE(&model), NULL, &err);           // | .layers[0].w | f32 | 784 x 128 | 100,352 | 401,408 |
 *
 * Leaves must be numbers: bool, integers, float16, bfloat16, float, double, long double, complex. A string, an opaque leaf,
 * or None as a leaf is a PYTREE_TYPE error with its path (pytree_summary accepts all of them). The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_RAVEL_H
#define PYTREE_RAVEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Promotion ----------------------------------------------------------------------------------------------------- */

/* Rules for the common element type of several. */
typedef enum pytree_promotion {
    PYTREE_PROMOTE_JAX,                   /* JAX with 64-bit types (jax_enable_x64) */
    PYTREE_PROMOTE_JAX_X32,               /* JAX as it starts: 64-bit types count as the 32-bit ones, results too */
    PYTREE_PROMOTE_NUMPY
} pytree_promotion;

/* Return the element type to which n others are promoted: jax.numpy.result_type, numpy.result_type. For n of 0 it is that of
 * an empty tree (f32, NumPy: f64). The order of the types does not matter. PYTREE_NO_DTYPE if there is none: for a type that
 * is no number, and under NumPy's rules for bf16 with f16 or with integers of more than 8 bits. `dtypes` may be NULL if n is
 * 0. long double, which the two libraries do not share, ranks above double. No allocation. O(n). */
pytree_dtype pytree_promote(size_t n, const pytree_dtype *dtypes, pytree_promotion rules);

/* Return the built-in type of an element type ("float" for PYTREE_F32), for views; NULL for PYTREE_NO_DTYPE and
 * PYTREE_OPAQUE. The type is constant. */
const pytree_type *pytree_dtype_type(pytree_dtype dtype);

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* How to treat numbers that the other element type cannot hold: 16777217 as a float, 0.1 as a bfloat16, 2.5 as an int. */
typedef enum pytree_loss {
    PYTREE_LOSS_REFUSED,                  /* PYTREE_VALUE with the path, the element and its value */
    PYTREE_LOSS_REFUSED_BY_TYPE,          /* PYTREE_TYPE if the type has such numbers, whether they occur or not */
    PYTREE_LOSS_ALLOWED                   /* as JAX: see below */
} pytree_loss;

/* Options of pytree_ravel and pytree_unravel. NULL or zero: the defaults. Pass the same to both.
 *
 * Conversions: to a float type: to the nearest, ties to even, beyond the range to infinity. Integer to integer: modulo
 * 2^bits. Float to integer: toward zero, out of range to the nearer end, NaN to 0. To bool: true unless zero. Complex to
 * real: the real part. */
typedef struct pytree_ravel_options {
    pytree_options tree;                  /* as everywhere: allocator, alignment of new memory, is_leaf, … */
    pytree_dtype dtype;                   /* element type of the vector; 0: the leaves' common type */
    pytree_promotion promotion;           /* rules for that common type */
    pytree_loss loss;
} pytree_ravel_options;

/* ---- Ravel --------------------------------------------------------------------------------------------------------- */

/* Make a vector of n numbers at p for pytree_ravel and pytree_unravel. Its element type is that of *p, which must not be
 * const. */
#define PYTREE_VECTOR(p, n)                                                                                             \
    ((pytree_leaf){ .data = (p), .type = PYTREE__TYPE_OF(*(p)), .ndim = 1, .shape = { (n) } })

/* Get element type and length of the vector that pytree_ravel would make; its data is NULL. No allocation. O(leaves). */
pytree_status pytree_ravel_shape(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err);

/* Copy all numbers of a tree into one vector, leaf after leaf: jax.flatten_util.ravel_pytree.
 *
 * If vector->data is NULL, the vector is allocated, aligned like arrays (opt->tree.alignment, default 64 bytes), and freed
 * with pytree_ravel_free: one allocation. Otherwise the numbers go into that memory (PYTREE_VECTOR), which must have the
 * right element type (PYTREE_TYPE) and enough room (PYTREE_SHAPE) and must not overlap the tree; vector->shape[0] becomes the
 * number of elements. Leaves of the vector's type are copied with memcpy. Everything is checked before anything is written.
 *
 * This function and all below that write numbers list the leaves first, so that nothing can fail once writing has begun: for
 * trees of more than 256 leaves (pytree_axpy: 128) they borrow 24 bytes a leaf from the allocator. */
pytree_status pytree_ravel(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err);

/* Free a vector that pytree_ravel allocated, and empty it. NULL and an empty vector are fine; a vector over the caller's
 * memory is not. */
void pytree_ravel_free(pytree_leaf *vector);

/* Copy the numbers of a vector back into the leaves of a tree, which keep their element types: the function that ravel_pytree
 * returns. The vector must have exactly as many elements as the tree (PYTREE_SHAPE with both counts; JAX accepts any vector
 * for a tree without leaves). Its element type must be the one that pytree_ravel would choose with these options
 * (PYTREE_TYPE); if all leaves have one type and the options name none, any will do. Everything is checked before anything is
 * written. */
pytree_status pytree_unravel(const pytree_leaf *vector, pytree dst, const pytree_ravel_options *opt, pytree_error *err);

/* Copy the numbers of a vector into a new tree of the structure and types of `like`. Returns the tree, freed with
 * pytree_free; data NULL on error. Two allocations, one of which is the result. */
pytree pytree_unravel_like(const pytree_leaf *vector, pytree like, const pytree_ravel_options *opt, pytree_error *err);

/* Make one view into the vector for each leaf of `like`, with its shape and the vector's element type, without copying. Write
 * through the views, make a pytree_flat of them, or pass them to pytree_unflatten for structs whose pointers lead into the
 * vector. The leaves of `like` must have one element type (PYTREE_TYPE); their values are not read. *count (may be NULL) is
 * the number of leaves, on PYTREE_TOO_MANY_LEAVES the number needed. No allocation. */
pytree_status pytree_unravel_views(const pytree_leaf *vector, pytree like, pytree_leaf *leaves, size_t capacity, size_t *count,
                                   const pytree_options *opt, pytree_error *err);

/* Tell whether the leaves already lie in one contiguous run, in order, with one element type. If so, *vector (may be NULL)
 * becomes that run, borrowed, and no copy is needed. If not, *vector is unchanged and the error has the leaf at which the run
 * breaks. Leaves without elements may lie anywhere. No allocation. O(leaves).
 *
 * padding 0: no gaps. pytree_allocate, pytree_clone and pytree_zeros_like begin each array at a multiple of 64 bytes
 * (opt->alignment): their arrays are such a run if each but the last fills a multiple of it, 16 floats.
 *
 * padding n, a power of two: each leaf may also begin at the next multiple of n after the previous one, and the run includes
 * these gaps of fewer than n bytes. With the alignment that the tree was allocated with, this holds for all its arrays, and
 * for those of its clones, which have the same layout: an optimizer may process parameters, gradients and moments in one
 * loop, because writes into the padding are harmless. Use it only for trees that came from those three functions: memory not
 * allocated by them may use the gaps for something else. Values in place (a float field, a fixed array) lie in the structs
 * and break the run. */
bool pytree_contiguous(pytree t, size_t padding, pytree_leaf *vector, const pytree_options *opt, pytree_error *err);

/* ---- Summary ------------------------------------------------------------------------------------------------------- */

/* Options of pytree_summary. NULL or zero: the defaults. */
typedef struct pytree_summary_options {
    pytree_options tree;
    size_t depth;                         /* most entries of a path: deeper leaves are summed up in one row; 0: no limit */
} pytree_summary_options;

/* Write a table of a tree's leaves, in aligned columns; it is also a table in Markdown:
 *
 *     | path         | type     | shape     | elements |   bytes |
 *     |:-------------|:---------|:----------|---------:|--------:|
 *     | .layers[0].w | f32      | 784 x 128 |  100,352 | 401,408 |
 *     | .layers[0].b | f32      | 128       |      128 |     512 |
 *     | .step        | i64      |           |        1 |       8 |
 *     | total        | i64, f32 | 3 leaves  |  100,481 | 401,928 |
 *
 * With a depth, the row of a subtree has its element types and its number of leaves. A string counts as one element of a
 * pointer's size; leaves reached twice count twice. The tree is checked before anything is written. pytree_summary writes to
 * a file (PYTREE_IO if that fails); _text is like snprintf: writes at most n bytes with the NUL and returns the length
 * without it; on error SIZE_MAX, and the text is empty. Allocates only for paths of more than 250 bytes. O(leaves). */
pytree_status pytree_summary(FILE *file, pytree t, const pytree_summary_options *opt, pytree_error *err);
size_t pytree_summary_text(pytree t, char *text, size_t n, const pytree_summary_options *opt, pytree_error *err);

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

/* Treat trees as vectors. Leaves must be floats of any width or complex numbers (otherwise PYTREE_TYPE), and two trees must
 * have equal structure and shapes (PYTREE_STRUCTURE, PYTREE_SHAPE); their element types may differ. A complex number counts
 * as two real ones. Everything is checked before anything is written. O(elements).
 *
 *     axpy:  y += a x. A complex x needs a complex y. optax.tree.add_scale.
 *     lerp:  y += a (x - y): y moves towards x, a moving average. Both are real or both complex. optax.incremental_update.
 *     scale: y *= a. optax.tree.scale.
 *     fill:  y = a, zero: y = 0. optax.tree.full_like, zeros_like, in place.
 *     dot:   the sum of x y, for complex numbers the real part of jax.numpy.vdot. optax.tree.vdot.
 *     norm:  the Euclidean norm, without overflow or underflow of intermediate results. optax.tree.norm, optax.global_norm.
 *
 * Where both elements are f32 (or the parts of c64), a is rounded to f32 and they are computed in f32, as the loop by hand and
 * JAX do; all others in double (long double where one is), rounded once to y's type; y may be x. Numbers that lie side by side
 * in a struct, or in the structs of a list, are computed in one loop, as fast as it would be by hand: a step of a simulation is
 * a few calls. Beyond 64 such runs of numbers 48 bytes for each are borrowed from the allocator.
 *
 * Sums are accumulated in double: blocks of 192 products in eight partial sums, and the blocks with compensated (Neumaier)
 * summation, so that the error stays below 5e-15 of the sum of |x y|, for long arrays as for many leaves. The order of
 * summation, and so the result, is the same in every run. Without leaves the result is 0. */
pytree_status pytree_axpy(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err);
pytree_status pytree_lerp(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err);
pytree_status pytree_scale(double a, pytree y, const pytree_options *opt, pytree_error *err);
pytree_status pytree_fill(double a, pytree y, const pytree_options *opt, pytree_error *err);
pytree_status pytree_zero(pytree y, const pytree_options *opt, pytree_error *err);
pytree_status pytree_dot(pytree x, pytree y, double *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_norm(pytree t, double *result, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/promote.h"    /* the first of its rooms; each includes the next */
#endif
