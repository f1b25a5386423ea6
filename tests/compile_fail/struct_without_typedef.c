/* A struct without a typedef.
 *
 * The name is that of a typedef: one identifier, without `struct`. */
// gcc: pytree: Linear: there is no type of this name above; define the struct before it is registered, with
// gcc: typedef struct Linear Linear
// clang: must use 'struct' tag to refer to type 'Linear'
// c++: compiles
// fixed: yes
#include "pytree.h"

#ifndef PYTREE_TEST_FIXED
struct Linear { int din, dout; float *w; };
#else
typedef struct Linear { int din, dout; float *w; } Linear;
#endif

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#include "pytree_registry.h"
