/* Programs at their edges: calls that fail while a derivative is computed, carries that stop to depend on anything, deep loops,
 * strings that operations make, elements of every size that are turned, and memory that runs out in single loops. */
#define TEST_OWN_BODIES
#define PYTREE_FUNCTION_CHUNK 1
#include "derive_shared.h"

/* ---- Calls that fail ----------------------------------------------------------------------------------------------------- */

/* Squares two numbers, unless this is call number `fail_at`. */
typedef struct Fails { size_t calls, fail_at; } Fails;

static pytree_status squares_call(void *context, const pytree_call *at)
{
    Fails *fails = context;
    const double *x = at->arg[0];
    double *y = at->res[0];
    if (fails->calls++ == fails->fail_at) { return PYTREE_STOPPED; }
    for (int i = 0; i < 2; i++) { y[i] = x[i] * x[i]; }
    return PYTREE_OK;
}

/* Each call of the function fails once, until the whole gets through; returns how many calls that makes. */
static size_t calls_of(const pytree_fn *f, size_t n, const pytree *args, Fails *fails)
{
    for (fails->fail_at = 0;; fails->fail_at++) {
        pytree_error error = { 0 };
        pytree_flat out;
        fails->calls = 0;
        out = pytree_apply_new(f, n, args, NULL, &error);
        if (fails->calls <= fails->fail_at) {
            assert_ok(error.status, &error);
            assert_true(pytree_leaf_count(&out.leaves[0]) == 2);
            pytree_flat_free(&out);
            return fails->calls;
        }
        assert_null(out.def);
        assert_error(error.status, PYTREE_STOPPED, NULL, &error);
    }
}

static void derivatives_of_functions_that_fail(void **state)
{
    Fails fails = { 0, 0 };
    const pytree_fn f = { .name = "f", .call = squares_call, .shape = pytree_result_first, .context = &fails };
    double x[2] = { 3, 1 }, t[2] = { 1, 1 };
    const pytree primals = PYTREE_TUPLE(PYTREE_ARRAY(x, 2)), jvp[2] = { primals, PYTREE_TUPLE(PYTREE_ARRAY(t, 2)) };
    const pytree vjp[2] = { primals, PYTREE_ARRAY(t, 2) };
    const pytree_fn *const numeric = PYTREE_NUMERIC(&f);
    pytree_error error = { 0 };
    (void)state;
    assert_true(calls_of(PYTREE_JVP(numeric), 2, jvp, &fails) >= 3);
    assert_true(calls_of(PYTREE_VJP(numeric), 2, vjp, &fails) >= 5);
    for (fails.fail_at = 0;; fails.fail_at++) {
        pytree_status status;
        fails.calls = 0;
        error.status = PYTREE_OK;
        status = pytree_check_grads(numeric, 1, (pytree[1]){ PYTREE_ARRAY(x, 2) },
                                    &(pytree_check_grads_options){ .n_directions = 1 }, &error);
        if (fails.calls <= fails.fail_at) { assert_ok(status, &error); break; }
        assert_error(status, PYTREE_STOPPED, NULL, &error);
    }
}

static pytree_status calls_it(void *context, pytree_trace *tr)
{
    return pytree_return(tr, pytree_op_apply(tr, context, 1, tr->tree));
}

/* A program calls the function. */
static void programs_of_functions_that_fail(void **state)
{
    Fails fails = { 0, 0 };
    pytree_fn f = { .name = "f", .call = squares_call, .shape = pytree_result_first, .context = &fails };
    double x[2] = { 3, 1 }, y[2] = { 0, 0 };
    const pytree args[1] = { PYTREE_ARRAY(x, 2) };
    const pytree_fn *const program = PYTREE_TRACED(calls_it, .context = &f);
    pytree_error error = { 0 };
    pytree_prepared *p;
    (void)state;
    assert_int_equal(calls_of(program, 1, args, &fails), 1);
    fails = (Fails){ 0, 1 };
    p = pytree_prepare(program, 1, args, PYTREE_ARRAY(y, 2), NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_run(p, &error), &error);
    assert_true(y[0] == 9 && y[1] == 1);
    assert_error(pytree_run(p, &error), PYTREE_STOPPED, NULL, &error);
    fails.fail_at = fails.calls;
    assert_int_equal(pytree_run(p, NULL), PYTREE_STOPPED);
    memset(&error, 0, sizeof error);
    assert_ok(pytree_run(p, &error), &error);
    pytree_prepared_free(p);
}

