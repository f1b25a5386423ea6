/* leaf_paths.h: a tree as the paths of its leaves. */
#ifndef LEAF_PATHS_H
#define LEAF_PATHS_H

#include "support.h"

/* Check the paths of the leaves, with a space behind each. */
static inline void assert_paths(pytree t, const char *expected)
{
    char text[1024] = "", path[128];
    pytree_error error = { 0 };
    pytree_iter it;
    assert_ok(pytree_iter_begin(&it, 1, &t, NULL, &error), &error);
    while (pytree_iter_next(&it)) {
        pytree_iter_path_text(&it, path, sizeof path);
        strcat(strcat(text, path), " ");
    }
    pytree_iter_end(&it);
    assert_ok(error.status, &error);
    assert_string_equal(text, expected);
}

#endif
