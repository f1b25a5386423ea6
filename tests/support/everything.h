/* everything.h: a struct with a member of every kind, for tests in C and in C++. */
#ifndef EVERYTHING_H
#define EVERYTHING_H

#include "pytree.h"

#undef far                                /* a macro of Windows */

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
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, width) PYTREE_FIELD(STATIC, activation) PYTREE_FIELD(STATIC, rates)
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
    PYTREE_FIELD(DATA, flag)                                                                                            \
    PYTREE_FIELD(DATA, letter)                                                                                          \
    PYTREE_FIELD(DATA, i8)                                                                                              \
    PYTREE_FIELD(DATA, u8)                                                                                              \
    PYTREE_FIELD(DATA, i16)                                                                                             \
    PYTREE_FIELD(DATA, u16)                                                                                             \
    PYTREE_FIELD(DATA, i32)                                                                                             \
    PYTREE_FIELD(DATA, u32)                                                                                             \
    PYTREE_FIELD(DATA, i_long)                                                                                          \
    PYTREE_FIELD(DATA, u_long)                                                                                          \
    PYTREE_FIELD(DATA, i64)                                                                                             \
    PYTREE_FIELD(DATA, u64)                                                                                             \
    PYTREE_FIELD(DATA, f32)                                                                                             \
    PYTREE_FIELD(DATA, f64)                                                                                             \
    PYTREE_FIELD(DATA, f_long)                                                                                          \
    PYTREE_FIELD(DATA, half)                                                                                            \
    PYTREE_FIELD(DATA, brain)                                                                                           \
    PYTREE_FIELD(DATA, color)                                                                                           \
    PYTREE_FIELD(DATA, name)                                                                                            \
    PYTREE_FIELD(DATA, title)                                                                                           \
    PYTREE_FIELD(DATA, note, OPTIONAL)                                                                                  \
    PYTREE_FIELD(DATA, code)                                                                                            \
    PYTREE_FIELD(DATA, mask)                                                                                            \
    PYTREE_FIELD(DATA, vector)                                                                                          \
    PYTREE_FIELD(DATA, matrix)                                                                                          \
    PYTREE_FIELD(DATA, cube, RANK(3))                                                                                   \
    PYTREE_FIELD(DATA, at)                                                                                              \
    PYTREE_FIELD(DATA, corners)                                                                                         \
    PYTREE_FIELD(DATA, far, OPTIONAL)                                                                                   \
    PYTREE_FIELD(STATIC, rows)                                                                                          \
    PYTREE_FIELD(STATIC, columns)                                                                                       \
    PYTREE_FIELD(STATIC, n_points)                                                                                      \
    PYTREE_FIELD(DATA, weights, ARRAY(self->rows, self->columns))                                                       \
    PYTREE_FIELD(DATA, bias, OPTIONAL, ARRAY(self->columns))                                                            \
    PYTREE_FIELD(DATA, points, LIST(self->n_points))                                                                    \
    PYTREE_FIELD(STATIC, config)                                                                                        \
    PYTREE_FIELD(STATIC, kind)                                                                                          \
    PYTREE_FIELD(STATIC, function)                                                                                      \
    PYTREE_FIELD(STATIC, mode)                                                                                          \
    PYTREE_FIELD(STATIC, version)                                                                                       \
    PYTREE_FIELD(STATIC, epsilon)                                                                                       \
    PYTREE_FIELD(DROP, scratch)
#include "pytree_registry.h"

#endif
