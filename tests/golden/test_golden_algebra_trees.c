/* Trees combined, taken apart and folded: golden/algebra.jsonl. */
#include "golden_algebra_shared.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

/* Does the message of a mismatch begin with its kind, in words? */
static void check_kind(Golden *g, const char *check, const char *kind, const pytree_error *error)
{
    char words[40], said[40] = "";
    size_t n = strlen(kind), i;
    if (strncmp(kind, "different_", 10) != 0 || error->status != PYTREE_STRUCTURE) { return; }
    assert_true(n < sizeof words);
    for (i = 0; i <= n; i++) { words[i] = kind[i] == '_' ? ' ' : kind[i]; }
    snprintf(said, sizeof said, "%.*s", (int)strcspn(error->message, ":"), error->message);
    golden_check_text(g, golden_name(g, check, "kind"), words, said);
}

/* Result as a tree, or an error that this status stands for. */
static void check_result(Golden *g, const char *check, const cJSON *expected, const cJSON *kind, pytree got,
                         const pytree_error *error)
{
    static const struct { const char *kind; pytree_status status; } statuses[] = {
        { "leaf_count", PYTREE_STRUCTURE }, { "different_types", PYTREE_STRUCTURE }, { "different_lengths", PYTREE_STRUCTURE },
        { "different_keys", PYTREE_STRUCTURE }, { "different_metadata", PYTREE_STRUCTURE }, { "no_leaves", PYTREE_EMPTY },
        { "too_few_leaves", PYTREE_TOO_FEW_LEAVES }, { "empty", PYTREE_EMPTY }, { "type", PYTREE_TYPE }
    };
    size_t i;
    if (kind == NULL) {
        golden_check_json(g, check, expected,
                          error->status == PYTREE_OK ? golden_json(got) : cJSON_CreateString(error->message));
        return;
    }
    for (i = 0; i < COUNT_OF(statuses); i++) {
        if (strcmp(statuses[i].kind, golden_string(kind)) == 0) {
            golden_check_text(g, check, pytree_status_name(statuses[i].status), pytree_status_name(error->status));
            check_kind(g, check, golden_string(kind), error);
            return;
        }
    }
    fail_msg("an unknown kind of error: %s", kind->valuestring);
}

/* What a callback of pytree_map receives, and the tuples that it returns. */
typedef struct Calls {
    Golden *golden;
    cJSON *arguments;
    pytree_leaf *results;
    size_t n, capacity;
} Calls;

static pytree_status take(void *context, const pytree_iter *at)
{
    Calls *calls = context;
    pytree_leaf *views = golden_alloc(calls->golden, at->n, sizeof *views), *result = &calls->results[calls->n++];
    pytree *items = golden_alloc(calls->golden, at->n, sizeof *items);
    pytree_items *tuple = golden_alloc(calls->golden, 1, sizeof *tuple);
    size_t i;
    assert_true(calls->n <= calls->capacity);
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

/* ---- Trees from trees -------------------------------------------------------------------------------------------------- */

static void transpose_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *outer = def_of(g, golden_at(g->json, "outer"), opt);
    pytree_def *inner = golden_get(g->json, "inner") == NULL ? NULL : def_of(g, golden_at(g->json, "inner"), opt);
    pytree_flat flat = pytree_transpose(outer, inner, tree_of(g, "tree"), opt, &error);
    cJSON *expected = cJSON_Duplicate(golden_get(answer, "result"), true);
    if (is_jax(part) && expected != NULL && error.status == PYTREE_OK) {
        golden_check_json(g, "jax.result", golden_sorted(expected), golden_sorted(golden_json(PYTREE(&flat))));
    } else {
        check_result(g, golden_name(g, part, "result"), expected, golden_get(answer, "error.kind"), PYTREE(&flat), &error);
    }
    cJSON_Delete(expected);
    pytree_flat_free(&flat);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

/* x becomes (x, {'k': x}). */
static pytree_status twice(void *context, const pytree_iter *at, pytree_taker *to)
{
    Golden *g = context;
    pytree_leaf *view = golden_alloc(g, 1, sizeof *view);
    *view = *at->leaf[0];
    return pytree_give(to, PYTREE_TUPLE(pytree_of_view(view), PYTREE_DICT({ "k", pytree_of_view(view) })));
}

static void transpose_map_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree tree = tree_of(g, "tree");
    pytree_flat flat = pytree_transpose_map(twice, g, NULL, 1, &tree, opt, &error);
    check_result(g, golden_name(g, part, "result"), golden_get(answer, "result"), golden_get(answer, "error.kind"),
                 PYTREE(&flat), &error);
    pytree_flat_free(&flat);
}

