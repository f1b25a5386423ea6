/* What modules of Flax NNX record: golden/seeds/nnx.jsonl. Each record's module multiplies its input by a parameter and sows or
 * perturbs the product; it runs as an object and, where the record has one module, as a struct. */
#include "golden.h"
#include "nnx_objects.h"
#include "pytree/record.h"

static bool is_case(const Golden *g, const char *id) { return strcmp(strrchr(g->id, '.') + 1, id) == 0; }
static const cJSON *in(const Golden *g, const char *name)
{
    return golden_at(golden_at(g->json, "inputs"), name);
}
static const cJSON *out(const Golden *g, const char *name)
{
    return golden_at(golden_at(g->json, "outputs"), name);
}

/* ---- Modules --------------------------------------------------------------------------------------------------------- */

/* A module as a struct; the records' parameter is Z, what they sow bias and w, what they perturb bias. */
typedef struct Sower { int n; float *Z; pytree bias, w; } Sower;
#define PYTREE_STRUCT Sower
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, Z, ARRAY(self->n), ROLE(Param))                                                                  \
    PYTREE_FIELD(DATA, bias, ROLE(Intermediate))                                                                        \
    PYTREE_FIELD(DATA, w, ROLE(Intermediate))
#include "pytree_registry.h"

typedef struct Perturbed { int n; float *Z; pytree bias; } Perturbed;
#define PYTREE_STRUCT Perturbed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, Z, ARRAY(self->n), ROLE(Param))                                                                  \
    PYTREE_FIELD(DATA, bias, ROLE(Perturbation))
#include "pytree_registry.h"

enum { WIDEST = 4 };
typedef struct Vector { float at[WIDEST]; int n; } Vector;

/* Copy the numbers of a leaf. */
static Vector numbers_of(const pytree_leaf *leaf)
{
    Vector v = { { 0 }, (int)pytree_leaf_count(leaf) };
    int i;
    assert_in_range(v.n, 1, WIDEST);
    for (i = 0; i < v.n && i < WIDEST; i++) { v.at[i] = ((const float *)leaf->data)[i]; }
    return v;
}

static Vector vector_of(Golden *g, const cJSON *json)
{
    const pytree array = array_of(g, golden_at(json, "array"));
    return numbers_of(array.data);
}

/* The parameter of a module: its only place with the role Param. */
static pytree_leaf parameter(pytree module)
{
    pytree_flat state = pytree_state(module, PYTREE_OF(Param), NULL, NULL);
    const pytree_leaf leaf = state.leaves[0];
    assert_int_equal(state.def->n_leaves, 1);
    pytree_flat_free(&state);
    return leaf;
}

static float sum_of(const Vector *v)
{
    float sum = 0;
    for (int i = 0; i < v->n; i++) { sum += v->at[i]; }
    return sum;
}

/* ---- Rules ------------------------------------------------------------------------------------------------------------- */

typedef struct Rule { float first; bool greatest; } Rule;

static pytree first(void *context) { return PYTREE(&((Rule *)context)->first); }
static pytree_status reduce(void *context, pytree so_far, pytree value)
{
    float *sum = so_far.data;
    const float one = *(const float *)value.data;
    *sum = !((const Rule *)context)->greatest ? *sum + one : one > *sum ? one : *sum;
    return PYTREE_OK;
}
static pytree none(void *context)
{
    static int64_t count;
    (void)context;
    count = 0;
    return PYTREE(&count);
}
static pytree_status count(void *context, pytree so_far, pytree value)
{
    (void)context;
    *(int64_t *)so_far.data += *(const int64_t *)value.data;
    return PYTREE_OK;
}

/* How the modules of a record sow. */
typedef struct Sowing {
    const pytree_type *role;
    const char *name;
    enum { SOW_ALL, SOW_RULE, SOW_GREATEST_ELEMENT, SOW_SUM_AND_COUNT } how;
    Rule rule;
    bool only_captured, capturing;        /* capture_noop: in C the callback of pytree_capture tells the module */
} Sowing;

