/* Transforms of functions on modules of Flax NNX: golden/seeds/nnx.jsonl. vmap and scan are those of pytree/transform.h, on the
 * state of a model and axes by filter. A function that is traced there is called here, and gradients are computed by hand. */
#include "nnx_modules.h"
#include "pytree/transform.h"

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

/* (m, x) -> main * x + kernel, of the state of a Cell: its kernel, its main. */
static pytree_status affine(void *context, const pytree_call *at)
{
    const float *kernel = at->in[0].data, *numbers = at->in[1].data, *x = at->in[2].data;
    float *y = at->out[0].data;
    for (int i = 0; i < 2; i++) { y[i] = numbers[i] * x[i] + kernel[i]; }
    if (context != NULL) { ((pytree_leaf *)context)[0] = at->in[0], ((pytree_leaf *)context)[1] = at->in[1]; }
    return PYTREE_OK;
}

/* (m, x) -> the sum of main + x, and main + x */
static pytree_status increase(void *context, const pytree_call *at)
{
    const float *numbers = at->in[1].data, *x = at->in[2].data;
    float *sum = at->out[0].data, *changed = at->out[1].data;
    (void)context;
    for (int i = 0; i < 2; i++) { changed[i] = numbers[i] + x[i]; }
    *sum = sum_of(changed, 2);
    return PYTREE_OK;
}

/* ((kernel, x), main) -> ((kernel, x * main + kernel), None) */
static pytree_status layer(void *context, const pytree_call *at)
{
    const float *kernel = at->in[0].data, *x = at->in[1].data, *numbers = at->in[2].data;
    float *same = at->out[0].data, *y = at->out[1].data;
    (void)context;
    for (int i = 0; i < 2; i++) {
        same[i] = kernel[i];
        y[i] = x[i] * numbers[i] + kernel[i];
    }
    return PYTREE_OK;
}

/* A model whose Params are mapped and whose other variables are not, through PYTREE_VMAP and PYTREE_SCAN. */
static void mapped(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    const pytree x = array_of(g, golden_at(in(g, "x"), "array"));
    pytree_flat axes = { NULL, NULL }, state = pytree_state(m, PYTREE_EVERYTHING, NULL, &v->error);
    const pytree args[2] = { PYTREE(&state), x };
    float y[4], changed[4];
    golden_check_bool(g, "axes", true, axes_of(PYTREE(&state), true, &axes) == PYTREE_OK);
    if (ends(g, "transform.005")) {
        pytree_leaf seen[2];
        const pytree_fn f = { .name = "f", .call = affine, .context = seen };
        const pytree got = PYTREE_ARRAY(y, 2, 2);
        pytree_apply(PYTREE_VMAP(&f, .in_axes = PYTREE_TUPLE(PYTREE(&axes), PYTREE_NONE)), 2, args, got, NULL, &v->error);
        nnx_check(v, "out", out(g, "out"), got);
        golden_check_bool(g, "shapes", true, seen[0].ndim == 1 && seen[0].shape[0] == 2 && seen[1].ndim == 1
                          && seen[1].shape[0] == 2);
    } else if (ends(g, "transform.006")) {
        const pytree_fn f = { .name = "f", .call = increase };
        const pytree got = PYTREE_ARRAY(y, 2);
        pytree_apply(PYTREE_VMAP(&f, .in_axes = PYTREE_TUPLE(PYTREE(&axes), PYTREE_NONE)), 2, args,
                     PYTREE_TUPLE(got, PYTREE_ARRAY(changed, 2, 2)), NULL, &v->error);
        memcpy(numbers_of(m, "main"), changed, sizeof changed);
        nnx_check(v, "out", out(g, "out"), got);
    } else {
        const pytree_fn f = { .name = "f", .call = layer };
        const pytree kernel = pytree_of_view(&state.leaves[0]), got = PYTREE_ARRAY(y, 2);
        pytree_apply(PYTREE_SCAN(&f), 2, (pytree[2]){ PYTREE_TUPLE(kernel, x), pytree_of_view(&state.leaves[1]) },
                     PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_ARRAY(changed, 2), got), PYTREE_NONE), NULL, &v->error);
        nnx_check(v, "out", out(g, "out"), got);
    }
    pytree_flat_free(&axes);
    pytree_flat_free(&state);
}

