/* transforms.c: the cost of transforms beyond the functions that they call, beside loops by hand, and their allocations.
 *
 *     transforms [--samples 25]
 *
 * The functions add numbers and are called through a pointer in both. Elements and steps are those of arrays of 1000 numbers,
 * so that memory costs nothing; "per" says by what a time is divided. Compile with -O2 and link with -lm.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/cache.h"
#include "pytree/transform.h"

#include "measure.h"

enum { N = 1000, LAYERS = 100 };

typedef struct Layer { int n; float *w, *b; } Layer;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))                                                                               \
    PYTREE_FIELD(DATA, b, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Model { int n; Layer *layers; } Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layers, LIST(self->n))
#include "pytree_registry.h"

static float a[N], b[N], c[N], d[N], y[N], carry, last;

/* ---- Functions, and the same by hand ------------------------------------------------------------------------------------- */

static pytree_status plus_one(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[0] + 1;
    return PYTREE_OK;
}

static pytree_status sum_of_four(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[0] + *(const float *)at->arg[1] + *(const float *)at->arg[2]
                           + *(const float *)at->arg[3];
    return PYTREE_OK;
}

static pytree_status running_sum(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[0] + *(const float *)at->arg[1];
    *(float *)at->res[1] = *(float *)at->res[0];
    return PYTREE_OK;
}

static pytree_status layer_sum(void *context, const pytree_call *at)
{
    const Layer *layer = at->arg[0];
    (void)context;
    *(float *)at->res[0] = layer->w[0] + layer->b[0];
    return PYTREE_OK;
}

static pytree_status ignores(void *context, const pytree_call *at)
{
    (void)context;
    (void)at;
    return PYTREE_OK;
}

static const pytree_fn one = { .name = "one", .call = plus_one }, four = { .name = "four", .call = sum_of_four },
    sums = { .name = "sums", .call = running_sum }, nothing = { .name = "nothing", .call = ignores },
    layers = { .name = "layers", .call = layer_sum, .takes = PYTREE_TYPES(PYTREE_TYPE(Layer)) };

typedef void by_hand_one(const float *x, float *out);
static void hand_one(const float *x, float *out) { *out = *x + 1; }
static by_hand_one *volatile hand_one_pointer = hand_one;

typedef void by_hand_sum(const float *in, const float *x, float *out, float *end);
static void hand_sum(const float *in, const float *x, float *out, float *end) { *end = *out = *in + *x; }
static by_hand_sum *volatile hand_sum_pointer = hand_sum;

static uint64_t map_by_hand(void)
{
    by_hand_one *const f = hand_one_pointer;
    for (size_t i = 0; i < N; i++) { f(&a[i], &y[i]); }
    return 1;
}

static uint64_t scan_by_hand(void)
{
    by_hand_sum *const f = hand_sum_pointer;
    float states[2] = { 0, 0 };
    for (size_t i = 0; i < N; i++) { f(&states[i % 2], &a[i], &y[i], &states[(i + 1) % 2]); }
    return states[0] > 0;
}

/* ---- Measuring ----------------------------------------------------------------------------------------------------------- */

static size_t allocations;
static pytree_allocator counting = { measure_resize, &allocations };
static size_t samples = 25;

static uint64_t must(pytree_status status)
{
    if (status != PYTREE_OK) { exit(1); }
    return 1;
}

static void row(const char *what, const char *per, double times, Measured m, size_t allocated)
{
    printf("| %-44s | %-8s | %10.2f | %11zu |\n", what, per, 1e9 * m.median / times, allocated);
}

static void prepared_row(const char *what, const char *per, double times, const pytree_fn *f, size_t n, const pytree *args,
                         pytree out)
{
    const pytree_fn_options options = { .tree = { .allocator = &counting } };
    pytree_error err = { 0 };
    pytree_prepared *p = pytree_prepare(f, n, args, out, &options, &err);
    Measured m;
    size_t before = allocations;
    if (p == NULL) {
        pytree_error_print(stderr, &err);
        exit(1);
    }
    must(pytree_run(p, &err));
    before = allocations - before;
    MEASURE(&m, samples, must(pytree_run(p, &err)));
    row(what, per, times, m, before);
    pytree_prepared_free(p);
}

