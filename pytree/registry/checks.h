/* pytree/registry/checks.h: check a registration before anything is made of it, so that the first error of a compiler says what
 * is wrong. Included by pytree_registry.h for each struct, so it has no guard.
 *
 * It is a system header, so that compilers do not show the macros of its assertions. */
#if defined(PYTREE__S) && defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC system_header

/* Is the name one word, and is it known as a type? To gcc, f(Linear) is a prototype only if Linear is a type.
 *
 *     _Static_assert(<"Linear" lacks ' '> && …, "pytree: Linear is not the name of a type; …");
 *     int pytree__takes_Linear(Linear); */
#if !defined(PYTREE_DEFINE)
PYTREE__CHECK_NAME(PYTREE__QUOTE(PYTREE__S))
PYTREE__READ_AHEAD                        /* compilers read one word ahead: up to here, not to an error in the next line */
#endif
#if PYTREE__S + 1
#define PYTREE__NAMED
#if !defined(__clang__) && !defined(__cplusplus)
PYTREE__CHECK_TYPE(PYTREE__CAT(pytree__takes_, PYTREE__ID), PYTREE__S, PYTREE__QUOTE(PYTREE__S))
#endif

#if defined(PYTREE_FIELDS)
#undef PYTREE_FIELD
#define PYTREE_FIELD(...)
PYTREE__ASSERT(sizeof(PYTREE__QUOTE_ALL(PYTREE_FIELDS)) == 1, "pytree: " PYTREE__QUOTE(PYTREE__S)
               ": PYTREE_FIELDS has rows, PYTREE_FIELD(...), and nothing between them: no comma, no semicolon, no other word");
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) #kind PYTREE__QUOTE_FIRST(__VA_ARGS__, ~)
PYTREE__CHECK_NAMES("" PYTREE_FIELDS, "pytree: " PYTREE__QUOTE(PYTREE__S))
PYTREE__READ_AHEAD
#endif
#endif
#elif defined(PYTREE__S)
#define PYTREE__NAMED
#endif

/* Are all words of all rows known, and is each name one identifier? */
#if defined(PYTREE__NAMED) && defined(PYTREE_FIELDS)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__WORDS_KNOWN(kind, __VA_ARGS__, NONE, NONE, NONE, ~)
#if 1 PYTREE_FIELDS
#define PYTREE__ROWS
#endif
#endif
