/* fuzz_checkpoint.h: what must hold for a checkpoint file of any format. */
#ifndef FUZZ_CHECKPOINT_H
#define FUZZ_CHECKPOINT_H

#include "fuzz.h"
#include "pytree/checkpoint_file.h"

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

/* Read each tensor from the file and from the mapping: both are the same. */
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
    pytree_checkpoint_close(mapped);
    pytree_checkpoint_close(file);
}

#endif
