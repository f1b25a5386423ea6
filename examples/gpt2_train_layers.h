/* gpt2_train_layers.h: the mathematics of GPT-2: each layer forward and backward, the loss, and both for the whole model.
 *
 * Arrays of tokens are (n, channels). Each backward function gets the gradient of its output and writes, or adds where it says
 * so, that of its input; gradients of parameters are added to those in a tree of the model's structure. */
#ifndef GPT2_TRAIN_LAYERS_H
#define GPT2_TRAIN_LAYERS_H

#include "gpt2_train_model.h"

#include <string.h>

static void transpose(Real *restrict to, const Real *restrict from, int rows, int columns)
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < columns; j++) { to[(ptrdiff_t)j * rows + i] = from[(ptrdiff_t)i * columns + j]; }
    }
}

static void clear(Real *x, ptrdiff_t n) { memset(x, 0, (size_t)n * sizeof *x); }

/* ---- Linear -------------------------------------------------------------------------------------------------------- */

static void linear_forward(const Linear *layer, Real *y, const Real *x, int n)
{
    for (int i = 0; i < n; i++) { memcpy(y + (ptrdiff_t)i * layer->dout, layer->bias, (size_t)layer->dout * sizeof *y); }
    multiply_add(y, x, layer->din, 1, layer->weight, n, layer->din, layer->dout);
}

static void linear_backward(const Linear *layer, Linear *gradient, Real *dx, const Real *dy, const Real *x, int n,
                            Real *transposed)
{
    const int din = layer->din, dout = layer->dout;
    multiply_add(gradient->weight, x, 1, din, dy, din, n, dout);
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < dout; j++) { gradient->bias[j] += dy[(ptrdiff_t)i * dout + j]; }
    }
    transpose(transposed, layer->weight, din, dout);
    clear(dx, (ptrdiff_t)n * din);
    multiply_add(dx, dy, dout, 1, transposed, n, dout, din);
}

/* ---- Layer norm ---------------------------------------------------------------------------------------------------- */

static void norm_forward(const LayerNorm *layer, Real *y, Real *stats, const Real *x, int n)
{
    const int c = layer->dim;
    for (int i = 0; i < n; i++, x += c, y += c, stats += 2) {
        Real mean = 0, variance = 0;
        for (int j = 0; j < c; j++) { mean += x[j]; }
        mean /= (Real)c;
        for (int j = 0; j < c; j++) { variance += (x[j] - mean) * (x[j] - mean); }
        stats[0] = mean;
        stats[1] = 1 / sqrt(variance / (Real)c + (Real)1e-5);
        for (int j = 0; j < c; j++) { y[j] = (x[j] - mean) * stats[1] * layer->weight[j] + layer->bias[j]; }
    }
}

/* Add to dx. */
static void norm_backward(const LayerNorm *layer, LayerNorm *gradient, Real *dx, const Real *dy, const Real *x,
                          const Real *stats, int n)
{
    const int c = layer->dim;
    for (int i = 0; i < n; i++, x += c, dx += c, dy += c, stats += 2) {
        Real sum = 0, product = 0;
        for (int j = 0; j < c; j++) {
            const Real normal = (x[j] - stats[0]) * stats[1], d = dy[j] * layer->weight[j];
            gradient->weight[j] += dy[j] * normal;
            gradient->bias[j] += dy[j];
            sum += d;
            product += d * normal;
        }
        for (int j = 0; j < c; j++) {
            const Real normal = (x[j] - stats[0]) * stats[1], d = dy[j] * layer->weight[j];
            dx[j] += stats[1] * (d - (sum + normal * product) / (Real)c);
        }
    }
}

/* ---- GELU ---------------------------------------------------------------------------------------------------------- */

/* GPT-2's: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))). */
static const Real gelu_scale = (Real)0.79788456080286535588, gelu_cube = (Real)0.044715;

static void gelu_forward(Real *y, const Real *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        y[i] = x[i] / 2 * (1 + tanh(gelu_scale * (x[i] + gelu_cube * x[i] * x[i] * x[i])));
    }
}

/* Turn the gradient of the output into that of the input. */
static void gelu_backward(Real *d, const Real *x, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) {
        const Real t = tanh(gelu_scale * (x[i] + gelu_cube * x[i] * x[i] * x[i]));
        d[i] *= (1 + t) / 2 + x[i] / 2 * (1 - t * t) * gelu_scale * (1 + 3 * gelu_cube * x[i] * x[i]);
    }
}