BODY(sine_of_second, pytree_op_sin(tr, b))

/* No derivative flows into whole numbers, with rules and by differences. */
static void whole_numbers_beside_others(void **state)
{
    double x[2] = { 0.5, 1 };
    const pytree args[2] = { PYTREE_INT(3), PYTREE_ARRAY(x, 2) };
    (void)state;
    assert_grads(PYTREE_TRACED(sine_of_second), 2, args);
    assert_grads(PYTREE_NUMERIC(PYTREE_TRACED(sine_of_second)), 2, args);
}

static pytree_status one_number(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    memset(c->out[0], 0, sizeof *c->out[0]);
    c->out[0]->type = PYTREE_TYPE(double);
    return PYTREE_OK;
}
static pytree_status run_seven(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(double *)c->out[0]->data = 7;
    return PYTREE_OK;
}
static const pytree_op seven = { .name = "seven", .n_out = 1, .shape = one_number, .run = run_seven };
BODY(twice_seven, pytree_op_add(tr, pytree_record(tr, &seven, NULL, 0, NULL, NULL),
                                pytree_record(tr, &seven, NULL, 0, NULL, NULL)))

/* A call without operands is recorded once, too, where all are. */
static void calls_without_operands(void **state)
{
    pytree_error error = { 0 };
    double x = 0, y = 0;
    const pytree args[1] = { PYTREE(&x) };
    const pytree_fn *const f = PYTREE_TRACED(twice_seven, .memoize = true);
    pytree_program *p = pytree_program_new(f, 1, args, NULL, &error);
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(pytree_program_count(p), 2);
    pytree_program_free(p);
    apply(f, 1, args, PYTREE(&y));
    assert_true(y == 14);
}

/* ---- Loops --------------------------------------------------------------------------------------------------------------- */

/* (carry, x) -> (0, carry * x): the next carry does not depend on the last one. */
static pytree_status forgets(void *context, pytree_trace *tr)
{
    const pytree_value c = V(tr->arg[0]), x = V(tr->arg[1]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_number(tr, c, 0)), PYTREE_V(pytree_op_mul(tr, c, x))));
}

static void carries_that_are_forgotten(void **state)
{
    double c = 2, xs[3] = { 3, 4, 5 }, dc = 1, dxs[3] = { 0, 0, 0 };
    const pytree primals = PYTREE_TUPLE(PYTREE(&c), PYTREE_ARRAY(xs, 3));
    const pytree args[2] = { primals, PYTREE_TUPLE(PYTREE(&dc), PYTREE_ARRAY(dxs, 3)) };
    const pytree grads[2] = { primals, PYTREE_TUPLE(PYTREE(&dc), PYTREE_ARRAY(xs, 3)) };
    const pytree_fn *const f = PYTREE_SCAN(PYTREE_TRACED(forgets));
    pytree_error error = { 0 };
    pytree_flat out;
    (void)state;
    out = pytree_apply_new(PYTREE_JVP(f), 2, args, NULL, &error);
    assert_ok(error.status, &error);
    assert_int_equal(out.def->n_leaves, 4);                    /* (carry, ys), (their tangents) */
    assert_true(pytree_leaf_get(&out.leaves[1], 0) == 6 && pytree_leaf_get(&out.leaves[1], 1) == 0);
    assert_true(pytree_leaf_get(&out.leaves[2], 0) == 0);
    assert_true(pytree_leaf_get(&out.leaves[3], 0) == 3 && pytree_leaf_get(&out.leaves[3], 1) == 0);
    pytree_flat_free(&out);
    out = pytree_apply_new(PYTREE_VJP(f), 2, grads, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_leaf_get(&out.leaves[2], 0) == 9);      /* the cotangent 3 of y[0], times x[0] */
    pytree_flat_free(&out);
    assert_grads(f, 2, (pytree[2]){ PYTREE(&c), PYTREE_ARRAY(xs, 3) });
}

