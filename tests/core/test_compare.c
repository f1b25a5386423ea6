/* Equal trees and trees that differ: values of every type, structure, shapes. */
#include "support.h"
#include <float.h>
#include <math.h>

/* ---- Leaf types of the program ----------------------------------------------------------------------------------------- */

typedef struct Handle {
    int number;
    int cache;                            /* says nothing about the value */
} Handle;

static bool handle_equal(const void *a, const void *b)
{
    return ((const Handle *)a)->number == ((const Handle *)b)->number;
}

#define PYTREE_LEAF_TYPE Handle
#define PYTREE_EQUAL handle_equal
#include "pytree_registry.h"

typedef struct Token {
    unsigned char bytes[4];
} Token;

#define PYTREE_LEAF_TYPE Token
#include "pytree_registry.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static void assert_says(const pytree_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# no '%s' in: %s\n", words, error->message);
        fail();
    }
}

static void assert_equal_trees(pytree a, pytree b, const pytree_tolerance *tolerance)
{
    pytree_error error = { 0 };
    bool equal = pytree_equal(a, b, tolerance, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(equal);
    assert_true(pytree_equal(b, a, tolerance, NULL, NULL));
}

/* Both ways round; the path and the words are those of a against b. */
static void assert_differ(pytree a, pytree b, const pytree_tolerance *tolerance, pytree_status status, const char *path,
                          const char *words)
{
    pytree_error error = { 0 };
    assert_false(pytree_equal(a, b, tolerance, NULL, &error));
    assert_error(error.status, status, path, &error);
    assert_says(&error, words);
    assert_false(pytree_equal(b, a, tolerance, NULL, NULL));
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal(b, a, tolerance, NULL, &error));
    assert_error(error.status, status, NULL, &error);
}

/* ---- Values ------------------------------------------------------------------------------------------------------------ */

#define ASSERT_NUMBERS(T, one, two, words)                                                                              \
    do {                                                                                                                \
        T left[3] = { 1, 0, (one) }, right[3] = { 1, 0, (one) };                                                        \
        assert_equal_trees(PYTREE_ARRAY(left, 3), PYTREE_ARRAY(right, 3), NULL);                                        \
        assert_equal_trees(((pytree){ PYTREE_TYPE(T), &left[2] }), ((pytree){ PYTREE_TYPE(T), &right[2] }), NULL);      \
        right[2] = (two);                                                                                               \
        assert_differ(PYTREE_LIST(PYTREE_ARRAY(left, 3)), PYTREE_LIST(PYTREE_ARRAY(right, 3)), NULL, PYTREE_VALUE,      \
                      "[0]", words);                                                                                    \
        assert_equal_trees(PYTREE_ARRAY(left, 2), PYTREE_ARRAY(right, 2), NULL);                                        \
    } while (0)

static void every_number_type(void **state)
{
    (void)state;
    ASSERT_NUMBERS(bool, true, false, "expected True, got False");
    ASSERT_NUMBERS(signed char, -3, 4, "expected -3, got 4 at element 2");
    ASSERT_NUMBERS(unsigned char, 200, 201, "expected 200, got 201");
    ASSERT_NUMBERS(short, -300, 300, "expected -300, got 300");
    ASSERT_NUMBERS(unsigned short, 60000, 60001, "expected 60000, got 60001");
    ASSERT_NUMBERS(int, INT_MIN, INT_MAX, "expected -2147483648, got 2147483647");
    ASSERT_NUMBERS(unsigned, UINT_MAX, 7, "expected 4294967295, got 7");
    ASSERT_NUMBERS(long, -5, 5, "expected -5, got 5");
    ASSERT_NUMBERS(unsigned long, 5, 6, "expected 5, got 6");
    ASSERT_NUMBERS(long long, LLONG_MIN, LLONG_MIN + 1, "expected -9223372036854775808, got -9223372036854775807");
    ASSERT_NUMBERS(unsigned long long, ULLONG_MAX, ULLONG_MAX - 1, "expected 18446744073709551615, got 18446744073709551614");
    ASSERT_NUMBERS(float, 0.1f, 0.2f, "expected 0.1, got 0.2 at element 2");
    ASSERT_NUMBERS(double, 0.1, 0.30000000000000004, "expected 0.1, got 0.30000000000000004");
    ASSERT_NUMBERS(long double, 0.5L, -0.5L, "expected 0.5, got -0.5");
    ASSERT_NUMBERS(char, 'a', 'b', "expected 97, got 98");
}

