/* pytree/impl/view.h: views of values: making, validating and describing them. */
#ifndef PYTREE_IMPL_VIEW_H
#define PYTREE_IMPL_VIEW_H

#include "internal.h"

/* Copies a view. Most have at most four extents (a map and a pytree_flat three): a copy of constant size is a few moves. */
PYTREE__INLINE void pytree__copy_view(pytree_leaf *to, const pytree_leaf *from)
{
    enum { FEW = PYTREE_MAX_DIMS < 4 ? PYTREE_MAX_DIMS : 4 };
    if (PYTREE__LIKELY(from->ndim <= FEW)) {
        memcpy(to, from, offsetof(pytree_leaf, shape) + FEW * sizeof(size_t));
    } else {
        memcpy(to, from, sizeof *to);
    }
}

static void pytree__none_view(pytree_leaf *v)
{
    v->data = NULL;
    v->type = &pytree_types[PYTREE__T_none];
    v->ndim = 0;
    v->form = PYTREE_FORM_NONE;
}

/* Makes a view of the value in memory at `data`. */
static void pytree__view(pytree_leaf *v, const pytree_type *type, void *data)
{
    v->data = data;
    v->type = type;
    v->ndim = 0;
    v->form = pytree__traits(type)->form;
}

/* Is a view that the caller wrote valid at first sight? If not, pytree__resolve_view decides, and says what is wrong. */
PYTREE__INLINE bool pytree__view_is_valid(const pytree_leaf *v)
{
    enum { BITS = sizeof(size_t) * CHAR_BIT - 8 };
    static const unsigned char bits_of_extent[] = {            /* by dimensions: a division would take a twelfth of a flatten */
        BITS / 2, BITS / 2, BITS / 2, BITS / 3, BITS / 4, BITS / 5, BITS / 6, BITS / 7, BITS / 8, BITS / 9, BITS / 10,
        BITS / 11, BITS / 12, BITS / 13, BITS / 14, BITS / 15, BITS / 16
    };
    size_t bits = 0;
    int i;
    if (v->data == NULL || v->ndim < 0 || v->ndim > PYTREE_MAX_DIMS || v->type->dtype == PYTREE_STRING) { return false; }
    for (i = 0; i < v->ndim; i++) { bits |= v->shape[i]; }
    return bits >> bits_of_extent[v->ndim] == 0;
}

/* Do only types decide what is a leaf: no predicate, no namespace? */
PYTREE__INLINE bool pytree__plain_walk(const pytree_options *opt)
{
    return opt == NULL || (opt->is_leaf == NULL && opt->space == NULL);
}

/* Returns the type that a node is recorded under. */
static const pytree_type *pytree__type_of_form(unsigned form, const pytree_type *type)
{
    switch (form) {
    case PYTREE_FORM_LIST: return &pytree_types[PYTREE__T_list];
    case PYTREE_FORM_TUPLE: return &pytree_types[PYTREE__T_tuple];
    case PYTREE_FORM_MAP: return &pytree_types[PYTREE__T_dict];
    default: return pytree__origin(type);
    }
}

static PYTREE__APART_CLANG const pytree_type *pytree__node_type(const pytree_leaf *v)
{
    return v->form == PYTREE_FORM_FLAT ? ((const pytree_flat *)v->data)->def->nodes[v->shape[0]].type
                                       : pytree__type_of_form(v->form, v->type);
}

/* Returns the name of a node for messages: a namedtuple's own, otherwise its type's. */
static PYTREE__APART_CLANG const char *pytree__view_name(const pytree_leaf *v)
{
    const pytree_type *type = pytree__node_type(v);
    if (PYTREE__DEVICES && v->form == PYTREE_FORM_DEVICE) { return "leaf on a device"; }
    if (pytree__traits(type)->meta != PYTREE__META_NAME) { return type->name; }
    if (v->form == PYTREE_FORM_FLAT) {
        const pytree_flat *flat = (const pytree_flat *)v->data;
        return pytree__string_at(flat->def->statics + flat->def->nodes[v->shape[0]].meta, NULL);
    }
    return pytree__name_of(type, ((const pytree_items *)v->data)->name);
}

static void pytree__put_leaf_type(struct pytree__text_writer *to, const pytree_leaf *leaf)
{
    int i;
    if (leaf->form == PYTREE_FORM_NONE) { pytree__put_text(to, "None"); }
    else { pytree__put_text(to, pytree_dtype_name(leaf->type)); }
    if (leaf->ndim > 0 && pytree_is_leaf(leaf)) {
        pytree__text_put(to, "[", 1);
        for (i = 0; i < leaf->ndim; i++) {
            if (i != 0) { pytree__text_put(to, ",", 1); }
            pytree__put_number(to, leaf->shape[i]);
        }
        pytree__text_put(to, "]", 1);
    }
    if (PYTREE__DEVICES && leaf->form == PYTREE_FORM_DEVICE) { pytree__put_text(to, " on a device"); }
}

