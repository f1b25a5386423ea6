/* containers_shared.h: what tests of growing containers, and of the objects made of them, share. */
#ifndef CONTAINERS_SHARED_H
#define CONTAINERS_SHARED_H

#include "support.h"
#include "pytree/containers.h"

/* Every test ends without arrays of stb_ds left. */
static inline int nothing_left(void **state)
{
    (void)state;
    stb_fail_at = SIZE_MAX;
    return stb_blocks == 0 ? 0 : -1;
}

/* ---- Getting, and trees that do not grow ------------------------------------------------------------------------------- */

static inline int64_t number_of(pytree value)
{
    assert_non_null(value.data);
    return *(const int64_t *)value.data;
}

/* ---- What must not be -------------------------------------------------------------------------------------------------- */

/* The call, which puts its error into `err`, fails with that status, path and words. */
#define assert_says(call, wanted, where, words)                                                                         \
    do {                                                                                                                \
        pytree_error refusal = { 0 };                                                                                   \
        pytree_error *err = &refusal;                                                                                   \
        assert_error((call), (wanted), (where), err);                                                                   \
        assert_string_equal(refusal.message, (words));                                                                  \
    } while (0)

#define assert_refused(call, wanted, words) assert_says(call, wanted, "", words)

/* ---- Printing ---------------------------------------------------------------------------------------------------------- */

static inline void assert_prints(pytree t, const char *expected)
{
    char text[700];
    pytree_error error = { 0 };
    assert_in_range(pytree_text(t, text, sizeof text, NULL, &error), 0, sizeof text - 1);
    assert_ok(error.status, &error);
    assert_string_equal(text, expected);
}

#endif
