/* pytree/impl/display_array.h: arrays as NumPy and JAX write them, and sizes as Flax does. */
#ifndef PYTREE_IMPL_DISPLAY_ARRAY_H
#define PYTREE_IMPL_DISPLAY_ARRAY_H

#include "internal.h"
#include "../display.h"
#include "places.h"                       /* the state rooms */

/* NumPy's settings: the most digits behind the point, the most elements that are written in full, how many are written at each
 * end of an axis otherwise, and the columns of a line without the comma behind the array. */
enum { PYTREE__DP_PRECISION = 8, PYTREE__DP_MOST = 1000, PYTREE__DP_EDGE = 3, PYTREE__DP_WIDTH = 74 };

/* Where text goes, and how far its lines are indented. */
struct pytree__display {
    struct pytree__text_writer *to;
    size_t indent;                        /* spaces behind each end of a line */
    size_t lines;                         /* ends of lines so far */
};

static struct pytree__display pytree__display_to(struct pytree__text_writer *to)
{
    struct pytree__display d;
    d.to = to;
    d.indent = d.lines = 0;
    return d;
}

static void pytree__dp_spaces(struct pytree__display *d, size_t n)
{
    static const char spaces[] = "                                ";
    for (; n > sizeof spaces - 1; n -= sizeof spaces - 1) { pytree__text_put(d->to, spaces, sizeof spaces - 1); }
    pytree__text_put(d->to, spaces, n);
}

static void pytree__dp_pad(struct pytree__display *d, int n) { pytree__dp_spaces(d, n > 0 ? (size_t)n : 0); }

static void pytree__dp_line(struct pytree__display *d)
{
    d->lines++;
    pytree__text_put(d->to, "\n", 1);
    pytree__dp_spaces(d, d->indent);
}

/* ---- Digits --------------------------------------------------------------------------------------------------------- */

/* A finite number as digit[0].digit[1…] * 10^exponent. */
struct pytree__dp_decimal {
    char digit[80];
    size_t n;
    int exponent;
};

/* Take the digits of what the C library wrote, d.ddde+xx; it may have something else in place of the point. */
static void pytree__dp_read(struct pytree__dp_decimal *to, const char *text)
{
    to->n = 0;
    for (; *text != 'e'; text++) {
        if (*text >= '0' && *text <= '9') { to->digit[to->n++] = *text; }
    }
    to->exponent = (int)strtol(text + 1, NULL, 10);
}

static void pytree__dp_trim(struct pytree__dp_decimal *d)
{
    while (d->n > 1 && d->digit[d->n - 1] == '0') { d->n--; }
    if (d->n == 1 && d->digit[0] == '0') { d->exponent = 0; }
}

/* Get `n` digits of v >= 0, correctly rounded; with n of 0 the shortest ones that read back. `kind`: see pytree__put_float; 'h'
 * for half precision. */
static void pytree__dp_digits(struct pytree__dp_decimal *to, long double v, int kind, int n)
{
    const int before = PYTREE__GET_ERRNO();
    char text[80];
    if (v == 0 || n == 0) {
        to->digit[0] = '0';
        to->n = 1;
        to->exponent = 0;
        if (v != 0) { to->n = pytree__find_digits(to->digit, &to->exponent, v, kind); }
    } else {
        snprintf(text, sizeof text, "%.*Le", n - 1, v);
        pytree__dp_read(to, text);
    }
    PYTREE__SET_ERRNO(before);
}

/* ---- Numbers in a column -------------------------------------------------------------------------------------------- */

/* How the numbers of an array are written, so that their points stand below one another. */
struct pytree__dp_column {
    int kind;                             /* see pytree__dp_digits */
    bool plus;                            /* a sign before positive numbers, too */
    bool scientific;
    int left, right, exponent;            /* characters before the point, behind it, and digits of the exponent */
};

/* Get the digits of a number as they are written: at most eight behind the point, with an exponent all of the same number. */
static void pytree__dp_written(struct pytree__dp_decimal *to, long double v, const struct pytree__dp_column *column, int least)
{
    int whole, behind;
    pytree__dp_digits(to, v, column->kind, 0);
    whole = column->scientific ? 1 : to->exponent + 1;         /* digits before the point */
    behind = (int)to->n - whole;
    if (behind > PYTREE__DP_PRECISION) {
        pytree__dp_digits(to, v, column->kind, whole + PYTREE__DP_PRECISION);
        if (least == 0) { pytree__dp_trim(to); }
    } else if (behind < least) {
        pytree__dp_digits(to, v, column->kind, whole + least);
    }
}

