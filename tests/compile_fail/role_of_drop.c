/* A role of a DROP row.
 *
 * Roles are for values that are taken out and put back: DATA rows. What is dropped is no part of the tree. */
// both: pytree: Linear.n: one word that says how the value is stored, OPTIONAL and one ROLE may follow the name of a DATA row;
// fixed: yes
#include "pytree.h"
#include "pytree/filter.h"

typedef struct Linear { int n; float w[2]; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(DROP, n, ROLE(Param)) PYTREE_FIELD(DATA, w)
#else
#define PYTREE_FIELDS PYTREE_FIELD(DROP, n) PYTREE_FIELD(DATA, w, ROLE(Param))
#endif
#include "pytree_registry.h"
