/* tensors.c: list the contents of a checkpoint, or the differences of two.
 *
 *     tensors model.safetensors                     each tensor: name, type, shape, bytes, mean, deviation, range, NaNs
 *     tensors model.safetensors 'layers.*.weight'   those whose names match (* any string, ? one character)
 *     tensors diff old.npz new.safetensors          added, removed, changed; status 0 if they are equal, 1 if not
 *     tensors extract model.safetensors layers.0.weight weight.npy
 *
 * Reads .safetensors, sharded .index.json, .npz and .npy. Safetensors files are mapped: --quick lists a file of any size at
 * once, because it does not read the data; without it every byte is read once and none is copied. --json prints the same for
 * programs. Colours and line width depend on the terminal, or on NO_COLOR and COLUMNS.
 *
 * Build: cc -std=c11 -O3 -I. examples/tensors.c -o tensors -lz -lm
 */
#if defined(__unix__) || defined(__APPLE__)
#define _POSIX_C_SOURCE 200809L
#define TERMINAL 1
#include <sys/ioctl.h>
#include <unistd.h>
#else
#define TERMINAL 0
#endif

#define PYTREE_MAX_DIMS 16                /* NumPy allows 64, but hardly any array has more than 16 */
#define PYTREE_IMPLEMENTATION
#include "pytree/npz.h"
#include "pytree/safetensors.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

enum { EQUAL, DIFFERENT, TROUBLE };       /* exit status, as in diff(1) */

typedef struct Options {
    bool json, quick, help;
    double relative, absolute;            /* tolerances of diff */
} Options;

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

static void *need(void *p)
{
    if (p == NULL) {
        fprintf(stderr, "tensors: out of memory\n");
        exit(TROUBLE);
    }
    return p;
}

/* Make a string from a printf format. Returns new memory. */
static char *text(const char *format, ...)
#if defined(__GNUC__) && !defined(__TINYC__)
    __attribute__((format(printf, 1, 2)))
#endif
    ;
static char *text(const char *format, ...)
{
    va_list arguments, again;
    char *made;
    int n;
    va_start(arguments, format);
    va_copy(again, arguments);
    n = vsnprintf(NULL, 0, format, arguments);
    made = need(n < 0 ? NULL : malloc((size_t)n + 1));
    vsnprintf(made, (size_t)n + 1, format, again);
    va_end(again);
    va_end(arguments);
    return made;
}

/* Replace control characters, including C1 (two bytes): names come from files, and must not control the terminal. */
static char *printable(const char *name)
{
    char *made = need(malloc(4 * strlen(name) + 1)), *to = made;
    for (const unsigned char *at = (const unsigned char *)name; *at != '\0'; at++) {
        if (*at < 0x20 || *at == 0x7F) { to += sprintf(to, "\\x%02x", *at); }
        else if (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0) { to += sprintf(to, "\\x%02x", *++at); }
        else { *to++ = (char)*at; }
    }
    *to = '\0';
    return made;
}

/* Print "tensors: expected X, got Y" and exit with status TROUBLE. */
static int trouble(const pytree_error *err)
{
    char *message = printable(err->message);
    fprintf(stderr, "tensors: %s (%s)\n", message, pytree_status_name(err->status));
    free(message);
    return TROUBLE;
}

static size_t columns_of(const char *utf8)
{
    size_t n = 0;
    for (; *utf8 != '\0'; utf8++) { n += ((unsigned char)*utf8 & 0xC0) != 0x80; }
    return n;
}

static const char *skip_columns(const char *utf8, size_t n)
{
    for (; *utf8 != '\0'; utf8++) {
        if (((unsigned char)*utf8 & 0xC0) != 0x80 && n-- == 0) { break; }
    }
    return utf8;
}

/* Write a number: all digits of whole numbers, four digits of others. */
static char *number(double x)
{
    if (x == 0) { x = 0; }                /* no -0 */
    return text(fabs(x) < 1e9 && x == floor(x) ? "%.0f" : "%.4g", x);
}

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