static int pytree__dp_exponent_digits(int exponent)
{
    const int size = exponent < 0 ? -exponent : exponent;
    return size < 100 ? 2 : size < 1000 ? 3 : 4;
}

/* Widen the column for one number. */
static void pytree__dp_widen(struct pytree__dp_column *column, long double v, bool negative)
{
    struct pytree__dp_decimal d;
    int left = 1, right, exponent;
    pytree__dp_written(&d, v, column, 0);
    right = (int)d.n - 1;
    if (column->scientific) {
        exponent = pytree__dp_exponent_digits(d.exponent);
        if (exponent > column->exponent) { column->exponent = exponent; }
    } else {
        right -= d.exponent;
        if (d.exponent > 0) { left = d.exponent + 1; }
    }
    left += negative || column->plus;
    if (left > column->left) { column->left = left; }
    if (right > column->right) { column->right = right; }
}

/* Write the digits of the places 10^high to 10^low, zeros where the number has none. */
static void pytree__dp_put_places(struct pytree__display *d, const struct pytree__dp_decimal *number, int high, int low)
{
    for (; high >= low; high--) {
        const int i = number->exponent - high;
        pytree__text_put(d->to, i >= 0 && i < (int)number->n ? &number->digit[i] : "0", 1);
    }
}

static void pytree__dp_put_exponent(struct pytree__display *d, int exponent, int digits)
{
    char text[16];
    snprintf(text, sizeof text, "e%c%0*d", exponent < 0 ? '-' : '+', digits, exponent < 0 ? -exponent : exponent);
    pytree__put_text(d->to, text);
}

/* Count the characters behind the point. */
static int pytree__dp_right(const struct pytree__dp_column *column)
{
    return column->right + (column->scientific ? column->exponent + 2 : 0);
}

/* Write a number into its column, and `behind` before the spaces at its end. */
static void pytree__dp_put(struct pytree__display *d, long double v, const struct pytree__dp_column *column,
                           const char *behind)
{
    const bool negative = signbit(v) != 0 && v == v;
    const char *sign = negative ? "-" : column->plus ? "+" : "";
    const int sign_length = sign[0] != '\0';
    struct pytree__dp_decimal number;
    int high, low;
    if (!(v - v == 0)) {
        pytree__dp_pad(d, column->left + 1 + pytree__dp_right(column) - 3 - sign_length);
        pytree__put_text(d->to, sign);
        pytree__text_put(d->to, v == v ? "inf" : "nan", 3);
        pytree__put_text(d->to, behind);
        return;
    }
    pytree__dp_written(&number, negative ? -v : v, column, column->scientific ? column->right : 0);
    high = column->scientific ? number.exponent : number.exponent < 0 ? 0 : number.exponent;
    low = column->scientific ? high - column->right : number.exponent - ((int)number.n - 1);
    pytree__dp_pad(d, column->left - sign_length - (column->scientific ? 1 : high + 1));
    pytree__put_text(d->to, sign);
    if (column->scientific) {
        pytree__dp_put_places(d, &number, high, high);
        pytree__text_put(d->to, ".", 1);
        pytree__dp_put_places(d, &number, high - 1, low);
        pytree__dp_put_exponent(d, number.exponent, column->exponent);
        pytree__put_text(d->to, behind);
    } else {
        pytree__dp_put_places(d, &number, high, 0);
        pytree__text_put(d->to, ".", 1);
        pytree__dp_put_places(d, &number, -1, low);
        pytree__put_text(d->to, behind);
        pytree__dp_pad(d, column->right + (low < 0 ? low : 0));
    }
}

