/* test_derive.c: derivatives of traced functions, of transforms and of callbacks: each against differences, to second order;
 * and what their results look like. */
#include "derive_shared.h"

typedef struct Layer {
    int din, dout;
    float *w, *b;
    float scale;
} Layer;
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))               \
    PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

static pytree_status loss(void *context, pytree_trace *tr)     /* (Layer, x [n, din], y [n, dout]) -> mean squared error */
{
    const Layer *l = tr->arg[0];
    const pytree_value h = pytree_op_tanh(tr, pytree_op_linear(tr, V(tr->arg[1]), V(l->w), V(l->b)));
    const pytree_value e = pytree_op_sub(tr, pytree_op_mul(tr, h, V(&l->scale)), V(tr->arg[2]));
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_mean(tr, pytree_op_square(tr, e))));
}

/* ---- Structs ------------------------------------------------------------------------------------------------------- */

static void test_struct(void **state)
{
    float w[6] = { 0, 0.1f, 0.2f, 0.3f, 0.4f, 0.5f }, b[3] = { 0.1f }, dw[6], db[3], value;
    float x[4][2] = { { 1, 2 }, { 3, 4 }, { -1, 0 }, { 2, 2 } }, y[4][3] = { { 1, 0, 1 } }, each_w[4][6], each_b[4][3],
        each_scale[4];
    Layer l = { 2, 3, w, b, 1.5f }, d = { 2, 3, dw, db, 0 };
    const pytree args[3] = { PYTREE(&l), PYTREE_ARRAY(x[0], 4, 2), PYTREE_ARRAY(y[0], 4, 3) };
    const pytree_fn *f = PYTREE_TRACED(loss, .name = "loss", .takes = PYTREE_TYPES(PYTREE_TYPE(Layer), PYTREE_TYPE(float),
                                                                                   PYTREE_TYPE(float)));
    (void)state;
    apply(PYTREE_VALUE_AND_GRAD(f), 3, args, PYTREE_TUPLE(PYTREE(&value), PYTREE(&d)));
    assert_grads(f, 3, args);
    /* per example: vmap of grad; their mean is the gradient of the whole */
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(PYTREE(&l), NULL, &error);
    pytree_leaf leaves[3] = { { each_w, PYTREE_TYPE(float), 3, 0, { 4, 2, 3 } }, { each_b, PYTREE_TYPE(float), 2, 0, { 4, 3 } },
                              { each_scale, PYTREE_TYPE(float), 1, 0, { 4 } } };
    pytree_flat each = { def, leaves };
    apply(PYTREE_VMAP(PYTREE_GRAD(f), .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0), PYTREE_INT(0))), 3,
          (pytree[3]){ PYTREE(&l), PYTREE_ARRAY(x[0], 4, 1, 2), PYTREE_ARRAY(y[0], 4, 1, 3) }, PYTREE(&each));
    for (int i = 0; i < 6; i++) {
        assert_close((double)(each_w[0][i] + each_w[1][i] + each_w[2][i] + each_w[3][i]) / 4, (double)dw[i], 1e-6);
    }
    assert_close((double)(each_scale[0] + each_scale[1] + each_scale[2] + each_scale[3]) / 4, (double)d.scale, 1e-6);
    pytree_def_free(def);
    /* prepared once, run on what is there now */
    const float before = d.scale;
    pytree_prepared *step = pytree_prepare(PYTREE_VALUE_AND_GRAD(f), 3, args, PYTREE_TUPLE(PYTREE(&value), PYTREE(&d)), NULL,
                                           &error);
    assert_non_null(step);
    d.scale = 0;
    assert_ok(pytree_run(step, &error), &error);
    assert_close((double)d.scale, (double)before, 0);
    l.scale = 0;
    assert_ok(pytree_run(step, &error), &error);
    assert_close((double)dw[0], 0, 0);
    pytree_prepared_free(step);
}

/* ---- Loops and branches -------------------------------------------------------------------------------------------- */

