/* Programs at their edges: loops, maps and branches in them that fail, that run over nothing, of which a part is not
 * differentiated; many values at a time; derivatives without rules; what bodies are refused; memory that runs out. */
#define TEST_WATCHED_BODIES
#include "derive_shared.h"

/* Calls a function from a body, so that it becomes a part of a program. */
static pytree_status in_a_program(void *context, pytree_trace *tr)
{
    return pytree_return(tr, pytree_op_apply(tr, context, tr->n_args, tr->tree));
}
#define IN_A_PROGRAM(f) PYTREE_TRACED(in_a_program, .context = (void *)(uintptr_t)(f), .name = "f")

/* Likewise, and adds up the first part of the result. */
static pytree_status sum_of_first(void *context, pytree_trace *tr)
{
    const pytree y = pytree_op_apply(tr, context, tr->n_args, tr->tree);
    return pytree_return(tr, PYTREE_V(pytree_op_sum(tr, pytree_value_at(tr, y, 0), 0, NULL)));
}
#define SUM_OF(f) PYTREE_TRACED(sum_of_first, .context = (void *)(uintptr_t)(f), .name = "f")

static void refused(const pytree_fn *f, size_t n, const pytree *args, pytree_status status, const char *path, const char *text)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, NULL, &error);
    assert_null(out.def);
    assert_error(error.status, status, path, &error);
    assert_string_equal(error.message, text);
}

/* ---- Steps that fail ----------------------------------------------------------------------------------------------------- */

/* (row, table) -> that row, which there may not be */
BODY(row_of, pytree_op_sum(tr, pytree_op_take(tr, b, a), 0, NULL))

/* ((number, table), u) -> ((number, table), the row of that number) */
static pytree_status step_of_rows(void *context, pytree_trace *tr)
{
    const pytree_value at = pytree_value_at(tr, tr->tree[0], 0), table = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value row = pytree_op_sum(tr, pytree_op_take(tr, table, at), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_V(at), PYTREE_V(table)), PYTREE_V(row)));
}
/* (number, table) -> whether that row is greater than 0; itself */
static pytree_status row_is_positive(void *context, pytree_trace *tr)
{
    const pytree_value at = pytree_value_at(tr, tr->tree[0], 0), table = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value row = pytree_op_sum(tr, pytree_op_take(tr, table, at), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_greater(tr, row, pytree_op_number(tr, row, 0))));
}
static pytree_status adds_row(void *context, pytree_trace *tr)
{
    const pytree_value at = pytree_value_at(tr, tr->tree[0], 0), table = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value row = pytree_op_sum(tr, pytree_op_take(tr, table, at), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(at), PYTREE_V(pytree_op_add(tr, table, row))));
}
static pytree_status always(void *context, pytree_trace *tr)
{
    const pytree_value table = pytree_op_sum(tr, pytree_value_at(tr, tr->tree[0], 1), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_greater(tr, pytree_op_number(tr, table, 1e9), table)));
}

