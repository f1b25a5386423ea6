/* pytree/literal.h: trees as text in the notation of Python and JSON.
 *
 *     pytree_parse            an owned tree from a literal
 *     pytree_literal_text     the literal of a tree, which parses back
 *     pytree_literal_print
 *
 *     pytree axes = pytree_parse("(None, {'k1': None, 'k2': 0})", NULL, &err);
 *     pytree_literal_print(stdout, axes, NULL, &err);            // (None, {'k1': None, 'k2': 0})
 *     pytree_free(axes);
 *
 * For axes, filters, configuration and tests; any JSON text is a literal too. docs/literal.md describes the notation with
 * examples:
 *
 *     value       None | null | True | true | False | false | number | text | [ value, … ] | ( value, … ) | { key: value, … }
 *               | OrderedDict({ key: value, … }) | OrderedDict([ (key, value), … ]) | deque([ value, … ], maxlen=3)
 *               | defaultdict(<class 'int'>, { key: value, … }) | Name(field=value, …) | type(element) | type([ element, … ])
 *     key         text | integer: all of a dict are one or the other
 *     number      12 (int64_t; uint64_t where it does not fit), 1.5 1e-07 inf -inf nan Infinity NaN (double), 2j (1+2j)
 *     text        'it' or "it" with \\ \' \" \/ \a \b \f \n \r \t \v \x41 \u1234 \U0001F600, and pairs \ud83d\ude00
 *     type        bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 longdouble c64 c128 clongdouble str
 *     arrays      f32([[1.0, 2.0], [3.0, 4.0]]); without an element to show the shape: f32([], shape=(0, 3))
 *
 * White space is allowed between tokens, and a comma after the last item; a tuple of one item needs that comma. There are no
 * comments. The rules of pytree.h hold.
 *
 * Include this header, too, in the file that defines PYTREE_IMPLEMENTATION for pytree.h: that file compiles the functions.
 */
#include "../pytree.h"

#ifndef PYTREE_LITERAL_H
#define PYTREE_LITERAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parse --------------------------------------------------------------------------------------------------------- */

/* Parse a literal: ast.literal_eval, json.loads. Returns the tree in one block that is independent of the text, freed with
 * pytree_free; data NULL on error. Dicts keep the order of the text (and are visited by sorted key, as every dict). Name(…)
 * is a namedtuple. PYTREE_SYNTAX says "line 3, column 7: expected ',' or ']', got '}'"; repeated keys, keys of both kinds in
 * one dict and numbers that their type cannot hold are such errors too. The notation of the whole text is checked before
 * repeated keys and floats that are too large.
 *
 * Any text is safe: nothing recurses, memory is bounded by the length of the text, and the locale has no influence. The text
 * is read twice and must not change meanwhile. opt: allocator, alignment of arrays. O(length); the block is allocated in its
 * final size, with 32 bytes for each container that is open beside it and 24 for each key of the largest dict out of order. */
pytree pytree_parse(const char *text, const pytree_options *opt, pytree_error *err);

/* Parse a literal of n bytes, which need no NUL at the end; a NUL among them is an error. `text` may be NULL if n is 0. */
pytree pytree_parse_n(const char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* ---- Print --------------------------------------------------------------------------------------------------------- */

/* Write the literal of a tree on one line, like Python's repr, except that numbers of types other than int64_t and double,
 * and arrays, name their type. pytree_parse returns an equal tree, type for type and bit for bit (NaN: some NaN). Values that
 * the notation cannot express come back as their nearest equivalent: a struct as a namedtuple that begins with its static
 * values, an array or map of stb_ds as a list or dict. Dicts are written in the order in which they hold their pairs.
 *
 * Custom nodes, opaque leaves, addresses among static values, and names that are no identifiers or that the notation reserves
 * have no literal: PYTREE_TYPE with the path. opt: namespace, allocator; is_leaf and none_is_leaf have no effect.
 *
 * _print checks the whole tree before it writes, and adds a newline. _text is like snprintf: writes at most n bytes with the
 * NUL, returns the length without it; SIZE_MAX on error. O(elements); allocates for deep trees and for structs with static
 * values. */
pytree_status pytree_literal_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);
size_t pytree_literal_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/literal_parser.h"    /* the first of its rooms; each includes the next */
#endif
