/* golden/trees.h: JSON to pytrees, pytrees to JSON, predicates. Included by golden.h. */
#ifndef GOLDEN_TREES_H
#define GOLDEN_TREES_H

/* ---- JSON to pytrees ----------------------------------------------------------------------------------------------- */

/* The registered types, of which there are *n. */
static inline const pytree_type *const *golden_types(size_t *n)
{
    static const pytree_type *const types[] = {
        PYTREE_TYPE(Linear), PYTREE_TYPE(MLP), PYTREE_TYPE(DC), PYTREE_TYPE(Mixed), PYTREE_TYPE(Trio), PYTREE_TYPE(Only1),
        PYTREE_TYPE(Wrap), PYTREE_TYPE(Maybe), PYTREE_TYPE(Tag), PYTREE_TYPE(Empty), PYTREE_TYPE(State), PYTREE_TYPE(Explainer),
        PYTREE_TYPE(NnxLinear), PYTREE_TYPE(NnxMLP), PYTREE_TYPE(F32Array), PYTREE_TYPE(Box), PYTREE_TYPE(Bag),
        PYTREE_TYPE(RegisteredSpecial), PYTREE_TYPE(RegisteredSpecial2), PYTREE_TYPE(Foo)
    };
    *n = COUNT_OF(types);
    return types;
}

static inline const pytree_type *golden_type(const char *name)
{
    size_t n, i;
    const pytree_type *const *types = golden_types(&n);
    for (i = 0; i < n; i++) {
        if (strcmp(types[i]->name, name) == 0) { return types[i]; }
    }
    fail_msg("no type %s", name);
    return NULL;
}

static inline pytree golden_tree(Golden *g, const cJSON *json);

static inline pytree golden_scalar(Golden *g, const pytree_type *type, const void *value)
{
    pytree t;
    t.type = type;
    t.data = golden_alloc(g, 1, type->size);
    memcpy(t.data, value, type->size);
    return t;
}

static inline pytree golden_int_leaf(Golden *g, int64_t v) { return golden_scalar(g, PYTREE_TYPE(int64_t), &v); }

static inline char *golden_copy(Golden *g, const char *text)
{
    size_t n = strlen(text) + 1;
    return memcpy(golden_alloc(g, n, 1), text, n);
}

static inline pytree golden_sequence(Golden *g, const pytree_type *type, const cJSON *children)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree *at = golden_alloc(g, (size_t)cJSON_GetArraySize(children), sizeof *at);
    pytree t;
    const cJSON *child;
    cJSON_ArrayForEach(child, children) { at[items->count++] = golden_tree(g, child); }
    items->items = at;
    t.type = type;
    t.data = items;
    return t;
}

static inline pytree golden_keyed(Golden *g, const pytree_type *type, const char *name, const cJSON *pairs)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree_pair *at = golden_alloc(g, (size_t)cJSON_GetArraySize(pairs), sizeof *at);
    pytree t;
    const cJSON *pair;
    cJSON_ArrayForEach(pair, pairs) {
        at[items->count].key = golden_string(pair->child);
        at[items->count++].value = golden_tree(g, pair->child->next);
    }
    items->pairs = at;
    items->name = name;
    t.type = type;
    t.data = items;
    return t;
}

static inline pytree golden_numbered(Golden *g, const cJSON *pairs)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree_int_pair *at = golden_alloc(g, (size_t)cJSON_GetArraySize(pairs), sizeof *at);
    pytree t;
    const cJSON *pair;
    cJSON_ArrayForEach(pair, pairs) {
        at[items->count].key = golden_int(pair->child);
        at[items->count++].value = golden_tree(g, pair->child->next);
    }
    items->int_pairs = at;
    t.type = &pytree_types[PYTREE__T_dict];
    t.data = items;
    return t;
}

