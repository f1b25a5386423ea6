/* npy_shared.h: shared by test_npy.c and test_npy_io.c. */
#ifndef NPY_SHARED_H
#define NPY_SHARED_H

#include "support.h"

#include "golden_files.h"
#include "pytree/npy.h"

#include <fcntl.h>
#include <sys/stat.h>

/* ---- What the tests say ------------------------------------------------------------------------------------------------ */

static inline pytree_checkpoint_options options_with(const pytree_io *io, const pytree_allocator *allocator)
{
    pytree_checkpoint_options opt;
    memset(&opt, 0, sizeof opt);
    opt.io = io;
    opt.tree.allocator = allocator;
    return opt;
}

/* The file of a tree, in memory: to be freed with pytree_memory_free. */
static inline pytree_status save_bytes(pytree t, pytree_memory *file, const pytree_allocator *allocator, pytree_error *err)
{
    pytree_io io = pytree_memory_io(file);
    pytree_checkpoint_options opt = options_with(&io, allocator);
    file->allocator = allocator;
    return pytree_save_npy("bytes", t, &opt, err);
}

/* An .npy file made by hand: version 1.0 with that header text. */
static inline size_t make_npy(unsigned char *to, const char *text, const void *data, size_t bytes)
{
    size_t n = strlen(text);
    memcpy(to, "\x93NUMPY\x01", 8);
    to[8] = (unsigned char)(n & 0xFF);
    to[9] = (unsigned char)(n >> 8);
    memcpy(to + 10, text, n);
    if (bytes != 0) { memcpy(to + 10 + n, data, bytes); }
    return 10 + n + bytes;
}

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 3000 };

#endif
