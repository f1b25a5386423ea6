/* AS on a pointer whose type the compiler knows. */
// both: pytree: Layer.table: AS is for a void *; the compiler knows the type of others
// fixed: yes
#include "pytree.h"

typedef struct Layer { float *table; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(DATA, table, AS(PYTREE_TYPE(float), ARRAY(3)))
#else
#define PYTREE_FIELDS PYTREE_FIELD(DATA, table, ARRAY(3))
#endif
#include "pytree_registry.h"
