/* pytree/path.h: key paths as values.
 *
 * Write a path as text, read it back, compare and match paths, and get or set what is at one.
 *
 *     #define PYTREE_IMPLEMENTATION            // in exactly one file of the program
 *     #include "pytree/path.h"
 *
 *     pytree_leaf w = pytree_at(PYTREE(&model), ".layers[0].w", NULL, &err);
 *     if (w.type != NULL) { printf("%zu numbers at %p\n", pytree_leaf_count(&w), w.data); }
 *
 * A path is a pytree_path: entries from the root, borrowed. An array of the caller's is one, as in
 *
 *     pytree_path p = { 2, (pytree_entry[]){ { PYTREE_ATTRIBUTE, "layers", 0 }, { PYTREE_INDEX, NULL, 0 } } };
 *
 * and pytree_iter_path fills one. There are two ways to write it:
 *
 *     text     .layers[0].w   ['key']   [-3]   [<flat index 0>]      each entry says what it is; reads back to the same path
 *     simple   layers/0/w     key       -3     0                     for people and file names; any separator
 *
 * One thing the text does not say: [3] is an index or a dict's key that is a number. It reads back as an index, and where a
 * path is looked up or matched an index reaches that key as well.
 *
 * Grammar of the text; there is no white space between its parts:
 *
 *     path   = entry*                                         the empty text is the root
 *     entry  = '.' name | '[' index ']' | '[' negative ']' | '[' quoted ']' | '[<flat index ' index '>]'
 *     name   = one or more characters but . [ ] ' " * \ white space and control characters
 *     index  = '0' | a digit other than 0, then digits
 *     negative = '-' and an index other than 0, of 64 bits: a dict's key
 *     quoted = '…' or "…" in UTF-8, with Python's escapes \\ \' \" \a \b \f \n \r \t \v \xNN \uNNNN \UNNNNNNNN
 *              (\udc80 to \udcff is a byte, 0x80 to 0xff, that is not UTF-8)
 *
 * Rules as in pytree.h. Where a `const pytree_path *` is asked for, NULL is the root's path. Texts, patterns and the names of
 * attributes and keys are not NULL. Nothing recurses: a path may have a million entries. Everything here may run in many
 * threads at once, pytree_set as long as nobody reads what it writes.
 *
 * Language: C11 (gcc, clang, tcc); compiles as C++17. Needs: pytree.h.
 */
#include "../pytree.h"

#ifndef PYTREE_PATH_H
#define PYTREE_PATH_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Text ---------------------------------------------------------------------------------------------------------- */

/* The path as text: jax.tree_util.keystr. Keys are quoted and escaped like Python's repr. Like snprintf: writes at most n
 * bytes with the NUL (n 0: text may be NULL) and returns the length needed without it. O(length), no allocation. */
size_t pytree_path_text(const pytree_path *path, char *text, size_t n);

/* The simple form, keystr(simple=True, separator=…): names and numbers as they are, `separator` (NULL: the text form) between
 * them. Like snprintf. */
size_t pytree_path_simple_text(const pytree_path *path, const char *separator, char *text, size_t n);

/* pytree_path_text into a file. PYTREE_IO if the file takes no more. */
pytree_status pytree_path_print(FILE *file, const pytree_path *path, pytree_error *err);

/* Reads a path. `separator` NULL: the text form; otherwise the simple form. One block, which owns its names; free it with
 * pytree_path_free. NULL on error: PYTREE_SYNTAX says what was expected at which byte (the first is 0) and what is there;
 * PYTREE_ARGUMENT is an empty separator. O(length), one allocation.
 *
 * The simple form does not say what an entry is. Digits are read as an index and other text as an attribute, or as a key where
 * it is no identifier; pytree_get takes such an entry for whatever has that name or number where it looks. (Seen in the entry:
 * an index has its digits as `name` too, an attribute or key the index SIZE_MAX.) In both forms the empty text is the root. */
pytree_path *pytree_path_parse(const char *text, const char *separator, const pytree_options *opt, pytree_error *err);

