/* The C file of the program: the bodies of the library, descriptors and trees of C. */
#define PYTREE_IMPLEMENTATION
#define STB_DS_IMPLEMENTATION
#include "model.h"

const pytree_type *const *c_model_types(void) { return model_types; }
const pytree_type *const *c_every_types(void) { return every_types; }

pytree c_every_tree(size_t i)
{
    const char *name;
    return every_tree(i, &name);
}

pytree c_linear(void)
{
    static float w[6] = { 1, 2, 3, 4, 5, 6 }, b[3] = { 7, 8, 9 };
    Linear linear = { 2, 3, w, b };
    return pytree_clone(PYTREE(&linear), NULL, NULL);
}
