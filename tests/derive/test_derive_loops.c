/* test_derive_loops.c: derivatives of loops: carries that come to depend on others, that are forgotten, that are whole numbers;
 * loops that end early, bodies that are no traced functions; what is refused; memory that runs out. */
#define TEST_WATCHED_BODIES
#include "derive_shared.h"

/* First derivatives of f, and those of its gradient with respect to argument 0 after it has become one number. */
static pytree_status all_squares(void *context, pytree_trace *tr)
{
    const pytree y = pytree_op_apply(tr, context, tr->n_args, tr->tree);
    const size_t n = y.data == NULL ? 0 : ((const pytree_flat *)y.data)->def->n_leaves;
    pytree_value sum = { 0 };
    for (size_t i = 0; i < n; i++) {
        const pytree_value v = pytree_value_at(tr, y, i);
        pytree_value one;
        if (!pytree_value_shape(tr, v) || pytree_value_shape(tr, v)->type != PYTREE_TYPE(double)) { continue; }
        one = pytree_op_sum(tr, pytree_op_square(tr, v), 0, NULL);
        sum = sum.id == 0 ? one : pytree_op_add(tr, sum, one);
    }
    return pytree_return(tr, PYTREE_V(sum));
}

static void assert_both(const pytree_fn *f, size_t n, const pytree *args, pytree_argnums argnums)
{
    const pytree_fn *const squares = PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)f);
    assert_grads(f, n, args);
    assert_grads(PYTREE_GRAD(squares, .argnums = argnums, .allow_int = true), n, args);
}

BODY(sine_of_second, pytree_op_sin(tr, b))                     /* (i, x) -> sin x */

/* ---- Carries ------------------------------------------------------------------------------------------------------------- */

/* ((i, j, a, b), u) -> ((j, i, 2, sin(a b + i u) or b), a u + b as a whole number) */
static pytree_status mixed(void *context, pytree_trace *tr)
{
    const pytree_value i = pytree_value_at(tr, tr->tree[0], 0), j = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value a = pytree_value_at(tr, tr->tree[0], 2), b = pytree_value_at(tr, tr->tree[0], 3), u = V(tr->arg[1]);
    const pytree_value iu = pytree_op_mul(tr, pytree_op_convert(tr, i, PYTREE_F64), u);
    const pytree_value sine = pytree_op_sin(tr, pytree_op_add(tr, pytree_op_mul(tr, a, b), iu));
    const pytree_value next = pytree_op_select(tr, pytree_op_greater(tr, b, pytree_op_number(tr, b, 5)), b, sine);
    const pytree_value whole = pytree_op_convert(tr, pytree_op_convert(tr, b, PYTREE_I32), PYTREE_F64);
    const pytree_value y = pytree_op_add(tr, pytree_op_mul(tr, a, u), whole);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_V(j), PYTREE_V(i), PYTREE_V(pytree_op_number(tr, a, 2)),
                                                       PYTREE_V(next)), PYTREE_V(y)));
}

static void carries_of_many_kinds(void **state)
{
    int i = 1, j = 3;
    double a = 0.7, b = 0.3, us[4] = { 0.1, -0.4, 0.6, 0.2 };
    const pytree args[2] = { PYTREE_TUPLE(PYTREE(&i), PYTREE(&j), PYTREE(&a), PYTREE(&b)), PYTREE_ARRAY(us, 4) };
    (void)state;
    assert_both(PYTREE_SCAN(PYTREE_TRACED(mixed)), 2, args, PYTREE_ARGNUMS(0, 1));
    assert_both(PYTREE_SCAN(PYTREE_TRACED(mixed), .reverse = true), 2, args, PYTREE_ARGNUMS(1));
}

/* ((a, b), u) -> ((a, a b), u): the first carry is never changed, the second one comes to depend on it. */
static pytree_status first_kept(void *context, pytree_trace *tr)
{
    const pytree_value a = pytree_value_at(tr, tr->tree[0], 0), b = pytree_value_at(tr, tr->tree[0], 1), u = V(tr->arg[1]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_TUPLE(PYTREE_V(a), PYTREE_V(pytree_op_mul(tr, a, b))), PYTREE_V(u)));
}

/* (a, us) -> a scan that begins with (a, 3) */
static pytree_status from_three(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    const pytree args[2] = { PYTREE_TUPLE(PYTREE_V(a), PYTREE_V(pytree_op_number(tr, a, 3))), tr->tree[1] };
    return pytree_return(tr, pytree_op_apply(tr, context, 2, args));
}

