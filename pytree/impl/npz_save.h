/* pytree/impl/npz_save.h: writing .npz files. */
#ifndef PYTREE_IMPL_NPZ_SAVE_H
#define PYTREE_IMPL_NPZ_SAVE_H

#include "npz.h"

/* ---- Saving -------------------------------------------------------------------------------------------------------- */

/* A member that was written, for the directory. */
typedef struct pytree__npz_written {
    uint64_t at, packed, size;
    uint32_t crc;
    bool wide;                            /* its header has the sizes in 64 bits */
} pytree__npz_written;

typedef struct pytree__npz_writer {
    pytree__save save;
    const pytree_allocator *allocator;
    unsigned char *piece;                 /* buffer for deflated bytes; NULL: members are stored */
    z_stream z;
    pytree__npz_written *member;          /* the one that is being written */
    pytree_leaf leaf;
} pytree__npz_writer;

/* numpy's choices for members of any size: versions, system (Unix, mode 0600), date (1 January 1980). */
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

/* Write the header of a member. If it is deflated, checksum and sizes are not known yet and follow the data. */
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

/* Write the end records of the directory, which began at `begin`. */
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

/* Deflate n bytes; `flush` of Z_FINISH ends the stream. */
static pytree_status pytree__npz_deflate(pytree__npz_writer *w, const void *from, size_t n, int flush)
{
    const char *next = (const char *)from;
    do {
        uInt part = n < (1u << 30) ? (uInt)n : 1u << 30;
        w->z.next_in = (Bytef *)(uintptr_t)next;
        w->z.avail_in = part;
        do {                              /* until the output is not filled: then all input is consumed */
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

/* Write a deflated member. Sizes and checksum are computed meanwhile and follow it. */
static void pytree__npz_write_deflated(pytree__npz_writer *w, const char *name, const char *head, size_t head_bytes)
{
    pytree__npz_written *m = w->member;
    pytree__npz_record r;
    m->wide = pytree_leaf_bytes(&w->leaf) >= 0xFF000000u;      /* anything less stays below 4 GiB */
    pytree__npz_write_local(w, name);
    (void)deflateReset(&w->z);            /* it fails only where deflateInit2 has */
    if (pytree__npz_pack(w, head, head_bytes) != PYTREE_OK
        || pytree__npy_put_data(&w->leaf, pytree__npz_pack, w) != PYTREE_OK
        || pytree__npz_deflate(w, "", 0, Z_FINISH) != PYTREE_OK) { return; }
    r.n = 0;
    pytree__npz_put(&r, PYTREE__NPZ_DESCRIPTOR, 4);
    pytree__npz_put(&r, m->crc, 4);
    pytree__npz_put(&r, m->packed, m->wide ? 8 : 4);
    pytree__npz_put(&r, m->size, m->wide ? 8 : 4);
    pytree__npz_write_record(w, &r);
}

/* Write a stored member. Its checksum is computed in a first pass, so that the header is complete: numpy rewrites the header
 * at the end, which is not possible here. */
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

/* Write the whole archive. Failures stay in the pytree__save. */
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

/* Refuse names that zip cannot hold or would interpret. */
static pytree_status pytree__npz_check_names(const pytree__wanted *leaves, pytree_error *err)
{
    size_t i;
    for (i = 0; i < leaves->n; i++) {
        const char *name = leaves->names[i];
        size_t n = strlen(name);
        if (leaves->slices[i] != PYTREE_WHOLE) {
            return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected whole arrays to save, got a slice of '%s'", name);
        }
        if (n > PYTREE__NPZ_MAX16 - 4 || !pytree__is_utf8(name, n)) {
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

/* Save with zlib initialised, if it is needed. */
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
