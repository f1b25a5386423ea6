/* pytree/impl/partition.h: partition, combine, replace_none. */
#ifndef PYTREE_IMPL_PARTITION_H
#define PYTREE_IMPL_PARTITION_H

#include "transpose.h"

/* ---- Partition ----------------------------------------------------------------------------------------------------- */

/* Make a view of a tree, so that it can stand at a leaf. */
static pytree_status pytree__alg_view(pytree t, pytree_leaf *view, const pytree_options *opt, pytree_error *err)
{
    pytree__cursor c;
    pytree__cursor_space stacks;
    pytree_status status;
    pytree__cursor_init(&c, &stacks, opt, err);
    status = pytree__cursor_root(&c, t);
    memset(view, 0, sizeof *view);
    if (status == PYTREE_OK) { pytree__alg_subtree(view, &c.root); }
    pytree__cursor_end(&c);
    return status;
}

pytree_status pytree_partition(pytree t, pytree_filter_fn *pass, void *context, pytree fill, pytree_flat *passing,
                               pytree_flat *failing, const pytree_options *opt, pytree_error *err)
{
    pytree_flat parts[2];                 /* the first begins as the whole tree; failing leaves move to the second */
    pytree_leaf *leaves[2], hole;
    pytree_error own;
    pytree_iter it;
    if (pass == NULL) { return pytree__alg_argument("a function that chooses leaves", err); }
    own.status = PYTREE_OK;
    parts[0] = parts[1] = pytree__alg_flat(NULL, NULL);
    parts[0] = pytree__alg_flatten(t, opt, &own);
    leaves[0] = (pytree_leaf *)(uintptr_t)parts[0].leaves;
    if (own.status == PYTREE_OK) {
        parts[1].def = pytree__alg_copy(parts[0].def, 0, &leaves[1], opt, &own);
        parts[1].leaves = leaves[1];
    }
    if (own.status == PYTREE_OK && pytree__alg_view(fill, &hole, opt, &own) == PYTREE_OK) {
        (void)pytree_iter_begin(&it, 1, &t, opt, &own);
        while (pytree_iter_next(&it) && it.index < parts[0].def->n_leaves) {
            pytree_leaf *leaf = &leaves[0][it.index], *other = &leaves[1][it.index];
            const bool passes = pass(context, &it);
            pytree__copy_view(other, passes ? &hole : leaf);
            if (!passes) { pytree__copy_view(leaf, &hole); }
        }
        pytree_iter_end(&it);
    }
    if (passing == NULL || own.status != PYTREE_OK) { pytree_flat_free(&parts[0]); }
    if (failing == NULL || own.status != PYTREE_OK) { pytree_flat_free(&parts[1]); }
    if (passing != NULL) { *passing = parts[0]; }
    if (failing != NULL) { *failing = parts[1]; }
    return pytree__alg_status(&own, err);
}

pytree_flat pytree_combine(size_t n, const pytree *trees, const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, true);
    pytree_flat all = pytree__alg_flat(NULL, NULL);
    pytree_leaf *leaves, *views;
    size_t i, k, n_leaves;
    pytree_status status = PYTREE_OK;
    if (n == 0 || trees == NULL) {
        pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected at least one tree, got none");
        return all;
    }
    all = pytree__alg_flatten(trees[0], &mine, err);
    if (all.def == NULL) { return all; }
    leaves = (pytree_leaf *)(uintptr_t)all.leaves;
    n_leaves = all.def->n_leaves;
    views = (pytree_leaf *)pytree__array_new(n_leaves, sizeof *views, pytree__allocator(opt), err);
    for (k = 1; k < n && views != NULL && status == PYTREE_OK; k++) {
        status = pytree_flatten_up_to(all.def, trees[k], views, n_leaves, &mine, err);
        for (i = 0; i < n_leaves && status == PYTREE_OK; i++) {
            if (leaves[i].form == PYTREE_FORM_NONE) { pytree__copy_view(&leaves[i], &views[i]); }
        }
    }
    if (views == NULL || status != PYTREE_OK) { pytree_flat_free(&all); }
    pytree__array_free(views, n_leaves, sizeof *views, pytree__allocator(opt));
    return pytree__alg_settle(all, opt, err);
}

pytree_flat pytree_replace_none(pytree t, pytree with, const pytree_options *opt, pytree_error *err)
{
    const pytree_options mine = pytree__alg_options(opt, true);
    pytree_flat all = pytree__alg_flat(NULL, NULL);
    pytree_leaf *leaves, view;
    size_t i;
    if (pytree__alg_view(with, &view, opt, err) == PYTREE_OK) { all = pytree__alg_flatten(t, &mine, err); }
    leaves = (pytree_leaf *)(uintptr_t)all.leaves;
    for (i = 0; all.def != NULL && i < all.def->n_leaves; i++) {
        if (leaves[i].form == PYTREE_FORM_NONE) { pytree__copy_view(&leaves[i], &view); }
    }
    return pytree__alg_settle(all, opt, err);
}

#include "diff.h"
#endif
