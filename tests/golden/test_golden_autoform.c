/* autoform's programs over texts: golden/seeds/transforms.jsonl, group by group. Recorded programs are recorded again and
 * run; in records without one, bodies are written here. */
#include "seeds_programs.h"

#define NET(w1, b) "{\"dataclass\": \"Net\", \"fields\": [[\"w1\", " w1 "], [\"b\", " b "]]}"

static pytree net(Golden *g, const char *w1, const char *b)
{
    pytree_pair *pairs = golden_alloc(g, 2, sizeof *pairs);
    pytree_items *items = golden_alloc(g, 1, sizeof *items);
    pairs[0].key = "w1";
    pairs[0].value = golden_scalar(g, &pytree_types[PYTREE__T_string], &w1);
    pairs[1].key = "b";
    pairs[1].value = golden_scalar(g, &pytree_types[PYTREE__T_string], &b);
    items->count = 2;
    items->pairs = pairs;
    items->name = "Net";
    return (pytree){ &pytree_types[PYTREE__T_namedtuple], items };
}

/* The names of a program's operations beside a recorded list. */
static void check_steps(Golden *g, const char *check, const cJSON *expected, const pytree_program *p)
{
    cJSON *got = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(got, "list");
    for (size_t k = 0; p != NULL && k < p->n_eqns; k++) {
        cJSON_AddItemToArray(list, cJSON_CreateString(p->eqns[k].op->name));
    }
    golden_check_json(g, check, expected, got);
}

/* ---- trace ------------------------------------------------------------------------------------------------------------- */

/* 011: a program's calls are made one by one. */
static void check_walk(Golden *g)
{
    const pytree_fn f = seeds_text_body(g, "f", "\"0 '!' cat2 `[{}]`1\"");
    const pytree x = PYTREE_STR("k=1");
    const cJSON *step = golden_at(seeds_output(g, "steps"), "list")->child;
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(&f, 1, &x, NULL, &error);
    pytree_leaf *values = golden_alloc(g, SEEDS_VALUES, sizeof *values);
    if (golden_check_ok(g, "call", &error)) {
        for (size_t v = 1; v <= p->n_values; v++) { values[v] = *p->values[v]; }
        values[1].data = x.data;
        for (size_t k = 0; k < p->n_eqns && step != NULL; k++, step = step->next) {
            const pytree_eqn *e = &p->eqns[k];
            const pytree_leaf *in[4];
            pytree_leaf *out = &values[e->out[0].id];
            pytree_op_call call = { .in = in, .out = &out, .n_in = e->n_in, .n_out = 1, .params = e->params };
            for (size_t i = 0; i < e->n_in; i++) { in[i] = &values[e->in[i].id]; }
            out->data = golden_alloc(g, 1, out->type->size);
            assert_int_equal(e->op->run(&call, &error), PYTREE_OK);
            golden_check_text(g, "steps", golden_string(golden_at(step, "tuple")->child), e->op->name);
        }
        golden_check_bool(g, "steps", true, step == NULL);
        golden_check_text(g, "out", golden_string(seeds_output(g, "out")), seeds_text(&values[p->out[0].id]));
    }
    pytree_program_free(p);
    seeds_traced_free(&f);
}

/* Static leaves are static fields: values that a body decides by. */
static pytree_status flag_body(void *context, pytree_trace *tr)
{
    const pytree_value x = pytree_value_of(tr, tr->arg[1]);
    (void)context;
    if (!((const Flag *)tr->arg[0])->on) { return pytree_return(tr, PYTREE_V(x)); }
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &seeds_concat, NULL, 2,
                                                    (const pytree_value[2]){ seeds_constant_text(tr, "yes "), x }, NULL)));
}

typedef struct Half { char *w1, *b; } Half;

#define PYTREE_STRUCT Half
#define PYTREE_FIELDS PYTREE_FIELD(DATA, w1) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

static pytree_status half_body(void *context, pytree_trace *tr)
{
    const Half *s = tr->arg[0];
    const pytree_value both[2] = { pytree_value_of(tr, &s->w1), pytree_value_of(tr, tr->arg[1]) };
    const pytree_value result = strcmp(s->b, "go") == 0 ? pytree_record(tr, &seeds_concat, NULL, 2, both, NULL) : both[1];
    (void)context;
    return pytree_return(tr, PYTREE_V(result));
}

