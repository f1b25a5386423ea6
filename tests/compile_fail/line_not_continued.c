/* A row outside the list.
 *
 * The list is one macro: each of its lines except the last must end with a backslash, without a space after it. The
 * compiler reads the rows after the first line without a backslash as code. */
// gcc: expected ‘)’ before ‘(’ token
// clang: expected ')'
// g++: expected constructor, destructor, or type conversion before ‘(’ token
// clang++: C++ requires a type specifier for all declarations
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
