/* STB_MAP with pointers as values.
 *
 * An entry of a map has no place for a length. Make the value a registered struct with the pointer and its length. */
// both: pytree: Bag.entries: the values of a STB_MAP are numbers, strings or registered structs, not pointers or arrays
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
