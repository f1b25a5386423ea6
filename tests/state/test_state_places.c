/* Places of states one by one, values and attributes by filter, the role of a leaf: pytree/state.h, pytree/filter.h. */
#include "support.h"
#include "pytree/state.h"
#include "pytree/transform.h"
#include "pytree/treedef_io.h"

typedef struct Dense {
    int din, dout;
    float *kernel, *bias;
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, kernel, ARRAY(self->din, self->dout), ROLE(Param))                                               \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dout), OPTIONAL, ROLE(Param))
#include "pytree_registry.h"

typedef struct Norm {
    bool train;
    int8_t mode;
    const char *name;
    unsigned wide : 3;
    float scale[2], mean[2];
} Norm;

#define PYTREE_STRUCT Norm
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, train)                                                                                         \
    PYTREE_FIELD(STATIC, mode)                                                                                          \
    PYTREE_FIELD(STATIC, name)                                                                                          \
    PYTREE_FIELD(STATIC, wide, BITS)                                                                                    \
    PYTREE_FIELD(DATA, scale, ROLE(Param))                                                                              \
    PYTREE_FIELD(DATA, mean, ROLE(BatchStat))
#include "pytree_registry.h"

typedef struct Net {
    Dense layers[2], cache;
    Norm norm, *again;
    double step;
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, layers)                                                                                          \
    PYTREE_FIELD(DATA, cache, ROLE(Cache))                                                                              \
    PYTREE_FIELD(DATA, norm)                                                                                            \
    PYTREE_FIELD(DATA, again, OPTIONAL)                                                                                 \
    PYTREE_FIELD(DATA, step)
#include "pytree_registry.h"

typedef struct Fixture {
    float numbers[16];
    Net net;
} Fixture;

static pytree fixture(Fixture *f)
{
    size_t i;
    for (i = 0; i < COUNT_OF(f->numbers); i++) { f->numbers[i] = (float)i; }
    f->net = (Net){ { { 2, 3, f->numbers, f->numbers + 6 }, { 3, 1, f->numbers + 9, NULL } },
                    { 1, 2, f->numbers + 12, f->numbers + 14 }, { false, 1, "bn", 2, { 1, 2 }, { 3, 4 } }, NULL, 7 };
    return PYTREE(&f->net);
}

/* ---- Places -------------------------------------------------------------------------------------------------------- */

static void places_one_by_one(void **state)
{
    static const char *const expected[] = { ".cache", ".layers[0].bias", ".layers[0].kernel", ".layers[1].kernel", ".norm.mean",
                                            ".norm.scale", ".step" };
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_place_list *all = pytree_places(t, PYTREE_EVERYTHING, NULL, &error), *some;
    pytree_place turned[7];
    pytree_flat flat, again;
    char path[100];
    size_t i;
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(all->n, COUNT_OF(expected));
    for (i = 0; i < all->n; i++) {
        pytree_path_text(&all->places[i].path, path, sizeof path);
        assert_string_equal(path, expected[i]);
        turned[all->n - 1 - i] = all->places[i];
    }
    assert_ptr_equal(all->places[0].role, &pytree_role_Cache);
    assert_int_equal(pytree_num_leaves(pytree_of_view(all->places[0].view), NULL, NULL), 2);
    assert_ptr_equal(all->places[1].view->data, f.numbers + 6);
    flat = pytree_of_places(all->n, turned, NULL, &error);     /* in any order */
    again = pytree_state(t, PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(flat.def, again.def));
    assert_true(pytree_equal(PYTREE(&flat), PYTREE(&again), NULL, NULL, &error));
    pytree_flat_free(&flat);
    pytree_flat_free(&again);
    some = pytree_places(t, PYTREE_OF(BatchStat), NULL, &error);
    assert_int_equal(some->n, 1);
    pytree_places_free(some);
    turned[0] = turned[3];
    flat = pytree_of_places(7, turned, NULL, &error);
    assert_null(flat.def);
    assert_error(error.status, PYTREE_STRUCTURE, NULL, &error);
    error = (pytree_error){ 0 };
    turned[1].view = NULL;
    flat = pytree_of_places(2, turned, NULL, &error);
    assert_error(error.status, PYTREE_TYPE, ".norm.scale", &error);
    error = (pytree_error){ 0 };
    assert_null(pytree_places(t, PYTREE_PATH("["), NULL, &error));
    assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
    pytree_places_free(all);
    pytree_places_free(NULL);
}

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

