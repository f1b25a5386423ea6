/* pytree/impl/spans.h: the numbers of trees as spans, for arithmetic: numbers side by side, also in all structs of a list. */
#ifndef PYTREE_IMPL_SPANS_H
#define PYTREE_IMPL_SPANS_H

#include "summary.h"

/* Numbers of one type in each of two trees (which may be one): `count` pieces of n numbers, each `stride` bytes behind the one
 * before. A piece is an array, or members of a struct that lie side by side; the pieces are those of the structs of a list. */
typedef struct pytree__rv_span {
    char *x, *y;
    size_t n, count, stride;
    pytree_dtype x_type, y_type;
} pytree__rv_span;

/* The spans of two trees of equal structure, or of one. An operation lists them first, and checks the trees with that: walking
 * may fail, and must not do so when something was written. */
typedef struct pytree__rv_spans {
    size_t n, capacity;
    pytree__rv_span *at, few[PYTREE__RV_SPANS];
    const pytree_allocator *allocator;
    bool (*accepts)(pytree_dtype x, pytree_dtype y);           /* NULL: any floats and complex numbers */
    bool writes;                          /* to the last tree */
} pytree__rv_spans;

static void pytree__rv_end_spans(pytree__rv_spans *spans)
{
    if (spans->at != spans->few) { pytree__array_free(spans->at, spans->capacity, sizeof *spans->at, spans->allocator); }
}

/* Fail because the leaves at hand cannot be computed with. */
static PYTREE__NOINLINE pytree_status pytree__rv_fail_pair(pytree_iter *it, const pytree_leaf *x, const pytree_leaf *y)
{
    char expected[200], got[200];
    pytree_status status = pytree__rv_want_number(it, x, "floats or complex numbers");
    if (status == PYTREE_OK) { status = pytree__rv_want_number(it, y, "floats or complex numbers"); }
    if (status != PYTREE_OK) { return status; }
    pytree__leaf_text(expected, sizeof expected, x);
    pytree__leaf_text(got, sizeof got, y);
    if (x->ndim != y->ndim || memcmp(x->shape, y->shape, (size_t)x->ndim * sizeof *x->shape) != 0) {
        return pytree__fail_at(&it->cursors[0], PYTREE_SHAPE, "expected the shape of %s, got %s", expected, got);
    }
    if (pytree__rv_numbers[x->type->dtype].parts < pytree__rv_numbers[y->type->dtype].parts) {
        return pytree__fail_at(&it->cursors[0], PYTREE_TYPE, "expected complex numbers for %s, got %s", got, expected);
    }
    return pytree__fail_at(&it->cursors[0], PYTREE_TYPE, "expected complex numbers to add %s to, got %s", expected, got);
}

/* Can numbers of these types, one in each tree, be computed with? */
static inline bool pytree__rv_takes(const pytree__rv_spans *spans, const pytree_type *x, const pytree_type *y)
{
    return x->dtype >= PYTREE_F16 && x->dtype <= PYTREE_CLONG && y->dtype >= PYTREE_F16 && y->dtype <= PYTREE_CLONG
        && (spans->accepts == NULL || spans->accepts(x->dtype, y->dtype));
}

/* Make numbers part of the last span, if they lie behind it in both trees and it is none before `first`; otherwise a span of
 * their own, for which there is room. No numbers, which may have no memory, are in no span. */
static inline void pytree__rv_put(pytree__rv_spans *spans, size_t first, const pytree_type *x_type, void *x,
                                  const pytree_type *y_type, void *y, size_t n)
{
    pytree__rv_span *s = spans->n == first ? NULL : &spans->at[spans->n - 1];
    if (n == 0) { return; }
    if (s != NULL && s->x_type == x_type->dtype && s->y_type == y_type->dtype && s->x + s->n * x_type->size == (char *)x
        && s->y + s->n * y_type->size == (char *)y) {
        s->n += n;
        return;
    }
    s = &spans->at[spans->n++];
    s->x = (char *)x;
    s->y = (char *)y;
    s->n = n;
    s->count = 1;
    s->stride = 0;
    s->x_type = x_type->dtype;
    s->y_type = y_type->dtype;
}

/* Add the leaves at hand. */
static pytree_status pytree__rv_add_span(pytree__rv_spans *spans, size_t first, pytree_iter *it, const pytree_leaf *x,
                                         const pytree_leaf *y)
{
    if (x->form != PYTREE_FORM_LEAF || y->form != PYTREE_FORM_LEAF || !pytree__rv_takes(spans, x->type, y->type)
        || x->ndim != y->ndim || (x->ndim != 0 && memcmp(x->shape, y->shape, (size_t)x->ndim * sizeof *x->shape) != 0)) {
        return pytree__rv_fail_pair(it, x, y);
    }
    if (spans->n == spans->capacity) {
        void *grown = pytree__stack_grow(spans->at, spans->few, &spans->capacity, spans->n + 1, sizeof *spans->at,
                                         spans->allocator, it->cursors[0].err);
        if (grown == NULL) { return PYTREE_NO_MEMORY; }
        spans->at = (pytree__rv_span *)grown;
    }
    pytree__rv_put(spans, first, x->type, x->data, y->type, y->data, pytree_leaf_count(x));
    return PYTREE_OK;
}

