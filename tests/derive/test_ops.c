/* test_ops.c: array operations: values, and every rule against differences, to second derivatives, in both element types. */
#include "derive_shared.h"

#define I(...) ((const int[]){ __VA_ARGS__ })
#define N(...) ((const size_t[]){ __VA_ARGS__ })

/* a is [2, 3], b is [3]; both stay away from where an operation has no derivative. */
/* Numbers of rows, 1 of them twice. */
static pytree_value rows(pytree_trace *tr)
{
    int64_t at[3] = { 1, 0, 1 };
    return pytree_op_constant(tr, &(pytree_leaf){ .data = at, .type = PYTREE_TYPE(int64_t), .ndim = 1, .shape = { 3 } });
}
BODY(neg, pytree_op_neg(tr, a))
BODY(exponential, pytree_op_exp(tr, a))
BODY(logarithm, pytree_op_log(tr, pytree_op_square(tr, a)))
BODY(root, pytree_op_sqrt(tr, pytree_op_square(tr, a)))
BODY(tangent_h, pytree_op_tanh(tr, a))
BODY(sine, pytree_op_sin(tr, a))
BODY(cosine, pytree_op_cos(tr, a))
BODY(absolute, pytree_op_mul(tr, pytree_op_abs(tr, a), a))
BODY(rectified, pytree_op_mul(tr, pytree_op_relu(tr, a), b))
BODY(scaled, pytree_op_shift(tr, pytree_op_scale(tr, a, -1.5), 0.25))
BODY(cube, pytree_op_power(tr, a, 3))
BODY(inverse_square, pytree_op_power(tr, a, -2))
BODY(sum_of_both, pytree_op_add(tr, a, b))
BODY(difference, pytree_op_sub(tr, b, a))
BODY(product, pytree_op_mul(tr, a, b))
BODY(quotient, pytree_op_div(tr, a, b))
BODY(quotient_by_array, pytree_op_div(tr, b, a))
BODY(larger, pytree_op_mul(tr, pytree_op_max(tr, a, b), a))
BODY(chosen, pytree_op_select(tr, pytree_op_greater(tr, a, b), pytree_op_square(tr, a), b))
BODY(row_sums, pytree_op_sum(tr, pytree_op_square(tr, a), 1, I(-1)))
BODY(column_sums, pytree_op_sum(tr, pytree_op_square(tr, a), 1, I(0)))
BODY(row_maxima, pytree_op_square(tr, pytree_op_max_of(tr, a, 1, I(1))))
BODY(repeated, pytree_op_mul(tr, pytree_op_broadcast(tr, b, 2, N(2, 3)), a))
BODY(reshaped, pytree_op_square(tr, pytree_op_reshape(tr, a, 2, N(3, 2))))
BODY(transposed, pytree_op_matmul(tr, pytree_op_transpose(tr, a, NULL), a))
BODY(part, pytree_op_square(tr, pytree_op_slice(tr, a, 1, 1, 3)))
BODY(joined, pytree_op_square(tr, pytree_op_concat(tr, 1, 2, ((const pytree_value[]){ a, pytree_op_sin(tr, a) }))))
BODY(taken, pytree_op_square(tr, pytree_op_take(tr, a, rows(tr))))
BODY(put_back, pytree_op_square(tr, pytree_op_put(tr, pytree_op_transpose(tr, a, NULL), rows(tr), 4)))
BODY(mean_square, pytree_op_mean(tr, pytree_op_square(tr, a)))
BODY(logistic, pytree_op_sigmoid(tr, a))
BODY(gaussian, pytree_op_gelu(tr, a))
BODY(soft, pytree_op_softmax(tr, a))
BODY(log_soft, pytree_op_log_softmax(tr, a))
BODY(entropy, pytree_op_cross_entropy(tr, a, pytree_op_softmax(tr, b)))
BODY(narrowed, pytree_op_convert(tr, pytree_op_convert(tr, a, PYTREE_F64), PYTREE_F64))
BODY(product_tb, pytree_op_matmul_t(tr, a, a, PYTREE_TRANSPOSE_B))
BODY(product_ta, pytree_op_matmul_t(tr, a, a, PYTREE_TRANSPOSE_A))
BODY(product_both, pytree_op_matmul_t(tr, a, pytree_op_transpose(tr, a, NULL), PYTREE_TRANSPOSE_A | PYTREE_TRANSPOSE_B))
BODY(affine, pytree_op_linear(tr, a, pytree_op_transpose(tr, a, NULL), pytree_op_slice(tr, b, 0, 0, 2)))

