/* Treedefs and trees combined, taken apart, folded: golden/algebra.jsonl. */
#include "golden.h"
#include "pytree/algebra.h"

/* ---- Help ---------------------------------------------------------------------------------------------------------- */

static const char *const parts[] = { "jax", "optree", "optree_nil" };

/* Calls for each part of the answers that the case has. */
static void each_part(Golden *g, void (*check)(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt))
{
    size_t i;
    for (i = 0; i < COUNT_OF(parts); i++) {
        const cJSON *answer = golden_get(g->json, parts[i]);
        pytree_options opt = golden_options(parts[i]);
        if (answer != NULL) { check(g, parts[i], answer, &opt); }
    }
}

static bool is_jax(const char *part) { return strcmp(part, "jax") == 0; }

static pytree tree_of(Golden *g, const char *name) { return golden_tree(g, golden_at(g->json, name)); }

static pytree_def *def_of(Golden *g, const cJSON *json, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(golden_tree(g, json), opt, &error);
    golden_check_ok(g, "structure", &error);
    assert_non_null(def);
    return def;
}

/* Text of a treedef as the package of that part writes it; frees it. */
static const char *text_of(Golden *g, const char *part, pytree_def *def)
{
    const char *text = def == NULL ? "no treedef" : is_jax(part) ? golden_def_text(g, def) : golden_spec(g, def);
    pytree_def_free(def);
    return text;
}

/* "treedef" or "spec", and the counts, of what an operation made. */
static void check_def(Golden *g, const char *part, const cJSON *answer, pytree_def *def, const pytree_error *error)
{
    const char *name = is_jax(part) ? "treedef" : "spec";
    if (!golden_check_ok(g, golden_name(g, part, "status"), error)) { return; }
    if (golden_get(answer, "num_leaves") != NULL) {
        golden_check_count(g, golden_name(g, part, "num_leaves"), golden_at(answer, "num_leaves"), pytree_def_num_leaves(def));
        golden_check_count(g, golden_name(g, part, "num_nodes"), golden_at(answer, "num_nodes"), pytree_def_num_nodes(def));
    }
    golden_check_text(g, golden_name(g, part, name), golden_word(answer, name), text_of(g, part, def));
}

static cJSON *root_entries(const pytree_def *def)
{
    cJSON *entries = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < pytree_def_num_children(def); i++) {
        pytree_entry entry;
        assert_int_equal(pytree_def_entry(def, (ptrdiff_t)i, &entry, NULL), PYTREE_OK);
        cJSON_AddItemToArray(entries, golden_plain_entry(&entry, pytree_def_kind(def), i));
    }
    return entries;
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

/* ---- Treedefs from treedefs ---------------------------------------------------------------------------------------- */

static void compose_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *outer = def_of(g, golden_at(g->json, "outer"), opt), *inner = def_of(g, golden_at(g->json, "inner"), opt);
    check_def(g, part, answer, pytree_def_compose(outer, inner, NULL, &error), &error);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

static void tuple_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    const cJSON *trees = golden_at(g->json, "trees"), *tree;
    size_t n = 0, i;
    const pytree_def **defs = golden_alloc(g, (size_t)cJSON_GetArraySize(trees), sizeof *defs);
    pytree_error error = { 0 };
    cJSON_ArrayForEach(tree, trees) { defs[n++] = def_of(g, tree, opt); }
    check_def(g, part, answer, pytree_def_tuple(n, defs, opt, &error), &error);
    for (i = 0; i < n; i++) { pytree_def_free((pytree_def *)(uintptr_t)defs[i]); }
}

