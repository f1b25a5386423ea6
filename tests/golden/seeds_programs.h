/* Programs of the records of golden/seeds/transforms.jsonl, as functions: what autoform recorded is recorded again. */
#include "seeds_traced.h"

enum { SEEDS_LEAVES = 24, SEEDS_VALUES = 64 };

/* ---- Leaves of recorded trees ------------------------------------------------------------------------------------------ */

static inline bool seeds_node_leaf(Golden *g, void *context, const cJSON *json, pytree *t)
{
    (void)g;
    (void)context;
    if (cJSON_IsNull(json) || (cJSON_IsObject(json) && golden_get(json, "var") == NULL)) { return false; }
    *t = (pytree){ PYTREE_TYPE(int64_t), (void *)(uintptr_t)json };        /* only its address is looked at */
    return true;
}

/* The leaves of a tree of variables and literals, in the order of leaves. Returns how many there are. */
static inline size_t seeds_nodes(Golden *g, const cJSON *json, const cJSON **to)
{
    const SeedsLeaves leaves = { seeds_node_leaf, NULL };
    pytree_leaf views[SEEDS_LEAVES];
    size_t n = 0;
    assert_int_equal(pytree_leaves(seeds_tree_of(g, json, &leaves), views, SEEDS_LEAVES, &n, NULL, NULL), PYTREE_OK);
    for (size_t k = 0; k < n; k++) { to[k] = views[k].data; }
    return n;
}

/* Does a call take and give what its program does? Then the program is that call. */
static inline bool seeds_same_nodes(Golden *g, const cJSON *a, const cJSON *b)
{
    const cJSON *x[SEEDS_LEAVES], *y[SEEDS_LEAVES];
    const size_t n = seeds_nodes(g, a, x);
    bool same = n == seeds_nodes(g, b, y);
    for (size_t k = 0; k < n && same; k++) { same = golden_same(x[k], y[k]); }
    return same;
}

static inline bool seeds_sample_leaf(Golden *g, void *context, const cJSON *json, pytree *t)
{
    const char *type;
    (void)context;
    if (golden_get(json, "var") == NULL) { return false; }
    type = golden_word(json, "aval");
    if (strcmp(type, "IntAVal()") == 0) { *t = golden_int_leaf(g, 1); }
    else if (strcmp(type, "FloatAVal()") == 0) { *t = golden_scalar(g, PYTREE_TYPE(double), &(double){ 1 }); }
    else if (strcmp(type, "BoolAVal()") == 0) { *t = golden_scalar(g, PYTREE_TYPE(bool), &(bool){ true }); }
    else { *t = golden_scalar(g, &pytree_types[PYTREE__T_string], &(const char *){ "x" }); }
    return true;
}

/* Arguments like those that a program was traced with, as a tuple. */
static inline pytree seeds_sample(Golden *g, const cJSON *program)
{
    const SeedsLeaves leaves = { seeds_sample_leaf, NULL };
    return seeds_tree_of(g, golden_at(program, "in"), &leaves);
}

/* ---- Functions --------------------------------------------------------------------------------------------------------- */

static pytree_def *seeds_kept_defs[SEEDS_LEAVES];              /* structures of elements, until seeds_end */
static size_t seeds_n_defs;

static inline void seeds_end(void)
{
    while (seeds_n_defs != 0) { pytree_def_free(seeds_kept_defs[--seeds_n_defs]); }
}

static inline const pytree_def *seeds_kept_def(pytree t)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, NULL, &error);
    assert_non_null(def);
    assert_in_range(seeds_n_defs, 0, SEEDS_LEAVES - 1);
    return seeds_kept_defs[seeds_n_defs++] = def;
}

typedef struct SeedsProgram {
    Golden *golden;
    const cJSON *json;
    pytree_traced_of of;
    pytree_value values[SEEDS_VALUES];    /* by variable, while the body runs */
    pytree_trace *tr;
} SeedsProgram;

static inline pytree_value seeds_operand(SeedsProgram *p, const cJSON *node)
{
    const cJSON *var = golden_get(node, "var");
    return var != NULL ? p->values[golden_int(var)] : seeds_constant(p->golden, p->tr, node);
}

static inline const cJSON *seeds_param(const cJSON *eqn, const char *name)
{
    const cJSON *pair;
    cJSON_ArrayForEach(pair, golden_at(eqn, "params")) {
        if (strcmp(golden_string(pair->child), name) == 0) { return pair->child->next; }
    }
    fail_msg("no parameter %s", name);
    return NULL;
}

/* The function that the record calls a custom one. */
static const pytree_fn *seeds_custom;

