/* How far trees are apart: pytree/deviation.h: tolerances by path, the table of errors; memory that runs out. */
#include "support.h"

#include "pytree/deviation.h"

#include <math.h>

static const pytree_tolerance loose = { .absolute = 0.5 }, strict = { .absolute = 1e-3 }, nans = { .nan_equal = true };

static void equal_within(void **state)
{
    MLP a = mlp_make(2, true), b = mlp_make(2, true);
    const pytree_group table[] = { { "**.w", &loose }, { ".scale", &nans }, { "**", &strict } };
    pytree_error error = { 0 };
    (void)state;
    a.layers[0].w[3] += 0.25f;
    a.layers[1].b[0] += 1.0f / 2048;
    a.scale[1][1] = b.scale[1][1] = NAN;
    assert_true(pytree_equal_within(PYTREE(&a), PYTREE(&b), COUNT_OF(table), table, NULL, &error));
    assert_int_equal(error.status, PYTREE_OK);
    assert_false(pytree_equal_within(PYTREE(&a), PYTREE(&b), 1, table + 2, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".layers[0].w", &error);
    assert_non_null(strstr(error.message, "at element 3"));
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal_within(PYTREE(&a), PYTREE(&b), 2, table, NULL, &error));     /* biases have no tolerance */
    assert_error(error.status, PYTREE_NOT_FOUND, ".layers[0].b", &error);
    memset(&error, 0, sizeof error);
    a.layers[1].b[0] += 1;
    assert_false(pytree_equal_within(PYTREE(&a), PYTREE(&b), COUNT_OF(table), table, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".layers[1].b", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal_within(PYTREE_LIST(PYTREE_INT(1)), PYTREE_TUPLE(PYTREE_INT(1)), 1, table + 2, NULL, &error));
    assert_int_equal(error.status, PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    assert_false(pytree_equal_within(PYTREE_INT(1), PYTREE_FLOAT(1), 1, table + 2, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    mlp_clear(&a);
    mlp_clear(&b);
}

/* Numbers that are not finite on one side only, the largest error first, and integers that are one double. */
static void numbers_one_by_one(void **state)
{
    double a[3] = { 1, 1, 1 }, b[3] = { INFINITY, 2, 1.125 };
    int64_t i = INT64_C(9007199254740992), j = i + 1;
    const pytree_tolerance half = { .absolute = 0.5 }, two = { .absolute = 2 };
    const pytree_group narrow[] = { { "**", &half } }, wide[] = { { "**", &two } };
    pytree_error error = { 0 };
    pytree_deviation_list *list = pytree_deviations(PYTREE_ARRAY(a, 3), PYTREE_ARRAY(b, 3), 0, NULL, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(list->leaves[0].not_finite == 1 && list->leaves[0].differing == 3);
    assert_true(list->leaves[0].absolute == 1 && list->leaves[0].absolute_at == 1);
    assert_true(list->leaves[0].relative == 0.5 && list->leaves[0].relative_at == 1);
    pytree_deviation_free(list);
    list = pytree_deviations(PYTREE(&i), PYTREE(&j), 1, narrow, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(list->leaves[0].differing == 1 && list->leaves[0].absolute == 1);
    pytree_deviation_free(list);
    list = pytree_deviations(PYTREE(&i), PYTREE(&j), 1, wide, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(list->leaves[0].differing == 0 && list->leaves[0].absolute == 1);
    pytree_deviation_free(list);
    list = pytree_deviations(PYTREE(&i), PYTREE(&i), 1, narrow, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(list->leaves[0].differing == 0 && list->leaves[0].absolute == 0);
    pytree_deviation_free(list);
}

static bool stop_at_points(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_STRUCT && strcmp(value->type->name, "Point") == 0;
}

/* Subtrees that a predicate makes leaves have the tolerance of their path. */
static void subtrees(void **state)
{
    Point p = { 1, 2 }, q = { 1, 2.25f };
    const pytree_group wide[] = { { "**", &loose } }, narrow[] = { { "[1]", &loose }, { "**", NULL } };
    const pytree_options opt = { .is_leaf = stop_at_points };
    const pytree a = PYTREE_LIST(PYTREE(&p)), b = PYTREE_LIST(PYTREE(&q));
    pytree_error error = { 0 };
    pytree_deviation_list *list;
    (void)state;
    assert_true(pytree_equal_within(a, b, 1, wide, &opt, &error));
    assert_false(pytree_equal_within(a, b, 2, narrow, &opt, &error));
    assert_error(error.status, PYTREE_VALUE, "[0]", &error);
    list = pytree_deviations(a, b, 2, narrow, &opt, NULL);
    assert_non_null(list);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->leaves[0].differing, 1);
    pytree_deviation_free(list);
}

static void diff_within(void **state)
{
    MLP a = mlp_make(2, false), b = mlp_make(2, true);
    const pytree_group table[] = { { "**.w", &loose }, { "**", NULL } };
    pytree_difference_list *list;
    char text[300];
    (void)state;
    b.layers[0].w[3] += 0.25f;
    b.layers[1].w[1] += 2;
    b.layers[1].b[1] += 0.25f;
    list = pytree_diff_within(PYTREE(&a), PYTREE(&b), 2, table, NULL, NULL);
    assert_non_null(list);
    pytree_diff_text(list, text, sizeof text);
    assert_string_equal(text, "! .layers[1].w: 201.0 at element 1 -> 203.0 at element 1\n"
                              "! .layers[1].b: -199.0 at element 1 -> -198.75 at element 1\n! .head: None -> Linear[(2, 2)]\n");
    pytree_diff_free(list);
    mlp_clear(&a);
    mlp_clear(&b);
}

static void table_of_errors(void **state)
{
    double x[2][2] = { { 1, 2 }, { 4, NAN } };
    float y[2][2] = { { 1, 2.5f }, { 3, 0 } };
    const char *s = "a", *t = "b";
    int64_t i = INT64_MAX, j = INT64_MAX - 1;
    const pytree_group table[] = { { "['x']", &loose }, { "**", NULL } };
    const pytree a = PYTREE_DICT({ "x", PYTREE_ARRAY(&x[0][0], 2, 2) }, { "s", PYTREE(&s) }, { "i", PYTREE(&i) },
                                 { "n", PYTREE_NONE });
    const pytree b = PYTREE_DICT({ "x", PYTREE_ARRAY(&y[0][0], 2, 2) }, { "s", PYTREE(&t) }, { "i", PYTREE(&j) },
                                 { "n", PYTREE_NONE });
    pytree_deviation_list *list = pytree_deviations(a, b, 2, table, NULL, NULL);
    char text[600];
    size_t n;
    (void)state;
    assert_non_null(list);
    assert_int_equal(list->n, 3);
    assert_int_equal(list->n_differing, 3);
    assert_string_equal(list->leaves[0].path, "['i']");
    assert_true(list->leaves[0].absolute == 1 && list->leaves[0].differing == 1);
    assert_int_equal(list->leaves[1].first, 0);
    assert_int_equal(list->leaves[2].elements, 4);
    assert_int_equal(list->leaves[2].differing, 2);                        /* 0.5 is within 0.5 */
    assert_int_equal(list->leaves[2].first, 2);
    assert_int_equal(list->leaves[2].not_finite, 1);
    assert_true(list->leaves[2].absolute == 1 && list->leaves[2].absolute_at == 2);
    assert_true(list->leaves[2].relative == 0.25 && list->leaves[2].relative_at == 2);
    n = pytree_deviation_text(list, text, sizeof text);
    assert_int_equal(n, strlen(text));
    assert_string_equal(text, "| path  | differing | largest error | relative error     |\n"
                              "|:------|:----------|:--------------|:-------------------|\n"
                              "| ['i'] | 1 of 1    | 1.0 at 0      | 1.0842022e-19 at 0 |\n"
                              "| ['s'] | 1 of 1    | 0.0           | 0.0                |\n"
                              "| ['x'] | 2 of 4    | 1.0 at 2      | 0.25 at 2          |\n");
    pytree_deviation_free(list);
    list = pytree_deviations(a, a, 0, NULL, NULL, NULL);
    assert_non_null(list);
    assert_int_equal(list->n_differing, 1);                                /* NaN */
    pytree_deviation_free(list);
    assert_int_equal(pytree_deviation_text(NULL, text, sizeof text), 0);
    pytree_deviation_free(NULL);
}

/* Leaves without data are shapes: nothing in them differs. None with none_is_leaf, integers of 64 bits, complex numbers. */
static void leaves_of_other_kinds(void **state)
{
    float x = 1, y = 2;
    uint64_t u = UINT64_MAX, v = UINT64_MAX - 3;
    int64_t i = 5, j = 9;
    double c[2] = { 1, 2 }, d[2] = { 1.5, 2 };
    pytree_leaf shape = { .type = PYTREE_TYPE(float) }, p = { .data = c, .type = &pytree_types[PYTREE__T_cdouble] }, q = p;
    const pytree_group wide[] = { { "**", &(pytree_tolerance){ .absolute = 4 } } };
    pytree a = PYTREE_LIST(PYTREE_NONE, PYTREE(&u), PYTREE(&i), pytree_of_view(&p));
    pytree b = PYTREE_LIST(PYTREE_NONE, PYTREE(&v), PYTREE(&j), pytree_of_view(&q));
    const pytree_options opt = { .none_is_leaf = true };
    pytree_def *def = pytree_structure(PYTREE(&x), NULL, NULL);
    pytree_flat flats[2];
    pytree_leaf leaves[2];
    pytree_error error = { 0 };
    pytree_deviation_list *list;
    size_t k, n;
    (void)state;
    q.data = d;
    list = pytree_deviations(a, b, 0, NULL, &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n_differing, 3);
    assert_true(list->leaves[0].differing == 0 && list->leaves[1].absolute == 3 && list->leaves[2].absolute == 4);
    assert_true(list->leaves[3].absolute == 0.5 && list->leaves[3].differing == 1);
    pytree_deviation_free(list);
    list = pytree_deviations(a, b, 1, wide, &opt, &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n_differing, 0);
    pytree_deviation_free(list);
    for (k = 0; k < 4; k++) {
        leaves[0] = leaves[1] = shape;
        for (n = 0; n < 2; n++) {
            if ((k >> n & 1) != 0) { leaves[n].data = n == 0 ? &x : &y; }
            flats[n] = (pytree_flat){ .def = def, .leaves = &leaves[n] };
        }
        list = pytree_deviations(PYTREE(&flats[0]), PYTREE(&flats[1]), 0, NULL, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(list->n_differing, k == 3);
        pytree_deviation_free(list);
    }
    pytree_def_free(def);
}

/* A predicate that answers otherwise when it is asked again, so that there are more leaves, or fewer. */
typedef struct Fickle { size_t asked, from, to; } Fickle;

static bool stops_between(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Fickle *fickle = context;
    (void)path;
    if (value->form == PYTREE_FORM_LEAF) { return false; }
    fickle->asked++;
    return fickle->asked > fickle->from && fickle->asked <= fickle->to;
}

static void predicates_that_change_their_mind(void **state)
{
    float x = 1, y = 2;
    const pytree pair = PYTREE_LIST(PYTREE(&x), PYTREE(&y)), t = PYTREE_LIST(pair, pair);
    size_t from, to, failed = 0;
    (void)state;
    for (from = 0; from < 12; from++) {
        for (to = from + 1; to < 13; to++) {
            Fickle fickle = { 0, from, to };
            const pytree_options opt = { .is_leaf = stops_between, .is_leaf_context = &fickle };
            pytree_error error = { 0 };
            pytree_deviation_list *list = pytree_deviations(t, t, 0, NULL, &opt, &error);
            assert_int_equal(list == NULL, error.status != PYTREE_OK);
            failed += list == NULL;
            pytree_deviation_free(list);
        }
    }
    assert_in_range(failed, 1, 77);
}

static void what_is_refused(void **state)
{
    float x[4] = { 0 };
    double d[2] = { 0 };
    pytree_leaf p = { .data = d, .type = &pytree_types[PYTREE__T_cdouble] };
    pytree_error error = { 0 };
    (void)state;
    assert_null(pytree_deviations(PYTREE(&x[0]), pytree_of_view(&p), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_deviations(PYTREE_INT(1), PYTREE_STR("a"), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_deviations(PYTREE_ARRAY(x, 1, 4), PYTREE_ARRAY(x, 2, 2), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_deviations(PYTREE(&x[0]), PYTREE_NONE, 0, NULL, &(pytree_options){ .none_is_leaf = true }, &error));
    assert_int_not_equal(error.status, PYTREE_OK);
    memset(&error, 0, sizeof error);
    assert_null(pytree_deviations(PYTREE_ARRAY(x, 4), PYTREE_ARRAY(x, 2, 2), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_SHAPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_deviations(PYTREE_LIST(PYTREE_STR("a")), PYTREE_LIST(PYTREE_INT(1)), 0, NULL, NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "[0]", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_deviations(PYTREE_LIST(PYTREE_INT(1)), PYTREE_LIST(), 0, NULL, NULL, &error));
    assert_int_equal(error.status, PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_deviation_print(NULL, NULL, &error), PYTREE_ARGUMENT);
}

typedef struct Two {
    pytree a, b;
} Two;

static pytree_status deviations_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_group table[] = { { "**", &loose } };
    const Two *two = context;
    pytree_deviation_list *list = pytree_deviations(two->a, two->b, 1, table, opt, err);
    pytree_difference_list *differences = NULL;
    if (err->status == PYTREE_OK) { differences = pytree_diff_within(two->a, two->b, 1, table, opt, err); }
    if (err->status == PYTREE_OK) { (void)pytree_equal_within(two->a, two->a, 1, table, opt, err); }
    pytree_deviation_free(list);
    pytree_diff_free(differences);
    return err->status;
}

static void allocations(void **state)
{
    MLP a = mlp_make(3, true), b = mlp_make(3, true);
    Two two = { PYTREE(&a), PYTREE(&b) };
    (void)state;
    b.layers[0].w[3] += 1;
    assert_in_range(sweep_allocations(deviations_body, &two), 5, 60);
    mlp_clear(&a);
    mlp_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_within), cmocka_unit_test(numbers_one_by_one), cmocka_unit_test(subtrees),
        cmocka_unit_test(diff_within),
        cmocka_unit_test(table_of_errors), cmocka_unit_test(leaves_of_other_kinds),
            cmocka_unit_test(predicates_that_change_their_mind),
        cmocka_unit_test(what_is_refused), cmocka_unit_test(allocations)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
