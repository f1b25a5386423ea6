/* pytree/impl/containers_chunks.h: lists of many values in which places are opened and closed far from both ends. */
#ifndef PYTREE_IMPL_CONTAINERS_CHUNKS_H
#define PYTREE_IMPL_CONTAINERS_CHUNKS_H

#include "containers.h"

/* The rows of a list lie one after the other until a change would move more than PYTREE__FLAT_ROWS of them. Then they become
 * chunks of PYTREE__CHUNK_ROWS rows, each of which is filled from its beginning; rows without a value have no type. A full
 * chunk gives half of its rows to a new one, so that chunks no longer lie in the order of the list:
 *
 *     rows    [a b c - ][g h - - ][d e f - ]          level 1   0 ------4-----> 1
 *     chunk    0         1         2                  level 0   0 -3-> 2 -3--> 1          (places that a link leads over)
 *
 * A skip list (Pugh 1990) leads from chunk to chunk: its lowest level through all of them, each higher one through every fourth
 * of the one below, on average. Chunk 0 is the first one and is in all levels; 0 as a link is the end. A change takes O(log n),
 * expected. When there are too few values for so many chunks, the rows are put together again, which takes O(1) for each change
 * since. */
/* The link of a chunk at a level, and the places that it leads over. */
static uint32_t *pytree__ct_link(const pytree__container *c, size_t chunk, int level)
{
    return &c->index[chunk * PYTREE__CHUNK_LINKS + 2 * (size_t)level];
}
static uint32_t *pytree__ct_width(const pytree__container *c, size_t chunk, int level)
{
    return pytree__ct_link(c, chunk, level) + 1;
}

/* Return the levels that a chunk is in. */
static int pytree__ct_levels(size_t chunk)
{
    uint32_t bits = (uint32_t)chunk * UINT32_C(0x9E3779B1);
    int levels = 1;
    if (chunk == 0) { return PYTREE__CHUNK_LEVELS; }
    for (bits ^= bits >> 15; levels < PYTREE__CHUNK_LEVELS && (bits & 3) == 0; bits >>= 2) { levels++; }
    return levels;
}

/* The chunk of a place, and on each level the last chunk that begins at or before it; `before`: places in front of those. */
struct pytree__ct_spot { size_t chunk[PYTREE__CHUNK_LEVELS], before[PYTREE__CHUNK_LEVELS]; };

static void pytree__ct_find_chunk(const pytree__container *c, size_t place, struct pytree__ct_spot *spot)
{
    size_t chunk = 0, before = 0;
    int level;
    for (level = PYTREE__CHUNK_LEVELS; level-- != 0; ) {
        while (*pytree__ct_link(c, chunk, level) != 0 && before + *pytree__ct_width(c, chunk, level) <= place) {
            before += *pytree__ct_width(c, chunk, level);
            chunk = *pytree__ct_link(c, chunk, level);
        }
        spot->chunk[level] = chunk;
        spot->before[level] = before;
    }
}

/* Is a list, tuple or deque in chunks? */
static bool pytree__ct_chunked(const pytree__container *c) { return c->index != NULL; }

/* Return the row of the value at a place. */
static size_t pytree__ct_row_at(const pytree__container *c, size_t place)
{
    struct pytree__ct_spot spot;
    if (!pytree__ct_chunked(c)) { return place; }
    pytree__ct_find_chunk(c, place, &spot);
    return spot.chunk[0] * PYTREE__CHUNK_ROWS + (place - spot.before[0]);
}

/* Get the value at a place of a list, growing or not. */
static pytree pytree__ct_item(const pytree_items *items, size_t place)
{
    const pytree__container *const c = (const pytree__container *)(const void *)items;
    return items->removed == 0 ? items->items[place] : *pytree__ct_row_value(c, pytree__ct_row_at(c, place));
}

/* Mark rows as without a value. */
static void pytree__ct_blank(pytree__container *c, size_t row, size_t n)
{
    memset(pytree__ct_row(c, row), 0, n * c->step);
    memset(c->flags + c->head + row, 0, n);
    for (; n-- != 0; row++) { *pytree__ct_row_value(c, row) = pytree__ct_no_value(); }
}

static void pytree__ct_move_rows(pytree__container *c, size_t to, size_t from, size_t n)
{
    memmove(pytree__ct_row(c, to), pytree__ct_row(c, from), n * c->step);
    memmove(c->flags + c->head + to, c->flags + c->head + from, n);
}

