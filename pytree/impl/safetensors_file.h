/* pytree/impl/safetensors_file.h: opening a safetensors file and checking its header. */
#ifndef PYTREE_IMPL_SAFETENSORS_FILE_H
#define PYTREE_IMPL_SAFETENSORS_FILE_H

#include "json.h"

/* ---- Header -------------------------------------------------------------------------------------------------------- */

/* One of the files. */
struct pytree__st_file {
    pytree__file file;
    char *path;
    size_t path_bytes;
    char *header;                         /* names and metadata point into it */
    size_t header_bytes;
    struct pytree__vector shapes;         /* uint64_t */
    uint64_t data;                        /* offset of the data */
    const void *bytes;                    /* the whole file in memory, or NULL */
    bool mapped;                          /* by the table of I/O */
};

struct pytree__st {
    pytree_safetensors shown;             /* first */
    const pytree_allocator *allocator;
    struct pytree__st_file *files;
    const char **paths;
    size_t n_files;                       /* there is room for; shown.n_files are open */
    struct pytree__vector tensors, metadata, shards;
    pytree__name_index by_name;
    char *index;                          /* of a sharded checkpoint */
    size_t index_bytes;
    void *copies;                         /* of data that cannot be used in place */
    size_t copies_bytes;
    pytree_error *err;
};

static struct pytree__st *pytree__st_of(const pytree_safetensors *file) { return (struct pytree__st *)(uintptr_t)file; }

static bool pytree__st_shape(struct pytree__st *st, struct pytree__json *j, struct pytree__st_file *f, pytree_tensor *t)
{
    bool first = true, good = pytree__js_take(j, '[');
    t->ndim = 0;
    while (pytree__js_more(j, ']', &first, &good)) {
        uint64_t *extent;
        if (t->ndim == PYTREE__ST_DIMS) { return pytree__js_fail(j, "at most 64 dimensions"); }
        extent = (uint64_t *)pytree__vector_add(&f->shapes, 1, st->err);
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
    t->type = pytree__st_type(dtype);
    return true;
}

/* Read the entry of a tensor: {"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}, and unknown fields. */
static bool pytree__st_entry(struct pytree__st *st, struct pytree__json *j, struct pytree__st_file *f, pytree_tensor *t)
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
        if (!(k == 0 ? pytree__st_dtype_field(j, t) : k == 1 ? pytree__st_shape(st, j, f, t) : k == 2 ? pytree__st_offsets(j, t)
              : pytree__js_skip(j, 2))) {
            return false;
        }
    }
    if (good && (seen & 7) != 7) { return pytree__js_wrong(j, "dtype, shape and data_offsets", t->name); }
    return good;
}

static bool pytree__st_remarks(struct pytree__st *st, struct pytree__json *j, struct pytree__vector *to)
{
    pytree__name_index by_key;
    size_t twice, from = to->count;
    bool first = true, good = pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        char *key, *text;
        pytree_metadata *m;
        if (!pytree__js_text(j, &key) || !pytree__js_take(j, ':') || !pytree__js_text(j, &text)) { return false; }
        m = (pytree_metadata *)pytree__vector_add(to, 1, st->err);
        if (m == NULL) { return false; }
        m->key = key;
        m->text = text;
    }
    if (!good || to->count == from) { return good; }
    if (pytree__name_index_init(&by_key, (pytree_metadata *)to->data + from, sizeof(pytree_metadata), to->count - from,
                                st->allocator, st->err)
        != PYTREE_OK) {
        return false;
    }
    twice = pytree__name_index_twice(&by_key);
    pytree__name_index_end(&by_key);
    return twice == SIZE_MAX ? true : pytree__js_wrong(j, "each key once", ((pytree_metadata *)to->data)[from + twice].key);
}

