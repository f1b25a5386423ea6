/* The bodies of pytree.h, compiled apart from the benchmarks: nothing can be specialised for the call that is measured. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
