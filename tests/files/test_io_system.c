/* The tables of file operations over a system whose calls fail, one by one, in each way that they can. */
#define TEST_OWN_BODIES                    /* whose calls of the system are those below */
#include "support.h"

#include <errno.h>

#if (defined(__unix__) || defined(__APPLE__))
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#include <utime.h>
#define TEST_POSIX
#endif

/* ---- Calls that fail ----------------------------------------------------------------------------------------------- */

enum { FAULTS = 3 };

/* Call number `nth` of the function of that name fails and sets errno to `error`. */
typedef struct Fault {
    const char *call;
    unsigned nth;
    int error;
} Fault;

static Fault faults[FAULTS];
static bool read_error;                   /* what ferror answers */

static bool fails(const char *call)
{
    size_t i;
    for (i = 0; i < FAULTS; i++) {
        if (faults[i].call != NULL && strcmp(faults[i].call, call) == 0) {
            if (faults[i].nth == 0) {
                faults[i].call = NULL;
                errno = faults[i].error;
                return true;
            }
            faults[i].nth--;
        }
    }
    return false;
}

static FILE *test_fopen(const char *path, const char *how) { return fails("fopen") ? NULL : fopen(path, how); }
static int test_fseek(FILE *f, long at, int from) { return fails("fseek") ? -1 : fseek(f, at, from); }
static long test_ftell(FILE *f) { return fails("ftell") ? -1 : ftell(f); }
static size_t test_fread(void *to, size_t size, size_t n, FILE *f)
{
    read_error = fails("fread");
    return read_error ? 0 : fread(to, size, n, f);
}
static int test_ferror(FILE *f) { return read_error || ferror(f) != 0; }
static size_t test_fwrite(const void *from, size_t size, size_t n, FILE *f)
{
    return fails("fwrite") ? 0 : fwrite(from, size, n, f);
}
static int test_fflush(FILE *f) { return fails("fflush") ? EOF : fflush(f); }
static int test_fclose(FILE *f)
{
    const bool fault = fails("fclose");
    const int error = errno, result = fclose(f);
    errno = fault ? error : errno;
    return fault ? EOF : result;
}
static int test_rename(const char *from, const char *to) { return fails("rename") ? -1 : rename(from, to); }
static int test_remove(const char *path) { return fails("remove") ? -1 : remove(path); }

#if defined(_WIN32)                       /* where positions are of 64 bits, and a new file is opened by its descriptor */
#include <fcntl.h>
#include <io.h>
#include <sys/stat.h>
static int test_fseeki64(FILE *f, int64_t at, int from) { return fails("fseek") ? -1 : _fseeki64(f, at, from); }
static int64_t test_ftelli64(FILE *f) { return fails("ftell") ? -1 : _ftelli64(f); }
static FILE *test_fdopen(int descriptor, const char *how) { return fails("fopen") ? NULL : _fdopen(descriptor, how); }
#define _fseeki64 test_fseeki64
#define _ftelli64 test_ftelli64
#define _fdopen test_fdopen
#endif

#define fopen test_fopen
#define fseek test_fseek
#define ftell test_ftell
#define fread test_fread
#undef ferror
#define ferror test_ferror
#define fwrite test_fwrite
#define fflush test_fflush
#define fclose test_fclose
#define rename test_rename
#define remove test_remove

#if defined(TEST_POSIX)
int fsync(int descriptor);                /* which strict C11 hides */
static int test_open(const char *path, int how, ...) { return fails("open") ? -1 : open(path, how, 0666); }
static int test_fstat(int descriptor, struct stat *about) { return fails("fstat") ? -1 : fstat(descriptor, about); }
static int test_stat(const char *path, struct stat *about)
{
    int result = fails("stat") ? -1 : stat(path, about);
    about->st_dev ^= fails("another device");
    about->st_ino ^= fails("another file");
    return result;
}
static int test_flock(int descriptor, int how) { return fails("flock") ? -1 : flock(descriptor, how); }
static off_t test_lseek(int descriptor, off_t at, int from) { return fails("lseek") ? -1 : lseek(descriptor, at, from); }
static ssize_t test_read(int descriptor, void *to, size_t n) { return fails("read") ? -1 : read(descriptor, to, n); }
static ssize_t test_write(int descriptor, const void *from, size_t n) { return fails("write") ? -1 : write(descriptor, from,
    n); }
