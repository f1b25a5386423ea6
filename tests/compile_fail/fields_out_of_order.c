/* Rows in another order than the struct's fields.
 *
 * The order of the struct is the order of the leaves, in memory and in files. The first error names the row that
 * comes too early, this one the row that comes too late. */
// both: pytree: Layer.n: rows are out of order; list the fields as the struct declares them, each once
// both: pytree: Layer.weight: a field before this one is not listed, or too late; give it a row (DATA, STATIC,
// both: or DROP for padding and scratch space)
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))             \
    PYTREE_FIELD(STATIC, n)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
