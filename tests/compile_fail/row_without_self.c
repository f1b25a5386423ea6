/* A row expression without self.
 *
 * In row expressions, write `self->` before each member; `self` points to the struct. */
// gcc: ‘n’ undeclared
// clang: use of undeclared identifier 'n'
// g++: ‘n’ was not declared in this scope
// clang++: use of undeclared identifier 'n'
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
