/* path_shared.h: shared by test_path.c, test_path_match.c, test_path_access.c and test_path_memory.c. */
#ifndef PATH_SHARED_H
#define PATH_SHARED_H

#include "support.h"
#include "pytree/path.h"

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

#define ATTRIBUTE(name) { PYTREE_ATTRIBUTE, name, 0 }
#define INDEX(i) { PYTREE_INDEX, NULL, i }
#define KEY(name) { PYTREE_KEY, name, 0 }

static inline pytree_entry attribute(const char *name) { return (pytree_entry)ATTRIBUTE(name); }
static inline pytree_entry key(const char *name) { return (pytree_entry)KEY(name); }
static inline pytree_entry at_index(size_t i) { return (pytree_entry)INDEX(i); }

static inline pytree_path *parsed(const char *text)
{
    pytree_error error = { 0 };
    pytree_path *path = pytree_path_parse(text, NULL, NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(path);
    return path;
}

/* The path's text from the heap, and both ways of asking for its length agree. */
static inline char *text_of(const pytree_path *path, const char *separator)
{
    size_t n = pytree_path_simple_text(path, separator, NULL, 0);
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(pytree_path_simple_text(path, separator, text, n + 1), n);
    assert_int_equal(strlen(text), n);
    return text;
}

static inline void assert_text(const pytree_path *path, const char *expected)
{
    char *text = text_of(path, NULL);
    assert_string_equal(text, expected);
    free(text);
}

static uint64_t random_state;

static inline size_t random_below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)((random_state >> 11) % n);
}

/* ---- Text -------------------------------------------------------------------------------------------------------------- */

/* Texts as Python 3.13 writes them. */
static const struct { const char *name, *text; } quoted[] = {
    { "", "['']" },
    { "a b", "['a b']" },
    { "'", "[\"'\"]" },
    { "\"", "['\"']" },
    { "'\"", "['\\'\"']" },
    { "\\", "['\\\\']" },
    { "\\n", "['\\\\n']" },
    { "\n\r\t", "['\\n\\r\\t']" },
    { "\x01\x1F\x7F\x07\v\f\b", "['\\x01\\x1f\\x7f\\x07\\x0b\\x0c\\x08']" },
    { "\xC2\x80\xC2\xA0\xC2\xAD\xC2\xA1\xC3\xBF", "['\\x80\\xa0\\xad\xC2\xA1\xC3\xBF']" },
    { "\xE2\x80\x8B\xE2\x80\xA8\xE3\x80\x80", "['\\u200b\\u2028\\u3000']" },
    { "\xEE\x80\x80\xEF\xBF\xBF\xEF\xBF\xBD", "['\\ue000\\uffff\xEF\xBF\xBD']" },
    { "\xF0\x9F\x98\x80\xF0\x9F\xBF\xBF\xF4\x8F\xBF\xBF", "['\xF0\x9F\x98\x80\\U0001ffff\\U0010ffff']" },
    { "\xF3\xA0\x84\x80\xF3\xA0\x87\xAF\xF3\xA0\x87\xB0", "['\xF3\xA0\x84\x80\xF3\xA0\x87\xAF\\U000e01f0']" },
    { "\xE4\xB8\x96\xE7\x95\x8C", "['\xE4\xB8\x96\xE7\x95\x8C']" },
    /* no UTF-8: a stray byte, cut short, overlong, a surrogate, beyond the last character */
    { "a\xFFz\x80", "['a\\udcffz\\udc80']" },
    { "\xE4\xB8", "['\\udce4\\udcb8']" },
    { "\xF0\x9F\x98", "['\\udcf0\\udc9f\\udc98']" },
    { "\xC0\xAF\xE0\x80\xAF", "['\\udcc0\\udcaf\\udce0\\udc80\\udcaf']" },
    { "\xED\xA0\x80", "['\\udced\\udca0\\udc80']" },
    { "\xF4\x90\x80\x80\xF5", "['\\udcf4\\udc90\\udc80\\udc80\\udcf5']" },
};

/* ---- Matching ---------------------------------------------------------------------------------------------------------- */

/* Patterns that take a matcher with naive backtracking longer than anyone waits. */
static inline void many_stars(void **state)
{
    enum { N = 3000, STARS = 40 };
    pytree_entry *entries = malloc(N * sizeof(*entries));
    pytree_path path = { N, entries };
    char pattern[8 * STARS + 8] = "";
    pytree_error error = { 0 };
    size_t i;
    (void)state;
    assert_non_null(entries);
    for (i = 0; i < N; i++) { entries[i] = attribute("a"); }
    for (i = 0; i < STARS; i++) { strcat(pattern, "**.a"); }
    assert_true(pytree_path_match(&path, pattern, &error));
    strcat(pattern, "**.b");
    assert_false(pytree_path_match(&path, pattern, &error));
    entries[N - 1] = attribute("b");
    assert_true(pytree_path_match(&path, pattern, &error));
    strcat(pattern, "**");
    assert_true(pytree_path_match(&path, pattern, &error));
    free(entries);
}

/* ---- Get --------------------------------------------------------------------------------------------------------------- */

