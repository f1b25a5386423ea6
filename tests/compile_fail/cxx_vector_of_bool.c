/* A STD_VECTOR of bool.
 *
 * A std::vector<bool> is bits, of which none has an address. */
// both: pytree: Model.mask: STD_VECTOR is for a std::vector of three pointers: not of bool, whose elements have no address
// flags: -x c++ -std=c++17
// fixed: yes
#include <vector>
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Model { std::vector<unsigned char> mask; };
#else
struct Model { std::vector<bool> mask; };
#endif

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, mask, STD_VECTOR)
#include "pytree_registry.h"
