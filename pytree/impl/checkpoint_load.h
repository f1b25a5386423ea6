/* pytree/impl/checkpoint_load.h: reading tensors; loading and mapping leaves. */
#ifndef PYTREE_IMPL_CHECKPOINT_LOAD_H
#define PYTREE_IMPL_CHECKPOINT_LOAD_H

#include "checkpoint_file.h"

/* ---- Elements ------------------------------------------------------------------------------------------------------ */

/* A file that is read. */
struct pytree__ck_loader {
    const struct pytree__ck *ck;
    const pytree_tensor *tensors;
    pytree__wanted w;
    pytree_error *err;
    size_t *order;                        /* leaves by the offset of their data, with room for the sort after them */
    size_t order_bytes;
    char *scratch;                        /* a piece of a file: `n` bytes of file `file` from `at` on */
    size_t file, n;
    uint64_t at;
};

/* The elements of a tensor, or of one slice of it. */
struct pytree__ck_part {
    const pytree_tensor *tensor;
    uint64_t at, bytes;                   /* where they begin in the file, and the bytes from there to the end of the last */
    size_t ndim;
    const uint64_t *shape, *strides;
};

/* Numbers that go through the stack at once: those of a block, and those of a row. */
enum { PYTREE__CK_BLOCK = 256, PYTREE__CK_FEW = 128 };

static uint64_t pytree__ck_count(size_t ndim, const uint64_t *shape)
{
    uint64_t n = 1;
    size_t d;
    for (d = 0; d < ndim; d++) { n *= shape[d]; }
    return n;
}

/* Return a tensor, or a slice of it along the first axis, as what is to be read. */
static struct pytree__ck_part pytree__ck_part_of(const pytree_tensor *t, ptrdiff_t slice)
{
    const bool whole = slice == PYTREE_WHOLE;
    struct pytree__ck_part p;
    size_t d;
    p.tensor = t;
    p.ndim = t->ndim - !whole;
    p.shape = whole ? t->shape : t->shape + 1;
    p.strides = t->strides == NULL || whole ? t->strides : t->strides + 1;
    p.bytes = whole ? t->bytes : t->bytes / t->shape[0];
    p.at = t->offset + (whole ? 0 : (uint64_t)slice * (t->strides == NULL ? p.bytes : t->strides[0] * t->type->size));
    if (p.strides != NULL && p.bytes != 0) {
        for (p.bytes = t->type->size, d = 0; d < p.ndim; d++) { p.bytes += (p.shape[d] - 1) * p.strides[d] * t->type->size; }
    }
    return p;
}

static pytree_status pytree__ck_bools(const struct pytree__ck_loader *l, const pytree_tensor *t, const unsigned char *bytes,
                                      size_t n)
{
    size_t k;
    for (k = 0; k < n; k++) {
        if (bytes[k] > 1) {
            return pytree_fail(l->err, PYTREE_VALUE, NULL, "expected bytes of 0 and 1 for the bools of '%.100s', got %d",
                               t->name, bytes[k]);
        }
    }
    return PYTREE_OK;
}

/* Convert or check n elements of a tensor, and write them to `to` unless that is NULL. */
static pytree_status pytree__ck_take(const struct pytree__ck_loader *l, const pytree_tensor *t, const pytree_type *type,
                                     void *from, char *to, size_t n)
{
    const bool big = l->ck->big;
    if (type->dtype == PYTREE_BOOL8) {
        pytree_status status = pytree__ck_bools(l, t, (const unsigned char *)from, n);
        if (status != PYTREE_OK) { return status; }
    }
    if (to == NULL) { return PYTREE_OK; }
    if (type->dtype == t->type->dtype) {
        memcpy(to, from, n * type->size);
        pytree__ck_swap(big, type, to, n * type->size);
    } else {
        pytree__ck_swap(big, t->type, from, n * t->type->size);
        pytree__convert(type->dtype, to, t->type->dtype, from, n);
        pytree__ck_swap(big, t->type, from, n * t->type->size);                /* others may read the same bytes */
    }
    return PYTREE_OK;
}

static bool pytree__ck_at_hand(const struct pytree__ck_loader *l, size_t file, uint64_t at, size_t n)
{
    return l->file == file && at >= l->at && at - l->at <= l->n && n <= l->n - (size_t)(at - l->at);
}

