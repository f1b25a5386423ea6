/* pytree/impl/assign_leaf.h: assigning one leaf: numbers, strings, enums. */
#ifndef PYTREE_IMPL_ASSIGN_LEAF_H
#define PYTREE_IMPL_ASSIGN_LEAF_H

#include "assign_plan.h"

/* ---- What was expected, and what came ------------------------------------------------------------------------------------ */

/* Write what a place takes: "i32[2]", "one of fast, safe", "a Window". */
static void pytree__as_expected(char *text, size_t n, const struct pytree__as_place *place)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    const pytree_leaf *const v = &place->to;
    const pytree_type *const type = v->form == PYTREE_FORM_NONE && place->row != NULL ? place->row->type : v->type;
    const pytree_constant *constant = type->constants;
    pytree_leaf shown = *v;
    if (constant != NULL && v->ndim == 0) {
        pytree__put_text(&to, "one of");
        for (; constant->name != NULL; constant++) {
            pytree__put_text(&to, constant == type->constants ? " " : ", ");
            pytree__put_text(&to, constant->name);
        }
    } else if (type->kind == PYTREE_KIND_LEAF && (v->form == PYTREE_FORM_LEAF || v->form == PYTREE_FORM_NONE)) {
        shown.type = type;
        shown.form = PYTREE_FORM_LEAF;
        pytree__leaf_text(text, n, &shown);
        return;
    } else if (v->form == PYTREE_FORM_NONE && place->row == NULL) {
        pytree__put_text(&to, "None");
    } else {
        pytree__put_text(&to, "a ");
        pytree__put_text(&to, v->form == PYTREE_FORM_NONE ? type->name : pytree__view_name(v));
        if (v->form == PYTREE_FORM_TUPLE || (v->form == PYTREE_FORM_LIST && place->row != NULL
                                             && place->row->place != PYTREE_STB)) {
            pytree__put_text(&to, " of ");
            pytree__put_number(&to, v->shape[0]);
        }
    }
    pytree__end_text(&to, n);
}

/* The string that a value is; NULL if it is none. */
static const char *pytree__as_text(const pytree_leaf *value)
{
    if (value->form != PYTREE_FORM_LEAF) { return NULL; }
    if (value->type->dtype == PYTREE_TEXT) {
        return value->ndim > 1 || pytree_leaf_count(value) == 0 ? NULL : (const char *)value->data;
    }
    return value->type->dtype == PYTREE_STRING && value->ndim == 0 ? *(char *const *)value->data : NULL;
}

/* Write what came: 1.5, 'abc', f32[3], None, a list. */
static void pytree__as_got(char *text, size_t n, const pytree_leaf *v)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    if (pytree__as_text(v) != NULL || (v->form == PYTREE_FORM_LEAF && v->ndim == 0)) {
        pytree__put_value(&to, v, 0);
    } else if (v->form <= PYTREE_FORM_NONE) {
        pytree__leaf_text(text, n, v);
        return;
    } else {
        pytree__put_text(&to, "a ");
        pytree__put_text(&to, pytree__view_name(v));
    }
    pytree__end_text(&to, n);
}

