/* pytree/impl/gguf_save.h: writing GGUF files. */
#ifndef PYTREE_IMPL_GGUF_SAVE_H
#define PYTREE_IMPL_GGUF_SAVE_H

#include "gguf.h"

/* Element types of metadata. */
#define PYTREE__GGUF_KEEPS                                                                                              \
    (PYTREE__CK_NUMBERS & ~(1u << PYTREE_F16 | 1u << PYTREE_BF16)) | 1u << PYTREE_STRING

struct pytree__gguf_saver {
    pytree__wanted leaves, metadata;
    uint64_t alignment;
    pytree__save save;
    pytree_error *err;
};

static void pytree__gguf_put(struct pytree__text_writer *to, uint64_t v, size_t n)
{
    char bytes[8];
    size_t i;
    for (i = 0; i < n; i++) { bytes[i] = (char)(v >> 8 * i & 0xFF); }
    pytree__text_put(to, bytes, n);
}

static void pytree__gguf_put_string(struct pytree__text_writer *to, const char *text)
{
    pytree__gguf_put(to, strlen(text), 8);
    pytree__put_text(to, text);
}

/* Return the code of a type of metadata. */
static unsigned pytree__gguf_code(pytree_dtype dtype)
{
    unsigned i;
    for (i = 0; i + 1 < PYTREE__GGUF_VALUES && pytree__gguf_values[i].dtype != dtype; i++) {}
    return i;
}

static void pytree__gguf_put_value(struct pytree__text_writer *to, const pytree_leaf *leaf)
{
    const unsigned code = pytree__gguf_code(leaf->type->dtype);
    const size_t n = pytree_leaf_count(leaf), size = leaf->type->size;
    size_t i;
    if (leaf->ndim != 0) { pytree__gguf_put(to, PYTREE__GGUF_ARRAY, 4); }
    pytree__gguf_put(to, code, 4);
    if (leaf->ndim != 0) { pytree__gguf_put(to, n, 8); }
    for (i = 0; i < n; i++) {
        if (code == PYTREE__GGUF_STRING) { pytree__gguf_put_string(to, ((char *const *)leaf->data)[i]); }
        else {
            char element[8];
            memcpy(element, (const char *)leaf->data + i * size, size);
            pytree__ck_swap(false, leaf->type, element, size);
            pytree__text_put(to, element, size);
        }
    }
}

static unsigned pytree__gguf_tensor_code(pytree_dtype dtype)
{
    size_t i;
    for (i = 0; i + 1 < PYTREE__GGUF_PLAIN && pytree__gguf_plain[i].dtype != dtype; i++) {}
    return pytree__gguf_plain[i].code;
}

static void pytree__gguf_put_header(const struct pytree__gguf_saver *s, struct pytree__text_writer *to)
{
    uint64_t at = 0;
    size_t i;
    int d;
    pytree__text_put(to, "GGUF", 4);
    pytree__gguf_put(to, 3, 4);
    pytree__gguf_put(to, s->leaves.n, 8);
    pytree__gguf_put(to, s->metadata.n, 8);
    for (i = 0; i < s->metadata.n; i++) {
        pytree__gguf_put_string(to, s->metadata.names[i]);
        pytree__gguf_put_value(to, &s->metadata.leaves[i]);
    }
    for (i = 0; i < s->leaves.n; i++) {
        const pytree_leaf *leaf = &s->leaves.leaves[i];
        uint64_t bytes = pytree_leaf_bytes(leaf);
        pytree__gguf_put_string(to, s->leaves.names[i]);
        pytree__gguf_put(to, (uint64_t)leaf->ndim, 4);
        for (d = leaf->ndim; d-- > 0;) { pytree__gguf_put(to, leaf->shape[d], 8); }
        pytree__gguf_put(to, pytree__gguf_tensor_code(leaf->type->dtype), 4);
        pytree__gguf_put(to, at, 8);
        at += bytes + (0 - bytes) % s->alignment;
    }
    while (s->leaves.n != 0 && to->length % s->alignment != 0) { pytree__text_put(to, "", 1); }
}

/* Check names and extents of the tensors. */
static pytree_status pytree__gguf_check_leaves(const struct pytree__gguf_saver *s)
{
    size_t i;
    for (i = 0; i < s->leaves.n; i++) {
        const char *name = s->leaves.names[i];
        if (s->leaves.slices[i] != PYTREE_WHOLE) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected whole arrays to save, got a slice of '%.100s'", name);
        }
        if (strlen(name) >= PYTREE__GGUF_NAME || !pytree__is_utf8(name, strlen(name))) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected a name in UTF-8 of up to 63 bytes, got '%.100s'", name);
        }
        if (s->leaves.leaves[i].ndim > PYTREE__GGUF_DIMS) {
            return pytree_fail(s->err, PYTREE_SHAPE, NULL, "expected at most 4 dimensions, got %d in '%.100s'",
                               s->leaves.leaves[i].ndim, name);
        }
    }
    return PYTREE_OK;
}

