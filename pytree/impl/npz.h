/* pytree/impl/npz.h: .npz files: archives of .npy files. */
#ifndef PYTREE_IMPL_NPZ_H
#define PYTREE_IMPL_NPZ_H

#include "zip.h"

/* ---- Reading (bodies) ---------------------------------------------------------------------------------------------- */

/* Names, once there are no more: each once; then arrays lose their ending. */
static pytree_status pytree__npz_names(pytree__npz *z)
{
    pytree__name_index names;
    pytree_status status;
    size_t i, twice;
    for (i = 0; i < z->n; i++) { z->members[i].name = z->texts + z->members[i].text; }
    status = pytree__name_index_init(&names, z->members, sizeof *z->members, z->n, z->allocator, z->err);
    if (status == PYTREE_OK) {
        twice = pytree__name_index_twice(&names);
        if (twice != SIZE_MAX) {
            status = pytree__npy_fail(&z->whole, PYTREE_SYNTAX, "expected each name once, got '%.100s' twice",
                                      z->members[twice].name);
        }
    }
    pytree__name_index_end(&names);
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        char *name = z->texts + z->members[i].text;
        size_t n = strlen(name);
        z->members[i].array = n >= 4 && strcmp(name + n - 4, ".npy") == 0;
        if (z->members[i].array) { name[n - 4] = '\0'; }
    }
    return status;
}

static void pytree__npz_close(pytree__npz *z)
{
    if (z->members != NULL) { (void)pytree__resize(z->allocator, z->members, z->room, 0); }
    if (z->texts != NULL) { (void)pytree__resize(z->allocator, z->texts, z->texts_room, 0); }
    if (z->piece != NULL) { (void)pytree__resize(z->allocator, z->piece, PYTREE__NPZ_PIECE, 0); }
    pytree__file_close(&z->file);
}

static pytree_status pytree__npz_directory(pytree__npz *z)
{
    pytree__npz_end end = { 0, 0, 0 };
    uint64_t at, i;
    size_t *order, bytes;
    pytree_status status = pytree__npz_find_end(z, &end);
    at = end.begin;
    for (i = 0; i < end.count && status == PYTREE_OK; i++) { status = pytree__npz_entry(z, &at, end.end, end.begin); }
    if (status == PYTREE_OK && at != end.end) {
        status = pytree__npz_wrong(z, "as many members as the end record counts", "more");
    }
    if (status != PYTREE_OK) { return status; }
    bytes = pytree__times(z->n + 1, 2 * sizeof *order);
    order = (size_t *)pytree__resize(z->allocator, NULL, 0, bytes);
    if (order == NULL) { return pytree__no_memory(z->err, bytes); }
    status = pytree__npz_check_places(z, order, end.begin);
    (void)pytree__resize(z->allocator, order, bytes, 0);
    return status;
}

/* Opens an archive: its directory, and the header of each array. To be closed in any case. */
static pytree_status pytree__npz_open(pytree__npz *z, const char *path, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_status status;
    size_t i;
    memset(z, 0, sizeof *z);
    z->allocator = pytree__allocator(pytree__npy_tree(opt));
    z->err = err;
    z->whole.name = path;
    z->whole.err = err;
    status = pytree__file_open(&z->file, path, pytree__npy_io(opt), err);
    if (status != PYTREE_OK) { return status; }
    z->piece = (unsigned char *)pytree__resize(z->allocator, NULL, 0, PYTREE__NPZ_PIECE);
    if (z->piece == NULL) { return pytree__no_memory(err, PYTREE__NPZ_PIECE); }
    status = pytree__npz_directory(z);
    if (status == PYTREE_OK) { status = pytree__npz_names(z); }
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        if (z->members[i].array) { status = pytree__npz_read_head(z, &z->members[i]); }
    }
    return status;
}

/* The arrays of an archive as a tree's leaves look for them, and where their data is staged. */
typedef struct pytree__npz_arrays {
    pytree_tensor *tensors;
    size_t n, bytes;
    char *stage;
    size_t stage_bytes;
} pytree__npz_arrays;

