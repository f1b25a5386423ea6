/* Treedefs compared: equality, hashes, prefixes, differences: golden/equality.jsonl. */
#include "golden.h"
#include "golden/checks.h"

static void check(Golden *g)
{
    pytree a = golden_tree(g, golden_at(g->json, "a")), b = golden_tree(g, golden_at(g->json, "b"));
    golden_check_equality(g, "jax", a, b);
    golden_check_equality(g, "jax_nil", a, b);
    golden_check_equality(g, "optree", a, b);
    golden_check_equality(g, "optree_nil", a, b);
}

static void equality(void **state)
{
    static const GoldenDecision decisions[] = {
        { "zeros", NULL, "jax.equal jax_nil.equal optree.equal optree_nil.equal optree.is_prefix optree.is_suffix "
          "optree_nil.is_prefix optree_nil.is_suffix", "equality-00283 equality-00284", NULL, "false", NULL },
        { "zeros", NULL, "jax.differences", "equality-00283 equality-00284", NULL,
          "[{\"keystr\":\"\",\"kind\":\"different_metadata\",\"missing\":\"\",\"extra\":\"\"}]", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("equality", NULL, check, decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(equality) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
