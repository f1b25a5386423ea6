/* pytree/impl/device.h: walks over trees whose arrays lie on a device.
 *
 * Their structs hold plain pointers; the block that such a tree lies in has the range of its arrays, and the type of the tree's
 * root leads to the block. A walk that comes to such a root is no longer plain: it asks of each array whether it lies in the
 * range, and then gives it the form of a leaf on a device. Views in containers have that form already. No consumer takes such a
 * leaf for one that it may read. */
#ifndef PYTREE_IMPL_DEVICE_H
#define PYTREE_IMPL_DEVICE_H

#include "internal.h"

/* The options of a walk that has none and is not plain. */
static const pytree_options pytree__no_options = { false, NULL, NULL, NULL, 0, NULL, 0, NULL, NULL };

#if defined(PYTREE_SMALL)                 /* which no walk calls */
static void pytree__meet_device(pytree__cursor *c) { (void)c; }
static PYTREE__NOINLINE void pytree__meet_tree(pytree__cursor *c, pytree_leaf *v, const pytree_type *type)
{
    (void)c;
    (void)v;
    (void)type;
}
static PYTREE__APART_CLANG void pytree__see_device(pytree__cursor *c, pytree_leaf *v)
{
    (void)c;
    (void)v;
}
#else
/* Makes a walk ask of each value where it lies. */
static PYTREE__APART void pytree__meet_device(pytree__cursor *c)
{
    if (!c->met_device) { c->device = NULL; }
    c->met_device = true;
    c->plain = c->runs = false;
    if (c->opt == NULL) { c->opt = &pytree__no_options; }
}

/* Finds the block of a type that is the copy in it, if arrays of its tree lie on a device; otherwise NULL. */
static PYTREE__APART_CLANG const struct pytree__block *pytree__device_block(const pytree_type *type)
{
    const struct pytree__block *block;
    pytree t;
    t.type = type;
    t.data = (void *)(uintptr_t)type;     /* it is only compared with NULL */
    block = pytree__block_of_root(t);
    return block == NULL || block->device_bytes == 0 ? NULL : block;
}

/* Looks at a tree whose type is the copy in its block. Where arrays lie on a device, its view *v keeps that type until it is
 * taken. */
static PYTREE__NOINLINE void pytree__meet_tree(pytree__cursor *c, pytree_leaf *v, const pytree_type *type)
{
    const struct pytree__block *const block = pytree__device_block(type);
    if (block == NULL) { return; }
    pytree__meet_device(c);
    if (c->device == NULL) { c->device = block; }
    if (v->form == PYTREE_FORM_STRUCT || v->form == PYTREE_FORM_ITEMS) { v->type = type; }
}

/* Tells leaves on a device from others, in a walk that met one. */
static void pytree__see_device(pytree__cursor *c, pytree_leaf *v)
{
    if (v->form == PYTREE_FORM_LEAF) {
        if (v->ndim != 0 && v->type->dtype < PYTREE_STRING && c->device != NULL
            && (uintptr_t)v->data - (uintptr_t)c->device->device < c->device->device_bytes) {
            v->form = PYTREE_FORM_DEVICE;
        }
    } else if ((v->form == PYTREE_FORM_STRUCT || v->form == PYTREE_FORM_ITEMS) && v->type->origin != NULL) {
        const struct pytree__block *const block = pytree__device_block(v->type);
        if (block != NULL) { c->device = block; }
        v->type = v->type->origin;
    }
}

/* Tells whether leaves of a walk may be subtrees of a tree on a device. */
static bool pytree__hides_device(const pytree__cursor *c)
{
    return c->met_device && c->device != NULL && c->opt->is_leaf != NULL;
}
#endif

