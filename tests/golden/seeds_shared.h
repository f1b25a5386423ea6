/* What the programs that read golden/seeds/transforms.jsonl share: the records, their values as trees, programs for bodies. */
#include "golden.h"
#include "pytree/cache.h"
#include "pytree/transform.h"

/* ---- Values ---------------------------------------------------------------------------------------------------------- */

/* A registered class of the records: two children, and metadata of any kind, here as its JSON. */
typedef struct Baz {
    pytree left, a;
    const char *b;
} Baz;

#define PYTREE_STRUCT Baz
#define PYTREE_FIELDS PYTREE_FIELD(DATA, left) PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

/* How leaves of a value are made, where that is not as they are written. */
typedef struct SeedsLeaves {
    bool (*leaf)(Golden *g, void *context, const cJSON *json, pytree *t);  /* false: as it is written */
    void *context;
} SeedsLeaves;

static inline pytree seeds_tree_of(Golden *g, const cJSON *json, const SeedsLeaves *leaves);

static inline pytree seeds_sequence(Golden *g, const pytree_type *type, const cJSON *children, const SeedsLeaves *leaves)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree *at = golden_alloc(g, (size_t)cJSON_GetArraySize(children) + 1, sizeof *at);
    const cJSON *child;
    cJSON_ArrayForEach(child, children) { at[items->count++] = seeds_tree_of(g, child, leaves); }
    items->items = at;
    return (pytree){ type, items };
}

static inline pytree seeds_keyed(Golden *g, const pytree_type *type, const char *name, const cJSON *pairs,
                                 const SeedsLeaves *leaves)
{
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pytree_pair *at = golden_alloc(g, (size_t)cJSON_GetArraySize(pairs) + 1, sizeof *at);
    const cJSON *pair;
    cJSON_ArrayForEach(pair, pairs) {
        at[items->count].key = golden_string(pair->child);
        at[items->count++].value = seeds_tree_of(g, pair->child->next, leaves);
    }
    items->pairs = at;
    items->name = name;
    return (pytree){ type, items };
}

static inline const pytree_type *seeds_dtype(const char *name)
{
    if (strcmp(name, "float32") == 0) { return PYTREE_TYPE(float); }
    if (strcmp(name, "float64") == 0) { return PYTREE_TYPE(double); }
    if (strcmp(name, "int32") == 0) { return PYTREE_TYPE(int32_t); }
    if (strcmp(name, "int64") == 0) { return PYTREE_TYPE(int64_t); }
    if (strcmp(name, "bool") == 0) { return PYTREE_TYPE(bool); }
    fail_msg("no element type %s", name);
    return NULL;
}

static inline void seeds_put(const pytree_leaf *leaf, size_t i, double v)
{
    switch (leaf->type->dtype) {
    case PYTREE_F32: ((float *)leaf->data)[i] = (float)v; break;
    case PYTREE_F64: ((double *)leaf->data)[i] = v; break;
    case PYTREE_I32: ((int32_t *)leaf->data)[i] = (int32_t)v; break;
    case PYTREE_I64: ((int64_t *)leaf->data)[i] = (int64_t)v; break;
    case PYTREE_BOOL8: ((bool *)leaf->data)[i] = v != 0; break;
    default: fail_msg("no number: %s", leaf->type->name);
    }
}

static inline size_t seeds_numbers(const pytree_leaf *leaf, size_t n, const cJSON *data)
{
    const cJSON *child;
    if (!cJSON_IsArray(data)) {
        seeds_put(leaf, n, cJSON_IsBool(data) ? cJSON_IsTrue(data) : golden_double(data));
        return n + 1;
    }
    cJSON_ArrayForEach(child, data) { n = seeds_numbers(leaf, n, child); }
    return n;
}

static inline pytree seeds_array(Golden *g, const cJSON *json)
{
    pytree_leaf *leaf = golden_alloc(g, 1, sizeof *leaf);
    const cJSON *extent;
    leaf->type = seeds_dtype(golden_word(json, "dtype"));
    cJSON_ArrayForEach(extent, golden_at(json, "shape")) { leaf->shape[leaf->ndim++] = (size_t)golden_int(extent); }
    leaf->data = golden_alloc(g, pytree_leaf_count(leaf) + 1, leaf->type->size);
    (void)seeds_numbers(leaf, 0, golden_at(json, "data"));
    return pytree_of_view(leaf);
}

