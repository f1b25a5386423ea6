/* pytree/impl/safetensors_load.h: loading and mapping leaves. */
#ifndef PYTREE_IMPL_SAFETENSORS_LOAD_H
#define PYTREE_IMPL_SAFETENSORS_LOAD_H

#include "safetensors_shards.h"

/* ---- Load ---------------------------------------------------------------------------------------------------------- */

struct pytree__st_loader {
    const struct pytree__st *st;
    const pytree_tensor *tensors;
    pytree__wanted w;
    pytree_error *err;
    size_t *order;                        /* leaves by the offset of their data, with room for the sort after them */
    size_t order_bytes;
    char *scratch;                        /* a piece of a file: `n` bytes of file `file` from `at` on */
    size_t file, n;
    uint64_t at;
};

static bool pytree__st_asks(const struct pytree__st_loader *l, size_t i) { return l->w.tensors[i] != SIZE_MAX; }

static const pytree_tensor *pytree__st_tensor(const struct pytree__st_loader *l, size_t i)
{
    return &l->tensors[l->w.tensors[i]];
}

/* Return the bytes of leaf i in its file, and where they begin. */
static uint64_t pytree__st_part(const struct pytree__st_loader *l, size_t i, uint64_t *at)
{
    const pytree_tensor *t = pytree__st_tensor(l, i);
    uint64_t bytes = t->bytes;
    if (l->w.slices[i] != PYTREE_WHOLE) { bytes /= t->shape[0]; }
    *at = t->offset + (l->w.slices[i] == PYTREE_WHOLE ? 0 : bytes * (uint64_t)l->w.slices[i]);
    return bytes;
}

static int pytree__st_by_place(const void *context, size_t a, size_t b)
{
    const struct pytree__st_loader *l = (const struct pytree__st_loader *)context;
    uint64_t x, y;
    if (!pytree__st_asks(l, a) || !pytree__st_asks(l, b)) { return pytree__st_asks(l, b) - pytree__st_asks(l, a); }
    if (pytree__st_tensor(l, a)->file != pytree__st_tensor(l, b)->file) {
        return pytree__st_tensor(l, a)->file < pytree__st_tensor(l, b)->file ? -1 : 1;
    }
    (void)pytree__st_part(l, a, &x);
    (void)pytree__st_part(l, b, &y);
    return x < y ? -1 : x > y;
}

/* Tell whether a leaf must go through the scratch buffer: because it is converted, or its bytes are checked. */
static bool pytree__st_indirect(const struct pytree__st_loader *l, size_t i)
{
    pytree_dtype dtype = l->w.leaves[i].type->dtype;
    return dtype == PYTREE_BOOL8 || dtype != pytree__st_tensor(l, i)->type->dtype;
}

static pytree_status pytree__st_bools(const struct pytree__st_loader *l, size_t i, const unsigned char *bytes, size_t n)
{
    size_t k;
    for (k = 0; k < n; k++) {
        if (bytes[k] > 1) {
            return pytree_fail(l->err, PYTREE_VALUE, NULL, "expected bytes of 0 and 1 for the bools of '%.100s', got %d",
                               l->w.names[i], bytes[k]);
        }
    }
    return PYTREE_OK;
}

/* Convert or check n elements of leaf i, and write them to `to` unless that is NULL. */
static pytree_status pytree__st_take(const struct pytree__st_loader *l, size_t i, void *from, char *to, size_t n)
{
    const pytree_type *type = l->w.leaves[i].type, *has = pytree__st_tensor(l, i)->type;
    if (type->dtype == PYTREE_BOOL8) {
        pytree_status status = pytree__st_bools(l, i, (const unsigned char *)from, n);
        if (status != PYTREE_OK) { return status; }
    }
    if (to == NULL) { return PYTREE_OK; }
    if (type->dtype == has->dtype) {
        memcpy(to, from, n * type->size);
        pytree__st_swap(type, to, n * type->size);
    } else {
        pytree__st_swap(has, from, n * has->size);
        pytree__convert(type->dtype, to, has->dtype, from, n);
        pytree__st_swap(has, from, n * has->size);             /* others may read the same bytes */
    }
    return PYTREE_OK;
}

