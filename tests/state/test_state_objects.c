/* States of objects put back with pytree_update: what it finds along paths, and what it must look for otherwise. */
#include "containers/containers_shared.h"
#include "pytree/object.h"
#include "pytree/state.h"

PYTREE_CLASS(Net, Module);
PYTREE_CLASS(Layer, Module);

static float numbers[] = { 1, 2, 3, 4, 5, 6 };

static pytree new_layer(const pytree_options *opt, pytree_error *err)
{
    pytree layer = pytree_new_object(&pytree_class_Layer, opt, err);
    pytree w = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(numbers, 2, 3), opt, err);
    if (pytree_object_put_own(layer, "w", w, err) != PYTREE_OK) { pytree_container_free(w); }
    pytree_object_put_copy(layer, "name", PYTREE_STR("first"), err);
    pytree_object_put_copy(layer, "mean", PYTREE_ARRAY(numbers, 2), err);
    return layer;
}

/* A list of two layers, and one of them again. */
static pytree new_net(const pytree_options *opt, pytree_error *err)
{
    pytree net = pytree_new_object(&pytree_class_Net, opt, err), list = pytree_new_object(&pytree_class_List, opt, err);
    for (int i = 0; i < 2; i++) {
        pytree layer = new_layer(opt, err);
        if (pytree_list_append_own(list, layer, err) != PYTREE_OK) { pytree_container_free(layer); }
    }
    if (pytree_object_put_own(net, "layers", list, err) != PYTREE_OK) { pytree_container_free(list); }
    else if (err->status == PYTREE_OK) { pytree_object_put(net, "again", pytree_list_get(list, 1, err), err); }
    return net;
}

static double value_at(pytree t, const char *path, size_t i)
{
    pytree_error error = { 0 };
    const pytree_leaf leaf = pytree_at(t, path, NULL, &error);
    assert_ok(error.status, &error);
    return pytree_leaf_get(&leaf, i);
}

static void updated(pytree t, pytree state)
{
    pytree_error error = { 0 };
    assert_ok(pytree_update(t, 1, &state, NULL, &error), &error);
}

