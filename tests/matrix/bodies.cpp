// The bodies, compiled as C++.
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
