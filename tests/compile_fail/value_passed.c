/* A value instead of its address.
 *
 * `PYTREE` takes a pointer to the struct, number or string. */
// gcc: invalid type argument of unary ‘*’ (have ‘Linear’)
// clang: indirection requires pointer operand ('Linear'
// c++: pytree: PYTREE(p): p is the address of a value, PYTREE(&x)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

size_t leaves_of(Linear layer);
size_t leaves_of(Linear layer)
{
#ifndef PYTREE_TEST_FIXED
    return pytree_num_leaves(PYTREE(layer), NULL, NULL);
#else
    return pytree_num_leaves(PYTREE(&layer), NULL, NULL);
#endif
}
