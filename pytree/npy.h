/* pytree/npy.h: arrays in numpy's .npy files.
 *
 *     pytree_save_npy     saves one array leaf: byte for byte what numpy.save writes
 *     pytree_load_npy     loads a file into an existing array leaf
 *     pytree_read_npy     reads a file into a new array; pytree_npy_free frees it
 *
 *     float w[2][3];
 *     pytree_save_npy("w.npy", PYTREE_ARRAY(&w[0][0], 2, 3), NULL, &err);
 *
 * For a whole tree in one file see pytree/npz.h. Reading is strict: the magic bytes, a version from 1.0 to 3.0, a header of
 * at most 10 000 bytes with the three keys once each and no others, then exactly as many bytes as type and shape require.
 * Anything else is an error and never a guess; pickled objects, strings and structures are refused, not decoded. Memory is
 * allocated only after the sizes in a header have been compared with the size of the file. Of the options
 * (pytree/checkpoint.h), tree.allocator, tree.alignment, io and convert apply. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "checkpoint.h"

#ifndef PYTREE_NPY_H
#define PYTREE_NPY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Files --------------------------------------------------------------------------------------------------------- */

/* Save a tree of one leaf, an array or a number: numpy.save. The file is little-endian, row-major, version 1.0, on every
 * machine. It replaces an old file once it is complete (pytree/io.h), so that a failure leaves the old one unchanged. A tree
 * with another number of leaves is PYTREE_TOO_FEW_LEAVES or PYTREE_TOO_MANY_LEAVES; an element type without a .npy equivalent
 * (bfloat16, long double, strings, opaque) is PYTREE_TYPE. One small allocation, for a name. O(bytes). */
pytree_status pytree_save_npy(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Load a file into the array of a tree of one leaf: numpy.load into existing memory. Element type and shape must be those of
 * the leaf (PYTREE_TYPE, PYTREE_SHAPE); with opt->convert, floats of one size are converted to another. Big-endian and
 * column-major files give the same values, row-major and in the machine's byte order. A bool other than 0 and 1 is
 * PYTREE_VALUE, a malformed file PYTREE_SYNTAX, sizes beyond 2^63 - 1 or this machine's limits PYTREE_OVERFLOW, a system
 * error PYTREE_IO. After an error the leaf is unchanged. Allocates (and frees) as many bytes as the file has data. */
pytree_status pytree_load_npy(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Read a file into a new array: numpy.load. *array becomes a view of it, which a tree can hold and pytree_npy_free frees; on
 * failure it is zero. More than PYTREE_MAX_DIMS dimensions are PYTREE_SHAPE. One allocation, aligned as the options say. */
pytree_status pytree_read_npy(const char *path, pytree_leaf *array, const pytree_checkpoint_options *opt, pytree_error *err);

/* Free the array of pytree_read_npy and zero the view. NULL and a zero view are fine. */
void pytree_npy_free(pytree_leaf *array);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/npy_format.h"    /* the first of its rooms; each includes the next */
#endif