/* Give the index room for n chunks, which are more than it has room for. */
static bool pytree__ct_index_reserve(pytree__container *c, size_t n)
{
    const size_t slots = n * PYTREE__CHUNK_LINKS;
    uint32_t *index;
    index = (uint32_t *)pytree__resize(c->copying.allocator, c->index, c->index_slots * sizeof *index, slots * sizeof *index);
    if (index == NULL) { return false; }
    c->index = index;
    c->index_slots = slots;
    return true;
}

/* Make chunks of rows that lie one after the other. Fails if there is no memory for them; nothing has changed then. */
static pytree_status pytree__ct_chunk(pytree__container *c, pytree_error *err)
{
    const size_t n = c->items.count, chunks = (n + PYTREE__CHUNK_ROWS - 1) / PYTREE__CHUNK_ROWS;
    size_t last[PYTREE__CHUNK_LEVELS] = { 0 }, chunk;
    int level;
    if (!pytree__ct_reserve_rows(c, (chunks + chunks / 2) * PYTREE__CHUNK_ROWS)
        || !pytree__ct_index_reserve(c, chunks + chunks / 2)) { return pytree__no_memory(err, n * c->step); }
    memmove(c->rows, pytree__ct_row(c, 0), n * c->step);
    memmove(c->flags, c->flags + c->head, n);
    c->head = 0;
    pytree__ct_blank(c, n, chunks * PYTREE__CHUNK_ROWS - n);
    for (chunk = 0; chunk < chunks; chunk++) {
        for (level = pytree__ct_levels(chunk); level-- != 0; last[level] = chunk) {
            *pytree__ct_link(c, last[level], level) = (uint32_t)chunk;
            *pytree__ct_width(c, last[level], level) = (uint32_t)((chunk - last[level]) * PYTREE__CHUNK_ROWS);
        }
    }
    for (level = 0; level < PYTREE__CHUNK_LEVELS; level++) {
        *pytree__ct_link(c, last[level], level) = 0;
        *pytree__ct_width(c, last[level], level) = (uint32_t)(n - last[level] * PYTREE__CHUNK_ROWS);
    }
    c->items.removed = chunks * PYTREE__CHUNK_ROWS - n;
    pytree__ct_show_rows(c);
    return PYTREE_OK;
}

/* Put the rows one after the other again. Without memory for that nothing changes. */
static void pytree__ct_flatten_chunks(pytree__container *c)
{
    const size_t room = 2 * c->items.count + 8;
    char *const rows = (char *)pytree__stb_reserve(NULL, room, c->step);
    unsigned char *const flags = (unsigned char *)pytree__stb_reserve(NULL, room, sizeof *flags);
    size_t chunk = 0, n = 0;
    if (rows == NULL || flags == NULL) {
        char *unused_rows = rows;
        unsigned char *unused_flags = flags;
        stbds_arrfree(unused_rows);
        stbds_arrfree(unused_flags);
        return;
    }
    do {
        const size_t here = *pytree__ct_width(c, chunk, 0);
        memcpy(rows + n * c->step, pytree__ct_row(c, chunk * PYTREE__CHUNK_ROWS), here * c->step);
        memcpy(flags + n, c->flags + chunk * PYTREE__CHUNK_ROWS, here);
        n += here;
        chunk = *pytree__ct_link(c, chunk, 0);
    } while (chunk != 0);
    stbds_arrfree(c->rows);
    stbds_arrfree(c->flags);
    c->rows = rows;
    c->flags = flags;
    c->items.removed = 0;
    pytree__ct_drop_index(c);
    pytree__ct_show_rows(c);
}

/* Choose how the rows of a list lie, before a change at a place. Custom nodes have no chunks: their callbacks know none. Fails
 * if there is no memory for chunks; the change is still possible, at the cost of moving many rows. */
static pytree_status pytree__ct_arrange(pytree__container *c, size_t place, pytree_error *err)
{
    const size_t n = c->items.count, moved = place < n - place ? place : n - place;
    if (pytree__ct_chunked(c)) {
        if (n < PYTREE__FLAT_ROWS || pytree__ct_rows(c) / 4 > n) { pytree__ct_flatten_chunks(c); }
    } else if (moved > PYTREE__FLAT_ROWS && n < UINT32_MAX / 2 && c->type->kind != PYTREE_KIND_CUSTOM) {
        return pytree__ct_chunk(c, err);
    }
    return PYTREE_OK;
}

