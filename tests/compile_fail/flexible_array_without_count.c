/* A flexible array member without its extent. Neither C nor the library knows how long `T f[]` is: the row says it. */
// gcc: invalid application of ‘sizeof’ to incomplete type
// clang: invalid application of 'sizeof' to an incomplete type
// fixed: yes
#include "pytree.h"

typedef struct Vector { int n; float at[]; } Vector;

#define PYTREE_STRUCT Vector
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, ARRAY(self->n))
#endif
#include "pytree_registry.h"
