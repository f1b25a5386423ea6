/* ARRAY with nine dimensions.
 *
 * The default limit is eight. `-DPYTREE_MAX_DIMS=9` raises it; the value determines the size of leaf views, so all
 * files of a program must use the same. */
// both: pytree: Layer.weight: too many dimensions; define PYTREE_MAX_DIMS (8, at most 16) to that many in every file
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(1, 1, 1, 1, 1, 1, 1, 1, self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(1, 1, 1, 1, 1, 1, 1, self->n))
#endif
#include "pytree_registry.h"
