/* Gradients, Jacobians, vjp, jvp, eval_shape, transposition: golden/seeds/transforms.jsonl, group by group. */
#include "seeds_traced.h"

/* What is expected of several parts of a record: a tuple of the outputs with these names. The JSON is the caller's. */
static cJSON *tuple_of(size_t n, const cJSON *const *parts)
{
    cJSON *both = cJSON_CreateObject(), *list = cJSON_AddArrayToObject(both, "tuple");
    for (size_t k = 0; k < n; k++) { cJSON_AddItemReferenceToArray(list, (cJSON *)(uintptr_t)parts[k]); }
    return both;
}

static const cJSON *output(Golden *g, const char *name) { return golden_at(golden_at(g->json, "outputs"), name); }

/* Applies f and compares the result. */
static void check_call(Golden *g, const char *check, const pytree_fn *f, size_t n, const pytree *args, const cJSON *expected)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, NULL, &error);
    if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, check, expected, PYTREE(&out)); }
    pytree_flat_free(&out);
}

/* The same where the result is a tuple of several outputs. */
static void check_pair(Golden *g, const pytree_fn *f, size_t n, const pytree *args, const cJSON *one, const cJSON *two)
{
    cJSON *both = tuple_of(2, (const cJSON *[2]){ one, two });
    check_call(g, "pair", f, n, args, both);
    cJSON_Delete(both);
}

/* Applying f fails with that status, at that place. */
static void check_failure(Golden *g, const pytree_fn *f, size_t n, const pytree *args, pytree_status wanted, const char *path)
{
    SeedsPlaces places;
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, seeds_options(&places), &error);
    golden_check_text(g, "status", pytree_status_name(wanted), pytree_status_name(error.status));
    golden_check_text(g, "places", path, places.at);
    pytree_flat_free(&out);
}

/* The inputs of a record, in their order. */
static size_t inputs(Golden *g, pytree *to, size_t most)
{
    const cJSON *child;
    size_t n = 0;
    cJSON_ArrayForEach(child, golden_at(g->json, "inputs")) {
        if (n < most) { to[n++] = seeds_tree(g, child); }
    }
    return n;
}

/* ---- Paths, shapes, structures ----------------------------------------------------------------------------------------- */

/* A recorded list of key paths beside those of a tree. */
static void check_paths(Golden *g, const cJSON *expected, pytree t)
{
    pytree_error error = { 0 };
    size_t n = 0;
    const char **paths = pytree_paths(t, NULL, &n, NULL, &error);
    cJSON *got = cJSON_CreateObject(), *texts = cJSON_AddArrayToObject(got, "list");
    for (size_t k = 0; k < n; k++) { cJSON_AddItemToArray(texts, cJSON_CreateString(paths[k])); }
    golden_check_json(g, "paths", expected, got);
    pytree_paths_free(paths);
}

/* A recorded list of tuples beside the shapes of a tree. */
static void check_shapes(Golden *g, const cJSON *expected, pytree t)
{
    const size_t n = pytree_num_leaves(t, NULL, NULL);
    pytree_leaf *leaves = golden_alloc(g, n, sizeof *leaves);
    cJSON *got = cJSON_CreateObject(), *shapes = cJSON_AddArrayToObject(got, "list");
    assert_int_equal(pytree_leaves(t, leaves, n, NULL, NULL, NULL), PYTREE_OK);
    for (size_t k = 0; k < n; k++) {
        cJSON *tuple = cJSON_CreateObject(), *extents = cJSON_AddArrayToObject(tuple, "tuple");
        for (int i = 0; i < leaves[k].ndim; i++) {
            cJSON_AddItemToArray(extents, cJSON_CreateNumber((double)leaves[k].shape[i]));
        }
        cJSON_AddItemToArray(shapes, tuple);
    }
    golden_check_json(g, "shapes", expected, got);
}

