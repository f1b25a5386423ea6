/* Folds from the left and balanced. */
#include "reduce_shared.h"

/* ---- A fold that shows its brackets ------------------------------------------------------------------------------------ */

typedef struct Text {
    char text[2400];
} Text;

typedef struct Fold {
    Text so_far;
    size_t leaves, joins;
    size_t fail_leaf, fail_join;          /* number of the call that fails; SIZE_MAX: none */
} Fold;

static void text_join(Text *a, const Text *b)
{
    Text joined;
    size_t n = strlen(a->text), m = strlen(b->text);
    assert_true(n + m + 3 <= sizeof joined.text);
    joined.text[0] = '(';
    memcpy(joined.text + 1, a->text, n);
    memcpy(joined.text + 1 + n, b->text, m);
    memcpy(joined.text + 1 + n + m, ")", 2);
    *a = joined;
}

static Text text_of_leaf(const pytree_leaf *leaf)
{
    Text text = { { 0 } };
    const char *s;
    assert_true(pytree_is_leaf(leaf));
    assert_int_equal(leaf->type->dtype, PYTREE_STRING);
    memcpy(&s, leaf->data, sizeof s);
    strcpy(text.text, s);
    return text;
}

static pytree_status left(void *context, const pytree_iter *at)
{
    Fold *fold = context;
    Text leaf = text_of_leaf(at->leaf[0]);
    assert_int_equal(at->index, fold->leaves);
    assert_int_equal(at->n, 1);
    if (fold->leaves++ == 0) {
        fold->so_far = leaf;
    } else {
        text_join(&fold->so_far, &leaf);
    }
    return fold->leaves == fold->fail_leaf ? PYTREE_STOPPED : PYTREE_OK;
}

static pytree_status fold_leaf(void *context, const pytree_iter *at, void *value)
{
    Fold *fold = context;
    assert_int_equal(at->index, fold->leaves);
    if (fold->leaves++ == fold->fail_leaf) {
        return PYTREE_VALUE;
    }
    *(Text *)value = text_of_leaf(at->leaf[0]);
    return PYTREE_OK;
}

static pytree_status fold_join(void *context, void *a, const void *b)
{
    Fold *fold = context;
    if (fold->joins++ == fold->fail_join) {
        return PYTREE_SHAPE;
    }
    text_join(a, b);
    return PYTREE_OK;
}

static Fold fold_begin(void)
{
    Fold fold = { { { 0 } }, 0, 0, SIZE_MAX, SIZE_MAX };
    return fold;
}

/* n strings a, b, …, z, a1, …, as a list; the caller frees all three. */
typedef struct Letters {
    char (*names)[8];
    const char **pointers;
    pytree *values;
    pytree_items items;
    pytree tree;
} Letters;

static void letters_make(Letters *letters, size_t n)
{
    size_t i;
    letters->names = malloc((n + 1) * sizeof *letters->names);
    letters->pointers = malloc((n + 1) * sizeof *letters->pointers);
    letters->values = malloc((n + 1) * sizeof *letters->values);
    assert_non_null(letters->names);
    assert_non_null(letters->pointers);
    assert_non_null(letters->values);
    for (i = 0; i < n; i++) {
        snprintf(letters->names[i], sizeof letters->names[i], i < 26 ? "%c" : "%c%d", (int)('a' + i % 26), (int)(i / 26));
        letters->pointers[i] = letters->names[i];
        letters->values[i] = PYTREE(&letters->pointers[i]);
    }
    memset(&letters->items, 0, sizeof letters->items);
    letters->items.count = n;
    letters->items.items = letters->values;
    letters->tree.type = &pytree_types[PYTREE__T_list];
    letters->tree.data = &letters->items;
}

static void letters_clear(Letters *letters)
{
    free(letters->names);
    free((void *)letters->pointers);
    free(letters->values);
}

/* ---- Left and balanced ------------------------------------------------------------------------------------------------- */

