/* Objects, variables, lists and dicts of Flax NNX: golden/seeds/nnx.jsonl. The calls of a record are written here in C, chosen
 * by its id; values and answers are the record's. */
#include "golden.h"
#include "nnx_objects.h"

static bool is_case(const Golden *g, const char *id) { return strcmp(strrchr(g->id, '.') + 1, id) == 0; }
static const cJSON *in(const Golden *g, const char *name)
{
    return golden_at(golden_at(g->json, "inputs"), name);
}
static const cJSON *out(const Golden *g, const char *name)
{
    return golden_at(golden_at(g->json, "outputs"), name);
}

/* The value of literal number i of a record. */
static const cJSON *literal(const Golden *g, int i)
{
    return golden_at(cJSON_GetArrayItem(golden_at(g->json, "literals"), i), "value");
}

/* An array of n numbers; of 0: one number without dimensions. */
static pytree floats(Golden *g, int n, const double *numbers)
{
    pytree_leaf *leaf = golden_alloc(g, 1, sizeof *leaf);
    float *data = golden_alloc(g, (size_t)n + 1, sizeof *data);
    for (int i = 0; i < n || i == 0; i++) { data[i] = (float)numbers[i]; }
    leaf->data = data;
    leaf->type = PYTREE_TYPE(float);
    leaf->ndim = n != 0;
    leaf->shape[0] = (size_t)n;
    return pytree_of_view(leaf);
}
#define FLOAT(x) floats(g, 0, (const double[]){ x })
#define FLOATS(...) floats(g, (int)(sizeof((double[]){ __VA_ARGS__ }) / sizeof(double)), (const double[]){ __VA_ARGS__ })

/* What a call must answer. */
static void check_status(NnxValues *v, const char *name, pytree_status wanted, pytree_status got)
{
    golden_check_text(v->g, name, pytree_status_name(wanted), pytree_status_name(got));
    memset(&v->error, 0, sizeof v->error);
}

static void check_word(Golden *g, const char *name, const cJSON *expected, const char *got)
{
    golden_check_text(g, name, golden_string(expected), got == NULL ? "nothing" : got);
}

static bool same_structure(pytree a, pytree b)
{
    pytree_def *x = pytree_structure(a, NULL, NULL), *y = pytree_structure(b, NULL, NULL);
    const bool same = pytree_def_equal(x, y);
    if (same) { assert_int_equal(pytree_def_hash(x), pytree_def_hash(y)); }
    pytree_def_free(x);
    pytree_def_free(y);
    return same;
}

static pytree_status multiply(void *context, const pytree_iter *at)
{
    for (size_t i = 0; i < pytree_leaf_count(at->leaf[0]); i++) { ((float *)at->leaf[0]->data)[i] *= *(const float *)context; }
    return PYTREE_OK;
}

/* A copy whose numbers are multiplied. */
static pytree times(NnxValues *v, pytree t, float factor)
{
    pytree copy = pytree_clone(t, NULL, &v->error);
    pytree_map(multiply, &factor, NULL, 1, &copy, NULL, &v->error);
    return copy;
}

/* ---- Variables ------------------------------------------------------------------------------------------------------- */

static void collections(Golden *g)
{
    const cJSON *name = golden_at(out(g, "names"), "list")->child, *role = golden_at(out(g, "types_"), "list")->child;
    pytree_error error = { 0 };
    for (; name != NULL; name = name->next, role = role->next) {
        check_word(g, "name", name, pytree_role_collection(role_of(g, golden_string(role))));
        check_word(g, "type", role, pytree_role_of_collection(golden_string(name), &error)->name);
    }
}

static void metadata(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    pytree one = pytree_variable_metadata(m, "w1", NULL, &v->error);
    pytree left = pytree_variable_metadata(m, "left", NULL, &v->error);
    nnx_check(v, "one", out(g, "one"), one);
    nnx_check(v, "attribute", out(g, "attribute"), left);
    golden_check_bool(g, "has", false, pytree_variable_metadata(m, "nothing", NULL, NULL).type != NULL);
    pytree_variable_remove_metadata(m, "left", &v->error);
    pytree_variable_put_metadata(m, "w1", PYTREE_STR("new"), &v->error);
    pytree_variable_put_metadata(m, "extra", nnx_value(v, literal(g, 0)), &v->error);
    pytree_free(one);
    pytree_free(left);
    golden_check_ok(g, "calls", &v->error);
    nnx_check(v, "v", out(g, "v"), m);
}

