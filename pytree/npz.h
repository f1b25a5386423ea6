/* pytree/npz.h: trees in numpy's .npz files.
 *
 *     pytree_save_npz     a tree, each array under its key path: numpy.savez, numpy.savez_compressed
 *     pytree_load_npz     a file into the arrays of a tree, found by name
 *     pytree_read_npz     a file into a dict of arrays of its own; pytree_npz_free
 *
 *     pytree_save_npz("model.npz", PYTREE(&model), NULL, &err);       // layers.0.w, layers.0.b, ...
 *
 * An .npz is a zip archive of .npy files. Deflate and CRC-32 are zlib's: the file that has the bodies needs its header, the
 * program -lz. The archive around them is read here and not by libzip or minizip, because strictness decides: those are made to
 * open what is damaged. They look for a directory wherever it may be, skip bytes before, between and behind the members,
 * believe the directory without comparing it with the members, and leave it to the reader whether two members overlap. All of
 * that is how two readers come to see two different files. Here an archive is one from its first byte to its last: members one
 * after another without gaps, the directory, the end records; directory and members say the same; sizes, checksums and the end
 * of each deflate stream are right; each name is there once; and each member is a whole .npy file (pytree/npy.h) or something
 * without that ending, which is passed over. A name is never used as a path.
 *
 * Names, the report and options are those of pytree/checkpoint.h. Rules as in pytree.h, and the bodies stand where
 * PYTREE_IMPLEMENTATION is defined.
 */
#include "../pytree.h"
#include "npy.h"

#ifndef PYTREE_NPZ_H
#define PYTREE_NPZ_H

#ifdef __cplusplus
extern "C" {
#endif

/* Saves every array of a tree under its name: its key path as in layers.0.w, or what the options make of it. opt->compress 1 to
 * 9 deflates; 0 stores, and the file is then what numpy.savez writes, byte for byte (up to 4 GiB a member). It takes its place
 * when it is whole, so that a failure leaves an old file as it was. An element type that .npy does not have is PYTREE_TYPE, two
 * leaves of one name PYTREE_ARGUMENT, shared memory as opt->shared says; a name must be UTF-8. None is left out. O(bytes); some
 * allocations for names, with compress 270 KB for zlib. */
pytree_status pytree_save_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Loads a file into a tree, array by array, by name. What is missing (PYTREE_NOT_FOUND), of another type (PYTREE_TYPE), of
 * another shape (PYTREE_SHAPE) or unexpected (PYTREE_STRUCTURE) is in opt->report, all of it at once; the status is that of the
 * first of these kinds that there is. A file that is no such archive is PYTREE_SYNTAX, a failing system PYTREE_IO. Members
 * that no leaf asks for are read and checked too. After an error every leaf is as before: so it takes, while it loads, as much
 * memory again as the arrays. O(bytes + n log n). */
pytree_status pytree_load_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Reads a file into a new dict, from names to arrays: dict(numpy.load(path)). Names are not touched (no prefix, no renames). On
 * failure *arrays has data NULL. One block that lives until pytree_npz_free, every array in it aligned as the options say. */
pytree_status pytree_read_npz(const char *path, pytree *arrays, const pytree_checkpoint_options *opt, pytree_error *err);

/* Frees what pytree_read_npz gave. Data NULL is fine. */
void pytree_npz_free(pytree arrays);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/zip.h"                          /* and from there npz.h */
#endif
