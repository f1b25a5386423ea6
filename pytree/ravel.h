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
#if defined(__has_include)
#if __has_include("../pytree.h")
#include "../pytree.h"
#else
#include "pytree.h"                       /* copied into one directory */
#endif
#elif !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__IMPLEMENTED))
#include "../pytree.h"                    /* not there? include pytree.h first */
#endif

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

/* ==== Bodies ======================================================================================================== */

#if defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE__RAVEL_BODIES)
#define PYTREE__RAVEL_BODIES

#include <float.h>
#include <math.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Promotion ----------------------------------------------------------------------------------------------------- */

/* What numbers a type has: as what it is computed with, of how many real parts of which type one consists, and of a part the
 * binary digits and the power of two that its values stay below. */
enum { PYTREE__RV_NO_NUMBER, PYTREE__RV_SIGNED, PYTREE__RV_UNSIGNED, PYTREE__RV_DOUBLE, PYTREE__RV_LONG_DOUBLE };
typedef struct pytree__rv_number {
    unsigned char wide, parts, digits;
    short exponent;
    pytree_dtype part;
} pytree__rv_number;

static const pytree__rv_number pytree__rv_numbers[PYTREE_OPAQUE + 1] = {
    { 0, 0, 0, 0, PYTREE_NO_DTYPE },
    { PYTREE__RV_UNSIGNED, 1, 1, 1, PYTREE_BOOL8 },
    { PYTREE__RV_SIGNED, 1, 7, 7, PYTREE_I8 }, { PYTREE__RV_SIGNED, 1, 15, 15, PYTREE_I16 },
    { PYTREE__RV_SIGNED, 1, 31, 31, PYTREE_I32 }, { PYTREE__RV_SIGNED, 1, 63, 63, PYTREE_I64 },
    { PYTREE__RV_UNSIGNED, 1, 8, 8, PYTREE_U8 }, { PYTREE__RV_UNSIGNED, 1, 16, 16, PYTREE_U16 },
    { PYTREE__RV_UNSIGNED, 1, 32, 32, PYTREE_U32 }, { PYTREE__RV_UNSIGNED, 1, 64, 64, PYTREE_U64 },
    { PYTREE__RV_DOUBLE, 1, 11, 16, PYTREE_F16 }, { PYTREE__RV_DOUBLE, 1, 8, 128, PYTREE_BF16 },
    { PYTREE__RV_DOUBLE, 1, FLT_MANT_DIG, FLT_MAX_EXP, PYTREE_F32 },
    { PYTREE__RV_DOUBLE, 1, DBL_MANT_DIG, DBL_MAX_EXP, PYTREE_F64 },
    { PYTREE__RV_LONG_DOUBLE, 1, LDBL_MANT_DIG, LDBL_MAX_EXP, PYTREE_FLONG },
    { PYTREE__RV_DOUBLE, 2, FLT_MANT_DIG, FLT_MAX_EXP, PYTREE_F32 },
    { PYTREE__RV_DOUBLE, 2, DBL_MANT_DIG, DBL_MAX_EXP, PYTREE_F64 },
    { PYTREE__RV_LONG_DOUBLE, 2, LDBL_MANT_DIG, LDBL_MAX_EXP, PYTREE_FLONG },
    { 0, 0, 0, 0, PYTREE_NO_DTYPE },
    { 0, 0, 0, 0, PYTREE_NO_DTYPE }
};

static bool pytree__rv_is_number(pytree_dtype dtype)
{
    return (unsigned)dtype <= PYTREE_OPAQUE && pytree__rv_numbers[dtype].wide != PYTREE__RV_NO_NUMBER;
}

/* Sets of element types are bits, of which these stand together. */
#define PYTREE__RV_BIT(dtype) (UINT32_C(1) << (dtype))
#define PYTREE__RV_ALL_FLOATS                                                                                           \
    (PYTREE__RV_BIT(PYTREE_F16) | PYTREE__RV_BIT(PYTREE_BF16) | PYTREE__RV_BIT(PYTREE_F32) | PYTREE__RV_BIT(PYTREE_F64) \
     | PYTREE__RV_BIT(PYTREE_FLONG))
#define PYTREE__RV_ALL_COMPLEX (PYTREE__RV_BIT(PYTREE_C64) | PYTREE__RV_BIT(PYTREE_C128) | PYTREE__RV_BIT(PYTREE_CLONG))

/* Of the 64-bit types the 32-bit ones. */
static uint32_t pytree__rv_narrow_types(uint32_t set)
{
    static const pytree_dtype narrow[][2] = {
        { PYTREE_I64, PYTREE_I32 }, { PYTREE_U64, PYTREE_U32 }, { PYTREE_F64, PYTREE_F32 }, { PYTREE_FLONG, PYTREE_F32 },
        { PYTREE_C128, PYTREE_C64 }, { PYTREE_CLONG, PYTREE_C64 }
    };
    size_t i;
    for (i = 0; i < sizeof narrow / sizeof narrow[0]; i++) {
        if ((set & PYTREE__RV_BIT(narrow[i][0])) != 0) {
            set = (set & ~PYTREE__RV_BIT(narrow[i][0])) | PYTREE__RV_BIT(narrow[i][1]);
        }
    }
    return set;
}

/* Most digits of the signed and of the unsigned integers in a set; 0 if there are none. */
static void pytree__rv_integers(uint32_t set, int *with_sign, int *without)
{
    int dtype;
    *with_sign = *without = 0;
    for (dtype = PYTREE_I8; dtype <= PYTREE_U64; dtype++) {
        if ((set & PYTREE__RV_BIT(dtype)) != 0) {
            *(dtype < PYTREE_U8 ? with_sign : without) = pytree__rv_numbers[dtype].digits;
        }
    }
}

/* The smallest integer type for both; PYTREE_F64 where only a float could be. */
static pytree_dtype pytree__rv_promote_integers(int with_sign, int without)
{
    int dtype = without > with_sign ? PYTREE_U8 : PYTREE_I8;
    const int digits = without > with_sign ? without : with_sign;
    if (with_sign == 0 && without == 0) { return PYTREE_BOOL8; }
    if (with_sign != 0) { dtype = PYTREE_I8; }
    while (dtype <= PYTREE_U64 && pytree__rv_numbers[dtype].digits < digits) { dtype++; }
    return with_sign != 0 && dtype > PYTREE_I64 ? PYTREE_F64 : (pytree_dtype)dtype;
}

/* The float type for these floats and parts of complex numbers, and in NumPy's rules for the integers beside them. */
static pytree_dtype pytree__rv_promote_floats(uint32_t set, pytree_promotion rules)
{
    const uint32_t both_halves = PYTREE__RV_BIT(PYTREE_F16) | PYTREE__RV_BIT(PYTREE_BF16);
    pytree_dtype dtype = (set & (PYTREE__RV_BIT(PYTREE_FLONG) | PYTREE__RV_BIT(PYTREE_CLONG))) != 0 ? PYTREE_FLONG
                         : (set & (PYTREE__RV_BIT(PYTREE_F64) | PYTREE__RV_BIT(PYTREE_C128))) != 0  ? PYTREE_F64
                         : (set & (PYTREE__RV_BIT(PYTREE_F32) | PYTREE__RV_BIT(PYTREE_C64))) != 0   ? PYTREE_F32
                         : (set & both_halves) == both_halves                                 ? PYTREE_F32
                         : (set & PYTREE__RV_BIT(PYTREE_F16)) != 0                               ? PYTREE_F16
                                                                                              : PYTREE_BF16;
    if (rules == PYTREE_PROMOTE_NUMPY) {
        int with_sign, without, digits;
        pytree__rv_integers(set, &with_sign, &without);
        digits = without > with_sign ? without : with_sign;
        if (dtype == PYTREE_BF16 && digits > 8) { return PYTREE_NO_DTYPE; }
        if (dtype == PYTREE_F32 && (set & PYTREE__RV_BIT(PYTREE_F32)) == 0 && (set & both_halves) == both_halves) {
            return PYTREE_NO_DTYPE;
        }
        if (dtype == PYTREE_F16 && digits > 8) { dtype = PYTREE_F32; }
        if (dtype == PYTREE_F32 && digits > 16) { dtype = PYTREE_F64; }
    }
    return dtype;
}