static pytree_status pytree__npz_list(pytree__npz_arrays *arrays, const pytree__npz *z)
{
    size_t i;
    memset(arrays, 0, sizeof *arrays);
    arrays->bytes = pytree__times(z->n + 1, sizeof *arrays->tensors);
    arrays->tensors = (pytree_tensor *)pytree__resize(z->allocator, NULL, 0, arrays->bytes);
    if (arrays->tensors == NULL) { return pytree__no_memory(z->err, arrays->bytes); }
    memset(arrays->tensors, 0, arrays->bytes);
    for (i = 0; i < z->n; i++) {
        const pytree__npz_member *m = &z->members[i];
        pytree_tensor *tensor = &arrays->tensors[arrays->n];
        if (!m->array) { continue; }
        tensor->name = m->name;
        tensor->dtype = m->head.descr;
        tensor->type = m->head.array.type;
        tensor->ndim = (size_t)m->head.array.ndim;
        tensor->shape = m->shape;
        tensor->bytes = m->head.bytes;
        tensor->offset = SIZE_MAX;        /* in the stage: nobody asks for it */
        arrays->n++;
    }
    return PYTREE_OK;
}

/* A place for each array that a leaf asks for. */
static pytree_status pytree__npz_stage(pytree__npz_arrays *arrays, const pytree__wanted *w, const pytree__npz *z)
{
    size_t i, total = 0;
    for (i = 0; i < w->n; i++) {
        pytree_tensor *tensor = &arrays->tensors[w->tensors[i]];
        if (tensor->offset != SIZE_MAX) { continue; }
        tensor->offset = total;
        total = pytree__round(pytree__plus(total, (size_t)tensor->bytes), sizeof(pytree__npz_block));
    }
    if (total == 0) { return PYTREE_OK; }
    arrays->stage = (char *)pytree__resize(z->allocator, NULL, 0, total);
    if (arrays->stage == NULL) { return pytree__no_memory(z->err, total); }
    arrays->stage_bytes = total;
    return PYTREE_OK;
}

/* Reads every member, those that nobody asks for to check them. */
static pytree_status pytree__npz_fill(pytree__npz *z, const pytree__npz_arrays *arrays)
{
    pytree_status status = PYTREE_OK;
    size_t i, k = 0;
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        const pytree__npz_member *m = &z->members[i];
        const pytree_tensor *tensor = m->array ? &arrays->tensors[k++] : NULL;
        bool wanted = tensor != NULL && tensor->offset != SIZE_MAX && arrays->stage != NULL;
        status = pytree__npz_read_member(z, m, wanted ? arrays->stage + tensor->offset : NULL);
    }
    return status;
}

/* Nothing fails from here on. */
static void pytree__npz_hand_out(const pytree__wanted *w, const pytree__npz_arrays *arrays)
{
    size_t i;
    for (i = 0; i < w->n; i++) {
        const pytree_tensor *tensor = &arrays->tensors[w->tensors[i]];
        const pytree_leaf *leaf = &w->leaves[i];
        size_t count = pytree_leaf_count(leaf), bytes = count * tensor->type->size;
        const char *from;
        if (bytes == 0) { continue; }
        from = arrays->stage + tensor->offset + (w->slices[i] == PYTREE_WHOLE ? 0 : (size_t)w->slices[i] * bytes);
        if (tensor->type->dtype == leaf->type->dtype) {
            memcpy(leaf->data, from, bytes);
        } else {
            pytree__convert(leaf->type->dtype, leaf->data, tensor->type->dtype, from, count);
        }
    }
}

static pytree_status pytree__npz_load(pytree__npz *z, pytree__wanted *w)
{
    pytree__npz_arrays arrays;
    pytree__name_index names;
    pytree_status status = pytree__npz_list(&arrays, z);
    if (status != PYTREE_OK) { return status; }
    status = pytree__name_index_init(&names, arrays.tensors, sizeof *arrays.tensors, arrays.n, z->allocator, z->err);
    if (status == PYTREE_OK) { status = pytree__match(w, arrays.tensors, &names); }
    pytree__name_index_end(&names);
    if (status == PYTREE_OK) { status = pytree__npz_stage(&arrays, w, z); }
    if (status == PYTREE_OK) { status = pytree__npz_fill(z, &arrays); }
    if (status == PYTREE_OK) { pytree__npz_hand_out(w, &arrays); }
    if (arrays.stage != NULL) { (void)pytree__resize(z->allocator, arrays.stage, arrays.stage_bytes, 0); }
    (void)pytree__resize(z->allocator, arrays.tensors, arrays.bytes, 0);
    return status;
}

