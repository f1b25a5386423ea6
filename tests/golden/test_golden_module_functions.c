/* Functions on modules of Flax NNX: golden/seeds/nnx.jsonl. A function that is traced there is called here. */
#include "nnx_modules.h"
#include "pytree/cache.h"

/* ---- Functions on modules ---------------------------------------------------------------------------------------- */

/* A variable times ten, another array less one; of a map over all leaves, 100 more. */
static pytree_status tenfold(void *context, const pytree_iter *at)
{
    const bool has_role = pytree_iter_role(at) != NULL;
    float *numbers = at->leaf[0]->data;
    for (size_t i = 0; i < pytree_leaf_count(at->leaf[0]); i++) {
        numbers[i] = context != NULL ? numbers[i] + 100 : has_role ? numbers[i] * 10 : numbers[i] - 1;
    }
    return PYTREE_OK;
}

static bool flag_of(pytree m, const char *name)
{
    const pytree value = pytree_object_get(m, name, NULL);
    return value.type != NULL && *(const bool *)value.data;
}

/* The attribute w1 of a Layer, of its x, and of the elements of its a. */
static void check_w1(Golden *g, const cJSON *expected, pytree m)
{
    const pytree a = pytree_object_get(m, "a", NULL);
    const pytree of[4] = { m, pytree_object_get(m, "x", NULL), pytree_list_get(a, 0, NULL), pytree_list_get(a, 1, NULL) };
    size_t i = 0;
    cJSON_ArrayForEach(expected, golden_at(expected, "list")) {
        golden_check_bool(g, "w1", cJSON_IsTrue(expected) != 0, flag_of(of[i++], "w1"));
    }
}

static bool is_body(void *context, const pytree_place *at)
{
    (void)context;
    return strcmp(at->type->name, "Body") == 0;
}

static void set_attributes(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    size_t found = 7;
    if (ends(g, "graphop.003") || ends(g, "graphop.004")) {
        const pytree_filter nodes = ends(g, "graphop.003") ? PYTREE_EVERYTHING : PYTREE_WHERE(is_body, NULL);
        pytree_object_set_attributes(m, nodes, "w1", PYTREE_BOOL(true), NULL, NULL, &v->error);
        check_w1(g, out(g, "got"), m);
    } else if (ends(g, "graphop.005")) {
        pytree_object_set_attributes(m, PYTREE_EVERYTHING, "nowhere", PYTREE_INT(1), NULL, NULL, &v->error);
        golden_check_bool(g, "error", true, v->error.status == PYTREE_NOT_FOUND);
        memset(&v->error, 0, sizeof v->error);
    } else {
        pytree_object_set_attributes(m, PYTREE_EVERYTHING, "nowhere", PYTREE_INT(1), &found, NULL, &v->error);
        golden_check_bool(g, "has", cJSON_IsTrue(out(g, "has")) != 0, found != 0);
    }
}

/* Layers with what train() and eval() set. */
static void train_and_eval(NnxValues *v)
{
    Golden *g = v->g;
    pytree m = pytree_new_object(nnx_class(g, "Layer", false), NULL, &v->error);
    pytree dropout = pytree_new_object(nnx_class(g, "Dropout", false), NULL, &v->error);
    pytree norm = pytree_new_object(nnx_class(g, "BatchNorm", false), NULL, &v->error);
    const cJSON *got = golden_at(out(g, "got"), "list")->child;
    pytree_object_put_copy(dropout, "deterministic", PYTREE_BOOL(false), &v->error);
    pytree_object_put_copy(norm, "use_running_average", PYTREE_BOOL(false), &v->error);
    pytree_object_put_own(m, "w1", dropout, &v->error);
    pytree_object_put_own(m, "Z", norm, &v->error);
    for (int eval = 1; eval >= 0; eval--, got = got->next) {
        const cJSON *one = golden_at(got, "list")->child;
        const pytree on = PYTREE_BOOL(eval != 0);
        pytree_object_set_attributes(m, PYTREE_EVERYTHING, "deterministic", on, NULL, NULL, &v->error);
        pytree_object_set_attributes(m, PYTREE_EVERYTHING, "use_running_average", on, NULL, NULL, &v->error);
        golden_check_bool(g, "deterministic", cJSON_IsTrue(one) != 0, flag_of(dropout, "deterministic"));
        golden_check_bool(g, "average", cJSON_IsTrue(one->next) != 0, flag_of(norm, "use_running_average"));
    }
    pytree_container_free(m);
}

/* with_attributes: a copy that shares the variables, with other attributes. */
static void with_attributes(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    pytree_def *graphdef = NULL;
    pytree_flat state = { NULL, NULL };
    pytree made = with_the_same_arrays(v, m, &graphdef, &state);
    const cJSON *one = golden_at(out(g, "got"), "list")->child;
    pytree_object_set_attributes(made, PYTREE_EVERYTHING, "w1", PYTREE_BOOL(true), NULL, NULL, &v->error);
    check_w1(g, one, m);
    check_w1(g, one->next, made);
    golden_check_bool(g, "shared", cJSON_IsTrue(out(g, "shared")) != 0,
                      numbers_of(pytree_object_get(made, "x", NULL), "Z") == numbers_of(pytree_object_get(m, "x", NULL), "Z"));
    pytree_free(made);
    pytree_def_free(graphdef);
    pytree_flat_free(&state);
}

