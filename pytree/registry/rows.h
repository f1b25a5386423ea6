/* pytree/registry/rows.h: find types by slot, give each member a code, check the rows (words, order, types), and make the
 * table of rows.
 *
 * Included by pytree_registry.h, once: a compiler reads all of a guarded file to skip it, which for each registered type would
 * take longer than its rows. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_ROWS_H
#define PYTREE_REGISTRY_ROWS_H

#include "enums.h"
#include "slots.h"
#include "words.h"

/* An extent as a size_t. Only of an integer there is a bitwise or. Where a size_t has fewer bits, an extent that does not fit
 * becomes SIZE_MAX, which no array has. */
#if SIZE_MAX < UINT64_MAX
#define PYTREE__SIZE(n)                                                                                                 \
    (sizeof((n) | 0) > sizeof(size_t) && (uint64_t)(n) > SIZE_MAX && (int64_t)(n) != (ptrdiff_t)(n) ? SIZE_MAX          \
                                                                                                   : PYTREE__INTEGER(n))
#else
#define PYTREE__SIZE PYTREE__INTEGER
#endif

#define PYTREE__CAT(a, b) PYTREE__CAT_(a, b)
#define PYTREE__CAT_(a, b) a##b
#define PYTREE__CAT4(a, b, c, d) PYTREE__CAT4_(a, b, c, d)
#define PYTREE__CAT4_(a, b, c, d) a##b##c##d
#define PYTREE__IN_SPACE(a, b) PYTREE__IN_SPACE_(a, b)
#define PYTREE__IN_SPACE_(a, b) a##_in_##b
#define PYTREE__QUOTE(a) PYTREE__QUOTE_(a)
#define PYTREE__QUOTE_(a) #a
#define PYTREE__QUOTE_ALL(...) PYTREE__QUOTE_ALL_(__VA_ARGS__)
#define PYTREE__QUOTE_ALL_(...) #__VA_ARGS__
#define PYTREE__QUOTE_FIRST(a, ...) #a
#define PYTREE__SECOND(a, b, ...) b

#include "codes.h"
#if defined(__cplusplus)
#include "primitives_cxx.h"
#else
#include "primitives_c.h"
#endif

/* ---- Rows: the passes ------------------------------------------------------------------------------------------------ */

/* Pass: count the DATA rows.      =>   enum { pytree__count_Linear = 0 + 1 + 1 }; */
#define PYTREE__COUNT_DATA + 1
#define PYTREE__COUNT_STATIC
#define PYTREE__COUNT_DROP

/* Pass: find where each member begins and ends. An enumerator without a value is the one before it plus one, which is how a row
 * knows where the row before it ended.
 *
 *     pytree__before_MLP__scale, pytree__gap_MLP__scale = offsetof(MLP, scale) + 1 - pytree__before_MLP__scale,
 *     pytree__after_MLP__scale = …, */
#define PYTREE__PLACE(...) PYTREE__PLACE_(__VA_ARGS__)
#define PYTREE__PLACE__(...) PYTREE__PLACE___(__VA_ARGS__)
#define PYTREE__PLACE___(lies, ...) PYTREE__PLACE_##lies
#define PYTREE__PLACE_ATOMIC PYTREE__PLACE_PLAIN
#define PYTREE__PLACE_FLEXIBLE(before, gap, after, s, name, x)                /* a flexible array, which has no size */ \
    before, gap = (int)PYTREE__OFFSETOF(s, name) + 1 - before, after = gap + before - 1,
/* Where a bit-field lies C does not say. So behind one the gap before a member that has an address is no longer known: counts
 * are smaller by PYTREE__BITS_BEFORE from there to that member. */
#define PYTREE__PLACE_BITS(before, gap, after, s, name, x)                                                              \
    before, gap = 0, after = before - 1 - (before > 0 ? PYTREE__BITS_BEFORE : 0),
#define PYTREE__BITS_BEFORE 536870912     /* 1 << 29 in one word, of which each costs compilers time */
#define PYTREE__GAP_FITS(gap, complete, align) (gap < (complete ? align : 1) || (gap >= PYTREE__BITS_BEFORE && complete))
#define PYTREE__GAP(id, name) PYTREE__GAP_(id, name)
#define PYTREE__GAP_(id, name) && pytree__gap_##id##__##name == 0
#define PYTREE__LIES_NONE
#define PYTREE__LIES_OPTIONAL
#define PYTREE__LIES_FLEXIBLE FLEXIBLE,
#define PYTREE__LIES_ARRAY(...)
#define PYTREE__LIES_LIST(...)
#define PYTREE__LIES_RANK(...)
#define PYTREE__LIES_ENUM(...)
#define PYTREE__LIES_EACH(...)
#define PYTREE__LIES_AS(...)
#define PYTREE__LIES_WITH(...)
#define PYTREE__LIES_HANDLE(...)
#define PYTREE__LIES_STB_ARRAY
#define PYTREE__LIES_STB_MAP
#define PYTREE__LIES_ROLE(...)
#define PYTREE__LIES_STRING
#define PYTREE__LIES_UNION(...)
#define PYTREE__LIES_BITS BITS,
#define PYTREE__LIES_ATOMIC ATOMIC,

