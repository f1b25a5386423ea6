/* Get and set by key path. */
#include "path_shared.h"

/* ---- Get --------------------------------------------------------------------------------------------------------------- */

static void every_leaf_is_at_its_path(void **state)
{
    Everything all = everything_make(true);
    MLP model = mlp_make(3, true);
    Shelf shelf = shelf_make();
    int answer = 42;
    pytree trees[4];
    size_t k, leaves = 0;
    (void)state;
    trees[0] = PYTREE(&all);
    trees[1] = PYTREE(&model);
    trees[2] = PYTREE(&shelf);
    trees[3] = PYTREE_LIST(PYTREE(&answer),
                           PYTREE_DICT({ "b", PYTREE(&model) }, { "a'", PYTREE_TUPLE(PYTREE(&answer), PYTREE_STR("x")) }),
                           PYTREE_NAMEDTUPLE("Pair", { "first", PYTREE(&shelf) },
                                                     { "second", PYTREE_ODICT({ "z", PYTREE_INT(1) }) }));
    for (k = 0; k < 4; k++) {
        pytree_error error = { 0 };
        pytree_iter it;
        assert_ok(pytree_iter_begin(&it, 1, &trees[k], NULL, &error), &error);
        while (pytree_iter_next(&it)) {
            pytree_entry entries[16];
            const pytree_path path = { pytree_iter_path(&it, entries, 16), entries };
            char text[256], simple[256];
            pytree_leaf by_path, by_text, by_simple;
            pytree_path *loose;
            assert_true(pytree_iter_path_text(&it, text, sizeof(text)) < sizeof(text));
            by_path = pytree_get(trees[k], &path, NULL, &error);
            by_text = pytree_at(trees[k], text, NULL, &error);
            pytree_path_simple_text(&path, "/", simple, sizeof(simple));
            loose = pytree_path_parse(simple, "/", NULL, &error);
            by_simple = pytree_get(trees[k], loose, NULL, &error);
            assert_ok(error.status, &error);
            assert_true(pytree_is_leaf(&by_path) && pytree_is_leaf(&by_text) && pytree_is_leaf(&by_simple));
            assert_ptr_equal(by_path.data, it.leaf[0]->data);
            assert_ptr_equal(by_text.data, it.leaf[0]->data);
            assert_ptr_equal(by_simple.data, it.leaf[0]->data);
            assert_ptr_equal(by_path.type, it.leaf[0]->type);
            assert_int_equal(by_path.ndim, it.leaf[0]->ndim);
            assert_memory_equal(by_path.shape, it.leaf[0]->shape, (size_t)by_path.ndim * sizeof(size_t));
            pytree_path_free(loose);
            leaves++;
        }
        pytree_iter_end(&it);
        assert_ok(it.status, &error);
    }
    assert_true(leaves > 2 * (EVERYTHING_LEAVES / 2 + SHELF_LEAVES));
    everything_clear(&all);
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static void nodes_are_reached_too(void **state)
{
    MLP model = mlp_make(2, true);
    pytree t = PYTREE(&model);
    pytree_error error = { 0 };
    pytree_leaf view;
    (void)state;
    view = pytree_at(t, "", NULL, &error);
    assert_def_text(pytree_of_view(&view), MLP_2_HEAD_TEXT, NULL);
    view = pytree_get(t, NULL, NULL, &error);
    assert_def_text(pytree_of_view(&view), MLP_2_HEAD_TEXT, NULL);
    view = pytree_at(t, ".layers", NULL, &error);
    assert_false(pytree_is_leaf(&view));
    assert_def_text(pytree_of_view(&view),
                    "PyTreeDef([CustomNode(Linear[(4, 3)], [*, *]), CustomNode(Linear[(3, 2)], [*, *])])", NULL);
    view = pytree_at(t, ".layers[1]", NULL, &error);
    assert_ptr_equal(view.data, &model.layers[1]);
    assert_string_equal(view.type->name, "Linear");
    view = pytree_at(t, ".head", NULL, &error);
    assert_ptr_equal(view.data, model.head);
    assert_ok(error.status, &error);
    view = pytree_at(pytree_of_view(&view), ".b", NULL, &error);
    assert_ptr_equal(view.data, model.head->b);
    assert_ok(error.status, &error);
    linear_clear(model.head);
    free(model.head);
    model.head = NULL;
    view = pytree_at(t, ".head", NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(view.type);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    mlp_clear(&model);
}

static void a_leaf_alone_and_views(void **state)
{
    float x[6] = { 0 };
    double d = 1.5;
    pytree_leaf leaf = { .data = x, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 3 } }, view;
    pytree inner = PYTREE(&leaf), outer = PYTREE(&inner), list = PYTREE_LIST(outer, PYTREE_NONE);
    pytree_error error = { 0 };
    (void)state;
    view = pytree_at(PYTREE(&d), "", NULL, &error);
    assert_ptr_equal(view.data, &d);
    assert_int_equal(view.ndim, 0);
    view = pytree_at(outer, "", NULL, &error);                                     /* a reference to a reference to a view */
    assert_true(pytree_is_leaf(&view));
    assert_ptr_equal(view.data, x);
    assert_int_equal(view.ndim, 2);
    view = pytree_at(list, "[0]", NULL, &error);
    assert_ptr_equal(view.data, x);
    view = pytree_at(PYTREE_NONE, "", NULL, &error);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    view = pytree_at(list, "[1]", NULL, &error);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    assert_ok(error.status, &error);
}

static void in_a_flat_tree(void **state)
{
    MLP model = mlp_make(2, false);
    double numbers[5] = { 0, 1, 2, 3, 4 };
    pytree_leaf leaves[5], view;
    pytree_flat flat = { NULL, leaves };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&model), NULL, &error);
    size_t i;
    (void)state;
    assert_non_null(def);
    memset(leaves, 0, sizeof(leaves));
    for (i = 0; i < 5; i++) {
        leaves[i].data = &numbers[i];
        leaves[i].type = PYTREE_TYPE(double);
    }
    flat.def = def;
    view = pytree_at(PYTREE(&flat), ".layers[1].b", NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, &numbers[3]);
    view = pytree_at(PYTREE(&flat), ".scale", NULL, &error);
    assert_ptr_equal(view.data, &numbers[4]);
    view = pytree_at(PYTREE(&flat), ".layers[1]", NULL, &error);
    assert_ok(error.status, &error);
    view = pytree_at(pytree_of_view(&view), ".w", NULL, &error);
    assert_ptr_equal(view.data, &numbers[2]);
    view = pytree_at(PYTREE(&flat), ".layers[1].c", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, ".layers[1]", &error);
    assert_string_equal(error.message, "expected .c, got a Linear with .w, .b");
    assert_null(view.type);
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(&flat), ".x", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected .x, got a MLP with .layers, .head, .scale");
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(&flat), ".head.w", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, ".head", &error);
    pytree_def_free(def);
    mlp_clear(&model);
}

