/* A field that the struct does not have, and none of a similar name.
 *
 * The compiler repeats the message for each use of the field. */
// gcc: ‘Layer’ has no member named ‘bias’
// clang: no member named 'bias' in 'Layer'
// g++: has no member named ‘bias’
// clang++: no member named 'bias' in 'Layer'
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))             \
    PYTREE_FIELD(DATA, bias, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
