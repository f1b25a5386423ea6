/* pytree/literal.h: trees as text in the notation of Python and JSON.
 *
 *     pytree_parse            an owned tree from a literal
 *     pytree_literal_text     the literal of a tree, so that it parses back
 *     pytree_literal_print
 *
 *     pytree axes = pytree_parse("(None, {'k1': None, 'k2': 0})", NULL, &err);
 *     pytree_literal_print(stdout, axes, NULL, &err);            // (None, {'k1': None, 'k2': 0})
 *     pytree_free(axes);
 *
 * For axes, filters, configuration, tests; any JSON text is one too. docs/literal.md has the notation with examples:
 *
 *     value       None | null | True | true | False | false | number | text | [ value, … ] | ( value, … ) | { key: value, … }
 *               | OrderedDict({ key: value, … }) | OrderedDict([ (key, value), … ]) | deque([ value, … ], maxlen=3)
 *               | defaultdict(<class 'int'>, { key: value, … }) | Name(field=value, …) | type(element) | type([ element, … ])
 *     key         text | integer: all of a dict are one or the other
 *     number      12 (int64_t; uint64_t where it does not fit), 1.5 1e-07 inf -inf nan Infinity NaN (double), 2j (1+2j)
 *     text        'it' or "it" with \\ \' \" \/ \a \b \f \n \r \t \v \x41 \u1234 \U0001F600, and pairs \ud83d\ude00
 *     type        bool i8 i16 i32 i64 u8 u16 u32 u64 f16 bf16 f32 f64 longdouble c64 c128 clongdouble str
 *     arrays      f32([[1.0, 2.0], [3.0, 4.0]]); where there is no element to show the shape: f32([], shape=(0, 3))
 *
 * Space and newlines are free between the words, a comma may follow the last item, a tuple of one needs it. No comments.
 * Rules of pytree.h hold here too. The bodies stand where PYTREE_IMPLEMENTATION is defined, as those of pytree.h, in that file.
 */
#include "../pytree.h"

#ifndef PYTREE_LITERAL_H
#define PYTREE_LITERAL_H

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Parse --------------------------------------------------------------------------------------------------------- */

/* The tree that a literal describes, in one block that is independent of the text; free with pytree_free. ast.literal_eval,
 * json.loads. Dicts keep the order of the text (and are visited by sorted key, as every dict). Name(…) is a namedtuple. Data
 * NULL on error. PYTREE_SYNTAX says "line 3, column 7: expected ',' or ']', got '}'"; a key that comes twice, keys of both
 * kinds and a number that its type does not have are such errors too.
 *
 * Any text is safe: nothing recurses, memory is bounded by the text's length, the locale has no say. opt: allocator,
 * alignment (of arrays). O(length); memory for the work is taken and given back. */
pytree pytree_parse(const char *text, const pytree_options *opt, pytree_error *err);

/* The same of n bytes that need no NUL behind them; a NUL among them is an error. `text` may be NULL if n is 0. */
pytree pytree_parse_n(const char *text, size_t n, const pytree_options *opt, pytree_error *err);

/* ---- Print --------------------------------------------------------------------------------------------------------- */

/* The literal of a tree, on one line: what Python's repr gives, save that numbers of other types than int64_t and double say
 * theirs, and arrays too. pytree_parse gives an equal tree, type for type and bit for bit (of NaN: that it is one). What a
 * text cannot show comes back as what is nearest: a struct as a namedtuple with its static values in front, an array or map of
 * stb_ds as a list or dict. Dicts are written in the order in which they hold their pairs.
 *
 * Custom nodes, opaque leaves, addresses among static values, and names that are no identifiers or the notation's own have no
 * literal: PYTREE_TYPE with the path. opt: namespace, allocator; neither is_leaf nor none_is_leaf has a say.
 *
 * _print checks all of it before it writes, and adds a newline. _text is like snprintf: at most n bytes with the NUL, returns
 * the length needed without it; SIZE_MAX on error. O(elements); allocates for deep trees and for structs with static values. */
pytree_status pytree_literal_print(FILE *file, pytree t, const pytree_options *opt, pytree_error *err);
size_t pytree_literal_text(pytree t, char *text, size_t n, const pytree_options *opt, pytree_error *err);

#ifdef __cplusplus
}
#endif
#endif

#if defined(PYTREE_IMPLEMENTATION)
#include "impl/literal_tape.h"  /* the first of its rooms; each includes the next */
#endif