/* Make room for a value at a place. */
static pytree_status pytree__ct_place_room(pytree__container *c, size_t place, pytree_error *err)
{
    const size_t chunks = pytree__ct_rows(c) / PYTREE__CHUNK_ROWS, rows = (chunks + 1) * PYTREE__CHUNK_ROWS;
    size_t room;
    if (!pytree__ct_chunked(c)) { return pytree__ct_row_room(c, place, err); }
    if (rows >= UINT32_MAX) {
        return pytree_fail(err, PYTREE_OVERFLOW, NULL, "expected fewer values, got %zu", c->items.count);
    }
    room = stbds_header(c->flags)->capacity;
    if (rows > room && !pytree__ct_reserve_rows(c, room + room / 2 + PYTREE__CHUNK_ROWS)) {
        return pytree__no_memory(err, pytree__times(room, c->step));
    }
    if ((chunks + 1) * PYTREE__CHUNK_LINKS > c->index_slots && !pytree__ct_index_reserve(c, chunks + chunks / 2 + 1)) {
        return pytree__no_memory(err, (chunks + chunks / 2 + 1) * PYTREE__CHUNK_LINKS * sizeof *c->index);
    }
    pytree__ct_show_rows(c);
    return PYTREE_OK;
}

/* Give rows of a full chunk to a new one behind it, and go on to that one if the place is there. Returns the row of the chunk
 * that the place is. */
static size_t pytree__ct_split(pytree__container *c, struct pytree__ct_spot *spot, size_t at)
{
    const size_t full = spot->chunk[0], chunk = pytree__ct_rows(c) / PYTREE__CHUNK_ROWS, begin = spot->before[0];
    const size_t kept = at == PYTREE__CHUNK_ROWS ? at : PYTREE__CHUNK_ROWS / 2;
    int level;
    pytree__ct_blank(c, chunk * PYTREE__CHUNK_ROWS, PYTREE__CHUNK_ROWS);
    pytree__ct_move_rows(c, chunk * PYTREE__CHUNK_ROWS, full * PYTREE__CHUNK_ROWS + kept, PYTREE__CHUNK_ROWS - kept);
    pytree__ct_blank(c, full * PYTREE__CHUNK_ROWS + kept, PYTREE__CHUNK_ROWS - kept);
    c->items.removed += PYTREE__CHUNK_ROWS;
    for (level = pytree__ct_levels(chunk); level-- != 0; ) {
        uint32_t *const link = pytree__ct_link(c, spot->chunk[level], level);
        const size_t places = begin + kept - spot->before[level];
        *pytree__ct_link(c, chunk, level) = link[0];
        *pytree__ct_width(c, chunk, level) = (uint32_t)(link[1] - places);
        link[0] = (uint32_t)chunk;
        link[1] = (uint32_t)places;
        if (at >= kept) {
            spot->chunk[level] = chunk;
            spot->before[level] = begin + kept;
        }
    }
    return at >= kept ? at - kept : at;
}

/* Open a place, for which there is room; returns its row, whose value and flags the caller sets. */
static size_t pytree__ct_open_place(pytree__container *c, size_t place)
{
    struct pytree__ct_spot spot;
    size_t at, row;
    int level;
    if (!pytree__ct_chunked(c)) { pytree__ct_open_row(c, place); return place; }
    pytree__ct_find_chunk(c, place, &spot);
    at = place - spot.before[0];
    if (*pytree__ct_width(c, spot.chunk[0], 0) == PYTREE__CHUNK_ROWS) { at = pytree__ct_split(c, &spot, at); }
    row = spot.chunk[0] * PYTREE__CHUNK_ROWS + at;
    pytree__ct_move_rows(c, row + 1, row, *pytree__ct_width(c, spot.chunk[0], 0) - at);
    for (level = 0; level < PYTREE__CHUNK_LEVELS; level++) { ++*pytree__ct_width(c, spot.chunk[level], level); }
    c->items.count++;
    c->items.removed--;
    return row;
}

/* Close a place whose value has been taken out. */
static void pytree__ct_close_place(pytree__container *c, size_t place)
{
    struct pytree__ct_spot spot;
    size_t at, row, last;
    int level;
    if (!pytree__ct_chunked(c)) { pytree__ct_close_row(c, place); return; }
    pytree__ct_find_chunk(c, place, &spot);
    at = place - spot.before[0];
    row = spot.chunk[0] * PYTREE__CHUNK_ROWS + at;
    last = *pytree__ct_width(c, spot.chunk[0], 0) - 1;
    pytree__ct_move_rows(c, row, row + 1, last - at);
    pytree__ct_blank(c, spot.chunk[0] * PYTREE__CHUNK_ROWS + last, 1);
    for (level = 0; level < PYTREE__CHUNK_LEVELS; level++) { --*pytree__ct_width(c, spot.chunk[level], level); }
    c->items.count--;
    c->items.removed++;
}

#include "containers_list.h"
#endif
