/* pytree/impl/build_items.h: building lists, tuples, dicts and their kin. */
#ifndef PYTREE_IMPL_BUILD_ITEMS_H
#define PYTREE_IMPL_BUILD_ITEMS_H

#include "internal.h"

/* Copy keys, orders and names of all containers at once, with the few static values of structs that lie between them. */
static PYTREE__APART_CLANG void pytree__copy_keys(struct pytree__builder *b)
{
    const size_t statics = b->def->n_statics, orders = b->def->n_orders * sizeof *b->def->orders;
    char *at = pytree__bump_head(b, statics + 1), *to = pytree__bump_head(b, orders);
    b->keys_copied = true;
    if (statics != 0) { memcpy(at, b->def->statics, statics); }
    if (orders != 0) { memcpy(to, b->def->orders, orders); }
    b->statics = (const unsigned char *)at;
    b->orders = (const uint32_t *)(const void *)to;
}

/* Set a pair's key, and put its slot in front of the chain. Returns where the next key is; NULL if the key is no string. */
PYTREE__INLINE const unsigned char *pytree__build_pair(pytree_pair *pair, const unsigned char *key, pytree **chain)
{
    const uint32_t size = pytree__u32(key);
    if (PYTREE__UNLIKELY(size == PYTREE__NUMBER_KEY)) { return NULL; }
    pair->key = (const char *)key + sizeof size;
    pair->value.data = *chain;
    *chain = &pair->value;
    return key + sizeof size + size;
}

static const unsigned char *pytree__build_int_pair(pytree_int_pair *pair, const unsigned char *key, pytree **chain)
{
    if (pytree__u32(key) != PYTREE__NUMBER_KEY) { return NULL; }
    memcpy(&pair->key, key + sizeof(uint32_t), sizeof pair->key);
    pair->value.data = *chain;
    *chain = &pair->value;
    return key + sizeof(uint32_t) + sizeof pair->key;
}

/* Fill in the keys of a container's pairs, in the order that the treedef has. Returns the new front of the chain. */
PYTREE__INLINE pytree *pytree__build_pairs(struct pytree__builder *b, size_t node, pytree_items *items,
                                           const unsigned char *key, const uint32_t *order, pytree *chain)
{
    const size_t n = b->def->nodes[node].arity;
    const unsigned char *at = key;
    size_t i;
    items->packed = key;
    items->order = order;
    if (PYTREE__UNLIKELY(n != 0 && pytree__u32(key) == PYTREE__NUMBER_KEY)) {
        pytree_int_pair *const pairs = (pytree_int_pair *)(void *)(items + 1);
        items->int_pairs = pairs;
        for (i = 0; i < n && at != NULL; i++) { at = pytree__build_int_pair(&pairs[order == NULL ? i : order[i]], at, &chain); }
    } else {
        pytree_pair *const pairs = (pytree_pair *)(void *)(items + 1);
        items->pairs = pairs;
        if (order == NULL) {
            for (i = 0; i < n && at != NULL; i++) { at = pytree__build_pair(&pairs[i], at, &chain); }
        } else {
            for (i = 0; i < n && at != NULL; i++) { at = pytree__build_pair(&pairs[order[i]], at, &chain); }
        }
    }
    if (PYTREE__LIKELY(at != NULL)) {
        items->packed_bytes = (size_t)(at - key);
    } else {
        pytree__build_fail_node(b, node, "keys that are all strings or all numbers");
    }
    return chain;
}

/* Clear what stands before the items of a container: member by member, because for so few bytes compilers take string
 * instructions, which take long to start. */
PYTREE__INLINE void pytree__items_clear(pytree_items *items)
{
    items->items = NULL;
    items->pairs = NULL;
    items->name = NULL;
    items->int_pairs = NULL;
    items->order = NULL;
    items->packed = NULL;
    items->packed_bytes = items->maxlen = items->removed = 0;
    items->sorted = false;
}

/* Make a container of pytrees in one piece: pytree_items, then items or pairs, whose slots are put in front of the chain.
 * Returns the new front. */
PYTREE__INLINE pytree *pytree__build_items(struct pytree__builder *b, size_t node, char *piece, pytree *chain)
{
    const pytree_node *n = &b->def->nodes[node];
    pytree_items *items = (pytree_items *)(void *)piece;
    pytree__items_clear(items);
    items->count = n->arity;
    if (pytree__keyed(n->type)) {
        const unsigned char *key = pytree__unpack_meta(n->type, b->statics + n->meta, items);
        const uint32_t *order = NULL;
        if (pytree__traits(n->type)->order == PYTREE__ORDER_SORTED) {
            order = pytree__build_order(b, node);
            if (order != NULL) { order = b->orders + (order - b->def->orders); }
        }
        return pytree__build_pairs(b, node, items, key, order, chain);
    }
    (void)pytree__unpack_meta(n->type, b->def->statics + n->meta, items);
    items->items = (const pytree *)(const void *)(items + 1);
    return pytree__build_chain((pytree *)(void *)(items + 1), n->arity, chain);
}

static size_t pytree__items_bytes(const pytree_node *n)
{
    return pytree__plus(sizeof(pytree_items),
                        pytree__times(n->arity, pytree__keyed(n->type) ? (size_t)PYTREE__PAIR_BYTES : sizeof(pytree)));
}

/* Make a container; its slots join the chain of the container that it is in, or get a frame. */
static PYTREE__APART pytree pytree__build_container(struct pytree__builder *b, size_t node)
{
    const pytree_node *n = &b->def->nodes[node];
    struct pytree__build_frame *top = b->n_frames == 0 ? NULL : &b->frames[b->n_frames - 1];
    pytree *chain;
    char *piece;
    pytree t;
    if (pytree__keyed(n->type) && !b->keys_copied) { pytree__copy_keys(b); }
    piece = pytree__bump_head(b, pytree__items_bytes(n));
    t.type = n->type;
    t.data = piece;
    if (top != NULL && top->type != NULL) { top = NULL; }
    chain = pytree__build_items(b, node, piece, top == NULL ? NULL : (pytree *)(void *)top->at);
    if (top == NULL) {
        pytree__build_push(b, NULL, (char *)chain, 0, n->arity);
    } else {
        top->at = (char *)chain;
        top->left += n->arity;
    }
    return t;
}
#endif
