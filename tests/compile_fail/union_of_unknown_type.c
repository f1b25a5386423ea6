/* A CASE whose member is of a type that is not registered. The message names the CASE. */
// both: pytree: Shape.as: CASE circle: its type is not registered; register it before this struct
// fixed: yes
#include "pytree.h"

typedef struct Circle { float radius; } Circle;
typedef struct Shape { int kind; union { Circle circle; int number; } as; } Shape;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Circle
#define PYTREE_FIELDS PYTREE_FIELD(DATA, radius)
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT Shape
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(1, circle), CASE(2, number)))
#include "pytree_registry.h"
