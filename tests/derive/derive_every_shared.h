/* Every kind of function, each with arguments: for programs that put all of them through something. */
#ifndef DERIVE_EVERY_SHARED_H
#define DERIVE_EVERY_SHARED_H

#include "derive_shared.h"
#include "pytree/cache.h"

/* ---- Functions to be made of ----------------------------------------------------------------------------------------- */

BODY(element, pytree_op_mul(tr, pytree_op_sin(tr, pytree_op_mul(tr, a, b)), b))                        /* (w, x) -> y */
BODY(no_element, pytree_op_square(tr, a))                                                             /* (w, x) -> w² */
BODY(sines, pytree_op_sin(tr, a))                                                                     /* x -> y */
BODY(cubes, pytree_op_power(tr, a, 3))
BODY(squares, pytree_op_sum(tr, pytree_op_square(tr, pytree_op_mul(tr, a, b)), 0, NULL))               /* (w, xs) -> number */
BODY(is_small, pytree_op_greater(tr, pytree_op_number(tr, a, 3), a))
BODY(grows, pytree_op_add(tr, pytree_op_mul(tr, a, a), a))
BODY(scaled, pytree_op_scale(tr, b, 0.5))                                                             /* (i, carry) */

/* (carry, x) -> (carry, y) */
static pytree_status stepped(void *context, pytree_trace *tr)
{
    const pytree_value c = V(tr->arg[0]), x = V(tr->arg[1]), next = pytree_op_tanh(tr, pytree_op_add(tr, c, x));
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(next), PYTREE_V(pytree_op_mul(tr, c, next))));
}

/* (w, xs) -> (number, (xs, number)) */
static pytree_status with_aux(void *context, pytree_trace *tr)
{
    const pytree_value w = V(tr->arg[0]), xs = V(tr->arg[1]), y = pytree_op_sum(tr, pytree_op_mul(tr, w, xs), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_square(tr, y)), PYTREE_TUPLE(PYTREE_V(xs), PYTREE_V(y))));
}

/* Every operation of ops.h on (w, xs). */
static pytree_status operated(void *context, pytree_trace *tr)
{
    static const size_t tall[2] = { 3, 1 }, wide[2] = { 3, 3 }, flat[1] = { 9 };
    static const int64_t rows[2] = { 2, 0 };
    const pytree_leaf numbers = { .data = (void *)(uintptr_t)rows, .type = PYTREE_TYPE(int64_t), .ndim = 1, .shape = { 2 } };
    const pytree_value w = V(tr->arg[0]), x = V(tr->arg[1]), at = pytree_op_constant(tr, &numbers);
    const pytree_value p = pytree_op_shift(tr, pytree_op_exp(tr, pytree_op_neg(tr, x)), 1);
    const pytree_value q = pytree_op_div(tr, pytree_op_log(tr, p), pytree_op_sqrt(tr, p));
    const pytree_value waves = pytree_op_sub(tr, pytree_op_sin(tr, x), pytree_op_cos(tr, w));
    const pytree_value r = pytree_op_add(tr, pytree_op_tanh(tr, q), waves);
    const pytree_value s = pytree_op_max(tr, pytree_op_abs(tr, r), pytree_op_relu(tr, pytree_op_scale(tr, x, 2)));
    const pytree_value more = pytree_op_greater(tr, s, w);
    const pytree_value t = pytree_op_select(tr, more, pytree_op_power(tr, s, 3), pytree_op_square(tr, w));
    const pytree_value m = pytree_op_broadcast(tr, pytree_op_reshape(tr, t, 2, tall), 2, wide);
    const pytree_value mm = pytree_op_matmul_t(tr, m, m, PYTREE_TRANSPOSE_B);
    const pytree_value mine = pytree_op_matmul_as(tr, &pytree_op_matmul_op, pytree_op_transpose(tr, m, NULL), mm, 0);
    const pytree_value n = pytree_op_plus(tr, pytree_op_matmul(tr, pytree_op_transpose(tr, m, NULL), mm), mine);
    const pytree_value o = pytree_op_linear(tr, pytree_op_softmax(tr, n), pytree_op_log_softmax(tr, m), t);
    const pytree_value u = pytree_op_put(tr, pytree_op_take(tr, o, at), at, 3);
    const pytree_value parts[2] = { pytree_op_slice(tr, u, 0, 1, 3), pytree_op_gelu(tr, pytree_op_sigmoid(tr, o)) };
    const pytree_value v = pytree_op_reshape(tr, pytree_op_slice(tr, pytree_op_concat(tr, 0, 2, parts), 0, 0, 3), 1, flat);
    const pytree_value hot = pytree_op_one_hot(tr, at, 3, x), stopped = pytree_op_stop_gradient(tr, x);
    const pytree_value loss = pytree_op_cross_entropy(tr, pytree_op_take(tr, o, at), hot);
    const pytree_value single = pytree_op_convert(tr, pytree_op_convert(tr, w, PYTREE_F32), PYTREE_F64);
    pytree_value y = pytree_op_add(tr, pytree_op_mean(tr, v), pytree_op_max_of(tr, v, 0, NULL));
    (void)context;
    y = pytree_op_add(tr, pytree_op_mul(tr, y, loss), pytree_op_scale(tr, single, 0));
    y = pytree_op_add(tr, y, pytree_op_mul(tr, w, pytree_op_sum(tr, pytree_op_mul(tr, stopped, pytree_op_zeros_like(tr, x)), 0,
                                                              NULL)));
    return pytree_return(tr, PYTREE_V(y));
}