static void replaced(NnxValues *v, pytree m)
{
    pytree c = pytree_clone(m, NULL, &v->error), d = pytree_clone(m, NULL, &v->error);
    pytree_variable_set(c, nnx_value(v, literal(v->g, 0)), &v->error);
    nnx_check(v, "c", out(v->g, "c"), c);
    nnx_check(v, "d", out(v->g, "d"), d);
    pytree_free(c);
    pytree_free(d);
}

static void variable_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    const cJSON *inputs = golden_get(g->json, "inputs");
    pytree m = golden_get(inputs, "v") != NULL ? nnx_value(&v, in(g, "v")) : PYTREE_NONE, other;
    if (is_case(g, "001")) {
        metadata(&v, m);
    } else if (is_case(g, "002")) {
        pytree_variable_remove_metadata(m, NULL, &v.error);
        pytree_variable_put_metadata(m, "only", PYTREE_INT(1), &v.error);
        nnx_check(&v, "v", out(g, "v"), m);
    } else if (is_case(g, "003")) {
        (void)pytree_variable_metadata(m, "nothing", NULL, &v.error);
        check_status(&v, "missing", PYTREE_NOT_FOUND, v.error.status);
    } else if (is_case(g, "004") || is_case(g, "005")) {
        m = nnx_value(&v, in(g, "a"));
        other = nnx_value(&v, in(g, "b"));
        golden_check_bool(g, "a and b", false, same_structure(m, other));
        if (is_case(g, "004")) { golden_check_bool(g, "a and c", true, same_structure(m, nnx_value(&v, in(g, "c")))); }
        check_status(&v, "map", PYTREE_STRUCTURE,
                     pytree_map(multiply, NULL, NULL, 2, (pytree[2]){ m, other }, NULL, &v.error));
    } else if (is_case(g, "006")) {
        nnx_check_paths(&v, "paths", out(g, "paths"), m);
        other = times(&v, m, 2);
        nnx_check(&v, "doubled", out(g, "doubled"), other);
        pytree_free(other);
    } else if (is_case(g, "007")) {
        nnx_check_paths(&v, "paths", out(g, "paths"), m);
        nnx_check_leaves(&v, "leaves", out(g, "leaves"), m);
        nnx_check(&v, "k", out(g, "k"), pytree_dict_get(pytree_variable_value(m), "k", &v.error));
    } else if (is_case(g, "010")) {
        pytree_leaf value = pytree_at(m, ".value", NULL, &v.error);
        for (size_t i = 0; i < pytree_leaf_count(&value); i++) { ((float *)value.data)[i] += 1; }
        nnx_check(&v, "a1", out(g, "a1"), pytree_variable_value(m));
        ((float *)value.data)[0] = -3.25f;
        nnx_check(&v, "a2", out(g, "a2"), pytree_variable_value(m));
        pytree_variable_set(m, nnx_value(&v, literal(g, 0)), &v.error);
        nnx_check(&v, "v", out(g, "v"), m);
    } else if (is_case(g, "011")) {
        replaced(&v, m);
    } else if (is_case(g, "012")) {
        check_status(&v, "copy", PYTREE_STRUCTURE, pytree_copy_into(m, nnx_value(&v, in(g, "u")), NULL, &v.error));
    } else if (is_case(g, "014")) {
        m = nnx_value(&v, in(g, "m"));
        pytree_variable_put_metadata(pytree_object_get(m, "w2", &v.error), "frozen", PYTREE_BOOL(true), &v.error);
        other = pytree_object_get(pytree_object_get(m, "aux", &v.error), "w10", &v.error);
        pytree_variable_put_metadata(other, "frozen", PYTREE_BOOL(true), &v.error);
        pytree_flat state = pytree_state(m, PYTREE_EVERYTHING, NULL, &v.error);
        golden_check_ok(g, "calls", &v.error);
        nnx_check(&v, "state", out(g, "state"), PYTREE(&state));
        pytree_flat_free(&state);
    } else if (is_case(g, "015")) {
        collections(g);
    } else if (is_case(g, "016")) {
        golden_check_bool(g, "unknown", true, pytree_role_of_collection("bias_unknown", &v.error) == NULL);
        check_status(&v, "unknown", PYTREE_NOT_FOUND, v.error.status);
    } else {
        golden_no_counterpart(g);         /* operators, attributes, the registry of names, initialisers */
    }
    nnx_end(&v);
}

