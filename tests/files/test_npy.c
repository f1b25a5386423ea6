/* Arrays in .npy files: pytree/npy.h, and what reads and saves below it, pytree/io.h. golden_files/README.md has the rules. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#include "support.h"

#include "golden_files.h"
#include "pytree/npy.h"

#include <fcntl.h>
#include <sys/stat.h>

/* ---- What the tests say -------------------------------------------------------------------------------------------- */

static pytree_checkpoint_options options_with(const pytree_io *io, const pytree_allocator *allocator)
{
    pytree_checkpoint_options opt;
    memset(&opt, 0, sizeof opt);
    opt.io = io;
    opt.tree.allocator = allocator;
    return opt;
}

/* Reads an .npy file that lies in memory. */
static pytree_status read_bytes(const void *bytes, size_t size, pytree_leaf *array, const pytree_allocator *allocator,
                                pytree_error *err)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = options_with(&io, allocator);
    file.bytes = bytes;
    file.size = size;
    return pytree_read_npy("bytes", array, &opt, err);
}

static pytree_status load_bytes(const void *bytes, size_t size, pytree t, bool convert, const pytree_allocator *allocator,
                                pytree_error *err)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = options_with(&io, allocator);
    opt.convert = convert;
    file.bytes = bytes;
    file.size = size;
    return pytree_load_npy("bytes", t, &opt, err);
}

/* The file of a tree, in memory: to be freed with pytree_memory_free. */
static pytree_status save_bytes(pytree t, pytree_memory *file, const pytree_allocator *allocator, pytree_error *err)
{
    pytree_io io = pytree_memory_io(file);
    pytree_checkpoint_options opt = options_with(&io, allocator);
    file->allocator = allocator;
    return pytree_save_npy("bytes", t, &opt, err);
}

/* An .npy file made by hand: version 1.0 with that header text. */
static size_t make_npy(unsigned char *to, const char *text, const void *data, size_t bytes)
{
    size_t n = strlen(text);
    memcpy(to, "\x93NUMPY\x01", 8);
    to[8] = (unsigned char)(n & 0xFF);
    to[9] = (unsigned char)(n >> 8);
    memcpy(to + 10, text, n);
    if (bytes != 0) { memcpy(to + 10 + n, data, bytes); }
    return 10 + n + bytes;
}

/* ---- Golden files -------------------------------------------------------------------------------------------------- */

typedef struct Golden {
    size_t valid, invalid, either, written;
} Golden;

/* What was read is what the manifest says. */
static void assert_array(const pytree_leaf *array, const cJSON *expected)
{
    const cJSON *shape = cJSON_GetObjectItemCaseSensitive(expected, "shape"), *extent;
    static const struct { const char *descr; pytree_dtype dtype; } types[] = {
        { "b1", PYTREE_BOOL8 }, { "i1", PYTREE_I8 }, { "i2", PYTREE_I16 }, { "i4", PYTREE_I32 }, { "i8", PYTREE_I64 },
        { "u1", PYTREE_U8 }, { "u2", PYTREE_U16 }, { "u4", PYTREE_U32 }, { "u8", PYTREE_U64 }, { "f2", PYTREE_F16 },
        { "f4", PYTREE_F32 }, { "f8", PYTREE_F64 }, { "c8", PYTREE_C64 }, { "c16", PYTREE_C128 }
    };
    const char *descr = golden_text(expected, "descr");
    int d = 0;
    size_t i;
    for (i = 0; i < COUNT_OF(types) && strcmp(types[i].descr, descr + 1) != 0; i++) { }
    assert_in_range(i, 0, COUNT_OF(types) - 1);
    assert_int_equal(array->type->dtype, types[i].dtype);
    assert_int_equal(array->form, PYTREE_FORM_LEAF);
    assert_int_equal(array->ndim, cJSON_GetArraySize(shape));
    cJSON_ArrayForEach(extent, shape) { assert_true(array->shape[d++] == golden_number(extent)); }
    assert_int_equal((uintptr_t)array->data % 64, 0);
    assert_sha256(array->data, pytree_leaf_bytes(array), golden_text(expected, "values_sha256"));
}