/* A static value into a struct. */
static inline void golden_put_static(Golden *g, const pytree_field *row, char *at, const cJSON *value)
{
    if (row->type->dtype == PYTREE_STRING) {
        const char *text = cJSON_IsNull(value) ? NULL : golden_copy(g, golden_string(value));
        memcpy(at, &text, sizeof text);
    } else if (row->type->dtype == PYTREE_BOOL8) {
        bool truth = cJSON_IsTrue(value) != 0;
        memcpy(at, &truth, sizeof truth);
    } else if (row->type->dtype == PYTREE_F64) {
        double v = golden_double(value);
        memcpy(at, &v, sizeof v);
    } else {
        int64_t n = golden_int(value);
        assert_int_equal(row->type->dtype, PYTREE_I64);
        memcpy(at, &n, sizeof n);
    }
}

static inline pytree golden_custom(Golden *g, const pytree_type *type, const cJSON *meta, const cJSON *children)
{
    Custom *custom = golden_alloc(g, 1, sizeof *custom);
    char *text = cJSON_PrintUnformatted(meta);
    const pytree_items *items = golden_sequence(g, NULL, children).data;
    pytree t;
    assert_non_null(text);
    custom->meta = golden_copy(g, text);
    custom->n = items->count;
    custom->children = (pytree *)(uintptr_t)items->items;
    free(text);
    t.type = type;
    t.data = custom;
    return t;
}

/* The second element of each pair, for a node that has its names elsewhere. A new array of references. */
static inline cJSON *golden_seconds(const cJSON *pairs)
{
    cJSON *seconds = cJSON_CreateArray();
    const cJSON *pair;
    cJSON_ArrayForEach(pair, pairs) { cJSON_AddItemReferenceToArray(seconds, pair->child->next); }
    return seconds;
}

static inline pytree golden_struct(Golden *g, const cJSON *json)
{
    const pytree_type *type = golden_type(golden_word(json, "struct"));
    const cJSON *data = golden_at(json, "data")->child, *fixed = golden_at(json, "static")->child;
    pytree t;
    unsigned i;
    t.type = type;
    if (type->custom != NULL) {                                /* F32Array */
        cJSON *meta = cJSON_CreateObject(), *children = golden_seconds(golden_at(json, "data"));
        cJSON_AddItemToObject(meta, "tuple", golden_seconds(golden_at(json, "static")));
        t = golden_custom(g, type, meta, children);
        cJSON_Delete(meta);
        cJSON_Delete(children);
        return t;
    }
    t.data = golden_alloc(g, 1, type->size);
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        char *at = (char *)t.data + row->offset;
        if (row->row == PYTREE_ROW_DATA) {
            pytree child = golden_tree(g, data->child->next);
            assert_string_equal(golden_string(data->child), row->name);
            memcpy(at, &child, sizeof child);
            data = data->next;
        } else if (row->row == PYTREE_ROW_STATIC) {
            assert_string_equal(golden_string(fixed->child), row->name);
            golden_put_static(g, row, at, fixed->child->next);
            fixed = fixed->next;
        }
    }
    assert_null(data);
    assert_null(fixed);
    return t;
}

static inline pytree golden_array(Golden *g, const cJSON *json);

