/* Assignment at its edges: trees that are none, namespaces, arrays without elements, memory for arrays with many rows. */
#include "assign_shared.h"

/* ---- Trees that cannot be opened --------------------------------------------------------------------------------------- */

/* What is wrong with the source is its own error; what is wrong with the target is told as a mismatch. Nothing is written. */
static void trees_that_are_none(void **state)
{
    const pytree none = { NULL, NULL };
    int a = 1, b = 2;
    pytree items[2] = { { NULL, NULL }, { NULL, NULL } }, broken = none;
    pytree_items list = { .count = 2, .items = items };
    const pytree t = { &pytree_types[PYTREE__T_list], &list };
    pytree_error error = { 0 };
    (void)state;
    items[0] = PYTREE(&a);
    assert_error(pytree_assign(PYTREE_LIST(PYTREE(&a), PYTREE(&b)), t, NULL, &error), PYTREE_NULL_POINTER, "[1]", &error);
    assert_string_equal(error.message, "expected a tree, got a pytree without a type");
    memset(&error, 0, sizeof error);
    assert_error(pytree_assign(t, PYTREE_LIST(PYTREE_INT(5), PYTREE_INT(6)), NULL, &error), PYTREE_NULL_POINTER, "[1]", &error);
    assert_string_equal(error.message, "expected a tree, got a pytree without a type");
    memset(&error, 0, sizeof error);
    assert_error(pytree_assign(PYTREE(&broken), PYTREE_INT(5), NULL, &error), PYTREE_NULL_POINTER, "", &error);
    assert_string_equal(error.message, "expected a tree, got a pytree without a type");
    assert_true(a == 1 && b == 2);
}

/* ---- Namespaces -------------------------------------------------------------------------------------------------------- */

/* In `train` the other member is data. */
typedef struct Layer { float w; float moving; } Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w) PYTREE_FIELD(STATIC, moving)
#include "pytree_registry.h"

#define PYTREE_STRUCT Layer
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, w) PYTREE_FIELD(DATA, moving)
#include "pytree_registry.h"

typedef struct Net { Layer first; Layer *second; } Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, second)
#include "pytree_registry.h"

/* Structs in lists, and in structs, have the members that their namespace gives them. */
static void namespaces(void **state)
{
    const pytree_assign_options train = { .tree = { .space = "train" } };
    Layer layers[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
    Net net = { layers[2], &layers[3] };
    const pytree list = PYTREE_LIST(PYTREE(&layers[0]), PYTREE(&layers[1]));
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_assign_text(list, "[1]", "{'moving': 40}", &train, &error), &error);
    assert_ok(pytree_assign_text(list, "[0]", "{'w': 10}", NULL, &error), &error);
    assert_true(layers[0].w == 10 && layers[0].moving == 2 && layers[1].w == 3 && layers[1].moving == 40);
    assert_error(pytree_assign_text(list, "[1]", "{'w': 30}", &train, &error), PYTREE_STRUCTURE, "[1].w", &error);
    assert_string_equal(error.message, "expected 3.0 (STATIC: it is structure), got 30");
    memset(&error, 0, sizeof error);
    assert_error(pytree_assign_text(list, "[0]", "{'moving': 20}", NULL, &error), PYTREE_STRUCTURE, "[0].moving", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_assign_text(PYTREE(&net), "", "{'first': {'moving': 60}, 'second': {'moving': 80}}", &train, &error),
              &error);
    assert_true(net.first.moving == 60 && layers[3].moving == 80);
}

/* ---- Arrays ------------------------------------------------------------------------------------------------------------ */

typedef struct Blob { unsigned char bytes[4]; } Blob;

#define PYTREE_LEAF_TYPE Blob
#include "pytree_registry.h"

/* Arrays without elements fit each other, and need no memory. */
static void arrays_without_elements(void **state)
{
    Blob blob = { { 1, 2, 3, 4 } };
    int number = 5;
    pytree_leaf blobs = { .type = PYTREE_TYPE(Blob), .ndim = 1 }, numbers = { .type = PYTREE_TYPE(int), .ndim = 1 };
    pytree_leaf more_blobs = blobs, more_numbers = numbers;
    pytree t = PYTREE_LIST(pytree_of_view(&blobs), pytree_of_view(&numbers));
    pytree from = PYTREE_LIST(pytree_of_view(&more_blobs), pytree_of_view(&more_numbers));
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_assign(t, from, NULL, &error), &error);
    more_blobs.data = &blob;
    more_numbers.data = &number;
    assert_ok(pytree_assign(t, from, NULL, &error), &error);
    assert_true(blobs.data == NULL && numbers.data == NULL);
    assert_ok(pytree_assign(from, t, NULL, &error), &error);
    assert_true(blob.bytes[3] == 4 && number == 5);
    blobs.shape[0] = 1;
    blobs.data = &blob;
    assert_error(pytree_assign(t, from, NULL, &error), PYTREE_TYPE, "[0]", &error);
}

enum { ROWS = 300 };

static pytree_status rows_body(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *trees = context;
    const pytree_assign_options options = { .tree = *opt };
    return pytree_assign(trees[0], trees[1], &options, err);
}

/* An array of more rows than there is room for at first goes to a list of arrays: each allocation fails once. */
static void arrays_with_many_rows(void **state)
{
    static int numbers[ROWS][2], got[ROWS][2];
    static pytree_leaf leaves[ROWS];
    static pytree items[ROWS];
    pytree_leaf whole = { .data = numbers, .type = PYTREE_TYPE(int), .ndim = 2, .shape = { ROWS, 2 } };
    pytree_items list = { .count = ROWS, .items = items };
    pytree trees[2] = { { &pytree_types[PYTREE__T_list], &list }, { NULL, NULL } };
    size_t i;
    (void)state;
    trees[1] = pytree_of_view(&whole);
    for (i = 0; i < ROWS; i++) {
        numbers[i][0] = (int)i;
        numbers[i][1] = -(int)i;
        leaves[i] = (pytree_leaf){ .data = got[i], .type = PYTREE_TYPE(int), .ndim = 1, .shape = { 2 } };
        items[i] = pytree_of_view(&leaves[i]);
    }
    assert_in_range(sweep_allocations(rows_body, trees), 2, 100);
    assert_memory_equal(got, numbers, sizeof numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_that_are_none), cmocka_unit_test(namespaces), cmocka_unit_test(arrays_without_elements),
        cmocka_unit_test(arrays_with_many_rows)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