static inline pytree seeds_object(Golden *g, const cJSON *json, const SeedsLeaves *leaves)
{
    Baz *baz = golden_alloc(g, 1, sizeof *baz);
    const cJSON *attr;
    char *text;
    assert_string_equal(golden_word(json, "object"), "Baz");
    cJSON_ArrayForEach(attr, golden_at(json, "attrs")) {
        const cJSON *value = attr->child->next->next;
        if (strcmp(golden_string(attr->child), "left") == 0) { baz->left = seeds_tree_of(g, value, leaves); }
        else if (strcmp(golden_string(attr->child), "a") == 0) { baz->a = seeds_tree_of(g, value, leaves); }
        else {
            text = cJSON_PrintUnformatted(value);
            baz->b = golden_copy(g, text);
            free(text);
        }
    }
    return PYTREE(baz);
}

/* A dataclass as a namedtuple, which has the same children under the same names; static fields are part of its name. */
static inline pytree seeds_dataclass(Golden *g, const cJSON *json, const SeedsLeaves *leaves)
{
    const cJSON *fixed = golden_get(json, "static"), *pair, *name;
    cJSON *fields = cJSON_CreateArray();
    GoldenText to = { g, NULL, 0, 0 };
    pytree t;
    golden_puts(&to, golden_word(json, "dataclass"));
    cJSON_ArrayForEach(pair, golden_at(json, "fields")) {
        bool is_static = false;
        cJSON_ArrayForEach(name, fixed) {
            is_static = is_static || strcmp(golden_string(name), golden_string(pair->child)) == 0;
        }
        if (is_static) {
            char *text = cJSON_PrintUnformatted(pair);
            golden_puts(&to, text);
            free(text);
        } else {
            cJSON_AddItemReferenceToArray(fields, (cJSON *)(uintptr_t)pair);
        }
    }
    t = seeds_keyed(g, &pytree_types[PYTREE__T_namedtuple], to.at, fields, leaves);
    cJSON_Delete(fields);
    return t;
}

/* Any value of a record. A zero of autoform's is the number 0, or an empty text. */
static inline pytree seeds_leaf(Golden *g, const cJSON *json)
{
    const cJSON *zero = golden_get(json, "zero");
    if (cJSON_IsNull(json)) { return PYTREE_NONE; }
    if (cJSON_IsBool(json)) { return golden_scalar(g, PYTREE_TYPE(bool), &(bool){ cJSON_IsTrue(json) != 0 }); }
    if (cJSON_IsNumber(json)) {
        const double v = golden_double(json);
        return v == (double)(int64_t)v ? golden_int_leaf(g, (int64_t)v) : golden_scalar(g, PYTREE_TYPE(double), &v);
    }
    if (golden_marked(json) != NULL) { return golden_scalar(g, PYTREE_TYPE(double), &(double){ golden_double(json) }); }
    if (cJSON_IsString(json)) {
        return golden_scalar(g, &pytree_types[PYTREE__T_string], &(const char *){ json->valuestring });
    }
    if (zero == NULL) { fail_msg("%s: no such value", g->id); }
    if (strcmp(golden_string(zero), "IntAVal()") == 0) { return golden_int_leaf(g, 0); }
    if (strcmp(golden_string(zero), "BoolAVal()") == 0) { return golden_scalar(g, PYTREE_TYPE(bool), &(bool){ false }); }
    return golden_scalar(g, &pytree_types[PYTREE__T_string], &(const char *){ "" });
}

static inline pytree seeds_tree_of(Golden *g, const cJSON *json, const SeedsLeaves *leaves)
{
    const char *const sequences[] = { "list", "tuple" }, *const keyed[] = { "dict", "ordered_dict" };
    const int sequence_types[] = { PYTREE__T_list, PYTREE__T_tuple }, keyed_types[] = { PYTREE__T_dict, PYTREE__T_odict };
    const cJSON *value;
    pytree t;
    if (leaves != NULL && leaves->leaf(g, leaves->context, json, &t)) { return t; }
    if (!cJSON_IsObject(json)) { return seeds_leaf(g, json); }
    for (int k = 0; k < 2; k++) {
        if ((value = golden_get(json, sequences[k])) != NULL) {
            return seeds_sequence(g, &pytree_types[sequence_types[k]], value, leaves);
        }
        if ((value = golden_get(json, keyed[k])) != NULL) {
            return seeds_keyed(g, &pytree_types[keyed_types[k]], NULL, value, leaves);
        }
    }
    if ((value = golden_get(json, "array")) != NULL) { return seeds_array(g, value); }
    if ((value = golden_get(json, "namedtuple")) != NULL) {
        return seeds_keyed(g, &pytree_types[PYTREE__T_namedtuple], golden_string(value), golden_at(json, "fields"), leaves);
    }
    if (golden_get(json, "dataclass") != NULL) { return seeds_dataclass(g, json, leaves); }
    if (golden_get(json, "object") != NULL) { return seeds_object(g, json, leaves); }
    return seeds_leaf(g, json);
}

