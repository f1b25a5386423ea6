/* pytree/impl/safetensors_file.h: opening a safetensors file and checking its header. */
#ifndef PYTREE_IMPL_SAFETENSORS_FILE_H
#define PYTREE_IMPL_SAFETENSORS_FILE_H

#include "json.h"

/* ---- Header -------------------------------------------------------------------------------------------------------- */

static bool pytree__st_shape(struct pytree__ck *ck, struct pytree__json *j, struct pytree__ck_file *f, pytree_tensor *t)
{
    bool first = true, good = pytree__js_take(j, '[');
    t->ndim = 0;
    while (pytree__js_more(j, ']', &first, &good)) {
        uint64_t *extent;
        if (t->ndim == PYTREE__CK_DIMS) { return pytree__js_fail(j, "at most 64 dimensions"); }
        extent = (uint64_t *)pytree__vector_add(&f->shapes, 1, ck->err);
        if (extent == NULL || !pytree__js_size(j, extent)) { return false; }
        t->ndim++;
    }
    return good;
}

/* Read data_offsets. Leaves the begin in `offset`, the end in `bytes`. */
static bool pytree__st_offsets(struct pytree__json *j, pytree_tensor *t)
{
    uint64_t end;
    if (!pytree__js_take(j, '[') || !pytree__js_size(j, &t->offset) || !pytree__js_take(j, ',') || !pytree__js_size(j, &end)
        || !pytree__js_take(j, ']')) {
        return false;
    }
    if (end < t->offset) { return pytree__js_fail(j, "data_offsets in order before this"); }
    t->bytes = end - t->offset;
    return true;
}

static bool pytree__st_dtype_field(struct pytree__json *j, pytree_tensor *t)
{
    char *text;
    size_t dtype;
    if (!pytree__js_string(j, &text)) { return false; }
    dtype = pytree__st_dtype_named(text);
    if (j->nul || dtype == PYTREE__ST_DTYPES) { return pytree__js_wrong(j, "a dtype", text); }
    t->dtype = pytree__st_dtypes[dtype].name;
    t->type = pytree__ck_type(pytree__st_dtypes[dtype].dtype);
    return true;
}

/* Read the entry of a tensor: {"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, and unknown fields. */
static bool pytree__st_entry(struct pytree__ck *ck, struct pytree__json *j, struct pytree__ck_file *f, pytree_tensor *t)
{
    static const char *const fields[] = { "dtype", "shape", "data_offsets" };
    bool first = true, good = pytree__js_take(j, '{');
    unsigned seen = 0;
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key;
        unsigned k;
        if (!pytree__js_key(j, &key)) { return false; }
        for (k = 0; k < 3 && (j->nul || strcmp(key, fields[k]) != 0); k++) {}
        if (k < 3 && (seen >> k & 1) != 0) { return pytree__js_wrong(j, "each field once", key); }
        seen |= 1u << k;
        if (!(k == 0 ? pytree__st_dtype_field(j, t) : k == 1 ? pytree__st_shape(ck, j, f, t) : k == 2 ? pytree__st_offsets(j, t)
              : pytree__js_skip(j, 2))) {
            return false;
        }
    }
    if (good && (seen & 7) != 7) { return pytree__js_wrong(j, "dtype, shape and data_offsets", t->name); }
    return good;
}

static bool pytree__st_remarks(struct pytree__ck *ck, struct pytree__json *j, struct pytree__vector *to)
{
    pytree__name_index by_key;
    size_t twice, from = to->count;
    bool first = true, good = pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key, *text;
        pytree_metadata *m;
        if (!pytree__js_text(j, &key) || !pytree__js_take(j, ':') || !pytree__js_text(j, &text)) { return false; }
        m = (pytree_metadata *)pytree__vector_add(to, 1, ck->err);
        if (m == NULL) { return false; }
        m->key = key;
        m->text = text;
    }
    if (!good || to->count == from) { return good; }
    if (pytree__name_index_init(&by_key, (pytree_metadata *)to->data + from, sizeof(pytree_metadata), to->count - from,
                                ck->allocator, ck->err)
        != PYTREE_OK) {
        return false;
    }
    twice = pytree__name_index_twice(&by_key);
    pytree__name_index_end(&by_key);
    if (twice != SIZE_MAX) { return pytree__js_wrong(j, "each key once", ((pytree_metadata *)to->data)[from + twice].key); }
    return true;
}

static bool pytree__st_header(struct pytree__ck *ck, struct pytree__json *j, struct pytree__ck_file *f, size_t number)
{
    struct pytree__vector remarks = pytree__vector_of(sizeof(pytree_metadata), ck->allocator);
    bool first = true, good, any = false;
    good = pytree__js_utf8(j) && pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        pytree_tensor *t;
        char *name;
        good = pytree__js_text(j, &name) && pytree__js_take(j, ':');
        if (!good) { break; }
        if (strcmp(name, "__metadata__") == 0) {
            good = any ? pytree__js_wrong(j, "__metadata__ once", name)
                       : pytree__st_remarks(ck, j, number == 0 ? &ck->metadata : &remarks);
            any = true;
            continue;
        }
        t = (pytree_tensor *)pytree__vector_add(&ck->tensors, 1, ck->err);
        if (t == NULL) { good = false; break; }
        memset(t, 0, sizeof *t);
        t->name = name;
        t->file = number;
        good = pytree__st_entry(ck, j, f, t);
    }
    if (good && (pytree__js_peek(j) != '\0' || j->at != j->end)) { good = pytree__js_fail(j, "the end"); }
    pytree__vector_free(&remarks);
    return good;
}

