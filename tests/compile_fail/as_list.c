/* AS with LIST. What a void * leads to is one value, or an array of numbers. */
// both: pytree: Layer.table: AS takes a type, and ARRAY(n, m) if it leads to an array
// fixed: yes
#include "pytree.h"

typedef struct Layer { void *table; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(DATA, table, AS(PYTREE_TYPE(float), LIST(3)))
#else
#define PYTREE_FIELDS PYTREE_FIELD(DATA, table, AS(PYTREE_TYPE(float), ARRAY(3)))
#endif
#include "pytree_registry.h"
