/* A string in place of its address.
 *
 * `PYTREE` takes a pointer to a `char *`. A pointer to a single `char` has the same type as a string, so it is refused,
 * too: of that write `(pytree){ PYTREE_TYPE(char), &letter }`. */
// both: it is an array, a string or a void *, not a pointer to one value; write PYTREE_ARRAY(p, n) for numbers,
// both: PYTREE_STR(text)
// gcc: pytree: PYTREE(name):
// c++: pytree: PYTREE(p): it is an array, a string or a void *, not a pointer to one value; write PYTREE_ARRAY(p, n)
// fixed: yes
#include "pytree.h"

static const char *name = "encoder";

pytree tree_of(void);
pytree tree_of(void)
{
#ifndef PYTREE_TEST_FIXED
    return PYTREE(name);
#else
    return PYTREE(&name);
#endif
}
