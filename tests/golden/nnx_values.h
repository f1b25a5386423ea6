/* What the programs that read golden/seeds/nnx.jsonl share: roles and values. Objects are dicts of their data attributes,
 * variables keep their roles. */
#ifndef NNX_VALUES_H
#define NNX_VALUES_H

#include "golden.h"
#include "pytree/state.h"

/* ---- Roles and values ------------------------------------------------------------------------------------------------ */

/* A role by name: a built-in one, or one that the record derives from another one. */
static inline const pytree_type *role_of(Golden *g, const char *name)
{
    const cJSON *base = golden_get(golden_get(g->json, "classes"), name);
    pytree_type *role;
#define PYTREE__X(role_name, role_base, collection) if (strcmp(name, #role_name) == 0) { return &pytree_role_##role_name; }
    PYTREE__ROLES(PYTREE__X)
#undef PYTREE__X
    if (strcmp(name, "Variable") == 0) { return &pytree_role_Variable; }
    if (base == NULL) { fail_msg("%s: no role %s", g->id, name); return NULL; }
    role = golden_alloc(g, 1, sizeof *role);
    memcpy(role, &pytree_role_Variable, sizeof *role);
    role->name = name;
    role->base = role_of(g, golden_string(base));
    return role;
}

static inline double nnx_double(const cJSON *json)
{
    if (cJSON_IsBool(json)) { return cJSON_IsTrue(json); }
    return golden_get(json, "float") != NULL ? strtod(golden_word(json, "float"), NULL) : golden_double(json);
}

static inline const pytree_type *dtype_of(Golden *g, const char *name)
{
    static const struct { const char *name; const pytree_type *type; } types[] = {
        { "bool", PYTREE_TYPE(bool) }, { "int8", PYTREE_TYPE(int8_t) }, { "int32", PYTREE_TYPE(int32_t) },
        { "uint8", PYTREE_TYPE(uint8_t) }, { "uint32", PYTREE_TYPE(uint32_t) }, { "float16", PYTREE_TYPE(pytree_f16) },
        { "bfloat16", PYTREE_TYPE(pytree_bf16) }, { "float32", PYTREE_TYPE(float) }, { "float64", PYTREE_TYPE(double) },
        { "complex64", &pytree_types[PYTREE__T_cfloat] }
    };
    size_t i;
    for (i = 0; i < COUNT_OF(types); i++) {
        if (strcmp(types[i].name, name) == 0) { return types[i].type; }
    }
    fail_msg("%s: no element type %s", g->id, name);
    return NULL;
}

/* Writes the numbers of `data`, of any depth, from place n; a complex number is a pair. Returns how many there are then. */
static inline size_t put_numbers(const pytree_leaf *leaf, size_t n, const cJSON *data)
{
    const cJSON *child;
    if (cJSON_IsArray(data)) {
        cJSON_ArrayForEach(child, data) { n = put_numbers(leaf, n, child); }
    } else if (leaf->type->dtype == PYTREE_C64) {
        ((float *)leaf->data)[n++] = (float)nnx_double(data);
    } else {
        pytree_leaf_set(leaf, n++, nnx_double(data));
    }
    return n;
}

static inline pytree array_of(Golden *g, const cJSON *json)
{
    pytree_leaf *leaf = golden_alloc(g, 1, sizeof *leaf);
    const cJSON *extent;
    leaf->type = dtype_of(g, golden_word(json, "dtype"));
    cJSON_ArrayForEach(extent, golden_at(json, "shape")) { leaf->shape[leaf->ndim++] = (size_t)golden_int(extent); }
    leaf->data = golden_alloc(g, pytree_leaf_count(leaf) + 1, leaf->type->size);
    (void)put_numbers(leaf, 0, golden_at(json, "data"));
    return pytree_of_view(leaf);
}

static inline pytree value_of(Golden *g, const cJSON *json);

/* What a record has read so far, by number: {"ref": 2} is the same value again. */
static struct { char id[40]; long long number; pytree value; } nnx_known[256];
static size_t nnx_n_known;

static inline void nnx_know(Golden *g, const cJSON *json, pytree value)
{
    const cJSON *number = golden_get(json, "id");
    if (number == NULL) { return; }
    if (nnx_n_known != 0 && strcmp(nnx_known[0].id, g->id) != 0) { nnx_n_known = 0; }
    assert_in_range(nnx_n_known, 0, COUNT_OF(nnx_known) - 1);
    snprintf(nnx_known[nnx_n_known].id, sizeof nnx_known[0].id, "%s", g->id);
    nnx_known[nnx_n_known].number = golden_int(number);
    nnx_known[nnx_n_known++].value = value;
}

