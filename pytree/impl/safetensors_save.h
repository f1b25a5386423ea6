/* pytree/impl/safetensors_save.h: saving leaves. */
#ifndef PYTREE_IMPL_SAFETENSORS_SAVE_H
#define PYTREE_IMPL_SAFETENSORS_SAVE_H

#include "safetensors_shards.h"
#include "json_text.h"

/* ---- Save ---------------------------------------------------------------------------------------------------------- */

struct pytree__st_saver {
    pytree__wanted w;
    const pytree_checkpoint_options *opt;
    pytree_error *err;
    size_t *order;                        /* leaves in the order of the file, with room for the sort after them */
    char *buffer;                         /* collects small writes */
    size_t used, bytes;
    pytree__save *to;
};

static size_t pytree__st_rank(const struct pytree__st_saver *s, size_t i)
{
    return pytree__st_dtype_of(s->w.leaves[i].type->dtype);
}

static int pytree__st_by_rank(const void *context, size_t a, size_t b)
{
    const struct pytree__st_saver *s = (const struct pytree__st_saver *)context;
    size_t x = pytree__st_rank(s, a), y = pytree__st_rank(s, b);
    int side;
    if (x != y) { return x < y ? -1 : 1; }
    side = strcmp(s->w.names[a], s->w.names[b]);
    return side != 0 ? side : s->w.slices[a] < s->w.slices[b] ? -1 : s->w.slices[a] > s->w.slices[b];
}

/* Count the leaves from place k of the order on that are slices of one tensor; 1 for a leaf that is a tensor itself. */
static size_t pytree__st_slices(const struct pytree__st_saver *s, size_t k)
{
    size_t n = 1;
    const char *name = s->w.names[s->order[k]];
    if (s->w.slices[s->order[k]] == PYTREE_WHOLE) { return 1; }
    while (k + n < s->w.n && strcmp(s->w.names[s->order[k + n]], name) == 0) { n++; }
    return n;
}

/* Check that a header can express the tree and its metadata. Slices must be complete from 0 on, and alike. */
static pytree_status pytree__st_savable(const struct pytree__st_saver *s)
{
    size_t k, i, n;
    for (k = 0; k < s->opt->n_metadata; k++) {
        const pytree_metadata *m = &s->opt->metadata[k];
        if (m->key == NULL || m->text == NULL || !pytree__is_utf8(m->key, strlen(m->key))
            || !pytree__is_utf8(m->text, strlen(m->text))) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected metadata in UTF-8, got NULL or other bytes");
        }
        for (i = 0; i < k; i++) {
            if (strcmp(m->key, s->opt->metadata[i].key) == 0) {
                return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected each metadata key once, got '%.100s' twice",
                                   m->key);
            }
        }
    }
    for (k = 0; k < s->w.n; k += n) {
        const char *name = s->w.names[s->order[k]];
        n = pytree__st_slices(s, k);
        if (!pytree__is_utf8(name, strlen(name)) || strcmp(name, "__metadata__") == 0) {
            return pytree_fail(s->err, PYTREE_ARGUMENT, NULL, "expected a name in UTF-8 that is not __metadata__, got '%.100s'",
                               name);
        }
        for (i = k; i < k + n && s->w.slices[s->order[i]] != PYTREE_WHOLE; i++) {
            if ((size_t)s->w.slices[s->order[i]] != i - k
                || pytree__fits(&s->w.leaves[s->order[k]], &s->w.leaves[s->order[i]]) != PYTREE_OK) {
                return pytree_fail(s->err, PYTREE_ARGUMENT, NULL,
                                   "expected slice %zu of '%.100s' with the type and shape of the first, "
                                   "got slice %td",
                                   i - k, name, s->w.slices[s->order[i]]);
            }
        }
    }
    return PYTREE_OK;
}

static void pytree__st_put_header(const struct pytree__st_saver *s, struct pytree__text_writer *to)
{
    uint64_t at = 0, shape[PYTREE_MAX_DIMS + 1];
    const char *comma = "";
    size_t k, n;
    pytree__text_put(to, "{", 1);
    if (s->opt->n_metadata != 0) {
        pytree__put_text(to, "\"__metadata__\":{");
        for (k = 0; k < s->opt->n_metadata; k++) {
            if (k != 0) { pytree__text_put(to, ",", 1); }
            pytree__put_json(to, s->opt->metadata[k].key, strlen(s->opt->metadata[k].key));
            pytree__text_put(to, ":", 1);
            pytree__put_json(to, s->opt->metadata[k].text, strlen(s->opt->metadata[k].text));
        }
        pytree__text_put(to, "}", 1);
        comma = ",";
    }
    for (k = 0; k < s->w.n; k += n) {
        const pytree_leaf *leaf = &s->w.leaves[s->order[k]];
        size_t ndim = 0;
        int d;
        n = pytree__st_slices(s, k);
        if (s->w.slices[s->order[k]] != PYTREE_WHOLE) { shape[ndim++] = n; }
        for (d = 0; d < leaf->ndim; d++) { shape[ndim++] = leaf->shape[d]; }
        pytree__put_text(to, comma);
        pytree__put_json(to, s->w.names[s->order[k]], strlen(s->w.names[s->order[k]]));
        pytree__put_text(to, ":{\"dtype\":\"");
        pytree__put_text(to, pytree__st_dtypes[pytree__st_rank(s, s->order[k])].name);
        pytree__put_text(to, "\",\"shape\":");
        pytree__put_shape(to, ndim, shape);
        pytree__put_text(to, ",\"data_offsets\":[");
        pytree__put_number(to, at);
        at += (uint64_t)pytree_leaf_bytes(leaf) * n;
        pytree__text_put(to, ",", 1);
        pytree__put_number(to, at);
        pytree__put_text(to, "]}");
        comma = ",";
    }
    pytree__text_put(to, "}", 1);
    while (to->length % 8 != 0) { pytree__text_put(to, " ", 1); }
}

