/* Archives of arrays: pytree/npz.h against golden files and broken ones. golden_files/README.md has the rules. */
#include "npz_shared.h"

/* ---- Golden files ------------------------------------------------------------------------------------------------------ */

typedef struct Golden {
    size_t valid, invalid, either, again;
} Golden;

static void assert_arrays(pytree arrays, const cJSON *expected)
{
    const cJSON *one, *extent;
    assert_int_equal(((const pytree_items *)arrays.data)->count, cJSON_GetArraySize(expected));
    cJSON_ArrayForEach(one, expected) {
        const pytree_leaf *array = array_of(arrays, golden_text(one, "name"));
        const cJSON *shape = cJSON_GetObjectItemCaseSensitive(one, "shape");
        const char *descr = golden_text(one, "descr");
        int d = 0;
        assert_non_null(array);
        assert_int_equal(array->ndim, cJSON_GetArraySize(shape));
        cJSON_ArrayForEach(extent, shape) { assert_true(array->shape[d++] == golden_number(extent)); }
        assert_int_equal(array->type->size, strtoul(descr + 2, NULL, 10));
        assert_int_equal(strchr("iufc", descr[1]) != NULL, 1);
        assert_int_equal((uintptr_t)array->data % 64, 0);
        assert_sha256(array->data, pytree_leaf_bytes(array), golden_text(one, "values_sha256"));
    }
}

static void check_golden(void *context, const cJSON *line)
{
    Golden *counts = context;
    const char *name = golden_text(line, "name");
    const cJSON *valid = cJSON_GetObjectItemCaseSensitive(line, "valid");
    unsigned char *bytes;
    size_t size;
    pytree arrays;
    pytree_error error = { 0 };
    pytree_status status;
    Heap heap;
    Archive place;
    if (strcmp(golden_text(line, "format"), "npz") != 0) { return; }
    bytes = golden_read(name, &size);
    assert_sha256(bytes, size, golden_text(line, "sha256"));
    heap_init(&heap, HEAP_NEVER_FAILS);
    archive_init(&place, bytes, size, &heap.allocator);
    status = pytree_read_npz("bytes", &arrays, &place.opt, &error);
    if (status != error.status || (status == PYTREE_OK ? cJSON_IsFalse(valid) : cJSON_IsTrue(valid))) {
        fail_msg("%s: got %s, '%s'", name, pytree_status_name(status), error.message);
    }
    counts->valid += (size_t)cJSON_IsTrue(valid);
    counts->invalid += (size_t)cJSON_IsFalse(valid);
    counts->either += (size_t)cJSON_IsString(valid);
    if (status == PYTREE_OK) {
        assert_arrays(arrays, cJSON_GetObjectItemCaseSensitive(line, "arrays"));
        if (strcmp(name, "npz/valid/stored.npz") == 0) {       /* numpy.savez made it */
            Archive again;
            archive_init(&again, NULL, 0, &heap.allocator);
            assert_ok(pytree_save_npz("bytes", arrays, &again.opt, &error), &error);
            assert_int_equal(again.file.size, size);
            assert_memory_equal(again.file.bytes, bytes, size);
            pytree_memory_free(&again.file);
            counts->again++;
        }
        pytree_npz_free(arrays);
    } else {
        size_t calls = heap.calls, n;
        assert_null(arrays.data);
        assert_non_null(strstr(error.message, "expected "));
        assert_non_null(strstr(error.message, "got "));
        for (n = 0; n < calls; n++) {     /* refused as well, for either reason */
            heap_init(&heap, n);
            assert_int_not_equal(pytree_read_npz("bytes", &arrays, &place.opt, NULL), PYTREE_OK);
            assert_heap_clean(&heap);
        }
    }
    assert_heap_clean(&heap);
    free(bytes);
}

static void golden_verdicts(void **state)
{
    Golden counts = { 0, 0, 0, 0 };
    (void)state;
    golden_each("manifest.jsonl", check_golden, &counts);
    assert_int_equal(counts.valid, 16);
    assert_int_equal(counts.invalid, 35);
    assert_int_equal(counts.either, 3);
    assert_int_equal(counts.again, 1);
}

