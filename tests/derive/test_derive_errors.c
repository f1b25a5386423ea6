/* What derivatives refuse: place and words, before anything is called. */
#include "derive_shared.h"

typedef struct Handle { int number; } Handle;

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

static double x[2] = { 1, 2 }, table[2][3];
static float single[2];
static int counts[3];

BODY(loss, pytree_op_sum(tr, pytree_op_square(tr, b), 0, NULL))
BODY(squared, pytree_op_square(tr, a))
BODY(product, pytree_op_matmul(tr, a, b))
BODY(is_small, pytree_op_greater(tr, pytree_op_number(tr, a, 3), a))
BODY(doubled, pytree_op_scale(tr, a, 2))
BODY(elsewhere, pytree_value_of(tr, x))

/* {'B': …, 'x y': …} -> sum of the second */
static pytree_status of_dict(void *context, pytree_trace *tr)
{
    (void)context;
    return pytree_return(tr, PYTREE_V(pytree_op_sum(tr, pytree_value_at(tr, tr->tree[0], 1), 0, NULL)));
}
static pytree_status tree_of_loss(void *context, pytree_trace *tr)
{
    const pytree_value y = pytree_op_sum(tr, V(tr->arg[0]), 0, NULL);
    (void)context;
    return pytree_return(tr, PYTREE_DICT({ "l", PYTREE_V(y) }));
}
static pytree_status whole(void *context, pytree_trace *tr)
{
    const pytree_value y = pytree_op_convert(tr, pytree_op_sum(tr, V(tr->arg[0]), 0, NULL), PYTREE_I32);
    (void)context;
    return pytree_return(tr, PYTREE_V(y));
}

static pytree_status never(void *context, const pytree_call *at)
{
    (void)context;
    (void)at;
    fail_msg("a function was called");
    return PYTREE_OK;
}
static const pytree_fn simulate = { .name = "simulate", .call = never, .shape = pytree_result_first };
static const pytree_fn untold = { .name = "untold", .call = never };

static void refused(const pytree_fn *f, size_t n, const pytree *args, pytree_status wanted, const char *path, const char *text)
{
    pytree_error error = { 0 };
    pytree_flat out = pytree_apply_new(f, n, args, NULL, &error);
    assert_null(out.def);
    assert_error(error.status, wanted, path, &error);
    assert_string_equal(error.message, text);
}

static void gradients_refuse(void **state)
{
    const pytree dict[1] = { PYTREE_DICT({ "B", PYTREE_ARRAY(counts, 3) }, { "x y", PYTREE_ARRAY(x, 2) }) };
    const pytree text[1] = { PYTREE_DICT({ "B", PYTREE_STR("text") }, { "x y", PYTREE_ARRAY(x, 2) }) };
    const pytree one[1] = { PYTREE_ARRAY(x, 2) };
    (void)state;
    refused(PYTREE_GRAD(PYTREE_TRACED(of_dict, .name = "loss")), 1, dict, PYTREE_TYPE, "[0]['B']",
            "grad of loss: expected f32 or f64, got i32[3] (allow_int gives zeros)");
    refused(PYTREE_GRAD(PYTREE_TRACED(of_dict, .name = "loss")), 1, text, PYTREE_TYPE, "[0]['B']",
            "grad of loss: expected f32 or f64, got str (allow_int gives zeros)");
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(of_dict, .name = "loss")), 1, dict, PYTREE_TYPE, "[0]['B']",
            "jacobian of loss: expected f32 or f64, got i32[3] (allow_int gives zeros)");
    refused(PYTREE_GRAD(PYTREE_TRACED(squared, .name = "loss")), 1, one, PYTREE_SHAPE, "",
            "grad of loss: expected one f32 or f64, got f64[2]");
    refused(PYTREE_GRAD(PYTREE_TRACED(tree_of_loss, .name = "loss")), 1, one, PYTREE_STRUCTURE, "",
            "grad of loss: expected one f32 or f64, got dict with keys 'l'");
    refused(PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(whole, .name = "loss")), 1, one, PYTREE_TYPE, "",
            "value_and_grad of loss: expected one f32 or f64, got i32");
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(whole, .name = "loss")), 1, one, PYTREE_TYPE, "",
            "jacobian of loss: expected f32 or f64, got i32");
    refused(PYTREE_GRAD(PYTREE_TRACED(loss), .has_aux = true), 1, one, PYTREE_STRUCTURE, "",
            "grad of loss: expected a result (value, aux), got f64");
    refused(PYTREE_GRAD(PYTREE_TRACED(loss), .argnums = PYTREE_ARGNUMS(1)), 1, one, PYTREE_ARGUMENT, "",
            "grad of loss: expected argument -1 to 0, got 1");
    refused(PYTREE_JACOBIAN(PYTREE_TRACED(loss), .argnums = PYTREE_ARGNUMS(0, -2)), 1, one, PYTREE_ARGUMENT, "",
            "jacobian of loss: expected argument -1 to 0, got -2");
    refused(PYTREE_GRAD(NULL), 1, one, PYTREE_ARGUMENT, "", "grad: expected a function, got NULL");
}