int test_fsync(int descriptor) { return fails("fsync") ? -1 : fsync(descriptor); }
static int test_close(int descriptor)
{
    const int result = close(descriptor);
    return fails("close") ? -1 : result;
}
static int test_unlink(const char *path) { return fails("unlink") ? -1 : unlink(path); }
static void *test_mmap(void *at, size_t n, int may, int how, int descriptor, off_t from)
{
    return fails("mmap") ? MAP_FAILED : mmap(at, n, may, how, descriptor, from);
}
static uid_t test_geteuid(void) { return geteuid() ^ fails("another user"); }

#define open test_open
#define fstat test_fstat
#define stat(path, about) test_stat(path, about)
#define flock test_flock
#define lseek test_lseek
#define read test_read
#define write test_write
#define fsync test_fsync
#define close test_close
#define unlink test_unlink
#define mmap test_mmap
#define geteuid test_geteuid
#endif

#if defined(__linux__)                    /* declared by the room itself */
#define mincore test_mincore
#define madvise test_madvise
#endif

#include "golden_files.h"

#if defined(__linux__)
#undef mincore
#undef madvise
int mincore(void *at, size_t n, unsigned char *pages);
int madvise(void *at, size_t n, int advice);
int test_mincore(void *at, size_t n, unsigned char *pages)
{
    const int result = fails("mincore") ? -1 : mincore(at, n, pages);
    pages[0] = fails("not in memory") ? 0 : pages[0];
    return result;
}
int test_madvise(void *at, size_t n, int advice)
{
    return fails("madvise") ? -1 : fails("a kernel that reads") ? 0 : madvise(at, n, advice);
}
#endif

/* ---- What a table is asked to do ----------------------------------------------------------------------------------- */

static char path[GOLDEN_PATH], other[GOLDEN_PATH + 8];
static const char text[] = "sixteen letters.";

/* Each returns the code of the operation that it is named after, and leaves no file open. */
typedef int Operation(const pytree_io *io);

static int does_open(const pytree_io *io)
{
    void *file = NULL;
    uint64_t size = 0;
    const int code = io->open(NULL, path, &file, &size);
    if (code == 0) {
        assert_int_equal(size, sizeof text);
        assert_int_equal(io->close(NULL, file), 0);
    }
    return code;
}

static int does_read(const pytree_io *io)
{
    char to[sizeof text];
    void *file = NULL;
    uint64_t size = 0;
    size_t done = 99;
    int code;
    assert_int_equal(io->open(NULL, path, &file, &size), 0);
    code = io->read(NULL, file, 8, to, 4, &done);
    assert_int_equal(done, code == 0 ? 4 : 0);
    assert_true(code != 0 || memcmp(to, text + 8, 4) == 0);
    assert_int_equal(io->close(NULL, file), 0);
    return code;
}

/* A new file beside: create, write, sync and close it; the first code that is not 0. */
static int does_save(const pytree_io *io)
{
    void *file = NULL;
    size_t done = 0;
    int code = io->create(NULL, other, &file), last;
    if (code != 0) {
        if (io == &pytree_io_stdio) { assert_null(fopen(other, "rb")); }       /* nothing was begun */
        return code;
    }
    code = io->write(NULL, file, text, sizeof text, &done);
    assert_int_equal(done, code == 0 ? sizeof text : 0);
    if (code == 0) { code = io->sync(NULL, file); }
    last = io->close(NULL, file);
    return code != 0 ? code : last;
}

