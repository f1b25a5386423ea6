/* A flexible array member without FLEXIBLE. `T f[]` has no size, and its row must say so; the first error is the
 * compiler's own. */
// gcc: invalid application of ‘sizeof’ to incomplete type
// clang: invalid application of 'sizeof' to an incomplete type
// fixed: yes
#include "pytree.h"

typedef struct Vector { int n; float at[]; } Vector;

#define PYTREE_STRUCT Vector
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE)
#endif
#include "pytree_registry.h"