static void products_refuse(void **state)
{
    const pytree primals = PYTREE_TUPLE(PYTREE_ARRAY(x, 2));
    const pytree_fn *jvp = PYTREE_JVP(PYTREE_TRACED(squared, .name = "f"));
    const pytree_fn *vjp = PYTREE_VJP(PYTREE_TRACED(squared, .name = "f"));
    (void)state;
    refused(vjp, 2, (pytree[2]){ primals, PYTREE_ARRAY(table[0], 3) }, PYTREE_SHAPE, "",
            "vjp of f: cotangent: expected f64[2], got f64[3]");
    refused(vjp, 2, (pytree[2]){ primals, PYTREE_ARRAY(single, 2) }, PYTREE_TYPE, "",
            "vjp of f: cotangent: expected f64[2], got f32[2]");
    refused(vjp, 2, (pytree[2]){ primals, PYTREE_LIST() }, PYTREE_STRUCTURE, "",
            "vjp of f: cotangent: expected f64[2], got list of length 0");
    refused(vjp, 2, (pytree[2]){ PYTREE_LIST(PYTREE_ARRAY(x, 2)), primals }, PYTREE_STRUCTURE, "",
            "vjp of f: expected two arguments, a tuple of arguments and a cotangent, got 2 without a tuple");
    refused(jvp, 1, &primals, PYTREE_STRUCTURE, "",
            "jvp of f: expected two arguments, a tuple of arguments and a tuple of tangents, got 1");
    refused(jvp, 2, (pytree[2]){ primals, PYTREE_TUPLE(PYTREE_LIST()) }, PYTREE_STRUCTURE, "[0]",
            "jvp of f: tangents: expected f64[2], got list of length 0");
    refused(jvp, 2, (pytree[2]){ primals, PYTREE_TUPLE(PYTREE_ARRAY(single, 2)) }, PYTREE_TYPE, "[0]",
            "jvp of f: tangents: expected f64[2], got f32[2]");
    refused(jvp, 2, (pytree[2]){ primals, PYTREE_TUPLE(PYTREE_ARRAY(table[0], 3)) }, PYTREE_SHAPE, "[0]",
            "jvp of f: tangents: expected f64[2], got f64[3]");
}

static void rules_are_needed(void **state)
{
    const pytree primals = PYTREE_TUPLE(PYTREE(&x[0])), args[2] = { primals, PYTREE(&x[1]) }, both[2] = { primals, primals };
    const pytree_fn *loop = PYTREE_WHILE(PYTREE_TRACED(is_small), PYTREE_TRACED(doubled));
    (void)state;
    refused(PYTREE_VJP(&simulate), 2, args, PYTREE_ARGUMENT, "",
            "vjp of simulate: expected a rule (pytree_fn.vjp) or PYTREE_NUMERIC, got neither");
    refused(PYTREE_JVP(&simulate), 2, both, PYTREE_ARGUMENT, "",
            "jvp of simulate: expected a rule (pytree_fn.jvp) or PYTREE_NUMERIC, got neither");
    refused(PYTREE_VJP(loop), 2, args, PYTREE_ARGUMENT, "",
            "vjp of while: expected max_iters for a reverse derivative, got no limit of iterations");
    refused(PYTREE_GRAD(&untold), 1, args + 1, PYTREE_ARGUMENT, "",
            "untold: expected a function that says what it gives (shape), got untold");
    refused(PYTREE_NUMERIC(&untold), 1, args + 1, PYTREE_ARGUMENT, "",
            "untold: expected a function that says what it gives (shape), got untold");
}

static void bodies_refuse(void **state)
{
    const pytree pair[2] = { PYTREE_ARRAY(table[0], 2, 3), PYTREE_ARRAY(table[0], 2, 3) };
    Handle handle = { 1 };
    (void)state;
    refused(PYTREE_TRACED(product, .name = "loss"), 2, pair, PYTREE_SHAPE, "",
            "loss: matmul: expected inner extents that agree, got f64[2,3] and f64[2,3]");
    refused(PYTREE_GRAD(PYTREE_TRACED(product, .name = "loss")), 2, pair, PYTREE_SHAPE, "",
            "loss: matmul: expected inner extents that agree, got f64[2,3] and f64[2,3]");
    refused(PYTREE_TRACED(loss, .takes = PYTREE_TYPES(PYTREE_TYPE(double), PYTREE_TYPE(float))), 2, pair, PYTREE_TYPE, "",
            "loss: argument 1: expected f32, got f64[2,3]");
    refused(PYTREE_TRACED(loss), 2, (pytree[2]){ pair[0], PYTREE_LIST(pair[0], PYTREE(&handle)) }, PYTREE_TYPE, "[1][1]",
            "loss: expected numbers or strings, got Handle");
    refused(PYTREE_TRACED(elsewhere, .name = "loss"), 1, pair, PYTREE_NOT_FOUND, "",
            "loss: expected the address of a leaf of an argument, got another");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gradients_refuse), cmocka_unit_test(products_refuse), cmocka_unit_test(rules_are_needed),
        cmocka_unit_test(bodies_refuse)
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
