/* test_program.c: programs as data: functions again, pushforward, pullback, without dead calls; calls with effects; operations
 * that make strings; who frees what, and memory that runs out. */
#include "derive_shared.h"

typedef struct Pair { double a, b; } Pair;
#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

static pytree_status wave(void *context, pytree_trace *tr)     /* (Pair, x) -> Pair(a sin(x), sum of b x²) */
{
    const Pair *p = tr->arg[0];
    const pytree_value x = V(tr->arg[1]), ys[2] = { pytree_op_mul(tr, V(&p->a), pytree_op_sin(tr, x)),
                                                    pytree_op_mul(tr, V(&p->b), pytree_op_square(tr, x)) };
    (void)context;
    return pytree_return_like(tr, 0, 2, ys);
}

static void assert_refused(pytree_status got, pytree_status expected, const char *path, const char *message,
                           pytree_error *error)
{
    assert_error(got, expected, path, error);
    assert_string_equal(error->message, message);
    memset(error, 0, sizeof *error);
}

static Pair pair = { 2, 3 };
static double x = 0.5;

static pytree_program *traced(const pytree_fn *f)
{
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(f, 2, (pytree[2]){ PYTREE(&pair), PYTREE(&x) }, NULL, &error);
    assert_ok(error.status, &error);
    return p;
}

/* ---- Functions again ----------------------------------------------------------------------------------------------- */

static void test_function(void **state)
{
    pytree_error error = { 0 };
    pytree_program *p = traced(PYTREE_TRACED(wave));
    const pytree args[2] = { PYTREE(&pair), PYTREE(&x) };
    double xs[3] = { 0.1, 0.2, 0.3 }, as[3], bs[3];
    pytree_leaf many[2] = { *(pytree_leaf *)PYTREE_ARRAY(as, 3).data, *(pytree_leaf *)PYTREE_ARRAY(bs, 3).data };
    pytree_flat stacked = { p->out_def, many };
    Pair y, other = { 5, 7 };
    (void)state;
    apply(PYTREE_PROGRAM(p), 2, args, PYTREE(&y));
    assert_close(y.a, 2 * sin(0.5), 1e-15);
    assert_close(y.b, 0.75, 1e-15);
    apply(PYTREE_PROGRAM(p), 2, (pytree[2]){ PYTREE(&other), PYTREE(&x) }, PYTREE(&y));
    assert_close(y.b, 1.75, 1e-15);
    apply(PYTREE_VMAP(PYTREE_PROGRAM(p), .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0))), 2,
          (pytree[2]){ PYTREE(&pair), PYTREE_ARRAY(xs, 3) }, PYTREE(&stacked));
    assert_close(as[2], 2 * sin(0.3), 1e-15);
    assert_grads(PYTREE_PROGRAM(p), 2, args);
    /* other arguments than those it was traced for */
    float single = 1;
    assert_refused(pytree_apply(PYTREE_PROGRAM(p), 2, (pytree[2]){ PYTREE(&pair), PYTREE(&single) }, PYTREE(&y), NULL, &error),
                   PYTREE_TYPE, "[1]", "program: arguments: expected f64, got f32", &error);
    assert_refused(pytree_apply(PYTREE_PROGRAM(p), 1, args, PYTREE(&y), NULL, &error), PYTREE_STRUCTURE, "",
                   "program: arguments: expected tuple of length 2, got tuple of length 1", &error);
    assert_refused(pytree_apply(PYTREE_PROGRAM(NULL), 1, args, PYTREE(&y), NULL, &error), PYTREE_ARGUMENT, "",
                   "program: expected a program, got NULL", &error);
    pytree_program_free(p);
}

/* ---- Derivatives --------------------------------------------------------------------------------------------------- */

