/* Operations at their edges: derivatives by one operand of several, NaN, no elements, many dimensions, elements that do not
 * move. */
#include "derive_shared.h"

/* ---- Derivatives by one operand ------------------------------------------------------------------------------------------ */

BODY(sums, pytree_op_add(tr, a, b))
BODY(differences, pytree_op_sub(tr, a, b))
BODY(quotients, pytree_op_div(tr, a, b))
BODY(maxima, pytree_op_max(tr, a, b))
BODY(gated, pytree_op_sum(tr, pytree_op_mul(tr, pytree_op_relu(tr, a), b), 0, NULL))

static double one(double x, double y) { return (void)x, (void)y, 1; }
static double minus_one(double x, double y) { return (void)x, (void)y, -1; }
static double by_numerator(double x, double y) { return (void)x, 1 / y; }
static double by_denominator(double x, double y) { return -x / (y * y); }
static double is_greater(double x, double y) { return x > y; }
static double is_less(double x, double y) { return x < y; }

/* Expects the diagonal of a Jacobian by argument `by` of a function of two arrays of three elements. */
static void expect_diagonal(const pytree_fn *f, int by, int mode, double (*derivative)(double, double))
{
    static const double x[3] = { 1, -2, 0.5 }, y[3] = { -4, 2, 0.25 };
    double got[9];
    apply(PYTREE_JACOBIAN(f, .argnums = PYTREE_ARGNUMS(by), .mode = mode), 2,
          (pytree[2]){ PYTREE_ARRAY(x, 3), PYTREE_ARRAY(y, 3) }, PYTREE_TUPLE(PYTREE_ARRAY(got, 3, 3)));
    for (int i = 0; i < 9; i++) { assert_close(got[i], i % 4 == 0 ? derivative(x[i / 4], y[i / 4]) : 0, 1e-15); }
}

static double is_positive(double x, double y) { return (void)y, x > 0; }

static void derivatives_by_one_operand(void **state)
{
    static const struct { pytree_body_fn *body; double (*by[2])(double, double); } all[] = {
        { sums, { one, one } }, { differences, { one, minus_one } }, { quotients, { by_numerator, by_denominator } },
        { maxima, { is_greater, is_less } },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        for (int k = 0; k < 4; k++) {
            expect_diagonal(PYTREE_TRACED(all[i].body), k % 2, k < 2 ? PYTREE_FORWARD : PYTREE_REVERSE, all[i].by[k % 2]);
        }
    }
    for (int mode = PYTREE_FORWARD; mode <= PYTREE_REVERSE; mode++) {        /* second derivatives of relu(a) b */
        expect_diagonal(PYTREE_GRAD(PYTREE_TRACED(gated)), 1, mode, is_positive);
    }
}

/* The derivative of relu has a gate, whose own derivatives are by the gradient and, all zero, by the operand. */
static void derivatives_of_gates(void **state)
{
    static const double x[3] = { 1, -2, 0.5 }, y[3] = { 2, 3, 4 };
    double by_x[9], by_y[9];
    (void)state;
    for (int mode = PYTREE_FORWARD; mode <= PYTREE_REVERSE; mode++) {
        memset(by_x, 1, sizeof by_x);
        apply(PYTREE_JACOBIAN(PYTREE_GRAD(PYTREE_TRACED(gated)), .argnums = PYTREE_ARGNUMS(0, 1), .mode = mode), 2,
              (pytree[2]){ PYTREE_ARRAY(x, 3), PYTREE_ARRAY(y, 3) },
              PYTREE_TUPLE(PYTREE_ARRAY(by_x, 3, 3), PYTREE_ARRAY(by_y, 3, 3)));
        for (int i = 0; i < 9; i++) {
            assert_true(by_x[i] == 0);
            assert_true(by_y[i] == (i == 0 || i == 8));
        }
        memset(by_x, 1, sizeof by_x);
        apply(PYTREE_JACOBIAN(PYTREE_GRAD(PYTREE_TRACED(gated)), .mode = mode), 2,
              (pytree[2]){ PYTREE_ARRAY(x, 3), PYTREE_ARRAY(y, 3) }, PYTREE_ARRAY(by_x, 3, 3));
        for (int i = 0; i < 9; i++) { assert_true(by_x[i] == 0); }
    }
}

