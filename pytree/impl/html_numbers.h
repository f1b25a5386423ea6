/* pytree/impl/html_numbers.h: what a page says of the numbers in an array: statistics, a histogram, a heat map. */
#ifndef PYTREE_IMPL_HTML_NUMBERS_H
#define PYTREE_IMPL_HTML_NUMBERS_H

#include "html_json.h"

/* ---- Statistics ---------------------------------------------------------------------------------------------------- */

/* The numbers of an array, of a complex one the real and imaginary parts: every step-th of them. Deviations are measured from
 * the lowest in units of the range, so that no sum overflows. */
struct pytree__html_statistics {
    size_t step, read, finite, nans;
    double low, high;
    size_t low_at, high_at;
    double mean, square;                  /* of (v - low) / (high - low), and of its square */
    size_t bars[PYTREE__HTML_BARS];
};

/* Get where v lies between the lowest, 0, and the highest number, 1. Halves: their difference is always finite. */
static double pytree__html_between(const struct pytree__html_statistics *s, double v)
{
    const double range = s->high / 2 - s->low / 2;
    return range > 0 ? (v / 2 - s->low / 2) / range : 0;
}

/* Is element i below element k, which is the same double? */
static bool pytree__html_below(const pytree_leaf *numbers, size_t i, size_t k)
{
    const void *const p = numbers->data;
    switch (numbers->type->dtype) {
    case PYTREE_I64: return ((const int64_t *)p)[i] < ((const int64_t *)p)[k];
    case PYTREE_U64: return ((const uint64_t *)p)[i] < ((const uint64_t *)p)[k];
    case PYTREE_FLONG: return ((const long double *)p)[i] < ((const long double *)p)[k];
    default: return false;
    }
}

static void pytree__html_find_range(struct pytree__html_statistics *s, const pytree_leaf *numbers, size_t n)
{
    size_t i;
    for (i = 0; i < n; i += s->step) {
        const double v = pytree_leaf_get(numbers, i);
        s->read++;
        if (v - v != 0) { s->nans += v != v; continue; }
        if (s->finite++ == 0) { s->low_at = s->high_at = i; s->low = s->high = v; }
        if (v < s->low || (v == s->low && pytree__html_below(numbers, i, s->low_at))) { s->low = v; s->low_at = i; }
        if (v > s->high || (v == s->high && pytree__html_below(numbers, s->high_at, i))) { s->high = v; s->high_at = i; }
        if (n - i <= s->step) { break; }
    }
}

/* Count the numbers, of which there are some, for the means and the histogram. */
static void pytree__html_count(struct pytree__html_statistics *s, const pytree_leaf *numbers, size_t n)
{
    size_t i;
    for (i = 0;; i += s->step) {
        const double v = pytree_leaf_get(numbers, i), at = pytree__html_between(s, v);
        if (v - v == 0) {
            const size_t bar = (size_t)(at * (double)PYTREE__HTML_BARS);
            s->bars[bar < (size_t)PYTREE__HTML_BARS ? bar : (size_t)PYTREE__HTML_BARS - 1]++;
            s->mean += at;
            s->square += at * at;
        }
        if (n - i <= s->step) { break; }
    }
    s->mean /= (double)s->finite;
    s->square /= (double)s->finite;
}

/* Write an element as pytree_print does. */
static void pytree__html_element(struct pytree__html *w, const pytree_leaf *leaf, size_t i)
{
    struct pytree__text_writer to = pytree__html_text(w);
    pytree__put_value(&to, leaf, i);
    pytree__html_text_cut(w, &to);
}

/* Write the statistics of an array as the member "x". */
static void pytree__html_put_statistics(struct pytree__html *w, const pytree_leaf *numbers, size_t n)
{
    struct pytree__html_statistics s;
    size_t i;
    memset(&s, 0, sizeof s);
    s.step = n / w->most + (n % w->most != 0);
    if (s.step > 1) { s.step |= 1; }      /* odd: rows are often a power of two long */
    pytree__html_find_range(&s, numbers, n);
    pytree__html_member(w, "x");
    pytree__html_put(w, "{", 1);
    if (s.step > 1) {
        pytree__html_member(w, "step");
        pytree__html_number(w, s.step);
    }
    if (s.finite != 0) {
        const double half = s.high / 2 - s.low / 2;
        pytree__html_count(&s, numbers, n);
        pytree__html_member(w, "min");
        pytree__html_element(w, numbers, s.low_at);
        pytree__html_member(w, "max");
        pytree__html_element(w, numbers, s.high_at);
        pytree__html_member(w, "mean");
        pytree__html_float(w, s.low + half * s.mean + half * s.mean);
        pytree__html_member(w, "half");
        pytree__html_float(w, half);
        pytree__html_member(w, "var");    /* in units of the range */
        pytree__html_float(w, s.square > s.mean * s.mean ? s.square - s.mean * s.mean : 0);
        pytree__html_member(w, "bars");
        for (i = 0; i < PYTREE__HTML_BARS; i++) {
            pytree__html_put(w, i == 0 ? "[" : ",", 1);
            pytree__html_number(w, s.bars[i]);
        }
        pytree__html_put(w, "]", 1);
    }
    if (s.nans != 0) {
        pytree__html_member(w, "nan");
        pytree__html_number(w, s.nans);
    }
    if (s.read != s.finite + s.nans) {
        pytree__html_member(w, "inf");
        pytree__html_number(w, s.read - s.finite - s.nans);
    }
    pytree__html_put(w, "}", 1);
}

/* ---- Heat maps ----------------------------------------------------------------------------------------------------- */

/* A heat map: slices of rows * columns cells, and what is shown: a, or b - a. */
struct pytree__html_heat {
    const pytree_leaf *a, *b;
    size_t parts, height, width;          /* of a slice of the array, whose last two axes these are */
    size_t n_slices, slices, rows, columns;
};