static void test_derivatives(void **state)
{
    pytree_error error = { 0 };
    pytree_program *p = traced(PYTREE_TRACED(wave)), *forward = pytree_pushforward(p, &error);
    pytree_program *back = pytree_pullback(p, &error), *second = pytree_pullback(forward, &error);
    Pair y, dy, t = { 1, 0 }, d_pair, ct = { 0, 1 };
    double dx, tx = 1;
    (void)state;
    assert_ok(error.status, &error);
    pytree_program_free(p);               /* the others keep what they need of it */
    const pytree args = PYTREE_TUPLE(PYTREE(&pair), PYTREE(&x)), tangents = PYTREE_TUPLE(PYTREE(&t), PYTREE(&tx));
    apply(PYTREE_PROGRAM(forward), 2, (pytree[2]){ args, tangents }, PYTREE_TUPLE(PYTREE(&y), PYTREE(&dy)));
    assert_close(y.a, 2 * sin(0.5), 1e-15);
    assert_close(dy.a, sin(0.5) + 2 * cos(0.5), 1e-15);
    assert_close(dy.b, 3, 1e-15);
    apply(PYTREE_PROGRAM(back), 2, (pytree[2]){ args, PYTREE(&ct) },
          PYTREE_TUPLE(PYTREE(&y), PYTREE_TUPLE(PYTREE(&d_pair), PYTREE(&dx))));
    assert_close(d_pair.a, 0, 0);
    assert_close(d_pair.b, 0.25, 1e-15);
    assert_close(dx, 3, 1e-15);
    pytree_program_free(forward);
    pytree_program_free(back);
    assert_true(second->n_eqns > 0);
    assert_int_equal(second->n_in, 3 + 3 + 4);
    assert_int_equal(second->n_out, 4 + 6);
    pytree_program_free(second);
    assert_null(pytree_pushforward(NULL, &error));
    assert_int_equal(error.status, PYTREE_ARGUMENT);
    assert_null(pytree_pullback(NULL, NULL));
    assert_null(pytree_dce(NULL, PYTREE_NONE, NULL));
}

static size_t occurrences(const pytree_program *p, const char *word)
{
    static char text[20000];
    size_t n = 0;
    assert_true(pytree_program_text(p, text, sizeof text) < sizeof text);
    for (const char *at = text; (at = strstr(at, word)) != NULL; at++) { n++; }
    return n;
}
/* ---- Dead calls ---------------------------------------------------------------------------------------------------- */

static void test_dce(void **state)
{
    pytree_error error = { 0 };
    bool flags[2] = { false, true };
    int number = 1;
    pytree_program *p = traced(PYTREE_TRACED(wave)), *all = pytree_dce(p, PYTREE_NONE, &error), *one;
    pytree_def *def = pytree_structure(PYTREE(&pair), NULL, &error);
    pytree_leaf used[2] = { { &flags[0], PYTREE_TYPE(bool), 0, 0, { 0 } }, { &flags[1], PYTREE_TYPE(bool), 0, 0, { 0 } } };
    pytree_flat tree = { def, used };
    char text[200];
    Pair y;
    (void)state;
    assert_int_equal(p->n_eqns, 4);
    assert_int_equal(all->n_eqns, 4);
    apply(PYTREE_PROGRAM(all), 2, (pytree[2]){ PYTREE(&pair), PYTREE(&x) }, PYTREE(&y));
    assert_close(y.b, 0.75, 1e-15);
    pytree_program_free(all);
    one = pytree_dce(p, PYTREE(&tree), &error);
    assert_ok(error.status, &error);
    assert_int_equal(one->n_eqns, 2);
    assert_int_equal(one->n_in, 3);
    assert_int_equal(one->n_out, 1);
    assert_true(pytree_program_text(one, text, sizeof text) < sizeof text);
    assert_string_equal(text, "{ f64 %1, f64 %2, f64 %3 ->\n"
                              " %6 = f64 mul %3 %3\n"
                              " %7 = f64 mul %2 %6\n"
                              " return %7 }\n");
    pytree_flat out = pytree_apply_new(PYTREE_PROGRAM(one), 2, (pytree[2]){ PYTREE(&pair), PYTREE(&x) }, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_text(out.def, text, sizeof text) < sizeof text);
    assert_string_equal(text, "PyTreeDef(CustomNode(Pair[()], [None, *]))");
    assert_close(pytree_leaf_get(&out.leaves[0], 0), 0.75, 1e-15);
    pytree_flat_free(&out);
    pytree_program_free(one);
    /* none at all */
    one = pytree_dce(p, PYTREE(&flags[0]), &error);
    assert_int_equal(one->n_eqns, 0);
    assert_int_equal(one->n_out, 0);
    pytree_program_free(one);
    assert_null(pytree_dce(p, PYTREE_TUPLE(PYTREE(&flags[0])), &error));
    assert_int_equal(error.status, PYTREE_STRUCTURE);
    memset(&error, 0, sizeof error);
    used[1].data = &number;
    used[1].type = PYTREE_TYPE(int);
    assert_null(pytree_dce(p, PYTREE(&tree), &error));
    assert_refused(error.status, PYTREE_TYPE, ".b", "out_used: expected a bool or None, got i32", &error);
    pytree_program_free(p);
    pytree_def_free(def);
}

