/* What operations make of their operands: each way in which these broadcast, each type and shape that is refused. */
#include "derive_shared.h"

#define N(...) ((const size_t[]){ __VA_ARGS__ })

/* ---- Operands that broadcast ------------------------------------------------------------------------------------------- */

static double add(double x, double y) { return x + y; }
static double sub(double x, double y) { return x - y; }
static double mul(double x, double y) { return x * y; }
static double quotient(double x, double y) { return x / y; }
static double larger(double x, double y) { return x > y ? x : y; }
static double greater(double x, double y) { return x > y; }

static const struct { pytree_value (*record)(pytree_trace *tr, pytree_value a, pytree_value b); double (*of)(double, double); }
    binary[] = { { pytree_op_add, add }, { pytree_op_sub, sub }, { pytree_op_mul, mul }, { pytree_op_div, quotient },
                 { pytree_op_max, larger }, { pytree_op_greater, greater } };

/* Both in full; one or the other or both as a number; rows that are short and many, and one row or column for all of them. */
static const struct { int ndim; size_t shape[2]; } operands[][2] = {
    { { 1, { 5 } }, { 1, { 5 } } }, { { 1, { 5 } }, { 0, { 0 } } }, { { 0, { 0 } }, { 1, { 5 } } },
    { { 0, { 0 } }, { 0, { 0 } } },
    { { 2, { 50, 2 } }, { 1, { 2 } } }, { { 2, { 50, 1 } }, { 1, { 2 } } }, { { 2, { 50, 1 } }, { 2, { 50, 2 } } },
    { { 2, { 3, 1 } }, { 2, { 1, 9 } } }, { { 2, { 0, 2 } }, { 1, { 2 } } }, { { 1, { 1 } }, { 0, { 0 } } },
};

static pytree_status record_binary(void *context, pytree_trace *tr)
{
    const size_t *op = context;
    const pytree_value y = binary[*op].record(tr, V(tr->arg[0]), V(tr->arg[1]));
    return pytree_return(tr, PYTREE_V(pytree_op_convert(tr, y, PYTREE_F64)));
}

static pytree_leaf operand(int side, size_t pair, bool wide, void *data)
{
    pytree_leaf v = { .data = data, .type = wide ? PYTREE_TYPE(double) : PYTREE_TYPE(float) };
    v.ndim = operands[pair][side].ndim;
    memcpy(v.shape, operands[pair][side].shape, sizeof operands[pair][side].shape);
    return v;
}

/* The element of an operand that element `at` of the result is made of. */
static size_t element_of(const pytree_leaf *v, const pytree_leaf *result, size_t at)
{
    size_t index = 0, step = 1;
    for (int i = 1; i <= v->ndim; i++) {
        const size_t along = at % result->shape[result->ndim - i], extent = v->shape[v->ndim - i];
        at /= result->shape[result->ndim - i];
        index += (extent == 1 ? 0 : along) * step;
        step *= extent;
    }
    return index;
}

static void check_binary(size_t op, size_t pair, bool wide)
{
    double doubles[2][100];
    float floats[2][100];
    pytree_error error = { 0 };
    pytree_leaf in[2];
    pytree_flat out;
    for (size_t i = 0; i < 200; i++) {
        floats[i / 100][i % 100] = (float)((i * 7 + 3) % 32 + 1) / 4;        /* quotients are rounded to float */
        doubles[i / 100][i % 100] = floats[i / 100][i % 100];
    }
    for (int side = 0; side < 2; side++) {
        in[side] = operand(side, pair, wide, wide ? (void *)doubles[side] : (void *)floats[side]);
    }
    out = pytree_apply_new(PYTREE_TRACED(record_binary, .context = &op), 2, (pytree[2]){ PYTREE(&in[0]), PYTREE(&in[1]) }, NULL,
                           &error);
    assert_ok(error.status, &error);
    for (size_t i = 0, n = pytree_leaf_count(&out.leaves[0]); i < n; i++) {
        const double x = doubles[0][element_of(&in[0], &out.leaves[0], i)];
        const double y = doubles[1][element_of(&in[1], &out.leaves[0], i)];
        const double expected = binary[op].of(x, y);
        assert_true(pytree_leaf_get(&out.leaves[0], i) == (wide ? expected : (double)(float)expected));
    }
    pytree_flat_free(&out);
}

