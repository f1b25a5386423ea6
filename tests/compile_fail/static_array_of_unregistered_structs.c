/* A STATIC array of structs that are not registered.
 *
 * Its bytes would be compared with their padding. Register the struct with STATIC rows first. */
// both: pytree: Model.sizes: its type is not registered; register it before this struct (PYTREE_STRUCT, PYTREE_LEAF_TYPE),
// fixed: yes
#include "pytree.h"

typedef struct Size { char kind; int n; } Size;
#ifdef PYTREE_TEST_FIXED
#define PYTREE_STRUCT Size
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, n)
#include "pytree_registry.h"
#endif

typedef struct Model { Size sizes[2]; float scale; } Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, sizes) PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"