/* Initialise the member of a row by { 0 }; an atomic one without braces, which clang does not take. */
#define PYTREE__INITIAL(how, name, m1, m2, ...) PYTREE__INITIAL_(how, PYTREE__LIES_##m1 PYTREE__LIES_##m2 PLAIN, ~)
#define PYTREE__INITIAL_(...) PYTREE__INITIAL__(__VA_ARGS__)
#define PYTREE__INITIAL__(how, lies, ...) how##_##lies
#define PYTREE__INITIAL_PLAIN { 0 },
#define PYTREE__INITIAL_BITS { 0 },
#define PYTREE__INITIAL_ATOMIC 0,

/* Begin the literal at the member of the first row, [0].din = { 0 }: its offset tells whether it is the first member. That of a
 * bit-field is unknown, so there the literal begins at the first member by itself, with a number without braces, which
 * initialises the first number of the struct, whatever holds it. What it takes is a list of the rows, each in parentheses. */
#define PYTREE__START(...) PYTREE__FIRST_ROW(__VA_ARGS__)
#define PYTREE__FIRST_ROW(first, ...) PYTREE__START_ first
#define PYTREE__START_(name, m1, ...) PYTREE__START__(PYTREE__LIES_##m1 PLAIN, ~)(name)
#define PYTREE__START__(...) PYTREE__START___(__VA_ARGS__)
#define PYTREE__START___(lies, ...) PYTREE__START_##lies
#define PYTREE__LIES_pytree__end END,                          /* no rows */
#define PYTREE__START_END(name)
#define PYTREE__START_PLAIN(name) [0].name =
#define PYTREE__START_FLEXIBLE PYTREE__START_PLAIN
#define PYTREE__START_ATOMIC PYTREE__START_PLAIN
#define PYTREE__START_BITS(name) 0 * sizeof (char)             /* and the row's { 0 } make one number */

/* Pass: check the rows, and find the code of each member: first that none is left out or out of order, then types.
 *
 *     _Static_assert(pytree__gap_MLP__scale >= 0, …);
 *     typedef __typeof__(<pointer to the member's type>) pytree__held_MLP__scale;
 *     enum { pytree__seen_MLP__scale = PYTREE__R_float_ | …, pytree__code_MLP__scale = … };
 *     _Static_assert(…); */
#define PYTREE__CHECK_DATA(id, s, name, m1, m2, m3, ...)                                                                \
    PYTREE__CHECK_STORED(id, s, name, 0 PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), , ~)
#define PYTREE__CHECK_STORED(...) PYTREE__CHECK_STORED_(__VA_ARGS__)
#define PYTREE__CHECK_STORED_(id, s, name, before, store, arguments, behind, ...)                                       \
    PYTREE__CHECK_PLACE_##store(pytree__gap_##id##__##name, pytree__complete_##id, pytree__any_##id.name,               \
        PYTREE__QUOTE_(pytree: s.name:))                                                                                \
    PYTREE__MEMBERS_##store(pytree__code_##id##__##name, pytree__seen_##id##__##name, pytree__held_##id##__##name,      \
        pytree__any_##id.name, arguments, (before behind), s)                                                           \
    PYTREE__CHECK_##store(pytree__code_##id##__##name, arguments, (before behind), PYTREE__QUOTE_(pytree: s.name:))