BODY(is_small, pytree_op_greater(tr, pytree_op_number(tr, a, 3), a))
BODY(grows, pytree_op_add(tr, pytree_op_mul(tr, a, a), a))
#define LOOP(f) PYTREE_WHILE(PYTREE_TRACED(is_small), f, .max_iters = 1)

/* Loops in loops that are deeper than what is written. */
static void deep_programs(void **state)
{
    pytree_error error = { 0 };
    double x = 1, y = 0;
    const pytree_fn *const eight = LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(PYTREE_TRACED(grows)))))))));
    const pytree_fn *const deep = LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(LOOP(eight))))))))));
    pytree_program *p = pytree_program_new(deep, 1, (pytree[1]){ PYTREE(&x) }, NULL, &error);
    char *text;
    size_t length, depth = 0, most = 0;
    (void)state;
    assert_ok(error.status, &error);
    length = pytree_program_text(p, NULL, 0);
    text = malloc(length + 1);
    assert_non_null(text);
    assert_int_equal(pytree_program_text(p, text, length + 1), length);
    for (const char *c = text; *c != '\0'; c++) {
        depth += *c == '{';
        depth -= *c == '}';
        if (depth > most) { most = depth; }
    }
    assert_int_equal(depth, 0);
    assert_true(most >= 16);
    assert_true(pytree_program_count(p) >= 16);
    free(text);
    pytree_program_free(p);
    assert_ok(pytree_apply(deep, 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, &error), &error);
    assert_true(y == 2);
}

/* ---- Operations ---------------------------------------------------------------------------------------------------------- */

BODY(turned, pytree_op_transpose(tr, a, NULL))
BODY(sliced, pytree_op_slice(tr, a, 0, 1, 3))
BODY(column, pytree_op_slice(tr, a, 1, 1, 2))

#define CHECK_TURNED(T)                                                                                                 \
    do {                                                                                                                \
        T x[3][2] = { { 1, 0 }, { 1, 1 }, { 0, 1 } }, y[2][3], z[2][2], c[3];                                           \
        apply(PYTREE_TRACED(turned), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(y[0], 2, 3));             \
        apply(PYTREE_TRACED(sliced), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(z[0], 2, 2));             \
        apply(PYTREE_TRACED(column), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(c, 3, 1));                \
        for (int i = 0; i < 3; i++) { assert_true(c[i] == x[i][1]); }                                                   \
        for (int i = 0; i < 6; i++) { assert_true(y[i % 2][i / 2] == x[i / 2][i % 2]); }                                \
        for (int i = 0; i < 4; i++) { assert_true(z[i / 2][i % 2] == x[i / 2 + 1][i % 2]); }                            \
    } while (0)

static void elements_of_every_size(void **state)
{
    (void)state;
    CHECK_TURNED(uint8_t);
    CHECK_TURNED(uint16_t);
    CHECK_TURNED(uint32_t);
    CHECK_TURNED(uint64_t);
}

BODY(product, pytree_op_matmul(tr, a, b))

