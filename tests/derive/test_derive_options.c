/* Options of derivatives: tolerances and modes of the check, auxiliary results, which results of a program are wanted;
 * functions with rules of their own over functions that are programs. */
#include "derive_shared.h"

BODY(product, pytree_op_mul(tr, pytree_op_sin(tr, a), b))
BODY(sine, pytree_op_sin(tr, a))
BODY(times_infinity, pytree_op_scale(tr, a, INFINITY))
BODY(no_function, pytree_value_at(tr, pytree_op_apply(tr, NULL, 1, &tr->tree[0]), 0))

static pytree_status as_it_is_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status as_it_is_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(double *)c->out[0]->data = *(const double *)c->in[0]->data;
    return PYTREE_OK;
}
static void infinite_jvp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out_t)
{
    (void)e;
    out_t[0] = pytree_op_scale(tr, t[0], INFINITY);
}
static const pytree_op infinite = { .name = "infinite", .shape = as_it_is_shape, .run = as_it_is_run, .jvp = infinite_jvp };
BODY(infinite_rule, pytree_record(tr, &infinite, NULL, 1, &a, NULL))

/* (w, x) -> (w x², (x, 3)): a value, and more. */
static pytree_status with_aux(void *context, pytree_trace *tr)
{
    const pytree_value w = V(tr->arg[0]), x = V(tr->arg[1]), y = pytree_op_mul(tr, w, pytree_op_square(tr, x));
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(y), PYTREE_TUPLE(PYTREE_V(x), PYTREE_V(pytree_op_number(tr, w, 3)))));
}
static pytree_status with_more(void *context, pytree_trace *tr)
{
    const pytree_value w = V(tr->arg[0]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(w), PYTREE_V(w), PYTREE_V(w)));
}

static pytree_status multiply(void *context, const pytree_call *at)
{
    const double *x = at->arg[0], *y = at->arg[1];
    double *z = at->res[0];
    (void)context;
    for (size_t i = 0; i < 2; i++) { z[i] = x[i] * y[i]; }
    return PYTREE_OK;
}
/* (x, y, z, cotangent) -> cotangents of x and y; that of y is wrong by a hundredth, that of x by `context`. */
static pytree_status wrong_rule(void *context, const pytree_call *at)
{
    const double *x = at->in[0].data, *y = at->in[1].data, *d = at->in[3].data, off = *(const double *)context;
    double *dx = at->out[0].data, *dy = at->out[1].data;
    for (size_t i = 0; i < 2; i++) {
        dx[i] = y[i] * d[i];
        dy[i] = x[i] * d[i] + off;
    }
    return PYTREE_OK;
}
static pytree_status both_shapes(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0], at->args[1]));
}

static void tolerances_and_modes(void **state)
{
    double x[2] = { 1, 2 }, y[2] = { 3, 4 }, off = 0.01;
    const pytree args[2] = { PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 2) };
    const pytree_fn rule = { .name = "rule", .call = wrong_rule, .shape = both_shapes, .context = &off };
    const pytree_fn f = { .name = "multiply", .call = multiply, .shape = pytree_result_first, .vjp = &rule };
    const pytree_tolerance absolute = { .absolute = 0.1 }, relative = { .relative = 2 }, small = { .absolute = 1e-4 };
    pytree_check_grads_options opt = { .modes = PYTREE_REVERSE };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_check_grads(&f, 2, args, &opt, &error), PYTREE_VALUE, "[1]", &error);
    assert_non_null(strstr(error.message, "vjp: expected "));
    assert_non_null(strstr(error.message, " (differences), got "));
    memset(&error, 0, sizeof error);
    opt.tolerance = small;
    assert_error(pytree_check_grads(&f, 2, args, &opt, &error), PYTREE_VALUE, "[1]", &error);
    memset(&error, 0, sizeof error);
    opt.tolerance = absolute;
    assert_ok(pytree_check_grads(&f, 2, args, &opt, &error), &error);
    opt.tolerance = relative;
    opt.n_directions = 1;
    off = 0;
    assert_ok(pytree_check_grads(&f, 2, args, &opt, &error), &error);
    opt = (pytree_check_grads_options){ .modes = PYTREE_FORWARD };
    assert_ok(pytree_check_grads(PYTREE_TRACED(product), 2, args, &opt, &error), &error);
}

