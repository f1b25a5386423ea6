/* What the two files of this program give each other. */
#ifndef TWO_FILES_H
#define TWO_FILES_H

#include "pytree.h"

#ifdef __cplusplus
extern "C" {
#endif

pytree other_tree(void);                    /* a model that lives in the other file, by that file's descriptor */
pytree_def *other_structure(pytree_error *err);
const pytree_type *other_type(void);
int other_visits(pytree t, double *sum);    /* walks a tree by the other file's code */
pytree other_rows(void);                    /* a struct with the rows of docs/rows.md, without memory for its arrays */
int other_handles(void);                    /* how many of its handles live */

#ifdef __cplusplus
}
#endif

#endif
