/* pytree/safetensors.h where loading, mapping and saving fail: golden_files/io-cases.json, case for case. */
#include "safetensors_io_shared.h"

int mkfifo(const char *path, mode_t mode);

/* ---- What the cases have in common ------------------------------------------------------------------------------------- */

/* Saving the model over the file fails: the old file is there, and nothing else. */
static void assert_save_fails(Bench *b, const char *words)
{
    assert_error(pytree_save_safetensors(b->path, PYTREE(&b->model), &b->opt, &b->error), PYTREE_IO, NULL, &b->error);
    if (strstr(b->error.message, words) == NULL) { fail_msg("no '%s' in: %s", words, b->error.message); }
    memset(&b->error, 0, sizeof b->error);
    assert_file(b->path, b->bytes, b->size);
    assert_no_leftovers(b);
}

/* ---- Loading ----------------------------------------------------------------------------------------------------------- */

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

/* ---- Mapping ----------------------------------------------------------------------------------------------------------- */

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
    if (golden_recipe("safetensors/valid/data-2gib.recipe.json", path) != 0) {
        file = pytree_safetensors_map(path, NULL, &b.error);
        if (sizeof(void *) > 4) { assert_ok(b.error.status, &b.error); }
        pytree_safetensors_close(file);
        remove(path);
    }
    bench_clear(&b);
}

/* ---- Saving ------------------------------------------------------------------------------------------------------------ */

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
    char left[GOLDEN_PATH + 32];
    bench_init(&b, "save-killed");
    assert_ok(pytree_save_safetensors(b.path, PYTREE(&b.model), NULL, &b.error), &b.error);
    fresh = read_whole(b.path, &fresh_size);
    assert_true(fresh_size == b.size && memcmp(fresh, b.bytes, b.size) != 0);
    snprintf(left, sizeof left, "%s.pytree-tmp0", b.path);
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_io_case)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