/* ---- Lists and dicts --------------------------------------------------------------------------------------------------- */

/* The random operations of a record. */
static void list_operations(Golden *g, pytree l, pytree_error *err)
{
    if (is_case(g, "005")) {
        pytree_list_append_copy(l, FLOATS(0.25), err);
        pytree_list_insert_copy(l, 0, FLOATS(-3), err);
        pytree_list_remove(l, 1, err);
    } else if (is_case(g, "006")) {
        pytree_list_remove(l, 0, err);
    } else if (is_case(g, "007")) {                                      /* a slice: one element after the other */
        pytree_list_set_copy(l, 1, FLOATS(3.25, 1), err);
        pytree_list_set_copy(l, 0, FLOAT(-3.75), err);
        pytree_list_set_copy(l, 2, FLOAT(-1.5), err);
    } else if (is_case(g, "014")) {
        pytree_list_set_copy(l, 0, FLOAT(0.75), err);
        pytree_list_set_copy(l, 1, FLOAT(0.5), err);
        pytree_list_set_copy(l, 0, FLOATS(4, 3.5), err);
        pytree_list_insert_copy(l, -1, FLOATS(-0.75), err);
        pytree_list_insert_copy(l, 3, FLOATS(-4), err);
        pytree_list_append_copy(l, FLOATS(2.75), err);
        pytree_list_set_copy(l, 3, FLOAT(-3.5), err);
        pytree_list_insert_copy(l, 0, FLOATS(-0.75), err);               /* at -6, which Python takes for 0 */
    } else if (is_case(g, "011")) {
        pytree_list_append_copy(l, FLOATS(4), err);
        pytree_list_set_copy(l, -3, FLOATS(-2.5, -1.5), err);
        pytree_list_remove(l, 1, err);
        pytree_list_set_copy(l, -2, FLOATS(-2, 0.5), err);
        pytree_list_append_copy(l, FLOATS(3.5), err);
        pytree_list_remove(l, 0, err);
        pytree_list_set_copy(l, -1, FLOATS(-3.25, 0.5), err);
        pytree_list_remove(l, 0, err);
    } else if (is_case(g, "012")) {
        pytree_list_remove(l, 2, err);
        pytree_list_insert_copy(l, 2, FLOATS(-1.75), err);
        pytree_list_append_copy(l, FLOATS(-3), err);
        pytree_list_set_copy(l, -2, FLOATS(1.75, 0.5), err);
    } else if (is_case(g, "013")) {
        pytree_list_append_copy(l, FLOATS(3), err);
        pytree_list_remove(l, 0, err);
        pytree_list_set_copy(l, -2, FLOATS(-2.75, -2.25), err);
        pytree_list_append_copy(l, FLOATS(-1), err);
        pytree_list_remove(l, 2, err);
    }
}

static void list_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree l = nnx_value(&v, golden_get(g->json, "inputs.l") != NULL ? in(g, "l") : in(g, "m")), a, b;
    if (is_case(g, "001")) {
        nnx_check_paths(&v, "paths", out(g, "paths"), l);
        nnx_check_leaves(&v, "leaves", out(g, "leaves"), l);
        golden_check_count(g, "length", out(g, "length"), pytree_object_length(l));
    } else if (is_case(g, "002")) {
        const cJSON *got = golden_at(out(g, "got"), "list")->child;
        nnx_check(&v, "l[0]", got, pytree_list_get(l, 0, &v.error));
        nnx_check(&v, "l[-1]", got->next, pytree_list_get(l, -1, &v.error));
    } else if (is_case(g, "003")) {
        (void)pytree_list_get(l, 5, &v.error);
        check_status(&v, "out of range", PYTREE_NOT_FOUND, v.error.status);
    } else if (is_case(g, "009")) {
        a = pytree_list_take(l, -1, &v.error);
        b = pytree_list_take(l, 0, &v.error);
        pytree_list_append_copy(l, FLOATS(-1.5, 1.25), &v.error);
        pytree_list_append_copy(l, FLOATS(3.75, 0.25), &v.error);
        nnx_check(&v, "last", out(g, "last"), a);
        nnx_check(&v, "first", out(g, "first"), b);
        nnx_check(&v, "l", out(g, "l"), l);
        pytree_free(a);
        pytree_free(b);
    } else if (is_case(g, "010")) {
        check_status(&v, "static place", PYTREE_STATIC, pytree_list_set_copy(l, 0, FLOATS(3.75, -2), &v.error));
    } else if (is_case(g, "004") || is_case(g, "008")) {
        golden_no_counterpart(g);         /* an index that is a text; a slice that takes too few */
    } else {
        list_operations(g, l, &v.error);
        golden_check_ok(g, "calls", &v.error);
        nnx_check(&v, "l", out(g, "l"), l);
        if (golden_get(g->json, "outputs.length") != NULL) {
            golden_check_count(g, "length", out(g, "length"), pytree_object_length(l));
        }
    }
    nnx_end(&v);
}

