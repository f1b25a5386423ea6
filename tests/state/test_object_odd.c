/* Objects at their edges: values of odd kinds that are data or not, objects changed behind the library's back or rebuilt of
 * what is no object, literals of static values: pytree/object.h. */
#include "support.h"
#include "refusal.h"
#include "pytree/containers.h"
#include "pytree/graph.h"
#include "pytree/object.h"
#include "pytree/record.h"
#include "pytree/state.h"

PYTREE_CLASS(Net, Module);

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

/* A node whose one child is there or not. */
typedef struct Box { bool full; } Box;

static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Box *const box = (const Box *)self;
    (void)keys;
    if (children != NULL && box->full) { children[0] = PYTREE(&numbers[0]); }
    return box->full ? 1 : 0;
}
static const pytree_custom box_callbacks = { .children = box_children };
#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

/* ---- What is data -------------------------------------------------------------------------------------------------- */

static void values_without_a_type_are_no_data(void **state)
{
    pytree nothing = { NULL, numbers }, list = PYTREE_LIST(nothing, PYTREE_NONE);
    (void)state;
    assert_false(pytree_is_data(nothing));
    assert_false(pytree_is_data(PYTREE(&nothing)));
    assert_false(pytree_has_data(nothing, NULL));
    assert_false(pytree_has_data(PYTREE(&nothing), NULL));
    assert_false(pytree_has_data(list, NULL));
    assert_true(pytree_is_data(PYTREE_SCALAR(numbers)));
    assert_false(pytree_is_data(PYTREE_AS_STATIC(PYTREE_SCALAR(numbers))));
    assert_false(pytree_has_data(PYTREE_AS_DATA(PYTREE_AS_DATA(PYTREE_INT(1))), NULL));
}

static void views_are_data_for_what_they_show(void **state)
{
    Point point = { 1, 2 };
    Config config = { 1, "relu", { 0.5, 0.25 } };
    pytree_leaf view = { .data = &point, .type = PYTREE_TYPE(Point), .form = PYTREE_FORM_STRUCT };
    pytree t = pytree_of_view(&view);
    const pytree without = { &pytree_types[PYTREE__T_view], NULL };
    (void)state;
    assert_true(pytree_is_data(t));
    assert_refused(assert_true(pytree_has_data(PYTREE_LIST(t), err)), PYTREE_STATIC, "[0]",
                   "expected a static value, got a Point");
    view.type = PYTREE_TYPE(Config);
    view.data = &config;
    assert_false(pytree_is_data(t));
    view = (pytree_leaf){ .data = numbers, .type = PYTREE_TYPE(float), .form = PYTREE_FORM_LIST, .shape = { 2 } };
    assert_false(pytree_is_data(t));
    assert_refused(assert_true(pytree_has_data(PYTREE_LIST(t), err)), PYTREE_STATIC, "[0]",
                   "expected a static value, got a list");
    view.form = PYTREE_FORM_NONE;
    assert_false(pytree_is_data(t) || pytree_has_data(PYTREE_LIST(t), NULL));
    assert_false(pytree_is_data(without) || pytree_has_data(PYTREE_LIST(without), NULL));
}

static void nodes_with_children_are_data(void **state)
{
    Box box = { true };
    (void)state;
    assert_false(pytree_is_data(PYTREE(&box)));
    assert_refused(assert_true(pytree_has_data(PYTREE_LIST(PYTREE(&box)), err)), PYTREE_STATIC, "[0]",
                   "expected a static value, got a Box");
    box.full = false;
    assert_false(pytree_has_data(PYTREE_LIST(PYTREE(&box)), NULL));
}

/* ---- Rebuilt of what is no object ---------------------------------------------------------------------------------- */

static void objects_are_made_of_names(void **state)
{
    const pytree children[2] = { PYTREE_INT(1), PYTREE_INT(2) };
    pytree_entry keys[] = { { PYTREE_ATTRIBUTE, "a", 0 }, { PYTREE_INDEX, NULL, 1 } };
    const pytree_making from = { .type = &pytree_class_Net, .n = 2, .children = children, .keys = keys };
    pytree_object o = { NULL };
    pytree_error error = { 0 };
    (void)state;
    assert_refused(pytree_object_node.make(&o, &from, err), PYTREE_ARGUMENT, "", "expected names of attributes, got a number");
    keys[1] = (pytree_entry){ PYTREE_ATTRIBUTE, "b", 1 };
    assert_ok(pytree_object_node.make(&o, &from, &error), &error);
    assert_int_equal(pytree_object_length((pytree){ &pytree_class_Net, &o }), 2);
    pytree_object_node.release(&o);
}

/* A static value is made of its literal. Returns the number, or INT64_MIN for anything else. */
static int64_t number_of_literal(const char *text, size_t bytes, size_t n, pytree_error *err)
{
    const pytree children[1] = { PYTREE_INT(1) };
    uint64_t cell = 0;
    const pytree_making from = { .type = &pytree_static_type, .n = n, .children = children, .metadata = text, .bytes = bytes,
                                 .cell = &cell };
    pytree made = { NULL, NULL };
    int64_t number = INT64_MIN;
    if (pytree_static_type.custom->make(&made, &from, err) != PYTREE_OK) { return INT64_MIN; }
    if (made.type != NULL && made.type->dtype == PYTREE_I64 && made.data != NULL) { number = *(const int64_t *)made.data; }
    if (made.data != &cell) { pytree_free(made); }
    return number;
}

