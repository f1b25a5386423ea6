/* pytree/impl/map.h: map over trees of equal structure. */
#ifndef PYTREE_IMPL_MAP_H
#define PYTREE_IMPL_MAP_H

#include "internal.h"

/* Goes over all trees once to find what is wrong with them. Leaves of an output, which is the last tree, must be leaves. */
static PYTREE__APART_CLANG pytree_status pytree__map_check(pytree_iter *it, size_t n, bool out, struct pytree__pattern *pattern)
{
    while (it->status == PYTREE_OK
           && (n == 1 ? pytree__advance(it, 1, true, NULL) : pytree__advance_some(it, true, pattern))) {
        if (out && !pytree_is_leaf(it->leaf[n - 1]) && it->leaf[0]->form != it->leaf[n - 1]->form) {
            it->status = pytree__fail_at(&it->cursors[0], PYTREE_STRUCTURE, "expected a leaf in the output, got a %s",
                                         pytree__node_type(it->leaf[n - 1])->name);
        }
    }
    return it->status;
}

/* Calls the function for the leaf at hand and for the rest of its run. Pointers to views are kept in registers: if they were
 * incremented in the iterator, each leaf would wait for the store of the one before it. */
PYTREE__INLINE pytree_status pytree__map_run(pytree_iter *it, const size_t n, pytree_map_fn *fn, void *context, const bool out)
{
    pytree__cursor *const c = it->cursors;
    const pytree_leaf **const views = it->views;
    const pytree_leaf *x = views[0], *y = views[n > 1 ? 1 : 0], *z = views[n > 2 ? 2 : 0], *w = views[n > 3 ? 3 : 0];
    size_t k;
    for (;;) {
        pytree_status status;
        if (out) { it->out = it->leaf[n - 1]; }
        status = fn(context, it);
        if (status != PYTREE_OK || c->of.run_left == 0) { return status; }
        c->of.run_left--;
        it->index++;
        switch (PYTREE__LAYOUTS ? n : SIZE_MAX) {              /* gcc would leave a loop as it is */
        case 4: views[3] = ++w;           /* fallthrough */
        case 3: views[2] = ++z;           /* fallthrough */
        case 2: views[1] = ++y;           /* fallthrough */
        case 1: views[0] = ++x; break;
        default: for (k = 0; k < n; k++) { views[k]++; }
        }
    }
}

/* Does so for any number of trees. */
static PYTREE__APART pytree_status pytree__map_run_some(pytree_iter *it, pytree_map_fn *fn, void *context, bool out)
{
    return pytree__map_run(it, it->n_cursors, fn, context, out);
}

/* Calls the function for every leaf of trees that were checked. */
static pytree_status pytree__map_all(pytree_iter *it, pytree_map_fn *fn, void *context, const bool out,
                                     struct pytree__pattern *pattern)
{
    const size_t n = it->n_cursors;
    pytree_status status = PYTREE_OK;
    while (status == PYTREE_OK
           && (n == 1 ? pytree__advance(it, 1, false, NULL)
               : PYTREE__LAYOUTS && n == 4 ? pytree__advance(it, 4, false, pattern)
                                           : pytree__advance_some(it, false, pattern))) {
        switch (n) {
        case 1: status = pytree__map_run(it, 1, fn, context, false); break;
        case 2: status = pytree__map_run(it, 2, fn, context, out); break;
        case 4: status = out ? pytree__map_run(it, 4, fn, context, true) : pytree__map_run(it, 4, fn, context, false); break;
        default: status = pytree__map_run_some(it, fn, context, out); break;
        }
        if (status != PYTREE_OK && it->cursors[0].err != NULL && it->cursors[0].err->status == PYTREE_OK) {
            status = pytree__fail_at(&it->cursors[0], status, "stopped by the callback at leaf %zu", it->index);
        }
    }
    return status == PYTREE_OK ? it->status : status;
}