/* Order tensors by offset, empty ones first. */
static int pytree__st_by_offset(const void *context, size_t a, size_t b)
{
    const pytree_tensor *t = (const pytree_tensor *)context, *x = &t[a], *y = &t[b];
    if (x->offset != y->offset) { return x->offset < y->offset ? -1 : 1; }
    return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

static pytree_status pytree__st_sort(struct pytree__ck *ck, pytree_tensor *tensors, size_t n)
{
    size_t i, bytes, *order;
    pytree_tensor *sorted;
    for (i = 1; i < n && pytree__st_by_offset(tensors, i - 1, i) <= 0; i++) {}
    if (i >= n) { return PYTREE_OK; }                          /* writers sort them already */
    bytes = pytree__times(n, sizeof *sorted + 2 * sizeof *order);
    sorted = (pytree_tensor *)pytree__resize(ck->allocator, NULL, 0, bytes);
    if (sorted == NULL) { return pytree__no_memory(ck->err, bytes); }
    order = (size_t *)(void *)(sorted + n);
    for (i = 0; i < n; i++) { order[i] = i; }
    pytree__sort_numbers(order, n, pytree__st_by_offset, tensors);
    for (i = 0; i < n; i++) { sorted[i] = tensors[order[i]]; }
    memcpy(tensors, sorted, n * sizeof *sorted);
    (void)pytree__resize(ck->allocator, sorted, bytes, 0);
    return PYTREE_OK;
}

/* Compute the bytes of a tensor from its shape. Return false if they exceed 64 bits or are no whole number. */
static bool pytree__st_bytes(const pytree_tensor *t, uint64_t *bytes)
{
    uint64_t bits = pytree__st_dtypes[pytree__st_dtype_named(t->dtype)].bits, n = 1;
    size_t i;
    for (i = 0; i < t->ndim; i++) {
        if (t->shape[i] != 0 && n > UINT64_MAX / t->shape[i]) { return false; }
        n *= t->shape[i];
    }
    if (n > UINT64_MAX / bits || n * bits % 8 != 0) { return false; }
    *bytes = n * bits / 8;
    return true;
}

/* Check that the tensors of a file fill its data without overlap or gap, and that each has the bytes of its shape. */
static pytree_status pytree__st_layout(struct pytree__ck *ck, struct pytree__ck_file *f, size_t from)
{
    pytree_tensor *t = (pytree_tensor *)ck->tensors.data;
    const uint64_t *shape = (const uint64_t *)f->shapes.data;
    uint64_t at = 0, bytes, all = f->file.size - f->data;
    size_t i;
    for (i = from; i < ck->tensors.count; i++) {               /* in the order of the header, as the shapes are */
        t[i].shape = shape;
        if (t[i].ndim != 0) { shape += t[i].ndim; }
    }
    if (ck->tensors.count != from && pytree__st_sort(ck, t + from, ck->tensors.count - from) != PYTREE_OK) {
        return PYTREE_NO_MEMORY;
    }
    for (i = from; i < ck->tensors.count; i++) {
        if (t[i].offset != at) {
            return pytree_fail(ck->err, PYTREE_SYNTAX, NULL,
                               "expected data of '%.100s' at offset %llu, where that before it ends, got "
                               "%llu in '%s'",
                               t[i].name, (unsigned long long)at, (unsigned long long)t[i].offset, f->path);
        }
        if (!pytree__st_bytes(&t[i], &bytes) || bytes != t[i].bytes) {
            return pytree_fail(ck->err, PYTREE_SYNTAX, NULL,
                               "expected as many bytes for '%.100s' as its dtype and shape need, got %llu in "
                               "'%s'",
                               t[i].name, (unsigned long long)t[i].bytes, f->path);
        }
        at += bytes;                      /* cannot wrap: offset + bytes was the end */
        t[i].offset += f->data;
    }
    if (at != all) {
        return pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected %llu bytes of data after the header, got %llu in '%s'",
                           (unsigned long long)at, (unsigned long long)all, f->path);
    }
    return PYTREE_OK;
}

/* Read the header of a file. Nothing is allocated before its size has been compared with that of the file. */
static pytree_status pytree__st_read_header(struct pytree__ck *ck, struct pytree__ck_file *f, size_t number)
{
    const uint64_t most = PYTREE__ST_HEADER;
    unsigned char length[8];
    uint64_t n;
    size_t from = ck->tensors.count;
    struct pytree__json j;
    if (f->file.size < 8) {
        return pytree_fail(ck->err, PYTREE_SYNTAX, NULL, "expected 8 bytes or more, got %llu in '%s'",
                           (unsigned long long)f->file.size, f->path);
    }
    if (pytree__file_read(&f->file, 0, length, 8) != PYTREE_OK) { return PYTREE_IO; }
    n = pytree__number_at(length, sizeof length);
    if (n > most || n > f->file.size - 8) {
        return pytree_fail(
            ck->err, PYTREE_SYNTAX, NULL, "expected a header of at most %llu bytes, got a length of %llu in '%s'",
            (unsigned long long)(f->file.size - 8 < most ? f->file.size - 8 : most), (unsigned long long)n, f->path);
    }
    f->header_bytes = (size_t)n + 1;
    f->header = (char *)pytree__resize(ck->allocator, NULL, 0, f->header_bytes);
    if (f->header == NULL) { return pytree__no_memory(ck->err, f->header_bytes); }
    if (pytree__file_read(&f->file, 8, f->header, (size_t)n) != PYTREE_OK) { return PYTREE_IO; }
    memset(&j, 0, sizeof j);
    j.begin = j.at = f->header;
    j.end = f->header + (size_t)n;
    j.what = "header";
    j.path = f->path;
    j.err = ck->err;
    f->data = 8 + n;
    if (!pytree__st_header(ck, &j, f, number)) { return PYTREE_SYNTAX; }
    return pytree__st_layout(ck, f, from);
}

#include "safetensors_shards.h"
#endif