static pytree_status step(void *context, pytree_trace *tr)     /* ((w, x), u) -> ((w, sin(w x + u)), x u) */
{
    const pytree_value w = pytree_value_at(tr, tr->tree[0], 0), x = pytree_value_at(tr, tr->tree[0], 1), u = V(tr->arg[1]);
    const pytree_value next = pytree_op_sin(tr, pytree_op_add(tr, pytree_op_mul(tr, w, x), u));
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_V(w), PYTREE_V(next)), PYTREE_V(pytree_op_mul(tr, x, u))));
}
BODY(element, pytree_op_mul(tr, pytree_op_sin(tr, pytree_op_mul(tr, a, b)), b))            /* (w, x) -> sin(w x) x */
BODY(decay, pytree_op_mul(tr, pytree_op_cos(tr, b), pytree_op_scale(tr, b, 0.9)))          /* (i, x) -> … */
static pytree_status above(void *context, pytree_trace *tr)    /* x -> x > 1/10 */
{
    const pytree_value x = V(tr->arg[0]);
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_greater(tr, x, pytree_op_number(tr, x, 0.1))));
}
BODY(shrink, pytree_op_mul(tr, a, pytree_op_sin(tr, a)))
BODY(squared, pytree_op_mul(tr, a, a))
BODY(waved, pytree_op_mul(tr, pytree_op_sin(tr, a), b))

/* The sum of the squares of all that a function gives. */
static pytree_status all_squares(void *context, pytree_trace *tr)
{
    const pytree_fn *f = context;
    const pytree y = pytree_op_apply(tr, f, tr->n_args, tr->tree);
    const size_t n = y.data == NULL ? 0 : ((const pytree_flat *)y.data)->def->n_leaves;
    pytree_value sum = { 0 };
    for (size_t i = 0; i < n; i++) {
        const pytree_value one = pytree_op_sum(tr, pytree_op_square(tr, pytree_value_at(tr, y, i)), 0, NULL);
        sum = i == 0 ? one : pytree_op_add(tr, sum, one);
    }
    return pytree_return(tr, PYTREE_V(sum));
}

/* First derivatives of f, and second ones of the sum of its squares: reverse over reverse, forward over reverse. */
static void assert_closed(const pytree_fn *f, size_t n, const pytree *args, pytree_argnums argnums)
{
    const pytree_fn *squares = PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)f);
    assert_grads(f, n, args);
    assert_grads(squares, n, args);
    assert_grads(PYTREE_GRAD(squares, .argnums = argnums), n, args);
    assert_grads(PYTREE_JACOBIAN(squares, .argnums = argnums, .mode = PYTREE_FORWARD), n, args);
}

static void test_scan(void **state)
{
    double w = 0.7, x = 0.3, us[5] = { 0.1, -0.4, 0.6, 0.2, 0.9 };
    const pytree args[2] = { PYTREE_TUPLE(PYTREE(&w), PYTREE(&x)), PYTREE_ARRAY(us, 5) };
    (void)state;
    assert_closed(PYTREE_SCAN(PYTREE_TRACED(step, .name = "step")), 2, args, PYTREE_ARGNUMS(0, 1));
    assert_closed(PYTREE_SCAN(PYTREE_TRACED(step, .name = "step"), .reverse = true), 2, args, PYTREE_ARGNUMS(0, 1));
    /* no steps: the carry is the result */
    double dw, dx, none[1] = { 0 }, ys[1], ct_w = 2, ct_x = 3, last[2];
    apply(PYTREE_VJP(PYTREE_SCAN(PYTREE_TRACED(step))), 2,
          (pytree[2]){ PYTREE_TUPLE(args[0], PYTREE_ARRAY(none, 0)),
                      PYTREE_TUPLE(PYTREE_TUPLE(PYTREE(&ct_w), PYTREE(&ct_x)), PYTREE_ARRAY(none, 0)) },
          PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_TUPLE(PYTREE(&last[0]), PYTREE(&last[1])), PYTREE_ARRAY(ys, 0)),
                       PYTREE_TUPLE(PYTREE_TUPLE(PYTREE(&dw), PYTREE(&dx)), PYTREE_ARRAY(ys, 0))));
    assert_close(dw, 2, 0);
    assert_close(dx, 3, 0);
}

