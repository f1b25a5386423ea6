/* A pytree is a container-like structure of containers and leaves, nested to any depth. */
#define PYTREE_IMPLEMENTATION
#include "show.h"

/* A type that is not a container: it is one leaf, whatever it contains. */
typedef struct Object { int anything; } Object;

static int object_repr(FILE *file, const void *value)
{
    (void)value;
    return fprintf(file, "<Object>");
}

#define PYTREE_LEAF_TYPE Object
#define PYTREE_PRINT object_repr
#include "pytree_registry.h"

static void print_structure(pytree tree)
{
    pytree_error err = { 0 };
    pytree_def *def = pytree_structure(tree, NULL, &err);
    if (def != NULL) { pytree_def_print(stdout, def, &err); }
    pytree_def_free(def);
    pytree_error_print(stdout, &err);
}

int main(void)
{
    Object object = { 0 };

    printf("-- jax-01, old-01: three trees, with 3, 3 and 5 leaves\n");
    show_tree("t1", PYTREE_LIST(PYTREE_INT(1), PYTREE_STR("a"), PYTREE(&object)), NULL);
    show_tree("t2", PYTREE_TUPLE(PYTREE_INT(1), PYTREE_TUPLE(PYTREE_INT(2), PYTREE_INT(3)), PYTREE_TUPLE()), NULL);
    show_tree("t3", PYTREE_LIST(PYTREE_INT(1),
                                PYTREE_DICT({ "k1", PYTREE_INT(2) }, { "k2", PYTREE_TUPLE(PYTREE_INT(3), PYTREE_INT(4)) }),
                                PYTREE_INT(5)), NULL);

    printf("-- jax-06: the structure of anything; None is a node without children, no leaf\n");
    print_structure(PYTREE(&object));
    print_structure(PYTREE_TUPLE(PYTREE_NONE, PYTREE_LIST(PYTREE_INT(1), PYTREE_DICT({ "a", PYTREE_INT(2) })), PYTREE_TUPLE()));
    return 0;
}
