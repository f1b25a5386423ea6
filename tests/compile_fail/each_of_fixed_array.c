/* LIST(n, EACH()) for a fixed array of pointers, whose count the compiler knows. */
// both: pytree: MLP.layers: LIST is for a pointer; the elements of a fixed array need EACH() alone
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
    PYTREE_FIELD(DATA, layers, LIST(4, EACH()))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, layers, EACH())
#endif
#include "pytree_registry.h"
