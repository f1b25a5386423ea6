/* PYTREE_FIELDS missing. */
// both: pytree_registry.h: define PYTREE_FIELDS, one PYTREE_FIELD row for each member of the struct, before including it.
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifdef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
