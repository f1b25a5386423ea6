/* Two roles in one row.
 *
 * A value has one role. A role with a base serves both: PYTREE_ROLE(Frozen, Param) is taken by filters for either. */
// both: pytree: Linear.w: one word that says how the value is stored, OPTIONAL and one ROLE may follow the name of a DATA row;
// fixed: yes
#include "pytree.h"
#include "pytree/filter.h"

PYTREE_ROLE(Frozen, Param);

typedef struct Linear { int n; float *w; } Linear;

#ifndef PYTREE_TEST_FIXED
#define ROLES ROLE(Param), ROLE(Cache)
#else
#define ROLES ROLE(Frozen)
#endif

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n), ROLES)
#include "pytree_registry.h"
