/* Everything included twice, the macro for the bodies defined all the while. */
#define PYTREE_IMPLEMENTATION
#include "pytree.h"
#include "pytree.h"
#include "model.h"
#include "model.h"
#include "pytree.h"
#include "use.h"

int main(void)
{
    return use_model();
}
