/* pytree/impl/summary.h: the table of a tree's leaves. */
#ifndef PYTREE_IMPL_SUMMARY_H
#define PYTREE_IMPL_SUMMARY_H

#include "ravel.h"

/* ---- Summary ------------------------------------------------------------------------------------------------------- */

/* The writer of a table. It runs twice: to measure the columns, and to write. */
enum { PYTREE__RV_PATH, PYTREE__RV_TYPE, PYTREE__RV_SHAPE, PYTREE__RV_ELEMENTS, PYTREE__RV_BYTES, PYTREE__RV_COLUMNS };
typedef struct pytree__rv_table {
    struct pytree__text_writer *to;       /* NULL: measure */
    size_t widths[PYTREE__RV_COLUMNS];       /* in characters */
} pytree__rv_table;

/* A row being collected: the leaf with this path, or all leaves below it. */
typedef struct pytree__rv_row {
    size_t leaves, elements, bytes;
    uint32_t set;
    bool below;                           /* the path is not the leaf's whole one */
    pytree_leaf leaf;                     /* the first */
    char *path;                           /* as in the cell; memory for `room` bytes, `few` as long as that is enough */
    size_t room;
    char few[500];
} pytree__rv_row;

static size_t pytree__rv_characters(const char *text)
{
    size_t n = 0;
    for (; *text != '\0'; text++) { n += (*text & 0xC0) != 0x80; }
    return n;
}

/* Measure a cell, or write it padded to the width of its column. */
static void pytree__rv_cell(pytree__rv_table *table, int column, const char *text)
{
    const size_t n = pytree__rv_characters(text);
    size_t left;
    if (table->to == NULL) {
        if (n > table->widths[column]) { table->widths[column] = n; }
        return;
    }
    left = table->widths[column] - n;
    pytree__text_put(table->to, "| ", 2);
    if (column < PYTREE__RV_ELEMENTS) { pytree__put_text(table->to, text); }
    for (; left > 0; left--) { pytree__text_put(table->to, " ", 1); }
    if (column >= PYTREE__RV_ELEMENTS) { pytree__put_text(table->to, text); }
    pytree__put_text(table->to, column == PYTREE__RV_COLUMNS - 1 ? " |\n" : " ");
}

static void pytree__rv_rule(pytree__rv_table *table)
{
    int column;
    size_t i;
    for (column = 0; table->to != NULL && column < PYTREE__RV_COLUMNS; column++) {
        pytree__put_text(table->to, column < PYTREE__RV_ELEMENTS ? "|:" : "|-");
        for (i = 0; i < table->widths[column]; i++) { pytree__text_put(table->to, "-", 1); }
        pytree__put_text(table->to, column < PYTREE__RV_ELEMENTS ? "-" : ":");
    }
    if (table->to != NULL) { pytree__text_put(table->to, "|\n", 2); }
}

/* Write a number with separators: 1,234,567. */
static void pytree__rv_grouped(pytree__rv_table *table, int column, size_t n)
{
    char text[40];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    pytree__put_grouped(&to, n);
    pytree__end_text(&to, sizeof text);
    pytree__rv_cell(table, column, text);
}

static void pytree__rv_types_cell(pytree__rv_table *table, uint32_t set)
{
    char text[200];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    pytree__rv_put_types(&to, set);
    pytree__end_text(&to, sizeof text);
    pytree__rv_cell(table, PYTREE__RV_TYPE, text);
}

static void pytree__rv_count_cell(pytree__rv_table *table, size_t leaves)
{
    char text[40];
    snprintf(text, sizeof text, "%zu %s", leaves, leaves == 1 ? "leaf" : "leaves");
    pytree__rv_cell(table, PYTREE__RV_SHAPE, text);
}

