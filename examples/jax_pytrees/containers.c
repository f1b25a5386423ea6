/* The built-in containers: tuple, list, dict, None, namedtuple. Numbers and arrays are leaves. */
#define PYTREE_IMPLEMENTATION
#include "show.h"

int main(void)
{
    float zeros[2] = { 0 };
    pytree example_containers[6] = {
        PYTREE_TUPLE(PYTREE_FLOAT(1.0), PYTREE_LIST(PYTREE_FLOAT(2.0), PYTREE_FLOAT(3.0))),
        PYTREE_TUPLE(PYTREE_FLOAT(1.0), PYTREE_DICT({ "b", PYTREE_FLOAT(2.0) }, { "a", PYTREE_FLOAT(3.0) })),
        PYTREE_FLOAT(1.0),
        PYTREE_NONE,
        PYTREE_ARRAY(zeros, 2),
        PYTREE_NAMEDTUPLE("Point", { "x", PYTREE_FLOAT(1.0) }, { "y", PYTREE_FLOAT(2.0) }),
    };

    printf("-- jax-08: each container flattened and rebuilt\n");
    for (int i = 0; i < 6; i++) { show_example(example_containers[i], NULL); }

    /* The leaves of a dict are in the order of its keys; a rebuilt dict keeps its insertion order, as in optree. */
    for (int i = 0; i < 6; i++) {
        char name[3] = { 'e', (char)('0' + i) };
        show_tree(name, example_containers[i], NULL);
    }
    return 0;
}
