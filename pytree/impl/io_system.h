/* pytree/impl/io_system.h: tables of file operations: the standard library, POSIX, memory. */
#ifndef PYTREE_IMPL_IO_SYSTEM_H
#define PYTREE_IMPL_IO_SYSTEM_H

#include "internal.h"
#include "../io.h"

#include <errno.h>
#if (defined(__unix__) || defined(__APPLE__)) && !defined(PYTREE_IO_NO_POSIX)
#define PYTREE__IO_POSIX
#include <fcntl.h>
#if defined(__linux__) || defined(__APPLE__) || defined(__FreeBSD__) || defined(__NetBSD__) || defined(__OpenBSD__)
#include <sys/file.h>
#define PYTREE__IO_LOCKS
#endif
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#if defined(__THROW)                      /* glibc functions that are no cancellation points */
#define PYTREE__NOTHROW __THROW
#else
#define PYTREE__NOTHROW
#endif
#endif


#if defined(_WIN32)
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
#endif

/* ---- The standard library ------------------------------------------------------------------------------------------ */

/* Return the code for errno, which C requires only few functions to set. */
static int pytree__io_code(void) { return errno == EINTR ? PYTREE_IO_AGAIN : errno > 0 ? errno : EIO; }

/* A position in a file. On Windows a long has 32 bits, and older C libraries open files without C11's exclusive mode. */
#if defined(_WIN32)
#define PYTREE__SEEK_MOST INT64_MAX
static int pytree__stdio_seek(FILE *f, uint64_t at, int from) { return _fseeki64(f, (int64_t)at, from); }
static int64_t pytree__stdio_tell(FILE *f) { return _ftelli64(f); }
static FILE *pytree__stdio_new(const char *path)
{
    const int descriptor = _open(path, _O_WRONLY | _O_CREAT | _O_EXCL | _O_BINARY, _S_IREAD | _S_IWRITE);
    FILE *const f = descriptor < 0 ? NULL : _fdopen(descriptor, "wb");
    if (descriptor >= 0 && f == NULL) {
        const int error = errno;
        (void)_close(descriptor);
        (void)remove(path);
        errno = error;
    }
    return f;
}
#else
#define PYTREE__SEEK_MOST LONG_MAX
static int pytree__stdio_seek(FILE *f, uint64_t at, int from) { return fseek(f, (long)at, from); }
static int64_t pytree__stdio_tell(FILE *f) { return ftell(f); }
static FILE *pytree__stdio_new(const char *path) { return fopen(path, "wbx"); }
#endif

static int pytree__stdio_open(void *context, const char *path, void **file, uint64_t *size)
{
    FILE *f;
    int64_t end;
    (void)context;
    errno = 0;
    f = fopen(path, "rb");
    if (f == NULL) { return pytree__io_code(); }
    if (pytree__stdio_seek(f, 0, SEEK_END) != 0 || (end = pytree__stdio_tell(f)) < 0 || end == PYTREE__SEEK_MOST) {
        int code = errno == EOVERFLOW || errno == 0 ? PYTREE_IO_TOO_LARGE : PYTREE_IO_NOT_A_FILE;
        (void)fclose(f);
        return code;
    }
    *file = f;
    *size = (uint64_t)end;
    return 0;
}

static int pytree__stdio_create(void *context, const char *path, void **file)
{
    FILE *f;
    (void)context;
    errno = 0;
    f = pytree__stdio_new(path);
    if (f == NULL) { return errno == EEXIST ? PYTREE_IO_EXISTS : pytree__io_code(); }
    *file = f;
    return 0;
}

static int pytree__stdio_read(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    FILE *f = (FILE *)file;
    (void)context;
    errno = 0;
    *done = 0;
    if (at > PYTREE__SEEK_MOST) { return PYTREE_IO_TOO_LARGE; }
    if (pytree__stdio_seek(f, at, SEEK_SET) != 0) { return pytree__io_code(); }
    *done = fread(to, 1, n, f);
    return *done == 0 && ferror(f) != 0 ? pytree__io_code() : 0;
}

