/* pytree/registry/codes_cxx.h: what checks and table compute of the code of a member, as functions. Included by all.h, once, in
 * C++ only.
 *
 * To g++ each operand of an operator that is an enumerator costs more than a call: it looks for operators that are overloaded.
 * A call is read once, and evaluated once for each code. So here the macros of rows.h become functions. */
#if !defined(PYTREE_H)
#include "../../pytree.h"                 /* opened on its own */
#endif
#ifndef PYTREE_REGISTRY_CODES_CXX_H
#define PYTREE_REGISTRY_CODES_CXX_H

#include "rows.h"
#include "atomic.h"

/* ---- Checks ---------------------------------------------------------------------------------------------------------- */

constexpr bool pytree__gap_fits(int gap, bool complete, int align) { return PYTREE__GAP_FITS(gap, complete, align); }
constexpr bool pytree__no_atomic(int code) { return PYTREE__NO_ATOMIC(code); }
constexpr bool pytree__code_is_known(int code) { return PYTREE__CODE_IS_KNOWN(code); }
constexpr bool pytree__known_or_array(int code) { return PYTREE__KNOWN_OR_ARRAY(code); }
constexpr bool pytree__known_or_no_array(int code) { return PYTREE__KNOWN_OR_NO_ARRAY(code); }
constexpr bool pytree__needs_no_extent(int code) { return PYTREE__NEEDS_NO_EXTENT(code); }
constexpr bool pytree__may_be_none(int optional, int code) { return PYTREE__MAY_BE_NONE(optional, code); }
constexpr bool pytree__is_held_by(int optional, int code) { return PYTREE__IS_HELD_BY(optional, code); }
constexpr bool pytree__no_chars(int code) { return PYTREE__NO_CHARS(code); }
constexpr bool pytree__no_pointer(int code) { return PYTREE__NO_POINTER(code); }
constexpr bool pytree__no_data_inside(int code) { return PYTREE__NO_DATA_INSIDE(code); }
constexpr bool pytree__no_tree(int code) { return PYTREE__NO_TREE(code); }
constexpr bool pytree__no_leaf(int code) { return PYTREE__NO_LEAF(code); }
constexpr bool pytree__no_object(int code) { return (code & PYTREE__NOT_BYTES) == 0; }
#undef PYTREE__GAP_FITS
#undef PYTREE__NO_ATOMIC
#undef PYTREE__CODE_IS_KNOWN
#undef PYTREE__KNOWN_OR_ARRAY
#undef PYTREE__KNOWN_OR_NO_ARRAY
#undef PYTREE__NEEDS_NO_EXTENT
#undef PYTREE__MAY_BE_NONE
#undef PYTREE__IS_HELD_BY
#undef PYTREE__NO_CHARS
#undef PYTREE__NO_POINTER
#undef PYTREE__NO_DATA_INSIDE
#undef PYTREE__NO_TREE
#undef PYTREE__NO_LEAF
#define PYTREE__GAP_FITS pytree__gap_fits
#define PYTREE__NO_ATOMIC pytree__no_atomic
#define PYTREE__CODE_IS_KNOWN pytree__code_is_known
#define PYTREE__KNOWN_OR_ARRAY pytree__known_or_array
#define PYTREE__KNOWN_OR_NO_ARRAY pytree__known_or_no_array
#define PYTREE__NEEDS_NO_EXTENT pytree__needs_no_extent
#define PYTREE__MAY_BE_NONE pytree__may_be_none
#define PYTREE__IS_HELD_BY pytree__is_held_by
#define PYTREE__NO_CHARS pytree__no_chars
#define PYTREE__NO_POINTER pytree__no_pointer
#define PYTREE__NO_DATA_INSIDE pytree__no_data_inside
#define PYTREE__NO_TREE pytree__no_tree
#define PYTREE__NO_LEAF pytree__no_leaf
#define PYTREE__NO_OBJECT pytree__no_object

/* ---- Table ----------------------------------------------------------------------------------------------------------- */

constexpr const pytree_type *pytree__builtin_of(int code) { return PYTREE__BUILTIN_OF(code); }
constexpr const pytree_type *pytree__builtin_or_address(int code) { return PYTREE__BUILTIN_OR_ADDRESS(code); }
constexpr const pytree_row_functions *pytree__functions_of(int code) { return PYTREE__FUNCTIONS_OF(code); }
constexpr int pytree__ndim(int code) { return PYTREE__NDIM(code); }
constexpr unsigned char pytree__pack(int code) { return PYTREE__PACK(code); }
constexpr unsigned char pytree__place_of_value(int code) { return PYTREE__PLACE_OF_VALUE(code); }
constexpr unsigned char pytree__form_of_value(int code)
{
    return (unsigned char)(PYTREE__FORM_OF_VALUE(code));
}
#undef PYTREE__BUILTIN_OF
#undef PYTREE__BUILTIN_OR_ADDRESS
#undef PYTREE__FUNCTIONS_OF
#undef PYTREE__NDIM
#undef PYTREE__PLACE_OF_VALUE
#undef PYTREE__FORM_OF_VALUE
#define PYTREE__BUILTIN_OF pytree__builtin_of
#define PYTREE__BUILTIN_OR_ADDRESS pytree__builtin_or_address
#define PYTREE__FUNCTIONS_OF pytree__functions_of
#define PYTREE__NDIM pytree__ndim
#define PYTREE__PLACE_OF_VALUE pytree__place_of_value
#define PYTREE__FORM_OF_VALUE pytree__form_of_value

/* ---- The sum of the codes -------------------------------------------------------------------------------------------- */

constexpr int pytree__summed(int code) { return PYTREE__SUMMED(code); }
constexpr int pytree__summed_static(int code) { return PYTREE__SUMMED_STATIC(code); }
#undef PYTREE__SUMMED
#undef PYTREE__SUMMED_STATIC
#define PYTREE__SUMMED pytree__summed
#define PYTREE__SUMMED_STATIC pytree__summed_static

#undef PYTREE__PACK
#define PYTREE__PACK pytree__pack
#endif