static Sowing sowing_of(Golden *g)
{
    const char *setup = golden_word(g->json, "setup"), *call = strstr(setup, "self.sow(");
    const char *rule = strstr(setup, "init_fn=lambda: ");
    Sowing s = { &pytree_role_Intermediate, golden_alloc(g, 32, 1), SOW_ALL, { 0, strstr(setup, "jnp.maximum") != NULL },
                 strstr(setup, "capture_noop=True") != NULL, false };
    const char *name = strchr(call, '\'') + 1;
    if (strstr(setup, "self.sow(Frozen") != NULL) { s.role = role_of(g, "Frozen"); }
    if (strstr(setup, "self.sow('intermediates'") != NULL) {
        s.role = pytree_role_of_collection("intermediates", NULL);
        name = strstr(call, ", '") + 3;
    }
    snprintf((char *)(uintptr_t)s.name, 32, "%.*s", (int)strcspn(name, "'"), name);
    if (rule != NULL) {
        s.how = strstr(setup, "v.max()") != NULL ? SOW_GREATEST_ELEMENT
            : strstr(setup, "'w', 1") != NULL ? SOW_SUM_AND_COUNT : SOW_RULE;
        s.rule.first = s.how == SOW_GREATEST_ELEMENT ? -INFINITY : strtof(rule + strlen("init_fn=lambda: "), NULL);
    }
    return s;
}

/* One call of a module: x becomes x * parameter, and is sown. */
static pytree_status call(const Sowing *s, pytree module, Vector *x, pytree_error *err)
{
    const pytree_leaf z = parameter(module);
    const pytree_sow_rule rule = { first, reduce, (void *)(uintptr_t)&s->rule }, counting = { none, count, NULL };
    float value;
    for (int i = 0; i < x->n; i++) { x->at[i] *= ((const float *)z.data)[i]; }
    if (s->only_captured && !s->capturing) { return PYTREE_OK; }
    if (s->how == SOW_ALL) { return pytree_sow(module, s->role, s->name, PYTREE_ARRAY(x->at, (size_t)x->n), NULL, err); }
    value = sum_of(x);
    for (int i = 0; s->how == SOW_GREATEST_ELEMENT && i < x->n; i++) { value = i == 0 || x->at[i] > value ? x->at[i] : value; }
    pytree_sow(module, s->role, s->name, PYTREE(&value), &rule, err);
    if (s->how == SOW_SUM_AND_COUNT) { pytree_sow(module, s->role, "w", PYTREE_INT(1), &counting, err); }
    return err == NULL ? PYTREE_OK : err->status;
}

static Vector shifted(Vector x, float by)
{
    for (int i = 0; i < x.n; i++) { x.at[i] += by; }
    return x;
}

static void check_state_of(NnxValues *v, const char *name, pytree module, pytree_filter filter)
{
    pytree_flat state = pytree_state(module, filter, NULL, &v->error);
    golden_check_ok(v->g, name, &v->error);
    nnx_check(v, name, out(v->g, name), PYTREE(&state));
    pytree_flat_free(&state);
}

static void check_popped(NnxValues *v, const char *name, pytree module)
{
    pytree taken = { NULL, NULL };
    pytree_pop(module, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &v->error);
    if (golden_check_ok(v->g, name, &v->error) && name[0] != '-') { nnx_check(v, name, out(v->g, name), taken); }
    pytree_container_free(taken);
}

/* ---- Sow, one module ----------------------------------------------------------------------------------------------------- */

static pytree_status called(void *context, pytree t, pytree_error *err)
{
    const void *const *with = context;
    Sowing s = *(const Sowing *)with[0];
    Vector x = *(const Vector *)with[1];
    s.capturing = true;
    return call(&s, t, &x, err);
}

static void structures(NnxValues *v, const Sowing *s, pytree m, Vector x)
{
    const cJSON *leaves = golden_at(out(v->g, "leaves"), "list")->child;
    pytree_def *before = NULL, *after;
    for (int i = 0; i < 3; i++) {
        Vector y = x;
        after = pytree_structure(m, NULL, &v->error);
        golden_check_count(v->g, "leaves", leaves, after->n_leaves);
        if (before != NULL) { golden_check_bool(v->g, "equal", false, pytree_def_equal(before, after)); }
        pytree_def_free(before);
        before = after;
        leaves = leaves->next;
        call(s, m, &y, &v->error);
    }
    pytree_def_free(before);
}