static int pytree__stdio_write(void *context, void *file, const void *from, size_t n, size_t *done)
{
    (void)context;
    errno = 0;
    *done = fwrite(from, 1, n, (FILE *)file);
    return *done < n ? pytree__io_code() : 0;
}

static int pytree__stdio_sync(void *context, void *file)
{
    (void)context;
    errno = 0;
    return fflush((FILE *)file) != 0 ? pytree__io_code() : 0;
}

static int pytree__stdio_close(void *context, void *file)
{
    (void)context;
    errno = 0;
    return fclose((FILE *)file) != 0 ? pytree__io_code() : 0;
}

static int pytree__stdio_remove(void *context, const char *path)
{
    (void)context;
    errno = 0;
    return remove(path) != 0 ? pytree__io_code() : 0;
}

/* Rename, replacing the target. C does not define a rename onto an existing file; if it is refused, the old file is removed
 * first. */
static int pytree__stdio_rename(void *context, const char *from, const char *to)
{
    (void)context;
    errno = 0;
    if (rename(from, to) == 0) { return 0; }
    if (errno != EEXIST) { return pytree__io_code(); }
    return remove(to) == 0 && rename(from, to) == 0 ? 0 : pytree__io_code();
}

const pytree_io pytree_io_stdio = {
    pytree__stdio_open, pytree__stdio_create, pytree__stdio_read, pytree__stdio_write, pytree__stdio_sync, pytree__stdio_close,
    pytree__stdio_rename, pytree__stdio_remove, NULL, NULL, NULL, NULL, NULL
};

/* ---- POSIX --------------------------------------------------------------------------------------------------------- */

#if defined(PYTREE__IO_POSIX)

/* Declare the POSIX functions that strict C11 hides: it is too late for a feature macro here. */
int fsync(int descriptor);
#if defined(__linux__)
int madvise(void *at, size_t n, int advice) PYTREE__NOTHROW;
int mincore(void *at, size_t n, unsigned char *pages) PYTREE__NOTHROW;
#endif

/* Turn a descriptor into a handle that is not NULL. */
static void *pytree__posix_handle(int descriptor) { return (void *)((intptr_t)descriptor + 1); }
static int pytree__posix_descriptor(const void *handle) { return (int)((intptr_t)handle - 1); }

#define PYTREE__OFF_MAX (sizeof(off_t) > 4 ? (uint64_t)INT64_MAX : (uint64_t)INT32_MAX)
#if defined(O_CLOEXEC)
#define PYTREE__O_CLOEXEC O_CLOEXEC
#else
#define PYTREE__O_CLOEXEC 0
#endif

/* Open a file for reading. O_NONBLOCK: opening a pipe without a writer would wait; regular files ignore it. */
static int pytree__posix_open(void *context, const char *path, void **file, uint64_t *size)
{
    struct stat about;
    int code, descriptor = open(path, O_RDONLY | O_NONBLOCK | PYTREE__O_CLOEXEC);
    (void)context;
    if (descriptor < 0) { return errno == EOVERFLOW ? PYTREE_IO_TOO_LARGE : pytree__io_code(); }
    if (fstat(descriptor, &about) == 0 && S_ISREG(about.st_mode)) {
        *file = pytree__posix_handle(descriptor);
        *size = (uint64_t)about.st_size;
        return 0;
    }
    code = PYTREE_IO_NOT_A_FILE;
    (void)close(descriptor);
    return code;
}

#if defined(PYTREE__IO_LOCKS)
/* Lock a file; the system unlocks it when it is closed, also because the process died. Return false if another process, or
 * another save of this one, has it, or if the path leads to another file by now. */
static bool pytree__posix_lock(int descriptor, const char *path, struct stat *about)
{
    struct stat there;
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) { return false; }
    return fstat(descriptor, about) == 0 && stat(path, &there) == 0 && S_ISREG(there.st_mode)
        && about->st_dev == there.st_dev && about->st_ino == there.st_ino;
}