pytree_status pytree_load_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options own;
    pytree__wanted w;
    pytree_status status;
    memset(&own, 0, sizeof own);
    if (opt == NULL) { opt = &own; }
    status = pytree__wanted_begin(&w, t, PYTREE__NPY_HOLDS | (opt->convert ? 1u << PYTREE_BF16 : 0u), false, opt, err);
    if (status == PYTREE_OK) {
        pytree__npz z;
        status = pytree__npz_open(&z, path, opt, err);
        if (status == PYTREE_OK) { status = pytree__npz_load(&z, &w); }
        pytree__npz_close(&z);
    }
    pytree__wanted_end(&w);
    return status;
}

/* ---- Arrays of their own ------------------------------------------------------------------------------------------- */

/* What pytree_read_npz gives: this, the pairs, the views, the names, the arrays. */
typedef struct pytree__npz_owner {
    pytree_items items;
    const pytree_allocator *allocator;
    size_t bytes;
} pytree__npz_owner;

void pytree_npz_free(pytree arrays)
{
    pytree__npz_owner *owner = (pytree__npz_owner *)arrays.data;
    if (owner != NULL) { (void)pytree__resize(owner->allocator, owner, owner->bytes, 0); }
}

/* Where the parts of that block begin; the arrays at `align` from the last. */
typedef struct pytree__npz_plan {
    size_t n, pairs, leaves, names, arrays, bytes;
} pytree__npz_plan;

static void pytree__npz_make_plan(pytree__npz_plan *plan, const pytree__npz *z, size_t align)
{
    size_t i;
    memset(plan, 0, sizeof *plan);
    for (i = 0; i < z->n; i++) {
        if (!z->members[i].array) { continue; }
        plan->n++;
        plan->bytes = pytree__round(pytree__plus(plan->bytes, z->members[i].head.bytes), align);
    }
    plan->pairs = pytree__round(sizeof(pytree__npz_owner), sizeof(pytree__npz_block));
    plan->leaves = pytree__plus(plan->pairs, pytree__times(plan->n, sizeof(pytree_pair)));
    plan->names = pytree__plus(plan->leaves, pytree__times(plan->n, sizeof(pytree_leaf)));
    plan->arrays = pytree__plus(plan->names, z->n_texts);
    plan->bytes = pytree__plus(plan->bytes, pytree__plus(plan->arrays, align));
}

/* Reads every member, and makes the arrays among them a dict in the block. */
static pytree_status pytree__npz_fill_block(pytree__npz *z, const pytree__npz_plan *plan, char *block, size_t align)
{
    pytree_pair *pair = (pytree_pair *)(void *)(block + plan->pairs);
    pytree_leaf *leaf = (pytree_leaf *)(void *)(block + plan->leaves);
    char *data = block + plan->arrays;
    pytree_items *items = &((pytree__npz_owner *)(void *)block)->items;
    pytree_status status = PYTREE_OK;
    size_t i;
    data += (align - (uintptr_t)data % align) % align;
    if (z->n_texts != 0) { memcpy(block + plan->names, z->texts, z->n_texts); }
    items->count = plan->n;
    items->pairs = pair;
    for (i = 0; i < z->n && status == PYTREE_OK; i++) {
        const pytree__npz_member *m = &z->members[i];
        status = pytree__npz_read_member(z, m, m->array ? data : NULL);
        if (!m->array) { continue; }
        *leaf = m->head.array;
        leaf->data = data;
        pair->key = block + plan->names + m->text;
        pair->value = pytree_of_view(leaf);
        data += pytree__round(m->head.bytes, align);
        pair++;
        leaf++;
    }
    return status;
}

