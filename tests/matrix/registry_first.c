/* The registry, then pytree.h; the bodies come with the registry's include. */
#define PYTREE_IMPLEMENTATION
#include "model.h"
#include "pytree.h"
#include "use.h"

int main(void)
{
    return use_model();
}
