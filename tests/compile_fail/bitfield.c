/* bit-field */
// both: Bag
#include "pytree.h"

typedef struct Bag { unsigned x : 3; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, x)
#else
#define PYTREE_FIELDS                                      \
#endif
#include "pytree_registry.h"
