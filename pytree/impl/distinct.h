/* pytree/impl/distinct.h: whether a tree reaches no memory twice, found without paths: most trees are in order. */
#ifndef PYTREE_IMPL_DISTINCT_H
#define PYTREE_IMPL_DISTINCT_H

#include "internal.h"

/* Returns the bytes that a value takes where it lies. */
static PYTREE__APART_CLANG size_t pytree__memory_bytes(const pytree_leaf *v)
{
    switch (v->form) {
    case PYTREE_FORM_LEAF: return pytree_leaf_bytes(v);
    case PYTREE_FORM_STRUCT: return v->type->size;
    case PYTREE_FORM_LIST: return v->shape[0] * v->type->size;
    case PYTREE_FORM_MAP: return v->shape[0] * v->shape[1];
    case PYTREE_FORM_ITEMS: return sizeof(pytree_items);
    default: return PYTREE__DEVICES && v->form == PYTREE_FORM_DEVICE ? pytree_leaf_bytes(v) : 0;
    }
}

/* Tells whether the value at hand lies inside its parent, whose bytes it takes: not one that a pytree or a pytree_leaf there
 * leads to. */
static PYTREE__APART_CLANG bool pytree__lies_inside(const pytree__cursor *c, const pytree_leaf *v)
{
    const pytree__frame *f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
    const pytree_field *row;
    size_t bytes = 0;
    if (f == NULL) { return false; }
    if (f->from == PYTREE__FROM_ROW || f->from == PYTREE__FROM_BOXED) { bytes = f->count * f->type->size; }
    if (f->form == PYTREE_FORM_MAP) { bytes = f->count * f->shape[1]; }
    if (f->form == PYTREE_FORM_CUSTOM) {
        if (v->data == f->self && pytree__node_type(v) == f->type) { return false; }           /* the node itself: a cycle */
        bytes = f->type->size;
    }
    if (bytes != 0) {
        return (const char *)v->data >= (const char *)f->self && (const char *)v->data < (const char *)f->self + bytes;
    }
    row = f->form == PYTREE_FORM_STRUCT ? pytree__data_row(f->type, f->next - 1) : NULL;
    if (row != NULL) { row = pytree__active_row(row, f->self); }
    if (row == NULL) { return false; }
    if (PYTREE__MORE_ROWS && row->place == PYTREE_FLEXIBLE) { return true; }
    return row->place == PYTREE_IN_PLACE && row->form != PYTREE_FORM_REF && row->form != PYTREE_FORM_VIEW
        && row->form != PYTREE_FORM_FLAT;
}

/* Returns the bytes of memory of its own that the value at hand takes; 0 for one inside its parent. */
static size_t pytree__own_bytes(const pytree__cursor *c, const pytree_leaf *v)
{
    return pytree__lies_inside(c, v) ? 0 : pytree__memory_bytes(v);
}

/* Does a node say itself what is wrong with it? */
static bool pytree__node_checks(const pytree_leaf *node)
{
    return node->form == PYTREE_FORM_STRUCT && node->type->custom != NULL && node->type->custom->check != NULL;
}

struct pytree__extents {
    struct pytree__vector all;            /* of struct pytree__extent */
    bool checks;                          /* nodes that check themselves must be looked at */
    size_t next_verdict;                  /* the count at which they are compared before the walk is over */
};

static bool pytree__extents_add(struct pytree__extents *x, const void *data, size_t bytes)
{
    struct pytree__extent *e;
    if (bytes == 0) { return true; }
    e = (struct pytree__extent *)pytree__vector_add(&x->all, 1, NULL);
    if (e == NULL) { return false; }
    e->from = (uintptr_t)data;
    e->to = e->from + bytes;
    return true;
}

/* Merges two neighbouring runs of ordered extents. */
static void pytree__extents_merge(const struct pytree__extent *a, const struct pytree__extent *b,
                                  const struct pytree__extent *end, struct pytree__extent *to)
{
    const struct pytree__extent *const middle = b;
    while (a != middle && b != end) {
        while (a != middle && a->from <= b->from) { *to++ = *a++; }
        while (a != middle && b != end && b->from < a->from) { *to++ = *b++; }
    }
    while (a != middle) { *to++ = *a++; }
    while (b != end) { *to++ = *b++; }
}

/* Finds the end of the ordered run that begins at `from`. */
static size_t pytree__extents_run(const struct pytree__extent *e, size_t from, size_t n)
{
    while (++from < n && e[from - 1].from <= e[from].from) {}
    return from < n ? from : n;
}

/* Sorts extents by merging the runs that are there (natural merge sort): arrays of one block come almost in order. Returns the
 * array that is sorted: `e` or `other`. */
