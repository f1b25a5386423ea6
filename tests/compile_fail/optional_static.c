/* OPTIONAL on a STATIC row. */
// both: pytree: Layer.scale: 
// fixed: yes
#include "pytree.h"

typedef struct Layer { char *scale; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, scale, OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, scale, OPTIONAL)
#endif
#include "pytree_registry.h"
