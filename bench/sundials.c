/* sundials.c: operations on vectors of trees, beside nvector_serial and loops written by hand.
 *
 *     sundials [--json] [samples]                        15 samples of each
 *
 * Compile with -O2, link with -lsundials_nvecserial -lm. By hand: the same operation as a plain loop over one array, compiled
 * like the library's. The trees: arrays in structs; bodies whose numbers lie side by side; bodies with a number between them
 * that is no element, so that each is two pieces. All take turns, and the results are compared first.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#include "pytree/sundials.h"

#include <math.h>
#include <nvector/nvector_serial.h>

#include "measure.h"

enum { MAX_SAMPLES = 101, MANY = 1000, SUMMANDS = 5, WAYS = 3, TREES = 3 };

typedef struct Arrays { size_t n; double *u, *v, *w; } Arrays;
#define PYTREE_STRUCT Arrays
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, u, ARRAY(self->n)) PYTREE_FIELD(DATA, v, ARRAY(self->n))                 \
    PYTREE_FIELD(DATA, w, ARRAY(4 * self->n))
#include "pytree_registry.h"

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

typedef struct Charge { double x, y, z; int id; double vx, vy, vz; } Charge;
#define PYTREE_STRUCT Charge
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z) PYTREE_FIELD(STATIC, id)                          \
    PYTREE_FIELD(DATA, vx) PYTREE_FIELD(DATA, vy) PYTREE_FIELD(DATA, vz)
#include "pytree_registry.h"

typedef struct Charges { size_t n; Charge *all; } Charges;
#define PYTREE_STRUCT Charges
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, all, LIST(self->n))
#include "pytree_registry.h"

typedef struct Fixture {
    N_Vector v[TREES][SUMMANDS + 1], serial[SUMMANDS + 1];
    double *at[SUMMANDS + 1];
    double result[2], factors[SUMMANDS];
} Fixture;

#if defined(__GNUC__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif

static NOINLINE void linear_sum(double a, const double *x, double b, const double *y, double *z, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { z[i] = a * x[i] + b * y[i]; }
}

static NOINLINE void scale(double a, const double *x, double *z, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { z[i] = a * x[i]; }
}

static NOINLINE double dot(const double *x, const double *y, size_t n)
{
    double s = 0;
    size_t i;
    for (i = 0; i < n; i++) { s += x[i] * y[i]; }
    return s;
}

static NOINLINE double wrms(const double *x, const double *w, size_t n)
{
    double s = 0;
    size_t i;
    for (i = 0; i < n; i++) { s += x[i] * w[i] * (x[i] * w[i]); }
    return sqrt(s / (double)n);
}

static NOINLINE void combination(const double *c, double *const *x, double *z, size_t n)
{
    size_t i, j;
    for (i = 0; i < n; i++) {
        double s = c[0] * x[0][i];
        for (j = 1; j < SUMMANDS; j++) { s += c[j] * x[j][i]; }
        z[i] = s;
    }
}

/* name, by hand over arrays p of n numbers, and by vectors v */
#define OPERATIONS(X)                                                                                                   \
    X("N_VLinearSum", linear_sum(1.5, p[0], 0.25, p[1], p[5], n), N_VLinearSum(1.5, v[0], 0.25, v[1], v[5]))            \
    X("N_VScale", scale(1.5, p[0], p[5], n), N_VScale(1.5, v[0], v[5]))                                                 \
    X("N_VDotProd", f->result[0] = dot(p[0], p[1], n), f->result[1] = N_VDotProd(v[0], v[1]))                           \
    X("N_VWrmsNorm", f->result[0] = wrms(p[0], p[1], n), f->result[1] = N_VWrmsNorm(v[0], v[1]))                        \
    X("N_VLinearCombination", combination(f->factors, p, p[5], n), N_VLinearCombination(SUMMANDS, f->factors, v, v[5]))

static const char *const names[] = {
#define X(name, hand, vectors) name,
    OPERATIONS(X)
#undef X
};
enum { CASES = sizeof names / sizeof names[0] };
static const char *const trees[TREES] = { "arrays", "bodies", "bodies in two pieces" };

