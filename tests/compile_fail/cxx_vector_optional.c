/* OPTIONAL behind STD_VECTOR.
 *
 * A vector that has no elements is an empty list. */
// both: pytree: Model.rates: OPTIONAL is for pointers; a std::vector is never NULL
// flags: -x c++ -std=c++17
// fixed: yes
#include <vector>
#include "pytree.h"

struct Model { std::vector<double> rates; };

#define PYTREE_STRUCT Model
#ifdef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rates, STD_VECTOR)
#else
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rates, STD_VECTOR, OPTIONAL)
#endif
#include "pytree_registry.h"