static bool pytree__st_at_hand(const struct pytree__st_loader *l, size_t file, uint64_t at, size_t n)
{
    return l->file == file && at >= l->at && at - l->at <= l->n && n <= l->n - (size_t)(at - l->at);
}

/* Return n bytes of a file in the scratch buffer, which is large enough. The bytes after them are read along: small tensors
 * are often adjacent. */
static char *pytree__st_piece(struct pytree__st_loader *l, size_t file, uint64_t at, size_t n)
{
    pytree__file f = pytree__st_reader(l->st, file, l->err);
    if (!pytree__st_at_hand(l, file, at, n)) {
        l->n = PYTREE__ST_SCRATCH;
        if (f.size - at < l->n) { l->n = (size_t)(f.size - at); }
        l->file = file;
        l->at = at;
        if (pytree__file_read(&f, at, l->scratch, l->n) != PYTREE_OK) { l->n = 0; return NULL; }
    }
    return l->scratch + (at - l->at);
}

/* Read a leaf from its file: into its place if `put`, otherwise only to check it. Large data that needs no check is read
 * directly. */
static pytree_status pytree__st_read_leaf(struct pytree__st_loader *l, size_t i, bool put)
{
    const pytree_tensor *t = pytree__st_tensor(l, i);
    const size_t to_size = l->w.leaves[i].type->size, size = t->type->size, most = PYTREE__ST_SCRATCH / 4 / size;
    char *to = put ? (char *)l->w.leaves[i].data : NULL;
    uint64_t at, bytes = pytree__st_part(l, i, &at);
    pytree_status status = PYTREE_OK;
    if (put && bytes > PYTREE__ST_SCRATCH / 4 && !pytree__st_indirect(l, i)
        && !pytree__st_at_hand(l, t->file, at, (size_t)bytes)) {
        pytree__file f = pytree__st_reader(l->st, t->file, l->err);
        status = pytree__file_read(&f, at, to, (size_t)bytes);
        if (status == PYTREE_OK) { pytree__st_swap(t->type, to, (size_t)bytes); }
        return status;
    }
    while (bytes != 0 && status == PYTREE_OK) {
        size_t n = bytes / size < most ? (size_t)(bytes / size) : most;
        char *piece = pytree__st_piece(l, t->file, at, n * size);
        status = piece == NULL ? PYTREE_IO : pytree__st_take(l, i, piece, to, n);
        if (to != NULL) { to += n * to_size; }
        at += n * size;
        bytes -= n * size;
    }
    return status;
}

/* Check that bytes can be read. A table's check speaks only for its own `read`; with a replaced `read`, they are read twice. */
static pytree_status pytree__st_readable(struct pytree__st_loader *l, size_t file, uint64_t at, uint64_t n)
{
    pytree__file f = pytree__st_reader(l->st, file, l->err);
    pytree_io io = *f.io;
    if (io.read != pytree_io_system.read) { io.check = NULL; }
    f.io = &io;
    return pytree__file_check(&f, at, n, l->scratch, PYTREE__ST_SCRATCH);
}

/* Check that all data can be read. If it fits the scratch buffer, it is read once and for all; otherwise adjacent tensors are
 * checked together. */
static pytree_status pytree__st_check(struct pytree__st_loader *l, size_t n)
{
    pytree_status status = PYTREE_OK;
    size_t k = 0, from, file;
    while (k < n && status == PYTREE_OK) {
        uint64_t at, end, next, bytes;
        from = k;
        file = pytree__st_tensor(l, l->order[k])->file;
        end = pytree__st_part(l, l->order[k], &at);
        end += at;
        for (k++; k < n && pytree__st_tensor(l, l->order[k])->file == file; k++) {
            bytes = pytree__st_part(l, l->order[k], &next);
            if (next > end) { break; }
            if (next + bytes > end) { end = next + bytes; }
        }
        if (from == 0 && k == n && end - at <= PYTREE__ST_SCRATCH) {
            status = pytree__st_piece(l, file, at, (size_t)(end - at)) == NULL ? PYTREE_IO : PYTREE_OK;
        } else {
            status = pytree__st_readable(l, file, at, end - at);
            l->n = 0;                     /* bytes in the scratch buffer */
        }
    }
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        if (l->w.leaves[l->order[k]].type->dtype == PYTREE_BOOL8) { status = pytree__st_read_leaf(l, l->order[k], false); }
    }
    return status;
}

