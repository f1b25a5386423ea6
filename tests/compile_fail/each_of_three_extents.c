/* EACH(ARRAY(n, m, k)): an element has two dimensions at most. */
// both: pytree: MLP.rows: EACH takes what one element needs: nothing, ARRAY(m), ARRAY(m, k) or LIST(m), and OPTIONAL
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
    PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(2, 3, 4))))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(2, 12))))
#endif
#include "pytree_registry.h"
