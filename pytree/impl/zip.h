/* pytree/impl/zip.h: the directory of a zip archive. */
#ifndef PYTREE_IMPL_ZIP_H
#define PYTREE_IMPL_ZIP_H

#include "internal.h"
#include "../npz.h"
#include "npy.h"

#include <zlib.h>


/* ---- Fields -------------------------------------------------------------------------------------------------------- */

static unsigned pytree__npz_get16(const unsigned char *p) { return (unsigned)pytree__number_at(p, 2); }
static uint32_t pytree__npz_get32(const unsigned char *p) { return (uint32_t)pytree__number_at(p, 4); }

/* A record that is written or read field by field. */
typedef struct pytree__npz_record {
    unsigned char bytes[96];
    size_t n;
} pytree__npz_record;

static void pytree__npz_put(pytree__npz_record *r, uint64_t v, size_t n)
{
    for (; n != 0; n--, v >>= 8) { r->bytes[r->n++] = (unsigned char)(v & 0xFF); }
}

enum {
    PYTREE__NPZ_STORED = 0, PYTREE__NPZ_DEFLATED = 8,
    PYTREE__NPZ_LOCAL_BYTES = 30, PYTREE__NPZ_ENTRY_BYTES = 46, PYTREE__NPZ_END_BYTES = 22, PYTREE__NPZ_LOCATOR_BYTES = 20,
    PYTREE__NPZ_END64_BYTES = 56,
    PYTREE__NPZ_RATIO = 1040              /* deflate expands a byte to at most 1032 */
};
#define PYTREE__NPZ_PIECE ((size_t)3 * 65536)      /* room for two names and an extra field, or an end record and comment */
#define PYTREE__NPZ_SIZES_BEHIND 0x8u
#define PYTREE__NPZ_UTF8 0x800u
#define PYTREE__NPZ_ENCRYPTED 0x1u
#define PYTREE__NPZ_REFUSED 0x2061u       /* encrypted, patched, strongly encrypted, masked */
#define PYTREE__NPZ_MAX16 0xFFFFu
#define PYTREE__NPZ_MAX32 0xFFFFFFFFu
#define PYTREE__NPZ_LOCAL 0x04034B50u
#define PYTREE__NPZ_ENTRY 0x02014B50u
#define PYTREE__NPZ_END 0x06054B50u
#define PYTREE__NPZ_END64 0x06064B50u
#define PYTREE__NPZ_LOCATOR 0x07064B50u
#define PYTREE__NPZ_DESCRIPTOR 0x08074B50u

/* ---- Archives ------------------------------------------------------------------------------------------------------ */

typedef struct pytree__npz_member {
    const char *name;                     /* UTF-8; of an array without .npy. First member: lookups rely on it */
    size_t text;                          /* its place in `texts` */
    bool array;
    unsigned flags, method;
    uint32_t crc;
    uint64_t at, data, packed, size;      /* offsets of the member and its data; bytes in the file, bytes unpacked */
    pytree__npy_head head;
    uint64_t shape[PYTREE_MAX_DIMS];
} pytree__npz_member;

typedef struct pytree__npz {
    pytree__file file;
    pytree__npy_source whole;             /* the archive's name and error, for messages */
    const pytree_allocator *allocator;
    pytree_error *err;
    pytree__npz_member *members;
    size_t n, room;
    char *texts;                          /* names, each with a NUL */
    size_t n_texts, texts_room;
    unsigned char *piece;                 /* PYTREE__NPZ_PIECE bytes, a buffer for reading */
} pytree__npz;

static pytree_status pytree__npz_wrong(const pytree__npz *z, const char *expected, const char *got)
{
    return pytree__npy_fail(&z->whole, PYTREE_SYNTAX, "expected %s, got %s", expected, got);
}

/* Make room for `more` bytes after the `used` ones. */
static pytree_status pytree__npz_grow(pytree__npz *z, void **block, size_t used, size_t *room, size_t more)
{
    void *grown;
    if (more <= *room - used) { return PYTREE_OK; }
    grown = pytree__array_grow(*block, room, pytree__plus(used, more), 1, z->allocator, z->err);
    if (grown == NULL) { return PYTREE_NO_MEMORY; }
    *block = grown;
    return PYTREE_OK;
}