static void operands_broadcast(void **state)
{
    (void)state;
    for (size_t op = 0; op < COUNT_OF(binary); op++) {
        for (size_t pair = 0; pair < COUNT_OF(operands); pair++) {
            check_binary(op, pair, false);
            check_binary(op, pair, true);
        }
    }
}

/* Sums whose terms share operands, so that products are added to what is there. */
BODY(terms, pytree_op_sum(tr, pytree_op_add(tr, pytree_op_mul(tr, pytree_op_sin(tr, a), a), pytree_op_mul(tr, a, b)), 0, NULL))
BODY(terms_twice, pytree_op_sum(tr, pytree_op_mul(tr, pytree_op_mul(tr, pytree_op_mul(tr, a, b), a), b), 0, NULL))
BODY(column_sums, pytree_op_sum(tr, pytree_op_square(tr, pytree_op_mul(tr, a, b)), 1, (const int[]){ 0 }))
BODY(squares_by_row, pytree_op_square(tr, pytree_op_add(tr, a, b)))

static void sums_of_products(void **state)
{
    static pytree_body_fn *const each[] = { terms, terms_twice, column_sums, squares_by_row };
    double x[100], y[100];
    float fx[100], fy[100];
    (void)state;
    for (size_t i = 0; i < 100; i++) {
        fx[i] = (float)((i * 5 + 2) % 9 + 1) / 8;
        fy[i] = (float)((i * 3 + 1) % 7 + 1) / 8;
        x[i] = fx[i];
        y[i] = fy[i];
    }
    for (size_t k = 0; k < COUNT_OF(each); k++) {
        const pytree_fn *f = PYTREE_TRACED(each[k], .name = "terms");
        const pytree all[][2] = {
            { PYTREE_ARRAY(x, 20, 2), PYTREE_ARRAY(y, 2) }, { PYTREE_ARRAY(x, 20, 2), PYTREE_ARRAY(y, 20, 1) },
            { PYTREE_ARRAY(x, 5), PYTREE(&y[0]) }, { PYTREE_ARRAY(x, 5), PYTREE_ARRAY(y, 5) },
            { PYTREE_ARRAY(x, 2, 9), PYTREE_ARRAY(y, 9) }, { PYTREE_ARRAY(x, 2, 9), PYTREE_ARRAY(y, 2, 1) },
            { PYTREE_ARRAY(x, 2, 9), PYTREE_ARRAY(y, 2, 9) }, { PYTREE_ARRAY(fx, 20, 2), PYTREE_ARRAY(fy, 2) },
            { PYTREE_ARRAY(fx, 20, 2), PYTREE_ARRAY(fy, 20, 1) }, { PYTREE_ARRAY(fx, 5), PYTREE(&fy[0]) },
            { PYTREE_ARRAY(fx, 5), PYTREE_ARRAY(fy, 5) }, { PYTREE_ARRAY(fx, 2, 9), PYTREE_ARRAY(fy, 9) },
            { PYTREE_ARRAY(fx, 2, 9), PYTREE_ARRAY(fy, 2, 1) }, { PYTREE_ARRAY(fx, 2, 9), PYTREE_ARRAY(fy, 2, 9) },
        };
        for (size_t i = 0; i < COUNT_OF(all); i++) {
            assert_grads(f, 2, all[i]);
        }
    }
}

/* ---- Elements of every size move ---------------------------------------------------------------------------------------- */

BODY(spread, pytree_op_broadcast(tr, pytree_op_transpose(tr, a, NULL), 3, N(2, 3, 2)))

static void moved_as(pytree_leaf v, pytree_leaf expected)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(PYTREE_TRACED(spread), 1, (pytree[1]){ PYTREE(&v) }, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_equal(PYTREE(&out), PYTREE(&expected), NULL, NULL, NULL));
    pytree_flat_free(&out);
}

#define MOVED(T)                                                                                                        \
    do {                                                                                                                \
        T from[6] = { 0, 1, 2, 3, 4, 5 }, to[12] = { 0, 3, 1, 4, 2, 5, 0, 3, 1, 4, 2, 5 };                              \
        moved_as((pytree_leaf){ .data = from, .type = PYTREE_TYPE(T), .ndim = 2, .shape = { 2, 3 } },                   \
                 (pytree_leaf){ .data = to, .type = PYTREE_TYPE(T), .ndim = 3, .shape = { 2, 3, 2 } });                 \
    } while (0)