static inline pytree golden_tree(Golden *g, const cJSON *json)
{
    const cJSON *value;
    if ((value = golden_get(json, "int")) != NULL) { return golden_int_leaf(g, golden_int(value)); }
    if (golden_get(json, "none") != NULL) { return PYTREE_NONE; }
    if ((value = golden_get(json, "list")) != NULL) { return golden_sequence(g, &pytree_types[PYTREE__T_list], value); }
    if ((value = golden_get(json, "tuple")) != NULL) { return golden_sequence(g, &pytree_types[PYTREE__T_tuple], value); }
    if ((value = golden_get(json, "dict")) != NULL) { return golden_keyed(g, &pytree_types[PYTREE__T_dict], NULL, value); }
    if ((value = golden_get(json, "odict")) != NULL) { return golden_keyed(g, &pytree_types[PYTREE__T_odict], NULL, value); }
    if ((value = golden_get(json, "idict")) != NULL) { return golden_numbered(g, value); }
    if (golden_get(json, "struct") != NULL) { return golden_struct(g, json); }
    if ((value = golden_get(json, "array")) != NULL) { return golden_array(g, value); }
    if ((value = golden_get(json, "defaultdict")) != NULL) {
        return golden_keyed(g, &pytree_types[PYTREE__T_defaultdict], "int", value);
    }
    if ((value = golden_get(json, "namedtuple")) != NULL) {
        return golden_keyed(g, &pytree_types[PYTREE__T_namedtuple], golden_string(value), golden_at(json, "fields"));
    }
    if ((value = golden_get(json, "custom")) != NULL) {
        return golden_custom(g, golden_type(golden_string(value)), golden_at(json, "meta"), golden_at(json, "children"));
    }
    if ((value = golden_get(json, "deque")) != NULL) {
        const cJSON *maxlen = golden_at(json, "maxlen");
        pytree t = golden_sequence(g, &pytree_types[PYTREE__T_deque], value);
        ((pytree_items *)t.data)->maxlen = cJSON_IsNull(maxlen) ? PYTREE_UNBOUNDED : (size_t)golden_int(maxlen);
        return t;
    }
    if ((value = golden_get(json, "float")) != NULL) {
        double v = golden_double(value);
        return golden_scalar(g, PYTREE_TYPE(double), &v);
    }
    if ((value = golden_get(json, "bool")) != NULL) {
        bool v = cJSON_IsTrue(value) != 0;
        return golden_scalar(g, PYTREE_TYPE(bool), &v);
    }
    if ((value = golden_get(json, "str")) != NULL) {
        const char *v = golden_string(value);
        return golden_scalar(g, &pytree_types[PYTREE__T_string], &v);
    }
    if ((value = golden_get(json, "opaque")) != NULL) {
        Opaque v;
        v.name = golden_string(value);
        return golden_scalar(g, PYTREE_TYPE(Opaque), &v);
    }
    fail_msg("an unknown kind of tree");
    return PYTREE_NONE;
}

/* Elements of the dtype that Python calls `name`. */
static inline const pytree_type *golden_dtype(const char *name)
{
    static const struct { const char *name; const pytree_type *type; } dtypes[] = {
        { "bool", PYTREE_TYPE(bool) }, { "int8", PYTREE_TYPE(int8_t) }, { "int16", PYTREE_TYPE(int16_t) },
        { "int32", PYTREE_TYPE(int32_t) }, { "int64", PYTREE_TYPE(int64_t) }, { "uint8", PYTREE_TYPE(uint8_t) },
        { "uint16", PYTREE_TYPE(uint16_t) }, { "uint32", PYTREE_TYPE(uint32_t) }, { "uint64", PYTREE_TYPE(uint64_t) },
        { "float16", PYTREE_TYPE(pytree_f16) }, { "bfloat16", PYTREE_TYPE(pytree_bf16) }, { "float32", PYTREE_TYPE(float) },
        { "float64", PYTREE_TYPE(double) }
    };
    size_t i;
    for (i = 0; i < COUNT_OF(dtypes); i++) {
        if (strcmp(dtypes[i].name, name) == 0) { return dtypes[i].type; }
    }
    fail_msg("no dtype %s", name);
    return NULL;
}

