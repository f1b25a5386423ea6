/* Trees with deques: golden/deque.jsonl. */
#include "golden.h"
#include "golden/checks.h"

/* For JAX a deque is a leaf: so it is here with a predicate that says so. */
static bool is_deque(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    return value->form == PYTREE_FORM_ITEMS && value->type->kind == PYTREE_KIND_DEQUE;
}

static void check_flatten(Golden *g)
{
    pytree tree = golden_tree(g, golden_at(g->json, "tree"));
    const cJSON *answer = golden_at(g->json, "jax"), *tags = golden_at(g->json, "tags"), *tag;
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    bool same_words = true;
    golden_check_optree_flatten(g, "optree", tree);
    golden_check_optree_flatten(g, "optree_nil", tree);

    opt.is_leaf = is_deque;
    pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
    if (golden_check_ok(g, "flatten", &error)) {
        golden_check_text(g, "jax.treedef", golden_word(answer, "treedef"), golden_def_text(g, def));
        golden_check_json(g, "jax.leaves", golden_at(answer, "leaves"), golden_json_views(pytree_def_num_leaves(def), leaves));
        golden_check_count(g, "jax.num_leaves", golden_at(answer, "num_leaves"), pytree_def_num_leaves(def));
        golden_check_count(g, "jax.num_nodes", golden_at(answer, "num_nodes"), pytree_def_num_nodes(def));
    }
    pytree_def_free(def);

    /* The library's own text of a deque is optree's, where all else in the tree has the same text for both. */
    cJSON_ArrayForEach(tag, tags) {
        same_words = same_words && !golden_among("odict defaultdict namedtuple struct custom", golden_string(tag));
    }
    if (same_words) {
        GoldenText to = { g, NULL, 0, 0 };
        def = pytree_structure(tree, NULL, &error);
        golden_puts(&to, "PyTreeDef");
        golden_puts(&to, golden_word(g->json, "optree.spec") + strlen("PyTreeSpec"));
        golden_check_text(g, "text", to.at, def == NULL ? NULL : golden_def_text(g, def));
        pytree_def_free(def);
    }
}

static void check_equality(Golden *g)
{
    pytree a = golden_tree(g, golden_at(g->json, "a")), b = golden_tree(g, golden_at(g->json, "b"));
    golden_check_equality(g, "optree", a, b);
    golden_check_equality(g, "optree_nil", a, b);
}

static void check_prefix(Golden *g)
{
    pytree prefix = golden_tree(g, golden_at(g->json, "prefix")), full = golden_tree(g, golden_at(g->json, "full"));
    golden_check_prefix(g, "optree", prefix, full);
    golden_check_prefix(g, "optree_nil", prefix, full);
}

static void flatten(void **state)
{
    (void)state;
    golden_run("deque", "flatten", check_flatten, NULL);
}

static void equality(void **state)
{
    (void)state;
    golden_run("deque", "equality", check_equality, NULL);
}

#define DICT_LIKES "different types: expected dict with keys 'c', 'topic', got OrderedDict with keys 'c', 'topic'"

static void prefix(void **state)
{
    static const GoldenDecision decisions[] = {
        { "dict-likes", "jax", "optree.matches optree_nil.matches", "deque-00173", NULL, "false", NULL },
        { "dict-likes", "jax", "optree.errors optree_nil.errors", "deque-00173", NULL,
          "[{\"path\":\"\",\"kind\":\"different_types\",\"missing\":[],\"extra\":[]}]", NULL },
        { "dict-likes", "jax", "optree.flatten_up_to optree_nil.flatten_up_to", "deque-00173", NULL,
          "\"" DICT_LIKES "\"", NULL },
        { "dict-likes", "jax", "optree.flat optree.broadcast optree_nil.flat optree_nil.broadcast", "deque-00173", NULL,
          "\"prefix: " DICT_LIKES "\"", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("deque", "prefix", check_prefix, decisions);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(flatten), cmocka_unit_test(equality), cmocka_unit_test(prefix) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
