/* nbody.c: arithmetic over the structs of a simulation, beside the same loops written by hand.
 *
 *     nbody [--json] [samples]                           15 samples of each
 *
 * Compile with -O2, link with -lm. A body is a struct of scalars; a state is a list of bodies. Each operation runs over
 * states of three kinds: nothing but doubles, floats beside other members, one array. A step of the simulation is the midpoint
 * method with the forces computed by hand in both ways. Both ways take turns, and their results are compared first.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/ravel.h"

#include <math.h>

#include "measure.h"

enum { MAX_SAMPLES = 101, MANY = 1000, PLANETS = 5, CLUSTER = 50 };

typedef struct Body { double x, y, z, vx, vy, vz; } Body;

#define PYTREE_STRUCT Body
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z)                                                   \
    PYTREE_FIELD(DATA, vx) PYTREE_FIELD(DATA, vy) PYTREE_FIELD(DATA, vz)
#include "pytree_registry.h"

typedef struct Bodies { size_t n; Body *all; } Bodies;

#define PYTREE_STRUCT Bodies
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n))
#include "pytree_registry.h"

typedef struct Particle { float x, y, z, charge; int id; float vx, vy, vz; } Particle;

#define PYTREE_STRUCT Particle
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z) PYTREE_FIELD(DATA, charge)                        \
    PYTREE_FIELD(DROP, id)                                                                                              \
    PYTREE_FIELD(DATA, vx) PYTREE_FIELD(DATA, vy) PYTREE_FIELD(DATA, vz)
#include "pytree_registry.h"

typedef struct Particles { size_t n; Particle *all; } Particles;

#define PYTREE_STRUCT Particles
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n))
#include "pytree_registry.h"

typedef struct Fixture {
    Body bodies[3][MANY], planets[3][CLUSTER];
    Particle particles[2][MANY];
    double flat[2][6 * MANY];
    Bodies b[3], p[3];
    Particles q[2];
    double mass[CLUSTER], result;
} Fixture;

#if defined(__GNUC__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif

static const char *failure;

static void must(pytree_status status)
{
    if (status != PYTREE_OK) { failure = pytree_status_name(status); }
}

/* ---- Operations ---------------------------------------------------------------------------------------------------------- */

#define EACH_OF_BODY(B) B(x) B(y) B(z) B(vx) B(vy) B(vz)
#define EACH_OF_PARTICLE(B) B(x) B(y) B(z) B(charge) B(vx) B(vy) B(vz)
#define AXPY(m) y[i].m += a * x[i].m;
#define LERP(m) y[i].m += a * (x[i].m - y[i].m);
#define SCALE(m) y[i].m *= a;
#define FILL(m) y[i].m = a;
#define DOT(m) sum += (double)x[i].m * (double)y[i].m;

#define BY_HAND(name, T, R, EACH, OP)                                                                                   \
    static NOINLINE void name(R a, const T *x, T *y, size_t n)                                                          \
    {                                                                                                                   \
        size_t i;                                                                                                       \
        (void)x;                                                                                                        \
        for (i = 0; i < n; i++) { EACH(OP) }                                                                            \
    }
BY_HAND(body_axpy, Body, double, EACH_OF_BODY, AXPY)
BY_HAND(body_lerp, Body, double, EACH_OF_BODY, LERP)
BY_HAND(body_scale, Body, double, EACH_OF_BODY, SCALE)
BY_HAND(body_fill, Body, double, EACH_OF_BODY, FILL)
BY_HAND(particle_axpy, Particle, float, EACH_OF_PARTICLE, AXPY)
BY_HAND(particle_lerp, Particle, float, EACH_OF_PARTICLE, LERP)
BY_HAND(particle_scale, Particle, float, EACH_OF_PARTICLE, SCALE)
BY_HAND(particle_fill, Particle, float, EACH_OF_PARTICLE, FILL)

static NOINLINE double body_dot(const Body *x, const Body *y, size_t n)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < n; i++) { EACH_OF_BODY(DOT) }
    return sum;
}

static NOINLINE double particle_dot(const Particle *x, const Particle *y, size_t n)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < n; i++) { EACH_OF_PARTICLE(DOT) }
    return sum;
}

static NOINLINE void flat_axpy(double a, const double *x, double *y, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { y[i] += a * x[i]; }
}

static NOINLINE double flat_dot(const double *x, const double *y, size_t n)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < n; i++) { sum += x[i] * y[i]; }
    return sum;
}

/* ---- A step of the simulation -------------------------------------------------------------------------------------------- */

/* The rate of change of a state: speeds, and accelerations by gravity. */
static NOINLINE void rates(const double *mass, const Body *b, Body *rate, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; i++) { rate[i] = (Body){ b[i].vx, b[i].vy, b[i].vz, 0, 0, 0 }; }
    for (i = 0; i < n; i++) {
        for (j = i + 1; j < n; j++) {
            const double x = b[j].x - b[i].x, y = b[j].y - b[i].y, z = b[j].z - b[i].z, square = x * x + y * y + z * z;
            const double f = 1 / (square * sqrt(square));
            rate[i].vx += mass[j] * f * x; rate[i].vy += mass[j] * f * y; rate[i].vz += mass[j] * f * z;
            rate[j].vx -= mass[i] * f * x; rate[j].vy -= mass[i] * f * y; rate[j].vz -= mass[i] * f * z;
        }
    }
}