/* The leaves of both in the order of the first. */
static pytree_status take_pair(void *context, const pytree_iter *at)
{
    cJSON *const *flat = context;
    cJSON_AddItemToArray(flat[0], golden_json_view(at->leaf[0]));
    cJSON_AddItemToArray(flat[1], golden_json_view(at->leaf[1]));
    return PYTREE_OK;
}

static void check_flat(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree trees[2];
    cJSON *flat[2];
    trees[0] = tree_of(g, "a");
    trees[1] = tree_of(g, "b");
    flat[0] = cJSON_CreateArray();
    flat[1] = cJSON_CreateArray();
    pytree_broadcast_map(take_pair, flat, NULL, 2, trees, opt, &error);
    golden_check_ok(g, golden_name(g, part, "broadcast_map"), &error);
    golden_check_json(g, golden_name(g, part, "flat_a"), golden_at(answer, "flat_a"), flat[0]);
    golden_check_json(g, golden_name(g, part, "flat_b"), golden_at(answer, "flat_b"), flat[1]);
}

static void common_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_flat a, b;
    pytree_broadcast_common(tree_of(g, "a"), tree_of(g, "b"), &a, &b, opt, &error);
    check_result(g, golden_name(g, part, "a"), golden_get(answer, "a"), golden_get(answer, "error.kind"), PYTREE(&a), &error);
    if (error.status == PYTREE_OK && golden_get(answer, "error") == NULL) {
        pytree_def *def_a = def_of(g, golden_at(g->json, "a"), opt), *def_b = def_of(g, golden_at(g->json, "b"), opt);
        golden_check_json(g, golden_name(g, part, "b"), golden_at(answer, "b"), golden_json(PYTREE(&b)));
        check_flat(g, part, answer, opt);
        check_def(g, part, answer, pytree_def_common_suffix(def_a, def_b, NULL, &error), &error);
        pytree_def_free(def_a);
        pytree_def_free(def_b);
    }
    pytree_flat_free(&a);
    pytree_flat_free(&b);
}

/* The results in the structure that all trees have in common. */
static void check_mapped(Golden *g, const char *part, const cJSON *answer, const Calls *calls, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = NULL;
    pytree_flat result;
    const cJSON *tree;
    cJSON_ArrayForEach(tree, golden_at(g->json, "trees")) {
        pytree_def *next = def_of(g, tree, opt), *both = def == NULL ? NULL : pytree_def_common_suffix(def, next, NULL, &error);
        if (def != NULL) { pytree_def_free(next); }
        pytree_def_free(def);
        def = def == NULL ? next : both;
    }
    if (!golden_check_ok(g, golden_name(g, part, "common suffix"), &error)) { return; }
    result.def = def;
    result.leaves = calls->results;
    golden_check_json(g, golden_name(g, part, "result"), golden_at(answer, "result"), golden_json(PYTREE(&result)));
    pytree_def_free(def);
}

static void broadcast_map_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree trees[8];
    const cJSON *tree;
    size_t n = 0;
    Calls calls = { g, NULL, NULL, 0, 4096 };
    cJSON_ArrayForEach(tree, golden_at(g->json, "trees")) {
        assert_true(n < COUNT_OF(trees));
        trees[n++] = golden_tree(g, tree);
    }
    calls.results = golden_alloc(g, calls.capacity, sizeof *calls.results);
    calls.arguments = cJSON_CreateArray();
    pytree_broadcast_map(take, &calls, NULL, n, trees, opt, &error);
    if (golden_get(answer, "error") != NULL || error.status != PYTREE_OK) {
        check_result(g, golden_name(g, part, "status"), golden_get(answer, "result"), golden_get(answer, "error.kind"),
                     PYTREE_NONE, &error);
        cJSON_Delete(calls.arguments);
    } else {
        golden_check_json(g, golden_name(g, part, "calls"), golden_at(answer, "calls"), calls.arguments);
        check_mapped(g, part, answer, &calls, opt);
    }
}

