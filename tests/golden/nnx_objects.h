/* golden/nnx_objects.h: objects, variables, lists, states and filters of golden/seeds/nnx.jsonl as the library has them.
 *
 *     NnxValues v = nnx_begin(g);
 *     pytree m = nnx_value(&v, golden_at(g->json, "inputs.m"));     // objects that grow; the same id is the same object
 *     … calls …
 *     nnx_check(&v, "m", golden_at(g->json, "outputs.m"), m);       // status, role, metadata, type, shape, values, order
 *     nnx_end(&v);
 *
 * Arrays are put by copy, because the package gives them no identity. */
#ifndef NNX_OBJECTS_H
#define NNX_OBJECTS_H

#include "nnx_values.h"
#include "pytree/object.h"

enum { NNX_VALUES = 200 };

typedef struct NnxValues {
    Golden *g;
    bool static_numbers;                  /* numbers beside data in plain containers are static, as graph functions see them */
    bool beside_data;                     /* the attribute that is being made has data in it */
    pytree owned[NNX_VALUES];             /* what nothing else owns */
    size_t n_owned;
    int64_t ids[NNX_VALUES];              /* objects and variables that were met */
    pytree of_id[NNX_VALUES];
    size_t n_ids;
    pytree_error error;
} NnxValues;

static inline NnxValues nnx_begin(Golden *g)
{
    NnxValues v = { .g = g };
    return v;
}

static inline void nnx_end(NnxValues *v)
{
    while (v->n_owned != 0) { pytree_container_free(v->owned[--v->n_owned]); }
}

/* ---- Types ----------------------------------------------------------------------------------------------------------- */

/* A class by name. `leaf`: pytree=False, a node in the namespace "nnx" only. */
static inline const pytree_type *nnx_class(Golden *g, const char *name, bool leaf)
{
    pytree_type *type;
    if (strcmp(name, "List") == 0) { return &pytree_class_List; }
    if (strcmp(name, "Dict") == 0) { return &pytree_class_Dict; }
    type = golden_alloc(g, 2, sizeof *type);
    memcpy(type, &pytree_class_Module, sizeof *type);
    type->name = name;
    type->base = leaf ? &pytree_class_Object : &pytree_class_Module;
    if (leaf) {
        memcpy(type + 1, type, sizeof *type);
        type[1].space = "nnx";
        type->kind = PYTREE_KIND_LEAF;
        type->dtype = PYTREE_OPAQUE;
        type->namespaces = type + 1;
    }
    return type;
}

/* ---- Values ---------------------------------------------------------------------------------------------------------- */

static inline pytree nnx_make(NnxValues *v, const cJSON *json, bool *owned);

/* A number, a truth value or a text. */
static inline pytree nnx_scalar(Golden *g, const cJSON *json)
{
    const char *digits = golden_marked(json);
    if (cJSON_IsBool(json)) {
        bool *yes = golden_alloc(g, 1, sizeof *yes);
        *yes = cJSON_IsTrue(json) != 0;
        return PYTREE(yes);
    }
    if (cJSON_IsString(json) && digits == NULL) {
        const char **text = golden_alloc(g, 1, sizeof *text);
        *text = golden_copy(g, json->valuestring);
        return (pytree){ &pytree_types[PYTREE__T_string], text };
    }
    if (digits != NULL && strpbrk(digits, ".eE") != NULL) {
        double *number = golden_alloc(g, 1, sizeof *number);
        *number = golden_double(json);
        return PYTREE(number);
    }
    return golden_int_leaf(g, golden_int(json));
}

/* Put a value into a container: by ownership what is new, by copy what is an array, and what is there already by reference.
 * `as`: "data", "static", or "" (no annotation). */
