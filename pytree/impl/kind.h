/* pytree/impl/kind.h: the table of kinds: how nodes of each kind are viewed, packed and written. */
#ifndef PYTREE_IMPL_KIND_H
#define PYTREE_IMPL_KIND_H

#include "internal.h"

/* The table: one row a kind, in the order of pytree_kind. A new kind of container is a row here, its value in pytree_kind, its
 * built-in type and a constructor; the rest of the library asks this table.
 *
 *     kind, form of a view, key of a child, how keys are packed, order of children, metadata, code in a saved treedef,
 *     is it a registered type, text in a treedef, text in a literal
 *
 * Codes never change. The texts are tables of their own, so that programs which write none do not have them.
 */
#define PYTREE__KINDS(X)                                                                                                \
    X(LEAF, LEAF, INDEX, NONE, FIXED, NONE, 0, false,                                                                   \
      PYTREE__TEXT("*", "", NULL, NULL, NULL), PYTREE__NO_TEXT)                                                         \
    X(NONE, NONE, INDEX, NONE, FIXED, NONE, 1, false,                                                                   \
      PYTREE__TEXT("None", "", NULL, NULL, NULL), PYTREE__TEXT("None", "", NULL, NULL, NULL))                           \
    X(STRUCT, STRUCT, ATTRIBUTE, ROWS, FIXED, STATICS, PYTREE__SAVED_TYPE, true,                                        \
      PYTREE__TEXT("CustomNode(%t[%m], [", "])", NULL, NULL, NULL), PYTREE__TEXT("%t(%m", ")", NULL, NULL, "="))        \
    X(LIST, ITEMS, INDEX, NONE, FIXED, NONE, 2, false,                                                                  \
      PYTREE__TEXT("[", "]", NULL, NULL, NULL), PYTREE__TEXT("[", "]", NULL, NULL, NULL))                               \
    X(TUPLE, ITEMS, INDEX, NONE, FIXED, NONE, 3, false,                                                                 \
      PYTREE__TEXT("(", ")", ",)", NULL, NULL), PYTREE__TEXT("(", ")", ",)", NULL, NULL))                               \
    X(DICT, ITEMS, KEY, PACKED, SORTED, NONE, 4, false,                                                                 \
      PYTREE__TEXT("{", "}", NULL, NULL, ": "), PYTREE__TEXT("{", "}", NULL, NULL, ": "))                               \
    X(ODICT, ITEMS, KEY, PACKED, KEPT, NONE, 5, false,                                                                  \
      PYTREE__TEXT("CustomNode(OrderedDict[%k], [", "])", NULL, NULL, NULL),                                            \
      PYTREE__TEXT("OrderedDict({", "})", NULL, "OrderedDict()", ": "))                                                 \
    X(NAMEDTUPLE, ITEMS, ATTRIBUTE, PACKED, FIXED, NAME, 6, false,                                                      \
      PYTREE__TEXT("CustomNode(namedtuple[%m], [", "])", NULL, NULL, NULL), PYTREE__TEXT("%m(", ")", NULL, NULL, "="))  \
    X(DEFAULTDICT, ITEMS, KEY, PACKED, SORTED, FACTORY, 9, false,                                                       \
      PYTREE__TEXT("CustomNode(defaultdict[(%m, %k)], [", "])", NULL, NULL, NULL),                                      \
      PYTREE__TEXT("defaultdict(%m, {", "})", NULL, NULL, ": "))                                                        \
    X(DEQUE, ITEMS, INDEX, NONE, FIXED, MAXLEN, 10, false,                                                              \
      PYTREE__TEXT("deque([", "]%m)", NULL, "deque(%m)", NULL), PYTREE__TEXT("deque([", "]%m)", NULL, NULL, NULL))      \
    X(CUSTOM, STRUCT, FLAT_INDEX, CUSTOM, FIXED, BYTES, PYTREE__SAVED_TYPE, true,                                       \
      PYTREE__TEXT("CustomNode(%t[%m], [", "])", NULL, NULL, NULL), PYTREE__NO_TEXT)                                    \
    X(VIEW, VIEW, INDEX, NONE, FIXED, NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT)                 \
    X(REF, REF, INDEX, NONE, FIXED, NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT)                   \
    X(FLAT, FLAT, INDEX, NONE, FIXED, NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT)                 \
    X(ROW, NONE, INDEX, NONE, FIXED, NONE, PYTREE__NOT_SAVED, false, PYTREE__NO_TEXT, PYTREE__NO_TEXT)

