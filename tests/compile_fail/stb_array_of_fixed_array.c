/* STB_ARRAY on a fixed array. */
// both: pytree: Bag.items: STB_ARRAY is for an stb_ds array: a pointer, NULL or made by arrput
// fixed: yes
#include "pytree.h"

typedef struct Bag { float items[3]; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, items, STB_ARRAY)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, items)
#endif
#include "pytree_registry.h"