static void step_by_hand(Fixture *f, double dt, size_t n)
{
    rates(f->mass, f->planets[0], f->planets[1], n);
    memcpy(f->planets[2], f->planets[0], n * sizeof f->planets[0][0]);
    body_axpy(dt / 2, f->planets[1], f->planets[2], n);
    rates(f->mass, f->planets[2], f->planets[1], n);
    body_axpy(dt, f->planets[1], f->planets[0], n);
}

static void step(Fixture *f, double dt, size_t n)
{
    size_t k;
    for (k = 0; k < 3; k++) { f->p[k].n = n; }
    rates(f->mass, f->planets[0], f->planets[1], n);
    memcpy(f->planets[2], f->planets[0], n * sizeof f->planets[0][0]);
    must(pytree_axpy(dt / 2, PYTREE(&f->p[1]), PYTREE(&f->p[2]), NULL, NULL));
    rates(f->mass, f->planets[2], f->planets[1], n);
    must(pytree_axpy(dt, PYTREE(&f->p[1]), PYTREE(&f->p[0]), NULL, NULL));
}

/* ---- Measuring ----------------------------------------------------------------------------------------------------------- */

#define OPERATIONS(X)                                                                                                   \
    X("axpy, structs of f64", 6 * MANY, body_axpy(1e-9, f->bodies[0], f->bodies[1], MANY),                              \
      must(pytree_axpy(1e-9, PYTREE(&f->b[0]), PYTREE(&f->b[1]), NULL, NULL)))                                          \
    X("lerp, structs of f64", 6 * MANY, body_lerp(1e-9, f->bodies[0], f->bodies[1], MANY),                              \
      must(pytree_lerp(1e-9, PYTREE(&f->b[0]), PYTREE(&f->b[1]), NULL, NULL)))                                          \
    X("scale, structs of f64", 6 * MANY, body_scale(1 + 1e-15, f->bodies[0], f->bodies[1], MANY),                       \
      must(pytree_scale(1 + 1e-15, PYTREE(&f->b[1]), NULL, NULL)))                                                      \
    X("fill, structs of f64", 6 * MANY, body_fill(1.5, f->bodies[0], f->bodies[2], MANY),                               \
      must(pytree_fill(1.5, PYTREE(&f->b[2]), NULL, NULL)))                                                             \
    X("zero, structs of f64", 6 * MANY, body_fill(0, f->bodies[0], f->bodies[2], MANY),                                 \
      must(pytree_zero(PYTREE(&f->b[2]), NULL, NULL)))                                                                  \
    X("dot, structs of f64", 6 * MANY, f->result = body_dot(f->bodies[0], f->bodies[1], MANY),                          \
      must(pytree_dot(PYTREE(&f->b[0]), PYTREE(&f->b[1]), &f->result, NULL, NULL)))                                     \
    X("norm, structs of f64", 6 * MANY, f->result = sqrt(body_dot(f->bodies[0], f->bodies[0], MANY)),                   \
      must(pytree_norm(PYTREE(&f->b[0]), &f->result, NULL, NULL)))                                                      \
    X("axpy, floats beside an int", 7 * MANY, particle_axpy(1e-6f, f->particles[0], f->particles[1], MANY),              \
      must(pytree_axpy(1e-6, PYTREE(&f->q[0]), PYTREE(&f->q[1]), NULL, NULL)))                                          \
    X("lerp, floats beside an int", 7 * MANY, particle_lerp(1e-6f, f->particles[0], f->particles[1], MANY),              \
      must(pytree_lerp(1e-6, PYTREE(&f->q[0]), PYTREE(&f->q[1]), NULL, NULL)))                                          \
    X("scale, floats beside an int", 7 * MANY, particle_scale(1.0000001f, f->particles[0], f->particles[1], MANY),       \
      must(pytree_scale(1.0000001, PYTREE(&f->q[1]), NULL, NULL)))                                                      \
    X("fill, floats beside an int", 7 * MANY, particle_fill(1.5f, f->particles[0], f->particles[1], MANY),              \
      must(pytree_fill(1.5, PYTREE(&f->q[1]), NULL, NULL)))                                                             \
    X("dot, floats beside an int", 7 * MANY, f->result = particle_dot(f->particles[0], f->particles[1], MANY),          \
      must(pytree_dot(PYTREE(&f->q[0]), PYTREE(&f->q[1]), &f->result, NULL, NULL)))                                     \
    X("axpy, one array of f64", 6 * MANY, flat_axpy(1e-9, f->flat[0], f->flat[1], 6 * MANY),                            \
      must(pytree_axpy(1e-9, PYTREE_ARRAY(f->flat[0], 6 * MANY), PYTREE_ARRAY(f->flat[1], 6 * MANY), NULL, NULL)))      \
    X("dot, one array of f64", 6 * MANY, f->result = flat_dot(f->flat[0], f->flat[1], 6 * MANY),                        \
      must(pytree_dot(PYTREE_ARRAY(f->flat[0], 6 * MANY), PYTREE_ARRAY(f->flat[1], 6 * MANY), &f->result, NULL, NULL))) \
    X("step of 50 bodies", 6 * CLUSTER, step_by_hand(f, 1e-4, CLUSTER), step(f, 1e-4, CLUSTER))                         \
    X("step of 5 bodies", 6 * PLANETS, step_by_hand(f, 1e-4, PLANETS), step(f, 1e-4, PLANETS))