static inline pytree seeds_tree(Golden *g, const cJSON *json) { return seeds_tree_of(g, json, NULL); }

/* ---- Bodies ------------------------------------------------------------------------------------------------------------
 *
 * A body is a record's value with texts for leaves, each a computation in postfix notation over the leaves of the arguments:
 * "0 1 +", "2 #0.5 *" (a number), "0 sum", "0 int", "0 float", "zeros3", "0 lift" (one axis more, in front),
         "0 #3 <". A text that
 * begins with ' is a text.
 */
typedef struct SeedsValue {
    const pytree_type *type;              /* NULL: a number, which takes the other's type */
    int ndim;
    size_t shape[PYTREE_MAX_DIMS];
    double at[32];
} SeedsValue;

typedef struct SeedsBody {
    Golden *golden;
    cJSON *json;
} SeedsBody;

static inline size_t seeds_count(const SeedsValue *v)
{
    size_t n = 1;
    for (int i = 0; i < v->ndim; i++) { n *= v->shape[i]; }
    assert_in_range(n, 0, COUNT_OF(v->at));
    return n;
}

static inline SeedsValue seeds_binary(const SeedsValue *a, const SeedsValue *b, char op)
{
    const SeedsValue *wide = seeds_count(a) >= seeds_count(b) ? a : b;
    SeedsValue r = *wide;
    const size_t n = seeds_count(wide), na = seeds_count(a), nb = seeds_count(b);
    r.type = a->type != NULL ? a->type : b->type;
    if (b->type == NULL && b->at[0] != (double)(int64_t)b->at[0] && r.type->dtype == PYTREE_I32) { r.type = PYTREE_TYPE(float);
            }
    for (size_t i = 0; i < n; i++) {
        const double x = a->at[na == n ? i : 0], y = b->at[nb == n ? i : 0];
        r.at[i] = op == '+' ? x + y : op == '-' ? x - y : op == '*' ? x * y : x < y;
        if (r.type->dtype == PYTREE_F32) { r.at[i] = (double)(float)r.at[i]; }
    }
    if (op == '<') { r.type = PYTREE_TYPE(bool); }
    return r;
}

/* Changes the value on top. */
static inline void seeds_unary(SeedsValue *v, const char *word)
{
    const size_t n = seeds_count(v);
    if (strcmp(word, "sum") == 0) {
        for (size_t i = 1; i < n; i++) { v->at[0] += v->at[i]; }
        if (n == 0) { v->at[0] = 0; }
        v->ndim = 0;
    } else if (strcmp(word, "int") == 0) {
        v->type = PYTREE_TYPE(int32_t);
    } else if (strcmp(word, "float") == 0) {
        v->type = PYTREE_TYPE(float);
    } else {
        assert_string_equal(word, "lift");
        memmove(v->shape + 1, v->shape, (size_t)v->ndim++ * sizeof *v->shape);
        v->shape[0] = 1;
    }
}

static inline SeedsValue seeds_compute(const char *text, const pytree_call *at)
{
    SeedsValue stack[8];
    size_t n = 0;
    char word[40];
    int length;
    memset(stack, 0, sizeof stack);
    for (; sscanf(text, "%39s%n", word, &length) == 1; text += length) {
        SeedsValue *v = &stack[n];
        if (strchr("+-*<", word[0]) != NULL) {
            stack[n - 2] = seeds_binary(&stack[n - 2], &stack[n - 1], word[0]);
            n--;
        } else if (word[0] == '#') {
            memset(v, 0, sizeof *v);
            v->at[0] = strtod(word + 1, NULL);
            n++;
        } else if (strncmp(word, "zeros", 5) == 0) {
            memset(v, 0, sizeof *v);
            v->type = PYTREE_TYPE(float);
            v->ndim = 1;
            v->shape[0] = strtoul(word + 5, NULL, 10);
            n++;
        } else if (word[0] >= '0' && word[0] <= '9') {
            const pytree_leaf *leaf = &at->in[strtoul(word, NULL, 10)];
            memset(v, 0, sizeof *v);
            v->type = leaf->type;
            v->ndim = leaf->ndim;
            memcpy(v->shape, leaf->shape, sizeof v->shape);
            for (size_t i = 0; leaf->data != NULL && i < seeds_count(v); i++) { v->at[i] = pytree_leaf_get(leaf, i); }
            n++;
        } else {
            seeds_unary(&stack[n - 1], word);
        }
    }
    assert_int_equal(n, 1);
    return stack[0];
}

