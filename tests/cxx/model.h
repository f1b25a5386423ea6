/* model.h: one header for C, C++ and CUDA files of a program: what rows_every.h has not. Types that are declared and defined,
 * leaf types, custom nodes, namespaces, containers of stb_ds, every number. */
#ifndef CXX_MODEL_H
#define CXX_MODEL_H

#include "../registration/rows_every.h"
#include "../support/everything.h"

typedef struct Linear {
    int din, dout;
    float *w, *b;
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))            \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct Node {
    double value;
    struct Node *next;                    /* NULL at the end */
} Node;

#define PYTREE_STRUCT Node
#define PYTREE_FIELDS PYTREE_FIELD(DATA, value) PYTREE_FIELD(DATA, next, OPTIONAL)
#include "pytree_registry.h"

typedef struct Price {
    char *key;
    double value;
} Price;

typedef struct Place {
    char *key;
    Point value;
} Place;

typedef struct Shelf {
    float *heights;
    Point *spots;
    Price *prices;
    Place *places;
} Shelf;

#define PYTREE_STRUCT Shelf
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, heights, STB_ARRAY) PYTREE_FIELD(DATA, spots, STB_ARRAY) PYTREE_FIELD(DATA, prices, STB_MAP)     \
    PYTREE_FIELD(DATA, places, STB_MAP)
#include "pytree_registry.h"

typedef struct Team Team;
typedef struct Member { int number; Team *team; } Member;
struct Team { int n; Member *members; };
#define PYTREE_DECLARE Team
#include "pytree_registry.h"
#define PYTREE_STRUCT Member
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, number) PYTREE_FIELD(DATA, team, OPTIONAL)
#include "pytree_registry.h"
#define PYTREE_DEFINE Team
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, members, LIST(self->n))
#include "pytree_registry.h"

typedef struct Handle { int number; } Handle;
#define PYTREE_LEAF_TYPE Handle
#include "pytree_registry.h"
#define PYTREE_STRUCT Handle
#define PYTREE_NAMESPACE debug
#define PYTREE_FIELDS PYTREE_FIELD(DATA, number)
#include "pytree_registry.h"
#define PYTREE_STRUCT Linear
#define PYTREE_NAMESPACE train
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DROP, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DROP, w)                                            \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef struct Impl *Opaque;                               /* a leaf type that is a pointer itself */
#define PYTREE_LEAF_TYPE Opaque
#include "pytree_registry.h"

typedef struct Box { pytree item; } Box;
static inline size_t box_children(const void *self, pytree *children, pytree_entry *keys)
{
    (void)keys;
    if (children != NULL) { children[0] = ((const Box *)self)->item; }
    return 1;
}
static const pytree_custom box_callbacks = { box_children, false, NULL, NULL, NULL, NULL, NULL, NULL, NULL };
#define PYTREE_STRUCT Box
#define PYTREE_CUSTOM box_callbacks
#include "pytree_registry.h"

typedef struct Entry { char *key; float value; } Entry;
typedef struct Mixed {
    int depth;
    struct Mixed *next;
    Handle handle, *handles;
    Opaque opaque, opaques[2];
    Box box;
    char **names;
    float (*table)[3];
    int *numbers;
    Point *points;
    Entry *map;
    pytree_leaf view, *views;
    pytree tree;
    pytree_flat flat;
    Team *owner;
    Config modes[2];
    unsigned char bytes[2][2];
    const char *words[2];
    int grid[2][3];
    char tag[4];
    void (*call)(int);
} Mixed;
#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, depth) PYTREE_FIELD(DATA, next, OPTIONAL) PYTREE_FIELD(DATA, handle)                           \
    PYTREE_FIELD(DATA, handles, LIST(2)) PYTREE_FIELD(DATA, opaque) PYTREE_FIELD(DATA, opaques)                         \
    PYTREE_FIELD(DATA, box) PYTREE_FIELD(DATA, names, LIST(self->depth)) PYTREE_FIELD(DROP, table)                      \
    PYTREE_FIELD(DATA, numbers, STB_ARRAY) PYTREE_FIELD(DATA, points, STB_ARRAY, OPTIONAL)                              \
    PYTREE_FIELD(DATA, map, STB_MAP) PYTREE_FIELD(DATA, view) PYTREE_FIELD(DATA, views, LIST(1))                        \
    PYTREE_FIELD(DATA, tree) PYTREE_FIELD(DATA, flat) PYTREE_FIELD(DATA, owner, OPTIONAL)                               \
    PYTREE_FIELD(STATIC, modes) PYTREE_FIELD(STATIC, bytes) PYTREE_FIELD(STATIC, words) PYTREE_FIELD(STATIC, grid)      \
    PYTREE_FIELD(STATIC, tag, STRING) PYTREE_FIELD(STATIC, call)
#include "pytree_registry.h"

#define MODEL_TYPES(X)                                                                                                  \
    X(Linear) X(Point) X(Config) X(Everything) X(Node) X(Shelf) X(Member) X(Team) X(Handle) X(Opaque) X(Box) X(Mixed)     \
    X(float) X(Color) X(bool) X(char) X(long long) X(pytree_bf16) X(const char *) X(unsigned long) X(long double)
#define MODEL_TYPE(T) PYTREE_TYPE(T),
static const pytree_type *const model_types[] = { MODEL_TYPES(MODEL_TYPE) };
enum { MODEL_COUNT = sizeof model_types / sizeof model_types[0] };

#ifdef __cplusplus
extern "C" {
#endif
/* What the C file has: its descriptors, its trees. */
const pytree_type *const *c_model_types(void);
const pytree_type *const *c_every_types(void);
pytree c_every_tree(size_t i);
pytree c_linear(void);                    /* of arrays that are its own: for pytree_free */
#ifdef __cplusplus
}
#endif
#endif