/* A call with an effect: it counts. */
static int counted;
static pytree_status same_shape(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    *c->out[0] = *c->in[0];
    return PYTREE_OK;
}
static pytree_status count_run(const pytree_op_call *c, pytree_error *err)
{
    (void)err;
    counted++;
    memcpy(c->out[0]->data, c->in[0]->data, pytree_leaf_bytes(c->in[0]));
    return PYTREE_OK;
}
static const pytree_op count = { .name = "count", .shape = same_shape, .run = count_run, .effect = true };
static pytree_status counting(void *context, pytree_trace *tr) /* (carry, x) -> (carry + x, None) */
{
    const pytree_value a = V(tr->arg[0]), b = V(tr->arg[1]);
    (void)context;
    (void)pytree_record(tr, &count, NULL, 1, &a, NULL);
    (void)pytree_op_exp(tr, b);
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_add(tr, a, b)), PYTREE_NONE));
}
static pytree_status scanned(void *context, pytree_trace *tr)  /* (a, x) -> x, after a scan that nothing needs */
{
    (void)pytree_op_apply(tr, context, 2, (pytree[2]){ PYTREE_V(V(tr->arg[0])), PYTREE_V(V(tr->arg[1])) });
    return pytree_return(tr, PYTREE_V(V(tr->arg[1])));
}
/* A call without an effect, and one without a rule: nothing needs what they give. */
static const pytree_op quiet = { .name = "quiet", .shape = same_shape, .run = count_run };
static pytree_status no_rule(void *context, const pytree_call *at)
{
    (void)context;
    (void)at;
    counted++;
    return PYTREE_OK;
}
static const pytree_fn opaque = { .name = "opaque", .call = no_rule, .shape = pytree_result_first };
static pytree_status with_dead(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]);
    (void)context;
    (void)pytree_record(tr, &quiet, NULL, 1, &a, NULL);
    (void)pytree_op_apply(tr, &opaque, 1, tr->tree);
    return pytree_return(tr, PYTREE_V(pytree_op_square(tr, a)));
}
static void test_dead(void **state)
{
    const pytree_fn *f = PYTREE_TRACED(with_dead);
    const pytree arg = PYTREE(&x);
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(f, 1, &arg, NULL, &error), *back = pytree_pullback(p, &error),
                   *mapped = pytree_program_new(PYTREE_VMAP(f, .axis_size = 2, .in_axes = PYTREE_NONE), 1, &arg, NULL, &error);
    double y = 0, both[2];
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(p->n_eqns, 3);                            /* all that was recorded */
    assert_int_equal(occurrences(back, "quiet") + occurrences(back, "call") + occurrences(mapped, "quiet"), 0);
    counted = 0;
    apply(f, 1, &arg, PYTREE(&y));
    apply(PYTREE_PROGRAM(p), 1, &arg, PYTREE(&y));
    apply(PYTREE_GRAD(PYTREE_PROGRAM(p)), 1, &arg, PYTREE(&y));
    apply(PYTREE_VMAP(f, .axis_size = 2, .in_axes = PYTREE_NONE), 1, &arg, PYTREE_ARRAY(both, 2));
    assert_int_equal(counted, 0);
    assert_close(y, 2 * x, 1e-15);
    pytree_program_free(p);
    pytree_program_free(back);
    pytree_program_free(mapped);
}

