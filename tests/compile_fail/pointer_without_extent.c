/* A pointer to numbers without an extent.
 *
 * Only a pointer to one registered struct needs no modifier. `ARRAY` makes one array leaf, `LIST` a list with one
 * leaf for each number. */
// both: pytree: Layer.weight: a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
