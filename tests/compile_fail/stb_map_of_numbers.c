/* STB_MAP on something that is no map.
 *
 * A string map points at structs with the members `char *key` and `value`. */
// gcc: request for member 'value' in something not a structure or union
// clang: member reference base type 'float' is not a structure or union
// fixed: yes
#include "pytree.h"

typedef struct Bag { float *items; } Bag;

#define PYTREE_STRUCT Bag
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, items, STB_MAP)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, items, STB_ARRAY)
#endif
#include "pytree_registry.h"