static void steps_that_fail(void **state)
{
    const int64_t at[2][1] = { { 1 }, { 5 } };
    const double table[3] = { 1, 2, 3 }, us[2] = { 0, 0 };
    const pytree carry = PYTREE_TUPLE(PYTREE_ARRAY(at[1], 1), PYTREE_ARRAY(table, 3)), loop[1] = { carry };
    const pytree named[3] = { PYTREE_STR("neither"), PYTREE_ARRAY(at[0], 1), PYTREE_ARRAY(table, 3) };
    const pytree maps[2] = { PYTREE_ARRAY(at[0], 2, 1), PYTREE_ARRAY(table, 3) };
    const pytree_fn *const row = PYTREE_TRACED(row_of), *const rows = PYTREE_TRACED(row_of, .name = "rows");
    (void)state;
    refused(IN_A_PROGRAM(PYTREE_VMAP(row, .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE))), 2, maps, PYTREE_VALUE, "",
            "f: vmap: row_of: take: expected a row below 3, got 5 at element 0");
    refused(IN_A_PROGRAM(PYTREE_SCAN(PYTREE_TRACED(step_of_rows))), 2, ((pytree[2]){ carry, PYTREE_ARRAY(us, 2) }),
            PYTREE_VALUE, "", "f: scan: step_of_rows: take: expected a row below 3, got 5 at element 0");
    refused(IN_A_PROGRAM(PYTREE_WHILE(PYTREE_TRACED(row_is_positive), PYTREE_TRACED(adds_row), .max_iters = 3)), 1, loop,
            PYTREE_VALUE, "", "f: while: row_is_positive: take: expected a row below 3, got 5 at element 0");
    refused(IN_A_PROGRAM(PYTREE_WHILE(PYTREE_TRACED(always), PYTREE_TRACED(adds_row), .max_iters = 3)), 1, loop,
            PYTREE_VALUE, "", "f: while: adds_row: take: expected a row below 3, got 5 at element 0");
    refused(IN_A_PROGRAM(PYTREE_SELECT(row, rows)), 3, named, PYTREE_NOT_FOUND, "[0]",
            "f: select: expected 'row_of' or 'rows', got 'neither'");
}

/* ---- Loops over nothing, parts without a derivative ---------------------------------------------------------------------- */

BODY(product, pytree_op_mul(tr, a, b))
BODY(doubled_second, pytree_op_scale(tr, b, 2))

/* (x, y) -> (x y, y as a whole number) */
static pytree_status product_and_whole(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]), b = V(tr->arg[1]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_mul(tr, a, b)), PYTREE_V(pytree_op_convert(tr, b, PYTREE_I32))));
}
/* (x, y) -> (x y, sin y) */
static pytree_status product_and_sine(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]), b = V(tr->arg[1]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_mul(tr, a, b)), PYTREE_V(pytree_op_sin(tr, b))));
}

static void maps_and_loops_over_nothing(void **state)
{
    const pytree_fn *const map = PYTREE_VMAP(PYTREE_TRACED(product), .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE));
    double none[1] = { 7 }, factor = 3, d = 7, x = 5, y = 0;
    float many[3] = { 1, 2, 4 }, single = 3, by_single = 0;
    (void)state;
    apply(PYTREE_GRAD(SUM_OF(map), .argnums = PYTREE_ARGNUMS(1)), 2, (pytree[2]){ PYTREE_ARRAY(none, 0), PYTREE(&factor) },
          PYTREE_TUPLE(PYTREE(&d)));
    assert_true(d == 0);
    apply(PYTREE_GRAD(SUM_OF(map), .argnums = PYTREE_ARGNUMS(1)), 2, (pytree[2]){ PYTREE_ARRAY(many, 3), PYTREE(&single) },
          PYTREE_TUPLE(PYTREE(&by_single)));
    assert_true(by_single == 7);
    apply(IN_A_PROGRAM(PYTREE_FORI(PYTREE_TRACED(doubled_second), .from = 3, .to = 1)), 1, (pytree[1]){ PYTREE(&x) },
          PYTREE(&y));
    assert_true(y == 5);
    apply(IN_A_PROGRAM(PYTREE_FORI(PYTREE_TRACED(doubled_second), .from = 1, .to = 3)), 1, (pytree[1]){ PYTREE(&x) },
          PYTREE(&y));
    assert_true(y == 20);
}

