/* pytree/impl/transform_axes.h: axes: prefixes of integers, sizes along them, elements along any axis. */
#ifndef PYTREE_IMPL_TRANSFORM_AXES_H
#define PYTREE_IMPL_TRANSFORM_AXES_H

#include "function_child.h"
#include "../transform.h"

/* Takes an axis out of a shape. */
static void pytree__tf_drop_axis(pytree_leaf *v, int axis)
{
    int i;
    for (i = axis; i + 1 < v->ndim; i++) { v->shape[i] = v->shape[i + 1]; }
    v->ndim--;
}

/* Puts an axis of n elements into a shape. */
static void pytree__tf_add_axis(pytree_leaf *v, int axis, size_t n)
{
    int i;
    for (i = v->ndim++; i > axis; i--) { v->shape[i] = v->shape[i - 1]; }
    v->shape[axis] = n;
}

/* ---- Prefixes of axes ---------------------------------------------------------------------------------------------- */

enum { PYTREE__TF_NOT_MAPPED = INT_MIN };

/* Checks that the leaves of a tree of axes are integers or None. */
static pytree_status pytree__tf_check_axes(const struct pytree__fn_bound *b, pytree axes, const char *label)
{
    pytree_options options = b->plan->tree;
    pytree_status status = PYTREE_OK;
    pytree_iter it;
    options.none_is_leaf = true;
    if (pytree_iter_begin(&it, 1, &axes, &options, b->err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            const pytree_leaf *leaf = it.leaf[0];
            char path[PYTREE__PATH], got[PYTREE__SIDE];
            struct pytree__text_writer to;
            if (leaf->form == PYTREE_FORM_NONE
                || (leaf->ndim == 0 && leaf->type->dtype >= PYTREE_I8 && leaf->type->dtype <= PYTREE_U64)) {
                continue;
            }
            pytree_iter_path_text(&it, path, sizeof path);
            to = pytree__text_to(got, sizeof got, NULL);
            if (leaf->ndim == 0) { pytree__put_value(&to, leaf, 0); }
            pytree__end_text(&to, sizeof got);
            if (leaf->ndim != 0) { pytree__leaf_text(got, sizeof got, leaf); }
            status = pytree__fn_fail_at(b, PYTREE_TYPE, path, "%s: expected an integer or None, got %s", label, got);
        }
    }
    pytree_iter_end(&it);
    return it.status != PYTREE_OK ? it.status : status;
}

/* Reports all places where a tree of axes is no prefix, or that memory ran out where it is one. */
static pytree_status pytree__tf_no_prefix(const struct pytree__fn_bound *b, pytree axes, const pytree_def *full,
                                          const char *label, const pytree_options *options)
{
    const size_t skipped = strlen(label);
    pytree_prefix_error_list *list = pytree_prefix_errors(axes, full, label, options, b->err);
    size_t i;
    for (i = 0; list != NULL && i < list->n; i++) {            /* the message begins with label and path */
        const pytree_prefix_error *wrong = &list->errors[i];
        const char *message = wrong->message + skipped + strlen(wrong->path);
        (void)pytree__fn_fail_at(b, PYTREE_STRUCTURE, wrong->path, "%s%s", label, message);
    }
    pytree_prefix_errors_free(list);
    if (b->err->status != PYTREE_OK) { return b->err->status; }
    return pytree__fn_fail(b, PYTREE_NO_MEMORY, NULL, 0, "expected memory, got none");     /* it is a prefix */
}