/* Write a bfloat16 as the package ml_dtypes does: like printf's %g. */
static void pytree__dp_put_bf16(struct pytree__display *d, double v)
{
    struct pytree__dp_decimal number;
    int low;
    bool scientific;
    if (signbit(v) != 0 && v == v) { pytree__text_put(d->to, "-", 1); v = -v; }
    if (!(v - v == 0)) { pytree__text_put(d->to, v == v ? "inf" : "nan", 3); return; }
    pytree__dp_digits(&number, (long double)v, 'f', 6);
    pytree__dp_trim(&number);
    low = number.exponent - ((int)number.n - 1);
    scientific = number.exponent < -4 || number.exponent >= 6;
    if (scientific) {
        pytree__dp_put_places(d, &number, number.exponent, number.exponent);
        pytree__text_put(d->to, ".", 1);  /* none of them has one digit only */
        pytree__dp_put_places(d, &number, number.exponent - 1, low);
        pytree__dp_put_exponent(d, number.exponent, 2);
    } else {
        pytree__dp_put_places(d, &number, number.exponent < 0 ? 0 : number.exponent, 0);
        if (low < 0) { pytree__text_put(d->to, ".", 1); }
        pytree__dp_put_places(d, &number, -1, low);
    }
}

/* ---- Elements ------------------------------------------------------------------------------------------------------- */

/* How the elements of an array are written. */
struct pytree__dp_format {
    const pytree_leaf *leaf;
    int axes;                             /* that are gone along: those of the array; in a text the last one is its letters */
    int parts;                            /* 0: integers and others, padded to `width`; 1: real, 2: complex */
    size_t width;
    struct pytree__dp_column part[2];
    bool cut;                             /* only the ends of long axes are written */
};

static int pytree__dp_kind(pytree_dtype dtype)
{
    switch (dtype) {
    case PYTREE_F16: return 'h';
    case PYTREE_F32:
    case PYTREE_C64: return 'f';
    case PYTREE_F64:
    case PYTREE_C128: return 'd';
    case PYTREE_FLONG:
    case PYTREE_CLONG: return 'l';
    default: return 0;
    }
}

static long double pytree__dp_value(const struct pytree__dp_format *f, size_t i, int part)
{
    const void *p = f->leaf->data;
    i = i * (size_t)f->parts + (size_t)part;
    switch (f->leaf->type->dtype) {
    case PYTREE_C64: return (long double)((const float *)p)[i];
    case PYTREE_C128: return (long double)((const double *)p)[i];
    case PYTREE_FLONG:
    case PYTREE_CLONG: return ((const long double *)p)[i];
    default: return (long double)pytree_leaf_get(f->leaf, i);
    }
}

/* Write element i. */
static void pytree__dp_put_element(struct pytree__display *d, const struct pytree__dp_format *f, size_t i)
{
    const pytree_type *type = f->leaf->type;
    char word[64];
    struct pytree__text_writer to = pytree__text_to(word, sizeof word, NULL);
    int k;
    for (k = 0; k < f->parts; k++) { pytree__dp_put(d, pytree__dp_value(f, i, k), &f->part[k], k == 0 ? "" : "j"); }
    if (f->parts != 0) { return; }
    if (type->dtype == PYTREE_BF16) { pytree__dp_put_bf16(d, pytree_leaf_get(f->leaf, i)); return; }
    if (!pytree__real(type)) { pytree__put_value(d->to, f->leaf, i); return; }
    pytree__put_packed(&to, type, (const unsigned char *)f->leaf->data + i * type->size);
    (void)pytree__end_text(&to, sizeof word);
    pytree__dp_spaces(d, f->width > to.length ? f->width - to.length : 0);
    pytree__put_text(d->to, word);
}

/* Go to the next element that is written. Returns how many axes have come to their end; *jump: elements of the axis before
 * them are left out here. */
static int pytree__dp_next(const struct pytree__dp_format *f, size_t index[PYTREE_MAX_DIMS], bool *jump)
{
    int axis = f->axes;
    *jump = false;
    while (axis-- > 0) {
        const size_t n = f->leaf->shape[axis];
        index[axis]++;
        if (f->cut && n > 2 * PYTREE__DP_EDGE && index[axis] == PYTREE__DP_EDGE) {
            index[axis] = n - PYTREE__DP_EDGE;
            *jump = true;
        }
        if (index[axis] < n) { break; }
        index[axis] = 0;
    }
    return f->axes - 1 - axis;
}

static size_t pytree__dp_offset(const struct pytree__dp_format *f, const size_t index[PYTREE_MAX_DIMS])
{
    size_t at = 0;
    int i;
    for (i = 0; i < f->axes; i++) { at = at * f->leaf->shape[i] + index[i]; }
    return f->axes < f->leaf->ndim ? at * f->leaf->shape[f->axes] : at;
}

