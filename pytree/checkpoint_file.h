/* pytree/checkpoint_file.h: open checkpoint files of any format: their tensors, loaded into trees, mapped, or read one by one.
 *
 *     pytree_checkpoint *file = pytree_safetensors_open("model.safetensors", NULL, &err);    // or _pt_open, _gguf_open
 *     for (i = 0; file != NULL && i < file->n_tensors; i++) { printf("%s\n", file->tensors[i].name); }
 *     pytree_checkpoint_load(file, PYTREE(&model), NULL, &err);
 *     pytree_checkpoint_close(file);
 *
 * pytree/safetensors.h, pytree/pt.h and pytree/gguf.h open files, and have functions that do all of it in one call. What is
 * common to them is here, so that every format has the same options, the same checks and the same report.
 *
 * Numbers that lie in the file as they do in C are read straight into the leaves. Those of another byte order are turned,
 * arrays that do not lie in row-major order (PyTorch's transposed and expanded ones) are brought into it, and quantised ones
 * (GGUF's) become float, all while they are read, with 256 KB of memory.
 *
 * The rules of pytree.h hold; `opt` here is a pytree_checkpoint_options, and opt->io does the input and output.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "checkpoint.h"

#ifndef PYTREE_CHECKPOINT_FILE_H
#define PYTREE_CHECKPOINT_FILE_H

#ifdef __cplusplus
extern "C" {
#endif

/* An open file and its contents, which it owns. Several threads may use it at once; reading needs a table of I/O that allows
 * that (pytree_io_system does not). */
typedef struct pytree_checkpoint {
    size_t n_tensors;
    const pytree_tensor *tensors;         /* in order of their data; of a .pt file in that of the pickle */
    size_t n_metadata;
    const pytree_metadata *metadata;      /* in the file's order; of a sharded checkpoint: of the first shard */
    uint64_t data_offset;                 /* where the data begins; of the first shard; 0 for .pt */
    size_t n_files;
    const char *const *files;             /* path of each: the file, or the shards */
    bool swapped;                         /* its numbers are in the byte order of other machines; `data` shows them so */
} pytree_checkpoint;

/* Find a tensor by name. Returns NULL if there is none, or if file or name is NULL. O(log n). */
const pytree_tensor *pytree_checkpoint_find(const pytree_checkpoint *file, const char *name);

/* Read the elements of a tensor, in row-major order and as elements of tensor->type, into memory of exactly their size;
 * another `size` is PYTREE_OVERFLOW. If C has no such type, read the bytes of the file (tensor->bytes). */
pytree_status pytree_checkpoint_read(const pytree_checkpoint *file, const pytree_tensor *tensor, void *to, size_t size,
                                     pytree_error *err);

/* Load an open file into the leaves of a tree: each asks for one tensor of the same element type and shape; None asks for
 * nothing. PYTREE_NOT_FOUND, _STRUCTURE, _TYPE, _SHAPE: tensors are missing, unexpected, of the wrong type, of the wrong shape;
 * the message has the first of each kind and their number, opt->report lists all. PYTREE_VALUE: a byte other than 0 and 1 for a
 * bool. opt->io and opt->tree.allocator may differ from those of the file. A failed load leaves the tree unchanged: everything
 * is checked, and all data brought into the system's page cache, before the first leaf is written. */
pytree_status pytree_checkpoint_load(const pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                     pytree_error *err);

/* Allocate a registered struct whose sizes are known only from a file, by the rules of pytree_allocate_from_safetensors. */
pytree_status pytree_checkpoint_allocate(const pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                         pytree_error *err);

/* Bring the data of an open file into memory: each tensor's `data` then points into a read-only mapping of the file (or, where
 * mapping is not available, into memory that it was read into), at the alignment it has there. O(tensors): data is read on
 * first access. If another program truncates the file meanwhile, access to the lost part ends the process (SIGBUS). Once is
 * enough. */
pytree_status pytree_checkpoint_map(pytree_checkpoint *file, pytree_error *err);

/* Point a tree's arrays into a file in memory (pytree_checkpoint_map): data is read on first use, and many processes share one
 * copy. The arrays are read-only. Array pointers may be NULL before; lists and structs must exist. Values in place (scalars,
 * fixed arrays) are copied, and so is data that cannot be used in place: misaligned for its type, converted, not in row-major
 * order, quantised. Matching and errors are those of pytree_checkpoint_load; a file in the other byte order, or a second call
 * for one file, is PYTREE_ARGUMENT. The tree may be used until the file, which owns all of it, is closed. */
pytree_status pytree_checkpoint_point(pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err);

/* Close a file, unmap it, and free its list. NULL is fine. */
void pytree_checkpoint_close(pytree_checkpoint *file);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/checkpoint_file.h"    /* the first of its rooms; each includes the next */
#endif
