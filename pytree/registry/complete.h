/* pytree/registry/complete.h: find out whether the rows of a struct are all of its members, also where one that is left
 * out lies in what could be padding. Included by pytree_registry.h for each struct, so it has no guard.
 *
 *     static Linear pytree__all_Linear[] = { [0].din = { 0 }, { 0 }, { 0 }, { 0 }, 0 };
 *     enum { pytree__complete_Linear = sizeof pytree__all_Linear >= 2 * sizeof(Linear) };
 *
 * There is one { 0 } for each row, and each initialises the next member. If they are enough for one struct, the last 0 begins a
 * second one. A bit-field that is the first row begins the list without a designator, at the first member of the struct:
 *
 *     static Packet pytree__all_Packet[] = { 0 * sizeof (char) { 0 }, { 0 }, { 0 }, { 0 }, 0 };
 *
 * A flexible array member has { }, which leaves it empty and fits nothing that has a value. An unnamed struct takes one { 0 }
 * for all of its members, so that too few rows may be enough: unnamed.h looks into it. Compilers warn of braces around a
 * number, gcc without an option to prevent it, so this is a system header; pytree_registry.h has the first line, and for clang
 * the last one, since compilers show those in their third line. In C++ they are complete if an initialiser with one
 * more {} than rows does not fit; structs with constructors are not looked at. */
#if defined(PYTREE__S)
#if defined(__cplusplus)
#if defined(__GNUC__)
#pragma GCC system_header
#endif
#undef PYTREE_FIELD
#define PYTREE_FIELD(...) {},
template <class Type> constexpr bool PYTREE__CAT(pytree__has_more_, PYTREE__ID)(decltype(Type{ PYTREE_FIELDS {} }) *)
{
    return true;
}
template <class> constexpr bool PYTREE__CAT(pytree__has_more_, PYTREE__ID)(...) { return false; }
PYTREE__ENUM {
    PYTREE__CAT(pytree__complete_, PYTREE__ID) =
        !std::is_aggregate_v<PYTREE__S> || !PYTREE__CAT(pytree__has_more_, PYTREE__ID)<PYTREE__S>(nullptr)
};
#elif defined(__GNUC__) && !defined(__TINYC__)
#pragma GCC system_header
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) (__VA_ARGS__, NONE, ~),
    PYTREE__START(PYTREE_FIELDS (, pytree__end, ~))
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__INITIAL(PYTREE__INITIAL, __VA_ARGS__, NONE, NONE, ~)
#if !defined(__clang__)
    PYTREE_FIELDS 0 };
#endif
#else
PYTREE__ENUM { PYTREE__CAT(pytree__complete_, PYTREE__ID) = 1 };
#endif
#endif
