/* A value of a type that is not registered.
 *
 * Register the struct above the first line that uses it, preferably in the header that declares it. The first line
 * of the error names the type, the message names the call. */
// both: its type is not registered; register it before this line (PYTREE_STRUCT, PYTREE_LEAF_TYPE)
// gcc: pytree: PYTREE(layer): its type is not registered
// gcc: (have ‘Linear’)
// clang: member reference type 'Linear'
// c++: pytree: PYTREE(p): its type is not registered; register it before this line (PYTREE_STRUCT, PYTREE_LEAF_TYPE)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif

pytree tree_of(Linear *layer);
pytree tree_of(Linear *layer) { return PYTREE(layer); }
