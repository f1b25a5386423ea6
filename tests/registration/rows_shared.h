/* rows_shared.h: what the tests of rows have in common: whatever a row describes must survive every way of rebuilding it. */
#ifndef ROWS_SHARED_H
#define ROWS_SHARED_H

#include "support.h"
#include "pytree/literal.h"
#include "pytree/treedef_io.h"

enum { ROWS_LEAVES = 32, ROWS_TEXT = 2000 };

/* The printed tree: a line for each leaf. */
static inline const char *rows_printed(pytree t, char text[ROWS_TEXT])
{
    pytree_error error = { 0 };
    FILE *file = tmpfile();
    size_t n;
    assert_non_null(file);
    assert_ok(pytree_print(file, t, NULL, &error), &error);
    rewind(file);
    n = fread(text, 1, ROWS_TEXT - 1, file);
    text[n] = '\0';
    fclose(file);
    return text;
}

static inline pytree_status rows_clone(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree t = *(const pytree *)context;
    pytree copy = pytree_clone(t, opt, error);
    if (copy.data == NULL) { return error->status; }
    assert_true(pytree_equal(copy, t, NULL, NULL, NULL));
    pytree_free(copy);
    return PYTREE_OK;
}

static inline pytree_status rows_unflatten(void *context, const pytree_options *opt, pytree_error *error)
{
    const pytree t = *(const pytree *)context;
    pytree_leaf *leaves = NULL;
    pytree_def *def;
    pytree made;
    if (pytree_flatten(t, &leaves, 0, &def, opt, error) != PYTREE_OK) { return error->status; }
    made = pytree_unflatten(def, pytree_def_num_leaves(def), leaves, opt, error);
    if (made.data != NULL) {
        assert_true(pytree_equal(made, t, NULL, NULL, NULL));
        pytree_free(made);
    }
    pytree_def_free(def);
    return error->status;
}

/* The structure as bytes and as text, and read back from both. */
static inline void rows_save_structure(pytree t, size_t n, const pytree_type *const *types)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, NULL, &error), *back;
    char text[ROWS_TEXT];
    unsigned char bytes[4000];
    size_t size;
    assert_ok(error.status, &error);
    size = pytree_def_save(def, bytes, sizeof bytes, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(size <= sizeof bytes);
    back = pytree_def_load(bytes, size, types, n, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, back));
    assert_true(pytree_def_hash(def) == pytree_def_hash(back));
    pytree_def_free(back);
    assert_true(pytree_def_text(def, text, sizeof text) < sizeof text);
    back = pytree_def_parse(text, types, n, NULL, &error);
    assert_ok(error.status, &error);
    assert_true(pytree_def_equal(def, back));
    pytree_def_free(back);
    pytree_def_free(def);
}

/* Whatever is made of a tree equals it: clones, rebuilt trees, its own leaves put back, its structure read back; and no
 * allocation that fails does harm. */
static inline void rows_assert_round_trip(pytree t, size_t n, const pytree_type *const *types)
{
    pytree_error error = { 0 };
    pytree_leaf leaves[ROWS_LEAVES];
    pytree_def *def;
    pytree copy = pytree_clone(t, NULL, &error), zeros;
    char text[ROWS_TEXT], again[ROWS_TEXT];
    size_t count, other;
    assert_ok(error.status, &error);
    assert_ok(pytree_check(t, NULL, NULL, NULL, &error), &error);
    assert_true(pytree_equal(t, copy, NULL, NULL, &error));
    assert_string_equal(rows_printed(t, text), rows_printed(copy, again));
    assert_ok(pytree_leaves(t, leaves, ROWS_LEAVES, &count, NULL, &error), &error);
    assert_int_equal(count, pytree_num_leaves(t, NULL, &error));
    def = pytree_structure(t, NULL, &error);
    assert_ok(error.status, &error);
    assert_ok(pytree_unflatten_into(def, count, leaves, t, NULL, &error), &error);
    assert_true(pytree_equal(t, copy, NULL, NULL, &error));
    zeros = pytree_zeros_like(t, NULL, &error);
    assert_ok(error.status, &error);
    other = pytree_num_leaves(zeros, NULL, &error);
    assert_int_equal(other, count);
    assert_ok(pytree_copy_into(zeros, copy, NULL, &error), &error);
    assert_true(pytree_equal(zeros, t, NULL, NULL, &error));
    pytree_free(zeros);
    pytree_free(copy);
    pytree_def_free(def);
    rows_save_structure(t, n, types);
    assert_true(sweep_allocations(rows_clone, &t) >= 1);
    assert_true(sweep_allocations(rows_unflatten, &t) >= 1);
}

#endif