/* Begin loading or mapping: match leaves and tensors, and sort the leaves by their data. *n: their number. */
static pytree_status pytree__st_begin(struct pytree__st_loader *l, const pytree_safetensors *file, pytree t, bool making,
                                      const pytree_checkpoint_options *opt, pytree_error *err, size_t *n)
{
    pytree_status status = PYTREE_OK;
    size_t i;
    memset(l, 0, sizeof *l);
    l->st = pytree__st_of(file);
    l->tensors = file->tensors;
    l->err = err;
    if (making && !pytree__little_endian()) {
        status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a little-endian machine, on which the numbers of a file "
                             "can stay where they are, got a big-endian one (pytree_load_safetensors converts them)");
    }
    if (status == PYTREE_OK) { status = pytree__wanted_begin(&l->w, t, PYTREE__ST_HOLDS, making, opt, err); }
    if (status == PYTREE_OK) { status = pytree__match(&l->w, file->tensors, &l->st->by_name); }
    if (status != PYTREE_OK) { return status; }
    l->order_bytes = pytree__plus(pytree__times(l->w.n, 2 * sizeof *l->order), PYTREE__ST_SCRATCH);
    l->scratch = (char *)pytree__resize(opt->tree.allocator, NULL, 0, l->order_bytes);
    if (l->scratch == NULL) { return pytree__no_memory(err, l->order_bytes); }
    l->order = (size_t *)(void *)(l->scratch + PYTREE__ST_SCRATCH);
    for (i = 0; i < l->w.n; i++) { l->order[i] = i; }
    pytree__sort_numbers(l->order, l->w.n, pytree__st_by_place, l);
    for (*n = 0; *n < l->w.n && pytree__st_asks(l, l->order[*n]); ++*n) {}
    return PYTREE_OK;
}

static void pytree__st_end(struct pytree__st_loader *l, const pytree_checkpoint_options *opt)
{
    if (l->scratch != NULL) { (void)pytree__resize(opt->tree.allocator, l->scratch, l->order_bytes, 0); }
    pytree__wanted_end(&l->w);
}

pytree_status pytree_safetensors_load(const pytree_safetensors *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__st_loader l;
    size_t n = 0, k;
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    opt = pytree__st_options(opt, &none);
    status = pytree__st_begin(&l, file, t, false, opt, err, &n);
    if (status == PYTREE_OK) { status = pytree__st_check(&l, n); }
    for (k = 0; k < n && status == PYTREE_OK; k++) { status = pytree__st_read_leaf(&l, l.order[k], true); }
    pytree__st_end(&l, opt);
    return status;
}

pytree_status pytree_load_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_error own;
    pytree_safetensors *file;
    memset(&own, 0, sizeof own);
    file = pytree_safetensors_open(path, opt, &own);
    if (file != NULL) { (void)pytree_safetensors_load(file, t, opt, &own); }
    pytree_safetensors_close(file);
    return pytree__st_pass_on(&own, err);
}

/* ---- Map ----------------------------------------------------------------------------------------------------------- */

/* Return the bytes of leaf i in memory. */
static const char *pytree__st_mapped(const struct pytree__st_loader *l, size_t i, size_t *bytes)
{
    uint64_t at;
    *bytes = (size_t)pytree__st_part(l, i, &at);
    return (const char *)pytree__st_tensor(l, i)->data + (at - pytree__st_tensor(l, i)->offset);
}

static bool pytree__st_in_place(const struct pytree__st_loader *l, size_t i)
{
    const pytree_type *type = l->w.leaves[i].type;
    size_t bytes;
    return type->dtype == pytree__st_tensor(l, i)->type->dtype && (uintptr_t)pytree__st_mapped(l, i, &bytes) % type->align == 0;
}

