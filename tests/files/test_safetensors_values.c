/* Values in .safetensors files: conversions, booleans, shared memory, and the report. */
#include "safetensors_tree_shared.h"

/* ---- Conversion -------------------------------------------------------------------------------------------------------- */

/* Converts n values, as every load does whose file has another type (pytree/impl/checkpoint_match.h). */
void pytree__convert(pytree_dtype to_dtype, void *to, pytree_dtype from_dtype, const void *from, size_t n);

static uint16_t to_half(double v)
{
    pytree_f16 half;
    pytree__convert(PYTREE_F16, &half, PYTREE_F64, &v, 1);
    return half.bits;
}

static uint16_t to_brain(double v)
{
    pytree_bf16 brain;
    pytree__convert(PYTREE_BF16, &brain, PYTREE_F64, &v, 1);
    return brain.bits;
}

/* Every half and every bfloat16 by way of float and double, and each midpoint of two neighbours, and what lies beside it. */
static void rounding_to_nearest_even(void **state)
{
    unsigned bits;
    (void)state;
    for (bits = 0; bits < 0x10000; bits++) {
        uint16_t from = (uint16_t)bits, back;
        float single;
        double wide;
        bool nan = (bits & 0x7C00) == 0x7C00 && (bits & 0x3FF) != 0;
        pytree__convert(PYTREE_F32, &single, PYTREE_F16, &from, 1);
        pytree__convert(PYTREE_F16, &back, PYTREE_F32, &single, 1);
        assert_true(nan ? (isnan(single) && (back & 0x7E00) == 0x7E00) : back == from);
        nan = (bits & 0x7F80) == 0x7F80 && (bits & 0x7F) != 0;
        pytree__convert(PYTREE_F64, &wide, PYTREE_BF16, &from, 1);
        pytree__convert(PYTREE_BF16, &back, PYTREE_F64, &wide, 1);
        assert_true(nan ? (isnan(wide) && (back & 0x7FC0) == 0x7FC0) : back == from);
    }
    for (bits = 0; bits < 0x7BFF; bits += under_valgrind() ? 61 : 1) {         /* finite halves and the next one */
        uint16_t low = (uint16_t)bits, high = (uint16_t)(bits + 1);
        double a, b, middle;
        pytree__convert(PYTREE_F64, &a, PYTREE_F16, &low, 1);
        pytree__convert(PYTREE_F64, &b, PYTREE_F16, &high, 1);
        middle = (a + b) / 2;
        assert_int_equal(to_half(middle), bits % 2 == 0 ? low : high);
        assert_int_equal(to_half(nextafter(middle, 0)), low);
        assert_int_equal(to_half(nextafter(middle, 1e9)), high);
        assert_int_equal(to_half(-middle), 0x8000 | (bits % 2 == 0 ? low : high));
    }
    for (bits = 0; bits < 0x7F7F; bits += under_valgrind() ? 61 : 1) {
        uint16_t low = (uint16_t)bits, high = (uint16_t)(bits + 1);
        double a, b, middle;
        pytree__convert(PYTREE_F64, &a, PYTREE_BF16, &low, 1);
        pytree__convert(PYTREE_F64, &b, PYTREE_BF16, &high, 1);
        middle = (a + b) / 2;
        assert_int_equal(to_brain(middle), bits % 2 == 0 ? low : high);
        assert_int_equal(to_brain(nextafter(middle, 0)), low);
        assert_int_equal(to_brain(nextafter(middle, 1e300)), high);
    }
    assert_int_equal(to_half(65519.99), 0x7BFF);
    assert_int_equal(to_half(65520.0), 0x7C00);
    assert_int_equal(to_half(1e300), 0x7C00);
    assert_int_equal(to_half(-INFINITY), 0xFC00);
    assert_int_equal(to_half(5e-324), 0);
    assert_int_equal(to_half(-5e-324), 0x8000);
    assert_int_equal(to_brain(1e39), 0x7F80);
}