/* Tell that a value is not what the place takes. Returns false. */
static PYTREE__NOINLINE bool pytree__as_misfit(struct pytree__assign *a, pytree_status status,
                                               const struct pytree__as_place *place, const pytree_leaf *value)
{
    char expected[PYTREE__SIDE], got[PYTREE__SIDE / 2];
    pytree__as_expected(expected, sizeof expected, place);
    pytree__as_got(got, sizeof got, value);
    return pytree__as_mismatch(a, status, expected, got);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------------- */

/* Find the first of n numbers that a type cannot take: one that changes, or, between floating types, that becomes infinite.
 * Returns n if there is none. */
static size_t pytree__as_first_lost(pytree_dtype to, const char *converted, const void *from, pytree_dtype dtype, size_t n)
{
    const pytree__rv_number *const a = &pytree__rv_numbers[dtype], *const b = &pytree__rv_numbers[to];
    const size_t step = pytree__rv_number_size(b->part);
    pytree__rv_wide before, after;
    size_t i, p;
    if (a->wide < PYTREE__RV_DOUBLE || b->wide < PYTREE__RV_DOUBLE || a->parts > b->parts) {
        return pytree__rv_first_lost(to, from, dtype, n);
    }
    for (i = 0; i < n; i++) {
        for (p = 0; p < a->parts; p++) {
            pytree__rv_read(&before, a->part, (const char *)from + (i * a->parts + p) * pytree__rv_number_size(a->part), 1, 1);
            pytree__rv_read(&after, b->part, converted + (i * b->parts + p) * step, 1, 1);
            const long double x = pytree__rv_wide_real(&before, 0), y = pytree__rv_wide_real(&after, 0);
            if (y - y != 0 && x - x == 0) { return i; }        /* it was finite */
        }
    }
    return n;
}

/* Is an element of an enum one of its constants? */
static bool pytree__as_is_constant(const pytree_type *type, const void *element)
{
    return type->constants == NULL || pytree__constant_name(type, element) != NULL;
}

/* Convert numbers to the type of the place, into memory for them. Returns false, and tells which, if one cannot be. */
static bool pytree__as_convert(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value,
                               char *converted)
{
    const pytree_leaf *const to = &place->to;
    const size_t n = pytree_leaf_count(value);
    size_t lost, i;
    pytree_leaf one = *value;
    pytree__rv_convert(converted, to->type->dtype, value->data, value->type->dtype, n);
    lost = pytree__as_first_lost(to->type->dtype, converted, value->data, value->type->dtype, n);
    for (i = 0; i < lost && lost == n; i++) {
        if (!pytree__as_is_constant(to->type, converted + i * to->type->size)) { lost = i; }
    }
    if (lost == n) { return true; }
    one.ndim = 0;
    one.data = (char *)value->data + lost * value->type->size;
    return pytree__as_misfit(a, PYTREE_VALUE, place, &one);
}

static bool pytree__as_numbers(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value)
{
    const size_t bytes = pytree_leaf_bytes(&place->to);
    union { char bytes[64]; long double number; } few;
    char *converted = few.bytes;
    bool done;
    if (place->to.ndim != value->ndim || memcmp(place->to.shape, value->shape, (size_t)value->ndim * sizeof(size_t)) != 0) {
        return pytree__as_misfit(a, PYTREE_SHAPE, place, value);
    }
    if (bytes == 0) { return true; }
    if (bytes > sizeof few) { converted = (char *)pytree__array_new(bytes, 1, a->options.allocator, a->err); }
    if (converted == NULL) { a->status = PYTREE_NO_MEMORY; return false; }
    done = pytree__as_convert(a, place, value, converted)
        && pytree__as_put(a, place->fresh, place->to.data, converted, bytes);
    if (converted != few.bytes) { pytree__array_free(converted, bytes, 1, a->options.allocator); }
    return done;
}

/* ---- Strings ------------------------------------------------------------------------------------------------------------- */

static bool pytree__as_constant(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value,
                                const char *name)
{
    const pytree_constant *constant = place->to.type->constants;
    pytree_leaf number;
    while (constant->name != NULL && strcmp(constant->name, name) != 0) { constant++; }
    if (constant->name == NULL) { return pytree__as_misfit(a, PYTREE_VALUE, place, value); }
    pytree__view(&number, pytree_dtype_type(PYTREE_I64), (void *)(uintptr_t)&constant->value);
    return pytree__as_numbers(a, place, &number);
}

/* Is it an array of char in the struct itself? */
static bool pytree__as_holds_text(const pytree_leaf *leaf)
{
    return leaf->form == PYTREE_FORM_LEAF && leaf->ndim == 1
        && (leaf->type->dtype == PYTREE_TEXT || leaf->type == &pytree_types[PYTREE__T_char_]);
}

static bool pytree__as_string(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value,
                              const char *s)
{
    const size_t n = strlen(s) + 1;
    const pytree_leaf *const to = &place->to;
    const pytree_type *type = to->type;
    char *copy;
    if (to->form == PYTREE_FORM_LEAF && to->type->constants != NULL && to->ndim == 0) {
        return pytree__as_constant(a, place, value, s);
    }
    if (pytree__as_holds_text(to)) {
        if (n > to->shape[0]) { return pytree__as_misfit(a, PYTREE_SHAPE, place, value); }
        return pytree__as_put(a, place->fresh, to->data, s, n);
    }
    if (to->form == PYTREE_FORM_NONE) { type = place->row == NULL ? NULL : place->row->type; }
    if (type == NULL || type->dtype != PYTREE_STRING || to->ndim != 0) {
        return pytree__as_misfit(a, PYTREE_TYPE, place, value);
    }
    copy = (char *)pytree__as_attach(a, n, "the caller's own for a string");
    if (copy == NULL) { return false; }
    memcpy(copy, s, n);
    return pytree__as_put(a, place->fresh, to->form == PYTREE_FORM_NONE ? place->field : (char *)to->data, &copy, sizeof copy);
}

/* ---- Leaves -------------------------------------------------------------------------------------------------------------- */

/* Check that a value equals a static one. */
static bool pytree__as_static(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value)
{
    const pytree_leaf *const to = &place->to;
    char expected[PYTREE__SIDE], got[PYTREE__SIDE / 2];
    struct pytree__text_writer text = pytree__text_to(expected, sizeof expected, NULL);
    const bool chars = PYTREE__MORE_ROWS && place->row != NULL && place->row->form == PYTREE__PACK_CHARS;
    const size_t length = chars ? pytree__text_length((const char *)to->data, place->row->size) : 0;
    const char *const string = pytree__as_text(value);
    union { char bytes[64]; long double number; } same;
    if (value->form == PYTREE_FORM_NONE && to->ndim == 0 && to->type->dtype == PYTREE_STRING
        && *(char *const *)to->data == NULL) { return true; }
    if (chars && string != NULL && strlen(string) == length && memcmp(string, to->data, length) == 0) { return true; }
    if (value->form == PYTREE_FORM_LEAF && to->ndim == 0 && to->form == PYTREE_FORM_LEAF) {
        if (to->type->dtype == PYTREE_STRING && string != NULL) {
            if (pytree__same_string(*(char *const *)to->data, string)) { return true; }
        } else if (value->ndim == 0 && pytree__rv_is_number(to->type->dtype) && pytree__rv_is_number(value->type->dtype)) {
            pytree_leaf converted = *to;
            converted.data = same.bytes;
            pytree__rv_convert(same.bytes, to->type->dtype, value->data, value->type->dtype, 1);
            if (pytree__rv_first_lost(to->type->dtype, value->data, value->type->dtype, 1) == 1
                && pytree__first_difference(to, &converted, NULL) == SIZE_MAX) { return true; }
        }
    }
    if (chars) { pytree__put_repr(&text, (const char *)to->data, length); }
    else if (to->form == PYTREE_FORM_LEAF && to->ndim == 0) { pytree__put_value(&text, to, 0); }
    else { pytree__as_expected(expected, sizeof expected, place); text.length = strlen(expected); }
    pytree__put_text(&text, " (STATIC: it is structure)");
    pytree__end_text(&text, sizeof expected);
    pytree__as_got(got, sizeof got, value);
    return pytree__as_mismatch(a, PYTREE_STRUCTURE, expected, got);
}

/* Assign a leaf. */
static bool pytree__as_leaf(struct pytree__assign *a, const struct pytree__as_place *place, const pytree_leaf *value)
{
    const pytree_leaf *const to = &place->to;
    const bool texts = to->form == PYTREE_FORM_NONE ? place->row != NULL && place->row->type->dtype == PYTREE_STRING
                                                    : to->form == PYTREE_FORM_LEAF && to->type->dtype == PYTREE_STRING;
    const char *const string = pytree__as_text(value);
    if (string != NULL) { return pytree__as_string(a, place, value, string); }
    if (a->raw != NULL && a->from.n_frames == a->raw_depth && (texts || pytree__as_holds_text(to))) {
        return pytree__as_string(a, place, value, a->raw);
    }
    if (to->form != PYTREE_FORM_LEAF) { return pytree__as_misfit(a, PYTREE_TYPE, place, value); }
    if (to->data == NULL && pytree_leaf_count(to) != 0) {
        return pytree__as_mismatch(a, PYTREE_NULL_POINTER, "an array with memory", "NULL");
    }
    if (pytree__rv_is_number(to->type->dtype) && pytree__rv_is_number(value->type->dtype)) {
        return pytree__as_numbers(a, place, value);
    }
    if (to->type->dtype == PYTREE_OPAQUE && pytree__fits(to, value) == PYTREE_OK) {
        return pytree__as_put(a, place->fresh, to->data, value->data, pytree_leaf_bytes(to));
    }
    return pytree__as_misfit(a, PYTREE_TYPE, place, value);
}

#include "assign_node.h"
#endif
