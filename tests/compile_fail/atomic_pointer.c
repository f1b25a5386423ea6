/* ATOMIC on a pointer. Only numbers are read as plain ones. */
// both: pytree: Stats.w: ATOMIC is for an _Atomic number in the struct itself; write DROP, or a plain member
// language: c
// fixed: yes
#include "pytree.h"

#ifndef PYTREE_TEST_FIXED
typedef struct Stats { _Atomic int hits; float *_Atomic w; } Stats;
#else
typedef struct Stats { _Atomic int hits; float *w; } Stats;
#endif

#define PYTREE_STRUCT Stats
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, hits, ATOMIC)                       \
    PYTREE_FIELD(DATA, w, ATOMIC)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, hits, ATOMIC)                       \
    PYTREE_FIELD(DATA, w, ARRAY(3))
#endif
#include "pytree_registry.h"
