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
 * The gradients of the layers are written by hand, in fashion_mnist_gradients.h; fashion_mnist_traced.c leaves them to the
 * library, and fashion_mnist_mpi.c computes them on several machines. All share fashion_mnist_data.h, which reads the images,
 * fashion_mnist_network.h, which has the layers, fashion_mnist_training.h with the optimizer, the training loop, and saving and
 * resuming, and fashion_mnist_run.h with the command line and the run; training_tools.h has the product of matrices and what
 * other programs that train need, too.
 *
 * Build: cc -std=c11 -O3 -march=native -fno-math-errno -ffp-contract=fast -I. examples/fashion_mnist.c -lz -lm
 */
#define PYTREE_IMPLEMENTATION
#include "fashion_mnist_gradients.h"
#include "fashion_mnist_run.h"

/* Derivative.compute */
static pytree_status by_hand(void *context, const MLP *model, pytree gradients, Batch *batch, int n, double *loss,
                             pytree_error *err)
{
    (void)context;
    forward(model, batch, n);
    *loss = loss_and_gradient(batch, n);
    return backward(model, gradients, batch, n, err);
}

int main(int argc, char **argv)
{
    const Derivative derivative = { by_hand, NULL, NULL };
    return run_program(&derivative, argc, argv);
}
