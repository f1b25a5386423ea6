/* fashion_mnist_gradients.h: the loss and the gradients of the layers, written by hand. */
#ifndef FASHION_MNIST_GRADIENTS_H
#define FASHION_MNIST_GRADIENTS_H

#include "fashion_mnist_network.h"

/* Return the sum over n images of the cross-entropy of softmax(scores), and store the gradient of the mean in the last dy. */
static double loss_and_gradient(Batch *batch, int n)
{
    Signal *last = &batch->signals[batch->n_layers - 1];
    double loss = 0;
    for (int i = 0; i < n; i++) {
        const float *y = last->y + (ptrdiff_t)i * CLASSES;
        float *dy = last->dy + (ptrdiff_t)i * CLASSES, high = y[guess(batch, i)], sum = 0;
        for (int j = 0; j < CLASSES; j++) { sum += dy[j] = expf(y[j] - high); }
        for (int j = 0; j < CLASSES; j++) { dy[j] /= sum * (float)n; }
        dy[batch->labels[i]] -= 1 / (float)n;
        loss += (double)(logf(sum) + high - y[batch->labels[i]]);
    }
    return loss;
}

/* Set a leaf to zero: for pytree_map. */
static pytree_status clear(void *context, const pytree_iter *at)
{
    (void)context;
    memset(at->leaf[0]->data, 0, pytree_leaf_bytes(at->leaf[0]));
    return PYTREE_OK;
}

/* Compute the gradients (an MLP) of the first n images, from the last layer's dy down to the first layer. */
static pytree_status backward(const MLP *model, pytree gradients, Batch *batch, int n, pytree_error *err)
{
    if (pytree_map(clear, NULL, NULL, 1, &gradients, NULL, err) != PYTREE_OK) { return err->status; }
    for (int l = model->n_layers - 1; l >= 0; l--) {
        const Linear *layer = &model->layers[l];
        Linear *gradient = &((MLP *)gradients.data)->layers[l];
        Signal *signal = &batch->signals[l];
        int din = layer->din, dout = layer->dout;
        multiply_add(gradient->w, l > 0 ? signal[-1].y : batch->x, 1, din, signal->dy, din, n, dout);
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < dout; j++) { gradient->b[j] += signal->dy[(ptrdiff_t)i * dout + j]; }
        }
        if (l > 0) {
            float *dx = signal[-1].dy;
            const float *x = signal[-1].y;
            for (int i = 0; i < din; i++) {
                for (int j = 0; j < dout; j++) { signal->wt[(ptrdiff_t)j * din + i] = layer->w[(ptrdiff_t)i * dout + j]; }
            }
            memset(dx, 0, (size_t)n * (size_t)din * sizeof *dx);
            multiply_add(dx, signal->dy, dout, 1, signal->wt, n, dout, din);
            for (int i = 0; i < n * din; i++) { dx[i] = x[i] > 0 ? dx[i] : 0; }
        }
    }
    return PYTREE_OK;
}

#endif
