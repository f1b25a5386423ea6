/* pytree_registry.h: register a struct with pytree.h. Include it once for each struct; it has no include guard.
 *
 *     typedef struct MLP { size_t n_layers; Linear *layers; Linear *head; float scale[2][3]; } MLP;
 *
 *     #define PYTREE_STRUCT MLP
 *     #define PYTREE_FIELDS                                                                                            \
 *         PYTREE_FIELD(STATIC, n_layers)                                                                               \
 *         PYTREE_FIELD(DATA, layers, LIST(self->n_layers))                                                             \
 *         PYTREE_FIELD(DATA, head, OPTIONAL)                                                                           \
 *         PYTREE_FIELD(DATA, scale)
 *     #include "pytree_registry.h"
 *
 * One row for each member, in the order of the struct; the types are read from the struct itself.
 *
 *     DATA, f                  a child: number, string, struct, fixed array of those, pointer to one struct
 *     DATA, f, ARRAY(n, m)     pointer to numbers: one array leaf of that shape
 *     DATA, f, LIST(n)         pointer to n values in a row: a list
 *     DATA, f, STB_ARRAY       stb_ds array: a list            DATA, f, STB_MAP   stb_ds string map: a dict
 *     DATA, f, STD_VECTOR      std::vector, in C++: a list
 *     DATA, f, RANK(3)         fixed array of three or more dimensions: one array leaf (one and two need nothing)
 *     DATA, f, STRING          char f[32]: a text leaf; STATIC, f, STRING: the string up to its end as metadata
 *     DATA, f, ARRAY(n), FLEXIBLE      T f[], a flexible array member; LIST(n), FLEXIBLE likewise
 *     DATA, f, UNION(tag, CASE(value, member, …), …)      the active member of a union; the tag is a STATIC row
 *     DATA, f, UNNAMED_UNION(…)                           one without a name, of which f is a member
 *     STATIC, f, BITS          a bit-field: the number that it holds; DROP, f, BITS
 *     DATA, f, …, OPTIONAL     the pointer may be NULL: None
 *     DATA, f, ENUM(E)         a constant of the enum E, or a fixed array of those, that has a name in text
 *     STATIC, f                metadata: numbers, enums, strings, addresses, fixed arrays of those, structs of STATIC rows
 *     DROP, f                  neither visited nor compared; padding members too
 *
 * In row expressions `self` is the struct. They may read through its pointers, as ARRAY(self->shape->n) and
 * ARRAY(self->parts[0].n) do: where such a pointer is NULL, the tree is refused, unless the expression has a condition (?:,
 * &&, ||), as in LIST(self->next == NULL ? 0 : 1): then it is evaluated. Not looked for are pointers in elements other than
 * [0]; under tcc also, in a struct without lists and pointers to structs, those to numbers and DROP members. Other forms of
 * this include:
 *
 *     #define PYTREE_DECLARE B             B may now be used in field lists; its own comes with
 *     #define PYTREE_DEFINE B              … PYTREE_DEFINE in place of PYTREE_STRUCT
 *     #define PYTREE_LEAF_TYPE Handle      Handle is a leaf that nothing looks into; PYTREE_EQUAL and PYTREE_PRINT may name
 *                                          functions
 *     #define PYTREE_ENUM E                E is an enum whose constants have names in text: PYTREE_CONSTANTS lists them,
 *                                          PYTREE_CONSTANT(MODE_FAST) or PYTREE_CONSTANT(MODE_FAST, "fast")
 *     #define PYTREE_STRUCT Box            Box is a node whose children its own callbacks find: box_callbacks is a
 *     #define PYTREE_CUSTOM box_callbacks  static const pytree_custom (pytree.h)
 *     #define PYTREE_NAMESPACE train       with PYTREE_STRUCT: another registration of a type, or of a PYTREE_LEAF_TYPE, that
 *                                          is registered already, for calls whose options say .space = "train"
 *
 * An alias (typedef float real;) needs no registration. Up to 512 types in one file. All macros that steer an include are
 * undefined by it. If a compile error led you here, docs/compiler-messages.md explains each. */