/* Whatever the record says of a derivative besides its values. */
static void check_form(Golden *g, pytree t)
{
    const cJSON *outputs = golden_at(g->json, "outputs"), *of;
    pytree_error error = { 0 };
    if ((of = golden_get(outputs, "paths")) != NULL) { check_paths(g, of, t); }
    if ((of = golden_get(outputs, "shapes")) != NULL) { check_shapes(g, of, t); }
    if ((of = golden_get(outputs, "structure")) != NULL) {
        pytree_def *def = pytree_structure(t, NULL, &error);
        golden_check_text(g, "structure", golden_word(of, "treedef.text"), golden_def_text(g, def));
        pytree_def_free(def);
    }
}

/* ---- Gradients --------------------------------------------------------------------------------------------------------- */

#define LOSS "0 sq sum 1 sq sum + 2 sq sum +"
static const char *const grad_bodies[] = {
    NULL, "\"" LOSS "\"", "\"0 1 2 * sum *\"",
    "{\"tuple\": [\"" LOSS "\", {\"dict\": [[\"twice\", \"" LOSS " #2 *\"], "
                "[\"n\", {\"tuple\": [\"0\", null, \"'text'\"]}]]}]}",
    "\"0 #3 * sum\"", "\"0 pow3 sum\"", "\"0 1 * sum\"", "\"0 1 * sum\"", "\"1 stop sq sum 2 stop sq sum + 0 sum *\"",
    "\"0 sq #3 * 1 * 1 pow3 - 0 +\"", "\"" LOSS "\"", "\"1 0 * sum 2 - sq\"", "\"0 #2 *\"", "{\"dict\": [[\"l\", \"0 sum\"]]}",
    "\"1 sum\"", "\"1 sum\"", "\"1 sum\"", "\"0 sum\"", "\"0 sum\"", "3"
};

/* 002: an index alone does not exist, argnums is a list and gives a tuple. */
static void check_argnums(Golden *g, const pytree_fn *f, const pytree *args)
{
    const cJSON *one = output(g, "g1"), *last = output(g, "g_neg");
    cJSON *of_one = tuple_of(1, &one), *of_last = tuple_of(1, &last);
    check_call(g, "g0", PYTREE_GRAD(f), 3, args, output(g, "g0"));
    check_call(g, "g1", PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(1)), 3, args, of_one);
    check_call(g, "g20", PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(2, 0)), 3, args, output(g, "g20"));
    check_call(g, "g_neg", PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(-1)), 3, args, of_last);
    cJSON_Delete(of_one);
    cJSON_Delete(of_last);
}

/* 003: value and gradient beside aux. */
static void check_aux(Golden *g, const pytree_fn *f, const pytree *args)
{
    cJSON *with_value = tuple_of(2, (const cJSON *[2]){ output(g, "value"), output(g, "aux") });
    check_pair(g, PYTREE_VALUE_AND_GRAD(f, .has_aux = true), 1, args, with_value, output(g, "g"));
    check_pair(g, PYTREE_GRAD(f, .has_aux = true), 1, args, output(g, "g"), output(g, "aux2"));
    cJSON_Delete(with_value);
}

/* 010: three steps of gradient descent. */
static void check_descent(Golden *g, const pytree_fn *f, pytree p)
{
    pytree_error error = { 0 };
    pytree gradient = pytree_zeros_like(p, NULL, &error);
    float value = 0;
    pytree_prepared *step = pytree_prepare(PYTREE_GRAD(f), 1, &p, gradient, NULL, &error);
    for (int i = 0; step != NULL && i < 3; i++) {
        (void)pytree_run(step, &error);
        (void)pytree_axpy(-0.25, gradient, p, NULL, &error);
    }
    (void)pytree_apply(f, 1, &p, PYTREE(&value), NULL, &error);
    if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "p", output(g, "p"), p);
        seeds_check_tree(g, "value", output(g, "value"), PYTREE(&value));
    }
    pytree_prepared_free(step);
    pytree_free(gradient);
}