static inline const char *golden_dtype_name(const pytree_type *type)
{
    static const char *const names[] = { NULL, "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                         "float16", "bfloat16", "float32", "float64" };
    assert_true(type->dtype < COUNT_OF(names));
    return names[type->dtype];
}

/* Bits of a float with `exponent` and `fraction` bits that is exactly v. */
static inline uint16_t golden_half(double v, int exponent, int fraction)
{
    const int bias = (1 << (exponent - 1)) - 1;
    uint16_t sign = (uint16_t)(signbit(v) ? 0x8000u : 0u);
    int e;
    if (v != v) { return (uint16_t)(((1u << exponent) - 1) << fraction | 1u << (fraction - 1)); }
    if (isinf(v)) { return (uint16_t)(sign | ((1u << exponent) - 1) << fraction); }
    if (v == 0) { return sign; }
    v = frexp(fabs(v), &e) * 2;                                /* 1 <= v < 2 */
    e = e - 1 + bias;
    if (e <= 0) { v = ldexp(v, e - 1); e = 0; } else { v -= 1; }
    v = ldexp(v, fraction);
    assert_true(v == floor(v));
    return (uint16_t)(sign | (unsigned)e << fraction | (unsigned)v);
}

static inline void golden_put_element(const pytree_type *type, void *at, const cJSON *value)
{
    const char *text = cJSON_IsString(value) && golden_marked(value) == NULL ? value->valuestring : NULL;
    double d = text != NULL ? strtod(text, NULL) : cJSON_IsBool(value) ? cJSON_IsTrue(value) : golden_double(value);
    const char *digits = golden_marked(value);
    int64_t i = cJSON_IsBool(value) || text != NULL ? (int64_t)(d == 1) : golden_int(value);
    uint64_t u = digits != NULL ? strtoull(digits, NULL, 10) : (uint64_t)i;
    switch (type->dtype) {
    case PYTREE_BOOL8: *(bool *)at = i != 0; break;
    case PYTREE_I8: *(int8_t *)at = (int8_t)i; break;
    case PYTREE_I16: *(int16_t *)at = (int16_t)i; break;
    case PYTREE_I32: *(int32_t *)at = (int32_t)i; break;
    case PYTREE_I64: *(int64_t *)at = i; break;
    case PYTREE_U8: *(uint8_t *)at = (uint8_t)u; break;
    case PYTREE_U16: *(uint16_t *)at = (uint16_t)u; break;
    case PYTREE_U32: *(uint32_t *)at = (uint32_t)u; break;
    case PYTREE_U64: *(uint64_t *)at = u; break;
    case PYTREE_F16: ((pytree_f16 *)at)->bits = golden_half(d, 5, 10); break;
    case PYTREE_BF16: ((pytree_bf16 *)at)->bits = golden_half(d, 8, 7); break;
    case PYTREE_F32: *(float *)at = (float)d; break;
    case PYTREE_F64: *(double *)at = d; break;
    default: fail_msg("no element type");
    }
}

static inline pytree golden_array(Golden *g, const cJSON *json)
{
    pytree_leaf *leaf = golden_alloc(g, 1, sizeof *leaf);
    const cJSON *item;
    size_t i = 0;
    leaf->type = golden_dtype(golden_word(json, "dtype"));
    cJSON_ArrayForEach(item, golden_at(json, "shape")) { leaf->shape[leaf->ndim++] = (size_t)golden_int(item); }
    leaf->data = golden_alloc(g, pytree_leaf_count(leaf), leaf->type->size);
    cJSON_ArrayForEach(item, golden_at(json, "values")) {
        golden_put_element(leaf->type, (char *)leaf->data + i++ * leaf->type->size, item);
    }
    assert_int_equal(i, pytree_leaf_count(leaf));
    return pytree_of_view(leaf);
}

/* ---- Pytrees to JSON ----------------------------------------------------------------------------------------------- */

static inline cJSON *golden_json(pytree t);

/* An object with one member. */
static inline cJSON *golden_object(const char *name, cJSON *value)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddItemToObject(object, name, value);
    return object;
}

static inline cJSON *golden_json_int(int64_t v)
{
    char text[32] = GOLDEN_MARK;
    int n = sprintf(text + sizeof GOLDEN_MARK - 1, "%" PRId64, v);
    return n > 15 ? cJSON_CreateString(text) : cJSON_CreateNumber((double)v);
}

static inline cJSON *golden_json_double(double v)
{
    char text[48] = GOLDEN_MARK;
    if (v != v) { return cJSON_CreateString("nan"); }
    if (isinf(v)) { return cJSON_CreateString(v < 0 ? "-inf" : "inf"); }
    sprintf(text + sizeof GOLDEN_MARK - 1, "%.17g", v);
    if (strpbrk(text, ".e") == NULL) { strcat(text, ".0"); }
    return cJSON_CreateString(text);
}

