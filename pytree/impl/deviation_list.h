/* pytree/impl/deviation_list.h: comparisons with a tolerance for each path, and the table of how far leaves are apart. */
#ifndef PYTREE_IMPL_DEVIATION_LIST_H
#define PYTREE_IMPL_DEVIATION_LIST_H

#include "deviation.h"
#include "diff.h"

/* ---- Compare ------------------------------------------------------------------------------------------------------- */

/* Get the tolerance of a leaf. `context`: a pytree_groups, of which a walk that went otherwise may have fewer leaves. */
static const pytree_tolerance *pytree__tolerance_of(const void *context, size_t leaf)
{
    const pytree_groups *const g = (const pytree_groups *)context;
    return leaf < g->n_leaves ? (const pytree_tolerance *)g->groups[g->of[leaf]].settings : NULL;
}

/* Make room for an iterator: subtrees are compared while it is at hand, and both are much for a stack. */
static pytree_iter *pytree__deviation_iter(const pytree_options *opt, pytree_error *err)
{
    return (pytree_iter *)pytree__array_new(1, sizeof(pytree_iter), pytree__allocator(opt), err);
}

/* Compare the leaves that an iterator has come to. */
static pytree_status pytree__compare_within(pytree_iter *it, const pytree_tolerance *tolerance, const pytree_options *opt)
{
    const pytree_leaf *const x = it->leaf[0], *const y = it->leaf[1];
    pytree_status status = pytree__fits(x, y);
    if (status != PYTREE_OK) {
        return pytree__fail_misfit(&it->cursors[0], x->form != y->form ? PYTREE_STRUCTURE : status, x, y);
    }
    if (x->form == PYTREE_FORM_LEAF) { return pytree__compare_values(it, tolerance); }
    if (x->form == PYTREE_FORM_DEVICE) { return pytree__fail_device(&it->cursors[0], x); }
    if (x->form == PYTREE_FORM_NONE) { return PYTREE_OK; }
    status = pytree__need_host_below(it);
    if (status == PYTREE_OK) { status = pytree__alg_compare_subtrees(x, y, tolerance, opt, it->cursors[0].err); }
    if (status != PYTREE_VALUE) { return status; }
    return pytree__fail_at(&it->cursors[0], PYTREE_VALUE, "expected the subtree %.60s of the first tree, got another",
                           pytree__view_name(x));
}

bool pytree_equal_within(pytree a, pytree b, size_t n, const pytree_group *tolerances, const pytree_options *opt,
                         pytree_error *err)
{
    pytree_groups *const groups = pytree_groups_new(n, tolerances, a, opt, err);
    pytree_iter *const it = groups == NULL ? NULL : pytree__deviation_iter(opt, err);
    pytree_status status = PYTREE_NO_MEMORY;
    pytree both[2];
    both[0] = a;
    both[1] = b;
    if (it != NULL) {
        (void)pytree_iter_begin(it, 2, both, opt, err);
        while (it->status == PYTREE_OK && pytree_iter_next(it)) {
            it->status = pytree__compare_within(it, pytree__tolerance_of(groups, it->index), opt);
        }
        pytree_iter_end(it);
        status = it->status;
        pytree__array_free(it, 1, sizeof *it, pytree__allocator(opt));
    }
    pytree_groups_free(groups);
    return status == PYTREE_OK;
}

pytree_difference_list *pytree_diff_within(pytree a, pytree b, size_t n, const pytree_group *tolerances,
                                           const pytree_options *opt, pytree_error *err)
{
    pytree_groups *const groups = pytree_groups_new(n, tolerances, a, opt, err);
    pytree_difference_list *list;
    struct pytree__alg_diff d;
    if (groups == NULL) { return NULL; }
    memset(&d, 0, sizeof d);
    d.tolerance_of = pytree__tolerance_of;
    d.context = groups;
    d.opt = opt;
    d.err = err;
    list = pytree__alg_diff_run(&d, a, b);
    pytree_groups_free(groups);
    return list;
}

