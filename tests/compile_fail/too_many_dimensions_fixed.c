/* A fixed array with nine dimensions. */
// both: pytree: Grid.at: too many dimensions; define PYTREE_MAX_DIMS (8, at most 16) to that many in every file
// fixed: yes
#include "pytree.h"

typedef struct Grid { float at[1][1][1][1][1][1][1][1][2]; } Grid;

#define PYTREE_STRUCT Grid
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, at, RANK(9))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DROP, at)
#endif
#include "pytree_registry.h"
