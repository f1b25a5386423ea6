/* autoform's operations on texts, functions with rules, examples of its documentation: golden/seeds/transforms.jsonl. */
#include "seeds_programs.h"
#include "pytree/literal.h"

/* ---- Texts ------------------------------------------------------------------------------------------------------------- */

/* A tree in Python's notation; freed with pytree_free. */
static pytree parsed(const char *text)
{
    pytree_error error = { 0 };
    const pytree t = pytree_parse(text, NULL, &error);
    assert_int_equal(error.status, PYTREE_OK);
    return t;
}

/* A function that a text says, called with a tuple of arguments. */
static void check_body(Golden *g, const char *body, const char *args, const cJSON *expected, pytree_status wanted)
{
    const pytree_fn f = seeds_text_body(g, "f", body);
    const pytree all = parsed(args);
    const pytree_items *items = all.data;
    seeds_check_one(g, &f, items->count, items->items, expected, wanted);
    pytree_free(all);
    seeds_traced_free(&f);
}

static void check_string(Golden *g)
{
    static const char *const bodies[][4] = {
        { "\"0 1 `{}, {}!`2\"", "\"0 1 `{1} {0}`2\"", "\"0 1 `{n} {}`1:n\"", "\"0 `{{}} {:>5}|`1\"" },
        { "\"cat0\"", "\"0 cat1\"", "\"0 1 2 cat3\"" }, { "\"0 1 match\"", "\"0 1 match\"", "\"0 1 match\"" }
    };
    static const char *const args[][4] = {
        { "(\"it's\", 74)", "('relu', 'mean')", "(\"it's\", -4.0)", "(70,)" },
        { "()", "('hello',)", "('relu', 'hello', '')" }, { "('mean', 'zzz')", "('u', 'u')", "('', '')" }
    };
    const size_t number = seeds_number(g), row = number / 4;   /* 1, 4, 8 */
    const cJSON *outs = golden_get(g->json, "outputs.outs.list");
    for (int k = 0; outs != NULL && k < cJSON_GetArraySize(outs); k++) {
        check_body(g, bodies[row][k], args[row][k], cJSON_GetArrayItem(outs, k), PYTREE_OK);
    }
    switch (number) {
    case 2: check_body(g, "\"0 `{} {}`1\"", "('mean',)", NULL, PYTREE_NOT_FOUND); break;
    case 3: check_body(g, "\"0 `{n}`1\"", "('k=1',)", NULL, PYTREE_NOT_FOUND); break;
    case 5: case 6: check_body(g, "\"0 1 cat2\"", "(\"it's\", 97)", NULL, PYTREE_TYPE); break;
    case 7: case 9: seeds_check_calls(g, PYTREE_OK); break;
    default: assert_non_null(outs);
    }
}

/* ---- Functions with rules of their own --------------------------------------------------------------------------------- */

/* The context is a template of texts in at->in; in a batch rule, of those of each element. */
static pytree_status template_call(void *context, const pytree_call *at)
{
    const SeedsFormat format = { context, "", 0 };
    const size_t n = at->mapped == NULL ? 1 : at->size;
    for (size_t i = 0; i < n; i++) {
        pytree_leaf views[8];
        const pytree_leaf *in[8];
        GoldenText to = { seeds_memory, NULL, 0, 0 };
        const pytree_op_call call = { .in = in, .n_in = at->n_in, .params = &format };
        assert_in_range(at->n_in, 0, 8);
        for (size_t k = 0; k < at->n_in; k++) {
            views[k] = at->in[k];
            if (at->mapped != NULL && at->mapped[k]) { views[k].data = (char **)views[k].data + i; }
            in[k] = &views[k];
        }
        golden_puts(&to, "");
        if (seeds_formatted(&call, &to, at->err) != PYTREE_OK) { return at->err->status; }
        ((char **)at->out[0].data)[i] = to.at;
    }
    for (size_t k = 1; k < at->n_out; k++) { *(const char **)at->out[k].data = ""; }
    return PYTREE_OK;
}

