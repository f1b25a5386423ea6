/* iterate_shared.h: shared by test_iterate.c, test_iterate_mismatch.c and test_iterate_forms.c. */
#ifndef ITERATE_SHARED_H
#define ITERATE_SHARED_H

#include "support.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static inline pytree_def *def_of(pytree tree)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, NULL, &error);
    assert_ok(error.status, &error);
    return def;
}

static inline void assert_error_says(const pytree_error *error, const char *words)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# no '%s' in: %s\n", words, error->message);
        fail();
    }
}

static inline double first_of(const pytree_leaf *leaf)
{
    return pytree_leaf_get(leaf, 0);
}

/* A callback that only counts, and keeps the number of its last call. */
typedef struct Count {
    size_t calls;
    size_t stop_at;                       /* this call stops the map; 0: none does */
} Count;

static inline pytree_status count_leaves(void *context, const pytree_iter *at)
{
    Count *count = context;
    (void)at;
    return ++count->calls == count->stop_at ? PYTREE_STOPPED : PYTREE_OK;
}

/* ---- Maps -------------------------------------------------------------------------------------------------------------- */

static inline pytree_status add_all(void *context, const pytree_iter *at)
{
    size_t *calls = context, i, k;
    assert_int_equal(at->index, *calls);
    ++*calls;
    for (i = 0; i < pytree_leaf_count(at->leaf[0]); i++) {
        float sum = 0.0f;
        for (k = 0; k < at->n; k++) {
            sum += ((const float *)at->leaf[k]->data)[i];
        }
        ((float *)(at->out != NULL ? at->out : at->leaf[0])->data)[i] = sum;
    }
    return PYTREE_OK;
}

static inline void assert_sum(pytree tree, double expected)
{
    double sum;
    pytree_error error = { 0 };
    assert_ok(pytree_sum(tree, &sum, NULL, &error), &error);
    assert_true(sum == expected);
}

static inline double sum_of(pytree tree)
{
    double sum = 0.0;
    pytree_error error = { 0 };
    assert_ok(pytree_sum(tree, &sum, NULL, &error), &error);
    return sum;
}

/* ---- Trees that do not fit --------------------------------------------------------------------------------------------- */

/* At that path, with both sides in the message and the number of the tree; nothing has been called. */
static inline void assert_unlike(pytree first, pytree other, const char *path, const char *expected, const char *got)
{
    pytree trees[3], list[3];
    Count count = { 0, 0 };
    pytree_error error = { 0 };
    char words[160], below[60];
    trees[0] = trees[1] = first;
    trees[2] = other;
    assert_error(pytree_map(count_leaves, &count, NULL, 3, trees, NULL, &error), PYTREE_STRUCTURE, path, &error);
    snprintf(words, sizeof words, "expected %s", expected);
    assert_error_says(&error, words);
    snprintf(words, sizeof words, ", got %s", got);
    assert_error_says(&error, words);
    assert_error_says(&error, "tree 2");
    assert_int_equal(pytree_map(count_leaves, &count, NULL, 3, trees, NULL, NULL), PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    trees[1] = other;                     /* the first that differs is named */
    assert_error(pytree_map(count_leaves, &count, NULL, 3, trees, NULL, &error), PYTREE_STRUCTURE, path, &error);
    assert_error_says(&error, "tree 1");
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, &other, 1, trees, NULL, &error), PYTREE_STRUCTURE, path, &error);
    /* further down, behind leaves that are fine */
    list[0] = PYTREE_LIST(PYTREE_INT(1), PYTREE_DICT({ "k", first }));
    list[1] = PYTREE_LIST(PYTREE_INT(2), PYTREE_DICT({ "k", other }));
    snprintf(below, sizeof below, "[1]['k']%s", path);
    memset(&error, 0, sizeof error);
    assert_error(pytree_map(count_leaves, &count, NULL, 2, list, NULL, &error), PYTREE_STRUCTURE, below, &error);
    assert_int_equal(count.calls, 0);
}

#endif
