/* pytree/impl/checkpoint_match.h: matching leaves to a file's arrays, and converting between element types. */
#ifndef PYTREE_IMPL_CHECKPOINT_MATCH_H
#define PYTREE_IMPL_CHECKPOINT_MATCH_H

#include "checkpoint_report.h"

/* ---- Leaves and arrays --------------------------------------------------------------------------------------------- */

bool pytree__convertible(pytree_dtype dtype)
{
    return dtype == PYTREE_F16 || dtype == PYTREE_BF16 || dtype == PYTREE_F32 || dtype == PYTREE_F64;
}

/* Tell whether a tensor's shape fits a leaf. `slices`: the number of leaves that ask for a slice of it. */
static bool pytree__shape_fits(const pytree_leaf *leaf, ptrdiff_t slice, size_t slices, const pytree_tensor *tensor)
{
    size_t skip = slice == PYTREE_WHOLE ? 0 : 1, i;
    if (tensor->ndim != (size_t)leaf->ndim + skip) { return false; }
    if (skip != 0 && (tensor->shape[0] != slices || (uint64_t)slice >= tensor->shape[0])) { return false; }
    for (i = 0; i < (size_t)leaf->ndim; i++) {
        if (tensor->shape[i + skip] != leaf->shape[i]) { return false; }
    }
    return true;
}

static unsigned pytree__compare_leaf(const pytree__wanted *w, size_t i, size_t slices, const pytree_tensor *tensor)
{
    const pytree_leaf *leaf = &w->leaves[i];
    pytree_dtype has = tensor->type == NULL ? PYTREE_NO_DTYPE : tensor->type->dtype, wants = leaf->type->dtype;
    bool fits = has == wants || (w->opt->convert && pytree__convertible(has) && pytree__convertible(wants));
    return (fits ? 0 : 1u << PYTREE__WRONG_DTYPE)
           | (pytree__shape_fits(leaf, w->slices[i], slices, tensor) ? 0 : 1u << PYTREE__WRONG_SHAPE);
}

/* Order leaves by address, empty ones last, otherwise in tree order. */
static int pytree__by_memory(const void *context, size_t a, size_t b)
{
    const pytree_leaf *leaves = ((const pytree__wanted *)context)->leaves;
    uintptr_t x = (uintptr_t)leaves[a].data, y = (uintptr_t)leaves[b].data;
    bool no_x = pytree_leaf_bytes(&leaves[a]) == 0, no_y = pytree_leaf_bytes(&leaves[b]) == 0;
    if (no_x != no_y) { return no_x ? 1 : -1; }
    return x < y ? -1 : x > y;
}

static size_t *pytree__memory_order(const pytree__wanted *w, size_t *bytes)
{
    size_t *order, i;
    *bytes = pytree__plus(pytree__times(w->n, 2 * sizeof *order), 1);
    order = (size_t *)pytree__resize(w->opt->tree.allocator, NULL, 0, *bytes);
    if (order == NULL) { (void)pytree__no_memory(w->err, *bytes); return NULL; }
    for (i = 0; i < w->n; i++) { order[i] = i; }
    pytree__sort_numbers(order, w->n, pytree__by_memory, w);
    return order;
}

/* Tell whether two leaves are the same array, so that one of them is enough. */
static bool pytree__same_memory(const pytree_leaf *a, const pytree_leaf *b)
{
    return a->data == b->data && a->data != NULL && pytree_leaf_bytes(a) != 0 && pytree__fits(a, b) == PYTREE_OK;
}

/* Fill a missing name from another leaf that shares its memory and is in the file. */
static pytree_status pytree__excuse_shared(pytree__wanted *w)
{
    size_t bytes, i, first = 0, found;
    size_t *order = pytree__memory_order(w, &bytes);
    if (order == NULL) { return PYTREE_NO_MEMORY; }
    for (; first < w->n; first = i) {                          /* leaves with one address */
        const void *data = w->leaves[order[first]].data;
        for (found = first; found < w->n && w->leaves[order[found]].data == data
                            && ((w->problems[order[found]] & PYTREE__MISMATCHES) != 0 || w->tensors[order[found]] == SIZE_MAX);
             found++) {}
        for (i = first; i < w->n && w->leaves[order[i]].data == data; i++) {
            if (found < w->n && (w->problems[order[i]] & 1u << PYTREE__MISSING) != 0
                && pytree__same_memory(&w->leaves[order[found]], &w->leaves[order[i]])) {
                w->problems[order[i]] &= (unsigned char)~(1u << PYTREE__MISSING);
            }
        }
    }
    (void)pytree__resize(w->opt->tree.allocator, order, bytes, 0);
    return PYTREE_OK;
}