/* (w, xs) -> a tree like the arguments, by calls of functions. */
static pytree_status called(void *context, pytree_trace *tr)
{
    const pytree_value w = V(tr->arg[0]);
    const pytree waves = pytree_op_apply(tr, PYTREE_VMAP(PYTREE_TRACED(sines)), 1, &tr->tree[1]);
    const pytree_value wave = pytree_value_at(tr, waves, 0);
    const pytree first = pytree_values_like(tr, 0, 1, &w), second = pytree_values_like(tr, 1, 1, &wave);
    (void)context;
    return pytree_return(tr, PYTREE_TUPLE(first, second));
}

/* {'a': …, 'b': …} -> the same: the sum of both, and their product. */
static pytree_status mixed(void *context, pytree_trace *tr)
{
    const pytree_value a = pytree_value_at(tr, tr->tree[0], 0), b = pytree_value_at(tr, tr->tree[0], 1);
    const pytree_value both[2] = { pytree_op_add(tr, a, b), pytree_op_mul(tr, a, b) };
    (void)context;
    return pytree_return_like(tr, 0, 2, both);
}

static pytree_status sine_call(void *context, const pytree_call *at)
{
    (void)context;
    *(double *)at->res[0] = sin(*(double *)at->arg[0]);
    return PYTREE_OK;
}
static pytree_status sine_rule(void *context, const pytree_call *at)              /* (x, y, derivative) */
{
    (void)context;
    *(double *)at->out[0].data = cos(*(double *)at->arg[0]) * *(double *)at->arg[2];
    return PYTREE_OK;
}
static pytree_status sine_complex(void *context, const pytree_call *at)
{
    const double *x = at->in[0].data;
    double *y = at->out[0].data;
    (void)context;
    y[0] = sin(x[0]) * cosh(x[1]);
    y[1] = cos(x[0]) * sinh(x[1]);
    return PYTREE_OK;
}
static pytree_status one_tuple(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, PYTREE_TUPLE(at->args[0]));
}
static const pytree_fn sine_jvp = { .name = "sine_jvp", .call = sine_rule, .shape = pytree_result_first };
static const pytree_fn sine_vjp = { .name = "sine_vjp", .call = sine_rule, .shape = one_tuple };
static const pytree_fn sine = { .name = "sine", .call = sine_call, .shape = pytree_result_first, .jvp = &sine_jvp,
                                .vjp = &sine_vjp };
static const pytree_fn bare = { .name = "bare", .call = sine_call, .shape = pytree_result_first };
static const pytree_fn twin = { .name = "twin", .call = sine_complex, .shape = pytree_result_first };

/* ---- All of them ------------------------------------------------------------------------------------------------------ */

/* A function with arguments. */
typedef struct Every {
    const pytree_fn *f;
    size_t n;
    const pytree *args;
    bool first_only;                      /* it has no second derivative, or none at all */
} Every;