static inline pytree nnx_again(Golden *g, long long number)
{
    size_t i = nnx_n_known;
    while (i-- != 0) {                    /* numbers begin anew with each value of a record */
        if (nnx_known[i].number == number && strcmp(nnx_known[i].id, g->id) == 0) { return nnx_known[i].value; }
    }
    fail_msg("%s: nothing has the number %lld", g->id, number);
    return PYTREE_NONE;
}

/* A value in a plain container, where a number is static: it is no data, and None is left out, too. */
static inline pytree item_of(Golden *g, const cJSON *json)
{
    return cJSON_IsNumber(json) ? PYTREE_NONE : value_of(g, json);
}

/* A dict of pairs, or of the data among the attributes of an object: [name, status, value]. Names may be numbers. */
static inline pytree dict_of(Golden *g, const cJSON *pairs, bool attributes, const cJSON *json)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    const size_t n = (size_t)cJSON_GetArraySize(pairs) + 1;
    pytree_pair *named = golden_alloc(g, n, sizeof *named);
    pytree_int_pair *numbered = golden_alloc(g, n, sizeof *numbered);
    bool numbers = false;
    const cJSON *pair;
    nnx_know(g, json, (pytree){ &pytree_types[PYTREE__T_dict], items });
    cJSON_ArrayForEach(pair, pairs) {
        const cJSON *key = pair->child, *value = attributes ? key->next->next : key->next;
        if (attributes && strcmp(golden_string(key->next), "data") != 0) { continue; }
        numbers = cJSON_IsNumber(key) != 0;
        if (numbers) { numbered[items->count].key = golden_int(key); } else { named[items->count].key = golden_string(key); }
        named[items->count].value = numbered[items->count].value = attributes ? value_of(g, value) : item_of(g, value);
        items->count++;
    }
    if (numbers) { items->int_pairs = numbered; } else { items->pairs = named; }
    return (pytree){ &pytree_types[PYTREE__T_dict], items };
}

/* A list or tuple; with_status: of [status, value], of which static ones are no data. */
static inline pytree list_of(Golden *g, const pytree_type *type, const cJSON *children, bool with_status, const cJSON *json)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree *at = golden_alloc(g, (size_t)cJSON_GetArraySize(children) + 1, sizeof *at);
    const cJSON *child;
    nnx_know(g, json, (pytree){ type, items });
    cJSON_ArrayForEach(child, children) {
        const bool is_static = with_status && strcmp(golden_string(child->child), "static") == 0;
        at[items->count++] = is_static ? PYTREE_NONE : with_status ? value_of(g, child->child->next) : item_of(g, child);
    }
    items->items = at;
    return (pytree){ type, items };
}

static inline pytree value_of(Golden *g, const cJSON *json)
{
    const cJSON *value;
    if (cJSON_IsNull(json)) { return PYTREE_NONE; }
    if (cJSON_IsNumber(json)) {
        int64_t *number = golden_alloc(g, 1, sizeof *number);
        *number = golden_int(json);
        return PYTREE(number);
    }
    if ((value = golden_get(json, "ref")) != NULL) { return nnx_again(g, golden_int(value)); }
    if ((value = golden_get(json, "array")) != NULL) { return array_of(g, value); }
    if ((value = golden_get(json, "state")) != NULL) { return dict_of(g, value, false, json); }
    if ((value = golden_get(json, "dict")) != NULL) { return dict_of(g, value, false, json); }
    if ((value = golden_get(json, "attrs")) != NULL) { return dict_of(g, value, true, json); }
    if ((value = golden_get(json, "items")) != NULL) { return list_of(g, &pytree_types[PYTREE__T_list], value, true, json); }
    if ((value = golden_get(json, "list")) != NULL) { return list_of(g, &pytree_types[PYTREE__T_list], value, false, json); }
    if ((value = golden_get(json, "tuple")) != NULL) { return list_of(g, &pytree_types[PYTREE__T_tuple], value, false, json); }
    if ((value = golden_get(json, "variable")) != NULL) {
        pytree_variable *variable = golden_alloc(g, 1, sizeof *variable);
        variable->value = value_of(g, golden_at(json, "value"));
        nnx_know(g, json, (pytree){ role_of(g, golden_string(value)), variable });
        return (pytree){ role_of(g, golden_string(value)), variable };
    }
    fail_msg("%s: no such value", g->id);
    return PYTREE_NONE;
}

#endif