static void check_keys(Golden *g, pytree d)
{
    const cJSON *key;
    pytree_attribute at = { 0 };
    size_t i = 0;
    cJSON_ArrayForEach(key, golden_at(out(g, "keys"), "list")) {
        golden_check_bool(g, "key", true, pytree_object_attribute(d, i++, &at, NULL) == PYTREE_OK);
        check_word(g, "key", key, at.name);
    }
    golden_check_bool(g, "keys", true, pytree_object_length(d) == i);
}

static void dict_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree d = nnx_value(&v, in(g, "d"));
    if (is_case(g, "001")) {
        const cJSON *got = golden_at(out(g, "got"), "list")->child;
        nnx_check(&v, "d['bias']", got, pytree_object_get(d, "bias", &v.error));
        nnx_check(&v, "d.w", got->next, pytree_dict_get(d, "w", &v.error));
        nnx_check_paths(&v, "paths", out(g, "paths"), d);
        check_keys(g, d);
    } else if (is_case(g, "003")) {
        const float value = 1.5f;
        pytree p = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(&value, 1), NULL, &v.error);
        pytree_object_put_own(d, "w10", p, &v.error);
        pytree_object_remove(d, "bias", &v.error);
        golden_check_ok(g, "calls", &v.error);
        nnx_check(&v, "d", out(g, "d"), d);
        check_keys(g, d);
        golden_check_bool(g, "has", false, pytree_object_get(d, "bias", NULL).type != NULL);
    } else if (is_case(g, "002")) {
        (void)pytree_object_get(d, "w10", &v.error);
        check_status(&v, "missing", PYTREE_NOT_FOUND, v.error.status);
    } else {
        check_status(&v, "missing", PYTREE_NOT_FOUND, pytree_object_remove(d, "w10", &v.error));
    }
    nnx_end(&v);
}

/* ---- What is data ------------------------------------------------------------------------------------------------------ */

PYTREE_CLASS(Layer, Pytree);
PYTREE_CLASS_IN(BodyO, nnx);

typedef struct CellT { int value; } CellT;
#define PYTREE_LEAF_TYPE CellT
#include "pytree_registry.h"

/* Values in the order of the record, as far as C has them; Python's types and numpy's scalars are left out. */
static void what_is_data(Golden *g)
{
    static const pytree_type *const classes[] = {
        &pytree_class_Layer, &pytree_class_List, &pytree_class_Dict, &pytree_class_BodyO
    };
    const cJSON *name, *answer = golden_at(out(g, "answers"), "list")->child;
    pytree_error error = { 0 };
    pytree objects[COUNT_OF(classes)];
    const float zeros[2] = { 0, 0 };
    size_t asked = 0;
    for (size_t i = 0; i < COUNT_OF(classes); i++) { objects[i] = pytree_new_object(classes[i], NULL, &error); }
    pytree param = PYTREE_VARIABLE(Param, PYTREE_INT(1)), variable = PYTREE_VARIABLE(Variable, PYTREE_LIST(PYTREE_INT(1)));
    pytree array = PYTREE_ARRAY(zeros, 2);
    const struct { const char *name; pytree value; } values[] = {
        { "ArrayImpl", array }, { "ndarray", array }, { "int", PYTREE_INT(1) }, { "float", PYTREE_FLOAT(1.5) },
        { "bool", PYTREE_BOOL(true) }, { "str", PYTREE_STR("x") }, { "NoneType", PYTREE_NONE }, { "Param", param },
        { "Variable", variable }, { "Layer", objects[0] }, { "List", objects[1] }, { "Dict", objects[2] },
        { "BodyO", objects[3] },
        { "list", PYTREE_LIST(array) }, { "tuple", PYTREE_TUPLE(param) }, { "dict", PYTREE_DICT({ "k", array }) }
    };
    cJSON_ArrayForEach(name, golden_at(out(g, "names"), "list")) {
        for (size_t i = 0; i < COUNT_OF(values); i++) {
            if (strcmp(values[i].name, golden_string(name)) != 0) { continue; }
            golden_check_bool(g, values[i].name, cJSON_IsTrue(answer) != 0, pytree_is_data(values[i].value));
            asked++;
        }
        answer = answer->next;
    }
    assert_int_equal(asked, COUNT_OF(values));
    for (size_t i = 0; i < COUNT_OF(classes); i++) { pytree_container_free(objects[i]); }
}