/* ---- Measuring ------------------------------------------------------------------------------------------------------ */

/* Round to the precision of a kind, in which NumPy compares. */
static long double pytree__dp_round(long double v, int kind)
{
    return kind == 'h' ? (long double)pytree__of_f16(pytree__to_half((double)v, 10))
        : kind == 'f'  ? (long double)(float)v
        : kind == 'd'  ? (long double)(double)v
                       : v;
}

/* Find out how one part of the numbers is written: with an exponent if they are too large, too small or too different. */
static void pytree__dp_measure_part(struct pytree__dp_format *f, int k)
{
    struct pytree__dp_column *column = &f->part[k];
    size_t index[PYTREE_MAX_DIMS] = { 0 };
    long double most = 0, least = 0;
    bool infinite = false, jump, minus = false;
    int special;
    column->kind = pytree__dp_kind(f->leaf->type->dtype);
    column->plus = k == 1;
    do {
        long double v = pytree__dp_value(f, pytree__dp_offset(f, index), k);
        if (!(v - v == 0)) { infinite = true; minus = minus || v < 0; continue; }
        if (v < 0) { v = -v; }
        if (v > most) { most = v; }
        if (v != 0 && (least == 0 || v < least)) { least = v; }
    } while (pytree__dp_next(f, index, &jump) < f->axes);
    column->scientific = most != 0
        && (most >= (column->kind == 'h' ? 1e3L : column->kind == 'f' ? 1e6L : 1e8L)
            || least < pytree__dp_round(1e-4L, column->kind) || pytree__dp_round(most / least, column->kind) > 1000);
    memset(index, 0, sizeof index);
    do {
        const long double v = pytree__dp_value(f, pytree__dp_offset(f, index), k);
        if (v - v == 0) { pytree__dp_widen(column, v < 0 ? -v : v, signbit(v) != 0); }
    } while (pytree__dp_next(f, index, &jump) < f->axes);
    special = 3 + (minus || column->plus) - (pytree__dp_right(column) + 1);
    if (infinite && special > column->left) { column->left = special; }
}

static void pytree__dp_measure(struct pytree__dp_format *f, const pytree_leaf *leaf)
{
    size_t index[PYTREE_MAX_DIMS] = { 0 };
    bool jump;
    int k;
    memset(f, 0, sizeof *f);
    f->leaf = leaf;
    f->axes = leaf->ndim - (leaf->type->dtype == PYTREE_TEXT && leaf->ndim != 0);
    f->cut = pytree_leaf_count(leaf) / (f->axes < leaf->ndim ? leaf->shape[f->axes] : 1) > PYTREE__DP_MOST;
    f->parts = pytree__dp_kind(leaf->type->dtype) == 0 ? 0 : pytree__real(leaf->type) ? 1 : 2;
    for (k = 0; k < f->parts; k++) { pytree__dp_measure_part(f, k); }
    if (f->parts != 0 || leaf->type->dtype == PYTREE_BF16 || !pytree__real(leaf->type)) { return; }
    do {
        struct pytree__text_writer count = { NULL, 0, 0, NULL };
        pytree__put_packed(&count, leaf->type, (const unsigned char *)leaf->data
                                               + pytree__dp_offset(f, index) * leaf->type->size);
        if (count.length > f->width) { f->width = count.length; }
    } while (pytree__dp_next(f, index, &jump) < f->axes);
    if (leaf->type->dtype == PYTREE_BOOL8 && leaf->ndim != 0) { f->width = 5; }
}

/* ---- Arrays --------------------------------------------------------------------------------------------------------- */

/* Write "..." or an element, on a new line if it does not fit. `first`: no comma before it. Returns the column behind it. */
static size_t pytree__dp_put_word(struct pytree__display *d, const struct pytree__dp_format *f, const size_t *index,
                                  bool first, size_t column, size_t hanging)
{
    struct pytree__text_writer count = { NULL, 0, 0, NULL };
    struct pytree__display measure = pytree__display_to(&count);
    if (index != NULL) { pytree__dp_put_element(&measure, f, pytree__dp_offset(f, index)); } else { count.length = 3; }
    if (!first && column + 2 + count.length > PYTREE__DP_WIDTH - (size_t)f->axes) {
        pytree__text_put(d->to, ",", 1);
        pytree__dp_line(d);
        pytree__dp_spaces(d, hanging);
        column = hanging;
    } else if (!first) {
        pytree__text_put(d->to, ", ", 2);
        column += 2;
    }
    if (index == NULL) { pytree__text_put(d->to, "...", 3); }
    else { pytree__dp_put_element(d, f, pytree__dp_offset(f, index)); }
    return column + count.length;
}

