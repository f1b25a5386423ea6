/* A struct with DATA rows in a STATIC row. */
// both: pytree: MLP.head: a struct with DATA rows cannot be STATIC; write DATA
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
    PYTREE_FIELD(STATIC, head)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, head)
#endif
#include "pytree_registry.h"