static void branches_in_part(void **state)
{
    const pytree_fn *const whole = PYTREE_COND(PYTREE_TRACED(product_and_whole), PYTREE_TRACED(product_and_whole));
    const pytree_fn *const sine = PYTREE_COND(PYTREE_TRACED(product_and_sine), PYTREE_TRACED(product_and_sine));
    double x = 2, y = 3, dx = 0, dy = 0;
    const pytree args[3] = { PYTREE_BOOL(true), PYTREE(&x), PYTREE(&y) };
    (void)state;
    assert_grads(IN_A_PROGRAM(whole), 3, args);
    for (int k = 0; k < 2; k++) {
        apply(PYTREE_GRAD(SUM_OF(k == 0 ? whole : sine), .argnums = PYTREE_ARGNUMS(1, 2)), 3, args,
              PYTREE_TUPLE(PYTREE(&dx), PYTREE(&dy)));
        assert_true(dx == 3 && dy == 2);
    }
}

/* (b) -> a loop that begins with (1, b), doubles b, and counts to 3 */
static pytree_status below_three(void *context, pytree_trace *tr)
{
    const pytree_value a = pytree_value_at(tr, tr->tree[0], 0);
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_greater(tr, pytree_op_number(tr, a, 3), a)));
}
static pytree_status counts_and_doubles(void *context, pytree_trace *tr)
{
    const pytree_value a = pytree_value_at(tr, tr->tree[0], 0), b = pytree_value_at(tr, tr->tree[0], 1);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_shift(tr, a, 1)), PYTREE_V(pytree_op_scale(tr, b, 2))));
}
static pytree_status from_one(void *context, pytree_trace *tr)
{
    const pytree_value b = V(tr->arg[0]);
    const pytree start = PYTREE_TUPLE(PYTREE_V(pytree_op_number(tr, b, 1)), PYTREE_V(b));
    return pytree_return(tr, PYTREE_V(pytree_value_at(tr, pytree_op_apply(tr, context, 1, &start), 1)));
}
static pytree_status halves(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_scale(tr, V(tr->arg[0]), 0.5)));
}
static pytree_status is_large(void *context, pytree_trace *tr)
{
    const pytree_value sum = pytree_op_sum(tr, V(tr->arg[0]), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_greater(tr, sum, pytree_op_number(tr, sum, 1))));
}

static void whiles_in_part(void **state)
{
    const pytree_fn *const loop = PYTREE_WHILE(PYTREE_TRACED(below_three), PYTREE_TRACED(counts_and_doubles), .max_iters = 5);
    const pytree_fn *const f = PYTREE_TRACED(from_one, .context = (void *)(uintptr_t)loop, .name = "f");
    const pytree_fn *const large = PYTREE_WHILE(PYTREE_TRACED(is_large), PYTREE_TRACED(halves), .max_iters = 2);
    double b = 0.5, y = 0, d = 0, one = 1;
    (void)state;
    apply(PYTREE_JVP(f), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE(&b)), PYTREE_TUPLE(PYTREE(&one)) },
          PYTREE_TUPLE(PYTREE(&y), PYTREE(&d)));
    assert_true(y == 2 && d == 4);
    apply(PYTREE_GRAD(f), 1, (pytree[1]){ PYTREE(&b) }, PYTREE(&d));
    assert_true(d == 4);
    refused(PYTREE_GRAD(SUM_OF(large)), 1, (pytree[1]){ PYTREE_ARRAY(&b, 1, 1, 1, 1, 1, 1, 1, 1) }, PYTREE_SHAPE, NULL,
            "f: while: expected at most 8 dimensions (PYTREE_MAX_DIMS), got 9");
}

/* ---- Jacobians of too many dimensions ------------------------------------------------------------------------------------ */

BODY(negative, pytree_op_neg(tr, a))
BODY(spread, pytree_op_broadcast(tr, a, 8, ((const size_t[]){ 1, 1, 1, 1, 1, 1, 1, 1 })))

static void jacobians_of_too_many_dimensions(void **state)
{
    double x = 1;
    (void)state;
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(negative)), 1, (pytree[1]){ PYTREE_ARRAY(&x, 1, 1, 1, 1, 1) }, PYTREE_SHAPE, "",
            "jacobian of negative: expected at most 8 dimensions (PYTREE_MAX_DIMS), got 10");
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(spread), .mode = PYTREE_REVERSE), 1, (pytree[1]){ PYTREE(&x) }, PYTREE_SHAPE, NULL,
            "expected at most 8 dimensions (PYTREE_MAX_DIMS), got 9");
}

