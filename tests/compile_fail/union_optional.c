/* OPTIONAL behind UNION. A union in the struct is never NULL; a pointer in it may be, and its CASE says so. */
// both: pytree: Shape.as: OPTIONAL stands in a CASE: a union in the struct itself is never NULL
// fixed: yes
#include "pytree.h"

typedef struct Shape { int kind; union { float *weights; int number; } as; } Shape;

#define PYTREE_STRUCT Shape
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(1, weights, ARRAY(3)), CASE(2, number)), OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(1, weights, ARRAY(3), OPTIONAL), CASE(2, number)))
#endif
#include "pytree_registry.h"
