/* Ready-made folds over numbers. */
#include "reduce_shared.h"

/* ---- Numbers ----------------------------------------------------------------------------------------------------------- */

typedef struct Folded {
    bool all, any;
    double sum, max, min;
} Folded;

static Folded folded(pytree tree)
{
    Folded f = { false, false, NAN, NAN, NAN };
    pytree_error error = { 0 };
    assert_ok(pytree_all(tree, &f.all, NULL, &error), &error);
    assert_ok(pytree_any(tree, &f.any, NULL, &error), &error);
    assert_ok(pytree_sum(tree, &f.sum, NULL, &error), &error);
    assert_ok(pytree_max(tree, &f.max, NULL, &error), &error);
    assert_ok(pytree_min(tree, &f.min, NULL, &error), &error);
    return f;
}

static void assert_folded(pytree tree, bool all, bool any, double sum, double max, double min)
{
    Folded f = folded(tree);
    assert_int_equal(f.all, all);
    assert_int_equal(f.any, any);
    assert_true(f.sum == sum);
    assert_true(f.max == max);
    assert_true(f.min == min);
}

#define ASSERT_SIGNED(T, low, high)                                                                                     \
    do {                                                                                                                \
        T some[4] = { 3, 0, -5, 7 }, none[2] = { 0, 0 }, every[2] = { 2, 1 }, ends[2] = { (low), (high) };              \
        assert_folded(PYTREE_ARRAY(some, 4), false, true, 5.0, 7.0, -5.0);                                              \
        assert_folded(PYTREE_ARRAY(none, 2), false, false, 0.0, 0.0, 0.0);                                              \
        assert_folded(PYTREE_ARRAY(every, 2), true, true, 3.0, 2.0, 1.0);                                               \
        assert_folded(PYTREE_ARRAY(ends, 2), true, true, (double)(low) + (double)(high), (double)(high), (double)(low)); \
        assert_folded(PYTREE(&some[2]), true, true, -5.0, -5.0, -5.0);                                                  \
    } while (0)

#define ASSERT_UNSIGNED(T, high)                                                                                        \
    do {                                                                                                                \
        T some[4] = { 3, 0, 5, 7 }, none[2] = { 0, 0 }, every[2] = { 2, 1 }, ends[2] = { 0, (high) };                   \
        assert_folded(PYTREE_ARRAY(some, 4), false, true, 15.0, 7.0, 0.0);                                              \
        assert_folded(PYTREE_ARRAY(none, 2), false, false, 0.0, 0.0, 0.0);                                              \
        assert_folded(PYTREE_ARRAY(every, 2), true, true, 3.0, 2.0, 1.0);                                               \
        assert_folded(PYTREE_ARRAY(ends, 2), false, true, (double)(high), (double)(high), 0.0);                         \
    } while (0)

static void every_integer_type(void **state)
{
    bool flags[3] = { true, false, true }, set[2] = { true, true }, unset[1] = { false };
    char letters[2] = { 'a', '\0' };
    Color colors[2] = { GREEN, BLUE };
    (void)state;
    ASSERT_SIGNED(signed char, SCHAR_MIN, SCHAR_MAX);
    ASSERT_SIGNED(short, SHRT_MIN, SHRT_MAX);
    ASSERT_SIGNED(int, INT_MIN, INT_MAX);
    ASSERT_SIGNED(long, LONG_MIN, LONG_MAX);
    ASSERT_SIGNED(long long, LLONG_MIN, LLONG_MAX);
    ASSERT_UNSIGNED(unsigned char, UCHAR_MAX);
    ASSERT_UNSIGNED(unsigned short, USHRT_MAX);
    ASSERT_UNSIGNED(unsigned, UINT_MAX);
    ASSERT_UNSIGNED(unsigned long, ULONG_MAX);
    ASSERT_UNSIGNED(unsigned long long, ULLONG_MAX);
    assert_folded(PYTREE_ARRAY(flags, 3), false, true, 2.0, 1.0, 0.0);
    assert_folded(PYTREE_ARRAY(set, 2), true, true, 2.0, 1.0, 1.0);
    assert_folded(PYTREE_ARRAY(unset, 1), false, false, 0.0, 0.0, 0.0);
    assert_folded(PYTREE_ARRAY(letters, 2), false, true, (double)'a', (double)'a', 0.0);
    assert_folded(PYTREE_ARRAY(colors, 2), true, true, 3.0, 2.0, 1.0);
}

