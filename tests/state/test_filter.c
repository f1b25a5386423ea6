/* Roles and filters: pytree/filter.h. The answers of the table are those of Flax NNX (nnx.jsonl, group filter). */
#include "support.h"
#include "pytree/filter.h"

PYTREE_ROLE(Stat, Param);

/* The eight places that NNX's cases ask about. */
static void places(pytree_place at[8], pytree_entry entries[8][3])
{
    static const struct { const pytree_type *role; size_t n; const char *path[3]; } all[8] = {
        { &pytree_role_Param, 1, { "inner" } }, { &pytree_role_BatchStat, 2, { "inner", "c" } },
        { NULL, 3, { "c", NULL, "inner" } }, { NULL, 1, { "c" } }, { &pytree_role_Variable, 0, { NULL } },
        { &pytree_role_Intermediate, 1, { "innerc" } }, { &pytree_role_Perturbation, 1, { NULL } },
        { &pytree_role_Param, 1, { "0" } },
    };
    size_t i, k;
    for (i = 0; i < 8; i++) {
        for (k = 0; k < all[i].n; k++) {
            entries[i][k] = (pytree_entry){ all[i].path[k] != NULL ? PYTREE_ATTRIBUTE : PYTREE_INDEX, all[i].path[k], 0 };
        }
        at[i] = (pytree_place){ { all[i].n, entries[i] }, all[i].role, NULL, NULL, NULL };
    }
    at[2].role = &pytree_role_Stat;
    at[3].type = PYTREE_TYPE(int);
}

static void assert_matches(pytree_filter filter, const char *expected, const char *text)
{
    pytree_place at[8];
    pytree_entry entries[8][3];
    char answers[9] = "", written[256];
    pytree_error error = { 0 };
    size_t i, n;
    places(at, entries);
    for (i = 0; i < 8; i++) { answers[i] = pytree_filter_match(&filter, &at[i], &error) ? '1' : '0'; }
    assert_string_equal(answers, expected);
    assert_ok(error.status, &error);
    n = pytree_filter_text(&filter, written, sizeof written);
    assert_string_equal(written, text);
    assert_int_equal(n, strlen(text));
    if (n != 0) { assert_int_equal(pytree_filter_text(&filter, written, 1), n); }
}

static bool is_deep(void *context, const pytree_place *at) { return at->path.n > *(const size_t *)context; }

static void filters_answer_as_in_nnx(void **state)
{
    size_t one = 1;
    (void)state;
    assert_matches(PYTREE_OF(Param), "10100001", "OfType(Param)");
    assert_matches(PYTREE_OF(Stat), "00100000", "OfType(Stat)");
    assert_matches(PYTREE_OF(Variable), "11101111", "OfType(Variable)");
    assert_matches(PYTREE_OF(Intermediate), "00000110", "OfType(Intermediate)");
    assert_matches(PYTREE_OF_TYPE(PYTREE_TYPE(int)), "00010000", "OfType(int)");
    assert_matches(PYTREE_PATH_HAS("inner"), "11100000", "PathContains('inner', exact=True)");
    assert_matches(PYTREE_PATH_LIKE("inner"), "11100100", "PathContains('inner', exact=False)");
    assert_matches(PYTREE_PATH_HAS_INDEX(0), "00100010", "PathContains(0, exact=True)");
    assert_matches(PYTREE_PATH_LIKE("0"), "00100011", "PathContains('0', exact=False)");
    assert_matches(PYTREE_ANY_OF(PYTREE_PATH(".c[0].inner"), PYTREE_PATH(".inner")), "10100000",
                   "Any(Path('.c[0].inner'), Path('.inner'))");
    assert_matches(PYTREE_ANY_OF(PYTREE_OF(BatchStat), PYTREE_PATH_HAS("c")), "01110000",
                   "Any(OfType(BatchStat), PathContains('c', exact=True))");
    assert_matches(PYTREE_ALL_OF(PYTREE_OF(Param), PYTREE_PATH_HAS("c")), "00100000",
                   "All(OfType(Param), PathContains('c', exact=True))");
    assert_matches(PYTREE_NOT(PYTREE_OF(Param)), "01011110", "Not(OfType(Param))");
    assert_matches(PYTREE_ALL_OF(PYTREE_OF(Variable), PYTREE_NOT(PYTREE_ANY_OF(PYTREE_OF(Stat), PYTREE_PATH_HAS("inner")))),
                   "00001111", "All(OfType(Variable), Not(Any(OfType(Stat), PathContains('inner', exact=True))))");
    assert_matches(PYTREE_ANY_OF(), "00000000", "Any()");
    assert_matches(PYTREE_ALL_OF(), "11111111", "All()");
    assert_matches(PYTREE_EVERYTHING, "11111111", "Everything()");
    assert_matches(PYTREE_NOTHING, "00000000", "Nothing()");
    assert_matches(PYTREE_ANY_OF(PYTREE_REST, PYTREE_NOTHING), "11111111", "Any(Everything(), Nothing())");
    assert_matches(PYTREE_WHERE(is_deep, &one), "01100000", "Where(function)");
}

