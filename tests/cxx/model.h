/* model.h: one header for C, C++ and CUDA files of a program: what rows_every.h has not. Types that are declared and defined,
 * leaf types, custom nodes, namespaces, containers of stb_ds, every number. */
#ifndef CXX_MODEL_H
#define CXX_MODEL_H

#include "../registration/rows_every.h"

typedef struct Linear {
    int din, dout;
    float *w, *b;
} Linear;

#define PYTREE_STRUCT Linear
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, din) PYTREE_FIELD(STATIC, dout) PYTREE_FIELD(DATA, w, ARRAY(self->din, self->dout))            \
    PYTREE_FIELD(DATA, b, ARRAY(self->dout))
#include "pytree_registry.h"

typedef enum Color { RED, GREEN, BLUE } Color;

typedef struct Point {
    float x, y;
} Point;

#define PYTREE_STRUCT Point
#define PYTREE_FIELDS PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y)
#include "pytree_registry.h"

typedef struct Config {                   /* nothing but metadata: may be STATIC in another struct */
    int width;
    const char *activation;
    double rates[2];
} Config;

#define PYTREE_STRUCT Config
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, width) PYTREE_FIELD(STATIC, activation) PYTREE_FIELD(STATIC, rates)
#include "pytree_registry.h"

typedef struct Everything {
    bool flag;
    char letter;
    signed char i8;
    unsigned char u8;
    short i16;
    unsigned short u16;
    int i32;
    unsigned u32;
    long i_long;
    unsigned long u_long;
    long long i64;
    unsigned long long u64;
    float f32;
    double f64;
    long double f_long;
    pytree_f16 half;
    pytree_bf16 brain;
    Color color;
    char *name;
    const char *title;
    const char *note;                     /* NULL when there is none */
    char code[8];
    bool mask[4];
    float vector[3];
    double matrix[2][3];
    int cube[2][3][4];
    Point at;
    Point corners[2];
    Point *far;                           /* NULL when there is none */
    size_t rows, columns, n_points;
    double *weights;                      /* (rows, columns) */
    float *bias;                          /* (columns,); NULL when there is none */
    Point *points;                        /* n_points of them */
    Config config;
    const char *kind;
    double (*function)(double);
    Color mode;
    int version[3];
    long double epsilon;
    void *scratch;
} Everything;

#define PYTREE_STRUCT Everything
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, flag) PYTREE_FIELD(DATA, letter) PYTREE_FIELD(DATA, i8) PYTREE_FIELD(DATA, u8)                   \
    PYTREE_FIELD(DATA, i16) PYTREE_FIELD(DATA, u16) PYTREE_FIELD(DATA, i32) PYTREE_FIELD(DATA, u32)                     \
    PYTREE_FIELD(DATA, i_long) PYTREE_FIELD(DATA, u_long) PYTREE_FIELD(DATA, i64) PYTREE_FIELD(DATA, u64)               \
    PYTREE_FIELD(DATA, f32) PYTREE_FIELD(DATA, f64) PYTREE_FIELD(DATA, f_long) PYTREE_FIELD(DATA, half)                 \
    PYTREE_FIELD(DATA, brain) PYTREE_FIELD(DATA, color) PYTREE_FIELD(DATA, name) PYTREE_FIELD(DATA, title)              \
    PYTREE_FIELD(DATA, note, OPTIONAL) PYTREE_FIELD(DATA, code) PYTREE_FIELD(DATA, mask) PYTREE_FIELD(DATA, vector)     \
    PYTREE_FIELD(DATA, matrix) PYTREE_FIELD(DATA, cube, RANK(3)) PYTREE_FIELD(DATA, at) PYTREE_FIELD(DATA, corners)     \
    PYTREE_FIELD(DATA, far, OPTIONAL) PYTREE_FIELD(STATIC, rows) PYTREE_FIELD(STATIC, columns)                          \
    PYTREE_FIELD(STATIC, n_points) PYTREE_FIELD(DATA, weights, ARRAY(self->rows, self->columns))                        \
    PYTREE_FIELD(DATA, bias, OPTIONAL, ARRAY(self->columns)) PYTREE_FIELD(DATA, points, LIST(self->n_points))           \
    PYTREE_FIELD(STATIC, config) PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(STATIC, function)                              \
    PYTREE_FIELD(STATIC, mode) PYTREE_FIELD(STATIC, version) PYTREE_FIELD(STATIC, epsilon)                              \
    PYTREE_FIELD(DROP, scratch)
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
