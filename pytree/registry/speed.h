/* pytree/registry/speed.h: make the functions of a struct that are generated where code is optimised for speed, other than
 * views: see pytree_type. Included by pytree_registry.h for each struct, so it has no guard. */
#if defined(PYTREE__S)
/* Check the same values without writing views. */
PYTREE__HELPER size_t PYTREE__CAT(pytree__validate_, PYTREE__ID)(const void *pytree__at)
{
    const PYTREE__S *const self = (const PYTREE__S *)pytree__at;
    const pytree_field *pytree__row = PYTREE__CAT(pytree__fields_, PYTREE__ID);
    size_t pytree__extent, pytree__bits = 0, pytree__flags = 0;
    if (!PYTREE__CAT(pytree__self_contained_, PYTREE__ID)) { return PYTREE__NOT_INLINABLE; }
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__VALID_##kind(PYTREE__ID, __VA_ARGS__, NONE, NONE, NONE, ~)
    PYTREE_FIELDS
    (void)self; (void)pytree__row; (void)pytree__extent;
    return pytree__flags | PYTREE__DOUBTS(0, pytree__bits);
}

/* Put leaves back. */
PYTREE__HELPER const pytree_leaf *PYTREE__CAT(pytree__store_leaves_, PYTREE__ID)(void *pytree__at,
                                                                                 const pytree_leaf *pytree__leaf)
{
    const PYTREE__S *const self = (const PYTREE__S *)pytree__at;
    const pytree_field *pytree__row = PYTREE__CAT(pytree__fields_, PYTREE__ID);
    const volatile void *pytree__pointer;
    uintptr_t pytree__least = UINTPTR_MAX;
    if (!PYTREE__CAT(pytree__self_contained_, PYTREE__ID)) { return NULL; }
#undef PYTREE_FIELD
#define PYTREE_FIELD(kind, ...) PYTREE__STORED_##kind(PYTREE__ID, __VA_ARGS__, NONE, NONE, NONE, ~)
    PYTREE_FIELDS
    (void)self; (void)pytree__row; (void)pytree__pointer;
    return pytree__least == 0 ? NULL : pytree__leaf;
}
#endif
