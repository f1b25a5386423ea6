/* pt_archive.h: archives like those of torch.save around any pickle: for tests and fuzzers of pytree/pt.h. */
#ifndef PT_ARCHIVE_H
#define PT_ARCHIVE_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

typedef struct PtMember {
    const char *name;
    const void *bytes;
    size_t size;
} PtMember;

static inline unsigned char *pt_put(unsigned char *to, uint64_t v, size_t n)
{
    for (; n != 0; n--, v >>= 8) { *to++ = (unsigned char)(v & 0xFF); }
    return to;
}

/* Put the fields that a local header and an entry of the directory have in common. */
static inline unsigned char *pt_put_common(unsigned char *to, const PtMember *m)
{
    to = pt_put(to, 0, 8);                /* flags, stored, time */
    to = pt_put(to, crc32(0, m->bytes, (uInt)m->size), 4);
    to = pt_put(to, m->size, 4);
    to = pt_put(to, m->size, 4);
    return pt_put(to, strlen(m->name), 2);
}

/* Make an archive of stored members. To be freed; NULL if there is no memory. */
static inline unsigned char *pt_archive(const PtMember *members, size_t n, size_t *size)
{
    size_t all = 22, i, begin, at[8];
    unsigned char *made, *to;
    for (i = 0; i < n; i++) { all += 30 + 46 + 2 * strlen(members[i].name) + members[i].size; }
    made = to = malloc(all);
    if (made == NULL) { return NULL; }
    for (i = 0; i < n; i++) {
        at[i] = (size_t)(to - made);
        to = pt_put_common(pt_put(pt_put(to, 0x04034B50u, 4), 20, 2), &members[i]);
        to = pt_put(to, 0, 2);
        memcpy(to, members[i].name, strlen(members[i].name));
        to += strlen(members[i].name);
        if (members[i].size != 0) { memcpy(to, members[i].bytes, members[i].size); }
        to += members[i].size;
    }
    begin = (size_t)(to - made);
    for (i = 0; i < n; i++) {
        to = pt_put_common(pt_put(pt_put(pt_put(to, 0x02014B50u, 4), 20, 2), 20, 2), &members[i]);
        to = pt_put(to, 0, 12);           /* extra field, comment, disk, attributes */
        to = pt_put(to, at[i], 4);
        memcpy(to, members[i].name, strlen(members[i].name));
        to += strlen(members[i].name);
    }
    all = (size_t)(to - made);
    to = pt_put(pt_put(pt_put(pt_put(to, 0x06054B50u, 4), 0, 4), n, 2), n, 2);
    to = pt_put(pt_put(pt_put(to, all - begin, 4), begin, 4), 0, 2);
    *size = (size_t)(to - made);
    return made;
}

/* Make a file of a pickle with two storages: "0" of the bytes 0 to 15, and "1" without any. */
static inline unsigned char *pt_file(const void *pickle, size_t pickle_bytes, size_t *size)
{
    static const unsigned char numbers[16] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    PtMember members[3] = { { "x/data.pkl", NULL, 0 }, { "x/data/0", NULL, 16 }, { "x/data/1", "", 0 } };
    members[0].bytes = pickle;
    members[0].size = pickle_bytes;
    members[1].bytes = numbers;
    return pt_archive(members, 3, size);
}

#endif
