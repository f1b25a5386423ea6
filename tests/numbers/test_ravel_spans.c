/* Arithmetic in place over every shape of struct: numbers that are listed directly, struct by struct, or leaf by leaf; what
 * lies side by side in one tree only; what two trees have otherwise. */
#include "ravel_shared.h"

typedef struct Two { float x; int pad; float y; } Two;

#define PYTREE_STRUCT Two
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DROP, pad) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

/* An in-place string that may be missing, which is no number. */
typedef struct Named { double x; const char *note; double y; } Named;

#define PYTREE_STRUCT Named
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, note, OPTIONAL) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Listed { float x; Two of[2]; } Listed;

#define PYTREE_STRUCT Listed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, of)
#include "pytree_registry.h"

/* Structs in structs, lists of two dimensions. */
typedef struct Nested { Named named; Listed listed; Two grid[2][2]; Named names[2]; } Nested;

#define PYTREE_STRUCT Nested
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, named) PYTREE_FIELD(DATA, listed) PYTREE_FIELD(DATA, grid, EACH()) PYTREE_FIELD(DATA, names)
#include "pytree_registry.h"

typedef struct OneNested { Named named; } OneNested;

#define PYTREE_STRUCT OneNested
#define PYTREE_FIELDS PYTREE_FIELD(DATA, named)
#include "pytree_registry.h"

typedef struct OneListed { Listed listed; } OneListed;

#define PYTREE_STRUCT OneListed
#define PYTREE_FIELDS PYTREE_FIELD(DATA, listed)
#include "pytree_registry.h"

typedef struct Grid { Two grid[2][2]; } Grid;

#define PYTREE_STRUCT Grid
#define PYTREE_FIELDS PYTREE_FIELD(DATA, grid, EACH())
#include "pytree_registry.h"

/* 64 spans, and 128. */
typedef struct Pairs8 { Two a, b, c, d; } Pairs8;

#define PYTREE_STRUCT Pairs8
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Pairs64 { Pairs8 a, b, c, d, e, f, g, h; } Pairs64;

#define PYTREE_STRUCT Pairs64
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)                             \
    PYTREE_FIELD(DATA, e) PYTREE_FIELD(DATA, f) PYTREE_FIELD(DATA, g) PYTREE_FIELD(DATA, h)
#include "pytree_registry.h"

typedef struct Full { Pairs64 many; int pad; float *last; } Full;

#define PYTREE_STRUCT Full
#define PYTREE_FIELDS PYTREE_FIELD(DATA, many) PYTREE_FIELD(DROP, pad) PYTREE_FIELD(DATA, last, ARRAY(1))
#include "pytree_registry.h"

typedef struct Fuller { Pairs64 some, more; } Fuller;

#define PYTREE_STRUCT Fuller
#define PYTREE_FIELDS PYTREE_FIELD(DATA, some) PYTREE_FIELD(DATA, more)
#include "pytree_registry.h"

typedef struct Ten { float a, b, c, d, e, f, g, h, i, j; } Ten;

#define PYTREE_STRUCT Ten
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, e)       \
    PYTREE_FIELD(DATA, f) PYTREE_FIELD(DATA, g) PYTREE_FIELD(DATA, h) PYTREE_FIELD(DATA, i) PYTREE_FIELD(DATA, j)
#include "pytree_registry.h"

/* What the rows lead to is known from the instance only, and not part of the structure. */
typedef struct Loose {
    size_t n;
    pytree_dtype dtype;
    void *any;
    float *some, *more;
} Loose;

#define PYTREE_STRUCT Loose
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, n)                                                                                               \
    PYTREE_FIELD(DROP, dtype)                                                                                           \
    PYTREE_FIELD(DATA, any, AS(pytree_dtype_type(self->dtype), ARRAY(2)))                                               \
    PYTREE_FIELD(DATA, some, ARRAY(self->n))                                                                            \
    PYTREE_FIELD(DATA, more, ARRAY(2))
#include "pytree_registry.h"

/* A member that a tree need not have, and a number that arithmetic does not take. */
typedef struct Maybe { Two *head; float x; } Maybe;

