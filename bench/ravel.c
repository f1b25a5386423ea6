/* ravel.c: all numbers of ResNet-50 in one vector and back, and arithmetic over trees, beside loops written by hand.
 *
 *     ravel [--json] [samples]                           400 MB of memory; 15 samples of each
 *
 * Compile with -O2, link with -lm. By hand: one memcpy for each array, its address and size taken from a list made before, and
 * a conversion for the 53 int64_t counters among the leaves; for arithmetic one plain loop over a flat array. Both ways take
 * turns, so that whatever else the machine does hits both, and their results are compared first.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include <math.h>

#include "pytree/ravel.h"

#include "measure.h"
#include "trees_build.h"

enum { MAX_LEAVES = 1024, MAX_SAMPLES = 101 };

typedef struct Fixture {
    pytree tree;                          /* arrays from pytree_allocate: 64-byte alignment, counters in the structs */
    pytree floats, other;                 /* a list of only its float arrays, and a second such list */
    pytree run;                           /* a model whose arrays leave no gaps */
    pytree_leaf leaves[MAX_LEAVES], views[2][MAX_LEAVES];
    pytree values[2][MAX_LEAVES];
    pytree_items items[2];
    size_t n_leaves, n_floats, n;
    float *flat, *by_hand, *second;
    double result;
} Fixture;

static void stop(const char *what, const pytree_error *err)
{
    fprintf(stderr, "ravel: %s\n", what);
    pytree_error_print(stderr, err);
    exit(1);
}

#if defined(__GNUC__)
#define NOINLINE __attribute__((noinline))
#else
#define NOINLINE
#endif

static NOINLINE void ravel_by_hand(Fixture *f)
{
    float *to = f->by_hand;
    size_t i;
    for (i = 0; i < f->n_leaves; i++) {
        const pytree_leaf *leaf = &f->leaves[i];
        if (leaf->type->dtype == PYTREE_I64) {
            *to++ = (float)*(const int64_t *)leaf->data;
        } else {
            const size_t n = pytree_leaf_count(leaf);
            memcpy(to, leaf->data, n * sizeof(float));
            to += n;
        }
    }
}

static void ravel(Fixture *f)
{
    pytree_leaf v = PYTREE_VECTOR(f->flat, f->n);
    pytree_error err = { 0 };
    if (pytree_ravel(f->tree, &v, NULL, &err) != PYTREE_OK) { stop("pytree_ravel", &err); }
}

static NOINLINE void unravel_by_hand(Fixture *f)
{
    const float *from = f->by_hand;
    size_t i;
    for (i = 0; i < f->n_leaves; i++) {
        const pytree_leaf *leaf = &f->leaves[i];
        if (leaf->type->dtype == PYTREE_I64) {
            *(int64_t *)leaf->data = (int64_t)*from++;
        } else {
            const size_t n = pytree_leaf_count(leaf);
            memcpy(leaf->data, from, n * sizeof(float));
            from += n;
        }
    }
}

static void unravel(Fixture *f)
{
    const pytree_leaf v = PYTREE_VECTOR(f->flat, f->n);
    pytree_error err = { 0 };
    if (pytree_unravel(&v, f->tree, NULL, &err) != PYTREE_OK) { stop("pytree_unravel", &err); }
}

static NOINLINE void axpy_by_hand(Fixture *f)
{
    float *restrict y = f->by_hand;
    const float *restrict x = f->second;
    size_t i;
    for (i = 0; i < f->n_floats; i++) { y[i] += 1e-3f * x[i]; }
}

static void axpy(Fixture *f)
{
    pytree_error err = { 0 };
    if (pytree_axpy(1e-3, f->other, f->floats, NULL, &err) != PYTREE_OK) { stop("pytree_axpy", &err); }
}

static NOINLINE void dot_by_hand(Fixture *f)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < f->n_floats; i++) { sum += (double)f->by_hand[i] * (double)f->second[i]; }
    f->result = sum;
}

static void dot(Fixture *f)
{
    pytree_error err = { 0 };
    if (pytree_dot(f->floats, f->other, &f->result, NULL, &err) != PYTREE_OK) { stop("pytree_dot", &err); }
}

static NOINLINE void norm_by_hand(Fixture *f)
{
    double sum = 0;
    size_t i;
    for (i = 0; i < f->n_floats; i++) { sum += (double)f->by_hand[i] * (double)f->by_hand[i]; }
    f->result = sqrt(sum);
}

static void norm(Fixture *f)
{
    pytree_error err = { 0 };
    if (pytree_norm(f->floats, &f->result, NULL, &err) != PYTREE_OK) { stop("pytree_norm", &err); }
}

static void *reserve(size_t bytes)
{
    void *p = malloc(bytes);
    if (p == NULL) { stop("out of memory", NULL); }
    memset(p, 0, bytes);
    return p;
}

/* The float arrays of a model's leaves as a list. */
static pytree list_of_floats(Fixture *f, int which, const pytree_leaf *leaves)
{
    pytree t;
    size_t i, n = 0;
    for (i = 0; i < f->n_leaves; i++) {
        if (leaves[i].type->dtype == PYTREE_F32) {
            f->views[which][n] = leaves[i];
            f->values[which][n] = pytree_of_view(&f->views[which][n]);
            n++;
        }
    }
    f->items[which].count = n;
    f->items[which].items = f->values[which];
    t.type = &pytree_types[PYTREE__T_list];
    t.data = &f->items[which];
    return t;
}

