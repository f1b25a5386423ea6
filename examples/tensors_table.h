/* tensors_table.h: tables on a terminal: columns as wide as their contents, lines that fit the terminal, and colours. */
#ifndef TENSORS_TABLE_H
#define TENSORS_TABLE_H

#include "tensors_text.h"

#if defined(__unix__) || defined(__APPLE__)
#define TERMINAL 1
#include <sys/ioctl.h>
#include <unistd.h>
#else
#define TERMINAL 0
#endif

/* ---- The terminal -------------------------------------------------------------------------------------------------- */

typedef enum Colour { PLAIN, STRONG, RED, GREEN, YELLOW } Colour;
static const char *const colour_codes[] = { "", "\033[1m", "\033[1;31m", "\033[32m", "\033[33m" };

static bool is_terminal(void)
{
#if TERMINAL
    return isatty(STDOUT_FILENO) != 0;
#else
    return false;
#endif
}

static bool has_colour(void)
{
    const char *no = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return is_terminal() && (no == NULL || *no == '\0') && terminal != NULL && strcmp(terminal, "dumb") != 0;
}

/* Return the width of a line in columns. */
static size_t line_width(void)
{
    const char *columns = getenv("COLUMNS");
    long n = columns != NULL ? strtol(columns, NULL, 10) : 0;
#if TERMINAL && defined(TIOCGWINSZ)
    struct winsize size;
    if (n <= 0 && is_terminal() && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0) { n = size.ws_col; }
#endif
    return n > 0 ? (size_t)n : SIZE_MAX;
}

/* ---- Tables -------------------------------------------------------------------------------------------------------- */

enum { MOST_COLUMNS = 10, SHORTEST_NAME = 24, GAP = 2 };

typedef struct Column {
    const char *title;
    bool right;                           /* numbers */
    bool name;                            /* may be shortened */
    int dropped;                          /* order in which columns are dropped from a narrow line; 0: never */
} Column;

typedef struct Table {
    const Column *columns;
    size_t n_columns, n_rows;
    char **cells;                         /* by rows; NULL: empty */
    Colour *colours;                      /* of each row */
    size_t widths[MOST_COLUMNS];          /* 0: not shown */
} Table;

static void table_begin(Table *table, const Column *columns, size_t n_columns, size_t most_rows)
{
    memset(table, 0, sizeof *table);
    table->columns = columns;
    table->n_columns = n_columns;
    table->cells = need(calloc(most_rows + 1, n_columns * sizeof *table->cells));
    table->colours = need(calloc(most_rows + 1, sizeof *table->colours));
}

static char **table_row(Table *table, Colour colour)
{
    table->colours[table->n_rows] = colour;
    return &table->cells[table->n_rows++ * table->n_columns];
}

static void table_end(Table *table)
{
    for (size_t i = 0; i < table->n_rows * table->n_columns; i++) { free(table->cells[i]); }
    free(table->cells);
    free(table->colours);
}

/* Choose widths. Empty columns are hidden, columns that do not fit are dropped, and finally names are shortened. */
static void table_fit(Table *table, size_t width)
{
    size_t *const widths = table->widths, name = 0, used = 0;
    for (size_t c = 0; c < table->n_columns; c++) {
        for (size_t r = 0; r < table->n_rows; r++) {
            const char *cell = table->cells[r * table->n_columns + c];
            size_t n = cell != NULL ? columns_of(cell) : 0;
            if (n > widths[c]) { widths[c] = n; }
        }
        if (table->columns[c].name) { name = c; }
        if (widths[c] == 0) { continue; }
        if (columns_of(table->columns[c].title) > widths[c]) { widths[c] = columns_of(table->columns[c].title); }
        used += widths[c] + (used != 0 ? GAP : 0);
    }
    for (int turn = 1; turn <= MOST_COLUMNS; turn++) {
        size_t spare = widths[name] > SHORTEST_NAME ? widths[name] - SHORTEST_NAME : 0;
        for (size_t c = 0; c < table->n_columns && used - spare > width; c++) {
            if (table->columns[c].dropped != turn || widths[c] == 0) { continue; }
            used -= widths[c] + GAP;
            widths[c] = 0;
        }
    }
    if (used > width && widths[name] > SHORTEST_NAME) {
        size_t over = used - width, spare = widths[name] - SHORTEST_NAME;
        widths[name] -= over < spare ? over : spare;
    }
}

/* Print a cell in its width. A cell that is too long loses its middle. */
static void put_cell(const char *cell, size_t width, bool right, bool last)
{
    size_t n = columns_of(cell);
    int space = n < width ? (int)(width - n) : 0;
    if (right) { printf("%*s", space, ""); }
    if (n <= width) {
        fputs(cell, stdout);
    } else {
        size_t head = (width - 3) / 2, tail = width - 3 - head;
        printf("%.*s...%s", (int)(skip_columns(cell, head) - cell), cell, skip_columns(cell, n - tail));
    }
    if (!right && !last) { printf("%*s", space, ""); }
}

static void put_row(const Table *table, char *const *cells, Colour colour, bool coloured)
{
    size_t last = 0;
    bool first = true;
    for (size_t c = 0; c < table->n_columns; c++) {
        if (table->widths[c] != 0 && (cells == NULL || cells[c] != NULL)) { last = c; }
    }
    if (coloured) { fputs(colour_codes[colour], stdout); }
    for (size_t c = 0; c <= last; c++) {
        const char *cell = cells == NULL ? table->columns[c].title : cells[c] == NULL ? "" : cells[c];
        if (table->widths[c] == 0) { continue; }
        if (!first) { printf("%*s", GAP, ""); }
        put_cell(cell, table->widths[c], table->columns[c].right, c == last);
        first = false;
    }
    puts(coloured && colour != PLAIN ? "\033[0m" : "");
}

static void table_print(Table *table)
{
    bool coloured = has_colour();
    if (table->n_rows == 0) { return; }
    table_fit(table, line_width());
    put_row(table, NULL, STRONG, coloured);
    for (size_t r = 0; r < table->n_rows; r++) {
        put_row(table, &table->cells[r * table->n_columns], table->colours[r], coloured);
    }
}

#endif
