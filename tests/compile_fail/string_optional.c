/* STRING and OPTIONAL. An array in the struct is never NULL: a string that is missing is empty. */
// both: pytree: Channel.name: OPTIONAL is for pointers; a string in the struct itself is never NULL
// fixed: yes
#include "pytree.h"

typedef struct Channel { char name[32]; } Channel;

#define PYTREE_STRUCT Channel
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, name, STRING, OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, name, STRING)
#endif
#include "pytree_registry.h"
