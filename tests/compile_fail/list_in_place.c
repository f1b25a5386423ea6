/* LIST on a struct in place. */
// both: pytree: MLP.head: LIST is for a pointer to registered structs or single values; a fixed array needs no modifier
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct MLP { Linear head; } MLP;

#define PYTREE_STRUCT MLP
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, head, LIST(1))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, head)
#endif
#include "pytree_registry.h"
