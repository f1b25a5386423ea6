/* The reader of pytree/safetensors.h against files whose verdict is known: golden_files/safetensors, golden_files/sharded,
 * recipes of files too big to be stored, and every truncation and one-byte change of a few files. What the files hold must come
 * out right, in each of the ways to get at it, and every allocation may fail. */
#include "support.h"
#include "golden_files.h"

#include "pytree/safetensors.h"

#include <math.h>
#include <time.h>

/* ---- What the manifest says ----------------------------------------------------------------------------------------- */

static const cJSON *member(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }

static bool is_format(const cJSON *line, const char *format) { return strcmp(golden_text(line, "format"), format) == 0; }

/* 'y', 'n', or '?' for either. */
static char verdict_of(const cJSON *line)
{
    const cJSON *valid = member(line, "valid");
    return cJSON_IsString(valid) ? '?' : cJSON_IsTrue(valid) ? 'y' : 'n';
}

/* Numbers as they stand in a file, whose digests are known. A complex number is two of half its size. */
static void put_in_file_order(unsigned char *bytes, size_t n, const char *dtype)
{
    const size_t bits = (size_t)strtoul(dtype + strcspn(dtype, "0123456789"), NULL, 10);
    const size_t width = bits / 8 / (*dtype == 'C' ? 2 : 1);
    for (size_t i = 0; !little_endian() && width > 1 && i < n; i += width) {
        for (size_t k = 0; k < width / 2; k++) {
            const unsigned char low = bytes[i + k];
            bytes[i + k] = bytes[i + width - 1 - k];
            bytes[i + width - 1 - k] = low;
        }
    }
}

static void assert_tensor(const pytree_safetensors *file, const pytree_tensor *got, const cJSON *wanted)
{
    const cJSON *shape = member(wanted, "shape"), *offsets = member(wanted, "offsets"), *extent;
    const char *name = golden_text(wanted, "name"), *in_file = golden_text(wanted, "file");
    unsigned char *bytes = malloc((size_t)got->bytes + 1);
    pytree_error error = { 0 };
    size_t d = 0;
    assert_non_null(bytes);
    if (name != NULL) {
        assert_string_equal(got->name, name);
    } else {
        assert_int_equal(strlen(got->name), golden_number(member(wanted, "name_bytes")));
        assert_sha256(got->name, strlen(got->name), golden_text(wanted, "name_sha256"));
    }
    assert_string_equal(got->dtype, golden_text(wanted, "dtype"));
    assert_ptr_equal(pytree_safetensors_find(file, got->name), got);
    assert_int_equal(got->ndim, cJSON_GetArraySize(shape));
    cJSON_ArrayForEach(extent, shape) { assert_int_equal(got->shape[d++], golden_number(extent)); }
    if (in_file != NULL) {
        const char *path = file->files[got->file];
        assert_string_equal(strrchr(path, '/') + 1, in_file);
    } else {
        assert_int_equal(got->offset - file->data_offset, golden_number(cJSON_GetArrayItem(offsets, 0)));
        assert_int_equal(got->offset - file->data_offset + got->bytes, golden_number(cJSON_GetArrayItem(offsets, 1)));
    }
    assert_ok(pytree_safetensors_read(file, got, bytes, (size_t)got->bytes, &error), &error);
    put_in_file_order(bytes, (size_t)got->bytes, got->dtype);
    assert_sha256(bytes, (size_t)got->bytes, golden_text(wanted, "sha256"));
    free(bytes);
}

static void assert_contents(const pytree_safetensors *file, const cJSON *line)
{
    const cJSON *tensors = member(line, "tensors"), *metadata = member(line, "metadata"), *item;
    size_t i = 0;
    if (!is_format(line, "sharded")) {
        assert_int_equal(file->data_offset, golden_number(member(line, "data_start")));
        assert_int_equal(file->n_metadata, cJSON_IsObject(metadata) ? cJSON_GetArraySize(metadata) : 0);
        cJSON_ArrayForEach(item, metadata)
        {
            assert_string_equal(file->metadata[i].key, item->string);
            assert_string_equal(file->metadata[i++].text, cJSON_GetStringValue(item));
        }
    }
    if (tensors == NULL) {
        assert_int_equal(file->n_tensors, golden_number(member(line, "tensor_count")));
        return;
    }
    assert_int_equal(file->n_tensors, cJSON_GetArraySize(tensors));
    if (is_format(line, "sharded")) {                          /* the manifest goes by name */
        cJSON_ArrayForEach(item, tensors)
        {
            const pytree_tensor *t = pytree_safetensors_find(file, golden_text(item, "name"));
            assert_non_null(t);
            assert_tensor(file, t, item);
        }
        return;
    }
    i = 0;
    cJSON_ArrayForEach(item, tensors) { assert_tensor(file, &file->tensors[i++], item); }
}

