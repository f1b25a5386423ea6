/* rebuild_shared.h: shared by test_rebuild.c, test_rebuild_into.c, test_rebuild_allocate.c, test_rebuild_copies.c and
 * test_rebuild_memory.c. */
#ifndef REBUILD_SHARED_H
#define REBUILD_SHARED_H

#include "support.h"

/* ---- Helpers ----------------------------------------------------------------------------------------------------------- */

#define assert_says(error, words) test_assert_says((error), (words), __FILE__, __LINE__)

static inline void test_assert_says(const pytree_error *error, const char *words, const char *file, int line)
{
    if (strstr(error->message, words) == NULL) {
        print_error("# expected \"%s\" in the message\n# got \"%s\"\n", words, error->message);
        _fail(file, line);
    }
}

enum { MOST_LEAVES = 64 };

/* A tree's leaves and structure. */
typedef struct Parts {
    pytree_leaf leaves[MOST_LEAVES];
    size_t n;
    pytree_def *def;
} Parts;

static inline Parts parts_of(pytree tree, const pytree_options *opt)
{
    Parts parts;
    pytree_leaf *leaves = parts.leaves;
    pytree_error error = { 0 };
    memset(&parts, 0, sizeof parts);
    assert_ok(pytree_flatten(tree, &leaves, MOST_LEAVES, &parts.def, opt, &error), &error);
    parts.n = pytree_def_num_leaves(parts.def);
    return parts;
}

/* Structure and values are equal. */
static inline void assert_same(pytree a, pytree b)
{
    pytree_error error = { 0 };
    if (!pytree_equal(a, b, NULL, NULL, &error)) {
        print_error("# not equal at '%s': %s\n", error.path, error.message);
        fail();
    }
}

/* No byte of any leaf of the one belongs to a leaf of the other (leaves of a dozen elements at most). */
static inline void assert_apart(pytree a, pytree b)
{
    Parts x = parts_of(a, NULL), y = parts_of(b, NULL);
    size_t i, k;
    for (i = 0; i < x.n; i++) {
        for (k = 0; k < y.n; k++) {
            uintptr_t p = (uintptr_t)x.leaves[i].data, q = (uintptr_t)y.leaves[k].data;
            assert_true(p + pytree_leaf_bytes(&x.leaves[i]) <= q || q + pytree_leaf_bytes(&y.leaves[k]) <= p);
        }
    }
    pytree_def_free(x.def);
    pytree_def_free(y.def);
}

static inline bool all_zero(const pytree_leaf *leaf)
{
    const unsigned char *bytes = leaf->data;
    size_t n = pytree_leaf_bytes(leaf), i;
    for (i = 0; i < n && bytes[i] == 0; i++) {}
    return i == n;
}

/* ---- Unflatten --------------------------------------------------------------------------------------------------------- */

/* Trees of any kind, whole: rebuilt, cloned, made zero. */
static inline void check_all_ways(pytree tree)
{
    Parts parts = parts_of(tree, NULL), zero_parts;
    pytree_error error = { 0 };
    pytree made, clone, zeros;
    pytree_def *def;
    size_t i;
    made = pytree_unflatten(parts.def, parts.n, parts.leaves, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(made, tree);
    assert_same(tree, made);
    clone = pytree_clone(tree, NULL, &error);
    assert_ok(error.status, &error);
    assert_same(clone, tree);
    assert_apart(clone, tree);
    zeros = pytree_zeros_like(tree, NULL, &error);
    assert_ok(error.status, &error);
    def = pytree_structure(zeros, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, parts.def));
    assert_int_equal(pytree_def_hash(def), pytree_def_hash(parts.def));
    pytree_def_free(def);
    zero_parts = parts_of(zeros, NULL);
    for (i = 0; i < zero_parts.n; i++) {
        const pytree_leaf *leaf = &zero_parts.leaves[i];
        if (leaf->type->dtype != PYTREE_STRING && leaf->type->dtype != PYTREE_OPAQUE) {
            assert_true(all_zero(leaf));
        }
        assert_true(pytree_type_equal(leaf->type, parts.leaves[i].type));
        assert_int_equal(leaf->ndim, parts.leaves[i].ndim);
        assert_int_equal(pytree_leaf_bytes(leaf), pytree_leaf_bytes(&parts.leaves[i]));
    }
    assert_apart(zeros, clone);
    pytree_def_free(zero_parts.def);
    assert_ok(pytree_copy_into(zeros, tree, NULL, &error), &error);
    assert_same(zeros, tree);
    assert_ok(pytree_unflatten_into(parts.def, parts.n, parts.leaves, clone, NULL, &error), &error);
    assert_same(clone, tree);
    pytree_free(made);
    pytree_free(clone);
    pytree_free(zeros);
    pytree_def_free(parts.def);
}

/* Lists and tuples of what is no struct, structs in fixed arrays, lists in lists. */
typedef struct Row {
    size_t n;
    double *cells;                        /* LIST: leaves each */
    const char **names;
} Row;

#define PYTREE_STRUCT Row
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, cells, LIST(self->n)) PYTREE_FIELD(DATA, names, LIST(self->n))
#include "pytree_registry.h"

/* ---- Unflatten into ---------------------------------------------------------------------------------------------------- */

typedef struct Essay {                    /* much metadata */
    const char *text;
    int number;
} Essay;

#define PYTREE_STRUCT Essay
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, text) PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"

/* ---- Allocate ---------------------------------------------------------------------------------------------------------- */

typedef struct Handle { int number, kind; } Handle;   /* without padding: it is compared by bytes */

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

typedef struct Wishes {
    size_t n;
    Handle *handle;
    float *required;
    double *wanted;
    double *unwanted;
    Row *row;
    Row *rows;
    Shelf *shelf;
    pytree_leaf view;
    const char *name;
    const char *none;
} Wishes;

#define PYTREE_STRUCT Wishes
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, handle) PYTREE_FIELD(DATA, required, ARRAY(self->n))                     \
    PYTREE_FIELD(DATA, wanted, ARRAY(self->n, 2), OPTIONAL) PYTREE_FIELD(DATA, unwanted, ARRAY(self->n), OPTIONAL)      \
    PYTREE_FIELD(DATA, row) PYTREE_FIELD(DATA, rows, LIST(2)) PYTREE_FIELD(DATA, shelf, OPTIONAL)                       \
    PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, none, OPTIONAL)
#include "pytree_registry.h"

/* ---- Copy into --------------------------------------------------------------------------------------------------------- */

/* A list in a list and so on, each with a number before the next one, and in the last a dict whose keys must be sorted. */
enum { NESTS = 40, NEST_KEYS = 30 };

#endif
