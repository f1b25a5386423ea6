/* Treedefs combined and taken apart: golden/algebra.jsonl. Trees are in test_golden_algebra_trees.c. */
#include "golden_algebra_shared.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

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

/* ---- Treedefs from treedefs -------------------------------------------------------------------------------------------- */

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

/* ---- Treedefs by hand -------------------------------------------------------------------------------------------------- */

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

/* ---- One level, and all ------------------------------------------------------------------------------------------------ */

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

/* ---- The file ---------------------------------------------------------------------------------------------------------- */

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

/* The text of the data without a namespace that no node is of. */
static cJSON *bare_text(const cJSON *text)
{
    static const char space[] = ", namespace='golden'";
    cJSON *json = cJSON_Duplicate(text, true);
    char *at = has_bare_namespace(json) ? strstr(json->valuestring, space) : NULL;
    if (at != NULL) { memmove(at, at + sizeof space - 1, strlen(at + sizeof space - 1) + 1); }
    return json;
}

static bool without_namespace(Golden *g, const char *check, const char *got)
{
    const cJSON *golden = golden_at(g->json, check), *text;
    cJSON *bare = cJSON_IsArray(golden) ? cJSON_CreateArray() : bare_text(golden);
    char *words;
    bool same;
    if (cJSON_IsArray(golden)) { cJSON_ArrayForEach(text, golden) { cJSON_AddItemToArray(bare, bare_text(text)); } }
    words = cJSON_IsArray(golden) ? cJSON_PrintUnformatted(bare) : NULL;
    same = strcmp(words != NULL ? words : bare->valuestring, got) == 0;
    free(words);
    cJSON_Delete(bare);
    return same;
}

static const GoldenDecision compose_decisions[] = {
    { "namespace of parts", "jax", "optree.spec", NULL, bare_spec, NULL, without_namespace },
    GOLDEN_NO_MORE
};

static const GoldenDecision children_decisions[] = {
    { "namespace of parts", "jax", "optree.children", NULL, bare_children, NULL, without_namespace },
    { "namespace of parts", "jax", "optree_nil.children", NULL, bare_children_nil, NULL, without_namespace },
    GOLDEN_NO_MORE
};

static const GoldenDecision child_decisions[] = {
    { "namespace of parts", "jax", "optree.child", NULL, bare_child, NULL, without_namespace },
    { "namespace of parts", "jax", "optree_nil.child", NULL, bare_child_nil, NULL, without_namespace },
    GOLDEN_NO_MORE
};

static const GoldenDecision one_level_decisions[] = {
    { "namespace of parts", "jax", "optree.spec", NULL, bare_spec, NULL, without_namespace },
    { "namespace of parts", "jax", "optree_nil.spec", NULL, bare_spec_nil, NULL, without_namespace },
    GOLDEN_NO_MORE
};

OPERATION(compose, compose_part, compose_decisions)

OPERATION(children, children_part, children_decisions)
OPERATION(child, child_part, child_decisions)
OPERATION(paths, paths_part, NULL)
OPERATION(one_level, one_level_part, one_level_decisions)
OPERATION(walk, walk_part, NULL)

OPERATION(construct, construct_part, NULL)
OPERATION(is_leaf, is_leaf_part, NULL)
OPERATION(all_leaves, all_leaves_part, NULL)

OPERATION(treedef_tuple, tuple_part, NULL)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(compose), cmocka_unit_test(children), cmocka_unit_test(child),
        cmocka_unit_test(paths), cmocka_unit_test(one_level), cmocka_unit_test(walk),
        cmocka_unit_test(construct), cmocka_unit_test(is_leaf), cmocka_unit_test(all_leaves),
        cmocka_unit_test(treedef_tuple)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