/* Compare names so that layers.2 comes before layers.10. */
static int compare_names(const char *first, const char *second)
{
    const char *a = first, *b = second;
    while (*a != '\0' && *b != '\0') {
        if (is_digit(*a) && is_digit(*b)) {
            size_t n = 0, m = 0;
            int order;
            while (*a == '0') { a++; }
            while (*b == '0') { b++; }
            while (is_digit(a[n])) { n++; }
            while (is_digit(b[m])) { m++; }
            order = n != m ? (n < m ? -1 : 1) : strncmp(a, b, n);
            if (order != 0) { return order; }
            a += n;
            b += n;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return *a != *b ? (*a == '\0' ? -1 : 1) : strcmp(first, second);
}

/* Match a name against a pattern with * and ?. After a mismatch, the last * takes one character more. */
static bool matches(const char *pattern, const char *name)
{
    const char *star = NULL, *from = NULL;
    while (*name != '\0') {
        if (*pattern == '*') {
            star = ++pattern;
            from = name;
        } else if (*pattern == '?' || *pattern == *name) {
            name = *pattern++ == '?' ? skip_columns(name, 1) : name + 1;
        } else if (star != NULL) {
            pattern = star;
            name = ++from;
        } else {
            return false;
        }
    }
    while (*pattern == '*') { pattern++; }
    return *pattern == '\0';
}

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

/* ---- JSON ---------------------------------------------------------------------------------------------------------- */

static void json_text(const char *s)
{
    putchar('"');
    for (; *s != '\0'; s++) {
        unsigned char c = (unsigned char)*s;
        if (c < 0x20 || c == 0x7F) { printf("\\u%04x", c); }
        else if (c == '"' || c == '\\') { printf("\\%c", c); }
        else { putchar(c); }
    }
    putchar('"');
}

static void json_number(const char *key, double x)
{
    if (isfinite(x)) { printf(",\"%s\":%.17g", key, x); }
    else { printf(",\"%s\":null", key); }
}

/* ---- Checkpoints --------------------------------------------------------------------------------------------------- */

/* A file of any format, with its tensors sorted by name. */
typedef struct Checkpoint {
    const char *path, *format;
    size_t n;
    const pytree_tensor **tensors;
    size_t n_metadata;
    const pytree_metadata *metadata;
    pytree_safetensors *mapped;           /* the owner of the data; which one is used depends on the format */
    pytree archive;
    pytree_leaf array;
    pytree_tensor *own;                   /* a list made here if the reader makes none, followed by the shapes */
    uint64_t (*shapes)[PYTREE_MAX_DIMS];
} Checkpoint;

static bool ends_in(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int by_name(const void *a, const void *b)
{
    return compare_names((*(const pytree_tensor *const *)a)->name, (*(const pytree_tensor *const *)b)->name);
}

static void list_tensors(Checkpoint *file, size_t n, const pytree_tensor *tensors)
{
    file->n = n;
    file->tensors = need(malloc((n + 1) * sizeof *file->tensors));
    for (size_t i = 0; i < n; i++) { file->tensors[i] = &tensors[i]; }
    qsort(file->tensors, n, sizeof *file->tensors, by_name);
}

/* List arrays in memory like the tensors of a file. */
static void list_leaves(Checkpoint *file, size_t n, const pytree_leaf *leaves, const pytree_entry *names)
{
    file->own = need(calloc(n + 1, sizeof *file->own));
    file->shapes = need(calloc(n + 1, sizeof *file->shapes));
    for (size_t i = 0; i < n; i++) {
        for (int d = 0; d < leaves[i].ndim; d++) { file->shapes[i][d] = leaves[i].shape[d]; }
        file->own[i] = (pytree_tensor){
            .name = names[i].name, .dtype = pytree_dtype_name(leaves[i].type), .type = leaves[i].type,
            .ndim = (size_t)leaves[i].ndim, .shape = file->shapes[i],
            .bytes = pytree_leaf_bytes(&leaves[i]), .data = leaves[i].data
        };
    }
    list_tensors(file, n, file->own);
}

static pytree_status open_safetensors(Checkpoint *file, pytree_error *err)
{
    file->mapped = pytree_safetensors_map(file->path, NULL, err);
    if (file->mapped == NULL) { return err->status; }
    file->n_metadata = file->mapped->n_metadata;
    file->metadata = file->mapped->metadata;
    list_tensors(file, file->mapped->n_tensors, file->mapped->tensors);
    return PYTREE_OK;
}

static pytree_status open_npz(Checkpoint *file, pytree_error *err)
{
    pytree_leaf *leaves;
    pytree_entry *names;
    size_t n = 0;
    pytree_status status = pytree_read_npz(file->path, &file->archive, NULL, err);
    if (status != PYTREE_OK) { return status; }
    status = pytree_children(file->archive, NULL, NULL, 0, &n, NULL, err);
    leaves = need(calloc(n + 1, sizeof *leaves));
    names = need(calloc(n + 1, sizeof *names));
    if (status == PYTREE_OK) { status = pytree_children(file->archive, leaves, names, n, &n, NULL, err); }
    if (status == PYTREE_OK) { list_leaves(file, n, leaves, names); }
    free(leaves);
    free(names);
    return status;
}

/* NumPy's default name of an array, so that an .npy file can be compared with an .npz file. */
static pytree_status open_npy(Checkpoint *file, pytree_error *err)
{
    pytree_entry name = { .kind = PYTREE_KEY, .name = "arr_0" };
    pytree_status status = pytree_read_npy(file->path, &file->array, NULL, err);
    if (status == PYTREE_OK) { list_leaves(file, 1, &file->array, &name); }
    return status;
}

static pytree_status checkpoint_open(Checkpoint *file, const char *path, pytree_error *err)
{
    memset(file, 0, sizeof *file);
    file->path = path;
    if (ends_in(path, ".npy")) {
        file->format = "npy";
        return open_npy(file, err);
    }
    if (ends_in(path, ".npz")) {
        file->format = "npz";
        return open_npz(file, err);
    }
    file->format = "safetensors";
    return open_safetensors(file, err);
}

static void checkpoint_close(Checkpoint *file)
{
    pytree_safetensors_close(file->mapped);
    pytree_npz_free(file->archive);
    pytree_npy_free(&file->array);
    free(file->tensors);
    free(file->own);
    free(file->shapes);
}

static const char *type_of(const pytree_tensor *t) { return t->type != NULL ? pytree_dtype_name(t->type) : t->dtype; }

static char *shape_of(const pytree_tensor *t)
{
    char *made = need(malloc(22 * t->ndim + 3)), *to = made;
    *to++ = '[';
    for (size_t d = 0; d < t->ndim; d++) { to += sprintf(to, d == 0 ? "%llu" : ",%llu", (unsigned long long)t->shape[d]); }
    strcpy(to, "]");
    return made;
}

static uint64_t elements_of(const pytree_tensor *t)
{
    uint64_t n = 1;
    for (size_t d = 0; d < t->ndim; d++) { n *= t->shape[d]; }
    return n;
}

static void json_tensor(const pytree_tensor *t)
{
    char *shape = shape_of(t);
    fputs("\"dtype\":", stdout);
    json_text(type_of(t));
    printf(",\"shape\":%s", shape);
    free(shape);
}

/* ---- Numbers ------------------------------------------------------------------------------------------------------- */

enum { CHUNK = 2048, LANES = 8 };         /* numbers in a chunk, which fits the first-level cache; numbers in a vector */

static float widen_bf16(uint16_t bits)
{
    uint32_t wide = (uint32_t)bits << 16;
    float x;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* Convert through the fraction and exponent of a float that is too small by 2^-112; 2^16 or more is infinity or NaN. */
static float widen_f16(uint16_t bits)
{
    uint32_t wide = (uint32_t)(bits & 0x7FFF) << 13;
    float x;
    memcpy(&x, &wide, sizeof x);
    x *= 0x1p112f;
    memcpy(&wide, &x, sizeof wide);
    wide |= (bits & 0x7C00) == 0x7C00 ? 0x7F800000u : 0u;
    wide |= (uint32_t)(bits & 0x8000) << 16;
    memcpy(&x, &wide, sizeof x);
    return x;
}

/* Return how many real numbers an element has: 2 if it is complex. */
static unsigned parts_of(pytree_dtype dtype) { return dtype == PYTREE_C64 || dtype == PYTREE_C128 ? 2 : 1; }

/* Convert numbers `first` to `first` + n of a tensor to doubles, at any alignment. A bool may be any byte: 0 or not. */
static void widen(const pytree_tensor *t, uint64_t first, size_t n, double *to)
{
#define WIDEN(T, expression)                                                                                            \
    for (size_t i = 0; i < n; i++) {                                                                                    \
        T v;                                                                                                            \
        memcpy(&v, (const char *)t->data + (size_t)first * sizeof v + i * sizeof v, sizeof v);                          \
        to[i] = (double)(expression);                                                                                   \
    }                                                                                                                   \
    break
    switch (t->type->dtype) {
    case PYTREE_BOOL8: WIDEN(unsigned char, v != 0);
    case PYTREE_I8: WIDEN(int8_t, v);
    case PYTREE_I16: WIDEN(int16_t, v);
    case PYTREE_I32: WIDEN(int32_t, v);
    case PYTREE_I64: WIDEN(int64_t, v);
    case PYTREE_U8: WIDEN(uint8_t, v);
    case PYTREE_U16: WIDEN(uint16_t, v);
    case PYTREE_U32: WIDEN(uint32_t, v);
    case PYTREE_U64: WIDEN(uint64_t, v);
    case PYTREE_F16: WIDEN(uint16_t, widen_f16(v));
    case PYTREE_BF16: WIDEN(uint16_t, widen_bf16(v));
    case PYTREE_F32:
    case PYTREE_C64: WIDEN(float, v);
    default: WIDEN(double, v);
    }
#undef WIDEN
}

/* Statistics of the finite numbers. */
typedef struct Statistics {
    uint64_t count, finite, infinite;
    double mean, squares, low, high;      /* squares: the sum of the squared deviations from the mean */
} Statistics;

/* Add n numbers, a multiple of LANES. Chunks are merged by count, mean and squares, so long arrays lose no accuracy. */
static void take_chunk(Statistics *s, const double *x, size_t n)
{
    double sum[LANES] = { 0 }, finite[LANES] = { 0 }, infinite[LANES] = { 0 }, squares[LANES] = { 0 }, low[LANES], high[LANES];
    double mean = 0, members = 0, all;
    for (int j = 0; j < LANES; j++) { low[j] = s->low, high[j] = s->high; }
    for (size_t i = 0; i < n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            double v = x[i + (size_t)j];
            bool good = v - v == 0;
            sum[j] += good ? v : 0;
            finite[j] += good ? 1 : 0;
            infinite[j] += !good && v == v ? 1 : 0;
            low[j] = good && v < low[j] ? v : low[j];
            high[j] = good && v > high[j] ? v : high[j];
        }
    }
    for (int j = 0; j < LANES; j++) {
        mean += sum[j];
        members += finite[j];
        s->infinite += (uint64_t)infinite[j];
        s->low = low[j] < s->low ? low[j] : s->low;
        s->high = high[j] > s->high ? high[j] : s->high;
    }
    if (members == 0) { return; }
    mean /= members;
    for (size_t i = 0; i < n; i += LANES) {
        for (int j = 0; j < LANES; j++) {
            double d = x[i + (size_t)j] - mean;
            squares[j] += d - d == 0 ? d * d : 0;
        }
    }
    for (int j = 0; j < LANES; j++) { s->squares += squares[j]; }
    all = (double)s->finite + members;
    s->squares += (mean - s->mean) * (mean - s->mean) * ((double)s->finite * members / all);
    s->mean += (mean - s->mean) * (members / all);
    s->finite += (uint64_t)members;
}

/* Replace complex numbers by their absolute values. */
static Statistics statistics_of(const pytree_tensor *t)
{
    Statistics s = { .count = elements_of(t), .low = INFINITY, .high = -INFINITY };
    unsigned parts = parts_of(t->type->dtype);
    double x[2 * CHUNK];
    for (uint64_t at = 0; at < s.count; at += CHUNK) {
        size_t n = s.count - at < CHUNK ? (size_t)(s.count - at) : CHUNK;
        widen(t, at * parts, n * parts, x);
        for (size_t i = 0; i < n && parts == 2; i++) { x[i] = hypot(x[2 * i], x[2 * i + 1]); }
        for (; n % LANES != 0; n++) { x[n] = NAN; }            /* not counted */
        take_chunk(&s, x, n);
    }
    return s;
}

static uint64_t nans_of(const Statistics *s) { return s->count - s->finite - s->infinite; }
static double deviation_of(const Statistics *s) { return sqrt(s->squares / (double)s->finite); }

/* ---- List ---------------------------------------------------------------------------------------------------------- */

static const Column list_columns[] = {
    { "name", false, true, 0 }, { "type", false, false, 0 }, { "shape", false, false, 0 }, { "bytes", true, false, 5 },
    { "mean", true, false, 2 }, { "std", true, false, 1 },   { "min", true, false, 3 },    { "max", true, false, 4 },
    { "not finite", false, false, 0 }
};
enum { LIST_COLUMNS = sizeof list_columns / sizeof list_columns[0] };

/* Return "3 nan, 1 inf", or NULL if there are none. */
static char *not_finite(const Statistics *s)
{
    unsigned long long nans = nans_of(s), infinite = s->infinite;
    return nans == 0 && infinite == 0 ? NULL : infinite == 0 ? text("%llu nan", nans) : nans == 0 ? text("%llu inf", infinite)
           : text("%llu nan, %llu inf", nans, infinite);
}

static void list_row(Table *table, const pytree_tensor *t, const Statistics *s)
{
    char *bad = s != NULL ? not_finite(s) : NULL, **cells = table_row(table, bad != NULL ? RED : PLAIN);
    cells[0] = printable(t->name);
    cells[1] = text("%s", type_of(t));
    cells[2] = shape_of(t);
    cells[3] = text("%llu", (unsigned long long)t->bytes);
    if (s != NULL && s->finite != 0) {
        cells[4] = number(s->mean);
        cells[5] = number(deviation_of(s));
        cells[6] = number(s->low);
        cells[7] = number(s->high);
    }
    cells[8] = bad;
}

static void list_json(const pytree_tensor *t, const Statistics *s, bool first)
{
    fputs(first ? "\n{\"name\":" : ",\n{\"name\":", stdout);
    json_text(t->name);
    putchar(',');
    json_tensor(t);
    printf(",\"elements\":%llu,\"bytes\":%llu", (unsigned long long)elements_of(t), (unsigned long long)t->bytes);
    if (s != NULL) {
        bool some = s->finite != 0;
        json_number("mean", some ? s->mean : NAN);
        json_number("std", some ? deviation_of(s) : NAN);
        json_number("min", some ? s->low : NAN);
        json_number("max", some ? s->high : NAN);
        printf(",\"nan\":%llu,\"inf\":%llu", (unsigned long long)nans_of(s), (unsigned long long)s->infinite);
    }
    putchar('}');
}

static void print_metadata(const Checkpoint *file, bool json)
{
    if (json) { fputs(",\"metadata\":{", stdout); }
    for (size_t i = 0; i < file->n_metadata; i++) {
        if (json) {
            if (i != 0) { putchar(','); }
            json_text(file->metadata[i].key);
            putchar(':');
            json_text(file->metadata[i].text);
        } else {
            char *key = printable(file->metadata[i].key), *value = printable(file->metadata[i].text);
            size_t room = line_width(), used = columns_of(key) + strlen("metadata: =");
            printf("metadata: %s=", key);
            put_cell(value, room > used + SHORTEST_NAME ? room - used : SHORTEST_NAME, false, true);
            putchar('\n');
            free(key);
            free(value);
        }
    }
    if (json) { putchar('}'); }
}

static bool is_chosen(const char *name, size_t n_patterns, char *const *patterns)
{
    bool chosen = n_patterns == 0;
    for (size_t i = 0; i < n_patterns; i++) { chosen = chosen || matches(patterns[i], name); }
    return chosen;
}

static void print_list(const Checkpoint *file, size_t n_patterns, char *const *patterns, const Options *o)
{
    unsigned long long n = 0, elements = 0, bytes = 0, bad = 0;
    Table table;
    table_begin(&table, list_columns, LIST_COLUMNS, file->n);
    if (o->json) {
        printf("{\"format\":\"%s\"", file->format);
        print_metadata(file, true);
        fputs(",\"tensors\":[", stdout);
    }
    for (size_t i = 0; i < file->n; i++) {
        const pytree_tensor *t = file->tensors[i];
        Statistics s = { 0 };
        bool counted = !o->quick && t->type != NULL;
        if (!is_chosen(t->name, n_patterns, patterns)) { continue; }
        if (counted) { s = statistics_of(t); }
        if (o->json) { list_json(t, counted ? &s : NULL, n == 0); }
        else { list_row(&table, t, counted ? &s : NULL); }
        n++;
        elements += elements_of(t);
        bytes += t->bytes;
        bad += s.finite != s.count;
    }
    if (o->json) {
        printf("],\n\"total\":{\"tensors\":%llu,\"elements\":%llu,\"bytes\":%llu}}\n", n, elements, bytes);
    } else {
        table_print(&table);
        print_metadata(file, false);
        printf("%llu tensor%s, %llu elements, %llu bytes\n", n, n == 1 ? "" : "s", elements, bytes);
        if (bad != 0) {
            const char *red = has_colour() ? colour_codes[RED] : "", *plain = has_colour() ? "\033[0m" : "";
            printf("%s%llu with values that are not finite%s\n", red, bad, plain);
        }
    }
    table_end(&table);
}

static int list(const char *path, size_t n_patterns, char *const *patterns, const Options *o)
{
    pytree_error err = { 0 };
    Checkpoint file;
    if (checkpoint_open(&file, path, &err) == PYTREE_OK) { print_list(&file, n_patterns, patterns, o); }
    checkpoint_close(&file);
    return err.status == PYTREE_OK ? EQUAL : trouble(&err);
}

/* ---- Differences --------------------------------------------------------------------------------------------------- */

typedef struct Difference {
    const pytree_tensor *a, *b;           /* NULL: added, removed */
    bool type, shape, values;             /* the change */
    bool counted;                         /* the following members are valid */
    uint64_t differing, not_finite;       /* elements; elements that are NaN or infinite on either side */
    double most, most_relative;           /* |a - b|, and |a - b| / max(|a|, |b|), of finite elements */
} Difference;

/* Return |a - b| of 64-bit integers, which doubles would round. */
static double exact_distance(const pytree_tensor *a, const pytree_tensor *b, uint64_t i)
{
    uint64_t v, w, top = a->type->dtype == PYTREE_I64 ? UINT64_C(1) << 63 : 0;
    memcpy(&v, (const char *)a->data + i * sizeof v, sizeof v);
    memcpy(&w, (const char *)b->data + i * sizeof w, sizeof w);
    v ^= top;                             /* map the order to that of unsigned numbers */
    w ^= top;
    return (double)(v < w ? w - v : v - w);
}

static bool is_exact(const pytree_tensor *a, const pytree_tensor *b)
{
    pytree_dtype dtype = a->type->dtype;
    return dtype == b->type->dtype && (dtype == PYTREE_I64 || dtype == PYTREE_U64);
}

/* Record two corresponding numbers. Returns whether they differ. */
static bool take_pair(Difference *d, double a, double b, double distance, const Options *o)
{
    double larger = fabs(a) > fabs(b) ? fabs(a) : fabs(b);
    if (!isfinite(a) || !isfinite(b)) {
        bool differs = !(a == b || (isnan(a) && isnan(b)));
        d->not_finite += differs;
        return differs;
    }
    if (distance == 0) { return false; }
    if (distance > d->most) { d->most = distance; }
    if (distance / larger > d->most_relative) { d->most_relative = distance / larger; }
    return distance > o->absolute + o->relative * fabs(b);
}

/* Compare the elements. Shapes are equal, and both types are real or complex numbers of C. */
static void compare_numbers(Difference *d, const Options *o)
{
    unsigned parts = parts_of(d->a->type->dtype);
    uint64_t count = elements_of(d->a) * parts;
    bool exact = is_exact(d->a, d->b);
    double x[CHUNK], y[CHUNK];
    d->counted = true;
    for (uint64_t at = 0; at < count; at += CHUNK) {
        size_t n = count - at < CHUNK ? (size_t)(count - at) : CHUNK;
        widen(d->a, at, n, x);
        widen(d->b, at, n, y);
        for (size_t i = 0; i < n; i += parts) {
            bool differs = false;
            for (size_t k = i; k < i + parts; k++) {
                double distance = exact ? exact_distance(d->a, d->b, at + k) : fabs(x[k] - y[k]);
                differs = take_pair(d, x[k], y[k], distance, o) || differs;
            }
            d->differing += differs;
        }
    }
    d->values = d->differing != 0;
}

static Difference difference_of(const pytree_tensor *a, const pytree_tensor *b, const Options *o)
{
    Difference d = { .a = a, .b = b };
    bool same_type, same_bytes;
    if (a == NULL || b == NULL) { return d; }
    same_type = strcmp(type_of(a), type_of(b)) == 0;
    d.type = !same_type;
    d.shape = a->ndim != b->ndim || (a->ndim != 0 && memcmp(a->shape, b->shape, a->ndim * sizeof *a->shape) != 0);
    if (d.shape || o->quick) { return d; }
    same_bytes = same_type && a->bytes == b->bytes && (a->bytes == 0 || memcmp(a->data, b->data, (size_t)a->bytes) == 0);
    if (same_bytes) { d.counted = true; }
    else if (a->type == NULL || b->type == NULL) { d.values = same_type; }
    else if (parts_of(a->type->dtype) == parts_of(b->type->dtype)) { compare_numbers(&d, o); }
    return d;
}

static bool is_change(const Difference *d) { return d->a == NULL || d->b == NULL || d->type || d->shape || d->values; }

static const Column diff_columns[] = {
    { "", false, false, 0 },  { "name", false, true, 0 },      { "a", false, false, 4 },
    { "b", false, false, 3 }, { "differing", true, false, 2 }, { "max |a-b|", true, false, 0 },
    { "relative", true, false, 1 }, { "not finite", true, false, 0 }
};
enum { DIFF_COLUMNS = sizeof diff_columns / sizeof diff_columns[0] };

static char *type_and_shape(const pytree_tensor *t)
{
    char *shape, *both;
    if (t == NULL) { return NULL; }
    shape = shape_of(t);
    both = text("%s%s", type_of(t), shape);
    free(shape);
    return both;
}

static void diff_row(Table *table, const Difference *d)
{
    char **cells = table_row(table, d->a == NULL ? GREEN : d->b == NULL || d->not_finite != 0 ? RED : YELLOW);
    cells[0] = text("%s", d->a == NULL ? "+" : d->b == NULL ? "-" : "~");
    cells[1] = printable((d->a != NULL ? d->a : d->b)->name);
    cells[2] = type_and_shape(d->a);
    cells[3] = type_and_shape(d->b);
    if (d->values && !d->counted) { cells[4] = text("bytes"); }
    if (!d->counted) { return; }
    cells[4] = text("%llu of %llu", (unsigned long long)d->differing, (unsigned long long)elements_of(d->a));
    cells[5] = text("%.4g", d->most);
    cells[6] = text("%.4g", d->most_relative);
    if (d->not_finite != 0) { cells[7] = text("%llu", (unsigned long long)d->not_finite); }
}

static void diff_json(const Difference *d, bool first)
{
    const char *const words[] = { d->a == NULL ? "added" : NULL, d->b == NULL ? "removed" : NULL, d->type ? "type" : NULL,
                                  d->shape ? "shape" : NULL, d->values ? "values" : NULL };
    const char *comma = "";
    fputs(first ? "\n{\"name\":" : ",\n{\"name\":", stdout);
    json_text((d->a != NULL ? d->a : d->b)->name);
    fputs(",\"changes\":[", stdout);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i] == NULL) { continue; }
        printf("%s\"%s\"", comma, words[i]);
        comma = ",";
    }
    putchar(']');
    for (int side = 0; side < 2; side++) {
        const pytree_tensor *t = side == 0 ? d->a : d->b;
        if (t == NULL) { continue; }
        printf(",\"%c\":{", "ab"[side]);
        json_tensor(t);
        putchar('}');
    }
    if (d->counted) {
        printf(",\"differing\":%llu,\"not_finite\":%llu", (unsigned long long)d->differing, (unsigned long long)d->not_finite);
        json_number("max_abs", d->most);
        json_number("max_rel", d->most_relative);
    }
    putchar('}');
}

