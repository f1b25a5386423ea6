/* The last field without a row. */
// both: pytree: Layer: a field at the end is not listed
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
    PYTREE_FIELD(DATA, bias, ARRAY(1))
#endif
#include "pytree_registry.h"
