/* batchnorm_cnn_layers.h: the layers of batchnorm_cnn.c: convolution, batch normalisation, dropout, a dense layer, with their
 * gradients. Activations are (image, row, column, channel).
 *
 * Work on a minibatch is split into CHUNKS parts, whatever the number of threads, and sums over them are added in order: the
 * result does not depend on the number of threads. */
#ifndef BATCHNORM_CNN_LAYERS_H
#define BATCHNORM_CNN_LAYERS_H

#include "pytree/state.h"

#include <math.h>
#include <string.h>

enum { CHUNKS = 8, TAPS = 9, C1 = 16, C2 = 32, MOST_CHANNELS = C2 };       /* channels of the two blocks */

#if defined(_OPENMP)
#define EACH_CHUNK(c) _Pragma("omp parallel for schedule(dynamic)") for (int c = 0; c < CHUNKS; c++)
#define SIMD _Pragma("omp simd")          /* compilers would rather unroll a loop of 16 */
#else
#define SIMD
#define EACH_CHUNK(c) for (int c = 0; c < CHUNKS; c++)
#endif
#define FIRST(c, n) ((size_t)(n) * (size_t)(c) / CHUNKS)       /* of n things, those of a chunk */

/* ---- The structs --------------------------------------------------------------------------------------------------- */

typedef struct Conv {                     /* 3 x 3, same size */
    int    din, dout;
    float *kernel;                        /* (TAPS, din, dout) */
} Conv;

#define PYTREE_STRUCT Conv
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, kernel, ARRAY(TAPS, self->din, self->dout), ROLE(Param))
#include "pytree_registry.h"

typedef struct BatchNorm {
    int    n;
    bool   use_running_average;
    float *scale, *bias;                  /* (n,) */
    float *mean, *var;                    /* (n,) running averages */
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

typedef struct Dropout {
    float    rate;
    bool     deterministic;
    uint64_t key;
    uint64_t count;                       /* masks drawn so far */
} Dropout;

#define PYTREE_STRUCT Dropout
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, rate)                                                                                          \
    PYTREE_FIELD(STATIC, deterministic)                                                                                 \
    PYTREE_FIELD(DATA, key, ROLE(RngKey))                                                                               \
    PYTREE_FIELD(DATA, count, ROLE(RngCount))
#include "pytree_registry.h"

typedef struct Dense {
    int    din, dout;
    float *kernel, *bias;                 /* (din, dout), (dout,) */
} Dense;

#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, kernel, ARRAY(self->din, self->dout), ROLE(Param))                                               \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dout), ROLE(Param))
#include "pytree_registry.h"

/* ---- Random numbers ------------------------------------------------------------------------------------------------- */

/* A hash of a number (splitmix64). */
static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9E3779B97F4A7C15);
    x = (x ^ x >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    x = (x ^ x >> 27) * UINT64_C(0x94D049BB133111EB);
    return x ^ x >> 31;
}

/* In [0, 1). */
static float uniform(uint64_t stream, uint64_t i) { return (float)(mixed(stream ^ mixed(i)) >> 40) * (1.0f / 16777216); }

/* ---- Convolution ----------------------------------------------------------------------------------------------------- */

/* Is tap 0 … 8 around a pixel in the image? */
static inline bool tap_inside(int side, int row, int column, int tap)
{
    const int r = row + tap / 3 - 1, c = column + tap % 3 - 1;
    return r >= 0 && r < side && c >= 0 && c < side;
}

/* y = convolution of one image. Inlined with constants, so that the sums of a pixel stay in registers. */
static inline void convolve_image(const float *kernel, const float *x, float *y, int side, int din, int dout)
{
    for (int pixel = 0; pixel < side * side; pixel++) {
        float sum[MOST_CHANNELS] = { 0 };
        for (int tap = 0; tap < TAPS; tap++) {
            const float *in = x + (pixel + (tap / 3 - 1) * side + tap % 3 - 1) * din, *w = kernel + tap * din * dout;
            if (!tap_inside(side, pixel / side, pixel % side, tap)) { continue; }
            for (int i = 0; i < din; i++) {
                SIMD for (int o = 0; o < dout; o++) { sum[o] += in[i] * w[i * dout + o]; }
            }
        }
        memcpy(y + pixel * dout, sum, sizeof(float) * (size_t)dout);
    }
}

