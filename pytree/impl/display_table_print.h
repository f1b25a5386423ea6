/* pytree/impl/display_table_print.h: the table of a model, drawn with lines. */
#ifndef PYTREE_IMPL_DISPLAY_TABLE_PRINT_H
#define PYTREE_IMPL_DISPLAY_TABLE_PRINT_H

#include "display_table.h"

/* The corners and lines of a rule: left, line, between, right; and what stands beside the cells of a row. */
struct pytree__dt_rule { const char *left, *line, *between, *right; };
static const struct pytree__dt_rule pytree__dt_top = { "\xe2\x94\x8f", "\xe2\x94\x81", "\xe2\x94\xb3", "\xe2\x94\x93" };
static const struct pytree__dt_rule pytree__dt_below_heads = { "\xe2\x94\xa1", "\xe2\x94\x81", "\xe2\x95\x87", "\xe2\x94\xa9" };
static const struct pytree__dt_rule pytree__dt_below_row = { "\xe2\x94\x9c", "\xe2\x94\x80", "\xe2\x94\xbc", "\xe2\x94\xa4" };
static const struct pytree__dt_rule pytree__dt_bottom = { "\xe2\x94\x94", "\xe2\x94\x80", "\xe2\x94\xb4", "\xe2\x94\x98" };

/* Return a line of a cell, and in *n its bytes; NULL behind the last one. */
static const char *pytree__dt_line_of(const char *cell, size_t line, size_t *n)
{
    const char *end;
    for (; line != 0 && cell != NULL; line--) {
        cell = strchr(cell, '\n');
        if (cell != NULL) { cell++; }
    }
    if (cell == NULL) { return NULL; }
    end = strchr(cell, '\n');
    *n = end == NULL ? strlen(cell) : (size_t)(end - cell);
    return cell;
}

/* Count the characters of n bytes of UTF-8. */
static size_t pytree__dt_characters(const char *text, size_t n)
{
    size_t i, characters = 0;
    for (i = 0; i < n; i++) { characters += ((unsigned char)text[i] & 0xC0) != 0x80; }
    return characters;
}

static const char *pytree__dt_cell(const struct pytree__dt_writer *w, size_t row, size_t column)
{
    return pytree__dt_text(w, ((const size_t *)w->cells.data)[row * w->n_columns + column]);
}

/* Find how many characters a column takes. */
static size_t pytree__dt_width(const struct pytree__dt_writer *w, size_t column)
{
    const size_t rows = w->cells.count / w->n_columns;
    size_t row, line, n, width = 0;
    for (row = 0; row < rows; row++) {
        const char *cell = pytree__dt_cell(w, row, column), *at;
        for (line = 0; (at = pytree__dt_line_of(cell, line, &n)) != NULL; line++) {
            const size_t characters = pytree__dt_characters(at, n);
            if (characters > width) { width = characters; }
        }
    }
    return width;
}

static void pytree__dt_put_rule(struct pytree__text_writer *to, const struct pytree__dt_rule *rule, const size_t *widths,
                                size_t n)
{
    size_t i, k;
    for (i = 0; i < n; i++) {
        pytree__put_text(to, i == 0 ? rule->left : rule->between);
        for (k = 0; k < widths[i] + 2; k++) { pytree__put_text(to, rule->line); }
    }
    pytree__put_text(to, rule->right);
    pytree__text_put(to, "\n", 1);
}

/* Write the lines of a row of cells. */
static void pytree__dt_put_row(const struct pytree__dt_writer *w, struct pytree__display *d, size_t row, const size_t *widths,
                               const char *edge)
{
    const bool total = row + 1 == w->cells.count / w->n_columns;
    size_t line, i, k, n;
    bool more = true;
    for (line = 0; more; line++) {
        more = false;
        for (i = 0; i < w->n_columns; i++) {
            const char *cell = pytree__dt_cell(w, row, i), *text = pytree__dt_line_of(cell, line, &n);
            const bool right = total && i < PYTREE__DT_COLUMNS;
            size_t left;
            if (text == NULL) { n = 0; }
            left = widths[i] - pytree__dt_characters(text == NULL ? "" : text, n);
            more = more || (text != NULL && text[n] != '\0');
            pytree__put_text(d->to, edge);
            pytree__dp_spaces(d, 1 + (right ? left : 0));
            for (k = 0; k < n; k++) { pytree__text_put(d->to, text[k] == PYTREE__DT_SLASH ? "/" : text + k, 1); }
            pytree__dp_spaces(d, 1 + (right ? 0 : left));
        }
        pytree__put_text(d->to, edge);
        pytree__text_put(d->to, "\n", 1);
    }
}

