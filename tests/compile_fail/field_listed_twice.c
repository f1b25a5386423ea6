/* A field with two rows.
 *
 * The compilers report that a name made from struct and field exists already. */
// gcc: redeclaration of enumerator ‘pytree__code_Layer__n’
// gcc: pytree: Layer.n: rows are out of order; list the fields as the struct declares them, each once
// clang: redefinition of enumerator 'pytree__code_Layer__n'
// g++: redefinition of ‘pytree__before_Layer__n’
// clang++: redefinition of enumerator 'pytree__before_Layer__n'
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *weight; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, weight, ARRAY(self->n))
#endif
#include "pytree_registry.h"
