/* pytree/treedef_io.h: treedefs as text and as bytes.
 *
 *     pytree_def_parse    parses the text that pytree_def_text (or JAX) wrote
 *     pytree_def_save     serializes a treedef to bytes, the same on every machine
 *     pytree_def_load     deserializes them
 *
 *     const pytree_type *types[] = { PYTREE_TYPE(MLP), PYTREE_TYPE(Linear) };
 *     pytree_def *def = pytree_def_parse("PyTreeDef([CustomNode(Linear[(2, 3)], [*, *])])", types, 2, NULL, &err);
 *
 * There is no global registry of types: the caller passes those that may occur. Any input is safe: sizes are checked before
 * memory is allocated, nothing recurses, and memory is bounded by the length of the input. The rules of pytree/treedef.h
 * hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "treedef.h"

#ifndef PYTREE_TREEDEF_IO_H
#define PYTREE_TREEDEF_IO_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* Parse the text of a treedef, as pytree_def_text writes it. `types` are the n structs and custom types that may occur,
 * PYTREE_TYPE(Linear) and so on (NULL entries are skipped); the registration in the text's namespace holds. JAX's text of a
 * namedtuple does not have its field names: pass a PYTREE_NAMEDTUPLE_TYPE in `types`. The text of a custom node is incomplete
 * if its type prints its metadata or has keys: that is PYTREE_TYPE. White space is allowed between tokens; dict keys may come
 * in any order, which is remembered. optree's notation is accepted, too: PyTreeSpec(…), OrderedDict({…}), defaultdict(<class
 * 'int'>, {…}), Point(x=*), CustomTreeNode(Linear[(('din', 2), ('dout', 3))], [*, *]). Anything else is PYTREE_SYNTAX with
 * line, column, the expected and the actual text. A struct that is not in `types` is PYTREE_NOT_FOUND. Any text is safe;
 * memory is bounded by its length. opt->none_is_leaf and opt->space are ignored: the text has them. */
pytree_def *pytree_def_parse(const char *text, const pytree_type *const *types, size_t n,
                             const pytree_options *opt, pytree_error *err);

/* Describe a namedtuple for pytree_def_parse: PYTREE_NAMEDTUPLE_TYPE("Point", { .name = "x" }, { .name = "y" }) is a type
 * that lives as long as the enclosing block. */
#define PYTREE_NAMEDTUPLE_TYPE(type_name, ...)                                                                          \
    (&(const pytree_type){ .name = (type_name), .kind = PYTREE_KIND_NAMEDTUPLE,                                         \
                           .n_fields = sizeof((const pytree_field[]){ __VA_ARGS__ }) / sizeof(pytree_field),            \
                           .fields = (const pytree_field[]){ __VA_ARGS__ } })

/* ---- Bytes --------------------------------------------------------------------------------------------------------- */

/* Serialize a treedef to bytes, which are the same on every machine:
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
 *     8 node of a new type         name of the type, its rows as a string (NULL: a custom type), then as 7
 *     7 node of a known type       u32 which of the types so far (not in 8); of a struct its static values in order; of a
 *                                  custom node u32 children, u32 bytes of metadata, the metadata, u8 1 if it has keys, and
 *                                  then for each child u8 pytree_entry_kind, key
 *     a key                        string, or u32 2^32 - 1 and the number in 64 bits
 *     the orders                   u32 how many; of each dict whose pairs were not inserted in sorted order: u32 node, u32
 *                                  place of each child
 *
 * Integers are little-endian. Numbers among the static values have their size in C (`long`: that of the writing machine),
 * long doubles 24 bytes. Strings are u32 length + 1 (0 for NULL) and the bytes. An address has no meaning elsewhere: one that
 * is not NULL is PYTREE_TYPE. The metadata of custom nodes comes from their callbacks, which must make it portable. Writes at
 * most `capacity` bytes and returns the number needed (if that is larger, the bytes written are useless); SIZE_MAX on error.
 * O(nodes); allocates (and frees) a table if there are structs, and another one if there are orders. */
size_t pytree_def_save(const pytree_def *def, void *bytes, size_t capacity, const pytree_options *opt, pytree_error *err);

/* Deserialize a treedef that pytree_def_save wrote, with the n structs and custom types of `types` for those it names, as
 * registered in its namespace. A struct must have the rows that it had: PYTREE_TYPE names the one that changed;
 * PYTREE_NOT_FOUND if the struct is not among them. All other faults are PYTREE_SYNTAX with the offset. Any bytes are safe;
 * memory is bounded by 64 times their number plus the addresses among the static values. Metadata of custom nodes is not
 * checked here: a rebuild passes it to their callbacks as it is in the bytes. */
pytree_def *pytree_def_load(const void *bytes, size_t size, const pytree_type *const *types, size_t n,
                            const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/treedef_scan.h"    /* the first of its rooms; each includes the next */
#endif