/* Write a text in the middle of a line. */
static void pytree__dt_put_middle(struct pytree__display *d, const char *text, size_t width)
{
    const size_t n = pytree__dt_characters(text, strlen(text));
    pytree__dp_spaces(d, n < width ? (width - n) / 2 : 0);
    pytree__put_text(d->to, text);
}

static bool pytree__dt_draw(struct pytree__dt_writer *w, struct pytree__text_writer *to, const pytree_allocator *a)
{
    const size_t rows = w->cells.count / w->n_columns;
    const struct pytree__dp_size sum = pytree__dt_total(w, NULL);
    struct pytree__display d = pytree__display_to(to);
    size_t *widths = (size_t *)pytree__array_new(w->n_columns, sizeof *widths, a, w->err), width = 1, i;
    char text[96] = "Total Parameters: ";
    if (widths == NULL) { return false; }
    for (i = 0; i < w->n_columns; i++) {
        widths[i] = pytree__dt_width(w, i);
        width += widths[i] + 3;
    }
    pytree__dt_put_middle(&d, w->title, width);
    pytree__text_put(to, "\n", 1);
    for (i = 0; i < rows; i++) {
        pytree__dt_put_rule(to, i == 0 ? &pytree__dt_top : i == 1 ? &pytree__dt_below_heads : &pytree__dt_below_row, widths,
                            w->n_columns);
        pytree__dt_put_row(w, &d, i, widths, i == 0 ? "\xe2\x94\x83" : "\xe2\x94\x82");
    }
    pytree__dt_put_rule(to, &pytree__dt_bottom, widths, w->n_columns);
    pytree__text_put(to, "\n", 1);
    i = strlen(text);
    (void)pytree_size_text(sum.elements, sum.bytes, text + i, sizeof text - i);
    pytree__dt_put_middle(&d, text, width);
    pytree__array_free(widths, w->n_columns, sizeof *widths, a);
    return true;
}

static pytree_status pytree__dt_write(struct pytree__text_writer *to, pytree t, const pytree_table *table, size_t depth,
                                      const pytree_options *opt, pytree_error *err)
{
    const pytree_allocator *const a = pytree__allocator(opt);
    struct pytree__dt_writer w;
    pytree_error problem;
    problem.status = PYTREE_OK;
    memset(&w, 0, sizeof w);
    w.table = table;
    w.err = &problem;
    w.flat = pytree__model_flatten(t, opt, &problem);
    if (w.flat.def == NULL) { return pytree__alg_status(&problem, err); }
    w.values = pytree__vector_of(sizeof(struct pytree__dt_value), a);
    w.roles = pytree__vector_of(sizeof(const pytree_type *), a);
    w.calls = pytree__vector_of(sizeof(struct pytree__dt_call), a);
    w.cells = pytree__vector_of(sizeof(size_t), a);
    w.text = pytree__vector_of(1, a);
    if (pytree__dt_take_values(&w, opt) && pytree__dt_take_calls(&w, t, opt)) {
        const pytree_type *type = w.flat.def->nodes[w.flat.def->n_nodes - 1].type;
        char title[160];
        struct pytree__text_writer of = pytree__text_to(title, sizeof title, NULL);
        pytree__put_text(&of, type == NULL ? "leaf" : pytree__origin(type)->name);
        pytree__put_text(&of, " Summary");
        (void)pytree__end_text(&of, sizeof title);
        w.title = title;
        w.n_columns = PYTREE__DT_COLUMNS + w.roles.count;
        if (pytree__dt_add_cells(&w, depth)) { (void)pytree__dt_draw(&w, to, a); }
    }
    pytree__vector_free(&w.values);
    pytree__vector_free(&w.roles);
    pytree__vector_free(&w.calls);
    pytree__vector_free(&w.cells);
    pytree__vector_free(&w.text);
    pytree_def_free((pytree_def *)(uintptr_t)w.flat.def);
    return pytree__alg_status(&problem, err);
}

pytree_status pytree_tabulate(FILE *file, pytree t, const pytree_table *table, size_t depth, const pytree_options *opt,
                              pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    status = pytree__dt_write(&to, t, table, depth, opt, err);
    if (status != PYTREE_OK) { return status; }
    pytree__text_put(&to, "\n", 1);
    return pytree__written(file, err);
}

size_t pytree_tabulate_text(pytree t, const pytree_table *table, size_t depth, char *text, size_t n, const pytree_options *opt,
                            pytree_error *err)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    const pytree_status status = pytree__dt_write(&to, t, table, depth, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : pytree__end_text(&to, n);
}
#endif
