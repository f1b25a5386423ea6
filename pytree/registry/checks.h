/* pytree/registry/checks.h: check a registration before anything is made of it, so that the first error of a compiler says what
 * is wrong. Included by pytree_registry.h for each struct, so it has no guard.
 *
 * The checks need what compilers warn of, such as calls in constants. So this is a system header. */
#if defined(PYTREE__S) && defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC system_header

#define PYTREE__LACKS(text, character) __builtin_strchr(text, character) == 0

/* Is the name one word, and is it known as a type? To gcc, f(Linear) is a prototype only if Linear is a type.
 *
 *     enum { pytree__word_000 = __builtin_strchr("Linear", ' ') == 0 && … };             a constant, but not to an assertion
 *     _Static_assert(pytree__word_000, "pytree: Linear is not the name of a type; …");
 *     int pytree__takes_Linear(Linear); */
#define PYTREE__HAS_NAME PYTREE__LACKS(PYTREE__QUOTE(PYTREE__S), ' ') && PYTREE__LACKS(PYTREE__QUOTE(PYTREE__S), ';')      \
    && PYTREE__LACKS(PYTREE__QUOTE(PYTREE__S), '"')
#define PYTREE__LACK(text) PYTREE__WORDS = PYTREE__LACKS(text, ' '), PYTREE__DOTS = PYTREE__LACKS(text, '.')
#if defined(__cplusplus)                  /* where they are constants to an assertion, too */
#define PYTREE__WORD PYTREE__HAS_NAME
#define PYTREE__WORDS PYTREE__LACKS("" PYTREE_FIELDS, ' ')
#define PYTREE__DOTS PYTREE__LACKS("" PYTREE_FIELDS, '.')
#elif defined(PYTREE_DEFINE)
#define PYTREE__WORDS PYTREE__CAT(pytree__words_of_, PYTREE__ID)
#define PYTREE__DOTS PYTREE__CAT(pytree__dots_of_, PYTREE__ID)
#else
#define PYTREE__WORD PYTREE__CAT4(pytree__word_, PYTREE__D2, PYTREE__D1, PYTREE__D0)
#define PYTREE__WORDS PYTREE__CAT4(pytree__words_, PYTREE__D2, PYTREE__D1, PYTREE__D0)
#define PYTREE__DOTS PYTREE__CAT4(pytree__dots_, PYTREE__D2, PYTREE__D1, PYTREE__D0)
enum { PYTREE__WORD = PYTREE__HAS_NAME };
#endif
#if !defined(PYTREE_DEFINE)
PYTREE__ASSERT(PYTREE__WORD, "pytree: " PYTREE__QUOTE(PYTREE__S)
               " is not the name of a type; write one identifier, without quotes, struct or semicolon");
PYTREE__READ_AHEAD                        /* compilers read one word ahead: up to here, not to an error in the next line */
#endif
#if PYTREE__S + 1
#define PYTREE__NAMED
#if !defined(__clang__) && !defined(__cplusplus)
int PYTREE__CAT(pytree__takes_, PYTREE__ID)(PYTREE__S);
PYTREE__ASSERT(!__builtin_types_compatible_p(__typeof__(PYTREE__CAT(pytree__takes_, PYTREE__ID)), int (void)),
               "pytree: " PYTREE__QUOTE(PYTREE__S) ": there is no type of this name above; define the struct before it is "
                   "registered, with typedef struct " PYTREE__QUOTE(PYTREE__S) " " PYTREE__QUOTE(PYTREE__S));
#endif

#if defined(PYTREE_FIELDS)
#undef PYTREE_FIELD
#define PYTREE_FIELD(...)
PYTREE__ASSERT(sizeof(PYTREE__QUOTE_ALL(PYTREE_FIELDS)) == 1, "pytree: " PYTREE__QUOTE(PYTREE__S)
               ": PYTREE_FIELDS has rows, PYTREE_FIELD(...), and nothing between them: no comma, no semicolon, no other word");
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) #kind PYTREE__QUOTE_FIRST(__VA_ARGS__, ~)
#if !defined(__cplusplus)
enum { PYTREE__LACK("" PYTREE_FIELDS) };
#endif
PYTREE__ASSERT(PYTREE__WORDS, "pytree: " PYTREE__QUOTE(PYTREE__S)
               ": a row is PYTREE_FIELD(kind, name, modifiers), with commas between them and without a type");
PYTREE__ASSERT(PYTREE__DOTS, "pytree: " PYTREE__QUOTE(PYTREE__S)
               ": a row names one member of this struct; in place of inner.x register the type of inner, and list inner");
PYTREE__READ_AHEAD
#endif
#endif
#undef PYTREE__LACKS
#undef PYTREE__HAS_NAME
#undef PYTREE__LACK
#undef PYTREE__WORD
#undef PYTREE__WORDS
#undef PYTREE__DOTS
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
