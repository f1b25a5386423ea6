/* treedef_kinds_shared.h: shared by test_treedef_kinds.c and test_treedef_orders.c. */
#ifndef TREEDEF_KINDS_SHARED_H
#define TREEDEF_KINDS_SHARED_H

#include "support.h"
#include "treedefs.h"

/* ---- Types ------------------------------------------------------------------------------------------------------------- */

typedef struct Bag { size_t n; pytree items[3]; size_t bytes; unsigned char tag[4]; } Bag;

static inline size_t bag_children(const void *self, pytree *children, pytree_entry *keys)
{
    static const pytree_entry all[] = { { PYTREE_KEY, "left", 0 }, { PYTREE_INT_KEY, NULL, (pytree_key_index)-7 },
                                        { PYTREE_ATTRIBUTE, "right", 0 } };
    const Bag *bag = self;
    size_t i;
    for (i = 0; i < bag->n && children != NULL; i++) { children[i] = bag->items[i]; }
    for (i = 0; i < bag->n && keys != NULL; i++) { keys[i] = all[i]; }
    return bag->n;
}

static inline size_t bag_metadata(const void *self, void *to)
{
    const Bag *bag = self;
    if (to != NULL) { memcpy(to, bag->tag, bag->bytes); }
    return bag->bytes;
}

static inline size_t bag_print(const void *metadata, size_t bytes, char *text, size_t n)
{
    return (size_t)snprintf(text, n, "%.*s", (int)bytes, (const char *)metadata);
}

static const pytree_custom bag_callbacks = { .children = bag_children, .metadata = bag_metadata };

#define PYTREE_STRUCT Bag
#define PYTREE_CUSTOM bag_callbacks
#include "pytree_registry.h"

typedef struct Crate { Bag bag; } Crate;            /* children with keys, metadata with words */
static const pytree_custom crate_callbacks = {
    .children = bag_children, .keyed = true, .metadata = bag_metadata, .print = bag_print
};

#define PYTREE_STRUCT Crate
#define PYTREE_CUSTOM crate_callbacks
#include "pytree_registry.h"

typedef struct Bare { Bag bag; } Bare;              /* no metadata */
static const pytree_custom bare_callbacks = { .children = bag_children };

#define PYTREE_STRUCT Bare
#define PYTREE_CUSTOM bare_callbacks
#include "pytree_registry.h"

typedef struct Cell { long long a, b; } Cell;       /* a leaf, but in two namespaces */

#define PYTREE_LEAF_TYPE Cell
#include "pytree_registry.h"

#define PYTREE_STRUCT Cell
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Cell
#define PYTREE_NAMESPACE test
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct Pair { long long a, b; } Pair;       /* a struct everywhere, and another one in a namespace */

#define PYTREE_STRUCT Pair
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

#define PYTREE_STRUCT Pair
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, a) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

static const pytree_options train = { .space = "train" }, test = { .space = "test" };

enum { TYPES = 8 };
static const pytree_type *types[TYPES];
static const pytree_field xy[] = { { .name = "x" }, { .name = "y" } };
static const pytree_type point_tuple = { .name = "Point", .kind = PYTREE_KIND_NAMEDTUPLE, .n_fields = 2, .fields = xy };

static inline int types_begin(void **state)
{
    (void)state;
    types[0] = PYTREE_TYPE(Bag);
    types[1] = PYTREE_TYPE(Crate);
    types[2] = PYTREE_TYPE(Bare);
    types[3] = PYTREE_TYPE(Cell);
    types[4] = PYTREE_TYPE(Pair);
    types[5] = PYTREE_TYPE(Linear);
    types[6] = PYTREE_TYPE(Config);
    types[7] = &point_tuple;
    return 0;
}

/* ---- Help -------------------------------------------------------------------------------------------------------------- */

static inline pytree_def *structure(pytree t, const pytree_options *opt)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_structure(t, opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(def);
    return def;
}

static inline pytree_def *parsed(const char *text)
{
    pytree_error error = { 0 };
    pytree_def *def = pytree_def_parse(text, types, TYPES, NULL, &error);
    if (def == NULL) { print_error("# %s\n", text); }
    assert_ok(error.status, &error);
    return def;
}

static inline void assert_def(pytree_def *def, const char *expected)
{
    char *text;
    assert_non_null(def);
    text = def_text(def);
    assert_string_equal(text, expected);
    free(text);
    pytree_def_free(def);
}

/* Equal, and the same beside the structure: namespace, orders. */
static inline void assert_same(const pytree_def *a, const pytree_def *b)
{
    assert_non_null(a);
    assert_non_null(b);
    assert_true(pytree_def_equal(a, b));
    assert_int_equal(pytree_def_hash(a), pytree_def_hash(b));
    assert_int_equal(a->space == NULL, b->space == NULL);
    if (a->space != NULL) { assert_string_equal(a->space, b->space); }
    assert_int_equal(a->n_orders, b->n_orders);
    if (a->n_orders > 0) { assert_memory_equal(a->orders, b->orders, a->n_orders * sizeof *a->orders); }
}

#define X PYTREE_INT(1)

#endif