static pytree_dtype pytree__rv_promote(uint32_t set, pytree_promotion rules)
{
    pytree_dtype dtype;
    if (set == 0) { return rules == PYTREE_PROMOTE_NUMPY ? PYTREE_F64 : PYTREE_F32; }
    if (rules == PYTREE_PROMOTE_JAX_X32) { set = pytree__rv_narrow_types(set); }
    if ((set & (PYTREE__RV_ALL_FLOATS | PYTREE__RV_ALL_COMPLEX)) != 0) {
        dtype = pytree__rv_promote_floats(set, rules);
        if ((set & PYTREE__RV_ALL_COMPLEX) != 0) {
            dtype = dtype == PYTREE_FLONG ? PYTREE_CLONG : dtype == PYTREE_F64 ? PYTREE_C128 : PYTREE_C64;
        }
    } else {
        int with_sign, without;
        pytree__rv_integers(set, &with_sign, &without);
        dtype = pytree__rv_promote_integers(with_sign, without);
        if (rules == PYTREE_PROMOTE_JAX_X32 && dtype == PYTREE_I64) { dtype = PYTREE_I32; }
    }
    return dtype;
}

pytree_dtype pytree_promote(size_t n, const pytree_dtype *dtypes, pytree_promotion rules)
{
    uint32_t set = 0;
    size_t i;
    for (i = 0; i < n; i++) {
        if (!pytree__rv_is_number(dtypes[i])) { return PYTREE_NO_DTYPE; }
        set |= PYTREE__RV_BIT(dtypes[i]);
    }
    return pytree__rv_promote(set, rules);
}

const pytree_type *pytree_dtype_type(pytree_dtype dtype)
{
    size_t i;
    for (i = 0; dtype != PYTREE_NO_DTYPE && dtype != PYTREE_OPAQUE && i < PYTREE__T_count; i++) {
        if (pytree_types[i].dtype == dtype) { return &pytree_types[i]; }
    }
    return NULL;
}

/* Has `to` every number of `from`? */
static bool pytree__rv_widens(pytree_dtype from, pytree_dtype to)
{
    const pytree__rv_number *a = &pytree__rv_numbers[from], *b = &pytree__rv_numbers[to];
    const bool whole = a->wide <= PYTREE__RV_UNSIGNED;
    if (a->parts > b->parts) { return false; }
    if (a->part == b->part || a->part == PYTREE_BOOL8) { return true; }
    if (b->part == PYTREE_BOOL8 || a->digits > b->digits) { return false; }
    if (b->wide == PYTREE__RV_SIGNED) { return whole; }
    if (b->wide == PYTREE__RV_UNSIGNED) { return a->wide == PYTREE__RV_UNSIGNED; }
    return whole ? a->exponent < b->exponent : a->exponent <= b->exponent;
}

/* ---- Conversion ------------------------------------------------------------------------------------------------------
 *
 * A block of numbers is read into the widest type of its sort, and written from there into any other: a loop for each type
 * and sort, not for each pair of types. Numbers are moved with memcpy, so that they may lie anywhere.
 */
enum { PYTREE__RV_BLOCK = 256 };
typedef struct pytree__rv_wide {
    int sort;                             /* PYTREE__RV_SIGNED, … */
    union {
        int64_t i[PYTREE__RV_BLOCK];
        uint64_t u[PYTREE__RV_BLOCK];
        double d[PYTREE__RV_BLOCK];
        long double l[PYTREE__RV_BLOCK];
    } as;
} pytree__rv_wide;

static size_t pytree__rv_least(size_t a, size_t b) { return a < b ? a : b; }

static double pytree__rv_of_bits(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static uint64_t pytree__rv_bits_of(double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

/* As doubles whose last bit says whether anything was cut off, so that a shorter type rounds them as it would the whole. */
static double pytree__rv_cut_whole(uint64_t n)
{
    if (n >> 53 != 0) { n = (n & ~UINT64_C(2047)) | ((n & 2047) != 0 ? UINT64_C(2048) : 0); }
    return (double)n;
}

static double pytree__rv_cut_signed(int64_t n)
{
    return n < 0 ? -pytree__rv_cut_whole(0 - (uint64_t)n) : pytree__rv_cut_whole((uint64_t)n);
}

static double pytree__rv_cut_long(long double v)
{
    const double d = (double)v;
    uint64_t bits = pytree__rv_bits_of(d);
    if ((long double)d == v || v != v || d - d != 0) { return d; }
    if ((d < 0 ? -(long double)d : (long double)d) > (v < 0 ? -v : v)) { bits--; }
    return pytree__rv_of_bits(bits | 1);
}

/* A float as an integer: toward zero, at the nearest end of the range where it has none, NaN as 0. */
#define PYTREE__RV_CLAMP(v, T, least, most)                                                                             \
    (!((v) >= (least)) ? ((v) < 0 ? (T)(least) : (T)0) : (v) < 2.0 * ((double)((most) / 2 + 1)) ? (T)(v) : (T)(most))

/* Whole numbers of each type and their range. */
#define PYTREE__RV_WHOLE_TYPES(X)                                                                                       \
    X(I8, int8_t, i, INT8_MIN, INT8_MAX) X(I16, int16_t, i, INT16_MIN, INT16_MAX)                                       \
    X(I32, int32_t, i, INT32_MIN, INT32_MAX) X(I64, int64_t, i, INT64_MIN, INT64_MAX)                                   \
    X(U8, uint8_t, u, 0, UINT8_MAX) X(U16, uint16_t, u, 0, UINT16_MAX)                                                  \
    X(U32, uint32_t, u, 0, UINT32_MAX) X(U64, uint64_t, u, 0, UINT64_MAX)

#define PYTREE__RV_READ(T, member, value)                                                                               \
    for (i = 0; i < n; i++) {                                                                                           \
        T v;                                                                                                            \
        memcpy(&v, at + i * step * sizeof v, sizeof v);                                                                 \
        to->as.member[i] = (value);                                                                                     \
    }                                                                                                                   \
    break
#define PYTREE__RV_WRITE(T, member, W, value)                                                                           \
    for (i = 0; i < n; i++) {                                                                                           \
        const W v = from->as.member[i];                                                                                 \
        const T w = (value);                                                                                            \
        memcpy(at + i * step * sizeof w, &w, sizeof w);                                                                 \
    }                                                                                                                   \
    break

/* n real numbers (at most a block), every step-th of those that begin at `at`. */
static void pytree__rv_read(pytree__rv_wide *to, pytree_dtype dtype, const char *at, size_t step, size_t n)
{
    size_t i;
    to->sort = pytree__rv_numbers[dtype].wide;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_READ(unsigned char, u, v != 0);
#define PYTREE__X(name, T, member, least, most) case PYTREE_##name: PYTREE__RV_READ(T, member, v);
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16: PYTREE__RV_READ(uint16_t, d, pytree__of_f16(v));
    case PYTREE_BF16: PYTREE__RV_READ(uint16_t, d, pytree__of_bf16(v));
    case PYTREE_F32: PYTREE__RV_READ(float, d, (double)v);
    case PYTREE_F64: PYTREE__RV_READ(double, d, v);
    case PYTREE_FLONG: PYTREE__RV_READ(long double, l, v);
    default: break;
    }
}

/* The same back, into any type. Whole numbers keep their last bits: they are read as unsigned, of either sort. */
static void pytree__rv_write_whole(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    const bool with_sign = from->sort == PYTREE__RV_SIGNED;
    size_t i;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_WRITE(unsigned char, u, uint64_t, v != 0);
#define PYTREE__X(name, T, member, least, most) case PYTREE_##name: PYTREE__RV_WRITE(T, u, uint64_t, (T)v);
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16:
        PYTREE__RV_WRITE(uint16_t, u, uint64_t,
                      pytree__to_half(with_sign ? pytree__rv_cut_signed((int64_t)v) : pytree__rv_cut_whole(v), 10));
    case PYTREE_BF16:
        PYTREE__RV_WRITE(uint16_t, u, uint64_t,
                      pytree__to_half(with_sign ? pytree__rv_cut_signed((int64_t)v) : pytree__rv_cut_whole(v), 7));
    case PYTREE_F32: PYTREE__RV_WRITE(float, u, uint64_t, with_sign ? (float)(int64_t)v : (float)v);
    case PYTREE_F64: PYTREE__RV_WRITE(double, u, uint64_t, with_sign ? (double)(int64_t)v : (double)v);
    case PYTREE_FLONG: PYTREE__RV_WRITE(long double, u, uint64_t, with_sign ? (long double)(int64_t)v : (long double)v);
    default: break;
    }
}