static inline void long_errors_are_cut(void **state)
{
    enum { N = 60, LONG = 5000 };
    pytree_pair pairs[N];
    pytree_items items = { .count = N, .pairs = pairs };
    pytree t = { &pytree_types[PYTREE__T_dict], &items };
    char names[N][16], *text = malloc(LONG + 16);
    double value = 0;
    pytree_error error = { 0 };
    pytree_leaf view;
    Node *chain = chain_make(300);
    size_t i;
    (void)state;
    assert_non_null(text);
    for (i = 0; i < N; i++) {
        snprintf(names[i], sizeof(names[i]), "key%02zu", i);
        pairs[i].key = names[i];
        pairs[i].value = PYTREE(&value);
    }
    view = pytree_at(t, "['none']", NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_non_null(strstr(error.message, "expected ['none'], got a dict with ['key00'], ['key01'], "));
    assert_non_null(strstr(error.message, "... (60 in all)"));
    assert_true(strlen(error.message) < sizeof(error.message) - 1);

    memset(text, 'x', LONG);
    text[0] = '.';
    text[LONG] = '\0';
    memset(&error, 0, sizeof(error));
    view = pytree_at(t, text, NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_non_null(strstr(error.message, "expected .xxxx"));
    assert_non_null(strstr(error.message, "..., got a dict with ['key00']"));

    /* a long entry before the one that is missing: what stands before it is kept, as is as much of it as there is room for */
    for (i = 0; i < LONG; i += 2) { memcpy(text + i, "\xC3\xA9", 2); }
    pairs[1].key = text;
    memset(&error, 0, sizeof(error));
    {
        pytree_entry entries[] = { INDEX(0), KEY(text), ATTRIBUTE("x"), ATTRIBUTE("y") };
        const pytree_path path = { 4, entries };
        pytree point = PYTREE_NAMEDTUPLE("Point", { "x", t });
        items.count = 2;
        pairs[1].value = point;
        view = pytree_get(PYTREE_LIST(t), &path, NULL, &error);
        assert_null(view.type);
        assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
        assert_memory_equal(error.message, "expected .y, got a dict with ['key00'], ... (2 in all)", 54);
        assert_memory_equal(error.path, "[0]['\xC3\xA9", 7);
        assert_string_equal(error.path + strlen(error.path) - 6, "\xA9....x");
        assert_int_equal(strlen(error.path) % 2, 0);                               /* no half characters */
        assert_true(strlen(error.path) > 100);
    }

    text[0] = '\0';
    for (i = 0; i < 299; i++) { strcat(text, ".next"); }
    strcat(text, ".valu");
    memset(&error, 0, sizeof(error));
    view = pytree_at(PYTREE(chain), text, NULL, &error);
    assert_null(view.type);
    assert_error(error.status, PYTREE_NOT_FOUND, NULL, &error);
    assert_string_equal(error.message, "expected .valu, got a Node with .value, .next");
    assert_memory_equal(error.path, ".next.next", 10);
    assert_non_null(strstr(error.path, "...."));
    assert_string_equal(error.path + strlen(error.path) - 10, ".next.next");
    assert_true(strlen(error.path) > 200);
    free(text);
    free(chain);
}

/* ---- Keys that are numbers, nodes of the user's own, namespaces -------------------------------------------------------- */

#define N(i) PYTREE_INT(i)

/* ---- Depth and width --------------------------------------------------------------------------------------------------- */

static inline void wide_nodes(void **state)
{
    enum { N = 1000 };
    Everything all = everything_make(false);
    Point *points = calloc(N, sizeof(*points));
    pytree items[N];
    double numbers[N];
    pytree_items list = { .count = N, .items = items };
    pytree t = { &pytree_types[PYTREE__T_list], &list };
    pytree_error error = { 0 };
    pytree_leaf view;
    size_t i;
    (void)state;
    assert_non_null(points);
    free(all.points);
    all.points = points;
    all.n_points = N;
    for (i = 0; i < N; i++) { items[i] = PYTREE(&numbers[i]); }
    view = pytree_at(t, "[999]", NULL, &error);
    assert_ptr_equal(view.data, &numbers[999]);
    view = pytree_at(PYTREE(&all), ".points[777].y", NULL, &error);
    assert_ptr_equal(view.data, &points[777].y);
    assert_ok(error.status, &error);
    view = pytree_at(t, "[1000]", NULL, &error);
    assert_error(error.status, PYTREE_NOT_FOUND, "", &error);
    assert_string_equal(error.message, "expected [1000], got a list of 1000");
    everything_clear(&all);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------------ */

static inline pytree_status get_from_wide_nodes(void *context, const pytree_options *opt, pytree_error *err)
{
    enum { N = 60 };
    pytree_pair pairs[N];
    pytree_items items = { .count = N, .pairs = pairs };
    pytree dict = { &pytree_types[PYTREE__T_dict], &items }, t = PYTREE_LIST(dict);
    char names[N][8];
    pytree_leaf view;
    size_t i;
    for (i = 0; i < N; i++) {
        snprintf(names[i], sizeof(names[i]), "%zu", N - i);
        pairs[i].key = names[i];
        pairs[i].value = PYTREE((float *)context);
    }
    view = pytree_at(t, "[0]['7']", opt, err);
    if (view.type == NULL) {
        assert_string_equal(err->path, "[0]");
        return err->status;
    }
    assert_ptr_equal(view.data, context);
    return err->status;
}

#endif
