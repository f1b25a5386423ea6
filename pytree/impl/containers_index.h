/* pytree/impl/containers_index.h: how a growing dict finds and orders its keys. */
#ifndef PYTREE_IMPL_CONTAINERS_INDEX_H
#define PYTREE_IMPL_CONTAINERS_INDEX_H

#include "containers_list.h"

/* A dict of few keys keeps them sorted at every moment, which moves four bytes for each greater key. Beyond PYTREE__SORTED_KEYS
 * it has an index, a hash table of rows:
 *
 *     rows    'b' 'd' ----- 'a' 'c'           index   . 0 . 4 3 . 1 .         order   (unknown: walks sort the keys)
 *                     removed
 *
 * A new key that is greater than all others keeps the order; any other makes it unknown. A removed pair leaves its row, without
 * a type, until more rows are empty than full. When the index is full it is made anew, and the keys are sorted then: so a
 * change takes O(log n), amortized. */

typedef struct pytree__ct_key {
    const char *name;                     /* NULL where numbered */
    int64_t number;
    bool numbered;
} pytree__ct_key;

static pytree__ct_key pytree__ct_string_key(const char *name)
{
    pytree__ct_key key = { NULL, 0, false };
    key.name = name;
    return key;
}
static pytree__ct_key pytree__ct_int_key(int64_t number)
{
    pytree__ct_key key = { NULL, 0, true };
    key.number = number;
    return key;
}

/* Compare a key with that of a pair, in visiting order. A missing pair that an order refers to comes first. */
static int pytree__ct_compare_key(const pytree_items *items, size_t pair, const pytree__ct_key *key)
{
    const char *name;
    if (pair >= items->count + items->removed) { return 1; }
    if (key->numbered) {
        const int64_t number = items->int_pairs[pair].key;
        return key->number < number ? -1 : key->number > number;
    }
    name = items->pairs[pair].key;
    return name == NULL ? 1 : strcmp(key->name, name);
}

/* Get the key of a row that is or was in use. */
static pytree__ct_key pytree__ct_key_of(const pytree__container *c, size_t row)
{
    return c->numbered ? pytree__ct_int_key(c->items.int_pairs[row].key) : pytree__ct_string_key(c->items.pairs[row].key);
}

static bool pytree__ct_removed(const pytree__container *c, size_t row) { return pytree__ct_row_value(c, row)->type == NULL; }

/* ---- Index --------------------------------------------------------------------------------------------------------- */

