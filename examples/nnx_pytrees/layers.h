/* layers.h: layers of Flax NNX as structs whose rows have roles, with their gradients: Linear, BatchNorm, Dropout; relu, gelu,
 * the mean squared error. Activations are (rows, features). Arithmetic is in float, and sums are in the order of indices. */
#ifndef NNX_LAYERS_H
#define NNX_LAYERS_H

#include "pytree/state.h"

#include <math.h>
#include <string.h>

/* ---- nnx.Linear: y = x kernel + bias ---------------------------------------------------------------------------------- */

typedef struct Linear {
    int    din, dout;
    float *kernel;                        /* (din, dout) */
    float *bias;                          /* (dout,), or NULL */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, kernel, ARRAY(self->din, self->dout), ROLE(Param))                                               \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dout), OPTIONAL, ROLE(Param))
#include "pytree_registry.h"

static inline void linear(const Linear *l, const float *x, float *y, int rows)
{
    for (int r = 0; r < rows; r++) {
        for (int o = 0; o < l->dout; o++) {
            float sum = 0;
            for (int i = 0; i < l->din; i++) { sum += x[r * l->din + i] * l->kernel[i * l->dout + o]; }
            y[r * l->dout + o] = l->bias == NULL ? sum : sum + l->bias[o];
        }
    }
}

/* Add the gradients of the parameters, and write that of x (NULL: not wanted), from that of y. */
static inline void linear_back(const Linear *l, Linear *grad, const float *x, const float *dy, float *dx, int rows)
{
    for (int r = 0; r < rows; r++) {
        for (int o = 0; o < l->dout; o++) {
            const float d = dy[r * l->dout + o];
            for (int i = 0; i < l->din; i++) { grad->kernel[i * l->dout + o] += x[r * l->din + i] * d; }
            if (grad->bias != NULL) { grad->bias[o] += d; }
        }
        for (int i = 0; dx != NULL && i < l->din; i++) {
            float sum = 0;
            for (int o = 0; o < l->dout; o++) { sum += dy[r * l->dout + o] * l->kernel[i * l->dout + o]; }
            dx[r * l->din + i] = sum;
        }
    }
}

/* ---- nnx.BatchNorm, momentum 0.99, epsilon 1e-5 ---------------------------------------------------------------------- */

enum { MOST_FEATURES = 32 };

typedef struct BatchNorm {
    int    n;
    bool   use_running_average;
    float *scale, *bias, *mean, *var;     /* (n,) */
} BatchNorm;

#define PYTREE_STRUCT BatchNorm
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(STATIC, use_running_average)                                                                           \
    PYTREE_FIELD(DATA, scale, ARRAY(self->n), ROLE(Param))                                                              \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n), ROLE(Param))                                                               \
    PYTREE_FIELD(DATA, mean, ARRAY(self->n), ROLE(BatchStat))                                                           \
    PYTREE_FIELD(DATA, var, ARRAY(self->n), ROLE(BatchStat))
#include "pytree_registry.h"

/* What a call keeps for its gradient. */
typedef struct Normed { float mean[MOST_FEATURES], inverse[MOST_FEATURES]; } Normed;

static inline void batch_norm(BatchNorm *bn, const float *x, float *y, int rows, Normed *kept)
{
    for (int k = 0; k < bn->n; k++) {
        float mean = bn->mean[k], var = bn->var[k];
        if (!bn->use_running_average) {
            float sum = 0, square = 0;
            for (int r = 0; r < rows; r++) {
                sum += x[r * bn->n + k];
                square += x[r * bn->n + k] * x[r * bn->n + k];
            }
            mean = sum / (float)rows;
            var = fmaxf(0, square / (float)rows - mean * mean);
            bn->mean[k] = 0.99f * bn->mean[k] + 0.01f * mean;
            bn->var[k] = 0.99f * bn->var[k] + 0.01f * var;
        }
        kept->mean[k] = mean;
        kept->inverse[k] = 1 / sqrtf(var + 1e-5f);
        for (int r = 0; r < rows; r++) {
            y[r * bn->n + k] = (x[r * bn->n + k] - mean) * (kept->inverse[k] * bn->scale[k]) + bn->bias[k];
        }
    }
}

static inline void batch_norm_back(const BatchNorm *bn, BatchNorm *grad, const float *x, const float *dy, float *dx, int rows,
                                   const Normed *kept)
{
    for (int k = 0; k < bn->n; k++) {
        float sum = 0, product = 0;
        for (int r = 0; r < rows; r++) {
            const float unit = (x[r * bn->n + k] - kept->mean[k]) * kept->inverse[k];
            sum += dy[r * bn->n + k];
            product += dy[r * bn->n + k] * unit;
        }
        grad->bias[k] += sum;
        grad->scale[k] += product;
        for (int r = 0; r < rows; r++) {
            const float unit = (x[r * bn->n + k] - kept->mean[k]) * kept->inverse[k];
            dx[r * bn->n + k] = bn->scale[k] * kept->inverse[k]
                * (dy[r * bn->n + k] - sum / (float)rows - unit * product / (float)rows);
        }
    }
}

/* ---- nnx.Dropout ------------------------------------------------------------------------------------------------------ */

typedef struct Dropout {
    float rate;
    bool  deterministic;
} Dropout;

#define PYTREE_STRUCT Dropout
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, rate) PYTREE_FIELD(STATIC, deterministic)
#include "pytree_registry.h"

/* y = x / (1 - rate) where the mask is set, otherwise 0. Its own gradient: call it with dy. */
static inline void dropout(const Dropout *d, const bool *mask, const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) { y[i] = d->deterministic ? x[i] : mask[i] ? x[i] / (1 - d->rate) : 0; }
}

/* ---- Functions -------------------------------------------------------------------------------------------------------- */

static inline void relu(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) { y[i] = x[i] > 0 ? x[i] : 0; }
}

static inline void relu_back(const float *x, const float *dy, float *dx, int n)
{
    for (int i = 0; i < n; i++) { dx[i] = x[i] > 0 ? dy[i] : 0; }
}

/* The form with tanh, as nnx.gelu. */
static inline void gelu(const float *x, float *y, int n)
{
    for (int i = 0; i < n; i++) { y[i] = 0.5f * x[i] * (1 + tanhf(0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]))); }
}

static inline void gelu_back(const float *x, const float *dy, float *dx, int n)
{
    for (int i = 0; i < n; i++) {
        const float t = tanhf(0.7978845608f * (x[i] + 0.044715f * x[i] * x[i] * x[i]));
        dx[i] = dy[i] * (0.5f * (1 + t) + 0.5f * x[i] * (1 - t * t) * 0.7978845608f * (1 + 3 * 0.044715f * x[i] * x[i]));
    }
}

static inline float mean_of(const float *x, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) { sum += x[i]; }
    return sum / (float)n;
}

/* The mean of (y - target)^2, and its gradient. */
static inline float mean_squared_error(const float *y, const float *target, float *dy, int n)
{
    float sum = 0;
    for (int i = 0; i < n; i++) {
        sum += (y[i] - target[i]) * (y[i] - target[i]);
        dy[i] = 2 * (y[i] - target[i]) / (float)n;
    }
    return sum / (float)n;
}
#endif
