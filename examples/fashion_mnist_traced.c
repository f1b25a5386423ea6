/* fashion_mnist_traced.c: fashion_mnist.c without a line of hand-written gradients: the loss is a traced function, and the
 * library computes its gradient. Options, network, data and results are the same, but for the rounding of sums.
 *
 *     examples/run fashion_mnist_traced --epochs 20 --seed 1
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -I. examples/fashion_mnist_traced.c -lz -lm
 */
#define PYTREE_IMPLEMENTATION
#include "fashion_mnist_run.h"

#include "pytree/derive.h"

/* (MLP, x [n, pixels], labels [n]) -> (mean cross-entropy, scores [n, classes]) */
static pytree_status loss_of(void *context, pytree_trace *tr)
{
    const MLP *model = tr->arg[0];
    pytree_value y = pytree_value_of(tr, tr->arg[1]), labels = pytree_value_of(tr, tr->arg[2]);
    (void)context;
    for (int l = 0; l < model->n_layers; l++) {
        const Linear *layer = &model->layers[l];
        y = pytree_op_linear(tr, y, pytree_value_of(tr, layer->w), pytree_value_of(tr, layer->b));
        if (l + 1 < model->n_layers) { y = pytree_op_relu(tr, y); }
    }
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_cross_entropy(tr, y, labels)), PYTREE_V(y)));
}

/* The gradient, prepared for minibatches of one size: the last one of an epoch may be smaller than the others. */
typedef struct Prepared {
    pytree_prepared *run;
    int n;
    float loss;
} Prepared;

typedef struct Traced {
    const pytree_fn *gradient;
    Prepared sizes[2];
} Traced;

/* Derivative.compute */
static pytree_status traced(void *context, const MLP *model, pytree gradients, Batch *batch, int n, double *loss,
                            pytree_error *err)
{
    Traced *t = context;
    Prepared *p = t->sizes[0].run == NULL || t->sizes[0].n == n ? &t->sizes[0] : &t->sizes[1];
    if (p->run == NULL || p->n != n) {
        const pytree args[3] = { PYTREE(model), PYTREE_ARRAY(batch->x, (size_t)n, SIDE * SIDE),
                                 PYTREE_ARRAY(batch->labels, (size_t)n) };
        const pytree scores = PYTREE_ARRAY(batch->signals[batch->n_layers - 1].y, (size_t)n, CLASSES);
        pytree_prepared_free(p->run);
        p->n = n;
        p->run = pytree_prepare(t->gradient, 3, args, PYTREE_TUPLE(PYTREE_TUPLE(PYTREE(&p->loss), scores), gradients), NULL,
                                err);
        if (p->run == NULL) { return err->status; }
    }
    if (pytree_run(p->run, err) != PYTREE_OK) { return err->status; }
    *loss = (double)p->loss * n;
    return PYTREE_OK;
}

int main(int argc, char **argv)
{
    Traced t = { .gradient = PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(loss_of), .has_aux = true) };
    const Derivative derivative = { traced, &t, NULL };
    int status = run_program(&derivative, argc, argv);
    pytree_prepared_free(t.sizes[0].run);
    pytree_prepared_free(t.sizes[1].run);
    return status;
}
