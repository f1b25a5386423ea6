/* A bit-field without BITS. C does not let the header ask whether a member is a bit-field, so the row says it; the first
 * error is the compiler's own. */
// gcc: attempt to take address of bit-field structure member ‘version’
// clang: cannot compute offset of bit-field 'version'
// g++: attempt to take address of bit-field structure member ‘Packet::version’
// clang++: cannot compute offset of bit-field 'version'
// fixed: yes
#include "pytree.h"

typedef struct Packet { unsigned version : 4; } Packet;

#define PYTREE_STRUCT Packet
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, version)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, version, BITS)
#endif
#include "pytree_registry.h"
