/* pytree/registry/words.h: the words of a row: its kind and its modifiers. Included by rows.h. */
#ifndef PYTREE_REGISTRY_WORDS_H
#define PYTREE_REGISTRY_WORDS_H

/* Assert. It is here because pytree_registry.h includes this header itself: so gcc prints few lines above the words. */
#if defined(__cplusplus)
#define PYTREE__ASSERT static_assert
#else
#define PYTREE__ASSERT _Static_assert
#endif

/* ---- Rows -----------------------------------------------------------------------------------------------------------
 *
 * PYTREE_FIELD(kind, name, modifiers…) is defined anew for each pass over the rows; the kind chooses the pass's macro. Those
 * of DATA rows find the modifiers in order by PYTREE__STORES and PYTREE__OPTIONAL: OPTIONAL, ARRAY(n, m)  =>  ARRAY, (n, m), 1.
 * A new modifier is one line in each of the three lists. A row with a word that is not known is found in an #if; the checks of
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
 * row; 128: a ROLE; 512: AS of something else; PYTREE__NO_WORD: not known, or what stands in it is not. */
#define PYTREE__NO_WORD 4096
#define PYTREE__WORD_NONE ~, 3
#define PYTREE__WORD_OPTIONAL ~, 4
#define PYTREE__WORD_FLEXIBLE ~, 4
#define PYTREE__WORD_ARRAY(...) ~, 16
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
#define PYTREE__WORDS_IN_LIST(n, second, ...) PYTREE__16_IF(PYTREE__IS(PYTREE__IN_LIST_##second, 1))
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
#define PYTREE__STORE_OPTIONAL
#define PYTREE__STORE_FLEXIBLE
#define PYTREE__STORE_ARRAY(...) , ARRAY, (__VA_ARGS__)
#define PYTREE__STORE_LIST(...) , PYTREE__LIST_OR_LISTS_(__VA_ARGS__, NONE, ~), (__VA_ARGS__)
#define PYTREE__STORE_RANK(...) , RANK, (__VA_ARGS__)
#define PYTREE__STORE_STB_ARRAY , STB_ARRAY, ()
#define PYTREE__STORE_STB_MAP , STB_MAP, ()
#define PYTREE__STORE_STRING , STRING, ()
#define PYTREE__STORE_UNION(...) , UNION, (__VA_ARGS__)
#define PYTREE__STORE_BITS , BITS, ()
#define PYTREE__STORE_ROLE(...)
#define PYTREE__STORE_ENUM(...) , ENUM, (__VA_ARGS__)
#define PYTREE__STORE_EACH(...) , EACH, (__VA_ARGS__)
#define PYTREE__STORE_AS(...) , AS, (__VA_ARGS__)
#define PYTREE__STORE_WITH(...) , WITH, (__VA_ARGS__)
#define PYTREE__STORE_ATOMIC , ATOMIC, ()
#define PYTREE__STORE_HANDLE(...) , HANDLE, (__VA_ARGS__)

/* LIST(n) is stored as LIST, LIST(n, EACH(…)) as LISTS_, LIST(n, WITH(…)) as LIST_WITH_. */
#define PYTREE__LIST_OR_LISTS_(n, second, ...) PYTREE__SECOND_OF(PYTREE__LISTS_##second, LIST, ~)
#define PYTREE__SECOND_OF(...) PYTREE__SECOND(__VA_ARGS__)
#define PYTREE__LISTS_EACH(...) ~, LISTS_
#define PYTREE__LISTS_WITH(...) ~, LIST_WITH_

#define PYTREE__MAYBE_NONE
#define PYTREE__MAYBE_OPTIONAL | 1
#define PYTREE__MAYBE_FLEXIBLE | 2
#define PYTREE__MAYBE_ARRAY(...)
#define PYTREE__MAYBE_LIST(...)
#define PYTREE__MAYBE_RANK(...)
#define PYTREE__MAYBE_STB_ARRAY
#define PYTREE__MAYBE_STB_MAP
#define PYTREE__MAYBE_STRING
#define PYTREE__MAYBE_UNION(...)
#define PYTREE__MAYBE_BITS
#define PYTREE__MAYBE_ROLE(...)
#define PYTREE__MAYBE_ENUM(...)
#define PYTREE__MAYBE_EACH(...)
#define PYTREE__MAYBE_AS(...)
#define PYTREE__MAYBE_WITH(...)
#define PYTREE__MAYBE_ATOMIC

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
 *     PYTREE_FIELD(DATA, w, ARRAY(3))   =>   && !PYTREE__NAME_w && ((16 + 3 + 3) & -129) < 32
 *     PYTREE_FIELD(STATIC, n)           =>   && !PYTREE__NAME_n && (3 & 1) && 3 + 3 == 6 */
#define PYTREE__WORDS_KNOWN(kind, name, m1, m2, m3, ...)                                                                \
    && !PYTREE__NAME_##name                                                                                             \
    && PYTREE__WORDS_FIT(kind, PYTREE__VALUE(PYTREE__WORD_##m1), PYTREE__VALUE(PYTREE__WORD_##m2),                      \
                         PYTREE__VALUE(PYTREE__WORD_##m3))
#define PYTREE__VALUE(...) PYTREE__SECOND(__VA_ARGS__, PYTREE__NO_WORD, ~)
#define PYTREE__WORDS_FIT(kind, ...) PYTREE__WORDS_FIT_(PYTREE__KIND_##kind, PYTREE__FITS_NOTHING, ~)(__VA_ARGS__)
#define PYTREE__WORDS_FIT_(...) PYTREE__SECOND(__VA_ARGS__)
/* DATA: OPTIONAL, one way to store the value, one ROLE. STATIC: STRING, BITS or ATOMIC. DROP: BITS, HANDLE or
 * ATOMIC. */
#define PYTREE__FITS_DATA(m1, m2, m3) ((m1 + m2 + m3) & -129) < 32
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
                       < PYTREE__NO_WORD,                                                                               \
                   PYTREE__IN(name) "unknown modifier among " #m1 ", " #m2 ", " #m3                                     \
                   "; write ARRAY(n, m), LIST(n), OPTIONAL or another word of docs/rows.md. EACH takes ARRAY(m), LIST(m) " \
                       "or nothing, and OPTIONAL; CASE a value, a member and what that needs, but no BITS or UNION; a UNION " \
                       "has 1 to 16 of them");                                                                          \
    PYTREE__ASSERT(PYTREE__VALUE(PYTREE__WORD_##m1) + PYTREE__VALUE(PYTREE__WORD_##m2) + PYTREE__VALUE(PYTREE__WORD_##m3) \
                       < 512,                                                                                           \
                   PYTREE__IN(name) "AS takes a type, and ARRAY(n, m) if it leads to an array");                         \
    PYTREE__ASSERT(PYTREE__WORDS_FIT(kind, PYTREE__VALUE(PYTREE__WORD_##m1), PYTREE__VALUE(PYTREE__WORD_##m2),          \
                                     PYTREE__VALUE(PYTREE__WORD_##m3)),                                                 \
                   PYTREE__IN(name)                                                                                     \
                   "one word that says how the value is stored, OPTIONAL and one ROLE may follow the name of a DATA row; " \
                       "few or none may follow that of a STATIC or DROP row (docs/rows.md)");
#define PYTREE__IS_DATA ~, 1
#define PYTREE__IS_STATIC ~, 1
#define PYTREE__IS_DROP ~, 1
#define PYTREE__IN(name) "pytree: " PYTREE__QUOTE(PYTREE__S) "." #name ": "
#endif
