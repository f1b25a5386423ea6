/* STB_ARRAY on fixed. */
// both: pytree: Bag.entries: STB_ARRAY is for an stb_ds array
// fixed: yes
#include "pytree.h"

typedef struct Bag { float entries[3]; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, entries, STB_ARRAY)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, entries)
#endif
#include "pytree_registry.h"