static void elements_of_every_size_move(void **state)
{
    (void)state;
    MOVED(int8_t);
    MOVED(int16_t);
    MOVED(int32_t);
    MOVED(int64_t);
}

/* ---- Arrays without elements, numbers out of range ----------------------------------------------------------------------- */

static pytree_status join_with_none(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]), none = pytree_op_slice(tr, a, 0, 1, 1), all[3] = { none, a, none };
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_concat(tr, 0, 3, all)));
}
BODY(hot, pytree_op_one_hot(tr, a, 3, b))
BODY(taken, pytree_op_take(tr, b, a))
BODY(product, pytree_op_matmul(tr, a, b))

static void arrays_without_elements(void **state)
{
    double x[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } }, y[2][3] = { { 0 } }, out[6];
    float single[6];
    (void)state;
    apply(PYTREE_TRACED(join_with_none), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 3) }, PYTREE_ARRAY(y[0], 2, 3));
    assert_memory_equal(x, y, sizeof x);
    assert_grads(PYTREE_TRACED(join_with_none), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 2, 3) });
    for (int i = 0; i < 6; i++) { out[i] = 7; }
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(x[0], 2, 0), PYTREE_ARRAY(x[0], 0, 3) },
          PYTREE_ARRAY(out, 2, 3));       /* sums of nothing */
    for (int i = 0; i < 6; i++) { assert_true(out[i] == 0); }
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(x[0], 2, 0), PYTREE_ARRAY(x[0], 0, 0) },
          PYTREE_ARRAY(out, 2, 0));
    for (int i = 0; i < 6; i++) { single[i] = 7; }
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(single, 2, 0), PYTREE_ARRAY(single, 0, 0) },
          PYTREE_ARRAY(single, 2, 0));    /* no sum either: nothing is written */
    for (int i = 0; i < 6; i++) { assert_true(single[i] == 7); }
}

static void numbers_out_of_range(void **state)
{
    const int at[4] = { -1, 0, 2, 3 }, below[1] = { -1 };
    double like = 0, out[4][3], rows[2] = { 1, 2 };
    pytree_error error = { 0 };
    (void)state;
    apply(PYTREE_TRACED(hot), 2, (pytree[2]){ PYTREE_ARRAY(at, 4), PYTREE(&like) }, PYTREE_ARRAY(out[0], 4, 3));
    for (int i = 0; i < 12; i++) { assert_true(out[i / 3][i % 3] == (at[i / 3] == i % 3)); }
    assert_error(pytree_apply(PYTREE_TRACED(taken, .name = "f"), 2,
                              (pytree[2]){ PYTREE_ARRAY(below, 1), PYTREE_ARRAY(rows, 2) }, PYTREE_ARRAY(out[0], 1), NULL,
                              &error), PYTREE_VALUE, "", &error);
    assert_string_equal(error.message, "f: take: expected a row below 2, got -1 at element 0");
}

/* ---- One operand alone --------------------------------------------------------------------------------------------------- */

