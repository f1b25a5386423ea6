/* adamw.c: AdamW over GPT-2 124M with pytree_map over trees and over their states, and with the same loop over flat arrays.
 *
 *     adamw [--json] [steps]                             4 GB of memory; 15 steps of each
 *
 * Compile with -O3 -march=native -fno-math-errno: a loop with a sqrtf that may set errno is not vectorised. Parameters come
 * from pytree_allocate, gradients and moments from pytree_zeros_like. All versions call the same function on float arrays and
 * take turns, the flat arrays with each of the others; at the end the parameters must be equal.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "measure.h"
#include "pytree/state.h"
#include "trees_build.h"

enum { BLOCKS = 4, MAX_STEPS = 101, TREES = 0, STATES = 1, FLAT = 2, WAYS = 3 };

static const char *const forms[WAYS] = { "struct", "states", "by hand" };

#if defined(__GNUC__)
__attribute__((noinline))
#endif
static void adamw(float *restrict p, const float *restrict g, float *restrict m, float *restrict v, size_t n,
                  float correction_m, float correction_v)
{
    size_t i;
    for (i = 0; i < n; i++) {
        m[i] = 0.9f * m[i] + 0.1f * g[i];
        v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
        p[i] -= 3e-4f * (m[i] * correction_m / (sqrtf(v[i] * correction_v) + 1e-8f) + 0.1f * p[i]);
    }
}

typedef struct Correction { float m, v; } Correction;

static Correction correct(int step)
{
    Correction c;
    c.m = 1.0f / (1.0f - powf(0.9f, (float)step));
    c.v = 1.0f / (1.0f - powf(0.999f, (float)step));
    return c;
}

static pytree_status adamw_leaf(void *context, const pytree_iter *at)
{
    const Correction *c = context;
    const pytree_leaf *const *leaf = at->leaf;
    adamw(leaf[0]->data, leaf[1]->data, leaf[2]->data, leaf[3]->data, pytree_leaf_count(leaf[0]), c->m, c->v);
    return PYTREE_OK;
}

static void stop(const char *what, const pytree_error *err)
{
    fprintf(stderr, "adamw: %s\n", what);
    pytree_error_print(stderr, err);
    exit(1);
}

/* Parameters and gradients to begin with: neither zero nor all alike. */
static float first_value(size_t block, size_t i)
{
    return block == 0 ? 0.01f * (float)(i % 101) - 0.5f : block == 1 ? 0.001f * (float)(i % 7) - 0.003f : 0.0f;
}

static void fill_tree(pytree t, size_t block)
{
    pytree_error err = { 0 };
    pytree_iter it;
    size_t n = 0;
    if (pytree_iter_begin(&it, 1, &t, NULL, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            float *p = it.leaf[0]->data;
            size_t count = pytree_leaf_count(it.leaf[0]), i;
            for (i = 0; i < count; i++, n++) { p[i] = first_value(block, n); }
        }
    }
    pytree_iter_end(&it);
    if (err.status != PYTREE_OK) { stop("fill_tree", &err); }
}

/* Like four blocks of the library: 64-byte alignment, and not all at one offset within a page. */
static float *new_flat(size_t n, size_t block, void **base)
{
    uintptr_t p;
    *base = malloc(n * sizeof(float) + 8192);
    if (*base == NULL) { stop("out of memory", NULL); }
    p = ((uintptr_t)*base + 63) / 64 * 64 + block * 832;
    return (float *)p;
}

static void put_json(const BenchModel *model, const char *form, double median, double least, size_t n)
{
    printf("{\"library\": \"pytree\", \"form\": \"%s\", \"model\": \"%s\", \"op\": \"adamw\", \"ns\": %.0f, "
           "\"least\": %.0f, \"parameters\": %zu}\n", form, model->name, median * 1e9, least * 1e9, n);
}

/* Parameters, gradients and moments: as trees, as states of these, which share their memory, and as flat arrays. */
typedef struct Blocks {
    size_t n;
    pytree trees[BLOCKS], states[BLOCKS];
    pytree_flat flats[BLOCKS];
    void *bases[BLOCKS];
    float *flat[BLOCKS];
} Blocks;

