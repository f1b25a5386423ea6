/* incomplete struct */
// both: Layer
// fixed: yes
#include "pytree.h"
typedef struct Layer Layer;
#ifdef PYTREE_TEST_FIXED
struct Layer { int n; };
#endif
#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"
