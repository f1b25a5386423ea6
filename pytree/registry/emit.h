/* pytree/registry/emit.h: emit the functions of a registration: what each pass makes of a row, and the helpers that it calls.
 * Included by pytree_registry.h, once.
 *
 * Compilers take most of their time for these functions. So rows that are common are a few statements in the function itself,
 * whose conditions are constants; the others call helpers, of which a file has one each. */
#ifndef PYTREE_REGISTRY_EMIT_H
#define PYTREE_REGISTRY_EMIT_H

#include "rows.h"
#include "stb.h"

/* ---- How functions are compiled -------------------------------------------------------------------------------------- */

/* Where speed counts, and in small programs, rows that are common are statements. Elsewhere only `sizes` is generated, which
 * evaluates the extents; the library does without the other functions. That takes gcc -O0 half of the time. */
#if PYTREE__FOR_SPEED
#define PYTREE__WHERE_FAST(function) function
#else
#define PYTREE__WHERE_FAST(function) NULL
#endif
#if PYTREE__FOR_SPEED || defined(PYTREE_SMALL)
#define PYTREE__ROWS_ARE_STATEMENTS 1
#define PYTREE__VIEWS_OF(id) pytree__views_##id
#define PYTREE__SIZES_OF(id) NULL
#else
#define PYTREE__ROWS_ARE_STATEMENTS 0
#define PYTREE__VIEWS_OF(id) NULL
#define PYTREE__SIZES_OF(id) pytree__sizes_##id
#endif

/* Where gcc and clang make statements of rows, a constant says whether these read through pointers (reads.h). Elsewhere the
 * library finds that from their text, which saves compilers a tenth of the time. A small program takes each for one. */
