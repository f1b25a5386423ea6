/* The table of a tree, and arithmetic over trees. */
#include "ravel_shared.h"

/* ---- Summary ----------------------------------------------------------------------------------------------------------- */

/* The table has this text, into a buffer and into a file; cut off at any length like snprintf. */
static void assert_summary(pytree t, const pytree_summary_options *opt, const char *expected)
{
    pytree_error error = { 0 };
    const size_t n = strlen(expected);
    char *text = malloc(n + 100), *cut = malloc(n + 2);
    FILE *file = tmpfile();
    size_t i;
    assert_true(text != NULL && cut != NULL && file != NULL);
    memset(text, 'x', n + 100);
    if (pytree_summary_text(t, text, n + 100, opt, &error) != n || strcmp(text, expected) != 0) {
        print_error("# expected:\n%s# got:\n%s", expected, text);
        fail();
    }
    assert_int_equal(pytree_summary_text(t, NULL, 0, opt, &error), n);
    for (i = 1; i <= n + 1; i += i < 20 ? 1 : 31) {
        memset(cut, '#', n + 2);
        assert_int_equal(pytree_summary_text(t, cut, i, opt, &error), n);
        assert_memory_equal(cut, expected, i - 1);
        assert_int_equal(cut[i - 1], '\0');
        assert_int_equal(cut[i], '#');
    }
    assert_ok(pytree_summary(file, t, opt, &error), &error);
    rewind(file);
    assert_int_equal(fread(text, 1, n + 1, file), n);
    assert_memory_equal(text, expected, n);
    fclose(file);
    free(text);
    free(cut);
}

static void summary_of_leaves(void **state)
{
    MLP model = mlp_make(1, false);
    Linear large = { .din = 784, .dout = 1280 };
    pytree_error error = { 0 };
    (void)state;
    assert_summary(PYTREE(&model), NULL,
                   "| path         | type | shape    | elements | bytes |\n"
                   "|:-------------|:-----|:---------|---------:|------:|\n"
                   "| .layers[0].w | f32  | 4 x 3    |       12 |    48 |\n"
                   "| .layers[0].b | f32  | 3        |        3 |    12 |\n"
                   "| .scale       | f32  | 2 x 3    |        6 |    24 |\n"
                   "| total        | f32  | 3 leaves |       21 |    84 |\n");
    assert_ok(pytree_allocate(PYTREE(&large), NULL, &error), &error);
    assert_summary(PYTREE(&large), NULL,
                   "| path  | type | shape      |  elements |     bytes |\n"
                   "|:------|:-----|:-----------|----------:|----------:|\n"
                   "| .w    | f32  | 784 x 1280 | 1,003,520 | 4,014,080 |\n"
                   "| .b    | f32  | 1280       |     1,280 |     5,120 |\n"
                   "| total | f32  | 2 leaves   | 1,004,800 | 4,019,200 |\n");
    pytree_free(PYTREE(&large));
    mlp_clear(&model);
}

static void summary_to_a_depth(void **state)
{
    MLP model = mlp_make(2, true);
    int64_t step = 7;
    pytree t = PYTREE_DICT({ "model", PYTREE(&model) }, { "step", PYTREE(&step) });
    pytree_summary_options opt = { 0 };
    (void)state;
    opt.depth = 1;
    assert_summary(t, &opt,
                   "| path      | type     | shape    | elements | bytes |\n"
                   "|:----------|:---------|:---------|---------:|------:|\n"
                   "| ['model'] | f32      | 7 leaves |       35 |   140 |\n"
                   "| ['step']  | i64      |          |        1 |     8 |\n"
                   "| total     | i64, f32 | 8 leaves |       36 |   148 |\n");
    opt.depth = 2;
    assert_summary(t, &opt,
                   "| path             | type     | shape    | elements | bytes |\n"
                   "|:-----------------|:---------|:---------|---------:|------:|\n"
                   "| ['model'].layers | f32      | 4 leaves |       23 |    92 |\n"
                   "| ['model'].head   | f32      | 2 leaves |        6 |    24 |\n"
                   "| ['model'].scale  | f32      | 2 x 3    |        6 |    24 |\n"
                   "| ['step']         | i64      |          |        1 |     8 |\n"
                   "| total            | i64, f32 | 8 leaves |       36 |   148 |\n");
    mlp_clear(&model);
}