static void values_by_filter(void **state)
{
    Fixture f;
    pytree t = fixture(&f), values[2] = { PYTREE_INT(0), PYTREE_NONE };
    pytree_options none_is_leaf = { .none_is_leaf = true };
    pytree_error error = { 0 };
    pytree_flat axes = pytree_prefix(t, PYTREE_FILTERS(PYTREE_OF(Param), PYTREE_REST), values, "model", NULL, &error);
    pytree_def *def;
    size_t i;
    (void)state;
    assert_ok(error.status, &error);
    def = pytree_structure(t, &none_is_leaf, &error);
    assert_true(pytree_def_equal(axes.def, def));              /* the structure of the tree itself, in its own order */
    for (i = 0; i < axes.def->n_leaves; i++) {
        const bool param = i < 3 || i == 6;
        assert_int_equal(axes.leaves[i].form, param ? PYTREE_FORM_LEAF : PYTREE_FORM_NONE);
    }
    pytree_def_free(def);
    pytree_flat_free(&axes);
    axes = pytree_prefix(t, PYTREE_FILTERS(PYTREE_OF(Param)), values, NULL, NULL, &error);
    assert_null(axes.def);
    assert_error(error.status, PYTREE_FILTER, ".cache", &error);
    error = (pytree_error){ 0 };
    values[0] = PYTREE_LIST(values[0], values[0]);
    axes = pytree_prefix(t, PYTREE_FILTERS(PYTREE_REST), values, "model", NULL, &error);
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
    assert_string_equal(error.message, "model: expected a leaf or None for each filter, got 2 leaves");
    error = (pytree_error){ 0 };
    f.net.layers[1].kernel = f.numbers;
    f.net.layers[1] = f.net.layers[0];
    values[0] = PYTREE_INT(0);
    axes = pytree_prefix(t, PYTREE_FILTERS(PYTREE_PATH(".layers[0].*"), PYTREE_REST), values, "model", NULL, &error);
    assert_null(axes.def);
    assert_error(error.status, PYTREE_SHARED, ".layers[1].kernel", &error);
    assert_string_equal(error.message, "model: expected one prefix for memory reached as .layers[0].kernel and "
                                       ".layers[1].kernel, got 0 and None");
}

/* ---- Attributes ---------------------------------------------------------------------------------------------------- */

static void attributes_of_all_nodes(void **state)
{
    Fixture f;
    Norm other = { 0 };
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    size_t found = 9;
    (void)state;
    f.net.again = &other;
    assert_ok(pytree_set_attributes(t, PYTREE_EVERYTHING, "train", PYTREE_BOOL(true), &found, NULL, &error), &error);
    assert_true(found == 2 && f.net.norm.train && other.train);
    assert_ok(pytree_set_attributes(t, PYTREE_PATH(".norm"), "mode", PYTREE_INT(-3), NULL, NULL, &error), &error);
    assert_true(f.net.norm.mode == -3 && other.mode == 0);
    assert_ok(pytree_set_attributes(t, PYTREE_OF_TYPE(PYTREE_TYPE(Norm)), "name", PYTREE_STR("layer"), NULL, NULL, &error),
              &error);
    assert_string_equal(other.name, "layer");
    assert_ok(pytree_set_attributes(t, PYTREE_EVERYTHING, "wide", PYTREE_INT(7), NULL, NULL, &error), &error);
    assert_true(f.net.norm.wide == 7 && other.wide == 7);
    f.net.again = &f.net.norm;                                 /* a shared one is set, and counted, once */
    assert_ok(pytree_set_attributes(t, PYTREE_EVERYTHING, "train", PYTREE_INT(0), &found, NULL, &error), &error);
    assert_true(found == 1 && !f.net.norm.train);
    assert_ok(pytree_set_attributes(t, PYTREE_EVERYTHING, "nowhere", PYTREE_INT(0), &found, NULL, &error), &error);
    assert_int_equal(found, 0);
}

static void assert_not_set(const char *name, pytree value, pytree_status status, const char *message)
{
    Fixture f;
    Norm other = { 0 };
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    f.net.again = &other;
    assert_error(pytree_set_attributes(t, PYTREE_EVERYTHING, name, value, NULL, NULL, &error), status, NULL, &error);
    assert_string_equal(error.message, message);
    assert_true(f.net.norm.mode == 1 && f.net.norm.wide == 2 && other.mode == 0);
}

