/* pytree/impl/io.h: files that are read, and saving a file whole or not at all. */
#ifndef PYTREE_IMPL_IO_H
#define PYTREE_IMPL_IO_H

#include "io_system.h"

#include <time.h>

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

/* A file open for reading. Failures set `err`. */
typedef struct pytree__file {
    const pytree_io *io;
    void *handle;
    const char *path;
    uint64_t size;
    pytree_error *err;
} pytree__file;
/* Open a file. io NULL: pytree_io_system. After a failure nothing needs to be closed. */
pytree_status pytree__file_open(pytree__file *f, const char *path, const pytree_io *io, pytree_error *err);
pytree_status pytree__file_read(const pytree__file *f, uint64_t at, void *to, size_t n);       /* all n bytes, or an error */
/* Check that n bytes can be read: with the table's check, or else by reading them piece by piece into `scratch`. */
pytree_status pytree__file_check(const pytree__file *f, uint64_t at, uint64_t n, void *scratch, size_t scratch_bytes);
void pytree__file_close(pytree__file *f);

/* A file being saved. The first failure stays in `status`, and later writes are dropped. */
typedef struct pytree__save {
    const pytree_io *io;
    void *handle;                         /* NULL: none is open */
    const char *path;
    char *name;                           /* of the temporary file; NULL: there is none */
    size_t name_bytes;
    uint64_t written;
    const pytree_allocator *allocator;
    pytree_status status;
    pytree_error *err;
} pytree__save;
pytree_status pytree__save_begin(pytree__save *s, const char *path, const pytree_io *io, const pytree_options *opt,
                                 pytree_error *err);
pytree_status pytree__save_write(pytree__save *s, const void *from, size_t n);
/* End saving; call it also after a failed begin. The file takes its place if all went well, and is removed otherwise. */
pytree_status pytree__save_end(pytree__save *s);

/* ---- Files --------------------------------------------------------------------------------------------------------- */

static pytree_status pytree__io_fail(pytree_error *err, const pytree_io *io, const char *doing, const char *path, int code)
{
    const int before = PYTREE__GET_ERRNO();
    const char *reason = code == PYTREE_IO_AGAIN ? "interrupted"
                         : code == PYTREE_IO_EXISTS ? "the temporary names beside it are taken"
                         : code == PYTREE_IO_NOT_A_FILE ? "not a regular file"
                         : code == PYTREE_IO_TOO_LARGE ? "larger than this system can count"
                         : code == PYTREE_IO_NO_MEMORY ? "out of memory"
                         : code == PYTREE_IO_UNSUPPORTED ? "not possible with this file"
                         : io->reason != NULL ? io->reason(io->context, code) : strerror(code);
    PYTREE__SET_ERRNO(before);
    return pytree_fail(err, code == PYTREE_IO_NO_MEMORY ? PYTREE_NO_MEMORY : PYTREE_IO, NULL, "expected to %s '%s', got: %s",
                       doing, path, reason == NULL ? "no reason" : reason);
}

pytree_status pytree__file_open(pytree__file *f, const char *path, const pytree_io *io, pytree_error *err)
{
    const int before = PYTREE__GET_ERRNO();
    int code;
    memset(f, 0, sizeof *f);
    f->io = io != NULL ? io : &pytree_io_system;
    f->path = path;
    f->err = err;
    if (path == NULL) { return pytree_fail(err, PYTREE_NULL_POINTER, NULL, "expected the path of a file, got NULL"); }
    do { code = f->io->open(f->io->context, path, &f->handle, &f->size); } while (code == PYTREE_IO_AGAIN);
    PYTREE__SET_ERRNO(before);
    return code != 0 ? pytree__io_fail(err, f->io, "open", path, code) : PYTREE_OK;
}

pytree_status pytree__file_read(const pytree__file *f, uint64_t at, void *to, size_t n)
{
    char *next = (char *)to;
    while (n != 0) {
        const int before = PYTREE__GET_ERRNO();
        size_t done = 0;
        int code = f->io->read(f->io->context, f->handle, at, next, n, &done);
        PYTREE__SET_ERRNO(before);
        if (code == PYTREE_IO_AGAIN) { continue; }
        if (code != 0) { return pytree__io_fail(f->err, f->io, "read", f->path, code); }
        if (done == 0 || done > n) {
            return pytree_fail(f->err, PYTREE_IO, NULL, "expected %zu bytes more at offset %llu of '%s', got its end, "
                               "which had %llu bytes before", n, (unsigned long long)at, f->path,
                               (unsigned long long)f->size);
        }
        at += done;
        next += done;
        n -= done;
    }
    return PYTREE_OK;
}

pytree_status pytree__file_check(const pytree__file *f, uint64_t at, uint64_t n, void *scratch, size_t scratch_bytes)
{
    const int before = PYTREE__GET_ERRNO();
    const bool checked = f->io->check != NULL && f->io->check(f->io->context, f->handle, at, n) == 0;
    pytree_status status = PYTREE_OK;
    PYTREE__SET_ERRNO(before);
    if (checked) { return PYTREE_OK; }
    while (n != 0 && status == PYTREE_OK) {
        size_t part = n < scratch_bytes ? (size_t)n : scratch_bytes;
        status = pytree__file_read(f, at, scratch, part);
        at += part;
        n -= part;
    }
    return status;
}