static void refused(pytree t, pytree state, pytree_status status, const char *path)
{
    pytree_error error = { 0 };
    pytree copy = pytree_clone(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_error(pytree_update(t, 1, &state, NULL, &error), status, path, &error);
    error = (pytree_error){ 0 };
    assert_true(pytree_equal(t, copy, NULL, NULL, &error));    /* nothing was written */
    pytree_free(copy);
}

static void values_are_found_along_paths(void **state)
{
    pytree_error error = { 0 };
    pytree net = new_net(NULL, &error), rebuilt;
    float w[6] = { 10, 20, 30, 40, 50, 60 }, mean[2] = { 7, 8 };
    pytree_flat all;
    (void)state;
    updated(net, PYTREE_DICT({ "layers", PYTREE_IDICT({ 1, PYTREE_DICT({ "mean", PYTREE_ARRAY(mean, 2) },
                                                                           { "w", PYTREE_ARRAY(w, 2, 3) }) }) }));
    assert_true(value_at(net, ".layers[1].w.value", 5) == 60 && value_at(net, ".layers[1].mean", 1) == 8);
    assert_true(value_at(net, ".layers[0].w.value", 5) == 6 && value_at(net, ".layers[0].mean", 1) == 2);
    w[5] = 61;                            /* the same layer, by its other path, and with the role */
    updated(net, PYTREE_DICT({ "again", PYTREE_DICT({ "w", PYTREE_VARIABLE(Param, PYTREE_ARRAY(w, 2, 3)) }) }));
    assert_true(value_at(net, ".layers[1].w.value", 5) == 61);
    all = pytree_state(net, PYTREE_EVERYTHING, NULL, &error);
    updated(net, PYTREE(&all));           /* the same memory */
    rebuilt = pytree_clone(net, NULL, &error);
    w[5] = 62;
    updated(rebuilt, PYTREE_DICT({ "layers", PYTREE_IDICT({ 0, PYTREE_DICT({ "w", PYTREE_ARRAY(w, 2, 3) }) }) }));
    assert_true(value_at(rebuilt, ".layers[0].w.value", 5) == 62 && value_at(net, ".layers[0].w.value", 5) == 6);
    assert_ok(error.status, &error);
    pytree_free(rebuilt);
    pytree_flat_free(&all);
    pytree_container_free(net);
}

/* A value that is no leaf is looked for otherwise; what was found before is then found anew. */
static void values_that_are_trees(void **state)
{
    pytree_error error = { 0 };
    pytree net = pytree_new_object(&pytree_class_Net, NULL, &error), change[2];
    float one = 1, two = 2, ten = 10, twenty = 20, mean[2] = { 7, 8 };
    (void)state;
    pytree_object_put_copy(net, "a", PYTREE_ARRAY(numbers, 2), &error);
    change[0] = PYTREE_TUPLE(PYTREE_SCALAR(&one), PYTREE_SCALAR(&two));
    pytree_object_put_own(net, "pair", pytree_new_variable(&pytree_role_Cache, change[0], NULL, &error), &error);
    assert_ok(error.status, &error);
    change[0] = PYTREE_DICT({ "a", PYTREE_ARRAY(mean, 2) });
    change[1] = PYTREE_DICT({ "pair", PYTREE_VARIABLE(Cache, PYTREE_TUPLE(PYTREE_SCALAR(&ten), PYTREE_SCALAR(&twenty))) });
    assert_ok(pytree_update(net, 2, change, NULL, &error), &error);
    assert_true(value_at(net, ".a", 1) == 8 && value_at(net, ".pair.value[1]", 0) == 20);
    pytree_container_free(net);
}

static void what_does_not_fit(void **state)
{
    pytree_error error = { 0 };
    pytree net = new_net(NULL, &error);
    float w[6] = { 0 };
    (void)state;
    refused(net, PYTREE_DICT({ "again", PYTREE_DICT({ "mean", PYTREE_ARRAY(w, 2) }, { "w", PYTREE_ARRAY(w, 3, 2) }) }),
            PYTREE_SHAPE, ".again.w");
    refused(net, PYTREE_DICT({ "layers", PYTREE_IDICT({ 0, PYTREE_DICT({ "w", PYTREE_INT(1) }) }) }), PYTREE_TYPE,
            ".layers[0].w");
    refused(net, PYTREE_DICT({ "layers", PYTREE_IDICT({ 0, PYTREE_DICT({ "b", PYTREE_INT(1) }) }) }), PYTREE_NOT_FOUND,
            ".layers[0]");
    refused(net, PYTREE_DICT({ "layers", PYTREE_IDICT({ 2, PYTREE_DICT({ "w", PYTREE_INT(1) }) }) }), PYTREE_NOT_FOUND,
            ".layers");
    refused(net, PYTREE_DICT({ "layers", PYTREE_INT(1) }), PYTREE_STRUCTURE, ".layers");
    refused(net, PYTREE_DICT({ "layers", PYTREE_IDICT({ 0, PYTREE_DICT({ "name", PYTREE_STR("second") }) }) }),
            PYTREE_STRUCTURE, ".layers[0].name");
    pytree_container_free(net);
}

static pytree_status sweep_update(void *context, const pytree_options *opt, pytree_error *err)
{
    float w[6] = { 10, 20, 30, 40, 50, 60 };
    pytree net = new_net(opt, err);
    const pytree change = PYTREE_DICT({ "layers", PYTREE_IDICT({ 1, PYTREE_DICT({ "w", PYTREE_ARRAY(w, 2, 3) }) }) });
    (void)context;
    if (err->status == PYTREE_OK) {
        pytree_update(net, 1, &change, opt, err);
        assert_true(value_at(net, ".layers[1].w.value", 5) == (err->status == PYTREE_OK ? 60 : 6));
    }
    pytree_container_free(net);
    return err->status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(sweep_update, NULL), 5, 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_found_along_paths),
        cmocka_unit_test(values_that_are_trees),
        cmocka_unit_test(what_does_not_fit),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