static int does_rename(const pytree_io *io)
{
    int code;
    write_whole(other, "other", 5);
    code = io->rename(NULL, other, path);
    if (code == 0) { assert_file(path, "other", 5); }
    return code;
}

static int does_remove(const pytree_io *io)
{
    write_whole(other, "other", 5);
    return io->remove(NULL, other);
}

static int does_check(const pytree_io *io)
{
    void *file = NULL;
    uint64_t size = 0;
    int code;
    assert_int_equal(io->open(NULL, path, &file, &size), 0);
    code = io->check(NULL, file, 3, sizeof text - 3);
    assert_int_equal(io->close(NULL, file), 0);
    return code;
}

static int does_map(const pytree_io *io)
{
    const void *bytes = NULL;
    void *file = NULL;
    uint64_t size = 0;
    int code;
    assert_int_equal(io->open(NULL, path, &file, &size), 0);
    code = io->map(NULL, file, size, &bytes);
    if (code == 0) {
        assert_memory_equal(bytes, text, sizeof text);
        io->unmap(NULL, bytes, size);
    }
    assert_int_equal(io->close(NULL, file), 0);
    return code;
}

typedef struct Case {
    Operation *operation;
    int code;                             /* expected */
    Fault faults[FAULTS];
} Case;

static void run_cases(const pytree_io *io, const Case *cases, size_t n)
{
    size_t i, k;
    for (i = 0; i < n; i++) {
        int code;
        write_whole(path, text, sizeof text);
        (void)remove(other);
        memcpy(faults, cases[i].faults, sizeof faults);
        code = cases[i].operation(io);
        if (code != cases[i].code) { fail_msg("case %u: expected %d, got %d", (unsigned)i, cases[i].code, code); }
        for (k = 0; k < FAULTS; k++) { assert_null(faults[k].call); }      /* each call was made */
    }
    (void)remove(other);
    (void)remove(path);
}

/* ---- The standard library ------------------------------------------------------------------------------------------ */

static void stdio_fails(void **state)
{
    static const Case cases[] = {
        { does_open, 0, { { 0 } } },
        { does_open, EACCES, { { "fopen", 0, EACCES } } },
        { does_open, PYTREE_IO_AGAIN, { { "fopen", 0, EINTR } } },
        { does_open, EIO, { { "fopen", 0, 0 } } },                     /* C does not require errno */
        { does_open, PYTREE_IO_NOT_A_FILE, { { "fseek", 0, EINVAL } } },
        { does_open, PYTREE_IO_NOT_A_FILE, { { "ftell", 0, EINVAL } } },
        { does_open, PYTREE_IO_TOO_LARGE, { { "ftell", 0, EOVERFLOW } } },
        { does_open, PYTREE_IO_TOO_LARGE, { { "ftell", 0, 0 } } },
        { does_read, 0, { { 0 } } },
        { does_read, EIO, { { "fseek", 1, EIO } } },
        { does_read, EIO, { { "fread", 0, EIO } } },
        { does_read, PYTREE_IO_AGAIN, { { "fread", 0, EINTR } } },
        { does_save, 0, { { 0 } } },
        { does_save, EACCES, { { "fopen", 0, EACCES } } },
        { does_save, PYTREE_IO_EXISTS, { { "fopen", 0, EEXIST } } },
        { does_save, ENOSPC, { { "fwrite", 0, ENOSPC } } },
        { does_save, ENOSPC, { { "fflush", 0, ENOSPC } } },
        { does_save, EIO, { { "fclose", 0, EIO } } },
        { does_remove, 0, { { 0 } } },
        { does_remove, EACCES, { { "remove", 0, EACCES } } },
        { does_rename, 0, { { 0 } } },
        { does_rename, EACCES, { { "rename", 0, EACCES } } },
        { does_rename, 0, { { "rename", 0, EEXIST } } },               /* as where a rename replaces nothing */
        { does_rename, EACCES, { { "rename", 0, EEXIST }, { "remove", 0, EACCES } } },
        { does_rename, EBUSY, { { "rename", 0, EEXIST }, { "rename", 0, EBUSY } } }
    };
    (void)state;
    run_cases(&pytree_io_stdio, cases, COUNT_OF(cases));
}