static void pytree__leaf_text(char *text, size_t n, const pytree_leaf *leaf)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__put_leaf_type(&to, leaf);
    pytree__end_text(&to, n);
}

/* Compares type and shape. Returns PYTREE_OK, PYTREE_TYPE or PYTREE_SHAPE. */
PYTREE__INLINE pytree_status pytree__fits(const pytree_leaf *wanted, const pytree_leaf *got)
{
    int i;
    if (wanted->form == PYTREE_FORM_NONE && got->form == PYTREE_FORM_NONE) { return PYTREE_OK; }
    if (wanted->form != got->form || (wanted->type != got->type && !pytree_type_equal(wanted->type, got->type))) {
        return PYTREE_TYPE;
    }
    if (wanted->ndim != got->ndim) { return PYTREE_SHAPE; }
    for (i = 0; i < wanted->ndim; i++) {
        if (wanted->shape[i] != got->shape[i]) { return PYTREE_SHAPE; }
    }
    return PYTREE_OK;
}

/* Compares the extents of two leaves of equally many dimensions. Returns 0 if they are equal. */
PYTREE__INLINE size_t pytree__other_extents(const pytree_leaf *a, const pytree_leaf *b)
{
    const int n = a->ndim;
    size_t differ;
    int i;
    if (PYTREE__LIKELY(n == 1)) { return a->shape[0] ^ b->shape[0]; }
    if (n == 0) { return 0; }
    differ = (a->shape[0] ^ b->shape[0]) | (a->shape[1] ^ b->shape[1]);
    PYTREE__FEW_STEPS
    for (i = 2; i < n; i++) { differ |= a->shape[i] ^ b->shape[i]; }
    return differ;
}

/* Does each of the caller's leaves, which may be anything, fit and have data? The usual answer is found first. */
PYTREE__INLINE bool pytree__fit(const pytree_leaf *wanted, const pytree_leaf *const end, const pytree_leaf *given)
{
    size_t differ = 0;
    for (; wanted != end; wanted++, given++) {
        if (PYTREE__UNLIKELY(given->data == NULL)) { return false; }
        if (PYTREE__UNLIKELY(memcmp(&wanted->type, &given->type, PYTREE__KIND_BYTES) != 0)
            && pytree__fits(wanted, given) != PYTREE_OK) {
            return false;
        }
        differ |= pytree__other_extents(wanted, given);
    }
    return differ == 0;
}

/* Have two views, with data or without, one type, form and shape? */
PYTREE__INLINE bool pytree__alike(const pytree_leaf *a, const pytree_leaf *b)
{
    enum { KIND = offsetof(pytree_leaf, shape) - offsetof(pytree_leaf, type) };
    return PYTREE__LIKELY(memcmp(&a->type, &b->type, KIND) == 0) ? pytree__other_extents(a, b) == 0
                                                                 : pytree__fits(a, b) == PYTREE_OK;
}

static bool pytree__near(double x, double y, const pytree_tolerance *tolerance)
{
    if (x == y) { return true; }
    if (tolerance == NULL) { return false; }
    if (x != x || y != y) { return tolerance->nan_equal && x != x && y != y; }
    if (isinf(x) || isinf(y)) { return false; }
    if (!PYTREE__DOUBLES) {
        const float a = (float)x, b = (float)y;
        return fabsf(a - b) <= (float)tolerance->absolute + (float)tolerance->relative * fabsf(b);
    }
    return fabs(x - y) <= tolerance->absolute + tolerance->relative * fabs(y);
}

/* Makes a view of the real and imaginary parts of a complex leaf. Returns false if it is not complex. */
static bool pytree__parts(const pytree_leaf *leaf, pytree_leaf *out)
{
    *out = *leaf;
    switch (leaf->type->dtype) {
    case PYTREE_C64: out->type = &pytree_types[PYTREE__T_float_]; return true;
    case PYTREE_C128: out->type = &pytree_types[PYTREE__T_double_]; return true;
    case PYTREE_CLONG: out->type = &pytree_types[PYTREE__T_ldouble]; return true;
    default: return false;
    }
}

/* Follows references to what they refer to. Where one leads to itself or nowhere, a reference is left. */
PYTREE__INLINE pytree pytree__referent(pytree t)
{
    int hops;
    for (hops = 0; hops < 100 && t.type != NULL && t.type->kind == PYTREE_KIND_REF && t.data != NULL; hops++) {
        t = *(const pytree *)t.data;
    }
    return t;
}
#endif