/* 015: JAX gives float0, a type without numbers; here there are zeros of the integer type. */
static void check_integers(Golden *g, const pytree_fn *f, const pytree *args)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(PYTREE_GRAD(f, .allow_int = true), 1, args, NULL, &error);
    const cJSON *fields = golden_at(output(g, "g"), "dict");
    if (golden_check_ok(g, "call", &error)) {
        const int32_t zeros[3] = { 0 };
        const float ones[2] = { 1, 1 };
        golden_check_text(g, "dtype", golden_word(cJSON_GetArrayItem(fields, 0)->child->next, "array.dtype"),
                          out.leaves[0].type == PYTREE_TYPE(int32_t) ? "int32" : "another");
        (void)pytree_equal(PYTREE(&out), PYTREE_DICT({ "B", PYTREE_ARRAY(zeros, 3) }, { "x y", PYTREE_ARRAY(ones, 2) }), NULL,
                           NULL, &error);
        golden_check_ok(g, "documented", &error);
    }
    pytree_flat_free(&out);
}

/* From 020 on: weighted squares, and the form of their Hessian. */
static void check_weighted(Golden *g, const pytree *args)
{
    const cJSON *weights = golden_at(g->json, "inputs.weights.list"), *weight;
    GoldenText text = { g, NULL, 0, 0 };
    pytree_error error = { 0 };
    pytree_fn f;
    pytree_flat hessian;
    int i = 0;
    golden_puts(&text, "\"");
    cJSON_ArrayForEach(weight, weights) {
        char term[80];
        snprintf(term, sizeof term, "%s%d sq sum #%.9g *%s", i == 0 ? "" : " ", i, golden_double(weight), i == 0 ? "" : " +");
        golden_puts(&text, term);
        i++;
    }
    golden_puts(&text, "\"");
    f = seeds_traced(g, "loss", text.at);
    check_pair(g, PYTREE_VALUE_AND_GRAD(&f), 1, args, output(g, "value"), output(g, "g"));
    hessian = pytree_apply_new(PYTREE_HESSIAN(&f), 1, args, NULL, &error);
    if (golden_check_ok(g, "hessian", &error)) { check_form(g, PYTREE(&hessian)); }
    pytree_flat_free(&hessian);
    seeds_traced_free(&f);
}

static void check_grad(Golden *g)
{
    const size_t number = seeds_number(g);
    pytree args[3], axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0), PYTREE_INT(0));
    const size_t n = inputs(g, args, 3);
    pytree_fn f;
    if (number >= COUNT_OF(grad_bodies)) {
        check_weighted(g, args);
        return;
    }
    f = seeds_traced(g, "loss", grad_bodies[number]);
    switch (number) {
    case 1: check_pair(g, PYTREE_VALUE_AND_GRAD(&f), 1, args, output(g, "value"), output(g, "g")); break;
    case 2: check_argnums(g, &f, args); break;
    case 3: check_aux(g, &f, args); break;
    case 9:
        check_pair(g, PYTREE_VALUE_AND_GRAD(&f), 1, args, output(g, "value"), output(g, "g"));
        check_call(g, "h", PYTREE_HESSIAN(&f), 1, args, output(g, "h"));
        break;
    case 10: check_descent(g, &f, args[0]); break;
    case 11: check_call(g, "g", PYTREE_VMAP(PYTREE_GRAD(&f), .in_axes = axes), n, args, output(g, "g")); break;
    case 12: check_failure(g, PYTREE_GRAD(&f), 1, args, PYTREE_SHAPE, ";"); break;
    case 13: check_failure(g, PYTREE_GRAD(&f), 1, args, PYTREE_STRUCTURE, ";"); break;
    case 14: case 16: check_failure(g, PYTREE_GRAD(&f), 1, args, PYTREE_TYPE, "[0]['B'];"); break;
    case 15: check_integers(g, &f, args); break;
    case 17: check_failure(g, PYTREE_GRAD(&f, .argnums = PYTREE_ARGNUMS(1)), 1, args, PYTREE_ARGUMENT, ";"); break;
    case 18: check_failure(g, PYTREE_GRAD(&f, .has_aux = true), 1, args, PYTREE_STRUCTURE, ";"); break;
    case 19: check_failure(g, PYTREE_GRAD(&f), 1, args, PYTREE_TYPE, ";"); break;
    default: check_call(g, "g", PYTREE_GRAD(&f), n, args, output(g, "g"));
    }
    seeds_traced_free(&f);
}

