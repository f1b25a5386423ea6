/* Graphs of Flax NNX: golden/seeds/nnx.jsonl. Objects are dicts of their data attributes; what a record refers to again
 * is one value here, too. Static attributes are no part of such a dict. */
#include "nnx_checks.h"
#include "pytree/graph.h"

/* ---- Duplicates ---------------------------------------------------------------------------------------------------- */

/* The same of the text of a dict's keys: ['a'][0] is .a[0]. */
static const char *plain(Golden *g, const char *keys)
{
    char *text = golden_alloc(g, strlen(keys) + 1, 1), *to = text;
    for (; *keys != '\0'; keys++) {
        if (keys[0] == '[' && keys[1] == '\'') { *to++ = '.'; keys++; }
        else if (keys[0] == '\'' && keys[1] == ']') { keys++; }
        else { *to++ = *keys; }
    }
    return text;
}

static void check_duplicates(Golden *g, const char *name, pytree t, pytree_filter only)
{
    const cJSON *groups = golden_get(output(g, name), "list"), *group, *path;
    pytree_error error = { 0 };
    pytree_duplicates *d;
    size_t i = 0, k;
    if (groups == NULL) { return; }
    d = pytree_graph_duplicates(t, only, NULL, &error);
    if (!golden_check_ok(g, name, &error)) { return; }
    check_size(g, name, (size_t)cJSON_GetArraySize(groups), d->n_groups);
    cJSON_ArrayForEach(group, groups) {
        k = 0;
        if (i == d->n_groups) { break; }
        check_size(g, name, (size_t)cJSON_GetArraySize(golden_get(group, "list")), d->counts[i]);
        cJSON_ArrayForEach(path, golden_get(group, "list")) {
            if (k == d->counts[i]) { break; }
            golden_check_text(g, name, path_of(g, golden_get(path, "tuple")), plain(g, d->paths[i][k++]));
        }
        i++;
    }
    pytree_duplicates_free(d);
}

/* ---- Visits -------------------------------------------------------------------------------------------------------- */

/* The status and then the value of an entry of an object; NULL: it is no object, or has no such entry. */
static const cJSON *attribute_of(const cJSON *object, const cJSON *entry)
{
    const cJSON *pair;
    if (cJSON_IsNumber(entry)) {
        pair = cJSON_GetArrayItem(golden_get(object, "items"), (int)golden_int(entry));
        return pair == NULL ? NULL : pair->child;
    }
    cJSON_ArrayForEach(pair, golden_get(object, "attrs")) {
        if (strcmp(golden_string(pair->child), golden_string(entry)) == 0) { return pair->child->next; }
    }
    return NULL;
}

/* The object of that number in a record. */
static const cJSON *numbered(const cJSON *json, const cJSON *number)
{
    const cJSON *child, *found;
    const cJSON *const id = golden_get(json, "id");
    if (id != NULL && golden_int(id) == golden_int(number)) { return json; }
    cJSON_ArrayForEach(child, json) {
        found = cJSON_IsObject(child) || cJSON_IsArray(child) ? numbered(child, number) : NULL;
        if (found != NULL) { return found; }
    }
    return NULL;
}

/* Whether a path of an object leads into a static attribute, or to what the package notes: NNX visits those, and they are no
 * values here. */
static bool is_static(const cJSON *model, const cJSON *path)
{
    const cJSON *entry = path->child, *object = model, *status;
    for (; entry != NULL; entry = entry->next, object = status->next) {
        if (golden_get(object, "ref") != NULL) { object = numbered(model, golden_get(object, "ref")); }
        if (!cJSON_IsNumber(entry) && *golden_string(entry) == '_') { return true; }
        status = attribute_of(object, entry);
        if (status == NULL) { return cJSON_IsNumber(entry) && golden_get(object, "items") == NULL; }
        if (strcmp(golden_string(status), "static") == 0) { return true; }
    }
    return false;
}

typedef struct Visit { Golden *g; const cJSON *next; } Visit;

static void skip_static(Visit *v)
{
    const cJSON *const object = golden_at(v->g->json, "inputs.m");
    while (v->next != NULL && is_static(object, golden_get(golden_get(v->next, "tuple")->child, "tuple"))) {
        v->next = v->next->next;
    }
}