static void static_values_are_made_of_literals(void **state)
{
    pytree_error error = { 0 };
    (void)state;
    assert_true(number_of_literal("0", 2, 0, &error) == 0);
    assert_true(number_of_literal("-7", 3, 0, &error) == -7);
    assert_true(number_of_literal("100", 4, 0, &error) == 100);
    assert_true(number_of_literal("1000000000000000000", 20, 0, &error) == 1000000000000000000);
    assert_ok(error.status, &error);
    assert_refused(number_of_literal("07", 3, 0, err), PYTREE_SYNTAX, NULL,
                   "line 1, column 1: expected a number without leading zeros, got '07'");
    assert_refused(number_of_literal("-", 2, 0, err), PYTREE_SYNTAX, NULL,
                   "line 1, column 2: expected a number without leading zeros, got the end");
    assert_refused(number_of_literal("", 1, 0, err), PYTREE_SYNTAX, NULL, "line 1, column 1: expected a value, got the end");
    assert_refused(number_of_literal("", 0, 0, err), PYTREE_ARGUMENT, NULL,
                   "expected the literal of a static value, got 0 children");
    assert_refused(number_of_literal("1", 2, 1, err), PYTREE_ARGUMENT, NULL,
                   "expected the literal of a static value, got 1 children");
}

/* ---- Objects that are not walked in one pass ----------------------------------------------------------------------- */

/* The way in one pass and the cursor's agree about a tree. */
static void assert_as_structure(pytree t, pytree_status expected)
{
    pytree_error error = { 0 }, same = { 0 };
    pytree_def *graph = pytree_graphdef(t, NULL, &error), *tree = pytree_structure(t, NULL, &same);
    assert_int_equal(same.status, expected);
    assert_error(error.status, expected, same.path, &error);
    assert_string_equal(error.message, same.message);
    if (expected == PYTREE_OK) { assert_true(pytree_def_equal(graph, tree)); }
    pytree_def_free(graph);
    pytree_def_free(tree);
}

static void objects_without_attributes(void **state)
{
    pytree_object o = { NULL };
    Box box = { true };
    pytree t = { &pytree_class_Net, &o }, from = PYTREE_DICT({ "x", PYTREE_SCALAR(numbers) });
    (void)state;
    assert_as_structure(t, PYTREE_OK);
    assert_refused(pytree_update(t, 1, &from, NULL, err), PYTREE_NOT_FOUND, "", "expected .x, got an empty Net");
    assert_refused(pytree_update(PYTREE(&box), 1, &from, NULL, err), PYTREE_NOT_FOUND, "",
                   "expected .x, got a Box with [<flat index 0>]");            /* no object at all */
    assert_int_equal(pytree_object_length(t), 0);
}

static void objects_out_of_order(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), copy;
    pytree_pair *pairs;
    void *data;
    char name[20];
    (void)state;
    for (int i = 200; i-- != 0;) {
        snprintf(name, sizeof name, "a%d", i);
        assert_ok(pytree_object_put_copy(net, name, i % 2 == 0 ? PYTREE_INT(i) : PYTREE_SCALAR(numbers), &error), &error);
    }
    {
        pytree_def *def = pytree_graphdef(net, NULL, &error);      /* before anything has sorted the names */
        assert_ok(error.status, &error);
        assert_int_equal(def->n_leaves, 100);
        pytree_def_free(def);
    }
    assert_as_structure(net, PYTREE_OK);
    copy = pytree_graph_clone(net, NULL, &error);
    assert_ok(error.status, &error);
    assert_as_structure(copy, PYTREE_OK);
    pytree_free(copy);
    assert_ok(pytree_object_remove(net, "a7", &error), &error);
    assert_as_structure(net, PYTREE_OK);
    ((pytree_items *)((const pytree_object *)net.data)->container)->removed = 1;
    assert_as_structure(net, PYTREE_OK);
    ((pytree_items *)((const pytree_object *)net.data)->container)->removed = 0;
    pytree_container_free(net);
    net = pytree_new_object(&pytree_class_Net, NULL, &error);
    assert_ok(pytree_object_put_copy(net, "n", PYTREE_INT(1), &error), &error);
    pairs = (pytree_pair *)(uintptr_t)((const pytree_items *)((const pytree_object *)net.data)->container)->pairs;
    data = pairs[0].value.data;
    pairs[0].value.data = NULL;
    assert_as_structure(net, PYTREE_TYPE);
    pairs[0].value.data = data;
    pytree_container_free(net);
}