/* Gradients of sums are one number or one row for all elements; of a number, gates are of one element. */
BODY(relu_sum, pytree_op_sum(tr, pytree_op_relu(tr, a), 0, NULL))
BODY(relu_columns, pytree_op_sum(tr, pytree_op_mul(tr, pytree_op_sum(tr, pytree_op_relu(tr, a), 1, (const int[]){ 0 }), b), 0,
                                 NULL))

static void gates_of_every_shape(void **state)
{
    double x[50][2], dx[50][2], y[2] = { 3, 5 };
    float fx[50][2], fdx[50][2], fy[2] = { 3, 5 };
    (void)state;
    for (int i = 0; i < 100; i++) {
        fx[i / 2][i % 2] = (float)((i * 7 + 3) % 16 - 8) / 4;
        x[i / 2][i % 2] = fx[i / 2][i % 2];
    }
    apply(PYTREE_GRAD(PYTREE_TRACED(relu_sum)), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 50, 2) }, PYTREE_ARRAY(dx[0], 50, 2));
    apply(PYTREE_GRAD(PYTREE_TRACED(relu_sum)), 1, (pytree[1]){ PYTREE_ARRAY(fx[0], 50, 2) }, PYTREE_ARRAY(fdx[0], 50, 2));
    for (int i = 0; i < 100; i++) {
        assert_true(dx[i / 2][i % 2] == (x[i / 2][i % 2] > 0));
        assert_true(fdx[i / 2][i % 2] == (x[i / 2][i % 2] > 0));
    }
    apply(PYTREE_GRAD(PYTREE_TRACED(relu_columns)), 2, (pytree[2]){ PYTREE_ARRAY(x[0], 50, 2), PYTREE_ARRAY(y, 2) },
          PYTREE_ARRAY(dx[0], 50, 2));
    apply(PYTREE_GRAD(PYTREE_TRACED(relu_columns)), 2, (pytree[2]){ PYTREE_ARRAY(fx[0], 50, 2), PYTREE_ARRAY(fy, 2) },
          PYTREE_ARRAY(fdx[0], 50, 2));
    for (int i = 0; i < 100; i++) {
        assert_true(dx[i / 2][i % 2] == (x[i / 2][i % 2] > 0 ? y[i % 2] : 0));
        assert_true(fdx[i / 2][i % 2] == (fx[i / 2][i % 2] > 0 ? fy[i % 2] : 0));
    }
    for (int i = 0; i < 2; i++) {
        apply(PYTREE_GRAD(PYTREE_TRACED(relu_sum)), 1, (pytree[1]){ PYTREE(&x[0][i]) }, PYTREE(&dx[0][i]));
        apply(PYTREE_GRAD(PYTREE_TRACED(relu_sum)), 1, (pytree[1]){ PYTREE(&fx[0][i]) }, PYTREE(&fdx[0][i]));
        assert_true(dx[0][i] == (x[0][i] > 0) && fdx[0][i] == (fx[0][i] > 0));
    }
}

BODY(constant_power, pytree_op_add(tr, pytree_op_power(tr, a, 0), pytree_op_power(tr, a, 1)))
BODY(joined_squares, pytree_op_square(tr, pytree_op_concat(tr, 0, 2, ((const pytree_value[]){ a, b }))))
BODY(outer_rows, pytree_op_sum(tr, pytree_op_square(tr, pytree_op_sum(tr, pytree_op_mul(tr, a, b), 1, (const int[]){ 1 })), 0,
                               NULL))
BODY(negated_reshaped, pytree_op_sum(tr, pytree_op_neg(tr, pytree_op_reshape(tr, pytree_op_square(tr, a), 1,
                                                                             (const size_t[]){ 4 })), 0, NULL))