/* Remove a temporary file whose maker is dead: it is not locked, as it is while it is written, and it is older than the moment
 * between its close and its rename. Return false if it may be in use. */
static bool pytree__posix_clean(const char *path)
{
    enum { PYTREE__IO_SECONDS = 60 };
    const int descriptor = open(path, O_RDONLY | O_NONBLOCK | PYTREE__O_CLOEXEC);
    struct stat about;
    bool dead;
    if (descriptor < 0) { return false; }
    dead = flock(descriptor, LOCK_EX | LOCK_NB) == 0 && pytree__posix_lock(descriptor, path, &about)
        && time(NULL) - about.st_mtime > PYTREE__IO_SECONDS && unlink(path) == 0;
    (void)close(descriptor);
    return dead;
}
#else
static bool pytree__posix_clean(const char *path) { (void)path; return false; }
#endif

static int pytree__posix_create(void *context, const char *path, void **file)
{
    enum { PYTREE__O_CREATE = O_WRONLY | O_CREAT | O_EXCL | PYTREE__O_CLOEXEC };
    int descriptor = open(path, PYTREE__O_CREATE, 0666);
    (void)context;
    if (descriptor < 0 && errno == EEXIST) {
        if (!pytree__posix_clean(path)) { return PYTREE_IO_EXISTS; }
        descriptor = open(path, PYTREE__O_CREATE, 0666);
    }
    if (descriptor < 0) { return errno == EEXIST ? PYTREE_IO_EXISTS : pytree__io_code(); }
#if defined(PYTREE__IO_LOCKS)
    {
        struct stat about;
        if (!pytree__posix_lock(descriptor, path, &about)) {   /* somebody looks whether its maker lives: another name */
            (void)close(descriptor);
            return PYTREE_IO_EXISTS;
        }
    }
#endif
    *file = pytree__posix_handle(descriptor);
    return 0;
}

/* Limit the bytes of one call: some systems transfer at most 2 GiB, and none more than SSIZE_MAX. */
static size_t pytree__posix_part(size_t n) { return n < (size_t)1 << 30 ? n : (size_t)1 << 30; }

static int pytree__posix_read(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    int descriptor = pytree__posix_descriptor(file);
    ssize_t got;
    (void)context;
    *done = 0;
    if (at > PYTREE__OFF_MAX) { return PYTREE_IO_TOO_LARGE; }
    if (lseek(descriptor, (off_t)at, SEEK_SET) < 0) { return pytree__io_code(); }
    got = read(descriptor, to, pytree__posix_part(n));
    if (got < 0) { return pytree__io_code(); }
    *done = (size_t)got;
    return 0;
}

static int pytree__posix_write(void *context, void *file, const void *from, size_t n, size_t *done)
{
    ssize_t put = write(pytree__posix_descriptor(file), from, pytree__posix_part(n));
    (void)context;
    *done = put < 0 ? 0 : (size_t)put;
    return put < 0 ? pytree__io_code() : 0;
}

static int pytree__posix_sync(void *context, void *file)
{
    (void)context;
    return fsync(pytree__posix_descriptor(file)) != 0 ? pytree__io_code() : 0;
}

/* Close a descriptor. It must not be retried: the descriptor is gone even if a signal interrupted the call. */
static int pytree__posix_close(void *context, void *file)
{
    (void)context;
    return close(pytree__posix_descriptor(file)) != 0 && errno != EINTR ? pytree__io_code() : 0;
}