/* Add the gradient of the kernel for one image. */
static inline void convolve_kernel_image(float *restrict dkernel, const float *x, const float *dy, int side, int din, int dout)
{
    for (int tap = 0; tap < TAPS; tap++) {
        for (int i = 0; i < din; i++) {
            float sum[MOST_CHANNELS] = { 0 };
            for (int pixel = 0; pixel < side * side; pixel++) {
                const float in = !tap_inside(side, pixel / side, pixel % side, tap) ? 0
                    : x[(pixel + (tap / 3 - 1) * side + tap % 3 - 1) * din + i];
                SIMD for (int o = 0; o < dout; o++) { sum[o] += in * dy[pixel * dout + o]; }
            }
            for (int o = 0; o < dout; o++) { dkernel[(tap * din + i) * dout + o] += sum[o]; }
        }
    }
}

/* y = convolution of x. The numbers of channels are those of the network. */
static void convolve(const float *kernel, const float *x, float *y, int images, int side, int din, int dout)
{
    EACH_CHUNK(c) {
        for (size_t image = FIRST(c, images); image < FIRST(c + 1, images); image++) {
            const float *xi = x + image * (size_t)(side * side * din);
            float *yi = y + image * (size_t)(side * side * dout);
            if (din == 1) { convolve_image(kernel, xi, yi, side, 1, C1); }
            else if (din == C1) { convolve_image(kernel, xi, yi, side, C1, C2); }
            else { convolve_image(kernel, xi, yi, side, C2, C1); }
        }
    }
}

/* Add the gradient of the kernel, from that of y. */
static void convolve_kernel(float *dkernel, const float *x, const float *dy, int images, int side, int din, int dout)
{
    static float sums[CHUNKS][TAPS * MOST_CHANNELS * MOST_CHANNELS];
    EACH_CHUNK(c) {
        memset(sums[c], 0, sizeof sums[c]);
        for (size_t image = FIRST(c, images); image < FIRST(c + 1, images); image++) {
            const float *xi = x + image * (size_t)(side * side * din), *dyi = dy + image * (size_t)(side * side * dout);
            if (din == 1) { convolve_kernel_image(sums[c], xi, dyi, side, 1, C1); }
            else { convolve_kernel_image(sums[c], xi, dyi, side, C1, C2); }
        }
    }
    for (int c = 0; c < CHUNKS; c++) {
        for (int i = 0; i < TAPS * din * dout; i++) { dkernel[i] += sums[c][i]; }
    }
}

/* dx, from the gradient of y: a convolution with the kernel turned around. */
static void convolve_input(const float *kernel, float *dx, const float *dy, int images, int side, int din, int dout)
{
    static float turned[TAPS * MOST_CHANNELS * MOST_CHANNELS];
    for (int tap = 0; tap < TAPS; tap++) {
        for (int i = 0; i < din; i++) {
            for (int o = 0; o < dout; o++) {
                turned[((TAPS - 1 - tap) * dout + o) * din + i] = kernel[(tap * din + i) * dout + o];
            }
        }
    }
    convolve(turned, dy, dx, images, side, dout, din);
}

/* ---- Batch normalisation, relu, pooling ----------------------------------------------------------------------------- */

/* What a layer keeps for its gradient. */
typedef struct Normed { float mean[MOST_CHANNELS], inverse[MOST_CHANNELS]; } Normed;

/* Sums of a[i] and of a[i] * b[i] for each channel, in double, in the same order always. */
static void channel_sums(const float *a, const float *b, size_t rows, int n, double sum[MOST_CHANNELS],
                         double product[MOST_CHANNELS])
{
    static double parts[CHUNKS][2][MOST_CHANNELS];
    EACH_CHUNK(c) {
        memset(parts[c], 0, sizeof parts[c]);
        for (size_t r = FIRST(c, rows); r < FIRST(c + 1, rows); r++) {
            for (int k = 0; k < n; k++) {
                parts[c][0][k] += (double)a[r * (size_t)n + (size_t)k];
                parts[c][1][k] += (double)a[r * (size_t)n + (size_t)k] * (double)b[r * (size_t)n + (size_t)k];
            }
        }
    }
    for (int k = 0; k < n; k++) {
        sum[k] = product[k] = 0;
        for (int c = 0; c < CHUNKS; c++) { sum[k] += parts[c][0][k]; product[k] += parts[c][1][k]; }
    }
}