#if !defined(PYTREE_H) || (defined(PYTREE_IMPLEMENTATION) && !defined(PYTREE_IMPL_ALL_H))
#include "pytree.h"                       /* not again for each type: skipping it takes as long as registering one */
#endif

#if defined(__GNUC__) && !defined(__TINYC__) && !defined(__cplusplus)      /* in C++ a template in a function is an error */
_Static_assert(__builtin_choose_expr(__builtin_strlen(__builtin_FUNCTION()) == 0, 1, 0),
               "pytree: a registration stands outside of functions; move this include of pytree_registry.h to file scope");
#endif
#ifndef PYTREE_REGISTRY_EMIT_H           /* nor these, for the same reason */
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"    /* of what the program has named like a local of these */
#endif
#include "pytree/registry/words.h"        /* from here, so that gcc prints one line less above an error */
#include "pytree/registry/primitives_c.h"
#include "pytree/registry/rows.h"
#include "pytree/registry/each.h"
#include "pytree/registry/with.h"
#include "pytree/registry/as.h"
#include "pytree/registry/atomic.h"
#include "pytree/registry/handle.h"
#include "pytree/registry/union.h"
#include "pytree/registry/emit.h"
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC diagnostic pop
#endif
#endif

/* Below a message gcc prints the source line that the error is in. These macros are here, and not in rows.h, so that their
 * lines, with what to do in a comment, are the third of gcc's output. In an error, offsetof would lead through the system's
 * headers first; clang 14 crashes on an enumerator that follows the size of a member that does not exist. */
