/* An array in place of one value.
 *
 * `PYTREE` takes a pointer to one value, of which an array has several: `PYTREE_ARRAY` makes a leaf of it. Of an
 * array of structs pass a list, or `&layers[0]` if only the first is meant. */
// both: it is an array, a string or a void *, not a pointer to one value; write PYTREE_ARRAY(p, n) for numbers
// gcc: pytree: PYTREE(weights):
// c++: pytree: PYTREE(p): it is an array, a string or a void *, not a pointer to one value; write PYTREE_ARRAY(p, n)
// fixed: yes
#include "pytree.h"

static float weights[3];

pytree tree_of(void);
pytree tree_of(void)
{
#ifndef PYTREE_TEST_FIXED
    return PYTREE(weights);
#else
    return PYTREE(&weights[0]);
#endif
}