static void apply_row(const char *what, const pytree_fn *f, size_t n, const pytree *args, pytree out)
{
    const pytree_fn_options options = { .tree = { .allocator = &counting } };
    Measured m;
    const size_t before = allocations;
    size_t allocated;
    must(pytree_apply(f, n, args, out, &options, NULL));
    allocated = allocations - before;
    MEASURE(&m, samples, must(pytree_apply(f, n, args, out, NULL, NULL)));
    row(what, "call", 1, m, allocated);
}

static pytree_status make(void *context, const pytree_flat *key, void **value, pytree_error *err)
{
    (void)key;
    (void)err;
    *value = context;
    return PYTREE_OK;
}

static void cache_row(const char *what, pytree key)
{
    const pytree_cache_options options = { .tree = { .allocator = &counting } };
    pytree_cache *cache = pytree_cache_new(&options, NULL);
    Measured m;
    size_t before;
    must(pytree_cache_get(cache, key, make, cache, NULL) == NULL);
    before = allocations;
    must(pytree_cache_get(cache, key, make, cache, NULL) == NULL);
    before = allocations - before;
    MEASURE(&m, samples, pytree_cache_get(cache, key, make, cache, NULL) != NULL);
    row(what, "call", 1, m, before);
    pytree_cache_free(cache);
}

int main(int argc, char **argv)
{
    static Layer many[LAYERS];
    Model model = { LAYERS, many };
    Layer each = { 1, a, b };
    pytree_leaf columns[2] = { { .data = a, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { N, 1 } },
                               { .data = b, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { N, 1 } } };
    pytree_def *def = pytree_structure(PYTREE(&each), NULL, NULL);
    pytree_flat stacked = { def, columns };
    const pytree x = PYTREE_ARRAY(a, N), out = PYTREE_ARRAY(y, N), numbers[2] = { PYTREE(&carry), PYTREE(&a[0]) };
    const pytree four_arrays[4] = { x, PYTREE_ARRAY(b, N), PYTREE_ARRAY(c, N), PYTREE_ARRAY(d, N) };
    const pytree structs[1] = { PYTREE(&stacked) }, steps[2] = { PYTREE(&carry), x }, whole[1] = { PYTREE(&model) };
    const pytree both = PYTREE_TUPLE(PYTREE(&last), out), pair = PYTREE_TUPLE(numbers[0], numbers[1]);
    Measured m;
    if (argc == 3 && strcmp(argv[1], "--samples") == 0) { samples = strtoul(argv[2], NULL, 10); }
    for (int i = 0; i < LAYERS; i++) { many[i] = (Layer){ 5, a + 10 * i, a + 10 * i + 5 }; }
    printf("| %-44s | %-8s | %10s | %11s |\n|:%.44s-|:%.8s-|%.10s-:|%.11s-:|\n", "what", "per", "ns", "allocations",
           "--------------------------------------------", "--------", "-----------", "------------");
    MEASURE(&m, samples, map_by_hand());
    row("by hand: 1 + 1 leaves", "element", N, m, 0);
    prepared_row("vmap: 1 + 1 leaves", "element", N, PYTREE_VMAP(&one), 1, &x, out);
    prepared_row("vmap: 4 + 1 leaves", "element", N, PYTREE_VMAP(&four), 4, four_arrays, out);
    prepared_row("vmap: a struct of 2 leaves, rebuilt", "element", N, PYTREE_VMAP(&layers), 1, structs, out);
    MEASURE(&m, samples, scan_by_hand());
    row("by hand: scan, 1 carry, x, y", "step", N, m, 0);
    prepared_row("scan: 1 carry, x, y", "step", N, PYTREE_SCAN(&sums), 2, steps, both);
    prepared_row("run of a prepared function", "call", 1, &one, 1, numbers, PYTREE(&last));
    apply_row("apply: 2 leaves", &one, 1, numbers + 1, PYTREE(&last));
    apply_row("apply: 200 leaves in structs", &nothing, 1, whole, PYTREE_NONE);
    apply_row("apply: vmap of 1 + 1 leaves", PYTREE_VMAP(&one), 1, (pytree[1]){ PYTREE_ARRAY(a, 1) }, PYTREE_ARRAY(y, 1));
    cache_row("cache hit: 2 leaves", pair);
    cache_row("cache hit: 200 leaves in structs", whole[0]);
    pytree_def_free(def);
    return 0;
}
