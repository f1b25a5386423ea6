/* Filters and splits: golden/seeds/nnx.jsonl. */
#include "nnx_values.h"

/* ---- Filters --------------------------------------------------------------------------------------------------------- */

static bool is_deep(void *context, const pytree_place *at)
{
    (void)context;
    return at->path.n > 1;
}

static pytree_filter filter_of(Golden *g, const cJSON *json);

static pytree_filter filters_of(Golden *g, pytree_filter_kind kind, const cJSON *all)
{
    pytree_filter *of = golden_alloc(g, (size_t)cJSON_GetArraySize(all) + 1, sizeof *of), made = { .kind = kind, .of = of };
    const cJSON *one;
    if (!cJSON_IsArray(all)) {
        of[made.n++] = filter_of(g, all);
        return made;
    }
    cJSON_ArrayForEach(one, all) { of[made.n++] = filter_of(g, one); }
    return made;
}

/* One path of PathIn, as a pattern. */
static pytree_filter path_filter(Golden *g, const cJSON *entries)
{
    GoldenText to = { g, NULL, 0, 0 };
    const cJSON *entry;
    char number[32];
    golden_puts(&to, "");
    cJSON_ArrayForEach(entry, entries) {
        snprintf(number, sizeof number, "[%d]", cJSON_IsNumber(entry) ? (int)golden_int(entry) : 0);
        golden_puts(&to, cJSON_IsNumber(entry) ? number : ".");
        if (!cJSON_IsNumber(entry)) { golden_puts(&to, golden_string(entry)); }
    }
    return PYTREE_PATH(to.at);
}

static pytree_filter named_filter(Golden *g, const cJSON *json)
{
    const char *name = golden_word(json, "filter");
    const cJSON *key = golden_get(json, "key"), *path;
    char *text;
    if (strcmp(name, "OfType") == 0) {
        return (pytree_filter){ .kind = PYTREE_FILTER_ROLE, .type = role_of(g, golden_word(json, "type")) };
    }
    if (strcmp(name, "Any") == 0) { return filters_of(g, PYTREE_FILTER_ANY, golden_at(json, "of")); }
    if (strcmp(name, "All") == 0) { return filters_of(g, PYTREE_FILTER_ALL, golden_at(json, "of")); }
    if (strcmp(name, "Not") == 0) { return filters_of(g, PYTREE_FILTER_NOT, golden_at(json, "of")); }
    if (strcmp(name, "PathIn") == 0) {
        pytree_filter made = { .kind = PYTREE_FILTER_ANY }, *of = golden_alloc(g, 16, sizeof *of);
        cJSON_ArrayForEach(path, golden_at(json, "paths")) { of[made.n++] = path_filter(g, path); }
        made.of = of;
        return made;
    }
    if (strcmp(name, "Everything") == 0) { return PYTREE_EVERYTHING; }
    if (strcmp(name, "Nothing") == 0) { return PYTREE_NOTHING; }
    assert_string_equal(name, "PathContains");
    if (!cJSON_IsNumber(key)) {
        return golden_true(json, "exact") ? PYTREE_PATH_HAS(golden_string(key)) : PYTREE_PATH_LIKE(golden_string(key));
    }
    if (golden_true(json, "exact")) { return PYTREE_PATH_HAS_INDEX(golden_int(key)); }
    text = golden_alloc(g, 24, 1);
    snprintf(text, 24, "%d", (int)golden_int(key));
    return PYTREE_PATH_LIKE(text);
}

static pytree_filter filter_of(Golden *g, const cJSON *json)
{
    const cJSON *value;
    if (cJSON_IsNull(json) || cJSON_IsFalse(json)) { return PYTREE_NOTHING; }
    if (cJSON_IsTrue(json) || golden_get(json, "ellipsis") != NULL) { return PYTREE_REST; }
    if ((value = golden_get(json, "type")) != NULL && golden_get(json, "filter") == NULL) {
        return (pytree_filter){ .kind = PYTREE_FILTER_ROLE, .type = role_of(g, golden_string(value)) };
    }
    if (golden_get(json, "function") != NULL) { return PYTREE_WHERE(is_deep, NULL); }
    if (cJSON_IsString(json)) { return PYTREE_TAG(golden_string(json)); }
    if ((value = golden_get(json, "list")) != NULL || (value = golden_get(json, "tuple")) != NULL) {
        return filters_of(g, PYTREE_FILTER_ANY, value);
    }
    return named_filter(g, json);
}

