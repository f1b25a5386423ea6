/* trees_build.h: the builders of the trees of trees.h, and the table of the eleven models.
 *
 *     BenchBuilder builder = { .floats = buffer, .wanted = buffer };
 *     pytree t = bench_models[BENCH_RESNET152].build(&builder);
 *
 * A builder makes the structs of a model in its own memory and sets their static fields. The caller chooses the arrays: one
 * small buffer for all of them (operations on structure do not read the elements), or NULL and PYTREE_WANTED, for which
 * pytree_allocate then allocates memory.
 */
#ifndef BENCH_TREES_BUILD_H
#define BENCH_TREES_BUILD_H

#include "trees.h"

#include <assert.h>

/* ---- Builders ------------------------------------------------------------------------------------------------------ */

/* The memory of one model, and the arrays that it points to. Set the first four members, leave the rest zero. The tree borrows
 * from the builder. */
typedef struct BenchBuilder {
    float *floats;                        /* every float array that is always there */
    float *wanted;                        /* every float array that a model may lack and this one has */
    int64_t *integers;                    /* every int64_t array */
    bool small;                           /* the same nodes, but every extent 1: for operations that read the elements */
    size_t used;
    union { max_align_t align; unsigned char bytes[64 * 1024]; } memory;
} BenchBuilder;