/* 007, 008: a program is called with the static values that it was traced with, and refuses others. */
static void check_static(Golden *g)
{
    const bool half = seeds_number(g) == 8;
    const pytree_fn *f = half ? PYTREE_TRACED(half_body) : PYTREE_TRACED(flag_body);
    Flag flags[3] = { { true }, { true }, { false } };
    Half halves[3];
    const char *words[3] = { "x", half ? "hi" : "it's", half ? "hi" : "relu" };
    const char *const texts[3][2] = { { "a", "go" }, { "k=1", "go" }, { "hello", "stop" } };
    pytree_error error = { 0 };
    SeedsPlaces places;
    pytree_program *p = NULL;
    seeds_memory = g;
    for (int k = 0; k < 3; k++) {
        halves[k] = (Half){ golden_copy(g, texts[k][0]), golden_copy(g, texts[k][1]) };
        const pytree args[2] = { half ? PYTREE(&halves[k]) : PYTREE(&flags[k]), PYTREE(&words[k]) };
        if (k == 0) { p = pytree_program_new(f, 2, args, NULL, &error); continue; }
        pytree_flat out = seeds_apply(PYTREE_PROGRAM(p), 2, args, &places, &error);
        if (k == 1 && golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "out", seeds_output(g, "out"), PYTREE(&out)); }
        pytree_flat_free(&out);
    }
    golden_check_text(g, "status", pytree_status_name(PYTREE_STRUCTURE), pytree_status_name(error.status));
    pytree_program_free(p);
}

/* 012: what is computed while tracing is C, and the body records what it gave. */
static pytree_status fold_body(void *context, pytree_trace *tr)
{
    char text[20];
    (void)context;
    snprintf(text, sizeof text, "%s%s", "hi", "-");
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &seeds_concat, NULL, 2,
                                                    (const pytree_value[2]){ seeds_constant_text(tr, text),
                                                                            pytree_value_of(tr, tr->arg[0]) }, NULL)));
}

static void check_fold(Golden *g)
{
    const pytree_fn *f = PYTREE_TRACED(fold_body);
    const pytree_items *args = seeds_call_arguments(g, golden_at(g->json, "calls")->child);
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(f, 1, args->items, NULL, &error);
    seeds_memory = g;
    golden_check_bool(g, "steps", true, p != NULL && p->n_eqns == 1);
    seeds_check_one(g, PYTREE_PROGRAM(p), 1, args->items, seeds_output(g, "out"), PYTREE_OK);
    pytree_program_free(p);
}

/* 004: a leaf that is neither a number nor a string. */
typedef struct Object { char nothing; } Object;

#define PYTREE_LEAF_TYPE Object
#include "pytree_registry.h"

static void check_untraceable(Golden *g)
{
    const pytree_fn f = seeds_text_body(g, "f", "\"0\"");
    Object object = { 0 };
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(&f, 2, (pytree[2]){ net(g, "x", "y"), PYTREE(&object) }, NULL, &error);
    golden_check_text(g, "status", pytree_status_name(PYTREE_TYPE), pytree_status_name(error.status));
    golden_check_text(g, "places", "[1]", error.path);
    pytree_program_free(p);
    seeds_traced_free(&f);
}

static void check_trace(Golden *g)
{
    const size_t number = seeds_number(g);
    const cJSON *steps = golden_get(g->json, "outputs.steps"), *call;
    pytree_error error = { 0 };
    if (number == 4) {
        check_untraceable(g);
    } else if (number == 7 || number == 8) {
        check_static(g);
    } else if (number == 11) {
        check_walk(g);
    } else if (number == 12) {
        check_fold(g);
    } else if (golden_get(g->json, "calls") == NULL) {
        golden_no_counterpart(g);
    } else {
        seeds_check_calls(g, number == 6 ? PYTREE_ARGUMENT : PYTREE_STRUCTURE);
        if (steps != NULL) {
            const pytree_items *args;
            pytree_program *p;
            call = golden_at(g->json, "calls")->child;
            args = seeds_call_arguments(g, call);
            p = pytree_program_new(seeds_program(g, "ir", seeds_call_program(g, call)), args->count, args->items, NULL, &error);
            check_steps(g, "steps", steps, p);
            pytree_program_free(p);
        }
    }
}

