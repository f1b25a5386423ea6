/* pytree/registry/reads.h: find out whether a row of a struct may read through pointers, which may be NULL: such a struct is
 * not self-contained. gcc and clang take a text for a constant: there pytree_registry.h includes this file for each struct
 * whose rows are statements, so it has no guard. Elsewhere the library finds out.
 *
 *     enum { pytree__reads_Linear = 0 | <of "w, ARRAY(self->din, self->dout)"> | <of "b, ARRAY(self->dout)"> };
 *
 * In C `self` is () here, and macros of the program are expanded: ARRAY(()->din, ()->dout). The text of such a row has a [, a
 * star in front of self or of a parenthesis, or an arrow behind something else than self. Two stars are looked at, and the
 * second, third and fourth arrow: behind the text stand more that are allowed. An array in the struct has a [, a product a *,
 * and a comparison a >, too: codes.h tells them apart. Compilers warn of calls in constants, so this is a system header. */
#if defined(PYTREE__ROWS)
#pragma GCC system_header
#define PYTREE__READS_STATIC(...)
#define PYTREE__READS_DROP(...)
#define PYTREE__READS_DATA(name, m1, ...) PYTREE__SECOND_OF(PYTREE__READS_IF_##m1, PYTREE__READS_EXTENTS, ~)(m1, __VA_ARGS__)
#define PYTREE__READS_IF_NONE ~, PYTREE__READS_NOTHING       /* takes the place of the second argument */
#define PYTREE__READS_NOTHING(...)
#if defined(__cplusplus)
#define PYTREE__READS_EXTENTS(...) | pytree__reads_through(#__VA_ARGS__)
#else
#define PYTREE__READS_EXTENTS(...) PYTREE__READS_TEXT(#__VA_ARGS__ "()->()->()->()->", #__VA_ARGS__ "**")
#define PYTREE__READS_TEXT(arrows, star)                                                                                \
    | (__builtin_strchr(star, '.') != 0) * PYTREE__READS_FAR                                                            \
    | (int)PYTREE__READS_UNKNOWN * ((__builtin_strncmp(__builtin_strchr(star, '*'), "**", 3) != 0)                      \
    | (__builtin_strlen(__builtin_strchr(__builtin_strchr(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') + 1,   \
                                                          '>') + 1, '>')) > sizeof(">()->()->()->") - 1))               \
    | (int)PYTREE__READS_NEAR * ((__builtin_strchr(star, '[') != 0)                                                     \
    | (__builtin_strncmp(__builtin_strchr(star, '*'), "*(", 2) == 0)                                                    \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(star, '*') + 1, '*'), "*(", 2) == 0))                        \
    | (int)PYTREE__READS_BOTH *                                                                                         \
    ((__builtin_strncmp(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') - 3, "()-", 3) != 0)                   \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') + 1, '>') - 3,         \
                         "()-", 3) != 0)                                                                                \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') + 1,  \
                                                           '>') + 1, '>') - 3, "()-", 3) != 0))
#endif
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__READS_##kind(__VA_ARGS__, NONE, ~)
#pragma push_macro("self")
#pragma push_macro("PYTREE_TYPE")
#undef PYTREE_TYPE
#if !defined(__cplusplus)
#undef self
#define self ()
#endif
PYTREE__ENUM { PYTREE__CAT(pytree__reads_, PYTREE__ID) = PYTREE__MORE_ROWS * (0 PYTREE_FIELDS) };
#pragma pop_macro("self")
#pragma pop_macro("PYTREE_TYPE")
#undef PYTREE__READS_STATIC
#undef PYTREE__READS_DROP
#undef PYTREE__READS_DATA
#undef PYTREE__READS_IF_NONE
#undef PYTREE__READS_NOTHING
#undef PYTREE__READS_EXTENTS
#undef PYTREE__READS_TEXT
#endif
