/* Flatten of lists, tuples and dicts that the library made in one block, also where they were changed since then. */
#include "support.h"

/* A list that the library made: [1, {'a': 2, 'c': 3}, {'b': 5, 'a': 4} in this order, None, an array of two, [6]] */
static pytree made(void)
{
    double array[2] = { 7, 8 };
    pytree_error error = { 0 };
    const pytree t = pytree_clone(PYTREE_LIST(PYTREE_INT(1), PYTREE_DICT({ "a", PYTREE_INT(2) }, { "c", PYTREE_INT(3) }),
                                              PYTREE_DICT({ "b", PYTREE_INT(5) }, { "a", PYTREE_INT(4) }), PYTREE_NONE,
                                              PYTREE_ARRAY(array, 2), PYTREE_LIST(PYTREE_INT(6))), NULL, &error);
    assert_ok(error.status, &error);
    return t;
}

#define MADE "PyTreeDef([*, {'a': *, 'c': *}, {'a': *, 'b': *}, None, *, [*]])"

static pytree *item(pytree t, size_t i) { return (pytree *)(uintptr_t)((const pytree_items *)t.data)->items + i; }
static pytree_items *items_at(pytree t, size_t i) { return (pytree_items *)item(t, i)->data; }

/* What all ways of asking find is that. */
static void assert_seen(pytree t, const char *text, size_t n, const int64_t *numbers)
{
    pytree_error error = { 0 };
    pytree_leaf leaves[16];
    size_t got, i;
    assert_def_text(t, text, NULL);
    assert_ok(pytree_leaves(t, leaves, COUNT_OF(leaves), &got, NULL, &error), &error);
    assert_int_equal(got, n);
    for (i = 0; i < n; i++) {
        if (leaves[i].ndim == 0) { assert_int_equal(*(int64_t *)leaves[i].data, numbers[i]); }
    }
    assert_int_equal(pytree_num_leaves(t, NULL, &error), n);
    assert_error(pytree_leaves(t, leaves, n - 1, &got, NULL, &error), PYTREE_TOO_MANY_LEAVES, "", &error);
    assert_int_equal(got, n);
}

static void assert_unsound(pytree t, const char *path)
{
    pytree_error error = { 0 };
    assert_null(pytree_structure(t, NULL, &error));
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
    assert_int_equal(pytree_num_leaves(t, NULL, &error), SIZE_MAX);
    assert_error(error.status, PYTREE_NULL_POINTER, path, &error);
}

static void as_it_was_made(void **state)
{
    const pytree t = made(), nothing = { t.type, NULL };
    (void)state;
    assert_seen(t, MADE, 7, (const int64_t[]){ 1, 2, 3, 4, 5, 0, 6 });
    assert_unsound(nothing, "");
    pytree_free(t);
}

/* Items that are of the same kind, but not what they were. */
static void other_leaves(void **state)
{
    const pytree t = made();
    const pytree before = *item(t, 0), array = *item(t, 4);
    pytree_leaf *const view = (pytree_leaf *)array.data, whole = *view;
    Point point = { 1, 2 };
    pytree_error error = { 0 };
    (void)state;
    assert_ptr_equal(array.type, PYTREE_TYPE(pytree_leaf));
    item(t, 0)->data = NULL;
    assert_unsound(t, "[0]");
    *item(t, 0) = before;
    item(t, 5)->data = NULL;
    assert_unsound(t, "[5]");
    *item(t, 5) = PYTREE_LIST(PYTREE_INT(6));
    item(t, 4)->data = NULL;
    assert_unsound(t, "[4]");
    item(t, 4)->data = array.data;
    view->form = PYTREE_FORM_NONE;
    assert_seen(t, "PyTreeDef([*, {'a': *, 'c': *}, {'a': *, 'b': *}, None, None, [*]])", 6,
                (const int64_t[]){ 1, 2, 3, 4, 5, 6 });
    *view = whole;
    view->type = NULL;
    assert_null(pytree_structure(t, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "[4]", &error);
    *view = whole;
    view->type = PYTREE_TYPE(Point);
    view->ndim = 0;
    view->data = &point;
    assert_def_text(t, "PyTreeDef([*, {'a': *, 'c': *}, {'a': *, 'b': *}, None, CustomNode(Point[()], [*, *]), [*]])", NULL);
    *view = whole;
    pytree_free(t);
}

/* More or fewer nodes, leaves, keys and orders than there were. */
static void other_counts(void **state)
{
    static const uint32_t forward[] = { 0, 1 };
    const pytree t = made();
    const pytree none = *item(t, 3), dict = *item(t, 1);
    pytree_items *const sorted = items_at(t, 1), *const turned = items_at(t, 2);
    const uint32_t *const order = turned->order;
    pytree_pair *const pair = (pytree_pair *)(uintptr_t)turned->pairs, first = pair[0];
    (void)state;
    assert_null(sorted->order);
    assert_non_null(order);
    *item(t, 3) = PYTREE_INT(9);          /* a leaf more: the last one is beyond the count */
    assert_seen(t, "PyTreeDef([*, {'a': *, 'c': *}, {'a': *, 'b': *}, *, *, [*]])", 8,
                (const int64_t[]){ 1, 2, 3, 4, 5, 9, 0, 6 });
    *item(t, 3) = none;
    *item(t, 5) = PYTREE_LIST(PYTREE_NONE, PYTREE_INT(6));                 /* a node more: the root is beyond the count */
    assert_seen(t, "PyTreeDef([*, {'a': *, 'c': *}, {'a': *, 'b': *}, None, *, [None, *]])", 7,
                (const int64_t[]){ 1, 2, 3, 4, 5, 0, 6 });
    *item(t, 5) = PYTREE_LIST(PYTREE_INT(6));
    ((pytree_items *)t.data)->count = 5;  /* fewer nodes */
    assert_seen(t, "PyTreeDef([*, {'a': *, 'c': *}, {'a': *, 'b': *}, None, *])", 6, (const int64_t[]){ 1, 2, 3, 4, 5, 0 });
    ((pytree_items *)t.data)->count = 6;
    *item(t, 1) = PYTREE_LIST(PYTREE_INT(2), PYTREE_INT(3));               /* fewer keys */
    assert_seen(t, "PyTreeDef([*, [*, *], {'a': *, 'b': *}, None, *, [*]])", 7, (const int64_t[]){ 1, 2, 3, 4, 5, 0, 6 });
    *item(t, 1) = dict;
    sorted->order = forward;              /* an order more */
    assert_seen(t, MADE, 7, (const int64_t[]){ 1, 2, 3, 4, 5, 0, 6 });
    sorted->order = NULL;
    pair[0] = pair[1];                    /* one less: the pairs lie in the order of their keys */
    pair[1] = first;
    turned->order = NULL;
    assert_seen(t, MADE, 7, (const int64_t[]){ 1, 2, 3, 4, 5, 0, 6 });
    pair[1] = pair[0];
    pair[0] = first;
    turned->order = order;
    assert_seen(t, MADE, 7, (const int64_t[]){ 1, 2, 3, 4, 5, 0, 6 });
    pytree_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_it_was_made),
        cmocka_unit_test(other_leaves),
        cmocka_unit_test(other_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