/* ---- Filters over places --------------------------------------------------------------------------------------------- */

static void place_of(Golden *g, const cJSON *item, pytree_place *at)
{
    const cJSON *path = golden_at(item->child, "tuple"), *value = item->child->next, *entry;
    pytree_entry *entries = golden_alloc(g, (size_t)cJSON_GetArraySize(path) + 1, sizeof *entries);
    memset(at, 0, sizeof *at);
    at->path.entries = entries;
    cJSON_ArrayForEach(entry, path) {
        pytree_entry *to = &entries[at->path.n++];
        to->kind = cJSON_IsNumber(entry) ? PYTREE_INDEX : PYTREE_ATTRIBUTE;
        if (cJSON_IsNumber(entry)) { to->index = (size_t)golden_int(entry); } else { to->name = golden_string(entry); }
    }
    if (golden_get(value, "variable") != NULL) { at->role = role_of(g, golden_word(value, "variable")); }
    if (golden_get(value, "plain") != NULL) {                  /* an object with an attribute `tag` */
        GoldenText to = { g, NULL, 0, 0 };
        golden_puts(&to, "{'name': 'tag', 'tag': '");
        golden_puts(&to, golden_string(golden_at(value, "attrs")->child->child->next->next));
        golden_puts(&to, "'}");
        at->metadata = to.at;
    }
}

static void filter_case(Golden *g)
{
    const cJSON *matches, *item, *match;
    pytree_error error = { 0 };
    pytree_filter filter;
    char name[32];
    size_t i = 0;
    matches = golden_get(g->json, "outputs.matches.list");
    if (matches == NULL) { golden_no_counterpart(g); return; }  /* a number is no filter: a compile error; filters compared */
    filter = filter_of(g, golden_at(g->json, "inputs.f"));
    match = matches->child;
    cJSON_ArrayForEach(item, golden_at(g->json, "inputs.items.list")) {
        pytree_place at;
        place_of(g, golden_at(item, "tuple"), &at);
        snprintf(name, sizeof name, "match %d", (int)i++);
        golden_check_bool(g, name, cJSON_IsTrue(match) != 0, pytree_filter_match(&filter, &at, &error));
        match = match->next;
    }
    golden_check_ok(g, "filter", &error);
}

/* ---- Split ----------------------------------------------------------------------------------------------------------- */

/* Two trees have the same keys, roles, types, shapes and values. */
static void check_state(Golden *g, const char *name, pytree expected, pytree got)
{
    pytree_error error = { 0 };
    const bool same = pytree_equal(expected, got, NULL, NULL, &error);
    char text[700];
    snprintf(text, sizeof text, "%s: %s", error.path, error.message);
    golden_verdict(g, name, same, "the same state", text);
}

