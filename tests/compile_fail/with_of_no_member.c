/* WITH with a name that is no member of the inner struct. */
// gcc: has no member named
// clang: no member named 'width' in 'struct Block'
// g++: has no member named ‘width’
// clang++: no member named 'width' in 'Block'
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
    PYTREE_FIELD(DATA, block, WITH(width, self->n))        \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, block, WITH(n, self->n))            \
    PYTREE_FIELD(DATA, w, ARRAY(self->n))
#endif
#include "pytree_registry.h"
