/* Leaf counts, depth, cycles, callbacks, saved treedefs: golden/errors.jsonl. */
#include "golden.h"
#include "pytree/treedef_io.h"

/* ---- Counts of leaves ---------------------------------------------------------------------------------------------- */

static pytree_leaf *numbers(Golden *g, size_t n)
{
    pytree_leaf *leaves = golden_alloc(g, n, sizeof *leaves);
    size_t i;
    for (i = 0; i < n; i++) {
        leaves[i].type = PYTREE_TYPE(int64_t);
        leaves[i].data = golden_int_leaf(g, (int64_t)i).data;
    }
    return leaves;
}

static void check_unflatten(Golden *g)
{
    pytree_error error = { 0 };
    const size_t count = (size_t)golden_int(golden_at(g->json, "count"));
    const cJSON *kind = golden_get(g->json, "optree.error.kind");
    pytree_def *def = pytree_structure(golden_tree(g, golden_at(g->json, "tree")), NULL, &error);
    pytree rebuilt;
    char words[64];
    if (!golden_check_ok(g, "structure", &error)) { return; }
    golden_check_count(g, "expected", golden_at(g->json, "expected"), pytree_def_num_leaves(def));
    rebuilt = pytree_unflatten(def, count, numbers(g, count), NULL, &error);
    if (kind == NULL) {
        if (golden_check_ok(g, "unflatten", &error)) {
            cJSON *jax = golden_sorted(cJSON_Duplicate(golden_at(g->json, "jax.rebuilt"), true));
            golden_check_json(g, "jax.rebuilt", jax, golden_sorted(golden_json(rebuilt)));
            golden_check_json(g, "optree.rebuilt", golden_at(g->json, "optree.rebuilt"), golden_json(rebuilt));
            cJSON_Delete(jax);
        }
    } else {
        golden_check_bool(g, "no tree after an error", true, rebuilt.data == NULL);
        golden_check_text(g, "error", strcmp(golden_string(kind), "too_few_leaves") == 0 ? "too few leaves" : "too many leaves",
                          pytree_status_name(error.status));
        snprintf(words, sizeof words, "%lu leaves", (unsigned long)pytree_def_num_leaves(def));
        golden_verdict(g, "expected count in the message", strstr(error.message, words) != NULL
                       || (pytree_def_num_leaves(def) == 1 && strstr(error.message, "1 leaf") != NULL), words, error.message);
        snprintf(words, sizeof words, "got %lu", (unsigned long)count);
        golden_verdict(g, "given count in the message", strstr(error.message, words) != NULL, words, error.message);
    }
    pytree_free(rebuilt);
    pytree_def_free(def);
}

/* ---- Depth and cycles ---------------------------------------------------------------------------------------------- */

static pytree container(Golden *g, int type, const char *name, pytree child)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree *item = golden_alloc(g, 1, sizeof *item);
    pytree_pair *pair = golden_alloc(g, 1, sizeof *pair);
    pytree t;
    *item = child;
    pair->key = "value";
    pair->value = child;
    items->count = 1;
    items->items = item;
    items->pairs = pair;
    items->name = name;
    t.type = &pytree_types[type];
    t.data = items;
    return t;
}

static pytree nested(Golden *g, const char *nest, pytree child)
{
    if (strcmp(nest, "list") == 0) { return container(g, PYTREE__T_list, NULL, child); }
    if (strcmp(nest, "tuple") == 0) { return container(g, PYTREE__T_tuple, NULL, child); }
    if (strcmp(nest, "dict") == 0) { return container(g, PYTREE__T_dict, NULL, child); }
    if (strcmp(nest, "odict") == 0) { return container(g, PYTREE__T_odict, NULL, child); }
    if (strcmp(nest, "namedtuple") == 0) { return container(g, PYTREE__T_namedtuple, "Only", child); }
    if (strcmp(nest, "struct") == 0) {
        Only1 *only = golden_alloc(g, 1, sizeof *only);
        only->v = child;
        return PYTREE(only);
    }
    assert_string_equal(nest, "custom");
    {
        Box *box = golden_alloc(g, 1, sizeof *box);
        box->custom.meta = golden_copy(g, "null");
        box->custom.n = 1;
        box->custom.children = golden_alloc(g, 1, sizeof child);
        *box->custom.children = child;
        return PYTREE(box);
    }
}

