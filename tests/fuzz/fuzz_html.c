/* Pages: any tree that a literal describes gives a page of UTF-8 in which nothing ends the data, and the same bytes again; its
 * difference from itself has no marks. */
#include "fuzz.h"
#include "pytree/html.h"
#include "pytree/literal.h"

/* What the page of a tree is, or of its difference from another, with a NUL. Free it. */
static char *page_of(pytree a, const pytree *b, size_t *size)
{
    const pytree_tolerance nan = { 0, 0, true };
    pytree_memory file = { 0 };
    pytree_io io = pytree_memory_io(&file);
    const pytree_html_options opt = { .io = &io };
    pytree_error err = { 0 };
    const pytree_status status = b == NULL ? pytree_save_html("", a, &opt, &err)
                                           : pytree_save_html_diff("", a, *b, &nan, &opt, &err);
    char *text;
    REQUIRE(status == PYTREE_OK);
    fuzz_check_error(true, &err);
    text = fuzz_text((const uint8_t *)file.bytes, file.size);
    REQUIRE(strlen(text) == file.size);
    *size = file.size;
    pytree_memory_free(&file);
    return text;
}

/* The data of a page: one line for each row. Control characters, '<' and what is not UTF-8 are not in it. */
static char *data_of(char *page)
{
    static const char begin[] = "id=\"data\">\n", end[] = "\n</script>\n<script>\n\"use strict\";";
    char *from = strstr(page, begin), *to, *at;
    REQUIRE(from != NULL);
    from += strlen(begin);
    to = strchr(from, '<');
    REQUIRE(to != NULL && strncmp(to - 1, end, strlen(end)) == 0);
    to[-1] = '\0';
    for (at = from; *at != '\0'; at++) {
        const unsigned char c = (unsigned char)*at;
        REQUIRE(c >= 0x20 || c == '\n');
        if (c >= 0x80) {
            const int more = c >= 0xF0 ? 3 : c >= 0xE0 ? 2 : 1;
            REQUIRE(c >= 0xC2 && c <= 0xF4);
            for (int i = 1; i <= more; i++) { REQUIRE(((unsigned char)at[i] & 0xC0) == 0x80); }
            at += more;
        }
    }
    return from;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    pytree t = pytree_parse_n((const char *)data, size, NULL, NULL);
    char *page, *again;
    size_t n, m;
    if (t.data == NULL) { return 0; }
    page = page_of(t, NULL, &n);
    again = page_of(t, NULL, &m);
    REQUIRE(n == m && memcmp(page, again, n) == 0);
    REQUIRE(strncmp(data_of(page), "{\"title\":\"pytree\",\"diff\":false,\"rows\":[\n{\"d\":0,", 47) == 0);
    free(again);
    again = page_of(t, &t, &m);
    REQUIRE(strstr(data_of(again), "\",\"m\":\"") == NULL && strstr(again, "{\"d\":0,\"m\":") == NULL);
    free(again);
    free(page);
    pytree_free(t);
    return 0;
}
