/* pytree/impl/materialize.h: clone, zeros_like and allocate: a new tree that owns its leaves. */
#ifndef PYTREE_IMPL_MATERIALIZE_H
#define PYTREE_IMPL_MATERIALIZE_H

#include "internal.h"

/* Write views of the children of a struct that pytree_allocate fills, or that lacks what is required, which the caller finds
 * out. Its rows are evaluated on a copy whose pointers that are still to be set lead to zeros, because rows may read through
 * them. Returns false if there is no memory for the copy. */
static bool pytree__children_to_make(pytree__cursor *c, const pytree_type *type, const char *self, pytree_leaf *views)
{
    union { char bytes[1024]; long double number; void *pointer; } few;
    char *const copy = type->size <= sizeof few ? few.bytes : (char *)pytree__scratch(c, type->size);
    void *const zeros = pytree__zeros();
    const pytree_field *at, *row, *const end = type->fields + type->n_fields;
    void *p;
    if (copy == NULL) { return false; }
    memcpy(copy, self, type->size);
    for (at = type->fields; at != end; at++) {
        if (at->row != PYTREE_ROW_DATA) { continue; }
        row = pytree__active_row(at, self);
        if (row == NULL || row->place != PYTREE_POINTER) { continue; }
        memcpy(&p, copy + row->offset, sizeof p);
        if ((p == NULL && !row->optional) || p == PYTREE_WANTED) { memcpy(copy + row->offset, &zeros, sizeof zeros); }
    }
    pytree__child_views(type, copy, views);
    for (at = type->fields; at != end; at++) {
        if (at->row != PYTREE_ROW_DATA) { continue; }
        row = pytree__active_row(at, self);
        if (row == NULL || row->form == PYTREE_FORM_NONE) { views++; continue; }       /* of a union */
        p = (char *)(uintptr_t)self + row->offset;
        if (row->place == PYTREE_POINTER || row->place == PYTREE_STB) { memcpy(&p, self + row->offset, sizeof p); }
        views++->data = p;
    }
    return true;
}

/* Tell whether a required pointer of a struct to another one is NULL: its rows may read through that. */
static PYTREE__APART_CLANG bool pytree__lacks_data(const pytree_type *type, const void *self)
{
    const pytree_field *row = type->fields;
    const void *p;
    unsigned left;
    for (left = type->n_fields; left != 0; left--, row++) {    /* one that was never defined has no rows */
        if (row->row == PYTREE_ROW_DROP || (PYTREE__MORE_ROWS && row->row == PYTREE_ROW_STATIC)) { continue; }
        if (row->optional != 0) { continue; }
        if (row->place != PYTREE_POINTER || row->form != PYTREE_FORM_STRUCT) { continue; }
        memcpy(&p, (const char *)self + row->offset, sizeof p);
        if (p == NULL) { return true; }
    }
    return false;
}

/* Tell whether the elements of a list or array, which only DATA rows are, have pointers to structs, which may be NULL. */
static bool pytree__leads_on(const pytree_field *row)
{
    return (row->form == PYTREE_FORM_LIST || row->form == PYTREE_FORM_TUPLE)
        && (row->type->kind == PYTREE_KIND_ROW
            || (row->type->kind == PYTREE_KIND_STRUCT && !pytree__contained(pytree__origin(row->type))));
}

/* Tell whether a STATIC row is a pointer: to something, or a string. */
static bool pytree__is_address(const pytree_field *row)
{
    return row->ndim == 0 && (row->type == &pytree_types[PYTREE__T_address] || row->type == &pytree_types[PYTREE__T_string]);
}

/* Tell whether a struct in a struct, or one in that, has a pointer that is NULL. It calls itself for these: no deeper than C's
 * declarations. */
static bool pytree__has_null(const pytree_type *type, const char *self)
{
    const void *p;
    unsigned i;
    for (i = 0; i < type->n_fields; i++) {
        const pytree_field *const row = &type->fields[i];
        if (row->row == PYTREE_ROW_DATA && row->place == PYTREE_IN_PLACE) {
            if (row->form == PYTREE_FORM_STRUCT ? pytree__has_null(row->type, self + row->offset) : pytree__leads_on(row)) {
                return true;
            }
        } else if (row->size == sizeof p && (row->row != PYTREE_ROW_STATIC || pytree__is_address(row))) {
            memcpy(&p, self + row->offset, sizeof p);
            if (p == NULL) { return true; }
        }
    }
    return false;
}

/* Find what is NULL that the rows of a struct may read through. `making`: what must not be NULL leads to zeros. A list or an
 * array may be NULL where it is empty, and row expressions may ask for it. `siblings`: the frame of a row of such structs,
 * which remembers whether texts have to be searched, or NULL. */
