/* Functions on modules of Flax NNX, and transforms of such functions: golden/seeds/nnx.jsonl. A function that is traced there
 * is called here; what vmap, scan and grad compute is computed by hand over the axes and states that the library gives. */
#include "nnx_modules.h"

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
static void check_gradient(NnxValues *v, const char *name, pytree grads, pytree_filter filter)
{
    pytree_flat state = pytree_state(grads, filter, NULL, &v->error);
    nnx_check(v, name, out(v->g, name), PYTREE(&state));
    pytree_flat_free(&state);
}

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
    } else if (ends(g, "graphop.011")) { golden_no_counterpart(g);             /* how often a function is traced */
    } else if (ends(g, "graphop.012")) { gradient_of_part(&v, m);
    } else { set_attributes(&v, m); }
    golden_check_ok(g, "calls", &v.error);
    nnx_end(&v);
}

/* ---- Transforms of functions on modules -------------------------------------------------------------------------- */

static void jit_changes(NnxValues *v, pytree m)
{
    float *numbers = numbers_of(m, "main"), more[2];
    for (int i = 0; i < 2; i++) {
        numbers[i] *= 1.75f;
        more[i] = numbers[i] + 1;
    }
    numbers_of(m, "kernel")[0] += 1;
    pytree_object_put_own(m, "y", pytree_new_variable(&pytree_role_Cache, PYTREE_ARRAY(more, 2), NULL, &v->error), &v->error);
    pytree_object_put_copy(m, "outer", PYTREE_STR("changed"), &v->error);
    check_float(v, "out", sum_of(numbers, 2));
    golden_check_bool(v->g, "same", true, numbers == numbers_of(m, "main"));
}

/* The axes of a model by filter; with an error the status. */
static pytree_status axes_of(pytree t, bool rest, pytree_flat *axes)
{
    static int64_t first;                 /* the axes refer to it */
    const pytree values[2] = { PYTREE(&first), PYTREE_NONE };
    const pytree_filter filters[2] = { PYTREE_OF(Param), PYTREE_REST };
    pytree_error error = { 0 };
    *axes = pytree_prefix(t, rest ? 2 : 1, filters, values, "m", NULL, &error);
    return error.status;
}

/* Row i of `main` for each step, as the axes say, and all of `kernel`. */
static void mapped_rows(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    const float *x = ((const pytree_leaf *)array_of(g, golden_at(in(g, "x"), "array")).data)->data;
    float *numbers = numbers_of(m, "main"), y[4], carry[2] = { x[0], x[1] }, sums[2];
    const float *kernel = numbers_of(m, "kernel");
    pytree_flat axes = { NULL, NULL };
    golden_check_bool(g, "axes", true, axes_of(m, true, &axes) == PYTREE_OK && axes.def->n_leaves == 2
                      && axes.leaves[0].form == PYTREE_FORM_NONE && *(const int64_t *)axes.leaves[1].data == 0);
    for (int i = 0; i < 4; i++) {
        y[i] = numbers[i] * x[i % 2] + kernel[i % 2];
        carry[i % 2] = carry[i % 2] * numbers[i] + kernel[i % 2];
    }
    if (ends(g, "transform.005")) { nnx_check(v, "out", out(g, "out"), PYTREE_ARRAY(y, 2, 2)); }
    if (ends(g, "transform.011")) { nnx_check(v, "out", out(g, "out"), PYTREE_ARRAY(carry, 2)); }
    if (ends(g, "transform.006")) {
        for (int i = 0; i < 4; i++) { numbers[i] += x[i % 2]; }
        for (int i = 0; i < 2; i++) { sums[i] = sum_of(numbers + 2 * i, 2); }
        nnx_check(v, "out", out(g, "out"), PYTREE_ARRAY(sums, 2));
    }
    pytree_flat_free(&axes);
}

static void gradients(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    const float *x = ((const pytree_leaf *)array_of(g, golden_at(in(g, "x"), "array")).data)->data;
    const float *numbers = numbers_of(m, "main");
    const bool square = ends(g, "transform.012");
    const float sum = numbers[0] * x[0] + numbers[1] * x[1];
    float gx[2], y[2];
    pytree grads = pytree_zeros_like(m, NULL, &v->error);
    for (int i = 0; i < 2; i++) {
        y[i] = numbers[i] * x[i];
        numbers_of(grads, "main")[i] = square ? 2 * sum * x[i] : x[i];
        gx[i] = 2 * sum * numbers[i];
    }
    numbers_of(grads, "kernel")[0] = 3;
    if (square) {
        check_gradient(v, "g1", grads, PYTREE_OF(Param));
        check_gradient(v, "g2", grads, PYTREE_OF(BatchStat));
        check_gradient(v, "g3", grads, PYTREE_OF(Param));
        check_gradient(v, "g5", grads, PYTREE_OF(Param));
        nnx_check(v, "g4", out(g, "g4"), PYTREE_ARRAY(gx, 2));
        check_float(v, "value", sum * sum + 3 * numbers_of(m, "kernel")[0]);
    } else {
        numbers_of(m, "kernel")[0] += 1;
        check_gradient(v, "g", grads, PYTREE_OF(Param));
        nnx_check(v, "aux", out(g, "aux"), PYTREE_DICT({ "y", PYTREE_ARRAY(y, 2) }));
    }
    pytree_free(grads);
}