static void one_module(NnxValues *v, const Sowing *s, pytree m, bool is_struct)
{
    Golden *g = v->g;
    const Vector x = vector_of(g, in(g, "x"));
    const void *const with[2] = { s, &x };
    Vector y = x;
    pytree taken, nothing = { NULL, NULL };
    if (is_case(g, "001")) {
        call(s, m, &y, &v->error);
        golden_check_bool(g, "y", true, memcmp(y.at, vector_of(g, out(g, "y")).at, sizeof y.at) == 0);
        y = shifted(x, 1);
        call(s, m, &y, &v->error);
        check_state_of(v, "two", m, PYTREE_OF(Intermediate));
    } else if (is_case(g, "002")) {
        for (int i = 0; i < 2; i++) { y = x; call(s, m, &y, &v->error); }
        check_popped(v, "p1", m);
        y = shifted(x, 2);
        call(s, m, &y, &v->error);
        check_popped(v, "p2", m);
        check_state_of(v, "left", m, PYTREE_EVERYTHING);
    } else if (is_case(g, "003")) {
        structures(v, s, m, x);
    } else if (is_case(g, "004")) {
        for (int i = 0; i < 3; i++) { y = shifted(x, i == 2 ? -3 : (float)i); call(s, m, &y, &v->error); }
        check_state_of(v, "state", m, PYTREE_OF(Intermediate));
    } else if (is_case(g, "005")) {
        for (int i = 0; i < 4; i++) { y = shifted(x, (float)i); call(s, m, &y, &v->error); }
        check_popped(v, "state", m);
    } else if (is_case(g, "008")) {
        call(s, m, &y, &v->error);
        check_state_of(v, "state", m, PYTREE_OF(Intermediate));
    } else if (is_case(g, "009") && !is_struct) {
        const pytree_filter frozen = { .kind = PYTREE_FILTER_ROLE, .type = s->role };
        call(s, m, &y, &v->error);
        check_state_of(v, "s1", m, frozen);
        check_state_of(v, "s2", m, PYTREE_OF(Intermediate));
    } else if (is_case(g, "012")) {
        pytree_capture(m, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, called, (void *)(uintptr_t)with, &taken, NULL,
                       &v->error);
        golden_check_ok(g, "capture", &v->error);
        nnx_check(v, "captured", out(g, "captured"), taken);
        check_state_of(v, "left", m, PYTREE_EVERYTHING);
        pytree_container_free(taken);
    } else if (is_case(g, "013")) {
        call(s, m, &y, &v->error);
        check_state_of(v, "state", m, PYTREE_EVERYTHING);
        pytree_capture(m, PYTREE_FILTERS(PYTREE_OF(Intermediate)), nothing, called, (void *)(uintptr_t)with, &taken, NULL,
                       &v->error);
        golden_check_bool(g, "captured", true, pytree_num_leaves(taken, NULL, &v->error) == 1);
        pytree_container_free(taken);
        check_state_of(v, "state", m, PYTREE_EVERYTHING);
    } else if (is_case(g, "014")) {
        golden_check_bool(g, "said", cJSON_IsTrue(out(g, "said")) != 0, call(s, m, &y, &v->error) == PYTREE_OK);
    }
    golden_check_ok(g, "calls", &v->error);
    check_popped(v, "-", m);
}

/* ---- Sow, several modules ------------------------------------------------------------------------------------------------ */

/* The elements of the only attribute of a module, a List. */
static pytree list_in(pytree m)
{
    pytree_attribute at;
    assert_int_equal(pytree_object_attribute(m, 0, &at, NULL), PYTREE_OK);
    return at.value;
}

