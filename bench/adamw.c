/* adamw.c: AdamW over GPT-2 124M with pytree_map, and with the same loop over flat arrays.
 *
 *     adamw [--json] [steps]                             4 GB of memory; 15 steps of each
 *
 * Compile with -O3 -march=native -fno-math-errno: a loop with a sqrtf that may set errno is not vectorised. Parameters come
 * from pytree_allocate, gradients and moments from pytree_zeros_like. Both versions call the same function on float arrays and
 * take turns; at the end their parameters must be equal.
 */
#define _POSIX_C_SOURCE 200809L

#include <math.h>

#include "measure.h"
#include "trees_build.h"

enum { BLOCKS = 4, MAX_STEPS = 101 };

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

static void run_model(const BenchModel *model, int steps, bool json)
{
    static BenchBuilder builder;
    pytree_error err = { 0 };
    pytree trees[BLOCKS];
    void *bases[BLOCKS];
    float *flat[BLOCKS];
    double tree_times[MAX_STEPS], flat_times[MAX_STEPS], tree_median, flat_median, worst = 0;
    size_t n = model->bytes / sizeof(float), i, k = 0;
    pytree_iter it;
    int step;

    memset(&builder, 0, sizeof builder);
    builder.wanted = PYTREE_WANTED;
    trees[0] = model->build(&builder);
    if (pytree_allocate(trees[0], NULL, &err) != PYTREE_OK) { stop("pytree_allocate", &err); }
    for (i = 1; i < BLOCKS; i++) {
        trees[i] = pytree_zeros_like(trees[0], NULL, &err);
        if (trees[i].data == NULL) { stop("pytree_zeros_like", &err); }
    }
    for (i = 0; i < BLOCKS; i++) {
        flat[i] = new_flat(n, i, &bases[i]);
        fill_tree(trees[i], i);
        for (k = 0; k < n; k++) { flat[i][k] = first_value(i, k); }
    }

    /* Steps below 1 only warm up. Which of the two goes first alternates. */
    for (step = -1; step <= steps; step++) {
        Correction c = correct(step + 2);
        int turn;
        for (turn = 0; turn < 2; turn++) {
            double start = measure_now(), took;
            bool library = (turn == 0) == (step % 2 == 0);
            if (library) {
                if (pytree_map(adamw_leaf, &c, NULL, BLOCKS, trees, NULL, &err) != PYTREE_OK) { stop("pytree_map", &err); }
            } else {
                adamw(flat[0], flat[1], flat[2], flat[3], n, c.m, c.v);
            }
            took = measure_now() - start;
            if (step >= 1) { (library ? tree_times : flat_times)[step - 1] = took; }
        }
    }
    tree_median = measure_median(tree_times, (size_t)steps);
    flat_median = measure_median(flat_times, (size_t)steps);

    k = 0;
    if (pytree_iter_begin(&it, 1, trees, NULL, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const float *p = it.leaf[0]->data;
            size_t count = pytree_leaf_count(it.leaf[0]);
            for (i = 0; i < count; i++, k++) { worst = fmax(worst, fabs((double)p[i] - (double)flat[0][k])); }
        }
    }
    pytree_iter_end(&it);
    if (k != n || !(worst < 1e-6)) { stop("the two results differ", &err); }

    if (json) {
        put_json(model, "struct", tree_median, tree_times[0], n);
        put_json(model, "by hand", flat_median, flat_times[0], n);
    } else {
        printf("%-12s pytree_map %.4f ns per parameter, flat arrays %.4f, ratio %.3f (of the fastest steps %.3f)\n",
               model->name, tree_median * 1e9 / (double)n, flat_median * 1e9 / (double)n, tree_median / flat_median,
               tree_times[0] / flat_times[0]);
    }
    fflush(stdout);
    for (i = 0; i < BLOCKS; i++) {
        pytree_free(trees[i]);
        free(bases[i]);
    }
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