/* ---- Derivatives without rules ------------------------------------------------------------------------------------------- */

static pytree_status cube_and_count(void *context, pytree_call const *at)
{
    const double x = *(const double *)at->in[0].data;
    (void)context;
    *(double *)at->out[0].data = x * x * x;
    if (at->n_out == 2) { *(int *)at->out[1].data = 3; }
    return PYTREE_OK;
}
static pytree_status value_and_int(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(PYTREE_SHAPED(double), PYTREE_SHAPED(int)));
}
static pytree_status complex_scalar(void *context, const pytree_call *at)
{
    pytree_leaf leaf = { .type = &pytree_types[PYTREE__T_cdouble] };
    if (context != NULL) {
        leaf.ndim = 1;
        leaf.shape[0] = 2;
    }
    return pytree_result_like(at, PYTREE(&leaf));
}

static pytree_status stop_call(void *context, const pytree_call *at)
{
    (void)context;
    *(bool *)at->out[0].data = *(const double *)at->in[0].data < 3;
    return PYTREE_OK;
}
static const pytree_fn stop = { .name = "stop", .call = stop_call };
static const pytree_fn cube = { .name = "cube", .call = cube_and_count, .shape = pytree_result_f64 };

static void derivatives_without_rules(void **state)
{
    const pytree_fn counted = { .name = "counted", .call = cube_and_count, .shape = value_and_int };
    const pytree_fn single = { .name = "single", .call = cube_and_count, .shape = pytree_result_f32 };
    const pytree_fn twin = { .name = "twin", .call = cube_and_count, .shape = complex_scalar,
                             .context = (void *)(uintptr_t)&cube };
    double x = 1, d = 0;
    float fx = 1;
    int count = 0;
    (void)state;
    apply(PYTREE_GRAD(PYTREE_NUMERIC(&cube, .step = 0.125)), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&d));
    assert_close(d, 3 + 0.125 * 0.125, 1e-14);
    apply(PYTREE_GRAD(PYTREE_NUMERIC(&counted), .has_aux = true), 1, (pytree[1]){ PYTREE(&x) },
          PYTREE_TUPLE(PYTREE(&d), PYTREE(&count)));
    assert_close(d, 3, 1e-8);
    assert_int_equal(count, 3);
    refused(PYTREE_GRAD(PYTREE_COMPLEX_STEP(&single, &twin)), 1, (pytree[1]){ PYTREE(&fx) }, PYTREE_TYPE, "",
            "complex_step of single: expected f64, got f32");
    refused(PYTREE_GRAD(PYTREE_COMPLEX_STEP(&cube, &twin)), 1, (pytree[1]){ PYTREE(&x) }, PYTREE_SHAPE, "",
            "complex_step of cube: twin: expected c128, got c128[2]");
}

/* (x, y) -> (2 x y, 7) with a rule for each mode; the whole number has no derivative. */
static pytree_status twice_product(void *context, const pytree_call *at)
{
    (void)context;
    *(double *)at->out[0].data = 2 * *(const double *)at->in[0].data * *(const double *)at->in[1].data;
    *(int *)at->out[1].data = 7;
    return PYTREE_OK;
}
static pytree_status twice_forward(void *context, const pytree_call *at)      /* (x, y, (f, 7), dx, dy) */
{
    const double *const *in = (const double *const[]){ at->in[0].data, at->in[1].data, at->in[4].data, at->in[5].data };
    (void)context;
    *(double *)at->out[0].data = 2 * (*in[2] * *in[1] + *in[0] * *in[3]);
    *(int *)at->out[1].data = 99;
    return PYTREE_OK;
}
static pytree_status twice_back(void *context, const pytree_call *at)         /* (x, y, (f, 7), (ct, of 7)) */
{
    const double ct = *(const double *)at->in[4].data;
    (void)context;
    assert_true(at->wanted[0] && !at->wanted[1]);
    *(double *)at->out[0].data = 2 * ct * *(const double *)at->in[1].data;
    *(double *)at->out[1].data = NAN;     /* of no interest */
    return PYTREE_OK;
}
static pytree_status two_doubles(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(PYTREE_SHAPED(double), PYTREE_SHAPED(double)));
}

