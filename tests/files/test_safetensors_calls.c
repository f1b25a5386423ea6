/* pytree/safetensors.h when calls of the system fail, one after the other. */
#include "safetensors_io_shared.h"

/* ---- Every call of the table ------------------------------------------------------------------------------------------- */

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
        cmocka_unit_test(every_call_of_a_load_may_fail),
        cmocka_unit_test(every_call_of_a_save_may_fail),
        cmocka_unit_test(checked_before_it_is_read),
        cmocka_unit_test(a_read_that_fails_late),
        cmocka_unit_test(a_bool_that_is_wrong_late),
        cmocka_unit_test(other_tables),
        cmocka_unit_test(sharded_checkpoints)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
