/* pytree/impl/zip_member.h: reading the members of a zip archive: inflate, checksum, end of stream. */
#ifndef PYTREE_IMPL_ZIP_MEMBER_H
#define PYTREE_IMPL_ZIP_MEMBER_H

#include "zip.h"

/* ---- Members ------------------------------------------------------------------------------------------------------- */

/* The unpacked bytes of a member. */
typedef struct pytree__npz_stream {
    pytree__npy_source source;
    pytree__npz *archive;
    const pytree__npz_member *member;
    uint64_t at, left;                    /* packed bytes that are still to be read */
    uint32_t crc;
    bool ended;                           /* the deflate stream */
    z_stream z;
} pytree__npz_stream;

/* A block for zlib, which frees without a size. */
typedef union pytree__npz_block {
    size_t bytes;
    max_align_t align;
} pytree__npz_block;

static voidpf pytree__npz_alloc(voidpf context, uInt n, uInt size)
{
    size_t bytes = pytree__plus(pytree__times(n, size), sizeof(pytree__npz_block));
    pytree__npz_block *block = (pytree__npz_block *)pytree__resize((const pytree_allocator *)context, NULL, 0, bytes);
    if (block == NULL) { return NULL; }
    block->bytes = bytes;
    return block + 1;
}

static void pytree__npz_release(voidpf context, voidpf p)
{
    pytree__npz_block *block = (pytree__npz_block *)p - 1;
    (void)pytree__resize((const pytree_allocator *)context, block, block->bytes, 0);
}

static void pytree__npz_zlib(z_stream *z, const pytree_allocator *a)
{
    memset(z, 0, sizeof *z);
    z->zalloc = pytree__npz_alloc;
    z->zfree = pytree__npz_release;
    z->opaque = (voidpf)(uintptr_t)a;
}

static uint32_t pytree__npz_sum(uint32_t crc, const void *from, size_t n)
{
    const Bytef *p = (const Bytef *)from;
    while (n != 0) {
        uInt part = n < (1u << 30) ? (uInt)n : 1u << 30;
        crc = (uint32_t)crc32(crc, p, part);
        p += part;
        n -= part;
    }
    return crc;
}

/* Read more packed bytes, if there are any and the buffer is empty. */
static pytree_status pytree__npz_feed(pytree__npz_stream *s)
{
    size_t n = s->left < PYTREE__NPZ_PIECE ? (size_t)s->left : PYTREE__NPZ_PIECE;
    pytree_status status;
    if (s->z.avail_in != 0 || n == 0) { return PYTREE_OK; }
    status = pytree__file_read(&s->archive->file, s->at, s->archive->piece, n);
    s->at += n;
    s->left -= n;
    s->z.next_in = s->archive->piece;
    s->z.avail_in = (uInt)n;
    return status;
}

/* Inflate up to n bytes and set *done to their number. If it is smaller, the stream has ended. */
static pytree_status pytree__npz_inflate(pytree__npz_stream *s, void *to, size_t n, size_t *done)
{
    *done = 0;
    while (*done < n && !s->ended) {
        size_t part = n - *done < (1u << 30) ? n - *done : 1u << 30;
        int code;
        pytree_status status = pytree__npz_feed(s);
        if (status != PYTREE_OK) { return status; }
        s->z.next_out = (Bytef *)to + *done;
        s->z.avail_out = (uInt)part;
        code = inflate(&s->z, Z_NO_FLUSH);
        *done += part - s->z.avail_out;
        s->ended = code == Z_STREAM_END;
        if (code == Z_MEM_ERROR) { return pytree__no_memory(s->source.err, 0); }
        if (code != Z_OK && !s->ended) {  /* without bytes and with room it is Z_BUF_ERROR, so that this comes to an end */
            return pytree__npy_fail(&s->source, PYTREE_SYNTAX, "expected a deflate stream, got %s",
                                    code == Z_BUF_ERROR ? "one that is cut" : "other bytes");
        }
    }
    return PYTREE_OK;
}

