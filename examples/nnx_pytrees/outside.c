/* outside.c: objects that are leaves, and nodes only in a namespace: no checks. Blocks 21 and 25. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "pytree/object.h"
#include "show.h"

PYTREE_CLASS_IN(Foo, nnx);

static pytree_status twice(void *context, const pytree_iter *at)
{
    (void)context;
    *(int32_t *)at->leaf[0]->data *= 2;
    return PYTREE_OK;
}

static void block(pytree_error *err)
{
    const pytree_options nnx = { .space = "nnx" };
    int32_t numbers[3] = { 1, 2, 3 };
    pytree_leaf scalar[3];
    pytree foo = pytree_new_object(&pytree_class_Foo, NULL, err);
    pytree_flat state;
    pytree_def *def;
    for (int i = 0; i < 3; i++) { scalar[i] = (pytree_leaf){ .data = &numbers[i], .type = PYTREE_TYPE(int32_t) }; }
    pytree_object_put_copy(foo, "a", PYTREE_LIST(pytree_of_view(&scalar[0]), pytree_of_view(&scalar[1])), err);
    pytree_object_put_copy(foo, "b", PYTREE_STR("hello"), err);
    pytree_object_put_copy(foo, "b", pytree_of_view(&scalar[2]), err);

    pytree_map(twice, NULL, NULL, 1, &foo, &nnx, err);
    state = pytree_state(foo, PYTREE_EVERYTHING, &nnx, err);
    printf(" nnx.state(foo) = ");
    if (state.def != NULL) { pytree_state_print(stdout, PYTREE(&state), NULL, err); }
    def = pytree_structure(foo, NULL, err);
    printf(" jax.tree_util.all_leaves([foo]) = %s\n", truth(def != NULL && pytree_def_kind(def) == PYTREE_KIND_LEAF));
    pytree_def_free(def);
    pytree_flat_free(&state);
    pytree_container_free(foo);
}

int main(void)
{
    pytree_error err = { 0 };
    block(&err);                          /* a class that is not registered as a tree, */
    block(&err);                          /* and nnx.Object, which is the same in C */
    return finish(&err);
}
