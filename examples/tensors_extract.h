/* tensors_extract.h: the command `tensors extract`, which writes one tensor to an .npy file. */
#ifndef TENSORS_EXTRACT_H
#define TENSORS_EXTRACT_H

#include "tensors_numbers.h"

/* Return the name with the longest common beginning and end. */
static const char *nearest(const Checkpoint *file, const char *name)
{
    const char *best = NULL;
    size_t best_alike = 0, n = strlen(name);
    for (size_t i = 0; i < file->n; i++) {
        const char *other = file->tensors[i]->name;
        size_t m = strlen(other), least = n < m ? n : m, head = 0, tail = 0;
        while (head < least && name[head] == other[head]) { head++; }
        while (tail < least - head && name[n - 1 - tail] == other[m - 1 - tail]) { tail++; }
        if (best == NULL || head + tail > best_alike) {
            best = other;
            best_alike = head + tail;
        }
    }
    return best;
}

static const pytree_tensor *find(const Checkpoint *file, const char *name, pytree_error *err)
{
    const char *other;
    for (size_t i = 0; i < file->n; i++) {
        if (strcmp(file->tensors[i]->name, name) == 0) { return file->tensors[i]; }
    }
    other = nearest(file, name);
    (void)pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected tensor '%.80s', got %zu others%s%.80s", name, file->n,
                      other != NULL ? ", the nearest: " : "", other != NULL ? other : "");
    return NULL;
}

/* Make a view of a tensor whose data are plain. */
static pytree_status tensor_view(const pytree_tensor *t, pytree_leaf *leaf, pytree_error *err)
{
    const unsigned char *bytes = t->data;
    if (t->type == NULL) { return pytree_fail(err, PYTREE_TYPE, NULL, "expected an element type of C, got %s", t->dtype); }
    if (t->ndim > PYTREE_MAX_DIMS) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected at most %d dimensions, got %zu", PYTREE_MAX_DIMS, t->ndim);
    }
    *leaf = (pytree_leaf){ .data = (void *)(uintptr_t)t->data, .type = t->type, .ndim = (int)t->ndim };
    for (size_t d = 0; d < t->ndim; d++) { leaf->shape[d] = (size_t)t->shape[d]; }
    for (uint64_t i = 0; t->type->dtype == PYTREE_BOOL8 && i < t->bytes; i++) {
        if (bytes[i] > 1) { return pytree_fail(err, PYTREE_VALUE, NULL, "expected 0 or 1 for a bool, got %d", bytes[i]); }
    }
    return PYTREE_OK;
}

/* Make a view that .npy can store. *wide is memory for numbers that must be converted; free it. */
static pytree_status npy_view(const pytree_tensor *t, pytree_leaf *leaf, float **wide, pytree_error *err)
{
    const unsigned char *bytes = t->data;
    if (t->type == NULL) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected an element type that .npy has, got %s", t->dtype);
    }
    if (tensor_view(t, leaf, err) != PYTREE_OK) { return err->status; }
    if (t->type->dtype == PYTREE_BF16) {
        size_t n = pytree_leaf_count(leaf);
        *wide = need(n < SIZE_MAX / sizeof **wide ? malloc((n + 1) * sizeof **wide) : NULL);
        for (size_t i = 0; i < n; i++) {
            uint16_t v;
            memcpy(&v, bytes + 2 * i, sizeof v);
            (*wide)[i] = widen_bf16(v);
        }
        leaf->data = *wide;
        leaf->type = PYTREE_TYPE(float);
    }
    return PYTREE_OK;
}

static int extract(const char *path, const char *name, const char *to)
{
    pytree_error err = { 0 };
    Checkpoint file;
    float *wide = NULL;
    pytree_leaf leaf;
    const pytree_tensor *t = NULL;
    pytree_tensor plain;
    void *copy = NULL;
    if (checkpoint_open(&file, path, &err) == PYTREE_OK) { t = find(&file, name, &err); }
    if (t != NULL) { plain = plain_of(&file, t, false, &copy); }
    if (t != NULL && npy_view(&plain, &leaf, &wide, &err) == PYTREE_OK) {
        pytree_save_npy(to, PYTREE(&leaf), NULL, &err);
        if (wide != NULL && err.status == PYTREE_OK) { fprintf(stderr, "tensors: .npy has no bf16; written as f32\n"); }
    }
    free(wide);
    free(copy);
    checkpoint_close(&file);
    return err.status == PYTREE_OK ? EQUAL : trouble(&err);
}

#endif