static void pytree__rv_write_double(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    size_t i;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_WRITE(unsigned char, d, double, v != 0);
#define PYTREE__X(name, T, member, least, most)                                                                         \
    case PYTREE_##name: PYTREE__RV_WRITE(T, d, double, PYTREE__RV_CLAMP(v, T, least, most));
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16: PYTREE__RV_WRITE(uint16_t, d, double, pytree__to_half(v, 10));
    case PYTREE_BF16: PYTREE__RV_WRITE(uint16_t, d, double, pytree__to_half(v, 7));
    case PYTREE_F32: PYTREE__RV_WRITE(float, d, double, (float)v);
    case PYTREE_F64: PYTREE__RV_WRITE(double, d, double, v);
    case PYTREE_FLONG: PYTREE__RV_WRITE(long double, d, double, (long double)v);
    default: break;
    }
}

static void pytree__rv_write_long(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    size_t i;
    switch (dtype) {
    case PYTREE_BOOL8: PYTREE__RV_WRITE(unsigned char, l, long double, v != 0);
#define PYTREE__X(name, T, member, least, most)                                                                         \
    case PYTREE_##name: PYTREE__RV_WRITE(T, l, long double, PYTREE__RV_CLAMP(v, T, least, most));
    PYTREE__RV_WHOLE_TYPES(PYTREE__X)
#undef PYTREE__X
    case PYTREE_F16: PYTREE__RV_WRITE(uint16_t, l, long double, pytree__to_half(pytree__rv_cut_long(v), 10));
    case PYTREE_BF16: PYTREE__RV_WRITE(uint16_t, l, long double, pytree__to_half(pytree__rv_cut_long(v), 7));
    case PYTREE_F32: PYTREE__RV_WRITE(float, l, long double, (float)v);
    case PYTREE_F64: PYTREE__RV_WRITE(double, l, long double, (double)v);
    case PYTREE_FLONG: PYTREE__RV_WRITE(long double, l, long double, v);
    default: break;
    }
}

static void pytree__rv_write(const pytree__rv_wide *from, pytree_dtype dtype, char *at, size_t step, size_t n)
{
    if (from->sort == PYTREE__RV_DOUBLE) { pytree__rv_write_double(from, dtype, at, step, n); }
    else if (from->sort == PYTREE__RV_LONG_DOUBLE) { pytree__rv_write_long(from, dtype, at, step, n); }
    else { pytree__rv_write_whole(from, dtype, at, step, n); }
}

static size_t pytree__rv_number_size(pytree_dtype dtype)
{
    static const unsigned char sizes[] = {
        0, 1, 1, 2, 4, 8, 1, 2, 4, 8, 2, 2, sizeof(float), sizeof(double), sizeof(long double),
        2 * sizeof(float), 2 * sizeof(double), 2 * sizeof(long double)
    };
    return sizes[dtype];
}

/* At most half a block of numbers, real or complex, from one type to another. */
static void pytree__rv_convert_block(char *to, pytree_dtype to_type, const char *from, pytree_dtype from_type, size_t n)
{
    const pytree__rv_number *a = &pytree__rv_numbers[from_type], *b = &pytree__rv_numbers[to_type];
    pytree__rv_wide wide;
    size_t i;
    if (a->parts == b->parts) {
        pytree__rv_read(&wide, a->part, from, 1, n * a->parts);
        pytree__rv_write(&wide, b->part, to, 1, n * b->parts);
        return;
    }
    pytree__rv_read(&wide, a->part, from, a->parts, n);
    if (b->parts == 2) { memset(to, 0, n * pytree__rv_number_size(to_type)); }
    pytree__rv_write(&wide, b->part, to, b->parts, n);
    if (b->part == PYTREE_BOOL8) {        /* of a complex number: its other part counts too */
        char other[PYTREE__RV_BLOCK];
        pytree__rv_read(&wide, a->part, from + pytree__rv_number_size(a->part), 2, n);
        pytree__rv_write(&wide, PYTREE_BOOL8, other, 1, n);
        for (i = 0; i < n; i++) { to[i] = (char)(to[i] | other[i]); }
    }
}

static void pytree__rv_convert(void *to, pytree_dtype to_type, const void *from, pytree_dtype from_type, size_t n)
{
    const size_t to_size = pytree__rv_number_size(to_type), from_size = pytree__rv_number_size(from_type);
    size_t i, k;
    if (to_type == from_type) {
        if (n != 0) { memcpy(to, from, n * to_size); }
        return;
    }
    for (i = 0; i < n; i += k) {
        k = pytree__rv_least(n - i, PYTREE__RV_BLOCK / 2);
        pytree__rv_convert_block((char *)to + i * to_size, to_type, (const char *)from + i * from_size, from_type, k);
    }
}

/* Is the whole number (its bits as unsigned) this real one? */
static bool pytree__rv_whole_is(uint64_t whole, bool with_sign, long double real)
{
    const long double end = 9223372036854775808.0L;            /* 2^63 */
    if (with_sign) {
        return real >= -end && real < end && (long double)(int64_t)real == real && (uint64_t)(int64_t)real == whole;
    }
    return real >= 0 && real < 2 * end && (long double)(uint64_t)real == real && (uint64_t)real == whole;
}

static long double pytree__rv_wide_real(const pytree__rv_wide *w, size_t i)
{
    return w->sort == PYTREE__RV_DOUBLE ? (long double)w->as.d[i] : w->as.l[i];
}

/* The same number, whatever the sorts? NaN is NaN. */
static bool pytree__rv_same_wide(const pytree__rv_wide *a, const pytree__rv_wide *b, size_t i)
{
    const bool a_whole = a->sort <= PYTREE__RV_UNSIGNED, b_whole = b->sort <= PYTREE__RV_UNSIGNED;
    if (a_whole && b_whole) { return a->as.u[i] == b->as.u[i] && (a->sort == b->sort || a->as.u[i] <= INT64_MAX); }
    if (a_whole) { return pytree__rv_whole_is(a->as.u[i], a->sort == PYTREE__RV_SIGNED, pytree__rv_wide_real(b, i)); }
    if (b_whole) { return pytree__rv_whole_is(b->as.u[i], b->sort == PYTREE__RV_SIGNED, pytree__rv_wide_real(a, i)); }
    {
        const long double v = pytree__rv_wide_real(a, i), w = pytree__rv_wide_real(b, i);
        return v == w || (v != v && w != w);
    }
}

/* The first of n numbers that another type does not have; n if it has all. */
static size_t pytree__rv_first_lost(pytree_dtype to_type, const void *from, pytree_dtype from_type, size_t n)
{
    const pytree__rv_number *a = &pytree__rv_numbers[from_type], *b = &pytree__rv_numbers[to_type];
    const size_t size = pytree__rv_number_size(from_type), part = pytree__rv_number_size(a->part);
    char converted[PYTREE__RV_BLOCK * sizeof(long double)];
    pytree__rv_wide before, after;
    size_t i, j, k, p;
    for (i = 0; i < n; i += k) {
        const char *at = (const char *)from + i * size;
        k = pytree__rv_least(n - i, PYTREE__RV_BLOCK / 2);
        pytree__rv_convert_block(converted, to_type, at, from_type, k);
        for (p = 0; p < a->parts; p++) {
            pytree__rv_read(&before, a->part, at + p * part, a->parts, k);
            if (p < b->parts) {
                pytree__rv_read(&after, b->part, converted + p * pytree__rv_number_size(b->part), b->parts, k);
            } else {                      /* an imaginary part that is not kept */
                memset(&after, 0, sizeof after);
                after.sort = PYTREE__RV_SIGNED;
            }
            for (j = 0; j < k; j++) {
                if (!pytree__rv_same_wide(&before, &after, j)) { return i + j; }
            }
        }
    }
    return n;
}

/* ---- Ravel --------------------------------------------------------------------------------------------------------- */

static const pytree_options *pytree__rv_tree(const pytree_ravel_options *opt) { return opt == NULL ? NULL : &opt->tree; }

/* Is the leaf that the iterator stands at made of numbers? */
static pytree_status pytree__rv_want_number(const pytree_iter *it, const pytree_leaf *leaf, const char *wanted)
{
    if (leaf->form == PYTREE_FORM_LEAF && pytree__rv_is_number(leaf->type->dtype)
        && (wanted == NULL || pytree__rv_numbers[leaf->type->dtype].wide >= PYTREE__RV_DOUBLE)) { return PYTREE_OK; }
    return pytree__problem(&it->cursors[0], PYTREE_TYPE, "expected %s, got %s%s", wanted == NULL ? "numbers" : wanted,
                           leaf->form == PYTREE_FORM_LEAF ? "" : "a ",
                           leaf->form == PYTREE_FORM_LEAF ? pytree_dtype_name(leaf->type) : pytree__view_name(leaf));
}

