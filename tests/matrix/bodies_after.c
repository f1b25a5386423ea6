/* The bodies come after their use. */
#include "pytree.h"
#include "model.h"
#include "use.h"

int main(void)
{
    return use_model();
}

#define PYTREE_IMPLEMENTATION
#include "pytree.h"