static pytree_status pytree__refuse_shared(pytree__wanted *w, size_t a, size_t b)
{
    struct pytree__seeker s;
    char first[200] = "";
    size_t low = a < b ? a : b, high = a < b ? b : a;
    pytree_status status = pytree__seek_begin(&s, w, NULL);
    while (status == PYTREE_OK && pytree__seek(&s)) {
        if (s.it.index == w->numbers[low]) { (void)pytree_iter_path_text(&s.it, first, sizeof first); }
        if (s.it.index == w->numbers[high]) {
            status = pytree__fail_at(&s.it.cursors[0], PYTREE_SHARED, "expected memory of its own, got %s that of %s",
                                     pytree__same_memory(&w->leaves[a], &w->leaves[b]) ? "all of" : "some of", first);
        }
    }
    if (status == PYTREE_OK) { status = s.it.status != PYTREE_OK ? s.it.status : pytree__fail_unstable_callback(w->err); }
    pytree__seek_end(&s);
    return status;
}

pytree_status pytree__wanted_shared(pytree__wanted *w)
{
    size_t bytes, i, k, first = 0, *order;
    pytree_status status = PYTREE_OK;
    if (w->opt->shared == PYTREE_SHARED_EACH || w->n == 0) { return PYTREE_OK; }
    order = pytree__memory_order(w, &bytes);
    if (order == NULL) { return PYTREE_NO_MEMORY; }
    for (i = 1; i < w->n && status == PYTREE_OK && pytree_leaf_bytes(&w->leaves[order[i]]) != 0; i++) {
        const pytree_leaf *a = &w->leaves[order[first]], *b = &w->leaves[order[i]];
        if ((uintptr_t)b->data - (uintptr_t)a->data >= pytree_leaf_bytes(a)) { first = i; continue; }
        if (w->opt->shared == PYTREE_SHARED_REFUSED) { status = pytree__refuse_shared(w, order[first], order[i]); }
        else if (pytree__same_memory(a, b)) { w->names[order[i]] = NULL; }         /* a part of another array keeps its name */
    }
    for (i = k = 0; i < w->n; i++) {
        if (w->names[i] == NULL) { continue; }
        w->leaves[k] = w->leaves[i];
        w->names[k] = w->names[i];
        w->slices[k] = w->slices[i];
        w->numbers[k++] = w->numbers[i];
    }
    w->n = k;
    (void)pytree__resize(w->opt->tree.allocator, order, bytes, 0);
    return status;
}

/* Match the leaves that ask for one name, from place k to `end` of their order, with array t (SIZE_MAX: there is none). */
static void pytree__match_name(pytree__wanted *w, size_t k, size_t end, size_t t, const pytree_tensor *tensors)
{
    const size_t slices = end - k;
    const char *separator = w->opt->separator == NULL ? "." : w->opt->separator;
    const bool kept = t == SIZE_MAX && pytree__glob_any(w->opt->allow_missing, w->opt->n_allow_missing,
                                                        w->names[w->by_name.order[k]], separator);
    for (; k < end; k++) {
        size_t i = w->by_name.order[k];
        w->tensors[i] = t;
        w->problems[i] |= (unsigned char)(kept ? 1u << PYTREE__KEPT : t == SIZE_MAX ? 1u << PYTREE__MISSING
                                          : pytree__compare_leaf(w, i, slices, &tensors[t]));
    }
}