/* ---- Measure ------------------------------------------------------------------------------------------------------- */

/* Measure the leaves that an iterator has come to. */
static pytree_status pytree__measure_deviation(pytree_deviation *d, const pytree_iter *it, const pytree_tolerance *tolerance)
{
    const pytree_leaf *const x = it->leaf[0], *const y = it->leaf[1];
    pytree_status status;
    if (pytree__deviation_of(d, x, y, tolerance)) { return PYTREE_OK; }
    status = pytree__fits(x, y);
    if (status != PYTREE_OK) { return pytree__fail_misfit(&it->cursors[0], status, x, y); }
    if (x->form == PYTREE_FORM_DEVICE) { return pytree__fail_device(&it->cursors[0], x); }
    if (x->form == PYTREE_FORM_NONE || x->data == NULL || y->data == NULL) { return PYTREE_OK; }       /* only shapes */
    if (x->form == PYTREE_FORM_LEAF) {
        d->first = pytree__first_difference(x, y, tolerance);
        d->differing = d->first != SIZE_MAX;
    } else {
        status = pytree__need_host_below(it);
        if (status != PYTREE_OK) { return status; }
        status = pytree__alg_compare_subtrees(x, y, tolerance, it->cursors[0].opt, it->cursors[0].err);
        if (status == PYTREE_NO_MEMORY) { return status; }
        if (status != PYTREE_OK) {
            d->first = 0;
            d->differing = 1;
        }
    }
    return PYTREE_OK;
}

static void pytree__deviations_fill(pytree_deviation_list *list, const pytree both[2], const pytree_groups *groups,
                                    const pytree_options *opt, pytree_error *err)
{
    pytree_deviation *const leaves = (pytree_deviation *)(uintptr_t)list->leaves;
    pytree_iter *const it = pytree__deviation_iter(opt, err);
    size_t next = 0;
    if (it == NULL) { return; }
    (void)pytree_iter_begin(it, 2, both, opt, err);
    for (; pytree_iter_next(it) && next < list->n; next++) {
        const pytree_tolerance *const tolerance = groups == NULL ? NULL : pytree__tolerance_of(groups, next);
        if (pytree__measure_deviation(&leaves[next], it, tolerance) != PYTREE_OK) { break; }
        leaves[next].path = list->paths[next];
        list->n_differing += leaves[next].differing != 0;
    }
    pytree_iter_end(it);
    pytree__array_free(it, 1, sizeof *it, pytree__allocator(opt));
    if (err->status == PYTREE_OK && next != list->n) { (void)pytree__fail_unstable_callback(err); }
}

pytree_deviation_list *pytree_deviations(pytree a, pytree b, size_t n, const pytree_group *tolerances,
                                         const pytree_options *opt, pytree_error *err)
{
    pytree_deviation_list *list = NULL;
    pytree_groups *groups = NULL;
    const char **paths;
    pytree_error own;
    pytree both[2];
    size_t n_leaves = 0;
    memset(&own, 0, sizeof own);
    both[0] = a;
    both[1] = b;
    paths = pytree_paths(a, NULL, &n_leaves, opt, &own);
    if (paths != NULL && n != 0) { groups = pytree_groups_new(n, tolerances, a, opt, &own); }
    if (own.status == PYTREE_OK) {
        const size_t bytes = pytree__plus(sizeof *list, pytree__times(n_leaves, sizeof(pytree_deviation)));
        list = (pytree_deviation_list *)pytree__array_new(bytes, 1, pytree__allocator(opt), &own);
    }
    if (list != NULL) {
        memset(list, 0, sizeof *list);
        list->n = n_leaves;
        list->leaves = (const pytree_deviation *)(const void *)(list + 1);
        list->paths = paths;
        list->allocator = pytree__allocator(opt);
        pytree__deviations_fill(list, both, groups, opt, &own);
    } else {
        pytree_paths_free(paths);
    }
    pytree_groups_free(groups);
    if (own.status == PYTREE_OK) { return list; }
    pytree_deviation_free(list);
    (void)pytree__alg_status(&own, err);
    return NULL;
}

