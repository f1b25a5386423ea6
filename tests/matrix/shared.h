/* A struct with a second list of fields in a namespace, a type that is a node only there, and a custom node: registered in each
 * file that includes this, in the order that the file chooses. */
#ifndef SHARED_H
#define SHARED_H

#include "pytree.h"

typedef struct Layer {
    int n;
    float *w;
    double scale;
} Layer;

typedef struct Handle {
    int number;
} Handle;

typedef struct Ring {                       /* `n` numbers from `first` on, which goes round */
    int n, first;
    double value[4];
} Ring;

#define PYTREE_STRUCT Layer
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"

#if defined(NAMESPACES_BACKWARDS)
#define PYTREE_STRUCT Handle
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"
#endif

#define PYTREE_STRUCT Layer
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, w, ARRAY(self->n)) PYTREE_FIELD(STATIC, scale)
#include "pytree_registry.h"

#if !defined(NAMESPACES_BACKWARDS)
#define PYTREE_STRUCT Handle
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"
#endif

static size_t ring_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Ring *ring = (const Ring *)self;
    int i;
    for (i = 0; children != NULL && i < ring->n; i++) {
        children[i] = PYTREE(&ring->value[(ring->first + i) % 4]);
        keys[i].kind = PYTREE_INT_KEY;
        keys[i].name = NULL;
        keys[i].index = (size_t)i;
    }
    return (size_t)ring->n;
}

static size_t ring_metadata(const void *self, void *to)
{
    if (to != NULL) { *(unsigned char *)to = (unsigned char)((const Ring *)self)->first; }
    return 1;
}

static pytree_status ring_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    Ring *ring = (Ring *)self;
    size_t i;
    (void)bytes;
    ring->first = *(const unsigned char *)metadata;
    ring->n = (int)n;
    for (i = 0; i < n; i++) {
        pytree_leaf leaf;
        pytree_status status = pytree_leaves(children[i], &leaf, 1, NULL, NULL, NULL);
        if (status != PYTREE_OK) { return status; }
        ring->value[((size_t)ring->first + i) % 4] = *(const double *)leaf.data;
    }
    return PYTREE_OK;
}

static const pytree_custom ring_callbacks = {
    .children = ring_children, .keyed = true, .metadata = ring_metadata, .rebuild = ring_rebuild
};

#define PYTREE_STRUCT Ring
#define PYTREE_CUSTOM ring_callbacks
#include "pytree_registry.h"

typedef struct Model {
    Layer layer;
    Handle handle;
    Ring ring, *spare;
} Model;

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, layer)                                                                                           \
    PYTREE_FIELD(DATA, handle)                                                                                          \
    PYTREE_FIELD(DATA, ring)                                                                                            \
    PYTREE_FIELD(DATA, spare, OPTIONAL)
#include "pytree_registry.h"

pytree shared_tree(void);                   /* the other file's model, by its descriptors */
pytree_def *shared_structure(pytree t, const pytree_options *opt, pytree_error *err);     /* by the other file's code */
int shared_sum(pytree t, const pytree_options *opt, double *sum);                         /* leaves that are numbers */

#endif