static void file_path(char path[GOLDEN_PATH], const cJSON *line)
{
    golden_path(path, golden_text(line, "name"));
    if (is_format(line, "sharded")) { strncat(path, "/model.safetensors.index.json", GOLDEN_PATH - strlen(path) - 1); }
}

/* ---- Every file ----------------------------------------------------------------------------------------------------- */

typedef struct Tally {
    size_t yes, no, either, read_from_memory;
} Tally;

static void check_file(void *context, const cJSON *line)
{
    Tally *tally = context;
    char path[GOLDEN_PATH], verdict = verdict_of(line);
    pytree_error error = { 0 };
    pytree_safetensors *file;
    if ((!is_format(line, "safetensors") && !is_format(line, "sharded")) || cJSON_IsTrue(member(line, "recipe"))) { return; }
    file_path(path, line);
    file = pytree_safetensors_open(path, NULL, &error);
    if ((file != NULL && verdict == 'n') || (file == NULL && verdict == 'y')) {
        fail_msg("%s (%s): %s %s", path, golden_text(line, "why"), file != NULL ? "accepted" : "refused:", error.message);
    }
    if (file == NULL) {
        pytree_status missing =
            strcmp(golden_text(line, "name"), "sharded/invalid/shard-missing") == 0 ? PYTREE_IO : PYTREE_SYNTAX;
        assert_int_equal(error.status, missing);
        assert_true(strncmp(error.message, "expected ", 9) == 0);
    } else {
        assert_int_equal(error.status, PYTREE_OK);
        assert_contents(file, line);
        pytree_safetensors_close(file);
        file = pytree_safetensors_map(path, NULL, &error);
        assert_ok(error.status, &error);
        assert_contents(file, line);
        pytree_safetensors_close(file);
    }
    *(verdict == 'y' ? &tally->yes : verdict == 'n' ? &tally->no : &tally->either) += 1;
}

static void every_file_gets_its_verdict(void **state)
{
    Tally tally = { 0 };
    (void)state;
    golden_each("manifest.jsonl", check_file, &tally);
    assert_int_equal(tally.yes, 116);
    assert_int_equal(tally.no, 295);
    assert_int_equal(tally.either, 7);
}

/* ---- Files too big to be stored ------------------------------------------------------------------------------------- */

/* Counts the most that is in use. */
typedef struct Meter {
    pytree_allocator allocator;
    size_t now, most, largest;
} Meter;

static void *meter_resize(void *context, void *p, size_t old_size, size_t new_size)
{
    Meter *m = context;
    m->now += new_size - old_size;
    m->most = m->now > m->most ? m->now : m->most;
    m->largest = new_size > m->largest ? new_size : m->largest;
    if (new_size == 0) {
        free(p);
        return NULL;
    }
    return realloc(p, new_size);
}

static Meter meter_make(void)
{
    Meter m = { { meter_resize, NULL }, 0, 0, 0 };
    return m;
}

static void check_recipe(void *context, const cJSON *line)
{
    size_t *count = context;
    char path[GOLDEN_PATH], verdict = verdict_of(line);
    pytree_error error = { 0 };
    pytree_checkpoint_options opt = { 0 };
    Meter meter = meter_make();
    pytree_safetensors *file;
    uint64_t length;
    if (!is_format(line, "safetensors") || !cJSON_IsTrue(member(line, "recipe"))) { return; }
    ++*count;
    scratch_path(path, "recipe.safetensors");
    length = golden_recipe(golden_text(line, "name"), path);
    if (length == 0) { return; }
    meter.allocator.context = &meter;
    opt.tree.allocator = &meter.allocator;
    file = pytree_safetensors_open(path, &opt, &error);
    if ((file != NULL && verdict == 'n') || (file == NULL && verdict == 'y')) {
        fail_msg("%s (%s): %s %s", path, golden_text(line, "why"), file != NULL ? "accepted" : "refused:", error.message);
    }
    assert_true(meter.most < 8 * length + 65536);
    if (file != NULL) {
        if (file->n_tensors != 1) { assert_contents(file, line); }             /* 2 GiB of zeros need not be read */
        else { assert_int_equal(file->tensors[0].bytes, 2147483664u); }
        if (file->n_tensors == 1000000) { assert_non_null(pytree_safetensors_find(file, "t999999")); }
    } else {
        assert_int_equal(error.status, PYTREE_SYNTAX);
    }
    pytree_safetensors_close(file);
    assert_int_equal(meter.now, 0);
    remove(path);
}

