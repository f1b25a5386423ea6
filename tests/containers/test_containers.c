/* Containers that grow: what they are to every operation, what they own, and all of it against a plain model. */
#include <stddef.h>

/* The memory of stb_ds, which may fail as well: see sweep_arrays. */
static void *stb_resize(void *p, size_t size);
static void stb_release(void *p);
#define STBDS_REALLOC(context, p, size) stb_resize(p, size)
#define STBDS_FREE(context, p) stb_release(p)

#define TEST_OWN_BODIES                    /* looks at private parts */
#include "support.h"
#include "pytree/containers.h"

static size_t stb_calls, stb_blocks, stb_fail_at = SIZE_MAX;

static void *stb_resize(void *p, size_t size)
{
    void *grown;
    if (stb_calls++ == stb_fail_at) { return NULL; }
    grown = realloc(p, size);
    if (grown != NULL && p == NULL) { stb_blocks++; }
    return grown;
}

static void stb_release(void *p)
{
    stb_blocks -= p != NULL;
    free(p);
}

#if defined(__SANITIZE_ADDRESS__)
#define SANITIZED true
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define SANITIZED true
#endif
#endif
#ifndef SANITIZED
#define SANITIZED false
#endif

static bool slow_here(void)
{
    return SANITIZED || under_valgrind();
}

/* Every test ends without arrays of stb_ds left. */
static int nothing_left(void **state)
{
    (void)state;
    stb_fail_at = SIZE_MAX;
    return stb_blocks == 0 ? 0 : -1;
}

/* ---- What operations see ----------------------------------------------------------------------------------------- */

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

/* ---- Getting, and trees that do not grow ------------------------------------------------------------------------- */

static int64_t number_of(pytree value)
{
    assert_non_null(value.data);
    return *(const int64_t *)value.data;
}

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

/* ---- What must not be -------------------------------------------------------------------------------------------- */

#define assert_refused(call, wanted, words)                                                                             \
    do {                                                                                                                \
        pytree_error refusal = { 0 };                                                                                   \
        pytree_error *err = &refusal;                                                                                   \
        assert_error((call), (wanted), "", err);                                                                        \
        assert_string_equal(refusal.message, (words));                                                                  \
    } while (0)

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
    assert_refused(status_of(pytree_dict_take(PYTREE_INT(1), "k", err), err), PYTREE_ARGUMENT,
                   "expected a growing dict or namedtuple, got long that does not grow");
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
    pytree_free(list);                    /* not what frees it: leaves it alone */
    assert_int_equal(number_of(pytree_list_get(list, 0, &error)), 1);
    pytree_free(copy);
    pytree_container_free(list);
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
                   "expected a place in a list with 1, got 2");
    assert_refused(pytree_list_insert(list, -2, PYTREE_INT(1), err), PYTREE_NOT_FOUND,
                   "expected a place in a list with 1, got -2");
    assert_refused(pytree_list_set(list, 1, PYTREE_INT(1), err), PYTREE_NOT_FOUND, "expected a place in a list with 1, got 1");
    assert_refused(pytree_list_remove(list, -2, err), PYTREE_NOT_FOUND, "expected a place in a list with 1, got -2");
    assert_refused(status_of(pytree_list_get(deque, 7, err), err), PYTREE_NOT_FOUND,
                   "expected a place in a deque with 1, got 7");
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
                   "expected a key that is there, got \"it's\"");
    assert_ok(pytree_dict_put_copy(dict, "a", PYTREE_INT(1), &error), &error);
    assert_refused(pytree_dict_put_int(dict, -3, PYTREE_INT(1), err), PYTREE_ARGUMENT,
                   "expected a string, as the other keys, got -3");
    assert_refused(pytree_dict_put(dict, "b", (pytree){ NULL, NULL }, err), PYTREE_ARGUMENT,
                   "expected a value, got a pytree without a type");
    assert_refused(pytree_dict_put_own(dict, "b", PYTREE_LIST(), err), PYTREE_ARGUMENT,
                   "expected a growing container or a tree that pytree_clone or pytree_unflatten returned, got list");
    assert_refused(pytree_dict_remove(dict, "b", err), PYTREE_NOT_FOUND, "expected a key that is there, got 'b'");
    assert_refused(pytree_dict_remove(dict, NULL, err), PYTREE_NOT_FOUND, "expected a key that is there, got NULL");
    assert_refused(pytree_dict_remove_int(dict, 3, err), PYTREE_NOT_FOUND, "expected a key that is there, got 3");
    assert_refused(status_of(pytree_dict_take_int(dict, INT64_MIN, err), err), PYTREE_NOT_FOUND,
                   "expected a key that is there, got -9223372036854775808");
    {
        pytree_error bad = { 0 };
        assert_error(status_of(pytree_dict_take(dict, longest, &bad), &bad), PYTREE_NOT_FOUND, "", &bad);
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

/* The limit is not reached by any test: the count is made to say so. */
static void test_too_many_keys(void **state)
{
    pytree_error error = { 0 };
    pytree dict = pytree_new_dict(NULL, &error);
    pytree__container *c = dict.data;
    const pytree__ct_key key = pytree__ct_string_key("b");
    (void)state;
    assert_ok(pytree_dict_put_copy(dict, "a", PYTREE_INT(1), &error), &error);
    c->items.count = UINT32_MAX;
    assert_error(pytree__ct_add_pair(c, 0, &key, PYTREE_INT(1), PYTREE__CT_REFERENCE, &error), PYTREE_OVERFLOW, "", &error);
    c->items.count = 1;
    pytree_container_free(dict);
}

/* ---- Who owns what ----------------------------------------------------------------------------------------------- */

static void test_cycles(void **state)
{
    pytree_error error = { 0 };
    pytree a = pytree_new_list(NULL, &error), b = pytree_new_dict(NULL, &error), c = pytree_new_list(NULL, &error);
    (void)state;
    /* By reference they are found by those who walk. */
    assert_ok(pytree_list_append(a, a, &error), &error);
    assert_int_equal(pytree_num_leaves(a, NULL, &error), SIZE_MAX);
    assert_int_equal(error.status, PYTREE_CYCLE);
    memset(&error, 0, sizeof error);
    assert_error(pytree_list_append_copy(c, a, &error), PYTREE_CYCLE, NULL, &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_list_remove(a, 0, &error), &error);
    assert_ok(pytree_list_append(a, b, &error), &error);
    assert_ok(pytree_dict_put(b, "a", a, &error), &error);
    assert_null(pytree_structure(a, NULL, &error));
    assert_int_equal(error.status, PYTREE_CYCLE);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_container_clear(a, &error), &error);
    assert_ok(pytree_container_clear(b, &error), &error);

    /* By ownership they are refused. */
    assert_refused(pytree_list_append_own(a, a, err), PYTREE_CYCLE,
                   "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_ok(pytree_list_append_own(a, b, &error), &error);
    assert_refused(pytree_dict_put_own(b, "a", a, err), PYTREE_CYCLE,
                   "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_ok(pytree_dict_put_own(b, "c", c, &error), &error);
    assert_refused(pytree_list_append_own(c, a, err), PYTREE_CYCLE,
                   "expected a value that can belong to the container, got the list that it is, or that it belongs to");
    assert_refused(pytree_list_append_own(a, c, err), PYTREE_SHARED,
                   "expected a container that belongs to no other, got a list that does");
    assert_ok(pytree_list_append(a, c, &error), &error);             /* to be referred to twice is no cycle */
    assert_def_text(a, "PyTreeDef([{'c': []}, []])", NULL);
    /* What belongs to another is not freed. */
    pytree_container_free(c);
    pytree_container_free(b);
    assert_def_text(a, "PyTreeDef([{'c': []}, []])", NULL);
    pytree_container_free(a);
}

/* A list that owns as many as it says, in memory that counts. */
static pytree counted_list(const pytree_options *opt, size_t owned)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(opt, &error);
    while (owned-- != 0) { assert_ok(pytree_list_append_copy(list, PYTREE_INT(1), &error), &error); }
    return list;
}

/* While this is 0 nobody has to look for cycles. */
static size_t children_of(pytree t)
{
    return ((const pytree__container *)t.data)->children;
}

static void test_owned_values_are_freed(void **state)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    pytree list, dict, deque, value;
    size_t i;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = pytree_new_list(&opt, &error);
    dict = pytree_new_dict(&opt, &error);
    deque = pytree_new_deque(2, &opt, &error);
    assert_int_equal(heap.blocks, 3);

    assert_ok(pytree_list_append_own(list, counted_list(&opt, 2), &error), &error);
    assert_ok(pytree_list_append_own(list, pytree_clone(PYTREE_DICT({ "k", PYTREE_INT(1) }), &opt, &error), &error), &error);
    assert_ok(pytree_list_insert_copy(list, 0, PYTREE_STR("text"), &error), &error);
    assert_int_equal(heap.blocks, 3 + 3 + 1 + 1);
    assert_ok(pytree_list_set_own(list, 1, counted_list(&opt, 1), &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 1 + 1);
    value = pytree_list_get(list, 1, &error);                        /* in its own place, as what it is: nothing happens */
    assert_ok(pytree_list_set(list, 1, value, &error), &error);
    assert_ok(pytree_list_set_own(list, 1, value, &error), &error);
    assert_int_equal(pytree_container_length(pytree_list_get(list, 1, &error)), 1);
    assert_ok(pytree_list_set_copy(list, 1, value, &error), &error); /* a copy of it takes its place */
    assert_int_equal(heap.blocks, 3 + 1 + 1 + 1);
    assert_int_equal(number_of(pytree_list_get(pytree_list_get(list, 1, &error), 0, &error)), 1);
    assert_ok(pytree_list_set(list, 1, PYTREE_NONE, &error), &error);
    assert_int_equal(heap.blocks, 3 + 1 + 1);
    value = pytree_list_take(list, -1, &error);                      /* the clone is handed out */
    assert_int_equal(heap.blocks, 3 + 1 + 1);
    assert_ok(pytree_list_append(list, value, &error), &error);
    assert_ok(pytree_list_set_own(list, -1, value, &error), &error); /* referred to before, belongs to it now */
    assert_ok(pytree_list_remove(list, -1, &error), &error);
    assert_int_equal(heap.blocks, 3 + 1);
    assert_ok(pytree_container_clear(list, &error), &error);
    assert_int_equal(heap.blocks, 3);

    assert_ok(pytree_dict_put_own(dict, "a", counted_list(&opt, 1), &error), &error);
    assert_ok(pytree_dict_put_copy(dict, "b", PYTREE_INT(1), &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 1 + 2);
    assert_ok(pytree_dict_put(dict, "b", PYTREE_NONE, &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 2);
    value = pytree_dict_take(dict, "a", &error);
    assert_int_equal(heap.blocks, 3 + 2 + 1);
    assert_ok(pytree_list_append_own(list, value, &error), &error);  /* may belong to another now */
    assert_ok(pytree_dict_remove(dict, "b", &error), &error);
    assert_int_equal(heap.blocks, 3 + 2);
    assert_ok(pytree_dict_put_int_own(dict, 4, counted_list(&opt, 0), &error), &error);
    assert_ok(pytree_dict_put_int_copy(dict, 3, PYTREE_INT(1), &error), &error);
    assert_int_equal(heap.blocks, 3 + 2 + 2);
    pytree_container_free(pytree_dict_take_int(dict, 4, &error));
    assert_ok(pytree_dict_remove_int(dict, 3, &error), &error);
    assert_int_equal(heap.blocks, 3 + 2);

    for (i = 0; i < 5; i++) {             /* dropped at one end and the other */
        assert_ok(pytree_list_append_own(deque, counted_list(&opt, 1), &error), &error);
        assert_ok(pytree_deque_append_left_copy(deque, PYTREE_INT(1), &error), &error);
        assert_ok(pytree_deque_append_left_own(deque, counted_list(&opt, 1), &error), &error);
    }
    assert_int_equal(heap.blocks, 3 + 2 + 2 + 1);
    assert_int_equal(children_of(list), 1);
    assert_int_equal(children_of(dict), 0);
    assert_int_equal(children_of(deque), 1);
    assert_ok(pytree_container_clear(deque, &error), &error);
    assert_int_equal(children_of(deque), 0);
    pytree_container_free(list);
    pytree_container_free(dict);
    pytree_container_free(deque);
    assert_heap_clean(&heap);
}

/* Copies are made with the options that the container got, which need not outlive the call. */
static void test_options_are_remembered(void **state)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree list;
    float x[3] = { 1.0f, 2.0f, 3.0f };
    pytree_leaf leaf;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    {
        pytree_options opt = { 0 };
        char space[] = "train";
        opt.allocator = &heap.allocator;
        opt.alignment = 1024;
        opt.space = space;
        list = pytree_new_list(&opt, &error);
        space[0] = '?';
    }
    assert_ok(pytree_list_append_copy(list, PYTREE_ARRAY(x, 3), &error), &error);
    assert_ok(pytree_leaves(list, &leaf, 1, NULL, NULL, &error), &error);
    assert_int_equal((uintptr_t)leaf.data % 1024, 0);
    assert_string_equal(((const pytree__container *)list.data)->copying.space, "train");
    assert_int_equal(heap.blocks, 2);
    pytree_container_free(list);
    assert_heap_clean(&heap);
}

/* ---- A plain model, and random changes to both ------------------------------------------------------------------- */

static uint32_t random_state;
static size_t random_below(size_t n)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (size_t)(random_state >> 8) % n;
}

enum { MODEL_MOST = 60, MODEL_NUMBERS = 5000 };
static int64_t model_numbers[MODEL_NUMBERS];

static void assert_list_is(pytree list, const int64_t *model, size_t n)
{
    const pytree_items *items = list.data;
    size_t i;
    assert_int_equal(pytree_container_length(list), n);
    for (i = 0; i < n; i++) { assert_int_equal(number_of(items->items[i]), model[i]); }
}

/* A value in a way chosen at random; what is owned is taken from `opt`. */
static pytree_status random_append(pytree list, size_t number, bool left, const pytree_options *opt, pytree_error *err)
{
    const pytree value = PYTREE(&model_numbers[number]);
    switch (random_below(3)) {
    case 0: return (left ? pytree_deque_append_left : pytree_list_append)(list, value, err);
    case 1: return (left ? pytree_deque_append_left_copy : pytree_list_append_copy)(list, value, err);
    default: return (left ? pytree_deque_append_left_own : pytree_list_append_own)(list, pytree_clone(value, opt, err), err);
    }
}
static pytree_status random_insert(pytree list, size_t at, size_t number, const pytree_options *opt, pytree_error *err)
{
    const pytree value = PYTREE(&model_numbers[number]);
    switch (random_below(3)) {
    case 0: return pytree_list_insert(list, (ptrdiff_t)at, value, err);
    case 1: return pytree_list_insert_copy(list, (ptrdiff_t)at, value, err);
    default: return pytree_list_insert_own(list, (ptrdiff_t)at, pytree_clone(value, opt, err), err);
    }
}

static void run_list_model(size_t most, size_t steps)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    int64_t model[MODEL_MOST + 1];
    size_t n = 0, step, at, i;
    pytree list;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = most == MODEL_MOST ? pytree_new_list(&opt, &error) : pytree_new_deque(most, &opt, &error);
    for (i = 0; i < MODEL_NUMBERS; i++) { model_numbers[i] = (int64_t)i; }
    for (step = 0; step < steps; step++) {
        const size_t number = random_below(MODEL_NUMBERS);
        const size_t what = random_below(8);
        if (what < 2 && (n < most || most != MODEL_MOST)) {
            assert_ok(random_append(list, number, false, &opt, &error), &error);
            if (n == most) { memmove(model, model + 1, --n * sizeof *model); }
            model[n++] = (int64_t)number;
        } else if (what < 4 && most != MODEL_MOST) {
            assert_ok(random_append(list, number, true, &opt, &error), &error);
            if (n == most) { n--; }
            memmove(model + 1, model, n++ * sizeof *model);
            model[0] = (int64_t)number;
        } else if (what < 5 && n < most) {
            at = random_below(n + 1);
            assert_ok(random_insert(list, at, number, &opt, &error), &error);
            memmove(model + at + 1, model + at, (n++ - at) * sizeof *model);
            model[at] = (int64_t)number;
        } else if (what == 5 && n != 0) {
            at = random_below(n);
            assert_ok(pytree_list_set(list, (ptrdiff_t)at - (ptrdiff_t)n, PYTREE(&model_numbers[number]), &error), &error);
            model[at] = (int64_t)number;
        } else if (what >= 6 && n != 0) {
            at = random_below(4) != 0 ? random_below(n) : random_below(2) * (n - 1);
            assert_ok(pytree_list_remove(list, (ptrdiff_t)at, &error), &error);
            memmove(model + at, model + at + 1, (--n - at) * sizeof *model);
        } else if (random_below(50) == 0) {
            assert_ok(pytree_container_clear(list, &error), &error);
            n = 0;
        }
        assert_list_is(list, model, n);
    }
    pytree_container_free(list);
    assert_heap_clean(&heap);
}

static void test_lists_against_a_model(void **state)
{
    const size_t steps = under_valgrind() ? 500 : 6000;
    size_t most;
    (void)state;
    random_state = 1;
    for (most = 1; most < 9; most++) { run_list_model(most, steps); }
    run_list_model(MODEL_MOST, steps);
}

/* Keys in the order of their coming; to be compared with pairs, with the order, and with the literal's treedef. */
typedef struct DictModel {
    size_t n;
    int64_t keys[MODEL_MOST], values[MODEL_MOST];
} DictModel;

static void key_text(char text[8], int64_t key)
{
    snprintf(text, 8, "k%d", (int)key);
}

static void assert_dict_is(pytree dict, const DictModel *model, bool numbered)
{
    const pytree_items *items = dict.data;
    pytree_error error = { 0 };
    pytree_items plain;
    pytree other = { NULL, NULL };
    pytree_def *def, *expected;
    size_t i;
    char text[8];
    assert_int_equal(items->count, model->n);
    for (i = 0; i < model->n; i++) {
        key_text(text, model->keys[i]);
        if (numbered) {
            assert_int_equal(items->int_pairs[i].key, model->keys[i]);
            assert_int_equal(number_of(items->int_pairs[i].value), model->values[i]);
            assert_int_equal(number_of(pytree_dict_get_int(dict, model->keys[i], NULL)), model->values[i]);
        } else {
            assert_string_equal(items->pairs[i].key, text);
            assert_int_equal(number_of(items->pairs[i].value), model->values[i]);
            assert_int_equal(number_of(pytree_dict_get(dict, text, NULL)), model->values[i]);
        }
    }
    memcpy(&plain, items, sizeof plain);                    /* the same without an order: found by sorting */
    plain.order = NULL;
    other.type = dict.type;
    other.data = &plain;
    def = pytree_structure(dict, NULL, &error);
    expected = pytree_structure(other, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, expected));
    assert_true(pytree_equal(dict, other, NULL, NULL, &error));
    pytree_def_free(def);
    pytree_def_free(expected);
}

static void run_dict_model(pytree (*make)(const pytree_options *, pytree_error *), bool numbered, size_t steps)
{
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    DictModel model = { 0 };
    size_t step, i;
    pytree dict;
    char text[8];
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    dict = make(&opt, &error);
    for (step = 0; step < steps; step++) {
        const int64_t key = (int64_t)random_below(MODEL_MOST) - 30;
        const size_t number = random_below(MODEL_NUMBERS);
        const pytree value = PYTREE(&model_numbers[number]);
        model_numbers[number] = (int64_t)number;
        key_text(text, key);
        for (i = 0; i < model.n && model.keys[i] != key; i++) {}
        if (random_below(5) < 3) {
            switch (random_below(3)) {
            case 0: assert_ok(numbered ? pytree_dict_put_int(dict, key, value, &error)
                                       : pytree_dict_put(dict, text, value, &error), &error); break;
            case 1: assert_ok(numbered ? pytree_dict_put_int_copy(dict, key, value, &error)
                                       : pytree_dict_put_copy(dict, text, value, &error), &error); break;
            default: {
                const pytree own = pytree_clone(value, &opt, &error);
                assert_ok(numbered ? pytree_dict_put_int_own(dict, key, own, &error)
                                   : pytree_dict_put_own(dict, text, own, &error), &error);
            }
            }
            model.keys[i] = key;
            model.values[i] = (int64_t)number;
            model.n += i == model.n;
        } else {
            const pytree_status status =
                numbered ? pytree_dict_remove_int(dict, key, NULL) : pytree_dict_remove(dict, text, NULL);
            assert_int_equal(status, i == model.n ? PYTREE_NOT_FOUND : PYTREE_OK);
            if (i < model.n) {
                model.n--;
                memmove(model.keys + i, model.keys + i + 1, (model.n - i) * sizeof *model.keys);
                memmove(model.values + i, model.values + i + 1, (model.n - i) * sizeof *model.values);
            }
        }
        assert_dict_is(dict, &model, numbered);
    }
    pytree_container_free(dict);
    assert_heap_clean(&heap);
}

static void test_dicts_against_a_model(void **state)
{
    const size_t steps = under_valgrind() ? 200 : 2000;
    (void)state;
    random_state = 7;
    run_dict_model(pytree_new_dict, false, steps);
    run_dict_model(pytree_new_dict, true, steps);
    run_dict_model(pytree_new_odict, false, steps);
    run_dict_model(pytree_new_odict, true, steps);
}

/* ---- Large, deep ------------------------------------------------------------------------------------------------- */

static void test_ten_million_leaves(void **state)
{
    const size_t n = slow_here() ? 100000 : 10000000;
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error);
    double *x = malloc(n * sizeof *x), sum;
    size_t i;
    (void)state;
    assert_non_null(x);
    for (i = 0; i < n; i++) {
        x[i] = 1.0;
        if (pytree_list_append(list, PYTREE(&x[i]), &error) != PYTREE_OK) { break; }
    }
    assert_ok(error.status, &error);
    assert_int_equal(pytree_container_length(list), n);
    assert_int_equal(pytree_num_leaves(list, NULL, &error), n);
    assert_ok(pytree_sum(list, &sum, NULL, &error), &error);
    assert_true(sum == (double)n);
    assert_true(pytree_list_get(list, -1, &error).data == (void *)&x[n - 1]);
    pytree_container_free(list);
    free(x);
}