static void carries_that_come_to_depend(void **state)
{
    const pytree_fn *const scan = PYTREE_SCAN(PYTREE_TRACED(first_kept));
    const pytree_fn *const f = PYTREE_TRACED(from_three, .context = (void *)(uintptr_t)scan);
    double a = 2, us[3] = { 0 }, da = 0;
    const pytree args[2] = { PYTREE(&a), PYTREE_ARRAY(us, 3) };
    (void)state;
    assert_both(f, 2, args, PYTREE_ARGNUMS(0));
    apply(PYTREE_GRAD(PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)f)), 2, args, PYTREE(&da));
    assert_close(da, 2 * a + 9 * 6 * pow(a, 5), 1e-14);        /* a² + (3 a³)² + 0 */
}

static pytree_status waved(void *context, pytree_trace *tr)    /* (c, x) -> (sin c, x) */
{
    const pytree_value c = V(tr->arg[0]), x = V(tr->arg[1]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_sin(tr, c)), PYTREE_V(x)));
}

/* Backwards a scan keeps each carry, with one axis more. */
static void carries_of_most_axes(void **state)
{
    double c = 0.5, xs[2] = { 1, 2 }, y[2], dc = 1, dxs[2] = { 0 };
    const pytree carry = PYTREE_ARRAY(&c, 1, 1, 1, 1, 1, 1, 1, 1), out = PYTREE_ARRAY(y, 1, 1, 1, 1, 1, 1, 1, 1);
    const pytree primals = PYTREE_TUPLE(carry, PYTREE_ARRAY(xs, 2));
    const pytree tangents = PYTREE_TUPLE(PYTREE_ARRAY(&dc, 1, 1, 1, 1, 1, 1, 1, 1), PYTREE_ARRAY(dxs, 2));
    const pytree_fn *const scan = PYTREE_SCAN(PYTREE_TRACED(waved));
    pytree_error error = { 0 };
    pytree_flat both;
    (void)state;
    apply(scan, 2, (pytree[2]){ carry, PYTREE_ARRAY(xs, 2) }, PYTREE_TUPLE(out, PYTREE_ARRAY(dxs, 2)));
    assert_close(y[0], sin(sin(0.5)), 1e-15);
    both = pytree_apply_new(PYTREE_JVP(scan), 2, (pytree[2]){ primals, tangents }, NULL, &error);
    assert_ok(error.status, &error);
    assert_close(pytree_leaf_get(&both.leaves[2], 0), cos(sin(0.5)) * cos(0.5), 1e-15);
    pytree_flat_free(&both);
    both = pytree_apply_new(PYTREE_VJP(scan), 2, (pytree[2]){ primals, tangents }, NULL, &error);
    assert_null(both.def);
    assert_error(error.status, PYTREE_SHAPE, "", &error);
    assert_string_equal(error.message, "scan: scan: expected at most 8 dimensions (PYTREE_MAX_DIMS), got 9");
}

/* So does a map whose results are one for all: it has been computed for each element. */
static void maps_of_most_axes(void **state)
{
    double x = 0.5, y[2] = { 0 }, xs[2] = { 0.5, 0.5 };
    const pytree most = PYTREE_ARRAY(&x, 1, 1, 1, 1, 1, 1, 1, 1);
    const pytree_fn *const f = PYTREE_VMAP(PYTREE_TRACED(sine_of_second), .in_axes = PYTREE_TUPLE(PYTREE_INT(0), PYTREE_NONE),
                                           .out_axes = PYTREE_NONE);
    const pytree args[2] = { PYTREE_ARRAY(xs, 2), most };
    pytree_error error = { 0 };
    (void)state;
    apply(f, 2, args, PYTREE_ARRAY(y, 1, 1, 1, 1, 1, 1, 1, 1));
    assert_close(y[0], sin(0.5), 1e-15);
    assert_error(pytree_apply(PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)f), 2, args, PYTREE(&y[0]), NULL,
                              &error), PYTREE_SHAPE, "", &error);
    assert_string_equal(error.message, "vmap: vmap: expected at most 8 dimensions (PYTREE_MAX_DIMS), got 9");
    assert_grads(f, 2, (pytree[2]){ PYTREE_ARRAY(xs, 2), PYTREE_ARRAY(&x, 1, 1, 1, 1, 1, 1, 1) });
}

/* ---- Loops that end early ------------------------------------------------------------------------------------------------ */

BODY(above, pytree_op_greater(tr, a, pytree_op_number(tr, a, 0.1)))
BODY(shrinks, pytree_op_mul(tr, a, pytree_op_sin(tr, a)))

static void loops_that_end_early(void **state)
{
    const double from[3] = { 0.5, 0.9, 0.05 };                 /* two steps, some, none */
    const pytree_fn *const f = PYTREE_WHILE(PYTREE_TRACED(above), PYTREE_TRACED(shrinks), .max_iters = 6);
    double x, d;
    (void)state;
    for (size_t i = 0; i < COUNT_OF(from); i++) {
        const pytree_fn *const squares = PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)f);
        const pytree args[1] = { PYTREE(&x) };
        x = from[i];
        assert_both(f, 1, args, PYTREE_ARGNUMS(0));
        assert_grads(PYTREE_GRAD(PYTREE_GRAD(squares)), 1, args);
    }
    apply(PYTREE_GRAD(f), 1, (pytree[1]){ PYTREE(&x) }, PYTREE(&d));
    assert_true(d == 1);
}