static void every_function(void (*test)(const Every *e))
{
    double w = 0.7, xs[3] = { 0.3, -0.4, 0.9 }, table[2][3] = { { 0.1, 0.2, 0.3 }, { 0.5, -0.6, 0.7 } }, x = 0.4;
    const pytree wx[2] = { PYTREE(&w), PYTREE_ARRAY(xs, 3) }, wt[2] = { PYTREE(&w), PYTREE_ARRAY(table[0], 2, 3) };
    const pytree one[1] = { PYTREE(&x) }, pick[2] = { PYTREE_INT(1), PYTREE(&x) }, yes[2] = { PYTREE_BOOL(true), PYTREE(&x) };
    const pytree named[2] = { PYTREE_STR("third"), PYTREE(&x) }, list[1] = { PYTREE_LIST(PYTREE(&x), PYTREE(&w)) };
    const pytree dict[1] = { PYTREE_DICT({ "a", PYTREE(&x) }, { "b", PYTREE(&w) }) };
    const pytree axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0)), last = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(-1));
    const pytree primals = PYTREE_TUPLE(PYTREE(&w), PYTREE_ARRAY(xs, 3)), jvp[2] = { primals, primals },
                 vjp[2] = { primals, PYTREE(&x) };
    const pytree_fn *pointwise = PYTREE_TRACED(element), *loss = PYTREE_TRACED(squares), *f = PYTREE_TRACED(sines),
                    *g = PYTREE_TRACED(cubes, .name = "third"), *inner = PYTREE_VMAP(pointwise, .in_axes = axes);
    const Every all[] = {
        { PYTREE_TRACED(called), 2, wx, false }, { PYTREE_TRACED(mixed), 1, dict, false },
        { loss, 2, wx, false }, { PYTREE_TRACED(operated), 2, wx, false }, { inner, 2, wx, false },
        { PYTREE_VMAP(inner, .in_axes = last, .out_axes = PYTREE_INT(-1)), 2, wt, false },
        { PYTREE_VMAP(PYTREE_TRACED(no_element), .in_axes = axes, .out_axes = PYTREE_NONE), 2, wx, false },
        { PYTREE_SCAN(PYTREE_TRACED(stepped), .reverse = true), 2, wx, false },
        { PYTREE_FORI(PYTREE_TRACED(scaled), .to = 3), 1, one, false },
        { PYTREE_WHILE(PYTREE_TRACED(is_small), PYTREE_TRACED(grows), .max_iters = 4), 1, one, false },
        { PYTREE_COND(f, g), 2, yes, false }, { PYTREE_SWITCH(f, g), 2, pick, false }, { PYTREE_SELECT(f, g), 2, named, false },
        { PYTREE_BATCH(f), 1, list, false }, { PYTREE_JVP(loss), 2, jvp, false }, { PYTREE_VJP(loss), 2, vjp, false },
        { PYTREE_GRAD(loss, .argnums = PYTREE_ARGNUMS(1, 0)), 2, wx, false },
        { PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(with_aux), .has_aux = true), 2, wx, false },
        { PYTREE_GRAD(PYTREE_TRACED(with_aux), .has_aux = true), 2, wx, false },
        { PYTREE_JACOBIAN(inner, .mode = PYTREE_FORWARD, .argnums = PYTREE_ARGNUMS(0, 1)), 2, wx, false },
        { PYTREE_JACOBIAN(inner, .mode = PYTREE_REVERSE), 2, wx, false }, { PYTREE_HESSIAN(loss), 2, wx, false },
        { &sine, 1, one, false }, { PYTREE_VMAP(&sine), 1, wx + 1, false }, { PYTREE_NUMERIC(&bare), 1, one, true },
        { PYTREE_COMPLEX_STEP(&bare, &twin), 1, one, true }, { PYTREE_BATCH(PYTREE_SELECT(f, g), .in_axes = PYTREE_TUPLE(
              PYTREE_BOOL(false), PYTREE_BOOL(true))), 2, (pytree[2]){ named[0], list[0] }, false }
    };
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) { test(&all[k]); }
}

static pytree_flat result_of(const Every *e)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(e->f, e->n, e->args, NULL, &error);
    assert_ok(error.status, &error);
    return out;
}

static pytree tuple_of(const Every *e, pytree_items *items)
{
    memset(items, 0, sizeof *items);
    items->count = e->n;
    items->items = e->args;
    return (pytree){ PYTREE_TUPLE(PYTREE_NONE).type, items };
}

#endif