static void check_golden(void *context, const cJSON *line)
{
    Golden *counts = context;
    const char *name = golden_text(line, "name"), *format = golden_text(line, "format");
    const cJSON *valid = cJSON_GetObjectItemCaseSensitive(line, "valid");
    const cJSON *array_expected = cJSON_GetObjectItemCaseSensitive(line, "array");
    unsigned char *bytes;
    size_t size;
    pytree_leaf array;
    pytree_error error = { 0 };
    pytree_status status;
    Heap heap;
    if (strcmp(format, "npy") != 0 || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "recipe"))) { return; }
    bytes = golden_read(name, &size);
    assert_sha256(bytes, size, golden_text(line, "sha256"));
    heap_init(&heap, HEAP_NEVER_FAILS);
    status = read_bytes(bytes, size, &array, &heap.allocator, &error);
    if (status != error.status || (status == PYTREE_OK ? cJSON_IsFalse(valid) : cJSON_IsTrue(valid))) {
        fail_msg("%s: got %s, '%s'", name, pytree_status_name(status), error.message);
    }
    counts->valid += (size_t)cJSON_IsTrue(valid);
    counts->invalid += (size_t)cJSON_IsFalse(valid);
    counts->either += (size_t)cJSON_IsString(valid);
    if (status == PYTREE_OK) {
        assert_array(&array, array_expected);
        if (cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "written_by_reference"))
            && cJSON_IsFalse(cJSON_GetObjectItemCaseSensitive(array_expected, "fortran_order"))
            && golden_text(array_expected, "descr")[0] != '>'
            && cJSON_GetArrayItem(cJSON_GetObjectItemCaseSensitive(array_expected, "version"), 0)->valueint == 1) {
            pytree_memory again = { 0 };
            assert_ok(save_bytes(PYTREE(&array), &again, &heap.allocator, &error), &error);
            assert_int_equal(again.size, size);
            assert_memory_equal(again.bytes, bytes, size);
            pytree_memory_free(&again);
            counts->written++;
        }
        pytree_npy_free(&array);
    } else {
        assert_int_equal(heap.calls <= 1, 1);        /* at most the array itself, and that only where its size is right */
        assert_non_null(strstr(error.message, "expected "));
        assert_non_null(strstr(error.message, "got "));
        assert_non_null(strstr(error.message, "bytes'"));
        if (heap.calls != 0) {
            heap_init(&heap, 0);
            assert_int_not_equal(read_bytes(bytes, size, &array, &heap.allocator, NULL), PYTREE_OK);
        }
    }
    assert_null(array.data);
    assert_heap_clean(&heap);
    free(bytes);
}

static void golden_verdicts(void **state)
{
    Golden counts = { 0, 0, 0, 0 };
    (void)state;
    golden_each("manifest.jsonl", check_golden, &counts);
    assert_int_equal(counts.valid, 53);
    assert_int_equal(counts.invalid, 129);
    assert_int_equal(counts.either, 4);
    assert_in_range(counts.written, 15, 34);
}

static void check_sweep(void *context, const cJSON *line)
{
    size_t *positions = context, n, k;
    const char *verdicts = golden_text(line, "verdicts"), *op = golden_text(line, "op");
    const cJSON *arg = cJSON_GetObjectItemCaseSensitive(line, "arg");
    unsigned char value = (unsigned char)(cJSON_IsNumber(arg) ? arg->valueint : 0), *base, *varied;
    if (strcmp(golden_text(line, "format"), "npy") != 0) { return; }
    base = golden_unhex(golden_text(line, "base_hex"), &n);
    for (k = 0; verdicts[k] != '\0'; k++) {
        size_t size;
        pytree_leaf array;
        pytree_error error = { 0 };
        pytree_status status;
        varied = malloc(n + 1);
        assert_non_null(varied);
        size = golden_vary(op, value, k, base, n, varied);
        varied = realloc(varied, size == 0 ? 1 : size);        /* so that a step behind it is noticed */
        assert_non_null(varied);
        status = read_bytes(varied, size, &array, NULL, &error);
        if (verdicts[k] != '?' && (status == PYTREE_OK) != (verdicts[k] == '1')) {
            fail_msg("%s %d at %lu: got %s, '%s'", op, value, (unsigned long)k, pytree_status_name(status), error.message);
        }
        pytree_npy_free(&array);
        free(varied);
        ++*positions;
    }
    free(base);
}

