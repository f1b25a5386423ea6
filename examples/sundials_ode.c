/* sundials_ode.c: SUNDIALS's CVODE integrates a stiff system whose state is a struct of structs.
 *
 *     examples/run sundials_ode                          both ways, beside each other
 *     examples/run sundials_ode tree|serial [CELLS]      one of them, to be measured
 *
 * A catalyst in a tube: three species react and diffuse (the Brusselator of SUNDIALS's own examples, in CELLS cells), the wall
 * takes up heat, and a meter counts what has reacted. The rates are written for structs: no index arithmetic, no list of
 * offsets. The rate constants lie in the state, too, and are excluded from the vector by their role. The same system for
 * nvector_serial, with everything in one array, takes the same steps to the same bits.
 *
 * Build: cc -std=c11 -O2 -I. examples/sundials_ode.c -lsundials_cvode -lsundials_sunlinsolspgmr -lsundials_nvecserial -lm
 * (Debian: libsundials-dev)
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#include "pytree/sundials.h"

#include <cvode/cvode.h>
#include <math.h>
#include <nvector/nvector_serial.h>
#include <stdlib.h>
#include <sunlinsol/sunlinsol_spgmr.h>
#include <time.h>

/* ---- The state ----------------------------------------------------------------------------------------------------- */

PYTREE_ROLE(Constant, Variable);

typedef struct Constants {
    double a, b, epsilon, diffusion, loss;
} Constants;

#define PYTREE_STRUCT Constants
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, epsilon) PYTREE_FIELD(DATA, diffusion)               \
    PYTREE_FIELD(DATA, loss)
#include "pytree_registry.h"

typedef struct Species {
    int n;
    double *u, *v, *w;                    /* concentrations in each cell */
} Species;

#define PYTREE_STRUCT Species
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, u, ARRAY(self->n)) PYTREE_FIELD(DATA, v, ARRAY(self->n))                 \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Wall {
    double inside, outside;               /* temperatures */
} Wall;

#define PYTREE_STRUCT Wall
#define PYTREE_FIELDS PYTREE_FIELD(DATA, inside) PYTREE_FIELD(DATA, outside)
#include "pytree_registry.h"

typedef struct Reactor {
    Constants constants;
    Species species;
    Wall wall;
    double reacted;
} Reactor;

#define PYTREE_STRUCT Reactor
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, constants, ROLE(Constant)) PYTREE_FIELD(DATA, species) PYTREE_FIELD(DATA, wall)                  \
    PYTREE_FIELD(DATA, reacted)
#include "pytree_registry.h"

/* ---- The system ---------------------------------------------------------------------------------------------------- */

static void react(const Constants *k, const Species *now, const Species *rate)
{
    const double diffusion = k->diffusion * (now->n - 1) * (now->n - 1);
    const double *const u = now->u, *const v = now->v, *const w = now->w;
    int i;
    for (i = 1; i + 1 < now->n; i++) {
        const double uuv = v[i] * u[i] * u[i];
        rate->u[i] = (u[i - 1] - 2 * u[i] + u[i + 1]) * diffusion + k->a - (w[i] + 1) * u[i] + uuv;
        rate->v[i] = (v[i - 1] - 2 * v[i] + v[i + 1]) * diffusion + w[i] * u[i] - uuv;
        rate->w[i] = (w[i - 1] - 2 * w[i] + w[i + 1]) * diffusion + (k->b - w[i]) / k->epsilon - w[i] * u[i];
    }
    for (i = 0; i < now->n; i += now->n - 1) { rate->u[i] = rate->v[i] = rate->w[i] = 0; }     /* what flows in and out */
}

static void exchange(const Constants *k, const Reactor *now, Reactor *rate)
{
    const double made = now->species.u[now->species.n / 2] * now->species.w[now->species.n / 2];
    rate->wall.inside = made - k->loss * (now->wall.inside - now->wall.outside);
    rate->wall.outside = k->loss * (now->wall.inside - now->wall.outside) - now->wall.outside;
    rate->reacted = made;
}

/* The rates of a tree's vector. */
static int tree_rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    const Reactor *const now = PYTREE_NVECTOR(Reactor, y);
    Reactor *const rate = PYTREE_NVECTOR(Reactor, ydot);
    (void)t, (void)data;
    react(&now->constants, &now->species, &rate->species);
    exchange(&now->constants, now, rate);
    return 0;
}

/* Let a reactor's pointers lead into an array, as an array needs it, and copy the rest. */
static Reactor reactor_at(const Constants *k, int n, double *at)
{
    Reactor r = { *k, { n, at, at + n, at + 2 * n }, { at[3 * n], at[3 * n + 1] }, at[3 * n + 2] };
    return r;
}

/* The same in one array. */
static int serial_rates(sunrealtype t, N_Vector y, N_Vector ydot, void *data)
{
    const int n = (int)(N_VGetLength(y) / 3 - 1);
    double *const to = N_VGetArrayPointer(ydot);
    const Reactor now = reactor_at((const Constants *)data, n, N_VGetArrayPointer(y));
    Reactor rate = reactor_at((const Constants *)data, n, to);
    (void)t;
    react(&now.constants, &now.species, &rate.species);
    exchange(&now.constants, &now, &rate);
    to[3 * n] = rate.wall.inside;
    to[3 * n + 1] = rate.wall.outside;
    to[3 * n + 2] = rate.reacted;
    return 0;
}

