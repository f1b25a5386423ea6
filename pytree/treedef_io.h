/* pytree/treedef_io.h: treedefs as text and as bytes.
 *
 *     pytree_def_parse    the treedef that pytree_def_text (or JAX) wrote
 *     pytree_def_save     a treedef as bytes for a file, the same on every machine
 *     pytree_def_load     and back
 *
 *     const pytree_type *types[] = { PYTREE_TYPE(MLP), PYTREE_TYPE(Linear) };
 *     pytree_def *def = pytree_def_parse("PyTreeDef([CustomNode(Linear[(2, 3)], [*, *])])", types, 2, NULL, &err);
 *
 * There is no register of all types: what may occur is given. Any input is safe: sizes are checked before memory is asked for,
 * nothing recurses, memory is bounded by the input's length.
 *
 * Rules as in pytree/treedef.h, which it includes. The bodies stand where PYTREE_IMPLEMENTATION is defined.
 */
#include "treedef.h"

#ifndef PYTREE_TREEDEF_IO_H
#define PYTREE_TREEDEF_IO_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* The treedef that pytree_def_text wrote. `types` are the n structs and custom types that may occur, PYTREE_TYPE(Linear) and
 * so on (NULL among them is passed over); of each it takes the registration in the text's namespace. JAX's text of a namedtuple
 * does not have its field names: what stands in `types` for it says them (PYTREE_NAMEDTUPLE_TYPE). Nor does a text have all of
 * a custom node whose type prints its metadata or has keys: that is PYTREE_TYPE. Space and newlines are free between the words;
 * dict keys may come in any order, which is remembered. optree's notation is read too: PyTreeSpec(…), OrderedDict({…}),
 * defaultdict(<class 'int'>, {…}), Point(x=*), CustomTreeNode(Linear[(('din', 2), ('dout', 3))], [*, *]). Anything else is
 * PYTREE_SYNTAX, and the message gives line, column, what was expected and what is there. A struct that is not in `types` is
 * PYTREE_NOT_FOUND. Any text is safe; memory is bounded by its length. opt->none_is_leaf and opt->space are not looked at: the
 * text says them. */
pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err);

/* PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" }): for pytree_def_parse, a type that lives as long as
 * the block. */
#define PYTREE_NAMEDTUPLE_TYPE(type_name, ...)                                                                          \
    (&(const pytree_type){ .name = (type_name), .kind = PYTREE_KIND_NAMEDTUPLE,                                         \
                           .n_fields = sizeof((const pytree_field[]){ __VA_ARGS__ }) / sizeof(pytree_field),            \
                           .fields = (const pytree_field[]){ __VA_ARGS__ } })

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* A treedef as bytes for a file: the same on every machine.
 *
 *     "pytreedf", u32 version (2), u32 flags (1: None is a leaf, 2: a namespace, 4: orders), u32 nodes, the namespace if there
 *     is one, then the nodes in post-order, then the orders if there are any. A node is u8 kind, and then, by kind:
 *
 *     0 leaf, 1 None               nothing
 *     2 list, 3 tuple              u32 children
 *     4 dict, 5 odict              u32 children, their keys
 *     6 namedtuple                 name, u32 children, their names
 *     9 defaultdict                factory, u32 children, their keys
 *     10 deque                     u32 children, u64 maximum length (2^64 - 1: none)
 *     8 node of a new type         name of the type, its rows as text (NULL: a custom type), then as 7
 *     7 ... of a type that was     u32 which of the types so far (not in 8); of a struct its static values in order; of a
 *                                  custom node u32 children, u32 bytes of metadata, the metadata, u8 1 if it has keys, and
 *                                  then for each child u8 pytree_entry_kind, key
 *     a key                        text, or u32 2^32 - 1 and the number in 64 bits
 *     the orders                   u32 how many; of each dict whose pairs were not put in as they are sorted: u32 node, u32
 *                                  place of each child
 *
 * Integers are little-endian. Numbers among the static values have their size in C (`long` that of the machine that wrote it),
 * long doubles 24 bytes. Texts are u32 length + 1 (0 for NULL) and the bytes. An address means nothing elsewhere: one that is
 * not NULL is PYTREE_TYPE. Metadata of custom nodes is what their callbacks make it: for files, the same on every machine.
 * Writes at most `capacity` bytes and returns how many there are (more than that: what was written is of no use); SIZE_MAX on
 * error. O(nodes); allocates (and frees) a table if there are structs, another if there are orders. */
size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err);

/* The treedef that pytree_def_save wrote, with the n structs and custom types of `types` for those named in it, as they are
 * registered in its namespace. A struct must have the rows that it had: PYTREE_TYPE names the one that changed;
 * PYTREE_NOT_FOUND if it is not among them. All other faults are PYTREE_SYNTAX and give the offset. Any bytes are safe; memory
 * is bounded by 64 times their number, and the addresses among the static values. Metadata of custom nodes is not looked into
 * here: a rebuild hands it to their callbacks as it stands in the bytes. */
pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/treedef_scan.h"                          /* and from there treedef_save.h, treedef_load.h */
#endif