/* Random modules: "for i in [1, 0, 1]" in the setup, "for i in range(2)" twice in the run. */
static void random_modules(NnxValues *v, const Sowing *s, pytree m)
{
    Golden *g = v->g;
    const char *order = strstr(golden_word(g->json, "setup"), "for i in [") + strlen("for i in ["), *at;
    const char *run = strstr(golden_word(g->json, "run"), "range(") + strlen("range(");
    const Vector x = vector_of(g, in(g, "x"));
    Vector y = x;
    for (int pass = 0; pass < 2; pass++) {
        const int times = atoi(run);
        for (int i = 0; i < times; i++) {
            y = shifted(x, pass == 0 ? (float)i : -(float)i);
            for (at = order; *at != ']'; at++) {
                if (*at >= '0' && *at <= '9') { call(s, pytree_list_get(list_in(m), *at - '0', &v->error), &y, &v->error); }
            }
        }
        check_popped(v, pass == 0 ? "p1" : "p2", m);
        run = pass == 0 ? strstr(run, "range(") + strlen("range(") : run;
    }
    check_state_of(v, "left", m, PYTREE_OF(Intermediate));
}

static void several_modules(NnxValues *v, const Sowing *s, pytree m)
{
    Golden *g = v->g;
    Vector x = vector_of(g, in(g, "x"));
    pytree taken;
    if (is_case(g, "010")) {
        for (int i = 0; i < 2; i++) { call(s, pytree_list_get(list_in(m), i, &v->error), &x, &v->error); }
        pytree_pop(m, PYTREE_FILTERS(PYTREE_OF(Intermediate)), &taken, NULL, &v->error);
        golden_check_bool(g, "taken", true, pytree_num_leaves(taken, NULL, &v->error) == 4 / 2);
        pytree_container_free(taken);
        check_state_of(v, "left", m, PYTREE_OF(Intermediate));
    } else if (is_case(g, "011")) {
        call(s, pytree_object_get(m, "w", &v->error), &x, &v->error);
        call(s, pytree_object_get(m, "w2", &v->error), &x, &v->error);
        check_popped(v, "state", m);
    } else {
        random_modules(v, s, m);
    }
    golden_check_ok(g, "calls", &v->error);
}

static void sow_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    const Sowing s = sowing_of(g);
    const bool several = cJSON_GetArraySize(golden_at(g->json, "classes")) > 1 && !is_case(g, "009");
    pytree m = nnx_value(&v, in(g, "m"));
    if (is_case(g, "006") || is_case(g, "007")) {              /* the name is something else */
        Vector x = vector_of(g, in(g, "x"));
        const pytree_leaf z = parameter(m);
        assert_int_equal(z.ndim, 1);
        pytree_sow(m, s.role, s.name, PYTREE_ARRAY(x.at, 2), NULL, &v.error);
        golden_check_bool(g, "refused", true, v.error.status == PYTREE_TYPE);
    } else if (several) {
        several_modules(&v, &s, m);
    } else {
        const pytree_leaf leaf = parameter(m);
        Vector z = numbers_of(&leaf);
        Sower sower = { z.n, z.at, PYTREE_NONE, PYTREE_NONE };
        one_module(&v, &s, m, false);
        if (!is_case(g, "003")) { one_module(&v, &s, PYTREE(&sower), true); }
    }
    nnx_end(&v);
}

/* ---- Perturb ------------------------------------------------------------------------------------------------------------- */

static float perturbed(pytree m, Vector *x, pytree_error *err)
{
    const pytree_leaf z = parameter(m);
    pytree_leaf h = { .data = x->at, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { (size_t)x->n } };
    float sum = 0;
    for (int i = 0; i < x->n; i++) { x->at[i] *= ((const float *)z.data)[i]; }
    pytree_perturb(m, "bias", &h, err);
    for (int i = 0; i < x->n; i++) { sum += x->at[i] * x->at[i]; }
    return sum;
}

static pytree_status run_perturbed(void *context, pytree t, pytree_error *err)
{
    Vector x = *(const Vector *)context;
    (void)perturbed(t, &x, err);
    return PYTREE_OK;
}

