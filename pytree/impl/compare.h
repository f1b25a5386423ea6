/* pytree/impl/compare.h: copying and comparing trees value by value. */
#ifndef PYTREE_IMPL_COMPARE_H
#define PYTREE_IMPL_COMPARE_H

#include "internal.h"

/* Compares leaves that are to be copied, one of which may lie on a device. */
static PYTREE__NOINLINE pytree_status pytree__fits_device(const pytree_iter *it, const pytree_options *opt)
{
    pytree_leaf x = *it->leaf[0], y = *it->leaf[1];
    const bool device = x.form == PYTREE_FORM_DEVICE || y.form == PYTREE_FORM_DEVICE;
    pytree_status status;
    if (pytree_is_leaf(&x) && pytree_is_leaf(&y)) { x.form = y.form = PYTREE_FORM_LEAF; }
    status = pytree__fits(&x, &y);
    if (status != PYTREE_OK) { return pytree__fail_misfit(&it->cursors[0], status, it->leaf[0], it->leaf[1]); }
    if (!device || (opt != NULL && opt->memory != NULL && opt->memory->copy != NULL)) { return PYTREE_OK; }
    return pytree__fail_at(&it->cursors[0], PYTREE_ARGUMENT,
                           "expected opt->memory with `copy` for an array on a device, got none");
}

/* Copies the leaves of trees that are alike, some of which lie on a device. */
static PYTREE__NOINLINE void pytree__copy_devices(pytree_iter *it, const pytree_options *opt)
{
    while (it->status == PYTREE_OK && pytree_iter_next(it)) {
        const pytree_leaf *const x = it->leaf[0], *const y = it->leaf[1];
        const size_t bytes = pytree_is_leaf(y) ? pytree_leaf_bytes(y) : 0;
        if (bytes == 0) { continue; }
        if (x->form != PYTREE_FORM_DEVICE && y->form != PYTREE_FORM_DEVICE) {
            memmove(x->data, y->data, bytes);
        } else if (!opt->memory->copy(opt->memory->context, x->data, y->data, bytes)) {
            it->status = pytree__fail_at(&it->cursors[0], PYTREE_IO,
                                         "expected %zu bytes to be copied, got a failure of opt->memory", bytes);
        }
    }
}

pytree_status pytree_copy_into(pytree dst, pytree src, const pytree_options *opt, pytree_error *err)
{
    pytree both[2];
    pytree_leaf views[PYTREE__MORE_VIEWS];
    pytree_options all;
    pytree_iter it;
    both[0] = dst;
    both[1] = src;
    if (opt != NULL && opt->is_leaf != NULL) {               /* values below a leaf are copied, too */
        all = *opt;
        all.is_leaf = NULL;
        opt = &all;
    }
    if (pytree__iter_start(&it, views, 2, both, opt, err) == PYTREE_OK) {
        it.cursors[0].writes = true;
        while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
            const pytree_leaf *const x = it.leaf[0], *const y = it.leaf[1];
            it.status = pytree__fits(x, y);
            if (PYTREE__DEVICES && it.cursors[0].met_device) { it.status = pytree__fits_device(&it, opt); }
            else if (it.status != PYTREE_OK) { it.status = pytree__fail_misfit(&it.cursors[0], it.status, x, y); }
        }
    }
    if (it.status == PYTREE_OK) { it.status = pytree__iter_again(&it, both); }
    if (PYTREE__DEVICES && it.cursors[0].met_device) { pytree__copy_devices(&it, opt); }
    while (it.status == PYTREE_OK && pytree_iter_next(&it)) {
        const size_t bytes = it.leaf[1]->form == PYTREE_FORM_LEAF ? pytree_leaf_bytes(it.leaf[1]) : 0;
        if (bytes != 0) { memmove(it.leaf[0]->data, it.leaf[1]->data, bytes); }
    }
    pytree_iter_end(&it);
    return it.status;
}

/* Finds the first string that differs in two arrays of n characters. What stands behind its end does not count. */
static PYTREE__APART_CLANG size_t pytree__first_other_text(const pytree_leaf *a, const pytree_leaf *b, size_t n)
{
    const size_t room = a->ndim == 0 ? 1 : a->shape[a->ndim - 1];
    size_t i;
    for (i = 0; i < n; i += room) {
        if (!pytree__same_text((const char *)a->data + i, (const char *)b->data + i, room)) { return i; }
    }
    return SIZE_MAX;
}

