/* A role that does not exist.
 *
 * Built-in roles are listed in `pytree/filter.h`, which must be included; PYTREE_ROLE defines further ones. */
// both: pytree_role_Params
// fixed: yes
#include "pytree.h"
#include "pytree/filter.h"

typedef struct Linear { int n; float *w; } Linear;

#ifdef PYTREE_TEST_FIXED
PYTREE_ROLE(Params, Variable);
#endif

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n), ROLE(Params))
#include "pytree_registry.h"