static void rules_in_part(void **state)
{
    const pytree_fn jvp = { .name = "jvp", .call = twice_forward, .shape = value_and_int };
    const pytree_fn vjp = { .name = "vjp", .call = twice_back, .shape = two_doubles };
    const pytree_fn f = { .name = "f", .call = twice_product, .shape = value_and_int, .jvp = &jvp, .vjp = &vjp };
    double x = 2, y = 3, d = 0;
    int count = 0;
    const pytree args[2] = { PYTREE(&x), PYTREE(&y) };
    (void)state;
    apply(PYTREE_JACOBIAN(SUM_OF(&f), .mode = PYTREE_FORWARD), 2, args, PYTREE(&d));
    assert_true(d == 6);
    d = 0;
    apply(PYTREE_GRAD(&f, .has_aux = true), 2, args, PYTREE_TUPLE(PYTREE(&d), PYTREE(&count)));
    assert_true(d == 6 && count == 7);
}

/* A function that fails once its wrong derivative has been looked at. */
static pytree_status until_looked_at(void *context, const pytree_call *at)
{
    *(double *)at->out[0].data = *(const double *)at->in[0].data;
    return *(const bool *)context ? PYTREE_VALUE : PYTREE_OK;
}
static pytree_status look(void *context, const pytree_call *at)
{
    *(bool *)context = true;
    *(double *)at->out[0].data = 100;
    return PYTREE_OK;
}
static pytree_status one_double(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(PYTREE_SHAPED(double)));
}

/* A derivative that is wrong by less than the tolerance at each element, but by more along a direction. */
static pytree_status zero_call(void *context, const pytree_call *at)
{
    (void)context;
    *(double *)at->out[0].data = 0;
    return PYTREE_OK;
}
static pytree_status slightly_wrong(void *context, const pytree_call *at)
{
    const size_t n = pytree_leaf_count(&at->out[0]);
    (void)context;
    for (size_t i = 0; i < n; i++) { ((double *)at->out[0].data)[i] = 0.9e-5; }
    return PYTREE_OK;
}
static pytree_status tuple_of_first(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0]));
}

static void checks_along_a_direction(void **state)
{
    enum { MANY = 400 };
    static const double x[MANY];
    const pytree_fn vjp = { .name = "vjp", .call = slightly_wrong, .shape = tuple_of_first };
    const pytree_fn f = { .name = "f", .call = zero_call, .shape = pytree_result_f64, .vjp = &vjp };
    const pytree_check_grads_options opt = { .modes = PYTREE_REVERSE };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_check_grads(&f, 1, (pytree[1]){ PYTREE_ARRAY(x, MANY) }, &opt, &error), PYTREE_VALUE, "", &error);
    assert_non_null(strstr(error.message, "vjp: expected 0 (differences) along a direction, got "));
}

