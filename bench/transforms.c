/* transforms.c: the cost of transforms beyond the functions that they call, beside loops by hand, and their allocations.
 *
 *     transforms [--samples 25]              JSON lines (rows.h), of which transforms_peer.py makes a table
 *
 * The functions add numbers and are called through a pointer in both. Elements and steps are those of arrays of 1000 numbers,
 * so that memory costs nothing; "per" says by what a time is divided. Compile with -O2 and link with -lm.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/cache.h"
#include "pytree/transform.h"

#include "rows.h"

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

static pytree_status still_on(void *context, const pytree_call *at)
{
    (void)context;
    *(bool *)at->res[0] = *(const float *)at->arg[0] >= 0;
    return PYTREE_OK;
}

static pytree_status numbered(void *context, const pytree_call *at)
{
    (void)context;
    *(float *)at->res[0] = *(const float *)at->arg[1] + 1;
    return PYTREE_OK;
}

static const pytree_fn one = { .name = "one", .call = plus_one }, four = { .name = "four", .call = sum_of_four },
    sums = { .name = "sums", .call = running_sum }, nothing = { .name = "nothing", .call = ignores },
    always = { .name = "always", .call = still_on }, next = { .name = "next", .call = numbered },
    layers = { .name = "layers", .call = layer_sum, .takes = PYTREE_TYPES(PYTREE_TYPE(Layer)) };

typedef void by_hand_one(const float *x, float *out);
static void hand_one(const float *x, float *out) { *out = *x + 1; }
static by_hand_one *volatile hand_one_pointer = hand_one;

typedef void by_hand_four(const float *const *x, float *out);
static void hand_four(const float *const *x, float *out) { *out = *x[0] + *x[1] + *x[2] + *x[3]; }
static by_hand_four *volatile hand_four_pointer = hand_four;

typedef void by_hand_layer(const Layer *layer, float *out);
static void hand_layer(const Layer *layer, float *out) { *out = layer->w[0] + layer->b[0]; }
static by_hand_layer *volatile hand_layer_pointer = hand_layer;

typedef void by_hand_sum(const float *in, const float *x, float *out, float *end);
static void hand_sum(const float *in, const float *x, float *out, float *end) { *end = *out = *in + *x; }
static by_hand_sum *volatile hand_sum_pointer = hand_sum;

static uint64_t map_by_hand(void)
{
    by_hand_one *const f = hand_one_pointer;
    for (size_t i = 0; i < N; i++) { f(&a[i], &y[i]); }
    return 1;
}

static uint64_t map_four_by_hand(void)
{
    by_hand_four *const f = hand_four_pointer;
    for (size_t i = 0; i < N; i++) { f((const float *const[4]){ &a[i], &b[i], &c[i], &d[i] }, &y[i]); }
    return 1;
}

static uint64_t map_layers_by_hand(void)
{
    by_hand_layer *const f = hand_layer_pointer;
    for (size_t i = 0; i < N; i++) { f(&(Layer){ 1, &a[i], &b[i] }, &y[i]); }
    return 1;
}

static uint64_t scan_by_hand(void)
{
    by_hand_sum *const f = hand_sum_pointer;
    float states[2] = { 0, 0 };
    for (size_t i = 0; i < N; i++) { f(&states[i % 2], &a[i], &states[(i + 1) % 2], &y[i]); }
    return states[0] > 0;
}

static uint64_t loop_by_hand(void)
{
    by_hand_one *const f = hand_one_pointer;
    float states[2] = { 0, 0 };
    for (size_t i = 0; i < N; i++) { f(&states[i % 2], &states[(i + 1) % 2]); }
    return states[0] > 0;
}

/* ---- Measuring ----------------------------------------------------------------------------------------------------------- */

static void apply_row(const char *what, double leaves, const pytree_fn *f, size_t n, const pytree *args, pytree out)
{
    const size_t before = allocations;
    size_t made;
    double ns;
    must(pytree_apply(f, n, args, out, &counted, NULL));
    made = allocations - before;
    NANOSECONDS(ns, 1, must(pytree_apply(f, n, args, out, NULL, NULL)));
    row(what, "call", ns, NAN, 350 + 8 * leaves, made);
}

static pytree_status make(void *context, const pytree_flat *key, void **value, pytree_error *err)
{
    (void)key;
    (void)err;
    *value = context;
    return PYTREE_OK;
}

