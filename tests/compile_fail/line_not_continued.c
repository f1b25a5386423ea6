/* A row outside the list.
 *
 * The list is one macro: each of its lines but the last ends with a backslash, behind which nothing may stand, no space
 * either. The rows after the first line without one are no part of it, and the compiler reads them as code. */
// gcc: expected ‘)’ before ‘(’ token
// clang: expected ')'
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
