/* pytree/impl/deviation.h: how far apart the numbers of two leaves are. */
#ifndef PYTREE_IMPL_DEVIATION_H
#define PYTREE_IMPL_DEVIATION_H

#include "internal.h"
#include "../deviation.h"

/* Get |a - b| of 64-bit integers, which doubles would round first. */
static double pytree__integer_distance(const pytree_leaf *a, const pytree_leaf *b, size_t i)
{
    const uint64_t top = a->type->dtype == PYTREE_I64 ? UINT64_C(1) << 63 : 0;       /* to the order of unsigned numbers */
    const uint64_t v = ((const uint64_t *)a->data)[i] ^ top, w = ((const uint64_t *)b->data)[i] ^ top;
    return (double)(v < w ? w - v : v - w);
}

/* Compare two numbers. Returns whether they differ. */
static bool pytree__deviate(pytree_deviation *d, const pytree_leaf *a, const pytree_leaf *b, size_t i, size_t element,
                            const pytree_tolerance *tolerance)
{
    const pytree_dtype dtype = a->type->dtype;
    const bool exact = dtype == b->type->dtype && (dtype == PYTREE_I64 || dtype == PYTREE_U64);
    const double x = pytree_leaf_get(a, i), y = pytree_leaf_get(b, i);
    const double distance = exact ? pytree__integer_distance(a, b, i) : fabs(x - y);
    const double larger = fabs(x) > fabs(y) ? fabs(x) : fabs(y);
    const bool finite = x - x == 0 && y - y == 0;
    const bool differs = exact && x == y ? distance != 0 && (tolerance == NULL || distance > tolerance->absolute)
                                         : !pytree__near(x, y, tolerance);
    if (!finite) { d->not_finite += differs; return differs; }
    if (distance > d->absolute) {
        d->absolute = distance;
        d->absolute_at = element;
    }
    if (distance != 0 && distance / larger > d->relative) {    /* infinite where |a - b| is beyond all doubles */
        d->relative = distance / larger;
        d->relative_at = element;
    }
    return differs;
}

/* Compare two leaves. Returns false if they are not numbers of one shape, real or complex both. */
static bool pytree__deviation_of(pytree_deviation *d, const pytree_leaf *a, const pytree_leaf *b,
                                 const pytree_tolerance *tolerance)
{
    pytree_leaf p, q;
    const bool complex_a = pytree__parts(a, &p), complex_b = pytree__parts(b, &q);
    const size_t n = pytree_leaf_count(a), parts = complex_a ? 2 : 1;
    size_t i, k;
    memset(d, 0, sizeof *d);
    d->elements = n;
    d->first = SIZE_MAX;
    if (a->form != PYTREE_FORM_LEAF || b->form != PYTREE_FORM_LEAF || a->data == NULL || b->data == NULL
        || complex_a != complex_b || !pytree__real(p.type) || !pytree__real(q.type) || a->ndim != b->ndim
        || memcmp(a->shape, b->shape, (size_t)a->ndim * sizeof *a->shape) != 0) {
        return false;
    }
    for (i = 0; i < n; i++) {
        bool differs = false;
        for (k = 0; k < parts; k++) { differs = pytree__deviate(d, &p, &q, parts * i + k, i, tolerance) || differs; }
        if (differs && d->first == SIZE_MAX) { d->first = i; }
        d->differing += differs;
    }
    return true;
}

#include "deviation_list.h"
#endif
