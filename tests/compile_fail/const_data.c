/* const pointer */
// both: pytree: Bag.x: a pointer needs
// fixed: yes
#include "pytree.h"

typedef struct Bag { int n; const float *x; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, x)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, x, ARRAY(self->n))
#endif
#include "pytree_registry.h"
