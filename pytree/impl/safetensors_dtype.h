/* pytree/impl/safetensors_dtype.h: element types of safetensors files. */
#ifndef PYTREE_IMPL_SAFETENSORS_DTYPE_H
#define PYTREE_IMPL_SAFETENSORS_DTYPE_H

#include "internal.h"
#include "../safetensors.h"
#include "checkpoint_file.h"

enum { PYTREE__ST_HEADER = 100000000, PYTREE__ST_LEVELS = 64 };

/* ---- Element types ------------------------------------------------------------------------------------------------- */

/* Element types in the order in which writers sort them. PYTREE_NO_DTYPE: C has no such type. */
struct pytree__st_dtype {
    const char *name;
    unsigned bits;
    pytree_dtype dtype;
};
static const struct pytree__st_dtype pytree__st_dtypes[] = {
    { "U64", 64, PYTREE_U64 },            { "I64", 64, PYTREE_I64 },          { "F64", 64, PYTREE_F64 },
    { "C64", 64, PYTREE_C64 },            { "F32", 32, PYTREE_F32 },          { "U32", 32, PYTREE_U32 },
    { "I32", 32, PYTREE_I32 },            { "BF16", 16, PYTREE_BF16 },        { "F16", 16, PYTREE_F16 },
    { "U16", 16, PYTREE_U16 },            { "I16", 16, PYTREE_I16 },          { "F8_E5M2FNUZ", 8, PYTREE_NO_DTYPE },
    { "F8_E4M3FNUZ", 8, PYTREE_NO_DTYPE }, { "F8_E8M0", 8, PYTREE_NO_DTYPE }, { "F8_E4M3", 8, PYTREE_NO_DTYPE },
    { "F8_E5M2", 8, PYTREE_NO_DTYPE },    { "I8", 8, PYTREE_I8 },             { "U8", 8, PYTREE_U8 },
    { "F6_E3M2", 6, PYTREE_NO_DTYPE },    { "F6_E2M3", 6, PYTREE_NO_DTYPE },  { "F4", 4, PYTREE_NO_DTYPE },
    { "BOOL", 8, PYTREE_BOOL8 }
};
enum { PYTREE__ST_DTYPES = sizeof pytree__st_dtypes / sizeof pytree__st_dtypes[0] };

/* Element types that a leaf may have. */
#define PYTREE__ST_HOLDS (PYTREE__CK_NUMBERS | 1u << PYTREE_C64)

static size_t pytree__st_dtype_named(const char *name)
{
    size_t i;
    for (i = 0; i < PYTREE__ST_DTYPES && strcmp(name, pytree__st_dtypes[i].name) != 0; i++) {}
    return i;
}

static size_t pytree__st_dtype_of(pytree_dtype dtype)
{
    size_t i;
    for (i = 0; i < PYTREE__ST_DTYPES && pytree__st_dtypes[i].dtype != dtype; i++) {}
    return i;
}

#include "json.h"
#endif
