/* WITH on a pointer to numbers, which has no members. */
// both: pytree: Model: WITH is for registered structs with DATA rows, and lists of those
// fixed: yes
#include "pytree.h"

typedef struct Block { int n; float *w; } Block;

#define PYTREE_STRUCT Block
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Model { int n; Block block; float *w; } Model;

#define PYTREE_STRUCT Model
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, block)                              \
    PYTREE_FIELD(DATA, w, WITH(n, self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, block, WITH(n, self->n))            \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
