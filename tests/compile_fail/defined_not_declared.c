/* PYTREE_DEFINE of a struct that was not declared.
 *
 * The form in two steps is for structs that refer to each other: `PYTREE_DECLARE` before the other struct,
 * `PYTREE_DEFINE` after it. */
// both: pytree: Linear: PYTREE_DEFINE is for a type that PYTREE_DECLARE has named before; write PYTREE_STRUCT
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#ifndef PYTREE_TEST_FIXED
#define PYTREE_DEFINE Linear
#else
#define PYTREE_STRUCT Linear
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
