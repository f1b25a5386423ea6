/* gpt2_params.c: the parameters of GPT-2 (124M), declared once, in two forms.
 *
 *     examples/run gpt2_params                              prints both forms
 *     examples/run gpt2_params tied.safetensors             also writes the parameters of a small model there, and reads them
 *
 * First in the style of llm.c: sixteen arrays, each of which contains all layers. Such a program repeats the list of these
 * arrays many times, always in the same order, and in each copy an array can be forgotten:
 *
 *     list                                                                          here
 *     the struct: sixteen pointers                                                  struct GPT2
 *     their number: a constant 16                                                   gone
 *     their sizes: sixteen products, stored by tensor number                        the shapes in the rows
 *     their addresses: sixteen pointers into one block                              gone: pytree_allocate
 *     gradients, moments: the same sizes and pointers for each                      gone: pytree_zeros_like
 *     initialisation: the deviation for each tensor number                          gone: a rule about key paths
 *     weight decay: the tensor numbers that decay, 0, 1, 4, 6, 10 and 12            gone: a rule about key paths
 *     the checkpoint, in the order of the numbers; the report, with names as text   gone: pytree_iter_next, pytree_print
 *
 * Then in the natural form of the model: a list of blocks made of layers. The same functions serve it unchanged, and 148 arrays
 * need no more lists than 16.
 *
 * And with its head, whose weights are those of the embedding: one array, to which two pointers lead, also in a model that is
 * merged from its parameters and a saved structure, and from parameters that come from a file, where they stand once. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
#include "pytree/safetensors.h"
#include "pytree/state.h"
#include "pytree/treedef_io.h"

#include <stdlib.h>

/* ---- Stacked: each array holds all layers ----------------------------------------------------------------------------- */

typedef struct GPT2 {
    int max_seq_len, vocab_size, num_layers, num_heads, channels;
    float *wte, *wpe;
    float *ln1w, *ln1b, *qkvw, *qkvb, *attprojw, *attprojb;
    float *ln2w, *ln2b, *fcw, *fcb, *fcprojw, *fcprojb;
    float *lnfw, *lnfb;
} GPT2;

#define PYTREE_STRUCT GPT2
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, max_seq_len)                                                              \
    PYTREE_FIELD(STATIC, vocab_size)                                                               \
    PYTREE_FIELD(STATIC, num_layers)                                                               \
    PYTREE_FIELD(STATIC, num_heads)                                                                \
    PYTREE_FIELD(STATIC, channels)                                                                 \
    PYTREE_FIELD(DATA, wte, ARRAY(self->vocab_size, self->channels))                               \
    PYTREE_FIELD(DATA, wpe, ARRAY(self->max_seq_len, self->channels))                              \
    PYTREE_FIELD(DATA, ln1w, ARRAY(self->num_layers, self->channels))                              \
    PYTREE_FIELD(DATA, ln1b, ARRAY(self->num_layers, self->channels))                              \
    PYTREE_FIELD(DATA, qkvw, ARRAY(self->num_layers, 3 * self->channels, self->channels))          \
    PYTREE_FIELD(DATA, qkvb, ARRAY(self->num_layers, 3 * self->channels))                          \
    PYTREE_FIELD(DATA, attprojw, ARRAY(self->num_layers, self->channels, self->channels))          \
    PYTREE_FIELD(DATA, attprojb, ARRAY(self->num_layers, self->channels))                          \
    PYTREE_FIELD(DATA, ln2w, ARRAY(self->num_layers, self->channels))                              \
    PYTREE_FIELD(DATA, ln2b, ARRAY(self->num_layers, self->channels))                              \
    PYTREE_FIELD(DATA, fcw, ARRAY(self->num_layers, 4 * self->channels, self->channels))           \
    PYTREE_FIELD(DATA, fcb, ARRAY(self->num_layers, 4 * self->channels))                           \
    PYTREE_FIELD(DATA, fcprojw, ARRAY(self->num_layers, self->channels, 4 * self->channels))       \
    PYTREE_FIELD(DATA, fcprojb, ARRAY(self->num_layers, self->channels))                           \
    PYTREE_FIELD(DATA, lnfw, ARRAY(self->channels))                                                \
    PYTREE_FIELD(DATA, lnfb, ARRAY(self->channels))
#include "pytree_registry.h"

/* ---- Nested: a list of blocks ------------------------------------------------------------------------------------------ */

typedef struct Embedding { int num, dim; float *weight; } Embedding;
#define PYTREE_STRUCT Embedding
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, num) PYTREE_FIELD(STATIC, dim)                                            \
    PYTREE_FIELD(DATA, weight, ARRAY(self->num, self->dim))
