/* transforms_program.h: traced programs of tests/oracle/programs.py: operations on registers, of which the first are the leaves
 * of the arguments. */
#include "pytree/derive.h"

enum { OPERATIONS = 64, REGISTERS = 160, NUMBERS = 32 };

typedef struct Operation {
    char name[16];
    size_t n_in, in[NUMBERS], n;
    int64_t p[NUMBERS];
} Operation;

typedef struct Traced {
    size_t n;
    Operation op[OPERATIONS];
    const pytree_def *result;             /* its leaves are registers */
    const pytree_leaf *leaves;
    size_t failed;                        /* the operation that was refused; n: none */
} Traced;

/* Reads `<operations>`, a line for each: name, operands, parameters, each with how many there are. */
static bool read_program(Traced *t)
{
    if (scanf("%zu", &t->n) != 1 || t->n > OPERATIONS) { return false; }
    for (size_t i = 0; i < t->n; i++) {
        Operation *o = &t->op[i];
        if (scanf("%15s %zu", o->name, &o->n_in) != 2 || o->n_in > NUMBERS) { return false; }
        for (size_t k = 0; k < o->n_in; k++) { if (scanf("%zu", &o->in[k]) != 1) { return false; } }
        if (scanf("%zu", &o->n) != 1 || o->n > NUMBERS) { return false; }
        for (size_t k = 0; k < o->n; k++) {
            long long p;
            if (scanf("%lld", &p) != 1) { return false; }
            o->p[k] = p;
        }
    }
    t->failed = t->n;
    return scanf(" ") == 0;               /* the end of the line */
}

/* Operations with one operand and no parameter. */
static const struct {
    const char *name;
    pytree_value (*record)(pytree_trace *tr, pytree_value x);
} unary_operations[] = {
    { "neg", pytree_op_neg }, { "exp", pytree_op_exp }, { "log", pytree_op_log }, { "sqrt", pytree_op_sqrt },
    { "tanh", pytree_op_tanh }, { "sin", pytree_op_sin }, { "cos", pytree_op_cos }, { "abs", pytree_op_abs },
    { "relu", pytree_op_relu }, { "square", pytree_op_square }, { "mean", pytree_op_mean }, { "sigmoid", pytree_op_sigmoid },
    { "gelu", pytree_op_gelu }, { "softmax", pytree_op_softmax }, { "log_softmax", pytree_op_log_softmax },
    { "stop", pytree_op_stop_gradient }, { "zeros", pytree_op_zeros_like }
};
static const struct {
    const char *name;
    pytree_value (*record)(pytree_trace *tr, pytree_value a, pytree_value b);
} binary_operations[] = {
    { "add", pytree_op_add }, { "sub", pytree_op_sub }, { "mul", pytree_op_mul }, { "div", pytree_op_div },
    { "max", pytree_op_max }
};

static pytree_value rows(pytree_trace *tr, const int64_t *at, size_t n)
{
    const pytree_leaf numbers = { .data = (void *)(uintptr_t)at, .type = PYTREE_TYPE(int64_t), .ndim = 1, .shape = { n } };
    return pytree_op_constant(tr, &numbers);
}

/* Those with parameters. */
static pytree_value recorded_with(pytree_trace *tr, const Operation *o, const pytree_value *v)
{
    const char *name = o->name;
    int axes[NUMBERS];
    size_t shape[NUMBERS];
    for (size_t k = 0; k < o->n; k++) {
        axes[k] = (int)o->p[k];
        shape[k] = (size_t)o->p[k];
    }
    if (strcmp(name, "scale") == 0) { return pytree_op_scale(tr, v[0], (double)o->p[0] / 4); }
    if (strcmp(name, "shift") == 0) { return pytree_op_shift(tr, v[0], (double)o->p[0] / 4); }
    if (strcmp(name, "power") == 0) { return pytree_op_power(tr, v[0], axes[0]); }
    if (strcmp(name, "sum") == 0) { return pytree_op_sum(tr, v[0], o->n, axes); }
    if (strcmp(name, "max_of") == 0) { return pytree_op_max_of(tr, v[0], o->n, axes); }
    if (strcmp(name, "broadcast") == 0) { return pytree_op_broadcast(tr, v[0], (int)o->n, shape); }
    if (strcmp(name, "reshape") == 0) { return pytree_op_reshape(tr, v[0], (int)o->n, shape); }
    if (strcmp(name, "transpose") == 0) { return pytree_op_transpose(tr, v[0], axes); }
    if (strcmp(name, "slice") == 0) { return pytree_op_slice(tr, v[0], axes[0], shape[1], shape[2]); }
    if (strcmp(name, "concat") == 0) { return pytree_op_concat(tr, axes[0], o->n_in, v); }
    if (strcmp(name, "take") == 0) { return pytree_op_take(tr, v[0], rows(tr, o->p, o->n)); }
    if (strcmp(name, "put") == 0) { return pytree_op_put(tr, v[0], rows(tr, o->p + 1, o->n - 1), shape[0]); }
    if (strcmp(name, "matmul") == 0) { return pytree_op_matmul_t(tr, v[0], v[1], (unsigned)o->p[0]); }
    if (strcmp(name, "linear") == 0) { return pytree_op_linear(tr, v[0], v[1], v[2]); }
    if (strcmp(name, "entropy") == 0) { return pytree_op_cross_entropy(tr, v[0], rows(tr, o->p, o->n)); }
    if (strcmp(name, "select") == 0) {
        return pytree_op_select(tr, pytree_op_greater(tr, v[0], v[1]), pytree_op_scale(tr, v[0], 0.5), v[1]);
    }
    (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "no operation %s", name);
    return (pytree_value){ 0 };
}

