/* OPTIONAL on a value in place. */
// both: pytree: Layer.scale: OPTIONAL is for pointers; a value in the struct itself is never NULL
// fixed: yes
#include "pytree.h"

typedef struct Layer { float scale; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, scale, OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, scale)
#endif
#include "pytree_registry.h"
