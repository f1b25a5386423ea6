/* The registration, and the bodies of the library: in C, so that any version of CUDA's compiler will do. */
#define PYTREE_IMPLEMENTATION
#include "model.h"

#define PYTREE_STRUCT Model
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, inputs) PYTREE_FIELD(STATIC, outputs)                                                          \
    PYTREE_FIELD(DATA, w, ARRAY(self->inputs, self->outputs)) PYTREE_FIELD(DATA, b, ARRAY(self->outputs))
#include "pytree_registry.h"

pytree model_tree(Model *model) { return PYTREE(model); }