/* Nothing limits the depth but memory, so that the answer is always a count. */
static void check_depth(Golden *g)
{
    const char *nest = golden_word(g->json, "nest");
    const size_t depth = (size_t)golden_int(golden_at(g->json, "depth"));
    const cJSON *jax = golden_get(g->json, "jax.num_nodes"), *optree = golden_get(g->json, "optree.num_nodes");
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree tree = golden_int_leaf(g, 1), rebuilt;
    size_t i;
    for (i = 0; i < depth; i++) { tree = nested(g, nest, tree); }
    pytree_flatten(tree, &leaves, 0, &def, NULL, &error);
    if (!golden_check_ok(g, "flatten", &error)) { return; }
    golden_check_bool(g, "num_nodes", true, pytree_def_num_nodes(def) == depth + 1);
    if (jax != NULL) { golden_check_count(g, "jax.num_nodes", jax, pytree_def_num_nodes(def)); }
    if (optree != NULL) { golden_check_count(g, "optree.num_nodes", optree, pytree_def_num_nodes(def)); }
    rebuilt = pytree_unflatten(def, 1, leaves, NULL, &error);
    golden_check_ok(g, "unflatten", &error);
    pytree_free(rebuilt);
    pytree_def_free(def);
}

static void check_cycle(Golden *g)
{
    const char *shape = golden_word(g->json, "shape");
    pytree hole = golden_int_leaf(g, 0), tree;
    pytree_error error = { 0 };
    if (strcmp(shape, "struct") == 0) {
        tree = nested(g, "struct", hole);
        ((Only1 *)tree.data)->v = tree;
    } else {
        const bool two = strcmp(shape, "two_lists") == 0 || strcmp(shape, "tuple_in_list") == 0;
        const bool deep = strcmp(shape, "deep_in_dict") == 0;
        const char *outer = two ? "list" : deep ? "dict" : shape;
        pytree inner = hole;
        pytree_items *items;
        if (two) { inner = nested(g, shape[1] == 'w' ? "list" : "tuple", hole); }
        if (deep) { inner = nested(g, "list", nested(g, "dict", hole)); }
        tree = nested(g, outer, inner);
        items = deep ? ((pytree_items *)inner.data)->items[0].data : two ? inner.data : tree.data;
        memcpy((void *)(uintptr_t)&items->items[0], &tree, sizeof tree);
        memcpy((void *)(uintptr_t)&items->pairs[0].value, &tree, sizeof tree);
    }
    golden_check_bool(g, "no number of leaves", true, pytree_num_leaves(tree, NULL, &error) == SIZE_MAX);
    golden_check_text(g, "error", "tree contains itself", pytree_status_name(error.status));
    golden_check_bool(g, "path", true, error.path[0] != '\0');
}

/* ---- Callbacks ----------------------------------------------------------------------------------------------------- */

/* A predicate is a C function that gives a bool and cannot fail. */
static void check_predicate_result(Golden *g)
{
    const char *returns = golden_word(g->json, "returns");
    char predicate[8];
    pytree tree = golden_tree(g, golden_at(g->json, "tree"));
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf leaves[8];
    size_t n;
    if (strcmp(returns, "True") != 0 && strcmp(returns, "False") != 0) { golden_no_counterpart(g); return; }
    strcpy(predicate, returns[0] == 'T' ? "always" : "never");
    opt.is_leaf = golden_predicate;
    opt.is_leaf_context = predicate;
    pytree_leaves(tree, leaves, COUNT_OF(leaves), &n, &opt, &error);
    if (golden_check_ok(g, "leaves", &error)) {
        golden_check_json(g, "jax.leaves", golden_at(g->json, "jax.leaves"), golden_json_views(n, leaves));
        golden_check_json(g, "optree.leaves", golden_at(g->json, "optree.leaves"), golden_json_views(n, leaves));
    }
}

typedef struct Failing { size_t calls, at; } Failing;

static pytree_status fail_at(void *context, const pytree_iter *at)
{
    Failing *failing = context;
    (void)at;
    return failing->calls++ == failing->at ? PYTREE_STOPPED : PYTREE_OK;
}

static void check_callback(Golden *g)
{
    pytree tree = golden_tree(g, golden_at(g->json, "tree"));
    Failing failing = { 0, 0 };
    pytree_error error = { 0 };
    pytree_status status;
    failing.at = (size_t)golden_int(golden_at(g->json, "at"));
    status = pytree_map(fail_at, &failing, NULL, 1, &tree, NULL, &error);
    golden_check_count(g, "jax.calls", golden_at(g->json, "jax.calls"), failing.calls);
    golden_check_count(g, "optree.calls", golden_at(g->json, "optree.calls"), failing.calls);
    golden_check_text(g, "status", golden_get(g->json, "jax.error") != NULL ? "stopped by the callback" : "ok",
                      pytree_status_name(status));
}

