/* A registration inside a function.
 *
 * A registration defines functions, which C allows only at file scope. */
// both: pytree: a registration stands outside of functions; move this include of pytree_registry.h to file scope
// g++: expected identifier before ‘{’ token
// clang++: namespaces can only be defined in global or namespace scope
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din, dout; float *w; } Linear;

#ifndef PYTREE_TEST_FIXED
void registers(void);
void registers(void)
{
#else
#endif
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#include "pytree_registry.h"
#ifndef PYTREE_TEST_FIXED
}
#endif
