/* pytree/registry/emit.h: emit the functions of a registration: the passes over the rows, and the view writer that they
 * call. Included by pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_EMIT_H
#define PYTREE_REGISTRY_EMIT_H

#include "rows.h"
#include "stb.h"

/* ---- Passes over the rows -------------------------------------------------------------------------------------------- */

/* Pass: write views.
 *
 *     static inline pytree__flatten_result pytree__pass_Linear(const void *at, pytree_leaf *child, const pytree_leaf *end,
 *                                                              unsigned pass, bool writes)
 *     {
 *         const Linear *self = (const Linear *)at;
 *         const pytree_field *row = pytree__fields_Linear;
 *         pytree__view_writer to = pytree__view_writer_begin(…);
 *         …
 *         row++;
 *         to.child->shape[0] = (size_t)((self->din) | 0); to.child->shape[1] = (size_t)((self->dout) | 0);
 *         pytree__array(&to, row++, self->w, 2);
 *         …
 *     } */
#define PYTREE__VIEW_DATA(name, m1, m2, m3, ...)                                                                        \
    PYTREE__VIEW_STORED(name, ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), ~)
#define PYTREE__VIEW_STORED(...) PYTREE__VIEW_STORED_(__VA_ARGS__)
#define PYTREE__VIEW_STORED_(name, skipped, store, arguments, ...) PYTREE__VIEW_##store(name, arguments)
#define PYTREE__VIEW_STATIC(name, m1, ...) PYTREE__VIEW_STATIC_##m1(name)
#define PYTREE__VIEW_STATIC_NONE(name) row++;
#define PYTREE__VIEW_STATIC_STRING(name) pytree__ends(&to, row++, self->name);
#define PYTREE__VIEW_STATIC_BITS(name) row++;
#define PYTREE__VIEW_DROP(...) row++;
#define PYTREE__VIEW_PLAIN(name, arguments) pytree__plain(&to, row++, &self->name);
#define PYTREE__VIEW_ENUM PYTREE__VIEW_PLAIN
#define PYTREE__VIEW_ARRAY(name, arguments)                                                                             \
    PYTREE__EXTENTS arguments pytree__array(&to, row++, self->name, PYTREE__COUNT_ARGUMENTS arguments);
#define PYTREE__VIEW_LIST(name, arguments) to.child->shape[0] = (size_t)(arguments | 0);                                \
    pytree__list(&to, row++, self->name);
#define PYTREE__VIEW_RANK(name, arguments) PYTREE__CAT(PYTREE__FIXED_EXTENTS_, PYTREE__RANK_OF arguments)(self->name)   \
    pytree__plain(&to, row++, &self->name);
#define PYTREE__VIEW_STRING(name, arguments) pytree__ends(&to, row, self->name); pytree__plain(&to, row++, self->name);
#define PYTREE__VIEW_BITS(name, arguments) row++;
#define PYTREE__VIEW_UNION(name, arguments)                                                                             \
    {                                                                                                                   \
        const pytree_field *const next = row + 1;                                                                       \
        row = row->functions->cases;                                                                                    \
        PYTREE__CASES(PYTREE__CASE_VIEW, PYTREE__TAG_OF arguments, name, ~, ~, PYTREE__CASES_OF arguments)              \
        { pytree__no_case(&to, (int64_t)PYTREE__TAG_OF arguments); }                                                    \
        row = next;                                                                                                     \
    }
