/* pytree/registry/atomic.h: the rows of atomic numbers, which are read and written as plain ones. Included by
 * pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_ATOMIC_H
#define PYTREE_REGISTRY_ATOMIC_H

#include "codes.h"

/* Compilers differ in what is left of _Atomic where the type of a member is asked for; of its value nothing is.
 *
 *     PYTREE_FIELD(DATA, hits, ATOMIC)   =>
 *     enum { pytree__code_Stats__hits = sizeof(((Stats *)0)->hits) == sizeof(((void)0, ((Stats *)0)->hits)) ? … : 0 }; */
#define PYTREE__MEMBERS_ATOMIC(code, seen, held, x, arguments, optional, s)                                             \
    PYTREE__ENUM { code = PYTREE__ATOMIC_CODE(x) };
#define PYTREE__CHECK_ATOMIC(code, arguments, optional, in)                                                             \
    PYTREE__ASSERT((code & PYTREE__KNOWN) != 0 && (code & PYTREE__HELD) == 0 && !optional,                              \
                   in " ATOMIC is for an _Atomic number in the struct itself; write DROP, or a plain member");
#define PYTREE__FUNCTIONS_OF(code) (!PYTREE__MORE_ROWS || (code & PYTREE__IS_CONST) == 0 ? NULL : &pytree__const_row)
#define PYTREE__NO_ATOMIC(code) (code & PYTREE__IS_ATOMIC) == 0
#define PYTREE__CHECK_NOT_ATOMIC(code, in)                                                                              \
    PYTREE__ASSERT(PYTREE__NO_ATOMIC(code), in " an _Atomic number needs the word ATOMIC behind its name");
#define PYTREE__CHECK_PLACE_ATOMIC PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_STATIC_ATOMIC(id, s, name)                                                                        \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##__##name, pytree__complete_##id, pytree__any_##id.name,                      \
                         PYTREE__QUOTE_(pytree: s.name:))                                                               \
    PYTREE__MEMBERS_ATOMIC(pytree__code_##id##__##name, , , pytree__any_##id.name, , , s)                               \
    PYTREE__CHECK_ATOMIC(pytree__code_##id##__##name, , 0, PYTREE__QUOTE_(pytree: s.name:))
#define PYTREE__CHECK_DROP_ATOMIC PYTREE__CHECK_DROP_PLAIN

#define PYTREE__PLACED_ATOMIC PYTREE__PLACED_PLAIN
#define PYTREE__TABLE_ATOMIC(code, held, x, arguments, optional, placed)                                                \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, 0, 0, placed, sizeof(x), 0
#define PYTREE__TABLE_STATIC_ATOMIC(id, s, name)                                                                        \
    { #name, PYTREE__BUILTIN_OF(pytree__code_##id##__##name), PYTREE_ROW_STATIC, PYTREE_IN_PLACE,                       \
        PYTREE__PACK(pytree__code_##id##__##name), 0, 0, PYTREE__PLACED(id, s, name), sizeof(pytree__any_##id.name), 0, NULL },
#define PYTREE__TABLE_DROP_ATOMIC PYTREE__TABLE_DROP_PLAIN
#define PYTREE__CODES_STATIC_ATOMIC PYTREE__CODES_STATIC_NONE
#define PYTREE__CODES_DROP_ATOMIC(id, s, name, ...) | PYTREE__REACHES PYTREE__MANY_DROPPED(pytree__any_##id.name)

#define PYTREE__STATIC_ATOMIC(name) pytree__row++;
#define PYTREE__VIEW_ATOMIC(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_ATOMIC(name, arguments))
#define PYTREE__SIZES_ATOMIC(name, arguments)
#define PYTREE__VALID_ATOMIC(code, name, optional, arguments)
#define PYTREE__STORED_ATOMIC PYTREE__STORED_RANK
#define PYTREE__IN_CASE_ATOMIC 1
#define PYTREE__CASE_EXTENTS_ATOMIC(x, arguments)
#endif
