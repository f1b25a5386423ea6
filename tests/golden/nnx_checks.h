/* What the programs share that ask for graphs and states of golden/seeds/nnx.jsonl. */
#ifndef NNX_CHECKS_H
#define NNX_CHECKS_H

#include "nnx_values.h"

/* ---- Values -------------------------------------------------------------------------------------------------------- */

static inline pytree input(Golden *g, const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "inputs.%s", name);
    return value_of(g, golden_at(g->json, path));
}

static inline const cJSON *output(Golden *g, const char *name)
{
    char path[40];
    snprintf(path, sizeof path, "outputs.%s", name);
    return golden_get(g->json, path);
}

/* Two trees have the same keys, roles, types and shapes, and values within a tolerance. */
static inline void check_close(Golden *g, const char *name, pytree expected, pytree got, const pytree_tolerance *tolerance)
{
    pytree_error error = { 0 };
    const bool same = pytree_equal(expected, got, tolerance, NULL, &error);
    char text[700];
    snprintf(text, sizeof text, "%s: %s", error.path, error.message);
    golden_verdict(g, name, same, "the same state", text);
}

/* … and the same values. */
static inline void check_same(Golden *g, const char *name, pytree expected, pytree got)
{
    check_close(g, name, expected, got, NULL);
}

static inline pytree_flat whole(Golden *g, pytree t)
{
    pytree_error error = { 0 };
    const pytree_flat state = pytree_state(t, PYTREE_EVERYTHING, NULL, &error);
    golden_check_ok(g, "state", &error);
    return state;
}

/* The values of a model are those of the one that the record describes. */
static inline void check_model(Golden *g, const char *name, const cJSON *expected, pytree got)
{
    pytree_flat wanted = whole(g, value_of(g, expected)), state = whole(g, got);
    check_same(g, name, PYTREE(&wanted), PYTREE(&state));
    pytree_flat_free(&wanted);
    pytree_flat_free(&state);
}

/* The output of that name, if the record has it, is a state like this one. */
static inline void check_output(Golden *g, const char *name, pytree got)
{
    const cJSON *expected = output(g, name);
    if (expected != NULL) { check_model(g, name, expected, got); }
}

static inline void scale(Golden *g, pytree t, double factor, double plus)
{
    pytree_error error = { 0 };
    pytree_iter it;
    size_t i;
    (void)pytree_iter_begin(&it, 1, &t, NULL, &error);
    while (pytree_iter_next(&it)) {
        for (i = 0; i < pytree_leaf_count(it.leaf[0]); i++) {
            pytree_leaf_set(it.leaf[0], i, pytree_leaf_get(it.leaf[0], i) * factor + plus);
        }
    }
    pytree_iter_end(&it);
    golden_check_ok(g, "map", &error);
}

static inline void check_size(Golden *g, const char *check, size_t expected, size_t got)
{
    char a[24], b[24];
    snprintf(a, sizeof a, "%zu", expected);
    snprintf(b, sizeof b, "%zu", got);
    golden_check_text(g, check, a, b);
}

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

/* A path of the record, as pytree_path_text writes those of places. */
static inline const char *path_of(Golden *g, const cJSON *entries)
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
    return to.at;
}

static inline void check_paths(Golden *g, const char *name, pytree t)
{
    const cJSON *paths = output(g, name), *path;
    pytree_error error = { 0 };
    pytree_place_list *list;
    char text[200];
    size_t i = 0;
    if (paths == NULL) { return; }
    paths = golden_get(paths, "list") != NULL ? golden_get(paths, "list") : golden_get(paths, "tuple");
    list = pytree_places(t, PYTREE_EVERYTHING, NULL, &error);
    if (!golden_check_ok(g, name, &error)) { return; }
    check_size(g, name, (size_t)cJSON_GetArraySize(paths), list->n);
    cJSON_ArrayForEach(path, paths) {
        if (i == list->n) { break; }
        pytree_path_text(&list->places[i++].path, text, sizeof text);
        golden_check_text(g, name, path_of(g, golden_get(path, "tuple")), text);
    }
    pytree_places_free(list);
}

/* The leaves of a tree are those of the record, in its order. */
static inline void check_leaves(Golden *g, const char *name, pytree t)
{
    const cJSON *expected = golden_get(output(g, name), "list"), *one;
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    size_t i = 0;
    if (expected == NULL) { return; }
    (void)pytree_flatten(t, &leaves, 0, &def, NULL, &error);
    if (!golden_check_ok(g, name, &error)) { return; }
    check_size(g, name, (size_t)cJSON_GetArraySize(expected), def->n_leaves);
    cJSON_ArrayForEach(one, expected) {
        pytree value = value_of(g, one);
        if (golden_get(one, "variable") != NULL) { value = ((const pytree_variable *)value.data)->value; }
        if (i < def->n_leaves) { check_same(g, name, value, pytree_of_view(&leaves[i++])); }
    }
    pytree_def_free(def);
}

/* The state is the one that pytree_of_places makes of a flat state of the record. */
static inline void check_flat_state(Golden *g, const char *name, pytree got)
{
    const cJSON *expected = golden_get(output(g, name), "flat_state"), *pair, *entry;
    pytree_place places[16];
    pytree_error error = { 0 };
    pytree_flat flat;
    size_t n = 0;
    if (expected == NULL) { return; }
    cJSON_ArrayForEach(pair, expected) {
        pytree_entry *entries = golden_alloc(g, (size_t)cJSON_GetArraySize(pair->child) + 1, sizeof *entries);
        pytree value = value_of(g, pair->child->next);
        pytree_place *const at = &places[n++];
        memset(at, 0, sizeof *at);
        at->path.entries = entries;
        cJSON_ArrayForEach(entry, pair->child) {
            pytree_entry *to = &entries[at->path.n++];
            to->kind = cJSON_IsNumber(entry) ? PYTREE_INDEX : PYTREE_ATTRIBUTE;
            if (cJSON_IsNumber(entry)) { to->index = (size_t)golden_int(entry); } else { to->name = golden_string(entry); }
        }
        if (golden_get(pair->child->next, "variable") != NULL) {
            at->role = value.type;
            value = ((const pytree_variable *)value.data)->value;
        }
        at->view = value.data;
    }
    flat = pytree_of_places(n, places, NULL, &error);
    if (golden_check_ok(g, name, &error)) { check_same(g, name, PYTREE(&flat), got); }
    pytree_flat_free(&flat);
}

/* ---- Cases --------------------------------------------------------------------------------------------------------- */

/* The filters in "nnx.split(m, nnx.Param, Frozen, ...)". */
static inline size_t filters_in(Golden *g, const char *call, pytree_filter *of)
{
    const char *at = strstr(golden_word(g->json, "run"), call);
    size_t n = 0;
    assert_non_null(at);
    for (at = strchr(at, ',') + 1; at[-1] != ')'; n++) {
        char *name = golden_alloc(g, 40, 1);
        at += strspn(at, " ");
        if (strncmp(at, "nnx.", 4) == 0) { at += 4; }
        memcpy(name, at, strcspn(at, ",)"));
        of[n] = PYTREE_REST;
        if (strcmp(name, "...") != 0) {
            of[n] = (pytree_filter){ .kind = PYTREE_FILTER_ROLE, .type = role_of(g, name) };
        }
        at += strcspn(at, ",)") + 1;
    }
    return n;
}

static inline bool id_is(Golden *g, const char *id) { return strcmp(g->id, id) == 0; }

#endif