/* The same rule said again: the first half has n / 2 leaves, rounded down. */
static Text balanced_by_rule(const Letters *letters, size_t from, size_t n)
{
    Text a = { { 0 } }, b;
    if (n == 1) {
        strcpy(a.text, letters->names[from]);
        return a;
    }
    a = balanced_by_rule(letters, from, n / 2);
    b = balanced_by_rule(letters, from + n / 2, n - n / 2);
    text_join(&a, &b);
    return a;
}

static void assert_balanced(size_t n, const char *expected)
{
    Letters letters;
    Fold fold = fold_begin();
    Text result, rule;
    pytree_error error = { 0 };
    Heap heap;
    pytree_options opt = { 0 };
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    letters_make(&letters, n);
    assert_ok(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, &opt, &error), &error);
    assert_heap_clean(&heap);
    assert_int_equal(heap.calls, 1);
    assert_int_equal(fold.leaves, n);
    assert_int_equal(fold.joins, n - 1);
    rule = balanced_by_rule(&letters, 0, n);
    assert_string_equal(result.text, rule.text);
    if (expected != NULL) {
        assert_string_equal(result.text, expected);
    }
    letters_clear(&letters);
}

static void balanced_as_jax_does(void **state)
{
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(balanced); i++) {
        assert_balanced(balanced[i].n, balanced[i].text);
    }
    for (i = 1; i < 140; i++) {
        assert_balanced(i, NULL);
    }
}

static void left_to_right(void **state)
{
    static const char *const expected[] = { "", "a", "(ab)", "((ab)c)", "(((ab)c)d)", "((((ab)c)d)e)", "(((((ab)c)d)e)f)" };
    size_t n;
    (void)state;
    for (n = 0; n < COUNT_OF(expected); n++) {
        Letters letters;
        Fold fold = fold_begin();
        pytree_error error = { 0 };
        letters_make(&letters, n);
        assert_ok(pytree_reduce(left, &fold, letters.tree, NULL, &error), &error);
        assert_int_equal(fold.leaves, n);
        assert_string_equal(fold.so_far.text, expected[n]);
        letters_clear(&letters);
    }
}

static void nested_trees_fold_in_order(void **state)
{
    const char *s[6] = { "a", "b", "c", "d", "e", "f" };
    pytree tree = PYTREE_LIST(PYTREE_TUPLE(PYTREE(&s[0]), PYTREE_NONE, PYTREE(&s[1])), PYTREE_LIST(),
                              PYTREE_DICT({ "z", PYTREE(&s[4]) }, { "y", PYTREE_LIST(PYTREE(&s[2]), PYTREE(&s[3])) }),
                              PYTREE(&s[5]));
    Fold fold = fold_begin();
    Text result;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_reduce(left, &fold, tree, NULL, &error), &error);
    assert_string_equal(fold.so_far.text, "(((((ab)c)d)e)f)");
    fold = fold_begin();
    assert_ok(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, tree, NULL, &error), &error);
    assert_string_equal(result.text, "((a(bc))(d(ef)))");
}

static void callbacks_stop_a_fold(void **state)
{
    Letters letters;
    Text result;
    size_t i;
    (void)state;
    strcpy(result.text, "untouched");
    letters_make(&letters, 7);
    for (i = 0; i < 7; i++) {
        Fold fold = fold_begin();
        pytree_error error = { 0 };
        char path[16];
        snprintf(path, sizeof path, "[%d]", (int)i);
        fold.fail_leaf = i;
        assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, NULL, &error),
                     PYTREE_VALUE, path, &error);
        assert_int_equal(fold.leaves, i + 1);
        fold = fold_begin();
        fold.fail_leaf = i + 1;
        memset(&error, 0, sizeof error);
        assert_error(pytree_reduce(left, &fold, letters.tree, NULL, &error), PYTREE_STOPPED, path, &error);
        assert_int_equal(fold.leaves, i + 1);
    }
    for (i = 0; i < 6; i++) {
        Fold fold = fold_begin();
        pytree_error error = { 0 };
        fold.fail_join = i;
        assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, NULL, &error),
                     PYTREE_SHAPE, NULL, &error);
        assert_int_equal(fold.joins, i + 1);
        fold = fold_begin();
        fold.fail_join = i;
        assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, letters.tree, NULL, NULL),
                         PYTREE_SHAPE);
    }
    assert_string_equal(result.text, "untouched");
    letters_clear(&letters);
}

