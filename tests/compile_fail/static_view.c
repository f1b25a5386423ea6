/* pytree leaf static */
// both: pytree: Bag.x: a tree is data
// fixed: yes
#include "pytree.h"

typedef struct Bag { pytree_leaf x; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, x)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)
#endif
#include "pytree_registry.h"