static void half_precision_numbers(void **state)
{
    pytree_f16 h[4] = { { 0x3C00 }, { 0x3C00 }, { 0x8000 }, { 0x0000 } }, other = { 0x4000 };
    pytree_bf16 b[4] = { { 0x3F80 }, { 0x3F80 }, { 0x8000 }, { 0x0000 } }, third = { 0xC000 };
    pytree_tolerance near = { .absolute = 1.0 };
    (void)state;
    assert_equal_trees(PYTREE(&h[0]), PYTREE(&h[1]), NULL);
    assert_equal_trees(PYTREE(&h[2]), PYTREE(&h[3]), NULL);
    assert_equal_trees(PYTREE(&b[0]), PYTREE(&b[1]), NULL);
    assert_equal_trees(PYTREE(&b[2]), PYTREE(&b[3]), NULL);
    assert_differ(PYTREE(&h[0]), PYTREE(&other), NULL, PYTREE_VALUE, "", "expected 1.0, got 2.0");
    assert_differ(PYTREE(&b[0]), PYTREE(&third), NULL, PYTREE_VALUE, "", "expected 1.0, got -2.0");
    assert_equal_trees(PYTREE(&h[0]), PYTREE(&other), &near);
    assert_differ(PYTREE(&b[0]), PYTREE(&third), &near, PYTREE_VALUE, "", "got -2.0");
}

static void zeros_have_no_sign(void **state)
{
    float f[2] = { 0.0f, -0.0f };
    double d[2] = { 0.0, -0.0 };
    long double l[2] = { 0.0L, -0.0L };
    (void)state;
    assert_equal_trees(PYTREE(&f[0]), PYTREE(&f[1]), NULL);
    assert_equal_trees(PYTREE(&d[0]), PYTREE(&d[1]), NULL);
    assert_equal_trees(PYTREE(&l[0]), PYTREE(&l[1]), NULL);
}

static void not_a_number(void **state)
{
    float f[2] = { NAN, 1.0f };
    double d[2] = { NAN, 1.0 }, e[2] = { NAN, 1.0 };
    long double l[2] = { NAN, 1.0L };
    pytree_f16 h = { 0x7E00 };
    pytree_tolerance same = { .nan_equal = true }, near = { .absolute = 1e300, .relative = 1e300 };
    (void)state;
    assert_differ(PYTREE_ARRAY(d, 2), PYTREE_ARRAY(e, 2), NULL, PYTREE_VALUE, "", "expected nan, got nan at element 0");
    assert_differ(PYTREE_ARRAY(d, 2), PYTREE_ARRAY(d, 2), NULL, PYTREE_VALUE, "", "nan");     /* not even with itself */
    assert_differ(PYTREE_ARRAY(d, 2), PYTREE_ARRAY(e, 2), &near, PYTREE_VALUE, "", "nan");
    assert_equal_trees(PYTREE_ARRAY(d, 2), PYTREE_ARRAY(e, 2), &same);
    assert_equal_trees(PYTREE_ARRAY(f, 2), PYTREE_ARRAY(f, 2), &same);
    assert_equal_trees(PYTREE_ARRAY(l, 2), PYTREE_ARRAY(l, 2), &same);
    assert_equal_trees(PYTREE(&h), PYTREE(&h), &same);
    assert_differ(PYTREE(&h), PYTREE(&h), NULL, PYTREE_VALUE, "", "nan");
    assert_differ(PYTREE(&d[0]), PYTREE(&e[1]), &same, PYTREE_VALUE, "", "expected nan, got 1.0");
    assert_differ(PYTREE(&f[0]), PYTREE(&f[1]), &same, PYTREE_VALUE, "", "expected nan, got 1.0");
}

