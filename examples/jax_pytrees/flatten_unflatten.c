/* Take a tree apart, change its leaves, put them back into the same structure. */
#define PYTREE_IMPLEMENTATION
#include "show.h"

int main(void)
{
    pytree_error err = { 0 };
    pytree value_structured = PYTREE_LIST(PYTREE_FLOAT(1.0), PYTREE_TUPLE(PYTREE_FLOAT(2.0), PYTREE_FLOAT(3.0)));
    pytree_leaf value_flat[3];
    pytree_leaf *leaves = value_flat;
    pytree_def *value_tree = NULL;

    printf("-- jax-07: flatten, double every leaf, rebuild\n");
    show_tree("value_structured", value_structured, NULL);

    /* The leaves in value_flat correspond to the `*` markers in value_tree. */
    if (pytree_flatten(value_structured, &leaves, 3, &value_tree, NULL, &err) == PYTREE_OK) {
        printf("value_flat=");
        print_leaves(3, value_flat);
        printf("value_tree=");
        pytree_def_print(stdout, value_tree, &err);

        /* Leaves are views of the numbers in place. To keep the numbers, the views are redirected to new ones. */
        double doubled[3];
        pytree_leaf transformed_flat[3];
        for (int i = 0; i < 3; i++) {
            doubled[i] = 2 * pytree_leaf_get(&value_flat[i], 0);
            transformed_flat[i] = value_flat[i];
            transformed_flat[i].data = &doubled[i];
        }
        printf("transformed_flat=");
        print_leaves(3, transformed_flat);

        /* Use the same structure with other leaves. */
        pytree transformed_structured = pytree_unflatten(value_tree, 3, transformed_flat, NULL, &err);
        show_value("transformed_structured", transformed_structured);
        pytree_free(transformed_structured);
    }
    pytree_def_free(value_tree);
    pytree_error_print(stderr, &err);
    return err.status != PYTREE_OK;
}