#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, head, OPTIONAL) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Counted { int n; float x; } Counted;

#define PYTREE_STRUCT Counted
#define PYTREE_FIELDS PYTREE_FIELD(DATA, n) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

typedef struct Holder { pytree tree; float x; } Holder;

#define PYTREE_STRUCT Holder
#define PYTREE_FIELDS PYTREE_FIELD(DATA, tree) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* Arrays whose types depend on a tag that is not part of the structure; 4 floats are as large as the struct. */
typedef struct Either { size_t kind; union { float *single; double *wide; } as; } Either;

#define PYTREE_STRUCT Either
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, kind)                                                                                            \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, single, ARRAY(4)), CASE(1, wide, ARRAY(4))))
#include "pytree_registry.h"

typedef struct Both { size_t kinds[2]; union { float *single; double *wide; } first, second; } Both;

#define PYTREE_STRUCT Both
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, kinds)                                                                                           \
    PYTREE_FIELD(DATA, first, UNION(self->kinds[0], CASE(0, single, ARRAY(2)), CASE(1, wide, ARRAY(2))))                 \
    PYTREE_FIELD(DATA, second, UNION(self->kinds[1], CASE(0, single, ARRAY(2)), CASE(1, wide, ARRAY(2))))
#include "pytree_registry.h"

/* A union in the struct itself, in a struct in a struct. */
typedef struct Inside { size_t kind; union { float single; double wide; } as; } Inside;

#define PYTREE_STRUCT Inside
#define PYTREE_FIELDS PYTREE_FIELD(DROP, kind) PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, single), CASE(1, wide)))
#include "pytree_registry.h"

typedef struct Around { Inside inside; float x; } Around;

#define PYTREE_STRUCT Around
#define PYTREE_FIELDS PYTREE_FIELD(DATA, inside) PYTREE_FIELD(DATA, x)
#include "pytree_registry.h"

/* An array that may be missing; as many elements as the tree says. */
typedef struct Some { size_t n; float *array, *maybe; } Some;

#define PYTREE_STRUCT Some
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, array, ARRAY(self->n)) PYTREE_FIELD(DATA, maybe, ARRAY(2), OPTIONAL)
#include "pytree_registry.h"

/* Numbers whose shape depends on a tag that is not part of the structure. */
typedef struct Shaped { size_t kind; union { float *square, *flat, one, *listed; } as; } Shaped;

#define PYTREE_STRUCT Shaped
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, kind)                                                                                            \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(0, square, ARRAY(2, 2)), CASE(1, flat, ARRAY(4)), CASE(2, one),        \
                                 CASE(3, listed, LIST(4))))
#include "pytree_registry.h"

/* 64 spans, and one more. */
typedef struct Gap { float x; int pad; } Gap;

#define PYTREE_STRUCT Gap
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DROP, pad)
#include "pytree_registry.h"

typedef struct Gaps4 { Gap a, b, c, d; } Gaps4;

#define PYTREE_STRUCT Gaps4
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Gaps16 { Gaps4 a, b, c, d; } Gaps16;

#define PYTREE_STRUCT Gaps16
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

typedef struct Gaps65 { Gaps16 a, b, c, d; float last; } Gaps65;

#define PYTREE_STRUCT Gaps65
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c) PYTREE_FIELD(DATA, d) PYTREE_FIELD(DATA, last)
#include "pytree_registry.h"

/* A list, and a pointer that must lead to a struct. */
typedef struct Led { int n; Two *head, *list; } Led;

#define PYTREE_STRUCT Led
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, head) PYTREE_FIELD(DATA, list, LIST(self->n))
#include "pytree_registry.h"

typedef struct Mapped { Price *prices; } Mapped;

#define PYTREE_STRUCT Mapped
#define PYTREE_FIELDS PYTREE_FIELD(DATA, prices, STB_MAP)
#include "pytree_registry.h"

/* ---- Beside a loop ------------------------------------------------------------------------------------------------------ */

enum { MOST_NUMBERS = 200 };