/* Return n bytes of a file in the scratch buffer, which is large enough. The bytes after them are read along: small tensors
 * are often adjacent. */
static char *pytree__ck_piece(struct pytree__ck_loader *l, size_t file, uint64_t at, size_t n)
{
    pytree__file f = pytree__ck_reader(l->ck, file, l->err);
    if (!pytree__ck_at_hand(l, file, at, n)) {
        l->n = PYTREE__CK_SCRATCH;
        if (f.size - at < l->n) { l->n = (size_t)(f.size - at); }
        l->file = file;
        l->at = at;
        if (pytree__file_read(&f, at, l->scratch, l->n) != PYTREE_OK) { l->n = 0; return NULL; }
    }
    return l->scratch + (at - l->at);
}

/* Read elements that lie one after another. Large data that needs no check is read directly. */
static pytree_status pytree__ck_read_plain(struct pytree__ck_loader *l, const struct pytree__ck_part *p,
                                           const pytree_type *type, char *to)
{
    const pytree_tensor *t = p->tensor;
    const size_t size = t->type->size, most = PYTREE__CK_SCRATCH / 4 / size;
    uint64_t at = p->at, bytes = p->bytes;
    pytree_status status = PYTREE_OK;
    if (to != NULL && bytes > PYTREE__CK_SCRATCH / 4 && type->dtype != PYTREE_BOOL8 && type->dtype == t->type->dtype
        && !pytree__ck_at_hand(l, t->file, at, (size_t)bytes)) {
        pytree__file f = pytree__ck_reader(l->ck, t->file, l->err);
        status = pytree__file_read(&f, at, to, (size_t)bytes);
        if (status == PYTREE_OK) { pytree__ck_swap(l->ck->big, t->type, to, (size_t)bytes); }
        return status;
    }
    while (bytes != 0) {
        size_t n = bytes / size < most ? (size_t)(bytes / size) : most;
        char *piece = pytree__ck_piece(l, t->file, at, n * size);
        status = piece == NULL ? PYTREE_IO : pytree__ck_take(l, t, type, piece, to, n);
        if (status != PYTREE_OK) { return status; }
        if (to != NULL) { to += n * type->size; }
        at += n * size;
        bytes -= n * size;
    }
    return status;
}

/* Read blocks of quantised numbers. Whatever their bytes are, they are numbers, so that `to` is never NULL: nothing is only
 * checked. */
static PYTREE__NOINLINE pytree_status pytree__ck_read_packed(struct pytree__ck_loader *l, const struct pytree__ck_part *p,
                                                             const pytree_type *type, char *to)
{
    const pytree_packing *packing = p->tensor->packing;
    float numbers[PYTREE__CK_BLOCK];
    uint64_t done;
    for (done = 0; done < p->bytes; done += packing->bytes) {
        const char *block = pytree__ck_piece(l, p->tensor->file, p->at + done, packing->bytes);
        if (block == NULL) { return PYTREE_IO; }
        packing->unpack((const unsigned char *)block, numbers);
        if (type->dtype == PYTREE_F32) { memcpy(to, numbers, packing->numbers * sizeof *numbers); }
        else { pytree__convert(type->dtype, to, PYTREE_F32, numbers, packing->numbers); }
        to += packing->numbers * type->size;
    }
    return PYTREE_OK;
}

/* Dimensions of an array that does not lie in row-major order, by their strides in the file, largest first. */
struct pytree__ck_dims {
    size_t n;
    uint64_t extent[PYTREE__CK_DIMS], from[PYTREE__CK_DIMS], to[PYTREE__CK_DIMS], at[PYTREE__CK_DIMS];
};

static void pytree__ck_sort_dims(struct pytree__ck_dims *dims, const struct pytree__ck_part *p)
{
    uint64_t step = 1;
    size_t d, k;
    dims->n = 0;
    for (d = p->ndim; d-- > 0; step *= p->shape[d]) {
        if (p->shape[d] == 1) { continue; }
        for (k = dims->n++; k > 0 && dims->from[k - 1] < p->strides[d]; k--) {
            dims->extent[k] = dims->extent[k - 1];
            dims->from[k] = dims->from[k - 1];
            dims->to[k] = dims->to[k - 1];
        }
        dims->extent[k] = p->shape[d];
        dims->from[k] = p->strides[d];
        dims->to[k] = step;
    }
    memset(dims->at, 0, sizeof dims->at);
}

