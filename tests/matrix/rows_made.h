/* What the C file of trees with every row gives the C++ file. */
#ifndef ROWS_MADE_H
#define ROWS_MADE_H

#include "pytree.h"

#ifdef __cplusplus
extern "C" {
#endif

size_t rows_made_count(void);
pytree rows_made(size_t i, const char **name);              /* tree number i, in static memory */
size_t rows_made_types(const pytree_type *const **types);
int rows_made_handles(void);                                /* how many handles of clones live */

#ifdef __cplusplus
}
#endif

#endif
