/* trees.h: the structs of eleven model-parameter trees and their registrations, for benchmarks and for tests of order, text and
 * key paths. The types are those of trees.json, field for field. trees_build.h makes the trees.
 */
#ifndef BENCH_TREES_H
#define BENCH_TREES_H

#include "pytree.h"

/* ---- Layers -------------------------------------------------------------------------------------------------------- */

typedef struct Linear {
    int din, dout;
    float *weight;
    float *bias;                          /* NULL: none */
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, din)                                               \
    PYTREE_FIELD(STATIC, dout)                                              \
    PYTREE_FIELD(DATA, weight, ARRAY(self->dout, self->din))                \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dout), OPTIONAL)
#include "pytree_registry.h"

typedef struct Conv2d {
    int cin, cout, kernel, stride, padding;
    float *weight;
    float *bias;                          /* NULL: none */
} Conv2d;

#define PYTREE_STRUCT Conv2d
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, cin)                                               \
    PYTREE_FIELD(STATIC, cout)                                              \
    PYTREE_FIELD(STATIC, kernel)                                            \
    PYTREE_FIELD(STATIC, stride)                                            \
    PYTREE_FIELD(STATIC, padding)                                           \
    PYTREE_FIELD(DATA, weight, ARRAY(self->cout, self->cin, self->kernel, self->kernel)) \
    PYTREE_FIELD(DATA, bias, ARRAY(self->cout), OPTIONAL)
#include "pytree_registry.h"

typedef struct BatchNorm {
    int features;
    float *weight, *bias, *running_mean, *running_var;
    int64_t num_batches_tracked;
} BatchNorm;

#define PYTREE_STRUCT BatchNorm
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, features)                                          \
    PYTREE_FIELD(DATA, weight, ARRAY(self->features))                       \
    PYTREE_FIELD(DATA, bias, ARRAY(self->features))                         \
    PYTREE_FIELD(DATA, running_mean, ARRAY(self->features))                 \
    PYTREE_FIELD(DATA, running_var, ARRAY(self->features))                  \
    PYTREE_FIELD(DATA, num_batches_tracked)
#include "pytree_registry.h"

typedef struct LayerNorm {
    int dim;
    float *weight, *bias;
} LayerNorm;

#define PYTREE_STRUCT LayerNorm
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(DATA, weight, ARRAY(self->dim))                            \
    PYTREE_FIELD(DATA, bias, ARRAY(self->dim))
#include "pytree_registry.h"

typedef struct Embedding {
    int num, dim;
    float *weight;
} Embedding;

#define PYTREE_STRUCT Embedding
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, num)                                               \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(DATA, weight, ARRAY(self->num, self->dim))
#include "pytree_registry.h"

/* ---- TinyMLP ------------------------------------------------------------------------------------------------------- */

typedef struct TinyMLP {
    Linear fc1;
    BatchNorm bn1;
    Linear fc2;
} TinyMLP;

#define PYTREE_STRUCT TinyMLP
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, fc1)                                                 \
    PYTREE_FIELD(DATA, bn1)                                                 \
    PYTREE_FIELD(DATA, fc2)
#include "pytree_registry.h"

/* ---- AlexNet ------------------------------------------------------------------------------------------------------- */

typedef struct AlexNet {
    int n_features, n_classifier;
    Conv2d *features;
    Linear *classifier;
} AlexNet;

#define PYTREE_STRUCT AlexNet
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_features)                                        \
    PYTREE_FIELD(STATIC, n_classifier)                                      \
    PYTREE_FIELD(DATA, features, LIST(self->n_features))                    \
    PYTREE_FIELD(DATA, classifier, LIST(self->n_classifier))
#include "pytree_registry.h"

/* ---- ResNet -------------------------------------------------------------------------------------------------------- */

typedef struct Downsample {
    Conv2d conv;
    BatchNorm bn;
} Downsample;

#define PYTREE_STRUCT Downsample
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, conv)                                                \
    PYTREE_FIELD(DATA, bn)
#include "pytree_registry.h"

typedef struct BasicBlock {
    Conv2d conv1;
    BatchNorm bn1;
    Conv2d conv2;
    BatchNorm bn2;
    Downsample *downsample;               /* NULL: none */
} BasicBlock;

#define PYTREE_STRUCT BasicBlock
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, conv1)                                               \
    PYTREE_FIELD(DATA, bn1)                                                 \
    PYTREE_FIELD(DATA, conv2)                                               \
    PYTREE_FIELD(DATA, bn2)                                                 \
    PYTREE_FIELD(DATA, downsample, OPTIONAL)
