/* Arithmetic in place over structs: each operation beside the loop by hand, for members side by side and apart, in lists of
 * structs with and without static values, of one type and several. */
#include "ravel_shared.h"

typedef struct Vec { double x, y, z; } Vec;

#define PYTREE_STRUCT Vec
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z)
#include "pytree_registry.h"

/* Nothing but numbers of one type. */
typedef struct Body { Vec at, speed; double mass[2]; } Body;

#define PYTREE_STRUCT Body
#define PYTREE_FIELDS PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, speed) PYTREE_FIELD(DATA, mass)
#include "pytree_registry.h"

/* Numbers of two types, and something else in between. */
typedef struct Mixed { int id; float a, b; Vec at; char note[8]; float c; double d; } Mixed;

#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, id)                                                                                            \
    PYTREE_FIELD(DATA, a)                                                                                               \
    PYTREE_FIELD(DATA, b)                                                                                               \
    PYTREE_FIELD(DATA, at)                                                                                              \
    PYTREE_FIELD(DROP, note)                                                                                            \
    PYTREE_FIELD(DATA, c)                                                                                               \
    PYTREE_FIELD(DATA, d)
#include "pytree_registry.h"

/* A pointer: no two instances are alike. */
typedef struct Loose { float *w; float s; } Loose;

#define PYTREE_STRUCT Loose
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w, ARRAY(2)) PYTREE_FIELD(DATA, s)
#include "pytree_registry.h"

enum { BODIES = 37, MIXED = 11, LOOSE = 3 };
typedef struct World {
    size_t n_bodies, n_mixed;
    Body *bodies;
    Mixed *mixed;
    Mixed one;
    Loose loose[LOOSE];
    long double wide;
} World;

#define PYTREE_STRUCT World
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_bodies)                                                                                      \
    PYTREE_FIELD(STATIC, n_mixed)                                                                                       \
    PYTREE_FIELD(DATA, bodies, LIST(self->n_bodies))                                                                    \
    PYTREE_FIELD(DATA, mixed, LIST(self->n_mixed))                                                                      \
    PYTREE_FIELD(DATA, one)                                                                                             \
    PYTREE_FIELD(DATA, loose)                                                                                           \
    PYTREE_FIELD(DATA, wide)
#include "pytree_registry.h"

/* The same without pointers to numbers: a tree whose numbers are found without a walk. */
typedef struct Near {
    size_t n_bodies, n_mixed;
    Body *bodies;
    Mixed *mixed;
    Mixed one;
    long double wide;
} Near;

#define PYTREE_STRUCT Near
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_bodies)                                                                                      \
    PYTREE_FIELD(STATIC, n_mixed)                                                                                       \
    PYTREE_FIELD(DATA, bodies, LIST(self->n_bodies))                                                                    \
    PYTREE_FIELD(DATA, mixed, LIST(self->n_mixed))                                                                      \
    PYTREE_FIELD(DATA, one)                                                                                             \
    PYTREE_FIELD(DATA, wide)
#include "pytree_registry.h"

typedef struct Space {
    World world;
    Near near;
    Body bodies[BODIES];
    Mixed mixed[MIXED];
    float w[LOOSE][2];
} Space;

static void number(void *context, pytree_leaf *leaf, size_t i, double v)
{
    (void)context;
    pytree_leaf_set(leaf, i, v);
}

/* Call a function for each number, by the iterator, one leaf after the other. */
static void each_number(pytree t, void (*fn)(void *context, pytree_leaf *leaf, size_t i, double v), void *context)
{
    pytree_iter it;
    double v = 0;
    if (pytree_iter_begin(&it, 1, &t, NULL, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            pytree_leaf leaf = *it.leaf[0];
            size_t i;
            for (i = 0; i < pytree_leaf_count(&leaf); i++) { fn(context, &leaf, i, v += 0.37); }
        }
    }
    pytree_iter_end(&it);
}

static pytree fill_space(Space *s, double from, bool near)
{
    pytree t = near ? PYTREE(&s->near) : PYTREE(&s->world);
    size_t i;
    memset(s, 0, sizeof *s);
    s->world.n_bodies = BODIES;
    s->world.n_mixed = MIXED;
    s->world.bodies = s->bodies;
    s->world.mixed = s->mixed;
    for (i = 0; i < LOOSE; i++) { s->world.loose[i].w = s->w[i]; }
    for (i = 0; i < MIXED; i++) {
        s->mixed[i].id = (int)i;
        memcpy(s->mixed[i].note, "notes", 6);
    }
    s->near = (Near){ BODIES, MIXED, s->bodies, s->mixed, { 0 }, 0 };
    each_number(t, number, NULL);
    assert_int_equal(pytree_scale(from, t, NULL, NULL), PYTREE_OK);
    return t;
}

/* What each operation must give: number after number, floats by operations on floats. */
static double wanted_double(char op, double a, double x, double y)
{
    return op == 'a' ? y + a * x : op == 'l' ? y + a * (x - y) : op == 's' ? a * y : a;
}