/* A sweep's variants: under valgrind every seventh. Those that are accepted have the names and sizes of the base. */
static void check_sweep(void *context, const cJSON *line)
{
    size_t *positions = context, n, k;
    const char *verdicts = golden_text(line, "verdicts"), *op = golden_text(line, "op");
    const cJSON *arg = cJSON_GetObjectItemCaseSensitive(line, "arg");
    unsigned char value = (unsigned char)(cJSON_IsNumber(arg) ? arg->valueint : 0), *base, *varied;
    if (strcmp(golden_text(line, "format"), "npz") != 0) { return; }
    base = golden_unhex(golden_text(line, "base_hex"), &n);
    for (k = 0; verdicts[k] != '\0'; k++) {
        size_t size;
        pytree arrays;
        pytree_error error = { 0 };
        pytree_status status;
        Archive place;
        ++*positions;
        if (under_valgrind() && *positions % 7 != 0) { continue; }
        varied = malloc(n + 1);
        assert_non_null(varied);
        size = golden_vary(op, value, k, base, n, varied);
        varied = realloc(varied, size == 0 ? 1 : size);        /* so that a step behind it is noticed */
        assert_non_null(varied);
        archive_init(&place, varied, size, NULL);
        status = pytree_read_npz("bytes", &arrays, &place.opt, &error);
        if (verdicts[k] != '?' && (status == PYTREE_OK) != (verdicts[k] == '1')) {
            fail_msg("%s %d at %lu: got %s, '%s'", op, value, (unsigned long)k, pytree_status_name(status), error.message);
        }
        if (status == PYTREE_OK) { assert_int_equal(((const pytree_items *)arrays.data)->count, 2); }
        pytree_npz_free(arrays);
        free(varied);
    }
    free(base);
}

static void golden_sweeps(void **state)
{
    size_t positions = 0;
    (void)state;
    golden_each("sweeps.jsonl", check_sweep, &positions);
    assert_in_range(positions, 3000, 20000);
}

/* Each byte of each valid file changed: what is accepted all the same has the same arrays. */
static void change_golden(void *context, const cJSON *line)
{
    static const unsigned char changes[] = { 0x01, 0x40, 0xFF };
    size_t *accepted = context, size, i, k;
    const char *name = golden_text(line, "name");
    unsigned char *bytes;
    if (strcmp(golden_text(line, "format"), "npz") != 0 || !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "valid"))) {
        return;
    }
    bytes = golden_read(name, &size);
    for (i = 0; i < size && size < 2000; i += under_valgrind() ? 11 : SANITIZED ? 3 : 1) {
        for (k = 0; k < COUNT_OF(changes); k++) {
            pytree arrays;
            Heap heap;
            Archive place;
            heap_init(&heap, HEAP_NEVER_FAILS);
            archive_init(&place, bytes, size, &heap.allocator);
            bytes[i] ^= changes[k];
            if (pytree_read_npz("bytes", &arrays, &place.opt, NULL) == PYTREE_OK) {
                ++*accepted;
                if (strstr(name, "unicode") == NULL) {         /* there the flag makes another name of it */
                    assert_arrays(arrays, cJSON_GetObjectItemCaseSensitive(line, "arrays"));
                }
                pytree_npz_free(arrays);
            }
            bytes[i] ^= changes[k];
            assert_heap_clean(&heap);
        }
    }
    free(bytes);
}

static void changed_bytes(void **state)
{
    size_t accepted = 0;
    (void)state;
    golden_each("manifest.jsonl", change_golden, &accepted);
    assert_in_range(accepted, 50, 2000);
}

/* ---- Allocations ------------------------------------------------------------------------------------------------------- */

typedef struct Bytes {
    const unsigned char *bytes;
    size_t size;
    int compress;
} Bytes;

static pytree_status read_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *file = context;
    Archive place;
    pytree arrays;
    pytree_status status;
    archive_init(&place, file->bytes, file->size, opt->allocator);
    status = pytree_read_npz("bytes", &arrays, &place.opt, err);
    assert_true((arrays.data == NULL) == (status != PYTREE_OK));
    pytree_npz_free(arrays);
    return status;
}

