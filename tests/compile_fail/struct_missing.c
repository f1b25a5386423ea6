/* PYTREE_STRUCT missing.
 *
 * The include undefines its parameters, so each registration needs its own `PYTREE_STRUCT` and `PYTREE_FIELDS`. */
// both: pytree_registry.h: define PYTREE_STRUCT (the type's name, a struct or a typedef) before including it.
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Linear
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