static void is_data_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    if (is_case(g, "001")) {
        what_is_data(g);
    } else if (is_case(g, "002")) {
        const cJSON *value, *found = golden_at(out(g, "found"), "list")->child;
        cJSON_ArrayForEach(value, golden_at(in(g, "values"), "list")) {
            const bool expected = cJSON_GetArraySize(golden_at(found, "list")) != 0;
            golden_check_bool(g, "found", expected, pytree_has_data(nnx_value(&v, value), NULL));
            found = found->next;
        }
    } else {
        CellT cell = { 3 };
        pytree m = pytree_new_object(&pytree_class_Layer, NULL, &v.error);
        golden_check_bool(g, "after", true, pytree_is_data(PYTREE(&cell)));
        pytree_object_put(m, "Z", PYTREE(&cell), &v.error);
        const cJSON *leaves = cJSON_GetArrayItem(golden_at(out(g, "leaves"), "list"), 1);
        golden_check_count(g, "leaves", leaves, pytree_num_leaves(m, NULL, &v.error));
        pytree_container_free(m);
    }
    nnx_end(&v);
}

/* ---- Status ------------------------------------------------------------------------------------------------------------ */

/* A value of a step: "nnx.data(x)", "nnx.static(x)", "nnx.List([x])", "jnp.array([1.5], …)" or a literal. */
static pytree step_value(NnxValues *v, const char *text, const pytree_type **annotation)
{
    Golden *g = v->g;
    const char *end = strrchr(text, ')');
    char literal_text[80];
    pytree list, t;
    *annotation = NULL;
    if (strncmp(text, "nnx.data(", 9) == 0 || strncmp(text, "nnx.static(", 11) == 0) {
        const pytree_type *kind = text[4] == 'd' ? &pytree_data_type : &pytree_static_type;
        snprintf(literal_text, sizeof literal_text, "%.*s", (int)(end - strchr(text, '(') - 1), strchr(text, '(') + 1);
        t = step_value(v, literal_text, annotation);
        *annotation = kind;
        return t;
    }
    if (strncmp(text, "nnx.List([", 10) == 0 || (text[0] == '[' && strstr(text, "jnp") != NULL)) {
        list = text[0] == '[' ? pytree_new_list(NULL, &v->error) : pytree_new_object(&pytree_class_List, NULL, &v->error);
        t = FLOATS(strtod(strstr(text, "jnp.array([") + 11, NULL));
        pytree_list_append_copy(list, t, &v->error);
        v->owned[v->n_owned++] = list;
        return list;
    }
    if (strncmp(text, "jnp.array([", 11) == 0) { return FLOATS(strtod(text + 11, NULL)); }
    t = pytree_parse(text, NULL, &v->error);
    list = pytree_new_list(NULL, &v->error);                   /* which frees it */
    pytree_list_append_own(list, t, &v->error);
    v->owned[v->n_owned++] = list;
    return t;
}

