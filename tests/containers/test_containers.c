/* Containers that grow: what operations see in them, and what they refuse. */
#include "containers_shared.h"
#include "pytree/filter.h"

/* ---- What operations see ----------------------------------------------------------------------------------------------- */

static pytree_status add_a_half(void *context, const pytree_iter *at)
{
    (void)context;
    ((double *)at->out->data)[0] = pytree_leaf_get(at->leaf[0], 0) + 0.5;
    return PYTREE_OK;
}

static void assert_same_texts(pytree a, pytree b)
{
    pytree_error error = { 0 };
    char one[1000], other[1000];
    size_t n = pytree_text(a, one, sizeof one, NULL, &error);
    assert_int_equal(pytree_text(b, other, sizeof other, NULL, &error), n);
    assert_true(n < sizeof one);
    assert_ok(error.status, &error);
    assert_string_equal(one, other);
}

/* A tree of doubles is, to every operation, what the other is. */
static void assert_same_trees(pytree grown, pytree literal)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def, *wanted = pytree_structure(literal, NULL, &error);
    pytree rebuilt, copy;
    assert_ok(pytree_flatten(grown, &leaves, 0, &def, NULL, &error), &error);
    assert_true(pytree_def_equal(def, wanted));
    assert_true(pytree_def_hash(def) == pytree_def_hash(wanted));
    assert_true(pytree_equal(grown, literal, NULL, NULL, &error));
    assert_same_texts(grown, literal);
    assert_ok(pytree_check(grown, NULL, NULL, NULL, &error), &error);

    rebuilt = pytree_unflatten(def, def->n_leaves, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(rebuilt, literal, NULL, NULL, &error));
    assert_same_texts(rebuilt, literal);

    copy = pytree_clone(grown, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(copy, literal, NULL, NULL, &error));
    assert_ok(pytree_map(add_a_half, NULL, &copy, 1, &grown, NULL, &error), &error);
    assert_true(def->n_leaves == 0 || !pytree_equal(copy, grown, NULL, NULL, NULL));
    assert_ok(pytree_copy_into(grown, copy, NULL, &error), &error);
    assert_true(pytree_equal(copy, grown, NULL, NULL, &error));

    pytree_free(copy);
    pytree_free(rebuilt);
    pytree_def_free(def);
    pytree_def_free(wanted);
}

static void test_lists_are_lists(void **state)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error), tuple = pytree_new_tuple(NULL, &error);
    double x = 1.0, y = 2.0;
    (void)state;
    assert_def_text(list, "PyTreeDef([])", NULL);
    assert_def_text(tuple, "PyTreeDef(())", NULL);
    assert_same_trees(list, PYTREE_LIST());
    assert_same_trees(tuple, PYTREE_TUPLE());
    assert_ok(pytree_list_append(list, PYTREE(&x), &error), &error);
    assert_ok(pytree_list_append(list, PYTREE_NONE, &error), &error);
    assert_ok(pytree_list_append_own(list, tuple, &error), &error);
    assert_ok(pytree_list_append(tuple, PYTREE(&y), &error), &error);
    assert_def_text(list, "PyTreeDef([*, None, (*,)])", NULL);
    assert_true(list.type == &pytree_types[PYTREE__T_list] && tuple.type == &pytree_types[PYTREE__T_tuple]);
    assert_same_trees(list, PYTREE_LIST(PYTREE_FLOAT(1.0), PYTREE_NONE, PYTREE_TUPLE(PYTREE_FLOAT(2.0))));
    assert_true(x == 1.5 && y == 2.5);    /* referred to */
    pytree_container_free(list);
}

static void test_dicts_are_dicts(void **state)
{
    pytree_error error = { 0 };
    pytree dict = pytree_new_dict(NULL, &error), odict = pytree_new_odict(NULL, &error);
    pytree factory = pytree_new_defaultdict("int", NULL, &error), none = pytree_new_defaultdict(NULL, NULL, &error);
    pytree point = pytree_new_namedtuple("Point", NULL, &error), numbers = pytree_new_dict(NULL, &error);
    pytree all[6];
    char key[2] = "?";
    size_t i;
    (void)state;
    all[0] = dict; all[1] = odict; all[2] = factory; all[3] = none; all[4] = point; all[5] = numbers;
    assert_same_trees(dict, PYTREE_DICT());
    assert_same_trees(odict, PYTREE_ODICT());
    assert_same_trees(factory, PYTREE_DEFAULTDICT("int"));
    assert_same_trees(none, PYTREE_DEFAULTDICT(NULL));
    assert_same_trees(point, PYTREE_NAMEDTUPLE("Point"));
    for (i = 0; i < 5; i++) {
        key[0] = 'y';                     /* is copied */
        assert_ok(pytree_dict_put_copy(all[i], key, PYTREE_FLOAT(1.0), &error), &error);
        key[0] = 'x';
        assert_ok(pytree_dict_put_copy(all[i], key, PYTREE_FLOAT(2.0), &error), &error);
        key[0] = '!';
    }
    assert_ok(pytree_dict_put_int_copy(numbers, 10, PYTREE_FLOAT(1.0), &error), &error);
    assert_ok(pytree_dict_put_int_copy(numbers, -2, PYTREE_FLOAT(2.0), &error), &error);
    assert_ok(pytree_dict_put_int_copy(numbers, INT64_MAX, PYTREE_FLOAT(3.0), &error), &error);
    assert_def_text(dict, "PyTreeDef({'x': *, 'y': *})", NULL);
    assert_def_text(numbers, "PyTreeDef({-2: *, 10: *, 9223372036854775807: *})", NULL);
    assert_same_trees(dict, PYTREE_DICT({ "y", PYTREE_FLOAT(1.0) }, { "x", PYTREE_FLOAT(2.0) }));
    assert_same_trees(odict, PYTREE_ODICT({ "y", PYTREE_FLOAT(1.0) }, { "x", PYTREE_FLOAT(2.0) }));
    assert_same_trees(factory, PYTREE_DEFAULTDICT("int", { "y", PYTREE_FLOAT(1.0) }, { "x", PYTREE_FLOAT(2.0) }));
    assert_same_trees(none, PYTREE_DEFAULTDICT(NULL, { "y", PYTREE_FLOAT(1.0) }, { "x", PYTREE_FLOAT(2.0) }));
    assert_same_trees(point, PYTREE_NAMEDTUPLE("Point", { "y", PYTREE_FLOAT(1.0) }, { "x", PYTREE_FLOAT(2.0) }));
    assert_same_trees(numbers, PYTREE_IDICT({ 10, PYTREE_FLOAT(1.0) }, { -2, PYTREE_FLOAT(2.0) },
                                            { INT64_MAX, PYTREE_FLOAT(3.0) }));
    for (i = 0; i < 6; i++) { pytree_container_free(all[i]); }
}

static void test_deques_are_deques(void **state)
{
    pytree_error error = { 0 };
    pytree deque = pytree_new_deque(2, NULL, &error), endless = pytree_new_deque(PYTREE_UNBOUNDED, NULL, &error);
    double x[4] = { 0.0, 1.0, 2.0, 3.0 };
    (void)state;
    assert_same_trees(deque, PYTREE_DEQUE(2));
    assert_ok(pytree_list_append(deque, PYTREE(&x[0]), &error), &error);
    assert_ok(pytree_list_append(deque, PYTREE(&x[1]), &error), &error);
    assert_ok(pytree_list_append(deque, PYTREE(&x[2]), &error), &error);
    assert_same_trees(deque, PYTREE_DEQUE(2, PYTREE_FLOAT(1.0), PYTREE_FLOAT(2.0)));
    assert_ok(pytree_deque_append_left(deque, PYTREE(&x[3]), &error), &error);
    assert_same_trees(deque, PYTREE_DEQUE(2, PYTREE_FLOAT(3.0), PYTREE_FLOAT(1.5)));
    assert_ok(pytree_deque_append_left(endless, PYTREE(&x[0]), &error), &error);
    assert_ok(pytree_deque_append_left(endless, PYTREE_NONE, &error), &error);
    assert_same_trees(endless, PYTREE_DEQUE(PYTREE_UNBOUNDED, PYTREE_NONE, PYTREE_FLOAT(0.0)));
    pytree_container_free(deque);
    pytree_container_free(endless);
}

