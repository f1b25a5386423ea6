/* pytree/impl/literal_tree.h: parsing literals: from the tape to a tree in one block. */
#ifndef PYTREE_IMPL_LITERAL_TREE_H
#define PYTREE_IMPL_LITERAL_TREE_H

#include "literal_container.h"

/* ---- Parse: the tree ----------------------------------------------------------------------------------------------- */

typedef struct pytree__lit_hole {         /* slots that values still fill, side by side */
    char *at;
    size_t step, left, offset;            /* `offset`: from the key to its value; 0: no key */
    bool numbered;
} pytree__lit_hole;

typedef struct pytree__lit_maker {        /* where the next item of each kind goes */
    pytree_items *items;
    char *pieces;
    pytree_leaf *views;
    char *texts, *arrays;
} pytree__lit_maker;

/* Build a container, and push the slots for its contents. */
static void pytree__lit_make_container(const pytree__lit_parser *p, pytree__lit_maker *m, const pytree__lit_token *token,
                                       pytree *t, pytree__lit_hole *hole)
{
    const pytree__lit_container *c = pytree__lit_container_at(p, (size_t)token->value);
    pytree_items *items = m->items++;
    const bool dict = pytree__traits(&pytree_types[token->type])->order == PYTREE__ORDER_SORTED;
    size_t i;
    memset(items, 0, sizeof *items);
    items->count = c->count;
    items->maxlen = c->maxlen;
    items->name = c->name == PYTREE__LIT_NONE ? NULL : m->texts + c->name;
    t->type = &pytree_types[token->type];
    t->data = items;
    hole->at = m->pieces;
    hole->left = c->count;
    hole->numbered = c->numbered;
    if (!pytree__keyed(t->type)) {
        items->items = (const pytree *)(const void *)m->pieces;
        hole->step = sizeof(pytree);
        hole->offset = 0;
    } else if (c->numbered) {
        items->int_pairs = (const pytree_int_pair *)(const void *)m->pieces;
        hole->step = sizeof(pytree_int_pair);
        hole->offset = offsetof(pytree_int_pair, value);
    } else {
        items->pairs = (const pytree_pair *)(const void *)m->pieces;
        hole->step = sizeof(pytree_pair);
        hole->offset = offsetof(pytree_pair, value);
    }
    m->pieces += c->count * hole->step;
    if (dict) {
        uint32_t *order = (uint32_t *)(void *)m->pieces;
        m->pieces += (c->count + c->count % 2) * sizeof *order;
        items->order = order;
        items->sorted = true;
        if (c->order != PYTREE__LIT_NONE) {
            memcpy(order, (const uint32_t *)(const void *)p->orders.at + c->order, c->count * sizeof *order);
        } else {
            for (i = 0; i < c->count; i++) { order[i] = (uint32_t)i; }
        }
    }
}

static void pytree__lit_make_array(const pytree__lit_parser *p, pytree__lit_maker *m, const pytree__lit_token *token, pytree *t)
{
    pytree_leaf *view = m->views + token->value;
    size_t i, n;
    memcpy(view, p->views.at + token->value * sizeof *view, sizeof *view);
    view->data = m->arrays + (size_t)(uintptr_t)view->data;
    t->type = &pytree_types[PYTREE__T_view];
    t->data = view;
    n = view->type->dtype == PYTREE_STRING ? pytree_leaf_count(view) : 0;
    for (i = 0; i < n; i++) {
        char *at = (char *)view->data + i * sizeof(char *);
        const char *s;
        size_t where;
        memcpy(&where, at, sizeof where);
        s = where == 0 ? NULL : m->texts + where - 1;
        memcpy(at, &s, sizeof s);
    }
}

/* Build the tree from the tape. `holes` has room for as many containers as were open at once. */
static pytree pytree__lit_make(const pytree__lit_parser *p, pytree__lit_maker *m, pytree__lit_hole *holes)
{
    const unsigned char *at = (const unsigned char *)p->tape.at, *const end = at + p->tape.n;
    pytree__lit_hole *top = holes;        /* the next free one */
    pytree root = { NULL, NULL };
    while (at < end) {
        pytree__lit_token token;
        pytree *t = &root;
        at = pytree__lit_read(at, &token);
        if (top != holes) {
            pytree__lit_hole *hole = top - 1;
            char *slot = hole->at;
            if (hole->offset != 0) {
                if (hole->numbered) {
                    int64_t number = (int64_t)token.value;
                    memcpy(slot, &number, sizeof number);
                } else {
                    const char *key = m->texts + token.value;
                    memcpy(slot, &key, sizeof key);
                }
                slot += hole->offset;
                at = pytree__lit_read(at, &token);
            }
            t = (pytree *)(void *)slot;
            hole->at += hole->step;
            if (--hole->left == 0) { top--; }
        }
        t->type = &pytree_types[token.type];
        if (token.type == PYTREE__T_none) {
            t->data = NULL;
        } else if (token.type == PYTREE__T_view) {
            pytree__lit_make_array(p, m, &token, t);
        } else if (token.type >= PYTREE__T_list) {
            pytree__lit_make_container(p, m, &token, t, top);
            if (top->left != 0) { top++; }
        } else if (token.wide) {
            t->data = m->arrays + token.value;
        } else {
            t->data = m->pieces;
            if (token.type == PYTREE__T_string) {
                const char *s = m->texts + token.value;
                memcpy(m->pieces, &s, sizeof s);
            } else {
                memcpy(m->pieces, &token.value, sizeof token.value);
            }
            m->pieces += sizeof token.value;
        }
    }
    return root;
}

