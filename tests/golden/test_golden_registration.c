/* Field lists, namespaces, single questions of registration: golden/registration.jsonl. */
#include "golden.h"
#include "golden/registrations.h"

/* What a compiler refuses is shown by a program of tests/compile_fail. */
static void refused_by_the_compiler(Golden *g, const char *program)
{
    const char *folder = getenv("PYTREE_GOLDEN");
    char name[1024];
    FILE *file;
    snprintf(name, sizeof name, "%s/../compile_fail/%s", folder == NULL ? "tests/golden" : folder, program);
    file = fopen(name, "rb");
    golden_check_bool(g, program, true, file != NULL);
    if (file != NULL) { fclose(file); }
    golden_no_counterpart(g);
}

/* ---- Field lists --------------------------------------------------------------------------------------------------- */

/* The rows of a case: names and the numbers that the fields hold. */
typedef struct Rows {
    const char *names[8];
    int64_t values[8];
    size_t n, data, fixed;                /* all; DATA rows come first, then STATIC ones, then DROP ones */
} Rows;

/* The field's number counts the fields from 1. */
static void add_row(Rows *rows, const cJSON *fields, const char *name)
{
    const cJSON *field;
    int64_t number = 0;
    cJSON_ArrayForEach(field, fields) {
        number++;
        if (strcmp(golden_word(field, "name"), name) == 0) {
            rows->names[rows->n] = name;
            rows->values[rows->n++] = number;
        }
    }
}

/* data_fields, or those that are not marked as static where no lists are given; the same for the others. */
static void add_rows(Rows *rows, const cJSON *json, const char *list, bool fixed)
{
    const cJSON *fields = golden_at(json, "fields"), *names = golden_at(json, list), *item;
    const cJSON *dropped = golden_at(json, "drop_fields");
    if (!cJSON_IsNull(names)) {
        cJSON_ArrayForEach(item, names) { add_row(rows, fields, golden_string(item)); }
        return;
    }
    cJSON_ArrayForEach(item, fields) {
        const cJSON *name = golden_at(item, "name"), *drop;
        bool left = (golden_get(item, "static") != NULL && cJSON_IsTrue(golden_get(item, "static"))) == fixed;
        cJSON_ArrayForEach(drop, dropped) { left = left && !golden_same(drop, name); }
        if (left) { add_row(rows, fields, golden_string(name)); }
    }
}

static bool has_row(const Rows *rows, const char *name)
{
    size_t i;
    for (i = 0; i < rows->n; i++) {
        if (strcmp(rows->names[i], name) == 0) { return true; }
    }
    return false;
}

static Rows rows_of(const cJSON *json)
{
    Rows rows = { { NULL }, { 0 }, 0, 0, 0 };
    const cJSON *field;
    add_rows(&rows, json, "data_fields", false);
    rows.data = rows.n;
    add_rows(&rows, json, "meta_fields", true);
    rows.fixed = rows.n - rows.data;
    cJSON_ArrayForEach(field, golden_at(json, "fields")) {
        const char *name = golden_word(field, "name");
        if (!has_row(&rows, name)) { add_row(&rows, golden_at(json, "fields"), name); }
    }
    return rows;
}

/* The struct with that many rows of each kind, under the names of the case. */
static const pytree_type *type_of(Golden *g, const Rows *rows)
{
    static const struct { size_t data, fixed, dropped; const pytree_type *type; } types[] = {
        { 0, 0, 0, PYTREE_TYPE(T000) }, { 1, 0, 0, PYTREE_TYPE(T100) }, { 2, 0, 0, PYTREE_TYPE(T200) },
        { 3, 0, 0, PYTREE_TYPE(T300) }, { 4, 0, 0, PYTREE_TYPE(T400) }, { 1, 1, 0, PYTREE_TYPE(T110) },
        { 0, 2, 0, PYTREE_TYPE(T020) }, { 1, 0, 1, PYTREE_TYPE(T101) }, { 0, 1, 1, PYTREE_TYPE(T011) },
        { 0, 0, 2, PYTREE_TYPE(T002) }, { 1, 1, 1, PYTREE_TYPE(T111) }, { 2, 0, 1, PYTREE_TYPE(T201) }
    };
    const size_t dropped = rows->n - rows->data - rows->fixed;
    size_t i, k;
    for (i = 0; i < COUNT_OF(types); i++) {
        if (types[i].data == rows->data && types[i].fixed == rows->fixed && types[i].dropped == dropped) {
            pytree_type *type = golden_alloc(g, 1, sizeof *type);
            pytree_field *fields = golden_alloc(g, 8, sizeof *fields);
            *type = *types[i].type;
            memcpy(fields, type->fields, type->n_fields * sizeof *fields);
            for (k = 0; k < rows->n; k++) { fields[k].name = rows->names[k]; }
            type->name = "T";
            type->fields = fields;
            return type;
        }
    }
    fail_msg("%s: no struct with %lu, %lu, %lu rows", g->id, (unsigned long)rows->data, (unsigned long)rows->fixed,
             (unsigned long)dropped);
    return NULL;
}

