/* A namespace for a type that is not registered.
 *
 * The type first needs a registration without a namespace: as a struct, a custom node, or a leaf. */
// both: pytree: Linear: PYTREE_NAMESPACE is for a type that is registered already; register it without one first, or as
// both: PYTREE_LEAF_TYPE if it is a leaf without a namespace
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_LEAF_TYPE Linear
#include "pytree_registry.h"
#endif
#define PYTREE_STRUCT Linear
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