/* Keys that would break the table, characters of several bytes, everything that is no number. */
static void summary_of_anything(void **state)
{
    pytree t = PYTREE_DICT({ "a|b|", PYTREE_BOOL(true) }, { "grün", PYTREE_STR("text") }, { "none", PYTREE_NONE });
    pytree_summary_options opt = { 0 };
    (void)state;
    opt.tree.none_is_leaf = true;
#define ANYTHING(text, total)                                                                                           \
    "| path       | type      | shape    | elements | bytes |\n"                                                          \
    "|:-----------|:----------|:---------|---------:|------:|\n"                                                          \
    "| ['a\\|b\\|'] | bool      |          |        1 |     1 |\n"                                                        \
    "| ['grün']   | str       |          |        1 |     " text " |\n"                                                   \
    "| ['none']   | None      |          |        0 |     0 |\n"                                                          \
    "| total      | bool, str | 3 leaves |        2 |     " total " |\n"
    assert_summary(t, &opt, sizeof(char *) == 8 ? ANYTHING("8", "9") : ANYTHING("4", "5"));
    opt.tree.none_is_leaf = false;
    opt.tree.is_leaf = is_a_list;
    assert_summary(PYTREE_LIST(PYTREE_INT(1)), &opt,
                   "| path  | type | shape  | elements | bytes |\n"
                   "|:------|:-----|:-------|---------:|------:|\n"
                   "|       | list |        |        0 |     0 |\n"
                   "| total |      | 1 leaf |        0 |     0 |\n");
    assert_summary(PYTREE_TUPLE(), NULL,
                   "| path  | type | shape    | elements | bytes |\n"
                   "|:------|:-----|:---------|---------:|------:|\n"
                   "| total |      | 0 leaves |        0 |     0 |\n");
}