/* Compare two files in the order of names. Returns whether they are equal. */
static bool print_diff(const Checkpoint *a, const Checkpoint *b, const Options *o)
{
    const char *same = o->quick ? "alike" : "equal";           /* alike: with the same type and shape */
    unsigned long long added = 0, removed = 0, changed = 0, equal = 0;
    Table table;
    table_begin(&table, diff_columns, DIFF_COLUMNS, a->n + b->n);
    if (o->json) { fputs("{\"tensors\":[", stdout); }
    for (size_t i = 0, j = 0; i < a->n || j < b->n;) {
        int order = i == a->n ? 1 : j == b->n ? -1 : compare_names(a->tensors[i]->name, b->tensors[j]->name);
        const pytree_tensor *first = order <= 0 ? a->tensors[i++] : NULL, *second = order >= 0 ? b->tensors[j++] : NULL;
        Difference d = difference_of(first, second, o);
        if (!is_change(&d)) { equal++; continue; }
        if (o->json) { diff_json(&d, added + removed + changed == 0); }
        else { diff_row(&table, &d); }
        *(first == NULL ? &added : second == NULL ? &removed : &changed) += 1;
    }
    if (o->json) {
        printf("],\n\"added\":%llu,\"removed\":%llu,\"changed\":%llu,\"%s\":%llu}\n", added, removed, changed, same, equal);
    } else {
        table_print(&table);
        printf("%llu added, %llu removed, %llu changed, %llu %s\n", added, removed, changed, equal, same);
    }
    table_end(&table);
    return added + removed + changed == 0;
}