#define BESIDE(NAME)                                                                                                    \
    BODY(constant_##NAME, pytree_op_##NAME(tr, pytree_op_number(tr, a, 1.25), a))                                       \
    BODY(NAME##_constant, pytree_op_##NAME(tr, a, pytree_op_number(tr, a, 1.25)))
BESIDE(add)
BESIDE(sub)
BESIDE(mul)
BESIDE(div)
BESIDE(max)

/* Derivatives by one operand, while the other is a constant. */
static void operands_beside_constants(void **state)
{
    static pytree_body_fn *const each[] = { constant_add, add_constant, constant_sub, sub_constant, constant_mul, mul_constant,
                                            constant_div, div_constant, constant_max, max_constant };
    double x[4] = { 0.5, 1, 2, 3 };
    float single[4] = { 0.5f, 1, 2, 3 };
    (void)state;
    for (size_t k = 0; k < COUNT_OF(each); k++) {
        assert_grads(PYTREE_TRACED(each[k], .name = "f"), 1, (pytree[1]){ PYTREE_ARRAY(x, 4) });
        assert_grads(PYTREE_TRACED(each[k], .name = "f"), 1, (pytree[1]){ PYTREE_ARRAY(single, 4) });
    }
}

/* ---- Integers of every type ---------------------------------------------------------------------------------------------- */

BODY(put_back, pytree_op_put(tr, b, a, 4))
BODY(to_i32, pytree_op_convert(tr, a, PYTREE_I32))
BODY(to_i64, pytree_op_convert(tr, a, PYTREE_I64))

#define ROWS_BY(T)                                                                                                      \
    do {                                                                                                                \
        const T at[3] = { 3, 0, 2 };                                                                                    \
        double got[3], put[4];                                                                                          \
        int32_t narrow[3];                                                                                              \
        int64_t wide[3];                                                                                                \
        apply(PYTREE_TRACED(taken), 2, (pytree[2]){ PYTREE_ARRAY(at, 3), PYTREE_ARRAY(rows, 4) }, PYTREE_ARRAY(got, 3)); \
        assert_true(got[0] == 8 && got[1] == 5 && got[2] == 7);                                                         \
        apply(PYTREE_TRACED(put_back), 2, (pytree[2]){ PYTREE_ARRAY(at, 3), PYTREE_ARRAY(got, 3) }, PYTREE_ARRAY(put, 4)); \
        assert_true(put[0] == 5 && put[1] == 0 && put[2] == 7 && put[3] == 8);                                          \
        apply(PYTREE_TRACED(to_i32), 1, (pytree[1]){ PYTREE_ARRAY(at, 3) }, PYTREE_ARRAY(narrow, 3));                   \
        apply(PYTREE_TRACED(to_i64), 1, (pytree[1]){ PYTREE_ARRAY(at, 3) }, PYTREE_ARRAY(wide, 3));                     \
        assert_true(narrow[0] == 3 && narrow[1] == 0 && narrow[2] == 2 && wide[0] == 3 && wide[1] == 0 && wide[2] == 2); \
    } while (0)

static void integers_of_every_type(void **state)
{
    const double rows[4] = { 5, 6, 7, 8 };
    const uint64_t beyond[1] = { UINT64_MAX };
    double none[4];
    pytree_error error = { 0 };
    (void)state;
    ROWS_BY(int8_t);
    ROWS_BY(int16_t);
    ROWS_BY(int32_t);
    ROWS_BY(int64_t);
    ROWS_BY(uint8_t);
    ROWS_BY(uint16_t);
    ROWS_BY(uint32_t);
    ROWS_BY(uint64_t);
    assert_error(pytree_apply(PYTREE_TRACED(taken, .name = "f"), 2,
                              (pytree[2]){ PYTREE_ARRAY(beyond, 1), PYTREE_ARRAY(rows, 4) }, PYTREE_ARRAY(none, 1), NULL,
                              &error), PYTREE_VALUE, "", &error);
    assert_string_equal(error.message, "f: take: expected a row below 4, got 9223372036854775807 at element 0");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_TRACED(put_back, .name = "f"), 2,
                              (pytree[2]){ PYTREE_ARRAY(beyond, 1), PYTREE_ARRAY(rows, 1) }, PYTREE_ARRAY(none, 4), NULL,
                              &error), PYTREE_VALUE, "", &error);
}

/* Toward zero; out of range to the nearer end; NaN to 0. */
static void floats_to_integers(void **state)
{
    const double from[7] = { 1.9, -1.9, 1e300, -1e300, NAN, 2147483648.0, -2147483649.0 };
    int32_t narrow[7];
    int64_t wide[7];
    (void)state;
    apply(PYTREE_TRACED(to_i32), 1, (pytree[1]){ PYTREE_ARRAY(from, 7) }, PYTREE_ARRAY(narrow, 7));
    apply(PYTREE_TRACED(to_i64), 1, (pytree[1]){ PYTREE_ARRAY(from, 7) }, PYTREE_ARRAY(wide, 7));
    assert_true(narrow[0] == 1 && narrow[1] == -1 && narrow[2] == INT32_MAX && narrow[3] == INT32_MIN && narrow[4] == 0);
    assert_true(narrow[5] == INT32_MAX && narrow[6] == INT32_MIN);
    assert_true(wide[0] == 1 && wide[1] == -1 && wide[2] == INT64_MAX && wide[3] == INT64_MIN && wide[4] == 0);
    assert_true(wide[5] == INT64_C(2147483648) && wide[6] == INT64_C(-2147483649));
}

