/* pytree/impl/flatten_owned.h: treedef and leaves of containers that the library made in one block.
 *
 * A traversal of its own, beside the cursor, for pytree_flatten, pytree_structure, pytree_leaves and pytree_num_leaves. The
 * cursor cannot yield such a tree as a run: a run is what one generated call writes, and each item of a dict is a view that
 * must be taken, checked and written by itself. What is saved here is saved in that loop, in which an item is four
 * comparisons and a copy: no frame of a hundred bytes, no view of the item in between, no question about predicates,
 * namespaces and sorted keys; and the counts, the packed keys and the order of a dict stand in the block. For other
 * consumers the cursor would need this loop once more, around what each does with a leaf. */
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

/* A container whose children are being visited. */
struct pytree__owned_frame {
    const pytree_type *type;
    const pytree_items *items;
    const char *values;
    const uint32_t *order;
    size_t step, next, nodes, leaves;
};

/* A pass that fills a treedef, an array of leaves, or both. Nothing is written beyond the block's counts. */
struct pytree__owned_pass {
    const struct pytree__block *block;    /* the counts */
    pytree_node *node;                    /* NULL: no treedef is wanted */
    pytree_leaf *leaf;                    /* NULL: not wanted */
    unsigned char *statics;
    uint32_t *orders;
    size_t n_nodes, n_leaves, n_statics, n_orders;         /* so far */
    const unsigned char *keys;            /* packed keys that lie behind one another are copied at once: from here, */
    size_t n_keys;                        /* so many bytes */
    struct pytree__owned_frame stack[PYTREE__OWNED_DEPTH], *top;
};

/* Puts a container on the stack. Returns false if it is not as it was made, or too deep. */
PYTREE__INLINE bool pytree__owned_open(struct pytree__owned_pass *w, const pytree *item)
{
    const pytree_items *const items = (const pytree_items *)item->data;
    const bool dict = item->type->kind == PYTREE_KIND_DICT;
    struct pytree__owned_frame *const f = w->top;
    if (f == w->stack + PYTREE__OWNED_DEPTH || items == NULL
        || (dict ? items->packed : (const unsigned char *)items->items) == NULL) {
        return false;
    }
    f->type = pytree__origin(item->type);
    f->items = items;
    f->order = dict ? items->order : NULL;
    f->step = !dict ? sizeof(pytree) : items->int_pairs != NULL ? sizeof(pytree_int_pair) : sizeof(pytree_pair);
    f->values = !dict                      ? (const char *)items->items
                : items->int_pairs != NULL ? (const char *)items->int_pairs + offsetof(pytree_int_pair, value)
                                           : (const char *)items->pairs + offsetof(pytree_pair, value);
    f->next = 0;
    f->nodes = w->n_nodes;
    f->leaves = w->n_leaves;
    return true;
}

/* Writes a node without children. */
PYTREE__INLINE void pytree__owned_node(struct pytree__owned_pass *w, const pytree_type *type, uint32_t leaves)
{
    const pytree_node node = { type, 0, leaves, 1, 0 };
    if (w->node != NULL) { w->node[w->n_nodes] = node; }
    w->n_nodes++;
}

/* Writes a leaf or None. Returns false if it is something else, or more than there was. */
PYTREE__INLINE bool pytree__owned_leaf(struct pytree__owned_pass *w, const pytree *item)
{
    const pytree_leaf *const view = (const pytree_leaf *)item->data;
    if (item->type->kind == PYTREE_KIND_NONE) {
        pytree__owned_node(w, &pytree_types[PYTREE__T_none], 0);
        return true;
    }
    if (item->type->kind == PYTREE_KIND_VIEW) {
        if (PYTREE__UNLIKELY(view == NULL || view->form != PYTREE_FORM_LEAF || view->type == NULL
                             || view->type->kind != PYTREE_KIND_LEAF || !pytree__view_is_valid(view)
                             || w->n_leaves == w->block->n_leaves)) {
            return false;
        }
        if (w->leaf != NULL) { pytree__copy_view(&w->leaf[w->n_leaves], view); }
    } else if (item->type->kind == PYTREE_KIND_LEAF) {
        if (PYTREE__UNLIKELY(item->data == NULL || item->type->dtype == PYTREE_STRING || w->n_leaves == w->block->n_leaves)) {
            return false;
        }
        if (w->leaf != NULL) { pytree__view(&w->leaf[w->n_leaves], pytree__origin(item->type), item->data); }
    } else {
        return false;
    }
    w->n_leaves++;
    pytree__owned_node(w, NULL, 1);
    return true;
}

