/* Prefix trees: golden/prefix.jsonl. */
#include "golden.h"
#include "golden/checks.h"

/* None is a leaf of the prefix, and a node of the full tree. */
static void check_none_leaf(Golden *g, pytree prefix, pytree full)
{
    const cJSON *answer = golden_get(g->json, "jax_none_leaf");
    const cJSON *flat = golden_get(answer, "flat.error") != NULL ? NULL : golden_get(answer, "flat");
    static char is_none[] = "is_none";
    pytree_options leaf = { 0 }, entry = { 0 };
    pytree_error error = { 0 };
    pytree_def *def_full, *def_prefix;
    if (answer == NULL) { return; }
    leaf.is_leaf = golden_predicate;
    leaf.is_leaf_context = is_none;
    entry.none_is_leaf = true;
    def_full = pytree_structure(full, NULL, &error);
    def_prefix = pytree_structure(prefix, &leaf, &error);
    if (golden_check_ok(g, "jax_none_leaf.structure", &error)) {
        golden_check_up_to(g, "jax_none_leaf.flatten_up_to", golden_at(answer, "flatten_up_to"), def_prefix, full, NULL);
        golden_check_flat(g, "jax_none_leaf.flat", flat, prefix, def_full, &leaf);
        golden_check_flat(g, "jax_none_leaf.flat with none_is_leaf", flat, prefix, def_full, &entry);
    }
    pytree_def_free(def_full);
    pytree_def_free(def_prefix);
}

static void check(Golden *g)
{
    pytree prefix = golden_tree(g, golden_at(g->json, "prefix")), full = golden_tree(g, golden_at(g->json, "full"));
    golden_check_prefix(g, "jax", prefix, full);
    golden_check_prefix(g, "optree", prefix, full);
    golden_check_prefix(g, "optree_nil", prefix, full);
    check_none_leaf(g, prefix, full);
}

/* optree matches dicts of all kinds that have the same keys, and ordered dicts in any order. JAX and this library do not. */
static bool optree_takes(const cJSON *json)
{
    return cJSON_IsFalse(golden_at(json, "jax.matches")) && golden_true(json, "optree.matches");
}

static bool optree_nil_takes(const cJSON *json)
{
    return optree_takes(json) && golden_true(json, "optree_nil.matches");
}

/* The packages report other mismatches: not the same places, or not the same kinds. */
static bool optree_reports(const cJSON *json)
{
    const cJSON *a = golden_at(json, "jax.errors")->child, *b = golden_at(json, "optree.errors")->child;
    for (; a != NULL && b != NULL; a = a->next, b = b->next) {
        if (!golden_same(golden_at(a, "path"), golden_at(b, "path"))) { return true; }
        if (!golden_same(golden_at(a, "kind"), golden_at(b, "kind"))) { return true; }
    }
    return a != b;
}

static void prefix(void **state)
{
    static const GoldenDecision decisions[] = {
        { "dict-likes", "jax", "optree.matches optree.flatten_up_to optree.flat optree.broadcast", NULL, optree_takes, NULL,
          golden_as_jax },
        { "dict-likes", "jax", "optree_nil.matches optree_nil.flatten_up_to optree_nil.flat optree_nil.broadcast", NULL,
          optree_nil_takes, NULL, golden_as_jax },
        { "dict-likes", "jax", "optree_nil.errors", "prefix-00139", NULL,          /* with a None against a node, too */
          "[{\"path\":\"[<flat index 1>]\",\"kind\":\"different_lengths\",\"missing\":[],\"extra\":[]},"
          "{\"path\":\"[<flat index 2>]\",\"kind\":\"different_types\",\"missing\":[],\"extra\":[]}]", NULL },
        { "dict-likes", "jax", "optree.errors optree_nil.errors", NULL, optree_reports, NULL, golden_as_jax },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("prefix", NULL, check, decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(prefix) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
