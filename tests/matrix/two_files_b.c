/* The other file: registers the same structs, has no bodies. */
#include "model.h"
#include "two_files.h"

static float w0[12] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 }, b0[3] = { 1, 2, 3 };
static float w1[6] = { 1, 2, 3, 4, 5, 6 }, b1[2] = { 1, 2 };
static Linear layers[2] = { { 4, 3, w0, b0 }, { 3, 2, w1, b1 } };
static MLP model = { 2, layers, NULL, { { 1.0f, 2.0f, 3.0f }, { 4.0f, 5.0f, 6.0f } } };

pytree other_tree(void)
{
    return PYTREE(&model);
}

pytree_def *other_structure(pytree_error *err)
{
    return pytree_structure(PYTREE(&model), NULL, err);
}

const pytree_type *other_type(void)
{
    return PYTREE_TYPE(MLP);
}

int other_visits(pytree t, double *sum)
{
    pytree_iter it;
    int n = 0;
    if (pytree_iter_begin(&it, 1, &t, NULL, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            size_t i;
            for (i = 0; i < pytree_leaf_count(it.leaf[0]); i++) {
                *sum += pytree_leaf_get(it.leaf[0], i);
            }
            n++;
        }
    }
    pytree_iter_end(&it);
    return n;
}