/* Finds the first element in which two leaves of one type and shape differ. Returns its index; SIZE_MAX if they are equal. */
static size_t pytree__first_difference(const pytree_leaf *a, const pytree_leaf *b, const pytree_tolerance *tolerance)
{
    size_t n = pytree_leaf_count(a), size = a->type->size, i;
    const char *x = (const char *)a->data, *y = (const char *)b->data;
    const bool loose = tolerance != NULL && (tolerance->relative != 0 || tolerance->absolute != 0);
    pytree_leaf p, q;
    if (PYTREE__MORE_ROWS && a->type->dtype == PYTREE_TEXT) { return pytree__first_other_text(a, b, n); }
    if (pytree__parts(a, &p)) {
        pytree__parts(b, &q);
        for (i = 0; i < 2 * n; i++) {
            if (!pytree__near(pytree_leaf_get(&p, i), pytree_leaf_get(&q, i), tolerance)) { return i / 2; }
        }
        return SIZE_MAX;
    }
    switch (a->type->dtype) {
    case PYTREE_STRING:
        for (i = 0; i < n; i++) {
            const char *s, *t;
            memcpy(&s, x + i * size, sizeof s);
            memcpy(&t, y + i * size, sizeof t);
            if (s != t && (s == NULL || t == NULL || strcmp(s, t) != 0)) { return i; }
        }
        return SIZE_MAX;
    case PYTREE_OPAQUE: {
        const pytree_type *type = pytree__origin(a->type);
        for (i = 0; i < n; i++) {
            if (type->equal != NULL ? !type->equal(x + i * size, y + i * size)
                                    : memcmp(x + i * size, y + i * size, size) != 0) {
                return i;
            }
        }
        return SIZE_MAX;
    }
    case PYTREE_FLONG:
        for (i = 0; PYTREE__DOUBLES && i < n; i++) {
            long double s = ((const long double *)a->data)[i], t = ((const long double *)b->data)[i], apart, magnitude;
            if (s == t || (tolerance != NULL && tolerance->nan_equal && s != s && t != t)) { continue; }
            if (!loose || s != s || t != t || isinf(s) || isinf(t)) { return i; }
            apart = s > t ? s - t : t - s;                     /* no calls among these: tcc 0.9.27 loses what they interrupt */
            magnitude = t < 0 ? -t : t;
            if (apart > (long double)tolerance->absolute + (long double)tolerance->relative * magnitude) { return i; }
        }
        if (PYTREE__DOUBLES) { return SIZE_MAX; }
        /* fallthrough */
    case PYTREE_F16: case PYTREE_BF16: case PYTREE_F32: case PYTREE_F64:
        for (i = 0; i < n; i++) {
            if (!pytree__near(pytree_leaf_get(a, i), pytree_leaf_get(b, i), tolerance)) { return i; }
        }
        return SIZE_MAX;
    default:
        if (n == 0 || memcmp(x, y, n * size) == 0) { return SIZE_MAX; }
        for (i = 0; i < n; i++) {
            if (memcmp(x + i * size, y + i * size, size) != 0
                && (!loose || !pytree__near(pytree_leaf_get(a, i), pytree_leaf_get(b, i), tolerance))) {
                return i;
            }
        }
        return SIZE_MAX;
    }
}

/* What a comparison needs: much for a stack that has one already. */
struct pytree__comparison {
    pytree_iter it;
    pytree_leaf views[PYTREE__MORE_VIEWS];
};

static pytree_status pytree__compare(struct pytree__comparison *c, pytree a, pytree b, const pytree_tolerance *tolerance,
                                     const pytree_options *opt, pytree_error *err);

/* Compares subtrees, which a predicate has made leaves, in memory that is borrowed; in a small program, on the stack. */
static PYTREE__APART pytree_status pytree__compare_subtrees(pytree_iter *outer, const pytree_tolerance *tolerance,
                                                            const pytree_options *opt)
{
    const pytree_leaf *const x = outer->leaf[0], *const y = outer->leaf[1];
    struct pytree__comparison *c;
    pytree_options plain = *opt;
    pytree_status status = PYTREE_NO_MEMORY;
    plain.is_leaf = NULL;
    if (!PYTREE__LAYOUTS) {
        const bool equal = pytree_equal(pytree_of_view(x), pytree_of_view(y), tolerance, &plain, NULL);
        return equal ? PYTREE_OK : pytree__fail_at(&outer->cursors[0], PYTREE_VALUE, "");
    }
    c = (struct pytree__comparison *)pytree__resize(outer->allocator, NULL, 0, sizeof *c);
    if (c != NULL) {
        status = pytree__compare(c, pytree_of_view(x), pytree_of_view(y), tolerance, &plain, NULL);
        pytree__resize(outer->allocator, c, sizeof *c, 0);
    }
    if (status == PYTREE_OK) { return PYTREE_OK; }
    if (status == PYTREE_NO_MEMORY) { return pytree__no_memory(outer->cursors[0].err, sizeof *c); }
    return pytree__fail_at(&outer->cursors[0], PYTREE_VALUE, "expected the subtree %.60s of the first tree, got another",
                           pytree__view_name(x));
}

