/* pytree/npy.h: arrays in numpy's .npy files.
 *
 *     pytree_save_npy     one array leaf into a file: what numpy.save writes, byte for byte
 *     pytree_load_npy     a file into an array leaf that is there
 *     pytree_read_npy     a file into an array of its own; pytree_npy_free
 *
 *     float w[2][3];
 *     pytree_save_npy("w.npy", PYTREE_ARRAY(&w[0][0], 2, 3), NULL, &err);
 *
 * A whole tree in one file: pytree/npz.h. A file is read strictly: the magic bytes, a version from 1.0 to 3.0, a header of at
 * most 10 000 bytes with the three keys once each and nothing besides, then exactly as many bytes as type and shape ask for.
 * Anything else is an error and never a guess; pickled objects, strings and structures are refused, not decoded. Nothing is
 * allocated on the word of a header before its sizes have been compared with the file's. Options are those of all files
 * (pytree/checkpoint.h), of which tree.allocator, tree.alignment, io and convert mean something here. Rules as in pytree.h, and
 * the bodies stand where PYTREE_IMPLEMENTATION is defined.
 */
#include "../pytree.h"
#include "checkpoint.h"

#ifndef PYTREE_NPY_H
#define PYTREE_NPY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Files --------------------------------------------------------------------------------------------------------- */

/* Saves a tree of one leaf, an array or a number: numpy.save. The file is little-endian, row-major, version 1.0, on every
 * machine. It takes its place when it is whole (pytree/io.h), so that a failure leaves an old file as it was. Another number of
 * leaves is PYTREE_TOO_FEW_LEAVES or PYTREE_TOO_MANY_LEAVES; an element type that .npy does not have (bfloat16, long double,
 * strings, opaque) PYTREE_TYPE. One small allocation, for a name. O(bytes). */
pytree_status pytree_save_npy(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Loads a file into the array of a tree of one leaf: numpy.load into what is there. Element type and shape must be the leaf's
 * (PYTREE_TYPE, PYTREE_SHAPE); with opt->convert, floats of one size serve for floats of another. Big-endian and column-major
 * files give the same values, row-major in the machine's order. A bool that is not 0 or 1 is PYTREE_VALUE, a malformed file
 * PYTREE_SYNTAX, sizes over 2^63 - 1 or this machine's PYTREE_OVERFLOW, a failing system PYTREE_IO. After an error the leaf is
 * as before. Allocates (and frees) as much as the file's data takes. */
pytree_status pytree_load_npy(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Reads a file into a new array: numpy.load. *array becomes a view of it, which a tree can hold and pytree_npy_free gives
 * back; on failure it is zero. At most PYTREE_MAX_DIMS dimensions: PYTREE_SHAPE. One allocation, aligned as the options say. */
pytree_status pytree_read_npy(const char *path, pytree_leaf *array, const pytree_checkpoint_options *opt, pytree_error *err);

/* Frees what pytree_read_npy gave and zeroes the view. NULL and a zero view are fine. */
void pytree_npy_free(pytree_leaf *array);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/npy_format.h"
#endif