static void test_effect(void **state)
{
    pytree_error error = { 0 };
    double a = 1, xs[3] = { 1, 2, 3 }, ys[3];
    const pytree_fn *scan = PYTREE_SCAN(PYTREE_TRACED(counting));
    pytree_program *p = pytree_program_new(PYTREE_TRACED(scanned, .context = (void *)(uintptr_t)scan), 2,
                                           (pytree[2]){ PYTREE(&a), PYTREE_ARRAY(xs, 3) }, NULL, &error), *q;
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(pytree_program_count(p), 3);              /* the scan, the call that counts, the sum that it counts */
    q = pytree_dce(p, PYTREE_NONE, &error);
    counted = 0;
    apply(PYTREE_PROGRAM(q), 2, (pytree[2]){ PYTREE(&a), PYTREE_ARRAY(xs, 3) }, PYTREE_ARRAY(ys, 3));
    assert_int_equal(counted, 3);
    pytree_program_free(p);
    pytree_program_free(q);
}

/* ---- The way back through a loop: what a step gave is not computed again ------------------------------------------------ */

static pytree_status recur(void *context, pytree_trace *tr)    /* ((w, h), x) -> ((w, tanh(w h + x)), y) */
{
    const pytree_value w = pytree_value_at(tr, tr->tree[0], 0), h = pytree_value_at(tr, tr->tree[0], 1), u = V(tr->arg[1]);
    const pytree_value next = pytree_op_tanh(tr, pytree_op_add(tr, pytree_op_mul(tr, w, h), u));
    const int which = *(const int *)context;                   /* y: none, the carry, a result of its own, both */
    const pytree_value own = which >= 2 ? pytree_op_exp(tr, pytree_op_mul(tr, h, u)) : h;
    const pytree carry = PYTREE_TUPLE(PYTREE_V(w), PYTREE_V(next));
    return pytree_return(tr, PYTREE_TUPLE(carry, which == 0 ? PYTREE_NONE : which == 1 ? PYTREE_V(next) : which == 2
        ? PYTREE_V(own) : PYTREE_TUPLE(PYTREE_V(next), PYTREE_V(own))));
}
static pytree_status summed(void *context, pytree_trace *tr)   /* (w, h, xs) -> sum of squares of all that the scan gives */
{
    const pytree args[2] = { PYTREE_TUPLE(PYTREE_V(V(tr->arg[0])), PYTREE_V(V(tr->arg[1]))), PYTREE_V(V(tr->arg[2])) };
    const pytree given = pytree_op_apply(tr, context, 2, args);
    const pytree_flat *flat = given.data;
    pytree_value sum = { 0 };
    for (size_t k = 1; tr->err->status == PYTREE_OK && k < pytree_def_num_leaves(flat->def); k++) {
        const pytree_value part = pytree_op_sum(tr, pytree_op_square(tr, pytree_value_at(tr, given, k)), 0, NULL);
        sum = k == 1 ? part : pytree_op_add(tr, sum, part);
    }
    return pytree_return(tr, PYTREE_V(sum));
}
static void test_known(void **state)
{
    double w = 0.7, h = 0.3, us[4] = { 0.5, -0.2, 0.1, 0.4 };
    const pytree args[3] = { PYTREE(&w), PYTREE(&h), PYTREE_ARRAY(us, 4) };
    pytree_error error = { 0 };
    (void)state;
    for (int which = 0; which < 4; which++) {
        for (int reverse = 0; reverse < 2; reverse++) {
            const pytree_fn *scan = PYTREE_SCAN(PYTREE_TRACED(recur, .context = &which), .reverse = reverse != 0);
            const pytree_fn *f = PYTREE_TRACED(summed, .context = (void *)(uintptr_t)scan);
            pytree_program *p = pytree_program_new(PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(0, 1, 2)), 3, args, NULL, &error);
            assert_ok(error.status, &error);
            assert_int_equal(occurrences(p, "tanh"), 1);
            assert_int_equal(occurrences(p, "exp"), which >= 2);
            pytree_program_free(p);
            assert_grads(f, 3, args);
            assert_grads(PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(0, 1, 2)), 3, args);
        }
    }
}

