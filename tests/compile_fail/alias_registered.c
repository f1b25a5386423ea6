/* A second registration through an alias.
 *
 * A typedef of a registered type is the same type to the compiler. `PYTREE` and fields accept either name. */
// both: pytree: Dense: this type is registered already (an alias of a registered type needs no registration)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef Linear Dense;

#ifndef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Dense
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
#endif