/* From the inside out, and from the outside in. */
static void test_deep_chains(void **state)
{
    const size_t n = slow_here() ? 20000 : 1000000;
    pytree_error error = { 0 };
    pytree inner = pytree_new_list(NULL, &error), outer, root;
    size_t i;
    (void)state;
    assert_ok(pytree_list_append_copy(inner, PYTREE_INT(1), &error), &error);
    for (i = 0; i < n; i++) {
        outer = pytree_new_list(NULL, &error);
        assert_ok(pytree_list_append_own(outer, inner, &error), &error);
        inner = outer;
    }
    assert_int_equal(pytree_num_leaves(inner, NULL, &error), 1);
    pytree_container_free(inner);

    root = outer = pytree_new_dict(NULL, &error);
    for (i = 0; i < n; i++) {
        inner = pytree_new_dict(NULL, &error);
        assert_ok(pytree_dict_put_own(outer, "k", inner, &error), &error);
        outer = inner;
    }
    assert_ok(pytree_container_clear(root, &error), &error);
    pytree_container_free(root);
}

/* A window that moves along does not grow, and seldom has to be moved back to where there is room. */
static void test_windows_keep_their_room(void **state)
{
    pytree_error error = { 0 };
    pytree window = pytree_new_deque(100, NULL, &error);
    const pytree__container *c = window.data;
    const pytree *before = NULL;
    size_t i, moves = 0;
    (void)state;
    for (i = 0; i < 10000; i++) {
        const bool left = i >= 5000;
        assert_ok((left ? pytree_deque_append_left : pytree_list_append)(window, PYTREE_NONE, &error), &error);
        if (i % 5000 > 200) { moves += left ? c->items.items > before : c->items.items < before; }
        before = c->items.items;
    }
    assert_in_range(moves, 1, 10000 / 50);
    assert_int_equal(pytree_container_length(window), 100);
    assert_in_range(stbds_header(c->rows)->capacity, 100, 300);
    pytree_container_free(window);
}