/* ---- batch ------------------------------------------------------------------------------------------------------------- */

/* 010, 011: axes that are no prefix. */
static void check_no_prefix(Golden *g, pytree element, const char *body)
{
    const pytree_fn f = seeds_text_body(g, "f", body);
    const pytree axes = seeds_tree(g, golden_at(g->json, "inputs.axes")), like = PYTREE_TUPLE(element);
    seeds_check_one(g, PYTREE_BATCH(&f, .like = seeds_kept_def(like), .in_axes = axes), 1, &element, NULL, PYTREE_STRUCTURE);
    seeds_end();
    seeds_traced_free(&f);
}

static void check_batch(Golden *g)
{
    const size_t number = seeds_number(g);
    switch (number) {
    case 10: check_no_prefix(g, net(g, "x", "y"), "\"0 1 `{} / {}`2\""); break;
    case 11: check_no_prefix(g, PYTREE_DICT({ "w1", PYTREE_STR("x") }), "\"0 '!' cat2\""); break;
    case 18: golden_no_counterpart(g); break;                  /* the text of a program is this library's */
    default: seeds_check_calls(g, number == 9 ? PYTREE_ARGUMENT : PYTREE_STRUCTURE);
    }
}

/* ---- helpers of batch -------------------------------------------------------------------------------------------------- */

static bool below_masks(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)value;
    return path->n == 2;
}

/* 004, 005: a container of structures becomes a structure of containers; what stands at the mask's leaves stays whole. */
static void check_turn(Golden *g)
{
    const pytree items = seeds_tree(g, golden_at(g->json, "inputs.items")), x = PYTREE_INT(0);
    const pytree outer = seeds_number(g) == 4 ? PYTREE_LIST(x, x, x) : PYTREE_TUPLE(x, x);
    const pytree_def *mask = seeds_kept_def(seeds_tree(g, golden_at(g->json, "inputs.mask")));
    pytree_error error = { 0 };
    pytree_flat out = pytree_transpose(seeds_kept_def(outer), mask, items, &(pytree_options){ .is_leaf = below_masks }, &error);
    if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "out", seeds_output(g, "out"), PYTREE(&out)); }
    pytree_flat_free(&out);
}

static void check_helper(Golden *g)
{
    const size_t number = seeds_number(g);
    const cJSON *inputs = golden_get(g->json, "inputs");
    const pytree_fn f = seeds_text_body(g, "f", "\"0 1 cat2\"");
    const pytree_items *both;
    switch (number) {
    case 1:
        seeds_check_index(g, seeds_tree(g, golden_at(inputs, "tree")), seeds_tree(g, golden_at(inputs, "mask")),
                    golden_at(seeds_output(g, "out"), "list"));
        break;
    case 3:                                                    /* a list and a tuple: what batch refuses */
        both = seeds_tree(g, golden_at(inputs, "t")).data;
        seeds_check_one(g, PYTREE_BATCH(&f), 2, both->items, NULL, PYTREE_STRUCTURE);
        break;
    case 4: case 5: check_turn(g); break;
    default: golden_no_counterpart(g);                         /* parts of autoform that are not called by users */
    }
    seeds_end();
    seeds_traced_free(&f);
}

/* ---- Derivatives ------------------------------------------------------------------------------------------------------- */

static void check_derivative(Golden *g)
{
    if (golden_get(g->json, "calls") == NULL) { golden_no_counterpart(g); return; }        /* the text of a program */
    seeds_check_calls(g, PYTREE_STRUCTURE);
}

/* 006, of a pushforward: autoform gives the tangent of a tangent the "!" that it leaves out of the tangent itself. */
static void check_forward(Golden *g)
{
    const pytree a = PYTREE_STR("a!"), b = PYTREE_STR("b"), c = PYTREE_STR("c"), d = PYTREE_STR("d");
    const cJSON *call = golden_at(g->json, "calls")->child;
    pytree_error error = { 0 };
    SeedsPlaces places;
    const pytree_items *args;
    pytree_flat out;
    check_derivative(g);
    if (seeds_number(g) != 6) { return; }
    args = seeds_call_arguments(g, call);
    out = seeds_apply(seeds_program(g, "ir", seeds_call_program(g, call)), args->count, args->items, &places, &error);
    (void)pytree_equal(PYTREE(&out), PYTREE_TUPLE(PYTREE_TUPLE(a, b), PYTREE_TUPLE(c, d)), NULL, NULL, &error);
    golden_check_ok(g, "documented", &error);
    pytree_flat_free(&out);
    seeds_end();
}

