/* bench.c: the cost of each operation per node or leaf, and its allocations.
 *
 *     bench [--json] [--all | --model ResNet152]... [--op flatten] [--samples 25]
 *     bench --calls 10 ResNet152 flatten                    no times, only these calls: for instructions.py
 *
 * Times are medians of many samples. All arrays of the measured trees point to one small buffer, because operations on
 * structure never read elements; operations that do (clone, copy_into, equal, ...) get the same nodes with separate arrays of
 * one element. A call that allocates is measured together with the call that frees. "By hand" is floors.h.
 */
#define _POSIX_C_SOURCE 200809L

#include "floors.h"
#include "measure.h"
#include "trees_build.h"

enum { TREES = 4, MAX_LEAVES = 1024, MAX_NODES = 2048, MAX_TEXT = 64 * 1024 };

/* ---- What is measured ---------------------------------------------------------------------------------------------- */

/* Everything that an operation needs, made once per model. */
typedef struct Fixture {
    const BenchModel *model;
    pytree trees[TREES];                  /* structure only */
    pytree small[2];                      /* elements too */
    unsigned char small_root[1024];       /* a root struct as pytree_allocate wants it */
    size_t n_small_root;
    pytree_def *def, *same, *small_def;
    pytree_leaf leaves[MAX_LEAVES], small_leaves[MAX_LEAVES];
    pytree_node nodes[MAX_NODES];
    const char *starts[MAX_LEAVES];
    char text[MAX_TEXT];
    const pytree_options *opt;            /* NULL, or with the counting allocator */
    pytree_options counting;
    pytree_allocator allocator;
    size_t allocations;
} Fixture;

static BenchBuilder builders[TREES], small_builders[2], root_builder;
static float shared_floats[4];
static int64_t shared_integers[4];

typedef uint64_t Operation(Fixture *f);

static uint64_t run_flatten(Fixture *f)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_flatten(f->trees[0], &leaves, 0, &def, f->opt, NULL);
    pytree_def_free(def);
    return leaves != NULL;
}

static uint64_t run_flatten_into(Fixture *f)
{
    pytree_leaf *leaves = f->leaves;
    pytree_def *def = NULL;
    pytree_flatten(f->trees[0], &leaves, MAX_LEAVES, &def, f->opt, NULL);
    pytree_def_free(def);
    return def != NULL;
}

static uint64_t run_structure(Fixture *f)
{
    pytree_def *def = pytree_structure(f->trees[0], f->opt, NULL);
    pytree_def_free(def);
    return def != NULL;
}

static uint64_t run_leaves(Fixture *f)
{
    size_t count = 0;
    pytree_leaves(f->trees[0], f->leaves, MAX_LEAVES, &count, f->opt, NULL);
    return count;
}

static uint64_t run_num_leaves(Fixture *f) { return pytree_num_leaves(f->trees[0], f->opt, NULL); }
static uint64_t run_def_equal(Fixture *f) { return pytree_def_equal(f->def, f->same); }
static uint64_t run_def_hash(Fixture *f) { return pytree_def_hash(f->def); }
static uint64_t run_def_text(Fixture *f) { return pytree_def_text(f->def, f->text, sizeof f->text); }

static uint64_t run_def_copy(Fixture *f)
{
    pytree_def *def = pytree_def_copy(f->def, f->opt, NULL);
    pytree_def_free(def);
    return def != NULL;
}

static uint64_t run_unflatten(Fixture *f)
{
    pytree t = pytree_unflatten(f->def, f->def->n_leaves, f->leaves, f->opt, NULL);
    pytree_free(t);
    return t.data != NULL;
}

static uint64_t run_unflatten_into(Fixture *f)
{
    return (uint64_t)pytree_unflatten_into(f->def, f->def->n_leaves, f->leaves, f->trees[3], f->opt, NULL);
}