/* ---- Parts ------------------------------------------------------------------------------------------------------------- */

/* Is the leaf one that the predicate of the case names? */
static bool passes(void *context, const pytree_iter *at)
{
    const char *predicate = context;
    const pytree_leaf *leaf = at->leaf[0];
    const pytree_dtype dtype = pytree_is_leaf(leaf) ? leaf->type->dtype : PYTREE_NO_DTYPE;
    const bool number = dtype == PYTREE_I64 || dtype == PYTREE_F64;
    if (strcmp(predicate, "always") == 0) { return true; }
    if (strcmp(predicate, "never") == 0) { return false; }
    if (strcmp(predicate, "is_str") == 0) { return dtype == PYTREE_STRING; }
    if (strcmp(predicate, "is_number") == 0) { return number; }
    if (strcmp(predicate, "int_even") == 0) { return dtype == PYTREE_I64 && *(int64_t *)leaf->data % 2 == 0; }
    assert_memory_equal(predicate, "gt:", 3);
    return number && pytree_leaf_get(leaf, 0) > strtod(predicate + 3, NULL);
}

static void partition_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_flat passing, failing;
    pytree_partition(tree_of(g, "tree"), passes, golden_at(g->json, "predicate")->valuestring, tree_of(g, "fill"), &passing,
                     &failing, opt, &error);
    check_result(g, golden_name(g, part, "passing"), golden_at(answer, "passing"), NULL, PYTREE(&passing), &error);
    check_result(g, golden_name(g, part, "failing"), golden_at(answer, "failing"), NULL, PYTREE(&failing), &error);
    pytree_flat_free(&passing);
    pytree_flat_free(&failing);
}

static void replace_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_flat flat = pytree_replace_none(tree_of(g, "tree"), tree_of(g, "sentinel"), opt, &error);
    check_result(g, golden_name(g, part, "result"), golden_get(answer, "result"), golden_get(answer, "error.kind"),
                 PYTREE(&flat), &error);
    pytree_flat_free(&flat);
}

/* ---- Folds ------------------------------------------------------------------------------------------------------------- */

static const char *bracket(Golden *g, const char *a, const char *b)
{
    GoldenText to = { g, NULL, 0, 0 };
    golden_puts(&to, "(");
    golden_puts(&to, a);
    golden_puts(&to, b);
    golden_puts(&to, ")");
    return to.at;
}

/* A leaf as Python's format would write it; the leaves of these trees are texts, and None. */
static const char *word_of(const pytree_leaf *leaf)
{
    const char *text;
    if (leaf->form == PYTREE_FORM_NONE) { return "None"; }
    assert_int_equal(leaf->type->dtype, PYTREE_STRING);
    memcpy(&text, leaf->data, sizeof text);
    return text;
}

typedef struct Fold {
    Golden *golden;
    const char *value;                    /* so far; NULL: nothing yet */
} Fold;

static pytree_status fold(void *context, const pytree_iter *at)
{
    Fold *left = context;
    const char *word = word_of(at->leaf[0]);
    left->value = left->value == NULL ? word : bracket(left->golden, left->value, word);
    return PYTREE_OK;
}

static pytree_status leaf_word(void *context, const pytree_iter *at, void *value)
{
    (void)context;
    *(const char **)value = word_of(at->leaf[0]);
    return PYTREE_OK;
}

static pytree_status join_words(void *context, void *a, const void *b)
{
    *(const char **)a = bracket(context, *(const char **)a, *(const char *const *)b);
    return PYTREE_OK;
}

/* "None" or a text, as a start. */
static const char *start_word(const cJSON *tree)
{
    return tree == NULL ? NULL : golden_get(tree, "none") != NULL ? "None" : golden_word(tree, "str");
}

static void check_left(Golden *g, const char *part)
{
    const cJSON *answer = golden_at(g->json, part), *left = golden_get(answer, "left");
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    Fold state = { g, NULL };
    state.value = start_word(golden_get(g->json, "initial"));
    pytree_reduce(fold, &state, tree_of(g, "tree"), &opt, &error);
    if (!golden_check_ok(g, golden_name(g, part, "reduce"), &error)) { return; }
    /* an empty tree leaves the state as it was; one None alone is itself */
    golden_check_text(g, golden_name(g, part, "left"),
                      left == NULL ? "empty" : cJSON_IsNull(left) ? "None" : golden_string(left),
                      state.value == NULL ? "empty" : state.value);
}