#include "pytree_registry.h"

typedef struct Bottleneck {
    Conv2d conv1;
    BatchNorm bn1;
    Conv2d conv2;
    BatchNorm bn2;
    Conv2d conv3;
    BatchNorm bn3;
    Downsample *downsample;               /* NULL: none */
} Bottleneck;

#define PYTREE_STRUCT Bottleneck
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, conv1)                                               \
    PYTREE_FIELD(DATA, bn1)                                                 \
    PYTREE_FIELD(DATA, conv2)                                               \
    PYTREE_FIELD(DATA, bn2)                                                 \
    PYTREE_FIELD(DATA, conv3)                                               \
    PYTREE_FIELD(DATA, bn3)                                                 \
    PYTREE_FIELD(DATA, downsample, OPTIONAL)
#include "pytree_registry.h"

typedef struct ResNetBasic {
    int n_layer1, n_layer2, n_layer3, n_layer4;
    Conv2d conv1;
    BatchNorm bn1;
    BasicBlock *layer1, *layer2, *layer3, *layer4;
    Linear fc;
} ResNetBasic;

#define PYTREE_STRUCT ResNetBasic
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_layer1)                                          \
    PYTREE_FIELD(STATIC, n_layer2)                                          \
    PYTREE_FIELD(STATIC, n_layer3)                                          \
    PYTREE_FIELD(STATIC, n_layer4)                                          \
    PYTREE_FIELD(DATA, conv1)                                               \
    PYTREE_FIELD(DATA, bn1)                                                 \
    PYTREE_FIELD(DATA, layer1, LIST(self->n_layer1))                        \
    PYTREE_FIELD(DATA, layer2, LIST(self->n_layer2))                        \
    PYTREE_FIELD(DATA, layer3, LIST(self->n_layer3))                        \
    PYTREE_FIELD(DATA, layer4, LIST(self->n_layer4))                        \
    PYTREE_FIELD(DATA, fc)
#include "pytree_registry.h"

typedef struct ResNetBottleneck {
    int n_layer1, n_layer2, n_layer3, n_layer4;
    Conv2d conv1;
    BatchNorm bn1;
    Bottleneck *layer1, *layer2, *layer3, *layer4;
    Linear fc;
} ResNetBottleneck;

#define PYTREE_STRUCT ResNetBottleneck
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_layer1)                                          \
    PYTREE_FIELD(STATIC, n_layer2)                                          \
    PYTREE_FIELD(STATIC, n_layer3)                                          \
    PYTREE_FIELD(STATIC, n_layer4)                                          \
    PYTREE_FIELD(DATA, conv1)                                               \
    PYTREE_FIELD(DATA, bn1)                                                 \
    PYTREE_FIELD(DATA, layer1, LIST(self->n_layer1))                        \
    PYTREE_FIELD(DATA, layer2, LIST(self->n_layer2))                        \
    PYTREE_FIELD(DATA, layer3, LIST(self->n_layer3))                        \
    PYTREE_FIELD(DATA, layer4, LIST(self->n_layer4))                        \
    PYTREE_FIELD(DATA, fc)
#include "pytree_registry.h"

/* ---- Vision transformer -------------------------------------------------------------------------------------------- */

typedef struct MLPBlock {
    Linear fc1, fc2;
} MLPBlock;

#define PYTREE_STRUCT MLPBlock
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, fc1)                                                 \
    PYTREE_FIELD(DATA, fc2)
#include "pytree_registry.h"

typedef struct MultiheadAttention {
    int dim, heads;
    float *in_proj_weight, *in_proj_bias;
    Linear out_proj;
} MultiheadAttention;

#define PYTREE_STRUCT MultiheadAttention
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(STATIC, heads)                                             \
    PYTREE_FIELD(DATA, in_proj_weight, ARRAY(3 * self->dim, self->dim))     \
    PYTREE_FIELD(DATA, in_proj_bias, ARRAY(3 * self->dim))                  \
    PYTREE_FIELD(DATA, out_proj)
#include "pytree_registry.h"

typedef struct EncoderBlock {
    LayerNorm ln_1;
    MultiheadAttention self_attention;
    LayerNorm ln_2;
    MLPBlock mlp;
} EncoderBlock;