static void tolerances(void **state)
{
    double ten = 10.0, eleven = 11.0, minus = -10.0, zero = 0.0, small = 1e-9, infinite = HUGE_VAL, other = -HUGE_VAL;
    pytree_tolerance absolute = { .absolute = 1.0 }, tight = { .absolute = 0.999999 }, relative = { .relative = 0.095 };
    pytree_tolerance both = { .relative = 0.05, .absolute = 0.5 }, none = { 0.0, 0.0, false };
    pytree_error error = { 0 };
    (void)state;
    assert_equal_trees(PYTREE(&ten), PYTREE(&eleven), &absolute);
    assert_differ(PYTREE(&ten), PYTREE(&eleven), &tight, PYTREE_VALUE, "", "expected 10.0, got 11.0");
    assert_differ(PYTREE(&ten), PYTREE(&eleven), &none, PYTREE_VALUE, "", "expected 10.0, got 11.0");
    assert_differ(PYTREE(&ten), PYTREE(&minus), &absolute, PYTREE_VALUE, "", "expected 10.0, got -10.0");
    /* relative to the second: 1 <= 0.095 * 11, but not 0.095 * 10 */
    assert_true(pytree_equal(PYTREE(&ten), PYTREE(&eleven), &relative, NULL, &error));
    assert_false(pytree_equal(PYTREE(&eleven), PYTREE(&ten), &relative, NULL, &error));
    assert_equal_trees(PYTREE(&ten), PYTREE(&eleven), &both);
    assert_differ(PYTREE(&zero), PYTREE(&small), &none, PYTREE_VALUE, "", "expected 0.0, got 1e-09");
    assert_equal_trees(PYTREE(&zero), PYTREE(&small), &absolute);
    assert_equal_trees(PYTREE(&infinite), PYTREE(&infinite), &absolute);
    assert_differ(PYTREE(&infinite), PYTREE(&other), &absolute, PYTREE_VALUE, "", "expected inf, got -inf");
    /* however large the relative tolerance, no number is near infinity */
    assert_differ(PYTREE(&infinite), PYTREE(&other), &relative, PYTREE_VALUE, "", "expected inf, got -inf");
    assert_differ(PYTREE(&ten), PYTREE(&infinite), &relative, PYTREE_VALUE, "", "expected 10.0, got inf");
    assert_differ(PYTREE(&ten), PYTREE(&infinite), &absolute, PYTREE_VALUE, "", "expected 10.0, got inf");
}

#define ASSERT_NEAR(T)                                                                                                  \
    do {                                                                                                                \
        T left[2] = { 1, 10 }, right[2] = { 2, 11 }, far[2] = { 1, 13 };                                                \
        pytree_tolerance one = { .absolute = 1.5 };                                                                     \
        assert_equal_trees(PYTREE_ARRAY(left, 2), PYTREE_ARRAY(right, 2), &one);                                        \
        assert_differ(PYTREE_ARRAY(left, 2), PYTREE_ARRAY(far, 2), &one, PYTREE_VALUE, "", "at element 1");             \
    } while (0)

/* What is infinite is near to nothing else, however large the tolerance that is relative to it. */
#define ASSERT_FAR_FROM_INFINITY(T)                                                                                     \
    do {                                                                                                                \
        T number = 1, infinite = (T)INFINITY, minus = -(T)INFINITY;                                                     \
        pytree_tolerance half = { .relative = 0.5 };                                                                    \
        assert_equal_trees(PYTREE(&infinite), PYTREE(&infinite), &half);                                                \
        assert_differ(PYTREE(&number), PYTREE(&infinite), &half, PYTREE_VALUE, "", "expected 1.0, got inf");            \
        assert_differ(PYTREE(&infinite), PYTREE(&number), &half, PYTREE_VALUE, "", "expected inf, got 1.0");            \
        assert_differ(PYTREE(&minus), PYTREE(&infinite), &half, PYTREE_VALUE, "", "expected -inf, got inf");            \
    } while (0)

static void infinity_is_near_to_itself(void **state)
{
    (void)state;
    ASSERT_FAR_FROM_INFINITY(float);
    ASSERT_FAR_FROM_INFINITY(double);
    if (!under_valgrind()) { ASSERT_FAR_FROM_INFINITY(long double); }
}

static void tolerances_of_every_type(void **state)
{
    (void)state;
    ASSERT_NEAR(signed char);
    ASSERT_NEAR(unsigned char);
    ASSERT_NEAR(short);
    ASSERT_NEAR(unsigned short);
    ASSERT_NEAR(int);
    ASSERT_NEAR(unsigned);
    ASSERT_NEAR(long);
    ASSERT_NEAR(unsigned long);
    ASSERT_NEAR(long long);
    ASSERT_NEAR(unsigned long long);
    ASSERT_NEAR(float);
    ASSERT_NEAR(double);
    ASSERT_NEAR(long double);
}