static pytree_status one_text(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_STR(""));
}

/* Cotangents: a tuple of the first argument's structure. */
static pytree_status one_argument(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0]));
}

/* As many texts as the first argument has. */
static pytree_fn template_fn(const char *template, pytree_call_fn *shape)
{
    return (pytree_fn){ .name = "c", .call = template_call, .shape = shape, .context = (void *)(uintptr_t)template };
}

static pytree_status pair_of_first(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], at->args[0]));
}

/* Texts in a list as an array, for vmap; the result as a list again. */
static void check_mapped(Golden *g, const pytree_fn *f, const cJSON *texts, const cJSON *expected, pytree_status wanted)
{
    const char *rows[8];
    const cJSON *text;
    pytree_error error = { 0 };
    SeedsPlaces places;
    pytree_flat out;
    size_t n = 0;
    pytree array;
    cJSON_ArrayForEach(text, texts) { rows[n++] = golden_string(text); }
    array = PYTREE_ARRAY(rows, n);
    out = seeds_apply(PYTREE_VMAP(f), 1, &array, &places, &error);
    if (expected == NULL) {
        golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error.status));
    } else if (golden_check_ok(g, "call", &error)) {
        cJSON *got = cJSON_CreateObject();
        cJSON_AddItemToObject(got, "list", cJSON_CreateStringArray(out.leaves[0].data, (int)n));
        golden_check_json(g, "out", expected, got);
    }
    pytree_flat_free(&out);
}

static void check_custom(Golden *g)
{
    const cJSON *first = golden_at(g->json, "calls")->child, *args = golden_at(first, "args")->child;
    const pytree_fn body = seeds_text_body(g, "c", "\"0 1 `[{}|{}]`2\""), rule = template_fn("{3}@{2}", one_argument);
    const pytree_fn batch = template_fn("{0}/3", pytree_result_first), wrong = template_fn("{0}", one_text);
    pytree_fn concat = template_fn("{}{}", one_text), mark = template_fn("{}!", pytree_result_first);
    concat.vjp = &rule;
    mark.batch = &batch;
    switch (seeds_number(g)) {
    case 1:
        seeds_custom = &body;
        seeds_check_calls(g, PYTREE_OK);
        break;
    case 2:
        seeds_custom = &concat;
        seeds_check_calls(g, PYTREE_OK);
        break;
    case 3: check_mapped(g, &mark, golden_at(args, "list"), seeds_output(g, "out"), PYTREE_OK); break;
    default:                                                   /* a batch rule that gives something else */
        mark.shape = pair_of_first;
        mark.batch = &wrong;
        check_mapped(g, &mark, golden_at(args, "list"), NULL, PYTREE_STRUCTURE);
    }
    seeds_traced_free(&body);
}

/* ---- Examples in the documentation ------------------------------------------------------------------------------------- */

static const char *printed(Golden *g, int step)
{
    const char *text = golden_word(cJSON_GetArrayItem(golden_at(g->json, "steps"), step), "printed");
    if (strcmp(text, "(True, '[y!]')") == 0) { return "'[y!]'"; }       /* 008: whether that was all, and the result */
    return strcmp(text, "Zero(StrAVal())") == 0 ? "''" : text;
}

/* A part of a result, "1.0", in Python's notation, beside what was printed. `bare`: without quotes. */
static void check_printed(Golden *g, pytree t, const char *part, int step, bool bare)
{
    pytree_error error = { 0 };
    char text[200], *from = text;
    for (; *part != '\0'; part += part[1] == '.' ? 2 : 1) {
        pytree_leaf children[8];
        assert_int_equal(pytree_children(t, children, NULL, 8, NULL, NULL, &error), PYTREE_OK);
        t = pytree_of_view(memcpy(golden_alloc(g, 1, sizeof *children), &children[*part - '0'], sizeof *children));
    }
    assert_in_range(pytree_literal_text(t, text, sizeof text, NULL, &error), 1, sizeof text - 1);
    if (bare) {
        from++;
        text[strlen(text) - 1] = '\0';
    }
    golden_check_text(g, "printed", printed(g, step), from);
}

