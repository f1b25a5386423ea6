/* pytree/registry/codes.h: the codes of members, and how constants are declared. Included by rows.h. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_CODES_H
#define PYTREE_REGISTRY_CODES_H

#include "words.h"

#if defined(__cplusplus)
#define PYTREE__ENUM enum : int
#else
#define PYTREE__ENUM enum                 /* of ints */
#endif

/* What a member is, as a constant: its type and how it is held. Checks, table and descriptor are made of it. */
PYTREE__ENUM {
    PYTREE__CODE_TYPE = 63,               /* a built-in type's number in pytree_types, or 0 */
    PYTREE__IS_USER = 64,                 /* a registered type */
    PYTREE__IS_LEAF = 128,                /* registered as PYTREE_LEAF_TYPE */
    PYTREE__HAS_DATA = 256,               /* struct with DATA rows, or custom node */
    PYTREE__IS_POINTER = 512,             /* T *, T[n], T (*)[m] */
    PYTREE__IS_TABLE = 1024,              /* T[n][m], T (*)[m] */
    PYTREE__IS_FIXED = 2048,              /* an array in the struct itself */
    PYTREE__IS_MANY = 4096,               /* LIST, STB_ARRAY, STB_MAP, array of structs or trees, required pointer to one */
    PYTREE__CODE_PACK = 8192,             /* times one of PYTREE__PACK_…: how a static value of the type is packed */
    PYTREE__CODE_PACKS = 8192 + 16384,    /* the bits of that; 128 times them are those of HAS_TEXTS */
    PYTREE__CODE_FORM = 32768,            /* times one of pytree_form: one value of the type; 0: a leaf */
    PYTREE__OTHER_KEY = 2097152,          /* STB_MAP: the key is no string */
    PYTREE__OTHER_MEMBERS = 4194304,      /* STB_MAP: an entry has more than key and value */
    PYTREE__IS_ATOMIC = 33554432,         /* without ATOMIC */
    PYTREE__HAS_TEXT = 1048576,           /* in the sum of a struct's codes: a static value is more than bytes */
    PYTREE__HAS_TEXTS = 1048576 + 2097152,                     /* one of these or both say so */
    PYTREE__TO_STRUCT = 8388608,          /* in the sum of a struct's codes: a member leads to a struct; to an array */
    PYTREE__TO_NUMBERS = 16777216, PYTREE__TO_BOTH = 8388608 + 16777216, PYTREE__TO_INTEGERS = 16777216 + 536870912,
    PYTREE__HAS_MANY = 67108864,          /* likewise: a member is an array, a struct or a union */
    PYTREE__REACHES = 536870912,          /* likewise: a pointer to integers, or one that is no child, as to read from */
    PYTREE__IS_CONST = 268435456,         /* more than any sum of other parts of one code */
    PYTREE__NEEDS_STRUCT = 1073741824,    /* in the sum of a struct's codes: a pointer to a struct that must not be NULL */
    PYTREE__NOT_BYTES = 134217728,        /* in C++: a type whose values must not be copied as bytes */
    PYTREE__KNOWN = 64 + 63,              /* several of them at once */
    PYTREE__HELD = 512 + 1024 + 2048,
    PYTREE__KNOWN_OR_FIXED = 64 + 63 + 2048,
    PYTREE__POINTER_OR_FIXED = 512 + 2048,
    PYTREE__POINTER_OR_TABLE = 512 + 1024,
    PYTREE__POINTER_USER_OR_FIXED = 64 + 512 + 2048
};
PYTREE__ASSERT((int)PYTREE__T_count <= PYTREE__CODE_TYPE, "pytree: more built-in types than PYTREE__CODE_TYPE has room for");
/* Tell from the sum of a struct's codes whether no child can be a list, a tree or const. And how rows are written that read
 * through one of its pointers: 0 if it has none. */
#define PYTREE__HOLDS_LEAVES(codes)                                                                                     \
    ((codes & (int)(PYTREE__IS_MANY + (int)PYTREE__IS_CONST)) == 0                                                      \
     && ((int)codes & (int)PYTREE__TO_BOTH) != (int)PYTREE__TO_BOTH                                                     \
     && codes % PYTREE__HAS_TEXT < PYTREE_FORM_FLAT * PYTREE__CODE_FORM)
#define PYTREE__WOULD_READ(codes)                                                                                       \
    ((codes & (int)PYTREE__REACHES) != 0 ? (int)PYTREE__READS_NEAR                                                      \
     : (codes & (int)PYTREE__IS_USER) != 0 ? (int)PYTREE__READS_BOTH : 0)
#define PYTREE__PACK(code) ((code) / PYTREE__CODE_PACK & 3)
#define PYTREE__FORM(code) ((code) / PYTREE__CODE_FORM)

/* The built-in types spelt out, as values, pointers and rows of tables: text is cheaper than a macro call for each. */
PYTREE__ENUM {                            /* one name for each code: a sum in each association would cost compilers more */
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

/* Turn a code into that which rows mean: a pointer to char is a string, an array of structs or trees is many. */
#define PYTREE__NORMALIZED(seen)                                                                                        \
    (seen == PYTREE__P_char_ ? (int)PYTREE__C_string                                                                    \
     : (seen & PYTREE__IS_FIXED) != 0 && seen / PYTREE__CODE_FORM != PYTREE_FORM_LEAF ? seen | PYTREE__IS_MANY : (int)seen)
/* Tell by IS_MANY and NEEDS_STRUCT whether a member leads to another node in every tree. */
#define PYTREE__LEADS(seen, optional)                                                                                   \
    (optional + 0 || (seen & PYTREE__HELD) != PYTREE__IS_POINTER || seen / PYTREE__CODE_FORM != PYTREE_FORM_STRUCT ? 0      \
     : (int)PYTREE__IS_MANY + (int)PYTREE__NEEDS_STRUCT)
#endif