static void check_fields(Golden *g, const Rows *rows)
{
    const cJSON *answer = golden_at(g->json, "jax");
    pytree_error error = { 0 };
    int64_t values[8] = { 0 }, tens[8];
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree tree, rebuilt;
    cJSON *numbers = cJSON_CreateArray(), *fields = cJSON_CreateObject(), *expected = cJSON_CreateObject();
    const char **keystr;
    const cJSON *item;
    size_t i, n;
    tree.type = type_of(g, rows);
    tree.data = values;
    memcpy(values, rows->values, sizeof values);
    pytree_flatten(tree, &leaves, 0, &def, NULL, &error);
    if (!golden_check_ok(g, "flatten", &error)) { return; }
    n = pytree_def_num_leaves(def);
    golden_check_text(g, "treedef", golden_word(answer, "treedef"), golden_def_text(g, def));
    for (i = 0; i < n; i++) { cJSON_AddItemToArray(numbers, golden_json_number(&leaves[i], 0)); }
    golden_check_json(g, "leaves", golden_at(answer, "leaves"), numbers);
    keystr = pytree_paths(tree, NULL, &n, NULL, &error);
    golden_check_json(g, "keystr", golden_at(answer, "keystr"), golden_json_texts(n, keystr));
    pytree_paths_free(keystr);
    for (i = 0; i < n; i++) {
        tens[i] = 10 * *(const int64_t *)leaves[i].data;
        leaves[i].data = &tens[i];
    }
    rebuilt = pytree_unflatten(def, n, leaves, NULL, &error);
    if (golden_check_ok(g, "unflatten", &error)) {
        const int64_t *field = rebuilt.data;
        for (i = 0; i < rows->n; i++) { cJSON_AddItemToObject(fields, rows->names[i], golden_json_int(field[i])); }
    }
    for (i = 0; i < rows->n && golden_get(answer, "rebuilt.error") == NULL; i++) {
        item = golden_get(golden_at(answer, "rebuilt"), rows->names[i]);
        cJSON_AddItemToObject(expected, rows->names[i], cJSON_Duplicate(item, true));
    }
    golden_check_json(g, "rebuilt", expected, fields);
    cJSON_Delete(expected);
    pytree_free(rebuilt);
    pytree_def_free(def);
}

/* JAX takes a field twice, in one list; each field has one row here. */
static bool row_twice(const cJSON *json)
{
    Rows rows = rows_of(json);
    size_t i, k;
    for (i = 0; i < rows.n; i++) {
        for (k = 0; k < i; k++) {
            if (strcmp(rows.names[i], rows.names[k]) == 0) { return true; }
        }
    }
    return false;
}

static void check_dataclass(Golden *g)
{
    static const struct { const char *kind, *program; } refused[] = {
        { "missing_fields", "field_left_out.c" }, { "unexpected_fields", "misspelt_field.c" },
        { "overlapping_fields", "field_listed_twice.c" }
    };
    const cJSON *kind = golden_get(g->json, "jax.error.kind");
    Rows rows;
    size_t i;
    if (kind != NULL) {
        for (i = 0; i < COUNT_OF(refused); i++) {
            if (strcmp(refused[i].kind, golden_string(kind)) == 0) { refused_by_the_compiler(g, refused[i].program); return; }
        }
        assert_string_equal(golden_string(kind), "only_one_list");     /* there is but one list in C */
        golden_no_counterpart(g);
    } else if (row_twice(g->json)) {
        golden_check_bool(g, "accepted", true, false);
    } else {
        rows = rows_of(g->json);
        check_fields(g, &rows);
    }
}

/* ---- Namespaces ---------------------------------------------------------------------------------------------------- */