/* Read n elements that stand `step` elements apart in the file, and put them `to_step` elements apart. */
static pytree_status pytree__ck_read_row(struct pytree__ck_loader *l, const struct pytree__ck_part *p, uint64_t at,
                                         uint64_t step, size_t n, const pytree_type *type, char *to, uint64_t to_step)
{
    char few[PYTREE__CK_FEW * 16], made[PYTREE__CK_FEW * 16];
    const size_t size = p->tensor->type->size;
    size_t i;
    const char *piece = pytree__ck_piece(l, p->tensor->file, at, ((n - 1) * (size_t)step + 1) * size);
    pytree_status status;
    if (piece == NULL) { return PYTREE_IO; }
    for (i = 0; i < n; i++) { memcpy(few + i * size, piece + i * (size_t)step * size, size); }
    status = pytree__ck_take(l, p->tensor, type, few, to == NULL ? NULL : made, n);
    if (status != PYTREE_OK) { return status; }
    for (i = 0; to != NULL && i < n; i++) {
        memcpy(to + i * to_step * type->size, made + i * type->size, type->size);
    }
    return PYTREE_OK;
}

/* Read an array that does not lie in row-major order: in the order of the file, so that each byte is read about once. */
static PYTREE__NOINLINE pytree_status pytree__ck_read_strided(struct pytree__ck_loader *l, const struct pytree__ck_part *p,
                                                              const pytree_type *type, char *to)
{
    struct pytree__ck_dims dims;
    const uint64_t size = p->tensor->type->size, most = PYTREE__CK_SCRATCH / 4 / size;
    uint64_t at = 0, there = 0, extent, step, i, n;
    size_t d;
    if (p->bytes == 0) { return PYTREE_OK; }
    pytree__ck_sort_dims(&dims, p);
    extent = dims.n == 0 ? 1 : dims.extent[dims.n - 1];
    step = dims.n == 0 ? 0 : dims.from[dims.n - 1];
    do {
        for (i = 0; i < extent; i += n) {
            pytree_status status;
            const uint64_t to_step = dims.n == 0 ? 0 : dims.to[dims.n - 1];
            n = step >= most ? 1 : 1 + most / (step + 1);
            if (n > PYTREE__CK_FEW) { n = PYTREE__CK_FEW; }
            n = n > extent - i ? extent - i : n;
            status = pytree__ck_read_row(l, p, p->at + (at + i * step) * size, step, (size_t)n, type,
                                         to == NULL ? NULL : to + (there + i * to_step) * type->size, to_step);
            if (status != PYTREE_OK) { return status; }
        }
        for (d = dims.n < 2 ? 0 : dims.n - 1; d-- > 0;) {
            at += dims.from[d];
            there += dims.to[d];
            if (++dims.at[d] < dims.extent[d]) { break; }
            at -= dims.from[d] * dims.extent[d];
            there -= dims.to[d] * dims.extent[d];
            dims.at[d] = 0;
        }
    } while (d != SIZE_MAX);              /* as it is where there is one dimension, or none */
    return PYTREE_OK;
}

/* Read elements into `to`, in row-major order and converted to `type`; `to` NULL: only check them. */
static pytree_status pytree__ck_read_part(struct pytree__ck_loader *l, const struct pytree__ck_part *p, const pytree_type *type,
                                          char *to)
{
    return p->tensor->packing != NULL ? pytree__ck_read_packed(l, p, type, to)
           : p->strides != NULL ? pytree__ck_read_strided(l, p, type, to) : pytree__ck_read_plain(l, p, type, to);
}

