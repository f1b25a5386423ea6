/* C++. */
// both: pytree.h needs C++17
// flags: -x c++ -std=c++11
#include "pytree.h"
