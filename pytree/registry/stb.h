/* pytree/registry/stb.h: the stb_ds fields of a registration: their lengths, and giving them elements and freeing them.
 *
 * stb_ds does not notice that its allocator failed. So an array is allocated here, at its final size, and so is everything in a
 * map: the array of entries, the table that finds them, the keys. stb_ds itself then only inserts, which needs no memory. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_STB_H
#define PYTREE_REGISTRY_STB_H

#include "rows.h"

#if PYTREE__HAS_STB

/* The length of an array stands before it; a map is an array that begins one (default) element earlier. */
static inline size_t pytree__stb_array_length(const void *a)
{
    return a == NULL ? 0 : ((const stbds_array_header *)a)[-1].length;
}
static inline size_t pytree__stb_map_length(const void *map, size_t size)
{
    return map == NULL ? 0 : ((const stbds_array_header *)(const void *)((const char *)map - size))[-1].length - 1;
}

/* Allocate an array of n zeroed elements. Returns NULL if that fails. */
static inline void *pytree__stb_array_new(size_t n, size_t size)
{
    stbds_array_header *head;
    if (n > (SIZE_MAX / 2 - sizeof *head) / size) { return NULL; }
    head = (stbds_array_header *)STBDS_REALLOC(NULL, NULL, sizeof *head + n * size);
    if (head == NULL) { return NULL; }
    memset(head, 0, sizeof *head + n * size);
    head->length = head->capacity = n;
    return head + 1;
}
static inline void pytree__stb_array_release(void *field, const pytree_field *row)
{
    void *a;
    (void)row;
    memcpy(&a, field, sizeof a);
    if (a != NULL) { STBDS_FREE(NULL, (stbds_array_header *)a - 1); }
    memset(field, 0, sizeof a);
}
static inline pytree_status pytree__stb_array_resize(void *field, size_t n, const char *const *keys, const pytree_field *row)
{
    void *a = pytree__stb_array_new(n, row->inner);
    (void)keys;
    if (a == NULL) { return PYTREE_NO_MEMORY; }
    memcpy(field, &a, sizeof a);
    return PYTREE_OK;
}

/* The table of a map. stb_ds.h declares it in its implementation only; it has been the same since the version that introduced
 * stbds_temp_key. A file that has the implementation checks it. */
typedef struct pytree__stb_bucket {
#if defined(STBDS_INTERNAL_SMALL_BUCKET)
    size_t hash[4];
    ptrdiff_t index[4];
#else
    size_t hash[8];
    ptrdiff_t index[8];
#endif
} pytree__stb_bucket;

typedef struct pytree__stb_table {
    char *temp_key;
    size_t slots, used, used_most, used_least, deleted, deleted_most, seed, log2_slots;
    struct stbds_string_arena strings;
    pytree__stb_bucket *buckets;          /* in the same block, where the next cache line begins */
} pytree__stb_table;

#if !defined(stbds_temp_key)
#error "pytree.h: STB_MAP rows need stb_ds.h 0.65 or later."
#endif
#if defined(STBDS_BUCKET_MASK)                             /* here is the implementation */
PYTREE__ASSERT(sizeof(stbds_hash_index) == sizeof(pytree__stb_table)
                   && offsetof(stbds_hash_index, slot_count_log2) == offsetof(pytree__stb_table, log2_slots)
                   && offsetof(stbds_hash_index, string) == offsetof(pytree__stb_table, strings)
                   && offsetof(stbds_hash_index, storage) == offsetof(pytree__stb_table, buckets)
                   && sizeof(stbds_hash_bucket) == sizeof(pytree__stb_bucket),
               "pytree.h: this stb_ds.h has another table behind its maps than version 0.67");
#endif

