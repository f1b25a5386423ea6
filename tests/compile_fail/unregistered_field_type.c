/* A field of a type that is not registered.
 *
 * Register inner structs first. A type that the library need not look into can be a leaf (`PYTREE_LEAF_TYPE`); a
 * field that is not part of the tree can be a DROP row. If two structs refer to each other, `PYTREE_DECLARE` one of
 * them. */
// both: pytree: MLP.head: its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE),
// both: or list the field as DROP
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;
typedef struct MLP { Linear head; } MLP;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS PYTREE_FIELD(DATA, head)
#include "pytree_registry.h"
