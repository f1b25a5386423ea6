/* A modifier on a STATIC row. */
// both: pytree: Layer.kernel: one of ARRAY, LIST, RANK, STB_ARRAY, STB_MAP, and OPTIONAL, may follow the name of a DATA row;
// both: STATIC and DROP rows take nothing
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