static void every_float_type(void **state)
{
    float f[4] = { 0.5f, -2.0f, 0.0f, 3.25f };
    double d[4] = { 0.5, -2.0, 0.0, 3.25 };
    long double l[4] = { 0.5L, -2.0L, 0.0L, 3.25L };
    pytree_f16 h[4] = { { 0x3800 }, { 0xC000 }, { 0x0000 }, { 0x4280 } };
    pytree_bf16 b[4] = { { 0x3F00 }, { 0xC000 }, { 0x8000 }, { 0x4050 } };
    (void)state;
    assert_folded(PYTREE_ARRAY(f, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(d, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(l, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(h, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(b, 4), false, true, 1.75, 3.25, -2.0);
    assert_folded(PYTREE_ARRAY(f, 2), true, true, -1.5, 0.5, -2.0);
    assert_folded(PYTREE_ARRAY(h, 2), true, true, -1.5, 0.5, -2.0);
    assert_folded(PYTREE_ARRAY(b, 2), true, true, -1.5, 0.5, -2.0);
    assert_folded(PYTREE(&h[2]), false, false, 0.0, 0.0, 0.0);
    assert_folded(PYTREE(&b[2]), false, false, 0.0, 0.0, 0.0);
}

static double half_value(unsigned bits)
{
    pytree_f16 half = { (uint16_t)bits };
    pytree_leaf leaf = { .data = &half, .type = PYTREE_TYPE(pytree_f16) };
    return pytree_leaf_get(&leaf, 0);
}

static double brain_value(unsigned bits)
{
    pytree_bf16 brain = { (uint16_t)bits };
    pytree_leaf leaf = { .data = &brain, .type = PYTREE_TYPE(pytree_bf16) };
    return pytree_leaf_get(&leaf, 0);
}

static void half_precision(void **state)
{
    static const struct {
        unsigned bits;
        double value;
    } halves[] = {
        { 0x0000, 0.0 }, { 0x0001, 0x1p-24 }, { 0x0002, 0x1p-23 }, { 0x03FF, 0x1.ff8p-15 }, { 0x0400, 0x1p-14 },
        { 0x3555, 0.333251953125 },
        { 0x3C00, 1.0 }, { 0x3C01, 1.0009765625 }, { 0x4000, 2.0 }, { 0x7BFF, 65504.0 }, { 0xBC00, -1.0 }, { 0xFBFF, -65504.0 },
        { 0x8001, -0x1p-24 },
    }, brains[] = {
        { 0x0000, 0.0 }, { 0x0001, 0x1p-133 }, { 0x3F80, 1.0 }, { 0x3F81, 1.0078125 }, { 0x4049, 3.140625 },
        { 0x7F7F, 0x1.fep127 },
        { 0xBF80, -1.0 },
    };
    const uint64_t least_nan = UINT64_C(0x7FF0000000000001);
    pytree_f16 half = { 0 };
    pytree_bf16 brain = { 0 };
    const pytree_leaf h = { .data = &half, .type = PYTREE_TYPE(pytree_f16) };
    const pytree_leaf b = { .data = &brain, .type = PYTREE_TYPE(pytree_bf16) };
    double nan;
    size_t i;
    unsigned bits;
    (void)state;
    memcpy(&nan, &least_nan, sizeof nan); /* with no bit that a half has room for */
    pytree_leaf_set(&h, 0, nan);
    pytree_leaf_set(&b, 0, nan);
    assert_int_equal(half.bits, 0x7E00);
    assert_int_equal(brain.bits, 0x7FC0);
    for (i = 0; i < COUNT_OF(halves); i++) {
        assert_true(half_value(halves[i].bits) == halves[i].value);
    }
    for (i = 0; i < COUNT_OF(brains); i++) {
        assert_true(brain_value(brains[i].bits) == brains[i].value);
    }
    assert_true(signbit(half_value(0x8000)) && half_value(0x8000) == 0.0);
    assert_true(signbit(brain_value(0x8000)) && brain_value(0x8000) == 0.0);
    assert_true(half_value(0x7C00) == HUGE_VAL && half_value(0xFC00) == -HUGE_VAL);
    assert_true(brain_value(0x7F80) == HUGE_VAL && brain_value(0xFF80) == -HUGE_VAL);
    assert_true(isnan(half_value(0x7C01)) && isnan(half_value(0x7E00)) && isnan(half_value(0xFE00)));
    assert_true(isnan(brain_value(0x7F81)) && isnan(brain_value(0x7FC0)) && isnan(brain_value(0xFFC0)));
    for (bits = 0; bits < 0x7C00; bits++) {                       /* growing, and odd */
        assert_true(half_value(bits) < half_value(bits + 1));
        assert_true(half_value(bits | 0x8000) == -half_value(bits));
    }
    for (bits = 0; bits < 0x7F80; bits++) {
        assert_true(brain_value(bits) < brain_value(bits + 1));
    }
}

static void not_a_number(void **state)
{
    double nan[3] = { 1.0, NAN, 2.0 }, first[2] = { NAN, 5.0 }, more[2] = { 9.0, -9.0 };
    float f = 3.0f;
    Folded a = folded(PYTREE_ARRAY(nan, 3)), b = folded(PYTREE_LIST(PYTREE_ARRAY(first, 2), PYTREE_ARRAY(more, 2), PYTREE(&f)));
    Folded c = folded(PYTREE_TUPLE(PYTREE(&f), PYTREE_ARRAY(more, 2), PYTREE(&nan[1])));
    double infinite[3] = { -HUGE_VAL, 0.0, HUGE_VAL };
    Folded d = folded(PYTREE_ARRAY(infinite, 3));
    (void)state;
    assert_true(isnan(a.sum) && isnan(a.max) && isnan(a.min) && a.all && a.any);
    assert_true(isnan(b.sum) && isnan(b.max) && isnan(b.min) && b.all && b.any);
    assert_true(isnan(c.sum) && isnan(c.max) && isnan(c.min) && c.all && c.any);
    assert_true(isnan(d.sum) && d.max == HUGE_VAL && d.min == -HUGE_VAL);
    assert_folded(PYTREE(&infinite[0]), true, true, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL);
}

static void no_elements(void **state)
{
    pytree empty[4];
    float f = 0.0f;
    size_t i;
    (void)state;
    empty[0] = PYTREE_LIST();
    empty[1] = PYTREE_NONE;
    empty[2] = PYTREE_DICT({ "a", PYTREE_TUPLE() }, { "b", PYTREE_NONE });
    empty[3] = PYTREE_LIST(PYTREE_ARRAY(&f, 0), PYTREE_ARRAY(&f, 3, 0, 2));
    for (i = 0; i < 4; i++) {
        bool all = false, any = true;
        double sum = 1.0, max = 1.0, min = 1.0;
        pytree_error error = { 0 };
        assert_ok(pytree_all(empty[i], &all, NULL, &error), &error);
        assert_ok(pytree_any(empty[i], &any, NULL, &error), &error);
        assert_ok(pytree_sum(empty[i], &sum, NULL, &error), &error);
        assert_true(all && !any && sum == 0.0);
        assert_error(pytree_max(empty[i], &max, NULL, &error), PYTREE_EMPTY, "", &error);
        memset(&error, 0, sizeof error);
        assert_error(pytree_min(empty[i], &min, NULL, &error), PYTREE_EMPTY, "", &error);
        assert_true(max == 1.0 && min == 1.0);
        assert_int_equal(pytree_max(empty[i], &max, NULL, NULL), PYTREE_EMPTY);
    }
}

typedef struct Handle {
    int number;
} Handle;

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

/* Neither to be added nor to be compared; nor, unless it has a truth of its own, to be asked for it. */
static void assert_no_numbers(pytree tree, const char *path, const char *word, bool truth, const pytree_options *opt)
{
    bool flag = true;
    double number = 1.5;
    int i;
    for (i = 0; i < 10; i++) {
        pytree_error error = { 0 };
        pytree_error *err = i < 5 ? &error : NULL;
        if (truth && i % 5 < 2) { continue; }
        pytree_status status = i % 5 == 0 ? pytree_all(tree, &flag, opt, err) : i % 5 == 1 ? pytree_any(tree, &flag, opt, err)
            : i % 5 == 2 ? pytree_sum(tree, &number, opt, err) : i % 5 == 3 ? pytree_max(tree, &number, opt, err)
            : pytree_min(tree, &number, opt, err);
        if (err == NULL) {
            assert_int_equal(status, PYTREE_TYPE);
        } else {
            assert_error(status, PYTREE_TYPE, path, &error);
            assert_non_null(strstr(error.message, word));
        }
    }
    assert_true(flag && number == 1.5);
}

static bool is_tuple(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_ITEMS && value->type->kind == PYTREE_KIND_TUPLE;
}

static void what_is_no_number(void **state)
{
    float f = 1.0f;
    const char *s = "text";
    Handle handle = { 1 };
    pytree_options none = { .none_is_leaf = true }, tuples = { .is_leaf = is_tuple };
    (void)state;
    assert_no_numbers(PYTREE_LIST(PYTREE(&f), PYTREE_TUPLE(PYTREE(&f))), "[1]", "tuple", false, &tuples);
    assert_no_numbers(PYTREE(&s), "", "str", true, NULL);
    assert_no_numbers(PYTREE_LIST(PYTREE(&f), PYTREE_DICT({ "k", PYTREE(&s) })), "[1]['k']", "str", true, NULL);
    assert_no_numbers(PYTREE_TUPLE(PYTREE(&f), PYTREE(&handle)), "[1]", "Handle", false, NULL);
    assert_no_numbers(PYTREE_TUPLE(PYTREE(&f), PYTREE_NONE), "[1]", "None", true, &none);
#if defined(TEST_HAS_COMPLEX)
    {
        Waves waves = { 0 };
        assert_no_numbers(PYTREE(&waves), ".c64", "c64", false, NULL);
    }
#endif
}

static void texts_and_none_have_a_truth(void **state)
{
    const char *text = "False", *empty = "", *both[] = { "a", "" };
    bool flag;
    pytree_options none = { .none_is_leaf = true };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_all(PYTREE_LIST(PYTREE(&text), PYTREE_INT(1)), &flag, NULL, &error), &error);
    assert_true(flag);
    assert_ok(pytree_all(PYTREE_LIST(PYTREE(&text), PYTREE(&empty)), &flag, NULL, &error), &error);
    assert_false(flag);
    assert_ok(pytree_any(PYTREE_LIST(PYTREE(&empty), PYTREE_NONE), &flag, &none, &error), &error);
    assert_false(flag);
    assert_ok(pytree_any(PYTREE_ARRAY(both, 2), &flag, NULL, &error), &error);
    assert_true(flag);
    assert_ok(pytree_all(PYTREE_ARRAY(both, 2), &flag, NULL, &error), &error);
    assert_false(flag);
    assert_ok(pytree_all(PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE), &flag, &none, &error), &error);
    assert_false(flag);
    assert_ok(pytree_all(PYTREE_LIST(PYTREE_INT(1), PYTREE_NONE), &flag, NULL, &error), &error);
    assert_true(flag);
}

static void structs_and_subtrees(void **state)
{
    MLP model = mlp_make(2, true);
    double expected = 0.0, highest = -HUGE_VAL, lowest = HUGE_VAL, got;
    pytree_leaf leaves[7];
    size_t n, i, k;
    bool flag;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_leaves(PYTREE(&model), leaves, 7, &n, NULL, &error), &error);
    for (i = 0; i < n; i++) {
        for (k = 0; k < pytree_leaf_count(&leaves[i]); k++) {
            double v = pytree_leaf_get(&leaves[i], k);
            expected += v;
            highest = v > highest ? v : highest;
            lowest = v < lowest ? v : lowest;
        }
    }
    assert_ok(pytree_sum(PYTREE(&model), &got, NULL, &error), &error);
    assert_true(got == expected);
    assert_ok(pytree_max(PYTREE(&model), &got, NULL, &error), &error);
    assert_true(got == highest && highest == 1003.0);
    assert_ok(pytree_min(PYTREE(&model), &got, NULL, &error), &error);
    assert_true(got == lowest);
    assert_ok(pytree_all(PYTREE(&model), &flag, NULL, &error), &error);
    assert_true(flag);
    model.scale[1][1] = 0.0f;
    assert_ok(pytree_all(PYTREE(&model), &flag, NULL, &error), &error);
    assert_false(flag);
    mlp_clear(&model);
}

/* A plain loop over a million times 0.1 is wrong in the eleventh digit. */
static void long_arrays_keep_their_digits(void **state)
{
    enum { N = 1000000 };
    double *d = malloc(N * sizeof *d), sum, naive = 0.0;
    float *f = malloc(N * sizeof *f);
    size_t i;
    pytree_error error = { 0 };
    (void)state;
    assert_non_null(d);
    assert_non_null(f);
    for (i = 0; i < N; i++) {
        d[i] = 0.1;
        f[i] = 0.1f;
        naive += d[i];
    }
    assert_true(fabs(naive - 1e5) > 1e-7);
    assert_ok(pytree_sum(PYTREE_ARRAY(d, N), &sum, NULL, &error), &error);
    assert_true(fabs(sum - 1e5) < 1e-9);
    assert_ok(pytree_sum(PYTREE_ARRAY(f, 1000, N / 1000), &sum, NULL, &error), &error);
    assert_true(fabs(sum - (double)f[0] * 1e6) < 1e-9);
    free(d);
    free(f);
}

/* Strings in the struct itself count as strings do: true if they are not empty. */
typedef struct Names { char names[3][4]; } Names;

#define PYTREE_STRUCT Names
#define PYTREE_FIELDS PYTREE_FIELD(DATA, names, STRING)
#include "pytree_registry.h"

static void strings_in_structs(void **state)
{
    Names names = { { "a", "", "c" } };
    pytree_error error = { 0 };
    bool all = true, any = false;
    (void)state;
    assert_ok(pytree_all(PYTREE(&names), &all, NULL, &error), &error);
    assert_ok(pytree_any(PYTREE(&names), &any, NULL, &error), &error);
    assert_true(!all && any);
    names.names[1][0] = 'b';
    assert_ok(pytree_all(PYTREE(&names), &all, NULL, &error), &error);
    assert_true(all);
    memset(&names, 0, sizeof names);
    assert_ok(pytree_any(PYTREE(&names), &any, NULL, &error), &error);
    assert_false(any);
    memcpy(names.names[2], "c", 2);
    assert_ok(pytree_any(PYTREE(&names), &any, NULL, &error), &error);
    assert_true(any);
}

typedef struct Labels { char texts[3][4]; } Labels;
typedef struct Words { const char *texts[3]; } Words;

#define PYTREE_STRUCT Labels
#define PYTREE_FIELDS PYTREE_FIELD(DATA, texts, STRING)
#include "pytree_registry.h"

#define PYTREE_STRUCT Words
#define PYTREE_FIELDS PYTREE_FIELD(DATA, texts)
#include "pytree_registry.h"

/* A string counts as true unless it is empty, wherever the empty one is. */
static void texts_in_a_struct(void **state)
{
    static const struct { const char *texts[3]; bool all, any; } cases[] = {
        { { "a", "b", "c" }, true, true }, { { "", "b", "c" }, false, true }, { { "a", "", "c" }, false, true },
        { { "a", "b", "" }, false, true }, { { "", "", "" }, false, false },
    };
    size_t i, k;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        Labels labels = { { "" } };
        Words words;
        bool all, any;
        pytree_error error = { 0 };
        for (k = 0; k < 3; k++) {
            snprintf(labels.texts[k], sizeof labels.texts[k], "%s", cases[i].texts[k]);
            words.texts[k] = cases[i].texts[k];
        }
        assert_ok(pytree_all(PYTREE(&labels), &all, NULL, &error), &error);
        assert_ok(pytree_any(PYTREE(&labels), &any, NULL, &error), &error);
        assert_int_equal(all, cases[i].all);
        assert_int_equal(any, cases[i].any);
        assert_ok(pytree_all(PYTREE(&words), &all, NULL, &error), &error);
        assert_ok(pytree_any(PYTREE(&words), &any, NULL, &error), &error);
        assert_int_equal(all, cases[i].all);
        assert_int_equal(any, cases[i].any);
    }
}

