/* States at the edges: more types than are noted at a time, places that are prefixes of others, values that share inside,
 * filters and values that fail, memory that runs out where keys are sorted. */
#include "containers/containers_shared.h"
#include "pytree/object.h"
#include "pytree/state.h"

/* ---- More types than are noted -------------------------------------------------------------------------------------- */

PYTREE_CLASS(A0, Module); PYTREE_CLASS(A1, Module); PYTREE_CLASS(A2, Module); PYTREE_CLASS(A3, Module);
PYTREE_CLASS(A4, Module); PYTREE_CLASS(A5, Module); PYTREE_CLASS(A6, Module); PYTREE_CLASS(A7, Module);
PYTREE_CLASS(B0, Module); PYTREE_CLASS(B1, Module); PYTREE_CLASS(B2, Module); PYTREE_CLASS(B3, Module);
PYTREE_CLASS(B4, Module); PYTREE_CLASS(B5, Module); PYTREE_CLASS(B6, Module); PYTREE_CLASS(B7, Module);
PYTREE_CLASS(C0, Module); PYTREE_CLASS(C1, Module); PYTREE_CLASS(C2, Module); PYTREE_CLASS(C3, Module);

static const pytree_type *const classes[] = {
    &pytree_class_A0, &pytree_class_A1, &pytree_class_A2, &pytree_class_A3, &pytree_class_A4,
    &pytree_class_A5, &pytree_class_A6, &pytree_class_A7, &pytree_class_B0, &pytree_class_B1,
    &pytree_class_B2, &pytree_class_B3, &pytree_class_B4, &pytree_class_B5, &pytree_class_B6,
    &pytree_class_B7, &pytree_class_C0, &pytree_class_C1, &pytree_class_C2, &pytree_class_C3,
};
enum { CLASSES = COUNT_OF(classes), PARTS = 2 * CLASSES };

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

static pytree new_part(const pytree_type *class, float number, pytree_error *error)
{
    pytree part = pytree_new_object(class, NULL, error);
    pytree w = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(&number, 1), NULL, error);
    assert_ok(pytree_object_put_own(part, "w", w, error), error);
    return part;
}

