/* LIST with two counts. */
// both: pytree: MLP.layers: LIST takes one count, LIST(n)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct MLP { int n; Linear *layers; } MLP;

#define PYTREE_STRUCT MLP
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, layers, LIST(self->n, 2))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, layers, LIST(self->n * 2))
#endif
#include "pytree_registry.h"
