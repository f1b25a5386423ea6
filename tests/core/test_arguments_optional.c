/* Arguments of the optional headers that are mistakes: NULL, nothing, buffers without room. Each is an error in words, or has
 * no effect, and none a crash. */
#include "support.h"
#include "pytree/algebra.h"
#include "pytree/cache.h"
#include "pytree/filter.h"
#include "pytree/layout.h"
#include "pytree/object.h"

/* The error of the call that was just made: that status, and these words. */
static void assert_says(pytree_error *error, pytree_status status, const char *words)
{
    assert_int_equal(error->status, status);
    if (strstr(error->message, words) == NULL) { fail_msg("expected \"%s\", got \"%s\"", words, error->message); }
    memset(error, 0, sizeof *error);
}

static const pytree nothing;

PYTREE_CLASS(Thing, Pytree);

static void objects(void **state)
{
    pytree_error error = { 0 };
    pytree_attribute attribute;
    pytree object = pytree_new_object(&pytree_class_Thing, NULL, &error);
    char name[20];
    unsigned i;
    (void)state;
    assert_ok(error.status, &error);
    (void)pytree_object_attribute(object, 0, NULL, &error);
    assert_says(&error, PYTREE_ARGUMENT, "expected a place for the attribute, got NULL");
    (void)pytree_object_attribute(nothing, 0, &attribute, &error);
    assert_says(&error, PYTREE_NOT_FOUND, "below the 0 attributes of nothing, got 0");
    assert_int_not_equal(pytree_object_remove(nothing, "a", &error), PYTREE_OK);
    assert_int_not_equal(error.status, PYTREE_OK);
    memset(&error, 0, sizeof error);
    (void)pytree_object_remove(object, "a", &error);
    assert_says(&error, PYTREE_NOT_FOUND, "expected an attribute that exists, got 'a'");
    for (i = 0; i < 30; i++) {
        snprintf(name, sizeof name, "attribute%02u", i);
        assert_ok(pytree_object_put(object, name, PYTREE_INT(1), &error), &error);
    }
    (void)pytree_object_remove(object, "a", &error);
    assert_says(&error, PYTREE_NOT_FOUND, "expected 'attribute00', 'attribute01', ");
    (void)pytree_object_remove(object, "a", &error);
    assert_says(&error, PYTREE_NOT_FOUND, " others, got 'a'");
    (void)pytree_object_remove(object, NULL, &error);
    assert_int_not_equal(error.status, PYTREE_OK);
    memset(&error, 0, sizeof error);
    (void)pytree_variable_metadata(nothing, "a", NULL, &error);
    assert_says(&error, PYTREE_NOT_FOUND, "expected metadata of a variable, got none of the name 'a'");
    (void)pytree_variable_metadata(nothing, NULL, NULL, &error);
    assert_says(&error, PYTREE_NOT_FOUND, "expected metadata of a variable, got none of the name NULL");
    assert_int_not_equal(pytree_variable_remove_metadata(nothing, "a", NULL), PYTREE_OK);
    pytree_level_enter(NULL);
    pytree_level_leave(NULL);
    pytree_free(object);
}

static void functions_and_counts(void **state)
{
    pytree_error error = { 0 };
    float x = 1;
    pytree_flat passing, failing;
    (void)state;
    assert_int_not_equal(pytree_partition(PYTREE(&x), NULL, NULL, PYTREE_NONE, &passing, &failing, NULL, &error), PYTREE_OK);
    assert_says(&error, PYTREE_ARGUMENT, "a function that chooses leaves");
    assert_int_equal(pytree_jit_count(NULL).misses, 0);
    assert_int_equal(pytree_jit_count(NULL).hits, 0);
}

/* Texts without a buffer have their length, or an error and no more. */
static void no_room(void **state)
{
    pytree_error error = { 0 };
    char text[4000];
    float x = 1;
    pytree_def *def = pytree_structure(PYTREE(&x), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(pytree_layout_def_text(def, NULL, 0, NULL, &error),
                     pytree_layout_def_text(def, text, sizeof text, NULL, &error));
    assert_int_equal(pytree_layout_type_text(PYTREE_TYPE(float), NULL, 0, NULL, &error),
                     pytree_layout_type_text(PYTREE_TYPE(float), text, sizeof text, NULL, &error));
    assert_ok(error.status, &error);
    assert_int_equal(pytree_layout_def_text(NULL, NULL, 0, NULL, &error), SIZE_MAX);
    assert_says(&error, PYTREE_ARGUMENT, "expected a treedef, got NULL");
    assert_int_equal(pytree_layout_type_text(NULL, NULL, 0, NULL, &error), SIZE_MAX);
    assert_says(&error, PYTREE_ARGUMENT, "expected a type, got NULL");
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(objects), cmocka_unit_test(functions_and_counts), cmocka_unit_test(no_room)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
