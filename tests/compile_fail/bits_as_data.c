/* A bit-field as a leaf. A leaf is a view of memory, and a bit-field has no address that a view could hold. As a STATIC row its
 * number is part of the structure; to make it a leaf, give the member no width. */
// both: pytree: Packet.version: a leaf has an address and a bit-field has none; write STATIC or DROP,
// both: or make it a member without a width
// fixed: yes
#include "pytree.h"

typedef struct Packet { unsigned version : 4; } Packet;

#define PYTREE_STRUCT Packet
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, version, BITS)
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, version, BITS)
#endif
#include "pytree_registry.h"
