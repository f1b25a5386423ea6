/* pytree/impl/cache.h: values by structure, types and shapes, the least recently used first to go. */
#ifndef PYTREE_IMPL_CACHE_H
#define PYTREE_IMPL_CACHE_H

#include "internal.h"
#include "../cache.h"
#include "function_call.h"

/* Entries hang in chains, by hash, and stand in a ring, by use: ring.next is the most recent one. */
struct pytree__cache_entry {
    struct pytree__cache_entry *chain;
    struct pytree__cache_entry *previous, *next;
    uint64_t hash;
    pytree_flat key;
    void *value;
};

struct pytree_cache {
    pytree_cache_options opt;
    struct pytree__fn_kept kept;          /* what keys are flattened into */
    struct pytree__cache_entry **buckets;
    size_t n_buckets;                     /* a power of two, or 0 */
    struct pytree__cache_entry ring;
    pytree_cache_stats stats;
};

/* ---- Keys ---------------------------------------------------------------------------------------------------------- */

/* Flattens a key, which is probably that of the last call; its memory is the cache's until pytree_def_free. */
static pytree_status pytree__cache_key(pytree_cache *c, pytree t, pytree_flat *key, pytree_error *err)
{
    pytree_options opt = c->opt.tree;
    pytree_leaf *leaves = NULL;
    pytree_def *def = NULL;
    pytree_status status;
    opt.allocator = &c->kept.face;
    status = pytree__flatten_like(t, c->ring.next->key.def, &leaves, &def, &opt, err);
    key->def = def;
    key->leaves = leaves;
    return status;
}

/* Hashes what keys differ in most: static values, numbers of nodes and leaves, types and shapes. The products of a leaf do not
 * depend on one another, so that they overlap in time. */
static uint64_t pytree__cache_hash(const pytree_flat *key)
{
    const pytree_def *def = key->def;
    uint64_t h = pytree__hash_bytes((uint64_t)def->n_nodes << 32 ^ def->n_leaves, def->statics, def->n_statics), sum = 0;
    size_t i;
    for (i = 0; i < def->n_leaves; i++) {
        const pytree_leaf *leaf = &key->leaves[i];
        uint64_t one = (uint64_t)leaf->type->dtype << 8 | (uint64_t)(unsigned)leaf->ndim;
        int k;
        for (k = 0; k < leaf->ndim; k++) { one += ((uint64_t)leaf->shape[k] + 1) * (UINT64_C(0x9E3779B97F4A7C15) << k | 1); }
        sum += one * (2 * i + 1);
    }
    return pytree__mix(h, sum);
}

static bool pytree__cache_same(const pytree_flat *a, const pytree_flat *b)
{
    const pytree_leaf *x = a->leaves, *y = b->leaves, *end;
    if (!pytree_def_equal(a->def, b->def)) { return false; }
    for (end = x + a->def->n_leaves; x != end && pytree__alike(x, y); x++, y++) {}
    return x == end;
}

/* ---- Entries ------------------------------------------------------------------------------------------------------- */

static void pytree__cache_unlink(struct pytree__cache_entry *e)
{
    e->previous->next = e->next;
    e->next->previous = e->previous;
}

static void pytree__cache_link(pytree_cache *c, struct pytree__cache_entry *e)
{
    e->previous = &c->ring;
    e->next = c->ring.next;
    e->next->previous = e;
    c->ring.next = e;
}

/* Finds an entry and makes it the most recently used one. Most calls ask for the one that is that already: it is compared
 * before anything is hashed. */
static struct pytree__cache_entry *pytree__cache_lookup(pytree_cache *c, const pytree_flat *key)
{
    struct pytree__cache_entry *e = c->ring.next;
    if (c->stats.entries == 0) {
        e = NULL;
    } else if (!pytree__cache_same(&e->key, key)) {
        const uint64_t hash = pytree__cache_hash(key);
        e = c->buckets[hash & (c->n_buckets - 1)];
        while (e != NULL && (e->hash != hash || !pytree__cache_same(&e->key, key))) { e = e->chain; }
    }
    if (e == NULL) {
        c->stats.misses++;
    } else {
        c->stats.hits++;
        pytree__cache_unlink(e);
        pytree__cache_link(c, e);
    }
    return e;
}

static void pytree__cache_release(pytree_cache *c, struct pytree__cache_entry *e)
{
    if (c->opt.release != NULL && e->value != NULL) { c->opt.release(c->opt.context, e->value); }
    pytree_flat_free(&e->key);
    pytree__array_free(e, 1, sizeof *e, c->opt.tree.allocator);
}

static void pytree__cache_evict(pytree_cache *c)
{
    struct pytree__cache_entry *e = c->ring.previous, **at = &c->buckets[e->hash & (c->n_buckets - 1)];
    while (*at != e) { at = &(*at)->chain; }
    *at = e->chain;
    pytree__cache_unlink(e);
    c->stats.entries--;
    c->stats.evictions++;
    pytree__cache_release(c, e);
}