static float wanted_float(char op, float a, float x, float y)
{
    return op == 'a' ? y + a * x : op == 'l' ? y + a * (x - y) : op == 's' ? a * y : a;
}

static void collect(void *context, pytree_leaf *leaf, size_t i, double v)
{
    double **to = context;
    (void)v;
    *(*to)++ = pytree_leaf_get(leaf, i);
}

typedef struct Check { const double *x, *y; double a; char op; size_t at; } Check;

static void compare(void *context, pytree_leaf *leaf, size_t i, double v)
{
    Check *c = context;
    const double x = c->x[c->at], y = c->y[c->at];
    const float f = wanted_float(c->op, (float)c->a, (float)x, (float)y);
    (void)v;
    c->at++;
    if (leaf->type->dtype == PYTREE_FLONG) { return; }
    assert_true(pytree_leaf_get(leaf, i) == (leaf->type->dtype == PYTREE_F32 ? (double)f : wanted_double(c->op, c->a, x, y)));
}

static void check_operations(bool near)
{
    static Space s, t;
    static double x[1000], y[1000];
    const char ops[] = { 'a', 'l', 's', 'f' };
    size_t k;
    for (k = 0; k < sizeof ops; k++) {
        pytree a = fill_space(&s, 0.5, near), b = fill_space(&t, 3, near);
        double *to = x;
        Check check = { x, y, 0.3, ops[k], 0 };
        pytree_error error = { 0 };
        each_number(a, collect, &to);
        to = y;
        each_number(b, collect, &to);
        switch (ops[k]) {
        case 'a': assert_ok(pytree_axpy(0.3, a, b, NULL, &error), &error); break;
        case 'l': assert_ok(pytree_lerp(0.3, a, b, NULL, &error), &error); break;
        case 's': assert_ok(pytree_scale(0.3, b, NULL, &error), &error); break;
        default: assert_ok(pytree_fill(0.3, b, NULL, &error), &error); break;
        }
        each_number(b, compare, &check);
        assert_true(check.at > BODIES * 8);
        check = (Check){ x, x, 1, 's', 0 };                    /* the other tree is as it was, and what is no leaf */
        each_number(a, compare, &check);
        assert_string_equal(t.mixed[MIXED - 1].note, "notes");
        assert_int_equal(t.mixed[MIXED - 1].id, MIXED - 1);
        assert_true(pytree_zero(b, NULL, &error) == PYTREE_OK && t.bodies[BODIES - 1].mass[1] == 0);
        assert_true((near ? t.near.wide : t.world.wide) == 0);
    }
}

static void operations_in_place(void **state)
{
    (void)state;
    check_operations(false);
    check_operations(true);
}

static void sums_over_structs(void **state)
{
    static Space s, t, u;
    static double x[1000], y[1000];
    pytree a = fill_space(&s, 0.5, false), b = fill_space(&t, 3, false), near = fill_space(&u, 3, true);
    double *to = x, dot, norm, sum = 0, squares = 0;
    pytree_error error = { 0 };
    size_t i, n;
    (void)state;
    each_number(a, collect, &to);
    n = (size_t)(to - x);
    to = y;
    each_number(b, collect, &to);
    for (i = 0; i < n; i++) {
        sum += x[i] * y[i];
        squares += y[i] * y[i];
    }
    assert_ok(pytree_dot(a, b, &dot, NULL, &error), &error);
    assert_true(fabs(dot - sum) < 1e-12 * sum);
    assert_ok(pytree_norm(b, &norm, NULL, &error), &error);
    assert_true(fabs(norm - sqrt(squares)) < 1e-12 * norm);
    to = y;
    each_number(near, collect, &to);
    for (squares = 0, i = 0; i < (size_t)(to - y); i++) { squares += y[i] * y[i]; }
    assert_ok(pytree_norm(near, &norm, NULL, &error), &error);
    assert_true(fabs(norm - sqrt(squares)) < 1e-12 * norm);
    assert_ok(pytree_scale(1e200, b, NULL, &error), &error);  /* squares leave the range; float members are infinite */
    assert_ok(pytree_norm(b, &norm, NULL, &error), &error);
    assert_true(isinf(norm));
    assert_ok(pytree_fill(1e-200, PYTREE_LIST(PYTREE(&t.bodies[0]), PYTREE(&t.bodies[1])), NULL, &error), &error);
    assert_ok(pytree_norm(PYTREE_LIST(PYTREE(&t.bodies[0]), PYTREE(&t.bodies[1])), &norm, NULL, &error), &error);
    assert_true(fabs(norm - 4e-200) < 1e-212);
}

