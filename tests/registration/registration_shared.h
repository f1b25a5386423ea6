/* registration_shared.h: shared by test_registration.c, test_registration_structs.c, test_registration_static.c and
 * test_registration_descriptors.c. */
#ifndef REGISTRATION_SHARED_H
#define REGISTRATION_SHARED_H

/* Words of the library's rows that a program has taken for itself before it includes anything. */
#define DATA 101
#define STATIC 102
#define LIST(a, b) ((a) - (b))
#define ARRAY 104
#define OPTIONAL optional_of_the_program
#define DROP() 106
#define RANK "rank"
#define NONE
#define STB_ARRAY 109
#define STB_MAP(x) x
#define PLAIN 111
#define KIND(x) 112
#define ROW 113
#define WORDS 114
#define ONE 1
#define ANY(x) x
#define CODE 117
#include "support.h"

/* ---- What is to be expected -------------------------------------------------------------------------------------------- */

/* One leaf: its key path, element type as JAX writes it, shape as "[2,3]" ("" for a scalar), and where its elements lie. */
typedef struct Expected {
    const char *path, *type, *shape;
    const void *data;
} Expected;

static inline void shape_text(const pytree_leaf *leaf, char *text, size_t n)
{
    size_t length = 0;
    int i;
    text[0] = '\0';
    for (i = 0; i < leaf->ndim; i++) {
        length += (size_t)snprintf(text + length, n - length, "%s%lu", i == 0 ? "[" : ",", (unsigned long)leaf->shape[i]);
        assert_true(length + 2 < n);
    }
    if (leaf->ndim > 0) {
        memcpy(text + length, "]", 2);
    }
}

/* The tree has exactly these leaves, in this order. */
#define assert_leaves(tree, expected) test_assert_leaves((tree), COUNT_OF(expected), (expected), __FILE__, __LINE__)

static inline void test_assert_leaves(pytree tree, size_t n, const Expected *expected, const char *file, int line)
{
    pytree_error error = { 0 };
    pytree_leaf leaves[128];
    size_t count, n_paths, i;
    const char **paths;
    assert_in_range(n, 0, COUNT_OF(leaves));
    assert_ok(pytree_leaves(tree, leaves, COUNT_OF(leaves), &count, NULL, &error), &error);
    paths = pytree_paths(tree, NULL, &n_paths, NULL, &error);
    assert_ok(error.status, &error);
    assert_non_null(paths);
    if (count != n || n_paths != n) {
        print_error("# expected %lu leaves, got %lu and %lu paths\n", (unsigned long)n, (unsigned long)count,
                    (unsigned long)n_paths);
        _fail(file, line);
    }
    for (i = 0; i < n; i++) {
        const char *type = pytree_dtype_name(leaves[i].type);
        char shape[200];
        shape_text(&leaves[i], shape, sizeof shape);
        if (!pytree_is_leaf(&leaves[i]) || strcmp(paths[i], expected[i].path) != 0 || strcmp(type, expected[i].type) != 0
            || strcmp(shape, expected[i].shape) != 0 || leaves[i].data != expected[i].data) {
            print_error("# leaf %lu\n# expected %s  %s%s at %p\n# got      %s  %s%s at %p\n", (unsigned long)i,
                        expected[i].path, expected[i].type, expected[i].shape, expected[i].data, paths[i], type, shape,
                        leaves[i].data);
            _fail(file, line);
        }
    }
    pytree_paths_free(paths);
}

/* ---- Numbers, strings, enums, fixed arrays ----------------------------------------------------------------------------- */

#define IN(object, path, type, shape) { "." #path, (type), (shape), &(object).path }

/* ---- Aliases and words ------------------------------------------------------------------------------------------------- */

typedef float real;
typedef Point Vec2;
typedef real *Vector;
typedef const char *Name;
typedef int Pair[2];

typedef struct Aliases {
    real number;
    Vec2 point;
    Vec2 points[2];
    Vector vector;
    Name name;
    Pair pair;
    uint8_t byte;
    int64_t wide;
    size_t count;
    ptrdiff_t difference;
    real (*grid)[2];                      /* a pointer to rows is no pointer to numbers */
} Aliases;

#define PYTREE_STRUCT Aliases
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, number) PYTREE_FIELD(DATA, point) PYTREE_FIELD(DATA, points) PYTREE_FIELD(DATA, vector, ARRAY(2)) \
    PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, pair) PYTREE_FIELD(DATA, byte) PYTREE_FIELD(DATA, wide)                 \
    PYTREE_FIELD(DATA, count) PYTREE_FIELD(DATA, difference) PYTREE_FIELD(DROP, grid)
#include "pytree_registry.h"

#endif
