/* Files of arrays and the I/O below all formats: reading and saving, systems that fail. */
#include "npy_shared.h"

#include <errno.h>
#include <unistd.h>
#if !defined(_WIN32)
#include <sys/file.h>
#include <utime.h>
#endif

/* ---- Files ------------------------------------------------------------------------------------------------------------- */

static void fill(float *numbers, float first)
{
    size_t i;
    for (i = 0; i < ELEMENTS; i++) { numbers[i] = first + (float)i; }
}

/* There and back through the system, and through the C library alone: the same bytes. */
static void system_and_stdio(void **state)
{
    const pytree_io *const tables[] = { NULL, &pytree_io_system, &pytree_io_stdio };
    static float saved[ELEMENTS], loaded[ELEMENTS];
    char path[GOLDEN_PATH];
    pytree_memory expected = { 0 };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    scratch_path(path, "plain.npy");
    for (i = 0; i < COUNT_OF(tables); i++) {
        pytree_checkpoint_options opt = options_with(tables[i], NULL);
        fill(saved, (float)i);
        errno = 77;                       /* which no call changes */
        assert_ok(pytree_save_npy(path, PYTREE_ARRAY(saved, 30, 100), &opt, &error), &error);
        assert_int_equal(errno, 77);
        assert_ok(save_bytes(PYTREE_ARRAY(saved, 30, 100), &expected, NULL, &error), &error);
        assert_file(path, expected.bytes, expected.size);
        assert_ok(pytree_load_npy(path, PYTREE_ARRAY(loaded, 30, 100), &opt, &error), &error);
        assert_int_equal(pytree_load_npy("tests/no such file", PYTREE_ARRAY(loaded, 30, 100), &opt, NULL), PYTREE_IO);
        assert_int_equal(errno, 77);
        assert_memory_equal(loaded, saved, sizeof saved);
        pytree_memory_free(&expected);
    }
    assert_int_equal(remove(path), 0);
}