/* The next entry that is no static value: compares its path; of a variable the role. */
static pytree_status visit(void *context, const pytree_place *at)
{
    Visit *v = context;
    char text[200];
    const cJSON *pair;
    if (at->role != NULL && at->view->form == PYTREE_FORM_LEAF) { return PYTREE_OK; }          /* in a variable */
    skip_static(v);
    pytree_path_text(&at->path, text, sizeof text);
    if (v->next == NULL) { golden_verdict(v->g, "visited", false, "no more", text); return PYTREE_STOPPED; }
    pair = golden_get(v->next, "tuple");
    golden_check_text(v->g, "visited", path_of(v->g, golden_get(pair->child, "tuple")), text);
    if (at->role != NULL && at->role == at->type) {
        golden_check_text(v->g, "type", golden_string(pair->child->next), at->role->name);
    }
    v->next = v->next->next;
    return PYTREE_OK;
}

static void check_visits(Golden *g, const char *name, pytree t)
{
    const cJSON *visited = golden_get(output(g, name), "list");
    pytree_error error = { 0 };
    Visit v = { g, NULL };
    if (visited == NULL) { return; }
    v.next = visited->child;
    (void)pytree_graph_walk(t, visit, &v, NULL, &error);
    golden_check_ok(g, "visited", &error);
    skip_static(&v);
    golden_check_bool(g, "all visited", true, v.next == NULL);
}

/* ---- Split and merge ----------------------------------------------------------------------------------------------- */

static void check_merged(Golden *g, pytree t)
{
    pytree_error error = { 0 };
    pytree_def *graphdef = NULL, *again;
    pytree_flat state;
    pytree made, copy;
    if (pytree_split(t, 0, NULL, &graphdef, &state, NULL, &error) != PYTREE_OK) { golden_check_ok(g, "split", &error); return; }
    check_output(g, "state", PYTREE(&state));
    made = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&state) }, NULL, &error);
    copy = pytree_graph_clone(t, NULL, &error);
    if (golden_check_ok(g, "merge", &error)) {
        again = pytree_graphdef(made, NULL, &error);           /* what was shared is shared */
        golden_check_bool(g, "the same graphdef", true, pytree_def_equal(graphdef, again));
        golden_check_bool(g, "the same hash", true, pytree_def_hash(graphdef) == pytree_def_hash(again));
        pytree_def_free(again);
        again = pytree_graphdef(copy, NULL, &error);
        golden_check_bool(g, "a clone has it, too", true, pytree_def_equal(graphdef, again));
        pytree_def_free(again);
    }
    pytree_free(made);
    pytree_free(copy);
    pytree_def_free(graphdef);
    pytree_flat_free(&state);
}

static void check_negated(Golden *g, pytree t)
{
    static const char *const names[] = { "p", "b", "rest" };
    pytree_error error = { 0 };
    pytree_filter of[8];
    pytree_flat states[8], zeros;
    const size_t n = filters_in(g, "nnx.split(", of);
    size_t i;
    (void)pytree_split(t, n, of, NULL, states, NULL, &error);
    if (!golden_check_ok(g, "split", &error)) { return; }
    zeros = pytree_state_zeros_like(PYTREE(&states[0]), NULL, &error);
    (void)pytree_copy_into(PYTREE(&zeros), PYTREE(&states[0]), NULL, &error);
    scale(g, PYTREE(&zeros), -1, 0);
    (void)pytree_update(t, 1, (pytree[1]){ PYTREE(&zeros) }, NULL, &error);
    golden_check_ok(g, "update", &error);
    check_output(g, "m", t);
    for (i = 0; i < n && i < COUNT_OF(names); i++) { check_output(g, names[i], PYTREE(&states[i])); }  /* which are views */
    pytree_flat_free(&zeros);
    for (i = 0; i < n; i++) { pytree_flat_free(&states[i]); }
}

/* ---- Cases --------------------------------------------------------------------------------------------------------- */

