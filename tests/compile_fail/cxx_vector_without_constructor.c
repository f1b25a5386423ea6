/* A STD_VECTOR whose elements cannot be made.
 *
 * A new tree makes its elements before it fills them. */
// both: pytree: Model.layers: the elements of a STD_VECTOR need a constructor without arguments
// flags: -x c++ -std=c++17
// fixed: yes
#include <vector>
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Layer { int n; Layer() = default; explicit Layer(int of) : n(of) {} };
#else
struct Layer { int n; explicit Layer(int of) : n(of) {} };
#endif
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, n)
#include "pytree_registry.h"

struct Model { std::vector<Layer> layers; };

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, layers, STD_VECTOR)
#include "pytree_registry.h"
