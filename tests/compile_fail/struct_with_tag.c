/* `struct` before the name.
 *
 * The name must be one identifier, because other names are made from it. Give the struct a typedef. */
// both: pytree: struct Linear is not the name of a type; write one identifier, without quotes, struct or semicolon
// fixed: yes
#include "pytree.h"

struct Linear { int n; float *w; };

#ifndef PYTREE_TEST_FIXED
#define PYTREE_STRUCT struct Linear
#else
typedef struct Linear Linear;
#define PYTREE_STRUCT Linear
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
