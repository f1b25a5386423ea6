/* vectors_shared.h: states with elements of every layout, and pairs of a tree's vector and nvector_serial's. */
#ifndef VECTORS_SHARED_H
#define VECTORS_SHARED_H

#define TEST_OWN_BODIES
#include "support.h"
#include "pytree/sundials.h"
#include <nvector/nvector_serial.h>

typedef struct Cell {                     /* in a list, its elements are pieces: two, a number between, one */
    double flow[2];
    int kind;
    double level;
} Cell;
#define PYTREE_STRUCT Cell
#define PYTREE_FIELDS PYTREE_FIELD(DATA, flow) PYTREE_FIELD(STATIC, kind) PYTREE_FIELD(DATA, level)
#include "pytree_registry.h"

typedef struct Species {
    size_t n;
    double *mass, *rate;
} Species;
#define PYTREE_STRUCT Species
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, mass, ARRAY(self->n)) PYTREE_FIELD(DATA, rate, ARRAY(self->n))
#include "pytree_registry.h"

PYTREE_ROLE(Constant, Variable);

typedef struct Mixed {
    double temperature;
    size_t n_cells;
    Cell *cells;
    Species gas;
    Species *liquid;
    double none[1];
    float table[3];
    double heat;
    const char *name;
} Mixed;
#define PYTREE_STRUCT Mixed
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(DATA, temperature) PYTREE_FIELD(STATIC, n_cells) PYTREE_FIELD(DATA, cells, LIST(self->n_cells))        \
    PYTREE_FIELD(DATA, gas) PYTREE_FIELD(DATA, liquid, OPTIONAL) PYTREE_FIELD(DATA, none)                               \
    PYTREE_FIELD(DATA, table) PYTREE_FIELD(DATA, heat, ROLE(Constant)) PYTREE_FIELD(DATA, name)
#include "pytree_registry.h"

typedef struct Arrays {
    size_t n;
    double *u, *v, *w;
} Arrays;
#define PYTREE_STRUCT Arrays
#define PYTREE_FIELDS                                                                                                   \
    PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, u, ARRAY(self->n)) PYTREE_FIELD(DATA, v, ARRAY(self->n))                 \
    PYTREE_FIELD(DATA, w, ARRAY(2, self->n))
#include "pytree_registry.h"

typedef struct Rows {                     /* nothing but a list of structs with one piece each */
    size_t n;
    Species *none;
    struct Row { int id; double x, y, z; } *rows;
} Rows;
typedef struct Row Row;
#define PYTREE_STRUCT Row
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, id) PYTREE_FIELD(DATA, x) PYTREE_FIELD(DATA, y) PYTREE_FIELD(DATA, z)
#include "pytree_registry.h"
#define PYTREE_STRUCT Rows
#define PYTREE_FIELDS PYTREE_FIELD(STATIC, n) PYTREE_FIELD(DATA, none, OPTIONAL) PYTREE_FIELD(DATA, rows, LIST(self->n))
#include "pytree_registry.h"

static SUNContext context;

static const pytree_filter not_doubles = { .kind = PYTREE_FILTER_ANY, .n = 3, .of = (const pytree_filter[]){
    { .kind = PYTREE_FILTER_PATTERN, .text = "**.table" }, { .kind = PYTREE_FILTER_PATTERN, .text = "**.name" },
    { .kind = PYTREE_FILTER_ROLE, .type = &pytree_role_Constant } } };
static const pytree_nvector_options mixed_options = { .excluded = &not_doubles };

static inline N_Vector vector_of(pytree t, const pytree_nvector_options *opt)
{
    pytree_error error = { 0 };
    const N_Vector v = pytree_nvector_new(t, context, opt, &error);
    assert_ok(error.status, &error);
    assert_non_null(v);
    return v;
}

/* Fills in a struct's memory. */
static inline void allocate(pytree t)
{
    pytree_error error = { 0 };
    assert_ok(pytree_allocate(t, NULL, &error), &error);
}

static inline Mixed mixed_make(void)
{
    static Cell kinds[5];
    Species liquid = { .n = 3 };
    Mixed m = { .n_cells = 5, .cells = kinds, .gas.n = 6, .liquid = &liquid, .table = { 1, 2, 3 }, .heat = 4.5,
                .name = "plug" };
    size_t i;
    for (i = 0; i < COUNT_OF(kinds); i++) { kinds[i].kind = (int)i; }
    allocate(PYTREE(&m));
    return m;
}

#endif
