/* STB_MAP with pointer values. */
// both: pytree: Bag.entries: the values of a STB_MAP
// fixed: yes
#include "pytree.h"

typedef struct Entry { char *key; float *value; } Entry;
typedef struct Bag { Entry *entries; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, entries, STB_MAP)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DROP, entries)
#endif
#include "pytree_registry.h"
