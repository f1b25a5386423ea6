/* Arrays of every element type as text: numbers of every size and sign, lengths that are cut, what is no array. */
#include "support.h"
#include "pytree/display.h"
#include "pytree/ravel.h"

#include <math.h>

static void shown_as(const pytree_leaf *leaf, const char *expected)
{
    char text[400];
    const size_t n = pytree_array_text(leaf, text, sizeof text);
    assert_string_equal(text, expected);
    assert_int_equal(n, strlen(expected));
}

static void vector_shown_as(const pytree_type *type, void *data, size_t n, const char *expected)
{
    const pytree_leaf leaf = { .data = data, .type = type, .ndim = 1, .shape = { n } };
    shown_as(&leaf, expected);
}

/* bfloat16 is written as printf's %g writes it, each number by itself. */
static void brain_floats(void **state)
{
    static const struct { uint16_t bits; const char *text; } all[] = {
        { 0x0000, "0" }, { 0x8000, "-0" }, { 0x3f80, "1" }, { 0xbf80, "-1" }, { 0x7f80, "inf" }, { 0xff80, "-inf" },
        { 0x7fc0, "nan" }, { 0xffc0, "nan" }, { 0x3dcd, "0.100098" }, { 0x4974, "999424" }, { 0x4980, "1.04858e+06" },
        { 0x38d2, "0.000100136" }, { 0x3727, "9.95398e-06" }, { 0xc2c8, "-100" }, { 0x7f00, "1.70141e+38" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        uint16_t bits = all[i].bits;
        char text[60];
        snprintf(text, sizeof text, "Array([%s], dtype=bfloat16)", all[i].text);
        vector_shown_as(pytree_dtype_type(PYTREE_BF16), &bits, 1, text);
    }
}

static void infinite_numbers(void **state)
{
    double both[3] = { INFINITY, -INFINITY, 1.5 }, above[2] = { INFINITY, 2 };
    double nans[2] = { NAN, -NAN }, below[2] = { -INFINITY, 0 };
    (void)state;
    vector_shown_as(PYTREE_TYPE(double), both, 3, "Array([ inf, -inf,  1.5], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), above, 2, "Array([inf,  2.], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), nans, 2, "Array([nan, nan], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), below, 2, "Array([-inf,   0.], dtype=float64)");
}

static void types_have_their_names(void **state)
{
    long double wide[2] = { 1, 2 };
    char text[60];
    bool flags[2] = { true, false };
    const char *words[2] = { "one", "two" };
    (void)state;
    snprintf(text, sizeof text, "Array([1., 2.], dtype=float%zu)", 8 * sizeof(long double));
    vector_shown_as(PYTREE_TYPE(long double), wide, 2, text);
    snprintf(text, sizeof text, "Array([1.+2.j], dtype=complex%zu)", 16 * sizeof(long double));
    vector_shown_as(&pytree_types[PYTREE__T_cldouble], wide, 1, text);
    vector_shown_as(PYTREE_TYPE(bool), flags, 2, "Array([ True, False], dtype=bool)");
    vector_shown_as(&pytree_types[PYTREE__T_string], words, 2, "Array(['one', 'two'], dtype=str)");
}

static void what_has_no_elements(void **state)
{
    double x[1] = { 1 };
    const char *word = "word";
    const pytree_leaf shape = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 3 } };
    const pytree_leaf empty = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 0 } };
    const pytree_leaf none = { .form = PYTREE_FORM_NONE, .type = PYTREE_TYPE(float) };
    const pytree_leaf text = { .data = &word, .type = &pytree_types[PYTREE__T_string] };
    const pytree_leaf number = { .data = x, .type = PYTREE_TYPE(double) };
    (void)state;
    shown_as(&shape, "ShapeDtypeStruct(shape=(2, 3), dtype=float32)");
    shown_as(&empty, "Array([], shape=(2, 0), dtype=float32)");
    shown_as(&none, "None");
    shown_as(&text, "'word'");
    shown_as(&number, "Array(1., dtype=float64)");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(brain_floats), cmocka_unit_test(infinite_numbers), cmocka_unit_test(types_have_their_names),
        cmocka_unit_test(what_has_no_elements)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