static void mistakes_are_errors(void **state)
{
    pytree_error error = { 0 };
    pytree_place at = { { 0, NULL }, NULL, NULL, NULL, NULL };
    (void)state;
    assert_false(pytree_filter_match(&PYTREE_PATH("["), &at, &error));
    assert_error(error.status, PYTREE_SYNTAX, NULL, &error);
    error = (pytree_error){ 0 };
    assert_false(pytree_filter_match(NULL, &at, &error));
    assert_error(error.status, PYTREE_ARGUMENT, NULL, &error);
}

static void roles_have_bases_and_collections(void **state)
{
    pytree_error error = { 0 };
    static const pytree_type copy = PYTREE__ROLE_TYPE("Stat", &pytree_role_Param);     /* another file's */
    (void)state;
    assert_true(pytree_role_is(&pytree_role_Perturbation, &pytree_role_Intermediate));
    assert_true(pytree_role_is(&pytree_role_Stat, &copy));
    assert_false(pytree_role_is(&pytree_role_Param, &pytree_role_Stat));
    assert_false(pytree_role_is(NULL, &pytree_role_Variable));
    assert_ptr_equal(pytree_role_of_collection("batch_stats", &error), &pytree_role_BatchStat);
    assert_string_equal(pytree_role_collection(&pytree_role_Stat), "params");
    assert_null(pytree_role_collection(&pytree_role_Variable));
    assert_null(pytree_role_of_collection("stats", &error));
    assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
    assert_string_equal(error.message, "expected a collection such as 'params' or 'batch_stats', got 'stats'");
}

static bool has_tag(const char *metadata, const char *tag)
{
    const pytree_place at = { .metadata = metadata };
    const pytree_filter filter = PYTREE_TAG(tag);
    return pytree_filter_match(&filter, &at, NULL);
}

/* The tag is the string under that key of the dict itself, read as the literal that it is. */
static void tags_are_metadata(void **state)
{
    const pytree_filter filter = PYTREE_TAG("it's");
    char text[32];
    (void)state;
    assert_true(has_tag("{'name': 'b', 'tag': 'drop'}", "drop"));
    assert_true(has_tag("{\"tag\":\"drop\"}", "drop"));
    assert_true(has_tag("{'tag': 'a\\'\\u00e9'}", "a'\xc3\xa9"));
    assert_false(has_tag("{'tag': 'dropout'}", "drop"));
    assert_false(has_tag("{'tag': 'drop'}", "dropout"));
    assert_false(has_tag("{'in': {'tag': 'drop'}}", "drop"));
    assert_false(has_tag("{'name': 'tag', 'drop': 'drop'}", "drop"));
    assert_false(has_tag("{'tag': 3, 'name': 'drop'}", "drop"));
    assert_false(has_tag("{'tag': 'drop", "dropped"));
    assert_false(has_tag(NULL, "drop"));
    assert_false(has_tag("{'tag': 'None'}", NULL));
    assert_int_equal(pytree_filter_text(&filter, text, sizeof text), 15);
    assert_string_equal(text, "WithTag(\"it's\")");
}