static pytree_status pytree__npz_read_all(pytree__npz *z, pytree *arrays, const pytree_options *opt)
{
    size_t align = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment;
    pytree__npz_plan plan;
    pytree__npz_owner *owner;
    pytree_status status;
    if ((align & (align - 1)) != 0) {
        return pytree_fail(z->err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", align);
    }
    if (align < PYTREE__ALIGNOF(max_align_t)) { align = PYTREE__ALIGNOF(max_align_t); }
    pytree__npz_make_plan(&plan, z, align);
    owner = (pytree__npz_owner *)pytree__resize(z->allocator, NULL, 0, plan.bytes);
    if (owner == NULL) { return pytree__no_memory(z->err, plan.bytes); }
    memset(owner, 0, sizeof *owner);
    owner->allocator = z->allocator;
    owner->bytes = plan.bytes;
    arrays->type = &pytree_types[PYTREE__T_dict];
    arrays->data = owner;
    status = pytree__npz_fill_block(z, &plan, (char *)owner, align);
    if (status != PYTREE_OK) {
        pytree_npz_free(*arrays);
        arrays->data = NULL;
    }
    return status;
}

pytree_status pytree_read_npz(const char *path, pytree *arrays, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree__npz z;
    pytree_status status;
    memset(arrays, 0, sizeof *arrays);
    status = pytree__npz_open(&z, path, opt, err);
    if (status == PYTREE_OK) { status = pytree__npz_read_all(&z, arrays, pytree__npy_tree(opt)); }
    pytree__npz_close(&z);
    return status;
}

/* ---- Saving (bodies) ----------------------------------------------------------------------------------------------- */

/* A member that was written, for the directory. */
typedef struct pytree__npz_written {
    uint64_t at, packed, size;
    uint32_t crc;
    bool wide;                            /* its header has the sizes in 64 bits */
} pytree__npz_written;

typedef struct pytree__npz_writer {
    pytree__save save;
    const pytree_allocator *allocator;
    unsigned char *piece;                 /* of deflated bytes; NULL: members are stored */
    z_stream z;
    pytree__npz_written *member;          /* the one that is being written */
    pytree_leaf leaf;
} pytree__npz_writer;

/* numpy's choice for members, whatever their size; the first of January 1980, read and write for the owner. */
enum { PYTREE__NPZ_WIDE = 45, PYTREE__NPZ_PLAIN = 20, PYTREE__NPZ_UNIX = 3 << 8, PYTREE__NPZ_DATE = 0x21 };
#define PYTREE__NPZ_MODE (0600u << 16)

static bool pytree__npz_ascii(const char *name)
{
    while (*name != '\0' && (unsigned char)*name < 0x80) { name++; }
    return *name == '\0';
}

static unsigned pytree__npz_flags(const pytree__npz_writer *w, const char *name)
{
    return (w->piece != NULL ? PYTREE__NPZ_SIZES_BEHIND : 0u) | (pytree__npz_ascii(name) ? 0u : PYTREE__NPZ_UTF8);
}

static void pytree__npz_write_record(pytree__npz_writer *w, const pytree__npz_record *r)
{
    (void)pytree__save_write(&w->save, r->bytes, r->n);
}

static void pytree__npz_write_name(pytree__npz_writer *w, const char *name)
{
    (void)pytree__save_write(&w->save, name, strlen(name));
    (void)pytree__save_write(&w->save, ".npy", 4);
}

/* The header of a member. If it is deflated, checksum and sizes are not known yet and come behind it. */
static void pytree__npz_write_local(pytree__npz_writer *w, const char *name)
{
    const pytree__npz_written *m = w->member;
    bool behind = w->piece != NULL;
    pytree__npz_record r;
    r.n = 0;
    pytree__npz_put(&r, PYTREE__NPZ_LOCAL, 4);
    pytree__npz_put(&r, m->wide ? PYTREE__NPZ_WIDE : PYTREE__NPZ_PLAIN, 2);
    pytree__npz_put(&r, pytree__npz_flags(w, name), 2);
    pytree__npz_put(&r, behind ? PYTREE__NPZ_DEFLATED : PYTREE__NPZ_STORED, 2);
    pytree__npz_put(&r, 0, 2);
    pytree__npz_put(&r, PYTREE__NPZ_DATE, 2);
    pytree__npz_put(&r, behind ? 0 : m->crc, 4);
    pytree__npz_put(&r, m->wide ? PYTREE__NPZ_MAX32 : 0, 4);
    pytree__npz_put(&r, m->wide ? PYTREE__NPZ_MAX32 : 0, 4);
    pytree__npz_put(&r, strlen(name) + 4, 2);
    pytree__npz_put(&r, m->wide ? 20 : 0, 2);
    pytree__npz_write_record(w, &r);
    pytree__npz_write_name(w, name);
    if (m->wide) {
        r.n = 0;
        pytree__npz_put(&r, 1, 2);
        pytree__npz_put(&r, 16, 2);
        pytree__npz_put(&r, behind ? 0 : m->size, 8);
        pytree__npz_put(&r, behind ? 0 : m->packed, 8);
        pytree__npz_write_record(w, &r);
    }
}

static void pytree__npz_write_entry(pytree__npz_writer *w, const char *name, const pytree__npz_written *m)
{
    pytree__npz_record r, extra;
    r.n = extra.n = 0;
    if (m->size >= PYTREE__NPZ_MAX32) { pytree__npz_put(&extra, m->size, 8); }
    if (m->packed >= PYTREE__NPZ_MAX32) { pytree__npz_put(&extra, m->packed, 8); }
    if (m->at >= PYTREE__NPZ_MAX32) { pytree__npz_put(&extra, m->at, 8); }
    pytree__npz_put(&r, PYTREE__NPZ_ENTRY, 4);
    pytree__npz_put(&r, PYTREE__NPZ_UNIX | (m->wide || extra.n != 0 ? PYTREE__NPZ_WIDE : PYTREE__NPZ_PLAIN), 2);
    pytree__npz_put(&r, m->wide || extra.n != 0 ? PYTREE__NPZ_WIDE : PYTREE__NPZ_PLAIN, 2);
    pytree__npz_put(&r, pytree__npz_flags(w, name), 2);
    pytree__npz_put(&r, w->piece != NULL ? PYTREE__NPZ_DEFLATED : PYTREE__NPZ_STORED, 2);
    pytree__npz_put(&r, 0, 2);
    pytree__npz_put(&r, PYTREE__NPZ_DATE, 2);
    pytree__npz_put(&r, m->crc, 4);
    pytree__npz_put(&r, m->packed >= PYTREE__NPZ_MAX32 ? PYTREE__NPZ_MAX32 : m->packed, 4);
    pytree__npz_put(&r, m->size >= PYTREE__NPZ_MAX32 ? PYTREE__NPZ_MAX32 : m->size, 4);
    pytree__npz_put(&r, strlen(name) + 4, 2);
    pytree__npz_put(&r, extra.n == 0 ? 0 : 4 + extra.n, 2);
    pytree__npz_put(&r, 0, 6);            /* comment, disk, kind of data */
    pytree__npz_put(&r, PYTREE__NPZ_MODE, 4);
    pytree__npz_put(&r, m->at >= PYTREE__NPZ_MAX32 ? PYTREE__NPZ_MAX32 : m->at, 4);
    pytree__npz_write_record(w, &r);
    pytree__npz_write_name(w, name);
    if (extra.n != 0) {
        r.n = 0;
        pytree__npz_put(&r, 1, 2);
        pytree__npz_put(&r, extra.n, 2);
        pytree__npz_write_record(w, &r);
        pytree__npz_write_record(w, &extra);
    }
}

/* The end of the directory, which began at `begin`. */
static void pytree__npz_write_end(pytree__npz_writer *w, uint64_t begin, uint64_t n)
{
    uint64_t end = w->save.written;
    bool large = n >= PYTREE__NPZ_MAX16 || begin >= PYTREE__NPZ_MAX32 || end - begin >= PYTREE__NPZ_MAX32;
    pytree__npz_record r;
    r.n = 0;
    if (large) {
        pytree__npz_put(&r, PYTREE__NPZ_END64, 4);
        pytree__npz_put(&r, PYTREE__NPZ_END64_BYTES - 12, 8);
        pytree__npz_put(&r, PYTREE__NPZ_WIDE, 2);
        pytree__npz_put(&r, PYTREE__NPZ_WIDE, 2);
        pytree__npz_put(&r, 0, 8);
        pytree__npz_put(&r, n, 8);
        pytree__npz_put(&r, n, 8);
        pytree__npz_put(&r, end - begin, 8);
        pytree__npz_put(&r, begin, 8);
        pytree__npz_put(&r, PYTREE__NPZ_LOCATOR, 4);
        pytree__npz_put(&r, 0, 4);
        pytree__npz_put(&r, end, 8);
        pytree__npz_put(&r, 1, 4);
        pytree__npz_write_record(w, &r);
        r.n = 0;
    }
    pytree__npz_put(&r, PYTREE__NPZ_END, 4);
    pytree__npz_put(&r, 0, 4);
    pytree__npz_put(&r, large ? PYTREE__NPZ_MAX16 : n, 2);
    pytree__npz_put(&r, large ? PYTREE__NPZ_MAX16 : n, 2);
    pytree__npz_put(&r, large ? PYTREE__NPZ_MAX32 : end - begin, 4);
    pytree__npz_put(&r, large ? PYTREE__NPZ_MAX32 : begin, 4);
    pytree__npz_put(&r, 0, 2);
    pytree__npz_write_record(w, &r);
}

static pytree_status pytree__npz_count(void *context, const void *from, size_t n)
{
    pytree__npz_written *m = (pytree__npz_written *)context;
    m->crc = pytree__npz_sum(m->crc, from, n);
    m->size += n;
    return PYTREE_OK;
}

/* Deflates n bytes; `flush` Z_FINISH closes the stream. */
static pytree_status pytree__npz_deflate(pytree__npz_writer *w, const void *from, size_t n, int flush)
{
    const char *next = (const char *)from;
    do {
        uInt part = n < (1u << 30) ? (uInt)n : 1u << 30;
        w->z.next_in = (Bytef *)(uintptr_t)next;
        w->z.avail_in = part;
        do {                              /* until it has room left: then it has taken all */
            size_t made;
            w->z.next_out = w->piece;
            w->z.avail_out = PYTREE__NPZ_PIECE;
            (void)deflate(&w->z, flush);
            made = PYTREE__NPZ_PIECE - w->z.avail_out;
            w->member->packed += made;
            if (pytree__save_write(&w->save, w->piece, made) != PYTREE_OK) { return w->save.status; }
        } while (w->z.avail_out == 0);
        next += part;
        n -= part;
    } while (n != 0);
    return PYTREE_OK;
}

static pytree_status pytree__npz_pack(void *context, const void *from, size_t n)
{
    pytree__npz_writer *w = (pytree__npz_writer *)context;
    (void)pytree__npz_count(w->member, from, n);
    return pytree__npz_deflate(w, from, n, Z_NO_FLUSH);
}

/* Sizes and checksum are counted while the member is written, and follow it. */
static void pytree__npz_write_deflated(pytree__npz_writer *w, const char *name, const char *head, size_t head_bytes)
{
    pytree__npz_written *m = w->member;
    pytree__npz_record r;
    m->wide = pytree_leaf_bytes(&w->leaf) >= 0xFF000000u;      /* less than that does not grow to 4 GiB */
    pytree__npz_write_local(w, name);
    if (deflateReset(&w->z) != Z_OK || pytree__npz_pack(w, head, head_bytes) != PYTREE_OK
        || pytree__npy_put_data(&w->leaf, pytree__npz_pack, w) != PYTREE_OK
        || pytree__npz_deflate(w, "", 0, Z_FINISH) != PYTREE_OK) { return; }
    r.n = 0;
    pytree__npz_put(&r, PYTREE__NPZ_DESCRIPTOR, 4);
    pytree__npz_put(&r, m->crc, 4);
    pytree__npz_put(&r, m->packed, m->wide ? 8 : 4);
    pytree__npz_put(&r, m->size, m->wide ? 8 : 4);
    pytree__npz_write_record(w, &r);
}

/* Counted first, so that the header can say all: numpy writes it again at the end, which a file in the making can't. */
static void pytree__npz_write_stored(pytree__npz_writer *w, const char *name, const char *head, size_t head_bytes)
{
    pytree__npz_written *m = w->member;
    m->wide = true;
    (void)pytree__npz_count(m, head, head_bytes);
    (void)pytree__npy_put_data(&w->leaf, pytree__npz_count, m);
    m->packed = m->size;
    pytree__npz_write_local(w, name);
    (void)pytree__save_write(&w->save, head, head_bytes);
    (void)pytree__npy_put_data(&w->leaf, pytree__npy_write_file, &w->save);
}

/* The whole archive; failures stay in the file in the making. */
static void pytree__npz_write(pytree__npz_writer *w, const pytree__wanted *leaves, pytree__npz_written *written)
{
    char head[PYTREE__NPY_HEAD];
    uint64_t begin;
    size_t i, n;
    for (i = 0; i < leaves->n && w->save.status == PYTREE_OK; i++) {
        w->member = &written[i];
        w->leaf = leaves->leaves[i];
        memset(w->member, 0, sizeof *w->member);
        w->member->at = w->save.written;
        n = pytree__npy_put_head(head, &w->leaf);
        if (w->piece != NULL) { pytree__npz_write_deflated(w, leaves->names[i], head, n); }
        else { pytree__npz_write_stored(w, leaves->names[i], head, n); }
    }
    begin = w->save.written;
    for (i = 0; i < leaves->n && w->save.status == PYTREE_OK; i++) {
        pytree__npz_write_entry(w, leaves->names[i], &written[i]);
    }
    pytree__npz_write_end(w, begin, leaves->n);
}

/* What zip can't have as a name, or would mean something else by it. */
static pytree_status pytree__npz_check_names(const pytree__wanted *leaves, pytree_error *err)
{
    size_t i;
    for (i = 0; i < leaves->n; i++) {
        const char *name = leaves->names[i];
        size_t n = strlen(name);
        if (leaves->slices[i] != PYTREE_WHOLE) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected whole arrays to save, got a slice of '%s'", name);
        }
        if (n > PYTREE__NPZ_MAX16 - 4 || !pytree__npz_is_utf8(name, n)) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a name in UTF-8 of up to 65531 bytes, got '%.100s'", name);
        }
    }
    return PYTREE_OK;
}