static pytree_status pytree__npz_read(pytree__npy_source *from, void *to, size_t n)
{
    pytree__npz_stream *s = (pytree__npz_stream *)from->context;
    pytree_status status;
    size_t done = n;
    if (s->member->method == PYTREE__NPZ_STORED) {
        status = pytree__file_read(&s->archive->file, s->at, to, n);
        s->at += n;
    } else {
        status = pytree__npz_inflate(s, to, n, &done);
    }
    if (status != PYTREE_OK) { return status; }
    if (done < n) {
        return pytree__npy_fail(from, PYTREE_SYNTAX, "expected %llu bytes of data, got fewer",
                                (unsigned long long)s->member->size);
    }
    s->crc = pytree__npz_sum(s->crc, to, n);
    from->left -= n;
    return PYTREE_OK;
}

/* Open a member at its first byte. It must be closed, unless this fails. */
static pytree_status pytree__npz_open_member(pytree__npz_stream *s, pytree__npz *z, const pytree__npz_member *m)
{
    memset(s, 0, sizeof *s);
    s->archive = z;
    s->member = m;
    s->at = m->data;
    s->left = m->packed;
    s->source.read = pytree__npz_read;
    s->source.left = m->size;
    s->source.name = m->name;
    s->source.err = z->err;
    s->source.context = s;
    if (m->method == PYTREE__NPZ_STORED) { return PYTREE_OK; }
    pytree__npz_zlib(&s->z, z->allocator);
    return inflateInit2(&s->z, -MAX_WBITS) == Z_OK ? PYTREE_OK : pytree__no_memory(z->err, 0);
}

static void pytree__npz_close_member(pytree__npz_stream *s)
{
    if (s->member->method == PYTREE__NPZ_DEFLATED) { (void)inflateEnd(&s->z); }
}

static pytree_status pytree__npz_skip(pytree__npz_stream *s, uint64_t n)
{
    char piece[PYTREE__PIECE];
    pytree_status status = PYTREE_OK;
    while (n != 0 && status == PYTREE_OK) {
        size_t part = n < sizeof piece ? (size_t)n : sizeof piece;
        status = s->source.read(&s->source, piece, part);
        n -= part;
    }
    return status;
}

/* Check, after all data has been read, that the stream ends too, and the checksum. */
static pytree_status pytree__npz_check_end(pytree__npz_stream *s)
{
    char more;
    size_t done = 0;
    if (s->member->method == PYTREE__NPZ_DEFLATED) {
        pytree_status status = pytree__npz_inflate(s, &more, 1, &done);
        if (status != PYTREE_OK) { return status; }
        if (done != 0 || s->z.avail_in != 0 || s->left != 0) {
            return pytree__npy_fail(&s->source, PYTREE_SYNTAX, "expected %llu bytes of %llu packed ones, got more",
                                    (unsigned long long)s->member->size, (unsigned long long)s->member->packed);
        }
    }
    if (s->crc != s->member->crc) {
        return pytree__npy_fail(&s->source, PYTREE_SYNTAX, "expected the checksum %08lx, got %08lx",
                                (unsigned long)s->member->crc, (unsigned long)s->crc);
    }
    return PYTREE_OK;
}

/* Read and check a whole member. `to`: where the data of an array goes; NULL: nowhere, or the member is none. */
static pytree_status pytree__npz_read_member(pytree__npz *z, const pytree__npz_member *m, void *to)
{
    pytree__npz_stream s;
    pytree_status status = pytree__npz_open_member(&s, z, m);
    if (status != PYTREE_OK) { return status; }
    if (to == NULL) {
        status = pytree__npz_skip(&s, m->size);
    } else {
        status = pytree__npz_skip(&s, m->size - m->head.bytes);
        if (status == PYTREE_OK) { status = pytree__npy_read_data(&s.source, &m->head, to); }
    }
    if (status == PYTREE_OK) { status = pytree__npz_check_end(&s); }
    pytree__npz_close_member(&s);
    return status;
}

static pytree_status pytree__npz_read_head(pytree__npz *z, pytree__npz_member *m)
{
    pytree__npz_stream s;
    int d;
    pytree_status status = pytree__npz_open_member(&s, z, m);
    if (status != PYTREE_OK) { return status; }
    status = pytree__npy_read_head(&s.source, &m->head);
    for (d = 0; d < m->head.array.ndim; d++) { m->shape[d] = m->head.array.shape[d]; }
    pytree__npz_close_member(&s);
    return status;
}

#include "npz.h"
#endif
