/* containers_shared.h: shared by test_containers.c and test_containers_memory.c. */
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

#define assert_refused(call, wanted, words)                                                                             \
    do {                                                                                                                \
        pytree_error refusal = { 0 };                                                                                   \
        pytree_error *err = &refusal;                                                                                   \
        assert_error((call), (wanted), "", err);                                                                        \
        assert_string_equal(refusal.message, (words));                                                                  \
    } while (0)

#endif
