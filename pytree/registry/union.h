/* pytree/registry/union.h: the rows of unions: a row for each member, made by the macros of other DATA rows, and a function
 * that finds the active one. Included by pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_UNION_H
#define PYTREE_REGISTRY_UNION_H

/* UNION(tag, CASE(value, member, modifiers…), …) has a row for each member, made by the same macros as other DATA rows. A CASE
 * without a member is None.
 *
 *     PYTREE_FIELD(DATA, as, UNION(self->kind, CASE(CIRCLE, circle), CASE(PATH, points, LIST(self->n)), CASE(NOTHING)))
 *
 * That of an UNNAMED_UNION(tag, CASE(…), …), stored as UNION_, has the name of one of the union's members. */
#define PYTREE__TAG_OF(tag, ...) PYTREE__AS_INTEGER(tag)
#define PYTREE__CASES_OF(tag, ...) __VA_ARGS__
#define PYTREE__CASES(m, a, b, c, d, ...) PYTREE__CASES_N(PYTREE__COUNT_ARGUMENTS(__VA_ARGS__), m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_N(n, ...) PYTREE__CASES_N_(n, __VA_ARGS__)
#define PYTREE__CASES_N_(n, ...) PYTREE__CASES_##n(__VA_ARGS__)
#define PYTREE__CASE_N(n, m, a, b, c, d, x) m(n, a, b, c, d, PYTREE__UN##x, NONE, NONE, NONE, ~)
#define PYTREE__CASES_1(m, a, b, c, d, x) PYTREE__CASE_N(1, m, a, b, c, d, x)
#define PYTREE__CASES_2(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(2, m, a, b, c, d, x) PYTREE__CASES_1(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_3(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(3, m, a, b, c, d, x) PYTREE__CASES_2(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_4(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(4, m, a, b, c, d, x) PYTREE__CASES_3(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_5(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(5, m, a, b, c, d, x) PYTREE__CASES_4(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_6(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(6, m, a, b, c, d, x) PYTREE__CASES_5(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_7(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(7, m, a, b, c, d, x) PYTREE__CASES_6(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_8(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(8, m, a, b, c, d, x) PYTREE__CASES_7(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_9(m, a, b, c, d, x, ...)                                                                          \
    PYTREE__CASE_N(9, m, a, b, c, d, x) PYTREE__CASES_8(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_10(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(10, m, a, b, c, d, x) PYTREE__CASES_9(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_11(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(11, m, a, b, c, d, x) PYTREE__CASES_10(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_12(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(12, m, a, b, c, d, x) PYTREE__CASES_11(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_13(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(13, m, a, b, c, d, x) PYTREE__CASES_12(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_14(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(14, m, a, b, c, d, x) PYTREE__CASES_13(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_15(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(15, m, a, b, c, d, x) PYTREE__CASES_14(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_16(m, a, b, c, d, x, ...)                                                                         \
    PYTREE__CASE_N(16, m, a, b, c, d, x) PYTREE__CASES_15(m, a, b, c, d, __VA_ARGS__)
#define PYTREE__CASES_CASE(...) PYTREE__CASES_ARE_TOO_MANY
#define PYTREE__CASES_ARE_TOO_MANY(...) * 0
#define PYTREE__UNCASE(...) __VA_ARGS__
#define PYTREE__UN ~, ~, MISSING          /* UNION(tag) */

#define PYTREE__CASE_MEMBER(...) PYTREE__CASE_MEMBER_(__VA_ARGS__)
#define PYTREE__CASE_MEMBER_(n, code, held, x, s, value, member, m1, m2, ...)                                           \
    PYTREE__CASE_STORED(PYTREE__MEMBER_OF_CASE, n, code, held, x, s, member,                                            \
                        PYTREE__CASE_IS(member) PYTREE__STORE_##m1 PYTREE__STORE_##m2, PLAIN, (), , ~)
#define PYTREE__CASE_STORED(m, ...) m(__VA_ARGS__)
#define PYTREE__MEMBER_OF_CASE(n, code, held, x, s, member, before, store, arguments, behind, ...)                      \
    PYTREE__CASE_TYPE_##store(pytree__case_##n##_##code, x.member) /* CASE(value, member): no such member (gcc shows it) */\
    PYTREE__MEMBERS_##store(pytree__case_##n##_##code, pytree__seen_##n##_##code, pytree__case_##n##_##held,            \
                            PYTREE__OF_CASE(pytree__case_##n##_##code, x.member), arguments,                            \
                            (before behind), s)
#define PYTREE__CASE_SELECT(...) PYTREE__CASE_SELECT_(__VA_ARGS__)
#define PYTREE__CASE_SELECT_(n, tag, x, code, d, value, member, m1, m2, ...)                                            \
    PYTREE__CASE_STORED(PYTREE__SELECT_OF_CASE, tag, PYTREE__OF_CASE(pytree__case_##n##_##code, x.member), value,       \
                        PYTREE__CASE_IS(member) PYTREE__STORE_##m1 PYTREE__STORE_##m2, PLAIN, (), , ~)
#define PYTREE__SELECT_OF_CASE(tag, x, value, skipped, store, arguments, ...)                                           \
    if (tag == PYTREE__AS_CONSTANT(value)) {                                                                       \
        if (pytree__shape != NULL) { PYTREE__CASE_EXTENTS_##store(x, arguments) }                                       \
        return pytree__n;                                                                                               \
    }                                                                                                                   \
    pytree__n++;
#define PYTREE__CASE_EXTENT(i, set, n) pytree__shape[i] = PYTREE__SIZE(n);
#define PYTREE__CASE_EXTENTS(...) PYTREE__EXTENTS(PYTREE__CASE_EXTENT, __VA_ARGS__)
#define PYTREE__CASE_EXTENTS_PLAIN(x, arguments)
#define PYTREE__CASE_EXTENTS_ENUM(x, arguments)
#define PYTREE__CASE_EXTENTS_STRING(x, arguments)
#define PYTREE__CASE_EXTENTS_NOTHING_(x, arguments)
#define PYTREE__CASE_EXTENTS_ARRAY(x, arguments) PYTREE__CASE_EXTENTS arguments
#define PYTREE__CASE_EXTENTS_LIST(x, arguments) PYTREE__CASE_EXTENTS arguments
#define PYTREE__CASE_EXTENTS_RANK(x, arguments)                                                                         \
    PYTREE__CAT(PYTREE__FIXED_EXTENTS_, PYTREE__RANK_OF arguments)(PYTREE__CASE_EXTENT, x)
#define PYTREE__CASE_EXTENTS_STB_ARRAY(x, arguments)           /* the check of the row refuses these */
#define PYTREE__CASE_EXTENTS_STB_MAP(x, arguments)
#define PYTREE__CASE_EXTENTS_LISTS_(x, arguments)
#define PYTREE__CASE_EXTENTS_EACH(x, arguments)
#define PYTREE__CASE_EXTENTS_WITH(x, arguments)
#define PYTREE__CASE_EXTENTS_LIST_WITH_(x, arguments)
#define PYTREE__CASE_CHECK(...) PYTREE__CASE_CHECK_(__VA_ARGS__)
#define PYTREE__CASE_CHECK_(n, code, in, c, d, value, member, m1, m2, ...)                                              \
    PYTREE__CASE_STORED(PYTREE__CHECK_OF_CASE, n, code, in " CASE " #member ":", member,                                \
                        PYTREE__CASE_IS(member) PYTREE__STORE_##m1 PYTREE__STORE_##m2, PLAIN, (), , ~)
#define PYTREE__CHECK_OF_CASE(n, code, in, member, before, store, arguments, behind, ...)                               \
    PYTREE__ASSERT(PYTREE__IN_CASE_##store,                                                                             \
                   in " an stb_ds container, EACH, AS or WITH cannot be in a union; point to a struct with it");        \
    PYTREE__CHECK_##store(pytree__case_##n##_##code, arguments, (before behind), in)
#define PYTREE__IN_CASE_PLAIN 1
#define PYTREE__IN_CASE_ARRAY 1
#define PYTREE__IN_CASE_LIST 1
#define PYTREE__IN_CASE_RANK 1
#define PYTREE__IN_CASE_STRING 1
#define PYTREE__IN_CASE_NOTHING_ 1
#define PYTREE__IN_CASE_ENUM 1
#define PYTREE__IN_CASE_STB_ARRAY 0
#define PYTREE__IN_CASE_LISTS_ 0
#define PYTREE__IN_CASE_EACH 0
#define PYTREE__IN_CASE_AS 0
#define PYTREE__IN_CASE_WITH 0
#define PYTREE__IN_CASE_LIST_WITH_ 0
#define PYTREE__IN_CASE_STB_MAP 0
#define PYTREE__CASE_TABLE(...) PYTREE__CASE_TABLE_(__VA_ARGS__)
#define PYTREE__CASE_TABLE_(n, code, held, x, placed, value, member, m1, m2, ...)                                       \
    PYTREE__CASE_STORED(PYTREE__TABLE_OF_CASE, n, code, held, x, placed, member,                                        \
                        PYTREE__CASE_IS(member) PYTREE__STORE_##m1 PYTREE__STORE_##m2, PLAIN, (), , ~)
#define PYTREE__TABLE_OF_CASE(n, code, held, x, placed, member, before, store, arguments, behind, ...)                  \
    { #member, PYTREE__SECOND_OF(PYTREE__INSIDE_##store, PYTREE__TABLE_##store, ~)(pytree__case_##n##_##code,           \
        pytree__case_##n##_##held,                                                                                      \
        PYTREE__OF_CASE(pytree__case_##n##_##code, x.member), arguments, (before behind),                               \
        PYTREE__CASE_PLACED(placed, PYTREE__OF_CASE(pytree__case_##n##_##code, x.member))), NULL },
#define PYTREE__INSIDE_PLAIN ~, PYTREE__TABLE_PLAIN_INSIDE              /* takes the place of the second argument */
#define PYTREE__INSIDE_LIST ~, PYTREE__TABLE_LIST_INSIDE
#define PYTREE__CASE_PLACED(placed, x) placed, sizeof(x)

/* A CASE without a member has the store NOTHING_: one without modifiers whose member is the filling NONE. */
#define PYTREE__CASE_IS(member) PYTREE__CASE_IS_(PYTREE__CASE_IS_##member, PYTREE__CASE_HAS_MEMBER, ~)()
#define PYTREE__CASE_IS_(...) PYTREE__SECOND(__VA_ARGS__)
#define PYTREE__CASE_IS_NONE ~, PYTREE__CASE_HAS_NOTHING_
#define PYTREE__CASE_HAS_MEMBER() 0
#define PYTREE__CASE_HAS_NOTHING_() 0, NOTHING_, (),
#define PYTREE__MEMBERS_NOTHING_(code, seen, held, x, arguments, optional, s)
#define PYTREE__CHECK_NOTHING_(code, arguments, optional, in)
#define PYTREE__TABLE_NOTHING_(code, held, x, arguments, optional, placed)                                              \
    &pytree_types[PYTREE__T_none], PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_NONE, 1, 0, 0, 0, 0, 0

/* Name the type of a member once: where the union has no such member, or is none, a compiler says so here and not again.
 *
 *     typedef __typeof__(((Shape *)0)->as.circle) pytree__type_pytree__case_1_pytree__code_Shape__as;
 *
 * Then that type is used for the member. */
#if defined(__GNUC__) && !defined(__TINYC__) && !defined(__cplusplus)
#define PYTREE__CASE_TYPE(code, x) typedef __typeof__(x) pytree__type_##code;
#define PYTREE__OF_CASE(code, x) (*(pytree__type_##code *)0)
#else
#define PYTREE__CASE_TYPE(code, x)
#define PYTREE__OF_CASE(code, x) x
#endif
#define PYTREE__CASE_TYPE_PLAIN PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_ARRAY PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_ATOMIC PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_LIST PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_RANK PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_STRING PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_ENUM PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_STB_ARRAY PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_STB_MAP PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_LISTS_ PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_EACH PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_AS PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_WITH PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_LIST_WITH_ PYTREE__CASE_TYPE
#define PYTREE__CASE_TYPE_NOTHING_(code, x)

/* Find the codes of the members, and make the function.
 *
 *     static inline int pytree__select_pytree__code_Shape__as(const void *pytree__at, size_t *pytree__shape)
 *     {
 *         const Shape *self = (const Shape *)pytree__at;
 *         int pytree__n = 0;
 *         (void)((self->kind) | 0);
 *         if (((self->kind) | 0) == (CIRCLE)) { if (pytree__shape != NULL) { } return pytree__n; }
 *         pytree__n++;
 *         if (((self->kind) | 0) == (PATH)) {
 *             if (pytree__shape != NULL) { pytree__shape[0] = PYTREE__SIZE(self->n); }
 *             return pytree__n;
 *         }
 *         pytree__n++;
 *         if (pytree__shape != NULL) { pytree__shape[0] = (size_t)(int64_t)((self->kind) | 0); }
 *         return -1;
 *     } */
#define PYTREE__MEMBERS_UNION(code, seen, held, x, arguments, optional, s)                                              \
    PYTREE__ASSERT(!PYTREE__NO_UNION(x),                   /* here, before the compiler misses the union's members */   \
                   "pytree: " PYTREE__QUOTE(s) ": UNION is for a union that has a name; of a struct all members are "   \
                       "listed, of a union without a name one, with UNNAMED_UNION");                                    \
    PYTREE__ENUM { code = PYTREE__IS_MANY | PYTREE__HAS_MANY };                                                         \
    PYTREE__MEMBERS_OF_UNION(code, held, x, arguments, s)
#define PYTREE__MEMBERS_UNION_(code, seen, held, x, arguments, optional, s)                                             \
    PYTREE__ENUM { code = PYTREE__IS_MANY | PYTREE__HAS_MANY };                                                         \
    PYTREE__MEMBERS_OF_UNION(code, held, (*(s *)0), arguments, s)                                                       \
    typedef s pytree__s_##code;
#define PYTREE__MEMBERS_OF_UNION(code, held, x, arguments, s)                                                           \
    PYTREE__CASES(PYTREE__CASE_MEMBER, code, held, x, s, PYTREE__CASES_OF arguments)                                    \
    static inline int pytree__select_##code(const void *pytree__at, size_t *pytree__shape)                              \
    {                                                                                                                   \
        const s *self = (const s *)pytree__at;                                                                          \
        int pytree__n = 0;                                                                                              \
        (void)PYTREE__TAG_OF arguments;                                                                                 \
        PYTREE__CASES(PYTREE__CASE_SELECT, PYTREE__TAG_OF arguments, x, code, ~, PYTREE__CASES_OF arguments)               \
        if (pytree__shape != NULL) { pytree__shape[0] = (size_t)(int64_t)PYTREE__TAG_OF arguments; }                    \
        return -1;                                                                                                      \
    }
#define PYTREE__CHECK_UNION(code, arguments, optional, in)                                                              \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, in " UNION" PYTREE__TOO_SMALL);                                                   \
    PYTREE__ASSERT(!optional, in " OPTIONAL stands in a CASE: a union in the struct itself is never NULL");             \
    PYTREE__CASES(PYTREE__CASE_CHECK, code, in, ~, ~, PYTREE__CASES_OF arguments)
#define PYTREE__TABLE_UNION(code, held, x, arguments, optional, placed)                                                 \
    PYTREE__TABLE_OF_UNION(code, held, x, arguments, placed, sizeof(x))
#define PYTREE__TABLE_OF_UNION(code, held, x, arguments, placed, size)                                                  \
    &pytree_types[PYTREE__T_ref], PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_REF, 0, 0, placed, size, 0,             \
    PYTREE__FUNCTIONS(select, pytree__select_##code, cases, PYTREE__ROWS_OF(pytree__cases_##code,                       \
        PYTREE__CASES(PYTREE__CASE_TABLE, code, held, x, placed, PYTREE__CASES_OF arguments)))

/* A union without a name: its members are the struct's own. C does not say how it is aligned, nor how large it is: there
 * may be padding in front of it, and a member behind it is placed as one behind a bit-field. */
#define PYTREE__WORD_UNNAMED_UNION PYTREE__WORD_UNION
#define PYTREE__STORE_UNNAMED_UNION(...) , UNION_, (__VA_ARGS__),
#define PYTREE__GIVES_UNNAMED_UNION(...)
#define PYTREE__LIES_UNNAMED_UNION(...) UNION_,
#define PYTREE__PLACE_UNION_(before, gap, after, s, name, x)                                                            \
    before, gap = (int)PYTREE__OFFSETOF(s, name) + 1 - before, after = gap + before - 1 - PYTREE__BITS_BEFORE,
#define PYTREE__START_UNION_ PYTREE__START_PLAIN
#define PYTREE__INITIAL_UNION_ { 0 },
#define PYTREE__ZERO_UNION_ 0,
#define PYTREE__CHECK_PLACE_UNION_(gap, complete, x, in) PYTREE__CHECK_GAP(gap, complete, 32, in)
#define PYTREE__CHECK_UNION_ PYTREE__CHECK_UNION
#define PYTREE__PLACED_UNION_ PYTREE__PLACED_UNION
#define PYTREE__TABLE_UNION_(code, held, x, arguments, optional, placed)                                                \
    PYTREE__TABLE_OF_UNION(code, held, (*(pytree__s_##code *)0), arguments, placed, sizeof(x))
#define PYTREE__VIEW_UNION_ PYTREE__VIEW_UNION
#define PYTREE__SIZES_UNION_ PYTREE__SIZES_UNION
#define PYTREE__VALID_UNION_ PYTREE__VALID_UNION
#define PYTREE__STORED_UNION_ PYTREE__STORED_UNION
#endif
