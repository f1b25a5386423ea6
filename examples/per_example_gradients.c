/* per_example_gradients.c: the network of fashion_mnist.c, trained with a gradient for each example, clipped before they are
 * added up.
 *
 *     examples/run per_example_gradients --epochs 2
 *
 * No example can move the parameters further than its clipped gradient: with noise added to the sum, this is differentially
 * private training (DP-SGD). In JAX it is vmap of grad, and so it is here: PYTREE_VMAP(PYTREE_VALUE_AND_GRAD(loss)). The
 * gradients of a chunk of examples are one tree, whose leaves have a first axis.
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -I. examples/per_example_gradients.c -lz -lm
 */
#define PYTREE_IMPLEMENTATION
#include "fashion_mnist_run.h"

#include "pytree/derive.h"

enum { CHUNK = 16 };                      /* examples whose gradients are in memory at once */

/* (MLP, x [pixels], label) -> (cross-entropy, scores [classes]) */
static pytree_status loss_of_one(void *context, pytree_trace *tr)
{
    const MLP *model = tr->arg[0];
    pytree_value y = pytree_op_reshape(tr, pytree_value_of(tr, tr->arg[1]), 2, (const size_t[2]){ 1, SIDE * SIDE });
    pytree_value label = pytree_op_reshape(tr, pytree_value_of(tr, tr->arg[2]), 1, (const size_t[1]){ 1 });
    (void)context;
    for (int l = 0; l < model->n_layers; l++) {
        const Linear *layer = &model->layers[l];
        y = pytree_op_linear(tr, y, pytree_value_of(tr, layer->w), pytree_value_of(tr, layer->b));
        if (l + 1 < model->n_layers) { y = pytree_op_relu(tr, y); }
    }
    return pytree_return(tr, PYTREE_TUPLE(PYTREE_V(pytree_op_cross_entropy(tr, y, label)),
                                          PYTREE_V(pytree_op_reshape(tr, y, 1, (const size_t[1]){ CLASSES }))));
}

/* Element i along the first axis of a leaf of floats. */
static const float *element(const pytree_leaf *leaf, size_t i)
{
    return (const float *)leaf->data + i * (pytree_leaf_count(leaf) / leaf->shape[0]);
}

/* The gradients of a chunk, leaf by leaf, and what example i contributes to the mean. */
typedef struct Chunk {
    const pytree_leaf *gradients;
    size_t n_leaves, i;
    float factor;
} Chunk;

static double norm_of_one(const Chunk *chunk)
{
    double squares = 0;
    for (size_t k = 0; k < chunk->n_leaves; k++) {
        const float *g = element(&chunk->gradients[k], chunk->i);
        size_t n = pytree_leaf_count(&chunk->gradients[k]) / chunk->gradients[k].shape[0];
        float sum = 0;
        for (size_t j = 0; j < n; j++) { sum += g[j] * g[j]; }
        squares += (double)sum;
    }
    return sqrt(squares);
}

static pytree_status add_one(void *context, const pytree_iter *at)
{
    const Chunk *chunk = context;
    const float *g = element(&chunk->gradients[at->index], chunk->i);
    float *restrict to = at->leaf[0]->data;
    for (size_t j = 0, n = pytree_leaf_count(at->leaf[0]); j < n; j++) { to[j] += chunk->factor * g[j]; }
    return PYTREE_OK;
}

static pytree_status clear(void *context, const pytree_iter *at)
{
    (void)context;
    memset(at->leaf[0]->data, 0, pytree_leaf_bytes(at->leaf[0]));
    return PYTREE_OK;
}

/* Derivative.compute: the mean of the clipped gradients. */
static pytree_status clipped(void *context, const MLP *model, pytree gradients, Batch *batch, int n, double *loss,
                             pytree_error *err)
{
    const double clip = 1;
    float *scores = batch->signals[batch->n_layers - 1].y;
    *loss = 0;
    if (pytree_map(clear, NULL, NULL, 1, &gradients, NULL, err) != PYTREE_OK) { return err->status; }
    for (int from = 0; from < n; from += CHUNK) {
        const size_t m = n - from < CHUNK ? (size_t)(n - from) : CHUNK;
        const pytree args[3] = { PYTREE(model), PYTREE_ARRAY(batch->x + (size_t)from * SIDE * SIDE, m, SIDE * SIDE),
                                 PYTREE_ARRAY(batch->labels + from, m) };
        pytree_flat each = pytree_apply_new(context, 3, args, NULL, err);          /* ((losses, scores), gradients) */
        if (each.def == NULL) { return err->status; }
        Chunk chunk = { .gradients = each.leaves + 2, .n_leaves = each.def->n_leaves - 2 };
        memcpy(scores + (size_t)from * CLASSES, each.leaves[1].data, m * CLASSES * sizeof *scores);
        for (chunk.i = 0; chunk.i < m && err->status == PYTREE_OK; chunk.i++) {
            double norm = norm_of_one(&chunk);
            chunk.factor = (float)((norm > clip ? clip / norm : 1) / n);
            *loss += (double)*element(&each.leaves[0], chunk.i);
            pytree_map(add_one, &chunk, NULL, 1, &gradients, NULL, err);
        }
        pytree_flat_free(&each);
        if (err->status != PYTREE_OK) { return err->status; }
    }
    return PYTREE_OK;
}

int main(int argc, char **argv)
{
    const pytree_fn *each = PYTREE_VMAP(PYTREE_VALUE_AND_GRAD(PYTREE_TRACED(loss_of_one), .has_aux = true),
                                        .in_axes = PYTREE_TUPLE(PYTREE_NONE, PYTREE_INT(0), PYTREE_INT(0)));
    const Derivative derivative = { clipped, (void *)(uintptr_t)each, NULL };
    return run_program(&derivative, argc, argv);
}