static void children_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_def *def = def_of(g, golden_at(g->json, "tree"), opt);
    const cJSON *type = golden_at(answer, "type");
    const char *name = cJSON_IsNull(type) ? "*" : strcmp(golden_string(type), "NoneType") == 0 ? "None" : golden_string(type);
    cJSON *children = cJSON_CreateArray();
    size_t i, n = pytree_def_num_children(def);
    for (i = 0; i < n; i++) {
        pytree_error error = { 0 };
        pytree_def *child = pytree_def_child(def, (ptrdiff_t)i, NULL, &error);
        golden_check_ok(g, golden_name(g, part, "child"), &error);
        cJSON_AddItemToArray(children, cJSON_CreateString(text_of(g, part, child)));
    }
    golden_check_json(g, golden_name(g, part, "children"), golden_at(answer, "children"), children);
    golden_check_count(g, golden_name(g, part, "num_children"), golden_at(answer, "num_children"), n);
    golden_check_text(g, golden_name(g, part, "type"), name, pytree_def_type_name(def));
    if (!is_jax(part)) {
        golden_check_json(g, golden_name(g, part, "entries"), golden_at(answer, "entries"), root_entries(def));
    }
    pytree_def_free(def);
}

static void child_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_def *def = def_of(g, golden_at(g->json, "tree"), opt);
    const ptrdiff_t index = (ptrdiff_t)golden_int(golden_at(g->json, "index"));
    pytree_error error = { 0 };
    pytree_entry entry;
    pytree_def *child = pytree_def_child(def, index, NULL, &error);
    pytree_status status = pytree_def_entry(def, index, &entry, NULL);
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, golden_name(g, part, "error"), "bad argument", pytree_status_name(error.status));
        golden_check_text(g, golden_name(g, part, "error of the entry"), "bad argument", pytree_status_name(status));
        golden_check_bool(g, golden_name(g, part, "no child"), true, child == NULL);
    } else if (golden_check_ok(g, golden_name(g, part, "child status"), &error)) {
        const size_t place = (size_t)(index < 0 ? index + (ptrdiff_t)pytree_def_num_children(def) : index);
        golden_check_text(g, golden_name(g, part, "child"), golden_word(answer, "child"), text_of(g, part, child));
        golden_check_json(g, golden_name(g, part, "entry"), golden_at(answer, "entry"),
                          golden_plain_entry(&entry, pytree_def_kind(def), place));
    }
    pytree_def_free(def);
}

static void paths_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_def *def = def_of(g, golden_at(g->json, "tree"), opt);
    cJSON *paths = cJSON_CreateArray(), *accessors = cJSON_CreateArray(), *prefix = cJSON_CreateArray();
    cJSON *library = cJSON_CreateArray();
    pytree_error error = { 0 };
    size_t count, i;
    const char **texts = pytree_def_paths(def, NULL, &count, NULL, &error);
    golden_optree_paths(g, def, def->n_nodes - 1, prefix, "t", paths, accessors);
    golden_check_json(g, golden_name(g, part, "paths"), golden_at(answer, "paths"), paths);
    golden_check_json(g, golden_name(g, part, "accessors"), golden_at(answer, "accessors"), accessors);
    golden_check_json(g, golden_name(g, part, "entries"), golden_at(answer, "entries"), root_entries(def));
    if (golden_check_ok(g, golden_name(g, part, "pytree_def_paths"), &error)) {
        for (i = 0; i < count; i++) {
            GoldenText to = { g, NULL, 0, 0 };
            golden_puts(&to, "t");
            golden_puts(&to, texts[i]);
            cJSON_AddItemToArray(library, cJSON_CreateString(to.at));
        }
        golden_check_json(g, golden_name(g, part, "pytree_def_paths"), golden_at(answer, "accessors"), library);
    }
    pytree_paths_free(texts);
    cJSON_Delete(prefix);
    pytree_def_free(def);
}