#ifndef PYTREE__INTEGER
#define PYTREE__INTEGER(n) ((size_t)((n) | 0))                 /* extents and counts are integers, self->n */
#if defined(__GNUC__) && !defined(__TINYC__)
#define PYTREE__OFFSETOF __builtin_offsetof                    /* a row names a member of the struct */
#else
#define PYTREE__OFFSETOF offsetof
#endif
#define PYTREE__PLACE_(id, s, name, m1, m2, ...)                                                                              \
    PYTREE__PLACE__(PYTREE__LIES_##m1 PYTREE__LIES_##m2 PLAIN, ~)(pytree__before_##id##__##name,                        \
    pytree__gap_##id##__##name,                                 /* a bit-field: add BITS to its row */                  \
    pytree__after_##id##__##name, s, name, pytree__any_##id.name)
#define PYTREE__PLACE_PLAIN(before, gap, after, s, name, x)                                                                   \
    before, gap = (int)PYTREE__OFFSETOF(s, name) + 1 - before, after = gap + before - 1 + (int)PYTREE__MEMBER_SIZE(x),
#if defined(__clang__)
#define PYTREE__MEMBER_SIZE(x) sizeof(__typeof__(x))
#else
#define PYTREE__MEMBER_SIZE(x) sizeof(x)                       /* T f[]: add FLEXIBLE to its row, behind ARRAY(n) or LIST(n) */
#endif
#define PYTREE__INITIAL_FLEXIBLE { },                          /* a member before T f[] is not listed */
#if !defined(__cplusplus)
#define PYTREE__AS_INTEGER(tag) ((tag) | 0)                    /* the tag of a UNION is an integer, self->kind */
#endif
#define PYTREE__IS_STRUCT ((__builtin_classify_type(*(PYTREE__S *)0) & ~1) == 12)   /* struct S { … } is above */
#define PYTREE__AS_POINTER(type) &*(type)                      /* AS takes a const pytree_type *, PYTREE_TYPE(T) */
#define PYTREE__KEY_OF(entry) (entry)->key                     /* an entry of a STB_MAP has two members, key and value */
#endif

#if defined(__cplusplus)
#include "pytree/registry/quiet_cxx.h"
#endif

/* ==== Each include: one type ======================================================================================== */

/* Put aside macros of the program that are named like words of the rows, while the rows are read. */
#if defined(DATA) || defined(STATIC) || defined(DROP) || defined(ARRAY) || defined(LIST) || defined(RANK) || \
    defined(OPTIONAL) || defined(STB_ARRAY) || defined(STB_MAP) || defined(STD_VECTOR) || defined(ROLE) || \
    defined(STRING) || defined(BITS) || defined(UNION) || defined(UNNAMED_UNION) || defined(CASE) || \
    defined(FLEXIBLE) || defined(NONE) || defined(PLAIN) || defined(ENUM) || defined(EACH) || defined(HANDLE) || \
    defined(WITH) || defined(AS) || defined(ATOMIC)
#include "pytree/registry/aside.h"
#endif

/* ---- What is registered ------------------------------------------------------------------------------------------------ */

#if defined(PYTREE_ENUM)
#include "pytree/registry/enum_type.h"

/* Leave out the rest of the include after one of these errors: errors that follow from it would say nothing more. */
#elif defined(PYTREE_STRUCT) + defined(PYTREE_DECLARE) + defined(PYTREE_DEFINE) + defined(PYTREE_LEAF_TYPE) == 0
#error "pytree_registry.h: define PYTREE_STRUCT (the type's name, a struct or a typedef) before including it."
#elif defined(PYTREE_STRUCT) + defined(PYTREE_DECLARE) + defined(PYTREE_DEFINE) + defined(PYTREE_LEAF_TYPE) > 1
#error "pytree_registry.h: define one of PYTREE_STRUCT, PYTREE_DECLARE, PYTREE_DEFINE, PYTREE_LEAF_TYPE for an include, \
not several."
#elif defined(PYTREE_CUSTOM) && (!defined(PYTREE_STRUCT) || defined(PYTREE_FIELDS))
#error "pytree_registry.h: PYTREE_CUSTOM goes with PYTREE_STRUCT, in place of PYTREE_FIELDS: its callbacks say what the \
children are."
#elif defined(PYTREE_NAMESPACE) && !defined(PYTREE_STRUCT)
#error "pytree_registry.h: PYTREE_NAMESPACE goes with PYTREE_STRUCT: it gives a registered type other fields in a namespace."
#elif defined(PYTREE_FIELDS) && (defined(PYTREE_DECLARE) || defined(PYTREE_LEAF_TYPE))
#error "pytree_registry.h: PYTREE_FIELDS goes with PYTREE_STRUCT or PYTREE_DEFINE: declared types and leaf types have no rows."
#elif (defined(PYTREE_STRUCT) || defined(PYTREE_DEFINE)) && !defined(PYTREE_FIELDS) && !defined(PYTREE_CUSTOM)
#error "pytree_registry.h: define PYTREE_FIELDS, one PYTREE_FIELD row for each member of the struct, before including it."
#elif !defined(__cplusplus) && PYTREE__D2 == 8 && !defined(PYTREE_DEFINE)
#error "pytree_registry.h: 512 types are registered in this file, the most it can hold; register the rest in another file \
and pass its trees on."
#else

#if defined(PYTREE_STRUCT)
#define PYTREE__S PYTREE_STRUCT
#elif defined(PYTREE_DECLARE)
#define PYTREE__S PYTREE_DECLARE
#elif defined(PYTREE_DEFINE)
#define PYTREE__S PYTREE_DEFINE
#else
#define PYTREE__S PYTREE_LEAF_TYPE
#endif
#if defined(PYTREE_NAMESPACE)
#define PYTREE__ID PYTREE__IN_SPACE(PYTREE_STRUCT, PYTREE_NAMESPACE)
#define PYTREE__SPACE PYTREE__QUOTE(PYTREE_NAMESPACE)
#if !defined(__cplusplus)
#define PYTREE__DESCRIPTOR PYTREE__CAT4(pytree__space_, PYTREE__N2, PYTREE__N1, PYTREE__N0)
#define PYTREE__NAMESPACES &PYTREE__SLOT(pytree__space_)
#endif
#elif defined(PYTREE_STRUCT)
#define PYTREE__ID PYTREE_STRUCT         /* not PYTREE__S: each name on the way to a name costs */
#else
#define PYTREE__ID PYTREE__S
#endif
#if !defined(PYTREE_NAMESPACE)
#define PYTREE__SPACE NULL
#define PYTREE__NAMESPACES &pytree__space_000
#if defined(__cplusplus)
#elif defined(PYTREE_DEFINE)
#define PYTREE__DESCRIPTOR PYTREE__CAT(pytree__type_of_, PYTREE__S)
#else
#define PYTREE__DESCRIPTOR PYTREE__SLOT(pytree__desc)
#endif
#endif
#if defined(__cplusplus)
#define PYTREE__OF_S PYTREE__CAT(pytree__of_, PYTREE__ID)
#define PYTREE__DESCRIPTOR PYTREE__OF_S::type
#define PYTREE__DESCRIPTION const pytree_type PYTREE__DESCRIPTOR
#if defined(PYTREE_NAMESPACE)
#define PYTREE__NAMESPACES NULL           /* set before main begins */
#endif
#else
#define PYTREE__SLOT(prefix) PYTREE__CAT4(prefix, PYTREE__S2, PYTREE__S1, PYTREE__S0)
#define PYTREE__DESCRIPTION static const pytree_type PYTREE__DESCRIPTOR
#endif

#include "pytree/registry/checks.h"
#if defined(PYTREE__NAMED)
#if defined(__clang__) || defined(__cplusplus)
typedef PYTREE__S PYTREE__CAT(pytree__the_type_, PYTREE__ID);      /* typedef struct S { … } S; is above (clang shows it) */
typedef char PYTREE__CAT(pytree__bytes_of_, PYTREE__ID)[sizeof(PYTREE__S)];     /* struct S { … } is above, too */
#endif
#if defined(__GNUC__) && !defined(__TINYC__) && defined(PYTREE_FIELDS)
PYTREE__ASSERT(PYTREE__IS_STRUCT, "pytree: " PYTREE__QUOTE(PYTREE__S)
               ": only a struct has fields; PYTREE_STRUCT takes the name of the struct itself, not of a pointer to it");
#endif

/* ---- Words ------------------------------------------------------------------------------------------------------------ */

#if defined(PYTREE_FIELDS) && !defined(PYTREE__ROWS)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__CHECK_WORDS(kind, __VA_ARGS__, NONE, NONE, NONE, ~)
PYTREE_FIELDS
#endif

/* ---- The slot: everything but a definition that was declared before takes one ------------------------------------------ */

#if !defined(PYTREE_DEFINE) && !defined(__cplusplus)

/* Take the slot, then count on, so that a struct finds its own type too. */
#if PYTREE__D0 == 0
#include "pytree/registry/slot_take_group.h"
#endif
#include "pytree/registry/slot_take.h"

/* =>   _Static_assert(<code of Linear> == 0, …);
 *      typedef Linear *pytree__ptr000;
 *      static const pytree_type pytree__desc000;
 *      static const __auto_type pytree__mark000 = …; */
PYTREE__ENUM { PYTREE__SLOT(pytree__known_) = PYTREE__IS_MARKED((PYTREE__S *)0)
#if defined(PYTREE_FIELDS) && defined(__GNUC__) && !defined(__TINYC__)    /* a struct, as was checked */
    || _Generic(*(PYTREE__S *)0, pytree_f16: 1, pytree_bf16: 1, pytree_leaf: 1, pytree: 1, pytree_flat: 1, default: 0) };
#else
    || _Generic(*(PYTREE__S *)0, PYTREE__VALUES char: 1, char *: 1, const char *: 1, pytree_leaf: 1, pytree: 1, pytree_flat:
        1, default: 0) };     /* a name for it: clang quotes what is asserted */
