/* LIST on a fixed array. */
// both: pytree: MLP.layers: LIST is for a pointer to registered structs or single values; a fixed array needs no modifier
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct MLP { Linear layers[3]; } MLP;

#define PYTREE_STRUCT MLP
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, layers, LIST(3))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, layers)
#endif
#include "pytree_registry.h"
