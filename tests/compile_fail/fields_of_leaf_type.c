/* PYTREE_FIELDS of a leaf type. Nothing looks into a leaf: a struct with rows is a node, and PYTREE_STRUCT registers it. */
// both: pytree_registry.h: PYTREE_FIELDS goes with PYTREE_STRUCT or PYTREE_DEFINE: declared types and leaf types have no rows.
// fixed: yes
#include "pytree.h"

typedef struct Handle { int n; float *w; } Handle;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Handle
#else
#define PYTREE_LEAF_TYPE Handle
#endif
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"