static size_t numbers_of(pytree t, double *to)
{
    size_t n = 0;
    pytree_iter it;
    if (pytree_iter_begin(&it, 1, &t, NULL, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            for (size_t i = 0; i < pytree_leaf_count(it.leaf[0]); i++) {
                assert_in_range(n, 0, MOST_NUMBERS - 1);
                to[n++] = pytree_leaf_get(it.leaf[0], i);
            }
        }
    }
    pytree_iter_end(&it);
    assert_int_equal(it.status, PYTREE_OK);
    return n;
}

static void fill_numbers(pytree t, double from)
{
    pytree_iter it;
    if (pytree_iter_begin(&it, 1, &t, NULL, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            pytree_leaf leaf = *it.leaf[0];
            for (size_t i = 0; i < pytree_leaf_count(&leaf); i++) { pytree_leaf_set(&leaf, i, from++); }
        }
    }
    pytree_iter_end(&it);
}

/* y + 2 x: as it is, and in a list; the numbers are small integers, so that it is exact. */
static void adds_up(pytree x, pytree y)
{
    double before[2][MOST_NUMBERS], after[MOST_NUMBERS];
    pytree_error error = { 0 };
    for (int listed = 0; listed < 2; listed++) {
        size_t n;
        fill_numbers(x, 1);
        fill_numbers(y, 5);
        n = numbers_of(x, before[0]);
        assert_int_equal(numbers_of(y, before[1]), n);
        assert_true(n != 0);
        assert_ok(listed ? pytree_axpy(2, PYTREE_LIST(x), PYTREE_LIST(y), NULL, &error) : pytree_axpy(2, x, y, NULL, &error),
                  &error);
        assert_int_equal(numbers_of(y, after), n);
        for (size_t i = 0; i < n; i++) { assert_true(after[i] == before[1][i] + 2 * before[0][i]); }
        assert_int_equal(numbers_of(x, after), n);
        assert_memory_equal(after, before[0], n * sizeof *after);
    }
}

/* Both ways are refused alike. */
static void differs(pytree x, pytree y, pytree_status status, const char *path, const char *text)
{
    pytree_error error = { 0 };
    char listed[64];
    assert_error(pytree_axpy(1, x, y, NULL, &error), status, path, &error);
    assert_string_equal(error.message, text);
    memset(&error, 0, sizeof error);
    snprintf(listed, sizeof listed, "[0]%s", path);
    assert_error(pytree_axpy(1, PYTREE_LIST(x), PYTREE_LIST(y), NULL, &error), status, listed, &error);
    assert_string_equal(error.message, text);
}

static void structs_in_structs(void **state)
{
    static Nested n[2];
    static OneNested nested[2];
    static OneListed listed[2];
    static Grid grid[2];
    static Ten ten[2];
    static Holder holder[2];
    Two p[2] = { { 0 } };
    (void)state;
    adds_up(PYTREE(&n[0]), PYTREE(&n[1]));
    adds_up(PYTREE(&nested[0]), PYTREE(&nested[1]));
    adds_up(PYTREE(&listed[0]), PYTREE(&listed[1]));
    adds_up(PYTREE(&grid[0]), PYTREE(&grid[1]));
    adds_up(PYTREE(&ten[0]), PYTREE(&ten[1]));
    holder[0].tree = PYTREE(&p[0]);
    holder[1].tree = PYTREE(&p[1]);
    adds_up(PYTREE(&holder[0]), PYTREE(&holder[1]));
    holder[1].tree = PYTREE_NONE;
    differs(PYTREE(&holder[0]), PYTREE(&holder[1]), PYTREE_STRUCTURE, ".tree",
            "expected Two as in the first tree, got None in tree 1");
}

static void more_spans_than_are_listed(void **state)
{
    static Full full[2];
    static Fuller fuller[2];
    float last[2];
    (void)state;
    full[0].last = &last[0];
    full[1].last = &last[1];
    adds_up(PYTREE(&full[0]), PYTREE(&full[1]));
    adds_up(PYTREE(&fuller[0]), PYTREE(&fuller[1]));
}

