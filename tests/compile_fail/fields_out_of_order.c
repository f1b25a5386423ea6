/* Rows in another order than the struct's fields.
 *
 * The order of the struct is the order of the leaves. The first message names the row that comes too early, the
 * second the one that comes too late. */
// both: pytree: Layer.weight: a field before this one is not listed, or too late; give it a row (DATA, STATIC,
// both: or DROP for padding and scratch space)
// both: pytree: Layer.n: rows are out of order; list the fields as the struct declares them, each once
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