/* The value of a text is a leaf without data. */
static inline bool seeds_shape_leaf(Golden *g, void *context, const cJSON *json, pytree *t)
{
    pytree_leaf *leaf;
    if (!cJSON_IsString(json)) { return false; }
    leaf = golden_alloc(g, 1, sizeof *leaf);
    if (json->valuestring[0] == '\'') {
        leaf->type = &pytree_types[PYTREE__T_string];
    } else {
        const SeedsValue v = seeds_compute(json->valuestring, context);
        leaf->type = v.type;
        leaf->ndim = v.ndim;
        memcpy(leaf->shape, v.shape, sizeof v.shape);
    }
    *t = pytree_of_view(leaf);
    return true;
}

static inline pytree_status seeds_body_shape(void *context, const pytree_call *at)
{
    SeedsBody *body = context;
    const SeedsLeaves leaves = { seeds_shape_leaf, (void *)(uintptr_t)at };
    return pytree_result_like(at, seeds_tree_of(body->golden, body->json, &leaves));
}

static inline int seeds_by_key(const void *a, const void *b)
{
    const cJSON *x = *(const cJSON *const *)a, *y = *(const cJSON *const *)b;
    return strcmp(golden_string(x->child), golden_string(y->child));
}

/* Writes the leaves in order, those of a dict by its sorted keys. */
static inline void seeds_write(const cJSON *json, const pytree_call *at, SeedsValue *values, size_t *n)
{
    const cJSON *children, *child;
    if (cJSON_IsString(json)) {
        if (json->valuestring[0] == '\'') { *(const char **)at->out[*n].data = json->valuestring + 1; }
        else { values[*n] = seeds_compute(json->valuestring, at); }
        ++*n;
    } else if ((children = golden_get(json, "dict")) != NULL) {
        const cJSON *sorted[16];
        size_t count = 0;
        cJSON_ArrayForEach(child, children) { sorted[count++] = child; }
        qsort(sorted, count, sizeof *sorted, seeds_by_key);
        for (size_t i = 0; i < count; i++) { seeds_write(sorted[i]->child->next, at, values, n); }
    } else if (!cJSON_IsNull(json)) {
        const bool object = golden_get(json, "object") != NULL;
        children = object ? golden_at(json, "attrs") : golden_get(json, "list") != NULL ? golden_at(json, "list")
                   : golden_at(json, "tuple");
        cJSON_ArrayForEach(child, children) {
            if (!object) { seeds_write(child, at, values, n); }
            else if (strcmp(golden_string(child->child->next), "data") == 0) {
                seeds_write(child->child->next->next, at, values, n);
            }
        }
    }
}

static inline pytree_status seeds_body_call(void *context, const pytree_call *at)
{
    SeedsBody *body = context;
    SeedsValue *values = calloc(at->n_out + 1, sizeof *values);
    size_t n = 0;
    assert_non_null(values);
    seeds_write(body->json, at, values, &n);
    assert_int_equal(n, at->n_out);
    for (size_t k = 0; k < n; k++) {
        for (size_t i = 0; values[k].type != NULL && i < pytree_leaf_count(&at->out[k]); i++) {
            seeds_put(&at->out[k], i, values[k].at[i]);
        }
    }
    free(values);
    return PYTREE_OK;
}

/* A function that computes what the text says. Its memory is the case's but for the JSON: seeds_body_free. */
static inline pytree_fn seeds_body(Golden *g, const char *name, const char *text)
{
    SeedsBody *body = golden_alloc(g, 1, sizeof *body);
    body->golden = g;
    body->json = cJSON_Parse(text);
    if (body->json == NULL) { fail_msg("%s: no JSON: %s", g->id, text); }
    return (pytree_fn){ .name = name, .call = seeds_body_call, .shape = seeds_body_shape, .context = body };
}