static void says_what_is_there_instead(void **state)
{
    MLP model = mlp_make(2, false);
    Shelf shelf = shelf_make(), empty = { 0 };
    Config config = { 0 };
    int number = 3;
    const pytree box = PYTREE_TUPLE(PYTREE(&model), PYTREE(&shelf), PYTREE(&empty), PYTREE(&config), PYTREE(&number),
                                    PYTREE_LIST(), PYTREE_DICT(), PYTREE_NAMEDTUPLE("Origin", { "x", PYTREE_INT(1) }),
                                    PYTREE_ODICT({ "it's", PYTREE_INT(1) }, { "b", PYTREE_INT(2) }), PYTREE_STR("text"));
    static const struct { const char *text, *path, *message; } cases[] = {
        { ".x", "", "expected .x, got a tuple of 10" },
        { "[10]", "", "expected [10], got a tuple of 10" },
        { "['a'].b", "", "expected ['a'], got a tuple of 10" },
        { "[0].layers[0].wx", "[0].layers[0]", "expected .wx, got a Linear with .w, .b" },
        { "[0].layers[0]['w']", "[0].layers[0]", "expected ['w'], got a Linear with .w, .b" },
        { "[0].layers[0][0].x", "[0].layers[0]", "expected [0], got a Linear with .w, .b" },
        { "[0].layers[0].din", "[0].layers[0]", "expected .din, got a Linear with .w, .b" },
        { "[0].layers[2].w", "[0].layers", "expected [2], got a list of 2" },
        { "[0].layers.w", "[0].layers", "expected .w, got a list of 2" },
        { "[0].head.w", "[0].head", "expected .w, got None" },
        { "[0].scale[2]", "[0].scale", "expected [2], got a leaf f32[2,3]" },
        { "[0].scale[1][3]", "[0].scale[1]", "expected [3], got a leaf f32[3]" },
        { "[1].heights[3]", "[1].heights", "expected [3], got a list of 3" },
        { "[1].prices['plum']", "[1].prices", "expected ['plum'], got a dict with ['apple'], ['fig'], ['pear']" },
        { "[1].prices.pear", "[1].prices", "expected .pear, got a dict with ['apple'], ['fig'], ['pear']" },
        { "[2].heights[0]", "[2].heights", "expected [0], got an empty list" },
        { "[2].prices['a']", "[2].prices", "expected ['a'], got an empty dict" },
        { "[3].width", "[3]", "expected .width, got an empty Config" },
        { "[4].x", "[4]", "expected .x, got a leaf i32" },
        { "[5][0]", "[5]", "expected [0], got an empty list" },
        { "[6]['k']", "[6]", "expected ['k'], got an empty dict" },
        { "[7].y", "[7]", "expected .y, got an Origin with .x" },
        { "[8]['c']", "[8]", "expected ['c'], got an OrderedDict with [\"it's\"], ['b']" },
        { "[9][0]", "[9]", "expected [0], got a leaf str" },
        { "[<flat index 0>]", "", "expected [<flat index 0>], got a tuple of 10" },
    };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(cases); i++) {
        pytree_error error = { 0 };
        pytree_leaf view = pytree_at(box, cases[i].text, NULL, &error);
        assert_null(view.type);
        assert_null(view.data);
        assert_error(error.status, PYTREE_NOT_FOUND, cases[i].path, &error);
        assert_string_equal(error.message, cases[i].message);
        view = pytree_at(box, cases[i].text, NULL, NULL);
        assert_null(view.type);
    }
    {
        pytree_error error = { 0 };
        pytree_leaf view = pytree_at(box, "[0].layers[", NULL, &error);
        assert_null(view.type);
        assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
    }
    mlp_clear(&model);
    shelf_clear(&shelf);
}