/* ---- Both ways ----------------------------------------------------------------------------------------------------- */

typedef struct Outcome {
    long steps, evaluations;
    double seconds;
} Outcome;

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void stop(const char *what)
{
    fprintf(stderr, "sundials_ode: %s\n", what);
    exit(1);
}

/* Integrate from 0 to 10. SPGMR needs no matrix: it asks for products with the Jacobian, which are differences. */
static Outcome integrate(SUNContext context, N_Vector y, CVRhsFn rates, Constants *k)
{
    const double begin = seconds();
    void *solver = CVodeCreate(CV_BDF, context);
    const SUNLinearSolver linear = SUNLinSol_SPGMR(y, SUN_PREC_NONE, 10, context);
    sunrealtype t = 0;
    Outcome o = { 0 };
    if (solver == NULL || linear == NULL || CVodeInit(solver, rates, 0, y) != CV_SUCCESS
        || CVodeSStolerances(solver, 1e-6, 1e-10) != CV_SUCCESS || CVodeSetUserData(solver, k) != CV_SUCCESS
        || CVodeSetMaxNumSteps(solver, 100000) != CV_SUCCESS || CVodeSetLinearSolver(solver, linear, NULL) != CV_SUCCESS
        || CVode(solver, 10, y, &t, CV_NORMAL) != CV_SUCCESS) {
        stop("CVODE failed; it said why");
    }
    CVodeGetNumSteps(solver, &o.steps);
    CVodeGetNumRhsEvals(solver, &o.evaluations);
    CVodeFree(&solver);
    SUNLinSolFree(linear);
    o.seconds = seconds() - begin;
    return o;
}

static void start(Reactor *r)
{
    int i;
    for (i = 0; i < r->species.n; i++) {
        const double wave = 0.1 * sin(3.141592653589793 * i / (r->species.n - 1));
        r->species.u[i] = r->constants.a + wave;
        r->species.v[i] = r->constants.b / r->constants.a + wave;
        r->species.w[i] = r->constants.b + wave;
    }
    r->wall.inside = r->wall.outside = 1;
}

static void report(const char *name, const Outcome *o)
{
    printf("%-16s %ld steps, %ld evaluations, %.3f s\n", name, o->steps, o->evaluations, o->seconds);
}

int main(int argc, char **argv)
{
    const pytree_filter constants = PYTREE_OF(Constant);
    const pytree_nvector_options options = { .excluded = &constants };
    const bool tree = argc < 2 || strcmp(argv[1], "tree") == 0, serial = argc < 2 || strcmp(argv[1], "serial") == 0;
    const int cells = argc > 2 ? atoi(argv[2]) : 201;
    Reactor reactor = { .constants = { 0.6, 2, 1e-5, 0.001, 0.3 }, .species.n = cells };
    pytree_error err = { 0 };
    SUNContext context;
    N_Vector y, flat;
    Outcome of_tree = { 0 }, of_serial = { 0 };
    double *packed;
    bool same;
    if ((!tree && !serial) || cells < 3 || cells > 1000000) { stop("expected tree or serial, and from 3 to 1000000 cells"); }
    if (SUNContext_Create(NULL, &context) != 0) { stop("no SUNContext"); }
    pytree_allocate(PYTREE(&reactor), NULL, &err);
    y = pytree_nvector_new(PYTREE(&reactor), context, &options, &err);
    if (y == NULL) { pytree_error_print(stderr, &err); return 1; }
    start(&reactor);

    flat = N_VNew_Serial(N_VGetLength(y), context);
    packed = malloc((size_t)N_VGetLength(y) * sizeof *packed);
    if (flat == NULL || packed == NULL) { stop("no memory"); }
    N_VBufPack(y, N_VGetArrayPointer(flat));                   /* the same elements in one array */

    if (tree) { of_tree = integrate(context, y, tree_rates, NULL); }
    if (serial) { of_serial = integrate(context, flat, serial_rates, &reactor.constants); }
    if (tree) { report("struct", &of_tree); }
    if (serial) { report("nvector_serial", &of_serial); }
    N_VBufPack(y, packed);
    same = of_tree.steps == of_serial.steps && of_tree.evaluations == of_serial.evaluations
        && memcmp(packed, N_VGetArrayPointer(flat), (size_t)N_VGetLength(y) * sizeof *packed) == 0;
    if (tree) { printf("reacted: %.12g, wall: %.12g inside\n", reactor.reacted, reactor.wall.inside); }
    if (tree && serial) { printf("the same steps and the same bits: %s\n", same ? "yes" : "no"); }

    free(packed);
    N_VDestroy(y);
    N_VDestroy(flat);
    pytree_free(PYTREE(&reactor));
    SUNContext_Free(&context);
    return tree && serial && !same;
}
