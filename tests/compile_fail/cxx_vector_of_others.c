/* STD_VECTOR behind the name of another member.
 *
 * A pointer says with LIST(n) how many elements there are. */
// both: pytree: Model.rates: STD_VECTOR is for a std::vector
// flags: -x c++ -std=c++17
// fixed: yes
#include "pytree.h"

struct Model { int n; double *rates; };

#define PYTREE_STRUCT Model
#ifdef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, rates, LIST(self->n))
#else
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, rates, STD_VECTOR)
#endif
#include "pytree_registry.h"