static bool stops_everywhere(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    (void)path;
    return true;
}

static void predicates_are_not_asked(void **state)
{
    MLP model = mlp_make(1, false);
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf view;
    (void)state;
    opt.is_leaf = stops_everywhere;
    view = pytree_at(PYTREE(&model), ".layers[0].b", &opt, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, model.layers[0].b);
    opt.is_leaf = NULL;
    opt.none_is_leaf = true;
    view = pytree_at(PYTREE(&model), ".head", &opt, &error);
    assert_int_equal(view.form, PYTREE_FORM_NONE);
    view = pytree_at(PYTREE(&model), ".head.w", &opt, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, ".head", &error);
    assert_string_equal(error.message, "expected .w, got None");
    mlp_clear(&model);
}

static void broken_nodes_on_the_way(void **state)
{
    MLP model = mlp_make(2, false);
    float *b = model.layers[1].b;
    pytree_error error = { 0 };
    pytree_leaf view;
    (void)state;
    model.layers[1].b = NULL;
    view = pytree_at(PYTREE(&model), ".layers[1].w", NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NULL_POINTER, ".layers[1].b", &error);
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(&model), ".layers[0].w", NULL, &error);
    assert_ok(error.status, &error);
    assert_ptr_equal(view.data, model.layers[0].w);
    model.layers[1].b = b;
    mlp_clear(&model);
}

/* ---- Set --------------------------------------------------------------------------------------------------------------- */

static void setting_a_leaf(void **state)
{
    MLP model = mlp_make(2, false);
    pytree t = PYTREE(&model);
    float b[3] = { 7, 8, 9 };
    pytree_leaf value = { .data = b, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
    pytree_entry entries[] = { ATTRIBUTE("layers"), INDEX(0), ATTRIBUTE("b") };
    const pytree_path path = { 3, entries };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_set(t, &path, &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    b[1] = -1;
    assert_ok(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    value = pytree_at(t, ".layers[0].b", NULL, &error);
    assert_ok(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), &error);     /* onto itself */
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    b[2] = 0.5f;
    value = (pytree_leaf){ .data = &(pytree_leaf){ .data = b, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } },
                           .type = PYTREE_TYPE(pytree_leaf) };                     /* a value that holds a view */
    assert_ok(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].b, b, sizeof(b));
    mlp_clear(&model);
}

