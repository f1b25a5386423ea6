/* A tree in a STATIC row. */
// both: pytree: Bag.view: a tree is data; write DATA
// fixed: yes
#include "pytree.h"

typedef struct Bag { pytree_leaf view; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, view)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, view)
#endif
#include "pytree_registry.h"
