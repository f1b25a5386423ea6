/* A CASE of a member that the union does not have. gcc and clang name it first, and repeat little. */
// gcc: has no member named ‘weigths’; did you mean ‘weights’?
// clang: no member named 'weigths' in
// lines: 70
// fixed: yes
#include "pytree.h"

typedef struct Shape { int kind; union { float *weights; int number; } as; } Shape;

#define PYTREE_STRUCT Shape
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(1, weigths, ARRAY(3)), CASE(2, number)))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(1, weights, ARRAY(3)), CASE(2, number)))
#endif
#include "pytree_registry.h"