/* Spreads a tree of axes over a structure: axes[i] is that of leaf i, or PYTREE__TF_NOT_MAPPED. No tree: axis 0 for all. */
static pytree_status pytree__tf_spread(const struct pytree__fn_bound *b, pytree tree, const pytree_def *full, const char *label,
                                       int *axes)
{
    pytree_options options = b->plan->tree;
    pytree_leaf *leaves;
    pytree_status status;
    size_t i;
    if (tree.type == NULL) { return PYTREE_OK; }               /* zeros already */
    options.none_is_leaf = true;
    leaves = (pytree_leaf *)pytree__fn_take(b->plan, full->n_leaves, sizeof *leaves);
    if (leaves == NULL) { return PYTREE_NO_MEMORY; }
    status = pytree__tf_check_axes(b, tree, label);
    if (status != PYTREE_OK) { return status; }
    status = pytree_broadcast_leaves(tree, full, leaves, full->n_leaves, label, &options, NULL);
    if (status != PYTREE_OK) { return pytree__tf_no_prefix(b, tree, full, label, &options); }
    for (i = 0; i < full->n_leaves; i++) {
        axes[i] = leaves[i].form == PYTREE_FORM_NONE ? PYTREE__TF_NOT_MAPPED : (int)pytree_leaf_get(&leaves[i], 0);
    }
    return PYTREE_OK;
}

/* in_axes: an integer, None, or a tuple (or list) with an entry for each argument. */
static pytree_status pytree__tf_in_axes(const struct pytree__fn_bound *b, pytree tree, int *axes)
{
    const pytree to = pytree__referent(tree);
    pytree_def *full;
    if (tree.type == NULL) { return PYTREE_OK; }
    if (to.type != NULL && pytree__origin(to.type) == &pytree_types[PYTREE__T_list]) {
        tree.type = &pytree_types[PYTREE__T_tuple];
        tree.data = to.data;
    }
    full = pytree_def_tuple(b->n_args, b->defs, &b->plan->tree, b->err);
    return full == NULL ? pytree__fn_trouble(b) : pytree__tf_spread(b, tree, full, "in_axes", axes);
}

/* ---- Elements along an axis ----------------------------------------------------------------------------------------
 *
 * The elements of a leaf along its first axis lie one after the other: a pointer moves. Elements along another axis are
 * gathered into a tile, several at a time, so that each cache line is touched once; results are scattered from it.
 */
struct pytree__tf_move {
    pytree_leaf *leaf;                    /* of the bound function: its data moves */
    const pytree_leaf *whole;
    size_t step;                          /* bytes from one element to the next */
    size_t outer, inner;                  /* of a tile: pieces of an element, bytes of a piece; outer 0: the pointer moves */
    size_t tile;                          /* elements */
    char *memory;
};

/* Prepares the elements of `whole` along an axis. `all`: one tile has all elements. */
static pytree_status pytree__tf_move_init(struct pytree__fn_plan *plan, struct pytree__tf_move *move, pytree_leaf *leaf,
                                          const pytree_leaf *whole, int axis, bool all)
{
    const size_t n = whole->shape[axis];
    size_t outer = 1, inner = whole->type->size;
    pytree_leaf memory;
    int i;
    pytree_status status;
    for (i = 0; i < axis; i++) { outer *= whole->shape[i]; }
    for (i = axis + 1; i < whole->ndim; i++) { inner *= whole->shape[i]; }
    move->leaf = leaf;
    move->whole = whole;
    move->step = outer * inner;
    if (outer == 1 || move->step == 0) { return PYTREE_OK; }
    move->outer = outer;
    move->inner = inner;
    move->tile = all ? n : inner >= 64 ? 1 : 64 / inner;
    if (move->tile > n) { move->tile = n; }
    memset(&memory, 0, sizeof memory);
    memory.type = &pytree_types[PYTREE__T_uchar];
    memory.ndim = 2;
    memory.shape[0] = move->tile;
    memory.shape[1] = move->step;
    status = pytree__fn_data(plan, &memory);
    move->memory = (char *)memory.data;
    return status;
}

/* Copies elements i, i + 1 ... of a tile, at most those before `end`: from the whole leaf, or back to it. */
static void pytree__tf_copy_tile(const struct pytree__tf_move *m, size_t n, size_t i, size_t end, bool back)
{
    const size_t count = end - i < m->tile ? end - i : m->tile;
    size_t o, t;
    for (o = 0; o < m->outer; o++) {
        char *far = (char *)m->whole->data + (o * n + i) * m->inner, *near = m->memory + o * m->inner;
        for (t = 0; t < count; t++, far += m->inner, near += m->step) {
            if (back) { memcpy(far, near, m->inner); } else { memcpy(near, far, m->inner); }
        }
    }
}

#include "transform_vmap.h"
#endif
