/* Trains a linear model on a GPU with AdamW: structs on the host, arrays on the device, one kernel for all parameters.
 *
 *     cc -std=c11 -O2 -I. -c examples/cuda/model.c -o model.o
 *     nvcc -std=c++17 -O2 -I. examples/cuda/adamw.cu model.o -o adamw && ./adamw
 *
 * Exits with 77 where there is no GPU. */
#include "model.h"
#include <cstdio>
#include <cuda_runtime.h>

enum { INPUTS = 64, OUTPUTS = 16, SAMPLES = 256, STEPS = 2000, THREADS = 256 };

/* ---- The device's memory -------------------------------------------------------------------------------------------- */

static void *device_allocate(void *, size_t bytes, size_t)     /* cudaMalloc aligns to 256 */
{
    void *p = nullptr;
    return cudaMalloc(&p, bytes) == cudaSuccess ? p : nullptr;
}
static void device_release(void *, void *p, size_t) { cudaFree(p); }
static bool device_copy(void *, void *to, const void *from, size_t bytes)
{
    return cudaMemcpy(to, from, bytes, cudaMemcpyDefault) == cudaSuccess;
}
static bool device_zero(void *, void *p, size_t bytes) { return cudaMemset(p, 0, bytes) == cudaSuccess; }

/* ---- Kernels -------------------------------------------------------------------------------------------------------- */

/* Inputs and targets are computed where they are needed: y = x A with a fixed matrix A. */
__host__ __device__ static float input(int sample, int i) { return (float)((sample * 37 + i * 101) % 211) / 211.0f - 0.5f; }
__host__ __device__ static float weight(int i, int o) { return (float)((i * 7 + o * 13) % 17) / 17.0f - 0.5f; }

/* error[sample, o] = model(x) - y */
__global__ static void forward(const float *w, const float *b, float *error)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x, sample = k / OUTPUTS, o = k % OUTPUTS;
    if (k >= SAMPLES * OUTPUTS) { return; }
    float sum = b[o];
    for (int i = 0; i < INPUTS; i++) { sum += input(sample, i) * (w[i * OUTPUTS + o] - weight(i, o)); }
    error[k] = sum;
}

/* Gradients of the mean squared error; row INPUTS of the grid is the bias. */
__global__ static void backward(const float *error, float *w, float *b)
{
    const int k = blockIdx.x * blockDim.x + threadIdx.x, i = k / OUTPUTS, o = k % OUTPUTS;
    if (k >= (INPUTS + 1) * OUTPUTS) { return; }
    float sum = 0;
    for (int s = 0; s < SAMPLES; s++) { sum += error[s * OUTPUTS + o] * (i == INPUTS ? 1 : input(s, i)); }
    (i == INPUTS ? b[o] : w[k]) = 2 * sum / (SAMPLES * OUTPUTS);
}

/* All parameters at once; the gaps between arrays are zeros, and stay so. */
__global__ static void adamw(float *p, const float *g, float *m, float *v, size_t n, float rate, float unbias1, float unbias2)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) { return; }
    m[i] = 0.9f * m[i] + 0.1f * g[i];
    v[i] = 0.999f * v[i] + 0.001f * g[i] * g[i];
    p[i] -= rate * (m[i] / unbias1 / (sqrtf(v[i] / unbias2) + 1e-8f) + 1e-4f * p[i]);
}

static unsigned blocks(size_t n) { return (unsigned)((n + THREADS - 1) / THREADS); }

/* ---- Training ------------------------------------------------------------------------------------------------------- */

static float *floats(pytree t, size_t *n)
{
    size_t bytes;
    float *const first = (float *)pytree_arrays(t, &bytes);
    *n = bytes / sizeof(float);
    return first;
}

static void train(pytree params, pytree grads, pytree m, pytree v, float *error)
{
    const Model *const model = (const Model *)params.data, *const g = (const Model *)grads.data;
    float beta1 = 1, beta2 = 1;
    size_t n;
    float *const p = floats(params, &n), *const dp = floats(grads, &n);
    float *const first = floats(m, &n), *const second = floats(v, &n);
    for (int step = 0; step < STEPS; step++) {
        beta1 *= 0.9f;
        beta2 *= 0.999f;
        forward<<<blocks(SAMPLES * OUTPUTS), THREADS>>>(model->w, model->b, error);
        backward<<<blocks((INPUTS + 1) * OUTPUTS), THREADS>>>(error, g->w, g->b);
        adamw<<<blocks(n), THREADS>>>(p, dp, first, second, n, 0.01f, 1 - beta1, 1 - beta2);
    }
}

int main()
{
    const pytree_device gpu = { device_allocate, device_release, device_copy, device_zero, nullptr };
    const pytree_device from_gpu = { nullptr, nullptr, device_copy, nullptr, nullptr };
    pytree_options there = {}, here = {};
    pytree_error err = {};
    Model model = { INPUTS, OUTPUTS, nullptr, nullptr };
    float *error = nullptr, far = 0;
    int devices = 0;
    there.memory = &gpu;
    here.memory = &from_gpu;
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) {
        std::puts("no GPU");
        return 77;
    }
    if (pytree_allocate(model_tree(&model), nullptr, &err) != PYTREE_OK
        || cudaMalloc((void **)&error, SAMPLES * OUTPUTS * sizeof(float)) != cudaSuccess) {
        pytree_error_print(stderr, &err);
        return 1;
    }
    pytree params = pytree_clone(model_tree(&model), &there, &err);                /* upload */
    pytree grads = pytree_zeros_like(params, &there, &err);
    pytree m = pytree_zeros_like(params, &there, &err), v = pytree_zeros_like(params, &there, &err);
    if (err.status == PYTREE_OK) { train(params, grads, m, v, error); }
    pytree trained = pytree_clone(params, &here, &err);                            /* download */
    pytree_error_print(stderr, &err);
    if (err.status == PYTREE_OK) {
        const Model *const result = (const Model *)trained.data;
        for (int k = 0; k < INPUTS * OUTPUTS; k++) {
            const float apart = fabsf(result->w[k] - weight(k / OUTPUTS, k % OUTPUTS));
            if (apart > far) { far = apart; }
        }
        std::printf("largest error of a weight: %g\n", (double)far);
    }
    pytree_free(trained);
    pytree_free(v);
    pytree_free(m);
    pytree_free(grads);
    pytree_free(params);
    pytree_free(model_tree(&model));
    cudaFree(error);
    return err.status == PYTREE_OK && far < 0.1f ? 0 : 1;
}
