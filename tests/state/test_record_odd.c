/* Recorded values, pops and updates at the edges: members without a role, values that stand in two places, names that hold no
 * variable, states that are put back before a call, lists and dicts of numbers that lose again what a failed update added. */
#include "containers/containers_shared.h"
#include "pytree/record.h"

PYTREE_CLASS(Part, Module);

/* A member of type pytree without a role. */
typedef struct Plain { pytree near; } Plain;

#define PYTREE_STRUCT Plain
#define PYTREE_FIELDS PYTREE_FIELD(DATA, near)
#include "pytree_registry.h"

/* An array that may not be there. */
typedef struct Maybe { float *w; } Maybe;
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

static pytree_status update_with(pytree t, pytree state, pytree_error *err)
{
    return pytree_object_update(t, 1, &state, NULL, err);
}

static pytree new_part(pytree_error *error)
{
    pytree part = pytree_new_object(&pytree_class_Part, NULL, error);
    assert_ok(pytree_object_put_own(part, "w", pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 2), NULL, error),
                                    error), error);
    return part;
}

static void members_without_a_role(void **state)
{
    pytree_error error = { 0 };
    float own[2] = { 7, 8 };
    Plain plain = { PYTREE_ARRAY(own, 2) };
    pytree taken;
    (void)state;
    assert_ok(pytree_pop(PYTREE(&plain), PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, NULL, &error), &error);
    assert_prints(taken, "['near'].value  f32[2]\n");
    assert_ptr_equal(plain.near.type, PYTREE_NONE.type);
    pytree_container_free(taken);
    assert_true(own[0] == 7);             /* the literal is nobody's to free */
}

static void a_member_in_two_places(void **state)
{
    pytree_error error = { 0 };
    Plain plain = { PYTREE_ARRAY(numbers, 2) };
    const pytree both = PYTREE_LIST(PYTREE(&plain), PYTREE(&plain));
    pytree taken;
    (void)state;
    assert_ok(pytree_pop(both, PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, NULL, &error), &error);
    assert_prints(taken, "[0]['near'].value  f32[2]\n");
    pytree_container_free(taken);
}

/* Two types of one layout: the struct is there as each of them, and its member is taken once. */
typedef struct Twin { pytree near; } Twin;
#define PYTREE_STRUCT Twin
#define PYTREE_FIELDS PYTREE_FIELD(DATA, near)
#include "pytree_registry.h"

static void a_member_of_two_types(void **state)
{
    pytree_error error = { 0 };
    Plain plain = { PYTREE_ARRAY(numbers, 2) };
    const pytree both = PYTREE_LIST(PYTREE(&plain), ((pytree){ PYTREE_TYPE(Twin), &plain }));
    float *const nothing = NULL;
    pytree taken;
    (void)state;
    assert_ok(pytree_pop(both, PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, NULL, &error), &error);
    assert_prints(taken, "[0]['near'].value  f32[2]\n");
    assert_ptr_equal(plain.near.type, PYTREE_NONE.type);
    pytree_container_free(taken);
    plain.near = PYTREE_ARRAY(nothing, 0);                     /* which has no address that tells it is the same */
    assert_ok(pytree_pop(both, PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, NULL, &error), &error);
    assert_prints(taken, "[0]['near'].value  f32[0]\n");
    assert_ptr_equal(plain.near.type, PYTREE_NONE.type);
    pytree_container_free(taken);
}

static void names_that_hold_no_variable(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(&error);
    (void)state;
    assert_ok(pytree_object_put(part, "array", PYTREE_ARRAY(numbers, 2), &error), &error);
    assert_says(pytree_sow(part, &pytree_role_Intermediate, "array", PYTREE_INT(1), NULL, err), PYTREE_TYPE, ".array",
                "expected a variable, got an array f32[2]");
    assert_ok(pytree_object_put(part, "sizes", PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2)), &error), &error);
    assert_says(pytree_sow(part, &pytree_role_Intermediate, "sizes", PYTREE_INT(1), NULL, err), PYTREE_TYPE, ".sizes",
                "expected a variable, got a static list");
    pytree_container_free(part);
}

static void no_metadata_were_found(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(&error);
    size_t found = 9;
    (void)state;
    assert_says(pytree_set_metadata(part, PYTREE_EVERYTHING, NULL, PYTREE_INT(1), &found, NULL, err), PYTREE_ARGUMENT, "",
                "expected a name and a value of metadata, got NULL");
    assert_int_equal(found, 0);
    pytree_container_free(part);
}

/* ---- States that are put back ------------------------------------------------------------------------------------------- */

