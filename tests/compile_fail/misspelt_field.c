/* A field that the struct does not have.
 *
 * The compiler repeats the message for each use of the field. */
// gcc: ‘Layer’ has no member named ‘wieght’; did you mean ‘weight’?
// clang: no member named 'wieght' in 'struct Layer'; did you mean 'weight'?
// g++: has no member named ‘wieght’; did you mean ‘weight’?
// clang++: no member named 'wieght' in 'Layer'; did you mean 'weight'?
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, wieght, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
