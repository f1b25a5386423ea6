/* Rows for volatile, const and atomic members: read and written as plain ones. */
#include "rows_shared.h"
#include "pytree/ravel.h"

#if defined(__TINYC__)                    /* has no atomics */
#define ATOMIC_OF(T) T
#else
#define ATOMIC_OF(T) _Atomic(T)
#endif

typedef struct Spot { float x; } Spot;

#define PYTREE_STRUCT Spot
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Stats {
    ATOMIC_OF(int) hits;
    volatile int n;
    ATOMIC_OF(unsigned long long) seen;
    const float limits[2];
    ATOMIC_OF(_Bool) done;
    volatile double rate;
    float *volatile weights;
    Spot *volatile spots;
    volatile Spot spot;
    Spot *const first;
    const char *volatile name;
    ATOMIC_OF(double) scratch;
    ATOMIC_OF(float) last;
} Stats;

#define PYTREE_STRUCT Stats
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, hits, ATOMIC) PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, seen, ATOMIC)                         \
    PYTREE_FIELD(STATIC, limits) PYTREE_FIELD(DATA, done, ATOMIC) PYTREE_FIELD(DATA, rate)                              \
    PYTREE_FIELD(DATA, weights, ARRAY(self->n)) PYTREE_FIELD(DATA, spots, LIST(self->n)) PYTREE_FIELD(DATA, spot)       \
    PYTREE_FIELD(DATA, first, OPTIONAL) PYTREE_FIELD(DATA, name, OPTIONAL) PYTREE_FIELD(DROP, scratch, ATOMIC)          \
    PYTREE_FIELD(DATA, last, ATOMIC)
#include "pytree_registry.h"

typedef struct Either { int tag; union { ATOMIC_OF(int) count; volatile float ratio; } as; } Either;

#define PYTREE_STRUCT Either
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, tag) PYTREE_FIELD(DATA, as, UNION(self->tag, CASE(0, count, ATOMIC), CASE(1, ratio)))
#include "pytree_registry.h"

static const pytree_type *const types[] = { PYTREE_TYPE(Spot), PYTREE_TYPE(Stats), PYTREE_TYPE(Either) };
static float weights[2] = { 1.0f, 2.0f };
static Spot spots[2] = { { 3.0f }, { 4.0f } };

#define STATS { 5, 2, 6, { 7.0f, 8.0f }, 1, 9.0, weights, spots, { 10.0f }, NULL, "name", 11.0, 12.0f }

static void members_are_read_as_plain_ones(void **state)
{
    Stats s = STATS;
    char text[ROWS_TEXT];
    (void)state;
    assert_string_equal(rows_printed(PYTREE(&s), text),
                        ".hits  i32 5\n.done  bool True\n.rate  f64 9.0\n.weights  f32[2]\n.spots[0].x  f32 3.0\n"
                        ".spots[1].x  f32 4.0\n.spot.x  f32 10.0\n.name  str 'name'\n.last  f32 12.0\n");
    assert_def_text(PYTREE(&s),
                    "PyTreeDef(CustomNode(Stats[(2, 6, (7.0, 8.0))], [*, *, *, *, [CustomNode(Spot[()], [*]), "
                    "CustomNode(Spot[()], [*])], CustomNode(Spot[()], [*]), None, *, *]))", NULL);
}

static void members_are_rebuilt(void **state)
{
    Stats s = STATS;
    Either e = { 0, { 3 } };
    pytree_error error = { 0 };
    pytree copy = pytree_clone(PYTREE(&s), NULL, &error);
    Stats *made = copy.data;
    (void)state;
    assert_ok(error.status, &error);
    assert_true(made->hits == 5 && made->seen == 6 && made->limits[1] == 8.0f && made->scratch == 0.0 && made->last == 12.0f);
    made->hits = 50;
    assert_false(pytree_equal(copy, PYTREE(&s), NULL, NULL, NULL));
    assert_ok(pytree_copy_into(PYTREE(&s), copy, NULL, &error), &error);
    assert_true(s.hits == 50 && s.scratch == 11.0);
    s.name = NULL;                        /* it was the copy's */
    pytree_free(copy);
    rows_assert_round_trip(PYTREE(&s), COUNT_OF(types), types);
    rows_assert_round_trip(PYTREE(&e), COUNT_OF(types), types);
    e.tag = 1;
    e.as.ratio = 0.5f;
    rows_assert_round_trip(PYTREE(&e), COUNT_OF(types), types);
}

typedef struct Limits { float *w; const double most; const int table[2]; const Spot at; } Limits;
typedef struct Outer { double x; Limits limits; Limits *more; } Outer;

#define PYTREE_STRUCT Limits
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, w, ARRAY(2)) PYTREE_FIELD(DATA, most) PYTREE_FIELD(DATA, table) PYTREE_FIELD(DATA, at)
#include "pytree_registry.h"

typedef struct Cube { double x; const float cells[2][2][2]; } Cube;

#define PYTREE_STRUCT Cube
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, cells, RANK(3))
#include "pytree_registry.h"

#define PYTREE_STRUCT Outer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, limits) PYTREE_FIELD(DATA, more, LIST(1))
#include "pytree_registry.h"

/* Everything but tcc tells what is const. */
static void const_members_are_not_written_in_place(void **state)
{
#if !defined(__TINYC__)
    Limits limits = { weights, 1.0, { 2, 3 }, { 4.0f } };
    Outer outer = { 5.0, { weights, 1.0, { 2, 3 }, { 4.0f } }, &limits };
    Cube cube = { 5.0, { { { 1 } } } };
    const pytree trees[3] = { PYTREE(&limits), PYTREE(&outer), PYTREE(&cube) };
    const char *const paths[3] = { ".most", ".limits.most", ".cells" };
    size_t i, n;
    for (i = 0; i < 3; i++) {
        pytree_error errors[3] = { { 0 }, { 0 }, { 0 } }, error = { 0 };
        pytree_leaf leaves[9];
        pytree copy = pytree_clone(trees[i], NULL, &error);
        pytree_def *def = pytree_structure(copy, NULL, &error);
        assert_ok(pytree_leaves(copy, leaves, 9, &n, NULL, &error), &error);
        assert_true(pytree_equal(copy, trees[i], NULL, NULL, &error));
        assert_error(pytree_unflatten_into(def, n, leaves, trees[i], NULL, &errors[0]), PYTREE_TYPE, paths[i], &errors[0]);
        assert_error(pytree_copy_into(trees[i], copy, NULL, &errors[1]), PYTREE_TYPE, paths[i], &errors[1]);
        assert_error(pytree_fill(0, trees[i], NULL, &errors[2]), PYTREE_TYPE, paths[i], &errors[2]);
        assert_true(pytree_equal(copy, trees[i], NULL, NULL, &error));
        pytree_def_free(def);
        pytree_free(copy);
    }
#endif
    (void)state;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(members_are_read_as_plain_ones),
        cmocka_unit_test(members_are_rebuilt),
        cmocka_unit_test(const_members_are_not_written_in_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
