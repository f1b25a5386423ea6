/* .safetensors: any bytes are refused, or give tensors within the data, which are saved and read again as the same. An input
 * that begins like JSON is the index of a sharded checkpoint, whose shards are always the same. */
#include "fuzz.h"
#include "pytree/safetensors.h"

typedef struct Linear {
    int in, out;
    float *weight, *bias;
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, in)                               \
    PYTREE_FIELD(STATIC, out)                              \
    PYTREE_FIELD(DATA, weight, ARRAY(self->out, self->in)) \
    PYTREE_FIELD(DATA, bias, OPTIONAL, ARRAY(self->out))
#include "pytree_registry.h"

typedef struct Net {
    size_t n_layers;
    Linear *layers;
    Linear *head;
    bool ready[2];
    int step;
} Net;

#define PYTREE_STRUCT Net
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n_layers)                         \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))       \
    PYTREE_FIELD(DATA, head, OPTIONAL)                     \
    PYTREE_FIELD(DATA, ready)                              \
    PYTREE_FIELD(DATA, step)
#include "pytree_registry.h"

/* ---- Files: the input, under a path of its own, and shards, whatever they are called ------------------------------- */

static const char input[] = "model.safetensors", input_index[] = "model.safetensors.index.json";
static const char shard[] = "\x6d\0\0\0\0\0\0\0"
    "{\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]},"
    "\"b\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[8,9]}}    "
    "01234567\1";

typedef struct Folder {
    pytree_memory whole, shard;
} Folder;

static int open_file(void *context, const char *path, void **file, uint64_t *size)
{
    Folder *folder = context;
    pytree_io io = pytree_memory_io(strncmp(path, input, sizeof input - 1) == 0 ? &folder->whole : &folder->shard);
    int code = io.open(io.context, path, file, size);
    *file = io.context;
    return code;
}

static int read_file(void *context, void *file, uint64_t at, void *to, size_t n, size_t *done)
{
    pytree_io io = pytree_memory_io(file);
    (void)context;
    return io.read(io.context, file, at, to, n, done);
}

static int close_file(void *context, void *file)
{
    (void)context;
    (void)file;
    return 0;
}

/* ---- What must hold ------------------------------------------------------------------------------------------------ */

/* Does C have numbers as these bytes are? */
static bool can_be_leaf(const pytree_tensor *t)
{
    const unsigned char *bytes = t->data;
    uint64_t room = (uint64_t)PTRDIFF_MAX / 16;               /* the extents of an empty tensor may be anything */
    if (t->type == NULL || t->ndim > PYTREE_MAX_DIMS) { return false; }
    for (size_t d = 0; d < t->ndim; d++) {
        if (t->shape[d] > room) { return false; }
        room /= t->shape[d] != 0 ? t->shape[d] : 1;
    }
    for (uint64_t i = 0; t->type->dtype == PYTREE_BOOL8 && i < t->bytes; i++) {
        if (bytes[i] > 1) { return false; }
    }
    return true;
}

/* The tensors that can be leaves as a dict: saved, read, loaded. `open` is the same file without its data. */
static void write_and_read(const pytree_safetensors *file, const pytree_safetensors *open)
{
    pytree_memory memory = { 0 };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io, .metadata = file->metadata, .n_metadata = file->n_metadata,
                                      .shared = PYTREE_SHARED_EACH };
    pytree_leaf *leaves = calloc(file->n_tensors + 1, sizeof *leaves);
    pytree_pair *pairs = calloc(file->n_tensors + 1, sizeof *pairs);
    pytree_items items = { 0 };
    pytree tree = { &pytree_types[PYTREE__T_dict], &items }, zeros;
    pytree_safetensors *again;
    pytree_error err = { 0 };
    REQUIRE(leaves != NULL && pairs != NULL);
    for (size_t i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *t = &file->tensors[i];
        if (!can_be_leaf(t)) { continue; }
        leaves[items.count] = (pytree_leaf){ .type = t->type, .ndim = (int)t->ndim };
        for (size_t d = 0; d < t->ndim; d++) { leaves[items.count].shape[d] = (size_t)t->shape[d]; }
        leaves[items.count].data = malloc((size_t)t->bytes + 1);               /* aligned */
        REQUIRE(leaves[items.count].data != NULL);
        pytree_safetensors_read(open, &open->tensors[i], leaves[items.count].data, (size_t)t->bytes, &err);
        REQUIRE(err.status == PYTREE_OK);
        REQUIRE(t->bytes == 0 || memcmp(leaves[items.count].data, t->data, (size_t)t->bytes) == 0);
        pairs[items.count] = (pytree_pair){ t->name, pytree_of_view(&leaves[items.count]) };
        items.count++;
    }
    items.pairs = pairs;
    pytree_save_safetensors("", tree, &opt, &err);
    if (err.status != PYTREE_OK) { pytree_error_print(stderr, &err); }
    REQUIRE(err.status == PYTREE_OK);
    again = pytree_safetensors_map("", &opt, NULL);
    REQUIRE(again != NULL && again->n_tensors == items.count && again->n_metadata == file->n_metadata);
    for (size_t i = 0; i < items.count; i++) {
        const pytree_tensor *t = pytree_safetensors_find(again, pairs[i].key);
        size_t bytes = pytree_leaf_bytes(&leaves[i]);
        REQUIRE(t != NULL && t->bytes == bytes && t->ndim == (size_t)leaves[i].ndim && t->type->dtype == leaves[i].type->dtype);
        REQUIRE(bytes == 0 || memcmp(t->data, leaves[i].data, bytes) == 0);
    }
    zeros = pytree_zeros_like(tree, NULL, NULL);
    REQUIRE(zeros.data != NULL && pytree_load_safetensors("", zeros, &opt, NULL) == PYTREE_OK);
    REQUIRE(pytree_equal(zeros, tree, &(pytree_tolerance){ .nan_equal = true }, NULL, NULL));
    pytree_free(zeros);
    pytree_safetensors_close(again);
    pytree_memory_free(&memory);
    for (size_t i = 0; i < items.count; i++) { free(leaves[i].data); }
    free(pairs);
    free(leaves);
}

