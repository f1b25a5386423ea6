/* pytree/registry/words.h: the words of a row: its kind and its modifiers. Included by rows.h. */
#ifndef PYTREE_REGISTRY_WORDS_H
#define PYTREE_REGISTRY_WORDS_H

/* Assert. It is here because pytree_registry.h includes this header itself: so gcc prints few lines above the words. */
#if defined(__cplusplus)
#define PYTREE__ASSERT static_assert
#else
#define PYTREE__ASSERT _Static_assert
#endif

/* Does a string lack a character? gcc takes the length of a string for a constant, but no comparison of pointers: the rest
 * from the character on is as long as the one that is added, unless there is one before. */
#if defined(__cplusplus)
#define PYTREE__LACKS(text, character, added) __builtin_strchr(text, character) == nullptr
#else
#define PYTREE__LACKS(text, character, added)                                                                           \
    __builtin_choose_expr(__builtin_strlen(__builtin_strchr(text added, character)) == 1, 1, 0)
#endif
/* Check the name of a type, a string; that it is one, by its prototype; the kinds and names of all rows, one string. */
#define PYTREE__CHECK_NAME(text)                                                                                        \
    PYTREE__ASSERT(PYTREE__LACKS(text, ' ', " ") && PYTREE__LACKS(text, ';', ";") && PYTREE__LACKS(text, '"', "\""),    \
                   "pytree: " text " is not the name of a type; write one identifier, without quotes, struct or semicolon");
#define PYTREE__CHECK_TYPE(takes, s, text)                                                                              \
    int takes(s);                                                                                                       \
    PYTREE__ASSERT(!__builtin_types_compatible_p(__typeof__(takes), int (void)),                                        \
                   "pytree: " text ": there is no type of this name above; define the struct before it is registered, with " \
                       "typedef struct " text " " text);
#define PYTREE__CHECK_NAMES(text, in)                                                                                    \
    PYTREE__ASSERT(PYTREE__LACKS(text, ' ', " "),                                                                       \
                   in ": a row is PYTREE_FIELD(kind, name, modifiers), with commas between them and without a type");   \
    PYTREE__ASSERT(PYTREE__LACKS(text, '.', "."),                                                                       \
                   in ": a row names one member of this struct; in place of inner.x register the type of inner, and list " \
                      "inner");

/* ---- Rows -----------------------------------------------------------------------------------------------------------
 *
 * PYTREE_FIELD(kind, name, modifiers…) is defined anew for each pass over the rows; the kind chooses the pass's macro. Those
 * of DATA rows find how the value is stored by PYTREE__STORE: 0, of which OPTIONAL and FLEXIBLE make more, a word, what stands
 * in it, and again what OPTIONAL and FLEXIBLE add. A row needs few macros, since each that is expanded takes compilers time.
 *
 *     OPTIONAL, ARRAY(n, m)  =>  0 | 1, ARRAY, (n, m), , …          ARRAY(n), FLEXIBLE  =>  0, ARRAY, (n), | 2, …
 *     NONE                   =>  0, PLAIN, (), , …
 *
 * A new modifier is one line in each list. A row with a word that is not known is found in an #if; the checks of
 * words then say which, and there are no other passes. */
#if defined(PYTREE_SMALL) && !defined(PYTREE_MORE_ROWS)
#define PYTREE__BEHIND_NAME(text)
#else                                     /* what a row was written as: pytree/impl/row_text.h looks at it */
#define PYTREE__BEHIND_NAME(text) "\0" text
#endif
#define PYTREE__KIND_DATA ~, PYTREE__FITS_DATA
#define PYTREE__KIND_STATIC ~, PYTREE__FITS_STATIC
#define PYTREE__KIND_DROP ~, PYTREE__FITS_DROP

/* 16: says how the value of a DATA row is stored, of which there can be one; 1: may be the word of a STATIC row; 2: of a DROP
 * row; 4: OPTIONAL; 1040: what FLEXIBLE may follow, so that the two are 28; 128: a ROLE; 512: AS of something else;
 * PYTREE__NO_WORD: not known, or what stands in it is not. */
