/* Programs at their edges: calls that fail while a derivative is computed, carries that stop to depend on anything, deep loops,
 * elements of every size that are turned, and memory that runs out in single loops. */
#define TEST_WATCHED_BODIES
#include "derive_shared.h"
#include <pthread.h>

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

/* Two elements of which the second one fails first, and the first one before the second one has returned. */
typedef struct Turns { pthread_mutex_t lock; pthread_cond_t changed; int turn; } Turns;

static void wait_for(Turns *turns, int turn)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->turn < turn) { pthread_cond_wait(&turns->changed, &turns->lock); }
    pthread_mutex_unlock(&turns->lock);
}
static void next_turn(Turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    turns->turn++;
    pthread_cond_broadcast(&turns->changed);
    pthread_mutex_unlock(&turns->lock);
}
static pytree_status fails_in_turn(void *context, const pytree_call *at)
{
    Turns *turns = context;
    const bool first = *(const double *)at->arg[0] == 0;
    if (first) { wait_for(turns, 1); }
    pytree_fail(at->err, PYTREE_VALUE, NULL, first ? "the first element" : "the second element");
    next_turn(turns);
    if (!first) { wait_for(turns, 2); }
    return PYTREE_VALUE;
}

typedef struct Task { void (*task)(void *arg, size_t i); void *data; size_t i; } Task;

static void *run_task(void *task)
{
    const Task *t = task;
    t->task(t->data, t->i);
    return NULL;
}
static void in_threads(void *context, size_t n, void (*task)(void *arg, size_t i), void *data)
{
    pthread_t threads[4];
    Task tasks[4];
    (void)context;
    assert_in_range(n, 1, 4);
    for (size_t i = 0; i < n; i++) {
        tasks[i] = (Task){ task, data, i };
        assert_int_equal(pthread_create(&threads[i], NULL, run_task, &tasks[i]), 0);
    }
    for (size_t i = 0; i < n; i++) { pthread_join(threads[i], NULL); }
}

/* Tasks of an executor call the function at the same time: each has its own error. */
static void tasks_that_fail_at_once(void **state)
{
    Turns turns = { .turn = 0 };
    const pytree_fn f = { .name = "f", .call = fails_in_turn, .shape = pytree_result_first, .context = &turns };
    const pytree_fn *const traced = PYTREE_TRACED(calls_it, .context = (void *)(uintptr_t)&f);
    const pytree_executor executor = { in_threads, NULL, 2 };
    double x[2] = { 0, 1 }, y[2] = { 0 };
    pytree_error error = { 0 };
    (void)state;
    assert_int_equal(pthread_mutex_init(&turns.lock, NULL), 0);
    assert_int_equal(pthread_cond_init(&turns.changed, NULL), 0);
    assert_error(pytree_apply(PYTREE_VMAP(traced), 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2),
                              &(pytree_fn_options){ .executor = &executor }, &error), PYTREE_VALUE, "", &error);
    assert_non_null(strstr(error.message, "the first element"));
    pthread_cond_destroy(&turns.changed);
    pthread_mutex_destroy(&turns.lock);
}

/* What a task cannot prepare is refused, as one element alone is. */
static void tasks_that_are_refused(void **state)
{
    Fails never = { 0, SIZE_MAX };
    const pytree_fn f = { .name = "f", .call = squares_call, .context = &never };
    const pytree_executor executor = { in_threads, NULL, 2 };
    double x[2][2] = { { 1, 2 }, { 3, 4 } }, t[2][3] = { { 0 } }, y[2][2], dy[2][2];
    const pytree args[2] = { PYTREE_TUPLE(PYTREE_ARRAY(x[0], 2, 2)), PYTREE_TUPLE(PYTREE_ARRAY(t[0], 2, 3)) };
    const pytree out = PYTREE_TUPLE(PYTREE_ARRAY(y[0], 2, 2), PYTREE_ARRAY(dy[0], 2, 2));
    (void)state;
    for (int i = 0; i < 2; i++) {
        const pytree_fn_options opt = { .executor = i == 0 ? NULL : &executor };
        pytree_error error = { 0 };
        assert_error(pytree_apply(PYTREE_VMAP(PYTREE_JVP(&f)), 2, args, out, &opt, &error), PYTREE_SHAPE, "[0]", &error);
        assert_string_equal(error.message, "jvp of f: tangents: expected f64[2], got f64[3]");
        memset(&error, 0, sizeof error);
        assert_error(pytree_apply(PYTREE_VMAP(PYTREE_JVP(&f)), 1, args, out, &opt, &error), PYTREE_STRUCTURE, "", &error);
        assert_string_equal(error.message, "jvp of f: expected two arguments, a tuple of arguments and a tuple of tangents, "
                            "got 1");
    }
}

