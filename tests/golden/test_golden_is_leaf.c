/* Predicates that stop the descent: golden/is_leaf.jsonl. */
#include "golden.h"

static void check_part(Golden *g, const char *part, pytree tree)
{
    const cJSON *answer = golden_at(g->json, part);
    const bool jax = strcmp(part, "jax") == 0;
    const char *text = jax ? "treedef" : "spec";
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    size_t count = 0;
    const char **keystr;
    if (cJSON_IsNull(answer)) { return; }                      /* optree's predicates see no path */
    golden_use_predicate(&opt, g->json);
    pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
    if (!golden_check_ok(g, golden_name(g, part, "flatten"), &error)) { return; }
    golden_check_json(g, golden_name(g, part, "leaves"), golden_at(answer, "leaves"),
                      golden_json_views(pytree_def_num_leaves(def), leaves));
    golden_check_count(g, golden_name(g, part, "num_leaves"), golden_at(answer, "num_leaves"), pytree_def_num_leaves(def));
    golden_check_count(g, golden_name(g, part, "num_nodes"), golden_at(answer, "num_nodes"), pytree_def_num_nodes(def));
    golden_check_text(g, golden_name(g, part, text), golden_word(answer, text),
                      jax ? golden_def_text(g, def) : golden_spec(g, def));
    if (jax) {
        keystr = pytree_paths(tree, NULL, &count, &opt, &error);
        if (golden_check_ok(g, "pytree_paths", &error)) {
            golden_check_json(g, "jax.keystr", golden_at(answer, "keystr"), golden_json_texts(count, keystr));
        }
        pytree_paths_free(keystr);
    }
    pytree_def_free(def);
}

static void check(Golden *g)
{
    pytree tree = golden_tree(g, golden_at(g->json, "tree"));
    check_part(g, "jax", tree);
    check_part(g, "optree", tree);
    check_part(g, "optree_nil", tree);
}

static void is_leaf(void **state)
{
    (void)state;
    golden_run("is_leaf", NULL, check, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(is_leaf) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
