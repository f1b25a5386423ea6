/* A rank that differs from the array's. */
// both: pytree: Grid.at: RANK is the number of dimensions of a fixed array of numbers; this array has another
// fixed: yes
#include "pytree.h"

typedef struct Grid { float at[2][3][4]; } Grid;

#define PYTREE_STRUCT Grid
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, at, RANK(2))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, at, RANK(3))
#endif
#include "pytree_registry.h"
