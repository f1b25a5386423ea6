/* Layouts that are kept beside their types: which are, what is kept of them, and that the others are made in each call. */
#define TEST_OWN_BODIES                    /* looks at private parts */
#define PYTREE_KEPT_LAYOUTS 3              /* 36 nodes, 18 spans, 12 pointers that may be NULL, 24 leaves */
#include "support.h"
#include "pytree/algebra.h"

/* ---- Structs, from those that ask for too much to those that there is room for ---------------------------------------- */

typedef struct Eleven { float *a, *b, *c, *d, *e, *f, *g, *h, *i, *j, *k; } Eleven;

#define PYTREE_STRUCT Eleven
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a, ARRAY(2)) PYTREE_FIELD(DATA, b, ARRAY(2)) PYTREE_FIELD(DATA, c, ARRAY(2))                     \
    PYTREE_FIELD(DATA, d, ARRAY(2)) PYTREE_FIELD(DATA, e, ARRAY(2)) PYTREE_FIELD(DATA, f, ARRAY(2))                     \
    PYTREE_FIELD(DATA, g, ARRAY(2)) PYTREE_FIELD(DATA, h, ARRAY(2)) PYTREE_FIELD(DATA, i, ARRAY(2))                     \
    PYTREE_FIELD(DATA, j, ARRAY(2)) PYTREE_FIELD(DATA, k, ARRAY(2))
#include "pytree_registry.h"

/* 25 leaves and 28 nodes: more leaves than there is room for, but not more nodes. */
typedef struct Twice { Eleven first, last; float x, y, z; } Twice;

#define PYTREE_STRUCT Twice
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, last) PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z)
#include "pytree_registry.h"

/* 55 leaves: more than the calls have slots for, too. Behind the pointer are more nodes than a call has beside these. */
typedef struct Five { Twice *more; Eleven a, b, c, d, e; } Five;

#define PYTREE_STRUCT Five
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, more, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, e)
#include "pytree_registry.h"

/* 110 leaves: a struct that has no layout at all. */
typedef struct Ten { Five first, last; } Ten;

#define PYTREE_STRUCT Ten
#define PYTREE_FIELDS PYTREE_FIELD(DATA, first) PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

/* Thirteen pointers that may be NULL. */
typedef struct Maybe { float *p0, *p1, *p2, *p3, *p4, *p5, *p6, *p7, *p8, *p9, *p10, *p11, *p12; } Maybe;

#define MAYBE(k) PYTREE_FIELD(DATA, p##k, ARRAY(2), OPTIONAL)
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS                                                                                                   \
    MAYBE(0) MAYBE(1) MAYBE(2) MAYBE(3) MAYBE(4) MAYBE(5) MAYBE(6) MAYBE(7) MAYBE(8) MAYBE(9) MAYBE(10) MAYBE(11) MAYBE(12)
#include "pytree_registry.h"

/* Nineteen spans of static bytes. */
typedef struct Span { int n; float f; int m; float g; int k; float h; } Span;
typedef struct Spans { Span a, b, c, d, e, f; int last; } Spans;

#define PYTREE_STRUCT Span
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, f) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(DATA, g)                         \
    PYTREE_FIELD(STATIC, k) PYTREE_FIELD(DATA, h)
#include "pytree_registry.h"

#define PYTREE_STRUCT Spans
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, e)       \
    PYTREE_FIELD(DATA, f) PYTREE_FIELD(STATIC, last)
#include "pytree_registry.h"

typedef struct Layer { int n; float *w, *b; } Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(DATA, b, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

typedef struct Pair { Layer one, two; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, one) PYTREE_FIELD(DATA, two)
#include "pytree_registry.h"

typedef struct Last { int n; float *w; } Last;

#define PYTREE_STRUCT Last
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

/* ---- What is kept ------------------------------------------------------------------------------------------------------ */

static float numbers[4], others[4];

/* Is the layout of this type kept? Nothing is without atomic operations. */
#if PYTREE__KEEPS
#define assert_kept(T, wanted) assert_true((pytree__layout_was_kept(PYTREE_TYPE(T)) != NULL) == (wanted))
#else
#define assert_kept(T, wanted) assert_null(pytree__layout_was_kept(PYTREE_TYPE(T)))
#endif

/* Leaves of one tree, put into another one like it, are there; and a tree is built of them, and cloned. */
static void assert_works(pytree from, pytree to)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL, *again = NULL;
    pytree_def *def = NULL, *def_again = NULL;
    size_t i;
    pytree built;
    assert_ok(pytree_flatten(from, &leaves, 0, &def, NULL, &error), &error);
    assert_ok(pytree_unflatten_into(def, def->n_leaves, leaves, to, NULL, &error), &error);
    built = pytree_unflatten(def, def->n_leaves, leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(built, to, NULL, NULL, &error));
    pytree_free(built);
    assert_ok(pytree_flatten(to, &again, 0, &def_again, NULL, &error), &error);
    assert_true(pytree_def_equal(def, def_again));
    for (i = 0; i < def->n_leaves; i++) { assert_true(leaves[i].ndim == 0 || leaves[i].data == again[i].data); }
    built = pytree_clone(to, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(built, from, NULL, NULL, &error));
    pytree_free(built);
    pytree_def_free(def);
    pytree_def_free(def_again);
}

static Eleven eleven(float *p) { return (Eleven){ p, p, p, p, p, p, p, p, p, p, p }; }
static Five five(float *p, Twice *more) { return (Five){ more, eleven(p), eleven(p), eleven(p), eleven(p), eleven(p) }; }

