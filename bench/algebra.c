/* algebra.c: the cost of the operations of pytree/algebra.h per node or leaf, and their allocations.
 *
 *     algebra [--json] [--samples 25]
 *
 * Two trees of ResNet-152: 1503 nodes and 932 leaves, which point to one small buffer. Times are medians of many samples; a
 * call that allocates is measured together with the call that frees. "By hand" is the same work without a library, with
 * floors.h: leaf views of one known model, a view copied once for each leaf, nodes and statics compared.
 * Compile with -O2 and link with -lm.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION

#include "pytree/algebra.h"

#include "floors.h"
#include "measure.h"
#include "trees_build.h"

enum { LEAVES = 1024, NODES = 2048, STACKED = 8 };

typedef struct Fixture {
    pytree trees[2], axes, small[STACKED];
    pytree_def *full, *same, *outer, *inner;
    pytree_flat flat, stack, parts[2];
    pytree_leaf leaves[LEAVES], axis;
    pytree_node nodes[NODES];
    const pytree_options *opt;            /* NULL, or with the counting allocator */
    pytree_options counting;
    pytree_allocator allocator;
    size_t allocations;
} Fixture;

typedef uint64_t Operation(Fixture *f);

static uint64_t given(pytree_flat flat)
{
    const bool made = flat.def != NULL;
    pytree_flat_free(&flat);
    return made;
}

static uint64_t run_up_to(Fixture *f) { return pytree_flatten_up_to(f->full, f->trees[1], f->leaves, LEAVES, f->opt,
                                                                    NULL) == PYTREE_OK; }
static uint64_t hand_up_to(Fixture *f) { return floor_leaves(f->trees[1].data, f->leaves); }

static uint64_t run_spread(Fixture *f)
{
    return pytree_broadcast_leaves(f->axes, f->full, f->leaves, LEAVES, "in_axes", f->opt, NULL) == PYTREE_OK;
}
static uint64_t hand_spread(Fixture *f)
{
    size_t i;
    for (i = 0; i < f->full->n_leaves; i++) { floor_view(&f->leaves[i], f->axis.data, f->axis.type, 0, 0, 0, 0, 0); }
    return i;
}

static uint64_t run_spread_flat(Fixture *f)
{
    return pytree_broadcast_leaves(PYTREE(&f->flat), f->full, f->leaves, LEAVES, "in_axes", f->opt, NULL) == PYTREE_OK;
}

static uint64_t run_prefix(Fixture *f) { return given(pytree_broadcast_prefix(f->axes, f->full, "in_axes", f->opt, NULL)); }

static uint64_t run_errors(Fixture *f)
{
    pytree_prefix_error_list *list = pytree_prefix_errors(f->trees[1], f->full, NULL, f->opt, NULL);
    const bool none = list != NULL && list->n == 0;
    pytree_prefix_errors_free(list);
    return none;
}
static uint64_t hand_errors(Fixture *f)
{
    const size_t n = floor_flatten(f->trees[1].data, f->leaves, f->nodes);
    return floor_equal(f->full->nodes, f->same->nodes, n, f->full->statics, f->same->statics, f->full->n_statics);
}

static uint64_t run_common(Fixture *f)
{
    pytree_flat a, b;
    const bool good = pytree_broadcast_common(f->trees[0], f->axes, &a, &b, f->opt, NULL) == PYTREE_OK;
    pytree_flat_free(&a);
    pytree_flat_free(&b);
    return good;
}

static uint64_t run_transpose(Fixture *f)
{
    return given(pytree_transpose(f->outer, f->inner, PYTREE_TUPLE(f->trees[0], f->trees[1]), f->opt, NULL));
}

static uint64_t run_stack(Fixture *f) { return given(pytree_stack(STACKED, f->small, f->opt, NULL)); }
static uint64_t run_index(Fixture *f) { return given(pytree_slice(PYTREE(&f->stack), 3, f->opt, NULL)); }

static bool is_a_vector(void *context, const pytree_iter *at)
{
    (void)context;
    return at->leaf[0]->ndim == 1;
}

static uint64_t run_partition(Fixture *f)
{
    pytree_flat a, b;
    const bool good = pytree_partition(f->trees[0], is_a_vector, NULL, PYTREE_NONE, &a, &b, f->opt, NULL) == PYTREE_OK;
    pytree_flat_free(&a);
    pytree_flat_free(&b);
    return good;
}

static uint64_t run_combine(Fixture *f)
{
    return given(pytree_combine(2, (pytree[]){ PYTREE(&f->parts[0]), PYTREE(&f->parts[1]) }, f->opt, NULL));
}

static uint64_t run_diff(Fixture *f)
{
    pytree_difference_list *list = pytree_diff(f->small[0], f->small[1], NULL, f->opt, NULL);
    const bool none = list != NULL && list->n == 0;
    pytree_diff_free(list);
    return none;
}

/* `leaf`: the cost is given per leaf, else per node. `target`: nanoseconds that it should not exceed; 0: none. */
static const struct { const char *name; bool leaf; Operation *run, *by_hand; int target; } operations[] = {
    { "flatten_up_to", false, run_up_to, hand_up_to, 0 },
    { "broadcast_leaves", true, run_spread, hand_spread, 0 },
    { "broadcast_leaves_same", true, run_spread_flat, NULL, 0 },
    { "broadcast_prefix", true, run_prefix, NULL, 0 },
    { "prefix_errors", false, run_errors, hand_errors, 0 },
    { "broadcast_common", true, run_common, NULL, 0 },
    { "transpose_of_2", true, run_transpose, NULL, 0 },
    { "stack_of_8", true, run_stack, NULL, 0 },
    { "index", true, run_index, NULL, 0 },
    { "partition", true, run_partition, NULL, 0 },
    { "combine", true, run_combine, NULL, 30 },
    { "diff", true, run_diff, NULL, 0 },
};

