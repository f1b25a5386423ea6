/* pytree/registry/as.h: the rows of pointers to void, whose type is computed. Included by pytree_registry.h, once. */
#ifndef PYTREE_REGISTRY_AS_H
#define PYTREE_REGISTRY_AS_H

/* AS(type) is for one value, AS(type, ARRAY(n, m)) for an array of numbers.
 *
 *     PYTREE_FIELD(DATA, layer, AS(self->kind == 0 ? PYTREE_TYPE(Linear) : PYTREE_TYPE(Conv)))   =>
 *     static inline const pytree_type *pytree__as_pytree__code_Node__layer(const void *pytree__at)
 *     {
 *         const Node *self = (const Node *)pytree__at;
 *         (void)*self; return &*(self->kind == 0 ? … : …);
 *     } */
#define PYTREE__AS_TYPE(...) PYTREE__FIRST(__VA_ARGS__, ~)
#define PYTREE__AS_WORD(...) PYTREE__AS_WORD_(__VA_ARGS__, NONE, ~)
#define PYTREE__AS_WORD_(type, word, ...) word
#define PYTREE__MEMBERS_AS(code, seen, held, x, arguments, optional, s)                                                 \
    PYTREE__ENUM { code = PYTREE__IS_MANY | PYTREE__VOID_CODE(x) };                                                      \
    static inline const pytree_type *pytree__as_##code(const void *pytree__at)                                          \
    {                                                                                                                   \
        const s *self = (const s *)pytree__at;                                                                          \
        (void)*self; return PYTREE__AS_POINTER(PYTREE__AS_TYPE arguments);                                           \
    }
#define PYTREE__CHECK_PLACE_AS PYTREE__CHECK_LAYOUT
#define PYTREE__CHECK_AS(code, arguments, optional, in)                                                                 \
    PYTREE__ASSERT(PYTREE__MORE_ROWS, in " AS" PYTREE__TOO_SMALL);                                                      \
    PYTREE__ASSERT((code & PYTREE__IS_POINTER) != 0, in " AS is for a void *; the compiler knows the type of others");

#define PYTREE__PLACED_AS PYTREE__PLACED_PLAIN
#define PYTREE__TABLE_AS(code, held, x, arguments, optional, placed)                                                    \
    &pytree_types[PYTREE__T_address], PYTREE_ROW_DATA, PYTREE_POINTER,                                                  \
    PYTREE__EACH(PYTREE__AS_FORM_, ~, ~, ~, ~, PYTREE__AS_WORD arguments, NONE, ~), optional,                           \
    PYTREE__EACH(PYTREE__AS_NDIM_, ~, ~, ~, ~, PYTREE__AS_WORD arguments, NONE, ~), placed, 0,                          \
    PYTREE__FUNCTION(as, pytree__as_##code)
#define PYTREE__AS_FORM_PLAIN(a, b, c, d, optional, arguments) PYTREE_FORM_REF
#define PYTREE__AS_FORM_ARRAY(a, b, c, d, optional, arguments) PYTREE_FORM_LEAF
#define PYTREE__AS_NDIM_PLAIN(a, b, c, d, optional, arguments) 0
#define PYTREE__AS_NDIM_ARRAY(a, b, c, d, optional, arguments) PYTREE__COUNT_ARGUMENTS arguments

#define PYTREE__VIEW_AS(code, name, optional, arguments) PYTREE__VIEW_OTHER(PYTREE__SIZES_AS(name, arguments))
#define PYTREE__SIZES_AS(name, arguments) PYTREE__EACH(PYTREE__AS_SIZES_, ~, ~, ~, ~, PYTREE__AS_WORD arguments, NONE, ~)
#define PYTREE__AS_SIZES_PLAIN(a, b, c, d, optional, arguments)
#define PYTREE__AS_SIZES_ARRAY(a, b, c, d, optional, arguments) PYTREE__SIZES_ARRAY(~, arguments)
#define PYTREE__VALID_AS(code, name, optional, arguments)      /* a struct that has one is not self-contained */
#define PYTREE__STORED_AS(code, name, optional, arguments)
#define PYTREE__CASE_EXTENTS_AS(x, arguments)                  /* nor can it be in a union */
#endif
