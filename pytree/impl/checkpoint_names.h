/* pytree/impl/checkpoint_names.h: the index of the names in a file, and its sort. */
#ifndef PYTREE_IMPL_CHECKPOINT_NAMES_H
#define PYTREE_IMPL_CHECKPOINT_NAMES_H

#include "internal.h"
#include "../checkpoint.h"
#include "io.h"

/* ---- For other subjects -------------------------------------------------------------------------------------------- */

/* An index of names, sorted by hash, then by name: lookups take O(log n) whatever names a hostile file chooses. The first
 * member of each of the n elements of `stride` bytes at `base` is a `const char *`. */
typedef struct pytree__name_index {
    const char *base;
    size_t stride, n;
    uint64_t *hashes;
    size_t *order;
    const pytree_allocator *allocator;
    size_t bytes;
} pytree__name_index;
pytree_status pytree__name_index_init(pytree__name_index *names, const void *base, size_t stride, size_t n,
                                      const pytree_allocator *a, pytree_error *err);
size_t pytree__name_index_find(const pytree__name_index *names, const char *name);       /* SIZE_MAX: not there */
size_t pytree__name_index_count(const pytree__name_index *names, const char *name);      /* names like it */
size_t pytree__name_index_twice(const pytree__name_index *names);                        /* a repeated one, or SIZE_MAX */
void pytree__name_index_end(pytree__name_index *names);
bool pytree__is_utf8(const char *text, size_t n);

/* Sort order[0 … n-1], which needs room for n more elements after them. Stable, O(n log n) for any input. */
typedef int pytree__order_fn(const void *context, size_t a, size_t b);
void pytree__sort_numbers(size_t *order, size_t n, pytree__order_fn *compare, const void *context);

/* ---- Sorted numbers and names -------------------------------------------------------------------------------------- */

bool pytree__is_utf8(const char *text, size_t n)
{
    uint32_t character;
    size_t i, size;
    for (i = 0; i < n; i += size) {
        size = pytree__utf8(text + i, n - i, &character);
        if (size == 0) { return false; }
    }
    return true;
}

/* Bottom-up merge sort: qsort may take quadratic time and may allocate. */
void pytree__sort_numbers(size_t *order, size_t n, pytree__order_fn *compare, const void *context)
{
    size_t *from = order, *to, *swap, width, i, a, b, a_end, b_end;
    if (n < 2) { return; }
    to = order + n;
    for (width = 1; width < n; width *= 2) {
        for (i = 0; i < n;) {
            a = i;
            a_end = b = n - i > width ? i + width : n;
            b_end = n - b > width ? b + width : n;
            if (b < b_end && compare(context, from[b - 1], from[b]) <= 0) {        /* in order already */
                memcpy(to + i, from + i, (b_end - i) * sizeof *to);
                i = b_end;
                continue;
            }
            while (a < a_end && b < b_end) { to[i++] = compare(context, from[b], from[a]) < 0 ? from[b++] : from[a++]; }
            while (a < a_end) { to[i++] = from[a++]; }
            while (b < b_end) { to[i++] = from[b++]; }
        }
        swap = from;
        from = to;
        to = swap;
        if (width > n / 2) { break; }
    }
    if (from != order) { memcpy(order, from, n * sizeof *order); }
}

static const char *pytree__name_at(const pytree__name_index *names, size_t i)
{
    const char *name;
    memcpy(&name, names->base + i * names->stride, sizeof name);
    return name;
}

static int pytree__by_hash_and_name(const void *context, size_t a, size_t b)
{
    const pytree__name_index *names = (const pytree__name_index *)context;
    if (names->hashes[a] != names->hashes[b]) { return names->hashes[a] < names->hashes[b] ? -1 : 1; }
    return strcmp(pytree__name_at(names, a), pytree__name_at(names, b));
}

/* A hash to sort by. Colliding names only cost string comparisons, so they give an attacker no advantage. */
static uint64_t pytree__name_hash(const char *name)
{
    uint64_t h = 0xCBF29CE484222325u;
    for (; *name != '\0'; name++) { h = (h ^ (unsigned char)*name) * 0x100000001B3u; }
    return h;
}

pytree_status pytree__name_index_init(pytree__name_index *names, const void *base, size_t stride, size_t n,
                                      const pytree_allocator *a, pytree_error *err)
{
    size_t i;
    memset(names, 0, sizeof *names);
    names->base = (const char *)base;
    names->stride = stride;
    names->n = n;
    names->allocator = a;
    if (n == 0) { return PYTREE_OK; }
    names->bytes = pytree__times(n, sizeof(uint64_t) + 2 * sizeof(size_t));
    names->hashes = (uint64_t *)pytree__resize(a, NULL, 0, names->bytes);
    if (names->hashes == NULL) {
        size_t bytes = names->bytes;
        memset(names, 0, sizeof *names);
        return pytree__no_memory(err, bytes);
    }
    names->order = (size_t *)(void *)(names->hashes + n);
    for (i = 0; i < n; i++) {
        names->hashes[i] = pytree__name_hash(pytree__name_at(names, i));
        names->order[i] = i;
    }
    pytree__sort_numbers(names->order, n, pytree__by_hash_and_name, names);
    return PYTREE_OK;
}

/* Compare a name of this hash with the one at a place of the order. */
static int pytree__name_side(const pytree__name_index *names, uint64_t h, const char *name, size_t place)
{
    const size_t i = names->order[place];
    return h != names->hashes[i] ? (h < names->hashes[i] ? -1 : 1) : strcmp(name, pytree__name_at(names, i));
}

size_t pytree__name_index_find(const pytree__name_index *names, const char *name)
{
    const uint64_t h = pytree__name_hash(name);
    size_t low = 0, high = names->n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        const int side = pytree__name_side(names, h, name, middle);
        if (side == 0) { return names->order[middle]; }
        if (side < 0) { high = middle; } else { low = middle + 1; }
    }
    return SIZE_MAX;
}

size_t pytree__name_index_count(const pytree__name_index *names, const char *name)
{
    const uint64_t h = pytree__name_hash(name);
    size_t ends[2], i;
    for (i = 0; i < 2; i++) {             /* the first that is not before the name, and the first after it */
        size_t low = 0, high = names->n;
        while (low < high) {
            const size_t middle = low + (high - low) / 2;
            if (pytree__name_side(names, h, name, middle) < 1 - (int)i) { high = middle; } else { low = middle + 1; }
        }
        ends[i] = low;
    }
    return ends[1] - ends[0];
}

size_t pytree__name_index_twice(const pytree__name_index *names)
{
    size_t i;
    for (i = 1; i < names->n; i++) {
        if (pytree__by_hash_and_name(names, names->order[i - 1], names->order[i]) == 0) { return names->order[i]; }
    }
    return SIZE_MAX;
}

void pytree__name_index_end(pytree__name_index *names)
{
    if (names->hashes != NULL) { (void)pytree__resize(names->allocator, names->hashes, names->bytes, 0); }
    memset(names, 0, sizeof *names);
}

#include "checkpoint_glob.h"
#endif
