/* pytree/registry/with.h: the rows of structs whose static members have values that the struct around them gives. Included by
 * pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_WITH_H
#define PYTREE_REGISTRY_WITH_H

/* WITH(member, value, …) names members of the inner struct.
 *
 *     PYTREE_FIELD(DATA, blocks, LIST(self->n, WITH(width, self->width)))   =>
 *     static inline const char *pytree__with_pytree__code_Model__blocks(const void *pytree__at, void *pytree__given,
 *                                                                       bool pytree__fill)
 *     {
 *         const Model *self = (const Model *)pytree__at;
 *         Block *pytree__inner = pytree__given;
 *         if (pytree__fill && pytree__inner->width == 0) { pytree__inner->width = (int)(self->width); }
 *         if (!(pytree__inner->width == (int)(self->width))) { return "width"; }
 *         return NULL;
 *     } */
#define PYTREE__MEMBERS_WITH(code, seen, held, x, arguments, optional, s)                                               \
    PYTREE__MEMBERS_LIST(code, seen, held, x, arguments, optional, s)                                                   \
    PYTREE__WITH_FUNCTION(code, x, s, PYTREE__OF_WITH arguments)
#define PYTREE__MEMBERS_LIST_WITH_(code, seen, held, x, arguments, optional, s)                                          \
    PYTREE__MEMBERS_LIST(code, seen, held, x, arguments, optional, s)                                                   \
    PYTREE__WITH_FUNCTION(code, x, s, PYTREE__WITH_OF arguments)
#define PYTREE__OF_WITH(...) __VA_ARGS__
#define PYTREE__WITH_OF(n, with) PYTREE__OF_##with
#define PYTREE__WITH_FUNCTION(code, x, s, ...)                                                                          \
    PYTREE__ASSERT((code & PYTREE__HAS_DATA) != 0,         /* here, before the compiler misses the inner struct's members */ \
                   "pytree: " PYTREE__QUOTE(s) ": WITH is for registered structs with DATA rows, and lists of those");  \
    static inline const char *pytree__with_##code(const void *pytree__at, void *pytree__given, bool pytree__fill)       \
    {                                                                                                                   \
        const s *self = (const s *)pytree__at;                                                                          \
        typedef __typeof__(PYTREE__INNER((code & PYTREE__POINTER_OR_FIXED) != 0, x)) pytree__type;                      \
        pytree__type *pytree__inner = (pytree__type *)pytree__given;                                                    \
        (void)self; (void)pytree__fill; (void)pytree__inner;                                                            \
        PYTREE__WITH_PAIRS(__VA_ARGS__)                                                                                 \
        return NULL;                                                                                                    \
    }
#define PYTREE__WITH_PAIRS(...)                                                                                         \
    PYTREE__WITH_PAIRS_N(PYTREE__COUNT_ARGUMENTS(__VA_ARGS__), __VA_ARGS__)
#define PYTREE__WITH_PAIRS_N(n, ...) PYTREE__WITH_PAIRS_N_(n, __VA_ARGS__)
#define PYTREE__WITH_PAIRS_N_(n, ...) PYTREE__WITH_##n(__VA_ARGS__)
#define PYTREE__WITH_2(member, value)                                                                                   \
    if (pytree__fill && pytree__inner->member == 0) { pytree__inner->member = (__typeof__(pytree__inner->member))(value); }\
    if (!(pytree__inner->member == (__typeof__(pytree__inner->member))(value))) { return #member; }
#define PYTREE__WITH_4(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_2(__VA_ARGS__)
#define PYTREE__WITH_6(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_4(__VA_ARGS__)
#define PYTREE__WITH_8(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_6(__VA_ARGS__)
#define PYTREE__WITH_10(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_8(__VA_ARGS__)
#define PYTREE__WITH_12(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_10(__VA_ARGS__)
#define PYTREE__WITH_14(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_12(__VA_ARGS__)
#define PYTREE__WITH_16(member, value, ...) PYTREE__WITH_2(member, value) PYTREE__WITH_14(__VA_ARGS__)
#define PYTREE__WITH_1(...)
#define PYTREE__WITH_3(...)
#define PYTREE__WITH_5(...)
#define PYTREE__WITH_7(...)
#define PYTREE__WITH_9(...)
#define PYTREE__WITH_11(...)
#define PYTREE__WITH_13(...)
#define PYTREE__WITH_15(...)

#define PYTREE__CHECK_PLACE_WITH PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_LIST_WITH_ PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_WITH(code, arguments, optional, in)                                                               \
    PYTREE__CHECK_GIVEN(code, in, PYTREE__COUNT_ARGUMENTS arguments)                                                    \
    PYTREE__CHECK_PLAIN(code, arguments, optional, in)
#define PYTREE__CHECK_LIST_WITH_(code, arguments, optional, in)                                                          \
    PYTREE__CHECK_GIVEN(code, in, PYTREE__COUNT_GIVEN(PYTREE__WITH_OF arguments))                                       \
    PYTREE__CHECK_LIST(code, (PYTREE__COUNT_OF arguments), optional, in)
#define PYTREE__COUNT_GIVEN(...) PYTREE__COUNT_ARGUMENTS(__VA_ARGS__)
#define PYTREE__CHECK_GIVEN(code, in, n)                                                                                \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, in " WITH" PYTREE__TOO_SMALL);                                                    \
    PYTREE__ASSERT((n) % 2 == 0, in " WITH takes members of the inner struct, each with its value, WITH(n, self->n)");

#define PYTREE__PLACED_WITH PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_LIST_WITH_ PYTREE__PLACED_LIST
#define PYTREE__TABLE_WITH(code, held, x, arguments, optional, placed)                                                  \
    PYTREE__TABLE_VALUE(PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OF(code)), code, x, optional, placed),                 \
    PYTREE__FUNCTION(with, pytree__with_##code)
#define PYTREE__TABLE_LIST_WITH_(code, held, x, arguments, optional, placed)                                             \
    PYTREE__TABLE_ITEMS(PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OF(code)), x, optional, placed),                       \
    PYTREE__FUNCTION(with, pytree__with_##code)

#define PYTREE__VIEW_WITH(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_WITH(name, arguments))
#define PYTREE__VIEW_LIST_WITH_(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_LIST_WITH_(name, arguments))
#define PYTREE__SIZES_WITH(name, arguments)
#define PYTREE__SIZES_LIST_WITH_(name, arguments) PYTREE__SIZE(PYTREE__COUNT_OF arguments),
#define PYTREE__VALID_WITH(code, name, optional, arguments)    /* a struct that has one is not self-contained */
#define PYTREE__VALID_LIST_WITH_(code, name, optional, arguments)
#define PYTREE__STORED_WITH(code, name, optional, arguments)
#define PYTREE__STORED_LIST_WITH_(code, name, optional, arguments)
#endif