/* Numbers in a tree: how many, and the set of their types. */
typedef struct pytree__rv_census {
    size_t leaves, n;
    uint32_t set;
} pytree__rv_census;

static pytree_status pytree__rv_count_numbers(pytree t, pytree__rv_census *census, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    memset(census, 0, sizeof *census);
    if (pytree_iter_begin(&it, 1, &t, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it)) {
            const pytree_leaf *leaf = it.leaf[0];
            it.status = pytree__rv_want_number(&it, leaf, NULL);
            if (it.status == PYTREE_OK) {
                census->leaves++;
                census->set |= PYTREE__RV_BIT(leaf->type->dtype);
                census->n = pytree__plus(census->n, pytree_leaf_count(leaf));
            }
        }
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK && census->n > PTRDIFF_MAX / (2 * sizeof(long double))) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected a vector that fits into memory, got %zu elements", census->n);
    }
    return it.status;
}

/* The types of a set in words. */
static void pytree__rv_put_types(struct pytree__text *to, uint32_t set)
{
    int dtype;
    for (dtype = 0; set >> dtype != 0; dtype++) {
        if ((set & PYTREE__RV_BIT(dtype)) != 0) {
            pytree__put_text(to, dtype == PYTREE_OPAQUE ? "other" : pytree_dtype_name(pytree_dtype_type((pytree_dtype)dtype)));
            if (set >> dtype != 1) { pytree__put(to, ", ", 2); }
        }
    }
}

/* The element type of the vector for leaves of these types. */
static pytree_status pytree__rv_vector_type(uint32_t set, const pytree_ravel_options *opt, pytree_dtype *dtype,
                                            pytree_error *err)
{
    const pytree_promotion rules = opt == NULL ? PYTREE_PROMOTE_JAX : opt->promotion;
    if (opt != NULL && opt->dtype != PYTREE_NO_DTYPE) {
        *dtype = opt->dtype;
        if (pytree__rv_is_number(opt->dtype)) { return PYTREE_OK; }
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected the element type of numbers, got number %d", (int)opt->dtype);
    }
    *dtype = pytree__rv_promote(set, rules);
    if (*dtype == PYTREE_NO_DTYPE) {
        char types[200];
        struct pytree__text to = pytree__text_to(types, sizeof types, NULL);
        pytree__rv_put_types(&to, set);
        pytree__end_text(&to, sizeof types);
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected element types with a common one, got %s", types);
    }
    return PYTREE_OK;
}

static pytree_leaf pytree__rv_vector(void *data, const pytree_type *type, size_t n)
{
    pytree_leaf v;
    memset(&v, 0, sizeof v);
    v.data = data;
    v.type = type;
    v.ndim = 1;
    v.shape[0] = n;
    return v;
}

/* Leaves as this needs them: where, how many numbers, of which type. An operation that writes lists them first: walking a tree
 * may need memory, and must not fail when half of it is written. With several trees the parts of a leaf stand together. */
typedef struct pytree__rv_part {
    char *data;
    size_t n;
    pytree_dtype dtype;
} pytree__rv_part;

enum { PYTREE__RV_FEW = 256 };
typedef struct pytree__rv_list {
    size_t n;
    pytree__rv_part *parts, few[PYTREE__RV_FEW];
    const pytree_allocator *allocator;
} pytree__rv_list;

static void pytree__rv_end_list(pytree__rv_list *list)
{
    if (list->parts != list->few) { pytree__resize(list->allocator, list->parts, list->n * sizeof *list->parts, 0); }
}

/* The leaves of trees whose numbers were counted (of several trees together). The list is to be ended, after a failure too. A
 * predicate of the caller's that now answers otherwise must not lead beyond the list. */
static pytree_status pytree__rv_list_leaves(pytree__rv_list *list, const pytree__rv_census *census, size_t n_trees,
                                            const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    const size_t bytes = pytree__times(census->leaves, n_trees * sizeof *list->parts);
    size_t at = 0, n = 0, k;
    pytree_iter it;
    list->n = census->leaves * n_trees;
    list->parts = list->few;
    list->allocator = pytree__allocator(opt);
    if (census->leaves > PYTREE__RV_FEW / n_trees) {
        pytree__rv_part *parts = (pytree__rv_part *)pytree__resize(list->allocator, NULL, 0, bytes);
        if (parts == NULL) { return pytree__no_memory(err, bytes); }
        list->parts = parts;
    }
    if (pytree_iter_begin(&it, n_trees, trees, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it) && it.index < census->leaves) {
            for (k = 0; k < n_trees && it.status == PYTREE_OK; k++, at++) {
                it.status = pytree__rv_want_number(&it, it.leaf[k], NULL);
                list->parts[at].data = (char *)it.leaf[k]->data;
                list->parts[at].n = pytree_leaf_count(it.leaf[k]);
                list->parts[at].dtype = it.leaf[k]->type->dtype;
                n += list->parts[at].n;
            }
        }
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK && (at != list->n || n != census->n)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected is_leaf to answer the same again, got other leaves");
    }
    return it.status;
}

/* May n numbers of the one type, of or for leaf i, become such of the other? */
static pytree_status pytree__rv_check_loss(pytree t, size_t i, pytree_dtype to, const char *data, pytree_dtype from, size_t n,
                                           const pytree_ravel_options *opt, pytree_error *err)
{
    const pytree_loss loss = opt == NULL ? PYTREE_LOSS_REFUSED : opt->loss;
    const pytree_type *to_type = pytree_dtype_type(to), *from_type = pytree_dtype_type(from);
    size_t lost = 0;
    pytree_iter it;
    if (loss == PYTREE_LOSS_ALLOWED || pytree__rv_widens(from, to)) { return PYTREE_OK; }
    if (loss == PYTREE_LOSS_REFUSED) {
        lost = pytree__rv_first_lost(to, data, from, n);
        if (lost == n) { return PYTREE_OK; }
    }
    if (pytree_iter_begin(&it, 1, &t, pytree__rv_tree(opt), err) == PYTREE_OK) {
        while (it.index != i && pytree_next(&it)) {}
        if (it.status == PYTREE_OK && loss == PYTREE_LOSS_REFUSED_BY_TYPE) {
            it.status = pytree__problem(&it.cursors[0], PYTREE_TYPE, "expected a type that %s has every number of, got %s",
                                        pytree_dtype_name(to_type), pytree_dtype_name(from_type));
        } else if (it.status == PYTREE_OK) {
            const pytree_leaf numbers = pytree__rv_vector((void *)(uintptr_t)data, from_type, n);
            char text[100];
            struct pytree__text sink = pytree__text_to(text, sizeof text, NULL);
            pytree__put_value(&sink, &numbers, lost);
            pytree__end_text(&sink, sizeof text);
            it.status = pytree__problem(&it.cursors[0], PYTREE_VALUE, "expected numbers that %s has, got %s at element %zu",
                                        pytree_dtype_name(to_type), text, lost);
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

static pytree_status pytree__rv_check_vector(const pytree_leaf *vector, pytree_error *err)
{
    if (vector == NULL || vector->data == NULL || vector->type == NULL || vector->form != PYTREE_FORM_LEAF) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a vector with data and an element type, got none");
    }
    if (vector->ndim != 1) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a vector of 1 dimension, got %d", vector->ndim);
    }
    return PYTREE_OK;
}

static pytree_status pytree__rv_wrong_type(pytree_dtype expected, const pytree_type *got, pytree_error *err)
{
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected a vector of %s, got one of %s",
                       pytree_dtype_name(pytree_dtype_type(expected)), pytree_dtype_name(got));
}

static pytree_status pytree__rv_shape(pytree t, pytree__rv_census *census, pytree_leaf *vector, const pytree_ravel_options *opt,
                                      pytree_error *err)
{
    pytree_dtype dtype;
    pytree_status status = pytree__rv_count_numbers(t, census, pytree__rv_tree(opt), err);
    if (status == PYTREE_OK) { status = pytree__rv_vector_type(census->set, opt, &dtype, err); }
    if (status == PYTREE_OK) { *vector = pytree__rv_vector(NULL, pytree_dtype_type(dtype), census->n); }
    return status;
}

