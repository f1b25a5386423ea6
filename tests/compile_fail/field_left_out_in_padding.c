/* A field without a row that lies where padding could be.
 *
 * Without `dout` there are four bytes between `din` and `w`, as there would be if the compiler had left them free. gcc and
 * clang count the members, and name the first listed field after each gap: the field lies before one of them. tcc cannot tell;
 * nor can they in a struct with an unnamed struct or a flexible array member (see [rows.md](rows.md#bit-fields)).
 */
// both: pytree: Linear.w: a field before this one is not listed, or too late; give it a row (DATA, STATIC,
// both: or DROP for padding and scratch space)
// fixed: yes
#include "pytree.h"

typedef struct Linear { int din, dout; float *w; } Linear;

#define PYTREE_STRUCT Linear
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(DATA, w, ARRAY(self->din))
#else
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(STATIC, din)                              \
    PYTREE_FIELD(STATIC, dout)                             \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))
#endif
#include "pytree_registry.h"
