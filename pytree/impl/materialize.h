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
        row = pytree__active_row(at, self);
        if (row == NULL || row->row != PYTREE_ROW_DATA || row->place != PYTREE_POINTER) { continue; }
        memcpy(&p, copy + row->offset, sizeof p);
        if ((p == NULL && !row->optional) || p == PYTREE_WANTED) { memcpy(copy + row->offset, &zeros, sizeof zeros); }
    }
    pytree__child_views(type, copy, views);
    for (at = type->fields; at != end; at++) {
        row = pytree__active_row(at, self);
        if (row == NULL || row->form == PYTREE_FORM_NONE) { views++; continue; }       /* of a union */
        if (row->row != PYTREE_ROW_DATA) { continue; }
        p = (char *)(uintptr_t)self + row->offset;
        if (row->place == PYTREE_POINTER || row->place == PYTREE_STB) { memcpy(&p, self + row->offset, sizeof p); }
        views++->data = p;
    }
    return true;
}

/* Flatten a tree, for which no predicate of the caller's is asked, and build a new one from its structure and its leaves.
 * `in_place`: pytree_allocate. */
static pytree_status pytree__materialize(pytree *t, pytree from, int mode, const pytree_options *opt, pytree_error *err)
{
    const bool in_place = mode == PYTREE__ALLOCATE;
    pytree_options own;
    pytree_def *def;
    pytree_leaf *leaves = NULL;
    pytree_status status;
    memset(&own, 0, sizeof own);
    if (opt != NULL) {
        own.allocator = opt->allocator;
        own.alignment = opt->alignment;
        own.space = opt->space;
        own.level = opt->level;
    }
    t->type = NULL;
    t->data = NULL;
    status = pytree__flatten(from, in_place, &leaves, 0, &def, &own, err);
    if (status != PYTREE_OK) { return status; }
    status = pytree__build_tree(t, def, leaves, mode, in_place ? &from : NULL, &own, err);
    pytree_def_free(def);
    return status;
}

pytree pytree_clone(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    pytree__materialize(&made, t, PYTREE__COPY, opt, err);
    return made;
}

pytree pytree_zeros_like(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    pytree__materialize(&made, t, PYTREE__ZERO, opt, err);
    return made;
}

pytree_status pytree_allocate(pytree t, const pytree_options *opt, pytree_error *err)
{
    pytree made;
    if (t.type == NULL || t.type->kind != PYTREE_KIND_STRUCT || t.data == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a struct to allocate for, got %s",
                           t.type == NULL ? "nothing" : t.data == NULL ? "NULL" : t.type->name);
    }
    t.type = pytree__origin(t.type);
    return pytree__materialize(&made, t, PYTREE__ALLOCATE, opt, err);
}
#endif
