/* pytree/impl/treedef_paths.h: key paths of a treedef's leaves. */
#ifndef PYTREE_IMPL_TREEDEF_PATHS_H
#define PYTREE_IMPL_TREEDEF_PATHS_H

#include "treedef_compare.h"

/* ---- Paths --------------------------------------------------------------------------------------------------------- */

size_t pytree_def_leaf_path(const pytree_def *def, size_t leaf, pytree_entry *entries, size_t capacity)
{
    size_t n = 0, node = def->n_nodes - 1, end = def->n_leaves;      /* `end`: leaves up to the end of `node` */
    if (leaf >= def->n_leaves) { return SIZE_MAX; }
    while (def->nodes[node].type != NULL) {
        size_t child = node, index = def->nodes[node].arity;
        do {                                                         /* back from the last child to the one with the leaf */
            if (child != node) {
                end -= def->nodes[child].leaves;
                child -= def->nodes[child].nodes;
            } else {
                child--;
            }
            index--;
        } while (leaf < end - def->nodes[child].leaves);
        if (n < capacity) { pytree__def_entry_at(def, node, index, &entries[n]); }
        n++;
        node = child;
    }
    return n;
}

/* Write the path of each leaf, or measure it (paths NULL). `prefix` holds the current path. */
static bool pytree__td_all_paths(const pytree_def *def, const char *separator, const char **paths, char *at, char *prefix,
                                 size_t *bytes, size_t *longest, const pytree_options *opt, pytree_error *err)
{
    pytree__td_walk w;
    size_t leaf = 0;
    bool good = true;
    int event;
    if (!pytree__td_walk_begin(&w, def, NULL, opt, err)) { return false; }
    *bytes = 0;
    *longest = 1;
    while (good && (event = pytree__td_step(&w)) != PYTREE__TD_END) {
        size_t length = w.n == 0 ? 0 : w.frames[w.n - 1].mark;
        if (event == PYTREE__TD_LEAVE) { continue; }
        if (w.n > 0) {
            struct pytree__text_writer text = pytree__text_to(prefix == NULL ? NULL : prefix + length,
                                                              prefix == NULL ? 0 : SIZE_MAX,
                                                              NULL);
            pytree__put_entry(&text, &w.frames[w.n - 1].entry, separator, w.n == 1);
            length += text.length;
        }
        if (*longest < length + 1) { *longest = length + 1; }
        if (def->nodes[w.at_a].type != NULL) {
            good = pytree__td_open(&w, length);
        } else {
            if (paths != NULL) {
                paths[leaf++] = (const char *)memcpy(at + *bytes, prefix, length);
                at[*bytes + length] = '\0';
            }
            *bytes += length + 1;
        }
    }
    pytree__td_walk_end(&w);
    return good;
}

const char **pytree_def_paths(const pytree_def *def, const char *separator, size_t *count, const pytree_options *opt,
                              pytree_error *err)
{
    const char **paths = NULL;
    struct pytree__paths_block *head;
    char *prefix;
    size_t bytes, longest, size, prefix_size;
    if (count != NULL) { *count = 0; }
    if (def == NULL) { return (const char **)pytree__no_def(err); }
    if (!pytree__td_all_paths(def, separator, NULL, NULL, NULL, &bytes, &longest, opt, err)) { return NULL; }
    prefix_size = longest;
    prefix = (char *)pytree__array_new(longest, 1, pytree__allocator(opt), err);
    if (prefix == NULL) { return NULL; }
    size = sizeof *head + def->n_leaves * sizeof *paths + bytes;
    head = (struct pytree__paths_block *)pytree__array_new(size, 1, pytree__allocator(opt), err);
    if (head != NULL) {
        head->allocator = opt == NULL ? NULL : opt->allocator;
        head->bytes = size;
        paths = (const char **)(void *)(head + 1);
        if (!pytree__td_all_paths(def, separator, paths, (char *)(paths + def->n_leaves), prefix, &bytes, &longest, opt, err)) {
            pytree_paths_free(paths);
            paths = NULL;
        }
    }
    if (paths != NULL && count != NULL) { *count = def->n_leaves; }
    pytree__array_free(prefix, prefix_size, 1, pytree__allocator(opt));
    return paths;
}

#endif