static inline bool seeds_result_leaf(Golden *g, void *context, const cJSON *json, pytree *t)
{
    if (cJSON_IsNull(json) || (cJSON_IsObject(json) && golden_get(json, "var") == NULL)) { return false; }
    *t = seeds_value_leaf(g, seeds_operand(context, json));
    return true;
}

static inline void seeds_record_custom(SeedsProgram *p, const cJSON *eqn, pytree_value *out, size_t n_out)
{
    const SeedsLeaves leaves = { seeds_result_leaf, p };
    const pytree_items *args = seeds_tree_of(p->golden, golden_at(eqn, "in"), &leaves).data;
    const pytree result = pytree_op_apply(p->tr, seeds_custom, args->count, args->items);
    for (size_t k = 0; k < n_out; k++) {
        out[k].id = 0;
        if (result.data != NULL) { out[k] = pytree_value_at(p->tr, result, k); }
    }
}

static inline void seeds_record_eqn(SeedsProgram *p, const cJSON *eqn)
{
    Golden *g = p->golden;
    const char *name = golden_word(eqn, "prim");
    const cJSON *in_nodes[SEEDS_LEAVES], *out_nodes[SEEDS_LEAVES], *key;
    const size_t n_in = seeds_nodes(g, golden_at(eqn, "in"), in_nodes);
    const size_t n_out = seeds_nodes(g, golden_at(eqn, "out"), out_nodes);
    pytree_value in[SEEDS_LEAVES], out[SEEDS_LEAVES];
    GoldenText names = { g, NULL, 0, 0 };
    SeedsFormat format = { 0 };
    SeedsCheckpoint checkpoint = { 0 };
    for (size_t k = 0; k < n_in; k++) { in[k] = seeds_operand(p, in_nodes[k]); }
    if (strcmp(name, "concat") == 0) {
        (void)pytree_record(p->tr, &seeds_concat, NULL, n_in, in, out);
    } else if (strcmp(name, "match") == 0) {
        (void)pytree_record(p->tr, &seeds_match, NULL, n_in, in, out);
    } else if (strcmp(name, "depends") == 0) {
        (void)pytree_record(p->tr, &seeds_depends, NULL, n_in, in, out);
    } else if (strcmp(name, "stop_gradient") == 0) {
        for (size_t k = 0; k < n_in; k++) { out[k] = pytree_record(p->tr, &seeds_stop, NULL, 1, &in[k], NULL); }
    } else if (strcmp(name, "format") == 0) {
        golden_puts(&names, "");
        cJSON_ArrayForEach(key, golden_at(seeds_param(eqn, "keys"), "tuple")) {
            golden_puts(&names, golden_string(key));
            golden_puts(&names, " ");
            format.n_named++;
        }
        format.text = golden_string(seeds_param(eqn, "template"));
        format.names = names.at;
        (void)pytree_record(p->tr, &seeds_format, &format, n_in, in, out);
    } else if (strncmp(name, "custom_call", 11) == 0) {
        seeds_record_custom(p, eqn, out, n_out);
    } else {
        assert_string_equal(name, "checkpoint");
        checkpoint.key = golden_string(seeds_param(eqn, "key"));
        checkpoint.collection = golden_string(seeds_param(eqn, "collection"));
        checkpoint.form = golden_at(eqn, "in");
        (void)pytree_record(p->tr, seeds_checkpoint_of(g, n_in), &checkpoint, n_in, in, out);
    }
    for (size_t k = 0; k < n_out; k++) { p->values[golden_int(golden_at(out_nodes[k], "var"))] = out[k]; }
}

static inline pytree_status seeds_program_body(void *context, pytree_trace *tr)
{
    SeedsProgram *p = context;
    const SeedsLeaves leaves = { seeds_result_leaf, p };
    const cJSON *nodes[SEEDS_LEAVES], *eqn;
    SeedsRecorded arguments;
    const size_t n = seeds_nodes(p->golden, golden_at(p->json, "in"), nodes);
    p->tr = tr;
    seeds_arguments(tr, &arguments);
    assert_int_equal(arguments.n, n);
    for (size_t k = 0; k < n; k++) {
        const cJSON *var = golden_get(nodes[k], "var");
        if (var != NULL) { p->values[golden_int(var)] = arguments.leaves[k]; }
    }
    cJSON_ArrayForEach(eqn, golden_at(p->json, "equations")) { seeds_record_eqn(p, eqn); }
    return pytree_return(tr, seeds_tree_of(p->golden, golden_at(p->json, "out"), &leaves));
}

static inline const pytree_fn *seeds_kept_fn(Golden *g, const char *name, const pytree_fn_kind *kind, const void *of,
                                             size_t size)
{
    pytree_fn *f = golden_alloc(g, 1, sizeof *f);
    f->name = name;
    f->kind = kind;
    f->context = memcpy(golden_alloc(g, 1, size), of, size);
    return f;
}