#define PYTREE_STRUCT EncoderBlock
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, ln_1)                                                \
    PYTREE_FIELD(DATA, self_attention)                                      \
    PYTREE_FIELD(DATA, ln_2)                                                \
    PYTREE_FIELD(DATA, mlp)
#include "pytree_registry.h"

typedef struct Encoder {
    int n_layers, seq_length, dim;
    float *pos_embedding;
    EncoderBlock *layers;
    LayerNorm ln;
} Encoder;

#define PYTREE_STRUCT Encoder
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_layers)                                          \
    PYTREE_FIELD(STATIC, seq_length)                                        \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(DATA, pos_embedding, ARRAY(1, self->seq_length, self->dim)) \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))                        \
    PYTREE_FIELD(DATA, ln)
#include "pytree_registry.h"

typedef struct VisionTransformer {
    int image_size, patch_size, dim;
    float *class_token;
    Conv2d conv_proj;
    Encoder encoder;
    Linear head;
} VisionTransformer;

#define PYTREE_STRUCT VisionTransformer
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, image_size)                                        \
    PYTREE_FIELD(STATIC, patch_size)                                        \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(DATA, class_token, ARRAY(1, 1, self->dim))                 \
    PYTREE_FIELD(DATA, conv_proj)                                           \
    PYTREE_FIELD(DATA, encoder)                                             \
    PYTREE_FIELD(DATA, head)
#include "pytree_registry.h"

/* ---- Swin transformer ---------------------------------------------------------------------------------------------- */

typedef struct WindowAttention {
    int dim, heads, window;
    float *relative_position_bias_table;
    int64_t *relative_position_index;
    Linear qkv, proj;
} WindowAttention;

#define PYTREE_STRUCT WindowAttention
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(STATIC, heads)                                             \
    PYTREE_FIELD(STATIC, window)                                            \
    PYTREE_FIELD(DATA, relative_position_bias_table,                        \
                 ARRAY((2 * self->window - 1) * (2 * self->window - 1), self->heads)) \
    PYTREE_FIELD(DATA, relative_position_index,                             \
                 ARRAY(self->window * self->window * self->window * self->window)) \
    PYTREE_FIELD(DATA, qkv)                                                 \
    PYTREE_FIELD(DATA, proj)
#include "pytree_registry.h"

typedef struct SwinBlock {
    int shift;
    LayerNorm norm1;
    WindowAttention attn;
    LayerNorm norm2;
    MLPBlock mlp;
} SwinBlock;

#define PYTREE_STRUCT SwinBlock
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, shift)                                             \
    PYTREE_FIELD(DATA, norm1)                                               \
    PYTREE_FIELD(DATA, attn)                                                \
    PYTREE_FIELD(DATA, norm2)                                               \
    PYTREE_FIELD(DATA, mlp)
#include "pytree_registry.h"

typedef struct PatchMerging {
    int dim;
    Linear reduction;
    LayerNorm norm;
} PatchMerging;

#define PYTREE_STRUCT PatchMerging
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(DATA, reduction)                                           \
    PYTREE_FIELD(DATA, norm)
#include "pytree_registry.h"

typedef struct SwinStage {
    int dim, heads, n_blocks;
    SwinBlock *blocks;
    PatchMerging *downsample;             /* NULL: none */
} SwinStage;

#define PYTREE_STRUCT SwinStage
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, dim)                                               \
    PYTREE_FIELD(STATIC, heads)                                             \
    PYTREE_FIELD(STATIC, n_blocks)                                          \
    PYTREE_FIELD(DATA, blocks, LIST(self->n_blocks))                        \
    PYTREE_FIELD(DATA, downsample, OPTIONAL)
#include "pytree_registry.h"

typedef struct PatchEmbed {
    Conv2d proj;
    LayerNorm norm;
} PatchEmbed;

#define PYTREE_STRUCT PatchEmbed
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, proj)                                                \
    PYTREE_FIELD(DATA, norm)
#include "pytree_registry.h"

typedef struct SwinTransformer {
    int n_stages;
    PatchEmbed patch_embed;
    SwinStage *stages;
    LayerNorm norm;
    Linear head;
} SwinTransformer;

#define PYTREE_STRUCT SwinTransformer
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_stages)                                          \
    PYTREE_FIELD(DATA, patch_embed)                                         \
    PYTREE_FIELD(DATA, stages, LIST(self->n_stages))                        \
    PYTREE_FIELD(DATA, norm)                                                \
    PYTREE_FIELD(DATA, head)