/* Sync the folder of a renamed file, which brings the new name to disk. A failure is no error: the file is in its place. */
static void pytree__posix_sync_folder(const char *path)
{
    char folder[1024];
    const char *slash = strrchr(path, '/');
    size_t n = slash == NULL ? 0 : slash == path ? 1 : (size_t)(slash - path);
    int descriptor;
    if (n >= sizeof folder) { return; }
    memcpy(folder, n == 0 ? "." : path, n == 0 ? 1 : n);
    folder[n == 0 ? 1 : n] = '\0';
    descriptor = open(folder, O_RDONLY | O_NONBLOCK | PYTREE__O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        (void)close(descriptor);
    }
}

static int pytree__posix_rename(void *context, const char *from, const char *to)
{
    (void)context;
    if (rename(from, to) != 0) { return pytree__io_code(); }
    pytree__posix_sync_folder(to);
    return 0;
}

static int pytree__posix_remove(void *context, const char *path)
{
    (void)context;
    return unlink(path) != 0 ? pytree__io_code() : 0;
}

#if defined(__linux__)
/* Tell whether a mapped range is in the page cache, which is cheaper to ask than to bring about. Only the owner of the file
 * gets a true answer; others are told that all of it is. */
static bool pytree__posix_cached(int descriptor, char *mapped, size_t size)
{
    unsigned char pages[4096];
    struct stat about;
    const size_t page = (size_t)sysconf(_SC_PAGESIZE), most = sizeof pages * page;
    size_t done, part, i;
    if (fstat(descriptor, &about) != 0 || about.st_uid != geteuid()) { return false; }
    for (done = 0; done < size; done += part) {
        part = size - done < most ? size - done : most;
        if (mincore(mapped + done, part, pages) != 0) { return false; }
        for (i = 0; i < (part + page - 1) / page; i++) {
            if ((pages[i] & 1) == 0) { return false; }
        }
    }
    return true;
}
#endif

/* Read a range of a file into the page cache. On this advice Linux reads it at once and reports failures, where touching the
 * memory would raise a signal. Systems before 5.14 do not know it. */
static int pytree__posix_check(void *context, void *file, uint64_t at, uint64_t n)
{
#if defined(__linux__)
    enum { PYTREE__POPULATE_READ = 22, PYTREE__PAGE = 65536 };
    uint64_t from = at - at % PYTREE__PAGE, size = n + (at - from);
    void *mapped;
    int result;
    (void)context;
    if (n == 0) { return 0; }
    if (size > SIZE_MAX || at > PYTREE__OFF_MAX) { return PYTREE_IO_UNSUPPORTED; }
    mapped = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, pytree__posix_descriptor(file), (off_t)from);
    if (mapped == MAP_FAILED) { return PYTREE_IO_UNSUPPORTED; }
    result = pytree__posix_cached(pytree__posix_descriptor(file), (char *)mapped, (size_t)size)
                     || madvise(mapped, (size_t)size, PYTREE__POPULATE_READ) == 0
                 ? 0
                 : PYTREE_IO_UNSUPPORTED;
    (void)munmap(mapped, (size_t)size);
    return result;
#else
    (void)context;
    (void)file;
    (void)at;
    (void)n;
    return PYTREE_IO_UNSUPPORTED;
#endif
}

static int pytree__posix_map(void *context, void *file, uint64_t size, const void **bytes)
{
    void *at;
    (void)context;
    if (size > SIZE_MAX) { return PYTREE_IO_TOO_LARGE; }
    at = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, pytree__posix_descriptor(file), 0);
    if (at == MAP_FAILED) { return pytree__io_code(); }
    *bytes = at;
    return 0;
}

static void pytree__posix_unmap(void *context, const void *bytes, uint64_t size)
{
    (void)context;
    (void)munmap((void *)(uintptr_t)bytes, (size_t)size);
}

const pytree_io pytree_io_system = {
    pytree__posix_open, pytree__posix_create, pytree__posix_read, pytree__posix_write, pytree__posix_sync, pytree__posix_close,
    pytree__posix_rename, pytree__posix_remove, pytree__posix_check, pytree__posix_map, pytree__posix_unmap, NULL, NULL
};

#else

