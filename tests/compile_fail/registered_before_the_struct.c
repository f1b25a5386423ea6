/* A registration above the struct.
 *
 * The rows are read where the include stands: put it behind the struct's definition. */
// gcc: pytree: Linear: there is no type of this name above; define the struct before it is registered, with
// clang: unknown type name 'Linear'
// g++: ‘Linear’ does not name a type
// clang++: unknown type name 'Linear'
// fixed: yes
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
typedef struct Linear { int din, dout; float *w; } Linear;
#endif

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#include "pytree_registry.h"
#ifndef PYTREE_TEST_FIXED
typedef struct Linear { int din, dout; float *w; } Linear;
#endif