typedef struct Example {
    size_t number;
    char how;                             /* c: call, p: printed without quotes, v: vjp, j: jvp, b: batch, a: of argument 1 */
    const char *body, *args, *part;
    int step;
} Example;

static const Example examples[] = {
    { 1, 'p', "'Hello, ' 'world' '!' cat3", "()", "", 2 }, { 2, 'c', "0 `Hello, {}!`1", "('World',)", "", 1 },
    { 2, 'c', "0 `Hello, {name}!`0:name", "('World',)", "", 2 },
    { 2, 'c', "0 1 `{0}, {name}!`1:name", "('Hi', 'World')", "", 3 },
    { 3, 'c', "0 1 match", "('yes', 'yes')", "", 1 }, { 3, 'c', "0 1 match", "('yes', 'no')", "", 2 },
    { 7, 'c', "0 `[{}]`1", "('y',)", "", 3 }, { 15, 'v', "0 1 cat2", "(('Hello', ' World'), 'feedback')", "0", 5 },
    { 15, 'v', "0 1 cat2", "(('Hello', ' World'), 'feedback')", "1", 6 },
    { 16, 'j', "0 1 cat2", "(('Hello', ' World'), ('dx', 'dy'))", "0", 5 },
    { 16, 'j', "0 1 cat2", "(('Hello', ' World'), ('dx', 'dy'))", "1", 6 },
    { 17, 'a', "0 1 cat2", "('Hello, ', ['x0', 'x1', 'x2'])", "", 4 },
    { 18, 'v', "0 stop 1 cat2", "(('a', 'b'), 'grad')", "1.0", 5 },
    { 18, 'v', "0 stop 1 cat2", "(('a', 'b'), 'grad')", "1.1", 6 },
    { 32, 'c', "0 `[{}]`1", "('hello',)", "", 2 }, { 32, 'j', "0 `[{}]`1", "(('hello',), ('change',))", "", 4 },
    { 32, 'v', "0 `[{}]`1", "(('hello',), 'feedback')", "", 5 }, { 32, 'b', "0 `[{}]`1", "(['a', 'b'],)", "", 6 }
};

/* Calls a function with arguments in Python's notation, and compares a part of the result. */
static void check_example(Golden *g, char how, const pytree_fn *f, const char *args, const char *part, int step)
{
    const pytree all = parsed(args), axes = PYTREE_TUPLE(PYTREE_BOOL(false), PYTREE_BOOL(true));
    const pytree_items *items = all.data;
    const pytree_fn *called = how == 'v' ? PYTREE_VJP(f) : how == 'j' ? PYTREE_JVP(f) : how == 'b' ? PYTREE_BATCH(f)
                              : how == 'a' ? PYTREE_BATCH(f, .in_axes = axes) : f;
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = seeds_apply(called, items->count, items->items, &places, &error);
    if (golden_check_ok(g, "call", &error)) { check_printed(g, PYTREE(&out), part, step, how == 'p'); }
    pytree_flat_free(&out);
    pytree_free(all);
}

/* The same with a body. */
static void check_example_body(Golden *g, const Example *e)
{
    char text[100];
    pytree_fn f;
    snprintf(text, sizeof text, "\"%s\"", e->body);
    f = seeds_text_body(g, "f", text);
    check_example(g, e->how, &f, e->args, e->part, e->step);
    seeds_traced_free(&f);
}

/* 008, 024, 025: how many calls a program has, and which. */
static void check_example_program(Golden *g, const char *body, bool memoize, const char *names, size_t *n)
{
    const pytree_fn f = seeds_text_body(g, "f", body);
    const pytree x = PYTREE_STR("test");
    pytree_error error = { 0 };
    char got[100] = "";
    pytree_program *p;
    ((pytree_traced_of *)f.context)->memoize = memoize;
    p = pytree_program_new(&f, 1, &x, NULL, &error);
    for (size_t k = 0; p != NULL && k < p->n_eqns; k++) {
        snprintf(got + strlen(got), sizeof got - strlen(got), "%s;", p->eqns[k].op->name);
    }
    golden_check_text(g, "steps", names, got);
    *n = p == NULL ? 0 : p->n_eqns;
    pytree_program_free(p);
    seeds_traced_free(&f);
}