void pytree_deviation_free(pytree_deviation_list *list)
{
    if (list == NULL) { return; }
    pytree_paths_free(list->paths);
    pytree__array_free(list, sizeof *list + list->n * sizeof(pytree_deviation), 1, list->allocator);
}

/* ---- Print --------------------------------------------------------------------------------------------------------- */

enum { PYTREE__DEVIATION_COLUMNS = 4 };

/* Write a cell of a row: the path, "3 of 12", "0.25 at 7", or of row SIZE_MAX the column's title. */
static void pytree__deviation_cell(struct pytree__text_writer *to, const pytree_deviation_list *list, size_t row, int column)
{
    static const char *const titles[] = { "path", "differing", "largest error", "relative error" };
    const pytree_deviation *const d = row == SIZE_MAX ? NULL : &list->leaves[row];
    if (d == NULL) { pytree__put_text(to, titles[column]); return; }
    if (column == 0) { pytree__put_text(to, d->path); return; }
    if (column == 1) {
        pytree__put_number(to, d->differing);
        pytree__put_text(to, " of ");
        pytree__put_number(to, d->elements);
        return;
    }
    pytree__put_float(to, (long double)(float)(column == 2 ? d->absolute : d->relative), 'f');
    if ((column == 2 ? d->absolute : d->relative) == 0) { return; }
    pytree__put_text(to, " at ");
    pytree__put_number(to, column == 2 ? d->absolute_at : d->relative_at);
}

static size_t pytree__deviation_width(const pytree_deviation_list *list, size_t row, int column)
{
    struct pytree__text_writer count = pytree__text_to(NULL, 0, NULL);
    pytree__deviation_cell(&count, list, row, column);
    return count.length;
}

static void pytree__deviation_row(struct pytree__text_writer *to, const pytree_deviation_list *list, size_t row,
                                  const size_t widths[PYTREE__DEVIATION_COLUMNS])
{
    int column;
    for (column = 0; column < PYTREE__DEVIATION_COLUMNS; column++) {
        size_t n = pytree__deviation_width(list, row, column);
        pytree__text_put(to, "| ", 2);
        pytree__deviation_cell(to, list, row, column);
        for (; n <= widths[column]; n++) { pytree__text_put(to, " ", 1); }
    }
    pytree__text_put(to, "|\n", 2);
}

static void pytree__put_deviations(struct pytree__text_writer *to, const pytree_deviation_list *list)
{
    size_t widths[PYTREE__DEVIATION_COLUMNS], i, n;
    int column;
    if (list == NULL) { return; }
    for (column = 0; column < PYTREE__DEVIATION_COLUMNS; column++) {
        widths[column] = pytree__deviation_width(list, SIZE_MAX, column);
        for (i = 0; i < list->n; i++) {
            n = pytree__deviation_width(list, i, column);
            if (n > widths[column]) { widths[column] = n; }
        }
    }
    pytree__deviation_row(to, list, SIZE_MAX, widths);
    for (column = 0; column < PYTREE__DEVIATION_COLUMNS; column++) {
        pytree__text_put(to, "|:", 2);
        for (n = 0; n <= widths[column]; n++) { pytree__text_put(to, "-", 1); }
    }
    pytree__text_put(to, "|\n", 2);
    for (i = 0; i < list->n; i++) { pytree__deviation_row(to, list, i, widths); }
}

pytree_status pytree_deviation_print(FILE *file, const pytree_deviation_list *list, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree__put_deviations(&to, list);
    return pytree__written(file, err);
}

size_t pytree_deviation_text(const pytree_deviation_list *list, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__put_deviations(&to, list);
    return pytree__end_text(&to, n);
}
#endif
