/* C99.
 *
 * The library needs `_Generic` and `_Static_assert`. Compile with `-std=c11`, `-std=gnu11` or later; the defaults
 * of both compilers are late enough. */
// both: pytree.h needs C11: compile with -std=c11 or later (MSVC: /std:c11).
// flags: -std=c99
#include "pytree.h"
int unused;