/* y = relu(normalised x); the running averages move unless they are used. */
static void normalise(BatchNorm *bn, const float *x, float *y, size_t rows, Normed *kept)
{
    double sum[MOST_CHANNELS], square[MOST_CHANNELS];
    if (!bn->use_running_average) { channel_sums(x, x, rows, bn->n, sum, square); }
    for (int k = 0; k < bn->n; k++) {
        double mean = (double)bn->mean[k], var = (double)bn->var[k];
        if (!bn->use_running_average) {
            mean = sum[k] / (double)rows;
            var = fmax(0, square[k] / (double)rows - mean * mean);
            bn->mean[k] = (float)(0.9 * (double)bn->mean[k] + 0.1 * mean);
            bn->var[k] = (float)(0.9 * (double)bn->var[k] + 0.1 * var);
        }
        kept->mean[k] = (float)mean;
        kept->inverse[k] = (float)(1 / sqrt(var + 1e-5));
    }
    EACH_CHUNK(c) {
        for (size_t r = FIRST(c, rows); r < FIRST(c + 1, rows); r++) {
            for (int k = 0; k < bn->n; k++) {
                const size_t i = r * (size_t)bn->n + (size_t)k;
                const float v = (x[i] - kept->mean[k]) * kept->inverse[k] * bn->scale[k] + bn->bias[k];
                y[i] = v > 0 ? v : 0;
            }
        }
    }
}

/* Turn dy, the gradient behind the relu, into that of x, and add those of scale and bias. */
static void normalise_back(const BatchNorm *bn, BatchNorm *grads, const float *x, const float *y, float *dy, size_t rows,
                           const Normed *kept)
{
    double sum[MOST_CHANNELS], product[MOST_CHANNELS];
    EACH_CHUNK(c) {
        for (size_t i = FIRST(c, rows) * (size_t)bn->n; i < FIRST(c + 1, rows) * (size_t)bn->n; i++) {
            dy[i] = y[i] > 0 ? dy[i] : 0;
        }
    }
    channel_sums(dy, x, rows, bn->n, sum, product);
    for (int k = 0; k < bn->n; k++) {     /* product becomes that with the normalised x */
        product[k] = (product[k] - (double)kept->mean[k] * sum[k]) * (double)kept->inverse[k];
        grads->bias[k] += (float)sum[k];
        grads->scale[k] += (float)product[k];
    }
    EACH_CHUNK(c) {
        for (size_t r = FIRST(c, rows); r < FIRST(c + 1, rows); r++) {
            for (int k = 0; k < bn->n; k++) {
                const size_t i = r * (size_t)bn->n + (size_t)k;
                const float unit = (x[i] - kept->mean[k]) * kept->inverse[k];
                dy[i] = bn->scale[k] * kept->inverse[k]
                    * (dy[i] - (float)(sum[k] / (double)rows) - unit * (float)(product[k] / (double)rows));
            }
        }
    }
}

static inline float larger(float a, float b) { return a > b ? a : b; }

/* The largest of each 2 x 2 pixels. */
static void pool(const float *x, float *y, int images, int side, int n)
{
    const int half = side / 2;
    EACH_CHUNK(c) {
        for (size_t image = FIRST(c, images); image < FIRST(c + 1, images); image++) {
            for (int p = 0; p < half * half; p++) {
                const int corner = p / half * 2 * side + p % half * 2;
                const float *in = x + (image * (size_t)(side * side) + (size_t)corner) * (size_t)n;
                float *out = y + (image * (size_t)(half * half) + (size_t)p) * (size_t)n;
                for (int k = 0; k < n; k++) {
                    out[k] = larger(larger(in[k], in[n + k]), larger(in[side * n + k], in[(side + 1) * n + k]));
                }
            }
        }
    }
}

/* dx, from dy: to the first of the largest. */
static void pool_back(const float *x, const float *y, float *dx, const float *dy, int images, int side, int n)
{
    const int half = side / 2, at[4] = { 0, n, side * n, (side + 1) * n };
    EACH_CHUNK(c) {
        for (size_t image = FIRST(c, images); image < FIRST(c + 1, images); image++) {
            for (int p = 0; p < half * half; p++) {
                const size_t in = (image * (size_t)(side * side) + (size_t)(p / half * 2 * side + p % half * 2)) * (size_t)n;
                const size_t out = (image * (size_t)(half * half) + (size_t)p) * (size_t)n;
                for (int k = 0; k < n; k++) {
                    float left = dy[out + (size_t)k];
                    for (int j = 0; j < 4; j++) {
                        const size_t i = in + (size_t)(at[j] + k);
                        dx[i] = x[i] == y[out + (size_t)k] ? left : 0;
                        left -= dx[i];
                    }
                }
            }
        }
    }
}
#endif
