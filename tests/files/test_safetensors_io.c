/* pytree/safetensors.h where reading and writing fail: golden_files/io-cases.json, case for case, and calls that fail one after
 * the other. */
#include "support.h"
#include "golden_files.h"

#include "pytree/safetensors.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

/* <unistd.h> and <signal.h> hide these from strict C11. */
int truncate(const char *path, off_t length);
int mkfifo(const char *path, mode_t mode);

/* ---- What the cases have in common ---------------------------------------------------------------------------------- */

/* A model, its file, and another model that is to be loaded into. */
typedef struct Bench {
    char path[GOLDEN_PATH];
    unsigned char *bytes;
    size_t size;
    MLP saved, model, before;
    Faults faults;
    pytree_io io;
    pytree_checkpoint_options opt;
    pytree_error error;
} Bench;

static MLP other_mlp(void)
{
    MLP model = mlp_make(2, true);
    size_t i;
    for (i = 0; i < 12; i++) { model.layers[0].w[i] += 0.5f; }
    model.scale[0][1] = -3;
    return model;
}

static void bench_init(Bench *b, const char *name)
{
    memset(b, 0, sizeof *b);
    scratch_path(b->path, name);
    b->saved = mlp_make(2, true);
    b->model = other_mlp();
    b->before = other_mlp();
    assert_ok(pytree_save_safetensors(b->path, PYTREE(&b->saved), NULL, &b->error), &b->error);
    b->bytes = read_whole(b->path, &b->size);
    b->faults.base = &pytree_io_system;
    b->io = faults_io(&b->faults);
    b->opt.io = &b->io;
}

static void assert_no_leftovers(const Bench *b)
{
    char path[GOLDEN_PATH + 8];
    FILE *file;
    snprintf(path, sizeof path, "%s.tmp0", b->path);
    file = fopen(path, "rb");
    assert_null(file);
    assert_int_equal(b->faults.n_open, 0);
}

static void bench_clear(Bench *b)
{
    assert_no_leftovers(b);
    remove(b->path);
    free(b->bytes);
    mlp_clear(&b->saved);
    mlp_clear(&b->model);
    mlp_clear(&b->before);
}

static void assert_loads(Bench *b)
{
    assert_ok(pytree_load_safetensors(b->path, PYTREE(&b->model), &b->opt, &b->error), &b->error);
    assert_true(pytree_equal(PYTREE(&b->model), PYTREE(&b->saved), NULL, NULL, &b->error));
}

static void assert_load_fails(Bench *b, pytree_status status, const char *words)
{
    assert_error(pytree_load_safetensors(b->path, PYTREE(&b->model), &b->opt, &b->error), status, NULL, &b->error);
    if (words != NULL && strstr(b->error.message, words) == NULL) { fail_msg("no '%s' in: %s", words, b->error.message); }
    memset(&b->error, 0, sizeof b->error);
    assert_true(pytree_equal(PYTREE(&b->model), PYTREE(&b->before), NULL, NULL, &b->error));
}

/* Saving the model over the file fails: the old file is there, and nothing else. */
static void assert_save_fails(Bench *b, const char *words)
{
    assert_error(pytree_save_safetensors(b->path, PYTREE(&b->model), &b->opt, &b->error), PYTREE_IO, NULL, &b->error);
    if (strstr(b->error.message, words) == NULL) { fail_msg("no '%s' in: %s", words, b->error.message); }
    memset(&b->error, 0, sizeof b->error);
    assert_file(b->path, b->bytes, b->size);
    assert_no_leftovers(b);
}

/* ---- Loading -------------------------------------------------------------------------------------------------------- */

static void read_short(void)
{
    Bench b;
    bench_init(&b, "read-short");
    b.faults.most = 1;
    assert_loads(&b);
    bench_clear(&b);
}

static void read_eintr(void)
{
    Bench b;
    bench_init(&b, "read-eintr");
    b.faults.interrupted = true;
    assert_loads(&b);
    bench_clear(&b);
}