/* Checks a view of a leaf on a device. */
static PYTREE__NOINLINE bool pytree__check_device(pytree__cursor *c, const pytree_leaf *v, pytree_status *status)
{
    pytree_leaf here = *v;
    pytree__meet_device(c);
    if (v->type->kind == PYTREE_KIND_LEAF && v->type->dtype < PYTREE_STRING) {
        here.form = PYTREE_FORM_LEAF;     /* what holds for one, holds for the other */
        *status = pytree__resolve_view(c, &here);
        return here.form == PYTREE_FORM_LEAF;
    }
    *status = pytree__fail_at(c, PYTREE_TYPE, "expected an array of numbers on a device, got one of %s", v->type->name);
    return false;
}

/* Fails for values that are needed on the host. */
static PYTREE__NOINLINE pytree_status pytree__fail_device(const pytree__cursor *c, const pytree_leaf *leaf)
{
    char got[PYTREE__SIDE];
    pytree__leaf_text(got, sizeof got, leaf);
    return pytree__fail_at(c, PYTREE_ARGUMENT, "expected values on the host, got %s; pytree_clone downloads them", got);
}

/* Finds the node of a leaf. */
static size_t pytree__node_of_leaf(const pytree_def *def, size_t leaf)
{
    size_t node = 0;
    for (; def->nodes[node].type != NULL || leaf-- != 0; node++) {}
    return node;
}

/* Fails for a leaf on a device whose values are needed on the host. */
static PYTREE__NOINLINE pytree_status pytree__refuse_device(const char *path, const pytree_leaf *leaf, pytree_error *err)
{
    char got[PYTREE__SIDE];
    pytree__leaf_text(got, sizeof got, leaf);
    return pytree_fail(err, PYTREE_ARGUMENT, path, "expected values on the host, got %s; pytree_clone downloads them", got);
}

/* Fails if the values of some leaves lie on a device. Leaves that were read from structs by their rows alone do not. */
static inline pytree_status pytree__need_host(const pytree_def *def, const pytree_leaf *leaves, pytree_error *err)
{
    char path[PYTREE__PATH];
    size_t i;
    for (i = 0; !def->by_rows && i < def->n_leaves; i++) {
        if (leaves[i].form != PYTREE_FORM_DEVICE) { continue; }
        pytree__node_path(def, pytree__node_of_leaf(def, i), path, sizeof path);
        return pytree__refuse_device(path, &leaves[i], err);
    }
    return PYTREE_OK;
}

/* Fails if leaves of a walk over a tree on a device are subtrees, which a predicate has made leaves: their views do not tell
 * where the arrays below are. */
static PYTREE__NOINLINE pytree_status pytree__need_leaves(const pytree_def *def, const pytree_leaf *leaves, pytree_error *err)
{
    char path[PYTREE__PATH];
    size_t i;
    for (i = 0; i < def->n_leaves; i++) {
        if (leaves[i].form <= PYTREE_FORM_NONE || leaves[i].form == PYTREE_FORM_DEVICE) { continue; }
        pytree__node_path(def, pytree__node_of_leaf(def, i), path, sizeof path);
        return pytree_fail(err, PYTREE_ARGUMENT, path, "expected a leaf, because a subtree does not tell whether its arrays "
                           "lie on a device, got %.60s (in pytree_map is_leaf may make subtrees leaves)",
                           pytree__view_name(&leaves[i]));
    }
    return PYTREE_OK;
}

/* Fails if an iterator goes over a tree on a device, and has come to subtrees whose values are needed. */
static pytree_status pytree__need_host_below(const pytree_iter *it)
{
    size_t k;
    for (k = 0; k < it->n_cursors; k++) {
        if (!pytree__hides_device(&it->cursors[k])) { continue; }
        return pytree__fail_at(&it->cursors[0], PYTREE_ARGUMENT, "expected values on the host, got %.60s of a tree on a "
                               "device; pytree_clone downloads it", pytree__view_name(it->leaf[0]));
    }
    return PYTREE_OK;
}

/* Tell whether the host can read the values of a leaf: it is no shape without data, and not on a device. */
static inline bool pytree__readable(const pytree_leaf *leaf)
{
    return leaf->data != NULL && (!PYTREE__DEVICES || leaf->form != PYTREE_FORM_DEVICE);
}
#endif