/* Almost nothing: where the leaf is in each tree. */
static pytree_status touch_one(void *context, const pytree_iter *at)
{
    *(uint64_t *)context += (uintptr_t)at->leaf[0]->data;
    return PYTREE_OK;
}

static pytree_status touch_four(void *context, const pytree_iter *at)
{
    *(uint64_t *)context += (uintptr_t)at->leaf[0]->data ^ (uintptr_t)at->leaf[1]->data ^ (uintptr_t)at->leaf[2]->data
                            ^ (uintptr_t)at->leaf[3]->data;
    return PYTREE_OK;
}

static uint64_t run_map1(Fixture *f)
{
    uint64_t sum = 0;
    pytree_map(touch_one, &sum, NULL, 1, f->trees, f->opt, NULL);
    return sum;
}

static uint64_t run_map4(Fixture *f)
{
    uint64_t sum = 0;
    pytree_map(touch_four, &sum, NULL, 4, f->trees, f->opt, NULL);
    return sum;
}

/* Only the loop bodies, called as often and also through a pointer. */
static uint64_t call_body(Fixture *f, pytree_map_fn *fn)
{
    static pytree_map_fn *volatile hidden;
    const pytree_leaf *views[TREES];
    pytree_iter it;
    uint64_t sum = 0;
    size_t i, k;
    hidden = fn;
    fn = hidden;
    it.leaf = views;
    for (i = 0; i < f->model->leaves; i++) {
        for (k = 0; k < TREES; k++) { views[k] = &f->leaves[i]; }
        fn(&sum, &it);
    }
    return sum;
}
static uint64_t run_body1(Fixture *f) { return call_body(f, touch_one); }
static uint64_t run_body4(Fixture *f) { return call_body(f, touch_four); }

static uint64_t iterate(Fixture *f, size_t n)
{
    uint64_t sum = 0;
    pytree_iter it;
    if (pytree_iter_begin(&it, n, f->trees, f->opt, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) { sum += (uintptr_t)it.leaf[n - 1]->data; }
    }
    pytree_iter_end(&it);
    return sum;
}
static uint64_t run_iterate1(Fixture *f) { return iterate(f, 1); }
static uint64_t run_iterate4(Fixture *f) { return iterate(f, 4); }

static uint64_t run_reduce(Fixture *f)
{
    uint64_t sum = 0;
    pytree_reduce(touch_one, &sum, f->trees[0], f->opt, NULL);
    return sum;
}

static int enter_node(void *context, const pytree_leaf *value, const pytree_path *path)
{
    *(uint64_t *)context += (uintptr_t)value->data + path->n;
    return PYTREE_WALK_ON;
}

static uint64_t run_walk(Fixture *f)
{
    uint64_t sum = 0;
    pytree_visitor visitor = { enter_node, NULL, NULL };
    visitor.context = &sum;
    pytree_walk(f->trees[0], &visitor, f->opt, NULL);
    return sum;
}

static uint64_t run_paths(Fixture *f)
{
    size_t count = 0;
    const char **paths = pytree_paths(f->trees[0], NULL, &count, f->opt, NULL);
    pytree_paths_free(paths);
    return count;
}

static uint64_t run_allocate(Fixture *f)
{
    pytree t;
    t.type = f->small[0].type;
    t.data = root_builder.memory.bytes;
    memcpy(t.data, f->small_root, f->n_small_root);
    if (pytree_allocate(t, f->opt, NULL) != PYTREE_OK) { return 0; }
    pytree_free(t);
    return 1;
}

static uint64_t run_clone(Fixture *f)
{
    pytree t = pytree_clone(f->small[0], f->opt, NULL);
    pytree_free(t);
    return t.data != NULL;
}

static uint64_t run_zeros_like(Fixture *f)
{
    pytree t = pytree_zeros_like(f->small[0], f->opt, NULL);
    pytree_free(t);
    return t.data != NULL;
}

