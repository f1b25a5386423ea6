/* flatten_shared.h: shared by test_flatten.c, test_flatten_limits.c and test_flatten_memory.c. */
#ifndef FLATTEN_SHARED_H
#define FLATTEN_SHARED_H

#include "support.h"

#include <pthread.h>

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

static inline void test_assert_says(const pytree_error *error, const char *words, const char *file, int line)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(file, line);
    }
}

/* The key paths of the tree's leaves, one after another with a space between them. */
static inline void assert_paths(pytree tree, const char *expected, const pytree_options *opt)
{
    pytree_error error = { 0 };
    size_t n, i, length = 0;
    const char **paths = pytree_paths(tree, NULL, &n, opt, &error);
    char text[2000];
    assert_ok(error.status, &error);
    assert_non_null(paths);
    text[0] = '\0';
    for (i = 0; i < n; i++) {
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", i == 0 ? "" : " ", paths[i]);
        assert_true(length < sizeof text);
    }
    pytree_paths_free(paths);
    assert_string_equal(text, expected);
}

/* Every way to flatten fails in the same way at the same place, and leaves nothing behind. */
#define assert_refused(tree, status, path, words) test_assert_refused((tree), (status), (path), (words), __LINE__)

static inline void test_assert_refused(pytree tree, pytree_status status, const char *path, const char *words, int line)
{
    pytree_leaf room[4], *leaves = NULL, *given = room;
    pytree_def *def = NULL;
    Heap heap;
    pytree_options opt = { 0 };
    size_t count, way;
    heap_init(&heap, HEAP_NEVER_FAILS);
    opt.allocator = &heap.allocator;
    for (way = 0; way < 5; way++) {
        pytree_error error = { 0 };
        pytree_status got = PYTREE_OK;
        switch (way) {
        case 0: got = pytree_leaves(tree, NULL, 0, &count, &opt, &error); break;
        case 1: got = pytree_num_leaves(tree, &opt, &error) == SIZE_MAX ? error.status : PYTREE_OK; break;
        case 2: got = pytree_structure(tree, &opt, &error) == NULL ? error.status : PYTREE_OK; break;
        case 3:
            got = pytree_flatten(tree, &leaves, 0, &def, &opt, &error);
            assert_null(leaves);
            assert_null(def);
            break;
        default:
            got = pytree_flatten(tree, &given, COUNT_OF(room), &def, &opt, &error);
            assert_true(given == room);
            assert_null(def);
        }
        test_assert_status(got, status, path, &error, __FILE__, line);
        test_assert_says(&error, words, __FILE__, line);
        assert_heap_clean(&heap);
    }
    assert_int_equal(pytree_num_leaves(tree, NULL, NULL), SIZE_MAX);           /* without an error object too */
    assert_null(pytree_structure(tree, NULL, NULL));
}

#endif