#include "pytree_registry.h"

typedef struct LayerNorm { int dim; float *weight, *bias; } LayerNorm;
#define PYTREE_STRUCT LayerNorm
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, dim)                                                                      \
    PYTREE_FIELD(DATA, weight, ARRAY(self->dim)) PYTREE_FIELD(DATA, bias, ARRAY(self->dim))
#include "pytree_registry.h"

typedef struct Linear { int din, dout; float *weight, *bias; } Linear;
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout)                                           \
    PYTREE_FIELD(DATA, weight, ARRAY(self->dout, self->din)) PYTREE_FIELD(DATA, bias, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct Attention { int n_head; Linear c_attn, c_proj; } Attention;
#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, n_head)                                                                   \
    PYTREE_FIELD(DATA, c_attn) PYTREE_FIELD(DATA, c_proj)
#include "pytree_registry.h"

typedef struct FeedForward { Linear c_fc, c_proj; } FeedForward;
#define PYTREE_STRUCT FeedForward
#define PYTREE_FIELDS PYTREE_FIELD(DATA, c_fc) PYTREE_FIELD(DATA, c_proj)
#include "pytree_registry.h"

typedef struct Block { LayerNorm ln_1; Attention attn; LayerNorm ln_2; FeedForward mlp; } Block;
#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(DATA, ln_1) PYTREE_FIELD(DATA, attn) PYTREE_FIELD(DATA, ln_2) PYTREE_FIELD(DATA, mlp)
#include "pytree_registry.h"

typedef struct GPT { int n_layer; Embedding wte, wpe; Block *h; LayerNorm ln_f; } GPT;
#define PYTREE_STRUCT GPT
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(STATIC, n_layer)                                                                  \
    PYTREE_FIELD(DATA, wte) PYTREE_FIELD(DATA, wpe)                                                \
    PYTREE_FIELD(DATA, h, LIST(self->n_layer))                                                     \
    PYTREE_FIELD(DATA, ln_f)
#include "pytree_registry.h"

/* ---- With its head ----------------------------------------------------------------------------------------------------- */

typedef struct GPTHead { GPT transformer; float *lm_head; } GPTHead;
#define PYTREE_STRUCT GPTHead
#define PYTREE_FIELDS                                                                              \
    PYTREE_FIELD(DATA, transformer)                                                                \
    PYTREE_FIELD(DATA, lm_head, ARRAY(self->transformer.wte.num, self->transformer.wte.dim))
#include "pytree_registry.h"

static size_t count_parameters(size_t n, const pytree_leaf *leaves)
{
    size_t i, total = 0;
    for (i = 0; i < n; i++) { total += pytree_leaf_count(&leaves[i]); }
    return total;
}

/* Write a structure to bytes, and read it from there. Returns it, or NULL. */
static pytree_def *save_and_load(const pytree_def *def, pytree_error *err)
{
    const pytree_type *types[] = { PYTREE_TYPE(GPTHead), PYTREE_TYPE(GPT), PYTREE_TYPE(Embedding), PYTREE_TYPE(Block),
                                   PYTREE_TYPE(Attention), PYTREE_TYPE(FeedForward), PYTREE_TYPE(Linear),
                                   PYTREE_TYPE(LayerNorm) };
    const size_t n = pytree_def_save(def, NULL, 0, NULL, err);
    void *bytes = n == SIZE_MAX ? NULL : malloc(n);
    pytree_def *loaded = NULL;
    if (bytes != NULL) {
        pytree_def_save(def, bytes, n, NULL, err);
        loaded = pytree_def_load(bytes, n, types, sizeof types / sizeof *types, NULL, err);
    }
    free(bytes);
    return loaded;
}

/* Split the model into structure and parameters, save and load the structure, and merge them again. */
static void tie(const GPT *transformer, pytree_error *err)
{
    GPTHead model = { *transformer, transformer->wte.weight };
    pytree_def *graphdef = NULL, *loaded = NULL;
    pytree_flat params = { NULL, NULL };
    pytree merged = { NULL, NULL };
    if (pytree_split(PYTREE(&model), 0, NULL, &graphdef, &params, NULL, err) == PYTREE_OK) {
        loaded = save_and_load(graphdef, err);
    }
    if (loaded != NULL) { merged = pytree_merge(loaded, 1, (pytree[]){ PYTREE(&params) }, NULL, err); }
    if (merged.data != NULL) {
        const GPTHead *again = merged.data;
        printf("%zu arrays, of which %zu are parameters: %zu\n", pytree_num_leaves(PYTREE(&model), NULL, err),
               params.def->n_leaves, count_parameters(params.def->n_leaves, params.leaves));
        printf("lm_head is wte.weight: %s\n", again->lm_head == again->transformer.wte.weight ? "yes" : "no");
    }
    pytree_free(merged);
    pytree_def_free(loaded);
    pytree_flat_free(&params);
    pytree_def_free(graphdef);
}

/* The sizes of a model: the template for pytree_allocate. The blocks must be there as long as it. */
static GPT template_of(int vocabulary, int context, int c, int heads, int n, Block *blocks)
{
    for (int i = 0; i < n; i++) {
        blocks[i] = (Block){
            .ln_1 = { .dim = c },
            .attn = { .n_head = heads, .c_attn = { .din = c, .dout = 3 * c }, .c_proj = { .din = c, .dout = c } },
            .ln_2 = { .dim = c },
            .mlp = { .c_fc = { .din = c, .dout = 4 * c }, .c_proj = { .din = 4 * c, .dout = c } },
        };
    }
    return (GPT){ .n_layer = n, .wte = { .num = vocabulary, .dim = c }, .wpe = { .num = context, .dim = c }, .h = blocks,
                  .ln_f = { .dim = c } };
}

/* Write the parameters of a small model to a file, read them into memory of their own, and merge a model of them and of the
 * structure, which has been saved, too. A change of the embedding is then one of the head. */
static void tie_through_file(const char *path, pytree_error *err)
{
    Block blocks[2];
    GPT transformer = template_of(97, 16, 8, 2, 2, blocks);
    GPTHead model;
    pytree_def *graphdef = NULL, *loaded = NULL;
    pytree_flat params = { NULL, NULL }, read = { NULL, NULL };
    pytree merged = { NULL, NULL };
    if (pytree_allocate(PYTREE(&transformer), NULL, err) != PYTREE_OK) { return; }
    for (int i = 0; i < 97 * 8; i++) { transformer.wte.weight[i] = (float)i / 64; }
    model = (GPTHead){ transformer, transformer.wte.weight };
    pytree_split(PYTREE(&model), 0, NULL, &graphdef, &params, NULL, err);
    if (err->status == PYTREE_OK) { loaded = save_and_load(graphdef, err); }
    if (loaded != NULL) { pytree_save_safetensors(path, PYTREE(&params), NULL, err); }
    if (err->status == PYTREE_OK) { read = pytree_state_zeros_like(PYTREE(&params), NULL, err); }
    if (read.def != NULL && pytree_load_safetensors(path, PYTREE(&read), NULL, err) == PYTREE_OK) {
        merged = pytree_merge(loaded, 1, (pytree[]){ PYTREE(&read) }, NULL, err);
    }
    if (merged.data != NULL) {
        GPTHead *again = merged.data;
        const bool same = pytree_equal(PYTREE(&model), merged, NULL, NULL, err);
        again->transformer.wte.weight[5] = -1;
        printf("Through a file of %zu tensors: the numbers are %s, lm_head[5] is %g with wte.weight[5]\n", params.def->n_leaves,
               same ? "the same" : "others", (double)again->lm_head[5]);
    }
    pytree_free(merged);
    pytree_flat_free(&read);
    pytree_def_free(loaded);
    pytree_flat_free(&params);
    pytree_def_free(graphdef);
    pytree_free(PYTREE(&transformer));
}

/* ---- The work: the same functions for both ---------------------------------------------------------------------------- */

/* Return whether the leaf at this key path decays: matrices and embeddings do, biases and layer norms do not. */
typedef bool rule(const char *path);

static bool ends_with(const char *text, const char *end)
{
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static bool stacked_rule(const char *path) { return strncmp(path, ".ln", 3) != 0 && !ends_with(path, "b"); }
static bool nested_rule(const char *path) { return strstr(path, ".ln_") == NULL && !ends_with(path, ".bias"); }

/* A tree with the structure of the model and booleans as leaves. It needs no struct of its own. */
typedef struct Mask {
    pytree_def *def;
    bool *values;
    pytree_flat tree;
} Mask;

static pytree_status make_mask(Mask *mask, pytree t, rule *decays, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    size_t n = 0;
    const char **paths = pytree_paths(t, NULL, &n, NULL, err);
    *mask = (Mask){ .def = NULL };
    if (paths == NULL) { return err->status; }
    if (pytree_flatten(t, &leaves, 0, &mask->def, NULL, err) == PYTREE_OK) {
        mask->values = calloc(n, sizeof *mask->values);
        if (mask->values == NULL) { pytree_fail(err, PYTREE_NO_MEMORY, "", "expected %zu bytes for a mask", n); }
    }
    for (size_t i = 0; err->status == PYTREE_OK && i < n; i++) {       /* the same structure with other leaves */
        mask->values[i] = decays(paths[i]);
        leaves[i] = (pytree_leaf){ .data = &mask->values[i], .type = PYTREE_TYPE(bool) };
    }
    mask->tree = (pytree_flat){ .def = mask->def, .leaves = leaves };
    pytree_paths_free(paths);
    return err->status;
}

static void free_mask(Mask *mask)
{
    free(mask->values);
    pytree_def_free(mask->def);
}

typedef struct Totals {
    size_t tensors, parameters, decayed_tensors, decayed_parameters;
} Totals;

/* Process a leaf of the model and the leaf of the mask. */
static pytree_status add_to_totals(void *context, const pytree_iter *at)
{
    Totals *totals = context;
    size_t n = pytree_leaf_count(at->leaf[0]);
    bool decays = *(const bool *)at->leaf[1]->data;
    totals->tensors++;
    totals->parameters += n;
    totals->decayed_tensors += decays;
    totals->decayed_parameters += decays ? n : 0;
    return PYTREE_OK;
}

/* Write 124439808 as "124,439,808". */
static const char *with_commas(size_t n, char text[32])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%zu", n), end = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) { text[end++] = ','; }
        text[end++] = digits[i];
    }
    text[end] = '\0';
    return text;
}