/* Write small pieces into the buffer, others directly. */
static void pytree__st_write(struct pytree__st_saver *s, pytree__save *to, const void *from, size_t n)
{
    if (n == 0) { return; }
    if (n > PYTREE__CK_SCRATCH - s->used) {
        (void)pytree__save_write(to, s->buffer, s->used);
        s->used = 0;
    }
    if (n > PYTREE__CK_SCRATCH / 4) {
        (void)pytree__save_write(to, s->buffer, s->used);
        s->used = 0;
        (void)pytree__save_write(to, from, n);
    } else {
        memcpy(s->buffer + s->used, from, n);
        s->used += n;
    }
}

static void pytree__st_put(void *context, const void *from, size_t n)
{
    struct pytree__st_saver *s = (struct pytree__st_saver *)context;
    pytree__st_write(s, s->to, from, n);
}

static void pytree__st_write_all(struct pytree__st_saver *s, pytree__save *to, const char *header, size_t length)
{
    unsigned char n[8];
    size_t i;
    s->to = to;
    for (i = 0; i < 8; i++) { n[i] = (unsigned char)((uint64_t)length >> 8 * i & 0xFF); }
    pytree__st_write(s, to, n, 8);
    pytree__st_write(s, to, header, length);
    for (i = 0; i < s->w.n && to->status == PYTREE_OK; i++) {
        pytree__ck_put(&s->w.leaves[s->order[i]], pytree__st_put, s);
    }
    (void)pytree__save_write(to, s->buffer, s->used);
}

static pytree_status pytree__st_save(struct pytree__st_saver *s, const char *path)
{
    const pytree_allocator *a = s->opt->tree.allocator;
    struct pytree__text_writer text = pytree__text_to(NULL, 0, NULL);
    pytree__save to;
    pytree_status status;
    size_t length;
    char *header;
    pytree__st_put_header(s, &text);
    length = text.length;
    if (length > PYTREE__ST_HEADER) {
        return pytree_fail(s->err, PYTREE_OVERFLOW, NULL, "expected a header of at most %d bytes, got %zu",
                           (int)PYTREE__ST_HEADER, length);
    }
    header = (char *)pytree__resize(a, NULL, 0, length + 1);
    if (header == NULL) { return pytree__no_memory(s->err, length + 1); }
    text = pytree__text_to(header, length + 1, NULL);
    pytree__st_put_header(s, &text);
    status = pytree__save_begin(&to, path, s->opt->io, &s->opt->tree, s->err);
    if (status == PYTREE_OK) { pytree__st_write_all(s, &to, header, length); }
    status = pytree__save_end(&to);
    (void)pytree__resize(a, header, length + 1, 0);
    return status;
}

pytree_status pytree_save_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__st_saver s;
    pytree_status status;
    size_t i;
    memset(&s, 0, sizeof s);
    s.opt = opt = pytree__ck_options(opt, &none);
    s.err = err;
    status = pytree__wanted_begin(&s.w, t, PYTREE__ST_HOLDS, false, opt, err);
    if (status == PYTREE_OK) { status = pytree__wanted_shared(&s.w); }
    if (status == PYTREE_OK) {
        s.bytes = pytree__plus(pytree__times(s.w.n, 2 * sizeof *s.order), PYTREE__CK_SCRATCH);
        s.buffer = (char *)pytree__resize(opt->tree.allocator, NULL, 0, s.bytes);
        if (s.buffer == NULL) { status = pytree__no_memory(err, s.bytes); }
    }
    if (status == PYTREE_OK) {
        s.order = (size_t *)(void *)(s.buffer + PYTREE__CK_SCRATCH);
        for (i = 0; i < s.w.n; i++) { s.order[i] = i; }
        pytree__sort_numbers(s.order, s.w.n, pytree__st_by_rank, &s);
        status = pytree__st_savable(&s);
    }
    if (status == PYTREE_OK) { status = pytree__st_save(&s, path); }
    if (s.buffer != NULL) { (void)pytree__resize(opt->tree.allocator, s.buffer, s.bytes, 0); }
    pytree__wanted_end(&s.w);
    return status;
}

#endif