static int diff(const char *first, const char *second, const Options *o)
{
    pytree_error err = { 0 };
    Checkpoint a, b;
    bool equal = false;
    memset(&b, 0, sizeof b);
    if (checkpoint_open(&a, first, &err) == PYTREE_OK && checkpoint_open(&b, second, &err) == PYTREE_OK) {
        equal = print_diff(&a, &b, o);
    }
    checkpoint_close(&a);
    checkpoint_close(&b);
    return err.status != PYTREE_OK ? trouble(&err) : equal ? EQUAL : DIFFERENT;
}

/* ---- Extract ------------------------------------------------------------------------------------------------------- */

/* Return the name with the longest common beginning and end. */
static const char *nearest(const Checkpoint *file, const char *name)
{
    const char *best = NULL;
    size_t best_alike = 0, n = strlen(name);
    for (size_t i = 0; i < file->n; i++) {
        const char *other = file->tensors[i]->name;
        size_t m = strlen(other), least = n < m ? n : m, head = 0, tail = 0;
        while (head < least && name[head] == other[head]) { head++; }
        while (tail < least - head && name[n - 1 - tail] == other[m - 1 - tail]) { tail++; }
        if (best == NULL || head + tail > best_alike) {
            best = other;
            best_alike = head + tail;
        }
    }
    return best;
}

