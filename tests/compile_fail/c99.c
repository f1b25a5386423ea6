/* C99.
 *
 * The library needs `_Generic` and `_Static_assert`: `-std=c11`, `-std=gnu11` or later; both compilers' own default
 * does. */
// both: pytree.h needs C11: compile with -std=c11 or later (MSVC: /std:c11).
// flags: -std=c99
#include "pytree.h"
int unused;