#endif
#if defined(PYTREE_NAMESPACE)            /* the type is in the dispatch: a type of no other use takes this slot */
PYTREE__ASSERT(PYTREE__SLOT(pytree__known_) != 0,
               "pytree: " PYTREE__QUOTE(PYTREE__S) ": PYTREE_NAMESPACE is for a type that is registered already; register it "
                   "without one first, or as PYTREE_LEAF_TYPE if it is a leaf without a namespace");
PYTREE__ENUM { PYTREE__CAT(pytree_registered_in_this_namespace_already_, PYTREE__ID) };
typedef struct PYTREE__SLOT(pytree__placeholder) { char c; } *PYTREE__SLOT(pytree__ptr);
#else
PYTREE__ASSERT(PYTREE__SLOT(pytree__known_) == 0,
               "pytree: " PYTREE__QUOTE(PYTREE__S) ": this type is registered already (an alias of a registered type needs "
                   "no registration)");
typedef PYTREE__S *PYTREE__SLOT(pytree__ptr);
#endif
static const pytree_type PYTREE__SLOT(pytree__desc);
#if defined(PYTREE_NAMESPACE)
static const pytree_type PYTREE__SLOT(pytree__space_);     /* the next one in a namespace, if there will be one */
#endif
#include "pytree/registry/slot_advance.h"
#if PYTREE__D0 == 0
#include "pytree/registry/slot_advance_group.h"
#endif
#endif