static void setting_checks_first(void **state)
{
    MLP model = mlp_make(2, true);
    pytree t = PYTREE(&model);
    float before[12], numbers[12] = { 0 };
    double doubles[12] = { 0 };
    pytree_leaf value = { .data = numbers, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 3, 4 } };
    pytree_error error = { 0 };
    (void)state;
    memcpy(before, model.layers[0].w, sizeof(before));
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_SHAPE, ".layers[0].w", &error);
    assert_string_equal(error.message, "expected f32[4,3], got f32[3,4]");
    memset(&error, 0, sizeof(error));
    value.ndim = 1;
    value.shape[0] = 12;
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_SHAPE, ".layers[0].w", &error);
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = numbers, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 3, 1 } };
    assert_error(pytree_set_at(t, ".layers[0].b", &value, NULL, &error), PYTREE_SHAPE, ".layers[0].b", &error);
    assert_string_equal(error.message, "expected f32[3], got f32[3,1]");
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = doubles, .type = PYTREE_TYPE(double), .ndim = 2, .shape = { 4, 3 } };
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_TYPE, ".layers[0].w", &error);
    assert_string_equal(error.message, "expected f32[4,3], got f64[4,3]");
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = NULL, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 4, 3 } };
    assert_error(pytree_set_at(t, ".layers[0].w", &value, NULL, &error), PYTREE_NULL_POINTER, ".layers[0].w", &error);
    memset(&error, 0, sizeof(error));
    value.data = numbers;
    assert_error(pytree_set_at(t, ".layers[0].x", &value, NULL, &error), PYTREE_NOT_FOUND, ".layers[0]", &error);
    memset(&error, 0, sizeof(error));
    assert_error(pytree_set_at(t, ".layers[0].", &value, NULL, &error), PYTREE_SYNTAX, NULL, &error);
    memset(&error, 0, sizeof(error));
    assert_error(pytree_set_at(t, ".layers", &value, NULL, &error), PYTREE_STRUCTURE, ".layers", &error);
    assert_int_equal(pytree_set_at(t, ".layers", &value, NULL, NULL), PYTREE_STRUCTURE);
    assert_memory_equal(model.layers[0].w, before, sizeof(before));
    mlp_clear(&model);
}

