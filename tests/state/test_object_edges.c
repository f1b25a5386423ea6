/* Objects, graphs and seals at the edges: values without a type, nodes in them that only their callbacks or treedefs open, what
 * two roles share, paths of which a filter takes one, metadata that have no literal. */
#include "containers/containers_shared.h"
#include "pytree/graph.h"
#include "pytree/object.h"
#include "pytree/record.h"

PYTREE_CLASS(Part, Module);

/* A node without children, which is no data and has no literal. */
typedef struct Bare { int n; } Bare;
static size_t no_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return 0;
}
static const pytree_custom bare_callbacks = { .children = no_children };
#define PYTREE_STRUCT Bare
#define PYTREE_CUSTOM bare_callbacks
#include "pytree_registry.h"

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

/* ---- Objects -------------------------------------------------------------------------------------------------------- */

static void values_without_a_type(void **state)
{
    const pytree missing = { NULL, NULL };
    pytree_error error = { 0 };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error);
    (void)state;
    assert_says(pytree_object_put(part, "x", PYTREE_AS_DATA(missing), err), PYTREE_ARGUMENT, "",
                "expected an annotated value, got none");
    assert_int_equal(pytree_object_length(part), 0);
    assert_null(pytree_structure(PYTREE_AS_STATIC(missing), NULL, &error));
    assert_error(error.status, PYTREE_TYPE, "", &error);
    pytree_container_free(part);
}

