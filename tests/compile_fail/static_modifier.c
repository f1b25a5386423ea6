/* A modifier on STATIC row. */
// both: pytree: Layer.scale: 
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; int scale[3]; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(STATIC, scale, ARRAY(3))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(STATIC, scale)
#endif
#include "pytree_registry.h"