static void is_leaf_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_def *def = def_of(g, golden_at(g->json, "tree"), opt);
    bool strict = pytree_def_is_leaf(def), loose = pytree_def_num_nodes(def) == 1;
    if (is_jax(part)) {
        golden_check_bool(g, "jax.treedef_is_leaf", golden_true(answer, "treedef_is_leaf"), loose);
        golden_check_bool(g, "jax.treedef_is_strict_leaf", golden_true(answer, "treedef_is_strict_leaf"), strict);
    } else {
        golden_check_bool(g, golden_name(g, part, "strict"), golden_true(answer, "strict"), strict);
        golden_check_bool(g, golden_name(g, part, "tree_is_leaf"), golden_true(answer, "tree_is_leaf"), strict);
        golden_check_bool(g, golden_name(g, part, "loose"), golden_true(answer, "loose"), loose);
        golden_check_bool(g, golden_name(g, part, "one_level"), golden_true(answer, "one_level"),
                          !strict && pytree_def_num_nodes(def) == 1 + pytree_def_num_children(def)
                          && pytree_def_num_leaves(def) == pytree_def_num_children(def));
    }
    pytree_def_free(def);
}

static void all_leaves_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    const cJSON *element;
    bool all = true;
    cJSON_ArrayForEach(element, golden_at(g->json, "tree.list")) {
        pytree_def *def = def_of(g, element, opt);
        all = all && pytree_def_is_leaf(def);
        pytree_def_free(def);
    }
    golden_check_bool(g, golden_name(g, part, "result"), golden_true(answer, "result"), all);
}

/* ---- Treedefs by hand ---------------------------------------------------------------------------------------------- */

/* Built from the leaves up. A container's None switch is `opt`, its children's `child`. */
static pytree_def *built(Golden *g, const cJSON *json, const pytree_options *opt, const pytree_options *child,
                         pytree_error *err)
{
    static const char *const sequences[] = {
        "list", "tuple", "dict", "odict", "idict", "defaultdict", "fields", "data", "children"
    };
    const cJSON *list = NULL, *item;
    const pytree_def **children;
    const char **keys;
    int64_t *numbers;
    size_t n = 0, i, kind;
    pytree_def *def;
    for (kind = 0; kind < COUNT_OF(sequences) && (list = golden_get(json, sequences[kind])) == NULL; kind++) {}
    if (golden_get(json, "none") != NULL) { return pytree_def_none(opt, err); }
    if (list == NULL) { return pytree_def_leaf(opt, err); }
    children = golden_alloc(g, (size_t)cJSON_GetArraySize(list), sizeof *children);
    keys = golden_alloc(g, (size_t)cJSON_GetArraySize(list), sizeof *keys);
    numbers = golden_alloc(g, (size_t)cJSON_GetArraySize(list), sizeof *numbers);
    cJSON_ArrayForEach(item, list) {
        const bool pair = cJSON_IsArray(item) != 0;
        if (pair && kind == 4) { numbers[n] = golden_int(item->child); }
        else if (pair) { keys[n] = golden_string(item->child); }
        children[n++] = built(g, pair ? item->child->next : item, child, child, err);
    }
    switch (kind) {
    case 0: def = pytree_def_list(n, children, opt, err); break;
    case 1: def = pytree_def_tuple(n, children, opt, err); break;
    case 2: def = pytree_def_dict(n, keys, children, opt, err); break;
    case 3: def = pytree_def_odict(n, keys, children, opt, err); break;
    case 4: def = pytree_def_idict(n, numbers, children, opt, err); break;
    case 5: def = pytree_def_defaultdict("int", n, keys, children, opt, err); break;
    case 6: def = pytree_def_namedtuple(golden_word(json, "namedtuple"), n, keys, children, opt, err); break;
    default: def = pytree_def_struct(golden_tree(g, json), n, children, opt, err);
    }
    for (i = 0; i < n; i++) { pytree_def_free((pytree_def *)(uintptr_t)children[i]); }
    return def;
}

