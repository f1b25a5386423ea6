/* pytree/safetensors.h: trees in .safetensors files, the checkpoint format of PyTorch and JAX.
 *
 *     pytree_load_safetensors("model.safetensors", PYTREE(&model), NULL, &err);      // fills the existing arrays
 *     pytree_save_safetensors("model.safetensors", PYTREE(&model), NULL, &err);
 *
 * A leaf asks for the tensor with the name of its key path: `.layers[0].w` for "layers.0.w". Options (pytree/checkpoint.h)
 * give a prefix, a table or a callback for files with other names. All mismatches are reported at once, and the tree is then
 * unchanged. A path that ends in ".index.json" is a sharded checkpoint: the index, and beside it the files it names.
 *
 * The file:    8 bytes: N, little-endian     N bytes: header, a JSON object     the rest: data, tensor after tensor
 *
 *     {"__metadata__":{"format":"pt"},"layers.0.w":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, …}
 *
 * Reading is strict: a file that violates the format anywhere is refused with PYTREE_SYNTAX before a leaf is written. Also
 * refused, though Python's reader accepts them: repeated names, keys and fields, U+0000 in names and metadata, metadata that
 * is null, nesting over 64 levels. A tensor may have up to 64 dimensions. Memory use stays within a small multiple of the
 * file's length, time is O(n log n).
 *
 * Element types: BOOL, I8 … I64, U8 … U64, F16 (pytree_f16), BF16 (pytree_bf16), F32, F64, C64 (float complex). Tensors of
 * other types (F8 and smaller) are listed and can be read as bytes. Data is little-endian; on big-endian machines it is
 * converted while it is read and written, pytree_safetensors_map shows it as it is, and pytree_mmap_safetensors is
 * PYTREE_ARGUMENT.
 *
 * The rules of pytree.h hold; `opt` here is a pytree_checkpoint_options, and opt->io does the input and output.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "checkpoint_file.h"

#ifndef PYTREE_SAFETENSORS_H
#define PYTREE_SAFETENSORS_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Load and save ------------------------------------------------------------------------------------------------- */

/* Load a file into the leaves of a tree: each asks for one tensor of the same element type and shape; None asks for nothing.
 * jax.tree.map over safetensors.numpy.load_file. The data goes straight into the leaves. PYTREE_NOT_FOUND, _STRUCTURE, _TYPE,
 * _SHAPE: tensors are missing, unexpected, of the wrong type, of the wrong shape; the message has the first of each kind and
 * their number, opt->report lists all. PYTREE_VALUE: a byte other than 0 and 1 for a bool. PYTREE_TYPE also for a leaf that
 * the format cannot hold.
 *
 * A failed load leaves the tree unchanged: everything is checked, and all data brought into the system's page cache, before
 * the first leaf is written. (One case remains: another process truncates the file meanwhile, or the system drops pages it
 * has just read and cannot read them again. That is PYTREE_IO, and the leaves filled by then keep the new values.) */
pytree_status pytree_load_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Save a tree's leaves, byte for byte as the reference writer does, with opt->metadata. They are written straight from the
 * leaves into a temporary file beside the target, which then replaces it (pytree/io.h): there is a complete file at all
 * times, and after a failure it is the old one. So a file may be overwritten while it is mapped: the mapping keeps the old
 * values. Leaves that share memory are PYTREE_SHARED with both paths, unless opt->shared says otherwise. Slices (opt->rename)
 * are joined to one tensor. Strings and other leaves that are no numbers are PYTREE_TYPE, two leaves of one name
 * PYTREE_ARGUMENT. */
pytree_status pytree_save_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Allocate a tree whose sizes are known only from a file. `t` is a registered struct. Static integers that are 0 and pointers
 * that are NULL are filled in from names and shapes; then memory is allocated as by pytree_allocate (free it with pytree_free)
 * and left zero, ready for a load. The rules, for each struct from the root down:
 *
 * - LIST(self->n): if self->n is 0, it becomes the number of elements in the file: the first i for which no tensor's name
 *   begins with the name of element i.
 * - ARRAY(self->n, self->m): a static integer that is 0 and is an extent by itself becomes the tensor's extent there.
 *   Extents computed from it (ARRAY(3 * self->n)) must agree; the load checks that.
 * - OPTIONAL pointers that are NULL are allocated if the file has a tensor of that name or below it; otherwise they stay NULL.
 * - Integers other than 0 and existing lists stay as they are: they are the template.
 *
 * Names are the simple paths after the prefix; with opt->renames or opt->rename it is PYTREE_ARGUMENT. On an error everything
 * is unchanged. */
pytree_status pytree_allocate_from_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                               pytree_error *err);

/* ---- Files --------------------------------------------------------------------------------------------------------- */

/* An open file and its contents, which it owns (pytree/checkpoint_file.h). */
typedef pytree_checkpoint pytree_safetensors;

/* Open and check a file without reading its data. Returns NULL on error; close it with pytree_safetensors_close. opt:
 * allocator and I/O. */
pytree_safetensors *pytree_safetensors_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Open and check a file with its data in memory: each tensor's `data` points into a read-only mapping of the file (or, where
 * mapping is not available, into memory that it was read into), at the alignment it has there. O(header): data is read on
 * first access. If another program truncates the file while it is mapped, access to the lost part ends the process (SIGBUS);
 * changed bytes become visible. pytree_save_safetensors causes neither, since it replaces files and never changes one. */
pytree_safetensors *pytree_safetensors_map(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Map a file and point a tree's arrays into it: data is read on first use, and many processes share one copy. The arrays are
 * read-only (writing to them ends the process). Array pointers may be NULL before; lists and structs must exist. Values in
 * place (scalars, fixed arrays) are copied, and so is data that cannot be used in place: misaligned for its type, or to be
 * converted. Matching and errors are those of pytree_load_safetensors. The tree may be used until the result, which owns all
 * of it, is closed; then its pointers dangle. */
pytree_safetensors *pytree_mmap_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt,
                                            pytree_error *err);
#define pytree_map_safetensors pytree_mmap_safetensors       /* its name before 0.2; gone after it */

/* Find a tensor by name. Returns NULL if there is none, or if file or name is NULL. O(log n). */
const pytree_tensor *pytree_safetensors_find(const pytree_safetensors *file, const char *name);

/* Read all bytes of a tensor into memory of exactly that size (tensor->bytes); another `size` is PYTREE_OVERFLOW. */
pytree_status pytree_safetensors_read(const pytree_safetensors *file, const pytree_tensor *tensor, void *to, size_t size,
                                      pytree_error *err);

/* Load an open file into the leaves of a tree, like pytree_load_safetensors. opt->io and opt->tree.allocator may differ from
 * those of the file. */
pytree_status pytree_safetensors_load(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err);

/* Close a file, unmap it, and free its list. NULL is fine. */
void pytree_safetensors_close(pytree_safetensors *file);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/safetensors_dtype.h"    /* the first of its rooms; each includes the next */
#endif
