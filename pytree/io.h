/* pytree/io.h: how the headers for files read and write.
 *
 *     pytree_io           the operations on files, as a table that a program can replace
 *     pytree_io_system    POSIX where there is POSIX, otherwise the next
 *     pytree_io_stdio     the C standard library alone
 *     pytree_memory_io    no file at all: bytes in memory
 *
 * A file is read through open, read, close. It is saved through a new file in the same folder, which takes the place of the old
 * one in one step when it is whole and on disk: create, write, sync, close, rename. Whatever fails on the way, or if the
 * process is killed, the path shows the old file or the new one. The new file has the permissions of a new file, and a link at
 * that path is replaced, not followed.
 *
 * Rules as in pytree.h. The bodies stand where PYTREE_IMPLEMENTATION is defined. PYTREE_IO_NO_POSIX, defined there too, makes
 * pytree_io_system the standard library's.
 */
#include "../pytree.h"

#ifndef PYTREE_IO_H
#define PYTREE_IO_H

#ifdef __cplusplus
extern "C" {
#endif

/* What an operation returns: 0, one of these, or a positive code that `reason` knows (errno's, in the tables here). */
enum {
    PYTREE_IO_AGAIN = -1,                 /* nothing done, try again: a signal came in between */
    PYTREE_IO_EXISTS = -2,                /* create: there is something at that path */
    PYTREE_IO_NOT_A_FILE = -3,            /* open: a folder, a pipe, a device */
    PYTREE_IO_TOO_LARGE = -4,             /* more bytes than this system can count */
    PYTREE_IO_NO_MEMORY = -5,
    PYTREE_IO_UNSUPPORTED = -6            /* check, map: not this file, not here */
};

/* Operations on files. Those that take `context` get the table's. `read` and `write` may do less than they are asked and say
 * how much in *done; 0 bytes read: the end of the file. They are called from the thread of the operation alone, so one table
 * may serve many threads if its context does. The table must outlive the files opened with it. */
typedef struct pytree_io {
    int (*open)(void *context, const char *path, void **file, uint64_t *size);   /* to read; never waits */
    int (*create)(void *context, const char *path, void **file);                 /* to write what was not there */
    int (*read)(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done);
    int (*write)(void *context, void *file, const void *from, size_t n, size_t *done);
    int (*sync)(void *context, void *file);                                      /* what was written is on disk */
    int (*close)(void *context, void *file);                                     /* in any case; says what went wrong late */
    int (*rename)(void *context, const char *from, const char *to);              /* replaces `to` in one step */
    int (*remove)(void *context, const char *path);
    /* The rest may be NULL. check: brings n bytes into memory, so that a read that follows will find them, or says why not.
     * map, unmap: the whole file, whose size is not 0, as memory that may be read, and back. */
    int (*check)(void *context, void *file, uint64_t at, uint64_t n);
    int (*map)(void *context, void *file, uint64_t size, const void **bytes);
    void (*unmap)(void *context, const void *bytes, uint64_t size);
    const char *(*reason)(void *context, int code);                              /* words for a positive code; NULL: strerror */
    void *context;
} pytree_io;

extern const pytree_io pytree_io_system;
extern const pytree_io pytree_io_stdio;

/* One file in memory, under whatever path. To read: set bytes and size. To save: zero-initialise it (and set the allocator, if
 * it is not to be NULL); bytes and size are then what was saved, until pytree_memory_free.
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
    void *saved, *making;                 /* what bytes point to, if it was saved here; the file in the making */
    size_t saved_room, room, used;
} pytree_memory;
pytree_io pytree_memory_io(pytree_memory *file);
void pytree_memory_free(pytree_memory *file);                      /* NULL is fine */

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/io_system.h"
#endif
