/* pytree/impl/literal_tree.h: parsing literals: one pass after the other, and the block between them. */
#ifndef PYTREE_IMPL_LITERAL_TREE_H
#define PYTREE_IMPL_LITERAL_TREE_H

#include "literal_container.h"

/* ---- Parse: the tree ----------------------------------------------------------------------------------------------- */

/* Read the text from its beginning. */
static bool pytree__lit_pass(pytree__lit_parser *p, int pass)
{
    p->pass = pass;
    p->at = p->text;
    p->open.n = p->n_containers = p->n_views = p->n_texts = p->n_arrays = 0;
    p->slot = &p->root;
    return pytree__lit_all(p);
}

/* Give back what the stack has grown to beyond what it needs, before the block takes its memory. */
static bool pytree__lit_trim(pytree__lit_parser *p)
{
    pytree__lit_bytes *b = &p->open;
    char *at;
    if (b->max - p->most_open < 65536) { return true; }
    at = (char *)pytree__resize(pytree__allocator(p->opt), b->at, b->max, p->most_open);
    if (at == NULL) { (void)pytree__no_memory(p->err, p->most_open); return false; }
    b->at = at;
    b->max = p->most_open;
    return true;
}

/* Allocate the block for what was counted. The memory of the counts grows into it. */
static bool pytree__lit_reserve(pytree__lit_parser *p)
{
    const size_t containers = pytree__times(p->n_containers, sizeof(pytree_items)), counts = p->counts.n;
    const size_t pieces = pytree__round(containers, sizeof(uint64_t));           /* an odd number of them may end midway */
    size_t views, texts, head, bytes;
    char *base, *at;
    views = pytree__plus(pytree__plus(pieces, pytree__times(p->n_cells, sizeof(uint64_t))),
                         pytree__plus(pytree__plus(pytree__times(p->n_items, sizeof(pytree)),
                                                   pytree__times(p->n_pairs, sizeof(pytree_int_pair))),
                                      pytree__times(p->n_places, sizeof(uint32_t))));
    texts = pytree__plus(views, pytree__times(p->n_views, sizeof(pytree_leaf)));
    head = pytree__round(pytree__plus(pytree__plus(texts, p->n_texts), sizeof(struct pytree__block) + 16), p->align);
    bytes = pytree__plus(pytree__plus(head, p->n_arrays), p->align);
    if (!pytree__lit_trim(p)) { return false; }
    base = bytes > PTRDIFF_MAX ? NULL
        : (char *)pytree__resize(pytree__allocator(p->opt), p->counts.at, p->counts.max, bytes);
    if (base == NULL) {
        (void)pytree__no_memory(p->err, bytes);
        return false;
    }
    memset(&p->counts, 0, sizeof p->counts);
    at = (char *)(((uintptr_t)base + p->align - 1) & ~(uintptr_t)(p->align - 1));
    p->base = base;
    p->bytes = bytes;
    p->items = (pytree_items *)(void *)at;
    p->pieces = at + pieces;
    p->counted = at + containers - counts;
    memmove(at + containers - counts, base, counts);
    p->views = (pytree_leaf *)(void *)(at + views);
    p->texts = at + texts;
    p->arrays = at + head;
    return true;
}

/* Put the header that pytree_free expects before the arrays. */
static pytree pytree__lit_finish(pytree__lit_parser *p)
{
    struct pytree__block *block = (struct pytree__block *)(void *)p->arrays - 1;
    pytree t = p->root;
    memset(block, 0, sizeof *block);
    block->magic = PYTREE__MAGIC;
    block->base = p->base;
    block->bytes = p->bytes;
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
    const pytree_allocator *allocator = pytree__allocator(opt);
    pytree__lit_parser p;
    pytree__lit_bytes *all[3];
    pytree t = { NULL, NULL };
    size_t i;
    memset(&p, 0, sizeof p);
    if (text == NULL && n != 0) {
        (void)pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a string, got NULL");
        return t;
    }
    if (pytree__new_alignment(opt, &p.align, err) != PYTREE_OK) { return t; }
    p.text = text == NULL ? "" : text;
    p.end = p.text + n;
    p.opt = opt;
    p.err = err;
    if (pytree__lit_pass(&p, PYTREE__LIT_COUNT) && pytree__lit_reserve(&p)) {
        if (pytree__lit_pass(&p, PYTREE__LIT_MAKE)) {
            t = pytree__lit_finish(&p);
        } else {
            (void)pytree__resize(allocator, p.base, p.bytes, 0);
            if (p.repeats) { (void)pytree__lit_pass(&p, PYTREE__LIT_SEEK); }
        }
    }
    all[0] = &p.open;
    all[1] = &p.counts;
    all[2] = &p.sorting;
    for (i = 0; i < 3; i++) {
        if (all[i]->at != NULL) { (void)pytree__resize(allocator, all[i]->at, all[i]->max, 0); }
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