static void pytree__dp_brackets(struct pytree__display *d, const char *bracket, int n)
{
    for (; n > 0; n--) { pytree__text_put(d->to, bracket, 1); }
}

/* Write [[1., 2.],
 *         [3., 4.]] behind `before` characters. Returns the column behind it. */
static size_t pytree__dp_put_elements(struct pytree__display *d, const pytree_leaf *leaf, size_t before)
{
    struct pytree__dp_format f;
    size_t index[PYTREE_MAX_DIMS] = { 0 }, hanging, column;
    bool first = true, jump;
    int ended, k;
    pytree__dp_measure(&f, leaf);
    column = hanging = before + (size_t)f.axes;                /* of the elements */
    pytree__dp_brackets(d, "[", f.axes);
    for (;;) {
        column = pytree__dp_put_word(d, &f, index, first, column, hanging);
        ended = pytree__dp_next(&f, index, &jump);
        pytree__dp_brackets(d, "]", ended);
        if (ended == f.axes) { return column + (size_t)ended; }
        first = ended != 0;
        if (!first) {
            if (jump) { column = pytree__dp_put_word(d, &f, NULL, false, column, hanging); }
            continue;
        }
        for (;; jump = false) {           /* twice where rows are left out */
            pytree__text_put(d->to, ",", 1);
            for (k = 0; k < ended; k++) { pytree__dp_line(d); }
            pytree__dp_spaces(d, hanging - (size_t)ended);
            if (!jump) { break; }
            pytree__put_text(d->to, "...");
        }
        pytree__dp_brackets(d, "[", ended);
        column = hanging;
    }
}

static void pytree__dp_put_dtype(struct pytree__display *d, const pytree_type *type)
{
    static const char *const names[] = { "", "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                         "float16", "bfloat16", "float32", "float64", "float", "complex64", "complex128",
                                         "complex" };
    const pytree_dtype dtype = pytree__origin(type)->dtype;
    if (dtype >= PYTREE_STRING) { pytree__put_text(d->to, pytree_dtype_name(type)); return; }
    pytree__put_text(d->to, names[dtype]);
    if (dtype == PYTREE_FLONG || dtype == PYTREE_CLONG) { pytree__put_number(d->to, 8 * type->size); }
}

/* Write (2, 3). */
static void pytree__dp_put_shape(struct pytree__display *d, const pytree_leaf *leaf)
{
    int i;
    pytree__text_put(d->to, "(", 1);
    for (i = 0; i < leaf->ndim; i++) {
        if (i != 0) { pytree__text_put(d->to, ", ", 2); }
        pytree__put_number(d->to, leaf->shape[i]);
    }
    pytree__put_text(d->to, leaf->ndim == 1 ? ",)" : ")");
}

/* Is it a number or a text of Python's, no array? */
static bool pytree__dp_plain(const pytree_leaf *leaf)
{
    const pytree_dtype dtype = leaf->type->dtype;
    if (dtype == PYTREE_TEXT || leaf->type->constants != NULL) { return leaf->ndim == (dtype == PYTREE_TEXT); }
    return leaf->ndim == 0 && (dtype == PYTREE_BOOL8 || dtype == PYTREE_I64 || dtype == PYTREE_F64 || dtype == PYTREE_C128
                               || dtype >= PYTREE_STRING);
}

/* Write Array(shape=(2, 3), dtype=dtype('float32')). */
static void pytree__dp_put_extents(struct pytree__display *d, const pytree_leaf *leaf)
{
    const char *quote = pytree__origin(leaf->type)->dtype == PYTREE_BF16 ? "" : "'";
    pytree__put_text(d->to, "Array(shape=");
    pytree__dp_put_shape(d, leaf);
    pytree__put_text(d->to, ", dtype=dtype(");
    pytree__put_text(d->to, quote);
    pytree__dp_put_dtype(d, leaf->type);
    pytree__put_text(d->to, quote);
    pytree__put_text(d->to, "))");
}

