/* pytree/registry/primitives_c.h: what registrations need of the language, in C: constants, assertions, and the codes and
 * descriptors of members by _Generic. All macros that C and C++ define differently are here. Included by rows.h. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_PRIMITIVES_C_H
#define PYTREE_REGISTRY_PRIMITIVES_C_H

#include "codes.h"

/* ---- Declarations ---------------------------------------------------------------------------------------------------- */

#define PYTREE__ALIGN_OF_TYPE _Alignof
#define PYTREE__NO_ROW { 0 }
#define PYTREE__READ_AHEAD struct pytree_type;
#define PYTREE__REGISTER register         /* gcc -O0: a sixth fewer instructions for a function of such variables */

/* Constant objects that the table of rows refers to: functions of a row, by the names of pytree_row_functions; rows; the type
 * of elements. C++ makes them under a name beforehand. */
#define PYTREE__FUNCTION(member, function) &(const pytree_row_functions){ .member = function }
#define PYTREE__FUNCTIONS(member, function, other, value) &(const pytree_row_functions){ .member = function, .other = value }
#define PYTREE__ROWS_OF(name, ...) (const pytree_field[]){ __VA_ARGS__ { 0 } }
#define PYTREE__ELEMENT_TYPE(name, x, ...)                                                                                  \
    &(const pytree_type)PYTREE__EACH_TYPE(x, PYTREE__ROWS_OF(name, PYTREE__EACH_ROW(__VA_ARGS__),))

/* ---- Expressions ----------------------------------------------------------------------------------------------------- */

/* Choose by a constant: yes or no, of any types. The other one must be valid, too. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__CHOOSE(constant, yes, no) __builtin_choose_expr(constant, yes, no)
#else
#define PYTREE__CHOOSE(constant, yes, no) _Generic((char (*)[1 + !!(constant)])0, char (*)[2]: (yes), char (*)[1]: (no))
#endif

/* The value that x holds: an element of an array if `yes`, otherwise x. */
#define PYTREE__INNER(yes, x) *PYTREE__CHOOSE(yes, x, &x)
#define PYTREE__INNER_SIZE(yes, x) sizeof(PYTREE__INNER(yes, x))
#if defined(__GNUC__) || defined(__clang__) || defined(__TINYC__)
#define PYTREE__INNER_TYPE(inner, yes, x) typedef __typeof__(PYTREE__INNER(yes, x)) inner;
#define PYTREE__SIZE_OF_INNER(inner, yes, x) sizeof(inner)
#define PYTREE__INNER_IS_RECORD(inner, yes, x) PYTREE__IS_RECORD(*(inner *)0)
#define PYTREE__INNER_IS_ARRAY(inner, yes, x) PYTREE__IS_ARRAY(*(inner *)0)
#else
#define PYTREE__INNER_TYPE(inner, yes, x)
#define PYTREE__SIZE_OF_INNER(inner, yes, x) PYTREE__INNER_SIZE(yes, x)
#define PYTREE__INNER_IS_RECORD(inner, yes, x) PYTREE__IS_RECORD(PYTREE__INNER(yes, x))
#define PYTREE__INNER_IS_ARRAY(inner, yes, x) PYTREE__IS_ARRAY(PYTREE__INNER(yes, x))
#endif
#define PYTREE__ARRAY_CODE(x) PYTREE__POINTER_CODE(x) | PYTREE__FIXED(x)
/* A tag of a union, a constant beside it, a number for a bit-field. */
#define PYTREE__AS_CONSTANT(value) (value)
#define PYTREE__TO_MEMBER(member, number) number