static void conversion_in_both_ways_to_load(void **state)
{
    static const char *const types[] = { "F16", "BF16", "F32", "F64" };
    const size_t many = 100001;           /* more than one piece, and not aligned to any */
    size_t i, k, j;
    (void)state;
    for (i = 0; i < COUNT_OF(types); i++) {
        Bag file;
        Disk disk;
        bag_init(&file, 2);
        file.leaves[1].shape[0] = many;
        bag_put(&file, 0, "a", PYTREE_TYPE(unsigned char), 0, 9);              /* shifts what follows */
        bag_put(&file, 1, "b", type_named(types[i]), 1, 0);
        for (j = 0; j < many; j++) {
            double v = (double)j / 7 - 3000;
            pytree__convert(file.leaves[1].type->dtype, (char *)file.leaves[1].data + j * file.leaves[1].type->size, PYTREE_F64,
                            &v, 1);
        }
        disk_init(&disk);
        disk_save(&disk, file.tree);
        for (k = 0; k < COUNT_OF(types); k++) {
            pytree_safetensors *mapped;
            pytree_leaf view;
            unsigned char *memory;
            Bag bag;
            bag_init(&bag, 2);
            bag.leaves[1].shape[0] = many;
            bag_put(&bag, 0, "a", PYTREE_TYPE(unsigned char), 0, 0);
            bag_put(&bag, 1, "b", type_named(types[k]), 1, 0);
            disk.opt.convert = false;
            if (i != k) { assert_load_fails(&disk, bag.tree, PYTREE_TYPE, "['b']"); }
            disk.opt.convert = true;
            disk_load(&disk, bag.tree);
            for (j = 0; j < many; j += under_valgrind() ? 997 : 1) {
                const size_t to = bag.leaves[1].type->size, from = file.leaves[1].type->size;
                unsigned char expected[8];
                if (i == k) { memcpy(expected, (char *)file.leaves[1].data + j * from, from);
                } else {
                    pytree__convert(bag.leaves[1].type->dtype, expected, file.leaves[1].type->dtype,
                                    (char *)file.leaves[1].data + j * from, 1);
                }
                assert_memory_equal((char *)bag.leaves[1].data + j * to, expected, to);
            }
            memory = bag.leaves[1].data;
            view = bag.leaves[1];
            mapped = pytree_mmap_safetensors("f", bag.tree, &disk.opt, &disk.error);
            assert_ok(disk.error.status, &disk.error);
            assert_ptr_equal(bag.leaves[1].data, memory); /* a view in a container has memory of its own: filled, not pointed */
            assert_memory_equal(bag.leaves[1].data, view.data, pytree_leaf_bytes(&view));
            pytree_safetensors_close(mapped);
            bag_clear(&bag);
        }
        bag_clear(&file);
        disk_clear(&disk);
    }
}

/* ---- Booleans ---------------------------------------------------------------------------------------------------------- */

static void bytes_that_are_no_bool(void **state)
{
    static const char file[] = "tests/golden_files/safetensors/either/bool-two.safetensors";
    pytree_error error = { 0 };
    pytree_safetensors *open = pytree_safetensors_open(file, NULL, &error);
    pytree_checkpoint_options opt = { 0 };
    bool flags[16], before[16];
    pytree_leaf leaf = { 0 };
    pytree tree;
    size_t d;
    (void)state;
    assert_non_null(open);
    assert_int_equal(open->n_tensors, 1);
    memset(flags, 1, sizeof flags);
    memcpy(before, flags, sizeof flags);
    leaf.data = flags;
    leaf.type = PYTREE_TYPE(bool);
    leaf.ndim = (int)open->tensors[0].ndim;
    for (d = 0; d < open->tensors[0].ndim; d++) { leaf.shape[d] = (size_t)open->tensors[0].shape[d]; }
    assert_true(pytree_leaf_bytes(&leaf) <= sizeof flags);
    tree = PYTREE_DICT({ open->tensors[0].name, PYTREE(&leaf) });
    assert_error(pytree_load_safetensors(file, tree, &opt, &error), PYTREE_VALUE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_mmap_safetensors(file, tree, &opt, &error));
    assert_error(error.status, PYTREE_VALUE, NULL, &error);
    assert_memory_equal(flags, before, sizeof flags);
    pytree_safetensors_close(open);
}

/* ---- Shared memory ----------------------------------------------------------------------------------------------------- */

