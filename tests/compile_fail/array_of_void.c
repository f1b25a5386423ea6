/* ARRAY on a pointer to void.
 *
 * The element type is unknown. Give the pointer an element type, or make the field a DROP row. */
// both: pytree: Layer.weight: ARRAY is for a pointer to numbers; a fixed array needs no modifier,
// both: a pointer to structs needs LIST(n)
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; void *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DROP, weight)
#endif
#include "pytree_registry.h"