/* Leaves that are no floats have no derivative; arrays without elements need no data, others do. */
static void arguments_of_checks(void **state)
{
    double x[2] = { 1, 2 };
    int whole = 3;
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_check_grads(PYTREE_TRACED(product), 3, (pytree[3]){ PYTREE_ARRAY(x, 2), PYTREE_ARRAY(x, 2),
                                                                         PYTREE(&whole) }, NULL, &error), &error);
    assert_ok(pytree_check_grads(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_SHAPED(double, 0), PYTREE_SHAPED(double, 0) },
                                 NULL, &error), &error);
    assert_error(pytree_check_grads(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(x, 2), PYTREE_SHAPED(double, 2) },
                                    NULL, &error), PYTREE_NULL_POINTER, "", &error);
    assert_string_equal(error.message, "check_grads: expected data, got a shape");
}

static void refused(const pytree_fn *f, size_t n, const pytree *args, pytree_status wanted, const char *text)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, NULL, &error);
    assert_null(out.def);
    assert_error(error.status, wanted, NULL, &error);
    assert_string_equal(error.message, text);
}

static void auxiliary_results(void **state)
{
    double w = 2, x = 3;
    const pytree args[2] = { PYTREE(&w), PYTREE(&x) };
    const pytree primals = PYTREE_TUPLE(PYTREE(&w)), vjp[2] = { primals, PYTREE_TUPLE(PYTREE(&x), PYTREE(&x)) };
    (void)state;
    for (int mode = 0; mode < 2; mode++) {
        pytree_error error = { 0 };
        pytree_flat out = pytree_apply_new(PYTREE_JACOBIAN(PYTREE_TRACED(with_aux), .has_aux = true,
                                                           .mode = mode == 0 ? PYTREE_FORWARD : PYTREE_REVERSE,
                                                           .argnums = PYTREE_ARGNUMS(0, 1)), 2, args, NULL, &error);
        assert_ok(error.status, &error);
        assert_int_equal(pytree_def_num_leaves(out.def), 4);
        assert_true(pytree_leaf_get(&out.leaves[0], 0) == 9 && pytree_leaf_get(&out.leaves[1], 0) == 12);
        assert_true(pytree_leaf_get(&out.leaves[2], 0) == 3 && pytree_leaf_get(&out.leaves[3], 0) == 3);
        pytree_flat_free(&out);
    }
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(with_more), .has_aux = true), 1, args, PYTREE_STRUCTURE,
            "jacobian of with_more: expected a result (value, aux), got tuple of length 3");
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(product), .has_aux = true), 2, args, PYTREE_STRUCTURE,
            "jacobian of product: expected a result (value, aux), got f64");
    refused(PYTREE_GRAD(PYTREE_TRACED(with_more), .has_aux = true), 1, args, PYTREE_STRUCTURE,
            "grad of with_more: expected a result (value, aux), got tuple of length 3");
    refused(PYTREE_VJP(PYTREE_TRACED(with_more)), 2, vjp, PYTREE_STRUCTURE,
            "vjp of with_more: cotangent: expected tuple of length 3, got tuple of length 2");
    refused(PYTREE_TRACED(no_function, .name = "f"), 1, args, PYTREE_ARGUMENT, "f: expected a function, got NULL");
}

/* A result of a derivative is a pair. */
static void results_that_are_no_pair(void **state)
{
    double x = 0.5, y[3] = { 0 };
    const pytree primals = PYTREE_TUPLE(PYTREE(&x)), args[2] = { primals, primals };
    const pytree_fn *const f = PYTREE_JVP(PYTREE_TRACED(sine));
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_apply(f, 2, args, PYTREE_TUPLE(PYTREE(&y[0]), PYTREE(&y[1]), PYTREE(&y[2])), NULL, &error),
                 PYTREE_STRUCTURE, "", &error);
    assert_string_equal(error.message, "jvp of sine: result: expected tuple of length 2, got tuple of length 3");
    apply(f, 2, args, PYTREE_TUPLE(PYTREE(&y[0]), PYTREE(&y[1])));
    assert_close(y[1], cos(0.5) * 0.5, 1e-15);
}

/* Derivatives that are infinite agree; one that is infinite does not agree with another. */
static void infinite_derivatives(void **state)
{
    double x = 0, w = 1;
    pytree_check_grads_options opt = { .modes = PYTREE_FORWARD };
    pytree_error error = { 0 };
    (void)state;
    assert_ok(pytree_check_grads(PYTREE_TRACED(times_infinity), 1, (pytree[1]){ PYTREE(&x) }, &opt, &error), &error);
    assert_error(pytree_check_grads(PYTREE_TRACED(infinite_rule), 1, (pytree[1]){ PYTREE(&w) }, &opt, &error), PYTREE_VALUE, "",
                 &error);
    assert_non_null(strstr(error.message, "jvp: expected "));
}