static void folds_that_cannot_begin(void **state)
{
    Fold fold = fold_begin();
    Text result;
    Point *nowhere = NULL;
    pytree_error error = { 0 };
    pytree untyped = { NULL, NULL };
    (void)state;
    strcpy(result.text, "untouched");
    assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE_LIST(PYTREE_NONE), NULL,
                                        &error),
                 PYTREE_EMPTY, "", &error);
    assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE_LIST(), NULL, NULL),
                     PYTREE_EMPTY);
    memset(&error, 0, sizeof error);
    assert_error(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE_LIST(PYTREE(nowhere)), NULL,
                                        &error),
                 PYTREE_NULL_POINTER, "[0]", &error);
    assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE(nowhere), NULL, NULL),
                     PYTREE_NULL_POINTER);
    memset(&error, 0, sizeof error);
    assert_error(pytree_reduce(left, &fold, untyped, NULL, &error), PYTREE_ARGUMENT, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_reduce(NULL, &fold, PYTREE_LIST(), NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_int_equal(fold.leaves, 0);
    assert_string_equal(result.text, "untouched");
}

/* An error that stands from before stays, and what is returned is this call's own. */
static void an_earlier_error_stays(void **state)
{
    Fold fold = fold_begin();
    Text result;
    Point *nowhere = NULL;
    pytree_error error = { 0 };
    (void)state;
    pytree_fail(&error, PYTREE_SHAPE, ".before", "expected this, got that");
    assert_int_equal(pytree_reduce_pairwise(fold_leaf, fold_join, &fold, sizeof(Text), &result, PYTREE(nowhere), NULL, &error),
                     PYTREE_NULL_POINTER);
    assert_int_equal(error.status, PYTREE_SHAPE);
    assert_string_equal(error.path, ".before");
}

typedef struct Sums {
    double value;
    float values[3];
} Sums;

static pytree_status sums_leaf(void *context, const pytree_iter *at, void *value)
{
    Sums *sums = value;
    (void)context;
    sums->value = pytree_leaf_get(at->leaf[0], 0);
    sums->values[2] = 1.0f;
    return PYTREE_OK;
}

static pytree_status sums_join(void *context, void *a, const void *b)
{
    (void)context;
    ((Sums *)a)->value += ((const Sums *)b)->value;
    ((Sums *)a)->values[2] += ((const Sums *)b)->values[2];
    return PYTREE_OK;
}

static pytree_status sweep_pairwise(void *context, const pytree_options *opt, pytree_error *err)
{
    Sums sums = { -1.0, { 0.0f } };
    pytree_status status = pytree_reduce_pairwise(sums_leaf, sums_join, NULL, sizeof sums, &sums, *(const pytree *)context,
                                                  opt, err);
    if (status != PYTREE_OK) {
        assert_true(sums.value == -1.0);
    } else {
        assert_true(sums.value == 499.0 * 500.0 / 2.0);
        assert_true(sums.values[2] == 500.0f);
    }
    return status;
}

static pytree_status sweep_sum(void *context, const pytree_options *opt, pytree_error *err)
{
    double sum = -1.0;
    pytree_status status = pytree_sum(*(const pytree *)context, &sum, opt, err);
    assert_true(sum == (status == PYTREE_OK ? 499.0 * 500.0 / 2.0 : -1.0));
    return status;
}

static void sweeps(void **state)
{
    Node *chain = chain_make(500);
    pytree tree = PYTREE(chain);
    (void)state;
    assert_in_range(sweep_allocations(sweep_pairwise, &tree), 2, 60);
    assert_in_range(sweep_allocations(sweep_sum, &tree), 1, 60);
    free(chain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balanced_as_jax_does),
        cmocka_unit_test(left_to_right),
        cmocka_unit_test(nested_trees_fold_in_order),
        cmocka_unit_test(callbacks_stop_a_fold),
        cmocka_unit_test(folds_that_cannot_begin),
        cmocka_unit_test(an_earlier_error_stays),
        cmocka_unit_test(sweeps)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