/* ---- while, switch ----------------------------------------------------------------------------------------------------- */

static const char *const while_bodies[] = {
    NULL, NET("\"1\"", "\"1 '+' cat2\""), NET("\"0\"", "\"1 '+' cat2\""), NET("\"0\"", "\"1 '+' cat2\""),
    "{\"tuple\": [\"0\", \"1\"]}", "\"0\"", "\"0\"", NULL, "{\"dict\": [[\"j\", \"0\"]]}"
};

/* Of a body that takes two arguments. */
static const pytree_type *const two_strings[] = { PYTREE_TYPE(char *), PYTREE_TYPE(char *), NULL };

static void check_while(Golden *g)
{
    static const char *const starts[] = { NULL, "go", "k=1", "hi", "x", "x" };
    const size_t number = seeds_number(g);
    const pytree text = PYTREE_STR("go"), dict = PYTREE_DICT({ "k", text });
    pytree_fn cond, body;
    pytree carry;
    if (number == 7) { golden_no_counterpart(g); return; }     /* C's types */
    if (number > 8) { seeds_check_calls(g, PYTREE_OK); return; }
    carry = number == 6 ? text : number == 8 ? dict : net(g, number == 3 ? "no" : "go", starts[number]);
    cond = seeds_text_body(g, "cond", "\"0 'go' match\"");
    body = seeds_text_body(g, "body", while_bodies[number]);
    if (number == 2) {                                         /* without a limit of 0, which is no loop at all */
        const cJSON *outs = golden_at(seeds_output(g, "outs"), "list");
        seeds_check_tree(g, "out", outs->child, carry);
        seeds_check_one(g, PYTREE_WHILE(&cond, &body, .max_iters = 1), 1, &carry, outs->child->next, PYTREE_OK);
        seeds_check_one(g, PYTREE_WHILE(&cond, &body, .max_iters = 2), 1, &carry, outs->child->next->next, PYTREE_OK);
    } else {
        if (number == 6) {
            ((pytree_traced_of *)body.context)->takes = two_strings;
        }
        seeds_check_one(g, PYTREE_WHILE(&cond, &body, .max_iters = 9), 1, &carry, golden_get(g->json, "outputs.out"),
                  number == 6 ? PYTREE_ARGUMENT : PYTREE_STRUCTURE);
    }
    seeds_traced_free(&cond);
    seeds_traced_free(&body);
}

static void check_switch(Golden *g)
{
    const size_t number = seeds_number(g);
    const pytree args[2] = { PYTREE_STR("main"), net(g, "it's", "hi") };
    pytree_fn one, two;
    if (number != 3 && number != 4) { seeds_check_calls(g, PYTREE_NOT_FOUND); return; }
    one = seeds_text_body(g, "main", number == 3 ? NET("\"0\"", "\"1\"") : "\"'a'\"");
    two = seeds_text_body(g, "outer", number == 3 ? "\"0\"" : "\"'a'\"");
    if (number == 4) {
        ((pytree_traced_of *)two.context)->takes = two_strings;
    }
    seeds_check_one(g, PYTREE_SELECT(&one, &two), 2, args, NULL, number == 3 ? PYTREE_STRUCTURE : PYTREE_ARGUMENT);
    seeds_traced_free(&one);
    seeds_traced_free(&two);
}

/* ---- Checkpoints ------------------------------------------------------------------------------------------------------- */

static void check_checkpoint(Golden *g)
{
    const size_t number = seeds_number(g);
    const cJSON *first, *got = golden_get(g->json, "outputs.got"), *literal;
    if (number == 5) { golden_no_counterpart(g); return; }     /* C's types */
    first = golden_at(g->json, "calls")->child;
    memset(&seeds_collector, 0, sizeof seeds_collector);
    if (got != NULL) {
        seeds_collector.collect = number == 2 ? "c d" : "c";
        seeds_check_calls(g, PYTREE_OK);
        seeds_check_tree(g, "got", got, seeds_collected(g));
        return;
    }
    seeds_collector.into = "c";                                /* values from outside in the place of computed ones */
    if (number == 6) {                                         /* what the first call gives, changed, into the second */
        seeds_check_call(g, first, PYTREE_OK);
        seeds_collector.inject = seeds_output(g, "values");
        seeds_check_call(g, first->next, PYTREE_OK);
    } else {
        cJSON_ArrayForEach(literal, golden_at(g->json, "literals")) {
            if (golden_get(literal, "value.dict") != NULL) { seeds_collector.inject = golden_at(literal, "value"); }
        }
        seeds_check_calls(g, PYTREE_OK);
    }
    memset(&seeds_collector, 0, sizeof seeds_collector);
}