static pytree class_of(Golden *g)
{
    static const struct { const char *id; const pytree_type *type; } types[] = {
        { "registration-00084", PYTREE_TYPE(Z84) }, { "registration-00085", PYTREE_TYPE(Z85) },
        { "registration-00147", PYTREE_TYPE(Z147) }, { "registration-00148", PYTREE_TYPE(Z148) },
        { "registration-00149", PYTREE_TYPE(Z149) }, { "registration-00150", PYTREE_TYPE(Z150) },
        { "registration-00151", PYTREE_TYPE(Z151) }, { "registration-00152", PYTREE_TYPE(Z152) },
        { "registration-00153", PYTREE_TYPE(Z153) }, { "registration-00154", PYTREE_TYPE(Z154) }
    };
    int64_t *v = golden_alloc(g, 4, sizeof *v);
    const cJSON *item;
    pytree z = { NULL, NULL };
    size_t i = 0;
    z.data = v;
    cJSON_ArrayForEach(item, golden_at(g->json, "value")) { v[i++] = golden_int(item); }
    for (i = 0; i < COUNT_OF(types); i++) {
        if (strcmp(types[i].id, g->id) == 0) { z.type = types[i].type; }
    }
    assert_non_null(z.type);
    return z;
}

/* Z84 is Z in the data. */
static char *without_number(char *text)
{
    char *to = text;
    const char *from;
    for (from = text; *from != '\0'; ) {
        *to++ = *from++;
        if (from[-1] == 'Z') { from += strspn(from, "0123456789"); }
    }
    *to = '\0';
    return text;
}

/* "Z(x=1, y=2)" */
static char *class_text(Golden *g, const int64_t *v)
{
    GoldenText to = { g, NULL, 0, 0 };
    const cJSON *name;
    size_t i = 0;
    golden_puts(&to, "Z(");
    cJSON_ArrayForEach(name, golden_at(g->json, "names")) {
        char text[64];
        snprintf(text, sizeof text, "%s%s=%" PRId64, i == 0 ? "" : ", ", golden_string(name), v[i]);
        golden_puts(&to, text);
        i++;
    }
    golden_puts(&to, ")");
    return to.at;
}

/* The value that a tree refers to. */
static const int64_t *memory_of(pytree t)
{
    while (t.type->kind == PYTREE_KIND_REF || t.type->kind == PYTREE_KIND_VIEW) {
        if (t.type->kind == PYTREE_KIND_REF) {
            t = *(const pytree *)t.data;
        } else {
            const pytree_leaf *view = t.data;
            const bool ref = view->form == PYTREE_FORM_REF, leaf = view->form == PYTREE_FORM_VIEW;
            t.type = ref ? PYTREE_TYPE(pytree) : leaf ? PYTREE_TYPE(pytree_leaf) : view->type;
            t.data = view->data;
        }
    }
    return t.data;
}

/* "[Z(x=10, y=2), 0, (Z(x=10, y=2),)]" */
static char *rebuilt_text(Golden *g, pytree rebuilt)
{
    const pytree_items *list = rebuilt.data, *tuple = (const void *)memory_of(list->items[2]);
    GoldenText to = { g, NULL, 0, 0 };
    char number[32];
    snprintf(number, sizeof number, ", %" PRId64 ", (", *memory_of(list->items[1]));
    golden_puts(&to, "[");
    golden_puts(&to, class_text(g, memory_of(list->items[0])));
    golden_puts(&to, number);
    golden_puts(&to, class_text(g, memory_of(tuple->items[0])));
    golden_puts(&to, ",)]");
    return to.at;
}

/* The tree [Z, 0, (Z,)] with one Z twice. */
static pytree tree_with(Golden *g, pytree z)
{
    pytree *items = golden_alloc(g, 3, sizeof *items), *inner = golden_alloc(g, 1, sizeof *inner);
    pytree_items *list = golden_alloc(g, 1, sizeof *list), *tuple = golden_alloc(g, 1, sizeof *tuple);
    pytree t;
    *inner = z;
    tuple->count = 1;
    tuple->items = inner;
    list->count = 3;
    list->items = items;
    items[0] = z;
    items[1] = golden_int_leaf(g, 0);
    items[2].type = &pytree_types[PYTREE__T_tuple];
    items[2].data = tuple;
    t.type = &pytree_types[PYTREE__T_list];
    t.data = list;
    return t;
}

