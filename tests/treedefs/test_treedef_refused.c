/* Treedefs of a namespace, combined and compared, each allocation failing; no treedef at all; replacements that do not fit;
 * long paths of differences. */
#include "support.h"
#include "treedefs.h"

typedef struct Pair { float a, b; } Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE test
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

static pytree_def *in_space(const char *space, bool none_is_leaf)
{
    Pair pair = { 1, 2 };
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE_LIST(PYTREE(&pair), PYTREE_DICT({ "z", PYTREE_INT(1) }, { "a", PYTREE_INT(2) })),
                                       &(pytree_options){ .space = space, .none_is_leaf = none_is_leaf }, &error);
    assert_ok(error.status, &error);
    return def;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static pytree_status keep(void *context, const pytree_def *node, pytree_def **replacement, pytree_error *err)
{
    (void)context;
    (void)node;
    (void)err;
    *replacement = NULL;
    return PYTREE_OK;
}

/* Three treedefs, that of the namespace the first: all ways to combine them. */
static pytree_status combine(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *const *defs = context, *made;
    pytree_def_error_list *list;
    made = pytree_def_compose(defs[0], defs[1], opt, err);
    if (made != NULL) { assert_string_equal(made->space, "train"); }
    pytree_def_free(made);
    if (err->status == PYTREE_OK) { pytree_def_free(pytree_def_compose(defs[1], defs[0], opt, err)); }
    if (err->status == PYTREE_OK) { pytree_def_free(pytree_def_common_suffix(defs[0], defs[1], opt, err)); }
    if (err->status == PYTREE_OK) { pytree_def_free(pytree_def_common_suffix(defs[1], defs[0], opt, err)); }
    if (err->status == PYTREE_OK) { pytree_def_free(pytree_def_transform(defs[0], keep, keep, NULL, opt, err)); }
    if (err->status != PYTREE_OK) { return err->status; }
    list = pytree_def_differences(defs[0], defs[2], opt, err);     /* None, the namespace, a node */
    if (list != NULL) { assert_int_equal(list->n, 3); }
    pytree_def_errors_free(list);
    return err->status;
}

static void memory_runs_out(void **state)
{
    pytree_def *defs[3] = { in_space("train", false), pytree_def_leaf(NULL, NULL), in_space("test", true) };
    (void)state;
    assert_true(sweep_allocations(combine, defs) > 10);
    for (size_t i = 0; i < 3; i++) { pytree_def_free(defs[i]); }
}

/* Dicts of n keys, not in order. */
static pytree_status parse_dict(void *context, const pytree_options *opt, pytree_error *err)
{
    pytree_def *def = pytree_def_parse(context, NULL, 0, opt, err);
    pytree_def_free(def);
    return err->status;
}

static void texts_of_every_length(void **state)
{
    char text[600];
    (void)state;
    for (int n = 0; n < 24; n++) {
        size_t at = (size_t)snprintf(text, sizeof text, "PyTreeDef([{");
        for (int i = n; i-- != 0; ) {
            at += (size_t)snprintf(text + at, sizeof text - at, "'k%02d': *%s", i, i == 0 ? "" : ", ");
        }
        snprintf(text + at, sizeof text - at, "}])");
        assert_true(sweep_allocations(parse_dict, text) > 0);
    }
}

/* ---- What is refused --------------------------------------------------------------------------------------------------- */

