/* tensors_convert.h: the command `tensors convert`, which writes a checkpoint in another format. */
#ifndef TENSORS_CONVERT_H
#define TENSORS_CONVERT_H

#include "tensors_extract.h"

/* A checkpoint as a dict of leaves. */
typedef struct Conversion {
    size_t n, n_metadata;
    pytree_leaf *leaves;
    pytree_pair *pairs, *metadata;
    void **copies;                        /* of data that cannot be used as it is */
    pytree_items items, keys;
} Conversion;

static void conversion_end(Conversion *c)
{
    for (size_t i = 0; c->copies != NULL && i < c->n; i++) { free(c->copies[i]); }
    free(c->leaves);
    free(c->pairs);
    free(c->metadata);
    free(c->copies);
}

static pytree_status conversion_begin(Conversion *c, const Checkpoint *file, pytree_error *err)
{
    *c = (Conversion){ .n = file->n };
    c->leaves = need(calloc(c->n + 1, sizeof *c->leaves));
    c->pairs = need(calloc(c->n + 1, sizeof *c->pairs));
    c->copies = need(calloc(c->n + 1, sizeof *c->copies));
    c->metadata = need(calloc(file->n_metadata + 1, sizeof *c->metadata));
    for (size_t i = 0; i < c->n; i++) {
        pytree_tensor t = plain_of(file, file->tensors[i], true, &c->copies[i]);
        if (tensor_view(&t, &c->leaves[i], err) != PYTREE_OK) { return err->status; }
        c->pairs[i] = (pytree_pair){ t.name, pytree_of_view(&c->leaves[i]) };
    }
    for (size_t i = 0; i < file->n_metadata; i++) {
        const pytree_metadata *m = &file->metadata[i];
        c->metadata[i] = (pytree_pair){ m->key, { PYTREE_STR("").type, (void *)(uintptr_t)&m->text } };
    }
    c->items = (pytree_items){ .count = c->n, .pairs = c->pairs };
    c->keys = (pytree_items){ .count = file->n_metadata, .pairs = c->metadata };
    return PYTREE_OK;
}

static pytree_status save_as(const char *to, const Checkpoint *file, const Conversion *c, pytree_error *err)
{
    pytree_checkpoint_options opt = {
        .shared = PYTREE_SHARED_EACH, .metadata = file->metadata, .n_metadata = file->n_metadata
    };
    pytree tree = { PYTREE_ODICT().type, (void *)(uintptr_t)&c->items }, metadata = pytree_gguf_metadata(file->mapped);
    if (metadata.data == NULL) { metadata = (pytree){ PYTREE_ODICT().type, (void *)(uintptr_t)&c->keys }; }
    return ends_in(to, ".safetensors") ? pytree_save_safetensors(to, tree, &opt, err)
           : ends_in(to, ".gguf") ? pytree_save_gguf(to, tree, metadata, &opt, err)
           : ends_in(to, ".npz") ? pytree_save_npz(to, tree, &opt, err)
           : pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected an ending of .safetensors, .gguf or .npz, got '%s'", to);
}

static int convert(const char *from, const char *to)
{
    pytree_error err = { 0 };
    Checkpoint file;
    Conversion c = { 0 };
    if (checkpoint_open(&file, from, &err) == PYTREE_OK && conversion_begin(&c, &file, &err) == PYTREE_OK) {
        (void)save_as(to, &file, &c, &err);
    }
    conversion_end(&c);
    checkpoint_close(&file);
    return err.status == PYTREE_OK ? EQUAL : trouble(&err);
}

#endif