static void checks_that_cannot_go_on(void **state)
{
    bool looked = false;
    const pytree_fn vjp = { .name = "vjp", .call = look, .shape = one_double, .context = &looked };
    const pytree_fn f = { .name = "f", .call = until_looked_at, .shape = pytree_result_f64, .vjp = &vjp, .context = &looked };
    double x = 2;
    const pytree_check_grads_options opt = { .modes = PYTREE_REVERSE };
    pytree_error error = { 0 };
    (void)state;
    assert_error(pytree_check_grads(&f, 1, (pytree[1]){ PYTREE(&x) }, &opt, &error), PYTREE_VALUE, "", &error);
    assert_true(looked);
    assert_non_null(strstr(error.message, "expected success, got "));
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------------- */

static pytree_status finds_nothing(void *context, pytree_trace *tr)
{
    (void)pytree_value_of(tr, context);
    return pytree_return(tr, PYTREE_NONE);
}
static pytree_status leaf_beyond(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_value_at(tr, tr->tree[0], 3)));
}
static pytree_status argument_beyond(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    (void)context;
    return pytree_return_like(tr, 2, 1, &a);
}
static pytree_status like_with_two(void *context, pytree_trace *tr)
{
    const pytree_value two[2] = { V(tr->arg[0]), V(tr->arg[0]) };
    (void)context;
    return pytree_return_like(tr, 0, 2, two);
}
static pytree_status like_with_none(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return_like(tr, 0, 0, NULL);
}
static pytree_status like_nothing(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return_like(tr, 0, 0, NULL);
}

/* A struct that is larger than its leaves. */
typedef struct Big { double row[12], more[12]; } Big;
#define PYTREE_STRUCT Big
#define PYTREE_FIELDS PYTREE_FIELD(DATA, row) PYTREE_FIELD(DATA, more)
#include "pytree_registry.h"

/* The sum of the first leaf, which is found by its address if there is a struct. */
static pytree_status sum_of_row(void *context, pytree_trace *tr)
{
    const Big *big = tr->arg[0];
    const pytree_value row = big == NULL ? pytree_value_at(tr, tr->tree[0], 0) : V(big->row);
    *(bool *)context = big != NULL;
    return pytree_return(tr, PYTREE_V(pytree_op_sum(tr, row, 0, NULL)));
}

/* Leaves of other types than those of the struct's fields: a body has only the tree. */
static void structs_for_bodies(void **state)
{
    bool built = false;
    Big big = { .row = { 1, 2, 3, 4 } };
    float rows[2][12] = { { 1, 2, 4 } }, sum = 0;
    double y = 0;
    pytree_leaf *leaves = NULL, singles[2];
    pytree_def *def;
    pytree_flat flat;
    pytree_error error = { 0 };
    (void)state;
    apply(PYTREE_TRACED(sum_of_row, .context = &built), 1, (pytree[1]){ PYTREE(&big) }, PYTREE(&y));
    assert_true(built && y == 10);
    assert_ok(pytree_flatten(PYTREE(&big), &leaves, 0, &def, NULL, &error), &error);
    for (int i = 0; i < 2; i++) {
        singles[i] = (pytree_leaf){ .data = rows[i], .type = PYTREE_TYPE(float), .ndim = 1, .shape = { 12 } };
    }
    flat = (pytree_flat){ def, singles };
    apply(PYTREE_TRACED(sum_of_row, .context = &built), 1, (pytree[1]){ PYTREE(&flat) }, PYTREE(&sum));
    assert_true(!built && sum == 7);
    pytree_def_free(def);
}