/* ---- Attention ----------------------------------------------------------------------------------------------------- */

static Real dot(const Real *a, const Real *b, int n)
{
    Real sum = 0;
    for (int i = 0; i < n; i++) { sum += a[i] * b[i]; }
    return sum;
}

static void add_scaled(Real *y, Real a, const Real *x, int n)
{
    for (int i = 0; i < n; i++) { y[i] += a * x[i]; }
}

/* Make weights of n scores: exponentials that sum up to 1. */
static void softmax(Real *x, int n)
{
    Real high = x[0], sum = 0;
    for (int i = 1; i < n; i++) { high = x[i] > high ? x[i] : high; }
    for (int i = 0; i < n; i++) { sum += x[i] = exp(x[i] - high); }
    for (int i = 0; i < n; i++) { x[i] /= sum; }
}

/* Mix the values of the tokens up to each one, for each head. */
static void attend_forward(BlockPass *p, int sequences, int length)
{
    const int c = p->channels, size = c / p->heads, row = 3 * c;
    const Real scale = 1 / sqrt((Real)size);
    clear(p->mix, (ptrdiff_t)sequences * length * c);
    for (int at = 0; at < sequences * length; at++) {
        const int first = at - at % length, n = at % length + 1;
        for (int head = 0; head < p->heads; head++) {
            const Real *query = p->qkv + (ptrdiff_t)at * row + head * size;
            const Real *key = p->qkv + (ptrdiff_t)first * row + c + head * size;
            Real *weight = p->attention + ((ptrdiff_t)at * p->heads + head) * p->context;
            for (int i = 0; i < n; i++) { weight[i] = dot(query, key + (ptrdiff_t)i * row, size) * scale; }
            softmax(weight, n);
            for (int i = 0; i < n; i++) {
                add_scaled(p->mix + (ptrdiff_t)at * c + head * size, weight[i], key + (ptrdiff_t)i * row + c, size);
            }
        }
    }
}

