/* pytree/impl/dict_order.h: the order in which a dict's pairs are visited. */
#ifndef PYTREE_IMPL_DICT_ORDER_H
#define PYTREE_IMPL_DICT_ORDER_H

#include "internal.h"

/* A key to be sorted: strings by code point, which in UTF-8 is by byte; numbers by value. */
struct pytree__sorting {
    const char *key;                      /* NULL: a number */
    uint64_t rank;                        /* first eight bytes, or the number: most keys differ there */
    uint32_t at;
};

static uint64_t pytree__key_prefix64(const char *key)
{
    const unsigned char *p = (const unsigned char *)key;
    uint64_t rank = 0;
    /* if (p[0] == 0) { return rank; } rank |= (uint64_t)p[0] << 56; … */
#define PYTREE__X(k) if (p[k] == 0) { return rank; } rank |= (uint64_t)p[k] << (56 - 8 * (k));
    PYTREE__X(0) PYTREE__X(1) PYTREE__X(2) PYTREE__X(3) PYTREE__X(4) PYTREE__X(5) PYTREE__X(6) PYTREE__X(7)
#undef PYTREE__X
    return rank;
}

static int pytree__by_key(const void *a, const void *b)
{
    const struct pytree__sorting *x = (const struct pytree__sorting *)a, *y = (const struct pytree__sorting *)b;
    if (x->rank != y->rank) { return x->rank < y->rank ? -1 : 1; }
    return x->key != NULL ? strcmp(x->key, y->key) : 0;
}

static void pytree__sort_keys(struct pytree__sorting *keys, size_t n)
{
    size_t i, k;
    if (PYTREE__TABLES && n > 16) { qsort(keys, n, sizeof *keys, pytree__by_key); return; }
    for (i = 1; i < n; i++) {
        const struct pytree__sorting key = keys[i];
        for (k = i; k != 0 && pytree__by_key(&keys[k - 1], &key) > 0; k--) { keys[k] = keys[k - 1]; }
        keys[k] = key;
    }
}

/* Reads the key of pair i of n. Returns false if it is NULL. */
static bool pytree__key_to_sort(const pytree__cursor *c, const pytree__frame *f, size_t i, size_t n,
                                struct pytree__sorting *key)
{
    const char *const pair = pytree__pair(c, f, i);
    key->key = NULL;
    key->at = (uint32_t)i;
    if (f->numbered) {
        memcpy(&key->rank, pair, sizeof key->rank);
        key->rank ^= UINT64_C(1) << 63;   /* negative ones first */
        return true;
    }
    memcpy(&key->key, pair, sizeof key->key);
    if (key->key == NULL) { return false; }
    key->rank = n == 1 ? 0 : pytree__key_prefix64(key->key);
    return true;
}

/* Puts the order of a dict's or map's pairs onto the view stack, unless they lie in it. Fails if a key comes twice. */
static PYTREE__APART_CLANG pytree_status pytree__sort_dict_keys(pytree__cursor *c, pytree__frame *f)
{
    const size_t n = f->count, bytes = pytree__times(n, sizeof(struct pytree__sorting));
    const size_t slots = pytree__number_views(n);
    struct pytree__sorting few[PYTREE__FEW_KEYS], *keys = few;
    bool sorted = true;
    uint32_t *order;
    pytree_entry key;
    size_t i;
    f->count = 0;                         /* no children, should this fail */
    if (n > UINT32_MAX / 2) {
        return pytree__fail_at(c, PYTREE_BAD_COUNT, "expected a dict of at most %lu pairs, got %zu",
                               (unsigned long)UINT32_MAX / 2, n);
    }
    if (n > PYTREE__FEW_KEYS) {
        keys = (struct pytree__sorting *)pytree__scratch(c, bytes);
        if (keys == NULL) { return PYTREE_NO_MEMORY; }
    }
    for (i = 0; i < n; i++) {
        if (!pytree__key_to_sort(c, f, i, n, &keys[i])) {
            return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a key for each dict entry, got NULL for number %zu", i);
        }
        sorted = sorted && (i == 0 || pytree__by_key(&keys[i - 1], &keys[i]) < 0);
    }
    if (!sorted) {
        pytree__sort_keys(keys, n);
        order = (uint32_t *)(void *)pytree__room(c, slots);
        if (order == NULL) { return PYTREE_NO_MEMORY; }
        for (i = 0; i < n; i++) {
            order[i] = keys[i].at;
            if (i != 0 && pytree__by_key(&keys[i - 1], &keys[i]) == 0) {
                char text[80];
                struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
                if (!PYTREE__MESSAGES) { return pytree__fail_at(c, PYTREE_ARGUMENT, ""); }
                key.kind = f->numbered ? PYTREE_INT_KEY : PYTREE_KEY;
                key.name = keys[i].key;
                key.index = (pytree_key_index)(keys[i].rank ^ UINT64_C(1) << 63);
                pytree__put_key(&to, &key, f->numbered ? 0 : strlen(key.name));
                pytree__end_text(&to, sizeof text);
                return pytree__fail_at(c, PYTREE_ARGUMENT, "expected each dict key once, got %s twice", text);
            }
        }
        c->n_views += slots;
        f->ordered = true;
    }
    f->count = n;
    return PYTREE_OK;
}