/* Files that are refused, or end, before the system is asked. */
static void stdio_limits(void **state)
{
    char to[4];
    void *file = NULL;
    uint64_t size = 0;
    size_t done = 9;
    (void)state;
    write_whole(path, text, sizeof text);
    assert_int_equal(pytree_io_stdio.open(NULL, path, &file, &size), 0);
    assert_int_equal(pytree_io_stdio.read(NULL, file, UINT64_MAX, to, 4, &done), PYTREE_IO_TOO_LARGE);
    assert_int_equal(done, 0);
    assert_int_equal(pytree_io_stdio.read(NULL, file, sizeof text, to, 4, &done), 0);
    assert_int_equal(done, 0);
    assert_int_equal(pytree_io_stdio.close(NULL, file), 0);
    assert_int_equal(remove(path), 0);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static void memory_is_checked(void **state)
{
    static const struct { uint64_t at, n; int code; } cases[] = {
        { 0, sizeof text, 0 }, { sizeof text, 0, 0 }, { 1, sizeof text, PYTREE_IO_UNSUPPORTED },
        { sizeof text + 1, 0, PYTREE_IO_UNSUPPORTED }, { UINT64_MAX, 2, PYTREE_IO_UNSUPPORTED }
    };
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    size_t i;
    (void)state;
    memory.bytes = text;
    memory.size = sizeof text;
    for (i = 0; i < COUNT_OF(cases); i++) {
        assert_int_equal(io.check(io.context, io.context, cases[i].at, cases[i].n), cases[i].code);
    }
}

/* ---- POSIX --------------------------------------------------------------------------------------------------------- */

#if defined(TEST_POSIX)
static void posix_fails(void **state)
{
    static const Case cases[] = {
        { does_open, 0, { { 0 } } },
        { does_open, ENOENT, { { "open", 0, ENOENT } } },
        { does_open, PYTREE_IO_AGAIN, { { "open", 0, EINTR } } },
        { does_open, PYTREE_IO_TOO_LARGE, { { "open", 0, EOVERFLOW } } },
        { does_open, PYTREE_IO_NOT_A_FILE, { { "fstat", 0, EIO } } },
        { does_read, 0, { { 0 } } },
        { does_read, EIO, { { "lseek", 0, EIO } } },
        { does_read, EIO, { { "read", 0, EIO } } },
        { does_read, PYTREE_IO_AGAIN, { { "read", 0, EINTR } } },
        { does_save, 0, { { 0 } } },
        { does_save, EACCES, { { "open", 0, EACCES } } },
        { does_save, ENOSPC, { { "write", 0, ENOSPC } } },
        { does_save, EIO, { { "fsync", 0, EIO } } },
        { does_save, EIO, { { "close", 0, EIO } } },
        { does_save, 0, { { "close", 0, EINTR } } },                   /* the descriptor is gone all the same */
        { does_remove, 0, { { 0 } } },
        { does_remove, EACCES, { { "unlink", 0, EACCES } } },
        { does_rename, 0, { { 0 } } },
        { does_rename, EXDEV, { { "rename", 0, EXDEV } } },
        { does_rename, 0, { { "open", 0, EACCES } } },                 /* the folder cannot be opened to sync it */
        { does_rename, 0, { { "fsync", 0, EINVAL } } },
        { does_map, 0, { { 0 } } },
        { does_map, ENOMEM, { { "mmap", 0, ENOMEM } } }
    };
    (void)state;
    run_cases(&pytree_io_system, cases, COUNT_OF(cases));
}

/* A new file is kept only if its maker has locked the file that the path leads to: otherwise somebody takes it for dead. */
static void posix_locks(void **state)
{
    static const Case cases[] = {
        { does_save, PYTREE_IO_EXISTS, { { "flock", 0, EWOULDBLOCK } } },
        { does_save, 0, { { "flock", 0, ENOSYS } } },                  /* a file system without locks */
        { does_save, PYTREE_IO_EXISTS, { { "fstat", 0, EIO } } },
        { does_save, PYTREE_IO_EXISTS, { { "stat", 0, ENOENT } } },
        { does_save, PYTREE_IO_EXISTS, { { "another device", 0, 0 } } },
        { does_save, PYTREE_IO_EXISTS, { { "another file", 0, 0 } } }
    };
    (void)state;
    run_cases(&pytree_io_system, cases, COUNT_OF(cases));
}

/* Opens a file that is there, for a moment that is a year ago, or at present. */
static int creates_over(bool old)
{
    const struct utimbuf long_ago = { 1000000000, 1000000000 };
    void *file = NULL;
    int code;
    if (old) { assert_int_equal(utime(path, &long_ago), 0); }
    code = pytree_io_system.create(NULL, path, &file);
    if (code == 0) { assert_int_equal(pytree_io_system.close(NULL, file), 0); }
    return code;
}

/* What stands at the name of a new file is removed only if it is provably what a dead process has left. */
static void posix_removes_the_dead(void **state)
{
    static const struct { bool old; int code; Fault fault; } cases[] = {
        { true, 0, { 0 } }, { false, PYTREE_IO_EXISTS, { 0 } },
        { true, PYTREE_IO_EXISTS, { "open", 1, EACCES } },             /* it cannot be looked at */
        { true, PYTREE_IO_EXISTS, { "flock", 0, EWOULDBLOCK } },       /* its maker lives */
        { true, PYTREE_IO_EXISTS, { "flock", 0, ENOSYS } },            /* nobody can say */
        { true, PYTREE_IO_EXISTS, { "another file", 0, 0 } },
        { true, PYTREE_IO_EXISTS, { "unlink", 0, EACCES } },
        { true, PYTREE_IO_EXISTS, { "open", 2, EEXIST } },             /* another save was faster */
        { true, EACCES, { "open", 2, EACCES } }
    };
    size_t i;
    struct stat about;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        write_whole(path, text, sizeof text);
        faults[0] = cases[i].fault;
        assert_int_equal(creates_over(cases[i].old), cases[i].code);
        assert_null(faults[0].call);
        (void)remove(path);
    }
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(creates_over(true), PYTREE_IO_EXISTS);
    assert_int_equal(stat(path, &about), 0);
    assert_true(S_ISFIFO(about.st_mode));
    assert_int_equal(remove(path), 0);
}

