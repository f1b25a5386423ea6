/* Uses the model of model.h: builds one, looks at its structure and leaves, rebuilds it. 0 if all is as it should be. */
#ifndef USE_H
#define USE_H

static int use_model(void)
{
    static float w[2][12], b[2][4];
    Linear layers[2] = { { 4, 3, NULL, NULL }, { 3, 2, NULL, NULL } };
    MLP model = { 2, NULL, NULL, { { 0.0f } } };
    MLP other;
    pytree_error err = { PYTREE_OK, "", "" };
    pytree_leaf leaves[8];
    pytree_leaf *out = leaves;
    pytree_def *def = NULL;
    pytree_iter it;
    size_t n = 0;
    char text[256];
    int i;
    const char *expected = "PyTreeDef(CustomNode(MLP[(2,)], [[CustomNode(Linear[(4, 3)], [*, *]), "
                           "CustomNode(Linear[(3, 2)], [*, *])], None, *]))";
    for (i = 0; i < 2; i++) {
        layers[i].w = w[i];
        layers[i].b = b[i];
    }
    model.layers = layers;
    if (pytree_flatten(PYTREE(&model), &out, 8, &def, NULL, &err) != PYTREE_OK) {
        pytree_error_print(stderr, &err);
        return 1;
    }
    if (pytree_def_num_leaves(def) != 5 || leaves[0].data != w[0] || leaves[3].data != b[1] || leaves[4].ndim != 2) {
        return 2;
    }
    if (pytree_def_text(def, text, sizeof text) != strlen(expected) || strcmp(text, expected) != 0) {
        fprintf(stderr, "%s\n", text);
        return 3;
    }
    if (pytree_iter_begin(&it, 1, (pytree[]){ PYTREE(&model) }, NULL, &err) == PYTREE_OK) {
        while (pytree_iter_next(&it)) {
            n += pytree_leaf_count(it.leaf[0]);
        }
    }
    pytree_iter_end(&it);
    if (it.status != PYTREE_OK || n != 12 + 3 + 6 + 2 + 6) {
        return 4;
    }
    other = model;
    if (pytree_unflatten_into(def, 5, leaves, PYTREE(&other), NULL, &err) != PYTREE_OK
        || !pytree_equal(PYTREE(&model), PYTREE(&other), NULL, NULL, &err)) {
        pytree_error_print(stderr, &err);
        return 5;
    }
    pytree_def_free(def);
    return 0;
}

#endif