pytree_status pytree_ravel_shape(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    if (vector == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a place for the vector, got NULL"); }
    return pytree__rv_shape(t, &census, vector, opt, err);
}

/* Stands right before the numbers of a vector that was made here. */
struct pytree__rv_vector_head {
    const pytree_allocator *allocator;
    void *base;                           /* as the allocator gave it */
    size_t bytes;
};

static pytree_status pytree__rv_new_vector(pytree_leaf *vector, const pytree_options *opt, pytree_error *err)
{
    const size_t alignment = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment < 16 ? 16 : opt->alignment;
    const size_t head = pytree__plus(sizeof(struct pytree__rv_vector_head), alignment - 1);
    const size_t bytes = pytree__plus(head, pytree_leaf_bytes(vector));
    struct pytree__rv_vector_head *at;
    char *base;
    if (opt != NULL && (opt->alignment & (opt->alignment - 1)) != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", opt->alignment);
    }
    base = (char *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (base == NULL) { return pytree__no_memory(err, bytes); }
    vector->data = base + sizeof *at + (0 - ((uintptr_t)base + sizeof *at)) % alignment;
    at = (struct pytree__rv_vector_head *)vector->data - 1;
    at->allocator = pytree__allocator(opt);
    at->base = base;
    at->bytes = bytes;
    return PYTREE_OK;
}

/* From the listed leaves into the vector: what may be lost, then the copies. */
static pytree_status pytree__rv_check_leaves(pytree t, const pytree__rv_list *list, pytree_dtype to,
                                             const pytree_ravel_options *opt, pytree_error *err)
{
    pytree_status status = PYTREE_OK;
    size_t i;
    for (i = 0; status == PYTREE_OK && i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        status = pytree__rv_check_loss(t, i, to, part->data, part->dtype, part->n, opt, err);
    }
    return status;
}

static void pytree__rv_gather(const pytree_leaf *vector, const pytree__rv_list *list)
{
    char *at = (char *)vector->data;
    size_t i;
    for (i = 0; i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        pytree__rv_convert(at, vector->type->dtype, part->data, part->dtype, part->n);
        at += part->n * vector->type->size;
    }
}

/* The caller's memory instead of new one, if it fits. */
static pytree_status pytree__rv_use_memory(pytree_leaf *made, const pytree_leaf *vector, pytree_error *err)
{
    if (vector->type->dtype != made->type->dtype) { return pytree__rv_wrong_type(made->type->dtype, vector->type, err); }
    if (vector->shape[0] < made->shape[0]) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected room for %zu elements, got %zu", made->shape[0],
                           vector->shape[0]);
    }
    made->data = vector->data;
    return PYTREE_OK;
}

pytree_status pytree_ravel(pytree t, pytree_leaf *vector, const pytree_ravel_options *opt, pytree_error *err)
{
    const pytree_options *tree = pytree__rv_tree(opt);
    const bool fresh = vector != NULL && vector->data == NULL;
    pytree__rv_census census;
    pytree__rv_list list;
    pytree_leaf made;
    pytree_status status = fresh ? PYTREE_OK : pytree__rv_check_vector(vector, err);
    if (status == PYTREE_OK) { status = pytree__rv_shape(t, &census, &made, opt, err); }
    if (status == PYTREE_OK && !fresh) { status = pytree__rv_use_memory(&made, vector, err); }
    if (status != PYTREE_OK) { return status; }
    status = pytree__rv_list_leaves(&list, &census, 1, &t, tree, err);
    if (status == PYTREE_OK) { status = pytree__rv_check_leaves(t, &list, made.type->dtype, opt, err); }
    if (status == PYTREE_OK && fresh) { status = pytree__rv_new_vector(&made, tree, err); }
    if (status == PYTREE_OK) {
        pytree__rv_gather(&made, &list);
        *vector = made;
    }
    pytree__rv_end_list(&list);
    return status;
}

void pytree_ravel_free(pytree_leaf *vector)
{
    if (vector != NULL && vector->data != NULL) {
        const struct pytree__rv_vector_head head = ((struct pytree__rv_vector_head *)vector->data)[-1];
        pytree__resize(head.allocator, head.base, head.bytes, 0);
        memset(vector, 0, sizeof *vector);
    }
}

static pytree_status pytree__rv_check_length(const pytree_leaf *vector, size_t n, pytree_error *err)
{
    if (vector->shape[0] == n) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_SHAPE, NULL, "expected a vector of %zu elements, got %zu", n, vector->shape[0]);
}

/* From the vector into the listed leaves: what may be lost, then the copies. */
static pytree_status pytree__rv_check_back(const pytree_leaf *vector, pytree t, const pytree__rv_list *list,
                                           const pytree_ravel_options *opt, pytree_error *err)
{
    const char *at = (const char *)vector->data;
    pytree_status status = PYTREE_OK;
    size_t i;
    for (i = 0; status == PYTREE_OK && i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        status = pytree__rv_check_loss(t, i, part->dtype, at, vector->type->dtype, part->n, opt, err);
        at += part->n * vector->type->size;
    }
    return status;
}

static void pytree__rv_scatter(const pytree_leaf *vector, const pytree__rv_list *list)
{
    const char *at = (const char *)vector->data;
    size_t i;
    for (i = 0; i < list->n; i++) {
        const pytree__rv_part *part = &list->parts[i];
        pytree__rv_convert(part->data, part->dtype, at, vector->type->dtype, part->n);
        at += part->n * vector->type->size;
    }
}

/* Lists the leaves of a tree for which the vector is right; nothing can go wrong then. The list is to be ended if that went
 * well. */
static pytree_status pytree__rv_begin_unravel(pytree__rv_list *list, pytree__rv_census *census, const pytree_leaf *vector,
                                              pytree t, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree_leaf wanted;
    bool any_type;
    pytree_status status = pytree__rv_check_vector(vector, err);
    if (status == PYTREE_OK) { status = pytree__rv_shape(t, census, &wanted, opt, err); }
    if (status == PYTREE_OK) { status = pytree__rv_check_length(vector, census->n, err); }
    if (status != PYTREE_OK) { return status; }
    any_type = pytree__rv_is_number(vector->type->dtype) && (census->set & (census->set - 1)) == 0
        && (opt == NULL || opt->dtype == PYTREE_NO_DTYPE);
    if (vector->type->dtype != wanted.type->dtype && !any_type) {
        return pytree__rv_wrong_type(wanted.type->dtype, vector->type, err);
    }
    status = pytree__rv_list_leaves(list, census, 1, &t, pytree__rv_tree(opt), err);
    if (status == PYTREE_OK) { status = pytree__rv_check_back(vector, t, list, opt, err); }
    if (status != PYTREE_OK) { pytree__rv_end_list(list); }
    return status;
}

pytree_status pytree_unravel(const pytree_leaf *vector, pytree dst, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    pytree__rv_list list;
    const pytree_status status = pytree__rv_begin_unravel(&list, &census, vector, dst, opt, err);
    if (status == PYTREE_OK) {
        pytree__rv_scatter(vector, &list);
        pytree__rv_end_list(&list);
    }
    return status;
}

pytree pytree_unravel_like(const pytree_leaf *vector, pytree like, const pytree_ravel_options *opt, pytree_error *err)
{
    pytree made = { NULL, NULL };
    pytree__rv_census census;
    pytree__rv_list list;
    if (pytree__rv_begin_unravel(&list, &census, vector, like, opt, err) != PYTREE_OK) { return made; }
    pytree__rv_end_list(&list);
    made = pytree_zeros_like(like, pytree__rv_tree(opt), err);
    if (made.data == NULL) { return made; }
    if (pytree__rv_list_leaves(&list, &census, 1, &made, pytree__rv_tree(opt), err) == PYTREE_OK) {
        pytree__rv_scatter(vector, &list);
    } else {
        pytree_free(made);
        made.type = NULL;
        made.data = NULL;
    }
    pytree__rv_end_list(&list);
    return made;
}

static pytree_status pytree__rv_want_one_type(uint32_t set, pytree_error *err)
{
    char types[200];
    struct pytree__text to = pytree__text_to(types, sizeof types, NULL);
    if ((set & (set - 1)) == 0) { return PYTREE_OK; }
    pytree__rv_put_types(&to, set);
    pytree__end_text(&to, sizeof types);
    return pytree_fail(err, PYTREE_TYPE, NULL, "expected leaves of one element type, got %s", types);
}

