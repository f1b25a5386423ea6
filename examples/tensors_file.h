/* tensors_file.h: opening and closing a checkpoint of any format, with a list of its tensors in the order of their names. */
#ifndef TENSORS_FILE_H
#define TENSORS_FILE_H

#include "tensors_text.h"

#include "pytree/gguf.h"
#include "pytree/npz.h"
#include "pytree/pt.h"
#include "pytree/safetensors.h"

/* A file of any format, with its tensors sorted by name. */
typedef struct Checkpoint {
    const char *path, *format;
    size_t n;
    const pytree_tensor **tensors;
    size_t n_metadata;
    const pytree_metadata *metadata;
    pytree_checkpoint *mapped;            /* the owner of the data; which one is used depends on the format */
    pytree archive;
    pytree_leaf array;
    pytree_tensor *own;                   /* a list made here if the reader makes none, followed by the shapes */
    uint64_t (*shapes)[PYTREE_MAX_DIMS];
} Checkpoint;

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int by_name(const void *a, const void *b)
{
    return compare_names((*(const pytree_tensor *const *)a)->name, (*(const pytree_tensor *const *)b)->name);
}

static void list_tensors(Checkpoint *file, size_t n, const pytree_tensor *tensors)
{
    file->n = n;
    file->tensors = need(malloc((n + 1) * sizeof *file->tensors));
    for (size_t i = 0; i < n; i++) { file->tensors[i] = &tensors[i]; }
    qsort(file->tensors, n, sizeof *file->tensors, by_name);
}

/* List arrays in memory like the tensors of a file. */
static void list_leaves(Checkpoint *file, size_t n, const pytree_leaf *leaves, const pytree_entry *names)
{
    file->own = need(calloc(n + 1, sizeof *file->own));
    file->shapes = need(calloc(n + 1, sizeof *file->shapes));
    for (size_t i = 0; i < n; i++) {
        for (int d = 0; d < leaves[i].ndim; d++) { file->shapes[i][d] = leaves[i].shape[d]; }
        file->own[i] = (pytree_tensor){
            .name = names[i].name, .dtype = pytree_dtype_name(leaves[i].type), .type = leaves[i].type,
            .ndim = (size_t)leaves[i].ndim, .shape = file->shapes[i],
            .bytes = pytree_leaf_bytes(&leaves[i]), .data = leaves[i].data
        };
    }
    list_tensors(file, n, file->own);
}

typedef pytree_checkpoint *Opener(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

static pytree_status open_mapped(Checkpoint *file, Opener *open, pytree_error *err)
{
    file->mapped = open(file->path, NULL, err);
    if (file->mapped == NULL || pytree_checkpoint_map(file->mapped, err) != PYTREE_OK) { return err->status; }
    file->n_metadata = file->mapped->n_metadata;
    file->metadata = file->mapped->metadata;
    list_tensors(file, file->mapped->n_tensors, file->mapped->tensors);
    return PYTREE_OK;
}

static pytree_status open_npz(Checkpoint *file, pytree_error *err)
{
    pytree_leaf *leaves;
    pytree_entry *names;
    size_t n = 0;
    pytree_status status = pytree_read_npz(file->path, &file->archive, NULL, err);
    if (status != PYTREE_OK) { return status; }
    status = pytree_children(file->archive, NULL, NULL, 0, &n, NULL, err);
    leaves = need(calloc(n + 1, sizeof *leaves));
    names = need(calloc(n + 1, sizeof *names));
    if (status == PYTREE_OK) { status = pytree_children(file->archive, leaves, names, n, &n, NULL, err); }
    if (status == PYTREE_OK) { list_leaves(file, n, leaves, names); }
    free(leaves);
    free(names);
    return status;
}

/* Read an .npy file. Its array gets NumPy's default name, so that the file can be compared with an .npz file. */
static pytree_status open_npy(Checkpoint *file, pytree_error *err)
{
    pytree_entry name = { .kind = PYTREE_KEY, .name = "arr_0" };
    pytree_status status = pytree_read_npy(file->path, &file->array, NULL, err);
    if (status == PYTREE_OK) { list_leaves(file, 1, &file->array, &name); }
    return status;
}

static pytree_status checkpoint_open(Checkpoint *file, const char *path, pytree_error *err)
{
    memset(file, 0, sizeof *file);
    file->path = path;
    if (ends_in(path, ".npy")) {
        file->format = "npy";
        return open_npy(file, err);
    }
    if (ends_in(path, ".npz")) {
        file->format = "npz";
        return open_npz(file, err);
    }
    if (ends_in(path, ".pt") || ends_in(path, ".pth")) {
        file->format = "pt";
        return open_mapped(file, pytree_pt_open, err);
    }
    if (ends_in(path, ".gguf")) {
        file->format = "gguf";
        return open_mapped(file, pytree_gguf_open, err);
    }
    file->format = "safetensors";
    return open_mapped(file, pytree_safetensors_open, err);
}

static void checkpoint_close(Checkpoint *file)
{
    pytree_checkpoint_close(file->mapped);
    pytree_npz_free(file->archive);
    pytree_npy_free(&file->array);
    free(file->tensors);
    free(file->own);
    free(file->shapes);
}

static const char *type_of(const pytree_tensor *t)
{
    return t->type != NULL && t->packing == NULL ? pytree_dtype_name(t->type) : t->dtype;
}

static char *shape_of(const pytree_tensor *t)
{
    char *made = need(malloc(22 * t->ndim + 3)), *to = made;
    *to++ = '[';
    for (size_t d = 0; d < t->ndim; d++) { to += sprintf(to, d == 0 ? "%llu" : ",%llu", (unsigned long long)t->shape[d]); }
    strcpy(to, "]");
    return made;
}

static uint64_t elements_of(const pytree_tensor *t)
{
    uint64_t n = 1;
    for (size_t d = 0; d < t->ndim; d++) { n *= t->shape[d]; }
    return n;
}

/* Return a tensor whose data are its elements as C has them: of one that is quantised, not in row-major order or of other
 * machines a copy, which is to be freed; with `aligned` also of one that is not aligned. */
static pytree_tensor plain_of(const Checkpoint *file, const pytree_tensor *t, bool aligned, void **copy)
{
    pytree_tensor plain = *t;
    bool usable = t->packing == NULL && t->strides == NULL && (file->mapped == NULL || !file->mapped->swapped);
    *copy = NULL;
    if (t->type == NULL || (usable && !(aligned && (uintptr_t)t->data % t->type->align != 0))) { return plain; }
    plain.bytes = elements_of(t) * t->type->size;
    plain.data = *copy = need(plain.bytes < SIZE_MAX ? malloc((size_t)plain.bytes + 1) : NULL);
    plain.strides = NULL;
    if (file->mapped == NULL) { memcpy(*copy, t->data, (size_t)plain.bytes); }
    else if (pytree_checkpoint_read(file->mapped, t, *copy, (size_t)plain.bytes, NULL) != PYTREE_OK) {
        memset(*copy, 0xFF, (size_t)plain.bytes);              /* bools that are none */
    }
    return plain;
}

static void json_tensor(const pytree_tensor *t)
{
    char *shape = shape_of(t);
    fputs("\"dtype\":", stdout);
    json_text(type_of(t));
    printf(",\"shape\":%s", shape);
    free(shape);
}

#endif
