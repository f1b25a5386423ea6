/* What the descriptors say, and values of built-in types. */
#include "registration_shared.h"

/* ---- Descriptors ------------------------------------------------------------------------------------------------------- */

static const pytree_type *const type_at_file_scope = PYTREE_TYPE(Linear);

static void descriptors(void **state)
{
    const pytree_type *type = PYTREE_TYPE(Everything);
    const pytree_field *f;
    Linear layer = { 0 };
    (void)state;
    assert_true(type_at_file_scope == PYTREE(&layer).type);
    assert_string_equal(type->name, "Everything");
    assert_int_equal(type->size, sizeof(Everything));
    assert_int_equal(type->align, _Alignof(Everything));
    assert_int_equal(type->kind, PYTREE_KIND_STRUCT);
    assert_int_equal(type->dtype, PYTREE_NO_DTYPE);
    assert_int_equal(type->n_fields, 42);
    assert_int_equal(type->n_children, 32);
    f = &type->fields[0];
    assert_string_equal(f->name, "flag");
    assert_int_equal(f->row, PYTREE_ROW_DATA);
    assert_int_equal(f->place, PYTREE_IN_PLACE);
    assert_true(f->type == PYTREE_TYPE(bool));
    assert_int_equal(f->offset, 0);
    assert_int_equal(f->size, sizeof(bool));
    f = &type->fields[24];
    assert_string_equal(f->name, "matrix");
    assert_int_equal(f->ndim, 2);
    assert_int_equal(f->offset, offsetof(Everything, matrix));
    assert_int_equal(f->size, sizeof(double[2][3]));
    assert_int_equal(f->inner, sizeof(double[3]));
    f = &type->fields[28];
    assert_string_equal(f->name, "far");
    assert_int_equal(f->place, PYTREE_POINTER);
    assert_int_equal(f->form, PYTREE_FORM_STRUCT);
    assert_int_equal(f->optional, 1);
    assert_true(f->type == PYTREE_TYPE(Point));
    f = &type->fields[29];
    assert_string_equal(f->name, "rows");
    assert_int_equal(f->row, PYTREE_ROW_STATIC);
    f = &type->fields[41];
    assert_string_equal(f->name, "scratch");
    assert_int_equal(f->row, PYTREE_ROW_DROP);
    assert_null(f->type);
}

static void built_in_descriptors(void **state)
{
    (void)state;
#define BUILT_IN(T, code, short_name)                                                                                   \
    do {                                                                                                                \
        const pytree_type *of = PYTREE_TYPE(T);                                                                         \
        assert_int_equal(of->size, sizeof(T));                                                                          \
        assert_int_equal(of->align, _Alignof(T));                                                                       \
        assert_int_equal(of->kind, PYTREE_KIND_LEAF);                                                                   \
        assert_int_equal(of->dtype, (code));                                                                            \
        assert_string_equal(pytree_dtype_name(of), (short_name));                                                       \
    } while (0)
    BUILT_IN(bool, PYTREE_BOOL8, "bool");
    BUILT_IN(signed char, PYTREE_I8, "i8");
    BUILT_IN(unsigned char, PYTREE_U8, "u8");
    BUILT_IN(short, PYTREE_I16, "i16");
    BUILT_IN(unsigned short, PYTREE_U16, "u16");
    BUILT_IN(int, PYTREE_I32, "i32");
    BUILT_IN(unsigned, PYTREE_U32, "u32");
    BUILT_IN(long long, PYTREE_I64, "i64");
    BUILT_IN(unsigned long long, PYTREE_U64, "u64");
    BUILT_IN(int8_t, PYTREE_I8, "i8");
    BUILT_IN(uint64_t, PYTREE_U64, "u64");
    BUILT_IN(float, PYTREE_F32, "f32");
    BUILT_IN(double, PYTREE_F64, "f64");
    BUILT_IN(long double, PYTREE_FLONG, "long double");
    BUILT_IN(pytree_f16, PYTREE_F16, "f16");
    BUILT_IN(pytree_bf16, PYTREE_BF16, "bf16");
    BUILT_IN(char *, PYTREE_STRING, "str");
    BUILT_IN(const char *, PYTREE_STRING, "str");
#undef BUILT_IN
    assert_string_equal(PYTREE_TYPE(unsigned long)->name, "unsigned long");
    assert_string_equal(PYTREE_TYPE(float)->name, "float");
    assert_int_equal(PYTREE_TYPE(char)->dtype, CHAR_MIN < 0 ? PYTREE_I8 : PYTREE_U8);
    assert_int_equal(PYTREE_TYPE(pytree)->kind, PYTREE_KIND_REF);
    assert_int_equal(PYTREE_TYPE(pytree_leaf)->kind, PYTREE_KIND_VIEW);
    assert_int_equal(PYTREE_TYPE(pytree_flat)->kind, PYTREE_KIND_FLAT);
    assert_true(pytree_type_equal(PYTREE_TYPE(int64_t), PYTREE_TYPE(long long)));
    assert_false(pytree_type_equal(PYTREE_TYPE(int), PYTREE_TYPE(unsigned)));
    assert_false(pytree_type_equal(PYTREE_TYPE(int), NULL));
    assert_true(pytree_type_equal(NULL, NULL));
}