/* Products of doubles of all sizes around those of a tile, beside sums. */
static void products_of_doubles(void **state)
{
    static const size_t sizes[][3] = { { 1, 1, 1 }, { 3, 5, 7 }, { 4, 6, 16 }, { 5, 140, 33 }, { 9, 2, 64 } };
    static double a[1500], b[5000], c[1000];
    (void)state;
    for (size_t i = 0; i < COUNT_OF(a); i++) { a[i] = (double)(i * 7 % 11) - 5; }
    for (size_t i = 0; i < COUNT_OF(b); i++) { b[i] = (double)(i * 5 % 13) - 6; }
    for (size_t s = 0; s < COUNT_OF(sizes); s++) {
        const size_t m = sizes[s][0], k = sizes[s][1], n = sizes[s][2];
        apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(a, m, k), PYTREE_ARRAY(b, k, n) }, PYTREE_ARRAY(c, m, n));
        for (size_t i = 0; i < m * n; i++) {
            double sum = 0;
            for (size_t l = 0; l < k; l++) { sum += a[i / n * k + l] * b[l * n + i % n]; }
            assert_true(c[i] == sum);
        }
    }
}

/* ---- What is refused --------------------------------------------------------------------------------------------------- */

static pytree_value at_once(pytree_trace *tr, const pytree_type *type, int ndim, size_t extent)
{
    pytree_leaf v = { .type = type, .ndim = ndim };
    for (int i = 0; i < ndim; i++) { v.shape[i] = extent; }
    return pytree_op_constant(tr, &v);
}

BODY(no_type, at_once(tr, NULL, 0, 0))
BODY(no_memory, at_once(tr, PYTREE_TYPE(double), 2, SIZE_MAX / 2))
BODY(number_like_integer, pytree_op_number(tr, b, 1))
BODY(too_many_axes, pytree_op_broadcast(tr, a, PYTREE_MAX_DIMS + 1, NULL))
BODY(fewer_than_no_axes, pytree_op_reshape(tr, a, -1, NULL))
BODY(spread_to_less, pytree_op_broadcast(tr, a, 1, N(3)))
BODY(spread_along_first, pytree_op_broadcast(tr, a, 2, N(3, 3)))
BODY(spread_along_last, pytree_op_broadcast(tr, a, 2, N(2, 4)))
BODY(axis_below, pytree_op_transpose(tr, a, (const int[]){ -3, 0 }))
BODY(axis_beyond, pytree_op_transpose(tr, a, (const int[]){ 0, 2 }))
BODY(wide_elements, pytree_op_transpose(tr, b, NULL))
BODY(axis_twice, pytree_op_transpose(tr, a, (const int[]){ 1, 1 }))
BODY(slice_backwards, pytree_op_slice(tr, a, 0, 2, 1))
BODY(slice_beyond, pytree_op_slice(tr, a, 0, 1, 3))
BODY(slice_axis, pytree_op_slice(tr, a, 2, 0, 1))
BODY(slice_axis_below, pytree_op_slice(tr, a, -3, 0, 1))
BODY(join_nothing, pytree_op_concat(tr, 0, 0, NULL))
BODY(join_after_error, (pytree_op_slice(tr, a, 2, 0, 1), pytree_op_concat(tr, 0, 0, NULL)))
BODY(join_axis, pytree_op_concat(tr, 2, 1, &a))
BODY(join_two, pytree_op_concat(tr, 0, 2, ((const pytree_value[]){ a, b })))
BODY(join_three, pytree_op_concat(tr, 1, 3, ((const pytree_value[]){ a, a, b })))
BODY(take_by_floats, pytree_op_take(tr, b, a))
BODY(put_a_few, pytree_op_put(tr, a, b, 4))
BODY(convert_complex, pytree_op_convert(tr, b, PYTREE_F32))
BODY(convert_to_text, pytree_op_convert(tr, a, PYTREE_STRING))
BODY(hot_by_floats, pytree_op_one_hot(tr, a, 3, a))
BODY(hot_like_integers, pytree_op_one_hot(tr, b, 3, b))
BODY(matrices, pytree_op_matmul(tr, a, b))
BODY(take_of_number, pytree_op_take(tr, pytree_op_number(tr, a, 1), b))
BODY(put_by_floats, pytree_op_put(tr, a, a, 4))
BODY(choose, pytree_op_select(tr, a, b, b))
BODY(choose_of_integers, pytree_op_select(tr, pytree_op_convert(tr, b, PYTREE_BOOL8), b, b))
BODY(compare_both, pytree_op_greater(tr, a, b))