/* Let the spans from `first` on be those of a struct, and of `count` structs of this size in a row. */
static void pytree__rv_repeat(pytree__rv_spans *spans, size_t first, size_t count, size_t size)
{
    size_t i;
    for (i = first; i < spans->n; i++) {
        pytree__rv_span *const s = &spans->at[i];
        s->count = count;
        s->stride = size;
        if (s->n * pytree__rv_number_size(s->x_type) == size && s->x_type == s->y_type) {      /* nothing else in between */
            s->n *= count;
            s->count = 1;
        }
    }
}

/* Do the leaves of a struct that is self-contained, so that its rows are leaves and such structs, lie in it, at the same places
 * in each instance? *statics: they have static values. It calls itself for structs that lie in structs: no deeper than C's
 * declarations. */
static bool pytree__rv_leaves_are_fixed(const pytree_type *type, bool *statics)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    for (; row != end; row++) {
        *statics = *statics || row->row == PYTREE_ROW_STATIC;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->place != PYTREE_IN_PLACE || row->optional != 0) { return false; }
        if (row->form == PYTREE_FORM_STRUCT && !pytree__rv_leaves_are_fixed(row->type, statics)) { return false; }
    }
    return true;
}

/* Count the structs behind the one whose run the iterator has just begun, in the same list in each tree, that differ from it in
 * nothing but numbers. */
static size_t pytree__rv_structs_behind(pytree_iter *it)
{
    const size_t n_trees = it->n_cursors;
    const pytree__cursor *const c = it->cursors;
    const pytree_type *const type = c->frames[c->n_frames - 1].type;
    const pytree__frame *parents[2];
    const pytree_leaf *values[2];
    pytree_leaf views[2];
    bool statics = false;
    size_t k, i, m = SIZE_MAX;
    if (c->n_frames < 2) { return 0; }
    for (k = 0; k < n_trees; k++) {
        const size_t depth = k == 0 ? c->n_frames - 1 : c[k].n_frames;
        const pytree__frame *const f = parents[k] = depth == 0 ? NULL : &c[k].frames[depth - 1];
        if (f == NULL || f->from != PYTREE__FROM_ROW || f->type != type || f->count <= parents[0]->next) { return 0; }
        m = f->count - parents[0]->next < m ? f->count - parents[0]->next : m;
    }
    if (!pytree__rv_leaves_are_fixed(type, &statics)) { return 0; }
    if (!statics || n_trees == 1) { return m; }
    for (i = 0; i < m; i++) {
        for (k = 0; k < 2; k++) {
            pytree__view(&views[k], type, parents[k]->data + (parents[0]->next + i) * type->size);
            values[k] = &views[k];
        }
        if (!pytree__same_statics(type, (const char *)values[0]->data, (const char *)values[1]->data)) { break; }
    }
    return i;
}

/* Add all leaves of the run that the iterator has just begun, and those of the structs behind it that are like it. */
static pytree_status pytree__rv_add_run(pytree__rv_spans *spans, pytree_iter *it)
{
    pytree__cursor *const c = it->cursors;
    const size_t first = spans->n, leaves = c->of.run_left + 1, size = c->frames[c->n_frames - 1].type->size;
    const size_t more = pytree__rv_structs_behind(it);
    pytree_status status;
    size_t i, k;
    for (i = 0;; c->of.run_left--) {         /* for the path of an error */
        status = pytree__rv_add_span(spans, first, it, it->leaf[0] + i, it->leaf[it->n_cursors - 1] + i);
        if (status != PYTREE_OK || ++i == leaves) { break; }
    }
    if (status != PYTREE_OK) { return status; }
    pytree__rv_repeat(spans, first, more + 1, size);
    c->of.run_left = 0;
    if (more != 0) { c->frames[c->n_frames - 2].next += more; }                        /* other trees' frames follow it */
    for (k = 0; k < it->n_cursors && more != 0; k++) { c[k].child.data = (char *)c[k].child.data + more * size; }
    return PYTREE_OK;
}

/* ---- Without a walk ------------------------------------------------------------------------------------------------- */

/* Add the numbers of a struct that has no other leaves, all of them in the struct itself, and *statics: whether it has static
 * values. Returns false if it has, or there is no room. It calls itself as leaves_are_fixed does. */
static bool pytree__rv_put_struct(pytree__rv_spans *spans, size_t first, const pytree_type *type, char *x, char *y,
                                  bool *statics)
{
    const pytree_field *row = type->fields, *const end = row + type->n_fields;
    for (; row != end; row++) {
        *statics = *statics || row->row == PYTREE_ROW_STATIC;
        if (row->row != PYTREE_ROW_DATA) { continue; }
        if (row->place != PYTREE_IN_PLACE || row->optional != 0) { return false; }
        if (row->form == PYTREE_FORM_STRUCT) {
            if (!pytree__rv_put_struct(spans, first, row->type, x + row->offset, y + row->offset, statics)) { return false; }
            continue;
        }
        if (!pytree__rv_takes(spans, row->type, row->type) || spans->n == spans->capacity) { return false; }
        pytree__rv_put(spans, first, row->type, x + row->offset, row->type, y + row->offset, row->size / row->type->size);
    }
    return true;
}

