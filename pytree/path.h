/* pytree/path.h: key paths as values: write them as text, parse, compare and match them, and get or set the value at a path.
 *
 *     #define PYTREE_IMPLEMENTATION            // in exactly one file of the program
 *     #include "pytree/path.h"
 *
 *     pytree_leaf w = pytree_at(PYTREE(&model), ".layers[0].w", NULL, &err);
 *     if (w.type != NULL) { printf("%zu numbers at %p\n", pytree_leaf_count(&w), w.data); }
 *
 * A path is a pytree_path: borrowed entries, from the root down. An array of the caller's can be one:
 *
 *     pytree_path p = { 2, (pytree_entry[]){ { PYTREE_ATTRIBUTE, "layers", 0 }, { PYTREE_INDEX, NULL, 0 } } };
 *
 * and pytree_iter_path fills one. A path has two written forms:
 *
 *     text     .layers[0].w   ['key']   [-3]   [<flat index 0>]      shows the kind of each entry; parses back to the same path
 *     simple   layers/0/w     key       -3     0                     for people and file names; any separator
 *
 * The text form leaves one thing open: [3] is an index or a numeric dict key. It parses as an index, and in lookups and
 * matches an index reaches such a key as well.
 *
 * Grammar of the text form, which has no white space between its parts:
 *
 *     path   = entry*                                         the empty text is the root
 *     entry  = '.' name | '[' index ']' | '[' negative ']' | '[' quoted ']' | '[<flat index ' index '>]'
 *     name   = one or more characters but . [ ] ' " * \ white space and control characters
 *     index  = '0' | a digit other than 0, then digits
 *     negative = '-' and an index other than 0, of 64 bits: a dict's key
 *     quoted = '…' or "…" in UTF-8, with Python's escapes \\ \' \" \a \b \f \n \r \t \v \xNN \uNNNN \UNNNNNNNN
 *              (\udc80 to \udcff is a byte, 0x80 to 0xff, that is not UTF-8)
 *
 * The rules of pytree.h hold. A `const pytree_path *` may be NULL: the root's path. Strings, patterns and the names of
 * attributes and keys may not. Nothing recurses: a path may have a million entries. Every function may run in many threads at
 * once, pytree_set as long as no other thread accesses the leaves that it writes.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_PATH_H
#define PYTREE_PATH_H

#if defined(__GNUC__) && !defined(__TINYC__)
#define PYTREE__NEEDS_ERROR(argument) __attribute__((nonnull(argument)))
#else
#define PYTREE__NEEDS_ERROR(argument)
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* Write a path in the text form: jax.tree_util.keystr. Keys are quoted and escaped like Python's repr. Like snprintf: writes
 * at most n bytes with the NUL (n 0: text may be NULL) and returns the length without it. O(length), no allocation. */
size_t pytree_path_text(const pytree_path *path, char *text, size_t n);

/* Write a path in the simple form, keystr(simple=True, separator=…): names and numbers as they are, with `separator` between
 * them (NULL: the text form). Like snprintf. */
size_t pytree_path_simple_text(const pytree_path *path, const char *separator, char *text, size_t n);

/* Write a path in the text form to a file. PYTREE_IO if writing fails. */
pytree_status pytree_path_print(FILE *file, const pytree_path *path, pytree_error *err);

/* Parse a path: the text form if `separator` is NULL, otherwise the simple form. Returns one block, which owns its names and
 * is freed with pytree_path_free; NULL on error. PYTREE_SYNTAX gives the byte offset, what was expected there and what was
 * found; PYTREE_ARGUMENT is an empty separator. O(length), one allocation.
 *
 * The simple form does not show the kinds of entries. Digits parse as an index, an identifier as an attribute, and other text
 * as a key; pytree_get takes such an entry for whatever has that name or number at its place. (Such entries can be told
 * apart: an index also has its digits as `name`, an attribute or key has the index SIZE_MAX.) In both forms the empty text is
 * the root. */
pytree_path *pytree_path_parse(const char *text, const char *separator, const pytree_options *opt, pytree_error *err);

/* Join two paths: a's entries, then b's, with names of its own. Returns one block, freed with pytree_path_free; NULL if
 * memory runs out. Join with NULL to copy a path that must outlive its tree. */