static void summary_of_long_paths(void **state)
{
    static char key[3001], text[40000], many[4][300 * 64 + 1];
    pytree_pair more[4];
    pytree_error error = { 0 };
    pytree t;
    pytree_pair pairs[2];
    pytree_items items = { 0 };
    size_t i, n, bars = 0;
    (void)state;
    memset(key, '|', 3000);
    pairs[0].key = key;
    pairs[0].value = PYTREE_INT(1);
    pairs[1].key = "|";
    pairs[1].value = PYTREE_INT(2);
    items.count = 2;
    items.pairs = pairs;
    t.type = &pytree_types[PYTREE__T_dict];
    t.data = &items;
    n = pytree_summary_text(t, text, sizeof text, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(n < sizeof text && n > 4 * 6000);
    for (i = 0; i < n; i++) { bars += text[i] == '\\' && text[i + 1] == '|'; }
    assert_int_equal(bars, 3001);
    assert_int_equal(sweep_allocations(body_summary, &t), 1);
    for (i = 0; i < 4; i++) {             /* each longer than what the last but one needed */
        memset(many[i], 'a' + (int)i, 300u << 2 * i);
        more[i].key = many[i];
        more[i].value = PYTREE_INT(1);
    }
    items.count = 4;
    items.pairs = more;
    assert_int_equal(sweep_allocations(body_summary, &t), 4);
}

static void summary_fails(void **state)
{
    Linear broken = { .din = 2, .dout = 2 };
    FILE *file = tmpfile(), *closed = fopen("pytree.h", "r");
    pytree_error error = { 0 };
    char text[10] = "before";
    (void)state;
    assert_true(file != NULL && closed != NULL);
    assert_error(pytree_summary(file, PYTREE(&broken), NULL, &error), PYTREE_NULL_POINTER, ".w", &error);
    assert_int_equal(ftell(file), 0);
    assert_int_equal(pytree_summary_text(PYTREE(&broken), text, sizeof text, NULL, NULL), SIZE_MAX);
    assert_string_equal(text, "");
    assert_int_equal(pytree_summary_text(PYTREE(&broken), NULL, 0, NULL, NULL), SIZE_MAX);
    memset(&error, 0, sizeof error);
    assert_error(pytree_summary(NULL, PYTREE_NONE, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_summary(closed, PYTREE_NONE, NULL, &error), PYTREE_IO, "", &error);
    fclose(file);
    fclose(closed);
}

/* ---- Arithmetic -------------------------------------------------------------------------------------------------------- */

/* Floats are computed as floats; where the compiler keeps more digits within an expression, in one. */
static float float_axpy(float a, float x, float y)
{
    const float sum = y + a * x;
    return sum;
}

static void axpy_adds(void **state)
{
    MLP x = mlp_make(2, true), y = mlp_make(2, true);
    pytree_error error = { 0 };
    float long_x[19], long_y[19];
    size_t i;
    (void)state;
    y.layers[0].w[0] = 0.1f;
    x.layers[0].w[0] = 3.0f;
    assert_ok(pytree_axpy(0.1, PYTREE(&x), PYTREE(&y), NULL, &error), &error);
    assert_true(y.layers[0].w[0] == float_axpy(0.1f, 3, 0.1f));
    assert_true(y.layers[0].w[1] == float_axpy(0.1f, 101, 101));
    assert_true(y.scale[1][2] == float_axpy(0.1f, 5.5f, 5.5f));
    assert_true(x.layers[0].w[1] == 101);
    assert_ok(pytree_axpy(-1, PYTREE(&x), PYTREE(&x), NULL, &error), &error);
    assert_true(x.layers[1].w[1] == 0 && x.scale[0][1] == 0);
    for (i = 0; i < 19; i++) {
        long_x[i] = (float)(i + 1) * 100 / 7;
        long_y[i] = (float)(i + 3) / 11;
    }
    assert_ok(pytree_axpy(0.1, PYTREE_ARRAY(long_x, 19), PYTREE_ARRAY(long_y, 19), NULL, &error), &error);
    for (i = 0; i < 19; i++) {
        assert_true(long_y[i] == float_axpy(0.1f, long_x[i], (float)(i + 3) / 11));
    }
    mlp_clear(&x);
    mlp_clear(&y);
}

static void complex_arithmetic(void **state)
{
    double x[4] = { 1, 2, 3, 4 }, y[4] = { 10, 20, 30, 40 }, dot, norm;
    pytree_leaf a = view_of(PYTREE_C128, x, 2), b = view_of(PYTREE_C128, y, 2);
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_axpy(2, pytree_of_view(&a), pytree_of_view(&b), NULL, &error), &error);
    assert_true(y[0] == 12 && y[1] == 24 && y[2] == 36 && y[3] == 48);
    assert_ok(pytree_dot(pytree_of_view(&a), pytree_of_view(&b), &dot, NULL, &error), &error);
    assert_true(dot == 12 + 48 + 108 + 192);
    assert_ok(pytree_norm(pytree_of_view(&a), &norm, NULL, &error), &error);
    assert_true(norm == sqrt(30));
}

/* Arrays in a file that was mapped may begin anywhere. */
static void numbers_at_odd_addresses(void **state)
{
    unsigned char bytes[20 * sizeof(float) + 1];
    float numbers[20], back[20];
    pytree_leaf odd = view_of(PYTREE_F32, bytes + 1, 20), v = PYTREE_VECTOR(back, 20);
    pytree_error error = { 0 };
    double dot, whole;
    size_t i;
    (void)state;
    for (i = 0; i < 20; i++) { numbers[i] = 0.25f * (float)i; }
    memcpy(bytes + 1, numbers, sizeof numbers);
    assert_ok(pytree_ravel(PYTREE(&odd), &v, NULL, &error), &error);
    assert_memory_equal(back, numbers, sizeof numbers);
    assert_ok(pytree_dot(PYTREE(&odd), PYTREE(&v), &dot, NULL, &error), &error);
    assert_ok(pytree_dot(PYTREE(&v), PYTREE(&v), &whole, NULL, &error), &error);
    assert_true(dot == whole);
    assert_ok(pytree_axpy(0.1, PYTREE(&v), PYTREE(&odd), NULL, &error), &error);
    assert_ok(pytree_axpy(0.1, PYTREE(&v), PYTREE_ARRAY(numbers, 20), NULL, &error), &error);
    assert_memory_equal(bytes + 1, numbers, sizeof numbers);  /* computed as those at addresses for floats */
}

static void arithmetic_refuses(void **state)
{
    float x[4] = { 1, 1, 1, 1 }, y[4] = { 2, 2, 2, 2 };
    int whole[4] = { 0 };
    pytree halves = PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2)), all = PYTREE_LIST(PYTREE_ARRAY(x, 4));
    pytree uneven = PYTREE_LIST(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 4));
    pytree integers = PYTREE_LIST(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(whole, 2));
    pytree matrix = PYTREE_LIST(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(y, 2, 2));
    pytree_error error = { 0 };
    double result = -1;
    (void)state;
    assert_error(pytree_axpy(1, halves, integers, NULL, &error), PYTREE_TYPE, "[1]", &error);
    assert_says(&error, "expected floats or complex numbers, got i32");
    assert_true(y[0] == 2);
    memset(&error, 0, sizeof error);
    assert_error(pytree_axpy(1, uneven, matrix, NULL, &error), PYTREE_SHAPE, "[1]", &error);
    assert_says(&error, "expected the shape of f32[4], got f32[2,2]");
    assert_true(y[0] == 2);
    memset(&error, 0, sizeof error);
    assert_error(pytree_dot(all, PYTREE_LIST(), &result, NULL, &error), PYTREE_STRUCTURE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_dot(PYTREE_ARRAY(x, 4), all, &result, NULL, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_norm(PYTREE_LIST(PYTREE_FLOAT(1), PYTREE_INT(1)), &result, NULL, &error), PYTREE_TYPE, "[1]", &error);
    assert_true(result == -1);
}