/* Writes the keys and the order of the dict on top. Returns false if they are more than there were. */
PYTREE__INLINE bool pytree__owned_keys(struct pytree__owned_pass *w)
{
    const struct pytree__owned_frame *const f = w->top;
    const size_t bytes = f->items->packed_bytes, count = f->items->count;
    if (bytes > w->block->n_statics - w->n_statics || (f->order != NULL && count + 1 > w->block->n_orders - w->n_orders)) {
        return false;
    }
    if (f->items->packed != w->keys + w->n_keys) {
        if (w->n_keys != 0) { memcpy(w->statics + w->n_statics - w->n_keys, w->keys, w->n_keys); }
        w->keys = f->items->packed;
        w->n_keys = 0;
    }
    w->n_keys += bytes;
    w->n_statics += bytes;
    if (f->order != NULL) {
        memcpy(w->orders + w->n_orders, f->order, count * sizeof *f->order);
        w->orders[w->n_orders + count] = (uint32_t)w->n_nodes;
        w->n_orders += count + 1;
    }
    return true;
}

/* Writes the container on top, whose children are done. */
PYTREE__INLINE bool pytree__owned_close(struct pytree__owned_pass *w)
{
    const struct pytree__owned_frame *const f = w->top;
    pytree_node *node;
    if (w->n_nodes == w->block->n_nodes) { return false; }
    if (w->node == NULL) { w->n_nodes++; return true; }
    node = &w->node[w->n_nodes];
    node->type = f->type;
    node->arity = (uint32_t)f->items->count;
    node->leaves = (uint32_t)(w->n_leaves - f->leaves);
    node->nodes = (uint32_t)(w->n_nodes - f->nodes + 1);
    node->meta = (uint32_t)w->n_statics;
    if (f->type->kind == PYTREE_KIND_DICT && !pytree__owned_keys(w)) { return false; }
    w->n_nodes++;
    return true;
}

/* Fills a treedef of the block's counts, leaves, or both (NULL: not wanted) in one pass. Returns false if the tree is not what
 * it was made as, or is deeper than the stack: the general way finds out. */
static PYTREE__APART_CLANG bool pytree__flatten_owned(const struct pytree__block *block, pytree t, pytree_def *def,
                                                      pytree_leaf *leaves)
{
    struct pytree__owned_pass w;
    w.block = block;
    w.node = def == NULL ? NULL : (pytree_node *)(uintptr_t)def->nodes;
    w.leaf = leaves;
    w.statics = def == NULL ? NULL : (unsigned char *)(uintptr_t)def->statics;
    w.orders = def == NULL ? NULL : (uint32_t *)(uintptr_t)def->orders;
    w.n_nodes = w.n_leaves = w.n_statics = w.n_orders = w.n_keys = 0;
    w.keys = w.statics;
    w.top = w.stack;
    if (!pytree__owned_open(&w, &t)) { return false; }
    for (;;) {
        struct pytree__owned_frame *const f = w.top;
        const size_t count = f->items->count, step = f->step;
        const uint32_t *const order = f->order;
        const char *const values = f->values;
        const pytree *item = NULL;
        size_t i = f->next;
        for (; i < count; i++) {
            if (PYTREE__UNLIKELY(w.n_nodes == block->n_nodes)) { return false; }
            item = (const pytree *)(const void *)(values + (order == NULL ? i : order[i]) * step);
            if (PYTREE__UNLIKELY(item->type == NULL)) { return false; }
            if (!pytree__owned_leaf(&w, item)) { break; }
        }
        if (i < count) {
            const pytree_kind kind = item->type->kind;
            if (kind != PYTREE_KIND_LIST && kind != PYTREE_KIND_TUPLE && kind != PYTREE_KIND_DICT) { return false; }
            f->next = i + 1;
            w.top++;
            if (!pytree__owned_open(&w, item)) { return false; }
        } else {
            if (!pytree__owned_close(&w)) { return false; }
            if (w.top == w.stack) { break; }
            w.top--;
        }
    }
    if (w.n_keys != 0) { memcpy(w.statics + w.n_statics - w.n_keys, w.keys, w.n_keys); }
    return w.n_nodes == block->n_nodes && w.n_leaves == block->n_leaves
        && (def == NULL || (w.n_statics == block->n_statics && w.n_orders == block->n_orders));
}
#endif
