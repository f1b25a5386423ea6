/* pytree/pt.h: trees from .pt and .pth files, as torch.save writes them.
 *
 *     pytree_load_pt("model.pt", PYTREE(&model), NULL, &err);                    // fills the existing arrays
 *     pytree_checkpoint *file = pytree_pt_open("model.pt", NULL, &err);          // its tensors (pytree/checkpoint_file.h)
 *
 * Such a file is a zip archive: a pickle, which says what was saved, and a member with the numbers of each storage. A pickle is
 * a program, and Python's reader runs it. This one runs nothing: it knows dicts, lists, tuples, strings, numbers, None,
 * tensors, parameters and storages, and refuses every other name in the pickle (PYTREE_TYPE, with the name). No file can make
 * it call anything.
 *
 * The name of a tensor is its path in what was saved: keys and indices joined by opt->separator ("."), so that a state dict
 * keeps its names and {"model": model.state_dict()} has "model.0.weight". Keys are strings and integers. What else was saved
 * (numbers, strings, booleans, None) is the metadata, under such names, as Python prints it. Attributes, such as the versions
 * of modules that a state dict has, are skipped. Tensors that share a storage each have their name.
 *
 * Element types: those of C that PyTorch has; tensors of others (float8) are listed and can be read as bytes. Arrays need not
 * lie in row-major order. A tensor may have up to 16 dimensions, and what was saved up to 64 levels. Files of either byte order
 * are read. The archive must be complete and consistent, as for pytree/npz.h. Opening a file compares the checksum of the
 * pickle, and loading a tree (pytree_load_pt, pytree_checkpoint_load) those of the storages that it reads. Mapping, like
 * torch.load(mmap=True), and reading single tensors compare none of storages.
 *
 * Files that torch.save wrote before version 1.6, TorchScript, and whole modules (torch.save(model) instead of
 * model.state_dict()) are refused, with a message that says what to do in Python.
 *
 * Options, report and errors are those of pytree/checkpoint_file.h; a malformed file is PYTREE_SYNTAX. zlib has the checksum:
 * the file that compiles the functions needs its header, and the program links with -lz. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "checkpoint_file.h"
#include "npz.h"

#ifndef PYTREE_PT_H
#define PYTREE_PT_H

#ifdef __cplusplus
extern "C" {
#endif

/* Open and check a file without reading its numbers: torch.load(path, weights_only=True, mmap=True). Returns NULL on error;
 * close it with pytree_checkpoint_close. opt: allocator, I/O, separator. O(pickle + members of the archive). */
pytree_checkpoint *pytree_pt_open(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* Load a file into the leaves of a tree: model.load_state_dict(torch.load(path)). pytree_pt_open and pytree_checkpoint_load. */
pytree_status pytree_load_pt(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Map a file and point a tree's arrays into it: pytree_pt_open, pytree_checkpoint_map and pytree_checkpoint_point. Returns the
 * file, which owns the arrays until it is closed; NULL on error. */
pytree_checkpoint *pytree_mmap_pt(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

/* Allocate a registered struct whose sizes are known only from a file, by the rules of pytree_allocate_from_safetensors. */
pytree_status pytree_allocate_from_pt(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/pt_names.h"    /* the first of its rooms; each includes the next */
#endif
