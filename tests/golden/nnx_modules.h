/* nnx_modules.h: what the programs share that have modules of golden/seeds/nnx.jsonl as objects. */
#ifndef NNX_MODULES_H
#define NNX_MODULES_H

#include "nnx_objects.h"
#include "nnx_checks.h"
#include "pytree/graph.h"
#include "pytree/record.h"

static inline const cJSON *in(const Golden *g, const char *name) { return golden_at(golden_at(g->json, "inputs"), name); }
static inline const cJSON *out(const Golden *g, const char *name) { return golden_at(golden_at(g->json, "outputs"), name); }
static inline bool ends(const Golden *g, const char *id) { return strcmp(g->id + strlen("nnx."), id) == 0; }

/* The numbers of an array: an attribute, or the value of a variable that is one. */
static inline float *numbers_of(pytree m, const char *name)
{
    const pytree at = pytree_object_get(m, name, NULL), value = pytree_variable_value(at);
    const pytree array = value.type == NULL ? at : value;
    return array.type->kind == PYTREE_KIND_VIEW ? ((const pytree_leaf *)array.data)->data : array.data;
}

static inline float sum_of(const float *numbers, size_t n)
{
    float sum = 0;
    while (n != 0) { sum += numbers[--n]; }
    return sum;
}

static inline void check_float(NnxValues *v, const char *name, float got)
{
    nnx_check(v, name, out(v->g, name), PYTREE_SCALAR(&got));
}

/* Part of a gradient. */
static inline void check_gradient(NnxValues *v, const char *name, pytree grads, pytree_filter filter)
{
    pytree_flat state = pytree_state(grads, filter, NULL, &v->error);
    nnx_check(v, name, out(v->g, name), PYTREE(&state));
    pytree_flat_free(&state);
}

/* A copy whose arrays are the model's: split and merge. */
static inline pytree with_the_same_arrays(NnxValues *v, pytree m, pytree_def **graphdef, pytree_flat *state)
{
    pytree_split(m, 0, NULL, graphdef, state, NULL, &v->error);
    return pytree_merge(*graphdef, 1, (pytree[1]){ PYTREE(state) }, NULL, &v->error);
}
#endif
