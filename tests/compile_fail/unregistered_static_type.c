/* A STATIC struct that is not registered.
 *
 * Static values are compared field by field, without padding, so their fields must be registered. */
// both: pytree: Layer.range: its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE),
// both: or list the field as DROP
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
