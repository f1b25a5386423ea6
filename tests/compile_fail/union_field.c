/* union member */
// both: pytree: Bag.x:
// fixed: yes
#include "pytree.h"

typedef union U { int i; float f; } U;
typedef struct Bag { U x; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DROP, x)
#endif
#include "pytree_registry.h"
