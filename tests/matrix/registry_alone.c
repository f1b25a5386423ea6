/* pytree_registry.h brings pytree.h. */
typedef struct Pair {
    double a, b;
} Pair;

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#if defined(WITH_BODIES)
#define PYTREE_IMPLEMENTATION
#endif
#include "pytree_registry.h"

int main(void)
{
    return PYTREE_TYPE(Pair)->n_children == 2 ? 0 : 1;
}
