/* safetensors_tree_shared.h: shared by test_safetensors_tree.c, test_safetensors_values.c and test_safetensors_sizes.c. */
#ifndef SAFETENSORS_TREE_SHARED_H
#define SAFETENSORS_TREE_SHARED_H

#include "support.h"
#include "golden_files.h"

#include "pytree/safetensors.h"

#include <math.h>

static inline const cJSON *member(const cJSON *json, const char *name) { return cJSON_GetObjectItemCaseSensitive(json, name); }

/* ---- Trees that are made from lists of tensors ------------------------------------------------------------------------- */

/* A dict of array leaves whose keys are the names. */
typedef struct Bag {
    size_t n;
    pytree_leaf *leaves;
    pytree_pair *pairs;
    pytree_items items;
    pytree tree;
} Bag;

static inline const pytree_type *type_named(const char *dtype)
{
    static const struct { const char *name; const pytree_type *type; } types[] = {
        { "BOOL", PYTREE_TYPE(bool) }, { "I8", PYTREE_TYPE(signed char) }, { "U8", PYTREE_TYPE(unsigned char) },
        { "I16", PYTREE_TYPE(short) }, { "U16", PYTREE_TYPE(unsigned short) }, { "I32", PYTREE_TYPE(int) },
        { "U32", PYTREE_TYPE(unsigned) }, { "I64", PYTREE_TYPE(long long) }, { "U64", PYTREE_TYPE(unsigned long long) },
        { "F16", PYTREE_TYPE(pytree_f16) }, { "BF16", PYTREE_TYPE(pytree_bf16) }, { "F32", PYTREE_TYPE(float) },
        { "F64", PYTREE_TYPE(double) }
    };
    size_t i;
    for (i = 0; i < COUNT_OF(types); i++) {
        if (strcmp(dtype, types[i].name) == 0) { return types[i].type; }
    }
    return NULL;
}

static inline void bag_init(Bag *bag, size_t n)
{
    memset(bag, 0, sizeof *bag);
    bag->n = n;
    bag->leaves = calloc(n + 1, sizeof *bag->leaves);
    bag->pairs = calloc(n + 1, sizeof *bag->pairs);
    assert_non_null(bag->leaves);
    assert_non_null(bag->pairs);
    bag->items.count = n;
    bag->items.pairs = bag->pairs;
    bag->tree.type = &pytree_types[PYTREE__T_dict];
    bag->tree.data = &bag->items;
}

/* Leaf i of type and shape; its memory is filled with `first`, first + 1, … */
static inline void bag_put(Bag *bag, size_t i, const char *name, const pytree_type *type, size_t ndim, unsigned char first)
{
    pytree_leaf *leaf = &bag->leaves[i];
    unsigned char *bytes;
    size_t k, n;
    leaf->type = type;
    leaf->ndim = (int)ndim;
    n = pytree_leaf_bytes(leaf);
    bytes = malloc(n + 1);
    assert_non_null(bytes);
    for (k = 0; k < n; k++) { bytes[k] = (unsigned char)(type->dtype == PYTREE_BOOL8 ? k % 2 : first + k); }
    leaf->data = bytes;
    bag->pairs[i].key = name;
    bag->pairs[i].value = pytree_of_view(leaf);
}

static inline void bag_clear(Bag *bag)
{
    size_t i;
    for (i = 0; i < bag->n; i++) { free(bag->leaves[i].data); }
    free(bag->leaves);
    free(bag->pairs);
}

/* ---- Files in memory --------------------------------------------------------------------------------------------------- */

typedef struct Disk {
    pytree_memory memory;
    pytree_io io;
    pytree_checkpoint_options opt;
    pytree_error error;
} Disk;

static inline void disk_init(Disk *disk)
{
    memset(disk, 0, sizeof *disk);
    disk->io = pytree_memory_io(&disk->memory);
    disk->opt.io = &disk->io;
}

static inline void disk_clear(Disk *disk) { pytree_memory_free(&disk->memory); }

static inline void disk_save(Disk *disk, pytree t)
{
    assert_ok(pytree_save_safetensors("f", t, &disk->opt, &disk->error), &disk->error);
}

static inline void disk_load(Disk *disk, pytree t)
{
    assert_ok(pytree_load_safetensors("f", t, &disk->opt, &disk->error), &disk->error);
}

static inline void assert_load_fails(Disk *disk, pytree t, pytree_status status, const char *path)
{
    assert_error(pytree_load_safetensors("f", t, &disk->opt, &disk->error), status, path, &disk->error);
    memset(&disk->error, 0, sizeof disk->error);
}

