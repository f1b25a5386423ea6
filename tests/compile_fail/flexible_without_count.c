/* FLEXIBLE without an extent. Neither C nor the library knows how many elements `T f[]` has. */
// both: pytree: Vector.at: FLEXIBLE follows ARRAY(n) or LIST(n), which say how many elements T f[] has
// fixed: yes
#include "pytree.h"

typedef struct Vector { int n; float at[]; } Vector;

#define PYTREE_STRUCT Vector
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, FLEXIBLE)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, at, ARRAY(self->n), FLEXIBLE)
#endif
#include "pytree_registry.h"