/* A tolerance of zero is none: numbers that a double can't tell apart are different all the same. */
static void zero_tolerance_is_none(void **state)
{
    long long a = INT64_C(9007199254740992), b = a + 1;
    unsigned long long c = ULLONG_MAX, d = c - 1;
    long double e = 1.0L, f = 1.0L + LDBL_EPSILON;
    pytree_tolerance none = { 0.0, 0.0, false }, nan = { .nan_equal = true }, one = { .absolute = 1.0 };
    (void)state;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, "", "expected 9007199254740992, got 9007199254740993");
    assert_differ(PYTREE(&a), PYTREE(&b), &none, PYTREE_VALUE, "", "expected 9007199254740992, got 9007199254740993");
    assert_differ(PYTREE(&c), PYTREE(&d), &nan, PYTREE_VALUE, "", "got 18446744073709551614");
    assert_equal_trees(PYTREE(&a), PYTREE(&b), &one);
    if (!under_valgrind()) {
        assert_differ(PYTREE(&e), PYTREE(&f), NULL, PYTREE_VALUE, "", "expected 1.0, got 1.0");
        assert_differ(PYTREE(&e), PYTREE(&f), &none, PYTREE_VALUE, "", "expected 1.0, got 1.0");
    }
    assert_equal_trees(PYTREE(&e), PYTREE(&f), &one);
}

static void long_double_padding(void **state)
{
    long double a, b;
    (void)state;
    memset(&a, 0x00, sizeof a);
    memset(&b, 0xFF, sizeof b);
    a = b = 0.1L;
    assert_equal_trees(PYTREE(&a), PYTREE(&b), NULL);
}

static void strings(void **state)
{
    char here[] = "same", there[] = "same";
    char *a = here, *b = there;
    const char *words[3] = { "one", "two", NULL }, *others[3] = { "one", "two", NULL };
    Everything x = everything_make(true), y = everything_make(true);
    (void)state;
    assert_equal_trees(PYTREE(&a), PYTREE(&b), NULL);
    there[0] = 'S';
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, "", "expected 'same', got 'Same'");
    assert_equal_trees(PYTREE_ARRAY(words, 3), PYTREE_ARRAY(others, 3), NULL);
    others[2] = "";
    assert_differ(PYTREE_ARRAY(words, 3), PYTREE_ARRAY(others, 3), NULL, PYTREE_VALUE, "",
                  "expected None, got '' at element 2");
    y.title = "a t\xC3\xADtle's";
    assert_differ(PYTREE(&x), PYTREE(&y), NULL, PYTREE_VALUE, ".title", "expected 'a title', got \"a t\xC3\xADtle's\"");
    y.title = x.title;
    y.name[0] = 'O';
    assert_differ(PYTREE(&x), PYTREE(&y), NULL, PYTREE_VALUE, ".name", "expected 'owned', got 'Owned'");
    everything_clear(&x);
    everything_clear(&y);
}

static void opaque_leaves(void **state)
{
    Handle a[2] = { { 1, 10 }, { 2, 20 } }, b[2] = { { 1, 11 }, { 2, 21 } };
    Token c = { { 1, 2, 3, 4 } }, d = { { 1, 2, 3, 4 } };
    (void)state;
    assert_equal_trees(PYTREE(&a[0]), PYTREE(&b[0]), NULL);
    assert_equal_trees(PYTREE_ARRAY(a, 2), PYTREE_ARRAY(b, 2), NULL);
    b[1].number = 3;
    assert_differ(PYTREE_LIST(PYTREE_ARRAY(a, 2)), PYTREE_LIST(PYTREE_ARRAY(b, 2)), NULL, PYTREE_VALUE, "[0]",
                  "expected <Handle>, got <Handle> at element 1");
    assert_equal_trees(PYTREE(&c), PYTREE(&d), NULL);
    d.bytes[3] = 5;
    assert_differ(PYTREE(&c), PYTREE(&d), NULL, PYTREE_VALUE, "", "<Token>");
    assert_differ(PYTREE(&c), PYTREE(&a[0]), NULL, PYTREE_TYPE, "", "expected Token, got Handle");
}

