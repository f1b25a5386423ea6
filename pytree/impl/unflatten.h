/* pytree/impl/unflatten.h: unflatten: a new tree that refers to the given leaves. */
#ifndef PYTREE_IMPL_UNFLATTEN_H
#define PYTREE_IMPL_UNFLATTEN_H

#include "internal.h"

/* Fill slots of containers with leaves that the new tree refers to, with None and with containers of those, until another node
 * comes. */
static PYTREE__APART_CLANG void pytree__refer_items(struct pytree__builder *b)
{
    const size_t view_bytes = (sizeof(pytree_leaf) + 15) & ~(size_t)15;
    struct pytree__build_frame *top = &b->frames[b->n_frames - 1];
    const pytree_node *n = &b->def->nodes[b->next];
    const pytree_leaf *from = &b->leaves[b->leaf];
    pytree *at = (pytree *)(void *)top->at;
    char *place = b->base + b->head;
    size_t left = top->left;
    if (!pytree__build_validate_leaves(b)) { return; }
    for (; left != 0; left--) {
        pytree *chain = (pytree *)at->data;
        const pytree_type *const type = n[-1].type;
        if (type == NULL) {
            if (PYTREE__UNLIKELY(from[-1].form != PYTREE_FORM_LEAF)) { break; }
            from--;
            if (from->ndim != 0) {
                pytree__copy_view((pytree_leaf *)(void *)place, from);
                at->type = &pytree_types[PYTREE__T_view];
                at->data = place;
                place += view_bytes;
            } else {
                at->type = pytree__origin(from->type);
                at->data = from->data;
            }
        } else if (type->kind == PYTREE_KIND_NONE) {
            at->type = type;
            at->data = NULL;
        } else {
            if (pytree__namespaced(n - 1)) { break; }
            if (PYTREE__UNLIKELY(!b->keys_copied) && pytree__keyed(type)) {
                b->head = (size_t)(place - b->base);
                pytree__copy_keys(b);
                place = b->base + b->head;
            }
            at->type = type;
            at->data = place;
            chain = pytree__build_items(b, (size_t)(n - 1 - b->def->nodes), place, chain);
            if (PYTREE__UNLIKELY(b->status != PYTREE_OK)) { break; }
            place += (pytree__items_bytes(n - 1) + 15) & ~(size_t)15;
            left += n[-1].arity;
        }
        at = chain;
        n--;
    }
    b->head = (size_t)(place - b->base);
    top->at = (char *)at;
    top->left = left;
    b->next = (size_t)(n - b->def->nodes);
    b->leaf = (size_t)(from - b->leaves);
}

pytree pytree_unflatten(const pytree_def *def, size_t n, const pytree_leaf *leaves, const pytree_options *opt,
                        pytree_error *err)
{
    pytree t = { NULL, NULL };
    if (pytree__leaf_counts(def, n, leaves, err) == PYTREE_OK) {
        pytree__build_tree(&t, def, leaves, PYTREE__REFER, NULL, opt, err);
    }
    return t;
}
#endif
