/* STRING for a pointer. A `char *` is a string without a modifier; STRING is for an array of `char` in the struct itself. */
// both: pytree: Channel.name: STRING is for an array of char in the struct itself that is not const, char f[32]; a char *
// fixed: yes
#include "pytree.h"

typedef struct Channel { char *name; } Channel;

#define PYTREE_STRUCT Channel
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, name, STRING)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, name)
#endif
#include "pytree_registry.h"