enum { PYTREE__HTML_SIDE = 64, PYTREE__HTML_LINE = 256, PYTREE__HTML_SLICES = 64, PYTREE__HTML_PROBES = 3 };

static size_t pytree__html_least(size_t a, size_t b) { return a < b ? a : b; }

static void pytree__html_heat_size(struct pytree__html_heat *h, const pytree_leaf *shape, size_t share)
{
    const bool flat = shape->ndim == 1 || shape->shape[shape->ndim - 2] == 1;
    const size_t line = flat ? PYTREE__HTML_LINE : PYTREE__HTML_SIDE;
    h->width = shape->shape[shape->ndim - 1];
    h->height = shape->ndim == 1 ? 1 : shape->shape[shape->ndim - 2];
    h->n_slices = pytree_leaf_count(shape) / h->width / h->height;
    h->rows = pytree__html_least(h->height, PYTREE__HTML_SIDE);
    h->columns = pytree__html_least(h->width, line);
    while (h->rows * h->columns > share) {
        if (h->rows > h->columns) { h->rows = (h->rows + 1) / 2; } else { h->columns = (h->columns + 1) / 2; }
    }
    h->slices = pytree__html_least(h->n_slices, pytree__html_least(share / (h->rows * h->columns), PYTREE__HTML_SLICES));
}

/* Get part k of n, as even as they can be, of a length: where it begins. The products fit: n is small, and the length is one of
 * an array in memory. */
static size_t pytree__html_part(size_t length, size_t k, size_t n) { return length / n * k + length % n * k / n; }

/* Get the mean of up to nine elements spread over a cell; not finite if one is not. */
static double pytree__html_cell(const struct pytree__html_heat *h, size_t first, size_t row, size_t column)
{
    const size_t top = pytree__html_part(h->height, row, h->rows), left = pytree__html_part(h->width, column, h->columns);
    const size_t tall = pytree__html_part(h->height, row + 1, h->rows) - top;
    const size_t wide = pytree__html_part(h->width, column + 1, h->columns) - left;
    const size_t down = pytree__html_least(tall, PYTREE__HTML_PROBES);
    const size_t across = pytree__html_least(wide, PYTREE__HTML_PROBES);
    double sum = 0;
    size_t i, j;
    for (i = 0; i < down; i++) {
        for (j = 0; j < across; j++) {
            const size_t y = top + pytree__html_part(tall, i, down), x = left + pytree__html_part(wide, j, across);
            const size_t at = (first + y * h->width + x) * h->parts;
            const double v = pytree_leaf_get(h->a, at);
            sum += (h->b == NULL ? v : pytree_leaf_get(h->b, at) - v) / (double)(down * across);
        }
    }
    return sum;
}

/* Compute all cells. Returns their range. */
static void pytree__html_heat_cells(const struct pytree__html_heat *h, double *cell, double range[2])
{
    size_t k, row, column;
    range[0] = HUGE_VAL;
    range[1] = -HUGE_VAL;
    for (k = 0; k < h->slices; k++) {
        const size_t first = pytree__html_part(h->n_slices, k, h->slices) * h->height * h->width;
        for (row = 0; row < h->rows; row++) {
            for (column = 0; column < h->columns; column++) {
                const double v = *cell++ = pytree__html_cell(h, first, row, column);
                if (v - v == 0 && v < range[0]) { range[0] = v; }
                if (v - v == 0 && v > range[1]) { range[1] = v; }
            }
        }
    }
}

/* Write the heat map of an array of numbers, or of the difference of two of one shape, as the member "h": 64 levels as the
 * digits of base64, "!" for what is not finite. */
static void pytree__html_put_heat(struct pytree__html *w, const pytree_leaf *shape, const pytree_leaf *a, const pytree_leaf *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct pytree__html_heat h;
    double range[2], *cell = (double *)w->cells.data;
    size_t k, n;
    if (pytree_leaf_count(shape) < 2) { return; }              /* a scalar, too */
    h.a = a;
    h.b = b;
    h.parts = a->type != shape->type ? 2 : 1;                  /* the real parts of a complex array */
    pytree__html_heat_size(&h, shape, w->share);
    pytree__html_heat_cells(&h, cell, range);
    pytree__html_member(w, "h");
    pytree__html_put(w, "{", 1);
    pytree__html_member(w, "size");
    pytree__html_put(w, "[", 1);
    pytree__html_number(w, h.rows);
    pytree__html_put(w, ",", 1);
    pytree__html_number(w, h.columns);
    pytree__html_put(w, "]", 1);
    if (range[0] <= range[1]) {
        pytree__html_member(w, "low");
        pytree__html_float(w, range[0]);
        pytree__html_member(w, "high");
        pytree__html_float(w, range[1]);
    }
    pytree__html_member(w, "slices");
    for (k = 0; k < h.slices; k++) {
        pytree__html_put(w, k == 0 ? "[" : ",", 1);
        pytree__html_number(w, pytree__html_part(h.n_slices, k, h.slices));
    }
    pytree__html_put(w, "]", 1);
    pytree__html_member(w, "cells");
    pytree__html_put(w, "\"", 1);
    for (n = h.slices * h.rows * h.columns; n != 0; n--, cell++) {
        const double half = range[1] / 2 - range[0] / 2, at = half > 0 ? (*cell / 2 - range[0] / 2) / half : 0.5;
        pytree__html_put(w, *cell - *cell == 0 ? &digits[at < 1 ? (int)(at * 64) : 63] : "!", 1);
    }
    pytree__html_put(w, "\"}", 2);
}

#include "html_page.h"
#endif