#define PYTREE__CHECK_STATIC(id, s, name, m1, ...) PYTREE__CHECK_STATIC_##m1(id, s, name)
#define PYTREE__CHECK_STATIC_NONE(id, s, name)                                                                          \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##__##name, pytree__complete_##id, pytree__any_##id.name,                      \
                         PYTREE__QUOTE_(pytree: s.name:))                                                               \
    PYTREE__MEMBERS_PLAIN(pytree__code_##id##__##name, pytree__seen_##id##__##name, pytree__held_##id##__##name,        \
        pytree__any_##id.name, , , s)                                                                                   \
    PYTREE__CHECK_METADATA(pytree__code_##id##__##name, pytree__inner_##id##__##name, pytree__any_##id.name,            \
        PYTREE__QUOTE_(pytree: s.name:))
#define PYTREE__CHECK_STATIC_STRING(id, s, name)                                                                        \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##__##name, pytree__complete_##id, pytree__any_##id.name,                      \
                         PYTREE__QUOTE_(pytree: s.name:))                                                               \
    PYTREE__MEMBERS_STRING(pytree__code_##id##__##name, pytree__seen_##id##__##name, , pytree__any_##id.name, , , s)    \
    PYTREE__CHECK_STRING(pytree__code_##id##__##name, , 0, PYTREE__QUOTE_(pytree: s.name:))                             \
    PYTREE__ASSERT((pytree__code_##id##__##name & PYTREE__IS_TABLE) == 0, PYTREE__QUOTE_(pytree: s.name:)               \
                   " a STATIC STRING is one array of char; put several into a struct of STATIC rows, or write DATA");
#define PYTREE__CHECK_DROP(id, s, name, m1, ...)                                                                        \
    PYTREE__DROPPED(PYTREE__CHECK_DROP_, id, s, name, ~ PYTREE__STORE_##m1, PLAIN, ~)
#define PYTREE__DROPPED(...) PYTREE__DROPPED_(__VA_ARGS__)
#define PYTREE__DROPPED_(pass, id, s, name, skipped, store, ...) pass##store(id, s, name, __VA_ARGS__)
#define PYTREE__CHECK_DROP_PLAIN(id, s, name, ...)                                                                      \
    PYTREE__CHECK_DROPPED_BYTES(pytree__any_##id.name, PYTREE__QUOTE_(pytree: s.name:))                                 \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##__##name, pytree__complete_##id, pytree__any_##id.name,                      \
                         PYTREE__QUOTE_(pytree: s.name:))

/* Read and write a bit-field, which has no address.
 *
 *     static inline int64_t pytree__read_Packet__version(const void *self) { return (int64_t)((const Packet *)self)->version; }
 *     static inline void pytree__write_Packet__version(void *self, int64_t number) { ((Packet *)self)->version = number; } */
#define PYTREE__CHECK_STATIC_BITS(id, s, name)                                                                          \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, PYTREE__QUOTE_(pytree: s.name:) " a STATIC bit-field" PYTREE__TOO_SMALL);         \
    static inline int64_t pytree__read_##id##__##name(const void *self) { return (int64_t)((const s *)self)->name; }    \
    static inline void pytree__write_##id##__##name(void *self, int64_t number)                                         \
    {                                                                                                                   \
        ((s *)self)->name = PYTREE__TO_MEMBER(((s *)self)->name, number);                                               \
    }
#define PYTREE__CHECK_DROP_BITS(id, s, name, ...) PYTREE__ASSERT(sizeof(pytree__any_##id.name != 0) != 0, "");

/* Find the code of a member.      =>   enum { pytree__code_Linear__w = PYTREE__P_float_ | 0 };       of an ARRAY */
#if !defined(__cplusplus)
#define PYTREE__MEMBERS_PLAIN(code, seen, held, x, arguments, optional, s)                                              \
    PYTREE__FIND(held, x)                                                                                               \
    PYTREE__ENUM { seen = PYTREE__CODE(held, x),                                                                        \
        code = PYTREE__NORMALIZED(seen) | PYTREE__LEADS(seen, optional)                                                 \
            | ((seen & PYTREE__HELD) == PYTREE__IS_POINTER ? 0 : (int)PYTREE__ATOMIC(x)) };
#endif
#define PYTREE__MEMBERS_ARRAY(code, seen, held, x, arguments, optional, s)                                              \
    PYTREE__ENUM { code = PYTREE__ARRAY_CODE(x) | (optional & 2) * (PYTREE__IS_MANY / 2),                               \
        pytree__ndim_##code = PYTREE__COUNT_ARGUMENTS arguments };
#define PYTREE__MEMBERS_LIST(code, seen, held, x, arguments, optional, s)                                               \
    PYTREE__FIND(held, x)                                                                                               \
    PYTREE__ENUM { seen = PYTREE__CODE(held, x), code = PYTREE__NORMALIZED(seen) | PYTREE__IS_MANY };
#define PYTREE__MEMBERS_STB_ARRAY PYTREE__MEMBERS_LIST
#define PYTREE__MEMBERS_STB_MAP(code, seen, held, x, arguments, optional, s)                                            \
    PYTREE__FIND(held, x->value)                                                                                        \
    PYTREE__QUIET_BEGIN                                                                                                 \
    PYTREE__ENUM { seen = (PYTREE__CODE(held, x->value)) | PYTREE__FIXED(x), code = PYTREE__NORMALIZED(seen) | PYTREE__IS_MANY \
        | PYTREE__KEY_CODE(x)                                                                                           \
        | (PYTREE__IS_PAIR(x) ? 0 : PYTREE__OTHER_MEMBERS) };                                                           \
    PYTREE__QUIET_END
#define PYTREE__MEMBERS_RANK(code, seen, held, x, arguments, optional, s)                                               \
    PYTREE__ENUM { seen = PYTREE__BUILTIN_CODE(x PYTREE__SUBSCRIPTS arguments),                                         \
        code = PYTREE__NORMALIZED(seen) | PYTREE__FIXED(x) | (int)PYTREE__ATOMIC(x) };
#define PYTREE__MEMBERS_STRING(code, seen, held, x, arguments, optional, s)                                             \
    PYTREE__ENUM { code = PYTREE__CHARS_CODE(x) | PYTREE__FIXED(x) };
#define PYTREE__MEMBERS_BITS(code, seen, held, x, arguments, optional, s) PYTREE__ENUM { code = 0 };
#define PYTREE__MEMBERS_ENUM PYTREE__MEMBERS_PLAIN
#define PYTREE__FIXED(x) PYTREE__IS_ARRAY(x) * PYTREE__IS_FIXED
/* Check the order of the rows. If members are left out, each gap may hold one, otherwise only those that are no padding.
 *
 *     _Static_assert(pytree__gap_Linear__w >= 0, "pytree: Linear.w: rows are out of order; …");
 *     _Static_assert(pytree__gap_Linear__w < (pytree__complete_Linear ? 8 : 1), "pytree: Linear.w: a field before this …"); */
#if defined(__cplusplus)
#define PYTREE__CHECK_LAYOUT(gap, complete, x, in)                                                                      \
    PYTREE__CHECK_MEMBER(x, in) PYTREE__CHECK_GAP(gap, complete, PYTREE__ALIGN_OF(x), in)
#else
#define PYTREE__CHECK_LAYOUT(gap, complete, x, in) PYTREE__CHECK_GAP(gap, complete, PYTREE__ALIGN_OF(x), in)
#endif
#define PYTREE__CHECK_GAP(gap, complete, align, in)                                                                     \
    PYTREE__ASSERT(gap >= 0, in " rows are out of order; list the fields as the struct declares them, each once");      \
    PYTREE__ASSERT(PYTREE__GAP_FITS(gap, complete, align),                                                              \
                   in " a field before this one is not listed, or too late; give it a row (DATA, STATIC, or DROP for padding " \
                      "and scratch space)");
#define PYTREE__CHECK_PLACE_PLAIN PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_ARRAY PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_LIST PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_RANK PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_STB_ARRAY PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_STB_MAP PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_STRING PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_UNION PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_ENUM PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_LISTS_ PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_EACH PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_PLACE_BITS(gap, complete, x, in)
#define PYTREE__UNKNOWN                                                                                                 \
    " its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE), or "                \
        "list the field as DROP (an address: STATIC)"
/* Check that a DATA row fits its member; of an ARRAY(self->din, self->dout):
 *
 *     _Static_assert((pytree__code_Linear__w & PYTREE__HELD) == PYTREE__IS_POINTER, "pytree: Linear.w: ARRAY is for …");
 *     _Static_assert(2 <= PYTREE_MAX_DIMS, "pytree: Linear.w: too many dimensions; …"); */
#define PYTREE__KNOWN_OR_ARRAY(code) (code & PYTREE__KNOWN_OR_FIXED) != 0
#define PYTREE__KNOWN_OR_NO_ARRAY(code) (code & PYTREE__KNOWN) != 0 || (code & PYTREE__IS_FIXED) == 0
#define PYTREE__NEEDS_NO_EXTENT(code) (code & PYTREE__POINTER_USER_OR_FIXED) != PYTREE__IS_POINTER
#define PYTREE__MAY_BE_NONE(optional, code)                                                                             \
    !optional || (code & PYTREE__HELD) == PYTREE__IS_POINTER || (int)code == PYTREE__C_string
#define PYTREE__CHECK_PLAIN(code, arguments, optional, in)                                                              \
    PYTREE__CHECK_NOT_ATOMIC(code, in)                                                                                  \
    PYTREE__CHECK_BYTES(code, in)                                                                                       \
    PYTREE__ASSERT(PYTREE__KNOWN_OR_ARRAY(code), in PYTREE__UNKNOWN);                                                   \
    PYTREE__ASSERT(PYTREE__KNOWN_OR_NO_ARRAY(code),                                                                     \
                   in " an array whose element type is not registered, or of three or more dimensions; write RANK(3) for " \
                      "those; EACH() for pointers, and for structs in two dimensions");                                 \
    PYTREE__ASSERT(PYTREE__NEEDS_NO_EXTENT(code),                                                                       \
                   in " a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values"); \
    PYTREE__ASSERT(PYTREE__MAY_BE_NONE(optional, code),                                                                 \
                   in " OPTIONAL is for pointers; a value in the struct itself is never NULL");
#define PYTREE__HELD_BY(flags) ((flags & 2) != 0 ? PYTREE__IS_POINTER + PYTREE__IS_FIXED : (int)PYTREE__IS_POINTER)
#define PYTREE__IS_HELD_BY(optional, code) (code & PYTREE__HELD) == PYTREE__HELD_BY(optional)
#define PYTREE__CHECK_ARRAY(code, arguments, optional, in)                                                              \
    PYTREE__ASSERT(PYTREE__IS_HELD_BY(optional, code),                                                                  \
                   in " ARRAY is for a pointer to numbers; a fixed array needs no modifier, a pointer to structs needs " \
                      "LIST(n)");                                                                                       \
    PYTREE__ASSERT(sizeof(#arguments) > sizeof("()"), in " ARRAY takes an extent for each dimension, ARRAY(n, m)");     \
    PYTREE__ASSERT(pytree__ndim_##code <= PYTREE_MAX_DIMS, in PYTREE__TOO_MANY);                                        \
    PYTREE__CHECK_FLEXIBLE(optional, in)
#if defined(PYTREE_SMALL) && !defined(PYTREE_MORE_ROWS)
#define PYTREE__CHECK_FLEXIBLE(optional, in) PYTREE__ASSERT(optional < 2, in " FLEXIBLE" PYTREE__TOO_SMALL);
#else
#define PYTREE__CHECK_FLEXIBLE(optional, in)
#endif
#define PYTREE__CHECK_LIST(code, arguments, optional, in)                                                               \
    PYTREE__CHECK_BYTES(code, in)                                                                                       \
    PYTREE__ASSERT((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN "; of a pointer to pointers write LIST(n, EACH())"); \
    PYTREE__ASSERT(PYTREE__COUNT_ARGUMENTS arguments == 1, in " LIST takes one count, LIST(n)");                        \
    PYTREE__CHECK_FLEXIBLE(optional, in)                                                                                \
    PYTREE__ASSERT((code & PYTREE__KNOWN) == 0 || (code & PYTREE__HELD) == PYTREE__HELD_BY(optional),                   \
                   in " LIST is for a pointer to registered structs or single values; a fixed array needs no modifier");
#define PYTREE__STB_MISSING                                                                                             \
    " needs stb_ds.h: install libstb-dev (Debian, Ubuntu), stb-devel (Fedora), or copy stb_ds.h "                       \
        "beside pytree.h"
#define PYTREE__CHECK_STB_ARRAY(code, arguments, optional, in)                                                          \
    PYTREE__ASSERT(PYTREE__HAS_STB, in " STB_ARRAY" PYTREE__STB_MISSING);                                               \
    PYTREE__ASSERT((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    PYTREE__ASSERT((code & PYTREE__KNOWN) == 0 || (code & PYTREE__HELD) == PYTREE__IS_POINTER,                          \
                   in " STB_ARRAY is for an stb_ds array: a pointer, NULL or made by arrput");
#define PYTREE__CHECK_STB_MAP(code, arguments, optional, in)                                                            \
    PYTREE__ASSERT(PYTREE__HAS_STB, in " STB_MAP" PYTREE__STB_MISSING);                                                 \
    PYTREE__ASSERT((code & PYTREE__OTHER_KEY) == 0, in " the keys of a STB_MAP are strings, char *key");                \
    PYTREE__ASSERT((code & PYTREE__OTHER_MEMBERS) == 0,                                                                 \
                   in " an entry of a STB_MAP has two members, key and value, in this order; put more into a struct for the " \
                      "value");                                                                                         \
    PYTREE__ASSERT((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    PYTREE__ASSERT((code & PYTREE__POINTER_OR_TABLE) == 0,                                                              \
                   in " the values of a STB_MAP are numbers, strings or registered structs, not pointers or arrays");
#define PYTREE__CHECK_RANK(code, arguments, optional, in)                                                               \
    PYTREE__ASSERT((code & PYTREE__KNOWN) != 0 && (code & PYTREE__POINTER_OR_TABLE) == 0,                               \
                   in " RANK is the number of dimensions of a fixed array of numbers; this array has another");         \
    PYTREE__ASSERT(PYTREE__RANK_OF arguments <= PYTREE_MAX_DIMS, in PYTREE__TOO_MANY);
#define PYTREE__CHECK_STRING(code, arguments, optional, in)                                                             \
    PYTREE__ASSERT((code & PYTREE__KNOWN) != 0 && (code & PYTREE__IS_FIXED) != 0,                                       \
                   in " STRING is for an array of char in the struct itself that is not const, char f[32]; a char * "   \
                      "needs no modifier");                                                                             \
    PYTREE__ASSERT(!optional, in " OPTIONAL is for pointers; a string in the struct itself is never NULL");             \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, in " STRING" PYTREE__TOO_SMALL);
#define PYTREE__TOO_SMALL " needs PYTREE_MORE_ROWS beside PYTREE_SMALL; define both in every file"
#define PYTREE__CHECK_BITS(code, arguments, optional, in)                                                               \
    PYTREE__ASSERT(0, in " a leaf has an address and a bit-field has none; write STATIC or DROP, or make it a member "  \
                      "without a width");
#define PYTREE__THE(x) x
#define PYTREE__TOO_MANY " too many dimensions; define PYTREE_MAX_DIMS (8, at most 16) to that many in every file"
/* Check that a member can be STATIC.
 *
 *     _Static_assert((pytree__code_Linear__din & PYTREE__IS_LEAF) == 0, "pytree: Linear.din: an opaque leaf …"); */
#define PYTREE__CHARS                                                                                                   \
    " an array of char is compared with what lies behind its text; write STRING behind the name, or use signed char for bytes"
#define PYTREE__CODE_IS_KNOWN(code) (code & PYTREE__KNOWN) != 0
#define PYTREE__NO_CHARS(code) (int)code % (int)PYTREE__IS_CONST != PYTREE__P_char_ + PYTREE__IS_FIXED
#define PYTREE__NO_POINTER(code) (code & PYTREE__POINTER_OR_FIXED) != PYTREE__IS_POINTER
#define PYTREE__NO_DATA_INSIDE(code)                                                                                    \
    (code & PYTREE__HAS_DATA) == 0 || (code & PYTREE__POINTER_OR_FIXED) == PYTREE__IS_POINTER
#define PYTREE__NO_TREE(code) PYTREE__FORM(code % PYTREE__IS_CONST) < PYTREE_FORM_FLAT
#define PYTREE__NO_LEAF(code) (code & PYTREE__IS_LEAF) == 0
#define PYTREE__CHECK_METADATA(code, inner, x, in)                                                                      \
    PYTREE__INNER_TYPE(inner, code & PYTREE__IS_FIXED, x)                                                               \
    PYTREE__CHECK_NOT_ATOMIC(code, in)                                                                                  \
    PYTREE__CHECK_BYTES(code, in)                                                                                       \
    PYTREE__ASSERT(PYTREE__CODE_IS_KNOWN(code) || !PYTREE__INNER_IS_RECORD(inner, code & PYTREE__IS_FIXED, x),          \
                   in PYTREE__UNKNOWN);                                                                                 \
    PYTREE__ASSERT(PYTREE__CODE_IS_KNOWN(code) || !PYTREE__INNER_IS_ARRAY(inner, code & PYTREE__IS_FIXED, x),           \
                   in " a STATIC array has one dimension, or two of numbers; put more into a struct of STATIC rows");   \
    PYTREE__ASSERT(PYTREE__NO_CHARS(code), in PYTREE__CHARS);                                                           \
    PYTREE__ASSERT(PYTREE__NO_POINTER(code),                                                                            \
                   in " a pointer to numbers or structs is data; write DATA, with ARRAY(n) for numbers, LIST(n) for n " \
                      "structs");                                                                                       \
    PYTREE__ASSERT(PYTREE__NO_DATA_INSIDE(code),                                                                        \
                   in " a struct with DATA rows cannot be STATIC; write DATA");                                         \
    PYTREE__ASSERT(PYTREE__NO_TREE(code), in " a tree is data; write DATA");                                            \
    PYTREE__ASSERT(PYTREE__NO_LEAF(code), in " an opaque leaf type is data; write DATA");                               \
    PYTREE__CHECK_SCALAR(code, x, in)

#define PYTREE__SUBSCRIPTS(n) PYTREE__CAT(PYTREE__SUBSCRIPTS_, n)
#define PYTREE__RANK_OF(n) n

/* Pass: make the table.
 *
 *     static const pytree_field pytree__fields_Linear[] = {
 *         { "din", &pytree_types[PYTREE__T_int_], PYTREE_ROW_STATIC, … offsetof(Linear, din), sizeof(int), … },
 *         { "w\0w, ARRAY(self->din, self->dout)", &pytree_types[PYTREE__T_float_], PYTREE_ROW_DATA, PYTREE_POINTER, … },
 *         { 0 }
 *     };
 */
#define PYTREE__TABLE_DATA(id, s, text, name, m1, m2, m3, ...)                                                          \
    PYTREE__TABLE_STORED(id, s, #name PYTREE__BEHIND_NAME(text), name,                                                  \
                         (PYTREE__IS(~ PYTREE__GIVES_##m1 PYTREE__GIVES_##m2 PYTREE__GIVES_##m3, NULL)),                \
                         0 PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), , ~)
#define PYTREE__TABLE_STORED(...) PYTREE__TABLE_STORED_(__VA_ARGS__)
#define PYTREE__TABLE_STORED_(id, s, text, name, role, before, store, arguments, behind, ...)                           \
    { text, PYTREE__TABLE_##store(pytree__code_##id##__##name, pytree__held_##id##__##name, pytree__any_##id.name, arguments,\
                                  (before behind), PYTREE__PLACED_##store((before behind), id, s, name)), role },
#define PYTREE__TABLE_STATIC(id, s, text, name, m1, ...) PYTREE__TABLE_STATIC_##m1(id, s, name)
#define PYTREE__TABLE_STATIC_NONE(id, s, name)                                                                          \
    { #name, PYTREE__TABLE_METADATA(pytree__code_##id##__##name, pytree__held_##id##__##name, pytree__any_##id.name,    \
                                    PYTREE__PLACED(id, s, name)), PYTREE__SIZE_OF_INNER(pytree__inner_##id##__##name,   \
                                    pytree__code_##id##__##name & PYTREE__IS_FIXED, pytree__any_##id.name), 0, NULL },
#define PYTREE__TABLE_STATIC_STRING(id, s, name)                                                                        \
    { #name, &pytree_types[PYTREE__T_text], PYTREE_ROW_STATIC, PYTREE_IN_PLACE, PYTREE__PACK_CHARS, 0, 1,               \
        PYTREE__PLACED(id, s, name), 1, 0, NULL },
#define PYTREE__TABLE_STATIC_BITS(id, s, name)                                                                          \
    { #name, &pytree_types[PYTREE__T_llong], PYTREE_ROW_STATIC, PYTREE_IN_PLACE, PYTREE__PACK_BITS, 0, 0,               \
        0, sizeof(int64_t), 0,                                                                                          \
        PYTREE__FUNCTIONS(read, pytree__read_##id##__##name, write, pytree__write_##id##__##name), NULL },
#define PYTREE__TABLE_DROP(id, s, text, name, m1, ...)                                                                  \
    PYTREE__DROPPED(PYTREE__TABLE_DROP_, id, s, name, ~ PYTREE__STORE_##m1, PLAIN, ~)
#define PYTREE__TABLE_DROP_PLAIN(id, s, name, ...)                                                                      \
    { #name, 0, PYTREE_ROW_DROP, PYTREE_IN_PLACE, 0, 0, !PYTREE__HOLDS_POINTER(pytree__any_##id.name),                  \
        PYTREE__PLACED(id, s, name), 0, 0, NULL },
#define PYTREE__TABLE_DROP_BITS(id, s, name, ...)                                                                       \
    { #name, 0, PYTREE_ROW_DROP, PYTREE_IN_PLACE, 0, 0, 0, 0, 0, 0, 0, NULL },
#define PYTREE__PLACED(id, s, name) offsetof(s, name), sizeof(pytree__any_##id.name)
#define PYTREE__PLACED_PLAIN(flags, id, s, name) PYTREE__PLACED(id, s, name)
#define PYTREE__PLACED_ARRAY(flags, id, s, name) offsetof(s, name), (flags & 2) != 0 ? 0 : sizeof(void *)
#define PYTREE__PLACED_LIST PYTREE__PLACED_ARRAY
#define PYTREE__PLACED_LISTS_ PYTREE__PLACED_ARRAY
#define PYTREE__PLACED_EACH PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_RANK PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_STB_ARRAY PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_STB_MAP PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_STRING PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_UNION(flags, id, s, name) offsetof(s, name)
#define PYTREE__PLACED_ENUM PYTREE__PLACED_PLAIN
#define PYTREE__PLACED_BITS(flags, id, s, name) 0, 0

#define PYTREE__BUILTIN_OF(code) &pytree_types[code & PYTREE__CODE_TYPE]
#define PYTREE__BUILTIN_OR_ADDRESS(code)                                                                                \
    &pytree_types[(code & PYTREE__CODE_TYPE) != 0 ? code & PYTREE__CODE_TYPE : PYTREE__T_address]
#define PYTREE__NDIM(code) code / PYTREE__IS_FIXED % 2 * (1 + code / PYTREE__IS_TABLE % 2)
#define PYTREE__TABLE_METADATA(code, held, x, placed)                                                                   \
    PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OR_ADDRESS(code)),                                                         \
    PYTREE_ROW_STATIC, PYTREE_IN_PLACE, PYTREE__PACK(code), 0, PYTREE__NDIM(code), placed
#define PYTREE__TABLE_PLAIN(code, held, x, arguments, optional, placed)                                                 \
    PYTREE__TABLE_VALUE(PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OF(code)), code, x, optional, placed),                 \
    PYTREE__FUNCTIONS_OF(code)
#define PYTREE__TABLE_PLAIN_INSIDE(code, held, x, arguments, optional, placed)                                          \
    PYTREE__TABLE_VALUE(PYTREE__OF_TYPE_INSIDE(held, x, PYTREE__BUILTIN_OF(code)), code, x, optional, placed),          \
    PYTREE__FUNCTIONS_OF(code)
#define PYTREE__PLACE_OF_VALUE(code) (code & PYTREE__HELD) == PYTREE__IS_POINTER ? PYTREE_POINTER : PYTREE_IN_PLACE
#define PYTREE__FORM_OF_VALUE(code)                                                                                     \
    (code & PYTREE__IS_FIXED) != 0 && PYTREE__FORM(code % PYTREE__IS_CONST) != PYTREE_FORM_LEAF ? PYTREE_FORM_TUPLE     \
        : PYTREE__FORM(code % PYTREE__IS_CONST)
#define PYTREE__TABLE_VALUE(type, code, x, optional, ...)                                                               \
    type, PYTREE_ROW_DATA, PYTREE__PLACE_OF_VALUE(code), PYTREE__FORM_OF_VALUE(code), optional, PYTREE__NDIM(code),     \
    __VA_ARGS__,                                                                                                        \
    PYTREE__INNER_SIZE(code & PYTREE__IS_FIXED, x)
#define PYTREE__TABLE_ARRAY(code, held, x, arguments, optional, placed)                                                 \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE__POINTER_OR_FLEXIBLE(optional), PYTREE_FORM_LEAF, optional & 1,   \
    pytree__ndim_##code, placed, sizeof(*x), 0
#define PYTREE__POINTER_OR_FLEXIBLE(flags) (flags & 2) != 0 ? PYTREE_FLEXIBLE : PYTREE_POINTER
#define PYTREE__TABLE_LIST(code, held, x, arguments, optional, placed)                                                  \
    PYTREE__TABLE_ITEMS(PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OF(code)), x, optional, placed), 0
#define PYTREE__TABLE_LIST_INSIDE(code, held, x, arguments, optional, placed)                                           \
    PYTREE__TABLE_ITEMS(PYTREE__OF_TYPE_INSIDE(held, x, PYTREE__BUILTIN_OF(code)), x, optional, placed), 0
#define PYTREE__TABLE_ITEMS(type, x, optional, ...)                                                                     \
    type, PYTREE_ROW_DATA,                                                                                              \
    PYTREE__POINTER_OR_FLEXIBLE(optional),                                                                              \
    PYTREE_FORM_LIST,                                                                                                   \
    optional & 1, 1, __VA_ARGS__, sizeof(*x)
#define PYTREE__TABLE_RANK(code, held, x, arguments, optional, placed)                                                  \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, optional, PYTREE__RANK_OF arguments,  \
    placed, sizeof(x[0]), PYTREE__FUNCTIONS_OF(code)
#define PYTREE__TABLE_STRING(code, held, x, arguments, optional, placed)                                                \
    &pytree_types[PYTREE__T_text], PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, 0,                               \
    1 + code / PYTREE__IS_TABLE % 2, placed, sizeof(x[0]), 0
#define PYTREE__TABLE_BITS(code, held, x, arguments, optional, placed) 0, PYTREE_ROW_DROP, PYTREE_IN_PLACE, 0, 0, 0, 0, 0, 0, 0
#define PYTREE__TABLE_STB_ARRAY(code, held, x, arguments, optional, placed)                                             \
    PYTREE__OF_TYPE(held, x, PYTREE__BUILTIN_OF(code)), PYTREE_ROW_DATA, PYTREE_STB,                                    \
    PYTREE_FORM_LIST,                                                                                                   \
    optional, 1, placed, sizeof(*x),                                                                                    \
    PYTREE__FUNCTIONS(resize, pytree__stb_array_resize, release, pytree__stb_array_release)
#define PYTREE__TABLE_STB_MAP(code, held, x, arguments, optional, placed)                                               \
    PYTREE__OF_TYPE(held, x->value, PYTREE__BUILTIN_OF(code)), PYTREE_ROW_DATA, PYTREE_STB,                             \
    PYTREE_FORM_MAP, optional, 1, placed, sizeof(*x),                                                                   \
    PYTREE__FUNCTIONS(resize, pytree__stb_map_resize, release, pytree__stb_map_release)

/* Pass: collect the bits of all children's codes, and whether a static value is more than bytes.
 *
 *     | (pytree__code_Linear__din & PYTREE__CODE_PACKS) * 128 | …        rows may read through a string, which is packed as 1
 *     | (int)pytree__code_Linear__w */
#define PYTREE__CODES_DATA(id, s, name, ...) PYTREE__CODES_DATA_(id, s, name)
#define PYTREE__CODES_DATA_(id, s, name)                                                                                \
    | PYTREE__SUMMED(pytree__code_##id##__##name)
#define PYTREE__SUMMED(code) code PYTREE__MANY(code) | PYTREE__LEADS_TO(code)
#define PYTREE__LEADS_TO(code)                                                                                          \
    ((code & PYTREE__POINTER_OR_FIXED) != PYTREE__IS_POINTER ? 0                                                        \
     : (code & (PYTREE__IS_USER | PYTREE__IS_LEAF)) == PYTREE__IS_USER ? PYTREE__TO_STRUCT                              \
     : (code & PYTREE__CODE_TYPE) < PYTREE__T_float_ || (code & PYTREE__CODE_TYPE) > PYTREE__T_cldouble                 \
     ? PYTREE__TO_INTEGERS : PYTREE__TO_NUMBERS)
#define PYTREE__CODES_STATIC(id, s, name, m1, ...) PYTREE__CODES_STATIC_##m1(id, s, name)
#define PYTREE__CODES_STATIC_STRING(id, s, name) | PYTREE__HAS_TEXT | PYTREE__HAS_MANY
#define PYTREE__CODES_STATIC_BITS(id, s, name) | PYTREE__HAS_TEXT
#define PYTREE__CODES_STATIC_NONE(id, s, name)                                                                          \
    | PYTREE__SUMMED_STATIC(pytree__code_##id##__##name)
#define PYTREE__SUMMED_STATIC(code)                                                                                     \
    (code & PYTREE__CODE_PACKS) * 128 PYTREE__MANY(code)                                                                \
        | ((code & PYTREE__KNOWN) == 0 || (code & PYTREE__CODE_PACK) != 0 ? PYTREE__REACHES : 0)
#define PYTREE__CODES_DROP(id, s, name, m1, ...)                                                                        \
    PYTREE__DROPPED(PYTREE__CODES_DROP_, id, s, name, ~ PYTREE__STORE_##m1, PLAIN, ~)
#define PYTREE__CODES_DROP_PLAIN(id, s, name, ...)                                                                      \
    | PYTREE__REACHED(pytree__any_##id.name) PYTREE__MANY_DROPPED(pytree__any_##id.name)
#define PYTREE__REACHED(x) (PYTREE__HOLDS_POINTER(PYTREE__INNER(PYTREE__IS_ARRAY(x), x)) ? PYTREE__REACHES : 0)
#define PYTREE__CODES_DROP_BITS(id, s, name, ...)
#if PYTREE__FOR_SPEED                     /* unnamed.h wants to know */
#define PYTREE__MANY(code)                                                                                              \
    | ((code & PYTREE__POINTER_USER_OR_FIXED) == PYTREE__IS_USER || (code & PYTREE__IS_FIXED) != 0 ? PYTREE__HAS_MANY : 0)
#define PYTREE__MANY_DROPPED(x) | (PYTREE__IS_ARRAY(x) || PYTREE__IS_RECORD(x) ? PYTREE__HAS_MANY : 0)
#else
#define PYTREE__MANY(code)
#define PYTREE__MANY_DROPPED(x)
#endif
#endif