static void split_case(Golden *g)
{
    const cJSON *filters = golden_get(g->json, "inputs.filters.tuple"), *outputs = golden_get(g->json, "outputs");
    pytree_filter of[8] = { PYTREE_NOTHING };
    pytree_flat states[8] = { { NULL, NULL } };
    pytree_def *graphdef = NULL;
    pytree_error error = { 0 };
    const cJSON *one;
    pytree model, again;
    size_t n = 0, i;
    char name[8];
    model = value_of(g, golden_at(g->json, "inputs.m"));
    cJSON_ArrayForEach(one, filters) { of[n++] = filter_of(g, one); }
    (void)pytree_split(model, n, of, &graphdef, states, NULL, &error);
    if (outputs == NULL) {                                     /* what the package refuses is refused */
        golden_check_bool(g, "error", true, error.status == PYTREE_FILTER);
        return;
    }
    if (!golden_check_ok(g, "split", &error)) { return; }
    for (i = 0; i < (n == 0 ? 1 : n); i++) {
        snprintf(name, sizeof name, n == 0 ? "state" : "s%d", (int)i + 1);
        check_state(g, name, value_of(g, golden_at(outputs, name)), PYTREE(&states[i]));
    }
    if (golden_get(outputs, "again") != NULL) {
        again = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&states[0]) }, NULL, &error);
        if (golden_check_ok(g, "merge", &error)) { check_state(g, "again", model, again); }
        pytree_free(again);
    }
    pytree_def_free(graphdef);
    for (i = 0; i < COUNT_OF(of); i++) { pytree_flat_free(&states[i]); }
}

/* ---- Random objects and filters ---------------------------------------------------------------------------------------- */

static void check_paths(Golden *g, const cJSON *paths, const pytree_flat *state)
{
    const cJSON *path = golden_at(paths, "list")->child, *entry;
    pytree_place_list *list = pytree_places(PYTREE(state), PYTREE_EVERYTHING, NULL, NULL);
    for (size_t i = 0; i < list->n; i++) {
        const pytree_path *got = &list->places[i].path;
        size_t k = 0;
        bool same = path != NULL;
        const cJSON *entries = golden_get(path, "tuple");
        cJSON_ArrayForEach(entry, entries) {
            same = same && k < got->n && (cJSON_IsNumber(entry) ? got->entries[k].index == (size_t)golden_int(entry)
                                          : strcmp(got->entries[k].name, golden_string(entry)) == 0);
            k++;
        }
        golden_check_bool(g, "path", true, same && k == got->n);
        path = path == NULL ? NULL : path->next;
    }
    golden_check_bool(g, "all paths", true, path == NULL);
    pytree_places_free(list);
}

static void random_case(Golden *g)
{
    const cJSON *one, *paths = golden_at(golden_at(golden_get(g->json, "outputs"), "paths"), "list")->child;
    pytree_filter of[8] = { PYTREE_NOTHING };
    pytree_flat states[8] = { { NULL, NULL } };
    pytree turned[8], model = value_of(g, golden_get(g->json, "inputs.m")), again;
    pytree_def *graphdef = NULL, *made;
    pytree_error error = { 0 };
    size_t n = 0, i;
    cJSON_ArrayForEach(one, golden_get(g->json, "inputs.filters.tuple")) { of[n++] = filter_of(g, one); }
    (void)pytree_split(model, n, of, &graphdef, states, NULL, &error);
    if (golden_get(g->json, "error") != NULL) {                /* split needs the rest, state does not */
        golden_check_bool(g, "error", true, error.status == PYTREE_FILTER);
        error = (pytree_error){ 0 };
        (void)pytree_states(model, n, of, states, NULL, &error);
    }
    golden_check_ok(g, "states", &error);
    for (i = 0; i < n; i++, paths = paths->next) {
        check_paths(g, paths, &states[i]);
        turned[n - 1 - i] = PYTREE(&states[i]);
    }
    if (graphdef != NULL) {
        again = pytree_merge(graphdef, n, turned, NULL, &error);
        made = pytree_graphdef(again, NULL, &error);
        golden_check_ok(g, "merge", &error);
        golden_check_bool(g, "same", true, pytree_def_equal(graphdef, made));
        pytree_def_free(made);
        pytree_free(again);
    }
    pytree_def_free(graphdef);
    for (i = 0; i < COUNT_OF(states); i++) { pytree_flat_free(&states[i]); }
}

/* ---- Running --------------------------------------------------------------------------------------------------------- */

static void filters(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"filter\"", filter_case, 19, 2);
}

static void splits(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"split\"", split_case, 18, 0);
}

static void random_cases(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"random\"", random_case, 8, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(filters),
        cmocka_unit_test(splits),
        cmocka_unit_test(random_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
