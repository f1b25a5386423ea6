/* Files are little-endian on every machine: what is in them byte by byte, and what comes back. */
#include "support.h"
#include "pytree/npy.h"
#include "pytree/safetensors.h"

/* The last n bytes of a file in memory. */
static const unsigned char *end_of(const pytree_memory *file, size_t n)
{
    assert_true(file->size > n);
    return (const unsigned char *)file->bytes + file->size - n;
}

static void numbers_in_safetensors(void **state)
{
    /* a, b, e, d, c: as the format has them, the widest first */
    static const unsigned char expected[] = { 0x08, 0x07, 0x06, 0x05, 0x04, 0x03, 0x02, 0x01, 0x00, 0x00, 0x80, 0x3F,
                                              0x00, 0x00, 0x00, 0xC0, 0x80, 0x3F, 0x00, 0x3C, 0x02, 0x01, 0x04, 0x03 };
    static const char *const names[] = { "a", "b", "c", "d", "e" };
    int64_t a = 0x0102030405060708, a2 = 0;
    float b[2] = { 1, -2 }, b2[2] = { 0 }, half = 0;
    short c[2] = { 0x0102, 0x0304 }, c2[2] = { 0 };
    pytree_f16 d = { 0x3C00 }, d2 = { 0 };
    pytree_bf16 e = { 0x3F80 }, e2 = { 0 };
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    pytree tree = PYTREE_DICT({ "a", PYTREE(&a) }, { "b", PYTREE_ARRAY(b, 2) }, { "c", PYTREE_ARRAY(c, 2) },
                              { "d", PYTREE(&d) }, { "e", PYTREE(&e) });
    pytree other = PYTREE_DICT({ "a", PYTREE(&a2) }, { "b", PYTREE_ARRAY(b2, 2) }, { "c", PYTREE_ARRAY(c2, 2) },
                               { "d", PYTREE(&d2) }, { "e", PYTREE(&e2) });
    pytree_safetensors *open;
    size_t i;
    (void)state;
    assert_ok(pytree_save_safetensors("f", tree, &opt, &error), &error);
    assert_memory_equal(end_of(&file, sizeof expected), expected, sizeof expected);
    assert_ok(pytree_load_safetensors("f", other, &opt, &error), &error);
    assert_true(pytree_equal(tree, other, NULL, NULL, &error));
    opt.convert = true;
    opt.ignore_unexpected = true;
    assert_ok(pytree_load_safetensors("f", PYTREE_DICT({ "d", PYTREE(&half) }), &opt, &error), &error);
    assert_true(half == 1.0f);
    opt.convert = opt.ignore_unexpected = false;
    open = pytree_safetensors_open("f", &opt, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < COUNT_OF(names); i++) { assert_non_null(pytree_safetensors_find(open, names[i])); }
    memset(c2, 0, sizeof c2);
    assert_ok(pytree_safetensors_read(open, pytree_safetensors_find(open, "c"), c2, sizeof c2, &error), &error);
    assert_memory_equal(c2, c, sizeof c);
    pytree_safetensors_close(open);
    pytree_memory_free(&file);
}

/* Large leaves are written and read piece by piece, others through a buffer. */
static void large_leaves(void **state)
{
    enum { N = 300000 };
    double *numbers = malloc(N * sizeof *numbers), *read = calloc(N, sizeof *read);
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_true(numbers != NULL && read != NULL);
    for (i = 0; i < N; i++) { numbers[i] = 0.5 + (double)i; }
    assert_ok(pytree_save_safetensors("f", PYTREE_DICT({ "x", PYTREE_ARRAY(numbers, N) }), &opt, &error), &error);
    for (i = 0; i < N; i += 1000) {       /* 0.5 is 3F E0 …; the last byte has the sign */
        uint64_t bits, got = 0;
        int k;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (k = 7; k >= 0; k--) { got = got << 8 | end_of(&file, (N - i) * 8)[k]; }
        assert_true(bits == got);
    }
    assert_ok(pytree_load_safetensors("f", PYTREE_DICT({ "x", PYTREE_ARRAY(read, N) }), &opt, &error), &error);
    assert_memory_equal(read, numbers, N * sizeof *numbers);
    pytree_memory_free(&file);
    free(numbers);
    free(read);
}

/* Mapped numbers would have to be those of the machine. */
static void maps_are_for_little_endian_machines(void **state)
{
    float x[2] = { 1, 2 }, y[2] = { 3, 4 };
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    Linear layer = { 1, 2, x, y }, mapped = { 1, 2, NULL, NULL };
    pytree_safetensors *open;
    (void)state;
    assert_ok(pytree_save_safetensors("f", PYTREE(&layer), &opt, &error), &error);
    open = pytree_mmap_safetensors("f", PYTREE(&mapped), &opt, &error);
    if (little_endian()) {
        assert_ok(error.status, &error);
        assert_true(mapped.w[1] == 2.0f);
        pytree_safetensors_close(open);
    } else {
        assert_null(open);
        assert_error(error.status, PYTREE_ARGUMENT, "", &error);
        assert_non_null(strstr(error.message, "big-endian"));
        assert_null(mapped.w);
    }
    pytree_memory_free(&file);
}

static void numbers_in_npy(void **state)
{
    static const unsigned char little[] = { 0x02, 0x01, 0x04, 0x03 };
    short numbers[2] = { 0x0102, 0x0304 }, read[2] = { 0 };
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_save_npy("f", PYTREE_ARRAY(numbers, 2), &opt, &error), &error);
    assert_memory_equal(end_of(&file, sizeof little), little, sizeof little);
    assert_ok(pytree_load_npy("f", PYTREE_ARRAY(read, 2), &opt, &error), &error);
    assert_memory_equal(read, numbers, sizeof numbers);
    pytree_memory_free(&file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_in_safetensors),
        cmocka_unit_test(large_leaves),
        cmocka_unit_test(maps_are_for_little_endian_machines),
        cmocka_unit_test(numbers_in_npy)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
