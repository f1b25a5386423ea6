/* in_axes: a tree with the batch axis of each argument. It is a prefix of the tree of arguments: a leaf of it applies to the
 * whole subtree of arguments. None is an entry like any other and means "not mapped". */
#define PYTREE_IMPLEMENTATION
#include "show.h"
#include "pytree/transform.h"

enum { LEAVES = 3 };

/* Print a shape as a tuple: (), (2,), (2, 3). */
static void print_shape(const pytree_leaf *leaf)
{
    printf("(");
    for (int i = 0; i < leaf->ndim; i++) {
        printf(i == 0 ? "%zu" : ", %zu", leaf->shape[i]);
    }
    printf(leaf->ndim == 1 ? ",)" : ")");
}

/* The mapped function: the identity. Prints the shapes that it sees in its first call. */
static pytree_status same(void *context, const pytree_call *at)
{
    (void)context;
    if (at->index == 0) {
        printf("shapes=[");
        for (size_t k = 0; k < at->n_in; k++) {
            printf(k == 0 ? "" : ", ");
            print_shape(&at->in[k]);
        }
        printf("]\n");
    }
    return pytree_copy_into(at->result, at->all, at->opt, at->err);
}

static pytree_status same_shape(void *context, const pytree_call *at)
{
    (void)context;
    return pytree_result_like(at, at->all);
}

static const pytree_fn identity = { .name = "identity", .call = same, .shape = same_shape };

/* Print the axis of each leaf, and map the identity along these axes. */
static void map_over(const char *text, size_t n, const pytree *args)
{
    pytree_error err = { 0 };
    pytree_options none_is_an_entry = { .none_is_leaf = true };
    pytree in_axes = pytree_parse(text, NULL, &err);
    pytree_items all = { .count = n, .items = args };
    pytree tuple = { PYTREE_TUPLE().type, &all };
    pytree_def *def = pytree_structure(tuple, NULL, &err);
    pytree_leaf axes[LEAVES];

    show_value("in_axes", in_axes);
    if (def != NULL && pytree_broadcast_leaves(in_axes, def, axes, LEAVES, "in_axes", &none_is_an_entry, &err) == PYTREE_OK) {
        printf("axes_per_leaf=");
        print_leaves(LEAVES, axes);
    }
    pytree_flat out = pytree_apply_new(PYTREE_VMAP(&identity, .in_axes = in_axes), n, args, NULL, &err);
    if (out.def != NULL) { show_value("out", PYTREE(&out)); }
    pytree_flat_free(&out);
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
    pytree args[2] = { PYTREE_ARRAY(a1[0], 2, 3),
                       PYTREE_DICT({ "k1", PYTREE_ARRAY(a2, 2) }, { "k2", PYTREE_ARRAY(a3[0], 2, 4) }) };
    pytree tuple = PYTREE_TUPLE(args[0], args[1]);

    printf("-- jax-02, old-02: the tuple of arguments\n");
    show_tree("args", tuple, NULL);

    printf("-- jax-03, old-03: an axis for every leaf: only k2 is mapped\n");
    map_over("(None, {'k1': None, 'k2': 0})", 2, args);

    printf("-- jax-04, old-04: a leaf for the whole dict: everything in it is mapped\n");
    map_over("(None, 0)", 2, args);
    show_value("same", PYTREE_BOOL(same_axes("(None, 0)", "(None, {'k1': 0, 'k2': 0})", tuple)));

    printf("-- jax-05, old-05: a single leaf: everything is mapped\n");
    map_over("0", 2, args);
    return 0;
}