/* Makes room for one more entry. */
static bool pytree__cache_grow(pytree_cache *c, pytree_error *err)
{
    const size_t n = c->n_buckets == 0 ? 16 : 2 * c->n_buckets;
    struct pytree__cache_entry **buckets, *e;
    size_t i;
    if (c->stats.entries < c->n_buckets) { return true; }
    buckets = (struct pytree__cache_entry **)pytree__array_new(n, sizeof *buckets, c->opt.tree.allocator, err);
    if (buckets == NULL) { return false; }
    for (i = 0; i < n; i++) { buckets[i] = NULL; }
    for (e = c->ring.next; e != &c->ring; e = e->next) {
        e->chain = buckets[e->hash & (n - 1)];
        buckets[e->hash & (n - 1)] = e;
    }
    pytree__array_free(c->buckets, c->n_buckets, sizeof *buckets, c->opt.tree.allocator);
    c->buckets = buckets;
    c->n_buckets = n;
    return true;
}

/* Copies a key without the data of its leaves. */
static pytree_flat pytree__cache_copy_key(const pytree_flat *key, const pytree_options *opt, pytree_error *err)
{
    pytree_leaf *leaves = NULL;
    pytree_def *def = pytree__alg_copy(key->def, 0, &leaves, opt, err);
    size_t i;
    for (i = 0; def != NULL && i < def->n_leaves; i++) {
        leaves[i] = key->leaves[i];
        leaves[i].data = NULL;
    }
    return pytree__alg_flat(def, leaves);
}

/* Adds the value that `make` makes. */
static struct pytree__cache_entry *pytree__cache_add(pytree_cache *c, const pytree_flat *key, pytree_make_fn *make,
                                                     void *context, pytree_error *err)
{
    const uint64_t hash = pytree__cache_hash(key);
    struct pytree__cache_entry *e = (struct pytree__cache_entry *)pytree__array_new(1, sizeof *e, c->opt.tree.allocator, err);
    pytree_status status;
    if (e == NULL) { return NULL; }
    e->value = NULL;
    e->hash = hash;
    e->key = pytree__cache_copy_key(key, &c->opt.tree, err);
    status = e->key.def == NULL || !pytree__cache_grow(c, err) ? PYTREE_NO_MEMORY : make(context, &e->key, &e->value, err);
    if (status != PYTREE_OK || e->value == NULL) {
        (void)pytree_fail(err, status == PYTREE_OK ? PYTREE_ARGUMENT : status, NULL, "expected a value to keep, got %s",
                          status == PYTREE_OK ? "none" : pytree_status_name(status));
        e->value = NULL;
        pytree__cache_release(c, e);
        return NULL;
    }
    while (c->opt.capacity != 0 && c->stats.entries >= c->opt.capacity) { pytree__cache_evict(c); }
    e->chain = c->buckets[hash & (c->n_buckets - 1)];
    c->buckets[hash & (c->n_buckets - 1)] = e;
    pytree__cache_link(c, e);
    c->stats.entries++;
    return e;
}

/* ---- The interface ------------------------------------------------------------------------------------------------- */

static void pytree__cache_init(pytree_cache *c, const pytree_cache_options *opt)
{
    memset(c, 0, sizeof *c);
    if (opt != NULL) { c->opt = *opt; }
    c->ring.previous = c->ring.next = &c->ring;
    pytree__fn_keep(&c->kept, c->opt.tree.allocator);
}

static void pytree__cache_end(pytree_cache *c)
{
    while (c->ring.next != &c->ring) {
        struct pytree__cache_entry *e = c->ring.next;
        pytree__cache_unlink(e);
        pytree__cache_release(c, e);
    }
    pytree__array_free(c->buckets, c->n_buckets, sizeof *c->buckets, c->opt.tree.allocator);
    pytree__fn_keep_end(&c->kept);
}

pytree_cache *pytree_cache_new(const pytree_cache_options *opt, pytree_error *err)
{
    pytree_cache *c = (pytree_cache *)pytree__array_new(1, sizeof *c, opt == NULL ? NULL : opt->tree.allocator, err);
    if (c != NULL) { pytree__cache_init(c, opt); }
    return c;
}

void pytree_cache_free(pytree_cache *cache)
{
    const pytree_allocator *memory;
    if (cache == NULL) { return; }
    memory = cache->opt.tree.allocator;
    pytree__cache_end(cache);
    pytree__array_free(cache, 1, sizeof *cache, memory);
}

/* Finds a key's value, or makes it if `make` is not NULL. */
static void *pytree__cache_value(pytree_cache *c, pytree t, pytree_make_fn *make, void *context, pytree_error *err)
{
    struct pytree__cache_entry *e = NULL;
    pytree_flat key;
    if (c == NULL) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a cache, got NULL");
        return NULL;
    }
    if (pytree__cache_key(c, t, &key, err) == PYTREE_OK) {
        e = pytree__cache_lookup(c, &key);
        if (e == NULL && make != NULL) { e = pytree__cache_add(c, &key, make, context, err); }
        pytree_def_free((pytree_def *)(uintptr_t)key.def);
    }
    return e == NULL ? NULL : e->value;
}

void *pytree_cache_get(pytree_cache *cache, pytree key, pytree_make_fn *make, void *context, pytree_error *err)
{
    if (make == NULL) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a function that makes values, got NULL");
        return NULL;
    }
    return pytree__cache_value(cache, key, make, context, err);
}

void *pytree_cache_find(pytree_cache *cache, pytree key, pytree_error *err)
{
    return pytree__cache_value(cache, key, NULL, NULL, err);
}

pytree_cache_stats pytree_cache_count(const pytree_cache *cache)
{
    const pytree_cache_stats none = { 0, 0, 0, 0 };
    return cache == NULL ? none : cache->stats;
}

#include "cache_jit.h"
#endif