#if defined(TEST_HAS_COMPLEX)
static void complex_numbers(void **state)
{
    Waves a, b;
    float parts[2] = { 1.0f, -2.0f }, close[2] = { 1.0f, -2.5f }, nan[2] = { 1.0f, NAN };
    pytree_tolerance half = { .absolute = 0.5 }, same = { .nan_equal = true };
    float _Complex waves[5] = { 1, 1, 1, 1, 2 };
    (void)state;
    memset(&a, 0, sizeof a);
    memset(&b, 0, sizeof b);
    memcpy(&a.c64, parts, sizeof parts);
    memcpy(&b.c64, parts, sizeof parts);
    memcpy(&a.pair[1], parts, sizeof parts);
    memcpy(&b.pair[1], parts, sizeof parts);
    assert_equal_trees(PYTREE(&a), PYTREE(&b), NULL);
    memcpy(&b.pair[1], close, sizeof close);
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, ".pair", "at element 1");
    assert_differ(PYTREE_ARRAY(waves, 4), PYTREE_ARRAY(waves + 1, 4), NULL, PYTREE_VALUE, "", "at element 3");
    assert_equal_trees(PYTREE(&a), PYTREE(&b), &half);
    memcpy(&b.c64, close, sizeof close);
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, ".c64", "expected (1-2j), got (1-2.5j)");
    memcpy(&a.c64, nan, sizeof nan);
    memcpy(&b, &a, sizeof b);
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, ".c64", "nan");
    assert_equal_trees(PYTREE(&a), PYTREE(&b), &same);
    {
        double imaginary[2] = { 0.0, 1.0 };
        memcpy(&b.c64, &a.c64, sizeof a.c64);
        memcpy(&b.c128, imaginary, sizeof imaginary);
        assert_differ(PYTREE(&a), PYTREE(&b), &same, PYTREE_VALUE, ".c128", "expected 0j, got 1j");
    }
}
#endif

/* ---- Structure, types and shapes --------------------------------------------------------------------------------------- */

static void types_that_differ(void **state)
{
    float f[6] = { 1.0f };
    double d = 1.0;
    int i = 1;
    unsigned u = 1;
    long l = 1;
    long long ll = 1;
    (void)state;
    assert_differ(PYTREE(&f[0]), PYTREE(&d), NULL, PYTREE_TYPE, "", "expected f32, got f64");
    assert_differ(PYTREE(&i), PYTREE(&u), NULL, PYTREE_TYPE, "", "expected i32, got u32");
    assert_differ(PYTREE_LIST(PYTREE(&f[0]), PYTREE_ARRAY(f, 2, 3)), PYTREE_LIST(PYTREE(&f[0]), PYTREE(&d)), NULL, PYTREE_TYPE,
                  "[1]",
                  "expected f32[2,3], got f64");
    if (sizeof l == sizeof ll) {          /* two names of one type */
        assert_equal_trees(PYTREE(&l), PYTREE(&ll), NULL);
    }
}

static void shapes_that_differ(void **state)
{
    float f[12] = { 0.0f };
    pytree all[6];
    size_t i, k;
    (void)state;
    all[0] = PYTREE_ARRAY(f, 2, 3);
    all[1] = PYTREE_ARRAY(f, 3, 2);
    all[2] = PYTREE_ARRAY(f, 6);
    all[3] = PYTREE_ARRAY(f, 1, 6);
    all[4] = PYTREE_ARRAY(f, 0);
    all[5] = PYTREE(&f[0]);
    for (i = 0; i < 6; i++) {
        for (k = 0; k < 6; k++) {
            if (i == k) {
                assert_equal_trees(all[i], all[k], NULL);
            } else {
                assert_differ(PYTREE_DICT({ "k", all[i] }), PYTREE_DICT({ "k", all[k] }), NULL, PYTREE_SHAPE, "['k']",
                              "expected f32");
            }
        }
    }
    assert_differ(all[0], all[1], NULL, PYTREE_SHAPE, "", "expected f32[2,3], got f32[3,2]");
    assert_differ(all[2], all[5], NULL, PYTREE_SHAPE, "", "expected f32[6], got f32");
}

