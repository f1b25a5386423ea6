/* A linear model, for the C file that registers it and the CUDA file that trains it. */
#ifndef ADAMW_MODEL_H
#define ADAMW_MODEL_H

#include "pytree.h"

typedef struct Model {
    int    inputs, outputs;
    float *w, *b;
} Model;

#ifdef __cplusplus
extern "C"
#endif
pytree model_tree(Model *model);
#endif