static void operands_are_refused(void **state)
{
    static double x[2][3], one[1], cube[2][2][3], tall[3][3][4];
    static float single[2][3];
    static int counts[3], two[2], square[2][2];
    static float waves[2][2][2];
    pytree_leaf complex = { .data = waves, .type = &pytree_types[PYTREE__T_cfloat], .ndim = 2, .shape = { 2, 2 } };
    pytree_leaf wide = { .data = x, .type = &pytree_types[PYTREE__T_cdouble], .ndim = 1, .shape = { 3 } };
    const pytree table = PYTREE_ARRAY(x[0], 2, 3), single_table = PYTREE_ARRAY(single[0], 2, 3), none = { NULL, NULL };
    const pytree complexes = PYTREE(&complex), numbers = PYTREE_ARRAY(counts, 3), few = PYTREE_ARRAY(two, 2);
    const pytree whole = PYTREE_ARRAY(square[0], 2, 2), two_rows = PYTREE_ARRAY(x[0], 2), three = PYTREE_ARRAY(x[0], 3, 2);
    const struct { pytree_body_fn *body; pytree a, b; pytree_status status; const char *text; } all[] = {
        { no_type, table, none, PYTREE_OVERFLOW, "constant: expected an array that fits into memory, got a larger one" },
        { no_memory, table, none, PYTREE_OVERFLOW, "constant: expected an array that fits into memory, got a larger one" },
        { number_like_integer, table, numbers, PYTREE_TYPE, "number: expected f32 or f64, got i32" },
        { too_many_axes, table, none, PYTREE_SHAPE, "broadcast: expected 0 to 8 dimensions (PYTREE_MAX_DIMS), got 9" },
        { fewer_than_no_axes, table, none, PYTREE_SHAPE, "reshape: expected 0 to 8 dimensions (PYTREE_MAX_DIMS), got -1" },
        { spread_to_less, table, none, PYTREE_SHAPE, "broadcast: expected a shape that broadcasts to f64[3], got f64[2,3]" },
        { spread_along_first, table, none, PYTREE_SHAPE,
          "broadcast: expected a shape that broadcasts to f64[3,3], got f64[2,3]" },
        { spread_along_last, table, none, PYTREE_SHAPE,
          "broadcast: expected a shape that broadcasts to f64[2,4], got f64[2,3]" },
        { axis_below, table, none, PYTREE_ARGUMENT, "transpose: expected a permutation of 2 axes, got axis -1" },
        { axis_beyond, table, none, PYTREE_ARGUMENT, "transpose: expected a permutation of 2 axes, got axis 2" },
        { axis_twice, table, none, PYTREE_ARGUMENT, "transpose: expected a permutation of 2 axes, got axis 1" },
        { wide_elements, table, PYTREE(&wide), PYTREE_TYPE, "transpose: expected elements of 1, 2, 4 or 8 bytes, got c128" },
        { slice_backwards, table, none, PYTREE_SHAPE, "slice: expected a part of 0 to 2, got 2 to 1" },
        { slice_beyond, table, none, PYTREE_SHAPE, "slice: expected a part of 0 to 2, got 1 to 3" },
        { slice_axis, table, none, PYTREE_ARGUMENT, "slice: expected an axis from -2 to 1, got 2" },
        { slice_axis_below, table, none, PYTREE_ARGUMENT, "slice: expected an axis from -2 to 1, got -3" },
        { join_nothing, table, none, PYTREE_ARGUMENT, "concat: expected an array, got none" },
        { join_after_error, table, none, PYTREE_ARGUMENT, "slice: expected an axis from -2 to 1, got 2" },
        { join_axis, table, none, PYTREE_ARGUMENT, "concat: expected an axis from -2 to 1, got 2" },
        { join_two, table, PYTREE_ARRAY(one, 1), PYTREE_SHAPE,
          "concat: expected arrays that differ along axis 0 only, got f64[2,3] and f64[1]" },
        { join_two, table, single_table, PYTREE_SHAPE,
          "concat: expected arrays that differ along axis 0 only, got f64[2,3] and f32[2,3]" },
        { join_two, table, three, PYTREE_SHAPE,
          "concat: expected arrays that differ along axis 0 only, got f64[2,3] and f64[3,2]" },
        { join_three, table, three, PYTREE_SHAPE,
          "concat: expected arrays that differ along axis 1 only, got f64[2,3] and f64[3,2]" },
        { take_by_floats, table, table, PYTREE_TYPE, "take: expected integers, got f64" },
        { put_a_few, table, numbers, PYTREE_SHAPE,
          "put: expected f32 or f64 rows, one for each number, got f64[2,3] and i32[3]" },
        { put_a_few, few, few, PYTREE_SHAPE, "put: expected f32 or f64 rows, one for each number, got i32[2] and i32[2]" },
        { put_a_few, two_rows, whole, PYTREE_SHAPE,
          "put: expected f32 or f64 rows, one for each number, got f64[2] and i32[2,2]" },
        { put_a_few, three, whole, PYTREE_SHAPE,
          "put: expected f32 or f64 rows, one for each number, got f64[3,2] and i32[2,2]" },
        { convert_complex, table, complexes, PYTREE_TYPE, "convert: expected real numbers, got c64" },
        { convert_complex, table, PYTREE_STR("text"), PYTREE_TYPE, "convert: expected real numbers, got str" },
        { convert_to_text, table, none, PYTREE_TYPE,
          "convert: expected f32, f64, i32, i64 or bool to convert to, got another type" },
        { hot_by_floats, table, none, PYTREE_TYPE, "one_hot: expected integers, got f64" },
        { hot_like_integers, table, numbers, PYTREE_TYPE, "one_hot: expected f32 or f64, got i32" },
        { take_of_number, table, numbers, PYTREE_SHAPE, "take: expected rows, got a scalar" },
        { put_by_floats, table, none, PYTREE_TYPE, "put: expected integers, got f64" },
        { choose, table, table, PYTREE_TYPE, "select: expected bool for the choice, got f64" },
        { choose_of_integers, table, numbers, PYTREE_TYPE, "select: expected f32 or f64, got i32" },
        { compare_both, table, single_table, PYTREE_TYPE, "greater: expected one element type, got f64 and f32" },
        { matrices, whole, whole, PYTREE_TYPE, "matmul: expected f32 or f64, got i32" },
        { matrices, PYTREE_ARRAY(one, 1), table, PYTREE_SHAPE, "matmul: expected matrices, got f64[1] and f64[2,3]" },
        { matrices, table, PYTREE_ARRAY(one, 1), PYTREE_SHAPE, "matmul: expected matrices, got f64[2,3] and f64[1]" },
        { matrices, PYTREE_ARRAY(cube[0][0], 1, 2, 2, 3), PYTREE_ARRAY(tall[0][0], 2, 3, 4), PYTREE_SHAPE,
          "matmul: expected leading axes that agree, got f64[1,2,2,3] and f64[2,3,4]" },
        { matrices, PYTREE_ARRAY(cube[0][0], 2, 2, 3), PYTREE_ARRAY(tall[0][0], 3, 3, 4), PYTREE_SHAPE,
          "matmul: expected leading axes that agree, got f64[2,2,3] and f64[3,3,4]" },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        pytree_error error = { 0 };
        char text[300];
        const size_t n = all[i].b.type == NULL ? 1 : 2;
        pytree_flat out = pytree_apply_new(PYTREE_TRACED(all[i].body, .name = "f"), n, (pytree[2]){ all[i].a, all[i].b }, NULL,
                                           &error);
        assert_null(out.def);
        snprintf(text, sizeof text, "f: %s", all[i].text);
        assert_string_equal(error.message, text);
        assert_error(error.status, all[i].status, "", &error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operands_broadcast), cmocka_unit_test(sums_of_products),
        cmocka_unit_test(elements_of_every_size_move), cmocka_unit_test(arrays_without_elements),
        cmocka_unit_test(numbers_out_of_range), cmocka_unit_test(operands_beside_constants),
        cmocka_unit_test(integers_of_every_type),
        cmocka_unit_test(floats_to_integers), cmocka_unit_test(products_of_doubles), cmocka_unit_test(operands_are_refused)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