static PYTREE__APART_CLANG struct pytree__extent *pytree__extents_sort(struct pytree__extent *e, struct pytree__extent *other,
                                                                       size_t n)
{
    while (pytree__extents_run(e, 0, n) != n) {
        struct pytree__extent *const swap = e;
        size_t from, middle, end;
        for (from = 0; from < n; from = end) {
            middle = pytree__extents_run(e, from, n);
            end = middle == n ? n : pytree__extents_run(e, middle, n);
            pytree__extents_merge(e + from, e + middle, e + end, other + from);
        }
        e = other;
        other = swap;
    }
    return e;
}

/* Compares the extents so far. Returns PYTREE_SHARED if two overlap. */
static PYTREE__APART pytree_status pytree__extents_verdict(struct pytree__extents *x)
{
    const size_t n = x->all.count;
    struct pytree__extent *all, *sorted;
    size_t i;
    if (n < 2) { return PYTREE_OK; }
    if (pytree__vector_add(&x->all, n, NULL) == NULL) { return PYTREE_NO_MEMORY; }
    x->all.count = n;
    all = (struct pytree__extent *)x->all.data;
    sorted = pytree__extents_sort(all, all + n, n);
    for (i = 1; i < n && sorted[i - 1].to <= sorted[i].from; i++) {}
    if (sorted != all) { memcpy(all, sorted, n * sizeof *all); }
    return i >= n ? PYTREE_OK : PYTREE_SHARED;
}

/* Adds the leaves of a run that lie outside it. Returns PYTREE_SHARED if the run must be opened. */
static pytree_status pytree__extents_add_run(struct pytree__extents *x, const pytree__cursor *c, const pytree_leaf *value)
{
    const char *const self = (const char *)value->data;
    const pytree_leaf *leaf = c->views + c->n_views;
    const pytree__flatten_result seen =
        pytree__leaf_views(value->type, self, c->views + c->n_views, c->views + c->max_views, false);
    if ((seen.flags & (PYTREE__NEEDS_CHECK | PYTREE__NOT_INLINABLE)) != 0) { return PYTREE_SHARED; }
    for (; leaf != seen.end; leaf++) {
        const char *const data = (const char *)leaf->data;
        if (data >= self && data < self + value->type->size) { continue; }
        if (data == (const char *)PYTREE_WANTED) { return PYTREE_SHARED; }
        if (!pytree__extents_add(x, data, pytree_leaf_bytes(leaf))) { return PYTREE_NO_MEMORY; }
    }
    return PYTREE_OK;
}

/* Adds the value at hand; a node that is no run, or none that can be taken so, is opened. */
static PYTREE__APART_CLANG pytree_status pytree__extents_add_value(struct pytree__extents *x, pytree__cursor *c,
                                                                   const pytree_leaf *value, int at)
{
    if (value->data == PYTREE_WANTED) { return PYTREE_SHARED; }
    if (value->data != NULL && !pytree__extents_add(x, value->data, pytree__own_bytes(c, value))) { return PYTREE_NO_MEMORY; }
    if (at == PYTREE__AT_RUN) {
        const pytree_status status = pytree__extents_add_run(x, c, value);
        if (status != PYTREE_SHARED) { return status; }
    }
    if (at != PYTREE__AT_RUN && at != PYTREE__AT_NODE) { return PYTREE_OK; }
    if (x->checks && pytree__node_checks(value)) { return PYTREE_SHARED; }
    if (x->all.count >= x->next_verdict) {                     /* a tree that reaches its nodes again and again has no end */
        x->next_verdict = pytree__times(x->next_verdict, 2);
        if (pytree__extents_verdict(x) != PYTREE_OK) { return PYTREE_SHARED; }
    }
    return pytree__open(c, value);
}

/* Returns PYTREE_OK if all that the tree reaches is in order and lies apart; PYTREE_NO_MEMORY; or another status, without
 * an error, if something must be looked at: predicates, namespaces, and with `checks` nodes that check themselves. */
static pytree_status pytree__is_distinct(pytree t, bool checks, const pytree_options *opt)
{
    pytree__cursor c;
    pytree__cursor_space stacks;
    struct pytree__extents x;
    if (!pytree__plain_walk(opt)) { return PYTREE_SHARED; }
    x.all = pytree__vector_of(sizeof(struct pytree__extent), pytree__allocator(opt));
    x.next_verdict = 4096;
    x.checks = checks;
    pytree__cursor_init(&c, &stacks, opt, NULL);
    c.status = pytree__cursor_root(&c, t);
    c.runs = !c.none_is_leaf;
    while (c.status == PYTREE_OK) {
        const pytree_leaf *value;
        const int at = pytree__cursor_next(&c, &value);
        if (at == PYTREE__DONE || at == PYTREE__FAILED) { break; }
        if (at == PYTREE__AT_END) {
            pytree__close(&c);
        } else if (value->form != PYTREE_FORM_NONE) {
            c.status = pytree__extents_add_value(&x, &c, value, at);
        }
    }
    if (c.status == PYTREE_OK) { c.status = pytree__extents_verdict(&x); }
    pytree__vector_free(&x.all);
    pytree__cursor_end(&c);
    return c.status;
}
#endif