/* A difference in the middle of a list of structs is found, with its path, and nothing is written. */
static void check_differences(bool near)
{
    static Space s, t;
    pytree a = fill_space(&s, 0.5, near), b = fill_space(&t, 3, near);
    pytree_error error = { 0 };
    const double before = t.bodies[0].at.x;
    double once;
    t.mixed[6].id = 60;
    assert_error(pytree_axpy(1, a, b, NULL, &error), PYTREE_STRUCTURE, ".mixed[6]", &error);
    assert_true(t.bodies[0].at.x == before);
    t.mixed[6].id = 6;
    memset(&error, 0, sizeof error);
    t.world.n_mixed--;
    t.near.n_mixed--;
    assert_error(pytree_lerp(1, a, b, NULL, &error), PYTREE_STRUCTURE, "", &error);
    assert_true(t.bodies[0].at.x == before);
    t.world.n_mixed++;
    t.near.n_mixed++;
    memset(&error, 0, sizeof error);
    t.near.mixed = t.world.mixed = NULL;
    assert_error(pytree_lerp(1, a, b, NULL, &error), PYTREE_NULL_POINTER, ".mixed", &error);
    assert_true(t.bodies[0].at.x == before);
    t.near.mixed = t.world.mixed = t.mixed;
    assert_true((once = s.bodies[1].at.x) != 0);
    assert_int_equal(pytree_axpy(1, a, a, NULL, NULL), PYTREE_OK);     /* a tree and itself */
    assert_true(s.bodies[1].at.x == 2 * once);
}

static void structs_that_differ(void **state)
{
    (void)state;
    check_differences(false);
    check_differences(true);
}

typedef struct Counted { float x; int n; float y; } Counted;

#define PYTREE_STRUCT Counted
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, n) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Counts { Counted *all; } Counts;

#define PYTREE_STRUCT Counts
#define PYTREE_FIELDS PYTREE_FIELD(DATA, all, LIST(3))
#include "pytree_registry.h"

static void numbers_that_are_refused(void **state)
{
    Counted all[3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };
    Counts counts = { all };
    float complex_numbers[4] = { 1, 2, 3, 4 }, reals[2] = { 5, 6 };
    pytree_leaf c = view_of(PYTREE_C64, complex_numbers, 2), r = view_of(PYTREE_F32, reals, 2);
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_fill(0, PYTREE(&counts), NULL, &error), PYTREE_TYPE, ".all[0].n", &error);
    assert_true(all[0].x == 1);
    memset(&error, 0, sizeof error);
    assert_error(pytree_lerp(0.5, PYTREE(&r), PYTREE(&c), NULL, &error), PYTREE_TYPE, "", &error);
    assert_says(&error, "expected complex numbers for c64[2], got f32[2]");
    memset(&error, 0, sizeof error);
    assert_error(pytree_lerp(0.5, PYTREE(&c), PYTREE(&r), NULL, &error), PYTREE_TYPE, "", &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_lerp(0.5, PYTREE(&c), PYTREE(&c), NULL, &error), &error);
    assert_ok(pytree_scale(2, PYTREE(&c), NULL, &error), &error);
    assert_true(complex_numbers[0] == 2 && complex_numbers[3] == 8);
    assert_ok(pytree_fill(7, PYTREE(&c), NULL, &error), &error);
    assert_true(complex_numbers[0] == 7 && complex_numbers[1] == 0 && complex_numbers[2] == 7 && complex_numbers[3] == 0);
    assert_ok(pytree_fill(7, PYTREE_LIST(), NULL, &error), &error);
    c.shape[0] = 0;                       /* of no numbers, and no memory */
    c.data = NULL;
    assert_ok(pytree_fill(7, PYTREE(&c), NULL, &error), &error);
}

static pytree_status body_in_place(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree *both = context;
    pytree_status status = pytree_axpy(0, both[0], both[1], opt, error);
    if (status == PYTREE_OK) { status = pytree_lerp(0, both[0], both[1], opt, error); }
    if (status == PYTREE_OK) { status = pytree_scale(1, both[1], opt, error); }
    if (status == PYTREE_OK) { status = pytree_fill(2, both[1], opt, error); }
    return status;
}

/* A list of structs is a few spans, so that a world of any size borrows nothing; many separate numbers do. */
static void memory(void **state)
{
    enum { MANY = 200 };
    static Space s, t;
    static double numbers[2 * MANY];
    static pytree items[MANY];
    pytree_items list = { 0 };
    pytree both[2];
    size_t i;
    (void)state;
    both[0] = fill_space(&s, 0.5, false);
    both[1] = fill_space(&t, 3, false);
    assert_int_equal(sweep_allocations(body_in_place, both), 0);
    for (i = 0; i < MANY; i++) { items[i] = PYTREE(&numbers[2 * i]); }
    list.count = MANY;
    list.items = items;
    both[0].type = both[1].type = &pytree_types[PYTREE__T_list];
    both[0].data = both[1].data = &list;
    assert_true(sweep_allocations(body_in_place, both) > 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_in_place),
        cmocka_unit_test(sums_over_structs),
        cmocka_unit_test(structs_that_differ),
        cmocka_unit_test(numbers_that_are_refused),
        cmocka_unit_test(memory)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