static void shared_leaves(void **state)
{
    float tied[6] = { 1, 2, 3, 4, 5, 6 }, empty[1] = { 0 }, own[6];
    pytree tree = PYTREE_DICT({ "embed", PYTREE_ARRAY(tied, 2, 3) }, { "none", PYTREE_ARRAY(empty, 0) },
                              { "nothing", PYTREE_ARRAY(empty, 0) }, { "unembed", PYTREE_ARRAY(tied, 2, 3) });
    pytree parts = PYTREE_DICT({ "all", PYTREE_ARRAY(tied, 6) }, { "part", PYTREE_ARRAY(tied + 2, 2) });
    pytree apart = PYTREE_DICT({ "embed", PYTREE_ARRAY(tied, 2, 3) }, { "none", PYTREE_ARRAY(empty, 0) },
                               { "nothing", PYTREE_ARRAY(empty, 0) }, { "unembed", PYTREE_ARRAY(own, 2, 3) });
    Disk disk;
    (void)state;
    disk_init(&disk);
    assert_error(pytree_save_safetensors("f", tree, &disk.opt, &disk.error), PYTREE_SHARED, "['unembed']", &disk.error);
    assert_non_null(strstr(disk.error.message, "all of that of ['embed']"));
    memset(&disk.error, 0, sizeof disk.error);
    assert_error(pytree_save_safetensors("f", parts, &disk.opt, &disk.error), PYTREE_SHARED, "['part']", &disk.error);
    assert_non_null(strstr(disk.error.message, "some of that of ['all']"));
    memset(&disk.error, 0, sizeof disk.error);
    disk.opt.shared = PYTREE_SHARED_EACH;
    disk_save(&disk, tree);
    disk_load(&disk, apart);
    assert_memory_equal(tied, own, sizeof own);
    disk.opt.shared = PYTREE_SHARED_ONCE;
    disk_save(&disk, parts);              /* a part is stored by itself */
    assert_header(&disk, "{\"all\":{\"dtype\":\"F32\",\"shape\":[6],\"data_offsets\":[0,24]},"
                         "\"part\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[24,32]}}");
    disk_save(&disk, tree);
    assert_header(&disk, "{\"embed\":{\"dtype\":\"F32\",\"shape\":[2,3],\"data_offsets\":[0,24]},"
                         "\"none\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[24,24]},"
                         "\"nothing\":{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[24,24]}}");
    memset(tied, 0, sizeof tied);
    disk_load(&disk, tree);
    assert_true(tied[5] == 6.0f);
    assert_load_fails(&disk, apart, PYTREE_NOT_FOUND, "['unembed']");          /* memory of its own: nothing to make it good */
    disk.opt.shared = PYTREE_SHARED_REFUSED;
    assert_load_fails(&disk, tree, PYTREE_NOT_FOUND, "['unembed']");
    disk_clear(&disk);
}

/* ---- The report -------------------------------------------------------------------------------------------------------- */

static void the_report_in_words(void **state)
{
    float a[2] = { 1, 2 };
    int b = 4, c = 5, e = 6;
    double d = 0;
    pytree_report report = { 0 };
    Disk disk;
    char *text = NULL;
    size_t size = 0;
    FILE *stream;
    char path[GOLDEN_PATH];
    (void)state;
    disk_init(&disk);
    disk_save(&disk, PYTREE_DICT({ "a", PYTREE_ARRAY(a, 2) }, { "b", PYTREE(&b) }, { "c", PYTREE(&c) }, { "d", PYTREE(&e) }));
    disk.opt.report = &report;
    disk.opt.max_listed = 1;
    assert_error(pytree_load_safetensors("f",
                                         PYTREE_DICT({ "a", PYTREE_ARRAY(a, 1, 2) }, { "d", PYTREE(&d) }, { "x", PYTREE(&d) }),
                                         &disk.opt, &disk.error),
                 PYTREE_NOT_FOUND, "['x']", &disk.error);
    assert_string_equal(disk.error.message,
                        "expected what the tree asks for, got 1 missing (x), 1 wrong dtype (d: i32 for f64), "
                        "1 wrong shape (a: f32[2] for f32[1,2]), 2 unexpected (b, ...)");
    assert_int_equal(report.unexpected.count, 2);
    assert_int_equal(report.unexpected.n_entries, 1);
    scratch_path(path, "report");
    stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_ok(pytree_report_print(stream, &report, NULL), &(pytree_error){ 0 });
    fclose(stream);
    text = (char *)read_whole(path, &size);
    assert_string_equal(text, "missing      x  (['x'])  expected f64\n"
                              "unexpected   b  is i32\n"
                              "unexpected   and 1 more\n"
                              "wrong dtype  d  (['d'])  expected f64, got i32\n"
                              "wrong shape  a  (['a'])  expected f32[1,2], got f32[2]\n");
    free(text);
    stream = fopen(path, "rb");           /* cannot be written */
    assert_non_null(stream);
    memset(&disk.error, 0, sizeof disk.error);
    assert_error(pytree_report_print(stream, &report, &disk.error), PYTREE_IO, NULL, &disk.error);
    fclose(stream);
    remove(path);
    memset(&disk.error, 0, sizeof disk.error);
    disk_load(&disk, PYTREE_DICT({ "a", PYTREE_ARRAY(a, 2) }, { "b", PYTREE(&b) }, { "c", PYTREE(&c) }, { "d", PYTREE(&e) }));
    assert_int_equal(report.unexpected.count, 0);              /* emptied by a load that went well */
    assert_null(report.missing.entries);
    pytree_report_free(&report);
    pytree_report_free(NULL);
    disk_clear(&disk);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rounding_to_nearest_even),
        cmocka_unit_test(conversion_in_both_ways_to_load),
        cmocka_unit_test(bytes_that_are_no_bool),
        cmocka_unit_test(shared_leaves),
        cmocka_unit_test(the_report_in_words)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