#include "pytree_registry.h"

/* ---- GPT-2: sixteen stacked tensors -------------------------------------------------------------------------------- */

typedef struct GPT2 {
    int max_seq_len, vocab_size, num_layers, num_heads, channels;
    float *wte, *wpe, *ln1w, *ln1b, *qkvw, *qkvb, *attprojw, *attprojb;
    float *ln2w, *ln2b, *fcw, *fcb, *fcprojw, *fcprojb, *lnfw, *lnfb;
} GPT2;

#define PYTREE_STRUCT GPT2
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, max_seq_len)                                       \
    PYTREE_FIELD(STATIC, vocab_size)                                        \
    PYTREE_FIELD(STATIC, num_layers)                                        \
    PYTREE_FIELD(STATIC, num_heads)                                         \
    PYTREE_FIELD(STATIC, channels)                                          \
    PYTREE_FIELD(DATA, wte, ARRAY(self->vocab_size, self->channels))        \
    PYTREE_FIELD(DATA, wpe, ARRAY(self->max_seq_len, self->channels))       \
    PYTREE_FIELD(DATA, ln1w, ARRAY(self->num_layers, self->channels))       \
    PYTREE_FIELD(DATA, ln1b, ARRAY(self->num_layers, self->channels))       \
    PYTREE_FIELD(DATA, qkvw, ARRAY(self->num_layers, 3 * self->channels, self->channels)) \
    PYTREE_FIELD(DATA, qkvb, ARRAY(self->num_layers, 3 * self->channels))   \
    PYTREE_FIELD(DATA, attprojw, ARRAY(self->num_layers, self->channels, self->channels)) \
    PYTREE_FIELD(DATA, attprojb, ARRAY(self->num_layers, self->channels))   \
    PYTREE_FIELD(DATA, ln2w, ARRAY(self->num_layers, self->channels))       \
    PYTREE_FIELD(DATA, ln2b, ARRAY(self->num_layers, self->channels))       \
    PYTREE_FIELD(DATA, fcw, ARRAY(self->num_layers, 4 * self->channels, self->channels)) \
    PYTREE_FIELD(DATA, fcb, ARRAY(self->num_layers, 4 * self->channels))    \
    PYTREE_FIELD(DATA, fcprojw, ARRAY(self->num_layers, self->channels, 4 * self->channels)) \
    PYTREE_FIELD(DATA, fcprojb, ARRAY(self->num_layers, self->channels))    \
    PYTREE_FIELD(DATA, lnfw, ARRAY(self->channels))                         \
    PYTREE_FIELD(DATA, lnfb, ARRAY(self->channels))
#include "pytree_registry.h"

/* ---- GPT-2: a struct per layer ------------------------------------------------------------------------------------- */

typedef struct GPTAttention {
    int n_head;
    Linear c_attn, c_proj;
} GPTAttention;

#define PYTREE_STRUCT GPTAttention
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_head)                                            \
    PYTREE_FIELD(DATA, c_attn)                                              \
    PYTREE_FIELD(DATA, c_proj)
#include "pytree_registry.h"

typedef struct GPTMLP {
    Linear c_fc, c_proj;
} GPTMLP;

#define PYTREE_STRUCT GPTMLP
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, c_fc)                                                \
    PYTREE_FIELD(DATA, c_proj)
#include "pytree_registry.h"

typedef struct GPTBlock {
    LayerNorm ln_1;
    GPTAttention attn;
    LayerNorm ln_2;
    GPTMLP mlp;
} GPTBlock;

#define PYTREE_STRUCT GPTBlock
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(DATA, ln_1)                                                \
    PYTREE_FIELD(DATA, attn)                                                \
    PYTREE_FIELD(DATA, ln_2)                                                \
    PYTREE_FIELD(DATA, mlp)
#include "pytree_registry.h"

typedef struct GPT {
    int n_layer;
    Embedding wte, wpe;
    GPTBlock *h;
    LayerNorm ln_f;
} GPT;

#define PYTREE_STRUCT GPT
#define PYTREE_FIELDS                                                       \
    PYTREE_FIELD(STATIC, n_layer)                                           \
    PYTREE_FIELD(DATA, wte)                                                 \
    PYTREE_FIELD(DATA, wpe)                                                 \
    PYTREE_FIELD(DATA, h, LIST(self->n_layer))                              \
    PYTREE_FIELD(DATA, ln_f)
#include "pytree_registry.h"

#endif