static void check_reduce(Golden *g)
{
    const cJSON *balanced = golden_get(g->json, "jax_balanced.balanced"), *identity = golden_get(g->json, "identity");
    pytree_error error = { 0 };
    const char *value = NULL;
    pytree_status status = pytree_reduce_pairwise(leaf_word, join_words, g, sizeof value, &value, tree_of(g, "tree"), NULL,
                                                  &error);
    if (balanced == NULL || status == PYTREE_EMPTY) {          /* an identity is the caller's to use */
        golden_check_text(g, "jax_balanced.empty", "no leaves", pytree_status_name(status));
        if (balanced != NULL) {
            golden_check_text(g, "jax_balanced.balanced", cJSON_IsNull(balanced) ? "None" : golden_string(balanced),
                              identity == NULL ? "no identity" : start_word(identity));
        }
    } else {
        golden_check_text(g, "jax_balanced.balanced", cJSON_IsNull(balanced) ? "None" : golden_string(balanced), value);
    }
    check_left(g, "jax_left");
    check_left(g, "optree");
    check_left(g, "optree_nil");
}

/* ---- Numbers ----------------------------------------------------------------------------------------------------------- */

/* The number of a leaf of Python: int, float or bool. */
static double number_of(const cJSON *tree)
{
    const cJSON *truth = golden_get(tree, "bool"), *value = golden_get(tree, "int");
    if (truth != NULL) { return cJSON_IsTrue(truth); }
    if (value == NULL) { value = golden_get(tree, "float"); }
    return value == NULL ? NAN : golden_double(value);
}

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-12 * (fabs(a) + fabs(b)) || a == b; }

static void check_number(Golden *g, const char *check, const cJSON *answer, double got, const pytree_error *error)
{
    const cJSON *result = golden_get(answer, "result"), *kind = golden_get(answer, "error.kind");
    char a[64], b[64];
    if (kind != NULL || error->status != PYTREE_OK) {
        check_result(g, check, result, kind, PYTREE_NONE, error);
        return;
    }
    snprintf(a, sizeof a, "%.17g", number_of(result));
    snprintf(b, sizeof b, "%.17g", got);
    golden_verdict(g, check, close_to(number_of(result), got), a, b);
}

static void sum_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    const cJSON *start = golden_get(g->json, "start");
    pytree_error error = { 0 };
    double sum = 0;
    pytree_sum(tree_of(g, "tree"), &sum, opt, &error);
    check_number(g, golden_name(g, part, "result"), answer, sum + (start == NULL ? 0 : number_of(start)), &error);
}

/* The largest or smallest by a key: a fold, in which the first of equal values stays. */
typedef struct Best {
    bool max, any;
    const char *key;
    double value, by;
} Best;

static pytree_status better(void *context, const pytree_iter *at)
{
    Best *best = context;
    double value, by;
    if (!pytree_is_leaf(at->leaf[0]) || at->leaf[0]->type->dtype == PYTREE_STRING) { return PYTREE_TYPE; }
    value = pytree_leaf_get(at->leaf[0], 0);
    by = strcmp(best->key, "abs") == 0 ? fabs(value) : -value;
    if (!best->any || (best->max ? by > best->by : by < best->by)) {
        best->any = true;
        best->value = value;
        best->by = by;
    }
    return PYTREE_OK;
}

static pytree_status best_by_key(pytree tree, bool max, const char *key, double *got, const pytree_options *opt,
                                 pytree_error *err)
{
    Best best = { false, false, NULL, 0, 0 };
    pytree_status status;
    best.max = max;
    best.key = key;
    status = pytree_reduce(better, &best, tree, opt, err);
    *got = best.value;
    return status == PYTREE_OK && !best.any ? pytree_fail(err, PYTREE_EMPTY, NULL, "expected a leaf, got none") : status;
}