static inline void nnx_put(NnxValues *v, pytree to, const cJSON *key, const cJSON *json, const char *as)
{
    bool owned = false, is_array = golden_get(json, "array") != NULL;
    pytree held = nnx_make(v, json, &owned), value = held;
    const bool fixed = v->static_numbers && v->beside_data && to.type->custom == NULL && !cJSON_IsNull(json)
        && !cJSON_IsObject(json);
    const bool named = key != NULL && cJSON_IsString(key) && golden_marked(key) == NULL;
    const char *name = named ? golden_string(key) : NULL;
    pytree_error *err = &v->error;
    if (strcmp(as, "data") == 0) { value = (pytree){ &pytree_data_type, &held }; }
    if (strcmp(as, "static") == 0 || fixed) { value = (pytree){ &pytree_static_type, &held }; }
    if (fixed) {                          /* an element that stays where it is */
        pytree *place = golden_alloc(v->g, 1, sizeof *place);
        *place = held;
        value.data = place;
    }
    if (key == NULL) {
        (void)(owned ? pytree_list_append_own(to, value, err) : is_array ? pytree_list_append_copy(to, value, err)
                                                                         : pytree_list_append(to, value, err));
    } else if (named) {
        (void)(owned ? pytree_dict_put_own(to, name, value, err) : is_array ? pytree_dict_put_copy(to, name, value, err)
                                                                            : pytree_dict_put(to, name, value, err));
    } else {
        const int64_t number = golden_int(key);
        (void)(owned ? pytree_dict_put_int_own(to, number, value, err)
               : is_array ? pytree_dict_put_int_copy(to, number, value, err) : pytree_dict_put_int(to, number, value, err));
    }
    if (err->status != PYTREE_OK) { fail_msg("%s: %s: %s", v->g->id, err->path, err->message); }
}

static inline void nnx_remember(NnxValues *v, const cJSON *json, pytree t)
{
    const cJSON *id = golden_get(json, "id");
    if (id == NULL) { return; }
    assert_true(v->n_ids < NNX_VALUES);
    v->ids[v->n_ids] = golden_int(id);
    v->of_id[v->n_ids++] = t;
}

/* The object or variable of an id that was met before. */
static inline pytree nnx_of_id(const NnxValues *v, int64_t id)
{
    size_t i;
    for (i = 0; i < v->n_ids && v->ids[i] != id; i++) {}
    if (i == v->n_ids) { fail_msg("%s: no value has the id %d", v->g->id, (int)id); }
    return v->of_id[i];
}

static inline pytree nnx_object(NnxValues *v, const cJSON *json)
{
    const cJSON *items = golden_get(json, "items"), *one;
    const bool leaf = cJSON_IsFalse(golden_get(json, "pytree"));
    pytree t = pytree_new_object(nnx_class(v->g, golden_word(json, "object"), leaf), NULL, &v->error);
    nnx_remember(v, json, t);
    cJSON_ArrayForEach(one, items) { nnx_put(v, t, NULL, one->child->next, golden_string(one->child)); }
    cJSON_ArrayForEach(one, golden_get(json, "attrs")) {
        const char *status = golden_string(one->child->next);
        char *text = cJSON_PrintUnformatted(one);
        v->beside_data = strstr(text, "\"array\"") != NULL;
        cJSON_free(text);
        nnx_put(v, t, one->child, one->child->next->next, strcmp(status, "attr") == 0 ? "" : status);
    }
    return t;
}

static inline pytree nnx_variable(NnxValues *v, const cJSON *json)
{
    bool owned = false;
    pytree value = nnx_make(v, golden_at(json, "value"), &owned);
    pytree t = pytree_new_variable(role_of(v->g, golden_word(json, "variable")), value, NULL, &v->error);
    const cJSON *pair;
    if (owned) { pytree_container_free(value); }
    cJSON_ArrayForEach(pair, golden_get(json, "metadata")) {
        pytree one = nnx_make(v, pair->child->next, &owned);
        pytree_variable_put_metadata(t, golden_string(pair->child), one, &v->error);
        if (one.type->kind >= PYTREE_KIND_LIST) { pytree_container_free(one); }
    }
    if (v->error.status != PYTREE_OK) { fail_msg("%s: %s", v->g->id, v->error.message); }
    nnx_remember(v, json, t);
    return t;
}

