/* pytree/impl/cursor_check.h: the cursor: following a value to what stands behind it, and checking that. */
#ifndef PYTREE_IMPL_CURSOR_CHECK_H
#define PYTREE_IMPL_CURSOR_CHECK_H

#include "internal.h"

static PYTREE__APART_CLANG pytree_status pytree__template(pytree__cursor *c, const pytree_type *type)
{
    if (type->size <= PYTREE__ZEROS) { return PYTREE_OK; }
    return pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a template of the %s to make (its %zu bytes are too many to take "
                           "zeros), got NULL", type->name, type->size);
}

/* Checks that each string in an array of n characters ends there. */
static PYTREE__APART_CLANG bool pytree__check_text(pytree__cursor *c, const pytree_leaf *v, size_t n, pytree_status *status)
{
    const size_t room = v->ndim == 0 ? 1 : v->shape[v->ndim - 1];
    size_t i;
    for (i = 0; i < n; i += room) {
        if (pytree__text_length((const char *)v->data + i, room) == room) {
            *status = pytree__fail_at(c, PYTREE_VALUE, "expected a string that ends within its %zu bytes, got one without end",
                                      room);
            return false;
        }
    }
    return true;
}

/* Checks the same of a static value. */
struct pytree__static_check { pytree__cursor *c; const char *self; pytree_status status; };

static bool pytree__check_static(void *context, const pytree_field *row, size_t at, size_t bytes)
{
    struct pytree__static_check *const check = (struct pytree__static_check *)context;
    if (row->form != PYTREE__PACK_CHARS || pytree__text_length(check->self + at, bytes) < bytes) { return true; }
    check->status = pytree__fail_at(check->c, PYTREE_VALUE,
                                    "expected a string that ends within the %zu bytes of %s, got one without end", bytes,
                                    row->name);
    return false;
}

/* Checks the static values of the open struct on top. */
static pytree_status pytree__check_statics(pytree__cursor *c, const pytree__frame *f)
{
    struct pytree__static_check check = { NULL, NULL, PYTREE_OK };
    check.c = c;
    check.self = (const char *)f->self;
    (void)pytree__visit_statics(f->type, 0, pytree__check_static, &check);
    return check.status;
}

/* Checks a leaf: extents that are not negative, bytes that fit memory, data that is there. */
static PYTREE__APART_CLANG bool pytree__check_leaf(pytree__cursor *c, const pytree_leaf *v, pytree_status *status)
{
    const size_t n = pytree_leaf_count(v);
    const char *s;
    int i;
    for (i = 0; i < v->ndim; i++) {
        if (v->shape[i] > PTRDIFF_MAX) {
            *status = pytree__fail_at(c, PYTREE_BAD_COUNT, "expected an extent of 0 or more in dimension %d, got %lld", i,
                                      (long long)(ptrdiff_t)v->shape[i]);
            return false;
        }
    }
    if (n == SIZE_MAX || pytree_leaf_bytes(v) > PTRDIFF_MAX) {
        *status = pytree__fail_at(c, PYTREE_OVERFLOW,
                                  "expected an array that fits memory, got extents %zu x %zu ... of %zu bytes each",
                                  v->shape[0], v->ndim > 1 ? v->shape[1] : 1, v->type->size);
        return false;
    }
    if (c->making) { return !PYTREE__MORE_ROWS || v->type->dtype != PYTREE_TEXT || pytree__check_text(c, v, n, status); }
    if (v->data == NULL && n != 0) {
        *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected %zu elements of %s, got NULL", n, v->type->name);
        return false;
    }
    if (v->ndim == 0 && v->type->dtype == PYTREE_STRING) {
        memcpy(&s, v->data, sizeof s);
        if (s == NULL) {
            *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a string, got NULL (OPTIONAL allows it)");
            return false;
        }
    }
    return !PYTREE__MORE_ROWS || v->type->dtype != PYTREE_TEXT || pytree__check_text(c, v, n, status);
}

/* Follows a value held as pytree or pytree_leaf to what stands behind it; *subtree: that is a view of a node in a pytree_flat.
 * Returns false if it is no value; *status says why, or is PYTREE_OK if a problem sink was told. */
static PYTREE__APART_CLANG bool pytree__unbox(pytree__cursor *c, pytree_leaf *v, bool *subtree, pytree_status *status)
{
    int hops = 0;
    while ((v->form == PYTREE_FORM_REF || v->form == PYTREE_FORM_VIEW) && v->data != NULL) {
        if (v->form == PYTREE_FORM_REF) {
            const pytree t = *(const pytree *)v->data;
            if (t.type == NULL) {
                *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a tree, got a pytree without a type");
                return false;
            }
            pytree__view(v, pytree__origin(t.type), t.data);
            if (PYTREE__DEVICES && PYTREE__UNLIKELY(t.type->origin != NULL)) { pytree__meet_tree(c, v, t.type); }
        } else {
            const pytree_leaf *inner = (const pytree_leaf *)v->data;
            if (inner->type == NULL || inner->ndim < 0 || inner->ndim > PYTREE_MAX_DIMS
                || (inner->form > PYTREE_FORM_REF && (!PYTREE__DEVICES || inner->form != PYTREE_FORM_DEVICE))
                || inner->form == PYTREE_FORM_CUSTOM) {
                *status = pytree__fail_at(c, PYTREE_ARGUMENT,
                                          "expected a pytree_leaf with a type and 0 to %d dimensions, got %s and %d dimensions",
                                          PYTREE_MAX_DIMS, inner->type == NULL ? "no type" : inner->type->name, inner->ndim);
                return false;
            }
            if (inner->form == PYTREE_FORM_LEAF && inner->type->kind != PYTREE_KIND_LEAF) {
                pytree__view(v, pytree__origin(inner->type), inner->data);
            } else {
                memcpy(v, inner, sizeof *v);
                *subtree = v->form == PYTREE_FORM_FLAT || (PYTREE__DEVICES && v->form == PYTREE_FORM_DEVICE);
                if (PYTREE__DEVICES && v->form == PYTREE_FORM_DEVICE) { return pytree__check_device(c, v, status); }
            }
        }
        if (++hops > 100) {
            *status = pytree__fail_at(c, PYTREE_CYCLE, "expected a value, got a reference that leads to itself");
            return false;
        }
    }
    return true;
}

