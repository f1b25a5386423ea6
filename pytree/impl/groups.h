/* pytree/impl/groups.h: the group of each leaf of a tree. */
#ifndef PYTREE_IMPL_GROUPS_H
#define PYTREE_IMPL_GROUPS_H

#include "internal.h"
#include "../groups.h"
#include "path_text.h"

/* Lay out a block for n groups of n_leaves leaves. */
static pytree_groups *pytree__groups_block(size_t n, const pytree_group *table, size_t n_leaves, const pytree_options *opt,
                                           pytree_error *err)
{
    const size_t each = sizeof(pytree_group) + 2 * sizeof(size_t);
    const size_t bytes = pytree__plus(sizeof(pytree_groups),
                                      pytree__plus(pytree__times(n, each), pytree__times(n_leaves, sizeof(uint32_t))));
    pytree_groups *g = (pytree_groups *)pytree__array_new(bytes, 1, pytree__allocator(opt), err);
    if (g == NULL) { return NULL; }
    memset(g, 0, bytes);
    g->n_groups = n;
    g->n_leaves = n_leaves;
    g->groups = (pytree_group *)(void *)(g + 1);
    g->leaves = (size_t *)(void *)((char *)(g + 1) + n * sizeof(pytree_group));
    g->elements = g->leaves + n;
    g->of = (const uint32_t *)(const void *)(g->elements + n);
    g->allocator = pytree__allocator(opt);
    g->bytes = bytes;
    if (n != 0) { memcpy((void *)(uintptr_t)g->groups, table, n * sizeof *table); }
    return g;
}

/* Find the group of the leaf at hand. Returns its number, n if there is none. */
static size_t pytree__group_find(const pytree_groups *g, const pytree_iter *it, pytree_error *err)
{
    size_t i = 0;
    while (i < g->n_groups && !pytree_iter_path_match(it, g->groups[i].pattern, err) && err->status == PYTREE_OK) { i++; }
    return i;
}

static void pytree__groups_fill(pytree_groups *g, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    size_t next = 0;
    (void)pytree_iter_begin(&it, 1, &t, opt, err);
    for (; err->status == PYTREE_OK && pytree_iter_next(&it); next++) {
        const pytree_leaf *const leaf = it.leaf[0];
        const size_t i = pytree__group_find(g, &it, err);
        if (err->status != PYTREE_OK) { continue; }
        if (next == g->n_leaves) { (void)pytree__fail_unstable_callback(err); continue; }
        if (i == g->n_groups) {
            (void)pytree__fail_at(&it.cursors[0], PYTREE_NOT_FOUND,
                                  "expected one of %zu patterns to match this leaf, got none", g->n_groups);
            continue;
        }
        ((uint32_t *)(uintptr_t)g->of)[next] = (uint32_t)i;
        ((size_t *)(uintptr_t)g->leaves)[i]++;
        ((size_t *)(uintptr_t)g->elements)[i] += leaf->form == PYTREE_FORM_LEAF ? pytree_leaf_count(leaf) : 1;
    }
    pytree_iter_end(&it);
    if (err->status == PYTREE_OK && next != g->n_leaves) { (void)pytree__fail_unstable_callback(err); }
}

pytree_groups *pytree_groups_new(size_t n, const pytree_group *table, pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree_groups *g = NULL;
    pytree_error own;
    size_t n_leaves, i;
    memset(&own, 0, sizeof own);
    for (i = 0; n <= UINT32_MAX && table != NULL && i < n && table[i].pattern != NULL; i++) {}
    if (i < n) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a table of %zu patterns, got NULL", n);
        return NULL;
    }
    for (i = 0; i < n && own.status == PYTREE_OK; i++) { (void)pytree_path_match(NULL, table[i].pattern, &own); }
    n_leaves = own.status != PYTREE_OK ? SIZE_MAX : pytree_num_leaves(t, opt, &own);
    if (n_leaves != SIZE_MAX) { g = pytree__groups_block(n, table, n_leaves, opt, &own); }
    if (g != NULL) { pytree__groups_fill(g, t, opt, &own); }
    if (own.status == PYTREE_OK) { return g; }
    pytree_groups_free(g);
    if (err != NULL && err->status == PYTREE_OK) { *err = own; }
    return NULL;
}

void pytree_groups_free(pytree_groups *g)
{
    if (g != NULL) { pytree__array_free(g, g->bytes, 1, g->allocator); }
}
#endif
