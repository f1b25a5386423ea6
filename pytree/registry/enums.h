/* pytree/registry/enums.h: the constants of an enum: PYTREE_ENUM. Included by rows.h. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_ENUMS_H
#define PYTREE_REGISTRY_ENUMS_H

/* Find the element type of an enum, which C does not tell from an integer; PYTREE_NO_DTYPE for what is neither. */
#define PYTREE__INTEGER_DTYPE(T)                                                                                        \
    _Generic(*(T *)0,                                                                                                   \
        signed char: PYTREE_I8, short: PYTREE_I16, int: PYTREE_I32, long: sizeof(long) == 8 ? PYTREE_I64 : PYTREE_I32,  \
        long long: PYTREE_I64, unsigned char: PYTREE_U8, unsigned short: PYTREE_U16, unsigned: PYTREE_U32,              \
        unsigned long: sizeof(long) == 8 ? PYTREE_U64 : PYTREE_U32, unsigned long long: PYTREE_U64,                     \
        default: PYTREE_NO_DTYPE)
/* List a constant:     PYTREE_CONSTANT(MODE_FAST)           =>   { "MODE_FAST", MODE_FAST },
 *                      PYTREE_CONSTANT(MODE_FAST, "fast")   =>   { "fast", MODE_FAST }, */
#define PYTREE_CONSTANT(...) PYTREE__CONSTANT(__VA_ARGS__, PYTREE__FIRST_QUOTED(__VA_ARGS__, ~), ~)
#define PYTREE__CONSTANT(value, name, ...) { name, value },
#define PYTREE__FIRST_QUOTED(a, ...) #a
#if defined(__GNUC__) && !defined(__TINYC__)
#define PYTREE__MAYBE_UNUSED __attribute__((unused))
#else
#define PYTREE__MAYBE_UNUSED
#endif

/* Rows with ENUM(E): a leaf whose type is the enum's. */
#define PYTREE__CHECK_ENUM(code, arguments, optional, in)                                                               \
    _Static_assert((code & PYTREE__CODE_TYPE) == (PYTREE__BUILTIN_CODE(*(PYTREE__THE arguments *)0) & PYTREE__CODE_TYPE) \
                   && ((code & PYTREE__IS_POINTER) == 0 || (code & PYTREE__IS_FIXED) != 0),                             \
                   in " ENUM(E) is for a member of the enum E, or a fixed array of those; this one has another type");  \
    _Static_assert(!optional, in " OPTIONAL is for pointers; a value in the struct itself is never NULL");
#define PYTREE__TABLE_ENUM(code, held, x, arguments, optional, placed)                                                  \
    &PYTREE__CAT(pytree__enum_, PYTREE__THE arguments), PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, 0,          \
    code / PYTREE__IS_FIXED % 2 * (1 + code / PYTREE__IS_TABLE % 2), placed,                                            \
    sizeof(*PYTREE__CHOOSE(code & PYTREE__IS_FIXED, x, &x)), 0
#endif