/* a's entries, then b's, with names of its own: one block, freed with pytree_path_free; NULL if memory runs out. Join with NULL
 * to copy a path that is to outlive its tree. */
pytree_path *pytree_path_join(const pytree_path *a, const pytree_path *b, const pytree_options *opt, pytree_error *err);

/* Frees what pytree_path_parse or _join returned. NULL is fine. The allocator of that call must still be there. */
void pytree_path_free(pytree_path *path);

/* ---- Compare ------------------------------------------------------------------------------------------------------- */

/* Same entries? Kinds, and names or numbers. */
bool pytree_path_equal(const pytree_path *a, const pytree_path *b);

/* Equal paths have equal hashes, in every run. */
uint64_t pytree_path_hash(const pytree_path *path);

/* -1, 0 or 1: a total order, 0 for equal paths alone. Entry by entry: by kind (in the order of pytree_entry_kind), then by name
 * (code points) or number (keys with their sign); a path comes before those that it begins. */
int pytree_path_compare(const pytree_path *a, const pytree_path *b);

/* Is `prefix` the beginning of `path` (or all of it)? */
bool pytree_path_starts_with(const pytree_path *path, const pytree_path *prefix);

/* Does the whole path fit the pattern? A pattern is the text form, in which `.*` stands for one attribute, `[*]` for one entry
 * in brackets, `*` for one entry of any kind (not directly behind a name or `.*`), `**` for any number of entries or none:
 *
 *     .layers[*].w     .layers[0].w, .layers[7].w
 *     **.b             every path that ends with .b
 *     ['a']**          ['a'] and what is below it
 *     ***              one entry or more (stars are read in pairs from the left)
 *     [3]              index 3, and the key 3 of a dict
 *
 * false with PYTREE_SYNTAX for a pattern that cannot be read, whatever the path. No allocation. Cost: both lengths
 * together with one `**`; with more at most their product. */
bool pytree_path_match(const pytree_path *path, const char *pattern, pytree_error *err);

/* The same for the leaf that an iterator stands at, so that callbacks of pytree_map can tell leaves apart: "**.b". Allocates
 * (and frees) where the leaf lies deeper than 32 entries; PYTREE_NO_MEMORY then is possible. */
bool pytree_iter_path_match(const pytree_iter *it, const char *pattern, pytree_error *err);

/* ---- Get and set --------------------------------------------------------------------------------------------------- */

/* The value at a path: a view of a leaf, or of a node for pytree_of_view. Borrowed from the tree. On error its type is NULL and
 * its data too: PYTREE_NOT_FOUND names the first entry that is missing and what is there instead ("expected .wx, got a Linear
 * with .w, .b"); the error's path is where. Of the options, is_leaf is not asked: what lies below such a leaf is reached. In a
 * namespace (opt->space) its registrations say what there is.
 * Cost: the path's length; in nodes other than lists and tuples also their children. Allocates (and frees) only to open a node
 * with more than 48 children or a dict with more than 16. */
pytree_leaf pytree_get(pytree t, const pytree_path *path, const pytree_options *opt, pytree_error *err);

/* The same with the path as text. */
pytree_leaf pytree_at(pytree t, const char *text, const pytree_options *opt, pytree_error *err);

/* Copies a value into the tree at a path. For a leaf: element type and shape must be the same (PYTREE_TYPE, PYTREE_SHAPE), then
 * its elements are copied; of strings, the pointers. The memory may be the same or overlap. A view of a node is copied leaf by
 * leaf if the structures are equal, as pytree_copy_into does. Nothing is written on an error. A value without a type, which
 * pytree_at returns on errors, is PYTREE_ARGUMENT. */
pytree_status pytree_set(pytree t, const pytree_path *path, const pytree_leaf *value,
                         const pytree_options *opt, pytree_error *err);

/* The same with the path as text. */
pytree_status pytree_set_at(pytree t, const char *text, const pytree_leaf *value, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif /* PYTREE_PATH_H */

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/path_text.h"                          /* and from there path_match.h, path_access.h */
#endif
