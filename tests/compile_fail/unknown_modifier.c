/* A modifier that does not exist. */
// both: pytree: Layer.weight: unknown modifier among TENSOR(self->n), NONE, NONE; write ARRAY(n, m), LIST(n),
// both: OPTIONAL or another word of docs/rows.md
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, TENSOR(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
