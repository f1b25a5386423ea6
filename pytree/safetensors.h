/* pytree/safetensors.h: trees in .safetensors files, the format of PyTorch's and JAX's checkpoints.
 *
 *     pytree_load_safetensors("model.safetensors", PYTREE(&model), NULL, &err);      // fills the arrays that are there
 *     pytree_save_safetensors("model.safetensors", PYTREE(&model), NULL, &err);
 *
 * A leaf asks for the tensor that has the name of its key path: `.layers[0].w` for "layers.0.w". Options (pytree/checkpoint.h)
 * give a prefix, a table or a callback for files with other names. What does not fit is reported all at once, and the tree then
 * is as it was. A path that ends in ".index.json" is a sharded checkpoint: the index, and beside it the files it names.
 *
 * The file:    8 bytes: N, little-endian     N bytes: header, a JSON object     the rest: data, tensor after tensor
 *
 *     {"__metadata__":{"format":"pt"},"layers.0.w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, …}
 *
 * Reading is strict: a file that breaks the format anywhere is refused before a leaf is touched, with PYTREE_SYNTAX. Refused
 * too, though Python's reader takes them: names, keys and fields that come twice, U+0000 in names and metadata, metadata that
 * is null, nesting over 64 levels. A tensor may have up to 64 dimensions. Memory that is asked for never exceeds a small
 * multiple of the file's length, time grows as n log n.
 *
 * Element types: BOOL, I8 … I64, U8 … U64, F16 (pytree_f16), BF16 (pytree_bf16), F32, F64, C64 (float complex). Tensors of
 * other types (F8 and smaller) are listed and can be read as bytes. Data is little-endian; on other machines loading, mapping
 * and saving are PYTREE_ARGUMENT.
 *
 * Rules as in pytree.h; `opt` here is a pytree_checkpoint_options. I/O goes through the table in the options. The bodies stand
 * where PYTREE_IMPLEMENTATION is defined.
 */
#include "checkpoint.h"

#ifndef PYTREE_SAFETENSORS_H
#define PYTREE_SAFETENSORS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Load and save ------------------------------------------------------------------------------------------------- */

/* Reads a file into the leaves of a tree: each asks for one tensor, and its element type and shape must be the tensor's; None
 * asks for nothing. jax.tree.map over safetensors.numpy.load_file. The data goes straight into the leaves. PYTREE_NOT_FOUND,
 * _STRUCTURE, _TYPE, _SHAPE: tensors are missing, unexpected, of the wrong type, of the wrong shape; the message has the first
 * of each and how many there are, opt->report all. PYTREE_VALUE: a byte other than 0 and 1 for a bool. PYTREE_TYPE also for a
 * leaf that the format cannot hold.
 *
 * A failed load leaves the tree as it was: everything is checked, and all data brought into the system's memory, before the
 * first leaf is written. (What can still go wrong then: another process shortens the file in between, or the system drops what
 * it has just read and cannot read it again. It is PYTREE_IO, and leaves that were filled by then keep the new values.) */
pytree_status pytree_load_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Writes a tree's leaves, in the order and the bytes of the reference writer, with opt->metadata. Written straight from the
 * leaves into a file beside it that then takes its place (pytree/io.h): at no time is there less than a whole file, and if
 * anything fails the old one stays. So one may save over a file that is mapped: the mapping keeps the old values.
 * Leaves of the same memory are PYTREE_SHARED with both paths, unless opt->shared says otherwise. Slices (opt->rename) are put
 * together to one tensor. Strings and other leaves that are no numbers are PYTREE_TYPE, two leaves of one name
 * PYTREE_ARGUMENT. */
pytree_status pytree_save_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* pytree_allocate for a tree whose sizes only the file knows. `t` is a registered struct; static integers that are 0 and
 * pointers that are NULL are filled in from names and shapes, then memory is allocated as by pytree_allocate (pytree_free gives
 * it back) and left zero: load next. The rule, for each struct from the root down:
 *
 * - LIST(self->n): where self->n is 0, it becomes the number of elements in the file: the first i for which no tensor's name
 *   begins with that of element i.
 * - ARRAY(self->n, self->m): a static integer that is 0 and is an extent by itself becomes the tensor's extent there.
 *   What follows from it (ARRAY(3 * self->n)) must agree; the load checks that.
 * - OPTIONAL pointers that are NULL are made where the file has a tensor of that name or below it, otherwise stay NULL.
 * - Numbers that are not 0, and lists that are there, are as they are: a template.
 *
 * Names are those of the simple path behind the prefix; with opt->renames or opt->rename it is PYTREE_ARGUMENT. On an error
 * everything is as before. */
pytree_status pytree_allocate_from_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                               pytree_error *err);

/* ---- Files --------------------------------------------------------------------------------------------------------- */

/* A file that is open, and what is in it. Everything it points at is its own. Reading it is safe in many threads at once,
 * pytree_safetensors_read only if the table of I/O is (pytree_io_system's is not). */
typedef struct pytree_safetensors {
    size_t n_tensors;
    const pytree_tensor *tensors;         /* in order of their data */
    size_t n_metadata;
    const pytree_metadata *metadata;      /* in the header's order; of a sharded checkpoint: the first shard's */
    uint64_t data_offset;                 /* where the data begins; of the first shard */
    size_t n_files;
    const char *const *files;             /* path of each: the file, or the shards */
} pytree_safetensors;

/* Opens and checks a file, without its data; NULL on error. opt: allocator and I/O. pytree_safetensors_close it. */
pytree_safetensors *pytree_safetensors_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* The same with the data in memory: each tensor's `data` points into a read-only mapping of the file (or, where there is no
 * mapping, into memory that it was read into), aligned as it happens to lie. O(header): no data is read yet. Should the file
 * be shortened by another program while it is mapped, reading what is gone ends the process (SIGBUS); changed bytes show.
 * Saving with pytree_save_safetensors does neither, since it replaces files and never changes one. */
pytree_safetensors *pytree_safetensors_map(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Maps a file and points a tree's arrays into it: no data is read before it is used, and many processes share one copy. The
 * arrays are read-only (writing to them ends the process). Array pointers may be NULL before; lists and structs must be there.
 * Values in place (scalars, fixed arrays) are copied, and so is what cannot be used where it lies: data that is not aligned
 * for its type, conversions. Matching and errors as in pytree_load_safetensors. The tree may be used until the result is
 * closed, which is the owner of all of it; the pointers are yours to forget. */
pytree_safetensors *pytree_mmap_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                            pytree_error *err);
#define pytree_map_safetensors pytree_mmap_safetensors       /* its name before 0.2; gone after it */

/* The tensor of that name, or NULL; that too where file or name are NULL. O(log n). */
const pytree_tensor *pytree_safetensors_find(const pytree_safetensors *file, const char *name);

/* Reads a tensor's bytes, all of them (tensor->bytes), into memory of that size. PYTREE_OVERFLOW if `size` is another. */
pytree_status pytree_safetensors_read(const pytree_safetensors *file, const pytree_tensor *tensor, void *to, size_t size,
                                      pytree_error *err);

/* Fills a tree from a file that is open, as pytree_load_safetensors. opt->io and opt->tree.allocator may be others. */
pytree_status pytree_safetensors_load(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err);

/* Closes the file, unmaps it, frees the list. NULL is fine. */
void pytree_safetensors_close(pytree_safetensors *file);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/safetensors_dtype.h"  /* the first of its rooms; each includes the next */
#endif