/* ---- Other --------------------------------------------------------------------------------------------------------- */

/* An array of views is all that rebuilding takes, as a list in Python; the other cases are of other Python types. */
static void check_leaves_argument(Golden *g)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree rebuilt;
    if (strcmp(golden_word(g->json, "leaves_as"), "list") != 0) { golden_no_counterpart(g); return; }
    pytree_flatten(golden_tree(g, golden_at(g->json, "tree")), &leaves, 0, &def, NULL, &error);
    if (!golden_check_ok(g, "flatten", &error)) { return; }
    rebuilt = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
    golden_check_json(g, "jax.rebuilt", golden_at(g->json, "jax.rebuilt"), golden_json(rebuilt));
    pytree_free(rebuilt);
    pytree_def_free(def);
}

/* The keys of a C dict have one type, by its type. */
static void check_keys(Golden *g)
{
    const cJSON *pair, *tree = golden_at(g->json, "tree");
    size_t texts = 0, ints = 0, n = 0;
    if (golden_get(tree, "list") != NULL) { tree = golden_get(tree, "list")->child; }
    cJSON_ArrayForEach(pair, golden_at(tree, "anydict")) {
        n++;
        texts += golden_get(pair->child, "str") != NULL;
        ints += golden_get(pair->child, "int") != NULL;
    }
    golden_check_bool(g, "keys of one type of C", false, texts == n || ints == n);
    golden_no_counterpart(g);
}

static void check_from_iterable(Golden *g) { golden_no_counterpart(g); }

/* Saved and loaded, whatever the nodes: JAX's format knows lists, tuples, None and dicts with text keys alone. */
static void check_serialize(Golden *g)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(golden_tree(g, golden_at(g->json, "tree")), NULL, &error), *back;
    unsigned char *bytes;
    size_t n, n_types;
    const pytree_type *const *types = golden_types(&n_types);
    if (!golden_check_ok(g, "structure", &error)) { return; }
    n = pytree_def_save(def, NULL, 0, NULL, &error);
    if (golden_check_ok(g, "save", &error)) {
        bytes = golden_alloc(g, n, 1);
        pytree_def_save(def, bytes, n, NULL, &error);
        back = pytree_def_load(bytes, n, types, n_types, NULL, &error);
        if (golden_check_ok(g, "load", &error)) { golden_check_bool(g, "round_trip", true, pytree_def_equal(def, back)); }
        pytree_def_free(back);
    }
    golden_check_bool(g, "serializable", golden_get(g->json, "jax.ok") != NULL, error.status == PYTREE_OK);
    pytree_def_free(def);
}

static bool jax_cannot_save(const cJSON *json) { return golden_get(json, "jax.error") != NULL; }

/* ---- The file ------------------------------------------------------------------------------------------------------ */

static void unflatten(void **state)
{
    (void)state;
    golden_run("errors", "unflatten", check_unflatten, NULL);
}

static void depth(void **state)
{
    (void)state;
    golden_run("errors", "depth", check_depth, NULL);
}

static void cycle(void **state)
{
    (void)state;
    golden_run("errors", "cycle", check_cycle, NULL);
}

static void keys(void **state)
{
    (void)state;
    golden_run("errors", "keys", check_keys, NULL);
}

static void predicate_result(void **state)
{
    (void)state;
    golden_run("errors", "predicate_result", check_predicate_result, NULL);
}

static void leaves_argument(void **state)
{
    (void)state;
    golden_run("errors", "leaves_argument", check_leaves_argument, NULL);
}

static void callback(void **state)
{
    (void)state;
    golden_run("errors", "callback", check_callback, NULL);
}

static void serialize(void **state)
{
    static const GoldenDecision decisions[] = {
        { "serialize", NULL, "serializable", NULL, jax_cannot_save, "true", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("errors", "serialize", check_serialize, decisions);
}

static void from_iterable(void **state)
{
    (void)state;
    golden_run("errors", "from_iterable", check_from_iterable, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(unflatten), cmocka_unit_test(depth), cmocka_unit_test(cycle), cmocka_unit_test(keys),
        cmocka_unit_test(predicate_result), cmocka_unit_test(leaves_argument), cmocka_unit_test(callback),
        cmocka_unit_test(serialize), cmocka_unit_test(from_iterable)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