static void pytree__rv_leaf_cells(pytree__rv_table *table, const pytree_leaf *leaf)
{
    char text[PYTREE_MAX_DIMS * 24];
    struct pytree__text_writer to = pytree__text_to(text, sizeof text, NULL);
    const bool shaped = leaf->form == PYTREE_FORM_LEAF;
    int i;
    pytree__rv_cell(table, PYTREE__RV_TYPE, shaped ? pytree_dtype_name(leaf->type) : pytree__view_name(leaf));
    for (i = 0; shaped && i < leaf->ndim; i++) {
        if (i != 0) { pytree__put_text(&to, " x "); }
        pytree__put_number(&to, leaf->shape[i]);
    }
    pytree__end_text(&to, sizeof text);
    pytree__rv_cell(table, PYTREE__RV_SHAPE, text);
}

static void pytree__rv_put_row(pytree__rv_table *table, const pytree__rv_row *row, const char *path)
{
    pytree__rv_cell(table, PYTREE__RV_PATH, path);
    if (row->below) {
        pytree__rv_types_cell(table, row->set);
        pytree__rv_count_cell(table, row->leaves);
    } else {
        pytree__rv_leaf_cells(table, &row->leaf);
    }
    pytree__rv_grouped(table, PYTREE__RV_ELEMENTS, row->elements);
    pytree__rv_grouped(table, PYTREE__RV_BYTES, row->bytes);
}

static void pytree__rv_begin_row(pytree__rv_row *row)
{
    row->leaves = row->elements = row->bytes = row->set = 0;
    row->below = false;
}

static void pytree__rv_add_leaf(pytree__rv_row *row, const pytree_leaf *leaf)
{
    if (row->leaves++ == 0) { row->leaf = *leaf; }
    if (leaf->form == PYTREE_FORM_LEAF) {
        row->set |= PYTREE__RV_BIT(leaf->type->dtype);
        row->elements = pytree__plus(row->elements, pytree_leaf_count(leaf));
        row->bytes = pytree__plus(row->bytes, pytree_leaf_bytes(leaf));
    }
}

/* Get the first entries, at most `depth`, of the path of the current leaf. */
static void pytree__rv_put_path(struct pytree__text_writer *to, const pytree__cursor *c, size_t depth)
{
    const size_t n = pytree__rv_least(pytree__depth(c), depth);
    size_t i;
    for (i = 0; i < n; i++) {
        pytree_entry entry;
        pytree__entry_at(c, i, &entry);
        pytree__put_entry(to, &entry, NULL, i == 0);
    }
}

/* Write a path as a cell; a | in it is escaped, since it would end the cell. */
static pytree_status pytree__rv_read_path(pytree__rv_row *row, const pytree_iter *it, size_t depth, const pytree_allocator *a,
                                       pytree_error *err)
{
    struct pytree__text_writer to = pytree__text_to(row->path, row->room, NULL);
    size_t bars = 0, i;
    pytree__rv_put_path(&to, &it->cursors[0], depth);
    if (to.length >= row->room / 2) {     /* with a backslash before each character it would not fit */
        const size_t room = pytree__plus(pytree__times(to.length, 3), 1);
        char *grown = (char *)pytree__resize(a, NULL, 0, room);
        if (grown == NULL) { return pytree__no_memory(err, room); }
        if (row->path != row->few) { pytree__resize(a, row->path, row->room, 0); }
        row->path = grown;
        row->room = room;
        to = pytree__text_to(row->path, row->room, NULL);
        pytree__rv_put_path(&to, &it->cursors[0], depth);
    }
    for (i = 0; i < to.length; i++) { bars += row->path[i] == '|'; }
    row->path[to.length + bars] = '\0';
    for (i = to.length; bars > 0; ) {
        const char c = row->path[--i];
        row->path[i + bars] = c;
        if (c == '|') { row->path[i + --bars] = '\\'; }
    }
    return PYTREE_OK;
}

/* Write a row for each leaf, or for each path of at most `depth` entries, then the total. Leaves below one path are adjacent,
 * so a row is complete when the path changes: two rows, the last and the next, are used in turn. */
