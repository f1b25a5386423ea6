/* Two forms of the include at once. */
// both: define one of PYTREE_STRUCT
// fixed: yes
#include "pytree.h"

typedef struct Layer { int n; float *w; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_DECLARE Layer
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