static inline void *bench_new(BenchBuilder *b, size_t count, size_t size)
{
    void *p = b->memory.bytes + b->used;
    size_t bytes = (count * size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    assert(bytes <= sizeof b->memory.bytes - b->used);
    memset(p, 0, bytes);
    b->used += bytes;
    return p;
}

static inline int bench_extent(const BenchBuilder *b, int n) { return b->small ? 1 : n; }

static inline Linear bench_linear(const BenchBuilder *b, int din, int dout, bool bias)
{
    return (Linear){ bench_extent(b, din), bench_extent(b, dout), b->floats, bias ? b->wanted : NULL };
}

static inline Conv2d bench_conv(const BenchBuilder *b, int cin, int cout, int kernel, int stride, int padding, bool bias)
{
    return (Conv2d){ bench_extent(b, cin), bench_extent(b, cout), bench_extent(b, kernel), stride, padding,
                     b->floats, bias ? b->wanted : NULL };
}

static inline BatchNorm bench_batch_norm(const BenchBuilder *b, int features)
{
    return (BatchNorm){ bench_extent(b, features), b->floats, b->floats, b->floats, b->floats, 0 };
}

static inline LayerNorm bench_layer_norm(const BenchBuilder *b, int dim)
{
    return (LayerNorm){ bench_extent(b, dim), b->floats, b->floats };
}

static inline Embedding bench_embedding(const BenchBuilder *b, int num, int dim)
{
    return (Embedding){ bench_extent(b, num), bench_extent(b, dim), b->floats };
}

static inline pytree bench_tiny_mlp(BenchBuilder *b)
{
    TinyMLP *m = bench_new(b, 1, sizeof *m);
    *m = (TinyMLP){ bench_linear(b, 1, 1, true), bench_batch_norm(b, 1), bench_linear(b, 1, 1, false) };
    return PYTREE(m);
}

static inline pytree bench_alexnet(BenchBuilder *b)
{
    AlexNet *m = bench_new(b, 1, sizeof *m);
    m->n_features = 5;
    m->n_classifier = 3;
    m->features = bench_new(b, 5, sizeof *m->features);
    m->features[0] = bench_conv(b, 3, 64, 11, 4, 2, true);
    m->features[1] = bench_conv(b, 64, 192, 5, 1, 2, true);
    m->features[2] = bench_conv(b, 192, 384, 3, 1, 1, true);
    m->features[3] = bench_conv(b, 384, 256, 3, 1, 1, true);
    m->features[4] = bench_conv(b, 256, 256, 3, 1, 1, true);
    m->classifier = bench_new(b, 3, sizeof *m->classifier);
    m->classifier[0] = bench_linear(b, 9216, 4096, true);
    m->classifier[1] = bench_linear(b, 4096, 4096, true);
    m->classifier[2] = bench_linear(b, 4096, 1000, true);
    return PYTREE(m);
}

static inline Downsample *bench_downsample(BenchBuilder *b, int in, int out, int stride)
{
    Downsample *d = bench_new(b, 1, sizeof *d);
    *d = (Downsample){ bench_conv(b, in, out, 1, stride, 0, false), bench_batch_norm(b, out) };
    return d;
}

static inline BasicBlock *bench_basic_blocks(BenchBuilder *b, int count, int in, int out, int stride)
{
    BasicBlock *blocks = bench_new(b, (size_t)count, sizeof *blocks);
    int i;
    for (i = 0; i < count; i++) {
        blocks[i].conv1 = bench_conv(b, i == 0 ? in : out, out, 3, i == 0 ? stride : 1, 1, false);
        blocks[i].bn1 = bench_batch_norm(b, out);
        blocks[i].conv2 = bench_conv(b, out, out, 3, 1, 1, false);
        blocks[i].bn2 = bench_batch_norm(b, out);
        blocks[i].downsample = i == 0 && in != out ? bench_downsample(b, in, out, stride) : NULL;
    }
    return blocks;
}

static inline pytree bench_resnet_basic(BenchBuilder *b, int n1, int n2, int n3, int n4)
{
    ResNetBasic *m = bench_new(b, 1, sizeof *m);
    m->n_layer1 = n1;
    m->n_layer2 = n2;
    m->n_layer3 = n3;
    m->n_layer4 = n4;
    m->conv1 = bench_conv(b, 3, 64, 7, 2, 3, false);
    m->bn1 = bench_batch_norm(b, 64);
    m->layer1 = bench_basic_blocks(b, n1, 64, 64, 1);
    m->layer2 = bench_basic_blocks(b, n2, 64, 128, 2);
    m->layer3 = bench_basic_blocks(b, n3, 128, 256, 2);
    m->layer4 = bench_basic_blocks(b, n4, 256, 512, 2);
    m->fc = bench_linear(b, 512, 1000, true);
    return PYTREE(m);
}

static inline Bottleneck *bench_bottlenecks(BenchBuilder *b, int count, int in, int width, int stride)
{
    Bottleneck *blocks = bench_new(b, (size_t)count, sizeof *blocks);
    int i;
    for (i = 0; i < count; i++) {
        blocks[i].conv1 = bench_conv(b, i == 0 ? in : 4 * width, width, 1, 1, 0, false);
        blocks[i].bn1 = bench_batch_norm(b, width);
        blocks[i].conv2 = bench_conv(b, width, width, 3, i == 0 ? stride : 1, 1, false);
        blocks[i].bn2 = bench_batch_norm(b, width);
        blocks[i].conv3 = bench_conv(b, width, 4 * width, 1, 1, 0, false);
        blocks[i].bn3 = bench_batch_norm(b, 4 * width);
        blocks[i].downsample = i == 0 ? bench_downsample(b, in, 4 * width, stride) : NULL;
    }
    return blocks;
}

static inline pytree bench_resnet_bottleneck(BenchBuilder *b, int n1, int n2, int n3, int n4)
{
    ResNetBottleneck *m = bench_new(b, 1, sizeof *m);
    m->n_layer1 = n1;
    m->n_layer2 = n2;
    m->n_layer3 = n3;
    m->n_layer4 = n4;
    m->conv1 = bench_conv(b, 3, 64, 7, 2, 3, false);
    m->bn1 = bench_batch_norm(b, 64);
    m->layer1 = bench_bottlenecks(b, n1, 64, 64, 1);
    m->layer2 = bench_bottlenecks(b, n2, 256, 128, 2);
    m->layer3 = bench_bottlenecks(b, n3, 512, 256, 2);
    m->layer4 = bench_bottlenecks(b, n4, 1024, 512, 2);
    m->fc = bench_linear(b, 2048, 1000, true);
    return PYTREE(m);
}

static inline pytree bench_resnet18(BenchBuilder *b) { return bench_resnet_basic(b, 2, 2, 2, 2); }
static inline pytree bench_resnet34(BenchBuilder *b) { return bench_resnet_basic(b, 3, 4, 6, 3); }
static inline pytree bench_resnet50(BenchBuilder *b) { return bench_resnet_bottleneck(b, 3, 4, 6, 3); }
static inline pytree bench_resnet101(BenchBuilder *b) { return bench_resnet_bottleneck(b, 3, 4, 23, 3); }
static inline pytree bench_resnet152(BenchBuilder *b) { return bench_resnet_bottleneck(b, 3, 8, 36, 3); }

static inline MLPBlock bench_mlp_block(const BenchBuilder *b, int dim)
{
    return (MLPBlock){ bench_linear(b, dim, 4 * dim, true), bench_linear(b, 4 * dim, dim, true) };
}

static inline pytree bench_vit_h14(BenchBuilder *b)
{
    enum { DIM = 1280, LAYERS = 32, IMAGE = 224, PATCH = 14 };
    VisionTransformer *m = bench_new(b, 1, sizeof *m);
    Encoder *e = &m->encoder;
    int i;
    m->image_size = IMAGE;
    m->patch_size = PATCH;
    m->dim = bench_extent(b, DIM);
    m->class_token = b->floats;
    m->conv_proj = bench_conv(b, 3, DIM, PATCH, PATCH, 0, true);
    e->n_layers = LAYERS;
    e->seq_length = bench_extent(b, (IMAGE / PATCH) * (IMAGE / PATCH) + 1);
    e->dim = bench_extent(b, DIM);
    e->pos_embedding = b->floats;
    e->layers = bench_new(b, LAYERS, sizeof *e->layers);
    for (i = 0; i < LAYERS; i++) {
        EncoderBlock *block = &e->layers[i];
        block->ln_1 = bench_layer_norm(b, DIM);
        block->self_attention = (MultiheadAttention){ bench_extent(b, DIM), 16, b->floats, b->floats,
                                                      bench_linear(b, DIM, DIM, true) };
        block->ln_2 = bench_layer_norm(b, DIM);
        block->mlp = bench_mlp_block(b, DIM);
    }
    e->ln = bench_layer_norm(b, DIM);
    m->head = bench_linear(b, DIM, 1000, true);
    return PYTREE(m);
}

static inline pytree bench_swin_b(BenchBuilder *b)
{
    static const int depths[4] = { 2, 2, 18, 2 };
    enum { WINDOW = 7 };
    SwinTransformer *m = bench_new(b, 1, sizeof *m);
    int i, k;
    m->n_stages = 4;
    m->patch_embed = (PatchEmbed){ bench_conv(b, 3, 128, 4, 4, 0, true), bench_layer_norm(b, 128) };
    m->stages = bench_new(b, 4, sizeof *m->stages);
    for (i = 0; i < 4; i++) {
        SwinStage *stage = &m->stages[i];
        int dim = 128 << i, heads = 4 << i;
        stage->dim = bench_extent(b, dim);
        stage->heads = heads;
        stage->n_blocks = depths[i];
        stage->blocks = bench_new(b, (size_t)depths[i], sizeof *stage->blocks);
        for (k = 0; k < depths[i]; k++) {
            SwinBlock *block = &stage->blocks[k];
            block->shift = k % 2 == 0 ? 0 : WINDOW / 2;
            block->norm1 = bench_layer_norm(b, dim);
            block->attn = (WindowAttention){ bench_extent(b, dim), bench_extent(b, heads), bench_extent(b, WINDOW), b->floats,
                                             b->integers, bench_linear(b, dim, 3 * dim, true),
                                             bench_linear(b, dim, dim, true) };
            block->norm2 = bench_layer_norm(b, dim);
            block->mlp = bench_mlp_block(b, dim);
        }
        if (i < 3) {
            stage->downsample = bench_new(b, 1, sizeof *stage->downsample);
            *stage->downsample = (PatchMerging){ bench_extent(b, dim), bench_linear(b, 4 * dim, 2 * dim, false),
                                                 bench_layer_norm(b, 4 * dim) };
        }
    }
    m->norm = bench_layer_norm(b, 1024);
    m->head = bench_linear(b, 1024, 1000, true);
    return PYTREE(m);
}

static inline pytree bench_gpt2_llmc(BenchBuilder *b)
{
    GPT2 *m = bench_new(b, 1, sizeof *m);
    float *p = b->floats;
    *m = (GPT2){ bench_extent(b, 1024), bench_extent(b, 50257), bench_extent(b, 12), 12, bench_extent(b, 768),
                 p, p, p, p, p, p, p, p, p, p, p, p, p, p, p, p };
    return PYTREE(m);
}

static inline pytree bench_gpt2_layers(BenchBuilder *b)
{
    enum { DIM = 768, LAYERS = 12 };
    GPT *m = bench_new(b, 1, sizeof *m);
    int i;
    m->n_layer = LAYERS;
    m->wte = bench_embedding(b, 50257, DIM);
    m->wpe = bench_embedding(b, 1024, DIM);
    m->h = bench_new(b, LAYERS, sizeof *m->h);
    for (i = 0; i < LAYERS; i++) {
        m->h[i].ln_1 = bench_layer_norm(b, DIM);
        m->h[i].attn = (GPTAttention){ 12, bench_linear(b, DIM, 3 * DIM, true), bench_linear(b, DIM, DIM, true) };
        m->h[i].ln_2 = bench_layer_norm(b, DIM);
        m->h[i].mlp = (GPTMLP){ bench_linear(b, DIM, 4 * DIM, true), bench_linear(b, 4 * DIM, DIM, true) };
    }
    m->ln_f = bench_layer_norm(b, DIM);
    return PYTREE(m);
}

/* ---- The models ---------------------------------------------------------------------------------------------------- */

/* A model and its record in trees.json: counts, bytes of all leaves, and the length and fnv1a64 of two strings from JAX: the
 * text of the treedef, and a list with a line for each leaf (key path, blank, element type and extents, newline). */
typedef struct BenchModel {
    const char *name;
    pytree (*build)(BenchBuilder *b);
    size_t nodes, leaves, statics, bytes;
    size_t treedef_bytes, listing_bytes;
    uint64_t treedef_hash, listing_hash;
} BenchModel;

enum {
    BENCH_TINY_MLP, BENCH_ALEXNET, BENCH_RESNET18, BENCH_RESNET34, BENCH_RESNET50, BENCH_RESNET101, BENCH_RESNET152,
    BENCH_VIT_H14, BENCH_SWIN_B, BENCH_GPT2_LLMC, BENCH_GPT2_LAYERS, BENCH_MODELS
};

static const BenchModel bench_models[BENCH_MODELS] = {
    { "TinyMLP", bench_tiny_mlp, 13, 8, 5, 36, 157, 175,
      UINT64_C(0x54579c05db3197b6), UINT64_C(0x5187dcdc582735bc) },
    { "AlexNet", bench_alexnet, 27, 16, 33, 244403360, 412, 518,
      UINT64_C(0x3ddbacead6fb047d), UINT64_C(0x8f1f9bbfc90f9122) },
    { "ResNet18", bench_resnet18, 204, 122, 126, 46796608, 2441, 4431,
      UINT64_C(0xb6c8d348cfee8477), UINT64_C(0x4722c65ffeeff4e9) },
    { "ResNet34", bench_resnet34, 364, 218, 222, 87259072, 4323, 7859,
      UINT64_C(0x2eca119b05ecda29), UINT64_C(0xe2c0e5e7f5058471) },
    { "ResNet50", bench_resnet50, 517, 320, 324, 102441032, 6084, 11639,
      UINT64_C(0x0f3f2510cdb8b39c), UINT64_C(0xbced936240ea700c) },
    { "ResNet101", bench_resnet101, 1010, 626, 630, 178618848, 11848, 22940,
      UINT64_C(0xe0a332ff32552977), UINT64_C(0x35e76bec82aa7f91) },
    { "ResNet152", bench_resnet152, 1503, 932, 936, 241378168, 17599, 34217,
      UINT64_C(0x49fa7f438ac239e3), UINT64_C(0xb1c4cf3183586b60) },
    { "ViT-H-14", bench_vit_h14, 654, 392, 334, 2528183200, 10415, 19249,
      UINT64_C(0x94b1a3071d551b25), UINT64_C(0x1b1ab3c196b3d477) },
    { "Swin-B", bench_swin_b, 597, 353, 370, 351533888, 9203, 16938,
      UINT64_C(0xb772595aeeb9bd2a), UINT64_C(0x17b6e2b4ac4d4ceb) },
    { "GPT2-llmc", bench_gpt2_llmc, 17, 16, 5, 497759232, 105, 318,
      UINT64_C(0x47445f98c1fdee79), UINT64_C(0x38ee2f97c8174349) },
    { "GPT2-layers", bench_gpt2_layers, 261, 148, 138, 497759232, 4119, 4691,
      UINT64_C(0x91a27a803307736e), UINT64_C(0xe51242c0f626d0a8) },
};

static inline uint64_t bench_fnv1a64(uint64_t hash, const char *text, size_t n)
{
    size_t i;
    for (i = 0; i < n; i++) { hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3); }
    return hash;
}
#define BENCH_FNV1A64_START UINT64_C(0xcbf29ce484222325)

#endif
