/* C++ before C++17. */
// both: pytree.h needs C++17 when it is compiled as C++: compile with -std=c++17 or later.
// flags: -x c++ -std=c++11
#include "pytree.h"