static pytree_status shape_that_fails(void *context, const pytree_call *at)
{
    Fails *fails = context;
    return fails->calls++ == fails->fail_at ? PYTREE_SHAPE : pytree_result_like(at, at->args[0]);
}

/* A program asks a function for the shape of its result when it is made, and when it is prepared. */
static void functions_that_stop_to_know_their_result(void **state)
{
    Fails fails = { 0, 0 };
    double x[2] = { 3, 1 }, y[2] = { 0 };
    (void)state;
    for (;; fails.fail_at++) {
        pytree_fn f = { .name = "f", .call = squares_call, .shape = shape_that_fails, .context = &fails };
        const pytree_fn *const program = PYTREE_TRACED(calls_it, .context = &f);
        pytree_error error = { 0 };
        pytree_prepared *p;
        fails.calls = 0;
        p = pytree_prepare(program, 1, (pytree[1]){ PYTREE_ARRAY(x, 2) }, PYTREE_ARRAY(y, 2), NULL, &error);
        if (p == NULL) {
            assert_error(error.status, PYTREE_SHAPE, "", &error);
            assert_string_equal(error.message, "f: expected success, got shapes differ");
            continue;
        }
        assert_ok(error.status, &error);
        pytree_prepared_free(p);
        break;
    }
    assert_true(fails.fail_at >= 2);
}

static pytree_status squares_rule(void *context, const pytree_call *at)        /* (x, y, t) -> 2 x t */
{
    const double *x = at->arg[0], *t = at->arg[2];
    double *y = at->res[0];
    (void)context;
    for (int i = 0; i < 2; i++) { y[i] = 2 * x[i] * t[i]; }
    return PYTREE_OK;
}

/* A function that does not say what it gives has a derivative where the result is given. */
static void functions_that_do_not_say_what_they_give(void **state)
{
    Fails never = { 0, SIZE_MAX };
    const pytree_fn rule = { .name = "rule", .call = squares_rule, .shape = pytree_result_first };
    const pytree_fn f = { .name = "f", .call = squares_call, .jvp = &rule, .context = &never };
    double x[2] = { 3, 1 }, t[2] = { 1, 2 }, y[2] = { 0 }, dy[2] = { 0 };
    const pytree args[2] = { PYTREE_TUPLE(PYTREE_ARRAY(x, 2)), PYTREE_TUPLE(PYTREE_ARRAY(t, 2)) };
    const pytree out = PYTREE_TUPLE(PYTREE_ARRAY(y, 2), PYTREE_ARRAY(dy, 2));
    pytree_error error = { 0 };
    (void)state;
    apply(PYTREE_JVP(&f), 2, args, out);
    assert_true(y[0] == 9 && y[1] == 1 && dy[0] == 6 && dy[1] == 4);
    assert_error(pytree_apply(PYTREE_JVP(&f), 2, args, PYTREE_TUPLE(PYTREE_ARRAY(y, 2)), NULL, &error), PYTREE_ARGUMENT, "",
                 &error);
    assert_string_equal(error.message, "f: expected a function that says what it gives (shape), got f");
}

BODY(sine_of_second, pytree_op_sin(tr, b))