/* Into the arrays of the same file, all ones before. */
static pytree_status load_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *file = context;
    Archive place;
    pytree arrays, target;
    const pytree_items *items;
    pytree_status status;
    size_t i, k;
    archive_init(&place, file->bytes, file->size, NULL);
    assert_int_equal(pytree_read_npz("bytes", &arrays, &place.opt, NULL), PYTREE_OK);
    assert_int_equal(pytree_read_npz("bytes", &target, &place.opt, NULL), PYTREE_OK);
    items = target.data;
    for (i = 0; i < items->count; i++) {
        const pytree_leaf *leaf = items->pairs[i].value.data;
        memset(leaf->data, 1, pytree_leaf_bytes(leaf));
    }
    place.opt.tree.allocator = opt->allocator;
    status = pytree_load_npz("bytes", target, &place.opt, err);
    for (i = 0; i < items->count; i++) {
        const pytree_leaf *leaf = items->pairs[i].value.data, *read = array_of(arrays, items->pairs[i].key);
        const unsigned char *got = leaf->data, *wanted = read->data;
        for (k = 0; k < pytree_leaf_bytes(leaf); k++) { assert_int_equal(got[k], status == PYTREE_OK ? wanted[k] : 1); }
    }
    pytree_npz_free(arrays);
    pytree_npz_free(target);
    return status;
}

static pytree_status save_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const Bytes *file = context;
    Archive place, saved;
    pytree arrays;
    pytree_status status;
    archive_init(&place, file->bytes, file->size, NULL);
    assert_int_equal(pytree_read_npz("bytes", &arrays, &place.opt, NULL), PYTREE_OK);
    archive_init(&saved, NULL, 0, opt->allocator);
    saved.opt.compress = file->compress;
    status = pytree_save_npz("bytes", arrays, &saved.opt, err);
    assert_true((saved.file.bytes == NULL) == (status != PYTREE_OK));
    pytree_memory_free(&saved.file);
    pytree_npz_free(arrays);
    return status;
}

static void sweep_golden(void *context, const cJSON *line)
{
    size_t *files = context;
    Bytes file;
    unsigned char *bytes;
    if (strcmp(golden_text(line, "format"), "npz") != 0 || !cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(line, "valid"))) {
        return;
    }
    bytes = golden_read(golden_text(line, "name"), &file.size);
    file.bytes = bytes;
    ++*files;
    if (!under_valgrind() || file.size < 5000) {
        assert_in_range(sweep_allocations(read_body, &file), 2, 300);
        assert_in_range(sweep_allocations(load_body, &file), 2, 300);
        for (file.compress = 0; file.compress <= 9; file.compress += 9) {
            assert_in_range(sweep_allocations(save_body, &file), 2, 100);
        }
    }
    free(bytes);
}

static void golden_allocations(void **state)
{
    size_t files = 0;
    (void)state;
    golden_each("manifest.jsonl", sweep_golden, &files);
    assert_int_equal(files, 16);
}

/* ---- Archives ---------------------------------------------------------------------------------------------------------- */

/* Every place where a text stands in the file, replaced by another of the same length. */
static size_t replace(unsigned char *bytes, size_t n, const char *from, const char *to)
{
    size_t length = strlen(from), i, found = 0;
    for (i = 0; i + length <= n; i++) {
        if (memcmp(bytes + i, from, length) == 0) {
            memcpy(bytes + i, to, length);
            found++;
        }
    }
    return found;
}

