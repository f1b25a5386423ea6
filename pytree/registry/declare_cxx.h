/* pytree/registry/declare_cxx.h: make a type known to the dispatch in C++. Included by pytree_registry.h for each type but a
 * definition that was declared before, so it has no guard.
 *
 *     namespace { struct pytree__of_Linear { static const pytree_type type; static constexpr int code = PYTREE__C_node; }; }
 *     static constexpr pytree__of_Linear pytree__registered(pytree__tag<Linear>) { return {}; } */
#if defined(PYTREE__S)
#if defined(PYTREE_NAMESPACE)
static_assert(pytree__is_known(PYTREE__REGISTRATION(PYTREE__S)),
              "pytree: " PYTREE__QUOTE(PYTREE__S) ": PYTREE_NAMESPACE is for a type that is registered already; register it "
                  "without one first, or as PYTREE_LEAF_TYPE if it is a leaf without a namespace");
#else
static_assert(!pytree__is_known(PYTREE__REGISTRATION(PYTREE__S)) && pytree__builtin<PYTREE__S> == 0,
              "pytree: " PYTREE__QUOTE(PYTREE__S) ": this type is registered already (an alias of a registered type needs "
                  "no registration)");
#endif
namespace {
struct PYTREE__OF_S {
    [[maybe_unused]] static const pytree_type type;
#if defined(PYTREE_LEAF_TYPE)
    [[maybe_unused]] static constexpr int code = PYTREE__C_leaf;
    [[maybe_unused]] static constexpr bool vectors = false;
#elif defined(PYTREE__ROWS)
    [[maybe_unused]] static constexpr int code =
        PYTREE__CAT(pytree__count_, PYTREE__ID) != 0 ? (int)PYTREE__C_node : (int)PYTREE__C_struct;
    [[maybe_unused]] static constexpr bool vectors = !std::is_trivially_copyable_v<PYTREE__S>;    /* CHECK_STRUCT saw to it */
#else
    [[maybe_unused]] static constexpr int code = PYTREE__C_node;
    [[maybe_unused]] static constexpr bool vectors = false;
#endif
};
}
#if defined(PYTREE_NAMESPACE)
[[maybe_unused]] static pytree_type PYTREE__CAT(pytree__space_, PYTREE__ID);
[[maybe_unused]] static const bool PYTREE__CAT(pytree_registered_in_this_namespace_already_, PYTREE__ID) =
    pytree__link_space(&pytree__last_space, &PYTREE__OF_S::type, &PYTREE__CAT(pytree__space_, PYTREE__ID));
#else
[[maybe_unused]] static constexpr PYTREE__OF_S pytree__registered(pytree__tag<PYTREE__S>) { return {}; }
#if defined(PYTREE_LEAF_TYPE) || defined(PYTREE_CUSTOM)
[[maybe_unused]] static constexpr PYTREE__OF_S pytree__registered_value(pytree__tag<PYTREE__S>) { return {}; }
#endif
#endif
#endif
