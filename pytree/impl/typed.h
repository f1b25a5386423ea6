/* pytree/impl/typed.h: leaves and trees as checked C types. */
#ifndef PYTREE_IMPL_TYPED_H
#define PYTREE_IMPL_TYPED_H

#include "internal.h"

/* Are elements of one type those of the other, too? Built-in types are where their representation is the same. */
static bool pytree__same_elements(const pytree_type *a, const pytree_type *b)
{
    return a->dtype == b->dtype && a->dtype != PYTREE_NO_DTYPE && (a->dtype != PYTREE_OPAQUE || pytree_type_equal(a, b));
}

/* Find out whether a leaf holds such elements; if not, write what it is to `got`. */
static bool pytree__holds(const pytree_leaf *leaf, const pytree_type *type, char *got, size_t room)
{
    if (leaf == NULL || leaf->type == NULL) {
        (void)snprintf(got, room, "%s", leaf == NULL ? "NULL" : "a leaf without a type");
    } else if (leaf->form == PYTREE_FORM_LEAF && pytree__same_elements(pytree__origin(leaf->type), type)) {
        return true;
    } else {
        pytree__leaf_text(got, room, leaf);
    }
    return false;
}

static void *pytree__elements(const pytree_leaf *leaf, size_t *n)
{
    if (n != NULL) { *n = leaf == NULL ? 0 : pytree_leaf_count(leaf); }
    return leaf == NULL ? NULL : leaf->data;
}

void *pytree_elements(const pytree_leaf *leaf, const pytree_type *type, size_t *n, pytree_error *err)
{
    char got[PYTREE__SIDE];
    if (pytree__holds(leaf, type, got, sizeof got)) { return pytree__elements(leaf, n); }
    (void)pytree_fail(err, PYTREE_TYPE, NULL, "expected %s, got %s", pytree_dtype_name(type), got);
    return pytree__elements(NULL, n);
}

void *pytree_iter_elements(const pytree_iter *at, size_t k, const pytree_type *type, size_t *n)
{
    char got[PYTREE__SIDE];
    const pytree_leaf *const leaf = k < at->n ? at->leaf[k] : NULL;
    if (pytree__holds(leaf, type, got, sizeof got)) { return pytree__elements(leaf, n); }
    pytree__iter_seek(at);
    (void)pytree__fail_at(&at->cursors[0], PYTREE_TYPE, "expected %s, got %s", pytree_dtype_name(type), got);
    return pytree__elements(NULL, n);
}

void *pytree_cast(pytree t, const pytree_type *type, pytree_error *err)
{
    t = pytree__referent(t);
    if (t.type == NULL) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected %s, got a pytree without a type", type->name);
    } else if (!pytree_type_equal(pytree__origin(t.type), type)) {
        (void)pytree_fail(err, PYTREE_TYPE, NULL, "expected %s, got %s", type->name, pytree__origin(t.type)->name);
    } else {
        return t.data;
    }
    return NULL;
}

#endif