static void read_eio_header(void)
{
    Bench b;
    bench_init(&b, "read-eio-header");
    b.faults.op = FAULT_READ;
    b.faults.code = EIO;
    assert_load_fails(&b, PYTREE_IO, strerror(EIO));
    b.faults.at = 1;
    memset(b.faults.calls, 0, sizeof b.faults.calls);
    assert_load_fails(&b, PYTREE_IO, strerror(EIO));
    bench_clear(&b);
}

static void read_eio_data(void)
{
    Bench b;
    bench_init(&b, "read-eio-data");
    b.faults.read_end = b.size - 70;      /* the second half of 140 bytes */
    assert_load_fails(&b, PYTREE_IO, strerror(EIO));
    bench_clear(&b);
}

static void read_eof_early(void)
{
    Bench b;
    bench_init(&b, "read-eof-early");
    for (b.faults.vanished = 1; b.faults.vanished <= b.size; b.faults.vanished += 7) {
        assert_load_fails(&b, PYTREE_IO, "got its end");
    }
    bench_clear(&b);
}

static void open_missing(void)
{
    Bench b;
    bench_init(&b, "open-missing");
    remove(b.path);
    assert_load_fails(&b, PYTREE_IO, strerror(ENOENT));
    bench_clear(&b);
}

static void open_directory(void)
{
    Bench b;
    pytree_error error = { 0 };
    bench_init(&b, "open-directory");
    assert_error(pytree_load_safetensors("tests", PYTREE(&b.model), NULL, &error), PYTREE_IO, NULL, &error);
    assert_non_null(strstr(error.message, "not a regular file"));
    bench_clear(&b);
}

static void open_fifo(void)
{
    Bench b;
    bench_init(&b, "open-fifo");
    remove(b.path);
    assert_int_equal(mkfifo(b.path, 0600), 0);
    assert_load_fails(&b, PYTREE_IO, "not a regular file");
    bench_clear(&b);
}

typedef struct Meter {
    pytree_allocator allocator;
    size_t largest, all;
} Meter;

static void *meter_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Meter *m = context;
    (void)old_size;
    if (new_size == 0) { free(p); return NULL; }
    m->all += new_size;
    m->largest = new_size > m->largest ? new_size : m->largest;
    return realloc(p, new_size);
}

/* A file of these first bytes and that length; sparse. */
static void assert_refused(Bench *b, const char *first, size_t n, off_t length, size_t memory)
{
    Meter meter = { { meter_resize, NULL }, 0, 0 };
    meter.allocator.context = &meter;
    b->opt.tree.allocator = &meter.allocator;
    write_whole(b->path, first, n);
    if (truncate(b->path, length) != 0) { skip(); }            /* a file system that has no such lengths */
    assert_load_fails(b, PYTREE_SYNTAX, NULL);
    assert_true(meter.largest <= memory);
    assert_true(meter.all <= 4 * memory);
    b->opt.tree.allocator = NULL;
}

static void size_over_memory(void)
{
    static const char header[] = "\x37\0\0\0\0\0\0\0{\"t\":{\"dtype\":\"U8\",\"shape\":[16],\"data_offsets\":[0,16]}}";
    Bench b;
    bench_init(&b, "size-over-memory");
    assert_int_equal(sizeof header, 8 + 0x37 + 1);
    assert_refused(&b, header, 8 + 0x37, (off_t)1 << 40, 1 << 18);
    bench_clear(&b);
}

static void header_over_memory(void)
{
    Bench b;
    bench_init(&b, "header-over-memory");
    assert_refused(&b, "\xff\xe0\xf5\x05\0\0\0\0{}", 10, 100, 1000);
    bench_clear(&b);
}

/* ---- Mapping -------------------------------------------------------------------------------------------------------- */