/* ---- Derivatives put calls together ----------------------------------------------------------------------------------- */

/* (a [2, 3], b [3], c [2, 3]) -> a number, by products, squares, differences and sums of some axes */
static pytree_status together(void *context, pytree_trace *tr)
{
    const pytree_value a = V(tr->arg[0]), b = V(tr->arg[1]), c = V(tr->arg[2]);
    const pytree_value far = pytree_op_sub(tr, pytree_op_mul(tr, pytree_op_square(tr, a), b), pytree_op_scale(tr, c, 3));
    const pytree_value rows = pytree_op_sum(tr, pytree_op_mul(tr, far, pytree_op_add(tr, a, c)), 1, (const int[1]){ 1 });
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_sum(tr, pytree_op_mul(tr, rows, pytree_op_exp(tr, rows)), 0, NULL)));
}
static void test_together(void **state)
{
    double a[2][3] = { { 0.5, -0.2, 0.1 }, { 0.3, 0.4, -0.6 } }, b[3] = { 0.7, -0.5, 0.2 },
           c[2][3] = { { 0.2, 0.1, -0.4 }, { -0.3, 0.5, 0.6 } };
    const pytree args[3] = { PYTREE_ARRAY(a[0], 2, 3), PYTREE_ARRAY(b, 3), PYTREE_ARRAY(c[0], 2, 3) };
    const pytree_fn *f = PYTREE_TRACED(together), *gradient = PYTREE_GRAD(f, .argnums = PYTREE_ARGNUMS(0, 1, 2));
    pytree_error error = { 0 };
    pytree_program *p = pytree_program_new(f, 3, args, NULL, &error), *back;
    (void)state;
    assert_ok(error.status, &error);
    assert_int_equal(occurrences(p, "sum_product") + occurrences(p, "add_product") + occurrences(p, "add_scaled"), 0);
    back = pytree_pullback(p, &error);
    assert_ok(error.status, &error);
    assert_int_equal(occurrences(back, " broadcast "), 0);     /* products broadcast by themselves */
    assert_int_equal(occurrences(back, " sum_to "), 0);        /* all sums are of products */
    assert_int_not_equal(occurrences(back, " sum_product "), 0);
    assert_int_not_equal(occurrences(back, " add_product "), 0);
    assert_int_not_equal(occurrences(back, " add_scaled "), 0);
    pytree_program_free(back);
    pytree_program_free(p);
    assert_grads(f, 3, args);
    assert_grads(gradient, 3, args);
    assert_grads(PYTREE_JVP(gradient), 2, (pytree[2]){ PYTREE_TUPLE(args[0], args[1], args[2]),
                                                       PYTREE_TUPLE(args[2], args[1], args[0]) });
}

/* ---- Strings ------------------------------------------------------------------------------------------------------- */