pytree_status pytree_unravel_views(const pytree_leaf *vector, pytree like, pytree_leaf *leaves, size_t capacity, size_t *count,
                                   const pytree_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    pytree_iter it;
    size_t first = 0;
    pytree_status status = pytree__rv_check_vector(vector, err);
    if (status == PYTREE_OK) { status = pytree__rv_count_numbers(like, &census, opt, err); }
    if (status == PYTREE_OK) { status = pytree__rv_want_one_type(census.set, err); }
    if (status == PYTREE_OK) { status = pytree__rv_check_length(vector, census.n, err); }
    if (status != PYTREE_OK) { return status; }
    if (count != NULL) { *count = census.leaves; }
    if (capacity < census.leaves) {
        return pytree_fail(err, PYTREE_TOO_MANY_LEAVES, NULL, "expected at most %zu leaves, got %zu", capacity, census.leaves);
    }
    if (leaves == NULL && census.leaves != 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an array of %zu leaves, got NULL", capacity);
    }
    if (pytree_iter_begin(&it, 1, &like, opt, err) == PYTREE_OK) {
        while (pytree_next(&it)) {
            pytree_leaf *leaf = &leaves[it.index];
            *leaf = *it.leaf[0];
            leaf->data = (char *)vector->data + first * vector->type->size;
            leaf->type = vector->type;
            first += pytree_leaf_count(leaf);
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

bool pytree_contiguous(pytree t, size_t padding, pytree_leaf *vector, const pytree_options *opt, pytree_error *err)
{
    const pytree_type *type = pytree_dtype_type(PYTREE_F32);
    char *begin = NULL, *end = NULL;
    pytree__rv_census census;
    pytree_iter it;
    pytree_status status = pytree__rv_count_numbers(t, &census, opt, err);
    if (status == PYTREE_OK && (padding & (padding - 1)) != 0) {
        status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected 0 or a power of two for the padding, got %zu", padding);
    }
    if (status == PYTREE_OK) { status = pytree__rv_want_one_type(census.set, err); }
    if (status != PYTREE_OK) { return false; }
    if (pytree_iter_begin(&it, 1, &t, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it)) {
            const pytree_leaf *leaf = it.leaf[0];
            const size_t bytes = pytree_leaf_bytes(leaf);
            const uintptr_t at = (uintptr_t)leaf->data, due = (uintptr_t)end;
            const bool padded = padding != 0 && at > due && at - due < padding && at % padding == 0
                && (at - due) % leaf->type->size == 0;
            type = leaf->type;
            if (bytes == 0) { continue; }
            if (begin == NULL) { begin = (char *)leaf->data; }
            else if (at != due && !padded) {
                it.status = pytree__problem(&it.cursors[0], PYTREE_VALUE,
                                            "expected the leaf to begin where the one before ends, got %s of %zu bytes",
                                            at > due ? "a gap" : "a step back", (size_t)(at > due ? at - due : due - at));
            }
            end = (char *)leaf->data + bytes;
        }
    }
    pytree_iter_end(&it);
    if (it.status != PYTREE_OK) { return false; }
    if (vector != NULL) { *vector = pytree__rv_vector(begin, type, begin == NULL ? 0 : (size_t)(end - begin) / type->size); }
    return true;
}

/* ---- Summary ------------------------------------------------------------------------------------------------------- */

/* The same goes over the tree twice: to measure the columns, and to write. */
enum { PYTREE__RV_PATH, PYTREE__RV_TYPE, PYTREE__RV_SHAPE, PYTREE__RV_ELEMENTS, PYTREE__RV_BYTES, PYTREE__RV_COLUMNS };
typedef struct pytree__rv_table {
    struct pytree__text *to;              /* NULL: measure */
    size_t widths[PYTREE__RV_COLUMNS];       /* in characters */
} pytree__rv_table;

/* A row in the making: all leaves with this path, or that lie below it. */
typedef struct pytree__rv_row {
    size_t leaves, elements, bytes;
    uint32_t set;
    bool below;                           /* the path is not the leaf's whole one */
    pytree_leaf leaf;                     /* the first */
    char *path;                           /* as in the cell; memory for `room` bytes, `few` as long as that is enough */
    size_t room;
    char few[500];
} pytree__rv_row;

static size_t pytree__rv_characters(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++) { n += (*text & 0xC0) != 0x80; }
    return n;
}

/* A cell: measured, or written between blanks up to its column's width. */
static void pytree__rv_cell(pytree__rv_table *table, int column, const char *text)
{
    const size_t n = pytree__rv_characters(text);
    size_t left;
    if (table->to == NULL) {
        if (n > table->widths[column]) { table->widths[column] = n; }
        return;
    }
    left = table->widths[column] - n;
    pytree__put(table->to, "| ", 2);
    if (column < PYTREE__RV_ELEMENTS) { pytree__put_text(table->to, text); }
    for (; left > 0; left--) { pytree__put(table->to, " ", 1); }
    if (column >= PYTREE__RV_ELEMENTS) { pytree__put_text(table->to, text); }
    pytree__put_text(table->to, column == PYTREE__RV_COLUMNS - 1 ? " |\n" : " ");
}

static void pytree__rv_rule(pytree__rv_table *table)
{
    int column;
    size_t i;
    for (column = 0; table->to != NULL && column < PYTREE__RV_COLUMNS; column++) {
        pytree__put_text(table->to, column < PYTREE__RV_ELEMENTS ? "|:" : "|-");
        for (i = 0; i < table->widths[column]; i++) { pytree__put(table->to, "-", 1); }
        pytree__put_text(table->to, column < PYTREE__RV_ELEMENTS ? "-" : ":");
    }
    if (table->to != NULL) { pytree__put(table->to, "|\n", 2); }
}

/* 1,234,567 */
static void pytree__rv_grouped(pytree__rv_table *table, int column, size_t n)
{
    char text[40];
    size_t i = sizeof text, digits = 0;
    text[--i] = '\0';
    do {
        if (digits != 0 && digits % 3 == 0) { text[--i] = ','; }
        text[--i] = (char)('0' + n % 10);
        digits++;
        n /= 10;
    } while (n != 0);
    pytree__rv_cell(table, column, text + i);
}

static void pytree__rv_types_cell(pytree__rv_table *table, uint32_t set)
{
    char text[200];
    struct pytree__text to = pytree__text_to(text, sizeof text, NULL);
    pytree__rv_put_types(&to, set);
    pytree__end_text(&to, sizeof text);
    pytree__rv_cell(table, PYTREE__RV_TYPE, text);
}

static void pytree__rv_count_cell(pytree__rv_table *table, size_t leaves)
{
    char text[40];
    snprintf(text, sizeof text, "%zu %s", leaves, leaves == 1 ? "leaf" : "leaves");
    pytree__rv_cell(table, PYTREE__RV_SHAPE, text);
}

static void pytree__rv_leaf_cells(pytree__rv_table *table, const pytree_leaf *leaf)
{
    char text[PYTREE_MAX_DIMS * 24];
    struct pytree__text to = pytree__text_to(text, sizeof text, NULL);
    const bool shaped = leaf->form == PYTREE_FORM_LEAF;
    int i;
    pytree__rv_cell(table, PYTREE__RV_TYPE, shaped ? pytree_dtype_name(leaf->type) : pytree__view_name(leaf));
    for (i = 0; shaped && i < leaf->ndim; i++) {
        if (i != 0) { pytree__put_text(&to, " x "); }
        pytree__put_number(&to, leaf->shape[i]);
    }
    pytree__end_text(&to, sizeof text);
    pytree__rv_cell(table, PYTREE__RV_SHAPE, text);
}

static void pytree__rv_put_row(pytree__rv_table *table, const pytree__rv_row *row, const char *path)
{
    pytree__rv_cell(table, PYTREE__RV_PATH, path);
    if (row->below) {
        pytree__rv_types_cell(table, row->set);
        pytree__rv_count_cell(table, row->leaves);
    } else {
        pytree__rv_leaf_cells(table, &row->leaf);
    }
    pytree__rv_grouped(table, PYTREE__RV_ELEMENTS, row->elements);
    pytree__rv_grouped(table, PYTREE__RV_BYTES, row->bytes);
}

static void pytree__rv_begin_row(pytree__rv_row *row)
{
    row->leaves = row->elements = row->bytes = row->set = 0;
    row->below = false;
}

static void pytree__rv_add_leaf(pytree__rv_row *row, const pytree_leaf *leaf)
{
    if (row->leaves++ == 0) { row->leaf = *leaf; }
    if (leaf->form == PYTREE_FORM_LEAF) {
        row->set |= PYTREE__RV_BIT(leaf->type->dtype);
        row->elements = pytree__plus(row->elements, pytree_leaf_count(leaf));
        row->bytes = pytree__plus(row->bytes, pytree_leaf_bytes(leaf));
    }
}

/* The first entries of the path of the leaf at hand, at most `depth`. */
static void pytree__rv_put_path(struct pytree__text *to, const pytree__cursor *c, size_t depth)
{
    const size_t n = pytree__rv_least(pytree__depth(c), depth);
    size_t i;
    for (i = 0; i < n; i++) {
        pytree_entry entry;
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(to, &entry, NULL, i == 0);
    }
}

/* The same as a cell: a | has a backslash, for otherwise it would end there. */
static pytree_status pytree__rv_read_path(pytree__rv_row *row, const pytree_iter *it, size_t depth, const pytree_allocator *a,
                                       pytree_error *err)
{
    struct pytree__text to = pytree__text_to(row->path, row->room, NULL);
    size_t bars = 0, i;
    pytree__rv_put_path(&to, &it->cursors[0], depth);
    if (to.length >= row->room / 2) {     /* with a backslash before each character it would not fit */
        const size_t room = pytree__plus(pytree__times(to.length, 3), 1);
        char *grown = (char *)pytree__resize(a, NULL, 0, room);
        if (grown == NULL) { return pytree__no_memory(err, room); }
        if (row->path != row->few) { pytree__resize(a, row->path, row->room, 0); }
        row->path = grown;
        row->room = room;
        to = pytree__text_to(row->path, row->room, NULL);
        pytree__rv_put_path(&to, &it->cursors[0], depth);
    }
    for (i = 0; i < to.length; i++) { bars += row->path[i] == '|'; }
    row->path[to.length + bars] = '\0';
    for (i = to.length; bars > 0; ) {
        const char c = row->path[--i];
        row->path[i + bars] = c;
        if (c == '|') { row->path[i + --bars] = '\\'; }
    }
    return PYTREE_OK;
}

/* A row for each leaf, or for each path of as many entries as are wanted; then one for all. Leaves below one path follow one
 * another, so that a row is complete when the path changes: two rows take turns, the last and the next. */
static pytree_status pytree__rv_put_rows(pytree__rv_table *table, pytree__rv_row rows[2], pytree__rv_row *total, pytree t,
                                      const pytree_summary_options *opt, pytree_error *err)
{
    const pytree_options *tree = opt == NULL ? NULL : &opt->tree;
    const size_t depth = opt == NULL || opt->depth == 0 ? SIZE_MAX : opt->depth;
    pytree__rv_row *last = &rows[0], *next = &rows[1];
    pytree_iter it;
    pytree__rv_begin_row(last);
    pytree__rv_begin_row(total);
    total->below = true;
    if (pytree_iter_begin(&it, 1, &t, tree, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it)) {
            it.status = pytree__rv_read_path(next, &it, depth, pytree__allocator(tree), err);
            if (it.status != PYTREE_OK) { break; }
            if (last->leaves == 0 || strcmp(last->path, next->path) != 0) {
                pytree__rv_row *done = last;
                if (done->leaves != 0) { pytree__rv_put_row(table, done, done->path); }
                last = next;
                next = done;
                pytree__rv_begin_row(last);
                last->below = pytree_iter_path(&it, NULL, 0) > depth;
            }
            pytree__rv_add_leaf(last, it.leaf[0]);
            pytree__rv_add_leaf(total, it.leaf[0]);
        }
    }
    pytree_iter_end(&it);
    if (last->leaves != 0) { pytree__rv_put_row(table, last, last->path); }
    pytree__rv_put_row(table, total, "total");
    return it.status;
}