pytree_status pytree_checkpoint_read(const pytree_checkpoint *file, const pytree_tensor *tensor, void *to, size_t size,
                                     pytree_error *err)
{
    struct pytree__ck_loader l;
    struct pytree__ck_part part;
    pytree__file f;
    uint64_t bytes;
    pytree_status status;
    if (file == NULL || tensor == NULL || to == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, a tensor of it and memory for its data, got NULL");
    }
    bytes = tensor->packing == NULL || tensor->type == NULL
            ? tensor->bytes : pytree__ck_count(tensor->ndim, tensor->shape) * tensor->type->size;
    if (bytes != size) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected memory for the %llu bytes of '%.100s', got %zu",
                           (unsigned long long)bytes, tensor->name, size);
    }
    memset(&l, 0, sizeof l);
    l.ck = pytree__ck_of(file);
    l.err = err;
    f = pytree__ck_reader(l.ck, tensor->file, err);
    if (tensor->strides == NULL && (tensor->packing == NULL || tensor->type == NULL)) {
        if (tensor->data != NULL) {
            memcpy(to, tensor->data, size);
        } else {
            status = pytree__file_read(&f, tensor->offset, to, size);
            if (status != PYTREE_OK) { return status; }
        }
        if (tensor->type != NULL) { pytree__ck_swap(l.ck->big, tensor->type, to, size); }
        return PYTREE_OK;
    }
    l.scratch = (char *)pytree__resize(l.ck->allocator, NULL, 0, PYTREE__CK_SCRATCH);
    if (l.scratch == NULL) { return pytree__no_memory(err, PYTREE__CK_SCRATCH); }
    part = pytree__ck_part_of(tensor, PYTREE_WHOLE);
    status = pytree__ck_read_part(&l, &part, tensor->type, (char *)to);
    (void)pytree__resize(l.ck->allocator, l.scratch, PYTREE__CK_SCRATCH, 0);
    return status;
}

/* ---- Load ---------------------------------------------------------------------------------------------------------- */

static bool pytree__ck_asks(const struct pytree__ck_loader *l, size_t i) { return l->w.tensors[i] != SIZE_MAX; }

/* Return what leaf i, which asks, is read from. */
static struct pytree__ck_part pytree__ck_leaf_part(const struct pytree__ck_loader *l, size_t i)
{
    return pytree__ck_part_of(&l->tensors[l->w.tensors[i]], l->w.slices[i]);
}

static int pytree__ck_by_place(const void *context, size_t a, size_t b)
{
    const struct pytree__ck_loader *l = (const struct pytree__ck_loader *)context;
    struct pytree__ck_part x, y;
    if (!pytree__ck_asks(l, a) || !pytree__ck_asks(l, b)) { return pytree__ck_asks(l, b) - pytree__ck_asks(l, a); }
    x = pytree__ck_leaf_part(l, a);
    y = pytree__ck_leaf_part(l, b);
    if (x.tensor->file != y.tensor->file) { return x.tensor->file < y.tensor->file ? -1 : 1; }
    return x.at < y.at ? -1 : x.at > y.at;
}

/* Read leaf i into its place if `put`, otherwise only to check it. */
static pytree_status pytree__ck_read_leaf(struct pytree__ck_loader *l, size_t i, bool put)
{
    const struct pytree__ck_part part = pytree__ck_leaf_part(l, i);
    return pytree__ck_read_part(l, &part, l->w.leaves[i].type, put ? (char *)l->w.leaves[i].data : NULL);
}

/* Check that bytes can be read. A table's check speaks only for its own `read`; with a replaced `read`, they are read twice. */
static pytree_status pytree__ck_readable(struct pytree__ck_loader *l, size_t file, uint64_t at, uint64_t n)
{
    pytree__file f = pytree__ck_reader(l->ck, file, l->err);
    pytree_io io = *f.io;
    if (io.read != pytree_io_system.read) { io.check = NULL; }
    f.io = &io;
    return pytree__file_check(&f, at, n, l->scratch, PYTREE__CK_SCRATCH);
}

/* Check that all data can be read. If it fits the scratch buffer, it is read once and for all; otherwise adjacent tensors are
 * checked together. */
static pytree_status pytree__ck_check(struct pytree__ck_loader *l, size_t n)
{
    pytree_status status = PYTREE_OK;
    size_t k = 0, from, file;
    while (k < n && status == PYTREE_OK) {
        struct pytree__ck_part part = pytree__ck_leaf_part(l, l->order[k]);
        uint64_t at = part.at, end = at + part.bytes;
        from = k;
        file = part.tensor->file;
        for (k++; k < n; k++) {
            part = pytree__ck_leaf_part(l, l->order[k]);
            if (part.tensor->file != file || part.at > end) { break; }
            if (part.at + part.bytes > end) { end = part.at + part.bytes; }
        }
        if (from == 0 && k == n && end - at <= PYTREE__CK_SCRATCH) {
            status = pytree__ck_piece(l, file, at, (size_t)(end - at)) == NULL ? PYTREE_IO : PYTREE_OK;
        } else {
            status = pytree__ck_readable(l, file, at, end - at);
            l->n = 0;                     /* bytes in the scratch buffer */
        }
    }
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        if (l->w.leaves[l->order[k]].type->dtype == PYTREE_BOOL8) { status = pytree__ck_read_leaf(l, l->order[k], false); }
    }
    return status;
}