/* Names without the UTF-8 flag are code page 437, and are compared for what they are. */
static void code_page_437(void **state)
{
    float x = 1, y = 2;
    Archive place, other;
    pytree arrays, four = PYTREE_DICT({ "AAAA", PYTREE(&x) }, { "\xC3\xA9", PYTREE(&y) });
    pytree one = PYTREE_DICT({ "A", PYTREE(&x) }, { "\xC3\xA9", PYTREE(&y) });
    pytree_error error = { 0 };
    unsigned char *bytes;
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_ok(pytree_save_npz("bytes", four, &place.opt, &error), &error);
    bytes = malloc(place.file.size);
    assert_non_null(bytes);
    memcpy(bytes, place.file.bytes, place.file.size);
    assert_int_equal(replace(bytes, place.file.size, "AAAA.npy", "\x82\xE0\xDBz.npy"), 2);
    archive_init(&other, bytes, place.file.size, NULL);
    assert_ok(pytree_read_npz("bytes", &arrays, &other.opt, &error), &error);
    assert_non_null(array_of(arrays, "\xC3\xA9\xCE\xB1\xE2\x96\x88z"));
    assert_non_null(array_of(arrays, "\xC3\xA9"));
    pytree_npz_free(arrays);
    pytree_memory_free(&place.file);
    free(bytes);

    archive_init(&place, NULL, 0, NULL);    /* e with an accent, once in each way: the same name twice */
    assert_ok(pytree_save_npz("bytes", one, &place.opt, &error), &error);
    bytes = malloc(place.file.size);
    assert_non_null(bytes);
    memcpy(bytes, place.file.bytes, place.file.size);
    assert_int_equal(replace(bytes, place.file.size, "A.npy", "\x82.npy"), 2);
    archive_init(&other, bytes, place.file.size, NULL);
    assert_error(pytree_read_npz("bytes", &arrays, &other.opt, &error), PYTREE_SYNTAX, "", &error);
    assert_non_null(strstr(error.message, "each name once"));
    pytree_memory_free(&place.file);
    free(bytes);
}

/* A directory and members that agree on what can't be. */
static void sizes_that_can_not_be(void **state)
{
    enum { ENTRY_SIZE_AT = 24 };
    float x[4] = { 1, 2, 3, 4 };
    pytree saved = PYTREE_DICT({ "x", PYTREE_ARRAY(x, 4) });
    int level;
    (void)state;
    for (level = 0; level <= 1; level++) {
        Archive place, other;
        pytree arrays;
        pytree_error error = { 0 };
        unsigned char *bytes, *local;
        size_t i;
        Heap heap;
        archive_init(&place, NULL, 0, NULL);
        place.opt.compress = level;
        assert_ok(pytree_save_npz("bytes", saved, &place.opt, &error), &error);
        bytes = malloc(place.file.size);
        assert_non_null(bytes);
        memcpy(bytes, place.file.bytes, place.file.size);
        local = bytes + 30 + 5;           /* behind header and name: the zip64 field of a stored member */
        for (i = 0; memcmp(bytes + i, "PK\1\2", 4) != 0; i++) { }
        bytes[i + ENTRY_SIZE_AT + 2] = 0x77;                   /* 7 MB */
        if (level == 0) { local[4 + 2] = 0x77; }
        heap_init(&heap, HEAP_NEVER_FAILS);
        archive_init(&other, bytes, place.file.size, &heap.allocator);
        assert_error(pytree_read_npz("bytes", &arrays, &other.opt, &error), PYTREE_SYNTAX, "", &error);
        assert_heap_clean(&heap);
        if (level == 0) { assert_non_null(strstr(error.message, "a size that so many bytes can have")); }
        pytree_memory_free(&place.file);
        free(bytes);
    }
}

/* What a file says comes into a message without its control characters. */
static void names_in_messages(void **state)
{
    float x = 1;
    pytree saved = PYTREE_DICT({ "a\x1B[2J", PYTREE(&x) });
    Archive place, other;
    pytree arrays;
    pytree_error error = { 0 };
    unsigned char *bytes;
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_ok(pytree_save_npz("bytes", saved, &place.opt, &error), &error);
    bytes = malloc(place.file.size);
    assert_non_null(bytes);
    memcpy(bytes, place.file.bytes, place.file.size);
    bytes[30 + 9 + 20 + 128] ^= 1;        /* behind header, name, extra field and the array's header: its data */
    archive_init(&other, bytes, place.file.size, NULL);
    assert_error(pytree_read_npz("bytes", &arrays, &other.opt, &error), PYTREE_SYNTAX, "", &error);
    assert_non_null(strstr(error.message, "expected the checksum"));
    assert_non_null(strstr(error.message, "in 'a?[2J'"));
    pytree_memory_free(&place.file);
    free(bytes);
}