/* Two parts of each class: the state of the second is that of the first again. */
static void more_types_than_are_noted(void **state)
{
    pytree_error error = { 0 };
    pytree parts[PARTS];
    pytree_items items = { .items = parts, .count = PARTS };
    const pytree t = { PYTREE_LIST().type, &items };
    pytree_flat all;
    pytree changed;
    (void)state;
    for (size_t i = 0; i < PARTS; i++) { parts[i] = new_part(classes[i / 2], (float)i, &error); }
    all = pytree_state(t, PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(all.def->n_leaves, PARTS);
    for (size_t i = 0; i < PARTS; i++) { assert_true(*(const float *)all.leaves[i].data == (float)i); }
    changed = pytree_clone(PYTREE(&all), NULL, &error);
    for (size_t i = 0; i < PARTS; i++) {
        char path[40];
        snprintf(path, sizeof path, "[%d]['w'].value[0]", (int)i);
        *(float *)pytree_at(changed, path, NULL, &error).data = 100.0f + (float)i;
        assert_ok(error.status, &error);
    }
    assert_ok(pytree_update(t, 1, &changed, NULL, &error), &error);
    for (size_t i = 0; i < PARTS; i++) { assert_true(*(const float *)all.leaves[i].data == 100.0f + (float)i); }
    pytree_free(changed);
    pytree_flat_free(&all);
    for (size_t i = 0; i < PARTS; i++) { pytree_container_free(parts[i]); }
}

/* Each in the one before: when the outer ones are left, the inner ones have been noted. */
static void more_types_in_each_other(void **state)
{
    pytree_error error = { 0 };
    pytree top = new_part(classes[0], 0, &error), list[2] = { top, new_part(classes[1], 1, &error) };
    const pytree t = PYTREE_LIST(list[0], list[1]);
    pytree_flat all;
    pytree changed;
    (void)state;
    for (size_t i = 1; i < CLASSES; i++) {
        pytree inner = new_part(classes[i], (float)i, &error);
        assert_ok(pytree_object_put_own(top, "inner", inner, &error), &error);
        top = inner;
    }
    all = pytree_state(t, PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(all.def->n_leaves, CLASSES + 1);
    changed = pytree_clone(PYTREE(&all), NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_update(t, 1, &changed, NULL, &error), &error);
    assert_true(pytree_equal(PYTREE(&all), changed, NULL, NULL, &error));
    pytree_free(changed);
    pytree_flat_free(&all);
    pytree_container_free(list[0]);
    pytree_container_free(list[1]);
}

/* ---- Places --------------------------------------------------------------------------------------------------------- */

static void places_that_are_prefixes(void **state)
{
    pytree_error error = { 0 };
    const pytree leaf = PYTREE_DICT({ "a", PYTREE_INT(1) }), node = PYTREE_DICT({ "a", PYTREE_DICT({ "b", PYTREE_INT(2) }) });
    pytree_flat left = pytree_state_minus(leaf, node, NULL, &error), right = pytree_state_minus(node, leaf, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_def_text(PYTREE(&left), "PyTreeDef({'a': *})", NULL);
    assert_def_text(PYTREE(&right), "PyTreeDef({'a': {'b': *}})", NULL);
    pytree_flat_free(&left);
    pytree_flat_free(&right);
}

static void updates_by_one_leaf(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(classes[0], 5, &error), leaf = PYTREE_ARRAY(numbers, 1);
    (void)state;
    assert_error(pytree_update(part, 1, &leaf, NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_true(*(const float *)pytree_at(part, ".w.value", NULL, NULL).data == 5);
    pytree_container_free(part);
}

static void scalars_in_variables(void **state)
{
    static double number = 1;
    pytree_error error = { 0 };
    pytree part = pytree_new_object(classes[0], NULL, &error);
    pytree v = pytree_new_variable(&pytree_role_Param, PYTREE_NONE, NULL, &error);
    const pytree change = PYTREE_DICT({ "x", PYTREE_VARIABLE(Param, PYTREE_FLOAT(9)) });
    (void)state;
    assert_ok(pytree_variable_set(v, PYTREE(&number), &error), &error);
    assert_ok(pytree_object_put_own(part, "x", v, &error), &error);
    assert_ok(pytree_update(part, 1, &change, NULL, &error), &error);
    assert_true(*(const double *)pytree_at(part, ".x.value", NULL, NULL).data == 9.0);
    *(double *)pytree_at(part, ".x.value", NULL, NULL).data = 8;
    assert_ok(pytree_update(part, 1, &change, &(pytree_options){ .space = "elsewhere" }, &error), &error);
    assert_true(*(const double *)pytree_at(part, ".x.value", NULL, NULL).data == 9.0);
    pytree_container_free(part);
}

/* A bit-field and a prefix that cannot be what they are to be; no attribute is found then. */
typedef struct Bits { unsigned wide : 3; float x; } Bits;

#define PYTREE_STRUCT Bits
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, wide, BITS) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static void values_that_do_not_fit(void **state)
{
    const pytree_filter all = PYTREE_EVERYTHING, odd = PYTREE_PATH("[");
    const pytree missing = { NULL, NULL }, one = PYTREE_INT(1);
    pytree_error error = { 0 };
    Bits bits = { 5, 1 };
    size_t found = 9;
    (void)state;
    assert_error(pytree_set_attributes(PYTREE(&bits), all, "wide", PYTREE_STR("no"), &found, NULL, &error), PYTREE_TYPE, NULL,
                 &error);
    assert_int_equal(found, 0);
    assert_int_equal(bits.wide, 5);
    memset(&error, 0, sizeof error);
    assert_null(pytree_prefix(PYTREE(&bits), 1, &all, &missing, NULL, NULL, &error).def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_prefix(PYTREE(&bits), 1, &odd, &one, NULL, NULL, &error).def);
    assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
}

/* A value that holds one list twice, and nothing from outside. */
static void values_that_share_inside(void **state)
{
    pytree_error error = { 0 };
    pytree part = pytree_new_object(classes[0], NULL, &error), inner = pytree_new_list(NULL, &error);
    pytree v;
    pytree_flat all;
    Point point = { 1, 2 };
    (void)state;
    assert_ok(pytree_list_append_copy(inner, PYTREE_ARRAY(numbers, 2), &error), &error);
    v = pytree_new_variable(&pytree_role_Param, PYTREE_NONE, NULL, &error);
    assert_ok(pytree_object_put_own(part, "x", v, &error), &error);
    assert_ok(pytree_variable_set(v, PYTREE_LIST(inner, inner), &error), &error);
    all = pytree_state(part, PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    pytree_flat_free(&all);
    all = pytree_state(PYTREE_DICT({ "v", PYTREE_VARIABLE(Param, PYTREE_LIST(PYTREE(&point), PYTREE(&point))) }),
                       PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    pytree_flat_free(&all);
    pytree_container_free(part);
    pytree_container_free(inner);
}

/* The keys of a place that is a dict are put in order, which takes memory where there are many. */
static pytree_status sweep_places(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_place_list *const list = (pytree_place_list *)context;
    pytree_flat flat = pytree_of_places(list->n, list->places, opt, err);
    pytree_flat_free(&flat);
    return err->status;
}

static void places_with_many_keys(void **state)
{
    enum { KEYS = 60 };
    static char names[KEYS][4];
    pytree_pair pairs[KEYS];
    pytree_items items = { .pairs = pairs, .count = KEYS };
    static float many[KEYS];
    const pytree dict = { PYTREE_DICT().type, &items }, as_they_are = { PYTREE_ODICT().type, &items };
    const pytree v = { &pytree_role_Param, &(pytree_variable){ .value = dict } };
    pytree_error error = { 0 };
    pytree_place_list *list;
    (void)state;
    for (int i = 0; i < KEYS; i++) {
        snprintf(names[i], sizeof names[i], "k%02d", KEYS - i);
        pairs[i] = (pytree_pair){ names[i], PYTREE(&many[i]) };
    }
    list = pytree_places(PYTREE_DICT({ "a", v }), PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n, 1);
    assert_true(sweep_allocations(sweep_places, list) > 2);
    pytree_places_free(list);
    list = pytree_places(as_they_are, PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n, KEYS);
    for (size_t i = 0; i < KEYS; i++) { assert_string_equal(list->places[i].path.entries[0].name, names[KEYS - 1 - i]); }
    pytree_places_free(list);
}

/* A struct without leaves, which the state has some for: what follows it takes nothing of them. */
typedef struct Unit { float *w; } Unit;
#define PYTREE_STRUCT Unit
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(1))
#include "pytree_registry.h"
typedef struct Hollow { float *w; } Hollow;
#define PYTREE_STRUCT Hollow
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(1), OPTIONAL)
#include "pytree_registry.h"

static void leaves_for_a_struct_without_any(void **state)
{
    pytree_error error = { 0 };
    float x[2] = { 1, 2 }, change[3] = { 10, 20, 30 };
    Unit first = { x }, last = { x + 1 };
    Hollow hollow = { NULL };
    const pytree t = PYTREE_DICT({ "a", PYTREE(&first) }, { "b", PYTREE(&hollow) }, { "c", PYTREE(&last) });
    const pytree too_many = PYTREE_DICT({ "a", PYTREE_DICT({ "w", PYTREE_ARRAY(change, 1) }) },
                                        { "b", PYTREE_DICT({ "w", PYTREE_ARRAY(change + 1, 1) }) });
    const pytree fits = PYTREE_DICT({ "a", PYTREE_DICT({ "w", PYTREE_ARRAY(change, 1) }) },
                                    { "c", PYTREE_DICT({ "w", PYTREE_ARRAY(change + 2, 1) }) });
    (void)state;
    assert_says(pytree_update(t, 1, &too_many, NULL, err), PYTREE_STRUCTURE, ".b.w", "expected nothing for None, got a leaf");
    assert_true(x[0] == 1 && x[1] == 2);
    assert_ok(pytree_update(t, 1, &fits, NULL, &error), &error);
    assert_true(x[0] == 10 && x[1] == 30);
}

static void no_filters(void **state)
{
    pytree_error error = { 0 };
    pytree_flat flat = { NULL, NULL };
    (void)state;
    assert_error(pytree_states(PYTREE_INT(1), 1, NULL, &flat, NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_null(flat.def);
}

static bool is_linear(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->type == PYTREE_TYPE(Linear);
}

/* What a predicate has made leaves of a state is copied value by value: the tree keeps its own arrays. */
static void structs_that_are_leaves_of_a_state(void **state)
{
    const pytree_options whole = { .is_leaf = is_linear };
    const pytree_filter rest = PYTREE_REST;
    float from[4] = { 1, 2, 3, 4 }, to[4] = { 0 };
    Linear first = { 1, 2, from, from + 2 }, second = { 1, 2, to, to + 2 };
    pytree_error error = { 0 };
    pytree_def *graphdef = NULL;
    pytree_flat some = { NULL, NULL };
    (void)state;
    assert_ok(pytree_split(PYTREE_DICT({ "a", PYTREE(&first) }), 1, &rest, &graphdef, &some, &whole, &error), &error);
    assert_int_equal(some.def->n_leaves, 1);
    assert_ok(pytree_update(PYTREE_DICT({ "a", PYTREE(&second) }), 1, (pytree[1]){ PYTREE(&some) }, &whole, &error), &error);
    assert_ptr_equal(second.w, to);
    assert_ptr_equal(second.b, to + 2);
    assert_memory_equal(to, from, sizeof from);
    pytree_flat_free(&some);
    pytree_def_free(graphdef);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(more_types_than_are_noted), TEST(more_types_in_each_other), TEST(places_that_are_prefixes),
        TEST(updates_by_one_leaf), TEST(scalars_in_variables), TEST(no_filters), TEST(values_that_do_not_fit),
        TEST(values_that_share_inside), TEST(places_with_many_keys), TEST(leaves_for_a_struct_without_any),
        TEST(structs_that_are_leaves_of_a_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