static void rows_that_lead_elsewhere(void **state)
{
    float near[9], x[4][4];
    double wide[2];
    int whole[2] = { 0 };
    Loose a = { 2, PYTREE_F32, near, near + 2, near + 4 }, b = { 2, PYTREE_F32, x[1], x[2], x[3] };
    (void)state;
    memset(near, 0, sizeof near);
    memset(x, 0, sizeof x);
    adds_up(PYTREE(&a), PYTREE(&b));
    b.dtype = PYTREE_F64;
    b.any = wide;
    adds_up(PYTREE(&a), PYTREE(&b));      /* float is added to double */
    b.n = 1;
    differs(PYTREE(&a), PYTREE(&b), PYTREE_SHAPE, ".some", "expected the shape of f32[2], got f32[1]");
    b.n = 2;
    b.dtype = PYTREE_I32;
    b.any = whole;
    differs(PYTREE(&a), PYTREE(&b), PYTREE_TYPE, ".any", "expected floats or complex numbers, got i32");
    b.any = NULL;
    differs(PYTREE(&a), PYTREE(&b), PYTREE_NULL_POINTER, ".any", "expected 2 elements of int, got NULL");
}

static void members_that_may_be_missing(void **state)
{
    Two p[2] = { { 0 } };
    Maybe a = { NULL, 1 }, b = { NULL, 2 };
    Named named[2] = { { 1, NULL, 2 }, { 3, "text", 4 } };
    (void)state;
    adds_up(PYTREE(&a), PYTREE(&b));
    a.head = &p[0];
    differs(PYTREE(&a), PYTREE(&b), PYTREE_STRUCTURE, ".head", "expected Two as in the first tree, got None in tree 1");
    differs(PYTREE(&b), PYTREE(&a), PYTREE_STRUCTURE, ".head", "expected None as in the first tree, got Two in tree 1");
    b.head = &p[1];
    adds_up(PYTREE(&a), PYTREE(&b));
    differs(PYTREE(&named[0]), PYTREE(&named[1]), PYTREE_STRUCTURE, ".note",
            "expected None as in the first tree, got str in tree 1");
    differs(PYTREE(&named[1]), PYTREE(&named[1]), PYTREE_TYPE, ".note", "expected floats or complex numbers, got str");
}

static void what_is_no_number(void **state)
{
    static Counted counted[2];
    static double x[3];
    const pytree nothing = { PYTREE(&counted[0]).type, NULL }, untyped = { NULL, NULL };
    pytree_error error = { 0 };
    (void)state;
    differs(PYTREE(&counted[0]), PYTREE(&counted[1]), PYTREE_TYPE, ".n", "expected floats or complex numbers, got i32");
    differs(PYTREE(&x[0]), PYTREE_STR("text"), PYTREE_TYPE, "", "expected floats or complex numbers, got str");
    differs(PYTREE_STR("text"), PYTREE(&x[0]), PYTREE_TYPE, "", "expected floats or complex numbers, got str");
    differs(PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 3), PYTREE_SHAPE, "", "expected the shape of f64[2], got f64[3]");
    assert_error(pytree_axpy(1, PYTREE(&counted[0]), nothing, NULL, &error), PYTREE_NULL_POINTER, "", &error);
    memset(&error, 0, sizeof error);
    assert_error(pytree_scale(1, untyped, NULL, &error), PYTREE_ARGUMENT, "", &error);
}

static void types_that_a_tag_chooses(void **state)
{
    float x[8] = { 0 }, y[9] = { 0 };
    double wide[4] = { 0 };
    Either either[2] = { { 0, { .single = x } }, { 0, { .single = y } } };
    Both both[2] = { { { 0, 0 }, { .single = x }, { .single = x + 2 } }, { { 0, 0 }, { .single = y }, { .single = y + 2 } } };
    Around around[2] = { { { 0, { 0 } }, 0 }, { { 0, { 0 } }, 0 } };
    (void)state;
    adds_up(PYTREE(&either[0]), PYTREE(&either[1]));
    adds_up(PYTREE(&both[0]), PYTREE(&both[1]));
    both[1].second.single = y + 3;        /* side by side in one tree */
    adds_up(PYTREE(&both[0]), PYTREE(&both[1]));
    either[1].kind = both[1].kinds[1] = 1;
    either[1].as.wide = both[1].second.wide = wide;
    adds_up(PYTREE(&either[0]), PYTREE(&either[1]));
    adds_up(PYTREE(&both[0]), PYTREE(&both[1]));
    adds_up(PYTREE(&around[0]), PYTREE(&around[1]));
    around[1].inside.kind = 1;
    around[1].inside.as.wide = 0;
    adds_up(PYTREE(&around[0]), PYTREE(&around[1]));
}

