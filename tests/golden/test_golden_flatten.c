/* Leaves, treedefs, counts, key paths and rebuilt trees: golden/flatten.jsonl. Treedefs and paths are also read back from the
 * packages' texts, and treedefs from their own bytes. */
#include "golden.h"
#include "golden/checks.h"
#include "pytree/path.h"
#include "pytree/treedef_io.h"

/* ---- Read back ----------------------------------------------------------------------------------------------------- */

/* Types that a text may name: those of the data, and what a text does not say of namedtuples. */
static const pytree_type nil = { .name = "Nil", .kind = PYTREE_KIND_NAMEDTUPLE };
static const pytree_type *const namedtuples[] = {
    PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" }),
    PYTREE_NAMEDTUPLE_TYPE("Pair", { .name = "first" }, { .name = "second" }),
    PYTREE_NAMEDTUPLE_TYPE("Polar", { .name = "r" }, { .name = "theta" }),
    PYTREE_NAMEDTUPLE_TYPE("Only", { .name = "value" }),
    PYTREE_NAMEDTUPLE_TYPE("Quad", { .name = "d" }, { .name = "c" }, { .name = "b" }, { .name = "a" }),
    &nil
};

static const pytree_type **types_of(Golden *g, size_t *n)
{
    const pytree_type *const *structs = golden_types(n);
    const pytree_type **types = golden_alloc(g, *n + COUNT_OF(namedtuples), sizeof *types);
    memcpy(types, structs, *n * sizeof *types);
    memcpy(types + *n, namedtuples, sizeof namedtuples);
    *n += COUNT_OF(namedtuples);
    return types;
}

/* The text is read as that treedef; one with a custom node, which prints its metadata in its own way, is refused. */
static void check_parsed(Golden *g, const char *part, const char *text, const pytree_def *def)
{
    size_t n, i;
    const pytree_type **types = types_of(g, &n);
    pytree_error error = { 0 };
    pytree_def *parsed = pytree_def_parse(text, types, n, NULL, &error);
    bool custom = false;
    for (i = 0; i < def->n_nodes; i++) { custom = custom || golden_node_kind(&def->nodes[i]) == PYTREE_KIND_CUSTOM; }
    if (custom) {
        golden_check_text(g, golden_name(g, part, "no text of a custom node"), "types differ",
                          pytree_status_name(error.status));
    } else if (golden_check_ok(g, golden_name(g, part, "parse"), &error)) {
        golden_check_bool(g, golden_name(g, part, "the same treedef from its text"), true, pytree_def_equal(def, parsed));
    }
    pytree_def_free(parsed);
}

static void check_loaded(Golden *g, const char *part, const pytree_def *def)
{
    size_t n, size;
    const pytree_type **types = types_of(g, &n);
    pytree_error error = { 0 };
    pytree_def *loaded;
    void *bytes;
    size = pytree_def_save(def, NULL, 0, NULL, &error);
    if (!golden_check_ok(g, golden_name(g, part, "save"), &error)) { return; }
    bytes = golden_alloc(g, size, 1);
    pytree_def_save(def, bytes, size, NULL, &error);
    loaded = pytree_def_load(bytes, size, types, n, NULL, &error);
    if (golden_check_ok(g, golden_name(g, part, "load"), &error)) {
        golden_check_bool(g, golden_name(g, part, "the same treedef from its bytes"), true, pytree_def_equal(def, loaded));
    }
    pytree_def_free(loaded);
}

/* Both texts of a path are read back: the first to the same path, the simple one to one with the same text. */
static void check_path_texts(Golden *g, const pytree_path *path, const char *keystr, const char *simple)
{
    pytree_error error = { 0 };
    pytree_path *back = pytree_path_parse(keystr, NULL, NULL, &error);
    bool numbered = false;                /* a number in brackets is read as an index, which pytree_get also takes for a key */
    size_t n, i;
    char *text;
    for (i = 0; i < path->n; i++) { numbered = numbered || path->entries[i].kind == PYTREE_INT_KEY; }
    if (golden_check_ok(g, "pytree_path_parse", &error)) {
        n = pytree_path_text(back, NULL, 0);
        text = golden_alloc(g, n + 1, 1);
        pytree_path_text(back, text, n + 1);
        golden_check_text(g, "the same text of the path", keystr, text);
        if (!numbered) {
            golden_check_bool(g, "the same path from its text", true, pytree_path_equal(back, path));
            golden_check_bool(g, "equal hashes of paths", true, pytree_path_hash(back) == pytree_path_hash(path));
        }
        golden_check_bool(g, "a path matches its text", true, pytree_path_match(path, keystr, &error));
    }
    pytree_path_free(back);
    back = pytree_path_parse(simple, "/", NULL, &error);
    if (golden_check_ok(g, "pytree_path_parse of the simple text", &error)) {
        n = pytree_path_simple_text(back, "/", NULL, 0);
        text = golden_alloc(g, n + 1, 1);
        pytree_path_simple_text(back, "/", text, n + 1);
        golden_check_text(g, "simple text", simple, text);
    }
    pytree_path_free(back);
}

/* ---- Flatten ------------------------------------------------------------------------------------------------------- */