static const struct { const char *name; pytree_body_fn *body; } bodies[] = {
    { "neg", neg }, { "exp", exponential }, { "log", logarithm }, { "sqrt", root }, { "tanh", tangent_h }, { "sin", sine },
    { "cos", cosine }, { "abs", absolute }, { "relu", rectified }, { "scale, shift", scaled }, { "power 3", cube },
    { "power -2", inverse_square }, { "add", sum_of_both }, { "sub", difference }, { "mul", product }, { "div", quotient },
    { "div by an array", quotient_by_array }, { "max", larger }, { "select", chosen }, { "sum of rows", row_sums },
    { "sum of columns", column_sums }, { "max_of", row_maxima }, { "broadcast", repeated }, { "reshape", reshaped },
    { "transpose", transposed }, { "slice", part }, { "concat", joined }, { "take", taken }, { "put", put_back },
    { "mean", mean_square }, { "sigmoid", logistic }, { "gelu", gaussian }, { "softmax", soft }, { "log_softmax", log_soft },
    { "cross_entropy", entropy }, { "convert", narrowed }, { "matmul, b transposed", product_tb },
    { "matmul, a transposed", product_ta }, { "matmul, both transposed", product_both }, { "linear", affine },
};

/* The sum of the squares of what a body gives: its gradient is a function whose derivative is a second one. */
static pytree_status sum_of_squares(void *context, pytree_trace *tr)
{
    const pytree_fn *f = context;
    const pytree y = pytree_op_apply(tr, f, 2, tr->tree);
    return pytree_return(tr, PYTREE_V(pytree_op_sum(tr, pytree_op_square(tr, pytree_value_at(tr, y, 0)), 0, NULL)));
}

static void test_rules(void **state)
{
    double a[2][3] = { { 0.5, -1.2, 0.8 }, { 1.5, 0.3, -0.7 } }, b[3] = { 0.9, -0.4, 1.1 };
    const pytree args[2] = { PYTREE_ARRAY(a[0], 2, 3), PYTREE_ARRAY(b, 3) };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        const pytree_fn *f = PYTREE_TRACED(bodies[i].body, .name = bodies[i].name);
        const pytree_fn *squares = PYTREE_TRACED(sum_of_squares, .context = (void *)(uintptr_t)f, .name = bodies[i].name);
        print_message("%s\n", bodies[i].name);
        assert_grads(f, 2, args);
        assert_grads(PYTREE_GRAD(squares, .argnums = PYTREE_ARGNUMS(0, 1)), 2, args);
    }
}

static void test_rules_f32(void **state)
{
    float a[2][3] = { { 0.5f, -1.2f, 0.8f }, { 1.5f, 0.3f, -0.7f } }, b[3] = { 0.9f, -0.4f, 1.1f };
    const pytree args[2] = { PYTREE_ARRAY(a[0], 2, 3), PYTREE_ARRAY(b, 3) };
    (void)state;
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        if (bodies[i].body == narrowed) { continue; }
        print_message("%s\n", bodies[i].name);
        assert_grads(PYTREE_TRACED(bodies[i].body, .name = bodies[i].name), 2, args);
    }
}

/* ---- Values -------------------------------------------------------------------------------------------------------- */

BODY(matrices, pytree_op_matmul(tr, a, b))
BODY(matrices_tb, pytree_op_matmul_t(tr, a, b, PYTREE_TRANSPOSE_B))
BODY(matrices_ta, pytree_op_matmul_t(tr, a, b, PYTREE_TRANSPOSE_A))

