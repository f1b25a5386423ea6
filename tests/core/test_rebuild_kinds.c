/* Rebuild: leaves that are lists, lists of leaves that hold their own shapes, and messages about what is neither. */
#include "rebuild_shared.h"
#include "pytree/treedef_io.h"

typedef struct Spot { float x; } Spot;

#define PYTREE_STRUCT Spot
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

static bool is_list_row(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    (void)path;
    return view->form == PYTREE_FORM_LIST;
}

/* A subtree as the last leaf of a tuple, behind a number. */
static void a_list_behind_a_number(void **state)
{
    MLP model = mlp_make(2, false);
    pytree_options opt = { .is_leaf = is_list_row };
    pytree_error error = { 0 };
    Parts parts = parts_of(PYTREE(&model), &opt);
    pytree_def *def = pytree_structure(PYTREE_TUPLE(PYTREE_INT(1), PYTREE_INT(2)), NULL, &error);
    pytree_leaf leaves[2];
    int number = 7;
    pytree made;
    (void)state;
    assert_int_equal(parts.leaves[0].form, PYTREE_FORM_LIST);
    leaves[0] = parts.leaves[1];
    leaves[0].data = &number;
    leaves[0].type = PYTREE_TYPE(int);
    leaves[0].ndim = 0;
    leaves[1] = parts.leaves[0];
    made = pytree_unflatten(def, 2, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_def_text(made, "PyTreeDef((*, [CustomNode(Linear[(4, 3)], [*, *]), CustomNode(Linear[(3, 2)], [*, *])]))", NULL);
    pytree_free(made);
    pytree_def_free(def);
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

static bool is_flat_node(void *context, const pytree_leaf *view, const pytree_path *path)
{
    (void)context;
    return view->form == PYTREE_FORM_FLAT && path->n != 0;
}

/* The same where it is a node of a treedef with leaves, which has no dimension by which to tell it from a number. */
static void a_flat_behind_a_number(void **state)
{
    int64_t numbers[] = { 1, 2, 3 };
    pytree_options opt = { .is_leaf = is_flat_node };
    pytree_error error = { 0 };
    Parts inner = parts_of(PYTREE_LIST(PYTREE(&numbers[0]), PYTREE_LIST(PYTREE(&numbers[1]), PYTREE(&numbers[2]))), NULL);
    const pytree_flat flat = { inner.def, inner.leaves };
    Parts parts = parts_of(PYTREE(&flat), &opt);
    pytree made;
    (void)state;
    assert_int_equal(parts.n, 2);
    assert_int_equal(parts.leaves[1].form, PYTREE_FORM_FLAT);
    made = pytree_unflatten(parts.def, 2, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_def_text(made, "PyTreeDef([*, [*, *]])", NULL);
    assert_same(made, PYTREE(&flat));
    pytree_free(made);
    pytree_def_free(parts.def);
    pytree_def_free(inner.def);
}

/* Messages name the kind of container that a row asks for. */
static void messages_name_the_container(void **state)
{
    static const pytree_type *const known[] = { PYTREE_TYPE(MLP), PYTREE_TYPE(Linear) };
    MLP model = mlp_make(1, false);
    Parts parts = parts_of(PYTREE(&model), NULL);
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse("PyTreeDef(CustomNode(MLP[(1,)], [(CustomNode(Linear[(4, 3)], [*, *]),), None, *]))",
                                       known, 2, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_null(pytree_unflatten(def, parts.n, parts.leaves, NULL, &error).data);
    assert_error(error.status, PYTREE_STRUCTURE, ".layers", &error);
    assert_says(&error, "expected a list of 1, got tuple of 1");
    pytree_def_free(def);
    pytree_def_free(parts.def);
    mlp_clear(&model);
}

typedef struct Views { int n; pytree_leaf *views; } Views;

#define PYTREE_STRUCT Views
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, views, LIST(self->n))
#include "pytree_registry.h"

static void a_list_of_views(void **state)
{
    pytree_leaf list[2];
    Views views = { 2, list };
    float x[2] = { 1.0f, 2.0f };
    int y = 3;
    (void)state;
    memset(list, 0, sizeof list);
    list[0].type = PYTREE_TYPE(float);
    list[0].data = x;
    list[0].ndim = 1;
    list[0].shape[0] = 2;
    list[1].type = PYTREE_TYPE(int);
    list[1].data = &y;
    check_all_ways(PYTREE(&views));
}

typedef struct Single { pytree_leaf view; } Single;

#define PYTREE_STRUCT Single
#define PYTREE_FIELDS PYTREE_FIELD(DATA, view)
#include "pytree_registry.h"

/* A view that is rebuilt is as a program writes one: what its dimensions do not need is zero. */
static void the_rest_of_a_view_is_zero(void **state)
{
    float x[2] = { 1.0f, 2.0f };
    Single single;
    pytree_error error = { 0 };
    Parts parts;
    pytree made[2];
    size_t i;
    (void)state;
    memset(&single, 0, sizeof single);
    single.view.type = PYTREE_TYPE(float);
    single.view.data = x;
    single.view.ndim = 1;
    single.view.shape[0] = 2;
    parts = parts_of(PYTREE(&single), NULL);
    made[0] = pytree_clone(PYTREE(&single), NULL, &error);
    made[1] = pytree_unflatten(parts.def, 1, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    for (i = 0; i < 2; i++) {
        pytree_leaf view = ((const Single *)made[i].data)->view;
        assert_memory_equal(view.data, x, sizeof x);
        view.data = x;
        assert_memory_equal(&view, &single.view, sizeof view);
        pytree_free(made[i]);
    }
    pytree_def_free(parts.def);
}

/* Where a struct has as many nodes as the two leaves that a treedef has in its place, and stands behind them there, the error
 * is found where the two begin to differ. */
static void a_struct_in_another_place(void **state)
{
    Spot spot = { 1.0f };
    float x = 2.0f, y = 3.0f;
    pytree_error error = { 0 };
    Parts parts = parts_of(PYTREE_TUPLE(PYTREE(&x), PYTREE(&y), PYTREE(&spot)), NULL);
    (void)state;
    assert_error(pytree_unflatten_into(parts.def, parts.n, parts.leaves, PYTREE_TUPLE(PYTREE(&spot), PYTREE(&x), PYTREE(&y)),
                                       NULL, &error), PYTREE_STRUCTURE, "[0]", &error);
    assert_true(spot.x == 1.0f && x == 2.0f && y == 3.0f);
    pytree_def_free(parts.def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_behind_a_number),
        cmocka_unit_test(a_flat_behind_a_number),
        cmocka_unit_test(messages_name_the_container),
        cmocka_unit_test(a_list_of_views),
        cmocka_unit_test(the_rest_of_a_view_is_zero),
        cmocka_unit_test(a_struct_in_another_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
