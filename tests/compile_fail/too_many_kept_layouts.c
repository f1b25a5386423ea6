/* A PYTREE_KEPT_LAYOUTS that is too large. */
// both: PYTREE_KEPT_LAYOUTS must be at most 4096.
// flags: -DPYTREE_KEPT_LAYOUTS=4097
#include "pytree.h"
int unused;