/* 024: how many calls a program has, before and after what no result needs is left out. */
static void check_example_dce(Golden *g)
{
    const pytree_fn f = seeds_text_body(g, "program", "\"0 ' dead' cat2 drop 0 ' live' cat2\"");
    const pytree x = PYTREE_STR("test");
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(&f, 1, &x, NULL, &error), *pruned = pytree_dce(p, PYTREE_NONE, &error);
    if (golden_check_ok(g, "call", &error)) {
        golden_check_bool(g, "printed", true, p->n_eqns == strtoul(printed(g, 3), NULL, 10));
        golden_check_bool(g, "printed", true, pruned->n_eqns == strtoul(printed(g, 5), NULL, 10));
    }
    pytree_program_free(pruned);
    pytree_program_free(p);
    seeds_traced_free(&f);
}

/* 019, 020: a branch by its name; a loop. */
static void check_example_control(Golden *g)
{
    if (seeds_number(g) == 19) {
        const pytree_fn zero = seeds_text_body(g, "zero", "\"'zero: ' 0 cat2\"");
        const pytree_fn one = seeds_text_body(g, "one", "\"'one: ' 0 cat2\"");
        const pytree_fn two = seeds_text_body(g, "two", "\"'two: ' 0 cat2\"");
        check_example(g, 'c', PYTREE_SELECT(&zero, &one, &two), "('one', 'hello')", "", 4);
        check_example(g, 'c', PYTREE_SELECT(&zero, &one, &two), "('zero', 'hello')", "", 5);
        seeds_traced_free(&zero);
        seeds_traced_free(&one);
        seeds_traced_free(&two);
    } else {
        const pytree_fn cond = seeds_text_body(g, "cond", "\"0 'go' match\""), body = seeds_text_body(g, "body", "\"'stop'\"");
        check_example(g, 'c', PYTREE_WHILE(&cond, &body, .max_iters = 10), "('go',)", "", 6);
        seeds_traced_free(&cond);
        seeds_traced_free(&body);
    }
}

/* What was collected under a key, beside what was printed. */
static void check_collected(Golden *g, const char *key, int step)
{
    const pytree got = seeds_collected(g);
    const pytree_items *items = got.data;
    for (size_t k = 0; k < items->count; k++) {
        if (strcmp(items->pairs[k].key, key) == 0) { check_printed(g, items->pairs[k].value, "", step, false); return; }
    }
    fail_msg("%s: nothing was collected as %s", g->id, key);
}

/* 021 to 023: checkpoints. */
static void check_example_checkpoint(Golden *g)
{
    const size_t number = seeds_number(g);
    const char *text = number == 21 ? "\"0 `Q: {}`1 @prompt ' A: 42' cat2 @response\""
                       : "\"0 `item: {}`1 @normalized '!' cat2\"";
    const pytree_fn f = seeds_text_body(g, "f", text);
    cJSON *values = cJSON_Parse("{\"dict\": [[\"normalized\", {\"list\": [\"cached item\"]}]]}");
    memset(&seeds_collector, 0, sizeof seeds_collector);
    if (number == 23) {                                        /* the second program there has a value from outside */
        seeds_collector.inject = values;
        seeds_collector.into = "debug";
        check_example(g, 'c', &f, "('alpha',)", "", 3);
    } else {
        seeds_collector.collect = "debug";
        check_example(g, 'c', &f, number == 21 ? "('What is 6*7?',)" : "('alpha',)", "", 4);
        check_collected(g, number == 21 ? "prompt" : "normalized", 5);
        seeds_collector.collect = "debug";
        if (number == 22) {
            check_example(g, 'b', &f, "(['alpha', 'beta'],)", "", 8);
            check_collected(g, "normalized", 9);
        }
    }
    memset(&seeds_collector, 0, sizeof seeds_collector);
    cJSON_Delete(values);
    seeds_traced_free(&f);
}

