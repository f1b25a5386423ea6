/* pytree/registry/enums.h: the constants of an enum: PYTREE_ENUM. Included by rows.h. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_ENUMS_H
#define PYTREE_REGISTRY_ENUMS_H

/* List a constant:     PYTREE_CONSTANT(MODE_FAST)           =>   { "MODE_FAST", MODE_FAST },
 *                      PYTREE_CONSTANT(MODE_FAST, "fast")   =>   { "fast", MODE_FAST }, */
#define PYTREE_CONSTANT(...) PYTREE__CONSTANT(__VA_ARGS__, PYTREE__FIRST_QUOTED(__VA_ARGS__, ~), ~)
#define PYTREE__CONSTANT(value, name, ...) { name, (int64_t)(value) },
#define PYTREE__FIRST_QUOTED(a, ...) #a
#if defined(__GNUC__) && !defined(__TINYC__)
#define PYTREE__MAYBE_UNUSED __attribute__((unused))
#else
#define PYTREE__MAYBE_UNUSED
#endif

/* Rows with ENUM(E): a leaf whose type is the enum's. */
#define PYTREE__CHECK_ENUM(code, arguments, optional, in)                                                               \
    PYTREE__ASSERT((code & PYTREE__CODE_TYPE) == (PYTREE__BUILTIN_CODE(*(PYTREE__THE arguments *)0) & PYTREE__CODE_TYPE) \
                   && ((code & PYTREE__IS_POINTER) == 0 || (code & PYTREE__IS_FIXED) != 0),                             \
                   in " ENUM(E) is for a member of the enum E, or a fixed array of those; this one has another type");  \
    PYTREE__ASSERT(!optional, in " OPTIONAL is for pointers; a value in the struct itself is never NULL");
#define PYTREE__TABLE_ENUM(code, held, x, arguments, optional, placed)                                                  \
    &PYTREE__CAT(pytree__enum_, PYTREE__THE arguments), PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, 0,          \
    PYTREE__NDIM(code), placed,                                                                                         \
    sizeof(PYTREE__INNER(code & PYTREE__IS_FIXED, x)), PYTREE__FUNCTIONS_OF(code)
#endif
