/* A leaf type in a STATIC row. */
// both: pytree: Bag.handle: an opaque leaf type is data; write DATA
// fixed: yes
#include "pytree.h"

typedef struct Handle { int number; } Handle;

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

typedef struct Bag { Handle handle; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, handle)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, handle)
#endif
#include "pytree_registry.h"
