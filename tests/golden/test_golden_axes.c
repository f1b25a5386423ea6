/* Trees of axes, one entry for each leaf of an argument: golden/axes.jsonl. */
#include "golden.h"
#include "golden/checks.h"

/* Integers, and null for None. */
static cJSON *entries(size_t n, const pytree_leaf *leaves)
{
    cJSON *list = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < n; i++) {
        cJSON_AddItemToArray(list, leaves[i].form == PYTREE_FORM_NONE ? cJSON_CreateNull() : golden_json_number(&leaves[i], 0));
    }
    return list;
}

/* `opt` is that of the argument; of the axes None is always a leaf. */
static void check_part(Golden *g, const char *part, pytree axes, pytree argument, const pytree_options *opt)
{
    const cJSON *answer = golden_at(g->json, part);
    pytree_options axes_opt = *opt;
    pytree_error error = { 0 };
    pytree_def *full = pytree_structure(argument, opt, &error);
    pytree_leaf *leaves;
    pytree_status status;
    size_t n;
    axes_opt.none_is_leaf = true;
    if (!golden_check_ok(g, golden_name(g, part, "structure"), &error)) { return; }
    n = pytree_def_num_leaves(full);
    leaves = golden_alloc(g, n, sizeof *leaves);
    status = pytree_broadcast_leaves(axes, full, leaves, n, "in_axes", &axes_opt, &error);
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, golden_name(g, part, "status"), "structures differ", pytree_status_name(status));
        golden_check_mismatches(g, golden_name(g, part, "mismatches"), golden_at(answer, "error.mismatches"), axes, full,
                                &axes_opt);
    } else {
        golden_check_json(g, golden_name(g, part, "axes"), golden_at(answer, "axes"),
                          status == PYTREE_OK ? entries(n, leaves) : cJSON_CreateString(error.message));
    }
    pytree_def_free(full);
}

static void check(Golden *g)
{
    pytree axes = golden_tree(g, golden_at(g->json, "axes")), argument = golden_tree(g, golden_at(g->json, "argument"));
    pytree_options node = { 0 }, leaf = golden_options("optree_nil");
    golden_check_count(g, "num_leaves", golden_at(g->json, "num_leaves"), pytree_num_leaves(argument, NULL, NULL));
    check_part(g, "jax", axes, argument, &node);
    check_part(g, "optree_nil", axes, argument, &leaf);
}

/* optree matches dicts of all kinds, and ordered dicts in any order. */
static bool optree_takes(const cJSON *json)
{
    return golden_get(json, "jax.error") != NULL && golden_get(json, "optree_nil.error") == NULL;
}

static void axes(void **state)
{
    static const GoldenDecision decisions[] = {
        { "dict-likes", "jax", "optree_nil.axes", NULL, optree_takes, NULL, golden_as_jax },
        { "dict-likes", "jax", "optree_nil.mismatches", "axes-00235", NULL, NULL, golden_as_jax },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("axes", NULL, check, decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(axes) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
