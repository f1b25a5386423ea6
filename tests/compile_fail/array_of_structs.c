/* ARRAY on a pointer to structs. */
// both: pytree: MLP.layers: ARRAY is for a pointer to numbers; a fixed array needs no modifier,
// both: a pointer to structs needs LIST(n)
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
    PYTREE_FIELD(DATA, layers, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, layers, LIST(self->n))
#endif
#include "pytree_registry.h"