static void history_case(NnxValues *v)
{
    Golden *g = v->g;
    const cJSON *step, *after = golden_at(out(g, "history"), "list")->child;
    pytree m = nnx_value(v, in(g, "m"));
    cJSON_ArrayForEach(step, golden_at(in(g, "steps"), "list")) {
        const char *text = golden_string(step), *equals = strstr(text, " = ");
        const cJSON *said = golden_at(after, "tuple")->child->next;
        const bool removes = strncmp(text, "del ", 4) == 0;
        char name[20];
        const pytree_type *annotation = NULL;
        pytree_attribute at = { 0 };
        pytree_status status;
        snprintf(name, sizeof name, "%.*s", removes ? 19 : (int)(equals - strchr(text, '.') - 1), strchr(text, '.') + 1);
        if (removes) {
            status = pytree_object_remove(m, name, &v->error);
        } else {
            pytree value = step_value(v, equals + 3, &annotation), held = value;
            if (annotation != NULL) { held = (pytree){ annotation, &value }; }
            status = pytree_object_put(m, name, held, &v->error);
        }
        check_status(v, "error", cJSON_IsNull(said) ? PYTREE_OK : PYTREE_STATIC, status);
        golden_check_bool(g, "exists", cJSON_IsTrue(said->next) != 0, pytree_object_length(m) == 1);
        if (pytree_object_attribute(m, 0, &at, NULL) == PYTREE_OK) {
            check_word(g, "status", said->next->next, at.is_data ? "data" : "static");
        }
        golden_check_count(g, "leaves", said->next->next->next, pytree_num_leaves(m, NULL, NULL));
        after = after->next;
    }
    nnx_check(v, "m", out(g, "m"), m);
}

static void status_assignments(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    pytree_error *err = &v->error;
    if (is_case(g, "001")) {
        pytree_object_put_copy(m, "b", PYTREE_STR("text"), err);
        pytree_object_put_copy(m, "y", PYTREE_FLOAT(3.5), err);
        pytree_object_put_copy(m, "inner", PYTREE_STR("now text"), err);
    } else if (is_case(g, "002")) {
        pytree_object_put_copy(m, "b", PYTREE_AS_STATIC(PYTREE_STR("text")), err);
        pytree_object_put_copy(m, "y", PYTREE_AS_DATA(PYTREE_FLOAT(3.5)), err);
        pytree_object_put_copy(m, "inner", PYTREE_AS_STATIC(PYTREE_INT(1)), err);
    } else if (is_case(g, "004")) {
        pytree_object_put_copy(m, "b", PYTREE_AS_DATA(FLOATS(3.5, 2.75)), err);
    } else if (is_case(g, "005")) {
        pytree_object_remove(m, "b", err);
        pytree_object_put_copy(m, "b", FLOATS(3, -4), err);
    } else if (is_case(g, "006")) {
        golden_check_count(g, "before", out(g, "before"), pytree_num_leaves(m, NULL, err));
        pytree_object_put_copy(m, "b", FLOATS(2.5, 3), err);
    }
    if (golden_get(g->json, "outputs.m") != NULL) { nnx_check(v, "m", out(g, "m"), m); }
    if (golden_get(g->json, "outputs.paths") != NULL) { nnx_check_paths(v, "paths", out(g, "paths"), m); }
    golden_check_ok(g, "calls", err);
}

static void status_structure(NnxValues *v)
{
    Golden *g = v->g;
    pytree m1 = nnx_value(v, in(g, "m1")), m2 = nnx_value(v, in(g, "m2")), m3 = nnx_value(v, in(g, "m3"));
    golden_check_bool(g, "m1 and m2", true, same_structure(m1, m2));
    golden_check_bool(g, "m1 and m3", false, same_structure(m1, m3));
    check_status(v, "map", PYTREE_STRUCTURE, pytree_map(multiply, NULL, NULL, 2, (pytree[2]){ m1, m3 }, NULL, &v->error));
}

static void status_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    const bool has_m = golden_get(g->json, "inputs.m") != NULL;
    pytree m, other;
    if (golden_get(g->json, "inputs.steps") != NULL) {
        history_case(&v);
    } else if (is_case(g, "016")) {
        status_structure(&v);
    } else if (!has_m) {
        golden_no_counterpart(g);         /* forms of Python's classes and dataclasses */
    } else if (is_case(g, "003") || is_case(g, "007")) {
        m = nnx_value(&v, in(g, "m"));
        check_status(&v, "assignment", PYTREE_STATIC, pytree_object_put(m, "b", FLOATS(2.75, 1.25), &v.error));
    } else if (is_case(g, "015") || is_case(g, "017")) {
        const bool tenfold = is_case(g, "015");
        m = nnx_value(&v, in(g, "m"));
        if (tenfold) { nnx_check_leaves(&v, "leaves", out(g, "leaves"), m); }
        if (tenfold) { nnx_check_paths(&v, "paths", out(g, "paths"), m); }
        other = times(&v, m, tenfold ? 10 : 2);
        nnx_check(&v, "rebuilt", out(g, tenfold ? "same" : "doubled"), other);
        pytree_free(other);
    } else {
        status_assignments(&v, nnx_value(&v, in(g, "m")));
    }
    nnx_end(&v);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------------ */

