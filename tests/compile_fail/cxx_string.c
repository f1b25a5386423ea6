/* A std::string in a registered struct.
 *
 * Trees are copied as bytes, so a member whose copy or destruction needs code cannot be in a struct with rows. */
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
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, name)
#include "pytree_registry.h"
