/* A struct with virtual functions.
 *
 * It is not laid out as in C. */
// both: pytree: Model: it has virtual functions, a base class with members, a reference, or members some of which are private
// flags: -x c++ -std=c++17
// fixed: yes
#include "pytree.h"

#ifdef PYTREE_TEST_FIXED
struct Model { float rate; int count() { return 1; } };
#else
struct Model { float rate; virtual int count() { return 1; } };
#endif

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, rate)
#include "pytree_registry.h"