static void test_vmap(void **state)
{
    double w = 0.7, xs[3] = { 0.5, 1, 2 }, columns[2][3] = { { 0.5, 1, 2 }, { -1, 0.3, 0.2 } };
    const pytree_fn *f = PYTREE_TRACED(element);
    const pytree none_zero = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0)), none_last = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(-1));
    (void)state;
    assert_closed(PYTREE_VMAP(f, .in_axes = none_zero), 2, (pytree[2]){ PYTREE(&w), PYTREE_ARRAY(xs, 3) }, PYTREE_ARGNUMS(0,
            1));
    assert_closed(PYTREE_VMAP(f, .in_axes = none_last, .out_axes = PYTREE_INT(1)), 2,
                  (pytree[2]){ PYTREE(&w), PYTREE_ARRAY(columns[0], 2, 3) }, PYTREE_ARGNUMS(0, 1));
    assert_closed(PYTREE_VMAP(PYTREE_VMAP(f, .in_axes = none_zero), .in_axes = none_zero), 2,
                  (pytree[2]){ PYTREE(&w), PYTREE_ARRAY(columns[0], 2, 3) }, PYTREE_ARGNUMS(0, 1));
    assert_closed(PYTREE_VMAP(PYTREE_GRAD(f), .in_axes = none_zero), 2, (pytree[2]){ PYTREE(&w), PYTREE_ARRAY(xs, 3) },
                  PYTREE_ARGNUMS(1));
}

static void test_nested(void **state)
{
    double w[2] = { 0.7, -0.4 }, x[2] = { 0.3, 0.5 }, us[2][3] = { { 0.1, -0.4, 0.6 }, { 0.2, 0.9, 0.1 } };
    (void)state;
    assert_closed(PYTREE_VMAP(PYTREE_SCAN(PYTREE_TRACED(step))), 2,
                  (pytree[2]){ PYTREE_TUPLE(PYTREE_ARRAY(w, 2), PYTREE_ARRAY(x, 2)), PYTREE_ARRAY(us[0], 2, 3) },
                  PYTREE_ARGNUMS(0, 1));
    assert_closed(PYTREE_SCAN(PYTREE_VMAP(PYTREE_TRACED(step))), 2,
                  (pytree[2]){ PYTREE_TUPLE(PYTREE_ARRAY(w, 2), PYTREE_ARRAY(x, 2)), PYTREE_ARRAY(us[0], 3, 2) },
                  PYTREE_ARGNUMS(0, 1));
}

static void test_loops(void **state)
{
    double x = 1.3;
    const pytree args[1] = { PYTREE(&x) };
    (void)state;
    assert_closed(PYTREE_FORI(PYTREE_TRACED(decay), .from = 2, .to = 5), 1, args, PYTREE_ARGNUMS(0));
    assert_closed(PYTREE_WHILE(PYTREE_TRACED(above), PYTREE_TRACED(shrink), .max_iters = 6), 1, args, PYTREE_ARGNUMS(0));
    assert_closed(PYTREE_WHILE(PYTREE_TRACED(above), PYTREE_TRACED(shrink), .max_iters = 2), 1, args, PYTREE_ARGNUMS(0));
    /* forward needs no limit, reverse does */
    const pytree_fn *endless = PYTREE_WHILE(PYTREE_TRACED(above), PYTREE_TRACED(shrink));
    double value, tangent, one = 1;
    pytree_error error = { 0 };
    apply(PYTREE_JVP(endless), 2, (pytree[2]){ PYTREE_TUPLE(args[0]), PYTREE_TUPLE(PYTREE(&one)) },
          PYTREE_TUPLE(PYTREE(&value), PYTREE(&tangent)));
    assert_error(pytree_apply(PYTREE_GRAD(endless), 1, args, PYTREE(&value), NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_non_null(strstr(error.message, "expected max_iters for a reverse derivative, got no limit of iterations"));
}

static void test_branches(void **state)
{
    double a[2] = { 0.4, 1.2 }, b[2] = { 0.3, -0.8 };
    (void)state;
    for (int which = 0; which < 3; which++) {
        const pytree args[3] = { PYTREE(&which), PYTREE_ARRAY(a, 2), PYTREE_ARRAY(b, 2) };
        assert_closed(PYTREE_SWITCH(PYTREE_TRACED(squared), PYTREE_TRACED(waved)), 3, args, PYTREE_ARGNUMS(1, 2));
        assert_closed(PYTREE_COND(PYTREE_TRACED(squared), PYTREE_TRACED(waved)), 3, args, PYTREE_ARGNUMS(1, 2));
    }
}

/* ---- Callbacks ----------------------------------------------------------------------------------------------------- */

static pytree_status cube_call(void *context, const pytree_call *at)
{
    const double x = *(const double *)at->arg[0];
    (void)context;
    *(double *)at->res[0] = x * x * x;
    return PYTREE_OK;
}
static pytree_status cube_slope(void *context, const pytree_call *at)      /* (x, y, t) -> 3 x x t, both ways */
{
    const double x = *(const double *)at->arg[0];
    (void)context;
    *(double *)at->res[0] = 3 * x * x * *(const double *)at->arg[2];
    return PYTREE_OK;
}
static pytree_status tuple_of_one(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0]));
}
static const pytree_fn cube_jvp = { .name = "cube_jvp", .call = cube_slope, .shape = pytree_result_f64 };
static const pytree_fn cube_vjp = { .name = "cube_vjp", .call = cube_slope, .shape = tuple_of_one };
static const pytree_fn cube = { .name = "cube", .call = cube_call, .shape = pytree_result_f64, .jvp = &cube_jvp,
                                .vjp = &cube_vjp };