/* A batch rule, with an array for the list. */
static void check_example_batch(Golden *g, const pytree_fn *f, int step)
{
    const char *const rows[2] = { "a", "b" };
    const pytree array = PYTREE_ARRAY(rows, 2);
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = seeds_apply(PYTREE_VMAP(f), 1, &array, &places, &error);
    if (golden_check_ok(g, "call", &error)) {
        char text[60], list[60];
        (void)pytree_literal_text(PYTREE(&out), text, sizeof text, NULL, &error);
        snprintf(list, sizeof list, "%.*s", (int)strlen(text) - 5, text + 4);              /* str([…]) */
        golden_check_text(g, "printed", printed(g, step), list);
    }
    pytree_flat_free(&out);
}

/* 029 to 032: rules. */
static void check_example_rules(Golden *g)
{
    const size_t number = seeds_number(g);
    const bool all = number == 32;
    const pytree_fn jvp = template_fn(all ? "delta: {2}" : "delta {2}", one_text);
    const pytree_fn vjp = template_fn(all ? "{2} via {1} from {0}" : "{2} via {1}", one_argument);
    const pytree_fn batch = template_fn("<{0}>", pytree_result_first);
    pytree_fn f = template_fn("[{}]", pytree_result_first);
    f.jvp = &jvp;
    f.vjp = &vjp;
    f.batch = &batch;
    if (number == 31 || all) { check_example(g, 'j', &f, "(('hello',), ('change',))", "", all ? 8 : 4); }
    if (number == 30 || all) { check_example(g, 'v', &f, "(('hello',), 'feedback')", "", all ? 10 : 4); }
    if (number == 29 || all) { check_example_batch(g, &f, all ? 12 : 4); }
}

/* 013: the static argument is a field. */
static pytree_status label_body(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(seeds_constant_text(tr, ((const Flag *)tr->arg[0])->on ? "error" : "ok")));
}

static void check_example_static(Golden *g)
{
    Flag on = { true };
    const pytree arg = PYTREE(&on);
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = seeds_apply(PYTREE_TRACED(label_body), 1, &arg, &places, &error);
    if (golden_check_ok(g, "call", &error)) { check_printed(g, PYTREE(&out), "", 3, false); }
    pytree_flat_free(&out);
}

/* 004, 005, 009, 010: the type of a value that is traced. */
static void check_example_type(Golden *g)
{
    static const struct { size_t number; const char *arg, *printed, *program; } rows[] = {
        { 4, "(True,)", "BoolAVal()", "{ bool %1 ->\n return %1 }\n" },
        { 5, "(1.0,)", "FloatAVal()", "{ f64 %1 ->\n return %1 }\n" },
        { 9, "(1,)", "IntAVal()", "{ i64 %1 ->\n return %1 }\n" },
        { 10, "('x',)", "StrAVal()", "{ str %1 ->\n return %1 }\n" }
    };
    const pytree_fn f = seeds_text_body(g, "f", "\"0\"");
    for (size_t k = 0; k < COUNT_OF(rows); k++) {
        const pytree all = parsed(rows[k].arg);
        const pytree_items *items = all.data;
        pytree_error error = { 0 };
        pytree_program *p = rows[k].number == seeds_number(g) ? pytree_program_new(&f, 1, items->items, NULL, &error) : NULL;
        char text[60];
        if (p != NULL && pytree_program_text(p, text, sizeof text) < sizeof text) {
            golden_check_text(g, "program", rows[k].program, text);
            golden_check_text(g, "printed", printed(g, 3), rows[k].printed);
        }
        golden_check_ok(g, "call", &error);
        pytree_program_free(p);
        pytree_free(all);
    }
    seeds_traced_free(&f);
}