static void files_too_big_to_store(void **state)
{
    size_t count = 0;
    (void)state;
    if (slow_here()) { skip(); }
    golden_each("manifest.jsonl", check_recipe, &count);
    assert_int_equal(count, 8);
}

/* The last byte of a tensor of more than 2 GiB, through read and through the mapping. */
static void offsets_beyond_two_gigabytes(void **state)
{
    char path[GOLDEN_PATH];
    pytree_error error = { 0 };
    pytree_safetensors *file;
    FILE *stream;
    (void)state;
    if (under_valgrind()) { skip(); }
    scratch_path(path, "large.safetensors");
    if (golden_recipe("safetensors/valid/data-2gib.recipe.json", path) == 0) { skip(); }
    stream = fopen(path, "r+b");
    assert_non_null(stream);
    assert_int_equal(fseek(stream, -1, SEEK_END), 0);
    fputc(77, stream);
    fclose(stream);
    file = pytree_safetensors_map(path, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(((const unsigned char *)file->tensors[0].data)[2147483663u], 77);
    assert_int_equal(((const unsigned char *)file->tensors[0].data)[0], 0);
    pytree_safetensors_close(file);
    remove(path);
}

/* ---- Every change of a byte ----------------------------------------------------------------------------------------- */

typedef struct Sweep {
    size_t positions, accepted, refused;
} Sweep;

static void check_sweep(void *context, const cJSON *line)
{
    Sweep *sweep = context;
    const char *verdicts = golden_text(line, "verdicts"), *op = golden_text(line, "op");
    const cJSON *arg = member(line, "arg");
    unsigned char *base, *bytes;
    size_t n, k, step = under_valgrind() ? 7 : 1;
    if (!is_format(line, "safetensors")) { return; }
    base = golden_unhex(golden_text(line, "base_hex"), &n);
    for (k = 0; verdicts[k] != '\0'; k++) {
        pytree_memory memory = { 0 };
        pytree_io io = pytree_memory_io(&memory);
        pytree_checkpoint_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_safetensors *file;
        if (k % step != 0) { continue; }
        bytes = malloc(n + 2);
        assert_non_null(bytes);
        memory.size = golden_vary(op, (unsigned char)(cJSON_IsNumber(arg) ? arg->valueint : 0), k, base, n, bytes);
        bytes = realloc(bytes, memory.size + 1);
        assert_non_null(bytes);
        memory.bytes = bytes;
        opt.io = &io;
        file = pytree_safetensors_map("sweep", &opt, &error);
        if ((file == NULL && verdicts[k] == '1') || (file != NULL && verdicts[k] == '0')) {
            fail_msg("%s, %s %d at %lu: %s %s", golden_text(line, "base"), op, cJSON_IsNumber(arg) ? arg->valueint : -1,
                     (unsigned long)k, file == NULL ? "refused:" : "accepted", error.message);
        }
        if (file != NULL) { sweep->accepted++; } else { sweep->refused++; }
        sweep->positions++;
        pytree_safetensors_close(file);
        free(bytes);
    }
    free(base);
}

static void every_change_of_a_byte(void **state)
{
    Sweep sweep = { 0 };
    (void)state;
    golden_each("sweeps.jsonl", check_sweep, &sweep);
    if (!under_valgrind()) { assert_int_equal(sweep.positions, 14230); }
    assert_true(sweep.accepted > 100 / (under_valgrind() ? 7 : 1));
    assert_true(sweep.refused > sweep.accepted);
}

/* ---- Memory that runs out ------------------------------------------------------------------------------------------- */

static pytree_status open_and_map(void *context, const pytree_options *tree, pytree_error *err)
{
    pytree_checkpoint_options opt = { 0 };
    pytree_safetensors *file;
    opt.tree = *tree;
    file = pytree_safetensors_open(context, &opt, err);
    if (file == NULL) { return err->status; }
    pytree_safetensors_close(file);
    file = pytree_safetensors_map(context, &opt, err);
    pytree_safetensors_close(file);
    return err->status;
}

static void check_allocations(void *context, const cJSON *line)
{
    size_t *count = context;
    char path[GOLDEN_PATH];
    if ((!is_format(line, "safetensors") && !is_format(line, "sharded")) || cJSON_IsTrue(member(line, "recipe"))
        || verdict_of(line) != 'y') {
        return;
    }
    if (under_valgrind() && ++*count % 16 != 0) { return; }
    file_path(path, line);
    assert_true(sweep_allocations(open_and_map, path) >= 6);
}

static void every_allocation_may_fail(void **state)
{
    size_t count = 0;
    (void)state;
    golden_each("manifest.jsonl", check_allocations, &count);
}

/* Files with mistakes, too: what was taken before is given back. */
static void check_leaks(void *context, const cJSON *line)
{
    size_t *count = context, n;
    char path[GOLDEN_PATH];
    if ((!is_format(line, "safetensors") && !is_format(line, "sharded")) || cJSON_IsTrue(member(line, "recipe"))
        || verdict_of(line) != 'n') {
        return;
    }
    if (under_valgrind() && ++*count % 16 != 0) { return; }
    file_path(path, line);
    for (n = 0;; n++) {
        Heap heap;
        pytree_checkpoint_options opt = { 0 };
        pytree_error error = { 0 };
        heap_init(&heap, n);
        opt.tree.allocator = &heap.allocator;
        assert_null(pytree_safetensors_open(path, &opt, &error));
        assert_heap_clean(&heap);
        if (heap.calls <= n) { break; }
        assert_int_equal(error.status, PYTREE_NO_MEMORY);
    }
}

static void refused_files_leave_nothing(void **state)
{
    size_t count = 0;
    (void)state;
    golden_each("manifest.jsonl", check_leaks, &count);
}

/* ---- Numbers that nobody reads ----------------------------------------------------------------------------------- */

static bool accepts(const char *value)
{
    char bytes[200];
    size_t n = (size_t)snprintf(bytes + 8, sizeof bytes - 8,
                                "{\"t\":{\"x\":%s,\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}", value);
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_safetensors *file;
    memset(bytes, 0, 8);
    bytes[0] = (char)n;
    memory.bytes = bytes;
    memory.size = 8 + n;
    opt.io = &io;
    file = pytree_safetensors_open("f", &opt, &error);
    pytree_safetensors_close(file);
    return file != NULL;
}

static void values_that_are_skipped(void **state)
{
    static const char *const good[] = { "0",
                                        "-0",
                                        "1.5",
                                        "-12.25e-3",
                                        "1E+9",
                                        "0e0",
                                        "true",
                                        "[]",
                                        "{}",
                                        "[{},[null]]",
                                        "{\"a\":[1,2]}",
                                        "\"\\u0000\"",
                                        "{\"\\u0000\":false}" };
    static const char *const bad[] = { "",           "+1",  "01",  "1.",       ".5",   "1e",       "1e+",   "-",
                                       "--1",        "tru", "nul", "truex",    "[1,]", "{\"a\"}",  "{a:1}", "[1 2]",
                                       "{\"a\":1,}", "[",   "]",   "{\"a\":}", "NaN",  "Infinity", "'a'",   "0x1" };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(good); i++) {
        if (!accepts(good[i])) { fail_msg("refused: %s", good[i]); }
    }
    for (i = 0; i < COUNT_OF(bad); i++) {
        if (accepts(bad[i])) { fail_msg("accepted: %s", bad[i]); }
    }
}