static void make_fixture(Fixture *f)
{
    static BenchBuilder builders[2], small[STACKED];
    static float floats[4];
    static int64_t integers[4], axis = 0;
    pytree_error err = { 0 };
    size_t i;
    memset(f, 0, sizeof *f);
    f->allocator.resize = measure_resize;
    f->allocator.context = &f->allocations;
    f->counting.allocator = &f->allocator;
    for (i = 0; i < 2; i++) {
        builders[i].floats = builders[i].wanted = floats;
        builders[i].integers = integers;
        f->trees[i] = bench_resnet152(&builders[i]);
    }
    for (i = 0; i < STACKED; i++) {       /* one element for each array */
        small[i].wanted = PYTREE_WANTED;
        small[i].small = true;
        f->small[i] = bench_resnet152(&small[i]);
        (void)pytree_allocate(f->small[i], NULL, &err);
    }
    f->axes = PYTREE(&axis);
    f->axis.data = &axis;
    f->axis.type = PYTREE_TYPE(int64_t);
    f->full = pytree_structure(f->trees[0], NULL, &err);
    f->same = pytree_structure(f->trees[1], NULL, &err);
    f->inner = pytree_structure(f->trees[0], NULL, &err);
    f->outer = pytree_structure(PYTREE_TUPLE(f->axes, f->axes), NULL, &err);
    if (err.status == PYTREE_OK) { f->flat = pytree_broadcast_prefix(f->axes, f->full, NULL, NULL, &err); }
    if (err.status == PYTREE_OK) { f->stack = pytree_stack(STACKED, f->small, NULL, &err); }
    (void)pytree_partition(f->trees[0], is_a_vector, NULL, PYTREE_NONE, &f->parts[0], &f->parts[1], NULL, &err);
    for (i = 0; err.status == PYTREE_OK && i < sizeof operations / sizeof operations[0]; i++) {
        if (operations[i].run(f) == 0) { pytree_fail(&err, PYTREE_STOPPED, NULL, "%s failed", operations[i].name); }
    }
    if (err.status != PYTREE_OK) {
        pytree_error_print(stderr, &err);
        exit(1);
    }
}

static void free_fixture(Fixture *f)
{
    size_t i;
    for (i = 0; i < STACKED; i++) { pytree_free(f->small[i]); }
    pytree_flat_free(&f->flat);
    pytree_flat_free(&f->stack);
    pytree_flat_free(&f->parts[0]);
    pytree_flat_free(&f->parts[1]);
    pytree_def_free(f->full);
    pytree_def_free(f->same);
    pytree_def_free(f->inner);
    pytree_def_free(f->outer);
}

static void put_json(const Fixture *f, const char *form, const char *name, Measured m, size_t allocations)
{
    printf("{\"library\": \"pytree\", \"form\": \"%s\", \"model\": \"ResNet152\", \"op\": \"%s\", \"ns\": %.1f, "
           "\"least\": %.1f, \"nodes\": %zu, \"leaves\": %zu, \"allocations\": %zu}\n",
           form, name, m.median * 1e9, m.least * 1e9, f->full->n_nodes, f->full->n_leaves, allocations);
}

int main(int argc, char **argv)
{
    static Fixture f;
    size_t i, samples = 25;
    bool json = false;
    int k;
    for (k = 1; k < argc; k++) {
        if (strcmp(argv[k], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[k], "--samples") == 0 && k + 1 < argc) {
            samples = (size_t)strtoul(argv[++k], NULL, 10);
        } else {
            fprintf(stderr, "usage: algebra [--json] [--samples N]\n");
            return 2;
        }
    }
    if (samples == 0 || samples > MEASURE_MOST) { samples = 25; }
    /* what floors.h has besides */
    (void)floor_text, (void)floor_paths, (void)floor_map, (void)floor_hash, (void)floor_unflatten;
    make_fixture(&f);
    if (!json) {
        printf("| operation | ns | target | per | least | allocations | by hand, ns |\n|---|---:|---:|---|---:|---:|---:|\n");
    }
    for (i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        const double count = (double)(operations[i].leaf ? f.full->n_leaves : f.full->n_nodes);
        Measured ours, hand = { 0, 0 };
        f.opt = &f.counting;
        f.allocations = 0;
        (void)operations[i].run(&f);
        f.opt = NULL;
        MEASURE(&ours, samples, operations[i].run(&f));
        if (operations[i].by_hand != NULL) { MEASURE(&hand, samples, operations[i].by_hand(&f)); }
        if (json) {
            put_json(&f, "struct", operations[i].name, ours, f.allocations);
            if (operations[i].by_hand != NULL) { put_json(&f, "by hand", operations[i].name, hand, 0); }
            continue;
        }
        printf("| %s | %.2f |", operations[i].name, ours.median * 1e9 / count);
        if (operations[i].target != 0) { printf(" %d", operations[i].target); }
        printf(" | %s | %.2f | %zu |", operations[i].leaf ? "leaf" : "node", ours.least * 1e9 / count, f.allocations);
        if (operations[i].by_hand != NULL) { printf(" %.2f", hand.median * 1e9 / count); }
        printf(" |\n");
    }
    free_fixture(&f);
    return 0;
}