static const pytree_fn bare = { .name = "bare", .call = cube_call, .shape = pytree_result_f64 };

static pytree_status cube_of_sine(void *context, pytree_trace *tr)
{
    const pytree_fn *f = context;
    const pytree y = pytree_op_apply(tr, f, 1, (pytree[1]){ PYTREE_V(pytree_op_sin(tr, V(tr->arg[0]))) });
    return pytree_return(tr, y);
}

static pytree_status cube_complex(void *context, const pytree_call *at)
{
    const double *x = at->in[0].data;
    double *y = at->out[0].data, re = x[0] * x[0] - x[1] * x[1], im = 2 * x[0] * x[1];
    (void)context;
    y[0] = re * x[0] - im * x[1];
    y[1] = re * x[1] + im * x[0];
    return PYTREE_OK;
}
static const pytree_fn cube_twin = { .name = "cube_twin", .call = cube_complex, .shape = pytree_result_first };

static void test_callbacks(void **state)
{
    double x = 0.8, d, value, one = 1, tangent;
    const pytree args[1] = { PYTREE(&x) };
    pytree_error error = { 0 };
    (void)state;
    assert_grads(&cube, 1, args);
    assert_grads(PYTREE_TRACED(cube_of_sine, .context = (void *)(uintptr_t)&cube), 1, args);
    apply(PYTREE_GRAD(PYTREE_TRACED(cube_of_sine, .context = (void *)(uintptr_t)&cube)), 1, args, PYTREE(&d));
    assert_close(d, 3 * sin(x) * sin(x) * cos(x), 1e-14);
    apply(PYTREE_GRAD(PYTREE_NUMERIC(&bare)), 1, args, PYTREE(&d));
    assert_close(d, 3 * x * x, 1e-9);
    apply(PYTREE_GRAD(PYTREE_COMPLEX_STEP(&bare, &cube_twin)), 1, args, PYTREE(&d));
    assert_close(d, 3 * x * x, 1e-15);
    apply(PYTREE_JVP(PYTREE_COMPLEX_STEP(&bare, &cube_twin)), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE(&x)),
                                                                             PYTREE_TUPLE(PYTREE(&one)) },
          PYTREE_TUPLE(PYTREE(&value), PYTREE(&tangent)));
    assert_close(value, x * x * x, 0);
    assert_close(tangent, 3 * x * x, 1e-15);
    assert_error(pytree_apply(PYTREE_GRAD(&bare), 1, args, PYTREE(&d), NULL, &error), PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "vjp of bare: expected a rule (pytree_fn.vjp) or PYTREE_NUMERIC, got neither");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_GRAD(PYTREE_GRAD(PYTREE_NUMERIC(&bare))), 1, args, PYTREE(&d), NULL, &error),
                 PYTREE_ARGUMENT,
                 "", &error);
}

/* ---- Results ------------------------------------------------------------------------------------------------------- */

static pytree_status with_aux(void *context, pytree_trace *tr)
{
    const pytree_value x = V(tr->arg[0]), y = V(tr->arg[1]), p = pytree_op_mul(tr, x, pytree_op_sin(tr, y));
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(p), PYTREE_DICT({ "y", PYTREE_V(y) }, { "n", PYTREE_V(V(tr->arg[2])) })));
}