/* nnx.call: merge, call, split. */
static void call_bump(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    pytree_def *graphdef = NULL;
    pytree_flat state = { NULL, NULL };
    pytree merged = with_the_same_arrays(v, m, &graphdef, &state), again;
    float *w2 = numbers_of(merged, "w2");
    for (int i = 0; i < 2; i++) { w2[i] += 2; }
    check_float(v, "out", sum_of(w2, 2));
    for (int i = 0; i < 2; i++) { w2[i] += 1; }                /* the second call, which has the same variables */
    check_float(v, "out2", sum_of(w2, 2));
    again = pytree_merge(graphdef, 1, (pytree[1]){ PYTREE(&state) }, NULL, &v->error);
    check_model(g, "again", out(g, "again"), again);
    pytree_free(again);
    pytree_free(merged);
    pytree_def_free(graphdef);
    pytree_flat_free(&state);
}

static void key_paths(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    const cJSON *simple = golden_at(out(g, "simple"), "list")->child;
    pytree_iter it;
    char text[100];
    nnx_check_paths(v, "paths", out(g, "paths"), m);
    pytree_iter_begin(&it, 1, &m, NULL, &v->error);
    for (; pytree_iter_next(&it); simple = simple->next) {
        pytree_path *path;
        pytree_iter_path_text(&it, text, sizeof text);
        path = pytree_path_parse(text, NULL, NULL, &v->error);
        pytree_path_simple_text(path, "/", text, sizeof text);
        golden_check_text(g, "simple", golden_string(simple), text);
        pytree_path_free(path);
    }
    pytree_iter_end(&it);
}

/* Gradients by hand: a copy of zeros, of which some places get numbers. */
static void gradient_of_part(NnxValues *v, pytree m)
{
    pytree grads = pytree_zeros_like(m, NULL, &v->error);
    for (int i = 0; i < 3; i++) { numbers_of(grads, "w2")[i] = 2 * numbers_of(m, "w2")[i]; }
    numbers_of(pytree_object_get(grads, "w1", NULL), "aux")[0] = 3;
    numbers_of(grads, "aux")[0] = 1;
    check_gradient(v, "g1", grads, PYTREE_OF(Param));
    check_gradient(v, "g2", grads, PYTREE_OF(BatchStat));
    pytree_free(grads);
}

static pytree_status sum_of_y(void *context, const pytree_call *at)
{
    const pytree_leaf *y = &at->in[at->n_in - 1];                /* attributes by name */
    (void)context;
    *(float *)at->out[0].data = sum_of(y->data, pytree_leaf_count(y));
    return PYTREE_OK;
}

/* How often a function is prepared: for another static value, for another shape, not for other numbers. */
static void count_preparations(NnxValues *v, pytree m)
{
    static const pytree_fn f = { .name = "f", .call = sum_of_y };
    Golden *g = v->g;
    const cJSON *count = golden_at(out(g, "counts"), "list")->child;
    pytree_jit *jit = pytree_jit_new(&f, 0, NULL, &v->error);
    float sum = 0, others[5] = { -0.75f, 3.75f, 1.75f, 1.25f, 1.75f };
    for (int i = 0; i < 5; i++, count = count->next) {
        if (i == 1) { numbers_of(m, "y")[0] += 1; }
        if (i == 2) { pytree_object_put_copy(m, "inner", PYTREE_STR("another"), &v->error); }
        if (i == 4) {
            pytree_object_put_own(m, "y", pytree_new_variable(&pytree_role_Param, PYTREE_ARRAY(others, 5, 1), NULL, &v->error),
                                  &v->error);
        }
        pytree_jit_call(jit, 1, &m, PYTREE_SCALAR(&sum), &v->error);
        golden_check_count(g, "preparations", count, pytree_jit_count(jit).misses);
        golden_check_bool(g, "sum", true, sum == sum_of(numbers_of(m, "y"), i == 4 ? 5 : 1));
    }
    pytree_jit_free(jit);
}

static void graphop_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    const bool has_m = golden_get(g->json, "inputs.m") != NULL;
    pytree m = has_m ? nnx_value(&v, in(g, "m")) : PYTREE_NONE, copy;
    if (ends(g, "graphop.001") || ends(g, "graphop.009")) {
        copy = pytree_clone(m, NULL, &v.error);
        pytree_map(tenfold, ends(g, "graphop.009") ? g : NULL, NULL, 1, &copy, NULL, &v.error);
        check_model(g, "out", out(g, "out"), copy);
        golden_check_text(g, "kind", golden_word(out(g, "out"), "object"), copy.type->name);
        pytree_free(copy);
    } else if (ends(g, "graphop.002")) { call_bump(&v, m);
    } else if (ends(g, "graphop.007")) { train_and_eval(&v);
    } else if (ends(g, "graphop.008")) { with_attributes(&v, m);
    } else if (ends(g, "graphop.010")) { key_paths(&v, m);
    } else if (ends(g, "graphop.011")) { count_preparations(&v, m);
    } else if (ends(g, "graphop.012")) { gradient_of_part(&v, m);
    } else { set_attributes(&v, m); }
    golden_check_ok(g, "calls", &v.error);
    nnx_end(&v);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void graphop_cases(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"graphop\"", graphop_case, 12, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(graphop_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