static void cache_row(const char *what, double leaves, pytree key)
{
    const pytree_cache_options options = { .tree = { .allocator = &counting } };
    pytree_cache *cache = pytree_cache_new(&options, NULL);
    size_t before;
    double ns;
    must(pytree_cache_get(cache, key, make, cache, NULL) == NULL);
    before = allocations;
    must(pytree_cache_get(cache, key, make, cache, NULL) == NULL);
    before = allocations - before;
    NANOSECONDS(ns, 1, pytree_cache_get(cache, key, make, cache, NULL) != NULL);
    row(what, "call", ns, NAN, 120 + 8 * leaves, before);
    pytree_cache_free(cache);
}

/* ---- The rows ------------------------------------------------------------------------------------------------------------ */

static void map_rows(void)
{
    const pytree x = PYTREE_ARRAY(a, N), out = PYTREE_ARRAY(y, N);
    const pytree four_arrays[4] = { x, PYTREE_ARRAY(b, N), PYTREE_ARRAY(c, N), PYTREE_ARRAY(d, N) };
    Layer each = { 1, a, b };
    pytree_leaf columns[2] = { { .data = a, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { N, 1 } },
                               { .data = b, .type = PYTREE_TYPE(float), .ndim = 2, .shape = { N, 1 } } };
    pytree_def *def = pytree_structure(PYTREE(&each), NULL, NULL);
    pytree_flat stacked = { def, columns };
    double hand;
    NANOSECONDS(hand, N, map_by_hand());
    prepared_row("vmap: 1 + 1 leaves", "element", N, hand, hand + 3 + 0.7 * 2, PYTREE_VMAP(&one), 1, &x, out);
    NANOSECONDS(hand, N, map_four_by_hand());
    prepared_row("vmap: 4 + 1 leaves", "element", N, hand, hand + 3 + 0.7 * 5, PYTREE_VMAP(&four), 4, four_arrays, out);
    NANOSECONDS(hand, N, map_layers_by_hand());
    prepared_row("vmap: a struct of 2 leaves, rebuilt", "element", N, hand, hand + 3 + 0.7 * 3 + 2, PYTREE_VMAP(&layers), 1,
                 (pytree[1]){ PYTREE(&stacked) }, out);
    pytree_def_free(def);
}

static void loop_rows(void)
{
    const pytree x = PYTREE_ARRAY(a, N), both = PYTREE_TUPLE(PYTREE(&last), PYTREE_ARRAY(y, N));
    double hand;
    NANOSECONDS(hand, N, scan_by_hand());
    prepared_row("scan: 1 carry, x, y", "step", N, hand, hand + 4 + 0.5 * 4, PYTREE_SCAN(&sums), 2,
                 (pytree[2]){ PYTREE(&carry), x }, both);
    NANOSECONDS(hand, N, loop_by_hand());
    prepared_row("while: 1 carry", "step", N, hand, 2 * hand + 4 + 0.5 * 3, PYTREE_WHILE(&always, &one, .max_iters = N), 1,
                 (pytree[1]){ PYTREE(&carry) }, PYTREE(&last));
    prepared_row("fori: 1 carry", "step", N, hand, hand + 4 + 0.5 * 3, PYTREE_FORI(&next, .from = 0, .to = N), 1,
                 (pytree[1]){ PYTREE(&carry) }, PYTREE(&last));
}

int main(int argc, char **argv)
{
    static Layer many[LAYERS];
    Model model = { LAYERS, many };
    const pytree numbers[2] = { PYTREE(&carry), PYTREE(&a[0]) }, whole[1] = { PYTREE(&model) };
    if (argc == 3 && strcmp(argv[1], "--samples") == 0) { samples = strtoul(argv[2], NULL, 10); }
    for (int i = 0; i < LAYERS; i++) { many[i] = (Layer){ 5, a + 10 * i, a + 10 * i + 5 }; }
    map_rows();
    loop_rows();
    prepared_row("run of a prepared function", "call", 1, NAN, 5, &one, 1, numbers, PYTREE(&last));
    apply_row("apply: 2 leaves", 2, &one, 1, numbers + 1, PYTREE(&last));
    apply_row("apply: 200 leaves in structs", 200, &nothing, 1, whole, PYTREE_NONE);
    apply_row("apply: vmap of 1 + 1 leaves", 2, PYTREE_VMAP(&one), 1, (pytree[1]){ PYTREE_ARRAY(a, 1) }, PYTREE_ARRAY(y, 1));
    cache_row("cache hit: 2 leaves", 2, PYTREE_TUPLE(numbers[0], numbers[1]));
    cache_row("cache hit: 200 leaves in structs", 200, whole[0]);
    return 0;
}