/* Tell whether x is an array. As an operand of a comma, or of a conditional (which makes an int of what is smaller), one is a
 * pointer. Elsewhere the sizes tell, except for arrays as large as a pointer. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__IS_ARRAY(x) (!__builtin_types_compatible_p(__typeof__(x), __typeof__(((void)0, x))))
#define PYTREE__ALIGN_OF(x) (int)__alignof__(x)
#define PYTREE__HOLDS_POINTER(x) (__builtin_classify_type(x) == 5 && !PYTREE__IS_ARRAY(x))
#elif defined(__TINYC__)
#define PYTREE__IS_ARRAY(x)                                                                                             \
    (!__builtin_types_compatible_p(__typeof__(x), __typeof__(1 ? (x) : (x))) &&                                         \
    !__builtin_types_compatible_p(__typeof__(1                                                                          \
        ? (x) : (x)), int))
#define PYTREE__ALIGN_OF(x) (int)__alignof__(x)
#else
#define PYTREE__IS_ARRAY(x) (sizeof(x) != sizeof(((void)0, (x))))
#define PYTREE__ALIGN_OF(x) (sizeof(x) < 16 ? (int)sizeof(x) : 16)
#endif
#ifndef PYTREE__HOLDS_POINTER            /* nor is it a number: of a struct's text no arrow, [ or * is behind or before */
#define PYTREE__HOLDS_POINTER(x) !_Generic((x), PYTREE__VALUES char: 1, default: PYTREE__IS_ARRAY(x))
#endif
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__IS_RECORD(x) ((__builtin_classify_type(x) & ~1) == 12)
#define PYTREE__NO_UNION(x) (__builtin_classify_type(x) != 13)
#define PYTREE__CHECK_SCALAR(code, x, in)
#else                                     /* only scalars can be negated */
#define PYTREE__IS_RECORD(x) 0
#define PYTREE__NO_UNION(x) 0
#define PYTREE__CHECK_SCALAR(code, x, in)                                                                               \
    PYTREE__ASSERT((code) != 0 || sizeof(!PYTREE__CHOOSE((code) == 0, x, 0)) != 0, in PYTREE__UNKNOWN);
#endif

/* ---- Types by slot --------------------------------------------------------------------------------------------------
 *
 * Slot 017 (octal) holds pytree__ptr017, a pointer to the type, its descriptor pytree__desc017 and its mark pytree__mark017,
 * which says the code of a pointer to it. A dispatch looks for a pointer, so that one association does for a
 * value, an array and a pointer. It is nested in groups of eight, because compilers compare each association with each other
 * one in its list:
 *
 *     _Generic((x), pytree__ptr020: &pytree__desc020, default:
 *     _Generic((x), pytree__ptr010: &pytree__desc010, …, pytree__ptr017: &pytree__desc017, default:
 *     _Generic((x), pytree__ptr000: &pytree__desc000, …, pytree__ptr007: &pytree__desc007, default: <built-in types>)))
 *
 * All of it is written out for each member, so each token of it counts: full groups are text (slots.h), which costs
 * half of what names cost that are put together. */
#define PYTREE__D2 0
#define PYTREE__D1 0
#define PYTREE__D0 0

/* The registrations of a file in namespaces are a list that begins at pytree__space_000 and goes on, behind one with slot 017,
 * at pytree__space_017. Its end is declared and never defined: all zero, without a name. These are the digits of the last one.
 *
 *     static const pytree_type pytree__space_000 = { "Linear", …, "train", &pytree__space_017 };          slot 017
 *     static const pytree_type pytree__space_017; */
#define PYTREE__N2 0
#define PYTREE__N1 0
#define PYTREE__N0 0
static const pytree_type pytree__space_000;

/* As many parentheses as there are full groups, then as many as there are in full blocks: each new slot defines them anew. */
#define PYTREE__CLOSE
#define PYTREE__CLOSE_BLOCKS
#define PYTREE__CLOSE_8 ))))))))
#define PYTREE__CLOSE_32 PYTREE__CLOSE_8 PYTREE__CLOSE_8 PYTREE__CLOSE_8 PYTREE__CLOSE_8
/* Everything registered so far, in front of what is written between the two. The control stands before every group: a short
 * one is best. With two types registered:
 *
 *     PYTREE__DISPATCH(p, PYTREE__DESCS_) NULL PYTREE__DISPATCH_END   =>
 *     _Generic(p, pytree__ptr000: &pytree__desc000, pytree__ptr001: &pytree__desc001, default: NULL) */