static void test_aux(void **state)
{
    double x = 2, y = 0.5, value, dx, dy, aux;
    int n = 7, m = 0, dn = 5;
    const pytree args[3] = { PYTREE(&x), PYTREE(&y), PYTREE(&n) };
    const pytree more = PYTREE_DICT({ "n", PYTREE(&m) }, { "y", PYTREE(&aux) });
    const pytree_fn *f = PYTREE_TRACED(with_aux, .name = "f");
    pytree_error error = { 0 };
    (void)state;
    apply(PYTREE_VALUE_AND_GRAD(f, .argnums = PYTREE_ARGNUMS(1, 0), .has_aux = true), 3, args,
          PYTREE_TUPLE(PYTREE_TUPLE(PYTREE(&value), more), PYTREE_TUPLE(PYTREE(&dy), PYTREE(&dx))));
    assert_close(value, 2 * sin(0.5), 1e-15);
    assert_close(dx, sin(0.5), 1e-15);
    assert_close(dy, 2 * cos(0.5), 1e-15);
    assert_int_equal(m, 7);
    m = 0;
    apply(PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(-1), .has_aux = true, .allow_int = true), 3, args,
          PYTREE_TUPLE(PYTREE_TUPLE(PYTREE(&dn)), more));
    assert_int_equal(dn, 0);
    assert_int_equal(m, 7);
    assert_error(pytree_apply(PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(2), .has_aux = true), 3, args, PYTREE_NONE, NULL,
                              &error),
                 PYTREE_TYPE, "[2]", &error);
    assert_string_equal(error.message, "grad of f: expected f32 or f64, got i32 (allow_int gives zeros)");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(3), .has_aux = true), 3, args, PYTREE_NONE, NULL,
                              &error),
                 PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "grad of f: expected argument -3 to 2, got 3");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_GRAD(f), 3, args, PYTREE(&dx), NULL, &error), PYTREE_STRUCTURE, "", &error);
}

/* x [2], y [3] -> { "p": outer product [2, 3], "s": [2] } */
static pytree_status two_results(void *context, pytree_trace *tr)
{
    const pytree_value x = V(tr->arg[0]), y = V(tr->arg[1]);
    const pytree_value column = pytree_op_reshape(tr, x, 2, (const size_t[]){ 2, 1 });
    (void)context;
    return pytree_return(tr, PYTREE_DICT({ "p", PYTREE_V(pytree_op_mul(tr, column, y)) }, { "s", PYTREE_V(pytree_op_sin(tr,
            x)) }));
}

static void test_jacobian(void **state)
{
    double x[2] = { 0.5, 2 }, y[3] = { 1, 3, -2 };
    const pytree args[2] = { PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 3) };
    const pytree_fn *f = PYTREE_TRACED(two_results);
    (void)state;
    for (int mode = 0; mode <= PYTREE_REVERSE; mode++) {
        double px[2][3][2], py[2][3][3], sx[2][2], sy[2][3];
        apply(PYTREE_JACOBIAN(f, .argnums = PYTREE_ARGNUMS(0, 1), .mode = mode), 2, args,
              PYTREE_DICT({ "p", PYTREE_TUPLE(PYTREE_ARRAY(px[0][0], 2, 3, 2), PYTREE_ARRAY(py[0][0], 2, 3, 3)) },
                          { "s", PYTREE_TUPLE(PYTREE_ARRAY(sx[0], 2, 2), PYTREE_ARRAY(sy[0], 2, 3)) }));
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 3; j++) {
                for (int k = 0; k < 3; k++) { assert_close(py[i][j][k], j == k ? x[i] : 0, 0); }
                for (int k = 0; k < 2; k++) { assert_close(px[i][j][k], i == k ? y[j] : 0, 0); }
                assert_close(sy[i][j], 0, 0);
            }
            for (int k = 0; k < 2; k++) { assert_close(sx[i][k], i == k ? cos(x[i]) : 0, 1e-15); }
        }
    }
}

BODY(bowl, pytree_op_sum(tr, pytree_op_mul(tr, pytree_op_power(tr, a, 3), b), 0, NULL))
static void test_hessian(void **state)
{
    double x[2] = { 0.5, 2 }, y[2] = { 1, 3 }, h[2][2];
    (void)state;
    apply(PYTREE_HESSIAN(PYTREE_TRACED(bowl)), 2, (pytree[2]){ PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 2) }, PYTREE_ARRAY(h[0], 2,
            2));
    assert_close(h[0][0], 6 * x[0] * y[0], 1e-14);
    assert_close(h[1][1], 6 * x[1] * y[1], 1e-14);
    assert_close(h[0][1], 0, 0);
    assert_close(h[1][0], 0, 0);
}

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