static void arrays_that_differ(void **state)
{
    float x[4] = { 0 }, y[4] = { 0 };
    Some a = { 2, x, x + 2 }, b = { 2, y, y + 2 };
    Shaped square = { 0, { .square = x } }, other = { 0, { .square = y } }, flat = { 1, { .flat = y } };
    Shaped one = { 2, { .one = 1 } };
    (void)state;
    adds_up(PYTREE(&a), PYTREE(&b));
    b.n = 1;
    differs(PYTREE(&a), PYTREE(&b), PYTREE_SHAPE, ".array", "expected the shape of f32[2], got f32[1]");
    b.n = 2;
    a.maybe = NULL;
    differs(PYTREE(&a), PYTREE(&b), PYTREE_STRUCTURE, ".maybe", "expected None as in the first tree, got f32[2] in tree 1");
    differs(PYTREE(&b), PYTREE(&a), PYTREE_TYPE, ".maybe", "expected floats or complex numbers, got None");
    b.maybe = NULL;
    adds_up(PYTREE(&a), PYTREE(&b));
    adds_up(PYTREE(&square), PYTREE(&other));
    differs(PYTREE(&square), PYTREE(&flat), PYTREE_SHAPE, ".as", "expected the shape of f32[2,2], got f32[4]");
    differs(PYTREE(&one), PYTREE(&flat), PYTREE_SHAPE, ".as", "expected the shape of f32, got f32[4]");
    flat.kind = 3;
    flat.as.listed = y;
    differs(PYTREE(&flat), PYTREE(&square), PYTREE_STRUCTURE, ".as",
            "expected list as in the first tree, got f32[2,2] in tree 1");
}

/* A list whose type is the copy that a tree of the library's has. */
static void lists_of_a_clone(void **state)
{
    pytree_error error = { 0 };
    Gap gaps[2][3] = { { { 0 } } };
    const pytree clone = pytree_clone(PYTREE(&gaps[0][0]), NULL, &error);
    const pytree_leaf list = { gaps[0], PYTREE_TYPE(Gap), 1, PYTREE_FORM_LIST, { 3 } };
    const pytree_leaf cloned = { gaps[1], clone.type, 1, PYTREE_FORM_LIST, { 3 } };
    (void)state;
    assert_ok(error.status, &error);
    assert_ptr_not_equal(clone.type, list.type);
    adds_up(PYTREE(&list), PYTREE(&cloned));
    adds_up(PYTREE(&cloned), PYTREE(&list));
    pytree_free(clone);
}

static void structs_that_are_missing(void **state)
{
    static Gaps65 gaps[2];
    Two head[2] = { { 0 } }, list[2][2] = { { { 0 } } };
    Led a = { 2, &head[0], list[0] }, b = { 2, &head[1], list[1] };
    Mapped maps[2] = { { NULL } };
    int k;
    (void)state;
    adds_up(PYTREE(&gaps[0]), PYTREE(&gaps[1]));
    adds_up(PYTREE(&a), PYTREE(&b));
    b.head = NULL;
    differs(PYTREE(&a), PYTREE(&b), PYTREE_NULL_POINTER, ".head", "expected a Two, got NULL (OPTIONAL allows it)");
    differs(PYTREE(&b), PYTREE(&a), PYTREE_NULL_POINTER, ".head", "expected a Two, got NULL (OPTIONAL allows it)");
    for (k = 0; k < 2; k++) {
        stbds_sh_new_strdup(maps[k].prices);
        stbds_shput(maps[k].prices, "fig", 2.5);
    }
    adds_up(PYTREE(&maps[0]), PYTREE(&maps[1]));
    for (k = 0; k < 2; k++) { stbds_shfree(maps[k].prices); }
}

