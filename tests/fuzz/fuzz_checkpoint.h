/* fuzz_checkpoint.h: what must hold for a checkpoint file of any format. */
#ifndef FUZZ_CHECKPOINT_H
#define FUZZ_CHECKPOINT_H

#include "fuzz.h"
#include "pytree/checkpoint_file.h"
#include "pytree/containers.h"

typedef pytree_checkpoint *FuzzOpen(const char *path, const pytree_checkpoint_options *opt, pytree_error *err);

/* The bytes of a tensor's elements in memory; SIZE_MAX if they are too many to be looked at. */
static inline size_t fuzz_bytes(const pytree_tensor *t)
{
    uint64_t n = t->type == NULL ? t->bytes : t->type->size;
    for (size_t d = 0; t->type != NULL && d < t->ndim; d++) {
        if (t->shape[d] != 0 && n > (UINT64_C(1) << 20) / t->shape[d]) { return SIZE_MAX; }
        n *= t->shape[d];
    }
    return n > 1u << 20 ? SIZE_MAX : (size_t)n;
}

enum { FUZZ_LOADED = 64, FUZZ_FILL = 0xA5 };

/* Name the leaf of a list after the tensor of its index. */
static inline size_t fuzz_name(void *context, const char *leaf, char *text, size_t n, ptrdiff_t *slice)
{
    const pytree_checkpoint *file = context;
    (void)slice;
    return (size_t)snprintf(text, n, "%s", file->tensors[strtoul(leaf, NULL, 10)].name);
}

/* Load the first tensors that C has types for into a list: each becomes what reading gives, or all leaves stay as they are. */
static inline void fuzz_load(const pytree_checkpoint *file)
{
    pytree_checkpoint_options opt = { .rename = fuzz_name, .rename_context = (void *)(uintptr_t)file,
                                      .ignore_unexpected = true };
    pytree_leaf leaves[FUZZ_LOADED] = { { 0 } };
    size_t bytes[FUZZ_LOADED], n = 0;
    pytree_error err = { 0 };
    pytree list = pytree_new_list(NULL, NULL);
    pytree_status status;
    for (; n < FUZZ_LOADED && n < file->n_tensors; n++) {
        const pytree_tensor *t = &file->tensors[n];
        bytes[n] = fuzz_bytes(t);
        if (t->type == NULL || bytes[n] == SIZE_MAX) { break; }
        leaves[n] = (pytree_leaf){ .data = malloc(bytes[n] + 1), .type = t->type, .ndim = (int)t->ndim };
        for (size_t d = 0; d < t->ndim; d++) { leaves[n].shape[d] = (size_t)t->shape[d]; }
        REQUIRE(leaves[n].data != NULL);
        memset(leaves[n].data, FUZZ_FILL, bytes[n] + 1);
        REQUIRE(pytree_list_append(list, PYTREE(&leaves[n]), NULL) == PYTREE_OK);
    }
    status = pytree_checkpoint_load(file, list, &opt, &err);
    fuzz_check_error(status == PYTREE_OK, &err);
    for (size_t i = 0; i < n; i++) {
        unsigned char *read = malloc(bytes[i] + 1), *data = leaves[i].data;
        REQUIRE(read != NULL);
        memset(read, FUZZ_FILL, bytes[i] + 1);
        REQUIRE(status != PYTREE_OK || pytree_checkpoint_read(file, &file->tensors[i], read, bytes[i], NULL) == PYTREE_OK);
        REQUIRE(memcmp(data, read, bytes[i] + 1) == 0);
        free(read);
        free(data);
    }
    pytree_container_free(list);
}

/* Read each tensor from the file and from the mapping: both are the same. Load them. */
static inline void fuzz_checkpoint(FuzzOpen *open, const uint8_t *data, size_t size)
{
    pytree_memory memory = { .bytes = data, .size = size };
    pytree_io io = pytree_memory_io(&memory);
    pytree_checkpoint_options opt = { .io = &io };
    pytree_error err = { 0 };
    pytree_checkpoint *file = open("f", &opt, &err), *mapped;
    fuzz_check_error(file != NULL, &err);
    if (file == NULL) { return; }
    mapped = open("f", &opt, NULL);
    REQUIRE(mapped != NULL && pytree_checkpoint_map(mapped, NULL) == PYTREE_OK && mapped->n_tensors == file->n_tensors);
    for (size_t i = 0; i < file->n_metadata; i++) {
        REQUIRE(strcmp(file->metadata[i].key, mapped->metadata[i].key) == 0);
        REQUIRE(strcmp(file->metadata[i].text, mapped->metadata[i].text) == 0);
    }
    for (size_t i = 0; i < file->n_tensors; i++) {
        const pytree_tensor *t = &file->tensors[i];
        size_t n = fuzz_bytes(t);
        unsigned char *a = malloc(n == SIZE_MAX ? 1 : n + 1), *b = malloc(n == SIZE_MAX ? 1 : n + 1);
        REQUIRE(a != NULL && b != NULL && pytree_checkpoint_find(file, t->name) == t && t->file == 0 && t->offset <= size);
        if (n != SIZE_MAX) {
            pytree_status status = pytree_checkpoint_read(file, t, a, n, NULL);
            REQUIRE(status == PYTREE_OK || status == PYTREE_VALUE);            /* bools that are neither 0 nor 1 */
            REQUIRE(pytree_checkpoint_read(mapped, &mapped->tensors[i], b, n, NULL) == status);
            REQUIRE(status != PYTREE_OK || memcmp(a, b, n) == 0);
        }
        free(a);
        free(b);
    }
    fuzz_load(file);
    pytree_checkpoint_close(mapped);
    pytree_checkpoint_close(file);
}

#endif
