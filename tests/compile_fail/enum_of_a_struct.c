/* PYTREE_ENUM for a struct. */
// both: pytree: Point: PYTREE_ENUM is for an enum; a struct is registered with PYTREE_STRUCT
// fixed: yes
#include "pytree.h"

typedef struct Point { float x; } Point;

#ifndef PYTREE_TEST_FIXED
#define PYTREE_ENUM Point
#define PYTREE_CONSTANTS PYTREE_CONSTANT(1, "one")
#else
#define PYTREE_STRUCT Point
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x)
#endif
#include "pytree_registry.h"