static void set_up(Blocks *b, const BenchModel *model)
{
    static BenchBuilder builder;
    pytree_error err = { 0 };
    size_t i, k;
    memset(&builder, 0, sizeof builder);
    builder.wanted = PYTREE_WANTED;
    b->n = model->bytes / sizeof(float);
    b->trees[0] = model->build(&builder);
    if (pytree_allocate(b->trees[0], NULL, &err) != PYTREE_OK) { stop("pytree_allocate", &err); }
    for (i = 1; i < BLOCKS; i++) {
        b->trees[i] = pytree_zeros_like(b->trees[0], NULL, &err);
        if (b->trees[i].data == NULL) { stop("pytree_zeros_like", &err); }
    }
    for (i = 0; i < BLOCKS; i++) {
        b->flats[i] = pytree_state(b->trees[i], PYTREE_REST, NULL, &err);
        if (b->flats[i].def == NULL) { stop("pytree_state", &err); }
        b->states[i] = PYTREE(&b->flats[i]);
        b->flat[i] = new_flat(b->n, i, &b->bases[i]);
        fill_tree(b->trees[i], i);
        for (k = 0; k < b->n; k++) { b->flat[i][k] = first_value(i, k); }
    }
}

static void clear(Blocks *b)
{
    size_t i;
    for (i = 0; i < BLOCKS; i++) {
        pytree_flat_free(&b->flats[i]);
        pytree_free(b->trees[i]);
        free(b->bases[i]);
    }
}

/* Return the seconds of one step. */
static double take_step(Blocks *b, int way, int step)
{
    Correction c = correct(step);
    pytree_error err = { 0 };
    const double start = measure_now();
    if (way == FLAT) {
        adamw(b->flat[0], b->flat[1], b->flat[2], b->flat[3], b->n, c.m, c.v);
    } else if (pytree_map(adamw_leaf, &c, NULL, BLOCKS, way == TREES ? b->trees : b->states, NULL, &err) != PYTREE_OK) {
        stop("pytree_map", &err);
    }
    return measure_now() - start;
}

static void compare(const Blocks *b)
{
    pytree_error err = { 0 };
    pytree_iter it;
    double worst = 0;
    size_t k = 0;
    if (pytree_iter_begin(&it, 1, b->trees, NULL, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const float *p = it.leaf[0]->data;
            size_t count = pytree_leaf_count(it.leaf[0]), i;
            for (i = 0; i < count; i++, k++) { worst = fmax(worst, fabs((double)p[i] - (double)b->flat[0][k])); }
        }
    }
    pytree_iter_end(&it);
    if (k != b->n || !(worst < 1e-6)) { stop("the results differ", &err); }
}

static void run_model(const BenchModel *model, int steps, bool json)
{
    static double times[WAYS][2 * MAX_STEPS];
    static Blocks b;
    double median[WAYS];
    int step, way;
    set_up(&b, model);
    /* Steps below 1 only warm up. Whether the flat arrays or the others go first alternates. */
    for (step = -1; step <= steps; step++) {
        for (way = TREES; way < FLAT; way++) {
            const int number = 2 * (step + 1) + way + 1, first = step % 2 == 0 ? way : FLAT;
            const double took = take_step(&b, first, number), other = take_step(&b, way + FLAT - first, number);
            if (step < 1) { continue; }
            times[way][step - 1] = first == way ? took : other;
            times[FLAT][2 * (step - 1) + way] = first == way ? other : took;
        }
    }
    for (way = 0; way < WAYS; way++) {
        median[way] = measure_median(times[way], (size_t)steps * (way == FLAT ? 2 : 1));   /* sorts them, too */
    }
    compare(&b);
    for (way = 0; way < WAYS; way++) {
        if (json) { put_json(model, forms[way], median[way], times[way][0], b.n); }
        else {
            printf("%-12s %-8s %.4f ns per parameter, ratio to flat arrays %.3f (of the fastest steps %.3f)\n", model->name,
                   forms[way], median[way] * 1e9 / (double)b.n, median[way] / median[FLAT], times[way][0] / times[FLAT][0]);
        }
    }
    fflush(stdout);
    clear(&b);
}

int main(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int steps = argc > (json ? 2 : 1) ? atoi(argv[json ? 2 : 1]) : 15;
    if (steps < 1 || steps > MAX_STEPS) {
        fprintf(stderr, "usage: adamw [--json] [steps, 1 to %d]\n", MAX_STEPS);
        return 2;
    }
    run_model(&bench_models[BENCH_GPT2_LAYERS], steps, json);
    run_model(&bench_models[BENCH_GPT2_LLMC], steps, json);
    return 0;
}