static void golden_sweeps(void **state)
{
    size_t positions = 0;
    (void)state;
    golden_each("sweeps.jsonl", check_sweep, &positions);
    assert_in_range(positions, 3000, 6000);
}

/* More than 2 GiB, in a sparse file: sizes and offsets beyond 31 bits. The whole of it only where time allows: its memory has
 * to be had, and filled. */
static void golden_large(void **state)
{
    static const char name[] = "npy/valid/data-2gib.recipe.json";
    char path[GOLDEN_PATH], words[80];
    unsigned char end[16], at_once[16];
    pytree_leaf array;
    pytree_error error = { 0 };
    pytree__file file;
    Heap heap;
    pytree_checkpoint_options opt;
    uint64_t length;
    (void)state;
    scratch_path(path, "large.npy");
    length = golden_recipe(name, path);
    assert_int_equal(pytree__file_open(&file, path, NULL, &error), PYTREE_OK);
    assert_true(file.size == length);
    assert_ok(pytree__file_read(&file, length - sizeof end, end, sizeof end), &error);
    assert_ok(pytree__file_check(&file, length - sizeof end, sizeof end, at_once, sizeof at_once), &error);
    pytree__file_close(&file);
    heap_init(&heap, 0);
    opt = options_with(NULL, &heap.allocator);
    assert_error(pytree_read_npy(path, &array, &opt, &error), PYTREE_NO_MEMORY, "", &error);
    snprintf(words, sizeof words, "expected %llu bytes", (unsigned long long)(length - 128 + 64 + sizeof(pytree__npy_owner)));
    assert_non_null(strstr(error.message, words));
#if defined(__OPTIMIZE__)
    memset(&error, 0, sizeof error);
    assert_ok(pytree_read_npy(path, &array, NULL, &error), &error);
    assert_int_equal(array.ndim, 1);
    assert_true(array.shape[0] == length - 128);
    assert_memory_equal((char *)array.data + (array.shape[0] - sizeof end), end, sizeof end);
    pytree_npy_free(&array);
#endif
    assert_int_equal(remove(path), 0);
}

/* ---- Allocations --------------------------------------------------------------------------------------------------- */

typedef struct Bytes {
    const unsigned char *bytes;
    size_t size;
} Bytes;

static pytree_status read_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *file = context;
    pytree_leaf array;
    pytree_status status = read_bytes(file->bytes, file->size, &array, opt->allocator, err);
    assert_true((array.data == NULL) == (status != PYTREE_OK));
    pytree_npy_free(&array);
    return status;
}

/* Into a leaf of the same shape, which must not change if it fails. */
static pytree_status load_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *file = context;
    pytree_leaf array, target;
    unsigned char *before;
    size_t size;
    pytree_status status;
    assert_int_equal(read_bytes(file->bytes, file->size, &array, NULL, NULL), PYTREE_OK);
    size = pytree_leaf_bytes(&array);
    target = array;
    target.data = malloc(size + 1);
    before = malloc(size + 1);
    assert_non_null(target.data);
    assert_non_null(before);
    memset(target.data, 1, size + 1);
    memset(before, 1, size + 1);
    status = load_bytes(file->bytes, file->size, PYTREE(&target), false, opt->allocator, err);
    assert_memory_equal(target.data, status == PYTREE_OK ? array.data : before, size);
    assert_int_equal(((unsigned char *)target.data)[size], 1);
    pytree_npy_free(&array);
    free(target.data);
    free(before);
    return status;
}

