/* A map whose keys are numbers.
 *
 * STB_MAP is an stb_ds string map; its entries have a `char *key`. */
// both: pytree: Metrics.values: the keys of a STB_MAP are strings, char *key
// fixed: yes
#include "pytree.h"

#ifndef PYTREE_TEST_FIXED
typedef struct Metrics { struct { int key; float value; } *values; } Metrics;
#else
typedef struct Metrics { struct { char *key; float value; } *values; } Metrics;
#endif

#define PYTREE_STRUCT Metrics
#define PYTREE_FIELDS PYTREE_FIELD(DATA, values, STB_MAP)
#include "pytree_registry.h"
