/* pytree/impl/pt_names.h: the values of a pickle, and the names in it that are known. */
#ifndef PYTREE_IMPL_PT_NAMES_H
#define PYTREE_IMPL_PT_NAMES_H

#include "internal.h"
#include "../pt.h"
#include "checkpoint_file.h"
#include "zip_member.h"

/* ---- Element types ------------------------------------------------------------------------------------------------- */

struct pytree__pt_dtype {
    const char *name, *storage;           /* torch's names; storage NULL: only as untyped bytes */
    unsigned char size;
    pytree_dtype dtype;                   /* PYTREE_NO_DTYPE: C has none */
};
static const struct pytree__pt_dtype pytree__pt_dtypes[] = {
    { "float32", "FloatStorage", 4, PYTREE_F32 },             { "float64", "DoubleStorage", 8, PYTREE_F64 },
    { "float16", "HalfStorage", 2, PYTREE_F16 },              { "bfloat16", "BFloat16Storage", 2, PYTREE_BF16 },
    { "int8", "CharStorage", 1, PYTREE_I8 },                  { "int16", "ShortStorage", 2, PYTREE_I16 },
    { "int32", "IntStorage", 4, PYTREE_I32 },                 { "int64", "LongStorage", 8, PYTREE_I64 },
    { "uint8", "ByteStorage", 1, PYTREE_U8 },                 { "bool", "BoolStorage", 1, PYTREE_BOOL8 },
    { "complex64", "ComplexFloatStorage", 8, PYTREE_C64 },    { "complex128", "ComplexDoubleStorage", 16, PYTREE_C128 },
    { "uint16", NULL, 2, PYTREE_U16 },                        { "uint32", NULL, 4, PYTREE_U32 },
    { "uint64", NULL, 8, PYTREE_U64 },                        { "float8_e4m3fn", NULL, 1, PYTREE_NO_DTYPE },
    { "float8_e5m2", NULL, 1, PYTREE_NO_DTYPE },              { "float8_e4m3fnuz", NULL, 1, PYTREE_NO_DTYPE },
    { "float8_e5m2fnuz", NULL, 1, PYTREE_NO_DTYPE },          { "float8_e8m0fnu", NULL, 1, PYTREE_NO_DTYPE }
};
enum { PYTREE__PT_DTYPES = sizeof pytree__pt_dtypes / sizeof pytree__pt_dtypes[0], PYTREE__PT_UNTYPED = PYTREE__PT_DTYPES };

#define PYTREE__PT_HOLDS (PYTREE__CK_NUMBERS | 1u << PYTREE_C64 | 1u << PYTREE_C128)

/* ---- Values -------------------------------------------------------------------------------------------------------- */

enum {
    PYTREE__PT_DIMS = 16, PYTREE__PT_LEVELS = 64, PYTREE__PT_ITEMS = 8,
    PYTREE__PT_PICKLE = 1 << 25,          /* bytes of a pickle, at most */
    PYTREE__PT_NAMES = 16                 /* bytes of names and texts, at most, for each byte of the pickle */
};

enum pytree__pt_kind {
    PYTREE__PT_NONE, PYTREE__PT_FALSE, PYTREE__PT_TRUE, PYTREE__PT_EMPTY,      /* one value each: these are their numbers */
    PYTREE__PT_INT, PYTREE__PT_FLOAT, PYTREE__PT_TEXT, PYTREE__PT_TUPLE, PYTREE__PT_LIST, PYTREE__PT_DICT,
    PYTREE__PT_STORAGE, PYTREE__PT_TENSOR,
    PYTREE__PT_STORAGE_TYPE, PYTREE__PT_DTYPE, PYTREE__PT_ORDERED_DICT, PYTREE__PT_REBUILD_2, PYTREE__PT_REBUILD_3,
    PYTREE__PT_PARAMETER                  /* names */
};

/* A value of the pickle. Values refer to one another by their numbers. */
struct pytree__pt_value {
    unsigned char kind, dtype;            /* dtype of a storage type or dtype */
    uint32_t n;                           /* bytes of a text; items of a tuple, list or dict */
    union {
        int64_t integer;
        double real;
        uint32_t at;                      /* text: offset in the pickle. Storage, tensor: number */
        struct { uint32_t first, last; } items;                                /* numbers of links */
    } of;
};

/* An item of a tuple, list or dict (with its key). Links are numbered from 1; 0: none. */
struct pytree__pt_link {
    uint32_t key, value, next;
};

struct pytree__pt_storage {
    unsigned char dtype;
    uint64_t numbers, bytes, offset;      /* in the file */
};

struct pytree__pt_tensor {
    unsigned char dtype;
    unsigned short ndim;
    bool strided;
    uint32_t shape;                       /* place of the extents, then the strides, in the vector of shapes */
    uint64_t offset, bytes;               /* in the file; of the elements */
};