static void structures_that_differ(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    int x = 1;
    pytree leaf = PYTREE(&x);
    Linear *head = b.head;
    pytree_options none = { .none_is_leaf = true };
    pytree_error error = { 0 };
    (void)state;
    assert_equal_trees(PYTREE(&a), PYTREE(&b), NULL);
    b.layers[1].b[1] = 5.0f;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, ".layers[1].b", "at element 1");
    b.layers[1].b[1] = a.layers[1].b[1];
    b.head = NULL;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_STRUCTURE, ".head", "expected Linear");
    assert_false(pytree_equal(PYTREE(&b), PYTREE(&a), NULL, &none, &error));
    assert_error(error.status, PYTREE_STRUCTURE, ".head", &error);
    b.head = head;
    b.n_layers = 1;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_STRUCTURE, "", "MLP");
    b.n_layers = 2;
    b.layers[0].din = 2;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_STRUCTURE, ".layers[0]", "Linear");
    b.layers[0].din = 4;
    assert_differ(PYTREE_LIST(leaf), PYTREE_TUPLE(leaf), NULL, PYTREE_STRUCTURE, "", "expected list");
    assert_differ(PYTREE_LIST(leaf), PYTREE_LIST(leaf, leaf), NULL, PYTREE_STRUCTURE, "", "");
    assert_differ(PYTREE_LIST(leaf), PYTREE_LIST(PYTREE_LIST(leaf)), NULL, PYTREE_STRUCTURE, "[0]", "");
    assert_differ(PYTREE_LIST(leaf), PYTREE_LIST(PYTREE_NONE), NULL, PYTREE_STRUCTURE, "[0]", "");
    assert_differ(PYTREE_DICT({ "a", leaf }), PYTREE_DICT({ "b", leaf }), NULL, PYTREE_STRUCTURE, "", "'a'");
    assert_differ(PYTREE_NAMEDTUPLE("P", { "x", leaf }), PYTREE_NAMEDTUPLE("Q", { "x", leaf }), NULL, PYTREE_STRUCTURE, "", "");
    assert_equal_trees(PYTREE_DICT({ "a", leaf }, { "b", PYTREE(&a) }), PYTREE_DICT({ "b", PYTREE(&b) }, { "a", leaf }), NULL);
    assert_equal_trees(PYTREE_NONE, PYTREE_NONE, NULL);
    assert_true(pytree_equal(PYTREE_NONE, PYTREE_NONE, NULL, &none, NULL));
    assert_equal_trees(PYTREE_LIST(), PYTREE_LIST(), NULL);
    mlp_clear(&a);
    mlp_clear(&b);
}

