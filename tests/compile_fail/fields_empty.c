/* PYTREE_FIELDS without a row. */
// both: pytree: Layer
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