static void check_levels(NnxValues *v)
{
    pytree_level level = { 0 };
    const pytree_options opt = { .level = &level };
    pytree m = nnx_value(v, in(v->g, "m")), made;
    pytree_level_enter(&level);
    pytree_level_leave(&level);
    made = pytree_clone(m, &opt, &v->error);
    pytree_level_enter(&level);
    if (is_case(v->g, "010")) {
        check_status(v, "b", PYTREE_FROZEN, pytree_object_put(made, "b", PYTREE_INT(1), &v->error));
    } else {
        check_status(v, "y", PYTREE_FROZEN,
                     pytree_variable_set(pytree_object_get(made, "y", &v->error), PYTREE_INT(1), &v->error));
    }
    pytree_level_leave(&level);
    pytree_free(made);
}

/* The value of an object's first attribute. */
static const cJSON *attribute_of(const cJSON *object) { return golden_at(object, "attrs")->child->child->next->next; }

static void check_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = pytree_new_object(&pytree_class_Layer, NULL, &v.error), value = PYTREE_NONE, held;
    pytree_error *err = &v.error;
    const bool levels = is_case(g, "010") || is_case(g, "011");
    if (golden_get(g->json, "literals") != NULL && !levels) { value = nnx_value(&v, literal(g, 0)); }
    held = value;
    if (is_case(g, "001")) {
        check_status(&v, "b", PYTREE_STATIC, pytree_object_put(m, "b", PYTREE_AS_STATIC(held), err));
    } else if (is_case(g, "002") || is_case(g, "003")) {
        check_status(&v, "b", PYTREE_STATIC, pytree_object_put(m, "b", held, err));
    } else if (is_case(g, "004") || is_case(g, "005")) {
        pytree list = is_case(g, "005") ? nnx_value(&v, attribute_of(in(g, "m"))) : pytree_new_list(NULL, err);
        if (is_case(g, "004")) { v.owned[v.n_owned++] = list; }
        pytree_object_put(m, "b", list, err);
        check_status(&v, "before", PYTREE_OK, pytree_check(m, NULL, NULL, NULL, err));
        pytree_list_append_copy(list, held, err);
        check_status(&v, "after", PYTREE_STATIC, pytree_check(m, NULL, NULL, NULL, err));
    } else if (is_case(g, "007")) {
        held = PYTREE_DICT({ "k", PYTREE_AS_DATA(PYTREE_INT(3)) });
        check_status(&v, "b", PYTREE_ARGUMENT, pytree_object_put(m, "b", held, err));
    } else if (is_case(g, "008") || is_case(g, "009")) {
        pytree_object_put(m, "b", PYTREE_AS_DATA(held), err);
        if (is_case(g, "009")) { pytree_object_put(m, "b", nnx_value(&v, attribute_of(out(g, "m"))), err); }
        golden_check_ok(g, "b", err);
        nnx_check_paths(&v, "paths", out(g, "paths"), m);
        nnx_check_leaves(&v, "leaves", out(g, "leaves"), m);
    } else if (levels) {
        check_levels(&v);
    } else {
        golden_no_counterpart(g);         /* pytree_check takes every tree */
    }
    pytree_container_free(m);
    nnx_end(&v);
}

/* ---- Objects that are leaves elsewhere ----------------------------------------------------------------------------------- */

static void object_states(NnxValues *v)
{
    Golden *g = v->g;
    const pytree_options nnx = { .space = "nnx" };
    const cJSON *b = cJSON_GetArrayItem(golden_at(out(g, "again"), "attrs"), 0)->child->next->next;
    pytree m = nnx_value(v, in(g, "m")), again;
    pytree_flat state;
    pytree_def *graphdef = NULL;
    pytree_object_put_copy(m, "b", nnx_value(v, b), &v->error);
    golden_check_count(g, "count", out(g, "count"), pytree_num_leaves(m, NULL, &v->error));
    pytree_split(m, 0, NULL, &graphdef, &state, &nnx, &v->error);
    golden_check_ok(g, "split", &v->error);
    nnx_check(v, "state", out(g, "state"), PYTREE(&state));
    again = pytree_merge(graphdef, 1, (pytree[]){ PYTREE(&state) }, NULL, &v->error);
    if (golden_check_ok(g, "merge", &v->error)) { nnx_check(v, "again", out(g, "again"), again); }
    pytree_free(again);
    pytree_flat_free(&state);
    pytree_def_free(graphdef);
}

