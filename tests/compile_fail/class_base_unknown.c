/* A class whose base does not exist.
 *
 * `PYTREE_CLASS(Foo, Module)` derives a class from a built-in one (Pytree, Module, List, Dict) or from one that was defined
 * before. */
// both: pytree_class_Modul
// fixed: yes
#include "pytree.h"
#include "pytree/object.h"

#ifdef PYTREE_TEST_FIXED
PYTREE_CLASS(Modul, Module);
#endif

PYTREE_CLASS(Foo, Modul);

int main(void)
{
    return pytree_class_Foo.size == 0;
}
