/* Containers that grow, at their edges: owned trees that hold containers in containers, numbers that cannot leave, NULL for a
 * key. */
#include "containers_shared.h"

/* ---- Owned trees --------------------------------------------------------------------------------------------------------- */

typedef struct Branch { float *leaves; } Branch;

#define PYTREE_STRUCT Branch
#define PYTREE_FIELDS PYTREE_FIELD(DATA, leaves, STB_ARRAY)
#include "pytree_registry.h"

typedef struct Trunk { Branch *branches; } Trunk;

#define PYTREE_STRUCT Trunk
#define PYTREE_FIELDS PYTREE_FIELD(DATA, branches, STB_ARRAY)
#include "pytree_registry.h"

/* What stands in the arrays of a struct in an array lies outside the tree's block: it is found and freed with the container,
 * whether the tree is a struct or holds it, and also where the arrays have moved since. */
static void arrays_in_arrays(void **state)
{
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    Heap heap;
    Trunk trunk = { NULL };
    pytree list, dict, value;
    size_t i, k;
    (void)state;
    for (i = 0; i < 2; i++) {
        const Branch none = { NULL };
        stbds_arrput(trunk.branches, none);
        for (k = 0; k <= i; k++) { stbds_arrput(trunk.branches[i].leaves, (float)(10 * i + k)); }
    }
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = pytree_new_list(&opt, &error);
    dict = pytree_new_dict(&opt, &error);
    assert_ok(pytree_list_append_copy(list, PYTREE(&trunk), &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE_LIST(PYTREE(&trunk), PYTREE_NONE), &error), &error);
    assert_ok(pytree_list_append_copy(list, PYTREE_NONE, &error), &error);
    assert_ok(pytree_list_append_own(list, pytree_clone(PYTREE(&trunk), &opt, &error), &error), &error);
    value = pytree_list_get(list, 0, &error);
    assert_non_null(value.data);
    stbds_arrsetcap(((Trunk *)value.data)->branches, 100);
    stbds_arrsetcap(((Trunk *)value.data)->branches[1].leaves, 100);
    assert_int_equal(pytree_num_leaves(list, NULL, &error), 3 * 3);
    assert_ok(pytree_dict_put_copy(dict, "trunk", PYTREE(&trunk), &error), &error);
    assert_ok(pytree_dict_put_own(dict, "list", list, &error), &error);
    assert_ok(pytree_list_remove(list, 0, &error), &error);
    assert_ok(pytree_dict_put(dict, "trunk", PYTREE_NONE, &error), &error);
    pytree_container_free(dict);
    assert_heap_clean(&heap);
    for (i = 0; i < 2; i++) { stbds_arrfree(trunk.branches[i].leaves); }
    stbds_arrfree(trunk.branches);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

/* A number that is taken out needs memory of its own. Without that it stays where it is, and can be taken later. */
static void numbers_that_cannot_leave(void **state)
{
    pytree_error error = { 0 };
    pytree_options opt = { 0 };
    Heap heap;
    pytree list, dict, value;
    (void)state;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    list = pytree_new_list(&opt, &error);
    dict = pytree_new_dict(&opt, &error);
    assert_ok(pytree_list_append_copy(list, PYTREE_INT(5), &error), &error);
    assert_ok(pytree_dict_put_copy(dict, "k", PYTREE_INT(6), &error), &error);
    heap.fail_at = heap.calls;
    value = pytree_list_take(list, 0, &error);
    assert_true(value.type == NULL && value.data == NULL);
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
    memset(&error, 0, sizeof error);
    heap.fail_at = heap.calls;
    value = pytree_dict_take(dict, "k", &error);
    assert_true(value.type == NULL && value.data == NULL);
    assert_error(error.status, PYTREE_NO_MEMORY, "", &error);
    memset(&error, 0, sizeof error);
    assert_int_equal(number_of(pytree_list_get(list, 0, &error)), 5);
    assert_int_equal(number_of(pytree_dict_get(dict, "k", &error)), 6);
    value = pytree_list_take(list, 0, &error);
    assert_int_equal(number_of(value), 5);
    pytree_free(value);
    value = pytree_dict_take(dict, "k", &error);
    assert_int_equal(number_of(value), 6);
    pytree_free(value);
    assert_int_equal(pytree_container_length(list) + pytree_container_length(dict), 0);
    pytree_container_free(list);
    pytree_container_free(dict);
    assert_ok(error.status, &error);
    assert_heap_clean(&heap);
}

/* ---- Keys ---------------------------------------------------------------------------------------------------------------- */

/* A dict of a program's own in which a key is NULL has the other keys, and that one is none. */
static void keys_that_are_null(void **state)
{
    int64_t numbers[2] = { 1, 2 };
    pytree_pair pairs[2] = { { NULL, PYTREE(&numbers[0]) }, { "b", PYTREE(&numbers[1]) } };
    pytree_items items = { .count = 2, .pairs = pairs };
    const pytree dict = { &pytree_types[PYTREE__T_dict], &items };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(number_of(pytree_dict_get(dict, "b", &error)), 2);
    assert_ok(error.status, &error);
    assert_null(pytree_dict_get(dict, "a", &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    memset(&error, 0, sizeof error);
    assert_null(pytree_dict_get(dict, NULL, &error).type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
}

/* Pairs that are missing, in a container that somebody else has filled: fewer are there than it says. */
static void more_pairs_missing_than_said(void **state)
{
    const pytree missing = { NULL, NULL };
    const pytree_pair pairs[3] = { { "a", PYTREE_INT(1) }, { "b", missing }, { "c", missing } };
    pytree_items items = { .count = 2, .pairs = pairs, .removed = 1 };
    const pytree t = { PYTREE_DICT().type, &items };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pytree_num_leaves(t, NULL, &error), 1);
    assert_ok(error.status, &error);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_teardown(name, nothing_left)
    const struct CMUnitTest tests[] = { TEST(arrays_in_arrays), TEST(numbers_that_cannot_leave), TEST(keys_that_are_null),
                                        TEST(more_pairs_missing_than_said) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
