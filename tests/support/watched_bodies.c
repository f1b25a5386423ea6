/* The bodies of all headers as watched.h changes them, compiled once for all test programs that watch them. */
#define PYTREE_IMPLEMENTATION
#include "watched.h"
#include "bodies.c"