static void gradients(void **state)
{
    static const GoldenDecision decisions[] = {
        { "the gradient of integers is zeros", NULL, "dtype", "transforms.grad.015", NULL, "int32", NULL },
        GOLDEN_NO_MORE
    };
    (void)state;
    seeds_run("grad", check_grad, decisions, 0);
}

/* ---- Jacobians --------------------------------------------------------------------------------------------------------- */

#define TWO "{\"list\": [\"1 0 *\", {\"dict\": [[\"s\", \"1 sum sq\"]]}]}"
static const char *const jacobian_bodies[] = {
    NULL, TWO, TWO, "{\"dict\": [[\"u\", \"0 1 *\"]]}", "{\"tuple\": [" TWO ", {\"dict\": [[\"n\", 1]]}]}",
    "{\"object\": \"Baz\", \"attrs\": [[\"left\", \"data\", \"0\"], [\"a\", \"data\", \"1\"], [\"b\", \"static\", \"hello\"]]}",
    "\"1 sq sum 0 *\"", "{\"tuple\": [null, \"0 #2 *\", {\"dict\": []}]}", "\"0 float #2 *\"",
    "{\"dict\": [[\"y\", \"0 $v * sumlast\"]]}"
};

/* A Jacobian, and its form. */
static void check_one_jacobian(Golden *g, const pytree_fn *f, size_t n, const pytree *args, const cJSON *expected)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, NULL, &error);
    if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "j", expected, PYTREE(&out));
        check_form(g, PYTREE(&out));
    }
    pytree_flat_free(&out);
}

static void check_jacobian(Golden *g)
{
    const size_t number = seeds_number(g);
    const pytree_fn f = seeds_traced(g, "f", jacobian_bodies[number]);
    pytree args[2];
    size_t n = inputs(g, args, 2);
    cJSON *both;
    switch (number) {
    case 2:
        check_one_jacobian(g, PYTREE_JACOBIAN(&f, .mode = PYTREE_FORWARD), n, args, output(g, "j"));
        check_one_jacobian(g, PYTREE_JACOBIAN(&f, .mode = PYTREE_REVERSE), n, args, output(g, "j"));
        break;
    case 3:
        check_one_jacobian(g, PYTREE_JACOBIAN(&f, .argnums = PYTREE_ARGNUMS(1, 0)), n, args, output(g, "j"));
        break;
    case 4:                                                    /* (Jacobian, aux): the form is that of 001 */
        both = tuple_of(2, (const cJSON *[2]){ output(g, "j"), output(g, "aux") });
        check_call(g, "j", PYTREE_JACOBIAN(&f, .mode = PYTREE_REVERSE, .has_aux = true), n, args, both);
        cJSON_Delete(both);
        break;
    case 6: check_one_jacobian(g, PYTREE_HESSIAN(&f), n, args, output(g, "j")); break;
    case 8: check_failure(g, PYTREE_JACOBIAN(&f, .mode = PYTREE_REVERSE), n, args, PYTREE_TYPE, "[0]['k2'];"); break;
    case 9: n = 1;                                             /* v is a constant */
            /* fallthrough */
    default: check_one_jacobian(g, PYTREE_JACOBIAN(&f, .mode = PYTREE_REVERSE), n, args, output(g, "j"));
    }
    seeds_traced_free(&f);
}

static void jacobians(void **state)
{
    (void)state;
    seeds_run("jacobian", check_jacobian, NULL, 0);
}

/* ---- vjp, jvp ---------------------------------------------------------------------------------------------------------- */

#define PAIR "{\"tuple\": [{\"dict\": [[\"y\", \"1 0 *\"]]}, \"0 sq\"]}"

/* 002: aux is a part of the result that has no cotangent. */
static void check_vjp_aux(Golden *g, const pytree *args)
{
    const pytree_fn f = seeds_traced(g, "f", "{\"tuple\": [{\"dict\": [[\"s\", \"0 1 * sum\"]]}, \"'aux'\"]}");
    const pytree both = PYTREE_TUPLE(args[0], args[1]), ct = PYTREE_TUPLE(args[2], PYTREE_STR(""));
    cJSON *out = tuple_of(2, (const cJSON *[2]){ output(g, "out"), output(g, "aux") });
    check_pair(g, PYTREE_VJP(&f), 2, (const pytree[2]){ both, ct }, out, output(g, "gs"));
    cJSON_Delete(out);
    seeds_traced_free(&f);
}

