/* A pointer to rows of a table.
 *
 * The number of rows is unknown. Use a pointer to the first number, which has a shape: `ARRAY(n, m)`. */
// both: pytree: Layer.rows: a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values
// fixed: yes
#include "pytree.h"

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
typedef struct Layer { int n; float (*rows)[3]; } Layer;

#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, rows)
#else
typedef struct Layer { int n; float *rows; } Layer;

#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, rows, ARRAY(self->n, 3))
#endif
#include "pytree_registry.h"