static void construct_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree_options root = *opt, child = *opt;
    pytree_error error = { 0 };
    pytree_def *def, *structure;
    if (golden_get(g->json, "none_is_leaf") != NULL) {
        root.none_is_leaf = golden_true(g->json, "none_is_leaf");
        child.none_is_leaf = golden_true(g->json, "child_none_is_leaf");
    }
    def = built(g, golden_at(g->json, "tree"), &root, &child, &error);
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, golden_name(g, part, "error"), "bad argument", pytree_status_name(error.status));
    } else if (golden_check_ok(g, golden_name(g, part, "status"), &error)) {
        structure = def_of(g, golden_at(g->json, "tree"), &root);
        golden_check_bool(g, golden_name(g, part, "same_as_structure"), golden_true(answer, "same_as_structure"),
                          pytree_def_equal(def, structure));
        pytree_def_free(structure);
        check_def(g, part, answer, def, &error);
        def = NULL;
    }
    pytree_def_free(def);
}

/* ---- One level, and all -------------------------------------------------------------------------------------------- */

static void one_level_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    pytree tree = tree_of(g, "tree");
    size_t capacity = 4096, n = 0, i;
    pytree_leaf *children = golden_alloc(g, capacity, sizeof *children);
    pytree_entry *keys = golden_alloc(g, capacity, sizeof *keys);
    pytree_error error = { 0 };
    static char not_root[] = "not_root";
    pytree_options one = *opt;
    pytree_children(tree, children, keys, capacity, &n, opt, &error);
    if (golden_get(answer, "error") != NULL) {
        golden_check_text(g, golden_name(g, part, "error"), "bad argument", pytree_status_name(error.status));
        return;
    }
    if (!golden_check_ok(g, golden_name(g, part, "children status"), &error)) { return; }
    golden_check_json(g, golden_name(g, part, "children"), golden_at(answer, "children"), golden_json_views(n, children));
    if (is_jax(part)) {
        cJSON *entries = cJSON_CreateArray(), *texts = cJSON_CreateArray();
        for (i = 0; i < n; i++) {
            struct pytree__text_writer text = { NULL, 0, 0, NULL };
            cJSON_AddItemToArray(entries, golden_json_entry(&keys[i]));
            text.room = 4096;
            text.at = golden_alloc(g, text.room, 1);
            pytree__put_entry(&text, &keys[i], NULL, true);
            cJSON_AddItemToArray(texts, cJSON_CreateString(text.at));
        }
        golden_check_json(g, "jax.keys", golden_at(answer, "keys"), entries);
        golden_check_json(g, "jax.keystr", golden_at(answer, "keystr"), texts);
    } else {
        pytree_def *def = def_of(g, golden_at(g->json, "tree"), opt);
        golden_check_json(g, golden_name(g, part, "entries"), golden_at(answer, "entries"), root_entries(def));
        golden_check_bool(g, golden_name(g, part, "is_one_level"), golden_true(answer, "is_one_level"),
                          !pytree_def_is_leaf(def) && pytree_def_num_nodes(def) == 1 + n && pytree_def_num_leaves(def) == n);
        pytree_def_free(def);
        one.is_leaf = golden_predicate;                        /* all but the root: a treedef of one level */
        one.is_leaf_context = not_root;
        check_def(g, part, answer, pytree_structure(tree, &one, &error), &error);
    }
}

typedef struct Events {
    cJSON *list;
    bool types, none_is_leaf;
} Events;

static int enter(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Events *events = context;
    (void)path;
    if (pytree_is_leaf(value) || (value->form == PYTREE_FORM_NONE && events->none_is_leaf)) {
        cJSON_AddItemToArray(events->list, golden_object("leaf", golden_json_view(value)));
    } else if (value->form == PYTREE_FORM_NONE) {              /* there is nothing to leave */
        cJSON *event = golden_object("node", golden_json_int(0));
        if (events->types) { cJSON_AddStringToObject(event, "type", "NoneType"); }
        cJSON_AddItemToArray(events->list, event);
    }
    return PYTREE_WALK_ON;
}