static const pytree_tensor *find(const Checkpoint *file, const char *name, pytree_error *err)
{
    const char *other;
    for (size_t i = 0; i < file->n; i++) {
        if (strcmp(file->tensors[i]->name, name) == 0) { return file->tensors[i]; }
    }
    other = nearest(file, name);
    (void)pytree_fail(err, PYTREE_NOT_FOUND, NULL, "expected tensor '%.80s', got %zu others%s%.80s", name, file->n,
                      other != NULL ? ", the nearest: " : "", other != NULL ? other : "");
    return NULL;
}

/* Make a view that .npy can store. *wide is memory for numbers that must be converted; free it. */
static pytree_status npy_view(const pytree_tensor *t, pytree_leaf *leaf, float **wide, pytree_error *err)
{
    const unsigned char *bytes = t->data;
    if (t->type == NULL) {
        return pytree_fail(err, PYTREE_TYPE, NULL, "expected an element type that .npy has, got %s", t->dtype);
    }
    if (t->ndim > PYTREE_MAX_DIMS) {
        return pytree_fail(err, PYTREE_SHAPE, NULL, "expected at most %d dimensions, got %zu", PYTREE_MAX_DIMS, t->ndim);
    }
    *leaf = (pytree_leaf){ .data = (void *)(uintptr_t)t->data, .type = t->type, .ndim = (int)t->ndim };
    for (size_t d = 0; d < t->ndim; d++) { leaf->shape[d] = (size_t)t->shape[d]; }
    for (uint64_t i = 0; t->type->dtype == PYTREE_BOOL8 && i < t->bytes; i++) {
        if (bytes[i] > 1) { return pytree_fail(err, PYTREE_VALUE, NULL, "expected 0 or 1 for a bool, got %d", bytes[i]); }
    }
    if (t->type->dtype == PYTREE_BF16) {
        size_t n = pytree_leaf_count(leaf);
        *wide = need(n < SIZE_MAX / sizeof **wide ? malloc((n + 1) * sizeof **wide) : NULL);
        for (size_t i = 0; i < n; i++) {
            uint16_t v;
            memcpy(&v, bytes + 2 * i, sizeof v);
            (*wide)[i] = widen_bf16(v);
        }
        leaf->data = *wide;
        leaf->type = PYTREE_TYPE(float);
    }
    return PYTREE_OK;
}