/* Give back what the tape and the containers have grown to beyond what they hold, before the block takes its memory. */
static bool pytree__lit_trim(const pytree__lit_parser *p, pytree__lit_bytes *b)
{
    char *at;
    if (b->max - b->n < 65536) { return true; }
    at = (char *)pytree__resize(pytree__allocator(p->opt), b->at, b->max, b->n);
    if (at == NULL) { (void)pytree__no_memory(p->err, b->n); return false; }
    b->at = at;
    b->max = b->n;
    return true;
}

/* Allocate the block and build the tree in it, with the header that pytree_free expects. */
static pytree pytree__lit_finish(pytree__lit_parser *p)
{
    const size_t n_views = p->views.n / sizeof(pytree_leaf), n_containers = p->containers.n / sizeof(pytree__lit_container);
    size_t pieces = pytree__times(n_containers, sizeof(pytree_items)), views, texts, head, bytes;
    struct pytree__block *block;
    pytree t = { NULL, NULL };
    pytree__lit_hole *holes;
    pytree__lit_maker m;
    char *base, *at;
    views = pytree__plus(pytree__plus(pieces, pytree__times(p->n_cells, sizeof(uint64_t))),
                         pytree__plus(pytree__plus(pytree__times(p->n_items, sizeof(pytree)),
                                                   pytree__times(p->n_pairs, sizeof(pytree_int_pair))),
                                      pytree__times(p->n_places, sizeof(uint32_t))));
    texts = pytree__plus(views, pytree__times(n_views, sizeof(pytree_leaf)));
    head = pytree__round(pytree__plus(pytree__plus(texts, p->texts.n), sizeof *block + 16), p->align);
    bytes = pytree__plus(pytree__plus(head, p->arrays.n), p->align);
    if (!pytree__lit_trim(p, &p->tape) || !pytree__lit_trim(p, &p->containers)) { return t; }
    p->sorting.n = 0;
    holes = (pytree__lit_hole *)pytree__lit_more(p, &p->sorting,
                                                 pytree__times(p->most_open / sizeof(pytree__lit_open) + 1, sizeof *holes));
    if (holes == NULL) { return t; }
    base = bytes > PTRDIFF_MAX ? NULL : (char *)pytree__resize(pytree__allocator(p->opt), NULL, 0, bytes);
    if (base == NULL) {
        (void)pytree__no_memory(p->err, bytes);
        return t;
    }
    at = (char *)(((uintptr_t)base + p->align - 1) & ~(uintptr_t)(p->align - 1));
    m.items = (pytree_items *)(void *)at;
    m.pieces = at + pieces;
    m.views = (pytree_leaf *)(void *)(at + views);
    m.texts = at + texts;
    m.arrays = at + head;
    if (p->texts.n != 0) { memcpy(m.texts, p->texts.at, p->texts.n); }
    if (p->arrays.n != 0) { memcpy(m.arrays, p->arrays.at, p->arrays.n); }
    t = pytree__lit_make(p, &m, holes);
    block = (struct pytree__block *)(void *)m.arrays - 1;
    memset(block, 0, sizeof *block);
    block->magic = PYTREE__MAGIC;
    block->base = base;
    block->bytes = bytes;
    block->allocator = pytree__allocator(p->opt);
    block->root = t.data;
    block->type = *t.type;
    block->type.origin = t.type;
    t.type = &block->type;
    if (t.data == NULL) { t.data = block; }          /* None: pytree_free still needs the block */
    return t;
}

pytree pytree_parse_n(const char *text, size_t n, const pytree_options *opt, pytree_error *err)
{
    pytree__lit_parser p;
    pytree__lit_bytes *all[9];
    pytree t = { NULL, NULL };
    size_t i;
    memset(&p, 0, sizeof p);
    p.align = opt == NULL || opt->alignment == 0 ? 64 : opt->alignment;
    if (text == NULL && n != 0) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a string, got NULL");
        return t;
    }
    if ((p.align & (p.align - 1)) != 0) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a power of two for the alignment, got %zu", p.align);
        return t;
    }
    if (p.align < 16) { p.align = 16; }
    p.text = p.at = text == NULL ? "" : text;
    p.end = p.text + n;
    p.opt = opt;
    p.err = err;
    if (pytree__lit_all(&p)) { t = pytree__lit_finish(&p); }
    all[0] = &p.tape;
    all[1] = &p.texts;
    all[2] = &p.containers;
    all[3] = &p.orders;
    all[4] = &p.views;
    all[5] = &p.arrays;
    all[6] = &p.open;
    all[7] = &p.keys;
    all[8] = &p.sorting;
    for (i = 0; i < 9; i++) {
        if (all[i]->at != NULL) { (void)pytree__resize(pytree__allocator(opt), all[i]->at, all[i]->max, 0); }
    }
    return t;
}

pytree pytree_parse(const char *text, const pytree_options *opt, pytree_error *err)
{
    if (text == NULL) { return pytree_parse_n(NULL, 1, opt, err); }
    return pytree_parse_n(text, strlen(text), opt, err);
}

#include "literal_print.h"
#endif
