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

/* ---- Reads that fail ------------------------------------------------------------------------------------------------ */

/* Numbers that are read at once into place, by a load and by a read: where that fails, so does the call. */
static void reads_that_fail(void **state)
{
    char path[GOLDEN_PATH];
    pytree_io io = pytree_io_system;
    const pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree_safetensors *file;
    float *to = malloc(sizeof many[0]);
    (void)state;
    assert_non_null(to);
    scratch_path(path, "reads.safetensors");
    assert_ok(pytree_save_safetensors(path, three_arrays(), NULL, &error), &error);
    file = pytree_safetensors_open(path, &opt, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_checkpoint_read(file, &file->tensors[0], to, sizeof many[0], &error), &error);
    io.read = cannot_read;
    assert_error(pytree_checkpoint_read(file, &file->tensors[0], to, sizeof many[0], &error), PYTREE_IO, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_load(file, three_arrays(), &opt, &error), PYTREE_IO, "", &error);
    pytree_safetensors_close(file);
    free(to);
    assert_int_equal(remove(path), 0);
}

/* Arrays that are larger than what is read at once go straight to their places: each read fails once. */
static void large_reads_that_fail(void **state)
{
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    size_t at;
    (void)state;
    scratch_path(path, "large.safetensors");
    assert_ok(pytree_save_safetensors(path, three_arrays(), NULL, &error), &error);
    for (at = 0;; at++) {
        Faults faults = { .base = &pytree_io_system, .op = FAULT_READ, .at = at, .code = EIO };
        pytree_io io = faults_io(&faults);
        const pytree_checkpoint_options opt = { .io = &io };
        const pytree_status status = pytree_load_safetensors(path, three_arrays(), &opt, &error);
        assert_int_equal(faults.n_open, 0);
        if (faults.calls[FAULT_READ] <= at) { assert_ok(status, &error); break; }
        assert_error(status, PYTREE_IO, "", &error);
        memset(&error, 0, sizeof error);
    }
    assert_true(at > 5);                  /* the header, the check, and three arrays */
    assert_int_equal(remove(path), 0);
}

static pytree_status map_body(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_io io = pytree_io_system;
    const pytree_checkpoint_options options = { .tree = *opt, .io = &io };
    io.map = cannot_map;
    pytree_safetensors_close(pytree_safetensors_map(context, &options, err));
    return err->status;
}

/* A file that cannot be mapped takes memory, which may be lacking. */
static void maps_without_memory(void **state)
{
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    (void)state;
    scratch_path(path, "memory.safetensors");
    assert_ok(pytree_save_safetensors(path, three_arrays(), NULL, &error), &error);
    assert_in_range(sweep_allocations(map_body, path), 2, 50);
    assert_int_equal(remove(path), 0);
    memset(&error, 0, sizeof error);
    assert_error(pytree_checkpoint_map(NULL, &error), PYTREE_ARGUMENT, "", &error);
}

/* ---- Names ---------------------------------------------------------------------------------------------------------- */

enum { LONG = 5000 };                     /* more than there is room for at first */

static size_t same_name(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    (void)slice;
    return (size_t)snprintf(text, n, "%s", leaf);
}

/* Prefixes, keys and what a callback makes of them may be of any length: what is saved under a name is loaded under it. */
static void long_names(void **state)
{
    static const pytree_rename other = { "other", "another" };
    char *name = malloc(LONG + 1);
    size_t i;
    (void)state;
    assert_non_null(name);
    memset(name, 'n', LONG);
    name[LONG] = '\0';
    for (i = 0; i < 16; i++) {
        const char *const key = (i & 1) != 0 ? name : "k";
        float x = 1, y = 0;
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { .io = &io, .prefix = (i & 2) != 0 ? name : NULL };
        pytree_error error = { 0 };
        pytree_safetensors *file;
        opt.rename = (i & 4) != 0 ? same_name : NULL;
        opt.renames = (i & 8) != 0 ? &other : NULL;
        opt.n_renames = (i & 8) != 0;
        assert_ok(pytree_save_safetensors("f", PYTREE_DICT({ key, PYTREE(&x) }), &opt, &error), &error);
        file = pytree_safetensors_open("f", &opt, &error);
        assert_ok(error.status, &error);
        assert_int_equal(strlen(file->tensors[0].name), strlen(key) + ((i & 6) == 2 ? LONG : 0));
        assert_ok(pytree_checkpoint_load(file, PYTREE_DICT({ key, PYTREE(&y) }), &opt, &error), &error);
        assert_true(y == 1);
        pytree_safetensors_close(file);
        pytree_memory_free(&memory);
    }
    free(name);
}

typedef struct Fickle {
    size_t calls, from;
} Fickle;

/* The first leaf is in the file only from a call on. */
static size_t fickle_name(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    Fickle *f = context;
    (void)slice;
    return f->calls++ < f->from && leaf[0] == 'a' ? SIZE_MAX : (size_t)snprintf(text, n, "%s", leaf);
}