static pytree build(int model, BenchBuilder *builder)
{
    pytree_error err = { 0 };
    pytree t;
    builder->wanted = PYTREE_WANTED;
    t = bench_models[model].build(builder);
    if (pytree_allocate(t, NULL, &err) != PYTREE_OK) { stop("pytree_allocate", &err); }
    return t;
}

static void prepare(Fixture *f)
{
    static BenchBuilder builders[2];
    pytree_error err = { 0 };
    pytree_leaf v, others[MAX_LEAVES];
    size_t i, k;
    f->tree = build(BENCH_RESNET50, &builders[0]);
    f->run = build(BENCH_GPT2_LLMC, &builders[1]);
    if (pytree_leaves(f->tree, f->leaves, MAX_LEAVES, &f->n_leaves, NULL, &err) != PYTREE_OK
        || pytree_ravel_shape(f->tree, &v, NULL, &err) != PYTREE_OK) { stop("the tree", &err); }
    f->n = v.shape[0];
    f->flat = reserve(f->n * sizeof(float));
    f->by_hand = reserve(f->n * sizeof(float));
    f->second = reserve(f->n * sizeof(float));
    for (i = 0; i < f->n_leaves; i++) {
        others[i] = f->leaves[i];
        if (others[i].type->dtype != PYTREE_F32) {
            *(int64_t *)f->leaves[i].data = (int64_t)i;
            continue;
        }
        others[i].data = f->second + f->n_floats;
        for (k = 0; k < pytree_leaf_count(&others[i]); k++, f->n_floats++) {
            ((float *)f->leaves[i].data)[k] = 0.01f * (float)(f->n_floats % 101) - 0.5f;
            f->second[f->n_floats] = 0.001f * (float)(f->n_floats % 7) - 0.003f;
        }
    }
    f->floats = list_of_floats(f, 0, f->leaves);
    f->other = list_of_floats(f, 1, others);
    ravel(f);
    ravel_by_hand(f);
    if (memcmp(f->flat, f->by_hand, f->n * sizeof(float)) != 0) { stop("pytree_ravel gives another vector", NULL); }
}

static void report(const char *op, const char *unit, double scale, double *library, double *by_hand, size_t samples, bool json)
{
    const double mine = measure_median(library, samples), theirs = measure_median(by_hand, samples);
    if (json) {
        printf("{\"library\": \"pytree\", \"form\": \"struct\", \"model\": \"ResNet50\", \"op\": \"%s\", \"ns\": %.0f}\n"
               "{\"library\": \"pytree\", \"form\": \"by hand\", \"model\": \"ResNet50\", \"op\": \"%s\", \"ns\": %.0f}\n",
               op, mine * 1e9, op, theirs * 1e9);
    } else {
        printf("%-12s %8.3f %s, by hand %8.3f, ratio %.3f (of the fastest %.3f)\n", op, mine * scale, unit, theirs * scale,
               mine / theirs, library[0] / by_hand[0]);
    }
}

typedef void Run(Fixture *f);

static void compare(Fixture *f, const char *op, Run *library, Run *by_hand, size_t samples, bool json)
{
    double mine[MAX_SAMPLES], theirs[MAX_SAMPLES], start;
    size_t i;
    library(f);
    by_hand(f);
    for (i = 0; i < 2 * samples; i++) {   /* each goes first every other time */
        const bool first = (i % 2 == 0) == (i / 2 % 2 == 0);
        start = measure_now();
        (first ? library : by_hand)(f);
        (first ? mine : theirs)[i / 2] = measure_now() - start;
    }
    report(op, "ms", 1e3, mine, theirs, samples, json);
}

int main(int argc, char **argv)
{
    static Fixture f;
    const bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    const int samples = argc > (json ? 2 : 1) ? atoi(argv[json ? 2 : 1]) : 15;
    Measured measured;
    if (samples < 1 || samples > MAX_SAMPLES) {
        fprintf(stderr, "usage: ravel [--json] [samples, 1 to %d]\n", MAX_SAMPLES);
        return 2;
    }
    prepare(&f);
    compare(&f, "ravel", ravel, ravel_by_hand, (size_t)samples, json);
    compare(&f, "unravel", unravel, unravel_by_hand, (size_t)samples, json);
    compare(&f, "axpy", axpy, axpy_by_hand, (size_t)samples, json);
    compare(&f, "dot", dot, dot_by_hand, (size_t)samples, json);
    compare(&f, "norm", norm, norm_by_hand, (size_t)samples, json);
    MEASURE(&measured, (size_t)samples, pytree_contiguous(f.run, 0, NULL, NULL, NULL));
    if (!pytree_contiguous(f.run, 0, NULL, NULL, NULL)) { stop("pytree_contiguous finds gaps", NULL); }
    if (!json) {
        printf("contiguous   %8.3f us for %s, where it spares the copy\n", measured.median * 1e6,
               bench_models[BENCH_GPT2_LLMC].name);
    }
    return 0;
}
