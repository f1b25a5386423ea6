/* fashion_mnist.c: train a multilayer perceptron (784-256-128-10) on Fashion-MNIST with AdamW.
 *
 *     examples/run --epochs 20 --seed 1                         install what is missing, build and run
 *     examples/run --save run.safetensors                       write a checkpoint after each epoch
 *     examples/run --save run.safetensors --resume run.safetensors
 *
 * The fields of the model are listed once, beside its struct. The rest follows from this list: memory, initialisation and
 * weight decay by key path, gradients, optimizer moments, gradient norm and clipping, the parameter table, the check before
 * training, the copy of the best model, the checkpoint. Only the mathematics of a layer names its arrays again.
 *
 * The whole state of a training run is one struct, so saving and resuming take one call each. A run that is stopped at any
 * moment and resumed ends with the same weights, bit for bit, as an uninterrupted run.
 *
 * The last 5000 training images select the best model; the test images are used once, at the end. With one thread and a fixed
 * order of additions, a seed always gives the same result on the same machine and compiler.
 *
 * This file has the gradients of the layers, written by hand; fashion_mnist_traced.c leaves them to the library. Both share
 * fashion_mnist_data.h, which reads the images, fashion_mnist_network.h, which has the layers, fashion_mnist_training.h with
 * the optimizer, the training loop, and saving and resuming, and fashion_mnist_run.h with the command line and the run;
 * training_tools.h has the product of matrices and what other programs that train need, too.
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -I. examples/fashion_mnist.c -lz -lm
 */
#define PYTREE_IMPLEMENTATION
#include "fashion_mnist_run.h"

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

/* Add to the gradients, from the last layer's dy down to the first layer. */
static void backward(const MLP *model, MLP *gradients, Batch *batch, int n)
{
    for (int l = model->n_layers - 1; l >= 0; l--) {
        const Linear *layer = &model->layers[l];
        Linear *gradient = &gradients->layers[l];
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
}

/* Set a leaf to zero: for pytree_map. */
static pytree_status clear(void *context, const pytree_iter *at)
{
    (void)context;
    memset(at->leaf[0]->data, 0, pytree_leaf_bytes(at->leaf[0]));
    return PYTREE_OK;
}

/* Derivative.compute */
static pytree_status by_hand(void *context, const MLP *model, pytree gradients, Batch *batch, int n, double *loss,
                             pytree_error *err)
{
    (void)context;
    forward(model, batch, n);
    *loss = loss_and_gradient(batch, n);
    if (pytree_map(clear, NULL, NULL, 1, &gradients, NULL, err) != PYTREE_OK) { return err->status; }
    backward(model, gradients.data, batch, n);
    return PYTREE_OK;
}

int main(int argc, char **argv)
{
    const Derivative derivative = { by_hand, NULL };
    return run_program(&derivative, argc, argv);
}