#define PYTREE__NO_WORD 65536
#define PYTREE__WORD_NONE ~, 3
#define PYTREE__WORD_OPTIONAL ~, 4
#define PYTREE__WORD_FLEXIBLE ~, -1012
#define PYTREE__WORD_ARRAY(...) ~, 1040
#define PYTREE__WORD_LIST(...) ~, PYTREE__WORDS_IN_LIST(__VA_ARGS__, NONE, ~)
#define PYTREE__WORD_RANK(...) ~, PYTREE__16_IF(__VA_ARGS__ + 0 > 0)
#define PYTREE__WORD_STB_ARRAY ~, 16
#define PYTREE__WORD_STB_MAP ~, 16
#define PYTREE__WORD_UNION(...) \
    ~, PYTREE__16_IF(1 PYTREE__CASES(PYTREE__WORDS_IN_CASE, ~, ~, ~, ~, PYTREE__CASES_OF(__VA_ARGS__)))
#define PYTREE__WORD_STRING ~, 17
#define PYTREE__WORD_BITS ~, 19
#define PYTREE__WORD_ROLE(...) ~, 128
#define PYTREE__WORD_ENUM(...) ~, 16
#define PYTREE__WORD_EACH(...) ~, PYTREE__16_IF(PYTREE__WORDS_IN_EACH(__VA_ARGS__, NONE, NONE, ~))
#define PYTREE__WORD_AS(...) ~, PYTREE__WORDS_IN_AS(__VA_ARGS__, NONE, ~)
#define PYTREE__WORD_WITH(...) ~, 16
#define PYTREE__WORD_ATOMIC ~, 19
#define PYTREE__WORD_HANDLE(...) ~, 34
#define PYTREE__16_IF(known) ((known) ? 16 : PYTREE__NO_WORD)

