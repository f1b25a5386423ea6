/* pytree/impl/reduce.h: folds over leaves: reduce, sum, max, min, all, any. */
#ifndef PYTREE_IMPL_REDUCE_H
#define PYTREE_IMPL_REDUCE_H

#include "internal.h"

pytree_status pytree_reduce(pytree_map_fn *fn, void *context, pytree t, const pytree_options *opt, pytree_error *err)
{
    return pytree_map(fn, context, NULL, 1, &t, opt, err);
}

/* Folds pairwise, with a stack of partial results, each over half of the leaves that are left: [first half][first half of the
 * second] … */
struct pytree__pairwise {
    pytree_status (*leaf)(void *context, const pytree_iter *at, void *value);
    pytree_status (*join)(void *context, void *a, const void *b);
    void *context;
    char *stack;
    size_t size, depth;
    size_t first[64], count[64];          /* the open ranges of leaves, from the whole to the one at hand */
    size_t n_ranges;
};

static pytree_status pytree__pairwise_leaf(void *context, const pytree_iter *at)
{
    struct pytree__pairwise *p = (struct pytree__pairwise *)context;
    pytree_status status;
    while (p->count[p->n_ranges - 1] > 1) {                    /* down to the range of this leaf alone */
        size_t k = p->n_ranges++;
        p->first[k] = p->first[k - 1];
        p->count[k] = p->count[k - 1] / 2;
    }
    status = p->leaf(p->context, at, p->stack + p->depth++ * p->size);
    while (status == PYTREE_OK && p->n_ranges > 1) {
        size_t k = p->n_ranges - 1, whole = p->count[k - 1], half = whole / 2;
        if (p->first[k] == p->first[k - 1]) {                  /* that was a first half: now the second */
            p->first[k] += half;
            p->count[k] = whole - half;
            break;
        }
        p->depth--;
        status = p->join(p->context, p->stack + (p->depth - 1) * p->size, p->stack + p->depth * p->size);
        p->n_ranges--;
    }
    return status;
}

pytree_status pytree_reduce_pairwise(pytree_status (*leaf)(void *context, const pytree_iter *at, void *value),
                                     pytree_status (*join)(void *context, void *a, const void *b), void *context, size_t size,
                                     void *result, pytree t, const pytree_options *opt, pytree_error *err)
{
    struct pytree__pairwise p;
    size_t n, bytes = pytree__times(66, size);
    pytree_status status;
    if (leaf == NULL || join == NULL || result == NULL || size == 0) {
        return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected two functions and a place for the result, got NULL or 0");
    }
    status = pytree__count_leaves(t, NULL, 0, &n, opt, err);
    if (status != PYTREE_OK) { return status; }
    if (n == 0) { return pytree_fail(err, PYTREE_EMPTY, NULL, "expected at least one leaf, got none"); }
    p.leaf = leaf;
    p.join = join;
    p.context = context;
    p.size = size;
    p.depth = 0;
    p.first[0] = 0;
    p.count[0] = n;
    p.n_ranges = 1;
    p.stack = (char *)pytree__resize(pytree__allocator(opt), NULL, 0, bytes);
    if (p.stack == NULL) { return pytree__no_memory(err, bytes); }
    status = pytree_map(pytree__pairwise_leaf, &p, NULL, 1, &t, opt, err);
    if (status == PYTREE_OK) { memcpy(result, p.stack, size); }
    pytree__resize(pytree__allocator(opt), p.stack, bytes, 0);
    return status;
}

struct pytree__fold_state {
    double value;
    double lost;                          /* of a sum: what rounding has cost it so far, as Neumaier adds it up */
    size_t count;
    bool flag;
    int what;                             /* 'a'll, 'o'r (any), 's'um, '>' max, '<' min */
    pytree_error *err;
};

static double pytree__sum_range(const pytree_leaf *leaf, size_t from, size_t n)
{
    double sum = 0;
    size_t i;
    if (n > 64) {
        return pytree__sum_range(leaf, from, n / 2) + pytree__sum_range(leaf, from + n / 2, n - n / 2);
    } /* at most 64 deep */
    for (i = 0; i < n; i++) { sum += pytree_leaf_get(leaf, from + i); }
    return sum;
}