static pytree_status save_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *file = context;
    pytree_leaf array;
    pytree_memory saved = { 0 };
    pytree_status status;
    assert_int_equal(read_bytes(file->bytes, file->size, &array, NULL, NULL), PYTREE_OK);
    status = save_bytes(PYTREE(&array), &saved, opt->allocator, err);
    assert_true((saved.bytes == NULL) == (status != PYTREE_OK));
    pytree_memory_free(&saved);
    pytree_npy_free(&array);
    return status;
}

static void sweep_golden(void *context, const cJSON *line)
{
    size_t *files = context;
    Bytes file;
    unsigned char *bytes;
    if (strcmp(golden_text(line, "format"), "npy") != 0 || !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "valid"))
        || cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "recipe"))) { return; }
    bytes = golden_read(golden_text(line, "name"), &file.size);
    file.bytes = bytes;
    assert_int_equal(sweep_allocations(read_body, &file), 1);
    assert_in_range(sweep_allocations(load_body, &file), 0, 1);
    assert_in_range(sweep_allocations(save_body, &file), 2, 3);
    ++*files;
    free(bytes);
}

static void golden_allocations(void **state)
{
    size_t files = 0;
    (void)state;
    golden_each("manifest.jsonl", sweep_golden, &files);
    assert_int_equal(files, 53);
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

/* Column-major, big-endian, larger than the pieces in which it is read. */
static void columns_of_many_pieces(void **state)
{
    enum { ROWS = 70, COLUMNS = 30, N = ROWS * COLUMNS };
    static unsigned char file[N * 8 + 200], data[N * 8];
    static double target[ROWS][COLUMNS];
    pytree_error error = { 0 };
    size_t size, i, j, k;
    (void)state;
    for (j = 0; j < COLUMNS; j++) {
        for (i = 0; i < ROWS; i++) {
            double value = (double)(1000 * i + j);
            uint64_t bits;
            memcpy(&bits, &value, 8);
            for (k = 0; k < 8; k++) { data[8 * (j * ROWS + i) + k] = (unsigned char)(bits >> (56 - 8 * k)); }
        }
    }
    size = make_npy(file, "{'descr': '>f8', 'fortran_order': True, 'shape': (70, 30), }\n", data, sizeof data);
    assert_ok(load_bytes(file, size, PYTREE_ARRAY(&target[0][0], ROWS, COLUMNS), false, NULL, &error), &error);
    for (i = 0; i < ROWS; i++) {
        for (j = 0; j < COLUMNS; j++) { assert_true(target[i][j] == (double)(1000 * i + j)); }
    }
}

/* Every element type there and back. */
static void every_type(void **state)
{
    static const int types[] = {
        PYTREE__T_bool_, PYTREE__T_char_, PYTREE__T_schar, PYTREE__T_uchar, PYTREE__T_short_, PYTREE__T_ushort, PYTREE__T_int_,
        PYTREE__T_uint, PYTREE__T_long_, PYTREE__T_ulong, PYTREE__T_llong, PYTREE__T_ullong, PYTREE__T_float_,
        PYTREE__T_double_, PYTREE__T_f16, PYTREE__T_cfloat, PYTREE__T_cdouble
    };
    static const int without[] = { PYTREE__T_bf16, PYTREE__T_ldouble, PYTREE__T_cldouble, PYTREE__T_string };
    max_align_t memory[20], back[20];
    pytree_leaf leaf, target;
    pytree_memory file = { 0 };
    pytree_error error = { 0 };
    size_t i, k;
    (void)state;
    memset(&leaf, 0, sizeof leaf);
    leaf.data = memory;
    leaf.ndim = 2;
    leaf.shape[0] = 2;
    leaf.shape[1] = 3;
    for (i = 0; i < COUNT_OF(types); i++) {
        leaf.type = &pytree_types[types[i]];
        for (k = 0; k < sizeof memory; k++) { ((unsigned char *)memory)[k] = (unsigned char)(i == 0 ? k % 2 : 7 * k + i); }
        memset(back, 0, sizeof back);
        assert_ok(save_bytes(PYTREE(&leaf), &file, NULL, &error), &error);
        target = leaf;
        target.data = back;
        assert_ok(load_bytes(file.bytes, file.size, PYTREE(&target), false, NULL, &error), &error);
        assert_memory_equal(back, memory, 6 * leaf.type->size);
        pytree_memory_free(&file);
    }
    for (i = 0; i < COUNT_OF(without); i++) {
        memset(memory, 0, sizeof memory);
        leaf.type = &pytree_types[without[i]];
        memset(&error, 0, sizeof error);
        assert_error(save_bytes(PYTREE(&leaf), &file, NULL, &error), PYTREE_TYPE, "", &error);
        assert_null(file.bytes);
    }
}

/* The text of numpy's header, with the room for the first dimension to grow, up to where the padding turns over. */
static void headers_as_numpy_writes_them(void **state)
{
    static const struct { size_t shape[PYTREE_MAX_DIMS]; int ndim; size_t bytes; const char *text; } cases[] = {
        { { 0 }, 0, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (), }" },
        { { 3 }, 1, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }" },
        { { 2, 3 }, 2, 128, "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" },
        { { 0, 100000, 100000, 100000, 100000, 100000 }, 6, 128,
          "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 100000, 100000, 100000, 100000, 100000), }" },
        { { 0, 100000, 100000, 100000, 100000, 1000000 }, 6, 192,
          "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 100000, 100000, 100000, 100000, 1000000), }" },
        { { 0, 1000000, 1000000, 1000000, 1000000, 1000 }, 6, 192,
          "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1000000, 1000000, 1000000, 1000000, 1000), }" }
    };
    static float data[6];
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_memory file = { 0 };
        pytree_error error = { 0 };
        pytree_leaf leaf;
        const char *bytes;
        size_t n = strlen(cases[i].text), k;
        memset(&leaf, 0, sizeof leaf);
        leaf.data = data;
        leaf.type = PYTREE_TYPE(float);
        leaf.ndim = cases[i].ndim;
        memcpy(leaf.shape, cases[i].shape, sizeof leaf.shape);
        assert_ok(save_bytes(PYTREE(&leaf), &file, NULL, &error), &error);
        bytes = file.bytes;
        assert_int_equal(file.size, cases[i].bytes + pytree_leaf_bytes(&leaf));
        assert_memory_equal(bytes, "\x93NUMPY\x01", 8);
        assert_int_equal((unsigned char)bytes[8] + 256 * (unsigned char)bytes[9], cases[i].bytes - 10);
        assert_memory_equal(bytes + 10, cases[i].text, n);
        for (k = 10 + n; k < cases[i].bytes - 1; k++) { assert_int_equal(bytes[k], ' '); }
        assert_int_equal(bytes[k], '\n');
        pytree_memory_free(&file);
    }
}

