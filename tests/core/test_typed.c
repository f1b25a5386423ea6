/* Theme: leaves and trees as checked C types. A type that is not there is an error with a message, not garbage. */
#include "support.h"
#include "pytree/literal.h"
#include "pytree/typed.h"

typedef struct Sizes { int n; double *values; float scale; } Sizes;
#define PYTREE_STRUCT Sizes
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, values, ARRAY(self->n), OPTIONAL) PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

#define assert_says(error, words) assert_non_null(strstr((error)->message, (words)))

/* The elements of an array of T are what the function for T gives, and what those for other types refuse. */
#define ASSERT_ELEMENTS(T, function)                                                                                    \
    do {                                                                                                                \
        T values[2] = { 0 };                                                                                            \
        pytree_leaf leaf = { values, PYTREE_TYPE(T), 1, 0, { 2 } };                                                     \
        pytree_error error = { PYTREE_OK, "", "" };                                                                     \
        size_t n = 9;                                                                                                   \
        assert_ptr_equal(function(&leaf, &n, &error), values);                                                          \
        assert_int_equal(n, 2);                                                                                         \
        assert_ptr_equal(function(&leaf, NULL, NULL), values);                                                          \
        assert_int_equal(error.status, PYTREE_OK);                                                                      \
        leaf.type = leaf.type->dtype == PYTREE_STRING ? PYTREE_TYPE(float) : PYTREE_TYPE(char *);                       \
        assert_null(function(&leaf, &n, &error));                                                                       \
        assert_int_equal(n, 0);                                                                                         \
        assert_error(error.status, PYTREE_TYPE, "", &error);                                                            \
    } while (0)

static void elements_of_every_built_in_type(void **state)
{
    (void)state;
    ASSERT_ELEMENTS(bool, pytree_bools);
    ASSERT_ELEMENTS(char, pytree_chars);
    ASSERT_ELEMENTS(signed char, pytree_schars);
    ASSERT_ELEMENTS(unsigned char, pytree_uchars);
    ASSERT_ELEMENTS(short, pytree_shorts);
    ASSERT_ELEMENTS(unsigned short, pytree_ushorts);
    ASSERT_ELEMENTS(int, pytree_ints);
    ASSERT_ELEMENTS(unsigned, pytree_uints);
    ASSERT_ELEMENTS(long, pytree_longs);
    ASSERT_ELEMENTS(unsigned long, pytree_ulongs);
    ASSERT_ELEMENTS(long long, pytree_llongs);
    ASSERT_ELEMENTS(unsigned long long, pytree_ullongs);
    ASSERT_ELEMENTS(float, pytree_floats);
    ASSERT_ELEMENTS(double, pytree_doubles);
    ASSERT_ELEMENTS(long double, pytree_ldoubles);
    ASSERT_ELEMENTS(pytree_f16, pytree_f16s);
    ASSERT_ELEMENTS(pytree_bf16, pytree_bf16s);
    ASSERT_ELEMENTS(char *, pytree_strings);
}

static void elements_that_are_not_there(void **state)
{
    float number = 1;
    pytree_leaf leaf = { &number, PYTREE_TYPE(float), 0, 0, { 0 } };
    pytree_error error = { PYTREE_OK, "", "" };
    size_t n = 5;
    (void)state;
    assert_ptr_equal(pytree_floats(&leaf, &n, &error), &number);
    assert_int_equal(n, 1);                                 /* a number is one element */
    assert_null(pytree_doubles(&leaf, &n, &error));
    assert_says(&error, "expected f64, got f32");
    assert_int_equal(n, 0);
    leaf.form = PYTREE_FORM_NONE;
    memset(&error, 0, sizeof error);
    assert_null(pytree_floats(&leaf, &n, &error));
    assert_says(&error, "expected f32, got None");
    memset(&error, 0, sizeof error);
    assert_null(pytree_floats(NULL, &n, &error));
    assert_says(&error, "expected f32, got NULL");
    memset(&error, 0, sizeof error);
    leaf = (pytree_leaf){ &number, NULL, 0, 0, { 0 } };
    assert_null(pytree_elements(&leaf, PYTREE_TYPE(float), NULL, &error));
    assert_says(&error, "expected f32, got a leaf without a type");
    /* the same representation under another name */
    leaf.type = PYTREE_TYPE(long);
    assert_ptr_equal(sizeof(long) == sizeof(long long) ? (void *)pytree_llongs(&leaf, NULL, NULL)
                                                       : (void *)pytree_ints(&leaf, NULL, NULL), &number);
}

