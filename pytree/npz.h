/* pytree/npz.h: trees in numpy's .npz files.
 *
 *     pytree_save_npz     saves a tree, each array under its key path: numpy.savez, numpy.savez_compressed
 *     pytree_load_npz     loads a file into the arrays of a tree, matched by name
 *     pytree_read_npz     reads a file into a new dict of arrays; pytree_npz_free frees it
 *
 *     pytree_save_npz("model.npz", PYTREE(&model), NULL, &err);       // layers.0.w, layers.0.b, ...
 *
 * An .npz file is a zip archive of .npy files. zlib provides deflate and CRC-32: the file that compiles the functions needs
 * its header, and the program links with -lz. The archive is read here and not by libzip or minizip, which are made to open
 * damaged files: they search for a directory anywhere, skip bytes before, between and after the members, trust the directory
 * without comparing it with the members, and allow members to overlap. Because of that two readers can see two different
 * files. Here an archive must be complete from its first byte to its last: members one after another without gaps, the
 * directory, the end records; directory and members must agree; sizes, checksums and the ends of deflate streams must be
 * right; each name must be unique; and each member must be a whole .npy file (pytree/npy.h) or have a name without that
 * ending, in which case it is skipped. A name is never used as a path.
 *
 * Names, report and options are those of pytree/checkpoint.h. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "npy.h"

#ifndef PYTREE_NPZ_H
#define PYTREE_NPZ_H

#ifdef __cplusplus
extern "C" {
#endif

/* Save every array of a tree under its name: its key path, layers.0.w, unless the options rename it. opt->compress 1 to 9
 * deflates; 0 stores, and the file is then byte for byte what numpy.savez writes (up to 4 GiB a member). It replaces an old
 * file once it is complete, so that a failure leaves the old one unchanged. An element type without a .npy equivalent is
 * PYTREE_TYPE, two leaves of one name are PYTREE_ARGUMENT, shared memory is treated as opt->shared says; names must be UTF-8.
 * None is skipped. O(bytes); a few allocations for names, with compression 270 KB for zlib. */
pytree_status pytree_save_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Load a file into a tree, array by array, matched by name. opt->report lists all mismatches at once: missing
 * (PYTREE_NOT_FOUND), of another type (PYTREE_TYPE), of another shape (PYTREE_SHAPE), unexpected (PYTREE_STRUCTURE); the
 * status is that of the first of these kinds that occurs. A file that is no such archive is PYTREE_SYNTAX, a system error
 * PYTREE_IO. Members that no leaf asks for are read and checked, too. After an error every leaf is unchanged; therefore
 * loading needs as much additional memory as the arrays take. O(bytes + n log n). */
pytree_status pytree_load_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Read a file into a new dict from names to arrays: dict(numpy.load(path)). Names are not changed (no prefix, no renames). On
 * failure *arrays has data NULL. One block, freed with pytree_npz_free, every array in it aligned as the options say. */
pytree_status pytree_read_npz(const char *path, pytree *arrays, const pytree_checkpoint_options *opt, pytree_error *err);

/* Free the dict of pytree_read_npz. Data NULL is fine. */
void pytree_npz_free(pytree arrays);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/zip.h"    /* the first of its rooms; each includes the next */
#endif