/* Print table and mask of `shown`, the model or a part of it, and count the parameters of the whole model. */
static pytree_status describe(pytree model, pytree shown, rule *decays, pytree_error *err)
{
    Mask mask = { .def = NULL }, shown_mask = { .def = NULL };
    Totals totals = { 0 };
    char text[2][32];
    pytree_status status = pytree_check(model, NULL, NULL, NULL, err);
    if (status == PYTREE_OK) { status = pytree_print(stdout, shown, NULL, err); }
    if (status == PYTREE_OK) { status = make_mask(&shown_mask, shown, decays, err); }
    if (status == PYTREE_OK) { printf("\nWhat decays:\n"); }
    if (status == PYTREE_OK) { status = pytree_print(stdout, PYTREE(&shown_mask.tree), NULL, err); }
    if (status == PYTREE_OK) { status = make_mask(&mask, model, decays, err); }
    if (status == PYTREE_OK) {
        status = pytree_map(add_to_totals, &totals, NULL, 2, (pytree[2]){ model, PYTREE(&mask.tree) }, NULL, err);
    }
    if (status == PYTREE_OK) {
        printf("\n%zu tensors, %s parameters; ", totals.tensors, with_commas(totals.parameters, text[0]));
        printf("%zu tensors of %s parameters decay\n", totals.decayed_tensors, with_commas(totals.decayed_parameters, text[1]));
    }
    free_mask(&shown_mask);
    free_mask(&mask);
    return status;
}

