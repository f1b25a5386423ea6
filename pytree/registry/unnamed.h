/* pytree/registry/unnamed.h: find out whether the rows of a struct are all members of the unnamed structs in it, too, where
 * complete.h cannot count them. Included by pytree_registry.h for each struct, behind the checks of the rows, so that those
 * speak first; so it has no guard.
 *
 *     static Linear pytree__zeros_Linear[] = { 0, 0, 0, 0, 0 };
 *     _Static_assert(sizeof pytree__zeros_Linear >= 2 * sizeof(Linear) || …, "pytree: Linear: a field of a struct …");
 *
 * There is one 0 for each row, without braces: where an unnamed struct is next, each initialises its next member. Where a
 * member is an array or a struct, of which a 0 is only a part, where the last one is a flexible array, or where the members
 * leave no room, nothing is said. Compilers take a while for it, so it is done where they optimise. */
#if defined(PYTREE__S)
#pragma GCC system_header
#define PYTREE__ZERO_PLAIN 0,
#define PYTREE__ZERO_BITS 0,
#define PYTREE__ZERO_ATOMIC 0,
#define PYTREE__ZERO_FLEXIBLE [1] = { 0 },             /* no 0 may land on an array without a size */
static PYTREE__S PYTREE__CAT(pytree__zeros_, PYTREE__ID)[] PYTREE__MAYBE_UNUSED = {
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__INITIAL(PYTREE__ZERO, __VA_ARGS__, NONE, NONE, ~)
    PYTREE_FIELDS 0 };
PYTREE__ASSERT(sizeof PYTREE__CAT(pytree__zeros_, PYTREE__ID) >= 2 * sizeof(PYTREE__S)
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, name, ...) PYTREE__GAP(PYTREE__ID, name)
    || ((int)sizeof(PYTREE__S) < PYTREE__CAT(pytree__end_, PYTREE__ID) PYTREE_FIELDS)
    || (PYTREE__CAT(pytree__codes_, PYTREE__ID) & PYTREE__HAS_MANY) != 0
    || PYTREE__CAT(pytree__codes_, PYTREE__ID) % PYTREE__HAS_TEXT >= PYTREE_FORM_FLAT * PYTREE__CODE_FORM,
               "pytree: " PYTREE__QUOTE(PYTREE__S) ": a field of a struct without a name is not listed; give it a row, or give "
                   "the struct a name");
#endif