/* Products of all sizes around those of a tile, against sums in double. */
static void test_matmul(void **state)
{
    enum { MOST = 150 };
    static float a[MOST * MOST], b[MOST * MOST], c[MOST * MOST];
    static const size_t sizes[][3] = { { 1, 1, 1 }, { 3, 5, 7 }, { 4, 32, 16 }, { 8, 140, 32 }, { 9, 129, 33 }, { 13, 150, 64 },
                                       { 5, 2, 100 }, { 6, 0, 4 }, { 12, 128, 10 } };
    (void)state;
    for (size_t i = 0; i < MOST * MOST; i++) {
        a[i] = (float)((int)(i * 7 % 11) - 5) / 4;
        b[i] = (float)((int)(i * 5 % 13) - 6) / 4;
    }
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        const size_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
        for (int form = 0; form < 3; form++) {
            const bool ta = form == 1, tb = form == 2;
            const pytree_fn *f = ta ? PYTREE_TRACED(matrices_ta) : tb ? PYTREE_TRACED(matrices_tb) : PYTREE_TRACED(matrices);
            const pytree x = ta ? PYTREE_ARRAY(a, k, m) : PYTREE_ARRAY(a, m, k), y = tb ? PYTREE_ARRAY(b, n, k)
                : PYTREE_ARRAY(b, k, n);
            apply(f, 2, (const pytree[2]){ x, y }, PYTREE_ARRAY(c, m, n));
            for (size_t i = 0; i < m * n; i++) {
                double sum = 0;
                for (size_t l = 0; l < k; l++) {
                    sum += (double)a[ta ? l * m + i / n : i / n * k + l] * (double)b[tb ? i % n * k + l : l * n + i % n];
                }
                assert_close((double)c[i], sum, 1e-5);
            }
        }
    }
}

static void test_matmul_batches(void **state)
{
    double a[24], b[8], many[16], one[12], c[12];
    const pytree stack = PYTREE_ARRAY(a, 2, 3, 4), matrix = PYTREE_ARRAY(b, 4, 2), matrices_b = PYTREE_ARRAY(many, 2, 4, 2);
    const pytree_fn *f = PYTREE_TRACED(matrices);
    (void)state;
    for (int i = 0; i < 24; i++) { a[i] = 0.25 * i - 2; }
    for (int i = 0; i < 8; i++) { b[i] = many[i] = many[8 + i] = 1 - 0.5 * i; }
    apply(f, 2, (pytree[2]){ stack, matrix }, PYTREE_ARRAY(one, 2, 3, 2));
    apply(f, 2, (pytree[2]){ stack, matrices_b }, PYTREE_ARRAY(c, 2, 3, 2));
    for (int i = 0; i < 12; i++) { assert_close(c[i], one[i], 0); }
    assert_close(one[11], a[20] * b[1] + a[21] * b[3] + a[22] * b[5] + a[23] * b[7], 1e-15);
    assert_grads(f, 2, (pytree[2]){ stack, matrix });
    assert_grads(f, 2, (pytree[2]){ stack, matrices_b });
}

BODY(share, pytree_op_max(tr, a, b))
BODY(share_all, pytree_op_max_of(tr, a, 0, NULL))
BODY(kinks, pytree_op_sum(tr, pytree_op_add(tr, pytree_op_relu(tr, a), pytree_op_abs(tr, a)), 0, NULL))
static pytree_status labels_body(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_cross_entropy(tr, V(tr->arg[0]), V(tr->arg[1]))));
}

