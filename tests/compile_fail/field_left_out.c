/* A field without a row, before one that has one. */
// both: pytree: Layer.bias: a field before this one is not listed
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight, *bias; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, bias, ARRAY(1))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))             \
    PYTREE_FIELD(DATA, bias, ARRAY(1))
#endif
#include "pytree_registry.h"