/* Characters of code page 437 from 0x80 on. */
static const uint16_t pytree__npz_cp437[128] = {
    0xC7, 0xFC, 0xE9, 0xE2, 0xE4, 0xE0, 0xE5, 0xE7, 0xEA, 0xEB, 0xE8, 0xEF, 0xEE, 0xEC, 0xC4, 0xC5,
    0xC9, 0xE6, 0xC6, 0xF4, 0xF6, 0xF2, 0xFB, 0xF9, 0xFF, 0xD6, 0xDC, 0xA2, 0xA3, 0xA5, 0x20A7, 0x192,
    0xE1, 0xED, 0xF3, 0xFA, 0xF1, 0xD1, 0xAA, 0xBA, 0xBF, 0x2310, 0xAC, 0xBD, 0xBC, 0xA1, 0xAB, 0xBB,
    0x2591, 0x2592, 0x2593, 0x2502, 0x2524, 0x2561, 0x2562, 0x2556, 0x2555, 0x2563, 0x2551, 0x2557, 0x255D, 0x255C, 0x255B,
    0x2510, 0x2514, 0x2534, 0x252C, 0x251C, 0x2500, 0x253C, 0x255E, 0x255F, 0x255A, 0x2554, 0x2569, 0x2566, 0x2560, 0x2550,
    0x256C, 0x2567, 0x2568, 0x2564, 0x2565, 0x2559, 0x2558, 0x2552, 0x2553, 0x256B, 0x256A, 0x2518, 0x250C, 0x2588, 0x2584,
    0x258C, 0x2590, 0x2580,
    0x3B1, 0xDF, 0x393, 0x3C0, 0x3A3, 0x3C3, 0xB5, 0x3C4, 0x3A6, 0x398, 0x3A9, 0x3B4, 0x221E, 0x3C6, 0x3B5, 0x2229,
    0x2261, 0xB1, 0x2265, 0x2264, 0x2320, 0x2321, 0xF7, 0x2248, 0xB0, 0x2219, 0xB7, 0x221A, 0x207F, 0xB2, 0x25A0, 0xA0
};

/* Store a name of the directory as UTF-8. */
static pytree_status pytree__npz_keep_name(pytree__npz *z, pytree__npz_member *m, const char *name, size_t n)
{
    pytree_status status;
    char *to;
    size_t i;
    if (memchr(name, 0, n) != NULL) { return pytree__npz_wrong(z, "names without NUL", "one with it"); }
    if ((m->flags & PYTREE__NPZ_UTF8) != 0 && !pytree__is_utf8(name, n)) {
        return pytree__npz_wrong(z, "a name in UTF-8, as its flag says", "other bytes");
    }
    status = pytree__npz_grow(z, (void **)&z->texts, z->n_texts, &z->texts_room, 3 * n + 1);
    if (status != PYTREE_OK) { return status; }
    m->text = z->n_texts;
    to = z->texts + z->n_texts;
    for (i = 0; i < n; i++) {
        unsigned c = (unsigned char)name[i];
        if (c >= 0x80 && (m->flags & PYTREE__NPZ_UTF8) == 0) {
            to += pytree__to_utf8(to, pytree__npz_cp437[c - 0x80]);
        } else {
            *to++ = (char)c;
        }
    }
    *to++ = '\0';
    z->n_texts = (size_t)(to - z->texts);
    return PYTREE_OK;
}

/* Read the zip64 field, whose values replace those that are all ones, in this order. Other extra fields are ignored. */
static pytree_status pytree__npz_zip64(const pytree__npz *z, const unsigned char *extra, size_t n, uint64_t *const values[],
                                       size_t n_values)
{
    const unsigned char *at = NULL;
    size_t i, left = 0;
    while (n >= 4) {
        size_t size = pytree__npz_get16(extra + 2);
        if (size > n - 4) { return pytree__npz_wrong(z, "extra fields within their length", "one that is longer"); }
        if (pytree__npz_get16(extra) == 1) {
            if (at != NULL) { return pytree__npz_wrong(z, "one zip64 field", "two"); }
            at = extra + 4;
            left = size;
        }
        extra += 4 + size;
        n -= 4 + size;
    }
    for (i = 0; i < n_values; i++) {
        if (*values[i] != PYTREE__NPZ_MAX32) { continue; }
        if (left < 8) { return pytree__npz_wrong(z, "a zip64 field with the sizes that it has to hold", "none that has"); }
        *values[i] = pytree__number_at(at, 8);
        at += 8;
        left -= 8;
    }
    return PYTREE_OK;
}

/* Check that the local header agrees with the directory; `name` are the n bytes of the directory, and there is room after
 * them. */
