/* A role whose base does not exist.
 *
 * `PYTREE_ROLE(Frozen, Param)` derives a role from a built-in one of `pytree/filter.h`, or from one that was defined before. */
// both: pytree_role_Parameter
// fixed: yes
#include "pytree.h"
#include "pytree/filter.h"

#ifdef PYTREE_TEST_FIXED
PYTREE_ROLE(Parameter, Param);
#endif

PYTREE_ROLE(Frozen, Parameter);

int main(void)
{
    return pytree_role_Frozen.size == 0;
}
