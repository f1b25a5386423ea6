/* Trees with every row, for a program in C++, and the bodies. */
#define PYTREE_IMPLEMENTATION
#include "../registration/rows_every.h"
#include "rows_made.h"
#include "pytree/treedef_io.h"

size_t rows_made_count(void)
{
    return EVERY_TREES;
}

pytree rows_made(size_t i, const char **name)
{
    return every_tree(i, name);
}

size_t rows_made_types(const pytree_type *const **types)
{
    *types = every_types;
    return EVERY_TYPES;
}

int rows_made_handles(void)
{
    return every_handles;
}