#if !defined(_WIN32)                      /* pipes among files, folders that open, locks */
/* What the reader makes of files that are none. */
static void open_what_is_no_file(void **state)
{
    char path[GOLDEN_PATH], shorter[GOLDEN_PATH + 32];
    float x = 3;
    pytree_error error = { 0 };
    pytree_checkpoint_options stdio = options_with(&pytree_io_stdio, NULL);
    (void)state;
    scratch_path(path, "missing");
    assert_error(pytree_load_npy(path, PYTREE(&x), NULL, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    memset(&error, 0, sizeof error);
    assert_error(pytree_load_npy(path, PYTREE(&x), &stdio, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    memset(&error, 0, sizeof error);
    assert_error(pytree_load_npy("tests", PYTREE(&x), NULL, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(pytree_load_npy("tests", PYTREE(&x), &stdio, NULL), PYTREE_IO);
    assert_int_equal(mkfifo(path, 0600), 0);
    memset(&error, 0, sizeof error);
    assert_error(pytree_load_npy(path, PYTREE(&x), NULL, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_int_equal(remove(path), 0);
    snprintf(shorter, sizeof shorter, "%s/x.npy", path);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npy(shorter, PYTREE(&x), NULL, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npy(shorter, PYTREE(&x), &stdio, &error), PYTREE_IO, "", &error);
    assert_true(x == 3);
}

/* The target is a folder that is in use: an error, and nothing stays beside it. */
static void save_over_a_folder(void **state)
{
    const pytree_io *const tables[] = { &pytree_io_system, &pytree_io_stdio };
    char path[GOLDEN_PATH], inside[GOLDEN_PATH + 32], beside[GOLDEN_PATH + 32];
    float x = 1;
    size_t i;
    (void)state;
    scratch_path(path, "folder");
    snprintf(inside, sizeof inside, "%s/file", path);
    snprintf(beside, sizeof beside, "%s.pytree-tmp0", path);
    assert_int_equal(mkdir(path, 0700), 0);
    write_whole(inside, "x", 1);
    for (i = 0; i < COUNT_OF(tables); i++) {
        pytree_checkpoint_options opt = options_with(tables[i], NULL);
        pytree_error error = { 0 };
        FILE *file;
        assert_error(pytree_save_npy(path, PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
        assert_non_null(strstr(error.message, "expected to replace"));
        file = fopen(beside, "rb");
        assert_null(file);
        assert_file(inside, "x", 1);
    }
    assert_int_equal(remove(inside), 0);
    assert_int_equal(remove(path), 0);
}
#endif

/* A second saver at work, or one that was killed, has the first name: the next one is taken, its file left alone. */
static void name_beside_is_taken(void **state)
{
    const pytree_io *const tables[] = { &pytree_io_system, &pytree_io_stdio };
    char path[GOLDEN_PATH], beside[GOLDEN_PATH + 32];
    float x = 1, y = 0;
    size_t i;
    (void)state;
    scratch_path(path, "taken.npy");
    snprintf(beside, sizeof beside, "%s.pytree-tmp0", path);
    write_whole(beside, "somebody's", 10);
    for (i = 0; i < COUNT_OF(tables); i++) {
        pytree_checkpoint_options opt = options_with(tables[i], NULL);
        pytree_error error = { 0 };
        x++;
        assert_ok(pytree_save_npy(path, PYTREE(&x), &opt, &error), &error);
        assert_ok(pytree_load_npy(path, PYTREE(&y), &opt, &error), &error);
        assert_true(x == y);
        assert_file(beside, "somebody's", 10);
    }
    assert_int_equal(remove(beside), 0);
    assert_int_equal(remove(path), 0);
}

/* A header may have any white space; calls without options have those of pytree_checkpoint_options all zero. */
static void white_space_and_no_options(void **state)
{
    static const unsigned char one[4] = { 0, 0, 0x80, 0x3F };
    unsigned char bytes[128];
    float x = 0;
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    size_t size = make_npy(bytes, "\r{'descr':\r'<f4',\t'fortran_order':\nFalse, 'shape': (), }\r\n", one, sizeof one);
    (void)state;
    scratch_path(path, "white.npy");
    write_whole(path, bytes, size);
    assert_ok(pytree_load_npy(path, PYTREE(&x), NULL, &error), &error);
    assert_true(x == 1);
    assert_int_equal(remove(path), 0);
}

/* A file of 1 TiB that promises 16 bytes is refused by its size; nothing is allocated, and hardly anything read. */
static void larger_than_memory(void **state)
{
    unsigned char head[128];
    float target[4] = { 1, 2, 3, 4 };
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    Heap heap;
    pytree_checkpoint_options opt;
    size_t size = make_npy(head, "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }", NULL, 0);
    FILE *file;
    (void)state;
    scratch_path(path, "huge.npy");
    file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(head, 1, size, file), size);
    if (fseek(file, (long)(((uint64_t)1 << 40) - 1), SEEK_SET) != 0 || fputc(0, file) == EOF || fclose(file) != 0) {
        remove(path);
        skip();                           /* no file system for it */
    }
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt = options_with(NULL, &heap.allocator);
    assert_error(pytree_load_npy(path, PYTREE_ARRAY(target, 4), &opt, &error), PYTREE_SYNTAX, "", &error);
    assert_non_null(strstr(error.message, "expected exactly 16 bytes of data, got 10995116277"));
    assert_int_equal(heap.calls, 0);
    assert_int_equal(remove(path), 0);
}

/* ---- Failing systems --------------------------------------------------------------------------------------------------- */

/* A saved array in memory, and a target that differs from it everywhere. */
typedef struct Reading {
    pytree_memory file;
    pytree_io io, base;
    Faults faults;
    float saved[ELEMENTS], target[ELEMENTS], before[ELEMENTS];
} Reading;

static Reading *reading_begin(void)
{
    Reading *r = calloc(1, sizeof *r);
    assert_non_null(r);
    fill(r->saved, 1);
    fill(r->before, -9000);
    memcpy(r->target, r->before, sizeof r->target);
    assert_int_equal(save_bytes(PYTREE_ARRAY(r->saved, ELEMENTS), &r->file, NULL, NULL), PYTREE_OK);
    r->base = pytree_memory_io(&r->file);
    r->faults.base = &r->base;
    return r;
}

static pytree_status reading_load(Reading *r, pytree_error *err)
{
    pytree_checkpoint_options opt;
    Heap heap;
    pytree_status status;
    heap_init(&heap, HEAP_NEVER_FAILS);
    r->io = faults_io(&r->faults);
    opt = options_with(&r->io, &heap.allocator);
    status = pytree_load_npy("bytes", PYTREE_ARRAY(r->target, ELEMENTS), &opt, err);
    assert_heap_clean(&heap);
    assert_int_equal(r->faults.n_open, 0);
    assert_memory_equal(r->target, status == PYTREE_OK ? r->saved : r->before, sizeof r->target);
    return status;
}

static void reading_end(Reading *r)
{
    pytree_memory_free(&r->file);
    free(r);
}

static void read_little_at_a_time(void **state)
{
    Reading *r = reading_begin();
    pytree_error error = { 0 };
    (void)state;
    r->faults.most = 1;
    r->faults.interrupted = true;
    assert_ok(reading_load(r, &error), &error);
    assert_in_range(r->faults.calls[FAULT_READ], 2 * r->file.size - 2, 2 * r->file.size + 2);
    reading_end(r);
}

/* Each read in turn fails, and each half of the file is unreadable. */
static void read_fails(void **state)
{
    size_t n;
    (void)state;
    for (n = 0;; n++) {
        Reading *r = reading_begin();
        pytree_error error = { 0 };
        pytree_status status;
        r->faults.op = FAULT_READ;
        r->faults.at = n;
        r->faults.code = EIO;
        status = reading_load(r, &error);
        if (status == PYTREE_OK) {
            assert_int_equal(r->faults.calls[FAULT_READ], n);
            assert_in_range(n, 2, 10);
            reading_end(r);
            break;
        }
        assert_error(status, PYTREE_IO, "", &error);
        assert_non_null(strstr(error.message, strerror(EIO)));
        reading_end(r);
    }
    for (n = 1; n < 3; n++) {
        Reading *r = reading_begin();
        pytree_error error = { 0 };
        r->faults.most = 512;
        r->faults.read_end = n == 1 ? 20 : r->file.size / 2;
        assert_error(reading_load(r, &error), PYTREE_IO, "", &error);
        reading_end(r);
    }
}

static void file_gets_shorter(void **state)
{
    Reading *r = reading_begin();
    pytree_error error = { 0 };
    (void)state;
    r->faults.vanished = 40;
    assert_error(reading_load(r, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, "expected 40 bytes more"));
    assert_non_null(strstr(error.message, "got its end"));
    reading_end(r);
}

/* The new array over an old file: path, the bytes of both. */
typedef struct Saving {
    char path[GOLDEN_PATH];
    Faults faults;
    pytree_io io;
    pytree_memory old, fresh;
    float numbers[ELEMENTS];
} Saving;

static Saving *saving_begin(const char *name)
{
    Saving *s = calloc(1, sizeof *s);
    assert_non_null(s);
    scratch_path(s->path, name);
    fill(s->numbers, 5);
    assert_int_equal(save_bytes(PYTREE_ARRAY(s->numbers, 10), &s->old, NULL, NULL), PYTREE_OK);
    assert_int_equal(save_bytes(PYTREE_ARRAY(s->numbers, ELEMENTS), &s->fresh, NULL, NULL), PYTREE_OK);
    write_whole(s->path, s->old.bytes, s->old.size);
    s->faults.base = &pytree_io_system;
    return s;
}

static bool beside(const Saving *s)
{
    char name[GOLDEN_PATH + 32];
    FILE *file;
    snprintf(name, sizeof name, "%s.pytree-tmp0", s->path);
    file = fopen(name, "rb");
    if (file != NULL) { fclose(file); }
    return file != NULL;
}

/* The path shows the new file if it went well, otherwise the old one; nothing stays beside it. */
static pytree_status saving_save(Saving *s, pytree_error *err)
{
    pytree_checkpoint_options opt;
    Heap heap;
    pytree_status status;
    heap_init(&heap, HEAP_NEVER_FAILS);
    s->io = faults_io(&s->faults);
    opt = options_with(&s->io, &heap.allocator);
    status = pytree_save_npy(s->path, PYTREE_ARRAY(s->numbers, ELEMENTS), &opt, err);
    assert_heap_clean(&heap);
    assert_int_equal(s->faults.n_open, 0);
    if (status == PYTREE_OK) { assert_file(s->path, s->fresh.bytes, s->fresh.size); }
    return status;
}

static void saving_end(Saving *s)
{
    assert_int_equal(remove(s->path), 0);
    pytree_memory_free(&s->old);
    pytree_memory_free(&s->fresh);
    free(s);
}

static void write_little_at_a_time(void **state)
{
    Saving *s = saving_begin("short.npy");
    pytree_error error = { 0 };
    (void)state;
    s->faults.most = 3;
    s->faults.interrupted = true;
    assert_ok(saving_save(s, &error), &error);
    assert_false(beside(s));
    saving_end(s);
}

/* Every call that saving makes, failing for itself. */
static void save_fails(void **state)
{
    static const struct { FaultOp op; size_t at; int code; const char *words; } cases[] = {
        { FAULT_CREATE, 0, EACCES, "create a file beside" }, { FAULT_WRITE, 0, ENOSPC, "write" },
        { FAULT_WRITE, 1, ENOSPC, "write" }, { FAULT_WRITE, 3, EIO, "write" }, { FAULT_SYNC, 0, EIO, "sync" },
        { FAULT_CLOSE, 0, ENOSPC, "close" },
        { FAULT_RENAME, 0, EACCES, "replace" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Saving *s = saving_begin("fails.npy");
        pytree_error error = { 0 };
        char words[200];
        s->faults.most = 4000;
        s->faults.op = cases[i].op;
        s->faults.at = cases[i].at;
        s->faults.code = cases[i].code;
        assert_error(saving_save(s, &error), PYTREE_IO, "", &error);
        snprintf(words, sizeof words, "expected to %s", cases[i].words);
        assert_non_null(strstr(error.message, words));
        assert_non_null(strstr(error.message, strerror(cases[i].code)));
        assert_file(s->path, s->old.bytes, s->old.size);
        assert_false(beside(s));
        saving_end(s);
    }
}

/* Killed at any call: the old file or the new one. What may stay beside it is in nobody's way. */
static void save_killed(void **state)
{
    size_t n, replaced = 0;
    (void)state;
    for (n = 1;; n++) {
        Saving *s = saving_begin("killed.npy");
        char name[GOLDEN_PATH + 32];
        pytree_status status;
        size_t size;
        unsigned char *there;
        s->faults.most = 4000;
        s->faults.killed_at = n;
        status = saving_save(s, NULL);
        there = read_whole(s->path, &size);
        if (size == s->fresh.size) {
            assert_memory_equal(there, s->fresh.bytes, size);
            replaced++;
        } else {
            assert_int_equal(size, s->old.size);
            assert_memory_equal(there, s->old.bytes, size);
        }
        free(there);
        snprintf(name, sizeof name, "%s.pytree-tmp0", s->path);
        if (status != PYTREE_OK && beside(s)) {
            s->faults.killed_at = 0;
            assert_int_equal(saving_save(s, NULL), PYTREE_OK);
            assert_int_equal(remove(name), 0);
        }
        saving_end(s);
        if (status == PYTREE_OK) { break; }
    }
    assert_in_range(n, 8, 30);
    assert_int_equal(replaced, 1);
}

/* 1000 names beside the file are taken: an error, and none of them is touched. */
static int all_taken(void *context, const char *path, void **file)
{
    size_t *asked = context;
    (void)path;
    (void)file;
    ++*asked;
    return PYTREE_IO_EXISTS;
}

static void names_are_taken(void **state)
{
    pytree_io io = pytree_io_system;
    size_t asked = 0;
    float x = 1;
    pytree_error error = { 0 };
    pytree_checkpoint_options opt = options_with(&io, NULL);
    (void)state;
    io.create = all_taken;
    io.context = &asked;
    assert_error(pytree_save_npy("x", PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
    assert_int_equal(asked, 1000);
    assert_non_null(strstr(error.message, "the temporary names beside it are taken"));
}

#if !defined(_WIN32)
/* However many killed saves have left their files, there is a name. Those that are provably dead are removed: they are not
 * locked, and a minute old. */
static void the_dead_leave_names(void **state)
{
    const pytree_io *const tables[] = { &pytree_io_system, &pytree_io_stdio };
    const struct utimbuf long_ago = { 1000000000, 1000000000 };
    char path[GOLDEN_PATH], beside[GOLDEN_PATH + 32];
    float x = 1;
    size_t i, n;
    (void)state;
    scratch_path(path, "dead.npy");
    for (i = 0; i < COUNT_OF(tables); i++) {
        pytree_checkpoint_options opt = options_with(tables[i], NULL);
        pytree_error error = { 0 };
        int locked;
        for (n = 0; n < 40; n++) {
            snprintf(beside, sizeof beside, "%s.pytree-tmp%u", path, (unsigned)n);
            write_whole(beside, "left", 4);
        }
        for (n = 0; n < 3; n++) { assert_ok(pytree_save_npy(path, PYTREE(&x), &opt, &error), &error); }
        for (n = 0; n < 40; n++) {
            snprintf(beside, sizeof beside, "%s.pytree-tmp%u", path, (unsigned)n);
            assert_file(beside, "left", 4);
            if (n >= 2) { assert_int_equal(remove(beside), 0); }
        }
        snprintf(beside, sizeof beside, "%s.pytree-tmp0", path);
        locked = open(beside, O_RDONLY);
        assert_int_equal(flock(locked, LOCK_EX | LOCK_NB), 0); /* a save at work */
        assert_int_equal(utime(beside, &long_ago), 0);
        beside[strlen(beside) - 1] = '1';
        assert_int_equal(utime(beside, &long_ago), 0);
        assert_ok(pytree_save_npy(path, PYTREE(&x), &opt, &error), &error);
        assert_int_equal(remove(beside), tables[i] == &pytree_io_system ? -1 : 0);
        assert_int_equal(close(locked), 0);
        assert_ok(pytree_save_npy(path, PYTREE(&x), &opt, &error), &error);
        beside[strlen(beside) - 1] = '0';
        assert_int_equal(remove(beside), tables[i] == &pytree_io_system ? -1 : 0);
    }
    assert_int_equal(remove(path), 0);
}
#endif

/* A table's own words for its own codes; what pretends to have done more than it was asked is not believed. */
static const char *own_words(void *context, int code)
{
    (void)context;
    return code == 77 ? "the cat sat on it" : NULL;
}

static int fails_with_77(void *context, const char *path, void **file, uint64_t *size)
{
    (void)context;
    (void)path;
    (void)file;
    (void)size;
    return 77;
}

static int too_much(void *context, void *file, const void *from, size_t n, size_t *done)
{
    (void)context;
    (void)file;
    (void)from;
    *done = n + 1;
    return 0;
}

static int reads_too_much(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    (void)context;
    (void)file;
    (void)at;
    (void)to;
    *done = n + 1;
    return 0;
}

static int writes_nothing(void *context, void *file, const void *from, size_t n, size_t *done)
{
    (void)context;
    (void)file;
    (void)from;
    (void)n;
    *done = 0;
    return 0;
}

/* The first name is taken, the next call is interrupted, the third one goes well. */
static int creates_at_last(void *context, const char *path, void **file)
{
    size_t *asked = context;
    if (++*asked < 3) { return *asked == 1 ? PYTREE_IO_EXISTS : PYTREE_IO_AGAIN; }
    return pytree_io_system.create(NULL, path, file);
}

static void creation_is_tried_again(void **state)
{
    pytree_io io = pytree_io_system;
    size_t asked = 0;
    char path[GOLDEN_PATH];
    float x = 1, y = 0;
    pytree_error error = { 0 };
    pytree_checkpoint_options opt = options_with(&io, NULL);
    (void)state;
    scratch_path(path, "again.npy");
    io.create = creates_at_last;
    io.context = &asked;
    assert_ok(pytree_save_npy(path, PYTREE(&x), &opt, &error), &error);
    assert_int_equal(asked, 3);
    assert_ok(pytree_load_npy(path, PYTREE(&y), NULL, &error), &error);
    assert_true(y == 1);
    assert_int_equal(remove(path), 0);
}

static void tables_of_others(void **state)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    float x = 1;
    pytree_error error = { 0 };
    pytree_checkpoint_options opt = options_with(&io, NULL);
    (void)state;
    io.open = fails_with_77;
    io.reason = own_words;
    assert_error(pytree_load_npy("x", PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, "the cat sat on it"));
    memset(&error, 0, sizeof error);
    io.write = too_much;
    assert_error(pytree_save_npy("x", PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
    memset(&error, 0, sizeof error);
    io.write = writes_nothing;
    assert_error(pytree_save_npy("x", PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, "got no further"));
    io = pytree_memory_io(&file);
    assert_int_equal(pytree_save_npy("x", PYTREE(&x), &opt, NULL), PYTREE_OK);
    memset(&error, 0, sizeof error);
    io.read = reads_too_much;
    assert_error(pytree_load_npy("x", PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
    assert_non_null(strstr(error.message, "got its end"));
    pytree_memory_free(&file);
}

/* Opening, syncing and renaming are asked for again where a signal interrupted them. */
static void calls_are_tried_again(void **state)
{
    static const FaultOp ops[] = { FAULT_SYNC, FAULT_RENAME };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(ops); i++) {
        Saving *s = saving_begin("signals.npy");
        pytree_error error = { 0 };
        s->faults.op = ops[i];
        s->faults.code = PYTREE_IO_AGAIN;
        assert_ok(saving_save(s, &error), &error);
        assert_int_equal(s->faults.calls[ops[i]], 2);
        assert_false(beside(s));
        saving_end(s);
    }
    {
        Reading *r = reading_begin();
        pytree_error error = { 0 };
        r->faults.op = FAULT_OPEN;
        r->faults.code = PYTREE_IO_AGAIN;
        assert_ok(reading_load(r, &error), &error);
        assert_int_equal(r->faults.calls[FAULT_OPEN], 2);
        reading_end(r);
    }
}

static int creates_with(void *context, const char *path, void **file)
{
    (void)path;
    (void)file;
    return *(const int *)context;
}

/* Codes of the library, and those for which a table has no reason, have words, too. */
static void codes_have_words(void **state)
{
    static const struct { int code; const char *words; } cases[] = {
        { PYTREE_IO_AGAIN, "got: interrupted" }, { PYTREE_IO_UNSUPPORTED, "got: not possible with this file" },
        { 78, "got: no reason" }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_io io = pytree_io_system;
        int code = cases[i].code;
        float x = 1;
        pytree_error error = { 0 };
        pytree_checkpoint_options opt = options_with(&io, NULL);
        io.create = creates_with;
        io.reason = own_words;
        io.context = &code;
        assert_error(pytree_save_npy("x", PYTREE(&x), &opt, &error), PYTREE_IO, "", &error);
        assert_non_null(strstr(error.message, cases[i].words));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(system_and_stdio),
#if !defined(_WIN32)
        cmocka_unit_test(open_what_is_no_file), cmocka_unit_test(save_over_a_folder), cmocka_unit_test(the_dead_leave_names),
#endif
        cmocka_unit_test(name_beside_is_taken), cmocka_unit_test(larger_than_memory), cmocka_unit_test(read_little_at_a_time),
        cmocka_unit_test(read_fails), cmocka_unit_test(file_gets_shorter), cmocka_unit_test(write_little_at_a_time),
        cmocka_unit_test(save_fails), cmocka_unit_test(save_killed), cmocka_unit_test(names_are_taken),
        cmocka_unit_test(creation_is_tried_again), cmocka_unit_test(white_space_and_no_options),
        cmocka_unit_test(tables_of_others), cmocka_unit_test(calls_are_tried_again), cmocka_unit_test(codes_have_words)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
