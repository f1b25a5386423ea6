/* refusal.h: calls that must be refused, and what they say.
 *
 *     #include "support.h"         // first
 *     #include "refusal.h"
 *
 *     assert_refused(pytree_graphdef(t, NULL, err), PYTREE_CYCLE, "[0]", "expected …, got …"); */
#ifndef REFUSAL_H
#define REFUSAL_H

#include "support.h"

/* The call, whatever it returns, puts an error of that status, path and words into `err`. */
#define assert_refused(call, wanted, where, words)                                                                      \
    do {                                                                                                                \
        pytree_error refusal = { 0 };                                                                                   \
        pytree_error *const err = &refusal;                                                                             \
        (void)(call);                                                                                                   \
        assert_error(refusal.status, (wanted), (where), err);                                                           \
        assert_string_equal(refusal.message, (words));                                                                  \
    } while (0)

#endif