static pytree_def *check_query(Golden *g, pytree tree, const cJSON *query)
{
    const char *space = golden_word(query, "namespace");
    pytree_options opt = { 0 };
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    cJSON *json = cJSON_CreateArray();
    int64_t *tens;
    pytree rebuilt;
    size_t i, n;
    opt.space = space[0] == '\0' ? NULL : space;
    pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
    if (!golden_check_ok(g, strcmp(space, "absent") == 0 ? "flatten, unknown" : "flatten", &error)) {
        cJSON_Delete(json);
        return NULL;
    }
    n = pytree_def_num_leaves(def);
    tens = golden_alloc(g, n, sizeof *tens);
    golden_check_count(g, "num_leaves", golden_at(query, "num_leaves"), n);
    golden_check_text(g, "spec", golden_word(query, "spec"), without_number(golden_spec(g, def)));
    golden_check_text(g, "spec_namespace", golden_word(query, "spec_namespace"), def->space == NULL ? "" : def->space);
    for (i = 0; i < n; i++) {
        if (leaves[i].type->dtype == PYTREE_OPAQUE) {
            cJSON_AddItemToArray(json, golden_object("leaf", cJSON_CreateString(class_text(g, leaves[i].data))));
        } else {
            cJSON_AddItemToArray(json, golden_json_number(&leaves[i], 0));
            tens[i] = 10 * *(const int64_t *)leaves[i].data;
            leaves[i].data = &tens[i];
        }
    }
    golden_check_json(g, "leaves", golden_at(query, "leaves"), json);
    rebuilt = pytree_unflatten(def, n, leaves, &opt, &error);
    if (golden_check_ok(g, "unflatten", &error)) {
        golden_check_text(g, "rebuilt", golden_word(query, "rebuilt"), rebuilt_text(g, rebuilt));
    }
    pytree_free(rebuilt);
    return def;
}

static size_t query_number(const cJSON *queries, const cJSON *space)
{
    const cJSON *query;
    size_t i = 0;
    cJSON_ArrayForEach(query, queries) {
        if (golden_same(query, space)) { return i; }
        i++;
    }
    fail_msg("no such query");
    return 0;
}

static void check_namespaces(Golden *g)
{
    const cJSON *answer = golden_at(g->json, "optree"), *queries = golden_at(g->json, "queries"), *item;
    const char *names[16];
    pytree_def *defs[16];
    pytree tree = tree_with(g, class_of(g));
    cJSON *equal = cJSON_CreateArray();
    size_t n = 0, i, k;
    cJSON_ArrayForEach(item, golden_at(answer, "queries")) {
        names[n] = golden_word(item, "namespace");
        defs[n++] = check_query(g, tree, item);
    }
    for (i = 0; i < n; i++) {
        for (k = i + 1; k < n; k++) {
            if (defs[i] != NULL && defs[k] != NULL && pytree_def_equal(defs[i], defs[k])) {
                cJSON_AddItemToArray(equal, golden_json_pair(cJSON_CreateString(names[i]), cJSON_CreateString(names[k])));
            }
        }
    }
    golden_check_json(g, "equal_specs", golden_at(answer, "equal_specs"), equal);
    cJSON_ArrayForEach(item, golden_at(answer, "compose")) {
        const cJSON *kind = golden_get(item, "error.kind");
        pytree_error error = { 0 };
        const pytree_def *const outer = defs[query_number(queries, golden_at(item, "outer"))];
        const pytree_def *const inner = defs[query_number(queries, golden_at(item, "inner"))];
        pytree_def *def = outer == NULL || inner == NULL ? NULL : pytree_def_compose(outer, inner, NULL, &error);
        if (outer == NULL || inner == NULL) { continue; }      /* of a namespace that is unknown */
        const char *got = def == NULL ? pytree_status_name(error.status) : without_number(golden_spec(g, def));
        if (kind != NULL) {
            golden_check_text(g, golden_name(g, "compose", golden_string(kind)), "bad argument", got);
        } else {
            golden_check_text(g, "compose", golden_word(item, "spec"), got);
        }
        pytree_def_free(def);
    }
    for (i = 0; i < n; i++) { pytree_def_free(defs[i]); }
}

/* ---- Single questions ---------------------------------------------------------------------------------------------- */

static pytree custom_of(Golden *g, const pytree_type *type, const char *meta, size_t n, const pytree *children)
{
    Custom *custom = golden_alloc(g, 1, sizeof *custom);
    pytree t;
    custom->meta = golden_copy(g, meta);
    custom->n = n;
    custom->children = golden_alloc(g, n, sizeof *children);
    if (n != 0) { memcpy(custom->children, children, n * sizeof *children); }
    t.type = type;
    t.data = custom;
    return t;
}