static void setting_what_is_no_value(void **state)
{
    MLP model = mlp_make(1, false);
    pytree t = PYTREE(&model);
    pytree_error error = { 0 }, ignored = { 0 };
    pytree_leaf value = pytree_at(t, ".nothing", NULL, &ignored);
    float one[3] = { 1, 2, 3 };
    (void)state;
    assert_error(pytree_set_at(t, ".scale", &value, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    assert_non_null(strstr(error.message, ", got no type"));
    memset(&error, 0, sizeof(error));
    assert_error(pytree_set_at(t, ".scale", NULL, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = one, .type = PYTREE_TYPE(float), .ndim = PYTREE_MAX_DIMS + 1 };
    assert_error(pytree_set_at(t, ".scale", &value, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    memset(&error, 0, sizeof(error));
    value.ndim = -1;
    assert_error(pytree_set_at(t, ".scale", &value, NULL, &error), PYTREE_ARGUMENT, ".scale", &error);
    memset(&error, 0, sizeof(error));
    value = (pytree_leaf){ .data = one, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 3 } };
    assert_error(pytree_set_at(t, ".head", &value, NULL, &error), PYTREE_STRUCTURE, ".head", &error);   /* None there */
    assert_null(model.head);
    mlp_clear(&model);
}

static void setting_a_subtree(void **state)
{
    MLP model = mlp_make(3, false), other = mlp_make(3, false);
    pytree_error error = { 0 };
    pytree_leaf value;
    size_t i;
    (void)state;
    for (i = 0; i < 12; i++) { other.layers[0].w[i] = -3.0f; }
    value = pytree_at(PYTREE(&other), ".layers[0]", NULL, &error);
    assert_ok(pytree_set_at(PYTREE(&model), ".layers[0]", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].w, other.layers[0].w, 12 * sizeof(float));
    value = (pytree_leaf){ .data = &other.layers[0], .type = PYTREE_TYPE(Linear) };
    model.layers[0].w[0] = 0.0f;
    assert_ok(pytree_set_at(PYTREE(&model), ".layers[0]", &value, NULL, &error), &error);
    assert_memory_equal(model.layers[0].w, other.layers[0].w, 12 * sizeof(float));
    assert_error(pytree_set_at(PYTREE(&model), ".layers[1]", &value, NULL, &error), PYTREE_STRUCTURE, ".layers[1]", &error);
    mlp_clear(&model);
    mlp_clear(&other);
}

static void setting_strings_and_scalars(void **state)
{
    Everything all = everything_make(true);
    const char *word = "another";
    bool flag = false;
    Point point = { 1.25f, 2.5f };
    pytree_leaf value;
    pytree_error error = { 0 };
    (void)state;
    value = (pytree_leaf){ .data = &word, .type = PYTREE_TYPE(char *) };
    assert_ok(pytree_set_at(PYTREE(&all), ".title", &value, NULL, &error), &error);
    assert_ptr_equal(all.title, word);
    value = (pytree_leaf){ .data = &flag, .type = PYTREE_TYPE(bool) };
    assert_ok(pytree_set_at(PYTREE(&all), ".flag", &value, NULL, &error), &error);
    assert_false(all.flag);
    value = pytree_at(PYTREE(&point), "", NULL, &error);
    assert_ok(pytree_set_at(PYTREE(&all), ".points[2]", &value, NULL, &error), &error);
    assert_true(all.points[2].x == 1.25f && all.points[2].y == 2.5f);
    everything_clear(&all);
}

typedef struct Label { char text[4], lines[2][4]; } Label;

#define PYTREE_STRUCT Label
#define PYTREE_FIELDS PYTREE_FIELD(DATA, text, STRING) PYTREE_FIELD(DATA, lines, STRING)
#include "pytree_registry.h"

/* A string is one value, wherever it lies: an array of strings has elements, a string has none. An element of an array without
 * data has none. */
static void elements_of_strings_and_of_nothing(void **state)
{
    Label a = { "abc", { "one", "two" } };
    char *word = (char *)(uintptr_t)"word";
    pytree_error error = { 0 };
    pytree_leaf at, nothing = { .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 0 } };
    (void)state;
    at = pytree_at(PYTREE(&a), ".lines[1]", NULL, &error);
    assert_ok(error.status, &error);
    assert_true(at.ndim == 1 && at.shape[0] == 4);
    assert_ptr_equal(at.data, a.lines[1]);
    assert_true(pytree_equal(pytree_of_view(&at), pytree_of_view(&at), NULL, NULL, &error));
    assert_ok(error.status, &error);
    assert_null(pytree_at(PYTREE(&a), ".text[0]", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, ".text", &error);
    assert_string_equal(error.message, "expected [0], got a leaf text[4]");
    memset(&error, 0, sizeof error);
    assert_null(pytree_at(PYTREE(&a), ".lines[1][3]", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, ".lines[1]", &error);
    assert_string_equal(error.message, "expected [3], got a leaf text[4]");
    memset(&error, 0, sizeof error);
    assert_null(pytree_at(PYTREE(&word), "[0]", NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected [0], got a leaf str");
    memset(&error, 0, sizeof error);
    assert_error(pytree_set_at(PYTREE(&a), ".text[0]", &at, NULL, &error), PYTREE_NOT_FOUND, ".text", &error);
    assert_string_equal(a.text, "abc");
    memset(&error, 0, sizeof error);
    at = pytree_at(pytree_of_view(&nothing), "[1]", NULL, &error);
    assert_ok(error.status, &error);
    assert_null(at.data);
    assert_int_equal(at.ndim, 1);
    assert_int_equal(at.shape[0], 0);
    assert_ok(pytree_set_at(pytree_of_view(&nothing), "[1]", &at, NULL, &error), &error);     /* no bytes to set */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_leaf_is_at_its_path),
        cmocka_unit_test(nodes_are_reached_too),
        cmocka_unit_test(a_leaf_alone_and_views),
        cmocka_unit_test(in_a_flat_tree),
        cmocka_unit_test(says_what_is_there_instead),
        cmocka_unit_test(long_errors_are_cut),
        cmocka_unit_test(predicates_are_not_asked),
        cmocka_unit_test(broken_nodes_on_the_way),
        cmocka_unit_test(setting_a_leaf),
        cmocka_unit_test(setting_checks_first),
        cmocka_unit_test(setting_what_is_no_value),
        cmocka_unit_test(setting_a_subtree),
        cmocka_unit_test(setting_strings_and_scalars),
        cmocka_unit_test(elements_of_strings_and_of_nothing)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