static pytree_status both(void *context, pytree_trace *tr)     /* (a, b) -> (a, sin b) */
{
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(tr->tree[0], PYTREE_V(pytree_op_sin(tr, V(tr->arg[1])))));
}

/* No derivative flows into whole numbers, with rules and by differences. */
static void whole_numbers_beside_others(void **state)
{
    double x[2] = { 0.5, 1 };
    const pytree args[2] = { PYTREE_INT(3), PYTREE_ARRAY(x, 2) };
    (void)state;
    assert_grads(PYTREE_TRACED(sine_of_second), 2, args);
    assert_grads(PYTREE_NUMERIC(PYTREE_TRACED(sine_of_second)), 2, args);
    assert_grads(PYTREE_TRACED(both), 2, args);
}

static pytree_status second_twice(void *context, const pytree_call *at)        /* (anything, x) -> 2 x */
{
    (void)context;
    *(double *)at->res[0] = 2 * *(const double *)at->arg[1];
    return PYTREE_OK;
}
BODY(as_double, pytree_op_convert(tr, a, PYTREE_F64))

/* Nor does it flow into long doubles and halves, by differences and by a conversion. */
static void numbers_of_other_sizes(void **state)
{
    const pytree_fn f = { .name = "f", .call = second_twice, .shape = pytree_result_f64 };
    long double wide = 3;
    pytree_f16 half = { 0x3C00 }, dhalf = { 1 };
    double x = 0.5, ct = 4, y = 0, dx = 0, value = 0;
    const pytree vjp[2] = { PYTREE_TUPLE(PYTREE(&wide), PYTREE(&x)), PYTREE(&ct) };
    long double dwide = 1;
    (void)state;
    apply(PYTREE_VJP(PYTREE_NUMERIC(&f)), 2, vjp, PYTREE_TUPLE(PYTREE(&y), PYTREE_TUPLE(PYTREE(&dwide), PYTREE(&dx))));
    assert_true(y == 1 && dwide == 0);
    assert_close(dx, 8, 1e-9);
    apply(PYTREE_VJP(PYTREE_TRACED(as_double)), 2, (pytree[2]){ PYTREE_TUPLE(PYTREE(&half)), PYTREE(&ct) },
          PYTREE_TUPLE(PYTREE(&value), PYTREE_TUPLE(PYTREE(&dhalf))));
    assert_true(value == 1 && dhalf.bits == 0);
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
    {
        FILE *file = tmpfile();
        char *printed = calloc(length + 2, 1);
        assert_true(file != NULL && printed != NULL);
        assert_ok(pytree_program_print(file, p, &error), &error);
        rewind(file);
        assert_int_equal(fread(printed, 1, length + 2, file), length);
        assert_string_equal(printed, text);
        fclose(file);
        free(printed);
        assert_int_equal(pytree_program_print(NULL, p, NULL), PYTREE_ARGUMENT);
    }
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
BODY(swapped, pytree_op_transpose(tr, a, (const int[]){ 1, 0, 2 }))

#define CHECK_TURNED(T)                                                                                                 \
    do {                                                                                                                \
        T x[3][2] = { { 1, 0 }, { 1, 1 }, { 0, 1 } }, y[2][3], z[2][2], c[3], s[3][2];                                  \
        apply(PYTREE_TRACED(turned), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(y[0], 2, 3));             \
        apply(PYTREE_TRACED(sliced), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(z[0], 2, 2));             \
        apply(PYTREE_TRACED(column), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 3, 2) }, PYTREE_ARRAY(c, 3, 1));                \
        apply(PYTREE_TRACED(swapped), 1, (pytree[1]){ PYTREE_ARRAY(x[0], 1, 3, 2) }, PYTREE_ARRAY(s[0], 3, 1, 2));      \
        assert_memory_equal(s, x, sizeof x);                                                                            \
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
BODY(sum_of_product, pytree_op_sum(tr, pytree_op_matmul(tr, a, b), 0, NULL))

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