/* Tells whether the order of a dict's pairs is known without looking at its keys: only if the library made it. */
static bool pytree__has_key_order(const pytree_items *items)
{
    return items->packed != NULL || (items->sorted && items->order != NULL);
}

static PYTREE__APART_CLANG pytree_status pytree__check_order(pytree__cursor *c, pytree__frame *f)
{
    const size_t n = f->count, bytes = n / CHAR_BIT + 1;
    unsigned char few[PYTREE__FEW_MASK], *seen = few;
    size_t i;
    f->count = 0;                         /* until all is known to be well */
    if (bytes > sizeof few) {
        seen = (unsigned char *)pytree__scratch(c, bytes);
        if (seen == NULL) { return PYTREE_NO_MEMORY; }
    }
    memset(seen, 0, bytes);
    for (i = 0; i < n; i++) {
        const uint32_t at = f->order[i];
        if (at >= n || (seen[at / CHAR_BIT] >> at % CHAR_BIT & 1) != 0) {
            return pytree__fail_at(c, PYTREE_ARGUMENT, "expected an order with each of %zu pairs once, got number %lu%s", n,
                                   (unsigned long)at, at >= n ? "" : " twice");
        }
        seen[at / CHAR_BIT] |= (unsigned char)(1u << at % CHAR_BIT);
    }
    f->count = n;
    return PYTREE_OK;
}

/* Lists the pairs of a growing dict that are still there; or the rows of a growing list, chunk by chunk. */
static pytree_status pytree__skip_removed(pytree__cursor *c, pytree__frame *f, const pytree_items *items)
{
    const size_t n = f->count, slots = pytree__number_views(n), rows = n + items->removed;
    uint32_t *const there = (uint32_t *)(void *)pytree__room(c, slots);
    size_t i, k = 0;
    f->count = 0;
    if (there == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 0; k < n && i < rows; ) {
        const pytree_type *type;
        memcpy(&type, f->data + i * f->shape[1] + f->shape[2] + offsetof(pytree, type), sizeof type);
        if (type != NULL) { there[k++] = (uint32_t)i; }
        i++;
        if (f->from == PYTREE__FROM_CHUNKS && i % PYTREE__CHUNK_ROWS == 0) {
            i = (size_t)items->order[(i / PYTREE__CHUNK_ROWS - 1) * PYTREE__CHUNK_LINKS] * PYTREE__CHUNK_ROWS;
        }
    }
    c->n_views += slots;
    f->count = k;
    f->sparse = true;
    return PYTREE_OK;
}

/* Opens a node of pairs. shape[1] becomes the distance from one pair to the next, shape[2] the offset of the value in it. */
static pytree_status pytree__open_pairs(pytree__cursor *c, pytree__frame *f)
{
    f->from = PYTREE__FROM_PAIRS;
    if (f->form == PYTREE_FORM_ITEMS) {
        const pytree_items *items = (const pytree_items *)f->self;
        f->numbered = items->int_pairs != NULL;
        f->data = (char *)(uintptr_t)(f->numbered ? (const void *)items->int_pairs : (const void *)items->pairs);
        f->shape[1] = f->numbered ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
        f->shape[2] = f->numbered ? offsetof(pytree_int_pair, value) : offsetof(pytree_pair, value);
        if (f->data == NULL && f->count != 0) {
            size_t count = f->count;
            f->count = 0;
            return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected %zu items, got NULL", count);
        }
        if (pytree__traits(f->type)->entry == PYTREE_ATTRIBUTE && f->numbered) {
            f->count = 0;
            return pytree__fail_at(c, PYTREE_ARGUMENT, "expected the names of a namedtuple's fields, got numbers");
        }
        if (items->removed != 0) {
            const pytree_status status = pytree__skip_removed(c, f, items);
            if (status != PYTREE_OK) { return status; }
        }
        if (pytree__traits(f->type)->order != PYTREE__ORDER_SORTED) { return PYTREE_OK; }
        f->order = items->order;
        if (pytree__has_key_order(items)) { return PYTREE_OK; }
        if (f->order != NULL) { return pytree__check_order(c, f); }
    }
    return pytree__sort_dict_keys(c, f);
}
#endif
