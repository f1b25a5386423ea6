/* The name of the struct as a string.
 *
 * The name is an identifier, because other names are made from it. */
// both: pytree: \"Linear\" is not the name of a type; write one identifier, without quotes, struct or semicolon
// c++: is not the name of a type; write one identifier, without quotes, struct or semicolon
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din, dout; float *w; } Linear;

#ifndef PYTREE_TEST_FIXED
#define PYTREE_STRUCT "Linear"
#else
#define PYTREE_STRUCT Linear
#endif
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#include "pytree_registry.h"