/* (a, b, d) -> the cotangents of a and b in the product of a and b's transpose, whose own is d; those of a zero are zero. */
static pytree_status pulled_back(void *context, pytree_trace *tr)
{
    const unsigned flags = PYTREE_TRANSPOSE_B, none = 0;
    const pytree_value in[2] = { V(tr->arg[0]), V(tr->arg[1]) }, ct = V(tr->arg[2]), zero = { 0 };
    const pytree_eqn e = { &pytree_op_matmul_op, &flags, 2, 1, in, &ct };
    const pytree_eqn plain = { &pytree_op_matmul_op, &none, 2, 1, in, &ct };
    pytree_value out[2] = { { 9 }, { 9 } };
    (void)context;
    pytree_op_matmul_op.vjp(tr, &e, &zero, out);
    assert_true(out[0].id == 0 && out[1].id == 0);
    out[0].id = out[1].id = 9;
    pytree_op_matmul_op.vjp(tr, &plain, &zero, out);
    assert_true(out[0].id == 0 && out[1].id == 0);
    pytree_op_matmul_op.vjp(tr, &e, &ct, out);
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(out[0]), PYTREE_V(out[1])));
}

/* A body may call the rule of an operation: the cotangents of all operands are wanted then, and several d are added. */
static void rules_that_are_called(void **state)
{
    double a[2][2] = { { 1, 2 }, { 3, 4 } }, b[2][2] = { { 1, 2 }, { 3, 5 } }, d[2][2][2] = { { { 1, 0 }, { 0, 1 } },
                                                                                               { { 0, 1 }, { 0, 0 } } };
    double da[2][2], db[2][2], sum[2][2] = { { 1, 1 }, { 0, 1 } };
    (void)state;
    apply(PYTREE_TRACED(pulled_back), 3,
          (pytree[3]){ PYTREE_ARRAY(a[0], 2, 2), PYTREE_ARRAY(b[0], 2, 2), PYTREE_ARRAY(d[0][0], 2, 2, 2) },
          PYTREE_TUPLE(PYTREE_ARRAY(da[0], 2, 2), PYTREE_ARRAY(db[0], 2, 2)));
    for (int i = 0; i < 4; i++) {         /* the sum of d times b; its transpose times a */
        assert_true(da[i / 2][i % 2] == sum[i / 2][0] * b[0][i % 2] + sum[i / 2][1] * b[1][i % 2]);
        assert_true(db[i / 2][i % 2] == sum[0][i / 2] * a[0][i % 2] + sum[1][i / 2] * a[1][i % 2]);
    }
    apply(PYTREE_GRAD(PYTREE_TRACED(sum_of_product)), 2, (pytree[2]){ PYTREE_ARRAY(a[0], 2, 2), PYTREE_ARRAY(b[0], 2, 2) },
          PYTREE_ARRAY(da[0], 2, 2));
    assert_true(da[0][0] == 3 && da[0][1] == 8 && da[1][0] == 3 && da[1][1] == 8);
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
        { PYTREE_JACOBIAN(PYTREE_TRACED(both), .has_aux = true), 2, two },
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
        cmocka_unit_test(tasks_that_fail_at_once), cmocka_unit_test(tasks_that_are_refused),
        cmocka_unit_test(functions_that_stop_to_know_their_result),
        cmocka_unit_test(functions_that_do_not_say_what_they_give), cmocka_unit_test(whole_numbers_beside_others),
        cmocka_unit_test(numbers_of_other_sizes), cmocka_unit_test(calls_without_operands),
        cmocka_unit_test(carries_that_are_forgotten),
        cmocka_unit_test(deep_programs), cmocka_unit_test(elements_of_every_size), cmocka_unit_test(products_of_nothing),
        cmocka_unit_test(one_matrix_times_many), cmocka_unit_test(mistakes_made_twice),
        cmocka_unit_test(rules_that_are_called), cmocka_unit_test(memory_runs_out)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
