/* A leaf type in a namespace.
 *
 * A namespace gives a type other fields or callbacks, and a leaf type has neither. */
// both: pytree_registry.h: PYTREE_NAMESPACE goes with PYTREE_STRUCT: it gives a registered type other fields in a namespace.
// fixed: yes
#include "pytree.h"

typedef struct Handle { int number; } Handle;

#define PYTREE_LEAF_TYPE Handle
#ifndef PYTREE_TEST_FIXED
#define PYTREE_NAMESPACE train
#endif
#include "pytree_registry.h"
