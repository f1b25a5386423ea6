/* Treedefs without a value: made, transformed, compared, their paths: pytree/treedef.h. */
#define TEST_PRIVATE                       /* sizes of static values, entries as text */
#include "treedef_algebra_shared.h"

/* ---- By hand ----------------------------------------------------------------------------------------------------------- */

static void builders_refuse(void **state)
{
    static const char *const twice[] = { "b", "a", "b" }, *const hole[] = { "a", NULL, "c" };
    pytree_options nil = { 0 };
    pytree_error error = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL);
    const pytree_def *leaves[3], *missing[2];
    AnyTag tag = { "t" };
    int number = 0;
    pytree nothing = { NULL, NULL }, no_struct = PYTREE(&number), named;
    (void)state;
    leaves[0] = leaves[1] = leaves[2] = leaf;
    missing[0] = leaf;
    missing[1] = NULL;
    nil.none_is_leaf = true;
    assert_null(pytree_def_dict(3, twice, leaves, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected different keys, got 'b' twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_odict(3, twice, leaves, NULL, &error));
    assert_string_equal(error.message, "expected different keys, got 'b' twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_namedtuple("T", 3, twice, leaves, NULL, &error));
    assert_string_equal(error.message, "expected different keys, got 'b' twice");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_dict(3, hole, leaves, NULL, &error));
    assert_string_equal(error.message, "expected a key for child 1, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_odict(1, NULL, leaves, NULL, &error));
    assert_string_equal(error.message, "expected a key for child 0, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_namedtuple(NULL, 0, NULL, NULL, NULL, &error));
    assert_string_equal(error.message, "expected the name of a namedtuple, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_list(2, missing, NULL, &error));
    assert_string_equal(error.message, "expected a treedef for child 1, got NULL");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_list(2, leaves, &nil, &error));
    assert_string_equal(error.message, "expected a treedef in which None is a leaf, got one in which it is a node");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_struct(PYTREE(&tag), 1, leaves, NULL, &error));
    assert_string_equal(error.message, "expected 0 children of AnyTag, got 1");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_struct(nothing, 0, NULL, NULL, &error));
    assert_string_equal(error.message, "expected a registered struct, got NULL");
    memset(&error, 0, sizeof error);
    named = no_struct;
    assert_null(pytree_def_struct(named, 0, NULL, NULL, &error));
    assert_string_equal(error.message, "expected a registered struct, got int");
    assert_null(pytree_def_list(2, missing, NULL, NULL));
    pytree_def_free(leaf);
}

static void builders_need_no_children(void **state)
{
    pytree_options nil = { 0 };
    pytree_def *def;
    (void)state;
    nil.none_is_leaf = true;
    assert_def(def = pytree_def_list(0, NULL, NULL, NULL), "PyTreeDef([])");
    pytree_def_free(def);
    assert_def(def = pytree_def_tuple(0, NULL, &nil, NULL), "PyTreeDef((), NoneIsLeaf)");
    pytree_def_free(def);
    assert_def(def = pytree_def_dict(0, NULL, NULL, NULL, NULL), "PyTreeDef({})");
    pytree_def_free(def);
    assert_def(def = pytree_def_odict(0, NULL, NULL, NULL, NULL), "PyTreeDef(CustomNode(OrderedDict[()], []))");
    pytree_def_free(def);
    assert_def(def = pytree_def_namedtuple("Nil", 0, NULL, NULL, NULL, NULL), "PyTreeDef(CustomNode(namedtuple[Nil], []))");
    assert_round_trips(def, known_types, KNOWN_TYPES);
    pytree_def_free(def);
    assert_def(def = pytree_def_leaf(&nil, NULL), "PyTreeDef(*, NoneIsLeaf)");
    pytree_def_free(def);
    assert_def(def = pytree_def_none(&nil, NULL), "PyTreeDef(*, NoneIsLeaf)");
    pytree_def_free(def);
    assert_def(def = pytree_def_none(NULL, NULL), "PyTreeDef(None)");
    pytree_def_free(def);
}