static void rules_at_their_edges(void **state)
{
    double x[4] = { 1, -2, 0.5, 3 }, y[4] = { 2, 3, -1, 0.25 }, jacobian[16];
    (void)state;
    for (int mode = PYTREE_FORWARD; mode <= PYTREE_REVERSE; mode++) {        /* 1 + a */
        apply(PYTREE_JACOBIAN(PYTREE_TRACED(constant_power), .mode = mode), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) },
              PYTREE_ARRAY(jacobian, 4, 4));
        for (int i = 0; i < 16; i++) { assert_true(jacobian[i] == (i % 5 == 0)); }
        for (int by = 0; by < 2; by++) {
            apply(PYTREE_JACOBIAN(PYTREE_TRACED(joined_squares), .argnums = PYTREE_ARGNUMS(by), .mode = mode), 2,
                  (pytree[2]){ PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 2) }, PYTREE_TUPLE(PYTREE_ARRAY(jacobian, 4, 2)));
            for (int i = 0; i < 8; i++) {
                const bool own = i / 2 == 2 * by + i % 2;
                assert_true(jacobian[i] == (own ? 2 * (by == 0 ? x : y)[i % 2] : 0));
            }
        }
    }
    assert_grads(PYTREE_TRACED(outer_rows), 2, (pytree[2]){ PYTREE_ARRAY(x, 3, 1), PYTREE_ARRAY(y, 1, 4) });
    apply(PYTREE_GRAD(PYTREE_TRACED(negated_reshaped)), 1, (pytree[1]){ PYTREE_ARRAY(x, 2, 2) }, PYTREE_ARRAY(jacobian, 2, 2));
    for (int i = 0; i < 4; i++) { assert_true(jacobian[i] == -2 * x[i]); }
}

/* ---- Values -------------------------------------------------------------------------------------------------------------- */

/* A maximum with a NaN is NaN, wherever that stands and however the other operand broadcasts. */
static void maxima_of_nan(void **state)
{
    const double x[2] = { NAN, 1 }, y[2] = { 0, 2 }, from = 1.5, nan = NAN;
    const float fx[2] = { NAN, 1 }, fy[2] = { 0, 2 }, ffrom = 1.5f, fnan = NAN;
    const struct { pytree a, b, fa, fb; double last; } all[] = {
        { PYTREE_ARRAY(x, 2), PYTREE_ARRAY(y, 2), PYTREE_ARRAY(fx, 2), PYTREE_ARRAY(fy, 2), 2 },
        { PYTREE_ARRAY(y, 2), PYTREE_ARRAY(x, 2), PYTREE_ARRAY(fy, 2), PYTREE_ARRAY(fx, 2), 2 },
        { PYTREE_ARRAY(x, 2), PYTREE(&from), PYTREE_ARRAY(fx, 2), PYTREE(&ffrom), 1.5 },
        { PYTREE(&from), PYTREE_ARRAY(x, 2), PYTREE(&ffrom), PYTREE_ARRAY(fx, 2), 1.5 },
        { PYTREE_ARRAY(y, 2), PYTREE(&nan), PYTREE_ARRAY(fy, 2), PYTREE(&fnan), NAN },
        { PYTREE(&nan), PYTREE_ARRAY(y, 2), PYTREE(&fnan), PYTREE_ARRAY(fy, 2), NAN },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        double got[2];
        float narrow[2];
        apply(PYTREE_TRACED(maxima), 2, (pytree[2]){ all[i].a, all[i].b }, PYTREE_ARRAY(got, 2));
        apply(PYTREE_TRACED(maxima), 2, (pytree[2]){ all[i].fa, all[i].fb }, PYTREE_ARRAY(narrow, 2));
        assert_true(isnan(got[0]) && isnan(narrow[0]));
        if (isnan(all[i].last)) {
            assert_true(isnan(got[1]) && isnan(narrow[1]));
        } else {
            assert_true(got[1] == all[i].last && narrow[1] == (float)all[i].last);
        }
    }
}