static void sharing_case(Golden *g)
{
    pytree t;
    pytree_error error = { 0 };
    /* records without values; the same raw array twice, which is one value here; objects by class, which dicts do not have */
    if (golden_get(g->json, "inputs.m") == NULL || id_is(g, "nnx.sharing.007")) { golden_no_counterpart(g); return; }
    t = input(g, "m");
    if (golden_get(g->json, "error") != NULL) {                /* a tree: what is shared is a problem */
        golden_check_bool(g, "shared", true, pytree_check(t, NULL, NULL, NULL, &error) == PYTREE_SHARED);
        return;
    }
    if (id_is(g, "nnx.sharing.009")) {                         /* through one path, seen through the other */
        float value[2] = { 3.5f, -3.5f };
        pytree change = PYTREE_DICT({ "left", PYTREE_DICT({ "y", PYTREE_ARRAY(value, 2) }) });
        (void)pytree_update(t, 1, &change, NULL, &error);
        golden_check_ok(g, "update", &error);
        check_output(g, "m", t);
        return;
    }
    check_duplicates(g, "duplicates", t, PYTREE_EVERYTHING);
    check_duplicates(g, "both", t, PYTREE_EVERYTHING);
    check_duplicates(g, "variables", t, PYTREE_OF(Variable));
    check_merged(g, t);
    if (id_is(g, "nnx.sharing.010")) {                         /* touched once */
        pytree_flat state = whole(g, t);
        scale(g, PYTREE(&state), 1, 1);
        check_output(g, "again", t);
        pytree_flat_free(&state);
    }
}

/* Values without roles, each one more, put back into the state. */
static void check_pure(Golden *g, pytree t)
{
    pytree_error error = { 0 };
    pytree_flat state = whole(g, t), pure = pytree_pure(PYTREE(&state), NULL, &error);
    pytree_flat more = pytree_state_zeros_like(PYTREE(&pure), NULL, &error);
    check_output(g, "pure", PYTREE(&pure));
    (void)pytree_copy_into(PYTREE(&more), PYTREE(&pure), NULL, &error);
    scale(g, PYTREE(&more), 1, 1);
    (void)pytree_update(PYTREE(&state), 1, (pytree[1]){ PYTREE(&more) }, NULL, &error);
    golden_check_ok(g, "update", &error);
    check_output(g, "state", PYTREE(&state));
    pytree_flat_free(&more);
    pytree_flat_free(&pure);
    pytree_flat_free(&state);
}

static void graph_case(Golden *g)
{
    const pytree t = input(g, "m");
    if (output(g, "pure") != NULL) { check_pure(g, t); return; }
    check_duplicates(g, "duplicates", t, PYTREE_EVERYTHING);
    check_visits(g, "visited", t);
    check_leaves(g, "leaves", t);
    check_paths(g, "flat_paths", t);
    if (output(g, "p") != NULL) { check_negated(g, t); } else { check_merged(g, t); }
}

static void iter_case(Golden *g)
{
    const char *const name = output(g, "seen") != NULL ? "seen" : "visited";
    /* the package's own entries, numbers in plain containers, modules by class */
    if (output(g, name) == NULL || id_is(g, "nnx.iter.003") || golden_get(g->json, "inputs.m.object") == NULL) {
        golden_no_counterpart(g);
        return;
    }
    check_visits(g, name, input(g, "m"));
}

static void clone_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree t, copy;
    if (golden_get(g->json, "inputs.m") == NULL || id_is(g, "nnx.clone.002")) {        /* its switches */
        golden_no_counterpart(g);
        return;
    }
    t = input(g, "m");
    check_merged(g, t);
    check_duplicates(g, "before", t, PYTREE_EVERYTHING);
    copy = pytree_graph_clone(t, NULL, &error);
    if (!golden_check_ok(g, "clone", &error)) { return; }
    check_duplicates(g, "after", copy, PYTREE_EVERYTHING);
    if (id_is(g, "nnx.clone.001") || id_is(g, "nnx.clone.005")) {              /* changed, the model stays as it is */
        pytree_flat state = whole(g, copy);
        scale(g, PYTREE(&state), 0, 7);
        pytree_flat_free(&state);
        check_output(g, "m", t);
    }
    pytree_free(copy);
}

