/* A role of a STATIC row.
 *
 * Roles are for values that are taken out and put back: DATA rows. Static values are part of the structure. */
// both: pytree: Linear.n: one word that says how the value is stored, OPTIONAL and one ROLE may follow the name of a DATA row;
// fixed: yes
#include "pytree.h"
#include "pytree/filter.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n, ROLE(Param)) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#else
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n), ROLE(Param))
#endif
#include "pytree_registry.h"