static int extract(const char *path, const char *name, const char *to)
{
    pytree_error err = { 0 };
    Checkpoint file;
    float *wide = NULL;
    pytree_leaf leaf;
    const pytree_tensor *t = NULL;
    if (checkpoint_open(&file, path, &err) == PYTREE_OK) { t = find(&file, name, &err); }
    if (t != NULL && npy_view(t, &leaf, &wide, &err) == PYTREE_OK) {
        pytree_save_npy(to, PYTREE(&leaf), NULL, &err);
        if (wide != NULL && err.status == PYTREE_OK) { fprintf(stderr, "tensors: .npy has no bf16; written as f32\n"); }
    }
    free(wide);
    checkpoint_close(&file);
    return err.status == PYTREE_OK ? EQUAL : trouble(&err);
}

/* ---- Command line -------------------------------------------------------------------------------------------------- */

static const char usage[] =
    "usage: tensors [list] FILE [PATTERN...]      its tensors, or those whose names match (* and ?)\n"
    "       tensors diff A B                      what differs; status 0: nothing, 1: something\n"
    "       tensors extract FILE NAME OUT.npy     one tensor as numpy's file\n"
    "FILE: .safetensors, .index.json (sharded), .npz or .npy. Status 2: something went wrong.\n"
    "  --json           for programs (list, diff)\n"
    "  --quick          headers alone: no statistics, no values compared\n"
    "  --rtol X         diff: numbers may differ by X * |b| (0)\n"
    "  --atol X         diff: numbers may differ by X (0)\n"
    "  --help\n"
    "Colour and width follow the terminal; NO_COLOR and COLUMNS override.\n";

