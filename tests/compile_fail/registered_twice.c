/* A struct registered twice.
 *
 * Often the cause is a header without an include guard. Later errors follow from this one. */
// both: pytree: Linear: this type is registered already (an alias of a registered type needs no registration)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

#ifndef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif
