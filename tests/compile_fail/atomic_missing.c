/* An _Atomic number without ATOMIC. Its row says that it is one, because operations read and write it as a plain number.
 * clang's first error is its own. */
// gcc: pytree: Stats.hits: an _Atomic number needs the word ATOMIC behind its name
// clang: illegal initializer type '_Atomic(int)'
// language: c
// fixed: yes
#include "pytree.h"

typedef struct Stats { _Atomic int hits; float rate; } Stats;

#define PYTREE_STRUCT Stats
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, hits)                               \
    PYTREE_FIELD(DATA, rate)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, hits, ATOMIC)                       \
    PYTREE_FIELD(DATA, rate)
#endif
#include "pytree_registry.h"
