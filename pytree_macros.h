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
#define PYTREE__IS_RECORD(x) (__builtin_classify_type(x) == 12 || __builtin_classify_type(x) == 13)
#define PYTREE__CHECK_SCALAR(code, x, in)
#else                                     /* only scalars can be negated */
#define PYTREE__IS_RECORD(x) 0
#define PYTREE__CHECK_SCALAR(code, x, in)                                                                               \
    _Static_assert((code) != 0 || sizeof(!PYTREE__CHOOSE((code) == 0, x, 0)) != 0, in PYTREE__UNKNOWN);
#endif

/* ---- Types by slot --------------------------------------------------------------------------------------------------
 *
 * Slot 017 (octal) holds the type pytree__t017, a pointer to it pytree__q017, its descriptor pytree__d017 and the codes of
 * both, pytree__c017 and pytree__p017. A dispatch is nested in blocks of 64, because compilers compare each association with
 * each other one in its list:
 *
 *     _Generic((x), pytree__t100: &pytree__d100, default:
 *     _Generic((x), pytree__t000: &pytree__d000, …, pytree__t077: &pytree__d077, default: <built-in types>))
 *
 * All of it is written out for each member, so each token of it counts. */
#define PYTREE__D2 0
#define PYTREE__D1 0
#define PYTREE__D0 0

/* Lists of a group's first types. `t` is their prefix (pytree__t01 or pytree__q01); `op` and `v` what they lead to: & and
 * pytree__d01, or nothing and pytree__c01. */
#define PYTREE__TYPES_0(op, t, v)
#define PYTREE__TYPES_1(op, t, v) t##0: op v##0,
#define PYTREE__TYPES_2(op, t, v) t##0: op v##0, t##1: op v##1,
#define PYTREE__TYPES_3(op, t, v) t##0: op v##0, t##1: op v##1, t##2: op v##2,
#define PYTREE__TYPES_4(op, t, v) t##0: op v##0, t##1: op v##1, t##2: op v##2, t##3: op v##3,
#define PYTREE__TYPES_5(op, t, v) t##0: op v##0, t##1: op v##1, t##2: op v##2, t##3: op v##3, t##4: op v##4,
#define PYTREE__TYPES_6(op, t, v) t##0: op v##0, t##1: op v##1, t##2: op v##2, t##3: op v##3, t##4: op v##4, t##5: op v##5,
#define PYTREE__TYPES_7(op, t, v)                                                                                         \
    t##0: op v##0, t##1: op v##1, t##2: op v##2, t##3: op v##3, t##4: op v##4, t##5: op v##5, t##6: op v##6,
#define PYTREE__TYPES_8(op, t, v)                                                                                         \
    t##0: op v##0, t##1: op v##1, t##2: op v##2, t##3: op v##3, t##4: op v##4, t##5: op v##5, t##6: op v##6,            \
    t##7: op v##7,
/* Full groups, then full blocks. */
#define PYTREE__GROUPS_0(t, op, v)
#define PYTREE__GROUPS_1(t, op, v) PYTREE__TYPES_8(op, t##0, v##0)
#define PYTREE__GROUPS_2(t, op, v) PYTREE__GROUPS_1(t, op, v) PYTREE__TYPES_8(op, t##1, v##1)
#define PYTREE__GROUPS_3(t, op, v) PYTREE__GROUPS_2(t, op, v) PYTREE__TYPES_8(op, t##2, v##2)
#define PYTREE__GROUPS_4(t, op, v) PYTREE__GROUPS_3(t, op, v) PYTREE__TYPES_8(op, t##3, v##3)
#define PYTREE__GROUPS_5(t, op, v) PYTREE__GROUPS_4(t, op, v) PYTREE__TYPES_8(op, t##4, v##4)
#define PYTREE__GROUPS_6(t, op, v) PYTREE__GROUPS_5(t, op, v) PYTREE__TYPES_8(op, t##5, v##5)
#define PYTREE__GROUPS_7(t, op, v) PYTREE__GROUPS_6(t, op, v) PYTREE__TYPES_8(op, t##6, v##6)
#define PYTREE__GROUPS_8(t, op, v) PYTREE__GROUPS_7(t, op, v) PYTREE__TYPES_8(op, t##7, v##7)
#define PYTREE__BLOCK(x, t, op, v) _Generic((x), PYTREE__GROUPS_8(t, op, v) default:
#define PYTREE__BLOCKS_0(x, t, op, v)
#define PYTREE__BLOCKS_1(x, t, op, v) PYTREE__BLOCK(x, t##0, op, v##0)
#define PYTREE__BLOCKS_2(x, t, op, v) PYTREE__BLOCK(x, t##1, op, v##1) PYTREE__BLOCKS_1(x, t, op, v)
#define PYTREE__BLOCKS_3(x, t, op, v) PYTREE__BLOCK(x, t##2, op, v##2) PYTREE__BLOCKS_2(x, t, op, v)
#define PYTREE__BLOCKS_4(x, t, op, v) PYTREE__BLOCK(x, t##3, op, v##3) PYTREE__BLOCKS_3(x, t, op, v)
#define PYTREE__BLOCKS_5(x, t, op, v) PYTREE__BLOCK(x, t##4, op, v##4) PYTREE__BLOCKS_4(x, t, op, v)
#define PYTREE__BLOCKS_6(x, t, op, v) PYTREE__BLOCK(x, t##5, op, v##5) PYTREE__BLOCKS_5(x, t, op, v)
#define PYTREE__BLOCKS_7(x, t, op, v) PYTREE__BLOCK(x, t##6, op, v##6) PYTREE__BLOCKS_6(x, t, op, v)
#define PYTREE__BLOCKS_8(x, t, op, v) PYTREE__BLOCK(x, t##7, op, v##7) PYTREE__BLOCKS_7(x, t, op, v)