/* "treedef", and "keystr" and "leaves" where the case has them. */
static void check_tree(Golden *g, pytree tree)
{
    const cJSON *answer = golden_at(g->json, "result.value");
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    const char **keystr;
    size_t n = 0, i;
    pytree_flatten(tree, &leaves, 0, &def, NULL, &error);
    keystr = pytree_paths(tree, NULL, &n, NULL, &error);
    if (!golden_check_ok(g, "flatten", &error)) { return; }
    golden_check_text(g, "treedef", golden_word(answer, "treedef"), golden_def_text(g, def));
    if (golden_get(answer, "keystr") != NULL) {
        golden_check_json(g, "keystr", golden_at(answer, "keystr"), golden_json_texts(n, keystr));
    }
    if (golden_get(answer, "leaves") != NULL) {
        cJSON *numbers = cJSON_CreateArray();
        for (i = 0; i < n; i++) { cJSON_AddItemToArray(numbers, golden_json_number(&leaves[i], 0)); }
        golden_check_json(g, "leaves", golden_at(answer, "leaves"), numbers);
    }
    pytree_paths_free(keystr);
    pytree_def_free(def);
}

static bool same_structure(pytree a, pytree b)
{
    pytree_def *def_a = pytree_structure(a, NULL, NULL), *def_b = pytree_structure(b, NULL, NULL);
    bool same = def_a != NULL && def_b != NULL && pytree_def_equal(def_a, def_b);
    pytree_def_free(def_a);
    pytree_def_free(def_b);
    return same;
}

static void keys_by_attribute(Golden *g)
{
    pytree one = golden_int_leaf(g, 1), children[3];
    children[0] = children[1] = one;
    children[2] = PYTREE_LIST(one);
    check_tree(g, custom_of(g, PYTREE_TYPE(Keyed), "null", 3, children));
}

static void static_class(Golden *g)
{
    pytree a = custom_of(g, PYTREE_TYPE(StaticText), "\"a\"", 0, NULL);
    pytree b = custom_of(g, PYTREE_TYPE(StaticText), "\"b\"", 0, NULL);
    pytree again = custom_of(g, PYTREE_TYPE(StaticText), "\"a\"", 0, NULL);
    check_tree(g, PYTREE_LIST(a, golden_int_leaf(g, 1)));
    golden_check_bool(g, "equal", golden_true(g->json, "result.value.equal"), same_structure(a, again));
    golden_check_bool(g, "other", golden_true(g->json, "result.value.other"), same_structure(a, b));
}

static void partial(Golden *g)
{
    pytree children[2];
    children[0] = PYTREE_TUPLE(golden_int_leaf(g, 1), PYTREE_LIST(golden_int_leaf(g, 2)));
    children[1] = PYTREE_DICT({ "x", golden_int_leaf(g, 3) });
    check_tree(g, custom_of(g, PYTREE_TYPE(Partial), "\"<built-in function print>\"", 2, children));
}

static void metadata_is_a_list(Golden *g)
{
    const char *meta = "{\"tuple\":[1,2]}";
    pytree a = custom_of(g, PYTREE_TYPE(Box), meta, 0, NULL), b = custom_of(g, PYTREE_TYPE(Box), meta, 0, NULL);
    golden_check_bool(g, "equal", golden_true(g->json, "result.value"), same_structure(a, b));
}

static void elsewhere_is_a_leaf(Golden *g)
{
    static const char *const spaces[] = { "", "golden_m", "golden_n" };
    pytree two[2], t;
    size_t i;
    two[0] = two[1] = golden_int_leaf(g, 1);
    t = custom_of(g, PYTREE_TYPE(T), "null", 2, two);
    for (i = 0; i < COUNT_OF(spaces); i++) {
        pytree_options opt = { 0 };
        pytree_error error = { 0 };
        const cJSON *expected;
        pytree_def *def;
        opt.space = spaces[i][0] == '\0' ? NULL : spaces[i];
        def = pytree_structure(PYTREE_LIST(t, golden_int_leaf(g, 2)), &opt, &error);
        expected = cJSON_GetObjectItemCaseSensitive(golden_at(g->json, "result.value"), spaces[i]);
        golden_check_text(g, spaces[i], golden_string(expected),
                          def == NULL ? error.message : golden_spec(g, def));
        pytree_def_free(def);
    }
}