static void attributes_that_cannot_be_set(void **state)
{
    (void)state;
    assert_not_set("nowhere", PYTREE_INT(1), PYTREE_NOT_FOUND, "expected a node with the attribute 'nowhere', got none");
    assert_not_set("scale", PYTREE_INT(1), PYTREE_NOT_FOUND, "expected a node with the attribute 'scale', got none");
    assert_not_set("mode", PYTREE_INT(200), PYTREE_VALUE, "expected a number that the i8 mode of a Norm can hold, got 200");
    assert_not_set("mode", PYTREE_FLOAT(0.5), PYTREE_VALUE, "expected a number that the i8 mode of a Norm can hold, got 0.5");
    assert_not_set("mode", PYTREE_STR("a"), PYTREE_TYPE, "expected i8 for the static member mode of a Norm, got 'a'");
    assert_not_set("name", PYTREE_INT(1), PYTREE_TYPE, "expected str for the static member name of a Norm, got 1");
    assert_not_set("wide", PYTREE_INT(8), PYTREE_VALUE, "expected a number that the i64 wide of a Norm can hold, got 8");
    assert_not_set("wide", PYTREE_NONE, PYTREE_TYPE, "expected a number or a string for wide, got another value");
    assert_not_set(NULL, PYTREE_INT(1), PYTREE_ARGUMENT, "expected the name of an attribute, got NULL");
}

/* ---- Roles of leaves ----------------------------------------------------------------------------------------------- */

static pytree_status note_role(void *context, const pytree_iter *at)
{
    const pytree_type *role = pytree_iter_role(at);
    strcat(strcat(context, role == NULL ? "-" : role->name), " ");
    return PYTREE_OK;
}

static void roles_of_leaves(void **state)
{
    Fixture f;
    pytree t = fixture(&f);
    pytree_error error = { 0 };
    pytree_flat flat = pytree_state(t, PYTREE_EVERYTHING, NULL, &error);
    char text[300] = "";
    (void)state;
    assert_ok(pytree_map(note_role, text, NULL, 1, &t, NULL, &error), &error);
    assert_string_equal(text, "Param Param Param Cache Cache Param BatchStat - ");
    *text = '\0';
    assert_ok(pytree_map(note_role, text, NULL, 1, (pytree[1]){ PYTREE(&flat) }, NULL, &error), &error);
    assert_string_equal(text, "Cache Cache Param Param Param BatchStat Param - ");
    *text = '\0';
    assert_ok(pytree_map(note_role, text, NULL, 1, (pytree[1]){ PYTREE_LIST(PYTREE_VARIABLE(Param, t), PYTREE_INT(1)) }, NULL,
                         &error), &error);
    assert_string_equal(text, "Param Param Param Param Param Param Param Param - ");
    *text = '\0';
    assert_ok(pytree_map(note_role, text, NULL, 1, (pytree[1]){ PYTREE(&f.net.norm) }, NULL, &error), &error);
    assert_string_equal(text, "Param BatchStat ");
    pytree_flat_free(&flat);
    assert_null(pytree_iter_role(NULL));
}

/* ---- Order and metadata -------------------------------------------------------------------------------------------- */

static void assert_places(pytree t, const pytree_options *opt, const char *expected)
{
    pytree_error error = { 0 };
    pytree_place_list *const list = pytree_places(t, PYTREE_EVERYTHING, opt, &error);
    char text[300] = "", path[60];
    size_t i;
    assert_ok(error.status, &error);
    for (i = 0; i < list->n; i++) {
        pytree_path_text(&list->places[i].path, path, sizeof path);
        strcat(strcat(text, path), " ");
    }
    assert_string_equal(text, expected);
    pytree_places_free(list);
}

/* Places come in the order of their keys, whichever those of an ordered dict have. */
static void places_are_sorted(void **state)
{
    static float x[4] = { 1, 2, 3, 4 };
    const pytree a = PYTREE(&x[0]), b = PYTREE(&x[1]), c = PYTREE(&x[2]), d = PYTREE(&x[3]);
    (void)state;
    assert_places(PYTREE_ODICT({ "a", a }, { "c", c }, { "b", b }), NULL, ".a .b .c ");
    assert_places(PYTREE_ODICT({ "c", c }, { "b", b }, { "a", a }), NULL, ".a .b .c ");
    assert_places(PYTREE_ODICT({ "b", b }, { "d", d }, { "a", a }, { "c", c }), NULL, ".a .b .c .d ");
}