/* Where JAX shares a derivative, or says 0. */
static void test_ties(void **state)
{
    double x = 1, y = 1, dx, dy, three[3] = { 2, 5, 5 }, d3[3], zeros[2] = { 0, -3 }, d2[2];
    (void)state;
    apply(PYTREE_GRAD(PYTREE_TRACED(share), .argnums = PYTREE_ARGNUMS(0, 1)), 2, (pytree[2]){ PYTREE(&x), PYTREE(&y) },
          PYTREE_TUPLE(PYTREE(&dx), PYTREE(&dy)));
    assert_close(dx, 0.5, 0);
    assert_close(dy, 0.5, 0);
    apply(PYTREE_GRAD(PYTREE_TRACED(share_all)), 1, (pytree[1]){ PYTREE_ARRAY(three, 3) }, PYTREE_ARRAY(d3, 3));
    assert_close(d3[0], 0, 0);
    assert_close(d3[1], 0.5, 0);
    apply(PYTREE_GRAD(PYTREE_TRACED(kinks)), 1, (pytree[1]){ PYTREE_ARRAY(zeros, 2) }, PYTREE_ARRAY(d2, 2));
    assert_close(d2[0], 0, 0);
    assert_close(d2[1], -1, 0);
}

/* optax.softmax_cross_entropy_with_integer_labels([[1, 2, 3], [0, 0, 0]], [2, 0]).mean() */
static void test_cross_entropy(void **state)
{
    float scores[2][3] = { { 1, 2, 3 }, { 0, 0, 0 } }, loss, d[2][3];
    uint8_t labels[2] = { 2, 0 };
    (void)state;
    apply(PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(labels_body)), 2, (pytree[2]){ PYTREE_ARRAY(scores[0], 2, 3),
                                                                            PYTREE_ARRAY(labels, 2) },
          PYTREE_TUPLE(PYTREE(&loss), PYTREE_ARRAY(d[0], 2, 3)));
    assert_close((double)loss, (0.40760596 + 1.09861229) / 2, 1e-6);
    assert_close((double)d[0][2], (0.66524096 - 1) / 2, 1e-6);
    assert_close((double)d[1][1], 1.0 / 6, 1e-6);
}

/* ---- Errors -------------------------------------------------------------------------------------------------------- */

static void refused(pytree_body_fn *body, pytree_status status, const char *message, pytree a, pytree b)
{
    pytree_error error = { 0 };
    double out[64];
    assert_error(pytree_apply(PYTREE_TRACED(body, .name = "f"), 2, (pytree[2]){ a, b }, PYTREE_ARRAY(out, 64), NULL, &error),
                 status,
                 "", &error);
    assert_string_equal(error.message, message);
}
BODY(wrong_axis, pytree_op_sum(tr, a, 1, I(2)))
BODY(wrong_shape, pytree_op_reshape(tr, a, 1, N(7)))
BODY(wrong_spread, pytree_op_broadcast(tr, a, 2, N(4, 3)))
BODY(wrong_part, pytree_op_slice(tr, a, 0, 1, 5))
BODY(no_value, pytree_op_add(tr, a, (pytree_value){ 0 }))
BODY(late, pytree_op_exp(tr, pytree_op_matmul(tr, a, b)))

static void test_refused(void **state)
{
    double a[2][3] = { { 0 } }, b[4] = { 0 };
    float single[3] = { 0 };
    int whole[3] = { 0 };
    const pytree x = PYTREE_ARRAY(a[0], 2, 3), y = PYTREE_ARRAY(b, 4);
    (void)state;
    refused(sum_of_both, PYTREE_SHAPE, "f: add: expected shapes that broadcast, got f64[2,3] and f64[4]", x, y);
    refused(sum_of_both, PYTREE_TYPE, "f: add: expected one element type, got f64 and f32", x, PYTREE_ARRAY(single, 3));
    refused(sum_of_both, PYTREE_TYPE, "f: add: expected f32 or f64, got i32", x, PYTREE_ARRAY(whole, 3));
    refused(wrong_axis, PYTREE_ARGUMENT, "f: sum: expected an axis from -2 to 1, got 2", x, y);
    refused(wrong_shape, PYTREE_SHAPE, "f: reshape: expected a shape of 6 elements, got one of 7", x, y);
    refused(wrong_spread, PYTREE_SHAPE, "f: broadcast: expected a shape that broadcasts to f64[4,3], got f64[2,3]", x, y);
    refused(wrong_part, PYTREE_SHAPE, "f: slice: expected a part of 0 to 2, got 1 to 5", x, y);
    refused(no_value, PYTREE_ARGUMENT, "f: add: expected a value as operand 1, got none", x, y);
    refused(late, PYTREE_SHAPE, "f: matmul: expected matrices, got f64[2,3] and f64[4]", x, y);
    refused(late, PYTREE_SHAPE, "f: matmul: expected inner extents that agree, got f64[2,3] and f64[2,2]", x, PYTREE_ARRAY(b,
            2, 2));
}