static inline void seeds_body_free(const pytree_fn *f) { cJSON_Delete(((SeedsBody *)f->context)->json); }

/* ---- Answers ----------------------------------------------------------------------------------------------------------- */

/* Places that were reported, each followed by a semicolon. */
typedef struct SeedsPlaces {
    char at[1000];
    pytree_fn_options options;
} SeedsPlaces;

static inline void seeds_report(void *context, const pytree_error *problem)
{
    SeedsPlaces *places = context;
    strncat(places->at, problem->path, sizeof places->at - strlen(places->at) - 2);
    strcat(places->at, ";");
}

static inline const pytree_fn_options *seeds_options(SeedsPlaces *places)
{
    memset(places, 0, sizeof *places);
    places->options.report = seeds_report;
    places->options.report_context = places;
    return &places->options;
}

/* The result beside the recorded one: structure, element types, shapes, and values within 1e-6. */
static inline void seeds_check_tree(Golden *g, const char *check, const cJSON *expected, pytree got)
{
    const pytree_tolerance tolerance = { .relative = 1e-6, .absolute = 1e-7 };
    pytree_error error = { 0 };
    pytree wanted = seeds_tree(g, expected);
    (void)pytree_equal(got, wanted, &tolerance, NULL, &error);
    golden_check_ok(g, check, &error);
}

/* The places of the recorded facts. skip: so many bytes of each suffix are left out, so many facts are. */
static inline const char *seeds_places(Golden *g, size_t skip_bytes, size_t skip_facts)
{
    GoldenText to = { g, NULL, 0, 0 };
    const cJSON *facts = golden_get(g->json, "error.facts"), *fact;
    golden_puts(&to, "");
    cJSON_ArrayForEach(fact, facts) {
        const char *path = golden_word(fact, "suffix");
        if (skip_facts != 0) { skip_facts--; continue; }
        golden_puts(&to, path + (strlen(path) < skip_bytes ? strlen(path) : skip_bytes));
        golden_puts(&to, ";");
    }
    return to.at;
}

static inline size_t seeds_number(const Golden *g) { return strtoul(strrchr(g->id, '.') + 1, NULL, 10); }

/* The status of an error without places, and the places of one with them. */
static inline void seeds_check_error(Golden *g, pytree_status wanted, const pytree_error *error, const SeedsPlaces *places,
                                     size_t bytes, size_t facts)
{
    golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error->status));
    if (golden_get(g->json, "error.facts") != NULL) {
        golden_check_text(g, "places", seeds_places(g, bytes, facts), places->at);
    }
}

/* All records of a group, each given to `test`. So many of them must have no counterpart. */
static inline void seeds_run(const char *group, void (*test)(Golden *g), const GoldenDecision *decisions, size_t n_absent)
{
    char wanted[64], *text = golden_read("seeds/transforms"), *line = text, *end;
    size_t ran = 0, failed = 0, passed = 0, decided = 0, absent = 0;
    Golden g = { 0 };
    g.decisions = decisions;
    while (decisions != NULL && decisions[g.n_decisions].name != NULL) { g.n_decisions++; }
    g.needed = calloc(g.n_decisions + 1, sizeof *g.needed);
    assert_non_null(g.needed);
    snprintf(wanted, sizeof wanted, "\"group\": \"%s\"", group);
    for (; *line != '\0'; line = end + 1) {
        end = strchr(line, '\n');
        assert_non_null(end);
        *end = '\0';
        if (strstr(line, wanted) == NULL) { continue; }
        golden_case(&g, line, test);
        ran++;
        failed += g.failed;
        decided += !g.failed && g.decided;
        absent += !g.failed && !g.decided && g.absent;
        passed += !g.failed && !g.decided && !g.absent;
    }
    print_message("# seeds %s: %lu/%lu passed, %lu decided otherwise, %lu without a counterpart\n", group,
                  (unsigned long)passed, (unsigned long)ran, (unsigned long)decided, (unsigned long)absent);
    for (size_t i = 0; i < g.n_decisions; i++) {
        if (!g.needed[i]) { fail_msg("no case needs the decision '%s'", decisions[i].name); }
    }
    free(g.needed);
    free(text);
    assert_true(ran > 0);
    assert_int_equal(failed, 0);
    assert_int_equal(absent, n_absent);
}