/* A tenth, often: a plain loop would lose five digits of the sum of floats, and two of that of doubles. */
static void long_sums_keep_their_digits(void **state)
{
    const size_t n = under_valgrind() ? 50000 : SANITIZED ? 500000 : 3000000;
    float *singles = malloc(n * sizeof *singles);
    double *doubles = malloc(n * sizeof *doubles), result, exact;
    pytree *many = malloc(n * sizeof *many);
    pytree_items items = { 0 };
    pytree t;
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_true(singles != NULL && doubles != NULL && many != NULL);
    for (i = 0; i < n; i++) {
        singles[i] = 0.1f;
        doubles[i] = 0.1;
        many[i].type = PYTREE_TYPE(double);
        many[i].data = &doubles[i];
    }
    exact = (double)n * ((double)singles[0] * (double)singles[0]);
    assert_ok(pytree_dot(PYTREE_ARRAY(singles, n), PYTREE_ARRAY(singles, n), &result, NULL, &error), &error);
    assert_true(fabs(result - exact) <= 5e-15 * exact);
    exact = (double)n * (0.1 * 0.1);
    assert_ok(pytree_dot(PYTREE_ARRAY(doubles, n), PYTREE_ARRAY(doubles, n), &result, NULL, &error), &error);
    assert_true(fabs(result - exact) <= 5e-15 * exact);
    items.count = n;
    items.items = many;
    t.type = &pytree_types[PYTREE__T_list];
    t.data = &items;
    assert_ok(pytree_dot(t, t, &result, NULL, &error), &error);
    assert_true(fabs(result - exact) <= 5e-15 * exact);
    assert_ok(pytree_norm(t, &result, NULL, &error), &error);
    assert_true(fabs(result - sqrt(exact)) <= 5e-15 * sqrt(exact));
    free(singles);
    free(doubles);
    free(many);
}