/* Element i of numbers: true, 3 or 1.5. */
static inline cJSON *golden_json_number(const pytree_leaf *leaf, size_t i)
{
    if (leaf->type->dtype == PYTREE_BOOL8) { return cJSON_CreateBool(pytree_leaf_get(leaf, i) != 0); }
    if (leaf->type->dtype == PYTREE_I64) { return golden_json_int(((const int64_t *)leaf->data)[i]); }
    if (leaf->type->dtype == PYTREE_U64 && ((const uint64_t *)leaf->data)[i] > INT64_MAX) {
        char text[32];
        sprintf(text, GOLDEN_MARK "%" PRIu64, ((const uint64_t *)leaf->data)[i]);
        return cJSON_CreateString(text);
    }
    if (leaf->type->dtype == PYTREE_U64) { return golden_json_int((int64_t)((const uint64_t *)leaf->data)[i]); }
    if (leaf->type->dtype < PYTREE_F16) { return golden_json_int((int64_t)pytree_leaf_get(leaf, i)); }
    return golden_json_double(pytree_leaf_get(leaf, i));
}

static inline cJSON *golden_json_array(const pytree_leaf *leaf)
{
    cJSON *array = golden_object("dtype", cJSON_CreateString(golden_dtype_name(leaf->type)));
    cJSON *shape = cJSON_AddArrayToObject(array, "shape"), *values = cJSON_AddArrayToObject(array, "values");
    size_t i;
    for (i = 0; i < (size_t)leaf->ndim; i++) { cJSON_AddItemToArray(shape, golden_json_int((int64_t)leaf->shape[i])); }
    for (i = 0; i < pytree_leaf_count(leaf); i++) { cJSON_AddItemToArray(values, golden_json_number(leaf, i)); }
    return golden_object("array", array);
}

/* A leaf of a type that the data have as a scalar; every other leaf is an array. */
static inline cJSON *golden_json_leaf(const pytree_leaf *leaf)
{
    if (leaf->type->dtype == PYTREE_STRING) {
        const char *text;
        memcpy(&text, leaf->data, sizeof text);
        return golden_object("str", cJSON_CreateString(text));
    }
    if (leaf->type->dtype == PYTREE_OPAQUE) {
        return golden_object("opaque", cJSON_CreateString(((const Opaque *)leaf->data)->name));
    }
    if (leaf->ndim == 0 && leaf->type->dtype == PYTREE_BOOL8) { return golden_object("bool", golden_json_number(leaf, 0)); }
    if (leaf->ndim == 0 && leaf->type->dtype == PYTREE_I64) { return golden_object("int", golden_json_number(leaf, 0)); }
    if (leaf->ndim == 0 && leaf->type->dtype == PYTREE_F64) { return golden_object("float", golden_json_number(leaf, 0)); }
    return golden_json_array(leaf);
}

static inline cJSON *golden_json_static(const pytree_field *row, const char *at)
{
    pytree_leaf leaf = { 0 };
    const char *text;
    leaf.data = (void *)(uintptr_t)at;
    leaf.type = row->type;
    if (row->type->dtype != PYTREE_STRING) { return golden_json_number(&leaf, 0); }
    memcpy(&text, at, sizeof text);
    return text == NULL ? cJSON_CreateNull() : cJSON_CreateString(text);
}

static inline cJSON *golden_json_pair(cJSON *key, cJSON *value)
{
    cJSON *pair = cJSON_CreateArray();
    cJSON_AddItemToArray(pair, key);
    cJSON_AddItemToArray(pair, value);
    return pair;
}