static size_t notes;

static pytree_status note_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status note_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(double *)c->out[0]->data = *(const double *)c->in[0]->data;
    notes++;
    return PYTREE_OK;
}
static const pytree_op note = { .name = "note", .shape = note_shape, .run = note_run, .effect = true };

static pytree_status noted(void *context, pytree_trace *tr)    /* x -> () */
{
    const pytree_value x = V(tr->arg[0]);
    (void)context;
    (void)pytree_record(tr, &note, NULL, 1, &x, NULL);
    return pytree_return(tr, PYTREE_TUPLE());
}
static pytree_status noted_sum(void *context, pytree_trace *tr)                /* xs -> the sum of -2 x² */
{
    const pytree_value xs = V(tr->arg[0]), twice = pytree_op_scale(tr, pytree_op_neg(tr, pytree_op_square(tr, xs)), 2);
    (void)context;
    (void)pytree_op_apply(tr, PYTREE_VMAP(PYTREE_TRACED(noted)), 1, tr->tree);
    return pytree_return(tr, PYTREE_V(pytree_op_sum(tr, twice, 0, NULL)));
}

/* A loop that gives nothing is run for its effect, in derivatives, too. */
static void loops_without_results(void **state)
{
    double xs[3] = { 1, 2, 3 }, d[3];
    const pytree args[1] = { PYTREE_ARRAY(xs, 3) };
    const pytree_fn *const f = PYTREE_TRACED(noted_sum);
    (void)state;
    notes = 0;
    apply(PYTREE_GRAD(f), 1, args, PYTREE_ARRAY(d, 3));
    assert_int_equal(notes, 3);
    for (int i = 0; i < 3; i++) { assert_true(d[i] == -4 * xs[i]); }
    assert_grads(f, 1, args);
    assert_grads(PYTREE_GRAD(f), 1, args);
}

/* ---- Bodies that are no traced functions --------------------------------------------------------------------------------- */

static pytree_status sine_call(void *context, const pytree_call *at)
{
    (void)context;
    *(double *)at->res[0] = sin(*(double *)at->arg[0]);
    return PYTREE_OK;
}
static pytree_status sine_rule(void *context, const pytree_call *at)           /* (x, y, derivative) */
{
    (void)context;
    *(double *)at->out[0].data = cos(*(double *)at->arg[0]) * *(double *)at->arg[2];
    return PYTREE_OK;
}
static pytree_status sines_call(void *context, const pytree_call *at)          /* all at once */
{
    const double *x = at->in[0].data;
    double *y = at->out[0].data;
    (void)context;
    for (size_t i = 0; i < at->size; i++) { y[i] = sin(x[i]); }
    return PYTREE_OK;
}
static pytree_status tuple_of_one(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0]));
}
static const pytree_fn sine_jvp = { .name = "sine_jvp", .call = sine_rule, .shape = pytree_result_first };
static const pytree_fn sine_vjp = { .name = "sine_vjp", .call = sine_rule, .shape = tuple_of_one };
static const pytree_fn sines = { .name = "sines", .call = sines_call, .shape = pytree_result_first };
static const pytree_fn sine = { .name = "sine", .call = sine_call, .shape = pytree_result_first, .jvp = &sine_jvp,
                                .vjp = &sine_vjp, .batch = &sines };
static const pytree_fn bare = { .name = "bare", .call = sine_call, .shape = pytree_result_first };

/* A function with arguments. */
typedef struct Sweep { const pytree_fn *f; size_t n; const pytree *args; } Sweep;

static pytree_status sweep_program(void *context, const pytree_options *opt, pytree_error *err)
{
    const Sweep *s = context;
    pytree_program_free(pytree_program_new(s->f, s->n, s->args, &(pytree_fn_options){ .tree = *opt }, err));
    return err->status;
}