/* What rounding takes from the sum of blocks comes back. */
static void sums_of_leaves_are_compensated(void **state)
{
    double large = 1e16, one = 1, minus = -1e16, ones[3] = { 1, 1, 1 }, result;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_dot(PYTREE_LIST(PYTREE(&large), PYTREE(&one), PYTREE(&minus)),
                         PYTREE_LIST(PYTREE(&ones[0]), PYTREE(&ones[1]), PYTREE(&ones[2])), &result, NULL, &error), &error);
    assert_true(result == 1);
}

static void norms_at_the_ends_of_the_range(void **state)
{
    double large[2] = { 3e200, -4e200 }, small[2] = { 3e-300, 4e-300 }, least[1] = { 4.9406564584124654e-324 }, most[4];
    double strange[3] = { 1, INFINITY, -2 }, worse[3] = { INFINITY, NAN, 1 }, none[1] = { NAN }, zero[2] = { 0, -0.0 }, result;
    pytree_error error = { 0 };
    (void)state;
    most[0] = most[1] = most[2] = most[3] = DBL_MAX;
    assert_ok(pytree_norm(PYTREE_ARRAY(large, 2), &result, NULL, &error), &error);
    assert_true(fabs(result - 5e200) <= 1e-15 * 5e200);
    assert_ok(pytree_norm(PYTREE_ARRAY(small, 2), &result, NULL, &error), &error);
    assert_true(fabs(result - 5e-300) <= 1e-15 * 5e-300);
    assert_ok(pytree_norm(PYTREE_ARRAY(least, 1), &result, NULL, &error), &error);
    assert_true(result == least[0]);
    assert_ok(pytree_norm(PYTREE_ARRAY(most, 1), &result, NULL, &error), &error);
    assert_true(result == DBL_MAX);
    assert_ok(pytree_norm(PYTREE_ARRAY(most, 4), &result, NULL, &error), &error);
    assert_true(isinf(result));
    assert_ok(pytree_norm(PYTREE_ARRAY(strange, 3), &result, NULL, &error), &error);
    assert_true(isinf(result) && result > 0);
    assert_ok(pytree_norm(PYTREE_ARRAY(worse, 3), &result, NULL, &error), &error);
    assert_true(isnan(result));
    assert_ok(pytree_norm(PYTREE_ARRAY(none, 1), &result, NULL, &error), &error);
    assert_true(isnan(result));
    assert_ok(pytree_norm(PYTREE_ARRAY(zero, 2), &result, NULL, &error), &error);
    assert_true(result == 0);
    assert_ok(pytree_norm(PYTREE_NONE, &result, NULL, &error), &error);
    assert_true(result == 0);
    assert_ok(pytree_dot(PYTREE_LIST(), PYTREE_LIST(), &result, NULL, &error), &error);
    assert_true(result == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summary_of_leaves),
        cmocka_unit_test(summary_to_a_depth),
        cmocka_unit_test(summary_of_anything),
        cmocka_unit_test(summary_of_long_paths),
        cmocka_unit_test(summary_fails),
        cmocka_unit_test(axpy_adds),
        cmocka_unit_test(axpy_of_every_float),
        cmocka_unit_test(complex_arithmetic),
        cmocka_unit_test(numbers_at_odd_addresses),
        cmocka_unit_test(arithmetic_refuses),
        cmocka_unit_test(long_sums_keep_their_digits),
        cmocka_unit_test(sums_of_leaves_are_compensated),
        cmocka_unit_test(norms_at_the_ends_of_the_range)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