/* Begin loading or mapping: match leaves and tensors, and sort the leaves by their data. *n: their number. */
static pytree_status pytree__ck_begin(struct pytree__ck_loader *l, const pytree_checkpoint *file, pytree t, bool making,
                                      const pytree_checkpoint_options *opt, pytree_error *err, size_t *n)
{
    pytree_status status = PYTREE_OK;
    size_t i;
    memset(l, 0, sizeof *l);
    l->ck = pytree__ck_of(file);
    l->tensors = file->tensors;
    l->err = err;
    if (making && l->ck->big == pytree__little_endian()) {
        status = pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a %s machine, on which the numbers of a file can stay where "
                             "they are, got a %s one (a load converts them)", l->ck->big ? "big-endian" : "little-endian",
                             l->ck->big ? "little-endian" : "big-endian");
    }
    if (status == PYTREE_OK) { status = pytree__wanted_begin(&l->w, t, l->ck->holds, making, opt, err); }
    if (status == PYTREE_OK) { status = pytree__match(&l->w, file->tensors, &l->ck->by_name); }
    if (status != PYTREE_OK) { return status; }
    l->order_bytes = pytree__plus(pytree__times(l->w.n, 2 * sizeof *l->order), PYTREE__CK_SCRATCH);
    l->scratch = (char *)pytree__resize(opt->tree.allocator, NULL, 0, l->order_bytes);
    if (l->scratch == NULL) { return pytree__no_memory(err, l->order_bytes); }
    l->order = (size_t *)(void *)(l->scratch + PYTREE__CK_SCRATCH);
    for (i = 0; i < l->w.n; i++) { l->order[i] = i; }
    pytree__sort_numbers(l->order, l->w.n, pytree__ck_by_place, l);
    for (*n = 0; *n < l->w.n && pytree__ck_asks(l, l->order[*n]); ++*n) {}
    return PYTREE_OK;
}

static void pytree__ck_end(struct pytree__ck_loader *l, const pytree_checkpoint_options *opt)
{
    if (l->scratch != NULL) { (void)pytree__resize(opt->tree.allocator, l->scratch, l->order_bytes, 0); }
    pytree__wanted_end(&l->w);
}

pytree_status pytree_checkpoint_load(const pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__ck_loader l;
    size_t n = 0, k;
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    opt = pytree__ck_options(opt, &none);
    status = pytree__ck_begin(&l, file, t, false, opt, err, &n);
    if (status == PYTREE_OK && l.ck->verify != NULL) { status = l.ck->verify(&l, n); }
    if (status == PYTREE_OK) { status = pytree__ck_check(&l, n); }
    for (k = 0; k < n && status == PYTREE_OK; k++) { status = pytree__ck_read_leaf(&l, l.order[k], true); }
    pytree__ck_end(&l, opt);
    return status;
}

pytree_status pytree__ck_load_path(pytree__ck_open_fn *open, const char *path, pytree t, const pytree_checkpoint_options *opt,
                                   pytree_error *err)
{
    pytree_error own;
    pytree_checkpoint *file;
    memset(&own, 0, sizeof own);
    file = open(path, opt, &own);
    if (file != NULL) { (void)pytree_checkpoint_load(file, t, opt, &own); }
    pytree_checkpoint_close(file);
    return pytree__ck_pass_on(&own, err);
}

/* ---- Map ----------------------------------------------------------------------------------------------------------- */

static bool pytree__ck_in_place(const struct pytree__ck_loader *l, size_t i, const char **at)
{
    const pytree_type *type = l->w.leaves[i].type;
    const struct pytree__ck_part part = pytree__ck_leaf_part(l, i);
    *at = (const char *)part.tensor->data + (part.at - part.tensor->offset);
    return type->dtype == part.tensor->type->dtype && part.strides == NULL && part.tensor->packing == NULL
           && (uintptr_t)*at % type->align == 0;
}

