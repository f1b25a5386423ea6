/* EACH() for pointers to numbers, of which nothing says how many there are. */
// both: pytree: MLP.rows: EACH: a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct MLP { int n; float **rows; } MLP;

#define PYTREE_STRUCT MLP
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, rows, LIST(self->n, EACH()))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(3))))
#endif
#include "pytree_registry.h"