/* What is added or removed near one end leaves those at the other where they are. */
static void test_ends_leave_each_other_alone(void **state)
{
    pytree_error error = { 0 };
    pytree list = pytree_new_list(NULL, &error);
    const pytree_items *items = list.data;
    const pytree *first;
    int i;
    (void)state;
    for (i = 0; i < 100; i++) { assert_ok(pytree_list_append(list, PYTREE_NONE, &error), &error); }
    first = items->items;
    assert_ok(pytree_list_remove(list, 1, &error), &error);
    assert_true(items->items == first + 1);
    assert_ok(pytree_list_insert(list, 0, PYTREE_NONE, &error), &error);
    assert_true(items->items == first);
    assert_ok(pytree_list_remove(list, -2, &error), &error);
    assert_ok(pytree_list_insert(list, -1, PYTREE_NONE, &error), &error);
    assert_true(items->items == first);
    pytree_container_free(list);
}

/* The arrays are what stb_ds takes for its own. */
static void test_arrays_are_those_of_stb_ds(void **state)
{
    int *array = pytree__stb_reserve(NULL, 3, sizeof *array), *grown;
    const size_t calls = stb_calls;
    int i;
    (void)state;
    assert_non_null(array);
    assert_int_equal(stbds_arrlen(array), 0);
    for (i = 0; i < 3; i++) { stbds_arrput(array, i); }
    assert_int_equal(stb_calls, calls);
    assert_null(pytree__stb_reserve(array, SIZE_MAX / 2, sizeof *array));
    assert_null(pytree__stb_reserve(NULL, SIZE_MAX / sizeof *array - 1, sizeof *array));
    assert_int_equal(stb_calls, calls);
    grown = pytree__stb_reserve(array, 100, sizeof *array);
    assert_non_null(grown);
    assert_int_equal(stbds_arrlen(grown), 3);
    assert_int_equal(stbds_arrcap(grown), 100);
    for (i = 0; i < 3; i++) { assert_int_equal(grown[i], i); }
    stbds_arrfree(grown);
}

/* ---- Memory runs out --------------------------------------------------------------------------------------------- */