/* Beyond its range an integer is the nearer end, and NaN is 0, for every type. */
static void numbers_beyond_an_integer(void **state)
{
    static const struct { pytree_dtype dtype; const pytree_type *type; double least, most; } *c, cases[] = {
        { PYTREE_I8, PYTREE_TYPE(int8_t), -128.0, 127.0 }, { PYTREE_I16, PYTREE_TYPE(int16_t), -32768.0, 32767.0 },
        { PYTREE_I32, PYTREE_TYPE(int32_t), -2147483648.0, 2147483647.0 },
        { PYTREE_I64, PYTREE_TYPE(int64_t), -9223372036854775808.0, 9223372036854775808.0 },
        { PYTREE_U8, PYTREE_TYPE(uint8_t), 0.0, 255.0 }, { PYTREE_U16, PYTREE_TYPE(uint16_t), 0.0, 65535.0 },
        { PYTREE_U32, PYTREE_TYPE(uint32_t), 0.0, 4294967295.0 },
        { PYTREE_U64, PYTREE_TYPE(uint64_t), 0.0, 18446744073709551616.0 },
    };
    (void)state;
    for (c = cases; c != cases + COUNT_OF(cases); c++) {
        uint64_t room = 0;
        const pytree_leaf leaf = { &room, c->type, 0, 0, { 0 } };
        assert_int_equal(c->type->dtype, c->dtype);
        pytree_leaf_set(&leaf, 0, -1e300);
        assert_true(pytree_leaf_get(&leaf, 0) == c->least);
        pytree_leaf_set(&leaf, 0, 1e300);
        assert_true(pytree_leaf_get(&leaf, 0) == c->most);
        pytree_leaf_set(&leaf, 0, (double)NAN);
        assert_true(pytree_leaf_get(&leaf, 0) == 0.0);
    }
}