static pytree_status sum_doubles(void *context, const pytree_iter *at)
{
    size_t n, i;
    const double *values = (const double *)pytree_iter_elements(at, 0, PYTREE_TYPE(double), &n);
    double *sum = (double *)context;
    if (values == NULL) { return PYTREE_TYPE; }
    for (i = 0; i < n; i++) { *sum += values[i]; }
    return pytree_iter_elements(at, 1, PYTREE_TYPE(double), NULL) == NULL ? PYTREE_OK : PYTREE_VALUE;
}

static void elements_in_a_map_have_a_path(void **state)
{
    double values[3] = { 1, 2, 3 }, sum = 0;
    Sizes sizes = { 3, values, 4 };
    pytree t = PYTREE_DICT({ "sizes", PYTREE(&sizes) });
    pytree_error error = { PYTREE_OK, "", "" };
    (void)state;
    assert_error(pytree_map(sum_doubles, &sum, NULL, 1, &t, NULL, &error), PYTREE_TYPE, "['sizes'].values", &error);
    assert_says(&error, "expected f64, got NULL");          /* there is no second tree; the first error stays */
    assert_true(sum == 6);
}

static void a_map_stops_at_another_type(void **state)
{
    double values[3] = { 1, 2, 3 }, number = 0;
    Sizes sizes = { 3, values, 4 };
    pytree t = PYTREE(&sizes);
    pytree_iter it;
    pytree_error error = { PYTREE_OK, "", "" };
    (void)state;
    assert_int_equal(pytree_iter_begin(&it, 1, &t, NULL, &error), PYTREE_OK);
    while (pytree_iter_next(&it)) {
        const double *at = (const double *)pytree_iter_elements(&it, 0, PYTREE_TYPE(double), NULL);
        number += at == NULL ? 100 : at[2];
    }
    pytree_iter_end(&it);
    assert_true(number == 103);
    assert_error(error.status, PYTREE_TYPE, ".scale", &error);
    assert_says(&error, "expected f64, got f32");
}

