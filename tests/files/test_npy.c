/* Arrays in .npy files: pytree/npy.h against golden files, values of every type. golden_files/README.md has the rules. */
#include "npy_shared.h"

/* ---- What the tests say ------------------------------------------------------------------------------------------------ */

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

/* ---- Golden files ------------------------------------------------------------------------------------------------------ */

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

/* ---- Allocations ------------------------------------------------------------------------------------------------------- */

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

/* ---- Values ------------------------------------------------------------------------------------------------------------ */

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
        { "{'descr': '<f4 and much more, which is not a type of C', 'fortran_order': False, 'shape': (2, 3), }", PYTREE_TYPE,
          "such as |b1, <i4, >f8, got '<f4 and much more, which is not a type o' in 'bytes'" },
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
    single[0] = 4;
    size = make_npy(file, "{'descr': '<i4', 'fortran_order': False, 'shape': (3,), }", integer, sizeof integer);
    memset(&error, 0, sizeof error);
    assert_error(load_bytes(file, size, PYTREE_ARRAY(single, 3), true, NULL, &error), PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected f32[3], got i32[3] in 'bytes'");
    assert_true(single[0] == 4);
}

/* Calls without options have those that are all zero. */
static void no_options(void **state)
{
    const double saved[2] = { 1.5, 2.5 };
    double loaded[2] = { 0, 0 };
    float single[2] = { 3, 3 };
    char path[GOLDEN_PATH];
    pytree_leaf array;
    pytree_error error = { 0 };
    (void)state;
    scratch_path(path, "options.npy");
    assert_ok(pytree_save_npy(path, PYTREE_ARRAY(saved, 2), NULL, &error), &error);
    assert_ok(pytree_load_npy(path, PYTREE_ARRAY(loaded, 2), NULL, &error), &error);
    assert_true(loaded[0] == 1.5 && loaded[1] == 2.5);
    assert_ok(pytree_read_npy(path, &array, NULL, &error), &error);
    assert_int_equal((uintptr_t)array.data % 64, 0);
    assert_memory_equal(array.data, saved, sizeof saved);
    pytree_npy_free(&array);
    assert_error(pytree_load_npy(path, PYTREE_ARRAY(single, 2), NULL, &error), PYTREE_TYPE, "", &error);
    assert_true(single[0] == 3 && single[1] == 3);             /* not converted */
    assert_int_equal(remove(path), 0);
}

/* A header that counts its bytes in four of them: none is left out. */
static void length_of_a_header(void **state)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': False, 'shape': (), }";
    size_t i;
    (void)state;
    for (i = 0; i <= 4; i++) {
        unsigned char file[12 + sizeof text - 1 + 4] = "\x93NUMPY\2";
        float x = 7;
        pytree_error error = { 0 };
        pytree_status status;
        file[8] = sizeof text - 1;
        if (i != 0) { file[8 + i - 1] |= 0x80; }
        memcpy(file + 12, text, sizeof text - 1);
        status = load_bytes(file, sizeof file, PYTREE(&x), false, NULL, &error);
        if (i == 0) {
            assert_ok(status, &error);
            assert_true(x == 0);
        } else {
            assert_error(status, PYTREE_SYNTAX, "", &error);
            assert_string_equal(error.message,
                                "expected a header of at most 10000 bytes within 59, got a longer one in 'bytes'");
            assert_true(x == 7);
        }
    }
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

/* Headers of version 2 have four bytes of length, each of which may be lacking or unreadable; so may columns. */
static void versions_and_columns(void **state)
{
    static const char text[] = "{'descr': '<f4', 'fortran_order': True, 'shape': (2, 2), }";
    static const float numbers[4] = { 1, 2, 3, 4 };
    unsigned char made[200] = "\x93NUMPY\2";
    size_t n, at;
    (void)state;
    made[8] = sizeof text - 1;
    memcpy(made + 12, text, sizeof text - 1);
    memcpy(made + 12 + sizeof text - 1, numbers, sizeof numbers);
    for (n = 10; n <= 12 + sizeof text - 1 + sizeof numbers; n++) {
        const bool whole = n == 12 + sizeof text - 1 + sizeof numbers;
        for (at = 0; at < (whole ? 9 : 1); at++) {
            pytree_memory file = { .bytes = made, .size = n };
            pytree_io base = pytree_memory_io(&file), io;
            Faults faults = { .base = &base, .op = FAULT_READ, .at = whole && at < 4 ? at : SIZE_MAX, .code = EIO };
            float got[2][2] = { { 0 } };
            pytree_error error = { 0 };
            pytree_checkpoint_options opt;
            pytree_status status;
            io = faults_io(&faults);
            opt = options_with(&io, NULL);
            status = pytree_load_npy("f", PYTREE_ARRAY(&got[0][0], 2, 2), &opt, &error);
            if (!whole) {
                assert_error(status, PYTREE_SYNTAX, "", &error);
                if (n < 12) { assert_non_null(strstr(error.message, "expected the length of a header, got its half")); }
            } else if (at < 4) {
                assert_error(status, PYTREE_IO, "", &error);
            } else {
                assert_ok(status, &error);
                assert_true(got[0][0] == 1 && got[0][1] == 3 && got[1][0] == 2 && got[1][1] == 4);
            }
        }
    }
}

/* A number where the file has an array, and the other way round: both are named. */
static void numbers_and_arrays(void **state)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = options_with(&io, NULL);
    float one = 1, two[2] = { 1, 2 };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_save_npy("f", PYTREE_ARRAY(two, 2), &opt, &error), &error);
    assert_error(pytree_load_npy("f", PYTREE(&one), &opt, &error), PYTREE_SHAPE, "", &error);
    assert_non_null(strstr(error.message, "f32, got f32[2]"));
    memset(&error, 0, sizeof error);
    assert_ok(pytree_save_npy("f", PYTREE(&one), &opt, &error), &error);
    assert_error(pytree_load_npy("f", PYTREE_ARRAY(two, 2), &opt, &error), PYTREE_SHAPE, "", &error);
    assert_non_null(strstr(error.message, "f32[2], got f32"));
    pytree_memory_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_verdicts), cmocka_unit_test(golden_sweeps),
        cmocka_unit_test(golden_allocations), cmocka_unit_test(columns_of_many_pieces), cmocka_unit_test(every_type),
        cmocka_unit_test(headers_as_numpy_writes_them), cmocka_unit_test(shapes_and_types_that_do_not_fit),
        cmocka_unit_test(bools), cmocka_unit_test(conversion), cmocka_unit_test(no_options),
        cmocka_unit_test(length_of_a_header), cmocka_unit_test(trees_of_one_leaf_alone),
        cmocka_unit_test(none_is_no_array), cmocka_unit_test(alignment_of_what_is_read),
        cmocka_unit_test(versions_and_columns), cmocka_unit_test(numbers_and_arrays)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
