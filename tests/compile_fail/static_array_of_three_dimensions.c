/* A STATIC array of three dimensions. */
// both: pytree: Grid.at: a STATIC array has one dimension, or two of numbers; put more into a struct of STATIC rows
// fixed: yes
#include "pytree.h"

typedef struct Grid { int at[2][3][4]; } Grid;

#define PYTREE_STRUCT Grid
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, at)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, at, RANK(3))
#endif
#include "pytree_registry.h"
