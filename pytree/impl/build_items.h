/* pytree/impl/build_items.h: building lists, tuples, dicts and their kin. */
#ifndef PYTREE_IMPL_BUILD_ITEMS_H
#define PYTREE_IMPL_BUILD_ITEMS_H

#include "internal.h"

/* Keys, orders and names of all containers, copied at once: with what few static values of structs lie between them. */
static void pytree__make_kept(struct pytree__builder *m)
{
    const size_t statics = m->def->n_statics, orders = m->def->n_orders * sizeof *m->def->orders;
    char *at = pytree__bump_head(m, pytree__plus(statics, 1)), *to = pytree__bump_head(m, orders);
    m->kept = true;
    if (m->dry) { return; }
    if (statics != 0) { memcpy(at, m->def->statics, statics); }
    if (orders != 0) { memcpy(to, m->def->orders, orders); }
    m->statics = (const unsigned char *)at;
    m->orders = (const uint32_t *)(const void *)to;
}

/* A pair with a key, its place in front of the chain; where the next key is. NULL: the key is no string. */
PYTREE__INLINE const unsigned char *pytree__make_pair(pytree_pair *pair, const unsigned char *key, pytree **chain)
{
    const uint32_t size = pytree__u32(key);
    if (PYTREE__UNLIKELY(size == PYTREE__NUMBER_KEY)) { return NULL; }
    pair->key = (const char *)key + sizeof size;
    pair->value.data = *chain;
    *chain = &pair->value;
    return key + sizeof size + size;
}

static const unsigned char *pytree__make_int_pair(pytree_int_pair *pair, const unsigned char *key, pytree **chain)
{
    if (pytree__u32(key) != PYTREE__NUMBER_KEY) { return NULL; }
    memcpy(&pair->key, key + sizeof(uint32_t), sizeof pair->key);
    pair->value.data = *chain;
    *chain = &pair->value;
    return key + sizeof(uint32_t) + sizeof pair->key;
}

/* The pairs of a container in the order of its keys. */
PYTREE__INLINE pytree *pytree__make_pairs(struct pytree__builder *m, size_t node, pytree_items *items, const unsigned char *key,
                                          const uint32_t *order, pytree *chain)
{
    const size_t n = m->def->nodes[node].arity;
    const unsigned char *at = key;
    size_t i;
    items->packed = key;
    items->order = order;
    if (PYTREE__UNLIKELY(n != 0 && pytree__u32(key) == PYTREE__NUMBER_KEY)) {
        pytree_int_pair *const pairs = (pytree_int_pair *)(void *)(items + 1);
        items->int_pairs = pairs;
        for (i = 0; i < n && at != NULL; i++) { at = pytree__make_int_pair(&pairs[order == NULL ? i : order[i]], at, &chain); }
    } else {
        pytree_pair *const pairs = (pytree_pair *)(void *)(items + 1);
        items->pairs = pairs;
        if (order == NULL) {
            for (i = 0; i < n && at != NULL; i++) { at = pytree__make_pair(&pairs[i], at, &chain); }
        } else {
            for (i = 0; i < n && at != NULL; i++) { at = pytree__make_pair(&pairs[order[i]], at, &chain); }
        }
    }
    if (PYTREE__LIKELY(at != NULL)) {
        items->packed_bytes = (size_t)(at - key);
    } else {
        pytree__make_wrong(m, node, "keys that are all strings or all numbers");
    }
    return chain;
}

/* A container of pytrees in one piece: pytree_items, items or pairs, whose places are put in front of the chain. */
PYTREE__INLINE pytree *pytree__make_items(struct pytree__builder *m, size_t node, char *piece, pytree *chain)
{
    const pytree_node *n = &m->def->nodes[node];
    pytree_items *items = (pytree_items *)(void *)piece;
    memset(items, 0, sizeof *items);
    items->count = n->arity;
    if (pytree__keyed(n->type)) {
        const unsigned char *key = pytree__unpack_meta(n->type, m->statics + n->meta, items);
        const uint32_t *order = NULL;
        if (pytree__traits(n->type)->order == PYTREE__ORDER_SORTED) {
            order = pytree__make_order(m, node);
            if (order != NULL) { order = m->orders + (order - m->def->orders); }
        }
        return pytree__make_pairs(m, node, items, key, order, chain);
    }
    (void)pytree__unpack_meta(n->type, m->def->statics + n->meta, items);
    items->items = (const pytree *)(const void *)(items + 1);
    return pytree__make_chain((pytree *)(void *)(items + 1), n->arity, chain);
}