static pytree_status pytree__rv_put_rows(pytree__rv_table *table, pytree__rv_row rows[2], pytree__rv_row *total, pytree t,
                                      const pytree_summary_options *opt, pytree_error *err)
{
    const pytree_options *tree = opt == NULL ? NULL : &opt->tree;
    const size_t depth = opt == NULL || opt->depth == 0 ? SIZE_MAX : opt->depth;
    pytree__rv_row *last = &rows[0], *next = &rows[1];
    pytree_iter it;
    pytree__rv_begin_row(last);
    pytree__rv_begin_row(total);
    total->below = true;
    (void)pytree_iter_begin(&it, 1, &t, tree, err);
    while (pytree_iter_next(&it)) {
        it.status = pytree__rv_read_path(next, &it, depth, pytree__allocator(tree), err);
        if (it.status != PYTREE_OK) { break; }
        if (last->leaves == 0 || strcmp(last->path, next->path) != 0) {
            pytree__rv_row *done = last;
            if (done->leaves != 0) { pytree__rv_put_row(table, done, done->path); }
            last = next;
            next = done;
            pytree__rv_begin_row(last);
            last->below = pytree_iter_path(&it, NULL, 0) > depth;
        }
        pytree__rv_add_leaf(last, it.leaf[0]);
        pytree__rv_add_leaf(total, it.leaf[0]);
    }
    pytree_iter_end(&it);
    if (last->leaves != 0) { pytree__rv_put_row(table, last, last->path); }
    pytree__rv_put_row(table, total, "total");
    return it.status;
}

static void pytree__rv_put_head(pytree__rv_table *table)
{
    static const char *const titles[PYTREE__RV_COLUMNS] = { "path", "type", "shape", "elements", "bytes" };
    int column;
    for (column = 0; column < PYTREE__RV_COLUMNS; column++) { pytree__rv_cell(table, column, titles[column]); }
    pytree__rv_rule(table);
}

static pytree_status pytree__rv_put_table(struct pytree__text_writer *to, pytree t, const pytree_summary_options *opt,
                                          pytree_error *err)
{
    const pytree_allocator *a = opt == NULL ? NULL : opt->tree.allocator;
    pytree__rv_table table;
    pytree__rv_row rows[2], total;
    pytree_status status;
    int i;
    memset(&table, 0, sizeof table);
    for (i = 0; i < 2; i++) {
        rows[i].path = rows[i].few;
        rows[i].room = sizeof rows[i].few;
    }
    pytree__rv_put_head(&table);
    status = pytree__rv_put_rows(&table, rows, &total, t, opt, err);
    if (status == PYTREE_OK) {
        table.to = to;
        pytree__rv_put_head(&table);
        status = pytree__rv_put_rows(&table, rows, &total, t, opt, err);
    }
    for (i = 0; i < 2; i++) {
        if (rows[i].path != rows[i].few) { pytree__resize(a, rows[i].path, rows[i].room, 0); }
    }
    return status;
}

pytree_status pytree_summary(FILE *file, pytree t, const pytree_summary_options *opt, pytree_error *err)
{
    const struct pytree__text_file out = pytree__file_sink(file);
    struct pytree__text_writer to = pytree__text_to(NULL, 0, &out);
    pytree_status status;
    if (file == NULL) { return pytree_fail(err, PYTREE_ARGUMENT, NULL, "expected a file, got NULL"); }
    status = pytree__rv_put_table(&to, t, opt, err);
    return status == PYTREE_OK ? pytree__written(file, err) : status;
}

size_t pytree_summary_text(pytree t, char *text, size_t n, const pytree_summary_options *opt, pytree_error *err)
{
    struct pytree__text_writer to = pytree__text_to(text, n, NULL);
    const pytree_status status = pytree__rv_put_table(&to, t, opt, err);
    if (status != PYTREE_OK && n != 0) { text[0] = '\0'; }
    return status != PYTREE_OK ? SIZE_MAX : pytree__end_text(&to, n);
}

#include "spans.h"
#endif
