/* The functions of pytree.h, compiled separately, so that none is specialised for a measured call. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
#include "pytree/state.h"
