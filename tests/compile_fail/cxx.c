/* C++. */
// both: pytree_registry.h is C alone
// flags: -x c++ -std=c++17
#include "pytree_registry.h"