static void set_up(Fixture *f)
{
    size_t i, k;
    memset(f, 0, sizeof *f);
    for (k = 0; k < 3; k++) {
        f->b[k] = (Bodies){ MANY, f->bodies[k] };
        f->p[k] = (Bodies){ CLUSTER, f->planets[k] };
        for (i = 0; i < 6 * MANY; i++) { (&f->bodies[k][0].x)[i] = 1 + (double)(i % 7); }
    }
    for (k = 0; k < 2; k++) {
        f->q[k] = (Particles){ MANY, f->particles[k] };
        for (i = 0; i < MANY; i++) { f->particles[k][i] = (Particle){ 1, 2, 3, 4, (int)i, 5, 6, 7 }; }
        for (i = 0; i < 6 * MANY; i++) { f->flat[k][i] = 1 + (double)(i % 7); }
    }
    for (i = 0; i < CLUSTER; i++) {
        f->mass[i] = i == 0 ? 39.5 : 0.01;
        f->planets[0][i] = (Body){ (double)i, 0.1 * (double)i, 0, 0, i == 0 ? 0 : sqrt(39.5 / (double)i), 0 };
    }
}

static const char *const names[] = {
#define X(name, numbers, hand, tree) name,
    OPERATIONS(X)
#undef X
};
enum { CASES = sizeof names / sizeof names[0] };

static size_t run_one(Fixture *f, size_t which, int by_hand)
{
    size_t k = 0;
#define X(name, numbers, hand, tree)                                                                                    \
    if (which == k++) {                                                                                                 \
        if (by_hand) { hand; } else { tree; }                                                                           \
        return numbers;                                                                                                 \
    }
    OPERATIONS(X)
#undef X
    return 0;
}

/* Both ways from the same start give the same numbers. */
static int agree(size_t which)
{
    static Fixture a, b;
    const double *x = (const double *)a.bodies, *y = (const double *)b.bodies;
    size_t i;
    set_up(&a);
    set_up(&b);
    run_one(&a, which, 1);
    run_one(&b, which, 0);
    for (i = 0; i < sizeof a.bodies / sizeof *x; i++) { if (!(fabs(x[i] - y[i]) <= 1e-12 * fabs(x[i]))) { return 0; } }
    x = &a.planets[0][0].x;
    y = &b.planets[0][0].x;
    for (i = 0; i < 6 * CLUSTER; i++) { if (!(fabs(x[i] - y[i]) <= 1e-12 * fabs(x[i]))) { return 0; } }
    for (i = 0; i < MANY; i++) {
        const Particle *p = &a.particles[1][i], *q = &b.particles[1][i];
        if (fabsf(p->x - q->x) > 1e-5f || fabsf(p->vz - q->vz) > 1e-5f || p->id != q->id) { return 0; }
    }
    return fabs(a.result - b.result) <= 1e-10 * fabs(a.result) && failure == NULL;
}

int main(int argc, char **argv)
{
    static Fixture f;
    const int json = argc > 1 && strcmp(argv[1], "--json") == 0;
    const size_t samples = argc > 1 + json ? (size_t)atoi(argv[1 + json]) : 15;
    static double ratios[MAX_SAMPLES], least[2];
    size_t which, i;
    for (which = 0; which < CASES; which++) {
        const size_t numbers = run_one(&f, which, 1);
        if (!agree(which)) {
            fprintf(stderr, "nbody: %s: the results differ%s%s\n", names[which], failure ? ": " : "", failure ? failure : "");
            return 1;
        }
        set_up(&f);
        least[0] = least[1] = 1e9;
        for (i = 0; i < samples && i < MAX_SAMPLES; i++) {
            Measured hand, tree;
            MEASURE(&hand, 1, run_one(&f, which, 1));
            MEASURE(&tree, 1, run_one(&f, which, 0));
            ratios[i] = tree.median / hand.median;
            least[0] = hand.median < least[0] ? hand.median : least[0];
            least[1] = tree.median < least[1] ? tree.median : least[1];
        }
        if (json) {
            printf("{\"name\": \"%s\", \"by_hand\": %.4g, \"pytree\": %.4g, \"ratio\": %.3f}\n", names[which],
                   1e9 * least[0] / (double)numbers, 1e9 * least[1] / (double)numbers, measure_median(ratios, i));
        } else {
            printf("%-28s by hand %7.2f ns a number, pytree %7.2f, ratio %5.2f\n", names[which],
                   1e9 * least[0] / (double)numbers, 1e9 * least[1] / (double)numbers, measure_median(ratios, i));
        }
    }
    return 0;
}
