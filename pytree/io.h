/* pytree/io.h: file access of the headers that read and write files.
 *
 *     pytree_io           the operations on files, as a table that a program can replace
 *     pytree_io_system    POSIX where available, otherwise pytree_io_stdio
 *     pytree_io_stdio     the C standard library only
 *     pytree_memory_io    no file at all: bytes in memory
 *
 * A file is read through open, read, close. It is saved through a new file in the same folder, which replaces the old one in
 * one step once it is complete and on disk: create, write, sync, close, rename. If a step fails or the process is killed, the
 * path shows either the old file or the new one. The new file has the default permissions of a new file; a link at that path
 * is replaced, not followed.
 *
 * The rules of pytree.h hold. PYTREE_IO_NO_POSIX, defined together with PYTREE_IMPLEMENTATION, makes pytree_io_system the
 * standard library's.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_IO_H
#define PYTREE_IO_H

#ifdef __cplusplus
extern "C" {
#endif

/* Results of an operation: 0, one of these, or a positive code that `reason` explains (errno's, in the tables here). */
enum {
    PYTREE_IO_AGAIN = -1,                 /* nothing done, try again: a signal interrupted it */
    PYTREE_IO_EXISTS = -2,                /* create: the path exists */
    PYTREE_IO_NOT_A_FILE = -3,            /* open: a folder, a pipe, a device */
    PYTREE_IO_TOO_LARGE = -4,             /* more bytes than this system can count */
    PYTREE_IO_NO_MEMORY = -5,
    PYTREE_IO_UNSUPPORTED = -6            /* check, map: not possible for this file or system */
};

/* Operations on files. Every operation gets the table's `context`. `read` and `write` may process fewer bytes than requested
 * and set *done to their number; 0 bytes read mean the end of the file. They are called only from the thread of the
 * operation, so one table may serve many threads if its context can. The table must outlive the files opened with it. */
typedef struct pytree_io {
    int (*open)(void *context, const char *path, void **file, uint64_t *size);   /* to read; never waits */
    int (*create)(void *context, const char *path, void **file);                 /* for writing; fails if it exists */
    int (*read)(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done);
    int (*write)(void *context, void *file, const void *from, size_t n, size_t *done);
    int (*sync)(void *context, void *file);                                      /* brings written data to disk */
    int (*close)(void *context, void *file);                                     /* in any case; may report a late error */
    int (*rename)(void *context, const char *from, const char *to);              /* replaces `to` in one step */
    int (*remove)(void *context, const char *path);
    /* The rest may be NULL. check: brings n bytes into memory, so that a read that follows finds them, or returns why it
     * cannot. map, unmap: maps the whole file, which is not empty, as readable memory, and unmaps it. */
    int (*check)(void *context, void *file, uint64_t at, uint64_t n);
    int (*map)(void *context, void *file, uint64_t size, const void **bytes);
    void (*unmap)(void *context, const void *bytes, uint64_t size);
    const char *(*reason)(void *context, int code);                              /* message for a code > 0; NULL: strerror */
    void *context;
} pytree_io;

extern const pytree_io pytree_io_system;
extern const pytree_io pytree_io_stdio;

/* One file in memory; it stands for every path. To read, set bytes and size. To save, zero-initialise it (and set the
 * allocator, if not the default); bytes and size then hold the saved file until pytree_memory_free.
 *
 *     pytree_memory file = { .bytes = bytes, .size = n };
 *     pytree_io io = pytree_memory_io(&file);
 *     pytree_load_npy("bytes", PYTREE(&matrix), &(pytree_checkpoint_options){ .io = &io }, &err);
 */
typedef struct pytree_memory {
    const void *bytes;
    size_t size;
    const pytree_allocator *allocator;
    /* private */
    void *saved, *making;                 /* the saved file; the file being written */
    size_t saved_room, room, used;
} pytree_memory;
pytree_io pytree_memory_io(pytree_memory *file);
void pytree_memory_free(pytree_memory *file);                      /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/io_system.h"    /* the first of its rooms; each includes the next */
#endif