static void structs_take_their_static_values(void **state)
{
    Linear layer = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *def;
    const pytree_def *leaves[2];
    (void)state;
    layer.din = 784;
    layer.dout = 10;
    leaves[0] = leaves[1] = leaf;
    def = pytree_def_struct(PYTREE(&layer), 2, leaves, NULL, NULL);
    assert_def(def, "PyTreeDef(CustomNode(Linear[(784, 10)], [*, *]))");
    pytree_def_free(def);
    pytree_def_free(leaf);
}

/* ---- Transform --------------------------------------------------------------------------------------------------------- */

typedef struct Log { char text[400]; } Log;

static pytree_status log_part(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    Log *log = context;
    char *text = def_text(part);
    (void)err;
    assert_null(*result);
    assert_true(strlen(log->text) + strlen(text) < sizeof log->text);
    strcat(log->text, text + strlen("PyTreeDef"));
    free(text);
    return PYTREE_OK;
}

static pytree_status refuse(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)part;
    *result = must_parse("PyTreeDef(*)");            /* is freed all the same */
    return context == NULL ? PYTREE_STOPPED : pytree_fail(err, PYTREE_VALUE, ".here", "no %s", (const char *)context);
}

static void transform_replaces_nodes_and_leaves(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([*, {'k': [None, *]}, CustomNode(DC[('op',)], [*, []])])"), *made;
    Log log = { { 0 } };
    (void)state;
    made = pytree_def_transform(def, log_part, log_part, &log, NULL, NULL);
    assert_string_equal(log.text, "(*)(None)(*)([*, *])({'k': *})(*)([])(CustomNode(DC[('op',)], [*, *]))([*, *, *])");
    assert_same_def(made, def);
    pytree_def_free(made);
    made = pytree_def_transform(def, NULL, NULL, NULL, NULL, NULL);
    assert_same_def(made, def);
    pytree_def_free(made);
    made = pytree_def_transform(def, lists_to_tuples, NULL, NULL, NULL, NULL);
    assert_def(made, "PyTreeDef((*, {'k': (None, *)}, CustomNode(DC[('op',)], [*, ()])))");
    assert_sound(made);
    pytree_def_free(made);
    made = pytree_def_transform(def, lists_to_tuples, to_pair, NULL, NULL, NULL);
    assert_def(made, "PyTreeDef(((*, {'b': *}), {'k': (None, (*, {'b': *}))}, CustomNode(DC[('op',)], [(*, {'b': *}), ()])))");
    assert_sound(made);
    pytree_def_free(made);
    pytree_def_free(def);
}

