/* A list of a type that is not registered. */
// both: pytree: MLP.layers: its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE),
// both: or list the field as DROP
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;
typedef struct MLP { int n; Linear *layers; } MLP;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, layers, LIST(self->n))
#include "pytree_registry.h"