int main(int argc, char **argv)
{
    enum { CONTEXT = 1024, VOCABULARY = 50257, LAYERS = 12, HEADS = 12, C = 768 };
    pytree_error err = { 0 };

    GPT2 stacked = { .max_seq_len = CONTEXT, .vocab_size = VOCABULARY, .num_layers = LAYERS, .num_heads = HEADS,
                     .channels = C };
    if (pytree_allocate(PYTREE(&stacked), NULL, &err) == PYTREE_OK) {
        printf("Stacked: an array holds all %d layers\n\n", LAYERS);
        describe(PYTREE(&stacked), PYTREE(&stacked), stacked_rule, &err);
        pytree_free(PYTREE(&stacked));
    }

    Block blocks[LAYERS];                 /* the template: the sizes of each block */
    GPT nested = template_of(VOCABULARY, CONTEXT, C, HEADS, LAYERS, blocks);
    if (err.status == PYTREE_OK && pytree_allocate(PYTREE(&nested), NULL, &err) == PYTREE_OK) {
        printf("\nNested: a list of blocks, of which this is the first\n\n");
        describe(PYTREE(&nested), PYTREE(&nested.h[0]), nested_rule, &err);
        printf("\nWith its head, whose weights are those of the embedding\n\n");
        tie(&nested, &err);
        pytree_free(PYTREE(&nested));
    }
    if (err.status == PYTREE_OK && argc > 1) { tie_through_file(argv[1], &err); }
    pytree_error_print(stderr, &err);
    return err.status == PYTREE_OK ? EXIT_SUCCESS : EXIT_FAILURE;
}
