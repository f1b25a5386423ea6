/* A fixed array of three dimensions without its rank.
 *
 * One and two dimensions are recognised. For more, C needs the number of dimensions. */
// both: pytree: Grid.at: an array whose element type is not registered, or of three or more dimensions; write RANK(3) for those
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