static void products_of_nothing(void **state)
{
    float x = 0, y[6] = { 1, 2, 3, 4, 5, 6 };
    double dx = 0, dy[6] = { 1, 2, 3, 4, 5, 6 };
    (void)state;
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(&x, 2, 0), PYTREE_ARRAY(&x, 0, 3) }, PYTREE_ARRAY(y, 2, 3));
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(&x, 0, 0), PYTREE_ARRAY(&x, 0, 3) }, PYTREE_ARRAY(&x, 0, 3));
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(&dx, 2, 0), PYTREE_ARRAY(&dx, 0, 3) }, PYTREE_ARRAY(dy, 2, 3));
    apply(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(&dx, 0, 0), PYTREE_ARRAY(&dx, 0, 3) }, PYTREE_ARRAY(&dx, 0, 3));
    for (int i = 0; i < 6; i++) { assert_true(y[i] == 0 && dy[i] == 0); }
}

/* One matrix times many: its gradient is a sum over all of them. */
static void one_matrix_times_many(void **state)
{
    double w[2][2] = { { 1, 2 }, { 3, 4 } }, x[3][2][2];
    (void)state;
    for (int i = 0; i < 12; i++) { x[i / 4][i / 2 % 2][i % 2] = 0.1 * i; }
    assert_grads(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(w[0], 2, 2), PYTREE_ARRAY(x[0][0], 3, 2, 2) });
    assert_grads(PYTREE_TRACED(product), 2, (pytree[2]){ PYTREE_ARRAY(x[0][0], 3, 2, 2), PYTREE_ARRAY(w[0], 2, 2) });
}

BODY(nothing_twice, (pytree_op_concat(tr, 0, 0, NULL), pytree_op_concat(tr, 0, 0, NULL)))
BODY(converted, pytree_op_convert(tr, a, PYTREE_F64))

static pytree_status no_function_twice(void *context, pytree_trace *tr)
{
    (void)context;
    assert_null(pytree_op_apply(tr, NULL, 1, tr->tree).type);
    assert_null(pytree_op_apply(tr, NULL, 1, tr->tree).type);
    return PYTREE_OK;
}

/* The first mistake stays; the next one says nothing. */
static void mistakes_made_twice(void **state)
{
    pytree_error error = { 0 };
    double x = 1, y = 0;
    const char *word = "word";
    (void)state;
    assert_error(pytree_apply(PYTREE_TRACED(nothing_twice), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, &error),
                 PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "nothing_twice: concat: expected an array, got none");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_TRACED(no_function_twice), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&y), NULL, &error),
                 PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "no_function_twice: expected a function, got NULL");
    memset(&error, 0, sizeof error);
    assert_error(pytree_apply(PYTREE_TRACED(converted), 1, (pytree[1]){ PYTREE(&word) }, PYTREE(&y), NULL, &error), PYTREE_TYPE,
                 "", &error);
    assert_non_null(strstr(error.message, "expected real numbers, got str"));
}

/* ---- Strings ------------------------------------------------------------------------------------------------------------- */

/* Copies a string with '!' behind it; *(size_t *)params bytes more are taken, too. */
static pytree_status shout_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status shout_run(const pytree_op_call *c, pytree_error *err)
{
    const char *from = *(char *const *)c->in[0]->data;
    const size_t n = strlen(from), more = *(const size_t *)c->params;
    char *to = (char *)pytree_op_memory(c, n + 2, err);
    if (to == NULL || (more != 0 && pytree_op_memory(c, more, err) == NULL)) { return PYTREE_NO_MEMORY; }
    memcpy(to, from, n);
    memcpy(to + n, "!", 2);
    *(char **)c->out[0]->data = to;
    return PYTREE_OK;
}
static const pytree_op shout = { .name = "shout", .params = sizeof(size_t), .n_out = 1, .shape = shout_shape,
                                 .run = shout_run };

static pytree_status shouted(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &shout, context, 1, &a, NULL)));
}
BODY(as_it_is, a)