/* A treedef with leaves is data, a namedtuple names what is, and an annotation is found wherever it is. */
static void what_is_found_in_values(void **state)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flat flat = { 0 };
    const pytree array = PYTREE_ARRAY(numbers, 2);
    (void)state;
    assert_ok(pytree_flatten(PYTREE_LIST(array), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_true(pytree_has_data(PYTREE(&flat), NULL));
    pytree_def_free(def);
    leaves = NULL;
    assert_ok(pytree_flatten(PYTREE_LIST(), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    assert_false(pytree_has_data(PYTREE(&flat), NULL));
    pytree_def_free(def);
    assert_true(pytree_has_data(PYTREE_NAMEDTUPLE("P", { "x", array }), &error));
    assert_error(error.status, PYTREE_STATIC, ".x", &error);
    assert_string_equal(error.message, "expected a static value, got an array f32[2]");
    memset(&error, 0, sizeof error);
    assert_true(pytree_has_data(PYTREE_LIST(PYTREE_AS_DATA(array)), &error));
    assert_error(error.status, PYTREE_STATIC, "[0]", &error);
    assert_string_equal(error.message, "expected a static value, got an array f32[2]");
}

static void metadata_of_variables(void **state)
{
    const pytree described = { &pytree_role_Cache, &(pytree_variable){ .value = PYTREE_INT(1), .metadata = "{'tag': 'x'}" } };
    pytree_error error = { 0 };
    pytree v = pytree_new_variable(&pytree_role_Param, PYTREE_INT(1), NULL, &error);
    Bare bare = { 1 };
    (void)state;
    assert_null(pytree_variable_metadata(described, NULL, NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_variable_put_metadata(v, "x", PYTREE(&bare), &error), PYTREE_TYPE, NULL, &error);
    assert_says(pytree_variable_remove_metadata(described, NULL, err), PYTREE_ARGUMENT, "",
                "expected a variable that pytree_new_variable made, got a literal Cache");
    pytree_container_free(v);
}

/* Makes a variable as a treedef with these metadata would, which may come from a file. */
static pytree rebuilt_variable(const char *metadata, const pytree_options *opt, pytree_error *err)
{
    const pytree literal = { &pytree_role_Param, &(pytree_variable){ .value = PYTREE_INT(1), .metadata = metadata } };
    return pytree_clone(literal, opt, err);
}

/* What is no dict, or one whose keys are numbers, is refused where metadata are read. */
static void metadata_that_are_no_dict(void **state)
{
    static const struct { const char *text, *words; pytree_status status; } wrong[] = {
        { "[10, 11]", "expected the metadata of a Param as a dict with names for keys, got '[10, 11]'", PYTREE_VALUE },
        { "7", "expected the metadata of a Param as a dict with names for keys, got '7'", PYTREE_VALUE },
        { "None", "expected the metadata of a Param as a dict with names for keys, got 'None'", PYTREE_VALUE },
        { "{1: 2}", "expected the metadata of a Param as a dict with names for keys, got '{1: 2}'", PYTREE_VALUE },
        { "{'a': ", "line 1, column 7: expected a value, got the end", PYTREE_SYNTAX },
    };
    size_t i;
    (void)state;
    for (i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        pytree_error error = { 0 };
        pytree v = rebuilt_variable(wrong[i].text, NULL, &error);
        assert_ok(error.status, &error);
        assert_refused(pytree_variable_put_metadata(v, "b", PYTREE_INT(2), err), wrong[i].status, wrong[i].words);
        assert_refused(pytree_variable_remove_metadata(v, "a", err), wrong[i].status, wrong[i].words);
        assert_int_equal(pytree_variable_remove_metadata(v, "a", NULL), wrong[i].status);
        assert_refused(pytree_set_metadata(v, PYTREE_EVERYTHING, "b", PYTREE_INT(2), NULL, NULL, err), wrong[i].status,
                       wrong[i].words);
        assert_null(pytree_variable_metadata(v, NULL, NULL, &error).type);
        assert_error(error.status, wrong[i].status, "", &error);
        assert_string_equal(error.message, wrong[i].words);
        assert_int_equal(pytree_variable_remove_metadata(v, NULL, NULL), PYTREE_OK);
        assert_int_equal(pytree_variable_put_metadata(v, "b", PYTREE_INT(2), NULL), PYTREE_OK);
        assert_def_text(v, "PyTreeDef(CustomNode(Param[{'b': 2}], [*]))", NULL);
        pytree_free(v);
    }
}

/* The names may come in any order; they are written sorted. */
static void metadata_in_any_order(void **state)
{
    pytree_error error = { 0 };
    pytree v = rebuilt_variable("{'tag': 'x', 'axis': 1, 'left': 2}", NULL, &error);
    (void)state;
    assert_ok(pytree_variable_remove_metadata(v, "axis", &error), &error);
    assert_ok(pytree_variable_put_metadata(v, "new", PYTREE_INT(3), &error), &error);
    assert_def_text(v, "PyTreeDef(CustomNode(Param[{'left': 2, 'new': 3, 'tag': 'x'}], [*]))", NULL);
    pytree_free(v);
}

static void metadata_without_names(void **state)
{
    pytree_error error = { 0 };
    pytree v = rebuilt_variable("{}", NULL, &error);
    (void)state;
    assert_refused(pytree_variable_remove_metadata(v, "a", err), PYTREE_NOT_FOUND,
                   "expected metadata of a Param, got none of the name 'a'");
    assert_ok(pytree_variable_put_metadata(v, "a", PYTREE_NONE, &error), &error);
    assert_def_text(v, "PyTreeDef(CustomNode(Param[{'a': None}], [*]))", NULL);
    assert_ok(pytree_variable_remove_metadata(v, "a", &error), &error);
    assert_def_text(v, "PyTreeDef(CustomNode(Param[None], [*]))", NULL);
    assert_null(pytree_variable_metadata(PYTREE_INT(1), "a", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    pytree_free(v);
}

/* Metadata deeper than what is written without memory, which comes from where the variable's does: a call without an error
 * object says that it ran out, too, and the metadata are the old ones or the new ones. */
static const char open_lists[] = "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[";
static const char close_lists[] = "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]";

static pytree_status sweep_deep_metadata(void *context, const pytree_options *opt, pytree_error *err)
{
    char had[200], less[200], text[250];
    pytree v;
    pytree_status status;
    (void)context;
    snprintf(had, sizeof had, "{'axis': 1, 'deep': %s1%s}", open_lists, close_lists);
    snprintf(less, sizeof less, "PyTreeDef(CustomNode(Param[{'deep': %s1%s}], [*]))", open_lists, close_lists);
    v = rebuilt_variable(had, opt, err);
    if (err->status == PYTREE_OK) {
        status = pytree_variable_remove_metadata(v, "axis", NULL);
        if (status == PYTREE_OK) { assert_def_text(v, less, NULL); }
        else {
            snprintf(text, sizeof text, "PyTreeDef(CustomNode(Param[%s], [*]))", had);
            assert_def_text(v, text, NULL);
            pytree_fail(err, status, NULL, "expected memory, got none");
        }
    }
    pytree_free(v);
    return err->status;
}

static void deep_metadata(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(sweep_deep_metadata, NULL), 8, 40);
}

/* A variable that was popped out of a struct refers to a value that it does not own, also in an object. */
typedef struct Plain { pytree near; } Plain;
#define PYTREE_STRUCT Plain
#define PYTREE_FIELDS PYTREE_FIELD(DATA, near)
#include "pytree_registry.h"

static void variables_that_refer(void **state)
{
    pytree_error error = { 0 };
    Plain plain = { PYTREE_ARRAY(numbers, 2) };
    pytree part = pytree_new_object(&pytree_class_Part, NULL, &error), taken, v;
    pytree_def *def;
    char text[100];
    (void)state;
    assert_ok(pytree_pop(PYTREE(&plain), PYTREE_FILTERS(PYTREE_EVERYTHING), &taken, NULL, &error), &error);
    v = pytree_dict_take(taken, "near", &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_object_put_own(part, "x", v, &error), &error);
    def = pytree_graphdef(part, NULL, &error);
    assert_ok(error.status, &error);
    pytree_def_text(def, text, sizeof text);
    assert_string_equal(text, "PyTreeDef(CustomNode(Part[None], [CustomNode(Variable[None], [*])]))");
    pytree_def_free(def);
    pytree_container_free(taken);
    pytree_container_free(part);
}

/* ---- Seals ---------------------------------------------------------------------------------------------------------- */

static void strings_are_sealed(void **state)
{
    const char *word = "before", *words[2] = { "one", NULL };
    const pytree t = PYTREE_LIST(PYTREE(&word), PYTREE_ARRAY(words, 2));
    pytree_error error = { 0 };
    pytree_seal *seal = pytree_seal_new(t, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_ok(pytree_seal_check(seal, t, NULL, &error), &error);
    word = "after";
    assert_error(pytree_seal_check(seal, t, NULL, &error), PYTREE_FROZEN, "[0]", &error);
    pytree_seal_free(seal);
}

/* ---- Graphs --------------------------------------------------------------------------------------------------------- */

typedef struct Roles { Point *a, *b; } Roles;
#define PYTREE_STRUCT Roles
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a, ROLE(Param)) PYTREE_FIELD(DATA, b, ROLE(Cache))
#include "pytree_registry.h"

static void a_struct_in_two_roles(void **state)
{
    Point point = { 1, 2 };
    Roles roles = { &point, &point };
    pytree_error error = { 0 };
    (void)state;
    assert_null(pytree_graphdef(PYTREE(&roles), NULL, &error));
    assert_error(error.status, PYTREE_SHARED, NULL, &error);
    assert_non_null(strstr(error.message, "a Point in the role"));
}

static void a_treedef_in_a_graph(void **state)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL, *graph;
    pytree_flat flat = { 0 };
    char text[100];
    (void)state;
    const pytree array = PYTREE_ARRAY(numbers, 2);
    assert_ok(pytree_flatten(PYTREE_TUPLE(array, PYTREE_INT(3)), &leaves, 0, &def, NULL, &error), &error);
    flat.def = def;
    flat.leaves = leaves;
    graph = pytree_graphdef(PYTREE_LIST(PYTREE(&flat), array), NULL, &error);
    assert_ok(error.status, &error);
    pytree_def_text(graph, text, sizeof text);
    assert_string_equal(text, "PyTreeDef([(*, *), CustomNode(Same[3], [])])");
    pytree_def_free(graph);
    pytree_def_free(def);
}

/* The role of a member counts, not that of a variable in it. */
typedef struct Seen { pytree near; } Seen;
#define PYTREE_STRUCT Seen
#define PYTREE_FIELDS PYTREE_FIELD(DATA, near, ROLE(Intermediate))
#include "pytree_registry.h"

static void a_variable_in_a_member_with_a_role(void **state)
{
    pytree_error error = { 0 };
    Seen member = { PYTREE_VARIABLE(Param, PYTREE_ARRAY(numbers, 2)) };
    pytree_place_list *list = pytree_places(PYTREE(&member), PYTREE_EVERYTHING, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(list->n, 1);
    assert_ptr_equal(list->places[0].role, &pytree_role_Intermediate);
    pytree_places_free(list);
}

/* A value that lies in what only it leads to: its path is looked for in a walk of its own, which takes memory. */
typedef struct Low { float x; pytree up; } Low;
typedef struct High { Low low; } High;
#define PYTREE_STRUCT Low
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, up)
#include "pytree_registry.h"
#define PYTREE_STRUCT High
#define PYTREE_FIELDS PYTREE_FIELD(DATA, low)
#include "pytree_registry.h"

static pytree_status sweep_graph(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def = pytree_graphdef(*(const pytree *)context, opt, err);
    assert_null(def);
    if (err->status != PYTREE_SHARED) { return err->status; }
    assert_string_equal(err->path, "[0]");
    *err = (pytree_error){ 0 };
    return PYTREE_OK;
}

static void a_value_in_what_only_it_leads_to(void **state)
{
    High high = { { 1, PYTREE_NONE } };
    pytree t = PYTREE_LIST(PYTREE(&high.low));
    (void)state;
    high.low.up = PYTREE(&high);
    assert_true(sweep_allocations(sweep_graph, &t) != 0);
}

/* Of two paths to one array the filter takes one: nothing is there twice. */
static void one_of_two_paths(void **state)
{
    const pytree array = PYTREE_ARRAY(numbers, 2), t = PYTREE_DICT({ "a", array }, { "b", array });
    pytree_error error = { 0 };
    pytree_duplicates *all = pytree_graph_duplicates(t, PYTREE_EVERYTHING, NULL, &error);
    pytree_duplicates *one = pytree_graph_duplicates(t, PYTREE_PATH_HAS("a"), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(all->n_groups, 1);
    assert_int_equal(one->n_groups, 0);
    pytree_duplicates_free(all);
    pytree_duplicates_free(one);
}

#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(values_without_a_type), TEST(what_is_found_in_values), TEST(metadata_of_variables),
        TEST(metadata_that_are_no_dict), TEST(metadata_in_any_order), TEST(metadata_without_names),
        TEST(deep_metadata),
        TEST(variables_that_refer), TEST(strings_are_sealed), TEST(a_struct_in_two_roles), TEST(a_treedef_in_a_graph),
        TEST(a_variable_in_a_member_with_a_role), TEST(a_value_in_what_only_it_leads_to), TEST(one_of_two_paths),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