/* The header as text, without the spaces at its end. */
static inline void assert_header(const Disk *disk, const char *expected)
{
    const char *bytes = disk->memory.bytes;
    size_t n = (size_t)(unsigned char)bytes[0] | (size_t)(unsigned char)bytes[1] << 8, end = n;
    while (bytes[8 + end - 1] == ' ') { end--; }
    assert_int_equal(n % 8, 0);
    assert_true(n - end < 8);
    if (end != strlen(expected) || memcmp(bytes + 8, expected, end) != 0) {
        fail_msg("expected header: %s\ngot: %.*s", expected, (int)end, bytes + 8);
    }
}

/* ---- Names ------------------------------------------------------------------------------------------------------------- */

/* A path of more entries than there is room for at first. */
static inline void leaves_that_lie_deep(void **state)
{
    enum { DEEP = 300 };
    Node *chain = chain_make(DEEP), *copy = chain_make(DEEP);
    size_t i;
    Disk disk;
    (void)state;
    disk_init(&disk);
    disk_save(&disk, PYTREE(chain));
    for (i = 0; i < DEEP; i++) { copy[i].value = -1; }
    disk_load(&disk, PYTREE(copy));
    for (i = 0; i < DEEP; i++) { assert_true(copy[i].value == (double)i); }
    disk_clear(&disk);
    free(chain);
    free(copy);
}

/* ---- Sizes from the file ----------------------------------------------------------------------------------------------- */

typedef struct Attention {
    short width, heads;
    float *qkv;                           /* (3 * width, width) */
    float *out;                           /* (width, width / (heads + 1)) */
    float *bias;                          /* (width,); NULL when there is none */
} Attention;

#define PYTREE_STRUCT Attention
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, width)                                                                                         \
    PYTREE_FIELD(STATIC, heads)                                                                                         \
    PYTREE_FIELD(DATA, qkv, ARRAY(3 * self->width, self->width))                                                        \
    PYTREE_FIELD(DATA, out, ARRAY(self->width, self->width / (self->heads + 1)))                                              \
    PYTREE_FIELD(DATA, bias, OPTIONAL, ARRAY(self->width))
#include "pytree_registry.h"

typedef struct Stage {
    unsigned char n;
    Attention *blocks;
    Linear pair[2];
    struct Stage *next;
} Stage;

#define PYTREE_STRUCT Stage
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n)                                                                                             \
    PYTREE_FIELD(DATA, blocks, LIST(self->n))                                                                           \
    PYTREE_FIELD(DATA, pair)                                                                                            \
    PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

/* A size that its integer cannot hold, a chain that goes on and on: refused, and the struct is as it was. */
static inline void sizes_that_do_not_fit(void **state)
{
    enum { DEEP = 1200 };
    static char name[5 * DEEP + 16];
    Stage got = { 0 }, before;
    Node chain = { 0 }, chain_before;
    float *many = calloc(70000, sizeof *many), *one = calloc(1, sizeof *one);
    pytree_error error = { 0 };
    size_t i;
    Disk disk;
    (void)state;
    assert_non_null(many);
    assert_non_null(one);
    before = got;
    chain_before = chain;
    disk_init(&disk);
    disk_save(&disk, PYTREE_DICT({ "blocks.0.bias", PYTREE_ARRAY(many, 70000) }));
    assert_error(pytree_allocate_from_safetensors("f", PYTREE(&got), &disk.opt, &error), PYTREE_OVERFLOW, NULL, &error);
    assert_non_null(strstr(error.message, "blocks.0.width"));
    assert_memory_equal(&before, &got, sizeof got);
    for (i = 0; i < DEEP; i++) { memcpy(name + 5 * i, "next.", 5); }
    memcpy(name + (size_t)5 * DEEP, "value", 6);
    disk_save(&disk, PYTREE_DICT({ name, PYTREE_ARRAY(one, 1) }));
    memset(&error, 0, sizeof error);
    assert_error(pytree_allocate_from_safetensors("f", PYTREE(&chain), &disk.opt, &error), PYTREE_OVERFLOW, NULL, &error);
    assert_memory_equal(&chain_before, &chain, sizeof chain);
    memcpy(name + 5 * 900, "value", 6);
    disk_save(&disk, PYTREE_DICT({ name, PYTREE(one) }));
    memset(&error, 0, sizeof error);
    assert_ok(pytree_allocate_from_safetensors("f", PYTREE(&chain), &disk.opt, &error), &error);
    assert_int_equal(pytree_num_leaves(PYTREE(&chain), NULL, &error), 901);
    pytree_free(PYTREE(&chain));
    disk_clear(&disk);
    free(many);
    free(one);
}

#endif