static void transform_checks_results(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([*, (*,)])");
    pytree_options nil = { 0 };
    pytree_error error = { 0 };
    char word[] = "reason";
    (void)state;
    nil.none_is_leaf = true;
    assert_null(pytree_def_transform(def, to_pair, NULL, NULL, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "expected a node of 1 leaves in place of a tuple, got 4 nodes and 2 leaves");
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_transform(def, NULL, refuse, NULL, NULL, &error));
    assert_error(error.status, PYTREE_STOPPED, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_transform(def, refuse, NULL, word, NULL, &error));
    assert_error(error.status, PYTREE_VALUE, ".here", &error);
    assert_string_equal(error.message, "no reason");
    memset(&error, 0, sizeof error);
    pytree_def_free(def);
    def = pytree_def_leaf(&nil, NULL);
    assert_null(pytree_def_transform(def, NULL, to_pair, NULL, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
}

static void combinations_refuse_other_switches(void **state)
{
    pytree_options nil = { 0 };
    pytree_def *a = pytree_def_leaf(NULL, NULL), *b;
    pytree_error error = { 0 };
    pytree_def_error_list *list;
    (void)state;
    nil.none_is_leaf = true;
    b = pytree_def_leaf(&nil, NULL);
    assert_null(pytree_def_compose(a, b, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_common_suffix(a, b, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_false(pytree_def_is_prefix(a, b, false, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    list = pytree_def_differences(a, b, NULL, NULL);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->errors[0].kind, PYTREE_DIFFERENT_METADATA);
    assert_string_equal(list->errors[0].path, "");
    assert_string_equal(list->errors[0].a, "None is a node");
    assert_string_equal(list->errors[0].b, "None is a leaf");
    assert_string_equal(list->errors[0].missing, "");
    assert_string_equal(list->errors[0].extra, "");
    pytree_def_errors_free(list);
    list = pytree_def_differences(b, a, NULL, NULL);
    assert_string_equal(list->errors[0].a, "None is a leaf");
    assert_string_equal(list->errors[0].b, "None is a node");
    pytree_def_errors_free(list);
    pytree_def_errors_free(NULL);
    pytree_def_free(a);
    pytree_def_free(b);
}

/* ---- Comparison -------------------------------------------------------------------------------------------------------- */

static void errors_in_words(void **state)
{
    static const struct { pytree_mismatch kind; const char *path, *a, *b, *missing, *extra; } expected[] = {
        { PYTREE_DIFFERENT_TYPES, "[0]", "leaf", "None", "", "" },
        { PYTREE_DIFFERENT_LENGTHS, "[1]['k']", "list of length 1", "list of length 2", "", "" },
        { PYTREE_DIFFERENT_METADATA, "[2]", "DC[('a',)]", "DC[('b',)]", "", "" },
        { PYTREE_DIFFERENT_KEYS, "[3]", "dict with keys 'b', \"it's\"", "dict with keys 'a', 'b'", "\"it's\"", "'a'" },
        { PYTREE_DIFFERENT_METADATA, "[4]", "OrderedDict with keys 'b', 'a'", "OrderedDict with keys 'a', 'b'", "", "" },
        { PYTREE_DIFFERENT_TYPES, "[5].x", "Point(x, y)", "Pair(first, second)", "", "" },
        { PYTREE_DIFFERENT_TYPES, "[5].y", "dict without keys", "tuple of length 0", "", "" },
        { PYTREE_DIFFERENT_TYPES, "[6].x", "Tag[('t',)]", "leaf", "", "" },
        { PYTREE_DIFFERENT_KEYS, "[7]", "OrderedDict without keys", "OrderedDict with keys 'z'", "", "'z'" }
    };
    pytree_def *a = must_parse("PyTreeDef([*, {'k': [*]}, CustomNode(DC[('a',)], [*, *]), {'b': *, \"it's\": [*]}, "
                               "CustomNode(OrderedDict[('b', 'a')], [*, *]), CustomNode(namedtuple[Point], "
                               "[CustomNode(namedtuple[Point], [*, *]), {}]), "
                               "CustomNode(DC[('c',)], [CustomNode(Tag[('t',)], []), *]), CustomNode(OrderedDict[()], [])])");
    pytree_def *b = must_parse("PyTreeDef([None, {'k': [*, *]}, CustomNode(DC[('b',)], [*, [*]]), {'a': *, 'b': *}, "
                               "CustomNode(OrderedDict[('a', 'b')], [*, *]), CustomNode(namedtuple[Point], "
                               "[CustomNode(namedtuple[Pair], [*, *]), ()]), "
                               "CustomNode(DC[('c',)], [*, *]), CustomNode(OrderedDict[('z',)], [*])])");
    pytree_def_error_list *list = pytree_def_differences(a, b, NULL, NULL);
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_non_null(list);
    assert_int_equal(list->n, COUNT_OF(expected));
    for (i = 0; i < list->n; i++) {
        assert_int_equal(list->errors[i].kind, expected[i].kind);
        assert_string_equal(list->errors[i].path, expected[i].path);
        assert_string_equal(list->errors[i].a, expected[i].a);
        assert_string_equal(list->errors[i].b, expected[i].b);
        assert_string_equal(list->errors[i].missing, expected[i].missing);
        assert_string_equal(list->errors[i].extra, expected[i].extra);
    }
    pytree_def_errors_free(list);
    assert_false(pytree_def_is_prefix(a, b, false, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[1]['k']", &error);
    assert_string_equal(error.message, "different lengths: expected list of length 1, got list of length 2");
    list = pytree_def_differences(a, a, NULL, NULL);
    assert_int_equal(list->n, 0);
    pytree_def_errors_free(list);
    assert_string_equal(pytree_mismatch_name((pytree_mismatch)99), "unknown");
    pytree_def_free(a);
    pytree_def_free(b);
}

/* Namedtuples of one name with other fields are other types. */
static void namedtuples_compare_by_fields(void **state)
{
    static const char *const xy[] = { "x", "y" }, *const yx[] = { "y", "x" };
    pytree_def *leaf = pytree_def_leaf(NULL, NULL), *a, *b;
    pytree_def_error_list *list;
    const pytree_def *leaves[2];
    (void)state;
    leaves[0] = leaves[1] = leaf;
    a = pytree_def_namedtuple("P", 2, xy, leaves, NULL, NULL);
    b = pytree_def_namedtuple("P", 2, yx, leaves, NULL, NULL);
    list = pytree_def_differences(a, b, NULL, NULL);
    assert_int_equal(list->n, 1);
    assert_int_equal(list->errors[0].kind, PYTREE_DIFFERENT_TYPES);
    assert_string_equal(list->errors[0].a, "P(x, y)");
    assert_string_equal(list->errors[0].b, "P(y, x)");
    assert_false(pytree_def_is_prefix(a, b, false, NULL, NULL));
    pytree_def_errors_free(list);
    pytree_def_free(a);
    pytree_def_free(b);
    pytree_def_free(leaf);
}

static void dicts_match_in_any_order(void **state)
{
    pytree_def *dict = must_parse("PyTreeDef([{'a': *, 'b': [*], 'c': *}])");
    pytree_def *ordered = must_parse("PyTreeDef([CustomNode(OrderedDict[('c', 'a', 'b')], [(*, *), {'z': *}, [*]])])");
    pytree_def *other = must_parse("PyTreeDef([CustomNode(OrderedDict[('b', 'c', 'a')], [*, *, None])])"), *common;
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_def_is_prefix(dict, ordered, true, NULL, NULL));
    assert_false(pytree_def_is_prefix(ordered, dict, false, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[0]['c']", &error);
    assert_true(pytree_def_is_suffix(ordered, dict, false, NULL, NULL));
    common = pytree_def_common_suffix(dict, ordered, NULL, NULL);
    assert_def(common, "PyTreeDef([{'a': {'z': *}, 'b': [*], 'c': (*, *)}])");
    assert_sound(common);
    pytree_def_free(common);
    common = pytree_def_common_suffix(ordered, dict, NULL, NULL);
    assert_same_def(common, ordered);
    pytree_def_free(common);
    memset(&error, 0, sizeof error);
    assert_null(pytree_def_common_suffix(ordered, other, NULL, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[0]['a']", &error);
    assert_string_equal(error.message, "different types: expected dict with keys 'z', got None");
    pytree_def_free(dict);
    pytree_def_free(ordered);
    pytree_def_free(other);
}

/* ---- Paths ------------------------------------------------------------------------------------------------------------- */

static void leaf_paths_are_those_of_the_texts(void **state)
{
    pytree_def *def = must_parse("PyTreeDef([*, {'a': (*, None, *), 'b': []}, CustomNode(Mixed[(1, 'j')], [*, "
                                 "CustomNode(namedtuple[Quad], "
                                 "[*, *, [[*]], *]), *]), CustomNode(OrderedDict[('y', 'x')], [*, *])])");
    size_t count, i, k;
    const char **paths = pytree_def_paths(def, NULL, &count, NULL, NULL);
    pytree_entry entries[8];
    (void)state;
    assert_int_equal(count, def->n_leaves);
    for (i = 0; i < count; i++) {
        char text[200];
        struct pytree__text_writer to = { text, sizeof text - 1, 0, NULL };
        size_t n = pytree_def_leaf_path(def, i, entries, COUNT_OF(entries));
        assert_in_range(n, 1, COUNT_OF(entries));
        assert_int_equal(pytree_def_leaf_path(def, i, NULL, 0), n);
        for (k = 0; k < n; k++) { pytree__put_entry(&to, &entries[k], NULL, k == 0); }
        text[to.length] = '\0';
        assert_string_equal(text, paths[i]);
    }
    assert_string_equal(paths[6], "[2].a.b[0][0]");
    assert_string_equal(paths[count - 1], "[3]['x']");
    assert_int_equal(pytree_def_leaf_path(def, count, entries, COUNT_OF(entries)), SIZE_MAX);
    pytree_paths_free(paths);
    pytree_def_free(def);
    def = pytree_def_leaf(NULL, NULL);
    assert_int_equal(pytree_def_leaf_path(def, 0, entries, COUNT_OF(entries)), 0);
    pytree_def_free(def);
    def = pytree_def_none(NULL, NULL);
    paths = pytree_def_paths(def, NULL, &count, NULL, NULL);
    assert_non_null(paths);
    assert_int_equal(count, 0);
    pytree_paths_free(paths);
    pytree_def_free(def);
}

/* The same texts as from the value. */
static void paths_are_those_of_the_value(void **state)
{
    MLP model = mlp_make(2, true);
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, NULL);
    size_t i, n, m;
    const char **of_def = pytree_def_paths(def, NULL, &n, NULL, NULL), **of_value =
        pytree_paths(PYTREE(&model), NULL, &m, NULL, NULL);
    (void)state;
    assert_int_equal(n, m);
    for (i = 0; i < n; i++) { assert_string_equal(of_def[i], of_value[i]); }
    pytree_paths_free(of_def);
    pytree_paths_free(of_value);
    pytree_def_free(def);
    mlp_clear(&model);
}

/* A dict in place of a node keeps the order in which its keys were given. */
static pytree_status to_dict(void *context, const pytree_def *part, pytree_def **result, pytree_error *err)
{
    (void)context;
    (void)err;
    if (pytree_def_num_leaves(part) == 2) { *result = must_parse("PyTreeDef({'z': *, 'a': *})"); }
    return PYTREE_OK;
}

static void transform_to_a_dict_out_of_order(void **state)
{
    pytree_def *def = must_parse("PyTreeDef(([*], (None,)))");
    pytree_def *made = pytree_def_transform(def, to_dict, NULL, NULL, NULL, NULL);
    (void)state;
    assert_def(made, "PyTreeDef({'a': [*], 'z': (None,)})");
    assert_sound(made);
    pytree_def_free(made);
    pytree_def_free(def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(builders_refuse), cmocka_unit_test(builders_need_no_children),
        cmocka_unit_test(dicts_sort_children_with_keys), cmocka_unit_test(structs_take_their_static_values),
        cmocka_unit_test(transform_replaces_nodes_and_leaves), cmocka_unit_test(transform_checks_results),
        cmocka_unit_test(combinations_refuse_other_switches), cmocka_unit_test(compose_checks_the_size),
        cmocka_unit_test(errors_in_words), cmocka_unit_test(namedtuples_compare_by_fields),
        cmocka_unit_test(dicts_match_in_any_order),
        cmocka_unit_test(leaf_paths_are_those_of_the_texts), cmocka_unit_test(paths_are_those_of_the_value),
        cmocka_unit_test(transform_to_a_dict_out_of_order)
    };
    return cmocka_run_group_tests(tests, known_types_begin, NULL);
}