/* 011: what is computed while tracing is C; the second body decides by it. */
static pytree_status folded_body(void *context, pytree_trace *tr)
{
    const bool *decides = context;
    char text[40];
    snprintf(text, sizeof text, "%s%s", *decides ? "priority" : "hello", *decides ? ": high" : " ");
    if (*decides) { strcpy(text, strcmp(text, "priority: high") == 0 ? "yes: " : "no: "); }
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &seeds_concat, NULL, 2,
                                                    (const pytree_value[2]){ seeds_constant_text(tr, text),
                                                                            pytree_value_of(tr, tr->arg[0]) }, NULL)));
}

static void check_example_fold(Golden *g)
{
    static bool no = false, yes = true;
    const pytree_fn *f = PYTREE_TRACED(folded_body, .context = &no);
    const pytree seed = PYTREE_STR("seed");
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(f, 1, &seed, NULL, &error);
    golden_check_bool(g, "printed", true, p != NULL && p->n_eqns == strtoul(printed(g, 3), NULL, 10));
    check_example(g, 'c', f, "('world',)", "", 4);
    check_example(g, 'c', PYTREE_TRACED(folded_body, .context = &yes), "('answer',)", "", 7);
    pytree_program_free(p);
}

/* 014: a derivative that is zero, as a text. */
static pytree_status zero_body(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_zeros_like(tr, pytree_value_of(tr, tr->arg[0]))));
}

/* 033: batch_index. */
static void check_example_index(Golden *g)
{
    const pytree tree = parsed("([1, 2], 'x')"), mask = parsed("(True, False)");
    cJSON *expected = cJSON_Parse("[{\"tuple\": [1, \"x\"]}]");
    golden_check_text(g, "printed", "(1, 'x')", printed(g, 0));
    seeds_check_index(g, tree, mask, expected);
    cJSON_Delete(expected);
    pytree_free(tree);
    pytree_free(mask);
    seeds_end();
}

static void check_doc(Golden *g)
{
    const size_t number = seeds_number(g);
    size_t rows = 0, n;
    for (size_t k = 0; k < COUNT_OF(examples); k++) {
        if (examples[k].number != number) { continue; }
        check_example_body(g, &examples[k]);
        rows++;
    }
    switch (number) {
    case 4: case 5: case 9: case 10: check_example_type(g); break;
    case 11: check_example_fold(g); break;
    case 14: check_example(g, 'c', PYTREE_TRACED(zero_body), "('x',)", "", 2); break;
    case 8:
        check_example_program(g, "\"0 '!' cat2 `[{}]`1\"", false, "concat;format;", &n);
        golden_check_text(g, "printed", printed(g, 5), "'concat'");
        golden_check_text(g, "printed", printed(g, 8), "'format'");
        check_example_body(g, &(Example){ 8, 'c', "0 '!' cat2 `[{}]`1", "('y',)", "", 10 });
        break;
    case 13: check_example_static(g); break;
    case 19: case 20: check_example_control(g); break;
    case 21: case 22: case 23: check_example_checkpoint(g); break;
    case 24:
        check_example_dce(g);
        break;
    case 25:
        check_example_body(g, &(Example){ 25, 'c', "0 '!' cat2 0 '!' cat2 cat2", "('hello',)", "", 4 });
        check_example_program(g, "{\"tuple\": [\"0 '!' cat2\", \"0 '!' cat2\"]}", true, "concat;", &n);
        golden_check_bool(g, "printed", true, n == strtoul(printed(g, 7), NULL, 10));
        break;
    case 29: case 30: case 31: case 32: check_example_rules(g); break;
    case 33: check_example_index(g); break;
    default:
        if (rows == 0) { golden_no_counterpart(g); }
    }
}

/* ---- Groups ------------------------------------------------------------------------------------------------------------ */

static void texts(void **state)
{
    (void)state;
    seeds_run("af_string", check_string, NULL, 0);
    seeds_run("af_custom", check_custom, NULL, 0);
}

static void documentation(void **state)
{
    (void)state;
    seeds_run("af_doc", check_doc, NULL, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(texts), cmocka_unit_test(documentation) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