/* A deque of length 0 takes everything and keeps nothing: what is given to it is freed. */
static void test_deque_of_length_0(void **state)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree deque;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    deque = pytree_new_deque(0, &opt, &error);
    assert_ok(pytree_list_append(deque, PYTREE_INT(1), &error), &error);
    assert_ok(pytree_list_append_copy(deque, PYTREE_INT(1), &error), &error);
    assert_ok(pytree_deque_append_left_own(deque, pytree_new_list(&opt, &error), &error), &error);
    assert_int_equal(pytree_container_length(deque), 0);
    assert_int_equal(heap.blocks, 1);
    assert_error(pytree_list_insert(deque, 0, PYTREE_INT(1), &error), PYTREE_ARGUMENT, "", &error);
    pytree_container_free(deque);
    assert_heap_clean(&heap);
}

/* Pairs as they were put in, after a rebuild and in a copy as before. */
static void assert_keys_in_order(pytree dict, size_t n, const char *const *keys, const uint32_t *order)
{
    const pytree_items *items = dict.data;
    size_t i;
    assert_int_equal(items->count, n);
    assert_null(items->int_pairs);
    assert_int_equal(items->order != NULL, order != NULL);
    for (i = 0; i < n; i++) {
        assert_string_equal(items->pairs[i].key, keys[i]);
        if (order != NULL) { assert_int_equal(items->order[i], order[i]); }
    }
}

static void test_insertion_order_is_kept(void **state)
{
    static const char *const keys[] = { "pear", "apple", "fig", "zebra", "" };
    static const char *const left[] = { "pear", "fig", "zebra", "" };
    static const uint32_t order[] = { 4, 1, 2, 0, 3 }, left_order[] = { 3, 1, 0, 2 };
    pytree_error error = { 0 };
    pytree dict = pytree_new_dict(NULL, &error), odict = pytree_new_odict(NULL, &error), rebuilt, copy;
    pytree_leaf leaves[5];
    pytree_def *def;
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(keys); i++) {
        assert_ok(pytree_dict_put_copy(dict, keys[i], PYTREE_INT((int64_t)i), &error), &error);
        assert_ok(pytree_dict_put_copy(odict, keys[i], PYTREE_INT((int64_t)i), &error), &error);
    }
    assert_ok(pytree_dict_put_copy(dict, "fig", PYTREE_INT(7), &error), &error);        /* its place stays */
    assert_keys_in_order(dict, 5, keys, order);
    assert_keys_in_order(odict, 5, keys, NULL);
    def = pytree_structure(dict, NULL, &error);
    assert_ok(pytree_leaves(dict, leaves, 5, NULL, NULL, &error), &error);
    rebuilt = pytree_unflatten(def, 5, leaves, NULL, &error);
    assert_keys_in_order(rebuilt, 5, keys, order);
    copy = pytree_clone(dict, NULL, &error);
    assert_keys_in_order(copy, 5, keys, order);
    assert_true(pytree_leaf_get(&leaves[2], 0) == 7.0);
    assert_ok(pytree_dict_remove(dict, "apple", &error), &error);
    assert_keys_in_order(dict, 4, left, left_order);
    pytree_free(copy);
    pytree_free(rebuilt);
    pytree_def_free(def);
    pytree_container_free(dict);
    pytree_container_free(odict);
}

/* ---- Getting, and trees that do not grow ------------------------------------------------------------------------------- */