/* ---- Dead code --------------------------------------------------------------------------------------------------------- */

/* A program without what is not used: its calls, and what it gives. */
static void check_pruned(Golden *g, const pytree_program *p, pytree used, const cJSON *steps, const pytree *arg,
                         const cJSON *expected)
{
    pytree_error error = { 0 };
    pytree_program *pruned = pytree_dce(p, used, &error);
    if (golden_check_ok(g, "dce", &error)) {
        if (steps != NULL) { check_steps(g, "steps", steps, pruned); }
        if (expected != NULL) { seeds_check_one(g, PYTREE_PROGRAM(pruned), 1, arg, expected, PYTREE_OK); }
    }
    pytree_program_free(pruned);
}

static const char *const dce_bodies[] = {
    NULL, NET("\"0 'dead' cat2 drop 0 'a' cat2\"", "\"1 'b' cat2\""), NET("\"0 'a' cat2\"", "\"1 'b' cat2\""),
    NET("\"0 'a' cat2\"", "\"1 'b' cat2\""), NET("\"0 'a' cat2\"", "\"1 'b' cat2\""), "\"0 'k' cat2 @k drop 0 'r' cat2\"",
    "{\"tuple\": [\"0 1 cat2\", \"0 1 cat2\", \"1 0 cat2\", \"0 'k' cat2\", \"0 'k' cat2\"]}"
};

/* How many calls are left, and the result; or the status, if something else than a tree of booleans says what is used. */
static void check_counted(Golden *g, const pytree_program *p, pytree used, const cJSON *count, pytree_status wanted)
{
    const cJSON *call = golden_get(g->json, "calls");
    pytree_error error = { 0 };
    pytree_program *pruned = pytree_dce(p, used, &error);
    if (count == NULL) {
        golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error.status));
    } else if (golden_check_ok(g, "dce", &error)) {
        const pytree_items *args = seeds_call_arguments(g, call->child);
        golden_check_count(g, "left", count, pruned->n_eqns);
        seeds_check_one(g, PYTREE_PROGRAM(pruned), args->count, args->items, seeds_output(g, "out"), PYTREE_OK);
    }
    pytree_program_free(pruned);
}

/* 008: calls that come before others; the program, its results, its pullback. */
static void check_order(Golden *g)
{
    const cJSON *call = golden_at(g->json, "calls")->child;
    const pytree_items *args = seeds_call_arguments(g, call);
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(seeds_program(g, "ir", seeds_call_program(g, call)), args->count, args->items, NULL,
                                           &error);
    if (golden_check_ok(g, "trace", &error)) { check_steps(g, "steps", seeds_output(g, "steps"), p); }
    pytree_program_free(p);
    seeds_check_calls(g, PYTREE_OK);
}

static void check_dce(Golden *g)
{
    const size_t number = seeds_number(g);
    const pytree texts[2] = { PYTREE_STR("x"), PYTREE_STR("y") }, yes = PYTREE_BOOL(true), no = PYTREE_BOOL(false);
    const pytree state = net(g, "x", "y"), two = PYTREE_TUPLE(yes, no), one = PYTREE_INT(1);
    const pytree some = PYTREE_NAMEDTUPLE("Net", { "w1", yes }, { "b", number == 4 ? one : no });
    pytree_error error = { 0 };
    pytree_program *p;
    const cJSON *count;
    pytree_fn f;
    if (number == 7) { golden_no_counterpart(g); return; }     /* nothing is scheduled */
    if (number == 8) { check_order(g); return; }
    f = seeds_text_body(g, "f", dce_bodies[number]);
    ((pytree_traced_of *)f.context)->memoize = number == 6;
    p = pytree_program_new(&f, number == 6 ? 2 : 1, number < 5 ? &state : texts, NULL, &error);
    count = golden_get(g->json, "outputs.count");
    if (golden_check_ok(g, "trace", &error)) {
        switch (number) {
        case 1:
            golden_check_count(g, "count", golden_at(count, "list")->child, p->n_eqns);
            check_counted(g, p, PYTREE_NONE, golden_at(count, "list")->child->next, PYTREE_OK);
            break;
        case 3: check_counted(g, p, two, NULL, PYTREE_STRUCTURE); break;
        case 4: check_counted(g, p, some, NULL, PYTREE_TYPE); break;
        case 5: check_pruned(g, p, PYTREE_NONE, seeds_output(g, "steps"), NULL, NULL); break;
        default: check_counted(g, p, number == 2 ? some : PYTREE_NONE, count, PYTREE_OK);
        }
    }
    pytree_program_free(p);
    seeds_traced_free(&f);
}

