/* parse.c: the speed of parsing and printing literals.
 *
 *     parse [--json] FILE...        megabytes of text per second, for each file
 *
 * parse_peer.py makes the files and measures the same in Python. Before the measurement, a printed tree must parse as
 * the same tree. Compile with -O2; the library is compiled in this file.
 */
#define _POSIX_C_SOURCE 200809L
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION

#include "pytree.h"
#include "pytree/literal.h"

#include "measure.h"

static void stop(const char *what, const pytree_error *err)
{
    fprintf(stderr, "parse: %s\n", what);
    if (err != NULL) { pytree_error_print(stderr, err); }
    exit(1);
}

static char *read_file(const char *name, size_t *n)
{
    FILE *file = fopen(name, "rb");
    char *text;
    long size;
    if (file == NULL || fseek(file, 0, SEEK_END) != 0 || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0) {
        stop(name, NULL);
        return NULL;
    }
    text = malloc((size_t)size + 1);
    if (text == NULL || fread(text, 1, (size_t)size, file) != (size_t)size) { stop(name, NULL); }
    fclose(file);
    text[size] = '\0';
    *n = (size_t)size;
    return text;
}

static size_t parse_and_free(const char *text, size_t n)
{
    pytree t = pytree_parse_n(text, n, NULL, NULL);
    size_t root = t.data != NULL;
    pytree_free(t);
    return root;
}

static size_t clone_and_free(pytree t)
{
    pytree u = pytree_clone(t, NULL, NULL);
    size_t root = u.data != NULL;
    pytree_free(u);
    return root;
}

static void report(bool json, const char *file, const char *what, size_t bytes, size_t leaves, const Measured *m)
{
    const char *slash = strrchr(file, '/');
    const char *name = slash == NULL ? file : slash + 1;
    double speed = 1e-6 * (double)bytes / m->median, each = 1e9 * m->median / (double)leaves;
    if (json) {
        printf("{\"file\": \"%s\", \"what\": \"%s\", \"library\": \"pytree\", \"megabytes_per_second\": %.1f, "
               "\"nanoseconds_per_leaf\": %.1f}\n", name, what, speed, each);
    } else {
        printf("%-16s %-12s %8.1f MB/s %8.1f ns per leaf\n", name, what, speed, each);
    }
}

static void measure(bool json, const char *file)
{
    pytree_error err = { 0 };
    size_t n, leaves, length;
    char *text = read_file(file, &n), *printed;
    pytree t = pytree_parse_n(text, n, NULL, &err), again;
    Measured m;
    if (t.data == NULL) { stop(file, &err); }
    leaves = pytree_num_leaves(t, NULL, &err);
    length = pytree_literal_text(t, NULL, 0, NULL, &err);
    printed = malloc(length + 1);
    if (printed == NULL || pytree_literal_text(t, printed, length + 1, NULL, &err) != length) { stop("print", &err); }
    again = pytree_parse_n(printed, length, NULL, &err);
    if (again.data == NULL || !pytree_equal(t, again, NULL, NULL, &err)) { stop("what was printed is another tree", &err); }
    pytree_free(again);
    MEASURE(&m, 9, parse_and_free(text, n));
    report(json, file, "parse", n, leaves, &m);
    MEASURE(&m, 9, pytree_literal_text(t, printed, length + 1, NULL, NULL));
    report(json, file, "print", length, leaves, &m);
    MEASURE(&m, 9, clone_and_free(t));
    report(json, file, "clone", n, leaves, &m);
    pytree_free(t);
    free(printed);
    free(text);
}

int main(int argc, char **argv)
{
    bool json = argc > 1 && strcmp(argv[1], "--json") == 0;
    int i;
    if (argc < 2 + json) {
        fprintf(stderr, "parse: expected files with literals: parse_peer.py --make FOLDER makes them\n");
        return 2;
    }
    for (i = 1 + json; i < argc; i++) { measure(json, argv[i]); }
    return 0;
}
