/* Two forms of the include at once. */
// both: pytree_registry.h: define one of PYTREE_STRUCT, PYTREE_DECLARE, PYTREE_DEFINE, PYTREE_LEAF_TYPE for an include,
// both: not several.
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#ifndef PYTREE_TEST_FIXED
#define PYTREE_LEAF_TYPE Linear
#endif
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