#define PYTREE__CLOSE_0 )
#define PYTREE__CLOSE_1 ))
#define PYTREE__CLOSE_2 )))
#define PYTREE__CLOSE_3 ))))
#define PYTREE__CLOSE_4 )))))
#define PYTREE__CLOSE_5 ))))))
#define PYTREE__CLOSE_6 )))))))
#define PYTREE__CLOSE_7 ))))))))
#define PYTREE__CLOSE_8 )))))))))

/* Everything registered so far, in front of what is written between the two; `more` associations are in the first list. The
 * control, the longest of the arguments, is handed on only where there is a block. */
#define PYTREE__AMONG(x, t, op, v, more)                                                                                \
    _Generic((x), PYTREE__NEWEST(t, op, v, PYTREE__D2, PYTREE__D1, PYTREE__D0) PYTREE__MORE_##more                      \
        default: PYTREE__CAT(PYTREE__BLOCKS_, PYTREE__D2)(x, t, op, v)
#define PYTREE__NEWEST(t, op, v, d2, d1, d0) PYTREE__NEWEST_(t, op, v, d2, d1, d0)
#define PYTREE__NEWEST_(t, op, v, d2, d1, d0)                                                                           \
    PYTREE__GROUPS_##d1(t##d2, op, v##d2) PYTREE__TYPES_##d0(op, t##d2##d1, v##d2##d1)
#define PYTREE__AMONG_END PYTREE__CAT(PYTREE__CLOSE_, PYTREE__D2)
#define PYTREE__MORE_NONE

#undef PYTREE__USER_TYPE
#define PYTREE__USER_TYPE(x) PYTREE__AMONG(x, pytree__t, &, pytree__d, NONE) PYTREE__BUILTIN_TYPE(x) PYTREE__AMONG_END

/* The registered types in front of what is between the two, for a member that may be a value, an array or a pointer. Where the
 * compiler can say what is a pointer (class 5), one association does for all: the control is a pointer to the value's type. A
 * leaf type or custom node may be a pointer itself, so the first one of a file brings back both. */
#define PYTREE__OF_TYPE_BY_BOTH(x)                                                                                      \
    PYTREE__AMONG(x, pytree__t, &, pytree__d, NONE) PYTREE__AMONG(x, pytree__q, &, pytree__d, NONE)
#define PYTREE__OF_TYPE_BY_BOTH_END PYTREE__AMONG_END PYTREE__AMONG_END
#if (defined(__clang__) || (defined(__GNUC__) && __GNUC__ >= 12)) && !defined(__TINYC__)
#define PYTREE__BY_POINTER 1
#define PYTREE__POINTS(x) __builtin_classify_type(x) == 5
#define PYTREE__POINTER(x) __builtin_choose_expr(PYTREE__POINTS(x), x, (__typeof__(((void)0, x)) *)0)
#define PYTREE__OF_TYPE_BY_POINTER(x) PYTREE__AMONG(PYTREE__POINTER(x), pytree__q, &, pytree__d, NONE)
#define PYTREE__OF_TYPE PYTREE__OF_TYPE_BY_POINTER
#define PYTREE__OF_TYPE_END PYTREE__AMONG_END
#define PYTREE__CODE PYTREE__CODE_BY_POINTER
#else
#define PYTREE__BY_POINTER 0
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
    PYTREE__CODE_FORM = 32768             /* times one of pytree_form: one value of the type; 0: a leaf */
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
#define PYTREE__MORE_CODES PYTREE__POINTERS char *: PYTREE__P_char_, PYTREE__TREE_POINTERS
#define PYTREE__CODE_BY_POINTER(x)                                                                                      \
    (PYTREE__POINTS(x) ? -1 : ~PYTREE__IS_POINTER)                                                                      \
        & PYTREE__AMONG(PYTREE__POINTER(x), pytree__q, , pytree__p, CODES)                                              \
        _Generic((x), PYTREE__CONSTS PYTREE__TABLES const char *: PYTREE__P_char_, default: 0) PYTREE__AMONG_END
#define PYTREE__CODE_BY_BOTH(x)                                                                                         \
    PYTREE__AMONG(x, pytree__t, , pytree__c, NONE) PYTREE__AMONG(x, pytree__q, , pytree__p, NONE)                       \
    PYTREE__BUILTIN_CODE(x) PYTREE__AMONG_END PYTREE__AMONG_END
#define PYTREE__BUILTIN_CODE(x)                                                                                         \
    _Generic((x), PYTREE__VALUES char: PYTREE__C_char_,                                                                 \
        pytree_leaf: PYTREE__C_view, pytree: PYTREE__C_ref, pytree_flat: PYTREE__C_flat, default:                       \
    _Generic((x), PYTREE__POINTERS char *: PYTREE__P_char_, PYTREE__TREE_POINTERS default:                   \
    _Generic((x), PYTREE__CONSTS PYTREE__TABLES const char *: PYTREE__P_char_, default: 0)))
/* Of a pointer to numbers or strings. */
#define PYTREE__POINTER_CODE(x) _Generic((x), PYTREE__POINTERS default: _Generic((x), PYTREE__CONSTS default: 0))
/* A pointer to char is a string; an array of structs or trees is many. */
#define PYTREE__MENDED(seen)                                                                                            \
    (seen == PYTREE__P_char_ ? (int)PYTREE__C_string                                                                    \
     : (seen & PYTREE__IS_FIXED) != 0 && PYTREE__FORM(seen) != PYTREE_FORM_LEAF ? seen | PYTREE__IS_MANY : (int)seen)

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

/* Something that is skipped, the store, its arguments, and more. */
#define PYTREE__STORES(m1, m2, m3) ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), ~
#define PYTREE__OPTIONAL(m1, m2, m3) (0 PYTREE__MAYBE_##m1 PYTREE__MAYBE_##m2 PYTREE__MAYBE_##m3)
#define PYTREE__IS(...) PYTREE__SECOND(__VA_ARGS__, 0, ~)

/* Passes of the generated functions. */
#define PYTREE__FIELD(kind, name, m1, m2, m3, ...) PYTREE__CAT(PYTREE__FIELD_, PYTREE__PASS)(kind, name, m1, m2, m3)
#define PYTREE__FIELD_KIND(kind, name, m1, m2, m3) PYTREE__CAT(PYTREE__PURPOSE, _##kind)(name)
#define PYTREE__FIELD_ROW(kind, name, m1, m2, m3)                                                                       \
    PYTREE__ROW(kind, name, PYTREE__OPTIONAL(m1, m2, m3), PYTREE__STORES(m1, m2, m3))
#define PYTREE__ROW(...) PYTREE__ROW_(__VA_ARGS__)
#define PYTREE__ROW_(kind, name, optional, skipped, store, arguments, ...)                                              \
    PYTREE__CAT(PYTREE__PURPOSE, _##kind)(name, store, arguments, optional)

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

/* Pass: what each member is, and where it begins and ends. An enumerator without a value is the one before it plus one, which
 * is how a row knows where the row before it ended.
 *
 *     pytree__before_MLP_scale, pytree__seen_MLP_scale = PYTREE__R_float_ | …, pytree__code_MLP_scale = …,
 *     pytree__gap_MLP_scale = offsetof(MLP, scale) + 1 - pytree__before_MLP_scale, pytree__after_MLP_scale = …, */
#define PYTREE__MEMBERS_DATA(id, s, name, m1, m2, m3, ...) PYTREE__MEMBERS_STORED(id, s, name, PYTREE__STORES(m1, m2, m3))
#define PYTREE__MEMBERS_STORED(...) PYTREE__MEMBERS_STORED_(__VA_ARGS__)
#define PYTREE__MEMBERS_STORED_(id, s, name, skipped, store, arguments, ...)                                            \
    pytree__before_##id##_##name, PYTREE__MEMBERS_##store(pytree__code_##id##_##name, pytree__seen_##id##_##name,     \
        ((s *)0)->name, arguments)                                                                                      \
    PYTREE__MEMBERS_END(pytree__before_##id##_##name, pytree__gap_##id##_##name, pytree__after_##id##_##name, s, name)
#define PYTREE__MEMBERS_STATIC(id, s, name, ...) PYTREE__MEMBERS_STATIC_(id, s, name)
#define PYTREE__MEMBERS_STATIC_(id, s, name)                                                                        \
    pytree__before_##id##_##name, PYTREE__MEMBERS_PLAIN(pytree__code_##id##_##name, pytree__seen_##id##_##name,       \
        ((s *)0)->name, )                                                                                               \
    PYTREE__MEMBERS_END(pytree__before_##id##_##name, pytree__gap_##id##_##name, pytree__after_##id##_##name, s, name)
#define PYTREE__MEMBERS_DROP(id, s, name, ...) PYTREE__MEMBERS_DROP_(id, s, name)
#define PYTREE__MEMBERS_DROP_(id, s, name)                                                                          \
    pytree__before_##id##_##name,                                                                                       \
    PYTREE__MEMBERS_END(pytree__before_##id##_##name, pytree__gap_##id##_##name, pytree__after_##id##_##name, s, name)
#define PYTREE__MEMBERS_END(before, gap, after, s, name)                                                                \
    gap = (int)offsetof(s, name) + 1 - before, after = gap + before - 1 + (int)sizeof(((s *)0)->name),
#define PYTREE__MEMBERS_PLAIN(code, seen, x, arguments)                                                                 \
    seen = (PYTREE__CODE(x)) | PYTREE__FIXED(x), code = PYTREE__MENDED(seen),
#define PYTREE__MEMBERS_ARRAY(code, seen, x, arguments) code = PYTREE__POINTER_CODE(x) | PYTREE__FIXED(x),
#define PYTREE__MEMBERS_LIST(code, seen, x, arguments)                                                                  \
    seen = (PYTREE__CODE(x)) | PYTREE__FIXED(x), code = PYTREE__MENDED(seen) | PYTREE__IS_MANY,
#define PYTREE__MEMBERS_STB_ARRAY PYTREE__MEMBERS_LIST
#define PYTREE__MEMBERS_STB_MAP(code, seen, x, arguments)                                                               \
    seen = (PYTREE__CODE(x->value)) | PYTREE__FIXED(x), code = PYTREE__MENDED(seen) | PYTREE__IS_MANY,
#define PYTREE__MEMBERS_RANK(code, seen, x, arguments)                                                                  \
    seen = PYTREE__BUILTIN_CODE(x PYTREE__SUBSCRIPTS arguments), code = PYTREE__MENDED(seen) | PYTREE__FIXED(x),
#define PYTREE__FIXED(x) (PYTREE__IS_ARRAY(x) ? PYTREE__IS_FIXED : 0)

/* Pass: checks. First nothing left out and nothing out of order, then types. */
#define PYTREE__CHECK_DATA(id, s, name, m1, m2, m3, ...)                                                                \
    PYTREE__CHECK_STORED(id, s, name, PYTREE__OPTIONAL(m1, m2, m3), PYTREE__STORES(m1, m2, m3))
#define PYTREE__CHECK_STORED(...) PYTREE__CHECK_STORED_(__VA_ARGS__)
#define PYTREE__CHECK_STORED_(id, s, name, optional, skipped, store, arguments, ...)                                    \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))                       \
    PYTREE__CHECK_##store((int)pytree__code_##id##_##name, arguments, optional, PYTREE__TEXT_(pytree: s.name:))
#define PYTREE__CHECK_STATIC(id, s, name, ...) PYTREE__CHECK_STATIC_(id, s, name)
#define PYTREE__CHECK_STATIC_(id, s, name)                                                                          \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))                       \
    PYTREE__CHECK_METADATA((int)pytree__code_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))
#define PYTREE__CHECK_DROP(id, s, name, ...) PYTREE__CHECK_DROP_(id, s, name)
#define PYTREE__CHECK_DROP_(id, s, name)                                                                            \
    PYTREE__CHECK_LAYOUT(pytree__gap_##id##_##name, ((s *)0)->name, PYTREE__TEXT_(pytree: s.name:))

#define PYTREE__CHECK_LAYOUT(gap, x, in)                                                                                \
    _Static_assert(gap >= 0, in " rows are out of order; list the fields as the struct declares them, each once");       \
    _Static_assert(gap < PYTREE__ALIGN_OF(x),                                                                           \
                   in " a field before this one is not listed, or too late; give it a row (DATA, STATIC, or DROP for padding " \
                      "and scratch space)");
#define PYTREE__KNOWN (PYTREE__CODE_TYPE | PYTREE__IS_USER)
#define PYTREE__HELD (PYTREE__IS_POINTER | PYTREE__IS_TABLE | PYTREE__IS_FIXED)
#define PYTREE__UNKNOWN " its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE), or " \
        "list the field as DROP (an address: STATIC)"
#define PYTREE__CHECK_PLAIN(code, arguments, optional, in)                                                              \
    _Static_assert((code & (PYTREE__KNOWN | PYTREE__IS_FIXED)) != 0, in PYTREE__UNKNOWN);                               \
    _Static_assert((code & PYTREE__KNOWN) != 0 || (code & PYTREE__IS_FIXED) == 0,                                       \
                   in " an array whose element type is not registered, or of three or more dimensions; write RANK(3) for " \
                      "those");                                                                                         \
    _Static_assert((code & (PYTREE__IS_POINTER | PYTREE__IS_USER | PYTREE__IS_FIXED)) != PYTREE__IS_POINTER,            \
                   in " a pointer needs its extent; write ARRAY(n, m) for numbers, LIST(n) for a list of single values"); \
    _Static_assert(!optional || (code & PYTREE__HELD) == PYTREE__IS_POINTER || code == PYTREE__C_string,                \
                   in " OPTIONAL is for pointers: what lies in the struct itself is always there");
#define PYTREE__CHECK_ARRAY(code, arguments, optional, in)                                                              \
    _Static_assert((code & PYTREE__HELD) == PYTREE__IS_POINTER,                                                         \
                   in " ARRAY is for a pointer to numbers; a fixed array needs no modifier, a pointer to structs needs " \
                      "LIST(n)");                                                                                       \
    _Static_assert(PYTREE__COUNT_ARGUMENTS arguments <= PYTREE_MAX_DIMS, in PYTREE__TOO_MANY);
#define PYTREE__CHECK_LIST(code, arguments, optional, in)                                                               \
    _Static_assert((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    _Static_assert(PYTREE__COUNT_ARGUMENTS arguments == 1, in " LIST takes one count, LIST(n)");                         \
    _Static_assert((code & PYTREE__KNOWN) == 0 || (code & PYTREE__HELD) == PYTREE__IS_POINTER,                          \
                   in " LIST is for a pointer to registered structs or single values; a fixed array needs no modifier");
#define PYTREE__CHECK_STB_ARRAY(code, arguments, optional, in)                                                          \
    _Static_assert((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    _Static_assert((code & PYTREE__KNOWN) == 0 || (code & PYTREE__HELD) == PYTREE__IS_POINTER,                          \
                   in " STB_ARRAY is for an stb_ds array: a pointer, NULL or made by arrput");
#define PYTREE__CHECK_STB_MAP(code, arguments, optional, in)                                                            \
    _Static_assert((code & PYTREE__KNOWN) != 0, in PYTREE__UNKNOWN);                                                    \
    _Static_assert((code & (PYTREE__IS_POINTER | PYTREE__IS_TABLE)) == 0,                                               \
                   in " the values of a STB_MAP are numbers, strings or registered structs, not pointers or arrays");
#define PYTREE__CHECK_RANK(code, arguments, optional, in)                                                               \
    _Static_assert((code & PYTREE__KNOWN) != 0 && (code & (PYTREE__IS_POINTER | PYTREE__IS_TABLE)) == 0,                \
                   in " RANK is the number of dimensions of a fixed array of numbers; this array has another");          \
    _Static_assert(PYTREE__RANK_OF arguments <= PYTREE_MAX_DIMS, in PYTREE__TOO_MANY);
#define PYTREE__TOO_MANY " too many dimensions; define PYTREE_MAX_DIMS (8, at most 16) to that many in every file"
#define PYTREE__CHECK_METADATA(code, x, in)                                                                             \
    _Static_assert((code & PYTREE__KNOWN) != 0 || !PYTREE__IS_RECORD(x), in PYTREE__UNKNOWN);                           \
    _Static_assert((code & PYTREE__KNOWN) != 0 || !PYTREE__IS_ARRAY(*PYTREE__CHOOSE(code & PYTREE__IS_FIXED, x, &x)),   \
                   in " a STATIC array has one dimension, or two of numbers; put more into a struct of STATIC rows");    \
    _Static_assert((code & (PYTREE__IS_POINTER | PYTREE__IS_FIXED)) != PYTREE__IS_POINTER,                              \
                   in " a pointer to numbers or structs is data; write DATA, with ARRAY(n) for numbers, LIST(n) for n "  \
                      "structs");                                                                                       \
    _Static_assert((code & PYTREE__HAS_DATA) == 0 || (code & (PYTREE__IS_POINTER | PYTREE__IS_FIXED)) == PYTREE__IS_POINTER, \
                   in " a struct with DATA rows cannot be STATIC; write DATA");                                          \
    _Static_assert(PYTREE__FORM(code) < PYTREE_FORM_FLAT, in " a tree is data; write DATA");                             \
    _Static_assert((code & PYTREE__IS_LEAF) == 0, in " an opaque leaf type is data; write DATA");                        \
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
    PYTREE__TABLE_STORED(id, s, name, PYTREE__OPTIONAL(m1, m2, m3), PYTREE__STORES(m1, m2, m3))
#define PYTREE__TABLE_STORED(...) PYTREE__TABLE_STORED_(__VA_ARGS__)
#define PYTREE__TABLE_STORED_(id, s, name, optional, skipped, store, arguments, ...)                                    \
    { #name, PYTREE__TABLE_##store((int)pytree__code_##id##_##name, ((s *)0)->name, arguments, optional,              \
                                   PYTREE__PLACED(s, name)) },
#define PYTREE__TABLE_STATIC(id, s, name, ...) PYTREE__TABLE_STATIC_(id, s, name)
#define PYTREE__TABLE_STATIC_(id, s, name)                                                                          \
    { #name, PYTREE__TABLE_METADATA((int)pytree__code_##id##_##name, ((s *)0)->name, PYTREE__PLACED(s, name)) },
#define PYTREE__TABLE_DROP(id, s, name, ...)                                                                            \
    { #name, NULL, PYTREE_ROW_DROP, PYTREE_IN_PLACE, 0, 0, 0, PYTREE__PLACED(s, name), 0, NULL, NULL },
#define PYTREE__PLACED(s, name) offsetof(s, name), sizeof(((s *)0)->name)

#define PYTREE__BUILTIN_OF(code) &pytree_types[code & PYTREE__CODE_TYPE]
#define PYTREE__TABLE_METADATA(code, x, placed)                                                                         \
    PYTREE__OF_TYPE(x) &pytree_types[(code & PYTREE__CODE_TYPE) != 0 ? code & PYTREE__CODE_TYPE : PYTREE__T_address]    \
        PYTREE__OF_TYPE_END,                                                                                            \
    PYTREE_ROW_STATIC, PYTREE_IN_PLACE, PYTREE__PACK(code), 0, PYTREE__FIXED_RANK(code), placed, PYTREE__INNER(code, x), \
    NULL, NULL
#define PYTREE__TABLE_PLAIN(code, x, arguments, optional, placed)                                                       \
    PYTREE__OF_TYPE(x) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA,                                   \
    (code & PYTREE__HELD) == PYTREE__IS_POINTER ? PYTREE_POINTER : PYTREE_IN_PLACE,                                     \
    (code & PYTREE__IS_FIXED) != 0 && PYTREE__FORM(code) != PYTREE_FORM_LEAF ? PYTREE_FORM_TUPLE : PYTREE__FORM(code),  \
    optional, PYTREE__FIXED_RANK(code), placed, PYTREE__INNER(code, x), NULL, NULL
#define PYTREE__TABLE_ARRAY(code, x, arguments, optional, placed)                                                       \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE_POINTER, PYTREE_FORM_LEAF, optional,                              \
    PYTREE__COUNT_ARGUMENTS arguments, placed, sizeof(*x), NULL, NULL
#define PYTREE__TABLE_LIST(code, x, arguments, optional, placed)                                                        \
    PYTREE__OF_TYPE(x) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA, PYTREE_POINTER, PYTREE_FORM_LIST, \
    optional, 1, placed, sizeof(*x), NULL, NULL
#define PYTREE__TABLE_RANK(code, x, arguments, optional, placed)                                                        \
    PYTREE__BUILTIN_OF(code), PYTREE_ROW_DATA, PYTREE_IN_PLACE, PYTREE_FORM_LEAF, optional, PYTREE__RANK_OF arguments,  \
    placed, sizeof(x[0]), NULL, NULL
#define PYTREE__TABLE_STB_ARRAY(code, x, arguments, optional, placed)                                                   \
    PYTREE__OF_TYPE(x) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA, PYTREE_STB, PYTREE_FORM_LIST,     \
    optional, 1, placed, sizeof(*x), pytree__stb_array_resize, pytree__stb_array_release
#define PYTREE__TABLE_STB_MAP(code, x, arguments, optional, placed)                                                     \
    PYTREE__OF_TYPE(x->value) PYTREE__BUILTIN_OF(code) PYTREE__OF_TYPE_END, PYTREE_ROW_DATA, PYTREE_STB, PYTREE_FORM_MAP, \
    optional, 1, placed, sizeof(*x), pytree__stb_map_resize, pytree__stb_map_release
#define PYTREE__FIXED_RANK(code) ((code & PYTREE__IS_FIXED) == 0 ? 0 : (code & PYTREE__IS_TABLE) == 0 ? 1 : 2)
#define PYTREE__INNER(code, x) sizeof(*PYTREE__CHOOSE(code & PYTREE__IS_FIXED, x, &x))

/* Passes that sum up: how many static values are more than bytes; how many bytes the others have; the codes of children, all
 * bits together; where the first static value begins (that of the first row is taken) and the last one ends (what was summed up
 * is multiplied by 0). */
#define PYTREE__TEXTS_DATA(id, ...)
#define PYTREE__TEXTS_STATIC(id, s, name, ...) PYTREE__TEXTS_STATIC_(id, s, name)
#define PYTREE__TEXTS_STATIC_(id, s, name) + (PYTREE__PACK(pytree__code_##id##_##name) != PYTREE__PACK_BYTES)
#define PYTREE__TEXTS_DROP(id, ...)
#define PYTREE__BYTES_DATA(id, ...)
#define PYTREE__BYTES_STATIC(id, s, name, ...) PYTREE__BYTES_STATIC_(id, s, name)
#define PYTREE__BYTES_STATIC_(id, s, name)                                                                          \
    + (PYTREE__PACK(pytree__code_##id##_##name) == PYTREE__PACK_BYTES ? (int)sizeof(((s *)0)->name) : 0)
#define PYTREE__BYTES_DROP(id, ...)
#define PYTREE__CODES_DATA(id, s, name, ...) PYTREE__CODES_DATA_(id, s, name)
#define PYTREE__CODES_DATA_(id, s, name) | (int)pytree__code_##id##_##name
#define PYTREE__CODES_STATIC(id, ...)
#define PYTREE__CODES_DROP(id, ...)
#define PYTREE__FIRST_DATA(id, ...)
#define PYTREE__FIRST_STATIC(id, s, name, ...) 1 ? (int)offsetof(s, name) :
#define PYTREE__FIRST_DROP(id, ...)
#define PYTREE__LAST_DATA(id, ...)
#define PYTREE__LAST_STATIC(id, s, name, ...) PYTREE__LAST_STATIC_(id, s, name)
#define PYTREE__LAST_STATIC_(id, s, name) * 0 + pytree__after_##id##_##name
#define PYTREE__LAST_DROP(id, ...)

/* Pass: flatten.
 *
 *     static inline pytree__seen pytree__flatten_Linear(const void *at, pytree_leaf *child, const pytree_leaf *end,
 *                                                       pytree__record *record, unsigned how)
 *     {
 *         const Linear *self = at;
 *         pytree__sight to = …;
 *         …
 *         to.child->shape[0] = (size_t)(self->din); to.child->shape[1] = (size_t)(self->dout);
 *         pytree__array(&to, row++, self->w, 2);
 *         …
 *     }
 */
#define PYTREE__FLATTEN_DATA(name, store, arguments, optional)                                                          \
    PYTREE__CAT(PYTREE__FLATTEN_, store)(name, arguments)
#define PYTREE__FLATTEN_STATIC(name, store, arguments, optional) row++;
#define PYTREE__FLATTEN_DROP(name, store, arguments, optional) row++;
#define PYTREE__FLATTEN_PLAIN(name, arguments) pytree__plain(&to, row++, &self->name);
#define PYTREE__FLATTEN_ARRAY(name, arguments)                                                                          \
    PYTREE__EXTENTS arguments pytree__array(&to, row++, self->name, PYTREE__COUNT_ARGUMENTS arguments);
#define PYTREE__FLATTEN_LIST(name, arguments) to.child->shape[0] = (size_t)arguments; pytree__list(&to, row++, self->name);
#define PYTREE__FLATTEN_RANK(name, arguments) PYTREE__CAT(PYTREE__FIXED_EXTENTS_, PYTREE__RANK_OF arguments)(self->name)  \
    pytree__plain(&to, row++, &self->name);
#define PYTREE__FLATTEN_STB_ARRAY(name, arguments) to.child->shape[0] = pytree__stb_array_length(self->name);           \
    pytree__list(&to, row++, self->name);
#define PYTREE__FLATTEN_STB_MAP(name, arguments)                                                                        \
    to.child->shape[0] = pytree__stb_map_length(self->name, sizeof(*self->name));                                       \
    to.child->shape[1] = sizeof(*self->name);                                                                           \
    to.child->shape[2] = self->name == NULL ? 0 : (size_t)((const char *)&self->name->value - (const char *)self->name); \
    pytree__list(&to, row++, self->name);

#define PYTREE__EXTENTS(...) PYTREE__CAT(PYTREE__EXTENTS_, PYTREE__COUNT_ARGUMENTS(__VA_ARGS__))(__VA_ARGS__)
#define PYTREE__EXTENT(i, n) to.child->shape[(i) < PYTREE_MAX_DIMS ? (i) : 0] = (size_t)(n);
#define PYTREE__EXTENTS_1(a) PYTREE__EXTENT(0, a)
#define PYTREE__EXTENTS_2(a, b) PYTREE__EXTENTS_1(a) PYTREE__EXTENT(1, b)
#define PYTREE__EXTENTS_3(a, b, c) PYTREE__EXTENTS_2(a, b) PYTREE__EXTENT(2, c)
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

/* Pass: static values, in flatten.      =>   pytree__pack(&record->statics, row++, &self->din); */
#define PYTREE__STATICS_DATA(name) row++;
#define PYTREE__STATICS_STATIC(name) pytree__pack(&record->statics, row++, &self->name);
#define PYTREE__STATICS_DROP(name) row++;

/* Pass: unflatten.      =>   child = pytree__put_back(row++, self, child, how); */
#define PYTREE__UNFLATTEN_DATA(name) child = pytree__put_back(row++, self, child, how);
#define PYTREE__UNFLATTEN_STATIC(name) row++;
#define PYTREE__UNFLATTEN_DROP(name) row++;

/* ---- What the generated functions are made of ----------------------------------------------------------------------- */

/* Where flatten is: copies of its arguments, and what it has found, in registers. What is recorded of the structure is told in
 * groups of children, and written elsewhere: it would be most of the code. */
typedef struct pytree__sight {
    pytree_leaf *child;                   /* the next view */
    const pytree_leaf *end;
    pytree__record *record;
    unsigned how;
    unsigned group;                       /* children that are not recorded yet: leaves, or None */
    uint64_t nones;                       /* a bit for each of the latter */
    size_t first_node;
    size_t big;                           /* not 0: an extent is negative or absurd */
    size_t odd;
} pytree__sight;

/* False where a struct cannot be seen at once, with those in it: it has lists or trees, or there is no room. */
PYTREE__INLINE bool pytree__sight_begin(pytree__sight *to, bool closed, size_t n, pytree_leaf *child, const pytree_leaf *end,
                                        pytree__record *record, unsigned how)
{
    to->child = child;
    to->end = end;
    to->record = record;
    to->how = how;
    to->group = 0;
    to->nones = 0;
    to->first_node = record == NULL ? 0 : record->n_nodes;
    to->big = 0;
    to->odd = 0;
    return (how & PYTREE__DEEP) == 0 || (closed && (size_t)(end - child) >= n);
}

PYTREE__INLINE void pytree__sight_group(pytree__sight *to)
{
    if (to->record != NULL && to->group != 0) {
        to->record->n_nodes += to->group;
        if (to->record->n_nodes <= to->record->max_nodes) { pytree__record_children(to->record, to->group, to->nones); }
    }
    to->group = 0;
    to->nones = 0;
}

/* A child that was seen: a leaf, or None. */
PYTREE__INLINE void pytree__sight_child(pytree__sight *to, bool none)
{
    if (to->group == 64) { pytree__sight_group(to); }
    if (none) { to->nones |= (uint64_t)1 << to->group; }
    to->group++;
}

/* Static values that lie in one piece. */
PYTREE__INLINE void pytree__sight_bytes(pytree__record *record, const char *at, size_t n)
{
    if (n != 0 && record->statics.length + n <= record->statics.room) {
        memcpy(record->statics.at + record->statics.length, at, n);
    }
    record->statics.length += n;
}

/* The struct's own node, behind those of its children; its static values are packed from `meta` on. */
PYTREE__INLINE void pytree__sight_end(pytree__sight *to, size_t n, const pytree_leaf *first, size_t meta)
{
    if ((to->how & PYTREE__DEEP) != 0) {
        pytree__sight_group(to);
        if (to->record->n_nodes++ < to->record->max_nodes) {
            pytree__record_struct(to->record, to->first_node, n, (size_t)(to->child - first), meta);
        }
    }
}

PYTREE__INLINE pytree__seen pytree__sight_seen(const pytree__sight *to)
{
    pytree__seen seen;
    seen.end = to->child;
    seen.odd = to->odd | (to->big != 0 ? PYTREE__ODD : 0u);
    return seen;
}

/* A child that is None. */
PYTREE__INLINE void pytree__sight_none(pytree__sight *to, const pytree_field *row)
{
    to->odd |= PYTREE__HAS_NONE;
    if ((to->how & PYTREE__DROP_NONE) == 0) {
        to->odd |= pytree__none_child(to->child, to->end, row, to->how);
        to->child++;
        pytree__sight_child(to, false);
    } else {
        pytree__sight_child(to, true);
    }
}

/* 2 to this power bounds an extent of an array of that many dimensions so that bytes cannot overflow: larger ones are
 * looked at. A negative int becomes a huge size_t and is caught the same way. */
PYTREE__INLINE size_t pytree__huge(const pytree_leaf *child, int ndim)
{
    size_t bits = 0;
    int i;
    for (i = 0; i < ndim; i++) { bits |= child->shape[i]; }
    return bits >> ((sizeof(size_t) * 8 - 8) / (size_t)(ndim < 2 ? 2 : ndim));
}

PYTREE__INLINE void pytree__array(pytree__sight *to, const pytree_field *row, const void *p, int ndim)
{
    pytree_leaf *const child = to->child;
    if (PYTREE__UNLIKELY(p == NULL)) {
        if (row->optional != 0) { pytree__sight_none(to, row); return; }
        to->odd |= PYTREE__ODD;
    }
    child->data = (void *)(uintptr_t)p;
    child->type = row->type;
    child->ndim = ndim;
    child->form = PYTREE_FORM_LEAF;
    to->big |= pytree__huge(child, ndim);
    to->child++;
    pytree__sight_child(to, false);
}

PYTREE__INLINE void pytree__list(pytree__sight *to, const pytree_field *row, const void *p)
{
    pytree_leaf *const child = to->child;
    if (p == NULL) {
        if (row->optional != 0 && row->place != PYTREE_STB) { pytree__sight_none(to, row); return; }
        if (child->shape[0] != 0) { to->odd |= PYTREE__ODD; }
    }
    child->data = (void *)(uintptr_t)p;
    child->type = row->type;
    child->ndim = 1;
    child->form = row->form;
    to->big |= pytree__huge(child, 1);
    to->child++;
}

PYTREE__INLINE void pytree__plain(pytree__sight *to, const pytree_field *row, const void *at)
{
    pytree_leaf *child = to->child;
    void *p;
    if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE && (to->how & PYTREE__DEEP) != 0) {
        pytree__seen seen;
        if (PYTREE__UNLIKELY(row->type->flatten == NULL)) { to->odd |= PYTREE__HAS_NODE; return; }
        pytree__sight_group(to);
        seen = row->type->flatten(at, child, to->end, to->record, to->how);
        if (to->record != NULL && to->record->n_nodes - 1 < to->record->max_nodes) {
            to->record->nodes[to->record->n_nodes - 1].type = row->type;
        }
        to->child = seen.end;
        to->odd |= seen.odd;
        return;
    }
    child->type = row->type;
    child->form = row->form;
    child->ndim = row->ndim;
    child->data = (void *)(uintptr_t)at;
    if (row->place == PYTREE_POINTER || (row->type == &pytree_types[PYTREE__T_string] && row->ndim == 0)) {
        memcpy(&p, at, sizeof p);
        if (p == NULL) {
            if (row->optional != 0) { pytree__sight_none(to, row); return; }
            to->odd |= PYTREE__ODD;
        }
        if (row->place == PYTREE_POINTER) {
            child->data = p;
            to->odd |= PYTREE__HAS_NODE;
        }
    } else {
        if (row->ndim == 1 || row->ndim == 2) { child->shape[0] = row->size / row->inner; }
        if (row->ndim == 2) { child->shape[1] = row->inner / row->type->size; }
        if (row->form >= PYTREE_FORM_FLAT) { to->odd |= PYTREE__ODD; }
    }
    to->child++;
    pytree__sight_child(to, false);
}

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
