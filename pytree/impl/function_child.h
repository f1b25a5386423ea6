/* pytree/impl/function_child.h: for transforms: functions bound below functions, and their memory. */
#ifndef PYTREE_IMPL_FUNCTION_CHILD_H
#define PYTREE_IMPL_FUNCTION_CHILD_H

#include "function_plan.h"

/* Gives a leaf data of its own, zeroed and aligned; nothing if no data is needed. */
static pytree_status pytree__fn_data(struct pytree__fn_plan *plan, pytree_leaf *leaf)
{
    const size_t align = plan->align, bytes = pytree_leaf_bytes(leaf);
    char *p;
    if (plan->shapes_only) { return PYTREE_OK; }
    p = (char *)pytree__fn_take(plan, pytree__plus(bytes, align), 1);
    if (p == NULL) { return PYTREE_NO_MEMORY; }
    leaf->data = p + (align - (uintptr_t)p % align) % align;
    return PYTREE_OK;
}

/* Does f know what it gives? */
static bool pytree__fn_says(const pytree_fn *f)
{
    return f != NULL && (f->kind != NULL ? f->kind->says(f) : f->shape != NULL);
}

/* Makes a function to be bound below b, with room for the views of all arguments. If `def` is not NULL, its result is known,
 * and there is room for the result's views, too. Returns NULL with an error if there is no memory. */
static struct pytree__fn_bound *pytree__fn_child(const struct pytree__fn_bound *b, const pytree_fn *f, size_t n_args,
                                                 const pytree_def *const *defs, const pytree_def *def)
{
    struct pytree__fn_bound *c;
    size_t k;
    if (f == NULL) {
        (void)pytree__fn_fail(b, PYTREE_ARGUMENT, NULL, 0, "expected a function, got NULL");
        return NULL;
    }
    c = pytree__fn_bound_new(b->plan, f, n_args, defs, def);
    if (c == NULL) { return NULL; }
    c->err = b->err;
    c->in_first = (size_t *)pytree__fn_take(b->plan, n_args + 1, sizeof *c->in_first);
    if (c->in_first == NULL) { return NULL; }
    for (k = 0; k < n_args; k++) { c->in_first[k + 1] = c->in_first[k] + defs[k]->n_leaves; }
    c->n_in = c->in_first[n_args];
    c->in = (pytree_leaf *)pytree__fn_take(b->plan, c->n_in, sizeof *c->in);
    if (def != NULL) {
        c->n_out = def->n_leaves;
        c->out = (pytree_leaf *)pytree__fn_take(b->plan, c->n_out, sizeof *c->out);
    }
    return c->in == NULL || (def != NULL && c->out == NULL) ? NULL : c;
}
#endif
