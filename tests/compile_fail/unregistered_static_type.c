/* A STATIC struct whose type is not registered. */
// both: pytree: Layer.range: its type is not registered
// fixed: yes
#include "pytree.h"

typedef struct Range { double low, high; } Range;
typedef struct Layer { Range range; } Layer;

#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Range
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, low) PYTREE_FIELD(STATIC, high)
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, range)
#include "pytree_registry.h"