void pytree__file_close(pytree__file *f)
{
    const int before = PYTREE__GET_ERRNO();
    if (f->handle != NULL) { (void)f->io->close(f->io->context, f->handle); }
    f->handle = NULL;
    PYTREE__SET_ERRNO(before);
}

/* ---- Saving -------------------------------------------------------------------------------------------------------- */

/* Names to try: others belong to saves at work or killed ones. The first are numbered, so that what is left behind is found
 * again; the rest are random, so that there is always one. */
enum { PYTREE__SAVE_NUMBERS = 16, PYTREE__SAVE_NAMES = 1000 };

static void pytree__save_name(pytree__save *s, unsigned i)
{
    uint64_t number = i;
    if (i >= PYTREE__SAVE_NUMBERS) {
        number = (uint64_t)(uintptr_t)s ^ (uint64_t)time(NULL) << 32 ^ (uint64_t)clock() << 8 ^ i;
        number = (number ^ number >> 31) * UINT64_C(0x9E3779B97F4A7C15);
        number = (number ^ number >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
    }
    (void)snprintf(s->name, s->name_bytes, "%s.pytree-tmp%llu", s->path, (unsigned long long)number);
}

static pytree_status pytree__save_fail(pytree__save *s, const char *doing, int code)
{
    return s->status = pytree__io_fail(s->err, s->io, doing, s->path, code);
}

pytree_status pytree__save_begin(pytree__save *s, const char *path, const pytree_io *io, const pytree_options *opt,
                                 pytree_error *err)
{
    const int before = PYTREE__GET_ERRNO();
    size_t n;
    int code = PYTREE_IO_EXISTS;
    unsigned i;
    memset(s, 0, sizeof *s);
    s->io = io != NULL ? io : &pytree_io_system;
    s->path = path;
    s->allocator = pytree__allocator(opt);
    s->err = err;
    if (path == NULL) {
        return s->status = pytree_fail(err, PYTREE_NULL_POINTER, NULL, "expected the path of a file, got NULL");
    }
    n = strlen(path);
    s->name_bytes = n + sizeof ".pytree-tmp18446744073709551615";
    s->name = (char *)pytree__resize(s->allocator, NULL, 0, s->name_bytes);
    if (s->name == NULL) { return s->status = pytree__no_memory(err, s->name_bytes); }
    for (i = 0; i < PYTREE__SAVE_NAMES && (code == PYTREE_IO_EXISTS || code == PYTREE_IO_AGAIN); i++) {
        pytree__save_name(s, i);
        code = s->io->create(s->io->context, s->name, &s->handle);
    }
    PYTREE__SET_ERRNO(before);
    if (code == 0) { return PYTREE_OK; }
    s->handle = NULL;
    return pytree__save_fail(s, "create a file beside", code);
}

pytree_status pytree__save_write(pytree__save *s, const void *from, size_t n)
{
    const char *next = (const char *)from;
    while (n != 0 && s->status == PYTREE_OK) {
        const int before = PYTREE__GET_ERRNO();
        size_t done = 0;
        int code = s->io->write(s->io->context, s->handle, next, n, &done);
        PYTREE__SET_ERRNO(before);
        if (code == PYTREE_IO_AGAIN) { continue; }
        if (code != 0) { return pytree__save_fail(s, "write", code); }
        if (done == 0 || done > n) {
            return s->status = pytree_fail(s->err, PYTREE_IO, NULL, "expected to write %zu bytes more of '%s', got no further",
                                           n, s->path);
        }
        s->written += done;
        next += done;
        n -= done;
    }
    return s->status;
}

pytree_status pytree__save_end(pytree__save *s)
{
    const int before = PYTREE__GET_ERRNO();
    const pytree_io *io = s->io;
    bool made = s->handle != NULL;
    int code;
    if (made) {
        if (s->status == PYTREE_OK) {
            do { code = io->sync(io->context, s->handle); } while (code == PYTREE_IO_AGAIN);
            if (code != 0) { (void)pytree__save_fail(s, "sync", code); }
        }
        code = io->close(io->context, s->handle);
        if (code != 0 && s->status == PYTREE_OK) { (void)pytree__save_fail(s, "close", code); }
        if (s->status == PYTREE_OK) {
            do { code = io->rename(io->context, s->name, s->path); } while (code == PYTREE_IO_AGAIN);
            if (code != 0) { (void)pytree__save_fail(s, "replace", code); }
        }
        if (s->status != PYTREE_OK) { (void)io->remove(io->context, s->name); }
    }
    if (s->name != NULL) { (void)pytree__resize(s->allocator, s->name, s->name_bytes, 0); }
    s->name = NULL;
    s->handle = NULL;
    PYTREE__SET_ERRNO(before);
    return s->status;
}

#endif