static void extreme_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    const bool max = strcmp(golden_word(g->json, "op"), "max") == 0;
    const cJSON *otherwise = golden_get(g->json, "default"), *key = golden_get(g->json, "key");
    pytree tree = tree_of(g, "tree");
    pytree_error error = { 0 };
    double got = 0;
    if (key != NULL) { best_by_key(tree, max, golden_string(key), &got, opt, &error); }
    else if (max) { pytree_max(tree, &got, opt, &error); }
    else { pytree_min(tree, &got, opt, &error); }
    if (error.status == PYTREE_EMPTY && otherwise != NULL) {   /* a default is the caller's to use */
        got = number_of(otherwise);
        memset(&error, 0, sizeof error);
    }
    check_number(g, golden_name(g, part, "result"), answer, got, &error);
}

static void truth_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    const bool all = strcmp(golden_word(g->json, "op"), "all") == 0;
    pytree tree = tree_of(g, "tree");
    pytree_error error = { 0 };
    bool got = false;
    if (all) { pytree_all(tree, &got, opt, &error); } else { pytree_any(tree, &got, opt, &error); }
    golden_check_text(g, golden_name(g, part, "result"), golden_true(answer, "result") ? "true" : "false",
                      error.status != PYTREE_OK ? error.message : got ? "true" : "false");
}

/* ---- The file ---------------------------------------------------------------------------------------------------------- */

static const GoldenDecision transpose_decisions[] = {
    { "transpose of nothing", "jax", "optree.result optree_nil.result", "algebra-00091", NULL, "too few leaves", NULL },
    { "transpose of nothing", "jax", "optree.result", "algebra-00093 algebra-00095", NULL, "ok", NULL },
    { "transpose of nothing", "jax", "optree_nil.result", "algebra-00093", NULL, "ok", NULL },
    { "registered types are nodes", "jax", "optree.result optree_nil.result", "algebra-00188", NULL, "ok", NULL },
    GOLDEN_NO_MORE
};

/* For optree namedtuples of different types differ in length first. */
static const GoldenDecision broadcast_decisions[] = {
    { "namedtuples", NULL, "optree.a.kind optree_nil.a.kind optree.status.kind optree_nil.status.kind",
      "algebra-00702 algebra-00703", NULL, "different types", NULL },
    GOLDEN_NO_MORE
};

#define NO_NUMBER(got) "\"expected real numbers, got " got "\""

static const GoldenDecision sum_decisions[] = {
    { "numbers only", NULL, "optree.result optree_nil.result", "algebra-01216", NULL, NO_NUMBER("str"), NULL },
    GOLDEN_NO_MORE
};

static const GoldenDecision max_decisions[] = {
    { "numbers only", NULL, "optree_nil.result", "algebra-01108 algebra-01109", NULL, NO_NUMBER("None"), NULL },
    { "numbers only", NULL, "optree.result optree_nil.result", "algebra-01218", NULL, NO_NUMBER("str"), NULL },
    GOLDEN_NO_MORE
};

static const GoldenDecision min_decisions[] = {
    { "numbers only", NULL, "optree_nil.result", "algebra-01112 algebra-01113", NULL, NO_NUMBER("None"), NULL },
    { "numbers only", NULL, "optree.result optree_nil.result", "algebra-01219", NULL, NO_NUMBER("str"), NULL },
    GOLDEN_NO_MORE
};

OPERATION(transpose, transpose_part, transpose_decisions)

OPERATION(broadcast_common, common_part, broadcast_decisions)
OPERATION(broadcast_map, broadcast_map_part, broadcast_decisions)

OPERATION(partition, partition_part, NULL)
OPERATION(replace_nones, replace_part, NULL)
OPERATION(transpose_map, transpose_map_part, NULL)
OPERATION(sum, sum_part, sum_decisions)
OPERATION(max, extreme_part, max_decisions)
OPERATION(min, extreme_part, min_decisions)
OPERATION(all, truth_part, NULL)
OPERATION(any, truth_part, NULL)

static void reduce(void **state)
{
    (void)state;
    golden_run("algebra", "reduce", check_reduce, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(transpose),
        cmocka_unit_test(broadcast_common),
        cmocka_unit_test(broadcast_map),
        cmocka_unit_test(partition), cmocka_unit_test(replace_nones), cmocka_unit_test(transpose_map), cmocka_unit_test(reduce),
        cmocka_unit_test(sum), cmocka_unit_test(max), cmocka_unit_test(min), cmocka_unit_test(all), cmocka_unit_test(any)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