/* Add the numbers of a child, which is a number, an array, a struct or a list of structs. Returns false if it is anything
 * else, or not alike in both trees. */
static bool pytree__rv_put_child(pytree__rv_spans *spans, const pytree_leaf *x, const pytree_leaf *y)
{
    const size_t first = spans->n, count = x->form == PYTREE_FORM_STRUCT ? 1 : x->shape[0];
    bool statics = false;
    size_t i;
    if (x->form != y->form || x->type != y->type || x->ndim != y->ndim
        || (x->ndim != 0 && memcmp(x->shape, y->shape, (size_t)x->ndim * sizeof *x->shape) != 0)) { return false; }
    if (x->form == PYTREE_FORM_LEAF) {
        if (!pytree__rv_takes(spans, x->type, y->type) || spans->n == spans->capacity) { return false; }
        pytree__rv_put(spans, 0, x->type, x->data, y->type, y->data, pytree_leaf_count(x));
        return true;
    }
    if (x->form > PYTREE_FORM_TUPLE || !pytree__has_rows(x->type) || !pytree__contained(x->type)) { return false; }
    if (count == 0) { return true; }
    if (!pytree__rv_put_struct(spans, first, x->type, (char *)x->data, (char *)y->data, &statics)) { return false; }
    for (i = 0; statics && x->data != y->data && i < count; i++) {
        const size_t at = i * x->type->size;
        if (!pytree__same_statics(x->type, (const char *)x->data + at, (const char *)y->data + at)) { return false; }
    }
    pytree__rv_repeat(spans, first, count, x->type->size);
    return true;
}

/* List the numbers of structs of such children: states of simulations, which are few numbers that are computed often, so that
 * a walk would take longer. Returns false for all other trees, and where something is wrong: the walk says what. */
static bool pytree__rv_list_directly(pytree__rv_spans *spans, size_t n_trees, const pytree *trees, const pytree_options *opt)
{
    pytree_leaf views[2][PYTREE__RV_CHILDREN + PYTREE__SPARE];
    const pytree_type *const type = trees[0].type;
    const char *const x = (const char *)trees[0].data, *const y = (const char *)trees[n_trees - 1].data;
    unsigned i;
    if (!PYTREE__LAYOUTS || !pytree__plain_walk(opt) || type == NULL || trees[n_trees - 1].type != type || x == NULL
        || y == NULL || pytree__origin(type) != type || !pytree__has_rows(type) || type->n_children > PYTREE__RV_CHILDREN) {
        return false;
    }
    if (spans->writes && !pytree__contained(type) && pytree__constant_child(type) != SIZE_MAX) { return false; }
    if (pytree__may_lack(type) && (pytree__lacks(type, x, false, NULL) != 0 || pytree__lacks(type, y, false, NULL) != 0)) {
        return false;
    }
    if (pytree__child_views(type, x, views[0]) != 0) { return false; }
    if (x != y && (pytree__child_views(type, y, views[1]) != 0 || !pytree__same_statics(type, x, y))) { return false; }
    for (i = 0; i < type->n_children; i++) {
        if (!pytree__rv_put_child(spans, &views[0][i], &views[x != y][i])) { return false; }
    }
    return true;
}

/* List the numbers of one tree, or of two that have equal structure and shapes. End the list in any case. */
static PYTREE__NOINLINE pytree_status pytree__rv_walk_spans(pytree__rv_spans *spans, size_t n_trees, const pytree *trees,
                                                            const pytree_options *opt, pytree_error *err)
{
    pytree_iter it;
    spans->n = 0;
    if (pytree_iter_begin(&it, n_trees, trees, opt, err) == PYTREE_OK) {
        it.cursors[n_trees - 1].writes = spans->writes;
        while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
            const pytree__cursor *const c = it.cursors;
            const pytree__frame *const f = c->n_frames == 0 ? NULL : &c->frames[c->n_frames - 1];
            it.status = f != NULL && f->run        /* at its first leaf: add_run takes them all */
                ? pytree__rv_add_run(spans, &it)
                : pytree__rv_add_span(spans, spans->n, &it, it.leaf[0], it.leaf[n_trees - 1]);
        }
    }
    pytree_iter_end(&it);
    return it.status;
}

static PYTREE__NOINLINE pytree_status pytree__rv_list_spans(pytree__rv_spans *spans, size_t n_trees, const pytree *trees,
                                                            const pytree_options *opt, pytree_error *err)
{
    spans->n = 0;
    spans->capacity = PYTREE__RV_SPANS;
    spans->at = spans->few;
    spans->allocator = pytree__allocator(opt);
    return pytree__rv_list_directly(spans, n_trees, trees, opt) ? PYTREE_OK
                                                                : pytree__rv_walk_spans(spans, n_trees, trees, opt, err);
}

#include "arithmetic.h"
#endif
