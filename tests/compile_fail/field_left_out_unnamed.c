/* A field of a struct without a name left out, where it could be padding. Compilers count them where they optimise. */
// flags: -O1
// both: pytree: Car: a field of a struct without a name is not listed; give it a row, or give the struct a name
// c++: compiles
// fixed: yes
#include "pytree.h"

typedef struct Car { double speed; struct { char gear, doors; int seats; }; } Car;

#define PYTREE_STRUCT Car
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, speed)                              \
    PYTREE_FIELD(STATIC, gear)                             \
    PYTREE_FIELD(STATIC, seats)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, speed)                              \
    PYTREE_FIELD(STATIC, gear)                             \
    PYTREE_FIELD(STATIC, doors)                            \
    PYTREE_FIELD(STATIC, seats)
#endif
#include "pytree_registry.h"
