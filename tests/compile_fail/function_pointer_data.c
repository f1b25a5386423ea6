/* function pointer */
// both: pytree: Bag.x:
// fixed: yes
#include "pytree.h"

typedef struct Bag { float (*x)(float); } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, x)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, x)
#endif
#include "pytree_registry.h"