pytree_path *pytree_path_join(const pytree_path *a, const pytree_path *b, const pytree_options *opt, pytree_error *err);

/* Free the result of pytree_path_parse or pytree_path_join. NULL is fine. The allocator of that call must still exist. */
void pytree_path_free(pytree_path *path);

/* ---- Compare ------------------------------------------------------------------------------------------------------- */

/* Tell whether two paths have the same entries: equal kinds, and equal names or numbers. */
bool pytree_path_equal(const pytree_path *a, const pytree_path *b);

/* Return a hash of a path. Equal paths have equal hashes, in every run. */
uint64_t pytree_path_hash(const pytree_path *path);

/* Compare two paths. Returns -1, 0 or 1: a total order, with 0 only for equal paths. Entries compare by kind (in the order
 * of pytree_entry_kind), then by name (code points) or number (keys with their sign); a path precedes those of which it is a
 * prefix. */
int pytree_path_compare(const pytree_path *a, const pytree_path *b);

/* Tell whether a path begins with `prefix` (or equals it). */
bool pytree_path_starts_with(const pytree_path *path, const pytree_path *prefix);

/* Tell whether a whole path matches a pattern. A pattern is the text form, in which `.*` stands for one attribute, `[*]` for
 * one entry in brackets, `*` for one entry of any kind (not directly after a name or `.*`), `**` for any number of entries or
 * none:
 *
 *     .layers[*].w     .layers[0].w, .layers[7].w
 *     **.b             every path that ends with .b
 *     ['a']**          ['a'] and all paths below it
 *     ***              one entry or more (stars are read in pairs from the left)
 *     [3]              index 3, and the key 3 of a dict
 *
 * A malformed pattern gives false with PYTREE_SYNTAX, whatever the path. It would be taken for one that does not match, so here
 * err is not to be NULL: gcc and clang warn. No allocation. Cost: the sum of both lengths for one `**`, at most their product
 * for more. */
bool pytree_path_match(const pytree_path *path, const char *pattern, pytree_error *err) PYTREE__NEEDS_ERROR(3);

/* Tell whether the path of an iterator's leaf matches a pattern, so that callbacks of pytree_map can tell leaves apart:
 * "**.b". If err is NULL, an error such as an unreadable pattern goes to the error object of the iteration or map. Allocates
 * (and frees) if the leaf lies deeper than 32 entries, and may then fail with PYTREE_NO_MEMORY. */
bool pytree_iter_path_match(const pytree_iter *it, const char *pattern, pytree_error *err);

/* ---- Get and set --------------------------------------------------------------------------------------------------- */

/* Get the value at a path. Returns a view of a leaf, or of a node for pytree_of_view, borrowed from the tree. A path may go on
 * into an array: .window.size[0] is an element, a row of a matrix an array; a string in char[n] is one value. On error its
 * type and data are NULL: PYTREE_NOT_FOUND names the first entry that is missing and what stands there instead ("expected
 * .wx, got a Linear with .w, .b"), and the error has the path. is_leaf is not called: values below such a leaf can be
 * reached. With opt->space, the registrations of that namespace hold. Cost: the length of the path, and in nodes other than
 * lists and tuples the number of children. Allocates (and frees) only to open a node of more than 48 children or a dict of
 * more than 16. */
pytree_leaf pytree_get(pytree t, const pytree_path *path, const pytree_options *opt, pytree_error *err);

/* Get the value at a path in the text form, like pytree_get. */
pytree_leaf pytree_at(pytree t, const char *text, const pytree_options *opt, pytree_error *err);

/* Copy a value to a path in a tree. A leaf must have the same element type and shape (PYTREE_TYPE, PYTREE_SHAPE); its
 * elements are copied, of strings the pointers, and the memory may overlap. A view of a node is copied leaf by leaf, like
 * pytree_copy_into, if the structures are equal. On error nothing is written. A value without a type, which pytree_at returns
 * on errors, is PYTREE_ARGUMENT. */
pytree_status pytree_set(pytree t, const pytree_path *path, const pytree_leaf *value,
                         const pytree_options *opt, pytree_error *err);

/* Copy a value to a path in the text form, like pytree_set. */
pytree_status pytree_set_at(pytree t, const char *text, const pytree_leaf *value, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_PATH_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/path_text.h"    /* the first of its rooms; each includes the next */
#endif
