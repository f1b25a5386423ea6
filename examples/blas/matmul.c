/* matmul.c: the products of matrices of a traced function by a BLAS, in place of those of the library.
 *
 *     examples/run blas
 *
 * An operation is a struct of functions. A copy of pytree_op_matmul_op with another `run` is an operation, too, and its
 * derivatives use it: the rules record the operation that they belong to. The program computes value and gradient of a
 * perceptron both ways, compares them, and measures both on one thread.
 *
 * Build: cc -std=c11 -O3 -march=native -I. examples/blas/matmul.c -lopenblas -lm    (Debian: libopenblas-dev)
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#include "pytree/derive.h"

#include <cblas.h>
#include <limits.h>
#include <stdlib.h>
#include <time.h>

enum { ROWS = 256, IN = 784, HIDDEN = 512, OUT = 10 };

/* ---- The operation ------------------------------------------------------------------------------------------------- */

/* One product: o = a b, with the flags of pytree_op_matmul_t. m, n, k: rows and columns of o, and the inner extent. */
static void product(const pytree_leaf *o, void *to, const void *a, const void *b, unsigned flags, int m, int n, int k)
{
    const CBLAS_TRANSPOSE ta = (flags & PYTREE_TRANSPOSE_A) != 0 ? CblasTrans : CblasNoTrans;
    const CBLAS_TRANSPOSE tb = (flags & PYTREE_TRANSPOSE_B) != 0 ? CblasTrans : CblasNoTrans;
    const int lda = ta == CblasTrans ? m : k, ldb = tb == CblasTrans ? k : n;
    if (o->type->dtype == PYTREE_F64) {
        cblas_dgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda > 0 ? lda : 1, b, ldb > 0 ? ldb : 1, 0, to, n);
    } else {
        cblas_sgemm(CblasRowMajor, ta, tb, m, n, k, 1, a, lda > 0 ? lda : 1, b, ldb > 0 ? ldb : 1, 0, to, n);
    }
}

static pytree_status blas_run(const pytree_op_call *c, pytree_error *err)
{
    const pytree_leaf *a = c->in[0], *b = c->in[1], *o = c->out[0];
    const unsigned flags = *(const unsigned *)c->params;
    const size_t m = o->shape[o->ndim - 2], n = o->shape[o->ndim - 1], size = o->type->size;
    const size_t k = a->shape[a->ndim - ((flags & PYTREE_TRANSPOSE_A) != 0 ? 2 : 1)];
    const size_t step_a = a->ndim == 2 ? 0 : m * k * size, step_b = b->ndim == 2 ? 0 : k * n * size;
    size_t batch = 1;
    if (m > INT_MAX || n > INT_MAX || k > INT_MAX) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected extents that fit an int, got a larger one");
    }
    for (int i = 0; i < o->ndim - 2; i++) { batch *= o->shape[i]; }
    for (size_t i = 0; i < batch && m * n != 0; i++) {
        product(o, (char *)o->data + i * m * n * size, (const char *)a->data + i * step_a, (const char *)b->data + i * step_b,
                flags, (int)m, (int)n, (int)k);
    }
    return PYTREE_OK;
}

/* ---- A function that takes its product of matrices from the context ------------------------------------------------------ */

static pytree_value layer(pytree_trace *tr, const pytree_op *matmul, pytree_value x, size_t k)
{
    const pytree_value w = pytree_value_at(tr, tr->tree[0], k), b = pytree_value_at(tr, tr->tree[0], k + 1);
    return pytree_op_add(tr, pytree_op_matmul_as(tr, matmul, x, w, 0), b);
}

static pytree_status loss(void *context, pytree_trace *tr)     /* ((w, b, w, b), x, y) -> mean squared error */
{
    const pytree_op *matmul = context;
    pytree_value h = pytree_op_relu(tr, layer(tr, matmul, pytree_value_of(tr, tr->arg[1]), 0));
    pytree_value e = pytree_op_sub(tr, layer(tr, matmul, h, 2), pytree_value_of(tr, tr->arg[2]));
    return pytree_return(tr, PYTREE_V(pytree_op_mean(tr, pytree_op_square(tr, e))));
}

/* ---- The program --------------------------------------------------------------------------------------------------- */

typedef struct Net { float w1[IN][HIDDEN], b1[HIDDEN], w2[HIDDEN][OUT], b2[OUT]; } Net;
#define TREE(n)                                                                                                         \
    PYTREE_TUPLE(PYTREE_ARRAY((n).w1[0], IN, HIDDEN), PYTREE_ARRAY((n).b1, HIDDEN), PYTREE_ARRAY((n).w2[0], HIDDEN, OUT), \
                 PYTREE_ARRAY((n).b2, OUT))

static Net net, gradient[2];
static float x[ROWS][IN], y[ROWS][OUT], value[2];

static void randomize(float *at, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof *at; i++) { at[i] = 0.2f * ((float)rand() / (float)RAND_MAX - 0.5f); }
}

/* Milliseconds of value and gradient with one operation; the result goes to number k. */
static double measure(const pytree_op *matmul, int k, pytree_error *err)
{
    enum { TIMES = 20 };
    const pytree_fn *f = PYTREE_TRACED(loss, .context = (void *)(uintptr_t)matmul);
    const pytree args[3] = { TREE(net), PYTREE_ARRAY(x[0], ROWS, IN), PYTREE_ARRAY(y[0], ROWS, OUT) };
    pytree_prepared *step = pytree_prepare(PYTREE_VALUE_AND_GRAD(f), 3, args,
                                           PYTREE_TUPLE(PYTREE(&value[k]), TREE(gradient[k])), NULL, err);
    struct timespec from, to;
    (void)pytree_run(step, err);
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (int i = 0; i < TIMES; i++) { (void)pytree_run(step, err); }
    clock_gettime(CLOCK_MONOTONIC, &to);
    pytree_prepared_free(step);
    return (1e3 * (double)(to.tv_sec - from.tv_sec) + 1e-6 * (double)(to.tv_nsec - from.tv_nsec)) / TIMES;
}

int main(void)
{
    pytree_op blas = pytree_op_matmul_op;
    const pytree_tolerance rounding = { .relative = 1e-3, .absolute = 1e-6 };
    pytree_error err = { 0 };
    blas.run = blas_run;
    openblas_set_num_threads(1);
    randomize(net.w1[0], sizeof net);
    randomize(x[0], sizeof x);
    randomize(y[0], sizeof y);

    const double own = measure(&pytree_op_matmul_op, 0, &err), by_blas = measure(&blas, 1, &err);
    if (err.status == PYTREE_OK && pytree_equal(PYTREE_TUPLE(PYTREE(&value[0]), TREE(gradient[0])),
                                                PYTREE_TUPLE(PYTREE(&value[1]), TREE(gradient[1])), &rounding, NULL, &err)) {
        printf("loss %.5f; gradients by the library's product and by the BLAS agree\n", (double)value[1]);
        printf("value and gradient: %.2f ms with the library's product, %.2f ms with the BLAS\n", own, by_blas);
    }
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