static void bodies_of_every_kind(void **state)
{
    double x = 0.7, xs[3] = { 0.3, -0.4, 0.9 }, us[2][3] = { { 0.1, 0.2, 0.3 }, { 0.5, -0.6, 0.7 } };
    const pytree one[1] = { PYTREE(&x) }, three[1] = { PYTREE_ARRAY(xs, 3) };
    const pytree two[2] = { PYTREE_ARRAY(xs, 3), PYTREE_ARRAY(us[0], 2, 3) };
    const pytree_fn *const each = PYTREE_VMAP(PYTREE_TRACED(sine_of_second), .in_axes = PYTREE_TUPLE(PYTREE_NONE,
                                                                                                    PYTREE_INT(0)));
    const Sweep all[] = {
        { PYTREE_SCAN(PYTREE_VMAP(PYTREE_TRACED(waved))), 2, two }, { PYTREE_FORI(each, .to = 2), 1, three },
        { PYTREE_WHILE(PYTREE_TRACED(above), &sine, .max_iters = 2), 1, one }, { PYTREE_VMAP(&sine), 1, three },
    };
    (void)state;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        Sweep s = all[i];
        if (i < 2) { assert_both(s.f, s.n, s.args, PYTREE_ARGNUMS(0)); } else { assert_grads(s.f, s.n, s.args); }
        assert_true(sweep_allocations(sweep_program, &s) > 5);
    }
}

static pytree_status called_on_carry(void *context, pytree_trace *tr)          /* (c, x) -> (f(c), x) */
{
    const pytree c = pytree_op_apply(tr, context, 1, tr->tree);
    return pytree_return(tr, PYTREE_TUPLE(c, tr->tree[1]));
}

static void bodies_without_rules(void **state)
{
    double c = 0.5, xs[2] = { 1, 2 };
    const pytree args[2] = { PYTREE(&c), PYTREE_ARRAY(xs, 2) }, primals = PYTREE_TUPLE(args[0], args[1]);
    const pytree_fn *const scan = PYTREE_SCAN(PYTREE_TRACED(called_on_carry, .context = (void *)(uintptr_t)&bare));
    pytree_error error = { 0 };
    pytree_flat out;
    (void)state;
    out = pytree_apply_new(PYTREE_JVP(scan), 2, (pytree[2]){ primals, primals }, NULL, &error);
    assert_null(out.def);
    assert_error(error.status, PYTREE_ARGUMENT, "", &error);
    assert_string_equal(error.message, "jvp of bare: expected a rule (pytree_fn.jvp) or PYTREE_NUMERIC, got neither");
}

/* A rule may do without the cotangent: it gives back what the call gave. */
static pytree_status doubled_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *(double *)c->out[0]->data = 2 * *(const double *)c->in[0]->data;
    return PYTREE_OK;
}
static pytree_status doubled_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static void doubled_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    (void)tr;
    (void)ct;
    in_ct[0] = e->out[0];
}
static const pytree_op doubled = { .name = "doubled", .n_out = 1, .shape = doubled_shape, .run = doubled_run,
                                   .vjp = doubled_vjp };

static pytree_status doubles(void *context, pytree_trace *tr)  /* (c, x) -> (c, 2 x) */
{
    const pytree_value x = V(tr->arg[1]);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(V(tr->arg[0])), PYTREE_V(pytree_record(tr, &doubled, NULL, 1, &x, NULL))));
}

static void a_rule_without_the_cotangent(void **state)
{
    double c = 0.5, xs[3] = { 1, 2, 3 }, dxs[3] = { 0 };
    const pytree_fn *const sum = PYTREE_TRACED(all_squares, .context = (void *)(uintptr_t)PYTREE_SCAN(PYTREE_TRACED(doubles)));
    (void)state;
    apply(PYTREE_GRAD(sum, .argnums = PYTREE_ARGNUMS(1)), 2, (pytree[2]){ PYTREE(&c), PYTREE_ARRAY(xs, 3) },
          PYTREE_TUPLE(PYTREE_ARRAY(dxs, 3)));
    for (int i = 0; i < 3; i++) { assert_true(dxs[i] == 2 * xs[i]); }
}

/* ---- Memory -------------------------------------------------------------------------------------------------------------- */

static void memory_runs_out(void **state)
{
    double c = 0.5, xs[2] = { 1, 2 };
    const pytree primals = PYTREE_TUPLE(PYTREE(&c), PYTREE_ARRAY(xs, 2)), jvp[2] = { primals, primals };
    const pytree_fn *const scan = PYTREE_SCAN(PYTREE_TRACED(waved));
    Sweep forward = { PYTREE_JVP(scan), 2, jvp }, back = { PYTREE_VJP(scan), 2, jvp };
    (void)state;
    assert_true(sweep_allocations(sweep_program, &forward) > 50);
    assert_true(sweep_allocations(sweep_program, &back) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(carries_of_many_kinds), cmocka_unit_test(carries_that_come_to_depend),
        cmocka_unit_test(carries_of_most_axes), cmocka_unit_test(maps_of_most_axes), cmocka_unit_test(loops_that_end_early),
        cmocka_unit_test(loops_without_results), cmocka_unit_test(bodies_of_every_kind),
        cmocka_unit_test(bodies_without_rules), cmocka_unit_test(a_rule_without_the_cotangent),
        cmocka_unit_test(memory_runs_out)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
