/* Static fields are metadata: part of the structure, not leaves, and unchanged by a map. */
#define PYTREE_IMPLEMENTATION
#include "../jax_pytrees/show.h"

typedef struct F32Array {
    pytree values;                                         /* any tree; here a tuple of numbers */
    int ndim, shape[2];
    const char *dtype;
} F32Array;

#define PYTREE_LEAF_TYPE F32Array
#include "pytree_registry.h"

#define PYTREE_STRUCT F32Array
#define PYTREE_NAMESPACE OPTREE_AUTOFORM_NAMESPACE
#define PYTREE_FIELDS                                      \
    PYTREE_FIELD(DATA, values)                             \
    PYTREE_FIELD(STATIC, ndim)                             \
    PYTREE_FIELD(STATIC, shape)                            \
    PYTREE_FIELD(STATIC, dtype)
#include "pytree_registry.h"

static const pytree_options autoform = { .space = "OPTREE_AUTOFORM_NAMESPACE" };

static pytree_status times_ten(void *context, const pytree_iter *at)
{
    (void)context;
    *(double *)at->out->data = 10 * pytree_leaf_get(at->leaf[0], 0);
    return PYTREE_OK;
}

/* Return whether two arrays have the same structure. */
static bool same_structure(pytree a, pytree b)
{
    pytree_error err = { 0 };
    pytree_def *def_a = pytree_structure(a, &autoform, &err), *def_b = pytree_structure(b, &autoform, &err);
    bool same = err.status == PYTREE_OK && pytree_def_equal(def_a, def_b);
    pytree_def_free(def_a);
    pytree_def_free(def_b);
    pytree_error_print(stdout, &err);
    return same;
}

int main(void)
{
    pytree_error err = { 0 };
    F32Array array = { PYTREE_TUPLE(PYTREE_FLOAT(1.0), PYTREE_FLOAT(2.0)), 1, { 2 }, "float32" };
    F32Array other = { array.values, 2, { 1, 2 }, "float32" };
    pytree in = PYTREE(&array), out = pytree_clone(in, &autoform, &err);

    printf("-- af-02: ten times each value; shape and dtype stay\n");
    if (out.data != NULL && pytree_map(times_ten, NULL, &out, 1, &in, &autoform, &err) == PYTREE_OK) {
        const F32Array *scaled = out.data;
        show_tree("array", in, &autoform);
        show_value("scaled.values", scaled->values);
        printf("scaled.shape=(%d,)\n", scaled->shape[0]);
        printf("scaled.dtype='%s'\n", scaled->dtype);
    }
    show_value("other_shape_same_structure", PYTREE_BOOL(same_structure(in, PYTREE(&other))));
    pytree_free(out);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