static void strings_that_operations_make(void **state)
{
    size_t more[] = { 0, 5000, SIZE_MAX - 1000, SIZE_MAX / 2 + 100 };
    const char *word = "word", *got = "";
    pytree_error error = { 0 };
    (void)state;
    apply(PYTREE_TRACED(as_it_is), 1, (pytree[1]){ PYTREE(&word) }, PYTREE(&got));
    assert_ptr_equal(got, word);
    assert_error(pytree_apply(PYTREE_TRACED(shouted, .context = &more[0]), 1, (pytree[1]){ PYTREE(&word) }, PYTREE(&got), NULL,
                              &error), PYTREE_ARGUMENT, "", &error);
    assert_non_null(strstr(error.message, "which keep the strings that operations make, got pytree_apply"));
    assert_string_equal(got, "");
    for (size_t i = 0; i < COUNT_OF(more); i++) {
        pytree_flat out;
        error.status = PYTREE_OK;
        out = pytree_apply_new(PYTREE_TRACED(shouted, .context = &more[i]), 1, (pytree[1]){ PYTREE(&word) }, NULL, &error);
        if (i < 2) {
            assert_ok(error.status, &error);
            assert_string_equal(*(const char *const *)out.leaves[0].data, "word!");
        } else {
            assert_error(error.status, PYTREE_NO_MEMORY, NULL, &error);
        }
        pytree_flat_free(&out);
    }
}

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

typedef struct Sweep { const pytree_fn *f; size_t n; const pytree *args; } Sweep;

static pytree_status sweep_program(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_program_free(pytree_program_new(s->f, s->n, s->args, &(pytree_fn_options){ .tree = *opt }, err));
    return err->status;
}

static pytree_status constant_strings(void *context, pytree_trace *tr)
{
    static const char *const words[2] = { "one", NULL };
    const pytree_leaf v = { .data = (void *)(uintptr_t)words, .type = PYTREE_TYPE(char *), .ndim = 1, .shape = { 2 } };
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_constant(tr, &v)));
}

static pytree_status first_weight(void *context, pytree_trace *tr)
{
    const Linear *layer = tr->arg[0];
    (void)context;
    return pytree_return(tr, PYTREE_V(V(layer->w)));
}

BODY(second, pytree_op_scale(tr, b, 2))

static pytree_status first_of_dict(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_neg(tr, pytree_value_at(tr, tr->tree[0], 0))));
}

static void memory_runs_out(void **state)
{
    double c = 2, xs[3] = { 3, 4, 5 };
    Linear layer = linear_make(2, 1, 1);
    const pytree one[1] = { PYTREE(&c) }, two[2] = { PYTREE(&c), PYTREE_ARRAY(xs, 3) }, model[1] = { PYTREE(&layer) };
    const pytree dict[1] = { PYTREE_DICT({ "a", PYTREE(&c) }) };
    Fails never = { 0, SIZE_MAX };
    const pytree_fn bare = { .name = "bare", .call = squares_call, .shape = pytree_result_first, .context = &never };
    const Sweep all[] = {
        { PYTREE_SCAN(PYTREE_TRACED(forgets)), 2, two }, { LOOP(PYTREE_TRACED(grows)), 1, one },
        { PYTREE_TRACED(constant_strings), 1, one }, { PYTREE_TRACED(first_weight), 1, model },
        { PYTREE_VMAP(&bare), 1, two + 1 }, { PYTREE_TRACED(first_of_dict), 1, dict },
        { PYTREE_FORI(PYTREE_TRACED(second), .to = 2), 1, one },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        Sweep s = all[i];
        assert_true(sweep_allocations(sweep_program, &s) > 5);
    }
    linear_clear(&layer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_of_functions_that_fail), cmocka_unit_test(programs_of_functions_that_fail),
        cmocka_unit_test(whole_numbers_beside_others), cmocka_unit_test(calls_without_operands),
        cmocka_unit_test(carries_that_are_forgotten),
        cmocka_unit_test(deep_programs), cmocka_unit_test(elements_of_every_size), cmocka_unit_test(products_of_nothing),
        cmocka_unit_test(one_matrix_times_many), cmocka_unit_test(mistakes_made_twice),
        cmocka_unit_test(strings_that_operations_make), cmocka_unit_test(memory_runs_out)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