/* The reader of a pickle. */
struct pytree__pt {
    struct pytree__ck *ck;
    pytree__npz zip;
    pytree__name_index members;
    const char *root;                     /* name of the folder in the archive */
    size_t root_bytes;
    const unsigned char *begin, *at, *end;                     /* the pickle */
    struct pytree__vector values, links, stack, marks, memo, storages, tensors;
    size_t n_memo;
    pytree_error *err;
};

static pytree_status pytree__pt_fail(const struct pytree__pt *p, pytree_status status, const char *expected, const char *got)
{
    return pytree_fail(p->err, status, NULL, "expected %s, got %.100s at byte %zu of the pickle in '%s'", expected, got,
                       (size_t)(p->at - p->begin), p->zip.file.path);
}

/* The same, for functions that return whether they succeeded. */
static bool pytree__pt_wrong(const struct pytree__pt *p, const char *expected, const char *got)
{
    (void)pytree__pt_fail(p, PYTREE_SYNTAX, expected, got);
    return false;
}

static struct pytree__pt_value *pytree__pt_at(const struct pytree__pt *p, uint32_t i)
{
    return (struct pytree__pt_value *)p->values.data + i;
}

static const struct pytree__pt_link *pytree__pt_item(const struct pytree__pt *p, uint32_t i)
{
    return (const struct pytree__pt_link *)p->links.data + i;
}

static const char *pytree__pt_text(const struct pytree__pt *p, const struct pytree__pt_value *v)
{
    return (const char *)p->begin + v->of.at;
}

static bool pytree__pt_is(const struct pytree__pt *p, const struct pytree__pt_value *v, const char *text)
{
    return v->kind == PYTREE__PT_TEXT && v->n == strlen(text) && memcmp(pytree__pt_text(p, v), text, v->n) == 0;
}

/* Add a value. Returns NULL if memory runs out. */
static struct pytree__pt_value *pytree__pt_new(struct pytree__pt *p, enum pytree__pt_kind kind)
{
    struct pytree__pt_value *v = (struct pytree__pt_value *)pytree__vector_add(&p->values, 1, p->err);
    if (v == NULL) { return NULL; }
    memset(v, 0, sizeof *v);
    v->kind = (unsigned char)kind;
    return v;
}

/* ---- Names --------------------------------------------------------------------------------------------------------- */

/* Tell what a name stands for: "module name". Everything that is not listed here is refused. */
static bool pytree__pt_known(struct pytree__pt_value *v, const char *module, size_t module_bytes, const char *name,
                             size_t name_bytes)
{
    static const struct { const char *module, *name; enum pytree__pt_kind kind; } known[] = {
        { "collections", "OrderedDict", PYTREE__PT_ORDERED_DICT },
        { "torch._utils", "_rebuild_tensor_v2", PYTREE__PT_REBUILD_2 },
        { "torch._utils", "_rebuild_tensor_v3", PYTREE__PT_REBUILD_3 },
        { "torch._utils", "_rebuild_parameter", PYTREE__PT_PARAMETER },
        { "torch.storage", "UntypedStorage", PYTREE__PT_STORAGE_TYPE }
    };
    size_t i;
    v->dtype = PYTREE__PT_UNTYPED;
    for (i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (module_bytes == strlen(known[i].module) && memcmp(module, known[i].module, module_bytes) == 0
            && name_bytes == strlen(known[i].name) && memcmp(name, known[i].name, name_bytes) == 0) {
            v->kind = (unsigned char)known[i].kind;
            return true;
        }
    }
    if (module_bytes != 5 || memcmp(module, "torch", 5) != 0) { return false; }
    for (i = 0; i < PYTREE__PT_DTYPES; i++) {
        const struct pytree__pt_dtype *dtype = &pytree__pt_dtypes[i];
        const char *storage = dtype->storage == NULL ? "" : dtype->storage;
        v->dtype = (unsigned char)i;
        v->kind = PYTREE__PT_DTYPE;
        if (name_bytes == strlen(dtype->name) && memcmp(name, dtype->name, name_bytes) == 0) { return true; }
        v->kind = PYTREE__PT_STORAGE_TYPE;
        if (name_bytes != 0 && name_bytes == strlen(storage) && memcmp(name, storage, name_bytes) == 0) { return true; }
    }
    return false;
}

static bool pytree__pt_global(struct pytree__pt *p, const char *module, size_t module_bytes, const char *name,
                              size_t name_bytes)
{
    struct pytree__pt_value v, *made;
    char text[100];
    memset(&v, 0, sizeof v);
    if (!pytree__pt_known(&v, module, module_bytes, name, name_bytes)) {
        (void)snprintf(text, sizeof text, "%.*s.%.*s", (int)(module_bytes < 48 ? module_bytes : 48), module,
                       (int)(name_bytes < 48 ? name_bytes : 48), name);
        (void)pytree__pt_fail(p, PYTREE_TYPE, "tensors, dicts, lists, strings and numbers only (of a module, save "
                              "model.state_dict() in Python)", text);
        return false;
    }
    made = pytree__pt_new(p, PYTREE__PT_NONE);
    if (made == NULL) { return false; }
    *made = v;
    return true;
}

#include "pt_tensor.h"
#endif
