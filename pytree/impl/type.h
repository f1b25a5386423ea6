/* pytree/impl/type.h: the built-in types, type equality, namespaces. */
#ifndef PYTREE_IMPL_TYPE_H
#define PYTREE_IMPL_TYPE_H

#include "internal.h"
#if !defined(PYTREE_SMALL)
#include "../detail/row_reads.h"
#endif

#ifdef __cplusplus
#define PYTREE__ALIGNOF alignof
#else
#define PYTREE__ALIGNOF _Alignof
#endif

#define PYTREE__BUILTIN(name, size, align, kind, dtype)                                                                 \
    { name, size, align, kind, dtype, 0, 0, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,  \
      NULL, NULL, NULL PYTREE__NOTED_AT(NULL) }

#define PYTREE__NUMBER(T, dtype) PYTREE__BUILTIN(#T, sizeof(T), PYTREE__ALIGNOF(T), PYTREE_KIND_LEAF, dtype)

#define PYTREE__INTEGRAL(T, sign)                                                                                        \
    PYTREE__NUMBER(T, sizeof(T) == 1 ? PYTREE_##sign##8 : sizeof(T) == 2 ? PYTREE_##sign##16                            \
                      : sizeof(T) == 4 ? PYTREE_##sign##32 : PYTREE_##sign##64)

#define PYTREE__CHAR(T) PYTREE__NUMBER(T, CHAR_MIN < 0 ? PYTREE_I8 : PYTREE_U8)

#define PYTREE__PAIR_OF(T, dtype)                                                                                       \
    PYTREE__BUILTIN(#T " complex", 2 * sizeof(T), PYTREE__ALIGNOF(T), PYTREE_KIND_LEAF, dtype)

#if !defined(PYTREE_SMALL) || defined(PYTREE_MORE_ROWS)
const pytree_row_functions pytree__const_row = { NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, true };
#endif
const pytree_type pytree_types[PYTREE__T_count] = {
    PYTREE__BUILTIN("None", 0, 1, PYTREE_KIND_NONE, PYTREE_NO_DTYPE),
    PYTREE__NUMBER(bool, PYTREE_BOOL8),
    PYTREE__CHAR(char),
    PYTREE__INTEGRAL(signed char, I), PYTREE__INTEGRAL(unsigned char, U),
    PYTREE__INTEGRAL(short, I), PYTREE__INTEGRAL(unsigned short, U),
    PYTREE__INTEGRAL(int, I), PYTREE__INTEGRAL(unsigned, U),
    PYTREE__INTEGRAL(long, I), PYTREE__INTEGRAL(unsigned long, U),
    PYTREE__INTEGRAL(long long, I), PYTREE__INTEGRAL(unsigned long long, U),
    PYTREE__NUMBER(float, PYTREE_F32), PYTREE__NUMBER(double, PYTREE_F64), PYTREE__NUMBER(long double, PYTREE_FLONG),
    PYTREE__NUMBER(pytree_f16, PYTREE_F16), PYTREE__NUMBER(pytree_bf16, PYTREE_BF16),
    PYTREE__PAIR_OF(float, PYTREE_C64), PYTREE__PAIR_OF(double, PYTREE_C128), PYTREE__PAIR_OF(long double, PYTREE_CLONG),
    PYTREE__BUILTIN("char *", sizeof(char *), PYTREE__ALIGNOF(char *), PYTREE_KIND_LEAF, PYTREE_STRING),
    PYTREE__BUILTIN("address", sizeof(void *), PYTREE__ALIGNOF(void *), PYTREE_KIND_LEAF, PYTREE_OPAQUE),
    PYTREE__BUILTIN("text", 1, 1, PYTREE_KIND_LEAF, PYTREE_TEXT),
    PYTREE__BUILTIN("list", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_LIST, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("tuple", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_TUPLE, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("dict", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_DICT, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("OrderedDict", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_ODICT, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("namedtuple", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_NAMEDTUPLE, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("defaultdict", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_DEFAULTDICT,
                    PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("deque", sizeof(pytree_items), PYTREE__ALIGNOF(pytree_items), PYTREE_KIND_DEQUE, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("pytree_leaf", sizeof(pytree_leaf), PYTREE__ALIGNOF(pytree_leaf), PYTREE_KIND_VIEW, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("pytree", sizeof(pytree), PYTREE__ALIGNOF(pytree), PYTREE_KIND_REF, PYTREE_NO_DTYPE),
    PYTREE__BUILTIN("pytree_flat", sizeof(pytree_flat), PYTREE__ALIGNOF(pytree_flat), PYTREE_KIND_FLAT, PYTREE_NO_DTYPE)
};

const char pytree_wanted[1] = { 0 };

/* Returns the type behind the copy that an owned root has, or behind a PYTREE_DECLARE whose struct was registered later. */
static const pytree_type *pytree__origin(const pytree_type *type)
{
    return type->origin != NULL && type->origin->name != NULL ? type->origin : type;
}

/* Returns the row of a union's active member; NULL if no CASE has its tag. Any other row is returned as it is. */
PYTREE__INLINE const pytree_field *pytree__active_row(const pytree_field *row, const void *self)
{
    int i;
    if (!PYTREE__MORE_ROWS || PYTREE__LIKELY(row->functions == NULL || row->functions->select == NULL)) { return row; }
    i = row->functions->select(self, NULL);
    return i < 0 ? NULL : &row->functions->cases[i];
}

/* Returns the row of a union's active member, or of a pointer to void as one of its type, in *own; NULL if there is none. Any
 * other row is returned as it is. */
PYTREE__INLINE const pytree_field *pytree__given_row(const pytree_field *row, const void *self, pytree_field *own)
{
    if (!PYTREE__MORE_ROWS || PYTREE__LIKELY(row->functions == NULL)) { return row; }
    row = pytree__active_row(row, self);
    if (row == NULL || row->functions == NULL || row->functions->as == NULL) { return row; }
    *own = *row;
    own->type = row->functions->as(self);
    if (own->type == NULL) { return NULL; }
    own->form = own->type->kind == PYTREE_KIND_LEAF ? PYTREE_FORM_LEAF : PYTREE_FORM_STRUCT;
    return own;
}

#if defined(PYTREE_SMALL)
#define pytree__rows_found(type) 0u
#else
/* Find whether the rows of a struct read through a pointer, and note it. Threads that do so at the same time note the same. */
static PYTREE__NOINLINE unsigned pytree__find_rows(const pytree_type *type, unsigned asked)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    const int would = (int)(asked & PYTREE__READS_BOTH);
    int reads = 0;
    unsigned rows;
    for (; row != end; row++) {
        if (row->row == PYTREE_ROW_DATA) { reads |= pytree__reads_through(row->name + strlen(row->name) + 1); }
    }
    rows = (would & ~reads) != 0 ? asked & PYTREE__ROWS_CONTAINED : 0;
    if (rows != 0 || ((reads & (PYTREE__READS_NEAR | PYTREE__READS_UNKNOWN)) == 0 && (asked & PYTREE__ROWS_NEED_STRUCT) == 0)) {
        rows |= PYTREE__ROWS_LACK_NOTHING;
    }
#if PYTREE__KEEPS
    __atomic_store_n(&type->noted->rows, (unsigned char)rows, __ATOMIC_RELAXED);
#else
    *(volatile unsigned char *)&type->noted->rows = (unsigned char)rows;
#endif
    return rows;
}

/* Returns what was found of a struct's rows where its descriptor does not say it: a sum of PYTREE__ROWS_…. */
PYTREE__INLINE unsigned pytree__rows_found(const pytree_type *type)
{
    unsigned rows = 0;
    if (type->noted != NULL) {
#if PYTREE__KEEPS
        rows = __atomic_load_n(&type->noted->rows, __ATOMIC_RELAXED);
#else
        rows = *(const volatile unsigned char *)&type->noted->rows;
#endif
    }
    return PYTREE__UNLIKELY((rows & PYTREE__ROWS_TO_FIND) != 0) ? pytree__find_rows(type, rows) : rows;
}
#endif

/* Tell whether a type is a struct whose rows are known: it is defined, not only declared. */
PYTREE__INLINE bool pytree__has_rows(const pytree_type *type)
{
#if defined(PYTREE_SMALL)
    return type->views != NULL;
#else
    return type->noted != NULL;
#endif
}

/* Tell whether a struct is self-contained: its leaves lie in it and behind single pointers, and no row reads through one. */
PYTREE__INLINE bool pytree__contained(const pytree_type *type)
{
    return type->self_contained || (pytree__rows_found(type) & PYTREE__ROWS_CONTAINED) != 0;
}

/* Tell whether something may be NULL that the rows of a struct read through, or a struct that must be there. */
PYTREE__INLINE bool pytree__may_lack(const pytree_type *type)
{
    return type->may_lack && (pytree__rows_found(type) & PYTREE__ROWS_LACK_NOTHING) == 0;
}

#if !defined(PYTREE_SMALL)
pytree__flatten_result pytree__views_of_sizes(const pytree_type *type, const void *self, pytree_leaf *view,
                                              const pytree_leaf *end, unsigned of)
{
    pytree__viewing viewing = { type, self, view, end, of, { view, PYTREE__NOT_INLINABLE } };
    if (pytree__has_rows(type) && (!PYTREE__LAYOUTS || of == PYTREE__OF_CHILDREN || pytree__contained(type))) {
        type->noted->sizes(self, &viewing);
    }
    return viewing.seen;
}
#endif

/* Are two strings, each of which may be NULL, equal? */
static bool pytree__same_string(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

/* Are these one C type, perhaps registered for two namespaces? */
static PYTREE__APART_CLANG bool pytree__same_struct(const pytree_type *a, const pytree_type *b)
{
    return pytree_type_equal(a, b) || (a->size == b->size && strcmp(a->name, b->name) == 0);
}

/* May what is held in this form be of either type? One struct may be registered for another namespace. */
static PYTREE__APART_CLANG bool pytree__same_held(unsigned form, const pytree_type *a, const pytree_type *b)
{
    return form == PYTREE_FORM_STRUCT ? pytree__same_struct(a, b) : pytree_type_equal(a, b);
}

PYTREE__APART_CLANG const pytree_type *pytree__in_space(const pytree_type *type, const char *space)
{
    const pytree_type *next = type;
    while (space != NULL && (next = next->namespaces) != NULL && next->name != NULL) {
        if (strcmp(next->space, space) == 0 && pytree__same_struct(next, pytree__origin(type))) {
            return next;
        }
    }
    return type;
}

PYTREE__APART bool pytree_type_equal(const pytree_type *a, const pytree_type *b)
{
    unsigned i;
    if (a == NULL || b == NULL) { return a == b; }
    a = pytree__origin(a);
    b = pytree__origin(b);
    if (a == b) { return true; }
    if (a->kind != b->kind || a->dtype != b->dtype || a->size != b->size || a->n_fields != b->n_fields) { return false; }
    if (a->kind == PYTREE_KIND_LEAF && a->dtype != PYTREE_OPAQUE) { return true; }       /* long and long long */
    if (strcmp(a->name, b->name) != 0 || !pytree__same_string(a->space, b->space)) { return false; }
    if (PYTREE__MORE_ROWS && a->kind == PYTREE_KIND_ROW && !pytree_type_equal(a->fields->type, b->fields->type)) {
        return false;
    }
    for (i = 0; i < a->n_fields; i++) {
        const pytree_field *f = &a->fields[i], *g = &b->fields[i];
        if (f->row != g->row || f->offset != g->offset || f->size != g->size || f->form != g->form || f->ndim != g->ndim
            || strcmp(f->name, g->name) != 0) { return false; }
    }
    return true;
}

const char *pytree_dtype_name(const pytree_type *type)
{
    static const char *const names[] = { NULL, "bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16",
                                         "f32", "f64", NULL, "c64", "c128", NULL, "str", NULL, "text" };
    if (type == NULL) { return "no type"; }
    if (type->constants != NULL) { return type->name; }
    return names[type->dtype] != NULL ? names[type->dtype] : type->name;
}

/* Returns what an element of an enum is called; NULL: it is none of the constants, or the type is no enum. */
static PYTREE__APART_CLANG const char *pytree__constant_name(const pytree_type *type, const void *element)
{
    const pytree_constant *constant = type->constants;
    pytree_leaf one;
    if (constant == NULL) { return NULL; }
    one.type = type;
    one.data = (void *)(uintptr_t)element;
    for (; constant->name != NULL; constant++) {
        if ((double)constant->value == pytree_leaf_get(&one, 0)) { return constant->name; }
    }
    return NULL;
}

/* Returns the type's slot in the small hash tables that a pass keeps: from 0 to 15. */
PYTREE__INLINE size_t pytree__type_slot(const pytree_type *type)
{
    return (size_t)((uint64_t)(uintptr_t)type * UINT64_C(0x9E3779B97F4A7C15) >> 60) % PYTREE__TYPE_SLOTS;
}

/* Write a view of each child of a struct. Returns flags. */
PYTREE__INLINE size_t pytree__child_views(const pytree_type *type, const void *self, pytree_leaf *view)
{
    return pytree__views(type, self, view, NULL, PYTREE__OF_CHILDREN).flags;
}

/* Write a view of each leaf of a struct. Returns where they end, and flags. */
PYTREE__INLINE pytree__flatten_result pytree__leaf_views(const pytree_type *type, const void *self, pytree_leaf *view,
                                                         const pytree_leaf *end, bool none_is_leaf)
{
    return pytree__views(type, self, view, end, none_is_leaf ? PYTREE__OF_LEAVES_AND_NONE : PYTREE__OF_LEAVES);
}

/* Check the values of a struct's leaves. Returns flags. Where the generated function is missing, views are written to scratch
 * memory. */
PYTREE__INLINE size_t pytree__validate(const pytree_type *type, const void *self, pytree_leaf *scratch, const pytree_leaf *end)
{
    return type->validate != NULL ? type->validate(self) : pytree__leaf_views(type, self, scratch, end, false).flags;
}

/* Finds a child of a struct that is const; self-contained structs have none. Returns SIZE_MAX if there is none. */
static size_t pytree__constant_child(const pytree_type *type)
{
    size_t child = 0, i;
    for (i = 0; i < type->n_fields; i++) {        /* which are NULL where there are none */
        const pytree_field *row = &type->fields[i];
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->functions != NULL && row->functions->constant) { return child; }
        child++;
    }
    return SIZE_MAX;
}
#endif
