/* PYTREE of a type that is not registered. */
// both: x
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *w; } Layer;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif

pytree tree_of(Layer *layer);
pytree tree_of(Layer *layer) { return PYTREE(layer); }