static int wrong_usage(const char *expected, const char *got)
{
    char *shown = printable(got);
    fprintf(stderr, "tensors: expected %s, got %s; --help says more\n", expected, shown);
    free(shown);
    return TROUBLE;
}

/* Remove the options from the arguments and move the others to the front. Returns EQUAL if there is no error. */
static int take_options(Options *o, int *n, char **arguments)
{
    int kept = 0;
    for (int i = 0; i < *n; i++) {
        const char *word = arguments[i];
        if (strcmp(word, "--") == 0) {
            while (++i < *n) { arguments[kept++] = arguments[i]; }
        } else if (strcmp(word, "--json") == 0) { o->json = true; }
        else if (strcmp(word, "--quick") == 0) { o->quick = true; }
        else if (strcmp(word, "--help") == 0) { o->help = true; }
        else if (strcmp(word, "--rtol") == 0 || strcmp(word, "--atol") == 0) {
            const char *value = ++i < *n ? arguments[i] : "nothing";
            char *end;
            double x = strtod(value, &end);
            if (end == value || *end != '\0' || !(x >= 0)) { return wrong_usage("a number from 0 as a tolerance", value); }
            *(word[2] == 'r' ? &o->relative : &o->absolute) = x;
        } else if (word[0] == '-' && word[1] != '\0') {
            return wrong_usage("--json, --quick, --rtol, --atol, --help", word);
        } else {
            arguments[kept++] = arguments[i];
        }
    }
    *n = kept;
    return EQUAL;
}

static int command(int n, char **words, const Options *o)
{
    const char *word = n > 0 ? words[0] : "";
    if (strcmp(word, "diff") == 0) {
        return n == 3 ? diff(words[1], words[2], o) : wrong_usage("two files after diff", n < 3 ? "fewer" : words[3]);
    }
    if (strcmp(word, "extract") == 0) {
        return n == 4 ? extract(words[1], words[2], words[3])
                      : wrong_usage("a file, a name and a file to write after extract", n < 4 ? "fewer" : words[4]);
    }
    if (strcmp(word, "list") == 0) {
        words++;
        n--;
    }
    return n > 0 ? list(words[0], (size_t)n - 1, words + 1, o) : wrong_usage("a file", "none");
}

int main(int argc, char **argv)
{
    Options o = { 0 };
    int n = argc > 0 ? argc - 1 : 0, status = take_options(&o, &n, argv + 1);
    if (status == EQUAL && o.help) { fputs(usage, stdout); }
    else if (status == EQUAL) { status = command(n, argv + 1, &o); }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("tensors: standard output");
        return TROUBLE;
    }
    return status;
}
