/* A reference in a registered struct.
 *
 * It cannot be set again when a tree is rebuilt. */
// both: pytree: Model.rate: a reference cannot be registered; make it a pointer
// flags: -x c++ -std=c++17
// fixed: yes
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Model { int n; float rate; };
#else
struct Model { int n; float &rate; };
#endif

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"