#if defined(PYTREE__ROWS)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__COUNT_##kind
PYTREE__ENUM { PYTREE__CAT(pytree__count_, PYTREE__ID) = 0 PYTREE_FIELDS };
#endif

#if !defined(PYTREE_DEFINE) && defined(__cplusplus)
#include "pytree/registry/declare_cxx.h"
#elif !defined(PYTREE_DEFINE)
#if defined(PYTREE_LEAF_TYPE)
PYTREE__MARK(PYTREE__SLOT(pytree__mark), PYTREE__C_leaf, PYTREE__SLOT(pytree__desc));
#elif defined(PYTREE__ROWS)
PYTREE__MARK(PYTREE__SLOT(pytree__mark), PYTREE__CAT(pytree__count_, PYTREE__ID) != 0 ? PYTREE__C_node : PYTREE__C_struct,
             PYTREE__SLOT(pytree__desc));
#else
PYTREE__MARK(PYTREE__SLOT(pytree__mark), PYTREE__C_node, PYTREE__SLOT(pytree__desc));
#endif
#endif

/* Not read for structs with rows: compilers take time for what they skip. */
#if !defined(PYTREE_FIELDS)
#include "pytree/registry/rowless.h"
#endif

/* ---- The rows, pass by pass ------------------------------------------------------------------------------------------ */

#if defined(PYTREE_DEFINE)
#if defined(__cplusplus)
PYTREE__ENUM { PYTREE__CAT(pytree__declared_, PYTREE__S) = pytree__is_known(PYTREE__REGISTRATION(PYTREE__S)) };
#else
PYTREE__ENUM { PYTREE__CAT(pytree__declared_, PYTREE__S) = PYTREE__IS_MARKED((PYTREE__S *)0) };
#endif
PYTREE__ASSERT(PYTREE__CAT(pytree__declared_, PYTREE__S) != 0,
               "pytree: " PYTREE__QUOTE(PYTREE__S) ": PYTREE_DEFINE is for a type that PYTREE_DECLARE has named before; "
                   "write PYTREE_STRUCT");
#endif
#if defined(PYTREE__ROWS)
/* Never defined. Members are named in it where only their types count: pytree__any_Linear.w has fewer words than
 * ((Linear *)0)->w, and each costs compilers time. */
extern PYTREE__S PYTREE__CAT(pytree__any_, PYTREE__ID);

#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__PLACE(PYTREE__ID, PYTREE__S, __VA_ARGS__, NONE, NONE, ~)
PYTREE__ENUM { PYTREE__CAT(pytree__begin_, PYTREE__ID),
    PYTREE_FIELDS                         /* a row names a member; a bit-field: BITS; T f[]: FLEXIBLE (clang shows this line) */
    PYTREE__CAT(pytree__end_, PYTREE__ID) };
#if defined(__GNUC__) && !defined(__TINYC__)  /* a number that is written to a bit-field may be too large for it */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmissing-braces"  /* of the literal whose braces are counted */
#pragma GCC diagnostic ignored "-Wpedantic"    /* it may have a flexible array member */
#endif
#if defined(__cplusplus) || !defined(__GNUC__) || defined(__TINYC__)
#include "pytree/registry/complete.h"
#else                                     /* what follows is written so that compilers show a line that says what is wrong */
#if defined(__clang__)
#pragma clang diagnostic push
#pragma clang diagnostic ignored "-Weverything"    /* of braces around numbers */
#endif
static PYTREE__S PYTREE__CAT(pytree__all_, PYTREE__ID)[] PYTREE__MAYBE_UNUSED = {  /* a member up to T f[] is not listed */
#include "pytree/registry/complete.h"
#if defined(__clang__)
    PYTREE_FIELDS 0 };                    /* _Atomic: add ATOMIC to its row; T f[]: a member before it is not listed */