/* Files in the folder at hand, in the root, and in a folder whose path has more characters than are synced. */
static void posix_syncs_folders(void **state)
{
    static const char *const here = "pytree_test_io_system", *const root = "/pytree_test_io_system";
    char deep[2000];
    size_t n;
    (void)state;
    write_whole(here, text, sizeof text);
    assert_int_equal(pytree_io_system.rename(NULL, here, here), 0);
    assert_int_equal(pytree_io_system.remove(NULL, here), 0);
    assert_int_equal(pytree_io_system.rename(NULL, here, root), ENOENT);
    pytree__posix_sync_folder(root);
    write_whole(path, text, sizeof text);
    strcpy(deep, path);
    n = (size_t)(strrchr(deep, '/') - deep);
    while (n < 1500) {
        memcpy(deep + n, "/.", 2);
        n += 2;
    }
    strcpy(deep + n, strrchr(path, '/'));
    faults[0] = (Fault){ "fsync", 0, EIO };
    assert_int_equal(pytree_io_system.rename(NULL, path, deep), 0);
    assert_non_null(faults[0].call);      /* nothing was synced */
    faults[0].call = NULL;
    assert_file(path, text, sizeof text);
    assert_int_equal(remove(path), 0);
}

static void posix_limits(void **state)
{
    char to[4];
    void *file = NULL;
    uint64_t size = 0;
    size_t done = 9;
    (void)state;
    write_whole(path, text, sizeof text);
    assert_int_equal(pytree_io_system.open(NULL, path, &file, &size), 0);
    assert_int_equal(pytree_io_system.read(NULL, file, UINT64_MAX, to, 4, &done), PYTREE_IO_TOO_LARGE);
    assert_int_equal(done, 0);
    assert_int_equal(pytree_io_system.check(NULL, file, UINT64_MAX, 4), PYTREE_IO_UNSUPPORTED);
    assert_int_equal(pytree_io_system.close(NULL, file), 0);
    assert_int_equal(remove(path), 0);
}
#endif

