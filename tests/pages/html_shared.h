/* html_shared.h: shared by test_html.c and test_html_diff.c: pages in memory, their data as JSON. */
#ifndef HTML_SHARED_H
#define HTML_SHARED_H

#include "support.h"

#include "golden_files.h"
#include "pytree/html.h"

#include <float.h>
#include <math.h>

/* Is it UTF-8, as strict readers want it, and without NUL? */
static inline void assert_utf8(const unsigned char *s, size_t n)
{
    size_t i = 0, more;
    while (i < n) {
        const unsigned char c = s[i++];
        assert_int_not_equal(c, 0);
        more = c < 0x80 ? 0 : c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
        if (c >= 0x80) { assert_in_range(c, 0xC2, 0xF4); }
        if (c == 0xE0) { assert_in_range(s[i], 0xA0, 0xBF); }
        if (c == 0xED) { assert_in_range(s[i], 0x80, 0x9F); }
        if (c == 0xF0) { assert_in_range(s[i], 0x90, 0xBF); }
        if (c == 0xF4) { assert_in_range(s[i], 0x80, 0x8F); }
        for (; more != 0; more--) { assert_in_range(s[i++], 0x80, 0xBF); }
    }
}

/* The data of a page, which is a whole page: what stands around them is the same for all, and nothing in them can end them. To
 * be deleted. */
static inline cJSON *page_data(const pytree_memory *file)
{
    static const char begin[] = "<script type=\"application/json\" id=\"data\">\n";
    static const char end[] = "\n</script>\n<script>\n\"use strict\";\n";
    static const char doctype[] = "<!doctype html>\n", last[] = "</script>\n</body>\n</html>\n";
    char *text = malloc(file->size + 1), *from, *to;
    cJSON *json;
    assert_non_null(text);
    assert_utf8(file->bytes, file->size);
    memcpy(text, file->bytes, file->size);
    text[file->size] = '\0';
    assert_memory_equal(text, doctype, strlen(doctype));
    assert_string_equal(text + file->size - strlen(last), last);
    from = strstr(text, begin);
    assert_non_null(from);
    from += strlen(begin);
    to = strchr(from, '<');
    assert_non_null(to);
    assert_memory_equal(to - 1, end, strlen(end));
    *to = '\0';
    json = cJSON_Parse(from);
    assert_non_null(json);
    free(text);
    return json;
}

static inline pytree_html_options html_options(const pytree_options *tree, const pytree_io *io)
{
    pytree_html_options opt = { 0 };
    if (tree != NULL) { opt.tree = *tree; }
    opt.io = io;
    return opt;
}

/* The data of the page of a tree; `opt` may be NULL. */
static inline cJSON *page_of(pytree t, const pytree_html_options *opt)
{
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    pytree_html_options mine = { 0 };
    pytree_error error = { 0 };
    cJSON *json;
    if (opt != NULL) { mine = *opt; }
    mine.io = &io;
    assert_ok(pytree_save_html("page", t, &mine, &error), &error);
    json = page_data(&file);
    assert_true(cJSON_IsFalse(cJSON_GetObjectItem(json, "diff")));
    pytree_memory_free(&file);
    return json;
}

static inline const cJSON *rows_of(const cJSON *page) { return cJSON_GetObjectItem(page, "rows"); }

/* A string of a row's side, "" if it is not there. */
static inline const char *word_of(const cJSON *object, const char *name)
{
    const char *word = golden_text(object, name);
    return word == NULL ? "" : word;
}

static inline double number_of(const cJSON *object, const char *name)
{
    const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
    assert_true(cJSON_IsNumber(item));
    return item->valuedouble;
}

/* The row whose keys, joined, are that path. */
static inline const cJSON *row_at(const cJSON *page, const char *path)
{
    char here[64][100] = { "" }, whole[1000];
    const cJSON *row;
    cJSON_ArrayForEach(row, rows_of(page)) {
        const size_t depth = (size_t)number_of(row, "d");
        size_t i;
        assert_in_range(depth, 0, 63);
        snprintf(here[depth], sizeof here[depth], "%s", word_of(row, "k"));
        whole[0] = '\0';
        for (i = 1; i <= depth; i++) { strncat(whole, here[i], sizeof whole - strlen(whole) - 1); }
        if (strcmp(whole, path) == 0) { return row; }
    }
    fail_msg("no row at %s", path);
    return NULL;
}

static inline const cJSON *side_at(const cJSON *page, const char *path, const char *side)
{
    const cJSON *found = cJSON_GetObjectItem(row_at(page, path), side);
    assert_non_null(found);
    return found;
}

#endif
