/* A STD_VECTOR of pointers.
 *
 * Elements are single values; a pointer needs a row of its own, which a struct around it has. */
// both: pytree: Model.arrays: STD_VECTOR is for elements that are numbers (of bytes: unsigned char), strings
// flags: -x c++ -std=c++17
// fixed: yes
#include <vector>
#include "pytree.h"

struct Array { int n; float *w; };
#define PYTREE_STRUCT Array
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n))
#include "pytree_registry.h"

#ifdef PYTREE_TEST_FIXED
struct Model { std::vector<Array> arrays; };
#else
struct Model { std::vector<float *> arrays; };
#endif

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(DATA, arrays, STD_VECTOR)
#include "pytree_registry.h"
