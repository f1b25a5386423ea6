/* odd_nodes.h: custom nodes without children, which show little.
 *
 *     #include "support.h"         // first
 *     #include "odd_nodes.h"
 */
#ifndef ODD_NODES_H
#define ODD_NODES_H

#include "support.h"

typedef struct Empty { int n; } Empty;                /* without metadata */
typedef struct Mark { unsigned char n; } Mark;        /* with metadata that have no words */

static inline size_t no_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)self;
    (void)children;
    (void)keys;
    return 0;
}

static inline size_t mark_metadata(const void *self, void *to)
{
    if (to != NULL) { memcpy(to, self, sizeof(Mark)); }
    return sizeof(Mark);
}

static const pytree_custom empty_callbacks = { .children = no_children };
static const pytree_custom mark_callbacks = { .children = no_children, .metadata = mark_metadata };
#define PYTREE_STRUCT Empty
#define PYTREE_CUSTOM empty_callbacks
#include "pytree_registry.h"
#define PYTREE_STRUCT Mark
#define PYTREE_CUSTOM mark_callbacks
#include "pytree_registry.h"

#endif
