/* A field in front of a flexible array member left out, where it could be padding. The first error is the compiler's own. */
// gcc: empty scalar initializer
// clang: scalar initializer cannot be empty
// both: pytree: Message.at: a field before this one is not listed
// g++: compiles
// clang++: pytree: Message.at: a field before this one is not listed
// fixed: yes
#include "pytree.h"

typedef struct Message { int length, kind; double at[]; } Message;

#define PYTREE_STRUCT Message
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, length)                           \
    PYTREE_FIELD(DATA, at, ARRAY(self->length), FLEXIBLE)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, length)                           \
    PYTREE_FIELD(STATIC, kind)                             \
    PYTREE_FIELD(DATA, at, ARRAY(self->length), FLEXIBLE)
#endif
#include "pytree_registry.h"
