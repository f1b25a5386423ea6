/* pytree/impl/derive_apply.h: functions called from bodies. */
#ifndef PYTREE_IMPL_DERIVE_APPLY_H
#define PYTREE_IMPL_DERIVE_APPLY_H

#include "derive_jacobian.h"

/* Flattens the arguments of a call in a body: treedefs, values and their views. */
static bool pytree__apply_arguments(pytree_trace *tr, size_t n, const pytree *args, const pytree_def **defs, pytree_value **ids,
                                    pytree_leaf **views)
{
    const pytree_value **parts = (const pytree_value **)pytree__ad_take(tr, n, sizeof *parts);
    size_t k, i, n_in = 0, at = 0;
    if (parts == NULL) { return false; }
    for (k = 0; k < n; k++) {
        parts[k] = pytree__tree_values(tr, args[k], &defs[k]);
        if (parts[k] == NULL) { return false; }
        n_in += defs[k]->n_leaves;
    }
    *ids = (pytree_value *)pytree__ad_take(tr, n_in, sizeof **ids);
    *views = (pytree_leaf *)pytree__ad_take(tr, n_in, sizeof **views);
    if (*ids == NULL || *views == NULL) { return false; }
    for (k = 0; k < n; k++) {
        for (i = 0; i < defs[k]->n_leaves; i++, at++) {
            (*ids)[at] = parts[k][i];
            (*views)[at] = *tr->recorder->values[parts[k][i].id];
        }
    }
    return true;
}

pytree pytree_op_apply(pytree_trace *tr, const pytree_fn *f, size_t n, const pytree *args)
{
    struct pytree__fn_plan *plan = tr->recorder->arena;
    const pytree_def **defs = (const pytree_def **)pytree__fn_take(plan, n, sizeof *defs);
    struct pytree__fn_bound *above = pytree__fn_bound_new(plan, f, 0, NULL, NULL), *b;
    const pytree_program *p;
    pytree_value *ids, *out;
    pytree_leaf *views;
    pytree result = { NULL, NULL };
    size_t k;
    if (f == NULL && tr->err->status == PYTREE_OK) {
        (void)pytree_fail(tr->err, PYTREE_ARGUMENT, NULL, "%s: expected a function, got NULL", tr->recorder->name);
    }
    if (tr->err->status != PYTREE_OK || !pytree__apply_arguments(tr, n, args, defs, &ids, &views)) { return result; }
    b = pytree__ad_bind(above, f, n, defs, views, NULL, NULL);
    p = b == NULL ? NULL : pytree__pg_of(b);
    out = p == NULL ? NULL : pytree__pg_inline(tr, p, ids);
    if (out == NULL) { return result; }
    for (k = 0; k < p->n_out; k++) {
        if (out[k].id == 0) { out[k] = pytree__pg_constant(tr, pytree__pg_view(plan, p->out_views[k])); }
    }
    (void)pytree__value_tree(plan, b->def, out, &result);
    return result;
}

#include "derive_data.h"
#endif