static void pytree__rv_put_head(pytree__rv_table *table)
{
    static const char *const titles[PYTREE__RV_COLUMNS] = { "path", "type", "shape", "elements", "bytes" };
    int column;
    for (column = 0; column < PYTREE__RV_COLUMNS; column++) { pytree__rv_cell(table, column, titles[column]); }
    pytree__rv_rule(table);
}

static pytree_status pytree__rv_put_table(struct pytree__text *to, pytree t, const pytree_summary_options *opt,
                                          pytree_error *err)
{
    const pytree_allocator *a = opt == NULL ? NULL : opt->tree.allocator;
    pytree__rv_table table;
    pytree__rv_row rows[2], total;
    pytree_status status;
    int i;
    memset(&table, 0, sizeof table);
    for (i = 0; i < 2; i++) {
        rows[i].path = rows[i].few;
        rows[i].room = sizeof rows[i].few;
    }
    pytree__rv_put_head(&table);
    status = pytree__rv_put_rows(&table, rows, &total, t, opt, err);
    if (status == PYTREE_OK) {
        table.to = to;
        pytree__rv_put_head(&table);
        status = pytree__rv_put_rows(&table, rows, &total, t, opt, err);
    }
    for (i = 0; i < 2; i++) {
        if (rows[i].path != rows[i].few) { pytree__resize(a, rows[i].path, rows[i].room, 0); }
    }
    return status;
}

pytree_status pytree_summary(FILE *file, pytree t, const pytree_summary_options *opt, pytree_error *err)
{
    struct pytree__text to = pytree__text_to(NULL, 0, file);
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    status = pytree__rv_put_table(&to, t, opt, err);
    return status == PYTREE_OK ? pytree__written(file, err) : status;
}

