/* ARRAY on a number. */
// both: pytree: Layer.scale: ARRAY is for a pointer to numbers; a fixed array needs no modifier,
// both: a pointer to structs needs LIST(n)
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float scale; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, scale, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, scale)
#endif
#include "pytree_registry.h"