#define PYTREE__DISPATCH(x, list) PYTREE__DISPATCH_(x, list, PYTREE__D2, PYTREE__D1, PYTREE__D0)
#define PYTREE__DISPATCH_(x, list, d2, d1, d0) PYTREE__DISPATCH__(x, list, d2, d1, d0)
#define PYTREE__DISPATCH__(x, list, d2, d1, d0)                                                                         \
    _Generic(x, list##OF_##d0(d2##d1) default: PYTREE__GROUPS_##d1(x, list, d2) PYTREE__BLOCKS_##d2(x, list)
#define PYTREE__DISPATCH_END PYTREE__CLOSE PYTREE__CLOSE_BLOCKS )

/* Make a NULL pointer to the type that x has as a value, so that const plays no role. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__TO_VALUE(x) (__typeof__(((void)0, x)) *)0
#elif defined(__TINYC__)
#define PYTREE__TO_VALUE(x) (__typeof__(1 ? (x) : (x)) *)0
#else                                     /* const plays a role here */
#define PYTREE__TO_VALUE(x) &(x)
#endif
#undef PYTREE__USER_TYPE
#define PYTREE__USER_TYPE(x)                                                                                            \
    PYTREE__DISPATCH(PYTREE__TO_VALUE(x), PYTREE__DESCS_) PYTREE__BUILTIN_TYPE(x) PYTREE__DISPATCH_END

/* What a dispatch finds of a member x that may be a value, an array or a pointer. Where the compiler can say what is a pointer
 * (class 5), `held` names a type: that pointer, or one to the value. A leaf type or custom node may be a pointer itself, so
 * from the first one of a file on, values are looked for before. */
#if ((defined(__clang__) && __clang_major__ >= 14) || (defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12)) \
    && !defined(__TINYC__)
#define PYTREE__BY_POINTER 1
/* A mark is a constant that points to the descriptor; its type has the code. So a member is looked for once, and its type in
 * the table is what was found: these compilers take a constant pointer for a constant.
 *
 *     static const __auto_type pytree__mark017 = (const size_t (*)[PYTREE__C_node + PYTREE__IS_POINTER])&pytree__desc017;
 *     typedef __typeof__(<pointer to the member's type>) pytree__held_MLP__head;
 *     static const __auto_type pytree__is_pytree__held_MLP__head = _Generic((pytree__held_MLP__head)0,
 *         pytree__ptr017: pytree__mark017, default: (const size_t (*)[1])0); */
#define PYTREE__AUTO_CONSTANT __extension__ static const __auto_type
#define PYTREE__MARK(mark, code, descriptor)                                                                            \
    PYTREE__AUTO_CONSTANT mark PYTREE__MAYBE_UNUSED = (const size_t (*)[(int)(code) + PYTREE__IS_POINTER])&descriptor
#define PYTREE__NO_MARK (const size_t (*)[1])0
#define PYTREE__HAS_MARK(mark) sizeof(*mark) > sizeof(size_t)
#define PYTREE__CODE_OF(mark) (int)(sizeof(*mark) / sizeof(size_t))
#define PYTREE__IS_MARKED(x)                                                                                            \
    sizeof(*PYTREE__DISPATCH(x, PYTREE__MARKS_) PYTREE__NO_MARK PYTREE__DISPATCH_END) > sizeof(size_t)
#define PYTREE__FIND_BY_POINTER(held, x)                                                                                \
    typedef __typeof__(__builtin_choose_expr(__builtin_classify_type(x) == 5, ((void)0, x), (__typeof__(((void)0, x))   \
    *)0))                                                                                                               \
        held;                                                                                                           \
    PYTREE__AUTO_CONSTANT pytree__is_##held PYTREE__MAYBE_UNUSED =                                                      \
        PYTREE__DISPATCH((held)0, PYTREE__MARKS_) PYTREE__NO_MARK PYTREE__DISPATCH_END;
#define PYTREE__FIND_BY_BOTH(held, x)                                                                                   \
    PYTREE__FIND_BY_POINTER(held, x)                                                                                    \
    PYTREE__AUTO_CONSTANT pytree__as_##held PYTREE__MAYBE_UNUSED =                                                      \
        PYTREE__DISPATCH(PYTREE__TO_VALUE(x), PYTREE__MARKS_) PYTREE__NO_MARK PYTREE__DISPATCH_END;
#define PYTREE__TYPE_BY_POINTER(held, x, other)                                                                         \
    __builtin_choose_expr(PYTREE__HAS_MARK(pytree__is_##held), (const pytree_type *)pytree__is_##held, other)
#define PYTREE__TYPE_BY_BOTH(held, x, other)                                                                            \
    __builtin_choose_expr(PYTREE__HAS_MARK(pytree__as_##held), (const pytree_type *)pytree__as_##held,                  \
                          PYTREE__TYPE_BY_POINTER(held, x, other))
/* Inside of compound literals, which have the rows of unions and elements, gcc takes none. */
#define PYTREE__OF_TYPE_INSIDE(held, x, other)                                                                          \
    PYTREE__DISPATCH(PYTREE__TO_VALUE(x), PYTREE__DESCS_) PYTREE__DISPATCH((held)0, PYTREE__DESCS_)                     \
    other PYTREE__DISPATCH_END PYTREE__DISPATCH_END
#define PYTREE__FIND PYTREE__FIND_BY_POINTER
#define PYTREE__OF_TYPE PYTREE__TYPE_BY_POINTER
#define PYTREE__CODE PYTREE__CODE_BY_POINTER
#else                                     /* a mark is the code; looked for twice */
#define PYTREE__BY_POINTER 0
#define PYTREE__MARK(mark, code, descriptor) PYTREE__ENUM { mark = (int)(code) + PYTREE__IS_POINTER }
#define PYTREE__IS_MARKED(x) (PYTREE__DISPATCH(x, PYTREE__MARKS_) 0 PYTREE__DISPATCH_END) != 0
#define PYTREE__FIND(held, x)
#define PYTREE__OF_TYPE(held, x, other)                                                                                 \
    PYTREE__DISPATCH(PYTREE__TO_VALUE(x), PYTREE__DESCS_) PYTREE__DISPATCH(x, PYTREE__DESCS_)                           \
    other PYTREE__DISPATCH_END PYTREE__DISPATCH_END
#define PYTREE__OF_TYPE_INSIDE PYTREE__OF_TYPE
#define PYTREE__CODE PYTREE__CODE_BY_BOTH
#endif

#if defined(__STDC_NO_COMPLEX__) || defined(__TINYC__)
#define PYTREE__COMPLEX(X)
#define PYTREE__COMPLEX_VALUES
#define PYTREE__COMPLEX_POINTERS
#define PYTREE__COMPLEX_CONSTS
#define PYTREE__COMPLEX_ROW_POINTERS
#else
#define PYTREE__COMPLEX(X) X(cfloat, float _Complex) X(cdouble, double _Complex) X(cldouble, long double _Complex)
#define PYTREE__COMPLEX_VALUES                                                                                          \
    float _Complex: PYTREE__C_cfloat, double _Complex: PYTREE__C_cdouble, long double _Complex: PYTREE__C_cldouble,
#define PYTREE__COMPLEX_POINTERS                                                                                        \
    pytree__ptr_cfloat: PYTREE__P_cfloat, pytree__ptr_cdouble: PYTREE__P_cdouble, pytree__ptr_cldouble: PYTREE__P_cldouble,
#define PYTREE__COMPLEX_CONSTS                                                                                          \
    pytree__cptr_cfloat: PYTREE__P_cfloat, pytree__cptr_cdouble: PYTREE__P_cdouble, pytree__cptr_cldouble: PYTREE__P_cldouble,
#define PYTREE__COMPLEX_ROW_POINTERS                                                                                    \
    pytree__rowptr_cfloat: PYTREE__R_cfloat, pytree__rowptr_cdouble: PYTREE__R_cdouble,                                 \
    pytree__rowptr_cldouble: PYTREE__R_cldouble,
#endif
/* Likewise one name for each type: ptr is a pointer, cptr a pointer to const, rowptr a pointer to a row of a table. */
#define PYTREE__X(id, T) typedef T *pytree__ptr_##id; typedef const T *pytree__cptr_##id; typedef T (*pytree__rowptr_##id)[];
PYTREE__SCALARS(PYTREE__X) PYTREE__COMPLEX(PYTREE__X)
#undef PYTREE__X
#define PYTREE__VALUES                                                                                                  \
    _Bool: PYTREE__C_bool_, signed char: PYTREE__C_schar, unsigned char: PYTREE__C_uchar, short: PYTREE__C_short_,      \
    unsigned short: PYTREE__C_ushort, int: PYTREE__C_int_, unsigned: PYTREE__C_uint, long: PYTREE__C_long_,             \
    unsigned long: PYTREE__C_ulong, long long: PYTREE__C_llong, unsigned long long: PYTREE__C_ullong,                   \
    float: PYTREE__C_float_, double: PYTREE__C_double_, long double: PYTREE__C_ldouble, pytree_f16: PYTREE__C_f16,      \
    pytree_bf16: PYTREE__C_bf16, PYTREE__COMPLEX_VALUES
#define PYTREE__POINTERS                                                                                                \
    pytree__ptr_bool_: PYTREE__P_bool_, pytree__ptr_schar: PYTREE__P_schar, pytree__ptr_uchar: PYTREE__P_uchar,         \
    pytree__ptr_short_: PYTREE__P_short_, pytree__ptr_ushort: PYTREE__P_ushort, pytree__ptr_int_: PYTREE__P_int_,       \
    pytree__ptr_uint: PYTREE__P_uint, pytree__ptr_long_: PYTREE__P_long_, pytree__ptr_ulong: PYTREE__P_ulong,           \
    pytree__ptr_llong: PYTREE__P_llong, pytree__ptr_ullong: PYTREE__P_ullong, pytree__ptr_float_: PYTREE__P_float_,     \
    pytree__ptr_double_: PYTREE__P_double_, pytree__ptr_ldouble: PYTREE__P_ldouble, pytree__ptr_f16: PYTREE__P_f16,     \
    pytree__ptr_bf16: PYTREE__P_bf16, PYTREE__COMPLEX_POINTERS PYTREE__STRING_POINTERS
#define PYTREE__STRING_POINTERS char **: PYTREE__P_string, const char **: PYTREE__P_string,
/* A const enum is no const integer to gcc, whereas an enum is the integer that holds it. */
#define PYTREE__ENUM_POINTERS                                                                                           \
    pytree__ptr_schar: PYTREE__P_schar, pytree__ptr_uchar: PYTREE__P_uchar, pytree__ptr_short_: PYTREE__P_short_,       \
    pytree__ptr_ushort: PYTREE__P_ushort, pytree__ptr_int_: PYTREE__P_int_, pytree__ptr_uint: PYTREE__P_uint,           \
    pytree__ptr_long_: PYTREE__P_long_, pytree__ptr_ulong: PYTREE__P_ulong,
#define PYTREE__CONSTS                                                                                                  \
    pytree__cptr_bool_: PYTREE__P_bool_, pytree__cptr_schar: PYTREE__P_schar, pytree__cptr_uchar: PYTREE__P_uchar,      \
    pytree__cptr_short_: PYTREE__P_short_, pytree__cptr_ushort: PYTREE__P_ushort, pytree__cptr_int_: PYTREE__P_int_,    \
    pytree__cptr_uint: PYTREE__P_uint, pytree__cptr_long_: PYTREE__P_long_, pytree__cptr_ulong: PYTREE__P_ulong,        \
    pytree__cptr_llong: PYTREE__P_llong, pytree__cptr_ullong: PYTREE__P_ullong, pytree__cptr_float_: PYTREE__P_float_,  \
    pytree__cptr_double_: PYTREE__P_double_, pytree__cptr_ldouble: PYTREE__P_ldouble, pytree__cptr_f16: PYTREE__P_f16,  \
    pytree__cptr_bf16: PYTREE__P_bf16, PYTREE__COMPLEX_CONSTS
#define PYTREE__ROW_POINTERS                                                                                            \
    pytree__rowptr_bool_: PYTREE__R_bool_, pytree__rowptr_schar: PYTREE__R_schar,                                       \
    pytree__rowptr_uchar: PYTREE__R_uchar, pytree__rowptr_short_: PYTREE__R_short_,                                     \
    pytree__rowptr_ushort: PYTREE__R_ushort, pytree__rowptr_int_: PYTREE__R_int_, pytree__rowptr_uint: PYTREE__R_uint,  \
    pytree__rowptr_long_: PYTREE__R_long_, pytree__rowptr_ulong: PYTREE__R_ulong,                                       \
    pytree__rowptr_llong: PYTREE__R_llong, pytree__rowptr_ullong: PYTREE__R_ullong,                                     \
    pytree__rowptr_float_: PYTREE__R_float_, pytree__rowptr_double_: PYTREE__R_double_,                                 \
    pytree__rowptr_ldouble: PYTREE__R_ldouble, pytree__rowptr_f16: PYTREE__R_f16, pytree__rowptr_bf16: PYTREE__R_bf16,  \
    pytree__rowptr_char_: PYTREE__R_char_, PYTREE__COMPLEX_ROW_POINTERS
#define PYTREE__TREE_POINTERS pytree_leaf *: PYTREE__P_view, pytree *: PYTREE__P_ref, pytree_flat *: PYTREE__P_flat,

/* Find the code of a value, an array or a pointer; char * is a P_char here. What is no pointer by itself is an array.
 *
 *     (… ? -1 : ~(PYTREE__IS_POINTER + PYTREE__IS_FIXED)) & (… | (sizeof(*pytree__is_pytree__held_Linear__din) > … ? … :
 *     _Generic((const __typeof__(*(pytree__held_Linear__din)0) *)0, …, const int *: PYTREE__P_int_, …))) */
#if PYTREE__BY_POINTER
#define PYTREE__CODE_BY_POINTER(held, x)                                                                                \
    (__builtin_classify_type(x) == 5 ? -1 : ~(PYTREE__IS_POINTER + PYTREE__IS_FIXED))                                   \
        & (!__builtin_types_compatible_p(__typeof__(x), held) * PYTREE__IS_FIXED                                        \
           | (PYTREE__HAS_MARK(pytree__is_##held) ? PYTREE__CODE_OF(pytree__is_##held) :                                \
              PYTREE__BUILTIN_POINTERS(held)))
#if defined(__clang__)                    /* which warns of a const function */
#define PYTREE__BUILTIN_POINTERS(held)                                                                                  \
    _Generic((held)0, PYTREE__POINTERS char *: PYTREE__P_char_, PYTREE__TREE_POINTERS default:                          \
    _Generic((held)0, PYTREE__CONSTS const char *: PYTREE__P_char_, default:                                            \
    _Generic((held)0, PYTREE__ROW_POINTERS default: 0)))
#else
#define PYTREE__BUILTIN_POINTERS(held)                                                                                  \
    _Generic((const __typeof__(*(held)0) *)0, PYTREE__CONSTS const char *: PYTREE__P_char_, default:                    \
    _Generic((held)0, PYTREE__ENUM_POINTERS PYTREE__STRING_POINTERS PYTREE__TREE_POINTERS PYTREE__ROW_POINTERS default: 0))
#endif
#define PYTREE__CODE_BY_BOTH(held, x)                                                                                   \
    (PYTREE__HAS_MARK(pytree__as_##held) ? PYTREE__CODE_OF(pytree__as_##held) - PYTREE__IS_POINTER                      \
     : PYTREE__HAS_MARK(pytree__is_##held) ? PYTREE__CODE_OF(pytree__is_##held) : PYTREE__BUILTIN_CODE(x)) | PYTREE__FIXED(x)
#else
#define PYTREE__CODE_BY_BOTH(held, x)                                                                                   \
    (PYTREE__DISPATCH(PYTREE__TO_VALUE(x), PYTREE__MARKS_) PYTREE__IS_POINTER                                           \
        + (PYTREE__DISPATCH(x, PYTREE__MARKS_) PYTREE__BUILTIN_CODE(x) PYTREE__DISPATCH_END)                            \
    PYTREE__DISPATCH_END - PYTREE__IS_POINTER) | PYTREE__FIXED(x)
#endif
#define PYTREE__BUILTIN_CODE(x)                                                                                         \
    _Generic((x), PYTREE__VALUES char: PYTREE__C_char_,                                                                 \
        pytree_leaf: PYTREE__C_view, pytree: PYTREE__C_ref, pytree_flat: PYTREE__C_flat, default:                       \
    _Generic((x), PYTREE__POINTERS char *: PYTREE__P_char_, PYTREE__TREE_POINTERS default:                              \
    _Generic((x), PYTREE__CONSTS PYTREE__ROW_POINTERS const char *: PYTREE__P_char_, default: 0)))
/* Find the code of a pointer to numbers or strings. */
#if PYTREE__BY_POINTER
#define PYTREE__POINTER_CODE(x)                                                                                         \
    _Generic((const __typeof__(*__builtin_choose_expr(__builtin_classify_type(x) == 5, x, (struct pytree_type *)0)) *)0, \
        PYTREE__CONSTS const char *: PYTREE__P_char_, default:                                                          \
    _Generic((x), PYTREE__ENUM_POINTERS PYTREE__STRING_POINTERS default: 0))
#else
#define PYTREE__POINTER_CODE(x)                                                                                         \
    _Generic((x), PYTREE__POINTERS char *: PYTREE__P_char_, default:                                                    \
    _Generic((x), PYTREE__CONSTS const char *: PYTREE__P_char_, default: 0))
#endif
/* What only C++ members can be. */
#define PYTREE__CHECK_BYTES(code, in)
#define PYTREE__CHECK_DROPPED_BYTES(x, in)

/* Of an array of char; of a pointer to void; of the key of a map. */
#define PYTREE__CHARS_CODE(x)                                                                                           \
    _Generic((x), char *: PYTREE__P_char_, signed char *: PYTREE__P_char_, unsigned char *: PYTREE__P_char_,            \
        pytree__rowptr_char_: PYTREE__R_char_, default: 0)
#define PYTREE__VOID_CODE(x) _Generic((x), void *: PYTREE__IS_POINTER, const void *: PYTREE__IS_POINTER, default: 0)
#define PYTREE__KEY_CODE(x) _Generic(PYTREE__KEY_OF(x), char *: 0, const char *: 0, default: PYTREE__OTHER_KEY)

/* Of an atomic number. Compilers differ in what is left of _Atomic where the type of a member is asked for; of its value
 * nothing is. */
#define PYTREE__ATOMIC_CODE(x) sizeof(x) == sizeof(((void)0, x)) ? PYTREE__BUILTIN_CODE(x) : 0
/* Tell by IS_ATOMIC whether it is atomic, which in gcc nothing else tells: of its value nothing is left of _Atomic; by IS_CONST
 * whether it is const. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define PYTREE__ATOMIC(x)                                                                                               \
    _Generic(&(x), _Atomic(__typeof__(((void)0, x))) *: PYTREE__IS_ATOMIC, const __typeof__(x) *: PYTREE__IS_CONST, default: 0)
#else
#define PYTREE__ATOMIC(x) 0
#endif

/* Find the element type of an enum, which C does not tell from an integer; PYTREE_NO_DTYPE for what is neither. */
#define PYTREE__INTEGER_DTYPE(T)                                                                                        \
    _Generic(*(T *)0,                                                                                                   \
        signed char: PYTREE_I8, short: PYTREE_I16, int: PYTREE_I32, long: sizeof(long) == 8 ? PYTREE_I64 : PYTREE_I32,  \
        long long: PYTREE_I64, unsigned char: PYTREE_U8, unsigned short: PYTREE_U16, unsigned: PYTREE_U32,              \
        unsigned long: sizeof(long) == 8 ? PYTREE_U64 : PYTREE_U32, unsigned long long: PYTREE_U64,                     \
        default: PYTREE_NO_DTYPE)
/* Tell whether an entry of a map has only its key and its value: where these lie, and behind a number, whether another 0 begins
 * another entry. */
#if defined(__GNUC__) && !defined(__TINYC__)
#define PYTREE__QUIET_BEGIN                                                                                             \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wmissing-braces\"")                               \
    _Pragma("GCC diagnostic ignored \"-Wmissing-field-initializers\"")
#define PYTREE__QUIET_END _Pragma("GCC diagnostic pop")
#define PYTREE__IS_PAIR(x)                                                                                              \
    (__builtin_offsetof(__typeof__(*x), key) == 0 && sizeof(x->key) <= sizeof(char *)                                   \
     && __builtin_offsetof(__typeof__(*x), value) < sizeof(char *) + __alignof__(x->value)                              \
     && sizeof(*x) - __builtin_offsetof(__typeof__(*x), value) - sizeof(x->value) < __alignof__(*x)                     \
     && (PYTREE__IS_RECORD(x->value) || PYTREE__IS_ARRAY(x->value)                                                      \
         || sizeof((__typeof__(*x)[]){ [0].value = 0, 0 }) > sizeof(*x)))
#else
#define PYTREE__QUIET_BEGIN
#define PYTREE__QUIET_END
#define PYTREE__IS_PAIR(x) 1
#endif
#endif