static int leave(void *context, const pytree_leaf *value, const pytree_path *path)
{
    Events *events = context;
    const pytree_type *type = value->type->origin != NULL ? value->type->origin : value->type;
    const pytree_items *items = value->data;
    size_t n = 0;
    cJSON *event;
    (void)path;
    if (pytree_is_leaf(value) || value->form == PYTREE_FORM_NONE) { return PYTREE_WALK_ON; }
    pytree_children(pytree_of_view(value), NULL, NULL, 0, &n, NULL, NULL);
    event = golden_object("node", golden_json_int((int64_t)n));
    if (events->types) {
        cJSON_AddStringToObject(event, "type", type->kind == PYTREE_KIND_NAMEDTUPLE ? items->name : type->name);
    }
    cJSON_AddItemToArray(events->list, event);
    return PYTREE_WALK_ON;
}

/* Leaves and nodes in post-order. A node's data in Python's words are not compared: they are part of the treedef's text. */
static void walk_part(Golden *g, const char *part, const cJSON *answer, const pytree_options *opt)
{
    cJSON *expected = cJSON_Duplicate(golden_at(answer, "events"), true), *event;
    Events events = { NULL, false, false };
    pytree_visitor visitor = { enter, leave, NULL };
    pytree_error error = { 0 };
    events.list = cJSON_CreateArray();
    events.types = !is_jax(part);
    events.none_is_leaf = opt->none_is_leaf;
    visitor.context = &events;
    cJSON_ArrayForEach(event, expected) { cJSON_DeleteItemFromObjectCaseSensitive(event, "data"); }
    pytree_walk(tree_of(g, "tree"), &visitor, opt, &error);
    golden_check_ok(g, golden_name(g, part, "walk"), &error);
    golden_check_json(g, golden_name(g, part, "events"), expected, events.list);
    cJSON_Delete(expected);
}

/* ---- Trees from trees ---------------------------------------------------------------------------------------------- */

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

/* ---- Parts --------------------------------------------------------------------------------------------------------- */

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

/* ---- Folds --------------------------------------------------------------------------------------------------------- */

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

/* ---- Numbers ------------------------------------------------------------------------------------------------------- */

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

/* ---- The file ------------------------------------------------------------------------------------------------------ */

/* A treedef has a namespace where it holds a node that may be of one; optree's parts keep that of the whole. */
static bool has_bare_namespace(const cJSON *text)
{
    return cJSON_IsString(text) && strstr(text->valuestring, "namespace=") != NULL
        && strstr(text->valuestring, "CustomTreeNode(") == NULL;
}

static bool bare_namespace(const cJSON *json, const char *names)
{
    const cJSON *found = golden_get(json, names), *text;
    bool any = has_bare_namespace(found);
    cJSON_ArrayForEach(text, found) { any = any || has_bare_namespace(text); }
    return any;
}

static bool bare_children(const cJSON *json) { return bare_namespace(json, "optree.children"); }
static bool bare_children_nil(const cJSON *json) { return bare_namespace(json, "optree_nil.children"); }
static bool bare_child(const cJSON *json) { return bare_namespace(json, "optree.child"); }
static bool bare_child_nil(const cJSON *json) { return bare_namespace(json, "optree_nil.child"); }
static bool bare_spec(const cJSON *json) { return bare_namespace(json, "optree.spec"); }
static bool bare_spec_nil(const cJSON *json) { return bare_namespace(json, "optree_nil.spec"); }

