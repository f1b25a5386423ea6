/* A struct with a destructor.
 *
 * Trees are copied as bytes, and their memory is freed without it. */
// both: pytree: Model: it has a copy constructor, an assignment or a destructor, and trees are copied as bytes
// flags: -x c++ -std=c++17
// fixed: yes
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Model { float rate = 1; Model() = default; };
#else
struct Model { float rate; ~Model() { rate = 0; } };
#endif

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"
