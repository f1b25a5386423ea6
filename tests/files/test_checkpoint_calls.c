/* Calls on an open file of any format: what they refuse, files that cannot be mapped, saves whose writes fail. */
#include "support.h"
#include "golden_files.h"
#include "pytree/gguf.h"
#include "pytree/npz.h"
#include "pytree/pt.h"
#include "pytree/safetensors.h"

enum { MANY = 200000 };                   /* more than is kept back before it is written */

static float many[3][MANY];

static pytree three_arrays(void)
{
    static pytree_pair pairs[3];
    static pytree_items items = { .count = 3, .pairs = pairs };
    static pytree_leaf leaves[3];
    static const char *const names[] = { "a", "b", "c" };
    size_t i;
    for (i = 0; i < 3; i++) {
        leaves[i] = (pytree_leaf){ .data = many[i], .type = PYTREE_TYPE(float), .ndim = 1, .shape = { MANY } };
        pairs[i].key = names[i];
        pairs[i].value = pytree_of_view(&leaves[i]);
    }
    return (pytree){ &pytree_types[PYTREE__T_dict], &items };
}

/* ---- Saves --------------------------------------------------------------------------------------------------------- */

typedef pytree_status SaveFn(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err);
static pytree_status save_gguf(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    return pytree_save_gguf(path, t, PYTREE_NONE, opt, err);
}
static SaveFn *const savers[] = { pytree_save_safetensors, pytree_save_npz, save_gguf };

static size_t written, limit;

static int writes_up_to(void *context, void *file, const void *from, size_t n, size_t *done)
{
    const int code = pytree_io_system.write(NULL, file, from, n, done);
    (void)context;
    written += n;
    return written > limit ? ENOSPC : code;
}

/* The disk is full at once, in the first array, in the last one: the save fails and leaves nothing. */
static void full_disks(void **state)
{
    static const size_t limits[] = { 0, 1000, MANY * 4, MANY * 4 + 1000, MANY * 11 };
    char path[GOLDEN_PATH];
    size_t i, k;
    (void)state;
    scratch_path(path, "full");
    for (i = 0; i < COUNT_OF(savers); i++) {
        for (k = 0; k < COUNT_OF(limits); k++) {
            pytree_io io = pytree_io_system;
            const pytree_checkpoint_options opt = { .io = &io };
            pytree_error error = { 0 };
            FILE *file;
            io.write = writes_up_to;
            written = 0;
            limit = limits[k];
            assert_error(savers[i](path, three_arrays(), &opt, &error), PYTREE_IO, "", &error);
            assert_non_null(strstr(error.message, strerror(ENOSPC)));
            file = fopen(path, "rb");
            assert_null(file);
        }
    }
}

/* ---- Reading and pointing ------------------------------------------------------------------------------------------ */

static int cannot_map(void *context, void *file, uint64_t size, const void **bytes)
{
    (void)context;
    (void)file;
    (void)size;
    (void)bytes;
    return PYTREE_IO_UNSUPPORTED;
}

static int cannot_read(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    return n > MANY ? EIO : pytree_io_system.read(context, file, at, to, n, done);
}

/* A file that cannot be mapped is read into memory; if that cannot be done either, the call fails and nothing stays open. */
static void maps_that_fail(void **state)
{
    char path[GOLDEN_PATH];
    pytree_io io = pytree_io_system;
    const pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree_safetensors *file;
    (void)state;
    scratch_path(path, "maps.safetensors");
    assert_null(pytree_safetensors_map(path, NULL, &error));
    assert_error(error.status, PYTREE_IO, "", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_save_safetensors(path, three_arrays(), NULL, &error), &error);
    io.map = cannot_map;
    file = pytree_safetensors_map(path, &opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(file->tensors[2].data);
    pytree_safetensors_close(file);
    io.read = cannot_read;
    assert_null(pytree_safetensors_map(path, &opt, &error));
    assert_error(error.status, PYTREE_IO, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_mmap_safetensors(path, three_arrays(), &opt, &error));
    assert_error(error.status, PYTREE_IO, "", &error);
    assert_int_equal(remove(path), 0);
}

static void arguments(void **state)
{
    char path[GOLDEN_PATH];
    float to[4];
    pytree_error error = { 0 };
    pytree_safetensors *file;
    const pytree_tensor *t;
    (void)state;
    scratch_path(path, "arguments.safetensors");
    assert_ok(pytree_save_safetensors(path, PYTREE_DICT({ "x", PYTREE_ARRAY(many[0], 4) }), NULL, &error), &error);
    file = pytree_safetensors_open(path, NULL, &error);
    assert_ok(error.status, &error);
    t = pytree_checkpoint_find(file, "x");
    assert_non_null(t);
    assert_null(pytree_checkpoint_find(file, NULL));
    assert_null(pytree_checkpoint_find(NULL, "x"));
    assert_ok(pytree_checkpoint_read(file, t, to, sizeof to, &error), &error);
    assert_error(pytree_checkpoint_read(NULL, t, to, sizeof to, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_read(file, NULL, to, sizeof to, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_read(file, t, NULL, sizeof to, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_point(NULL, PYTREE(&to[0]), NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_point(file, PYTREE(&to[0]), NULL, &error), PYTREE_ARGUMENT, "", &error);     /* not mapped */
    assert_string_equal(error.message, "expected a file in memory that no tree points into, got another");
    memset(&error, 0, sizeof error);
    assert_null(pytree_gguf_metadata(NULL).data);
    assert_null(pytree_gguf_metadata(file).data);
    pytree_safetensors_close(file);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_save_safetensors(path, PYTREE_LIST(PYTREE_NONE), NULL, &error), &error);
    file = pytree_mmap_safetensors(path, PYTREE_LIST(PYTREE_NONE), NULL, &error);
    if (little_endian()) {
        assert_ok(error.status, &error);
        assert_int_equal(file->n_tensors, 0);
    } else {
        assert_error(error.status, PYTREE_ARGUMENT, "", &error);
        assert_null(file);
    }
    pytree_safetensors_close(file);
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disks), cmocka_unit_test(maps_that_fail), cmocka_unit_test(arguments)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
