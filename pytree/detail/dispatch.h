/* pytree/detail/dispatch.h: how PYTREE finds the type of a value, and how literals count their elements. Included only by
 * pytree.h. */
#if !defined(PYTREE_H)
#include "../../pytree.h"              /* opened alone */
#endif
#ifndef PYTREE_DETAIL_DISPATCH_H
#define PYTREE_DETAIL_DISPATCH_H

#define PYTREE__FIRST(first, ...) first
#define PYTREE__NOT_REGISTERED                                                                                          \
    "its type is not registered; register it before this line (PYTREE_STRUCT, PYTREE_LEAF_TYPE); of an array write "    \
    "PYTREE_ARRAY(p, n)"
#define PYTREE__NOT_ONE                                                                                                 \
    "it is an array, a string or a void *, not a pointer to one value; write PYTREE_ARRAY(p, n) for numbers, "          \
    "PYTREE_STR(text), PYTREE_LIST(PYTREE(&p[0]), ...) for structs, (pytree){ PYTREE_TYPE(char), p } for one char"
#if !defined(__cplusplus)
/* ---- Literals ------------------------------------------------------------------------------------------------------ */

/* The arrays begin with an element that is not counted, so that an empty container has no empty initialiser. */
#if defined(__TINYC__)                    /* tcc 0.9.27 counts an element without braces as two: at most 32 here */
#define PYTREE__SEQUENCE(kind, ...)                                                                                     \
    ((pytree){ &pytree_types[PYTREE__T_##kind], &(pytree_items){                                                        \
        .count = sizeof(#__VA_ARGS__) == 1 ? 0 : PYTREE__ITEMS(__VA_ARGS__),                                            \
        .items = (pytree[1 + PYTREE__ITEMS(__VA_ARGS__)]){ { 0 }, __VA_ARGS__ } + 1 } })
#define PYTREE__DEQUE(most, ...)                                                                                        \
    ((pytree){ &pytree_types[PYTREE__T_deque], &(pytree_items){                                                         \
        .count = PYTREE__ITEMS(__VA_ARGS__) - 1, .maxlen = (most),                                                      \
        .items = (pytree[1 + PYTREE__ITEMS(__VA_ARGS__)]){ { 0 }, __VA_ARGS__ } + 1 } })
#define PYTREE__ITEMS(...)                                                                                              \
    PYTREE__ITEM_32(__VA_ARGS__, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, 14, 13, 12,    \
                    11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define PYTREE__ITEM_32(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v, w, x, y, z, A, B, C, D, E, F, N, \
                        ...) N
#else
#define PYTREE__SEQUENCE(kind, ...)                                                                                     \
    ((pytree){ &pytree_types[PYTREE__T_##kind], &(pytree_items){                                                        \
        .count = sizeof((pytree[]){ { 0 }, __VA_ARGS__ }) / sizeof(pytree) - 1,                                         \
        .items = (pytree[]){ { 0 }, __VA_ARGS__ } + 1 } })
#define PYTREE__DEQUE(most, ...)                                                                                        \
    ((pytree){ &pytree_types[PYTREE__T_deque], &(pytree_items){                                                         \
        .count = sizeof((pytree[]){ { 0 }, __VA_ARGS__ }) / sizeof(pytree) - 1, .maxlen = (most),                       \
        .items = (pytree[]){ { 0 }, __VA_ARGS__ } + 1 } })
#endif
#define PYTREE__KEYED(kind, ...)                                                                                        \
    ((pytree){ &pytree_types[PYTREE__T_##kind], &(pytree_items){                                                        \
        .count = sizeof((pytree_pair[]){ PYTREE__PAIRS(__VA_ARGS__) }) / sizeof(pytree_pair) - 1,                       \
        .pairs = (pytree_pair[]){ PYTREE__PAIRS(__VA_ARGS__) } + 1, .name = PYTREE__FIRST(__VA_ARGS__, 0) } })
#define PYTREE__PAIRS(name, ...) { name, { 0, 0 } }, __VA_ARGS__

/* ---- Types --------------------------------------------------------------------------------------------------------- */

/* Find the descriptor of x by its type. pytree_registry.h puts the registered structs before the built-in types. An
 * unregistered type falls through to `default: (x)`; `->name` then fails to compile with an error that names the type.
 * Where a struct may contain an assertion, a message says so, too. */
#define PYTREE__TYPE_OF(x) ((const pytree_type *)&(PYTREE__USER_TYPE(x))->name)
#define PYTREE__USER_TYPE(x) PYTREE__BUILTIN_TYPE(x)
#define PYTREE__BUILTIN_TYPE(x)                                                                                         \
    _Generic((x), PYTREE__SCALARS(PYTREE__TYPE_CASE) PYTREE__COMPLEX_CASES                                              \
        char *: &pytree_types[PYTREE__T_string], const char *: &pytree_types[PYTREE__T_string],                         \
        pytree_leaf: &pytree_types[PYTREE__T_view], pytree: &pytree_types[PYTREE__T_ref],                               \
        pytree_flat: &pytree_types[PYTREE__T_flat], default: (x))
#if defined(__clang__)                    /* takes a compound literal in an assertion in a struct for one at file scope */
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Wgcc-compat"
static inline int pytree__registered(int yes)
    __attribute__((unused, diagnose_if(!yes, "pytree: PYTREE(p): " PYTREE__NOT_REGISTERED, "error")));
static inline int pytree__one_value(int yes)
    __attribute__((unused, diagnose_if(!yes, "pytree: PYTREE(p): " PYTREE__NOT_ONE, "error")));
#pragma clang diagnostic pop
static inline int pytree__registered(int yes) { return yes; }
static inline int pytree__one_value(int yes) { return yes; }
#define PYTREE__REGISTERED(x, in) sizeof(pytree__registered(PYTREE__IS_REGISTERED(x)))
#define PYTREE__ONE_VALUE(p, in) sizeof(pytree__one_value(PYTREE__IS_ONE(p)))
#elif defined(__TINYC__) || !defined(__GNUC__)
#define PYTREE__REGISTERED(x, in) 0
#define PYTREE__ONE_VALUE(p, in) 0
#else
#define PYTREE__REGISTERED(x, in)                                                                                       \
    sizeof(struct { char c; _Static_assert(PYTREE__IS_REGISTERED(x), in PYTREE__NOT_REGISTERED); })
#define PYTREE__ONE_VALUE(p, in) sizeof(struct { char c; _Static_assert(PYTREE__IS_ONE(p), in PYTREE__NOT_ONE); })
#endif
/* Tell whether p points to one value: neither to a char nor to void, and it is no array, which as an operand is a pointer. */
#define PYTREE__IS_ONE(p)                                                                                               \
    _Generic(p, char *: 0, const char *: 0, void *: 0, const void *: 0,                                                 \
        default: __builtin_types_compatible_p(__typeof__(p), __typeof__(1 ? p : p)))
#define PYTREE__IS_REGISTERED(x) _Generic((PYTREE__USER_TYPE(x)), const pytree_type *: 1, default: 0)
#define PYTREE__TYPE_CASE(id, T) T: &pytree_types[PYTREE__T_##id],
#if defined(__STDC_NO_COMPLEX__) || defined(__TINYC__) || defined(__cplusplus)
#define PYTREE__COMPLEX_CASES
#else
#define PYTREE__COMPLEX_CASES                                                                                           \
    float _Complex: &pytree_types[PYTREE__T_cfloat], double _Complex: &pytree_types[PYTREE__T_cdouble],                 \
    long double _Complex: &pytree_types[PYTREE__T_cldouble],
#endif

#endif
#endif
