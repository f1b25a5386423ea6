/* pytree.h, then the registry; the bodies come at the first include. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
#include "model.h"
#include "use.h"

int main(void)
{
    return use_model();
}