/* By hand: the gradients of sum((x * Z + bias)^2). */
static void check_gradients(NnxValues *v, pytree m, Vector x, const char *of_z, const char *of_bias)
{
    pytree grads = pytree_zeros_like(m, NULL, &v->error);
    Vector h = x;
    pytree_flat state;
    float *dz = parameter(grads).data, *dh;
    (void)perturbed(m, &h, &v->error);
    state = pytree_state(grads, PYTREE_OF(Perturbation), NULL, &v->error);
    dh = state.leaves[0].data;
    for (int i = 0; i < x.n; i++) {
        dh[i] = 2 * h.at[i];
        dz[i] = dh[i] * x.at[i];
    }
    nnx_check(v, of_bias, out(v->g, of_bias), PYTREE(&state));
    pytree_flat_free(&state);
    check_state_of(v, of_z, grads, PYTREE_OF(Param));
    pytree_free(grads);
}

static void perturb_module(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    const Vector x = vector_of(g, in(g, "x"));
    Vector h = x;
    float y = perturbed(m, &h, &v->error);
    pytree_flat state = pytree_state(m, PYTREE_OF(Perturbation), NULL, &v->error);
    pytree taken, nothing = { NULL, NULL };
    if (is_case(g, "001")) {
        nnx_check(v, "y", out(g, "y"), PYTREE_SCALAR(&y));
        nnx_check(v, "state", out(g, "state"), PYTREE(&state));
    } else if (is_case(g, "002")) {
        memcpy(state.leaves[0].data, vector_of(g, out(g, "stored")).at, 3 * sizeof(float));
        h = x;
        y = perturbed(m, &h, &v->error);
        nnx_check(v, "y", out(g, "y"), PYTREE_SCALAR(&y));
    } else if (is_case(g, "003")) {
        nnx_check(v, "value", out(g, "value"), PYTREE_SCALAR(&y));
        check_gradients(v, m, x, "gp", "gq");
    } else if (is_case(g, "006")) {
        check_popped(v, "-", m);
        pytree_capture(m, PYTREE_FILTERS(PYTREE_OF(Perturbation)), nothing, run_perturbed, &h, &taken, NULL, &v->error);
        h = x;
        nnx_check(v, "perturbations", out(g, "perturbations"), taken);
        pytree_container_free(taken);
        (void)perturbed(m, &h, &v->error);
        check_gradients(v, m, x, "grads", "perturb_grads");
        check_popped(v, "-", m);
        check_state_of(v, "left", m, PYTREE_EVERYTHING);
    } else {                              /* another shape the second time: in place there is no room for it */
        float one = 0.25f;
        const pytree_leaf scalar = { .data = &one, .type = PYTREE_TYPE(float) };
        golden_check_bool(g, "shape", true, pytree_perturb(m, "bias", &scalar, NULL) == PYTREE_SHAPE);
        golden_check_count(g, "stored", cJSON_GetArrayItem(golden_at(out(g, "shape"), "tuple"), 0), state.leaves[0].shape[0]);
    }
    golden_check_ok(g, "calls", &v->error);
    pytree_flat_free(&state);
    check_popped(v, "-", m);
}

static void perturb_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m"));
    if (is_case(g, "004")) {
        Vector x = vector_of(g, in(g, "x"));
        const pytree_leaf h = { .data = x.at, .type = PYTREE_TYPE(float), .ndim = 1, .shape = { (size_t)x.n } };
        golden_check_bool(g, "refused", true, pytree_perturb(m, "Z", &h, &v.error) == PYTREE_TYPE);
    } else if (is_case(g, "005")) {
        const pytree x = array_of(g, golden_at(in(g, "x"), "array"));
        pytree_perturb(m, "bias", x.data, &v.error);
        nnx_check(&v, "m", out(g, "m"), m);
    } else {
        const pytree_leaf leaf = parameter(m);
        Vector z = numbers_of(&leaf);
        Perturbed module = { z.n, z.at, PYTREE_NONE };
        perturb_module(&v, m);
        perturb_module(&v, PYTREE(&module));
    }
    nnx_end(&v);
}

