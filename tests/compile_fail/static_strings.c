/* Several STATIC strings in one array. A STATIC string is one array of `char`; as leaves there may be several. */
// both: pytree: Channel.names: a STATIC STRING is one array of char; put several into a struct of STATIC rows, or write DATA
// fixed: yes
#include "pytree.h"

typedef struct Channel { char names[4][32]; } Channel;

#define PYTREE_STRUCT Channel
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, names, STRING)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, names, STRING)
#endif
#include "pytree_registry.h"
