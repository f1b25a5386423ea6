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

static inline pytree_options options(bool plain)
{
    pytree_options opt = { 0 };
    if (!plain) { opt.is_leaf = nowhere; }
    return opt;
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