#if defined(__linux__)
/* A range that is not known to be in memory is asked for; where that is not possible, the answer is no. */
static void linux_checks(void **state)
{
    static const Case cases[] = {
        { does_check, 0, { { 0 } } },
        { does_check, PYTREE_IO_UNSUPPORTED, { { "mmap", 0, ENODEV } } },
        { does_check, 0, { { "another user", 0, 0 }, { "a kernel that reads", 0, 0 } } },
        { does_check, PYTREE_IO_UNSUPPORTED, { { "another user", 0, 0 }, { "madvise", 0, EINVAL } } },
        { does_check, PYTREE_IO_UNSUPPORTED, { { "fstat", 1, EIO }, { "madvise", 0, EINVAL } } },
        { does_check, PYTREE_IO_UNSUPPORTED, { { "mincore", 0, EAGAIN }, { "madvise", 0, EFAULT } } },
        { does_check, PYTREE_IO_UNSUPPORTED, { { "not in memory", 0, 0 }, { "madvise", 0, EFAULT } } }
    };
    (void)state;
    run_cases(&pytree_io_system, cases, COUNT_OF(cases));
}

/* Of a file of more pages than one call tells of, each part is asked about: all of it has just been written. */
static void linux_checks_of_large_files(void **state)
{
    const size_t size = 4096 * (size_t)sysconf(_SC_PAGESIZE) + 1;
    char *const bytes = calloc(1, size);
    void *file = NULL;
    uint64_t length = 0;
    unsigned part;
    (void)state;
    assert_non_null(bytes);
    write_whole(path, bytes, size);
    free(bytes);
    assert_int_equal(pytree_io_system.open(NULL, path, &file, &length), 0);
    assert_int_equal(length, size);
    for (part = 0; part < 3; part++) {    /* there are two */
        memset(faults, 0, sizeof faults);
        faults[0] = (Fault){ "mincore", part, EAGAIN };
        faults[1] = (Fault){ "madvise", 0, EFAULT };
        assert_int_equal(pytree_io_system.check(NULL, file, 0, size), part < 2 ? PYTREE_IO_UNSUPPORTED : 0);
    }
    memset(faults, 0, sizeof faults);
    assert_int_equal(pytree_io_system.close(NULL, file), 0);
    assert_int_equal(remove(path), 0);
}
#endif

static int begin(void **state)
{
    (void)state;
    scratch_path(path, "io_system");
    snprintf(other, sizeof other, "%s-other", path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stdio_fails), cmocka_unit_test(stdio_limits), cmocka_unit_test(memory_is_checked),
#if defined(TEST_POSIX)
        cmocka_unit_test(posix_fails), cmocka_unit_test(posix_locks), cmocka_unit_test(posix_removes_the_dead),
        cmocka_unit_test(posix_syncs_folders), cmocka_unit_test(posix_limits),
#endif
#if defined(__linux__)
        cmocka_unit_test(linux_checks), cmocka_unit_test(linux_checks_of_large_files)
#endif
    };
    return cmocka_run_group_tests(tests, begin, NULL);
}