static pytree_status pytree__npz_local(pytree__npz *z, pytree__npz_member *m, unsigned char *name, size_t n, uint64_t directory)
{
    unsigned char head[PYTREE__NPZ_LOCAL_BYTES], *own = name + n;
    uint64_t packed, size, *values[2];
    size_t extra;
    pytree_status status;
    values[0] = &size;
    values[1] = &packed;
    if (m->at > directory || directory - m->at < sizeof head) {
        return pytree__npz_wrong(z, "members before the directory", "one after its start");
    }
    status = pytree__file_read(&z->file, m->at, head, sizeof head);
    if (status != PYTREE_OK) { return status; }
    extra = pytree__npz_get16(head + 28);
    m->data = m->at + sizeof head + n + extra;
    if (pytree__npz_get32(head) != PYTREE__NPZ_LOCAL || pytree__npz_get16(head + 26) != n || m->data > directory
        || m->packed > directory - m->data) {
        return pytree__npz_wrong(z, "a member before the directory where that says", "something else");
    }
    status = pytree__file_read(&z->file, m->at + sizeof head, own, n + extra);
    if (status != PYTREE_OK) { return status; }
    packed = pytree__npz_get32(head + 18);
    size = pytree__npz_get32(head + 22);
    if (memcmp(own, name, n) != 0 || pytree__npz_get16(head + 8) != m->method
        || ((pytree__npz_get16(head + 6) ^ m->flags) & (PYTREE__NPZ_ENCRYPTED | PYTREE__NPZ_SIZES_BEHIND)) != 0) {
        return pytree__npz_wrong(z, "a member with the name, flags and method that the directory has", "others");
    }
    if ((m->flags & PYTREE__NPZ_SIZES_BEHIND) != 0) { return PYTREE_OK; }
    status = pytree__npz_zip64(z, own + n, extra, values, 2);
    if (status == PYTREE_OK && (packed != m->packed || size != m->size || pytree__npz_get32(head + 14) != m->crc)) {
        return pytree__npz_wrong(z, "a member with the sizes and checksum that the directory has", "others");
    }
    return status;
}

/* Read one entry of the directory and its local header, and move *at past it; the directory ends at `end`. Versions, dates
 * and disk numbers are ignored: the end record has shown that there is one disk only. */
static pytree_status pytree__npz_entry(pytree__npz *z, uint64_t *at, uint64_t end, uint64_t directory)
{
    unsigned char head[PYTREE__NPZ_ENTRY_BYTES];
    uint64_t *values[3];
    pytree__npz_member *m;
    size_t n, extra, comment;
    pytree_status status = pytree__npz_grow(z, (void **)&z->members, z->n * sizeof *m, &z->room, sizeof *m);
    if (status != PYTREE_OK) { return status; }
    m = &z->members[z->n];
    memset(m, 0, sizeof *m);
    if (end - *at < sizeof head) { return pytree__npz_wrong(z, "as many members as the end record counts", "fewer"); }
    status = pytree__file_read(&z->file, *at, head, sizeof head);
    if (status != PYTREE_OK) { return status; }
    n = pytree__npz_get16(head + 28);
    extra = pytree__npz_get16(head + 30);
    comment = pytree__npz_get16(head + 32);
    if (pytree__npz_get32(head) != PYTREE__NPZ_ENTRY || end - *at - sizeof head < n + extra + comment) {
        return pytree__npz_wrong(z, "an entry of the directory", "something else");
    }
    status = pytree__file_read(&z->file, *at + sizeof head, z->piece, n + extra);
    if (status != PYTREE_OK) { return status; }
    *at += sizeof head + n + extra + comment;
    m->flags = pytree__npz_get16(head + 8);
    m->method = pytree__npz_get16(head + 10);
    m->crc = pytree__npz_get32(head + 16);
    m->packed = pytree__npz_get32(head + 20);
    m->size = pytree__npz_get32(head + 24);
    m->at = pytree__npz_get32(head + 42);
    values[0] = &m->size;
    values[1] = &m->packed;
    values[2] = &m->at;
    if ((m->flags & PYTREE__NPZ_REFUSED) != 0) { return pytree__npz_wrong(z, "members that are not encrypted", "one that is"); }
    if (m->method != PYTREE__NPZ_STORED && m->method != PYTREE__NPZ_DEFLATED) {
        return pytree__npz_wrong(z, "members that are stored or deflated", "another method");
    }
    status = pytree__npz_zip64(z, z->piece + n, extra, values, 3);
    if (status == PYTREE_OK) { status = pytree__npz_keep_name(z, m, (const char *)z->piece, n); }
    if (status == PYTREE_OK) { status = pytree__npz_local(z, m, z->piece, n, directory); }
    if (status != PYTREE_OK) { return status; }
    if (m->method == PYTREE__NPZ_STORED ? m->size != m->packed : m->size / PYTREE__NPZ_RATIO > m->packed) {
        return pytree__npz_wrong(z, "a size that so many bytes can have", "another");
    }
    z->n++;
    return PYTREE_OK;
}

