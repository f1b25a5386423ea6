/* pytree/registry/rowless.h: register a type without rows: one that is declared, a leaf, a custom node. Included by
 * pytree_registry.h for each of them, so it has no guard. */
#if defined(PYTREE__S)

/* ---- A declared type: the slot's descriptor says where the definition will be ------------------------------------------ */

#if defined(PYTREE_DECLARE) && !defined(__cplusplus)
static const pytree_type PYTREE__CAT(pytree__type_of_, PYTREE__S);
static const pytree_type PYTREE__SLOT(pytree__desc) = { PYTREE__QUOTE(PYTREE__S), sizeof(PYTREE__S),
    PYTREE__ALIGN_OF_TYPE(PYTREE__S), PYTREE_KIND_STRUCT,
    PYTREE_NO_DTYPE, 0, 0, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL,
    &PYTREE__CAT(pytree__type_of_, PYTREE__S), NULL, NULL, PYTREE__NAMESPACES, NULL, NULL PYTREE__NOTED_AT(NULL) };
#endif

#if !defined(__cplusplus) && (defined(PYTREE_LEAF_TYPE) || defined(PYTREE_CUSTOM)) && PYTREE__BY_POINTER
#undef PYTREE__BY_POINTER
#undef PYTREE__FIND
#undef PYTREE__OF_TYPE
#undef PYTREE__CODE
#define PYTREE__BY_POINTER 0
#define PYTREE__FIND PYTREE__FIND_BY_BOTH
#define PYTREE__OF_TYPE PYTREE__TYPE_BY_BOTH
#define PYTREE__CODE PYTREE__CODE_BY_BOTH
#endif

/* ---- A leaf type ---------------------------------------------------------------------------------------------------- */

#if defined(PYTREE_LEAF_TYPE)
#ifndef PYTREE_EQUAL
#define PYTREE_EQUAL NULL
#endif
#ifndef PYTREE_PRINT
#define PYTREE_PRINT NULL
#endif
PYTREE__DESCRIPTION = { PYTREE__QUOTE(PYTREE__S), sizeof(PYTREE__S),
    PYTREE__ALIGN_OF_TYPE(PYTREE__S), PYTREE_KIND_LEAF,
    PYTREE_OPAQUE, 0, 0, false, false, false, NULL, NULL, NULL, NULL, PYTREE_EQUAL, PYTREE_PRINT, NULL, NULL, NULL,
    PYTREE__NAMESPACES, NULL, NULL PYTREE__NOTED_AT(NULL) };
#endif

/* ---- A custom node --------------------------------------------------------------------------------------------------- */

#if defined(PYTREE_CUSTOM)
PYTREE__DESCRIPTION = { PYTREE__QUOTE(PYTREE__S), sizeof(PYTREE__S),
    PYTREE__ALIGN_OF_TYPE(PYTREE__S), PYTREE_KIND_CUSTOM,
    PYTREE_NO_DTYPE, 0, 0, false, false, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL, &(PYTREE_CUSTOM), PYTREE__SPACE,
    PYTREE__NAMESPACES, NULL, NULL PYTREE__NOTED_AT(NULL) };
#endif
#endif