static void bodies_refuse(void **state)
{
    double x = 1;
    const pytree args[1] = { PYTREE(&x) }, none[1] = { PYTREE_LIST(PYTREE_NONE) };
    pytree_fn named = { .name = "other", .kind = PYTREE_TRACED(leaf_beyond)->kind };
    pytree_traced_of of = { .body = leaf_beyond };
    pytree_error error = { 0 };
    pytree_flat out;
    (void)state;
    named.context = &of;
    refused(PYTREE_TRACED(finds_nothing, .name = "f", .context = &x), 0, NULL, PYTREE_NOT_FOUND, "",
            "f: expected the address of a leaf of an argument, got another");
    refused(PYTREE_TRACED(leaf_beyond, .name = "f"), 1, args, PYTREE_NOT_FOUND, "", "f: expected a leaf below 1, got 3");
    refused(&named, 1, args, PYTREE_NOT_FOUND, "", "other: expected a leaf below 1, got 3");
    named.name = NULL;
    refused(&named, 1, args, PYTREE_NOT_FOUND, "", "function: expected a leaf below 1, got 3");
    refused(PYTREE_TRACED(argument_beyond, .name = "f"), 1, args, PYTREE_ARGUMENT, "",
            "f: expected an argument below 1, got 2");
    refused(PYTREE_TRACED(like_with_two, .name = "f"), 1, args, PYTREE_TOO_MANY_LEAVES, "",
            "f: expected 1 values, as argument 0 has leaves, got 2");
    refused(PYTREE_TRACED(like_with_none, .name = "f"), 1, args, PYTREE_TOO_FEW_LEAVES, "",
            "f: expected 1 values, as argument 0 has leaves, got 0");
    out = pytree_apply_new(PYTREE_TRACED(like_nothing), 1, none, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(pytree_def_num_leaves(out.def), 0);
    assert_int_equal(pytree_def_num_children(out.def), 1);
    pytree_flat_free(&out);
}

/* ---- Operations ---------------------------------------------------------------------------------------------------------- */

static pytree_status five_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    for (size_t k = 0; k < 5; k++) { *c->out[k] = *c->in[0]; }
    return PYTREE_OK;
}
static pytree_status five_run(const pytree_op_call *c, pytree_error *err)
{
    for (size_t k = 0; k < 5; k++) { *(double *)c->out[k]->data = *(const double *)c->in[0]->data + (double)k; }
    return pytree_op_memory(c, 0, err) == NULL ? err->status : PYTREE_OK;
}
static const pytree_op five = { .name = "five", .n_out = 5, .shape = five_shape, .run = five_run };
static pytree_status silent_run(const pytree_op_call *c, pytree_error *err)
{
    (void)c;
    (void)err;
    return PYTREE_VALUE;
}
static pytree_status one_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static const pytree_op silent = { .name = "silent", .shape = one_shape, .run = silent_run };
BODY(first_of_five, pytree_record(tr, &five, NULL, 1, &a, NULL))
BODY(says_nothing, pytree_record(tr, &silent, NULL, 1, &a, NULL))

/* The sum of 100 values that are all there at a time. */
static pytree_status many_values(void *context, pytree_trace *tr)
{
    pytree_value all[100], sum;
    (void)context;
    for (int i = 0; i < 100; i++) { all[i] = pytree_op_power(tr, pytree_op_shift(tr, V(tr->arg[0]), i), 3); }
    sum = all[99];
    for (int i = 98; i >= 0; i--) { sum = pytree_op_max(tr, pytree_op_neg(tr, sum), all[i]); }
    return pytree_return(tr, PYTREE_V(sum));
}
BODY(three, pytree_op_number(tr, a, 3))

static void operations_at_their_edges(void **state)
{
    const pytree_op_call other = { .n_in = 0 };
    double x = 2, y = 0, expected = 101. * 101 * 101;
    pytree_error error = { 0 };
    pytree_program *p, *forward;
    char text[300];
    (void)state;
    assert_null(pytree_op_memory(&other, 8, &error));
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "expected the call that an operation's run is given, got another");
    memset(&error, 0, sizeof error);
    apply(PYTREE_TRACED(first_of_five), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y));
    assert_true(y == 2);
    assert_error(pytree_apply(PYTREE_TRACED(says_nothing, .name = "f"), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, &error),
                 PYTREE_VALUE, "", &error);
    assert_string_equal(error.message, "f: silent: expected success, got values differ");
    memset(&error, 0, sizeof error);
    apply(PYTREE_TRACED(many_values), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y));
    for (int i = 98; i >= 0; i--) { expected = fmax(-expected, (x + i) * (x + i) * (x + i)); }
    assert_true(y == expected);
    apply(IN_A_PROGRAM(PYTREE_GRAD(PYTREE_TRACED(three))), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y));
    assert_true(y == 0);
    p = pytree_program_new(PYTREE_TRACED(three), 1, (pytree[1]){ PYTREE(&x) }, NULL, &error);
    assert_ok(error.status, &error);
    forward = pytree_pushforward(p, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_program_text(forward, text, sizeof text) < sizeof text);
    assert_non_null(strstr(text, " 0 }\n"));
    pytree_program_free(forward);
    pytree_program_free(p);
}

