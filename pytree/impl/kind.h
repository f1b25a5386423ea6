/* pytree/impl/kind.h: the table of kinds: how nodes of each kind are viewed, packed and written. */
#ifndef PYTREE_IMPL_KIND_H
#define PYTREE_IMPL_KIND_H

#include "internal.h"

#define PYTREE__NO_TEXT { NULL, NULL, NULL, NULL, NULL }

/* One row a kind, in the order of pytree_kind. A new kind of container is a row here, its value in pytree_kind, its built-in
 * type and a constructor; the rest of the library asks this table. The codes of saved treedefs never change. */
static const struct pytree__kind_traits pytree__kinds[] = {
    { PYTREE_KIND_LEAF, PYTREE_FORM_LEAF, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, 0, false, { "*", "", NULL, NULL, NULL }, PYTREE__NO_TEXT },
    { PYTREE_KIND_NONE, PYTREE_FORM_NONE, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, 1, false, { "None", "", NULL, NULL, NULL }, { "None", "", NULL, NULL, NULL } },
    { PYTREE_KIND_STRUCT, PYTREE_FORM_STRUCT, PYTREE_ATTRIBUTE, PYTREE__KEYS_ROWS, PYTREE__ORDER_FIXED,
      PYTREE__META_STATICS, PYTREE__SAVED_TYPE, true,
      { "CustomNode(%t[%m], [", "])", NULL, NULL, NULL }, { "%t(%m", ")", NULL, NULL, "=" } },
    { PYTREE_KIND_LIST, PYTREE_FORM_ITEMS, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, 2, false, { "[", "]", NULL, NULL, NULL }, { "[", "]", NULL, NULL, NULL } },
    { PYTREE_KIND_TUPLE, PYTREE_FORM_ITEMS, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, 3, false, { "(", ")", ",)", NULL, NULL }, { "(", ")", ",)", NULL, NULL } },
    { PYTREE_KIND_DICT, PYTREE_FORM_ITEMS, PYTREE_KEY, PYTREE__KEYS_PACKED, PYTREE__ORDER_SORTED,
      PYTREE__META_NONE, 4, false, { "{", "}", NULL, NULL, ": " }, { "{", "}", NULL, NULL, ": " } },
    { PYTREE_KIND_ODICT, PYTREE_FORM_ITEMS, PYTREE_KEY, PYTREE__KEYS_PACKED, PYTREE__ORDER_KEPT,
      PYTREE__META_NONE, 5, false,
      { "CustomNode(OrderedDict[%k], [", "])", NULL, NULL, NULL }, { "OrderedDict({", "})", NULL, "OrderedDict()", ": " } },
    { PYTREE_KIND_NAMEDTUPLE, PYTREE_FORM_ITEMS, PYTREE_ATTRIBUTE, PYTREE__KEYS_PACKED, PYTREE__ORDER_FIXED,
      PYTREE__META_NAME, 6, false,
      { "CustomNode(namedtuple[%m], [", "])", NULL, NULL, NULL }, { "%m(", ")", NULL, NULL, "=" } },
    { PYTREE_KIND_DEFAULTDICT, PYTREE_FORM_ITEMS, PYTREE_KEY, PYTREE__KEYS_PACKED, PYTREE__ORDER_SORTED,
      PYTREE__META_FACTORY, 9, false,
      { "CustomNode(defaultdict[(%m, %k)], [", "])", NULL, NULL, NULL }, { "defaultdict(%m, {", "})", NULL, NULL, ": " } },
    { PYTREE_KIND_DEQUE, PYTREE_FORM_ITEMS, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_MAXLEN, 10, false,
      { "deque([", "]%m)", NULL, "deque(%m)", NULL }, { "deque([", "]%m)", NULL, NULL, NULL } },
    { PYTREE_KIND_CUSTOM, PYTREE_FORM_STRUCT, PYTREE_FLAT_INDEX, PYTREE__KEYS_CUSTOM, PYTREE__ORDER_FIXED,
      PYTREE__META_BYTES, PYTREE__SAVED_TYPE, true,
      { "CustomNode(%t[%m], [", "])", NULL, NULL, NULL }, PYTREE__NO_TEXT },
    { PYTREE_KIND_VIEW, PYTREE_FORM_VIEW, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT },
    { PYTREE_KIND_REF, PYTREE_FORM_REF, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT },
    { PYTREE_KIND_FLAT, PYTREE_FORM_FLAT, PYTREE_INDEX, PYTREE__KEYS_NONE, PYTREE__ORDER_FIXED,
      PYTREE__META_NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT }
};
#undef PYTREE__NO_TEXT

/* Returns the row of a type's kind; NULL, as a treedef's leaf has it, is a leaf. */
PYTREE__INLINE const struct pytree__kind_traits *pytree__traits(const pytree_type *type)
{
    return &pytree__kinds[type == NULL ? PYTREE_KIND_LEAF : type->kind];
}

/* Does each of its children have a key that is packed: is it a dict or a namedtuple? */
PYTREE__INLINE bool pytree__keyed(const pytree_type *type) { return pytree__traits(type)->keys == PYTREE__KEYS_PACKED; }

/* Is it a dict of any kind? Their keys are a set, and match one another where order and kind do not count. */
PYTREE__INLINE bool pytree__is_dict(const pytree_type *type) { return pytree__traits(type)->order != PYTREE__ORDER_FIXED; }

/* Does it have a name or a factory, which is packed as a string? */
PYTREE__INLINE bool pytree__is_named(const pytree_type *type)
{
    const unsigned meta = pytree__traits(type)->meta;
    return meta == PYTREE__META_NAME || meta == PYTREE__META_FACTORY;
}

/* Returns the name that a node of a type with one is known by: a namedtuple without a name has its kind's. */
static const char *pytree__name_of(const pytree_type *type, const char *name)
{
    return name == NULL && pytree__traits(type)->meta == PYTREE__META_NAME ? type->name : name;
}

/* Returns the built-in type of a container's kind, or None's. */
static inline const pytree_type *pytree__type_of_kind(int kind)
{
    return &pytree_types[kind == PYTREE_KIND_NONE ? (int)PYTREE__T_none : (int)PYTREE__T_list + kind - (int)PYTREE_KIND_LIST];
}

/* Returns the type of the containers that are written with a word before a parenthesis, as deque([…]); NULL if there is none
 * of that word. */
static inline const pytree_type *pytree__type_of_word(const char *word, size_t n)
{
    int kind;
    for (kind = PYTREE_KIND_LIST; kind <= PYTREE_KIND_DEQUE; kind++) {
        const char *open = pytree__kinds[kind].literal.open;
        if (strncmp(open, word, n) == 0 && open[n] == '(' && n != 0) { return pytree__type_of_kind(kind); }
    }
    return NULL;
}

/* Returns the type of the containers that are written between brackets, as [*, *], and sets the closing one; NULL if `c` is no
 * such bracket. */
static inline const pytree_type *pytree__type_of_bracket(char c, char *close)
{
    int kind;
    for (kind = PYTREE_KIND_LIST; kind <= PYTREE_KIND_DEQUE; kind++) {
        const struct pytree__notation *text = &pytree__kinds[kind].treedef;
        if (text->open[0] == c && text->open[1] == '\0') { *close = text->close[0]; return pytree__type_of_kind(kind); }
    }
    return NULL;
}
#endif