static void shapes_and_types_that_do_not_fit(void **state)
{
    static const struct { const char *header; pytree_status status; const char *words; } cases[] = {
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", PYTREE_SHAPE, "expected f32[2,3], got f32[3,2]" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (6,), }", PYTREE_SHAPE, "expected f32[2,3], got f32[6]" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 1), }", PYTREE_SHAPE, "got f32[2,3,1]" },
        { "{'descr': '<i4', 'fortran_order': False, 'shape': (2, 3), }", PYTREE_TYPE, "expected f32[2,3], got i32[2,3]" },
        { "{'descr': '<f2', 'fortran_order': False, 'shape': (3, 4), }", PYTREE_TYPE, "got f16[3,4]" },
        { "{'descr': '|O', 'fortran_order': False, 'shape': (2, 3), }", PYTREE_TYPE, "got '|O' in 'bytes'" },
        { "{'descr': '<f\x1B[2J\xFF', 'fortran_order': False, 'shape': (2, 3), }", PYTREE_TYPE, "got '<f?[2J?' in 'bytes'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 4), }", PYTREE_SYNTAX, "exactly 32 bytes of data, got 24" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3) x}", PYTREE_SYNTAX, "got 'x' in 'bytes'" },
        { "{'descr': '<f4', 'shape': (2, 3)}", PYTREE_SYNTAX, "the keys 'descr', 'fortran_order', 'shape'" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775808,)}", PYTREE_OVERFLOW, "one of 19 digits" },
        { "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 2)}", PYTREE_OVERFLOW, "63 bits" },
        { "{'descr': '|b1', 'fortran_order': False, 'shape': (24,)}", PYTREE_TYPE, "got bool[24]" },
        { "{'descr': '|u1', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,24)}", PYTREE_SHAPE, "at most 8 dimensions" }
    };
    float data[6] = { 1, 2, 3, 4, 5, 6 }, target[2][3], before[2][3] = { { 9, 8, 7 }, { 6, 5, 4 } };
    unsigned char file[300];
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        size_t size = make_npy(file, cases[i].header, data, sizeof data);
        memcpy(target, before, sizeof target);
        assert_error(load_bytes(file, size, PYTREE_ARRAY(&target[0][0], 2, 3), false, NULL, &error), cases[i].status, "",
                     &error);
        if (strstr(error.message, cases[i].words) == NULL) { fail_msg("'%s' lacks '%s'", error.message, cases[i].words); }
        assert_memory_equal(target, before, sizeof target);
        assert_int_equal(load_bytes(file, size, PYTREE_ARRAY(&target[0][0], 2, 3), false, NULL, NULL), cases[i].status);
    }
}

