/* opaque static */
// both: pytree: Bag.x: an opaque leaf
// fixed: yes
#include "pytree.h"

typedef struct Handle { int fd; } Handle;

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

typedef struct Bag { Handle x; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, x)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)
#endif
#include "pytree_registry.h"