static inline cJSON *golden_json_struct(const pytree_type *type, const char *self)
{
    cJSON *json = cJSON_CreateObject();
    cJSON *data = cJSON_AddArrayToObject(json, "data"), *fixed = cJSON_AddArrayToObject(json, "static");
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *row = &type->fields[i];
        const char *at = self + row->offset;
        if (row->row == PYTREE_ROW_DATA) {
            pytree child;
            memcpy(&child, at, sizeof child);
            cJSON_AddItemToArray(data, golden_json_pair(cJSON_CreateString(row->name), golden_json(child)));
        } else if (row->row == PYTREE_ROW_STATIC) {
            cJSON_AddItemToArray(fixed, golden_json_pair(cJSON_CreateString(row->name), golden_json_static(row, at)));
        }
    }
    cJSON_AddStringToObject(json, "struct", type->name);
    return json;
}

static inline cJSON *golden_json_custom(const pytree_type *type, const Custom *custom)
{
    cJSON *json = cJSON_CreateObject(), *meta = cJSON_Parse(custom->meta), *list;
    size_t i;
    assert_non_null(meta);
    if (type->custom->keyed) {                                 /* F32Array */
        cJSON *statics = cJSON_GetObjectItemCaseSensitive(meta, "tuple"), *pairs;
        cJSON *shape = cJSON_DetachItemFromArray(statics, 0), *dtype = cJSON_DetachItemFromArray(statics, 0);
        list = cJSON_AddArrayToObject(json, "data");
        cJSON_AddItemToArray(list, golden_json_pair(cJSON_CreateString("values"), golden_json(custom->children[0])));
        pairs = cJSON_AddArrayToObject(json, "static");
        cJSON_AddItemToArray(pairs, golden_json_pair(cJSON_CreateString("shape"), shape));
        cJSON_AddItemToArray(pairs, golden_json_pair(cJSON_CreateString("dtype"), dtype));
        cJSON_AddStringToObject(json, "struct", type->name);
        cJSON_Delete(meta);
        return json;
    }
    list = cJSON_AddArrayToObject(json, "children");
    for (i = 0; i < custom->n; i++) { cJSON_AddItemToArray(list, golden_json(custom->children[i])); }
    cJSON_AddStringToObject(json, "custom", type->name);
    cJSON_AddItemToObject(json, "meta", meta);
    return json;
}

/* Pairs in the order in which they lie, which is that of insertion. */
static inline cJSON *golden_json_pairs(const pytree_items *items)
{
    cJSON *list = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < items->count; i++) {
        if (items->int_pairs != NULL) {
            cJSON_AddItemToArray(list, golden_json_pair(golden_json_int(items->int_pairs[i].key),
                                                        golden_json(items->int_pairs[i].value)));
        } else {
            cJSON_AddItemToArray(list, golden_json_pair(cJSON_CreateString(items->pairs[i].key),
                                                        golden_json(items->pairs[i].value)));
        }
    }
    return list;
}

static inline cJSON *golden_json_items(const pytree_items *items)
{
    cJSON *list = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < items->count; i++) { cJSON_AddItemToArray(list, golden_json(items->items[i])); }
    return list;
}

/* Of a value that stands in no C object of its own, as a part of a pytree_flat: of the tree that is made from it. */
static inline cJSON *golden_json_rebuilt(pytree t)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree made;
    cJSON *json;
    if (pytree_flatten(t, &leaves, 0, &def, NULL, &error) != PYTREE_OK) { return cJSON_CreateString(error.message); }
    made = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, NULL, &error);
    json = error.status != PYTREE_OK ? cJSON_CreateString(error.message) : golden_json(made);
    pytree_free(made);
    pytree_def_free(def);
    return json;
}

static inline cJSON *golden_json_view(const pytree_leaf *view)
{
    pytree t;
    t.type = view->type;
    t.data = view->data;
    switch ((pytree_form)view->form) {
    case PYTREE_FORM_LEAF: return golden_json_leaf(view);
    case PYTREE_FORM_NONE: return golden_object("none", cJSON_CreateNull());
    case PYTREE_FORM_STRUCT: case PYTREE_FORM_ITEMS: return golden_json(t);
    case PYTREE_FORM_REF: return golden_json(*(const pytree *)view->data);
    case PYTREE_FORM_VIEW: return golden_json_view((const pytree_leaf *)view->data);
    default: return golden_json_rebuilt(pytree_of_view(view));
    }
}

