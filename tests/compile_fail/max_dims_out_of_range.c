/* A PYTREE_MAX_DIMS that is too large. */
// both: PYTREE_MAX_DIMS must be from 3 to 16.
// flags: -DPYTREE_MAX_DIMS=17
#include "pytree.h"
int unused;
