/* A type in a row.
 *
 * The compiler knows the type from the struct. */
// both: pytree: Linear: a row is PYTREE_FIELD(kind, name, modifiers), with commas between them and without a type
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din, dout; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, int din)                          \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#endif
#include "pytree_registry.h"
