/* A pointer to void. */
// both: pytree: Layer.weight:
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; void *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DROP, weight)
#endif
#include "pytree_registry.h"