static void object_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    v.static_numbers = true;
    if (is_case(g, "001") || is_case(g, "002")) {
        object_states(&v);
    } else if (is_case(g, "003")) {
        const float value = 3.5f;
        const pytree_options nnx = { .space = "nnx" };
        pytree m = pytree_new_object(nnx_class(g, "Net", true), NULL, &v.error), list = pytree_new_list(NULL, &v.error);
        pytree_flat state;
        pytree_object_put_copy(m, "y", PYTREE_INT(1), &v.error);
        pytree_object_put_copy(m, "y", FLOATS(-0.75, -2.75), &v.error);
        pytree_object_put_copy(m, "y", PYTREE_STR("text"), &v.error);
        pytree_object_put_copy(m, "b", PYTREE_AS_DATA(PYTREE_INT(3)), &v.error);
        pytree param = pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(&value, 1), NULL, &v.error);
        pytree_list_append_own(list, param, &v.error);
        pytree_object_put_own(m, "w1", list, &v.error);
        state = pytree_state(m, PYTREE_EVERYTHING, &nnx, &v.error);
        golden_check_ok(g, "calls", &v.error);
        nnx_check(&v, "m", out(g, "m"), m);
        nnx_check(&v, "state", out(g, "state"), PYTREE(&state));
        pytree_flat_free(&state);
        pytree_container_free(m);
    } else if (is_case(g, "005")) {
        pytree_flat state = pytree_state(nnx_value(&v, in(g, "m")), PYTREE_OF(Param), NULL, &v.error);   /* a leaf: no place */
        golden_check_bool(g, "state", true, state.def != NULL && state.def->n_leaves == 0);
        pytree_flat_free(&state);
    } else if (is_case(g, "006")) {
        pytree m = nnx_value(&v, in(g, "m")), old = pytree_object_get(m, "y", &v.error), y = pytree_new_list(NULL, &v.error);
        float more[2];
        for (int i = 0; i < 2; i++) {
            pytree_list_append_copy(y, pytree_list_get(old, i, &v.error), &v.error);
            const pytree_leaf *x = pytree_list_get(y, i, &v.error).data;
            for (size_t k = 0; k < pytree_leaf_count(x); k++) { ((float *)x->data)[k] *= 3; }
            if (i == 0) { more[0] = ((float *)x->data)[0] + 1, more[1] = ((float *)x->data)[1] + 1; }
        }
        pytree_object_put_copy(m, "w1", PYTREE_ARRAY(more, 2), &v.error);
        pytree_object_remove(m, "y", &v.error);                          /* nnx.jit leaves attributes in the order of names */
        pytree_object_put_own(m, "y", y, &v.error);
        golden_check_ok(g, "calls", &v.error);
        nnx_check(&v, "m", out(g, "m"), m);
    } else {
        golden_no_counterpart(g);
    }
    nnx_end(&v);
}

/* ---- Running --------------------------------------------------------------------------------------------------------- */

/* Each group, how many of its cases are asked, and how many are not: docs/semantics.md says why. */
#define GROUP(name, asked, without)                                                                                     \
    static void name##_cases(void **state)                                                                              \
    {                                                                                                                   \
        (void)state;                                                                                                    \
        golden_run_exactly("seeds/nnx", "\"group\": \"" #name "\"", name##_case, asked, without);                       \
    }
GROUP(variable, 13, 5)
GROUP(list, 12, 2)
GROUP(dict, 4, 0)
GROUP(is_data, 3, 0)
GROUP(status, 16, 5)
GROUP(check, 10, 1)
GROUP(object, 5, 1)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(variable_cases), cmocka_unit_test(list_cases), cmocka_unit_test(dict_cases),
        cmocka_unit_test(is_data_cases), cmocka_unit_test(status_cases), cmocka_unit_test(check_cases),
        cmocka_unit_test(object_cases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