static int run_one(Fixture *f, size_t which, N_Vector *v)
{
    double *const *const p = f->at;
    const size_t n = (size_t)6 * MANY;
    size_t k = 0;
#define X(name, hand, vectors) if (which == k++) { if (v == NULL) { hand; } else { vectors; } }
    OPERATIONS(X)
#undef X
    return 1;
}

static void stop(const char *what)
{
    fprintf(stderr, "sundials: %s\n", what);
    exit(1);
}

static void set_up(Fixture *f, SUNContext context)
{
    static Arrays arrays = { .n = MANY };
    static Bodies bodies = { .n = MANY };
    static Charges charges = { .n = MANY };
    const pytree t[TREES] = { PYTREE(&arrays), PYTREE(&bodies), PYTREE(&charges) };
    size_t i, k, m;
    for (k = 0; k <= SUMMANDS; k++) {
        f->serial[k] = N_VNew_Serial(6 * MANY, context);
        f->at[k] = N_VGetArrayPointer(f->serial[k]);
        for (i = 0; i < 6 * MANY; i++) { f->at[k][i] = 1 + (double)((i + k) % 7); }
    }
    for (k = 0; k < SUMMANDS; k++) { f->factors[k] = 1.0 / (double)(k + 3); }
    for (m = 0; m < TREES; m++) {
        if (pytree_allocate(t[m], NULL, NULL) != PYTREE_OK) { stop("no memory"); }
        f->v[m][0] = pytree_nvector_new(t[m], context, NULL, NULL);
        if (f->v[m][0] == NULL) { stop("no vector"); }
        for (k = 1; k <= SUMMANDS; k++) { f->v[m][k] = N_VClone(f->v[m][0]); }
        N_VDestroy(f->v[m][0]);           /* all are clones, as in a solver */
        f->v[m][0] = N_VClone(f->v[m][1]);
        for (k = 0; k <= SUMMANDS; k++) { N_VBufUnpack(f->v[m][k], f->at[k]); }
    }
}

/* Both ways give the same bits. */
static bool agree(Fixture *f, size_t which, N_Vector *v)
{
    static double packed[6 * MANY];
    run_one(f, which, NULL);
    run_one(f, which, v);
    N_VBufPack(v[SUMMANDS], packed);
    return memcmp(packed, f->at[SUMMANDS], sizeof packed) == 0
        && memcmp(&f->result[0], &f->result[1], sizeof f->result[0]) == 0;
}

int main(int argc, char **argv)
{
    static Fixture f;
    const int json = argc > 1 && strcmp(argv[1], "--json") == 0;
    const size_t samples = argc > 1 + json ? (size_t)atoi(argv[1 + json]) : 15;
    static double ratios[WAYS][MAX_SAMPLES];
    SUNContext context;
    size_t m, which, i;
    if (SUNContext_Create(NULL, &context) != 0) { stop("no SUNContext"); }
    set_up(&f, context);
    for (m = 0; m < TREES; m++) {
        for (which = 0; which < CASES; which++) {
            double least[WAYS] = { 1e9, 1e9, 1e9 };
            size_t way;
            if (!agree(&f, which, f.v[m])) { stop("the results differ"); }
            for (i = 0; i < samples && i < MAX_SAMPLES; i++) {
                Measured took[WAYS];
                MEASURE(&took[0], 1, run_one(&f, which, NULL));
                MEASURE(&took[1], 1, run_one(&f, which, f.serial));
                MEASURE(&took[2], 1, run_one(&f, which, f.v[m]));
                for (way = 0; way < WAYS; way++) {
                    ratios[way][i] = took[2].median / took[way].median;
                    least[way] = took[way].median < least[way] ? took[way].median : least[way];
                }
            }
            for (way = 0; way < WAYS; way++) { least[way] *= 1e9 / (6.0 * MANY); }
            printf(json ? "{\"name\": \"%s\", \"tree\": \"%s\", \"by_hand\": %.4g, \"serial\": %.4g, \"pytree\": %.4g, "
                          "\"ratio\": %.3f, \"ratio_serial\": %.3f}\n"
                        : "%-21s %-20s by hand %5.2f ns a number, nvector_serial %5.2f, pytree %5.2f, ratios %5.2f, %5.2f\n",
                   names[which], trees[m], least[0], least[1], least[2], measure_median(ratios[0], i),
                   measure_median(ratios[1], i));
        }
    }
    return 0;
}