static uint64_t run_copy_into(Fixture *f) { return (uint64_t)pytree_copy_into(f->small[1], f->small[0], f->opt, NULL); }
static uint64_t run_equal(Fixture *f) { return pytree_equal(f->small[0], f->small[1], NULL, f->opt, NULL); }
static uint64_t run_check(Fixture *f) { return (uint64_t)pytree_check(f->small[0], NULL, NULL, f->opt, NULL); }

static uint64_t run_sum(Fixture *f)
{
    double sum = 0;
    pytree_sum(f->small[0], &sum, f->opt, NULL);
    return (uint64_t)sum;
}

static uint64_t run_duplicates(Fixture *f)
{
    pytree_duplicates *d = pytree_find_duplicates(f->small[0], f->opt, NULL);
    pytree_duplicates_free(d);
    return d != NULL;
}

static uint64_t hand_flatten(Fixture *f) { return floor_flatten(f->trees[0].data, f->leaves, f->nodes); }
static uint64_t hand_leaves(Fixture *f) { return floor_leaves(f->trees[0].data, f->leaves); }
static uint64_t hand_unflatten_into(Fixture *f) { return floor_unflatten(f->trees[3].data, f->leaves); }
static uint64_t hand_def_text(Fixture *f) { return floor_text(f->trees[0].data, f->text); }
static uint64_t hand_paths(Fixture *f) { return floor_paths(f->trees[0].data, f->starts, f->text); }

static uint64_t hand_def_equal(Fixture *f)
{
    return floor_equal(f->def->nodes, f->same->nodes, f->def->n_nodes, f->def->statics, f->same->statics, f->def->n_statics);
}

static uint64_t hand_def_hash(Fixture *f)
{
    return floor_hash(f->def->nodes, f->def->n_nodes, f->def->statics, f->def->n_statics);
}

static void touch_by_hand(void *context, void *a, void *b, void *c, void *d, size_t n)
{
    *(uint64_t *)context += ((uintptr_t)a ^ (uintptr_t)b ^ (uintptr_t)c ^ (uintptr_t)d) + n;
}

static uint64_t hand_map4(Fixture *f)
{
    static FloorBody *volatile hidden = touch_by_hand;
    uint64_t sum = 0;
    floor_map(hidden, &sum, f->trees[0].data, f->trees[1].data, f->trees[2].data, f->trees[3].data);
    return sum;
}

