/* A pointer to pointers.
 *
 * The values of a list are consecutive: `Linear *layers`. Make a pointer to pointers a DROP row. */
// both: pytree: MLP.layers: its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE),
// both: or list the field as DROP
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct MLP { int n; Linear **layers; } MLP;

#define PYTREE_STRUCT MLP
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, layers, LIST(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DROP, layers)
#endif
#include "pytree_registry.h"
