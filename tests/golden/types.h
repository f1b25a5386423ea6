/* golden/types.h: the registered types of the golden data, those of golden/README.md's tables. A data field may hold any tree,
 * so each is a `pytree`. Included by golden.h. */
#ifndef GOLDEN_TYPES_H
#define GOLDEN_TYPES_H

/* ---- Structs ------------------------------------------------------------------------------------------------------- */

typedef struct Linear { int64_t din, dout; pytree w, b; } Linear;
#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DATA, w) PYTREE_FIELD(DATA, b)
#include "pytree_registry.h"

typedef struct MLP { int64_t n_layers; pytree layers, head, scale; } MLP;
#define PYTREE_STRUCT MLP
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n_layers) PYTREE_FIELD(DATA, layers) PYTREE_FIELD(DATA, head) PYTREE_FIELD(DATA, scale)
#include "pytree_registry.h"

typedef struct DC { pytree x, y; const char *op; } DC;
#define PYTREE_STRUCT DC
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(STATIC, op)
#include "pytree_registry.h"

typedef struct Mixed { pytree z; int64_t k; pytree a; const char *j; pytree m; } Mixed;
#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, z) PYTREE_FIELD(STATIC, k) PYTREE_FIELD(DATA, a) PYTREE_FIELD(STATIC, j) PYTREE_FIELD(DATA, m)
#include "pytree_registry.h"

typedef struct Trio { pytree a, b, c; } Trio;
#define PYTREE_STRUCT Trio
#define PYTREE_FIELDS PYTREE_FIELD(DATA, a) PYTREE_FIELD(DATA, b) PYTREE_FIELD(DATA, c)
#include "pytree_registry.h"

typedef struct Only1 { pytree v; } Only1;
#define PYTREE_STRUCT Only1
#define PYTREE_FIELDS PYTREE_FIELD(DATA, v)
#include "pytree_registry.h"

typedef struct Wrap { pytree value; const char *label; bool flag; double rate; } Wrap;
#define PYTREE_STRUCT Wrap
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, label) PYTREE_FIELD(STATIC, flag) PYTREE_FIELD(STATIC, rate)
#include "pytree_registry.h"

typedef struct Maybe { pytree value; const char *hint; } Maybe;
#define PYTREE_STRUCT Maybe
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(STATIC, hint)
#include "pytree_registry.h"

typedef struct Tag { const char *name; } Tag;
#define PYTREE_STRUCT Tag
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, name)
#include "pytree_registry.h"

typedef struct Empty { char nothing; } Empty;
#define PYTREE_STRUCT Empty
#define PYTREE_FIELDS PYTREE_FIELD(DROP, nothing)
#include "pytree_registry.h"

typedef struct State { pytree topic, draft; } State;
#define PYTREE_STRUCT State
#define PYTREE_FIELDS PYTREE_FIELD(DATA, topic) PYTREE_FIELD(DATA, draft)
#include "pytree_registry.h"

typedef struct Explainer { pytree instruction, style; } Explainer;
#define PYTREE_STRUCT Explainer
#define PYTREE_FIELDS PYTREE_FIELD(DATA, instruction) PYTREE_FIELD(DATA, style)
#include "pytree_registry.h"

typedef struct NnxLinear { pytree b; int64_t din, dout; pytree w; } NnxLinear;
#define PYTREE_STRUCT NnxLinear
#define PYTREE_FIELDS PYTREE_FIELD(DATA, b) PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DATA, w)
#include "pytree_registry.h"

typedef struct NnxMLP { pytree layers; int64_t num_layers; } NnxMLP;
#define PYTREE_STRUCT NnxMLP
#define PYTREE_FIELDS PYTREE_FIELD(DATA, layers) PYTREE_FIELD(STATIC, num_layers)
#include "pytree_registry.h"

/* ---- Leaves -------------------------------------------------------------------------------------------------------- */

typedef struct Opaque { const char *name; } Opaque;             /* of a type that nobody registered as a node */
static bool opaque_equal(const void *a, const void *b)
{
    return strcmp(((const Opaque *)a)->name, ((const Opaque *)b)->name) == 0;
}
#define PYTREE_LEAF_TYPE Opaque
#define PYTREE_EQUAL opaque_equal
#include "pytree_registry.h"

/* ---- Custom nodes --------------------------------------------------------------------------------------------------
 *
 * Metadata is any static value, kept as the text of its JSON: one text for each value. */

typedef struct Custom {
    char *meta;
    size_t n;
    pytree *children;
} Custom;

static size_t custom_children(const void *self, pytree *children, pytree_entry *keys)
{
    const Custom *custom = self;
    (void)keys;
    if (children != NULL && custom->n != 0) { memcpy(children, custom->children, custom->n * sizeof *children); }
    return custom->n;
}

static size_t custom_metadata(const void *self, void *to)
{
    const Custom *custom = self;
    size_t n = strlen(custom->meta);
    if (to != NULL) { memcpy(to, custom->meta, n); }
    return n;
}

static pytree_status custom_rebuild(void *self, size_t n, const pytree *children, const void *metadata, size_t bytes)
{
    Custom *custom = self;
    custom->n = n;
    custom->meta = malloc(bytes + 1);
    custom->children = malloc(n * sizeof *children + 1);
    if (custom->meta == NULL || custom->children == NULL) {
        free(custom->meta);
        free(custom->children);
        return PYTREE_NO_MEMORY;
    }
    memcpy(custom->meta, metadata, bytes);
    custom->meta[bytes] = '\0';
    if (n != 0) { memcpy(custom->children, children, n * sizeof *children); }
    return PYTREE_OK;
}

static void custom_release(void *self)
{
    Custom *custom = self;
    free(custom->meta);
    free(custom->children);
}

static const pytree_custom custom_callbacks = { .children = custom_children, .metadata = custom_metadata,
                                                .print = custom_print, .rebuild = custom_rebuild, .release = custom_release };

typedef struct Box { Custom custom; } Box;
#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

typedef struct Bag { Custom custom; } Bag;
#define PYTREE_STRUCT Bag
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

typedef struct RegisteredSpecial { Custom custom; } RegisteredSpecial;
#define PYTREE_STRUCT RegisteredSpecial
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

typedef struct RegisteredSpecial2 { Custom custom; } RegisteredSpecial2;
#define PYTREE_STRUCT RegisteredSpecial2
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

typedef struct Foo { Custom custom; } Foo;
#define PYTREE_STRUCT Foo
#define PYTREE_CUSTOM custom_callbacks
#include "pytree_registry.h"

/* A dataclass with a static tuple, which no static field of a C struct has: a custom node with keys. */
static size_t f32_array_children(const void *self, pytree *children, pytree_entry *keys)
{
    if (children != NULL) { custom_children(self, children, NULL); }
    if (keys != NULL) {
        memset(keys, 0, sizeof *keys);
        keys->kind = PYTREE_ATTRIBUTE;
        keys->name = "values";
    }
    return 1;
}

static const pytree_custom f32_array_callbacks = { .children = f32_array_children, .keyed = true, .metadata = custom_metadata,
                                                   .print = custom_print, .rebuild = custom_rebuild,
                                                   .release = custom_release };

typedef struct F32Array { Custom custom; } F32Array;
#define PYTREE_STRUCT F32Array
#define PYTREE_CUSTOM f32_array_callbacks
#include "pytree_registry.h"

#endif