/* A callback that answers each pass otherwise: values from the file or as they were, or an error, and nothing else. */
static void callbacks_that_change(void **state)
{
    size_t from;
    (void)state;
    for (from = 0; from < 12; from++) {
        float x[2] = { 1, 2 }, a = 8, b = 9;
        Fickle fickle = { 0, from };
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { .io = &io, .ignore_unexpected = true };
        pytree_error error = { 0 };
        assert_ok(pytree_save_safetensors("f", PYTREE_DICT({ "a", PYTREE(&x[0]) }, { "b", PYTREE(&x[1]) }), &opt, &error),
            &error);
        opt.rename = fickle_name;
        opt.rename_context = &fickle;
        (void)pytree_load_safetensors("f", PYTREE_DICT({ "a", PYTREE(&a) }, { "b", PYTREE(&b) }), &opt, &error);
        assert_true((a == 8 || a == 1) && (b == 9 || b == 2));
        assert_true(from != 0 || (a == 1 && b == 2));
        pytree_memory_free(&memory);
    }
}

/* ---- Pointing ------------------------------------------------------------------------------------------------------- */

typedef struct Pointers {
    float *a, *b, *c;
} Pointers;

#define PYTREE_STRUCT Pointers
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a, ARRAY(2)) PYTREE_FIELD(DATA, b, ARRAY(2)) PYTREE_FIELD(DATA, c, ARRAY(2))
#include "pytree_registry.h"

static size_t without_b(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    (void)context;
    (void)slice;
    return leaf[0] == 'b' ? SIZE_MAX : (size_t)snprintf(text, n, "%s", leaf);
}

/* Leaves that the file need not have stay where they are; others point into it. A tree that is one leaf gets its values. */
static void points_in_part(void **state)
{
    static const char *const missing[] = { "c" };
    char path[GOLDEN_PATH];
    float x[2] = { 1, 2 }, own[2] = { 5, 6 }, alone[2] = { 0, 0 };
    Pointers p = { own, own, own };
    pytree_checkpoint_options opt = { .rename = without_b, .allow_missing = missing, .n_allow_missing = 1 };
    pytree_error error = { 0 };
    pytree_safetensors *file;
    (void)state;
    scratch_path(path, "points.safetensors");
    assert_ok(pytree_save_safetensors(path, PYTREE_DICT({ "a", PYTREE_ARRAY(x, 2) }), NULL, &error), &error);
    file = pytree_mmap_safetensors(path, PYTREE(&p), &opt, &error);
    assert_ok(error.status, &error);
    assert_true(p.a != own && p.a[0] == 1 && p.a[1] == 2);
    assert_true(p.b == own && p.c == own && own[0] == 5 && own[1] == 6);
    pytree_safetensors_close(file);
    memset(&opt, 0, sizeof opt);
    opt.prefix = "a";
    file = pytree_mmap_safetensors(path, PYTREE_ARRAY(alone, 2), &opt, &error);
    assert_ok(error.status, &error);
    assert_true(alone[0] == 1 && alone[1] == 2);
    pytree_safetensors_close(file);
    assert_int_equal(remove(path), 0);
}

/* ---- Globs ---------------------------------------------------------------------------------------------------------- */

/* Where no separator stands between entries, a name is one of them. Globs that rename nothing may have any number of stars. */
static void globs(void **state)
{
    static const struct { const char *glob, *separator, *name; pytree_status status; } cases[] = {
        { "*.*.*.*.*.*.*.*.*.*", NULL, "a.b.c.d.e.f.g.h.i.j", PYTREE_OK },
        { "*.*.*.*.*.*.*.*.*.*", NULL, "a.b.c.d.e.f.g.h.i", PYTREE_NOT_FOUND },
        { "*", "", "a.b", PYTREE_OK }, { "*", NULL, "a.b", PYTREE_NOT_FOUND }, { "a.*", "", "a.b", PYTREE_NOT_FOUND },
        { "a.b", "", "a.b", PYTREE_OK }
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        float x = 1, y = 7;
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { .io = &io, .separator = cases[i].separator };
        pytree_error error = { 0 };
        assert_ok(pytree_save_safetensors("f", PYTREE_DICT({ "x", PYTREE(&x) }), &opt, &error), &error);
        opt.allow_missing = &cases[i].glob;
        opt.n_allow_missing = 1;
        assert_int_equal(pytree_load_safetensors("f", PYTREE_DICT({ "x", PYTREE(&x) }, { cases[i].name, PYTREE(&y) }), &opt,
            NULL), cases[i].status);
        assert_true(y == 7);
        pytree_memory_free(&memory);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(full_disks), cmocka_unit_test(maps_that_fail), cmocka_unit_test(arguments),
        cmocka_unit_test(reads_that_fail), cmocka_unit_test(large_reads_that_fail),
        cmocka_unit_test(maps_without_memory), cmocka_unit_test(long_names),
        cmocka_unit_test(callbacks_that_change), cmocka_unit_test(points_in_part), cmocka_unit_test(globs)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