/* The contents of an end record. */
typedef struct pytree__npz_end {
    uint64_t begin, end, count;           /* of the directory */
} pytree__npz_end;

/* Tell whether a field of the older record agrees with a value, or is all ones. */
static bool pytree__npz_agrees(const unsigned char *old, size_t n, uint64_t value)
{
    uint64_t said = pytree__number_at(old, n);
    return said == value || said == (n == 2 ? PYTREE__NPZ_MAX16 : PYTREE__NPZ_MAX32);
}

/* Read the zip64 end record, which precedes its locator, which precedes the end record `old` at `at`. */
static pytree_status pytree__npz_end64(const pytree__npz *z, const unsigned char *old, uint64_t at,
                                       const unsigned char *locator, pytree__npz_end *end)
{
    unsigned char e[PYTREE__NPZ_END64_BYTES];
    uint64_t begin = pytree__number_at(locator + 8, 8), behind = at - PYTREE__NPZ_LOCATOR_BYTES, size;
    pytree_status status;
    if (behind < sizeof e || begin > behind - sizeof e) {
        return pytree__npz_wrong(z, "a zip64 end record before its locator", "none");
    }
    status = pytree__file_read(&z->file, begin, e, sizeof e);
    if (status != PYTREE_OK) { return status; }
    size = pytree__number_at(e + 40, 8);
    end->begin = pytree__number_at(e + 48, 8);
    end->end = begin;
    end->count = pytree__number_at(e + 32, 8);
    if (pytree__npz_get32(e) != PYTREE__NPZ_END64 || pytree__number_at(e + 4, 8) != behind - begin - 12
        || pytree__npz_get32(e + 16) != 0 || pytree__npz_get32(e + 20) != 0 || pytree__number_at(e + 24, 8) != end->count
        || pytree__npz_get32(locator + 4) != 0 || pytree__npz_get32(locator + 16) > 1
        || !pytree__npz_agrees(old + 8, 2, end->count) || !pytree__npz_agrees(old + 10, 2, end->count)
        || !pytree__npz_agrees(old + 12, 4, size) || !pytree__npz_agrees(old + 16, 4, end->begin)
        || !pytree__npz_agrees(old + 4, 2, 0) || !pytree__npz_agrees(old + 6, 2, 0)) {
        return pytree__npz_wrong(z, "a zip64 end record that agrees with the end record", "another");
    }
    if (end->begin > begin || size != begin - end->begin) {
        return pytree__npz_wrong(z, "a directory that ends where the end record begins", "another place");
    }
    return PYTREE_OK;
}

/* Find the end record: it and its comment are the last bytes of the file. */
static pytree_status pytree__npz_find_end(const pytree__npz *z, pytree__npz_end *end)
{
    uint64_t size = z->file.size, at;
    size_t most = PYTREE__NPZ_END_BYTES + PYTREE__NPZ_MAX16, n = size < most ? (size_t)size : most, i;
    unsigned char locator[PYTREE__NPZ_LOCATOR_BYTES];
    const unsigned char *e = NULL;
    pytree_status status = pytree__file_read(&z->file, size - n, z->piece, n);
    if (status != PYTREE_OK) { return status; }
    for (i = n; i >= PYTREE__NPZ_END_BYTES && e == NULL; i--) {
        const unsigned char *p = z->piece + (i - PYTREE__NPZ_END_BYTES);
        if (pytree__npz_get32(p) == PYTREE__NPZ_END && pytree__npz_get16(p + 20) == n - i) { e = p; }
    }
    if (e == NULL) { return pytree__npz_wrong(z, "a zip archive, whole from the first byte to the last", "no end record"); }
    at = size - n + (uint64_t)(e - z->piece);
    if (at >= sizeof locator) {
        status = pytree__file_read(&z->file, at - sizeof locator, locator, sizeof locator);
        if (status != PYTREE_OK) { return status; }
        if (pytree__npz_get32(locator) == PYTREE__NPZ_LOCATOR) { return pytree__npz_end64(z, e, at, locator, end); }
    }
    end->begin = pytree__npz_get32(e + 16);
    end->end = at;
    end->count = pytree__npz_get16(e + 10);
    if (pytree__npz_get16(e + 4) != 0 || pytree__npz_get16(e + 6) != 0 || pytree__npz_get16(e + 8) != end->count) {
        return pytree__npz_wrong(z, "an archive in one file", "one of several");
    }
    if (end->begin > at || pytree__npz_get32(e + 12) != at - end->begin) {
        return pytree__npz_wrong(z, "a directory that ends where the end record begins", "another place");
    }
    return PYTREE_OK;
}