static void registered(Golden *g)         /* Z84 is, in four namespaces */
{
    golden_check_text(g, "value", golden_word(g->json, "result.value"), "registered");
}

static void check_script(Golden *g)
{
    static const struct { const char *name; void (*check)(Golden *g); } asked[] = {
        { "jax_keys_by_attribute", keys_by_attribute }, { "jax_static_class", static_class }, { "jax_partial", partial },
        { "jax_metadata_is_a_list", metadata_is_a_list }, { "optree_node_in_two_namespaces", registered },
        { "optree_namespaced_class_elsewhere_is_a_leaf", elsewhere_is_a_leaf }
    };
    static const char twice[] =           /* one type, one registration in each namespace */
        "jax_node_twice jax_dataclass_twice jax_dataclass_then_node optree_node_twice optree_node_twice_globally "
        "optree_dataclass_twice";
    static const char absent[] =
        /* containers of the library are no types that could be registered */
        "jax_node_list jax_node_dict jax_node_none jax_dataclass_list optree_builtin optree_builtin_none "
        "optree_unregister_builtin "
        /* a registration is a constant: it cannot fail and be tried again, and is not taken back */
        "jax_failed_registration_then_good optree_unregister_unknown optree_unregister_then_leaf "
        /* classes: subclasses, classes without fields, decorators, fields that the constructor does not take */
        "jax_dataclass_of_plain_class jax_dataclass_of_plain_class_without_lists jax_subclass_of_list_is_a_leaf "
        "jax_subclass_of_dict_is_a_leaf jax_subclass_of_registered_struct_is_a_leaf optree_not_a_class "
        "optree_dataclass_of_plain_class optree_dataclass_without_namespace optree_non_init_field "
        "optree_non_init_metadata_field "
        /* callbacks that give values of wrong types: theirs are fixed in C */
        "jax_flatten_gives_number jax_flatten_gives_triple jax_flatten_children_not_iterable jax_metadata_is_an_array "
        "optree_flatten_gives_number optree_flatten_gives_one optree_flatten_gives_four optree_entries_count "
        "optree_children_not_iterable optree_empty_namespace optree_namespace_number "
        /* a namespace that changes the order of dicts, or what a namedtuple is */
        "optree_insertion_ordered_namespace optree_namedtuple_override";
    const char *name = golden_word(g->json, "name");
    size_t i;
    for (i = 0; i < COUNT_OF(asked); i++) {
        if (strcmp(asked[i].name, name) == 0) { asked[i].check(g); return; }
    }
    if (golden_among(twice, name)) { refused_by_the_compiler(g, "registered_twice.c"); return; }
    if (!golden_among(absent, name)) { fail_msg("an unknown script: %s", name); }
    golden_no_counterpart(g);
}

/* ---- The file ------------------------------------------------------------------------------------------------------ */

static void register_dataclass(void **state)
{
    static const GoldenDecision decisions[] = {
        { "one row for each field", NULL, "accepted", NULL, row_twice, "false", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00024", NULL, "{\"x\":10,\"y\":2,\"z\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00025 registration-00028", NULL,
          "{\"x\":10,\"y\":20,\"z\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00034 registration-00036", NULL,
          "{\"x\":10,\"y\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00088", NULL, "{\"p\":10,\"q\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00094", NULL, "{\"p\":1,\"q\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00098", NULL, "{\"q\":20,\"p\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00099", NULL, "{\"q\":2,\"p\":0}", NULL },
        { "dropped fields are zero", NULL, "rebuilt", "registration-00100", NULL, "{\"p\":0,\"q\":0}", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("registration", "register_dataclass", check_dataclass, decisions);
}

static void namespaces(void **state)
{
    static const GoldenDecision decisions[] = {
        { "a namespace is part of equality", NULL, "equal_specs",
          "registration-00085 registration-00148 registration-00154", NULL, "[]", NULL },
        { "an unknown namespace is an error", NULL, "flatten, unknown", "registration-00085", NULL,
          "bad argument: expected a namespace such as a, which the file that registers Z85 has, got absent at '[0]'", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    golden_run("registration", "namespaces", check_namespaces, decisions);
}

static void script(void **state)
{
    (void)state;
    golden_run("registration", "script", check_script, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(register_dataclass), cmocka_unit_test(namespaces), cmocka_unit_test(script)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
