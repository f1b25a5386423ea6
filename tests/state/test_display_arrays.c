/* Arrays of every element type as text: numbers of every size and sign, lengths that are cut, what is no array. */
#include "support.h"
#include "pytree/display.h"
#include "pytree/ravel.h"

#include <float.h>
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

/* Each of the 2^16 is that text: those with an exponent have a point. */
static void every_brain_float(void **state)
{
    uint32_t i;
    (void)state;
    for (i = 0; i < 0x10000; i++) {
        const uint16_t bits = (uint16_t)i;
        const pytree_leaf leaf = { .data = (void *)(uintptr_t)&bits, .type = pytree_dtype_type(PYTREE_BF16) };
        const uint32_t wide = i << 16;
        char text[60], expected[60];
        float v;
        memcpy(&v, &wide, sizeof v);
        if (isnan(v)) { snprintf(expected, sizeof expected, "Array(nan, dtype=bfloat16)"); }
        else { snprintf(expected, sizeof expected, "Array(%g, dtype=bfloat16)", (double)v); }
        (void)pytree_array_text(&leaf, text, sizeof text);
        assert_string_equal(text, expected);
    }
}

/* At most eight digits stand behind the point, rounded; exponents have two digits or as many as the largest needs. */
static void digits_and_exponents(void **state)
{
    double thirds[2] = { 1.0 / 3, 2.0 / 3 }, ends[3] = { 1e-300, 1e200, 1.5 }, small[2] = { 5e-324, -1e-5 };
    double half[2] = { 0.123456785, 100.123456785 }, nines[2] = { 0.999999999, 0.5 };
    double long_ones[3] = { 1e-300 / 3, 1.2345678901e200, 1.00000000049 };
    (void)state;
    vector_shown_as(PYTREE_TYPE(double), thirds, 2, "Array([0.33333333, 0.66666667], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), ends, 3, "Array([1.0e-300, 1.0e+200, 1.5e+000], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), small, 2, "Array([ 5.e-324, -1.e-005], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), half, 2, "Array([  0.12345678, 100.12345679], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), nines, 2, "Array([1. , 0.5], dtype=float64)");
    vector_shown_as(PYTREE_TYPE(double), long_ones, 3,
                    "Array([3.33333333e-301, 1.23456789e+200, 1.00000000e+000], dtype=float64)");
#if LDBL_MAX_10_EXP > 1000
    if (!under_valgrind()) {              /* which computes with 64 bits */
        long double wide[2] = { 1e1000L, 1e-1000L };
        char text[80];
        snprintf(text, sizeof text, "Array([1.e+1000, 1.e-1000], dtype=float%zu)", 8 * sizeof(long double));
        vector_shown_as(PYTREE_TYPE(long double), wide, 2, text);
    }
#endif
}