/* Checks a list, a fixed array or a map: a count that is possible, data that is there. */
static PYTREE__APART bool pytree__check_row(pytree__cursor *c, const pytree_leaf *v, pytree_status *status)
{
    const size_t size = v->form == PYTREE_FORM_MAP ? v->shape[1] : v->type->size;
    const size_t most = (size_t)PTRDIFF_MAX / (size == 0 ? 1 : size);
    if (v->shape[0] > most) {
        *status = pytree__fail_at(c, PYTREE_BAD_COUNT, "expected a count from 0 to %zu, got %lld", most,
                                  (long long)(ptrdiff_t)v->shape[0]);
        return false;
    }
    if (v->data == NULL && v->shape[0] != 0 && !c->making) {
        *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a list of %zu %s, got NULL", v->shape[0], v->type->name);
        return false;
    }
    return true;
}

/* Checks a pytree_flat, and makes a view of its root. */
static PYTREE__APART bool pytree__check_flat(pytree__cursor *c, pytree_leaf *v, pytree_status *status)
{
    const pytree_flat *flat = (const pytree_flat *)v->data;
    if (flat == NULL || flat->def == NULL || (flat->leaves == NULL && flat->def->n_leaves != 0)) {
        *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a treedef and leaves, got NULL");
        return false;
    }
    if (flat->def->n_nodes == 1 && flat->def->n_leaves == 1) { /* a leaf, or None as one */
        pytree__copy_view(v, &flat->leaves[0]);
        if (PYTREE__DEVICES && v->form == PYTREE_FORM_DEVICE) { pytree__meet_device(c); }
    } else if (flat->def->nodes[flat->def->n_nodes - 1].type->kind == PYTREE_KIND_NONE) {
        pytree__none_view(v);
    } else {
        v->shape[0] = flat->def->n_nodes - 1;
        v->shape[1] = 0;
        v->shape[2] = flat->def->n_orders;
    }
    return true;
}

/* Checks a struct, a container or a custom node. What pytree_allocate is to make is taken for zeros. */
static bool pytree__check_node(pytree__cursor *c, pytree_leaf *v, pytree_status *status)
{
    if (c->making && v->form == PYTREE_FORM_STRUCT && (v->data == NULL || v->data == PYTREE_WANTED)) {
        v->data = pytree__zeros();
        *status = pytree__template(c, v->type);
    } else if (v->data == NULL) {
        *status = pytree__fail_at(c, PYTREE_NULL_POINTER, "expected a %s, got NULL (OPTIONAL allows it)",
                                  pytree__origin(v->type)->name);
        return false;
    }
    return true;
}

/* Tells why nothing is known of a value: no CASE of a union has its tag, or a row gave no type for a pointer to void. */
static PYTREE__APART_CLANG pytree_status pytree__fail_unknown(pytree__cursor *c, const pytree_leaf *v)
{
    return v->type->dtype != PYTREE_OPAQUE
        ? pytree__fail_at(c, PYTREE_VALUE, "expected a tag that a CASE of the union has, got %lld",
                          (long long)(ptrdiff_t)v->shape[0])
        : pytree__fail_at(c, PYTREE_TYPE, "expected AS to give a registered type (of an array, one of numbers), got %s",
                          "another or NULL");
}

/* Follows a value to what stands behind it, and checks that. With a problem sink, what is not sound becomes None. */
static pytree_status pytree__resolve_view(pytree__cursor *c, pytree_leaf *v)
{
    pytree_status status = PYTREE_OK;
    bool subtree = false, sound = pytree__unbox(c, v, &subtree, &status);
    if (sound && !subtree) {
        switch (v->form) {
        case PYTREE_FORM_LEAF: sound = pytree__check_leaf(c, v, &status); break;
        case PYTREE_FORM_LIST:
        case PYTREE_FORM_TUPLE:
        case PYTREE_FORM_MAP: sound = pytree__check_row(c, v, &status); break;
        case PYTREE_FORM_NONE: pytree__none_view(v); break;
        case PYTREE_FORM_FLAT: sound = pytree__check_flat(c, v, &status); break;
        case PYTREE_FORM_CUSTOM:
            if (PYTREE__MORE_ROWS) { status = pytree__fail_unknown(c, v); sound = false; }
            break;
        default: sound = pytree__check_node(c, v, &status); break;
        }
    }
    if (!sound) { pytree__none_view(v); }
    return status;
}
#endif
