/* The first field left out. */
// both: pytree: Layer.weight: a field before this one is not listed
// fixed: yes
#include "pytree.h"

typedef struct Layer { double x; float *weight, *bias; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, weight, ARRAY(1))                   \
    PYTREE_FIELD(DATA, bias, ARRAY(1))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, x)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(1))                   \
    PYTREE_FIELD(DATA, bias, ARRAY(1))
#endif
#include "pytree_registry.h"
