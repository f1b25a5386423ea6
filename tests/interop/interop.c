/* interop.c: the library's side of tests/interop/run.
 *
 *     interop copy FROM TO [LEVEL]     every array of a file into memory, and from there into another; formats by their endings
 *     interop map FROM TO              the same without reading: the arrays lie in the mapped file (safetensors)
 *     interop make TO                  a tree of registered structs with every element type, counting from 0
 *     interop load FROM                such a file into such a tree; the numbers must be those
 *
 * Metadata goes along from safetensors to safetensors. LEVEL: of deflate.
 */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/npz.h"
#include "pytree/safetensors.h"

#include <stdlib.h>

/* ---- A tree of arrays whose names only the file knows -------------------------------------------------------------- */

typedef struct Arrays {
    pytree_items items;
    pytree_leaf *leaves;
    pytree_pair *pairs;
    pytree_safetensors *file;             /* names and metadata are its, or the archive's */
    pytree archive;
    pytree_leaf array;
} Arrays;

static pytree tree_of(Arrays *a)
{
    pytree t = { &pytree_types[PYTREE__T_dict], &a->items };
    return a->archive.data != NULL ? a->archive : a->array.data != NULL ? PYTREE(&a->array) : t;
}

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

/* An array of its own for each tensor, loaded by name; or none yet, for those that are mapped. */
static pytree_status read_safetensors(Arrays *a, const char *path, bool map, pytree_error *err)
{
    size_t n;
    a->file = pytree_safetensors_open(path, NULL, err);
    if (a->file == NULL) { return err->status; }
    n = a->file->n_tensors;
    a->leaves = calloc(n + 1, sizeof *a->leaves);
    a->pairs = calloc(n + 1, sizeof *a->pairs);
    if (a->leaves == NULL || a->pairs == NULL) { return pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected memory"); }
    a->items.pairs = a->pairs;
    for (size_t i = 0; i < n; i++) {
        const pytree_tensor *t = &a->file->tensors[i];
        pytree_leaf *leaf = &a->leaves[i];
        if (t->type == NULL || t->ndim > PYTREE_MAX_DIMS) {
            return pytree_fail(err, PYTREE_TYPE, t->name, "expected a type and rank of C, got %s", t->dtype);
        }
        leaf->type = t->type;
        leaf->ndim = (int)t->ndim;
        for (size_t d = 0; d < t->ndim; d++) { leaf->shape[d] = (size_t)t->shape[d]; }
        leaf->data = malloc((size_t)t->bytes + 1);
        if (leaf->data == NULL) { return pytree_fail(err, PYTREE_NO_MEMORY, NULL, "expected memory"); }
        a->pairs[a->items.count++] = (pytree_pair){ t->name, pytree_of_view(leaf) };
    }
    if (!map) { return pytree_safetensors_load(a->file, tree_of(a), NULL, err); }
    return PYTREE_OK;
}

static pytree_status read_any(Arrays *a, const char *path, pytree_error *err)
{
    memset(a, 0, sizeof *a);
    if (ends_in(path, ".npy")) { return pytree_read_npy(path, &a->array, NULL, err); }
    if (ends_in(path, ".npz")) { return pytree_read_npz(path, &a->archive, NULL, err); }
    return read_safetensors(a, path, false, err);
}

static pytree_status write_any(Arrays *a, const char *path, int level, pytree_error *err)
{
    pytree_checkpoint_options opt = { .compress = level };
    if (a->file != NULL) {
        opt.metadata = a->file->metadata;
        opt.n_metadata = a->file->n_metadata;
    }
    if (ends_in(path, ".npy")) { return pytree_save_npy(path, tree_of(a), &opt, err); }
    if (ends_in(path, ".npz")) { return pytree_save_npz(path, tree_of(a), &opt, err); }
    return pytree_save_safetensors(path, tree_of(a), &opt, err);
}

static void free_arrays(Arrays *a)
{
    for (size_t i = 0; i < a->items.count; i++) { free(a->leaves[i].data); }
    free(a->leaves);
    free(a->pairs);
    pytree_safetensors_close(a->file);
    pytree_npz_free(a->archive);
    pytree_npy_free(&a->array);
}

static void copy(const char *from, const char *to, int level, pytree_error *err)
{
    Arrays a;
    if (read_any(&a, from, err) == PYTREE_OK) { write_any(&a, to, level, err); }
    free_arrays(&a);
}

/* pytree_safetensors_map's data, as it lies. */
static void map(const char *from, const char *to, pytree_error *err)
{
    pytree_safetensors *mapped = pytree_safetensors_map(from, NULL, err);
    Arrays a;
    memset(&a, 0, sizeof a);
    if (mapped != NULL && read_safetensors(&a, from, true, err) == PYTREE_OK) {
        for (size_t i = 0; i < mapped->n_tensors; i++) {
            const pytree_tensor *t = pytree_safetensors_find(mapped, a.pairs[i].key);
            if (t->bytes != 0) { memcpy(a.leaves[i].data, t->data, (size_t)t->bytes); }
        }
        write_any(&a, to, 0, err);
    }
    free_arrays(&a);
    pytree_safetensors_close(mapped);
}

/* ---- A tree of structs --------------------------------------------------------------------------------------------- */

typedef struct Block {
    int rows, columns;
    float *w;                             /* (rows, columns) */
    double *b;                            /* (rows,) */
    pytree_bf16 *half;                    /* (columns,); safetensors alone has it */
} Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS                                            \
    PYTREE_FIELD(STATIC, rows)                                   \
    PYTREE_FIELD(STATIC, columns)                                \
    PYTREE_FIELD(DATA, w, ARRAY(self->rows, self->columns))      \
    PYTREE_FIELD(DATA, b, ARRAY(self->rows))                     \
    PYTREE_FIELD(DATA, half, OPTIONAL, ARRAY(self->columns))
#include "pytree_registry.h"

typedef struct State {
    bool flags[3];
    signed char i8;
    short i16[2];
    int i32;
    int64_t i64[2][1];
    unsigned char u8[2];
    unsigned short u16;
    unsigned u32[4];
    uint64_t u64;
    pytree_f16 f16[3];
    float _Complex c64[2];
    Block blocks[2];
    Block *last;
} State;

#define PYTREE_STRUCT State
#define PYTREE_FIELDS                                                                                                     \
    PYTREE_FIELD(DATA, flags) PYTREE_FIELD(DATA, i8) PYTREE_FIELD(DATA, i16) PYTREE_FIELD(DATA, i32)                      \
    PYTREE_FIELD(DATA, i64) PYTREE_FIELD(DATA, u8) PYTREE_FIELD(DATA, u16) PYTREE_FIELD(DATA, u32)                        \
    PYTREE_FIELD(DATA, u64) PYTREE_FIELD(DATA, f16) PYTREE_FIELD(DATA, c64) PYTREE_FIELD(DATA, blocks)                    \
    PYTREE_FIELD(DATA, last, OPTIONAL)
#include "pytree_registry.h"

/* Element i of a leaf is i; of a bool whether i is odd; of a half its bits. */
static pytree_status count_up(void *context, const pytree_iter *at)
{
    const pytree_leaf *leaf = at->leaf[0];
    size_t n = pytree_leaf_count(leaf), size = leaf->type->size;
    (void)context;
    for (size_t i = 0; i < n; i++) {
        float f = (float)i;
        double d = (double)i;
        uint64_t whole = leaf->type->dtype == PYTREE_BOOL8 ? i % 2 : i;
        const void *from = leaf->type->dtype == PYTREE_F32 || leaf->type->dtype == PYTREE_C64 ? (const void *)&f
                           : leaf->type->dtype == PYTREE_F64 ? (const void *)&d : (const void *)&whole;
        memcpy((char *)leaf->data + i * size, from, leaf->type->dtype == PYTREE_C64 ? sizeof f : size);
    }
    return PYTREE_OK;
}

/* The second block has no rows, and there is no last one. */
static pytree_status allocate(State *state, bool half, pytree_error *err)
{
    memset(state, 0, sizeof *state);
    state->blocks[0] = (Block){ .rows = 2, .columns = 3, .half = half ? PYTREE_WANTED : NULL };
    state->blocks[1] = (Block){ .rows = 0, .columns = 4, .half = half ? PYTREE_WANTED : NULL };
    return pytree_allocate(PYTREE(state), NULL, err);
}

static void make(const char *path, pytree_error *err)
{
    pytree_metadata about = { "größe", "\"1\"\n" };
    pytree_checkpoint_options opt = { .prefix = "état/", .metadata = &about, .n_metadata = 1 };
    bool npz = ends_in(path, ".npz");
    State state;
    if (allocate(&state, !npz, err) != PYTREE_OK) { return; }
    pytree_map(count_up, NULL, NULL, 1, (pytree[]){ PYTREE(&state) }, NULL, err);
    if (npz) { pytree_save_npz(path, PYTREE(&state), &opt, err); }
    else { pytree_save_safetensors(path, PYTREE(&state), &opt, err); }
    pytree_free(PYTREE(&state));
}

static void load(const char *path, pytree_error *err)
{
    pytree_checkpoint_options opt = { .prefix = "état/" };
    bool npz = ends_in(path, ".npz");
    State state, wanted;
    if (allocate(&state, !npz, err) != PYTREE_OK) { return; }
    if (allocate(&wanted, !npz, err) == PYTREE_OK) {
        pytree_map(count_up, NULL, NULL, 1, (pytree[]){ PYTREE(&wanted) }, NULL, err);
        if (npz) { pytree_load_npz(path, PYTREE(&state), &opt, err); }
        else { pytree_load_safetensors(path, PYTREE(&state), &opt, err); }
        if (err->status == PYTREE_OK) { pytree_equal(PYTREE(&state), PYTREE(&wanted), NULL, NULL, err); }
        pytree_free(PYTREE(&wanted));
    }
    pytree_free(PYTREE(&state));
}

/* ---- Command line -------------------------------------------------------------------------------------------------- */

int main(int argc, char **argv)
{
    pytree_error err = { 0 };
    const char *word = argc > 1 ? argv[1] : "";
    if (strcmp(word, "copy") == 0 && argc >= 4) { copy(argv[2], argv[3], argc > 4 ? atoi(argv[4]) : 0, &err); }
    else if (strcmp(word, "map") == 0 && argc == 4) { map(argv[2], argv[3], &err); }
    else if (strcmp(word, "make") == 0 && argc == 3) { make(argv[2], &err); }
    else if (strcmp(word, "load") == 0 && argc == 3) { load(argv[2], &err); }
    else { pytree_fail(&err, PYTREE_ARGUMENT, NULL, "expected copy, map, make or load with files, got '%.100s'", word); }
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
