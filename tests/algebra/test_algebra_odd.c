/* Comparisons, prefixes, slices, groups and summaries at the edges: subtrees against leaves, None, trees without a type, arrays
 * without elements, iterators over other trees, leaves that are no numbers, memory that runs out. */
#include "support.h"
#include "pytree/algebra.h"
#include "pytree/deviation.h"
#include "pytree/groups.h"
#include "pytree/ravel.h"

typedef struct Opaque { int n; } Opaque;
#define PYTREE_LEAF_TYPE Opaque
#include "pytree_registry.h"

static float numbers[] = { 1, 2, 3, 4, 5, 6 };
static const pytree_tolerance exactly = { 0 };
static const pytree_group everywhere = { "**", &exactly };

static bool is_inner(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 1;
}

static void subtrees_and_none_within(void **state)
{
    const pytree_options whole = { .is_leaf = is_inner }, none = { .none_is_leaf = true };
    const pytree leaf = PYTREE_LIST(PYTREE_INT(1)), node = PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1)));
    const pytree nothing = PYTREE_LIST(PYTREE_NONE);
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_equal_within(nothing, nothing, 1, &everywhere, &none, &error));
    assert_ok(error.status, &error);
    assert_false(pytree_equal_within(node, leaf, 1, &everywhere, &whole, &error));
    assert_error(error.status, PYTREE_STRUCTURE, "[0]", &error);
}

static void groups_of_another_tree(void **state)
{
    pytree_error error = { 0 };
    const pytree two = PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2));
    pytree_groups *groups = pytree_groups_new(1, &everywhere, PYTREE_LIST(PYTREE_INT(1)), NULL, &error);
    pytree_iter it;
    (void)state;
    assert_ok(error.status, &error);
    assert_ok(pytree_iter_begin(&it, 1, &two, NULL, &error), &error);
    assert_true(pytree_iter_next(&it));
    assert_ptr_equal(pytree_group_of(groups, &it), &exactly);
    assert_true(pytree_iter_next(&it));
    assert_null(pytree_group_of(groups, &it));
    pytree_iter_end(&it);
    pytree_groups_free(groups);
}

/* Answers for a longer walk than the groups were made of. */
static bool shrinks(void *context, const pytree_leaf *value, const pytree_path *path)
{
    size_t *const asked = (size_t *)context;
    (void)value;
    return path->n == 1 && (*asked)++ < 2;
}

static void walks_that_become_longer(void **state)
{
    size_t asked = 0;
    const pytree_options opt = { .is_leaf = shrinks, .is_leaf_context = &asked };
    const pytree list = PYTREE_LIST(PYTREE_LIST(PYTREE_INT(1), PYTREE_INT(2), PYTREE_INT(3)));
    pytree_error error = { 0 };
    (void)state;
    assert_true(pytree_equal_within(list, list, 1, &everywhere, &opt, &error));
    assert_ok(error.status, &error);
    assert_true(asked > 2);
}

static void prefixes_of_nothing(void **state)
{
    const pytree missing = { NULL, NULL };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE_INT(1)), NULL, &error);
    pytree_leaf subtree;
    (void)state;
    assert_error(pytree_flatten_up_to(def, missing, &subtree, 1, NULL, &error), PYTREE_ARGUMENT, "", &error);
    pytree_def_free(def);
}