/* A variable is a node like any other: it can be rebuilt, copied, printed. */
static void variables_are_nodes(void **state)
{
    pytree_error error = { 0 };
    float w[2] = { 1, 2 };
    pytree t = PYTREE_DICT({ "w", PYTREE_VARIABLE(Stat, PYTREE_ARRAY(w, 2)) }), copy = pytree_clone(t, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_def_text(copy, "PyTreeDef({'w': CustomNode(Stat[None], [*])})", NULL);
    assert_true(pytree_equal(t, copy, NULL, NULL, &error));
    pytree_free(copy);
}

/* Filters that lack what they ask for choose nothing; so does a type where a place has none. */
static void filters_without_what_they_need(void **state)
{
    const pytree_entry entry = { PYTREE_ATTRIBUTE, "w", 0 };
    const pytree_place at = { { 1, &entry }, &pytree_role_Param, PYTREE_TYPE(int), NULL, NULL }, bare = { { 1, &entry }, NULL,
        NULL, NULL, NULL };
    const pytree_filter no_type = PYTREE_OF_TYPE(NULL), no_test = PYTREE_WHERE(NULL, NULL), no_name = PYTREE_PATH_HAS(NULL);
    const pytree_filter whole = PYTREE_OF_TYPE(PYTREE_TYPE(int)), none = { .kind = PYTREE_FILTER_NOT };
    pytree_error error = { 0 };
    (void)state;
    assert_false(pytree_filter_match(&no_type, &at, &error));
    assert_true(pytree_filter_match(&whole, &at, &error));
    assert_false(pytree_filter_match(&whole, &bare, &error));
    assert_false(pytree_filter_match(&no_test, &at, &error));
    assert_false(pytree_filter_match(&no_name, &at, &error));
    assert_false(pytree_filter_match(&none, &at, &error));
    assert_ok(error.status, &error);
    assert_false(pytree_filter_match(&whole, NULL, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected a filter and a place, got NULL");
}

/* Roles are the same if their names and those of all bases are. */
static void roles_that_are_like_others(void **state)
{
    static const pytree_type alone = PYTREE__ROLE_TYPE("Param", NULL);
    static const pytree_type longer = PYTREE__ROLE_TYPE("Variable", &alone);
    static const pytree_type other = PYTREE__ROLE_TYPE("Other", &pytree_role_Variable);
    pytree_error error = { 0 };
    (void)state;
    assert_false(pytree_role_is(&pytree_role_Param, &alone));
    assert_false(pytree_role_is(&alone, &pytree_role_Param));
    assert_false(pytree_role_is(&longer, &pytree_role_Variable));
    assert_false(pytree_role_is(&other, &pytree_role_Param));
    assert_false(pytree_role_is(&pytree_role_Param, NULL));
    assert_null(pytree_role_of_collection("", &error));
    assert_string_equal(error.message, "expected a collection such as 'params' or 'batch_stats', got ''");
    memset(&error, 0, sizeof error);
    assert_null(pytree_role_of_collection(NULL, &error));
    assert_string_equal(error.message, "expected a collection such as 'params' or 'batch_stats', got NULL");
}

/* What a variable is made of: one value, and a text or nothing as metadata. */
static void variables_are_made_of_one_value(void **state)
{
    const pytree children[2] = { PYTREE_INT(1), PYTREE_INT(2) };
    pytree_making from = { .type = &pytree_role_Param, .n = 1, .children = children };
    pytree_variable v = { 0 };
    pytree_error error = { 0 };
    char text[4] = "xxx";
    (void)state;
    assert_ok(pytree_variable_node.make(&v, &from, &error), &error);
    assert_null(v.metadata);
    assert_int_equal(pytree_variable_node.metadata(&v, text), 0);
    assert_string_equal(text, "xxx");
    from.metadata = "{}";
    from.bytes = 3;
    assert_ok(pytree_variable_node.make(&v, &from, &error), &error);
    assert_int_equal(pytree_variable_node.metadata(&v, text), 3);
    assert_string_equal(text, "{}");
    from.bytes = 2;                       /* without its end */
    assert_error(pytree_variable_node.make(&v, &from, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected one value and the text of metadata for a Param, got other ones");
    memset(&error, 0, sizeof error);
    from.bytes = 3;
    from.n = 2;
    assert_error(pytree_variable_node.make(&v, &from, &error), PYTREE_ARGUMENT, "", &error);
}

/* A filter of no kind chooses nothing and has no text; neither an error object nor a type nor a string is needed. */
static void filters_of_no_kind(void **state)
{
    pytree_filter odd = PYTREE_EVERYTHING, path = PYTREE_PATH(".c[0].inner"), type = PYTREE_OF_TYPE(NULL);
    const pytree_filter none = PYTREE_PATH(NULL);
    pytree_place at[8];
    pytree_entry entries[8][3];
    char text[40] = "before";
    (void)state;
    places(at, entries);
    memset(&odd.kind, 99, sizeof odd.kind);
    assert_false(pytree_filter_match(&odd, &at[0], NULL));
    assert_int_equal(pytree_filter_text(&odd, text, sizeof text), 0);
    assert_string_equal(text, "");
    assert_true(pytree_filter_match(&path, &at[2], NULL));
    path.text = "[";
    assert_false(pytree_filter_match(&path, &at[2], NULL));
    assert_int_equal(pytree_filter_text(&type, text, sizeof text), 12);
    assert_string_equal(text, "OfType(None)");
    assert_int_equal(pytree_filter_text(&none, text, sizeof text), 10);
    assert_string_equal(text, "Path(None)");
}

/* A struct that cannot be opened, because a row reads through what is NULL. */
typedef struct Reads { Linear *size; float *x; } Reads;
#define PYTREE_STRUCT Reads
#define PYTREE_FIELDS PYTREE_FIELD(DATA, size, OPTIONAL) PYTREE_FIELD(DATA, x, ARRAY(self->size->din), ROLE(Stat))
#include "pytree_registry.h"

/* An iterator that has not begun stands at no leaf. */
static void no_role_before_the_first_leaf(void **state)
{
    pytree_error error = { 0 };
    MLP model = mlp_make(1, false);
    Reads reads = { NULL, NULL };
    const pytree t = PYTREE(&model), unread = PYTREE(&reads);
    pytree_iter it;
    (void)state;
    assert_ok(pytree_iter_begin(&it, 1, &t, NULL, &error), &error);
    assert_null(pytree_iter_role(&it));
    assert_true(pytree_iter_next(&it));
    assert_null(pytree_iter_role(&it));
    pytree_iter_end(&it);
    assert_null(pytree_iter_role(NULL));
    free(model.layers[0].w);
    model.layers[0].w = NULL;             /* nor after one that cannot be had */
    assert_ok(pytree_iter_begin(&it, 1, &t, NULL, &error), &error);
    assert_false(pytree_iter_next(&it));
    assert_int_equal(it.status, PYTREE_NULL_POINTER);
    assert_null(pytree_iter_role(&it));
    pytree_iter_end(&it);
    mlp_clear(&model);
    error = (pytree_error){ 0 };
    assert_ok(pytree_iter_begin(&it, 1, &unread, NULL, &error), &error);
    assert_false(pytree_iter_next(&it));  /* nor in a struct that cannot be opened */
    assert_error(it.status, PYTREE_NULL_POINTER, ".x", &error);
    assert_null(pytree_iter_role(&it));
    pytree_iter_end(&it);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_role_before_the_first_leaf),
        cmocka_unit_test(filters_answer_as_in_nnx),
        cmocka_unit_test(mistakes_are_errors),
        cmocka_unit_test(roles_have_bases_and_collections),
        cmocka_unit_test(tags_are_metadata),
        cmocka_unit_test(variables_are_nodes),
        cmocka_unit_test(filters_without_what_they_need),
        cmocka_unit_test(filters_of_no_kind),
        cmocka_unit_test(roles_that_are_like_others),
        cmocka_unit_test(variables_are_made_of_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
