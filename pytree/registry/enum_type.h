/* pytree/registry/enum_type.h: register an enum: the names of its constants. It takes no slot: C does not tell its type from
 * the integer's. Included by pytree_registry.h for each enum, so it has no guard. */
#if defined(PYTREE_ENUM)
#if !defined(PYTREE_CONSTANTS)
#error "pytree_registry.h: define PYTREE_CONSTANTS, one PYTREE_CONSTANT for each constant of the enum, before including it."
#elif defined(PYTREE_STRUCT) + defined(PYTREE_DECLARE) + defined(PYTREE_DEFINE) + defined(PYTREE_LEAF_TYPE) > 0
#error "pytree_registry.h: define one of PYTREE_STRUCT, PYTREE_DECLARE, PYTREE_DEFINE, PYTREE_LEAF_TYPE, PYTREE_ENUM for an \
include, not several."
#else
/* =>   static const pytree_constant pytree__constants_Mode[] = { { "fast", MODE_FAST }, { "safe", MODE_SAFE }, { NULL, 0 } };
 *      static const pytree_type pytree__enum_Mode = { "Mode", sizeof(Mode), …, pytree__constants_Mode }; */
PYTREE__ASSERT(PYTREE__INTEGER_DTYPE(PYTREE_ENUM) != PYTREE_NO_DTYPE,
               "pytree: " PYTREE__QUOTE(PYTREE_ENUM) ": PYTREE_ENUM is for an enum; a struct is registered with PYTREE_STRUCT");
static const pytree_constant PYTREE__CAT(pytree__constants_, PYTREE_ENUM)[] = { PYTREE_CONSTANTS { NULL, 0 } };
static const pytree_type PYTREE__CAT(pytree__enum_, PYTREE_ENUM) PYTREE__MAYBE_UNUSED = {
    PYTREE__QUOTE(PYTREE_ENUM), sizeof(PYTREE_ENUM), PYTREE__ALIGN_OF_TYPE(PYTREE_ENUM), PYTREE_KIND_LEAF,
    PYTREE__INTEGER_DTYPE(PYTREE_ENUM), 0, 0, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
    &pytree__space_000, NULL, PYTREE__CAT(pytree__constants_, PYTREE_ENUM) PYTREE__NOTED_AT(NULL)
};
#endif
#endif