/* Two numbers, as NumPy 2.4 prints them: at the bounds beyond which they have exponents, at those of the types, not finite. */
static void as_numpy_prints_them(void **state)
{
    const struct { pytree_dtype dtype; double v[4]; const char *text; } all[] = {              /* tcc: no static infinity */
        { PYTREE_F64, { 99999999.0, 1.0 }, "[9.9999999e+07, 1.0000000e+00]" },
        { PYTREE_F64, { 100000000.0, 1.0 }, "[1.e+08, 1.e+00]" },
        { PYTREE_F64, { 0.0001, 0.1 }, "[0.0001, 0.1   ]" },
        { PYTREE_F64, { 9.9e-05, 0.05 }, "[9.9e-05, 5.0e-02]" },
        { PYTREE_F64, { 1000.0, 1.0 }, "[1000.,    1.]" },
        { PYTREE_F64, { 1000.5, 1.0 }, "[1.0005e+03, 1.0000e+00]" },
        { PYTREE_F64, { -0.0, 0.0 }, "[-0.,  0.]" },
        { PYTREE_F64, { 12345678.9, 0.5 }, "[1.23456789e+07, 5.00000000e-01]" },
        { PYTREE_F64, { 123456789.123, 1e-09 }, "[1.23456789e+08, 1.00000000e-09]" },
        { PYTREE_F64, { NAN, -1e-300 }, "[     nan, -1.e-300]" },
        { PYTREE_F64, { -INFINITY, 1e+200 }, "[   -inf, 1.e+200]" },
        { PYTREE_F64, { 99999999.0, 0.123456789 }, "[9.99999990e+07, 1.23456789e-01]" },
        { PYTREE_F64, { 0.30000000000000004, 0.3 }, "[0.3, 0.3]" },
        { PYTREE_F64, { 1.7976931348623157e+308, 2.2250738585072014e-308 }, "[1.79769313e+308, 2.22507386e-308]" },
        { PYTREE_F64, { 0.000123456789123, 0.1 }, "[0.00012346, 0.1       ]" },
        { PYTREE_F32, { 16777216.0, 0.1 }, "[1.6777216e+07, 1.0000000e-01]" },
        { PYTREE_F32, { 999999.0, 1000.0 }, "[999999.,   1000.]" },
        { PYTREE_F32, { 1000000.0, 1000.0 }, "[1.e+06, 1.e+03]" },
        { PYTREE_F32, { 0.1, 0.2 }, "[0.1, 0.2]" },
        { PYTREE_F32, { 3.4028235e+38, 1e-45 }, "[3.4028235e+38, 1.4012985e-45]" },
        { PYTREE_F32, { 0.0001, 0.1 }, "[1.e-04, 1.e-01]" },
        { PYTREE_C128, { 1.0, -2.0, 0.5, 1e-05 }, "[1. -2.e+00j, 0.5+1.e-05j]" },
        { PYTREE_C128, { NAN, INFINITY, -1.0, 2.0 }, "[nan+infj, -1. +2.j]" },
        { PYTREE_C128, { 10000000000.0, 1.0, -0.0, -0.0 }, "[ 1.e+10+1.j, -0.e+00-0.j]" },
        { PYTREE_C64, { 0.1, -INFINITY, -INFINITY, 3.0 }, "[ 0.1-infj, -inf +3.j]" },
        { PYTREE_C64, { 1e-08, 1e+20, 1.0, 1.0 }, "[1.e-08+1.e+20j, 1.e+00+1.e+00j]" },
        { PYTREE_F16, { 999.5, 1.0 }, "[999.5,   1. ]" },
        { PYTREE_F16, { 1000.0, 1.0 }, "[1.e+03, 1.e+00]" },
        { PYTREE_F16, { 6e-08, 65504.0 }, "[5.96e-08, 6.55e+04]" },
        { PYTREE_F16, { 0.1, 0.3333 }, "[0.1   , 0.3333]" },
    };
    static const char *const names[] = { [PYTREE_F16] = "float16", [PYTREE_F32] = "float32", [PYTREE_F64] = "float64",
                                         [PYTREE_C64] = "complex64", [PYTREE_C128] = "complex128" };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        const bool two_parts = all[i].dtype == PYTREE_C64 || all[i].dtype == PYTREE_C128;
        const pytree_dtype part = all[i].dtype == PYTREE_C64 ? PYTREE_F32 : two_parts ? PYTREE_F64 : all[i].dtype;
        void *const room = malloc(4 * sizeof(double));         /* of the type that is stored */
        const pytree_leaf parts = { .data = room, .type = pytree_dtype_type(part), .ndim = 1, .shape = { 4 } };
        const pytree_type *const type = pytree_dtype_type(all[i].dtype);
        char text[100];
        assert_non_null(room);
        for (size_t k = 0; k < (two_parts ? 4u : 2u); k++) { pytree_leaf_set(&parts, k, all[i].v[k]); }
        snprintf(text, sizeof text, "Array(%s, dtype=%s)", all[i].text, names[all[i].dtype]);
        vector_shown_as(type, room, 2, text);
        free(room);
    }
}

/* Where the type does not fit behind the last line, spaces stand before it, and no end of a line, as JAX prints it. */
static void types_behind_full_lines(void **state)
{
    float v[11] = { 0 };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(v); i++) { v[i] = 0.5f + (float)i; }
    vector_shown_as(PYTREE_TYPE(float), v, 10,
                    "Array([0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5, 8.5, 9.5], dtype=float32)");
    vector_shown_as(PYTREE_TYPE(float), v, 11,
                    "Array([ 0.5,  1.5,  2.5,  3.5,  4.5,  5.5,  6.5,  7.5,  8.5,  9.5, 10.5],      dtype=float32)");
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
        cmocka_unit_test(brain_floats), cmocka_unit_test(every_brain_float), cmocka_unit_test(digits_and_exponents),
        cmocka_unit_test(as_numpy_prints_them),
        cmocka_unit_test(types_behind_full_lines), cmocka_unit_test(infinite_numbers),
        cmocka_unit_test(types_have_their_names), cmocka_unit_test(what_has_no_elements)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