#pragma clang diagnostic pop
#endif
PYTREE__ENUM {
    PYTREE__CAT(pytree__complete_, PYTREE__ID) = sizeof PYTREE__CAT(pytree__all_, PYTREE__ID) >= 2 * sizeof(PYTREE__S)
};
#endif
#if PYTREE__KNOWS_READS
#include "pytree/registry/reads.h"
#endif

#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__CHECK_##kind(PYTREE__ID, PYTREE__S, __VA_ARGS__, NONE, NONE, NONE, ~)
PYTREE_FIELDS                         /* CASE: a member of the union; a tag: an integer; STB_MAP: key and value; AS: a type */
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC diagnostic pop
#endif
PYTREE__ASSERT(PYTREE__GAP_FITS((int)sizeof(PYTREE__S) + 1 - PYTREE__CAT(pytree__end_, PYTREE__ID),
                                PYTREE__CAT(pytree__complete_, PYTREE__ID), (int)PYTREE__ALIGN_OF_TYPE(PYTREE__S)),
               "pytree: " PYTREE__QUOTE(PYTREE__S) ": a field at the end is not listed; give it a row (DATA, STATIC, or "
                   "DROP for padding and scratch space)");

#if defined(__cplusplus)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__VECTORS_##kind(PYTREE__ID, __VA_ARGS__, NONE, NONE, NONE, ~)
PYTREE__CHECK_STRUCT(PYTREE__S, PYTREE__QUOTE(PYTREE__S), 0 PYTREE_FIELDS)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__OBJECTS_##kind(PYTREE__ID, PYTREE__S, __VA_ARGS__, NONE, NONE, NONE, ~)
PYTREE_FIELDS
#endif

/* Expand the macros of the program in the text of each row, but not AS(PYTREE_TYPE(T)): it would list all types. */
#pragma push_macro("PYTREE_TYPE")
#undef PYTREE_TYPE
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...)                                                                                         \
    PYTREE__TABLE_##kind(PYTREE__ID, PYTREE__S, PYTREE__QUOTE_ALL(__VA_ARGS__), __VA_ARGS__, NONE, NONE, NONE, ~)
static const pytree_field PYTREE__CAT(pytree__fields_, PYTREE__ID)[] = { PYTREE_FIELDS PYTREE__NO_ROW };
#pragma pop_macro("PYTREE_TYPE")

PYTREE__ENUM {
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__CODES_##kind(PYTREE__ID, PYTREE__S, __VA_ARGS__, NONE, ~)
    PYTREE__CAT(pytree__codes_, PYTREE__ID) = 0 PYTREE_FIELDS,
    PYTREE__SUMMARY(PYTREE__ID)
};
#if PYTREE__FOR_SPEED && !defined(__cplusplus)
#include "pytree/registry/unnamed.h"
#endif

/* Names of a program in row expressions are its own: all that is local here but self begins with pytree__. */
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"    /* of a self at file scope */
#endif

