/* A model, registered in every file that includes this. The includer has included pytree.h, or leaves it to the registry. */
#ifndef MODEL_H
#define MODEL_H

#include <stddef.h>

typedef struct Linear {
    int din, dout;
    float *w, *b;
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din)                                                                                           \
    PYTREE_FIELD(STATIC, dout)                                                                                          \
    PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))                                                                 \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct MLP {
    size_t n_layers;
    Linear *layers;
    Linear *head;
    float scale[2][3];
} MLP;

#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_layers)                                                                                      \
    PYTREE_FIELD(DATA, layers, LIST(self->n_layers))                                                                    \
    PYTREE_FIELD(DATA, head, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

#endif