static void comparisons_that_fail(void **state)
{
    MLP a = mlp_make(2, true);
    Point *nowhere = NULL;
    pytree untyped = { NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_false(pytree_equal(PYTREE(nowhere), PYTREE(nowhere), NULL, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, "", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal(untyped, PYTREE(&a), NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_false(pytree_equal(PYTREE(&a), untyped, NULL, NULL, NULL));
    mlp_clear(&a);
}

static bool stops_at_linear(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && strcmp(value->type->name, "Linear") == 0;
}

/* What a predicate makes a leaf is compared as a whole. */
static void subtrees_as_leaves_are_compared(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    pytree_options opt = { .is_leaf = stops_at_linear };
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, &opt, &error));
    b.layers[1].w[2] = -1.0f;
    assert_false(pytree_equal(PYTREE(&a), PYTREE(&b), NULL, &opt, &error));
    mlp_clear(&a);
    mlp_clear(&b);
}

static void everything_compares(void **state)
{
    Everything a = everything_make(true), b = everything_make(true);
    Shelf c = shelf_make(), d = shelf_make();
    (void)state;
    assert_equal_trees(PYTREE(&a), PYTREE(&b), NULL);
    b.scratch = &b;
    assert_equal_trees(PYTREE(&a), PYTREE(&b), NULL);
    b.points[2].y += 1.0f;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, ".points[2].y", "expected 32.0, got 33.0");
    b.points[2].y -= 1.0f;
    b.cube[1][2][3] = -1;
    assert_differ(PYTREE(&a), PYTREE(&b), NULL, PYTREE_VALUE, ".cube", "expected 23, got -1 at element 23");
    assert_equal_trees(PYTREE(&c), PYTREE(&d), NULL);
    stbds_shput(d.prices, "fig", 0.5);
    assert_differ(PYTREE(&c), PYTREE(&d), NULL, PYTREE_VALUE, ".prices['fig']", "expected 0.75, got 0.5");
    everything_clear(&a);
    everything_clear(&b);
    shelf_clear(&c);
    shelf_clear(&d);
}

/* NaN equals NaN if that is asked for, and is near nothing. */
static void long_doubles_that_are_no_numbers(void **state)
{
    static const struct { long double a, b; bool nan_equal, loose, equal; } cases[] = {
        { (long double)NAN, (long double)NAN, true, false, true }, { (long double)NAN, (long double)NAN, false, true, false },
        { (long double)NAN, 1.0L, true, true, false }, { 1.0L, (long double)NAN, true, true, false },
        { 1.0L, 1.0L, true, true, true }, { 1.0L, 1.5L, true, true, true }, { 1.0L, 3.0L, true, true, false },
        { 1.0L, 1.5L, true, false, false },
        { (long double)INFINITY, 1.0L, true, true, false }, { 1.0L, (long double)INFINITY, true, true, false },
    };
    /* valgrind computes long double as double, and has no infinity there */
    const size_t n = under_valgrind() ? COUNT_OF(cases) - 2 : COUNT_OF(cases);
    size_t i;
    (void)state;
    for (i = 0; i < n; i++) {
        long double a = cases[i].a, b = cases[i].b;
        pytree_tolerance tolerance = { 0 };
        pytree_error error = { 0 };
        tolerance.nan_equal = cases[i].nan_equal;
        tolerance.absolute = cases[i].loose ? 1.0 : 0.0;
        if (pytree_equal(PYTREE(&a), PYTREE(&b), &tolerance, NULL, &error) != cases[i].equal) {
            fail_msg("case %lu", (unsigned long)i);
        }
    }
}

/* Below zero the magnitude counts: a tenth of it, and no more. */
static void long_doubles_below_zero(void **state)
{
    const pytree_tolerance tenth = { .relative = 0.125 };
    long double a = -8.0L, b = -9.0L;
    (void)state;
    assert_equal_trees(PYTREE(&a), PYTREE(&b), &tenth);
    b = -10.0L;
    assert_differ(PYTREE(&a), PYTREE(&b), &tenth, PYTREE_VALUE, "", "expected -8.0, got -10.0 at element 0");
    b = 8.0L;
    assert_differ(PYTREE(&a), PYTREE(&b), &tenth, PYTREE_VALUE, "", "expected -8.0, got 8.0 at element 0");
}

/* Subtrees are compared in memory that may run out. */
static pytree_status compare_layers(void *context, const pytree_options *opt, pytree_error *err)
{
    return pytree_equal(((pytree *)context)[0], ((pytree *)context)[1], NULL, opt, err) ? PYTREE_OK : err->status;
}

static void subtrees_without_memory(void **state)
{
    const pytree_options opt = { .is_leaf = stops_at_linear };
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    pytree both[2];
    (void)state;
    both[0] = PYTREE(&a);
    both[1] = PYTREE(&b);
    assert_int_equal(sweep_allocations_with(&opt, compare_layers, both), 3);
    mlp_clear(&a);
    mlp_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_number_type),
        cmocka_unit_test(half_precision_numbers),
        cmocka_unit_test(zeros_have_no_sign),
        cmocka_unit_test(not_a_number),
        cmocka_unit_test(tolerances),
        cmocka_unit_test(tolerances_of_every_type),
        cmocka_unit_test(infinity_is_near_to_itself),
        cmocka_unit_test(zero_tolerance_is_none),
        cmocka_unit_test(long_double_padding),
        cmocka_unit_test(strings),
        cmocka_unit_test(opaque_leaves),
#if defined(TEST_HAS_COMPLEX)
        cmocka_unit_test(complex_numbers),
#endif
        cmocka_unit_test(types_that_differ),
        cmocka_unit_test(shapes_that_differ),
        cmocka_unit_test(structures_that_differ),
        cmocka_unit_test(comparisons_that_fail),
        cmocka_unit_test(subtrees_as_leaves_are_compared),
        cmocka_unit_test(everything_compares),
        cmocka_unit_test(long_doubles_that_are_no_numbers),
        cmocka_unit_test(long_doubles_below_zero),
        cmocka_unit_test(subtrees_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