/* 013: what linearize gives is a prepared jvp; it runs again on other tangents. */
static void check_linearize(Golden *g, const pytree_fn *f, pytree p, pytree t)
{
    const pytree args[2] = { PYTREE_TUPLE(p), PYTREE_TUPLE(t) };
    pytree_error error = { 0 };
    pytree_flat out = pytree_eval_shape(PYTREE_JVP(f), 2, args, NULL, &error);
    pytree result = pytree_zeros_like(PYTREE(&out), NULL, &error);
    pytree_prepared *linear = pytree_prepare(PYTREE_JVP(f), 2, args, result, NULL, &error);
    cJSON *both = tuple_of(2, (const cJSON *[2]){ output(g, "y"), output(g, "dy") });
    for (int i = 0; i < 2 && linear != NULL; i++) { (void)pytree_run(linear, &error); }
    if (golden_check_ok(g, "call", &error)) { seeds_check_tree(g, "pair", both, result); }
    cJSON_Delete(both);
    pytree_prepared_free(linear);
    pytree_free(result);
    pytree_flat_free(&out);
}

/* 015: <ct, J t> both ways. */
static void check_products(Golden *g, const pytree_fn *f, const pytree *in)
{
    pytree_error error = { 0 };
    const pytree primals = PYTREE_TUPLE(in[0]), tangents = PYTREE_TUPLE(in[1]);
    pytree_flat dy = pytree_apply_new(PYTREE_JVP(f), 2, (const pytree[2]){ primals, tangents }, NULL, &error);
    pytree_flat back = pytree_apply_new(PYTREE_VJP(f), 2, (const pytree[2]){ primals, in[2] }, NULL, &error);
    if (golden_check_ok(g, "call", &error)) {
        float forward = 0, backward = 0;
        for (size_t k = 0; k < 2; k++) {                       /* results have two leaves, arguments as well */
            pytree_leaf ct[2], t[2];
            assert_int_equal(pytree_leaves(in[2], ct, 2, NULL, NULL, NULL), PYTREE_OK);
            assert_int_equal(pytree_leaves(in[1], t, 2, NULL, NULL, NULL), PYTREE_OK);
            for (size_t i = 0; i < pytree_leaf_count(&ct[k]); i++) {
                forward += ((float *)ct[k].data)[i] * ((float *)dy.leaves[2 + k].data)[i];
            }
            for (size_t i = 0; i < pytree_leaf_count(&t[k]); i++) {
                backward += ((float *)t[k].data)[i] * ((float *)back.leaves[2 + k].data)[i];
            }
        }
        seeds_check_tree(g, "forward", output(g, "forward"), PYTREE(&forward));
        seeds_check_tree(g, "backward", output(g, "backward"), PYTREE(&backward));
    }
    pytree_flat_free(&dy);
    pytree_flat_free(&back);
}

static bool shape_leaf(Golden *g, void *context, const cJSON *json, pytree *t)
{
    const cJSON *of = golden_get(json, "shape_dtype"), *extent;
    pytree_leaf *leaf;
    (void)context;
    if (of == NULL) { return false; }
    leaf = golden_alloc(g, 1, sizeof *leaf);
    leaf->type = seeds_dtype(golden_word(of, "dtype"));
    cJSON_ArrayForEach(extent, golden_at(of, "shape")) { leaf->shape[leaf->ndim++] = (size_t)golden_int(extent); }
    leaf->data = golden_alloc(g, pytree_leaf_count(leaf) + 1, leaf->type->size);
    *t = pytree_of_view(leaf);
    return true;
}