/* A bool that is neither 0 nor 1 never reaches a _Bool, and what was read before it does not either. */
static void bools(void **state)
{
    static const char header[] = "{'descr': '|b1', 'fortran_order': False, 'shape': (4,), }";
    bool target[4] = { true, true, true, true };
    unsigned char file[100];
    pytree_error error = { 0 };
    size_t size = make_npy(file, header, "\0\1\0\2", 4);
    (void)state;
    assert_error(load_bytes(file, size, PYTREE_ARRAY(target, 4), false, NULL, &error), PYTREE_VALUE, "", &error);
    assert_non_null(strstr(error.message, "got 2"));
    assert_true(target[0] && target[1] && target[2] && target[3]);
    file[size - 1] = 1;
    memset(&error, 0, sizeof error);
    assert_ok(load_bytes(file, size, PYTREE_ARRAY(target, 4), false, NULL, &error), &error);
    assert_true(!target[0] && target[1] && !target[2] && target[3]);
}

static void conversion(void **state)
{
    const double data[3] = { 1.0 / 3.0, -65520.0, 1e300 };
    float single[3] = { 0, 0, 0 };
    pytree_f16 half[3] = { { 0 }, { 0 }, { 0 } };
    int32_t integer[3] = { 1, 2, 3 };
    unsigned char file[200];
    pytree_error error = { 0 };
    size_t size = make_npy(file, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", data, sizeof data);
    (void)state;
    assert_error(load_bytes(file, size, PYTREE_ARRAY(single, 3), false, NULL, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_ok(load_bytes(file, size, PYTREE_ARRAY(single, 3), true, NULL, &error), &error);
    assert_true(single[0] == (float)(1.0 / 3.0) && single[1] == -65520.0f && single[2] > 1e38f);
    assert_ok(load_bytes(file, size, PYTREE_ARRAY(half, 3), true, NULL, &error), &error);
    assert_int_equal(half[0].bits, 0x3555);
    assert_int_equal(half[1].bits, 0xFC00);
    assert_int_equal(half[2].bits, 0x7C00);
    assert_error(load_bytes(file, size, PYTREE_ARRAY(integer, 3), true, NULL, &error), PYTREE_TYPE, "", &error);
    assert_int_equal(integer[2], 3);
}

static void trees_of_one_leaf_alone(void **state)
{
    float x = 1.5f, y = 2.5f;
    const float constant = 7.5f;
    char *text = "text";
    pytree_leaf missing;
    pytree_memory file = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(save_bytes(PYTREE(&constant), &file, NULL, &error), &error);
    assert_int_equal(file.size, 132);
    assert_ok(load_bytes(file.bytes, file.size, PYTREE_LIST(PYTREE_TUPLE(PYTREE(&x))), false, NULL, &error), &error);
    assert_true(x == 7.5f);
    assert_error(load_bytes(file.bytes, file.size, PYTREE_LIST(PYTREE(&x), PYTREE(&y)), false, NULL, &error),
                 PYTREE_TOO_MANY_LEAVES, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(load_bytes(file.bytes, file.size, PYTREE_LIST(), false, NULL, &error), PYTREE_TOO_FEW_LEAVES, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(load_bytes(file.bytes, file.size, PYTREE(&text), false, NULL, &error), PYTREE_TYPE, NULL, &error);
    memset(&missing, 0, sizeof missing);
    missing.type = PYTREE_TYPE(float);
    memset(&error, 0, sizeof error);
    assert_error(load_bytes(file.bytes, file.size, PYTREE(&missing), false, NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
    pytree_memory_free(&file);
    memset(&error, 0, sizeof error);
    assert_error(pytree_save_npy(NULL, PYTREE(&x), NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_load_npy(NULL, PYTREE(&x), NULL, &error), PYTREE_NULL_POINTER, NULL, &error);
    memset(&missing, 0, sizeof missing);
    pytree_npy_free(&missing);
}

/* None as a leaf is no array either. */
static void none_is_no_array(void **state)
{
    pytree_checkpoint_options opt;
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_error error = { 0 };
    (void)state;
    opt = options_with(&io, NULL);
    opt.tree.none_is_leaf = true;
    assert_error(pytree_save_npy("bytes", PYTREE_NONE, &opt, &error), PYTREE_TYPE, "", &error);
    assert_non_null(strstr(error.message, "got None"));
}

static void alignment_of_what_is_read(void **state)
{
    size_t alignment;
    const float x[2] = { 1, 2 };
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_error error = { 0 };
    pytree_leaf array;
    pytree_checkpoint_options opt = options_with(&io, NULL);
    (void)state;
    assert_ok(pytree_save_npy("bytes", PYTREE_ARRAY(x, 2), &opt, &error), &error);
    for (alignment = 1; alignment <= 4096; alignment *= 2) {
        opt.tree.alignment = alignment;
        assert_ok(pytree_read_npy("bytes", &array, &opt, &error), &error);
        assert_int_equal((uintptr_t)array.data % alignment, 0);
        assert_int_equal((uintptr_t)array.data % sizeof(float), 0);
        assert_memory_equal(array.data, x, sizeof x);
        pytree_npy_free(&array);
    }
    opt.tree.alignment = 48;
    assert_error(pytree_read_npy("bytes", &array, &opt, &error), PYTREE_ARGUMENT, NULL, &error);
    assert_null(array.data);
    pytree_memory_free(&file);
}

/* ---- Files --------------------------------------------------------------------------------------------------------- */

enum { ELEMENTS = 3000 };

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
        assert_ok(pytree_save_npy(path, PYTREE_ARRAY(saved, 30, 100), &opt, &error), &error);
        assert_ok(save_bytes(PYTREE_ARRAY(saved, 30, 100), &expected, NULL, &error), &error);
        assert_file(path, expected.bytes, expected.size);
        assert_ok(pytree_load_npy(path, PYTREE_ARRAY(loaded, 30, 100), &opt, &error), &error);
        assert_memory_equal(loaded, saved, sizeof saved);
        pytree_memory_free(&expected);
    }
    assert_int_equal(remove(path), 0);
}

/* What the reader makes of files that are none. */
static void open_what_is_no_file(void **state)
{
    char path[GOLDEN_PATH], shorter[GOLDEN_PATH + 8];
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
    char path[GOLDEN_PATH], inside[GOLDEN_PATH + 8], beside[GOLDEN_PATH + 8];
    float x = 1;
    size_t i;
    (void)state;
    scratch_path(path, "folder");
    snprintf(inside, sizeof inside, "%s/file", path);
    snprintf(beside, sizeof beside, "%s.tmp0", path);
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

/* A second saver at work, or one that was killed, has the first name: the next one is taken, its file left alone. */
static void name_beside_is_taken(void **state)
{
    const pytree_io *const tables[] = { &pytree_io_system, &pytree_io_stdio };
    char path[GOLDEN_PATH], beside[GOLDEN_PATH + 8];
    float x = 1, y = 0;
    size_t i;
    (void)state;
    scratch_path(path, "taken.npy");
    snprintf(beside, sizeof beside, "%s.tmp0", path);
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

/* map, unmap and check of the tables that have them; and check by reading, for those that do not. */
static void maps_and_checks(void **state)
{
    static const char text[] = "a file that is looked at";
    char path[GOLDEN_PATH], scratch[5];
    pytree_memory memory = { 0 };
    pytree_io tables[3];
    size_t i;
    (void)state;
    scratch_path(path, "mapped");
    write_whole(path, text, sizeof text);
    memory.bytes = text;
    memory.size = sizeof text;
    tables[0] = pytree_io_system;
    tables[1] = pytree_memory_io(&memory);
    tables[2] = pytree_io_stdio;
    for (i = 0; i < COUNT_OF(tables); i++) {
        pytree_error error = { 0 };
        pytree__file file;
        assert_ok(pytree__file_open(&file, path, &tables[i], &error), &error);
        assert_true(file.size == sizeof text);
        if (tables[i].map != NULL) {
            const void *bytes = NULL;
            assert_int_equal(tables[i].map(tables[i].context, file.handle, file.size, &bytes), 0);
            assert_memory_equal(bytes, text, sizeof text);
            tables[i].unmap(tables[i].context, bytes, file.size);
        }
        assert_ok(pytree__file_check(&file, 0, sizeof text, scratch, sizeof scratch), &error);
        assert_ok(pytree__file_check(&file, 3, 0, scratch, sizeof scratch), &error);
        tables[i].check = NULL;
        assert_ok(pytree__file_check(&file, 7, sizeof text - 7, scratch, sizeof scratch), &error);
        assert_error(pytree__file_check(&file, 7, sizeof text, scratch, sizeof scratch), PYTREE_IO, "", &error);
        pytree__file_close(&file);
        pytree__file_close(&file);
    }
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

/* ---- Failing systems ----------------------------------------------------------------------------------------------- */

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
    char name[GOLDEN_PATH + 8];
    FILE *file;
    snprintf(name, sizeof name, "%s.tmp0", s->path);
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
        char name[GOLDEN_PATH + 8];
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
        snprintf(name, sizeof name, "%s.tmp0", s->path);
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
    assert_non_null(strstr(error.message, "the names beside it are taken"));
}

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
    pytree_memory_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_verdicts), cmocka_unit_test(golden_sweeps), cmocka_unit_test(golden_large),
        cmocka_unit_test(golden_allocations), cmocka_unit_test(columns_of_many_pieces), cmocka_unit_test(every_type),
        cmocka_unit_test(headers_as_numpy_writes_them), cmocka_unit_test(shapes_and_types_that_do_not_fit),
        cmocka_unit_test(bools), cmocka_unit_test(conversion), cmocka_unit_test(trees_of_one_leaf_alone),
        cmocka_unit_test(none_is_no_array), cmocka_unit_test(alignment_of_what_is_read), cmocka_unit_test(system_and_stdio),
        cmocka_unit_test(open_what_is_no_file), cmocka_unit_test(save_over_a_folder), cmocka_unit_test(name_beside_is_taken),
        cmocka_unit_test(maps_and_checks), cmocka_unit_test(larger_than_memory), cmocka_unit_test(read_little_at_a_time),
        cmocka_unit_test(read_fails), cmocka_unit_test(file_gets_shorter), cmocka_unit_test(write_little_at_a_time),
        cmocka_unit_test(save_fails), cmocka_unit_test(save_killed), cmocka_unit_test(names_are_taken),
        cmocka_unit_test(tables_of_others)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