static pytree_status pytree__fold_leaf(void *context, const pytree_iter *at)
{
    struct pytree__fold_state *fold = (struct pytree__fold_state *)context;
    const pytree_leaf *leaf = at->leaf[0];
    size_t n, i;
    if ((fold->what == 'a' || fold->what == 'o') && leaf->form == PYTREE_FORM_LEAF && leaf->type->dtype == PYTREE_TEXT) {
        const size_t room = leaf->ndim == 0 ? 1 : leaf->shape[leaf->ndim - 1];
        n = pytree_leaf_count(leaf);
        for (i = 0; i < n; i += room) {
            const bool yes = ((const char *)leaf->data)[i] != '\0';
            fold->flag = fold->what == 'a' ? fold->flag && yes : fold->flag || yes;
        }
        return PYTREE_OK;
    }
    if ((fold->what == 'a' || fold->what == 'o')
        && (leaf->form == PYTREE_FORM_NONE || (leaf->form == PYTREE_FORM_LEAF && leaf->type->dtype == PYTREE_STRING))) {
        n = leaf->form == PYTREE_FORM_NONE ? 1 : pytree_leaf_count(leaf);
        for (i = 0; i < n; i++) {
            const char *s = leaf->form == PYTREE_FORM_NONE ? NULL : ((const char *const *)leaf->data)[i];
            const bool yes = s != NULL && s[0] != '\0';
            fold->flag = fold->what == 'a' ? fold->flag && yes : fold->flag || yes;
        }
        return PYTREE_OK;
    }
    if (leaf->form != PYTREE_FORM_LEAF || !pytree__real(leaf->type)) {
        pytree__iter_seek(at);
        if (PYTREE__DEVICES && leaf->form == PYTREE_FORM_DEVICE) { return pytree__fail_device(&at->cursors[0], leaf); }
        return pytree__fail_at(&at->cursors[0], PYTREE_TYPE, "expected real numbers, got %s",
                               leaf->form == PYTREE_FORM_NONE ? "None" : pytree_dtype_name(leaf->type));
    }
    n = pytree_leaf_count(leaf);
    if (fold->what == 's') {
        double v = pytree__sum_range(leaf, 0, n), sum = fold->value + v;
        if (isfinite(sum)) { fold->lost += fabs(fold->value) >= fabs(v) ? (fold->value - sum) + v : (v - sum) + fold->value; }
        fold->value = sum;
        fold->count += n;
        return PYTREE_OK;
    }
    for (i = 0; i < n; i++) {
        double v = pytree_leaf_get(leaf, i);
        switch (fold->what) {
        case 'a': fold->flag = fold->flag && v != 0; break;
        case 'o': fold->flag = fold->flag || v != 0; break;
        case '>':
            if (fold->count == 0 || v > fold->value || v != v) { fold->value = fold->value != fold->value ? fold->value : v; }
            break;
        default:
            if (fold->count == 0 || v < fold->value || v != v) { fold->value = fold->value != fold->value ? fold->value : v; }
            break;
        }
        fold->count++;
    }
    return PYTREE_OK;
}

static pytree_status pytree__fold(struct pytree__fold_state *fold, int what, pytree t, const pytree_options *opt,
                                  pytree_error *err)
{
    pytree_status status;
    fold->value = fold->lost = 0;
    fold->count = 0;
    fold->flag = what == 'a';
    fold->what = what;
    fold->err = err;
    status = pytree_map(pytree__fold_leaf, fold, NULL, 1, &t, opt, err);
    if (status == PYTREE_OK && fold->count == 0 && (what == '<' || what == '>')) {
        status = pytree_fail(err, PYTREE_EMPTY, NULL, "expected at least one element, got none");
    }
    return status;
}

pytree_status pytree_all(pytree t, bool *result, const pytree_options *opt, pytree_error *err)
{
    struct pytree__fold_state fold;
    pytree_status status = pytree__fold(&fold, 'a', t, opt, err);
    if (status == PYTREE_OK) { *result = fold.flag; }
    return status;
}

pytree_status pytree_any(pytree t, bool *result, const pytree_options *opt, pytree_error *err)
{
    struct pytree__fold_state fold;
    pytree_status status = pytree__fold(&fold, 'o', t, opt, err);
    if (status == PYTREE_OK) { *result = fold.flag; }
    return status;
}

static pytree_status pytree__fold_number(int what, pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    struct pytree__fold_state fold;
    pytree_status status = pytree__fold(&fold, what, t, opt, err);
    if (status == PYTREE_OK) { *result = isfinite(fold.value) ? fold.value + fold.lost : fold.value; }
    return status;
}

pytree_status pytree_sum(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    return pytree__fold_number('s', t, result, opt, err);
}

pytree_status pytree_max(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    return pytree__fold_number('>', t, result, opt, err);
}

pytree_status pytree_min(pytree t, double *result, const pytree_options *opt, pytree_error *err)
{
    return pytree__fold_number('<', t, result, opt, err);
}
#endif