static pytree_status pytree__npz_save(pytree__npz_writer *w, const char *path, const pytree__wanted *leaves,
                                      const pytree_checkpoint_options *opt, pytree_error *err)
{
    size_t bytes = pytree__times(leaves->n + 1, sizeof(pytree__npz_written));
    pytree__npz_written *written = (pytree__npz_written *)pytree__resize(w->allocator, NULL, 0, bytes);
    pytree_status status;
    if (written == NULL) { return pytree__no_memory(err, bytes); }
    status = pytree__save_begin(&w->save, path, opt->io, &opt->tree, err);
    if (status == PYTREE_OK) { pytree__npz_write(w, leaves, written); }
    status = pytree__save_end(&w->save);
    (void)pytree__resize(w->allocator, written, bytes, 0);
    return status;
}

/* The same with zlib ready, where it is wanted. */
static pytree_status pytree__npz_save_packed(pytree__npz_writer *w, const char *path, const pytree__wanted *leaves,
                                             const pytree_checkpoint_options *opt, pytree_error *err)
{
    enum { MEMORY = 8 };                  /* zlib's own choice */
    pytree_status status;
    if (opt->compress == 0) { return pytree__npz_save(w, path, leaves, opt, err); }
    w->piece = (unsigned char *)pytree__resize(w->allocator, NULL, 0, PYTREE__NPZ_PIECE);
    if (w->piece == NULL) { return pytree__no_memory(err, PYTREE__NPZ_PIECE); }
    pytree__npz_zlib(&w->z, w->allocator);
    if (deflateInit2(&w->z, opt->compress, Z_DEFLATED, -MAX_WBITS, MEMORY, Z_DEFAULT_STRATEGY) == Z_OK) {
        status = pytree__npz_save(w, path, leaves, opt, err);
        (void)deflateEnd(&w->z);
    } else {
        status = pytree__no_memory(err, 0);
    }
    (void)pytree__resize(w->allocator, w->piece, PYTREE__NPZ_PIECE, 0);
    return status;
}

pytree_status pytree_save_npz(const char *path, pytree t, const pytree_checkpoint_options *opt, pytree_error *err)
{
    pytree_checkpoint_options own;
    pytree__npz_writer w;
    pytree__wanted leaves;
    pytree_status status;
    memset(&own, 0, sizeof own);
    memset(&w, 0, sizeof w);
    if (opt == NULL) { opt = &own; }
    w.allocator = opt->tree.allocator;
    if (opt->compress < 0 || opt->compress > 9) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a level of compression from 0 to 9, got %d", opt->compress);
    }
    status = pytree__wanted_begin(&leaves, t, PYTREE__NPY_HOLDS, false, opt, err);
    if (status == PYTREE_OK) { status = pytree__wanted_shared(&leaves); }
    if (status == PYTREE_OK) { status = pytree__npz_check_names(&leaves, err); }
    if (status == PYTREE_OK) { status = pytree__npz_save_packed(&w, path, &leaves, opt, err); }
    pytree__wanted_end(&leaves);
    return status;
}

#endif