/* A model whose variables have first axes of different sizes. */
static void sizes_differ(NnxValues *v, pytree m)
{
    Golden *g = v->g;
    const pytree_fn f = { .name = "f", .call = affine };
    const cJSON *facts = golden_at(golden_at(g->json, "error"), "facts");
    pytree_flat state = pytree_state(m, PYTREE_EVERYTHING, NULL, &v->error);
    pytree_error error = { 0 };
    char wanted[120];
    float y[4];
    pytree_apply(PYTREE_VMAP(&f, .in_axes = PYTREE_INT(0)), 1, (pytree[1]){ PYTREE(&state) }, PYTREE_ARRAY(y, 2, 2), NULL,
                 &error);
    golden_check_text(g, "status", pytree_status_name(PYTREE_SHAPE), pytree_status_name(error.status));
    snprintf(wanted, sizeof wanted, "[0]%s", strchr(golden_word(facts->child->next, "path"), ']') + 1);      /* m.states[0][… */
    golden_check_text(g, "where", wanted, error.path);
    snprintf(wanted, sizeof wanted, "vmap of f: expected size %d along axis 0, got %d (f32[2,2])",
             golden_at(facts->child, "size")->valueint, golden_at(facts->child->next, "size")->valueint);
    golden_check_text(g, "error", wanted, error.message);
    pytree_flat_free(&state);
}

/* k -> (kernel, main) of a new Cell */
static pytree_status new_cell(void *context, const pytree_call *at)
{
    const float k = *(const float *)at->in[0].data;
    float *main_of = at->out[1].data;
    (void)context;
    *(float *)at->out[0].data = k;
    main_of[0] = main_of[1] = 1 * k;
    return PYTREE_OK;
}

/* A Cell for each number: a mapped function gives the arrays, which then become one model. */
static void ensemble(NnxValues *v)
{
    Golden *g = v->g;
    const pytree_fn f = { .name = "f", .call = new_cell };
    float kernel[3], numbers[6];
    const pytree k = PYTREE_ARRAY(kernel, 3), n = PYTREE_ARRAY(numbers, 3, 2);
    const pytree cell = pytree_new_object(nnx_class(g, "Cell", false), NULL, &v->error);
    pytree_apply(PYTREE_VMAP(&f), 1, (pytree[1]){ array_of(g, golden_at(in(g, "ks"), "array")) }, PYTREE_TUPLE(k, n), NULL,
                 &v->error);
    pytree_object_put_own(cell, "main", pytree_new_variable(&pytree_role_Param, n, NULL, &v->error), &v->error);
    pytree_object_put_own(cell, "kernel", pytree_new_variable(&pytree_role_BatchStat, k, NULL, &v->error), &v->error);
    check_model(g, "m", out(g, "m"), cell);
    check_model(g, "state", out(g, "state"), cell);
    pytree_container_free(cell);
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
    } else if (ends(g, "transform.009")) {
        sizes_differ(v, m);
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
        golden_no_counterpart(g);         /* 017: shapes of a constructor */
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
    case 5: case 6: case 11: mapped(&v, m); break;
    case 10: ensemble(&v); break;
    case 12: case 13: gradients(&v, m); break;
    case 14: case 15: case 16: branches_and_loops(&v, m); break;
    default: other_transforms(&v, m); break;
    }
    if (golden_get(g->json, "inputs.m") != NULL && golden_get(g->json, "outputs.m") != NULL && !g->absent) {
        check_model(g, "m", out(g, "m"), m);
    }
    golden_check_ok(g, "calls", &v.error);
    nnx_end(&v);
}

/* ---- Running ----------------------------------------------------------------------------------------------------- */

static void transform_cases(void **state)
{
    (void)state;
    golden_run_exactly("seeds/nnx", "\"group\": \"transform\"", transform_case, 17, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(transform_cases) };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
