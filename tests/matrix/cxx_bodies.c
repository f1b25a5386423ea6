/* The bodies for a C++ program, compiled as C. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
