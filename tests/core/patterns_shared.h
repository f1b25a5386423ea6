/* patterns_shared.h: what test_patterns.c and test_patterns_odd.c need to compare two ways of going over a tree. */
#ifndef PATTERNS_SHARED_H
#define PATTERNS_SHARED_H

#include "support.h"

static inline bool nowhere(void *context, const pytree_leaf *value, const pytree_path *path)
{
    (void)context;
    (void)path;
    (void)value;
    return false;
}

typedef struct Seen {
    uint64_t hash;
    size_t n;
    int what, at;                         /* what the callback changes, and in which struct, at leaf 9 */
    int tree;                             /* in which tree */
} Seen;

static inline void note(Seen *s, uint64_t x) { s->hash = (s->hash ^ x) * UINT64_C(0x100000001b3); }

static inline void note_leaf(Seen *s, const pytree_leaf *leaf)
{
    int i;
    note(s, (uint64_t)(uintptr_t)leaf->data);
    note(s, (uint64_t)(uintptr_t)leaf->type);
    note(s, (uint64_t)leaf->ndim);
    for (i = 0; i < leaf->ndim; i++) { note(s, leaf->shape[i]); }
}

static inline void note_leaves(Seen *s, const pytree_iter *it)
{
    size_t k;
    for (k = 0; k < it->n; k++) { note_leaf(s, it->leaf[k]); }
    if (it->out != NULL) { note_leaf(s, it->out); }
    s->n++;
}

static inline pytree_options options(bool plain)
{
    pytree_options opt = { 0 };
    if (!plain) { opt.is_leaf = nowhere; }
    return opt;
}

/* Maps over n trees, the last of which is the output if there is one. */
static inline pytree_status map_seen(pytree_map_fn *visit, Seen *s, size_t n, const pytree *all, bool out, bool plain,
                                     pytree_error *error)
{
    const pytree_options opt = options(plain);
    memset(error, 0, sizeof *error);
    s->hash = 0;
    s->n = 0;
    return pytree_map(visit, s, out ? &all[n - 1] : NULL, out ? n - 1 : n, all, &opt, error);
}

static inline void assert_same(const Seen *a, const Seen *b, const pytree_error *e, const pytree_error *f)
{
    assert_int_equal(e->status, f->status);
    if (e->status != PYTREE_OK) {
        assert_string_equal(e->path, f->path);
        assert_string_equal(e->message, f->message);
    }
    assert_int_equal(a->n, b->n);
    assert_true(a->hash == b->hash);
}

#endif
