/* WITH with a member and no value for it. */
// both: pytree: Model.block: WITH takes members of the inner struct, each with its value, WITH(n, self->n)
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
    PYTREE_FIELD(DATA, block, WITH(n))                     \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, block, WITH(n, self->n))            \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
