/* ARRAY of no dimensions. */
// both: pytree: Layer.weight: 
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY())
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(1, 1, 1, 1, 1, 1, 1, self->n))
#endif
#include "pytree_registry.h"
