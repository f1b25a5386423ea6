/* A union without UNION. Which member is active only the program knows: the row names the tag. */
// both: pytree: Shape.as: its type is not registered; register it before this struct
// fixed: yes
#include "pytree.h"

typedef struct Shape { int kind; union { float weight; int number; } as; } Shape;

#define PYTREE_STRUCT Shape
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(1, weight), CASE(2, number)))
#endif
#include "pytree_registry.h"