/* The end record counts one member of two; sizes that should stand behind the data do not. */
static void records_that_disagree(void **state)
{
    float x = 1, y = 2;
    pytree both = PYTREE_DICT({ "x", PYTREE(&x) }, { "y", PYTREE(&y) }), one = PYTREE_DICT({ "x", PYTREE(&x) });
    int level;
    (void)state;
    for (level = 0; level <= 1; level++) {
        Archive place, other;
        pytree arrays;
        pytree_error error = { 0 };
        unsigned char *bytes;
        size_t size, i;
        archive_init(&place, NULL, 0, NULL);
        place.opt.compress = level;
        assert_ok(pytree_save_npz("bytes", level == 0 ? both : one, &place.opt, &error), &error);
        size = place.file.size;
        bytes = malloc(size);
        assert_non_null(bytes);
        memcpy(bytes, place.file.bytes, size);
        if (level == 0) {
            bytes[size - 14] = bytes[size - 12] = 1;
        } else {
            for (i = 0; memcmp(bytes + i, "PK\1\2", 4) != 0; i++) { }
            memmove(bytes + i - 16, bytes + i, size - i);      /* the 16 bytes of the descriptor */
            size -= 16;
            bytes[size - 6] = (unsigned char)(i - 16);
        }
        archive_init(&other, bytes, size, NULL);
        assert_error(pytree_read_npz("bytes", &arrays, &other.opt, &error), PYTREE_SYNTAX, "", &error);
        assert_non_null(strstr(error.message, level == 0 ? "got more" : "a gap or an overlap"));
        pytree_memory_free(&place.file);
        free(bytes);
    }
}

static void alignment_of_what_is_read(void **state)
{
    const float x[2] = { 1, 2 };
    const char c[3] = { 3, 4, 5 };
    size_t alignment;
    Archive place;
    pytree arrays, saved = PYTREE_DICT({ "c", PYTREE_ARRAY(c, 3) }, { "x", PYTREE_ARRAY(x, 2) });
    pytree_error error = { 0 };
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_ok(pytree_save_npz("bytes", saved, &place.opt, &error), &error);
    for (alignment = 1; alignment <= 4096; alignment *= 2) {
        place.opt.tree.alignment = alignment;
        assert_ok(pytree_read_npz("bytes", &arrays, &place.opt, &error), &error);
        assert_int_equal((uintptr_t)array_of(arrays, "c")->data % alignment, 0);
        assert_int_equal((uintptr_t)array_of(arrays, "x")->data % alignment, 0);
        assert_int_equal((uintptr_t)array_of(arrays, "x")->data % sizeof(float), 0);
        assert_memory_equal(array_of(arrays, "x")->data, x, sizeof x);
        pytree_npz_free(arrays);
    }
    place.opt.tree.alignment = 48;
    assert_error(pytree_read_npz("bytes", &arrays, &place.opt, &error), PYTREE_ARGUMENT, NULL, &error);
    assert_null(arrays.data);
    pytree_memory_free(&place.file);
}

/* More members than the old end record can count. */
static void many_members(void **state)
{
    const size_t n = under_valgrind() ? 100 : 65600;
    Dict saved, loaded;
    Archive place;
    pytree_error error = { 0 };
    pytree t = dict_begin(&saved, n), other = dict_begin(&loaded, n);
    (void)state;
    archive_init(&place, NULL, 0, NULL);
    assert_ok(pytree_save_npz("bytes", t, &place.opt, &error), &error);
    memset(loaded.numbers, 0, n * sizeof *loaded.numbers);
    assert_ok(pytree_load_npz("bytes", other, &place.opt, &error), &error);
    assert_memory_equal(loaded.numbers, saved.numbers, n * sizeof *saved.numbers);
    pytree_memory_free(&place.file);
    dict_end(&saved);
    dict_end(&loaded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_verdicts), cmocka_unit_test(golden_sweeps), cmocka_unit_test(changed_bytes),
        cmocka_unit_test(golden_allocations), cmocka_unit_test(sizes_that_can_not_be),
        cmocka_unit_test(records_that_disagree), cmocka_unit_test(names_in_messages),
        cmocka_unit_test(alignment_of_what_is_read),
        cmocka_unit_test(code_page_437), cmocka_unit_test(many_members)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
