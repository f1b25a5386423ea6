/* A row that is neither DATA, STATIC nor DROP. */
// both: pytree: Layer.n: unknown row kind META; write DATA, STATIC or DROP
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(META, n)                                  \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
