/* Only OPTIONAL on a pointer to numbers.
 *
 * `OPTIONAL` says that the pointer may be NULL, but not how long the array is. */
// both: pytree: Layer.weight: a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n), OPTIONAL)
#endif
#include "pytree_registry.h"