static inline const pytree_fn *seeds_program(Golden *g, const char *name, const cJSON *json);

static inline const pytree_fn *seeds_batch_of(Golden *g, const cJSON *eqn)
{
    const cJSON *inner = seeds_param(eqn, "ir"), *axes = seeds_param(eqn, "in_axes");
    pytree_batch_of of = { .f = seeds_program(g, "ir", inner), .like = seeds_kept_def(seeds_sample(g, inner)) };
    if (!cJSON_IsTrue(axes)) { of.in_axes = seeds_tree(g, axes); }
    return seeds_kept_fn(g, NULL, &pytree_batch_kind, &of, sizeof of);
}

static inline const pytree_fn *seeds_select_of(Golden *g, const cJSON *eqn)
{
    const cJSON *branches = golden_at(seeds_param(eqn, "branches"), "dict"), *pair;
    const pytree_fn **list = golden_alloc(g, (size_t)cJSON_GetArraySize(branches), sizeof *list);
    pytree_switch_of of = { .branches = list };
    cJSON_ArrayForEach(pair, branches) { list[of.n++] = seeds_program(g, golden_string(pair->child), pair->child->next); }
    return seeds_kept_fn(g, NULL, &pytree_select_kind, &of, sizeof of);
}

/* The transform that a call is; NULL: it is an operation. */
static inline const pytree_fn *seeds_transform(Golden *g, const cJSON *eqn)
{
    const char *name = golden_word(eqn, "prim");
    if (strcmp(name, "batch_call") == 0) { return seeds_batch_of(g, eqn); }
    if (strcmp(name, "switch") == 0) { return seeds_select_of(g, eqn); }
    if (strcmp(name, "pullback_call") == 0 || strcmp(name, "pushforward_call") == 0) {
        const pytree_derivative_of of = { seeds_program(g, "ir", seeds_param(eqn, "ir")) };
        return seeds_kept_fn(g, NULL, name[2] == 'l' ? &pytree_vjp_kind : &pytree_jvp_kind, &of, sizeof of);
    }
    if (strcmp(name, "while_loop") == 0) {
        const pytree_while_of of = { .cond = seeds_program(g, "cond", seeds_param(eqn, "cond_ir")),
                                     .body = seeds_program(g, "body", seeds_param(eqn, "body_ir")),
                                     .max_iters = (size_t)golden_int(seeds_param(eqn, "max_iters")) };
        return seeds_kept_fn(g, NULL, &pytree_while_kind, &of, sizeof of);
    }
    return NULL;
}

/* A recorded program as a function, which lives as long as the case. */
static inline const pytree_fn *seeds_program(Golden *g, const char *name, const cJSON *json)
{
    const cJSON *eqns = golden_at(json, "equations"), *eqn = eqns->child;
    const pytree_fn *f = NULL;
    SeedsProgram *p;
    seeds_memory = g;
    if (cJSON_GetArraySize(eqns) == 1 && seeds_same_nodes(g, golden_at(eqn, "in"), golden_at(json, "in"))
        && seeds_same_nodes(g, golden_at(eqn, "out"), golden_at(json, "out"))) {
        f = seeds_transform(g, eqn);
    }
    if (f != NULL) { return f; }
    p = golden_alloc(g, 1, sizeof *p);
    p->golden = g;
    p->json = json;
    p->of = (pytree_traced_of){ .body = seeds_program_body, .context = p, .name = name, .plus = &seeds_concat };
    f = seeds_kept_fn(g, name, &pytree_traced_kind, &p->of, sizeof p->of);
    return f;
}

/* The program of a call; {"ref": n} is that of an earlier one. */
static inline const cJSON *seeds_call_program(const Golden *g, const cJSON *call)
{
    const cJSON *program = golden_at(call, "program"), *ref = golden_get(program, "ref"), *other;
    if (ref == NULL) { return program; }
    cJSON_ArrayForEach(other, golden_at(g->json, "calls")) {
        const cJSON *id = golden_get(golden_at(other, "program"), "id");
        if (id != NULL && golden_int(id) == golden_int(ref)) { return golden_at(other, "program"); }
    }
    fail_msg("%s: no program %d", g->id, (int)golden_int(ref));
    return NULL;
}

/* The arguments of a call. */
static inline pytree_items *seeds_call_arguments(Golden *g, const cJSON *call)
{
    return seeds_sequence(g, &pytree_types[PYTREE__T_tuple], golden_at(call, "args"), NULL).data;
}

/* ---- Calls ------------------------------------------------------------------------------------------------------------- */

