/* A fixed array of structs that are not registered. */
// both: pytree: MLP.layers:
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