/* Make a value. *owned: it is a growing container that nothing owns yet. */
static inline pytree nnx_make(NnxValues *v, const cJSON *json, bool *owned)
{
    const cJSON *value, *one;
    pytree t;
    *owned = false;
    if (cJSON_IsNull(json)) { return PYTREE_NONE; }
    if ((value = golden_get(json, "array")) != NULL) { return array_of(v->g, value); }
    if ((value = golden_get(json, "ref")) != NULL) { return nnx_of_id(v, golden_int(value)); }
    *owned = true;
    if (golden_get(json, "object") != NULL) { return nnx_object(v, json); }
    if (golden_get(json, "variable") != NULL) { return nnx_variable(v, json); }
    if ((value = golden_get(json, "state")) != NULL || (value = golden_get(json, "dict")) != NULL) {
        t = pytree_new_dict(NULL, &v->error);
        cJSON_ArrayForEach(one, value) { nnx_put(v, t, one->child, one->child->next, ""); }
        return t;
    }
    if ((value = golden_get(json, "list")) != NULL || (value = golden_get(json, "tuple")) != NULL) {
        t = strcmp(value->string, "list") == 0 ? pytree_new_list(NULL, &v->error) : pytree_new_tuple(NULL, &v->error);
        cJSON_ArrayForEach(one, value) { nnx_put(v, t, NULL, one, ""); }
        return t;
    }
    *owned = false;
    return nnx_scalar(v->g, json);
}

/* Make a value that lives until nnx_end. */
static inline pytree nnx_value(NnxValues *v, const cJSON *json)
{
    bool owned;
    pytree t = nnx_make(v, json, &owned);
    if (owned) {
        assert_true(v->n_owned < NNX_VALUES);
        v->owned[v->n_owned++] = t;
    }
    return t;
}

/* ---- Comparing ------------------------------------------------------------------------------------------------------- */

/* Does an object have the attributes of the record, in that order? (Those of the objects in it: pytree_equal compares them.) */
static inline bool nnx_same_order(const cJSON *json, pytree got)
{
    const cJSON *one;
    size_t i = 0;
    pytree_attribute at;
    cJSON_ArrayForEach(one, golden_get(json, "attrs")) {
        if (pytree_object_attribute(got, i++, &at, NULL) != PYTREE_OK || strcmp(at.name, golden_string(one->child)) != 0) {
            return false;
        }
    }
    return true;
}

/* The library's value is that of the record: structure, status, roles, metadata, types, shapes, numbers to 1e-6. */
static inline void nnx_check(NnxValues *v, const char *name, const cJSON *json, pytree got)
{
    const pytree_options nnx = { .space = "nnx" };
    const pytree_tolerance near = { .relative = 1e-6, .absolute = 1e-7 };
    const size_t n_ids = v->n_ids;
    pytree_error error = { 0 };
    pytree expected = nnx_value(v, json);
    char text[700];
    bool same = pytree_equal(expected, got, &near, &nnx, &error);
    snprintf(text, sizeof text, "%s: %s", error.path, error.message);
    if (same && golden_get(json, "attrs") != NULL && !nnx_same_order(json, got)) {
        same = false;
        snprintf(text, sizeof text, "another order of attributes");
    }
    golden_verdict(v->g, name, same, "the value of the record", text);
    v->n_ids = n_ids;                     /* what was made to compare is not what has those ids */
}

/* The paths of a tree's leaves are those of the record. */
static inline void nnx_check_paths(NnxValues *v, const char *name, const cJSON *json, pytree got)
{
    const cJSON *one = golden_at(json, "list")->child;
    pytree_error error = { 0 };
    pytree_iter it;
    char path[128];
    bool same = true;
    pytree_iter_begin(&it, 1, &got, NULL, &error);
    while (pytree_iter_next(&it)) {
        pytree_iter_path_text(&it, path, sizeof path);
        same = same && one != NULL && strcmp(golden_string(one), path) == 0;
        one = one == NULL ? NULL : one->next;
    }
    pytree_iter_end(&it);
    golden_verdict(v->g, name, same && one == NULL && error.status == PYTREE_OK, "the record's paths", "others");
}

/* The leaves of a tree are those of the record. */
static inline void nnx_check_leaves(NnxValues *v, const char *name, const cJSON *json, pytree got)
{
    pytree_leaf leaves[32];
    pytree items[32];
    pytree_items list = { .items = items };
    pytree_error error = { 0 };
    pytree_leaves(got, leaves, COUNT_OF(leaves), &list.count, NULL, &error);
    for (size_t i = 0; i < list.count; i++) { items[i] = pytree_of_view(&leaves[i]); }
    nnx_check(v, name, json, (pytree){ &pytree_types[PYTREE__T_list], &list });
}

#endif