static void trees_as_structs(void **state)
{
    Sizes sizes = { 0, NULL, 4 };
    pytree tree = PYTREE(&sizes), clone, boxed = PYTREE(&tree), none = { NULL, NULL };
    pytree_error error = { PYTREE_OK, "", "" };
    Sizes *copy;
    (void)state;
    assert_ptr_equal(PYTREE_CAST(Sizes, tree, &error), &sizes);
    assert_ptr_equal(PYTREE_CAST(Sizes, boxed, &error), &sizes);
    clone = pytree_clone(tree, NULL, &error);
    copy = PYTREE_CAST(Sizes, clone, &error);
    assert_non_null(copy);
    assert_true(copy != &sizes && copy->scale == 4.0f);
    pytree_free(clone);
    assert_int_equal(error.status, PYTREE_OK);
    assert_null(PYTREE_CAST(float, tree, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_says(&error, "expected float, got Sizes");
    memset(&error, 0, sizeof error);
    assert_null(PYTREE_CAST(Sizes, none, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
}

/* A leaf's type may be compared with ==, also where the tree is one leaf that the library has made. */
static void types_of_scalar_roots(void **state)
{
    double number = 2.5;
    pytree trees[4];
    pytree_error error = { PYTREE_OK, "", "" };
    pytree_def *def;
    pytree_leaf leaf;
    size_t i;
    (void)state;
    trees[0] = pytree_clone(PYTREE(&number), NULL, &error);
    trees[1] = pytree_zeros_like(PYTREE(&number), NULL, &error);
    trees[2] = pytree_parse("2.5", NULL, &error);
    def = pytree_structure(PYTREE(&number), NULL, &error);
    assert_int_equal(pytree_leaves(PYTREE(&number), &leaf, 1, NULL, NULL, &error), PYTREE_OK);
    trees[3] = pytree_unflatten(def, 1, &leaf, NULL, &error);
    for (i = 0; i < COUNT_OF(trees); i++) {
        assert_int_equal(pytree_leaves(trees[i], &leaf, 1, NULL, NULL, &error), PYTREE_OK);
        assert_ptr_equal(leaf.type, PYTREE_TYPE(double));
        assert_non_null(PYTREE_CAST(double, trees[i], &error));
        pytree_free(trees[i]);
    }
    pytree_def_free(def);
    assert_int_equal(error.status, PYTREE_OK);
}

typedef struct Dropped { int n; float *values; } Dropped;
#define PYTREE_STRUCT Dropped
#define PYTREE_FIELDS PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, values, ARRAY(self->n))
#include "pytree_registry.h"
typedef struct DroppedList { int n; Dropped *items; } DroppedList;
#define PYTREE_STRUCT DroppedList
#define PYTREE_FIELDS PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, items, LIST(self->n))
#include "pytree_registry.h"
typedef struct DroppedInside { float scale; Dropped inner; } DroppedInside;
#define PYTREE_STRUCT DroppedInside
#define PYTREE_FIELDS PYTREE_FIELD(DATA, scale) PYTREE_FIELD(DATA, inner)
#include "pytree_registry.h"

/* A count in a DROP row is zero in a copy: an error that says so, not an empty array. */
static void counts_that_are_dropped(void **state)
{
    float values[3] = { 1, 2, 3 };
    Dropped dropped = { 3, values }, none = { 0, values };
    DroppedList list = { 1, &none };
    DroppedInside inside = { 1, { 3, values } };
    pytree trees[3], copy;
    const char *const paths[] = { ".values", ".items", ".inner.values" };
    size_t i;
    (void)state;
    trees[0] = PYTREE(&dropped);
    trees[1] = PYTREE(&list);
    trees[2] = PYTREE(&inside);
    for (i = 0; i < COUNT_OF(trees); i++) {
        pytree_error error = { PYTREE_OK, "", "" };
        copy = pytree_clone(trees[i], NULL, &error);
        assert_null(copy.type);
        assert_error(error.status, i == 1 ? PYTREE_STRUCTURE : PYTREE_SHAPE, paths[i], &error);
        assert_says(&error, "STATIC?");
        assert_null(pytree_zeros_like(trees[i], NULL, NULL).type);
    }
    copy = pytree_clone(PYTREE(&none), NULL, NULL);         /* nothing was lost */
    assert_non_null(copy.type);
    pytree_free(copy);
}

typedef struct Key { unsigned char bytes[4]; } Key;
typedef struct Mark { unsigned char bytes[4]; } Mark;
#define PYTREE_LEAF_TYPE Key
#include "pytree_registry.h"
#define PYTREE_LEAF_TYPE Mark
#include "pytree_registry.h"

/* Elements of a leaf type are those of no other one, and a struct is no element. */
static void elements_of_registered_types(void **state)
{
    Key keys[2] = { { { 1 } }, { { 2 } } };
    Point point = { 1, 2 };
    const pytree_leaf leaf = { keys, PYTREE_TYPE(Key), 1, 0, { 2 } }, not_one = { &point, PYTREE_TYPE(Point), 0, 0, { 0 } };
    pytree_error error = { 0 };
    size_t n = 9;
    (void)state;
    assert_ptr_equal(pytree_elements(&leaf, PYTREE_TYPE(Key), &n, &error), keys);
    assert_int_equal(n, 2);
    assert_ok(error.status, &error);
    assert_null(pytree_elements(&leaf, PYTREE_TYPE(Mark), &n, &error));
    assert_int_equal(n, 0);
    assert_error(error.status, PYTREE_TYPE, "", &error);
    assert_string_equal(error.message, "expected Mark, got Key[2]");
    error.status = PYTREE_OK;
    assert_null(pytree_elements(&not_one, PYTREE_TYPE(Point), NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
}

/* Memory that was not set to zero holds no status; it must not pass for an earlier error. */
static void errors_that_were_not_initialised(void **state)
{
    static const unsigned char fillings[] = { 0xA5, 0xFF, 0x7F };
    pytree_error error;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(fillings); i++) {
        char line[200] = "";
        FILE *file = tmpfile();
        assert_non_null(file);
        memset(&error, fillings[i], sizeof error);
        pytree_error_print(file, &error);
        rewind(file);
        assert_non_null(fgets(line, sizeof line, file));
        assert_string_equal(line, "a pytree_error without a status: initialise it, pytree_error err = { 0 }\n");
        fclose(file);
        assert_int_equal(pytree_fail(&error, PYTREE_SHAPE, ".w", "expected this, got that"), PYTREE_SHAPE);
        assert_int_equal(error.status, PYTREE_SHAPE);
        assert_string_equal(error.message, "expected this, got that");
        assert_string_equal(error.path, ".w");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_every_built_in_type), cmocka_unit_test(elements_that_are_not_there),
        cmocka_unit_test(elements_in_a_map_have_a_path),   cmocka_unit_test(a_map_stops_at_another_type),
        cmocka_unit_test(trees_as_structs),                cmocka_unit_test(types_of_scalar_roots),
        cmocka_unit_test(errors_that_were_not_initialised), cmocka_unit_test(counts_that_are_dropped),
        cmocka_unit_test(elements_of_registered_types),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
