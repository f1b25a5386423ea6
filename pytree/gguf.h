/* pytree/gguf.h: trees in .gguf files, the format of llama.cpp and whisper.cpp.
 *
 *     pytree_load_gguf("model.gguf", PYTREE(&model), NULL, &err);                // fills the existing arrays
 *     pytree_save_gguf("model.gguf", PYTREE(&model), metadata, NULL, &err);
 *     pytree_checkpoint *file = pytree_gguf_open("model.gguf", NULL, &err);      // its tensors (pytree/checkpoint_file.h)
 *
 * The file:    "GGUF", version 3, counts     metadata: keys with values of a type     tensors: name, extents, type, offset
 *              padding     data, tensor after tensor, each padded to general.alignment (32)
 *
 * Shapes here are those of C: the last extent is that of neighbours in memory. (GGUF stores extents the other way round.)
 *
 * Element types: F32, F16, BF16, F64, I8, I16, I32, I64. Quantised tensors (Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q4_K, Q5_K, Q6_K) are
 * float to a leaf, and are unpacked while they are read, to the same bits as by the gguf package; opt->convert makes other
 * floats of them. Tensors of other quantisations are listed and can be read as bytes.
 *
 * Reading is strict: a file that violates the format anywhere is PYTREE_SYNTAX. Tensors must follow one another, as llama.cpp
 * demands; keys and names must be unique, strings UTF-8 without U+0000; an array of metadata has no arrays in it. Versions 2
 * and 3 are read, and files of little-endian machines only. Memory use stays within a small multiple of the file's length, time
 * is O(n log n).
 *
 * Options, report and errors are those of pytree/checkpoint_file.h. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "checkpoint_file.h"

#ifndef PYTREE_GGUF_H
#define PYTREE_GGUF_H

#ifdef __cplusplus
extern "C" {
#endif

/* Open and check a file without reading its numbers: gguf.GGUFReader(path). Returns NULL on error; close it with
 * pytree_checkpoint_close. The metadata of the open file are the keys with their values as text: strings and numbers as they
 * are, arrays as type and length ("u32[5]"). opt: allocator and I/O. O(metadata + tensors). */
pytree_checkpoint *pytree_gguf_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Return the metadata of a file that pytree_gguf_open opened, as an ordered dict in the file's order: numbers, bools, strings,
 * and arrays of them. Borrowed from the file; read-only. Keys are flat ("general.name"). Of another file, or NULL: data
 * NULL. */
pytree pytree_gguf_metadata(const pytree_checkpoint *file);

/* Load a file into the leaves of a tree: pytree_gguf_open and pytree_checkpoint_load. */
pytree_status pytree_load_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Map a file and point a tree's arrays into it: pytree_gguf_open, pytree_checkpoint_map and pytree_checkpoint_point. Returns
 * the file, which owns the arrays until it is closed; NULL on error. */
pytree_checkpoint *pytree_mmap_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Allocate a registered struct whose sizes are known only from a file, by the rules of pytree_allocate_from_safetensors. */
pytree_status pytree_allocate_from_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Save a tree's leaves, in its order, with metadata: any tree, whose leaves have their simple path as key ("general.name": a
 * dict with this key, or structs); PYTREE_NONE: none. Its leaves are numbers of 8 to 64 bits, bools, strings, and arrays of one
 * dimension of those; an unsigned general.alignment among them holds for the data (otherwise 32). The file replaces an old one
 * once it is complete (pytree/io.h). Names have at most 63 bytes and arrays at most 4 dimensions, as llama.cpp demands
 * (PYTREE_ARGUMENT, PYTREE_SHAPE). Element types that GGUF's tensors do not have, such as unsigned numbers, are PYTREE_TYPE.
 * Nothing is quantised. Shared memory is treated as opt->shared says. */
pytree_status pytree_save_gguf(const char *path, pytree t, pytree metadata, const pytree_checkpoint_options *opt,
                               pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/gguf_types.h"    /* the first of its rooms; each includes the next */
#endif
