/* PYTREE_FIELDS missing. */
// both: define PYTREE_FIELDS, a PYTREE_FIELD(…) row for each member
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *w; } Layer;

#define PYTREE_STRUCT Layer
#ifdef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
