/* OPTIONAL behind EACH: of a fixed array only the elements can be NULL. */
// both: pytree: MLP.layers: OPTIONAL stands in EACH(): an array in the struct itself is never NULL
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct MLP { Linear *layers[4]; } MLP;

#define PYTREE_STRUCT MLP
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, layers, EACH(), OPTIONAL)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, layers, EACH(OPTIONAL))
#endif
#include "pytree_registry.h"
