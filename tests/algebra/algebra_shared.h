/* algebra_shared.h: shared by test_algebra.c and test_algebra_common.c. */
#ifndef ALGEBRA_SHARED_H
#define ALGEBRA_SHARED_H

#include "support.h"
#include "pytree/algebra.h"

#define AN_INT PYTREE_INT(1)              /* a literal: tcc 0.9.27 takes no variables in lists of trees */

/* ---- Numbers ----------------------------------------------------------------------------------------------------------- */

/* Number of a leaf of a literal; -1 for None, -2 for what is no number. */
static inline int64_t number_of(const pytree_leaf *leaf)
{
    int64_t n;
    if (leaf->form == PYTREE_FORM_NONE) { return -1; }
    if (leaf->form != PYTREE_FORM_LEAF || leaf->type != PYTREE_TYPE(int64_t)) { return -2; }
    memcpy(&n, leaf->data, sizeof n);
    return n;
}

static inline void assert_numbers(size_t n, const pytree_leaf *leaves, const int64_t *expected)
{
    size_t i;
    for (i = 0; i < n; i++) { assert_int_equal(number_of(&leaves[i]), expected[i]); }
}

#define ASSERT_NUMBERS(leaves, ...)                                                                                     \
    assert_numbers(COUNT_OF(((const int64_t[]){ __VA_ARGS__ })), leaves, (const int64_t[]){ __VA_ARGS__ })

static inline pytree_def *structure(pytree t, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, opt, &error);
    assert_ok(error.status, &error);
    return def;
}

#endif
