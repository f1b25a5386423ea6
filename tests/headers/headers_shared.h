/* headers_shared.h: what the programs that register structs of other libraries have in common. */
#ifndef HEADERS_SHARED_H
#define HEADERS_SHARED_H

#define TEST_OWN_BODIES
#include "support.h"
#include "pytree/path.h"

/* The printed tree, with a newline before it, has these words. */
static inline void headers_assert_printed(pytree t, const char *words)
{
    static char text[100000];
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    size_t n;
    assert_non_null(file);
    text[0] = '\n';
    assert_ok(pytree_print(file, t, NULL, &error), &error);
    rewind(file);
    n = fread(text + 1, 1, sizeof text - 2, file);
    text[n + 1] = '\0';
    fclose(file);
    if (strstr(text, words) == NULL) { fail_msg("%s\nlacks: %s", text, words); }
}

#endif
