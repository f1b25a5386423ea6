/* treedefs.h: what the tests of treedefs without a value start with, behind support.h. */
#ifndef TREEDEFS_H
#define TREEDEFS_H

#include "support.h"
#include "pytree/treedef.h"
#include "pytree/treedef_io.h"

/* The call returns NULL and sets `error`, a variable of the test, which concerns no path. */
#define REFUSED(call, wanted, text)                                                                                     \
    do {                                                                                                                \
        memset(&error, 0, sizeof error);                                                                                \
        assert_null(call);                                                                                              \
        assert_error(error.status, wanted, "", &error);                                                                 \
        assert_string_equal(error.message, text);                                                                       \
    } while (0)

static inline char *def_text(const pytree_def *def)
{
    size_t n = pytree_def_text(def, NULL, 0);
    char *text = malloc(n + 1);
    assert_non_null(text);
    assert_int_equal(pytree_def_text(def, text, n + 1), n);
    return text;
}

static inline unsigned char *saved(const pytree_def *def, size_t *size)
{
    pytree_error error = { 0 };
    unsigned char *bytes;
    *size = pytree_def_save(def, NULL, 0, NULL, &error);
    assert_ok(error.status, &error);
    bytes = malloc(*size);
    assert_non_null(bytes);
    assert_int_equal(pytree_def_save(def, bytes, *size, NULL, &error), *size);
    return bytes;
}

static inline pytree_status load_status(const unsigned char *bytes, size_t size, const pytree_type *const *types, size_t n,
                                        pytree_error *error)
{
    pytree_def *def = pytree_def_load(bytes, size, types, n, NULL, error);
    assert_int_equal(def == NULL, error->status != PYTREE_OK);
    pytree_def_free(def);
    return error->status;
}

/* Three stretches of the bytes, of up to eight each, are copied to another place. */
static inline void move_about(unsigned char *bytes, size_t size, uint64_t *random)
{
    int i;
    for (i = 0; i < 3; i++) {
        size_t from, to, n;
        *random ^= *random << 13;
        *random ^= *random >> 7;
        *random ^= *random << 17;
        from = (size_t)(*random % size);
        to = (size_t)((*random >> 20) % size);
        n = (size_t)((*random >> 40) % 9);
        if (from + n <= size && to + n <= size) { memmove(bytes + to, bytes + from, n); }
    }
}

#endif
