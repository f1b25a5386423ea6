/* Commas or semicolons between rows.
 *
 * Rows follow one another without a separator. */
// gcc: expected identifier or ‘(’ before ‘,’ token
// clang: expected identifier or '('
// c++: pytree: Point: PYTREE_FIELDS has rows, PYTREE_FIELD(...), and nothing between them: no comma, no semicolon
// fixed: yes
#include "pytree.h"

typedef struct Point { float x, y; } Point;

#define PYTREE_STRUCT Point
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x), PYTREE_FIELD(DATA, y)
#else
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#endif
#include "pytree_registry.h"
