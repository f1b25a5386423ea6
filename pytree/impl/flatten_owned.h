/* pytree/impl/flatten_owned.h: flatten of containers that the library made in one block. */
#ifndef PYTREE_IMPL_FLATTEN_OWNED_H
#define PYTREE_IMPL_FLATTEN_OWNED_H

#include "internal.h"

/* The block of a tree of lists, tuples and dicts that was made in one piece; NULL: it is none, or the options may see it
 * otherwise. Its counts are those that it was made with. */
static const struct pytree__block *pytree__owned_block_of(pytree t, const pytree_options *opt)
{
    const struct pytree__block *block;
    if (t.type == NULL || t.type->origin == NULL || t.data == NULL || !pytree__plain_walk(opt)
        || (opt != NULL && opt->none_is_leaf)
        || (t.type->kind != PYTREE_KIND_LIST && t.type->kind != PYTREE_KIND_TUPLE && t.type->kind != PYTREE_KIND_DICT)) {
        return NULL;
    }
    block = (const struct pytree__block *)(const void *)((const char *)t.type - offsetof(struct pytree__block, type));
    return block->n_nodes == 0 ? NULL : block;
}

/* Fills a treedef of the block's counts, and leaves if they are wanted, in one run. False if the tree is not what it was made
 * as, or deeper than this goes: nothing was written beyond the counts, and the long way finds out. */
static bool pytree__flatten_owned(const struct pytree__block *block, pytree t, pytree_def *def, pytree_leaf *leaves)
{
    struct pytree__pass {
        const pytree_type *type;
        const pytree_items *items;
        const char *values;
        const uint32_t *order;
        size_t step, next, nodes, leaves;
    } stack[PYTREE__OWNED_DEPTH], *top = stack;
    pytree_node *nodes = (pytree_node *)(uintptr_t)def->nodes;
    unsigned char *statics = (unsigned char *)(uintptr_t)def->statics;
    uint32_t *orders = (uint32_t *)(uintptr_t)def->orders;
    const pytree_node leaf = { NULL, 0, 1, 1, 0 };
    size_t n = 0, k = 0, n_statics = 0, n_orders = 0;
    const unsigned char *run = statics;   /* keys that lie behind one another are copied at once: from here, so many bytes */
    size_t n_run = 0;
    const pytree *item = &t;
    for (;;) {
        const pytree_items *items = (const pytree_items *)item->data;
        const bool dict = item->type->kind == PYTREE_KIND_DICT;
        if (top == stack + PYTREE__OWNED_DEPTH || items == NULL
            || (dict ? items->packed : (const unsigned char *)items->items) == NULL) {
            return false;
        }
        top->type = pytree__origin(item->type);
        top->items = items;
        top->order = dict ? items->order : NULL;
        top->step = !dict ? sizeof(pytree) : items->int_pairs != NULL ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
        top->values = !dict                      ? (const char *)items->items
                      : items->int_pairs != NULL ? (const char *)items->int_pairs + offsetof(pytree_int_pair, value)
                                                 : (const char *)items->pairs + offsetof(pytree_pair, value);
        top->next = 0;
        top->nodes = n;
        top->leaves = k;
        for (;;) {                        /* its children, until one is a container; then its end and the one's below it */
            const char *const values = top->values;
            const uint32_t *const order = top->order;
            const size_t step = top->step, count = top->items->count;
            size_t i;
            for (i = top->next; i < count; i++) {
                if (PYTREE__UNLIKELY(n == block->n_nodes)) { return false; }
                item = (const pytree *)(const void *)(values + (order == NULL ? i : order[i]) * step);
                if (PYTREE__UNLIKELY(item->type == NULL)) { return false; }
                if (item->type->kind == PYTREE_KIND_VIEW) {
                    const pytree_leaf *view = (const pytree_leaf *)item->data;
                    if (PYTREE__UNLIKELY(view == NULL || view->form != PYTREE_FORM_LEAF || view->type == NULL
                                         || view->type->kind != PYTREE_KIND_LEAF || !pytree__view_is_valid(view)
                                         || k == block->n_leaves)) {
                        return false;
                    }
                    if (leaves != NULL) { pytree__copy_view(&leaves[k], view); }
                    k++;
                    nodes[n] = leaf;
                } else if (item->type->kind == PYTREE_KIND_LEAF) {
                    if (PYTREE__UNLIKELY(item->data == NULL || item->type->dtype == PYTREE_STRING || k == block->n_leaves)) {
                        return false;
                    }
                    if (leaves != NULL) { pytree__view(&leaves[k], item->type, item->data); }
                    k++;
                    nodes[n] = leaf;
                } else if (item->type->kind == PYTREE_KIND_NONE) {
                    nodes[n] = leaf;
                    nodes[n].type = &pytree_types[PYTREE__T_none];
                    nodes[n].leaves = 0;
                } else {
                    break;
                }
                n++;
            }
            if (i < count) {
                if (item->type->kind != PYTREE_KIND_LIST && item->type->kind != PYTREE_KIND_TUPLE
                    && item->type->kind != PYTREE_KIND_DICT) {
                    return false;
                }
                top->next = i + 1;
                top++;
                break;
            }
            if (n == block->n_nodes) { return false; }
            nodes[n].type = top->type;
            nodes[n].arity = (uint32_t)count;
            nodes[n].leaves = (uint32_t)(k - top->leaves);
            nodes[n].nodes = (uint32_t)(n - top->nodes + 1);
            nodes[n].meta = (uint32_t)n_statics;
            if (top->type->kind == PYTREE_KIND_DICT) {
                const size_t bytes = top->items->packed_bytes;
                if (bytes > block->n_statics - n_statics || (order != NULL && count + 1 > block->n_orders - n_orders)) {
                    return false;
                }
                if (top->items->packed != run + n_run) {
                    if (n_run != 0) { memcpy(statics + n_statics - n_run, run, n_run); }
                    run = top->items->packed;
                    n_run = 0;
                }
                n_run += bytes;
                n_statics += bytes;
                if (order != NULL) {
                    memcpy(orders + n_orders, order, count * sizeof *order);
                    orders[n_orders + count] = (uint32_t)n;
                    n_orders += count + 1;
                }
            }
            n++;
            if (top == stack) {
                if (n_run != 0) { memcpy(statics + n_statics - n_run, run, n_run); }
                return n == block->n_nodes && k == block->n_leaves && n_statics == block->n_statics
                    && n_orders == block->n_orders;
            }
            top--;
        }
    }
}
#endif
