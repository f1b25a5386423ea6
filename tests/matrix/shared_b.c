/* The other file: its registrations in another order, its own copies of the callbacks. */
#define NAMESPACES_BACKWARDS
#include "shared.h"

static float w[2] = { 1, 2 };
static Ring spare = { 1, 3, { 0, 0, 0, 8 } };
static Model model = { { 2, w, 0.5 }, { 4 }, { 3, 2, { 32, 0, 8, 16 } }, &spare };

pytree shared_tree(void)
{
    return PYTREE(&model);
}

pytree_def *shared_structure(pytree t, const pytree_options *opt, pytree_error *err)
{
    return pytree_structure(t, opt, err);
}

int shared_sum(pytree t, const pytree_options *opt, double *sum)
{
    pytree_iter it;
    int n = 0;
    *sum = 0;
    if (pytree_iter_begin(&it, 1, &t, opt, NULL) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            size_t i;
            n++;
            for (i = 0; it.leaf[0]->type->dtype != PYTREE_OPAQUE && i < pytree_leaf_count(it.leaf[0]); i++) {
                *sum += pytree_leaf_get(it.leaf[0], i);
            }
        }
    }
    pytree_iter_end(&it);
    return n;
}
