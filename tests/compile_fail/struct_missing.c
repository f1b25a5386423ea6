/* PYTREE_STRUCT missing. */
// both: define PYTREE_STRUCT
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *w; } Layer;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Layer
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
