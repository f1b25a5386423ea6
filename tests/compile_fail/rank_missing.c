/* A fixed array of three dimensions without RANK. */
// both: pytree: Grid.at: 
// fixed: yes
#include "pytree.h"

typedef struct Grid { float at[2][3][4]; } Grid;

#define PYTREE_STRUCT Grid
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, at)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, at, RANK(3))
#endif
#include "pytree_registry.h"