static void wanted_results(void **state)
{
    bool flags[2] = { true, false };
    double w = 2, x = 3;
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(PYTREE_TRACED(with_aux), 2, (pytree[2]){ PYTREE(&w), PYTREE(&x) }, NULL, &error);
    pytree_program *part;
    (void)state;
    assert_ok(error.status, &error);
    assert_null(pytree_dce(p, PYTREE_TUPLE(PYTREE_ARRAY(flags, 2), PYTREE_NONE), &error));
    assert_error(error.status, PYTREE_TYPE, "[0]", &error);
    assert_string_equal(error.message, "out_used: expected a bool or None, got bool[2]");
    memset(&error, 0, sizeof error);
    part = pytree_dce(p, PYTREE_TUPLE(PYTREE_BOOL(false), PYTREE_BOOL(false)), &error);       /* x is an argument, and stays */
    assert_ok(error.status, &error);
    assert_int_equal(part->n_out, 1);
    assert_int_equal(part->n_eqns, 0);
    pytree_program_free(part);
    pytree_program_free(p);
}

/* The derivative of what is a constant is zero, and no value of the program: it is left out like others. */
static void results_that_are_zero(void **state)
{
    double w = 2, x = 3;
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(PYTREE_TRACED(with_aux), 2, (pytree[2]){ PYTREE(&w), PYTREE(&x) }, NULL, &error);
    pytree_program *forward, *part;
    char text[128];
    (void)state;
    assert_ok(error.status, &error);
    forward = pytree_pushforward(p, &error);
    assert_ok(error.status, &error);
    assert_int_equal(forward->n_out, 6);
    assert_int_equal(forward->out[5].id, 0);                   /* of 3 */
    part = pytree_dce(forward, PYTREE_TUPLE(PYTREE_BOOL(false), PYTREE_TUPLE(PYTREE_BOOL(false), PYTREE_BOOL(false))), &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_text(part->out_def, text, sizeof text) < sizeof text);
    assert_string_equal(text, "PyTreeDef(((None, (*, None)), (None, (*, None))))");
    pytree_program_free(part);
    part = pytree_dce(forward, PYTREE_NONE, &error);
    assert_ok(error.status, &error);
    assert_int_equal(part->n_out, 6);
    pytree_program_free(part);
    pytree_program_free(forward);
    pytree_program_free(p);
}

/* A traced function with a rule of its own: the rule counts, not what was recorded. */
static pytree_status three_rule(void *context, const pytree_call *at)
{
    double *out = at->out[0].data;
    (void)context;
    *out = 3;
    return PYTREE_OK;
}
static pytree_status one_tuple(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0]));
}
static void rules_of_programs(void **state)
{
    const pytree_fn jvp = { .name = "jvp", .call = three_rule, .shape = pytree_result_first };
    const pytree_fn vjp = { .name = "vjp", .call = three_rule, .shape = one_tuple };
    pytree_fn f = *PYTREE_TRACED(sine), g = *PYTREE_VMAP(PYTREE_TRACED(sine)), h = g;
    double x = 0.5, many[1] = { 0.5 }, out[2];
    const pytree primals = PYTREE_TUPLE(PYTREE(&x)), both[2] = { primals, primals };
    (void)state;
    apply(PYTREE_GRAD(&f), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&out[0]));
    assert_close(out[0], cos(0.5), 1e-15);
    f.vjp = &vjp;
    apply(PYTREE_GRAD(&f), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&out[0]));
    assert_true(out[0] == 3);
    f.vjp = NULL;
    f.jvp = &jvp;
    apply(PYTREE_JVP(&f), 2, both, PYTREE_TUPLE(PYTREE(&out[0]), PYTREE(&out[1])));
    assert_close(out[0], sin(0.5), 1e-15);
    assert_true(out[1] == 3);
    g.vjp = &vjp;
    apply(PYTREE_VJP(&g), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE_ARRAY(many, 1)), PYTREE_ARRAY(many, 1) },
          PYTREE_TUPLE(PYTREE_ARRAY(out, 1), PYTREE_TUPLE(PYTREE_ARRAY(out + 1, 1))));
    assert_true(out[1] == 3);
    h.jvp = &jvp;
    apply(PYTREE_JVP(&h), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE_ARRAY(many, 1)), PYTREE_TUPLE(PYTREE_ARRAY(many, 1)) },
          PYTREE_TUPLE(PYTREE_ARRAY(out, 1), PYTREE_ARRAY(out + 1, 1)));
    assert_true(out[1] == 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tolerances_and_modes), cmocka_unit_test(arguments_of_checks), cmocka_unit_test(auxiliary_results),
        cmocka_unit_test(results_that_are_no_pair), cmocka_unit_test(infinite_derivatives),
        cmocka_unit_test(wanted_results), cmocka_unit_test(results_that_are_zero),
        cmocka_unit_test(rules_of_programs)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