/* In the order of the table. `leaf`: the cost is given per leaf, else per node. */
static const struct { const char *name; bool leaf; Operation *run, *by_hand; } operations[] = {
    { "flatten", false, run_flatten, hand_flatten },
    { "flatten_into", false, run_flatten_into, NULL },
    { "structure", false, run_structure, NULL },
    { "leaves", true, run_leaves, hand_leaves },
    { "num_leaves", true, run_num_leaves, NULL },
    { "def_equal", false, run_def_equal, hand_def_equal },
    { "def_hash", false, run_def_hash, hand_def_hash },
    { "def_copy", false, run_def_copy, NULL },
    { "unflatten", true, run_unflatten, NULL },
    { "unflatten_into", true, run_unflatten_into, hand_unflatten_into },
    { "map1", true, run_map1, NULL },
    { "map1_body", true, run_body1, NULL },
    { "map4", true, run_map4, hand_map4 },
    { "map4_body", true, run_body4, NULL },
    { "iterate1", true, run_iterate1, NULL },
    { "iterate4", true, run_iterate4, NULL },
    { "reduce", true, run_reduce, NULL },
    { "walk", false, run_walk, NULL },
    { "paths", true, run_paths, hand_paths },
    { "def_text", false, run_def_text, hand_def_text },
    { "allocate", true, run_allocate, NULL },
    { "clone", true, run_clone, NULL },
    { "zeros_like", true, run_zeros_like, NULL },
    { "copy_into", true, run_copy_into, NULL },
    { "equal", true, run_equal, NULL },
    { "sum", true, run_sum, NULL },
    { "check", true, run_check, NULL },
    { "find_duplicates", true, run_duplicates, NULL },
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- Making and checking a fixture --------------------------------------------------------------------------------- */

static void stop(const Fixture *f, const char *what, const pytree_error *err)
{
    fprintf(stderr, "bench: %s: %s\n", f->model->name, what);
    pytree_error_print(stderr, err);
    exit(1);
}

static size_t root_size(const Fixture *f) { return f->trees[0].type->size; }

static void make_fixture(Fixture *f, const BenchModel *model)
{
    pytree_error err = { 0 };
    size_t i;
    memset(f, 0, sizeof *f);
    f->model = model;
    f->allocator.resize = measure_resize;
    f->allocator.context = &f->allocations;
    f->counting.allocator = &f->allocator;
    for (i = 0; i < TREES; i++) {
        memset(&builders[i], 0, sizeof builders[i]);
        builders[i].floats = builders[i].wanted = shared_floats;
        builders[i].integers = shared_integers;
        f->trees[i] = model->build(&builders[i]);
    }
    f->n_small_root = root_size(f);
    if (f->n_small_root > sizeof f->small_root) { stop(f, "small_root is too small", NULL); }
    for (i = 0; i < 2; i++) {
        memset(&small_builders[i], 0, sizeof small_builders[i]);
        small_builders[i].wanted = PYTREE_WANTED;
        small_builders[i].small = true;
        f->small[i] = model->build(&small_builders[i]);
        if (i == 0) { memcpy(f->small_root, f->small[0].data, f->n_small_root); }
        if (pytree_allocate(f->small[i], NULL, &err) != PYTREE_OK) { stop(f, "pytree_allocate", &err); }
    }
    f->def = pytree_structure(f->trees[0], NULL, &err);
    f->same = pytree_structure(f->trees[1], NULL, &err);
    if (f->def == NULL || f->same == NULL) { stop(f, "pytree_structure", &err); }
    if (f->def->n_nodes != model->nodes || f->def->n_leaves != model->leaves) { stop(f, "wrong counts of nodes", NULL); }
    if (pytree_leaves(f->trees[0], f->leaves, MAX_LEAVES, NULL, NULL, &err) != PYTREE_OK) { stop(f, "pytree_leaves", &err); }
}

static void free_fixture(Fixture *f)
{
    pytree_free(f->small[0]);
    pytree_free(f->small[1]);
    pytree_def_free(f->def);
    pytree_def_free(f->same);
}

static bool has_floors(const BenchModel *model)
{
    return model->build == bench_resnet50 || model->build == bench_resnet101 || model->build == bench_resnet152;
}

/* An operation that fails would be a fast one. */
static void check_operations(Fixture *f)
{
    static pytree_leaf leaves[MAX_LEAVES];
    static char text[MAX_TEXT];
    pytree_error err = { 0 };
    const char **paths;
    size_t count = 0, i, k, length;
    pytree_unflatten_into(f->def, f->def->n_leaves, f->leaves, f->trees[3], NULL, &err);
    pytree_copy_into(f->small[1], f->small[0], NULL, &err);
    pytree_check(f->small[0], NULL, NULL, NULL, &err);
    if (err.status != PYTREE_OK) { stop(f, "an operation failed", &err); }
    if (!pytree_def_equal(f->def, f->same)) { stop(f, "two trees of one model differ", NULL); }
    if (!pytree_equal(f->small[0], f->small[1], NULL, NULL, &err)) { stop(f, "two trees of zeros differ", &err); }
    if (run_flatten(f) == 0 || run_unflatten(f) == 0 || run_allocate(f) == 0 || run_clone(f) == 0 || run_zeros_like(f) == 0
        || run_duplicates(f) == 0 || run_paths(f) != f->model->leaves || run_map1(f) == 0 || run_iterate4(f) == 0) {
        stop(f, "an operation failed", NULL);
    }
    if (!has_floors(f->model)) { return; }

    /* The hand-written versions do the same. */
    count = floor_leaves(f->trees[0].data, leaves);
    for (i = 0; i < count; i++) {
        const pytree_leaf *a = &leaves[i], *b = &f->leaves[i];
        bool same = a->data == b->data && a->type == b->type && a->ndim == b->ndim;
        for (k = 0; same && k < (size_t)a->ndim; k++) { same = a->shape[k] == b->shape[k]; }
        if (!same) { stop(f, "leaf views by hand differ", NULL); }
    }
    if (count != f->def->n_leaves || floor_flatten(f->trees[0].data, leaves, f->nodes) != f->def->n_nodes) {
        stop(f, "counts by hand differ", NULL);
    }
    for (i = 0; i < f->def->n_nodes; i++) {
        const pytree_node *a = &f->nodes[i], *b = &f->def->nodes[i];
        if (a->type != b->type || a->arity != b->arity || a->leaves != b->leaves || a->nodes != b->nodes) {
            stop(f, "nodes by hand differ", NULL);
        }
    }
    length = floor_text(f->trees[0].data, text);
    if (pytree_def_text(f->def, f->text, sizeof f->text) != length || strcmp(text, f->text) != 0) {
        stop(f, "the treedef's text by hand differs", NULL);
    }
    count = floor_paths(f->trees[0].data, f->starts, f->text);
    paths = pytree_paths(f->trees[0], NULL, &k, NULL, &err);
    if (paths == NULL || k != count) { stop(f, "pytree_paths", &err); }
    for (i = 0; i < count; i++) {
        if (strcmp(paths[i], f->starts[i]) != 0) { stop(f, "key paths by hand differ", NULL); }
    }
    pytree_paths_free(paths);
}

/* ---- Results ------------------------------------------------------------------------------------------------------- */

static void put_json(const Fixture *f, const char *form, const char *name, Measured m, size_t allocations)
{
    printf("{\"library\": \"pytree\", \"form\": \"%s\", \"model\": \"%s\", \"op\": \"%s\", \"ns\": %.1f, \"least\": %.1f, "
           "\"nodes\": %zu, \"leaves\": %zu, \"allocations\": %zu}\n",
           form, f->model->name, name, m.median * 1e9, m.least * 1e9, f->model->nodes, f->model->leaves, allocations);
}

/* Make n calls and nothing else: callgrind counts in here (instructions.py). */
__attribute__((noinline)) static void counted_calls(Operation *run, Fixture *f, size_t n)
{
    for (; n != 0; n--) { measure_sink += run(f); }
}

/* bench --calls 10 ResNet152 flatten: after one call that is not counted, in which the allocator gets its memory. Prints how
 * many nodes or leaves a call is for. Returns false for a model or operation that does not exist. */
static bool call_operation(Fixture *f, const char *calls, const char *model, const char *name)
{
    const bool hand = strncmp(name, "hand_", 5) == 0;
    const char *const op = hand ? name + 5 : name;
    size_t i, k;
    for (k = 0; k < BENCH_MODELS && strcmp(model, bench_models[k].name) != 0; k++) {}
    for (i = 0; i < OPERATIONS && strcmp(op, operations[i].name) != 0; i++) {}
    if (k == BENCH_MODELS || i == OPERATIONS || (hand && (operations[i].by_hand == NULL || !has_floors(&bench_models[k])))) {
        return false;
    }
    make_fixture(f, &bench_models[k]);
    measure_sink += (hand ? operations[i].by_hand : operations[i].run)(f);
    counted_calls(hand ? operations[i].by_hand : operations[i].run, f, strtoul(calls, NULL, 10));
    printf("%s %zu\n", operations[i].leaf ? "leaf" : "node", operations[i].leaf ? f->model->leaves : f->model->nodes);
    free_fixture(f);
    return true;
}

static void run_model(Fixture *f, const BenchModel *model, bool json, const char *op, size_t samples)
{
    bool by_hand = has_floors(model);
    size_t i;
    make_fixture(f, model);
    check_operations(f);
    if (!json) {
        printf("%s: %zu nodes, %zu leaves\n\n", model->name, model->nodes, model->leaves);
        printf("| operation | ns | per | least | allocations | by hand, ns |\n|---|---:|---|---:|---:|---:|\n");
    }
    for (i = 0; i < OPERATIONS; i++) {
        double units = (double)(operations[i].leaf ? model->leaves : model->nodes);
        Measured measured, floor = { 0, 0 };
        if (op != NULL && strcmp(op, operations[i].name) != 0) { continue; }
        f->allocations = 0;
        f->opt = &f->counting;
        measure_sink += operations[i].run(f);
        f->opt = NULL;
        MEASURE(&measured, samples, operations[i].run(f));
        if (by_hand && operations[i].by_hand != NULL) { MEASURE(&floor, samples, operations[i].by_hand(f)); }
        if (json) {
            put_json(f, "struct", operations[i].name, measured, f->allocations);
            if (floor.median > 0) { put_json(f, "by hand", operations[i].name, floor, 0); }
        } else {
            printf("| %s | %.2f | %s | %.2f | %zu |", operations[i].name, measured.median * 1e9 / units,
                   operations[i].leaf ? "leaf" : "node", measured.least * 1e9 / units, f->allocations);
            if (floor.median > 0) { printf(" %.2f", floor.median * 1e9 / units); }
            printf(" |\n");
        }
        fflush(stdout);
    }
    if (!json) { printf("\n"); }
    free_fixture(f);
}

int main(int argc, char **argv)
{
    static Fixture fixture;
    bool wanted[BENCH_MODELS] = { false }, json = false, any = false;
    const char *op = NULL;
    size_t samples = 25, k;
    int i;
    if (argc == 5 && strcmp(argv[1], "--calls") == 0) { return call_operation(&fixture, argv[2], argv[3], argv[4]) ? 0 : 2; }
    for (i = 1; i < argc; i++) {
        bool known = false;
        if (strcmp(argv[i], "--json") == 0) {
            json = known = true;
        } else if (strcmp(argv[i], "--all") == 0) {
            for (k = 0; k < BENCH_MODELS; k++) { wanted[k] = true; }
            any = known = true;
        } else if (strcmp(argv[i], "--model") == 0 && i + 1 < argc) {
            i++;
            for (k = 0; k < BENCH_MODELS; k++) {
                if (strcmp(argv[i], bench_models[k].name) == 0) { wanted[k] = any = known = true; }
            }
        }
        if (strcmp(argv[i], "--op") == 0 && i + 1 < argc) {
            op = argv[++i];
            for (k = 0; k < OPERATIONS; k++) { known = known || strcmp(op, operations[k].name) == 0; }
        } else if (strcmp(argv[i], "--samples") == 0 && i + 1 < argc) {
            samples = strtoul(argv[++i], NULL, 10);
            known = samples > 0 && samples <= MEASURE_MOST;
        }
        if (!known) {
            fprintf(stderr, "usage: bench [--json] [--all | --model NAME]... [--op NAME] [--samples N]\nmodels:");
            for (k = 0; k < BENCH_MODELS; k++) { fprintf(stderr, " %s", bench_models[k].name); }
            fprintf(stderr, "\noperations:");
            for (k = 0; k < OPERATIONS; k++) { fprintf(stderr, " %s", operations[k].name); }
            fprintf(stderr, "\n");
            return 2;
        }
    }
    wanted[BENCH_RESNET152] = wanted[BENCH_RESNET152] || !any;
    for (k = 0; k < BENCH_MODELS; k++) {
        if (wanted[k]) { run_model(&fixture, &bench_models[k], json, op, samples); }
    }
    return 0;
}
