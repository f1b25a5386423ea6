/* pytree/ravel.h: the numbers of a tree: one vector and back, a table of them, sums over them.
 *
 *     pytree_leaf v = { 0 };                                        // all numbers in one vector, in new memory
 *     pytree_ravel(PYTREE(&model), &v, NULL, &err);
 *     optimize((float *)v.data, v.shape[0]);
 *     pytree_unravel(&v, PYTREE(&model), NULL, &err);               // and back into the structs
 *     pytree_ravel_free(&v);
 *
 *     pytree_leaf w = PYTREE_VECTOR(buffer, room);                  // the same into memory of the caller's
 *     pytree_ravel(PYTREE(&model), &w, NULL, &err);
 *
 *     pytree_summary(stdout, PYTREE(&model), NULL, &err);           // | .layers[0].w | f32 | 784 x 128 | 100,352 | 401,408 |
 *
 * Leaves are numbers here: bool, integers, float16, bfloat16, float, double, long double, complex. A string, an opaque leaf, or
 * a None that counts as a leaf is a PYTREE_TYPE error with its path (pytree_summary shows all of them).
 *
 * Rules of pytree.h hold here too. The bodies stand where PYTREE_IMPLEMENTATION is defined, in the same file as those of
 * pytree.h.
 */
#include "../pytree.h"

#ifndef PYTREE_RAVEL_H
#define PYTREE_RAVEL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Promotion ----------------------------------------------------------------------------------------------------- */

/* By which rules element types meet. */
typedef enum pytree_promotion {
    PYTREE_PROMOTE_JAX,                   /* JAX with 64-bit types (jax_enable_x64) */
    PYTREE_PROMOTE_JAX_X32,               /* JAX as it starts: 64-bit types count as the 32-bit ones, results too */
    PYTREE_PROMOTE_NUMPY
} pytree_promotion;

/* The smallest element type that n others meet in: jax.numpy.result_type, numpy.result_type; of none: what an empty tree gives
 * (f32, NumPy: f64). The order of the types does not matter. PYTREE_NO_DTYPE if there is none: a type that is no number, or
 * in NumPy's rules bf16 with f16 or with integers of more than 8 bits. `dtypes` may be NULL if n is 0. long double, which
 * neither library has in common, stands above double. No allocation. O(n). */
pytree_dtype pytree_promote(size_t n, const pytree_dtype *dtypes, pytree_promotion rules);

/* The built-in type that has this element type ("float" for PYTREE_F32), for views; NULL for PYTREE_NO_DTYPE and
 * PYTREE_OPAQUE. Constant. */
const pytree_type *pytree_dtype_type(pytree_dtype dtype);

/* ---- Options ------------------------------------------------------------------------------------------------------- */

/* What to do about numbers that the other element type does not have: 16777217 as a float, 0.1 as a bfloat16, 2.5 as an int. */
typedef enum pytree_loss {
    PYTREE_LOSS_REFUSED,                  /* PYTREE_VALUE with the path, the element and its value */
    PYTREE_LOSS_REFUSED_BY_TYPE,          /* PYTREE_TYPE wherever the type has such numbers, whether they occur or not */
    PYTREE_LOSS_ALLOWED                   /* as JAX: see below */
} pytree_loss;

/* Of pytree_ravel and pytree_unravel. NULL or zero: the defaults. Give the same to both.
 *
 * How numbers are converted: to a float type: to the nearest, ties to even, beyond the range to infinity. Integer to integer:
 * modulo 2^bits. Float to integer: toward zero, out of range to the nearest end, NaN to 0. To bool: is it not zero? Complex
 * to real: the real part. */
typedef struct pytree_ravel_options {
    pytree_options tree;                  /* as everywhere: allocator, alignment of new memory, is_leaf, … */
    pytree_dtype dtype;                   /* element type of the vector; 0: the one that the leaves' types meet in */
    pytree_promotion promotion;           /* how they meet */
    pytree_loss loss;
} pytree_ravel_options;

/* ---- Ravel --------------------------------------------------------------------------------------------------------- */

/* A vector of n numbers at p, as pytree_ravel and pytree_unravel want it; element type from *p, which is no const. */
#define PYTREE_VECTOR(p, n)                                                                                             \
    ((pytree_leaf){ .data = (p), .type = PYTREE__TYPE_OF(*(p)), .ndim = 1, .shape = { (n) } })

/* Element type and length of the vector that pytree_ravel would give, its data NULL. No allocation. O(leaves). */
pytree_status pytree_ravel_shape(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err);

/* All numbers of a tree in one vector, leaf after leaf: jax.flatten_util.ravel_pytree.
 *
 * vector->data NULL: into new memory, aligned as arrays are (options, otherwise 64 bytes), and *vector is set; free it with
 * pytree_ravel_free. One allocation. vector->data not NULL: into that memory (PYTREE_VECTOR), which must have the right
 * element type (PYTREE_TYPE), room for all (PYTREE_SHAPE), and nothing in common with the tree; vector->shape[0] becomes the
 * number of elements. Leaves of the vector's type are copied with memcpy. Everything is checked before anything is written.
 *
 * This and all below that write numbers list the leaves first, so that nothing can fail once something is written: trees of
 * more than 256 leaves (pytree_axpy: 128) borrow 24 bytes for each from the allocator meanwhile. */
pytree_status pytree_ravel(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err);

/* Frees what pytree_ravel made, and makes *vector empty. NULL and an empty vector are fine; one over the caller's memory is
 * not. */
