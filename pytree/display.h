/* pytree/display.h: trees, states and models as Flax NNX shows them: arrays with their values, sizes by role, tables.
 *
 *     pytree_display(stdout, PYTREE(&model), NULL, &err);           // Linear( # Param: 9 (36 B)
 *                                                                   //   din=2,
 *                                                                   //   kernel=Param( # 6 (24 B)
 *                                                                   //     value=Array(shape=(2, 3), dtype=dtype('float32'))
 *     pytree_state_print(stdout, PYTREE(&state), NULL, &err);       // State({
 *                                                                   //   'kernel': Param( # 6 (24 B)
 *                                                                   //     value=Array([[0., 0., 0.], ...
 *
 * Arrays have NumPy's text: as many digits as are needed, points below one another, an exponent where the numbers are large,
 * small or differ much, and only the ends of axes beyond 1,000 elements. A bool, int64_t, double or string without dimensions
 * is written as the value of Python that it is: 3, 0.5, 'relu'.
 *
 * Functions that write to a file end with the end of a line and fail with PYTREE_IO if that fails; _text functions work like
 * snprintf: they write at most n bytes with the NUL and return the length without it; SIZE_MAX on error, and the text is empty.
 * The tree is checked before anything is written. Sizes count every byte of every leaf. The rules of pytree.h hold. Nothing
 * recurses.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "state.h"                        /* places, by which sizes are counted */

#ifndef PYTREE_DISPLAY_H
#define PYTREE_DISPLAY_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Arrays and sizes ---------------------------------------------------------------------------------------------- */

/* Write an array as JAX does: "Array([[1., 2.],\n       [3., 4.]], dtype=float32)". Works like snprintf. A leaf
 * without numbers is written as pytree_display does. No allocation. */
size_t pytree_array_text(const pytree_leaf *array, char *text, size_t n);

/* Write a number of elements and of bytes as Flax does: "5,790 (23.2 KB)". A kilobyte has 1,000 bytes. Works like snprintf. */
size_t pytree_size_text(uint64_t elements, uint64_t bytes, char *text, size_t n);

/* ---- Trees --------------------------------------------------------------------------------------------------------- */

/* Write a state: repr(nnx.State). A dict is written over several lines, and so is a value with a role; its number of elements
 * and bytes stands beside its role. Any tree will do; one that is no dict is written as pytree_display does. O(text). */
pytree_status pytree_state_print(FILE *file, pytree state, const pytree_options *opt, pytree_error *err);
size_t pytree_state_text(pytree state, char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* Write a model: repr(nnx.Module). A struct is written with its static and data fields, and with its elements and bytes by
 * role; values without a role are not counted. An array of several elements is written as shape and type, except in a list.
 * Static fields and attributes whose names begin with _ are left out, and so are DROP rows. A struct that two pointers lead to
 * is written once, and then as Name(...); what is shared is counted once, and cycles end. Where one memory has several extents
 * or roles, all is shown as a tree. The attributes of objects (pytree/object.h) are shown by sorted name, and metadata of
 * variables is left out. O(text). */
pytree_status pytree_display(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);
size_t pytree_display_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* ---- Tables -------------------------------------------------------------------------------------------------------- */

/* The calls of a model's parts, for a table: what went in, what came out. A forward function notes its call before it calls
 * others; `table` is NULL when there is none:
 *
 *     void block(Block *b, const float *x, float *y, pytree_table *table)
 *     {
 *         pytree_table_call(table, PYTREE(b), PYTREE_ARRAY(x, 32, 128), PYTREE_ARRAY(y, 32, 10), &err);
 *         linear(&b->linear, x, y, table);
 *     } */
typedef struct pytree_table pytree_table;

/* Make an empty table, to be freed with pytree_table_free; NULL on error. The options give the allocator. */
pytree_table *pytree_table_new(const pytree_options *opt, pytree_error *err);
void pytree_table_free(pytree_table *table);              /* NULL is allowed */

/* Note a call: a struct or an object, what it is given and what it gives, as trees. Only types and shapes are read, and kept as
 * text. Several arguments are a tuple; an empty one is nothing. Returns PYTREE_OK; with a NULL table nothing happens.
 * O(nodes). */
pytree_status pytree_table_call(pytree_table *table, pytree module, pytree inputs, pytree outputs, pytree_error *err);

/* Write the table of a model: nnx.tabulate. It has a row for each call, in the order of the calls: path, type, inputs, outputs
 * in YAML, and for each role the arrays of that node with the size of all that is in it; at the end the totals. `table` is NULL
 * if there were no calls; with a depth above 0, calls of nodes below it are left out. What is shared stands at its first path
 * and is counted once. RngKey and RngCount are one column, RngState; values without a role and metadata of variables are left
 * out. A call of what is not in the tree is PYTREE_NOT_FOUND. The lines are as long as the table is wide, in UTF-8.
 * O(calls * (nodes + values)). */
pytree_status pytree_tabulate(FILE *file, pytree t, const pytree_table *table, size_t depth, const pytree_options *opt,
                              pytree_error *err);
size_t pytree_tabulate_text(pytree t, const pytree_table *table, size_t depth, char *text, size_t n, const pytree_options *opt,
                            pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_DISPLAY_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/display_array.h"      /* the first of its rooms; each includes the next */
#endif