static pytree_value recorded(pytree_trace *tr, const Operation *o, const pytree_value *v)
{
    for (size_t k = 0; k < sizeof unary_operations / sizeof *unary_operations; k++) {
        if (strcmp(unary_operations[k].name, o->name) == 0) { return unary_operations[k].record(tr, v[0]); }
    }
    for (size_t k = 0; k < sizeof binary_operations / sizeof *binary_operations; k++) {
        if (strcmp(binary_operations[k].name, o->name) == 0) { return binary_operations[k].record(tr, v[0], v[1]); }
    }
    return recorded_with(tr, o, v);
}

static pytree_status traced_body(void *context, pytree_trace *tr)
{
    Traced *t = context;
    pytree_value registers[REGISTERS], in[NUMBERS];
    pytree_leaf leaves[REGISTERS];
    const pytree_flat result = { t->result, leaves };
    size_t n = 0, count;
    for (size_t k = 0; k < tr->n_args; k++) {
        const pytree_status status = pytree_leaves(tr->tree[k], leaves, REGISTERS, &count, NULL, tr->err);
        if (status != PYTREE_OK) { return status; }
        for (size_t i = 0; i < count; i++) { registers[n++] = *(const pytree_value *)leaves[i].data; }
    }
    for (size_t i = 0; i < t->n; i++) {
        for (size_t k = 0; k < t->op[i].n_in; k++) { in[k] = registers[t->op[i].in[k]]; }
        registers[n++] = recorded(tr, &t->op[i], in);
        if (tr->err->status != PYTREE_OK) {
            t->failed = i;
            return tr->err->status;
        }
    }
    for (size_t i = 0; i < t->result->n_leaves; i++) {
        leaves[i] = (pytree_leaf){ .type = &pytree_value_type, .data = &registers[(size_t)pytree_leaf_get(&t->leaves[i], 0)] };
    }
    return pytree_return(tr, PYTREE(&result));
}

/* Calls the derivative that the mode says. */
static pytree_flat derived(const char *mode, Traced *t, size_t n, const pytree *args, const pytree_fn_options *opt,
                           pytree_error *err)
{
    static const int numbers[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
    const pytree_argnums all = { n, numbers };
    const pytree_fn *f = PYTREE_TRACED(traced_body, .context = t, .name = "f"), *g = PYTREE_GRAD(f, .argnums = all);
    if (strcmp(mode, "vjp") == 0) { return pytree_apply_new(PYTREE_VJP(f), n, args, opt, err); }
    if (strcmp(mode, "jvp") == 0) { return pytree_apply_new(PYTREE_JVP(f), n, args, opt, err); }
    if (strcmp(mode, "grad") == 0) {
        return pytree_apply_new(PYTREE_VALUE_AND_GRAD(f, .argnums = all), n, args, opt, err);
    }
    if (strcmp(mode, "map") == 0) { return pytree_apply_new(PYTREE_VMAP(g), n, args, opt, err); }
    if (strcmp(mode, "backward") == 0) { return pytree_apply_new(PYTREE_VJP(PYTREE_SCAN(f)), n, args, opt, err); }
    {
        pytree_leaf children[8];
        size_t count = 0;
        (void)pytree_children(args[0], children, NULL, 8, &count, NULL, err);
        return pytree_apply_new(PYTREE_JVP(PYTREE_GRAD(f, .argnums = { count, numbers })), n, args, opt, err);
    }
}
