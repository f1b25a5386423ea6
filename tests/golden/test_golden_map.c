/* pytree_map over one to four trees: golden/map.jsonl. */
#include "golden.h"
#include "golden/checks.h"

/* What the function received, and what it returned: its arguments as a tuple. */
typedef struct Calls {
    Golden *golden;
    cJSON *arguments;
    pytree_leaf *results;
    size_t n;
} Calls;

static pytree_status take(void *context, const pytree_iter *at)
{
    Calls *calls = context;
    pytree_leaf *views = golden_alloc(calls->golden, at->n, sizeof *views), *result = &calls->results[calls->n++];
    pytree *items = golden_alloc(calls->golden, at->n, sizeof *items);
    pytree_items *tuple = golden_alloc(calls->golden, 1, sizeof *tuple);
    size_t i;
    for (i = 0; i < at->n; i++) {
        views[i] = *at->leaf[i];
        items[i] = pytree_of_view(&views[i]);
    }
    cJSON_AddItemToArray(calls->arguments, golden_json_views(at->n, views));
    tuple->count = at->n;
    tuple->items = items;
    result->data = tuple;
    result->type = &pytree_types[PYTREE__T_tuple];
    result->form = PYTREE_FORM_ITEMS;
    return PYTREE_OK;
}

/* The mapped tree: the first one's structure with other leaves. Dicts as they were filled, as optree has them; JAX has them
 * sorted. */
static void check_result(Golden *g, const char *part, const cJSON *answer, const pytree_def *def, const Calls *calls)
{
    pytree_flat result;
    result.def = def;
    result.leaves = calls->results;
    if (strcmp(part, "jax") != 0) {
        golden_check_json(g, golden_name(g, part, "result"), golden_at(answer, "result"), golden_json(PYTREE(&result)));
    } else {
        cJSON *sorted = golden_sorted(cJSON_Duplicate(golden_at(answer, "result"), true));
        golden_check_json(g, "jax.result", sorted, golden_sorted(golden_json(PYTREE(&result))));
        cJSON_Delete(sorted);
    }
}

/* All mismatches between the first tree and the first that does not fit; the error is one of them. */
static void check_error(Golden *g, const char *part, const cJSON *answer, const pytree *trees, const pytree_options *opt,
                        const pytree_error *error)
{
    const cJSON *mismatches = golden_get(answer, "error.mismatches"), *mismatch;
    pytree_options full = { 0 };
    pytree_error other = { 0 };
    pytree_def *def;
    bool named = false;
    golden_check_text(g, golden_name(g, part, "status"), "structures differ", pytree_status_name(error->status));
    if (mismatches == NULL) { return; }
    cJSON_ArrayForEach(mismatch, mismatches) { named = named || strcmp(error->path, golden_mismatch_path(mismatch)) == 0; }
    golden_verdict(g, golden_name(g, part, "path"), named, "the path of a mismatch", error->path);
    full.none_is_leaf = opt->none_is_leaf;                     /* the predicate is for the first tree */
    def = pytree_structure(trees[golden_int(golden_at(answer, "error.tree"))], &full, &other);
    if (golden_check_ok(g, golden_name(g, part, "structure of the other"), &other)) {
        golden_check_mismatches(g, golden_name(g, part, "mismatches"), mismatches, trees[0], def, opt);
    }
    pytree_def_free(def);
}

static void check_part(Golden *g, const char *part, size_t n, const pytree *trees)
{
    const bool jax = strcmp(part, "jax") == 0;
    const cJSON *answer = golden_at(g->json, part);
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_def *def;
    pytree_status status;
    Calls calls = { g, cJSON_CreateArray(), NULL, 0 };
    golden_use_predicate(&opt, g->json);
    def = pytree_structure(trees[0], &opt, &error);
    if (!golden_check_ok(g, golden_name(g, part, "structure"), &error)) { cJSON_Delete(calls.arguments); return; }
    calls.results = golden_alloc(g, pytree_def_num_leaves(def), sizeof *calls.results);
    status = pytree_map(take, &calls, NULL, n, trees, &opt, &error);
    golden_check_bool(g, golden_name(g, part, "fits"), golden_get(answer, "error") == NULL, status == PYTREE_OK);
    if (golden_get(answer, "error") == NULL && status == PYTREE_OK) {
        golden_check_text(g, golden_name(g, part, "structure"), golden_word(answer, "structure"),
                          jax ? golden_def_text(g, def) : golden_spec(g, def));
        golden_check_json(g, golden_name(g, part, "calls"), golden_at(answer, "calls"), calls.arguments);
        calls.arguments = NULL;
        check_result(g, part, answer, def, &calls);
    }
    if (status != PYTREE_OK) {
        golden_check_bool(g, golden_name(g, part, "no call before a mismatch"), true, calls.n == 0);
        check_error(g, part, answer, trees, &opt, &error);
    }
    cJSON_Delete(calls.arguments);
    pytree_def_free(def);
}

static void check(Golden *g)
{
    pytree trees[8];
    const cJSON *tree;
    size_t n = 0;
    cJSON_ArrayForEach(tree, golden_at(g->json, "trees")) {
        assert_true(n < COUNT_OF(trees));
        trees[n++] = golden_tree(g, tree);
    }
    check_part(g, "jax", n, trees);
    check_part(g, "optree", n, trees);
    check_part(g, "optree_nil", n, trees);
}

/* optree matches dict, OrderedDict and defaultdict with the same keys; JAX and this library do not. */
static bool optree_takes(const cJSON *json)
{
    return golden_get(json, "jax.error") != NULL && golden_get(json, "optree.error") == NULL;
}

static bool optree_nil_takes(const cJSON *json)
{
    return optree_takes(json) && golden_get(json, "optree_nil.error") == NULL;
}

static void map(void **state)
{
    static const GoldenDecision decisions[] = {
        { "dict-likes", "jax", "optree.fits", NULL, optree_takes, "false", NULL },
        { "dict-likes", "jax", "optree_nil.fits", NULL, optree_nil_takes, "false", NULL },
        { "dict-likes", "jax", "optree.mismatches optree_nil.mismatches", "map-00210 map-00219 map-00276 map-00552", NULL, NULL,
          golden_as_jax },
        { "dict-likes", "jax", "optree.path optree_nil.path", "map-00276", NULL, NULL, golden_as_jax },
        { "mismatches below a predicate's leaf", "optree", "jax.mismatches", "map-00040 map-00171", NULL,
          "[{\"path\":\".b\",\"kind\":\"different_types\",\"missing\":[],\"extra\":[]}]", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("map", NULL, check, decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(map) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