/* Allocate the table of a map with room for n keys, at most three quarters of its slots. Returns NULL if that fails. */
static inline pytree__stb_table *pytree__stb_table_new(size_t n)
{
    enum { PYTREE__STB_LINE = 64, PYTREE__STB_BUCKET = sizeof(((pytree__stb_bucket *)0)->hash) / sizeof(size_t) };
    uintptr_t at;
    pytree__stb_table *table;
    size_t slots = PYTREE__STB_BUCKET, log2 = PYTREE__STB_BUCKET == 8 ? 3 : 2, i, k, bytes;
    for (; slots - slots / 4 < n; log2++) { slots *= 2; }
    bytes = sizeof *table + slots / PYTREE__STB_BUCKET * sizeof *table->buckets + PYTREE__STB_LINE - 1;
    table = (pytree__stb_table *)STBDS_REALLOC(NULL, NULL, bytes);
    if (table == NULL) { return NULL; }
    memset(table, 0, bytes);
    at = (uintptr_t)(table + 1);
    table->buckets = (pytree__stb_bucket *)(at + (PYTREE__STB_LINE - at % PYTREE__STB_LINE) % PYTREE__STB_LINE);
    table->slots = slots;
    table->log2_slots = log2;
    table->used_most = slots - slots / 4;
    table->used_least = slots == PYTREE__STB_BUCKET ? 0 : slots / 4;
    table->deleted_most = slots / 8 + slots / 16;
    table->seed = (size_t)(uintptr_t)table;       /* any number; tables of the same seed fill one another slowly */
    for (i = 0; i < slots / PYTREE__STB_BUCKET; i++) {
        for (k = 0; k < PYTREE__STB_BUCKET; k++) { table->buckets[i].index[k] = -1; }
    }
    return table;
}
static inline void pytree__stb_map_release(void *field, const pytree_field *row)
{
    char *map;
    memcpy(&map, field, sizeof map);
    if (map != NULL) { stbds_hmfree_func(map - row->inner, row->inner); }
    memset(field, 0, sizeof map);
}
static inline char *pytree__stb_copy_key(const char *key)
{
    const size_t n = strlen(key) + 1;
    char *copy = (char *)STBDS_REALLOC(NULL, NULL, n);
    return copy == NULL ? NULL : (char *)memcpy(copy, key, n);
}
/* The map owns copies of the keys, which must differ. Entries come in the order given, values zeroed. */
static inline pytree_status pytree__stb_map_resize(void *field, size_t n, const char *const *keys, const pytree_field *row)
{
    const size_t size = row->inner;
    const bool counts = n <= PTRDIFF_MAX / (4 * sizeof(pytree__stb_bucket));
    char *entries = counts ? (char *)pytree__stb_array_new(n + 1, size) : NULL, *map;
    pytree__stb_table *table = entries == NULL ? NULL : pytree__stb_table_new(n);
    pytree_status status = PYTREE_OK;
    size_t i;
    if (table == NULL) {
        if (entries != NULL) { STBDS_FREE(NULL, (stbds_array_header *)(void *)entries - 1); }
        return PYTREE_NO_MEMORY;
    }
    ((stbds_array_header *)(void *)entries)[-1].length = 1;    /* the default element */
    ((stbds_array_header *)(void *)entries)[-1].hash_table = table;
    map = entries + size;
    for (i = 0; i < n; i++) {
        char *key = pytree__stb_copy_key(keys[i]);
        if (key == NULL) { status = PYTREE_NO_MEMORY; break; }
        table->strings.mode = STBDS_SH_DEFAULT;                 /* the entry takes this key as it is */
        map = (char *)stbds_hmput_key(map, size, key, sizeof key, STBDS_HM_STRING);
        table->strings.mode = STBDS_SH_STRDUP;
        if (((stbds_array_header *)(void *)entries)[-1].length == i + 1) { STBDS_FREE(NULL, key); }        /* it was there */
    }
    table->strings.mode = STBDS_SH_STRDUP;
    memcpy(field, &map, sizeof map);
    if (status != PYTREE_OK) { pytree__stb_map_release(field, row); }
    return status;
}
#else

/* Without stb_ds.h the check of a row says so; these keep other errors away. */
static inline size_t pytree__stb_array_length(const void *a) { return a != NULL; }
static inline size_t pytree__stb_map_length(const void *map, size_t size) { return map != NULL && size != 0; }
#define pytree__stb_array_resize NULL
#define pytree__stb_array_release NULL
#define pytree__stb_map_resize NULL
#define pytree__stb_map_release NULL

#endif
#endif