/* No two dimensions of these operands are one run. */
static void operands_of_many_dimensions(void **state)
{
    double x[2][3], y[4][5], sum[2][4][3][5];
    (void)state;
    for (int i = 0; i < 6; i++) { x[i / 3][i % 3] = i; }
    for (int i = 0; i < 20; i++) { y[i / 5][i % 5] = 10 * i; }
    apply(PYTREE_TRACED(sums), 2, (pytree[2]){ PYTREE_ARRAY(x[0], 2, 1, 3, 1), PYTREE_ARRAY(y[0], 1, 4, 1, 5) },
          PYTREE_ARRAY(sum[0][0][0], 2, 4, 3, 5));
    for (int i = 0; i < 120; i++) {
        const int at[4] = { i / 60, i / 15 % 4, i / 5 % 3, i % 5 };
        assert_true(sum[at[0]][at[1]][at[2]][at[3]] == x[at[0]][at[2]] + y[at[1]][at[3]]);
    }
}

BODY(taken, pytree_op_take(tr, a, b))
BODY(product_sum, pytree_op_sum(tr, pytree_op_matmul(tr, a, b), 0, NULL))
BODY(entropy, pytree_op_cross_entropy(tr, a, b))

static void no_elements(void **state)
{
    double none[1] = { 7 }, x[24], dx[24], dw[4], loss = 7;
    const int64_t at[2] = { 1, 0 };
    pytree_error error = { 0 };
    pytree_flat rows;
    (void)state;
    for (int i = 0; i < 24; i++) { x[i] = dx[i] = i; }
    rows = pytree_apply_new(PYTREE_TRACED(taken), 2, (pytree[2]){ PYTREE_ARRAY(none, 3, 0), PYTREE_ARRAY(at, 2) }, NULL,
                            &error);
    assert_ok(error.status, &error);
    assert_int_equal(rows.leaves[0].ndim, 2);
    assert_int_equal(rows.leaves[0].shape[0], 2);
    assert_int_equal(rows.leaves[0].shape[1], 0);
    pytree_flat_free(&rows);
    apply(PYTREE_TRACED(entropy), 2, (pytree[2]){ PYTREE_ARRAY(none, 0, 3), PYTREE_ARRAY(none, 0, 3) }, PYTREE(&loss));
    assert_true(loss == 0);               /* and not NaN */
    apply(PYTREE_GRAD(PYTREE_TRACED(product_sum), .argnums = PYTREE_ARGNUMS(0, 1)), 2,
          (pytree[2]){ PYTREE_ARRAY(x, 2, 3, 4), PYTREE_ARRAY(none, 4, 0) },
          PYTREE_TUPLE(PYTREE_ARRAY(dx, 2, 3, 4), PYTREE_ARRAY(dw, 4, 0)));
    for (int i = 0; i < 24; i++) { assert_true(dx[i] == 0); }
    for (int i = 0; i < 4; i++) { dw[i] = 7; }
    apply(PYTREE_GRAD(PYTREE_TRACED(product_sum), .argnums = PYTREE_ARGNUMS(0, 1)), 2,
          (pytree[2]){ PYTREE_ARRAY(x, 2, 3, 0), PYTREE_ARRAY(none, 0, 2) },
          PYTREE_TUPLE(PYTREE_ARRAY(dx, 2, 3, 0), PYTREE_ARRAY(dw, 0, 2)));
    for (int i = 0; i < 4; i++) { assert_true(dw[i] == 7); }   /* no element, so none is written */
}

/* ---- Operations of a program, called by others -------------------------------------------------------------------------- */

static pytree_status record_other(void *context, pytree_trace *tr)
{
    const pytree_value in[2] = { V(tr->arg[0]), V(tr->arg[1]) };
    return pytree_return(tr, PYTREE_V(pytree_record(tr, context, NULL, 2, in, NULL)));
}

/* Finds an operation of a program by its name. */
static pytree_op find(const pytree_program *p, const char *name)
{
    size_t i = 0;
    while (i < p->n_eqns && strcmp(p->eqns[i].op->name, name) != 0) { i++; }
    assert_true(i < p->n_eqns);
    return *p->eqns[i].op;
}

