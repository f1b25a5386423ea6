/* golden/checks.h: what flatten.jsonl, equality.jsonl and prefix.jsonl share with deque.jsonl. Included after golden.h. */
#ifndef GOLDEN_CHECKS_H
#define GOLDEN_CHECKS_H

#include "pytree/algebra.h"

/* ---- Flatten ------------------------------------------------------------------------------------------------------- */

static inline void golden_check_counts(Golden *g, const char *part, const cJSON *answer, const pytree_def *def)
{
    golden_check_count(g, golden_name(g, part, "num_leaves"), golden_at(answer, "num_leaves"), pytree_def_num_leaves(def));
    golden_check_count(g, golden_name(g, part, "num_nodes"), golden_at(answer, "num_nodes"), pytree_def_num_nodes(def));
    golden_check_count(g, golden_name(g, part, "num_children"), golden_at(answer, "num_children"),
                       pytree_def_num_children(def));
}

/* The tree that the leaves give, dicts in the order in which they were filled. JAX's is that one with its dicts sorted. */
static inline void golden_check_rebuilt(Golden *g, const char *part, const pytree_def *def, const pytree_leaf *leaves,
                                        const cJSON *sorted, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree rebuilt = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, opt, &error);
    if (golden_check_ok(g, golden_name(g, part, "unflatten"), &error)) {
        golden_check_json(g, golden_name(g, part, "rebuilt"), golden_at(g->json, "tree"), golden_json(rebuilt));
        if (sorted != NULL) {
            golden_check_json(g, golden_name(g, part, "sorted"), sorted, golden_sorted(golden_json(rebuilt)));
        }
    }
    pytree_free(rebuilt);
}

/* The part of the answers that comes from optree. */
static inline void golden_check_optree_flatten(Golden *g, const char *part, pytree tree)
{
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    const cJSON *answer = golden_at(g->json, part), *with_lists = golden_get(answer, "leaves") != NULL ? answer
                                                                : golden_at(g->json, "optree");
    cJSON *paths = cJSON_CreateArray(), *accessors = cJSON_CreateArray(), *prefix = cJSON_CreateArray();
    pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
    if (golden_check_ok(g, golden_name(g, part, "flatten"), &error)) {
        golden_check_text(g, golden_name(g, part, "spec"), golden_word(answer, "spec"), golden_spec(g, def));
        golden_check_json(g, golden_name(g, part, "leaves"), golden_at(with_lists, "leaves"),
                          golden_json_views(pytree_def_num_leaves(def), leaves));
        golden_check_counts(g, part, answer, def);
        golden_check_bool(g, golden_name(g, part, "is_leaf"), golden_true(answer, "is_leaf"), pytree_def_is_leaf(def));
        golden_check_bool(g, golden_name(g, part, "is_leaf_loose"), golden_true(answer, "is_leaf_loose"),
                          pytree_def_num_nodes(def) == 1);
        golden_check_bool(g, golden_name(g, part, "is_one_level"), golden_true(answer, "is_one_level"),
                          !pytree_def_is_leaf(def) && pytree_def_num_nodes(def) == 1 + pytree_def_num_children(def)
                          && pytree_def_num_leaves(def) == pytree_def_num_children(def));
        golden_optree_paths(g, def, def->n_nodes - 1, prefix, "t", paths, accessors);
        golden_check_json(g, golden_name(g, part, "paths"), golden_at(with_lists, "paths"), paths);
        golden_check_json(g, golden_name(g, part, "accessors"), golden_at(with_lists, "accessors"), accessors);
        golden_check_rebuilt(g, part, def, leaves, NULL, &opt);
    }
    cJSON_Delete(prefix);
    pytree_def_free(def);
}

/* ---- Equality ------------------------------------------------------------------------------------------------------ */

static inline pytree_def *golden_def(Golden *g, const char *part, pytree tree, pytree_leaf **leaves)
{
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_def *def = NULL;
    *leaves = NULL;
    pytree_flatten(tree, leaves, 0, &def, &opt, &error);
    golden_check_ok(g, golden_name(g, part, "flatten"), &error);
    return def;
}

/* Same leaves in the same order? */
static inline bool golden_same_leaves(const pytree_def *a, const pytree_leaf *leaves_a, const pytree_def *b,
                                      const pytree_leaf *leaves_b)
{
    cJSON *json_a = golden_json_views(pytree_def_num_leaves(a), leaves_a);
    cJSON *json_b = golden_json_views(pytree_def_num_leaves(b), leaves_b);
    bool same = golden_same(json_a, json_b);
    cJSON_Delete(json_a);
    cJSON_Delete(json_b);
    return same;
}