/* Depth of the deepest value. */
static int deepest(void *context, const pytree_leaf *value, const pytree_path *path)
{
    size_t *depth = context;
    (void)value;
    if (path->n > *depth) { *depth = path->n; }
    return PYTREE_WALK_ON;
}

static void check_depth(Golden *g, pytree tree)
{
    size_t depth = 0;
    pytree_error error = { 0 };
    pytree_visitor visitor = { 0 };
    visitor.enter = deepest;
    visitor.context = &depth;
    pytree_walk(tree, &visitor, NULL, &error);
    if (golden_check_ok(g, "walk", &error)) { golden_check_count(g, "depth", golden_at(g->json, "depth"), depth); }
}

/* What an iterator says of each leaf's path. */
static void check_paths(Golden *g, const char *part, const cJSON *answer, pytree tree, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_iter it;
    cJSON *paths = cJSON_CreateArray(), *keystr = cJSON_CreateArray();
    const cJSON *simple = golden_at(answer, "simple")->child;
    pytree_path path;
    pytree_leaf there;
    pytree_entry *entries = golden_alloc(g, 1024, sizeof *entries);
    static const char *const separators[] = { NULL, "/" };
    size_t i;
    if (pytree_iter_begin(&it, 1, &tree, opt, &error) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            size_t n = pytree_iter_path(&it, entries, 1024), length = pytree_iter_path_text(&it, NULL, 0);
            char *text = golden_alloc(g, length + 1, 1);
            assert_true(n <= 1024);
            pytree_iter_path_text(&it, text, length + 1);
            cJSON_AddItemToArray(paths, golden_json_path(n, entries));
            cJSON_AddItemToArray(keystr, cJSON_CreateString(text));
            path.n = n;
            path.entries = entries;
            check_path_texts(g, &path, text, golden_string(simple));
            there = pytree_at(tree, text, opt, &error);
            golden_check_bool(g, golden_name(g, part, "pytree_at"), true,
                              there.form == it.leaf[0]->form && there.data == it.leaf[0]->data);
            simple = simple->next;
        }
    }
    pytree_iter_end(&it);
    golden_check_ok(g, golden_name(g, part, "iterate"), &error);
    golden_check_json(g, golden_name(g, part, "paths"), golden_at(answer, "paths"), paths);
    golden_check_json(g, golden_name(g, part, "keystr of the iterator"), golden_at(answer, "keystr"), keystr);
    for (i = 0; i < 2; i++) {
        const char *name = i == 0 ? "keystr" : "simple";
        size_t count;
        const char **texts = pytree_paths(tree, separators[i], &count, opt, &error);
        if (golden_check_ok(g, golden_name(g, part, "pytree_paths"), &error)) {
            golden_check_json(g, golden_name(g, part, name), golden_at(answer, name), golden_json_texts(count, texts));
        }
        pytree_paths_free(texts);
    }
}

static void check_jax(Golden *g, const char *part, pytree tree)
{
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    const cJSON *answer = golden_at(g->json, part), *with_lists = golden_get(answer, "leaves") != NULL ? answer
                                                                : golden_at(g->json, "jax");
    pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
    if (!golden_check_ok(g, golden_name(g, part, "flatten"), &error)) { return; }
    golden_check_text(g, golden_name(g, part, "treedef"),
                      golden_with_switch(g, golden_word(answer, "treedef"), opt.none_is_leaf),
                      golden_def_text(g, def));
    golden_check_json(g, golden_name(g, part, "leaves"), golden_at(with_lists, "leaves"),
                      golden_json_views(pytree_def_num_leaves(def), leaves));
    golden_check_counts(g, part, answer, def);
    golden_check_bool(g, golden_name(g, part, "treedef_is_leaf"), golden_true(answer, "treedef_is_leaf"),
                      pytree_def_num_nodes(def) == 1);
    golden_check_bool(g, golden_name(g, part, "is_node"),
                      golden_true(g->json, opt.none_is_leaf ? "is_node_nil" : "is_node"), !pytree_def_is_leaf(def));
    check_paths(g, part, with_lists, tree, &opt);
    check_parsed(g, part, golden_with_switch(g, golden_word(answer, "treedef"), opt.none_is_leaf), def);
    check_loaded(g, part, def);
    golden_check_rebuilt(g, part, def, leaves, golden_get(answer, "rebuilt"), &opt);
    pytree_def_free(def);
}

/* optree's own text is read too. */
static void check_spec(Golden *g, const char *part, pytree tree)
{
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(tree, &opt, &error);
    if (!golden_check_ok(g, golden_name(g, part, "structure"), &error)) { return; }
    check_parsed(g, part, golden_string(golden_at(golden_at(g->json, part), "spec")), def);
    check_loaded(g, part, def);
    pytree_def_free(def);
}

static void check(Golden *g)
{
    pytree tree = golden_tree(g, golden_at(g->json, "tree"));
    check_depth(g, tree);
    check_jax(g, "jax", tree);
    check_jax(g, "jax_nil", tree);
    golden_check_optree_flatten(g, "optree", tree);
    golden_check_optree_flatten(g, "optree_nil", tree);
    check_spec(g, "optree", tree);
    check_spec(g, "optree_nil", tree);
}

static void flatten(void **state)
{
    (void)state;
    golden_run("flatten", NULL, check, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(flatten) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
