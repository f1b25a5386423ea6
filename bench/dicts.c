/* dicts.c: the cost per node of flattening and rebuilding a tree of nested dicts and lists.
 *
 *     dicts [--json] [--samples 25]
 *
 * ResNet-152 with a dict instead of each struct and arrays as leaf views. "dict": the result of pytree_clone, pytree_unflatten
 * or pytree_parse, whose key order is known. "literal": keys in the order of the struct's fields, sorted by each traversal.
 * Times are medians of many samples; a call that allocates is measured together with the call that frees. Compile with -O2 and
 * link with bench/library.c.
 */
#define _POSIX_C_SOURCE 200809L

#include "measure.h"
#include "trees_build.h"

enum { LEAVES = 1024, CHILDREN = 64, MEMORY = 4 << 20 };

/* ---- A struct's tree as dicts ---------------------------------------------------------------------------------------- */

static max_align_t memory[MEMORY / sizeof(max_align_t)];
static size_t used;

static void *get(size_t bytes)
{
    void *p = (char *)memory + used;
    used += (bytes + sizeof *memory - 1) / sizeof *memory * sizeof *memory;
    if (used > sizeof memory) {
        fprintf(stderr, "dicts: MEMORY is too small\n");
        exit(1);
    }
    return p;
}

/* As deep as the model is, which is six. */
static pytree as_dicts(const pytree_leaf *value)
{
    pytree_leaf children[CHILDREN], *view;
    pytree_entry keys[CHILDREN];
    pytree_items *items;
    pytree_pair *pairs;
    pytree *values;
    size_t n, i;
    pytree t = { &pytree_types[PYTREE__T_none], NULL };
    if (value->form == PYTREE_FORM_NONE) { return t; }
    if (pytree_is_leaf(value)) {
        view = get(sizeof *view);
        *view = *value;
        return pytree_of_view(view);
    }
    if (pytree_children(pytree_of_view(value), children, keys, CHILDREN, &n, NULL, NULL) != PYTREE_OK || n > CHILDREN) {
        fprintf(stderr, "dicts: a node has more children than expected\n");
        exit(1);
    }
    items = get(sizeof *items);
    memset(items, 0, sizeof *items);
    items->count = n;
    t.data = items;
    if (value->form == PYTREE_FORM_STRUCT) {
        t.type = &pytree_types[PYTREE__T_dict];
        items->pairs = pairs = get(n * sizeof *pairs);
        for (i = 0; i < n; i++) {
            pairs[i].key = keys[i].name;
            pairs[i].value = as_dicts(&children[i]);
        }
    } else {
        t.type = &pytree_types[PYTREE__T_list];
        items->items = values = get(n * sizeof *values);
        for (i = 0; i < n; i++) { values[i] = as_dicts(&children[i]); }
    }
    return t;
}

/* ---- What is measured ---------------------------------------------------------------------------------------------- */

static pytree literal, built;
static pytree_def *def, *same;
static pytree_leaf leaves[LEAVES];

static uint64_t flatten(pytree t, const pytree_options *opt)
{
    pytree_leaf *to = NULL;
    pytree_def *made = NULL;
    pytree_flatten(t, &to, 0, &made, opt, NULL);
    pytree_def_free(made);
    return to != NULL;
}
static uint64_t structure(pytree t, const pytree_options *opt)
{
    pytree_def *made = pytree_structure(t, opt, NULL);
    pytree_def_free(made);
    return made != NULL;
}
static uint64_t all_leaves(pytree t, const pytree_options *opt)
{
    size_t n = 0;
    pytree_leaves(t, leaves, LEAVES, &n, opt, NULL);
    return n;
}
static uint64_t unflatten(pytree t, const pytree_options *opt)
{
    pytree made = pytree_unflatten(def, def->n_leaves, leaves, opt, NULL);
    (void)t;
    pytree_free(made);
    return made.data != NULL;
}
static uint64_t def_equal(pytree t, const pytree_options *opt)
{
    (void)t;
    (void)opt;
    return pytree_def_equal(def, same);
}

static const struct { const char *name; bool both; uint64_t (*run)(pytree t, const pytree_options *opt); } operations[] = {
    { "flatten", true, flatten }, { "structure", true, structure }, { "leaves", true, all_leaves },
    { "unflatten", false, unflatten }, { "def_equal", false, def_equal },
};

int main(int argc, char **argv)
{
    static BenchBuilder builder;
    static float floats[4];
    static int64_t integers[4];
    bool json = false;
    size_t samples = 25, i, k;
    pytree_leaf root = { 0 };
    pytree t;
    for (i = 1; i < (size_t)argc; i++) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--samples") == 0 && i + 1 < (size_t)argc) {
            samples = strtoul(argv[++i], NULL, 10);
        } else {
            samples = 0;
        }
        if (samples == 0 || samples > MEASURE_MOST) {
            fprintf(stderr, "usage: dicts [--json] [--samples N]\n");
            return 2;
        }
    }
    builder.floats = builder.wanted = floats;
    builder.integers = integers;
    t = bench_models[BENCH_RESNET152].build(&builder);
    root.type = t.type;
    root.data = t.data;
    root.form = PYTREE_FORM_STRUCT;
    literal = as_dicts(&root);
    def = pytree_structure(literal, NULL, NULL);
    if (def == NULL || all_leaves(literal, NULL) != bench_models[BENCH_RESNET152].leaves) {
        fprintf(stderr, "dicts: the tree is another than expected\n");
        return 1;
    }
    built = pytree_unflatten(def, def->n_leaves, leaves, NULL, NULL);
    same = built.data == NULL ? NULL : pytree_structure(built, NULL, NULL);
    if (same == NULL || !pytree_def_equal(def, same)) {
        fprintf(stderr, "dicts: the tree that was rebuilt is another\n");
        return 1;
    }
    if (!json) { printf("| operation | form | ns per node | allocations |\n|---|---|---:|---:|\n"); }
    for (i = 0; i < sizeof operations / sizeof operations[0]; i++) {
        for (k = 0; k < (operations[i].both ? 2 : 1); k++) {
            const pytree tree = k == 0 ? built : literal;
            const char *form = k == 0 ? "dict" : "literal";
            pytree_allocator allocator;
            pytree_options counting = { 0 };
            size_t allocations = 0;
            Measured m;
            allocator.resize = measure_resize;
            allocator.context = &allocations;
            counting.allocator = &allocator;
            if (operations[i].run(tree, &counting) == 0) {
                fprintf(stderr, "dicts: %s failed\n", operations[i].name);
                return 1;
            }
            MEASURE(&m, samples, operations[i].run(tree, NULL));
            if (json) {
                printf("{\"library\": \"pytree\", \"form\": \"%s\", \"model\": \"ResNet152\", \"op\": \"%s\", \"ns\": %.1f, "
                       "\"least\": %.1f, \"nodes\": %zu, \"leaves\": %zu, \"allocations\": %zu}\n", form, operations[i].name,
                       m.median * 1e9, m.least * 1e9, def->n_nodes, def->n_leaves, allocations);
            } else {
                printf("| %s | %s | %.2f | %zu |\n", operations[i].name, form, m.median * 1e9 / (double)def->n_nodes,
                       allocations);
            }
        }
    }
    pytree_free(built);
    pytree_def_free(def);
    pytree_def_free(same);
    return 0;
}