/* What pytree_def_differences says, in the data's form. */
static inline cJSON *golden_differences(Golden *g, const pytree_def *a, const pytree_def *b)
{
    pytree_error error = { 0 };
    pytree_def_error_list *list = pytree_def_differences(a, b, NULL, &error);
    cJSON *json = cJSON_CreateArray();
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "keystr", list->errors[i].path);
        cJSON_AddStringToObject(one, "kind", golden_kind(g, list->errors[i].kind));
        cJSON_AddStringToObject(one, "missing", list->errors[i].missing);
        cJSON_AddStringToObject(one, "extra", list->errors[i].extra);
        cJSON_AddItemToArray(json, one);
    }
    golden_check_ok(g, "pytree_def_differences", &error);
    pytree_def_errors_free(list);
    return json;
}

static inline cJSON *golden_expected_differences(Golden *g, const cJSON *list)
{
    cJSON *json = cJSON_CreateArray();
    const cJSON *item;
    cJSON_ArrayForEach(item, list) {
        cJSON *one = cJSON_CreateObject();
        cJSON_AddStringToObject(one, "keystr", golden_word(item, "keystr"));
        cJSON_AddStringToObject(one, "kind", golden_word(item, "kind"));
        cJSON_AddStringToObject(one, "missing", golden_keys_text(g, golden_get(item, "missing")));
        cJSON_AddStringToObject(one, "extra", golden_keys_text(g, golden_get(item, "extra")));
        cJSON_AddItemToArray(json, one);
    }
    return json;
}

static inline void golden_check_equality(Golden *g, const char *part, pytree tree_a, pytree tree_b)
{
    const cJSON *answer = golden_at(g->json, part);
    pytree_leaf *leaves_a, *leaves_b;
    pytree_def *a = golden_def(g, part, tree_a, &leaves_a), *b = golden_def(g, part, tree_b, &leaves_b);
    bool equal;
    if (a != NULL && b != NULL) {
        equal = pytree_def_equal(a, b);
        golden_check_bool(g, golden_name(g, part, "equal"), golden_true(answer, "equal"), equal);
        golden_check_bool(g, "equality goes both ways", equal, pytree_def_equal(b, a));
        if (equal) { golden_check_bool(g, "equal hashes", true, pytree_def_hash(a) == pytree_def_hash(b)); }
        golden_check_bool(g, golden_name(g, part, "leaves_equal"), golden_true(answer, "leaves_equal"),
                          golden_same_leaves(a, leaves_a, b, leaves_b));
        if (golden_get(answer, "differences") != NULL) {
            cJSON *expected = golden_expected_differences(g, golden_get(answer, "differences"));
            golden_check_json(g, golden_name(g, part, "differences"), expected, golden_differences(g, a, b));
            cJSON_Delete(expected);
        }
        if (golden_get(answer, "is_prefix") != NULL) {
            golden_check_bool(g, golden_name(g, part, "is_prefix"), golden_true(answer, "is_prefix"),
                              pytree_def_is_prefix(a, b, false, NULL, NULL));
            golden_check_bool(g, golden_name(g, part, "is_prefix_strict"), golden_true(answer, "is_prefix_strict"),
                              pytree_def_is_prefix(a, b, true, NULL, NULL));
            golden_check_bool(g, golden_name(g, part, "is_suffix"), golden_true(answer, "is_suffix"),
                              pytree_def_is_suffix(a, b, false, NULL, NULL));
            golden_check_bool(g, golden_name(g, part, "is_suffix_strict"), golden_true(answer, "is_suffix_strict"),
                              pytree_def_is_suffix(a, b, true, NULL, NULL));
        }
    }
    pytree_def_free(a);
    pytree_def_free(b);
}

/* ---- Prefixes ------------------------------------------------------------------------------------------------------ */

/* Mismatches in one form: path, kind, and keys that only one side has. */
static inline cJSON *golden_mismatch(const char *path, const char *kind, cJSON *missing, cJSON *extra)
{
    cJSON *json = cJSON_CreateObject();
    cJSON_AddStringToObject(json, "path", path);
    cJSON_AddStringToObject(json, "kind", kind);
    cJSON_AddItemToObject(json, "missing", missing);
    cJSON_AddItemToObject(json, "extra", extra);
    return json;
}