/* Structure, types and shapes of a tree as text. */
static const char *form_of(Golden *g, pytree t)
{
    pytree_error error = { 0 };
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    GoldenText to = { g, NULL, 0, 0 };
    assert_int_equal(pytree_flatten(t, &leaves, 0, &def, NULL, &error), PYTREE_OK);
    golden_puts(&to, golden_def_text(g, def));
    for (size_t k = 0; k < def->n_leaves; k++) {
        char text[40];
        snprintf(text, sizeof text, " %s", leaves[k].type->name);
        golden_puts(&to, text);
        for (int i = 0; i < leaves[k].ndim; i++) {
            snprintf(text, sizeof text, "[%zu]", leaves[k].shape[i]);
            golden_puts(&to, text);
        }
    }
    pytree_def_free(def);
    return to.at;
}

/* 016: structure, types and shapes, as texts. */
static void check_eval_shape(Golden *g, const pytree *args)
{
    const pytree_fn f = seeds_traced(g, "f", "{\"list\": [\"1 0 * sumlast\", {\"dict\": [[\"s\", \"1 #0 > float sum int\"], "
                                     "[\"n\", null]]}]}");
    const SeedsLeaves leaves = { shape_leaf, NULL };
    const pytree wanted = seeds_tree_of(g, output(g, "shapes"), &leaves);
    pytree_error error = { 0 };
    pytree_flat out = pytree_eval_shape(&f, 1, args, NULL, &error);
    if (golden_check_ok(g, "call", &error)) {
        golden_check_text(g, "shapes", form_of(g, wanted), form_of(g, PYTREE(&out)));
    }
    pytree_flat_free(&out);
    seeds_traced_free(&f);
}

/* The places in a title, "random: shape at [0] and dtype at [1]". Tangents are a tuple: [0] stands in front. */
static void check_random(Golden *g, const pytree *in)
{
    const pytree_fn f = seeds_traced(g, "f", "\"=\"");
    const char *title = golden_word(g->json, "title"), *at;
    const bool vjp = strstr(golden_word(g->json, "run"), "jax.vjp") != NULL;
    const pytree tangents = PYTREE_TUPLE(in[1]);
    SeedsPlaces places;
    pytree_error error = { 0 };
    size_t n = 0, n_places = 0;
    pytree_flat out = pytree_apply_new(vjp ? PYTREE_VJP(&f) : PYTREE_JVP(&f), 2,
                                       (const pytree[2]){ PYTREE_TUPLE(in[0]), vjp ? in[1] : tangents },
                                       seeds_options(&places), &error);
    for (at = places.at; (at = strchr(at, ';')) != NULL; at++) { n_places++; }
    for (at = title; (at = strstr(at, " at ")) != NULL; n++) {
        char path[100];
        const char *end = strstr(at + 4, " and ");
        snprintf(path, sizeof path, "%s%.*s;", vjp ? "" : "[0]",
                 (int)(end == NULL ? strlen(at + 4) : (size_t)(end - at - 4)), at + 4);
        golden_check_bool(g, "places", true, strstr(places.at, path) != NULL);
        at += 4;
    }
    golden_check_bool(g, "places", true, n == n_places);
    golden_check_text(g, "status", pytree_status_name(strstr(title, "shape at") != NULL ? PYTREE_SHAPE : PYTREE_TYPE),
                      pytree_status_name(error.status));
    pytree_flat_free(&out);
    seeds_traced_free(&f);
}

