/* pytree/registry/each.h: the rows of lists and arrays whose elements are pointers or arrays: the element is described by a row
 * of its own, made by the macros of other DATA rows. Included by pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_EACH_H
#define PYTREE_REGISTRY_EACH_H

/* EACH(modifiers…) has the modifiers that a member like one of the elements would have.
 *
 *     PYTREE_FIELD(DATA, layers, LIST(self->n, EACH()))                     Linear **layers
 *     PYTREE_FIELD(DATA, rows, LIST(self->n, EACH(ARRAY(self->m))))         float **rows
 *     PYTREE_FIELD(DATA, heads, EACH(OPTIONAL))                             Linear *heads[4]
 *     PYTREE_FIELD(DATA, grid, EACH())                                      Linear grid[3][4]
 *
 * The table has a type for the elements, whose one row lies at the beginning of each:
 *
 *     { "rows", &(const pytree_type){ "elements", sizeof(float *), …, PYTREE_KIND_ROW, …,
 *         (const pytree_field[]){ { "", &pytree_types[PYTREE__T_float_], PYTREE_ROW_DATA, PYTREE_POINTER, … }, { 0 } }, … },
 *       PYTREE_ROW_DATA, PYTREE_POINTER, PYTREE_FORM_LIST, … } */
#define PYTREE__STORE_
#define PYTREE__WORD_ ~, 3
#define PYTREE__MODIFIERS(n, each) PYTREE__OF_##each
#define PYTREE__OF_EACH(...) __VA_ARGS__
#define PYTREE__COUNT_OF(n, each) n
#define PYTREE__EACH(...) PYTREE__EACH_(__VA_ARGS__)
#define PYTREE__EACH_(pass, a, b, c, d, m1, m2, ...)                                                                    \
    PYTREE__EACH_STORED(pass, a, b, c, d, 0 PYTREE__STORE_##m1 PYTREE__STORE_##m2, PLAIN, (), , ~)
#define PYTREE__EACH_STORED(...) PYTREE__EACH_STORED_(__VA_ARGS__)
#define PYTREE__EACH_STORED_(pass, a, b, c, d, before, store, arguments, behind, ...)                                   \
    pass##store(a, b, c, d, (before behind), arguments)

/* Find the codes: that of the member says how it holds the elements, that of an element is found as if it were a member. */
#define PYTREE__MEMBERS_LISTS_(code, seen, held, x, arguments, optional, s)                                              \
    PYTREE__ENUM { code = PYTREE__IS_MANY | PYTREE__IS_POINTER | PYTREE__FIXED(x) };                                    \
    PYTREE__EACH(PYTREE__EACH_MEMBER_, code, seen, held, (*x), PYTREE__MODIFIERS arguments, NONE, NONE, ~)
#define PYTREE__MEMBERS_EACH(code, seen, held, x, arguments, optional, s)                                               \
    PYTREE__ENUM { code = PYTREE__IS_MANY | PYTREE__FIXED(x) };                                                         \
    PYTREE__EACH(PYTREE__EACH_MEMBER_, code, seen, held, (*x), PYTREE__OF_EACH arguments, NONE, NONE, ~)
#define PYTREE__EACH_MEMBER_PLAIN(code, seen, held, x, optional, arguments)                                             \
    PYTREE__MEMBERS_PLAIN(pytree__each_##code, pytree__each_##seen, pytree__each_##held, x, arguments, optional, ~)
#define PYTREE__EACH_MEMBER_ARRAY(code, seen, held, x, optional, arguments)                                             \
    PYTREE__MEMBERS_ARRAY(pytree__each_##code, pytree__each_##seen, pytree__each_##held, x, arguments, optional, ~)
#define PYTREE__EACH_MEMBER_LIST(code, seen, held, x, optional, arguments)                                              \
    PYTREE__MEMBERS_LIST(pytree__each_##code, pytree__each_##seen, pytree__each_##held, x, arguments, optional, ~)

#define PYTREE__CHECK_LISTS_(code, arguments, optional, in)                                                              \
    PYTREE__CHECK_FLEXIBLE(optional, in)                                                                                \
    PYTREE__ASSERT(((optional & 2) != 0) == ((code & PYTREE__IS_FIXED) != 0),                                           \
                   in " LIST is for a pointer; the elements of a fixed array need EACH() alone");                       \
    PYTREE__CHECK_EACH_WORDS(in, PYTREE__MODIFIERS arguments, NONE, NONE, NONE, ~)                                      \
    PYTREE__EACH(PYTREE__EACH_CHECK_, code, in, ~, ~, PYTREE__MODIFIERS arguments, NONE, NONE, ~)
#define PYTREE__CHECK_EACH(code, arguments, optional, in)                                                               \
    PYTREE__ASSERT(!optional, in " OPTIONAL stands in EACH(): an array in the struct itself is never NULL");            \
    PYTREE__ASSERT((code & PYTREE__IS_FIXED) != 0, in " EACH alone is for a fixed array; of a pointer write LIST(n, EACH())"); \
    PYTREE__CHECK_EACH_WORDS(in, PYTREE__OF_EACH arguments, NONE, NONE, NONE, ~)                                            \
    PYTREE__EACH(PYTREE__EACH_CHECK_, code, in, ~, ~, PYTREE__OF_EACH arguments, NONE, NONE, ~)
#define PYTREE__CHECK_EACH_WORDS(...) PYTREE__CHECK_EACH_WORDS_(__VA_ARGS__)
#define PYTREE__CHECK_EACH_WORDS_(in, m1, m2, m3, ...)                                                                  \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, in " EACH" PYTREE__TOO_SMALL);                                                    \
    PYTREE__ASSERT(PYTREE__EACH_TAKES(PYTREE__IS(~ PYTREE__EACH_WORD_##m1), PYTREE__IS(~ PYTREE__EACH_WORD_##m2),       \
                                      PYTREE__IS(~ PYTREE__EACH_WORD_##m3)),                                            \
                   in " EACH takes what one element needs: nothing, ARRAY(m), ARRAY(m, k) or LIST(m), and OPTIONAL");
#define PYTREE__EACH_TAKES(a, b, c) ((a) && (b) && (c) && ((a) & (b) & 2) == 0)
#define PYTREE__EACH_WORD_ , 1
#define PYTREE__EACH_WORD_NONE , 1
#define PYTREE__EACH_WORD_OPTIONAL , 1
#define PYTREE__EACH_WORD_ARRAY(...) , PYTREE__COUNT_ARGUMENTS(__VA_ARGS__) <= 2 ? 2 : 0
#define PYTREE__EACH_WORD_LIST(...) , PYTREE__COUNT_ARGUMENTS(__VA_ARGS__) == 1 ? 2 : 0
#define PYTREE__EACH_HELD(code, in)                                                                                     \
    PYTREE__ASSERT((code & PYTREE__KNOWN) == 0 || (code & PYTREE__POINTER_OR_FIXED) != 0,                               \
                   in " EACH is for elements that are pointers or arrays; LIST(n) without it is for others");
#define PYTREE__EACH_CHECK_PLAIN(code, in, c, d, optional, arguments)                                                   \
    PYTREE__CHECK_PLAIN(pytree__each_##code, arguments, optional, in " EACH:") PYTREE__EACH_HELD(pytree__each_##code, in)
#define PYTREE__EACH_CHECK_ARRAY(code, in, c, d, optional, arguments)                                                   \
    PYTREE__CHECK_ARRAY(pytree__each_##code, arguments, optional, in " EACH:")
#define PYTREE__EACH_CHECK_LIST(code, in, c, d, optional, arguments)                                                    \
    PYTREE__CHECK_LIST(pytree__each_##code, arguments, optional, in " EACH:")

#define PYTREE__TABLE_LISTS_(code, held, x, arguments, optional, placed)                                                 \
    PYTREE__EACH(PYTREE__EACH_TABLE_, code, held, (*x), PYTREE__ELEMENT_TYPE, PYTREE__MODIFIERS arguments, NONE, NONE, ~),  \
    PYTREE_ROW_DATA, PYTREE__POINTER_OR_FLEXIBLE(optional), PYTREE_FORM_LIST, optional & 1, 1, placed, sizeof(*x), 0
#define PYTREE__TABLE_EACH(code, held, x, arguments, optional, placed)                                                  \
    PYTREE__EACH(PYTREE__EACH_TABLE_, code, held, (*x), PYTREE__ELEMENT_TYPE, PYTREE__OF_EACH arguments, NONE, NONE, ~),    \
    PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_TUPLE, 0, 1, placed, sizeof(*x), 0
#define PYTREE__EACH_ROW(...) { "", __VA_ARGS__, NULL }
#define PYTREE__EACH_TYPE(x, rows)                                                                                      \
    { "elements", sizeof x, PYTREE__ALIGN_OF(x), PYTREE_KIND_ROW, PYTREE_NO_DTYPE, 1, 1, false, true, false, rows,      \
        NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &pytree__space_000, NULL, NULL PYTREE__NOTED_AT(NULL) }
#define PYTREE__EACH_PLACED(x) 0, sizeof x
#define PYTREE__EACH_TABLE_PLAIN(code, held, x, made, optional, arguments)                                                 \
    made(code, x, PYTREE__TABLE_PLAIN_INSIDE(pytree__each_##code, pytree__each_##held, x, arguments, optional,          \
         PYTREE__EACH_PLACED(x)))
#define PYTREE__EACH_TABLE_ARRAY(code, held, x, made, optional, arguments)                                                 \
    made(code, x, PYTREE__TABLE_ARRAY(pytree__each_##code, pytree__each_##held, x, arguments, optional, PYTREE__EACH_PLACED(x)))
#define PYTREE__EACH_TABLE_LIST(code, held, x, made, optional, arguments)                                                  \
    made(code, x, PYTREE__TABLE_LIST_INSIDE(pytree__each_##code, pytree__each_##held, x, arguments, optional,           \
         PYTREE__EACH_PLACED(x)))

/* The extents. Behind the count stand those of an element, which are those of all. */
#define PYTREE__SIZES_LISTS_(name, arguments)                                                                            \
    PYTREE__SIZE(PYTREE__COUNT_OF arguments),                                                                           \
    PYTREE__EACH(PYTREE__EACH_SIZES_, ~, ~, ~, ~, PYTREE__MODIFIERS arguments, NONE, NONE, ~)
#define PYTREE__SIZES_EACH(name, arguments)                                                                             \
    0, PYTREE__EACH(PYTREE__EACH_SIZES_, ~, ~, ~, ~, PYTREE__OF_EACH arguments, NONE, NONE, ~)
#define PYTREE__EACH_SIZES_PLAIN(a, b, c, d, optional, arguments)
#define PYTREE__EACH_SIZES_ARRAY(a, b, c, d, optional, arguments) PYTREE__SIZE_LIST arguments
#define PYTREE__EACH_SIZES_LIST(a, b, c, d, optional, arguments) PYTREE__SIZE_LIST arguments
#define PYTREE__VALID_LISTS_(code, name, optional, arguments)   /* a struct that has one is not self-contained */
#define PYTREE__VALID_EACH(code, name, optional, arguments)
#define PYTREE__STORED_LISTS_(code, name, optional, arguments)
#define PYTREE__STORED_EACH(code, name, optional, arguments)
#endif