static inline cJSON *golden_keys(size_t n, const pytree_entry *keys)
{
    cJSON *json = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < n; i++) {
        cJSON *entry = golden_json_entry(&keys[i]);
        cJSON_AddItemToArray(json, cJSON_DetachItemFromArray(entry, 0));
        cJSON_Delete(entry);
    }
    return json;
}

static inline cJSON *golden_mismatches(Golden *g, const pytree_prefix_error_list *list)
{
    cJSON *json = cJSON_CreateArray();
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {
        const pytree_prefix_error *e = &list->errors[i];
        cJSON_AddItemToArray(json, golden_mismatch(e->path, golden_kind(g, e->kind), golden_keys(e->n_missing, e->missing),
                                                   golden_keys(e->n_extra, e->extra)));
    }
    return json;
}

static inline cJSON *golden_copy_or_empty(const cJSON *json)
{
    return json == NULL ? cJSON_CreateArray() : cJSON_Duplicate(json, true);
}

/* Text of the path of a mismatch: JAX's keystr, or optree's accessor without what it calls the tree. */
static inline const char *golden_mismatch_path(const cJSON *mismatch)
{
    const char *accessor;
    if (golden_get(mismatch, "keystr") != NULL) { return golden_word(mismatch, "keystr"); }
    accessor = golden_word(mismatch, "accessor");
    return accessor + strcspn(accessor, ".[");
}

static inline cJSON *golden_expected_mismatches(const cJSON *errors)
{
    cJSON *json = cJSON_CreateArray();
    const cJSON *error;
    cJSON_ArrayForEach(error, errors) {
        const char *kind = golden_word(error, "kind");
        const bool keys = strcmp(kind, "different_keys") == 0; /* of dicts of different types the types are enough */
        cJSON_AddItemToArray(json, golden_mismatch(golden_mismatch_path(error), kind,
                                                   golden_copy_or_empty(keys ? golden_get(error, "missing") : NULL),
                                                   golden_copy_or_empty(keys ? golden_get(error, "extra") : NULL)));
    }
    return json;
}

/* Is an answer JAX's where optree matches more? Its mismatches, its verdict, the path of one, or a message that begins with the
 * kind of one. */
static inline bool golden_as_jax(Golden *g, const char *check, const char *got)
{
    const char *name = strrchr(check, '.') + 1;
    const cJSON *errors = golden_get(g->json, "jax.errors"), *error;
    bool said = false;
    if (golden_among("matches fits", name)) { return strcmp(got, "false") == 0; }
    if (errors == NULL) { errors = golden_at(g->json, "jax.error.mismatches"); }
    if (golden_among("errors mismatches", name)) {
        cJSON *expected = golden_expected_mismatches(errors);
        char *text = cJSON_PrintUnformatted(expected);
        said = strcmp(text, got) == 0;
        free(text);
        cJSON_Delete(expected);
        return said;
    }
    cJSON_ArrayForEach(error, errors) {
        char kind[40];
        size_t i;
        snprintf(kind, sizeof kind, "%s:", golden_word(error, "kind"));
        for (i = 0; kind[i] != '\0'; i++) { kind[i] = kind[i] == '_' ? ' ' : kind[i]; }
        said = said || (strcmp(name, "path") == 0 ? strcmp(got, golden_mismatch_path(error)) == 0 : strstr(got, kind) != NULL);
    }
    return said;
}

/* pytree_prefix_errors against the data's list. */
static inline void golden_check_mismatches(Golden *g, const char *check, const cJSON *errors, pytree prefix,
                                           const pytree_def *full, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_prefix_error_list *list = pytree_prefix_errors(prefix, full, "prefix", opt, &error);
    cJSON *expected = golden_expected_mismatches(errors);
    golden_check_ok(g, "pytree_prefix_errors", &error);
    golden_check_json(g, check, expected, golden_mismatches(g, list));
    cJSON_Delete(expected);
    pytree_prefix_errors_free(list);
}

/* A list of subtrees, or none where there is an error. */
static inline void golden_check_up_to(Golden *g, const char *check, const cJSON *answer, const pytree_def *def, pytree full,
                                      const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n = pytree_def_num_leaves(def);
    pytree_leaf *subtrees = golden_alloc(g, n, sizeof *subtrees);
    pytree_status status = pytree_flatten_up_to(def, full, subtrees, n, opt, &error);
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, check, "structures differ", pytree_status_name(status));
    } else {
        golden_check_json(g, check, golden_at(answer, "subtrees"), status == PYTREE_OK ? golden_json_views(n, subtrees)
                                                                                       : cJSON_CreateString(error.message));
    }
}

