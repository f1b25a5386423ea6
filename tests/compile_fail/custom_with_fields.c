/* Fields for a custom node.
 *
 * The callbacks return the children of a custom node. A struct whose fields are its children needs no callbacks. */
// both: pytree_registry.h: PYTREE_CUSTOM goes with PYTREE_STRUCT, in place of PYTREE_FIELDS: its callbacks say what the
// both: children are.
// fixed: yes
#include "pytree.h"

typedef struct Box { pytree item; } Box;
static size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Box *)self)->item; }
    return 1;
}
static const pytree_custom box_callbacks = { .children = box_children };

#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#ifndef PYTREE_TEST_FIXED
#define PYTREE_FIELDS PYTREE_FIELD(DATA, item)
#endif
#include "pytree_registry.h"

const pytree_type *used(void) { return PYTREE_TYPE(Box); }