#define PYTREE__TEXT(open, close, one, empty, key) { open, close, one, empty, key }
#define PYTREE__NO_TEXT { NULL, NULL, NULL, NULL, NULL }

#define PYTREE__X(kind, form, entry, keys, order, meta, code, registered, treedef, literal)                             \
    { PYTREE_FORM_##form, PYTREE_##entry, PYTREE__KEYS_##keys, PYTREE__ORDER_##order, PYTREE__META_##meta, code, registered },
static const struct pytree__kind_traits pytree__kinds[] = { PYTREE__KINDS(PYTREE__X) };
#undef PYTREE__X

#define PYTREE__X(kind, form, entry, keys, order, meta, code, registered, treedef, literal) treedef,
static const struct pytree__notation pytree__treedef_texts[] = { PYTREE__KINDS(PYTREE__X) };
#undef PYTREE__X

#define PYTREE__X(kind, form, entry, keys, order, meta, code, registered, treedef, literal) literal,
static const struct pytree__notation pytree__literal_texts[] = { PYTREE__KINDS(PYTREE__X) };
#undef PYTREE__X

/* Row n must be that of kind n: an array of negative size if it is not. */
#define PYTREE__X(kind, form, entry, keys, order, meta, code, registered, treedef, literal) PYTREE__ROW_##kind,
enum { PYTREE__KINDS(PYTREE__X) PYTREE__KIND_ROWS };
#undef PYTREE__X
#define PYTREE__X(kind, form, entry, keys, order, meta, code, registered, treedef, literal)                             \
    && (int)PYTREE__ROW_##kind == (int)PYTREE_KIND_##kind
typedef char pytree__rows_are_in_order[1 PYTREE__KINDS(PYTREE__X) ? 1 : -1];
#undef PYTREE__X
#undef PYTREE__TEXT
#undef PYTREE__NO_TEXT

/* Returns the row of a type's kind. NULL is a leaf, as in a treedef's nodes. */
PYTREE__INLINE const struct pytree__kind_traits *pytree__traits(const pytree_type *type)
{
    return &pytree__kinds[type == NULL ? PYTREE_KIND_LEAF : type->kind];
}

static inline const struct pytree__notation *pytree__treedef_text(const pytree_type *type)
{
    return &pytree__treedef_texts[type == NULL ? PYTREE_KIND_LEAF : type->kind];
}

static inline const struct pytree__notation *pytree__literal_text(const pytree_type *type)
{
    return &pytree__literal_texts[type == NULL ? PYTREE_KIND_LEAF : type->kind];
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

/* Returns the built-in type of kind number `kind` if that is a container of pytrees or None; otherwise NULL. */
static inline const pytree_type *pytree__container_type(int kind)
{
    if (kind == PYTREE_KIND_NONE) { return &pytree_types[PYTREE__T_none]; }
    return pytree__kinds[kind].form == PYTREE_FORM_ITEMS ? &pytree_types[PYTREE__T_list + kind - PYTREE_KIND_LIST] : NULL;
}

/* Returns the type of the containers (or None) that have that code in a saved treedef; NULL if there are none. */
static inline const pytree_type *pytree__type_of_code(uint64_t code)
{
    int kind;
    for (kind = 0; kind < PYTREE__KIND_ROWS; kind++) {
        if (pytree__kinds[kind].code == code) { return pytree__container_type(kind); }
    }
    return NULL;
}

/* Returns the type of the containers that are written with a word before a parenthesis, as deque([…]); NULL if there are
 * none. */
static inline const pytree_type *pytree__type_of_word(const char *word, size_t n)
{
    int kind;
    for (kind = PYTREE_KIND_LIST; kind < PYTREE__KIND_ROWS; kind++) {
        const char *open = pytree__literal_texts[kind].open;
        if (open == NULL || n == 0 || *open != *word) { continue; }
        if (strncmp(open, word, n) == 0 && open[n] == '(') { return pytree__container_type(kind); }
    }
    return NULL;
}

/* Returns the type of the containers that are written between brackets, as [*, *], and sets the closing one; NULL if `c` opens
 * none. */
static inline const pytree_type *pytree__type_of_bracket(char c, char *close)
{
    int kind;
    for (kind = PYTREE_KIND_LIST; kind < PYTREE__KIND_ROWS; kind++) {
        const struct pytree__notation *text = &pytree__treedef_texts[kind];
        if (c != '\0' && text->open != NULL && text->open[0] == c && text->open[1] == '\0') {
            *close = text->close[0];
            return pytree__container_type(kind);
        }
    }
    return NULL;
}
#endif
