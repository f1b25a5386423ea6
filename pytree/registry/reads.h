/* pytree/registry/reads.h: find out whether a row of a struct reads through pointers, which may be NULL: such a struct is not
 * self-contained. Included by pytree_registry.h for each struct, so it has no guard. To other compilers than gcc and clang a
 * text is no constant: there every struct counts as one that does.
 *
 *     enum { pytree__reads_Linear = 0 | <of "w, ARRAY(self->din, self->dout)"> | <of "b, ARRAY(self->dout)"> };
 *
 * The text of such a row has a [, a * in front of self, or an arrow behind another member than self. Two stars are looked at,
 * and the second, third and fourth arrow: behind the text stand more that are allowed. An array in the struct has a [, too.
 * Compilers warn of calls in constants, so this is a system header. */
#if defined(PYTREE__ROWS) && defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC system_header
#define PYTREE__READS_STATIC(...)
#define PYTREE__READS_DROP(...)
#define PYTREE__READS_DATA(text, name, m1, ...) PYTREE__SECOND_OF(PYTREE__READS_IF_##m1, PYTREE__READS_EXTENTS, ~)(text)
#define PYTREE__READS_IF_NONE ~, PYTREE__READS_NOTHING       /* takes the place of the second argument */
#define PYTREE__READS_NOTHING(text)
#if defined(__cplusplus)
#define PYTREE__READS_EXTENTS(text) | pytree__reads_through(text)
#else
#define PYTREE__READS_EXTENTS(text) PYTREE__READS_TEXT(text "self->self->self->self->", text "**")
#define PYTREE__READS_TEXT(arrows, star)                                                                                \
    | (__builtin_strchr(star, '[') != 0) | (__builtin_strncmp(__builtin_strchr(star, '*'), "*self", 5) == 0)             \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(star, '*') + 1, '*'), "*self", 5) == 0)                      \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') - 5, "self-", 5) != 0)                 \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') + 1, '>') - 5,         \
                         "self-", 5) != 0)                                                                              \
    | (__builtin_strncmp(__builtin_strchr(__builtin_strchr(__builtin_strchr(__builtin_strchr(arrows, '>') + 1, '>') + 1,  \
                                                           '>') + 1, '>') - 5, "self-", 5) != 0)
#endif
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__READS_##kind(#__VA_ARGS__, __VA_ARGS__, NONE, ~)
PYTREE__ENUM { PYTREE__CAT(pytree__reads_, PYTREE__ID) = PYTREE__MORE_ROWS && (0 PYTREE_FIELDS) };
#undef PYTREE__READS_STATIC
#undef PYTREE__READS_DROP
#undef PYTREE__READS_DATA
#undef PYTREE__READS_IF_NONE
#undef PYTREE__READS_NOTHING
#undef PYTREE__READS_EXTENTS
#undef PYTREE__READS_TEXT
#elif defined(PYTREE__ROWS)
PYTREE__ENUM { PYTREE__CAT(pytree__reads_, PYTREE__ID) = PYTREE__MORE_ROWS };
#endif
