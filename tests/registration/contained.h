/* contained.h: are the leaves of a struct found at once? The library notes that when it first looks into one. */
#ifndef CONTAINED_H
#define CONTAINED_H

#include "support.h"

/* It looks into one whose members are zero. */
static inline bool is_contained(const pytree_type *type)
{
    static const union { long double wide; char bytes[512]; } zeros;
    pytree_leaf views[16];
    assert_in_range(type->size, 1, sizeof zeros);
    (void)pytree__views(type, &zeros, views, views + COUNT_OF(views), PYTREE__OF_LEAVES);
    return type->self_contained || (type->noted->rows & PYTREE__ROWS_CONTAINED) != 0;
}

#endif
