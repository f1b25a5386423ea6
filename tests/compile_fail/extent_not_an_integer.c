/* An extent that is not an integer.
 *
 * Extents and counts are integers; a floating-point number or a pointer is none. */
// gcc: invalid operands to binary | (have ‘float’ and ‘int’)
// clang: invalid operands to binary expression ('const float' and 'int')
// g++: invalid operands of types ‘const float’ and ‘int’ to binary
// clang++: invalid operands to binary expression ('const float' and 'int')
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din; float dout; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->dout))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY((size_t)self->dout))
#endif
#include "pytree_registry.h"
