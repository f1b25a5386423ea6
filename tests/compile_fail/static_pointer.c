/* A pointer to numbers in a STATIC row.
 *
 * Static values are part of the structure: the treedef copies, compares and hashes them. It would copy only the
 * pointer, not the numbers. */
// both: pytree: Layer.weight: a pointer to numbers or structs is data; write DATA, with ARRAY(n) for numbers,
// both: LIST(n) for n structs
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(STATIC, weight)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
