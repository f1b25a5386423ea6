/* A field without a row.
 *
 * Every member needs a row, so that no field is forgotten when the struct grows. The message names the first listed
 * field after the gap. Use DROP rows for members that are not part of the tree, including padding members. */
// both: pytree: Layer.bias: a field before this one is not listed, or too late; give it a row (DATA, STATIC,
// both: or DROP for padding and scratch space)
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight, *bias; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))             \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n))
#endif
#include "pytree_registry.h"