#if PYTREE__ROWS_ARE_STATEMENTS && !defined(__TINYC__)
#define PYTREE__KNOWS_READS 1
#define PYTREE__READS(id) pytree__reads_##id
#define PYTREE__TO_FIND(id) 0
#else
#define PYTREE__KNOWS_READS 0
#define PYTREE__READS(id) (PYTREE__MORE_ROWS * PYTREE__READS_BOTH)
#define PYTREE__TO_FIND(id)                                                                                             \
    pytree__self_contained_##id ? 0                                                                                     \
        : (int)PYTREE__ROWS_TO_FIND + (int)pytree__would_read_##id + pytree__holds_leaves_##id * (int)PYTREE__ROWS_CONTAINED \
            + ((pytree__codes_##id & (int)PYTREE__NEEDS_STRUCT) != 0) * (int)PYTREE__ROWS_NEED_STRUCT
#endif

/* What the codes of all rows say together; what is noted of a struct; what its descriptor says of its rows. Each takes the name
 * as an argument: to put names together takes a quarter of the time that PYTREE__CAT takes.
 *
 *     enum { pytree__codes_Linear = …, pytree__rows_Linear = …, pytree__holds_leaves_Linear = …, … };
 *     static pytree__noted pytree__noted_Linear = { NULL, pytree__sizes_Linear, … };
 *     static const pytree_type pytree__desc000 = { "Linear", …, pytree__rows_Linear, pytree__count_Linear, … }; */
#define PYTREE__SUMMARY(id) PYTREE__SUMMARY_(id)
#define PYTREE__SUMMARY_(id)                                                                                            \
    pytree__rows_##id = (int)(sizeof(pytree__fields_##id) / sizeof(pytree_field)) - 1,                                  \
    pytree__holds_leaves_##id = PYTREE__HOLDS_LEAVES(pytree__codes_##id),                                               \
    pytree__would_read_##id = PYTREE__WOULD_READ(pytree__codes_##id),                                                   \
    pytree__self_contained_##id = pytree__holds_leaves_##id                                                             \
        && (pytree__would_read_##id == 0 || (pytree__would_read_##id & ~(int)PYTREE__READS(id)) != 0)
#define PYTREE__NOTE(id) PYTREE__NOTE_(id)
#define PYTREE__NOTE_(id) pytree__noted_##id = { NULL, PYTREE__SIZES_OF(id), PYTREE__TO_FIND(id) }
#define PYTREE__DESCRIBE(id) PYTREE__DESCRIBE_(id)
#define PYTREE__DESCRIBE_(id)                                                                                           \
    pytree__rows_##id, pytree__count_##id, pytree__self_contained_##id,                                                 \
    ((int)pytree__codes_##id & (int)PYTREE__HAS_TEXTS) == 0,                                                            \
    !pytree__self_contained_##id                                                                                        \
        && (((int)PYTREE__READS(id) & ((int)PYTREE__READS_NEAR | (int)PYTREE__READS_UNKNOWN)) != 0                      \
            || (pytree__codes_##id & (int)PYTREE__NEEDS_STRUCT) != 0),                                                  \
    pytree__fields_##id, PYTREE__VIEWS_OF(id), PYTREE__WHERE_FAST(pytree__validate_##id),                               \
    PYTREE__WHERE_FAST(pytree__store_leaves_##id)

#if defined(__GNUC__) && !defined(__TINYC__) && !defined(PYTREE_SMALL)
#define PYTREE__HELPER static __attribute__((noinline, unused))
#else
#define PYTREE__HELPER static inline
#endif

/* ---- What a row is ------------------------------------------------------------------------------------------------------ */

/* Tell by a row's code whether it is a number in the struct itself. */
#define PYTREE__IS_NUMBER_HERE(code)                                                                                    \
    ((code & (PYTREE__IS_USER | PYTREE__HELD)) == 0 && code / PYTREE__CODE_FORM == PYTREE_FORM_LEAF                     \
     && PYTREE__PACK(code) != PYTREE__PACK_TEXT)

/* Go on to the rows' macros: DATA rows by how their value is stored.
 *
 *     PYTREE__DATA_ROW(PYTREE__VIEW_, Linear, w, ARRAY(self->din, self->dout), NONE, NONE, …)   =>
 *     PYTREE__VIEW_ARRAY(pytree__code_Linear__w, w, 0, (self->din, self->dout)) */
#define PYTREE__DATA_ROW(pass, id, name, m1, m2, m3, ...)                                                               \
    PYTREE__DATA_STORED(pass, pytree__code_##id##__##name, name,                                                        \
                        0 PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), , ~)
#define PYTREE__DATA_STORED(...) PYTREE__DATA_STORED_(__VA_ARGS__)
#define PYTREE__DATA_STORED_(pass, code, name, before, store, arguments, behind, ...)                                   \
    pass##store(code, name, (before behind), arguments) pytree__row++;

/* Of STATIC rows only a string in the struct is looked at: it must end there. */
#define PYTREE__STATIC_NONE(name) pytree__row++;
#define PYTREE__STATIC_BITS(name) pytree__row++;
#define PYTREE__STATIC_STRING(name) pytree__flags |= pytree__ends(pytree__row, &self->name); pytree__row++;

/* ---- Views -------------------------------------------------------------------------------------------------------------- */

/* Pass: write views.
 *
 *     static inline pytree__flatten_result pytree__views_Linear(const void *pytree__at, pytree_leaf *pytree__to, …)
 *     {
 *         …
 *         pytree__row++;                                                                              STATIC, DROP
 *         pytree__extent = pytree__to->shape[0] = (size_t)((self->din) | 0); pytree__extent |= …
 *         pytree__pointer = self->w;                                                                  DATA, w, ARRAY(…)
 *         if ((0 & 1) && pytree__pointer == NULL) { … } else {
 *             pytree__least = …; pytree__bits |= pytree__extent;
 *             pytree__to->data = (void *)(uintptr_t)pytree__pointer; pytree__to->type = …; … pytree__to++;
 *         }
 *         pytree__row++;
 *         …
 *     } */
#define PYTREE__VIEW_DATA(id, ...) PYTREE__DATA_ROW(PYTREE__VIEW_, id, __VA_ARGS__)
#define PYTREE__VIEW_STATIC(id, name, m1, ...) PYTREE__STATIC_##m1(name)
#define PYTREE__VIEW_DROP(...) pytree__row++;
#define PYTREE__VIEW_EXTENT(i, set, n) pytree__extent set pytree__to->shape[i] = PYTREE__SIZE(n);
#define PYTREE__VIEW_EXTENTS(...) PYTREE__EXTENTS(PYTREE__VIEW_EXTENT, __VA_ARGS__)
#define PYTREE__VIEW_ADD(view, at, of_type, n, of_form)                                                                 \
    view->data = (void *)(uintptr_t)(at); view->type = of_type; view->ndim = n; view->form = of_form; view++;
#define PYTREE__VIEW_SEEN(call) pytree__seen = call; pytree__flags |= pytree__seen.flags; pytree__to = pytree__seen.end;
/* Behind the leaves of a struct there must be room for the rows that follow; where there is none, those write where the first
 * row began. */
#define PYTREE__VIEW_ROOM                                                                                               \
    if (PYTREE__UNLIKELY(pytree__of != PYTREE__OF_CHILDREN                                                              \
                         && (size_t)(pytree__end - pytree__to) < (size_t)(pytree__last - pytree__row) - 1)) {           \
        pytree__flags |= PYTREE__NOT_INLINABLE; pytree__to = pytree__first;                                             \
    }
#if PYTREE__FOR_SPEED
#define PYTREE__VIEW_ARRAY(code, name, optional, arguments)                                                             \
    PYTREE__VIEW_EXTENTS arguments                                                                                      \
    pytree__pointer = self->name;                                                                                       \
    if ((optional & 1) && pytree__pointer == NULL) {                                                                    \
        PYTREE__VIEW_SEEN(pytree__view_none(pytree__row, pytree__to, pytree__of))                                       \
    } else {                                                                                                            \
        PYTREE__LEAST(pytree__pointer)                                                                                  \
        pytree__bits |= PYTREE__BOUND(pytree__extent, pytree__ndim_##code);                                             \
        PYTREE__VIEW_ADD(pytree__to, pytree__pointer, PYTREE__BUILTIN_OF(code), pytree__ndim_##code,                    \
                         PYTREE_FORM_LEAF)                                                                              \
    }
#define PYTREE__VIEW_PLAIN(code, name, optional, arguments)                                                             \
    if (PYTREE__IS_NUMBER_HERE(code)) {                                                                                 \
        PYTREE__VIEW_ADD(pytree__to, &self->name, PYTREE__BUILTIN_OF(code), 0, PYTREE_FORM_LEAF)                        \
    } else {                                                                                                            \
        PYTREE__VIEW_SEEN(pytree__view_plain(pytree__row, &self->name, pytree__to, pytree__end, pytree__of))            \
        PYTREE__VIEW_ROOM                                                                                               \
    }
#else
#define PYTREE__VIEW_ARRAY(code, name, optional, arguments)                                                             \
    PYTREE__VIEW_EXTENTS arguments PYTREE__VIEW_SEEN(pytree__view_array(pytree__row, self->name, pytree__to, pytree__of))
#define PYTREE__VIEW_PLAIN(code, name, optional, arguments)                                                             \
    PYTREE__VIEW_SEEN(pytree__view_plain(pytree__row, &self->name, pytree__to, pytree__end, pytree__of))
#endif
#define PYTREE__VIEW_OTHER(sizes)                                                                                       \
    {                                                                                                                   \
        const size_t pytree__sizes[] = { sizes 0 };                                                                     \
        PYTREE__VIEW_SEEN(pytree__view_row(pytree__row, self, pytree__sizes, pytree__to, pytree__end, pytree__of))      \
    }
#define PYTREE__VIEW_LIST(code, name, optional, arguments)                                                              \
    pytree__to->shape[0] = PYTREE__SIZE(arguments);                                                                     \
    PYTREE__VIEW_SEEN(pytree__view_array(pytree__row, self->name, pytree__to, pytree__of))
#define PYTREE__VIEW_RANK(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_RANK(name, arguments))
#define PYTREE__VIEW_STRING(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_STRING(name, arguments))
#define PYTREE__VIEW_ENUM(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_ENUM(name, arguments))
#define PYTREE__VIEW_UNION(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_UNION(name, arguments))
#define PYTREE__VIEW_LISTS_(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_LISTS_(name, arguments))
#define PYTREE__VIEW_EACH(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_EACH(name, arguments))
#define PYTREE__VIEW_BITS(code, name, optional, arguments)
#define PYTREE__VIEW_STB_ARRAY(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_STB_ARRAY(name, arguments))
#define PYTREE__VIEW_STB_MAP(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_STB_MAP(name, arguments))

/* The extents that a row gives, of which pytree__n_extents knows how many there are. Where speed does not count they are all
 * that is generated.
 *
 *     PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))   =>   PYTREE__SIZE(self->din), PYTREE__SIZE(self->dout),
 *     PYTREE_FIELD(DATA, scale)                             => */
#define PYTREE__SIZES_DATA(id, name, m1, m2, m3, ...)                                                                   \
    PYTREE__SIZES_STORED(name, ~ PYTREE__STORE_##m1 PYTREE__STORE_##m2 PYTREE__STORE_##m3, PLAIN, (), , ~)
#define PYTREE__SIZES_STATIC(...)
#define PYTREE__SIZES_DROP(...)
#define PYTREE__SIZES_STORED(...) PYTREE__SIZES_STORED_(__VA_ARGS__)
#define PYTREE__SIZES_STORED_(name, skipped, store, arguments, ...) PYTREE__SIZES_##store(name, arguments)
#define PYTREE__SIZES_PLAIN(name, arguments)
#define PYTREE__SIZES_ARRAY(name, arguments) PYTREE__SIZE_LIST arguments
#define PYTREE__SIZES_LIST(name, arguments) PYTREE__SIZE(arguments),
#define PYTREE__SIZES_RANK(name, arguments)                                                                             \
    PYTREE__SECOND_OF(PYTREE__CAT(PYTREE__IN_TABLE_, PYTREE__RANK_OF arguments), PYTREE__SIZES_OF_RANK, ~)(name, arguments)
#define PYTREE__SIZES_OF_RANK(name, arguments)                                                                          \
    PYTREE__CAT(PYTREE__FIXED_EXTENTS_, PYTREE__RANK_OF arguments)(PYTREE__SIZE_OF, self->name)
#define PYTREE__IN_TABLE_1 ~, PYTREE__SIZES_PLAIN
#define PYTREE__IN_TABLE_2 ~, PYTREE__SIZES_PLAIN
#define PYTREE__SIZES_STRING(name, arguments)
#define PYTREE__SIZES_ENUM(name, arguments)
#define PYTREE__SIZES_UNION(name, arguments)                   /* its function says them */
#define PYTREE__SIZES_BITS(name, arguments)
#define PYTREE__SIZES_STB_ARRAY(name, arguments) pytree__stb_array_length(self->name),
#define PYTREE__SIZES_STB_MAP(name, arguments)                                                                          \
    pytree__stb_map_length(self->name, sizeof(*self->name)), sizeof(*self->name),                                       \
        self->name == NULL ? 0 : (size_t)((const char *)&self->name->value - (const char *)self->name),
#define PYTREE__SIZE_LIST(...) PYTREE__EXTENTS(PYTREE__SIZE_OF, __VA_ARGS__)
#define PYTREE__SIZE_OF(i, set, n) PYTREE__SIZE(n),

/* Bound the extents of an array of n dimensions so that its bytes cannot overflow: none has as many bits as
 * PYTREE__EXTENT_BITS. A negative int becomes a huge size_t and is found the same way. */
#define PYTREE__EXTENT_BITS ((sizeof(size_t) * 8 - 8) / 2)
#define PYTREE__BOUND(extent, n)                                                                                        \
    ((n) <= 2 ? extent : extent >> (sizeof(size_t) * 8 - 8) / (size_t)((n) + ((n) == 0)) << PYTREE__EXTENT_BITS)

/* Keep the least of the pointers, compared as integers; it is 0 in the end if one is NULL. Counting those that are NULL would
 * take as long at run time, but gcc's combiner looks at each part of such a sum again, which doubles the time to compile it. */
#define PYTREE__LEAST(pointer) pytree__least = (uintptr_t)pointer < pytree__least ? (uintptr_t)pointer : pytree__least;

#define PYTREE__DOUBTS(missing, bits)                                                                                   \
    (((size_t)(missing) | bits >> PYTREE__EXTENT_BITS) << 3)

PYTREE__INLINE pytree__flatten_result pytree__view_result(pytree_leaf *end, size_t flags)
{
    pytree__flatten_result result;
    result.end = end;
    result.flags = flags;
    return result;
}

/* Begin with flags: leaves need room for a view of each child first. Only children of a struct that has lists or trees
 * (`room` INT_MAX) have views. */
PYTREE__INLINE size_t pytree__view_begin(int room, const pytree_leaf *view, const pytree_leaf *end, unsigned of)
{
    return !PYTREE__LAYOUTS || of == PYTREE__OF_CHILDREN || (room != INT_MAX && end - view >= room) ? 0 : PYTREE__NOT_INLINABLE;
}

/* Add a child that is None, where None has a view: the type and the extents that it would have otherwise; a leaf is like
 * others. */
PYTREE__INLINE pytree__flatten_result pytree__view_none(const pytree_field *row, pytree_leaf *view, unsigned of)
{
    if (of != PYTREE__OF_LEAVES) {
        const bool leaf = of != PYTREE__OF_CHILDREN;
        view->data = NULL;
        view->type = leaf ? &pytree_types[PYTREE__T_none] : row->type;
        view->ndim = leaf ? 0 : row->ndim;
        view->form = PYTREE_FORM_NONE;
        view++;
    }
    return pytree__view_result(view, PYTREE__HAS_NONE);
}

/* Add an array, list or map that is pointed to, whose extents stand in the view. */
PYTREE__HELPER pytree__flatten_result pytree__view_array(const pytree_field *row, const volatile void *p, pytree_leaf *view,
                                                         unsigned of)
{
    size_t flags, extent = 0;
    bool missing;
    int i;
    for (i = 0; i < row->ndim; i++) { extent |= view->shape[i]; }
    missing = p == NULL && (row->form == PYTREE_FORM_LEAF || extent != 0);
    flags = PYTREE__DOUBTS(missing, PYTREE__BOUND(extent, row->ndim));
    if (p == NULL && row->optional != 0 && row->place != PYTREE_STB) { return pytree__view_none(row, view, of); }
    PYTREE__VIEW_ADD(view, p, row->type, row->ndim, row->form)
    return pytree__view_result(view, flags);
}

/* Add a union whose tag, which stands in the view, no CASE has: the check of the view says so. */
PYTREE__HELPER pytree__flatten_result pytree__view_no_case(pytree_leaf *view)
{
    PYTREE__VIEW_ADD(view, NULL, &pytree_types[PYTREE__T_ref], 0, PYTREE_FORM_CUSTOM)
    return pytree__view_result(view, PYTREE__NEEDS_CHECK);
}

/* Add what a pointer to void leads to, whose extents stand in the view. Where no type is known, the check of the view says
 * so. */
PYTREE__HELPER pytree__flatten_result pytree__view_as(const pytree_field *row, const volatile void *p, const pytree_type *type,
                                                      pytree_leaf *view, unsigned of)
{
    if (row->optional != 0 && p == NULL) { return pytree__view_none(row, view, of); }
    if (type == NULL || (type->kind != PYTREE_KIND_LEAF
                         && (row->ndim != 0 || (type->kind != PYTREE_KIND_STRUCT && type->kind != PYTREE_KIND_CUSTOM)))) {
        PYTREE__VIEW_ADD(view, NULL, row->type, 0, PYTREE_FORM_CUSTOM)
    } else {
        PYTREE__VIEW_ADD(view, p, type, row->ndim, type->kind == PYTREE_KIND_LEAF ? PYTREE_FORM_LEAF : PYTREE_FORM_STRUCT)
    }
    return pytree__view_result(view, PYTREE__NEEDS_CHECK);
}

/* Find whether strings that lie in the struct end there, each of them. Returns flags. */
PYTREE__HELPER size_t pytree__ends(const pytree_field *row, const volatile void *at)
{
    const size_t room = row->ndim == 2 ? row->inner : row->size;
    size_t i;
    for (i = 0; i < row->size; i += room) {
        if (memchr((const char *)(uintptr_t)at + i, '\0', room) == NULL) { return PYTREE__NEEDS_CHECK; }
    }
    return 0;
}

/* Add a value in the struct itself that is no struct. */
PYTREE__HELPER pytree__flatten_result pytree__view_here(const pytree_field *row, const volatile void *at, pytree_leaf *view)
{
    if (row->ndim == 1 || row->ndim == 2) { view->shape[0] = row->size / row->inner; }
    if (row->ndim == 2) { view->shape[1] = row->inner / row->type->size; }
    PYTREE__VIEW_ADD(view, at, row->type, row->ndim, row->form)
    return pytree__view_result(view, row->form >= PYTREE_FORM_FLAT ? PYTREE__NEEDS_CHECK : 0);
}

/* Add the value of a row without modifier. Leaves of a struct in the struct take its place. */
PYTREE__INLINE pytree__flatten_result pytree__view_plain(const pytree_field *row, const volatile void *member,
                                                         pytree_leaf *view, const pytree_leaf *end, unsigned of)
{
    const bool pointer = row->place == PYTREE_POINTER;
    const void *const at = (const void *)(uintptr_t)member, *p;
    size_t flags = 0;
    if (row->form == PYTREE_FORM_STRUCT && !pointer && of != PYTREE__OF_CHILDREN) {
#if defined(PYTREE_SMALL)
        if (row->type->views == NULL) { return pytree__view_result(view, PYTREE__NOT_INLINABLE); }
#endif
        return pytree__views(row->type, at, view, end, of);
    }
    if (!pointer && (row->type != &pytree_types[PYTREE__T_string] || row->ndim != 0)) {
        return pytree__view_here(row, at, view);
    }
    memcpy(&p, at, sizeof p);
    if (p == NULL) {
        if (row->optional != 0) { return pytree__view_none(row, view, of); }
        flags |= PYTREE__NEEDS_CHECK;
    }
    if (pointer) { flags |= row->form == PYTREE_FORM_STRUCT ? PYTREE__HAS_POINTED : PYTREE__NOT_INLINABLE; }
    PYTREE__VIEW_ADD(view, pointer ? p : at, row->type, row->ndim, row->form)
    return pytree__view_result(view, flags);
}

/* Tell how many extents a row gives: those of an array in the struct stand in the table if it has one or two dimensions. */
PYTREE__INLINE size_t pytree__n_extents(const pytree_field *row)
{
    int n = PYTREE__CONTAINERS && row->form == PYTREE_FORM_MAP ? 3 : row->ndim;
    if (PYTREE__MORE_ROWS && row->type->kind == PYTREE_KIND_ROW) {      /* EACH: one, and those of an element */
        n += row->type->fields->place == PYTREE_IN_PLACE ? 0 : row->type->fields->ndim;
    } else if (row->place == PYTREE_IN_PLACE && n <= 2) {
        n = 0;
    }
    return (size_t)n;
}

/* Add the child of a row that gives these extents. */
PYTREE__HELPER pytree__flatten_result pytree__view_row(const pytree_field *row, const void *self, const size_t *sizes,
                                                       pytree_leaf *view, const pytree_leaf *end, unsigned of)
{
    const char *const at = (const char *)self + row->offset;
    const bool given = PYTREE__MORE_ROWS && row->functions != NULL && row->functions->with != NULL;
    const void *p = at;
    pytree__flatten_result seen;
    memcpy(view->shape, sizes, pytree__n_extents(row) * sizeof *sizes);
    if (PYTREE__MORE_ROWS && row->functions != NULL && row->functions->select != NULL) {
        const int which = row->functions->select(self, view->shape);
        if (which < 0) { return pytree__view_no_case(view); }
        row = &row->functions->cases[which];
    }
    if (PYTREE__MORE_ROWS && row->functions != NULL && row->functions->as != NULL) {
        memcpy(&p, at, sizeof p);
        return pytree__view_as(row, p, row->functions->as(self), view, of);
    }
    if (row->form == PYTREE_FORM_NONE) { return pytree__view_none(row, view, of); }
    if (row->place == PYTREE_IN_PLACE || row->ndim == 0) {     /* in the struct itself, or one struct that is pointed to */
        seen = pytree__view_plain(row, at, view, end, of);
        if (PYTREE__MORE_ROWS && row->type->dtype == PYTREE_TEXT) { seen.flags |= pytree__ends(row, at); }
    } else {
        if (row->place != PYTREE_FLEXIBLE) { memcpy(&p, at, sizeof p); }
        seen = pytree__view_array(row, p, view, of);
    }
    if (given) { seen.flags |= PYTREE__NEEDS_CHECK; }
    return seen;
}

#if !PYTREE__ROWS_ARE_STATEMENTS
/* Add the children of all rows of a struct; leaves only if it is self-contained. */
PYTREE__HELPER void pytree__view_rows(pytree__viewing *viewing, const size_t *sizes)
{
    const pytree_field *row = viewing->type->fields, *const last = row + viewing->type->n_fields;
    const unsigned of = PYTREE__LAYOUTS ? viewing->of : (unsigned)PYTREE__OF_CHILDREN;
    pytree_leaf *view = viewing->view;
    pytree__flatten_result seen;
    size_t flags = pytree__view_begin((int)viewing->type->n_children, view, viewing->end, viewing->of);
    if (flags != 0) { viewing->seen = pytree__view_result(view, flags); return; }
    for (; row < last; row++) {
        if (PYTREE__MORE_ROWS && row->row == PYTREE_ROW_STATIC && row->form == PYTREE__PACK_CHARS) {
            flags |= pytree__ends(row, (const char *)viewing->self + row->offset);
        }
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (of != PYTREE__OF_CHILDREN && (size_t)(viewing->end - view) < (size_t)(last - row)) {
            flags |= PYTREE__NOT_INLINABLE;                    /* behind the leaves of a struct */
            break;
        }
        seen = pytree__view_row(row, viewing->self, sizes, view, viewing->end, of);
        flags |= seen.flags;
        view = seen.end;
        sizes += pytree__n_extents(row);
    }
    viewing->seen = pytree__view_result(view, flags);
}
#endif

/* ---- Validation ------------------------------------------------------------------------------------------------------ */

/* Pass: look at the same values.
 *
 *     if (self->w != NULL) {                                                                       DATA, w, ARRAY(…)
 *         pytree__extent = (size_t)((self->din) | 0); pytree__extent |= (size_t)((self->dout) | 0);
 *         pytree__bits |= pytree__extent;
 *     } else if (!(0 & 1)) { return …; }
 *     pytree__row++; */
#define PYTREE__VALID_DATA(id, ...) PYTREE__DATA_ROW(PYTREE__VALID_, id, __VA_ARGS__)
#define PYTREE__VALID_STATIC(id, name, m1, ...) PYTREE__STATIC_##m1(name)
#define PYTREE__VALID_DROP(...) pytree__row++;
#define PYTREE__VALID_EXTENT(i, set, n) pytree__extent set PYTREE__SIZE(n);
#define PYTREE__VALID_EXTENTS(...) PYTREE__EXTENTS(PYTREE__VALID_EXTENT, __VA_ARGS__)
#define PYTREE__VALID_ARRAY(code, name, optional, arguments)                                                            \
    if (self->name != NULL) {                                                                                           \
        PYTREE__VALID_EXTENTS arguments                                                                                 \
        pytree__bits |= PYTREE__BOUND(pytree__extent, pytree__ndim_##code);                                             \
    } else if (!(optional & 1)) {                                                                                       \
        return PYTREE__DOUBTS(1, 0);                                                                                    \
    }
#define PYTREE__VALID_PLAIN(code, name, optional, arguments)                                                            \
    if (!PYTREE__IS_NUMBER_HERE(code)) { pytree__flags |= pytree__valid_plain(pytree__row, &self->name); }
#define PYTREE__VALID_ENUM(code, name, optional, arguments)
#define PYTREE__VALID_RANK(code, name, optional, arguments)
#define PYTREE__VALID_STRING(code, name, optional, arguments) pytree__flags |= pytree__ends(pytree__row, &self->name);
#define PYTREE__VALID_UNION(code, name, optional, arguments)
#define PYTREE__VALID_BITS(code, name, optional, arguments)
#define PYTREE__VALID_LIST(code, name, optional, arguments)    /* a struct that has one is not validated */
#define PYTREE__VALID_STB_ARRAY(code, name, optional, arguments)
#define PYTREE__VALID_STB_MAP(code, name, optional, arguments)

PYTREE__INLINE size_t pytree__valid_plain(const pytree_field *row, const volatile void *member)
{
    const void *const at = (const void *)(uintptr_t)member, *p;
    if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE) {
        return row->type->validate == NULL ? (size_t)PYTREE__NOT_INLINABLE : row->type->validate(at);
    }
    if (row->place == PYTREE_IN_PLACE && (row->type != &pytree_types[PYTREE__T_string] || row->ndim != 0)) {
        return row->form >= PYTREE_FORM_FLAT ? PYTREE__NEEDS_CHECK : 0;
    }
    memcpy(&p, at, sizeof p);
    if (p == NULL) { return row->optional != 0 ? 0 : PYTREE__NEEDS_CHECK; }
    return row->place == PYTREE_IN_PLACE ? 0 : row->form == PYTREE_FORM_STRUCT ? PYTREE__HAS_POINTED : PYTREE__NOT_INLINABLE;
}

/* ---- Leaves put back ------------------------------------------------------------------------------------------------- */

/* Pass: put leaves back.
 *
 *     pytree__row++;                                                                               STATIC, DROP
 *     pytree__pointer = self->w;                                                                   DATA, w, ARRAY(…)
 *     if (!((0 & 1) && pytree__pointer == NULL)) {
 *         pytree__least = (uintptr_t)pytree__leaf->data < pytree__least ? (uintptr_t)pytree__leaf->data : pytree__least;
 *         memcpy((char *)pytree__at + pytree__row->offset, &pytree__leaf->data, sizeof pytree__leaf->data);
 *         pytree__leaf++;
 *     }
 *     pytree__row++; */
#define PYTREE__STORED_DATA(id, ...) PYTREE__DATA_ROW(PYTREE__STORED_, id, __VA_ARGS__)
#define PYTREE__STORED_STATIC(...) pytree__row++;
#define PYTREE__STORED_DROP(...) pytree__row++;
#define PYTREE__STORED_ARRAY(code, name, optional, arguments)                                                           \
    pytree__pointer = self->name;                                                                                       \
    if (!((optional & 1) && pytree__pointer == NULL)) {                                                                 \
        PYTREE__LEAST(pytree__leaf->data)                                                                               \
        memcpy((char *)pytree__at + pytree__row->offset, &pytree__leaf->data, sizeof pytree__leaf->data);               \
        pytree__leaf++;                                                                                                 \
    }
#define PYTREE__STORED_PLAIN(code, name, optional, arguments)                                                           \
    if (PYTREE__IS_NUMBER_HERE(code)) {                                                                                 \
        if (pytree__leaf->data == NULL || pytree__leaf->type != PYTREE__BUILTIN_OF(code) || pytree__leaf->ndim != 0) {  \
            return NULL;                                                                                                \
        }                                                                                                               \
        memmove((char *)pytree__at + pytree__row->offset, pytree__leaf->data, sizeof self->name); pytree__leaf++;       \
    } else {                                                                                                            \
        pytree__leaf = pytree__store_plain(pytree__row, pytree__at, pytree__leaf);                                      \
        if (pytree__leaf == NULL) { return NULL; }                                                                      \
    }
#define PYTREE__STORED_RANK(code, name, optional, arguments)                                                            \
    pytree__leaf = pytree__store_plain(pytree__row, pytree__at, pytree__leaf);                                          \
    if (pytree__leaf == NULL) { return NULL; }
#define PYTREE__STORED_ENUM PYTREE__STORED_RANK
#define PYTREE__STORED_STRING PYTREE__STORED_RANK
#define PYTREE__STORED_UNION(code, name, optional, arguments)
#define PYTREE__STORED_BITS(code, name, optional, arguments)
#define PYTREE__STORED_LIST(code, name, optional, arguments)   /* nor are leaves put back in one */
#define PYTREE__STORED_STB_ARRAY(code, name, optional, arguments)
#define PYTREE__STORED_STB_MAP(code, name, optional, arguments)

PYTREE__INLINE const pytree_leaf *pytree__store_plain(const pytree_field *row, void *self, const pytree_leaf *leaf)
{
    if (row->form == PYTREE_FORM_STRUCT && row->place == PYTREE_IN_PLACE && row->type->store_leaves != NULL) {
        return row->type->store_leaves((char *)self + row->offset, leaf);
    }
    return pytree__store_row(row, self, leaf);
}

#endif
