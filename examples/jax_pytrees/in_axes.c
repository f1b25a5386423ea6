/* in_axes: a tree with the batch axis of each argument. It is a prefix of the tree of arguments: a leaf of it applies to the
 * whole subtree of arguments. None is an entry like any other and means "not mapped". */
#define PYTREE_IMPLEMENTATION
#include "show.h"
#include "pytree/algebra.h"

enum { BATCH = 2, LEAVES = 3 };

/* Return element i along the first axis. */
static pytree_leaf slice(pytree_leaf leaf, size_t i)
{
    leaf.data = (char *)leaf.data + i * (pytree_leaf_bytes(&leaf) / leaf.shape[0]);
    leaf.ndim--;
    memmove(leaf.shape, leaf.shape + 1, (size_t)leaf.ndim * sizeof *leaf.shape);
    return leaf;
}

/* Print a shape as a tuple: (), (2,), (2, 3). */
static void print_shape(const pytree_leaf *leaf)
{
    printf("(");
    for (int i = 0; i < leaf->ndim; i++) {
        printf(i == 0 ? "%zu" : ", %zu", leaf->shape[i]);
    }
    printf(leaf->ndim == 1 ? ",)" : ")");
}

/* Print the axis of each leaf; then do as jax.vmap of the identity: split the arguments, stack the results. */
static void map_over(const char *text, pytree args)
{
    pytree_error err = { 0 };
    pytree_options none_is_an_entry = { .none_is_leaf = true };
    pytree in_axes = pytree_parse(text, NULL, &err);
    pytree_leaf *leaves = NULL, axes[LEAVES], parts[BATCH][LEAVES];
    pytree_def *def = NULL;

    show_value("in_axes", in_axes);
    if (pytree_flatten(args, &leaves, 0, &def, NULL, &err) == PYTREE_OK
        && pytree_broadcast_leaves(in_axes, def, axes, LEAVES, "in_axes", &none_is_an_entry, &err) == PYTREE_OK) {
        printf("axes_per_leaf=");
        print_leaves(LEAVES, axes);
        for (size_t i = 0; i < BATCH; i++) {
            for (size_t k = 0; k < LEAVES; k++) {
                parts[i][k] = axes[k].form == PYTREE_FORM_NONE ? leaves[k] : slice(leaves[k], i);
            }
        }
        printf("shapes=[");               /* as the mapped function sees it */
        for (size_t k = 0; k < LEAVES; k++) {
            printf(k == 0 ? "" : ", ");
            print_shape(&parts[0][k]);
        }
        printf("]\n");

        /* A structure with leaves is a tree: an element of the batch. */
        pytree_flat first = { def, parts[0] }, second = { def, parts[1] };
        pytree_flat out = pytree_stack(BATCH, (pytree[BATCH]){ PYTREE(&first), PYTREE(&second) }, NULL, &err);
        if (out.def != NULL) { show_value("out", PYTREE(&out)); }
        pytree_flat_free(&out);
    }
    pytree_def_free(def);
    pytree_free(in_axes);
    pytree_error_print(stdout, &err);
}

/* Return whether two trees of axes mean the same for every leaf. */
static bool same_axes(const char *a, const char *b, pytree args)
{
    pytree_error err = { 0 };
    pytree_options none_is_an_entry = { .none_is_leaf = true };
    pytree_def *def = pytree_structure(args, NULL, &err);
    pytree tree_a = pytree_parse(a, NULL, &err), tree_b = pytree_parse(b, NULL, &err);
    bool same = false;
    if (err.status == PYTREE_OK) {
        pytree_flat full_a = pytree_broadcast_prefix(tree_a, def, "a", &none_is_an_entry, &err);
        pytree_flat full_b = pytree_broadcast_prefix(tree_b, def, "b", &none_is_an_entry, &err);
        same = err.status == PYTREE_OK && pytree_equal(PYTREE(&full_a), PYTREE(&full_b), NULL, NULL, NULL);
        pytree_flat_free(&full_a);
        pytree_flat_free(&full_b);
    }
    pytree_free(tree_a);
    pytree_free(tree_b);
    pytree_def_free(def);
    pytree_error_print(stdout, &err);
    return same;
}

int main(void)
{
    float a1[2][3] = { { 0, 1, 2 }, { 3, 4, 5 } }, a2[2] = { 10, 20 }, a3[2][4] = { { 1, 2, 3, 4 }, { 5, 6, 7, 8 } };
    pytree args = PYTREE_TUPLE(PYTREE_ARRAY(a1[0], 2, 3),
                               PYTREE_DICT({ "k1", PYTREE_ARRAY(a2, 2) }, { "k2", PYTREE_ARRAY(a3[0], 2, 4) }));

    printf("-- jax-02, old-02: the tuple of arguments\n");
    show_tree("args", args, NULL);

    printf("-- jax-03, old-03: an axis for every leaf: only k2 is mapped\n");
    map_over("(None, {'k1': None, 'k2': 0})", args);

    printf("-- jax-04, old-04: a leaf for the whole dict: everything in it is mapped\n");
    map_over("(None, 0)", args);
    show_value("same", PYTREE_BOOL(same_axes("(None, 0)", "(None, {'k1': 0, 'k2': 0})", args)));

    printf("-- jax-05, old-05: a single leaf: everything is mapped\n");
    map_over("0", args);
    return 0;
}
