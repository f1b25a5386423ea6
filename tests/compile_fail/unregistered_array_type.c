/* A fixed array of a type that is not registered.
 *
 * Arrays of numbers with more than two dimensions cause the same message, because C cannot tell the two apart. */
// both: pytree: MLP.layers: an array whose element type is not registered, or of three or more dimensions;
// both: write RANK(3) for those
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;
typedef struct MLP { Linear layers[3]; } MLP;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS PYTREE_FIELD(DATA, layers)
#include "pytree_registry.h"
