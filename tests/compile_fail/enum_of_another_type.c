/* ENUM on a member that is not of that enum.
 *
 * ENUM(E) names the enum, because C does not tell an enum from its integer type. A member of any other type is an error. */
// both: pytree: Layer.act: ENUM(E) is for a member of the enum E, or a fixed array of those; this one has another type
// fixed: yes
#include "pytree.h"

typedef enum Activation { RELU, GELU } Activation;

#define PYTREE_ENUM Activation
#define PYTREE_CONSTANTS PYTREE_CONSTANT(RELU, "relu") PYTREE_CONSTANT(GELU, "gelu")
#include "pytree_registry.h"

#ifndef PYTREE_TEST_FIXED
typedef struct Layer { float act; } Layer;
#else
typedef struct Layer { Activation act; } Layer;
#endif

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, act, ENUM(Activation))
#include "pytree_registry.h"