#define OPERATION(name, part_check, decisions)                                                                          \
    static void check_##name(Golden *g) { each_part(g, part_check); }                                                   \
    static void name(void **state)                                                                                      \
    {                                                                                                                   \
        (void)state;                                                                                                    \
        golden_run("algebra", #name, check_##name, decisions);                                                          \
    }

static const GoldenDecision compose_decisions[] = {
    { "namespace of parts", "jax", "optree.spec", NULL, bare_spec },
    GOLDEN_NO_MORE
};
static const GoldenDecision children_decisions[] = {
    { "namespace of parts", "jax", "optree.children", NULL, bare_children },
    { "namespace of parts", "jax", "optree_nil.children", NULL, bare_children_nil },
    GOLDEN_NO_MORE
};
static const GoldenDecision child_decisions[] = {
    { "namespace of parts", "jax", "optree.child", NULL, bare_child },
    { "namespace of parts", "jax", "optree_nil.child", NULL, bare_child_nil },
    GOLDEN_NO_MORE
};
static const GoldenDecision one_level_decisions[] = {
    { "namespace of parts", "jax", "optree.spec", NULL, bare_spec },
    { "namespace of parts", "jax", "optree_nil.spec", NULL, bare_spec_nil },
    GOLDEN_NO_MORE
};
static const GoldenDecision transpose_decisions[] = {
    { "transpose of nothing", "jax", "optree.result", "algebra-00091 algebra-00093 algebra-00095", NULL },
    { "transpose of nothing", "jax", "optree_nil.result", "algebra-00091 algebra-00093", NULL },
    { "registered types are nodes", "jax", "optree.result optree_nil.result", "algebra-00188", NULL },
    GOLDEN_NO_MORE
};
static const GoldenDecision sum_decisions[] = {
    { "numbers only", NULL, "optree.result optree_nil.result", "algebra-01216", NULL },
    GOLDEN_NO_MORE
};
static const GoldenDecision max_decisions[] = {
    { "numbers only", NULL, "optree_nil.result", "algebra-01108 algebra-01109 algebra-01218", NULL },
    { "numbers only", NULL, "optree.result", "algebra-01218", NULL },
    GOLDEN_NO_MORE
};
static const GoldenDecision min_decisions[] = {
    { "numbers only", NULL, "optree_nil.result", "algebra-01112 algebra-01113 algebra-01219", NULL },
    { "numbers only", NULL, "optree.result", "algebra-01219", NULL },
    GOLDEN_NO_MORE
};

OPERATION(compose, compose_part, compose_decisions)
OPERATION(transpose, transpose_part, transpose_decisions)
OPERATION(children, children_part, children_decisions)
OPERATION(child, child_part, child_decisions)
OPERATION(paths, paths_part, NULL)
OPERATION(one_level, one_level_part, one_level_decisions)
OPERATION(walk, walk_part, NULL)
OPERATION(broadcast_common, common_part, NULL)
OPERATION(broadcast_map, broadcast_map_part, NULL)
OPERATION(construct, construct_part, NULL)
OPERATION(is_leaf, is_leaf_part, NULL)
OPERATION(all_leaves, all_leaves_part, NULL)
OPERATION(partition, partition_part, NULL)
OPERATION(replace_nones, replace_part, NULL)
OPERATION(transpose_map, transpose_map_part, NULL)
OPERATION(sum, sum_part, sum_decisions)
OPERATION(max, extreme_part, max_decisions)
OPERATION(min, extreme_part, min_decisions)
OPERATION(all, truth_part, NULL)
OPERATION(any, truth_part, NULL)
OPERATION(treedef_tuple, tuple_part, NULL)

static void reduce(void **state)
{
    (void)state;
    golden_run("algebra", "reduce", check_reduce, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compose), cmocka_unit_test(transpose), cmocka_unit_test(children), cmocka_unit_test(child),
        cmocka_unit_test(paths), cmocka_unit_test(one_level), cmocka_unit_test(walk), cmocka_unit_test(broadcast_common),
        cmocka_unit_test(broadcast_map), cmocka_unit_test(construct), cmocka_unit_test(is_leaf), cmocka_unit_test(all_leaves),
        cmocka_unit_test(partition), cmocka_unit_test(replace_nones), cmocka_unit_test(transpose_map), cmocka_unit_test(reduce),
        cmocka_unit_test(sum), cmocka_unit_test(max), cmocka_unit_test(min), cmocka_unit_test(all), cmocka_unit_test(any),
        cmocka_unit_test(treedef_tuple)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