static void test_refused(void **state)
{
    double x[2] = { 1, 2 }, ct[3] = { 0 }, out[2];
    float single[2] = { 0 };
    const pytree_fn *f = PYTREE_TRACED(squared, .name = "squared");
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_apply(PYTREE_VJP(f), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE_ARRAY(x, 2)), PYTREE_ARRAY(ct, 3) },
                              PYTREE_NONE, NULL, &error), PYTREE_SHAPE, "", &error);
    assert_string_equal(error.message, "vjp of squared: cotangent: expected f64[2], got f64[3]");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_JVP(f), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE_ARRAY(x, 2)),
                                                            PYTREE_TUPLE(PYTREE_ARRAY(single, 2)) },
                              PYTREE_NONE, NULL, &error), PYTREE_TYPE, "[0]", &error);
    assert_string_equal(error.message, "jvp of squared: tangents: expected f64[2], got f32[2]");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_GRAD(f), 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(out, 2), NULL, &error),
                 PYTREE_SHAPE,
                 "", &error);
    assert_string_equal(error.message, "grad of squared: expected one f32 or f64, got f64[2]");
}

BODY(wrong_rule_op, pytree_op_stop_gradient(tr, pytree_op_sin(tr, a)))
static pytree_status slope_wrong(void *context, const pytree_call *at)
{
    (void)context;
    *(double *)at->res[0] = 2 * *(const double *)at->arg[2];
    return PYTREE_OK;
}
static const pytree_fn wrong_vjp = { .name = "wrong", .call = slope_wrong, .shape = tuple_of_one };
static const pytree_fn wrong = { .name = "wrong", .call = cube_call, .shape = pytree_result_f64, .jvp = &cube_jvp,
                                 .vjp = &wrong_vjp };

static void test_check_finds(void **state)
{
    double x = 0.8;
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_check_grads(PYTREE_TRACED(wrong_rule_op), 1, (pytree[1]){ PYTREE(&x) }, NULL, &error), PYTREE_VALUE,
                 "", &error);
    assert_non_null(strstr(error.message, "jvp: expected "));
    memset(&error, 0, sizeof error);
    assert_error(pytree_check_grads(&wrong, 1, (pytree[1]){ PYTREE(&x) }, NULL, &error), PYTREE_VALUE, "[0]", &error);
    assert_non_null(strstr(error.message, "vjp: expected "));
    assert_non_null(strstr(error.message, "at element 0"));
    memset(&error, 0, sizeof error);
    assert_error(pytree_check_grads(&cube, 1, (pytree[1]){ PYTREE_SHAPED(double) }, NULL, &error), PYTREE_NULL_POINTER, "",
                 &error);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_check_grads(&wrong, 1, (pytree[1]){ PYTREE(&x) },
                                 &(pytree_check_grads_options){ .modes = PYTREE_FORWARD }, &error),
              &error);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static pytree_status sweep_second(void *context, const pytree_options *opt, pytree_error *err)
{
    double w = 0.7, x = 0.3, us[3] = { 0.1, -0.4, 0.6 }, second[9];
    const pytree_fn_options options = { .tree = *opt };
    const pytree_fn *f = PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)PYTREE_SCAN(PYTREE_TRACED(step)));
    (void)context;
    return pytree_apply(PYTREE_JACOBIAN(PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(1)), .argnums = PYTREE_ARGNUMS(1)), 2,
                        (pytree[2]){ PYTREE_TUPLE(PYTREE(&w), PYTREE(&x)), PYTREE_ARRAY(us, 3) },
                        PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_ARRAY(second, 3, 3))), &options, err);
}
static pytree_status sweep_check(void *context, const pytree_options *opt, pytree_error *err)
{
    double w = 0.7, xs[2] = { 0.3, 1 };
    const pytree_check_grads_options options = { .fn = { .tree = *opt } };
    (void)context;
    return pytree_check_grads(PYTREE_VMAP(PYTREE_TRACED(element), .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0))), 2,
                              (pytree[2]){ PYTREE(&w), PYTREE_ARRAY(xs, 2) }, &options, err);
}
static pytree_status sweep_program(void *context, const pytree_options *opt, pytree_error *err)
{
    double w = 0.7, x = 0.3, us[3] = { 0 };
    const pytree_fn_options options = { .tree = *opt };
    pytree_program *p = pytree_program_new(PYTREE_SCAN(PYTREE_TRACED(step)), 2,
                                           (pytree[2]){ PYTREE_TUPLE(PYTREE(&w), PYTREE(&x)), PYTREE_ARRAY(us, 3) }, &options,
                                               err);
    (void)context;
    if (p == NULL) { return err->status; }
    pytree_program_free(p);
    return PYTREE_OK;
}
static void test_memory(void **state)
{
    (void)state;
    (void)sweep_allocations(sweep_second, NULL);
    (void)sweep_allocations(sweep_check, NULL);
    (void)sweep_allocations(sweep_program, NULL);
}

