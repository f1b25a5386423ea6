/* STB_MAP on no map. */
// both: pytree: Bag.entries:
// fixed: yes
#include "pytree.h"

typedef struct Bag { float *entries; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, entries, STB_MAP)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DROP, entries)
#endif
#include "pytree_registry.h"
