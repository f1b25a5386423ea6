/* gpt2_train_model.h: GPT-2 as registered structs: its parameters, and what its layers keep of a forward pass. */
#ifndef GPT2_TRAIN_MODEL_H
#define GPT2_TRAIN_MODEL_H

#include "pytree.h"
#include "training_tools.h"

#include <tgmath.h>

/* ---- Parameters ---------------------------------------------------------------------------------------------------- */

typedef struct Embedding {
    int num, dim;
    Real *weight;                         /* (num, dim) */
} Embedding;

#define PYTREE_STRUCT Embedding
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, num)                              \
    PYTREE_FIELD(STATIC, dim)                              \
    PYTREE_FIELD(DATA, weight, ARRAY(self->num, self->dim))
#include "pytree_registry.h"

typedef struct LayerNorm {
    int dim;
    Real *weight, *bias;                  /* (dim,) */
} LayerNorm;

#define PYTREE_STRUCT LayerNorm
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, dim)                              \
    PYTREE_FIELD(DATA, weight, ARRAY(self->dim))           \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dim))
#include "pytree_registry.h"

typedef struct Linear {
    int din, dout;
    Real *weight;                         /* (din, dout), as in GPT-2's files */
    Real *bias;                           /* (dout,) */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, weight, ARRAY(self->din, self->dout)) \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct Attention {
    int n_head;
    Linear c_attn, c_proj;                /* c_attn gives queries, keys and values, side by side */
} Attention;

#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_head)                           \
    PYTREE_FIELD(DATA, c_attn)                             \
    PYTREE_FIELD(DATA, c_proj)
#include "pytree_registry.h"

typedef struct FeedForward {
    Linear c_fc, c_proj;
} FeedForward;

#define PYTREE_STRUCT FeedForward
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, c_fc)                               \
    PYTREE_FIELD(DATA, c_proj)
#include "pytree_registry.h"

typedef struct Block {
    LayerNorm ln_1;
    Attention attn;
    LayerNorm ln_2;
    FeedForward mlp;
} Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, ln_1)                               \
    PYTREE_FIELD(DATA, attn)                               \
    PYTREE_FIELD(DATA, ln_2)                               \
    PYTREE_FIELD(DATA, mlp)
#include "pytree_registry.h"

typedef struct GPT {
    int n_layer;
    Embedding wte, wpe;                   /* of tokens, whose transpose is also the head; of positions */
    Block *h;                             /* n_layer of them */
    LayerNorm ln_f;
} GPT;

#define PYTREE_STRUCT GPT
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_layer)                          \
    PYTREE_FIELD(DATA, wte)                                \
    PYTREE_FIELD(DATA, wpe)                                \
    PYTREE_FIELD(DATA, h, LIST(self->n_layer))             \
    PYTREE_FIELD(DATA, ln_f)
#include "pytree_registry.h"

enum { MOST_LAYERS = 24 };

/* The sizes of a model. */
typedef struct Sizes {
    int vocabulary, context, layers, heads, channels;
} Sizes;

/* Allocate a model. Free it with pytree_free. */
static pytree_status make_model(GPT *model, const Sizes *sizes, pytree_error *err)
{
    Block blocks[MOST_LAYERS];            /* the template: the sizes of each block */
    const int c = sizes->channels;
    for (int i = 0; i < sizes->layers; i++) {
        blocks[i] = (Block){
            .ln_1 = { .dim = c },
            .attn = { .n_head = sizes->heads, .c_attn = { .din = c, .dout = 3 * c }, .c_proj = { .din = c, .dout = c } },
            .ln_2 = { .dim = c },
            .mlp = { .c_fc = { .din = c, .dout = 4 * c }, .c_proj = { .din = 4 * c, .dout = c } },
        };
    }
    *model = (GPT){ .n_layer = sizes->layers, .wte = { .num = sizes->vocabulary, .dim = c },
                    .wpe = { .num = sizes->context, .dim = c }, .h = blocks, .ln_f = { .dim = c } };
    pytree_status status = pytree_allocate(PYTREE(model), NULL, err);
    if (status != PYTREE_OK) { *model = (GPT){ .n_layer = 0 }; }
    return status;
}

/* ---- What a forward pass leaves ------------------------------------------------------------------------------------ */

/* Of one block; `n` is the number of tokens. */
typedef struct BlockPass {
    int n, channels, heads, context;
    Real *x;                              /* (n, channels) what it got */
    Real *norm_1, *norm_2;                /* (n, channels) layer norms, */
    Real *stats_1, *stats_2;              /* (n, 2) and mean and 1 / deviation, by which they were computed */
    Real *qkv;                            /* (n, 3 channels) queries, keys, values */
    Real *attention;                      /* (n, heads, context) how much each token looks at each one before */
    Real *mix;                            /* (n, channels) of the values */
    Real *middle;                         /* (n, channels) x and the attention's share */
    Real *wide, *gelu;                    /* (n, 4 channels) before and after the activation */
} BlockPass;