/* ---- Pop --------------------------------------------------------------------------------------------------------- */

static void pop_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m")), taken[2] = { { NULL, NULL }, { NULL, NULL } };
    const char *run = golden_word(g->json, "run");
    const pytree_filter filters[2] = {
        strstr(run, "nnx.Cache") != NULL ? PYTREE_OF(Cache) : strstr(run, "PathContains") != NULL ? PYTREE_PATH_HAS("Z")
            : strstr(run, "nnx.Param") != NULL ? PYTREE_OF(Param) : PYTREE_OF(Intermediate), PYTREE_OF(Intermediate)
    };
    const size_t n = is_case(g, "003") ? 0 : is_case(g, "002") ? 2 : 1;
    if (is_case(g, "006")) { golden_check_count(g, "before", out(g, "before"), pytree_num_leaves(m, NULL, &v.error)); }
    pytree_pop(m, n, filters, taken, NULL, &v.error);
    if (n == 0) {
        golden_check_bool(g, "error", true, v.error.status == PYTREE_FILTER);
    } else if (golden_check_ok(g, "pop", &v.error)) {
        if (n == 2) { nnx_check(&v, "p1", out(g, "p1"), taken[0]); nnx_check(&v, "p2", out(g, "p2"), taken[1]); }
        else if (is_case(g, "006")) { golden_check_count(g, "after", out(g, "after"), pytree_num_leaves(m, NULL, &v.error)); }
        else { nnx_check(&v, "popped", out(g, "popped"), taken[0]); }
        if (!is_case(g, "006")) { check_state_of(&v, "left", m, PYTREE_EVERYTHING); }
    }
    pytree_container_free(taken[0]);
    pytree_container_free(taken[1]);
    nnx_end(&v);
}

/* ---- Update ------------------------------------------------------------------------------------------------------- */

static pytree_status twice(void *context, const pytree_iter *at)
{
    (void)context;
    for (size_t i = 0; i < pytree_leaf_count(at->leaf[0]); i++) { ((float *)at->leaf[0]->data)[i] *= 2; }
    return PYTREE_OK;
}

static void update_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    pytree m = nnx_value(&v, in(g, "m")), states[2] = { PYTREE_NONE, PYTREE_NONE }, doubled = { NULL, NULL };
    const cJSON *inputs = golden_at(g->json, "inputs");
    pytree_flat all = { NULL, NULL };
    size_t n = 1;
    if (golden_get(inputs, "new") != NULL) {
        states[0] = nnx_value(&v, in(g, "new"));
    } else if (golden_get(inputs, "one") != NULL) {
        states[0] = nnx_value(&v, in(g, "one"));
        states[1] = nnx_value(&v, in(g, "two"));
        n = 2;
    } else {
        all = pytree_state(m, PYTREE_EVERYTHING, NULL, &v.error);
        doubled = pytree_clone(PYTREE(&all), NULL, &v.error);
        pytree_map(twice, NULL, NULL, 1, &doubled, NULL, &v.error);
        states[0] = doubled;
    }
    (void)pytree_object_update(m, n, states, NULL, &v.error);
    if (golden_get(g->json, "error") != NULL) {
        const pytree_status wanted = is_case(g, "006") ? PYTREE_STRUCTURE : is_case(g, "007") ? PYTREE_STATIC : PYTREE_ARGUMENT;
        golden_check_text(g, "error", pytree_status_name(wanted), pytree_status_name(v.error.status));
        memset(&v.error, 0, sizeof v.error);
        nnx_check(&v, "unchanged", in(g, "m"), m);
    } else if (golden_check_ok(g, "update", &v.error)) {
        nnx_check(&v, "m", out(g, "m"), m);
    }
    pytree_flat_free(&all);
    pytree_free(doubled);
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
GROUP(sow, 18, 0)
GROUP(perturb, 7, 0)
GROUP(pop, 7, 0)
GROUP(update, 15, 0)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sow_cases), cmocka_unit_test(perturb_cases), cmocka_unit_test(pop_cases),
        cmocka_unit_test(update_cases)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