static size_t pytree__ct_hash(const pytree__container *c, const pytree__ct_key *key)
{
    uint64_t h = (uint64_t)(uintptr_t)c ^ (key->numbered ? (uint64_t)key->number : 0);
    const unsigned char *p = (const unsigned char *)key->name;
    for (; p != NULL && *p != '\0'; p++) { h = (h ^ *p) * UINT64_C(0x100000001B3); }
    h = (h ^ h >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(h ^ h >> 29);
}

/* Find the slot of the index that has a key's row, or is to have it: one that is empty, or whose row was removed and had the
 * same key. */
static uint32_t *pytree__ct_slot(const pytree__container *c, const pytree__ct_key *key)
{
    const size_t mask = c->index_slots - 1;
    size_t at = pytree__ct_hash(c, key) & mask;
    while (c->index[at] != 0 && pytree__ct_compare_key(&c->items, c->index[at] - 1, key) != 0) { at = (at + 1) & mask; }
    return &c->index[at];
}

/* Find the row of a key in the index. Returns false if it has none. */
static bool pytree__ct_find_indexed(const pytree__container *c, const pytree__ct_key *key, size_t *row)
{
    uint32_t found;
    if (key->numbered != c->numbered || (!key->numbered && key->name == NULL)) { return false; }
    found = *pytree__ct_slot(c, key);
    *row = found - 1;
    return found != 0 && !pytree__ct_removed(c, *row);
}

/* Move the rows together over those that were removed. */
static void pytree__ct_compact(pytree__container *c)
{
    const size_t rows = pytree__ct_rows(c);
    size_t i, to = 0;
    for (i = 0; i < rows; i++) {
        if (pytree__ct_removed(c, i)) { pytree__ct_free_key(c, i); continue; }
        if (to != i) {
            memcpy(pytree__ct_row(c, to), pytree__ct_row(c, i), c->step);
            c->flags[c->head + to] = c->flags[c->head + i];
        }
        to++;
    }
    c->items.removed = 0;
}

/* Let entry i of a heap of n rows, the greatest key first, sink to its place. */
static void pytree__ct_sink(const pytree__container *c, size_t i, size_t n)
{
    const uint32_t row = c->order[i];
    const pytree__ct_key key = pytree__ct_key_of(c, row);
    size_t child;
    for (; (child = 2 * i + 1) < n; i = child) {
        if (child + 1 < n) {
            const pytree__ct_key left = pytree__ct_key_of(c, c->order[child]);
            child += pytree__ct_compare_key(&c->items, c->order[child + 1], &left) < 0;
        }
        if (pytree__ct_compare_key(&c->items, c->order[child], &key) >= 0) { break; }
        c->order[i] = c->order[child];
    }
    c->order[i] = row;
}

/* Sort the keys in place. */
static void pytree__ct_sort(pytree__container *c)
{
    const size_t n = c->items.count;
    size_t i;
    for (i = 0; i < n; i++) { c->order[i] = (uint32_t)i; }
    for (i = n / 2; i-- != 0; ) { pytree__ct_sink(c, i, n); }
    for (i = n; i-- > 1; ) {
        const uint32_t last = c->order[i];
        c->order[i] = c->order[0];
        c->order[0] = last;
        pytree__ct_sink(c, 0, i);
    }
    c->unsorted = false;
}

static void pytree__ct_drop_index(pytree__container *c)
{
    if (c->index != NULL) { pytree__resize(c->copying.allocator, c->index, c->index_slots * sizeof *c->index, 0); }
    c->index = NULL;
    c->index_slots = 0;
}

/* Put the rows in order and make the index anew, for the keys that are there and as many again; without one if they are few.
 * Fails only if it needs an index and gets no memory for it. */
static pytree_status pytree__ct_reindex(pytree__container *c, pytree_error *err)
{
    const size_t n = c->items.count;
    uint32_t *index = NULL;
    size_t slots = 16, i;
    if (n >= PYTREE__SORTED_KEYS / 2) {
        while (slots < 3 * n) { slots *= 2; }
        index = (uint32_t *)pytree__resize(c->copying.allocator, NULL, 0, slots * sizeof *index);
        if (index == NULL) { return pytree__no_memory(err, slots * sizeof *index); }
        memset(index, 0, slots * sizeof *index);
    }
    pytree__ct_drop_index(c);
    if (c->unsorted) {
        pytree__ct_compact(c);
        pytree__ct_show_rows(c);
        pytree__ct_sort(c);
    }
    pytree__ct_show_rows(c);
    if (index == NULL) { return PYTREE_OK; }
    c->index = index;
    c->index_slots = slots;
    for (i = 0; i < n; i++) {
        const pytree__ct_key key = pytree__ct_key_of(c, i);
        *pytree__ct_slot(c, &key) = (uint32_t)(i + 1);
    }
    return PYTREE_OK;
}

/* Make room in the index for one more row, or begin one if the keys get many. Custom nodes have none: their callbacks need the
 * order of the keys at every moment. */
static pytree_status pytree__ct_index_room(pytree__container *c, pytree_error *err)
{
    const size_t rows = pytree__ct_rows(c);
    if (c->type->kind == PYTREE_KIND_CUSTOM) { return PYTREE_OK; }
    const bool full = c->index == NULL ? rows >= PYTREE__SORTED_KEYS : (rows + 1) * 3 > c->index_slots * 2;
    return full ? pytree__ct_reindex(c, err) : PYTREE_OK;
}

/* Enter the last row, which is new. */
static void pytree__ct_index_last(pytree__container *c)
{
    const size_t row = pytree__ct_rows(c) - 1;
    const pytree__ct_key key = pytree__ct_key_of(c, row);
    *pytree__ct_slot(c, &key) = (uint32_t)(row + 1);
    if (!c->unsorted && row != 0 && pytree__ct_compare_key(&c->items, c->order[row - 1], &key) < 0) { c->unsorted = true; }
    if (!c->unsorted) { c->order[row] = (uint32_t)row; }
    pytree__ct_show_rows(c);
}

/* Mark a row as removed; its value has been taken. */
static void pytree__ct_index_remove(pytree__container *c, size_t row)
{
    *pytree__ct_row_value(c, row) = pytree__ct_no_value();
    c->flags[c->head + row] = 0;
    c->items.removed++;
    c->items.count--;
    c->unsorted = true;
    if (c->items.removed > c->items.count) { (void)pytree__ct_reindex(c, NULL); }
    pytree__ct_show_rows(c);
}

#include "containers_dict.h"
#endif