static bool pytree__st_header(struct pytree__st *st, struct pytree__json *j, struct pytree__st_file *f, size_t number)
{
    struct pytree__vector remarks = pytree__vector_of(sizeof(pytree_metadata), st->allocator);
    bool first = true, good, any = false;
    good = pytree__js_utf8(j) && pytree__js_take(j, '{');
    while (pytree__js_more(j, '}', &first, &good)) {
        pytree_tensor *t;
        char *name;
        good = pytree__js_text(j, &name) && pytree__js_take(j, ':');
        if (!good) { break; }
        if (strcmp(name, "__metadata__") == 0) {
            good = any ? pytree__js_wrong(j, "__metadata__ once", name)
                       : pytree__st_remarks(st, j, number == 0 ? &st->metadata : &remarks);
            any = true;
            continue;
        }
        t = (pytree_tensor *)pytree__vector_add(&st->tensors, 1, st->err);
        if (t == NULL) { good = false; break; }
        memset(t, 0, sizeof *t);
        t->name = name;
        t->file = number;
        good = pytree__st_entry(st, j, f, t);
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

static pytree_status pytree__st_sort(struct pytree__st *st, pytree_tensor *tensors, size_t n)
{
    size_t i, bytes, *order;
    pytree_tensor *sorted;
    for (i = 1; i < n && pytree__st_by_offset(tensors, i - 1, i) <= 0; i++) {}
    if (i >= n) { return PYTREE_OK; }                          /* writers sort them already */
    bytes = pytree__times(n, sizeof *sorted + 2 * sizeof *order);
    sorted = (pytree_tensor *)pytree__resize(st->allocator, NULL, 0, bytes);
    if (sorted == NULL) { return pytree__no_memory(st->err, bytes); }
    order = (size_t *)(void *)(sorted + n);
    for (i = 0; i < n; i++) { order[i] = i; }
    pytree__sort_numbers(order, n, pytree__st_by_offset, tensors);
    for (i = 0; i < n; i++) { sorted[i] = tensors[order[i]]; }
    memcpy(tensors, sorted, n * sizeof *sorted);
    (void)pytree__resize(st->allocator, sorted, bytes, 0);
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
static pytree_status pytree__st_layout(struct pytree__st *st, struct pytree__st_file *f, size_t from)
{
    pytree_tensor *t = (pytree_tensor *)st->tensors.data;
    const uint64_t *shape = (const uint64_t *)f->shapes.data;
    uint64_t at = 0, bytes, all = f->file.size - f->data;
    size_t i;
    for (i = from; i < st->tensors.count; i++) {               /* in the order of the header, as the shapes are */
        t[i].shape = shape;
        if (t[i].ndim != 0) { shape += t[i].ndim; }
    }
    if (st->tensors.count != from && pytree__st_sort(st, t + from, st->tensors.count - from) != PYTREE_OK) {
        return PYTREE_NO_MEMORY;
    }
    for (i = from; i < st->tensors.count; i++) {
        if (t[i].offset != at) {
            return pytree_fail(st->err, PYTREE_SYNTAX, NULL,
                               "expected data of '%.100s' at offset %llu, where that before it ends, got "
                               "%llu in '%s'",
                               t[i].name, (unsigned long long)at, (unsigned long long)t[i].offset, f->path);
        }
        if (!pytree__st_bytes(&t[i], &bytes) || bytes != t[i].bytes) {
            return pytree_fail(st->err, PYTREE_SYNTAX, NULL,
                               "expected as many bytes for '%.100s' as its dtype and shape need, got %llu in "
                               "'%s'",
                               t[i].name, (unsigned long long)t[i].bytes, f->path);
        }
        at += bytes;                      /* cannot wrap: offset + bytes was the end */
        t[i].offset += f->data;
    }
    if (at != all) {
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected %llu bytes of data after the header, got %llu in '%s'",
                           (unsigned long long)at, (unsigned long long)all, f->path);
    }
    return PYTREE_OK;
}

/* Read the header of a file. Nothing is allocated before its size has been compared with that of the file. */
static pytree_status pytree__st_read_header(struct pytree__st *st, struct pytree__st_file *f, size_t number)
{
    const uint64_t most = PYTREE__ST_HEADER;
    unsigned char length[8];
    uint64_t n;
    size_t from = st->tensors.count;
    struct pytree__json j;
    if (f->file.size < 8) {
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected 8 bytes or more, got %llu in '%s'",
                           (unsigned long long)f->file.size, f->path);
    }
    if (pytree__file_read(&f->file, 0, length, 8) != PYTREE_OK) { return PYTREE_IO; }
    n = pytree__number_at(length, sizeof length);
    if (n > most || n > f->file.size - 8) {
        return pytree_fail(
            st->err, PYTREE_SYNTAX, NULL, "expected a header of at most %llu bytes, got a length of %llu in '%s'",
            (unsigned long long)(f->file.size - 8 < most ? f->file.size - 8 : most), (unsigned long long)n, f->path);
    }
    f->header_bytes = (size_t)n + 1;
    f->header = (char *)pytree__resize(st->allocator, NULL, 0, f->header_bytes);
    if (f->header == NULL) { return pytree__no_memory(st->err, f->header_bytes); }
    if (pytree__file_read(&f->file, 8, f->header, (size_t)n) != PYTREE_OK) { return PYTREE_IO; }
    memset(&j, 0, sizeof j);
    j.begin = j.at = f->header;
    j.end = f->header + (size_t)n;
    j.what = "header";
    j.path = f->path;
    j.err = st->err;
    f->data = 8 + n;
    if (!pytree__st_header(st, &j, f, number)) { return PYTREE_SYNTAX; }
    return pytree__st_layout(st, f, from);
}

/* ---- Open and close ------------------------------------------------------------------------------------------------ */

void pytree_safetensors_close(pytree_safetensors *file)
{
    struct pytree__st *st = pytree__st_of(file);
    const pytree_allocator *a;
    size_t i;
    if (st == NULL) { return; }
    a = st->allocator;
    for (i = 0; i < st->n_files; i++) {
        struct pytree__st_file *f = &st->files[i];
        if (f->mapped) { f->file.io->unmap(f->file.io->context, f->bytes, f->file.size); }
        else if (f->bytes != NULL) { (void)pytree__resize(a, (void *)(uintptr_t)f->bytes, (size_t)f->file.size, 0); }
        pytree__file_close(&f->file);
        pytree__vector_free(&f->shapes);
        if (f->header != NULL) { (void)pytree__resize(a, f->header, f->header_bytes, 0); }
        if (f->path != NULL) { (void)pytree__resize(a, f->path, f->path_bytes, 0); }
    }
    if (st->files != NULL) { (void)pytree__resize(a, st->files, st->n_files * (sizeof *st->files + sizeof *st->paths), 0); }
    if (st->index != NULL) { (void)pytree__resize(a, st->index, st->index_bytes, 0); }
    if (st->copies != NULL) { (void)pytree__resize(a, st->copies, st->copies_bytes, 0); }
    pytree__name_index_end(&st->by_name);
    pytree__vector_free(&st->tensors);
    pytree__vector_free(&st->metadata);
    pytree__vector_free(&st->shards);
    (void)pytree__resize(a, st, sizeof *st, 0);
}

static pytree_status pytree__st_room(struct pytree__st *st, size_t n_files)
{
    size_t bytes = pytree__times(n_files, sizeof *st->files + sizeof *st->paths), i;
    st->files = (struct pytree__st_file *)pytree__resize(st->allocator, NULL, 0, bytes);
    if (st->files == NULL) { return pytree__no_memory(st->err, bytes); }
    memset(st->files, 0, bytes);
    st->paths = (const char **)(void *)(st->files + n_files);
    st->n_files = n_files;
    for (i = 0; i < n_files; i++) { st->files[i].shapes = pytree__vector_of(sizeof(uint64_t), st->allocator); }
    return PYTREE_OK;
}

/* Open file number i. Its path: the first `folder` bytes of `path`, then the name. */
static pytree_status pytree__st_open_file(struct pytree__st *st, size_t i, const char *path, size_t folder, const char *name,
                                          const pytree_io *io)
{
    struct pytree__st_file *f = &st->files[i];
    pytree_status status;
    f->path_bytes = folder + strlen(name) + 1;
    f->path = (char *)pytree__resize(st->allocator, NULL, 0, f->path_bytes);
    if (f->path == NULL) { return pytree__no_memory(st->err, f->path_bytes); }
    memcpy(f->path, path, folder);
    memcpy(f->path + folder, name, strlen(name) + 1);
    st->paths[i] = f->path;
    status = pytree__file_open(&f->file, f->path, io, st->err);
    if (status == PYTREE_OK) { status = pytree__st_read_header(st, f, i); }
    return status;
}

/* Complete the public part of an opened file, whichever way it was opened. */
static pytree_status pytree__st_finish(struct pytree__st *st)
{
    size_t twice;
    pytree_status status =
        pytree__name_index_init(&st->by_name, st->tensors.data, sizeof(pytree_tensor), st->tensors.count, st->allocator,
                                st->err);
    if (status != PYTREE_OK) { return status; }
    twice = pytree__name_index_twice(&st->by_name);
    if (twice != SIZE_MAX) {
        const pytree_tensor *t = (const pytree_tensor *)st->tensors.data + twice;
        return pytree_fail(st->err, PYTREE_SYNTAX, NULL, "expected each name once, got '%.100s' twice in '%s'", t->name,
                           st->files[t->file].path);
    }
    st->shown.n_tensors = st->tensors.count;
    st->shown.tensors = (const pytree_tensor *)st->tensors.data;
    st->shown.n_metadata = st->metadata.count;
    st->shown.metadata = (const pytree_metadata *)st->metadata.data;
    st->shown.n_files = st->n_files;
    st->shown.files = st->paths;
    st->shown.data_offset = st->n_files == 0 ? 0 : st->files[0].data;
    return PYTREE_OK;
}

#include "safetensors_shards.h"
#endif