/* An operation of a program, called by another that wants to hear of no error. */
static pytree_op of_program;
static const void *of_program_params;
static pytree_status unheard_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    return of_program.run(c, NULL);
}
static pytree_status record_unheard(void *context, pytree_trace *tr)
{
    const pytree_value in[2] = { V(tr->arg[0]), V(tr->arg[1]) };
    return pytree_return(tr, PYTREE_V(pytree_record(tr, context, of_program_params, 2, in, NULL)));
}

static void errors_that_nobody_hears(void **state)
{
    const int64_t at[2][1] = { { 1 }, { 5 } };
    const double table[3] = { 1, 2, 3 };
    const pytree maps[2] = { PYTREE_ARRAY(at[0], 2, 1), PYTREE_ARRAY(table, 3) };
    const pytree_fn *const map = PYTREE_VMAP(PYTREE_TRACED(row_of), .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE));
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(IN_A_PROGRAM(map), 2, maps, NULL, &error);
    pytree_op op;
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(p->n_eqns, 1);
    of_program = op = *p->eqns[0].op;
    of_program_params = p->eqns[0].params;
    op.run = unheard_run;
    refused(PYTREE_TRACED(record_unheard, .context = &op, .name = "g"), 2, maps, PYTREE_VALUE, "",
            "g: vmap: expected success, got values differ");
    pytree_program_free(p);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

static pytree_status sweep_all(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_fn_options options = { .tree = *opt };
    const pytree_fn *const loop = PYTREE_WHILE(PYTREE_TRACED(below_three), PYTREE_TRACED(counts_and_doubles), .max_iters = 5);
    const pytree_fn *const each[] = {
        PYTREE_TRACED(first_of_five), PYTREE_TRACED(from_one, .context = (void *)(uintptr_t)loop),
        IN_A_PROGRAM(PYTREE_WHILE(&stop, &cube, .max_iters = 2)), IN_A_PROGRAM(PYTREE_COND(&cube, &cube)),
    };
    double x = 2;
    (void)context;
    for (size_t k = 0; k < COUNT_OF(each); k++) {
        pytree_flat out = k == 3
            ? pytree_apply_new(each[k], 2, (pytree[2]){ PYTREE_BOOL(true), PYTREE(&x) }, &options, err)
            : pytree_apply_new(each[k], 1, (pytree[1]){ PYTREE(&x) }, &options, err);
        pytree_flat_free(&out);
        if (err->status != PYTREE_OK) { return err->status; }
    }
    return PYTREE_OK;
}

static void memory_runs_out(void **state)
{
    (void)state;
    assert_true(sweep_allocations(sweep_all, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(steps_that_fail), cmocka_unit_test(maps_and_loops_over_nothing), cmocka_unit_test(branches_in_part),
        cmocka_unit_test(whiles_in_part), cmocka_unit_test(jacobians_of_too_many_dimensions),
        cmocka_unit_test(derivatives_without_rules), cmocka_unit_test(rules_in_part),
        cmocka_unit_test(checks_along_a_direction), cmocka_unit_test(checks_that_cannot_go_on),
        cmocka_unit_test(structs_for_bodies), cmocka_unit_test(bodies_refuse),
        cmocka_unit_test(operations_at_their_edges), cmocka_unit_test(errors_that_nobody_hears),
        cmocka_unit_test(memory_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