/* Numbers are before names where one state has the ones and another the others. */
static void numbers_and_names(void **state)
{
    static float x = 1, y = 2;
    const pytree one = PYTREE(&x), two = PYTREE(&y);
    const pytree list = PYTREE_LIST(one, two), dict = PYTREE_DICT({ "a", one }, { "b", two });
    pytree_error error = { 0 };
    int side;
    (void)state;
    for (side = 0; side < 2; side++) {    /* nothing of one is in the other */
        const pytree a = side == 0 ? list : dict, b = side == 0 ? dict : list;
        pytree_flat less = pytree_state_minus(a, b, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(less.def->n_leaves, 2);
        pytree_flat_free(&less);
    }
}

/* Metadata that is no text is none. */
static void metadata_without_end(void **state)
{
    static float x = 1;
    static const pytree_type *const types[] = { &pytree_role_Param };
    pytree_variable variable = { .value = PYTREE(&x), .metadata = "{'key': 1}" };
    const pytree tree = { &pytree_role_Param, &variable };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_place_list *list;
    pytree_def *def, *other;
    pytree_flat flat;
    char bytes[300];
    size_t n, i;
    (void)state;
    assert_ok(pytree_flatten(tree, &leaves, 0, &def, NULL, &error), &error);
    n = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
    assert_in_range(n, 20, sizeof bytes);
    for (i = 0; memcmp(bytes + i, "{'key': 1}", 11) != 0; i++) { assert_in_range(i, 0, n - 12); }
    bytes[i + 10] = '}';
    other = pytree_def_load(bytes, n, types, 1, NULL, &error);
    assert_ok(error.status, &error);
    flat.leaves = leaves;
    flat.def = def;
    list = pytree_places(PYTREE(&flat), PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n, 1);
    assert_string_equal(list->places[0].metadata, "{'key': 1}");
    pytree_places_free(list);
    flat.def = other;
    list = pytree_places(PYTREE(&flat), PYTREE_EVERYTHING, NULL, &error);
    assert_ok(error.status, &error);
    assert_null(list->places[0].metadata);
    pytree_places_free(list);
    pytree_def_free(other);
    pytree_def_free(def);
}

static pytree_status sweep_unsorted(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_place_list *const list = pytree_places(*(const pytree *)context, PYTREE_EVERYTHING, opt, err);
    if (list != NULL) { assert_int_equal(list->n, 2); }
    pytree_places_free(list);
    return err->status;
}

static void orders_take_memory(void **state)
{
    static float x = 1, y = 2;
    pytree dict = PYTREE_DICT({ "b", PYTREE(&x) }, { "a", PYTREE(&y) });
    (void)state;
    assert_in_range(sweep_allocations(sweep_unsorted, &dict), 3, 20);
}

static pytree_status sweep_places(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree t = fixture((Fixture *)context), values[1] = { PYTREE_INT(0) };
    pytree_place_list *list = pytree_places(t, PYTREE_EVERYTHING, opt, err);
    pytree_flat flat = { NULL, NULL };
    if (list != NULL) { flat = pytree_of_places(list->n, list->places, opt, err); }
    pytree_flat_free(&flat);
    pytree_places_free(list);
    if (err->status == PYTREE_OK) { flat = pytree_prefix(t, PYTREE_FILTERS(PYTREE_REST), values, NULL, opt, err); }
    pytree_flat_free(&flat);
    if (err->status == PYTREE_OK) { pytree_set_attributes(t, PYTREE_EVERYTHING, "mode", values[0], NULL, opt, err); }
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    Fixture f;
    (void)state;
    assert_true(sweep_allocations(sweep_places, &f) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places_one_by_one),
        cmocka_unit_test(values_by_filter),
        cmocka_unit_test(attributes_of_all_nodes),
        cmocka_unit_test(attributes_that_cannot_be_set),
        cmocka_unit_test(roles_of_leaves),
        cmocka_unit_test(places_are_sorted),
        cmocka_unit_test(numbers_and_names),
        cmocka_unit_test(metadata_without_end),
        cmocka_unit_test(orders_take_memory),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