size_t pytree_summary_text(pytree t, char *text, size_t n, const pytree_summary_options *opt, pytree_error *err)
{
    struct pytree__text to = pytree__text_to(text, n, NULL);
    const pytree_status status = pytree__rv_put_table(&to, t, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : pytree__end_text(&to, n);
}

/* ---- Arithmetic ---------------------------------------------------------------------------------------------------- */

/* Both trees made of floats, element for element? */
static pytree_status pytree__rv_check_pair(pytree x, pytree y, bool writes, pytree__rv_census *census,
                                           const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    pytree_iter it;
    both[0] = x;
    both[1] = y;
    memset(census, 0, sizeof *census);
    if (pytree_iter_begin(&it, 2, both, opt, err) == PYTREE_OK) {
        while (it.status == PYTREE_OK && pytree_next(&it)) {
            const pytree_leaf *a = it.leaf[0], *b = it.leaf[1];
            char expected[200], got[200];
            it.status = pytree__rv_want_number(&it, a, "floats or complex numbers");
            if (it.status == PYTREE_OK) { it.status = pytree__rv_want_number(&it, b, "floats or complex numbers"); }
            if (it.status != PYTREE_OK) { break; }
            census->leaves++;
            census->n += pytree_leaf_count(a) + pytree_leaf_count(b);
            pytree__leaf_text(expected, sizeof expected, a);
            pytree__leaf_text(got, sizeof got, b);
            if (a->ndim != b->ndim || (a->ndim != 0 && memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0)) {
                it.status = pytree__problem(&it.cursors[0], PYTREE_SHAPE, "expected the shape of %s, got %s", expected, got);
            } else if (writes && pytree__rv_numbers[a->type->dtype].parts > pytree__rv_numbers[b->type->dtype].parts) {
                it.status = pytree__problem(&it.cursors[0], PYTREE_TYPE, "expected complex numbers to add %s to, got %s",
                                            expected, got);
            }
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

/* A sum of many numbers with what rounding took from it. */
typedef struct pytree__rv_long_sum {
    double sum, rest;
} pytree__rv_long_sum;

static void pytree__rv_add_to(pytree__rv_long_sum *s, double v)
{
    const double sum = s->sum + v;
    s->rest += fabs(s->sum) >= fabs(v) ? (s->sum - sum) + v : (v - sum) + s->sum;
    s->sum = sum;
}

/* Where the sum is infinite or NaN, the rest is NaN and says nothing. */
static double pytree__rv_whole_sum(const pytree__rv_long_sum *s) { return s->sum - s->sum == 0 ? s->sum + s->rest : s->sum; }

/* Real numbers of any float type as doubles, times `scale`. */
static void pytree__rv_read_doubles(double *to, pytree_dtype dtype, const char *at, size_t step, size_t n, double scale)
{
    pytree__rv_wide wide;
    size_t i;
    pytree__rv_read(&wide, dtype, at, step, n);
    for (i = 0; i < n; i++) { to[i] = scale * (wide.sort == PYTREE__RV_DOUBLE ? wide.as.d[i] : (double)wide.as.l[i]); }
}

/* n products (at most a block) in eight sums, then those in one: loops of a length that compilers know. */
#define PYTREE__RV_SUM_PRODUCTS(name, T)                                                                                \
    static double name(const T *x, const T *y, size_t n)                                                                \
    {                                                                                                                   \
        double sums[8] = { 0, 0, 0, 0, 0, 0, 0, 0 };                                                                    \
        size_t i, k;                                                                                                    \
        for (i = 0; i + 8 <= n; i += 8) {                                                                               \
            for (k = 0; k < 8; k++) { sums[k] += (double)x[i + k] * (double)y[i + k]; }                                 \
        }                                                                                                               \
        for (k = 0; i + k < n; k++) { sums[k] += (double)x[i + k] * (double)y[i + k]; }                                 \
        return ((sums[0] + sums[4]) + (sums[1] + sums[5])) + ((sums[2] + sums[6]) + (sums[3] + sums[7]));               \
    }
PYTREE__RV_SUM_PRODUCTS(pytree__rv_sum_float, float)
PYTREE__RV_SUM_PRODUCTS(pytree__rv_sum_double, double)

static bool pytree__rv_are_floats(const pytree__rv_number *a, const pytree__rv_number *b, const void *x, const void *y)
{
    return a->part == PYTREE_F32 && b->part == PYTREE_F32 && ((uintptr_t)x | (uintptr_t)y) % sizeof(float) == 0;
}

/* The products of two leaves' elements; where only one is complex, of its real parts. */
static void pytree__rv_dot_leaf(pytree__rv_long_sum *sum, const pytree_leaf *x, const pytree_leaf *y, double scale)
{
    const pytree__rv_number *a = &pytree__rv_numbers[x->type->dtype], *b = &pytree__rv_numbers[y->type->dtype];
    const bool both = a->parts == b->parts;
    const size_t n = pytree_leaf_count(x) * (both ? a->parts : (size_t)1);
    const size_t x_step = both ? (size_t)1 : a->parts, y_step = both ? (size_t)1 : b->parts;
    const size_t x_size = pytree__rv_number_size(a->part) * x_step, y_size = pytree__rv_number_size(b->part) * y_step;
    const bool direct = both && scale == 1 && pytree__rv_are_floats(a, b, x->data, y->data);
    const char *p = (const char *)x->data, *q = (const char *)y->data;
    double v[PYTREE__RV_BLOCK], w[PYTREE__RV_BLOCK];
    size_t left, k;
    for (left = n; left > 0; left -= k, p += k * x_size, q += k * y_size) {
        k = pytree__rv_least(left, PYTREE__RV_BLOCK);
        if (direct) {
            pytree__rv_add_to(sum, pytree__rv_sum_float((const float *)(const void *)p, (const float *)(const void *)q, k));
        } else {
            pytree__rv_read_doubles(v, a->part, p, x_step, k, scale);
            pytree__rv_read_doubles(w, b->part, q, y_step, k, scale);
            pytree__rv_add_to(sum, pytree__rv_sum_double(v, w, k));
        }
    }
}

static pytree_status pytree__rv_dot(pytree x, pytree y, double scale, double *result, const pytree_options *opt,
                                    pytree_error *err)
{
    pytree__rv_long_sum sum = { 0, 0 };
    pytree both[2];
    pytree_iter it;
    both[0] = x;
    both[1] = y;
    if (pytree_iter_begin(&it, 2, both, opt, err) == PYTREE_OK) {
        while (pytree_next(&it)) { pytree__rv_dot_leaf(&sum, it.leaf[0], it.leaf[1], scale); }
    }
    pytree_iter_end(&it);
    if (it.status == PYTREE_OK) { *result = pytree__rv_whole_sum(&sum); }
    return it.status;
}

pytree_status pytree_dot(pytree x, pytree y, double *result, const pytree_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    const pytree_status status = pytree__rv_check_pair(x, y, false, &census, opt, err);
    return status != PYTREE_OK ? status : pytree__rv_dot(x, y, 1, result, opt, err);
}

/* The largest absolute value; NaN counts as none. */
static pytree_status pytree__rv_largest(pytree t, double *largest, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    *largest = 0;
    if (pytree_iter_begin(&it, 1, &t, opt, err) == PYTREE_OK) {
        while (pytree_next(&it)) {
            const pytree__rv_number *a = &pytree__rv_numbers[it.leaf[0]->type->dtype];
            const size_t n = a->parts * pytree_leaf_count(it.leaf[0]), size = pytree__rv_number_size(a->part);
            double p[PYTREE__RV_BLOCK];
            size_t i, k, j;
            for (i = 0; i < n; i += k) {
                k = pytree__rv_least(n - i, PYTREE__RV_BLOCK);
                pytree__rv_read_doubles(p, a->part, (const char *)it.leaf[0]->data + i * size, 1, k, 1);
                for (j = 0; j < k; j++) {
                    if (fabs(p[j]) > *largest) { *largest = fabs(p[j]); }
                }
            }
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

pytree_status pytree_norm(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    double squares = 0, largest;
    pytree__rv_census census;
    pytree_status status = pytree__rv_check_pair(t, t, false, &census, opt, err);
    if (status == PYTREE_OK) { status = pytree__rv_dot(t, t, 1, &squares, opt, err); }
    if (status == PYTREE_OK && !(squares > 1e-280 && squares <= DBL_MAX)) {    /* some squares may have left the range */
        status = pytree__rv_largest(t, &largest, opt, err);
        if (status != PYTREE_OK) { return status; }
        if (largest > 0 && largest <= DBL_MAX) {
            int exponent;
            frexp(largest, &exponent);
            exponent = exponent < -1000 ? -1000 : exponent;
            status = pytree__rv_dot(t, t, ldexp(1, -exponent), &squares, opt, err);
            if (status == PYTREE_OK) { *result = ldexp(sqrt(squares), exponent); }
            return status;
        }
        squares = squares != squares ? squares : largest;
    }
    if (status == PYTREE_OK) { *result = sqrt(squares); }
    return status;
}

/* y += a x for real numbers, at most a block. */
static void pytree__rv_axpy_block(double a, const char *x, pytree_dtype x_type, char *y, pytree_dtype y_type, size_t y_step,
                               size_t n)
{
    pytree__rv_wide p, q, sum;
    size_t i;
    pytree__rv_read(&p, x_type, x, 1, n);
    pytree__rv_read(&q, y_type, y, y_step, n);
    sum.sort = p.sort > q.sort ? p.sort : q.sort;
    for (i = 0; i < n; i++) {
        if (sum.sort == PYTREE__RV_DOUBLE) {
            sum.as.d[i] = q.as.d[i] + a * p.as.d[i];
        } else {                          /* one call at a time: tcc keeps no long double across another */
            const long double v = pytree__rv_wide_real(&p, i);
            const long double w = pytree__rv_wide_real(&q, i);
            sum.as.l[i] = w + (long double)a * v;
        }
    }
    pytree__rv_write(&sum, y_type, y, y_step, n);
}

static void pytree__rv_axpy_floats(double a, const float *x, float *y, size_t n)
{
    size_t i, k;
    for (i = 0; i + 8 <= n; i += 8) {
        float sums[8];
        for (k = 0; k < 8; k++) { sums[k] = (float)((double)y[i + k] + a * (double)x[i + k]); }
        memcpy(y + i, sums, sizeof sums);
    }
    for (; i < n; i++) { y[i] = (float)((double)y[i] + a * (double)x[i]); }
}

static void pytree__rv_axpy_part(double a, const pytree__rv_part *x, const pytree__rv_part *y)
{
    const pytree__rv_number *from = &pytree__rv_numbers[x->dtype], *to = &pytree__rv_numbers[y->dtype];
    const size_t step = from->parts == to->parts ? 1 : 2, n = x->n * from->parts;
    const size_t x_size = pytree__rv_number_size(from->part), y_size = pytree__rv_number_size(to->part) * step;
    const char *p = x->data;
    char *q = y->data;
    size_t left, k;
    if (step == 1 && pytree__rv_are_floats(from, to, p, q)) {
        pytree__rv_axpy_floats(a, (const float *)(const void *)p, (float *)(void *)q, n);
        return;
    }
    for (left = n; left > 0; left -= k, p += k * x_size, q += k * y_size) {
        k = pytree__rv_least(left, PYTREE__RV_BLOCK);
        pytree__rv_axpy_block(a, p, from->part, q, to->part, step, k);
    }
}

pytree_status pytree_axpy(double a, pytree x, pytree y, const pytree_options *opt, pytree_error *err)
{
    pytree__rv_census census;
    pytree__rv_list list;
    pytree both[2];
    size_t i;
    pytree_status status = pytree__rv_check_pair(x, y, true, &census, opt, err);
    if (status != PYTREE_OK) { return status; }
    both[0] = x;
    both[1] = y;
    status = pytree__rv_list_leaves(&list, &census, 2, both, opt, err);
    for (i = 0; status == PYTREE_OK && i < list.n; i += 2) {
        pytree__rv_axpy_part(a, &list.parts[i], &list.parts[i + 1]);
    }
    pytree__rv_end_list(&list);
    return status;
}

#ifdef __cplusplus
}
#endif
#endif
