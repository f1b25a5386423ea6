/* batchnorm_cnn_layers.h: the layers of batchnorm_cnn.c: convolution, pooling, and a batch normalisation of images by several
 * threads, with their gradients. The structs of the other layers are those of nnx_pytrees/layers.h. Activations are (image,
 * row, column, channel).
 *
 * Work on a minibatch is split into CHUNKS parts, whatever the number of threads, and sums over them are added in order: the
 * result does not depend on the number of threads. */
#ifndef BATCHNORM_CNN_LAYERS_H
#define BATCHNORM_CNN_LAYERS_H

#include "nnx_pytrees/layers.h"

enum { CHUNKS = 8, TAPS = 9, C1 = 16, C2 = 32, MOST_CHANNELS = MOST_FEATURES };    /* C1, C2: channels of the two blocks */
enum { TOGETHER = 4 };                    /* sums that run side by side: one waits for its last addition */

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

/* The random numbers of a layer: its key, and how many masks have been drawn. */
typedef struct Stream { uint64_t key, count; } Stream;

#define PYTREE_STRUCT Stream
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, key, ROLE(RngKey))                                                                               \
    PYTREE_FIELD(DATA, count, ROLE(RngCount))
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

/* y = convolution of one image. Inlined with constants, so that the sums of a pixel stay in registers; `block` divides din. */
static inline void convolve_image(const float *kernel, const float *x, float *y, int side, int din, int dout, int block)
{
    for (int pixel = 0; pixel < side * side; pixel++) {
        float sum[TOGETHER][MOST_CHANNELS] = { { 0 } };
        for (int tap = 0; tap < TAPS; tap++) {
            const float *in = x + (pixel + (tap / 3 - 1) * side + tap % 3 - 1) * din, *w = kernel + tap * din * dout;
            if (!tap_inside(side, pixel / side, pixel % side, tap)) { continue; }
            for (int i = 0; i < din; i += block) {
                for (int k = 0; k < block; k++) {
                    SIMD for (int o = 0; o < dout; o++) { sum[k][o] += in[i + k] * w[(i + k) * dout + o]; }
                }
            }
        }
        for (int k = 1; k < block; k++) {
            SIMD for (int o = 0; o < dout; o++) { sum[0][o] += sum[k][o]; }
        }
        memcpy(y + pixel * dout, sum[0], sizeof(float) * (size_t)dout);
    }
}

/* Add the gradient of the kernel for one image: `block` channels of x at a time, over the pixels that have the tap. */
static inline void convolve_kernel_image(float *restrict dkernel, const float *x, const float *dy, int side, int din, int dout,
                                         int block)
{
    for (int tap = 0; tap < TAPS; tap++) {
        const int down = tap / 3 - 1, right = tap % 3 - 1;
        const int top = down < 0, bottom = side - (down > 0), left = right < 0, end = side - (right > 0);
        for (int i = 0; i < din; i += block) {
            float sum[TOGETHER][MOST_CHANNELS] = { { 0 } };
            for (int row = top; row < bottom; row++) {
                for (int column = left; column < end; column++) {
                    const float *in = x + ((row + down) * side + column + right) * din + i;
                    const float *d = dy + (row * side + column) * dout;
                    for (int k = 0; k < block; k++) {
                        SIMD for (int o = 0; o < dout; o++) { sum[k][o] += in[k] * d[o]; }
                    }
                }
            }
            for (int k = 0; k < block; k++) {
                for (int o = 0; o < dout; o++) { dkernel[(tap * din + i + k) * dout + o] += sum[k][o]; }
            }
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
            if (din == 1) { convolve_image(kernel, xi, yi, side, 1, C1, 1); }
            else if (din == C1) { convolve_image(kernel, xi, yi, side, C1, C2, TOGETHER); }
            else { convolve_image(kernel, xi, yi, side, C2, C1, TOGETHER); }
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
            if (din == 1) { convolve_kernel_image(sums[c], xi, dyi, side, 1, C1, 1); }
            else { convolve_kernel_image(sums[c], xi, dyi, side, C1, C2, TOGETHER); }
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