#define PYTREE_STRUCT BlockPass
#define PYTREE_FIELDS                                                             \
    PYTREE_FIELD(STATIC, n)                                                       \
    PYTREE_FIELD(STATIC, channels)                                                \
    PYTREE_FIELD(STATIC, heads)                                                   \
    PYTREE_FIELD(STATIC, context)                                                 \
    PYTREE_FIELD(DATA, x, ARRAY(self->n, self->channels))                         \
    PYTREE_FIELD(DATA, norm_1, ARRAY(self->n, self->channels))                    \
    PYTREE_FIELD(DATA, norm_2, ARRAY(self->n, self->channels))                    \
    PYTREE_FIELD(DATA, stats_1, ARRAY(self->n, 2))                                \
    PYTREE_FIELD(DATA, stats_2, ARRAY(self->n, 2))                                \
    PYTREE_FIELD(DATA, qkv, ARRAY(self->n, 3, self->channels))                    \
    PYTREE_FIELD(DATA, attention, ARRAY(self->n, self->heads, self->context))     \
    PYTREE_FIELD(DATA, mix, ARRAY(self->n, self->channels))                       \
    PYTREE_FIELD(DATA, middle, ARRAY(self->n, self->channels))                    \
    PYTREE_FIELD(DATA, wide, ARRAY(self->n, 4 * self->channels))                  \
    PYTREE_FIELD(DATA, gelu, ARRAY(self->n, 4 * self->channels))
#include "pytree_registry.h"

/* Of the model, with its input and the room that the backward pass needs. */
typedef struct Pass {
    int batch, context, vocabulary, channels, layers;
    int sequences, length;                /* in use: at most batch sequences of at most context tokens */
    int *tokens, *targets;                /* (batch, context), row by row of `length` tokens */
    BlockPass *h;                         /* layers of them */
    Real *x, *norm, *stats;               /* (batch, context, channels) after the last block; its layer norm */
    Real *scores;                         /* (batch, context, vocabulary); after backward their gradients */
    Real *dx, *dnorm;                     /* (batch, context, channels) gradients on their way back */
    Real *dwide;                          /* (batch, context, 4 channels) */
    Real *transposed;                     /* a matrix: of a layer, or the embedding */
    int matrix;                           /* its elements */
} Pass;

#define PYTREE_STRUCT Pass
#define PYTREE_FIELDS                                                                          \
    PYTREE_FIELD(STATIC, batch)                                                                \
    PYTREE_FIELD(STATIC, context)                                                              \
    PYTREE_FIELD(STATIC, vocabulary)                                                           \
    PYTREE_FIELD(STATIC, channels)                                                             \
    PYTREE_FIELD(STATIC, layers)                                                               \
    PYTREE_FIELD(STATIC, sequences)                                                            \
    PYTREE_FIELD(STATIC, length)                                                               \
    PYTREE_FIELD(DATA, tokens, ARRAY(self->batch, self->context))                              \
    PYTREE_FIELD(DATA, targets, ARRAY(self->batch, self->context))                             \
    PYTREE_FIELD(DATA, h, LIST(self->layers))                                                  \
    PYTREE_FIELD(DATA, x, ARRAY(self->batch, self->context, self->channels))                   \
    PYTREE_FIELD(DATA, norm, ARRAY(self->batch, self->context, self->channels))                \
    PYTREE_FIELD(DATA, stats, ARRAY(self->batch, self->context, 2))                            \
    PYTREE_FIELD(DATA, scores, ARRAY(self->batch, self->context, self->vocabulary))            \
    PYTREE_FIELD(DATA, dx, ARRAY(self->batch, self->context, self->channels))                  \
    PYTREE_FIELD(DATA, dnorm, ARRAY(self->batch, self->context, self->channels))               \
    PYTREE_FIELD(DATA, dwide, ARRAY(self->batch, self->context, 4 * self->channels))           \
    PYTREE_FIELD(DATA, transposed, ARRAY(self->matrix))                                        \
    PYTREE_FIELD(STATIC, matrix)
#include "pytree_registry.h"

/* Allocate memory for passes over `batch` sequences. Free it with pytree_free. */
static pytree_status make_pass(Pass *pass, const Sizes *sizes, int batch, pytree_error *err)
{
    BlockPass blocks[MOST_LAYERS];
    const int c = sizes->channels, largest = sizes->vocabulary > 4 * c ? sizes->vocabulary : 4 * c;
    for (int i = 0; i < sizes->layers; i++) {
        blocks[i] = (BlockPass){ .n = batch * sizes->context, .channels = c, .heads = sizes->heads, .context = sizes->context };
    }
    *pass = (Pass){ .batch = batch, .context = sizes->context, .vocabulary = sizes->vocabulary, .channels = c,
                    .layers = sizes->layers, .sequences = batch, .length = sizes->context, .h = blocks, .matrix = largest * c };
    pytree_status status = pytree_allocate(PYTREE(pass), NULL, err);
    if (status != PYTREE_OK) { *pass = (Pass){ .batch = 0 }; }
    return status;
}

#endif