static pytree_status join_shape(const pytree_op_call *c, pytree_error *err)
{
    *c->out[0] = *c->in[0];
    return c->in[0]->type == PYTREE_TYPE(char *) && c->in[1]->type == PYTREE_TYPE(char *)
        ? PYTREE_OK : pytree_fail(err, PYTREE_TYPE, NULL, "expected strings, got others");
}
static pytree_status join_run(const pytree_op_call *c, pytree_error *err)
{
    const char *a = *(char **)c->in[0]->data, *b = *(char **)c->in[1]->data;
    char *to = pytree_op_memory(c, strlen(a) + strlen(b) + 1, err);
    if (to == NULL) { return PYTREE_NO_MEMORY; }
    strcpy(to, a);
    strcat(to, b);
    *(char **)c->out[0]->data = to;
    return PYTREE_OK;
}
/* Both get what is said about the whole. */
static void join_vjp(pytree_trace *tr, const pytree_eqn *e, const pytree_value *ct, pytree_value *in_ct)
{
    (void)tr, (void)e;
    in_ct[0] = in_ct[1] = ct[0];
}
static const pytree_op join = { .name = "join", .shape = join_shape, .run = join_run, .vjp = join_vjp };
static pytree_status joined(void *context, pytree_trace *tr)   /* (a, b) -> a + b */
{
    const pytree_value both[2] = { V(tr->arg[0]), V(tr->arg[1]) };
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &join, NULL, 2, both, NULL)));
}
static pytree_status twice(void *context, pytree_trace *tr)    /* s -> s + s + "!" */
{
    const pytree_leaf mark = { &context, PYTREE_TYPE(char *), 0, 0, { 0 } };
    const pytree_value s = V(tr->arg[0]), both[2] = { s, s };
    const pytree_value ends[2] = { pytree_record(tr, &join, NULL, 2, both, NULL), pytree_op_constant(tr, &mark) };
    return pytree_return(tr, PYTREE_V(pytree_record(tr, &join, NULL, 2, ends, NULL)));
}

static void test_strings(void **state)
{
    Heap heap;
    const pytree_fn_options options = { .tree = { .allocator = &heap.allocator } };
    pytree_error error = { 0 };
    char mark[2] = "!", long_text[5000];
    const pytree_fn *f = PYTREE_TRACED(twice, .context = mark);
    const char *s = "ab", *out = "none";
    pytree_prepared *p;
    (void)state;
    pytree_flat made = pytree_apply_new(f, 1, (pytree[1]){ PYTREE(&s) }, NULL, &error);
    assert_string_equal(*(char **)made.leaves[0].data, "abab!");
    pytree_flat_free(&made);
    assert_refused(pytree_apply(f, 1, (pytree[1]){ PYTREE(&s) }, PYTREE(&out), NULL, &error), PYTREE_ARGUMENT, "",
                   "twice: result: expected pytree_apply_new or pytree_prepare, which keep the strings that operations make, "
                   "got pytree_apply", &error);
    assert_string_equal(out, "");        /* not one that has ended */
    heap_init(&heap, SIZE_MAX);
    p = pytree_prepare(f, 1, (pytree[1]){ PYTREE(&s) }, PYTREE(&out), &options, &error);
    assert_non_null(p);
    mark[0] = '?';                        /* a constant is a copy */
    assert_ok(pytree_run(p, &error), &error);
    assert_string_equal(out, "abab!");
    memset(long_text, 'x', sizeof long_text - 1);
    long_text[sizeof long_text - 1] = '\0';
    s = long_text;
    assert_ok(pytree_run(p, &error), &error);
    assert_int_equal(strlen(out), 2 * strlen(long_text) + 1);
    assert_ok(pytree_run(p, &error), &error);
    const size_t calls = heap.calls;      /* from now on there is enough */
    for (int i = 0; i < 10; i++) {
        s = i % 2 == 0 ? "cd" : long_text;
        assert_ok(pytree_run(p, &error), &error);
        assert_int_equal(strlen(out), 2 * strlen(s) + 1);
    }
    assert_int_equal(heap.calls, calls);
    pytree_prepared_free(p);
    assert_heap_clean(&heap);
}