/* ---- Arguments ------------------------------------------------------------------------------------------------------ */

static void arguments(void **state)
{
    pytree_error error = { 0 }, before;
    pytree_safetensors *file;
    char four[4];
    (void)state;
    assert_null(pytree_safetensors_open(NULL, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, NULL, &error);
    assert_null(pytree_safetensors_open(NULL, NULL, NULL));
    assert_null(pytree_safetensors_map("tests/golden_files/safetensors", NULL, NULL));
    before = error;
    assert_null(pytree_safetensors_open("tests/golden_files/safetensors", NULL, &error));      /* the first error stays */
    assert_memory_equal(&before, &error, sizeof error);
    pytree_safetensors_close(NULL);
    memset(&error, 0, sizeof error);
    file = pytree_safetensors_open("tests/golden_files/safetensors/valid/writer-one.safetensors", NULL, &error);
    assert_ok(error.status, &error);
    assert_null(pytree_safetensors_find(file, "no such tensor"));
    assert_error(pytree_safetensors_read(file, &file->tensors[0], four, sizeof four, &error), PYTREE_OVERFLOW, NULL, &error);
    assert_null(file->tensors[0].data);
    pytree_safetensors_close(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_file_gets_its_verdict),
        cmocka_unit_test(files_too_big_to_store),
        cmocka_unit_test(offsets_beyond_two_gigabytes),
        cmocka_unit_test(every_change_of_a_byte),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(refused_files_leave_nothing),
        cmocka_unit_test(values_that_are_skipped),
        cmocka_unit_test(arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