static void test_get(void **state)
{
    pytree_error error = { 0 };
    static const pytree_pair two[2] = { { "a", { NULL, NULL } }, { "beyond", { &pytree_types[PYTREE__T_none], NULL } } };
    const uint32_t order[1] = { 1 };      /* of a dict with one pair */
    pytree_items items = { .count = 1, .pairs = two, .order = order };
    const pytree disordered = { PYTREE_DICT().type, &items }, empty = { PYTREE_LIST().type, &items };
    const pytree list = PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2), PYTREE_INT(3));
    const pytree dict = PYTREE_DICT({ "b", PYTREE_INT(1) }, { "a", PYTREE_INT(2) }, { "c", PYTREE_INT(3) });
    const pytree numbers = PYTREE_IDICT({ 4, PYTREE_INT(1) }, { 2, PYTREE_INT(2) });
    const pytree point = PYTREE_NAMEDTUPLE("P", { "y", PYTREE_INT(1) }, { "x", PYTREE_INT(2) });
    pytree copy = pytree_clone(dict, NULL, &error), grown = pytree_new_list(NULL, &error);
    (void)state;
    assert_int_equal(number_of(pytree_list_get(list, 0, &error)), 1);
    assert_int_equal(number_of(pytree_list_get(list, 2, &error)), 3);
    assert_int_equal(number_of(pytree_list_get(list, -1, &error)), 3);
    assert_int_equal(number_of(pytree_list_get(list, -3, &error)), 1);
    assert_int_equal(number_of(pytree_dict_get(dict, "a", &error)), 2);
    assert_int_equal(number_of(pytree_dict_get(dict, "c", &error)), 3);
    assert_int_equal(number_of(pytree_dict_get(copy, "a", &error)), 2);
    assert_int_equal(number_of(pytree_dict_get(copy, "b", &error)), 1);
    assert_int_equal(number_of(pytree_dict_get(copy, "c", &error)), 3);
    assert_int_equal(number_of(pytree_dict_get(point, "x", &error)), 2);
    assert_int_equal(number_of(pytree_dict_get_int(numbers, 2, &error)), 2);
    assert_null(pytree_dict_get(copy, "", NULL).type);
    assert_null(pytree_dict_get(copy, "bb", NULL).type);
    assert_null(pytree_dict_get(copy, NULL, NULL).type);
    assert_null(pytree_dict_get_int(dict, 0, NULL).type);
    assert_null(pytree_dict_get(numbers, "2", NULL).type);
    assert_null(pytree_list_get(list, 3, NULL).type);
    assert_null(pytree_list_get(list, -4, NULL).type);
    assert_null(pytree_list_get(list, PTRDIFF_MIN, NULL).type);
    assert_null(pytree_list_get(list, PTRDIFF_MAX, NULL).type);
    assert_null(pytree_list_get(grown, 0, NULL).type);
    assert_null(pytree_list_get(grown, -1, NULL).type);
    assert_null(pytree_dict_get(disordered, "beyond", NULL).type);
    assert_null(pytree_list_get(empty, 0, NULL).type);
    items.order = NULL;
    items.pairs = NULL;
    assert_null(pytree_dict_get(disordered, "a", NULL).type);
    assert_int_equal(pytree_container_length(list), 3);
    assert_int_equal(pytree_container_length(copy), 3);
    assert_int_equal(pytree_container_length(grown), 0);
    assert_int_equal(pytree_container_length(PYTREE_NONE), 0);
    assert_int_equal(pytree_container_length(PYTREE_INT(3)), 0);
    assert_ok(error.status, &error);
    pytree_free(copy);
    pytree_container_free(grown);
}

/* ---- What must not be -------------------------------------------------------------------------------------------------- */

static pytree_status status_of(pytree value, const pytree_error *err)
{
    assert_null(value.type);
    assert_null(value.data);
    return err->status;
}