static void slices_without_elements(void **state)
{
    pytree_leaf empty = { .data = NULL, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { 2, 0 } };
    pytree_error error = { 0 };
    pytree_flat flat = pytree_slice(PYTREE(&empty), 1, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(flat.leaves[0].ndim, 1);
    assert_int_equal(flat.leaves[0].shape[0], 0);
    pytree_flat_free(&flat);
}

static void summaries_of_other_leaves(void **state)
{
    Opaque opaque = { 1 };
    pytree_error error = { 0 };
    char text[800] = "";
    FILE *file = tmpfile();
    (void)state;
    assert_non_null(file);
    assert_ok(pytree_summary(file, PYTREE_LIST(PYTREE_LIST(PYTREE(&opaque), PYTREE_ARRAY(numbers, 2))),
                             &(pytree_summary_options){ .depth = 1 }, &error), &error);
    rewind(file);
    assert_true(fread(text, 1, sizeof text - 1, file) != 0);
    fclose(file);
    assert_non_null(strstr(text, "other"));
}

static pytree_status sweep_diff(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *const both = (const pytree *)context;
    pytree_difference_list *list = pytree_diff(both[0], both[1], NULL, opt, err);
    if (list != NULL) { assert_int_equal(list->n, 6); }           /* each struct, its arrays */
    pytree_diff_free(list);
    return err->status;
}

static void static_values_that_differ(void **state)
{
    Linear first = { 1, 2, numbers, numbers + 2 }, second = { 2, 1, numbers, numbers + 2 };
    const pytree both[2] = { PYTREE_LIST(PYTREE(&first), PYTREE(&first)), PYTREE_LIST(PYTREE(&second), PYTREE(&second)) };
    pytree_error error = { 0 };
    pytree_difference_list *list = pytree_diff(both[0], both[1], NULL, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    pytree_diff_free(list);
    assert_true(sweep_allocations(sweep_diff, (void *)(uintptr_t)both) != 0);
}

/* Without memory to compare what a predicate has made leaves there is no answer, rather than a wrong one. */
static pytree_status sweep_subtrees(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *const both = (const pytree *)context;
    pytree_difference_list *const list = pytree_diff(both[0], both[1], NULL, opt, err);
    pytree_deviation_list *deviations = NULL;
    if (list != NULL) { assert_int_equal(list->n, 0); }
    pytree_diff_free(list);
    if (err->status != PYTREE_OK) { return err->status; }
    assert_true(pytree_equal_within(both[0], both[1], 1, &everywhere, opt, err) || err->status == PYTREE_NO_MEMORY);
    if (err->status != PYTREE_OK) { return err->status; }
    deviations = pytree_deviations(both[0], both[1], 1, &everywhere, opt, err);
    if (deviations != NULL) { assert_int_equal(deviations->n_differing, 0); }
    pytree_deviation_free(deviations);
    return err->status;
}

/* Trees of other structures are opened, and their differences described. */
static pytree_status sweep_unlike(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree *const both = (const pytree *)context;
    pytree_difference_list *const list = pytree_diff(both[0], both[1], NULL, opt, err);
    if (list != NULL) { assert_int_equal(list->n, 2); }
    pytree_diff_free(list);
    return err->status;
}

static void subtrees_without_memory(void **state)
{
    enum { DEEP = 100 };                  /* more than is walked without memory */
    const pytree_options whole = { .is_leaf = is_inner };
    float copy[6], other[6] = { 0 };
    Linear first = { 1, 2, numbers, numbers + 2 }, second = { 1, 2, copy, copy + 2 }, third = { 1, 2, other, other + 2 };
    pytree in[3][DEEP + 1] = { { PYTREE(&first) }, { PYTREE(&second) }, { PYTREE(&third) } };
    pytree_items lists[3][DEEP];
    pytree a[2], b[2], c[3];
    pytree_items roots[3] = { { .items = a, .count = 2 }, { .items = b, .count = 2 }, { .items = c, .count = 3 } };
    pytree both[2] = { { PYTREE_LIST().type, &roots[0] }, { PYTREE_LIST().type, &roots[1] } };
    pytree unlike[2] = { both[0], { PYTREE_LIST().type, &roots[2] } };
    pytree_error error = { 0 };
    pytree_difference_list *list;
    pytree_deviation_list *deviations;
    (void)state;
    memcpy(copy, numbers, sizeof copy);
    for (int k = 0; k < 3; k++) {
        for (int i = 0; i < DEEP; i++) {
            lists[k][i] = (pytree_items){ .items = &in[k][i], .count = 1 };
            in[k][i + 1] = (pytree){ PYTREE_LIST().type, &lists[k][i] };
        }
    }
    a[0] = a[1] = in[0][DEEP];
    b[0] = b[1] = in[1][DEEP];
    c[0] = c[2] = in[1][DEEP];
    c[1] = in[2][DEEP];
    assert_true(sweep_allocations_with(&whole, sweep_subtrees, both) > 6);
    assert_true(sweep_allocations_with(&whole, sweep_unlike, unlike) > 6);
    copy[0] = 9;
    list = pytree_diff(both[0], both[1], NULL, &whole, &error);
    assert_ok(error.status, &error);
    assert_int_equal(list->n, 2);
    assert_string_equal(list->differences[1].path, "[1]");
    pytree_diff_free(list);
    deviations = pytree_deviations(both[0], both[1], 1, &everywhere, &whole, &error);
    assert_ok(error.status, &error);
    assert_int_equal(deviations->n_differing, 2);
    pytree_deviation_free(deviations);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(subtrees_and_none_within),
        cmocka_unit_test(groups_of_another_tree),
        cmocka_unit_test(walks_that_become_longer),
        cmocka_unit_test(prefixes_of_nothing),
        cmocka_unit_test(slices_without_elements),
        cmocka_unit_test(summaries_of_other_leaves),
        cmocka_unit_test(static_values_that_differ),
        cmocka_unit_test(subtrees_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