/* Words that stand in EACH, and in CASE: 0 if one of them does not; in AS: 512, which has a message of its own. */
#define PYTREE__WORDS_IN_AS(type, second, ...) (512 - 496 * PYTREE__IS(PYTREE__IN_AS_##second))
#define PYTREE__IN_AS_NONE ~, 1
#define PYTREE__IN_AS_ARRAY(...) ~, (PYTREE__COUNT_ARGUMENTS(__VA_ARGS__) <= PYTREE_MAX_DIMS)
#define PYTREE__WORDS_IN_LIST(n, second, ...) (PYTREE__IS(PYTREE__IN_LIST_##second, 1) ? 1040 : PYTREE__NO_WORD)
#define PYTREE__IN_LIST_EACH(...) ~, PYTREE__WORDS_IN_EACH(__VA_ARGS__, NONE, NONE, ~)
#define PYTREE__WORDS_IN_EACH(m1, m2, ...) (PYTREE__IS(PYTREE__IN_EACH_##m1) && PYTREE__IS(PYTREE__IN_EACH_##m2))
#define PYTREE__IN_EACH_ ~, 1
#define PYTREE__IN_EACH_NONE ~, 1
#define PYTREE__IN_EACH_OPTIONAL ~, 1
#define PYTREE__IN_EACH_ARRAY(...) ~, 1
#define PYTREE__IN_EACH_LIST(...) ~, PYTREE__COUNT_ARGUMENTS(__VA_ARGS__) == 1
#define PYTREE__WORDS_IN_CASE(...) PYTREE__WORDS_IN_CASE_(__VA_ARGS__)
#define PYTREE__WORDS_IN_CASE_(n, a, b, c, d, value, member, m1, m2, ...)                                                  \
    * (PYTREE__IS(PYTREE__WORD_IN_CASE_##m1) && PYTREE__IS(PYTREE__WORD_IN_CASE_##m2))
#define PYTREE__WORD_IN_CASE_NONE ~, 1
#define PYTREE__WORD_IN_CASE_OPTIONAL ~, 1
#define PYTREE__WORD_IN_CASE_ARRAY(...) ~, 1
#define PYTREE__WORD_IN_CASE_LIST(...) ~, 1
#define PYTREE__WORD_IN_CASE_RANK(...) ~, 1
#define PYTREE__WORD_IN_CASE_STRING ~, 1
#define PYTREE__WORD_IN_CASE_ROLE(...) ~, 1
#define PYTREE__WORD_IN_CASE_ENUM(...) ~, 1
#define PYTREE__WORD_IN_CASE_ATOMIC ~, 1
#define PYTREE__WORD_IN_CASE_STB_ARRAY ~, 1    /* these are refused later, in other words */
#define PYTREE__WORD_IN_CASE_STB_MAP ~, 1
#define PYTREE__WORD_IN_CASE_EACH(...) ~, 1
#define PYTREE__WORD_IN_CASE_AS(...) ~, 1
#define PYTREE__WORD_IN_CASE_WITH(...) ~, 1

#define PYTREE__STORE_NONE
#define PYTREE__STORE_OPTIONAL | 1
#define PYTREE__STORE_FLEXIBLE | 2
#define PYTREE__STORE_ARRAY(...) , ARRAY, (__VA_ARGS__),
#define PYTREE__STORE_LIST(...) , PYTREE__LIST_OR_LISTS_(__VA_ARGS__, NONE, ~), (__VA_ARGS__),
#define PYTREE__STORE_RANK(...) , RANK, (__VA_ARGS__),
#define PYTREE__STORE_STB_ARRAY , STB_ARRAY, (),
#define PYTREE__STORE_STB_MAP , STB_MAP, (),
#define PYTREE__STORE_STRING , STRING, (),
#define PYTREE__STORE_UNION(...) , UNION, (__VA_ARGS__),
#define PYTREE__STORE_BITS , BITS, (),
#define PYTREE__STORE_ROLE(...)
#define PYTREE__STORE_ENUM(...) , ENUM, (__VA_ARGS__),
#define PYTREE__STORE_EACH(...) , EACH, (__VA_ARGS__),
#define PYTREE__STORE_AS(...) , AS, (__VA_ARGS__),
#define PYTREE__STORE_WITH(...) , WITH, (__VA_ARGS__),
#define PYTREE__STORE_ATOMIC , ATOMIC, (),
#define PYTREE__STORE_HANDLE(...) , HANDLE, (__VA_ARGS__),

/* LIST(n) is stored as LIST, LIST(n, EACH(…)) as LISTS_, LIST(n, WITH(…)) as LIST_WITH_. */
#define PYTREE__LIST_OR_LISTS_(n, second, ...) PYTREE__SECOND_OF(PYTREE__LISTS_##second, LIST, ~)
#define PYTREE__SECOND_OF(...) PYTREE__SECOND(__VA_ARGS__)
#define PYTREE__LISTS_EACH(...) ~, LISTS_
#define PYTREE__LISTS_WITH(...) ~, LIST_WITH_

#define PYTREE__GIVES_NONE
#define PYTREE__GIVES_OPTIONAL
#define PYTREE__GIVES_FLEXIBLE
#define PYTREE__GIVES_ARRAY(...)
#define PYTREE__GIVES_LIST(...)
#define PYTREE__GIVES_RANK(...)
#define PYTREE__GIVES_ENUM(...)
#define PYTREE__GIVES_EACH(...)
#define PYTREE__GIVES_AS(...)
#define PYTREE__GIVES_WITH(...)
#define PYTREE__GIVES_ATOMIC
#define PYTREE__GIVES_STB_ARRAY
#define PYTREE__GIVES_STB_MAP
#define PYTREE__GIVES_STRING
#define PYTREE__GIVES_UNION(...)
#define PYTREE__GIVES_BITS
#define PYTREE__GIVES_ROLE(role) , &pytree_role_##role

#define PYTREE__IS(...) PYTREE__SECOND(__VA_ARGS__, 0, ~)

/* Pass: find out whether all words are known, in an #if. Each word stands in it once: compilers expand it each time.
 *
 *     PYTREE_FIELD(DATA, w, ARRAY(3))   =>   && !PYTREE__NAME_w && ((1040 + 3 + 3) & 129919) < 32
 *     PYTREE_FIELD(STATIC, n)           =>   && !PYTREE__NAME_n && (3 & 1) && 3 + 3 == 6 */
#define PYTREE__WORDS_KNOWN(kind, name, m1, m2, m3, ...)                                                                \
    && !PYTREE__NAME_##name                                                                                             \
    && PYTREE__WORDS_FIT(kind, PYTREE__VALUE(PYTREE__WORD_##m1), PYTREE__VALUE(PYTREE__WORD_##m2),                      \
                         PYTREE__VALUE(PYTREE__WORD_##m3))
#define PYTREE__VALUE(...) PYTREE__SECOND(__VA_ARGS__, PYTREE__NO_WORD, ~)
#define PYTREE__WORDS_FIT(kind, ...) PYTREE__WORDS_FIT_(PYTREE__KIND_##kind, PYTREE__FITS_NOTHING, ~)(__VA_ARGS__)
#define PYTREE__WORDS_FIT_(...) PYTREE__SECOND(__VA_ARGS__)
/* DATA: OPTIONAL, one way to store the value, one ROLE; FLEXIBLE behind ARRAY or LIST, without OPTIONAL. STATIC: STRING, BITS
 * or ATOMIC. DROP: BITS, HANDLE or ATOMIC. The mask leaves out 128 and 1024, and leaves a large number of a negative sum. */
#define PYTREE__FITS_DATA(m1, m2, m3) ((m1 + m2 + m3) & 129919) < 32
#define PYTREE__FITS_STATIC(m1, m2, m3) (m1 & 1) && m2 + m3 == 6
#define PYTREE__FITS_DROP(m1, m2, m3) (m1 & 2) && m2 + m3 == 6
#define PYTREE__FITS_NOTHING(m1, m2, m3) 0

/* Pass: say which word is not known.
 *
 *     _Static_assert(0, "pytree: " "Linear" "." "w" ": " "unknown row kind DATE; write DATA, STATIC or DROP");
 *     _Static_assert(1 && 1 && 1, "… unknown modifier among …"); … */
#define PYTREE__CHECK_WORDS(kind, name, m1, m2, m3, ...)                                                                \
    PYTREE__ASSERT(PYTREE__IS(PYTREE__IS_##kind), PYTREE__IN(name) "unknown row kind " #kind                          \
    "; write DATA, STATIC or "                                                                                          \
        "DROP");                                                                                                        \
    PYTREE__ASSERT(PYTREE__VALUE(PYTREE__WORD_##m1) + PYTREE__VALUE(PYTREE__WORD_##m2) + PYTREE__VALUE(PYTREE__WORD_##m3) \
                       < PYTREE__NO_WORD / 2,                                                                           \
                   PYTREE__IN(name) "unknown modifier among " #m1 ", " #m2 ", " #m3                                     \
                   "; write ARRAY(n, m), LIST(n), OPTIONAL or another word of docs/rows.md. EACH takes ARRAY(m), LIST(m) " \
                       "or nothing, and OPTIONAL; CASE a value, a member and what that needs, but no BITS or UNION; a UNION " \
                       "has 1 to 16 of them");                                                                          \
    PYTREE__ASSERT(((PYTREE__VALUE(PYTREE__WORD_##m1) + PYTREE__VALUE(PYTREE__WORD_##m2) + PYTREE__VALUE(PYTREE__WORD_##m3)) \
                    & 512) == 0,                                                                                        \
                   PYTREE__IN(name) "AS takes a type, and ARRAY(n, m) if it leads to an array");                        \
    PYTREE__ASSERT(PYTREE__VALUE(PYTREE__WORD_##m1) + PYTREE__VALUE(PYTREE__WORD_##m2) + PYTREE__VALUE(PYTREE__WORD_##m3) \
                       >= 0 || !PYTREE__IS(PYTREE__IS_DATA_##kind),                                                     \
                   PYTREE__IN(name) "FLEXIBLE follows ARRAY(n) or LIST(n), which say how many elements T f[] has");     \
    PYTREE__ASSERT(PYTREE__VALUE(PYTREE__WORD_##m1) + PYTREE__VALUE(PYTREE__WORD_##m2) + PYTREE__VALUE(PYTREE__WORD_##m3) \
                       != 32, PYTREE__IN(name) "OPTIONAL is for pointers; a flexible array is never NULL");             \
    PYTREE__ASSERT(PYTREE__WORDS_FIT(kind, PYTREE__VALUE(PYTREE__WORD_##m1), PYTREE__VALUE(PYTREE__WORD_##m2),          \
                                     PYTREE__VALUE(PYTREE__WORD_##m3)),                                                 \
                   PYTREE__IN(name)                                                                                     \
                   "one word that says how the value is stored, OPTIONAL and one ROLE may follow the name of a DATA row; " \
                       "few or none may follow that of a STATIC or DROP row (docs/rows.md)");
#define PYTREE__IS_DATA ~, 1
#define PYTREE__IS_DATA_DATA ~, 1
#define PYTREE__IS_STATIC ~, 1
#define PYTREE__IS_DROP ~, 1
#define PYTREE__IN(name) "pytree: " PYTREE__QUOTE(PYTREE__S) "." #name ": "
#endif