static void map_unaligned(void)
{
    Bench b;
    double values[2] = { 1.5, -2.5 };
    unsigned char *moved;
    pytree_safetensors *file;
    pytree tree = PYTREE_DICT({ "x", PYTREE_ARRAY(values, 2) });
    bench_init(&b, "map-unaligned");
    assert_ok(pytree_save_safetensors(b.path, tree, NULL, &b.error), &b.error);
    free(b.bytes);
    b.bytes = read_whole(b.path, &b.size);
    moved = malloc(b.size + 1);           /* one more space before the data: an odd offset */
    assert_non_null(moved);
    memcpy(moved, b.bytes, b.size - 16);
    moved[b.size - 16] = ' ';
    memcpy(moved + b.size - 15, b.bytes + b.size - 16, 16);
    moved[0]++;
    write_whole(b.path, moved, b.size + 1);
    free(moved);
    values[0] = values[1] = 0;
    file = pytree_mmap_safetensors(b.path, tree, NULL, &b.error);
    assert_ok(b.error.status, &b.error);
    assert_int_equal((uintptr_t)file->tensors[0].data % 2, 1);
    assert_true(values[0] == 1.5 && values[1] == -2.5);
    pytree_safetensors_close(file);
    bench_clear(&b);
}

/* What the documentation says: touching what is gone ends the process with SIGBUS. Opening it again is an error. */
static void map_then_truncate(void)
{
    Bench b;
    pytree_safetensors *file;
    int status;
    pid_t child;
    bench_init(&b, "map-then-truncate");
    file = pytree_safetensors_map(b.path, NULL, &b.error);
    assert_ok(b.error.status, &b.error);
    assert_int_equal(truncate(b.path, 0), 0);
    if (!under_valgrind()) {
        fflush(stdout);
        child = fork();
        if (child == 0) {
            signal(SIGBUS, SIG_DFL);
            _exit(*(const volatile unsigned char *)file->tensors[0].data == 0 ? 0 : 1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGBUS);
    }
    pytree_safetensors_close(file);
    assert_load_fails(&b, PYTREE_SYNTAX, "8 bytes or more");
    bench_clear(&b);
}

/* A table that counts in 32 bits says so. */
static int open_of_32_bits(void *context, const char *path, void **file, uint64_t *size)
{
    (void)context;
    (void)path;
    (void)file;
    *size = 2147483664u;
    return PYTREE_IO_TOO_LARGE;
}

static void size_32_bit(void)
{
    Bench b;
    char path[GOLDEN_PATH];
    pytree_safetensors *file;
    bench_init(&b, "size-32-bit");
    b.io.open = open_of_32_bits;
    assert_load_fails(&b, PYTREE_IO, "larger than this system can count");
    scratch_path(path, "over-2-gib");
    golden_recipe("safetensors/valid/data-2gib.recipe.json", path);
    file = pytree_safetensors_map(path, NULL, &b.error);
    if (sizeof(void *) > 4) { assert_ok(b.error.status, &b.error); }
    pytree_safetensors_close(file);
    remove(path);
    bench_clear(&b);
}

/* ---- Saving --------------------------------------------------------------------------------------------------------- */

static void save_over_mapped(void)
{
    Bench b;
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    pytree_safetensors *file;
    float changed[2] = { 8, 9 };
    bench_init(&b, "save-over-mapped");
    file = pytree_mmap_safetensors(b.path, PYTREE(&mapped), NULL, &b.error);
    assert_ok(b.error.status, &b.error);
    head.b = changed;                     /* a leaf's copy; the others lie in the file that is replaced */
    assert_ok(pytree_save_safetensors(b.path, PYTREE(&mapped), NULL, &b.error), &b.error);
    assert_ok(pytree_load_safetensors(b.path, PYTREE(&b.model), NULL, &b.error), &b.error);
    assert_true(b.model.head->b[1] == 9.0f);
    assert_memory_equal(b.model.layers[0].w, b.saved.layers[0].w, 48);
    assert_memory_equal(pytree_safetensors_find(file, "head.b")->data, b.saved.head->b, 8);
    assert_memory_equal(layers[1].w, b.saved.layers[1].w, 24);
    pytree_safetensors_close(file);
    bench_clear(&b);
}

static void save_enospc_first(void)
{
    Bench b;
    bench_init(&b, "save-enospc-first");
    b.faults.op = FAULT_WRITE;
    b.faults.code = ENOSPC;
    assert_save_fails(&b, strerror(ENOSPC));
    bench_clear(&b);
}

static void save_enospc_middle(void)
{
    Bench b;
    bench_init(&b, "save-enospc-middle");
    b.faults.most = b.size / 2;           /* so that the second write crosses the middle */
    b.faults.op = FAULT_WRITE;
    b.faults.at = 1;
    b.faults.code = ENOSPC;
    assert_save_fails(&b, strerror(ENOSPC));
    assert_int_equal(b.faults.wrote, b.size / 2);
    bench_clear(&b);
}

static void save_short_writes(void)
{
    Bench b;
    bench_init(&b, "save-short-writes");
    b.faults.most = 3;
    b.faults.interrupted = true;
    assert_ok(pytree_save_safetensors(b.path, PYTREE(&b.saved), &b.opt, &b.error), &b.error);
    assert_file(b.path, b.bytes, b.size);
    bench_clear(&b);
}

static void save_eio_sync(void)
{
    Bench b;
    bench_init(&b, "save-eio-sync");
    b.faults.op = FAULT_SYNC;
    b.faults.code = EIO;
    assert_save_fails(&b, strerror(EIO));
    bench_clear(&b);
}

static void save_rename_fails(void)
{
    Bench b;
    bench_init(&b, "save-rename-fails");
    b.faults.op = FAULT_RENAME;
    b.faults.code = EACCES;
    assert_save_fails(&b, strerror(EACCES));
    bench_clear(&b);
}

static void save_no_folder(void)
{
    Bench b;
    pytree_error error = { 0 };
    bench_init(&b, "save-no-folder");
    assert_error(pytree_save_safetensors("tests/no such folder/f", PYTREE(&b.model), NULL, &error), PYTREE_IO, NULL, &error);
    assert_non_null(strstr(error.message, strerror(ENOENT)));
    bench_clear(&b);
}

/* After the k-th call nothing happens any more, for every k: what is at the path is whole. */
static void save_killed(void)
{
    Bench b;
    unsigned char *fresh, *now;
    size_t fresh_size, size, k, old = 0, replaced = 0;
    char left[GOLDEN_PATH + 8];
    bench_init(&b, "save-killed");
    assert_ok(pytree_save_safetensors(b.path, PYTREE(&b.model), NULL, &b.error), &b.error);
    fresh = read_whole(b.path, &fresh_size);
    assert_true(fresh_size == b.size && memcmp(fresh, b.bytes, b.size) != 0);
    snprintf(left, sizeof left, "%s.tmp0", b.path);
    for (k = 1; k < 40; k++) {
        pytree_error error = { 0 };
        write_whole(b.path, b.bytes, b.size);
        b.faults.most = 60;
        b.faults.all = 0;
        b.faults.n_open = 0;
        memset(b.faults.calls, 0, sizeof b.faults.calls);
        b.faults.killed_at = k;
        (void)pytree_save_safetensors(b.path, PYTREE(&b.model), &b.opt, &error);
        remove(left);                     /* what the dead leave behind */
        now = read_whole(b.path, &size);
        assert_int_equal(size, b.size);
        if (memcmp(now, b.bytes, size) == 0) { old++; } else { assert_memory_equal(now, fresh, size); replaced++; }
        free(now);
    }
    assert_true(old > 10 && replaced > 3);
    b.faults.n_open = 0;
    free(fresh);
    bench_clear(&b);
}

static pytree_status load_file(void *context, const pytree_options *tree, pytree_error *err)
{
    Bench *b = context;
    pytree_checkpoint_options opt = { 0 };
    MLP model = other_mlp();
    pytree_status status;
    pytree_error own = { 0 };
    opt.tree = *tree;
    status = pytree_load_safetensors(b->path, PYTREE(&model), &opt, err);
    assert_true(pytree_equal(PYTREE(&model), status == PYTREE_OK ? PYTREE(&b->saved) : PYTREE(&b->before), NULL, NULL, &own));
    mlp_clear(&model);
    return status;
}

static void allocation_nth(void)
{
    Bench b;
    bench_init(&b, "allocation-nth");
    assert_true(sweep_allocations(load_file, &b) > 8);
    bench_clear(&b);
}

/* Each case of the list has its test here, and the list has no other. */
static void every_io_case(void **state)
{
    static const struct { const char *name; void (*run)(void);
    } tests[] = { { "read-short", read_short },
                  { "read-eintr", read_eintr },
                  { "read-eio-header", read_eio_header },
                  { "read-eio-data", read_eio_data },
                  { "read-eof-early", read_eof_early },
                  { "open-missing", open_missing },
                  { "open-directory", open_directory },
                  { "open-fifo", open_fifo },
                  { "size-over-memory", size_over_memory },
                  { "header-over-memory", header_over_memory },
                  { "map-unaligned", map_unaligned },
                  { "map-then-truncate", map_then_truncate },
                  { "size-32-bit", size_32_bit },
                  { "save-over-mapped", save_over_mapped },
                  { "save-enospc-first", save_enospc_first },
                  { "save-enospc-middle", save_enospc_middle },
                  { "save-short-writes", save_short_writes },
                  { "save-eio-sync", save_eio_sync },
                  { "save-rename-fails", save_rename_fails },
                  { "save-no-folder", save_no_folder },
                  { "save-killed", save_killed },
                  { "allocation-nth", allocation_nth } };
    size_t size, i, found = 0;
    char *text = (char *)golden_read("io-cases.json", &size);
    cJSON *cases = cJSON_Parse(text), *item;
    (void)state;
    cJSON_ArrayForEach(item, cases)
    {
        const char *name = golden_text(item, "name");
        for (i = 0; i < COUNT_OF(tests) && strcmp(tests[i].name, name) != 0; i++) {}
        if (i == COUNT_OF(tests)) { fail_msg("no test for %s", name); }
        tests[i].run();
        found++;
    }
    assert_int_equal(found, COUNT_OF(tests));
    cJSON_Delete(cases);
    free(text);
}

/* ---- Every call of the table ---------------------------------------------------------------------------------------- */

/* Opening and reading fail at each place where they are called: an error, and the tree as it was. */
static void every_call_of_a_load_may_fail(void **state)
{
    Bench b;
    FaultOp op;
    size_t at;
    (void)state;
    bench_init(&b, "load-calls");
    for (op = FAULT_OPEN; op <= FAULT_READ; op++) {
        if (op == FAULT_CREATE) { continue; }
        for (at = 0;; at++) {
            memset(b.faults.calls, 0, sizeof b.faults.calls);
            b.faults.op = op;
            b.faults.at = at;
            b.faults.code = EIO;
            if (pytree_load_safetensors(b.path, PYTREE(&b.model), &b.opt, &b.error) == PYTREE_OK) { break; }
            assert_error(b.error.status, PYTREE_IO, NULL, &b.error);
            memset(&b.error, 0, sizeof b.error);
            assert_true(pytree_equal(PYTREE(&b.model), PYTREE(&b.before), NULL, NULL, &b.error));
        }
        assert_int_equal(b.faults.calls[op], at);
        assert_int_equal(at, op == FAULT_OPEN ? 1 : 3);        /* length, header, data */
        mlp_clear(&b.model);
        b.model = other_mlp();
    }
    bench_clear(&b);
}

static void every_call_of_a_save_may_fail(void **state)
{
    Bench b;
    FaultOp op;
    size_t at, failures = 0;
    (void)state;
    bench_init(&b, "save-calls");
    b.faults.most = 50;
    for (op = FAULT_CREATE; op < FAULT_REMOVE; op++) {
        if (op == FAULT_READ) { continue; }
        for (at = 0;; at++) {
            memset(b.faults.calls, 0, sizeof b.faults.calls);
            b.faults.op = op;
            b.faults.at = at;
            b.faults.code = EIO;
            if (pytree_save_safetensors(b.path, PYTREE(&b.model), &b.opt, &b.error) == PYTREE_OK) { break; }
            memset(&b.error, 0, sizeof b.error);
            assert_file(b.path, b.bytes, b.size);
            assert_no_leftovers(&b);
            failures++;
        }
        write_whole(b.path, b.bytes, b.size);
    }
    assert_true(failures > 10);
    bench_clear(&b);
}

/* More than is read in one piece. */
typedef struct Large {
    double *first, *second;
    bool *flags;
    pytree_leaf leaves[3];
    pytree_pair pairs[3];
    pytree_items items;
    pytree tree;
} Large;

enum { LARGE = 50000 };

static void large_init(Large *l, double value)
{
    size_t i;
    memset(l, 0, sizeof *l);
    l->first = malloc(LARGE * sizeof *l->first);
    l->second = malloc(LARGE * sizeof *l->second);
    l->flags = malloc(LARGE * sizeof *l->flags);
    assert_true(l->first != NULL && l->second != NULL && l->flags != NULL);
    for (i = 0; i < LARGE; i++) {
        l->first[i] = value + (double)i;
        l->second[i] = value - (double)i;
        l->flags[i] = (i + (size_t)value) % 3 == 0;
    }
    for (i = 0; i < 3; i++) {
        l->leaves[i].data = i == 0 ? (void *)l->first : i == 1 ? (void *)l->second : (void *)l->flags;
        l->leaves[i].type = i == 2 ? PYTREE_TYPE(bool) : PYTREE_TYPE(double);
        l->leaves[i].ndim = 1;
        l->leaves[i].shape[0] = LARGE;
        l->pairs[i].key = i == 0 ? "first" : i == 1 ? "second" : "flags";
        l->pairs[i].value = pytree_of_view(&l->leaves[i]);
    }
    l->items.count = 3;
    l->items.pairs = l->pairs;
    l->tree.type = &pytree_types[PYTREE__T_dict];
    l->tree.data = &l->items;
}

static void large_clear(Large *l)
{
    free(l->first);
    free(l->second);
    free(l->flags);
}

/* The system's own check: what is there is found, and a file that is cut short before it is an error that leaves the tree. */
static char *cut_path;
static off_t cut_length;
static size_t checks;
static int cut_then_check(void *context, void *file, uint64_t at, uint64_t n)
{
    (void)context;
    checks++;
    if (cut_length >= 0) { assert_int_equal(truncate(cut_path, cut_length), 0); }
    return pytree_io_system.check(pytree_io_system.context, file, at, n);
}

static void checked_before_it_is_read(void **state)
{
    Large saved, got, before;
    char path[GOLDEN_PATH];
    unsigned char *bytes;
    size_t size, k;
    pytree_io io = pytree_io_system;
    pytree_checkpoint_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    large_init(&saved, 1);
    large_init(&got, 5);
    large_init(&before, 5);
    scratch_path(path, "checked");
    assert_ok(pytree_save_safetensors(path, saved.tree, NULL, &error), &error);
    bytes = read_whole(path, &size);
    io.check = cut_then_check;
    opt.io = &io;
    cut_path = path;
    for (k = 0; k < 3; k++) {             /* nothing left; half of it; all but one byte */
        cut_length = k == 0 ? 0 : k == 1 ? (off_t)(size / 2) : (off_t)(size - 1);
        assert_error(pytree_load_safetensors(path, got.tree, &opt, &error), PYTREE_IO, NULL, &error);
        assert_non_null(strstr(error.message, "got its end"));
        memset(&error, 0, sizeof error);
        assert_true(pytree_equal(got.tree, before.tree, NULL, NULL, &error));
        write_whole(path, bytes, size);
    }
    checks = 0;
    cut_length = -1;
    assert_ok(pytree_load_safetensors(path, got.tree, &opt, &error), &error);
    assert_int_equal(checks, 1);          /* for all that lies side by side */
    assert_true(pytree_equal(got.tree, saved.tree, NULL, NULL, &error));
    free(bytes);
    remove(path);
    large_clear(&saved);
    large_clear(&got);
    large_clear(&before);
}

/* The system's table with a read that fails behind some byte: its check does not speak for that, so all is read twice. */
static uint64_t readable;
static int read_until(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    return at + n > readable ? EIO : pytree_io_system.read(context, file, at, to, n, done);
}

static void a_read_that_fails_late(void **state)
{
    Large saved, got, before;
    char path[GOLDEN_PATH];
    pytree_io io = pytree_io_system;
    pytree_checkpoint_options opt = { 0 };
    pytree_error error = { 0 };
    (void)state;
    large_init(&saved, 1);
    large_init(&got, 5);
    large_init(&before, 5);
    scratch_path(path, "late");
    assert_ok(pytree_save_safetensors(path, saved.tree, NULL, &error), &error);
    io.read = read_until;
    opt.io = &io;
    for (readable = 300; readable < 17 * LARGE; readable += 111111) {
        assert_error(pytree_load_safetensors(path, got.tree, &opt, &error), PYTREE_IO, NULL, &error);
        memset(&error, 0, sizeof error);
        assert_true(pytree_equal(got.tree, before.tree, NULL, NULL, &error));
    }
    readable = UINT64_MAX;
    assert_ok(pytree_load_safetensors(path, got.tree, &opt, &error), &error);
    assert_true(pytree_equal(got.tree, saved.tree, NULL, NULL, &error));
    remove(path);
    large_clear(&saved);
    large_clear(&got);
    large_clear(&before);
}

/* A byte that is no bool, far behind: nothing has been written by then. */
static void a_bool_that_is_wrong_late(void **state)
{
    Large saved, got, before;
    char path[GOLDEN_PATH];
    unsigned char *bytes;
    size_t size;
    pytree_error error = { 0 };
    (void)state;
    large_init(&saved, 1);
    large_init(&got, 5);
    large_init(&before, 5);
    scratch_path(path, "bool");
    assert_ok(pytree_save_safetensors(path, saved.tree, NULL, &error), &error);
    bytes = read_whole(path, &size);
    bytes[size - 1] = 2;                  /* bools are the last in a file */
    write_whole(path, bytes, size);
    assert_error(pytree_load_safetensors(path, got.tree, NULL, &error), PYTREE_VALUE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_true(pytree_equal(got.tree, before.tree, NULL, NULL, &error));
    free(bytes);
    remove(path);
    large_clear(&saved);
    large_clear(&got);
    large_clear(&before);
}

/* Where there is nothing but the standard library, and where mapping fails: the same values. */
static void other_tables(void **state)
{
    Bench b;
    pytree_safetensors *file;
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    (void)state;
    bench_init(&b, "tables");
    file = pytree_mmap_safetensors(b.path, PYTREE(&mapped), &b.opt, &b.error); /* no mapping in this table */
    assert_ok(b.error.status, &b.error);
    assert_true(pytree_equal(PYTREE(&mapped), PYTREE(&b.saved), NULL, NULL, &b.error));
    pytree_safetensors_close(file);
    b.opt.io = &pytree_io_stdio;
    assert_loads(&b);
    assert_ok(pytree_save_safetensors(b.path, PYTREE(&b.saved), &b.opt, &b.error), &b.error);
    assert_file(b.path, b.bytes, b.size);
    bench_clear(&b);
}

/* Two shards and an index: one tree, loaded, mapped, and with a shard that cannot be read. */
static void sharded_checkpoints(void **state)
{
    Bench b;
    char first[GOLDEN_PATH], second[GOLDEN_PATH], index[GOLDEN_PATH + 16], text[4 * GOLDEN_PATH];
    const char *name_1, *name_2;
    Linear layers[2] = { { .din = 4, .dout = 3 }, { .din = 3, .dout = 2 } }, head = { .din = 2, .dout = 2 };
    MLP mapped = { .n_layers = 2, .layers = layers, .head = &head };
    pytree_safetensors *file;
    (void)state;
    bench_init(&b, "whole");
    scratch_path(first, "1.safetensors");
    scratch_path(second, "2.safetensors");
    scratch_path(index, "model.safetensors.index.json");
    name_1 = strrchr(first, '/') + 1;
    name_2 = strrchr(second, '/') + 1;
    assert_ok(pytree_save_safetensors(
                  first, PYTREE_DICT({ "layers", PYTREE_LIST(PYTREE(&b.saved.layers[0]), PYTREE(&b.saved.layers[1])) }), NULL,
                  &b.error),
              &b.error);
    assert_ok(pytree_save_safetensors(
                  second, PYTREE_DICT({ "head", PYTREE(b.saved.head) }, { "scale", PYTREE_ARRAY(&b.saved.scale[0][0], 2, 3) }),
                  NULL, &b.error),
              &b.error);
    snprintf(text, sizeof text,
             "{\"metadata\": {\"total_size\": 1}, \"weight_map\": {\"scale\": \"%s\",\n"
             "\"layers.0.w\": \"%s\", \"layers.0.b\": \"%s\",\n"
             "\"head.w\": \"%s\", \"head.b\": \"%s\", \"layers.1.w\": \"%s\", \"layers.1.b\": \"%s\"}}\n",
             name_2, name_1, name_1, name_2, name_2, name_1, name_1);
    write_whole(index, text, strlen(text));
    strcpy(b.path, index);
    assert_loads(&b);
    file = pytree_mmap_safetensors(index, PYTREE(&mapped), NULL, &b.error);
    assert_ok(b.error.status, &b.error);
    assert_int_equal(file->n_files, 2);
    assert_string_equal(file->files[0], second);               /* in the order of their first mention */
    assert_true(pytree_equal(PYTREE(&mapped), PYTREE(&b.saved), NULL, NULL, &b.error));
    pytree_safetensors_close(file);
    mlp_clear(&b.model);
    b.model = other_mlp();
    b.faults.op = FAULT_OPEN;             /* index, first shard, second shard */
    b.faults.code = EIO;
    for (b.faults.at = 0; b.faults.at < 3; b.faults.at++) {
        memset(b.faults.calls, 0, sizeof b.faults.calls);
        assert_load_fails(&b, PYTREE_IO, strerror(EIO));
    }
    b.faults.code = 0;
    assert_int_equal(truncate(first, 100), 0);
    assert_load_fails(&b, PYTREE_SYNTAX, name_1);
    remove(first);
    remove(second);
    bench_clear(&b);
    scratch_path(b.path, "whole");
    remove(b.path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_io_case),
        cmocka_unit_test(every_call_of_a_load_may_fail),
        cmocka_unit_test(every_call_of_a_save_may_fail),
        cmocka_unit_test(checked_before_it_is_read),
        cmocka_unit_test(a_read_that_fails_late),
        cmocka_unit_test(a_bool_that_is_wrong_late),
        cmocka_unit_test(other_tables),
        cmocka_unit_test(sharded_checkpoints),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
