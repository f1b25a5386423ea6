/* An enum without its constants. */
// both: define PYTREE_CONSTANTS, one PYTREE_CONSTANT for each constant of the enum, before including it
// fixed: yes
#include "pytree.h"

typedef enum Activation { RELU, GELU } Activation;

#define PYTREE_ENUM Activation
#ifdef PYTREE_TEST_FIXED
#define PYTREE_CONSTANTS PYTREE_CONSTANT(RELU) PYTREE_CONSTANT(GELU)
#endif
#include "pytree_registry.h"