static void test_only_growing_containers_change(void **state)
{
    pytree_error error = { 0 };
    const pytree literal = PYTREE_LIST(PYTREE_INT(1)), nothing = { NULL, NULL };
    pytree copy, list = pytree_new_list(NULL, &error), dict = pytree_new_dict(NULL, &error);
    pytree_items moved;
    pytree fake;
    char words[100];
    (void)state;
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(1), &error), &error);
    copy = pytree_clone(list, NULL, &error);
    memcpy(&moved, list.data, sizeof moved);
    fake.type = list.type;
    fake.data = &moved;
    assert_refused(pytree_list_append(literal, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(pytree_list_append(copy, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(pytree_list_append(fake, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(pytree_list_append(dict, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got dict");
    assert_refused(pytree_list_append(nothing, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got no value");
    assert_refused(pytree_list_insert(literal, 0, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(pytree_list_set(literal, 0, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(pytree_list_remove(literal, 0, err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(status_of(pytree_list_take(literal, 0, err), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got list that does not grow");
    assert_refused(pytree_deque_append_left(list, PYTREE_INT(1), err), PYTREE_ARGUMENT, "expected a deque, got a list");
    assert_refused(pytree_deque_append_left(dict, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got dict");
    assert_refused(pytree_dict_put(list, "k", PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a growing dict or namedtuple, got list");
    assert_refused(pytree_dict_remove(PYTREE_DICT({ "k", PYTREE_INT(1) }), "k", err), PYTREE_ARGUMENT,
                   "expected a growing dict or namedtuple, got dict that does not grow");
    snprintf(words, sizeof words, "expected a growing dict or namedtuple, got %s that does not grow", PYTREE_INT(1).type->name);
    assert_refused(status_of(pytree_dict_take(PYTREE_INT(1), "k", err), err), PYTREE_ARGUMENT, words);
    assert_refused(pytree_container_clear(PYTREE_DICT(), err), PYTREE_ARGUMENT,
                   "expected a growing dict or namedtuple, got dict that does not grow");
    assert_refused(pytree_container_clear(nothing, err), PYTREE_ARGUMENT,
                   "expected a growing list, tuple or deque, got no value");
    assert_refused(status_of(pytree_list_get(dict, 0, err), err), PYTREE_ARGUMENT, "expected a list, tuple or deque, got dict");
    assert_refused(status_of(pytree_list_get(nothing, 0, err), err), PYTREE_ARGUMENT,
                   "expected a list, tuple or deque, got no value");
    assert_refused(status_of(pytree_dict_get(list, "k", err), err), PYTREE_ARGUMENT, "expected a dict or namedtuple, got list");
    assert_refused(status_of(pytree_dict_get(nothing, "k", err), err), PYTREE_ARGUMENT,
                   "expected a dict or namedtuple, got no value");
    pytree_container_free(literal);
    pytree_container_free(copy);
    pytree_container_free(fake);
    pytree_container_free(nothing);
    pytree_container_free(PYTREE_NONE);
    assert_int_equal(pytree_container_length(list), 1);
    assert_int_equal(number_of(pytree_list_get(list, 0, &error)), 1);
    pytree_free(copy);
    pytree_free(list);                    /* one function frees both */
    pytree_container_free(dict);
}

static void test_bad_values_and_places(void **state)
{
    pytree_error error = { 0 };
    const pytree nothing = { NULL, NULL };
    pytree list = pytree_new_list(NULL, &error), deque = pytree_new_deque(1, NULL, &error);
    pytree holes = pytree_new_list(NULL, &error);
    Linear hollow = { 0 };
    (void)state;
    hollow.din = hollow.dout = 1;
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(5), &error), &error);
    assert_ok(pytree_list_append_copy(deque, PYTREE_INT(6), &error), &error);
    assert_refused(pytree_list_append(list, nothing, err), PYTREE_ARGUMENT, "expected a value, got a pytree without a type");
    assert_refused(pytree_list_append_copy(list, nothing, err), PYTREE_ARGUMENT,
                   "expected a value, got a pytree without a type");
    assert_refused(pytree_list_append_own(list, nothing, err), PYTREE_ARGUMENT,
                   "expected a value, got a pytree without a type");
    assert_refused(pytree_list_set(list, 0, nothing, err), PYTREE_ARGUMENT, "expected a value, got a pytree without a type");
    assert_refused(pytree_list_append(deque, nothing, err), PYTREE_ARGUMENT, "expected a value, got a pytree without a type");
    assert_refused(pytree_list_append_own(list, PYTREE_LIST(), err), PYTREE_ARGUMENT,
                   "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got list");
    assert_refused(pytree_list_append_own(list, PYTREE_NONE, err), PYTREE_ARGUMENT,
                   "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got None");
    assert_refused(pytree_list_append_own(list, PYTREE(&hollow), err), PYTREE_ARGUMENT,
                   "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got Linear");
    assert_refused(pytree_list_insert(deque, 0, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a deque of less than its 1 values, got a full one");
    assert_refused(pytree_list_insert(list, 2, PYTREE_INT(1), err), PYTREE_NOT_FOUND,
                   "expected an index in a list of length 1, got 2");
    assert_refused(pytree_list_insert(list, -2, PYTREE_INT(1), err), PYTREE_NOT_FOUND,
                   "expected an index in a list of length 1, got -2");
    assert_refused(pytree_list_set(list, 1, PYTREE_INT(1), err), PYTREE_NOT_FOUND,
                   "expected an index in a list of length 1, got 1");
    assert_refused(pytree_list_remove(list, -2, err), PYTREE_NOT_FOUND, "expected an index in a list of length 1, got -2");
    assert_refused(status_of(pytree_list_get(deque, 7, err), err), PYTREE_NOT_FOUND,
                   "expected an index in a deque of length 1, got 7");
    assert_ok(pytree_list_append(holes, PYTREE(&hollow), &error), &error);
    {
        pytree_error bad = { 0 };         /* says where in the value it is */
        assert_error(pytree_list_append_copy(list, holes, &bad), PYTREE_NULL_POINTER, "[0].w", &bad);
        assert_error(pytree_list_set_copy(list, 0, holes, NULL), PYTREE_NULL_POINTER, "[0].w", &bad);
        assert_error(pytree_list_append_copy(deque, holes, NULL), PYTREE_NULL_POINTER, "[0].w", &bad);
    }
    assert_int_equal(pytree_container_length(list), 1);
    assert_int_equal(number_of(pytree_list_get(list, 0, &error)), 5);
    assert_int_equal(number_of(pytree_list_get(deque, 0, &error)), 6);
    assert_ok(error.status, &error);
    pytree_container_free(list);
    pytree_container_free(holes);
    pytree_container_free(deque);
}

static void test_bad_keys(void **state)
{
    pytree_error error = { 0 };
    pytree dict = pytree_new_dict(NULL, &error), point = pytree_new_namedtuple("Point", NULL, &error);
    char longest[400];
    (void)state;
    memset(longest, 'k', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    assert_refused(pytree_dict_put(dict, NULL, PYTREE_INT(1), err), PYTREE_NULL_POINTER, "expected a key, got NULL");
    assert_refused(pytree_dict_put_int(point, 3, PYTREE_INT(1), err), PYTREE_ARGUMENT, "expected the name of a field, got 3");
    assert_refused(status_of(pytree_dict_get(dict, "it's", err), err), PYTREE_NOT_FOUND,
                   "expected an existing key, got \"it's\"");
    assert_ok(pytree_dict_put_copy(dict, "a", PYTREE_INT(1), &error), &error);
    assert_refused(pytree_dict_put_int(dict, -3, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a string, as the other keys, got -3");
    assert_refused(pytree_dict_put(dict, "b", (pytree){ NULL, NULL }, err), PYTREE_ARGUMENT,
                   "expected a value, got a pytree without a type");
    assert_refused(pytree_dict_put_own(dict, "b", PYTREE_LIST(), err), PYTREE_ARGUMENT,
                   "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got list");
    assert_refused(pytree_dict_remove(dict, "b", err), PYTREE_NOT_FOUND, "expected an existing key, got 'b'");
    assert_refused(pytree_dict_remove(dict, NULL, err), PYTREE_NOT_FOUND, "expected an existing key, got NULL");
    assert_refused(pytree_dict_remove_int(dict, 3, err), PYTREE_NOT_FOUND, "expected an existing key, got 3");
    assert_refused(status_of(pytree_dict_take_int(dict, INT64_MIN, err), err), PYTREE_NOT_FOUND,
                   "expected an existing key, got -9223372036854775808");
    {
        pytree_error bad = { 0 };
        assert_error(status_of(pytree_dict_take(dict, longest, &bad), &bad), PYTREE_NOT_FOUND, "", &bad);
        assert_int_equal(strlen(bad.message), strlen("expected an existing key, got ") + 119);          /* it is cut */
    }
    /* Once it is empty it takes keys of the other kind. */
    assert_ok(pytree_dict_remove(dict, "a", &error), &error);
    assert_ok(pytree_dict_put_int_copy(dict, 7, PYTREE_FLOAT(1.0), &error), &error);
    assert_ok(pytree_dict_put_int_copy(dict, -7, PYTREE_FLOAT(2.0), &error), &error);
    assert_refused(pytree_dict_put(dict, "a", PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a number, as the other keys, got 'a'");
    assert_same_trees(dict, PYTREE_IDICT({ 7, PYTREE_FLOAT(1.0) }, { -7, PYTREE_FLOAT(2.0) }));
    assert_ok(pytree_container_clear(dict, &error), &error);
    assert_same_trees(dict, PYTREE_DICT());
    assert_ok(pytree_dict_put_copy(dict, longest, PYTREE_INT(1), &error), &error);
    assert_int_equal(number_of(pytree_dict_get(dict, longest, &error)), 1);
    pytree_container_free(dict);
    pytree_container_free(point);
}

/* A value that stays is not freed to make room for itself, whether the container owns it or not. */
static void test_a_value_replaces_itself(void **state)
{
    pytree_error error = { 0 };
    pytree dict = pytree_new_dict(NULL, &error), list = pytree_new_list(NULL, &error), clone;
    double x = 2.0;
    (void)state;
    assert_ok(pytree_dict_put(dict, "x", PYTREE(&x), &error), &error);
    assert_ok(pytree_dict_put(dict, "x", pytree_dict_get(dict, "x", &error), &error), &error);
    assert_ok(pytree_dict_put_own(dict, "l", list, &error), &error);
    assert_ok(pytree_dict_put(dict, "l", pytree_dict_get(dict, "l", &error), &error), &error);     /* is still the dict's */
    assert_ok(pytree_list_append(list, PYTREE(&x), &error), &error);
    assert_ok(pytree_dict_put_copy(dict, "l", pytree_dict_get(dict, "l", &error), &error), &error);
    assert_same_trees(dict, PYTREE_DICT({ "x", PYTREE_FLOAT(2.0) }, { "l", PYTREE_LIST(PYTREE_FLOAT(2.0)) }));
    clone = pytree_clone(PYTREE_LIST(PYTREE_FLOAT(4.0)), NULL, &error);
    assert_ok(pytree_dict_put(dict, "x", clone, &error), &error);
    assert_ok(pytree_dict_put_own(dict, "x", clone, &error), &error);                              /* and is from now on */
    assert_same_trees(dict, PYTREE_DICT({ "x", PYTREE_LIST(PYTREE_FLOAT(4.0)) }, { "l", PYTREE_LIST(PYTREE_FLOAT(2.5)) }));
    pytree_container_free(dict);
}

/* Values of every size and in every wrapping are copied. */
static void test_copies_of_every_value(void **state)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error);
    long double wide = 3.0L;
    double x = 1.0;
    pytree_leaf number = { .data = &x, .type = PYTREE_TYPE(double) }, none = { .type = PYTREE_TYPE(double) };
    pytree_leaf *nothing = NULL;
    const pytree no_number = { PYTREE_TYPE(double), NULL };
    (void)state;
    none.form = PYTREE_FORM_NONE;
    assert_ok(pytree_list_append_copy(list, PYTREE(&wide), &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE(&number), &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE(&none), &error), &error);
    assert_refused(pytree_list_append_copy(list, no_number, err), PYTREE_NULL_POINTER,
                   "expected 1 elements of double, got NULL");
    assert_refused(pytree_list_append_copy(list, PYTREE(nothing), err), PYTREE_NULL_POINTER,
                   "expected a pytree_leaf, got NULL (OPTIONAL allows it)");
    x = 0.0;
    wide = 0.0L;
    assert_def_text(list, "PyTreeDef([*, *, None])", NULL);
    assert_true(pytree_equal(list, PYTREE_LIST(PYTREE(&(long double){ 3.0L }), PYTREE_FLOAT(1.0), PYTREE_NONE), NULL, NULL,
                             &error));
    pytree_container_free(list);
}

static void test_what_is_no_container(void **state)
{
    pytree_error error = { 0 };
    const pytree empty = { PYTREE_VARIABLE(Param, PYTREE_NONE).type, NULL };
    pytree deque = pytree_new_deque(3, NULL, &error);
    (void)state;
    assert_int_equal(pytree_container_length(empty), 0);
    assert_null(pytree_dict_get(PYTREE_ODICT({ "a", PYTREE_INT(1) }, { "b", PYTREE_INT(2) }), "c", NULL).type);
    assert_int_equal(number_of(pytree_dict_get(PYTREE_ODICT({ "a", PYTREE_INT(1) }, { "b", PYTREE_INT(2) }), "b", NULL)), 2);
    assert_ok(pytree_list_append_copy(deque, PYTREE_INT(2), &error), &error);
    assert_ok(pytree_list_insert_copy(deque, 0, PYTREE_INT(1), &error), &error);
    assert_ok(pytree_list_insert_copy(deque, 2, PYTREE_INT(3), &error), &error);
    assert_refused(pytree_list_insert_copy(deque, 0, PYTREE_INT(0), err), PYTREE_ARGUMENT,
                   "expected a deque of less than its 3 values, got a full one");
    assert_same_trees(deque, PYTREE_DEQUE(3, PYTREE_INT(1), PYTREE_INT(2), PYTREE_INT(3)));
    pytree_container_free(deque);
}

/* A copy of a type that a program made for itself is not the one in the block of a tree: nothing could be freed. */
static void test_copies_of_types(void **state)
{
    pytree_error error = { 0 };
    pytree_type copy = *PYTREE_TYPE(Linear);
    Linear layer = { 0 };
    pytree list = pytree_new_list(NULL, &error);
    (void)state;
    copy.origin = PYTREE_TYPE(Linear);
    copy.name = "Copy";
    assert_refused(pytree_list_append_own(list, (pytree){ &copy, &layer }, err), PYTREE_ARGUMENT,
                   "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got Copy");
    assert_int_equal(pytree_container_length(list), 0);
    pytree_container_free(list);
}

/* Pairs that have been moved to make room behind them are found there when there is no memory for the one that was to come. */
static void test_pairs_that_moved(void **state)
{
    enum { ALL = 24, GONE = 13 };         /* as many as there is room for; more than half of the room is free then */
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree dict;
    char key[] = "a";
    int i;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    dict = pytree_new_dict(&opt, &error);
    for (i = 0; i < ALL; i++) {
        key[0] = (char)('a' + i);
        assert_ok(pytree_dict_put_copy(dict, key, PYTREE_INT(i), &error), &error);
    }
    for (i = 0; i < GONE; i++) {
        key[0] = (char)('a' + i);
        assert_ok(pytree_dict_remove(dict, key, &error), &error);
    }
    heap.fail_at = heap.calls;
    assert_int_equal(pytree_dict_put_copy(dict, "z", PYTREE_INT(0), NULL), PYTREE_NO_MEMORY);
    assert_int_equal(pytree_container_length(dict), ALL - GONE);
    for (; i < ALL; i++) {
        key[0] = (char)('a' + i);
        assert_int_equal(number_of(pytree_dict_get(dict, key, &error)), i);
    }
    pytree_container_free(dict);
    assert_heap_clean(&heap);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)
    const struct CMUnitTest tests[] = {
        TEST(test_lists_are_lists),
        TEST(test_dicts_are_dicts),
        TEST(test_deques_are_deques),
        TEST(test_deque_of_length_0),
        TEST(test_insertion_order_is_kept),
        TEST(test_get),
        TEST(test_only_growing_containers_change),
        TEST(test_bad_values_and_places),
        TEST(test_bad_keys),
        TEST(test_a_value_replaces_itself),
        TEST(test_copies_of_every_value),
        TEST(test_copies_of_types),
        TEST(test_pairs_that_moved),
        TEST(test_what_is_no_container)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