static void graphdef_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree_def *one, *two;
    pytree t;
    /* a print of the package's own; static values and metadata, which dicts and literals do not have */
    if (!id_is(g, "nnx.graphdef.002") && !id_is(g, "nnx.graphdef.005")) { golden_no_counterpart(g); return; }
    t = input(g, "m");
    one = pytree_graphdef(t, NULL, &error);
    if (id_is(g, "nnx.graphdef.002")) {
        pytree_flat state = whole(g, t);
        scale(g, PYTREE(&state), 1, 1);
        pytree_flat_free(&state);
        two = pytree_graphdef(t, NULL, &error);
        golden_check_bool(g, "same hash", cJSON_IsTrue(output(g, "same_hash")) != 0,
                          pytree_def_hash(one) == pytree_def_hash(two));
    } else {
        two = pytree_graphdef(input(g, "m2"), NULL, &error);
    }
    golden_check_ok(g, "graphdef", &error);
    golden_check_bool(g, "equal", cJSON_IsTrue(output(g, "equal")) != 0, pytree_def_equal(one, two));
    if (output(g, "num_leaves") != NULL) {
        check_size(g, "leaves", (size_t)golden_int(golden_get(output(g, "num_leaves"), "list")->child), one->n_leaves);
    }
    pytree_def_free(one);
    pytree_def_free(two);
}

static void merge_case(Golden *g)
{
    pytree_error error = { 0 };
    pytree_filter of[8];
    pytree_def *graphdef = NULL;
    pytree_flat states[8] = { { NULL, NULL } };
    pytree t, turned[2], made;
    size_t i;
    if (golden_get(g->json, "inputs.m") == NULL) { golden_no_counterpart(g); return; }       /* no graphdef */
    t = input(g, "m");
    check_merged(g, t);
    if (id_is(g, "nnx.merge.004")) {
        (void)pytree_split(t, filters_in(g, "nnx.split(", of), of, &graphdef, states, NULL, &error);
        made = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&states[1]) }, NULL, &error);
        golden_check_bool(g, "error", true, made.data == NULL && error.status == PYTREE_TOO_FEW_LEAVES);
    } else if (id_is(g, "nnx.merge.005") || id_is(g, "nnx.merge.006")) {
        const size_t n = id_is(g, "nnx.merge.005") ? 2 : 0;
        (void)pytree_split(t, 0, NULL, &graphdef, states, NULL, &error);
        turned[0] = PYTREE(&states[0]);
        turned[1] = PYTREE_DICT({ "w1", PYTREE_VARIABLE(Param, PYTREE_SCALAR(&(float){ 1 })) });
        made = pytree_merge(graphdef, n, turned, NULL, &error);
        golden_check_bool(g, "error", true, made.data == NULL
                          && error.status == (n == 0 ? PYTREE_TOO_FEW_LEAVES : PYTREE_TOO_MANY_LEAVES));
    } else if (id_is(g, "nnx.merge.008")) {
        states[0] = pytree_pure(t, NULL, &error);
        check_output(g, "pure", PYTREE(&states[0]));
        graphdef = pytree_graphdef(t, NULL, &error);
        made = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&states[0]) }, NULL, &error);
        golden_check_ok(g, "merge", &error);
        check_same(g, "again", t, made);
        pytree_free(made);
    } else if (id_is(g, "nnx.merge.010")) {
        states[0] = whole(g, t);
        scale(g, PYTREE(&states[0]), 2, 0);
        check_output(g, "again", t);
    }
    pytree_def_free(graphdef);
    for (i = 0; i < COUNT_OF(states); i++) { pytree_flat_free(&states[i]); }
}

/* ---- Running ------------------------------------------------------------------------------------------------------- */

/* Each group, how many of its cases are asked, and how many are not: docs/semantics.md says why. */
#define GROUP(name, asked, without)                                                                                     \
    static void name##_cases(void **state)                                                                              \
    {                                                                                                                   \
        (void)state;                                                                                                    \
        golden_run_exactly("seeds/nnx", "\"group\": \"" #name "\"", name##_case, asked, without);                       \
    }
GROUP(sharing, 11, 3)
GROUP(graph, 19, 0)
GROUP(iter, 3, 4)
GROUP(clone, 3, 2)
GROUP(graphdef, 2, 3)
GROUP(merge, 9, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sharing_cases), cmocka_unit_test(graph_cases),    cmocka_unit_test(iter_cases),
        cmocka_unit_test(clone_cases),   cmocka_unit_test(graphdef_cases), cmocka_unit_test(merge_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