/* Check the metadata, and find the alignment in it. */
static pytree_status pytree__gguf_check_metadata(struct pytree__gguf_saver *s)
{
    size_t i, k;
    for (i = 0; i < s->metadata.n; i++) {
        const pytree_leaf *leaf = &s->metadata.leaves[i];
        const char *key = s->metadata.names[i];
        if (leaf->ndim > 1) {
            return pytree_fail(s->err, PYTREE_SHAPE, NULL, "expected metadata of at most 1 dimension, got %d for '%.100s'",
                               leaf->ndim, key);
        }
        for (k = 0; leaf->type->dtype == PYTREE_STRING && k < pytree_leaf_count(leaf); k++) {
            const char *text = ((char *const *)leaf->data)[k];
            if (text == NULL || !pytree__is_utf8(text, strlen(text))) {
                return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected strings in UTF-8, got another for '%.100s'", key);
            }
        }
        if (!pytree__is_utf8(key, strlen(key))) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected keys in UTF-8, got '%.100s'", key);
        }
        if (strcmp(key, "general.alignment") == 0) {
            s->alignment = 0;
            if (leaf->type->dtype == PYTREE_U32 && leaf->ndim == 0) { s->alignment = *(const unsigned *)leaf->data; }
            if (s->alignment == 0 || (s->alignment & (s->alignment - 1)) != 0) {
                return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected an unsigned power of two as '%s', got another",
                                   key);
            }
        }
    }
    return PYTREE_OK;
}

static void pytree__gguf_write(void *context, const void *bytes, size_t n)
{
    (void)pytree__save_write((pytree__save *)context, bytes, n);
}

/* Write the data of all tensors, each padded. */
static void pytree__gguf_write_data(struct pytree__gguf_saver *s)
{
    static const char zeros[64] = { 0 };
    size_t i;
    for (i = 0; i < s->leaves.n && s->save.status == PYTREE_OK; i++) {
        uint64_t bytes = pytree_leaf_bytes(&s->leaves.leaves[i]), pad = (0 - bytes) % s->alignment, n;
        pytree__ck_put(&s->leaves.leaves[i], pytree__gguf_write, &s->save);
        for (; pad != 0; pad -= n) {
            n = pad < sizeof zeros ? pad : sizeof zeros;
            (void)pytree__save_write(&s->save, zeros, (size_t)n);
        }
    }
}

static pytree_status pytree__gguf_save(struct pytree__gguf_saver *s, const char *path, const pytree_checkpoint_options *opt)
{
    struct pytree__text_writer text = pytree__text_to(NULL, 0, NULL);
    const pytree_allocator *a = opt->tree.allocator;
    pytree_status status;
    size_t length;
    char *header;
    pytree__gguf_put_header(s, &text);
    length = text.length;
    header = (char *)pytree__resize(a, NULL, 0, length + 1);
    if (header == NULL) { return pytree__no_memory(s->err, length + 1); }
    text = pytree__text_to(header, length + 1, NULL);
    pytree__gguf_put_header(s, &text);
    status = pytree__save_begin(&s->save, path, opt->io, &opt->tree, s->err);
    if (status == PYTREE_OK) {
        (void)pytree__save_write(&s->save, header, length);
        pytree__gguf_write_data(s);
    }
    status = pytree__save_end(&s->save);
    (void)pytree__resize(a, header, length + 1, 0);
    return status;
}

pytree_status pytree_save_gguf(const char *path, pytree t, pytree metadata, const pytree_checkpoint_options *opt,
                               pytree_error *err)
{
    pytree_checkpoint_options none, keys;
    struct pytree__gguf_saver s;
    pytree_status status;
    memset(&s, 0, sizeof s);
    memset(&keys, 0, sizeof keys);
    opt = pytree__ck_options(opt, &none);
    keys.tree.allocator = opt->tree.allocator;
    s.err = err;
    s.alignment = PYTREE__GGUF_ALIGNMENT;
    status = pytree__wanted_begin(&s.leaves, t, PYTREE__GGUF_HOLDS, false, opt, err);
    if (status == PYTREE_OK) { status = pytree__wanted_shared(&s.leaves); }
    if (status == PYTREE_OK) { status = pytree__wanted_begin(&s.metadata, metadata, PYTREE__GGUF_KEEPS, false, &keys, err); }
    if (status == PYTREE_OK) { status = pytree__gguf_check_leaves(&s); }
    if (status == PYTREE_OK) { status = pytree__gguf_check_metadata(&s); }
    if (status == PYTREE_OK) { status = pytree__gguf_save(&s, path, opt); }
    pytree__wanted_end(&s.metadata);
    pytree__wanted_end(&s.leaves);
    return status;
}

#endif