static pytree_status sow_w(void *context, pytree t, pytree_error *err)
{
    const pytree_leaf w = pytree_at(t, ".w.value", NULL, NULL);
    ++*(int *)context;
    assert_true(*(const float *)w.data == 3.0f);
    return pytree_sow(t, &pytree_role_Intermediate, "seen", PYTREE_INT(1), NULL, err);
}

static void captured_from_a_state(void **state)
{
    const pytree init = PYTREE_DICT({ "w", PYTREE_ARRAY(numbers + 2, 2) });
    const pytree wrong = PYTREE_DICT({ "w", PYTREE_DICT({ "nowhere", PYTREE_INT(1) }) });
    pytree_error error = { 0 };
    pytree part = new_part(&error), taken = { NULL, NULL };
    int calls = 0;
    (void)state;
    assert_ok(pytree_capture(part, PYTREE_FILTERS(PYTREE_OF(Intermediate)), init, sow_w, &calls, &taken, NULL, &error), &error);
    assert_int_equal(calls, 1);
    assert_prints(taken, "['seen'].value[0]  i64 1\n");
    pytree_container_free(taken);
    taken.type = NULL;
    assert_error(pytree_capture(part, PYTREE_FILTERS(PYTREE_OF(Intermediate)), wrong, sow_w, &calls, &taken, NULL, &error),
                 PYTREE_NOT_FOUND, NULL, &error);
    assert_int_equal(calls, 1);
    assert_null(taken.type);
    pytree_container_free(part);
}

/* Under a number and in a list: what an update added before it failed is taken out again. */
static void failed_updates_leave_nothing(void **state)
{
    pytree_error error = { 0 };
    pytree top = pytree_new_dict(NULL, &error), by_number = pytree_new_dict(NULL, &error), part = new_part(&error);
    const pytree fresh = PYTREE_IDICT({ 7, PYTREE_VARIABLE(Param, PYTREE_INT(4)) });
    const pytree wrong = PYTREE_DICT({ "w", PYTREE_DICT({ "nowhere", PYTREE_INT(1) }) });
    (void)state;
    assert_ok(pytree_dict_put_int_copy(by_number, 1, PYTREE_INT(1), &error), &error);
    assert_ok(pytree_dict_put_own(top, "a", by_number, &error), &error);
    assert_ok(pytree_dict_put_own(top, "b", part, &error), &error);
    assert_error(update_with(top, PYTREE_DICT({ "a", fresh }, { "b", wrong }), &error), PYTREE_NOT_FOUND, NULL, &error);
    assert_int_equal(pytree_container_length(by_number), 1);
    pytree_container_free(top);
}

static bool is_inner(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 1;
}

