/* A std::vector without STD_VECTOR.
 *
 * A vector's memory is its own: the word says that its elements are a list. */
// both: pytree: Model.rates: its type has a copy constructor or a destructor
// both: use a pointer with ARRAY(n) or LIST(n), STD_VECTOR for a DATA std::vector, or a custom node
// flags: -x c++ -std=c++17
// fixed: yes
#include <vector>
#include "pytree.h"

struct Model { int n; std::vector<double> rates; };

#define PYTREE_STRUCT Model
#ifdef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, rates, STD_VECTOR)
#else
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, rates)
#endif
#include "pytree_registry.h"
