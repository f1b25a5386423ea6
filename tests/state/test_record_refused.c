/* What recording, popping and updating refuse, and that nothing is recorded then; arrays of every type that are perturbed; what
 * is data. */
#include "containers/containers_shared.h"
#include "pytree/ravel.h"
#include "pytree/record.h"

PYTREE_CLASS(Part, Module);

#define REFUSED(call, wanted, path, text)                                                                               \
    do {                                                                                                                \
        memset(&error, 0, sizeof error);                                                                                \
        assert_error((call), wanted, path, &error);                                                                     \
        assert_string_equal(error.message, text);                                                                       \
    } while (0)

static void modules_and_names(void **state)
{
    pytree_error error = { 0 };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error);
    const pytree nothing = { NULL, NULL }, empty = { part.type, NULL };
    const pytree_type *const role = &pytree_role_Intermediate;
    (void)state;
    REFUSED(pytree_sow(part, role, NULL, PYTREE_INT(1), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a module, a role and a name, got no name");
    REFUSED(pytree_sow(part, NULL, "x", PYTREE_INT(1), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a module, a role and a name, got no role");
    REFUSED(pytree_sow(part, PYTREE_TYPE(int), "x", PYTREE_INT(1), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a module, a role and a name, got no role");
    REFUSED(pytree_sow(nothing, role, "x", PYTREE_INT(1), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a module, a role and a name, got no module");
    REFUSED(pytree_sow(empty, role, "x", PYTREE_INT(1), NULL, &error), PYTREE_ARGUMENT, "",
            "expected a module, a role and a name, got no module");
    assert_int_equal(pytree_object_length(part), 0);
    assert_int_equal(pytree_object_length(nothing), 0);
    assert_int_equal(pytree_object_length(PYTREE_INT(1)), 0);
    assert_null(pytree_new_object(NULL, NULL, NULL).type);
    assert_null(pytree_new_object(PYTREE_TYPE(int), NULL, NULL).type);
    assert_null(pytree_new_variable(NULL, PYTREE_INT(1), NULL, NULL).type);
    assert_null(pytree_new_variable(PYTREE_TYPE(int), PYTREE_INT(1), NULL, NULL).type);
    pytree_container_free(part);
}

/* The first call stores zeros, a later one adds what has been put there. */
static void perturbed_as(pytree_dtype dtype, size_t parts, bool wide)
{
    float single[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    double both[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
    pytree_error error = { 0 };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error), stored;
    pytree_leaf x = { .data = wide ? (void *)both : (void *)single, .type = pytree_dtype_type(dtype), .ndim = 1 };
    pytree_leaf at;
    size_t n = 0;
    x.shape[0] = 3;
    assert_ok(pytree_perturb(part, "x", &x, &error), &error);
    stored = pytree_object_get(part, "x", &error);
    assert_ok(pytree_leaves(stored, &at, 1, &n, NULL, &error), &error);
    assert_true(n == 1 && at.type->dtype == dtype && at.ndim == 1 && at.shape[0] == 3);
    for (size_t i = 0; i < 3 * parts; i++) {
        if (wide) { ((double *)at.data)[i] = 10; } else { ((float *)at.data)[i] = 10; }
    }
    assert_ok(pytree_perturb(part, "x", &x, &error), &error);
    for (size_t i = 0; i < 8; i++) {
        assert_true((wide ? both[i] : (double)single[i]) == (double)(i + 1) + (i < 3 * parts ? 10 : 0));
    }
    pytree_container_free(part);
}

static void arrays_that_are_perturbed(void **state)
{
    pytree_error error = { 0 };
    int whole[2] = { 1, 2 };
    float none[1] = { 0 };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error);
    pytree_leaf x = { .data = whole, .type = PYTREE_TYPE(int), .ndim = 1, .shape = { 2 } };
    (void)state;
    perturbed_as(PYTREE_F32, 1, false);
    perturbed_as(PYTREE_F64, 1, true);
    perturbed_as(PYTREE_C64, 2, false);
    perturbed_as(PYTREE_C128, 2, true);
    REFUSED(pytree_perturb(part, "x", NULL, &error), PYTREE_TYPE, "", "expected an array of float or double, got NULL");
    REFUSED(pytree_perturb(part, "x", &x, &error), PYTREE_TYPE, "", "expected an array of float or double, got i32");
    x.type = NULL;
    REFUSED(pytree_perturb(part, "x", &x, &error), PYTREE_TYPE, "", "expected an array of float or double, got NULL");
    x.type = PYTREE_TYPE(float);
    x.form = PYTREE_FORM_NONE;
    REFUSED(pytree_perturb(part, "x", &x, &error), PYTREE_TYPE, "", "expected an array of float or double, got f32");
    assert_int_equal(pytree_object_length(part), 0);
    x = (pytree_leaf){ .data = none, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 0 } };
    memset(&error, 0, sizeof error);
    assert_ok(pytree_perturb(part, "none", &x, &error), &error);
    assert_ok(pytree_perturb(part, "none", &x, &error), &error);
    pytree_container_free(part);
}

static pytree_status never(void *context, pytree t, pytree_error *err)
{
    (void)context;
    (void)t;
    (void)err;
    fail_msg("a function was called");
    return PYTREE_OK;
}

static void filters_and_places(void **state)
{
    pytree_error error = { 0 };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error), taken = { NULL, NULL };
    const pytree nothing = { NULL, NULL };
    const pytree_filter all = PYTREE_EVERYTHING;
    const char *const words = "expected a function, filters and a place for the result, got NULL or none";
    (void)state;
    REFUSED(pytree_pop(part, 0, &all, &taken, NULL, &error), PYTREE_FILTER, "",
            "expected at least one filter and a place for the result, got none");
    REFUSED(pytree_pop(part, 1, NULL, &taken, NULL, &error), PYTREE_ARGUMENT, "",
            "expected at least one filter and a place for the result, got NULL");
    REFUSED(pytree_pop(part, 1, &all, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected at least one filter and a place for the result, got NULL");
    REFUSED(pytree_capture(part, 1, &all, nothing, NULL, NULL, &taken, NULL, &error), PYTREE_ARGUMENT, "", words);
    REFUSED(pytree_capture(part, 0, &all, nothing, never, NULL, &taken, NULL, &error), PYTREE_ARGUMENT, "", words);
    REFUSED(pytree_capture(part, 1, NULL, nothing, never, NULL, &taken, NULL, &error), PYTREE_ARGUMENT, "", words);
    REFUSED(pytree_capture(part, 1, &all, nothing, never, NULL, NULL, NULL, &error), PYTREE_ARGUMENT, "", words);
    REFUSED(pytree_object_update(part, 1, NULL, NULL, &error), PYTREE_ARGUMENT, "", "expected 1 states, got NULL");
    memset(&error, 0, sizeof error);
    assert_ok(pytree_object_update(part, 0, NULL, NULL, &error), &error);
    REFUSED(pytree_set_metadata(part, all, NULL, PYTREE_INT(1), NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a name and a value of metadata, got NULL");
    REFUSED(pytree_set_metadata(part, all, "x", nothing, NULL, NULL, &error), PYTREE_ARGUMENT, "",
            "expected a name and a value of metadata, got no value");
    pytree_container_free(part);
}

/* A level that is left as often as it was entered, and no level. */
static void levels(void **state)
{
    pytree_level level = { 0 };
    (void)state;
    pytree_level_leave(NULL);
    pytree_level_leave(&level);
    assert_int_equal(level.depth, 0);
    pytree_level_enter(&level);
    assert_int_equal(level.depth, 1);
    pytree_level_leave(&level);
    assert_int_equal(level.depth, 0);
}

/* Numbers, arrays and nodes with children are data; words, numbers of a literal, None and what is marked as static are not. */
static void what_is_data(void **state)
{
    float x[2] = { 1, 2 };
    pytree_leaf array = { .data = x, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 2 } }, none = array, *no_view = NULL;
    const pytree inner = PYTREE_ARRAY(x, 2), nothing = { NULL, NULL };
    (void)state;
    none.form = PYTREE_FORM_NONE;
    assert_true(pytree_is_data(PYTREE(&array)));
    assert_true(pytree_is_data(inner));
    assert_true(pytree_is_data(PYTREE((pytree *)(uintptr_t)&inner)));
    assert_false(pytree_is_data(PYTREE(&none)));
    assert_false(pytree_is_data(PYTREE(no_view)));
    assert_false(pytree_is_data(nothing));
    assert_false(pytree_is_data(PYTREE_NONE));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(modules_and_names), cmocka_unit_test(arrays_that_are_perturbed), cmocka_unit_test(filters_and_places),
        cmocka_unit_test(levels), cmocka_unit_test(what_is_data)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
