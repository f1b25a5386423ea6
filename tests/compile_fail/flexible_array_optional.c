/* OPTIONAL on a flexible array member. It lies behind the struct and is never NULL: without elements its extent is 0. */
// both: pytree: Vector.at: OPTIONAL is for pointers; a flexible array is never NULL
// fixed: yes
#include "pytree.h"

typedef struct Vector { int n; float at[]; } Vector;

#define PYTREE_STRUCT Vector
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE, OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE)
#endif
#include "pytree_registry.h"