#if !PYTREE__ROWS_ARE_STATEMENTS
/* Evaluate the extents of the rows: see pytree__noted. */
static void PYTREE__CAT(pytree__sizes_, PYTREE__ID)(PYTREE__REGISTER const void *pytree__at,
                                                    PYTREE__REGISTER pytree__viewing *pytree__to)
{
    PYTREE__REGISTER const PYTREE__S *const self = (const PYTREE__S *)pytree__at;
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__SIZES_##kind(PYTREE__ID, __VA_ARGS__, NONE, NONE, NONE, ~)
    const size_t pytree__sizes[] = {
        PYTREE_FIELDS                     /* extents and counts are integers, self->n (clang shows this line) */
        0
    };
    (void)self;
    pytree__view_rows(pytree__to, pytree__sizes);
}
#else
/* Write views of the children or of all leaves: see pytree_type. Those of large structs are not copied into others', which
 * would take gcc a fifth of its time. */
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__COUNT_##kind
#if 0 PYTREE_FIELDS > 6
PYTREE__HELPER pytree__flatten_result
#else
PYTREE__NOINLINE_CLANG pytree__flatten_result
#endif
PYTREE__CAT(pytree__views_, PYTREE__ID)(const void *pytree__at, pytree_leaf *pytree__to, const pytree_leaf *pytree__end,
                                        unsigned pytree__of)
{
    const PYTREE__S *const self = (const PYTREE__S *)pytree__at;
    const pytree_field *pytree__row = PYTREE__CAT(pytree__fields_, PYTREE__ID);
    const pytree_field *const pytree__last = pytree__row + PYTREE__CAT(pytree__rows_, PYTREE__ID);
    pytree_leaf *const pytree__first = pytree__to;
    pytree__flatten_result pytree__seen;
    const volatile void *pytree__pointer;
    size_t pytree__extent, pytree__bits = 0;
    uintptr_t pytree__least = UINTPTR_MAX;
    size_t pytree__flags = pytree__view_begin(
        PYTREE__CAT(pytree__self_contained_, PYTREE__ID) ? PYTREE__CAT(pytree__count_, PYTREE__ID) : INT_MAX,
        pytree__to, pytree__end, pytree__of);
    if (pytree__flags != 0) { return pytree__view_result(pytree__to, pytree__flags); }
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__VIEW_##kind(PYTREE__ID, __VA_ARGS__, NONE, NONE, NONE, ~)
    PYTREE_FIELDS                         /* extents and counts are integers, self->n (clang shows this line) */
    (void)self; (void)pytree__last; (void)pytree__first; (void)pytree__seen; (void)pytree__pointer; (void)pytree__extent;
    return pytree__view_result(pytree__to, pytree__flags | PYTREE__DOUBTS(pytree__least == 0, pytree__bits));
}
#endif

#if PYTREE__FOR_SPEED
#include "pytree/registry/speed.h"
#endif

#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC diagnostic pop
#endif

#if !defined(PYTREE_SMALL)
static pytree__noted PYTREE__NOTE(PYTREE__ID);
#endif
PYTREE__DESCRIPTION = {
    PYTREE__QUOTE(PYTREE__S), sizeof(PYTREE__S), PYTREE__ALIGN_OF_TYPE(PYTREE__S), PYTREE_KIND_STRUCT, PYTREE_NO_DTYPE,
    PYTREE__DESCRIBE(PYTREE__ID),
    NULL, NULL, NULL, NULL, PYTREE__SPACE, PYTREE__NAMESPACES, NULL, NULL
    PYTREE__NOTED_AT(&PYTREE__CAT(pytree__noted_, PYTREE__ID))
};
#endif

#endif
#endif

/* Remember the slot of the last registration in a namespace: it names the next one's descriptor. */
#if defined(PYTREE_NAMESPACE) && defined(PYTREE__S0)
#include "pytree/registry/slot_link.h"
#endif

/* ---- Nothing stays behind -------------------------------------------------------------------------------------------- */

#undef PYTREE_STRUCT
#undef PYTREE_DECLARE
#undef PYTREE_DEFINE
#undef PYTREE_LEAF_TYPE
#undef PYTREE_ENUM
#undef PYTREE_CONSTANTS
#undef PYTREE_FIELDS
#undef PYTREE_CUSTOM
#undef PYTREE_NAMESPACE
#undef PYTREE_EQUAL
#undef PYTREE_PRINT
#undef PYTREE__S
#undef PYTREE__NAMED
#undef PYTREE__ID
#undef PYTREE__SPACE
#undef PYTREE__DESCRIPTOR
#undef PYTREE__DESCRIPTION
#undef PYTREE__OF_S
#undef PYTREE__NAMESPACES
#undef PYTREE__ROWS
#undef PYTREE__SLOT
#undef PYTREE__S0
#if defined(PYTREE__ASIDE)
#include "pytree/registry/aside.h"
#endif
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
