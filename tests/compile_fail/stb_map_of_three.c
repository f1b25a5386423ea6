/* A map whose entries have a third member.
 *
 * A copy of the map would lose it. Make the value a registered struct. */
// both: pytree: Metrics.values: an entry of a STB_MAP has two members, key and value, in this order; put more into a struct
// both: for the value
// fixed: yes
#include "pytree.h"

#ifndef PYTREE_TEST_FIXED
typedef struct Metrics { struct { char *key; float value; int count; } *values; } Metrics;
#else
typedef struct Metrics { struct { char *key; float value; } *values; } Metrics;
#endif

#define PYTREE_STRUCT Metrics
#define PYTREE_FIELDS PYTREE_FIELD(DATA, values, STB_MAP)
#include "pytree_registry.h"
