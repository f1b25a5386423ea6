/* EACH in a union. Put the list into a struct, and point to that. */
// both: pytree: Shape.as: CASE layers: an stb_ds container, EACH, AS or WITH cannot be in a union; point to a struct with it
// fixed: yes
#include "pytree.h"

typedef struct Linear { int n; float *w; } Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

typedef struct Shape { int n; union { Linear **layers; int number; } as; } Shape;

#define PYTREE_STRUCT Shape
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DATA, as, UNION(self->n, CASE(2, layers, LIST(2, EACH())), CASE(1, number)))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, n)                                \
    PYTREE_FIELD(DROP, as)
#endif
#include "pytree_registry.h"