static pytree_status take_body(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_take(tr, V(tr->arg[0]), V(tr->arg[1]))));
}
static void test_refused_when_run(void **state)
{
    float table[3][2] = { { 0 } }, out[2][2];
    int64_t at[2] = { 1, 3 };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_apply(PYTREE_TRACED(take_body, .name = "embed"), 2,
                              (pytree[2]){ PYTREE_ARRAY(table[0], 3, 2), PYTREE_ARRAY(at, 2) }, PYTREE_ARRAY(out[0], 2, 2),
                                  NULL, &error),
                 PYTREE_VALUE, "", &error);
    assert_string_equal(error.message, "embed: take: expected a row below 3, got 3 at element 1");
}

/* ---- An operation of the user's ------------------------------------------------------------------------------------ */

static pytree_status twice_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status twice_run(const pytree_op_call *c, pytree_error *err)
{
    const double *x = c->in[0]->data;
    double *y = c->out[0]->data;
    (void)err;
    for (size_t i = 0, n = pytree_leaf_count(c->in[0]); i < n; i++) { y[i] = 2 * x[i]; }
    return PYTREE_OK;
}
static void twice_rule(pytree_trace *tr, const pytree_eqn *e, const pytree_value *t, pytree_value *out)
{
    out[0] = pytree_record(tr, e->op, NULL, 1, t, NULL);
}
static const pytree_op twice = { .name = "twice", .shape = twice_shape, .run = twice_run, .jvp = twice_rule,
                                 .vjp = twice_rule };
BODY(own_op, pytree_record(tr, &twice, NULL, 1, (const pytree_value[]){ pytree_op_sin(tr, a) }, NULL))

static int products;
static pytree_status counting_run(const pytree_op_call *c, pytree_error *err)
{
    products++;
    return pytree_op_matmul_op.run(c, err);
}
static pytree_status own_product(void *context, pytree_trace *tr)
{
    const pytree_op *op = context;
    return pytree_return(tr, PYTREE_V(pytree_op_mean(tr, pytree_op_matmul_as(tr, op, V(tr->arg[0]), V(tr->arg[1]), 0))));
}

static void test_own(void **state)
{
    double x[2] = { 0.3, 2 }, y[2], a[2][3] = { { 1, 2, 3 } }, b[3][2] = { { 1 } }, da[2][3], db[3][2];
    pytree_op op = pytree_op_matmul_op;
    (void)state;
    apply(PYTREE_TRACED(own_op), 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2));
    assert_close(y[1], 2 * sin(2), 1e-15);
    assert_grads(PYTREE_TRACED(own_op), 1, (pytree[1]){ PYTREE_ARRAY(x, 2) });
    op.run = counting_run;
    products = 0;
    apply(PYTREE_GRAD(PYTREE_TRACED(own_product, .context = &op), .argnums = PYTREE_ARGNUMS(0, 1)), 2,
          (pytree[2]){ PYTREE_ARRAY(a[0], 2, 3), PYTREE_ARRAY(b[0], 3, 2) },
          PYTREE_TUPLE(PYTREE_ARRAY(da[0], 2, 3), PYTREE_ARRAY(db[0], 3, 2)));
    assert_int_equal(products, 2);        /* one for each gradient; the product itself is not needed */
    assert_close(db[2][0], 0.75, 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rules), cmocka_unit_test(test_rules_f32), cmocka_unit_test(test_matmul),
        cmocka_unit_test(test_matmul_batches), cmocka_unit_test(test_ties), cmocka_unit_test(test_cross_entropy),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_refused_when_run), cmocka_unit_test(test_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