static int pytree__npz_by_place(const void *context, size_t a, size_t b)
{
    const pytree__npz_member *members = (const pytree__npz_member *)context;
    return members[a].at < members[b].at ? -1 : members[a].at > members[b].at;
}

/* Tell whether bytes are the data descriptor of a member whose header lacked its sizes: with or without signature, in 32 or
 * 64 bits. */
static bool pytree__npz_is_descriptor(const unsigned char *p, size_t n, const pytree__npz_member *m)
{
    size_t wide = n >= 20 ? 8 : 4;
    if (n % 8 == 0) {
        if (pytree__npz_get32(p) != PYTREE__NPZ_DESCRIPTOR) { return false; }
        p += 4;
    }
    return pytree__npz_get32(p) == m->crc && pytree__number_at(p + 4, wide) == m->packed
           && pytree__number_at(p + 4 + wide, wide) == m->size;
}

/* Check that members follow one another from the first byte to the directory. Leaves `order` sorted by their places. */
static pytree_status pytree__npz_check_places(pytree__npz *z, size_t *order, uint64_t directory)
{
    uint64_t at = 0;
    size_t i;
    for (i = 0; i < z->n; i++) { order[i] = i; }
    pytree__sort_numbers(order, z->n, pytree__npz_by_place, z->members);
    for (i = 0; i < z->n; i++) {
        const pytree__npz_member *m = &z->members[order[i]];
        uint64_t end = m->data + m->packed, next = i + 1 < z->n ? z->members[order[i + 1]].at : directory;
        if (m->at != at || next < end) { break; }
        if (next != end) {
            unsigned char bytes[24];
            size_t n = next - end > sizeof bytes ? 0 : (size_t)(next - end);
            pytree_status status = pytree__file_read(&z->file, end, bytes, n);
            if (status != PYTREE_OK) { return status; }
            if ((m->flags & PYTREE__NPZ_SIZES_BEHIND) == 0 || n % 4 != 0 || n < 12 || !pytree__npz_is_descriptor(bytes, n, m)) {
                break;
            }
        } else if ((m->flags & PYTREE__NPZ_SIZES_BEHIND) != 0) {
            break;
        }
        at = next;
    }
    return at == directory ? PYTREE_OK
           : pytree__npz_wrong(z, "members one after another from the first byte to the directory", "a gap or an overlap");
}

/* Check that names are unique, once all are known. */
static pytree_status pytree__npz_unique(pytree__npz *z)
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
    return status;
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

/* Read the directory of an archive whose file is open. Close it in any case. */
static pytree_status pytree__npz_begin(pytree__npz *z, const pytree_allocator *a)
{
    pytree_status status;
    z->allocator = a;
    z->whole.name = z->file.path;
    z->whole.err = z->err = z->file.err;
    z->piece = (unsigned char *)pytree__resize(a, NULL, 0, PYTREE__NPZ_PIECE);
    if (z->piece == NULL) { return pytree__no_memory(z->err, PYTREE__NPZ_PIECE); }
    status = pytree__npz_directory(z);
    return status == PYTREE_OK ? pytree__npz_unique(z) : status;
}

static void pytree__npz_close(pytree__npz *z)
{
    if (z->members != NULL) { (void)pytree__resize(z->allocator, z->members, z->room, 0); }
    if (z->texts != NULL) { (void)pytree__resize(z->allocator, z->texts, z->texts_room, 0); }
    if (z->piece != NULL) { (void)pytree__resize(z->allocator, z->piece, PYTREE__NPZ_PIECE, 0); }
    pytree__file_close(&z->file);
}

#include "zip_member.h"
#endif