/* Set the data of the views: into the mapping, or to a copy if the mapping cannot be used. */
static pytree_status pytree__ck_views(struct pytree__ck_loader *l, struct pytree__ck *ck, size_t n)
{
    pytree_status status = PYTREE_OK;
    size_t k, i, total = 0;
    const char *at;
    char *next;
    for (k = 0; k < n; k++) {
        if (!pytree__ck_in_place(l, l->order[k], &at)) {
            total = pytree__plus(total, pytree__round(pytree_leaf_bytes(&l->w.leaves[l->order[k]]), 16));
        }
    }
    if (total != 0) {
        ck->copies = pytree__resize(ck->allocator, NULL, 0, total);
        if (ck->copies == NULL) { return pytree__no_memory(l->err, total); }
        ck->copies_bytes = total;
    }
    next = (char *)ck->copies;
    for (k = 0; k < n && status == PYTREE_OK; k++) {
        pytree_leaf *leaf = &l->w.leaves[i = l->order[k]];
        if (pytree__ck_in_place(l, i, &at)) {
            const struct pytree__ck_part part = pytree__ck_leaf_part(l, i);
            if (leaf->type->dtype == PYTREE_BOOL8) {
                status = pytree__ck_bools(l, part.tensor, (const unsigned char *)at, (size_t)part.bytes);
            }
            leaf->data = (void *)(uintptr_t)at;
        } else {
            leaf->data = next;
            status = pytree__ck_read_leaf(l, i, true);
            next += pytree__round(pytree_leaf_bytes(leaf), 16);
        }
    }
    return status;
}

/* Check that the current leaf has a place: a pointer in an existing struct, or memory to copy to. */
static pytree_status pytree__ck_place(const pytree__cursor *c, const pytree_leaf *value)
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
static pytree_status pytree__ck_again(struct pytree__seeker *s, const pytree__wanted *w)
{
    s->it.index = SIZE_MAX;
    s->it.cursors[0].of.run_left = 0;
    return s->it.status = pytree__cursor_root(&s->it.cursors[0], w->tree);
}

/* Point the tree's pointers to the data of the views. The first walk checks that this is possible; the second one needs no
 * more memory. */
static pytree_status pytree__ck_point(struct pytree__ck_loader *l)
{
    struct pytree__seeker s;
    pytree_status status = pytree__seek_begin(&s, &l->w, NULL);
    int put;
    for (put = 0; put < 2 && status == PYTREE_OK; put++) {
        size_t i = 0;
        if (put != 0) { status = pytree__ck_again(&s, &l->w); }
        while (status == PYTREE_OK && i < l->w.n && pytree__seek(&s)) {
            if (s.it.index != l->w.numbers[i]) { continue; }
            if (put == 0) {
                status = pytree__ck_place(&s.it.cursors[0], s.it.leaf[0]);
            } else if (pytree__ck_asks(l, i)) {
                pytree__store_leaf(&s.it.cursors[0], s.it.leaf[0], &l->w.leaves[i]);
            }
            i++;
        }
        if (status == PYTREE_OK) { status = s.it.status; }
    }
    pytree__seek_end(&s);
    return status;
}

pytree_status pytree_checkpoint_point(pytree_checkpoint *file, pytree t, const pytree_checkpoint_options *opt,
                                      pytree_error *err)
{
    pytree_checkpoint_options none;
    struct pytree__ck_loader l;
    size_t n = 0;
    pytree_status status;
    if (file == NULL || pytree__ck_of(file)->copies != NULL
        || (file->n_tensors != 0 && file->tensors[0].data == NULL)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file in memory that no tree points into, got %s",
                           file == NULL ? "NULL" : "another");
    }
    opt = pytree__ck_options(opt, &none);
    status = pytree__ck_begin(&l, file, t, true, opt, err, &n);
    if (status == PYTREE_OK) { status = pytree__ck_views(&l, pytree__ck_of(file), n); }
    if (status == PYTREE_OK) { status = pytree__ck_point(&l); }
    pytree__ck_end(&l, opt);
    return status;
}

pytree_checkpoint *pytree__ck_mmap_path(pytree__ck_open_fn *open, const char *path, pytree t,
                                        const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint *file = open(path, opt, err);
    if (file == NULL) { return NULL; }
    if (pytree_checkpoint_map(file, err) != PYTREE_OK || pytree_checkpoint_point(file, t, opt, err) != PYTREE_OK) {
        pytree_checkpoint_close(file);
        return NULL;
    }
    return file;
}

#include "checkpoint_sizes.h"
#endif