static void check_vjp_jvp(Golden *g)
{
    const size_t number = seeds_number(g);
    const pytree_fn f = seeds_traced(g, "f", PAIR);
    pytree in[3];
    const size_t n = inputs(g, in, 3);
    const pytree primals = PYTREE_TUPLE(in[0]), second = n < 2 ? PYTREE_NONE : in[1], tangent = PYTREE_TUPLE(second);
    const pytree back[2] = { primals, second }, forth[2] = { primals, tangent };
    const cJSON *gradient;
    cJSON *one;
    switch (number) {
    case 1:
        gradient = output(g, "g");
        one = tuple_of(1, &gradient);
        check_pair(g, PYTREE_VJP(&f), 2, back, output(g, "y"), one);
        cJSON_Delete(one);
        break;
    case 2: check_vjp_aux(g, in); break;
    case 3: case 4: case 5: check_failure(g, PYTREE_VJP(&f), 2, back, PYTREE_STRUCTURE, seeds_places(g, 0, 0)); break;
    case 6: check_failure(g, PYTREE_VJP(&f), 2, back, PYTREE_SHAPE, "[0]['y'];"); break;
    case 7: check_failure(g, PYTREE_VJP(&f), 2, back, PYTREE_TYPE, "[0]['y'];"); break;
    case 8: check_pair(g, PYTREE_JVP(&f), 2, forth, output(g, "y"), output(g, "dy")); break;
    case 9: check_failure(g, PYTREE_JVP(&f), 2, back, PYTREE_STRUCTURE, "[0];"); break;
    case 10: check_failure(g, PYTREE_JVP(&f), 2, back, PYTREE_STRUCTURE, ";"); break;
    case 11: check_failure(g, PYTREE_JVP(&f), 2, back, PYTREE_SHAPE, "[0]['z'];"); break;
    case 12: check_failure(g, PYTREE_JVP(&f), 2, back, PYTREE_TYPE, "[0]['z'];"); break;
    case 13: check_linearize(g, &f, in[0], in[1]); break;
    case 14: check_failure(g, PYTREE_JVP(&f), 2, forth, PYTREE_STRUCTURE, "[0];"); break;
    case 15: check_products(g, &f, in); break;
    case 16: check_eval_shape(g, in); break;
    default: check_random(g, in);
    }
    seeds_traced_free(&f);
}

static void products(void **state)
{
    (void)state;
    seeds_run("vjp_jvp", check_vjp_jvp, NULL, 0);
}

/* ---- Transposition ------------------------------------------------------------------------------------------------------ */

/* A recorded treedef; NULL for one that is to be inferred. */
static pytree_def *recorded_def(Golden *g, const char *name)
{
    const cJSON *json = golden_get(golden_at(g->json, "inputs"), name);
    pytree_error error = { 0 };
    pytree_def *def;
    if (json == NULL || cJSON_IsNull(json)) { return NULL; }
    def = pytree_structure(seeds_tree(g, golden_at(json, "treedef.structure")), NULL, &error);
    assert_int_equal(error.status, PYTREE_OK);
    return def;
}

static void check_transpose(Golden *g)
{
    const size_t number = seeds_number(g);
    const pytree t = seeds_tree(g, golden_at(g->json, "inputs.t")), zero = PYTREE_INT(0);
    const char *there = number == 4 ? "once" : "out", *back = number == 4 ? "twice" : NULL;
    pytree_error error = { 0 };
    pytree_def *outer = recorded_def(g, "outer"), *inner = recorded_def(g, "inner");
    pytree_flat out, again = { NULL, NULL };
    if (number == 4) {
        outer = pytree_structure(PYTREE_TUPLE(zero, zero, zero), NULL, &error);
        inner = pytree_structure(PYTREE_LIST(zero, zero), NULL, &error);
    }
    out = pytree_transpose(outer, inner, t, NULL, &error);
    if (golden_get(g->json, "error") != NULL) {
        golden_check_text(g, "status", pytree_status_name(number == 9 ? PYTREE_TOO_FEW_LEAVES : PYTREE_STRUCTURE),
                          pytree_status_name(error.status));
    } else if (golden_check_ok(g, "call", &error)) {
        seeds_check_tree(g, "out", output(g, there), PYTREE(&out));
        if (back != NULL || golden_get(golden_at(g->json, "outputs"), "same") != NULL) {
            again = pytree_transpose(inner, outer, PYTREE(&out), NULL, &error);
            if (golden_check_ok(g, "back", &error)) {
                seeds_check_tree(g, "back", golden_at(g->json, "inputs.t"), PYTREE(&again));
            }
        }
    }
    pytree_flat_free(&again);
    pytree_flat_free(&out);
    pytree_def_free(outer);
    pytree_def_free(inner);
}

static void transposition(void **state)
{
    (void)state;
    seeds_run("transpose", check_transpose, NULL, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients), cmocka_unit_test(jacobians), cmocka_unit_test(products), cmocka_unit_test(transposition)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