/* Write Array([0., 1., 2.], dtype=float32). Where that is too long for its last line, JAX puts spaces and no end of a line
 * before the dtype. */
static void pytree__dp_put_array(struct pytree__display *d, const pytree_leaf *leaf)
{
    const size_t before = d->lines;
    struct pytree__text_writer count = { NULL, 0, 0, NULL };
    struct pytree__display measure = pytree__display_to(&count);
    size_t column = 6;
    pytree__dp_put_dtype(&measure, leaf->type);
    if (!pytree__readable(leaf) && pytree_leaf_count(leaf) != 0) {       /* only a shape */
        pytree__put_text(d->to, "ShapeDtypeStruct(shape=");
        pytree__dp_put_shape(d, leaf);
    } else {
        pytree__put_text(d->to, "Array(");
        if (pytree_leaf_count(leaf) != 0) { column = pytree__dp_put_elements(d, leaf, column); }
        else { pytree__put_text(d->to, "[], shape="); pytree__dp_put_shape(d, leaf); }
    }
    column = d->lines == before ? column - 4 : column + 2;     /* as JAX counts */
    pytree__put_text(d->to, column + 6 + count.length + 2 > PYTREE__DP_WIDTH + 1 ? ",      dtype=" : ", dtype=");
    pytree__dp_put_dtype(d, leaf->type);
    pytree__text_put(d->to, ")", 1);
}

/* Write a leaf: an array, a value of Python's, or the type of a node that is_leaf took for one. */
static void pytree__dp_put_leaf(struct pytree__display *d, const pytree_leaf *leaf)
{
    if (leaf->form == PYTREE_FORM_NONE) { pytree__put_text(d->to, "None"); }
    else if (!pytree_is_leaf(leaf)) {
        pytree__text_put(d->to, "<", 1);
        pytree__put_text(d->to, pytree__view_name(leaf));
        pytree__text_put(d->to, ">", 1);
    }
    else if (pytree__readable(leaf) && pytree__dp_plain(leaf)) { pytree__put_value(d->to, leaf, 0); }
    else { pytree__dp_put_array(d, leaf); }
}

size_t pytree_array_text(const pytree_leaf *array, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    struct pytree__display d = pytree__display_to(&to);
    if (array->form == PYTREE_FORM_LEAF && array->type->dtype < PYTREE_STRING) { pytree__dp_put_array(&d, array); }
    else { pytree__dp_put_leaf(&d, array); }
    return pytree__end_text(&to, n);
}

/* ---- Sizes ---------------------------------------------------------------------------------------------------------- */

/* Write a number of elements and of bytes: 5,790 (23.2 KB). */
static void pytree__dp_put_size(struct pytree__text_writer *to, uint64_t elements, uint64_t bytes)
{
    static const struct { double size; const char *name; } units[] = { { 1e9, "GB" }, { 1e6, "MB" }, { 1e3, "KB" } };
    size_t i = 0;
    pytree__put_grouped(to, elements);
    pytree__text_put(to, " (", 2);
    while (i < 3 && (double)bytes <= units[i].size) { i++; }
    if (i == 3) {
        pytree__put_grouped(to, bytes);
        pytree__put_text(to, " B)");
    } else {
        const int before = PYTREE__GET_ERRNO();
        char text[48];
        size_t n;
        snprintf(text, sizeof text, "%.1f", (double)bytes / units[i].size);    /* rounded as Python rounds */
        PYTREE__SET_ERRNO(before);
        n = strlen(text) - 1;
        pytree__put_grouped(to, (uint64_t)strtoull(text, NULL, 10));
        pytree__text_put(to, ".", 1);
        pytree__text_put(to, text + n, 1);
        pytree__text_put(to, " ", 1);
        pytree__put_text(to, units[i].name);
        pytree__text_put(to, ")", 1);
    }
}

size_t pytree_size_text(uint64_t elements, uint64_t bytes, char *text, size_t n)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    pytree__dp_put_size(&to, elements, bytes);
    return pytree__end_text(&to, n);
}

#include "display_tree.h"
#endif
