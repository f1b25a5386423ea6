/* pytree/layout.h: trees, treedefs and types as JSON: what a binding to another language needs.
 *
 *     size_t n = pytree_layout_text(PYTREE(&model), NULL, 0, NULL, &err);     // {"format":1,…,"types":[…],"nodes":[…]}
 *
 * A program in another language that opens the C library reads this instead of keeping a copy of each struct by hand: names,
 * types, offsets, shapes with their values, static fields, roles. python/ does so: it shows a tree of C as NumPy arrays over
 * the same memory, without a compiler. A shared library exports a function for each tree, and those of this header:
 *
 *     pytree simulation(void);             // returns PYTREE(&state)
 *
 * A text is one JSON object, of which `nodes` is left out for a type:
 *
 *     {"format":1, "version":"0.2.0", "none_is_leaf":false, "space":null,
 *      "types":[{"name":"Linear", "kind":"struct", "size":24, "align":8, "fields":[
 *                   {"name":"din", "row":"static", "type":1, "offset":0, "size":4, "form":"leaf"},
 *                   {"name":"w", "row":"data", "type":2, "offset":8, "size":8, "place":"pointer", "form":"leaf", "ndim":2,
 *                    "written":"ARRAY(self->din, self->dout)", "role":["Param","Variable"]}]},
 *               {"name":"int", "kind":"leaf", "size":4, "align":4, "dtype":"i32"}, …],
 *      "nodes":[{"type":2, "shape":[784,128], "address":94000000000064},
 *               {"type":0, "children":1, "statics":[784]}]}
 *
 * Nodes are in post-order, the root last, as in a treedef; docs/python.md describes every member. The same tree gives the same
 * text but for the addresses. Nothing recurses over the tree. A byte that is not UTF-8 is written as a lone surrogate, \udc80
 * to \udcff, as Python's surrogateescape reads and writes it. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"
#include "filter.h"                       /* roles */

#ifndef PYTREE_LAYOUT_H
#define PYTREE_LAYOUT_H

#ifdef __cplusplus
extern "C" {
#endif

/* The number of the format, which changes when a reader of the old one would misunderstand the new one. */
#define PYTREE_LAYOUT_FORMAT 1

/* Describe a tree: its types, nodes, static values, and the address and shape of each leaf. Works like snprintf: writes at most
 * n bytes, including the NUL, and returns the full length without it; SIZE_MAX on error, and then `text` is empty. The
 * addresses are valid as long as the tree's memory. Allocates temporary memory: a flattened tree, and 8 bytes a type.
 * O(nodes). */
size_t pytree_layout_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* Describe a treedef: like a tree, whose leaves are not known. Of a leaf's node, `type` is null. `opt` gives the allocator.
 * Otherwise like pytree_layout_text. */
size_t pytree_layout_def_text(const pytree_def *def, char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* Describe a type, number 0 of `types`, and all types that its rows lead to. `opt` gives the allocator. Otherwise like
 * pytree_layout_text.
 *
 *     pytree_layout_type_text(PYTREE_TYPE(Linear), text, sizeof text, NULL, &err); */
size_t pytree_layout_type_text(const pytree_type *type, char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* Describe what a caller must know before the first call: format and version of the library, the bytes of a pointer, the byte
 * order, and where the members of pytree_error lie. Works like snprintf, and cannot fail.
 *
 *     {"format":1,"version":"0.2.0","pointer":8,"byte_order":"little","error":{"size":500,"status":0,"message":4,…}} */
size_t pytree_layout_abi(char *text, size_t n);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/describe_types.h"    /* the first of its rooms; each includes the next */
#endif