/* Compares the elements of two leaves of one type and shape. */
static pytree_status pytree__compare_values(pytree_iter *it, const pytree_tolerance *tolerance)
{
    const pytree_leaf *const x = it->leaf[0], *const y = it->leaf[1];
    const size_t i = pytree__first_difference(x, y, tolerance);
    char m[100], n[100];
    if (i == SIZE_MAX) { return PYTREE_OK; }
    if (PYTREE__MESSAGES) {
        struct pytree__text_writer to = pytree__text_to(m, sizeof m, NULL);
        pytree__put_value(&to, x, i);
        pytree__end_text(&to, sizeof m);
        to = pytree__text_to(n, sizeof n, NULL);
        pytree__put_value(&to, y, i);
        pytree__end_text(&to, sizeof n);
    }
    return pytree__fail_at(&it->cursors[0], PYTREE_VALUE, "expected %s, got %s at element %zu", m, n, i);
}

/* It calls itself once: for a subtree there is no predicate. */
static pytree_status pytree__compare(struct pytree__comparison *c, pytree a, pytree b, const pytree_tolerance *tolerance,
                                     const pytree_options *opt, pytree_error *err)
{
    pytree_iter *const it = &c->it;
    pytree both[2];
    both[0] = a;
    both[1] = b;
    if (pytree__iter_start(it, c->views, 2, both, opt, err) == PYTREE_OK) {
        while (it->status == PYTREE_OK && pytree_iter_next(it)) {
            const pytree_leaf *const x = it->leaf[0], *const y = it->leaf[1];
            it->status = pytree__fits(x, y);
            if (it->status != PYTREE_OK) {
                if (x->form != y->form) { it->status = PYTREE_STRUCTURE; }
                if (PYTREE__DEVICES && pytree_is_leaf(x) && pytree_is_leaf(y) && it->status == PYTREE_STRUCTURE) {
                    it->status = pytree__fail_device(&it->cursors[0], x->form == PYTREE_FORM_DEVICE ? x : y);
                } else {
                    pytree__fail_misfit(&it->cursors[0], it->status, x, y);
                }
            } else if (x->form > PYTREE_FORM_NONE) {
                if (PYTREE__DEVICES) {
                    it->status = x->form == PYTREE_FORM_DEVICE ? pytree__fail_device(&it->cursors[0], x)
                                                               : pytree__need_host_below(it);
                }
                if (it->status == PYTREE_OK) { it->status = pytree__compare_subtrees(it, tolerance, opt); }
            } else if (x->form == PYTREE_FORM_LEAF) {
                it->status = pytree__compare_values(it, tolerance);
            }
        }
    }
    pytree_iter_end(it);
    return it->status;
}

bool pytree_equal(pytree a, pytree b, const pytree_tolerance *tolerance, const pytree_options *opt, pytree_error *err)
{
    struct pytree__comparison c;
    return pytree__compare(&c, a, b, tolerance, opt, err) == PYTREE_OK;
}

static void pytree__put_value(struct pytree__text_writer *to, const pytree_leaf *leaf, size_t i)
{
    const char *at = (const char *)leaf->data + i * leaf->type->size;
    const pytree_type *type = pytree__origin(leaf->type);
    const char *constant = pytree__constant_name(type, at);
    if (constant != NULL) {
        pytree__put_text(to, constant);
    } else if (PYTREE__MORE_ROWS && type->dtype == PYTREE_TEXT) {     /* the string that begins with element i */
        pytree__put_repr(to, at, pytree__text_length(at, leaf->ndim == 0 ? 1 : leaf->shape[leaf->ndim - 1]));
    } else if (type->dtype == PYTREE_STRING) {
        const char *s;
        memcpy(&s, at, sizeof s);
        if (s == NULL) { pytree__text_put(to, "None", 4); } else { pytree__put_repr(to, s, strlen(s)); }
    } else if (type->dtype == PYTREE_OPAQUE) {
        if (type->print != NULL && to->file != NULL && to->file->file != NULL) {
            int n = type->print(to->file->file, at);
            to->length += n < 0 ? 0 : (size_t)n;
        } else {
            pytree__text_put(to, "<", 1);
            pytree__put_text(to, type->name);
            pytree__text_put(to, ">", 1);
        }
    } else {
        pytree__put_packed(to, type, (const unsigned char *)at);
    }
}
#endif