/* The program of a random record: the first of each three has it. */
static const cJSON *random_program(Golden *g, cJSON **record)
{
    char id[64], *text = golden_read("seeds/transforms"), *line, *end;
    snprintf(id, sizeof id, "\"id\": \"transforms.af_random.%03u\"", (unsigned)(seeds_number(g) - 2));
    line = strstr(text, id);
    assert_non_null(line);
    while (line > text && line[-1] != '\n') { line--; }
    end = strchr(line, '\n');
    *end = '\0';
    *record = cJSON_Parse(line);
    free(text);
    assert_non_null(*record);
    return golden_at(*record, "outputs.ir");
}

static void check_random_dce(Golden *g)
{
    const cJSON *steps = golden_at(seeds_output(g, "steps"), "list")->child;
    const pytree arg = seeds_tree(g, golden_at(g->json, "inputs.arg")), used = seeds_tree(g, golden_at(g->json, "inputs.used"));
    pytree_error error = { 0 };
    cJSON *record;
    const pytree_fn *f = seeds_program(g, "ir", random_program(g, &record));
    pytree_program *p = pytree_program_new(f, 1, &arg, NULL, &error);
    if (golden_check_ok(g, "trace", &error)) {
        check_steps(g, "steps", steps, p);
        check_pruned(g, p, PYTREE_NONE, steps->next, NULL, NULL);
        check_pruned(g, p, used, steps->next->next, &arg, seeds_output(g, "out"));
    }
    pytree_program_free(p);
    cJSON_Delete(record);
}

static void check_random(Golden *g)
{
    if (seeds_number(g) % 3 == 0) { check_random_dce(g); } else { seeds_check_calls(g, PYTREE_OK); }
}

/* ---- Groups ------------------------------------------------------------------------------------------------------------ */

static void traces(void **state)
{
    (void)state;
    seeds_run("af_trace", check_trace, NULL, 3);
}

static void batches(void **state)
{
    (void)state;
    seeds_run("af_batch", check_batch, NULL, 1);
    seeds_run("af_helper", check_helper, NULL, 2);
}

static void derivatives(void **state)
{
    static const GoldenDecision decisions[] = {
        { "the tangent of a tangent", NULL, "out", "transforms.af_pushforward.006", NULL,
          "values differ: expected 'c', got 'c!' at element 0 at '[1][0]'", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    seeds_run("af_pullback", check_derivative, NULL, 1);
    seeds_run("af_pushforward", check_forward, decisions, 0);
}

static void control(void **state)
{
    (void)state;
    seeds_run("af_while", check_while, NULL, 1);
    seeds_run("af_switch", check_switch, NULL, 0);
    seeds_run("af_checkpoint", check_checkpoint, NULL, 1);
}

static void dead_code(void **state)
{
    (void)state;
    seeds_run("af_dce", check_dce, NULL, 1);
    seeds_run("af_random", check_random, NULL, 0);
}

static void check_absent(Golden *g) { golden_no_counterpart(g); }

/* Replies of language models, and weights of random programs. */
static void absent(void **state)
{
    (void)state;
    seeds_run("af_schema", check_absent, NULL, 11);
    seeds_run("af_weight", check_absent, NULL, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(traces), cmocka_unit_test(batches), cmocka_unit_test(derivatives), cmocka_unit_test(control),
        cmocka_unit_test(dead_code), cmocka_unit_test(absent)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