#define PYTREE__CASE_VIEW(...) PYTREE__CASE_VIEW_(__VA_ARGS__)
#define PYTREE__CASE_VIEW_(tag, name, c, d, value, member, m1, m2, ...)                                                 \
    PYTREE__CASE_STORED(PYTREE__VIEW_OF_CASE, tag, name, value, member,                                                 \
                        PYTREE__CASE_IS(member) PYTREE__STORE_##m1 PYTREE__STORE_##m2, PLAIN, (), ~)
#define PYTREE__VIEW_OF_CASE(tag, name, value, member, skipped, store, arguments, ...)                                  \
    if (tag == (value)) { PYTREE__VIEW_##store(name.member, arguments) } else if (row++, 0) {} else
#define PYTREE__VIEW_NOTHING(name, arguments) pytree__view_writer_none(&to, row);
#define PYTREE__VIEW_STB_ARRAY(name, arguments) to.child->shape[0] = pytree__stb_array_length(self->name);              \
    pytree__list(&to, row++, self->name);
#define PYTREE__VIEW_STB_MAP(name, arguments)                                                                           \
    to.child->shape[0] = pytree__stb_map_length(self->name, sizeof(*self->name));                                       \
    to.child->shape[1] = sizeof(*self->name);                                                                           \
    to.child->shape[2] = self->name == NULL ? 0 : (size_t)((const char *)&self->name->value - (const char               \
    *)self->name);                                                                                                      \
    pytree__list(&to, row++, self->name);

/* Pass: put leaves back.
 *
 *     row++;                                          STATIC, DROP
 *     leaf = pytree__store_leaf(row++, self, leaf);   DATA */
#define PYTREE__STORED_DATA leaf = pytree__store_leaf(row++, self, leaf);
#define PYTREE__STORED_STATIC row++;
#define PYTREE__STORED_DROP row++;

/* ---- How functions are compiled -------------------------------------------------------------------------------------- */

/* Copy a pass into each function that is made of it, and the helpers of its rows into the pass, where most branches go away
 * because the row is constant. PYTREE_SMALL and PYTREE_FAST_COMPILE keep one of each, which is called. */
#if !(defined(PYTREE_SMALL) || defined(PYTREE_FAST_COMPILE)) || !defined(__GNUC__) || defined(__TINYC__)
#define PYTREE__PASS PYTREE__INLINE
#elif defined(__clang__)
#define PYTREE__PASS static __attribute__((noinline, unused))
#else
#define PYTREE__PASS static __attribute__((noinline, noclone, unused))
#endif

/* ---- The view writer ---------------------------------------------------------------------------------------------------- */

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
PYTREE__PASS void pytree__array(pytree__view_writer *to, const pytree_field *row, const void *p, int ndim)
{
    if (row->optional != 0 && p == NULL) { pytree__view_writer_none(to, row); return; }
    to->flags |= p == NULL ? PYTREE__NEEDS_CHECK : 0u;
    to->extent_overflow |= pytree__huge(to->child, ndim);
    pytree__view_writer_add(to, row, p, ndim, PYTREE_FORM_LEAF);
}

/* A list or map, whose length stands in the view. */
PYTREE__PASS void pytree__list(pytree__view_writer *to, const pytree_field *row, const void *p)
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

/* A union whose tag no CASE has: the check of the view says so. */
PYTREE__PASS void pytree__no_case(pytree__view_writer *to, int64_t tag)
{
    to->flags |= PYTREE__NEEDS_CHECK;
    if (to->writes) {
        to->child->data = NULL;
        to->child->type = &pytree_types[PYTREE__T_ref];
        to->child->ndim = 0;
        to->child->form = PYTREE_FORM_CUSTOM;
        to->child->shape[0] = (size_t)tag;
        to->child++;
    }
}

/* Strings that lie in the struct, each of which must end there. */
PYTREE__PASS void pytree__ends(pytree__view_writer *to, const pytree_field *row, const void *at)
{
    const size_t room = row->ndim == 2 ? row->inner : row->size;
    size_t i;
    for (i = 0; i < row->size; i += room) {
        if (memchr((const char *)at + i, '\0', room) == NULL) { to->flags |= PYTREE__NEEDS_CHECK; }
    }
}

/* A row without modifier, or of RANK, whose extents stand in the view. */
PYTREE__PASS void pytree__plain(pytree__view_writer *to, const pytree_field *row, const void *at)
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
PYTREE__PASS const pytree_leaf *pytree__store_leaf(const pytree_field *row, void *self, const pytree_leaf *leaf)
{
    char *at = (char *)self + row->offset;
    void *p;
    if (PYTREE__UNLIKELY(leaf == NULL)) { return NULL; }
    if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) { return row->type->store_leaves(at, leaf); }
    if (row->optional != 0) {
        memcpy(&p, at, sizeof p);
        if (p == NULL) { return leaf; }
    }
    if (row->form != PYTREE_FORM_LEAF || row->place == PYTREE_FLEXIBLE) { return NULL; }
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

#endif