/* A list loses what a failed update appended. A value does not go into a list of another level, nor a subtree into an array. */
static void failed_updates_of_lists(void **state)
{
    pytree_error error = { 0 };
    pytree_level level = { 0 };
    const pytree_options opt = { .level = &level };
    pytree top = pytree_new_dict(&opt, &error), list = pytree_new_list(&opt, &error), part = new_part(&error);
    const pytree wrong = PYTREE_DICT({ "w", PYTREE_DICT({ "nowhere", PYTREE_INT(1) }) });
    Maybe maybe = { numbers };
    const pytree_options whole = { .is_leaf = is_inner };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat = { 0 };
    (void)state;
    assert_ok(pytree_list_append_copy(list, PYTREE_ARRAY(numbers, 2), &error), &error);
    assert_ok(pytree_dict_put_own(top, "a", list, &error), &error);
    assert_ok(pytree_dict_put_own(top, "b", part, &error), &error);
    assert_error(update_with(top, PYTREE_DICT({ "a", PYTREE_IDICT({ 1, PYTREE_INT(4) }) }, { "b", wrong }), &error),
                 PYTREE_NOT_FOUND, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_int_equal(pytree_container_length(list), 1);
    pytree_level_enter(&level);
    assert_says(update_with(top, PYTREE_DICT({ "a", PYTREE_LIST(PYTREE_ARRAY(numbers, 2)) }), err), PYTREE_FROZEN, ".a[0]",
                "expected a list of this level (1), got one of level 0");
    pytree_level_leave(&level);
    assert_ok(pytree_flatten(PYTREE_DICT({ "w", PYTREE_LIST(PYTREE_INT(1)) }), &leaves, 0, &def, &whole, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_says(update_with(PYTREE(&maybe), PYTREE(&flat), err), PYTREE_TYPE, ".w[0]", "expected f32, got i64");
    pytree_def_free(def);
    pytree_container_free(top);
}

/* ---- Scalars, memory ----------------------------------------------------------------------------------------------------- */

static void scalars_are_written_in_place(void **state)
{
    pytree_error error = { 0 };
    static double number = 1;
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error);
    pytree v = pytree_new_variable(&pytree_role_Param, PYTREE_NONE, NULL, &error);
    (void)state;
    assert_ok(pytree_variable_set(v, PYTREE(&number), &error), &error);
    assert_ok(pytree_object_put_own(part, "x", v, &error), &error);
    assert_ok(update_with(part, PYTREE_DICT({ "x", PYTREE_VARIABLE(Param, PYTREE_FLOAT(9)) }), &error), &error);
    assert_true(*(const double *)pytree_at(part, ".x.value", NULL, &error).data == 9.0);
    pytree_container_free(part);
}

/* Keys that are not in order are sorted on the way to each value, which takes memory where there are many. */
static pytree_status sweep_pop(void *context, const pytree_options *opt, pytree_error *err)
{
    enum { KEYS = 40 };
    static char names[KEYS][4];
    pytree_pair pairs[KEYS];
    pytree_items items = { .pairs = pairs, .count = KEYS };
    const pytree top = { PYTREE_DICT().type, &items };
    pytree dict = pytree_new_dict(opt, err), taken = { NULL, NULL };
    (void)context;
    for (int i = 0; i < KEYS; i++) {
        snprintf(names[i], sizeof names[i], "k%02d", KEYS - i);
        pairs[i] = (pytree_pair){ names[i], PYTREE_NONE };
    }
    pairs[7].value = dict;
    if (err->status == PYTREE_OK && pytree_dict_put_copy(dict, "n", PYTREE_INT(5), err) == PYTREE_OK
        && pytree_pop(top, PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, opt, err) == PYTREE_OK) {
        assert_int_equal(pytree_container_length(dict), 0);
        pytree_container_free(taken);
    }
    pytree_container_free(dict);
    return err->status;
}

static pytree_status sweep_fits(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree part = *(const pytree *)context;
    const pytree state = PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers + 2, 2)) });
    return pytree_object_update(part, 1, &state, opt, err);
}

/* A variable gets its first metadata from a state: with its value, or neither of them where the arrays of stb_ds find no
 * memory. */
static void metadata_without_memory(void **state)
{
    const pytree described = { &pytree_role_Param,
                               &(pytree_variable){ .value = PYTREE_ARRAY(numbers + 4, 2), .metadata = "{'axis': 1}" } };
    pytree_error error = { 0 };
    pytree part = new_part(&error);
    size_t n = 0;
    (void)state;
    do {
        const pytree w = pytree_object_get(part, "w", &error);
        pytree_status status;
        stb_calls = 0;
        stb_fail_at = n;
        status = update_with(part, PYTREE_DICT({ "w", described }), &error);
        stb_fail_at = SIZE_MAX;
        if (status == PYTREE_OK) {
            assert_def_text(w, "PyTreeDef(CustomNode(Param[{'axis': 1}], [*]))", NULL);
        } else {
            assert_error(status, PYTREE_NO_MEMORY, NULL, &error);
            error = (pytree_error){ 0 };
            assert_def_text(w, "PyTreeDef(CustomNode(Param[None], [*]))", NULL);
            assert_true(*(const float *)pytree_at(w, ".value", NULL, &error).data == numbers[0]);
        }
    } while (stb_calls > n++);
    assert_in_range(n, 2, 10);
    pytree_container_free(part);
}

/* A state has a list where the tree has an array: in a variable, which stands for the whole. */
static void lists_for_an_array(void **state)
{
    Maybe maybe = { numbers };
    const pytree lists = PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2))) });
    (void)state;
    assert_says(update_with(PYTREE(&maybe), lists, err), PYTREE_STRUCTURE, ".w", "expected a state for a float, got a Param");
}

static void memory_runs_out(void **state)
{
    pytree_error error = { 0 };
    pytree part = new_part(&error);
    (void)state;
    assert_true(sweep_allocations(sweep_pop, NULL) != 0);
    assert_true(sweep_allocations(sweep_fits, &part) != 0);
    pytree_container_free(part);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(members_without_a_role), TEST(a_member_in_two_places), TEST(a_member_of_two_types),
        TEST(names_that_hold_no_variable),
        TEST(no_metadata_were_found), TEST(captured_from_a_state), TEST(failed_updates_leave_nothing),
        TEST(failed_updates_of_lists), TEST(scalars_are_written_in_place), TEST(metadata_without_memory),
        TEST(lists_for_an_array), TEST(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