/* A second registration of the same fields, as another file of the program would have it, is the same type. */
static void a_copy_of_a_descriptor_is_the_same_type(void **state)
{
    pytree_field fields[4];
    pytree_type copy = *PYTREE_TYPE(Linear);
    (void)state;
    memcpy(fields, copy.fields, sizeof fields);
    copy.fields = fields;
    assert_int_equal(copy.n_fields, COUNT_OF(fields));
    assert_true(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
    fields[2].name = "v";
    assert_false(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
    fields[2].name = "w";
    fields[2].row = PYTREE_ROW_DROP;
    assert_false(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
    fields[2].row = PYTREE_ROW_DATA;
    copy.name = "Dense";
    assert_false(pytree_type_equal(PYTREE_TYPE(Linear), &copy));
}

/* ---- Values of built-in types ------------------------------------------------------------------------------------------ */

static void anything_registered_is_a_tree(void **state)
{
    const int number = 3;
    const char *text = "text";
    char letters[] = "letters", *other = letters;
    pytree_f16 half = { 0 };
    pytree tree = PYTREE(&half), outer = PYTREE(&tree);
    struct { Expected expected; pytree tree; } cases[6];
    size_t i;
    (void)state;
    memset(cases, 0, sizeof cases);
    cases[0].tree = PYTREE(&number);
    cases[0].expected.type = "i32";
    cases[0].expected.data = &number;
    cases[1].tree = PYTREE(&text);
    cases[1].expected.type = "str";
    cases[1].expected.data = &text;
    cases[2].tree = PYTREE(&other);
    cases[2].expected.type = "str";
    cases[2].expected.data = &other;
    cases[3].tree = tree;
    cases[3].expected.type = "f16";
    cases[3].expected.data = &half;
    cases[4].tree = outer;
    cases[4].expected = cases[3].expected;
    cases[5].tree = (pytree){ PYTREE_TYPE(char), letters };      /* the first of several */
    cases[5].expected.type = CHAR_MIN < 0 ? "i8" : "u8";
    cases[5].expected.data = letters;
    for (i = 0; i < COUNT_OF(cases); i++) {
        cases[i].expected.path = cases[i].expected.shape = "";
        test_assert_leaves(cases[i].tree, 1, &cases[i].expected, __FILE__, __LINE__);
    }
}

static void values_from_literals(void **state)
{
    pytree_leaf leaves[6];
    pytree_error error = { 0 };
    size_t n;
    float numbers[6] = { 0 };
    pytree tree = PYTREE_LIST(PYTREE_INT(-1), PYTREE_FLOAT(1.5), PYTREE_STR("a"), PYTREE_BOOL(true),
                              PYTREE_ARRAY(numbers, 2, 3),
                              PYTREE_NONE, PYTREE_ARRAY(&numbers[1], 5));
    (void)state;
    assert_ok(pytree_leaves(tree, leaves, 6, &n, NULL, &error), &error);
    assert_int_equal(n, 6);
    assert_int_equal(leaves[0].type->dtype, PYTREE_I64);
    assert_int_equal(*(const int64_t *)leaves[0].data, -1);
    assert_int_equal(leaves[1].type->dtype, PYTREE_F64);
    assert_true(*(const double *)leaves[1].data == 1.5);
    assert_int_equal(leaves[2].type->dtype, PYTREE_STRING);
    assert_string_equal(*(const char *const *)leaves[2].data, "a");
    assert_int_equal(leaves[3].type->dtype, PYTREE_BOOL8);
    assert_true(*(const bool *)leaves[3].data);
    assert_int_equal(leaves[4].ndim, 2);
    assert_int_equal(leaves[4].shape[0], 2);
    assert_int_equal(leaves[4].shape[1], 3);
    assert_true(leaves[4].data == numbers);
    assert_int_equal(leaves[5].ndim, 1);
    assert_int_equal(leaves[5].shape[0], 5);
    assert_true(leaves[5].data == &numbers[1]);
}

static void counts_of_a_leaf(void **state)
{
    pytree_leaf leaf = { 0 };
    (void)state;
    leaf.type = PYTREE_TYPE(double);
    assert_int_equal(pytree_leaf_count(&leaf), 1);
    assert_int_equal(pytree_leaf_bytes(&leaf), 8);
    leaf.ndim = 3;
    leaf.shape[0] = 2;
    leaf.shape[1] = 3;
    leaf.shape[2] = 4;
    assert_int_equal(pytree_leaf_count(&leaf), 24);
    assert_int_equal(pytree_leaf_bytes(&leaf), 192);
    leaf.shape[1] = 0;
    assert_int_equal(pytree_leaf_count(&leaf), 0);
    assert_int_equal(pytree_leaf_bytes(&leaf), 0);
    leaf.shape[1] = SIZE_MAX / 4;
    assert_int_equal(pytree_leaf_count(&leaf), SIZE_MAX);
    leaf.ndim = 1;
    leaf.shape[0] = SIZE_MAX / 8 + 1;
    assert_int_equal(pytree_leaf_count(&leaf), SIZE_MAX / 8 + 1);
    assert_int_equal(pytree_leaf_bytes(&leaf), SIZE_MAX);
}

typedef struct Token { char bytes[6]; } Token;
typedef struct Token2 { char bytes[6]; } Token2;

#define PYTREE_LEAF_TYPE Token
#include "pytree_registry.h"
#define PYTREE_LEAF_TYPE Token2
#include "pytree_registry.h"

/* Descriptors are compared row by row: one with another place, size, form or name is another type. */
static void descriptors_that_differ_in_one_thing(void **state)
{
    const pytree_type *const type = PYTREE_TYPE(Linear);
    pytree_field fields[4];
    pytree_type copy = *type;
    size_t i;
    (void)state;
    assert_false(pytree_type_equal(PYTREE_TYPE(Token), PYTREE_TYPE(Token2)));
    assert_true(pytree_type_equal(PYTREE_TYPE(Token), PYTREE_TYPE(Token)));
    copy.fields = fields;
    for (i = 0; i < 7; i++) {
        memcpy(fields, type->fields, sizeof fields);
        if (i == 1) { fields[2].row = PYTREE_ROW_STATIC; }
        if (i == 2) { fields[2].offset += sizeof(void *); }
        if (i == 3) { fields[2].size += 1; }
        if (i == 4) { fields[2].form = PYTREE_FORM_LIST; }
        if (i == 5) { fields[2].ndim = 3; }
        if (i == 6) { fields[2].name = "v"; }
        assert_int_equal(pytree_type_equal(type, &copy), i == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(descriptors),
        cmocka_unit_test(built_in_descriptors),
        cmocka_unit_test(a_copy_of_a_descriptor_is_the_same_type),
        cmocka_unit_test(anything_registered_is_a_tree),
        cmocka_unit_test(values_from_literals),
        cmocka_unit_test(counts_of_a_leaf),
        cmocka_unit_test(descriptors_that_differ_in_one_thing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
