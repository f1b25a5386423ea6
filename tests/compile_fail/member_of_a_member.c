/* A row for a member of a member.
 *
 * Rows are those of one struct. A struct inside it has rows of its own; the paths of its leaves are C's, `.inner.x`. */
// both: pytree: Outer: a row names one member of this struct; in place of inner.x register the type of inner, and list inner
// fixed: yes
#include "pytree.h"

typedef struct Inner { float x, y; } Inner;
typedef struct Outer { Inner inner; float *w; } Outer;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Inner
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT Outer
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, inner.x)                            \
    PYTREE_FIELD(DATA, inner.y)                            \
    PYTREE_FIELD(DATA, w, ARRAY(2))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, inner)                              \
    PYTREE_FIELD(DATA, w, ARRAY(2))
#endif
#include "pytree_registry.h"