const pytree_io pytree_io_system = {
    pytree__stdio_open, pytree__stdio_create, pytree__stdio_read, pytree__stdio_write, pytree__stdio_sync, pytree__stdio_close,
    pytree__stdio_rename, pytree__stdio_remove, NULL, NULL, NULL, NULL, NULL
};

#endif

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static int pytree__memory_open(void *context, const char *path, void **file, uint64_t *size)
{
    pytree_memory *m = (pytree_memory *)context;
    (void)path;
    *file = m;
    *size = m->size;
    return 0;
}

static int pytree__memory_drop(void *context, const char *path)
{
    pytree_memory *m = (pytree_memory *)context;
    (void)path;
    if (m->making != NULL) { (void)pytree__resize(m->allocator, m->making, m->room, 0); }
    m->making = NULL;
    m->room = m->used = 0;
    return 0;
}

static int pytree__memory_create(void *context, const char *path, void **file)
{
    (void)pytree__memory_drop(context, path);
    *file = context;
    return 0;
}

static int pytree__memory_read(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    const pytree_memory *m = (const pytree_memory *)context;
    (void)file;
    *done = at >= m->size ? 0 : n < m->size - (size_t)at ? n : m->size - (size_t)at;
    if (*done != 0) { memcpy(to, (const char *)m->bytes + (size_t)at, *done); }
    return 0;
}

static int pytree__memory_write(void *context, void *file, const void *from, size_t n, size_t *done)
{
    pytree_memory *m = (pytree_memory *)context;
    (void)file;
    *done = 0;
    if (n > m->room - m->used) {
        void *grown = pytree__array_grow(m->making, &m->room, pytree__plus(m->used, n), 1, m->allocator, NULL);
        if (grown == NULL) { return PYTREE_IO_NO_MEMORY; }
        m->making = grown;
    }
    memcpy((char *)m->making + m->used, from, n);
    m->used += n;
    *done = n;
    return 0;
}

static int pytree__memory_keep(void *context, void *file)
{
    (void)context;
    (void)file;
    return 0;
}

static int pytree__memory_rename(void *context, const char *from, const char *to)
{
    pytree_memory *m = (pytree_memory *)context;
    (void)from;
    (void)to;
    if (m->saved != NULL) { (void)pytree__resize(m->allocator, m->saved, m->saved_room, 0); }
    m->bytes = m->saved = m->making;
    m->saved_room = m->room;
    m->size = m->used;
    m->making = NULL;
    m->room = m->used = 0;
    return 0;
}

static int pytree__memory_check(void *context, void *file, uint64_t at, uint64_t n)
{
    const pytree_memory *m = (const pytree_memory *)context;
    (void)file;
    return at <= m->size && n <= m->size - at ? 0 : PYTREE_IO_UNSUPPORTED;
}

static int pytree__memory_map(void *context, void *file, uint64_t size, const void **bytes)
{
    const pytree_memory *m = (const pytree_memory *)context;
    (void)file;
    (void)size;
    *bytes = m->bytes;
    return 0;
}

static void pytree__memory_unmap(void *context, const void *bytes, uint64_t size)
{
    (void)context;
    (void)bytes;
    (void)size;
}

pytree_io pytree_memory_io(pytree_memory *file)
{
    pytree_io io = {
        pytree__memory_open, pytree__memory_create, pytree__memory_read, pytree__memory_write, pytree__memory_keep,
        pytree__memory_keep, pytree__memory_rename, pytree__memory_drop, pytree__memory_check, pytree__memory_map,
        pytree__memory_unmap, NULL, NULL
    };
    io.context = file;
    return io;
}

void pytree_memory_free(pytree_memory *file)
{
    if (file == NULL) { return; }
    (void)pytree__memory_drop(file, NULL);
    if (file->saved != NULL) { (void)pytree__resize(file->allocator, file->saved, file->saved_room, 0); }
    file->bytes = file->saved = NULL;
    file->size = file->saved_room = 0;
}

#include "io.h"
#endif
