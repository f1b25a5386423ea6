/* fashion_mnist_network.h: the network (linear layers with a ReLU between two of them), a minibatch with the results of each
 * layer, and the computation of scores, loss and gradients. */
#ifndef FASHION_MNIST_NETWORK_H
#define FASHION_MNIST_NETWORK_H

#include "fashion_mnist_data.h"
#include "training_tools.h"

#include <math.h>

/* ---- The model ----------------------------------------------------------------------------------------------------- */

typedef struct Linear {
    int din, dout;
    float *w;                             /* (din, dout) */
    float *b;                             /* (dout,) */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))    \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct MLP {
    int n_layers;
    Linear *layers;                       /* n_layers of them, with a ReLU between two layers */
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))
#include "pytree_registry.h"

/* ---- A minibatch and the results of its layers --------------------------------------------------------------------- */

typedef struct Signal {                   /* the results of a layer for each image of a minibatch */
    int size, din, dout;
    float *y;                             /* (size, dout) its output, after the ReLU, if any */
    float *dy;                            /* (size, dout) the gradient of the loss */
    float *wt;                            /* (dout, din) its weights transposed; the first layer needs none */
} Signal;

#define PYTREE_STRUCT Signal
#define PYTREE_FIELDS                                                 \
    PYTREE_FIELD(STATIC, size)                                        \
    PYTREE_FIELD(STATIC, din)                                         \
    PYTREE_FIELD(STATIC, dout)                                        \
    PYTREE_FIELD(DATA, y, ARRAY(self->size, self->dout))              \
    PYTREE_FIELD(DATA, dy, ARRAY(self->size, self->dout))             \
    PYTREE_FIELD(DATA, wt, OPTIONAL, ARRAY(self->dout, self->din))
#include "pytree_registry.h"

typedef struct Batch {
    int size;                             /* capacity in images */
    int n_layers;
    float scale, shift;                   /* pixel * scale + shift has mean 0 and deviation 1 */
    float *x;                             /* (size, SIDE * SIDE) */
    unsigned char *labels;                /* (size,) */
    Signal *signals;                      /* n_layers of them */
} Batch;

#define PYTREE_STRUCT Batch
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, size)                             \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(STATIC, scale)                            \
    PYTREE_FIELD(STATIC, shift)                            \
    PYTREE_FIELD(DATA, x, ARRAY(self->size, SIDE * SIDE))  \
    PYTREE_FIELD(DATA, labels, ARRAY(self->size))          \
    PYTREE_FIELD(DATA, signals, LIST(self->n_layers))
#include "pytree_registry.h"

/* Normalise the pixels: mean 0 and deviation 1 over the first n images. */
static void standardise(Batch *batch, const Images *images, int n)
{
    uint64_t sum = 0, squares = 0;
    size_t count = (size_t)n * SIDE * SIDE;
    for (size_t i = 0; i < count; i++) {
        unsigned p = images->pixels[i];
        sum += p;
        squares += p * p;
    }
    double mean = (double)sum / (double)count, variance = (double)squares / (double)count - mean * mean;
    batch->scale = variance > 0 ? (float)(1 / sqrt(variance)) : 1;
    batch->shift = (float)-mean * batch->scale;
}

/* Copy images[order[from ... from + n - 1]] to the batch; order NULL: in their own order. */
static void gather(Batch *batch, const Images *images, const int *order, int from, int n)
{
    enum { PIXELS = SIDE * SIDE };
    for (int i = 0; i < n; i++) {
        int image = order != NULL ? order[from + i] : from + i;
        const unsigned char *pixels = images->pixels + (ptrdiff_t)image * PIXELS;
        float *x = batch->x + (ptrdiff_t)i * PIXELS;
        for (int p = 0; p < PIXELS; p++) { x[p] = (float)pixels[p] * batch->scale + batch->shift; }
        batch->labels[i] = images->labels[image];
    }
}

/* ---- The mathematics of the layers --------------------------------------------------------------------------------- */

static void forward(const MLP *model, Batch *batch, int n)
{
    const float *x = batch->x;
    for (int l = 0; l < model->n_layers; l++) {
        const Linear *layer = &model->layers[l];
        float *y = batch->signals[l].y;
        for (int i = 0; i < n; i++) { memcpy(y + (ptrdiff_t)i * layer->dout, layer->b, (size_t)layer->dout * sizeof *y); }
        multiply_add(y, x, layer->din, 1, layer->w, n, layer->din, layer->dout);
        if (l + 1 < model->n_layers) {
            for (int i = 0; i < n * layer->dout; i++) { y[i] = y[i] > 0 ? y[i] : 0; }
        }
        x = y;
    }
}

/* Return the class with the highest score for image i. */
static int guess(const Batch *batch, int i)
{
    const float *y = batch->signals[batch->n_layers - 1].y + (ptrdiff_t)i * CLASSES;
    int best = 0;
    for (int j = 1; j < CLASSES; j++) { best = y[j] > y[best] ? j : best; }
    return best;
}

#endif