/* ---- More structs in a row than products that are summed at a time ------------------------------------------------------ */

typedef struct Wide { double x; int pad; double y; } Wide;

#define PYTREE_STRUCT Wide
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DROP, pad) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Rows { Two of[500]; } Rows;

#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS PYTREE_FIELD(DATA, of)
#include "pytree_registry.h"

typedef struct WideRows { Wide of[500]; } WideRows;

#define PYTREE_STRUCT WideRows
#define PYTREE_FIELDS PYTREE_FIELD(DATA, of)
#include "pytree_registry.h"

static void products_of_many_structs(void **state)
{
    static Rows rows;
    static WideRows wide;
    double expected = 0, dot = 0;
    pytree_error error = { 0 };
    (void)state;
    for (int i = 0; i < 500; i++) {
        rows.of[i] = (Two){ (float)(i % 13), i, (float)(i % 7) };
        wide.of[i] = (Wide){ i % 13, i, i % 7 };
        expected += (i % 13) * (i % 13) + (i % 7) * (i % 7);
    }
    assert_ok(pytree_dot(PYTREE(&rows), PYTREE(&rows), &dot, NULL, &error), &error);
    assert_true(dot == expected);
    assert_ok(pytree_dot(PYTREE(&wide), PYTREE(&wide), &dot, NULL, &error), &error);
    assert_true(dot == expected);
}

/* Structs in structs whose numbers lie elsewhere, and lists of structs in place and without any. */
typedef struct LinearInPlace { Linear in; double own; } LinearInPlace;
typedef struct PairInPlace { Two pair[2]; double own; } PairInPlace;
typedef struct ListsOfThem { int n, m, k; LinearInPlace *away; PairInPlace *inside; Two *none; } ListsOfThem;

#define PYTREE_STRUCT LinearInPlace
#define PYTREE_FIELDS PYTREE_FIELD(DATA, in) PYTREE_FIELD(DATA, own)
#include "pytree_registry.h"
#define PYTREE_STRUCT PairInPlace
#define PYTREE_FIELDS PYTREE_FIELD(DATA, pair) PYTREE_FIELD(DATA, own)
#include "pytree_registry.h"
#define PYTREE_STRUCT ListsOfThem
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(STATIC, m) PYTREE_FIELD(STATIC, k) PYTREE_FIELD(DATA, away, LIST(self->n))      \
    PYTREE_FIELD(DATA, inside, LIST(self->m)) PYTREE_FIELD(DATA, none, LIST(self->k))
#include "pytree_registry.h"

static void lists_of_structs_in_structs(void **state)
{
    static float w[2][3][4], b[2][3][2];
    static LinearInPlace away[2][3];
    static PairInPlace inside[2][3];
    static Two none;
    ListsOfThem each[2];
    (void)state;
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < 3; i++) { away[k][i] = (LinearInPlace){ { 2, 2, w[k][i], b[k][i] }, 0 }; }
        each[k] = (ListsOfThem){ 3, 3, 0, away[k], inside[k], &none };
    }
    adds_up(PYTREE(&each[0]), PYTREE(&each[1]));
    each[0].n = each[1].n = 0;
    adds_up(PYTREE(&each[0]), PYTREE(&each[1]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(products_of_many_structs),
        cmocka_unit_test(structs_in_structs), cmocka_unit_test(more_spans_than_are_listed),
        cmocka_unit_test(rows_that_lead_elsewhere), cmocka_unit_test(members_that_may_be_missing),
        cmocka_unit_test(what_is_no_number), cmocka_unit_test(types_that_a_tag_chooses),
        cmocka_unit_test(arrays_that_differ), cmocka_unit_test(lists_of_a_clone),
        cmocka_unit_test(structs_that_are_missing),
        cmocka_unit_test(lists_of_structs_in_structs)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
