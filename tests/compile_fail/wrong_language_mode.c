/* C99. */
// both: pytree.h needs C11
// flags: -std=c99
#include "pytree.h"