/* What pytree_sow keeps in a variable: a tuple, here also a list, or one with other contents. */
static void variables_that_hold_several_values(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), held, v;
    pytree_items *items;
    (void)state;
    assert_ok(pytree_sow(net, &pytree_role_Intermediate, "v", PYTREE_SCALAR(numbers), NULL, &error), &error);
    assert_as_structure(net, PYTREE_OK);
    v = pytree_object_get(net, "v", &error);
    held = pytree_variable_value(v);
    assert_int_equal(held.type->kind, PYTREE_KIND_TUPLE);
    items = (pytree_items *)held.data;
    items->removed = 1;
    assert_as_structure(net, PYTREE_OK);
    items->removed = 0;
    items->count = 0;
    assert_as_structure(net, PYTREE_OK);
    items->count = 1;
    held.type = &pytree_types[PYTREE__T_list];
    ((pytree *)(uintptr_t)((const pytree_items *)((const pytree_variable *)v.data)->container)->items)[0].type = held.type;
    assert_as_structure(net, PYTREE_OK);
    assert_ok(pytree_list_append(held, PYTREE_SCALAR(numbers), &error), &error);
    assert_as_structure(net, PYTREE_OK);
    assert_int_equal(items->count, 2);
    pytree_container_free(net);
}

/* A value comes into the middle of so many that a list puts them into chunks, and a List does not. */
static void assert_long(pytree list)
{
    enum { N = 5000 };
    pytree_error error = { 0 };
    int i;
    for (i = 0; i < N; i++) { assert_ok(pytree_list_append_copy(list, PYTREE_INT(i), &error), &error); }
    assert_ok(pytree_list_insert_copy(list, N / 2, PYTREE_INT(-1), &error), &error);
    assert_ok(pytree_list_remove(list, N / 2 - 10, &error), &error);
    assert_int_equal(pytree_container_length(list), N);
    for (i = 0; i < N; i++) {
        const int64_t expected = i < N / 2 - 10 ? i : i < N / 2 - 1 ? i + 1 : i == N / 2 - 1 ? -1 : i;
        assert_int_equal(*(const int64_t *)pytree_list_get(list, i, &error).data, expected);
    }
    pytree_container_free(list);
}

static void long_lists(void **state)
{
    (void)state;
    assert_long(pytree_new_object(&pytree_class_List, NULL, NULL));
    assert_long(pytree_new_list(NULL, NULL));
}

static void metadata_need_a_name_and_a_value(void **state)
{
    pytree_error error = { 0 };
    pytree v = pytree_new_variable(&pytree_role_Param, PYTREE_SCALAR(numbers), NULL, &error);
    (void)state;
    assert_refused(pytree_variable_put_metadata(v, NULL, PYTREE_INT(1), err), PYTREE_ARGUMENT, "",
                   "expected a name and a value of metadata, got NULL");
    assert_refused(pytree_variable_put_metadata(v, "a", (pytree){ NULL, NULL }, err), PYTREE_ARGUMENT, "",
                   "expected a name and a value of metadata, got no value");
    pytree_container_free(v);
}

/* The path of a leaf that changed, behind nodes. */
static void leaves_behind_nodes_are_sealed(void **state)
{
    float x[2] = { 1, 2 };
    const pytree t = PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1)), PYTREE_TUPLE(), PYTREE_ARRAY(x, 2));
    pytree_error error = { 0 };
    pytree_seal *seal = pytree_seal_new(t, NULL, &error);
    (void)state;
    assert_non_null(seal);
    assert_ok(pytree_seal_check(seal, t, NULL, &error), &error);
    x[1] = 3;
    assert_refused(pytree_seal_check(seal, t, NULL, err), PYTREE_FROZEN, "[2]",
                   "expected the f32[2] that was sealed, got other values");
    pytree_seal_free(seal);
}

/* An annotation changes the status of the very value that an attribute has, too. */
static void the_same_value_gets_another_status(void **state)
{
    pytree_error error = { 0 };
    pytree o = pytree_new_object(&pytree_class_Net, NULL, &error);
    int64_t number = 3;
    int i;
    (void)state;
    for (i = 0; i < 2; i++) {
        assert_ok(pytree_object_put(o, "n", PYTREE_AS_DATA(PYTREE(&number)), &error), &error);
        assert_int_equal(pytree_num_leaves(o, NULL, &error), 1);
        assert_ok(pytree_object_put(o, "n", PYTREE_AS_STATIC(PYTREE(&number)), &error), &error);
        assert_int_equal(pytree_num_leaves(o, NULL, &error), 0);
        assert_ptr_equal(pytree_object_get(o, "n", &error).data, &number);
    }
    pytree_container_free(o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_without_a_type_are_no_data),
        cmocka_unit_test(views_are_data_for_what_they_show),
        cmocka_unit_test(nodes_with_children_are_data),
        cmocka_unit_test(objects_are_made_of_names),
        cmocka_unit_test(static_values_are_made_of_literals),
        cmocka_unit_test(objects_without_attributes),
        cmocka_unit_test(objects_out_of_order),
        cmocka_unit_test(variables_that_hold_several_values),
        cmocka_unit_test(metadata_need_a_name_and_a_value),
        cmocka_unit_test(leaves_behind_nodes_are_sealed),
        cmocka_unit_test(long_lists),
        cmocka_unit_test(the_same_value_gets_another_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