/* Tells whether the leaves of all trees are the leaf arrays of a pytree_flat, and those are of one structure. */
static bool pytree__map_zips(const pytree_iter *it)
{
    const pytree__cursor *const c = it->cursors;
    const pytree_flat *first = NULL;
    size_t k, i;
    for (k = 0; k < it->n_cursors; k++) {
        const pytree_flat *flat;
        if (c[k].root.form != PYTREE_FORM_FLAT || !c[k].plain || c[k].none_is_leaf) { return false; }
        flat = (const pytree_flat *)c[k].root.data;
        if (c[k].root.shape[0] + 1 != flat->def->n_nodes) { return false; }    /* part of one */
        if (k == 0) { first = flat; }
        if (flat->def != first->def && !pytree_def_equal(flat->def, first->def)) { return false; }
        for (i = 0; i < flat->def->n_leaves && flat->leaves[i].form == PYTREE_FORM_LEAF; i++) {}
        if (i < flat->def->n_leaves) { return false; }         /* None, or a subtree */
    }
    return true;
}

/* Calls the function for the leaves of such trees. */
static PYTREE__APART_CLANG pytree_status pytree__map_zipped(pytree_iter *it, pytree_map_fn *fn, void *context, const bool out)
{
    pytree__cursor *const c = it->cursors;
    const size_t n = it->n_cursors, n_leaves = ((const pytree_flat *)c->root.data)->def->n_leaves;
    pytree_status status = PYTREE_OK;
    size_t k;
    if (n_leaves == 0) { return PYTREE_OK; }
    it->zipped = true;
    it->index = 0;
    for (k = 0; k < n; k++) { it->views[k] = ((const pytree_flat *)c[k].root.data)->leaves; }
    c->of.run_left = n_leaves - 1;        /* all are one run */
    status = n == 4 ? pytree__map_run(it, 4, fn, context, out) : pytree__map_run_some(it, fn, context, out);
    if (c->status != PYTREE_OK) { return c->status; }          /* no memory for a path */
    if (status != PYTREE_OK && c->err != NULL && c->err->status == PYTREE_OK) {
        pytree__iter_seek(it);
        status = c->status != PYTREE_OK ? c->status
                                        : pytree__fail_at(c, status, "stopped by the callback at leaf %zu", it->index);
    }
    return status;
}

pytree_status pytree_map(pytree_map_fn *fn, void *context, const pytree *out, size_t n, const pytree *trees,
                         const pytree_options *opt, pytree_error *err)
{
    pytree few[PYTREE__TREES], *all = few;
    pytree_leaf views[PYTREE__MORE_VIEWS];
    size_t count = pytree__plus(n, out != NULL), k;
    pytree_iter it;
    struct pytree__pattern pattern, *const patterns = PYTREE__LAYOUTS && count <= 4 ? &pattern : NULL;
    pytree_status status;
    if (fn == NULL || n == 0 || trees == NULL) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a function and at least one tree, got NULL or none");
    }
    if (count > PYTREE__TREES) {
        all = (pytree *)pytree__resize(pytree__allocator(opt), NULL, 0, pytree__times(count, sizeof *all));
        if (all == NULL) { return pytree__no_memory(err, pytree__times(count, sizeof *all)); }
    }
    for (k = 0; k < n; k++) { all[k] = trees[k]; }
    if (out != NULL) { all[n] = *out; }
    status = pytree__iter_start(&it, views, count, all, opt, err);
    it.up_to = true;
    if (PYTREE__LAYOUTS) { pytree__pattern_init(&pattern); }
    if (status == PYTREE_OK && PYTREE__CONTAINERS && pytree__map_zips(&it)) {
        it.n = n;
        status = pytree__map_zipped(&it, fn, context, out != NULL);
    } else {
        if (status == PYTREE_OK) { status = pytree__map_check(&it, count, out != NULL, patterns); }
        it.n = n;
        if (status == PYTREE_OK) { status = pytree__iter_again(&it, all); }
        if (status == PYTREE_OK) { status = pytree__map_all(&it, fn, context, out != NULL, patterns); }
    }
    pytree_iter_end(&it);
    if (all != few) { pytree__resize(pytree__allocator(opt), all, count * sizeof *all, 0); }
    return status;
}
#endif