static int pytree__lacks(const pytree_type *type, const void *self, bool making, pytree__frame *siblings)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    int lacks = PYTREE__LACKS_NOTHING;
    bool null = false, inside = false;    /* a pointer, or one of a struct in this one */
    for (; row != end; row++) {
        const pytree_type *inner;
        const void *p;
        if (row->row == PYTREE_ROW_DATA && row->place == PYTREE_IN_PLACE) {
            inside = inside || (PYTREE__MORE_ROWS && row->form == PYTREE_FORM_STRUCT
                                && pytree__has_null(row->type, (const char *)self + row->offset));
            null = null || pytree__leads_on(row);
            continue;
        }
        if (row->place > PYTREE_STB || (row->place != PYTREE_STB && row->size != sizeof p)) { continue; }
        if (row->row == PYTREE_ROW_STATIC && (!PYTREE__MORE_ROWS || !pytree__is_address(row))) { continue; }
        memcpy(&p, (const char *)self + row->offset, sizeof p);
        null = null || p == NULL || pytree__leads_on(row);
        if (row->row == PYTREE_ROW_DROP || (PYTREE__MORE_ROWS && row->row == PYTREE_ROW_STATIC)) { continue; }
        if (row->optional != 0 || row->form != PYTREE_FORM_STRUCT) { continue; }
        if (p == NULL) { lacks = PYTREE__LACKS_STRUCT; }
        if (!PYTREE__MORE_ROWS || making) { continue; }
        inner = pytree__origin(row->type);
        if (p == NULL ? inner->size > PYTREE__ZEROS || pytree__lacks_data(inner, pytree__zeros())
                      : !pytree__contained(inner) && pytree__lacks_data(inner, p)) { return PYTREE__LACKS_BEYOND; }
    }
    if (PYTREE__MORE_ROWS && making) { lacks = PYTREE__LACKS_NOTHING; }
    if (PYTREE__MORE_ROWS && (null || inside) && (siblings == NULL || !siblings->harmless)) {
        struct pytree__null_text text;
        const bool own = making || lacks != PYTREE__LACKS_NOTHING;
        if (pytree__null_read(type, self, own, !null, &text) != SIZE_MAX) { return PYTREE__LACKS_READ; }
        if (siblings != NULL && null && !text.met) { siblings->harmless = true; }
    }
    return lacks;
}

/* Fail for a struct a row of which reads through a pointer that is NULL. Its children are not seen. Where the pointer is in a
 * struct that this one leads to, a walk that goes there finds it; but a predicate may stop before, or a namespace change what
 * is there, so that the row would be evaluated. Return whether there is such a row. */
static PYTREE__NOINLINE bool pytree__fails_read(pytree__cursor *c, pytree__frame *f, int lacks, pytree_status *status)
{
    struct pytree__null_text text;
    const bool lacking = pytree__lacks_data(f->type, f->self);
    size_t child;
    if (lacks == PYTREE__LACKS_BEYOND && (c->plain || lacking)) { return false; }
    child = pytree__null_read(f->type, f->self, c->making || lacking, false, &text);
    if (child == SIZE_MAX) { return false; }
    f->next = child + 1;
    *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a pointer in self%.*s, which this row reads through, got NULL",
                              (int)(text.end - text.from), text.from);
    f->next = f->count = 0;
    return true;
}

/* Fail for a struct, for which memory is to be made, if a product in one of its rows is too large for the type in which C
 * computes it: what comes of that may well be a valid extent. Its children are not seen. */
static PYTREE__NOINLINE pytree_status pytree__check_products(pytree__cursor *c, pytree__frame *f)
{
    const pytree_field *row = f->type->fields, *const last = row + f->type->n_fields;
    const char *from, *end;
    uint64_t product;
    pytree_status status;
    size_t child = 0;
    for (; row != last; row++) {
        if (row->row != PYTREE_ROW_DATA) { continue; }
        child++;
        if (!pytree__row_overflows(f->type, f->self, row, &from, &end, &product)) { continue; }
        f->next = child;
        status = pytree__fail_at(c, PYTREE_OVERFLOW, "expected a product that fits the type of %.*s, got %llu (write each "
                                 "factor as an extent, or cast the first one to size_t)", (int)(end - from), from,
                                 (unsigned long long)product);
        f->next = f->count = 0;
        return status;
    }
    return PYTREE_OK;
}

/* Write views of the children of a struct that pytree_allocate fills. */
static pytree_status pytree__views_to_make(pytree__cursor *c, pytree__frame *f, pytree_leaf *views)
{
    const pytree_status status = PYTREE__MORE_ROWS ? pytree__check_products(c, f) : PYTREE_OK;
    if (status != PYTREE_OK) { return status; }
    return pytree__children_to_make(c, f->type, (const char *)f->self, views) ? PYTREE_OK : PYTREE_NO_MEMORY;
}

/* Write views of a struct that lacks what its rows may read through. Where something certainly is wrong, rows are evaluated
 * with zeros in its place, or not at all, and what they describe is None: the error comes from what is NULL. Returns flags. */
