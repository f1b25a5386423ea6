/* algebra_parts_shared.h: shared by test_algebra_parts.c and test_algebra_transpose.c. */
#ifndef ALGEBRA_PARTS_SHARED_H
#define ALGEBRA_PARTS_SHARED_H

#include "support.h"
#include "pytree/algebra.h"

static const pytree_options nones_are_leaves = { .none_is_leaf = true };

static inline int64_t number_of(const pytree_leaf *leaf)
{
    int64_t n;
    if (leaf->form == PYTREE_FORM_NONE) { return -1; }
    if (leaf->form != PYTREE_FORM_LEAF || leaf->type != PYTREE_TYPE(int64_t)) { return -2; }
    memcpy(&n, leaf->data, sizeof n);
    return n;
}

static inline void assert_flat(const pytree_flat *flat, const char *structure, size_t n, const int64_t *numbers)
{
    char text[512];
    size_t i;
    assert_non_null(flat->def);
    assert_true(pytree_def_text(flat->def, text, sizeof text) < sizeof text);
    assert_string_equal(text, structure);
    assert_int_equal(flat->def->n_leaves, n);
    for (i = 0; i < n; i++) { assert_int_equal(number_of(&flat->leaves[i]), numbers[i]); }
}

#define ASSERT_FLAT(flat, structure, ...)                                                                               \
    assert_flat(flat, structure, COUNT_OF(((const int64_t[]){ __VA_ARGS__ })), (const int64_t[]){ __VA_ARGS__ })

static inline pytree_def *structure(pytree t, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, opt, &error);
    assert_ok(error.status, &error);
    return def;
}

/* ---- Transpose --------------------------------------------------------------------------------------------------------- */

typedef struct Twice {
    int64_t doubles[8];
    pytree_pair pairs[8];                 /* what a leaf of the inner structure refers to must stay */
    pytree_items items[8];
    pytree dicts[8];
    size_t wrong;                         /* the leaf whose result is of another kind */
} Twice;

static inline pytree_status give_twice(void *context, const pytree_iter *at, pytree_taker *to)
{
    Twice *t = context;
    t->doubles[at->index] = 2 * number_of(at->leaf[0]) + (at->n > 1 ? number_of(at->leaf[1]) : 0);
    if (at->index == t->wrong) { return pytree_give(to, PYTREE_LIST(PYTREE(&t->doubles[at->index]))); }
    t->pairs[at->index] = (pytree_pair){ "k", PYTREE(&t->doubles[at->index]) };
    t->items[at->index] = (pytree_items){ .count = 1, .pairs = &t->pairs[at->index] };
    t->dicts[at->index].type = &pytree_types[PYTREE__T_dict];
    t->dicts[at->index].data = &t->items[at->index];
    return pytree_give(to, PYTREE_TUPLE(PYTREE(at->leaf[0]), PYTREE(&t->dicts[at->index])));
}

#endif