/* cond, fori, while: branches and loops change the model that they are given. */
static void branches_and_loops(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    float *numbers = numbers_of(m, "main"), *kernel = numbers_of(m, "kernel");
    if (ends(g, "transform.014")) {
        const cJSON *outs = golden_at(out(g, "outs"), "list")->child;
        for (int i = 0; i < 2; i++) { numbers[i] *= 2; }
        kernel[0] -= 1;
        nnx_check(v, "yes", outs, PYTREE_SCALAR(&(float){ sum_of(numbers, 2) }));
        nnx_check(v, "no", outs->next, PYTREE_SCALAR(kernel));
    } else if (ends(g, "transform.015")) {
        for (int i = 0; i < 4; i++) { kernel[0] += (float)i; }
    } else {
        while (kernel[0] < 5) { kernel[0] += 1; }
    }
}

/* Models that are refused, copied, made. */
static void other_transforms(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    pytree_flat axes = { NULL, NULL };
    pytree made;
    if (ends(g, "transform.007")) {
        golden_check_bool(g, "error", true, axes_of(m, false, &axes) == PYTREE_FILTER);
    } else if (ends(g, "transform.008")) {                     /* the first argument is mapped, the second is not */
        static int64_t first;                 /* the axes refer to it */
    const pytree values[2] = { PYTREE(&first), PYTREE_NONE };
        const pytree_filter filters[2] = { PYTREE_PATH("[0].*"), PYTREE_REST };
        axes = pytree_prefix(PYTREE_TUPLE(m, m), 2, filters, values, NULL, NULL, &v->error);
        golden_check_text(g, "error", pytree_status_name(PYTREE_SHARED), pytree_status_name(v->error.status));
        memset(&v->error, 0, sizeof v->error);
    } else if (ends(g, "transform.018")) {
        pytree_duplicates *d;
        made = pytree_graph_clone(m, NULL, &v->error);
        d = pytree_graph_duplicates(made, PYTREE_EVERYTHING, NULL, &v->error);
        golden_check_bool(g, "duplicates", true, d != NULL && d->n_groups == 1 && d->counts[0] == 2
                          && strcmp(d->paths[0][0], ".left") == 0 && strcmp(d->paths[0][1], ".w") == 0);
        check_model(g, "back", out(g, "back"), made);
        pytree_duplicates_free(d);
        pytree_free(made);
    } else {
        golden_no_counterpart(g);         /* 009: sizes of axes, 010: constructors in a map, 017: shapes of a constructor */
    }
    pytree_flat_free(&axes);
}

static void transform_case(Golden *g)
{
    NnxValues v = nnx_begin(g);
    const int number = atoi(strrchr(g->id, '.') + 1);
    pytree m = golden_get(g->json, "inputs.m") != NULL ? nnx_value(&v, in(g, "m")) : PYTREE_NONE, copy = { NULL, NULL };
    switch (number) {
    case 1: jit_changes(&v, m); break;
    case 2:
        pytree_object_remove(m, "kernel", &v.error);
        golden_check_bool(g, "has", cJSON_IsTrue(out(g, "has")) != 0, pytree_object_get(m, "kernel", NULL).type != NULL);
        break;
    case 3:
        for (int i = 0; i < 2; i++) { numbers_of(m, "main")[i] += 1; }
        nnx_check(&v, "out", out(g, "out"), PYTREE_ARRAY(numbers_of(m, "main"), 2));
        break;
    case 4:
        copy = pytree_clone(m, NULL, &v.error);
        for (int i = 0; i < 2; i++) { numbers_of(copy, "main")[i] += 1; }
        check_model(g, "out", out(g, "out"), copy);
        pytree_free(copy);
        break;
    case 5: case 6: case 11: mapped_rows(&v, m); break;
    case 12: case 13: gradients(&v, m); break;
    case 14: case 15: case 16: branches_and_loops(&v, m); break;
    default: other_transforms(&v, m); break;
    }
    if (golden_get(g->json, "outputs.m") != NULL && !g->absent) { check_model(g, "m", out(g, "m"), m); }
    golden_check_ok(g, "calls", &v.error);
    nnx_end(&v);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void graphop_cases(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"graphop\"", graphop_case, 11, 1);
}

static void transform_cases(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"transform\"", transform_case, 15, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(graphop_cases), cmocka_unit_test(transform_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