/* Write the gradient of p->qkv, of which dmix is that of the mixes. */
static void attend_backward(const BlockPass *p, Real *dqkv, const Real *dmix, int sequences, int length)
{
    const int c = p->channels, size = c / p->heads, row = 3 * c;
    const Real scale = 1 / sqrt((Real)size);
    clear(dqkv, (ptrdiff_t)sequences * length * row);
    for (int at = 0; at < sequences * length; at++) {
        const int first = at - at % length, n = at % length + 1;
        for (int head = 0; head < p->heads; head++) {
            const ptrdiff_t query = (ptrdiff_t)at * row + head * size, key = (ptrdiff_t)first * row + c + head * size;
            const Real *weight = p->attention + ((ptrdiff_t)at * p->heads + head) * p->context;
            const Real *d = dmix + (ptrdiff_t)at * c + head * size;
            const Real mean = dot(d, p->mix + (ptrdiff_t)at * c + head * size, size);      /* of the gradients of the weights */
            for (int i = 0; i < n; i++) {
                const ptrdiff_t other = key + (ptrdiff_t)i * row;
                const Real dscore = weight[i] * (dot(d, p->qkv + other + c, size) - mean) * scale;
                add_scaled(dqkv + other + c, weight[i], d, size);
                add_scaled(dqkv + query, dscore, p->qkv + other, size);
                add_scaled(dqkv + other, dscore, p->qkv + query, size);
            }
        }
    }
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------- */

/* Write what follows block p->x to `next`. */
static void block_forward(const Block *block, BlockPass *p, Real *next, int sequences, int length)
{
    const int n = sequences * length, c = p->channels;
    norm_forward(&block->ln_1, p->norm_1, p->stats_1, p->x, n);
    linear_forward(&block->attn.c_attn, p->qkv, p->norm_1, n);
    attend_forward(p, sequences, length);
    linear_forward(&block->attn.c_proj, p->middle, p->mix, n);
    add_scaled(p->middle, 1, p->x, n * c);
    norm_forward(&block->ln_2, p->norm_2, p->stats_2, p->middle, n);
    linear_forward(&block->mlp.c_fc, p->wide, p->norm_2, n);
    gelu_forward(p->gelu, p->wide, (ptrdiff_t)n * 4 * c);
    linear_forward(&block->mlp.c_proj, next, p->gelu, n);
    add_scaled(next, 1, p->middle, n * c);
}

/* Turn pass->dx, the gradient of what follows block i, into that of what it got. */
static void block_backward(const Block *block, Block *gradient, Pass *pass, int i)
{
    const BlockPass *p = &pass->h[i];
    const int n = pass->sequences * pass->length, c = p->channels;
    linear_backward(&block->mlp.c_proj, &gradient->mlp.c_proj, pass->dwide, pass->dx, p->gelu, n, pass->transposed);
    gelu_backward(pass->dwide, p->wide, (ptrdiff_t)n * 4 * c);
    linear_backward(&block->mlp.c_fc, &gradient->mlp.c_fc, pass->dnorm, pass->dwide, p->norm_2, n, pass->transposed);
    norm_backward(&block->ln_2, &gradient->ln_2, pass->dx, pass->dnorm, p->middle, p->stats_2, n);
    linear_backward(&block->attn.c_proj, &gradient->attn.c_proj, pass->dnorm, pass->dx, p->mix, n, pass->transposed);
    attend_backward(p, pass->dwide, pass->dnorm, pass->sequences, pass->length);
    linear_backward(&block->attn.c_attn, &gradient->attn.c_attn, pass->dnorm, pass->dwide, p->norm_1, n, pass->transposed);
    norm_backward(&block->ln_1, &gradient->ln_1, pass->dx, pass->dnorm, p->x, p->stats_1, n);
}

/* ---- The model ----------------------------------------------------------------------------------------------------- */

/* Compute the scores of each token's successor. */
static void forward(const GPT *model, Pass *pass)
{
    const int n = pass->sequences * pass->length, c = pass->channels;
    Real *x = model->n_layer > 0 ? pass->h[0].x : pass->x;
    for (int i = 0; i < n; i++) {
        const Real *token = model->wte.weight + (ptrdiff_t)pass->tokens[i] * c;
        const Real *place = model->wpe.weight + (ptrdiff_t)(i % pass->length) * c;
        for (int j = 0; j < c; j++) { x[(ptrdiff_t)i * c + j] = token[j] + place[j]; }
    }
    for (int i = 0; i < model->n_layer; i++) {
        block_forward(&model->h[i], &pass->h[i], i + 1 < model->n_layer ? pass->h[i + 1].x : pass->x, pass->sequences,
                      pass->length);
    }
    norm_forward(&model->ln_f, pass->norm, pass->stats, pass->x, n);
    transpose(pass->transposed, model->wte.weight, pass->vocabulary, c);
    clear(pass->scores, (ptrdiff_t)n * pass->vocabulary);
    multiply_add(pass->scores, pass->norm, c, 1, pass->transposed, n, c, pass->vocabulary);
}

/* Return the mean cross-entropy of the targets, and turn the scores into its gradient. */
static double loss_and_gradient(Pass *pass)
{
    const int n = pass->sequences * pass->length;
    double loss = 0;
    for (int i = 0; i < n; i++) {
        Real *row = pass->scores + (ptrdiff_t)i * pass->vocabulary;
        softmax(row, pass->vocabulary);
        loss -= log((double)row[pass->targets[i]] + 1e-30);
        row[pass->targets[i]] -= 1;
        for (int j = 0; j < pass->vocabulary; j++) { row[j] /= (Real)n; }
    }
    return loss / n;
}

/* Add the gradients of all parameters, after forward and loss_and_gradient. */
static void backward(const GPT *model, GPT *gradient, Pass *pass)
{
    const int n = pass->sequences * pass->length, c = pass->channels, vocabulary = pass->vocabulary;
    multiply_add(gradient->wte.weight, pass->scores, 1, vocabulary, pass->norm, vocabulary, n, c);
    clear(pass->dnorm, (ptrdiff_t)n * c);
    multiply_add(pass->dnorm, pass->scores, vocabulary, 1, model->wte.weight, n, vocabulary, c);
    clear(pass->dx, (ptrdiff_t)n * c);
    norm_backward(&model->ln_f, &gradient->ln_f, pass->dx, pass->dnorm, pass->x, pass->stats, n);
    for (int i = model->n_layer - 1; i >= 0; i--) { block_backward(&model->h[i], &gradient->h[i], pass, i); }
    for (int i = 0; i < n; i++) {
        add_scaled(gradient->wte.weight + (ptrdiff_t)pass->tokens[i] * c, 1, pass->dx + (ptrdiff_t)i * c, c);
        add_scaled(gradient->wpe.weight + (ptrdiff_t)(i % pass->length) * c, 1, pass->dx + (ptrdiff_t)i * c, c);
    }
}

#endif
