/* pytree/groups.h: settings for the leaves of a tree by key path, such as a learning rate and weight decay for each parameter.
 *
 *     typedef struct Settings { float rate, decay; } Settings;
 *     static const Settings weights = { 1e-3f, 0.1f }, others = { 1e-3f, 0 };
 *     const pytree_group table[] = { { "**.w", &weights }, { "**", &others } };
 *
 *     pytree_groups *groups = pytree_groups_new(2, table, PYTREE(&model), NULL, &err);       // once
 *     …
 *     const Settings *s = (const Settings *)pytree_group_of(groups, at);                     // in a callback of pytree_map
 *     …
 *     pytree_groups_free(groups);
 *
 * A table is read from its beginning, and the first pattern (pytree/path.h) that matches a leaf's path decides. A leaf without
 * a match is an error: end the table with `**` if the rest has settings of its own. The paths are matched once, so that a step
 * of a training costs one read of an array for each leaf. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "path.h"

#ifndef PYTREE_GROUPS_H
#define PYTREE_GROUPS_H

#ifdef __cplusplus
extern "C" {
#endif

/* A group: the leaves whose paths match a pattern and none of those before it, and what is set for them, of any type. */
typedef struct pytree_group {
    const char *pattern;
    const void *settings;
} pytree_group;

/* The groups of a tree's leaves. Leaf i, in the order of pytree_leaves, is in group of[i]. */
typedef struct pytree_groups {
    size_t n_leaves, n_groups;
    const uint32_t *of;
    const pytree_group *groups;           /* the table, copied */
    const size_t *leaves, *elements;      /* how many each group has; 0 leaves: the pattern never decided */
    /* private */
    const pytree_allocator *allocator;
    size_t bytes;
} pytree_groups;

/* Find the group of each leaf of a tree: optax.partition, torch's param_groups. Returns the groups in one block, to be freed
 * with pytree_groups_free; NULL on error: PYTREE_NOT_FOUND with the path of a leaf that no pattern matches, PYTREE_SYNTAX for a
 * pattern that cannot be read. The block refers to the table's patterns and settings, which must outlive it; settings may
 * change from step to step. A string and None count as one element. O(leaves * patterns * path). One allocation, and
 * one for each leaf deeper than 32 entries, which is freed. */
pytree_groups *pytree_groups_new(size_t n, const pytree_group *table, pytree t, const pytree_options *opt, pytree_error *err);
void pytree_groups_free(pytree_groups *groups);           /* NULL is fine */

/* Get the settings of the leaf that an iterator or a callback of pytree_map has come to. The first tree must have the structure
 * of the one that the groups were made of, and the same options. Returns NULL for a leaf beyond its last one. O(1). */
static inline const void *pytree_group_of(const pytree_groups *groups, const pytree_iter *at)
{
    return at->index < groups->n_leaves ? groups->groups[groups->of[at->index]].settings : NULL;
}

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_GROUPS_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/groups.h"
#endif
