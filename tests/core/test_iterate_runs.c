/* Iterators and maps over structs that are compared at once, three trees at a time: whichever tree differs, in whichever static
 * value, is found. */
#include "support.h"

enum { TREES = 8 };

/* Static values that are compared as words (eight, four bytes), byte by byte, and as more than one word. */
typedef struct Spans {
    int64_t eight;
    float *a;
    int32_t four;
    float *b;
    int16_t two;
    int8_t one;
    float *c;
    int32_t many[5];
    float *d;
    float *e;
} Spans;

#define PYTREE_STRUCT Spans
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, eight) PYTREE_FIELD(DATA, a, ARRAY(2)) PYTREE_FIELD(STATIC, four)                              \
    PYTREE_FIELD(DATA, b, ARRAY(2)) PYTREE_FIELD(STATIC, two) PYTREE_FIELD(STATIC, one)                                 \
    PYTREE_FIELD(DATA, c, ARRAY(2), OPTIONAL) PYTREE_FIELD(STATIC, many) PYTREE_FIELD(DATA, d, ARRAY(2), OPTIONAL)      \
    PYTREE_FIELD(DATA, e, ARRAY(2))
#include "pytree_registry.h"

static Spans spans[TREES];
static pytree trees[TREES];
static float values[2];

static void fill(void)
{
    size_t k;
    memset(spans, 0, sizeof spans);       /* static values are zero */
    for (k = 0; k < TREES; k++) {
        spans[k].a = spans[k].b = spans[k].c = spans[k].d = spans[k].e = values;
        trees[k] = PYTREE(&spans[k]);
    }
}

static pytree_status count(void *context, const pytree_iter *it)
{
    (void)it;
    ++*(size_t *)context;
    return PYTREE_OK;
}

/* The first n trees are equal, or differ, so that the function is not called. */
static void assert_equal_trees(size_t n, bool equal)
{
    const size_t leaves = 3u + (spans[0].c != NULL ? 1u : 0u) + (spans[0].d != NULL ? 1u : 0u);
    pytree_error errors[2] = { { 0 }, { 0 } };
    size_t calls = 0, passed = 0;
    pytree_iter it;
    const pytree_status status = pytree_map(count, &calls, NULL, n, trees, NULL, &errors[0]);
    (void)pytree_iter_begin(&it, n, trees, NULL, &errors[1]);
    while (pytree_iter_next(&it)) { passed++; }
    pytree_iter_end(&it);
    assert_int_equal(status, equal ? PYTREE_OK : PYTREE_STRUCTURE);
    assert_int_equal(errors[0].status, status);
    assert_int_equal(errors[1].status, status);
    assert_int_equal(calls, equal ? leaves : 0);
    if (equal) { assert_int_equal(passed, leaves); }
}

static void any_static_value_that_differs_is_found(void **state)
{
    static const size_t at[] = {
        offsetof(Spans, eight), offsetof(Spans, eight) + 7, offsetof(Spans, four), offsetof(Spans, four) + 3,
        offsetof(Spans, two), offsetof(Spans, two) + 1, offsetof(Spans, one), offsetof(Spans, many),
        offsetof(Spans, many) + 8, offsetof(Spans, many) + 19
    };
    size_t n, k, i;
    (void)state;
    fill();
    for (n = 2; n <= TREES; n++) {
        assert_equal_trees(n, true);
        for (k = 0; k < n; k++) {
            for (i = 0; i < COUNT_OF(at); i++) {
                ((unsigned char *)&spans[k])[at[i]] = 1;
                assert_equal_trees(n, false);
                ((unsigned char *)&spans[k])[at[i]] = 0;
            }
        }
        assert_equal_trees(n, true);
    }
}

/* None where the first tree has a leaf is a deeper tree, which may be; the other way round is an error. */
static void none_in_the_first_tree_is_none_in_all(void **state)
{
    size_t n, k, i;
    (void)state;
    for (n = 2; n <= TREES; n++) {
        for (k = 1; k < n; k++) {
            fill();
            spans[k].c = NULL;
            assert_equal_trees(n, true);
            spans[0].d = NULL;
            assert_equal_trees(n, false);
            for (i = 0; i < n; i++) { spans[i].c = spans[i].d = NULL; }
            assert_equal_trees(n, true);
            spans[k].c = values;
            assert_equal_trees(n, false);
            spans[k].c = NULL;
            spans[k].d = values;
            assert_equal_trees(n, false);
        }
    }
}

typedef struct Rows { Spans *rows; } Rows;

#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rows, LIST(3))
#include "pytree_registry.h"

/* A list of them in every tree: each element is compared. */
static void any_element_of_lists_is_compared(void **state)
{
    static Spans lists[4][3];
    Rows rows[4];
    pytree all[4];
    size_t k, i;
    (void)state;
    fill();
    for (k = 0; k < 4; k++) {
        for (i = 0; i < 3; i++) { lists[k][i] = spans[0]; }
        rows[k].rows = lists[k];
        all[k] = PYTREE(&rows[k]);
    }
    for (k = 0; k < 4; k++) {
        for (i = 0; i < 3; i++) {
            pytree_error error = { 0 };
            char path[20];
            size_t calls = 0;
            snprintf(path, sizeof path, ".rows[%u]", (unsigned)i);
            assert_ok(pytree_map(count, &calls, NULL, 4, all, NULL, &error), &error);
            assert_int_equal(calls, 15);
            lists[k][i].four = 1;
            assert_error(pytree_map(count, &calls, NULL, 4, all, NULL, &error), PYTREE_STRUCTURE, path, &error);
            assert_int_equal(calls, 15);
            lists[k][i].four = 0;
        }
    }
}

typedef struct Short { float *x; int64_t n; } Short;
typedef struct Shorts { Short of[3]; } Shorts;

#define PYTREE_STRUCT Short
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x, ARRAY(2)) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"

#define PYTREE_STRUCT Shorts
#define PYTREE_FIELDS PYTREE_FIELD(DATA, of)
#include "pytree_registry.h"

/* Each static value is compared with the one in the same place, not with one of the struct before it, which is the same. */
static void values_are_compared_in_their_places(void **state)
{
    static Shorts all[4];
    pytree several[4];
    size_t n, i, k, m;
    (void)state;
    for (k = 0; k < 4; k++) {
        for (i = 0; i < 3; i++) { all[k].of[i].x = values; }
        several[k] = PYTREE(&all[k]);
    }
    for (n = 2; n <= 4; n++) {
        for (k = 0; k < n; k++) {
            for (i = 0; i < 3; i++) {
                pytree_error error = { 0 };
                size_t calls = 0;
                for (m = i; m < 3; m++) { all[k].of[m].n = 1; }            /* this one and those behind it */
                assert_int_equal(pytree_map(count, &calls, NULL, n, several, NULL, &error), PYTREE_STRUCTURE);
                assert_int_equal(calls, 0);
                for (m = i + 1; m < 3; m++) { all[k].of[m].n = 0; }        /* only this one */
                error.status = PYTREE_OK;
                assert_int_equal(pytree_map(count, &calls, NULL, n, several, NULL, &error), PYTREE_STRUCTURE);
                assert_int_equal(calls, 0);
                all[k].of[i].n = 0;
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_static_value_that_differs_is_found),
        cmocka_unit_test(none_in_the_first_tree_is_none_in_all),
        cmocka_unit_test(any_element_of_lists_is_compared),
        cmocka_unit_test(values_are_compared_in_their_places),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