static size_t pytree__items_bytes(const pytree_node *n)
{
    return pytree__plus(sizeof(pytree_items),
                        pytree__times(n->arity, pytree__keyed(n->type) ? (size_t)PYTREE__PAIR_BYTES : sizeof(pytree)));
}

/* A container; what it contains joins the chain of the container that it is in, or is a task. */
static pytree pytree__make_container(struct pytree__builder *m, size_t node)
{
    const pytree_node *n = &m->def->nodes[node];
    struct pytree__build_frame *top = m->n_tasks == 0 ? NULL : &m->tasks[m->n_tasks - 1];
    pytree *chain = NULL;
    char *piece;
    pytree t;
    if (pytree__keyed(n->type) && !m->kept) { pytree__make_kept(m); }
    piece = pytree__bump_head(m, pytree__items_bytes(n));
    t.type = n->type;
    t.data = piece;
    if (top != NULL && top->type != NULL) { top = NULL; }
    if (!m->dry) { chain = pytree__make_items(m, node, piece, top == NULL ? NULL : (pytree *)(void *)top->at); }
    if (top == NULL) {
        pytree__make_push(m, NULL, (char *)chain, NULL, 0, n->arity, 0);
    } else {
        top->at = (char *)chain;
        top->left += n->arity;
    }
    return t;
}

/* Containers of leaves that the new tree refers to, of None and of such containers, until another node comes. */
static void pytree__make_containers(struct pytree__builder *m, size_t *next, size_t *leaf)
{
    const size_t view_bytes = pytree__round(sizeof(pytree_leaf), 16);
    struct pytree__build_frame *top = &m->tasks[m->n_tasks - 1];
    const pytree_node *n = &m->def->nodes[*next];
    const pytree_leaf *from = &m->leaves[*leaf];
    pytree *at = (pytree *)(void *)top->at;
    char *place = m->base + m->structs;
    size_t left = top->left;
    if (!pytree__make_given(m)) { return; }
    for (; left != 0; left--) {
        pytree *chain = (pytree *)at->data;
        const pytree_type *const type = n[-1].type;
        if (type == NULL) {
            if (PYTREE__UNLIKELY(from[-1].form != PYTREE_FORM_LEAF)) { break; }
            from--;
            if (from->ndim != 0) {
                at->type = &pytree_types[PYTREE__T_view];
                at->data = place;
                pytree__copy_view((pytree_leaf *)(void *)place, from);
                place += view_bytes;
            } else {
                at->type = from->type;
                at->data = from->data;
            }
        } else if (type->kind == PYTREE_KIND_NONE) {
            at->type = type;
            at->data = NULL;
        } else {
            if (pytree__namespaced(n - 1)) { break; }
            if (PYTREE__UNLIKELY(!m->kept) && pytree__keyed(type)) {
                m->structs = (size_t)(place - m->base);
                pytree__make_kept(m);
                place = m->base + m->structs;
            }
            at->type = type;
            at->data = place;
            chain = pytree__make_items(m, (size_t)(n - 1 - m->def->nodes), place, chain);
            if (PYTREE__UNLIKELY(m->status != PYTREE_OK)) { break; }
            place += pytree__round(pytree__items_bytes(n - 1), 16);
            left += n[-1].arity;
        }
        at = chain;
        n--;
    }
    m->structs = (size_t)(place - m->base);
    top->at = (char *)at;
    top->left = left;
    *next = (size_t)(n - m->def->nodes);
    *leaf = (size_t)(from - m->leaves);
}
#endif
