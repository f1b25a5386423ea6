/* A registration in a C++ file.
 *
 * C++ has no `_Generic`. Register the struct in a C file that makes the `pytree`; C++ code uses it through
 * pytree.h. */
// both: pytree_registry.h compiles as C only: register structs in a C file and share the trees with C++ through pytree.h.
// flags: -x c++ -std=c++17
typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
