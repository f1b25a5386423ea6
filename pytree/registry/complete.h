/* pytree/registry/complete.h: find out whether the rows of a struct are all of its members, also where one that is left
 * out lies in what could be padding. Included by pytree_registry.h for each struct, so it has no guard.
 *
 *     enum { pytree__complete_Linear = sizeof((Linear[]){ [0].din = { 0 }, { 0 }, { 0 }, { 0 }, 0 }) >= 2 * sizeof(Linear) };
 *
 * There is one { 0 } for each row, and each initialises the next member. If they are enough for one struct, the last 0 begins a
 * second one. A bit-field that is the first row begins the literal without a designator, at the first member of the struct:
 *
 *     sizeof((Packet[]){ 0 * sizeof (char) { 0 }, { 0 }, { 0 }, { 0 }, 0 }) >= 2 * sizeof(Packet)
 *
 * A flexible array member has no { 0 }, and ends the literal: members before the last one are checked without it. An unnamed
 * struct takes one { 0 } for all of its members, so that too few rows may be enough. Compilers warn of braces around a number,
 * gcc without an option to prevent it, so this is a system header. */
#if defined(PYTREE__S)
#if defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC system_header
enum { PYTREE__CAT(pytree__complete_, PYTREE__ID) = sizeof((PYTREE__S[]){
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__START(__VA_ARGS__, NONE, ~),
    PYTREE__FIRST_ROW(PYTREE_FIELDS, ~)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__INITIAL(__VA_ARGS__, NONE, NONE, ~)
    PYTREE_FIELDS 0 }) >= 2 * sizeof(PYTREE__S) };
#else
enum { PYTREE__CAT(pytree__complete_, PYTREE__ID) = 1 };
#endif
#endif
