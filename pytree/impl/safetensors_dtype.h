/* pytree/impl/safetensors_dtype.h: element types of safetensors files. */
#ifndef PYTREE_IMPL_SAFETENSORS_DTYPE_H
#define PYTREE_IMPL_SAFETENSORS_DTYPE_H

#include "internal.h"
#include "../safetensors.h"
#include "checkpoint_file.h"

enum { PYTREE__ST_HEADER = 100000000, PYTREE__ST_LEVELS = 64 };

/* ---- Element types ------------------------------------------------------------------------------------------------- */

/* Element types in the order in which writers sort them. PYTREE__T_none: C has no such type. */
struct pytree__st_dtype {
    const char *name;
    unsigned bits;
    int type;
};
static const struct pytree__st_dtype pytree__st_dtypes[] = {
    { "U64", 64, PYTREE__T_none },        { "I64", 64, PYTREE__T_none },    { "F64", 64, PYTREE__T_double_ },
    { "C64", 64, PYTREE__T_cfloat },      { "F32", 32, PYTREE__T_float_ },  { "U32", 32, PYTREE__T_uint },
    { "I32", 32, PYTREE__T_int_ },        { "BF16", 16, PYTREE__T_bf16 },   { "F16", 16, PYTREE__T_f16 },
    { "U16", 16, PYTREE__T_ushort },      { "I16", 16, PYTREE__T_short_ },  { "F8_E5M2FNUZ", 8, PYTREE__T_none },
    { "F8_E4M3FNUZ", 8, PYTREE__T_none }, { "F8_E8M0", 8, PYTREE__T_none }, { "F8_E4M3", 8, PYTREE__T_none },
    { "F8_E5M2", 8, PYTREE__T_none },     { "I8", 8, PYTREE__T_schar },     { "U8", 8, PYTREE__T_uchar },
    { "F6_E3M2", 6, PYTREE__T_none },     { "F6_E2M3", 6, PYTREE__T_none }, { "F4", 4, PYTREE__T_none },
    { "BOOL", 8, PYTREE__T_bool_ }
};
enum { PYTREE__ST_DTYPES = sizeof pytree__st_dtypes / sizeof pytree__st_dtypes[0] };

/* Element types that a leaf may have. */
#define PYTREE__ST_HOLDS                                                                                                \
    (1u << PYTREE_BOOL8 | 1u << PYTREE_I8 | 1u << PYTREE_I16 | 1u << PYTREE_I32 | 1u << PYTREE_I64 | 1u << PYTREE_U8      \
     | 1u << PYTREE_U16 | 1u << PYTREE_U32 | 1u << PYTREE_U64 | 1u << PYTREE_F16 | 1u << PYTREE_BF16 | 1u << PYTREE_F32   \
     | 1u << PYTREE_F64 | 1u << PYTREE_C64)

/* Return the type in C. 64-bit integers are long or long long, depending on the system. */
static const pytree_type *pytree__st_type(size_t dtype)
{
    const char *name = pytree__st_dtypes[dtype].name;
    bool is_signed = name[0] == 'I';
    if (strcmp(name + 1, "64") == 0 && (is_signed || name[0] == 'U')) {
        return &pytree_types[sizeof(long) == 8 ? (is_signed ? PYTREE__T_long_ : PYTREE__T_ulong)
                                               : (is_signed ? PYTREE__T_llong : PYTREE__T_ullong)];
    }
    return pytree__st_dtypes[dtype].type == PYTREE__T_none ? NULL : &pytree_types[pytree__st_dtypes[dtype].type];
}

static size_t pytree__st_dtype_named(const char *name)
{
    size_t i;
    for (i = 0; i < PYTREE__ST_DTYPES && strcmp(name, pytree__st_dtypes[i].name) != 0; i++) {}
    return i;
}

static size_t pytree__st_dtype_of(pytree_dtype dtype)
{
    size_t i;
    for (i = 0; i < PYTREE__ST_DTYPES; i++) {
        const pytree_type *type = pytree__st_type(i);
        if (type != NULL && type->dtype == dtype) { break; }
    }
    return i;
}

#include "json.h"
#endif
