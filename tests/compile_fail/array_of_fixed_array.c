/* ARRAY on a fixed array.
 *
 * The struct already states its extents. */
// both: pytree: Layer.scale: ARRAY is for a pointer to numbers; a fixed array needs no modifier,
// both: a pointer to structs needs LIST(n)
// fixed: yes
#include "pytree.h"

typedef struct Layer { float scale[2][3]; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, scale, ARRAY(2, 3))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, scale)
#endif
#include "pytree_registry.h"