static void no_treedefs(void **state)
{
    pytree_def *leaf = pytree_def_leaf(NULL, NULL);
    pytree_error error = { 0 };
    const pytree no_struct = { PYTREE_TYPE(Pair), NULL }, number = PYTREE_INT(1), no_tree = PYTREE_LIST(number);
    (void)state;
    REFUSED(pytree_def_compose(NULL, leaf, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_compose(leaf, NULL, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_common_suffix(NULL, leaf, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_common_suffix(leaf, NULL, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_differences(NULL, leaf, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_differences(leaf, NULL, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_transform(NULL, NULL, NULL, NULL, NULL, &error), PYTREE_ARGUMENT, "expected a treedef, got NULL");
    REFUSED(pytree_def_struct(no_struct, 0, NULL, NULL, &error), PYTREE_ARGUMENT, "expected a registered struct, got NULL");
    REFUSED(pytree_def_struct(no_tree, 0, NULL, NULL, &error), PYTREE_ARGUMENT, "expected a registered struct, got list");
    pytree_def_free(leaf);
}

static void namespaces_that_differ(void **state)
{
    pytree_def *train = in_space("train", false), *test = in_space("test", false);
    pytree_error error = { 0 };
    (void)state;
    REFUSED(pytree_def_compose(train, test, NULL, &error), PYTREE_ARGUMENT,
            "expected treedefs of one namespace, got 'train' and 'test'");
    REFUSED(pytree_def_common_suffix(train, test, NULL, &error), PYTREE_ARGUMENT,
            "expected treedefs of one namespace, got 'train' and 'test'");
    pytree_def_free(train);
    pytree_def_free(test);
}

/* Replaces each list by the treedef of the context. */
static pytree_status replace(void *context, const pytree_def *node, pytree_def **replacement, pytree_error *err)
{
    *replacement = strcmp(pytree_def_type_name(node), "list") == 0 ? pytree_def_parse(context, NULL, 0, NULL, err) : NULL;
    return err->status;
}

static void replacements_that_do_not_fit(void **state)
{
    static char *const texts[] = { "PyTreeDef([*, *])", "PyTreeDef([None])", "PyTreeDef([[*]])" };
    static const char *const words[] = { "3 nodes and 2 leaves", "2 nodes and 0 leaves", "3 nodes and 1 leaves" };
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse("PyTreeDef(([*], *))", NULL, 0, NULL, &error), *made;
    char text[100];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        snprintf(text, sizeof text, "expected a node of 1 leaves in place of a list, got %s", words[i]);
        REFUSED(pytree_def_transform(def, replace, NULL, texts[i], NULL, &error), PYTREE_STRUCTURE, text);
    }
    memset(&error, 0, sizeof error);
    made = pytree_def_transform(def, replace, NULL, (char[]){ "PyTreeDef((*,))" }, NULL, &error);
    assert_ok(error.status, &error);
    (void)pytree_def_text(made, text, sizeof text);
    assert_string_equal(text, "PyTreeDef(((*,), *))");
    pytree_def_free(made);
    pytree_def_free(def);
}

/* The path of a difference at any depth: whole, or its ends. */
static void paths_of_every_length(void **state)
{
    char text[300];
    (void)state;
    for (size_t depth = 0; depth < 100; depth++) {
        pytree_def *defs[2];
        pytree_error error = { 0 };
        for (int side = 0; side < 2; side++) {
            size_t at = (size_t)snprintf(text, sizeof text, "PyTreeDef(");
            for (size_t i = 0; i < depth; i++) { text[at++] = '['; }
            at += (size_t)snprintf(text + at, sizeof text - at, "%s", side == 0 ? "[*]" : "(*,)");
            for (size_t i = 0; i < depth; i++) { text[at++] = ']'; }
            snprintf(text + at, sizeof text - at, ")");
            defs[side] = pytree_def_parse(text, NULL, 0, NULL, &error);
            assert_ok(error.status, &error);
        }
        assert_false(pytree_def_is_prefix(defs[0], defs[1], false, NULL, &error));
        assert_int_equal(error.status, PYTREE_STRUCTURE);
        assert_string_equal(error.message, "different types: expected list of length 1, got tuple of length 1");
        if (strstr(error.path, "...") == NULL) {
            assert_int_equal(strlen(error.path), 3 * depth);
        } else {
            assert_in_range(strlen(error.path), 3, 3 * depth);
        }
        for (size_t i = 0; i < strlen(error.path); i++) { assert_non_null(strchr("[0].", error.path[i])); }
        pytree_def_free(defs[0]);
        pytree_def_free(defs[1]);
    }
}

/* A part that stands in a treedef many times: together they have more nodes than a treedef may have. */
static void more_nodes_than_a_treedef_may_have(void **state)
{
    enum { N = 65536 };
    pytree_error error = { 0 };
    pytree_def *leaf = pytree_def_leaf(NULL, &error), *part;
    const pytree_def **children = malloc((N + 2) * sizeof *children);
    (void)state;
    assert_non_null(children);
    for (size_t i = 0; i < N; i++) { children[i] = leaf; }
    part = pytree_def_list(N, children, NULL, &error);
    assert_ok(error.status, &error);
    for (size_t i = 0; i < N + 2; i++) { children[i] = part; }
    assert_null(pytree_def_list(N + 2, children, NULL, &error));
    assert_error(error.status, PYTREE_OVERFLOW, "", &error);
    assert_string_equal(error.message, "expected fewer than 2^32 nodes, got more");
    pytree_def_free(part);
    pytree_def_free(leaf);
    free((void *)children);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_runs_out), cmocka_unit_test(texts_of_every_length), cmocka_unit_test(no_treedefs),
        cmocka_unit_test(namespaces_that_differ), cmocka_unit_test(replacements_that_do_not_fit),
        cmocka_unit_test(paths_of_every_length), cmocka_unit_test(more_nodes_than_a_treedef_may_have)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