static void check_file(const pytree_safetensors *file, const pytree_safetensors *open)
{
    unsigned sum = 0;
    for (size_t i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *t = &file->tensors[i];
        const unsigned char *bytes = t->data;
        REQUIRE(pytree_safetensors_find(file, t->name) == t && t->file < file->n_files);
        for (uint64_t k = 0; k < t->bytes; k++) { sum += bytes[k]; }           /* all of it is there */
    }
    REQUIRE(file->n_tensors == 0 || sum + 1 != 0);
    write_and_read(file, open);
}

/* The same structs with their arrays in the file, which lies in memory. */
static void map_structs(const char *path, const Net *loaded, const pytree_checkpoint_options *opt)
{
    Net net = *loaded;
    Linear layers[16], head;
    pytree_error err = { 0 };
    pytree_safetensors *file;
    if (net.n_layers > sizeof layers / sizeof layers[0]) { return; }
    for (size_t i = 0; i < net.n_layers; i++) { layers[i] = net.layers[i]; }
    net.layers = layers;
    if (net.head != NULL) {
        head = *net.head;
        net.head = &head;
    }
    file = pytree_mmap_safetensors(path, PYTREE(&net), opt, &err);
    if (file == NULL) { pytree_error_print(stderr, &err); }
    REQUIRE(file != NULL);
    REQUIRE(pytree_equal(PYTREE(&net), PYTREE(loaded), &(pytree_tolerance){ .nan_equal = true }, NULL, NULL));
    pytree_safetensors_close(file);
}

/* Into structs whose sizes the file decides. */
static void load_structs(const char *path, const pytree_checkpoint_options *opt)
{
    Net net = { .step = 7 };
    pytree_error err = { 0 };
    pytree_status status = pytree_allocate_from_safetensors(path, PYTREE(&net), opt, &err);
    REQUIRE(status == err.status);
    if (status != PYTREE_OK) {
        REQUIRE(net.n_layers == 0 && net.layers == NULL && net.head == NULL && net.step == 7);
        return;
    }
    status = pytree_load_safetensors(path, PYTREE(&net), opt, &err);
    REQUIRE(status == PYTREE_OK || net.step == 7);
    if (status == PYTREE_OK) { map_structs(path, &net, opt); }
    REQUIRE(pytree_check(PYTREE(&net), NULL, NULL, NULL, NULL) == PYTREE_OK);
    pytree_free(PYTREE(&net));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Folder folder = { .whole = { .bytes = data, .size = size }, .shard = { .bytes = shard, .size = sizeof shard - 1 } };
    pytree_io io = { .open = open_file, .read = read_file, .close = close_file, .context = &folder };
    pytree_checkpoint_options opt = { .io = &io, .ignore_unexpected = true, .convert = true };
    pytree_error err = { 0 };
    const char *path = size > 0 && data[0] == '{' ? input_index : input;
    pytree_safetensors *file = pytree_safetensors_map(path, &opt, &err), *open = pytree_safetensors_open(path, &opt, NULL);
    fuzz_check_error(file != NULL, &err);
    REQUIRE((open != NULL) == (file != NULL));
    if (file != NULL) { check_file(file, open); }
    pytree_safetensors_close(open);
    pytree_safetensors_close(file);
    load_structs(path, &opt);
    return 0;
}
