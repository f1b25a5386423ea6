/* pytree_macros.h: the macros of pytree_registry.h, which includes it, once. They are a file of their own because a compiler
 * reads all of a file to skip what it has seen: for each registered type that took longer than a struct's rows. */
#ifndef PYTREE_MACROS_H
#define PYTREE_MACROS_H

#define PYTREE__CAT(a, b) PYTREE__CAT_(a, b)
#define PYTREE__CAT_(a, b) a##b
#define PYTREE__CAT4(a, b, c, d) PYTREE__CAT4_(a, b, c, d)
#define PYTREE__CAT4_(a, b, c, d) a##b##c##d
#define PYTREE__IN_SPACE(a, b) PYTREE__IN_SPACE_(a, b)
#define PYTREE__IN_SPACE_(a, b) a##_in_##b
#define PYTREE__TEXT(a) PYTREE__TEXT_(a)
#define PYTREE__TEXT_(a) #a
#define PYTREE__SECOND(a, b, ...) b

/* Choice by a constant: yes or no, of any types; what is not chosen must be valid all the same. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__CHOOSE(constant, yes, no) __builtin_choose_expr(constant, yes, no)
#else
#define PYTREE__CHOOSE(constant, yes, no) _Generic((char (*)[1 + !!(constant)])0, char (*)[2]: (yes), char (*)[1]: (no))
#endif

/* Is it an array? As an operand of a comma, or of a conditional (which makes an int of what is smaller), one is a pointer.
 * Elsewhere the sizes tell, except for arrays as large as a pointer. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__IS_ARRAY(x) (!__builtin_types_compatible_p(__typeof__(x), __typeof__(((void)0, x))))
#define PYTREE__ALIGN_OF(x) (int)__alignof__(x)
#elif defined(__TINYC__)
#define PYTREE__IS_ARRAY(x)                                                                                             \
    (!__builtin_types_compatible_p(__typeof__(x), __typeof__(1 ? (x) : (x))) && !__builtin_types_compatible_p(__typeof__(1 \
        ? (x) : (x)), int))
#define PYTREE__ALIGN_OF(x) (int)__alignof__(x)
#else
#define PYTREE__IS_ARRAY(x) (sizeof(x) != sizeof(((void)0, (x))))
#define PYTREE__ALIGN_OF(x) (sizeof(x) < 16 ? (int)sizeof(x) : 16)
#endif
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__IS_RECORD(x) ((__builtin_classify_type(x) & ~1) == 12)
#define PYTREE__CHECK_SCALAR(code, x, in)
#else                                     /* only scalars can be negated */
#define PYTREE__IS_RECORD(x) 0
#define PYTREE__CHECK_SCALAR(code, x, in)                                                                               \
    _Static_assert((code) != 0 || sizeof(!PYTREE__CHOOSE((code) == 0, x, 0)) != 0, in PYTREE__UNKNOWN);
#endif

/* ---- Types by slot --------------------------------------------------------------------------------------------------
 *
 * Slot 017 (octal) holds the type pytree__t017, a pointer to it pytree__q017, its descriptor pytree__d017 and the codes of
 * both, pytree__c017 and pytree__p017. What is looked for is a pointer, so that one association does for a value, an array and
 * a pointer. A dispatch is nested in groups of eight, because compilers compare each association with each other one in its
 * list:
 *
 *     _Generic((x), pytree__q020: &pytree__d020, default:
 *     _Generic((x), pytree__q010: &pytree__d010, …, pytree__q017: &pytree__d017, default:
 *     _Generic((x), pytree__q000: &pytree__d000, …, pytree__q007: &pytree__d007, default: <built-in types>)))
 *
 * All of it is written out for each member, so each token of it counts: full groups are text (at the end of this file), which
 * costs half of what names cost that are put together. */
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

/* The first types of a group that is not full, g: pytree__q020: pytree__p020, */
#define PYTREE__CODED_OF_0(g)
#define PYTREE__CODED_OF_1(g) pytree__q##g##0: pytree__p##g##0,
#define PYTREE__CODED_OF_2(g) pytree__q##g##0: pytree__p##g##0, pytree__q##g##1: pytree__p##g##1,
#define PYTREE__CODED_OF_3(g) pytree__q##g##0: pytree__p##g##0, pytree__q##g##1: pytree__p##g##1, pytree__q##g##2:      \
    pytree__p##g##2,
#define PYTREE__CODED_OF_4(g) pytree__q##g##0: pytree__p##g##0, pytree__q##g##1: pytree__p##g##1, pytree__q##g##2:      \
    pytree__p##g##2, pytree__q##g##3: pytree__p##g##3,
#define PYTREE__CODED_OF_5(g) pytree__q##g##0: pytree__p##g##0, pytree__q##g##1: pytree__p##g##1, pytree__q##g##2:      \
    pytree__p##g##2, pytree__q##g##3: pytree__p##g##3, pytree__q##g##4: pytree__p##g##4,
#define PYTREE__CODED_OF_6(g) pytree__q##g##0: pytree__p##g##0, pytree__q##g##1: pytree__p##g##1, pytree__q##g##2:      \
    pytree__p##g##2, pytree__q##g##3: pytree__p##g##3, pytree__q##g##4: pytree__p##g##4, pytree__q##g##5:               \
    pytree__p##g##5,
#define PYTREE__CODED_OF_7(g) pytree__q##g##0: pytree__p##g##0, pytree__q##g##1: pytree__p##g##1, pytree__q##g##2:      \
    pytree__p##g##2, pytree__q##g##3: pytree__p##g##3, pytree__q##g##4: pytree__p##g##4, pytree__q##g##5:               \
    pytree__p##g##5, pytree__q##g##6: pytree__p##g##6,
#define PYTREE__TYPED_OF_0(g)
#define PYTREE__TYPED_OF_1(g) pytree__q##g##0: &pytree__d##g##0,
#define PYTREE__TYPED_OF_2(g) pytree__q##g##0: &pytree__d##g##0, pytree__q##g##1: &pytree__d##g##1,
#define PYTREE__TYPED_OF_3(g) pytree__q##g##0: &pytree__d##g##0, pytree__q##g##1: &pytree__d##g##1, pytree__q##g##2:    \
    &pytree__d##g##2,
#define PYTREE__TYPED_OF_4(g) pytree__q##g##0: &pytree__d##g##0, pytree__q##g##1: &pytree__d##g##1, pytree__q##g##2:    \
    &pytree__d##g##2, pytree__q##g##3: &pytree__d##g##3,
#define PYTREE__TYPED_OF_5(g) pytree__q##g##0: &pytree__d##g##0, pytree__q##g##1: &pytree__d##g##1, pytree__q##g##2:    \
    &pytree__d##g##2, pytree__q##g##3: &pytree__d##g##3, pytree__q##g##4: &pytree__d##g##4,
#define PYTREE__TYPED_OF_6(g) pytree__q##g##0: &pytree__d##g##0, pytree__q##g##1: &pytree__d##g##1, pytree__q##g##2:    \
    &pytree__d##g##2, pytree__q##g##3: &pytree__d##g##3, pytree__q##g##4: &pytree__d##g##4, pytree__q##g##5:            \
    &pytree__d##g##5,
#define PYTREE__TYPED_OF_7(g) pytree__q##g##0: &pytree__d##g##0, pytree__q##g##1: &pytree__d##g##1, pytree__q##g##2:    \
    &pytree__d##g##2, pytree__q##g##3: &pytree__d##g##3, pytree__q##g##4: &pytree__d##g##4, pytree__q##g##5:            \
    &pytree__d##g##5, pytree__q##g##6: &pytree__d##g##6,
/* Full groups of block b, then full blocks. `list` is PYTREE__CODED_ or PYTREE__TYPED_. */
#define PYTREE__GROUPS_0(x, list, b)
#define PYTREE__GROUPS_1(x, list, b) _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_2(x, list, b) _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_3(x, list, b) _Generic(x, list##b##2 default: _Generic(x, list##b##1 default: _Generic(x,        \
    list##b##0 default:
#define PYTREE__GROUPS_4(x, list, b) _Generic(x, list##b##3 default: _Generic(x, list##b##2 default: _Generic(x,        \
    list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_5(x, list, b) _Generic(x, list##b##4 default: _Generic(x, list##b##3 default: _Generic(x,        \
    list##b##2 default: _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_6(x, list, b) _Generic(x, list##b##5 default: _Generic(x, list##b##4 default: _Generic(x,        \
    list##b##3 default: _Generic(x, list##b##2 default: _Generic(x, list##b##1 default: _Generic(x, list##b##0          \
    default:
#define PYTREE__GROUPS_7(x, list, b) _Generic(x, list##b##6 default: _Generic(x, list##b##5 default: _Generic(x,        \
    list##b##4 default: _Generic(x, list##b##3 default: _Generic(x, list##b##2 default: _Generic(x, list##b##1          \
    default: _Generic(x, list##b##0 default:
#define PYTREE__GROUPS_8(x, list, b) _Generic(x, list##b##7 default: _Generic(x, list##b##6 default: _Generic(x,        \
    list##b##5 default: _Generic(x, list##b##4 default: _Generic(x, list##b##3 default: _Generic(x, list##b##2          \
    default: _Generic(x, list##b##1 default: _Generic(x, list##b##0 default:
#define PYTREE__BLOCKS_0(x, list)
#define PYTREE__BLOCKS_1(x, list) PYTREE__GROUPS_8(x, list, 0)
#define PYTREE__BLOCKS_2(x, list) PYTREE__GROUPS_8(x, list, 1) PYTREE__BLOCKS_1(x, list)
#define PYTREE__BLOCKS_3(x, list) PYTREE__GROUPS_8(x, list, 2) PYTREE__BLOCKS_2(x, list)
#define PYTREE__BLOCKS_4(x, list) PYTREE__GROUPS_8(x, list, 3) PYTREE__BLOCKS_3(x, list)
#define PYTREE__BLOCKS_5(x, list) PYTREE__GROUPS_8(x, list, 4) PYTREE__BLOCKS_4(x, list)
#define PYTREE__BLOCKS_6(x, list) PYTREE__GROUPS_8(x, list, 5) PYTREE__BLOCKS_5(x, list)
#define PYTREE__BLOCKS_7(x, list) PYTREE__GROUPS_8(x, list, 6) PYTREE__BLOCKS_6(x, list)
#define PYTREE__BLOCKS_8(x, list) PYTREE__GROUPS_8(x, list, 7) PYTREE__BLOCKS_7(x, list)
/* As many parentheses as there are full groups, then as many as there are in full blocks: each new slot defines them anew. */
#define PYTREE__CLOSE
#define PYTREE__CLOSE_BLOCKS
#define PYTREE__CLOSE_8 ))))))))
#define PYTREE__CLOSE_32 PYTREE__CLOSE_8 PYTREE__CLOSE_8 PYTREE__CLOSE_8 PYTREE__CLOSE_8
/* Everything registered so far, in front of what is written between the two. The control stands before every group: a short
 * one is best. */
#define PYTREE__AMONG(x, list) PYTREE__AMONG_(x, list, PYTREE__D2, PYTREE__D1, PYTREE__D0)
#define PYTREE__AMONG_(x, list, d2, d1, d0) PYTREE__AMONG__(x, list, d2, d1, d0)
#define PYTREE__AMONG__(x, list, d2, d1, d0)                                                                            \
    _Generic(x, list##OF_##d0(d2##d1) default: PYTREE__GROUPS_##d1(x, list, d2) PYTREE__BLOCKS_##d2(x, list)
#define PYTREE__AMONG_END PYTREE__CLOSE PYTREE__CLOSE_BLOCKS )

/* A pointer to what x is as a value, so that const plays no role. */
#if (defined(__GNUC__) || defined(__clang__)) && !defined(__TINYC__)
#define PYTREE__TO_VALUE(x) (__typeof__(((void)0, x)) *)0
#elif defined(__TINYC__)
#define PYTREE__TO_VALUE(x) (__typeof__(1 ? (x) : (x)) *)0
#else                                     /* const plays a role all the same */
#define PYTREE__TO_VALUE(x) &(x)
#endif
#undef PYTREE__USER_TYPE
#define PYTREE__USER_TYPE(x)                                                                                            \
    PYTREE__AMONG(PYTREE__TO_VALUE(x), PYTREE__TYPED_) PYTREE__BUILTIN_TYPE(x) PYTREE__AMONG_END

/* The registered types in front of what is between the two, for a member x that may be a value, an array or a pointer. Where
 * the compiler can say what is a pointer (class 5), `held` names a type: that pointer, or one to the value. A leaf type or
 * custom node may be a pointer itself, so from the first one of a file on, values are looked for before. */
#define PYTREE__OF_TYPE_BY_BOTH(held, x)                                                                                \
    PYTREE__AMONG(PYTREE__TO_VALUE(x), PYTREE__TYPED_) PYTREE__AMONG(PYTREE__CONTROL(held, x), PYTREE__TYPED_)
#define PYTREE__OF_TYPE_BY_BOTH_END PYTREE__AMONG_END PYTREE__AMONG_END
#if (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)) && !defined(__TINYC__)
#define PYTREE__BY_POINTER 1
#define PYTREE__HOLD(held, x)                                                                                           \
    typedef __typeof__(__builtin_choose_expr(__builtin_classify_type(x) == 5, ((void)0, x), (__typeof__(((void)0, x)) *)0)) \
        held;
#define PYTREE__CONTROL(held, x) (held)0
#define PYTREE__OF_TYPE_BY_POINTER(held, x) PYTREE__AMONG((held)0, PYTREE__TYPED_)
#define PYTREE__OF_TYPE PYTREE__OF_TYPE_BY_POINTER
#define PYTREE__OF_TYPE_END PYTREE__AMONG_END
#define PYTREE__CODE PYTREE__CODE_BY_POINTER
#else
#define PYTREE__BY_POINTER 0
#define PYTREE__HOLD(held, x)
#define PYTREE__CONTROL(held, x) x
#define PYTREE__OF_TYPE PYTREE__OF_TYPE_BY_BOTH
#define PYTREE__OF_TYPE_END PYTREE__OF_TYPE_BY_BOTH_END
#define PYTREE__CODE PYTREE__CODE_BY_BOTH
#endif

/* ---- Codes ----------------------------------------------------------------------------------------------------------
 *
 * What a member is, as a constant: its type and how it is held. Checks, table and descriptor are made of it. */
enum {
    PYTREE__CODE_TYPE = 63,               /* a built-in type's number in pytree_types, or 0 */
    PYTREE__IS_USER = 64,                 /* a registered type */
    PYTREE__IS_LEAF = 128,                /* registered as PYTREE_LEAF_TYPE */
    PYTREE__HAS_DATA = 256,               /* struct with DATA rows, or custom node */
    PYTREE__IS_POINTER = 512,             /* T *, T[n], T (*)[m] */
    PYTREE__IS_TABLE = 1024,              /* T[n][m], T (*)[m] */
    PYTREE__IS_FIXED = 2048,              /* an array in the struct itself */
    PYTREE__IS_MANY = 4096,               /* LIST, STB_ARRAY, STB_MAP, array of structs or trees */
    PYTREE__CODE_PACK = 8192,             /* times one of PYTREE__PACK_…: how a static value of the type is packed */
    PYTREE__CODE_FORM = 32768,            /* times one of pytree_form: one value of the type; 0: a leaf */
    PYTREE__HAS_TEXT = 1048576,           /* in the sum of a struct's codes: a static value is more than bytes */
    PYTREE__KNOWN = 64 + 63,              /* several of them at once */
    PYTREE__HELD = 512 + 1024 + 2048,
    PYTREE__KNOWN_OR_FIXED = 64 + 63 + 2048,
    PYTREE__POINTER_OR_FIXED = 512 + 2048,
    PYTREE__POINTER_OR_TABLE = 512 + 1024,
    PYTREE__POINTER_USER_OR_FIXED = 64 + 512 + 2048
};
_Static_assert((int)PYTREE__T_count <= PYTREE__CODE_TYPE, "pytree: more built-in types than PYTREE__CODE_TYPE has room for");
#define PYTREE__PACK(code) ((code) / PYTREE__CODE_PACK & 3)
#define PYTREE__FORM(code) ((code) / PYTREE__CODE_FORM)

/* The built-in types spelt out, as values, pointers and rows of tables: text is cheaper than a macro call for each. */
enum {                                    /* one name for each code: a sum in each association would cost compilers more */
#define PYTREE__X(id, T) PYTREE__C_##id = PYTREE__T_##id + ((int)PYTREE__T_##id == PYTREE__T_ldouble ||                 \
        (int)PYTREE__T_##id == PYTREE__T_cldouble ? PYTREE__PACK_WIDE * PYTREE__CODE_PACK : 0),                         \
    PYTREE__P_##id = (int)PYTREE__C_##id + PYTREE__IS_POINTER, PYTREE__R_##id = (int)PYTREE__P_##id + PYTREE__IS_TABLE,
    PYTREE__SCALARS(PYTREE__X)
    PYTREE__X(cfloat, ) PYTREE__X(cdouble, ) PYTREE__X(cldouble, )
#undef PYTREE__X
    PYTREE__C_string = PYTREE__T_string + PYTREE__PACK_TEXT * PYTREE__CODE_PACK,
    PYTREE__P_string = (int)PYTREE__C_string + PYTREE__IS_POINTER,
    PYTREE__C_view = PYTREE__T_view + PYTREE_FORM_VIEW * PYTREE__CODE_FORM,
    PYTREE__C_ref = PYTREE__T_ref + PYTREE_FORM_REF * PYTREE__CODE_FORM,
    PYTREE__C_flat = PYTREE__T_flat + PYTREE_FORM_FLAT * PYTREE__CODE_FORM,
    PYTREE__P_view = (int)PYTREE__C_view + PYTREE__IS_POINTER, PYTREE__P_ref = (int)PYTREE__C_ref + PYTREE__IS_POINTER,
    PYTREE__P_flat = (int)PYTREE__C_flat + PYTREE__IS_POINTER,
    PYTREE__C_struct = PYTREE__IS_USER + PYTREE__PACK_STRUCT * PYTREE__CODE_PACK + PYTREE_FORM_STRUCT * PYTREE__CODE_FORM,
    PYTREE__C_node = (int)PYTREE__C_struct + PYTREE__HAS_DATA,
    PYTREE__C_leaf = PYTREE__IS_USER + PYTREE__IS_LEAF
};
#if defined(__STDC_NO_COMPLEX__) || defined(__TINYC__)
#define PYTREE__COMPLEX(X)
#define PYTREE__COMPLEX_VALUES
#define PYTREE__COMPLEX_POINTERS
#define PYTREE__COMPLEX_CONSTS
#define PYTREE__COMPLEX_TABLES
#else
#define PYTREE__COMPLEX(X) X(cfloat, float _Complex) X(cdouble, double _Complex) X(cldouble, long double _Complex)
#define PYTREE__COMPLEX_VALUES                                                                                          \
    float _Complex: PYTREE__C_cfloat, double _Complex: PYTREE__C_cdouble, long double _Complex: PYTREE__C_cldouble,
#define PYTREE__COMPLEX_POINTERS                                                                                        \
    pytree__q_cfloat: PYTREE__P_cfloat, pytree__q_cdouble: PYTREE__P_cdouble, pytree__q_cldouble: PYTREE__P_cldouble,
#define PYTREE__COMPLEX_CONSTS                                                                                          \
    pytree__k_cfloat: PYTREE__P_cfloat, pytree__k_cdouble: PYTREE__P_cdouble, pytree__k_cldouble: PYTREE__P_cldouble,
#define PYTREE__COMPLEX_TABLES                                                                                          \
    pytree__r_cfloat: PYTREE__R_cfloat, pytree__r_cdouble: PYTREE__R_cdouble, pytree__r_cldouble: PYTREE__R_cldouble,
#endif
/* Likewise one name for each type: q is a pointer, k a pointer to const, r a pointer to a row of a table. */
#define PYTREE__X(id, T) typedef T *pytree__q_##id; typedef const T *pytree__k_##id; typedef T (*pytree__r_##id)[];
PYTREE__SCALARS(PYTREE__X) PYTREE__COMPLEX(PYTREE__X)
#undef PYTREE__X
#define PYTREE__VALUES                                                                                                  \
    _Bool: PYTREE__C_bool_, signed char: PYTREE__C_schar, unsigned char: PYTREE__C_uchar, short: PYTREE__C_short_,      \
    unsigned short: PYTREE__C_ushort, int: PYTREE__C_int_, unsigned: PYTREE__C_uint, long: PYTREE__C_long_,             \
    unsigned long: PYTREE__C_ulong, long long: PYTREE__C_llong, unsigned long long: PYTREE__C_ullong,                   \
    float: PYTREE__C_float_, double: PYTREE__C_double_, long double: PYTREE__C_ldouble, pytree_f16: PYTREE__C_f16,      \
    pytree_bf16: PYTREE__C_bf16, PYTREE__COMPLEX_VALUES
#define PYTREE__POINTERS                                                                                                \
    pytree__q_bool_: PYTREE__P_bool_, pytree__q_schar: PYTREE__P_schar, pytree__q_uchar: PYTREE__P_uchar,               \
    pytree__q_short_: PYTREE__P_short_, pytree__q_ushort: PYTREE__P_ushort, pytree__q_int_: PYTREE__P_int_,             \
    pytree__q_uint: PYTREE__P_uint, pytree__q_long_: PYTREE__P_long_, pytree__q_ulong: PYTREE__P_ulong,                 \
    pytree__q_llong: PYTREE__P_llong, pytree__q_ullong: PYTREE__P_ullong, pytree__q_float_: PYTREE__P_float_,           \
    pytree__q_double_: PYTREE__P_double_, pytree__q_ldouble: PYTREE__P_ldouble, pytree__q_f16: PYTREE__P_f16,           \
    pytree__q_bf16: PYTREE__P_bf16, PYTREE__COMPLEX_POINTERS char **: PYTREE__P_string,                                 \
    const char **: PYTREE__P_string,
#define PYTREE__CONSTS                                                                                                  \
    pytree__k_bool_: PYTREE__P_bool_, pytree__k_schar: PYTREE__P_schar, pytree__k_uchar: PYTREE__P_uchar,               \
    pytree__k_short_: PYTREE__P_short_, pytree__k_ushort: PYTREE__P_ushort, pytree__k_int_: PYTREE__P_int_,             \
    pytree__k_uint: PYTREE__P_uint, pytree__k_long_: PYTREE__P_long_, pytree__k_ulong: PYTREE__P_ulong,                 \
    pytree__k_llong: PYTREE__P_llong, pytree__k_ullong: PYTREE__P_ullong, pytree__k_float_: PYTREE__P_float_,           \
    pytree__k_double_: PYTREE__P_double_, pytree__k_ldouble: PYTREE__P_ldouble, pytree__k_f16: PYTREE__P_f16,           \
    pytree__k_bf16: PYTREE__P_bf16, PYTREE__COMPLEX_CONSTS
#define PYTREE__TABLES                                                                                                  \
    pytree__r_bool_: PYTREE__R_bool_, pytree__r_schar: PYTREE__R_schar, pytree__r_uchar: PYTREE__R_uchar,               \
    pytree__r_short_: PYTREE__R_short_, pytree__r_ushort: PYTREE__R_ushort, pytree__r_int_: PYTREE__R_int_,             \
    pytree__r_uint: PYTREE__R_uint, pytree__r_long_: PYTREE__R_long_, pytree__r_ulong: PYTREE__R_ulong,                 \
    pytree__r_llong: PYTREE__R_llong, pytree__r_ullong: PYTREE__R_ullong, pytree__r_float_: PYTREE__R_float_,           \
    pytree__r_double_: PYTREE__R_double_, pytree__r_ldouble: PYTREE__R_ldouble, pytree__r_f16: PYTREE__R_f16,           \
    pytree__r_bf16: PYTREE__R_bf16, pytree__r_char_: PYTREE__R_char_, PYTREE__COMPLEX_TABLES
#define PYTREE__TREE_POINTERS pytree_leaf *: PYTREE__P_view, pytree *: PYTREE__P_ref, pytree_flat *: PYTREE__P_flat,

/* Of a value, an array or a pointer; char * is a P_char here. */
#define PYTREE__CODE_BY_POINTER(held, x)                                                                                \
    (__builtin_classify_type(x) == 5 ? -1 : ~PYTREE__IS_POINTER) & PYTREE__AMONG((held)0, PYTREE__CODED_)               \
    _Generic((held)0, PYTREE__POINTERS char *: PYTREE__P_char_, PYTREE__TREE_POINTERS default:                          \
    _Generic((held)0, PYTREE__CONSTS const char *: PYTREE__P_char_, default:                                            \
    _Generic((held)0, PYTREE__TABLES default: 0))) PYTREE__AMONG_END
#define PYTREE__CODE_BY_BOTH(held, x)                                                                                   \
    PYTREE__AMONG(PYTREE__TO_VALUE(x), PYTREE__CODED_) PYTREE__IS_POINTER                                               \
        + (PYTREE__AMONG(PYTREE__CONTROL(held, x), PYTREE__CODED_) PYTREE__BUILTIN_CODE(x) PYTREE__AMONG_END)           \
    PYTREE__AMONG_END - PYTREE__IS_POINTER
#define PYTREE__BUILTIN_CODE(x)                                                                                         \
    _Generic((x), PYTREE__VALUES char: PYTREE__C_char_,                                                                 \
        pytree_leaf: PYTREE__C_view, pytree: PYTREE__C_ref, pytree_flat: PYTREE__C_flat, default:                       \
    _Generic((x), PYTREE__POINTERS char *: PYTREE__P_char_, PYTREE__TREE_POINTERS default:                              \
    _Generic((x), PYTREE__CONSTS PYTREE__TABLES const char *: PYTREE__P_char_, default: 0)))
/* Of a pointer to numbers or strings. */
#define PYTREE__POINTER_CODE(x) _Generic((x), PYTREE__POINTERS default: _Generic((x), PYTREE__CONSTS default: 0))
/* A pointer to char is a string; an array of structs or trees is many. */
#define PYTREE__MENDED(seen)                                                                                            \
    (seen == PYTREE__P_char_ ? (int)PYTREE__C_string                                                                    \
     : (seen & PYTREE__IS_FIXED) != 0 && seen / PYTREE__CODE_FORM != PYTREE_FORM_LEAF ? seen | PYTREE__IS_MANY : (int)seen)

/* ---- Rows -----------------------------------------------------------------------------------------------------------
 *
 * PYTREE_FIELD(kind, name, modifiers…) is defined anew for each pass over the rows; the kind chooses the pass's macro. Those
 * of DATA rows find the modifiers in order by PYTREE__STORES and PYTREE__OPTIONAL: OPTIONAL, ARRAY(n, m)  =>  ARRAY, (n, m), 1.
 * A new modifier is one line in each of the three lists. A row with a word that is not known is found in an #if; the checks of
 * words then say which, and there are no other passes. */
#define PYTREE__KIND_DATA ~, 1
#define PYTREE__KIND_STATIC ~, 2
#define PYTREE__KIND_DROP ~, 2

#define PYTREE__WORD_NONE ~, 1            /* 16 and more: says how the value is stored, of which there can be one */
#define PYTREE__WORD_OPTIONAL ~, 2
#define PYTREE__WORD_ARRAY(...) ~, 16
#define PYTREE__WORD_LIST(...) ~, 16
#define PYTREE__WORD_RANK(...) ~, 16
#define PYTREE__WORD_STB_ARRAY ~, 16
#define PYTREE__WORD_STB_MAP ~, 16

#define PYTREE__STORE_NONE
#define PYTREE__STORE_OPTIONAL
#define PYTREE__STORE_ARRAY(...) , ARRAY, (__VA_ARGS__)
#define PYTREE__STORE_LIST(...) , LIST, (__VA_ARGS__)
#define PYTREE__STORE_RANK(...) , RANK, (__VA_ARGS__)
#define PYTREE__STORE_STB_ARRAY , STB_ARRAY, ()
#define PYTREE__STORE_STB_MAP , STB_MAP, ()

#define PYTREE__MAYBE_NONE
#define PYTREE__MAYBE_OPTIONAL || 1
#define PYTREE__MAYBE_ARRAY(...)
#define PYTREE__MAYBE_LIST(...)
#define PYTREE__MAYBE_RANK(...)
#define PYTREE__MAYBE_STB_ARRAY
#define PYTREE__MAYBE_STB_MAP

#define PYTREE__IS(...) PYTREE__SECOND(__VA_ARGS__, 0, ~)

/* Pass: are all words known? */
#define PYTREE__SPELT(kind, name, m1, m2, m3, ...)                                                                      \
    && PYTREE__SPELT_(PYTREE__IS(PYTREE__KIND_##kind), PYTREE__IS(PYTREE__WORD_##m1), PYTREE__IS(PYTREE__WORD_##m2),    \
                      PYTREE__IS(PYTREE__WORD_##m3))
#define PYTREE__SPELT_(kind, m1, m2, m3) kind && m1 && m2 && m3 && m1 + m2 + m3 <= (kind == 1 ? 31 : 3)

/* Pass: words. */
#define PYTREE__CHECK_WORDS(kind, name, m1, m2, m3, ...)                                                                \
    _Static_assert(PYTREE__IS(PYTREE__KIND_##kind), PYTREE__IN(name) "unknown row kind " #kind "; write DATA, STATIC or " \
        "DROP");                                                                                                        \
    _Static_assert(PYTREE__IS(PYTREE__WORD_##m1) && PYTREE__IS(PYTREE__WORD_##m2) && PYTREE__IS(PYTREE__WORD_##m3),     \
                   PYTREE__IN(name) "unknown modifier among " #m1 ", " #m2 ", " #m3                                     \
                   "; write ARRAY(n, m), LIST(n), RANK(n), STB_ARRAY, STB_MAP or OPTIONAL");                            \
    _Static_assert(PYTREE__IS(PYTREE__WORD_##m1) + PYTREE__IS(PYTREE__WORD_##m2) + PYTREE__IS(PYTREE__WORD_##m3)        \
                   <= (PYTREE__IS(PYTREE__KIND_##kind) == 1 ? 31 : 3),                                                  \
                   PYTREE__IN(name) "one of ARRAY, LIST, RANK, STB_ARRAY, STB_MAP, and OPTIONAL, may follow the name of a " \
                       "DATA row; "                                                                                     \
                   "STATIC and DROP rows take nothing");
#define PYTREE__IN(name) "pytree: " PYTREE__TEXT(PYTREE__S) "." #name ": "

/* Pass: count of DATA rows. */
#define PYTREE__COUNT_DATA + 1
#define PYTREE__COUNT_STATIC
#define PYTREE__COUNT_DROP

/* Pass: where each member begins and ends. An enumerator without a value is the one before it plus one, which is how a row
 * knows where the row before it ended.
 *
 *     pytree__before_MLP_scale, pytree__gap_MLP_scale = offsetof(MLP, scale) + 1 - pytree__before_MLP_scale,
 *     pytree__after_MLP_scale = …, */
#define PYTREE__PLACE(...) PYTREE__PLACE_(__VA_ARGS__)
#define PYTREE__PLACE_(id, s, name, ...)                                                                                \
    PYTREE__PLACE__(pytree__before_##id##_##name, pytree__gap_##id##_##name, pytree__after_##id##_##name, s, name)
#define PYTREE__PLACE__(before, gap, after, s, name)                                                                    \
    before, gap = (int)offsetof(s, name) + 1 - before, after = gap + before - 1 + (int)sizeof(((s *)0)->name),

/* Pass: checks, and what each member is. First nothing left out and nothing out of order, then types.
 *
 *     _Static_assert(pytree__gap_MLP_scale >= 0, …);
 *     typedef __typeof__(<pointer to the member's type>) pytree__held_MLP_scale;
 *     enum { pytree__seen_MLP_scale = PYTREE__R_float_ | …, pytree__code_MLP_scale = … };
 *     _Static_assert(…); */
#define PYTREE__CHECK_DATA(id, s, name, m1, m2, m3, ...)                                                                \
    PYTREE__CHECK_STORED(id, s, name, (0 PYTREE__MAYBE_##m1 PYTREE__MAYBE_##m2 PYTREE__MAYBE_##m3),                     \
                         ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), ~)
#define PYTREE__CHECK_STORED(...) PYTREE__CHECK_STORED_(__VA_ARGS__)
#define PYTREE__CHECK_STORED_(id, s, name, optional, skipped, store, arguments, ...)                                    \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))                     \
    PYTREE__MEMBERS_##store(pytree__code_##id##_##name, pytree__seen_##id##_##name, pytree__held_##id##_##name,         \
        ((s *)0)->name, arguments)                                                                                      \
    PYTREE__CHECK_##store(pytree__code_##id##_##name, arguments, optional, PYTREE__TEXT_(pytree: s.name:))
#define PYTREE__CHECK_STATIC(id, s, name, ...) PYTREE__CHECK_STATIC_(id, s, name)
#define PYTREE__CHECK_STATIC_(id, s, name)                                                                              \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))                     \
    PYTREE__MEMBERS_PLAIN(pytree__code_##id##_##name, pytree__seen_##id##_##name, pytree__held_##id##_##name,           \
        ((s *)0)->name, )                                                                                               \
    PYTREE__CHECK_METADATA(pytree__code_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))
#define PYTREE__CHECK_DROP(id, s, name, ...) PYTREE__CHECK_DROP_(id, s, name)
#define PYTREE__CHECK_DROP_(id, s, name)                                                                                \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))

#define PYTREE__MEMBERS_PLAIN(code, seen, held, x, arguments)                                                           \
    PYTREE__HOLD(held, x)                                                                                               \
    enum { seen = (PYTREE__CODE(held, x)) | PYTREE__FIXED(x), code = PYTREE__MENDED(seen) };
#define PYTREE__MEMBERS_ARRAY(code, seen, held, x, arguments) enum { code = PYTREE__POINTER_CODE(x) | PYTREE__FIXED(x) };
#define PYTREE__MEMBERS_LIST(code, seen, held, x, arguments)                                                            \
    PYTREE__HOLD(held, x)                                                                                               \
    enum { seen = (PYTREE__CODE(held, x)) | PYTREE__FIXED(x), code = PYTREE__MENDED(seen) | PYTREE__IS_MANY };
#define PYTREE__MEMBERS_STB_ARRAY PYTREE__MEMBERS_LIST
#define PYTREE__MEMBERS_STB_MAP(code, seen, held, x, arguments)                                                         \
    PYTREE__HOLD(held, x->value)                                                                                        \
    enum { seen = (PYTREE__CODE(held, x->value)) | PYTREE__FIXED(x), code = PYTREE__MENDED(seen) | PYTREE__IS_MANY };
#define PYTREE__MEMBERS_RANK(code, seen, held, x, arguments)                                                            \
    enum { seen = PYTREE__BUILTIN_CODE(x PYTREE__SUBSCRIPTS arguments), code = PYTREE__MENDED(seen) | PYTREE__FIXED(x) };
#define PYTREE__FIXED(x) PYTREE__IS_ARRAY(x) * PYTREE__IS_FIXED

#define PYTREE__CHECK_LAYOUT(gap, x, in)                                                                                \
    _Static_assert(gap >= 0, in " rows are out of order; list the fields as the struct declares them, each once");      \
    _Static_assert(gap < PYTREE__ALIGN_OF(x),                                                                           \
                   in " a field before this one is not listed, or too late; give it a row (DATA, STATIC, or DROP for padding " \
                      "and scratch space)");
#define PYTREE__UNKNOWN " its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE), or " \
        "list the field as DROP (an address: STATIC)"
#define PYTREE__CHECK_PLAIN(code, arguments, optional, in)                                                              \
    _Static_assert((code & PYTREE__KNOWN_OR_FIXED) != 0, in PYTREE__UNKNOWN);                                           \
    _Static_assert((code & PYTREE__KNOWN) != 0 || (code & PYTREE__IS_FIXED) == 0,                                       \
                   in " an array whose element type is not registered, or of three or more dimensions; write RANK(3) for " \
                      "those");                                                                                         \
    _Static_assert((code & PYTREE__POINTER_USER_OR_FIXED) != PYTREE__IS_POINTER,                                        \
                   in " a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values"); \
    _Static_assert(!optional || (code & PYTREE__HELD) == PYTREE__IS_POINTER || (int)code == PYTREE__C_string,           \
                   in " OPTIONAL is for pointers: what lies in the struct itself is always there");
#define PYTREE__CHECK_ARRAY(code, arguments, optional, in)                                                              \
    _Static_assert((code & PYTREE__HELD) == PYTREE__IS_POINTER,                                                         \
                   in " ARRAY is for a pointer to numbers; a fixed array needs no modifier, a pointer to structs needs " \
                      "LIST(n)");                                                                                       \
    _Static_assert(PYTREE__COUNT_ARGUMENTS arguments <= PYTREE_MAX_DIMS, in PYTREE__TOO_MANY);
#define PYTREE__CHECK_LIST(code, arguments, optional, in)                                                               \
    _Static_assert((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    _Static_assert(PYTREE__COUNT_ARGUMENTS arguments == 1, in " LIST takes one count, LIST(n)");                        \
    _Static_assert((code & PYTREE__KNOWN) == 0 || (code & PYTREE__HELD) == PYTREE__IS_POINTER,                          \
                   in " LIST is for a pointer to registered structs or single values; a fixed array needs no modifier");
#define PYTREE__CHECK_STB_ARRAY(code, arguments, optional, in)                                                          \
    _Static_assert((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    _Static_assert((code & PYTREE__KNOWN) == 0 || (code & PYTREE__HELD) == PYTREE__IS_POINTER,                          \
                   in " STB_ARRAY is for an stb_ds array: a pointer, NULL or made by arrput");
#define PYTREE__CHECK_STB_MAP(code, arguments, optional, in)                                                            \
    _Static_assert((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    _Static_assert((code & PYTREE__POINTER_OR_TABLE) == 0,                                                              \
                   in " the values of a STB_MAP are numbers, strings or registered structs, not pointers or arrays");
#define PYTREE__CHECK_RANK(code, arguments, optional, in)                                                               \
    _Static_assert((code & PYTREE__KNOWN) != 0 && (code & PYTREE__POINTER_OR_TABLE) == 0,                               \
                   in " RANK is the number of dimensions of a fixed array of numbers; this array has another");         \
    _Static_assert(PYTREE__RANK_OF arguments <= PYTREE_MAX_DIMS, in PYTREE__TOO_MANY);
#define PYTREE__TOO_MANY " too many dimensions; define PYTREE_MAX_DIMS (8, at most 16) to that many in every file"
#define PYTREE__CHECK_METADATA(code, x, in)                                                                             \
    _Static_assert((code & PYTREE__KNOWN) != 0 || !PYTREE__IS_RECORD(x), in PYTREE__UNKNOWN);                           \
    _Static_assert((code & PYTREE__KNOWN) != 0 || !PYTREE__IS_ARRAY(*PYTREE__CHOOSE(code & PYTREE__IS_FIXED, x, &x)),   \
                   in " a STATIC array has one dimension, or two of numbers; put more into a struct of STATIC rows");   \
    _Static_assert((code & PYTREE__POINTER_OR_FIXED) != PYTREE__IS_POINTER,                                             \
                   in " a pointer to numbers or structs is data; write DATA, with ARRAY(n) for numbers, LIST(n) for n " \
                      "structs");                                                                                       \
    _Static_assert((code & PYTREE__HAS_DATA) == 0 || (code & PYTREE__POINTER_OR_FIXED) == PYTREE__IS_POINTER,           \
                   in " a struct with DATA rows cannot be STATIC; write DATA");                                         \
    _Static_assert(PYTREE__FORM(code) < PYTREE_FORM_FLAT, in " a tree is data; write DATA");                            \
    _Static_assert((code & PYTREE__IS_LEAF) == 0, in " an opaque leaf type is data; write DATA");                       \
    PYTREE__CHECK_SCALAR(code, x, in)

#define PYTREE__SUBSCRIPTS(n) PYTREE__CAT(PYTREE__SUBSCRIPTS_, n)
#define PYTREE__SUBSCRIPTS_1 [0]
#define PYTREE__SUBSCRIPTS_2 [0][0]
#define PYTREE__SUBSCRIPTS_3 [0][0][0]
#define PYTREE__SUBSCRIPTS_4 [0][0][0][0]
#define PYTREE__SUBSCRIPTS_5 PYTREE__SUBSCRIPTS_4 [0]
#define PYTREE__SUBSCRIPTS_6 PYTREE__SUBSCRIPTS_4 [0][0]
#define PYTREE__SUBSCRIPTS_7 PYTREE__SUBSCRIPTS_4 [0][0][0]
#define PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_4 PYTREE__SUBSCRIPTS_4
#define PYTREE__SUBSCRIPTS_9 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_1
#define PYTREE__SUBSCRIPTS_10 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_2
#define PYTREE__SUBSCRIPTS_11 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_3
#define PYTREE__SUBSCRIPTS_12 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_4
#define PYTREE__SUBSCRIPTS_13 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_5
#define PYTREE__SUBSCRIPTS_14 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_6
#define PYTREE__SUBSCRIPTS_15 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_7
#define PYTREE__SUBSCRIPTS_16 PYTREE__SUBSCRIPTS_8 PYTREE__SUBSCRIPTS_8
#define PYTREE__RANK_OF(n) n
#define PYTREE__COUNT_ARGUMENTS(...)                                                                                    \
    PYTREE__SEVENTEENTH(__VA_ARGS__, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, ~)
#define PYTREE__SEVENTEENTH(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, ...) q

/* Pass: the table.
 *
 *     static const pytree_field pytree__fields_Linear[] = {
 *         { "din", &pytree_types[PYTREE__T_int_], PYTREE_ROW_STATIC, … offsetof(Linear, din), sizeof(int), … },
 *         { "w", &pytree_types[PYTREE__T_float_], PYTREE_ROW_DATA, PYTREE_POINTER, … },
 *         { 0 }
 *     };
 */
#define PYTREE__TABLE_DATA(id, s, name, m1, m2, m3, ...)                                                                \
    PYTREE__TABLE_STORED(id, s, name, (0 PYTREE__MAYBE_##m1 PYTREE__MAYBE_##m2 PYTREE__MAYBE_##m3),                     \
                         ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), ~)
#define PYTREE__TABLE_STORED(...) PYTREE__TABLE_STORED_(__VA_ARGS__)
#define PYTREE__TABLE_STORED_(id, s, name, optional, skipped, store, arguments, ...)                                    \
    { #name, PYTREE__TABLE_##store(pytree__code_##id##_##name, pytree__held_##id##_##name, ((s *)0)->name, arguments,   \
                                   optional, PYTREE__PLACED(s, name)) },
#define PYTREE__TABLE_STATIC(id, s, name, ...) PYTREE__TABLE_STATIC_(id, s, name)
#define PYTREE__TABLE_STATIC_(id, s, name)                                                                              \
    { #name, PYTREE__TABLE_METADATA(pytree__code_##id##_##name, pytree__held_##id##_##name, ((s *)0)->name,             \
                                    PYTREE__PLACED(s, name)) },
#define PYTREE__TABLE_DROP(id, s, name, ...)                                                                            \
    { #name, 0, PYTREE_ROW_DROP, PYTREE_IN_PLACE, 0, 0, 0, PYTREE__PLACED(s, name), 0, 0, 0 },
#define PYTREE__PLACED(s, name) offsetof(s, name), sizeof(((s *)0)->name)

#define PYTREE__BUILTIN_OF(code) &pytree_types[code & PYTREE__CODE_TYPE]
#define PYTREE__TABLE_METADATA(code, held, x, placed)                                                                   \
    PYTREE__OF_TYPE(held, x) &pytree_types[(code & PYTREE__CODE_TYPE) != 0 ? code & PYTREE__CODE_TYPE : PYTREE__T_address] \
        PYTREE__OF_TYPE_END,                                                                                            \
    PYTREE_ROW_STATIC, PYTREE_IN_PLACE, code / PYTREE__CODE_PACK & 3, 0,                                                \
    code / PYTREE__IS_FIXED % 2 * (1 + code / PYTREE__IS_TABLE % 2), placed,                                            \
    sizeof(*PYTREE__CHOOSE(code & PYTREE__IS_FIXED, x, &x)), 0, 0
#define PYTREE__TABLE_PLAIN(code, held, x, arguments, optional, placed)                                                 \
    PYTREE__OF_TYPE(held, x) &pytree_types[code & PYTREE__CODE_TYPE] PYTREE__OF_TYPE_END, PYTREE_ROW_DATA,              \
    (code & PYTREE__HELD) == PYTREE__IS_POINTER ? PYTREE_POINTER : PYTREE_IN_PLACE,                                     \
    (code & PYTREE__IS_FIXED) != 0 && code / PYTREE__CODE_FORM != PYTREE_FORM_LEAF ? PYTREE_FORM_TUPLE                  \
        : code / PYTREE__CODE_FORM,                                                                                     \
    optional, code / PYTREE__IS_FIXED % 2 * (1 + code / PYTREE__IS_TABLE % 2), placed,                                  \
    sizeof(*PYTREE__CHOOSE(code & PYTREE__IS_FIXED, x, &x)), 0, 0
#define PYTREE__TABLE_ARRAY(code, held, x, arguments, optional, placed)                                                 \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE_POINTER, PYTREE_FORM_LEAF, optional,                              \
    PYTREE__COUNT_ARGUMENTS arguments, placed, sizeof(*x), 0, 0
#define PYTREE__TABLE_LIST(code, held, x, arguments, optional, placed)                                                  \
    PYTREE__OF_TYPE(held, x) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA, PYTREE_POINTER, PYTREE_FORM_LIST, \
    optional, 1, placed, sizeof(*x), 0, 0
#define PYTREE__TABLE_RANK(code, held, x, arguments, optional, placed)                                                  \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, optional, PYTREE__RANK_OF arguments,  \
    placed, sizeof(x[0]), 0, 0
#define PYTREE__TABLE_STB_ARRAY(code, held, x, arguments, optional, placed)                                             \
    PYTREE__OF_TYPE(held, x) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA, PYTREE_STB, PYTREE_FORM_LIST, \
    optional, 1, placed, sizeof(*x), pytree__stb_array_resize, pytree__stb_array_release
#define PYTREE__TABLE_STB_MAP(code, held, x, arguments, optional, placed)                                               \
    PYTREE__OF_TYPE(held, x->value) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA, PYTREE_STB,          \
    PYTREE_FORM_MAP, optional, 1, placed, sizeof(*x), pytree__stb_map_resize, pytree__stb_map_release

/* Pass that sums up: the codes of children, all bits together, and whether a static value is more than bytes. */
#define PYTREE__CODES_DATA(id, s, name, ...) PYTREE__CODES_DATA_(id, s, name)
#define PYTREE__CODES_DATA_(id, s, name) | (int)pytree__code_##id##_##name
#define PYTREE__CODES_STATIC(id, s, name, ...) PYTREE__CODES_STATIC_(id, s, name)
#define PYTREE__CODES_STATIC_(id, s, name)                                                                              \
    | (PYTREE__PACK(pytree__code_##id##_##name) != PYTREE__PACK_BYTES ? PYTREE__HAS_TEXT : 0)
#define PYTREE__CODES_DROP(id, ...)

/* Pass: views.
 *
 *     static pytree__flatten_result pytree__views_Linear(const void *at, pytree_leaf *child, const pytree_leaf *end,
 *                                                        unsigned pass)
 *     {
 *         const Linear *self = (const Linear *)at;
 *         const pytree_field *row = pytree__fields_Linear;
 *         pytree__view_writer to = pytree__view_writer_begin(…);
 *         …
 *         row++;
 *         to.child->shape[0] = (size_t)(self->din); to.child->shape[1] = (size_t)(self->dout);
 *         pytree__array(&to, row++, self->w, 2);
 *         …
 *     } */
#define PYTREE__VIEW_DATA(name, m1, m2, m3, ...)                                                                     \
    PYTREE__VIEW_STORED(name, ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), ~)
#define PYTREE__VIEW_STORED(...) PYTREE__VIEW_STORED_(__VA_ARGS__)
#define PYTREE__VIEW_STORED_(name, skipped, store, arguments, ...) PYTREE__VIEW_##store(name, arguments)
#define PYTREE__VIEW_STATIC(...) row++;
#define PYTREE__VIEW_DROP(...) row++;
#define PYTREE__VIEW_PLAIN(name, arguments) pytree__plain(&to, row++, &self->name);
#define PYTREE__VIEW_ARRAY(name, arguments)                                                                          \
    PYTREE__EXTENTS arguments pytree__array(&to, row++, self->name, PYTREE__COUNT_ARGUMENTS arguments);
#define PYTREE__VIEW_LIST(name, arguments) to.child->shape[0] = (size_t)arguments; pytree__list(&to, row++, self->name);
#define PYTREE__VIEW_RANK(name, arguments) PYTREE__CAT(PYTREE__FIXED_EXTENTS_, PYTREE__RANK_OF arguments)(self->name)  \
    pytree__plain(&to, row++, &self->name);
#define PYTREE__VIEW_STB_ARRAY(name, arguments) to.child->shape[0] = pytree__stb_array_length(self->name);           \
    pytree__list(&to, row++, self->name);
#define PYTREE__VIEW_STB_MAP(name, arguments)                                                                        \
    to.child->shape[0] = pytree__stb_map_length(self->name, sizeof(*self->name));                                       \
    to.child->shape[1] = sizeof(*self->name);                                                                           \
    to.child->shape[2] = self->name == NULL ? 0 : (size_t)((const char *)&self->name->value - (const char *)self->name); \
    pytree__list(&to, row++, self->name);

#define PYTREE__EXTENTS(...)                                                                                            \
    PYTREE__SEVENTEENTH(__VA_ARGS__, PYTREE__EXTENTS_16, PYTREE__EXTENTS_15, PYTREE__EXTENTS_14, PYTREE__EXTENTS_13,    \
                        PYTREE__EXTENTS_12, PYTREE__EXTENTS_11, PYTREE__EXTENTS_10, PYTREE__EXTENTS_9, PYTREE__EXTENTS_8, \
                        PYTREE__EXTENTS_7, PYTREE__EXTENTS_6, PYTREE__EXTENTS_5, PYTREE__EXTENTS_4, PYTREE__EXTENTS_3,  \
                        PYTREE__EXTENTS_2, PYTREE__EXTENTS_1, ~)(__VA_ARGS__)
#define PYTREE__EXTENT(i, n) to.child->shape[(i) < PYTREE_MAX_DIMS ? (i) : 0] = (size_t)(n);
#define PYTREE__EXTENTS_1(a) to.child->shape[0] = (size_t)(a);
#define PYTREE__EXTENTS_2(a, b) to.child->shape[0] = (size_t)(a); to.child->shape[1] = (size_t)(b);
#define PYTREE__EXTENTS_3(a, b, c) PYTREE__EXTENTS_2(a, b) to.child->shape[2] = (size_t)(c);
#define PYTREE__EXTENTS_4(a, b, c, d) PYTREE__EXTENTS_3(a, b, c) PYTREE__EXTENT(3, d)
#define PYTREE__EXTENTS_5(a, b, c, d, e) PYTREE__EXTENTS_4(a, b, c, d) PYTREE__EXTENT(4, e)
#define PYTREE__EXTENTS_6(a, b, c, d, e, f) PYTREE__EXTENTS_5(a, b, c, d, e) PYTREE__EXTENT(5, f)
#define PYTREE__EXTENTS_7(a, b, c, d, e, f, g) PYTREE__EXTENTS_6(a, b, c, d, e, f) PYTREE__EXTENT(6, g)
#define PYTREE__EXTENTS_8(a, b, c, d, e, f, g, h) PYTREE__EXTENTS_7(a, b, c, d, e, f, g) PYTREE__EXTENT(7, h)
#define PYTREE__EXTENTS_9(a, b, c, d, e, f, g, h, i) PYTREE__EXTENTS_8(a, b, c, d, e, f, g, h) PYTREE__EXTENT(8, i)
#define PYTREE__EXTENTS_10(a, b, c, d, e, f, g, h, i, j) PYTREE__EXTENTS_9(a, b, c, d, e, f, g, h, i) PYTREE__EXTENT(9, j)
#define PYTREE__EXTENTS_11(a, b, c, d, e, f, g, h, i, j, k) PYTREE__EXTENTS_10(a, b, c, d, e, f, g, h, i, j)            \
        PYTREE__EXTENT(10, k)
#define PYTREE__EXTENTS_12(a, b, c, d, e, f, g, h, i, j, k, l)                                                          \
    PYTREE__EXTENTS_11(a, b, c, d, e, f, g, h, i, j, k) PYTREE__EXTENT(11, l)
#define PYTREE__EXTENTS_13(a, b, c, d, e, f, g, h, i, j, k, l, m)                                                       \
    PYTREE__EXTENTS_12(a, b, c, d, e, f, g, h, i, j, k, l) PYTREE__EXTENT(12, m)
#define PYTREE__EXTENTS_14(a, b, c, d, e, f, g, h, i, j, k, l, m, n)                                                    \
    PYTREE__EXTENTS_13(a, b, c, d, e, f, g, h, i, j, k, l, m) PYTREE__EXTENT(13, n)
#define PYTREE__EXTENTS_15(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o)                                                 \
    PYTREE__EXTENTS_14(a, b, c, d, e, f, g, h, i, j, k, l, m, n) PYTREE__EXTENT(14, o)
#define PYTREE__EXTENTS_16(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p)                                              \
    PYTREE__EXTENTS_15(a, b, c, d, e, f, g, h, i, j, k, l, m, n, o) PYTREE__EXTENT(15, p)

#define PYTREE__FIXED_EXTENT(i, x) PYTREE__EXTENT(i, sizeof(x) / sizeof((x)[0]))
#define PYTREE__FIXED_EXTENTS_1(x) PYTREE__FIXED_EXTENT(0, x)
#define PYTREE__FIXED_EXTENTS_2(x) PYTREE__FIXED_EXTENTS_1(x) PYTREE__FIXED_EXTENT(1, (x)[0])
#define PYTREE__FIXED_EXTENTS_3(x) PYTREE__FIXED_EXTENTS_2(x) PYTREE__FIXED_EXTENT(2, (x)[0][0])
#define PYTREE__FIXED_EXTENTS_4(x) PYTREE__FIXED_EXTENTS_3(x) PYTREE__FIXED_EXTENT(3, (x)[0][0][0])
#define PYTREE__FIXED_EXTENTS_5(x) PYTREE__FIXED_EXTENTS_4(x) PYTREE__FIXED_EXTENT(4, (x)[0][0][0][0])
#define PYTREE__FIXED_EXTENTS_6(x) PYTREE__FIXED_EXTENTS_5(x) PYTREE__FIXED_EXTENT(5, (x)[0][0][0][0][0])
#define PYTREE__FIXED_EXTENTS_7(x) PYTREE__FIXED_EXTENTS_6(x) PYTREE__FIXED_EXTENT(6, (x)[0][0][0][0][0][0])
#define PYTREE__FIXED_EXTENTS_8(x) PYTREE__FIXED_EXTENTS_7(x) PYTREE__FIXED_EXTENT(7, (x)[0][0][0][0][0][0][0])
#define PYTREE__FIXED_EXTENTS_9(x) PYTREE__FIXED_EXTENTS_8(x) PYTREE__FIXED_EXTENT(8, (x) PYTREE__SUBSCRIPTS_8)
#define PYTREE__FIXED_EXTENTS_10(x) PYTREE__FIXED_EXTENTS_9(x) PYTREE__FIXED_EXTENT(9, (x) PYTREE__SUBSCRIPTS_9)
#define PYTREE__FIXED_EXTENTS_11(x) PYTREE__FIXED_EXTENTS_10(x) PYTREE__FIXED_EXTENT(10, (x) PYTREE__SUBSCRIPTS_10)
#define PYTREE__FIXED_EXTENTS_12(x) PYTREE__FIXED_EXTENTS_11(x) PYTREE__FIXED_EXTENT(11, (x) PYTREE__SUBSCRIPTS_11)
#define PYTREE__FIXED_EXTENTS_13(x) PYTREE__FIXED_EXTENTS_12(x) PYTREE__FIXED_EXTENT(12, (x) PYTREE__SUBSCRIPTS_12)
#define PYTREE__FIXED_EXTENTS_14(x) PYTREE__FIXED_EXTENTS_13(x) PYTREE__FIXED_EXTENT(13, (x) PYTREE__SUBSCRIPTS_13)
#define PYTREE__FIXED_EXTENTS_15(x) PYTREE__FIXED_EXTENTS_14(x) PYTREE__FIXED_EXTENT(14, (x) PYTREE__SUBSCRIPTS_14)
#define PYTREE__FIXED_EXTENTS_16(x) PYTREE__FIXED_EXTENTS_15(x) PYTREE__FIXED_EXTENT(15, (x) PYTREE__SUBSCRIPTS_15)

/* Pass: leaves put back.      =>   leaf = pytree__store_leaf(row++, self, leaf); */
#define PYTREE__STORED_DATA leaf = pytree__store_leaf(row++, self, leaf);
#define PYTREE__STORED_STATIC row++;
#define PYTREE__STORED_DROP row++;

/* ---- Generated functions: their parts ------------------------------------------------------------------------------------ */

/* Which of the generated functions a pass over the values is for; each has a copy of the pass. Only validation writes no views.
 */
enum { PYTREE__PASS_CHILDREN, PYTREE__PASS_LEAVES, PYTREE__PASS_LEAVES_AND_NONE, PYTREE__PASS_VALIDATE };

/* Where a pass is: copies of its arguments, and what it has found, in registers. */
typedef struct pytree__view_writer {
    pytree_leaf *child;                   /* the next view */
    pytree_leaf *first;                   /* with room for one of each child */
    const pytree_leaf *end;
    const pytree_field *last;             /* behind the rows */
    unsigned pass;
    bool writes;
    size_t extent_overflow;               /* not 0: an extent is negative or absurd */
    size_t flags;
} pytree__view_writer;

/* Begin a pass over n children. Leaves need room for n views first; INT_MAX: the struct has lists or trees. */
PYTREE__INLINE pytree__view_writer pytree__view_writer_begin(int n, const pytree_field *last, pytree_leaf *child,
                                                             const pytree_leaf *end, unsigned pass, bool writes)
{
    const bool fits = pass == PYTREE__PASS_CHILDREN || (n != INT_MAX && (!writes || end - child >= n));
    pytree__view_writer to;
    to.child = to.first = child;
    to.end = end;
    to.last = last;
    to.pass = pass;
    to.writes = writes;
    to.extent_overflow = 0;
    to.flags = fits ? 0 : PYTREE__NOT_INLINABLE;
    return to;
}

PYTREE__INLINE pytree__flatten_result pytree__view_writer_end(const pytree__view_writer *to)
{
    pytree__flatten_result seen;
    seen.end = to->child;
    seen.flags = to->flags | (to->extent_overflow != 0 ? PYTREE__NEEDS_CHECK : 0u);
    return seen;
}

/* Add a child that is None, where None has a view: the type and the extents that it would have otherwise; a leaf is like
 * others. */
PYTREE__INLINE void pytree__view_writer_none(pytree__view_writer *to, const pytree_field *row)
{
    to->flags |= PYTREE__HAS_NONE;
    if (to->writes && to->pass != PYTREE__PASS_LEAVES) {
        const bool leaf = to->pass != PYTREE__PASS_CHILDREN;
        to->child->data = NULL;
        to->child->type = leaf ? &pytree_types[PYTREE__T_none] : row->type;
        to->child->ndim = leaf ? 0 : row->ndim;
        to->child->form = PYTREE_FORM_NONE;
        to->child++;
    }
}

/* Add a child that is not None, if views are wanted. */
PYTREE__INLINE void pytree__view_writer_add(pytree__view_writer *to, const pytree_field *row, const void *data, int ndim,
                                            unsigned form)
{
    if (to->writes) {
        pytree_leaf *const child = to->child;
        child->data = (void *)(uintptr_t)data;
        child->type = row->type;
        child->ndim = ndim;
        child->form = form;
        to->child++;
    }
}

/* 2 to this power bounds an extent of an array of that many dimensions so that bytes cannot overflow: larger ones are
 * looked at. A negative int becomes a huge size_t and is caught the same way. */
PYTREE__INLINE size_t pytree__huge(const pytree_leaf *child, int ndim)
{
    size_t bits = 0;
    int i;
    if (ndim > 0) { bits = child->shape[0]; }
    if (ndim > 1) { bits |= child->shape[1]; }
    if (ndim > 2) {                       /* a loop costs compilers time even where it is never entered */
        for (i = 2; i < ndim; i++) { bits |= child->shape[i]; }
    }
    return bits >> ((sizeof(size_t) * 8 - 8) / (size_t)(ndim < 2 ? 2 : ndim));
}

/* A pointer to numbers, whose extents stand in the view. */
PYTREE__INLINE void pytree__array(pytree__view_writer *to, const pytree_field *row, const void *p, int ndim)
{
    if (PYTREE__UNLIKELY(p == NULL)) {
        if (row->optional != 0) { pytree__view_writer_none(to, row); return; }
        to->flags |= PYTREE__NEEDS_CHECK;
    }
    to->extent_overflow |= pytree__huge(to->child, ndim);
    pytree__view_writer_add(to, row, p, ndim, PYTREE_FORM_LEAF);
}

/* A list or map, whose length stands in the view. */
PYTREE__INLINE void pytree__list(pytree__view_writer *to, const pytree_field *row, const void *p)
{
    if (p == NULL) {
        if (row->optional != 0 && row->place != PYTREE_STB) { pytree__view_writer_none(to, row); return; }
        if (to->child->shape[0] != 0) { to->flags |= PYTREE__NEEDS_CHECK; }
    }
    to->extent_overflow |= pytree__huge(to->child, 1);
    pytree__view_writer_add(to, row, p, 1, row->form);
}

/* A struct in the struct, whose leaves take its place. Behind them there must be room for the rows that follow; where there is
 * none, those write where this struct began. */
PYTREE__INLINE void pytree__inlined(pytree__view_writer *to, const pytree_field *row, const void *at)
{
    pytree__flatten_result seen;
    if (PYTREE__UNLIKELY(row->type->leaves == NULL)) { to->flags |= PYTREE__NOT_INLINABLE; return; }
    if (!to->writes) { to->flags |= row->type->validate(at); return; }
    seen = row->type->leaves(at, to->child, to->end, to->pass == PYTREE__PASS_LEAVES_AND_NONE);
    to->flags |= seen.flags;
    to->child = seen.end;
    if (PYTREE__UNLIKELY((size_t)(to->end - seen.end) < (size_t)(to->last - row) - 1)) {
        to->flags |= PYTREE__NOT_INLINABLE;
        to->child = to->first;
    }
}

/* A row without modifier, or of RANK, whose extents stand in the view. */
PYTREE__INLINE void pytree__plain(pytree__view_writer *to, const pytree_field *row, const void *at)
{
    const void *data = at, *p;
    if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE && to->pass != PYTREE__PASS_CHILDREN) {
        pytree__inlined(to, row, at);
        return;
    }
    if (row->place == PYTREE_POINTER || (row->type == &pytree_types[PYTREE__T_string] && row->ndim == 0)) {
        memcpy(&p, at, sizeof p);
        if (p == NULL) {
            if (row->optional != 0) { pytree__view_writer_none(to, row); return; }
            to->flags |= PYTREE__NEEDS_CHECK;
        }
        if (row->place == PYTREE_POINTER) {
            data = p;
            to->flags |= PYTREE__NOT_INLINABLE;
        }
    } else {
        if (row->ndim == 1 || row->ndim == 2) { to->child->shape[0] = row->size / row->inner; }
        if (row->ndim == 2) { to->child->shape[1] = row->inner / row->type->size; }
        if (row->form >= PYTREE_FORM_FLAT) { to->flags |= PYTREE__NEEDS_CHECK; }
    }
    pytree__view_writer_add(to, row, data, row->ndim, row->form);
}

/* Store a DATA row's leaf, or the leaves of a struct that lies there. Returns the next leaf; NULL once a row, this one or one
 * before it, cannot be inlined. */
PYTREE__INLINE const pytree_leaf *pytree__store_leaf(const pytree_field *row, void *self, const pytree_leaf *leaf)
{
    char *at = (char *)self + row->offset;
    void *p;
    if (PYTREE__UNLIKELY(leaf == NULL)) { return NULL; }
    if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) { return row->type->store_leaves(at, leaf); }
    if (row->optional != 0) {
        memcpy(&p, at, sizeof p);
        if (p == NULL) { return leaf; }
    }
    if (row->form != PYTREE_FORM_LEAF) { return NULL; }
    if (row->place != PYTREE_IN_PLACE) {
        p = leaf->form == PYTREE_FORM_NONE ? NULL : leaf->data;
        memcpy(at, &p, sizeof p);
    } else if (leaf->form == PYTREE_FORM_NONE) {
        memset(at, 0, row->size);
    } else if (leaf->data != (void *)at) {
        memcpy(at, leaf->data, row->size);
    }
    return leaf + 1;
}

#if PYTREE__HAS_STB
/* stb_ds containers, without naming their element types. The length of an array stands before it; a map is an array that
 * begins one (default) element earlier. */
static inline size_t pytree__stb_array_length(const void *a)
{
    return a == NULL ? 0 : ((const stbds_array_header *)a)[-1].length;
}
static inline size_t pytree__stb_map_length(const void *map, size_t size)
{
    return map == NULL ? 0 : ((const stbds_array_header *)(const void *)((const char *)map - size))[-1].length - 1;
}

/* stb_ds cannot report that memory ran out. So as much as it is about to ask for is asked for, and given back, first. */
static inline bool pytree__stb_room(size_t n, size_t size)
{
    void *p;
    if (n > (SIZE_MAX / 2 - 4096) / size) { return false; }
    p = STBDS_REALLOC(NULL, NULL, n * size + 4096);
    if (p == NULL) { return false; }
    STBDS_FREE(NULL, p);
    return true;
}
static inline void pytree__stb_array_release(void *field, const pytree_field *row)
{
    void *a;
    (void)row;
    memcpy(&a, field, sizeof a);
    if (a != NULL) { STBDS_FREE(NULL, (stbds_array_header *)a - 1); }
    memset(field, 0, sizeof a);
}
static inline pytree_status pytree__stb_array_resize(void *field, size_t n, const char *const *keys, const pytree_field *row)
{
    void *a;
    (void)keys;
    if (!pytree__stb_room(n, row->inner)) { return PYTREE_NO_MEMORY; }
    a = stbds_arrgrowf(NULL, row->inner, 0, n);
    ((stbds_array_header *)a)[-1].length = n;
    memset(a, 0, n * row->inner);
    memcpy(field, &a, sizeof a);
    return PYTREE_OK;
}
static inline void pytree__stb_map_release(void *field, const pytree_field *row)
{
    char *map;
    memcpy(&map, field, sizeof map);
    if (map != NULL) { stbds_hmfree_func(map - row->inner, row->inner); }
    memset(field, 0, sizeof map);
}
/* The map copies the keys. Entries come in the order given, values zeroed. */
static inline pytree_status pytree__stb_map_resize(void *field, size_t n, const char *const *keys, const pytree_field *row)
{
    size_t i, bytes = 0;
    char *map;
    for (i = 0; i < n; i++) { bytes += strlen(keys[i]) + 1 + 64; }
    if (!pytree__stb_room(2 * n, row->inner + 64) || !pytree__stb_room(bytes, 1)) { return PYTREE_NO_MEMORY; }
    map = (char *)stbds_shmode_func(row->inner, STBDS_SH_STRDUP);
    for (i = 0; i < n; i++) {
        ptrdiff_t at;
        map = (char *)stbds_hmput_key(map, row->inner, (void *)(uintptr_t)keys[i], sizeof(char *), STBDS_HM_STRING);
        at = ((stbds_array_header *)(void *)(map - row->inner))[-1].temp;
        memset(map + (size_t)at * row->inner + sizeof(char *), 0, row->inner - sizeof(char *));
    }
    memcpy(field, &map, sizeof map);
    return PYTREE_OK;
}
#endif

/* ---- Full groups of slots: lists as text ------------------------------------------------------------------------------- */

#define PYTREE__CODED_00 pytree__q000: pytree__p000, pytree__q001: pytree__p001, pytree__q002: pytree__p002,            \
    pytree__q003: pytree__p003, pytree__q004: pytree__p004, pytree__q005: pytree__p005, pytree__q006: pytree__p006,     \
    pytree__q007: pytree__p007,
#define PYTREE__CODED_01 pytree__q010: pytree__p010, pytree__q011: pytree__p011, pytree__q012: pytree__p012,            \
    pytree__q013: pytree__p013, pytree__q014: pytree__p014, pytree__q015: pytree__p015, pytree__q016: pytree__p016,     \
    pytree__q017: pytree__p017,
#define PYTREE__CODED_02 pytree__q020: pytree__p020, pytree__q021: pytree__p021, pytree__q022: pytree__p022,            \
    pytree__q023: pytree__p023, pytree__q024: pytree__p024, pytree__q025: pytree__p025, pytree__q026: pytree__p026,     \
    pytree__q027: pytree__p027,
#define PYTREE__CODED_03 pytree__q030: pytree__p030, pytree__q031: pytree__p031, pytree__q032: pytree__p032,            \
    pytree__q033: pytree__p033, pytree__q034: pytree__p034, pytree__q035: pytree__p035, pytree__q036: pytree__p036,     \
    pytree__q037: pytree__p037,
#define PYTREE__CODED_04 pytree__q040: pytree__p040, pytree__q041: pytree__p041, pytree__q042: pytree__p042,            \
    pytree__q043: pytree__p043, pytree__q044: pytree__p044, pytree__q045: pytree__p045, pytree__q046: pytree__p046,     \
    pytree__q047: pytree__p047,
#define PYTREE__CODED_05 pytree__q050: pytree__p050, pytree__q051: pytree__p051, pytree__q052: pytree__p052,            \
    pytree__q053: pytree__p053, pytree__q054: pytree__p054, pytree__q055: pytree__p055, pytree__q056: pytree__p056,     \
    pytree__q057: pytree__p057,
#define PYTREE__CODED_06 pytree__q060: pytree__p060, pytree__q061: pytree__p061, pytree__q062: pytree__p062,            \
    pytree__q063: pytree__p063, pytree__q064: pytree__p064, pytree__q065: pytree__p065, pytree__q066: pytree__p066,     \
    pytree__q067: pytree__p067,
#define PYTREE__CODED_07 pytree__q070: pytree__p070, pytree__q071: pytree__p071, pytree__q072: pytree__p072,            \
    pytree__q073: pytree__p073, pytree__q074: pytree__p074, pytree__q075: pytree__p075, pytree__q076: pytree__p076,     \
    pytree__q077: pytree__p077,
#define PYTREE__CODED_10 pytree__q100: pytree__p100, pytree__q101: pytree__p101, pytree__q102: pytree__p102,            \
    pytree__q103: pytree__p103, pytree__q104: pytree__p104, pytree__q105: pytree__p105, pytree__q106: pytree__p106,     \
    pytree__q107: pytree__p107,
#define PYTREE__CODED_11 pytree__q110: pytree__p110, pytree__q111: pytree__p111, pytree__q112: pytree__p112,            \
    pytree__q113: pytree__p113, pytree__q114: pytree__p114, pytree__q115: pytree__p115, pytree__q116: pytree__p116,     \
    pytree__q117: pytree__p117,
#define PYTREE__CODED_12 pytree__q120: pytree__p120, pytree__q121: pytree__p121, pytree__q122: pytree__p122,            \
    pytree__q123: pytree__p123, pytree__q124: pytree__p124, pytree__q125: pytree__p125, pytree__q126: pytree__p126,     \
    pytree__q127: pytree__p127,
#define PYTREE__CODED_13 pytree__q130: pytree__p130, pytree__q131: pytree__p131, pytree__q132: pytree__p132,            \
    pytree__q133: pytree__p133, pytree__q134: pytree__p134, pytree__q135: pytree__p135, pytree__q136: pytree__p136,     \
    pytree__q137: pytree__p137,
#define PYTREE__CODED_14 pytree__q140: pytree__p140, pytree__q141: pytree__p141, pytree__q142: pytree__p142,            \
    pytree__q143: pytree__p143, pytree__q144: pytree__p144, pytree__q145: pytree__p145, pytree__q146: pytree__p146,     \
    pytree__q147: pytree__p147,
#define PYTREE__CODED_15 pytree__q150: pytree__p150, pytree__q151: pytree__p151, pytree__q152: pytree__p152,            \
    pytree__q153: pytree__p153, pytree__q154: pytree__p154, pytree__q155: pytree__p155, pytree__q156: pytree__p156,     \
    pytree__q157: pytree__p157,
#define PYTREE__CODED_16 pytree__q160: pytree__p160, pytree__q161: pytree__p161, pytree__q162: pytree__p162,            \
    pytree__q163: pytree__p163, pytree__q164: pytree__p164, pytree__q165: pytree__p165, pytree__q166: pytree__p166,     \
    pytree__q167: pytree__p167,
#define PYTREE__CODED_17 pytree__q170: pytree__p170, pytree__q171: pytree__p171, pytree__q172: pytree__p172,            \
    pytree__q173: pytree__p173, pytree__q174: pytree__p174, pytree__q175: pytree__p175, pytree__q176: pytree__p176,     \
    pytree__q177: pytree__p177,
#define PYTREE__CODED_20 pytree__q200: pytree__p200, pytree__q201: pytree__p201, pytree__q202: pytree__p202,            \
    pytree__q203: pytree__p203, pytree__q204: pytree__p204, pytree__q205: pytree__p205, pytree__q206: pytree__p206,     \
    pytree__q207: pytree__p207,
#define PYTREE__CODED_21 pytree__q210: pytree__p210, pytree__q211: pytree__p211, pytree__q212: pytree__p212,            \
    pytree__q213: pytree__p213, pytree__q214: pytree__p214, pytree__q215: pytree__p215, pytree__q216: pytree__p216,     \
    pytree__q217: pytree__p217,
#define PYTREE__CODED_22 pytree__q220: pytree__p220, pytree__q221: pytree__p221, pytree__q222: pytree__p222,            \
    pytree__q223: pytree__p223, pytree__q224: pytree__p224, pytree__q225: pytree__p225, pytree__q226: pytree__p226,     \
    pytree__q227: pytree__p227,
#define PYTREE__CODED_23 pytree__q230: pytree__p230, pytree__q231: pytree__p231, pytree__q232: pytree__p232,            \
    pytree__q233: pytree__p233, pytree__q234: pytree__p234, pytree__q235: pytree__p235, pytree__q236: pytree__p236,     \
    pytree__q237: pytree__p237,
#define PYTREE__CODED_24 pytree__q240: pytree__p240, pytree__q241: pytree__p241, pytree__q242: pytree__p242,            \
    pytree__q243: pytree__p243, pytree__q244: pytree__p244, pytree__q245: pytree__p245, pytree__q246: pytree__p246,     \
    pytree__q247: pytree__p247,
#define PYTREE__CODED_25 pytree__q250: pytree__p250, pytree__q251: pytree__p251, pytree__q252: pytree__p252,            \
    pytree__q253: pytree__p253, pytree__q254: pytree__p254, pytree__q255: pytree__p255, pytree__q256: pytree__p256,     \
    pytree__q257: pytree__p257,
#define PYTREE__CODED_26 pytree__q260: pytree__p260, pytree__q261: pytree__p261, pytree__q262: pytree__p262,            \
    pytree__q263: pytree__p263, pytree__q264: pytree__p264, pytree__q265: pytree__p265, pytree__q266: pytree__p266,     \
    pytree__q267: pytree__p267,
#define PYTREE__CODED_27 pytree__q270: pytree__p270, pytree__q271: pytree__p271, pytree__q272: pytree__p272,            \
    pytree__q273: pytree__p273, pytree__q274: pytree__p274, pytree__q275: pytree__p275, pytree__q276: pytree__p276,     \
    pytree__q277: pytree__p277,
#define PYTREE__CODED_30 pytree__q300: pytree__p300, pytree__q301: pytree__p301, pytree__q302: pytree__p302,            \
    pytree__q303: pytree__p303, pytree__q304: pytree__p304, pytree__q305: pytree__p305, pytree__q306: pytree__p306,     \
    pytree__q307: pytree__p307,
#define PYTREE__CODED_31 pytree__q310: pytree__p310, pytree__q311: pytree__p311, pytree__q312: pytree__p312,            \
    pytree__q313: pytree__p313, pytree__q314: pytree__p314, pytree__q315: pytree__p315, pytree__q316: pytree__p316,     \
    pytree__q317: pytree__p317,
#define PYTREE__CODED_32 pytree__q320: pytree__p320, pytree__q321: pytree__p321, pytree__q322: pytree__p322,            \
    pytree__q323: pytree__p323, pytree__q324: pytree__p324, pytree__q325: pytree__p325, pytree__q326: pytree__p326,     \
    pytree__q327: pytree__p327,
#define PYTREE__CODED_33 pytree__q330: pytree__p330, pytree__q331: pytree__p331, pytree__q332: pytree__p332,            \
    pytree__q333: pytree__p333, pytree__q334: pytree__p334, pytree__q335: pytree__p335, pytree__q336: pytree__p336,     \
    pytree__q337: pytree__p337,
#define PYTREE__CODED_34 pytree__q340: pytree__p340, pytree__q341: pytree__p341, pytree__q342: pytree__p342,            \
    pytree__q343: pytree__p343, pytree__q344: pytree__p344, pytree__q345: pytree__p345, pytree__q346: pytree__p346,     \
    pytree__q347: pytree__p347,
#define PYTREE__CODED_35 pytree__q350: pytree__p350, pytree__q351: pytree__p351, pytree__q352: pytree__p352,            \
    pytree__q353: pytree__p353, pytree__q354: pytree__p354, pytree__q355: pytree__p355, pytree__q356: pytree__p356,     \
    pytree__q357: pytree__p357,
#define PYTREE__CODED_36 pytree__q360: pytree__p360, pytree__q361: pytree__p361, pytree__q362: pytree__p362,            \
    pytree__q363: pytree__p363, pytree__q364: pytree__p364, pytree__q365: pytree__p365, pytree__q366: pytree__p366,     \
    pytree__q367: pytree__p367,
#define PYTREE__CODED_37 pytree__q370: pytree__p370, pytree__q371: pytree__p371, pytree__q372: pytree__p372,            \
    pytree__q373: pytree__p373, pytree__q374: pytree__p374, pytree__q375: pytree__p375, pytree__q376: pytree__p376,     \
    pytree__q377: pytree__p377,
#define PYTREE__CODED_40 pytree__q400: pytree__p400, pytree__q401: pytree__p401, pytree__q402: pytree__p402,            \
    pytree__q403: pytree__p403, pytree__q404: pytree__p404, pytree__q405: pytree__p405, pytree__q406: pytree__p406,     \
    pytree__q407: pytree__p407,
#define PYTREE__CODED_41 pytree__q410: pytree__p410, pytree__q411: pytree__p411, pytree__q412: pytree__p412,            \
    pytree__q413: pytree__p413, pytree__q414: pytree__p414, pytree__q415: pytree__p415, pytree__q416: pytree__p416,     \
    pytree__q417: pytree__p417,
#define PYTREE__CODED_42 pytree__q420: pytree__p420, pytree__q421: pytree__p421, pytree__q422: pytree__p422,            \
    pytree__q423: pytree__p423, pytree__q424: pytree__p424, pytree__q425: pytree__p425, pytree__q426: pytree__p426,     \
    pytree__q427: pytree__p427,
#define PYTREE__CODED_43 pytree__q430: pytree__p430, pytree__q431: pytree__p431, pytree__q432: pytree__p432,            \
    pytree__q433: pytree__p433, pytree__q434: pytree__p434, pytree__q435: pytree__p435, pytree__q436: pytree__p436,     \
    pytree__q437: pytree__p437,
#define PYTREE__CODED_44 pytree__q440: pytree__p440, pytree__q441: pytree__p441, pytree__q442: pytree__p442,            \
    pytree__q443: pytree__p443, pytree__q444: pytree__p444, pytree__q445: pytree__p445, pytree__q446: pytree__p446,     \
    pytree__q447: pytree__p447,
#define PYTREE__CODED_45 pytree__q450: pytree__p450, pytree__q451: pytree__p451, pytree__q452: pytree__p452,            \
    pytree__q453: pytree__p453, pytree__q454: pytree__p454, pytree__q455: pytree__p455, pytree__q456: pytree__p456,     \
    pytree__q457: pytree__p457,
#define PYTREE__CODED_46 pytree__q460: pytree__p460, pytree__q461: pytree__p461, pytree__q462: pytree__p462,            \
    pytree__q463: pytree__p463, pytree__q464: pytree__p464, pytree__q465: pytree__p465, pytree__q466: pytree__p466,     \
    pytree__q467: pytree__p467,
#define PYTREE__CODED_47 pytree__q470: pytree__p470, pytree__q471: pytree__p471, pytree__q472: pytree__p472,            \
    pytree__q473: pytree__p473, pytree__q474: pytree__p474, pytree__q475: pytree__p475, pytree__q476: pytree__p476,     \
    pytree__q477: pytree__p477,
#define PYTREE__CODED_50 pytree__q500: pytree__p500, pytree__q501: pytree__p501, pytree__q502: pytree__p502,            \
    pytree__q503: pytree__p503, pytree__q504: pytree__p504, pytree__q505: pytree__p505, pytree__q506: pytree__p506,     \
    pytree__q507: pytree__p507,
#define PYTREE__CODED_51 pytree__q510: pytree__p510, pytree__q511: pytree__p511, pytree__q512: pytree__p512,            \
    pytree__q513: pytree__p513, pytree__q514: pytree__p514, pytree__q515: pytree__p515, pytree__q516: pytree__p516,     \
    pytree__q517: pytree__p517,
#define PYTREE__CODED_52 pytree__q520: pytree__p520, pytree__q521: pytree__p521, pytree__q522: pytree__p522,            \
    pytree__q523: pytree__p523, pytree__q524: pytree__p524, pytree__q525: pytree__p525, pytree__q526: pytree__p526,     \
    pytree__q527: pytree__p527,
#define PYTREE__CODED_53 pytree__q530: pytree__p530, pytree__q531: pytree__p531, pytree__q532: pytree__p532,            \
    pytree__q533: pytree__p533, pytree__q534: pytree__p534, pytree__q535: pytree__p535, pytree__q536: pytree__p536,     \
    pytree__q537: pytree__p537,
#define PYTREE__CODED_54 pytree__q540: pytree__p540, pytree__q541: pytree__p541, pytree__q542: pytree__p542,            \
    pytree__q543: pytree__p543, pytree__q544: pytree__p544, pytree__q545: pytree__p545, pytree__q546: pytree__p546,     \
    pytree__q547: pytree__p547,
#define PYTREE__CODED_55 pytree__q550: pytree__p550, pytree__q551: pytree__p551, pytree__q552: pytree__p552,            \
    pytree__q553: pytree__p553, pytree__q554: pytree__p554, pytree__q555: pytree__p555, pytree__q556: pytree__p556,     \
    pytree__q557: pytree__p557,
#define PYTREE__CODED_56 pytree__q560: pytree__p560, pytree__q561: pytree__p561, pytree__q562: pytree__p562,            \
    pytree__q563: pytree__p563, pytree__q564: pytree__p564, pytree__q565: pytree__p565, pytree__q566: pytree__p566,     \
    pytree__q567: pytree__p567,
#define PYTREE__CODED_57 pytree__q570: pytree__p570, pytree__q571: pytree__p571, pytree__q572: pytree__p572,            \
    pytree__q573: pytree__p573, pytree__q574: pytree__p574, pytree__q575: pytree__p575, pytree__q576: pytree__p576,     \
    pytree__q577: pytree__p577,
#define PYTREE__CODED_60 pytree__q600: pytree__p600, pytree__q601: pytree__p601, pytree__q602: pytree__p602,            \
    pytree__q603: pytree__p603, pytree__q604: pytree__p604, pytree__q605: pytree__p605, pytree__q606: pytree__p606,     \
    pytree__q607: pytree__p607,
#define PYTREE__CODED_61 pytree__q610: pytree__p610, pytree__q611: pytree__p611, pytree__q612: pytree__p612,            \
    pytree__q613: pytree__p613, pytree__q614: pytree__p614, pytree__q615: pytree__p615, pytree__q616: pytree__p616,     \
    pytree__q617: pytree__p617,
#define PYTREE__CODED_62 pytree__q620: pytree__p620, pytree__q621: pytree__p621, pytree__q622: pytree__p622,            \
    pytree__q623: pytree__p623, pytree__q624: pytree__p624, pytree__q625: pytree__p625, pytree__q626: pytree__p626,     \
    pytree__q627: pytree__p627,
#define PYTREE__CODED_63 pytree__q630: pytree__p630, pytree__q631: pytree__p631, pytree__q632: pytree__p632,            \
    pytree__q633: pytree__p633, pytree__q634: pytree__p634, pytree__q635: pytree__p635, pytree__q636: pytree__p636,     \
    pytree__q637: pytree__p637,
#define PYTREE__CODED_64 pytree__q640: pytree__p640, pytree__q641: pytree__p641, pytree__q642: pytree__p642,            \
    pytree__q643: pytree__p643, pytree__q644: pytree__p644, pytree__q645: pytree__p645, pytree__q646: pytree__p646,     \
    pytree__q647: pytree__p647,
#define PYTREE__CODED_65 pytree__q650: pytree__p650, pytree__q651: pytree__p651, pytree__q652: pytree__p652,            \
    pytree__q653: pytree__p653, pytree__q654: pytree__p654, pytree__q655: pytree__p655, pytree__q656: pytree__p656,     \
    pytree__q657: pytree__p657,
#define PYTREE__CODED_66 pytree__q660: pytree__p660, pytree__q661: pytree__p661, pytree__q662: pytree__p662,            \
    pytree__q663: pytree__p663, pytree__q664: pytree__p664, pytree__q665: pytree__p665, pytree__q666: pytree__p666,     \
    pytree__q667: pytree__p667,
#define PYTREE__CODED_67 pytree__q670: pytree__p670, pytree__q671: pytree__p671, pytree__q672: pytree__p672,            \
    pytree__q673: pytree__p673, pytree__q674: pytree__p674, pytree__q675: pytree__p675, pytree__q676: pytree__p676,     \
    pytree__q677: pytree__p677,
#define PYTREE__CODED_70 pytree__q700: pytree__p700, pytree__q701: pytree__p701, pytree__q702: pytree__p702,            \
    pytree__q703: pytree__p703, pytree__q704: pytree__p704, pytree__q705: pytree__p705, pytree__q706: pytree__p706,     \
    pytree__q707: pytree__p707,
#define PYTREE__CODED_71 pytree__q710: pytree__p710, pytree__q711: pytree__p711, pytree__q712: pytree__p712,            \
    pytree__q713: pytree__p713, pytree__q714: pytree__p714, pytree__q715: pytree__p715, pytree__q716: pytree__p716,     \
    pytree__q717: pytree__p717,
#define PYTREE__CODED_72 pytree__q720: pytree__p720, pytree__q721: pytree__p721, pytree__q722: pytree__p722,            \
    pytree__q723: pytree__p723, pytree__q724: pytree__p724, pytree__q725: pytree__p725, pytree__q726: pytree__p726,     \
    pytree__q727: pytree__p727,
#define PYTREE__CODED_73 pytree__q730: pytree__p730, pytree__q731: pytree__p731, pytree__q732: pytree__p732,            \
    pytree__q733: pytree__p733, pytree__q734: pytree__p734, pytree__q735: pytree__p735, pytree__q736: pytree__p736,     \
    pytree__q737: pytree__p737,
#define PYTREE__CODED_74 pytree__q740: pytree__p740, pytree__q741: pytree__p741, pytree__q742: pytree__p742,            \
    pytree__q743: pytree__p743, pytree__q744: pytree__p744, pytree__q745: pytree__p745, pytree__q746: pytree__p746,     \
    pytree__q747: pytree__p747,
#define PYTREE__CODED_75 pytree__q750: pytree__p750, pytree__q751: pytree__p751, pytree__q752: pytree__p752,            \
    pytree__q753: pytree__p753, pytree__q754: pytree__p754, pytree__q755: pytree__p755, pytree__q756: pytree__p756,     \
    pytree__q757: pytree__p757,
#define PYTREE__CODED_76 pytree__q760: pytree__p760, pytree__q761: pytree__p761, pytree__q762: pytree__p762,            \
    pytree__q763: pytree__p763, pytree__q764: pytree__p764, pytree__q765: pytree__p765, pytree__q766: pytree__p766,     \
    pytree__q767: pytree__p767,
#define PYTREE__CODED_77 pytree__q770: pytree__p770, pytree__q771: pytree__p771, pytree__q772: pytree__p772,            \
    pytree__q773: pytree__p773, pytree__q774: pytree__p774, pytree__q775: pytree__p775, pytree__q776: pytree__p776,     \
    pytree__q777: pytree__p777,
#define PYTREE__TYPED_00 pytree__q000: &pytree__d000, pytree__q001: &pytree__d001, pytree__q002: &pytree__d002,         \
    pytree__q003: &pytree__d003, pytree__q004: &pytree__d004, pytree__q005: &pytree__d005, pytree__q006: &pytree__d006, \
    pytree__q007: &pytree__d007,
#define PYTREE__TYPED_01 pytree__q010: &pytree__d010, pytree__q011: &pytree__d011, pytree__q012: &pytree__d012,         \
    pytree__q013: &pytree__d013, pytree__q014: &pytree__d014, pytree__q015: &pytree__d015, pytree__q016: &pytree__d016, \
    pytree__q017: &pytree__d017,
#define PYTREE__TYPED_02 pytree__q020: &pytree__d020, pytree__q021: &pytree__d021, pytree__q022: &pytree__d022,         \
    pytree__q023: &pytree__d023, pytree__q024: &pytree__d024, pytree__q025: &pytree__d025, pytree__q026: &pytree__d026, \
    pytree__q027: &pytree__d027,
#define PYTREE__TYPED_03 pytree__q030: &pytree__d030, pytree__q031: &pytree__d031, pytree__q032: &pytree__d032,         \
    pytree__q033: &pytree__d033, pytree__q034: &pytree__d034, pytree__q035: &pytree__d035, pytree__q036: &pytree__d036, \
    pytree__q037: &pytree__d037,
#define PYTREE__TYPED_04 pytree__q040: &pytree__d040, pytree__q041: &pytree__d041, pytree__q042: &pytree__d042,         \
    pytree__q043: &pytree__d043, pytree__q044: &pytree__d044, pytree__q045: &pytree__d045, pytree__q046: &pytree__d046, \
    pytree__q047: &pytree__d047,
#define PYTREE__TYPED_05 pytree__q050: &pytree__d050, pytree__q051: &pytree__d051, pytree__q052: &pytree__d052,         \
    pytree__q053: &pytree__d053, pytree__q054: &pytree__d054, pytree__q055: &pytree__d055, pytree__q056: &pytree__d056, \
    pytree__q057: &pytree__d057,
#define PYTREE__TYPED_06 pytree__q060: &pytree__d060, pytree__q061: &pytree__d061, pytree__q062: &pytree__d062,         \
    pytree__q063: &pytree__d063, pytree__q064: &pytree__d064, pytree__q065: &pytree__d065, pytree__q066: &pytree__d066, \
    pytree__q067: &pytree__d067,
#define PYTREE__TYPED_07 pytree__q070: &pytree__d070, pytree__q071: &pytree__d071, pytree__q072: &pytree__d072,         \
    pytree__q073: &pytree__d073, pytree__q074: &pytree__d074, pytree__q075: &pytree__d075, pytree__q076: &pytree__d076, \
    pytree__q077: &pytree__d077,
#define PYTREE__TYPED_10 pytree__q100: &pytree__d100, pytree__q101: &pytree__d101, pytree__q102: &pytree__d102,         \
    pytree__q103: &pytree__d103, pytree__q104: &pytree__d104, pytree__q105: &pytree__d105, pytree__q106: &pytree__d106, \
    pytree__q107: &pytree__d107,
#define PYTREE__TYPED_11 pytree__q110: &pytree__d110, pytree__q111: &pytree__d111, pytree__q112: &pytree__d112,         \
    pytree__q113: &pytree__d113, pytree__q114: &pytree__d114, pytree__q115: &pytree__d115, pytree__q116: &pytree__d116, \
    pytree__q117: &pytree__d117,
#define PYTREE__TYPED_12 pytree__q120: &pytree__d120, pytree__q121: &pytree__d121, pytree__q122: &pytree__d122,         \
    pytree__q123: &pytree__d123, pytree__q124: &pytree__d124, pytree__q125: &pytree__d125, pytree__q126: &pytree__d126, \
    pytree__q127: &pytree__d127,
#define PYTREE__TYPED_13 pytree__q130: &pytree__d130, pytree__q131: &pytree__d131, pytree__q132: &pytree__d132,         \
    pytree__q133: &pytree__d133, pytree__q134: &pytree__d134, pytree__q135: &pytree__d135, pytree__q136: &pytree__d136, \
    pytree__q137: &pytree__d137,
#define PYTREE__TYPED_14 pytree__q140: &pytree__d140, pytree__q141: &pytree__d141, pytree__q142: &pytree__d142,         \
    pytree__q143: &pytree__d143, pytree__q144: &pytree__d144, pytree__q145: &pytree__d145, pytree__q146: &pytree__d146, \
    pytree__q147: &pytree__d147,
#define PYTREE__TYPED_15 pytree__q150: &pytree__d150, pytree__q151: &pytree__d151, pytree__q152: &pytree__d152,         \
    pytree__q153: &pytree__d153, pytree__q154: &pytree__d154, pytree__q155: &pytree__d155, pytree__q156: &pytree__d156, \
    pytree__q157: &pytree__d157,
#define PYTREE__TYPED_16 pytree__q160: &pytree__d160, pytree__q161: &pytree__d161, pytree__q162: &pytree__d162,         \
    pytree__q163: &pytree__d163, pytree__q164: &pytree__d164, pytree__q165: &pytree__d165, pytree__q166: &pytree__d166, \
    pytree__q167: &pytree__d167,
#define PYTREE__TYPED_17 pytree__q170: &pytree__d170, pytree__q171: &pytree__d171, pytree__q172: &pytree__d172,         \
    pytree__q173: &pytree__d173, pytree__q174: &pytree__d174, pytree__q175: &pytree__d175, pytree__q176: &pytree__d176, \
    pytree__q177: &pytree__d177,
#define PYTREE__TYPED_20 pytree__q200: &pytree__d200, pytree__q201: &pytree__d201, pytree__q202: &pytree__d202,         \
    pytree__q203: &pytree__d203, pytree__q204: &pytree__d204, pytree__q205: &pytree__d205, pytree__q206: &pytree__d206, \
    pytree__q207: &pytree__d207,
#define PYTREE__TYPED_21 pytree__q210: &pytree__d210, pytree__q211: &pytree__d211, pytree__q212: &pytree__d212,         \
    pytree__q213: &pytree__d213, pytree__q214: &pytree__d214, pytree__q215: &pytree__d215, pytree__q216: &pytree__d216, \
    pytree__q217: &pytree__d217,
#define PYTREE__TYPED_22 pytree__q220: &pytree__d220, pytree__q221: &pytree__d221, pytree__q222: &pytree__d222,         \
    pytree__q223: &pytree__d223, pytree__q224: &pytree__d224, pytree__q225: &pytree__d225, pytree__q226: &pytree__d226, \
    pytree__q227: &pytree__d227,
#define PYTREE__TYPED_23 pytree__q230: &pytree__d230, pytree__q231: &pytree__d231, pytree__q232: &pytree__d232,         \
    pytree__q233: &pytree__d233, pytree__q234: &pytree__d234, pytree__q235: &pytree__d235, pytree__q236: &pytree__d236, \
    pytree__q237: &pytree__d237,
#define PYTREE__TYPED_24 pytree__q240: &pytree__d240, pytree__q241: &pytree__d241, pytree__q242: &pytree__d242,         \
    pytree__q243: &pytree__d243, pytree__q244: &pytree__d244, pytree__q245: &pytree__d245, pytree__q246: &pytree__d246, \
    pytree__q247: &pytree__d247,
#define PYTREE__TYPED_25 pytree__q250: &pytree__d250, pytree__q251: &pytree__d251, pytree__q252: &pytree__d252,         \
    pytree__q253: &pytree__d253, pytree__q254: &pytree__d254, pytree__q255: &pytree__d255, pytree__q256: &pytree__d256, \
    pytree__q257: &pytree__d257,
#define PYTREE__TYPED_26 pytree__q260: &pytree__d260, pytree__q261: &pytree__d261, pytree__q262: &pytree__d262,         \
    pytree__q263: &pytree__d263, pytree__q264: &pytree__d264, pytree__q265: &pytree__d265, pytree__q266: &pytree__d266, \
    pytree__q267: &pytree__d267,
#define PYTREE__TYPED_27 pytree__q270: &pytree__d270, pytree__q271: &pytree__d271, pytree__q272: &pytree__d272,         \
    pytree__q273: &pytree__d273, pytree__q274: &pytree__d274, pytree__q275: &pytree__d275, pytree__q276: &pytree__d276, \
    pytree__q277: &pytree__d277,
#define PYTREE__TYPED_30 pytree__q300: &pytree__d300, pytree__q301: &pytree__d301, pytree__q302: &pytree__d302,         \
    pytree__q303: &pytree__d303, pytree__q304: &pytree__d304, pytree__q305: &pytree__d305, pytree__q306: &pytree__d306, \
    pytree__q307: &pytree__d307,
#define PYTREE__TYPED_31 pytree__q310: &pytree__d310, pytree__q311: &pytree__d311, pytree__q312: &pytree__d312,         \
    pytree__q313: &pytree__d313, pytree__q314: &pytree__d314, pytree__q315: &pytree__d315, pytree__q316: &pytree__d316, \
    pytree__q317: &pytree__d317,
#define PYTREE__TYPED_32 pytree__q320: &pytree__d320, pytree__q321: &pytree__d321, pytree__q322: &pytree__d322,         \
    pytree__q323: &pytree__d323, pytree__q324: &pytree__d324, pytree__q325: &pytree__d325, pytree__q326: &pytree__d326, \
    pytree__q327: &pytree__d327,
#define PYTREE__TYPED_33 pytree__q330: &pytree__d330, pytree__q331: &pytree__d331, pytree__q332: &pytree__d332,         \
    pytree__q333: &pytree__d333, pytree__q334: &pytree__d334, pytree__q335: &pytree__d335, pytree__q336: &pytree__d336, \
    pytree__q337: &pytree__d337,
#define PYTREE__TYPED_34 pytree__q340: &pytree__d340, pytree__q341: &pytree__d341, pytree__q342: &pytree__d342,         \
    pytree__q343: &pytree__d343, pytree__q344: &pytree__d344, pytree__q345: &pytree__d345, pytree__q346: &pytree__d346, \
    pytree__q347: &pytree__d347,
#define PYTREE__TYPED_35 pytree__q350: &pytree__d350, pytree__q351: &pytree__d351, pytree__q352: &pytree__d352,         \
    pytree__q353: &pytree__d353, pytree__q354: &pytree__d354, pytree__q355: &pytree__d355, pytree__q356: &pytree__d356, \
    pytree__q357: &pytree__d357,
#define PYTREE__TYPED_36 pytree__q360: &pytree__d360, pytree__q361: &pytree__d361, pytree__q362: &pytree__d362,         \
    pytree__q363: &pytree__d363, pytree__q364: &pytree__d364, pytree__q365: &pytree__d365, pytree__q366: &pytree__d366, \
    pytree__q367: &pytree__d367,
#define PYTREE__TYPED_37 pytree__q370: &pytree__d370, pytree__q371: &pytree__d371, pytree__q372: &pytree__d372,         \
    pytree__q373: &pytree__d373, pytree__q374: &pytree__d374, pytree__q375: &pytree__d375, pytree__q376: &pytree__d376, \
    pytree__q377: &pytree__d377,
#define PYTREE__TYPED_40 pytree__q400: &pytree__d400, pytree__q401: &pytree__d401, pytree__q402: &pytree__d402,         \
    pytree__q403: &pytree__d403, pytree__q404: &pytree__d404, pytree__q405: &pytree__d405, pytree__q406: &pytree__d406, \
    pytree__q407: &pytree__d407,
#define PYTREE__TYPED_41 pytree__q410: &pytree__d410, pytree__q411: &pytree__d411, pytree__q412: &pytree__d412,         \
    pytree__q413: &pytree__d413, pytree__q414: &pytree__d414, pytree__q415: &pytree__d415, pytree__q416: &pytree__d416, \
    pytree__q417: &pytree__d417,
#define PYTREE__TYPED_42 pytree__q420: &pytree__d420, pytree__q421: &pytree__d421, pytree__q422: &pytree__d422,         \
    pytree__q423: &pytree__d423, pytree__q424: &pytree__d424, pytree__q425: &pytree__d425, pytree__q426: &pytree__d426, \
    pytree__q427: &pytree__d427,
#define PYTREE__TYPED_43 pytree__q430: &pytree__d430, pytree__q431: &pytree__d431, pytree__q432: &pytree__d432,         \
    pytree__q433: &pytree__d433, pytree__q434: &pytree__d434, pytree__q435: &pytree__d435, pytree__q436: &pytree__d436, \
    pytree__q437: &pytree__d437,
#define PYTREE__TYPED_44 pytree__q440: &pytree__d440, pytree__q441: &pytree__d441, pytree__q442: &pytree__d442,         \
    pytree__q443: &pytree__d443, pytree__q444: &pytree__d444, pytree__q445: &pytree__d445, pytree__q446: &pytree__d446, \
    pytree__q447: &pytree__d447,
#define PYTREE__TYPED_45 pytree__q450: &pytree__d450, pytree__q451: &pytree__d451, pytree__q452: &pytree__d452,         \
    pytree__q453: &pytree__d453, pytree__q454: &pytree__d454, pytree__q455: &pytree__d455, pytree__q456: &pytree__d456, \
    pytree__q457: &pytree__d457,
#define PYTREE__TYPED_46 pytree__q460: &pytree__d460, pytree__q461: &pytree__d461, pytree__q462: &pytree__d462,         \
    pytree__q463: &pytree__d463, pytree__q464: &pytree__d464, pytree__q465: &pytree__d465, pytree__q466: &pytree__d466, \
    pytree__q467: &pytree__d467,
#define PYTREE__TYPED_47 pytree__q470: &pytree__d470, pytree__q471: &pytree__d471, pytree__q472: &pytree__d472,         \
    pytree__q473: &pytree__d473, pytree__q474: &pytree__d474, pytree__q475: &pytree__d475, pytree__q476: &pytree__d476, \
    pytree__q477: &pytree__d477,
#define PYTREE__TYPED_50 pytree__q500: &pytree__d500, pytree__q501: &pytree__d501, pytree__q502: &pytree__d502,         \
    pytree__q503: &pytree__d503, pytree__q504: &pytree__d504, pytree__q505: &pytree__d505, pytree__q506: &pytree__d506, \
    pytree__q507: &pytree__d507,
#define PYTREE__TYPED_51 pytree__q510: &pytree__d510, pytree__q511: &pytree__d511, pytree__q512: &pytree__d512,         \
    pytree__q513: &pytree__d513, pytree__q514: &pytree__d514, pytree__q515: &pytree__d515, pytree__q516: &pytree__d516, \
    pytree__q517: &pytree__d517,
#define PYTREE__TYPED_52 pytree__q520: &pytree__d520, pytree__q521: &pytree__d521, pytree__q522: &pytree__d522,         \
    pytree__q523: &pytree__d523, pytree__q524: &pytree__d524, pytree__q525: &pytree__d525, pytree__q526: &pytree__d526, \
    pytree__q527: &pytree__d527,
#define PYTREE__TYPED_53 pytree__q530: &pytree__d530, pytree__q531: &pytree__d531, pytree__q532: &pytree__d532,         \
    pytree__q533: &pytree__d533, pytree__q534: &pytree__d534, pytree__q535: &pytree__d535, pytree__q536: &pytree__d536, \
    pytree__q537: &pytree__d537,
#define PYTREE__TYPED_54 pytree__q540: &pytree__d540, pytree__q541: &pytree__d541, pytree__q542: &pytree__d542,         \
    pytree__q543: &pytree__d543, pytree__q544: &pytree__d544, pytree__q545: &pytree__d545, pytree__q546: &pytree__d546, \
    pytree__q547: &pytree__d547,
#define PYTREE__TYPED_55 pytree__q550: &pytree__d550, pytree__q551: &pytree__d551, pytree__q552: &pytree__d552,         \
    pytree__q553: &pytree__d553, pytree__q554: &pytree__d554, pytree__q555: &pytree__d555, pytree__q556: &pytree__d556, \
    pytree__q557: &pytree__d557,
#define PYTREE__TYPED_56 pytree__q560: &pytree__d560, pytree__q561: &pytree__d561, pytree__q562: &pytree__d562,         \
    pytree__q563: &pytree__d563, pytree__q564: &pytree__d564, pytree__q565: &pytree__d565, pytree__q566: &pytree__d566, \
    pytree__q567: &pytree__d567,
#define PYTREE__TYPED_57 pytree__q570: &pytree__d570, pytree__q571: &pytree__d571, pytree__q572: &pytree__d572,         \
    pytree__q573: &pytree__d573, pytree__q574: &pytree__d574, pytree__q575: &pytree__d575, pytree__q576: &pytree__d576, \
    pytree__q577: &pytree__d577,
#define PYTREE__TYPED_60 pytree__q600: &pytree__d600, pytree__q601: &pytree__d601, pytree__q602: &pytree__d602,         \
    pytree__q603: &pytree__d603, pytree__q604: &pytree__d604, pytree__q605: &pytree__d605, pytree__q606: &pytree__d606, \
    pytree__q607: &pytree__d607,
#define PYTREE__TYPED_61 pytree__q610: &pytree__d610, pytree__q611: &pytree__d611, pytree__q612: &pytree__d612,         \
    pytree__q613: &pytree__d613, pytree__q614: &pytree__d614, pytree__q615: &pytree__d615, pytree__q616: &pytree__d616, \
    pytree__q617: &pytree__d617,
#define PYTREE__TYPED_62 pytree__q620: &pytree__d620, pytree__q621: &pytree__d621, pytree__q622: &pytree__d622,         \
    pytree__q623: &pytree__d623, pytree__q624: &pytree__d624, pytree__q625: &pytree__d625, pytree__q626: &pytree__d626, \
    pytree__q627: &pytree__d627,
#define PYTREE__TYPED_63 pytree__q630: &pytree__d630, pytree__q631: &pytree__d631, pytree__q632: &pytree__d632,         \
    pytree__q633: &pytree__d633, pytree__q634: &pytree__d634, pytree__q635: &pytree__d635, pytree__q636: &pytree__d636, \
    pytree__q637: &pytree__d637,
#define PYTREE__TYPED_64 pytree__q640: &pytree__d640, pytree__q641: &pytree__d641, pytree__q642: &pytree__d642,         \
    pytree__q643: &pytree__d643, pytree__q644: &pytree__d644, pytree__q645: &pytree__d645, pytree__q646: &pytree__d646, \
    pytree__q647: &pytree__d647,
#define PYTREE__TYPED_65 pytree__q650: &pytree__d650, pytree__q651: &pytree__d651, pytree__q652: &pytree__d652,         \
    pytree__q653: &pytree__d653, pytree__q654: &pytree__d654, pytree__q655: &pytree__d655, pytree__q656: &pytree__d656, \
    pytree__q657: &pytree__d657,
#define PYTREE__TYPED_66 pytree__q660: &pytree__d660, pytree__q661: &pytree__d661, pytree__q662: &pytree__d662,         \
    pytree__q663: &pytree__d663, pytree__q664: &pytree__d664, pytree__q665: &pytree__d665, pytree__q666: &pytree__d666, \
    pytree__q667: &pytree__d667,
#define PYTREE__TYPED_67 pytree__q670: &pytree__d670, pytree__q671: &pytree__d671, pytree__q672: &pytree__d672,         \
    pytree__q673: &pytree__d673, pytree__q674: &pytree__d674, pytree__q675: &pytree__d675, pytree__q676: &pytree__d676, \
    pytree__q677: &pytree__d677,
#define PYTREE__TYPED_70 pytree__q700: &pytree__d700, pytree__q701: &pytree__d701, pytree__q702: &pytree__d702,         \
    pytree__q703: &pytree__d703, pytree__q704: &pytree__d704, pytree__q705: &pytree__d705, pytree__q706: &pytree__d706, \
    pytree__q707: &pytree__d707,
#define PYTREE__TYPED_71 pytree__q710: &pytree__d710, pytree__q711: &pytree__d711, pytree__q712: &pytree__d712,         \
    pytree__q713: &pytree__d713, pytree__q714: &pytree__d714, pytree__q715: &pytree__d715, pytree__q716: &pytree__d716, \
    pytree__q717: &pytree__d717,
#define PYTREE__TYPED_72 pytree__q720: &pytree__d720, pytree__q721: &pytree__d721, pytree__q722: &pytree__d722,         \
    pytree__q723: &pytree__d723, pytree__q724: &pytree__d724, pytree__q725: &pytree__d725, pytree__q726: &pytree__d726, \
    pytree__q727: &pytree__d727,
#define PYTREE__TYPED_73 pytree__q730: &pytree__d730, pytree__q731: &pytree__d731, pytree__q732: &pytree__d732,         \
    pytree__q733: &pytree__d733, pytree__q734: &pytree__d734, pytree__q735: &pytree__d735, pytree__q736: &pytree__d736, \
    pytree__q737: &pytree__d737,
#define PYTREE__TYPED_74 pytree__q740: &pytree__d740, pytree__q741: &pytree__d741, pytree__q742: &pytree__d742,         \
    pytree__q743: &pytree__d743, pytree__q744: &pytree__d744, pytree__q745: &pytree__d745, pytree__q746: &pytree__d746, \
    pytree__q747: &pytree__d747,
#define PYTREE__TYPED_75 pytree__q750: &pytree__d750, pytree__q751: &pytree__d751, pytree__q752: &pytree__d752,         \
    pytree__q753: &pytree__d753, pytree__q754: &pytree__d754, pytree__q755: &pytree__d755, pytree__q756: &pytree__d756, \
    pytree__q757: &pytree__d757,
#define PYTREE__TYPED_76 pytree__q760: &pytree__d760, pytree__q761: &pytree__d761, pytree__q762: &pytree__d762,         \
    pytree__q763: &pytree__d763, pytree__q764: &pytree__d764, pytree__q765: &pytree__d765, pytree__q766: &pytree__d766, \
    pytree__q767: &pytree__d767,
#define PYTREE__TYPED_77 pytree__q770: &pytree__d770, pytree__q771: &pytree__d771, pytree__q772: &pytree__d772,         \
    pytree__q773: &pytree__d773, pytree__q774: &pytree__d774, pytree__q775: &pytree__d775, pytree__q776: &pytree__d776, \
    pytree__q777: &pytree__d777,
#endif
