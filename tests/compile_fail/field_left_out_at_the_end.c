/* The last field without a row. */
// both: pytree: Layer: a field at the end is not listed; give it a row (DATA, STATIC, or DROP for padding and scratch space)
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight, *bias; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))             \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n))
#endif
#include "pytree_registry.h"