/* Set the data of the views: into the mapping, or to a copy if the mapping cannot be used. */
static pytree_status pytree__st_views(struct pytree__st_loader *l, struct pytree__st *st, size_t n)
{
    pytree_status status = PYTREE_OK;
    size_t k, i, bytes, total = 0;
    char *next;
    for (k = 0; k < n; k++) {
        if (!pytree__st_in_place(l, l->order[k])) {
            total = pytree__plus(total, pytree__round(pytree_leaf_bytes(&l->w.leaves[l->order[k]]), 16));
        }
    }
    if (total != 0) {
        st->copies = pytree__resize(st->allocator, NULL, 0, total);
        if (st->copies == NULL) { return pytree__no_memory(l->err, total); }
        st->copies_bytes = total;
    }
    next = (char *)st->copies;
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        const char *at;
        i = l->order[k];
        at = pytree__st_mapped(l, i, &bytes);
        if (pytree__st_in_place(l, i)) {
            if (l->w.leaves[i].type->dtype == PYTREE_BOOL8) {
                status = pytree__st_bools(l, i, (const unsigned char *)at, bytes);
            }
            l->w.leaves[i].data = (void *)(uintptr_t)at;
        } else {
            status = pytree__st_take(l, i, (void *)(uintptr_t)at, next, bytes / pytree__st_tensor(l, i)->type->size);
            l->w.leaves[i].data = next;
            next += pytree__round(pytree_leaf_bytes(&l->w.leaves[i]), 16);
        }
    }
    return status;
}

/* Check that the current leaf has a place: a pointer in an existing struct, or memory to copy to. */
static pytree_status pytree__st_place(const pytree__cursor *c, const pytree_leaf *value)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const char *holder;
    const pytree_field *row = pytree__row_at(c, &holder);
    uintptr_t zeros = (uintptr_t)pytree__zeros(), self = row != NULL ? (uintptr_t)holder : f == NULL ? 0 : (uintptr_t)f->self;
    bool pointer = row != NULL && (row->place == PYTREE_POINTER || row->form == PYTREE_FORM_VIEW);
    if (self - zeros < PYTREE__ZEROS || (!pointer && value->data == NULL && pytree_leaf_count(value) != 0)) {
        return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected existing lists and structs, got NULL%s", "");
    }
    return PYTREE_OK;
}

/* Restart the walk, with the memory it has. */
static pytree_status pytree__st_again(struct pytree__seeker *s, const pytree__wanted *w)
{
    s->it.index = SIZE_MAX;
    s->it.cursors[0].of.run_left = 0;
    return s->it.status = pytree__cursor_root(&s->it.cursors[0], w->tree);
}

/* Point the tree's pointers to the data of the views. The first walk checks that this is possible; the second one needs no
 * more memory. */
static pytree_status pytree__st_point(struct pytree__st_loader *l)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, &l->w, NULL);
    int put;
    for (put = 0; put < 2 && status == PYTREE_OK; put++) {
        size_t i = 0;
        if (put != 0) { status = pytree__st_again(&s, &l->w); }
        while (status == PYTREE_OK && i < l->w.n && pytree__seek(&s)) {
            if (s.it.index != l->w.numbers[i]) { continue; }
            if (put == 0) {
                status = pytree__st_place(&s.it.cursors[0], s.it.leaf[0]);
            } else if (pytree__st_asks(l, i)) {
                status = pytree__into_leaf(&s.it.cursors[0], s.it.leaf[0], &l->w.leaves[i], i, true);
            }
            i++;
        }
        if (status == PYTREE_OK) { status = s.it.status; }
    }
    pytree__seek_end(&s);
    return status;
}

pytree_safetensors *pytree_mmap_safetensors(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__st_loader l;
    size_t n = 0;
    pytree_status status;
    pytree_safetensors *file = pytree_safetensors_map(path, opt, err);
    if (file == NULL) { return NULL; }
    opt = pytree__st_options(opt, &none);
    status = pytree__st_begin(&l, file, t, true, opt, err, &n);
    if (status == PYTREE_OK) { status = pytree__st_views(&l, pytree__st_of(file), n); }
    if (status == PYTREE_OK) { status = pytree__st_point(&l); }
    pytree__st_end(&l, opt);
    if (status == PYTREE_OK) { return file; }
    pytree_safetensors_close(file);
    return NULL;
}

#include "safetensors_save.h"
#endif
