/* The bodies alone, for programs whose other files have none. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