/* pytree_apply_new. What is zero in the result, NULL where it is a text, becomes an empty text. */
static inline pytree_flat seeds_apply(const pytree_fn *f, size_t n, const pytree *args, SeedsPlaces *places,
                                      pytree_error *error)
{
    static char empty[1] = "";
    pytree_flat out = pytree_apply_new(f, n, args, seeds_options(places), error);
    for (size_t k = 0; out.def != NULL && k < pytree_def_num_leaves(out.def); k++) {
        char **texts = out.leaves[k].data;
        for (size_t i = 0; out.leaves[k].type->dtype == PYTREE_STRING && i < pytree_leaf_count(&out.leaves[k]); i++) {
            if (texts[i] == NULL) { texts[i] = empty; }
        }
    }
    return out;
}

/* A program is called with other structures than it was traced with: what was prepared refuses them. */
static inline void seeds_check_refused(Golden *g, const pytree_fn *f, const cJSON *json, const pytree_items *args,
                                       pytree_status wanted)
{
    const pytree_items *sample = seeds_sample(g, json).data;
    pytree_error error = { 0 };
    SeedsPlaces places;
    pytree_flat out = seeds_apply(f, sample->count, sample->items, &places, &error);
    pytree_prepared *prepared = pytree_prepare(f, sample->count, sample->items, PYTREE(&out), NULL, &error);
    if (golden_check_ok(g, "prepare", &error)) {
        (void)pytree_run_on(prepared, args->count, args->items, PYTREE(&out), &error);
        golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error.status));
    }
    pytree_prepared_free(prepared);
    pytree_flat_free(&out);
}

/* A call of a record: its result, or its status where it failed. */
static inline void seeds_check_call(Golden *g, const cJSON *call, pytree_status wanted)
{
    const cJSON *json = seeds_call_program(g, call), *result = golden_get(call, "result");
    const pytree_fn *f = seeds_program(g, "ir", json);
    const pytree_items *args = seeds_call_arguments(g, call);
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out;
    if (result == NULL && f->kind == &pytree_traced_kind) {
        seeds_check_refused(g, f, json, args, wanted);
        return;
    }
    out = seeds_apply(f, args->count, args->items, &places, &error);
    if (result == NULL) {
        golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error.status));
    } else if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "out", result, PYTREE(&out));
    }
    pytree_flat_free(&out);
}

static inline void seeds_check_calls(Golden *g, pytree_status wanted)
{
    const cJSON *call;
    cJSON_ArrayForEach(call, golden_at(g->json, "calls")) { seeds_check_call(g, call, wanted); }
    seeds_end();
}

/* ---- For the programs that read the records ---------------------------------------------------------------------------- */

static inline const cJSON *seeds_output(Golden *g, const char *name) { return golden_at(golden_at(g->json, "outputs"), name); }

/* A traced body over texts. */
static inline pytree_fn seeds_text_body(Golden *g, const char *name, const char *text)
{
    return seeds_traced_by(g, name, text, &seeds_concat);
}

/* A call gives what is recorded; `expected` NULL: it fails with that status. */
static inline void seeds_check_one(Golden *g, const pytree_fn *f, size_t n, const pytree *args, const cJSON *expected,
                                   pytree_status wanted)
{
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = seeds_apply(f, n, args, &places, &error);
    if (expected == NULL) {
        golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error.status));
    } else if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "out", expected, PYTREE(&out));
    }
    pytree_flat_free(&out);
}

/* 001: element i of what the mask says is batched, by the subtrees at its leaves. */
static inline void seeds_check_index(Golden *g, pytree tree, pytree mask, const cJSON *expected)
{
    const pytree_def *def = seeds_kept_def(mask);
    pytree_leaf flags[4], subtrees[4], elements[4], children[4];
    pytree_flat element = { def, elements };
    pytree_error error = { 0 };
    const cJSON *one;
    size_t i = 0;
    assert_int_equal(pytree_leaves(mask, flags, 4, NULL, NULL, NULL), PYTREE_OK);
    assert_int_equal(pytree_flatten_up_to(def, tree, subtrees, 4, NULL, &error), PYTREE_OK);
    cJSON_ArrayForEach(one, expected) {
        for (size_t k = 0; k < pytree_def_num_leaves(def); k++) {
            elements[k] = subtrees[k];
            if (pytree_leaf_get(&flags[k], 0) == 0) { continue; }
            (void)pytree_children(pytree_of_view(&subtrees[k]), children, NULL, 4, NULL, NULL, &error);
            elements[k] = children[i];
        }
        if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "out", one, PYTREE(&element)); }
        i++;
    }
}

/* A static leaf of a record. */
typedef struct Flag {
    bool on;
} Flag;

#define PYTREE_STRUCT Flag
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, on)
#include "pytree_registry.h"