void pytree_ravel_free(pytree_leaf *vector);

/* The same run backwards: numbers of the vector into the leaves of an existing tree, whose element types stay as they are: the
 * function that ravel_pytree returns. The vector must have exactly as many elements as the tree (PYTREE_SHAPE, with both
 * counts; JAX lets a tree without leaves take any vector). Its element type must be the one that pytree_ravel would give with
 * these options (PYTREE_TYPE), but any will do if all leaves have one type and options name none. Everything is checked before
 * anything is written. */
pytree_status pytree_unravel(const pytree_leaf *vector, pytree dst, const pytree_ravel_options *opt, pytree_error *err);

/* The same into a new tree of the structure and types of `like`. Data NULL on error. Free with pytree_free. Two allocations, of
 * which one stays. */
pytree pytree_unravel_like(const pytree_leaf *vector, pytree like, const pytree_ravel_options *opt, pytree_error *err);

/* The same without a copy: one view into the vector for each leaf of `like`, with its shape and the vector's element type.
 * Write through them, make a pytree_flat of them, or give them to pytree_unflatten for structs whose pointers lead into the
 * vector. The leaves of `like` must have one element type (PYTREE_TYPE); its values are not read. *count (may be NULL) is the
 * number of leaves, on PYTREE_TOO_MANY_LEAVES the number needed. No allocation. */
pytree_status pytree_unravel_views(const pytree_leaf *vector, pytree like, pytree_leaf *leaves, size_t capacity, size_t *count,
                                   const pytree_options *opt, pytree_error *err);

/* Do the leaves already lie in one run, in order, with one element type? Then *vector (may be NULL) is that run, borrowed: no
 * copy is needed. If not, *vector is left alone and the error says at which leaf the run breaks. Leaves without elements lie
 * anywhere. No allocation. O(leaves).
 *
 * padding 0: no gaps. pytree_allocate, pytree_clone and pytree_zeros_like begin each array at a multiple of 64 bytes
 * (options.alignment): their arrays are such a run if each but the last fills a multiple of it, 16 floats.
 *
 * padding n, a power of two: each leaf may also begin at the next multiple of n after the one before, and the run includes
 * these gaps (fewer than n bytes each). With the alignment that the tree was allocated with, that holds for all its arrays, and
 * for those of its clones, which then line up: an optimizer may go over parameters, gradients and moments in one loop, and what
 * it does to the gaps nobody sees. Only for trees that came from those three functions: elsewhere a gap may be somebody's.
 * Values in place (a float field, a fixed array) lie in the structs and break the run. */
bool pytree_contiguous(pytree t, size_t padding, pytree_leaf *vector, const pytree_options *opt, pytree_error *err);

/* ---- Summary ------------------------------------------------------------------------------------------------------- */

/* Of pytree_summary. NULL or zero: the defaults. */
typedef struct pytree_summary_options {
    pytree_options tree;
    size_t depth;                         /* most entries of a path: what lies deeper is added up in one row; 0: no limit */
} pytree_summary_options;

/* A table of a tree's leaves, in columns that line up, which is also a table in Markdown:
 *
 *     | path         | type     | shape     | elements |   bytes |
 *     |:-------------|:---------|:----------|---------:|--------:|
 *     | .layers[0].w | f32      | 784 x 128 |  100,352 | 401,408 |
 *     | .layers[0].b | f32      | 128       |      128 |     512 |
 *     | .step        | i64      |           |        1 |       8 |
 *     | total        | i64, f32 | 3 leaves  |  100,481 | 401,928 |
 *
 * With a depth, a row for a subtree has its element types and how many leaves it stands for. A string counts as one element of
 * a pointer's size; leaves reached twice count twice. Allocates for paths of more than 250 bytes alone. O(leaves). The tree
 * is checked before anything is written: to a file (PYTREE_IO if that fails), or like snprintf into at most n bytes with the
 * NUL: _text returns the length needed without it, SIZE_MAX on error, and the text is empty then. */
pytree_status pytree_summary(FILE *file, pytree t, const pytree_summary_options *opt, pytree_error *err);
size_t pytree_summary_text(pytree t, char *text, size_t n, const pytree_summary_options *opt, pytree_error *err);

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

/* Vectors that are trees. Leaves must be floats of any width or complex numbers (PYTREE_TYPE otherwise), the trees equal in
 * structure and shapes (PYTREE_STRUCTURE, PYTREE_SHAPE); their element types may differ. A complex number counts as two real
 * ones. Everything is checked before anything is written. O(elements).
 *
 * axpy: y += a x. Each element is computed in double (long double where one is) and rounded once, to y's type; y may be x. A
 *       complex x needs a complex y. optax.tree.add_scale.
 * dot:  the sum of x y, for complex numbers the real part of jax.numpy.vdot. optax.tree.vdot.
 * norm: the Euclidean one, without overflow or underflow on the way. optax.tree.norm, optax.global_norm.
 *
 * Sums are taken in double: blocks of 256 products in eight partial sums, and the sum of the blocks with its rounding errors
 * carried along, so that the error stays below 5e-15 of the sum of |x y|, for long arrays as for many leaves. The order, and
 * with it the result, is the same on every run. No leaves: 0. */
pytree_status pytree_axpy(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err);
pytree_status pytree_dot(pytree x, pytree y, double *result, const pytree_options *opt, pytree_error *err);
pytree_status pytree_norm(pytree t, double *result, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/promote.h"                          /* and from there convert.h, ravel.h, summary.h, arithmetic.h */
#endif
