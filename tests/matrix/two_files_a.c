/* One of two files that register the same structs: this one has the bodies, and checks that both sides mean the same. */
#define PYTREE_IMPLEMENTATION
#include "two_files.h"
#include "model.h"
#include "use.h"

static pytree_status add(void *context, const pytree_iter *at)
{
    float *to = at->leaf[0]->data;
    const float *from = at->leaf[1]->data;
    size_t i, n = pytree_leaf_count(at->leaf[0]);
    (void)context;
    for (i = 0; i < n; i++) {
        to[i] += from[i];
    }
    return PYTREE_OK;
}

int main(void)
{
    pytree_error err = { PYTREE_OK, "", "" };
    pytree theirs = other_tree(), copy;
    Linear layers[2] = { { 4, 3, NULL, NULL }, { 3, 2, NULL, NULL } };
    MLP model = { 2, NULL, NULL, { { 1.0f, 2.0f, 3.0f }, { 4.0f, 5.0f, 6.0f } } };
    pytree mine = PYTREE(&model);
    pytree_def *def, *their_def;
    pytree_leaf leaves[8];
    size_t n = 0;
    double sum = 0.0;
    model.layers = layers;
    if (use_model() != 0) {
        return 1;
    }
    if (mine.type == theirs.type || !pytree_type_equal(mine.type, theirs.type) || other_type() != theirs.type) {
        return 2;                             /* two descriptors, one type */
    }
    if (pytree_allocate(mine, NULL, &err) != PYTREE_OK) {
        pytree_error_print(stderr, &err);
        return 3;
    }
    def = pytree_structure(mine, NULL, &err);
    their_def = other_structure(&err);
    if (def == NULL || their_def == NULL || !pytree_def_equal(def, their_def)
        || pytree_def_hash(def) != pytree_def_hash(their_def)) {
        return 4;
    }
    if (pytree_copy_into(mine, theirs, NULL, &err) != PYTREE_OK || !pytree_equal(mine, theirs, NULL, NULL, &err)) {
        pytree_error_print(stderr, &err);
        return 5;
    }
    if (pytree_map(add, NULL, NULL, 2, (pytree[2]){ mine, theirs }, NULL, &err) != PYTREE_OK
        || other_visits(mine, &sum) != 5 || sum != 2.0 * (78.0 + 6.0 + 21.0 + 3.0 + 21.0)) {
        pytree_error_print(stderr, &err);
        return 6;
    }
    /* their leaves under my treedef, in my struct */
    if (pytree_leaves(theirs, leaves, 8, &n, NULL, &err) != PYTREE_OK || n != 5) {
        return 7;
    }
    copy = pytree_unflatten(def, n, leaves, NULL, &err);
    if (copy.data == NULL || !pytree_equal(copy, theirs, NULL, NULL, &err)) {
        pytree_error_print(stderr, &err);
        return 8;
    }
    pytree_free(copy);
    pytree_free(mine);
    pytree_def_free(def);
    pytree_def_free(their_def);
    return 0;
}
