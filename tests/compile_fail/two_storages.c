/* Two ways of storing one field. */
// both: pytree: Layer.weight: one of ARRAY, LIST, RANK, STB_ARRAY, STB_MAP, and OPTIONAL, may follow the name of a DATA row;
// both: STATIC and DROP rows take nothing
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n), LIST(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