static inline cJSON *golden_json(pytree t)
{
    const pytree_type *type = t.type == NULL ? NULL : t.type->origin != NULL ? t.type->origin : t.type;
    const pytree_items *items = t.data;
    pytree_leaf leaf = { 0 };
    cJSON *json;
    if (type == NULL) { return cJSON_CreateString("no tree"); }
    switch (type->kind) {
    case PYTREE_KIND_NONE: return golden_object("none", cJSON_CreateNull());
    case PYTREE_KIND_REF: return golden_json(*(const pytree *)t.data);
    case PYTREE_KIND_VIEW: return golden_json_view((const pytree_leaf *)t.data);
    case PYTREE_KIND_FLAT: return golden_json_rebuilt(t);
    case PYTREE_KIND_STRUCT: return golden_json_struct(type, t.data);
    case PYTREE_KIND_CUSTOM: return golden_json_custom(type, t.data);
    case PYTREE_KIND_LIST: return golden_object("list", golden_json_items(items));
    case PYTREE_KIND_TUPLE: return golden_object("tuple", golden_json_items(items));
    case PYTREE_KIND_DICT: return golden_object(items->int_pairs != NULL ? "idict" : "dict", golden_json_pairs(items));
    case PYTREE_KIND_ODICT: return golden_object("odict", golden_json_pairs(items));
    case PYTREE_KIND_DEFAULTDICT: return golden_object("defaultdict", golden_json_pairs(items));
    case PYTREE_KIND_DEQUE:
        json = golden_object("deque", golden_json_items(items));
        cJSON_AddItemToObject(json, "maxlen", items->maxlen == PYTREE_UNBOUNDED ? cJSON_CreateNull()
                                                                                : golden_json_int((int64_t)items->maxlen));
        return json;
    case PYTREE_KIND_NAMEDTUPLE:
        json = golden_object("fields", golden_json_pairs(items));
        cJSON_AddStringToObject(json, "namedtuple", items->name);
        return json;
    default:
        leaf.type = type;
        leaf.data = t.data;
        return golden_json_leaf(&leaf);
    }
}

static inline cJSON *golden_json_views(size_t n, const pytree_leaf *views)
{
    cJSON *list = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < n; i++) { cJSON_AddItemToArray(list, golden_json_view(&views[i])); }
    return list;
}

static inline cJSON *golden_json_entry(const pytree_entry *entry)
{
    switch (entry->kind) {
    case PYTREE_ATTRIBUTE: return golden_object("a", cJSON_CreateString(entry->name));
    case PYTREE_INDEX: return golden_object("i", golden_json_int((int64_t)entry->index));
    case PYTREE_KEY: return golden_object("k", cJSON_CreateString(entry->name));
    case PYTREE_INT_KEY: return golden_object("k", golden_json_int((int64_t)entry->index));
    case PYTREE_FLAT_INDEX: return golden_object("f", golden_json_int((int64_t)entry->index));
    }
    return NULL;
}

static inline cJSON *golden_json_path(size_t n, const pytree_entry *entries)
{
    cJSON *list = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < n; i++) { cJSON_AddItemToArray(list, golden_json_entry(&entries[i])); }
    return list;
}

static inline cJSON *golden_json_texts(size_t n, const char *const *texts)
{
    cJSON *list = cJSON_CreateArray();
    size_t i;
    for (i = 0; i < n; i++) { cJSON_AddItemToArray(list, cJSON_CreateString(texts[i])); }
    return list;
}

/* Compares two [key, tree] as JAX sorts them. */
static inline bool golden_before(const cJSON *a, const cJSON *b)
{
    a = a->child;
    b = b->child;
    if (cJSON_IsNumber(a) || golden_marked(a) != NULL) { return golden_int(a) < golden_int(b); }
    return strcmp(a->valuestring, b->valuestring) < 0;
}

