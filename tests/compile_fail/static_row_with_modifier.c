/* A modifier on a STATIC row. */
// both: pytree: Layer.kernel: one word that says how the value is stored, OPTIONAL and one ROLE may
// both: follow the name of a DATA row; few or none may follow that of a STATIC or DROP row (docs/rows.md)
// fixed: yes
#include "pytree.h"

typedef struct Layer { int kernel[2]; } Layer;

#define PYTREE_STRUCT Layer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kernel, ARRAY(2))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kernel)
#endif
#include "pytree_registry.h"