/* A string is no number: it reads as 0, and is not written. */
static void numbers_in_what_is_none(void **state)
{
    const char *word = "7";
    const pytree_leaf leaf = { &word, PYTREE_TYPE(char *), 0, 0, { 0 } };
    (void)state;
    assert_true(pytree_leaf_get(&leaf, 0) == 0.0);
    pytree_leaf_set(&leaf, 0, 3.0);
    assert_string_equal(word, "7");
}

/* The least and the largest of several NaN are NaN, wherever they stand. */
static void only_not_a_number(void **state)
{
    double none[3] = { NAN, NAN, NAN }, between[4] = { 1.0, NAN, NAN, 5.0 };
    Folded a = folded(PYTREE_ARRAY(none, 3)), b = folded(PYTREE_ARRAY(between, 4));
    (void)state;
    assert_true(isnan(a.min) && isnan(a.max));
    assert_true(isnan(b.min) && isnan(b.max));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_integer_type),
        cmocka_unit_test(every_float_type),
        cmocka_unit_test(half_precision),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(no_elements),
        cmocka_unit_test(what_is_no_number),
        cmocka_unit_test(texts_and_none_have_a_truth),
        cmocka_unit_test(structs_and_subtrees),
        cmocka_unit_test(long_arrays_keep_their_digits),
        cmocka_unit_test(texts_in_a_struct),
        cmocka_unit_test(strings_in_structs),
        cmocka_unit_test(numbers_beyond_an_integer),
        cmocka_unit_test(numbers_in_what_is_none),
        cmocka_unit_test(only_not_a_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