/* The prefix's leaf for each leaf of the full tree; NULL: an error. */
static inline void golden_check_flat(Golden *g, const char *check, const cJSON *flat, pytree prefix, const pytree_def *full,
                                     const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n = pytree_def_num_leaves(full);
    pytree_leaf *leaves = golden_alloc(g, n, sizeof *leaves);
    pytree_status status = pytree_broadcast_leaves(prefix, full, leaves, n, "prefix", opt, &error);
    if (flat == NULL) {
        golden_check_text(g, check, "structures differ", pytree_status_name(status));
    } else {
        golden_check_json(g, check, flat,
                          status == PYTREE_OK ? golden_json_views(n, leaves) : cJSON_CreateString(error.message));
    }
}

/* The same JSON with deques of any length. */
static inline cJSON *golden_unbounded(cJSON *json)
{
    cJSON *child;
    if (cJSON_GetObjectItemCaseSensitive(json, "maxlen") != NULL) {
        cJSON_ReplaceItemInObjectCaseSensitive(json, "maxlen", cJSON_CreateNull());
    }
    cJSON_ArrayForEach(child, json) { golden_unbounded(child); }
    return json;
}

/* The tree of full's structure: its dicts are in the order of full's, wherever the packages have them sorted (JAX) or in the
 * prefix's order (optree), and its deques are as long as full's, not as the prefix's (optree). */
static inline void golden_check_broadcast(Golden *g, const char *check, const cJSON *answer, pytree prefix,
                                          const pytree_def *full, const cJSON *full_json, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_flat flat = pytree_broadcast_prefix(prefix, full, "prefix", opt, &error);
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, check, "structures differ", pytree_status_name(error.status));
    } else if (error.status != PYTREE_OK) {
        golden_check_json(g, check, answer, cJSON_CreateString(error.message));
    } else {
        cJSON *sorted = golden_unbounded(golden_sorted(cJSON_Duplicate(answer, true)));
        cJSON *bare = golden_bare(cJSON_Duplicate(full_json, true));
        golden_check_json(g, check, sorted, golden_unbounded(golden_sorted(golden_json(PYTREE(&flat)))));
        golden_check_json(g, "structure of the broadcast tree", bare, golden_bare(golden_json(PYTREE(&flat))));
        cJSON_Delete(sorted);
        cJSON_Delete(bare);
    }
    pytree_flat_free(&flat);
}

/* One part of prefix.jsonl. */
static inline void golden_check_prefix(Golden *g, const char *part, pytree prefix, pytree full)
{
    const bool jax = strcmp(part, "jax") == 0;
    const cJSON *answer = golden_at(g->json, part);
    pytree_options opt = golden_options(part);
    pytree_error error = { 0 };
    pytree_def *def_full = pytree_structure(full, &opt, &error), *def_prefix = pytree_structure(prefix, &opt, &error);
    const size_t n = def_full == NULL ? 0 : pytree_def_num_leaves(def_full);
    if (golden_check_ok(g, golden_name(g, part, "structure"), &error)) {
        pytree_leaf *leaves = golden_alloc(g, n, sizeof *leaves);
        golden_check_bool(g, golden_name(g, part, "matches"), golden_true(answer, "matches"),
                          pytree_broadcast_leaves(prefix, def_full, leaves, n, NULL, &opt, NULL) == PYTREE_OK);
        golden_check_mismatches(g, golden_name(g, part, "errors"), golden_at(answer, "errors"), prefix, def_full, &opt);
        golden_check_up_to(g, golden_name(g, part, "flatten_up_to"), golden_at(answer, "flatten_up_to"), def_prefix, full,
                           &opt);
        golden_check_flat(g, golden_name(g, part, "flat"), golden_get(answer, "flat"), prefix, def_full, &opt);
        golden_check_broadcast(g, golden_name(g, part, "broadcast"), golden_at(answer, "broadcast"), prefix, def_full,
                               golden_at(g->json, "full"), &opt);
        if (!jax) {
            golden_check_bool(g, golden_name(g, part, "is_prefix"), golden_true(answer, "is_prefix"),
                              pytree_def_is_prefix(def_prefix, def_full, false, NULL, NULL));
        }
    }
    pytree_def_free(def_full);
    pytree_def_free(def_prefix);
}

#endif