/* ---- Programs ------------------------------------------------------------------------------------------------------ */

static void test_program(void **state)
{
    double w = 0.7, x = 0.3, us[3] = { 0 };
    char text[512];
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(PYTREE_SCAN(PYTREE_TRACED(step)), 2,
                                           (pytree[2]){ PYTREE_TUPLE(PYTREE(&w), PYTREE(&x)), PYTREE_ARRAY(us, 3) }, NULL,
                                               &error);
    (void)state;
    assert_non_null(p);
    assert_int_equal(p->n_in, 3);
    assert_int_equal(p->n_out, 3);
    assert_int_equal(pytree_program_count(p), 5);
    assert_true(pytree_program_text(p, text, sizeof text) < sizeof text);
    assert_string_equal(text, "{ f64 %1, f64 %2, f64[3] %3 ->\n"
                              " %4 %5 = f64 f64[3] scan %1 %2 %3\n"
                              "  { f64 %1, f64 %2, f64 %3 ->\n"
                              "   %4 = f64 mul %1 %2\n"
                              "   %5 = f64 add %4 %3\n"
                              "   %6 = f64 sin %5\n"
                              "   %7 = f64 mul %2 %3\n"
                              "   return %6 %7 }\n"
                              " return %1 %4 %5 }\n");
    pytree_program_free(p);
    pytree_program_free(NULL);
}

static int traced;
static pytree_status counted(void *context, pytree_trace *tr)
{
    const pytree_value x = V(tr->arg[0]), a = pytree_op_sin(tr, x), b = pytree_op_sin(tr, x);
    (void)context;
    traced++;
    (void)pytree_op_exp(tr, x);           /* nothing needs it */
    return pytree_return(tr, PYTREE_LIST(PYTREE_V(a), PYTREE_V(pytree_op_mul(tr, a, b)), PYTREE_V(a)));
}
static void test_trace(void **state)
{
    double x = 0.5, y[3];
    pytree_error error = { 0 };
    const pytree args[1] = { PYTREE(&x) };
    pytree_program *p = pytree_program_new(PYTREE_TRACED(counted), 1, args, NULL, &error);
    (void)state;
    assert_int_equal(pytree_program_count(p), 4);
    pytree_program_free(p);
    p = pytree_program_new(PYTREE_TRACED(counted, .memoize = true), 1, args, NULL, &error);
    assert_int_equal(pytree_program_count(p), 3);
    pytree_program_free(p);
    traced = 0;
    pytree_prepared *prepared = pytree_prepare(PYTREE_TRACED(counted), 1, args,
                                               PYTREE_LIST(PYTREE(&y[0]), PYTREE(&y[1]), PYTREE(&y[2])), NULL, &error);
    assert_non_null(prepared);
    for (int i = 0; i < 3; i++) {
        x += 0.5;
        assert_ok(pytree_run(prepared, &error), &error);
        assert_close(y[0], sin(x), 0);
        assert_close(y[1], sin(x) * sin(x), 0);
        assert_close(y[2], sin(x), 0);
    }
    assert_int_equal(traced, 1);
    pytree_prepared_free(prepared);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_struct), cmocka_unit_test(test_scan), cmocka_unit_test(test_vmap), cmocka_unit_test(test_nested),
        cmocka_unit_test(test_loops), cmocka_unit_test(test_branches), cmocka_unit_test(test_callbacks),
            cmocka_unit_test(test_aux),
        cmocka_unit_test(test_jacobian), cmocka_unit_test(test_hessian), cmocka_unit_test(test_refused),
        cmocka_unit_test(test_check_finds), cmocka_unit_test(test_memory), cmocka_unit_test(test_program),
        cmocka_unit_test(test_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
