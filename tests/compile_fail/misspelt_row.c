/* `PYTREE_FIELD` misspelt. */
// both: pytree: Linear: PYTREE_FIELDS has rows, PYTREE_FIELD(...), and nothing between them: no comma,
// both: no semicolon, no other word
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din, dout; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FEILD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#endif
#include "pytree_registry.h"
