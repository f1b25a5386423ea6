/* ARRAY without an extent. */
// both: pytree: Linear.w: ARRAY takes an extent for each dimension, ARRAY(n, m)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din, dout; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY())
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#endif
#include "pytree_registry.h"