static size_t pytree__views_lacking(pytree__cursor *c, const pytree_type *type, const char *self,
                                                     pytree_leaf *views, int lacks)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    if (PYTREE__MORE_ROWS && lacks == PYTREE__LACKS_BEYOND && (c->plain || pytree__lacks_data(type, self))) {
        for (; row != end; row++) {
            if (row->row != PYTREE_ROW_DATA) { continue; }
            pytree__none_view(views);
            if (row->place == PYTREE_POINTER && row->form == PYTREE_FORM_STRUCT) {
                memcpy(&views->data, self + row->offset, sizeof views->data);
                if (views->data != NULL || row->optional == 0) { views->type = row->type; views->form = PYTREE_FORM_STRUCT; }
            }
            views++;
        }
        return PYTREE__NEEDS_CHECK;
    }
    if (PYTREE__MORE_ROWS && lacks == PYTREE__LACKS_BEYOND) { return pytree__child_views(type, self, views); }
    return pytree__children_to_make(c, type, self, views) ? PYTREE__NEEDS_CHECK : SIZE_MAX;
}

/* Fail for a struct of which one of its structs lacks another that it must have: by opening that, once its views are there. A
 * walk with a predicate may not come there, and one that reports all problems comes there later. */
static pytree_status pytree__fail_beyond(pytree__cursor *c)
{
    pytree__frame *const f = &c->frames[c->n_frames - 1];
    size_t i;
    if (!c->plain || c->watch != NULL || pytree__lacks_data(f->type, f->self)) { return PYTREE_OK; }
    for (i = 0; i < f->count; i++) {      /* pytree__lacks has found one, and pytree__views_lacking has made a view of it */
        const pytree_leaf *const view = &c->views[f->views + i];
        if (view->form == PYTREE_FORM_STRUCT && pytree__lacks_data(pytree__origin(view->type), view->data)) {
            f->next = i + 1;
            return pytree__open(c, view);
        }
    }
    return PYTREE_OK;
}

/* Flatten a tree, for which no predicate of the caller's is asked, and build a new one from its structure and its leaves, in
 * the struct *t if that has data. */
static pytree_status pytree__materialize(pytree *t, pytree from, int mode, const pytree_options *opt, pytree_error *err)
{
    pytree_options own;
    pytree_def *def;
    pytree_leaf *leaves = NULL;
    struct pytree__source source;
    pytree_status status;
    source.t = from;
    source.clone_handles = PYTREE__MORE_ROWS ? pytree__clone_handles_of_tree : NULL;
    memset(&own, 0, sizeof own);
    if (opt != NULL) {
        own.allocator = opt->allocator;
        own.alignment = opt->alignment;
        own.space = opt->space;
        own.level = opt->level;
        if (PYTREE__DEVICES) { own.memory = opt->memory; }
    }
    status = pytree__flatten(from, mode == PYTREE__ALLOCATE, &leaves, 0, &def, &own, err);
    if (status != PYTREE_OK) { return status; }
    status = pytree__build_tree(t, def, leaves, mode, &source, &own, err);
    pytree_def_free(def);
    return status;
}

pytree pytree_clone(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made = { NULL, NULL };
    pytree__materialize(&made, t, PYTREE__COPY, opt, err);
    return made;
}

pytree pytree_zeros_like(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made = { NULL, NULL };
    pytree__materialize(&made, t, PYTREE__ZERO, opt, err);
    return made;
}

/* Check that there is a struct to allocate for, on the host. */
static PYTREE__APART_CLANG pytree_status pytree__struct_to_fill(pytree t, const pytree_options *opt, pytree_error *err)
{
    if (PYTREE__DEVICES && opt != NULL && opt->memory != NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected no opt->memory, because a struct cannot tell that its arrays "
                           "lie on a device (pytree_clone and pytree_zeros_like make trees there), got one");
    }
    if (t.type != NULL && t.type->kind == PYTREE_KIND_STRUCT && t.data != NULL) { return PYTREE_OK; }
    return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct to allocate for, got %s",
                       t.type == NULL ? "nothing" : t.data == NULL ? "NULL" : t.type->name);
}

pytree_status pytree_allocate(pytree t, const pytree_options *opt, pytree_error *err)
{
    if (pytree__struct_to_fill(t, opt, err) != PYTREE_OK) { return PYTREE_ARGUMENT; }
    t.type = pytree__origin(t.type);
    return pytree__materialize(&t, t, PYTREE__ALLOCATE, opt, err);
}

#if !defined(PYTREE_SMALL)
pytree_status pytree_allocate_like(pytree t, pytree like, const pytree_options *opt, pytree_error *err)
{
    bool array;
    if (pytree__struct_to_fill(t, opt, err) != PYTREE_OK) { return PYTREE_ARGUMENT; }
    t.type = pytree__origin(t.type);
    if (pytree__is_flexible(t.type)) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct of fixed size, got %s with a flexible array",
                           t.type->name);
    }
    if (pytree__find_block_pointer(t.type, (const char *)t.data, &array) != NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct whose pointers are NULL to allocate for, got %s "
                           "with one that is not (it would be lost)", t.type->name);
    }
    return pytree__materialize(&t, like, PYTREE__ZERO, opt, err);
}
#endif
#endif
