/* A class whose members are private.
 *
 * Operations read and write members from outside of the class. */
// gcc: ‘int Layer::n’ is private within this context
// clang: 'n' is a private member of 'Layer'
// flags: -x c++ -std=c++17
// fixed: yes
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Layer { int n; float *w; };
#else
class Layer { int n; float *w; };
#endif

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