/* Tell which arrays that no leaf asks for are allowed. */
static void pytree__match_unused(const pytree__wanted *w, const pytree__name_index *by_name, unsigned char *uses)
{
    const char *separator = w->opt->separator == NULL ? "." : w->opt->separator;
    size_t t;
    if (w->opt->n_allow_unexpected == 0) { return; }
    for (t = 0; t < by_name->n; t++) {
        if (uses[t] == PYTREE__UNUSED && pytree__glob_any(w->opt->allow_unexpected, w->opt->n_allow_unexpected,
                                                          pytree__name_at(by_name, t), separator)) {
            uses[t] = PYTREE__UNNEEDED;
        }
    }
}

pytree_status pytree__match(pytree__wanted *w, const pytree_tensor *tensors, const pytree__name_index *by_name)
{
    const pytree_allocator *a = w->opt->tree.allocator;
    size_t k, next, t;
    unsigned char *uses = (unsigned char *)pytree__resize(a, NULL, 0, by_name->n + 1);
    unsigned seen = 0;                    /* kinds of problems and decisions */
    bool all = true, exactly = w->left_out == 0;
    pytree_status status = PYTREE_OK;
    if (uses == NULL) { return pytree__no_memory(w->err, by_name->n + 1); }
    memset(uses, PYTREE__UNUSED, by_name->n + 1);
    for (k = 0; k < w->n; k = next) {                          /* leaves that ask for one name stand together */
        const char *name = w->names[w->by_name.order[k]];
        for (next = k + 1; next < w->n && strcmp(w->names[w->by_name.order[next]], name) == 0; next++) {}
        t = pytree__name_index_find(by_name, name);
        if (t != SIZE_MAX) { uses[t] = PYTREE__USED; }
        pytree__match_name(w, k, next, t, tensors);
    }
    pytree__match_unused(w, by_name, uses);
    for (k = 0; k < w->n; k++) { seen |= w->problems[k]; }
    if ((seen & 1u << PYTREE__MISSING) != 0 && w->opt->shared == PYTREE_SHARED_ONCE) {
        status = pytree__excuse_shared(w);
        for (seen = 0, k = 0; k < w->n; k++) { seen |= w->problems[k]; }
    }
    for (k = 0; k < by_name->n; k++) {
        all = all && uses[k] != PYTREE__UNUSED;
        exactly = exactly && uses[k] == PYTREE__USED;
    }
    if (status == PYTREE_OK && ((seen & PYTREE__MISMATCHES) != 0 || !all
                                || (w->opt->report != NULL && (seen != 0 || !exactly)))) {
        status = pytree__report_all(w, tensors, by_name->n, uses);
    } else if (status == PYTREE_OK && w->opt->report != NULL) {
        pytree_report_free(w->opt->report);
    }
    (void)pytree__resize(a, uses, by_name->n + 1, 0);
    return status;
}

/* ---- Conversion ---------------------------------------------------------------------------------------------------- */

static double pytree__widen(pytree_dtype dtype, const char *at)
{
    uint16_t half;
    float single;
    double value;
    switch (dtype) {
    case PYTREE_F16: memcpy(&half, at, sizeof half); return pytree__of_f16(half);
    case PYTREE_BF16: memcpy(&half, at, sizeof half); return pytree__of_bf16(half);
    case PYTREE_F32: memcpy(&single, at, sizeof single); return (double)single;
    default: memcpy(&value, at, sizeof value); return value;
    }
}

void pytree__convert(pytree_dtype to_dtype, void *to, pytree_dtype from_dtype, const void *from, size_t n)
{
    const size_t size = from_dtype == PYTREE_F64 ? 8 : from_dtype == PYTREE_F32 ? 4 : 2;
    const char *at = (const char *)from;
    size_t i;
    for (i = 0; i < n; i++, at += size) {
        double v = pytree__widen(from_dtype, at);
        switch (to_dtype) {
        case PYTREE_F16: ((pytree_f16 *)to)[i].bits = pytree__to_half(v, 10); break;
        case PYTREE_BF16: ((pytree_bf16 *)to)[i].bits = pytree__to_half(v, 7); break;
        case PYTREE_F32: ((float *)to)[i] = (float)v; break;
        default: ((double *)to)[i] = v; break;
        }
    }
}

#endif