static void there_is_no_room(void **state)
{
    Twice from = { eleven(numbers), eleven(numbers), 0, 0, 0 }, to = { eleven(others), eleven(others), 0, 0, 0 };
    Five five_from = five(numbers, NULL), five_to = five(others, NULL);
    Ten ten_from = { five(numbers, NULL), five(numbers, NULL) }, ten_to = { five(others, NULL), five(others, NULL) };
    Maybe maybe_from = { numbers, NULL, numbers, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, numbers };
    Maybe maybe_to = maybe_from;
    Spans spans_from = { 0 }, spans_to = { 0 };
    (void)state;
    assert_works(PYTREE(&from), PYTREE(&to));                 /* 25 leaves */
    assert_works(PYTREE(&five_from), PYTREE(&five_to));       /* 55 leaves, 61 nodes */
    assert_works(PYTREE(&ten_from), PYTREE(&ten_to));
    maybe_to.p12 = others;
    assert_works(PYTREE(&maybe_from), PYTREE(&maybe_to));
    spans_from.c.g = 3;
    assert_works(PYTREE(&spans_from), PYTREE(&spans_to));
    assert_true(spans_to.c.g == 3);
    assert_kept(Twice, false);
    assert_kept(Five, false);
    assert_kept(Ten, false);
    assert_kept(Maybe, false);
    assert_kept(Eleven, true);                                /* of a struct without a layout */
    assert_kept(Spans, false);
    five_from.more = &from;                                   /* goes on behind a pointer, in a layout that takes the place */
    five_to.more = &to;
    assert_works(PYTREE(&five_from), PYTREE(&five_to));
}

/* A prefix of a struct without a layout is compared node by node. */
static void spread_without_a_layout(void **state)
{
    Ten tree = { five(numbers, NULL), five(numbers, NULL) };
    pytree_leaf leaves[120];
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&tree), NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_true(def->n_leaves == 110);
    assert_ok(pytree_flatten_up_to(def, PYTREE(&tree), leaves, 120, NULL, &error), &error);
    assert_ptr_equal(leaves[109].data, numbers);
    pytree_def_free(def);
}

/* A layout is kept as it is without None: trees with None here and there have their own nodes, one after another. */
static void none_is_not_kept(void **state)
{
    Pair one = { { 3, numbers, NULL }, { 2, numbers, numbers } }, two = { { 3, numbers, numbers }, { 2, numbers, numbers } };
    Pair *const all[] = { &one, &two, &one };
    size_t i;
    (void)state;
    for (i = 0; i < COUNT_OF(all); i++) {
        Pair to = *all[i];
        pytree_error error = { 0 };
        pytree_def *def = pytree_structure(PYTREE(all[i]), NULL, &error);
        char text[200];
        assert_ok(error.status, &error);
        pytree_def_text(def, text, sizeof text);
        assert_int_equal(def->n_leaves, all[i] == &one ? 3 : 4);
        assert_true((strstr(text, "None") != NULL) == (all[i] == &one));
        pytree_def_free(def);
        assert_works(PYTREE(all[i]), PYTREE(&to));
    }
    assert_kept(Pair, true);
}

/* The descriptor of a tree that the library owns is a copy, which is freed with it: the type's own is what is kept. */
static void kept_by_a_clone(void **state)
{
    Pair from = { { 3, numbers, numbers }, { 2, numbers, numbers } };
    pytree_error error = { 0 };
    pytree both[2];
    (void)state;
    both[0] = pytree_clone(PYTREE(&from), NULL, &error);
    both[1] = pytree_clone(PYTREE(&from), NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(both[0], both[1], NULL, NULL, &error) && error.status == PYTREE_OK);
    assert_kept(Pair, true);
    pytree_free(both[0]);
    pytree_free(both[1]);
    assert_works(PYTREE(&from), PYTREE(&from));
}

/* What another copy of the library noted beside a type, which may be gone, is not read. */
static void kept_by_another_library(void **state)
{
    Last from = { 2, numbers }, to = { 2, others };
    (void)state;
#if PYTREE__KEEPS
    PYTREE_TYPE(Last)->noted->layout = (pytree__layout *)(void *)numbers;
    assert_works(PYTREE(&from), PYTREE(&to));
    assert_kept(Last, false);
    PYTREE_TYPE(Last)->noted->layout = NULL;
#endif
    assert_works(PYTREE(&from), PYTREE(&to));
}

/* While another thread makes a layout, a call makes its own; so it does where three are kept. */
static void another_thread_is_making(void **state)
{
    Last from = { 2, numbers }, to = { 2, others };
    (void)state;
#if PYTREE__KEEPS
    PYTREE_TYPE(Last)->noted->layout = NULL;
    pytree__kept.busy = 1;
    assert_works(PYTREE(&from), PYTREE(&to));
    assert_null(PYTREE_TYPE(Last)->noted->layout);
    pytree__kept.busy = 0;
#endif
    assert_works(PYTREE(&from), PYTREE(&to));
#if PYTREE__KEEPS
    assert_ptr_equal(PYTREE_TYPE(Last)->noted->layout, &pytree__not_kept);
    assert_int_equal(pytree__kept.n_layouts, 3);              /* of Eleven, Span and Pair */
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(there_is_no_room), cmocka_unit_test(spread_without_a_layout),
        cmocka_unit_test(kept_by_a_clone), cmocka_unit_test(none_is_not_kept), cmocka_unit_test(kept_by_another_library),
        cmocka_unit_test(another_thread_is_making)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