/* Two tasks at once, one after the other: each has memory of its own. */
static void in_turns(void *context, size_t n, void (*task)(void *arg, size_t i), void *arg)
{
    (void)context;
    while (n-- != 0) { task(arg, n); }
}
static void test_mapped_strings(void **state)
{
    const pytree_executor executor = { .run = in_turns, .workers = 2 };
    const pytree_fn_options options = { .executor = &executor };
    pytree_error error = { 0 };
    const char *a = "x", *b[3] = { "1", "2", "3" }, *said[3] = { "p", "q", "r" };
    const pytree axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0)), args[2] = { PYTREE(&a), PYTREE_ARRAY(b, 3) };
    const pytree pulled[2] = { PYTREE_TUPLE(args[0], args[1]), PYTREE_ARRAY(said, 3) };
    const pytree_fn *f = PYTREE_VMAP(PYTREE_TRACED(joined, .plus = &join), .in_axes = axes);
    (void)state;
    pytree_flat made = pytree_apply_new(f, 2, args, &options, &error);
    assert_ok(error.status, &error);
    assert_string_equal(((char **)made.leaves[0].data)[0], "x1");
    assert_string_equal(((char **)made.leaves[0].data)[2], "x3");
    pytree_flat_free(&made);
    /* feedback on all elements of what they have in common is joined */
    made = pytree_apply_new(PYTREE_VJP(f), 2, pulled, NULL, &error);
    assert_ok(error.status, &error);
    assert_string_equal(((char **)made.leaves[0].data)[1], "x2");
    assert_string_equal(*(char **)made.leaves[1].data, "pqr");
    assert_string_equal(((char **)made.leaves[2].data)[1], "q");
    pytree_flat_free(&made);
    /* by which operation must be known */
    f = PYTREE_VMAP(PYTREE_TRACED(joined), .in_axes = axes);
    made = pytree_apply_new(PYTREE_VJP(f), 2, pulled, NULL, &error);
    assert_null(made.def);
    assert_refused(error.status, PYTREE_TYPE, "", "vmap: vmap: expected f32 or f64, or an operation that adds derivatives "
                   "(pytree_traced_of.plus), got str", &error);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------- */

static pytree_status sweep_strings(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_fn_options options = { .tree = *opt };
    const char *s = "ab";
    char mark[2] = "!";
    pytree_flat made = pytree_apply_new(PYTREE_TRACED(twice, .context = mark), 1, (pytree[1]){ PYTREE(&s) }, &options, err);
    (void)context;
    pytree_flat_free(&made);
    return err->status;
}
static pytree_status sweep_programs(void *context, const pytree_options *opt, pytree_error *err)
{
    const pytree_fn_options options = { .tree = *opt };
    pytree_program *p = pytree_program_new(PYTREE_TRACED(wave), 2, (pytree[2]){ PYTREE(&pair), PYTREE(&x) }, &options, err);
    pytree_program *forward = p == NULL ? NULL : pytree_pushforward(p, err), *back, *some;
    (void)context;
    pytree_program_free(p);
    back = forward == NULL ? NULL : pytree_pullback(forward, err);
    some = forward == NULL ? NULL : pytree_dce(forward, PYTREE_TUPLE(PYTREE_BOOL(false), PYTREE_NONE), err);
    pytree_program_free(forward);
    pytree_program_free(some);
    pytree_program_free(back);
    return err->status;
}
static void test_memory(void **state)
{
    (void)state;
    (void)sweep_allocations(sweep_strings, NULL);
    (void)sweep_allocations(sweep_programs, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_function), cmocka_unit_test(test_derivatives), cmocka_unit_test(test_dce),
        cmocka_unit_test(test_dead), cmocka_unit_test(test_effect), cmocka_unit_test(test_known),
        cmocka_unit_test(test_together),
        cmocka_unit_test(test_strings), cmocka_unit_test(test_mapped_strings), cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
