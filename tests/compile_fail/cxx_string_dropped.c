/* A std::string in a DROP row.
 *
 * A copy of the struct would share its memory. */
// both: pytree: Model.name: its type has a copy constructor or a destructor (std::string, std::vector, std::unique_ptr)
// flags: -x c++ -std=c++17
// fixed: yes
#include <string>
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Model { int n; const char *name; };
#else
struct Model { int n; std::string name; };
#endif

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, n) PYTREE_FIELD(DROP, name)
#include "pytree_registry.h"