/* The same JSON with the pairs of each dict and default dict sorted, as JAX rebuilds them. */
static inline cJSON *golden_sorted(cJSON *json)
{
    cJSON *child;
    if (json->string != NULL && golden_among("dict idict defaultdict", json->string)) {
        size_t n = (size_t)cJSON_GetArraySize(json), i, j;
        cJSON **pairs = malloc((n + 1) * sizeof *pairs);
        assert_non_null(pairs);
        for (i = 0; i < n; i++) {
            cJSON *pair = cJSON_DetachItemFromArray(json, 0);
            for (j = i; j > 0 && golden_before(pair, pairs[j - 1]); j--) { pairs[j] = pairs[j - 1]; }
            pairs[j] = pair;
        }
        for (i = 0; i < n; i++) { cJSON_AddItemToArray(json, pairs[i]); }
        free(pairs);
    }
    cJSON_ArrayForEach(child, json) { golden_sorted(child); }
    return json;
}

/* The same JSON with null for each leaf and None. */
static inline cJSON *golden_bare(cJSON *json)
{
    cJSON *child = json->child;
    if (child != NULL && child->string != NULL && golden_among("int float bool str opaque none array", child->string)) {
        cJSON_Delete(child);
        json->child = NULL;
        json->type = cJSON_NULL | (json->type & ~0xFF);
        return json;
    }
    cJSON_ArrayForEach(child, json) { golden_bare(child); }
    return json;
}

/* ---- Predicates ---------------------------------------------------------------------------------------------------- */

/* Children of a container as Python's len counts them; SIZE_MAX for what has no length. */
static inline size_t golden_length(const pytree_leaf *value)
{
    return value->form == PYTREE_FORM_ITEMS ? ((const pytree_items *)value->data)->count : SIZE_MAX;
}

static inline bool golden_has_key(const pytree_leaf *value, const char *key)
{
    const pytree_items *items = value->data;
    size_t i;
    if (value->form != PYTREE_FORM_ITEMS || value->type->kind == PYTREE_KIND_NAMEDTUPLE) { return false; }
    if (items->pairs == NULL) { return false; }
    for (i = 0; i < items->count; i++) {
        if (strcmp(items->pairs[i].key, key) == 0) { return true; }
    }
    return false;
}

/* An is_leaf for the options, whose context is the predicate's text. */
static inline bool golden_predicate(void *context, const pytree_leaf *value, const pytree_path *path)
{
    const char *predicate = context;
    const bool items = value->form == PYTREE_FORM_ITEMS;
    if (strcmp(predicate, "is_none") == 0) { return value->form == PYTREE_FORM_NONE; }
    if (strcmp(predicate, "is_list") == 0) { return items && value->type->kind == PYTREE_KIND_LIST; }
    if (strcmp(predicate, "is_tuple") == 0) { return items && value->type->kind == PYTREE_KIND_TUPLE; }
    if (strcmp(predicate, "is_dict") == 0) { return items && value->type->kind == PYTREE_KIND_DICT; }
    if (strcmp(predicate, "depth_ge_2") == 0) { return path->n >= 2; }
    if (strcmp(predicate, "not_root") == 0) { return path->n >= 1; }
    if (strncmp(predicate, "has_key:", 8) == 0) { return golden_has_key(value, predicate + 8); }
    if (strncmp(predicate, "len_ge:", 7) == 0) {
        size_t length = golden_length(value);
        return length != SIZE_MAX && length >= strtoul(predicate + 7, NULL, 10);
    }
    if (strcmp(predicate, "always") == 0) { return true; }
    assert_string_equal(predicate, "never");
    return false;
}

static inline void golden_use_predicate(pytree_options *opt, const cJSON *json)
{
    const cJSON *predicate = golden_get(json, "predicate");
    if (predicate == NULL) { return; }
    opt->is_leaf = golden_predicate;
    opt->is_leaf_context = predicate->valuestring;
}

#endif