/* The gate of relu's derivative broadcasts as others do, and an operation runs without having been planned. */
static void operations_of_programs(void **state)
{
    double x[3] = { 1, -2, 3 }, y[3] = { 2, 0, -1 }, on = 1, off = -1, got[3];
    float fx[3] = { 1, -2, 3 }, fon = 1, foff = -1, fgot[3];
    const pytree_leaf a = { .data = x, .type = PYTREE_TYPE(double), .ndim = 1, .shape = { 3 } };
    pytree_leaf b = a, c = a;
    const pytree_leaf *const in[2] = { &a, &b };
    pytree_leaf *const out[1] = { &c };
    const pytree_op_call call = { .in = in, .out = out, .n_in = 2, .n_out = 1 };
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(PYTREE_GRAD(PYTREE_TRACED(gated)), 2,
                                           (pytree[2]){ PYTREE_ARRAY(x, 3), PYTREE_ARRAY(y, 3) }, NULL, &error);
    pytree_op gate;
    (void)state;
    assert_ok(error.status, &error);
    gate = find(p, "gate");
    apply(PYTREE_TRACED(record_other, .context = &gate), 2, (pytree[2]){ PYTREE_ARRAY(x, 3), PYTREE(&on) },
          PYTREE_ARRAY(got, 3));
    assert_memory_equal(got, x, sizeof x);
    apply(PYTREE_TRACED(record_other, .context = &gate), 2, (pytree[2]){ PYTREE_ARRAY(fx, 3), PYTREE(&fon) },
          PYTREE_ARRAY(fgot, 3));
    assert_memory_equal(fgot, fx, sizeof fx);
    apply(PYTREE_TRACED(record_other, .context = &gate), 2, (pytree[2]){ PYTREE_ARRAY(fx, 3), PYTREE(&foff) },
          PYTREE_ARRAY(fgot, 3));
    assert_true(fgot[0] == 0 && fgot[1] == 0 && fgot[2] == 0);
    apply(PYTREE_TRACED(record_other, .context = &gate), 2, (pytree[2]){ PYTREE_ARRAY(x, 3), PYTREE(&off) },
          PYTREE_ARRAY(got, 3));
    assert_true(got[0] == 0 && got[1] == 0 && got[2] == 0);
    b.data = y;
    c.data = got;
    assert_ok(gate.run(&call, &error), &error);
    assert_true(got[0] == 1 && got[1] == 0 && got[2] == 0);
    pytree_program_free(p);
}

/* ---- What is refused ---------------------------------------------------------------------------------------------------- */

BODY(spread, pytree_op_broadcast(tr, a, 2, ((const size_t[]){ 2, 3 })))
BODY(sum_of_all, pytree_op_sum(tr, a, 0, NULL))

static void refused(pytree_body_fn *body, size_t n, const pytree *args, pytree_status status, const char *message)
{
    pytree_error error = { 0 };
    const pytree_flat out = pytree_apply_new(PYTREE_TRACED(body, .name = "f"), n, args, NULL, &error);
    assert_null(out.def);
    assert_string_equal(error.message, message);
    assert_error(error.status, status, "", &error);
}

static void operands_that_do_not_fit(void **state)
{
    double x[6] = { 0 };
    int whole[3] = { 0 };
    pytree_leaf wide = { .data = x, .type = &pytree_types[PYTREE__T_cdouble], .ndim = 1, .shape = { 3 } };
    (void)state;
    refused(spread, 1, (pytree[1]){ PYTREE(&wide) }, PYTREE_TYPE,
            "f: broadcast: expected elements of 1, 2, 4 or 8 bytes, got c128");
    refused(sum_of_all, 1, (pytree[1]){ PYTREE_ARRAY(whole, 3) }, PYTREE_TYPE, "f: sum_to: expected f32 or f64, got i32");
    refused(taken, 2, (pytree[2]){ PYTREE_ARRAY(x, 1, 1, 1, 1, 1), PYTREE_ARRAY(whole, 1, 1, 1, 1, 3) }, PYTREE_SHAPE,
            "f: take: expected at most 8 dimensions (PYTREE_MAX_DIMS), got 9");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_by_one_operand), cmocka_unit_test(derivatives_of_gates),
        cmocka_unit_test(gates_of_every_shape), cmocka_unit_test(rules_at_their_edges), cmocka_unit_test(maxima_of_nan),
        cmocka_unit_test(operands_of_many_dimensions), cmocka_unit_test(no_elements), cmocka_unit_test(operations_of_programs),
        cmocka_unit_test(operands_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