/* What a container holds, before and after a call that failed. */
static size_t print_of(pytree t, char *text, size_t n)
{
    pytree_error error = { 0 };
    const size_t length = pytree_text(t, text, n, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(length < n);
    return length;
}

/* A call that may fail; if it does the tree prints as before. */
#define STEP(tree, call)                                                                                                \
    do {                                                                                                                \
        char before[2000], after[2000];                                                                                 \
        print_of((tree), before, sizeof before);                                                                        \
        status = (call);                                                                                                \
        if (status != PYTREE_OK) {                                                                                      \
            print_of((tree), after, sizeof after);                                                                      \
            assert_string_equal(before, after);                                                                         \
            goto end;                                                                                                   \
        }                                                                                                               \
    } while (0)

static pytree_status build_everything(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_status status;
    const pytree nothing = { NULL, NULL };
    pytree root = pytree_new_dict(opt, err), list = nothing, deque = nothing, copy = nothing;
    char key[8];
    int i;
    (void)context;
    if (root.data == NULL) { return err->status; }
    list = pytree_new_namedtuple("Point", opt, err);
    if (list.data == NULL) { goto end; }
    STEP(root, pytree_dict_put_own(root, "point", list, err));
    for (i = 0; i < 12; i++) {
        key_text(key, 5 - i);
        STEP(root, pytree_dict_put_copy(list, key, PYTREE_STR("text"), err));
    }
    STEP(root, pytree_dict_put_copy(list, key, PYTREE_INT(2), err));
    list = pytree_new_list(opt, err);
    if (list.data == NULL) { goto end; }
    STEP(root, pytree_dict_put_own(root, "list", list, err));
    for (i = 0; i < 20; i++) { STEP(root, pytree_list_insert_copy(list, i / 2, PYTREE_INT(i), err)); }
    STEP(root, pytree_list_set_copy(list, 3, PYTREE_LIST(PYTREE_INT(3), PYTREE_NONE), err));
    copy = pytree_clone(PYTREE_TUPLE(PYTREE_INT(1)), opt, err);
    if (copy.data == NULL) { goto end; }
    STEP(root, pytree_list_append_own(list, copy, err));
    copy = nothing;
    deque = pytree_new_deque(9, opt, err);
    if (deque.data == NULL) { goto end; }
    for (i = 0; i < 30; i++) {
        STEP(deque, pytree_list_append_copy(deque, PYTREE_INT(i), err));
        STEP(deque, pytree_deque_append_left_copy(deque, PYTREE_INT(-i), err));
    }
    STEP(root, pytree_dict_put_own(root, "deque", deque, err));
    deque = nothing;
    STEP(root, pytree_dict_put(root, "numbers", PYTREE_NONE, err));
    deque = pytree_new_dict(opt, err);
    if (deque.data == NULL) { goto end; }
    for (i = 0; i < 10; i++) { STEP(deque, pytree_dict_put_int_copy(deque, 5 - i, PYTREE_INT(i), err)); }
    STEP(root, pytree_dict_put_own(root, "numbers", deque, err));
    deque = nothing;
end:
    if (list.data != NULL && pytree__ct_growing(list)->owner == NULL) { pytree_container_free(list); }
    pytree_free(copy);
    pytree_container_free(deque);
    pytree_container_free(root);
    return err->status;
}

static void test_memory_runs_out(void **state)
{
    (void)state;
    assert_in_range(sweep_allocations(build_everything, NULL), 50, 1000);
}

/* The same for the memory of stb_ds. */
static void test_memory_of_arrays_runs_out(void **state)
{
    size_t n;
    (void)state;
    for (n = 0;; n++) {
        Heap heap;
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        pytree_status status;
        heap_init(&heap, HEAP_NEVER_FAILS);
        opt.allocator = &heap.allocator;
        stb_calls = 0;
        stb_fail_at = n;
        status = build_everything(NULL, &opt, &error);
        stb_fail_at = SIZE_MAX;
        assert_heap_clean(&heap);
        assert_int_equal(stb_blocks, 0);
        if (stb_calls <= n) {
            assert_ok(status, &error);
            break;
        }
        assert_error(status, PYTREE_NO_MEMORY, "", &error);
    }
    assert_in_range(n, 15, 100);
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
        TEST(test_too_many_keys),
        TEST(test_cycles),
        TEST(test_owned_values_are_freed),
        TEST(test_options_are_remembered),
        TEST(test_lists_against_a_model),
        TEST(test_dicts_against_a_model),
        TEST(test_ten_million_leaves),
        TEST(test_deep_chains),
        TEST(test_windows_keep_their_room),
        TEST(test_ends_leave_each_other_alone),
        TEST(test_arrays_are_those_of_stb_ds),
        TEST(test_memory_runs_out),
        TEST(test_memory_of_arrays_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
